#include "../http/client.h"
#include "../http/syntax.h"
#include "../loadgen/loadgen.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the client is told by the system and the library, where a test wants it
 * told otherwise. */

static gboolean no_memory;
static const char *only_name; /* of any address */
static gboolean closes_silently;
static const char *trusted_file;   /* of certificates; NULL: the system's */
static const char *later_address;  /* of any name, from the second question on; NULL: the real one */
static gboolean forgets_addresses; /* that it was given */
static guint names_asked;

static int
close_silently (void *data, curl_socket_t fd)
{
  (void) data;
  return close (fd);
}

#undef curl_easy_setopt
CURLcode
curl_easy_setopt (CURL *easy, CURLoption option, ...)
{
  CURLcode (*real) (CURL *, CURLoption, ...);
  va_list arguments;
  gpointer value;

  va_start (arguments, option);
  value = va_arg (arguments, gpointer); /* as wide as any other */
  va_end (arguments);
  if (option == CURLOPT_CLOSESOCKETFUNCTION && closes_silently)
    *(curl_closesocket_callback *) &value = close_silently;
  if (option == CURLOPT_RESOLVE && forgets_addresses)
    value = NULL;
  *(void **) &real = dlsym (RTLD_NEXT, "curl_easy_setopt");
  if (option == CURLOPT_URL && trusted_file != NULL)
    real (easy, CURLOPT_CAINFO, (gpointer) trusted_file);
  return real (easy, option, value);
}

CURLMcode
curl_multi_add_handle (CURLM *multi, CURL *easy)
{
  CURLMcode (*real) (CURLM *, CURL *);

  *(void **) &real = dlsym (RTLD_NEXT, "curl_multi_add_handle");
  return no_memory ? CURLM_OUT_OF_MEMORY : real (multi, easy);
}

/* For the name "lab.test" only. */
int
getaddrinfo (const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
  int (*real) (const char *, const char *, const struct addrinfo *, struct addrinfo **);

  *(void **) &real = dlsym (RTLD_NEXT, "getaddrinfo");
  if (g_strcmp0 (name, "lab.test") == 0)
    name = names_asked++ == 0 || later_address == NULL ? "127.0.0.1" : later_address;
  return real (name, service, hints, list);
}

int
getnameinfo (const struct sockaddr *address, socklen_t length, char *host, socklen_t host_size, char *service,
             socklen_t service_size, int flags)
{
  int (*real) (const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);

  *(void **) &real = dlsym (RTLD_NEXT, "getnameinfo");
  if (only_name == NULL)
    return real (address, length, host, host_size, service, service_size, flags);
  return g_strlcpy (host, only_name, host_size) < host_size && *only_name != '\0' ? 0 : EAI_OVERFLOW;
}

/* Servers that are rude. One listens for all of them; the path of a request says
 * how to treat it. Each connection has a thread, so that the client under test,
 * alone on the main loop, meets real sockets. */

#define BIG (G_GINT64_CONSTANT (100) * 1000 * 1000)

typedef enum
{
  THEN_CLOSE,
  THEN_RESET,
  THEN_HANG, /* until the client leaves */
  THEN_KEEP, /* read the next request */
  THEN_DRIP, /* a byte now and then, for ever */
  THEN_BIG,  /* a body of BIG bytes, then the next request */
  THEN_FLOOD /* the answer again and again, for ever */
} Then;

typedef struct
{
  const char *path;
  const char *answer;
  Then then;
  LabOutcome outcome;
  LabHttpError error;
} Rudeness;

