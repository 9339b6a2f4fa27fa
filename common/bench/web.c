#include "web.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../http/child.h"

#define ROUNDS 3

static gboolean
is_installed (const char *program)
{
  g_autofree char *path = g_find_program_in_path (program);

  return path != NULL;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

double
bench_median (const double *values, guint n)
{
  double sorted[BENCH_MOST_ROUNDS];

  g_return_val_if_fail (n <= BENCH_MOST_ROUNDS, 0);

  memcpy (sorted, values, n * sizeof *values);
  qsort (sorted, n, sizeof *sorted, compare);
  return sorted[n / 2];
}

static void
add (BenchReading *readings, guint *n, BenchReading reading)
{
  g_return_if_fail (*n < BENCH_MOST_READINGS);

  readings[(*n)++] = reading;
}

/* Servers are on the second processor, where there are two; the load comes from the
 * first. Returns: (transfer full) */
static char *
on_processor (guint number, const char *command)
{
  if (sysconf (_SC_NPROCESSORS_ONLN) > 1 && is_installed ("taskset"))
    return g_strdup_printf ("taskset -c %u %s", number, command);
  return g_strdup (command);
}

/* The server leaves its number in the file @id. @port as in LabChildOptions.
 * Returns: (transfer full) */
static LabChild *
start (const char *command, guint16 port, const char *id, GError **error)
{
  g_autofree char *placed = on_processor (1, command);
  g_autofree char *script = g_strdup_printf ("echo $$ >%s; exec %s", id, placed);
  const char *argv[] = { "sh", "-c", script, NULL };
  LabChild *child = lab_child_start (&(LabChildOptions) { .argv = argv, .port = port }, error);

  if (child == NULL)
    g_prefix_error (error, "%s: ", command);
  return child;
}

/* How long the process with its number in the file @id has been on a processor. */
static double
processor_s (const char *id)
{
  g_autofree char *number = NULL;
  g_autofree char *path = NULL;
  g_autofree char *content = NULL;

  if (!g_file_get_contents (id, &number, NULL, NULL))
    return 0;
  path = g_strdup_printf ("/proc/%s/schedstat", g_strchomp (number));
  return g_file_get_contents (path, &content, NULL, NULL) ? g_ascii_strtod (content, NULL) / 1e9 : 0;
}

/* Runs a command on the first processor. Returns whether it ended well; @output,
 * which may be NULL, is (transfer full) and NULL when it did not run. */
static gboolean
run (const char *command, char **output)
{
  g_autofree char *placed = on_processor (0, command);
  g_autofree char *printed = NULL;
  g_autofree char *complaints = NULL;
  int status = -1;

  g_spawn_command_line_sync (placed, &printed, &complaints, &status, NULL);
  if (output != NULL)
    *output = g_steal_pointer (&printed);
  return status == 0;
}

/* Sends the request for @path and leaves it at that. Returns: (transfer full) */
static GSocketConnection *
ask (guint16 port, const char *path, GError **error)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketConnection) connection = g_socket_client_connect_to_host (client, "127.0.0.1", port, NULL, error);
  g_autofree char *request = g_strdup_printf ("GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path);

  if (connection == NULL
      || !g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (connection)), request,
                                     strlen (request), NULL, NULL, error))
    return NULL;
  return g_steal_pointer (&connection);
}

/* Refusals */

typedef struct
{
  const char *who, *program; /* NULL: it is ours */
  char *command;
  guint16 port;
  char *id;
  LabChild *child;            /* NULL: not installed */
  double krps[ROUNDS];        /* thousand refusals a second */
  double k_per_cpu_s[ROUNDS]; /* thousand in a second of the server's processor */
} Refuser;

static void
refuse_for_a_second (Refuser *refuser, guint round)
{
  g_autofree char *command = g_strdup_printf ("wrk -t1 -c64 -d1s http://127.0.0.1:%u/work", refuser->port);
  double before_s = processor_s (refuser->id);
  g_autofree char *output = NULL;
  const char *at = run (command, &output) ? strstr (output, "Non-2xx or 3xx responses: ") : NULL;
  double refused = at != NULL ? g_ascii_strtod (strchr (at, ':') + 1, NULL) : 0;
  double spent_s = processor_s (refuser->id) - before_s;

  refuser->krps[round] = refused / 1000; /* in its one second */
  refuser->k_per_cpu_s[round] = spent_s > 0 ? refused / 1000 / spent_s : 0;
}

