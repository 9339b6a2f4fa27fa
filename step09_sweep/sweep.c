#include "sweep.h"

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
  guint n_late = lab_settings (lab)->real_clock ? 0 : LAB_N_LATENESS_COLUMNS;
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns) - n_late);

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

      lab_table_add (table, values, G_N_ELEMENTS (values) - n_late);
    }
  lab_print_table (lab, table);
}

static double
steady_rps (GPtrArray *runs, guint i)
{
  const LabSummary *summary = summary_at (runs, i);

  return (double) lab_summary_steady_ok (summary) * LAB_S / lab_summary_steady_ns (summary);
}

void
sweep_check (Lab *lab, GPtrArray *runs, const LabPolicy *policies, const double *multiples, guint n_multiples)
{
  const LabSettings *settings = lab_settings (lab);
  gboolean is_overloaded = lab_policy_collapse (lab, policies[2 * n_multiples - 1].rate_rps) != LAB_NEVER;
  double lowest = G_MAXDOUBLE, highest = 0, fallen = 0;

  if (settings->duration_ns < (LAB_STEADY_FROM_S + 2) * LAB_S || !is_overloaded)
    {
      lab_skip (lab, "goodput stays flat as the offered load grows", "the run is too short, or there is no overload");
      return;
    }
  for (guint i = 0; i < n_multiples; i++)
    {
      LabTime collapse_ns = lab_policy_collapse (lab, policies[2 * i].rate_rps);

      if (multiples[i] < 1)
        lab_check (lab,
                   lab_summary_steady_ok (summary_at (runs, 2 * i))
                       == lab_summary_steady_ok (summary_at (runs, 2 * i + 1)),
                   "below the capacity protection costs nothing", "%.1f and %.1f per second at %.1fx",
                   steady_rps (runs, 2 * i), steady_rps (runs, 2 * i + 1), multiples[i]);
      if (multiples[i] <= 1)
        continue;
      lowest = MIN (lowest, steady_rps (runs, 2 * i + 1));
      highest = MAX (highest, steady_rps (runs, 2 * i + 1));
      if (collapse_ns <= LAB_STEADY_FROM_S * LAB_S)
        fallen = MAX (fallen, steady_rps (runs, 2 * i));
    }
  lab_check (lab, lowest >= 0.9 * highest && lowest > 0, "protected, goodput stays flat as the offered load grows",
             "%.1f to %.1f per second above the capacity", lowest, highest);
  lab_check (lab, fallen == 0, "without limits, goodput falls to nothing above the capacity", "%.1f per second",
             fallen);
}