static const Rudeness rudenesses[] = {
  { "/well", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", THEN_KEEP, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/created", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/no-content", "HTTP/1.1 204 No Content\r\n\r\n", THEN_KEEP, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n",
    THEN_KEEP, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/until-close", "HTTP/1.1 200 OK\r\n\r\nok", THEN_CLOSE, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/old", "HTTP/1.0 200 OK\r\n\r\nok", THEN_CLOSE, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/close-said", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", THEN_CLOSE, LAB_OK,
    LAB_HTTP_NO_ERROR },
  { "/close-said-not-done", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", THEN_HANG, LAB_OK,
    LAB_HTTP_NO_ERROR },
  { "/continue", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", THEN_KEEP, LAB_OK,
    LAB_HTTP_NO_ERROR },
  { "/too-much", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", THEN_CLOSE, LAB_OK, LAB_HTTP_NO_ERROR },
  { "/big", NULL, THEN_BIG, LAB_OK, LAB_HTTP_NO_ERROR },

  { "/503", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nfull", THEN_KEEP, LAB_SHED,
    LAB_HTTP_NO_ERROR },
  { "/503-bare", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, LAB_SHED,
    LAB_HTTP_NO_ERROR },
  { "/503-soon", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", THEN_KEEP,
    LAB_SHED, LAB_HTTP_NO_ERROR },
  { "/503-minus", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: -3\r\nContent-Length: 0\r\n\r\n", THEN_KEEP,
    LAB_SHED, LAB_HTTP_NO_ERROR },
  { "/429-date",
    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: Sun, 06 Nov 2094 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n",
    THEN_KEEP, LAB_SHED, LAB_HTTP_NO_ERROR },

  { "/404", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, LAB_ERROR, LAB_HTTP_STATUS },
  { "/500", "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, LAB_ERROR, LAB_HTTP_STATUS },
  { "/302", "HTTP/1.1 302 Found\r\nLocation: /well\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, LAB_ERROR,
    LAB_HTTP_REDIRECT },
  { "/closed", "", THEN_CLOSE, LAB_ERROR, LAB_HTTP_CLOSED },
  { "/reset", "", THEN_RESET, LAB_ERROR, LAB_HTTP_RESET },
  { "/half-status", "HTTP/1.1 20", THEN_CLOSE, LAB_ERROR, LAB_HTTP_CLOSED },
  { "/half-header", "HTTP/1.1 200 OK\r\nContent-Len", THEN_CLOSE, LAB_ERROR, LAB_HTTP_INCOMPLETE },
  { "/short", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", THEN_CLOSE, LAB_ERROR, LAB_HTTP_INCOMPLETE },
  { "/short-503", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\nok", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_INCOMPLETE },
  { "/half-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_INCOMPLETE },
  { "/short-reset", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", THEN_RESET, LAB_ERROR, LAB_HTTP_RESET },
  { "/no-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_MALFORMED },
  { "/bad-length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", THEN_CLOSE, LAB_ERROR, LAB_HTTP_MALFORMED },
  { "/huge-length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_MALFORMED },
  { "/max-length", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nok", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_MALFORMED },
  { "/plus-length", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", THEN_CLOSE, LAB_ERROR, LAB_HTTP_MALFORMED },
  { "/no-length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok", THEN_CLOSE, LAB_ERROR, LAB_HTTP_MALFORMED },
  { "/two-lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok", THEN_CLOSE, LAB_ERROR,
    LAB_HTTP_MALFORMED },
  { "/length-twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length:2 \r\n\r\nok", THEN_KEEP, LAB_OK,
    LAB_HTTP_NO_ERROR },
  { "/endless-headers", "HTTP/1.1 200 OK\r\nA: b\r\n", THEN_FLOOD, LAB_ERROR, LAB_HTTP_TOO_LARGE },
  { "/endless-line", "HTTP/1.1 200 OK", THEN_FLOOD, LAB_ERROR, LAB_HTTP_TOO_LARGE },
  { "/ssh", "SSH-2.0-OpenSSH_9.2p1\r\n", THEN_CLOSE, LAB_ERROR, LAB_HTTP_MALFORMED },

  { "/hang", "", THEN_HANG, LAB_TIMEOUT, LAB_HTTP_NO_ERROR },
  { "/hang-in-header", "HTTP/1.1 200 OK\r\nContent-Len", THEN_HANG, LAB_TIMEOUT, LAB_HTTP_NO_ERROR },
  { "/hang-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", THEN_HANG, LAB_TIMEOUT, LAB_HTTP_NO_ERROR },
  { "/drip", "HTTP/1.1 200 OK\r\n\r\n", THEN_DRIP, LAB_TIMEOUT, LAB_HTTP_NO_ERROR },
};

static int requests_read; /* by all connections; atomic */

static void
send_all (int fd, const char *bytes, gsize length)
{
  while (length > 0)
    {
      gssize sent = send (fd, bytes, length, MSG_NOSIGNAL);

      if (sent <= 0)
        return;
      bytes += sent;
      length -= (gsize) sent;
    }
}

/* One request without a body, up to its empty line. Returns: (transfer full), or
 * NULL when the client has left. */
static char *
read_request (int fd)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char byte;

  while (!g_str_has_suffix (text->str, "\r\n\r\n"))
    {
      if (recv (fd, &byte, 1, 0) != 1)
        return NULL;
      g_string_append_c (text, byte);
    }
  g_atomic_int_inc (&requests_read);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static const Rudeness *
rudeness_of (const char *request)
{
  g_auto (GStrv) words = g_strsplit (request, " ", 3);

  for (guint i = 0; i < G_N_ELEMENTS (rudenesses); i++)
    if (g_str_equal (words[1], rudenesses[i].path))
      return &rudenesses[i];
  g_assert_not_reached ();
}

static void
send_big (int fd)
{
  static const char zeros[64 * 1024];
  g_autofree char *head = g_strdup_printf ("HTTP/1.1 200 OK\r\nContent-Length: %" G_GINT64_FORMAT "\r\n\r\n", BIG);

  send_all (fd, head, strlen (head));
  for (gint64 left = BIG; left > 0; left -= (gint64) sizeof zeros)
    send_all (fd, zeros, (gsize) MIN (left, (gint64) sizeof zeros));
}

/* The status line once; what follows it, or "A" where nothing does, without end. */
static void
flood (int fd, const char *answer)
{
  const char *end = strchr (answer, '\n');
  g_autoptr (GString) much = g_string_new (NULL);

  send_all (fd, answer, end == NULL ? strlen (answer) : (gsize) (end + 1 - answer));
  while (much->len < 10000)
    g_string_append (much, end == NULL ? "A" : end + 1);
  while (send (fd, much->str, much->len, MSG_NOSIGNAL) > 0)
    ;
}

static void
wait_for_departure (int fd, gboolean dripping)
{
  struct timeval often = { .tv_usec = 20 * 1000 };
  char byte;

  if (dripping)
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &often, sizeof often);
  while (recv (fd, &byte, 1, 0) != 0)
    if (!dripping || send (fd, "x", 1, MSG_NOSIGNAL) != 1)
      return;
}

static int connections, departures; /* atomic */

static gpointer
be_rude (gpointer data)
{
  int fd = GPOINTER_TO_INT (data);
  Then then = THEN_KEEP;

  g_atomic_int_inc (&connections);
  while (then == THEN_KEEP || then == THEN_BIG)
    {
      g_autofree char *request = read_request (fd);
      const Rudeness *rudeness = request == NULL ? NULL : rudeness_of (request);

      if (rudeness == NULL)
        break;
      then = rudeness->then;
      if (then == THEN_BIG)
        send_big (fd);
      else if (then == THEN_FLOOD)
        flood (fd, rudeness->answer);
      else
        send_all (fd, rudeness->answer, strlen (rudeness->answer));
    }
  if (then == THEN_HANG || then == THEN_DRIP)
    wait_for_departure (fd, then == THEN_DRIP);
  if (then == THEN_HANG)
    g_atomic_int_inc (&departures);
  if (then == THEN_RESET)
    {
      g_usleep (20 * 1000); /* what was sent is read before the reset destroys it */
      setsockopt (fd, SOL_SOCKET, SO_LINGER, &(struct linger) { .l_onoff = 1 }, sizeof (struct linger));
    }
  close (fd);
  return NULL;
}

/* A listening socket on a free port of a loopback address. */
static int
listen_somewhere (int family, guint16 *port)
{
  struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
  struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  struct sockaddr *address = family == AF_INET6 ? (struct sockaddr *) &six : (struct sockaddr *) &four;
  socklen_t length = family == AF_INET6 ? sizeof six : sizeof four;
  int fd = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd < 0 || bind (fd, address, length) != 0)
    {
      if (fd >= 0)
        close (fd);
      return -1;
    }
  g_assert_cmpint (listen (fd, 4096), ==, 0);
  g_assert_cmpint (getsockname (fd, address, &length), ==, 0);
  *port = ntohs (family == AF_INET6 ? six.sin6_port : four.sin_port);
  return fd;
}

typedef struct
{
  int fd;
  GThreadFunc serve;
} Listener;

static gpointer
accept_all (gpointer data)
{
  Listener listener = *(Listener *) data;

  g_free (data);
  for (;;)
    {
      int fd = accept4 (listener.fd, NULL, NULL, SOCK_CLOEXEC);

      if (fd < 0)
        break; /* the test has shut it down */
      g_thread_unref (g_thread_new ("rude", listener.serve, GINT_TO_POINTER (fd)));
    }
  close (listener.fd);
  return NULL;
}

/* Returns the socket to shut down at the end. */
static int
serve_somewhere (int family, GThreadFunc serve, guint16 *port)
{
  int fd = listen_somewhere (family, port);

  if (fd >= 0)
    {
      Listener *listener = g_new (Listener, 1);

      *listener = (Listener) { fd, serve };
      g_thread_unref (g_thread_new ("listener", accept_all, listener));
    }
  return fd;
}

/* Runs against them. */

static LabHttpClient *
new_client (const LabHttpClientOptions *options)
{
  g_autoptr (GError) error = NULL;
  LabHttpClient *client = lab_http_client_new (options, &error);

  g_assert_no_error (error);
  return client;
}

static guint64
n_of (const LabOpenLoop *load, LabOutcome outcome)
{
  return lab_summary_count (lab_open_loop_summary (load), outcome);
}

/* offered = ok + shed + timeout + error + unsent, and the counters of the client
 * say the same as the outcomes do. */
static void
assert_balanced (const LabOpenLoop *load, const LabHttpClient *client)
{
  const LabHttpCounters *counters = lab_http_client_counters (client);
  guint64 outcomes = 0;
  guint64 errors = 0;
  guint64 unsent = 0;
  guint64 statuses = 0;

  for (LabOutcome outcome = 0; outcome < LAB_N_OUTCOMES; outcome++)
    outcomes += n_of (load, outcome);
  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    *(error >= LAB_HTTP_OUT_OF_PORTS ? &unsent : &errors) += counters->errors[error];
  for (guint status = 0; status < G_N_ELEMENTS (counters->statuses); status++)
    statuses += counters->statuses[status];
  g_assert_cmpuint (outcomes, ==, lab_histogram_count (lab_summary_lateness (lab_open_loop_summary (load)))); /* sent */
  g_assert_cmpuint (errors, ==, n_of (load, LAB_ERROR));
  g_assert_cmpuint (unsent, ==, n_of (load, LAB_UNSENT));
  g_assert_cmpuint (statuses, ==, counters->errors[LAB_HTTP_STATUS]);
}

#define N_RUDE 12

typedef struct
{
  LabHttpClient *client;
  LabOpenLoop *load;
  guint64 n;
} RudeRun;

static gboolean
all_over (gpointer data)
{
  RudeRun *runs = data;

  for (guint i = 0; i < G_N_ELEMENTS (rudenesses); i++)
    if (!lab_open_loop_is_over (runs[i].load))
      return FALSE;
  return TRUE;
}

static void
start_rude_run (RudeRun *run, LabClock *clock, const Rudeness *rudeness, guint16 port)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", port, rudeness->path);

  run->n = rudeness->then == THEN_BIG ? 2 : N_RUDE;
  run->client = new_client (&(LabHttpClientOptions) { .url = url });
  run->load = lab_open_loop_new (
      clock, lab_http_client_target (run->client),
      &(LabOpenLoopOptions) { .rate_rps = (double) run->n / 0.4,
                              .duration_ns = 400 * LAB_MS,
                              .client_timeout_ns = rudeness->outcome == LAB_TIMEOUT ? 2 * LAB_S : 60 * LAB_S,
                              .hang_up = TRUE });
  lab_open_loop_start (run->load);
}

static void
assert_rude_run (const RudeRun *run, const Rudeness *rudeness)
{
  const LabHttpCounters *counters = lab_http_client_counters (run->client);

  assert_balanced (run->load, run->client);
  if (n_of (run->load, rudeness->outcome) == run->n
      && (rudeness->error == LAB_HTTP_NO_ERROR || counters->errors[rudeness->error] == run->n))
    return;
  for (LabHttpError error = 0; error < LAB_HTTP_N_ERRORS; error++)
    if (counters->errors[error] > 0)
      g_test_message ("%s: %" G_GUINT64_FORMAT " of %s", rudeness->path, counters->errors[error],
                      lab_http_error_name (error));
  g_test_message ("%s: ok %" G_GUINT64_FORMAT ", shed %" G_GUINT64_FORMAT ", timeout %" G_GUINT64_FORMAT,
                  rudeness->path, n_of (run->load, LAB_OK), n_of (run->load, LAB_SHED), n_of (run->load, LAB_TIMEOUT));
  g_test_fail ();
}

static void
test_rude_servers (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  RudeRun runs[G_N_ELEMENTS (rudenesses)];
  guint64 sent = 0;
  guint64 read = 0;
  guint16 port;
  int listener;

  g_atomic_int_set (&requests_read, 0);
  listener = serve_somewhere (AF_INET, be_rude, &port);
  for (guint i = 0; i < G_N_ELEMENTS (rudenesses); i++)
    start_rude_run (&runs[i], clock, &rudenesses[i], port);
  g_assert_true (lab_clock_run_until (clock, all_over, runs));

  for (guint i = 0; i < G_N_ELEMENTS (rudenesses); i++)
    {
      assert_rude_run (&runs[i], &rudenesses[i]);
      sent += runs[i].n + lab_http_client_counters (runs[i].client)->resent;
      lab_open_loop_free (runs[i].load);
      lab_http_client_free (runs[i].client);
    }
  read = (guint64) g_atomic_int_get (&requests_read);
  g_assert_cmpuint (read, ==, sent); /* the servers have seen what we counted, neither more nor less */
  shutdown (listener, SHUT_RDWR);
}

static LabOpenLoop *
run_once (LabClock *clock, LabHttpClient *client, guint n, LabTime timeout_ns)
{
  LabOpenLoop *load = lab_open_loop_new (
      clock, lab_http_client_target (client),
      &(LabOpenLoopOptions) {
          .rate_rps = n * 10, .duration_ns = 100 * LAB_MS, .client_timeout_ns = timeout_ns, .hang_up = TRUE });

  lab_open_loop_start (load);
  g_assert_true (lab_clock_run_until (clock, lab_open_loop_is_over, load));
  assert_balanced (load, client);
  return load;
}

static void
test_retry_after (void)
{
  static const struct
  {
    const char *path;
    gboolean has_meaning, is_ignored;
  } cases[] = { { "/503", TRUE, FALSE },
                { "/503-bare", FALSE, FALSE },
                { "/503-soon", FALSE, TRUE },
                { "/503-minus", FALSE, TRUE },
                { "/429-date", TRUE, FALSE } };
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", port, cases[i].path);
      g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
      g_autoptr (LabOpenLoop) load = run_once (clock, client, 5, 60 * LAB_S);
      const LabHttpCounters *counters = lab_http_client_counters (client);

      g_assert_cmpuint (n_of (load, LAB_SHED), ==, 5);
      g_assert_cmpuint (counters->retry_after, ==, cases[i].has_meaning ? 5 : 0);
      g_assert_cmpuint (counters->retry_after_ignored, ==, cases[i].is_ignored ? 5 : 0);
      g_assert_cmpint (counters->saw_503, ==, g_str_has_prefix (cases[i].path, "/503"));
      if (i > 0)
        continue;
      g_assert_cmpstr (counters->first_503_retry_after, ==, "3");
      g_assert_cmpstr (counters->first_503_body, ==, "full");
    }
  shutdown (listener, SHUT_RDWR);
}

/* Kept connections that are closed under a request. */

static int closings; /* how many requests on kept connections are still to be met with a close; atomic */

/* Answers the first request of a connection, and closes it at the second as long
 * as there are closings left. */
static gpointer
close_under_the_second (gpointer data)
{
  static const char well[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  int fd = GPOINTER_TO_INT (data);

  for (guint i = 0;; i++)
    {
      g_autofree char *request = read_request (fd);

      if (request == NULL || (i > 0 && g_atomic_int_add (&closings, -1) > 0))
        break;
      send_all (fd, well, strlen (well));
    }
  close (fd);
  return NULL;
}

static void
test_resent_once (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, close_under_the_second, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });

  g_atomic_int_set (&requests_read, 0);
  g_atomic_int_set (&closings, 1);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (LabOpenLoop) load = run_once (clock, client, 1, 60 * LAB_S);

      g_assert_cmpuint (n_of (load, LAB_OK), ==, 1);
    }
  g_assert_cmpuint (lab_http_client_counters (client)->resent, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&requests_read), ==, 4);
  shutdown (listener, SHUT_RDWR);
}

/* Many kept connections, and all of them are closed under the next requests: each
 * of those is sent again at most once. */
static void
test_resent_at_most_once (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, close_under_the_second, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  g_autoptr (LabClosedLoop) workers = lab_closed_loop_new (
      clock, lab_http_client_target (client), &(LabClosedLoopOptions) { .workers = 8, .duration_ns = 20 * LAB_MS });
  const LabHttpCounters *counters = lab_http_client_counters (client);

  g_atomic_int_set (&closings, 0);
  lab_closed_loop_start (workers);
  lab_clock_run_until (clock, lab_closed_loop_is_over, workers);
  g_assert_cmpuint (lab_closed_loop_finished (workers, LAB_OK), >=, 8);
  g_atomic_int_set (&closings, 1000);
  g_atomic_int_set (&requests_read, 0);
  {
    g_autoptr (LabOpenLoop) load = run_once (clock, client, 1, 60 * LAB_S);

    g_assert_cmpuint (counters->resent, ==, 1);
    g_assert_cmpuint (n_of (load, LAB_OK) + counters->errors[LAB_HTTP_CLOSED], ==, 1);
    g_assert_cmpint (g_atomic_int_get (&requests_read), ==, 2);
  }
  shutdown (listener, SHUT_RDWR);
}

/* What is our own fault. */

static void
test_refused (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int held = listen_somewhere (AF_INET, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  g_autoptr (LabOpenLoop) load = NULL;

  shutdown (held, SHUT_RDWR); /* bound by us, so nobody else takes it, and not listening */
  load = run_once (clock, client, 10, 60 * LAB_S);
  g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_CONNECT_REFUSED], ==, 10);
  close (held);
}

/* As many as there were calls at once are kept, and serve all that come later. */
static void
test_connections_are_kept (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/well", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });

  g_atomic_int_set (&connections, 0);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (LabClosedLoop) workers = lab_closed_loop_new (
          clock, lab_http_client_target (client), &(LabClosedLoopOptions) { .workers = 8, .duration_ns = 20 * LAB_MS });

      lab_closed_loop_start (workers);
      lab_clock_run_until (clock, lab_closed_loop_is_over, workers);
      g_assert_cmpuint (lab_closed_loop_finished (workers, LAB_OK), >=, 8);
    }
  g_assert_cmpint (g_atomic_int_get (&connections), <=, 8);
  shutdown (listener, SHUT_RDWR);
}

/* The server learns that its client has lost patience, while others may still come. */
static void
test_timed_out_is_closed (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/hang", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  g_autoptr (LabOpenLoop) load = NULL;
  gint64 until_us = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  g_atomic_int_set (&departures, 0);
  load = run_once (clock, client, 5, 500 * LAB_MS);
  g_assert_cmpuint (n_of (load, LAB_TIMEOUT), ==, 5);
  while (g_atomic_int_get (&departures) < 5 && g_get_monotonic_time () < until_us)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&departures), ==, 5);
  shutdown (listener, SHUT_RDWR);
}

