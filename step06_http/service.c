/* The service of step 6: the lab's admission controller in front of a real web
 * service. Its work only takes time; everything around it is as it would be.
 *
 *   build/bin/service --port=8000 --max-waiting=41 --max-wait=0.3s
 *   curl -i http://127.0.0.1:8000/work
 */
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/admission/admission.h"
#include "../common/http/server.h"
#include "../common/http/sockets.h"
#include "../common/lab/lab.h"
#include "../common/lab/options.h"
#include "../common/lab/process.h"
#include "log.h"

#define FINISH_WITHIN (3 * LAB_S) /* after a signal */
#define N_COUNTERS 8
#define FILES_LEAST 12 /* its own, and a few connections */

typedef struct
{
  gint64 port, slots, max_waiting, retry_after_s, limit_concurrency;
  LabTime service_time_ns, max_wait_ns;
  gboolean has_max_waiting, has_max_wait, has_service_time, has_limit_concurrency, watch_hangups, show_version;
} Settings;

typedef struct
{
  Settings settings;
  LabClock *clock;
  LabAdmission *admission;
  LabHttpServer *server;
  LabTimer finish; /* after a signal: the end of the patience with what still runs */
  gboolean is_stopping;
  int exit_status;
  guint64 work_done;
  LabHttpResponse *ok, *up, *line_full, *waited_too_long, *unavailable;
} Service;

/* The block of one request. */
typedef struct
{
  LabHttpRequest http;
  Service *service; /* NULL: not a request for work */
  LabTicket ticket;
  LabTimer work;
  gboolean is_waiting;
} Work;

/* GET /work */

static void
work_is_done (LabTimer *timer)
{
  Work *work = LAB_OWNER_OF (timer, Work, work);
  Service *service = work->service;

  service->work_done++;
  lab_admission_leave (service->admission, &work->ticket);
  lab_http_respond (&work->http, service->ok);
}

static void
start_work (Work *work)
{
  LabClock *clock = work->service->clock;

  lab_timer_arm (&work->work, lab_clock_now (clock) + work->service->settings.service_time_ns);
}

/* The reject path: the response was made long ago, so this costs next to nothing. */
static void
turn_away (Work *work, LabAnswer answer)
{
  Service *service = work->service;

  lab_http_respond (&work->http, answer == LAB_SHED_LINE_FULL ? service->line_full : service->waited_too_long);
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  Work *work = LAB_OWNER_OF (ticket, Work, ticket);

  work->is_waiting = FALSE;
  if (answer == LAB_RUN)
    start_work (work);
  else
    turn_away (work, answer);
}

static void
handle_work (LabHttpRequest *request, gpointer data)
{
  Work *work = LAB_OWNER_OF (request, Work, http);
  Service *service = data;
  LabAnswer answer;

  if (service->is_stopping)
    {
      lab_http_respond (request, service->unavailable);
      return;
    }
  work->service = service;
  lab_ticket_init (&work->ticket, answered);
  lab_timer_init (&work->work, service->clock, work_is_done);
  answer = lab_admission_ask (service->admission, &work->ticket);
  work->is_waiting = answer == LAB_WAIT;
  if (answer == LAB_RUN)
    start_work (work);
  else if (answer != LAB_WAIT)
    turn_away (work, answer);
  else if (service->settings.watch_hangups)
    lab_http_watch (request);
}

/* A waiting client has left. Work that has started runs on all the same. */
static void
hung_up (LabHttpRequest *request, gpointer data)
{
  Work *work = LAB_OWNER_OF (request, Work, http);
  Service *service = data;

  if (!work->is_waiting)
    return;
  work->is_waiting = FALSE;
  lab_admission_leave (service->admission, &work->ticket);
  lab_http_drop (request);
}

/* Whatever became of the request, what it holds is given back. */
static void
ended (LabHttpRequest *request, gpointer data)
{
  Work *work = LAB_OWNER_OF (request, Work, http);
  Service *service = data;

  if (work->service == NULL)
    return;
  lab_timer_disarm (&work->work);
  lab_admission_leave (service->admission, &work->ticket);
}

