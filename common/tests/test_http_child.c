#include "../http/child.h"
#include "../http/client.h"
#include "../http/sockets.h"

#include <gio/gio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static LabChild *
start (const char *const *argv, GError **error)
{
  return lab_child_start (&(LabChildOptions) { .argv = argv }, error);
}

static void
test_its_port (void)
{
  g_autoptr (GError) error = NULL;
  LabChild *child
      = start ((const char *[]) { "sh", "-c", "echo listening on http://here:12345; exec sleep 60", NULL }, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (lab_child_port (child), ==, 12345);
  g_assert_cmpint (lab_child_stop (child), ==, -1); /* sleep knows no other end than the signal */
  lab_child_free (child);
}

static void
test_a_known_port (void)
{
  g_autofree char *program = lab_child_beside ("../bin/service");
  guint16 port = lab_child_free_port ();
  g_autofree char *flag = g_strdup_printf ("--port=%u", port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/health", port);
  g_autoptr (GError) error = NULL;
  LabChild *child
      = lab_child_start (&(LabChildOptions) { .argv = (const char *[]) { program, flag, NULL }, .port = port }, &error);
  g_autofree char *body = NULL;

  g_assert_no_error (error);
  body = lab_http_get (url, 60 * LAB_S, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lab_child_stop (child), ==, 0);
  lab_child_free (child);
}

static void
test_that_does_not_start (void)
{
  static const struct
  {
    const char *script, *complaint;
  } cases[] = {
    { "echo no such luck >&2; exit 2", "no such luck" },
    { "echo 'listening on nothing'", "it says nothing" },
    { "echo port :0", "it says nothing" },
    { "echo port :99999", "it says nothing" },
    { "exit 0", "it says nothing" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (start ((const char *[]) { "sh", "-c", cases[i].script, NULL }, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, cases[i].complaint));
    }
}

/* A child that has ended, and was reaped, before anybody looks. */
static void
test_that_ends_at_once (void)
{
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 begun_us = g_get_monotonic_time ();

      g_assert_null (start ((const char *[]) { "true", NULL }, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 3 * G_USEC_PER_SEC);
    }
}

static void
test_its_exit_status (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LabChild) child = start (
      (const char *[]) { "sh", "-c", "trap 'exit 7' TERM; echo :1; while :; do sleep 0.01; done", NULL }, &error);

  g_assert_no_error (error);
  g_assert_cmpint (lab_child_stop (child), ==, 7);
  g_assert_cmpint (lab_child_stop (child), ==, 7);
}

static gboolean
is_third_time (gpointer data)
{
  return ++*(guint *) data >= 3;
}

/* On either way that it can be waited for. */
static void
test_that_is_given_up (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 begun_us = g_get_monotonic_time ();
      guint asked = 0;

      g_assert_null (lab_child_start (&(LabChildOptions) { .argv = (const char *[]) { "sleep", "60", NULL },
                                                           .port = i == 0 ? 0 : lab_child_free_port (),
                                                           .give_up = is_third_time,
                                                           .data = &asked },
                                      &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint (asked, >=, 3);
      g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 10 * G_USEC_PER_SEC); /* its own patience takes 15 s */
    }
}

static void
test_that_is_not_there (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (start ((const char *[]) { "/no/such/program", NULL }, &error));
  g_assert_nonnull (strstr (error->message, "/no/such/program"));
}

static void
test_its_log (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LabChild) child = start (
      (const char *[]) { "sh", "-c", "echo one two >&2; echo three >&2; printf two >&2; echo :1; exec sleep 60", NULL },
      &error);

  g_assert_no_error (error);
  g_assert_cmpuint (lab_child_count_log (child, "two"), ==, 2);
  g_assert_cmpuint (lab_child_count_log (child, "three"), ==, 1);
  g_assert_cmpuint (lab_child_count_log (child, "four"), ==, 0);
  lab_child_stop (child);
  g_assert_cmpuint (lab_child_count_log (child, "two"), ==, 2);
}

/* As a server does that logs each request: many times what a pipe holds. */
static void
test_that_says_much (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LabChild) child = start (
      (const char *[]) { "sh", "-c", "echo :1; head -c 1000000 /dev/zero; echo all said >&2; exec sleep 60", NULL },
      &error);
  gint64 until_us = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  g_assert_no_error (error);
  while (lab_child_count_log (child, "all said") == 0 && g_get_monotonic_time () < until_us)
    g_usleep (5000);
  g_assert_cmpuint (lab_child_count_log (child, "all said"), ==, 1);
}

