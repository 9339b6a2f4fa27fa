/* What a Retry-After header says, in every form that servers send. */
#include "../admission/retry_after.h"

#define NEVER_MIND (-1)
#define NOV_1994 784111777            /* Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110 */
#define JUL_2026 1782950400           /* Thu, 02 Jul 2026 00:00:00 GMT */
#define JUL_2080 3487017600           /* Mon, 01 Jul 2080 00:00:00 GMT */
#define LAST_DAY_OF_2099 4102444799LL /* Thu, 31 Dec 2099 23:59:59 GMT */

typedef struct
{
  const char *value;
  gint64 now_unix_s;
  LabTime answer_s; /* or NEVER_MIND */
} Row;

static void
check (const Row *rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++)
    {
      LabTime answer_ns = lab_retry_after_parse (rows[i].value, rows[i].now_unix_s);
      LabTime right_ns = rows[i].answer_s == NEVER_MIND ? -1 : rows[i].answer_s * LAB_S;

      if (answer_ns != right_ns)
        g_error ("'%s' at %" G_GINT64_FORMAT ": %" G_GINT64_FORMAT " ns, not %" G_GINT64_FORMAT, rows[i].value,
                 rows[i].now_unix_s, answer_ns, right_ns);
    }
}

#define CHECK(rows) check (rows, G_N_ELEMENTS (rows))

static void
seconds (void)
{
  static const Row rows[] = {
    { "0", JUL_2026, 0 },         { "1", JUL_2026, 1 },  { "003", JUL_2026, 3 },  { "120", JUL_2026, 120 },
    { "86400", JUL_2026, 86400 }, { " 3", JUL_2026, 3 }, { "3 \t", JUL_2026, 3 }, { "3\r\n", JUL_2026, 3 },
  };

  CHECK (rows);
}

static void
what_is_neither_seconds_nor_a_date_is_ignored (void)
{
  static const Row rows[] = {
    { NULL, JUL_2026, NEVER_MIND },           { "", JUL_2026, NEVER_MIND },
    { "  ", JUL_2026, NEVER_MIND },           { "-3", JUL_2026, NEVER_MIND },
    { "-0", JUL_2026, NEVER_MIND },           { "+3", JUL_2026, NEVER_MIND },
    { "1.5", JUL_2026, NEVER_MIND },          { "1,5", JUL_2026, NEVER_MIND },
    { "1 2", JUL_2026, NEVER_MIND },          { "3s", JUL_2026, NEVER_MIND },
    { "0x10", JUL_2026, NEVER_MIND },         { "1e3", JUL_2026, NEVER_MIND },
    { "soon", JUL_2026, NEVER_MIND },         { "NaN", JUL_2026, NEVER_MIND },
    { "infinity", JUL_2026, NEVER_MIND },     { "2026-07-02T00:00:00Z", JUL_2026, NEVER_MIND },
    { "\xef\xbc\x93", JUL_2026, NEVER_MIND }, /* a full-width 3 */
    { "\xff\xfe", JUL_2026, NEVER_MIND },
  };

  CHECK (rows);
}

static void
a_huge_number_is_as_long_as_there_is (void)
{
  static const Row rows[] = {
    { "9223372036", JUL_2026, LAB_DURATION_MAX / LAB_S },
    { "9223372036854775807", JUL_2026, LAB_DURATION_MAX / LAB_S },
    { "9223372036854775808", JUL_2026, LAB_DURATION_MAX / LAB_S },
    { "99999999999999999999999999999999", JUL_2026, LAB_DURATION_MAX / LAB_S },
  };

  CHECK (rows);
}

