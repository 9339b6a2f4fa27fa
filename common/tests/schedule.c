#include "schedule.h"

#include "../loadgen/random.h"

#include <string.h>

#define MAX_OPS 150

/* Drawing one. What all ops of a schedule have in common is drawn first, so that
 * some schedules are crowded and some idle, some full of ties, some with limits
 * that hardly ever matter. */

typedef struct
{
  LabRandom random;
  guint grain;   /* all times are multiples of it */
  guint gap;     /* between arrivals, at most */
  guint work;    /* mean */
  guint wait;    /* the longest max_wait */
  guint waiting; /* the longest max_waiting */
  guint slots;
  guint percent_patient, percent_acting, percent_limits, percent_slower;
  gboolean is_exponential;
} Taste;

static guint
below (Taste *taste, guint n)
{
  return (guint) lab_random_below (&taste->random, n);
}

static gboolean
percent (Taste *taste, guint chance)
{
  return below (taste, 100) < chance;
}

static LabTime
span (Taste *taste, guint most)
{
  return (LabTime) below (taste, most + 1) * taste->grain;
}

static LabLimits
draw_limits (Taste *taste)
{
  LabLimits limits = { .slots = 1 + below (taste, taste->slots), .retry_after_s = below (taste, 5) };

  if (percent (taste, 60))
    limits.max_waiting = LAB_AT_MOST (below (taste, taste->waiting + 1));
  if (percent (taste, 60))
    limits.max_wait = LAB_AT_MOST (percent (taste, 10) ? 0 : span (taste, taste->wait));
  return limits;
}

static LabTime
draw_work (Taste *taste)
{
  if (taste->is_exponential)
    return lab_random_exponential (&taste->random, (LabTime) taste->work * taste->grain);
  return (LabTime) taste->work * taste->grain;
}

static Op
draw_op (Taste *taste, LabTime at_ns)
{
  Op op = { .kind = OP_ARRIVAL, .at_ns = at_ns, .patience_ns = LAB_NEVER };

  if (percent (taste, taste->percent_limits))
    op.kind = OP_LIMITS;
  else if (percent (taste, taste->percent_slower))
    op.kind = OP_SLOWER;
  op.limits = draw_limits (taste);
  op.factor = 1 + below (taste, 4);
  op.work_ns = draw_work (taste);
  if (!percent (taste, taste->percent_patient))
    op.patience_ns = span (taste, 2 * taste->work + 2);
  if (percent (taste, taste->percent_acting))
    op.then = THEN_ASK + below (taste, 3);
  return op;
}

Schedule *
schedule_new (guint64 seed)
{
  static const guint batches[] = { 1, 2, 7, 64, 1024 };
  Schedule *schedule = g_new0 (Schedule, 1);
  Taste taste = { 0 };
  LabTime at_ns = 0;

  lab_random_init (&taste.random, seed, 0);
  taste.grain = percent (&taste, 70) ? 1 : 10;
  taste.gap = 1 + below (&taste, 12);
  taste.work = 1 + below (&taste, 30);
  taste.wait = 1 + below (&taste, 60);
  taste.waiting = below (&taste, 10);
  taste.slots = 1 + below (&taste, 5);
  taste.percent_patient = 20 * below (&taste, 6);
  taste.percent_acting = 20 * below (&taste, 3);
  taste.percent_limits = 5 * below (&taste, 4);
  taste.percent_slower = below (&taste, 5);
  taste.is_exponential = percent (&taste, 50);

  schedule->seed = seed;
  schedule->tick_ns = percent (&taste, 50) ? 0 : 1 + span (&taste, 20);
  schedule->batch = batches[below (&taste, G_N_ELEMENTS (batches))];
  schedule->limits = draw_limits (&taste);
  schedule->n_ops = 2 + below (&taste, MAX_OPS - 1);
  schedule->ops = g_new (Op, schedule->n_ops);
  for (guint i = 0; i < schedule->n_ops; i++)
    {
      at_ns += span (&taste, taste.gap);
      schedule->ops[i] = draw_op (&taste, at_ns);
    }
  return schedule;
}

Schedule *
schedule_copy (const Schedule *schedule)
{
  Schedule *copy = g_memdup2 (schedule, sizeof *schedule);

  copy->ops = g_memdup2 (schedule->ops, schedule->n_ops * sizeof (Op));
  return copy;
}

void
schedule_free (Schedule *schedule)
{
  g_free (schedule->ops);
  g_free (schedule);
}

/* Shrinking (delta debugging: Zeller and Hildebrandt, "Simplifying and isolating
 * failure-inducing input", 2002): leave out ever smaller parts, as long as it
 * still fails. */

typedef gboolean (*Fails) (const Schedule *schedule);

static void
leave_out (Schedule *schedule, guint from, guint n)
{
  memmove (schedule->ops + from, schedule->ops + from + n, (schedule->n_ops - from - n) * sizeof (Op));
  schedule->n_ops -= n;
}

/* Takes @attempt over when it fails, too. Returns whether it did. */
static gboolean
take_over (Schedule **schedule, Schedule *attempt, Fails fails)
{
  if (!fails (attempt))
    {
      schedule_free (attempt);
      return FALSE;
    }
  schedule_free (*schedule);
  *schedule = attempt;
  return TRUE;
}

static gboolean
leave_out_what_can_be (Schedule **schedule, Fails fails)
{
  gboolean has_changed = FALSE;

  for (guint n = MAX ((*schedule)->n_ops / 2, 1); n > 0; n /= 2)
    for (guint from = 0; from + n <= (*schedule)->n_ops;)
      {
        Schedule *attempt = schedule_copy (*schedule);

        leave_out (attempt, from, n);
        if (take_over (schedule, attempt, fails))
          has_changed = TRUE;
        else
          from += n;
      }
  return has_changed;
}

