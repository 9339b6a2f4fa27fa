/* A program of the lab as a whole: this one starts itself as such a program, in a
 * folder of its own, and looks at its exit status, what it printed and what it
 * left behind. */
#include "../lab/lab.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the program --- */

enum
{
  PASS,
  FAIL,
  SKIP,
  INVALID,
  CAPACITY,
  STORE,
  FATAL,
  EARLY_SIGNAL,
  RUN,
  SIGNAL_IN_RUN,
  LATE_SIGNAL,
  TWO_SIGNALS,
  MUCH,
  SLEEP
};

static const char modes[] = "pass|fail|skip|invalid|capacity|store|fatal|early-signal|run|signal-in-run|late-signal"
                            "|two-signals|much|sleep";

static const LabColumn columns[] = {
  { .key = "label", .heading = "label", .width = -8 },
  { .key = "value", .heading = "value", .width = 7, .decimals = 1 },
};

static void
be_killed (LabTimer *timer)
{
  (void) timer;
  raise (SIGTERM);
}

/* Something to do for ever. */
static void
tick (LabTimer *timer)
{
  lab_timer_arm (timer, lab_clock_now (timer->clock) + LAB_MS);
}

static gboolean
never (gpointer data)
{
  (void) data;
  return FALSE;
}

static void
run (Lab *lab, LabTime signal_at_ns)
{
  LabTimer signal_timer, ticker;

  lab_timer_init (&signal_timer, lab_clock (lab), be_killed);
  lab_timer_init (&ticker, lab_clock (lab), tick);
  if (signal_at_ns >= 0)
    lab_timer_arm (&signal_timer, lab_clock_now (lab_clock (lab)) + signal_at_ns);
  lab_timer_arm (&ticker, 0);
  g_assert_false (lab_run_until (lab, never, NULL, LAB_S));
  g_assert_false (lab_run_until (lab, never, NULL, LAB_S));
  lab_timer_disarm (&signal_timer);
  lab_timer_disarm (&ticker);
}

static void
do_as (Lab *lab, int mode)
{
  switch (mode)
    {
    case FAIL:
      lab_check (lab, FALSE, "two is three", "%d is not %d", 2, 3);
      break;
    case SKIP:
      lab_skip (lab, "time flies", "only %d s", 2);
      break;
    case INVALID:
      lab_check (lab, FALSE, "two is three", "%s", "");
      lab_invalidate (lab, "%d of 100 late", 5);
      lab_check (lab, FALSE, "four is five", "%s", "");
      lab_check (lab, TRUE, "six is six", "%s", "");
      break;
    case CAPACITY:
      lab_print (lab, "capacity %.1f %.1f\n", lab_capacity_rps (lab), lab_capacity_rps (lab));
      break;
    case STORE:
      lab_store_capacity (lab, lab_decimal (827, 1), lab_rate (80, LAB_S));
      break;
    case FATAL:
      lab_fail (lab, "it is %s\nthan one line", "more");
    case SIGNAL_IN_RUN:
      run (lab, 50 * LAB_MS);
      break;
    case RUN:
      run (lab, -1);
      break;
    case TWO_SIGNALS:
      raise (SIGINT);
      raise (SIGTERM);
      g_assert_not_reached ();
    case LATE_SIGNAL:
      raise (SIGINT);
      break;
    case MUCH:
      for (int i = 0; i < 20000; i++)
        lab_print (lab, "line %d\n", i);
      break;
    case SLEEP:
      lab_print (lab, "slept %" G_GINT64_FORMAT " ns\n", lab_sleep (lab, 1500 * LAB_MS + 1));
      break;
    default:
      break;
    }
}

