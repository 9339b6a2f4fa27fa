/* Writing HTML so that no text can become markup: the format is ours, and whatever
 * is put into it is escaped, on GLib's own word (g_markup_printf_escaped()).
 *
 *   html_add (page, "<td class=\"%s\">%s</td>\n", class, label);
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void html_add (GString *page, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The chart in the file @path (an SVG as gnuplot draws it), fit to stand inside a
 * page: every id begins with @prefix, nothing in it reaches outside, runs or styles
 * the page, and it is one image called @title to a screen reader.
 *
 * Returns: (transfer full), NULL with @error naming @path */
char *html_chart (const char *path, const char *prefix, const char *title, GError **error);

G_END_DECLS
