/* The load generators, against a target whose every move the test decides. */
#include "../loadgen/loadgen.h"

/* A target that obeys a plan: what happens to the i-th call. */
typedef enum
{
  FINISHES_AT_ONCE, /* inside start() */
  FINISHES_LATER,   /* after @span_ns */
  NEVER_FINISHES,   /* unless it is abandoned */
  BREAKS_THE_LAW,   /* not even then */
  STALLS            /* keeps whoever starts the first call for @span_ns, then finishes at once */
} Plan;

typedef struct
{
  LabTarget target;
  LabClock *clock;
  Plan plan;
  LabOutcome outcome;
  LabTime span_ns;
  guint prepared, disposed, started, abandoned, finished;
  guint in_flight, most_in_flight;
  GArray *start_times; /* of LabTime */
} Fake;

typedef struct
{
  LabCall call;
  Fake *fake;
  LabTimer timer;
  gboolean is_in_flight, is_abandoned;
} FakeCall;

static void
finish (FakeCall *call, LabOutcome outcome)
{
  g_assert_true (call->is_in_flight);
  call->is_in_flight = FALSE;
  call->fake->finished++;
  call->fake->in_flight--;
  lab_timer_disarm (&call->timer);
  lab_call_finish (&call->call, outcome);
}

static void
time_is_up (LabTimer *timer)
{
  FakeCall *call = LAB_OWNER_OF (timer, FakeCall, timer);

  finish (call, call->fake->outcome);
}

static void
fake_prepare (LabTarget *target, LabCall *head)
{
  FakeCall *call = LAB_OWNER_OF (head, FakeCall, call);

  call->fake = (Fake *) target;
  call->fake->prepared++;
  lab_timer_init (&call->timer, call->fake->clock, time_is_up);
}

static void
fake_dispose (LabTarget *target, LabCall *head)
{
  FakeCall *call = LAB_OWNER_OF (head, FakeCall, call);

  g_assert_false (call->is_in_flight);
  ((Fake *) target)->disposed++;
}

static void
stall (const Fake *fake)
{
  while (lab_clock_now (fake->clock) - g_array_index (fake->start_times, LabTime, 0) < fake->span_ns)
    g_usleep (1000);
}

static void
fake_start (LabTarget *target, LabCall *head)
{
  Fake *fake = (Fake *) target;
  FakeCall *call = LAB_OWNER_OF (head, FakeCall, call);
  LabTime now_ns = lab_clock_now (fake->clock);

  g_assert_false (call->is_in_flight); /* its block is used again only when it has finished */
  call->is_in_flight = TRUE;
  call->is_abandoned = FALSE;
  fake->started++;
  fake->in_flight++;
  fake->most_in_flight = MAX (fake->most_in_flight, fake->in_flight);
  g_array_append_val (fake->start_times, now_ns);
  if (fake->plan == STALLS)
    stall (fake);
  if (fake->plan == FINISHES_AT_ONCE || fake->plan == STALLS)
    finish (call, fake->outcome);
  else if (fake->plan == FINISHES_LATER)
    lab_timer_arm (&call->timer, now_ns + fake->span_ns);
}

static void
fake_abandon (LabTarget *target, LabCall *head)
{
  FakeCall *call = LAB_OWNER_OF (head, FakeCall, call);

  g_assert_true (call->is_in_flight);
  g_assert_false (call->is_abandoned); /* never twice */
  call->is_abandoned = TRUE;
  ((Fake *) target)->abandoned++;
  if (((Fake *) target)->plan != BREAKS_THE_LAW)
    finish (call, LAB_ERROR);
}

static Fake *
fake_new (Plan plan, LabOutcome outcome, LabTime span_ns)
{
  Fake *fake = g_new0 (Fake, 1);

  fake->target = (LabTarget) { .call_size = sizeof (FakeCall),
                               .prepare = fake_prepare,
                               .dispose = fake_dispose,
                               .start = fake_start,
                               .abandon = fake_abandon };
  fake->clock = lab_clock_new_virtual (0);
  fake->plan = plan;
  fake->outcome = outcome;
  fake->span_ns = span_ns;
  fake->start_times = g_array_new (FALSE, FALSE, sizeof (LabTime));
  return fake;
}

