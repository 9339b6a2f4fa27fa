/* Step 7: three ways for clients to take a 503, and what each costs the service. */
#include "../common/lab/policy.h"
#include "../common/loadgen/loadgen.h"
#include "trial.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define MAX_WAIT_NS (300 * LAB_MS)
#define RETRY_AFTER_S 1
#define TRIES 3
#define BUDGET_RATIO 0.1
#define BUDGET_BURST 10

static void
check (Lab *lab, const Trial *none, const Trial *immediate, const Trial *polite)
{
  guint64 users = trial_users (none);
  guint64 fewest = MIN (MIN (trial_served (none), trial_served (immediate)), trial_served (polite));
  guint64 most = MAX (MAX (trial_served (none), trial_served (immediate)), trial_served (polite));
  guint64 retries = trial_attempts (polite) - users;
  const char *why_not = lab_policy_why_not_judged (lab, MAX_WAIT_NS);

  lab_check (lab, retries <= BUDGET_RATIO * users + BUDGET_BURST,
             "polite retries stay within a tenth of first attempts, and the burst",
             "%" G_GUINT64_FORMAT " retries of %" G_GUINT64_FORMAT " users", retries, users);
  if (why_not == NULL && lab_settings (lab)->duration_ns < 4 * LAB_S)
    why_not = "the run is too short";
  if (why_not == NULL && trial_shed (none) * 4 < users)
    why_not = "hardly anybody is turned away";
  if (why_not != NULL)
    {
      lab_skip (lab, "immediate retries multiply the load", "%s", why_not);
      return;
    }
  lab_check (lab, trial_attempts (immediate) > 1.5 * users, "immediate retries multiply the load",
             "%.2f attempts per user", (double) trial_attempts (immediate) / users);
  lab_check (lab, (most - fewest) * 10 <= most, "retries create no capacity: every policy serves about as many",
             "%.0f %% to %.0f %% of the users", 100.0 * fewest / users, 100.0 * most / users);
}

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
  const CrowdOptions polite = { .policy = POLITE_RETRIES,
                                .tries = TRIES,
                                .client_timeout_ns = settings->client_timeout_ns,
                                .budget_ratio = BUDGET_RATIO,
                                .budget_burst = BUDGET_BURST,
                                .seed = (guint64) settings->seed };
  CrowdOptions none = polite, immediate = polite;
  Trial *trials[3];

  none.policy = NO_RETRIES;
  immediate.policy = IMMEDIATE_RETRIES;
  lab_print (lab, "service capacity %.0f/s, %.0f new users per second for %g s\n", capacity_rps, rate_rps,
             (double) settings->duration_ns / LAB_S);
  trials[0] = trial_start (lab, "no retries", rate_rps, &limits, &none);
  trials[1] = trial_start (lab, "immediate retries", rate_rps, &limits, &immediate);
  trials[2] = trial_start (lab, "Retry-After + budget", rate_rps, &limits, &polite);
  trials_run (lab, trials, G_N_ELEMENTS (trials));
  trials_print (lab, trials, G_N_ELEMENTS (trials));
  check (lab, trials[0], trials[1], trials[2]);
  for (guint i = 0; i < G_N_ELEMENTS (trials); i++)
    trial_free (trials[i]);
  return lab_finish (lab);
}
