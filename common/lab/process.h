/* What surrounds a program: standard streams, which may be closed, and signals, which
 * are to end a run in order. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* First of all in main(). Standard streams that are closed are filled, so that no
 * file of ours ever becomes one of them; writing to a filled one still fails. A
 * pipe that nobody reads and a file that may not grow are errors of a write from
 * now on, not the end of the program. */
void lab_process_prepare (void);

/* From now on the first SIGINT or SIGTERM calls @interrupted from the default
 * main context; a second one ends the program at once, with 130 or 143. They are
 * caught even if the parent ignored them: in a script the shell ignores SIGINT for
 * everything that it starts with &, and a load test that is started so must still end in
 * order when it is sent one. SIGHUP is left alone, so nohup works. */
void lab_process_catch_signals (void (*interrupted) (gpointer data), gpointer data);
void lab_process_release_signals (void);

/* The signal that has come, whether the main context has looked at it or not;
 * 0: none. */
int lab_process_signal (void);

/* Ends the program without going through the callers that hold things: a leak checker
 * would complain of those. Calls @stop first, which ends whatever the program has started. */
G_NORETURN void lab_process_exit (int status);
void lab_process_before_exit (void (*stop) (void));

/* Between these two, signals wait: for work that must not be left half done and
 * does not wait for anybody. */
void lab_process_hold_signals (void);
void lab_process_let_signals (void);

G_END_DECLS
