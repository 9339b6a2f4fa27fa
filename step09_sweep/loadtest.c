/* The load test for your own code: step 9, put to any URL.
 *
 *   build/bin/loadtest http://127.0.0.1:8000/work
 *
 * It probes the capacity by a closed loop, then offers half of it up to four times
 * as much, open loop: requests come on their schedule whether the service keeps
 * up or not, and each has exactly one outcome. */
#include <string.h>

#include "../common/http/sockets.h"
#include "../common/http/trial.h"

#define REFUSED_FOR LAB_S /* after that long with nothing but refused connections it stops */

typedef struct
{
  double rate_rps;
  char *method, *body, *multiples;
  GPtrArray *headers;
  gboolean insecure, allow_remote, probe_only, has_multiples;
  gint64 max_inflight;
} Settings;

typedef struct
{
  Lab *lab;
  Settings settings;
  LabHttpClient *client;
  LabTable *table;

  /* Looks once a second whether anybody still listens. */
  LabTimer look;
  guint64 refused_before, others_before;
  gboolean is_refused;

  guint64 offered, accounted; /* over all runs */
  guint64 errors[LAB_HTTP_N_ERRORS];
  guint64 statuses[1000];
} Test;

/* Options */

static GArray *
parse_multiples (Lab *lab, const char *text)
{
  GArray *multiples = g_array_new (FALSE, FALSE, sizeof (double));
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      double value;
      const LabOption option = { .name = "multiples", .kind = LAB_OPTION_RPS, .value = &value };

      if (!lab_option_set (&option, "--multiples", words[i], NULL))
        lab_fail (lab,
                  "--multiples=%s makes no sense: allowed are numbers above 0 with commas between them, such as "
                  "0.5,1,2",
                  text);
      g_array_append_val (multiples, value);
    }
  return multiples;
}

static Lab *
new_lab (Settings *settings, int argc, char *argv[])
{
  gboolean has_rate = FALSE;
  const LabOption own[] = {
    { .name = "rate",
      .letter = 'r',
      .kind = LAB_OPTION_RPS,
      .value = &settings->rate_rps,
      .given = &has_rate,
      .unit = "RPS",
      .help = "One run at this rate, and no probe" },
    { .name = "multiples",
      .kind = LAB_OPTION_TEXT,
      .value = &settings->multiples,
      .given = &settings->has_multiples,
      .unit = "N,N...",
      .help = "Of the capacity, one run each (0.5,1,1.5,2,4)" },
    { .name = "probe-only",
      .kind = LAB_OPTION_FLAG,
      .value = &settings->probe_only,
      .help = "Stop after the capacity" },
    { .name = "header",
      .letter = 'H',
      .kind = LAB_OPTION_TEXTS,
      .value = &settings->headers,
      .unit = "'NAME: VALUE'",
      .help = "A header of the request; may be given many times" },
    { .name = "method",
      .letter = 'm',
      .kind = LAB_OPTION_TEXT,
      .value = &settings->method,
      .unit = "METHOD",
      .help = "Of the request (GET, or POST with a body)" },
    { .name = "body", .kind = LAB_OPTION_TEXT, .value = &settings->body, .unit = "TEXT", .help = "Of the request" },
    { .name = "insecure",
      .letter = 'k',
      .kind = LAB_OPTION_FLAG,
      .value = &settings->insecure,
      .help = "Take any certificate" },
    { .name = "max-inflight",
      .letter = 'c',
      .kind = LAB_OPTION_COUNT,
      .value = &settings->max_inflight,
      .min = 1,
      .max = G_MAXINT,
      .unit = "N",
      .help = "Requests under way at once; one more is not sent (no limit)" },
    { .name = "allow-remote",
      .kind = LAB_OPTION_FLAG,
      .value = &settings->allow_remote,
      .help = "Send to other machines, too: only to those that are yours" },
  };
  Lab *lab = lab_new (&(LabProgram) { .name = "loadtest",
                                      .summary = "Find the capacity of a service and what it does beyond.",
                                      .options = LAB_OPTIONS_REAL_ONLY | LAB_OPTIONS_PATIENCE | LAB_OPTIONS_DURATION
                                                 | LAB_OPTIONS_ARRIVALS,
                                      .duration_ns = 6 * LAB_S,
                                      .own = own,
                                      .n_own = G_N_ELEMENTS (own),
                                      .arguments = "URL" },
                      argc, argv);

  if (g_strv_length (lab_arguments (lab)) != 1)
    lab_fail (lab, "give one URL, for instance http://127.0.0.1:8000/work");
  if ((has_rate && settings->probe_only) || (has_rate && settings->has_multiples)
      || (settings->probe_only && settings->has_multiples))
    lab_fail (lab, "--rate, --multiples and --probe-only exclude each other");
  return lab;
}