static void
add_refusals (const Refuser *refusers, guint n_refusers, const char *measured, gsize member, BenchReading *readings,
              guint *n)
{
  double own = 0;

  for (guint i = 0; i < n_refusers; i++)
    {
      double value = bench_median (G_STRUCT_MEMBER_P (&refusers[i], member), ROUNDS);

      own = i == 0 ? value : own;
      add (readings, n,
           (BenchReading) { measured, refusers[i].who, "thousand/s", refusers[i].child != NULL ? value : -1,
                            i > 0 && value > 0 ? own / value : 0 });
    }
}

static gboolean
start_refusers (Refuser *refusers, guint n_refusers, const char *scratch, GError **error)
{
  for (guint i = 0; i < n_refusers; i++)
    {
      Refuser *refuser = &refusers[i];

      refuser->id = g_strdup_printf ("%s/refuser-%u", scratch, i);
      if (refuser->program != NULL && !is_installed (refuser->program))
        continue;
      refuser->child = start (refuser->command, refuser->port, refuser->id, error);
      if (refuser->child == NULL)
        return FALSE;
      refuser->port = lab_child_port (refuser->child);
    }
  return TRUE;
}

static gboolean
refuse (Lab *lab, Refuser *refusers, guint n_refusers, const char *scratch, GError **error)
{
  g_autoptr (GSocketConnection) holder = NULL;

  if (!start_refusers (refusers, n_refusers, scratch, error))
    return FALSE;
  holder = ask (refusers[0].port, "/work", error); /* takes the one slot, so that all others are refused */
  for (guint round = 0; round < ROUNDS && holder != NULL; round++)
    for (guint i = 0; i < n_refusers && !lab_is_interrupted (lab); i++)
      if (refusers[i].child != NULL)
        refuse_for_a_second (&refusers[i], round);
  return holder != NULL;
}

static gboolean
measure_refusals (Lab *lab, const char *folder, const char *scratch, guint16 nginx_port, guint16 haproxy_port,
                  BenchReading *readings, guint *n, GError **error)
{
  Refuser refusers[] = { { .who = "the lab's service",
                           .command = g_strdup_printf (
                               "%s/../bin/service --port=0 --slots=1 --service-time=1000s --max-waiting=0", folder) },
                         { .who = "nginx, return 503",
                           .program = "nginx",
                           .command = g_strdup_printf ("nginx -c %s/nginx.conf", scratch),
                           .port = nginx_port },
                         { .who = "HAProxy, return 503",
                           .program = "haproxy",
                           .command = g_strdup_printf ("haproxy -f %s/haproxy.cfg", scratch),
                           .port = haproxy_port } };
  gboolean done = refuse (lab, refusers, G_N_ELEMENTS (refusers), scratch, error);

  if (done)
    {
      add_refusals (refusers, G_N_ELEMENTS (refusers), "refusals to wrk, 64 connections",
                    G_STRUCT_OFFSET (Refuser, krps), readings, n);
      add_refusals (refusers, G_N_ELEMENTS (refusers), "refusals in 1 s of the server's processor",
                    G_STRUCT_OFFSET (Refuser, k_per_cpu_s), readings, n);
    }
  for (guint i = 0; i < G_N_ELEMENTS (refusers); i++)
    {
      g_clear_pointer (&refusers[i].child, lab_child_free);
      g_free (refusers[i].command);
      g_free (refusers[i].id);
    }
  return done;
}

/* Open-loop clients */

#define RUN_S 2

