/* kill_at SIGNAL N PROGRAM [ARGUMENT...]: runs a program and sends it a signal just
 * before its Nth system call that changes files, so that a test can try every
 * moment in which results are half written, instead of hoping to meet one.
 *
 * Exit status: the program's own, 128 + signal when it was killed, 99 when it ended
 * before its Nth such call, 98 when a process may not be traced here. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

static int
changes_files (unsigned long long number)
{
  static const long calls[] = {
    SYS_openat, SYS_write,  SYS_fsync, SYS_close, SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat,
#ifdef SYS_rename
    SYS_rename, SYS_unlink, SYS_mkdir, SYS_open,
#endif
  };

  for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (number == (unsigned long long) calls[i])
      return 1;
  return 0;
}

/* Is the stopped process about to make a call that changes files? */
static int
is_at_call (pid_t process)
{
  struct ptrace_syscall_info info;

  return ptrace (PTRACE_GET_SYSCALL_INFO, process, (void *) sizeof info, &info) > 0
         && info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files (info.entry.nr);
}

static int
end_with (int status, int had_its_signal)
{
  if (WIFSIGNALED (status))
    return 128 + WTERMSIG (status);
  return had_its_signal ? WEXITSTATUS (status) : 99;
}

int
main (int argc, char *argv[])
{
  int signal_number = argc > 3 ? atoi (argv[1]) : 0;
  long left = argc > 3 ? atol (argv[2]) : 0;
  int deliver = 0;
  int status;
  pid_t process;

  if (argc < 4)
    return 2;
  process = fork ();
  if (process == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit (98);
      execv (argv[3], argv + 3);
      _exit (2);
    }
  while (waitpid (process, &status, 0) == process)
    {
      if (!WIFSTOPPED (status))
        return end_with (status, left <= 0);
      deliver = WSTOPSIG (status) == SIGTRAP ? 0 : WSTOPSIG (status);
      if (WSTOPSIG (status) == (SIGTRAP | 0x80))
        {
          deliver = 0;
          if (is_at_call (process) && --left == 0)
            kill (process, signal_number);
        }
      else
        ptrace (PTRACE_SETOPTIONS, process, NULL, (void *) (PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
      if (ptrace (PTRACE_SYSCALL, process, NULL, (void *) (long) deliver) != 0 && errno != ESRCH)
        return 98;
    }
  return 98;
}