/* @clock: (transfer full) */
static void
fake_use_clock (Fake *fake, LabClock *clock)
{
  lab_clock_free (fake->clock);
  fake->clock = clock;
}

static void
fake_free (Fake *fake)
{
  g_assert_cmpuint (fake->in_flight, ==, 0);
  g_assert_cmpuint (fake->prepared, ==, fake->disposed);
  g_array_unref (fake->start_times);
  lab_clock_free (fake->clock);
  g_free (fake);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fake, fake_free)

static void
count_one (gpointer data)
{
  (*(guint *) data)++;
}

static void
every_arrival_has_one_outcome (void)
{
  static const struct
  {
    Plan plan;
    LabOutcome outcome;
    LabTime span_ns;
    gboolean hang_up;
    LabOutcome expected;
    LabTime latency_ns;
    guint abandoned; /* during the run */
  } rows[] = {
    { FINISHES_AT_ONCE, LAB_SHED, 0, FALSE, LAB_SHED, 0, 0 },
    { FINISHES_AT_ONCE, LAB_OK, 0, TRUE, LAB_OK, 0, 0 },
    { FINISHES_LATER, LAB_OK, 99 * LAB_MS, FALSE, LAB_OK, 99 * LAB_MS, 0 },
    { FINISHES_LATER, LAB_ERROR, 99 * LAB_MS, TRUE, LAB_ERROR, 99 * LAB_MS, 0 },
    { FINISHES_LATER, LAB_OK, 100 * LAB_MS, FALSE, LAB_TIMEOUT, 100 * LAB_MS, 0 }, /* a tie is a time-out */
    { FINISHES_LATER, LAB_OK, 150 * LAB_MS, TRUE, LAB_TIMEOUT, 100 * LAB_MS, 20 },
    { NEVER_FINISHES, LAB_OK, 0, FALSE, LAB_TIMEOUT, 100 * LAB_MS, 0 },
    { NEVER_FINISHES, LAB_OK, 0, TRUE, LAB_TIMEOUT, 100 * LAB_MS, 20 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (Fake) fake = fake_new (rows[i].plan, rows[i].outcome, rows[i].span_ns);
      guint over = 0;
      g_autoptr (LabOpenLoop) load = lab_open_loop_new (fake->clock, &fake->target,
                                                        &(LabOpenLoopOptions) { .rate_rps = 20,
                                                                                .duration_ns = LAB_S,
                                                                                .client_timeout_ns = 100 * LAB_MS,
                                                                                .hang_up = rows[i].hang_up,
                                                                                .over = count_one,
                                                                                .data = &over });
      const LabSummary *summary = lab_open_loop_summary (load);

      lab_open_loop_start (load);
      g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
      g_assert_cmpuint (over, ==, 1);
      g_assert_cmpuint (fake->started, ==, 20);
      g_assert_cmpuint (fake->abandoned, ==, rows[i].abandoned);
      g_assert_cmpuint (lab_summary_offered (summary), ==, 20);
      g_assert_cmpuint (lab_summary_count (summary, rows[i].expected), ==, 20);
      g_assert_cmpint (lab_histogram_max (lab_summary_latency (summary, rows[i].expected)), ==, rows[i].latency_ns);
    }
}

static void
nothing (LabTimer *timer G_GNUC_UNUSED)
{
}

/* A run seldom begins when its clock does. */
static void
let_pass (LabClock *clock, LabTime ns)
{
  LabTimer timer;

  lab_timer_init (&timer, clock, nothing);
  lab_timer_arm (&timer, ns);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
}

static void
the_schedule_is_kept_whatever_the_service_does (void)
{
  static const Plan plans[] = { FINISHES_AT_ONCE, FINISHES_LATER, NEVER_FINISHES };
  static const LabArrivalsKind kinds[] = { LAB_ARRIVALS_CONSTANT, LAB_ARRIVALS_POISSON };

  for (guint run = 0; run < G_N_ELEMENTS (plans) * G_N_ELEMENTS (kinds); run++)
    {
      LabArrivalsKind kind = kinds[run % 2];
      g_autoptr (Fake) fake = fake_new (plans[run / 2], LAB_OK, 777 * LAB_MS);
      g_autoptr (LabOpenLoop) load = lab_open_loop_new (
          fake->clock, &fake->target,
          &(LabOpenLoopOptions) {
              .arrivals = kind, .rate_rps = 3, .duration_ns = 5 * LAB_S, .client_timeout_ns = 2 * LAB_S, .seed = 7 });
      LabArrivals arrivals;
      guint by_second[5] = { 0 };
      const LabSecond *seconds;
      guint n_seconds;

      let_pass (fake->clock, 7 * LAB_S);
      lab_open_loop_start (load);
      g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
      g_assert_cmpuint (fake->start_times->len, ==, 15);
      lab_arrivals_init (&arrivals, kind, 3, 5 * LAB_S, 7);
      for (guint i = 0; i < 15; i++)
        {
          LabTime due_ns = lab_arrivals_next (&arrivals);

          g_assert_cmpint (g_array_index (fake->start_times, LabTime, i), ==, 7 * LAB_S + due_ns);
          by_second[due_ns / LAB_S]++;
        }
      seconds = lab_summary_by_second (lab_open_loop_summary (load), &n_seconds);
      for (guint i = 0; i < 5; i++)
        g_assert_cmpuint (i < n_seconds ? seconds[i].arrived : 0, ==, by_second[i]);
    }
}

static void
blocks_are_used_again (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 95 * LAB_MS);
  g_autoptr (LabOpenLoop) load = lab_open_loop_new (
      fake->clock, &fake->target, &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 100 * LAB_S });

  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  g_assert_cmpuint (fake->started, ==, 10000);
  g_assert_cmpuint (fake->most_in_flight, ==, 10);
  g_assert_cmpuint (fake->prepared, ==, fake->most_in_flight);
}