/* Somebody else listens where the child was to. */
static void
test_a_port_of_others (void)
{
  g_autoptr (GError) error = NULL;
  guint16 port = 0;
  int fd = lab_bind_loopback (&port, &error);

  g_assert_no_error (error);
  g_assert_cmpint (listen (fd, 1), ==, 0);
  g_assert_null (
      lab_child_start (&(LabChildOptions) { .argv = (const char *[]) { "sleep", "60", NULL }, .port = port }, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
  close (fd);
}

/* A parent that crashes takes its child along. It is this program once more, and
 * its child writes its own number into a file. */

static int
crash_as_a_parent (const char *path)
{
  g_autofree char *script = g_strdup_printf ("echo $$ >'%s'; echo :1; exec sleep 600", path);

  start ((const char *[]) { "sh", "-c", script, NULL }, NULL);
  raise (SIGKILL);
  return 0;
}

static gboolean
is_alive (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/stat", pid);
  g_autofree char *stat = NULL;

  /* Where nobody reaps orphans it stays a zombie, which is dead enough. */
  return g_file_get_contents (path, &stat, NULL, NULL) && strstr (stat, ") Z ") == NULL;
}

/* What a child has started ends with it, whether it heeds SIGTERM or not. */
static void
test_its_children (void)
{
  static const char *const scripts[] = {
    "sleep 600 & echo $! >'%s'; echo :1; wait",
    "sh -c \"trap '' TERM; exec sleep 600\" & echo $! >'%s'; sleep 0.2; echo :1; wait",
  };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autofree char *path = NULL;
      g_autofree char *pid = NULL;
      g_autofree char *script = NULL;
      g_autoptr (GError) error = NULL;
      LabChild *child;

      close (g_file_open_tmp ("child-XXXXXX", &path, &error));
      g_assert_no_error (error);
      script = g_strdup_printf (scripts[i], path);
      child = start ((const char *[]) { "sh", "-c", script, NULL }, &error);
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &pid, NULL, &error));
      g_strstrip (pid);
      g_assert_true (is_alive (pid));
      lab_child_free (child);
      while (is_alive (pid))
        g_usleep (1000);
      unlink (path);
    }
}

static void
test_crash_of_the_parent (void)
{
  g_autofree char *path = NULL;
  g_autofree char *pid = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) parent = NULL;

  close (g_file_open_tmp ("child-XXXXXX", &path, &error));
  g_assert_no_error (error);
  parent = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "/proc/self/exe", "--crash-as-a-parent", path, NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait (parent, NULL, &error));
  g_assert_true (g_subprocess_get_if_signaled (parent));
  g_assert_true (g_file_get_contents (path, &pid, NULL, &error));
  g_strstrip (pid);
  g_assert_cmpint (atoi (pid), >, 1);
  while (is_alive (pid))
    g_usleep (5000);
  unlink (path);
}

int
main (int argc, char *argv[])
{
  if (argc == 3 && g_str_equal (argv[1], "--crash-as-a-parent"))
    return crash_as_a_parent (argv[2]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http-child/its-port", test_its_port);
  g_test_add_func ("/http-child/a-known-port", test_a_known_port);
  g_test_add_func ("/http-child/that-does-not-start", test_that_does_not_start);
  g_test_add_func ("/http-child/that-is-given-up", test_that_is_given_up);
  g_test_add_func ("/http-child/that-is-not-there", test_that_is_not_there);
  g_test_add_func ("/http-child/that-ends-at-once", test_that_ends_at_once);
  g_test_add_func ("/http-child/its-exit-status", test_its_exit_status);
  g_test_add_func ("/http-child/its-log", test_its_log);
  g_test_add_func ("/http-child/that-says-much", test_that_says_much);
  g_test_add_func ("/http-child/a-port-of-others", test_a_port_of_others);
  g_test_add_func ("/http-child/its-children", test_its_children);
  g_test_add_func ("/http-child/crash-of-the-parent", test_crash_of_the_parent);
  return g_test_run ();
}
