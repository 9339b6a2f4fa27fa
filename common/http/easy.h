/* What all our requests through libcurl have in common. A part of the client. */
#pragma once

#include <curl/curl.h>
#include <glib.h>

G_BEGIN_DECLS

/* Before any other use of libcurl; may be called again. */
void lab_http_curl_init (void);

/* A handle for requests by http or https, never through a proxy; any certificate will
 * do if @insecure. Returns: (transfer full) */
CURL *lab_http_easy_new (gboolean insecure);

G_END_DECLS