static void
what_is_under_way_at_the_end_counts_nowhere (void)
{
  g_autoptr (Fake) fake = fake_new (NEVER_FINISHES, LAB_OK, 0);
  g_autoptr (LabSummary) summary = NULL;
  guint over = 0;
  LabOpenLoop *load = lab_open_loop_new (
      fake->clock, &fake->target,
      &(LabOpenLoopOptions) { .rate_rps = 10, .duration_ns = LAB_S, .over = count_one, .data = &over });

  lab_open_loop_start (load);
  g_assert_false (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  summary = lab_open_loop_steal_summary (load);
  lab_open_loop_free (load);
  g_assert_cmpuint (lab_summary_offered (summary), ==, 0);
  g_assert_cmpuint (fake->abandoned, ==, 10);
  g_assert_cmpuint (over, ==, 0);
}

static gboolean
three_have_started (gpointer data)
{
  return ((const Fake *) data)->started == 3;
}

static void
a_loop_that_is_freed_sends_nothing_more (void)
{
  g_autoptr (Fake) fake = fake_new (NEVER_FINISHES, LAB_OK, 0);
  LabOpenLoop *load
      = lab_open_loop_new (fake->clock, &fake->target, &(LabOpenLoopOptions) { .rate_rps = 10, .duration_ns = LAB_S });

  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, three_have_started, fake));
  lab_open_loop_free (load);
  g_assert_true (lab_clock_run_until (fake->clock, NULL, NULL));
  g_assert_cmpuint (lab_clock_events (fake->clock), ==, 3);
}