/* GET /health, /stats and /metrics: outside the controller, answered at once. */

static void
handle_health (LabHttpRequest *request, gpointer data)
{
  lab_http_respond (request, ((Service *) data)->up);
}

typedef struct
{
  const char *name;
  const char *kind; /* as Prometheus has it */
  guint64 value;
} Counter;

static void
read_counters (const Service *service, Counter counters[N_COUNTERS])
{
  const LabAdmissionCounters *now = lab_admission_counters (service->admission);
  const Counter all[N_COUNTERS] = {
    { "work_done", "counter", service->work_done },
    { "peak_line", "gauge", now->peak_waiting },
    { "admitted", "counter", now->admitted },
    { "shed_line_full", "counter", now->shed_line_full },
    { "shed_waited_too_long", "counter", now->shed_waited_too_long },
    { "abandoned_in_line", "counter", now->cancelled },
    { "waiting", "gauge", now->waiting },
    { "running", "gauge", now->running },
  };

  for (guint i = 0; i < N_COUNTERS; i++)
    counters[i] = all[i];
}

static void
respond_text (LabHttpRequest *request, const char *content_type, const GString *text)
{
  g_autoptr (LabHttpResponse) response = lab_http_response_new (200, content_type, text->str, NULL, NULL);

  lab_http_respond (request, response);
}

static void
handle_stats (LabHttpRequest *request, gpointer data)
{
  g_autoptr (GString) text = g_string_new ("{");
  Counter counters[N_COUNTERS];

  read_counters (data, counters);
  for (guint i = 0; i < N_COUNTERS; i++)
    g_string_append_printf (text, "%s\"%s\":%" G_GUINT64_FORMAT, i == 0 ? "" : ",", counters[i].name,
                            counters[i].value);
  g_string_append_c (text, '}');
  respond_text (request, "application/json", text);
}

static void
handle_metrics (LabHttpRequest *request, gpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Counter counters[N_COUNTERS];

  read_counters (data, counters);
  for (guint i = 0; i < N_COUNTERS; i++)
    g_string_append_printf (text, "# TYPE overload_%s %s\noverload_%s %" G_GUINT64_FORMAT "\n", counters[i].name,
                            counters[i].kind, counters[i].name, counters[i].value);
  respond_text (request, "text/plain; version=0.0.4", text);
}

/* --limit-concurrency: a limit of the server itself, as some servers have it. It
 * counts connections, knows nothing of the work, gives no Retry-After, and logs
 * each refusal, which is work done for those who are refused. */
static gboolean
refuse_connection (LabHttpRequest *request, gpointer data)
{
  Service *service = data;

  if (lab_http_server_connections (service->server) < service->settings.limit_concurrency)
    return FALSE;
  step06_log ("Exceeded concurrency limit.");
  lab_http_respond (request, service->unavailable);
  return TRUE;
}

/* Options: flags, and where no flag is given the environment. */

static Settings command_line = { .port = 8000, .slots = 4, .service_time_ns = 50 * LAB_MS, .retry_after_s = 1 };

