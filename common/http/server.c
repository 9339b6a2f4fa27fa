#include "server.h"

#include "sockets.h"
#include "syntax.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* How a request goes through the library: on_target() is called with the first line,
 * then on_request() with the headers alone (an answer given there closes the
 * connection), for each piece of a body, and once more at the end, where the route is
 * run. A request that is not answered by then is suspended: the library ignores its
 * socket until it is resumed. The answer is then queued and the request resumed, and
 * the library sends it the next time it runs, which the GSource below sees to. */

#define BACKLOG 4096
#define IDLE_TIMEOUT_S 60
#define FILES_KEPT_FREE 64 /* of the process's limit, for everything that is not a connection; half of a small one */
#define FILES_KEPT_LEAST 16
#define BODY_MAX (64 * 1024)
#define CONNECTION_MEMORY (16 * 1024) /* bounds a request's line and headers, too */
#define HANG_UPS_PER_DISPATCH 256
#define REFUSED_AMONG 64 /* see on_log() */

typedef enum
{
  STATE_HEADERS,  /* are still to come */
  STATE_READING,  /* a body may still come */
  STATE_REFUSED,  /* no handler has seen it, and none will */
  STATE_HANDLED,  /* the route is running right now */
  STATE_HELD,     /* suspended until somebody answers */
  STATE_ANSWERED, /* the library has the response */
  STATE_DROPPED   /* to be closed */
} State;

struct _LabHttpResponse
{
  guint status;
  struct MHD_Response *response;
};

struct _LabHttpServer
{
  LabHttpServerOptions options;
  struct MHD_Daemon *daemon;
  GSource *source;
  GSource *hang_ups;
  int hang_ups_fd; /* an epoll of watched sockets */
  guint16 port;
  guint connections;
  gboolean must_run;   /* something was resumed, or a connection has gone */
  gboolean is_running; /* inside the library: do not enter it again */
  gboolean is_closing; /* no route is run any more */
  GQueue held;
  GQueue at_headers; /* the newest first */
  GPtrArray *spare;  /* blocks */
  LabHttpResponse *bad_request, *not_found, *not_allowed, *too_large;
};

/* Responses */

LabHttpResponse *
lab_http_response_new (guint status, const char *content_type, const char *body, const char *header, const char *value)
{
  LabHttpResponse *self = g_new0 (LabHttpResponse, 1);

  self->status = status;
  self->response = MHD_create_response_from_buffer (strlen (body), (void *) body, MHD_RESPMEM_MUST_COPY);
  if (self->response == NULL)
    g_error ("no memory for a response");
  MHD_add_response_header (self->response, "Content-Type", content_type);
  if (header != NULL)
    MHD_add_response_header (self->response, header, value);
  return self;
}

void
lab_http_response_free (LabHttpResponse *response)
{
  MHD_destroy_response (response->response); /* reference-counted: answers still being sent keep it */
  g_free (response);
}

/* Requests */

static LabHttpRequest *
request_new (LabHttpServer *self, struct MHD_Connection *connection)
{
  LabHttpRequest *request;

  if (self->spare->len > 0)
    request = g_ptr_array_steal_index_fast (self->spare, self->spare->len - 1);
  else
    request = g_malloc (self->options.request_size);
  memset (request, 0, self->options.request_size);
  request->server = self;
  request->connection = connection;
  request->link.data = request;
  g_queue_push_head_link (&self->at_headers, &request->link);
  return request;
}