static void
all_three_forms_of_a_date (void)
{
  static const Row rows[] = {
    { "Sun, 06 Nov 1994 08:49:37 GMT", NOV_1994 - 5, 5 },   { "Sunday, 06-Nov-94 08:49:37 GMT", NOV_1994 - 5, 5 },
    { "Sun Nov  6 08:49:37 1994", NOV_1994 - 5, 5 },        { "Sun Nov 16 08:49:37 1994", NOV_1994, 10 * 86400 },
    { "Thu, 02 Jul 2026 00:01:00 GMT", JUL_2026, 60 },      { " Thu, 02 Jul 2026 00:01:00 GMT ", JUL_2026, 60 },
    { "Thu, 02 Jul 2026 00:00:60 GMT", JUL_2026, 59 }, /* a leap second */
    { "Tue, 29 Feb 2028 00:00:00 GMT", 1835308800, 86400 },
  };

  CHECK (rows);
}

static void
a_date_that_has_passed_means_now (void)
{
  static const Row rows[] = {
    { "Thu, 02 Jul 2026 00:00:00 GMT", JUL_2026, 0 }, { "Wed, 01 Jul 2026 23:59:59 GMT", JUL_2026, 0 },
    { "Sun, 06 Nov 1994 08:49:37 GMT", JUL_2026, 0 }, { "Thu, 01 Jan 1970 00:00:00 GMT", JUL_2026, 0 },
    { "Mon, 01 Jan 0001 00:00:00 GMT", JUL_2026, 0 },
  };

  CHECK (rows);
}

static void
a_date_far_ahead_is_as_long_as_there_is (void)
{
  static const Row rows[] = { { "Fri, 31 Dec 9999 23:59:59 GMT", JUL_2026, LAB_DURATION_MAX / LAB_S } };

  CHECK (rows);
}

/* RFC 9110, section 5.6.7: what appears to be over 50 years ahead has been. */
static void
a_year_of_two_digits (void)
{
  static const Row rows[] = {
    { "Thursday, 02-Jul-26 00:00:07 GMT", JUL_2026, 7 },
    { "Sunday, 06-Nov-94 08:49:37 GMT", JUL_2026, 0 },
    { "Friday, 02-Jul-77 00:00:00 GMT", JUL_2026, 0 },
    { "Thursday, 02-Jul-76 00:00:00 GMT", JUL_2026, LAB_DURATION_MAX / LAB_S },
    { "Friday, 01-Jan-00 00:00:01 GMT", LAST_DAY_OF_2099, 2 },
    { "Monday, 01-Jul-30 00:00:00 GMT", JUL_2080, LAB_DURATION_MAX / LAB_S }, /* 2130, not 2030 */
    { "Tuesday, 01-Jul-31 00:00:00 GMT", JUL_2080, 0 },
  };

  CHECK (rows);
}

static void
dates_that_do_not_exist_are_ignored (void)
{
  static const Row rows[] = {
    { "Thu, 31 Feb 2026 00:00:00 GMT", JUL_2026, NEVER_MIND },
    { "Mon, 29 Feb 2027 00:00:00 GMT", JUL_2026, NEVER_MIND },
    { "Thu, 00 Jul 2026 00:00:00 GMT", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 24:00:00 GMT", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 00:60:00 GMT", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 00:00:61 GMT", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 00:01:00 CET", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 00:01:00", JUL_2026, NEVER_MIND },
    { "Thu, 2 Jul 2026 00:01:00 GMT", JUL_2026, NEVER_MIND },
    { "thu, 02 jul 2026 00:01:00 gmt", JUL_2026, NEVER_MIND },
    { "Thu, 02 Jul 2026 00:01:00 GMT, 3", JUL_2026, NEVER_MIND },
    { "Mon, 01 Jan 0000 00:00:00 GMT", JUL_2026, NEVER_MIND },
  };

  CHECK (rows);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(test) g_test_add_func ("/retry_after/" #test, test)
  ADD (seconds);
  ADD (what_is_neither_seconds_nor_a_date_is_ignored);
  ADD (a_huge_number_is_as_long_as_there_is);
  ADD (all_three_forms_of_a_date);
  ADD (a_date_that_has_passed_means_now);
  ADD (a_date_far_ahead_is_as_long_as_there_is);
  ADD (a_year_of_two_digits);
  ADD (dates_that_do_not_exist_are_ignored);
#undef ADD
  return g_test_run ();
}
