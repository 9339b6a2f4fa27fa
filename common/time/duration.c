#include "duration.h"

#include <string.h>

G_DEFINE_QUARK (lab - duration - error - quark, lab_duration_error)

typedef struct
{
  const char *name;
  gint64 ns;
} Unit;

static const Unit units[] = {
  { "", LAB_S }, { "m", 60 * LAB_S }, { "s", LAB_S }, { "ms", LAB_MS }, { "us", LAB_US }, { "ns", 1 },
};

/* A minute is 2^11 * 3 * 5^10 ns: more decimals than this are never whole. */
#define MOST_DECIMALS 11

static gint64
unit_ns (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (name, units[i].name) == 0)
      return units[i].ns;
  return 0;
}

/* Reads up to @n digits as one number, which must not pass LAB_DURATION_MAX. */
static gboolean
read_digits (const char *digits, gsize n, gint64 *value)
{
  *value = 0;
  for (gsize i = 0; i < n; i++)
    {
      *value = *value * 10 + (digits[i] - '0');
      if (*value > LAB_DURATION_MAX)
        return FALSE;
    }
  return TRUE;
}

/* How many digits @text begins with. */
static gsize
count_digits (const char *text)
{
  return strspn (text, "0123456789");
}

static gboolean
refuse (GError **error, const char *allowed)
{
  g_set_error_literal (error, LAB_DURATION_ERROR, 0, allowed);
  return FALSE;
}

gboolean
lab_duration_parse (const char *text, LabTime *duration_ns, GError **error)
{
  static const char form[] = "a duration such as 50ms, 1.5s, 2m, 250us or 40ns (a bare number is seconds)";
  gsize n_whole = count_digits (text);
  const char *decimals = text + n_whole + (text[n_whole] == '.' ? 1 : 0);
  gsize n_decimals = decimals == text + n_whole ? 0 : count_digits (decimals);
  gint64 unit = unit_ns (decimals + n_decimals);

  if (n_whole == 0 || unit == 0 || (text[n_whole] == '.' && n_decimals == 0))
    return refuse (error, form);

  while (n_decimals > 0 && decimals[n_decimals - 1] == '0')
    n_decimals--;
  if (n_decimals > MOST_DECIMALS)
    return refuse (error, "a duration of whole nanoseconds");

  gint64 whole, fraction, parts = 1;
  if (!read_digits (text, n_whole, &whole) || whole > LAB_DURATION_MAX / unit)
    return refuse (error, "a duration of at most 1000 days");

  read_digits (decimals, n_decimals, &fraction);
  for (gsize i = 0; i < n_decimals; i++)
    parts *= 10;
  guint64 fraction_ns, rest;
  if (!lab_mul_div_rest ((guint64) fraction, (guint64) unit, (guint64) parts, &fraction_ns, &rest) || rest != 0)
    return refuse (error, "a duration of whole nanoseconds");

  LabTime total = whole * unit + (LabTime) fraction_ns;
  if (total > LAB_DURATION_MAX)
    return refuse (error, "a duration of at most 1000 days");

  *duration_ns = total;
  return TRUE;
}

char *
lab_duration_to_label (LabTime duration_ns)
{
  static const Unit steps[] = { { "s", LAB_S }, { "ms", LAB_MS }, { "us", LAB_US }, { "ns", 1 } };
  guint i = 0;

  g_return_val_if_fail (duration_ns >= 0, NULL);

  /* Seconds from a tenth on: people say 0.3 s, but 50 ms. */
  if (duration_ns > 0 && duration_ns < LAB_S / 10)
    for (i = 1; duration_ns < steps[i].ns; i++)
      ;

  g_autoptr (GString) label = g_string_new (NULL);
  g_string_append_printf (label, "%" G_GINT64_FORMAT, duration_ns / steps[i].ns);

  gint64 rest = duration_ns % steps[i].ns;
  if (rest > 0)
    g_string_append_c (label, '.');
  for (gint64 place = steps[i].ns / 10; rest > 0; rest %= place, place /= 10)
    g_string_append_c (label, (char) ('0' + rest / place));

  g_string_append_printf (label, " %s", steps[i].name);
  return g_string_free (g_steal_pointer (&label), FALSE);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 Wide;

gboolean
lab_mul_div_rest (guint64 a, guint64 b, guint64 c, guint64 *result, guint64 *rest)
{
  Wide product = (Wide) a * b;

  if (product >> 64 >= c)
    return FALSE;
  *result = (guint64) (product / c);
  *rest = (guint64) (product % c);
  return TRUE;
}

#else /* 32 bits: multiplied in halves, as on paper, and divided bit by bit */

gboolean
lab_mul_div_rest (guint64 a, guint64 b, guint64 c, guint64 *result, guint64 *rest)
{
  guint64 ones = (a & G_MAXUINT32) * (b & G_MAXUINT32);
  guint64 tens = (a >> 32) * (b & G_MAXUINT32) + (ones >> 32);
  guint64 more_tens = (a & G_MAXUINT32) * (b >> 32) + (tens & G_MAXUINT32);
  guint64 high = (a >> 32) * (b >> 32) + (tens >> 32) + (more_tens >> 32);
  guint64 low = more_tens << 32 | (ones & G_MAXUINT32);

  if (high >= c)
    return FALSE;
  for (guint bit = 0; bit < 64; bit++)
    {
      gboolean carry = high >> 63 != 0;

      high = high << 1 | low >> 63;
      low <<= 1;
      if (carry || high >= c)
        {
          high -= c;
          low |= 1;
        }
    }
  *result = low;
  *rest = high;
  return TRUE;
}

#endif

gint64
lab_mul_div (gint64 a, gint64 b, gint64 c)
{
  guint64 result, rest;

  g_return_val_if_fail (a >= 0 && b >= 0 && c > 0, 0);

  gboolean fits = lab_mul_div_rest ((guint64) a, (guint64) b, (guint64) c, &result, &rest) && result <= G_MAXINT64;
  g_return_val_if_fail (fits, G_MAXINT64);
  return (gint64) result;
}
