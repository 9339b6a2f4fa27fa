/* The retry budget as a law: over any run retries <= ratio * first attempts +
 * burst, and when everything fails hardly fewer. It has no clock, so one frozen
 * moment does for all of it. */
#include "../admission/retry_budget.h"
#include "../loadgen/random.h"

#define FIRST_ATTEMPTS 10000

static const double ratios[] = { 0, 0.000001, 0.001, 0.01, 0.1, 0.2, 0.25, 1 / 3.0, 0.5, 0.75, 0.9, 0.999999, 1 };
static const guint bursts[] = { 0, 1, 2, 3, 10, 100, 5000, G_MAXUINT };

/* Ratios are kept as millionths, which is all that they may be off by. */
static double
rounding (guint64 first_attempts)
{
  return (double) first_attempts * 0.0000005;
}

static void
assert_within_bounds (const LabRetryBudget *budget, double ratio, guint burst, guint64 first_attempts, guint64 retries)
{
  double tokens = lab_retry_budget_tokens (budget);

  g_assert_cmpfloat (tokens, >=, 0);
  g_assert_cmpfloat (tokens, <=, burst);
  g_assert_cmpfloat ((double) retries, <=, ratio * (double) first_attempts + burst + rounding (first_attempts));
}

/* Every request is tried until it succeeds or the budget says no; an attempt
 * fails @fails_permille times in 1000. Returns the retries. */
static guint64
run (double ratio, guint burst, guint fails_permille)
{
  LabRetryBudget budget;
  LabRandom random;
  guint64 retries = 0;

  lab_random_init (&random, 1, 0);
  lab_retry_budget_init (&budget, ratio, burst);
  for (guint64 first = 1; first <= FIRST_ATTEMPTS; first++)
    {
      guint tries_left = 20; /* with a burst of billions somebody has to give up */

      lab_retry_budget_first_attempt (&budget);
      while (lab_random_below (&random, 1000) < fails_permille && tries_left-- > 0 && lab_retry_budget_take (&budget))
        {
          retries++;
          assert_within_bounds (&budget, ratio, burst, first, retries);
        }
      assert_within_bounds (&budget, ratio, burst, first, retries);
    }
  return retries;
}

static void
retries_never_exceed_the_law (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (ratios); r++)
    for (guint b = 0; b < G_N_ELEMENTS (bursts); b++)
      for (guint fails_permille = 0; fails_permille <= 1000; fails_permille += 125)
        run (ratios[r], bursts[b], fails_permille);
}

/* The very first payment finds the account full and is lost; what is not a whole
 * token stays in the account. */
static void
when_all_fails_the_law_is_met_within_one (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (ratios); r++)
    for (guint b = 0; b < G_N_ELEMENTS (bursts); b++)
      {
        double law = ratios[r] * (FIRST_ATTEMPTS - 1) + bursts[b];

        /* In an account of less than two tokens a payment may not fit; with more
         * than these the tries run out before the tokens do. */
        if (bursts[b] >= 2 && bursts[b] <= FIRST_ATTEMPTS)
          g_assert_cmpfloat ((double) run (ratios[r], bursts[b], 1000), >, law - 1 - rounding (FIRST_ATTEMPTS));
      }
}

static void
when_nothing_fails_nothing_is_taken (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (ratios); r++)
    for (guint b = 0; b < G_N_ELEMENTS (bursts); b++)
      g_assert_cmpuint (run (ratios[r], bursts[b], 0), ==, 0);
}

static guint
take_all (LabRetryBudget *budget)
{
  guint taken = 0;

  while (lab_retry_budget_take (budget))
    taken++;
  return taken;
}

static void
an_empty_budget_refills_with_success (void)
{
  LabRetryBudget budget;

  lab_retry_budget_init (&budget, 0.1, 10);
  g_assert_cmpuint (take_all (&budget), ==, 10);
  for (int i = 0; i < 9; i++)
    lab_retry_budget_first_attempt (&budget);
  g_assert_false (lab_retry_budget_take (&budget));
  lab_retry_budget_first_attempt (&budget);
  g_assert_true (lab_retry_budget_take (&budget)); /* ten tenths are exactly one */
  g_assert_false (lab_retry_budget_take (&budget));
  for (int i = 0; i < 1000; i++)
    lab_retry_budget_first_attempt (&budget);
  g_assert_cmpfloat (lab_retry_budget_tokens (&budget), ==, 10);
  g_assert_cmpuint (take_all (&budget), ==, 10); /* full again, and no fuller */
}

/* Three quarters are neither none nor all: a budget that counts whole tokens per
 * attempt grants either. */
static void
a_ratio_is_not_rounded_to_whole_tokens (void)
{
  guint64 without_burst = run (0.75, 10, 1000) - 10;

  g_assert_cmpuint (without_burst, >=, 7498);
  g_assert_cmpuint (without_burst, <=, 7500);
}

/* To the nearest, that is: 0.57 is a hair below 570,000 millionths as a double, and
 * 0.0000005 is held as 0.000001. */
static void
a_ratio_is_held_to_a_millionth (void)
{
  LabRetryBudget budget;

  lab_retry_budget_init (&budget, 0.57, 100);
  take_all (&budget);
  for (int i = 0; i < 100; i++)
    lab_retry_budget_first_attempt (&budget);
  g_assert_cmpuint (take_all (&budget), ==, 57);

  lab_retry_budget_init (&budget, 0.0000005, 2);
  take_all (&budget);
  for (int i = 0; i < 999999; i++)
    lab_retry_budget_first_attempt (&budget);
  g_assert_cmpuint (take_all (&budget), ==, 0);
  lab_retry_budget_first_attempt (&budget);
  g_assert_cmpuint (take_all (&budget), ==, 1);
}

static void
a_ratio_of_0_leaves_the_burst_alone (void)
{
  g_assert_cmpuint (run (0, 10, 1000), ==, 10);
  g_assert_cmpuint (run (0, 0, 1000), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(test) g_test_add_func ("/retry_budget/" #test, test)
  ADD (retries_never_exceed_the_law);
  ADD (when_all_fails_the_law_is_met_within_one);
  ADD (when_nothing_fails_nothing_is_taken);
  ADD (an_empty_budget_refills_with_success);
  ADD (a_ratio_is_not_rounded_to_whole_tokens);
  ADD (a_ratio_is_held_to_a_millionth);
  ADD (a_ratio_of_0_leaves_the_burst_alone);
#undef ADD
  return g_test_run ();
}