/* The library closes a socket without saying so: the next one has its number. */
static void
test_closed_behind_our_back (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/close-said", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });

  closes_silently = TRUE;
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (LabOpenLoop) load = run_once (clock, client, 10, 2 * LAB_S);

      g_assert_cmpuint (n_of (load, LAB_OK), ==, 10);
    }
  closes_silently = FALSE;
  shutdown (listener, SHUT_RDWR);
}

static void
test_max_inflight (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/hang", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url, .max_inflight = 3 });
  g_autoptr (LabOpenLoop) load = run_once (clock, client, 10, 2 * LAB_S);

  g_assert_cmpuint (n_of (load, LAB_TIMEOUT) + n_of (load, LAB_UNSENT), ==, 10);
  g_assert_cmpuint (n_of (load, LAB_TIMEOUT), >=, 3);
  g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_OVER_MAX_INFLIGHT], >, 0);
  shutdown (listener, SHUT_RDWR);
}

static void
test_out_of_files (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  struct rlimit before;
  struct rlimit tight;
  guint16 port;
  int held = listen_somewhere (AF_INET, &port); /* connects, and never answers */
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  g_autoptr (LabOpenLoop) load = NULL;
  int next = dup (held);

  close (next); /* the lowest free descriptor */
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  tight = (struct rlimit) { .rlim_cur = (rlim_t) next + 4, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &tight), ==, 0);
  load = run_once (clock, client, 20, 2 * LAB_S);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);

  /* How many there were for it: threads of the tests before may still let go of some. */
  g_assert_cmpuint (n_of (load, LAB_TIMEOUT), >, 0);
  g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_OUT_OF_FILES], >, 0);
  g_assert_cmpuint (n_of (load, LAB_TIMEOUT) + lab_http_client_counters (client)->errors[LAB_HTTP_OUT_OF_FILES], ==,
                    20);
  close (held);
}

