#include "admission.h"

/* The line is a GQueue of the links inside the tickets. Everybody's wait limit is
 * the same, so limits come due in the order of the line, and one timer serves
 * them all: it is armed for a limit no later than that of the first in line, and
 * looks again when that one has left before.
 *
 * Callbacks may ask and leave. What changes slots or line therefore does so before
 * it calls anybody, and touches no ticket after its callback; hand_out_slots() is
 * the only place where tickets are answered, and is never entered twice at once.
 */
struct _LabAdmission
{
  LabClock *clock;
  LabLimits limits;
  LabAdmissionCounters counters;
  GQueue line;
  LabTimer head_limit;
  gboolean handing_out;
};

const char *
lab_answer_reason (LabAnswer answer)
{
  switch (answer)
    {
    case LAB_SHED_LINE_FULL:
      return "line_full";
    case LAB_SHED_WAITED_TOO_LONG:
      return "waited_too_long";
    case LAB_RUN:
    case LAB_WAIT:
    default:
      return NULL;
    }
}

static void
join_line (LabAdmission *admission, LabTicket *ticket)
{
  LabAdmissionCounters *counters = &admission->counters;

  ticket->place = LAB_TICKET_IN_LINE;
  ticket->joined_ns = lab_clock_now (admission->clock);
  g_queue_push_tail_link (&admission->line, &ticket->link);
  counters->waiting++;
  counters->peak_waiting = MAX (counters->peak_waiting, counters->waiting);
}

/* The one way out of the line, for whatever reason. */
static void
leave_line (LabAdmission *admission, LabTicket *ticket)
{
  ticket->place = LAB_TICKET_OUT;
  g_queue_unlink (&admission->line, &ticket->link);
  admission->counters.waiting--;
}

static void
take_slot (LabAdmission *admission, LabTicket *ticket)
{
  ticket->place = LAB_TICKET_IN_SLOT;
  admission->counters.running++;
  admission->counters.admitted++;
}

static gboolean
slot_is_free (const LabAdmission *admission)
{
  return admission->counters.running < admission->limits.slots;
}

static LabTicket *
first_in_line (const LabAdmission *admission)
{
  GList *link = admission->line.head;

  return link != NULL ? LAB_OWNER_OF (link, LabTicket, link) : NULL;
}

static gboolean
has_waited_too_long (const LabAdmission *admission, const LabTicket *ticket)
{
  return admission->limits.max_wait.is_set
         && lab_clock_now (admission->clock) - ticket->joined_ns >= admission->limits.max_wait.value;
}

static void
watch_head (LabAdmission *admission)
{
  LabTicket *first = first_in_line (admission);

  if (first == NULL || !admission->limits.max_wait.is_set)
    lab_timer_disarm (&admission->head_limit);
  else if (!lab_timer_is_armed (&admission->head_limit))
    lab_timer_arm (&admission->head_limit, first->joined_ns + admission->limits.max_wait.value);
}

/* Answers the line from its head, as far as there is an answer: who has waited too
 * long is turned away, the next gets the free slot. */
static void
hand_out_slots (LabAdmission *admission)
{
  LabTicket *first;

  if (admission->handing_out)
    return;
  admission->handing_out = TRUE;
  while ((first = first_in_line (admission)) != NULL)
    {
      LabAnswer answer = has_waited_too_long (admission, first) ? LAB_SHED_WAITED_TOO_LONG : LAB_RUN;

      if (answer == LAB_RUN && !slot_is_free (admission))
        break;
      leave_line (admission, first);
      if (answer == LAB_RUN)
        take_slot (admission, first);
      else
        admission->counters.shed_waited_too_long++;
      first->answered (first, answer);
    }
  admission->handing_out = FALSE;
  watch_head (admission);
}

static void
head_limit_is_due (LabTimer *timer)
{
  hand_out_slots (LAB_OWNER_OF (timer, LabAdmission, head_limit));
}

void
lab_ticket_init (LabTicket *ticket, LabAnswered answered)
{
  *ticket = (LabTicket) { .answered = answered };
}

LabAnswer
lab_admission_ask (LabAdmission *admission, LabTicket *ticket)
{
  const LabLimits *limits = &admission->limits;
  LabAdmissionCounters *counters = &admission->counters;

  g_return_val_if_fail (ticket->place == LAB_TICKET_OUT, LAB_SHED_LINE_FULL);

  if (slot_is_free (admission) && counters->waiting == 0)
    {
      take_slot (admission, ticket);
      return LAB_RUN;
    }
  if (limits->max_waiting.is_set && counters->waiting >= limits->max_waiting.value)
    {
      counters->shed_line_full++;
      return LAB_SHED_LINE_FULL;
    }
  if (limits->max_wait.is_set && limits->max_wait.value == 0)
    {
      counters->shed_waited_too_long++;
      return LAB_SHED_WAITED_TOO_LONG;
    }
  join_line (admission, ticket);
  watch_head (admission);
  return LAB_WAIT;
}

void
lab_admission_leave (LabAdmission *admission, LabTicket *ticket)
{
  switch (ticket->place)
    {
    case LAB_TICKET_IN_LINE:
      leave_line (admission, ticket);
      admission->counters.cancelled++;
      watch_head (admission);
      break;
    case LAB_TICKET_IN_SLOT:
      ticket->place = LAB_TICKET_OUT;
      admission->counters.running--;
      hand_out_slots (admission);
      break;
    case LAB_TICKET_OUT:
    default:
      break;
    }
}

static gboolean
make_sense (const LabLimits *limits)
{
  return limits->slots > 0 && limits->max_waiting.value >= 0 && limits->max_wait.value >= 0
         && limits->max_wait.value <= LAB_DURATION_MAX;
}

void
lab_admission_set_limits (LabAdmission *admission, const LabLimits *limits)
{
  g_return_if_fail (make_sense (limits));

  admission->limits = *limits;
  lab_timer_disarm (&admission->head_limit); /* it was armed for the old max_wait */
  hand_out_slots (admission);
}

LabAdmission *
lab_admission_new (LabClock *clock, const LabLimits *limits)
{
  LabAdmission *admission;

  g_return_val_if_fail (make_sense (limits), NULL);

  admission = g_new0 (LabAdmission, 1);
  admission->clock = clock;
  admission->limits = *limits;
  g_queue_init (&admission->line);
  lab_timer_init (&admission->head_limit, clock, head_limit_is_due);
  return admission;
}

void
lab_admission_free (LabAdmission *admission)
{
  g_return_if_fail (admission->line.length == 0 && admission->counters.running == 0);

  lab_timer_disarm (&admission->head_limit);
  g_free (admission);
}

const LabLimits *
lab_admission_limits (const LabAdmission *admission)
{
  return &admission->limits;
}

const LabAdmissionCounters *
lab_admission_counters (const LabAdmission *admission)
{
  return &admission->counters;
}

LabTime
lab_admission_head_wait (const LabAdmission *admission)
{
  LabTicket *first = first_in_line (admission);

  return first != NULL ? lab_clock_now (admission->clock) - first->joined_ns : 0;
}
