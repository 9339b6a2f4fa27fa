#include "client.h"

#include "answer.h"
#include "easy.h"
#include "sockets.h"
#include "syntax.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_PER_DISPATCH 256
#define CONNECTIONS_KEPT 65536 /* as many as there are ports: never close one that can be used again */

G_DEFINE_QUARK (lab - http - client - error, lab_http_client_error)

struct _LabHttpClient
{
  LabTarget target;
  LabHttpClientOptions options;
  LabHttpCounters counters;
  CURLM *multi;
  CURLU *url;
  struct curl_slist *headers;
  struct curl_slist *resolved; /* the name and its addresses, for libcurl */
  GSource *source;
  int epoll_fd;
  GArray *watched; /* Watched, by descriptor */
  gint64 due_us;   /* when libcurl wants to be called; G_MAXINT64: not at all */
  guint inflight;
};

typedef struct
{
  LabCall call;
  LabHttpClient *client;
  gboolean is_active; /* libcurl has it */
  LabHttpAnswer answer;
} HttpCall;

/* libcurl's sockets behind our epoll.
 *
 * libcurl stops watching a kept connection after each request and starts again for the
 * next one. We save those system calls: the socket stays registered, and is taken out
 * only when an event comes that libcurl does not want (the server has closed it).
 *
 * When a socket is closed, the kernel forgets its registration, and the next socket gets
 * its number. libcurl closes most sockets through close_socket(), but not all. So a new
 * socket starts as not registered; should the kernel know better, watch_socket() adapts. */

typedef struct
{
  guint8 wanted;     /* CURL_POLL_IN, CURL_POLL_OUT, or both */
  guint8 registered; /* the same, as the kernel knows it */
} Watched;

static Watched *
watched_of (LabHttpClient *self, int fd)
{
  if ((guint) fd >= self->watched->len)
    g_array_set_size (self->watched, (guint) fd + 64);
  return &g_array_index (self->watched, Watched, fd);
}

/* FALSE when @fd cannot be watched: it is closed, or there is no memory. */
static gboolean
watch_socket (LabHttpClient *self, int fd, const Watched *watched)
{
  struct epoll_event event = { .data.fd = fd };
  int operation = watched->registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

  if (watched->wanted & CURL_POLL_IN)
    event.events |= EPOLLIN;
  if (watched->wanted & CURL_POLL_OUT)
    event.events |= EPOLLOUT;
  if (epoll_ctl (self->epoll_fd, operation, fd, &event) == 0)
    return TRUE;
  if (errno != ENOENT && errno != EEXIST)
    return FALSE;
  operation = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  return epoll_ctl (self->epoll_fd, operation, fd, &event) == 0;
}

static gboolean
register_socket (LabHttpClient *self, int fd, Watched *watched)
{
  gboolean is_watched = TRUE;

  if (watched->wanted == watched->registered)
    return TRUE;
  if (watched->wanted == 0)
    epoll_ctl (self->epoll_fd, EPOLL_CTL_DEL, fd, NULL); /* fails if it is closed, which is as good */
  else
    is_watched = watch_socket (self, fd, watched);
  watched->registered = is_watched ? watched->wanted : 0;
  return is_watched;
}

static int
socket_changed (CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data)
{
  LabHttpClient *self = data;
  Watched *watched = watched_of (self, fd);

  (void) easy, (void) socket_data;
  watched->wanted = what == CURL_POLL_REMOVE ? 0 : (guint8) what;
  if (watched->wanted != 0 && !register_socket (self, fd, watched))
    g_critical ("epoll_ctl: %s", g_strerror (errno));
  return 0;
}

/* The last word on addresses: whatever libcurl takes the URL to mean, it gets no socket
 * to a remote address unless that is allowed. */
static curl_socket_t
open_socket (void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
  HttpCall *call = data;
  int fd;

  (void) purpose;
  if (!call->client->options.allow_remote && !lab_is_loopback (&address->addr))
    {
      call->answer.socket_errno = EACCES;
      return CURL_SOCKET_BAD;
    }
  fd = socket (address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0)
    {
      call->answer.socket_errno = errno;
      return CURL_SOCKET_BAD;
    }
  *watched_of (call->client, fd) = (Watched) { 0 };
  return fd;
}

static int
close_socket (void *data, curl_socket_t fd)
{
  LabHttpClient *self = data;

  *watched_of (self, fd) = (Watched) { 0 };
  return close (fd);
}

static int
timer_changed (CURLM *multi, long timeout_ms, void *data)
{
  LabHttpClient *self = data;

  (void) multi;
  /* For source_prepare(). g_source_set_ready_time() would wake the main loop each time. */
  self->due_us = timeout_ms < 0 ? G_MAXINT64 : g_get_monotonic_time () + timeout_ms * 1000;
  return 0;
}

