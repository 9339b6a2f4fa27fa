/* Reads the Retry-After header (RFC 9110, section 10.2.3): a number of seconds,
 * or an HTTP-date. */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

/* @value: the header's value as received, or NULL when there was none.
 * @now_unix_s: the wall clock, against which a date is held.
 *
 * Returns how long to stay away: at least 0 (a date that has passed), at most
 * LAB_DURATION_MAX; -1 when there is no header or it is not of either form ("-3",
 * "1.5", "soon"), which a client must then ignore. All three date forms of
 * RFC 9110, section 5.6.7 are read. */
LabTime lab_retry_after_parse (const char *value, gint64 now_unix_s);

G_END_DECLS
