/* The clocks and their timers. */
#include "../time/clock.h"
#include "../time/script.h"
#include "../time/timer_queue.h"

#include <sys/resource.h>

typedef struct
{
  LabTimer timer;
  char name;
  GString *log;
  LabTime fired_at_ns;
} Bell;

static void
ring (LabTimer *timer)
{
  Bell *bell = LAB_OWNER_OF (timer, Bell, timer);

  g_assert_false (lab_timer_is_armed (timer));
  bell->fired_at_ns = lab_clock_now (timer->clock);
  g_string_append_c (bell->log, bell->name);
}

static void
bells_init (Bell *bells, guint n, LabClock *clock, GString *log)
{
  for (guint i = 0; i < n; i++)
    {
      bells[i] = (Bell) { .name = (char) ('a' + i), .log = log };
      lab_timer_init (&bells[i].timer, clock, ring);
    }
}

static void
fires_by_time_then_by_order_of_arming (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[5];

  bells_init (bells, 5, clock, log);
  lab_timer_arm (&bells[0].timer, 30);
  lab_timer_arm (&bells[1].timer, 10);
  lab_timer_arm (&bells[2].timer, 30);
  lab_timer_arm (&bells[3].timer, 20);
  lab_timer_arm (&bells[4].timer, 10);
  lab_timer_arm (&bells[0].timer, 30); /* armed again: last among equals */
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "bedca");
  g_assert_cmpint (lab_clock_now (clock), ==, 30);
  g_assert_cmpuint (lab_clock_events (clock), ==, 5);
}

static void
a_disarmed_timer_does_not_fire (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[3];

  bells_init (bells, 3, clock, log);
  for (guint i = 0; i < 3; i++)
    lab_timer_arm (&bells[i].timer, i);
  lab_timer_disarm (&bells[1].timer);
  lab_timer_disarm (&bells[1].timer); /* a second time does nothing */
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "ac");
}

/* Arms, moves and disarms at random; then all that is armed must fire, each once and
 * at its time. */
static void
a_heap_of_many_keeps_its_order (void)
{
  enum
  {
    N = 500,
    SEEDS = 20
  };

  for (guint32 seed = 1; seed <= SEEDS; seed++)
    {
      g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
      g_autoptr (GString) log = g_string_new (NULL);
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autofree Bell *bells = g_new0 (Bell, N);
      g_autofree gboolean *expected = g_new0 (gboolean, N);
      guint armed = 0;

      bells_init (bells, N, clock, log);
      for (int i = 0; i < 20 * N; i++)
        {
          int which = g_rand_int_range (random, 0, N);

          expected[which] = g_rand_boolean (random);
          if (expected[which])
            lab_timer_arm (&bells[which].timer, g_rand_int_range (random, 1, 1000));
          else
            lab_timer_disarm (&bells[which].timer);
        }
      g_assert_true (lab_clock_run_until (clock, NULL, NULL));
      for (int i = 0; i < N; i++)
        {
          armed += expected[i];
          g_assert_cmpint (bells[i].fired_at_ns, ==, expected[i] ? bells[i].timer.due_ns : 0);
        }
      g_assert_cmpuint (armed, >, N / 4);
      g_assert_cmpuint (log->len, ==, armed);
    }
}

/* Few instants, many timers at each, in the lanes and in the heap. */
typedef struct
{
  LabTimer timer;
  guint armed;           /* its turn in the order of arming */
  const LabTimer **last; /* that has fired */
} Runner;

static void
arrive (LabTimer *timer)
{
  const Runner *runner = LAB_OWNER_OF (timer, Runner, timer);

  if (*runner->last != NULL && (*runner->last)->due_ns == timer->due_ns)
    g_assert_cmpuint (LAB_OWNER_OF (*runner->last, Runner, timer)->armed, <, runner->armed);
  *runner->last = timer;
}

static void
a_dead_heat_is_won_by_who_was_armed_first (void)
{
  enum
  {
    N = 500
  };
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autofree Runner *runners = g_new0 (Runner, N);
  const LabTimer *last = NULL;

  for (int i = 0; i < N; i++)
    {
      runners[i].last = &last;
      lab_timer_init (&runners[i].timer, clock, arrive);
    }
  for (int i = 0; i < 20 * N; i++)
    {
      Runner *runner = &runners[g_rand_int_range (random, 0, N)];

      runner->armed = i;
      lab_timer_arm (&runner->timer, g_rand_int_range (random, 1, 10));
    }
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpuint (lab_clock_events (clock), ==, N);
}

