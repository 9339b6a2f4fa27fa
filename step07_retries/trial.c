#include "trial.h"

#include "../common/lab/policy.h"
#include "../common/loadgen/loadgen.h"

static const LabColumn columns[] = {
  { .key = "policy", .heading = "client policy", .width = -22 },
  { .key = "users", .heading = "users", .width = 7 },
  { .key = "attempts", .heading = "attempts", .width = 10 },
  { .key = "attempts_per_user", .heading = "per user", .width = 11, .decimals = 2 },
  { .key = "served", .heading = "served", .width = 9 },
  { .heading = "", .width = 9, .suffix = "%" }, /* of the users */
  { .key = "timed_out" },
  { .key = "attempts_rps", .heading = "attempts/s", .width = 14 },
  LAB_LATENESS_COLUMNS,
};

struct _Trial
{
  const char *label;
  LabService *service;
  Crowd *crowd;
  LabOpenLoop *load;
};

Trial *
trial_start (Lab *lab, const char *label, double rate_rps, const LabLimits *limits, const CrowdOptions *crowd)
{
  const LabSettings *settings = lab_settings (lab);
  LabClock *clock = lab_clock (lab);
  Trial *trial = g_new0 (Trial, 1);

  lab_policy_refuse_senseless_run (lab, label, rate_rps);
  trial->label = label;
  trial->service = lab_service_new (clock, &(LabServiceOptions) { .limits = *limits,
                                                                  .service_time_ns = settings->service_time_ns,
                                                                  .work = settings->work,
                                                                  .seed = (guint64) settings->seed });
  trial->crowd = crowd_new (clock, trial->service, crowd);
  trial->load = lab_open_loop_new (clock, crowd_target (trial->crowd),
                                   &(LabOpenLoopOptions) { .arrivals = settings->arrivals,
                                                           .rate_rps = rate_rps,
                                                           .duration_ns = settings->duration_ns,
                                                           .seed = (guint64) settings->seed });
  lab_open_loop_start (trial->load);
  return trial;
}

void
trial_free (Trial *trial)
{
  lab_open_loop_free (trial->load);
  crowd_free (trial->crowd);
  lab_service_free (trial->service);
  g_free (trial);
}

guint64
trial_users (const Trial *trial)
{
  return lab_summary_offered (lab_open_loop_summary (trial->load));
}

guint64
trial_attempts (const Trial *trial)
{
  return crowd_attempts (trial->crowd);
}

guint64
trial_served (const Trial *trial)
{
  return lab_summary_count (lab_open_loop_summary (trial->load), LAB_OK);
}

guint64
trial_shed (const Trial *trial)
{
  return lab_summary_count (lab_open_loop_summary (trial->load), LAB_SHED);
}

void
trials_run (Lab *lab, Trial **trials, guint n_trials)
{
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();

  for (guint i = 0; i < n_trials; i++)
    g_ptr_array_add (loads, trials[i]->load);
  lab_run_until (lab, lab_open_loops_are_over, loads, lab_settings (lab)->duration_ns);
  for (guint i = 0; i < n_trials; i++)
    lab_policy_judge_lateness (lab, trials[i]->label, lab_open_loop_summary (trials[i]->load));
}

void
trials_print (Lab *lab, Trial **trials, guint n_trials)
{
  guint n_late = lab_settings (lab)->real_clock ? 0 : LAB_N_LATENESS_COLUMNS;
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns) - n_late);

  for (guint i = 0; i < n_trials; i++)
    {
      const Trial *trial = trials[i];
      const LabSummary *summary = lab_open_loop_summary (trial->load);
      const LabHistogram *lateness = lab_summary_lateness (summary);
      gint64 users = (gint64) trial_users (trial);
      const LabValue values[] = {
        lab_text (trial->label),
        lab_count (users),
        lab_count (trial_attempts (trial)),
        lab_ratio (trial_attempts (trial), users),
        lab_count (trial_served (trial)),
        lab_ratio (100 * trial_served (trial), users),
        lab_count (lab_summary_count (summary, LAB_TIMEOUT)),
        lab_rate (trial_attempts (trial), lab_settings (lab)->duration_ns),
        LAB_LATENESS_VALUES (lateness),
      };

      lab_table_add (table, values, G_N_ELEMENTS (values) - n_late);
    }
  lab_print_table (lab, table);
}
