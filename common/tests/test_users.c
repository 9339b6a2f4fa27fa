/* The manners of step 7's users, on the virtual clock: when they come back after a
 * refusal, and who pays for it. */
#include "../../step07_retries/users.h"
#include "../loadgen/loadgen.h"

#define USERS 51 /* the first takes the only slot for a minute, the others are refused */

typedef struct
{
  const Crowd *crowd;
  LabClock *clock;
  guint64 attempts;
  LabTime when_ns[4 * USERS]; /* of each attempt */
} Record;

static gboolean
record (gpointer data)
{
  Record *record = data;

  while (record->attempts < crowd_total (record->crowd).attempts)
    record->when_ns[record->attempts++] = lab_clock_now (record->clock);
  return FALSE;
}

/* All users come within 51 ms, and are asked to stay away for a second. */
static void
run (CrowdOptions options, Record *attempts)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (LabService) service = lab_service_new (
      clock, &(LabServiceOptions) { .limits = { .slots = 1, .max_waiting = LAB_AT_MOST (0), .retry_after_s = 1 },
                                    .service_time_ns = 60 * LAB_S });
  g_autoptr (Crowd) crowd = NULL;
  g_autoptr (LabOpenLoop) load = NULL;

  options.client_timeout_ns = 100 * LAB_S;
  options.heeds_retry_after = TRUE;
  options.seed = 7;
  crowd = crowd_new (clock, service, &options);
  load = lab_open_loop_new (clock, crowd_target (crowd),
                            &(LabOpenLoopOptions) { .rate_rps = 1000, .duration_ns = USERS * LAB_MS });
  *attempts = (Record) { .crowd = crowd, .clock = clock };
  lab_open_loop_start (load);
  lab_clock_run_until (clock, record, attempts);
  g_assert_true (lab_open_loop_is_over (load));
  g_clear_pointer (&load, lab_open_loop_free);
}

static void
those_refused_together_do_not_come_back_together (void)
{
  Record attempts;
  guint at_once = 0;

  run ((CrowdOptions) { .tries = 2 }, &attempts);
  g_assert_cmpuint (attempts.attempts, ==, USERS + USERS - 1);
  for (guint i = USERS; i < attempts.attempts; i++)
    {
      g_assert_cmpint (attempts.when_ns[i], >=, LAB_S); /* as asked */
      g_assert_cmpint (attempts.when_ns[i], <, 2 * LAB_S + USERS * LAB_MS);
      at_once += attempts.when_ns[i] < LAB_S + 100 * LAB_MS;
    }
  g_assert_cmpuint (at_once, <, USERS / 4);
}

static void
a_retry_is_paid_for_before_the_pause (void)
{
  Record attempts;

  run ((CrowdOptions) { .tries = 2, .keeps_budget = TRUE, .budget_ratio = 0, .budget_burst = 5 }, &attempts);
  g_assert_cmpuint (attempts.attempts, ==, USERS + 5);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/users/those-refused-together-do-not-come-back-together",
                   those_refused_together_do_not_come_back_together);
  g_test_add_func ("/users/a-retry-is-paid-for-before-the-pause", a_retry_is_paid_for_before_the_pause);
  return g_test_run ();
}
