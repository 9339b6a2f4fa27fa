#include "peers.h"

#include <glib/gstdio.h>

/* nginx counts the requests that it has passed on and that are not answered yet.
 * Those are as many as may be worked on and wait together. */
static const char nginx_conf[] = "worker_processes 1;\n"
                                 "daemon off;\n"
                                 "pid nginx.pid;\n"
                                 "error_log stderr crit;\n"
                                 "events { worker_connections 4096; }\n"
                                 "http {\n"
                                 "  access_log off;\n"
                                 "  client_body_temp_path body;\n"
                                 "  proxy_temp_path proxy;\n"
                                 "  fastcgi_temp_path fastcgi;\n"
                                 "  uwsgi_temp_path uwsgi;\n"
                                 "  scgi_temp_path scgi;\n"
                                 "  limit_conn_zone $server_name zone=all:1m;\n"
                                 "  limit_conn_log_level info;\n"
                                 "  upstream service { server 127.0.0.1:@SERVICE@; keepalive 64; }\n"
                                 "  server {\n"
                                 "    listen 127.0.0.1:@PORT@ backlog=4096;\n"
                                 "    server_name service; # what is counted by: an empty one counts nothing\n"
                                 "    limit_conn all @INSIDE@;\n"
                                 "    location / {\n"
                                 "      proxy_pass http://service;\n"
                                 "      proxy_http_version 1.1;\n"
                                 "      proxy_set_header Connection \"\";\n"
                                 "    }\n"
                                 "  }\n"
                                 "}\n";

/* HAProxy has slots, a line and a wait limit of its own. */
static const char haproxy_cfg[] = "global\n"
                                  "  maxconn 4096\n"
                                  "defaults\n"
                                  "  mode http\n"
                                  "  timeout connect 5s\n"
                                  "  timeout client 30s\n"
                                  "  timeout server 30s\n"
                                  "  timeout queue @WAIT_MS@ms\n"
                                  "frontend all\n"
                                  "  bind 127.0.0.1:@PORT@ backlog 4096\n"
                                  "  acl line_full queue(service) ge @MAX_WAITING@\n"
                                  "  http-request return status 503 content-type text/plain string \"Line full\" "
                                  "hdr Retry-After 1 if line_full\n"
                                  "  default_backend service\n"
                                  "backend service\n"
                                  "  server service 127.0.0.1:@SERVICE@ maxconn @SLOTS@\n";

static const char fastapi_py[]
    = "import asyncio\n"
      "from fastapi import FastAPI\n"
      "\n"
      "app = FastAPI()\n"
      "slots = asyncio.Semaphore(@SLOTS@)\n"
      "stats = {'work_done': 0, 'peak_line': 0}\n"
      "waiting = 0\n"
      "\n"
      "\n"
      "@app.get('/work')\n"
      "async def work():\n"
      "    global waiting\n"
      "    waiting += 1\n"
      "    stats['peak_line'] = max(stats['peak_line'], waiting - 1 if slots.locked() else 0)\n"
      "    try:\n"
      "        await slots.acquire()\n"
      "    finally:\n"
      "        waiting -= 1\n"
      "    try:\n"
      "        await asyncio.sleep(@SERVICE_TIME_US@ / 1e6)\n"
      "        stats['work_done'] += 1\n"
      "    finally:\n"
      "        slots.release()\n"
      "    return {'ok': True}\n"
      "\n"
      "\n"
      "@app.get('/stats')\n"
      "async def read_stats():\n"
      "    return stats\n";

/* What stands between two @ in a configuration, and what it becomes. */
typedef struct
{
  const char *word;
  gint64 value;
} Filling;

static char *
fill_in (const char *template, const Filling *fillings, guint n)
{
  GString *text = g_string_new (template);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = g_strdup_printf ("%" G_GINT64_FORMAT, fillings[i].value);

      g_string_replace (text, fillings[i].word, value, 0);
    }
  return g_string_free (text, FALSE);
}

typedef struct
{
  Lab *lab;
  GPtrArray *trials;
  char *folder; /* of the configurations: the reader can look at them afterwards */
  gint64 max_waiting;
  LabTime max_wait_ns;
} Peers;

