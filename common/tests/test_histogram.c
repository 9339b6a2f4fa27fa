/* The histogram, against sorting, and the summary. */
#include "../loadgen/summary.h"

static int
compare (gconstpointer a, gconstpointer b)
{
  LabTime x = *(const LabTime *) a, y = *(const LabTime *) b;

  return x < y ? -1 : x > y;
}

/* p * (n - 1), rounded half to even, of the sorted values. */
static LabTime
by_sorting (GArray *values, guint permille)
{
  guint64 scaled = (guint64) permille * (values->len - 1);
  guint64 index = scaled / 1000, rest = scaled % 1000;

  g_array_sort (values, compare);
  if (rest > 500 || (rest == 500 && index % 2 == 1))
    index++;
  return g_array_index (values, LabTime, index);
}

static void
few_values_come_out_exact (void)
{
  static const struct
  {
    LabTime values[4];
    guint n, permille;
    LabTime expected;
  } rows[] = {
    { { 5 }, 1, 500, 5 },
    { { 5, 9 }, 2, 500, 5 },       /* index 0.5 rounds to 0 */
    { { 1, 2, 3, 4 }, 4, 500, 3 }, /* index 1.5 rounds to 2 */
    { { 7 * LAB_S, 7 * LAB_S, 7 * LAB_S }, 3, 990, 7 * LAB_S },
    { { 0, 0, LAB_DURATION_MAX }, 3, 1000, LAB_DURATION_MAX },
    { { 123456789, 1 }, 2, 1000, 123456789 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LabHistogram) histogram = lab_histogram_new ();

      for (guint n = 0; n < rows[i].n; n++)
        lab_histogram_add (histogram, rows[i].values[n]);
      g_assert_cmpint (lab_histogram_quantile (histogram, rows[i].permille), ==, rows[i].expected);
    }
}

static void
no_value_has_no_quantile (void)
{
  g_autoptr (LabHistogram) histogram = lab_histogram_new ();

  g_assert_cmpint (lab_histogram_quantile (histogram, 500), ==, -1);
  g_assert_cmpint (lab_histogram_max (histogram), ==, -1);
  g_assert_cmpuint (lab_histogram_count (histogram), ==, 0);
}

static void
the_relative_error_is_at_most_1_in_4096 (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint round = 0; round < 30; round++)
    {
      g_autoptr (LabHistogram) histogram = lab_histogram_new ();
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (LabTime));
      LabTime top = (LabTime) 1 << g_rand_int_range (random, 4, 56);

      for (guint i = 0; i < 5000; i++)
        {
          LabTime value = (LabTime) (g_rand_double (random) * (double) top);

          lab_histogram_add (histogram, value);
          g_array_append_val (values, value);
        }
      for (guint permille = 0; permille <= 1000; permille += 10)
        {
          LabTime exact = by_sorting (values, permille);
          LabTime answer = lab_histogram_quantile (histogram, permille);

          g_assert_cmpint (ABS (answer - exact) * 4096, <=, exact);
        }
    }
}

/* A run as long as a step's. */
static void
up_to_1024_values_are_answered_exactly (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);

  for (guint n = 1; n <= 1024; n += 31)
    {
      g_autoptr (LabHistogram) histogram = lab_histogram_new ();
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (LabTime));

      for (guint i = 0; i < n; i++)
        {
          LabTime value = g_rand_int_range (random, 0, 1000000) * LAB_US;

          lab_histogram_add (histogram, value);
          g_array_append_val (values, value);
        }
      for (guint permille = 0; permille <= 1000; permille += 50)
        g_assert_cmpint (lab_histogram_quantile (histogram, permille), ==, by_sorting (values, permille));
    }
}

/* As many as make their plain sum overflow 64 bits. */
static void
many_of_the_longest_spans_do_not_overflow (void)
{
  g_autoptr (LabHistogram) histogram = lab_histogram_new ();

  for (guint i = 0; i < 5000; i++)
    lab_histogram_add (histogram, LAB_DURATION_MAX);
  g_assert_cmpint (lab_histogram_quantile (histogram, 500), ==, LAB_DURATION_MAX);
}