/* A request that the library does not take has its outcome at once, and the next
 * one that it takes is as good as any. */
static void
test_not_taken (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/well", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  g_autoptr (LabOpenLoop) refused = NULL;
  g_autoptr (LabOpenLoop) taken = NULL;
  gint64 begun_us = g_get_monotonic_time ();

  no_memory = TRUE;
  refused = run_once (clock, client, 10, 60 * LAB_S);
  no_memory = FALSE;
  g_assert_cmpint (g_get_monotonic_time () - begun_us, <, 30 * G_USEC_PER_SEC);
  g_assert_cmpuint (n_of (refused, LAB_UNSENT), ==, 10);
  g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_OUT_OF_MEMORY], ==, 10);
  lab_http_client_reset_counters (client);
  taken = run_once (clock, client, 10, 60 * LAB_S);
  g_assert_cmpuint (n_of (taken, LAB_OK), ==, 10);
  shutdown (listener, SHUT_RDWR);
}

/* Whoever has a client has as many files as the system allows. */
static void
test_file_limit (void)
{
  struct rlimit before, limit;

  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  limit = (struct rlimit) { .rlim_cur = before.rlim_max - 1, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  lab_http_client_free (new_client (&(LabHttpClientOptions) { .url = "http://127.0.0.1:8000/" }));
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  g_assert_cmpuint (limit.rlim_cur, ==, before.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
}

/* In a network of its own with four ports. */
static gboolean
enter_a_small_network (void)
{
  struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  int fd;

  if (unshare (CLONE_NEWUSER | CLONE_NEWNET) != 0)
    return FALSE;
  fd = socket (AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || ioctl (fd, SIOCSIFFLAGS, &loopback) != 0)
    return FALSE;
  close (fd);
  fd = open ("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY);
  if (fd < 0 || write (fd, "40000 40003", 11) != 11)
    return FALSE;
  close (fd);
  return TRUE;
}

static void
test_out_of_ports (void)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons (50000), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  g_autoptr (LabClock) clock = NULL;
  g_autoptr (LabHttpClient) client = NULL;
  g_autoptr (LabOpenLoop) load = NULL;
  int held;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  if (!enter_a_small_network ())
    {
      g_printerr ("skipped: this user may not make a network of its own\n");
      return;
    }
  held = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (bind (held, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (listen (held, 100), ==, 0);
  clock = lab_clock_new_real ();
  client = new_client (&(LabHttpClientOptions) { .url = "http://127.0.0.1:50000/" });
  load = run_once (clock, client, 20, 2 * LAB_S);
  g_assert_cmpuint (n_of (load, LAB_TIMEOUT), ==, 4);
  g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_OUT_OF_PORTS], ==, 16);
}

/* TLS. A key and a certificate for "localhost" that nobody has signed. */

static const char key_pem[] = "-----BEGIN PRIVATE KEY-----\n"
                              "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbrjGMRAlfj9Q8J7B\n"
                              "YQIt8E6I1rtfcl+bVDuT0RhFem2hRANCAARMxkH7u+5Ruy9hluM2F0ReESaZma6E\n"
                              "oN5Dpiz99of2YcH37TRfUjGXLM56lCWctd7T3ZxJqhwnVU4N3UKPa2r5\n"
                              "-----END PRIVATE KEY-----\n";

static const char certificate_pem[] = "-----BEGIN CERTIFICATE-----\n"
                                      "MIIBmzCCAUGgAwIBAgIUSNLRqoLwpv9FF2cAJhrk3sm2MOswCgYIKoZIzj0EAwIw\n"
                                      "FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDA4MTc0M1oYDzIxMjYxMTA2\n"
                                      "MDgxNzQzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n"
                                      "PQMBBwNCAARMxkH7u+5Ruy9hluM2F0ReESaZma6EoN5Dpiz99of2YcH37TRfUjGX\n"
                                      "LM56lCWctd7T3ZxJqhwnVU4N3UKPa2r5o28wbTAdBgNVHQ4EFgQUoDHwSxYMQMXp\n"
                                      "rwOLlkUzG0bq45EwHwYDVR0jBBgwFoAUoDHwSxYMQMXprwOLlkUzG0bq45EwDwYD\n"
                                      "VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI\n"
                                      "zj0EAwIDSAAwRQIgE3R4D+52zizrCBhbzHQkoOlK9tQp2Yu2uKh2xECydq0CIQCZ\n"
                                      "5oGjTr2FWXJNyRYr/dhsTT1FLjO12CoZuOIZUWV4dg==\n"
                                      "-----END CERTIFICATE-----\n";

static enum MHD_Result
say_well (void *data, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
          const char *body, size_t *body_size, void **request_data)
{
  struct MHD_Response *response;
  enum MHD_Result result;

  (void) data, (void) url, (void) method, (void) version, (void) body, (void) body_size;
  if (*request_data == NULL)
    {
      *request_data = data;
      return MHD_YES;
    }
  response = MHD_create_response_from_buffer (2, (void *) "ok", MHD_RESPMEM_PERSISTENT);
  result = MHD_queue_response (connection, 200, response);
  MHD_destroy_response (response);
  return result;
}

static gpointer
answer_in_plain (gpointer data)
{
  static const char bad[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  int fd = GPOINTER_TO_INT (data);
  char bytes[4096];

  if (recv (fd, bytes, sizeof bytes, 0) > 0)
    send_all (fd, bad, strlen (bad));
  close (fd);
  return NULL;
}

static guint64
errors_over_tls (const char *host, guint16 port, gboolean insecure, LabHttpError error, guint64 *ok)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  g_autofree char *url = g_strdup_printf ("https://%s:%u/", host, port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url, .insecure = insecure });
  g_autoptr (LabOpenLoop) load = run_once (clock, client, 5, 60 * LAB_S);

  *ok = n_of (load, LAB_OK);
  return lab_http_client_counters (client)->errors[error];
}

static struct MHD_Daemon *
serve_over_tls (guint32 host, guint16 *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (host) };
  struct MHD_Daemon *daemon = MHD_start_daemon (
      MHD_USE_TLS | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, say_well, (gpointer) key_pem, MHD_OPTION_SOCK_ADDR,
      &address, MHD_OPTION_HTTPS_MEM_KEY, key_pem, MHD_OPTION_HTTPS_MEM_CERT, certificate_pem, MHD_OPTION_END);

  if (daemon != NULL)
    *port = MHD_get_daemon_info (daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
  return daemon;
}

/* A certificate that is to be trusted is so for its own names only. */
static void
test_tls_names (void)
{
  g_autofree char *path = NULL;
  struct MHD_Daemon *own, *other;
  guint16 own_port, other_port;
  guint64 ok;

  own = serve_over_tls (INADDR_LOOPBACK, &own_port);
  if (own == NULL)
    {
      g_test_skip ("this libmicrohttpd was built without TLS");
      return;
    }
  other = serve_over_tls (INADDR_LOOPBACK + 1, &other_port);
  close (g_file_open_tmp ("certificate-XXXXXX", &path, NULL));
  g_assert_true (g_file_set_contents (path, certificate_pem, -1, NULL));
  trusted_file = path;
  g_assert_cmpuint (errors_over_tls ("127.0.0.1", own_port, FALSE, LAB_HTTP_TLS_CERTIFICATE, &ok), ==, 0);
  g_assert_cmpuint (ok, ==, 5);
  g_assert_cmpuint (errors_over_tls ("127.0.0.2", other_port, FALSE, LAB_HTTP_TLS_CERTIFICATE, &ok), ==, 5);
  g_assert_cmpuint (ok, ==, 0);
  trusted_file = NULL;
  MHD_stop_daemon (own);
  MHD_stop_daemon (other);
  unlink (path);
}

static void
test_tls (void)
{
  struct MHD_Daemon *daemon;
  guint16 port;
  guint16 plain_port;
  int plain = serve_somewhere (AF_INET, answer_in_plain, &plain_port);
  guint64 ok;

  daemon = serve_over_tls (INADDR_LOOPBACK, &port);
  if (daemon == NULL)
    {
      g_test_skip ("this libmicrohttpd was built without TLS");
      return;
    }
  g_assert_cmpuint (errors_over_tls ("127.0.0.1", port, FALSE, LAB_HTTP_TLS_CERTIFICATE, &ok), ==, 5);
  g_assert_cmpuint (ok, ==, 0);
  g_assert_cmpuint (errors_over_tls ("127.0.0.1", port, TRUE, LAB_HTTP_TLS_CERTIFICATE, &ok), ==, 0);
  g_assert_cmpuint (ok, ==, 5);
  MHD_stop_daemon (daemon);

  g_assert_cmpuint (errors_over_tls ("127.0.0.1", plain_port, TRUE, LAB_HTTP_TLS_HANDSHAKE, &ok), ==, 5);
  shutdown (plain, SHUT_RDWR);
}

/* Where it goes, and where not. */

/* Names are resolved once. Should libcurl ask again all the same, and be told of another
 * machine, it gets no socket. */
static void
test_names (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://lab.test:%u/well", port);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (LabHttpClient) client = NULL;
      g_autoptr (LabOpenLoop) load = NULL;

      names_asked = 0;
      later_address = "192.0.2.1"; /* of documentation: nobody has it */
      forgets_addresses = i == 1;
      client = new_client (&(LabHttpClientOptions) { .url = url });
      load = run_once (clock, client, 5, 2 * LAB_S);
      if (!forgets_addresses)
        g_assert_cmpuint (names_asked, ==, 1);
      g_assert_cmpuint (n_of (load, LAB_OK), ==, forgets_addresses ? 0 : 5);
      g_assert_cmpuint (lab_http_client_counters (client)->errors[LAB_HTTP_CONNECT_FAILED], ==,
                        forgets_addresses ? 5 : 0);
    }
  forgets_addresses = FALSE;
  shutdown (listener, SHUT_RDWR);
}

