#include "trial.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define PROBE_WORKERS 16
#define PROBE_NS (3 * LAB_S)
#define PROBE_STEADY_NS LAB_S
#define PROBE_PATIENCE_NS (60 * LAB_S)

#define STATS_TIMEOUT_NS (2 * LAB_S)
#define STATS_TRIES 50
#define STATS_AGAIN_US 20000

LabHttpTrial *
lab_http_trial_new_of (const char *label, LabChild *service)
{
  LabHttpTrial *trial = g_new0 (LabHttpTrial, 1);

  trial->service = service;
  trial->url = g_strdup_printf ("http://127.0.0.1:%u/work", lab_child_port (service));
  trial->run = g_new0 (LabRun, 1);
  trial->run->label = g_strdup (label);
  trial->run->timeline = g_array_new (FALSE, FALSE, sizeof (LabPoint));
  return trial;
}

LabHttpTrial *
lab_http_trial_new (Lab *lab, const char *label, const char *const *flags)
{
  const LabSettings *settings = lab_settings (lab);
  LabChild *service;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (argv, lab_child_beside ("service"));
  g_ptr_array_add (argv, g_strdup ("--port=0"));
  g_ptr_array_add (argv, g_strdup_printf ("--slots=%" G_GINT64_FORMAT, settings->slots));
  g_ptr_array_add (argv, g_strdup_printf ("--service-time=%" G_GINT64_FORMAT "ns", settings->service_time_ns));
  for (; flags != NULL && *flags != NULL; flags++)
    g_ptr_array_add (argv, g_strdup (*flags));
  g_ptr_array_add (argv, NULL);

  service = lab_child_start (&(LabChildOptions) { .argv = (const char *const *) argv->pdata }, &error);
  if (service == NULL)
    lab_fail (lab, "%s", error->message);
  return lab_http_trial_new_of (label, service);
}

void
lab_http_trial_free (LabHttpTrial *trial)
{
  g_clear_pointer (&trial->load, lab_open_loop_free);
  g_clear_pointer (&trial->client, lab_http_client_free);
  g_clear_pointer (&trial->front, lab_child_free);
  g_clear_pointer (&trial->service, lab_child_free);
  lab_run_free (trial->run);
  g_free (trial->url);
  g_free (trial->refusal);
  g_free (trial->retry_after);
  g_free (trial->body);
  g_free (trial);
}

void
lab_http_trial_set_front (LabHttpTrial *trial, LabChild *front)
{
  trial->front = front;
  g_free (trial->url);
  trial->url = g_strdup_printf ("http://127.0.0.1:%u/work", lab_child_port (front));
}

static LabHttpClient *
client_for (Lab *lab, const LabHttpTrial *trial)
{
  g_autoptr (GError) error = NULL;
  LabHttpClient *client = lab_http_client_new (&(LabHttpClientOptions) { .url = trial->url }, &error);

  if (client == NULL)
    lab_fail (lab, "%s", error->message);
  return client;
}

/* A probe ends when its workers have their last answers, or when its patience
 * with them does. */
typedef struct
{
  LabClosedLoop *workers;
  LabTimer patience;
  gboolean has_lost_patience;
  const gboolean *give_up;
} Probe;

static void
lose_patience (LabTimer *timer)
{
  LAB_OWNER_OF (timer, Probe, patience)->has_lost_patience = TRUE;
}

static gboolean
probe_is_over (gpointer data)
{
  const Probe *probe = data;

  return probe->has_lost_patience || (probe->give_up != NULL && *probe->give_up)
         || lab_closed_loop_is_over (probe->workers);
}

double
lab_http_capacity (Lab *lab, LabTarget *target, LabTime patience_ns, const gboolean *give_up, double *steady_rps)
{
  LabClock *clock = lab_clock (lab);
  g_autoptr (LabClosedLoop) workers = lab_closed_loop_new (
      clock, target,
      &(LabClosedLoopOptions) { .workers = PROBE_WORKERS, .duration_ns = PROBE_NS, .steady_from_ns = PROBE_STEADY_NS });
  Probe probe = { .workers = workers, .give_up = give_up };

  lab_timer_init (&probe.patience, clock, lose_patience);
  lab_timer_arm (&probe.patience, lab_clock_now (clock) + PROBE_NS + patience_ns);
  lab_closed_loop_start (workers);
  lab_run_until (lab, probe_is_over, &probe, PROBE_NS);
  lab_timer_disarm (&probe.patience);
  if (steady_rps != NULL)
    *steady_rps = (double) lab_closed_loop_steady_ok (workers) * LAB_S / (double) (PROBE_NS - PROBE_STEADY_NS);
  return (double) lab_closed_loop_finished (workers, LAB_OK) * LAB_S / (double) PROBE_NS;
}

double
lab_http_trial_capacity (Lab *lab, const LabHttpTrial *trial, double *steady_rps)
{
  g_autoptr (LabHttpClient) client = client_for (lab, trial);

  return lab_http_capacity (lab, lab_http_client_target (client), PROBE_PATIENCE_NS, NULL, steady_rps);
}

/* Returns -1 with @error set when there is no such number. */
static gint64
read_stat (const LabChild *service, const char *key, GError **error)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/stats", lab_child_port (service));
  g_autofree char *text = lab_http_get (url, STATS_TIMEOUT_NS, error);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  if (text == NULL || !json_parser_load_from_data (parser, text, -1, error))
    return -1;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root) || !json_object_has_member (json_node_get_object (root), key))
    {
      g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s has no '%s'", url, key);
      return -1;
    }
  return json_object_get_int_member (json_node_get_object (root), key);
}

