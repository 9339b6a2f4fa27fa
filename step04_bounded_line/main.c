/* Step 4: cap the line, and with it the delay that it adds. */
#include "../common/lab/policy.h"

#define LINE_BUDGET_NS (LAB_S / 2) /* the delay that we are willing to add by queueing */

static void
check (Lab *lab, const LabRun *bare, const LabRun *capped, gint64 max_waiting, double rate_rps)
{
  const LabSettings *settings = lab_settings (lab);
  guint64 timeouts = lab_summary_count (capped->summary, LAB_TIMEOUT);
  guint64 bare_timeouts = lab_summary_count (bare->summary, LAB_TIMEOUT);
  const char *why_not = lab_expect_why_not_judged (
      settings, lab_expect_line_wait (settings, max_waiting, lab_expect_work_time (settings)));

  if (why_not == NULL && lab_expect_collapse (settings, rate_rps) > settings->duration_ns / 4)
    why_not = "the line outgrows the clients' patience too late in this run, or never";
  if (why_not == NULL && settings->work != LAB_WORK_FIXED)
    why_not = "some works alone outlast the clients' patience";
  if (why_not != NULL)
    {
      lab_skip (lab, "the bounded line rescues the service", "%s", why_not);
      return;
    }
  lab_check (lab, bare_timeouts > lab_summary_count (bare->summary, LAB_OK),
             "without limits the service collapses as in step 3", "%" G_GUINT64_FORMAT " time-outs", bare_timeouts);
  lab_check (lab, capped->peak_line == max_waiting, "the line grows to its cap and no further",
             "%u of %" G_GINT64_FORMAT, capped->peak_line, max_waiting);
  lab_check (lab, timeouts == 0, "behind the capped line no client times out",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, timeouts, lab_summary_offered (capped->summary));
  lab_check (lab, capped->wasted == 0, "behind the capped line no work is wasted",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " works", capped->wasted, capped->work);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step04_bounded_line",
                                                 .summary = "Cap the line to bound the delay.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 5 * LAB_S },
                                 argc, argv);
  double capacity_rps = lab_capacity_rps (lab);
  double rate_rps = 2 * capacity_rps;
  gint64 max_waiting = lab_line_length (capacity_rps, LINE_BUDGET_NS); /* Little's law: length = rate x time */
  g_autofree char *capped = g_strdup_printf ("line capped at %" G_GINT64_FORMAT, max_waiting);
  const LabPolicy policies[] = {
    { .label = "no limits", .rate_rps = rate_rps },
    { .label = capped, .rate_rps = rate_rps, .max_waiting = LAB_AT_MOST (max_waiting) },
  };
  g_autoptr (GPtrArray) runs = NULL;

  lab_print (lab, "%.0f/s x %.1f s budget -> a line of at most %" G_GINT64_FORMAT "\n", capacity_rps,
             (double) LINE_BUDGET_NS / LAB_S, max_waiting);
  runs = lab_run_policies (lab, policies, G_N_ELEMENTS (policies));
  lab_policy_print (lab, runs);
  lab_policy_add_timeline (lab, runs);
  check (lab, g_ptr_array_index (runs, 0), g_ptr_array_index (runs, 1), max_waiting, rate_rps);
  return lab_finish (lab);
}
