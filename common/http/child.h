/* A server in a process of its own, for as long as an experiment needs it.
 *
 *   const char *argv[] = { "/path/to/service", "--port=0", NULL };
 *   g_autoptr (LabChild) child = lab_child_start (&(LabChildOptions) { .argv = argv }, &error);
 *   lab_child_port (child);
 *
 * It is stopped and reaped when it is freed, and with it whatever it has started
 * itself: by SIGTERM first, by SIGKILL when that has not ended it within a bound.
 * Ctrl-C on the terminal reaches only the parent, which then stops its children in
 * its own time; should the parent crash, the kernel sends them SIGTERM. What a
 * child writes goes to files without a name, as much as it likes; standard error
 * can be searched. Linux only. */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

typedef struct
{
  const char *const *argv; /* NULL-terminated; the program is looked up in the PATH */
  guint16 port;            /* where it will listen, and nobody does yet; 0: the first line that it prints
                              ends in ":PORT" */
} LabChildOptions;

typedef struct _LabChild LabChild;

/* Returns once the child listens; NULL with @error set to one sentence, which
 * has the child's own complaint in it, when it does not. Returns: (transfer full) */
LabChild *lab_child_start (const LabChildOptions *options, GError **error);
void lab_child_free (LabChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabChild, lab_child_free)

guint16 lab_child_port (const LabChild *child);

/* Stops and reaps it. Returns its exit status, or -1 when a signal ended it.
 * What it has logged can still be counted. */
int lab_child_stop (LabChild *child);

/* How many lines of its standard error have @text in them. */
guint lab_child_count_log (const LabChild *child, const char *text);

/* A port that was free a moment ago, for programs that cannot choose for
 * themselves; 0 when there is none. */
guint16 lab_child_free_port (void);

/* The path of a program that stands beside the running one. Returns: (transfer full) */
char *lab_child_beside (const char *program);

G_END_DECLS
