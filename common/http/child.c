#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define START_PATIENCE_MS 15000
#define STOP_PATIENCE_MS 5000
#define CONNECT_AGAIN_MS 20

struct _LabChild
{
  GSubprocess *process;
  int pid_fd;
  int log_fd;
  guint16 port;
};

static void
in_the_child (gpointer data)
{
  /* Between fork and exec: system calls only. */
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  if (getppid () != GPOINTER_TO_INT (data))
    _exit (127); /* the parent was faster to die */
}

static gboolean
spawn (LabChild *self, const LabChildOptions *options, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *path = NULL;
  const char *pid;

  self->log_fd = g_file_open_tmp ("overload-lab-XXXXXX", &path, error);
  if (self->log_fd < 0)
    return FALSE;
  unlink (path);
  fcntl (self->log_fd, F_SETFL, O_APPEND);
  g_subprocess_launcher_take_stderr_fd (launcher, fcntl (self->log_fd, F_DUPFD_CLOEXEC, 3));
  g_subprocess_launcher_set_child_setup (launcher, in_the_child, GINT_TO_POINTER (getpid ()), NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, options->argv, error);
  if (self->process == NULL)
    return FALSE;
  pid = g_subprocess_get_identifier (self->process); /* NULL: it has ended already */
  if (pid != NULL)
    self->pid_fd = (int) syscall (SYS_pidfd_open, atoi (pid), 0);
  return TRUE;
}

/* The first line of what the child prints, without its end; NULL when none comes
 * in time. */
static char *
read_first_line (LabChild *self)
{
  int fd = g_unix_input_stream_get_fd (G_UNIX_INPUT_STREAM (g_subprocess_get_stdout_pipe (self->process)));
  gint64 until_us = g_get_monotonic_time () + START_PATIENCE_MS * 1000;
  g_autoptr (GString) line = g_string_new (NULL);
  char byte;

  while (g_get_monotonic_time () < until_us)
    {
      struct pollfd ready = { .fd = fd, .events = POLLIN };

      if (poll (&ready, 1, (int) ((until_us - g_get_monotonic_time ()) / 1000)) <= 0)
        continue;
      if (read (fd, &byte, 1) != 1)
        return NULL;
      if (byte == '\n')
        return g_string_free (g_steal_pointer (&line), FALSE);
      g_string_append_c (line, byte);
    }
  return NULL;
}

static gboolean
read_port (LabChild *self)
{
  g_autofree char *line = read_first_line (self);
  const char *colon = line == NULL ? NULL : strrchr (line, ':');
  guint64 port;

  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, &port, NULL))
    return FALSE;
  self->port = (guint16) port;
  return TRUE;
}

static gboolean
is_running (const LabChild *self, int wait_ms)
{
  struct pollfd ended = { .fd = self->pid_fd, .events = POLLIN };

  return self->pid_fd >= 0 && poll (&ended, 1, wait_ms) <= 0;
}

static gboolean
can_connect (guint16 port)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons (port), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  gboolean connected = connect (fd, (struct sockaddr *) &address, sizeof address) == 0;

  close (fd);
  return connected;
}

static gboolean
wait_for_port (LabChild *self, guint16 port)
{
  for (int waited_ms = 0; waited_ms < START_PATIENCE_MS; waited_ms += CONNECT_AGAIN_MS)
    {
      if (can_connect (port))
        {
          self->port = port;
          return is_running (self, 0); /* else it is somebody else's */
        }
      if (!is_running (self, CONNECT_AGAIN_MS))
        return FALSE;
    }
  return FALSE;
}

/* What the child has written to standard error so far. Mapped, because reading
 * would move the place at which the child writes. */
static GBytes *
log_of (const LabChild *self)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (self->log_fd, FALSE, NULL);

  return file == NULL ? g_bytes_new (NULL, 0) : g_mapped_file_get_bytes (file);
}

static char *
last_complaint (LabChild *self)
{
  g_autoptr (GBytes) log = log_of (self);
  gsize length;
  const char *bytes = g_bytes_get_data (log, &length);
  g_autofree char *text = g_strstrip (g_strndup (bytes == NULL ? "" : bytes, length));
  const char *line = strrchr (text, '\n');

  return g_strdup (line == NULL ? text : line + 1);
}

LabChild *
lab_child_start (const LabChildOptions *options, GError **error)
{
  g_autoptr (LabChild) self = g_new0 (LabChild, 1);
  g_autofree char *complaint = NULL;

  self->pid_fd = -1;
  self->log_fd = -1;
  if (!spawn (self, options, error))
    return NULL;
  if (options->port == 0 ? read_port (self) : wait_for_port (self, options->port))
    return g_steal_pointer (&self);

  lab_child_stop (self);
  complaint = last_complaint (self);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s did not start: %s", options->argv[0],
               *complaint == '\0' ? "it says nothing" : complaint);
  return NULL;
}

guint16
lab_child_port (const LabChild *self)
{
  return self->port;
}

int
lab_child_stop (LabChild *self)
{
  g_subprocess_send_signal (self->process, SIGTERM);
  if (is_running (self, STOP_PATIENCE_MS))
    g_subprocess_force_exit (self->process);
  g_subprocess_wait (self->process, NULL, NULL);
  return g_subprocess_get_if_exited (self->process) ? g_subprocess_get_exit_status (self->process) : -1;
}

void
lab_child_free (LabChild *self)
{
  if (self->process != NULL)
    lab_child_stop (self);
  g_clear_object (&self->process);
  if (self->pid_fd >= 0)
    close (self->pid_fd);
  if (self->log_fd >= 0)
    close (self->log_fd);
  g_free (self);
}

guint
lab_child_count_log (const LabChild *self, const char *text)
{
  g_autoptr (GBytes) log = log_of (self);
  gsize length;
  const char *at = g_bytes_get_data (log, &length);
  const char *end = at != NULL ? at + length : NULL; /* an empty log has no place */
  guint lines = 0;

  while (at != NULL && at < end)
    {
      const char *line_end = memchr (at, '\n', (gsize) (end - at));

      if (line_end == NULL)
        line_end = end;
      lines += g_strstr_len (at, line_end - at, text) != NULL;
      at = line_end + 1;
    }
  return lines;
}

guint16
lab_child_free_port (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (bind (fd, (struct sockaddr *) &address, length) != 0
      || getsockname (fd, (struct sockaddr *) &address, &length) != 0)
    address.sin_port = 0;
  close (fd);
  return ntohs (address.sin_port);
}

char *
lab_child_beside (const char *program)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self == NULL ? "." : self);

  return g_build_filename (folder, program, NULL);
}