/* Each does one thing of a list; FALSE: it is as simple as that already, or past
 * the end of the list. */

static gboolean
simplify_limits (LabLimits *limits, guint what)
{
  const LabLimits before = *limits;

  switch (what)
    {
    case 0:
      limits->max_wait = LAB_NO_LIMIT;
      return before.max_wait.is_set;
    case 1:
      limits->max_waiting = LAB_NO_LIMIT;
      return before.max_waiting.is_set;
    case 2:
      limits->slots = 1;
      return before.slots > 1;
    default:
      return FALSE;
    }
}

static gboolean
simplify_op (Op *op, LabTime earliest_ns, guint what)
{
  const Op before = *op;

  switch (what)
    {
    case 0:
      op->then = THEN_NOTHING;
      return before.then != THEN_NOTHING;
    case 1:
      op->patience_ns = LAB_NEVER;
      return before.patience_ns != LAB_NEVER;
    case 2:
      op->work_ns = 1;
      return before.work_ns > 1;
    case 3:
      op->at_ns = earliest_ns;
      return before.at_ns > earliest_ns;
    default:
      return FALSE;
    }
}

#define N_SIMPLIFICATIONS 8 /* at most, of an op and its limits */

/* The op at @i; after the last come the limits of the beginning. */
static gboolean
simplify (Schedule *schedule, guint i, guint what)
{
  Op *op = &schedule->ops[i];

  if (i == schedule->n_ops)
    return simplify_limits (&schedule->limits, what);
  if (what < N_SIMPLIFICATIONS / 2)
    return simplify_op (op, i > 0 ? op[-1].at_ns : 0, what);
  return simplify_limits (&op->limits, what - N_SIMPLIFICATIONS / 2);
}

static gboolean
simplify_what_can_be (Schedule **schedule, Fails fails)
{
  gboolean has_changed = FALSE;

  for (guint i = 0; i <= (*schedule)->n_ops; i++)
    for (guint what = 0; what < N_SIMPLIFICATIONS; what++)
      {
        Schedule *attempt = schedule_copy (*schedule);

        if (!simplify (attempt, i, what))
          schedule_free (attempt);
        else if (take_over (schedule, attempt, fails))
          has_changed = TRUE;
      }
  return has_changed;
}

/* What happens first happens at 0. */
static void
start_at_once (Schedule *schedule)
{
  LabTime first_ns = schedule->n_ops > 0 ? schedule->ops[0].at_ns : 0;

  for (guint i = 0; i < schedule->n_ops; i++)
    schedule->ops[i].at_ns -= first_ns;
}

Schedule *
schedule_shrink (const Schedule *schedule, Fails fails)
{
  Schedule *shrunk = schedule_copy (schedule);
  Schedule *attempt = schedule_copy (shrunk);

  attempt->tick_ns = 0;
  take_over (&shrunk, attempt, fails);
  attempt = schedule_copy (shrunk);
  attempt->batch = 1;
  take_over (&shrunk, attempt, fails);
  while (leave_out_what_can_be (&shrunk, fails) || simplify_what_can_be (&shrunk, fails))
    continue;
  attempt = schedule_copy (shrunk);
  start_at_once (attempt);
  take_over (&shrunk, attempt, fails);
  return shrunk;
}

/* Printing */

static void
print_limit (const char *name, LabLimit limit, GString *text)
{
  if (limit.is_set)
    g_string_append_printf (text, ", %s %" G_GINT64_FORMAT, name, limit.value);
  else
    g_string_append_printf (text, ", no %s", name);
}

void
schedule_print_limits (const LabLimits *limits, GString *text)
{
  g_string_append_printf (text, "%u slot%s", limits->slots, limits->slots == 1 ? "" : "s");
  print_limit ("max_waiting", limits->max_waiting, text);
  print_limit ("max_wait", limits->max_wait, text);
}

static void
print_arrival (const Op *op, guint number, GString *text)
{
  g_string_append_printf (text, "%u asks, with a work of %" G_GINT64_FORMAT, number, op->work_ns);
  if (op->patience_ns != LAB_NEVER)
    g_string_append_printf (text, "; hangs up after %" G_GINT64_FORMAT, op->patience_ns);
  switch (op->then)
    {
    case THEN_ASK:
      g_string_append_printf (text, "; when called from the line, %u' asks", number);
      break;
    case THEN_LEAVE:
      g_string_append (text, "; when called from the line, leaves at once");
      break;
    case THEN_LIMITS:
      g_string_append (text, "; when called from the line, sets ");
      schedule_print_limits (&op->limits, text);
      break;
    case THEN_NOTHING:
    default:
      break;
    }
}

void
schedule_print (const Schedule *schedule, GString *text)
{
  g_string_append_printf (text, "  timer tick %" G_GINT64_FORMAT ", batches of %u, ", schedule->tick_ns,
                          schedule->batch);
  schedule_print_limits (&schedule->limits, text);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < schedule->n_ops; i++)
    {
      const Op *op = &schedule->ops[i];

      g_string_append_printf (text, "  at %3" G_GINT64_FORMAT "  ", op->at_ns);
      if (op->kind == OP_ARRIVAL)
        print_arrival (op, i, text);
      else if (op->kind == OP_SLOWER)
        g_string_append_printf (text, "works take %u times as long", op->factor);
      else
        schedule_print_limits (&op->limits, text);
      g_string_append_c (text, '\n');
    }
}
