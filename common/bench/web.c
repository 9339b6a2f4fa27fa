#include "web.h"

#include <arpa/inet.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 3

/* A server on the second processor, where there are two; the load comes from the
 * first. */
typedef struct
{
  GPid process;
  guint port;
} Server;

static gboolean
is_installed (const char *program)
{
  g_autofree char *path = g_find_program_in_path (program);

  return path != NULL;
}

/* Returns: (transfer full) */
static char *
on_processor (guint number, const char *command)
{
  if (sysconf (_SC_NPROCESSORS_ONLN) > 1 && is_installed ("taskset"))
    return g_strdup_printf ("taskset -c %u %s", number, command);
  return g_strdup (command);
}

static int
try_to_connect (guint port)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons ((guint16) port), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd >= 0 && connect (fd, (struct sockaddr *) &address, sizeof address) == 0)
    return fd;
  close (fd);
  return -1;
}

/* A port that nobody has at the moment. */
static guint
free_port (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  bind (fd, (struct sockaddr *) &address, sizeof address);
  getsockname (fd, (struct sockaddr *) &address, &length);
  close (fd);
  return ntohs (address.sin_port);
}

static Server
server_start (Lab *lab, const char *command, guint port)
{
  g_autofree char *placed = on_processor (1, command);
  g_auto (GStrv) argv = NULL;
  Server server = { .port = port };
  int fd = -1;

  if (!g_shell_parse_argv (placed, NULL, &argv, NULL)
      || !g_spawn_async (NULL, argv, NULL,
                         G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
                             | G_SPAWN_STDERR_TO_DEV_NULL,
                         NULL, NULL, &server.process, NULL))
    lab_fail (lab, "cannot run %s", command);
  for (guint attempt = 0; attempt < 300 && fd < 0; attempt++)
    {
      g_usleep (10000);
      fd = try_to_connect (port);
    }
  if (fd < 0)
    lab_fail (lab, "%s does not listen on port %u", command, port);
  close (fd);
  return server;
}

static void
server_stop (const Server *server)
{
  kill (server->process, SIGTERM);
  waitpid (server->process, NULL, 0);
}

/* How long a process has been on a processor, in seconds. */
static double
processor_s (GPid process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/schedstat", process);
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL) ? g_ascii_strtod (content, NULL) / 1e9 : 0;
}

/* The number behind @label, and behind @then after it, in what a command prints; 0
 * when it is not there. */
