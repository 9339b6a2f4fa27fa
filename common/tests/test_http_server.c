#include "../http/server.h"
#include "../time/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The server runs on this thread's main loop, and so does the client: a plain
 * socket that is written to and looked at between the loop's iterations. */

/* What the server and the library ask of the system and of each other, counted or
 * refused where a test wants that. */

static gboolean no_flags, no_epoll;
static guint closed_twice, infos;

#undef fcntl
int
fcntl (int fd, int command, ...)
{
  int (*real) (int, int, ...);
  va_list arguments;
  gpointer value;

  va_start (arguments, command);
  value = va_arg (arguments, gpointer); /* as wide as any other */
  va_end (arguments);
  *(void **) &real = dlsym (RTLD_NEXT, "fcntl");
  if (no_flags && command == F_SETFL)
    {
      errno = EPERM;
      return -1;
    }
  return real (fd, command, value);
}

int
epoll_create1 (int flags)
{
  if (no_epoll)
    {
      errno = EMFILE;
      return -1;
    }
  return (int) syscall (SYS_epoll_create1, flags);
}

int
close (int fd)
{
  int result = (int) syscall (SYS_close, fd);

  if (result != 0 && errno == EBADF)
    closed_twice++;
  return result;
}

const union MHD_ConnectionInfo *
MHD_get_connection_info (struct MHD_Connection *connection, enum MHD_ConnectionInfoType type, ...)
{
  const union MHD_ConnectionInfo *(*real) (struct MHD_Connection *, enum MHD_ConnectionInfoType, ...);

  infos++;
  *(void **) &real = dlsym (RTLD_NEXT, "MHD_get_connection_info");
  return real (connection, type);
}

typedef struct
{
  LabHttpServer *server;
  GPtrArray *held; /* requests to /held that wait */
  LabHttpResponse *hello;
  guint arrived, hung_up, ended;
} House;

static gboolean
note_arrival (LabHttpRequest *request, gpointer data)
{
  (void) request;
  ((House *) data)->arrived++;
  return FALSE;
}

static void
handle_hello (LabHttpRequest *request, gpointer data)
{
  lab_http_respond (request, ((House *) data)->hello);
}

static void
handle_held (LabHttpRequest *request, gpointer data)
{
  g_ptr_array_add (((House *) data)->held, request);
  lab_http_watch (request);
}

static void
handle_watch_twice (LabHttpRequest *request, gpointer data)
{
  lab_http_watch (request);
  lab_http_watch (request);
  lab_http_respond (request, ((House *) data)->hello);
}

static void
handle_drop (LabHttpRequest *request, gpointer data)
{
  (void) data;
  lab_http_drop (request);
}

static void
note_hang_up (LabHttpRequest *request, gpointer data)
{
  House *house = data;

  house->hung_up++;
  g_assert_true (g_ptr_array_remove (house->held, request));
  lab_http_drop (request);
}

static void
note_end (LabHttpRequest *request, gpointer data)
{
  House *house = data;

  house->ended++;
  g_ptr_array_remove (house->held, request);
}

/* @tells: of clients that have left. */
static House *
house_new_that (gboolean tells)
{
  static const LabHttpRoute routes[] = { { "/hello", handle_hello },
                                         { "/held", handle_held },
                                         { "/drop", handle_drop },
                                         { "/watch-twice", handle_watch_twice } };
  House *house = g_new0 (House, 1);
  g_autoptr (GError) error = NULL;

  house->held = g_ptr_array_new ();
  house->hello = lab_http_response_new (200, "text/plain", "hello", "X-Of", "the house");
  house->server = lab_http_server_new (&(LabHttpServerOptions) { .routes = routes,
                                                                 .n_routes = G_N_ELEMENTS (routes),
                                                                 .data = house,
                                                                 .arrived = note_arrival,
                                                                 .hung_up = tells ? note_hang_up : NULL,
                                                                 .ended = note_end },
                                       &error);
  g_assert_no_error (error);
  return house;
}

static House *
house_new (void)
{
  return house_new_that (TRUE);
}

static void
house_free (House *house)
{
  lab_http_server_free (house->server);
  g_assert_cmpuint (house->ended, ==, house->arrived); /* every request that came in has ended, once */
  lab_http_response_free (house->hello);
  g_ptr_array_unref (house->held);
  g_free (house);
}

