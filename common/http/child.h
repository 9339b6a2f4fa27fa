/* A server in a process of its own, for as long as an experiment needs it. For the main
 * thread.
 *
 *   const char *argv[] = { "/path/to/service", "--port=0", NULL };
 *   g_autoptr (LabChild) child = lab_child_start (&(LabChildOptions) { .argv = argv }, &error);
 *   lab_child_port (child);
 *
 * Freeing it stops and reaps it, and with it whatever it has started itself: with
 * SIGTERM first, and with SIGKILL if that does not end it within some seconds. Ctrl-C
 * on the terminal reaches only the parent, which then stops its children in its own
 * time. A parent that ends by lab_fail() stops them, too; if it crashes, the kernel sends them SIGTERM. What a child
 * writes goes to unnamed files, however much it is; its standard error can be searched. Linux only. */
#pragma once

#include "../time/clock.h"

G_BEGIN_DECLS

typedef struct
{
  const char *const *argv;  /* NULL-terminated; the program is looked up in the PATH */
  guint16 port;             /* where it will listen, and nobody does yet; 0: the first line that it prints
                               ends in ":PORT" */
  LabCondition give_up;     /* ends the wait for its start once it holds; may be NULL */
  gpointer data;            /* for give_up */
  const char *const *unset; /* variables of our environment that it does not get, NULL-terminated; may be NULL */
} LabChildOptions;

typedef struct _LabChild LabChild;

/* Returns once the child listens. When it does not, returns NULL with @error set to one
 * sentence that contains the child's own complaint. Returns: (transfer full) */
LabChild *lab_child_start (const LabChildOptions *options, GError **error);
void lab_child_free (LabChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabChild, lab_child_free)

guint16 lab_child_port (const LabChild *child);

/* Stops and reaps it. Returns its exit status, or -1 when a signal ended it. Its log
 * can still be searched. */
int lab_child_stop (LabChild *child);

/* One sentence on how it has ended, with the last line of its log, or NULL while it
 * runs. Returns: (transfer full) */
char *lab_child_obituary (const LabChild *child);

/* How many lines of its standard error contain @text. */
guint lab_child_count_log (const LabChild *child, const char *text);

/* A port that was free a moment ago, for programs that cannot choose one themselves;
 * 0 when there is none. */
guint16 lab_child_free_port (void);

/* The path of a program in the folder of the running one. Returns: (transfer full) */
char *lab_child_beside (const char *program);

G_END_DECLS
