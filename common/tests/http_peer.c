/* The other side of a connection on this machine, as a shell cannot be it:
 *
 *   http_peer hold PORT N   opens N connections, begins a request on each, prints N, and
 *                           ends when the server has closed them all
 *   http_peer say PORT      sends its standard input, and prints what comes back until
 *                           the server closes
 *   http_peer record        a server: prints its port, answers every request with 200,
 *                           and prints each as it came
 *
 * Exit status: 2 when something does not work. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
check (int works, const char *what)
{
  if (works)
    return;
  perror (what);
  exit (2);
}

static int
connect_to (const char *port)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons (atoi (port)), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  check (connect (fd, (struct sockaddr *) &address, sizeof address) == 0, "connect");
  return fd;
}

static void
send_text (int fd, const char *text)
{
  check (send (fd, text, strlen (text), 0) == (ssize_t) strlen (text), "send");
}

static void
hold (const char *port, int n)
{
  int *fds = calloc (n, sizeof *fds);
  char bytes[4096];

  for (int i = 0; i < n; i++)
    {
      fds[i] = connect_to (port);
      send_text (fds[i], "GET /health HTTP/1.1\r\nHost: ");
    }
  printf ("%d\n", n);
  fflush (stdout);
  for (int i = 0; i < n; i++)
    while (recv (fds[i], bytes, sizeof bytes, 0) > 0)
      ;
  free (fds);
}

static void
say (const char *port)
{
  int fd = connect_to (port);
  char bytes[4096];
  ssize_t n;

  while ((n = read (STDIN_FILENO, bytes, sizeof bytes)) > 0)
    check (send (fd, bytes, n, 0) == n, "send");
  while ((n = recv (fd, bytes, sizeof bytes, 0)) > 0)
    fwrite (bytes, 1, n, stdout);
}

/* Whether all of it is there: the headers, and as much of a body as they say. */
static int
is_whole (const char *request)
{
  const char *end = strstr (request, "\r\n\r\n");
  const char *length = strcasestr (request, "\r\nContent-Length:");

  return end != NULL && strlen (end + 4) >= (length == NULL ? 0 : strtoul (length + 17, NULL, 10));
}

static void
record (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int listening = socket (AF_INET, SOCK_STREAM, 0);

  check (bind (listening, (struct sockaddr *) &address, size) == 0 && listen (listening, 100) == 0
             && getsockname (listening, (struct sockaddr *) &address, &size) == 0,
         "listen");
  printf ("%d\n", ntohs (address.sin_port));
  fflush (stdout);
  for (;;)
    {
      int fd = accept (listening, NULL, NULL);
      char request[4096] = "";
      size_t n = 0;
      ssize_t more = 1;

      check (fd >= 0, "accept");
      while (!is_whole (request) && n < sizeof request - 1 && more > 0)
        {
          more = recv (fd, request + n, sizeof request - 1 - n, 0);
          n += more > 0 ? more : 0;
        }
      printf ("%s\n", request);
      fflush (stdout);
      send_text (fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      close (fd);
    }
}

int
main (int argc, char *argv[])
{
  signal (SIGPIPE, SIG_IGN);
  if (argc == 4 && strcmp (argv[1], "hold") == 0)
    hold (argv[2], atoi (argv[3]));
  else if (argc == 3 && strcmp (argv[1], "say") == 0)
    say (argv[2]);
  else if (argc == 2 && strcmp (argv[1], "record") == 0)
    record ();
  else
    return 2;
  return 0;
}
