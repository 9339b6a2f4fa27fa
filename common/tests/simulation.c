#include "simulation.h"

#include <string.h>

#define POISON 0xa5
#define STEPS_PER_VISITOR 100 /* more: it does not come to an end */

typedef struct _Visitor Visitor;
typedef struct _Simulation Simulation;

typedef enum
{
  OUTSIDE,
  IN_LINE,
  IN_SLOT
} Place;

struct _Visitor
{
  LabTicket ticket;
  Simulation *simulation;
  const Op *op;
  gboolean is_second; /* who was sent by the first from inside its callback */
  gboolean is_gone;
  Place place;
  LabTime joined_ns;
  Visitor *before, *after; /* in the model's line */
  LabTimer work, patience;
};

/* The model: what the visitors know, and the rules. */
typedef struct
{
  LabLimits limits;
  LabAdmissionCounters counters;
  guint64 asked;
  Visitor *first, *last; /* of the line */
} Model;

struct _Simulation
{
  const Schedule *schedule;
  Verdict *verdict;
  GString *log;
  LabClock *clock;
  LabAdmission *admission;
  Model model;
  LabTimer next_op;
  guint n_played, factor;
  gboolean in_callback;
  Visitor *visitors; /* two for each op, the second for THEN_ASK */
};

/* Telling */

