#include "sweep.h"

#include "../common/loadgen/arrivals.h"

static const LabColumn columns[] = {
  { .key = "multiple", .heading = "offered", .width = 9, .decimals = 1, .suffix = "x" },
  { .key = "offered_rps" },
  { .key = "no_limits_rps", .heading = "no limits", .width = 12, .decimals = 1 },
  { .key = "protected_rps", .heading = "protected", .width = 12, .decimals = 1 },
  LAB_LATENESS_COLUMNS,
};

static const LabSummary *
summary_at (GPtrArray *runs, guint i)
{
  const LabRun *run = g_ptr_array_index (runs, i);

  return run->summary;
}

static LabValue
steady_goodput (const LabSummary *summary)
{
  return lab_rate (lab_summary_steady_ok (summary), lab_summary_steady_ns (summary));
}

/* The later generator of the pair. */
static const LabHistogram *
lateness_of_pair (GPtrArray *runs, guint i)
{
  const LabHistogram *bare = lab_summary_lateness (summary_at (runs, 2 * i));
  const LabHistogram *safe = lab_summary_lateness (summary_at (runs, 2 * i + 1));

  return lab_histogram_max (bare) > lab_histogram_max (safe) ? bare : safe;
}

void
sweep_print (Lab *lab, GPtrArray *runs, const LabPolicy *policies, const double *multiples, guint n_multiples)
{
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));

  for (guint i = 0; i < n_multiples; i++)
    {
      const LabHistogram *lateness = lateness_of_pair (runs, i);
      const LabValue values[] = {
        lab_rps (multiples[i]),
        lab_rps (policies[2 * i].rate_rps),
        steady_goodput (summary_at (runs, 2 * i)),
        steady_goodput (summary_at (runs, 2 * i + 1)),
        LAB_LATENESS_VALUES (lateness),
      };

      lab_table_add (table, values, G_N_ELEMENTS (values));
    }
  lab_print_table (lab, table);
}

static double
steady_rps (GPtrArray *runs, guint i)
{
  const LabSummary *summary = summary_at (runs, i);

  return (double) lab_summary_steady_ok (summary) * LAB_S / lab_summary_steady_ns (summary);
}

/* Below what the slots give the two services do the same; what a random burst may shed is
 * left aside. */
static void
check_below (Lab *lab, GPtrArray *runs, guint i, double multiple)
{
  guint64 bare = lab_summary_steady_ok (summary_at (runs, 2 * i));
  guint64 safe = lab_summary_steady_ok (summary_at (runs, 2 * i + 1));

  if (lab_settings (lab)->arrivals != LAB_ARRIVALS_CONSTANT || lab_settings (lab)->work != LAB_WORK_FIXED)
    lab_skip (lab, "below the capacity protection costs nothing", "a random burst may be shed");
  else
    lab_check (lab, bare == safe, "below the capacity protection costs nothing", "%.1f and %.1f per second at %.1fx",
               steady_rps (runs, 2 * i), steady_rps (runs, 2 * i + 1), multiple);
}

void
sweep_check (Lab *lab, GPtrArray *runs, const LabPolicy *policies, const double *multiples, guint n_multiples,
             LabTime max_wait_ns)
{
  const LabSettings *settings = lab_settings (lab);
  double expected = lab_expect_steady_rps (settings), lowest = G_MAXDOUBLE, highest = 0, fallen = 0;
  gboolean is_even = settings->work == LAB_WORK_FIXED && settings->arrivals == LAB_ARRIVALS_CONSTANT;
  double slack = is_even ? 0.1 : 0.3; /* a short run of random works strays */
  const char *why_not = lab_expect_why_not_judged (settings, max_wait_ns);
  LabTime steady_ns = lab_summary_steady_ns (summary_at (runs, 0));

  if (steady_ns < MAX (2 * LAB_S, 10 * lab_expect_work_time (lab_settings (lab)))
      || (!is_even && expected * (double) steady_ns / LAB_S < 300))
    why_not = "the run is too short";
  else if (why_not == NULL && policies[2 * n_multiples - 1].rate_rps < 1.1 * expected)
    why_not = "there is no overload";
  if (why_not != NULL)
    {
      lab_skip (lab, "protected, goodput stays flat as the offered load grows", "%s", why_not);
      return;
    }
  for (guint i = 0; i < n_multiples; i++)
    {
      if (multiples[i] < 1 && policies[2 * i].rate_rps < 0.9 * expected)
        check_below (lab, runs, i, multiples[i]);
      if (policies[2 * i].rate_rps < 1.1 * expected)
        continue;
      lowest = MIN (lowest, steady_rps (runs, 2 * i + 1));
      highest = MAX (highest, steady_rps (runs, 2 * i + 1));
      /* With some margin, more of it where chance decides: nobody from second 2 on may
       * still be in time. */
      if (lab_expect_collapse (settings, policies[2 * i].rate_rps)
          <= LAB_STEADY_FROM_S * LAB_S * (is_even ? 19 : 8) / 20)
        fallen = MAX (fallen, steady_rps (runs, 2 * i));
    }
  lab_check (lab, lowest >= (1 - slack) * expected && highest <= (1 + slack) * expected,
             "protected, goodput stays flat at the capacity as the offered load grows",
             "%.1f to %.1f per second, the slots give %.1f", lowest, highest, expected);
  lab_check (lab, fallen <= (is_even ? 0 : 0.1 * expected),
             "without limits, goodput falls to nothing above the capacity", "%.1f per second", fallen);
}