/* A lane is a ring: when it grows, its head may stand in the middle. */
static void
a_lane_that_grows_forgets_nobody (void)
{
  enum
  {
    N = 300
  };
  LabTimerQueue queue = { 0 };
  LabTimer timers[N] = { 0 };

  for (guint out = 0, in = 0; out < N; out++)
    {
      for (; in < MIN (N, 2 * out + 50); in++)
        lab_timer_queue_add (&queue, &timers[in], in, in);
      g_assert_true (lab_timer_queue_first (&queue)->timer == &timers[out]);
      lab_timer_queue_remove (&queue, &timers[out]);
    }
  g_assert_null (lab_timer_queue_first (&queue));
  lab_timer_queue_clear (&queue);
}

/* Idle time-outs of a server: one connection is silent, the others start anew with
 * every request. Their memory must not grow with the number of requests. */
static void
timers_armed_again_and_again_take_no_memory (void)
{
  LabTimerQueue queue = { 0 };
  LabTimer timers[3] = { 0 };
  guint64 sequence = 0;

  for (guint i = 0; i < 3; i++)
    lab_timer_queue_add (&queue, &timers[i], 1000, ++sequence);
  for (LabTime now = 0; now < 100000; now++)
    {
      LabTimer *timer = &timers[1 + now % 2];

      lab_timer_queue_remove (&queue, timer);
      lab_timer_queue_add (&queue, timer, 1000 + now, ++sequence);
      g_assert_true (lab_timer_queue_first (&queue)->timer == &timers[0]);
    }
  for (guint i = 0; i < LAB_N_LANES; i++)
    g_assert_cmpuint (queue.lanes[i].room, <=, 64);
  for (guint i = 0; i < 3; i++)
    {
      LabTimer *first = lab_timer_queue_first (&queue)->timer;

      g_assert_true (first == &timers[i]);
      lab_timer_queue_remove (&queue, first);
    }
  g_assert_null (lab_timer_queue_first (&queue));
  lab_timer_queue_clear (&queue);
}

typedef struct
{
  GString *log;
  gsize wanted;
} Until;

static gboolean
is_reached (gpointer data)
{
  const Until *until = data;

  return until->log->len >= until->wanted;
}

static void
stops_at_the_very_event (void)
{
  static const guint batches[] = { 1, 64, 1024 };

  for (guint b = 0; b < G_N_ELEMENTS (batches); b++)
    {
      g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
      g_autoptr (GString) log = g_string_new (NULL);
      Bell bells[5];

      lab_clock_set_batch (clock, batches[b]);
      bells_init (bells, 5, clock, log);
      for (guint i = 0; i < 5; i++)
        lab_timer_arm (&bells[i].timer, 10 * i);
      g_assert_true (lab_clock_run_until (clock, is_reached, &(Until) { log, 3 }));
      g_assert_cmpstr (log->str, ==, "abc");
      g_assert_cmpint (lab_clock_now (clock), ==, 20);
      g_assert_false (lab_clock_run_until (clock, is_reached, &(Until) { log, 9 })); /* never comes to hold */
      g_assert_cmpstr (log->str, ==, "abcde");
    }
}

static gboolean
look_around (gpointer n)
{
  (*(guint *) n)++;
  return G_SOURCE_CONTINUE;
}

static void
other_sources_are_served_after_each_batch (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[100];
  guint looks = 0;
  guint source = g_idle_add_full (G_PRIORITY_LOW, look_around, &looks, NULL); /* the clock's own */

  lab_clock_set_batch (clock, 10);
  bells_init (bells, 100, clock, log);
  for (guint i = 0; i < 100; i++)
    lab_timer_arm (&bells[i].timer, 5);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpuint (looks, ==, 10);
  g_source_remove (source);
}

/* In a flood of timers that are all due, sockets (which are of that priority) get their
 * turn, too. */
