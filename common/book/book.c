/* book: keeps the pages of the lab true.
 *
 *   book [--write] [--bin=DIR] PAGE...    holds what a page says of runs, lines and
 *                                         files against what is so, or writes it
 *   book --results=FILE EXPRESSION        says whether it holds in a result document
 *
 * Status 0: all is as it should be (now); 1: it is not; 2: it could not be told. */
#include <stdio.h>

#include "expression.h"
#include "links.h"

static gboolean
hold_page (const char *path, Runs *runs, gboolean writes)
{
  Page page = { .path = path };
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &before, NULL, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }
  page.text = g_strdup (before);
  page_fill_runs (&page, runs);
  page_fill_files (&page);
  page_fill_numbers (&page, runs);
  page_check_unmarked (&page);
  page_fill_lines (&page);
  page_check_links (&page);
  text = page.text;
  if (writes && page.changed > 0 && !g_file_set_contents (path, text, -1, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }
  return page.broken == 0 && (writes || page.changed == 0);
}

static int
hold_pages (char **paths, const char *bin, gboolean writes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Runs) runs = runs_new (bin, &error);
  gboolean all_hold = TRUE;

  if (runs == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 2;
    }
  for (int i = 0; paths[i] != NULL; i++)
    all_hold &= hold_page (paths[i], runs, writes);
  return all_hold ? 0 : 1;
}

static int
judge (const char *path, const char *expression)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) error = NULL;
  double value;

  if (json_parser_load_from_file (parser, path, &error)
      && expression_evaluate (expression, json_node_get_object (json_parser_get_root (parser)), &value, &error))
    return value != 0 ? 0 : 1;
  fprintf (stderr, "%s: %s\n", path, error->message);
  return 2;
}

int
main (int argc, char *argv[])
{
  g_autofree char *bin = NULL;
  g_autofree char *results = NULL;
  gboolean writes = FALSE;
  const GOptionEntry entries[]
      = { { "write", 0, 0, G_OPTION_ARG_NONE, &writes, "Write the pages as they should be", NULL },
          { "bin", 0, 0, G_OPTION_ARG_FILENAME, &bin, "Where the programs are (build/bin)", "DIR" },
          { "results", 0, 0, G_OPTION_ARG_FILENAME, &results, "Judge an expression over this result document", "FILE" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new ("PAGE... | EXPRESSION");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc < 2 || (results != NULL && argc != 2))
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "book: what pages, or what expression?");
      return 2;
    }
  return results != NULL ? judge (results, argv[1]) : hold_pages (argv + 1, bin != NULL ? bin : "build/bin", writes);
}