/* Writes the configuration and returns its path. (transfer full) */
static char *
configure (Peers *peers, const char *name, const char *template, guint16 service_port, guint16 port)
{
  const LabSettings *settings = lab_settings (peers->lab);
  const Filling fillings[] = {
    { "@PORT@", port },
    { "@SERVICE@", service_port },
    { "@SLOTS@", settings->slots },
    { "@MAX_WAITING@", peers->max_waiting },
    { "@INSIDE@", settings->slots + peers->max_waiting },
    { "@WAIT_MS@", peers->max_wait_ns / LAB_MS },
    { "@SERVICE_TIME_US@", settings->service_time_ns / LAB_US },
  };
  g_autofree char *text = fill_in (template, fillings, G_N_ELEMENTS (fillings));
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (peers->folder, name, NULL);

  g_mkdir_with_parents (peers->folder, 0777);
  if (!lab_file_write (path, text, -1, &error))
    lab_fail (peers->lab, "%s", error->message);
  return path;
}

/* Programs for administrators may stand where an ordinary user does not look.
 * Returns: (transfer full), or NULL after saying so. */
static char *
find (Peers *peers, const char *program)
{
  char *path = g_find_program_in_path (program);

  if (path == NULL)
    {
      path = g_build_filename ("/usr/sbin", program, NULL);
      if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        g_clear_pointer (&path, g_free);
    }
  if (path == NULL)
    lab_print (peers->lab, "(%s is not installed here: no row for it)\n", program);
  return path;
}

static LabChild *
start (Peers *peers, const char *const *argv, guint16 port)
{
  g_autoptr (GError) error = NULL;
  LabChild *child = lab_http_child_start (peers->lab, argv, port, &error);

  if (child == NULL)
    lab_warn (peers->lab, "%s", error->message);
  return child;
}

static void
add_before_the_service (Peers *peers, LabHttpTrial *trial, LabChild *front)
{
  if (front == NULL)
    {
      lab_http_trial_free (trial);
      return;
    }
  lab_http_trial_set_front (trial, front);
  g_ptr_array_add (peers->trials, trial);
}

static void
add_nginx (Peers *peers)
{
  g_autofree char *program = find (peers, "nginx");
  guint16 port = lab_child_free_port ();
  g_autofree char *conf = NULL;
  g_autofree char *label
      = g_strdup_printf ("nginx limit_conn %" G_GINT64_FORMAT, lab_settings (peers->lab)->slots + peers->max_waiting);
  LabHttpTrial *trial;

  if (program == NULL)
    return;
  trial = lab_http_trial_new (peers->lab, label, NULL);
  conf = configure (peers, "nginx.conf", nginx_conf, lab_child_port (trial->service), port);
  add_before_the_service (
      peers, trial,
      start (peers, (const char *[]) { program, "-e", "stderr", "-p", peers->folder, "-c", conf, NULL }, port));
}

static void
add_haproxy (Peers *peers)
{
  g_autofree char *program = find (peers, "haproxy");
  guint16 port = lab_child_free_port ();
  g_autofree char *cfg = NULL;
  g_autofree char *label
      = g_strdup_printf ("HAProxy maxconn %" G_GINT64_FORMAT ", queue %" G_GINT64_FORMAT " and 0.3 s",
                         lab_settings (peers->lab)->slots, peers->max_waiting);
  LabHttpTrial *trial;

  if (program == NULL)
    return;
  trial = lab_http_trial_new (peers->lab, label, NULL);
  cfg = configure (peers, "haproxy.cfg", haproxy_cfg, lab_child_port (trial->service), port);
  add_before_the_service (peers, trial, start (peers, (const char *[]) { program, "-db", "-f", cfg, NULL }, port));
}

static void
add_uvicorn (Peers *peers)
{
  g_autofree char *program = find (peers, "uvicorn");
  guint16 port = lab_child_free_port ();
  g_autofree char *port_text = g_strdup_printf ("%u", port);
  g_autofree char *app = NULL;
  LabHttpTrial *trial;
  LabChild *child;

  if (program == NULL)
    return;
  app = configure (peers, "fastapi_service.py", fastapi_py, 0, port);
  child = start (peers,
                 (const char *[]) { program, "--app-dir", peers->folder, "--port", port_text, "--log-level", "warning",
                                    "--limit-concurrency", "36", "fastapi_service:app", NULL },
                 port);
  if (child == NULL)
    return;
  trial = lab_http_trial_new_of ("uvicorn --limit-concurrency 36", child);
  trial->refusal = g_strdup ("Exceeded concurrency limit.");
  g_ptr_array_add (peers->trials, trial);
}

void
step06_add_peers (Lab *lab, GPtrArray *trials, gint64 max_waiting, LabTime max_wait_ns)
{
  g_autofree char *out = g_canonicalize_filename (lab_settings (lab)->out, NULL);
  g_autofree char *folder = g_build_filename (out, "step06_http_peers", NULL);
  Peers peers = { lab, trials, folder, max_waiting, max_wait_ns };

  add_nginx (&peers);
  add_haproxy (&peers);
  add_uvicorn (&peers);
}