static int
be_program (int argc, char *argv[])
{
  int mode = PASS;
  const LabOption own = { .name = "mode", .kind = LAB_OPTION_CHOICE, .value = &mode, .choices = modes, .unit = "MODE" };
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step42_example",
                                                 .summary = "Tries a program of the lab.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 5 * LAB_S,
                                                 .own = &own,
                                                 .n_own = 1 },
                                 argc, argv);

  if (mode == EARLY_SIGNAL)
    {
      raise (SIGTERM);
      run (lab, -1);
    }
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));
  lab_print_heading (lab, table);
  lab_table_add (table, LAB_ROW (lab_text ("a"), lab_decimal (125, 2)));
  lab_print_row (lab, table, 0);
  lab_check (lab, TRUE, "one is one", "%d of %d", 1, 1);
  do_as (lab, mode);
  return lab_finish (lab);
}

/* --- starting it --- */

static char *self;

typedef struct
{
  char *folder;
  char *out, *err;
  int status;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  memset (fixture, 0, sizeof *fixture);
  fixture->folder = g_dir_make_tmp ("lab-lab-XXXXXX", NULL);
  g_assert_nonnull (fixture->folder);

  /* A name that no shell takes apart, wherever this was built. */
  g_autofree char *name = g_build_filename (fixture->folder, "program", NULL);
  g_assert_cmpint (symlink (self, name), ==, 0);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      remove_all (inner);
    }
  g_remove (path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  remove_all (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->out);
  g_free (fixture->err);
}

/* @line: for the shell; "$P" is the program. */
static void
start (Fixture *fixture, const char *line)
{
  const char *argv[] = { "/bin/sh", "-c", line, NULL };
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;
  int wait_status;

  environment = g_environ_setenv (environment, "P", "./program --as-program", TRUE);
  environment = g_environ_setenv (environment, "LC_ALL", "C", TRUE);
  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
  g_spawn_sync (fixture->folder, (char **) argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &fixture->out, &fixture->err,
                &wait_status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (wait_status));
  fixture->status = WEXITSTATUS (wait_status);
  g_test_message ("%s -> %d, \"%s\", \"%s\"", line, fixture->status, fixture->out, fixture->err);
}

static gboolean
is_there (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static char *
content_of (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  char *content = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  return content;
}

static void
put_capacity (Fixture *fixture, const char *content)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "out", NULL);
  g_autofree char *path = g_build_filename (folder, "capacity.json", NULL);

  g_mkdir_with_parents (folder, 0777);
  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static void
assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" is not in \"%s\"", part, text);
}

/* One line, that begins with the program's name. */
static void
assert_sentence (const char *text, const char *part)
{
  g_assert_true (g_str_has_prefix (text, "step42_example: "));
  assert_has (text, part);
  g_assert_true (strchr (text, '\n') == text + strlen (text) - 1);
}

/* --- the tests --- */

#define TABLE "label     value\na           1.2\n"
#define PASSED "\nPASS  one is one (1 of 1)\n"

static void
test_statuses (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *mode;
    int status;
    const char *out, *err;
  } cases[] = {
    { "pass", 0, TABLE PASSED, "" },
    { "fail", 1, TABLE PASSED "FAIL  two is three (2 is not 3)\n", "" },
    { "skip", 0, TABLE PASSED "SKIP  time flies (only 2 s)\n", "" },
    { "invalid", 3,
      TABLE PASSED "FAIL  two is three\nFAIL  the load generator kept its schedule (5 of 100 late)\n"
                   "SKIP  four is five (the run is not valid)\nSKIP  six is six (the run is not valid)\n",
      "step42_example: the run is not valid: 5 of 100 late\n" },
    { "fail --quiet", 1, "", "step42_example: FAIL  two is three (2 is not 3)\n" },
    { "pass --quiet", 0, "", "" },
    { "sleep", 0, TABLE "slept 1500000001 ns\n" PASSED, "" },
    { "sleep --timer-tick=1s", 0, TABLE "slept 2000000000 ns\n" PASSED, "" },
    { "fatal", 2, TABLE, "step42_example: it is more?than one line\n" },
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf ("exec $P --mode=%s", cases[i].mode);
      start (fixture, line);
      g_assert_cmpint (fixture->status, ==, cases[i].status);
      g_assert_cmpstr (fixture->out, ==, cases[i].out);
      g_assert_cmpstr (fixture->err, ==, cases[i].err);
    }
}

