/* Spans and points of time, and how people write them.
 *
 * Inside the lab every time is an integer number of nanoseconds. Nothing ever
 * holds a point in time as a floating-point number: two runs could then differ
 * in the last bit, and with it in the order of two events.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Nanoseconds: a span, or a point on a clock counted from the clock's start. */
typedef gint64 LabTime;

#define LAB_US G_GINT64_CONSTANT (1000)
#define LAB_MS (1000 * LAB_US)
#define LAB_S (1000 * LAB_MS)

/* Later than any point on a clock. No timer may be armed for it. */
#define LAB_NEVER G_MAXINT64

/* The longest span a person may ask for: one thousand days. Sums and products
 * of such spans stay far away from overflow. */
#define LAB_DURATION_MAX (G_GINT64_CONSTANT (86400000) * LAB_S)

/* Reads "50ms", "1.5s", "2m", "250us", "40ns" or "0.3" (a bare number is
 * seconds) into *duration_ns, exactly: digits are never rounded, so "0.5ns" is
 * refused. No sign, no exponent, no white space.
 *
 *   LabTime patience;
 *   if (!lab_duration_parse ("1.5s", &patience, &error))   // 1500 * LAB_MS
 *     ...
 *
 * Returns FALSE and sets @error (LAB_DURATION_ERROR) to a phrase that says what
 * is allowed; *duration_ns is then untouched. */
gboolean lab_duration_parse (const char *text, LabTime *duration_ns, GError **error);

#define LAB_DURATION_ERROR (lab_duration_error_quark ())
GQuark lab_duration_error_quark (void);

/* Writes a span the way a label shows it: "0.3 s", "50 ms", "1.25 s".
 * Returns: (transfer full) */
char *lab_duration_to_label (LabTime duration_ns);

/* floor (a * b / c) for values that are not negative, through a 128-bit
 * product; @c must be above 0 and the result must fit. */
gint64 lab_mul_div (gint64 a, gint64 b, gint64 c);

/* The same, with the rest of the division, for a result that may not fit: FALSE
 * then, and nothing is set. */
gboolean lab_mul_div_rest (guint64 a, guint64 b, guint64 c, guint64 *result, guint64 *rest);

G_END_DECLS