static void
settings_clear (Settings *settings)
{
  g_free (settings->method);
  g_free (settings->body);
  g_free (settings->multiples);
  g_ptr_array_unref (settings->headers);
}

static LabHttpClient *
new_client (Lab *lab, const Settings *settings)
{
  g_autoptr (GError) error = NULL;
  LabHttpClient *client;

  g_ptr_array_add (settings->headers, NULL);
  client = lab_http_client_new (&(LabHttpClientOptions) { .url = lab_arguments (lab)[0],
                                                          .method = settings->method,
                                                          .body = settings->body,
                                                          .headers = (const char *const *) settings->headers->pdata,
                                                          .insecure = settings->insecure,
                                                          .allow_remote = settings->allow_remote,
                                                          .max_inflight = (guint) settings->max_inflight },
                                &error);
  if (client == NULL)
    lab_fail (lab, "%s", error->message);
  return client;
}

/* Does anybody listen? */

static void
count_refusals (const Test *test, guint64 *refused, guint64 *others)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);

  *refused = counters->errors[LAB_HTTP_CONNECT_REFUSED];
  *others = counters->answered + counters->abandoned;
  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    *others += error == LAB_HTTP_CONNECT_REFUSED ? 0 : counters->errors[error];
}

static void
look (LabTimer *timer)
{
  Test *test = LAB_OWNER_OF (timer, Test, look);
  guint64 refused, others;

  count_refusals (test, &refused, &others);
  test->is_refused = test->is_refused || (refused > test->refused_before && others == test->others_before);
  test->refused_before = refused;
  test->others_before = others;
  lab_timer_arm (timer, timer->due_ns + REFUSED_FOR);
}

static void
begin_to_look (Test *test)
{
  lab_http_client_reset_counters (test->client);
  test->refused_before = test->others_before = 0;
  lab_timer_arm (&test->look, lab_clock_now (lab_clock (test->lab)) + REFUSED_FOR);
}

/* One run */

#define N_ERRORS (LAB_HTTP_N_ERRORS - 1) /* without LAB_HTTP_NO_ERROR */

static const LabColumn main_columns[] = {
  { .key = "multiple", .heading = "offered", .width = 7, .decimals = 2, .suffix = "x" },
  { .key = "offered" },
  { .key = "offered_rps", .heading = "requests/s", .width = 12, .decimals = 1 },
  { .key = "sent_rps" },
  { .key = "goodput_rps" },
  { .key = "steady_goodput_rps", .heading = "steady/s", .width = 9, .decimals = 1 },
  { .key = "ok", .heading = "ok", .width = 8 },
  { .key = "shed", .heading = "shed", .width = 8 },
  { .key = "timeout", .heading = "timeout", .width = 8 },
  { .key = "error", .heading = "error", .width = 7 },
  { .key = "unsent", .heading = "unsent", .width = 7 },
  { .key = "p50_ms", .heading = "p50 ms", .width = 8 },
  { .key = "p99_ms", .heading = "p99 ms", .width = 8 },
  { .key = "shed_p50_ms" },
  { .key = "shed_p99_ms" },
  { .key = "error_p50_ms" },
  { .key = "error_p99_ms" },
  { .key = "wasted" }, /* a stranger's service does not say */
  { .key = "resent" },
  { .key = "retry_after" },
  { .key = "retry_after_ignored" },
  LAB_LATENESS_COLUMNS,
};

static LabColumn columns[G_N_ELEMENTS (main_columns) + N_ERRORS];

static LabTable *
new_table (Lab *lab)
{
  memcpy (columns, main_columns, sizeof main_columns);
  for (guint i = 0; i < N_ERRORS; i++)
    columns[G_N_ELEMENTS (main_columns) + i] = (LabColumn) { .key = lab_http_error_name (i + 1), .object = "errors" };
  return lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));
}

