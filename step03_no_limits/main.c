/* Step 3: watch an unprotected service collapse under twice its capacity. */
#include "../common/lab/policy.h"
#include "../common/loadgen/arrivals.h"

static void
check (Lab *lab, const LabRun *run, double rate_rps)
{
  const LabSettings *settings = lab_settings (lab);
  guint64 offered = lab_summary_offered (run->summary);
  guint64 ok = lab_summary_count (run->summary, LAB_OK);
  guint64 timeout = lab_summary_count (run->summary, LAB_TIMEOUT);
  LabTime median_ns = lab_histogram_quantile (lab_summary_latency (run->summary, LAB_OK), 500);
  LabTime collapse_ns = lab_expect_collapse (settings, rate_rps);
  gboolean is_even = settings->arrivals == LAB_ARRIVALS_CONSTANT && settings->work == LAB_WORK_FIXED;
  guint n_seconds;
  const LabSecond *seconds = lab_summary_by_second (run->summary, &n_seconds);
  guint64 late = 0, late_ok = 0;
  const char *why_not = lab_expect_why_not_judged (settings, 0);

  if (why_not == NULL && collapse_ns > settings->duration_ns / 4)
    why_not = "the line outgrows the clients' patience too late in this run, or never";
  if (why_not == NULL && settings->duration_ns * 2 < (settings->client_timeout_ns + collapse_ns) * (is_even ? 3 : 5))
    why_not = "the run is hardly longer than the clients' patience";
  if (why_not != NULL)
    {
      lab_skip (lab, "the service collapses", "%s", why_not);
      return;
    }
  for (guint i = (guint) (collapse_ns / LAB_S + 1); i < n_seconds; i++)
    {
      late += seconds[i].arrived;
      late_ok += seconds[i].ok;
    }
  if (is_even)
    lab_check (lab, late_ok == 0, "once the line outgrows their patience, not one client is answered in time",
               "%" G_GUINT64_FORMAT " answered after %.1f s", late_ok, (double) collapse_ns / LAB_S);
  else /* chance decides when it does */
    lab_check (lab, late_ok * 4 <= late, "once the line outgrows their patience, few clients are answered in time",
               "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " after %.1f s", late_ok, late,
               (double) collapse_ns / LAB_S);
  lab_check (lab, timeout > ok, "most clients give up", "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, timeout,
             offered);
  lab_check (lab, run->wasted * 2 > run->work, "most of the work is wasted",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " works", run->wasted, run->work);
  if (!is_even && lab_expect_steady_rps (settings) * (double) settings->client_timeout_ns / LAB_S < 60)
    lab_skip (lab, "the median of the survivors looks fine all the same", "they are few, and chance picks them");
  else
    lab_check (lab, median_ns >= 0 && median_ns * 4 < settings->client_timeout_ns * 3,
               "the median of the survivors looks fine all the same", "%.0f ms, while %.0f %% of the requests failed",
               (double) median_ns / LAB_MS, 100.0 * (offered - ok) / offered);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step03_no_limits",
                                                 .summary = "Watch an unprotected service collapse.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 5 * LAB_S },
                                 argc, argv);
  const LabSettings *settings = lab_settings (lab);
  double capacity_rps = lab_capacity_rps (lab);
  double rate_rps = 2 * capacity_rps;
  const LabPolicy policy = { .label = "no limits", .rate_rps = rate_rps };
  g_autoptr (GPtrArray) runs = NULL;

  lab_print (lab, "capacity %.0f/s, offering %.0f/s for %g s, clients give up after %g s\n", capacity_rps, rate_rps,
             (double) settings->duration_ns / LAB_S, (double) settings->client_timeout_ns / LAB_S);
  runs = lab_run_policies (lab, &policy, 1);
  lab_policy_print (lab, runs);
  lab_print (lab, "\n");
  lab_print_table (lab, lab_policy_add_by_second (lab, runs));
  lab_policy_add_timeline (lab, runs);
  check (lab, g_ptr_array_index (runs, 0), rate_rps);
  return lab_finish (lab);
}