static double
figure (const char *command, const char *label, const char *then)
{
  g_autofree char *placed = on_processor (0, command);
  g_autofree char *output = NULL;
  const char *at;

  if (!g_spawn_command_line_sync (placed, &output, NULL, NULL, NULL))
    return 0;
  at = strstr (output, label);
  at = at != NULL ? strstr (at + strlen (label), then) : NULL;
  return at != NULL ? g_ascii_strtod (at + strlen (then), NULL) : 0;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static void
add (BenchReading *readings, guint *n, BenchReading reading)
{
  g_return_if_fail (*n < BENCH_MOST_READINGS);

  readings[(*n)++] = reading;
}

/* Refusals */

/* Returns: (transfer full), a folder of its own with the files of the peers. */
static char *
write_configuration (Lab *lab, guint nginx_port, guint haproxy_port)
{
  char *folder = g_dir_make_tmp ("bench-XXXXXX", NULL);
  g_autofree char *nginx_path = g_build_filename (folder, "nginx.conf", NULL);
  g_autofree char *haproxy_path = g_build_filename (folder, "haproxy.cfg", NULL);
  g_autofree char *nginx = g_strdup_printf (
      "worker_processes 1; daemon off; master_process off; pid %s/pid; error_log /dev/null;\n"
      "events { worker_connections 1024; }\n"
      "http { access_log off; keepalive_requests 1000000000;\n"
      "  client_body_temp_path %s/a; proxy_temp_path %s/b; fastcgi_temp_path %s/c; uwsgi_temp_path %s/d; "
      "scgi_temp_path %s/e;\n"
      "  server { listen 127.0.0.1:%u; default_type application/json;\n"
      "    location /work { add_header Retry-After 1 always; return 503 '{\"error\":\"overloaded\"}'; }\n"
      "    location / { return 200 'ok'; } } }\n",
      folder, folder, folder, folder, folder, folder, nginx_port);
  g_autofree char *haproxy = g_strdup_printf (
      "global\n  nbthread 1\ndefaults\n  mode http\n  timeout client 30s\n  timeout server 30s\n  timeout connect 1s\n"
      "frontend all\n  bind 127.0.0.1:%u\n"
      "  http-request return status 503 content-type application/json string '{\"error\":\"overloaded\"}' "
      "hdr Retry-After 1\n",
      haproxy_port);

  if (folder == NULL || !g_file_set_contents (nginx_path, nginx, -1, NULL)
      || !g_file_set_contents (haproxy_path, haproxy, -1, NULL))
    lab_fail (lab, "cannot write the configuration of nginx and HAProxy");
  return folder;
}

typedef struct
{
  const char *who, *program, *command;
  guint port;
  Server server;
  double krps[ROUNDS];        /* thousand refusals a second */
  double k_per_cpu_s[ROUNDS]; /* thousand in a second of the server's processor */
} Refuser;

static void
refuse_for_a_second (Refuser *refuser, guint round)
{
  g_autofree char *command = g_strdup_printf ("wrk -t1 -c64 -d1s http://127.0.0.1:%u/work", refuser->port);
  double before_s = processor_s (refuser->server.process);
  double refused = figure (command, "Non-2xx or 3xx responses", ":");
  double spent_s = processor_s (refuser->server.process) - before_s;

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
      double values[ROUNDS], value;

      memcpy (values, G_STRUCT_MEMBER_P (&refusers[i], member), sizeof values);
      qsort (values, ROUNDS, sizeof *values, compare);
      value = values[ROUNDS / 2];
      own = i == 0 ? value : own;
      add (readings, n,
           (BenchReading) { measured, refusers[i].who, "thousand/s", refusers[i].server.process != 0 ? value : -1,
                            i > 0 && value > 0 ? own / value : 0 });
    }
}

static void
measure_refusals (Lab *lab, const char *folder, const char *configuration, guint nginx_port, guint haproxy_port,
                  BenchReading *readings, guint *n)
{
  static const char request[] = "GET /work HTTP/1.1\r\nHost: a\r\n\r\n";
  guint port = free_port ();
  g_autofree char *own
      = g_strdup_printf ("%s/../bin/service --port=%u --slots=1 --service-time=1000s --max-waiting=0", folder, port);
  g_autofree char *nginx = g_strdup_printf ("nginx -c %s/nginx.conf", configuration);
  g_autofree char *haproxy = g_strdup_printf ("haproxy -f %s/haproxy.cfg", configuration);
  Refuser refusers[]
      = { { .who = "the lab's service", .command = own, .port = port },
          { .who = "nginx, return 503", .program = "nginx", .command = nginx, .port = nginx_port },
          { .who = "HAProxy, return 503", .program = "haproxy", .command = haproxy, .port = haproxy_port } };
  int holder;

  for (guint i = 0; i < G_N_ELEMENTS (refusers); i++)
    if (refusers[i].program == NULL || is_installed (refusers[i].program))
      refusers[i].server = server_start (lab, refusers[i].command, refusers[i].port);
  holder = try_to_connect (port); /* takes the one slot, so that all others are refused */
  if (holder < 0 || write (holder, request, strlen (request)) < 0)
    lab_fail (lab, "the service takes no request");
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < G_N_ELEMENTS (refusers); i++)
      if (refusers[i].server.process != 0)
        refuse_for_a_second (&refusers[i], round);
  close (holder);
  add_refusals (refusers, G_N_ELEMENTS (refusers), "refusals to wrk, 64 connections", G_STRUCT_OFFSET (Refuser, krps),
                readings, n);
  add_refusals (refusers, G_N_ELEMENTS (refusers), "refusals in 1 s of the server's processor",
                G_STRUCT_OFFSET (Refuser, k_per_cpu_s), readings, n);
  for (guint i = 0; i < G_N_ELEMENTS (refusers); i++)
    if (refusers[i].server.process != 0)
      server_stop (&refusers[i].server);
}

