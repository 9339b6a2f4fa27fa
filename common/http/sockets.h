/* What programs with many sockets need of the system. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Raises the soft limit of open files to the hard one, which a server or client
 * of thousands of connections needs; both do so when they are made. Returns what
 * it is now. */
guint lab_raise_file_limit (void);

/* A TCP socket bound to 127.0.0.1, port *@port; 0: a free one, which is put there.
 * Returns -1 with @error set (G_IO_ERROR) when it cannot be had. */
int lab_bind_loopback (guint16 *port, GError **error);

G_END_DECLS
