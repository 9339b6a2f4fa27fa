/* What arithmetic expects at given settings, by hand. */
#include "../lab/expect.h"
#include "../loadgen/arrivals.h"
#include "../service/service.h"

static const LabSettings usual = { .service_time_ns = 50 * LAB_MS,
                                   .slots = 4,
                                   .client_timeout_ns = LAB_S,
                                   .duration_ns = 5 * LAB_S,
                                   .arrivals = LAB_ARRIVALS_CONSTANT,
                                   .work = LAB_WORK_FIXED };

static void
the_capacity_is_slots_over_work (void)
{
  LabSettings ticking = usual, random = usual;

  g_assert_cmpfloat (lab_expect_steady_rps (&usual), ==, 80);
  ticking.timer_tick_ns = 16 * LAB_MS; /* 50 ms last for four ticks */
  g_assert_cmpint (lab_expect_work_time (&ticking), ==, 64 * LAB_MS);
  g_assert_cmpfloat (lab_expect_steady_rps (&ticking), ==, 62.5);
  random.work = LAB_WORK_EXPONENTIAL;
  g_assert_cmpint (lab_expect_work_time (&random), ==, 50 * LAB_MS);
  /* A tick as long as the mean: 1 / (1 - 1/e) of it. */
  random.timer_tick_ns = 50 * LAB_MS;
  g_assert_cmpint (lab_expect_work_time (&random), ==, 79098835);
}

static void
the_last_in_line_waits_for_all_before (void)
{
  g_assert_cmpint (lab_expect_line_wait (&usual, 41, 50 * LAB_MS), ==, 512500 * LAB_US);
  g_assert_cmpint (lab_expect_line_wait (&usual, G_MAXINT64, LAB_S), ==, LAB_NEVER);
  g_assert_cmpint (lab_line_length (82.7, LAB_S / 2), ==, 41);
  g_assert_cmpint (lab_line_length (85, LAB_S / 2), ==, 42); /* 42.5, half to even */
}

static void
it_collapses_when_the_wait_is_the_patience (void)
{
  g_assert_cmpint (lab_expect_collapse (&usual, 160), ==, LAB_S); /* a line of 80 after a second */
  g_assert_cmpint (lab_expect_collapse (&usual, 120), ==, 2 * LAB_S);
  g_assert_cmpint (lab_expect_collapse (&usual, 80), ==, LAB_NEVER);
}

static void
odd_settings_are_not_judged (void)
{
  LabSettings few = usual, long_works = usual;

  g_assert_cmpstr (lab_expect_why_not_judged (&usual, 0), ==, NULL);
  g_assert_cmpstr (lab_expect_why_not_judged (&usual, 900 * LAB_MS), ==, NULL);
  g_assert_cmpstr (lab_expect_why_not_judged (&usual, 901 * LAB_MS), !=, NULL);
  few.duration_ns = LAB_S; /* 80 works */
  g_assert_cmpstr (lab_expect_why_not_judged (&few, 0), !=, NULL);
  long_works.service_time_ns = 251 * LAB_MS;
  long_works.slots = 100;
  g_assert_cmpstr (lab_expect_why_not_judged (&long_works, 0), !=, NULL);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expect/the-capacity-is-slots-over-work", the_capacity_is_slots_over_work);
  g_test_add_func ("/expect/the-last-in-line-waits-for-all-before", the_last_in_line_waits_for_all_before);
  g_test_add_func ("/expect/it-collapses-when-the-wait-is-the-patience", it_collapses_when_the_wait_is_the_patience);
  g_test_add_func ("/expect/odd-settings-are-not-judged", odd_settings_are_not_judged);
  return g_test_run ();
}