static void G_GNUC_PRINTF (2, 3) fail (Simulation *self, const char *format, ...)
{
  va_list arguments;

  if (self->verdict->failure != NULL)
    return;
  va_start (arguments, format);
  self->verdict->failure = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

static const char *
word (LabAnswer answer)
{
  return answer == LAB_RUN ? "run" : answer == LAB_WAIT ? "wait" : lab_answer_reason (answer);
}

static void
tell (Simulation *self, const Visitor *visitor, const char *what)
{
  if (self->log != NULL)
    g_string_append_printf (self->log, "  at %3" G_GINT64_FORMAT "  %u%s %s\n", lab_clock_now (self->clock),
                            (guint) (visitor->op - self->schedule->ops), visitor->is_second ? "'" : "", what);
}

static void
tell_limits (Simulation *self, const LabLimits *limits)
{
  if (self->log == NULL)
    return;
  g_string_append_printf (self->log, "  at %3" G_GINT64_FORMAT "  limits: ", lab_clock_now (self->clock));
  schedule_print_limits (limits, self->log);
  g_string_append_c (self->log, '\n');
}

/* The model */

static LabAnswer
right_answer (const Model *model)
{
  const LabLimits *limits = &model->limits;

  if (model->counters.running < limits->slots && model->counters.waiting == 0)
    return LAB_RUN;
  if (limits->max_waiting.is_set && model->counters.waiting >= limits->max_waiting.value)
    return LAB_SHED_LINE_FULL;
  if (limits->max_wait.is_set && limits->max_wait.value == 0)
    return LAB_SHED_WAITED_TOO_LONG;
  return LAB_WAIT;
}

static void
model_join (Model *model, Visitor *visitor)
{
  visitor->place = IN_LINE;
  visitor->before = model->last;
  visitor->after = NULL;
  *(model->last != NULL ? &model->last->after : &model->first) = visitor;
  model->last = visitor;
  model->counters.waiting++;
  model->counters.peak_waiting = MAX (model->counters.peak_waiting, model->counters.waiting);
}

static void
model_leave_line (Model *model, Visitor *visitor)
{
  visitor->place = OUTSIDE;
  *(visitor->before != NULL ? &visitor->before->after : &model->first) = visitor->after;
  *(visitor->after != NULL ? &visitor->after->before : &model->last) = visitor->before;
  model->counters.waiting--;
}

static void
model_take_slot (Model *model, Visitor *visitor)
{
  visitor->place = IN_SLOT;
  model->counters.running++;
  model->counters.admitted++;
}

/* What visitors do. The model always knows before the controller is told. */

static void
begin_work (Visitor *visitor)
{
  Simulation *self = visitor->simulation;

  model_take_slot (&self->model, visitor);
  lab_timer_arm (&visitor->work, lab_clock_now (self->clock) + visitor->op->work_ns * self->factor);
}

/* From here on the controller must not look at the ticket any more. */
static void
go (Visitor *visitor)
{
  lab_timer_disarm (&visitor->work);
  lab_timer_disarm (&visitor->patience);
  visitor->is_gone = TRUE;
  memset (&visitor->ticket, POISON, sizeof visitor->ticket);
}

static void
leave (Visitor *visitor)
{
  Simulation *self = visitor->simulation;
  Model *model = &self->model;

  tell (self, visitor, "leaves");
  if (visitor->place == IN_LINE)
    {
      model_leave_line (model, visitor);
      model->counters.cancelled++;
    }
  else
    {
      visitor->place = OUTSIDE;
      model->counters.running--;
    }
  lab_admission_leave (self->admission, &visitor->ticket);
  lab_admission_leave (self->admission, &visitor->ticket);
  go (visitor);
}

static void
work_is_done (LabTimer *timer)
{
  leave (LAB_OWNER_OF (timer, Visitor, work));
}

static void
patience_is_over (LabTimer *timer)
{
  leave (LAB_OWNER_OF (timer, Visitor, patience));
}

static void
set_limits (Simulation *self, const LabLimits *limits)
{
  tell_limits (self, limits);
  self->model.limits = *limits;
  lab_admission_set_limits (self->admission, limits);
}

static void
check_answer_from_line (Visitor *visitor, LabAnswer answer)
{
  Simulation *self = visitor->simulation;
  const Model *model = &self->model;
  const LabLimit *max_wait = &model->limits.max_wait;
  LabTime waited_ns = lab_clock_now (self->clock) - visitor->joined_ns;

  if (model->first != visitor)
    fail (self, "who is answered is not the first in line");
  if (answer == LAB_RUN && model->counters.running >= model->limits.slots)
    fail (self, "a slot is granted while %u of %u run", model->counters.running, model->limits.slots);
  if (answer == LAB_RUN && max_wait->is_set && waited_ns >= max_wait->value)
    fail (self, "a slot is granted after %" G_GINT64_FORMAT ", with a max_wait of %" G_GINT64_FORMAT, waited_ns,
          max_wait->value);
  if (answer == LAB_SHED_WAITED_TOO_LONG && (!max_wait->is_set || waited_ns < max_wait->value))
    fail (self, "turned away for waiting too long after %" G_GINT64_FORMAT " only", waited_ns);
  if (answer != LAB_RUN && answer != LAB_SHED_WAITED_TOO_LONG)
    fail (self, "the answer from the line is '%s'", word (answer));
}

static void ask (Visitor *visitor);

static void
react (Visitor *visitor, LabAnswer answer)
{
  if (visitor->op->then == THEN_ASK && !visitor->is_second)
    ask (visitor + 1);
  else if (visitor->op->then == THEN_LIMITS)
    set_limits (visitor->simulation, &visitor->op->limits);
  else if (visitor->op->then == THEN_LEAVE && answer == LAB_RUN)
    leave (visitor);
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  Visitor *visitor = LAB_OWNER_OF (ticket, Visitor, ticket);
  Simulation *self = visitor->simulation;

  tell (self, visitor, word (answer));
  if (visitor->place != IN_LINE)
    {
      fail (self, "who does not wait is answered");
      return;
    }
  if (self->in_callback)
    fail (self, "a callback is called from inside another");
  check_answer_from_line (visitor, answer);
  model_leave_line (&self->model, visitor);
  if (answer == LAB_RUN)
    begin_work (visitor);
  else
    {
      self->model.counters.shed_waited_too_long++;
      go (visitor);
    }
  self->in_callback = TRUE;
  react (visitor, answer);
  self->in_callback = FALSE;
}

static void
ask (Visitor *visitor)
{
  Simulation *self = visitor->simulation;
  LabAdmissionCounters *counters = &self->model.counters;
  LabAnswer right = right_answer (&self->model);
  LabAnswer answer;

  lab_ticket_init (&visitor->ticket, answered);
  visitor->joined_ns = lab_clock_now (self->clock);
  self->model.asked++;
  answer = lab_admission_ask (self->admission, &visitor->ticket);
  tell (self, visitor, word (answer));
  if (answer != right)
    fail (self, "the answer is '%s', but should be '%s'", word (answer), word (right));
  if (answer == LAB_RUN)
    begin_work (visitor);
  else if (answer == LAB_WAIT)
    model_join (&self->model, visitor);
  else
    (*(answer == LAB_SHED_LINE_FULL ? &counters->shed_line_full : &counters->shed_waited_too_long))++;

  if (visitor->place == OUTSIDE)
    go (visitor);
  else if (visitor->op->patience_ns != LAB_NEVER)
    lab_timer_arm (&visitor->patience, visitor->joined_ns + visitor->op->patience_ns);
}

static void
play_next_op (LabTimer *timer)
{
  Simulation *self = LAB_OWNER_OF (timer, Simulation, next_op);
  const Op *op = &self->schedule->ops[self->n_played];

  if (op->kind == OP_ARRIVAL)
    ask (&self->visitors[2 * self->n_played]);
  else if (op->kind == OP_LIMITS)
    set_limits (self, &op->limits);
  else
    self->factor = op->factor;
  if (++self->n_played < self->schedule->n_ops)
    lab_timer_arm (&self->next_op, op[1].at_ns);
}

/* The invariants, after every event */

#define SAME(counter)                                                                                         \
  if (theirs->counter != ours->counter)                                                                       \
  fail (self, #counter " is %" G_GINT64_FORMAT ", but should be %" G_GINT64_FORMAT, (gint64) theirs->counter, \
        (gint64) ours->counter)

static void
check_counters (Simulation *self)
{
  const LabAdmissionCounters *theirs = lab_admission_counters (self->admission);
  const LabAdmissionCounters *ours = &self->model.counters;

  SAME (admitted);
  SAME (shed_line_full);
  SAME (shed_waited_too_long);
  SAME (cancelled);
  SAME (waiting);
  SAME (peak_waiting);
  SAME (running);
  if (theirs->admitted + theirs->shed_line_full + theirs->shed_waited_too_long + theirs->cancelled + theirs->waiting
      != self->model.asked)
    fail (self, "the counters do not add up to %" G_GUINT64_FORMAT " who asked", self->model.asked);
}

/* When the controller must have noticed what is due at @due_ns. */
static LabTime
noticed_at (const Simulation *self, LabTime due_ns)
{
  LabTime tick_ns = self->schedule->tick_ns;

  return tick_ns == 0 ? due_ns : (due_ns + tick_ns - 1) / tick_ns * tick_ns;
}

static void
check_line (Simulation *self)
{
  const Model *model = &self->model;
  LabTime now_ns = lab_clock_now (self->clock);
  LabTime head_wait_ns = model->first != NULL ? now_ns - model->first->joined_ns : 0;
  const LabLimit *max_wait = &model->limits.max_wait;

  if (lab_admission_head_wait (self->admission) != head_wait_ns)
    fail (self, "the first in line is said to have waited %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
          lab_admission_head_wait (self->admission), head_wait_ns);
  if (model->first == NULL)
    return;
  if (model->counters.running < model->limits.slots)
    fail (self, "a slot is free while somebody waits: %u of %u run, %u wait", model->counters.running,
          model->limits.slots, model->counters.waiting);
  if (max_wait->is_set && now_ns > noticed_at (self, model->first->joined_ns + max_wait->value))
    fail (self, "somebody waits for %" G_GINT64_FORMAT ", with a max_wait of %" G_GINT64_FORMAT, head_wait_ns,
          max_wait->value);
}

static gboolean
check_and_see_whether_it_failed (gpointer data)
{
  Simulation *self = data;

  self->verdict->events = lab_clock_events (self->clock);
  check_counters (self);
  check_line (self);
  if (self->verdict->events > (guint64) STEPS_PER_VISITOR * (self->schedule->n_ops + 1))
    fail (self, "it does not come to an end");
  return self->verdict->failure != NULL;
}

static gboolean
is_untouched (const Visitor *visitor)
{
  const guchar *bytes = (const guchar *) &visitor->ticket;

  for (gsize i = 0; i < sizeof visitor->ticket; i++)
    if (bytes[i] != POISON)
      return FALSE;
  return TRUE;
}

static void
check_end (Simulation *self)
{
  const LabAdmissionCounters *theirs = lab_admission_counters (self->admission);

  if (theirs->running != 0 || theirs->waiting != 0)
    fail (self, "at the end %u run and %u wait, for ever", theirs->running, theirs->waiting);
  if (lab_admission_limits (self->admission)->retry_after_s != self->model.limits.retry_after_s)
    fail (self, "retry_after_s is not kept");
  for (guint i = 0; i < 2 * self->schedule->n_ops; i++)
    if (self->visitors[i].is_gone && !is_untouched (&self->visitors[i]))
      fail (self, "the ticket of somebody who is gone was touched");
}

/* The whole */

static void
make_visitors (Simulation *self)
{
  self->visitors = g_new0 (Visitor, 2 * self->schedule->n_ops);
  for (guint i = 0; i < 2 * self->schedule->n_ops; i++)
    {
      Visitor *visitor = &self->visitors[i];

      visitor->simulation = self;
      visitor->op = &self->schedule->ops[i / 2];
      visitor->is_second = i % 2 == 1;
      lab_timer_init (&visitor->work, self->clock, work_is_done);
      lab_timer_init (&visitor->patience, self->clock, patience_is_over);
    }
}

void
simulation_run (const Schedule *schedule, Verdict *verdict, GString *log)
{
  Simulation self = { .schedule = schedule, .verdict = verdict, .log = log, .factor = 1 };

  *verdict = (Verdict) { 0 };
  self.clock = lab_clock_new_virtual (schedule->tick_ns);
  lab_clock_set_batch (self.clock, schedule->batch);
  self.model.limits = schedule->limits;
  self.admission = lab_admission_new (self.clock, &schedule->limits);
  make_visitors (&self);
  lab_timer_init (&self.next_op, self.clock, play_next_op);
  if (schedule->n_ops > 0)
    lab_timer_arm (&self.next_op, schedule->ops[0].at_ns);
  if (!lab_clock_run_until (self.clock, check_and_see_whether_it_failed, &self))
    check_end (&self);

  verdict->order_hash = lab_clock_order_hash (self.clock);
  verdict->admitted = self.model.counters.admitted;
  if (verdict->failure == NULL)
    lab_admission_free (self.admission);
  else
    g_free (self.admission); /* which would complain about who is left */
  lab_clock_free (self.clock);
  g_free (self.visitors);
}
