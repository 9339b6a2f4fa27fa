/* The theory of queues as an oracle: queues whose answers are known from formulas,
 * run through the lab's own generator, controller and service. A simulation whose
 * 99 % confidence interval does not hold the formula's value fails.
 *
 * Each queue is run with N_SEEDS seeds; the readings of the seeds are independent,
 * so their mean and spread give the interval (Student's t). The virtual clock makes
 * the outcome a fact and not a chance: these seeds give these bytes on every
 * machine. With other seeds one of the six intervals misses in one of 17 runs, as
 * 99 % intervals must. */
#include <math.h>

#include "../lab/lab.h"
#include "formulas.h"
#include "queue.h"

#define N_SEEDS 20
#define STUDENT_T 2.8609 /* 99.5 % quantile for N_SEEDS - 1 degrees of freedom */
#define SERVICE_NS (50 * LAB_MS)
#define SERVICE_S 0.05
#define MAX_WAIT_NS (100 * LAB_MS)
#define ONE_PERCENT_REQUESTS 20000000 /* what the mean wait of M/M/4 wants for a 99 % interval of 1 % */

enum
{
  TURNED_AWAY,
  MEAN_WAIT,
  N_READINGS
};

typedef struct
{
  const char *name;
  LabQueue queue;
  double theory[N_READINGS];
  const char *formula[N_READINGS]; /* NULL: this reading is not held against anything */
} Case;

typedef struct
{
  double mean, half_width;
} Interval;

static const LabColumn columns[] = {
  { .key = "queue", .heading = "queue", .width = -15 },
  { .key = "reading", .heading = "reading", .width = -16 },
  { .key = "theory", .heading = "theory", .width = 10, .decimals = 5 },
  { .key = "simulated", .heading = "simulated", .width = 11, .decimals = 5 },
  { .key = "difference_percent", .heading = "diff.", .width = 9, .decimals = 3, .suffix = "%" },
  { .key = "interval_percent", .heading = "99 % +/-", .width = 10, .decimals = 3, .suffix = "%" },
  { .key = "within", .heading = "within", .width = 8 },
  { .key = "formula", .heading = "formula", .width = -46 },
};

static const LabColumn little_columns[] = {
  { .key = "queue", .heading = "queue", .width = -15 },
  { .key = "requests", .heading = "requests", .width = 10 },
  { .key = "inside", .heading = "L inside", .width = 10, .decimals = 5 },
  { .key = "arrivals_rps", .heading = "lambda /s", .width = 11, .decimals = 4 },
  { .key = "time_inside_ms", .heading = "W ms", .width = 10, .decimals = 4 },
  { .key = "arrivals_times_time", .heading = "lambda W", .width = 10, .decimals = 5 },
  { .key = "difference_ns", .heading = "difference in request-ns", .width = 26 },
};

static void
fill_in_theory (Case cases[5])
{
  LabLimits bounded = { .slots = 4, .max_waiting = LAB_AT_MOST (0) };
  Case *impatient = &cases[4];

  cases[0] = (Case) { "M/M/4/4", { bounded, LAB_WORK_EXPONENTIAL, SERVICE_NS, 80 }, { 0 }, { "Erlang B (1917)" } };
  cases[0].theory[TURNED_AWAY] = lab_theory_erlang_b (4, 80 * SERVICE_S);
  bounded.max_waiting = LAB_AT_MOST (4);
  cases[1] = (Case) { "M/M/4/8", { bounded, LAB_WORK_EXPONENTIAL, SERVICE_NS, 80 }, { 0 }, { "birth-death chain" } };
  cases[1].theory[TURNED_AWAY] = lab_theory_full_share (4, 8, 80 * SERVICE_S);
  cases[2] = (Case) { "M/M/4", { { .slots = 4 }, LAB_WORK_EXPONENTIAL, SERVICE_NS, 64 }, { 0 }, { NULL } };
  cases[2].formula[MEAN_WAIT] = "Erlang C (1917)";
  cases[2].theory[MEAN_WAIT] = lab_theory_mean_wait_s (4, 64, SERVICE_S);
  cases[3] = (Case) { "M/D/1", { { .slots = 1 }, LAB_WORK_FIXED, SERVICE_NS, 16 }, { 0 }, { NULL } };
  cases[3].formula[MEAN_WAIT] = "Pollaczek (1930), Khintchine (1932)";
  cases[3].theory[MEAN_WAIT] = lab_theory_fixed_work_wait_s (16, SERVICE_S);
  *impatient
      = (Case) { .name = "M/M/4 + 0.1 s",
                 .queue
                 = { { .slots = 4, .max_wait = LAB_AT_MOST (MAX_WAIT_NS) }, LAB_WORK_EXPONENTIAL, SERVICE_NS, 96 },
                 .formula = { "Baccelli, Hebuterne (1981)", "Baccelli, Hebuterne (1981)" } };
  lab_theory_impatience (4, 96, SERVICE_S, (double) MAX_WAIT_NS / LAB_S, &impatient->theory[TURNED_AWAY],
                         &impatient->theory[MEAN_WAIT]);
}

static Interval
interval_of (const double values[N_SEEDS])
{
  double sum = 0, squares = 0;

  for (guint i = 0; i < N_SEEDS; i++)
    sum += values[i];
  for (guint i = 0; i < N_SEEDS; i++)
    squares += (values[i] - sum / N_SEEDS) * (values[i] - sum / N_SEEDS);
  return (Interval) { .mean = sum / N_SEEDS, .half_width = STUDENT_T * sqrt (squares / (N_SEEDS - 1) / N_SEEDS) };
}

