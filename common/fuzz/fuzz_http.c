/* The HTTP server, over a connection of its own for each input. A byte 0xFF in it is
 * a pause in which the server reads what has come so far.
 *
 * Whatever comes: every request that arrived ends exactly once, whatever is answered
 * begins as HTTP does, and when the client has gone no connection is left. */
#include "../http/server.h"
#include "fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_TURNS 10000

typedef struct
{
  LabHttpRequest request;
  gboolean has_arrived, has_ended;
} Request;

static LabHttpServer *server;
static LabHttpResponse *hello;
static guint n_arrived, n_ended;

static gboolean
arrived (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  Request *mine = (Request *) request;

  FUZZ_ASSERT (!mine->has_arrived && !mine->has_ended);
  mine->has_arrived = TRUE;
  n_arrived++;
  return FALSE;
}

static void
ended (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  Request *mine = (Request *) request;

  FUZZ_ASSERT (!mine->has_ended);
  mine->has_ended = TRUE;
  n_ended++;
}

static void
greet (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  lab_http_respond (request, hello);
}

/* Answered never: such a request is held until its client goes. */
static void
ponder (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  lab_http_watch (request);
}

static void
drop (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  lab_http_drop (request);
}

static void
hung_up (LabHttpRequest *request, gpointer data G_GNUC_UNUSED)
{
  lab_http_drop (request);
}

static void
start_server (void)
{
  static const LabHttpRoute routes[] = { { "/", greet }, { "/work", ponder }, { "/drop", drop } };

  hello = lab_http_response_new (200, "text/plain", "hello\n", "Retry-After", "1");
  server = lab_http_server_new (&(LabHttpServerOptions) { .routes = routes,
                                                          .n_routes = G_N_ELEMENTS (routes),
                                                          .request_size = sizeof (Request),
                                                          .arrived = arrived,
                                                          .hung_up = hung_up,
                                                          .ended = ended },
                                NULL);
  FUZZ_ASSERT (server != NULL);
}

static void
let_server_turn (void)
{
  for (int i = 0; i < 20 && g_main_context_iteration (NULL, FALSE); i++)
    ;
}

static int
connect_to_server (void)
{
  /* Each from a loopback address of its own: where the server closes first, the
   * port is not to be had again for a minute, and one address has 28,000. */
  static guint32 host;
  struct sockaddr_in mine = { .sin_family = AF_INET };
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (lab_http_server_port (server)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  struct linger none = { 1, 0 }; /* a reset at close(): no port is left waiting on this side */
  int fd = -1;
  int status;

  do
    {
      if (fd >= 0)
        close (fd);
      fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      mine.sin_addr.s_addr = htonl (INADDR_LOOPBACK + host++ % 60000);
      FUZZ_ASSERT (fd >= 0 && bind (fd, (struct sockaddr *) &mine, sizeof mine) == 0);
      status = connect (fd, (struct sockaddr *) &address, sizeof address);
    }
  while (status != 0 && errno == EINTR); /* libFuzzer looks at the time by a signal */
  FUZZ_ASSERT (status == 0);
  FUZZ_ASSERT (setsockopt (fd, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0);
  return fd;
}

static void
send_input (int fd, const guint8 *data, gsize size)
{
  while (size > 0)
    {
      const guint8 *pause = memchr (data, 0xFF, size);
      gsize part = pause != NULL ? (gsize) (pause - data) : size;

      if (part > 0 && send (fd, data, part, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return; /* the server has had enough, or was asked too much at once */
      let_server_turn ();
      data += MIN (part + 1, size);
      size -= MIN (part + 1, size);
    }
}

static void
read_answer (int fd)
{
  char answer[4096];
  gssize n = recv (fd, answer, sizeof answer, MSG_DONTWAIT);

  FUZZ_ASSERT (n < 9 || memcmp (answer, "HTTP/1.", 7) == 0);
  while (n > 0)
    {
      let_server_turn ();
      n = recv (fd, answer, sizeof answer, MSG_DONTWAIT);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  guint turns = 0;
  int fd;

  if (server == NULL)
    start_server ();
  fd = connect_to_server ();
  send_input (fd, data, size);
  read_answer (fd);
  close (fd);
  do
    g_main_context_iteration (NULL, FALSE);
  while ((turns < 3 || lab_http_server_connections (server) > 0) && turns++ < MOST_TURNS);
  FUZZ_ASSERT (lab_http_server_connections (server) == 0);
  FUZZ_ASSERT (lab_http_server_held (server) == 0);
  FUZZ_ASSERT (n_arrived == n_ended);
  return 0;
}
