#include "client.h"

#include "../admission/retry_after.h"
#include "sockets.h"
#include "syntax.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_PER_DISPATCH 256
#define CONNECTIONS_KEPT 65536 /* as many as there are ports: never close one that may serve again */

G_DEFINE_QUARK (lab - http - client - error, lab_http_client_error)

struct _LabHttpClient
{
  LabTarget target;
  LabHttpClientOptions options;
  LabHttpCounters counters;
  CURLM *multi;
  CURLU *url;
  struct curl_slist *headers;
  struct curl_slist *resolved; /* the name and its addresses, for the library */
  GSource *source;
  int epoll_fd;
  GArray *watched; /* guint8 by descriptor: the epoll events it is registered with */
  gint64 due_us;   /* when the library wants to be called; G_MAXINT64: not at all */
  guint inflight;
};

typedef struct
{
  LabCall call;
  LabHttpClient *client;
  CURL *easy;
  gboolean is_active;    /* the library has it */
  guint sends;           /* of this request */
  int socket_errno;      /* of a socket that could not be made; 0 */
  gboolean has_headers;  /* all of them */
  gint64 length;         /* as its headers say; -1: they do not */
  gboolean is_ambiguous; /* they say different ones, or none that is a number */
  char complaint[CURL_ERROR_SIZE];
  gsize body_kept; /* of a 503, while it is the first */
  char body[LAB_HTTP_FIRST_503_BODY + 1];
} HttpCall;

const char *
lab_http_error_name (LabHttpError error)
{
  static const char *const names[LAB_HTTP_N_ERRORS] = {
    [LAB_HTTP_NO_ERROR] = "none",
    [LAB_HTTP_CONNECT_REFUSED] = "connect_refused",
    [LAB_HTTP_CONNECT_FAILED] = "connect_failed",
    [LAB_HTTP_RESET] = "reset",
    [LAB_HTTP_CLOSED] = "closed",
    [LAB_HTTP_INCOMPLETE] = "incomplete",
    [LAB_HTTP_MALFORMED] = "malformed",
    [LAB_HTTP_TOO_LARGE] = "too_large",
    [LAB_HTTP_TLS_CERTIFICATE] = "tls_certificate",
    [LAB_HTTP_TLS_HANDSHAKE] = "tls_handshake",
    [LAB_HTTP_REDIRECT] = "redirect",
    [LAB_HTTP_STATUS] = "status",
    [LAB_HTTP_OTHER] = "other",
    [LAB_HTTP_OUT_OF_PORTS] = "out_of_ports",
    [LAB_HTTP_OUT_OF_FILES] = "out_of_files",
    [LAB_HTTP_OUT_OF_MEMORY] = "out_of_memory",
    [LAB_HTTP_OVER_MAX_INFLIGHT] = "over_max_inflight",
  };

  g_return_val_if_fail (error < LAB_HTTP_N_ERRORS, NULL);
  return names[error];
}

/* Naming what became of a call. */

static LabHttpError
error_of_errno (int number, LabHttpError otherwise)
{
  switch (number)
    {
    case ECONNREFUSED:
      return LAB_HTTP_CONNECT_REFUSED;
    case EADDRNOTAVAIL:
      return LAB_HTTP_OUT_OF_PORTS;
    case EMFILE:
    case ENFILE:
      return LAB_HTTP_OUT_OF_FILES;
    case ENOBUFS:
    case ENOMEM:
      return LAB_HTTP_OUT_OF_MEMORY;
    default:
      return otherwise;
    }
}

static LabHttpError
error_of_connecting (HttpCall *call)
{
  long number = 0;

  if (call->socket_errno != 0)
    return error_of_errno (call->socket_errno, LAB_HTTP_CONNECT_FAILED);
  curl_easy_getinfo (call->easy, CURLINFO_OS_ERRNO, &number);
  return error_of_errno ((int) number, LAB_HTTP_CONNECT_FAILED);
}

