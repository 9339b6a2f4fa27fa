#include "service.h"

#define STREAM_OF_WORKS 2

struct _LabService
{
  LabTarget target; /* first: a target of this kind is a service */
  LabClock *clock;
  LabServiceOptions options;
  LabAdmission *admission;
  LabRandom random;
  LabTime start_ns;
  guint64 work_done;
};

static LabTime
draw_work (LabService *service)
{
  const LabServiceOptions *options = &service->options;
  LabTime work_ns = options->service_time_ns;

  if (options->work == LAB_WORK_EXPONENTIAL)
    work_ns = lab_random_exponential (&service->random, work_ns);
  if (options->slowdown != NULL)
    work_ns *= options->slowdown (lab_clock_now (service->clock) - service->start_ns);
  return work_ns;
}

static void
begin_work (LabServiceCall *call)
{
  lab_timer_arm (&call->work, lab_clock_now (call->service->clock) + draw_work (call->service));
}

static void
work_is_done (LabTimer *timer)
{
  LabServiceCall *call = LAB_OWNER_OF (timer, LabServiceCall, work);

  call->service->work_done++;
  lab_admission_leave (call->service->admission, &call->ticket);
  lab_call_finish (&call->call, LAB_OK);
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  LabServiceCall *call = LAB_OWNER_OF (ticket, LabServiceCall, ticket);

  if (answer == LAB_RUN)
    begin_work (call);
  else
    lab_call_finish (&call->call, LAB_SHED);
}

static void
start (LabTarget *target, LabCall *head)
{
  LabServiceCall *call = LAB_OWNER_OF (head, LabServiceCall, call);
  LabAnswer answer;

  call->service = (LabService *) target;
  lab_ticket_init (&call->ticket, answered);
  lab_timer_init (&call->work, call->service->clock, work_is_done);
  answer = lab_admission_ask (call->service->admission, &call->ticket);
  if (answer != LAB_WAIT)
    answered (&call->ticket, answer);
}

static void
abandon (LabTarget *target, LabCall *head)
{
  LabService *service = (LabService *) target;
  LabServiceCall *call = LAB_OWNER_OF (head, LabServiceCall, call);

  lab_timer_disarm (&call->work);
  lab_admission_leave (service->admission, &call->ticket);
  lab_call_finish (head, LAB_ERROR);
}

LabService *
lab_service_new (LabClock *clock, const LabServiceOptions *options)
{
  LabService *service = g_new0 (LabService, 1);

  service->target = (LabTarget) { .call_size = sizeof (LabServiceCall), .start = start, .abandon = abandon };
  service->clock = clock;
  service->options = *options;
  service->admission = lab_admission_new (clock, &options->limits);
  service->start_ns = lab_clock_now (clock);
  lab_random_init (&service->random, options->seed, STREAM_OF_WORKS);
  return service;
}

void
lab_service_free (LabService *service)
{
  lab_admission_free (service->admission);
  g_free (service);
}

LabTarget *
lab_service_target (LabService *service)
{
  return &service->target;
}

const LabAdmission *
lab_service_admission (const LabService *service)
{
  return service->admission;
}

guint64
lab_service_work_done (const LabService *service)
{
  return service->work_done;
}