static void
add_row (Test *test, double multiple, double rate_rps, const LabSummary *summary)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);
  const LabHistogram *ok = lab_summary_latency (summary, LAB_OK);
  const LabHistogram *shed = lab_summary_latency (summary, LAB_SHED);
  const LabHistogram *failed = lab_summary_latency (summary, LAB_ERROR);
  guint64 offered = lab_summary_offered (summary);
  LabTime duration_ns = lab_summary_duration (summary);
  LabValue values[G_N_ELEMENTS (columns)] = {
    multiple > 0 ? lab_rps (multiple) : lab_none (),
    lab_count (offered),
    lab_rps (rate_rps),
    lab_rate (offered - lab_summary_count (summary, LAB_UNSENT), duration_ns),
    lab_rate (lab_summary_count (summary, LAB_OK), duration_ns),
    lab_rate (lab_summary_steady_ok (summary), lab_summary_steady_ns (summary)),
    lab_count (lab_summary_count (summary, LAB_OK)),
    lab_count (lab_summary_count (summary, LAB_SHED)),
    lab_count (lab_summary_count (summary, LAB_TIMEOUT)),
    lab_count (lab_summary_count (summary, LAB_ERROR)),
    lab_count (lab_summary_count (summary, LAB_UNSENT)),
    lab_milliseconds (lab_histogram_quantile (ok, 500)),
    lab_milliseconds (lab_histogram_quantile (ok, 990)),
    lab_milliseconds (lab_histogram_quantile (shed, 500)),
    lab_milliseconds (lab_histogram_quantile (shed, 990)),
    lab_milliseconds (lab_histogram_quantile (failed, 500)),
    lab_milliseconds (lab_histogram_quantile (failed, 990)),
    lab_none (),
    lab_count (counters->resent),
    lab_count (counters->retry_after),
    lab_count (counters->retry_after_ignored),
    LAB_LATENESS_VALUES (lab_summary_lateness (summary)),
  };

  for (guint i = 0; i < N_ERRORS; i++)
    values[G_N_ELEMENTS (main_columns) + i] = lab_count (counters->errors[i + 1]);
  lab_table_add (test->table, values, G_N_ELEMENTS (values));
  lab_print_row (test->lab, test->table, lab_table_n_rows (test->table) - 1);
}

static void
print_errors (Test *test)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);
  g_autoptr (GString) text = g_string_new (NULL);

  for (LabHttpError error = LAB_HTTP_NO_ERROR + 1; error < LAB_HTTP_N_ERRORS; error++)
    if (counters->errors[error] > 0 && error != LAB_HTTP_STATUS)
      g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT, text->len > 0 ? ", " : "", lab_http_error_name (error),
                              counters->errors[error]);
  for (guint status = 0; status < G_N_ELEMENTS (counters->statuses); status++)
    if (counters->statuses[status] > 0)
      g_string_append_printf (text, "%sstatus %u %" G_GUINT64_FORMAT, text->len > 0 ? ", " : "", status,
                              counters->statuses[status]);
  if (text->len > 0)
    lab_print (test->lab, "    what went wrong: %s\n", text->str);
}

static void
count (Test *test, const LabSummary *summary)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);

  test->offered += lab_summary_offered (summary);
  for (LabOutcome outcome = 0; outcome < LAB_N_OUTCOMES; outcome++)
    test->accounted += lab_summary_count (summary, outcome);
  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    test->errors[error] += counters->errors[error];
  for (guint status = 0; status < G_N_ELEMENTS (test->statuses); status++)
    test->statuses[status] += counters->statuses[status];
}

/* That the sends were late is said of the run, and the program ends with 3. */
static void
judge_lateness (Test *test, double rate_rps, const LabSummary *summary)
{
  const LabHistogram *lateness = lab_summary_lateness (summary);

  if (lab_summary_was_late (summary))
    lab_invalidate (test->lab,
                    "at %g requests per second over 1 %% were sent more than 10 ms late (p50 %.2f ms, p99 %.2f ms, "
                    "at most %.2f ms)",
                    rate_rps, (double) lab_histogram_quantile (lateness, 500) / LAB_MS,
                    (double) lab_histogram_quantile (lateness, 990) / LAB_MS,
                    (double) lab_histogram_max (lateness) / LAB_MS);
}

typedef struct
{
  const Test *test;
  LabOpenLoop *load;
} Run;

static gboolean
run_is_over (gpointer data)
{
  const Run *run = data;

  return run->test->is_refused || lab_open_loop_is_over (run->load);
}

/* @multiple: 0: none. */
static void
run_at (Test *test, double multiple, double rate_rps)
{
  const LabSettings *settings = lab_settings (test->lab);
  g_autoptr (LabOpenLoop) load
      = lab_open_loop_new (lab_clock (test->lab), lab_http_client_target (test->client),
                           &(LabOpenLoopOptions) { .arrivals = settings->arrivals,
                                                   .rate_rps = rate_rps,
                                                   .duration_ns = settings->duration_ns,
                                                   .client_timeout_ns = settings->client_timeout_ns,
                                                   .hang_up = TRUE,
                                                   .seed = (guint64) settings->seed });
  Run run = { test, load };

  begin_to_look (test);
  lab_open_loop_start (load);
  lab_run_until (test->lab, run_is_over, &run, settings->duration_ns);
  lab_timer_disarm (&test->look);
  add_row (test, multiple, rate_rps, lab_open_loop_summary (load));
  print_errors (test);
  count (test, lab_open_loop_summary (load));
  judge_lateness (test, rate_rps, lab_open_loop_summary (load));
}

