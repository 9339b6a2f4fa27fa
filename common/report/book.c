#include "book.h"

#include <gio/gio.h>
#include <string.h>

/* What is built in is there and in order, or this program is not: any fault in it
 * is a fault of ours. */
char *
book_text (const char *name)
{
  g_autofree char *path = g_strconcat ("/lab/report/", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (bytes == NULL)
    g_error ("%s", error->message);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static JsonNode *
built_in (const char *name)
{
  g_autofree char *text = book_text (name);
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (text, &error);

  if (root == NULL)
    g_error ("%s: %s", name, error != NULL ? error->message : "empty");
  return root;
}

JsonNode *
book_printed (void)
{
  return built_in ("printed.json");
}

static char *
member_text (JsonObject *object, const char *key)
{
  return g_strdup (json_object_get_string_member_with_default (object, key, NULL));
}

static Chapter *
chapter_new (JsonObject *from)
{
  Chapter *chapter = g_new (Chapter, 1);
  JsonArray *figures = json_object_has_member (from, "figures") ? json_object_get_array_member (from, "figures") : NULL;
  guint n_figures = figures != NULL ? json_array_get_length (figures) : 0;

  *chapter = (Chapter) {
    .program = member_text (from, "program"),
    .title = member_text (from, "title"),
    .question = member_text (from, "question"),
    .finding = member_text (from, "finding"),
    .absent = member_text (from, "absent"),
    .figures = g_new0 (char *, n_figures + 1),
  };
  for (guint i = 0; i < n_figures; i++)
    chapter->figures[i] = g_strdup (json_array_get_string_element (figures, i));
  return chapter;
}

Chapter *
chapter_new_unknown (const char *program)
{
  Chapter *chapter = g_new (Chapter, 1);

  *chapter = (Chapter) {
    .program = g_strdup (program),
    .title = g_strdup (program),
    .absent = g_strdup (""),
    .figures = g_new0 (char *, 1),
  };
  return chapter;
}

void
chapter_free (Chapter *chapter)
{
  g_free (chapter->program);
  g_free (chapter->title);
  g_free (chapter->question);
  g_free (chapter->finding);
  g_free (chapter->absent);
  g_strfreev (chapter->figures);
  g_free (chapter);
}

GPtrArray *
book_chapters (void)
{
  g_autoptr (GPtrArray) chapters = g_ptr_array_new_with_free_func ((GDestroyNotify) chapter_free);
  g_autoptr (JsonNode) root = built_in ("steps.json");
  JsonArray *list = json_object_get_array_member (json_node_get_object (root), "chapters");

  for (guint i = 0; i < json_array_get_length (list); i++)
    g_ptr_array_add (chapters, chapter_new (json_array_get_object_element (list, i)));
  return g_steal_pointer (&chapters);
}

char *
chapter_short_name (const Chapter *chapter)
{
  const char *program = chapter->program;

  if (g_str_has_prefix (program, "step") && g_ascii_isdigit (program[4]))
    return g_strdup_printf ("step %d", (int) g_ascii_strtoull (program + 4, NULL, 10));
  return g_strdup (program);
}

char *
chapter_finding (const Chapter *chapter, const Document *document)
{
  g_autoptr (GString) filled = g_string_new (NULL);
  const char *at = chapter->finding;

  if (at == NULL)
    return NULL;
  while (*at != '\0')
    {
      gsize plain = strcspn (at, "{");
      const char *end = strchr (at + plain, '}');
      g_autofree char *address = NULL;
      g_autofree char *value = NULL;

      g_string_append_len (filled, at, (gssize) plain);
      if (end == NULL)
        break;
      address = g_strndup (at + plain + 1, (gsize) (end - (at + plain + 1)));
      value = figure_text (strchr (address, '.') + 1, document_figure (document, address));
      g_string_append (filled, value);
      at = end + 1;
    }
  return g_string_free (g_steal_pointer (&filled), FALSE);
}