static void
finish_done (LabHttpClient *self)
{
  CURLMsg *message;
  int left;

  while ((message = curl_multi_info_read (self->multi, &left)) != NULL)
    {
      CURLcode result = message->data.result;
      HttpCall *call = NULL;
      LabOutcome outcome;

      curl_easy_getinfo (message->easy_handle, CURLINFO_PRIVATE, (char **) &call);
      outcome = lab_http_answer_judge (&call->answer, result);
      curl_multi_remove_handle (self->multi, call->answer.easy);
      call->is_active = FALSE;
      self->inflight--;
      lab_call_finish (&call->call, outcome);
    }
}

static void
handle_events (LabHttpClient *self)
{
  struct epoll_event events[EVENTS_PER_DISPATCH];
  int n = epoll_wait (self->epoll_fd, events, EVENTS_PER_DISPATCH, 0);
  int running;

  for (int i = 0; i < n; i++)
    {
      int fd = events[i].data.fd;
      Watched *watched = watched_of (self, fd);
      int what = 0;

      if (watched->wanted == 0)
        {
          register_socket (self, fd, watched);
          continue;
        }
      if (events[i].events & EPOLLIN)
        what |= CURL_CSELECT_IN;
      if (events[i].events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
      if (events[i].events & (EPOLLERR | EPOLLHUP))
        what |= CURL_CSELECT_ERR;
      curl_multi_socket_action (self->multi, fd, what, &running);
    }
}

typedef struct
{
  GSource source;
  LabHttpClient *client;
  gpointer tag;
} ClientSource;

static gboolean
source_prepare (GSource *source, int *timeout_ms)
{
  gint64 due_us = ((ClientSource *) source)->client->due_us;
  gint64 wait_us;

  *timeout_ms = -1;
  if (due_us == G_MAXINT64)
    return FALSE;
  wait_us = due_us - g_source_get_time (source);
  *timeout_ms = (int) CLAMP ((wait_us + 999) / 1000, 0, G_MAXINT);
  return wait_us <= 0;
}

static gboolean
source_check (GSource *source)
{
  ClientSource *self = (ClientSource *) source;

  return g_source_query_unix_fd (source, self->tag) != 0 || self->client->due_us <= g_source_get_time (source);
}

static gboolean
source_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  LabHttpClient *self = ((ClientSource *) source)->client;
  int running;

  (void) callback, (void) data;
  handle_events (self);
  if (self->due_us <= g_get_monotonic_time ())
    {
      self->due_us = G_MAXINT64;
      curl_multi_socket_action (self->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
  finish_done (self);
  return G_SOURCE_CONTINUE;
}

/* As a target. */

static void
set_request (LabHttpClient *self, CURL *easy)
{
  const LabHttpClientOptions *options = &self->options;
  char *part = NULL;

  curl_url_get (self->url, CURLUPART_URL, &part, 0);
  curl_easy_setopt (easy, CURLOPT_URL, part);
  curl_free (part);
  curl_easy_setopt (easy, CURLOPT_HTTPHEADER, self->headers);
  curl_easy_setopt (easy, CURLOPT_RESOLVE, self->resolved);
  if (options->body != NULL)
    {
      curl_easy_setopt (easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) strlen (options->body));
      curl_easy_setopt (easy, CURLOPT_POSTFIELDS, options->body);
    }
  if (options->method != NULL && g_str_equal (options->method, "HEAD"))
    curl_easy_setopt (easy, CURLOPT_NOBODY, 1L);
  else if (options->method != NULL)
    curl_easy_setopt (easy, CURLOPT_CUSTOMREQUEST, options->method);
}

static void
http_prepare (LabTarget *target, LabCall *head)
{
  LabHttpClient *self = LAB_OWNER_OF (target, LabHttpClient, target);
  HttpCall *call = (HttpCall *) head;
  CURL *easy = lab_http_easy_new (self->options.insecure);

  call->client = self;
  lab_http_answer_init (&call->answer, easy, &self->counters);
  set_request (self, easy);
  curl_easy_setopt (easy, CURLOPT_PRIVATE, call);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETDATA, call);
  curl_easy_setopt (easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt (easy, CURLOPT_CLOSESOCKETDATA, self);
}

static void
http_dispose (LabTarget *target, LabCall *head)
{
  (void) target;
  curl_easy_cleanup (((HttpCall *) head)->answer.easy);
}

static void
finish_unsent (HttpCall *call, LabHttpError error)
{
  call->client->counters.errors[error]++;
  lab_call_finish (&call->call, LAB_UNSENT);
}

static void
http_start (LabTarget *target, LabCall *head)
{
  LabHttpClient *self = LAB_OWNER_OF (target, LabHttpClient, target);
  HttpCall *call = (HttpCall *) head;

  if (self->options.max_inflight > 0 && self->inflight >= self->options.max_inflight)
    {
      finish_unsent (call, LAB_HTTP_OVER_MAX_INFLIGHT);
      return;
    }
  lab_http_answer_begin (&call->answer);
  if (curl_multi_add_handle (self->multi, call->answer.easy) != CURLM_OK)
    {
      finish_unsent (call, LAB_HTTP_OUT_OF_MEMORY); /* the only reason; any other would be a bug of ours */
      return;
    }
  call->is_active = TRUE;
  self->inflight++;
}

static void
http_abandon (LabTarget *target, LabCall *head)
{
  LabHttpClient *self = LAB_OWNER_OF (target, LabHttpClient, target);
  HttpCall *call = (HttpCall *) head;

  g_return_if_fail (call->is_active);
  curl_multi_remove_handle (self->multi, call->answer.easy); /* closes its connection, or resets its stream */
  call->is_active = FALSE;
  self->inflight--;
  self->counters.abandoned++;
  lab_call_finish (head, LAB_TIMEOUT);
}

/* Its life. */

static gboolean
parse_url (LabHttpClient *self, GError **error)
{
  g_autofree char *shown = lab_http_url_to_show (self->options.url);
  g_autofree char *scheme = NULL;
  char *part = NULL;
  CURLUcode code;

  self->url = curl_url ();
  code = curl_url_set (self->url, CURLUPART_URL, self->options.url, CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME);
  if (code == CURLUE_OK)
    code = curl_url_get (self->url, CURLUPART_SCHEME, &part, 0);
  scheme = g_strdup (part);
  curl_free (part);
  if (code != CURLUE_OK)
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_URL, "'%s' is not a URL: %s", shown,
                 curl_url_strerror (code));
  else if (!g_str_equal (scheme, "http") && !g_str_equal (scheme, "https"))
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_URL, "'%s' is neither http nor https", shown);
  else
    return TRUE;
  return FALSE;
}

