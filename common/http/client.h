/* A load generator's target that is any URL: the HTTP client.
 *
 *   g_autoptr (LabHttpClient) client = lab_http_client_new (&(LabHttpClientOptions) {
 *       .url = "http://127.0.0.1:8000/work" }, &error);
 *   g_autoptr (LabOpenLoop) load = lab_open_loop_new (clock, lab_http_client_target (client),
 *       &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 5 * LAB_S,
 *                               .client_timeout_ns = LAB_S, .hang_up = TRUE });
 *
 * Built on libcurl's multi_socket interface, with all its sockets behind one
 * epoll descriptor that is one GSource of the thread's main context. It knows no
 * deadline of its own: the load generator's patience covers connecting, headers
 * and body alike, and a call that it abandons has its connection closed.
 *
 * What a call ends as:
 *   LAB_OK       status 2xx, and the whole body read
 *   LAB_SHED     status 503 or 429, likewise
 *   LAB_ERROR    anything else the service did, counted by LabHttpError
 *   LAB_UNSENT   never sent, for want of something on our side; also by LabHttpError
 *   LAB_TIMEOUT  abandoned
 *
 * Connections are kept and used again, as many as there are calls at once. A
 * request that fails because its kept connection was closed under it, with not a
 * line of an answer, is sent again on another, once, and counted as resent.
 * Redirects are not followed, no proxy is used, and names are resolved once, when
 * the client is made. */
#pragma once

#include "../loadgen/target.h"
#include "../time/clock.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_HTTP_NO_ERROR,

  LAB_HTTP_CONNECT_REFUSED,
  LAB_HTTP_CONNECT_FAILED,  /* in any other way */
  LAB_HTTP_RESET,           /* the connection broke */
  LAB_HTTP_CLOSED,          /* closed before a line of an answer */
  LAB_HTTP_INCOMPLETE,      /* closed in the middle of one */
  LAB_HTTP_MALFORMED,       /* what came is not HTTP, or has no end that can be told */
  LAB_HTTP_TOO_LARGE,       /* headers without end */
  LAB_HTTP_TLS_CERTIFICATE, /* not to be trusted */
  LAB_HTTP_TLS_HANDSHAKE,   /* failed in any other way */
  LAB_HTTP_REDIRECT,        /* 3xx, not followed */
  LAB_HTTP_STATUS,          /* any other status; counted by status, too */
  LAB_HTTP_OTHER,

  LAB_HTTP_OUT_OF_PORTS, /* from here on: of our own, LAB_UNSENT */
  LAB_HTTP_OUT_OF_FILES,
  LAB_HTTP_OUT_OF_MEMORY,
  LAB_HTTP_OVER_MAX_INFLIGHT,
  LAB_HTTP_N_ERRORS
} LabHttpError;

/* "connect_refused", "over_max_inflight" ... Returns: (transfer none) */
const char *lab_http_error_name (LabHttpError error);

#define LAB_HTTP_FIRST_503_BODY 60

typedef struct
{
  guint64 abandoned;
  guint64 answered;                  /* calls that got a complete answer, of any status */
  guint64 errors[LAB_HTTP_N_ERRORS]; /* calls by what was wrong with them */
  guint64 statuses[1000];            /* of LAB_HTTP_STATUS */
  guint64 resent;                    /* see above; not a call of its own */
  guint64 retry_after;               /* shed with a Retry-After that means something ... */
  guint64 retry_after_ignored;       /* ... and with one that does not */
  gboolean saw_503;                  /* the first one: */
  char *first_503_retry_after;       /* its header as received, or NULL */
  char first_503_body[LAB_HTTP_FIRST_503_BODY + 1];
} LabHttpCounters;

typedef struct
{
  const char *url;            /* http or https */
  const char *method;         /* NULL: GET, or POST with a body */
  const char *body;           /* NULL: none */
  const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
  gboolean insecure;          /* any certificate will do */
  gboolean allow_remote;      /* otherwise loopback addresses only */
  guint max_inflight;         /* calls at once; one more is LAB_UNSENT. 0: no limit */
} LabHttpClientOptions;

typedef struct _LabHttpClient LabHttpClient;

/* Reads the URL and resolves its name. A name counts as loopback only when all
 * its addresses do. Returns NULL with @error set to one clear sentence
 * (LAB_HTTP_CLIENT_ERROR). Returns: (transfer full) */
LabHttpClient *lab_http_client_new (const LabHttpClientOptions *options, GError **error);

/* Every call must have finished; closes all connections. */
void lab_http_client_free (LabHttpClient *client);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpClient, lab_http_client_free)

typedef enum
{
  LAB_HTTP_CLIENT_ERROR_URL,
  LAB_HTTP_CLIENT_ERROR_RESOLVE,
  LAB_HTTP_CLIENT_ERROR_REMOTE, /* not a loopback address, and that is not allowed */
  LAB_HTTP_CLIENT_ERROR_FAILED
} LabHttpClientError;

#define LAB_HTTP_CLIENT_ERROR (lab_http_client_error_quark ())
GQuark lab_http_client_error_quark (void);

/* Both: (transfer none) */
LabTarget *lab_http_client_target (LabHttpClient *client);
const LabHttpCounters *lab_http_client_counters (const LabHttpClient *client);

/* Begins the counters anew. */
void lab_http_client_reset_counters (LabHttpClient *client);

/* One plain request outside any load, waited for: what stands at @url, or NULL
 * with @error set. Ends early when @give_up, asked now and then, says so (may be
 * NULL). For loopback addresses only. Returns: (transfer full) */
char *lab_http_get (const char *url, LabTime timeout_ns, LabCondition give_up, gpointer data, GError **error);

G_END_DECLS