static LabHttpError
error_of_result (HttpCall *call, CURLcode result)
{
  switch (result)
    {
    case CURLE_OK:
      /* Headers that break off are an answer to the library. */
      if (!call->has_headers)
        return LAB_HTTP_INCOMPLETE;
      return call->is_ambiguous ? LAB_HTTP_MALFORMED : LAB_HTTP_NO_ERROR;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT: /* the library's own patience with connecting: 5 minutes */
      return error_of_connecting (call);
    case CURLE_GOT_NOTHING:
    case CURLE_ABORTED_BY_CALLBACK: /* only may_send() aborts: closed under it for the second time */
      return LAB_HTTP_CLOSED;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      /* These have no code of their own. */
      if (strstr (call->complaint, "chunked-encoding") != NULL)
        return LAB_HTTP_MALFORMED;
      return strstr (call->complaint, "Too large response headers") != NULL ? LAB_HTTP_TOO_LARGE : LAB_HTTP_RESET;
    case CURLE_PARTIAL_FILE:
      return LAB_HTTP_INCOMPLETE;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return LAB_HTTP_MALFORMED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return LAB_HTTP_TLS_CERTIFICATE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
      return LAB_HTTP_TLS_HANDSHAKE;
    case CURLE_OUT_OF_MEMORY:
      /* A line of the answer for which the library has no room is one, too. */
      return call->sends > 0 ? LAB_HTTP_TOO_LARGE : LAB_HTTP_OUT_OF_MEMORY;
    default:
      return LAB_HTTP_OTHER;
    }
}

static LabHttpError
error_of_status (HttpCall *call, long status)
{
  if (status >= 200 && status <= 299)
    return LAB_HTTP_NO_ERROR;
  if (status >= 300 && status <= 399)
    return LAB_HTTP_REDIRECT;
  if (status < 0 || status >= (long) G_N_ELEMENTS (call->client->counters.statuses))
    return LAB_HTTP_MALFORMED;
  call->client->counters.statuses[status]++;
  return LAB_HTTP_STATUS;
}