/* The whole test */

static const char *
worst_error (const LabHttpCounters *counters)
{
  LabHttpError worst = LAB_HTTP_NO_ERROR;

  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    if (counters->errors[error] > counters->errors[worst])
      worst = error;
  return lab_http_error_name (worst);
}

static double
probe (Test *test)
{
  Lab *lab = test->lab;
  double steady_rps, capacity_rps;

  begin_to_look (test);
  capacity_rps = lab_http_capacity (lab, lab_http_client_target (test->client), lab_settings (lab)->client_timeout_ns,
                                    &test->is_refused, &steady_rps);
  lab_timer_disarm (&test->look);
  if (lab_is_interrupted (lab))
    return 0;
  if (test->is_refused)
    lab_fail (lab, "nobody listens there: every connection of a whole second was refused");
  if (capacity_rps <= 0)
    lab_fail (lab, "no request of the probe was answered well; what was wrong with most: %s",
              worst_error (lab_http_client_counters (test->client)));
  lab_print (lab, "capacity: %.1f requests/s (16 workers for 3 s; steady %.1f/s)\n", capacity_rps, steady_rps);
  lab_results_setting (lab_results (lab), "capacity_rps", lab_rps (capacity_rps));
  lab_results_setting (lab_results (lab), "steady_capacity_rps", lab_rps (steady_rps));
  return capacity_rps;
}

static void
sweep (Test *test)
{
  Lab *lab = test->lab;
  g_autoptr (GArray) multiples
      = parse_multiples (lab, test->settings.has_multiples ? test->settings.multiples : "0.5,1,1.5,2,4");
  double capacity_rps = probe (test);

  if (test->settings.probe_only || lab_is_interrupted (lab))
    return;
  for (guint i = 0; i < multiples->len; i++)
    lab_policy_refuse_empty_run (lab, "the load test", g_array_index (multiples, double, i) * capacity_rps);
  lab_print_heading (lab, test->table);
  for (guint i = 0; i < multiples->len && !test->is_refused && !lab_is_interrupted (lab); i++)
    {
      double multiple = g_array_index (multiples, double, i);

      run_at (test, multiple, multiple * capacity_rps);
    }
}

static void
conclude (Test *test)
{
  LabResults *results = lab_results (test->lab);

  for (LabHttpError error = LAB_HTTP_NO_ERROR + 1; error < LAB_HTTP_N_ERRORS; error++)
    lab_results_object (results, "errors", lab_http_error_name (error), lab_count (test->errors[error]));
  for (guint status = 0; status < G_N_ELEMENTS (test->statuses); status++)
    if (test->statuses[status] > 0)
      {
        g_autofree char *key = g_strdup_printf ("status_%u", status);

        lab_results_object (results, "errors", key, lab_count (test->statuses[status]));
      }
  if (test->settings.probe_only)
    return;
  lab_check (test->lab, test->accounted == test->offered, "every request has exactly one outcome",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, test->accounted, test->offered);
  lab_check (test->lab, !test->is_refused, "somebody listened throughout", "%s",
             test->is_refused ? "every connection of a whole second was refused: stopped" : "no second of refusals");
}

int
main (int argc, char *argv[])
{
  Test test = { .settings.headers = g_ptr_array_new_with_free_func (g_free) };
  g_autoptr (Lab) lab = test.lab = new_lab (&test.settings, argc, argv);

  lab_raise_file_limit ();
  test.client = new_client (lab, &test.settings);
  test.table = new_table (lab);
  lab_timer_init (&test.look, lab_clock (lab), look);
  lab_results_setting (lab_results (lab), "url", lab_text (lab_arguments (lab)[0]));
  if (test.settings.rate_rps > 0)
    {
      lab_policy_refuse_empty_run (lab, "the load test", test.settings.rate_rps);
      lab_print_heading (lab, test.table);
      run_at (&test, 0, test.settings.rate_rps);
    }
  else
    sweep (&test);
  conclude (&test);
  lab_http_client_free (test.client);
  settings_clear (&test.settings);
  return lab_finish (lab);
}
