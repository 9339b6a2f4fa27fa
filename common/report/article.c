/* Our figures beside those that the article prints, and how far apart they are.
 *
 *   article OUT PRINTED
 *
 * OUT holds the results of the steps with the timer tick of the article's machine,
 * PRINTED the article's figures (common/report/printed.json). A count may differ by
 * 3 or 3 %, a rate by 1/s or 3 %, a time by 3 %; a text must be the same. Cells that
 * hang on the order of what happens at one instant are shown but not judged.
 *
 * Exit status: 0 all within, 1 some are not, 2 could not run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "document.h"

typedef struct
{
  char *ours;
  char *theirs;
  char *difference;
} Cell;

typedef struct
{
  guint shown;
  guint off;
  guint apart;
} Tally;

static void
cell_clear (gpointer data)
{
  Cell *cell = data;

  g_free (cell->ours);
  g_free (cell->theirs);
  g_free (cell->difference);
}

/* Any value as text; the items of a list are joined.
 * Returns: (transfer full) */
static char *
to_text (JsonNode *node, const char *number_format)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return g_strdup ("-");
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      g_autoptr (GString) joined = g_string_new (NULL);

      for (guint i = 0; i < json_array_get_length (array); i++)
        g_string_append_printf (joined, "%s%s", i == 0 ? "" : ";", json_array_get_string_element (array, i));
      return g_string_free (g_steal_pointer (&joined), FALSE);
    }
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return g_strdup_printf (number_format, json_node_get_double (node));
}

/* Returns whether the two agree; fills in @cell. */
static gboolean
compare (const char *key, JsonNode *ours, JsonNode *theirs, Cell *cell)
{
  gboolean in_seconds = g_str_has_suffix (key, "_s") || g_str_has_suffix (key, "_per_user");
  double a, b;

  cell->ours = to_text (ours, in_seconds ? "%.2f" : "%.1f");
  cell->theirs = to_text (theirs, in_seconds ? "%.2f" : "%.1f");
  if (!figure_is_number (ours) || !figure_is_number (theirs))
    {
      gboolean same = strcmp (cell->ours, cell->theirs) == 0;

      cell->difference = g_strdup (same ? "same" : "differs");
      return same;
    }

  a = json_node_get_double (ours);
  b = json_node_get_double (theirs);
  if (b != 0)
    cell->difference = g_strdup_printf ("%+.1f%%", 100 * (a - b) / b);
  else
    cell->difference = g_strdup (a == 0 ? "+0.0%" : "-");
  return fabs (a - b) <= figure_tolerance (key, b, 0.03);
}

static void
print_line (const char *label, GArray *cells, GArray *widths, gsize field)
{
  printf ("  %-12s", label);
  for (guint i = 0; i < cells->len; i++)
    printf ("  %*s", g_array_index (widths, int, i), G_STRUCT_MEMBER (char *, &g_array_index (cells, Cell, i), field));
  printf ("\n");
}

static void
print_row (GList *keys, GArray *cells)
{
  g_autoptr (GArray) widths = g_array_new (FALSE, FALSE, sizeof (int));
  guint i = 0;

  printf ("  %-12s", "");
  for (GList *key = keys; key != NULL; key = key->next, i++)
    {
      const Cell *cell = &g_array_index (cells, Cell, i);
      int width = (int) MAX (strlen (key->data), strlen (cell->difference));

      width = MAX (width, (int) MAX (strlen (cell->ours), strlen (cell->theirs)));
      g_array_append_val (widths, width);
      printf ("  %*s", width, (const char *) key->data);
    }
  printf ("\n");
  print_line ("here", cells, widths, G_STRUCT_OFFSET (Cell, ours));
  print_line ("the article", cells, widths, G_STRUCT_OFFSET (Cell, theirs));
  print_line ("difference", cells, widths, G_STRUCT_OFFSET (Cell, difference));
  printf ("\n");
}

