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
 * main context, at the default priority: beside the clock, neither before nor
 * after it. It listens on the loopback address only.
 *
 * One turn of its source handles every connection that is ready; the library knows no
 * bound for it. Whatever else waits on the loop waits for that long. Measured, a core
 * each for server and wrk: under floods of 165,000, 143,000 and 71,000 refusals a second
 * from 64, 1,000 and 4,000 connections, works of 50 ms took 0.7, 2 and 13 ms more on
 * average.
 *
 * A request is the head of a pooled block whose size the owner names, so that
 * what a request needs (a ticket, a timer) stands in the same block and nothing
 * of ours is allocated per request once the pool is warm. The block begins
 * zeroed but for its head. The server refuses malformed and ambiguous requests
 * by itself; no handler ever sees them. */
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
  gsize request_size;   /* bytes of a request's block, the LabHttpRequest at its head included;
                           0: that alone */
  guint idle_timeout_s; /* a connection on which nothing moves is closed; 0: after 60 s.
                           A request that waits for its answer is never idle. */

  /* All may be NULL. */
  gboolean (*arrived) (LabHttpRequest *request, gpointer data); /* before the route; TRUE: it has answered */
  void (*hung_up) (LabHttpRequest *request, gpointer data);     /* of a watched request: the client has left */
  void (*ended) (LabHttpRequest *request, gpointer data);       /* once for every request that came in,
                                                                   answered or not: its block goes */
} LabHttpServerOptions;

struct _LabHttpRequest
{
  /*< private >*/
  LabHttpServer *server;
  struct MHD_Connection *connection;
  GList link;              /* among those whose headers are still to come, or that are held for a later answer */
  const char *version_due; /* where it should stand in the first line */
  guint64 body_bytes;
  guint state;
  gboolean is_watched;
};

/* Returns NULL with @error set (G_IO_ERROR) when the port cannot be had.
 * Returns: (transfer full) */
LabHttpServer *lab_http_server_new (const LabHttpServerOptions *options, GError **error);

/* Requests still held are dropped. Not from inside a callback of the server. */
void lab_http_server_free (LabHttpServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpServer, lab_http_server_free)

guint16 lab_http_server_port (const LabHttpServer *server);

/* No new connection is taken; those that are open, and their requests, go on. */
void lab_http_server_stop_listening (LabHttpServer *server);

/* Connections open now, and requests held for a later answer. */
guint lab_http_server_connections (const LabHttpServer *server);
guint lab_http_server_held (const LabHttpServer *server);

/* Answers, once. The response is only borrowed and may serve any number of
 * requests. The block lives on until ended(). A request that was dropped is left
 * alone. */
void lab_http_respond (LabHttpRequest *request, const LabHttpResponse *response);

/* Closes the connection without an answer. */
void lab_http_drop (LabHttpRequest *request);

/* hung_up() will be called once should the client leave before the answer. (A
 * client that only closes its sending side counts as gone.) Costs two system
 * calls, so ask for it only when a request has to wait. Asked for twice it is no
 * different; without options.hung_up it is nothing. */
void lab_http_watch (LabHttpRequest *request);

/* A response made once and sent many times. @header: a further header with its
 * value ("Retry-After", "1"), or NULL. Returns: (transfer full) */
LabHttpResponse *lab_http_response_new (guint status, const char *content_type, const char *body, const char *header,
                                        const char *value);
void lab_http_response_free (LabHttpResponse *response);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpResponse, lab_http_response_free)

G_END_DECLS