/* Open-loop clients */

/* A figure of the one row of loadtest.json. */
static double
row_figure (const char *out, const char *key)
{
  g_autofree char *path = g_build_filename (out, "loadtest.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *row;

  if (!json_parser_load_from_file (parser, path, NULL))
    return -1;
  row = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "rows"), 0);
  return json_object_has_member (row, key) && !json_object_get_null_member (row, key)
             ? json_object_get_double_member (row, key)
             : -1;
}

static void
measure_clients (const char *folder, const char *configuration, guint port, BenchReading *readings, guint *n)
{
  static const struct
  {
    guint rate_rps;
    const char *measured, *lateness;
  } loads[] = {
    { 2000, "asked for 2,000 requests/s for 2 s", "how late, p99, at 2,000/s" },
    { 20000, "asked for 20,000 requests/s for 2 s", "how late, p99, at 20,000/s" },
  };
  static const char unit[] = "thousand/s";

  for (guint i = 0; i < G_N_ELEMENTS (loads); i++)
    {
      guint rate_rps = loads[i].rate_rps;
      g_autofree char *own
          = g_strdup_printf ("%s/../bin/loadtest --quiet --rate=%u --duration=2s --out=%s http://127.0.0.1:%u/", folder,
                             rate_rps, configuration, port);
      g_autofree char *hey = g_strdup_printf ("hey -z 2s -c 50 -q %u http://127.0.0.1:%u/", rate_rps / 50, port);
      g_autofree char *h2load
          = g_strdup_printf ("h2load --h1 -c 50 --rps=%u -D 2 http://127.0.0.1:%u/", rate_rps / 50, port);

      double sent_rps;

      figure (own, "", "");
      /* It sends all that it was asked for, maybe late: over the time that took. */
      sent_rps = row_figure (configuration, "offered") / (2 + row_figure (configuration, "lateness_max_us") / 1e6);
      add (readings, n, (BenchReading) { loads[i].measured, "the lab's loadtest, sent", unit, sent_rps / 1000, 0 });
      add (readings, n,
           (BenchReading) { loads[i].measured, "hey (closed: 50 workers), sent", unit,
                            is_installed ("hey") ? figure (hey, "Requests/sec", ":") / 1000 : -1, 0 });
      add (readings, n,
           (BenchReading) { loads[i].measured, "h2load (50 connections), sent", unit,
                            is_installed ("h2load") ? figure (h2load, "finished in ", ", ") / 1000 : -1, 0 });
      add (readings, n,
           (BenchReading) { loads[i].lateness, "the lab's loadtest; others do not tell", "ms",
                            row_figure (configuration, "lateness_p99_us") / 1000, 0 });
    }
}

guint
bench_web_measure (Lab *lab, const char *folder, BenchReading readings[BENCH_MOST_READINGS])
{
  guint nginx_port = free_port (), haproxy_port = free_port ();
  g_autofree char *configuration = write_configuration (lab, nginx_port, haproxy_port);
  g_autofree char *remove = g_strdup_printf ("rm -rf %s", configuration);
  guint n = 0;

  if (is_installed ("wrk"))
    measure_refusals (lab, folder, configuration, nginx_port, haproxy_port, readings, &n);
  else
    add (readings, &n, (BenchReading) { "refusals to wrk", "wrk (not installed)", "thousand/s", -1, 0 });
  if (is_installed ("nginx"))
    {
      g_autofree char *command = g_strdup_printf ("nginx -c %s/nginx.conf", configuration);
      Server server = server_start (lab, command, nginx_port);

      measure_clients (folder, configuration, nginx_port, readings, &n);
      server_stop (&server);
    }
  else
    add (readings, &n, (BenchReading) { "open-loop clients", "nginx to send to (not installed)", "", -1, 0 });
  g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
  return n;
}