static const LabOption options[] = {
  { .name = "port",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.port,
    .max = G_MAXUINT16,
    .unit = "N",
    .help = "on the loopback address; 0 takes a free one (8000)" },
  { .name = "slots",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.slots,
    .min = 1,
    .max = G_MAXINT,
    .unit = "N",
    .help = "requests worked on at once (4)" },
  { .name = "service-time",
    .kind = LAB_OPTION_DURATION,
    .value = &command_line.service_time_ns,
    .given = &command_line.has_service_time,
    .max = LAB_DURATION_MAX,
    .unit = "DURATION",
    .help = "work per request (50ms; else SERVICE_TIME)" },
  { .name = "max-waiting",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.max_waiting,
    .given = &command_line.has_max_waiting,
    .max = G_MAXINT,
    .unit = "N",
    .help = "requests in line; 0: no line (no limit; else MAX_WAITING)" },
  { .name = "max-wait",
    .kind = LAB_OPTION_DURATION,
    .value = &command_line.max_wait_ns,
    .given = &command_line.has_max_wait,
    .max = LAB_DURATION_MAX,
    .unit = "DURATION",
    .help = "time in line; 0: never wait (no limit; else MAX_WAIT_S)" },
  { .name = "retry-after",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.retry_after_s,
    .max = G_MAXINT,
    .unit = "SECONDS",
    .help = "that refused clients are asked to stay away (1)" },
  { .name = "limit-concurrency",
    .kind = LAB_OPTION_COUNT,
    .value = &command_line.limit_concurrency,
    .given = &command_line.has_limit_concurrency,
    .min = 1,
    .max = G_MAXINT,
    .unit = "N",
    .help = "connections open at which the server refuses by itself (no limit)" },
  { .name = "watch-hangups",
    .kind = LAB_OPTION_FLAG,
    .value = &command_line.watch_hangups,
    .help = "a waiting client that hangs up leaves the line" },
  { .name = "version", .kind = LAB_OPTION_FLAG, .value = &command_line.show_version, .help = "print the version" },
};

static gboolean
read_environment (GError **error)
{
  static const struct
  {
    const char *name, *option;
  } variables[] = {
    { "MAX_WAITING", "max-waiting" },
    { "MAX_WAIT_S", "max-wait" },
    { "SERVICE_TIME", "service-time" },
  };

  for (guint v = 0; v < G_N_ELEMENTS (variables); v++)
    for (guint i = 0; i < G_N_ELEMENTS (options); i++)
      {
        const char *text = g_getenv (variables[v].name);

        if (text == NULL || !g_str_equal (options[i].name, variables[v].option) || *options[i].given)
          continue;
        if (!lab_option_set (&options[i], variables[v].name, text, error))
          return FALSE;
      }
  return TRUE;
}

/* On standard output. */
static gboolean
say (const char *text)
{
  if (fputs (text, stdout) != EOF && fflush (stdout) == 0)
    return TRUE;
  step06_log ("service: cannot write standard output: %s", g_strerror (errno));
  return FALSE;
}

static void
read_command_line (int argc, char *argv[])
{
  const LabUsage usage
      = { .summary = "A small web service with admission control: GET /work /health /stats /metrics." };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = lab_options_parse (options, G_N_ELEMENTS (options), &usage, argc, argv, &error);

  if (arguments == NULL || !read_environment (&error))
    {
      step06_log ("service: %s", error->message);
      exit (2);
    }
  if (command_line.show_version)
    exit (say ("service " LAB_VERSION "\n") ? 0 : 2);
}

/* Its life. */

static void
finish_now (LabTimer *timer)
{
  Service *service = LAB_OWNER_OF (timer, Service, finish);

  step06_log ("service: requests dropped because they were not done in time: %u",
              lab_http_server_held (service->server));
  lab_clock_stop (service->clock);
}

/* SIGTERM or Ctrl-C: no new connection is accepted, new requests for work on the open
 * ones are turned away, and so are those that wait in line. Works that run are finished,
 * unless they take too long, or another signal comes. */
static gboolean
stop (gpointer data)
{
  Service *service = data;
  LabLimits limits = *lab_admission_limits (service->admission);

  if (service->is_stopping)
    {
      finish_now (&service->finish);
      return G_SOURCE_CONTINUE;
    }
  service->is_stopping = TRUE;
  lab_http_server_stop_listening (service->server);
  limits.max_waiting = limits.max_wait = LAB_AT_MOST (0);
  lab_admission_set_limits (service->admission, &limits);
  lab_timer_arm (&service->finish, lab_clock_now (service->clock) + FINISH_WITHIN);
  return G_SOURCE_CONTINUE;
}

static gboolean
interrupt (gpointer data)
{
  ((Service *) data)->exit_status = 128 + SIGINT;
  return stop (data);
}

static gboolean
has_finished (gpointer data)
{
  const Service *service = data;

  return service->is_stopping && lab_http_server_held (service->server) == 0;
}

