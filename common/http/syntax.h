/* What HTTP allows in its lines (RFC 9110, sections 5.5 and 5.6.2). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A method, or the name of a header. */
gboolean lab_http_is_token (const char *text, gsize length);

/* The value of a header: anything but control characters, the tab aside. */
gboolean lab_http_is_field_value (const char *text, gsize length);

/* @url without its user and password, for whatever is stored or shown; well-formed
 * or not. Returns: (transfer full) */
char *lab_http_url_to_show (const char *url);

G_END_DECLS
