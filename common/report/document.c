#include "document.h"

#include <math.h>
#include <string.h>

/* --- Reading ---------------------------------------------------------------- */

static gboolean
is_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
}

gboolean
figure_is_number (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && (json_node_get_value_type (node) == G_TYPE_INT64 || json_node_get_value_type (node) == G_TYPE_DOUBLE);
}

static gboolean
is_list_of_objects (JsonNode *node)
{
  JsonArray *array;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!JSON_NODE_HOLDS_OBJECT (json_array_get_element (array, i))
        || json_object_get_size (json_array_get_object_element (array, i)) == 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_check (JsonObject *check)
{
  JsonNode *holds = json_object_get_member (check, "holds");

  return is_text (json_object_get_member (check, "claim")) && is_text (json_object_get_member (check, "detail"))
         && holds != NULL
         && (JSON_NODE_HOLDS_NULL (holds)
             || (JSON_NODE_HOLDS_VALUE (holds) && json_node_get_value_type (holds) == G_TYPE_BOOLEAN));
}

/* Says what of @object is not as the lab writes it, or NULL. */
static const char *
what_is_wrong (JsonObject *object, const char *program)
{
  JsonNode *checks = json_object_get_member (object, "checks");
  JsonNode *settings = json_object_get_member (object, "settings");
  JsonNode *machine = json_object_get_member (object, "machine");

  if (!is_text (json_object_get_member (object, "program")))
    return "it has no \"program\"";
  if (strcmp (json_object_get_string_member (object, "program"), program) != 0)
    return "its \"program\" is another one";
  if (!is_list_of_objects (json_object_get_member (object, "rows")))
    return "it has no list of \"rows\"";
  if (settings == NULL || !JSON_NODE_HOLDS_OBJECT (settings))
    return "it has no object of \"settings\"";
  if (machine != NULL && !JSON_NODE_HOLDS_OBJECT (machine))
    return "its \"machine\" is no object";
  if (checks == NULL)
    return NULL;
  if (!is_list_of_objects (checks))
    return "its \"checks\" are no list of objects";
  for (guint i = 0; i < json_array_get_length (json_node_get_array (checks)); i++)
    if (!is_check (json_array_get_object_element (json_node_get_array (checks), i)))
      return "one of its \"checks\" lacks its claim, verdict or detail";
  return NULL;
}

Document *
document_load (const char *folder, const char *program, GError **error)
{
  g_autofree char *file = g_strconcat (program, ".json", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (JsonNode) root = lab_json_file_read (path, error);
  Document *document;
  const char *wrong;

  if (root == NULL)
    return NULL;
  wrong = what_is_wrong (json_node_get_object (root), program);
  if (wrong != NULL)
    {
      g_set_error (error, DOCUMENT_ERROR, 0, "%s is not a result of the lab: %s", path, wrong);
      return NULL;
    }

  document = g_new (Document, 1);
  document->path = g_steal_pointer (&path);
  document->program = g_strdup (program);
  document->object = json_node_get_object (root);
  document->root = g_steal_pointer (&root);
  document->settings = json_object_get_object_member (document->object, "settings");
  document->rows = json_object_get_array_member (document->object, "rows");
  if (!json_object_has_member (document->object, "checks"))
    json_object_set_array_member (document->object, "checks", json_array_new ());
  document->checks = json_object_get_array_member (document->object, "checks");
  return document;
}

gboolean
document_load_if_there (const char *folder, const char *program, Document **document, GError **error)
{
  g_autoptr (GError) local = NULL;

  *document = document_load (folder, program, &local);
  if (local == NULL || g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

void
document_free (Document *document)
{
  json_node_unref (document->root);
  g_free (document->program);
  g_free (document->path);
  g_free (document);
}

/* --- The document as a whole ------------------------------------------------ */

const char *
document_text (const Document *document, const char *key)
{
  JsonNode *node = json_object_get_member (document->object, key);

  return is_text (node) ? json_node_get_string (node) : "";
}

JsonArray *
document_table (const Document *document, const char *name)
{
  JsonNode *node = json_object_get_member (document->object, name);

  return is_list_of_objects (node) ? json_node_get_array (node) : NULL;
}

Verdicts
document_verdicts (const Document *document)
{
  Verdicts verdicts = { 0, 0, 0 };

  for (guint i = 0; i < json_array_get_length (document->checks); i++)
    {
      JsonNode *holds = json_object_get_member (json_array_get_object_element (document->checks, i), "holds");

      if (JSON_NODE_HOLDS_NULL (holds))
        verdicts.skipped++;
      else if (json_node_get_boolean (holds))
        verdicts.held++;
      else
        verdicts.broken++;
    }
  return verdicts;
}

char *
verdicts_text (Verdicts verdicts)
{
  g_autofree char *skipped
      = verdicts.skipped > 0 ? g_strdup_printf (" (%u more could not be judged)", verdicts.skipped) : NULL;

  return g_strdup_printf ("%u of %u checks held%s", verdicts.held, verdicts.held + verdicts.broken,
                          skipped != NULL ? skipped : "");
}

gboolean
document_same_settings (const Document *a, const Document *b, const char **different)
{
  g_autoptr (GList) keys = json_object_get_members (a->settings);

  for (GList *key = keys; key != NULL; key = key->next)
    {
      JsonNode *value = json_object_get_member (b->settings, key->data);

      if (strcmp (key->data, "timer_tick_s") == 0 || strcmp (key->data, "capacity_rps") == 0)
        continue;
      *different = key->data;
      if (value == NULL || !json_node_equal (json_object_get_member (a->settings, key->data), value))
        return FALSE;
    }
  return TRUE;
}

double
document_lateness_p99_us (const Document *document)
{
  double worst = NAN;

  for (guint i = 0; i < json_array_get_length (document->rows); i++)
    {
      JsonNode *node = json_object_get_member (json_array_get_object_element (document->rows, i), "lateness_p99_us");

      if (figure_is_number (node))
        worst = fmax (worst, json_node_get_double (node));
    }
  return worst;
}

/* --- Figures ---------------------------------------------------------------- */

static JsonObject *
addressed_row (const Document *document, const char *address, const char **key)
{
  char *end;
  guint64 row = g_ascii_strtoull (address, &end, 10);

  g_return_val_if_fail (*end == '.', NULL);
  *key = end + 1;
  return row < json_array_get_length (document->rows) ? json_array_get_object_element (document->rows, (guint) row)
                                                      : NULL;
}

JsonNode *
document_figure (const Document *document, const char *address)
{
  const char *key;
  JsonObject *row = addressed_row (document, address, &key);

  return row != NULL ? json_object_get_member (row, key) : NULL;
}

char *
document_figure_name (const Document *document, const char *address)
{
  const char *key = address;
  JsonObject *row = addressed_row (document, address, &key);
  g_autofree char *heading = figure_heading (key);
  g_autofree char *name = NULL;

  if (row == NULL || json_array_get_length (document->rows) == 1)
    return g_steal_pointer (&heading);
  name = row_name (row);
  return g_strdup_printf ("%s: %s", name, heading);
}

static const struct
{
  const char *suffix;
  const char *unit;
  int decimals;
} units[] = {
  { "_rps", "/s", 1 },
  { "_ms", " ms", 0 },
  { "_us", " µs", 0 },
  { "_ns", " ns", 0 },
  { "_s", " s", 2 },
  { "_percent", ", %", 1 },
  { "_per_user", " per user", 2 },
};

/* The line of the key's unit, or -1. */
static int
unit_of (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_suffix (key, units[i].suffix))
      return (int) i;
  return -1;
}

/* A key without its unit, in words. */
static char *
words_of (const char *key)
{
  int unit = unit_of (key);
  g_autofree char *words = g_strndup (key, strlen (key) - (unit >= 0 ? strlen (units[unit].suffix) : 0));

  return g_strdup (g_strdelimit (words, "_", ' '));
}

char *
figure_phrase (const char *key, JsonNode *node)
{
  g_autofree char *words = words_of (key);
  /* A setting is told as exactly as it was given, where a result is rounded. */
  g_autofree char *value = figure_is_number (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE
                               ? g_strdup_printf ("%g", json_node_get_double (node))
                               : figure_text (key, node);

  return g_strconcat (words, " ", value, unit_of (key) >= 0 ? units[unit_of (key)].unit : "", NULL);
}

char *
row_name (JsonObject *row)
{
  g_autoptr (GList) keys = json_object_get_members (row);
  const char *key = json_object_has_member (row, "second") ? "second" : keys->data;
  JsonNode *node = json_object_get_member (row, key);

  return is_text (node) ? g_strdup (json_node_get_string (node)) : figure_phrase (key, node);
}

char *
figure_heading (const char *key)
{
  g_autofree char *words = words_of (key);

  /* Step 9's columns are called by their policy alone. */
  if (strcmp (key, "no_limits_rps") == 0 || strcmp (key, "protected_rps") == 0)
    return g_strconcat (words, ", goodput/s", NULL);
  return g_strconcat (words, unit_of (key) >= 0 ? units[unit_of (key)].unit : "", NULL);
}

static char *
number_text (const char *key, double value)
{
  int unit = unit_of (key);

  if (unit < 0)
    return g_strdup_printf (fabs (value) < 1000 ? "%.3g" : "%.0f", value);
  /* A short time is told more closely: 50.2 ms. */
  if (units[unit].decimals == 0 && fabs (value) < 100)
    return g_strdup_printf ("%.1f", value);
  return g_strdup_printf ("%.*f", units[unit].decimals, value);
}

/* Lists and objects on one line. */
static char *
compound_text (JsonNode *node)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  if (JSON_NODE_HOLDS_ARRAY (node))
    for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
      g_ptr_array_add (parts, figure_text ("", json_array_get_element (json_node_get_array (node), i)));
  else
    {
      g_autoptr (GList) keys = json_object_get_members (json_node_get_object (node));

      for (GList *key = keys; key != NULL; key = key->next)
        {
          g_autofree char *heading = figure_heading (key->data);
          g_autofree char *value
              = figure_text (key->data, json_object_get_member (json_node_get_object (node), key->data));

          g_ptr_array_add (parts, g_strdup_printf ("%s: %s", heading, value));
        }
    }
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **) parts->pdata);
}

char *
figure_text (const char *key, JsonNode *node)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return g_strdup ("-");
  if (!JSON_NODE_HOLDS_VALUE (node))
    return compound_text (node);
  if (is_text (node))
    return g_strdup (json_node_get_string (node));
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "yes" : "no");
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return number_text (key, json_node_get_double (node));
}