/* Such a target would leave its calls to memory that is freed. */
static void
a_target_that_breaks_the_law_is_named (void)
{
  if (g_test_subprocess ())
    {
      Fake *fake = fake_new (BREAKS_THE_LAW, LAB_OK, 0);
      LabOpenLoop *load = lab_open_loop_new (
          fake->clock, &fake->target,
          &(LabOpenLoopOptions) {
              .rate_rps = 10, .duration_ns = LAB_S, .client_timeout_ns = 100 * LAB_MS, .hang_up = TRUE });

      lab_open_loop_start (load);
      lab_clock_run_until (fake->clock, lab_open_loop_is_over, load);
      g_assert_cmpuint (fake->abandoned, ==, 10);
      lab_open_loop_free (load); /* asks none of them to leave once more */
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*a target did not finish a call that was abandoned*");
}

typedef struct
{
  LabTimer timer;
  LabOpenLoop *load;
} Stopper;

static void
stop (LabTimer *timer)
{
  lab_open_loop_stop (LAB_OWNER_OF (timer, Stopper, timer)->load);
}

static void
a_stopped_loop_waits_for_those_under_way (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 50 * LAB_MS);
  g_autoptr (LabOpenLoop) load
      = lab_open_loop_new (fake->clock, &fake->target, &(LabOpenLoopOptions) { .rate_rps = 10, .duration_ns = LAB_S });
  Stopper stopper = { .load = load };

  lab_timer_init (&stopper.timer, fake->clock, stop);
  lab_timer_arm (&stopper.timer, 310 * LAB_MS);
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  g_assert_cmpuint (lab_summary_count (lab_open_loop_summary (load), LAB_OK), ==, 4);
  g_assert_cmpint (lab_clock_now (fake->clock), ==, 350 * LAB_MS);
  g_assert_true (lab_clock_run_until (fake->clock, NULL, NULL));
  g_assert_cmpuint (fake->started, ==, 4);
  g_assert_cmpint (lab_summary_duration (lab_open_loop_summary (load)), ==, 310 * LAB_MS);
  lab_open_loop_stop (load); /* once more is no different */
  g_assert_cmpint (lab_summary_duration (lab_open_loop_summary (load)), ==, 310 * LAB_MS);
}

static void
several_loops_are_over_with_the_last (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 50 * LAB_MS);
  g_autoptr (GPtrArray) loads = g_ptr_array_new_with_free_func ((GDestroyNotify) lab_open_loop_free);

  g_assert_true (lab_open_loops_are_over (loads));
  for (guint i = 0; i < 3; i++) /* the longest is neither the first nor the last */
    {
      LabTime duration_ns = i == 1 ? 2 * LAB_S : LAB_S;
      LabOpenLoop *load = lab_open_loop_new (fake->clock, &fake->target,
                                             &(LabOpenLoopOptions) { .rate_rps = 10, .duration_ns = duration_ns });

      g_ptr_array_add (loads, load);
      lab_open_loop_start (load);
    }
  g_assert_false (lab_open_loops_are_over (loads));
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loops_are_over, loads));
  g_assert_cmpint (lab_clock_now (fake->clock), ==, 1950 * LAB_MS);
}

static void
under_a_tick_a_client_counts_from_the_tick (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 50 * LAB_MS);
  g_autoptr (LabOpenLoop) load = NULL;
  guint n_seconds;

  fake_use_clock (fake, lab_clock_new_virtual (16 * LAB_MS));
  load
      = lab_open_loop_new (fake->clock, &fake->target, &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = LAB_S });
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  /* Sent at a tick, finished at the first one 50 ms or more later. */
  g_assert_cmpint (lab_histogram_max (lab_summary_latency (lab_open_loop_summary (load), LAB_OK)), ==, 64 * LAB_MS);
  /* The last is due at 0.99 s and sent at 0.992 s: by second of arrival it is one of the first second. */
  g_assert_cmpuint (lab_summary_by_second (lab_open_loop_summary (load), &n_seconds)[0].arrived, ==, 100);
  g_assert_cmpuint (n_seconds, ==, 1);
}

/* What is sent a little late does not make all that follows late, too. */
static void
under_a_tick_the_schedule_does_not_slip (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_AT_ONCE, LAB_OK, 0);
  g_autoptr (LabOpenLoop) load = NULL;

  fake_use_clock (fake, lab_clock_new_virtual (16 * LAB_MS));
  load
      = lab_open_loop_new (fake->clock, &fake->target, &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = LAB_S });
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  g_assert_cmpuint (fake->start_times->len, ==, 100);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (g_array_index (fake->start_times, LabTime, i), ==, (10 * i + 15) / 16 * 16 * LAB_MS);
}

/* On the real clock: the first call keeps the generator for 60 ms, so that those due
 * at 10, 20, 30 and 40 ms are sent late. However slow the machine, that was 20 ms or
 * more, and their clients have waited all the while. */
