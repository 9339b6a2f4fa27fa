#include "html.h"

#include <string.h>

#include "document.h"

void
html_add (GString *page, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_markup_vprintf_escaped (format, arguments);
  va_end (arguments);
  g_string_append (page, text);
}

/* --- Charts ----------------------------------------------------------------- */

typedef struct
{
  GString *to;
  const char *prefix;
  const char *title;
  guint left_out; /* how deep inside an element that stays behind */
  gboolean is_chart;
} Chart;

/* What a drawing can do without: it would name the chart a second time, run, or
 * change the page around it. */
static const char *const stays_behind[] = { "title", "desc", "metadata", "script", "style", "foreignObject", NULL };

/* The ids are unique in the chart; with the prefix they are so in the page. */
static void
add_attribute (Chart *chart, const char *name, const char *value)
{
  if (strcmp (name, "id") == 0)
    html_add (chart->to, " id=\"%s-%s\"", chart->prefix, value);
  else if (g_str_has_suffix (name, "href"))
    {
      if (value[0] == '#')
        html_add (chart->to, " %s=\"#%s-%s\"", name, chart->prefix, value + 1);
    }
  else if (g_str_has_prefix (value, "url(#"))
    html_add (chart->to, " %s=\"url(#%s-%s\"", name, chart->prefix, value + strlen ("url(#"));
  else if (!g_str_has_prefix (name, "on") && strstr (value, "url(") == NULL)
    html_add (chart->to, " %s=\"%s\"", name, value);
}

static void
start_element (GMarkupParseContext *context, const char *element, const char **names, const char **values,
               gpointer data, GError **error)
{
  Chart *chart = data;
  gboolean outermost = g_markup_parse_context_get_element_stack (context)->next == NULL;

  if (outermost && strcmp (element, "svg") != 0)
    {
      g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "it begins with <%s>", element);
      return;
    }
  if (chart->left_out > 0 || g_strv_contains (stays_behind, element))
    {
      chart->left_out++;
      return;
    }

  g_string_append_printf (chart->to, "<%s", element);
  if (outermost)
    html_add (chart->to, " role=\"img\" aria-labelledby=\"%s-title\"", chart->prefix);
  for (guint i = 0; names[i] != NULL; i++)
    if (!outermost || (strcmp (names[i], "width") != 0 && strcmp (names[i], "height") != 0))
      add_attribute (chart, names[i], values[i]);
  g_string_append_c (chart->to, '>');
  if (outermost)
    html_add (chart->to, "<title id=\"%s-title\">%s</title>", chart->prefix, chart->title);
  chart->is_chart = TRUE;
}

static void
end_element (GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
  Chart *chart = data;

  (void) context;
  (void) error;
  if (chart->left_out > 0)
    chart->left_out--;
  else
    g_string_append_printf (chart->to, "</%s>", element);
}

static void
add_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  Chart *chart = data;

  (void) context;
  (void) length;
  (void) error;
  if (chart->left_out == 0)
    html_add (chart->to, "%s", text);
}

char *
html_chart (const char *path, const char *prefix, const char *title, GError **error)
{
  static const GMarkupParser parser = { .start_element = start_element, .end_element = end_element, .text = add_text };
  g_autoptr (GString) to = g_string_new (NULL);
  Chart chart = { .to = to, .prefix = prefix, .title = title };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, &chart, NULL);
  g_autoptr (GError) local = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (!g_markup_parse_context_parse (context, text, (gssize) length, &local)
      || !g_markup_parse_context_end_parse (context, &local) || !chart.is_chart)
    {
      g_set_error (error, DOCUMENT_ERROR, 0, "%s is not a chart of the lab: %s", path,
                   local != NULL ? local->message : "it is empty");
      return NULL;
    }
  return g_string_free (g_steal_pointer (&to), FALSE);
}
