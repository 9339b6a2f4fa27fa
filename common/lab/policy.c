#include "policy.h"

#include "../loadgen/loadgen.h"

#define POINTS 200               /* of a timeline, from the first arrival to the last */
#define MOST_POINTS (3 * POINTS) /* and at the most, however long the last outcome takes */
#define MOST_POISSON 1e7         /* requests: their gaps are summed up before the run, deaf to signals */

const LabColumn lab_policy_columns[LAB_N_POLICY_COLUMNS] = {
  { .key = "policy", .heading = "policy", .width = -34 },
  { .key = "offered" },
  { .key = "goodput_rps", .heading = "goodput/s", .width = 10, .decimals = 1 },
  { .key = "steady_goodput_rps" },
  { .key = "ok", .heading = "ok", .width = 6 },
  { .key = "shed", .heading = "shed", .width = 6 },
  { .key = "timeout", .heading = "timeout", .width = 8 },
  { .key = "error" },
  { .key = "p50_ms", .heading = "p50 ms", .width = 8 },
  { .key = "p99_ms", .heading = "p99 ms", .width = 8 },
  { .key = "work" },
  { .key = "wasted", .heading = "wasted", .width = 8 },
  { .key = "peak_line", .heading = "peak line", .width = 10 },
  LAB_LATENESS_COLUMNS,
};

static const LabColumn second_columns[] = {
  { .key = "policy" },
  { .key = "second", .heading = "second of arrival", .width = 17 },
  { .key = "arrived", .heading = "arrived", .width = 10 },
  { .key = "answered_in_time", .heading = "answered in time", .width = 19 },
};

static const LabColumn timeline_columns[] = {
  { .key = "policy" },
  { .key = "time_s" },
  { .key = "waiting" },
  { .key = "head_wait_s" },
};

/* One policy under way. */
typedef struct
{
  LabRun *run;
  LabService *service;
  LabOpenLoop *load;
  LabTimer sample;
  LabTime start_ns, every_ns;
} Experiment;

LabRun *
lab_run_new (const char *label)
{
  LabRun *run = g_new0 (LabRun, 1);

  run->label = g_strdup (label);
  run->timeline = g_array_new (FALSE, FALSE, sizeof (LabPoint));
  return run;
}

static void
take_sample (LabTimer *timer)
{
  Experiment *experiment = LAB_OWNER_OF (timer, Experiment, sample);
  const LabAdmission *admission = lab_service_admission (experiment->service);
  LabTime now_ns = lab_clock_now (timer->clock);
  LabPoint point = { .at_ns = now_ns - experiment->start_ns,
                     .waiting = lab_admission_counters (admission)->waiting,
                     .head_wait_ns = lab_admission_head_wait (admission) };

  g_array_append_val (experiment->run->timeline, point);
  if (experiment->run->timeline->len < MOST_POINTS)
    lab_timer_arm (timer, MAX (timer->due_ns, now_ns - experiment->every_ns) + experiment->every_ns);
}

/* The last client has its outcome: what the service does from now on is not
 * counted any more. */
static void
experiment_is_over (gpointer data)
{
  Experiment *experiment = data;
  LabRun *run = experiment->run;

  run->work = lab_service_work_done (experiment->service);
  run->peak_line = lab_admission_counters (lab_service_admission (experiment->service))->peak_waiting;
  lab_timer_disarm (&experiment->sample);
}

static Experiment *
experiment_start (Lab *lab, const LabPolicy *policy)
{
  const LabSettings *settings = lab_settings (lab);
  LabClock *clock = lab_clock (lab);
  Experiment *experiment = g_new0 (Experiment, 1);

  experiment->run = lab_run_new (policy->label);
  experiment->service = lab_service_new (clock, &(LabServiceOptions) { .limits = { .slots = (guint) settings->slots,
                                                                                   .max_waiting = policy->max_waiting,
                                                                                   .max_wait = policy->max_wait },
                                                                       .service_time_ns = settings->service_time_ns,
                                                                       .work = settings->work,
                                                                       .seed = (guint64) settings->seed,
                                                                       .slowdown = policy->slowdown });
  experiment->load = lab_open_loop_new (clock, lab_service_target (experiment->service),
                                        &(LabOpenLoopOptions) { .arrivals = settings->arrivals,
                                                                .rate_rps = policy->rate_rps,
                                                                .duration_ns = settings->duration_ns,
                                                                .client_timeout_ns = settings->client_timeout_ns,
                                                                .seed = (guint64) settings->seed,
                                                                .over = experiment_is_over,
                                                                .data = experiment });
  experiment->start_ns = lab_clock_now (clock);
  experiment->every_ns = MAX (settings->duration_ns / POINTS, 1);
  lab_timer_init (&experiment->sample, clock, take_sample);
  lab_timer_arm (&experiment->sample, experiment->start_ns);
  lab_open_loop_start (experiment->load);
  return experiment;
}

