#include "runs.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAMS "build/bin/" /* as a reader types it */

typedef struct
{
  char *folder;
  char *text;
  JsonParser *results;
} Run;

struct _Runs
{
  char *top, *bin;
  char *scratch;
  guint n_folders;
  GHashTable *by_command; /* of Run */
};

static void
run_free (gpointer data)
{
  Run *run = data;

  g_free (run->folder);
  g_free (run->text);
  g_clear_object (&run->results);
  g_free (run);
}

static gboolean
sh (const char *folder, const char *command, char **text, GError **error)
{
  const char *argv[] = { "sh", "-c", command, NULL };
  g_autofree char *complaint = NULL;
  g_autoptr (GError) why = NULL;
  int status;

  if (!g_spawn_sync (folder, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, text, &complaint, &status, error))
    return FALSE;
  if (g_spawn_check_wait_status (status, &why))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s %s", command, why->message, complaint);
  return FALSE;
}

/* A folder where `build/bin/...` and the steps are found and `out` is its own. */
static char *
folder_new (Runs *runs, GError **error)
{
  g_autofree char *folder = g_strdup_printf ("%s/%u", runs->scratch, runs->n_folders++);
  g_autofree char *top = g_shell_quote (runs->top);
  g_autofree char *bin = g_shell_quote (runs->bin);
  g_autofree char *command
      = g_strdup_printf ("mkdir -p %s/build %s/out && cd %s && ln -s %s build/bin && ln -s %s/step* %s/common . && "
                         "build/bin/step01_calibrate --quiet",
                         folder, folder, folder, bin, top, top);

  return sh (runs->scratch, command, NULL, error) ? g_steal_pointer (&folder) : NULL;
}

static Run *
run_of (Runs *runs, const char *command, GError **error)
{
  Run *run = g_hash_table_lookup (runs->by_command, command);
  g_autofree char *folder = NULL;
  g_autofree char *text = NULL;

  if (run != NULL)
    return run;
  folder = folder_new (runs, error);
  if (folder == NULL || !sh (folder, command, &text, error))
    return NULL;
  run = g_new0 (Run, 1);
  run->folder = g_steal_pointer (&folder);
  run->text = g_steal_pointer (&text);
  g_hash_table_insert (runs->by_command, g_strdup (command), run);
  return run;
}

const char *
runs_text (Runs *runs, const char *command, GError **error)
{
  Run *run = run_of (runs, command, error);

  return run != NULL ? run->text : NULL;
}

static char *
path_of_results (const Run *run, const char *command)
{
  const char *program = g_strrstr (command, PROGRAMS);
  g_autofree char *name = NULL;

  if (program == NULL) /* "cat <path>" */
    return g_build_filename (run->folder, strrchr (command, ' ') + 1, NULL);
  program += strlen (PROGRAMS);
  name = g_strndup (program, strcspn (program, " "));
  return g_strdup_printf ("%s/out/%s.json", run->folder, name);
}

JsonObject *
runs_results (Runs *runs, const char *command, GError **error)
{
  g_autofree char *shown = strstr (command, PROGRAMS) == NULL ? g_strdup_printf ("cat %s", command) : NULL;
  const char *actual = shown != NULL ? shown : command;
  Run *run = run_of (runs, actual, error);
  g_autofree char *path = NULL;

  if (run == NULL)
    return NULL;
  if (run->results == NULL)
    {
      g_autoptr (JsonParser) parser = json_parser_new_immutable ();

      path = path_of_results (run, actual);
      if (!json_parser_load_from_file (parser, path, error))
        return NULL;
      run->results = g_steal_pointer (&parser);
    }
  return json_node_get_object (json_parser_get_root (run->results));
}

Runs *
runs_new (const char *bin, GError **error)
{
  g_autofree char *scratch = g_dir_make_tmp ("book-XXXXXX", error);
  Runs *runs;

  if (scratch == NULL)
    return NULL;
  runs = g_new0 (Runs, 1);
  runs->top = g_get_current_dir ();
  runs->bin = g_canonicalize_filename (bin, runs->top);
  runs->scratch = g_steal_pointer (&scratch);
  runs->by_command = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, run_free);
  return runs;
}

void
runs_free (Runs *runs)
{
  g_autofree char *scratch = g_shell_quote (runs->scratch);
  g_autofree char *command = g_strdup_printf ("rm -rf %s", scratch);

  sh ("/", command, NULL, NULL);
  g_hash_table_unref (runs->by_command);
  g_free (runs->scratch);
  g_free (runs->bin);
  g_free (runs->top);
  g_free (runs);
}
