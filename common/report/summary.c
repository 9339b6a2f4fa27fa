/* One line of results per step, as CSV to paste into a sheet that a class shares.
 *
 *   summary OUT
 *
 * The results in OUT come first, then those of the real clock in OUT/real where
 * they exist. Nothing in a line tells the machine, the person or the time; every
 * line has the same columns, so that the lines of many people stand below each other.
 *
 * Exit status: 0 printed, 2 could not run, with a sentence that names the file. */
#include <stdio.h>
#include <string.h>

#include "../lab/process.h"
#include "../lab/table.h"
#include "book.h"

#define MOST_FIGURES 7

/* A field of a CSV line: quoted where it must be. */
static void
append_field (GString *to, const char *text)
{
  if (text[strcspn (text, ",\"\r\n")] == '\0')
    {
      g_string_append (to, text);
      return;
    }
  g_string_append_c (to, '"');
  for (; *text != '\0'; text++)
    g_string_append_printf (to, *text == '"' ? "\"\"" : "%c", *text);
  g_string_append_c (to, '"');
}

static void
append_header (GString *to)
{
  g_string_append (to, "step,clock,version");
  for (int i = 1; i <= MOST_FIGURES; i++)
    g_string_append_printf (to, ",figure_%d,value_%d", i, i);
  g_string_append (to, ",checks_held,checks_failed,checks_not_judged\n");
}

static void
append_line (GString *to, const Chapter *chapter, const Document *document)
{
  g_autofree char *step = chapter_short_name (chapter);
  guint n_figures = g_strv_length (chapter->figures);
  Verdicts verdicts = document_verdicts (document);

  append_field (to, step);
  g_string_append_c (to, ',');
  append_field (to, document_text (document, "clock"));
  g_string_append_c (to, ',');
  append_field (to, document_text (document, "version"));
  for (guint i = 0; i < MOST_FIGURES; i++)
    {
      const char *address = i < n_figures ? chapter->figures[i] : NULL;
      JsonNode *figure = address != NULL ? document_figure (document, address) : NULL;
      g_autofree char *name = figure != NULL ? document_figure_name (document, address) : g_strdup ("");
      g_autofree char *value = figure != NULL ? figure_text (strchr (address, '.') + 1, figure) : g_strdup ("");

      g_string_append_c (to, ',');
      append_field (to, name);
      g_string_append_c (to, ',');
      append_field (to, value);
    }
  g_string_append_printf (to, ",%u,%u,%u\n", verdicts.held, verdicts.broken, verdicts.skipped);
}

/* Those of the real clock, the @others, may be missing. */
static gboolean
append_results (GString *to, GPtrArray *chapters, const char *folder, gboolean others, GError **error)
{
  for (guint i = 0; i < chapters->len; i++)
    {
      Chapter *chapter = g_ptr_array_index (chapters, i);
      g_autoptr (Document) document = NULL;

      if (chapter->figures[0] == NULL)
        continue;
      if (others || chapter->absent != NULL)
        {
          if (!document_load_if_there (folder, chapter->program, &document, error))
            return FALSE;
        }
      else if ((document = document_load (folder, chapter->program, error)) == NULL)
        return FALSE;
      if (document != NULL)
        append_line (to, chapter, document);
    }
  return TRUE;
}

int
main (int argc, char *argv[])
{
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GPtrArray) chapters = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *real = NULL;

  lab_process_prepare ();
  if (argc != 2 || argv[1][0] == '-')
    {
      fprintf (stderr, "usage: summary OUT (the folder with the results)\n");
      return 2;
    }
  chapters = book_chapters ();
  real = g_build_filename (argv[1], "real", NULL);
  append_header (lines);
  if (!append_results (lines, chapters, argv[1], FALSE, &error)
      || !append_results (lines, chapters, real, TRUE, &error))
    {
      fprintf (stderr, "summary: %s\n", error->message);
      return 2;
    }
  if (fputs (lines->str, stdout) == EOF || fflush (stdout) != 0)
    {
      fprintf (stderr, "summary: cannot write to standard output\n");
      return 2;
    }
  return 0;
}
