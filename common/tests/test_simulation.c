/* Random schedules against the admission controller (see simulation.h).
 *
 *   test_simulation                           as a test: ten million events
 *   test_simulation --seed=7                  the schedule of that seed
 *   test_simulation --seed=7 --events=1000000 those of seeds 7, 8, 9 ... for so many events
 *   test_simulation --soak [--events=...]     from a seed of today, until stopped
 *
 * The first schedule that fails is shrunk and printed. */
#include "simulation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS 10000000

/* With sanitizers the same events take three times as long, so there are fewer of
 * them; under valgrind, fifty times: SIMULATED_EVENTS=200000 in the environment
 * sets any other number. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
#define SHARE 4
#else
#define SHARE 1
#endif

#define REPLAY "replay: %s --seed=%" G_GUINT64_FORMAT "\n"

static const char *program;

/* Of the run that goes on; a crash looks here. */
static struct
{
  guint64 events; /* of the schedules before */
  guint64 seed;
  Verdict verdict;
} now;

static volatile sig_atomic_t is_stopped;

static void
stop (int number G_GNUC_UNUSED)
{
  is_stopped = 1;
}

/* A controller may be so broken that nothing else can be done any more. */
static void
crash (int number)
{
  char text[400];
  int length = snprintf (text, sizeof text, "caught after %" G_GUINT64_FORMAT " events: signal %d\n" REPLAY,
                         now.events + now.verdict.events, number, program, now.seed);

  if (write (STDOUT_FILENO, text, (size_t) MIN (length, (int) sizeof text - 1)) < 0)
    _exit (2);
  _exit (1);
}

static void
catch_crashes (void)
{
  static char stack[16384];
  const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = crash, .sa_flags = SA_ONSTACK };

  sigaltstack (&other, NULL);
  sigaction (SIGSEGV, &action, NULL);
  sigaction (SIGABRT, &action, NULL);
  sigaction (SIGTRAP, &action, NULL);
  sigaction (SIGXCPU, &action, NULL);
}

static gboolean
fails (const Schedule *schedule)
{
  Verdict verdict;
  gboolean has_failed;

  simulation_run (schedule, &verdict, NULL);
  has_failed = verdict.failure != NULL;
  g_free (verdict.failure);
  return has_failed;
}

/* Returns: (transfer full) */
static char *
explain (const Schedule *schedule)
{
  g_autoptr (Schedule) shrunk = schedule_shrink (schedule, fails);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) log = g_string_new (NULL);
  g_autofree char *failure = NULL;
  Verdict verdict;

  simulation_run (shrunk, &verdict, log);
  failure = verdict.failure;
  g_string_append_printf (text, REPLAY, program, schedule->seed);
  g_string_append (text, "the shortest schedule that fails:\n");
  schedule_print (shrunk, text);
  g_string_append_printf (text, "what happens:\n%s  then: %s\n", log->str, failure);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Plays the schedules of @seed and on until @events have gone by. Returns NULL,
 * or what is wrong. Returns: (transfer full) */
static char *
simulate (guint64 seed, guint64 events)
{
  now.events = 0;
  for (now.seed = seed; now.events < events && !is_stopped; now.seed++)
    {
      g_autoptr (Schedule) schedule = schedule_new (now.seed);

      simulation_run (schedule, &now.verdict, NULL);
      now.events += now.verdict.events;
      if (now.verdict.failure != NULL)
        {
          g_autofree char *failure = now.verdict.failure;
          g_autofree char *explanation = explain (schedule);

          return g_strdup_printf ("caught after %" G_GUINT64_FORMAT " events: %s\n%s", now.events, failure,
                                  explanation);
        }
      now.verdict.events = 0;
    }
  return NULL;
}

static guint64
events_to_test (void)
{
  const char *text = g_getenv ("SIMULATED_EVENTS");

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : EVENTS / SHARE;
}

static void
the_invariants_hold_after_every_event (void)
{
  g_autofree char *complaint = simulate (1, events_to_test ());

  if (complaint != NULL)
    g_error ("%s", complaint);
  g_test_message ("%" G_GUINT64_FORMAT " events in %" G_GUINT64_FORMAT " schedules", now.events, now.seed - 1);
}

