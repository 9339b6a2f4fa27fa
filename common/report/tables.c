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

void
add_json_table (GString *page, JsonArray *rows, const char *caption)
{
  JsonObject *first = json_array_get_object_element (rows, 0);
  g_autoptr (GList) keys = json_object_get_members (first);

  begin_table (page, caption);
  html_add (page, "<thead><tr>");
  for (GList *key = keys; key != NULL; key = key->next)
    if (is_shown (key->data))
      {
        g_autofree char *heading = figure_heading (key->data);

        html_add (page, "<th scope=\"col\" class=\"%s\">%s</th>",
                  key != keys && figure_is_number (json_object_get_member (first, key->data)) ? "number" : "text",
                  heading);
      }
  html_add (page, "</tr></thead>\n<tbody>\n");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    add_json_row (page, json_array_get_object_element (rows, i), keys);
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
  JsonArray *printed; /* or NULL, as @ticked */
  guint columns;
} Comparison;

static JsonArray *
printed_table (JsonNode *printed, const char *program, const char *name)
{
  JsonArray *tables = json_object_get_array_member (json_node_get_object (printed), "tables");

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
  if (comparison->printed != NULL)
    {
      JsonNode *ticked = member_of (row_at (comparison->ticked, i), key);
      JsonNode *printed = member_of (row_at (comparison->printed, i), key);

      add_cell (page, key, ticked);
      add_cell (page, key, printed);
      add_difference (page, ticked, printed);
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
add_comparison_heading (GString *page, const Comparison *comparison, const Document *ticked)
{
  html_add (page, "<thead><tr><th scope=\"col\">figure</th><th scope=\"col\" class=\"number\">virtual</th>");
  if (comparison->real != NULL)
    html_add (page, "<th scope=\"col\" class=\"number\">real</th><th scope=\"col\" class=\"number\">difference</th>");
  if (comparison->printed != NULL)
    {
      JsonObject *settings = json_object_get_object_member (ticked->object, "settings");

      html_add (page,
                "<th scope=\"col\" class=\"number\">virtual, tick %g ms</th>"
                "<th scope=\"col\" class=\"number\">the article</th><th scope=\"col\" class=\"number\">difference</th>",
                settings != NULL ? 1000 * json_object_get_double_member_with_default (settings, "timer_tick_s", 0) : 0);
    }
  html_add (page, "</tr></thead>\n");
}

void
add_comparison (GString *page, const Beside *beside, const char *name, const char *caption)
{
  Comparison comparison = {
    .ours = document_table (beside->document, name),
    .real = beside->real != NULL ? document_table (beside->real, name) : NULL,
    .ticked = beside->ticked != NULL ? document_table (beside->ticked, name) : NULL,
  };

  if (comparison.ticked != NULL)
    comparison.printed = printed_table (beside->printed, beside->document->program, name);
  if (comparison.ours == NULL || (comparison.real == NULL && comparison.printed == NULL))
    return;
  comparison.columns = 2 + (comparison.real != NULL ? 2 : 0) + (comparison.printed != NULL ? 3 : 0);
  begin_table (page, caption);
  add_comparison_heading (page, &comparison, beside->ticked);
  for (guint i = 0; i < json_array_get_length (comparison.ours); i++)
    add_compared_row (page, &comparison, i);
  html_add (page, "</table>\n</div>\n");
}