static void
test_urls (void)
{
  static const struct
  {
    const char *url;
    int code; /* a LabHttpClientError; -1: none */
  } cases[] = {
    { "http://127.0.0.1:8000/work", -1 },
    { "127.0.0.1:8000", -1 },
    { "http://127.9.8.7/", -1 },
    { "https://[::1]:8443/", -1 },
    { "http://[::ffff:127.0.0.1]/", -1 },
    { "http://127.1/", -1 },
    { "http://2130706433/", -1 }, /* 127.0.0.1 as one number */
    { "http://192.0.2.1/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://[2001:db8::1]/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://[::ffff:192.0.2.1]/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://3221225985/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://127.0.0.1@192.0.2.1/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://0.0.0.0/", LAB_HTTP_CLIENT_ERROR_REMOTE },
    { "http://no.such.name.invalid/", LAB_HTTP_CLIENT_ERROR_RESOLVE },
    { "", LAB_HTTP_CLIENT_ERROR_URL },
    { "http://", LAB_HTTP_CLIENT_ERROR_URL },
    { "http://127.0.0.1:99999/", LAB_HTTP_CLIENT_ERROR_URL },
    { "ftp://127.0.0.1/", LAB_HTTP_CLIENT_ERROR_URL },
    { "file:///etc/passwd", LAB_HTTP_CLIENT_ERROR_URL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LabHttpClient) client = lab_http_client_new (&(LabHttpClientOptions) { .url = cases[i].url }, &error);

      g_test_message ("%s: %s", cases[i].url, error == NULL ? "taken" : error->message);
      if (cases[i].code < 0)
        g_assert_no_error (error);
      else
        g_assert_error (error, LAB_HTTP_CLIENT_ERROR, cases[i].code);
      g_assert_true ((client == NULL) == (error != NULL));
    }
}