static void
make_responses (Service *service)
{
  g_autofree char *retry_after = g_strdup_printf ("%u", lab_admission_limits (service->admission)->retry_after_s);

  service->ok = lab_http_response_new (200, "application/json", "{\"ok\":true}", NULL, NULL);
  service->up = lab_http_response_new (200, "application/json", "{\"status\":\"up\"}", NULL, NULL);
  service->line_full = lab_http_response_new (
      503, "application/json", "{\"error\":\"overloaded\",\"reason\":\"line_full\"}", "Retry-After", retry_after);
  service->waited_too_long = lab_http_response_new (
      503, "application/json", "{\"error\":\"overloaded\",\"reason\":\"waited_too_long\"}", "Retry-After", retry_after);
  service->unavailable = lab_http_response_new (503, "text/plain", "Service Unavailable", "Connection", "close");
}

static void
free_responses (Service *service)
{
  lab_http_response_free (service->ok);
  lab_http_response_free (service->up);
  lab_http_response_free (service->line_full);
  lab_http_response_free (service->waited_too_long);
  lab_http_response_free (service->unavailable);
}

static gboolean
listen_on_port (Service *service, GError **error)
{
  static const LabHttpRoute routes[] = {
    { "/work", handle_work }, { "/health", handle_health }, { "/stats", handle_stats }, { "/metrics", handle_metrics }
  };

  service->server = lab_http_server_new (
      &(LabHttpServerOptions) {
          .port = (guint16) service->settings.port,
          .routes = routes,
          .n_routes = G_N_ELEMENTS (routes),
          .data = service,
          .request_size = sizeof (Work),
          .arrived = service->settings.has_limit_concurrency ? refuse_connection : NULL,
          .hung_up = hung_up,
          .ended = ended,
      },
      error);
  return service->server != NULL;
}

/* The main loop needs a few files, without which GLib would abort. */
static gboolean
has_files (void)
{
  guint limit = lab_raise_file_limit ();
  int fds[FILES_LEAST];
  int n = 0;

  while (n < FILES_LEAST && (fds[n] = dup (STDIN_FILENO)) >= 0)
    n++;
  for (int i = 0; i < n; i++)
    close (fds[i]);
  if (n < FILES_LEAST)
    step06_log ("service: needs room for %d open files, and has it for %d; the limit is %u (ulimit -n)", FILES_LEAST, n,
                limit);
  return n == FILES_LEAST;
}

static LabAdmission *
new_admission (LabClock *clock, const Settings *settings)
{
  return lab_admission_new (clock, &(LabLimits) { .slots = (guint) settings->slots,
                                                  .max_waiting = { settings->has_max_waiting, settings->max_waiting },
                                                  .max_wait = { settings->has_max_wait, settings->max_wait_ns },
                                                  .retry_after_s = (guint) settings->retry_after_s });
}

static gboolean
start (Service *service)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  if (!listen_on_port (service, &error))
    {
      step06_log ("service: %s", error->message);
      return FALSE;
    }
  make_responses (service);
  lab_timer_init (&service->finish, service->clock, finish_now);
  g_unix_signal_add (SIGTERM, stop, service);
  g_unix_signal_add (SIGINT, interrupt, service);
  line = g_strdup_printf ("listening on http://127.0.0.1:%u\n", lab_http_server_port (service->server));
  return say (line);
}

static void
finish (Service *service)
{
  if (service->server == NULL)
    return;
  g_clear_pointer (&service->server, lab_http_server_free); /* it still uses all of the rest */
  free_responses (service);
}

int
main (int argc, char *argv[])
{
  Service service = { 0 };
  g_autoptr (LabClock) clock = NULL;
  g_autoptr (LabAdmission) admission = NULL;
  gboolean has_started;

  lab_process_prepare ();
  read_command_line (argc, argv);
  service.settings = command_line;
  if (!has_files ())
    return 2;
  service.clock = clock = lab_clock_new_real ();
  service.admission = admission = new_admission (clock, &service.settings);
  has_started = start (&service);
  if (has_started)
    lab_clock_run_until (clock, has_finished, &service);
  finish (&service);
  step06_log_end ();
  return has_started ? service.exit_status : 2;
}