static LabRun *
experiment_end (Experiment *experiment)
{
  LabRun *run = experiment->run;

  if (!lab_open_loop_is_over (experiment->load)) /* interrupted */
    {
      lab_open_loop_stop (experiment->load);
      experiment_is_over (experiment);
    }
  run->summary = lab_open_loop_steal_summary (experiment->load);
  lab_open_loop_free (experiment->load);
  lab_service_free (experiment->service);
  g_free (experiment);
  return run;
}

guint64
lab_policy_scheduled (Lab *lab, double rate_rps)
{
  LabArrivals arrivals;

  lab_arrivals_init (&arrivals, LAB_ARRIVALS_CONSTANT, rate_rps, lab_settings (lab)->duration_ns, 0);
  return lab_arrivals_count (&arrivals);
}

void
lab_policy_refuse_senseless_run (Lab *lab, const char *label, double rate_rps)
{
  double duration_s = (double) lab_settings (lab)->duration_ns / LAB_S;
  gboolean is_poisson = lab_settings (lab)->arrivals == LAB_ARRIVALS_POISSON;
  double most = is_poisson ? MOST_POISSON : LAB_MOST_REQUESTS;

  if (!(rate_rps >= 0.000001 && rate_rps <= LAB_ARRIVALS_MOST_RPS))
    lab_fail (lab, "'%s' makes no sense at %g requests per second; allowed is 0.000001 to %g", label, rate_rps,
              LAB_ARRIVALS_MOST_RPS);
  if (rate_rps * duration_s > most)
    lab_fail (lab, "'%s' would send %.3g requests in --duration=%gs; allowed are %g at the most%s", label,
              rate_rps * duration_s, duration_s, most, is_poisson ? " with --arrivals=poisson" : "");
  if (lab_policy_scheduled (lab, rate_rps) == 0)
    lab_fail (lab,
              "'%s' would send nothing: --duration=%gs is too short for %g requests per second; allowed is %gs or "
              "more",
              label, duration_s, rate_rps, 1 / rate_rps);
}

void
lab_policy_judge_lateness (Lab *lab, const char *label, const LabSummary *summary)
{
  const LabHistogram *lateness = lab_summary_lateness (summary);

  if (lab_summary_was_late (summary))
    lab_invalidate (lab,
                    "'%s': over 1 %% of the requests were sent more than 10 ms late (p50 %.2f ms, p99 %.2f ms, at most "
                    "%.2f ms)",
                    label, (double) lab_histogram_quantile (lateness, 500) / LAB_MS,
                    (double) lab_histogram_quantile (lateness, 990) / LAB_MS,
                    (double) lab_histogram_max (lateness) / LAB_MS);
}

void
lab_policy_judge_accounts (Lab *lab, const char *label, const LabSummary *summary, double rate_rps)
{
  guint64 scheduled = lab_policy_scheduled (lab, rate_rps);
  guint64 offered = lab_summary_offered (summary);

  if (offered != scheduled && !lab_is_interrupted (lab))
    lab_check (lab, FALSE, "every request has exactly one outcome", "'%s': %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
               label, offered, scheduled);
}

void
lab_run_settle (Lab *lab, LabRun *run, double rate_rps)
{
  guint64 ok = lab_summary_count (run->summary, LAB_OK);

  run->wasted = run->work - MIN (run->work, ok);
  if (ok > run->work && !lab_is_interrupted (lab))
    lab_check (lab, FALSE, "no answer without a work",
               "'%s': %" G_GUINT64_FORMAT " answers, %" G_GUINT64_FORMAT " works", run->label, ok, run->work);
  lab_policy_judge_accounts (lab, run->label, run->summary, rate_rps);
}

