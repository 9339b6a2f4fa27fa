/* What a trial says of its own accounts, and how long it asks after them. This
 * program starts itself as a program of the lab, and looks at its exit status and
 * at what it printed. */
#include "../http/sockets.h"
#include "../http/trial.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define RATE_RPS 10

/* --- the program --- */

static gpointer
press_ctrl_c (gpointer data)
{
  (void) data;
  g_usleep (300000);
  kill (getpid (), SIGINT);
  return NULL;
}

/* Somebody listens there, and never answers. */
static void
ask_the_dumb (Lab *lab)
{
  guint16 port = 0;
  int fd = lab_bind_loopback (&port, NULL);
  g_autofree char *script = g_strdup_printf ("echo :%u; exec sleep 60", port);
  g_autoptr (LabChild) child = NULL;

  g_assert_cmpint (listen (fd, 16), ==, 0);
  child = lab_child_start (&(LabChildOptions) { .argv = (const char *[]) { "sh", "-c", script, NULL } }, NULL);
  g_thread_unref (g_thread_new ("user", press_ctrl_c, NULL));
  lab_http_service_stat (lab, child, "work_done");
}

static void
start_the_service (Lab *lab)
{
  g_autoptr (LabHttpTrial) trial = NULL;

  g_thread_unref (g_thread_new ("user", press_ctrl_c, NULL));
  trial = lab_http_trial_new (lab, "a trial", NULL);
}

/* Whatever the user's environment says to the service. */
static void
start_with_variables (Lab *lab)
{
  static const char *const variables[] = { "MAX_WAITING", "MAX_WAIT_S", "SERVICE_TIME" };

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    g_setenv (variables[i], "nonsense", TRUE);
  lab_http_trial_free (lab_http_trial_new (lab, "a trial", NULL));
}

static void
start_with_few_files (Lab *lab)
{
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &(struct rlimit) { 39, 39 }), ==, 0);
  lab_http_trial_free (lab_http_trial_new (lab, "a trial", NULL));
}

/* A service has ended in the middle of a run, and another one has not. */
static void
lose_a_service (Lab *lab)
{
  LabHttpTrial *lost = lab_http_trial_new (lab, "lost", NULL);

  lab_http_trial_new (lab, "left", NULL);
  lab_http_service_stat (lab, lost->service, "work_done");
}

/* One thread answers all questions after numbers with @body. */

typedef struct
{
  int fd;
  const char *body;
} Teller;

static gpointer
tell_all (gpointer data)
{
  const Teller *teller = data;
  g_autofree char *answer
      = g_strdup_printf ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %" G_GSIZE_FORMAT "\r\n\r\n%s",
                         strlen (teller->body), teller->body);
  char bytes[4096];

  for (;;)
    {
      int fd = accept4 (teller->fd, NULL, NULL, SOCK_CLOEXEC);

      if (recv (fd, bytes, sizeof bytes, 0) > 0)
        send (fd, answer, strlen (answer), MSG_NOSIGNAL);
      close (fd);
    }
  return NULL;
}

static void
ask_for (Lab *lab, const char *body)
{
  guint16 port = 0;
  Teller teller = { lab_bind_loopback (&port, NULL), body };
  g_autofree char *script = g_strdup_printf ("echo :%u; exec sleep 60", port);
  g_autoptr (LabChild) child = NULL;

  g_assert_cmpint (listen (teller.fd, 16), ==, 0);
  g_thread_unref (g_thread_new ("teller", tell_all, &teller));
  child = lab_child_start (&(LabChildOptions) { .argv = (const char *[]) { "sh", "-c", script, NULL } }, NULL);
  lab_print (lab, "work_done: %" G_GUINT64_FORMAT "\n", lab_http_service_stat (lab, child, "work_done"));
}

/* A run of ten requests, of which @lost left no outcome and @unsent were not sent,
 * by a service that says that it has finished @work. */
static void
settle (Lab *lab, guint lost, guint unsent, guint work)
{
  LabRun *run = lab_run_new ("a run");

  run->summary = lab_summary_new (LAB_S);
  run->work = work;
  for (guint i = lost; i < 10; i++)
    lab_summary_add (run->summary, i * LAB_S / 10, i < lost + unsent ? LAB_UNSENT : LAB_OK, 0);
  lab_run_settle (lab, run, RATE_RPS);
  lab_http_judge_generator (lab, run->label, run->summary);
  lab_print (lab, "wasted: %" G_GUINT64_FORMAT "\n", run->wasted);
  lab_run_free (run);
}

