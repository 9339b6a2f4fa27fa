#include "page.h"

#include <stdio.h>
#include <string.h>

#include "expression.h"

#define MARKER "<!-- numbers: "
#define UNAVAILABLE "503" /* the status: a name, not a number */

typedef struct
{
  Page *page;
  Runs *runs;
} Filling;

/* @fill: what a match becomes. Returns: (transfer full) */
typedef char *(*Fill) (Filling *filling, const GMatchInfo *match, gsize offset);

typedef struct
{
  Filling *filling;
  Fill fill;
} Replacing;

static gboolean
replace_one (const GMatchInfo *match, GString *result, gpointer data)
{
  Replacing *replacing = data;
  g_autofree char *before = g_match_info_fetch (match, 0);
  g_autofree char *after = NULL;
  int start;

  g_match_info_fetch_pos (match, 0, &start, NULL);
  after = replacing->fill (replacing->filling, match, (gsize) start);
  replacing->filling->page->changed += strcmp (before, after) != 0;
  g_string_append (result, after);
  return FALSE;
}

static void
replace_all (Page *page, Runs *runs, const char *pattern, Fill fill)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOTALL | G_REGEX_MULTILINE, 0, NULL);
  Filling filling = { page, runs };
  Replacing replacing = { &filling, fill };
  char *text = g_regex_replace_eval (regex, page->text, -1, 0, 0, replace_one, &replacing, NULL);

  g_free (page->text);
  page->text = text;
}

void
page_complain (const Page *page, gsize offset, const char *format, ...)
{
  g_autofree char *message = NULL;
  guint line = 1;
  va_list arguments;

  for (gsize i = 0; i < offset; i++)
    line += page->text[i] == '\n';
  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (stderr, "%s:%u: %s\n", page->path, line, message);
}

/* Runs */

static char *
fill_run (Filling *filling, const GMatchInfo *match, gsize offset)
{
  g_autofree char *command = g_match_info_fetch_named (match, "command");
  g_autofree char *before = g_match_info_fetch (match, 0);
  g_autoptr (GError) error = NULL;
  const char *text = runs_text (filling->runs, command, &error);
  char *after;

  if (text == NULL)
    {
      page_complain (filling->page, offset, "%s", error->message);
      filling->page->broken++;
      return g_steal_pointer (&before);
    }
  after = g_strdup_printf ("<!-- run: %s -->\n```text\n%s```\n<!-- end -->", command, text);
  if (strcmp (before, after) != 0)
    page_complain (filling->page, offset, "'%s' does not print this", command);
  return after;
}

void
page_fill_runs (Page *page, Runs *runs)
{
  replace_all (page, runs, "^<!-- run: (?<command>[^\\n]+) -->\\n.*?<!-- end -->", fill_run);
}

/* Files */

static char *
fill_file (Filling *filling, const GMatchInfo *match, gsize offset)
{
  g_autofree char *path = g_match_info_fetch_named (match, "path");
  g_autofree char *before = g_match_info_fetch (match, 0);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  char *after;

  if (!g_file_get_contents (path, &text, NULL, &error))
    {
      page_complain (filling->page, offset, "%s", error->message);
      filling->page->broken++;
      return g_steal_pointer (&before);
    }
  after = g_strdup_printf ("<!-- file: %s -->\n\n%s\n<!-- end -->", path, text);
  if (strcmp (before, after) != 0)
    page_complain (filling->page, offset, "%s does not say this", path);
  return after;
}

void
page_fill_files (Page *page)
{
  replace_all (page, NULL, "^<!-- file: (?<path>[^\n]+) -->\n.*?<!-- end -->", fill_file);
}

/* Numbers */

/* The value of @expression with as many decimals as @token. (transfer full) */
static char *
value_for (const char *token, const char *expression, JsonObject *results, GError **error)
{
  const char *point = strchr (token, '.');
  double value;

  if (!expression_evaluate (expression, results, &value, error))
    return NULL;
  return g_strdup_printf ("%.*f", point != NULL ? (int) strlen (point + 1) : 0, value);
}

/* Puts @after in the place of the number @before. FALSE when there is none. */
static gboolean
replace_number (char **text, const char *before, const char *after)
{
  g_autofree char *escaped = g_regex_escape_string (before, -1);
  g_autofree char *pattern = g_strdup_printf ("(?<![\\d.])%s(?!\\d|\\.\\d)", escaped);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  char *replaced;

  if (!g_regex_match (regex, *text, 0, NULL))
    return FALSE;
  replaced = g_regex_replace_literal (regex, *text, -1, 0, after, 0, NULL);
  g_free (*text);
  *text = replaced;
  return TRUE;
}

/* @binding: "679=timeout". Brings it and @prose up to what the run gives now. */
static gboolean
fill_number (Page *page, gsize offset, char **binding, JsonObject *results, char **prose)
{
  g_auto (GStrv) sides = g_strsplit (g_strstrip (*binding), "=", 2);
  g_autoptr (GError) error = NULL;
  g_autofree char *value = NULL;

  if (sides[0] == NULL || sides[1] == NULL)
    page_complain (page, offset, "'%s' has no '='", *binding);
  else if ((value = value_for (sides[0], sides[1], results, &error)) == NULL)
    page_complain (page, offset, "%s", error->message);
  else if (!replace_number (prose, sides[0], value))
    page_complain (page, offset, "no %s stands in the paragraph before its marker", sides[0]);
  else
    {
      if (strcmp (sides[0], value) != 0)
        page_complain (page, offset, "%s is %s now, not %s", sides[1], value, sides[0]);
      g_free (*binding);
      *binding = g_strdup_printf ("%s=%s", value, sides[1]);
      return TRUE;
    }
  return FALSE;
}

