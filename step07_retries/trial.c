#include "trial.h"

#include "../common/lab/policy.h"

struct _Trial
{
  const char *label;
  double rate_rps;
  LabService *service;
  Crowd *crowd;
  LabOpenLoop *load;
  LabOpenLoop *burst; /* or NULL */
  LabTimer burst_begins;
};

Trial *
trial_start (Lab *lab, const char *label, double rate_rps, const LabLimits *limits, const CrowdOptions *crowd)
{
  const LabSettings *settings = lab_settings (lab);
  LabClock *clock = lab_clock (lab);
  Trial *trial = g_new0 (Trial, 1);

  lab_policy_refuse_senseless_run (lab, label, rate_rps);
  trial->label = label;
  trial->rate_rps = rate_rps;
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

static void
begin_burst (LabTimer *timer)
{
  lab_open_loop_start (LAB_OWNER_OF (timer, Trial, burst_begins)->burst);
}

void
trial_add_burst (Lab *lab, Trial *trial, double rate_rps, LabTime from_ns, LabTime span_ns)
{
  const LabSettings *settings = lab_settings (lab);
  LabClock *clock = lab_clock (lab);

  trial->burst = lab_open_loop_new (clock, crowd_target (trial->crowd),
                                    &(LabOpenLoopOptions) { .arrivals = settings->arrivals,
                                                            .rate_rps = rate_rps,
                                                            .duration_ns = span_ns,
                                                            .seed = (guint64) settings->seed });
  lab_timer_init (&trial->burst_begins, clock, begin_burst);
  lab_timer_arm (&trial->burst_begins, lab_clock_now (clock) + from_ns);
}

void
trial_free (Trial *trial)
{
  if (trial->burst != NULL)
    {
      lab_timer_disarm (&trial->burst_begins);
      lab_open_loop_free (trial->burst);
    }
  lab_open_loop_free (trial->load);
  crowd_free (trial->crowd);
  lab_service_free (trial->service);
  g_free (trial);
}

static void
add_loads (const Trial *trial, GPtrArray *loads)
{
  g_ptr_array_add (loads, trial->load);
  if (trial->burst != NULL)
    g_ptr_array_add (loads, trial->burst);
}

void
trials_run (Lab *lab, Trial **trials, guint n_trials)
{
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();

  for (guint i = 0; i < n_trials; i++)
    add_loads (trials[i], loads);
  lab_run_until (lab, lab_open_loops_are_over, loads, lab_settings (lab)->duration_ns);
  for (guint i = 0; i < loads->len; i++) /* those that a signal has ended before their time */
    lab_open_loop_stop (g_ptr_array_index (loads, i));
  for (guint i = 0; i < n_trials; i++)
    {
      lab_policy_judge_accounts (lab, trials[i]->label, lab_open_loop_summary (trials[i]->load), trials[i]->rate_rps);
      lab_policy_judge_lateness (lab, trials[i]->label, lab_open_loop_summary (trials[i]->load));
      if (trials[i]->burst != NULL)
        lab_policy_judge_lateness (lab, trials[i]->label, lab_open_loop_summary (trials[i]->burst));
    }
}

const char *
trial_label (const Trial *trial)
{
  return trial->label;
}

const Crowd *
trial_crowd (const Trial *trial)
{
  return trial->crowd;
}

const LabSummary *
trial_summary (const Trial *trial)
{
  return lab_open_loop_summary (trial->load);
}