/* The address as libcurl wants it in a list of resolved names. It does not take one that
 * names an interface ("fe80::1%eth0"); NULL then. Returns: (transfer full) */
static char *
text_of_address (const struct addrinfo *info)
{
  char text[NI_MAXHOST];

  if (getnameinfo (info->ai_addr, info->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0
      || strchr (text, '%') != NULL)
    return NULL;
  return info->ai_family == AF_INET6 ? g_strdup_printf ("[%s]", text) : g_strdup (text);
}

/* Checks every address of @host, and notes them for libcurl, so that it never asks a
 * name server again. */
static gboolean
take_addresses (LabHttpClient *self, const char *host, const char *port, const struct addrinfo *list, GError **error)
{
  g_autoptr (GString) entry = g_string_new (NULL);

  g_string_printf (entry, "%s:%s:", host, port);
  for (const struct addrinfo *info = list; info != NULL; info = info->ai_next)
    {
      g_autofree char *text = text_of_address (info);

      if (!self->options.allow_remote && !lab_is_loopback (info->ai_addr))
        {
          g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_REMOTE,
                       "%s is another machine (%s); load tests go to this one only, unless --allow-remote is given",
                       host, text == NULL ? "link-local" : text);
          return FALSE;
        }
      if (text == NULL)
        {
          g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_RESOLVE,
                       "%s has an address that cannot be used by name; give the address itself", host);
          return FALSE;
        }
      g_string_append_printf (entry, "%s%s", info == list ? "" : ",", text);
    }
  if (*host != '[')
    self->resolved = curl_slist_append (NULL, entry->str);
  return TRUE;
}

static gboolean
resolve (LabHttpClient *self, GError **error)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct addrinfo *list = NULL;
  g_autofree char *name = NULL;
  char *host = NULL;
  char *port = NULL;
  gboolean done = FALSE;
  int code;

  curl_url_get (self->url, CURLUPART_HOST, &host, 0);
  curl_url_get (self->url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
  name = *host == '[' ? g_strndup (host + 1, strlen (host) - 2) : g_strdup (host);
  code = getaddrinfo (name, port, &hints, &list);
  if (code == 0)
    done = take_addresses (self, host, port, list, error);
  else
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_RESOLVE, "the name '%s' cannot be resolved: %s",
                 host, gai_strerror (code));
  g_clear_pointer (&list, freeaddrinfo);
  curl_free (host);
  curl_free (port);
  return done;
}

