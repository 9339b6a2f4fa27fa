/* Runs the commands that a chapter shows, as its reader would: from a folder that
 * looks like the top of the lab, with step 1's capacity already measured. Each runs
 * once and by itself, in a scratch folder that goes away with the runs. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _Runs Runs;

/* @bin: the folder of the built programs. Returns: (transfer full) */
Runs *runs_new (const char *bin, GError **error);
void runs_free (Runs *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Runs, runs_free)

/* What @command prints; an error when it does not end with status 0.
 * Returns: (transfer none) */
const char *runs_text (Runs *runs, const char *command, GError **error);

/* The result document of the last program that @command names, or, when it names
 * none, of the file that it is the path of. Returns: (transfer none) */
JsonObject *runs_results (Runs *runs, const char *command, GError **error);

G_END_DECLS