static void
test_document (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture, "exec $P --json --slots 8 --work=exponential --capacity=82.7 --mode=capacity --timer-tick=16.075ms");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_cmpstr (fixture->err, ==, "");
  g_assert_cmpstr (
      fixture->out, ==,
      "{\n  \"program\": \"step42_example\",\n  \"version\": \"" LAB_VERSION "\",\n  \"clock\": \"virtual\",\n"
      "  \"seed\": 7,\n  \"interrupted\": false,\n"
      "  \"settings\": { \"service_time_s\": 0.05, \"slots\": 8, \"client_timeout_s\": 1.0, "
      "\"timer_tick_s\": 0.016075, \"capacity_rps\": 82.7, \"duration_s\": 5.0, "
      "\"arrivals\": \"constant\", \"work\": \"exponential\" },\n"
      "  \"rows\": [\n    { \"label\": \"a\", \"value\": 1.25 }\n  ],\n"
      "  \"checks\": [\n    { \"claim\": \"one is one\", \"holds\": true, \"detail\": \"1 of 1\" }\n  ]\n}\n");

  g_autofree char *json = content_of (fixture, "out/step42_example.json");
  g_autofree char *csv = content_of (fixture, "out/step42_example.csv");
  g_assert_cmpstr (json, ==, fixture->out);
  g_assert_cmpstr (csv, ==, "label,value\na,1.25\n");
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  static const char *const cases[][2] = {
    { "--slots=0", "--slots=0" },
    { "--slots=1000001", "from 1 to 1000000" },
    { "--service-time=0", "--service-time=0" },
    { "--client-timeout=0s", "--client-timeout=0s" },
    { "--duration=0", "--duration=0" },
    { "--duration", "--duration needs a value" },
    { "--timer-tick=-1", "--timer-tick=-1" },
    { "--timer-tick=1ms --clock=real", "--timer-tick" },
    { "--clock=sundial", "virtual or real" },
    { "--seed=-1", "--seed=-1" },
    { "--arrivals=", "constant or poisson" },
    { "--capacity=0", "--capacity=0" },
    { "--out=", "--out=" },
    { "--nonsense", "--nonsense" },
    { "surplus", "surplus" },
    { "--out=/dev/null/x", "/dev/null/x" },
    { "--out=/proc/nowhere --clock=real --mode=run", "/proc/nowhere" },
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf ("exec $P --quiet %s", cases[i][0]);
      start (fixture, line);
      g_assert_cmpint (fixture->status, ==, 2);
      g_assert_cmpstr (fixture->out, ==, "");
      assert_sentence (fixture->err, cases[i][1]);
    }
  g_assert_false (is_there (fixture, "out"));
}

static void
test_help_and_version (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture, "exec $P --help");
  g_assert_cmpint (fixture->status, ==, 0);
  assert_has (fixture->out, "Tries a program of the lab.");
  assert_has (fixture->out, "--service-time=DURATION");
  start (fixture, "exec $P --version");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_cmpstr (fixture->out, ==, "step42_example " LAB_VERSION "\n");
  g_assert_false (is_there (fixture, "out"));
}

