#include "child.h"

#include "../lab/process.h"
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define START_PATIENCE_MS 15000
#define STOP_PATIENCE_MS 5000
#define LOOK_AGAIN_MS 2

/* What the child writes goes to files, never into pipes: a pipe that nobody reads fills
 * up, and then the child blocks. */
struct _LabChild
{
  GList link; /* in the list of all that have been started and not yet freed */
  char *program;
  GSubprocess *process;
  pid_t group; /* the process group of the child and whatever it starts; 0: gone */
  int out_fd;
  int log_fd;
  guint16 port;
};

static GQueue all = G_QUEUE_INIT;

static void
signal_group (LabChild *self, int number)
{
  if (self->group > 1)
    kill (-self->group, number);
}

/* All hear of it before the first is waited for. */
static void
stop_all (void)
{
  for (GList *link = all.head; link != NULL; link = link->next)
    signal_group (link->data, SIGTERM);
  for (GList *link = all.head; link != NULL; link = link->next)
    lab_child_stop (link->data);
}

/* Between fork and exec. */

typedef struct
{
  pid_t parent;
  int ends[2]; /* of a pipe: the child tells its process ID, which GLib forgets once it has ended */
} Birth;

static void
in_the_child (gpointer data)
{
  /* System calls only. */
  const Birth *birth = data;
  pid_t pid = getpid ();

  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  if (getppid () != birth->parent /* which died before the prctl() */
      || write (birth->ends[1], &pid, sizeof pid) != sizeof pid)
    _exit (127);
}

/* An unnamed file, opened for appending. */
static int
open_nameless (GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("overload-lab-XXXXXX", &path, error);

  if (fd < 0)
    return -1;
  unlink (path);
  fcntl (fd, F_SETFL, O_APPEND);
  return fd;
}

static gboolean
spawn (LabChild *self, const LabChildOptions *options, GError **error)
{
  const char *const *argv = options->argv;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  Birth birth = { .parent = getpid () };
  int out, log;

  if ((self->out_fd = open_nameless (error)) < 0 || (self->log_fd = open_nameless (error)) < 0)
    return FALSE;
  out = fcntl (self->out_fd, F_DUPFD_CLOEXEC, 3);
  log = fcntl (self->log_fd, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || log < 0 || pipe2 (birth.ends, O_CLOEXEC | O_NONBLOCK) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot start %s: %s", argv[0],
                   g_strerror (errno));
      if (out >= 0)
        close (out);
      if (log >= 0)
        close (log);
      return FALSE;
    }
  g_subprocess_launcher_take_stdout_fd (launcher, out);
  g_subprocess_launcher_take_stderr_fd (launcher, log);
  for (const char *const *name = options->unset; name != NULL && *name != NULL; name++)
    g_subprocess_launcher_unsetenv (launcher, *name);
  g_subprocess_launcher_set_child_setup (launcher, in_the_child, &birth, NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, argv, error);
  if (self->process != NULL && read (birth.ends[0], &self->group, sizeof self->group) != sizeof self->group)
    self->group = 0; /* the child did not get as far as telling it */
  close (birth.ends[0]);
  close (birth.ends[1]);
  if (self->process == NULL)
    return FALSE;
  self->link.data = self;
  g_queue_push_tail_link (&all, &self->link);
  lab_process_before_exit (stop_all);
  return TRUE;
}

/* A thread of GLib reaps the child; after that it has no process ID any more. */
static gboolean
is_running (const LabChild *self)
{
  return g_subprocess_get_identifier (self->process) != NULL;
}

static gboolean
is_given_up (const LabChildOptions *options)
{
  return options != NULL && options->give_up != NULL && options->give_up (options->data);
}

/* Waits until @condition holds, the child has ended, it is given up (@options may be
 * NULL), or @patience_ms are over. Returns whether the condition holds. */
static gboolean
wait_until (LabChild *self, gboolean (*condition) (LabChild *self), int patience_ms, const LabChildOptions *options)
{
  gint64 until_us = g_get_monotonic_time () + (gint64) patience_ms * 1000;

  while (g_get_monotonic_time () < until_us && is_running (self) && !is_given_up (options))
    {
      if (condition (self))
        return TRUE;
      g_usleep (LOOK_AGAIN_MS * 1000);
    }
  return condition (self);
}

/* What the child has written so far. It is mapped, because the child shares the file's
 * offset, which reading would move. */
static GBytes *
content_of (int fd)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (fd, FALSE, NULL);

  return file == NULL ? g_bytes_new (NULL, 0) : g_mapped_file_get_bytes (file);
}

static char *
text_of (int fd)
{
  g_autoptr (GBytes) content = content_of (fd);
  gsize length;
  const char *bytes = g_bytes_get_data (content, &length);

  return g_strndup (bytes == NULL ? "" : bytes, length);
}