static int
be_the_program (const char *mode, char *out)
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "trial",
                                                 .summary = "",
                                                 .options = LAB_OPTIONS_REAL_ONLY | LAB_OPTIONS_DURATION,
                                                 .duration_ns = LAB_S },
                                 2, (char *[]) { (char *) "trial", out, NULL });

  if (g_str_equal (mode, "dumb"))
    ask_the_dumb (lab);
  else if (g_str_equal (mode, "deaf"))
    start_the_service (lab);
  else if (g_str_equal (mode, "variables"))
    start_with_variables (lab);
  else if (g_str_equal (mode, "few files"))
    start_with_few_files (lab);
  else if (g_str_equal (mode, "lose"))
    lose_a_service (lab);
  else if (g_str_has_prefix (mode, "{"))
    ask_for (lab, mode);
  else if (g_str_equal (mode, "well"))
    settle (lab, 0, 0, 12);
  else if (g_str_equal (mode, "lost"))
    settle (lab, 1, 0, 12);
  else if (g_str_equal (mode, "unsent"))
    settle (lab, 0, 3, 12);
  else if (g_str_equal (mode, "invented"))
    settle (lab, 0, 0, 9);
  return lab_finish (lab);
}

/* --- the tests --- */

/* Returns what it prints. On standard error it says @complaint if that is not NULL. */
static char *
run_program_as (const char *program, const char *mode, int status, const char *complaint)
{
  g_autofree char *folder = g_dir_make_tmp ("trial-XXXXXX", NULL);
  g_autofree char *out = g_strdup_printf ("--out=%s", folder);
  g_autofree char *clean_up = g_strdup_printf ("rm -r '%s'", folder);
  const char *argv[] = { program, "--as", mode, out, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *said = NULL;
  char *text;
  int wait_status;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, &said, &wait_status, &error);
  g_assert_no_error (error);
  if (complaint != NULL && strstr (said, complaint) == NULL)
    g_error ("as '%s' it says: %s", mode, said);
  g_assert_true (g_spawn_command_line_sync (clean_up, NULL, NULL, NULL, NULL));
  if (status == 0)
    g_assert_true (g_spawn_check_wait_status (wait_status, &error));
  else
    {
      g_assert_false (g_spawn_check_wait_status (wait_status, &error));
      g_assert_error (error, G_SPAWN_EXIT_ERROR, status);
    }
  return text;
}

static char *
run_as (const char *mode, int status)
{
  return run_program_as ("/proc/self/exe", mode, status, NULL);
}

static void
test_accounts (void)
{
  static const struct
  {
    const char *mode;
    int status;
    const char *says;
  } cases[] = {
    { "well", 0, "wasted: 2\n" },
    { "lost", 1, "FAIL  every request has exactly one outcome ('a run': 9 of 10)" },
    { "invented", 1, "FAIL  no answer without a work ('a run': 10 answers, 9 works)" },
    { "unsent", 1, "FAIL  every request could be sent ('a run': 3 of 10 could not, for want of files or ports)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = run_as (cases[i].mode, cases[i].status);

      g_test_message ("%s: %s", cases[i].mode, text);
      g_assert_nonnull (strstr (text, cases[i].says));
      g_assert_true ((cases[i].status == 0) == (strstr (text, "FAIL") == NULL));
    }
}

/* Ctrl-C is heeded while a service is asked that does not answer. */
static void
test_ctrl_c_while_asking (void)
{
  gint64 begun_us = g_get_monotonic_time ();
  g_autofree char *text = run_as ("dumb", 130);

  g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 8 * G_USEC_PER_SEC);
  g_assert_cmpstr (text, ==, "");
}