/* An address that the library could not be told. */
static void
test_addresses_without_a_name (void)
{
  const char *const names[] = { "", "fe80::1%an-interface-with-quite-a-long-name" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      only_name = names[i];
      g_assert_null (lab_http_client_new (&(LabHttpClientOptions) { .url = "http://localhost:8000/" }, &error));
      only_name = NULL;
      g_assert_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_RESOLVE);
    }
}

static void
test_headers_are_checked (void)
{
  const char *const bad[]
      = { "no colon", ": no name", "A: b\r\nSmuggled: c", "X Y: a", "X : a", "X(: a", "A: b\001", "A: b\177", NULL };

  for (guint i = 0; bad[i] != NULL; i++)
    {
      const char *const headers[] = { bad[i], NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (
          lab_http_client_new (&(LabHttpClientOptions) { .url = "http://127.0.0.1/", .headers = headers }, &error));
      g_assert_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED);
    }
}

static char *last_request;

static gpointer
note_request (gpointer data)
{
  static const char well[] = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
  int fd = GPOINTER_TO_INT (data);
  g_autoptr (GString) text = g_string_new (NULL);
  char byte;

  while (strstr (text->str, "\r\n\r\n") == NULL || (strstr (text->str, "POST") && strstr (text->str, "END") == NULL))
    {
      if (recv (fd, &byte, 1, 0) != 1)
        break;
      g_string_append_c (text, byte);
    }
  g_atomic_pointer_set (&last_request, g_strdup (text->str));
  send_all (fd, well, strlen (well));
  close (fd);
  return NULL;
}

