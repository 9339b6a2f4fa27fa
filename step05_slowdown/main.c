/* Step 5: a count is not a time, so limit the wait as well. */
#include "../common/lab/policy.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define MAX_WAIT_NS (300 * LAB_MS)
#define SLOW_AFTER_NS (3 * LAB_S)
#define SLOWDOWN 4 /* a dependency becomes so many times slower */

static guint
slowdown (LabTime elapsed_ns)
{
  return elapsed_ns > SLOW_AFTER_NS ? SLOWDOWN : 1;
}

static void
check (Lab *lab, const LabRun *capped, const LabRun *limited, gint64 max_waiting, double rate_rps)
{
  const LabSettings *settings = lab_settings (lab);
  LabTime slow_work_ns = lab_expect_takes (settings, SLOWDOWN * settings->service_time_ns);
  double slow_rps = (double) settings->slots * LAB_S / slow_work_ns;
  LabTime slow_wait_ns = lab_expect_line_wait (settings, max_waiting, slow_work_ns);
  guint64 capped_timeouts = lab_summary_count (capped->summary, LAB_TIMEOUT);
  guint64 limited_timeouts = lab_summary_count (limited->summary, LAB_TIMEOUT);
  const char *why_not = lab_expect_why_not_judged (settings, MAX_WAIT_NS + slow_work_ns);
  double slow_ns = (double) (settings->duration_ns - SLOW_AFTER_NS);
  /* The line outgrows the patience by the middle of the slow time, and its cap lets it. */
  gboolean is_slow_enough = slow_ns >= 4 * LAB_S && slow_wait_ns >= settings->client_timeout_ns * 5 / 4
                            && (rate_rps - slow_rps) * slow_ns / 2 >= slow_rps * settings->client_timeout_ns;

  if (why_not == NULL && settings->work != LAB_WORK_FIXED)
    why_not = "some works alone outlast the clients' patience";
  if (why_not != NULL || !is_slow_enough)
    lab_skip (lab, "after the slowdown the cap alone lets clients time out", "%s",
              why_not != NULL ? why_not : "the slow line is not long enough");
  else
    lab_check (lab, capped_timeouts > 0, "after the slowdown the cap alone lets clients time out",
               "%" G_GUINT64_FORMAT " time-outs, %" G_GUINT64_FORMAT " works wasted", capped_timeouts, capped->wasted);
  if (why_not != NULL)
    lab_skip (lab, "with the wait limit no client times out", "%s", why_not);
  else
    {
      lab_check (lab, limited_timeouts == 0, "with the wait limit no client times out",
                 "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, limited_timeouts,
                 lab_summary_offered (limited->summary));
      lab_check (lab, limited->wasted == 0, "with the wait limit no work is wasted",
                 "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " works", limited->wasted, limited->work);
    }
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step05_slowdown",
                                                 .summary = "Limit the wait as well: a count is not a time.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 8 * LAB_S },
                                 argc, argv);
  double capacity_rps = lab_capacity_rps (lab);
  double rate_rps = 0.8 * capacity_rps; /* a healthy service copes easily */
  gint64 max_waiting = lab_line_length (capacity_rps, LINE_BUDGET_NS);
  g_autofree char *capped = g_strdup_printf ("line capped at %" G_GINT64_FORMAT, max_waiting);
  g_autofree char *limited = g_strdup_printf ("cap %" G_GINT64_FORMAT " + wait limit 0.3 s", max_waiting);
  const LabPolicy policies[] = {
    { .label = capped, .rate_rps = rate_rps, .slowdown = slowdown, .max_waiting = LAB_AT_MOST (max_waiting) },
    { .label = limited,
      .rate_rps = rate_rps,
      .slowdown = slowdown,
      .max_waiting = LAB_AT_MOST (max_waiting),
      .max_wait = LAB_AT_MOST (MAX_WAIT_NS) },
  };
  g_autoptr (GPtrArray) runs = NULL;

  lab_results_setting (lab_results (lab), "slow_after_s", lab_seconds (SLOW_AFTER_NS));
  lab_print (lab, "offering %.0f/s (80%% of capacity); after %.0f s every request takes %dx longer\n", rate_rps,
             (double) SLOW_AFTER_NS / LAB_S, SLOWDOWN);
  runs = lab_run_policies (lab, policies, G_N_ELEMENTS (policies));
  lab_policy_print (lab, runs);
  lab_policy_add_timeline (lab, runs);
  check (lab, g_ptr_array_index (runs, 0), g_ptr_array_index (runs, 1), max_waiting, rate_rps);
  return lab_finish (lab);
}