/* With @script as the service, beside a copy of this program. */
static char *
run_with_service (const char *script, const char *mode, int status, const char *complaint)
{
  g_autofree char *folder = g_dir_make_tmp ("trial-XXXXXX", NULL);
  g_autofree char *program = g_build_filename (folder, "program", NULL);
  g_autofree char *service = g_build_filename (folder, "service", NULL);
  g_autoptr (GFile) from = g_file_new_for_path ("/proc/self/exe");
  g_autoptr (GFile) to = g_file_new_for_path (program);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_file_set_contents_full (service, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chmod (program, 0700), ==, 0);
  text = run_program_as (program, mode, status, complaint);
  g_remove (program);
  g_remove (service);
  g_rmdir (folder);
  return text;
}

/* And while a service is started that never listens. */
static void
test_ctrl_c_while_starting (void)
{
  gint64 begun_us = g_get_monotonic_time ();
  g_autofree char *text = run_with_service ("#!/bin/sh\nexec sleep 60\n", "deaf", 130, NULL);

  g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 10 * G_USEC_PER_SEC); /* to wait for it takes 15 s */
  g_assert_cmpstr (text, ==, "");
}

static void
test_variables (void)
{
  g_autofree char *text = run_with_service (
      "#!/bin/sh\necho listening :1$MAX_WAITING$MAX_WAIT_S$SERVICE_TIME\nexec sleep 60\n", "variables", 0, NULL);

  g_assert_cmpstr (text, ==, "");
}

static void
test_few_files (void)
{
  g_autofree char *text = run_with_service ("#!/bin/sh\necho :1\nexec sleep 60\n", "few files", 2,
                                            "40 open files are needed, and the limit is 39 (ulimit -n)");

  g_assert_cmpstr (text, ==, "");
}

/* That is said, at once, and the other services are gone with the program. They write
 * their numbers; the first one to start is the one that ends. */
static void
test_lost_service (void)
{
  g_autofree char *path = NULL;
  g_autofree char *script = NULL;
  g_autofree char *text = NULL;
  g_autofree char *numbers = NULL;
  g_auto (GStrv) lines = NULL;
  gint64 begun_us = g_get_monotonic_time ();

  close (g_file_open_tmp ("trial-XXXXXX", &path, NULL));
  script = g_strdup_printf ("#!/bin/sh\necho $$ >>'%s'\nn=$(wc -l <'%s')\necho :1\n[ $n = 2 ] && exec sleep 60\n"
                            "sleep 0.1; echo alas >&2; exit 7\n",
                            path, path);
  text = run_with_service (script, "lose", 2, "service has ended with exit status 7: alas");
  g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 8 * G_USEC_PER_SEC); /* to ask it takes 10 s */
  g_assert_cmpstr (text, ==, "");
  g_assert_true (g_file_get_contents (path, &numbers, NULL, NULL));
  lines = g_strsplit (numbers, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpint (kill (atoi (lines[i]), 0), ==, -1); /* not even a zombie */
      g_assert_cmpint (errno, ==, ESRCH);
    }
  g_remove (path);
}

/* Numbers that are no counts. All at once, because each is asked for again and again for
 * 10 seconds. */
static gpointer
run_in_vain (gpointer mode)
{
  return run_as (mode, 2);
}

static void
test_numbers (void)
{
  static const char *const bad[]
      = { "{\"work_done\":-1}", "{\"work_done\":1.5}", "{\"work_done\":\"1\"}", "{\"work_done\":null}", "{}", "{" };
  GThread *threads[G_N_ELEMENTS (bad)];
  g_autofree char *good = run_as ("{\"work_done\":7}", 0);

  g_assert_cmpstr (good, ==, "work_done: 7\n");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    threads[i] = g_thread_new (bad[i], run_in_vain, (gpointer) bad[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_thread_join (threads[i]);

      g_assert_cmpstr (text, ==, "");
    }
}

int
main (int argc, char *argv[])
{
  if (argc == 4 && g_str_equal (argv[1], "--as"))
    return be_the_program (argv[2], argv[3]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http-trial/accounts", test_accounts);
  g_test_add_func ("/http-trial/ctrl-c-while-asking", test_ctrl_c_while_asking);
  g_test_add_func ("/http-trial/ctrl-c-while-starting", test_ctrl_c_while_starting);
  g_test_add_func ("/http-trial/variables", test_variables);
  g_test_add_func ("/http-trial/few-files", test_few_files);
  g_test_add_func ("/http-trial/lost-service", test_lost_service);
  g_test_add_func ("/http-trial/numbers", test_numbers);
  return g_test_run ();
}