static void
test_standard_output (Fixture *fixture, gconstpointer data)
{
  static const char *const lines[][2] = {
    { "exec $P >&-", "Bad file descriptor" },
    { "exec $P >/dev/full", "No space left on device" },
    { "exec $P --json >/dev/full", "No space left on device" },
    { "exec $P --mode=much >/dev/full", "No space left on device" },
    { "exec $P <&- >&-", "Bad file descriptor" },
    { "exec $P --help >&-", "Bad file descriptor" },
    { "exec $P --version >/dev/full", "No space left on device" },
    { "{ $P --mode=much; echo $? >status; } | true; exit $(cat status)", "Broken pipe" },
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      if (strstr (lines[i][0], "/dev/full") != NULL && !g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
        {
          g_test_message ("there is no /dev/full for %s", lines[i][0]);
          continue;
        }
      start (fixture, lines[i][0]);
      g_assert_cmpint (fixture->status, ==, 2);
      assert_sentence (fixture->err, "cannot write standard output: ");
      assert_sentence (fixture->err, lines[i][1]);
    }
  g_assert_true (is_there (fixture, "out/step42_example.json"));

  start (fixture, "rm -r out; exec $P <&- >&- 2>&-");
  g_assert_cmpint (fixture->status, ==, 2);
  g_assert_true (is_there (fixture, "out/step42_example.json"));

  start (fixture, "exec $P --quiet >&-"); /* nothing to write: nothing is wrong */
  g_assert_cmpint (fixture->status, ==, 0);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture, "exec $P --out=a/d\xc3\xa9j\xe0/b");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_true (is_there (fixture, "a/d\xc3\xa9j\xe0/b/step42_example.json"));
  g_assert_true (is_there (fixture, "a/d\xc3\xa9j\xe0/b/step42_example.csv"));

  start (fixture, "mkdir -p out && echo old >out/step42_example.json && ulimit -f 0 && exec $P --quiet");
  g_assert_cmpint (fixture->status, ==, 2);
  assert_sentence (fixture->err, "out/step42_example.csv");
  g_autofree char *json = content_of (fixture, "out/step42_example.json");
  g_assert_cmpstr (json, ==, "old\n");
}

static void
test_capacity_from (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *content, *part;
  } refused[] = {
    { "", "out/capacity.json" },
    { "{", "out/capacity.json" },
    { "[82.7]", "out/capacity.json" },
    { "{ \"other\": 1 }", "out/capacity.json" },
    { "{ \"capacity_rps\": \"82.7\" }", "out/capacity.json" },
    { "{ \"capacity_rps\": null }", "out/capacity.json" },
    { "{ \"capacity_rps\": true }", "out/capacity.json" },
    { "{ \"capacity_rps\": [1] }", "out/capacity.json" },
    { "{ \"capacity_rps\": 0 }", "out/capacity.json" },
    { "{ \"capacity_rps\": -82.7 }", "out/capacity.json" },
    { "{ \"capacity_rps\": 1e400 }", "out/capacity.json" },
    { "{ \"capacity_rps\": 0.00000001 }", "out/capacity.json" },
    { "{ \"capacity_rps\": 82.7, \"x\": \"\xff\" }", "out/capacity.json" },
  };

  (void) data;
  start (fixture, "exec $P --mode=capacity --quiet");
  g_assert_cmpint (fixture->status, ==, 2);
  assert_sentence (fixture->err,
                   "out/capacity.json (No such file or directory): run build/bin/step01_calibrate --out=out first");

  start (fixture, "mkdir -p x/capacity.json; exec $P --mode=capacity --quiet --out x");
  g_assert_cmpint (fixture->status, ==, 2);
  assert_sentence (fixture->err, "x/capacity.json (Is a directory): run build/bin/step01_calibrate --out=x first");

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      put_capacity (fixture, refused[i].content);
      start (fixture, "exec $P --mode=capacity --quiet");
      g_assert_cmpint (fixture->status, ==, 2);
      assert_sentence (fixture->err, refused[i].part);
      assert_sentence (fixture->err, "--capacity=RPS");
    }

  put_capacity (fixture, "{ \"capacity_rps\": 80 }");
  start (fixture, "exec $P --mode=capacity");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_cmpstr (fixture->out, ==, TABLE "capacity 80.0 80.0\n" PASSED);
  g_assert_cmpstr (fixture->err, ==, "");

  start (fixture, "exec $P --mode=capacity --capacity=65.3");
  g_assert_cmpstr (fixture->out, ==, TABLE "capacity 65.3 65.3\n" PASSED);
}