static int
request_socket (LabHttpRequest *request)
{
  return MHD_get_connection_info (request->connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void
request_unwatch (LabHttpRequest *request)
{
  if (!request->is_watched)
    return;
  request->is_watched = FALSE;
  epoll_ctl (request->server->hang_ups_fd, EPOLL_CTL_DEL, request_socket (request), NULL);
}

static void
request_resume (LabHttpRequest *request)
{
  LabHttpServer *self = request->server;

  request_unwatch (request);
  g_queue_unlink (&self->held, &request->link);
  MHD_resume_connection (request->connection);
  self->must_run = TRUE;
}

void
lab_http_respond (LabHttpRequest *request, const LabHttpResponse *response)
{
  gboolean was_held = request->state == STATE_HELD;

  if (request->state == STATE_DROPPED)
    return;
  g_return_if_fail (was_held || request->state == STATE_HANDLED);

  /* This works for a suspended request, too. */
  if (MHD_queue_response (request->connection, response->status, response->response) == MHD_YES)
    request->state = STATE_ANSWERED;
  else
    request->state = STATE_DROPPED;
  if (was_held)
    request_resume (request);
}

void
lab_http_drop (LabHttpRequest *request)
{
  gboolean was_held = request->state == STATE_HELD;

  g_return_if_fail (was_held || request->state == STATE_HANDLED);

  request->state = STATE_DROPPED;
  if (was_held)
    request_resume (request);
}

void
lab_http_watch (LabHttpRequest *request)
{
  struct epoll_event event = { .events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = request };

  g_return_if_fail (request->state == STATE_HANDLED || request->state == STATE_HELD);

  if (request->is_watched || request->server->options.hung_up == NULL)
    return;
  request->is_watched = epoll_ctl (request->server->hang_ups_fd, EPOLL_CTL_ADD, request_socket (request), &event) == 0;
}

/* Which requests are let in. The library parses strictly, but it takes the first of
 * two lengths and accepts a length beside a transfer coding. Two readers of such a
 * request may disagree on where it ends (RFC 9112, section 6.3). */

typedef struct
{
  guint lengths, codings, hosts;
  gboolean is_malformed;
  guint64 length;
} Headers;

static enum MHD_Result
look_at_header (void *data, enum MHD_ValueKind kind, const char *key, size_t key_length, const char *value,
                size_t value_length)
{
  Headers *headers = data;

  (void) kind;
  if (value == NULL)
    value = "";
  if (!lab_http_is_token (key, key_length) || !lab_http_is_field_value (value, value_length))
    headers->is_malformed = TRUE;
  else if (g_ascii_strcasecmp (key, "Content-Length") == 0)
    {
      headers->lengths++;
      if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT64, &headers->length, NULL))
        headers->is_malformed = TRUE;
    }
  else if (g_ascii_strcasecmp (key, "Transfer-Encoding") == 0)
    {
      headers->codings++;
      if (g_ascii_strcasecmp (value, "chunked") != 0)
        headers->is_malformed = TRUE;
    }
  else if (g_ascii_strcasecmp (key, "Host") == 0)
    headers->hosts++;
  return headers->is_malformed ? MHD_NO : MHD_YES;
}

/* The library hands over the three words of the first line as C strings. A NUL in one
 * of them cuts it short, and then the words do not add up to the line. */
static gboolean
is_first_line_whole (const LabHttpRequest *request, const char *method, const char *url, const char *version)
{
  return method + strlen (method) + 1 == url && version == request->version_due;
}

/* Returns the refusal, or NULL when the request may go on. */
static const LabHttpResponse *
refusal_of (const LabHttpRequest *request, const char *method, const char *url, const char *version)
{
  LabHttpServer *self = request->server;
  Headers headers = { 0 };
  gboolean is_old = g_str_equal (version, MHD_HTTP_VERSION_1_0);

  MHD_get_connection_values_n (request->connection, MHD_HEADER_KIND, look_at_header, &headers);
  if (headers.is_malformed || !is_first_line_whole (request, method, url, version)
      || !lab_http_is_token (method, strlen (method)) || headers.lengths + headers.codings > 1 || headers.hosts > 1
      || (headers.hosts == 0 && !is_old) || (headers.codings > 0 && is_old))
    return self->bad_request;
  if (headers.length > BODY_MAX)
    return self->too_large;
  return NULL;
}

static void
run_route (LabHttpRequest *request, const char *url, const char *method)
{
  LabHttpServer *self = request->server;
  const LabHttpServerOptions *options = &self->options;

  request->state = STATE_HANDLED;
  if (options->arrived != NULL && options->arrived (request, options->data))
    return;
  for (guint i = 0; i < options->n_routes; i++)
    {
      if (!g_str_equal (url, options->routes[i].path))
        continue;
      if (g_str_equal (method, MHD_HTTP_METHOD_GET) || g_str_equal (method, MHD_HTTP_METHOD_HEAD))
        options->routes[i].handle (request, options->data);
      else
        lab_http_respond (request, self->not_allowed);
      return;
    }
  lab_http_respond (request, self->not_found);
}