double
figure_tolerance (const char *key, double expected, double share)
{
  double part = share * fabs (expected);

  if (g_str_has_suffix (key, "_ms") || g_str_has_suffix (key, "_s") || g_str_has_suffix (key, "_per_user"))
    return part;
  return MAX (g_str_has_suffix (key, "_rps") ? 1 : 3, part);
}

char *
figure_difference (JsonNode *value, JsonNode *expected)
{
  double a, b;

  if (!figure_is_number (value) || !figure_is_number (expected))
    {
      g_autofree char *ours = figure_text ("", value);
      g_autofree char *theirs = figure_text ("", expected);

      return g_strdup (strcmp (ours, theirs) == 0 ? "same" : "differs");
    }
  a = json_node_get_double (value);
  b = json_node_get_double (expected);
  if (a == b)
    return g_strdup ("same");
  if (b == 0)
    return g_strdup ("-");
  return g_strdup_printf ("%+.1f %%", 100 * (a - b) / b);
}

/* --- CSV -------------------------------------------------------------------- */

/* Takes one field off @text, up to the comma or line end behind it. A quoted field
 * may hold both, and quotes as two quotes. */
static char *
take_field (const char **text)
{
  g_autoptr (GString) field = g_string_new (NULL);
  const char *at = *text;

  if (*at != '"')
    {
      gsize length = strcspn (at, ",\r\n");

      *text = at + length;
      return g_strndup (at, length);
    }
  for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++)
    {
      if (*at == '"')
        at++;
      g_string_append_c (field, *at);
    }
  *text = *at == '"' ? at + 1 : at;
  return g_string_free (g_steal_pointer (&field), FALSE);
}