static void
a_summary_counts_every_request_once (void)
{
  static const struct
  {
    LabTime arrival_ns;
    LabOutcome outcome;
    LabTime latency_ns;
  } rows[] = {
    { 0, LAB_OK, 50 * LAB_MS },
    { 999999999, LAB_TIMEOUT, LAB_S },
    { LAB_S, LAB_SHED, 0 },
    { 2 * LAB_S - 1, LAB_OK, 50 * LAB_MS }, /* not steady yet */
    { 2 * LAB_S, LAB_OK, 70 * LAB_MS },
    { 3 * LAB_S, LAB_ERROR, 1 },
    { 3 * LAB_S, LAB_UNSENT, 0 },
    { 3 * LAB_S + 1, LAB_OK, 60 * LAB_MS },
  };
  g_autoptr (LabSummary) summary = lab_summary_new (5 * LAB_S);
  guint n_seconds;
  const LabSecond *seconds;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    lab_summary_add (summary, rows[i].arrival_ns, rows[i].outcome, rows[i].latency_ns);
  seconds = lab_summary_by_second (summary, &n_seconds);
  g_assert_cmpuint (lab_summary_offered (summary), ==, 8);
  g_assert_cmpuint (lab_summary_count (summary, LAB_OK), ==, 4);
  g_assert_cmpuint (lab_summary_count (summary, LAB_SHED), ==, 1);
  g_assert_cmpuint (lab_summary_count (summary, LAB_TIMEOUT), ==, 1);
  g_assert_cmpuint (lab_summary_count (summary, LAB_ERROR), ==, 1);
  g_assert_cmpuint (lab_summary_count (summary, LAB_UNSENT), ==, 1);
  g_assert_cmpuint (lab_summary_steady_ok (summary), ==, 2);
  g_assert_cmpint (lab_summary_steady_ns (summary), ==, 3 * LAB_S);
  g_assert_cmpint (lab_histogram_quantile (lab_summary_latency (summary, LAB_OK), 500), ==, 60 * LAB_MS);
  g_assert_cmpint (lab_histogram_max (lab_summary_latency (summary, LAB_TIMEOUT)), ==, LAB_S);
  g_assert_cmpuint (n_seconds, ==, 4);
  g_assert_cmpuint (seconds[0].arrived, ==, 2);
  g_assert_cmpuint (seconds[0].ok, ==, 1);
  g_assert_cmpuint (seconds[3].arrived, ==, 3);
  g_assert_cmpuint (seconds[3].ok, ==, 1);
}

static void
over_1_percent_more_than_10_ms_late_is_late (void)
{
  static const struct
  {
    guint late, in_time;
    LabTime lateness_ns;
    gboolean was_late;
  } rows[] = {
    { 0, 0, 0, FALSE },           { 1, 99, 11 * LAB_MS, FALSE }, /* exactly 1 % */
    { 2, 98, 11 * LAB_MS, TRUE }, { 100, 0, 10 * LAB_MS, FALSE }, { 1, 0, 10 * LAB_MS + 1, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LabSummary) summary = lab_summary_new (LAB_S);

      for (guint n = 0; n < rows[i].late; n++)
        lab_summary_add_lateness (summary, 0, rows[i].lateness_ns);
      for (guint n = 0; n < rows[i].in_time; n++)
        lab_summary_add_lateness (summary, 0, 0);
      g_assert_cmpint (lab_summary_was_late (summary), ==, rows[i].was_late);
      g_assert_cmpuint (lab_histogram_count (lab_summary_lateness (summary)), ==, rows[i].late + rows[i].in_time);
    }
}

static void
rates_are_per_the_time_that_a_run_had (void)
{
  g_autoptr (LabSummary) summary = lab_summary_new (5 * LAB_S);

  lab_summary_add_lateness (summary, LAB_S, LAB_MS);
  g_assert_cmpint (lab_summary_sending_ns (summary), ==, 5 * LAB_S);
  lab_summary_add_lateness (summary, 4 * LAB_S, 3 * LAB_S); /* it was still sending after the end */
  g_assert_cmpint (lab_summary_sending_ns (summary), ==, 7 * LAB_S);
  g_assert_cmpint (lab_summary_duration (summary), ==, 5 * LAB_S);
  lab_summary_cut (summary, 9 * LAB_S); /* stopped after its end */
  g_assert_cmpint (lab_summary_duration (summary), ==, 5 * LAB_S);
  lab_summary_cut (summary, 3 * LAB_S);
  g_assert_cmpint (lab_summary_duration (summary), ==, 3 * LAB_S);
  g_assert_cmpint (lab_summary_steady_ns (summary), ==, LAB_S);
  lab_summary_cut (summary, LAB_S);
  g_assert_cmpint (lab_summary_steady_ns (summary), ==, 0); /* never negative */
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/histogram/few-values-come-out-exact", few_values_come_out_exact);
  g_test_add_func ("/histogram/no-value-has-no-quantile", no_value_has_no_quantile);
  g_test_add_func ("/histogram/the-relative-error-is-at-most-1-in-4096", the_relative_error_is_at_most_1_in_4096);
  g_test_add_func ("/histogram/up-to-1024-values-are-answered-exactly", up_to_1024_values_are_answered_exactly);
  g_test_add_func ("/histogram/many-of-the-longest-spans-do-not-overflow", many_of_the_longest_spans_do_not_overflow);
  g_test_add_func ("/summary/counts-every-request-once", a_summary_counts_every_request_once);
  g_test_add_func ("/summary/over-1-percent-more-than-10-ms-late-is-late", over_1_percent_more_than_10_ms_late_is_late);
  g_test_add_func ("/summary/rates-are-per-the-time-that-a-run-had", rates_are_per_the_time_that_a_run_had);
  return g_test_run ();
}