static void
test_method_is_checked (void)
{
  const char *const bad[]
      = { "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "GET\r\nX: y", "GE T", " GET", "GET\t", "G(T", "G\303\244T", "" };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (
          lab_http_client_new (&(LabHttpClientOptions) { .url = "http://127.0.0.1/", .method = bad[i] }, &error));
      g_assert_true (g_str_has_prefix (error->message, "--method="));
    }
  for (guint i = 0; i < 2; i++)
    lab_http_client_free (
        new_client (&(LabHttpClientOptions) { .url = "http://127.0.0.1/", .method = i == 0 ? "OPTIONS" : "X-y.z" }));
}

static void
test_credentials_are_not_shown (void)
{
  static const char *const cases[][2] = {
    { "http://user:secret@127.0.0.1:80/a@b?c=d@e", "http://127.0.0.1:80/a@b?c=d@e" },
    { "user:secret@127.0.0.1/", "127.0.0.1/" },
    { "https://user:se@cret@[::1]", "https://[::1]" },
    { "http://secret@127.0.0.1?a=b@c", "http://127.0.0.1?a=b@c" },
    { "http://127.0.0.1:8000/work", "http://127.0.0.1:8000/work" },
    { "http://127.0.0.1/?next=http://a@b/", "http://127.0.0.1/?next=http://a@b/" },
    { "127.0.0.1/?next=http://a@b/", "127.0.0.1/?next=http://a@b/" },
  };
  static const char *const bad[]
      = { "http://user:secret@127.0.0.1:99999/", "ftp://user:secret@127.0.0.1/", "http://user:secret@" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *shown = lab_http_url_to_show (cases[i][0]);

      g_assert_cmpstr (shown, ==, cases[i][1]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (lab_http_client_new (&(LabHttpClientOptions) { .url = bad[i] }, &error));
      g_assert_null (strstr (error->message, "secret"));
    }
}

static void
test_what_is_sent (void)
{
  const char *const headers[] = { "X-Test: yes", "Accept: text/plain", NULL };
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, note_request, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/a?b=c", port);
  const struct
  {
    LabHttpClientOptions options;
    const char *start, *has;
  } cases[] = {
    { { .url = url }, "GET /a?b=c HTTP/1.1\r\n", "Host: 127.0.0.1:" },
    { { .url = url, .headers = headers }, "GET /a?b=c HTTP/1.1\r\n", "\r\nX-Test: yes\r\nAccept: text/plain\r\n" },
    { { .url = url, .method = "DELETE" }, "DELETE /a?b=c HTTP/1.1\r\n", "\r\n\r\n" },
    { { .url = url, .method = "HEAD" }, "HEAD /a?b=c HTTP/1.1\r\n", "\r\n\r\n" },
    { { .url = url, .body = "x=END" }, "POST /a?b=c HTTP/1.1\r\n", "\r\n\r\nx=END" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (LabHttpClient) client = new_client (&cases[i].options);
      g_autoptr (LabOpenLoop) load = run_once (clock, client, 1, 60 * LAB_S);
      g_autofree char *request = g_steal_pointer (&last_request);

      g_assert_cmpuint (n_of (load, LAB_OK), ==, 1);
      g_assert_true (g_str_has_prefix (request, cases[i].start));
      g_assert_nonnull (strstr (request, cases[i].has));
      g_assert_null (strstr (request, "Expect:"));
    }
  shutdown (listener, SHUT_RDWR);
}

static void
test_ipv6 (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET6, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://[::1]:%u/well", port);
  g_autoptr (LabHttpClient) client = NULL;
  g_autoptr (LabOpenLoop) load = NULL;

  if (listener < 0)
    {
      g_test_skip ("this machine has no IPv6 loopback address");
      return;
    }
  client = new_client (&(LabHttpClientOptions) { .url = url });
  load = run_once (clock, client, 5, 60 * LAB_S);
  g_assert_cmpuint (n_of (load, LAB_OK), ==, 5);
  shutdown (listener, SHUT_RDWR);
}

/* Freed in the middle of a run: nothing is left behind, and no call is heard of again. */
static void
test_freed_early (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_real ();
  guint16 port;
  int listener = serve_somewhere (AF_INET, be_rude, &port);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u/hang", port);
  g_autoptr (LabHttpClient) client = new_client (&(LabHttpClientOptions) { .url = url });
  LabOpenLoop *load = lab_open_loop_new (
      clock, lab_http_client_target (client),
      &(LabOpenLoopOptions) {
          .rate_rps = 100, .duration_ns = 100 * LAB_MS, .client_timeout_ns = 60 * LAB_S, .hang_up = TRUE });

  g_atomic_int_set (&requests_read, 0);
  lab_open_loop_start (load);
  while (g_atomic_int_get (&requests_read) < 5)
    g_main_context_iteration (NULL, FALSE);
  lab_open_loop_free (load);
  shutdown (listener, SHUT_RDWR);
}

int
main (int argc, char *argv[])
{
  g_setenv ("http_proxy", "http://127.0.0.1:1/", TRUE); /* which must never be asked */
  g_setenv ("https_proxy", "http://127.0.0.1:1/", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http-client/out-of-ports", test_out_of_ports); /* first: it wants no other thread */
  g_test_add_func ("/http-client/rude-servers", test_rude_servers);
  g_test_add_func ("/http-client/retry-after", test_retry_after);
  g_test_add_func ("/http-client/resent-once", test_resent_once);
  g_test_add_func ("/http-client/resent-at-most-once", test_resent_at_most_once);
  g_test_add_func ("/http-client/refused", test_refused);
  g_test_add_func ("/http-client/closed-behind-our-back", test_closed_behind_our_back);
  g_test_add_func ("/http-client/connections-are-kept", test_connections_are_kept);
  g_test_add_func ("/http-client/timed-out-is-closed", test_timed_out_is_closed);
  g_test_add_func ("/http-client/method-is-checked", test_method_is_checked);
  g_test_add_func ("/http-client/credentials-are-not-shown", test_credentials_are_not_shown);
  g_test_add_func ("/http-client/max-inflight", test_max_inflight);
  g_test_add_func ("/http-client/out-of-files", test_out_of_files);
  g_test_add_func ("/http-client/file-limit", test_file_limit);
  g_test_add_func ("/http-client/not-taken", test_not_taken);
  g_test_add_func ("/http-client/tls", test_tls);
  g_test_add_func ("/http-client/tls-names", test_tls_names);
  g_test_add_func ("/http-client/names", test_names);
  g_test_add_func ("/http-client/urls", test_urls);
  g_test_add_func ("/http-client/addresses-without-a-name", test_addresses_without_a_name);
  g_test_add_func ("/http-client/headers-are-checked", test_headers_are_checked);
  g_test_add_func ("/http-client/what-is-sent", test_what_is_sent);
  g_test_add_func ("/http-client/ipv6", test_ipv6);
  g_test_add_func ("/http-client/freed-early", test_freed_early);
  return g_test_run ();
}
