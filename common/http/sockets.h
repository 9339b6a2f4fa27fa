/* What programs with many sockets need of the system. */
#pragma once

#include <glib.h>
#include <sys/socket.h>

G_BEGIN_DECLS

/* Raises the soft limit of open files to the hard one, which a server or a client with
 * thousands of connections needs; server and client call it when they are made. Returns the new limit. */
guint lab_raise_file_limit (void);

/* A TCP socket bound to 127.0.0.1, port *@port; if that is 0, to a free port, which is
 * stored there. Returns -1 with @error set (G_IO_ERROR) on failure. */
int lab_bind_loopback (guint16 *port, GError **error);

/* IPv4 (mapped into IPv6, too) or IPv6. */
gboolean lab_is_loopback (const struct sockaddr *address);

G_END_DECLS
