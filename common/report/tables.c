#include "tables.h"

#include <string.h>

#include "html.h"

/* A wide table moves in a box of its own, which the keyboard reaches. */
static void
begin_table (GString *page, const char *caption)
{
  html_add (page,
            "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Table: %s\">\n<table>\n"
            "<caption>%s</caption>\n",
            caption, caption);
}

static void
end_table (GString *page)
{
  html_add (page, "</tbody>\n</table>\n</div>\n");
}

/* A short text stays on one line, a long one gets some room. */
static const char *
room_for (const char *text)
{
  return g_utf8_strlen (text, -1) <= 20 ? "short" : "long";
}

static void
add_row_heading (GString *page, const char *text, const char *class)
{
  html_add (page, "<th scope=\"row\" class=\"%s %s\">%s</th>", class, room_for (text), text);
}

static void
add_cell (GString *page, const char *key, JsonNode *node)
{
  g_autofree char *text = figure_text (key, node);
  gboolean number = figure_is_number (node) || node == NULL || JSON_NODE_HOLDS_NULL (node);

  html_add (page, "<td class=\"%s\">%s</td>", number ? "number" : room_for (text), text);
}

/* The generator's lateness is told once for all rows, below. */
static gboolean
is_shown (const char *key)
{
  return !g_str_has_prefix (key, "lateness_");
}

static void
add_json_row (GString *page, JsonObject *row, GList *keys)
{
  g_autofree char *name = figure_text (keys->data, json_object_get_member (row, keys->data));

  html_add (page, "<tr>");
  add_row_heading (page, name, "outer");
  for (GList *key = keys->next; key != NULL; key = key->next)
    if (is_shown (key->data))
      add_cell (page, key->data, json_object_get_member (row, key->data));
  html_add (page, "</tr>\n");
}

static void
add_column (GString *page, const char *heading, const char *class)
{
  html_add (page, "<th scope=\"col\" class=\"%s\">%s</th>", class, heading);
}

static void
add_rows_across (GString *page, JsonArray *rows, GList *keys)
{
  JsonObject *first = json_array_get_object_element (rows, 0);

  html_add (page, "<thead><tr>");
  for (GList *key = keys; key != NULL; key = key->next)
    if (is_shown (key->data))
      {
        g_autofree char *heading = figure_heading (key->data);
        gboolean is_number = key != keys && figure_is_number (json_object_get_member (first, key->data));

        add_column (page, heading, is_number ? "number" : "text");
      }
  html_add (page, "</tr></thead>\n<tbody>\n");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    add_json_row (page, json_array_get_object_element (rows, i), keys);
}