static void
a_late_send_is_told_and_counted (void)
{
  g_autoptr (Fake) fake = fake_new (STALLS, LAB_OK, 60 * LAB_MS);
  g_autoptr (LabOpenLoop) load = NULL;
  const LabSummary *summary;

  fake_use_clock (fake, lab_clock_new_real ());
  load = lab_open_loop_new (fake->clock, &fake->target,
                            &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 50 * LAB_MS });
  summary = lab_open_loop_summary (load);
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  g_assert_cmpuint (lab_summary_count (summary, LAB_OK), ==, 5);
  g_assert_cmpint (lab_histogram_quantile (lab_summary_latency (summary, LAB_OK), 0), >=, 20 * LAB_MS);
  g_assert_cmpint (lab_histogram_max (lab_summary_latency (summary, LAB_OK)), <=, lab_clock_now (fake->clock));
  g_assert_cmpuint (lab_histogram_count (lab_summary_lateness (summary)), ==, 5);
  g_assert_cmpint (lab_histogram_max (lab_summary_lateness (summary)), >=, 50 * LAB_MS);
  g_assert_true (lab_summary_was_late (summary));
}

/* A machine that stands still for a while: the answer is looked at before the patience
 * that ran out meanwhile, and is late all the same. */
static void
an_answer_after_the_patience_is_a_time_out (void)
{
  g_autoptr (Fake) fake = fake_new (STALLS, LAB_OK, 60 * LAB_MS);
  g_autoptr (LabOpenLoop) load = NULL;
  const LabSummary *summary;

  fake_use_clock (fake, lab_clock_new_real ());
  load = lab_open_loop_new (
      fake->clock, &fake->target,
      &(LabOpenLoopOptions) { .rate_rps = 1000, .duration_ns = LAB_MS, .client_timeout_ns = 50 * LAB_MS });
  summary = lab_open_loop_summary (load);
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  if (lab_histogram_max (lab_summary_lateness (summary)) < 50 * LAB_MS) /* or it was never sent */
    g_assert_cmpuint (lab_summary_count (summary, LAB_TIMEOUT), ==, 1);
}

/* The one that is sent keeps the generator for 60 ms. Those due at 10, 20, 30 and 40 ms
 * would start after their clients' patience of 20 ms. That is the generator's fault, and
 * the service hears nothing of them. */
static void
what_would_start_after_the_patience_is_not_sent (void)
{
  g_autoptr (Fake) fake = fake_new (STALLS, LAB_OK, 60 * LAB_MS);
  g_autoptr (LabOpenLoop) load = NULL;
  const LabSummary *summary;

  fake_use_clock (fake, lab_clock_new_real ());
  load = lab_open_loop_new (
      fake->clock, &fake->target,
      &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 50 * LAB_MS, .client_timeout_ns = 20 * LAB_MS });
  summary = lab_open_loop_summary (load);
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (fake->clock, lab_open_loop_is_over, load));
  g_assert_cmpuint (fake->started, <=, 1); /* none, on a machine that was busy at the start */
  g_assert_cmpuint (lab_summary_count (summary, LAB_UNSENT), ==, 5 - fake->started);
  g_assert_cmpuint (lab_summary_count (summary, LAB_TIMEOUT), ==, fake->started);
  g_assert_cmpuint (lab_histogram_count (lab_summary_lateness (summary)), ==, 5);
  g_assert_cmpint (lab_summary_sending_ns (summary), >=, 60 * LAB_MS);
}

static void
a_closed_loop_keeps_its_workers_busy (void)
{
  static const struct
  {
    LabTime duration_ns, over_ns;
    guint finished, steady_ok; /* of each worker */
  } rows[] = {
    { 3050 * LAB_MS, 3100 * LAB_MS, 31, 20 }, /* steady: 1.1 s to 3.0 s */
    { 3000 * LAB_MS, 3000 * LAB_MS, 30, 20 }, /* what ends with the run is in it */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 100 * LAB_MS);
      g_autoptr (LabClosedLoop) probe = lab_closed_loop_new (
          fake->clock, &fake->target,
          &(LabClosedLoopOptions) { .workers = 3, .duration_ns = rows[i].duration_ns, .steady_from_ns = LAB_S });

      let_pass (fake->clock, 7 * LAB_S);
      lab_closed_loop_start (probe);
      g_assert_true (lab_clock_run_until (fake->clock, lab_closed_loop_is_over, probe));
      g_assert_cmpuint (fake->most_in_flight, ==, 3);
      g_assert_cmpuint (lab_closed_loop_finished (probe, LAB_OK), ==, 3 * rows[i].finished);
      g_assert_cmpuint (lab_closed_loop_steady_ok (probe), ==, 3 * rows[i].steady_ok);
      g_assert_cmpint (lab_clock_now (fake->clock), ==, 7 * LAB_S + rows[i].over_ns);
    }
}

