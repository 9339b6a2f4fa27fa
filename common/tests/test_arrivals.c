/* Random numbers and schedules of arrivals. */
#include "../loadgen/arrivals.h"

#include <math.h>

static void
constant_arrivals_are_exact (void)
{
  static const struct
  {
    double rate_rps;
    LabTime duration_ns;
    guint64 count, at;
    LabTime due_ns;
  } rows[] = {
    { 10, 5 * LAB_S, 50, 49, 4900 * LAB_MS },
    { 130.6, 5 * LAB_S, 653, 652, 4992343032 },
    { 3, LAB_S, 3, 2, 666666666 },
    { 3, 2 * LAB_S, 6, 3, LAB_S }, /* the leftovers of three gaps are a nanosecond */
    { 0.5, 5 * LAB_S, 2, 1, 2 * LAB_S },
    { 0.2, 5 * LAB_S, 1, 0, 0 },
    { 0.2, 4999 * LAB_MS, 0, 0, LAB_NEVER },
    { 1e6, LAB_S, 1000000, 999999, 999999 * LAB_US },
    { 52.24, 8 * LAB_S, 417, 416, 7963246554 },
    { 0.29, 100 * LAB_S, 29, 28, 96551724137 }, /* 0.29 * 100 is 28.999999999999996 in doubles */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      LabArrivals arrivals;
      LabTime due_ns = 0;

      lab_arrivals_init (&arrivals, LAB_ARRIVALS_CONSTANT, rows[i].rate_rps, rows[i].duration_ns, 0);
      g_assert_cmpuint (lab_arrivals_count (&arrivals), ==, rows[i].count);
      for (guint64 n = 0; n <= rows[i].at; n++)
        due_ns = lab_arrivals_next (&arrivals);
      g_assert_cmpint (due_ns, ==, rows[i].due_ns);
    }
}

static void
poisson_arrivals_are_as_many_and_in_order (void)
{
  for (guint seed = 1; seed <= 20; seed++)
    {
      LabArrivals arrivals;
      guint64 n = 0;
      LabTime last_ns = 0, due_ns;

      lab_arrivals_init (&arrivals, LAB_ARRIVALS_POISSON, 100.5, 10 * LAB_S, seed);
      while ((due_ns = lab_arrivals_next (&arrivals)) != LAB_NEVER)
        {
          g_assert_cmpint (due_ns, >=, last_ns);
          g_assert_cmpint (due_ns, <, 10 * LAB_S);
          last_ns = due_ns;
          n++;
        }
      g_assert_cmpuint (n, ==, 1005);
      g_assert_cmpint (lab_arrivals_next (&arrivals), ==, LAB_NEVER);
    }
}

/* In a Poisson process the count of any piece has its mean as its variance. */
static void
poisson_arrivals_scatter_as_they_should (void)
{
  enum
  {
    PIECES = 10000
  };
  LabArrivals arrivals;
  g_autofree guint *counts = g_new0 (guint, PIECES);
  double variance = 0;
  LabTime due_ns;

  lab_arrivals_init (&arrivals, LAB_ARRIVALS_POISSON, 50, 1000 * LAB_S, 7);
  while ((due_ns = lab_arrivals_next (&arrivals)) != LAB_NEVER)
    counts[due_ns / (1000 * LAB_S / PIECES)]++;
  for (guint i = 0; i < PIECES; i++)
    variance += (counts[i] - 5.0) * (counts[i] - 5.0) / PIECES;
  g_assert_cmpfloat_with_epsilon (variance, 5.0, 0.3); /* four standard errors: 5 * sqrt (2 / 10^4) each */
}

/* Of n even draws in order the i-th lies i / (n + 1) of the way on average: the last
 * not at the end of the run. */
static void
poisson_arrivals_leave_a_gap_at_either_end (void)
{
  enum
  {
    N = 4,
    SEEDS = 1000
  };
  double mean[N] = { 0 };

  for (guint seed = 1; seed <= SEEDS; seed++)
    {
      LabArrivals arrivals;

      lab_arrivals_init (&arrivals, LAB_ARRIVALS_POISSON, N, LAB_S, seed);
      for (guint i = 0; i < N; i++)
        mean[i] += (double) lab_arrivals_next (&arrivals) / LAB_S / SEEDS;
    }
  for (guint i = 0; i < N; i++) /* five standard errors: sqrt (0.04 / 1000) each at most */
    g_assert_cmpfloat_with_epsilon (mean[i], (i + 1.0) / (N + 1), 0.032);
}