static void
test_capacity_stored (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture, "exec $P --mode=store");
  g_assert_cmpint (fixture->status, ==, 0);
  g_autofree char *json = content_of (fixture, "out/capacity.json");
  g_assert_cmpstr (json, ==,
                   "{\n  \"capacity_rps\": 82.7,\n  \"steady_capacity_rps\": 80.0,\n  \"service_time_s\": 0.05,\n"
                   "  \"slots\": 4,\n  \"clock\": \"virtual\",\n  \"timer_tick_s\": 0.0\n}\n");

  start (fixture, "exec $P --mode=capacity");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_cmpstr (fixture->err, ==, "");
  start (fixture, "exec $P --mode=capacity --slots=8 --service-time=60ms");
  g_assert_cmpint (fixture->status, ==, 0);
  assert_sentence (fixture->err, "warning: out/capacity.json was measured with other settings: "
                                 "service_time_s 0.05 (now 0.06), slots 4 (now 8)");
  start (fixture, "exec $P --mode=capacity --timer-tick=1ms");
  assert_sentence (fixture->err, "timer_tick_s 0 (now 0.001)");
  start (fixture, "exec $P --mode=capacity --clock=real");
  assert_sentence (fixture->err, "clock \"virtual\" (now \"real\")");
}

static void
test_signals (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *mode;
    int status;
    const char *err;
  } cases[] = {
    { "early-signal", 143, "interrupted by SIGTERM" },
    { "signal-in-run", 143, "out/step42_example.interrupted.json" },
    { "signal-in-run --clock=real", 143, "out/step42_example.interrupted.json" },
    { "late-signal", 130, "interrupted by SIGINT" },
  };

  (void) data;
  start (fixture, "exec $P --mode=store");
  g_autofree char *complete = content_of (fixture, "out/step42_example.json");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf ("rm -f out/*.interrupted.*; exec $P --mode=%s --seed=8", cases[i].mode);
      start (fixture, line);
      g_assert_cmpint (fixture->status, ==, cases[i].status);
      assert_sentence (fixture->err, cases[i].err);

      g_autofree char *still = content_of (fixture, "out/step42_example.json");
      g_autofree char *part = content_of (fixture, "out/step42_example.interrupted.json");
      g_assert_cmpstr (still, ==, complete);
      assert_has (part, "\"interrupted\": true");
      g_assert_true (is_there (fixture, "out/step42_example.interrupted.csv"));
    }

  start (fixture, "exec $P --mode=early-signal");
  g_autofree char *nothing = content_of (fixture, "out/step42_example.interrupted.json");
  assert_has (nothing, "\"holds\": null, \"detail\": \"the run was interrupted\"");

  start (fixture, "exec $P");
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_false (is_there (fixture, "out/step42_example.interrupted.json"));
  g_assert_false (is_there (fixture, "out/step42_example.interrupted.csv"));
}

static void
test_interrupted_stores_no_capacity (Fixture *fixture, gconstpointer data)
{
  (void) data;
  put_capacity (fixture, "old");
  start (fixture, "$P --mode=run --clock=real & sleep 0.2; kill -INT $!; wait $!");
  g_assert_cmpint (fixture->status, ==, 130);
  g_autofree char *capacity = content_of (fixture, "out/capacity.json");
  g_assert_cmpstr (capacity, ==, "old");
}

static void
test_second_signal (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture, "$P --mode=two-signals; exit $?");
  g_assert_cmpint (fixture->status, ==, 143);
  g_assert_false (is_there (fixture, "out"));
}

int
main (int argc, char *argv[])
{
  if (argc > 1 && strcmp (argv[1], "--as-program") == 0)
    {
      argv[1] = argv[0];
      return be_program (argc - 1, argv + 1);
    }

  self = g_canonicalize_filename (argv[0], NULL);
  g_test_init (&argc, &argv, NULL);

#define ADD(name, test) g_test_add ("/lab/" name, Fixture, NULL, set_up, test, tear_down)
  ADD ("statuses", test_statuses);
  ADD ("document", test_document);
  ADD ("refusals", test_refusals);
  ADD ("help-and-version", test_help_and_version);
  ADD ("standard-output", test_standard_output);
  ADD ("files", test_files);
  ADD ("capacity-from", test_capacity_from);
  ADD ("capacity-stored", test_capacity_stored);
  ADD ("signals", test_signals);
  ADD ("interrupted-stores-no-capacity", test_interrupted_stores_no_capacity);
  ADD ("second-signal", test_second_signal);

  int status = g_test_run ();
  g_free (self);
  return status;
}
