#include "retry_after.h"

#include <string.h>

/* RFC 9110, section 5.6.7. The name of the day is not held against the date. */
#define TIME "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>[0-5]\\d|60)" /* 60 is a leap second */
#define MONTH "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

static const char *const date_forms[] = {
  /* IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT */
  "^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) " MONTH " (?<year>\\d{4}) " TIME " GMT$",
  /* of RFC 850: Sunday, 06-Nov-94 08:49:37 GMT */
  "^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-" MONTH "-(?<year>\\d\\d) " TIME " GMT$",
  /* of asctime(): Sun Nov  6 08:49:37 1994 */
  "^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) " MONTH " (?<day>[ \\d]\\d) " TIME " (?<year>\\d{4})$",
};

static gint64
number (const GMatchInfo *match, const char *name)
{
  g_autofree char *digits = g_match_info_fetch_named (match, name);

  return g_ascii_strtoll (digits, NULL, 10);
}

static int
month (const GMatchInfo *match)
{
  static const char *const names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  g_autofree char *name = g_match_info_fetch_named (match, "month");

  return (int) (strstr (names, name) - names) / 3 + 1;
}

/* A year of two digits is the one that lies at most 50 years ahead, and less than
 * 50 behind. */
static int
year_of (const GMatchInfo *match, gint64 now_unix_s)
{
  g_autofree char *digits = g_match_info_fetch_named (match, "year");
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_utc (now_unix_s);
  int this_year = now != NULL ? g_date_time_get_year (now) : 1970;
  int year = (int) number (match, "year");

  if (strlen (digits) > 2)
    return year;
  year += this_year - this_year % 100;
  if (year <= this_year - 50)
    return year + 100;
  return year > this_year + 50 ? year - 100 : year;
}

/* Compiled when it is first needed, and kept. */
static const GRegex *
date_form (guint i)
{
  static GRegex *compiled[G_N_ELEMENTS (date_forms)];

  if (g_once_init_enter (&compiled[i]))
    g_once_init_leave (&compiled[i], g_regex_new (date_forms[i], G_REGEX_RAW | G_REGEX_DOLLAR_ENDONLY, 0, NULL));
  return compiled[i];
}

static GDateTime *
parse_date (const char *text, gint64 now_unix_s)
{
  for (guint i = 0; i < G_N_ELEMENTS (date_forms); i++)
    {
      const GRegex *form = date_form (i);
      g_autoptr (GMatchInfo) match = NULL;

      if (!g_regex_match (form, text, 0, &match))
        continue;
      return g_date_time_new_utc (year_of (match, now_unix_s), month (match), (int) number (match, "day"),
                                  (int) number (match, "hour"), (int) number (match, "minute"),
                                  (double) MIN (number (match, "second"), 59));
    }
  return NULL;
}

/* A wall clock may be set to anything; beyond 30,000 years its difference from a
 * date is past the limits anyway, and must not overflow. */
#define CLOCK_MAX_S (G_GINT64_CONSTANT (1) << 40)

LabTime
lab_retry_after_parse (const char *value, gint64 wall_clock_s)
{
  gint64 now_unix_s = CLAMP (wall_clock_s, -CLOCK_MAX_S, CLOCK_MAX_S);
  g_autofree char *text = value != NULL ? g_strstrip (g_strdup (value)) : NULL;
  g_autoptr (GDateTime) date = NULL;
  gint64 seconds;

  if (text == NULL || *text == '\0')
    return -1;
  if (strspn (text, "0123456789") == strlen (text))
    seconds = g_ascii_strtoll (text, NULL, 10); /* G_MAXINT64 on overflow */
  else if ((date = parse_date (text, now_unix_s)) != NULL)
    seconds = g_date_time_to_unix (date) - now_unix_s;
  else
    return -1;
  return CLAMP (seconds, 0, LAB_DURATION_MAX / LAB_S) * LAB_S;
}