/* How many requests nginx has seen; counting is one, too. 0 when it does not tell. */
static double
requests_seen (guint16 port)
{
  g_autoptr (GSocketConnection) connection = ask (port, "/status", NULL);
  char answer[4096] = "";
  gsize length = 0;
  const char *at;
  guint64 seen = 0;

  if (connection == NULL
      || !g_input_stream_read_all (g_io_stream_get_input_stream (G_IO_STREAM (connection)), answer, sizeof answer - 1,
                                   &length, NULL, NULL))
    return 0;
  at = strstr (answer, "handled requests");
  return at != NULL && sscanf (at, "handled requests %*u %*u %" G_GUINT64_FORMAT, &seen) == 1 ? (double) seen : 0;
}

/* Lets a client send, and returns what came of it a second, in thousands. */
static double
sent_krps (const char *command, guint16 port)
{
  double before = requests_seen (port);

  run (command, NULL);
  return (requests_seen (port) - before - 1) / RUN_S / 1000;
}

/* Returns: (transfer full) */
static char *
own_client (const char *folder, const char *scratch, guint16 port, guint rate_rps)
{
  return g_strdup_printf ("%s/../bin/loadtest --quiet --rate=%u --duration=%us --out=%s http://127.0.0.1:%u/", folder,
                          rate_rps, RUN_S, scratch, port);
}

/* Of the one row of the lab's load test; 0 when there is none. */
static double
lateness_ms (const char *scratch)
{
  g_autofree char *path = g_build_filename (scratch, "loadtest.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *row;

  if (!json_parser_load_from_file (parser, path, NULL))
    return 0;
  row = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "rows"), 0);
  return json_object_get_double_member_with_default (row, "lateness_p99_us", 0) / 1000;
}

typedef struct
{
  guint rate_rps;
  const char *measured, *lateness;
} Load;

static void
measure_load (Lab *lab, const Load *load, const char *folder, const char *scratch, guint16 port, BenchReading *readings,
              guint *n)
{
  g_autofree char *own = own_client (folder, scratch, port, load->rate_rps);
  g_autofree char *hey
      = g_strdup_printf ("hey -z %us -c 50 -q %u http://127.0.0.1:%u/", RUN_S, load->rate_rps / 50, port);
  g_autofree char *h2load
      = g_strdup_printf ("h2load --h1 -c 50 --rps=%u -D %u http://127.0.0.1:%u/", load->rate_rps / 50, RUN_S, port);
  const struct
  {
    const char *who, *program, *command;
  } clients[] = { { "the lab's loadtest", NULL, own },
                  { "hey (closed: 50 workers)", "hey", hey },
                  { "h2load (50 connections)", "h2load", h2load } };
  double sent[G_N_ELEMENTS (clients)][ROUNDS] = { 0 }, late_ms[ROUNDS] = { 0 };

  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < G_N_ELEMENTS (clients) && !lab_is_interrupted (lab); i++)
      if (clients[i].program == NULL || is_installed (clients[i].program))
        {
          sent[i][round] = sent_krps (clients[i].command, port);
          if (i == 0)
            late_ms[round] = lateness_ms (scratch);
        }
      else
        sent[i][round] = -1;
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    add (readings, n,
         (BenchReading) { load->measured, clients[i].who, "thousand/s", bench_median (sent[i], ROUNDS), 0 });
  add (readings, n,
       (BenchReading) { load->lateness, "the lab's loadtest; others do not tell", "ms", bench_median (late_ms, ROUNDS),
                        0 });
}

/* The highest rate, in steps of ten thousand, at which the lab's load test keeps its
 * schedule. */
static void
measure_limit (Lab *lab, const char *folder, const char *scratch, guint16 port, BenchReading *readings, guint *n)
{
  const guint step_rps = 10000;
  double kept_krps[ROUNDS] = { 0 };

  for (guint round = 0; round < ROUNDS; round++)
    for (guint rate_rps = 2 * step_rps; !lab_is_interrupted (lab); rate_rps += step_rps)
      {
        g_autofree char *own = own_client (folder, scratch, port, rate_rps);

        if (!run (own, NULL))
          break;
        kept_krps[round] = rate_rps / 1000.0;
      }
  add (readings, n,
       (BenchReading) { "the highest rate on schedule, for 2 s", "the lab's loadtest; others do not tell", "thousand/s",
                        bench_median (kept_krps, ROUNDS), 0 });
}