static gboolean
has_said_a_line (LabChild *self)
{
  g_autofree char *text = text_of (self->out_fd);

  return strchr (text, '\n') != NULL;
}

static gboolean
read_port (LabChild *self, const LabChildOptions *options)
{
  g_autofree char *line = NULL;
  const char *colon;
  guint64 port;

  if (!wait_until (self, has_said_a_line, START_PATIENCE_MS, options))
    return FALSE;
  line = text_of (self->out_fd);
  *strchr (line, '\n') = '\0';
  colon = strrchr (line, ':');
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, &port, NULL))
    return FALSE;
  self->port = (guint16) port;
  return TRUE;
}

static gboolean
can_connect (LabChild *self)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_port = htons (self->port), .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  gboolean connected = connect (fd, (struct sockaddr *) &address, sizeof address) == 0;

  close (fd);
  return connected;
}

/* If somebody else listened there, can_connect() would take that for the child. */
static gboolean
is_free (guint16 port, GError **error)
{
  int fd = lab_bind_loopback (&port, error);

  if (fd < 0)
    return FALSE;
  close (fd);
  return TRUE;
}

/* Returns: (transfer full) */
static char *
last_words (const LabChild *self)
{
  g_autofree char *text = g_strstrip (text_of (self->log_fd));
  const char *line = strrchr (text, '\n');

  if (*text == '\0')
    return g_strdup ("it says nothing");
  return g_strdup (line == NULL ? text : line + 1);
}

static gboolean
has_started (LabChild *self, const LabChildOptions *options)
{
  gboolean listens
      = self->port == 0 ? read_port (self, options) : wait_until (self, can_connect, START_PATIENCE_MS, options);

  return listens && is_running (self);
}

LabChild *
lab_child_start (const LabChildOptions *options, GError **error)
{
  g_autoptr (LabChild) self = g_new0 (LabChild, 1);
  g_autofree char *words = NULL;

  self->program = g_strdup (options->argv[0]);
  self->out_fd = -1;
  self->log_fd = -1;
  self->port = options->port;
  if (self->port != 0 && !is_free (self->port, error))
    return NULL;
  if (!spawn (self, options, error))
    return NULL;
  if (has_started (self, options))
    return g_steal_pointer (&self);

  lab_child_stop (self);
  if (is_given_up (options))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s was given up before it had started", self->program);
      return NULL;
    }
  words = last_words (self);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s did not start: %s", self->program, words);
  return NULL;
}

guint16
lab_child_port (const LabChild *self)
{
  return self->port;
}

static gboolean
has_ended (LabChild *self)
{
  return !is_running (self);
}

int
lab_child_stop (LabChild *self)
{
  signal_group (self, SIGTERM);
  wait_until (self, has_ended, STOP_PATIENCE_MS, NULL);
  signal_group (self, SIGKILL); /* the child, if it did not heed it, and those that it has left behind */
  self->group = 0;
  g_subprocess_wait (self->process, NULL, NULL);
  return g_subprocess_get_if_exited (self->process) ? g_subprocess_get_exit_status (self->process) : -1;
}

void
lab_child_free (LabChild *self)
{
  if (self->process != NULL)
    {
      lab_child_stop (self);
      g_queue_unlink (&all, &self->link);
    }
  g_clear_object (&self->process);
  if (self->out_fd >= 0)
    close (self->out_fd);
  if (self->log_fd >= 0)
    close (self->log_fd);
  g_free (self->program);
  g_free (self);
}

char *
lab_child_obituary (const LabChild *self)
{
  g_autofree char *words = NULL;
  int number;

  if (is_running (self))
    return NULL;
  g_subprocess_wait (self->process, NULL, NULL);
  words = last_words (self);
  if (g_subprocess_get_if_exited (self->process))
    return g_strdup_printf ("%s has ended with exit status %d: %s", self->program,
                            g_subprocess_get_exit_status (self->process), words);
  number = g_subprocess_get_term_sig (self->process);
  return g_strdup_printf ("%s was ended by signal %d (%s): %s", self->program, number, g_strsignal (number), words);
}

guint
lab_child_count_log (const LabChild *self, const char *text)
{
  g_autoptr (GBytes) log = content_of (self->log_fd);
  gsize length;
  const char *at = g_bytes_get_data (log, &length);
  const char *end = at != NULL ? at + length : NULL; /* NULL for an empty log */
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
  guint16 port = 0;
  int fd = lab_bind_loopback (&port, NULL);

  if (fd >= 0)
    close (fd);
  return port;
}

char *
lab_child_beside (const char *program)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self == NULL ? "." : self);

  return g_build_filename (folder, program, NULL);
}
