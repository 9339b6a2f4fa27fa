/* Small arithmetic over a result document, so that a number in the prose can be
 * held against the run that it comes from, and an exercise against its goal.
 *
 *   679=timeout      82=100*timeout/offered      88.2=goodput_rps[1]
 *
 * A bare name is a key of a row: `ok` of the first row, `ok[1]` of the second; a
 * name with a point begins elsewhere: `settings.slots`, `by_second.arrived[4]`;
 * `rows` is how many rows there are, and `checks.holds[2]` is 0 or 1. The operators
 * are those of C: + - * / < <= > >= == != && and parentheses. A comparison gives
 * 0 or 1, and two numbers are equal when they differ by less than 1e-9. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

gboolean expression_evaluate (const char *text, JsonObject *document, double *value, GError **error);

G_END_DECLS
