/* The pretend service under the open loop: worked examples, checked by hand. */
#include "../loadgen/loadgen.h"
#include "../service/service.h"

typedef struct
{
  LabClock *clock;
  LabService *service;
  LabOpenLoop *load;
} Run;

static void
nothing (LabTimer *timer G_GNUC_UNUSED)
{
}

static Run
run (const LabServiceOptions *service, const LabOpenLoopOptions *load)
{
  Run self = { .clock = lab_clock_new_virtual (0) };
  LabTimer timer;

  /* A service seldom begins when its clock does. */
  lab_timer_init (&timer, self.clock, nothing);
  lab_timer_arm (&timer, 7 * LAB_S);
  g_assert_true (lab_clock_run_until (self.clock, NULL, NULL));
  self.service = lab_service_new (self.clock, service);
  self.load = lab_open_loop_new (self.clock, lab_service_target (self.service), load);
  lab_open_loop_start (self.load);
  g_assert_true (lab_clock_run_until (self.clock, lab_open_loop_is_over, self.load));
  return self;
}

static void
run_clear (Run *self)
{
  lab_open_loop_free (self->load);
  lab_service_free (self->service);
  lab_clock_free (self->clock);
}

static guint64
count (const Run *self, LabOutcome outcome)
{
  return lab_summary_count (lab_open_loop_summary (self->load), outcome);
}

/* One slot, 100 ms of work, 20 requests a second: the n-th is done after
 * (n + 1) * 100 ms and arrives at n * 50 ms, so it waits 100 + n * 50 ms. */
static void
an_unlimited_line_keeps_growing (void)
{
  Run self = run (&(LabServiceOptions) { .limits.slots = 1, .service_time_ns = 100 * LAB_MS },
                  &(LabOpenLoopOptions) { .rate_rps = 20, .duration_ns = 2 * LAB_S, .client_timeout_ns = LAB_S });
  const LabHistogram *latency = lab_summary_latency (lab_open_loop_summary (self.load), LAB_OK);

  g_assert_cmpuint (count (&self, LAB_OK), ==, 18); /* n = 17 waits 950 ms, n = 18 exactly 1 s */
  g_assert_cmpuint (count (&self, LAB_TIMEOUT), ==, 22);
  g_assert_cmpint (lab_histogram_max (latency), ==, 950 * LAB_MS);
  g_assert_cmpint (lab_histogram_quantile (latency, 500), ==, 500 * LAB_MS); /* index 8.5 rounds to 8 */
  /* The last client gives up at 2.95 s; by then 29 works have been finished. */
  g_assert_cmpuint (lab_service_work_done (self.service), ==, 29);
  run_clear (&self);
}

static void
a_bounded_line_bounds_the_wait (void)
{
  Run self = run (&(LabServiceOptions) { .limits = { .slots = 1, .max_waiting = LAB_AT_MOST (2) },
                                         .service_time_ns = 100 * LAB_MS },
                  &(LabOpenLoopOptions) { .rate_rps = 20, .duration_ns = 2 * LAB_S, .client_timeout_ns = LAB_S });

  g_assert_cmpuint (count (&self, LAB_TIMEOUT), ==, 0);
  g_assert_cmpuint (count (&self, LAB_OK), ==, lab_service_work_done (self.service));
  g_assert_cmpuint (count (&self, LAB_OK) + count (&self, LAB_SHED), ==, 40);
  g_assert_cmpint (lab_histogram_max (lab_summary_latency (lab_open_loop_summary (self.load), LAB_OK)), <=,
                   300 * LAB_MS);
  g_assert_cmpuint (lab_admission_counters (lab_service_admission (self.service))->peak_waiting, ==, 2);
  run_clear (&self);
}

static guint
twice_as_slow_after_a_second (LabTime elapsed_ns)
{
  return elapsed_ns > LAB_S ? 2 : 1;
}

static void
the_work_is_decided_when_it_starts (void)
{
  Run self = run (&(LabServiceOptions) { .limits.slots = 1,
                                         .service_time_ns = 400 * LAB_MS,
                                         .slowdown = twice_as_slow_after_a_second },
                  &(LabOpenLoopOptions) { .rate_rps = 2, .duration_ns = 2 * LAB_S });

  /* Starts at 0, 0.5, 1.0 (not yet slow: strictly later) and 1.5 s. */
  g_assert_cmpint (lab_histogram_max (lab_summary_latency (lab_open_loop_summary (self.load), LAB_OK)), ==,
                   800 * LAB_MS);
  g_assert_cmpint (lab_histogram_quantile (lab_summary_latency (lab_open_loop_summary (self.load), LAB_OK), 660), ==,
                   400 * LAB_MS);
  run_clear (&self);
}

