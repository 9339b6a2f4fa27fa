#include "../http/child.h"
#include "../http/client.h"
#include "../http/sockets.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The service among clients that do it no good: idle, slow, half-hearted, gone.
 * A few hundred of each in every check; HTTP_IDLE and HTTP_HANG_UPS ask for more. */

#define PATIENCE_NS (60 * LAB_S) /* never a matter of speed */
#define FILES_BESIDES 200

typedef struct
{
  LabChild *child;
  guint64 asked; /* requests for work that were sent in full */
} Service;

static guint
number_of (const char *variable, guint otherwise)
{
  const char *text = g_getenv (variable);

  return text == NULL ? otherwise : (guint) atoi (text);
}

static void
service_start (Service *service, const char *const *flags)
{
  g_autofree char *program = lab_child_beside ("../bin/service");
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (argv, program);
  g_ptr_array_add (argv, (char *) "--port=0");
  for (; *flags != NULL; flags++)
    g_ptr_array_add (argv, (char *) *flags);
  g_ptr_array_add (argv, NULL);
  service->asked = 0;
  service->child = lab_child_start (&(LabChildOptions) { .argv = (const char *const *) argv->pdata }, &error);
  g_assert_no_error (error);
}

static void
service_stop (Service *service)
{
  g_assert_cmpint (lab_child_stop (service->child), ==, 0); /* it neither crashed nor hung */
  lab_child_free (service->child);
}

static char *
get (const Service *service, const char *path, GError **error)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", lab_child_port (service->child), path);

  return lab_http_get (url, PATIENCE_NS, NULL, NULL, error);
}

static void
assert_healthy (const Service *service)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *body = get (service, "/health", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "{\"status\":\"up\"}");
}

static void
assert_work_is_done (Service *service)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *body = get (service, "/work", &error);

  service->asked++;
  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "{\"ok\":true}");
}

static guint64
stat_of (const Service *service, const char *key)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *body = get (service, "/stats", &error);
  g_autoptr (JsonNode) root = NULL;

  g_assert_no_error (error);
  root = json_from_string (body, &error);
  g_assert_no_error (error);
  return (guint64) json_object_get_int_member (json_node_get_object (root), key);
}

static void
wait_until_stat (const Service *service, const char *key, guint64 value)
{
  while (stat_of (service, key) != value)
    g_usleep (5000);
}

/* Everybody who asked for work is accounted for, and nobody holds anything. */
static void
assert_balanced (const Service *service)
{
  wait_until_stat (service, "waiting", 0);
  wait_until_stat (service, "running", 0);
  g_assert_cmpuint (stat_of (service, "admitted"), ==, stat_of (service, "work_done"));
  g_assert_cmpuint (stat_of (service, "admitted") + stat_of (service, "shed_line_full")
                        + stat_of (service, "shed_waited_too_long") + stat_of (service, "abandoned_in_line"),
                    ==, service->asked);
}

static gboolean
has_files_for (guint connections)
{
  if (lab_raise_file_limit () >= connections + FILES_BESIDES)
    return TRUE;
  g_test_skip ("the limit of open files (ulimit -Hn) is too low for this many connections");
  return FALSE;
}

/* A crowd of sockets. */

static int
connect_to (const Service *service)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (lab_child_port (service->child)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  return fd;
}

static void
say (int fd, const char *text)
{
  g_assert_cmpint (send (fd, text, strlen (text), MSG_NOSIGNAL), ==, (int) strlen (text));
}

static int *
crowd_new (const Service *service, guint n, const char *text)
{
  int *fds = g_new (int, n);

  for (guint i = 0; i < n; i++)
    {
      fds[i] = connect_to (service);
      if (text != NULL)
        say (fds[i], text);
    }
  return fds;
}

static void
crowd_leave (int *fds, guint n)
{
  for (guint i = 0; i < n; i++)
    close (fds[i]);
  g_free (fds);
}

static char *
hear_answer (int fd)
{
  g_autoptr (GString) heard = g_string_new (NULL);
  char bytes[1024];
  gssize got;

  while (strchr (heard->str, '}') == NULL && (got = recv (fd, bytes, sizeof bytes, 0)) > 0)
    g_string_append_len (heard, bytes, got);
  return g_string_free (g_steal_pointer (&heard), FALSE);
}

#define WORK "GET /work HTTP/1.1\r\nHost: a\r\n\r\n"
#define STATS "GET /stats HTTP/1.1\r\nHost: a\r\n\r\n"

/* The only slot is held for a while, there is no line: the next is refused, rightly. */
static void
assert_refuses (Service *service)
{
  int holder = connect_to (service);
  int next = connect_to (service);
  g_autofree char *refused = NULL;
  g_autofree char *done = NULL;

  say (holder, WORK);
  wait_until_stat (service, "running", 1);
  say (next, WORK);
  refused = hear_answer (next);
  g_assert_true (g_str_has_prefix (refused, "HTTP/1.1 503 "));
  g_assert_nonnull (strstr (refused, "\r\nRetry-After: 1\r\n"));
  g_assert_true (g_str_has_suffix (refused, "{\"error\":\"overloaded\",\"reason\":\"line_full\"}"));
  done = hear_answer (holder);
  g_assert_true (g_str_has_prefix (done, "HTTP/1.1 200 "));
  service->asked += 2;
  close (holder);
  close (next);
}

