/* A burst that is soon over, and a service that stays down: the retries are now the
 * overload. */
#include "../common/lab/policy.h"
#include "storm.h"

#define LOAD 0.5 /* of the capacity: far from an overload */
#define BURST 3  /* times the capacity, on top */
#define BURST_FROM_NS (5 * LAB_S)
#define BURST_NS (2 * LAB_S)

#define LINE_BUDGET_NS (LAB_S / 2)
#define MAX_WAIT_NS (300 * LAB_MS)
#define TRIES 3
#define BUDGET_RATIO 0.1
#define BUDGET_BURST 10

static void
describe (Lab *lab, const Storm *storm)
{
  LabResults *results = lab_results (lab);
  double from_s = (double) storm->burst_from_ns / LAB_S, burst_s = (double) storm->burst_ns / LAB_S;

  lab_print (lab, "%.0f users per second for %g s; ", storm->rate_rps,
             (double) lab_settings (lab)->duration_ns / LAB_S);
  if (storm->has_burst)
    lab_print (lab, "from second %g to %g, %.0f more\n", from_s, from_s + burst_s, storm->burst_rps);
  else
    lab_print (lab, "too short for a burst\n");
  lab_results_setting (results, "rate_rps", lab_rps (storm->rate_rps));
  lab_results_setting (results, "burst_rps", storm->has_burst ? lab_rps (storm->burst_rps) : lab_none ());
  lab_results_setting (results, "burst_from_s", lab_seconds (storm->burst_from_ns));
  lab_results_setting (results, "burst_s", lab_seconds (storm->burst_ns));
}

static void
start (Lab *lab, Trial *trials[N_TRIALS], const Storm *storm, gint64 max_waiting)
{
  const LabSettings *settings = lab_settings (lab);
  const LabLimits none = { .slots = (guint) settings->slots };
  const LabLimits limits = { .slots = (guint) settings->slots,
                             .max_waiting = LAB_AT_MOST (max_waiting),
                             .max_wait = LAB_AT_MOST (MAX_WAIT_NS) };
  /* Nobody tells the service that a client has gone: it works on. */
  const CrowdOptions once = { .tries = 1,
                              .client_timeout_ns = settings->client_timeout_ns,
                              .budget_ratio = BUDGET_RATIO,
                              .budget_burst = BUDGET_BURST };
  CrowdOptions again = once, within_budget;

  again.tries = TRIES;
  again.retries_timeouts = TRUE;
  within_budget = again;
  within_budget.keeps_budget = TRUE;
  trials[BARE] = trial_start (lab, "no retries", storm->rate_rps, &none, &once);
  trials[RETRIED] = trial_start (lab, "retries", storm->rate_rps, &none, &again);
  trials[PROTECTED] = trial_start (lab, "retries + limits", storm->rate_rps, &limits, &again);
  trials[BUDGETED] = trial_start (lab, "retries + budget", storm->rate_rps, &none, &within_budget);
  for (guint i = 0; i < N_TRIALS && storm->has_burst; i++)
    trial_add_burst (lab, trials[i], storm->burst_rps, storm->burst_from_ns, storm->burst_ns);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "retry_storm",
                                                 .summary = "Let a burst pass, and see what the retries make of it.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 30 * LAB_S },
                                 argc, argv);
  double capacity_rps = lab_capacity_rps (lab);
  const Storm storm = { .rate_rps = LOAD * capacity_rps,
                        .burst_rps = BURST * capacity_rps,
                        .burst_from_ns = BURST_FROM_NS,
                        .burst_ns = BURST_NS,
                        .has_burst = BURST_FROM_NS + BURST_NS <= lab_settings (lab)->duration_ns,
                        .max_wait_ns = MAX_WAIT_NS,
                        .tries = TRIES,
                        .budget_ratio = BUDGET_RATIO };
  Trial *trials[N_TRIALS];

  describe (lab, &storm);
  start (lab, trials, &storm, lab_line_length (capacity_rps, LINE_BUDGET_NS));
  trials_run (lab, trials, N_TRIALS);
  storm_print (lab, trials, &storm);
  storm_add_by_second (lab, trials);
  storm_check (lab, trials, &storm);
  for (guint i = 0; i < N_TRIALS; i++)
    trial_free (trials[i]);
  return lab_finish (lab);
}
