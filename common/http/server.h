/* A small HTTP/1.1 server on the GLib main loop.
 *
 *   struct Greeting { LabHttpRequest request; LabTimer timer; };
 *
 *   static void
 *   greet (LabHttpRequest *request, gpointer data)
 *   {
 *     lab_http_respond (request, hello);       // now ...
 *   }
 *
 *   static void
 *   ponder (LabHttpRequest *request, gpointer data)
 *   {
 *     struct Greeting *greeting = LAB_OWNER_OF (request, struct Greeting, request);
 *     lab_timer_init (&greeting->timer, data, done_pondering);
 *     lab_timer_arm (&greeting->timer, ...);   // ... or later: just return
 *   }
 *
 *   static const LabHttpRoute routes[] = { { "/hello", greet }, { "/ponder", ponder } };
 *   g_autoptr (LabHttpServer) server = lab_http_server_new (&(LabHttpServerOptions) {
 *       .routes = routes, .n_routes = G_N_ELEMENTS (routes),
 *       .data = clock, .request_size = sizeof (struct Greeting) }, &error);
 *   g_print ("http://127.0.0.1:%u/hello\n", lab_http_server_port (server));
 *
 * Built on libmicrohttpd, whose epoll descriptor is one GSource of the thread's
 * main context, at the default priority, like the clock's. It listens on the loopback
 * address only.
 *
 * One dispatch of its source handles every connection that is ready, however many;
 * everything else on the loop waits meanwhile (13 ms on average under a flood from
 * 4,000 connections).
 *
 * A request is the head of a pooled block whose size the owner chooses, so that what a
 * request needs (a ticket, a timer) is in the same block, and we allocate nothing per
 * request once the pool is warm. Apart from its head, the block starts zeroed. The
 * server refuses malformed and ambiguous requests by itself; handlers never see them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _LabHttpServer LabHttpServer;
typedef struct _LabHttpRequest LabHttpRequest;
typedef struct _LabHttpResponse LabHttpResponse;

typedef struct
{
  const char *path;
  void (*handle) (LabHttpRequest *request, gpointer data); /* answers at once, or returns and answers later */
} LabHttpRoute;

typedef struct
{
  guint16 port; /* 0: a free one */
  const LabHttpRoute *routes;
  guint n_routes;
  gpointer data;        /* for the callbacks */
  gsize request_size;   /* bytes of a request's block, including the LabHttpRequest at its head;
                           0: only that */
  guint idle_timeout_s; /* a connection on which nothing moves is closed; 0: after 60 s.
                           A request that waits for its answer is never idle. */

  /* All may be NULL. */
  gboolean (*arrived) (LabHttpRequest *request, gpointer data); /* before the route; TRUE: it has answered */
  void (*hung_up) (LabHttpRequest *request, gpointer data);     /* the client of a watched request has left */
  void (*ended) (LabHttpRequest *request, gpointer data);       /* once for every request that arrived,
                                                                   answered or not: its block goes */
} LabHttpServerOptions;

struct _LabHttpRequest
{
  /*< private >*/
  LabHttpServer *server;
  struct MHD_Connection *connection;
  GList link;              /* in the list of those whose headers are still to come, or of those held */
  const char *version_due; /* where the version should start in the first line */
  guint64 body_bytes;
  guint state;
  gboolean is_watched;
};

/* Returns NULL with @error set (G_IO_ERROR) when the port cannot be had.
 * Returns: (transfer full) */
LabHttpServer *lab_http_server_new (const LabHttpServerOptions *options, GError **error);

/* Closes all connections. Requests that are held are dropped, and those that come in
 * at this moment, too: no route runs any more. Not from inside a callback of the server. */
void lab_http_server_free (LabHttpServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpServer, lab_http_server_free)

guint16 lab_http_server_port (const LabHttpServer *server);

/* No new connection is accepted. Those that are open stay so, and new requests on them
 * reach the routes as before; it is for the routes to turn them away. */
void lab_http_server_stop_listening (LabHttpServer *server);

/* Connections open now, and requests held for a later answer. */
guint lab_http_server_connections (const LabHttpServer *server);
guint lab_http_server_held (const LabHttpServer *server);

/* Answers, once. The response is only borrowed and may serve any number of requests.
 * The block lives on until ended(). Does nothing if the request was dropped. */
void lab_http_respond (LabHttpRequest *request, const LabHttpResponse *response);

/* Closes the connection without an answer. */
void lab_http_drop (LabHttpRequest *request);

/* From now on, hung_up() is called once if the client leaves before the answer. (A
 * client that only closes its sending side counts as gone.) Costs two system calls, so
 * use it only for a request that has to wait. A second call, or a server without
 * hung_up(), changes nothing. */
void lab_http_watch (LabHttpRequest *request);

/* A response made once and sent many times. @header: a further header with its
 * value ("Retry-After", "1"), or NULL. Returns: (transfer full) */
LabHttpResponse *lab_http_response_new (guint status, const char *content_type, const char *body, const char *header,
                                        const char *value);
void lab_http_response_free (LabHttpResponse *response);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpResponse, lab_http_response_free)

G_END_DECLS