static void
the_real_clock_serves_others_in_a_flood (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[1000];
  guint looks = 0;
  guint source = g_idle_add_full (G_PRIORITY_DEFAULT, look_around, &looks, NULL);

  bells_init (bells, 1000, clock, log);
  for (guint i = 0; i < 1000; i++)
    lab_timer_arm (&bells[i].timer, 0);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpuint (log->len, ==, 1000);
  g_assert_cmpuint (looks, >=, 1000 / 16);
  g_source_remove (source);
}

static gboolean
has_rung (gpointer data)
{
  const GString *log = data;

  return log->len > 0;
}

static gboolean
forget (gpointer data)
{
  g_string_truncate (data, 0);
  return G_SOURCE_CONTINUE;
}

/* And stays reached, whatever another source does before the main loop comes round. */
static void
a_condition_that_held_once_is_reached (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bell;
  guint source = g_idle_add_full (G_PRIORITY_LOW, forget, log, NULL);

  bells_init (&bell, 1, clock, log);
  lab_timer_arm (&bell.timer, 5);
  g_assert_true (lab_clock_run_until (clock, has_rung, log));
  g_assert_cmpuint (log->len, ==, 0); /* it was taken back */
  g_source_remove (source);
}

static void
with_a_tick_timers_fire_on_its_multiples (void)
{
  static const struct
  {
    LabTime due, fires;
  } rows[] = { { 0, 0 }, { 1, 16 }, { 15, 16 }, { 16, 16 }, { 17, 32 }, { 50, 64 }, { 64, 64 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LabClock) clock = lab_clock_new_virtual (16);
      g_autoptr (GString) log = g_string_new (NULL);
      Bell bell;

      bells_init (&bell, 1, clock, log);
      lab_timer_arm (&bell.timer, rows[i].due);
      g_assert_true (lab_clock_run_until (clock, NULL, NULL));
      g_assert_cmpint (bell.fired_at_ns, ==, rows[i].fires);
    }
}

static void
at_a_tick_the_exact_due_times_decide (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (100);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[4];

  bells_init (bells, 4, clock, log);
  lab_timer_arm (&bells[0].timer, 99);
  lab_timer_arm (&bells[1].timer, 1);
  lab_timer_arm (&bells[2].timer, 100);
  lab_timer_arm (&bells[3].timer, 50);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "bdac");
  g_assert_cmpint (lab_clock_now (clock), ==, 100);
}

static guint64
hash_of (guint batch, guint armed_first, LabTime due_a, LabTime due_b)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  LabTime due[2] = { due_a, due_b };
  Bell bells[2];

  lab_clock_set_batch (clock, batch);
  bells_init (bells, 2, clock, log);
  lab_timer_arm (&bells[armed_first].timer, due[armed_first]);
  lab_timer_arm (&bells[1 - armed_first].timer, due[1 - armed_first]);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  return lab_clock_order_hash (clock);
}

static void
the_hash_tells_orders_apart (void)
{
  guint64 hash = hash_of (1024, 0, 1, 2);

  g_assert_cmpuint (hash_of (1, 0, 1, 2), ==, hash);
  g_assert_cmpuint (hash_of (1024, 0, 1, 3), !=, hash); /* later, and in the same order */
  g_assert_cmpuint (hash_of (1024, 1, 1, 2), !=, hash); /* at the same times, armed the other way round */
  g_assert_cmpuint (hash_of (1024, 0, 2, 1), !=, hash);
}

static void
stop (LabTimer *timer)
{
  lab_clock_stop (timer->clock);
}

