#include "trial.h"

#include "../lab/process.h"
#include "probe.h"
#include "sockets.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define WORKERS_PER_SLOT 4 /* of a probe */
#define LONGEST_WORK_NS LAB_S
#define FILES_LEAST 40 /* with fewer, the probe or the questions after numbers could wait for one for ever */

#define STATS_TIMEOUT_NS (2 * LAB_S) /* of one request */
#define STATS_PATIENCE_NS (10 * LAB_S)
#define STATS_PATIENCE_INTERRUPTED_NS (LAB_S / 2)
#define STATS_AGAIN_US 20000

/* The program cannot go on. After a signal that is what the user wanted. */
G_NORETURN static void
end_program (Lab *lab, const char *why)
{
  if (lab_is_interrupted (lab))
    lab_process_exit (lab_finish (lab));
  lab_fail (lab, "%s", why);
}

static gboolean
is_interrupted (gpointer data)
{
  return lab_is_interrupted (data);
}

LabChild *
lab_http_child_start (Lab *lab, const char *const *argv, guint16 port, GError **error)
{
  /* These set the service's options where it is started by hand. Here the lab does that. */
  static const char *const variables[] = { "MAX_WAITING", "MAX_WAIT_S", "SERVICE_TIME", NULL };
  const LabChildOptions options
      = { .argv = argv, .port = port, .give_up = is_interrupted, .data = lab, .unset = variables };

  return lab_child_start (&options, error);
}

LabHttpTrial *
lab_http_trial_new_of (const char *label, LabChild *service)
{
  LabHttpTrial *trial = g_new0 (LabHttpTrial, 1);

  trial->service = service;
  trial->url = g_strdup_printf ("http://127.0.0.1:%u/work", lab_child_port (service));
  trial->run = lab_run_new (label);
  return trial;
}

static void
require_files (Lab *lab)
{
  guint limit = lab_raise_file_limit ();

  if (limit < FILES_LEAST)
    lab_fail (lab, "%d open files are needed, and the limit is %u (ulimit -n)", FILES_LEAST, limit);
}

LabHttpTrial *
lab_http_trial_new (Lab *lab, const char *label, const char *const *flags)
{
  const LabSettings *settings = lab_settings (lab);
  LabChild *service;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  require_files (lab);
  g_ptr_array_add (argv, lab_child_beside ("service"));
  g_ptr_array_add (argv, g_strdup ("--port=0"));
  g_ptr_array_add (argv, g_strdup_printf ("--slots=%" G_GINT64_FORMAT, settings->slots));
  g_ptr_array_add (argv, g_strdup_printf ("--service-time=%" G_GINT64_FORMAT "ns", settings->service_time_ns));
  for (; flags != NULL && *flags != NULL; flags++)
    g_ptr_array_add (argv, g_strdup (*flags));
  g_ptr_array_add (argv, NULL);

  service = lab_http_child_start (lab, (const char *const *) argv->pdata, 0, &error);
  if (service == NULL)
    end_program (lab, error->message);
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

static void
refuse_long_works (Lab *lab)
{
  double service_time_s = (double) lab_settings (lab)->service_time_ns / LAB_S;
  double most_s = (double) LONGEST_WORK_NS / LAB_S;

  if (service_time_s > most_s)
    lab_fail (lab,
              "--service-time=%gs makes no sense here: the capacity is what is done in %g s; allowed is %gs or less",
              service_time_s, (double) LAB_HTTP_PROBE_NS / LAB_S, most_s);
}

/* With fewer workers than slots the service would never be full. */
static guint
workers_for (Lab *lab)
{
  gint64 slots = lab_settings (lab)->slots;

  if (slots > LAB_HTTP_PROBE_WORKERS_MAX)
    lab_warn (lab,
              "the probe has %d workers, which cannot fill %" G_GINT64_FORMAT
              " slots: the capacity that it measures is too low",
              LAB_HTTP_PROBE_WORKERS_MAX, slots);
  return (guint) CLAMP (WORKERS_PER_SLOT * slots, LAB_HTTP_PROBE_WORKERS, LAB_HTTP_PROBE_WORKERS_MAX);
}

double
lab_http_trial_capacity (Lab *lab, const LabHttpTrial *trial, double *steady_rps)
{
  refuse_long_works (lab);

  g_autoptr (LabHttpClient) client = client_for (lab, trial);
  LabHttpProbe found;

  /* Without patience_ns: every answer counts, however late. */
  lab_http_probe (lab, lab_http_client_target (client), &(LabHttpProbeOptions) { .workers = workers_for (lab) },
                  &found);
  if (found.steady_rps <= 0 && !lab_is_interrupted (lab))
    lab_fail (lab,
              "the service has done no work in the last two seconds of the probe, so there is no load to offer it");
  if (steady_rps != NULL)
    *steady_rps = found.steady_rps;
  return found.capacity_rps;
}

/* How long a service is asked for a number. A user who has pressed Ctrl-C does not wait
 * that long. */
typedef struct
{
  Lab *lab;
  gint64 begun_us;
} Patience;

static gboolean
is_at_its_end (gpointer data)
{
  const Patience *patience = data;
  LabTime limit_ns = lab_is_interrupted (patience->lab) ? STATS_PATIENCE_INTERRUPTED_NS : STATS_PATIENCE_NS;

  return (g_get_monotonic_time () - patience->begun_us) * LAB_US >= limit_ns;
}

/* Returns whether @node is a whole number that is not negative. */
static gboolean
read_count (JsonNode *node, gint64 *count)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  *count = json_node_get_int (node);
  return *count >= 0;
}