/* The library's callbacks: see the top of this file. */

static void *
on_target (void *data, const char *target, struct MHD_Connection *connection)
{
  LabHttpRequest *request = request_new (data, connection);

  request->version_due = target + strlen (target) + 1;
  return request;
}

static void
leave_headers (LabHttpRequest *request, State state)
{
  g_queue_unlink (&request->server->at_headers, &request->link);
  request->state = state;
}

static enum MHD_Result
on_request (void *data, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
            const char *body, size_t *body_size, void **request_data)
{
  LabHttpRequest *request = *request_data;

  (void) data, (void) body;
  if (request->state == STATE_HEADERS)
    {
      const LabHttpResponse *refusal = refusal_of (request, method, url, version);

      leave_headers (request, STATE_READING);
      /* An answer at this point closes the connection, which is wanted here: whatever
       * follows on it cannot be trusted. */
      if (refusal != NULL)
        return MHD_queue_response (connection, refusal->status, refusal->response);
      return MHD_YES;
    }
  if (*body_size > 0)
    {
      request->body_bytes += *body_size;
      *body_size = 0;
      return request->body_bytes <= BODY_MAX ? MHD_YES : MHD_NO;
    }
  if (request->state == STATE_READING && request->server->is_closing)
    request->state = STATE_REFUSED;
  else if (request->state == STATE_READING)
    run_route (request, url, method);
  if (request->state == STATE_HANDLED)
    {
      request->state = STATE_HELD;
      g_queue_push_tail_link (&request->server->held, &request->link);
      MHD_suspend_connection (connection);
    }
  return request->state == STATE_DROPPED || request->state == STATE_REFUSED ? MHD_NO : MHD_YES;
}

static void
on_completed (void *data, struct MHD_Connection *connection, void **request_data, enum MHD_RequestTerminationCode code)
{
  LabHttpServer *self = data;
  LabHttpRequest *request = *request_data;

  (void) connection, (void) code;
  if (request == NULL)
    return;
  if (request->state == STATE_HEADERS)
    leave_headers (request, STATE_REFUSED);
  if (request->state > STATE_REFUSED && self->options.ended != NULL)
    self->options.ended (request, self->options.data);
  request_unwatch (request);
  g_ptr_array_add (self->spare, request);
  *request_data = NULL;
}

/* At its limit of connections or files the library stops listening. It starts again only
 * when it is run after a connection has gone, and nothing else might run it. */
static void
on_connection (void *data, struct MHD_Connection *connection, void **connection_data,
               enum MHD_ConnectionNotificationCode code)
{
  LabHttpServer *self = data;

  (void) connection, (void) connection_data;
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    {
      self->connections++;
      return;
    }
  self->connections--;
  self->must_run = TRUE;
}

/* Decoded, a "%00" would end the path early, and another route might match it. Such a
 * path is left as it was sent, and then it matches none. */
static size_t
unescape (void *data, struct MHD_Connection *connection, char *text)
{
  (void) data, (void) connection;
  return strstr (text, "%00") != NULL ? strlen (text) : MHD_http_unescape (text);
}

/* Its GSource. */

typedef struct
{
  GSource source;
  LabHttpServer *server;
  gpointer tag;
} ServerSource;

static gboolean
source_prepare (GSource *source, int *timeout_ms)
{
  LabHttpServer *self = ((ServerSource *) source)->server;
  MHD_UNSIGNED_LONG_LONG wait_ms;

  *timeout_ms = -1;
  if (self->must_run)
    return TRUE;
  if (MHD_get_timeout (self->daemon, &wait_ms) == MHD_YES)
    *timeout_ms = (int) MIN (wait_ms, G_MAXINT);
  return *timeout_ms == 0; /* it has read more than it has processed */
}

static gboolean
source_check (GSource *source)
{
  ServerSource *self = (ServerSource *) source;
  int timeout_ms;

  return g_source_query_unix_fd (source, self->tag) != 0 || source_prepare (source, &timeout_ms);
}