static void
one_seed_one_schedule (void)
{
  LabArrivals a, b, c;
  guint differ = 0;

  lab_arrivals_init (&a, LAB_ARRIVALS_POISSON, 100, 10 * LAB_S, 7);
  lab_arrivals_init (&b, LAB_ARRIVALS_POISSON, 100, 10 * LAB_S, 7);
  lab_arrivals_init (&c, LAB_ARRIVALS_POISSON, 100, 10 * LAB_S, 8);
  for (guint i = 0; i < 1000; i++)
    {
      LabTime due_ns = lab_arrivals_next (&a);

      g_assert_cmpint (due_ns, ==, lab_arrivals_next (&b));
      differ += due_ns != lab_arrivals_next (&c);
    }
  g_assert_cmpuint (differ, >, 990);
}

static void
exponential_draws_have_the_right_shape (void)
{
  static const LabTime means[] = { 1000, 50 * LAB_MS, 7 * LAB_S, 100000 * LAB_S };

  for (guint m = 0; m < G_N_ELEMENTS (means); m++)
    {
      enum
      {
        N = 200000
      };
      LabRandom random;
      double mean = 0, square = 0;
      guint above_1 = 0, above_3 = 0;

      lab_random_init (&random, 7, m);
      for (guint i = 0; i < N; i++)
        {
          double x = (double) lab_random_exponential (&random, means[m]) / (double) means[m];

          mean += x / N;
          square += x * x / N;
          above_1 += x > 1;
          above_3 += x > 3;
        }
      /* Five standard errors each. */
      g_assert_cmpfloat_with_epsilon (mean, 1, 5 / sqrt (N));
      g_assert_cmpfloat_with_epsilon (square, 2, 5 * sqrt (20.0 / N));
      g_assert_cmpfloat_with_epsilon ((double) above_1 / N, exp (-1), 5 * sqrt (0.2325 / N));
      g_assert_cmpfloat_with_epsilon ((double) above_3 / N, exp (-3), 5 * sqrt (0.0473 / N));
    }
}

/* SplitMix64's first numbers from state 1234567, as its authors' code gives them. */
static void
the_generator_is_splitmix64 (void)
{
  LabRandom random = { .state = 1234567 };

  g_assert_cmpuint (lab_random_next (&random), ==, G_GUINT64_CONSTANT (6457827717110365317));
  g_assert_cmpuint (lab_random_next (&random), ==, G_GUINT64_CONSTANT (3203168211198807973));
  g_assert_cmpuint (lab_random_next (&random), ==, G_GUINT64_CONSTANT (9817491932198370423));
}

static void
draws_below_are_even (void)
{
  LabRandom random;
  guint counts[6] = { 0 };

  lab_random_init (&random, 7, 0);
  for (guint i = 0; i < 60000; i++)
    counts[lab_random_below (&random, 6)]++;
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (ABS ((int) counts[i] - 10000), <, 500);
  g_assert_cmpuint (lab_random_below (&random, 1), ==, 0);
}

/* Of 3 * 2^62 numbers the lowest third comes up a third of the time; as plain
 * remainders of 64 bits it would every other time. */
static void
a_remainder_favours_no_number (void)
{
  LabRandom random;
  guint low = 0;

  lab_random_init (&random, 7, 0);
  for (guint i = 0; i < 6000; i++)
    low += lab_random_below (&random, 3 * (G_GUINT64_CONSTANT (1) << 62)) < G_GUINT64_CONSTANT (1) << 62;
  g_assert_cmpint (ABS ((int) low - 2000), <, 200); /* five standard errors: sqrt (6000 * 2 / 9) each */
}

static void
streams_of_one_seed_have_nothing_in_common (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint stream = 0; stream < 4; stream++)
    {
      LabRandom random;

      lab_random_init (&random, 7, stream);
      for (guint i = 0; i < 1000; i++)
        {
          guint64 draw = lab_random_next (&random);

          g_assert_true (g_hash_table_add (seen, g_memdup2 (&draw, sizeof draw)));
        }
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrivals/constant-arrivals-are-exact", constant_arrivals_are_exact);
  g_test_add_func ("/arrivals/poisson-arrivals-are-as-many-and-in-order", poisson_arrivals_are_as_many_and_in_order);
  g_test_add_func ("/arrivals/poisson-arrivals-scatter-as-they-should", poisson_arrivals_scatter_as_they_should);
  g_test_add_func ("/arrivals/poisson-arrivals-leave-a-gap-at-either-end", poisson_arrivals_leave_a_gap_at_either_end);
  g_test_add_func ("/arrivals/one-seed-one-schedule", one_seed_one_schedule);
  g_test_add_func ("/random/exponential-draws-have-the-right-shape", exponential_draws_have_the_right_shape);
  g_test_add_func ("/random/the-generator-is-splitmix64", the_generator_is_splitmix64);
  g_test_add_func ("/random/draws-below-are-even", draws_below_are_even);
  g_test_add_func ("/random/a-remainder-favours-no-number", a_remainder_favours_no_number);
  g_test_add_func ("/random/streams-of-one-seed-have-nothing-in-common", streams_of_one_seed_have_nothing_in_common);
  return g_test_run ();
}