/* A line for each figure, a column for each row. */
static void
add_rows_down (GString *page, JsonArray *rows, GList *keys)
{
  guint n_rows = json_array_get_length (rows);

  for (GList *key = keys; key != NULL; key = key->next)
    {
      g_autofree char *heading = figure_heading (key->data);

      if (!is_shown (key->data))
        continue;
      html_add (page, key == keys ? "<thead><tr>" : "<tr>");
      if (key == keys)
        add_column (page, heading, "text");
      else
        add_row_heading (page, heading, "outer");
      for (guint i = 0; i < n_rows; i++)
        {
          JsonNode *node = json_object_get_member (json_array_get_object_element (rows, i), key->data);
          g_autofree char *text = figure_text (key->data, node);

          if (key == keys)
            add_column (page, text, "number");
          else
            add_cell (page, key->data, node);
        }
      html_add (page, key == keys ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
    }
}

/* Few rows of many figures would be too wide for the page. */
static gboolean
are_rows_down (JsonArray *rows, GList *keys)
{
  guint figures = 0;

  for (GList *key = keys->next; key != NULL; key = key->next)
    figures += is_shown (key->data);
  return figures > json_array_get_length (rows);
}

void
add_json_table (GString *page, JsonArray *rows, const char *caption)
{
  g_autoptr (GList) keys = json_object_get_members (json_array_get_object_element (rows, 0));

  begin_table (page, caption);
  if (are_rows_down (rows, keys))
    add_rows_down (page, rows, keys);
  else
    add_rows_across (page, rows, keys);
  end_table (page);
}

void
add_csv_table (GString *page, GPtrArray *lines, const char *caption)
{
  begin_table (page, caption);
  for (guint i = 0; i < lines->len; i++)
    {
      GStrv fields = g_ptr_array_index (lines, i);

      html_add (page, i == 0 ? "<thead><tr>" : "<tr>");
      for (guint j = 0; fields[j] != NULL; j++)
        html_add (page, i == 0 ? "<th scope=\"col\">%s</th>" : "<td>%s</td>", fields[j]);
      html_add (page, i == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
    }
  end_table (page);
}

/* --- Beside each other: virtual, real, the article's own -------------------- */

typedef struct
{
  JsonArray *ours;
  JsonArray *real;    /* or NULL */
  JsonArray *ticked;  /* or NULL */
  JsonArray *printed; /* or NULL; what @ticked, else @ours, is held against */
  guint columns;
} Comparison;

/* The article's rows in the list @list of what it prints. */
static JsonArray *
printed_table (JsonNode *printed, const char *list, const char *program, const char *name)
{
  JsonArray *tables = json_object_get_array_member (json_node_get_object (printed), list);

  for (guint i = 0; i < json_array_get_length (tables); i++)
    {
      JsonObject *table = json_array_get_object_element (tables, i);

      if (strcmp (json_object_get_string_member (table, "program"), program) == 0
          && strcmp (json_object_get_string_member (table, "table"), name) == 0)
        return json_object_get_array_member (table, "rows");
    }
  return NULL;
}

static JsonObject *
row_at (JsonArray *rows, guint i)
{
  return rows != NULL && i < json_array_get_length (rows) ? json_array_get_object_element (rows, i) : NULL;
}

static JsonNode *
member_of (JsonObject *row, const char *key)
{
  return row != NULL ? json_object_get_member (row, key) : NULL;
}

static void
add_difference (GString *page, JsonNode *value, JsonNode *expected)
{
  g_autofree char *difference = value != NULL && expected != NULL ? figure_difference (value, expected) : NULL;

  html_add (page, "<td class=\"number change\">%s</td>", difference != NULL ? difference : "-");
}

static void
add_figure (GString *page, const Comparison *comparison, guint i, const char *key)
{
  JsonNode *ours = member_of (row_at (comparison->ours, i), key);
  g_autofree char *heading = figure_heading (key);

  html_add (page, "<tr>");
  add_row_heading (page, heading, "inner");
  add_cell (page, key, ours);
  if (comparison->real != NULL)
    {
      JsonNode *real = member_of (row_at (comparison->real, i), key);

      add_cell (page, key, real);
      add_difference (page, real, ours);
    }
  if (comparison->ticked != NULL)
    add_cell (page, key, member_of (row_at (comparison->ticked, i), key));
  if (comparison->printed != NULL)
    {
      JsonArray *held = comparison->ticked != NULL ? comparison->ticked : comparison->ours;
      JsonNode *printed = member_of (row_at (comparison->printed, i), key);

      add_cell (page, key, printed);
      add_difference (page, member_of (row_at (held, i), key), printed);
    }
  html_add (page, "</tr>\n");
}

/* What is compared of a row: what the article prints of it, else every number. The
 * first member is the row's name. */
static void
add_compared_row (GString *page, const Comparison *comparison, guint i)
{
  JsonObject *ours = row_at (comparison->ours, i);
  JsonObject *printed = row_at (comparison->printed, i);
  g_autoptr (GList) own_keys = json_object_get_members (ours);
  g_autoptr (GList) keys = json_object_get_members (printed != NULL ? printed : ours);
  g_autofree char *name = row_name (ours);

  html_add (page, "<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"%u\">%s</th></tr>\n", comparison->columns, name);
  for (GList *key = keys; key != NULL; key = key->next)
    if (is_shown (key->data) && strcmp (key->data, own_keys->data) != 0 && strcmp (key->data, "second") != 0
        && (printed != NULL || figure_is_number (json_object_get_member (ours, key->data))))
      add_figure (page, comparison, i, key->data);
  html_add (page, "</tbody>\n");
}

static void
add_comparison_heading (GString *page, const Comparison *comparison, const Beside *beside)
{
  const char *clock = document_text (beside->document, "clock");
  g_autofree char *against = g_strconcat (comparison->ticked != NULL ? "tick" : clock, " against the article", NULL);

  html_add (page, "<thead><tr><th scope=\"col\">figure</th>");
  add_column (page, clock, "number");
  if (comparison->real != NULL)
    {
      add_column (page, "real", "number");
      add_column (page, "real against virtual", "number");
    }
  if (comparison->ticked != NULL)
    {
      JsonNode *tick_s = json_object_get_member (beside->ticked->settings, "timer_tick_s");
      double tick_ms = figure_is_number (tick_s) ? 1000 * json_node_get_double (tick_s) : 0;

      html_add (page, "<th scope=\"col\" class=\"number\">virtual, tick %g ms</th>", tick_ms);
    }
  if (comparison->printed != NULL)
    {
      add_column (page, "the article", "number");
      add_column (page, against, "number");
    }
  html_add (page, "</tr></thead>\n");
}

/* What the article printed was printed of a clock with a tick, but for what it did
 * over HTTP. */
static Comparison
compared_tables (const Beside *beside, const char *name)
{
  const char *program = beside->document->program;
  Comparison comparison = {
    .ours = document_table (beside->document, name),
    .real = beside->real != NULL ? document_table (beside->real, name) : NULL,
    .printed = printed_table (beside->printed, beside->ticked != NULL ? "tables" : "over_http", program, name),
  };

  if (beside->ticked != NULL && comparison.printed != NULL)
    comparison.ticked = document_table (beside->ticked, name);
  comparison.columns = 2 + (comparison.real != NULL ? 2 : 0) + (comparison.ticked != NULL ? 1 : 0)
                       + (comparison.printed != NULL ? 2 : 0);
  return comparison;
}

gboolean
add_comparison (GString *page, const Beside *beside, const char *name, const char *caption)
{
  Comparison comparison = compared_tables (beside, name);

  if (comparison.ours == NULL || (comparison.real == NULL && comparison.printed == NULL))
    return FALSE;
  begin_table (page, caption);
  add_comparison_heading (page, &comparison, beside);
  for (guint i = 0; i < json_array_get_length (comparison.ours); i++)
    if (comparison.real != NULL || row_at (comparison.printed, i) != NULL)
      add_compared_row (page, &comparison, i);
  html_add (page, "</table>\n</div>\n");
  return TRUE;
}
