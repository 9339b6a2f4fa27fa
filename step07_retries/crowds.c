#include "crowds.h"

#include "../common/lab/policy.h"

static const LabColumn columns[] = {
  { .key = "policy", .heading = "client policy", .width = -22 },
  { .key = "users", .heading = "users", .width = 7 },
  { .key = "attempts", .heading = "attempts", .width = 10 },
  { .key = "attempts_per_user", .heading = "per user", .width = 10, .decimals = 2 },
  { .key = "served", .heading = "served", .width = 8 },
  { .heading = "", .width = 5, .suffix = "%" }, /* of the users */
  { .key = "timed_out" },
  { .key = "attempts_rps", .heading = "attempts/s", .width = 12 },
  { .key = "served_in_time", .heading = "served in time", .width = 16 },
  LAB_LATENESS_COLUMNS,
};

static guint64
count (const Trial *trial, LabOutcome outcome)
{
  return lab_summary_count (trial_summary (trial), outcome);
}

void
crowds_print (Lab *lab, Trial **trials, guint n_trials)
{
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));

  for (guint i = 0; i < n_trials; i++)
    {
      CrowdSecond total = crowd_total (trial_crowd (trials[i]));
      const LabSummary *summary = trial_summary (trials[i]);
      const LabHistogram *lateness = lab_summary_lateness (summary);
      gint64 users = (gint64) lab_summary_offered (summary);
      guint64 served = count (trials[i], LAB_OK);
      const LabValue values[] = {
        lab_text (trial_label (trials[i])),
        lab_count (users),
        lab_count (total.attempts),
        lab_ratio (total.attempts, users),
        lab_count (served),
        lab_ratio (100 * served, users),
        lab_count (count (trials[i], LAB_TIMEOUT)),
        lab_rate (total.attempts, lab_summary_duration (summary)),
        lab_count (total.served_in_time),
        LAB_LATENESS_VALUES (lateness),
      };

      lab_table_add (table, values, G_N_ELEMENTS (values));
    }
  lab_print_table (lab, table);
}

/* Where the users are no more patient than the pause that they are asked for, a
 * second attempt comes too late by itself. */
static void
check_in_time (Lab *lab, guint64 none, guint64 polite, LabTime retry_after_ns)
{
  const char *claim = "waiting as asked serves no more users in time";

  if (lab_settings (lab)->client_timeout_ns > retry_after_ns)
    lab_skip (lab, claim, "the clients are more patient than Retry-After asks");
  else
    lab_check (lab, polite * 20 <= none * 21, claim, "%" G_GUINT64_FORMAT ", and %" G_GUINT64_FORMAT " without retries",
               polite, none);
}

/* Polite retries of the last users are served when nobody else comes any more: up to
 * twice Retry-After later, and no more than the budget gives. That must not weigh. */
static void
check_capacity (Lab *lab, Trial *const trials[3], const CrowdOptions *polite, LabTime retry_after_ns)
{
  const char *claim = "retries create no capacity: every policy serves about as many";
  const LabSettings *settings = lab_settings (lab);
  double users = (double) lab_summary_offered (trial_summary (trials[0]));
  double afterwards = polite->budget_burst
                      + polite->budget_ratio * users * 2 * (double) retry_after_ns / (double) settings->duration_ns;
  guint64 fewest = G_MAXUINT64, most = 0;

  for (guint i = 0; i < 3; i++)
    {
      fewest = MIN (fewest, count (trials[i], LAB_OK));
      most = MAX (most, count (trials[i], LAB_OK));
    }
  if (afterwards * 10 > lab_expect_steady_rps (settings) * (double) settings->duration_ns / LAB_S)
    lab_skip (lab, claim, "too many polite retries come when nobody else comes any more");
  else
    lab_check (lab, (most - fewest) * 10 <= most, claim, "%.0f %% to %.0f %% of the users", 100.0 * fewest / users,
               100.0 * most / users);
}

void
crowds_check (Lab *lab, Trial *const trials[3], LabTime max_wait_ns, LabTime retry_after_ns, const CrowdOptions *polite)
{
  const CrowdSecond none = crowd_total (trial_crowd (trials[0])), immediate = crowd_total (trial_crowd (trials[1])),
                    waiting = crowd_total (trial_crowd (trials[2]));
  guint64 users = none.arrived, retries = waiting.attempts - users;
  const char *why_not = lab_expect_why_not_judged (lab_settings (lab), max_wait_ns);

  lab_check (lab, retries <= polite->budget_ratio * users + polite->budget_burst,
             "polite retries stay within a tenth of first attempts, and the burst",
             "%" G_GUINT64_FORMAT " retries of %" G_GUINT64_FORMAT " users", retries, users);
  if (why_not == NULL && lab_settings (lab)->duration_ns < 4 * LAB_S)
    why_not = "the run is too short";
  if (why_not == NULL && count (trials[0], LAB_SHED) * 5 < users * 2)
    why_not = "hardly anybody is turned away";
  if (why_not != NULL)
    {
      lab_skip (lab, "immediate retries multiply the load", "%s", why_not);
      return;
    }
  lab_check (lab, immediate.attempts > 1.5 * users, "immediate retries multiply the load", "%.2f attempts per user",
             (double) immediate.attempts / users);
  check_capacity (lab, trials, polite, retry_after_ns);
  check_in_time (lab, none.served_in_time, waiting.served_in_time, retry_after_ns);
}
