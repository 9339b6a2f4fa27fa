#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <unistd.h>

/* Signals have no owner but the process. GLib's own signal sources learn of a
 * signal through a second thread; a run that ends in that moment would miss it. */
static volatile sig_atomic_t caught;
static int pipe_ends[2] = { -1, -1 };
static guint source_id;
static void (*call_back) (gpointer data);
static gpointer call_back_data;
static void (*stop_before_exit) (void);

static const int ending_signals[] = { SIGINT, SIGTERM };

void
lab_process_prepare (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) == -1 && errno == EBADF)
      open ("/dev/null", O_RDONLY); /* takes the lowest that is free: this one */

  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
}

static void catch (int number)
{
  int errsv = errno;

  if (caught != 0)
    _exit (128 + number);
  caught = number;
  if (write (pipe_ends[1], "", 1) < 0)
    {
      /* The flag alone will be seen, a little later. */
    }
  errno = errsv;
}

static gboolean
tell (int fd, GIOCondition condition, gpointer data)
{
  (void) fd;
  (void) condition;
  (void) data;
  source_id = 0;
  call_back (call_back_data);
  return G_SOURCE_REMOVE;
}

static void
set_handlers (void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (ending_signals); i++)
    {
      sigaddset (&action.sa_mask, ending_signals[i]);
      sigaction (ending_signals[i], &action, NULL);
    }
}

void
lab_process_catch_signals (void (*interrupted) (gpointer data), gpointer data)
{
  g_return_if_fail (pipe_ends[0] == -1);

  if (!g_unix_open_pipe (pipe_ends, FD_CLOEXEC, NULL))
    g_error ("no pipe for signals: %s", g_strerror (errno));
  call_back = interrupted;
  call_back_data = data;
  source_id = g_unix_fd_add (pipe_ends[0], G_IO_IN, tell, NULL);
  set_handlers (catch);
}

void
lab_process_release_signals (void)
{
  if (pipe_ends[0] == -1)
    return;

  set_handlers (SIG_DFL);
  g_clear_handle_id (&source_id, g_source_remove);
  close (pipe_ends[0]);
  close (pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
}

int
lab_process_signal (void)
{
  return caught;
}

void
lab_process_before_exit (void (*stop) (void))
{
  stop_before_exit = stop;
}

void
lab_process_exit (int status)
{
  if (stop_before_exit != NULL)
    stop_before_exit ();
  _exit (status);
}

static void
mask_signals (int how)
{
  sigset_t set;

  sigemptyset (&set);
  for (guint i = 0; i < G_N_ELEMENTS (ending_signals); i++)
    sigaddset (&set, ending_signals[i]);
  sigprocmask (how, &set, NULL);
}

void
lab_process_hold_signals (void)
{
  mask_signals (SIG_BLOCK);
}

void
lab_process_let_signals (void)
{
  mask_signals (SIG_UNBLOCK);
}
