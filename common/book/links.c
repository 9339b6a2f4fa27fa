#include "links.h"

#include <string.h>

/* The ways in which a line of the lab's sources defines a name, the surest first;
 * %s is the name. */
static const char *const definitions[] = {
  "^%s \\(",                                 /* a function, in a .c file */
  "^#define %s\\b",                          /* a macro */
  "^\\} %s;",                                /* a type */
  "^(struct|enum|typedef struct) _?%s\\b",   /* another */
  "^(static |extern |const )[^(=]*\\b%s\\b", /* data */
  "^[A-Za-z].*\\b%s \\(",                    /* a function, in a header */
  "^ +[A-Za-z].*\\b%s\\b",                   /* a member or an enumerator */
  "^%s( \\(\\)|:)",                          /* a function of a script, a target of make */
};

/* Counted from 1; 0: it is not defined there. */
static guint
line_of (const char *text, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    {
      g_autofree char *pattern = g_strdup_printf ("(?m)%s", definitions[i]);
      g_auto (GStrv) halves = g_strsplit (pattern, "%s", 2);
      g_autofree char *whole = g_strconcat (halves[0], name, halves[1], NULL);
      g_autoptr (GRegex) regex = g_regex_new (whole, 0, 0, NULL);
      g_autoptr (GMatchInfo) match = NULL;
      guint line = 1;
      int start;

      if (!g_regex_match (regex, text, 0, &match))
        continue;
      g_match_info_fetch_pos (match, 0, &start, NULL);
      for (int at = 0; at < start; at++)
        line += text[at] == '\n';
      return line;
    }
  return 0;
}

/* @link: relative to the page. Returns: (transfer full) */
static char *
path_from_top (const Page *page, const char *link)
{
  g_autofree char *folder = g_path_get_dirname (page->path);

  return g_build_filename (folder, link, NULL);
}

static gboolean
fill_line (const GMatchInfo *match, GString *result, gpointer data)
{
  Page *page = data;
  g_autofree char *whole = g_match_info_fetch (match, 0);
  g_autofree char *name = g_match_info_fetch_named (match, "name");
  g_autofree char *link = g_match_info_fetch_named (match, "path");
  g_autofree char *before = g_match_info_fetch_named (match, "before");
  g_autofree char *path = path_from_top (page, link);
  g_autofree char *source = NULL;
  g_autofree char *after = NULL;
  guint line = 0;
  int start;

  if (g_file_get_contents (path, &source, NULL, NULL))
    line = line_of (source, name);
  g_match_info_fetch_pos (match, 0, &start, NULL);
  if (line == 0)
    {
      page_complain (page, (gsize) start, "%s does not define %s", path, name);
      page->broken++;
      g_string_append (result, whole);
      return FALSE;
    }
  after = g_strdup_printf ("%s(%s#L%u)", before, link, line);
  if (strcmp (whole, after) != 0)
    {
      page_complain (page, (gsize) start, "%s is at line %u of %s", name, line, path);
      page->changed++;
    }
  g_string_append (result, after);
  return FALSE;
}

void
page_fill_lines (Page *page)
{
  g_autoptr (GRegex) regex
      = g_regex_new ("(?<before>\\[`?(?<name>\\w+)[^\\]\\n]*\\])\\((?<path>[^)#\\s]+)#L\\d+\\)", 0, 0, NULL);
  char *text = g_regex_replace_eval (regex, page->text, -1, 0, 0, fill_line, page, NULL);

  g_free (page->text);
  page->text = text;
}

/* Headings and files */

/* As GitHub names them: lower case, words joined by '-', all else dropped. */
static gboolean
has_heading (const char *text, const char *anchor)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (int i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GString) slug = g_string_new (NULL);

      if (lines[i][0] != '#')
        continue;
      for (const char *c = lines[i] + strspn (lines[i], "# "); *c != '\0'; c = g_utf8_next_char (c))
        if (*c == ' ')
          g_string_append_c (slug, '-');
        else if (g_unichar_isalnum (g_utf8_get_char (c)) || *c == '-' || *c == '_')
          g_string_append_unichar (slug, g_unichar_tolower (g_utf8_get_char (c)));
      if (strcmp (slug->str, anchor) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
check_link (Page *page, gsize offset, const char *link)
{
  g_auto (GStrv) parts = g_strsplit (link, "#", 2);
  g_autofree char *path = *parts[0] != '\0' ? path_from_top (page, parts[0]) : g_strdup (page->path);
  g_autofree char *text = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    page_complain (page, offset, "%s leads nowhere", link);
  else if (parts[1] == NULL || !g_str_has_suffix (path, ".md"))
    return;
  else if (g_file_get_contents (path, &text, NULL, NULL) && has_heading (text, parts[1]))
    return;
  else
    page_complain (page, offset, "%s has no heading for #%s", path, parts[1]);
  page->broken++;
}

void
page_check_links (Page *page)
{
  g_autoptr (GRegex) regex = g_regex_new ("(?:\\]\\(|src=\")(?<link>[^)\"\\s]+)", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (regex, page->text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *link = g_match_info_fetch_named (match, "link");
      int start;

      g_match_info_fetch_pos (match, 0, &start, NULL);
      if (strstr (link, "://") == NULL)
        check_link (page, (gsize) start, link);
    }
}