static void
a_closed_loop_counts_no_answer_that_is_too_late (void)
{
  for (int more_ms = 0; more_ms <= 1; more_ms++)
    {
      g_autoptr (Fake) fake = fake_new (FINISHES_LATER, LAB_OK, 100 * LAB_MS);
      g_autoptr (LabClosedLoop) probe = lab_closed_loop_new (
          fake->clock, &fake->target,
          &(LabClosedLoopOptions) { .workers = 3, .duration_ns = LAB_S, .patience_ns = (100 + more_ms) * LAB_MS });

      lab_closed_loop_start (probe);
      g_assert_true (lab_clock_run_until (fake->clock, lab_closed_loop_is_over, probe));
      g_assert_cmpuint (lab_closed_loop_finished (probe, LAB_OK) > 0, ==, more_ms); /* an exact tie is too late */
      g_assert_cmpuint (lab_closed_loop_steady_ok (probe) > 0, ==, more_ms);
      g_assert_cmpuint (lab_closed_loop_finished (probe, LAB_TIMEOUT) > 0, ==, !more_ms);
    }
}

static void
a_closed_loop_names_a_target_that_breaks_the_law (void)
{
  if (g_test_subprocess ())
    {
      Fake *fake = fake_new (BREAKS_THE_LAW, LAB_OK, 0);
      LabClosedLoop *probe = lab_closed_loop_new (fake->clock, &fake->target,
                                                  &(LabClosedLoopOptions) { .workers = 2, .duration_ns = LAB_S });

      lab_closed_loop_start (probe);
      lab_clock_run_until (fake->clock, lab_closed_loop_is_over, probe);
      lab_closed_loop_free (probe);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*a target did not finish a call that was abandoned*");
}

static void
a_closed_loop_can_be_ended_before_its_time (void)
{
  g_autoptr (Fake) fake = fake_new (NEVER_FINISHES, LAB_OK, 0);
  LabClosedLoop *probe = lab_closed_loop_new (fake->clock, &fake->target,
                                              &(LabClosedLoopOptions) { .workers = 5, .duration_ns = LAB_S });

  lab_closed_loop_start (probe);
  g_assert_false (lab_clock_run_until (fake->clock, lab_closed_loop_is_over, probe));
  lab_closed_loop_free (probe);
  g_assert_cmpuint (fake->abandoned, ==, 5);
}

/* Answered at once, a worker asks again and again within one instant; the stack must
 * not grow. */
typedef struct
{
  LabClosedLoop *probe;
  LabOutcome outcome;
  guint64 wanted;
} Answered;

static gboolean
enough_were_answered (gpointer data)
{
  const Answered *answered = data;

  return lab_closed_loop_finished (answered->probe, answered->outcome) >= answered->wanted;
}

static void
a_closed_loop_survives_answers_at_once (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_AT_ONCE, LAB_OK, 0);
  g_autoptr (LabClosedLoop) probe = lab_closed_loop_new (
      fake->clock, &fake->target, &(LabClosedLoopOptions) { .workers = 2, .duration_ns = LAB_S });

  lab_closed_loop_start (probe);
  g_assert_true (lab_clock_run_until (fake->clock, enough_were_answered, &(Answered) { probe, LAB_OK, 1000000 }));
}