/* @marker: "build/bin/step03_no_limits; 827=offered; 679=timeout". */
static void
fill_marker (Page *page, Runs *runs, gsize offset, char **marker, char **prose)
{
  g_auto (GStrv) parts = g_strsplit (*marker, ";", -1);
  g_autoptr (GError) error = NULL;
  JsonObject *results = runs_results (runs, g_strstrip (parts[0]), &error);

  if (results == NULL)
    page_complain (page, offset, "%s", error->message);
  for (int i = 1; parts[i] != NULL; i++)
    if (results == NULL || !fill_number (page, offset, &parts[i], results, prose))
      page->broken++;
  g_free (*marker);
  *marker = g_strjoinv ("; ", parts);
}

static gsize
start_of_paragraph (const char *text, gsize at)
{
  const char *gap = g_strrstr_len (text, (gssize) at, "\n\n");

  return gap != NULL ? (gsize) (gap - text) + 2 : 0;
}

void
page_fill_numbers (Page *page, Runs *runs)
{
  const char *found;
  gsize from = 0;

  while ((found = strstr (page->text + from, MARKER)) != NULL)
    {
      gsize at = (gsize) (found - page->text);
      const char *end = strstr (found, " -->");
      const char *paragraph = page->text + start_of_paragraph (page->text, at);
      const char *markers = strstr (paragraph, MARKER); /* the first one of the paragraph */
      g_autofree char *head = g_strndup (page->text, (gsize) (paragraph - page->text));
      g_autofree char *prose = g_strndup (paragraph, (gsize) (markers - paragraph));
      g_autofree char *between = g_strndup (markers, (gsize) (found - markers));
      g_autofree char *marker = NULL;
      char *text;

      if (end == NULL)
        {
          page_complain (page, at, "a number marker does not end");
          page->broken++;
          return;
        }
      marker = g_strndup (found + strlen (MARKER), (gsize) (end - found) - strlen (MARKER));
      fill_marker (page, runs, at, &marker, &prose);
      text = g_strconcat (head, prose, between, MARKER, marker, NULL);
      from = strlen (text);
      text = g_realloc (text, from + strlen (end) + 1);
      strcpy (text + from, end);
      page->changed += strcmp (text, page->text) != 0;
      g_free (page->text);
      page->text = text;
    }
}

/* Numbers that stand in the generated blocks and, unmarked, in the prose; those of
 * fewer than three digits mean too many things to tell. */

static void
check_paragraph (Page *page, const char *paragraph, gsize offset, GHashTable *printed)
{
  g_auto (GStrv) parts = g_strsplit (paragraph, MARKER, 2);
  g_autoptr (GRegex) number
      = g_regex_new ("(?<![\\w.#%-])(\\d{3,}|\\d{2,}\\.\\d+|\\d\\.\\d{2,})(?![\\w.]*\\d)", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (number, parts[0], 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *token = g_match_info_fetch (match, 1);
      g_autofree char *binding = g_strdup_printf ("%s=", token);

      if (strcmp (token, UNAVAILABLE) != 0 && g_hash_table_contains (printed, token)
          && (parts[1] == NULL || strstr (parts[1], binding) == NULL))
        {
          page_complain (page, offset, "%s comes from a run and has no marker", token);
          page->broken++;
        }
    }
}

static GHashTable *
printed_numbers (Page *page)
{
  g_autoptr (GRegex) block
      = g_regex_new ("^<!-- run: [^\\n]*\\n(.*?)<!-- end -->", G_REGEX_DOTALL | G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  GHashTable *printed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (g_regex_match (block, page->text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *text = g_match_info_fetch (match, 1);
      g_auto (GStrv) words = g_regex_split_simple ("[^\\d.]+", text, 0, 0);

      for (int i = 0; words[i] != NULL; i++)
        g_hash_table_add (printed, g_strdup (words[i]));
    }
  return printed;
}

void
page_check_unmarked (Page *page)
{
  g_autoptr (GHashTable) printed = printed_numbers (page);
  g_auto (GStrv) paragraphs = g_strsplit (page->text, "\n\n", -1);
  gsize offset = 0;
  gboolean in_block = FALSE;

  for (int i = 0; paragraphs[i] != NULL; i++)
    {
      gboolean begins = strstr (paragraphs[i], "<!-- run:") != NULL || strstr (paragraphs[i], "```") != NULL;

      if (!in_block && !begins)
        check_paragraph (page, paragraphs[i], offset, printed);
      if (begins || in_block)
        in_block = !(g_str_has_suffix (paragraphs[i], "```") || strstr (paragraphs[i], "<!-- end -->") != NULL);
      offset += strlen (paragraphs[i]) + 2;
    }
}