static void
a_hang_up_frees_what_it_held (void)
{
  Run self = run (&(LabServiceOptions) { .limits.slots = 1, .service_time_ns = 10 * LAB_S },
                  &(LabOpenLoopOptions) {
                      .rate_rps = 10, .duration_ns = LAB_S, .client_timeout_ns = 150 * LAB_MS, .hang_up = TRUE });
  const LabAdmissionCounters *counters = lab_admission_counters (lab_service_admission (self.service));

  g_assert_cmpuint (count (&self, LAB_TIMEOUT), ==, 10);
  g_assert_cmpuint (lab_service_work_done (self.service), ==, 0);
  g_assert_cmpuint (counters->waiting, ==, 0);
  g_assert_cmpuint (counters->running, ==, 0);
  g_assert_cmpuint (counters->admitted + counters->cancelled, ==, 10);
  g_assert_true (lab_clock_run_until (self.clock, NULL, NULL)); /* no work is left to be done */
  g_assert_cmpuint (lab_service_work_done (self.service), ==, 0);
  run_clear (&self);
}

typedef struct
{
  LabServiceCall call;
  guint n_finished;
  LabOutcome outcome;
} Noted;

static void
note (LabCall *call, LabOutcome outcome)
{
  Noted *noted = LAB_OWNER_OF (call, Noted, call.call);

  noted->n_finished++;
  noted->outcome = outcome;
}

/* The one in the slot as the one in line; neither was turned away by the service. */
static void
an_abandoned_call_is_an_error (void)
{
  LabClock *clock = lab_clock_new_virtual (0);
  LabService *service
      = lab_service_new (clock, &(LabServiceOptions) { .limits.slots = 1, .service_time_ns = 50 * LAB_MS });
  LabTarget *target = lab_service_target (service);
  Noted noted[2] = { 0 };

  for (guint i = 0; i < 2; i++)
    {
      noted[i].call.call.finished = note;
      target->start (target, &noted[i].call.call);
    }
  for (int i = 1; i >= 0; i--)
    {
      g_assert_cmpuint (noted[i].n_finished, ==, 0);
      target->abandon (target, &noted[i].call.call);
      g_assert_cmpuint (noted[i].n_finished, ==, 1);
      g_assert_cmpint (noted[i].outcome, ==, LAB_ERROR);
    }
  lab_service_free (service);
  lab_clock_free (clock);
}

static void
exponential_works_are_seeded (void)
{
  LabTime p99[3];

  for (guint i = 0; i < 3; i++)
    {
      Run self = run (&(LabServiceOptions) { .limits.slots = 100,
                                             .service_time_ns = 50 * LAB_MS,
                                             .work = LAB_WORK_EXPONENTIAL,
                                             .seed = i < 2 ? 7 : 8 },
                      &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 100 * LAB_S });

      p99[i] = lab_histogram_quantile (lab_summary_latency (lab_open_loop_summary (self.load), LAB_OK), 990);
      run_clear (&self);
    }
  g_assert_cmpint (p99[0], ==, p99[1]);
  g_assert_cmpint (p99[0], !=, p99[2]);
  g_assert_cmpint (p99[0], >, 210 * LAB_MS); /* 50 ms * ln 100 = 230 ms */
  g_assert_cmpint (p99[0], <, 250 * LAB_MS);
}

static gboolean
has_fired (gpointer data)
{
  return !lab_timer_is_armed (data);
}

/* The run is broken off in the very instant in which limits are due but not yet looked
 * at: what is abandoned then frees a slot, and those in line are turned away by it. */
static void
a_run_can_be_broken_off_at_any_event (void)
{
  LabClock *clock = lab_clock_new_virtual (0);
  LabService *service
      = lab_service_new (clock, &(LabServiceOptions) { .limits = { .slots = 1, .max_wait = LAB_AT_MOST (300 * LAB_MS) },
                                                       .service_time_ns = 10 * LAB_S });
  LabOpenLoop *load = lab_open_loop_new (clock, lab_service_target (service),
                                         &(LabOpenLoopOptions) { .rate_rps = 10, .duration_ns = 10 * LAB_S });
  g_autoptr (LabSummary) summary = NULL;
  LabTimer end;

  lab_timer_init (&end, clock, lab_timer_disarm);
  lab_timer_arm (&end, 400 * LAB_MS); /* before any limit is: it goes first in a tie */
  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (clock, has_fired, &end));
  g_assert_cmpint (lab_admission_head_wait (lab_service_admission (service)), ==, 300 * LAB_MS);
  summary = lab_open_loop_steal_summary (load);
  lab_open_loop_free (load);
  g_assert_cmpuint (lab_summary_offered (summary), ==, 0);
  g_assert_cmpuint (lab_admission_counters (lab_service_admission (service))->shed_waited_too_long, >, 0);
  lab_service_free (service);
  lab_clock_free (clock);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/an-unlimited-line-keeps-growing", an_unlimited_line_keeps_growing);
  g_test_add_func ("/service/a-bounded-line-bounds-the-wait", a_bounded_line_bounds_the_wait);
  g_test_add_func ("/service/the-work-is-decided-when-it-starts", the_work_is_decided_when_it_starts);
  g_test_add_func ("/service/a-hang-up-frees-what-it-held", a_hang_up_frees_what_it_held);
  g_test_add_func ("/service/an-abandoned-call-is-an-error", an_abandoned_call_is_an_error);
  g_test_add_func ("/service/exponential-works-are-seeded", exponential_works_are_seeded);
  g_test_add_func ("/service/a-run-can-be-broken-off-at-any-event", a_run_can_be_broken_off_at_any_event);
  return g_test_run ();
}