/* A service that refuses is not flooded, and a virtual clock gets on. */
static void
a_refused_worker_pauses (void)
{
  static const LabOutcome outcomes[] = { LAB_SHED, LAB_ERROR, LAB_UNSENT };

  for (guint i = 0; i < G_N_ELEMENTS (outcomes); i++)
    {
      g_autoptr (Fake) fake = fake_new (FINISHES_AT_ONCE, outcomes[i], 0);
      g_autoptr (LabClosedLoop) probe = lab_closed_loop_new (
          fake->clock, &fake->target, &(LabClosedLoopOptions) { .workers = 3, .duration_ns = LAB_S });

      lab_closed_loop_start (probe);
      g_assert_true (lab_clock_run_until (fake->clock, lab_closed_loop_is_over, probe));
      g_assert_cmpuint (lab_closed_loop_finished (probe, outcomes[i]), ==, 300);
    }
}

/* A worker that pauses is no timer of the clock any more when its loop is gone. */
static void
a_closed_loop_that_is_freed_leaves_no_timer (void)
{
  g_autoptr (Fake) fake = fake_new (FINISHES_AT_ONCE, LAB_SHED, 0);
  LabClosedLoop *probe = lab_closed_loop_new (fake->clock, &fake->target,
                                              &(LabClosedLoopOptions) { .workers = 3, .duration_ns = LAB_S });

  lab_closed_loop_start (probe);
  g_assert_true (lab_clock_run_until (fake->clock, enough_were_answered, &(Answered) { probe, LAB_SHED, 3 }));
  lab_closed_loop_free (probe);
  g_assert_true (lab_clock_run_until (fake->clock, NULL, NULL));
  g_assert_cmpuint (lab_clock_events (fake->clock), ==, 3);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/open-loop/every-arrival-has-one-outcome", every_arrival_has_one_outcome);
  g_test_add_func ("/open-loop/the-schedule-is-kept-whatever-the-service-does",
                   the_schedule_is_kept_whatever_the_service_does);
  g_test_add_func ("/open-loop/blocks-are-used-again", blocks_are_used_again);
  g_test_add_func ("/open-loop/what-is-under-way-at-the-end-counts-nowhere",
                   what_is_under_way_at_the_end_counts_nowhere);
  g_test_add_func ("/open-loop/a-loop-that-is-freed-sends-nothing-more", a_loop_that_is_freed_sends_nothing_more);
  g_test_add_func ("/open-loop/a-target-that-breaks-the-law-is-named", a_target_that_breaks_the_law_is_named);
  g_test_add_func ("/open-loop/a-stopped-loop-waits-for-those-under-way", a_stopped_loop_waits_for_those_under_way);
  g_test_add_func ("/open-loop/several-loops-are-over-with-the-last", several_loops_are_over_with_the_last);
  g_test_add_func ("/open-loop/under-a-tick-a-client-counts-from-the-tick", under_a_tick_a_client_counts_from_the_tick);
  g_test_add_func ("/open-loop/under-a-tick-the-schedule-does-not-slip", under_a_tick_the_schedule_does_not_slip);
  g_test_add_func ("/open-loop/a-late-send-is-told-and-counted", a_late_send_is_told_and_counted);
  g_test_add_func ("/open-loop/an-answer-after-the-patience-is-a-time-out", an_answer_after_the_patience_is_a_time_out);
  g_test_add_func ("/open-loop/what-would-start-after-the-patience-is-not-sent",
                   what_would_start_after_the_patience_is_not_sent);
  g_test_add_func ("/closed-loop/keeps-its-workers-busy", a_closed_loop_keeps_its_workers_busy);
  g_test_add_func ("/closed-loop/counts-no-answer-that-is-too-late", a_closed_loop_counts_no_answer_that_is_too_late);
  g_test_add_func ("/closed-loop/can-be-ended-before-its-time", a_closed_loop_can_be_ended_before_its_time);
  g_test_add_func ("/closed-loop/names-a-target-that-breaks-the-law", a_closed_loop_names_a_target_that_breaks_the_law);
  g_test_add_func ("/closed-loop/survives-answers-at-once", a_closed_loop_survives_answers_at_once);
  g_test_add_func ("/closed-loop/a-refused-worker-pauses", a_refused_worker_pauses);
  g_test_add_func ("/closed-loop/that-is-freed-leaves-no-timer", a_closed_loop_that_is_freed_leaves_no_timer);
  return g_test_run ();
}
