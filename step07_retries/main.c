/* Step 7: three ways for clients to take a 503, and what each costs the service. */
#include "../common/lab/policy.h"
#include "crowds.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define MAX_WAIT_NS (300 * LAB_MS)
#define RETRY_AFTER_S 1
#define TRIES 3
#define BUDGET_RATIO 0.1
#define BUDGET_BURST 10

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step07_retries",
                                                 .summary = "Make clients part of the solution.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 6 * LAB_S },
                                 argc, argv);
  const LabSettings *settings = lab_settings (lab);
  double capacity_rps = lab_capacity_rps (lab);
  double rate_rps = 2 * capacity_rps;
  const LabLimits limits = { .slots = (guint) settings->slots,
                             .max_waiting = LAB_AT_MOST (lab_line_length (capacity_rps, LINE_BUDGET_NS)),
                             .max_wait = LAB_AT_MOST (MAX_WAIT_NS),
                             .retry_after_s = RETRY_AFTER_S };
  const CrowdOptions none = { .tries = 1,
                              .client_timeout_ns = settings->client_timeout_ns,
                              .hangs_up = TRUE,
                              .budget_ratio = BUDGET_RATIO,
                              .budget_burst = BUDGET_BURST,
                              .seed = (guint64) settings->seed };
  CrowdOptions immediate = none, polite;
  Trial *trials[3];

  immediate.tries = TRIES;
  polite = immediate;
  polite.heeds_retry_after = TRUE;
  polite.keeps_budget = TRUE;
  lab_print (lab, "service capacity %.0f/s, %.0f new users per second for %g s\n", capacity_rps, rate_rps,
             (double) settings->duration_ns / LAB_S);
  trials[0] = trial_start (lab, "no retries", rate_rps, &limits, &none);
  trials[1] = trial_start (lab, "immediate retries", rate_rps, &limits, &immediate);
  trials[2] = trial_start (lab, "Retry-After + budget", rate_rps, &limits, &polite);
  trials_run (lab, trials, G_N_ELEMENTS (trials));
  crowds_print (lab, trials, G_N_ELEMENTS (trials));
  crowds_check (lab, trials, MAX_WAIT_NS, RETRY_AFTER_S * LAB_S, &polite);
  for (guint i = 0; i < G_N_ELEMENTS (trials); i++)
    trial_free (trials[i]);
  return lab_finish (lab);
}
