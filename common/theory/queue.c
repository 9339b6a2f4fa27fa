#include "queue.h"

#include "../loadgen/loadgen.h"

/* The witness is a target that passes every call on to the service. It reads the
 * controller's counters at each start and each finish; between two of these the
 * counters do not change (a slot is handed on in the event in which a call
 * finishes), so the areas below are exact.
 *
 * Mean wait is read as the time-average of the line over the rate of arrivals
 * (Little's law for the line), because a witness outside the controller does not
 * see when a work begins. That the law may be used is shown on the same run, for
 * slots and line together, where both sides can be measured: the areas from the
 * counters, the times from the clock at each call's start and finish.
 *
 * The line is read from the end of the warm-up to the last arrival, neither while
 * it fills nor while it drains. The empty start then weighs nothing: the slowest of
 * these queues forgets with a time constant of 1 / (4 mu (1 - sqrt (0.8))^2) = 1.1 s
 * (Gross, Shortle, Thompson, Harris, 2.11); M/D/1 at the same load takes 3 s.
 *
 * The arrivals are a Poisson process given its count. The count says nothing of the
 * order and the spacing of what a queue sees in any second; to fix it takes chance out
 * of the rate over the whole run, which rightly makes the spread between seeds (and so
 * the intervals) a little smaller. It moves an expected value by its curvature in the
 * rate times 1 / requests: for M/M/4 at load 0.8 and 20,000 requests a seed by less than
 * a thousandth, for 375,000 by nothing that shows. */
typedef struct
{
  LabTarget target; /* first: a target of this kind is a witness */
  LabClock *clock;
  LabService *service;

  LabTime from_ns, to_ns;       /* the line is read between these two */
  LabTime seen_ns;              /* up to here the areas are */
  guint waiting, running;       /* since then */
  gint64 waiting_ns;            /* from from_ns to to_ns */
  guint64 arrived, turned_away; /* in the same time */
  gint64 inside_ns, stayed_ns;  /* of the whole run */
  guint64 requests;
} Witness;

typedef struct
{
  LabCall call;
  Witness *witness;
  LabTime since_ns;
  LabServiceCall inner;
} WitnessedCall;

static void
look (Witness *witness)
{
  const LabAdmissionCounters *counters = lab_admission_counters (lab_service_admission (witness->service));
  LabTime now_ns = lab_clock_now (witness->clock);
  LabTime read_ns = MIN (now_ns, witness->to_ns) - MAX (witness->seen_ns, witness->from_ns);

  witness->inside_ns += (gint64) (witness->waiting + witness->running) * (now_ns - witness->seen_ns);
  witness->waiting_ns += witness->waiting * MAX (read_ns, 0);
  witness->seen_ns = now_ns;
  witness->waiting = counters->waiting;
  witness->running = counters->running;
}

static void
inner_finished (LabCall *inner, LabOutcome outcome)
{
  WitnessedCall *call = LAB_OWNER_OF (inner, WitnessedCall, inner.call);
  Witness *witness = call->witness;

  look (witness);
  witness->stayed_ns += witness->seen_ns - call->since_ns;
  witness->turned_away += outcome == LAB_SHED && call->since_ns >= witness->from_ns;
  lab_call_finish (&call->call, outcome);
}

static void
start (LabTarget *target, LabCall *head)
{
  Witness *witness = (Witness *) target;
  WitnessedCall *call = LAB_OWNER_OF (head, WitnessedCall, call);
  LabTarget *inner = lab_service_target (witness->service);

  call->witness = witness;
  call->since_ns = lab_clock_now (witness->clock);
  call->inner.call.finished = inner_finished;
  witness->requests++;
  witness->arrived += call->since_ns >= witness->from_ns;
  look (witness);
  inner->start (inner, &call->inner.call); /* a call that is turned away is over now */
  look (witness);
}

/* Only when a signal cuts the run short: these clients are patient. */
static void
abandon (LabTarget *target, LabCall *head)
{
  LabTarget *inner = lab_service_target (((Witness *) target)->service);

  inner->abandon (inner, &LAB_OWNER_OF (head, WitnessedCall, call)->inner.call);
}

LabQueueReading
lab_queue_simulate (LabClock *clock, const LabQueue *queue, guint64 requests, guint64 seed)
{
  LabTime start_ns = lab_clock_now (clock);
  LabTime span_ns = (LabTime) ((double) requests / queue->arrivals_rps * LAB_S);
  g_autoptr (LabService) service = lab_service_new (
      clock,
      &(LabServiceOptions) {
          .limits = queue->limits, .service_time_ns = queue->service_time_ns, .work = queue->work, .seed = seed });
  Witness witness = { .target = { .call_size = sizeof (WitnessedCall), .start = start, .abandon = abandon },
                      .clock = clock,
                      .service = service,
                      .from_ns = start_ns + LAB_QUEUE_WARM_UP_S * LAB_S,
                      .to_ns = start_ns + span_ns,
                      .seen_ns = start_ns };
  g_autoptr (LabOpenLoop) load = lab_open_loop_new (
      clock, &witness.target,
      &(LabOpenLoopOptions) {
          .arrivals = LAB_ARRIVALS_POISSON, .rate_rps = queue->arrivals_rps, .duration_ns = span_ns, .seed = seed });

  lab_open_loop_start (load);
  lab_clock_run_until (clock, lab_open_loop_is_over, load);
  return (LabQueueReading) {
    .turned_away = (double) witness.turned_away / (double) witness.arrived,
    .mean_wait_s = (double) witness.waiting_ns / LAB_S / (double) witness.arrived,
    .inside_over_time_ns = witness.inside_ns,
    .time_over_requests_ns = witness.stayed_ns,
    .lasted_ns = witness.seen_ns - start_ns,
    .requests = witness.requests,
  };
}