static void
test_idle (void)
{
  guint n = number_of ("HTTP_IDLE", 300);
  Service service;
  int *silent;
  int *kept;

  if (!has_files_for (n))
    return;
  service_start (&service, (const char *[]) { "--slots=1", "--service-time=300ms", "--max-waiting=0", NULL });
  silent = crowd_new (&service, n - n / 2, NULL);
  kept = crowd_new (&service, n / 2, STATS);
  for (guint i = 0; i < n / 2; i++)
    g_free (hear_answer (kept[i]));
  assert_healthy (&service);
  assert_refuses (&service);
  crowd_leave (silent, n - n / 2);
  crowd_leave (kept, n / 2);
  assert_work_is_done (&service);
  assert_balanced (&service);
  service_stop (&service);
}

static void
test_half_sent_headers (void)
{
  const guint n = 100;
  Service service;
  int *half;

  service_start (&service, (const char *[]) { "--slots=1", "--service-time=300ms", "--max-waiting=0", NULL });
  half = crowd_new (&service, n, "GET /work HTTP/1.1\r\nHos");
  assert_healthy (&service);
  assert_refuses (&service);
  g_assert_cmpuint (stat_of (&service, "running"), ==, 0); /* who has not asked holds nothing */
  crowd_leave (half, n);
  assert_work_is_done (&service);
  assert_balanced (&service);
  service_stop (&service);
}

/* Clients that ask and ask and never read: the service stops reading them, and
 * nothing else. */
static void
test_slow_readers (void)
{
  const guint n = 20;
  Service service;
  int *slow;

  service_start (&service, (const char *[]) { "--slots=1", "--service-time=300ms", "--max-waiting=0", NULL });
  slow = crowd_new (&service, n, NULL);
  for (guint i = 0; i < n; i++)
    {
      int small = 4096;
      gsize sent = 0;

      setsockopt (slow[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
      while (sent < 1000 * 1000 && send (slow[i], STATS, strlen (STATS), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        sent += strlen (STATS);
    }
  assert_healthy (&service);
  assert_refuses (&service);
  crowd_leave (slow, n);
  assert_work_is_done (&service);
  assert_balanced (&service);
  service_stop (&service);
}

/* A line full of clients that hang up. */
static void
run_hang_ups (gboolean watched)
{
  guint n = number_of ("HTTP_HANG_UPS", 200);
  Service service;
  int *gone;
  int last;
  g_autofree char *answer = NULL;

  if (!has_files_for (n))
    return;
  service_start (&service, (const char *[]) { "--slots=4", watched ? "--service-time=50ms" : "--service-time=2ms",
                                              watched ? "--watch-hangups" : NULL, NULL });
  gone = crowd_new (&service, n, WORK);
  service.asked += n;
  if (watched)
    while (stat_of (&service, "waiting") + stat_of (&service, "admitted") < n)
      g_usleep (5000);
  assert_healthy (&service);
  crowd_leave (gone, n);
  assert_healthy (&service);

  last = connect_to (&service); /* behind all of them, or what is left of them */
  say (last, WORK);
  service.asked++;
  answer = hear_answer (last);
  g_assert_true (g_str_has_prefix (answer, "HTTP/1.1 200 "));
  close (last);
  assert_balanced (&service);
  if (watched)
    g_assert_cmpuint (stat_of (&service, "abandoned_in_line"), >, 0);
  else
    g_assert_cmpuint (stat_of (&service, "work_done"), ==, service.asked);
  service_stop (&service);
}

static void
test_hang_ups_unnoticed (void)
{
  run_hang_ups (FALSE);
}

static void
test_hang_ups_noticed (void)
{
  run_hang_ups (TRUE);
}

/* Hang-ups at every moment: while they ask, in line, in a slot, when the wait limit
 * and the grant meet. No slot and no place is lost. */
static void
test_hang_ups_anywhere (void)
{
  guint n = number_of ("HTTP_HANG_UPS", 200);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  Service service;

  service_start (&service, (const char *[]) { "--slots=2", "--service-time=1ms", "--max-waiting=20", "--max-wait=3ms",
                                              "--watch-hangups", NULL });
  for (guint i = 0; i < n; i++)
    {
      guint crowd = (guint) g_rand_int_range (random, 1, 30);
      int *fds = crowd_new (&service, crowd, WORK);

      service.asked += crowd;
      g_usleep ((gulong) g_rand_int_range (random, 0, 3000));
      crowd_leave (fds, crowd);
    }
  assert_balanced (&service); /* what was sent just before a client left is read all the same */

  for (guint round = 0; round < 3; round++) /* both slots and the line are still there */
    {
      int *fds = crowd_new (&service, 4, WORK);

      for (guint i = 0; i < 4; i++)
        {
          g_autofree char *answer = hear_answer (fds[i]);

          g_assert_true (g_str_has_prefix (answer, "HTTP/1.1 200 ") || strstr (answer, "waited_too_long") != NULL);
        }
      crowd_leave (fds, 4);
    }
  assert_work_is_done (&service);
  service_stop (&service);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http-crowd/idle", test_idle);
  g_test_add_func ("/http-crowd/half-sent-headers", test_half_sent_headers);
  g_test_add_func ("/http-crowd/slow-readers", test_slow_readers);
  g_test_add_func ("/http-crowd/hang-ups-unnoticed", test_hang_ups_unnoticed);
  g_test_add_func ("/http-crowd/hang-ups-noticed", test_hang_ups_noticed);
  g_test_add_func ("/http-crowd/hang-ups-anywhere", test_hang_ups_anywhere);
  return g_test_run ();
}