static GStrv
take_line (const char **text)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();

  g_ptr_array_add (fields, take_field (text));
  while (**text == ',')
    {
      (*text)++;
      g_ptr_array_add (fields, take_field (text));
    }
  *text += **text == '\r';
  *text += **text == '\n';
  g_ptr_array_add (fields, NULL);
  return (GStrv) g_ptr_array_free (g_steal_pointer (&fields), FALSE);
}

GPtrArray *
csv_file_load (const char *path, GError **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autofree char *content = NULL;
  const char *at;
  gsize length;

  if (!g_file_get_contents (path, &content, &length, error))
    return NULL;
  if (!g_utf8_validate (content, (gssize) length, NULL))
    {
      g_set_error (error, DOCUMENT_ERROR, 0, "%s is not a table of the lab: it is not UTF-8 text", path);
      return NULL;
    }
  for (at = content; *at != '\0';)
    {
      GStrv line = take_line (&at);

      g_ptr_array_add (lines, line);
      if ((*at != '\0' && at[-1] != '\n') || g_strv_length (line) != g_strv_length (g_ptr_array_index (lines, 0)))
        {
          g_set_error (error, DOCUMENT_ERROR, 0, "%s is not a table of the lab: line %u has other columns than line 1",
                       path, lines->len);
          return NULL;
        }
    }
  if (lines->len == 0)
    {
      g_set_error (error, DOCUMENT_ERROR, 0, "%s is not a table of the lab: it is empty", path);
      return NULL;
    }
  return g_steal_pointer (&lines);
}
