/* A load generator's target that is any URL: the HTTP client.
 *
 *   g_autoptr (LabHttpClient) client = lab_http_client_new (&(LabHttpClientOptions) {
 *       .url = "http://127.0.0.1:8000/work" }, &error);
 *   g_autoptr (LabOpenLoop) load = lab_open_loop_new (clock, lab_http_client_target (client),
 *       &(LabOpenLoopOptions) { .rate_rps = 100, .duration_ns = 5 * LAB_S,
 *                               .client_timeout_ns = LAB_S, .hang_up = TRUE });
 *
 * Built on libcurl's multi_socket interface, with all its sockets behind one epoll
 * descriptor, which is one GSource of the thread's main context. It has no deadlines
 * of its own: the load generator's patience covers connecting, headers and body. A call
 * that is abandoned has its connection closed, so that the server sees a hang-up.
 *
 * What a call ends as:
 *   LAB_OK       status 2xx, and the whole body read
 *   LAB_SHED     status 503 or 429, likewise
 *   LAB_ERROR    anything else the service did, counted by LabHttpError
 *   LAB_UNSENT   never sent, because something ran out on our side; also by LabHttpError
 *   LAB_TIMEOUT  abandoned
 *
 * Connections are kept and used again, as many as there are calls at once. If a kept
 * connection is closed under a request, without a line of an answer, the request is
 * sent again on another one, once, and counted as resent. Redirects are not followed,
 * no proxy is used, and names are resolved once, when the client is made.
 *
 * An https server may choose HTTP/2. Calls then share connections, up to 100 on each,
 * and an abandoned call has its stream reset, while the connection stays. A limit on
 * connections in the server then sees far fewer than there are calls. */
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
  LAB_HTTP_MALFORMED,       /* not HTTP, or without a clear end */
  LAB_HTTP_TOO_LARGE,       /* headers that are too long */
  LAB_HTTP_TLS_CERTIFICATE, /* not to be trusted */
  LAB_HTTP_TLS_HANDSHAKE,   /* failed in any other way */
  LAB_HTTP_REDIRECT,        /* 3xx, not followed */
  LAB_HTTP_STATUS,          /* any other status; counted by status, too */
  LAB_HTTP_OTHER,

  LAB_HTTP_OUT_OF_PORTS, /* from here on: on our side, LAB_UNSENT */
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
  guint64 retry_after;               /* shed with a valid Retry-After ... */
  guint64 retry_after_ignored;       /* ... and with an invalid one */
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

/* Sets all counters to zero. */
void lab_http_client_reset_counters (LabHttpClient *client);

/* A single blocking request, apart from any load. Returns the body at @url, or NULL with
 * @error set. Ends early once @give_up holds, which is asked about once a second; it may
 * be NULL. For loopback addresses only. Returns: (transfer full) */
char *lab_http_get (const char *url, LabTime timeout_ns, LabCondition give_up, gpointer data, GError **error);

G_END_DECLS
