/* What HTTP allows in its first line and headers (RFC 9110, sections 5.5 and 5.6.2). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether it may be a method, or the name of a header. */
gboolean lab_http_is_token (const char *text, gsize length);

/* Whether it may be the value of a header: it has no control characters except tabs. */
gboolean lab_http_is_field_value (const char *text, gsize length);

/* @url, well-formed or not, without user and password: for what is stored or shown.
 * Returns: (transfer full) */
char *lab_http_url_to_show (const char *url);

G_END_DECLS
