/* Result documents and their CSV, as the report reads them: of anything at all
 * either a document whose every figure can be printed, or an error. */
#include "../report/document.h"
#include "fuzz.h"

#include <glib/gstdio.h>
#include <stdlib.h>

static char *folder;

static void
remove_folder (void)
{
  g_autofree char *path = g_build_filename (folder, "fuzzed.json", NULL);

  g_unlink (path);
  g_rmdir (folder);
}

static void
print_row (const Document *document, guint number, JsonObject *row)
{
  g_autoptr (GList) keys = json_object_get_members (row);
  g_autofree char *name = row_name (row);

  for (GList *key = keys; key != NULL; key = key->next)
    {
      g_autofree char *address = g_strdup_printf ("%u.%s", number, (const char *) key->data);
      JsonNode *node = document_figure (document, address);
      g_autofree char *heading = figure_heading (key->data);
      g_autofree char *text = figure_text (key->data, json_object_get_member (row, key->data));
      g_autofree char *difference = node != NULL ? figure_difference (node, node) : NULL;

      FUZZ_ASSERT (name != NULL && heading != NULL && text != NULL);
      FUZZ_ASSERT (node == NULL || difference != NULL);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) csv_error = NULL;
  g_autoptr (Document) document = NULL;
  g_autoptr (GPtrArray) lines = NULL;
  g_autofree char *path = NULL;

  if (folder == NULL)
    {
      folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
      FUZZ_ASSERT (folder != NULL);
      atexit (remove_folder);
    }
  path = g_build_filename (folder, "fuzzed.json", NULL);
  FUZZ_ASSERT (
      g_file_set_contents_full (path, (const char *) data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));

  document = document_load (folder, "fuzzed", &error);
  FUZZ_ASSERT ((document == NULL) == (error != NULL));
  if (document != NULL)
    {
      g_autofree char *verdicts = verdicts_text (document_verdicts (document));
      const char *different;

      FUZZ_ASSERT (document_text (document, "clock") != NULL && verdicts != NULL);
      FUZZ_ASSERT (document_same_settings (document, document, &different));
      document_lateness_p99_us (document);
      for (guint i = 0; i < json_array_get_length (document->rows); i++)
        print_row (document, i, json_array_get_object_element (document->rows, i));
    }
  lines = csv_file_load (path, &csv_error);
  FUZZ_ASSERT ((lines == NULL) == (csv_error != NULL));
  return 0;
}