static void
connect_socket (int fd, const House *house)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (lab_http_server_port (house->server)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };

  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
}

static int
connect_to (const House *house)
{
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  connect_socket (fd, house);
  return fd;
}

static void
say (int fd, const char *text, gssize length)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;

  /* May be cut short: the server closes on what it does not like. */
  while (n > 0)
    {
      gssize sent = send (fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);

      if (sent <= 0)
        break;
      text += sent;
      n -= (gsize) sent;
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
}

#define HEAR_WITHIN_US (30 * G_USEC_PER_SEC) /* less than the server lets a connection idle */

/* Reads until @text has come @times, or the server closes; NULL then stands for
 * "until it closes". */
static char *
hear (int fd, const char *text, guint times)
{
  GString *heard = g_string_new (NULL);
  gint64 begun_us = g_get_monotonic_time ();
  char bytes[4096];

  for (;;)
    {
      gssize n = recv (fd, bytes, sizeof bytes, MSG_DONTWAIT);
      guint seen = 0;

      if (n == 0 || (n < 0 && errno != EAGAIN))
        break;
      if (n > 0)
        g_string_append_len (heard, bytes, n);
      for (const char *at = heard->str; text != NULL && (at = strstr (at, text)) != NULL; at++)
        seen++;
      if (text != NULL && seen >= times)
        break;
      g_assert_cmpint (g_get_monotonic_time () - begun_us, <, HEAR_WITHIN_US);
      g_main_context_iteration (NULL, FALSE);
    }
  return g_string_free (heard, FALSE);
}

static void
assert_said (int fd, const char *request, const char *status, const char *body)
{
  g_autofree char *heard = NULL;
  g_autofree char *first = g_strdup_printf ("HTTP/1.1 %s", status);

  say (fd, request, -1);
  heard = hear (fd, body, 1);
  if (!g_str_has_prefix (heard, first))
    g_error ("to %.40s the server said %.80s instead of %s", request, heard, first);
}

#define HELLO "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
#define HELD "GET /held HTTP/1.1\r\nHost: a\r\n\r\n"