/* Is this cell one of those that are shown but not judged? */
static gboolean
is_apart (JsonObject *table, const char *row_name, const char *key)
{
  JsonArray *keys;

  if (g_strcmp0 (json_object_get_string_member_with_default (table, "apart_row", NULL), row_name) != 0)
    return FALSE;
  keys = json_object_get_array_member (table, "apart");
  for (guint i = 0; i < json_array_get_length (keys); i++)
    if (strcmp (json_array_get_string_element (keys, i), key) == 0)
      return TRUE;
  return FALSE;
}

static void
compare_row (JsonObject *table, JsonObject *ours, JsonObject *theirs, Tally *tally)
{
  g_autoptr (GList) keys = json_object_get_members (theirs);
  g_autoptr (GArray) cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  g_autofree char *name = to_text (json_object_get_member (theirs, keys->data), "%.1f");

  g_array_set_clear_func (cells, cell_clear);
  for (GList *key = keys; key != NULL; key = key->next)
    {
      Cell cell = { NULL, NULL, NULL };
      JsonNode *our_node = ours != NULL ? json_object_get_member (ours, key->data) : NULL;
      gboolean agrees = compare (key->data, our_node, json_object_get_member (theirs, key->data), &cell);

      tally->shown++;
      if (is_apart (table, name, key->data))
        tally->apart++;
      else if (!agrees)
        {
          g_autofree char *plain = g_steal_pointer (&cell.difference);

          cell.difference = g_strconcat (plain, " OFF", NULL);
          tally->off++;
        }
      g_array_append_val (cells, cell);
    }
  print_row (keys, cells);
}

/* Returns: (transfer full), NULL after a sentence on standard error. */
static JsonNode *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  JsonNode *root = lab_json_file_read (path, &error);

  if (root == NULL)
    fprintf (stderr, "article: %s\n", error->message);
  return root;
}

static gboolean
compare_table (const char *out, JsonObject *table, Tally *tally)
{
  const char *program = json_object_get_string_member (table, "program");
  const char *name = json_object_get_string_member (table, "table");
  g_autofree char *file = g_strconcat (program, ".json", NULL);
  g_autofree char *path = g_build_filename (out, file, NULL);
  g_autoptr (JsonNode) document = load (path);
  JsonArray *theirs = json_object_get_array_member (table, "rows");
  JsonArray *ours;

  if (document == NULL)
    return FALSE;
  if (!json_object_has_member (json_node_get_object (document), name))
    {
      fprintf (stderr, "article: %s has no \"%s\"\n", path, name);
      return FALSE;
    }
  ours = json_object_get_array_member (json_node_get_object (document), name);
  printf ("%s%s%s\n", program, strcmp (name, "rows") != 0 ? ", " : "", strcmp (name, "rows") != 0 ? name : "");
  for (guint i = 0; i < json_array_get_length (theirs); i++)
    compare_row (table, i < json_array_get_length (ours) ? json_array_get_object_element (ours, i) : NULL,
                 json_array_get_object_element (theirs, i), tally);
  return TRUE;
}

int
main (int argc, char *argv[])
{
  g_autoptr (JsonNode) printed = NULL;
  JsonArray *tables;
  gboolean complete = TRUE;
  Tally tally = { 0, 0, 0 };

  if (argc != 3)
    {
      fprintf (stderr, "usage: article OUT PRINTED\n");
      return 2;
    }
  printed = load (argv[2]);
  if (printed == NULL)
    return 2;
  tables = json_object_get_array_member (json_node_get_object (printed), "tables");
  for (guint i = 0; i < json_array_get_length (tables); i++)
    complete &= compare_table (argv[1], json_array_get_object_element (tables, i), &tally);

  printf (
      "%u of %u figures agree (a count within 3 or 3 %%, a rate within 1/s or 3 %%, a time within 3 %%), %u are off; "
      "%u hang on the order within one instant and are not judged\n",
      tally.shown - tally.off - tally.apart, tally.shown, tally.off, tally.apart);
  if (fflush (stdout) != 0)
    {
      fprintf (stderr, "article: cannot write to standard output\n");
      return 2;
    }
  return !complete ? 2 : tally.off > 0;
}