guint64
lab_http_service_stat (Lab *lab, const LabChild *service, const char *key)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < STATS_TRIES; i++)
    {
      gint64 value;

      g_clear_error (&error);
      value = read_stat (service, key, &error);
      if (value >= 0)
        return (guint64) value;
      g_usleep (STATS_AGAIN_US);
    }
  lab_fail (lab, "%s", error->message);
}

static void
trial_start (Lab *lab, LabHttpTrial *trial, double rate_rps)
{
  const LabSettings *settings = lab_settings (lab);

  trial->work_before = lab_http_service_stat (lab, trial->service, "work_done");
  trial->client = client_for (lab, trial);
  trial->load = lab_open_loop_new (lab_clock (lab), lab_http_client_target (trial->client),
                                   &(LabOpenLoopOptions) { .rate_rps = rate_rps,
                                                           .duration_ns = settings->duration_ns,
                                                           .client_timeout_ns = settings->client_timeout_ns,
                                                           .hang_up = TRUE });
}

/* The clients leave, and with them their connections: only then do a limit on
 * connections and the counters speak to anybody else. */
static void
trial_end (Lab *lab, LabHttpTrial *trial)
{
  const LabHttpCounters *counters = lab_http_client_counters (trial->client);
  LabRun *run = trial->run;

  trial->saw_503 = counters->saw_503;
  trial->retry_after = g_strdup (counters->first_503_retry_after);
  trial->body = g_strdup (counters->first_503_body);
  run->summary = lab_open_loop_steal_summary (trial->load);
  g_clear_pointer (&trial->load, lab_open_loop_free);
  g_clear_pointer (&trial->client, lab_http_client_free);

  run->work = lab_http_service_stat (lab, trial->service, "work_done") - trial->work_before;
  run->wasted = run->work - MIN (run->work, lab_summary_count (run->summary, LAB_OK));
  run->peak_line = (guint) lab_http_service_stat (lab, trial->service, "peak_line");
  if (trial->refusal != NULL)
    trial->refusal_lines = lab_child_count_log (trial->service, trial->refusal);
}

void
lab_http_trials_run (Lab *lab, GPtrArray *trials, double rate_rps)
{
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();

  lab_policy_refuse_empty_run (lab, "each server", rate_rps);
  for (guint i = 0; i < trials->len; i++)
    {
      LabHttpTrial *trial = g_ptr_array_index (trials, i);

      trial_start (lab, trial, rate_rps);
      g_ptr_array_add (loads, trial->load);
    }
  for (guint i = 0; i < loads->len; i++)
    lab_open_loop_start (g_ptr_array_index (loads, i));
  lab_run_until (lab, lab_open_loops_are_over, loads, lab_settings (lab)->duration_ns);
  for (guint i = 0; i < trials->len; i++)
    trial_end (lab, g_ptr_array_index (trials, i));
}

void
lab_http_judge_generator (Lab *lab, const char *label, const LabSummary *summary)
{
  guint64 unsent = lab_summary_count (summary, LAB_UNSENT);

  if (lab_summary_was_late (summary))
    lab_invalidate (lab, "'%s': over 1 %% of the requests were sent more than 10 ms late", label);
  if (unsent > 0)
    lab_invalidate (lab, "'%s': %" G_GUINT64_FORMAT " requests could not be sent at all", label, unsent);
}

/* The table: the article's columns, the first refusal, the log, the generator. */

#define N_OWN 3
#define N_COLUMNS (LAB_N_POLICY_COLUMNS + N_OWN + LAB_N_LATENESS_COLUMNS)

static void
add_row (LabTable *table, const LabHttpTrial *trial)
{
  const LabHistogram *lateness = lab_summary_lateness (trial->run->summary);
  LabValue values[N_COLUMNS] = { [LAB_N_POLICY_COLUMNS] = lab_text (trial->retry_after),
                                 trial->saw_503 ? lab_text (trial->body) : lab_none (),
                                 lab_count (trial->refusal_lines),
                                 LAB_LATENESS_VALUES (lateness) };

  lab_policy_values (trial->run, values);
  lab_table_add (table, values, N_COLUMNS);
}

static void
print_refusals (Lab *lab, const LabHttpTrial *trial)
{
  if (trial->saw_503)
    {
      g_autofree char *body = g_strdelimit (g_strdup (trial->body), "\r\n", ' ');

      lab_print (lab, "    first 503 seen: Retry-After: %s, body: %s\n",
                 trial->retry_after == NULL ? "none" : trial->retry_after, body);
    }
  if (trial->refusal_lines > 0)
    lab_print (lab, "    and %u lines in its log that say '%s'\n", trial->refusal_lines, trial->refusal);
}

void
lab_http_trials_print (Lab *lab, GPtrArray *trials)
{
  static LabColumn columns[N_COLUMNS] = { [LAB_N_POLICY_COLUMNS] = { .key = "retry_after", .object = "first_503" },
                                          { .key = "body", .object = "first_503" },
                                          { .key = "refusal_log_lines" },
                                          LAB_LATENESS_COLUMNS };
  LabTable *table;

  memcpy (columns, lab_policy_columns, sizeof lab_policy_columns);
  table = lab_results_rows (lab_results (lab), columns, N_COLUMNS);
  lab_print_heading (lab, table);
  for (guint i = 0; i < trials->len; i++)
    {
      const LabHttpTrial *trial = g_ptr_array_index (trials, i);

      add_row (table, trial);
      lab_print_row (lab, table, i);
      print_refusals (lab, trial);
      lab_http_judge_generator (lab, trial->run->label, trial->run->summary);
    }
}

guint64
lab_http_trial_count (const LabHttpTrial *trial, LabOutcome outcome)
{
  return lab_summary_count (trial->run->summary, outcome);
}