static void
batches_and_turns_of_the_loop_change_nothing (void)
{
  static const guint batches[] = { 1, 64, 1024 };

  for (guint64 seed = 1; seed <= 300; seed++)
    {
      g_autoptr (Schedule) schedule = schedule_new (seed);
      Verdict first = { 0 };

      for (guint i = 0; i < G_N_ELEMENTS (batches); i++)
        {
          Verdict verdict;

          schedule->batch = batches[i];
          simulation_run (schedule, &verdict, NULL);
          g_assert_cmpstr (verdict.failure, ==, NULL);
          if (i == 0)
            first = verdict;
          g_assert_cmpuint (verdict.order_hash, ==, first.order_hash);
          g_assert_cmpuint (verdict.admitted, ==, first.admitted);
        }
    }
}

/* Stands for a fault that wants two arrivals and a change of limits. */
static gboolean
two_come_and_limits_change (const Schedule *schedule)
{
  guint arrivals = 0, changes = 0;

  for (guint i = 0; i < schedule->n_ops; i++)
    {
      arrivals += schedule->ops[i].kind == OP_ARRIVAL;
      changes += schedule->ops[i].kind == OP_LIMITS;
    }
  return arrivals >= 2 && changes >= 1;
}

static void
a_failing_schedule_is_shrunk_to_what_it_needs (void)
{
  guint shrunk_ones = 0;

  for (guint64 seed = 1; seed <= 50; seed++)
    {
      g_autoptr (Schedule) schedule = schedule_new (seed);
      g_autoptr (Schedule) shrunk = NULL;

      if (!two_come_and_limits_change (schedule))
        continue;
      shrunk = schedule_shrink (schedule, two_come_and_limits_change);
      g_assert_true (two_come_and_limits_change (shrunk));
      g_assert_cmpuint (shrunk->n_ops, ==, 3);
      shrunk_ones += schedule->n_ops > 3;
    }
  g_assert_cmpuint (shrunk_ones, >, 10);
}

typedef struct
{
  guint64 seed, events;
  gboolean soaks, replays;
} Arguments;

static Arguments
read_arguments (int argc, char *argv[])
{
  Arguments arguments = { .seed = 1, .events = 1 };

  for (int i = 1; i < argc; i++)
    if (g_str_has_prefix (argv[i], "--seed="))
      {
        arguments.seed = g_ascii_strtoull (argv[i] + strlen ("--seed="), NULL, 10);
        arguments.replays = TRUE;
      }
    else if (g_str_has_prefix (argv[i], "--events="))
      arguments.events = g_ascii_strtoull (argv[i] + strlen ("--events="), NULL, 10);
    else if (g_str_equal (argv[i], "--soak"))
      arguments.soaks = TRUE;
  if (arguments.soaks)
    {
      arguments.seed = (guint64) g_get_real_time ();
      arguments.events = arguments.events > 1 ? arguments.events : G_MAXUINT64;
    }
  return arguments;
}

int
main (int argc, char *argv[])
{
  Arguments arguments = read_arguments (argc, argv);
  g_autofree char *complaint = NULL;

  program = argv[0];
  if (!arguments.soaks && !arguments.replays)
    {
      g_test_init (&argc, &argv, NULL);
      g_test_add_func ("/simulation/the_invariants_hold_after_every_event", the_invariants_hold_after_every_event);
      g_test_add_func ("/simulation/batches_and_turns_of_the_loop_change_nothing",
                       batches_and_turns_of_the_loop_change_nothing);
      g_test_add_func ("/simulation/a_failing_schedule_is_shrunk_to_what_it_needs",
                       a_failing_schedule_is_shrunk_to_what_it_needs);
      return g_test_run ();
    }
  catch_crashes ();
  signal (SIGINT, stop);
  signal (SIGTERM, stop);
  if (arguments.soaks)
    {
      printf ("from seed %" G_GUINT64_FORMAT ", until stopped\n", arguments.seed);
      fflush (stdout);
    }
  complaint = simulate (arguments.seed, arguments.events);
  if (complaint == NULL)
    printf ("%" G_GUINT64_FORMAT " events in %" G_GUINT64_FORMAT " schedules: nothing wrong\n", now.events,
            now.seed - arguments.seed);
  else
    printf ("%s", complaint);
  return complaint == NULL ? 0 : 1;
}
