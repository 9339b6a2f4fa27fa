/* Which wait limit? A sweep over some shows that the goodput hardly moves, and
 * that the slowest answers do. */
#include "../common/lab/policy.h"

#define LINE_BUDGET_NS (LAB_S / 2)

static const LabTime max_waits_ns[] = { 300 * LAB_MS, 600 * LAB_MS, 900 * LAB_MS };

static const LabColumn columns[] = {
  { .key = "max_wait_s", .heading = "max_wait_s", .width = 11, .decimals = 1 },
  { .key = "goodput_rps", .heading = "goodput/s", .width = 11, .decimals = 1 },
  { .key = "p99_ms", .heading = "p99 ms", .width = 8 },
  { .key = "timeout", .heading = "timeout", .width = 9 },
  { .key = "shed", .heading = "shed", .width = 6 },
  LAB_LATENESS_COLUMNS,
};

static const LabSummary *
summary_at (GPtrArray *runs, guint i)
{
  const LabRun *run = g_ptr_array_index (runs, i);

  return run->summary;
}

static LabTime
p99 (const LabSummary *summary)
{
  return lab_histogram_quantile (lab_summary_latency (summary, LAB_OK), 990);
}

static void
print (Lab *lab, GPtrArray *runs)
{
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));

  for (guint i = 0; i < runs->len; i++)
    {
      const LabSummary *summary = summary_at (runs, i);
      const LabHistogram *lateness = lab_summary_lateness (summary);
      const LabValue values[] = {
        lab_seconds (max_waits_ns[i]),
        lab_rate (lab_summary_steady_ok (summary), lab_summary_steady_ns (summary)),
        lab_milliseconds (p99 (summary)),
        lab_count (lab_summary_count (summary, LAB_TIMEOUT)),
        lab_count (lab_summary_count (summary, LAB_SHED)),
        LAB_LATENESS_VALUES (lateness),
      };

      lab_table_add (table, values, G_N_ELEMENTS (values));
    }
  lab_print_table (lab, table);
}

static void
check (Lab *lab, GPtrArray *runs, double rate_rps, gint64 max_waiting)
{
  const LabSettings *settings = lab_settings (lab);
  const LabSummary *first = summary_at (runs, 0), *last = summary_at (runs, runs->len - 1);
  guint64 fewest = G_MAXUINT64, most = 0;
  LabTime work_ns = lab_expect_work_time (settings);
  LabTime line_wait_ns = lab_expect_line_wait (settings, max_waiting, work_ns);
  const char *why_not = lab_expect_why_not_judged (settings, line_wait_ns);
  guint64 share = settings->work == LAB_WORK_FIXED ? 20 : 5; /* of random works a few more or less */

  if (lab_summary_steady_ns (first) < MAX (2 * LAB_S, 20 * work_ns))
    why_not = "the run is too short";
  else if (why_not == NULL && lab_expect_collapse (settings, rate_rps) > settings->duration_ns / 4)
    why_not = "there is hardly any overload";
  else if (why_not == NULL && line_wait_ns < max_waits_ns[0] + 2 * (work_ns + settings->timer_tick_ns))
    why_not = "a full line hardly waits for longer than the shortest limit";
  if (why_not != NULL)
    {
      lab_skip (lab, "the wait limit does not move the goodput", "%s", why_not);
      return;
    }
  for (guint i = 0; i < runs->len; i++)
    {
      fewest = MIN (fewest, lab_summary_steady_ok (summary_at (runs, i)));
      most = MAX (most, lab_summary_steady_ok (summary_at (runs, i)));
    }
  lab_check (lab, (most - fewest) * share <= most, "the wait limit does not move the goodput",
             "%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " answered from second %d on", fewest, most,
             LAB_STEADY_FROM_S);
  lab_check (lab, p99 (first) < p99 (last), "a longer limit only lets the slowest wait longer", "p99 %.0f and %.0f ms",
             (double) p99 (first) / LAB_MS, (double) p99 (last) / LAB_MS);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "tune_wait",
                                                 .summary = "Choose the wait limit with data.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 6 * LAB_S },
                                 argc, argv);
  double capacity_rps = lab_capacity_rps (lab);
  gint64 max_waiting = lab_line_length (capacity_rps, LINE_BUDGET_NS);
  LabPolicy policies[G_N_ELEMENTS (max_waits_ns)];
  g_auto (GStrv) labels = g_new0 (char *, G_N_ELEMENTS (policies) + 1);
  g_autoptr (GPtrArray) runs = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    {
      labels[i] = g_strdup_printf ("wait limit %g s", (double) max_waits_ns[i] / LAB_S);
      policies[i] = (LabPolicy) { .label = labels[i],
                                  .rate_rps = 2 * capacity_rps,
                                  .max_waiting = LAB_AT_MOST (max_waiting),
                                  .max_wait = LAB_AT_MOST (max_waits_ns[i]) };
    }
  lab_print (lab, "offered %.0f/s for %g s, line capped at %" G_GINT64_FORMAT "\n", 2 * capacity_rps,
             (double) lab_settings (lab)->duration_ns / LAB_S, max_waiting);
  runs = lab_run_policies (lab, policies, G_N_ELEMENTS (policies));
  print (lab, runs);
  check (lab, runs, 2 * capacity_rps, max_waiting);
  return lab_finish (lab);
}