static LabValue
rounded (double value)
{
  return lab_decimal (llrint (value * 1e6), 6);
}

static void
add_reading (Lab *lab, LabTable *table, const Case *one, guint reading, const double values[N_SEEDS],
             gboolean judge_width)
{
  Interval interval = interval_of (values);
  double theory = one->theory[reading];
  double difference = (interval.mean - theory) / theory * 100;
  double half_width = interval.half_width / theory * 100;
  gboolean within = fabs (interval.mean - theory) <= interval.half_width;
  double shown = reading == MEAN_WAIT ? 1000 : 1;
  const char *name = reading == MEAN_WAIT ? "mean wait, ms" : "turned away";
  g_autofree char *claim = g_strdup_printf ("%s, %s: the simulation agrees with theory", one->name, name);
  g_autofree char *narrow = g_strdup_printf ("%s, %s: its interval is no wider than 1 %%", one->name, name);

  lab_table_add (table, LAB_ROW (lab_text (one->name), lab_text (name), rounded (theory * shown),
                                 rounded (interval.mean * shown), rounded (difference), rounded (half_width),
                                 lab_boolean (within), lab_text (one->formula[reading])));
  lab_check (lab, within, claim, "%+.3f %%, 99 %% interval +/- %.3f %%", difference, half_width);
  if (judge_width)
    lab_check (lab, half_width <= 1, narrow, "%.3f %%", half_width);
}

static void
add_little (Lab *lab, LabTable *table, const Case *one, const LabQueueReading *all, guint n_agreeing)
{
  g_autofree char *claim = g_strdup_printf ("%s: Little's law, L = lambda W", one->name);
  gint64 difference_ns = all->inside_over_time_ns - all->time_over_requests_ns;

  lab_table_add (
      table, LAB_ROW (lab_text (one->name), lab_count (all->requests),
                      lab_ratio (all->inside_over_time_ns, all->lasted_ns), lab_rate (all->requests, all->lasted_ns),
                      lab_ratio (all->time_over_requests_ns / LAB_US, (gint64) all->requests * 1000),
                      lab_ratio (all->time_over_requests_ns, all->lasted_ns), lab_decimal (difference_ns, 0)));
  lab_check (lab, n_agreeing == N_SEEDS, claim,
             "in %u of %d runs, to the last of %" G_GINT64_FORMAT " request-nanoseconds", n_agreeing, N_SEEDS,
             all->time_over_requests_ns);
}

/* All seeds of one queue; their areas are added up in *all, and in *n_agreeing are the
 * runs that Little's law held for. FALSE: a signal came. */
static gboolean
run_seeds (Lab *lab, const LabQueue *queue, guint64 requests, guint64 first_seed, double values[N_READINGS][N_SEEDS],
           LabQueueReading *all, guint *n_agreeing)
{
  *all = (LabQueueReading) { 0 };
  *n_agreeing = 0;
  for (guint i = 0; i < N_SEEDS && !lab_is_interrupted (lab); i++)
    {
      LabQueueReading reading = lab_queue_simulate (lab_clock (lab), queue, requests / N_SEEDS, first_seed + i);

      values[TURNED_AWAY][i] = reading.turned_away;
      values[MEAN_WAIT][i] = reading.mean_wait_s;
      *n_agreeing += reading.inside_over_time_ns == reading.time_over_requests_ns;
      all->inside_over_time_ns += reading.inside_over_time_ns;
      all->time_over_requests_ns += reading.time_over_requests_ns;
      all->lasted_ns += reading.lasted_ns;
      all->requests += reading.requests;
    }
  return !lab_is_interrupted (lab);
}

int
main (int argc, char *argv[])
{
  gint64 requests = ONE_PERCENT_REQUESTS, first_seed = 1;
  const LabOption own[] = {
    { .name = "requests",
      .kind = LAB_OPTION_COUNT,
      .value = &requests,
      .min = 400000,
      .max = 1000000000,
      .unit = "N",
      .help = "requests of each queue, over all its seeds" },
    { .name = "first-seed",
      .kind = LAB_OPTION_COUNT,
      .value = &first_seed,
      .max = G_MAXINT32,
      .unit = "N",
      .help = "the seeds are this one and the 19 after it" },
  };
  g_autoptr (Lab) lab
      = lab_new (&(LabProgram) { .name = "theory",
                                 .summary = "Hold the simulation against the formulas of queueing theory.",
                                 .own = own,
                                 .n_own = G_N_ELEMENTS (own) },
                 argc, argv);
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));
  LabTable *little
      = lab_results_table (lab_results (lab), "little", TRUE, little_columns, G_N_ELEMENTS (little_columns));
  Case cases[5];

  lab_results_setting (lab_results (lab), "requests", lab_count ((guint64) requests));
  lab_results_setting (lab_results (lab), "first_seed", lab_count ((guint64) first_seed));
  lab_results_setting (lab_results (lab), "seeds", lab_count (N_SEEDS));
  fill_in_theory (cases);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double values[N_READINGS][N_SEEDS];
      LabQueueReading all;
      guint n_agreeing;

      if (!run_seeds (lab, &cases[i].queue, (guint64) requests, (guint64) first_seed, values, &all, &n_agreeing))
        break;
      for (guint reading = 0; reading < N_READINGS; reading++)
        if (cases[i].formula[reading] != NULL)
          add_reading (lab, table, &cases[i], reading, values[reading], requests >= ONE_PERCENT_REQUESTS);
      add_little (lab, little, &cases[i], &all, n_agreeing);
    }
  lab_print_table (lab, table);
  lab_print (lab, "\n");
  lab_print_table (lab, little);
  return lab_finish (lab);
}