/* Anything else in it would become part of the request's first line, or a line of its own. */
static gboolean
check_method (const char *method, GError **error)
{
  if (method == NULL || lab_http_is_token (method, strlen (method)))
    return TRUE;
  g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED,
               "--method=%s makes no sense: allowed is one word, such as GET", method);
  return FALSE;
}

static gboolean
is_header (const char *text)
{
  const char *colon = strchr (text, ':');

  return colon != NULL && lab_http_is_token (text, (gsize) (colon - text))
         && lab_http_is_field_value (colon + 1, strlen (colon + 1));
}

static gboolean
take_headers (LabHttpClient *self, GError **error)
{
  const char *const *headers = self->options.headers;

  if (self->options.body != NULL)
    self->headers = curl_slist_append (NULL, "Expect:"); /* never wait for a "100 Continue" */
  for (; headers != NULL && *headers != NULL; headers++)
    {
      if (!is_header (*headers))
        {
          g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED,
                       "--header=%s makes no sense: allowed is 'Name: value', without a space in the name and without "
                       "control characters",
                       *headers);
          return FALSE;
        }
      self->headers = curl_slist_append (self->headers, *headers);
    }
  return TRUE;
}

static void
attach_source (LabHttpClient *self)
{
  ClientSource *source;
  static GSourceFuncs funcs = { .prepare = source_prepare, .check = source_check, .dispatch = source_dispatch };

  self->source = g_source_new (&funcs, sizeof (ClientSource));
  source = (ClientSource *) self->source;
  source->client = self;
  source->tag = g_source_add_unix_fd (self->source, self->epoll_fd, G_IO_IN);
  g_source_set_static_name (self->source, "lab-http-client");
  g_source_attach (self->source, g_main_context_get_thread_default ());
}

static gboolean
start_library (LabHttpClient *self, GError **error)
{
  self->multi = curl_multi_init ();
  self->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (self->multi == NULL || self->epoll_fd < 0)
    {
      g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "cannot make an HTTP client: %s",
                   g_strerror (errno));
      return FALSE;
    }
  attach_source (self);
  curl_multi_setopt (self->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
  curl_multi_setopt (self->multi, CURLMOPT_SOCKETDATA, self);
  curl_multi_setopt (self->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
  curl_multi_setopt (self->multi, CURLMOPT_TIMERDATA, self);
  curl_multi_setopt (self->multi, CURLMOPT_MAXCONNECTS, (long) CONNECTIONS_KEPT);
  return TRUE;
}

LabHttpClient *
lab_http_client_new (const LabHttpClientOptions *options, GError **error)
{
  g_autoptr (LabHttpClient) self = g_new0 (LabHttpClient, 1);

  lab_http_curl_init ();
  lab_raise_file_limit ();
  self->options = *options;
  self->options.url = g_strdup (options->url);
  self->options.method = g_strdup (options->method);
  self->options.body = g_strdup (options->body);
  self->epoll_fd = -1;
  self->due_us = G_MAXINT64;
  self->watched = g_array_new (FALSE, TRUE, sizeof (Watched));
  self->target = (LabTarget) {
    .call_size = sizeof (HttpCall),
    .prepare = http_prepare,
    .dispose = http_dispose,
    .start = http_start,
    .abandon = http_abandon,
  };
  if (!check_method (self->options.method, error) || !parse_url (self, error) || !resolve (self, error)
      || !take_headers (self, error) || !start_library (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
lab_http_client_free (LabHttpClient *self)
{
  g_return_if_fail (self->inflight == 0);

  if (self->multi != NULL)
    curl_multi_cleanup (self->multi);
  if (self->source != NULL)
    {
      g_source_destroy (self->source);
      g_source_unref (self->source);
    }
  if (self->epoll_fd >= 0)
    close (self->epoll_fd);
  curl_url_cleanup (self->url);
  curl_slist_free_all (self->headers);
  curl_slist_free_all (self->resolved);
  g_array_unref (self->watched);
  g_free (self->counters.first_503_retry_after);
  g_free ((char *) self->options.url);
  g_free ((char *) self->options.method);
  g_free ((char *) self->options.body);
  g_free (self);
}

LabTarget *
lab_http_client_target (LabHttpClient *self)
{
  return &self->target;
}

const LabHttpCounters *
lab_http_client_counters (const LabHttpClient *self)
{
  return &self->counters;
}

void
lab_http_client_reset_counters (LabHttpClient *self)
{
  g_free (self->counters.first_503_retry_after);
  self->counters = (LabHttpCounters) { 0 };
}