static void
a_stopped_clock_does_not_go_on (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  LabTimer stopper;
  Bell bell;

  lab_timer_init (&stopper, clock, stop);
  bells_init (&bell, 1, clock, log);
  lab_timer_arm (&stopper, 5);
  lab_timer_arm (&bell.timer, 6);
  g_assert_false (lab_clock_run_until (clock, NULL, NULL));
  g_assert_false (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpint (lab_clock_now (clock), ==, 5);
  g_assert_cmpstr (log->str, ==, "");
}

static void
a_virtual_clock_stands_still_unless_it_is_run (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bell;

  bells_init (&bell, 1, clock, log);
  lab_timer_arm (&bell.timer, 0);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpstr (log->str, ==, "");
}

static void
the_real_clock_goes_forward (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  LabTime before_ns = lab_clock_now (clock);

  g_assert_cmpint (before_ns, >=, 0);
  g_usleep (1000);
  g_assert_cmpint (lab_clock_now (clock) - before_ns, >=, LAB_MS);
}

static gint64
processor_us (const struct rusage *usage)
{
  return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * G_USEC_PER_SEC + usage->ru_utime.tv_usec
         + usage->ru_stime.tv_usec;
}

/* By the processor's time: going round and round would take all there is. */
static void
the_real_clock_sleeps_while_it_waits (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  g_autoptr (GString) log = g_string_new (NULL);
  struct rusage before, after;
  Bell bell;

  bells_init (&bell, 1, clock, log);
  lab_timer_arm (&bell.timer, lab_clock_now (clock) + 100 * LAB_MS);
  getrusage (RUSAGE_SELF, &before);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  getrusage (RUSAGE_SELF, &after);
  g_assert_cmpint (processor_us (&after) - processor_us (&before), <, 10000);
}

/* Order only: how late a real timer is, is the machine's affair. */
static void
the_real_clock_fires_in_order_and_not_early (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  g_autoptr (GString) log = g_string_new (NULL);
  Bell bells[3];

  bells_init (bells, 3, clock, log);
  lab_timer_arm (&bells[0].timer, 3 * LAB_MS);
  lab_timer_arm (&bells[1].timer, 1 * LAB_MS);
  lab_timer_arm (&bells[2].timer, 2 * LAB_MS + 300 * LAB_US);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "bca");
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (bells[i].fired_at_ns, >=, bells[i].timer.due_ns);
}

static gboolean
is_set (gpointer flag)
{
  return *(gboolean *) flag;
}

static gboolean
set (gpointer flag)
{
  *(gboolean *) flag = TRUE;
  return G_SOURCE_REMOVE;
}

/* With no descriptor to be had the clock goes by GLib's ready times, which are
 * coarser but not early. */
static void
a_real_clock_does_without_a_descriptor (void)
{
  struct rlimit before, none;
  g_autoptr (LabClock) clock = NULL;
  g_autoptr (GString) log = g_string_new (NULL);
  gboolean flag = FALSE;
  Bell bells[2];

  g_main_context_default (); /* it keeps a descriptor of its own, taken now at the latest */
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  none = (struct rlimit) { .rlim_cur = 0, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &none), ==, 0);
  clock = lab_clock_new_real ();
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);

  bells_init (bells, 2, clock, log);
  lab_timer_arm (&bells[0].timer, 2 * LAB_MS);
  lab_timer_arm (&bells[1].timer, 1 * LAB_MS);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "ba");
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (bells[i].fired_at_ns, >=, bells[i].timer.due_ns);

  g_timeout_add (1, set, &flag); /* with no timer armed it waits for what others do */
  g_assert_true (lab_clock_run_until (clock, is_set, &flag));
}

/* A script that is woken before it waits, while it sleeps, and after its end. */
typedef struct
{
  LabScript script;
  gboolean door_is_open;
  GString *log;
} Guest;

static void
visit (LabScript *script)
{
  Guest *guest = LAB_OWNER_OF (script, Guest, script);

  LAB_SCRIPT_BEGIN (script);
  g_string_append (guest->log, "comes ");
  LAB_WAIT_WHILE (script, !guest->door_is_open);
  g_string_append_printf (guest->log, "enters@%d ", (int) lab_clock_now (script->timer.clock));
  LAB_SLEEP (script, 7);
  g_string_append_printf (guest->log, "rests@%d ", (int) lab_clock_now (script->timer.clock));
  LAB_CALL (script, lab_script_wake (script));
  g_string_append_printf (guest->log, "goes@%d", (int) lab_clock_now (script->timer.clock));
  LAB_SCRIPT_END (script);
}

typedef struct
{
  LabTimer timer;
  Guest *guest;
} Porter;

static void
open_door (LabTimer *timer)
{
  Porter *porter = LAB_OWNER_OF (timer, Porter, timer);

  porter->guest->door_is_open = TRUE;
  lab_script_wake (&porter->guest->script);
  lab_script_wake (&porter->guest->script);
  if (lab_clock_now (timer->clock) < 40)
    lab_timer_arm (timer, lab_clock_now (timer->clock) + 3); /* wakes the sleeper for nothing */
}

