#include "sockets.h"

#include <errno.h>
#include <gio/gio.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

guint
lab_raise_file_limit (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return 1024;
  if (limit.rlim_cur < limit.rlim_max)
    {
      struct rlimit raised = { .rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max };

      if (setrlimit (RLIMIT_NOFILE, &raised) == 0)
        limit = raised;
    }
  return (guint) MIN (limit.rlim_cur, G_MAXINT);
}

int
lab_bind_loopback (guint16 *port, GError **error)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons (*port), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  /* Old connections of a server that has just ended do not keep its port occupied. */
  if (fd >= 0 && setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &(int) { 1 }, sizeof (int)) == 0
      && bind (fd, (struct sockaddr *) &address, length) == 0
      && getsockname (fd, (struct sockaddr *) &address, &length) == 0)
    {
      *port = ntohs (address.sin_port);
      return fd;
    }
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot listen on 127.0.0.1 port %u: %s", *port,
               g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

gboolean
lab_is_loopback (const struct sockaddr *address)
{
  const struct in6_addr *six;

  if (address->sa_family == AF_INET)
    return ntohl (((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24 == 127;
  if (address->sa_family != AF_INET6)
    return FALSE;
  six = &((const struct sockaddr_in6 *) address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK (six) || (IN6_IS_ADDR_V4MAPPED (six) && six->s6_addr[12] == 127);
}
