/* within SECONDS COMMAND...: runs a command with all that it starts, and lets none
 * of it outlive the command: not when it ends, not when its time is over, not when
 * somebody stops us. (Neither timeout nor setsid is everywhere.)
 *
 * Exit status: the command's, as a shell would tell it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int reasons[] = { SIGALRM, SIGHUP, SIGINT, SIGTERM };

static volatile pid_t group;

static void
end_all (int reason)
{
  static const char complaint[] = "stopped: its time is over\n";

  kill (-group, SIGKILL);
  if (reason == SIGALRM && write (STDERR_FILENO, complaint, sizeof complaint - 1) < 0)
    return; /* nobody can be told */
}

int
main (int argc, char *argv[])
{
  struct sigaction action = { .sa_handler = end_all };
  siginfo_t ended;
  sigset_t held, before;
  int status;

  if (argc < 3 || atoi (argv[1]) <= 0)
    return 2;
  sigfillset (&held);
  sigprocmask (SIG_SETMASK, &held, &before); /* until there is a group to end */
  group = fork ();
  if (group == 0)
    {
      setpgid (0, 0);
      signal (SIGINT, SIG_DFL); /* which a shell's background command ignores, and then nobody can catch */
      signal (SIGQUIT, SIG_DFL);
      sigprocmask (SIG_SETMASK, &before, NULL);
      execvp (argv[2], argv + 2);
      fprintf (stderr, "%s: %s\n", argv[2], strerror (errno));
      _exit (127);
    }
  if (group < 0)
    return 2;
  setpgid (group, group); /* whoever is first */
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    sigaction (reasons[i], &action, NULL);
  alarm ((unsigned) atoi (argv[1]));
  sigprocmask (SIG_SETMASK, &before, NULL);

  /* It is not reaped before the others have ended: its number is theirs. */
  while (waitid (P_PID, (id_t) group, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    ;
  sigprocmask (SIG_SETMASK, &held, NULL);
  kill (-group, SIGKILL);
  if (waitpid (group, &status, 0) != group)
    return 2;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