static void
note_shed (HttpCall *call, long status)
{
  LabHttpCounters *counters = &call->client->counters;
  struct curl_header *header = NULL;
  const char *value = NULL;

  if (curl_easy_header (call->easy, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
    value = header->value;
  if (lab_retry_after_parse (value, g_get_real_time () / G_USEC_PER_SEC) >= 0)
    counters->retry_after++;
  else if (value != NULL)
    counters->retry_after_ignored++;

  if (status == 503 && !counters->saw_503)
    {
      counters->saw_503 = TRUE;
      counters->first_503_retry_after = g_strdup (value);
      memcpy (counters->first_503_body, call->body, call->body_kept);
    }
}

/* Counts the call and says what it ended as. */
static LabOutcome
judge (HttpCall *call, CURLcode result)
{
  LabHttpCounters *counters = &call->client->counters;
  LabHttpError error = error_of_result (call, result);
  long status = 0;

  if (error == LAB_HTTP_NO_ERROR)
    {
      counters->answered++;
      curl_easy_getinfo (call->easy, CURLINFO_RESPONSE_CODE, &status);
      if (status == 503 || status == 429)
        {
          note_shed (call, status);
          return LAB_SHED;
        }
      error = error_of_status (call, status);
      if (error == LAB_HTTP_NO_ERROR)
        return LAB_OK;
    }
  counters->errors[error]++;
  return error >= LAB_HTTP_OUT_OF_PORTS ? LAB_UNSENT : LAB_ERROR;
}

/* The library's callbacks for one request. */

/* Before each sending. The library itself sends a request again whose kept
 * connection was closed under it, up to five times; here it may do so once. */
static int
may_send (void *data, char *their_ip, char *our_ip, int their_port, int our_port)
{
  HttpCall *call = data;

  (void) their_ip, (void) our_ip, (void) their_port, (void) our_port;
  if (call->sends++ == 1)
    call->client->counters.resent++;
  return call->sends <= 2 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static void
forget_headers (HttpCall *call)
{
  call->has_headers = FALSE;
  call->is_ambiguous = FALSE;
  call->length = -1;
}

/* To the library a length that is no number is none, and of two the last counts; where
 * such an answer ends nobody can tell (RFC 9112, section 6.3). */
static void
take_length (HttpCall *call, const char *value, gsize n)
{
  guint64 length = 0;
  gsize i = 0;
  gsize digits;

  while (i < n && (value[i] == ' ' || value[i] == '\t'))
    i++;
  for (digits = i; i < n && g_ascii_isdigit (value[i]); i++)
    if (!g_uint64_checked_mul (&length, length, 10)
        || !g_uint64_checked_add (&length, length, (guint64) g_ascii_digit_value (value[i])))
      call->is_ambiguous = TRUE;
  digits = i - digits;
  while (i < n && g_ascii_isspace (value[i]))
    i++;
  if (digits == 0 || i < n || length > G_MAXINT64 || (call->length >= 0 && call->length != (gint64) length))
    call->is_ambiguous = TRUE;
  call->length = (gint64) length;
}

/* Line by line. An answer may have several heads ("100 Continue"), each of which
 * ends with an empty line, and lines of a trailer after its body. */
static size_t
take_header (char *line, size_t size, size_t n, void *data)
{
  static const char length[] = "Content-Length:";
  HttpCall *call = data;

  (void) size;
  if (n <= 2 && (*line == '\r' || *line == '\n'))
    call->has_headers = TRUE;
  else if (n >= 5 && memcmp (line, "HTTP/", 5) == 0)
    forget_headers (call);
  else if (!call->has_headers && n >= sizeof length - 1 && g_ascii_strncasecmp (line, length, sizeof length - 1) == 0)
    take_length (call, line + sizeof length - 1, n - (sizeof length - 1));
  return n;
}

static size_t
take_body (char *bytes, size_t size, size_t n, void *data)
{
  HttpCall *call = data;

  if (!call->client->counters.saw_503 && call->body_kept < LAB_HTTP_FIRST_503_BODY)
    {
      gsize kept = MIN (size * n, LAB_HTTP_FIRST_503_BODY - call->body_kept);

      memcpy (call->body + call->body_kept, bytes, kept);
      call->body_kept += kept;
    }
  return size * n;
}

static gboolean
is_loopback (const struct sockaddr *address)
{
  const struct in6_addr *six;

  if (address->sa_family == AF_INET)
    return ntohl (((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24 == 127;
  if (address->sa_family != AF_INET6)
    return FALSE;
  six = &((const struct sockaddr_in6 *) address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK (six) || (IN6_IS_ADDR_V4MAPPED (six) && six->s6_addr[12] == 127);
}

/* The library's sockets behind our epoll.
 *
 * A kept connection would be taken out of the epoll after each request and put
 * back for the next. Instead it stays, and only when an event comes that the
 * library does not want (the server has closed it) is it taken out.
 *
 * The kernel forgets a socket when it is closed, and its number is the next one's.
 * The library closes most through close_socket(), and some on ways of its own: so a
 * new socket begins unwatched, and where the kernel remembers otherwise it is right. */

typedef struct
{
  guint8 wanted;     /* CURL_POLL_IN, CURL_POLL_OUT, or both */
  guint8 registered; /* likewise, with the kernel */
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
    epoll_ctl (self->epoll_fd, EPOLL_CTL_DEL, fd, NULL); /* or it is closed, and forgotten already */
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

/* Whatever a URL was taken to mean: no socket is made to a remote address that
 * was not allowed. */
static curl_socket_t
open_socket (void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
  HttpCall *call = data;
  int fd;

  (void) purpose;
  if (!call->client->options.allow_remote && !is_loopback (&address->addr))
    {
      call->socket_errno = EACCES;
      return CURL_SOCKET_BAD;
    }
  fd = socket (address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0)
    {
      call->socket_errno = errno;
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
  /* Noted for prepare(): to tell the source would wake its main loop each time. */
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
      outcome = judge (call, result);
      curl_multi_remove_handle (self->multi, call->easy);
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

/* What every request of ours has in common. */
static void
set_manners (CURL *easy, gboolean insecure)
{
  curl_easy_setopt (easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (easy, CURLOPT_PROXY, ""); /* whatever the environment says */
  curl_easy_setopt (easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (easy, CURLOPT_CAPATH, NULL); /* only so are the authorities read once, not for each connection */
  curl_easy_setopt (easy, CURLOPT_SSL_VERIFYPEER, insecure ? 0L : 1L);
  curl_easy_setopt (easy, CURLOPT_SSL_VERIFYHOST, insecure ? 0L : 2L);
}

static void
http_prepare (LabTarget *target, LabCall *head)
{
  LabHttpClient *self = LAB_OWNER_OF (target, LabHttpClient, target);
  HttpCall *call = (HttpCall *) head;
  CURL *easy = curl_easy_init ();

  if (easy == NULL)
    g_error ("no memory for a request");
  call->client = self;
  call->easy = easy;
  set_manners (easy, self->options.insecure);
  set_request (self, easy);
  curl_easy_setopt (easy, CURLOPT_PRIVATE, call);
  curl_easy_setopt (easy, CURLOPT_PREREQFUNCTION, may_send);
  curl_easy_setopt (easy, CURLOPT_PREREQDATA, call);
  curl_easy_setopt (easy, CURLOPT_ERRORBUFFER, call->complaint);
  curl_easy_setopt (easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt (easy, CURLOPT_HEADERDATA, call);
  curl_easy_setopt (easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt (easy, CURLOPT_WRITEDATA, call);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETDATA, call);
  curl_easy_setopt (easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt (easy, CURLOPT_CLOSESOCKETDATA, self);
}

static void
http_dispose (LabTarget *target, LabCall *head)
{
  (void) target;
  curl_easy_cleanup (((HttpCall *) head)->easy);
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
  call->sends = 0;
  call->socket_errno = 0;
  call->body_kept = 0;
  forget_headers (call);
  call->complaint[0] = '\0';
  if (curl_multi_add_handle (self->multi, call->easy) != CURLM_OK)
    {
      finish_unsent (call, LAB_HTTP_OUT_OF_MEMORY); /* it has no other reason with a handle like ours */
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
  curl_multi_remove_handle (self->multi, call->easy); /* closes its connection */
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

/* The address as the library wants it for a name; one that needs its interface
 * named ("fe80::1%eth0") it does not take. Returns: (transfer full), or NULL. */
static char *
text_of_address (const struct addrinfo *info)
{
  char text[NI_MAXHOST];

  if (getnameinfo (info->ai_addr, info->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0
      || strchr (text, '%') != NULL)
    return NULL;
  return info->ai_family == AF_INET6 ? g_strdup_printf ("[%s]", text) : g_strdup (text);
}

/* Holds every address of @host against the rule, and notes them for the library,
 * so that it never asks a name server again. */
static gboolean
take_addresses (LabHttpClient *self, const char *host, const char *port, const struct addrinfo *list, GError **error)
{
  g_autoptr (GString) entry = g_string_new (NULL);

  g_string_printf (entry, "%s:%s:", host, port);
  for (const struct addrinfo *info = list; info != NULL; info = info->ai_next)
    {
      g_autofree char *text = text_of_address (info);

      if (!self->options.allow_remote && !is_loopback (info->ai_addr))
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

/* Whatever else stood in it would be a part of the request's line, or another line. */
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

static void
global_init (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      curl_global_init (CURL_GLOBAL_DEFAULT);
      g_once_init_leave (&once, 1);
    }
}

LabHttpClient *
lab_http_client_new (const LabHttpClientOptions *options, GError **error)
{
  g_autoptr (LabHttpClient) self = g_new0 (LabHttpClient, 1);

  global_init ();
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

static size_t
append_body (char *bytes, size_t size, size_t n, void *data)
{
  g_string_append_len (data, bytes, (gssize) (size * n));
  return size * n;
}

static curl_socket_t
open_loopback_socket (void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
  (void) data, (void) purpose;
  if (!is_loopback (&address->addr))
    return CURL_SOCKET_BAD;
  return socket (address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

typedef struct
{
  LabCondition condition;
  gpointer data;
} GiveUp;

static int
look_whether_to_give_up (void *data, curl_off_t to_come, curl_off_t come, curl_off_t to_go, curl_off_t gone)
{
  const GiveUp *give_up = data;

  (void) to_come, (void) come, (void) to_go, (void) gone;
  return give_up->condition != NULL && give_up->condition (give_up->data);
}

char *
lab_http_get (const char *url, LabTime timeout_ns, LabCondition give_up, gpointer data, GError **error)
{
  GiveUp impatience = { give_up, data };
  g_autoptr (GString) body = g_string_new (NULL);
  CURL *easy;
  CURLcode result;
  long status = 0;

  global_init ();
  easy = curl_easy_init ();
  set_manners (easy, FALSE);
  curl_easy_setopt (easy, CURLOPT_URL, url);
  curl_easy_setopt (easy, CURLOPT_TIMEOUT_MS, (long) (timeout_ns / LAB_MS));
  curl_easy_setopt (easy, CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt (easy, CURLOPT_WRITEDATA, body);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETFUNCTION, open_loopback_socket);
  curl_easy_setopt (easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (easy, CURLOPT_XFERINFOFUNCTION, look_whether_to_give_up);
  curl_easy_setopt (easy, CURLOPT_XFERINFODATA, &impatience);
  result = curl_easy_perform (easy);
  curl_easy_getinfo (easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup (easy);
  if (result == CURLE_OK && status >= 200 && status <= 299)
    return g_string_free (g_steal_pointer (&body), FALSE);

  if (result != CURLE_OK)
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s: %s", url,
                 curl_easy_strerror (result));
  else
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s: status %ld", url, status);
  return NULL;
}
