/* The load test for your own code: step 9, put to any URL.
 *
 *   build/bin/loadtest http://127.0.0.1:8000/work
 *
 * It probes the capacity by a closed loop, then offers half of it up to four times
 * as much, open loop: requests come on their schedule whether the service keeps
 * up or not, and each has exactly one outcome. */
#include <string.h>
#include <time.h>

#include "../common/http/client.h"
#include "../common/http/probe.h"
#include "../common/http/sockets.h"
#include "../common/http/syntax.h"
#include "../common/lab/policy.h"
#include "../common/loadgen/loadgen.h"

#define REFUSED_FOR LAB_S /* after that long with nothing but refused connections it stops */
#define PROMPT_IN_A_ROW 3
#define PROMPT_LEAST_NS (10 * LAB_MS)
#define BUSY_RATIO 0.85 /* of a processor; a generator that takes more is near its own limit */

typedef struct
{
  double rate_rps;
  char *method, *body, *multiples;
  GPtrArray *headers;
  gboolean insecure, allow_remote, probe_only, has_rate, has_multiples, has_workers;
  gint64 workers, max_inflight;
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
  gboolean is_stopped; /* in the middle of a run */

  guint64 scheduled, offered, ok, unsent, too_late; /* over all runs */
  double highest;                                   /* multiple so far, and what became of its run: */
  guint64 shed, timeout, error;
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

static Settings command_line = { .workers = LAB_HTTP_PROBE_WORKERS };

static const LabOption options[] = {
  { .name = "rate",
    .letter = 'r',
    .kind = LAB_OPTION_RPS,
    .value = &command_line.rate_rps,
    .given = &command_line.has_rate,
    .unit = "RPS",
    .help = "One run at this rate, and no probe" },
  { .name = "multiples",
    .kind = LAB_OPTION_TEXT,
    .value = &command_line.multiples,
    .given = &command_line.has_multiples,
    .unit = "N,N...",
    .help = "Of the capacity, one run each (0.5,1,1.5,2,4)" },
  { .name = "workers",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.workers,
    .given = &command_line.has_workers,
    .min = 1,
    .max = LAB_HTTP_PROBE_WORKERS_MAX,
    .unit = "N",
    .help = "Of the probe: enough to fill the service; late answers do not count (16)" },
  { .name = "probe-only",
    .kind = LAB_OPTION_FLAG,
    .value = &command_line.probe_only,
    .help = "Stop after the capacity" },
  { .name = "header",
    .letter = 'H',
    .kind = LAB_OPTION_TEXTS,
    .value = &command_line.headers,
    .unit = "'NAME: VALUE'",
    .help = "A header of the request; may be given many times" },
  { .name = "method",
    .letter = 'm',
    .kind = LAB_OPTION_TEXT,
    .value = &command_line.method,
    .unit = "METHOD",
    .help = "Of the request (GET, or POST with a body)" },
  { .name = "body", .kind = LAB_OPTION_TEXT, .value = &command_line.body, .unit = "TEXT", .help = "Of the request" },
  { .name = "insecure",
    .letter = 'k',
    .kind = LAB_OPTION_FLAG,
    .value = &command_line.insecure,
    .help = "Take any certificate" },
  { .name = "max-inflight",
    .letter = 'c',
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.max_inflight,
    .min = 1,
    .max = G_MAXINT,
    .unit = "N",
    .help = "Requests under way at once; one more is held back (no limit)" },
  { .name = "allow-remote",
    .kind = LAB_OPTION_FLAG,
    .value = &command_line.allow_remote,
    .help = "Send to other machines, too: only to those that are yours" },
};

static Lab *
new_lab (int argc, char *argv[])
{
  const Settings *settings = &command_line;
  Lab *lab;

  command_line.headers = g_ptr_array_new_with_free_func (g_free);
  lab = lab_new (&(LabProgram) { .name = "loadtest",
                                 .summary = "Find the capacity of a service and what it does beyond.",
                                 .options = LAB_OPTIONS_REAL_ONLY | LAB_OPTIONS_PATIENCE | LAB_OPTIONS_DURATION
                                            | LAB_OPTIONS_ARRIVALS,
                                 .duration_ns = 6 * LAB_S,
                                 .own = options,
                                 .n_own = G_N_ELEMENTS (options),
                                 .arguments = "URL" },
                 argc, argv);

  if (g_strv_length (lab_arguments (lab)) != 1)
    lab_fail (lab, "give one URL, for instance http://127.0.0.1:8000/work");
  if ((settings->has_rate && settings->probe_only) || (settings->has_rate && settings->has_multiples)
      || (settings->probe_only && settings->has_multiples))
    lab_fail (lab, "--rate, --multiples and --probe-only exclude each other");
  if (settings->has_rate && settings->has_workers)
    lab_fail (lab, "--workers are those of the probe, and with --rate there is none");
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

static gboolean
all_are_refused (const Test *test)
{
  guint64 refused, others;

  count_refusals (test, &refused, &others);
  return refused > 0 && others == 0;
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
  { .key = "offered_rps", .heading = "requests/s", .width = 11, .decimals = 1 },
  { .key = "sent_rps" },
  { .key = "goodput_rps" },
  { .key = "steady_goodput_rps", .heading = "steady/s", .width = 9, .decimals = 1 },
  { .key = "ok", .heading = "ok", .width = 7 },
  { .key = "shed", .heading = "shed", .width = 7 },
  { .key = "timeout", .heading = "timeout", .width = 7 },
  { .key = "error", .heading = "error", .width = 6 },
  { .key = "unsent", .heading = "unsent", .width = 6 },
  { .key = "p50_ms", .heading = "ok p50 ms", .width = 9, .decimals = 1 },
  { .key = "p90_ms" },
  { .key = "p99_ms", .heading = "p99 ms", .width = 7, .decimals = 1 },
  { .key = "p999_ms" },
  { .key = "max_ms" },
  { .key = "shed_p50_ms" },
  { .key = "shed_p99_ms", .heading = "shed p99", .width = 8, .decimals = 1 },
  { .key = "shed_max_ms" },
  { .key = "timeout_p50_ms" },
  { .key = "timeout_p99_ms" },
  { .key = "timeout_max_ms" },
  { .key = "error_p50_ms" },
  { .key = "error_p99_ms" },
  { .key = "error_max_ms" },
  { .key = "wasted" }, /* a stranger's service does not say */
  { .key = "resent" },
  { .key = "retry_after" },
  { .key = "retry_after_ignored" },
  { .key = "lateness_p50_us" },
  { .key = "lateness_p99_us" },
  { .key = "lateness_max_us" },
  { .heading = "late p99", .width = 8, .decimals = 1 }, /* the same, in milliseconds */
  { .key = "valid" },                                   /* the generator kept its schedule */
  { .key = "too_late", .object = "errors" },            /* unsent, because it did not */
};

static const LabColumn second_columns[] = {
  { .key = "offered_rps" },
  { .key = "second" },
  { .key = "arrived" },
  { .key = "answered_in_time" },
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

static LabValue
quantile (const LabHistogram *histogram, guint permille)
{
  return lab_milliseconds (lab_histogram_quantile (histogram, permille));
}

#define LATENCY_VALUES(histogram) \
  quantile (histogram, 500), quantile (histogram, 990), lab_milliseconds (lab_histogram_max (histogram))

/* Requests that were never sent because their time had passed: the others that were
 * not are counted by the client. */
static guint64
too_late (const LabSummary *summary, const LabHttpCounters *counters)
{
  guint64 n = lab_summary_count (summary, LAB_UNSENT);

  for (LabHttpError error = LAB_HTTP_OUT_OF_PORTS; error < LAB_HTTP_N_ERRORS; error++)
    n -= counters->errors[error];
  return n;
}

static void
add_row (Test *test, double multiple, double rate_rps, const LabSummary *summary)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);
  const LabHistogram *ok = lab_summary_latency (summary, LAB_OK);
  const LabHistogram *lateness = lab_summary_lateness (summary);
  guint64 offered = lab_summary_offered (summary);
  guint64 unsent = lab_summary_count (summary, LAB_UNSENT);
  LabValue values[G_N_ELEMENTS (columns)] = {
    multiple > 0 ? lab_rps (multiple) : lab_none (),
    lab_count (offered),
    lab_rps (rate_rps),
    lab_rate (offered - unsent, lab_summary_sending_ns (summary)),
    lab_rate (lab_summary_count (summary, LAB_OK), lab_summary_duration (summary)),
    lab_rate (lab_summary_steady_ok (summary), lab_summary_steady_ns (summary)),
    lab_count (lab_summary_count (summary, LAB_OK)),
    lab_count (lab_summary_count (summary, LAB_SHED)),
    lab_count (lab_summary_count (summary, LAB_TIMEOUT)),
    lab_count (lab_summary_count (summary, LAB_ERROR)),
    lab_count (unsent),
    quantile (ok, 500),
    quantile (ok, 900),
    quantile (ok, 990),
    quantile (ok, 999),
    lab_milliseconds (lab_histogram_max (ok)),
    LATENCY_VALUES (lab_summary_latency (summary, LAB_SHED)),
    LATENCY_VALUES (lab_summary_latency (summary, LAB_TIMEOUT)),
    LATENCY_VALUES (lab_summary_latency (summary, LAB_ERROR)),
    lab_none (),
    lab_count (counters->resent),
    lab_count (counters->retry_after),
    lab_count (counters->retry_after_ignored),
    LAB_LATENESS_VALUES (lateness),
    quantile (lateness, 990),
    lab_boolean (!lab_summary_was_late (summary)),
    lab_count (too_late (summary, counters)),
  };

  for (guint i = 0; i < N_ERRORS; i++)
    values[G_N_ELEMENTS (main_columns) + i] = lab_count (counters->errors[i + 1]);
  lab_table_add (test->table, values, G_N_ELEMENTS (values));
  lab_print_row (test->lab, test->table, lab_table_n_rows (test->table) - 1);
}

static void
add_seconds (Test *test, double rate_rps, const LabSummary *summary)
{
  LabTable *table
      = lab_results_table (lab_results (test->lab), "by_second", TRUE, second_columns, G_N_ELEMENTS (second_columns));
  guint n_seconds;
  const LabSecond *seconds = lab_summary_by_second (summary, &n_seconds);

  for (guint second = 0; second < n_seconds; second++)
    lab_table_add (table, LAB_ROW (lab_rps (rate_rps), lab_count (second), lab_count (seconds[second].arrived),
                                   lab_count (seconds[second].ok)));
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
count (Test *test, double multiple, double rate_rps, const LabSummary *summary)
{
  const LabHttpCounters *counters = lab_http_client_counters (test->client);

  test->scheduled += lab_policy_scheduled (test->lab, rate_rps);
  test->offered += lab_summary_offered (summary);
  test->ok += lab_summary_count (summary, LAB_OK);
  test->unsent += lab_summary_count (summary, LAB_UNSENT);
  test->too_late += too_late (summary, counters);
  if (multiple > test->highest)
    {
      test->highest = multiple;
      test->shed = lab_summary_count (summary, LAB_SHED);
      test->timeout = lab_summary_count (summary, LAB_TIMEOUT);
      test->error = lab_summary_count (summary, LAB_ERROR);
    }
  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    test->errors[error] += counters->errors[error];
  for (guint status = 0; status < G_N_ELEMENTS (test->statuses); status++)
    test->statuses[status] += counters->statuses[status];
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
  const LabSummary *summary = lab_open_loop_summary (load);
  g_autofree char *label
      = multiple > 0 ? g_strdup_printf ("%.2fx", multiple) : g_strdup_printf ("%g requests/s", rate_rps);
  Run run = { test, load };

  begin_to_look (test);
  lab_open_loop_start (load);
  lab_run_until (test->lab, run_is_over, &run, settings->duration_ns);
  lab_timer_disarm (&test->look);
  test->is_stopped = !lab_open_loop_is_over (load);
  lab_open_loop_stop (load);
  test->is_refused = test->is_refused || all_are_refused (test);
  add_row (test, multiple, rate_rps, summary);
  add_seconds (test, rate_rps, summary);
  print_errors (test);
  count (test, multiple, rate_rps, summary);
  lab_policy_judge_lateness (test->lab, label, summary);
}

/* Between two runs */

static gboolean
is_answered_within (Test *test, LabTime within_ns)
{
  g_autoptr (LabOpenLoop) load = lab_open_loop_new (
      lab_clock (test->lab), lab_http_client_target (test->client),
      &(LabOpenLoopOptions) { .rate_rps = 1, .duration_ns = LAB_S, .client_timeout_ns = within_ns, .hang_up = TRUE });

  lab_open_loop_start (load);
  lab_run_until (test->lab, lab_open_loop_is_over, load, within_ns);
  return lab_summary_count (lab_open_loop_summary (load), LAB_OK) == 1;
}

/* The line of one run would stand before the next: so the service is left alone, but
 * for one request now and then, until it answers promptly again. By Little's law an
 * answer of the probe took workers / capacity. A service that works off everything
 * needs less than the multiple of a run's time for it, and more is not waited for. */
static void
let_it_rest (Test *test, double multiple, double capacity_rps)
{
  Lab *lab = test->lab;
  const LabSettings *settings = lab_settings (lab);
  LabTime probe_ns = (LabTime) ((double) test->settings.workers * LAB_S / capacity_rps);
  LabTime prompt_ns
      = CLAMP (2 * probe_ns, MIN (PROMPT_LEAST_NS, settings->client_timeout_ns), settings->client_timeout_ns);
  LabTime limit_ns = (LabTime) (MAX (multiple, 1) * (double) settings->duration_ns) + settings->client_timeout_ns;
  LabTime end_ns = lab_clock_now (lab_clock (lab)) + limit_ns;
  guint in_a_row = 0;

  begin_to_look (test);
  while (in_a_row < PROMPT_IN_A_ROW && !test->is_refused && !lab_is_interrupted (lab))
    {
      if (lab_clock_now (lab_clock (lab)) >= end_ns)
        {
          lab_warn (lab,
                    "%g s after %gx the service does not answer within %g s yet: the next row begins with what this "
                    "one has left",
                    (double) limit_ns / LAB_S, multiple, (double) prompt_ns / LAB_S);
          break;
        }
      in_a_row = is_answered_within (test, prompt_ns) ? in_a_row + 1 : 0;
      if (in_a_row == 0)
        lab_sleep (lab, prompt_ns);
    }
  lab_timer_disarm (&test->look);
}

/* The whole test */

static LabHttpError
worst_error (const LabHttpCounters *counters)
{
  LabHttpError worst = LAB_HTTP_NO_ERROR;

  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    if (counters->errors[error] > counters->errors[worst])
      worst = error;
  return worst;
}

/* Ends the program: without a capacity there are no multiples of it. */
G_NORETURN static void
fail_without_capacity (Test *test, const LabHttpProbe *found)
{
  LabHttpError worst = worst_error (lab_http_client_counters (test->client));

  if (test->is_refused)
    lab_fail (test->lab, "nobody listens there: every connection of a whole second was refused");
  if (found->shed > MAX (lab_http_client_counters (test->client)->errors[worst], found->late))
    lab_fail (test->lab,
              "no request of the probe was answered well: %" G_GUINT64_FORMAT " were refused with 503 or 429",
              found->shed);
  if (worst != LAB_HTTP_NO_ERROR)
    lab_fail (test->lab, "no request of the probe was answered well; what was wrong with most: %s",
              lab_http_error_name (worst));
  if (found->late == 0)
    lab_fail (test->lab, "no request of the probe was answered at all within the client timeout of %g s",
              (double) lab_settings (test->lab)->client_timeout_ns / LAB_S);
  lab_fail (test->lab,
            "no request of the probe was answered well within the client timeout of %g s (%" G_GUINT64_FORMAT
            " were later); give it fewer --workers, or a longer --client-timeout",
            (double) lab_settings (test->lab)->client_timeout_ns / LAB_S, found->late);
}

static void
print_probe (const Test *test, const LabHttpProbe *found, double capacity_rps, double busy_ratio)
{
  lab_print (test->lab, "capacity: %.1f requests/s (%" G_GINT64_FORMAT " workers for 3 s, the first second left out)\n",
             capacity_rps, test->settings.workers);
  if (found->late > 0)
    lab_print (test->lab,
               "    %" G_GUINT64_FORMAT
               " answers came after the client timeout and are not counted: too many --workers "
               "for this service, or its listen backlog is short\n",
               found->late);
  if (busy_ratio > BUSY_RATIO)
    lab_print (test->lab,
               "    the load test itself took %.0f %% of a processor: this may be its own limit, not the service's\n",
               100 * busy_ratio);
}

/* The capacity is the steady reading: the other counts what is in flight at the end, up
 * to workers / 3 s too much, and stands in only when every answer takes seconds. */
static double
probe (Test *test)
{
  Lab *lab = test->lab;
  LabResults *results = lab_results (lab);
  LabTime begun_ns = lab_clock_now (lab_clock (lab));
  clock_t busy_since = clock ();
  double busy_ratio, capacity_rps;
  LabHttpProbe found;

  begin_to_look (test);
  lab_http_probe (lab, lab_http_client_target (test->client),
                  &(LabHttpProbeOptions) { .workers = (guint) test->settings.workers,
                                           .patience_ns = lab_settings (lab)->client_timeout_ns,
                                           .give_up = &test->is_refused },
                  &found);
  lab_timer_disarm (&test->look);
  if (lab_is_interrupted (lab))
    return 0;
  if (test->is_refused || found.ok == 0)
    fail_without_capacity (test, &found);
  busy_ratio = (double) (clock () - busy_since) / CLOCKS_PER_SEC * LAB_S
               / (double) (lab_clock_now (lab_clock (lab)) - begun_ns);
  capacity_rps = found.steady_rps > 0 ? found.steady_rps : found.capacity_rps;
  print_probe (test, &found, capacity_rps, busy_ratio);
  lab_results_setting (results, "workers", lab_count ((guint64) test->settings.workers));
  lab_results_setting (results, "capacity_rps", lab_rps (capacity_rps));
  lab_results_setting (results, "probe_rps", lab_rps (found.capacity_rps));
  lab_results_setting (results, "probe_late", lab_count (found.late));
  lab_results_setting (results, "probe_processor_percent", lab_decimal ((gint64) (1000 * busy_ratio), 1));
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
    lab_policy_refuse_senseless_run (lab, "the load test", g_array_index (multiples, double, i) * capacity_rps);
  lab_print_heading (lab, test->table);
  for (guint i = 0; i < multiples->len && !test->is_refused && !lab_is_interrupted (lab); i++)
    {
      double multiple = g_array_index (multiples, double, i);

      run_at (test, multiple, multiple * capacity_rps);
      if (i + 1 < multiples->len)
        let_it_rest (test, multiple, capacity_rps);
    }
}

static void
add_errors (Test *test)
{
  LabResults *results = lab_results (test->lab);

  lab_results_object (results, "errors", "too_late", lab_count (test->too_late));
  for (LabHttpError error = LAB_HTTP_NO_ERROR + 1; error < LAB_HTTP_N_ERRORS; error++)
    lab_results_object (results, "errors", lab_http_error_name (error), lab_count (test->errors[error]));
  for (guint status = 0; status < G_N_ELEMENTS (test->statuses); status++)
    if (test->statuses[status] > 0)
      {
        g_autofree char *key = g_strdup_printf ("status_%u", status);

        lab_results_object (results, "errors", key, lab_count (test->statuses[status]));
      }
}

/* Whoever sets --max-inflight wants requests held back; nobody wants too few files. */
static void
check_sending (Test *test)
{
  const char *claim = "every request could be sent";
  guint64 held_back = test->errors[LAB_HTTP_OVER_MAX_INFLIGHT];
  guint64 could_not = test->unsent - held_back - test->too_late;

  if (could_not > 0)
    lab_check (test->lab, FALSE, claim,
               "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " could not, for want of files (%" G_GUINT64_FORMAT
               "; the limit is %u), ports (%" G_GUINT64_FORMAT ") or memory (%" G_GUINT64_FORMAT ")",
               could_not, test->offered, test->errors[LAB_HTTP_OUT_OF_FILES], lab_raise_file_limit (),
               test->errors[LAB_HTTP_OUT_OF_PORTS], test->errors[LAB_HTTP_OUT_OF_MEMORY]);
  else if (held_back > 0)
    lab_skip (test->lab, claim,
              "--max-inflight held back %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ": the load was not open",
              held_back, test->offered);
  else
    lab_check (test->lab, TRUE, claim, "%" G_GUINT64_FORMAT, test->offered);
}

static void
check_overload (Test *test)
{
  const char *claim = "the highest load was an overload";

  if (test->shed + test->timeout + test->error > 0)
    lab_check (test->lab, TRUE, claim,
               "at %gx %" G_GUINT64_FORMAT " shed, %" G_GUINT64_FORMAT " timed out, %" G_GUINT64_FORMAT " failed",
               test->highest, test->shed, test->timeout, test->error);
  else
    lab_skip (test->lab, claim,
              "at %gx nothing was shed, timed out or failed, so this says nothing about overload: the probe wants more "
              "--workers than %" G_GINT64_FORMAT ", or the test higher --multiples",
              test->highest, test->settings.workers);
}

static void
conclude (Test *test)
{
  add_errors (test);
  if (test->settings.probe_only)
    return;
  if (test->is_stopped)
    lab_skip (test->lab, "every request has exactly one outcome", "it was stopped with some under way");
  else
    lab_check (test->lab, test->offered == test->scheduled, "every request has exactly one outcome",
               "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, test->offered, test->scheduled);
  check_sending (test);
  lab_check (test->lab, test->ok > 0, "some requests were answered in time",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, test->ok, test->offered);
  if (test->highest > 0)
    check_overload (test);
  lab_check (test->lab, !test->is_refused, "somebody listened throughout", "%s",
             test->is_stopped   ? "every connection of a whole second was refused: stopped"
             : test->is_refused ? "every connection was refused"
                                : "no second of refusals");
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = new_lab (argc, argv);
  Test test = { .lab = lab, .settings = command_line };
  g_autofree char *url = lab_http_url_to_show (lab_arguments (lab)[0]);
  test.client = new_client (lab, &test.settings);
  test.table = new_table (lab);
  lab_timer_init (&test.look, lab_clock (lab), look);
  lab_results_setting (lab_results (lab), "url", lab_text (url));
  if (test.settings.rate_rps > 0)
    {
      lab_policy_refuse_senseless_run (lab, "the load test", test.settings.rate_rps);
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