static gboolean
source_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  LabHttpServer *self = ((ServerSource *) source)->server;

  (void) callback, (void) data;
  self->must_run = FALSE;
  self->is_running = TRUE;
  MHD_run (self->daemon);
  self->is_running = FALSE;
  return G_SOURCE_CONTINUE;
}

static void
attach_source (LabHttpServer *self)
{
  static GSourceFuncs funcs = { .prepare = source_prepare, .check = source_check, .dispatch = source_dispatch };
  int fd = MHD_get_daemon_info (self->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  ServerSource *source;

  self->source = g_source_new (&funcs, sizeof (ServerSource));
  source = (ServerSource *) self->source;
  source->server = self;
  source->tag = g_source_add_unix_fd (self->source, fd, G_IO_IN);
  g_source_set_static_name (self->source, "lab-http-server");
  g_source_attach (self->source, g_main_context_get_thread_default ());
}

/* Tells the owners of watched requests. A callback may answer other requests, which
 * must not be reported after that: so events are fetched one at a time, not in batches. */
static gboolean
on_hang_up (int fd, GIOCondition condition, gpointer data)
{
  LabHttpServer *self = data;
  struct epoll_event event;

  (void) condition;
  for (guint i = 0; i < HANG_UPS_PER_DISPATCH && epoll_wait (fd, &event, 1, 0) == 1; i++)
    {
      LabHttpRequest *request = event.data.ptr;

      request_unwatch (request);
      self->options.hung_up (request, self->options.data);
    }
  return G_SOURCE_CONTINUE;
}

static gboolean
attach_hang_ups (LabHttpServer *self, GError **error)
{
  self->hang_ups_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (self->hang_ups_fd < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot watch sockets: %s", g_strerror (errno));
      return FALSE;
    }
  self->hang_ups = g_unix_fd_source_new (self->hang_ups_fd, G_IO_IN);
  g_source_set_callback (self->hang_ups, G_SOURCE_FUNC (on_hang_up), self, NULL);
  g_source_set_static_name (self->hang_ups, "lab-http-hang-ups");
  g_source_attach (self->hang_ups, g_main_context_get_thread_default ());
  return TRUE;
}

/* Its life. */

/* Refuses a request for its headers in place of the library; see on_log(). */
static void
refuse_headers (LabHttpRequest *request)
{
  static const char refusal[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  int fd = request_socket (request);

  leave_headers (request, STATE_REFUSED);
  if (send (fd, refusal, sizeof refusal - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    {
      /* The client has left. */
    }
  shutdown (fd, SHUT_WR);
}

/* The library's log lines are discarded: they are about what clients do wrong, and
 * writing them out would be work done for requests that are refused.
 *
 * One kind of line calls for action, though. libmicrohttpd 0.9.75 sends its 400 twice
 * when it refuses complete headers by itself (no Host, or a length that is not a number);
 * 1.0.1 does not. So we send the 400 ourselves and shut the socket down before the
 * library gets to it.
 *
 * The log does not say which request a line is about. It is the one whose headers are
 * complete, so that their size is known, but were never given to on_request(). It is
 * among the newest in nearly every case. We look no further than that, because with
 * thousands of half-sent requests each refusal would cost a walk past all of them. One
 * that is missed gets the double 400. */
static void
on_log (void *data, const char *format, va_list arguments)
{
  LabHttpServer *self = data;
  GList *link = self->at_headers.head;

  (void) format, (void) arguments;
  if (MHD_VERSION >= 0x01000000)
    return;
  for (guint i = 0; i < REFUSED_AMONG && link != NULL; i++, link = link->next)
    {
      LabHttpRequest *request = link->data;
      const union MHD_ConnectionInfo *size
          = MHD_get_connection_info (request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

      if (size != NULL && size->header_size > 0)
        {
          refuse_headers (request);
          return;
        }
    }
}

/* Whether the library closes the socket when it fails to start depends on the reason
 * and the version (0.9.75 mostly leaves it open, 1.0.1 closes it). If it has, another
 * thread may already have a file of the same number. */
static void
close_if_still_ours (int fd, const struct stat *ours)
{
  struct stat now;

  if (fstat (fd, &now) == 0 && now.st_dev == ours->st_dev && now.st_ino == ours->st_ino)
    close (fd);
}

/* We make the socket ourselves, to be able to say what is wrong with it, and pass it
 * on to the library. */
static gboolean
start_daemon (LabHttpServer *self, GError **error)
{
  guint files = lab_raise_file_limit ();
  guint files_kept = CLAMP (files / 2, FILES_KEPT_LEAST, FILES_KEPT_FREE);
  guint connections = MAX (files, files_kept + 1) - files_kept;
  guint idle_s = self->options.idle_timeout_s > 0 ? self->options.idle_timeout_s : IDLE_TIMEOUT_S;
  int fd = lab_bind_loopback (&self->port, error);
  struct stat socket_itself;

  if (fd < 0)
    return FALSE;
  if (listen (fd, BACKLOG) != 0 || fstat (fd, &socket_itself) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot listen on 127.0.0.1 port %u: %s",
                   self->port, g_strerror (errno));
      close (fd);
      return FALSE;
    }
  errno = 0; /* the library does not always set it */
  self->daemon = MHD_start_daemon (
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, self->port, NULL, NULL, on_request, self,
      MHD_OPTION_EXTERNAL_LOGGER, on_log, self, MHD_OPTION_URI_LOG_CALLBACK, on_target, self, MHD_OPTION_LISTEN_SOCKET,
      fd, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_s,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, self,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, self, MHD_OPTION_END);
  if (self->daemon != NULL)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "libmicrohttpd does not start on 127.0.0.1 port %u: %s",
               self->port, errno == 0 ? "it does not say why" : g_strerror (errno));
  close_if_still_ours (fd, &socket_itself);
  return FALSE;
}

LabHttpServer *
lab_http_server_new (const LabHttpServerOptions *options, GError **error)
{
  LabHttpServer *self = g_new0 (LabHttpServer, 1);

  self->options = *options;
  self->port = options->port;
  self->options.request_size = MAX (options->request_size, sizeof (LabHttpRequest));
  self->hang_ups_fd = -1;
  self->spare = g_ptr_array_new_with_free_func (g_free);
  self->bad_request = lab_http_response_new (400, "text/plain", "Bad Request", "Connection", "close");
  self->too_large = lab_http_response_new (413, "text/plain", "Content Too Large", "Connection", "close");
  self->not_found = lab_http_response_new (404, "text/plain", "Not Found", NULL, NULL);
  self->not_allowed = lab_http_response_new (405, "text/plain", "Method Not Allowed", "Allow", "GET, HEAD");

  if (!start_daemon (self, error) || !attach_hang_ups (self, error))
    {
      lab_http_server_free (self);
      return NULL;
    }
  attach_source (self);
  return self;
}

static void
destroy_source (GSource *source)
{
  if (source == NULL)
    return;
  g_source_destroy (source);
  g_source_unref (source);
}

void
lab_http_server_free (LabHttpServer *self)
{
  g_return_if_fail (!self->is_running);

  if (self->daemon != NULL)
    {
      lab_http_server_stop_listening (self);
      self->is_closing = TRUE;
      while (self->held.head != NULL)
        lab_http_drop (self->held.head->data);
      MHD_run (self->daemon);         /* closes the dropped ones, sends what was answered, and may read new requests */
      MHD_stop_daemon (self->daemon); /* aborts if a request is suspended */
    }
  destroy_source (self->source);
  destroy_source (self->hang_ups);
  if (self->hang_ups_fd >= 0)
    close (self->hang_ups_fd);
  lab_http_response_free (self->bad_request);
  lab_http_response_free (self->too_large);
  lab_http_response_free (self->not_found);
  lab_http_response_free (self->not_allowed);
  g_ptr_array_unref (self->spare);
  g_free (self);
}

guint16
lab_http_server_port (const LabHttpServer *self)
{
  return self->port;
}

void
lab_http_server_stop_listening (LabHttpServer *self)
{
  MHD_socket socket = MHD_quiesce_daemon (self->daemon);

  if (socket != MHD_INVALID_SOCKET)
    close (socket);
}

guint
lab_http_server_connections (const LabHttpServer *self)
{
  return self->connections;
}

guint
lab_http_server_held (const LabHttpServer *self)
{
  return g_queue_get_length ((GQueue *) &self->held);
}