/* Returns -1 with @error set when there is no such number. */
static gint64
read_stat (const LabChild *service, const char *key, Patience *patience, GError **error)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/stats", lab_child_port (service));
  g_autofree char *text = lab_http_get (url, STATS_TIMEOUT_NS, is_at_its_end, patience, error);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  gint64 count;

  if (text == NULL || !json_parser_load_from_data (parser, text, -1, error))
    return -1;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)
      || !read_count (json_object_get_member (json_node_get_object (root), key), &count))
    {
      g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s has no '%s' that is a count", url,
                   key);
      return -1;
    }
  return count;
}

guint64
lab_http_service_stat (Lab *lab, const LabChild *service, const char *key)
{
  Patience patience = { lab, g_get_monotonic_time () };
  gint64 value;

  for (;;)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *obituary = NULL;

      value = read_stat (service, key, &patience, &error);
      if (value >= 0)
        return (guint64) value;
      obituary = lab_child_obituary (service);
      if (obituary != NULL || is_at_its_end (&patience))
        end_program (lab, obituary != NULL ? obituary : error->message);
      g_usleep (STATS_AGAIN_US);
    }
}

static void
trial_start (Lab *lab, LabHttpTrial *trial, double rate_rps)
{
  const LabSettings *settings = lab_settings (lab);

  trial->work_before = lab_http_service_stat (lab, trial->service, "work_done");
  trial->client = client_for (lab, trial);
  trial->load = lab_open_loop_new (lab_clock (lab), lab_http_client_target (trial->client),
                                   &(LabOpenLoopOptions) { .arrivals = settings->arrivals,
                                                           .rate_rps = rate_rps,
                                                           .duration_ns = settings->duration_ns,
                                                           .client_timeout_ns = settings->client_timeout_ns,
                                                           .hang_up = TRUE,
                                                           .seed = (guint64) settings->seed });
}

/* The clients leave and close their connections before the counters are read: a limit
 * on connections would otherwise refuse us, too. */
static void
trial_end (Lab *lab, LabHttpTrial *trial, double rate_rps)
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
  lab_run_settle (lab, run, rate_rps);
  run->peak_line = (guint) lab_http_service_stat (lab, trial->service, "peak_line");
  if (trial->refusal != NULL)
    trial->refusal_lines = lab_child_count_log (trial->service, trial->refusal);
}

void
lab_http_trials_run (Lab *lab, GPtrArray *trials, double rate_rps)
{
  g_autoptr (GPtrArray) loads = g_ptr_array_new ();

  lab_policy_refuse_senseless_run (lab, "each server", rate_rps);
  for (guint i = 0; i < trials->len; i++)
    {
      LabHttpTrial *trial = g_ptr_array_index (trials, i);

      trial_start (lab, trial, rate_rps);
      g_ptr_array_add (loads, trial->load);
      if (trial->beside != NULL)
        g_ptr_array_add (loads, trial->beside);
    }
  for (guint i = 0; i < loads->len; i++)
    lab_open_loop_start (g_ptr_array_index (loads, i));
  lab_run_until (lab, lab_open_loops_are_over, loads, lab_settings (lab)->duration_ns);
  for (guint i = 0; i < loads->len; i++) /* which is of use when a signal has ended the run */
    lab_open_loop_stop (g_ptr_array_index (loads, i));
  for (guint i = 0; i < trials->len; i++)
    trial_end (lab, g_ptr_array_index (trials, i), rate_rps);
}

void
lab_http_judge_generator (Lab *lab, const char *label, const LabSummary *summary)
{
  guint64 unsent = lab_summary_count (summary, LAB_UNSENT);

  if (unsent > 0)
    lab_check (lab, FALSE, "every request could be sent",
               "'%s': %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " could not, for want of files or ports", label,
               unsent, lab_summary_offered (summary));
  lab_policy_judge_lateness (lab, label, summary);
}

/* The table: the article's columns, the generator, the first refusal, the log. */

#define N_OWN 3
#define N_COLUMNS (LAB_N_POLICY_COLUMNS + N_OWN)

static void
add_row (LabTable *table, const LabHttpTrial *trial)
{
  LabValue values[N_COLUMNS] = { [LAB_N_POLICY_COLUMNS] = lab_text (trial->retry_after),
                                 trial->saw_503 ? lab_text (trial->body) : lab_none (),
                                 lab_count (trial->refusal_lines) };

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

LabTable *
lab_http_trials_table (Lab *lab)
{
  static LabColumn columns[N_COLUMNS] = { [LAB_N_POLICY_COLUMNS] = { .key = "retry_after", .object = "first_503" },
                                          { .key = "body", .object = "first_503" },
                                          { .key = "refusal_log_lines" } };

  memcpy (columns, lab_policy_columns, sizeof lab_policy_columns);
  return lab_results_rows (lab_results (lab), columns, N_COLUMNS);
}

void
lab_http_trials_print (Lab *lab, LabTable *table, GPtrArray *trials)
{
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