GPtrArray *
lab_run_policies (Lab *lab, const LabPolicy *policies, guint n_policies)
{
  g_autofree Experiment **experiments = g_new0 (Experiment *, n_policies);
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();
  GPtrArray *runs = g_ptr_array_new_with_free_func ((GDestroyNotify) lab_run_free);

  for (guint i = 0; i < n_policies; i++)
    lab_policy_refuse_senseless_run (lab, policies[i].label, policies[i].rate_rps);
  for (guint i = 0; i < n_policies; i++)
    {
      experiments[i] = experiment_start (lab, &policies[i]);
      g_ptr_array_add (loads, experiments[i]->load);
    }
  lab_run_until (lab, lab_open_loops_are_over, loads, lab_settings (lab)->duration_ns);
  for (guint i = 0; i < n_policies; i++)
    {
      LabRun *run = experiment_end (experiments[i]);

      g_ptr_array_add (runs, run);
      lab_run_settle (lab, run, policies[i].rate_rps);
    }
  for (guint i = 0; i < n_policies; i++)
    {
      const LabRun *run = g_ptr_array_index (runs, i);

      lab_policy_judge_lateness (lab, run->label, run->summary);
    }
  return runs;
}

void
lab_run_free (LabRun *run)
{
  g_free (run->label);
  g_clear_pointer (&run->summary, lab_summary_free);
  g_array_unref (run->timeline);
  g_free (run);
}

void
lab_policy_values (const LabRun *run, LabValue values[LAB_N_POLICY_COLUMNS])
{
  const LabSummary *summary = run->summary;
  const LabHistogram *latency = lab_summary_latency (summary, LAB_OK);
  const LabHistogram *lateness = lab_summary_lateness (summary);
  const LabValue all[LAB_N_POLICY_COLUMNS] = {
    lab_text (run->label),
    lab_count (lab_summary_offered (summary)),
    lab_rate (lab_summary_count (summary, LAB_OK), lab_summary_duration (summary)),
    lab_rate (lab_summary_steady_ok (summary), lab_summary_steady_ns (summary)),
    lab_count (lab_summary_count (summary, LAB_OK)),
    lab_count (lab_summary_count (summary, LAB_SHED)),
    lab_count (lab_summary_count (summary, LAB_TIMEOUT)),
    lab_count (lab_summary_count (summary, LAB_ERROR) + lab_summary_count (summary, LAB_UNSENT)),
    lab_milliseconds (lab_histogram_quantile (latency, 500)),
    lab_milliseconds (lab_histogram_quantile (latency, 990)),
    lab_count (run->work),
    lab_count (run->wasted),
    lab_count (run->peak_line),
    LAB_LATENESS_VALUES (lateness),
  };

  for (guint i = 0; i < LAB_N_POLICY_COLUMNS; i++)
    values[i] = all[i];
}

void
lab_policy_print (Lab *lab, GPtrArray *runs)
{
  LabTable *table = lab_results_rows (lab_results (lab), lab_policy_columns, LAB_N_POLICY_COLUMNS);

  for (guint i = 0; i < runs->len; i++)
    {
      LabValue values[LAB_N_POLICY_COLUMNS];

      lab_policy_values (g_ptr_array_index (runs, i), values);
      lab_table_add (table, values, LAB_N_POLICY_COLUMNS);
    }
  lab_print_table (lab, table);
}

LabTable *
lab_policy_add_by_second (Lab *lab, GPtrArray *runs)
{
  LabTable *table
      = lab_results_table (lab_results (lab), "by_second", TRUE, second_columns, G_N_ELEMENTS (second_columns));

  for (guint i = 0; i < runs->len; i++)
    {
      const LabRun *run = g_ptr_array_index (runs, i);
      guint n_seconds;
      const LabSecond *seconds = lab_summary_by_second (run->summary, &n_seconds);

      for (guint second = 0; second < n_seconds; second++)
        lab_table_add (table, LAB_ROW (lab_text (run->label), lab_count (second), lab_count (seconds[second].arrived),
                                       lab_count (seconds[second].ok)));
    }
  return table;
}

void
lab_policy_add_timeline (Lab *lab, GPtrArray *runs)
{
  LabTable *table
      = lab_results_table (lab_results (lab), "timeline", FALSE, timeline_columns, G_N_ELEMENTS (timeline_columns));

  for (guint i = 0; i < runs->len; i++)
    {
      const LabRun *run = g_ptr_array_index (runs, i);

      for (guint at = 0; at < run->timeline->len; at++)
        {
          const LabPoint *point = &g_array_index (run->timeline, LabPoint, at);

          lab_table_add (table, LAB_ROW (lab_text (run->label), lab_seconds (point->at_ns), lab_count (point->waiting),
                                         lab_seconds (point->head_wait_ns)));
        }
    }
}