static gboolean
measure_clients (Lab *lab, const char *folder, const char *scratch, guint16 port, BenchReading *readings, guint *n,
                 GError **error)
{
  static const Load loads[] = {
    { 2000, "2,000 requests/s asked for, what came", "how late, p99, at 2,000/s" },
    { 20000, "20,000 requests/s asked for, what came", "how late, p99, at 20,000/s" },
  };
  g_autofree char *command = g_strdup_printf ("nginx -c %s/nginx.conf", scratch);
  g_autofree char *id = g_build_filename (scratch, "nginx", NULL);
  g_autoptr (LabChild) nginx = start (command, port, id, error);

  if (nginx == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (loads); i++)
    measure_load (lab, &loads[i], folder, scratch, port, readings, n);
  measure_limit (lab, folder, scratch, port, readings, n);
  return TRUE;
}

/* All of it */

static gboolean
write_configuration (const char *scratch, guint16 nginx_port, guint16 haproxy_port, GError **error)
{
  g_autofree char *nginx_path = g_build_filename (scratch, "nginx.conf", NULL);
  g_autofree char *haproxy_path = g_build_filename (scratch, "haproxy.cfg", NULL);
  g_autofree char *nginx = g_strdup_printf (
      "worker_processes 1; daemon off; master_process off; pid %s/pid; error_log /dev/null;\n"
      "events { worker_connections 1024; }\n"
      "http { access_log off; keepalive_requests 1000000000;\n"
      "  client_body_temp_path %s/a; proxy_temp_path %s/b; fastcgi_temp_path %s/c; uwsgi_temp_path %s/d; "
      "scgi_temp_path %s/e;\n"
      "  server { listen 127.0.0.1:%u; default_type application/json;\n"
      "    location /work { add_header Retry-After 1 always; return 503 '{\"error\":\"overloaded\"}'; }\n"
      "    location /status { stub_status; }\n"
      "    location / { return 200 'ok'; } } }\n",
      scratch, scratch, scratch, scratch, scratch, scratch, nginx_port);
  g_autofree char *haproxy = g_strdup_printf (
      "global\n  nbthread 1\ndefaults\n  mode http\n  timeout client 30s\n  timeout server 30s\n  timeout connect 1s\n"
      "frontend all\n  bind 127.0.0.1:%u\n"
      "  http-request return status 503 content-type application/json string '{\"error\":\"overloaded\"}' "
      "hdr Retry-After 1\n",
      haproxy_port);

  return g_file_set_contents (nginx_path, nginx, -1, error) && g_file_set_contents (haproxy_path, haproxy, -1, error);
}

static gboolean
measure (Lab *lab, const char *folder, const char *scratch, BenchReading *readings, guint *n, GError **error)
{
  guint16 nginx_port = lab_child_free_port (), haproxy_port = lab_child_free_port ();

  if (!write_configuration (scratch, nginx_port, haproxy_port, error))
    return FALSE;
  if (!is_installed ("wrk"))
    add (readings, n, (BenchReading) { "refusals to wrk", "wrk", "thousand/s", -1, 0 });
  else if (!measure_refusals (lab, folder, scratch, nginx_port, haproxy_port, readings, n, error))
    return FALSE;
  if (!is_installed ("nginx"))
    add (readings, n, (BenchReading) { "open-loop clients", "nginx, to send to", "", -1, 0 });
  else if (!measure_clients (lab, folder, scratch, nginx_port, readings, n, error))
    return FALSE;
  return TRUE;
}

guint
bench_web_measure (Lab *lab, const char *folder, BenchReading readings[BENCH_MOST_READINGS])
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scratch = g_dir_make_tmp ("bench-XXXXXX", &error);
  g_autofree char *remove = g_strdup_printf ("rm -rf %s", scratch);
  guint n = 0;

  if (scratch != NULL)
    {
      measure (lab, folder, scratch, readings, &n, &error);
      g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
    }
  if (error != NULL)
    lab_fail (lab, "%s", error->message);
  return n;
}