static void
test_answers (void)
{
  House *house = house_new ();
  int fd = connect_to (house);

  for (guint i = 0; i < 3; i++) /* on one connection */
    assert_said (fd, HELLO, "200 OK", "hello");
  assert_said (fd, "HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK", "X-Of: the house");
  assert_said (fd, "GET /hello?with=query HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK", "hello");
  assert_said (fd, "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "200 OK", "hello");
  assert_said (fd, "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
               "200 OK", "hello");
  assert_said (fd, "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n", "404 ", "Not Found");
  assert_said (fd, "DELETE /hello HTTP/1.1\r\nHost: a\r\n\r\n", "405 ", "Allow: GET, HEAD");
  assert_said (fd, HELLO, "200 OK", "hello");
  g_assert_cmpuint (lab_http_server_connections (house->server), ==, 1);
  close (fd);
  house_free (house);
}

static void
test_pipelined (void)
{
  House *house = house_new ();
  int fd = connect_to (house);
  g_autofree char *heard = NULL;

  say (fd, HELLO HELLO HELLO HELLO, -1);
  heard = hear (fd, "hello", 4);
  g_assert_cmpuint (house->arrived, ==, 4);
  close (fd);
  house_free (house);
}

static void
test_later (void)
{
  House *house = house_new ();
  int fds[3];

  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    {
      fds[i] = connect_to (house);
      say (fds[i], HELD, -1);
      while (house->held->len <= i)
        g_main_context_iteration (NULL, FALSE);
    }
  g_assert_cmpuint (lab_http_server_held (house->server), ==, 3);
  for (guint i = G_N_ELEMENTS (fds); i > 0; i--) /* the last first */
    {
      g_autofree char *heard = NULL;

      lab_http_respond (g_ptr_array_steal_index (house->held, i - 1), house->hello);
      heard = hear (fds[i - 1], "hello", 1);
      assert_said (fds[i - 1], HELLO, "200 OK", "hello"); /* the connection was kept */
      close (fds[i - 1]);
    }
  g_assert_cmpuint (lab_http_server_held (house->server), ==, 0);
  house_free (house);
}

static void
test_hang_up_is_noticed (void)
{
  House *house = house_new ();
  int gone = connect_to (house);
  int reset = connect_to (house);
  int stays = connect_to (house);
  g_autofree char *heard = NULL;

  say (gone, HELD, -1);
  say (reset, HELD, -1);
  say (stays, HELD, -1);
  while (house->held->len < 3)
    g_main_context_iteration (NULL, FALSE);
  setsockopt (reset, SOL_SOCKET, SO_LINGER, &(struct linger) { .l_onoff = 1 }, sizeof (struct linger));
  close (gone);
  close (reset);
  while (house->hung_up < 2 || house->ended < 2)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (house->held->len, ==, 1);
  lab_http_respond (g_ptr_array_steal_index (house->held, 0), house->hello);
  heard = hear (stays, "hello", 1);
  g_assert_cmpuint (house->hung_up, ==, 2);
  close (stays);
  house_free (house);
}

/* A watched request that is answered is not watched any more, however often that
 * was asked for: its block is the next request's. */
static void
test_watched_twice (void)
{
  House *house = house_new ();
  int fd = connect_to (house);

  assert_said (fd, "GET /watch-twice HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK", "hello");
  close (fd);
  while (lab_http_server_connections (house->server) > 0)
    g_main_context_iteration (NULL, FALSE);
  for (guint i = 0; i < 100; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (house->hung_up, ==, 0);
  house_free (house);
}

static void
test_watched_for_nobody (void)
{
  House *house = house_new_that (FALSE);
  int fd = connect_to (house);
  int other = connect_to (house);

  say (fd, HELD, -1);
  while (house->held->len < 1)
    g_main_context_iteration (NULL, FALSE);
  close (fd);
  for (guint i = 0; i < 100; i++)
    assert_said (other, HELLO, "200 OK", "hello");
  g_assert_cmpuint (lab_http_server_held (house->server), ==, 1);
  close (other);
  house_free (house);
}

/* Answered after the client has gone without anybody looking: the request ends
 * all the same, and only once. */
static void
test_answered_too_late (void)
{
  House *house = house_new ();
  int fd = connect_to (house);

  say (fd, HELLO HELD, -1); /* unread answers make it a reset */
  while (house->held->len < 1)
    g_main_context_iteration (NULL, FALSE);
  lab_http_respond (g_ptr_array_steal_index (house->held, 0), house->hello);
  close (fd);
  while (house->ended < 2 || lab_http_server_connections (house->server) > 0)
    g_main_context_iteration (NULL, FALSE);
  house_free (house);
}

static void
test_dropped (void)
{
  House *house = house_new ();
  int fd = connect_to (house);
  LabHttpRequest *request;
  g_autofree char *heard = NULL;
  g_autofree char *heard_too_late = NULL;

  say (fd, "GET /drop HTTP/1.1\r\nHost: a\r\n\r\n", -1);
  heard = hear (fd, NULL, 0);
  g_assert_cmpstr (heard, ==, "");
  close (fd);

  fd = connect_to (house);
  say (fd, HELD, -1);
  while (house->held->len < 1)
    g_main_context_iteration (NULL, FALSE);
  request = g_ptr_array_index (house->held, 0);
  lab_http_drop (request);
  lab_http_respond (request, house->hello); /* too late */
  heard_too_late = hear (fd, NULL, 0);
  g_assert_cmpstr (heard_too_late, ==, "");
  close (fd);
  house_free (house);
}

/* Freed with requests in every state. */
static void
test_freed_early (void)
{
  House *house = house_new ();
  int held = connect_to (house);
  int idle = connect_to (house);
  int half = connect_to (house);

  say (held, HELD, -1);
  say (half, "GET /hel", -1);
  while (house->held->len < 1)
    g_main_context_iteration (NULL, FALSE);
  house_free (house);
  close (held);
  close (idle);
  close (half);
}

/* Requests that have arrived, but were not read yet when the server is freed: on
 * connections of their own, and behind a request that is held. */
static void
test_freed_under_load (void)
{
  House *house = house_new ();
  int held = connect_to (house);
  int fresh[20];

  for (guint i = 0; i < G_N_ELEMENTS (fresh); i++)
    {
      fresh[i] = connect_to (house);
      assert_said (fresh[i], HELLO, "200 OK", "hello");
    }
  say (held, HELD HELD, -1);
  while (house->held->len < 1)
    g_main_context_iteration (NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (fresh); i++)
    g_assert_cmpint (send (fresh[i], HELD, strlen (HELD), MSG_NOSIGNAL), ==, (int) strlen (HELD));
  house_free (house);
  for (guint i = 0; i < G_N_ELEMENTS (fresh); i++)
    close (fresh[i]);
  close (held);
}

static void
test_stop_listening (void)
{
  House *house = house_new ();
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (lab_http_server_port (house->server)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int old = connect_to (house);
  int new = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  assert_said (old, HELLO, "200 OK", "hello");
  lab_http_server_stop_listening (house->server);
  g_assert_cmpint (connect (new, (struct sockaddr *) &address, sizeof address), ==, -1);
  assert_said (old, HELLO, "200 OK", "hello");
  close (old);
  close (new);
  house_free (house);
}

static void
test_port_in_use (void)
{
  House *house = house_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (
      lab_http_server_new (&(LabHttpServerOptions) { .port = lab_http_server_port (house->server) }, &error));
  g_assert_nonnull (strstr (error->message, "cannot listen on 127.0.0.1 port"));
  house_free (house);
}

static guint
count_files (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/* The library closes the socket that it was given before it fails, or it does not. */
static void
test_failed_start (void)
{
  gboolean *const faults[] = { &no_flags, &no_epoll };
  guint files;

  g_main_context_default (); /* has a file of its own */
  files = count_files ();
  closed_twice = 0;
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;

      *faults[i] = TRUE;
      g_assert_null (lab_http_server_new (&(LabHttpServerOptions) { 0 }, &error));
      *faults[i] = FALSE;
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_assert_cmpuint (closed_twice, ==, 0);
      g_assert_cmpuint (count_files (), ==, files);
    }
}

/* Whatever it is that there is no file for, the sentence says so. */
static void
test_out_of_files (void)
{
  struct rlimit limit = { 64, 64 };
  gboolean is_up = FALSE;

  if (!g_test_subprocess ()) /* a hard limit cannot be raised again */
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  g_main_context_default (); /* has a file of its own */
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  for (int left = 0; left <= 8; left++)
    {
      g_autoptr (GError) error = NULL;
      LabHttpServer *server;

      while (dup (0) >= 0)
        ;
      for (int i = 1; i <= left; i++)
        close ((int) limit.rlim_cur - i);
      server = lab_http_server_new (&(LabHttpServerOptions) { 0 }, &error);
      g_assert_true ((server == NULL) == (error != NULL));
      g_test_message ("%d files: %s", left, error == NULL ? "enough" : error->message);
      if (error != NULL)
        g_assert_null (strstr (error->message, g_strerror (0)));
      else
        is_up = TRUE;
      g_clear_pointer (&server, lab_http_server_free);
    }
  g_assert_true (is_up);
  for (int fd = 32; fd < (int) limit.rlim_cur; fd++)
    close (fd);
}

/* The house is full, with one more at the door: it is let in when another leaves, and
 * so is the next one after all have left at once. */
static void
test_full_house (void)
{
  struct rlimit limit = { 100, 100 };
  int guests[50 + 2]; /* half of the files, and two more guests */
  const guint full = G_N_ELEMENTS (guests) - 2;
  House *house;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (guests); i++) /* above the limit: the files below are the server's */
    {
      int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

      guests[i] = fcntl (fd, F_DUPFD_CLOEXEC, (int) limit.rlim_cur);
      g_assert_cmpint (guests[i], >=, 0);
      close (fd);
    }
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  house = house_new ();
  for (guint i = 0; i < full; i++)
    {
      connect_socket (guests[i], house);
      assert_said (guests[i], HELLO, "200 OK", "hello");
    }
  connect_socket (guests[full], house);
  say (guests[full], HELLO, -1);
  g_assert_cmpuint (lab_http_server_connections (house->server), ==, full);

  close (guests[0]);
  assert_said (guests[full], "", "200 OK", "hello");

  for (guint i = 1; i <= full; i++)
    close (guests[i]);
  connect_socket (guests[full + 1], house);
  assert_said (guests[full + 1], HELLO, "200 OK", "hello");
  close (guests[full + 1]);
  house_free (house);
}

/* Requests that are wrong: each is met with a 4xx or 5xx or a closed connection,
 * never with the route's answer, and the server goes on. (When nothing but the
 * version is wrong, that is 505.) */

static const struct
{
  const char *what, *request;
} malformed[] = {
  { "two lengths", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc" },
  { "two different lengths", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd" },
  { "length and coding",
    "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" },
  { "coding and length",
    "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" },
  { "two codings",
    "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" },
  { "unknown coding", "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" },
  { "coding in a list", "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" },
  { "coding in HTTP/1.0", "GET /hello HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" },
  { "negative length", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n" },
  { "signed length", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc" },
  { "length in hex", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc" },
  { "length with a list", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc" },
  { "length without a number", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n" },
  { "overflowing length", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n" },
  { "length too large", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n" },
  { "bad chunk", "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n" },
  { "overflowing chunk", "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" },
  { "no host", "GET /hello HTTP/1.1\r\n\r\n" },
  { "two hosts", "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" },
  { "space before the colon", "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n" },
  { "space in a name", "GET /hello HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n" },
  { "control character in a value", "GET /hello HTTP/1.1\r\nHost: a\r\nX: b\x01\r\n\r\n" },
  { "no colon", "GET /hello HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n" },
  { "bad method", "G(T /hello HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "method in small letters", "get /hello HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "no path", "GET HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "no version", "GET /hello\r\nHost: a\r\n\r\n" },
  { "bad version", "GET /hello HTTP/9.9\r\nHost: a\r\n\r\n" },
  { "worse version", "GET /hello HTTPS/1.1\r\nHost: a\r\n\r\n" },
  { "half a version", "GET /hello HTTP/1\r\nHost: a\r\n\r\n" },
  { "a space too many", "GET /hello  HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "a space too many before", "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "encoded nothing", "GET /hello%00lo HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "way up", "GET /../../hello HTTP/1.1\r\nHost: a\r\n\r\n" },
  { "a TLS greeting", "\x16\x03\x01\x02\x01\x01\x01\x01\xfc\x03\x03\r\n\r\n" },
  { "an answer", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
  { "noise", "\xff\xfe\xfd\r\n\r\n\xff\r\n\r\n" },
};

/* Nothing, or one answer whose body is as long as its head says. */
static gboolean
is_one_answer (const char *heard)
{
  const char *length = strstr (heard, "\r\nContent-Length: ");
  const char *body = strstr (heard, "\r\n\r\n");

  if (*heard == '\0')
    return TRUE;
  return length != NULL && body != NULL && length < body
         && strlen (body + 4) == g_ascii_strtoull (length + strlen ("\r\nContent-Length: "), NULL, 10);
}

static void
assert_refused (House *house, const char *what, const char *request, gssize length)
{
  int fd = connect_to (house);
  g_autofree char *heard = NULL;

  say (fd, request, length);
  shutdown (fd, SHUT_WR); /* nothing more will come */
  heard = hear (fd, NULL, 0);
  if (*heard != '\0' && !g_str_has_prefix (heard, "HTTP/1.1 4") && !g_str_has_prefix (heard, "HTTP/1.1 505")
      && !g_str_has_prefix (heard, "HTTP/1.0 4") && !g_str_has_prefix (heard, "HTTP/1.0 505"))
    g_error ("to %s the server said: %.400s", what, heard);
  if (!is_one_answer (heard))
    g_error ("to %s the server said too much or too little: %.400s", what, heard);
  close (fd);
}

static void
test_malformed (void)
{
  House *house = house_new ();
  g_autofree char *long_path = g_strnfill (100000, 'a');
  g_autofree char *long_line = g_strdup_printf ("GET /%s HTTP/1.1\r\nHost: a\r\n\r\n", long_path);
  g_autofree char *long_header = g_strdup_printf ("GET /hello HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", long_path);
  g_autoptr (GString) many = g_string_new ("GET /hello HTTP/1.1\r\nHost: a\r\n");
  g_autofree char *heard = NULL;
  static const char nothing[] = "GET /hello HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n";
  int fd;

  for (guint i = 0; i < 10000; i++)
    g_string_append_printf (many, "X-%u: y\r\n", i);
  for (guint i = 0; i < G_N_ELEMENTS (malformed); i++)
    assert_refused (house, malformed[i].what, malformed[i].request, -1);
  assert_refused (house, "a long path", long_line, -1);
  assert_refused (house, "a long header", long_header, -1);
  assert_refused (house, "many headers", many->str, -1);

  /* The library leaves these out before anybody can see them. */
  fd = connect_to (house);
  assert_said (fd, "GET /hello HTTP/1.1\r\nHost: a\r\n: no name\r\n\r\n", "200 OK", "hello");
  say (fd, nothing, sizeof nothing - 1);
  heard = hear (fd, "hello", 1);
  g_assert_true (g_str_has_prefix (heard, "HTTP/1.1 200 OK"));
  close (fd);

  fd = connect_to (house);
  assert_said (fd, HELLO, "200 OK", "hello");
  close (fd);
  house_free (house);
}

/* What follows on the connection of a refused request is never taken for another:
 * that is how requests are smuggled. */
static void
test_nothing_is_smuggled (void)
{
  House *house = house_new ();

  for (guint i = 0; i < G_N_ELEMENTS (malformed); i++)
    {
      g_autofree char *both = g_strconcat (malformed[i].request, HELLO, NULL);

      if (strstr (malformed[i].request, "Content-Length") != NULL
          || strstr (malformed[i].request, "Transfer-Encoding") != NULL)
        assert_refused (house, malformed[i].what, both, -1);
    }
  house_free (house);
}

/* A body that is larger than any request here needs is not read to its end. */
static void
test_large_chunked_body (void)
{
  House *house = house_new ();
  int fd = connect_to (house);
  g_autofree char *chunk = g_strnfill (4096, 'x');
  g_autofree char *heard = NULL;

  say (fd, "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", -1);
  for (guint i = 0; i < 100; i++)
    {
      say (fd, "1000\r\n", -1);
      say (fd, chunk, -1);
      say (fd, "\r\n", -1);
    }
  say (fd, "0\r\n\r\n", -1);
  heard = hear (fd, NULL, 0);
  g_assert_cmpstr (heard, ==, "");
  g_assert_cmpuint (house->arrived, ==, 0);
  close (fd);
  house_free (house);
}

/* As many bytes as are allowed, and one more. */
static void
test_largest_body (void)
{
  House *house = house_new ();
  int fd = connect_to (house);
  g_autofree char *body = g_strnfill (64 * 1024, 'x');
  g_autofree char *largest
      = g_strdup_printf ("GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n%s", body);

  assert_said (fd, largest, "200 OK", "hello");
  assert_said (fd, "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", "413 ", "Content Too Large");
  close (fd);
  house_free (house);
}

/* A NUL ends a text for whoever compares it, and begins what nobody looks at. */
static void
test_nothing_in_the_first_line (void)
{
  static const char *const lines[] = { "GET /hello@ HTTP/1.1",     "GET /hello@lo HTTP/1.1", "GET /hello?@a HTTP/1.1",
                                       "GET /hello?a@=b HTTP/1.1", "GET@ /hello HTTP/1.1",   "GET@T /hello HTTP/1.1",
                                       "GET @/hello HTTP/1.1",     "GET /hello @HTTP/1.1",   "GET /hello HTTP/1.1@" };
  House *house = house_new ();

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *request = g_strconcat (lines[i], "\r\nHost: a\r\n\r\n", NULL);
      gsize length = strlen (request);

      *strchr (request, '@') = '\0';
      assert_refused (house, lines[i], request, (gssize) length);
    }
  g_assert_cmpuint (house->arrived, ==, 0);
  house_free (house);
}

/* Headers that the library refuses by itself, while those of others are under way. */
static void
test_refused_among_others (void)
{
  House *house = house_new ();
  int half[20];

  for (guint i = 0; i < G_N_ELEMENTS (half); i++)
    {
      half[i] = connect_to (house);
      say (half[i], "GET /hello HTTP/1.1\r\nHo", -1);
    }
  for (guint i = 0; i < 50; i++)
    {
      assert_refused (house, "no host", "GET /hello HTTP/1.1\r\n\r\n", -1);
      assert_refused (house, "two lengths", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\n", -1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (half); i++)
    {
      assert_said (half[i], "st: a\r\n\r\n", "200 OK", "hello");
      close (half[i]);
    }
  house_free (house);
}

/* What a refusal costs does not depend on how many others are under way. */
static void
test_refused_among_many (void)
{
  static const char *const bad[]
      = { "GET /hello HTTP/1.1\r\n\r\n", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
          "GET /hello HTTP/9.9\r\n\r\n", "nonsense\r\n\r\n" };
  House *house = house_new ();
  int half[1000];

  for (guint i = 0; i < G_N_ELEMENTS (half); i++)
    {
      half[i] = connect_to (house);
      say (half[i], "GET /hello HTTP/1.1\r\nHo", -1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      infos = 0;
      assert_refused (house, bad[i], bad[i], -1);
      g_assert_cmpuint (infos, <, 300);
    }
  for (guint i = 0; i < G_N_ELEMENTS (half); i++)
    close (half[i]);
  house_free (house);
}

/* The headers come in pieces, and others begin in between. */
static void
test_refused_in_pieces (void)
{
  House *house = house_new ();
  int others[20];
  int fd = connect_to (house);
  g_autofree char *heard = NULL;

  say (fd, "GET /hello HTTP/1.1\r\nContent-Len", -1);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      others[i] = connect_to (house);
      say (others[i], "GET /hello HTTP/1.1\r\nHo", -1);
    }
  say (fd, "gth: x\r\nHost: a\r\n\r\n", -1);
  heard = hear (fd, NULL, 0);
  g_assert_true (g_str_has_prefix (heard, "HTTP/1.1 400 "));
  g_assert_true (is_one_answer (heard));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      assert_said (others[i], "st: a\r\n\r\n", "200 OK", "hello");
      close (others[i]);
    }
  close (fd);
  house_free (house);
}

static void
test_split_at_every_byte (void)
{
  House *house = house_new ();
  int fd = connect_to (house);
  g_autofree char *heard = NULL;

  for (const char *at = HELLO; *at != '\0'; at++)
    say (fd, at, 1);
  heard = hear (fd, "hello", 1);
  g_assert_true (g_str_has_prefix (heard, "HTTP/1.1 200 OK"));
  close (fd);
  house_free (house);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http-server/answers", test_answers);
  g_test_add_func ("/http-server/pipelined", test_pipelined);
  g_test_add_func ("/http-server/later", test_later);
  g_test_add_func ("/http-server/hang-up-is-noticed", test_hang_up_is_noticed);
  g_test_add_func ("/http-server/watched-twice", test_watched_twice);
  g_test_add_func ("/http-server/watched-for-nobody", test_watched_for_nobody);
  g_test_add_func ("/http-server/answered-too-late", test_answered_too_late);
  g_test_add_func ("/http-server/dropped", test_dropped);
  g_test_add_func ("/http-server/freed-early", test_freed_early);
  g_test_add_func ("/http-server/freed-under-load", test_freed_under_load);
  g_test_add_func ("/http-server/failed-start", test_failed_start);
  g_test_add_func ("/http-server/stop-listening", test_stop_listening);
  g_test_add_func ("/http-server/port-in-use", test_port_in_use);
  g_test_add_func ("/http-server/out-of-files", test_out_of_files);
  g_test_add_func ("/http-server/full-house", test_full_house);
  g_test_add_func ("/http-server/malformed", test_malformed);
  g_test_add_func ("/http-server/nothing-is-smuggled", test_nothing_is_smuggled);
  g_test_add_func ("/http-server/large-chunked-body", test_large_chunked_body);
  g_test_add_func ("/http-server/largest-body", test_largest_body);
  g_test_add_func ("/http-server/nothing-in-the-first-line", test_nothing_in_the_first_line);
  g_test_add_func ("/http-server/refused-among-others", test_refused_among_others);
  g_test_add_func ("/http-server/refused-among-many", test_refused_among_many);
  g_test_add_func ("/http-server/refused-in-pieces", test_refused_in_pieces);
  g_test_add_func ("/http-server/split-at-every-byte", test_split_at_every_byte);
  return g_test_run ();
}
