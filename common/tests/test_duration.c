#include "../time/duration.h"

static void
test_parse (void)
{
  static const struct
  {
    const char *text;
    LabTime ns;
  } cases[] = {
    { "50ms", 50 * LAB_MS },
    { "1.5s", 1500 * LAB_MS },
    { "2m", 120 * LAB_S },
    { "250us", 250 * LAB_US },
    { "40ns", 40 },
    { "0.3", 300 * LAB_MS },
    { "5", 5 * LAB_S },
    { "007", 7 * LAB_S },
    { "0", 0 },
    { "0.000", 0 },
    { "16.075ms", 16075 * LAB_US },
    { "0.000000001", 1 },
    { "1.000000000000000000000000000000s", LAB_S },
    { "0.05m", 3 * LAB_S },
    { "0.00000000005m", 3 },
    { "0.1234567m", G_GINT64_CONSTANT (7407402000) },
    { "86400000", LAB_DURATION_MAX },
    { "1440000m", LAB_DURATION_MAX },
    { "86399999.999999999", LAB_DURATION_MAX - 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      LabTime ns = -1;
      gboolean read = lab_duration_parse (cases[i].text, &ns, &error);

      g_assert_no_error (error);
      g_assert_true (read);
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (ns, ==, cases[i].ns);
    }
}

static void
test_refuse (void)
{
  static const struct
  {
    const char *text;
    const char *allowed;
  } cases[] = {
    { "", "such as" },
    { " 5", "such as" },
    { "5 ", "such as" },
    { "5 s", "such as" },
    { "+5", "such as" },
    { "-1", "such as" },
    { "-0", "such as" },
    { "nan", "such as" },
    { "inf", "such as" },
    { "1e9", "such as" },
    { "0x10", "such as" },
    { "1.5.2s", "such as" },
    { "1.", "such as" },
    { ".5", "such as" },
    { "1.s", "such as" },
    { "ms", "such as" },
    { "5S", "such as" },
    { "5sec", "such as" },
    { "1,5s", "such as" },
    { "5h", "such as" },
    { "5\n", "such as" },
    { "\xd9\xa3", "such as" },
    { "0.5ns", "whole nanoseconds" },
    { "1.0000000001", "whole nanoseconds" },
    { "0.33333333333m", "whole nanoseconds" },
    { "0.000000000000000000000000000001", "whole nanoseconds" },
    { "86400000.000000001", "1000 days" },
    { "86400001", "1000 days" },
    { "1440001m", "1000 days" },
    { "9223372036854775808ns", "1000 days" },
    { "99999999999999999999999999999999", "1000 days" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      LabTime ns = -7;

      g_test_message ("\"%s\"", cases[i].text);
      g_assert_false (lab_duration_parse (cases[i].text, &ns, &error));
      g_assert_error (error, LAB_DURATION_ERROR, 0);
      g_assert_nonnull (g_strstr_len (error->message, -1, cases[i].allowed));
      g_assert_cmpint (ns, ==, -7);
    }
}

static void
test_label (void)
{
  static const struct
  {
    LabTime ns;
    const char *label;
  } cases[] = {
    { 300 * LAB_MS, "0.3 s" },
    { 50 * LAB_MS, "50 ms" },
    { 1250 * LAB_MS, "1.25 s" },
    { 0, "0 s" },
    { 1, "1 ns" },
    { 999, "999 ns" },
    { 1500, "1.5 us" },
    { 16075 * LAB_US, "16.075 ms" },
    { 100 * LAB_MS, "0.1 s" },
    { 120 * LAB_S, "120 s" },
    { LAB_S + 1, "1.000000001 s" },
    { 99999999, "99.999999 ms" },
    { 10 * LAB_S, "10 s" },
    { 1050 * LAB_MS, "1.05 s" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *label = lab_duration_to_label (cases[i].ns);
      g_assert_cmpstr (label, ==, cases[i].label);
    }
}

static void
test_mul_div (void)
{
  static const struct
  {
    gint64 a, b, c, result;
  } cases[] = {
    { 0, 5, 3, 0 },
    { 7, 1, 2, 3 },
    { 2, 3, 6, 1 },
    { G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64 },
    { G_MAXINT64, 2, 4, G_MAXINT64 / 2 },
    { LAB_DURATION_MAX, 1000000, LAB_S, G_GINT64_CONSTANT (86400000) * 1000000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (lab_mul_div (cases[i].a, cases[i].b, cases[i].c), ==, cases[i].result);
}

static void
test_mul_div_refuses (void)
{
  static const struct
  {
    gint64 a, b, c;
  } cases[] = { { 1, 1, 0 }, { -1, 1, 1 }, { 1, -1, 1 }, { G_MAXINT64, 2, 1 }, { G_MAXINT64, G_MAXINT64, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*lab_mul_div*");
      lab_mul_div (cases[i].a, cases[i].b, cases[i].c);
      g_test_assert_expected_messages ();
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/duration/parse", test_parse);
  g_test_add_func ("/duration/refuse", test_refuse);
  g_test_add_func ("/duration/label", test_label);
  g_test_add_func ("/duration/mul-div", test_mul_div);
  g_test_add_func ("/duration/mul-div-refuses", test_mul_div_refuses);
  return g_test_run ();
}