static void
a_script_reads_from_top_to_bottom (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Guest guest = { .log = log };
  Porter porter = { .guest = &guest };

  lab_timer_init (&porter.timer, clock, open_door);
  lab_timer_arm (&porter.timer, 10);
  lab_script_start (&guest.script, clock, visit);
  lab_script_wake (&guest.script); /* the door is still shut: it goes on waiting */
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "comes enters@10 rests@17 goes@17");
}

static void
a_stopped_script_never_resumes (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (GString) log = g_string_new (NULL);
  Guest guest = { .log = log, .door_is_open = TRUE };

  lab_script_start (&guest.script, clock, visit);
  lab_script_stop (&guest.script);
  lab_script_wake (&guest.script);
  g_assert_false (lab_timer_is_armed (&guest.script.timer));
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpstr (log->str, ==, "comes enters@0 ");
}

static void
nothing (LabTimer *timer)
{
  (void) timer;
}

/* Beyond this a tick would be counted past the end of time. */
static void
never_is_no_due_time (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (LAB_DURATION_MAX);
  LabTimer timer;

  lab_timer_init (&timer, clock, nothing);
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*LAB_NEVER*");
  lab_timer_arm (&timer, LAB_NEVER);
  g_test_assert_expected_messages ();
  g_assert_false (lab_timer_is_armed (&timer));

  lab_timer_arm (&timer, LAB_NEVER - LAB_DURATION_MAX);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpint (lab_clock_now (clock), >=, LAB_NEVER - LAB_DURATION_MAX);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock/fires-by-time-then-by-order-of-arming", fires_by_time_then_by_order_of_arming);
  g_test_add_func ("/clock/a-disarmed-timer-does-not-fire", a_disarmed_timer_does_not_fire);
  g_test_add_func ("/clock/a-heap-of-many-keeps-its-order", a_heap_of_many_keeps_its_order);
  g_test_add_func ("/clock/a-dead-heat-is-won-by-who-was-armed-first", a_dead_heat_is_won_by_who_was_armed_first);
  g_test_add_func ("/clock/a-lane-that-grows-forgets-nobody", a_lane_that_grows_forgets_nobody);
  g_test_add_func ("/clock/timers-armed-again-and-again-take-no-memory", timers_armed_again_and_again_take_no_memory);
  g_test_add_func ("/clock/stops-at-the-very-event", stops_at_the_very_event);
  g_test_add_func ("/clock/other-sources-are-served-after-each-batch", other_sources_are_served_after_each_batch);
  g_test_add_func ("/clock/the-real-clock-serves-others-in-a-flood", the_real_clock_serves_others_in_a_flood);
  g_test_add_func ("/clock/a-condition-that-held-once-is-reached", a_condition_that_held_once_is_reached);
  g_test_add_func ("/clock/with-a-tick-timers-fire-on-its-multiples", with_a_tick_timers_fire_on_its_multiples);
  g_test_add_func ("/clock/at-a-tick-the-exact-due-times-decide", at_a_tick_the_exact_due_times_decide);
  g_test_add_func ("/clock/the-hash-tells-orders-apart", the_hash_tells_orders_apart);
  g_test_add_func ("/clock/a-stopped-clock-does-not-go-on", a_stopped_clock_does_not_go_on);
  g_test_add_func ("/clock/a-virtual-clock-stands-still-unless-it-is-run",
                   a_virtual_clock_stands_still_unless_it_is_run);
  g_test_add_func ("/clock/the-real-clock-goes-forward", the_real_clock_goes_forward);
  g_test_add_func ("/clock/the-real-clock-sleeps-while-it-waits", the_real_clock_sleeps_while_it_waits);
  g_test_add_func ("/clock/the-real-clock-fires-in-order-and-not-early", the_real_clock_fires_in_order_and_not_early);
  g_test_add_func ("/clock/a-real-clock-does-without-a-descriptor", a_real_clock_does_without_a_descriptor);
  g_test_add_func ("/script/reads-from-top-to-bottom", a_script_reads_from_top_to_bottom);
  g_test_add_func ("/script/a-stopped-script-never-resumes", a_stopped_script_never_resumes);
  g_test_add_func ("/clock/never-is-no-due-time", never_is_no_due_time);
  return g_test_run ();
}
