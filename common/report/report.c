/* One self-contained page of all results.
 *
 *   report OUT
 *
 * reads the result documents in OUT with their tables and charts, those of the real
 * clock in OUT/real and those with the article's timer tick in OUT/article, where
 * they exist, and writes OUT/index.html. A result of another program that stands in
 * OUT gets a section of its own.
 *
 * Exit status: 0 written, 2 could not run, with a sentence that names the file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lab/process.h"
#include "../lab/results.h"
#include "book.h"
#include "html.h"
#include "tables.h"

/* One experiment on the page. */
typedef struct
{
  Chapter *chapter;
  Document *document; /* NULL: it was not run */
  Document *real;     /* NULL: not run on the real clock, or with other settings */
  Document *ticked;   /* NULL: not run with the article's timer tick */
  char *note;         /* or NULL */
} Section;

typedef struct
{
  char *out;
  JsonNode *printed;
  GPtrArray *sections;
} Report;

static void
section_free (Section *section)
{
  g_clear_pointer (&section->document, document_free);
  g_clear_pointer (&section->real, document_free);
  g_clear_pointer (&section->ticked, document_free);
  chapter_free (section->chapter);
  g_free (section->note);
  g_free (section);
}

/* --- Reading ---------------------------------------------------------------- */

static gboolean
load_others (const char *out, Section *section, GError **error)
{
  g_autofree char *real = g_build_filename (out, "real", NULL);
  g_autofree char *article = g_build_filename (out, "article", NULL);
  const char *program = section->chapter->program;
  const char *different;

  if (section->document == NULL || strcmp (document_text (section->document, "clock"), "virtual") != 0)
    return TRUE;
  if (!document_load_if_there (real, program, &section->real, error)
      || !document_load_if_there (article, program, &section->ticked, error))
    return FALSE;
  if (section->real != NULL && !document_same_settings (section->document, section->real, &different))
    {
      section->note = g_strdup_printf ("%s was run with other settings (%s), so it is not compared here.",
                                       section->real->path, different);
      g_clear_pointer (&section->real, document_free);
    }
  return TRUE;
}

/* @chapter: (transfer full) */
static gboolean
add_section (Report *report, Chapter *chapter, GError **error)
{
  Section *section = g_new0 (Section, 1);

  section->chapter = chapter;
  g_ptr_array_add (report->sections, section);
  if (chapter->absent == NULL)
    section->document = document_load (report->out, chapter->program, error);
  else if (!document_load_if_there (report->out, chapter->program, &section->document, error))
    return FALSE;
  if (chapter->absent == NULL && section->document == NULL)
    return FALSE;
  return load_others (report->out, section, error);
}

static gboolean
has_section (Report *report, const char *program)
{
  for (guint i = 0; i < report->sections->len; i++)
    if (strcmp (((Section *) g_ptr_array_index (report->sections, i))->chapter->program, program) == 0)
      return TRUE;
  return FALSE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The files in @folder that begin and end so, in order. */
static GPtrArray *
list_files (const char *folder, const char *start, const char *end, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  const char *name;

  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, start) && g_str_has_suffix (name, end))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

/* Results of programs that the book does not know. capacity.json is step 1's
 * reading, a part of its result; an interrupted run is not one. */
static gboolean
add_unknown (Report *report, GError **error)
{
  g_autoptr (GPtrArray) names = list_files (report->out, "", ".json", error);

  if (names == NULL)
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *program = g_strndup (name, strlen (name) - strlen (".json"));

      if (strcmp (program, "capacity") != 0 && !g_str_has_suffix (program, ".interrupted")
          && !has_section (report, program) && !add_section (report, chapter_new_unknown (program), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
load (Report *report, GError **error)
{
  g_autoptr (GPtrArray) chapters = book_chapters ();

  while (chapters->len > 0)
    if (!add_section (report, g_ptr_array_steal_index (chapters, 0), error))
      return FALSE;
  return add_unknown (report, error);
}

/* --- A section -------------------------------------------------------------- */

static void
add_checks (GString *page, const Document *document)
{
  if (json_array_get_length (document->checks) == 0)
    return;
  html_add (page, "<h3>Checks</h3>\n<ul class=\"checks\">\n");
  for (guint i = 0; i < json_array_get_length (document->checks); i++)
    {
      JsonObject *check = json_array_get_object_element (document->checks, i);
      JsonNode *holds = json_object_get_member (check, "holds");
      gboolean judged = !JSON_NODE_HOLDS_NULL (holds);
      gboolean held = judged && json_node_get_boolean (holds);

      html_add (page, "<li><b class=\"%s\">%s</b>%s <span>(%s)</span></li>\n",
                held     ? "good"
                : judged ? "bad"
                         : "open",
                held     ? "PASS"
                : judged ? "FAIL"
                         : "SKIP",
                json_object_get_string_member (check, "claim"), json_object_get_string_member (check, "detail"));
    }
  html_add (page, "</ul>\n");
}

/* An object of the document on one line; nothing for an empty one. */
static void
add_object (GString *page, const char *title, const char *start, JsonObject *object)
{
  g_autoptr (GString) text = g_string_new (start);
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *key = keys; key != NULL; key = key->next)
    {
      g_autofree char *phrase = figure_phrase (key->data, json_object_get_member (object, key->data));

      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", phrase);
    }
  if (text->len > 0)
    html_add (page, "<p class=\"settings\">%s: %s</p>\n", title, text->str);
}

/* The settings, and what else the document holds, like a load test's errors by class. */
static void
add_objects (GString *page, const Document *document)
{
  const char *clock = document_text (document, "clock");
  g_autofree char *start = clock[0] != '\0' ? g_strconcat (clock, " clock", NULL) : NULL;
  g_autoptr (GList) names = json_object_get_members (document->object);

  add_object (page, "Run with", start, document->settings);
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *node = json_object_get_member (document->object, name->data);

      if (JSON_NODE_HOLDS_OBJECT (node) && strcmp (name->data, "settings") != 0 && strcmp (name->data, "machine") != 0)
        add_object (page, name->data, NULL, json_node_get_object (node));
    }
}

/* Where a document of the real clock was measured, and whether its generator kept
 * its schedule. */
static void
add_validity (GString *page, const Document *document)
{
  JsonNode *machine = json_object_get_member (document->object, "machine");
  double lateness_us = document_lateness_p99_us (document);

  if (machine != NULL)
    {
      g_autofree char *text = figure_text ("", machine);

      html_add (page, "<p class=\"note\">The real clock is that of this machine: %s.", text);
    }
  else
    html_add (page, "<p class=\"note\">");
  if (lateness_us > DOCUMENT_LATENESS_LIMIT_US)
    html_add (page,
              " <strong class=\"bad\">This run is not valid:</strong> over 1 %% of the arrivals were more than 10 ms "
              "late (99 %% within %.1f ms). Run it again on a quiet machine.",
              lateness_us / 1000);
  else if (!isnan (lateness_us))
    html_add (page, " The load generator kept its schedule: 99 %% of the arrivals within %.2f ms.", lateness_us / 1000);
  html_add (page, "</p>\n");
}

static gboolean
add_chart (GString *page, const char *out, const Section *section, const char *title, GError **error)
{
  g_autofree char *file = g_strconcat (section->chapter->program, ".svg", NULL);
  g_autofree char *path = g_build_filename (out, file, NULL);
  g_autofree char *chart = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  chart = html_chart (path, section->chapter->program, title, error);
  if (chart == NULL)
    return FALSE;
  html_add (page, "<div class=\"scroll chart\" role=\"group\" tabindex=\"0\" aria-label=\"Chart\">\n");
  g_string_append (page, chart);
  html_add (page, "\n</div>\n");
  return TRUE;
}

/* Is @name a table of @program? Such are step02_queue.csv and step02_queue_timeline.csv. */
static gboolean
is_data_of (const char *name, const char *program)
{
  char after = name[strlen (program)];

  return (after == '.' || after == '_') && !g_str_has_suffix (name, ".interrupted.csv");
}

/* The tables in the files, which are those that the chart is drawn from. */
static gboolean
add_data (GString *page, const char *out, const char *program, GError **error)
{
  g_autoptr (GPtrArray) names = list_files (out, program, ".csv", error);

  if (names == NULL)
    return FALSE;
  html_add (page, "<details>\n<summary>The data behind this, as in the files</summary>\n");
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *path = g_build_filename (out, name, NULL);
      g_autoptr (GPtrArray) lines = NULL;

      if (!is_data_of (name, program))
        continue;
      lines = csv_file_load (path, error);
      if (lines == NULL)
        return FALSE;
      add_csv_table (page, lines, name);
    }
  html_add (page, "</details>\n");
  return TRUE;
}

/* Every list of objects in the document: the rows, by second. */
static void
add_tables (GString *page, const Document *document)
{
  g_autoptr (GList) names = json_object_get_members (document->object);

  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonArray *rows = document_table (document, name->data);
      g_autofree char *caption = figure_heading (name->data);

      if (rows != NULL && json_array_get_length (rows) > 0 && strcmp (name->data, "checks") != 0)
        add_json_table (page, rows, strcmp (name->data, "rows") == 0 ? "Results" : caption);
    }
}

static void
add_comparisons (GString *page, const Report *report, const Section *section)
{
  const Beside beside = { section->document, section->real, section->ticked, report->printed };
  g_autoptr (GString) tables = g_string_new (NULL);
  gboolean by_row = add_comparison (tables, &beside, "rows", "Each figure, and how far it is apart");
  gboolean by_second = add_comparison (tables, &beside, "by_second", "The same by second of arrival");

  if (section->note != NULL)
    html_add (page, "<p class=\"note\">%s</p>\n", section->note);
  if (!by_row && !by_second)
    return;
  html_add (page, "<h3>%s</h3>\n",
            section->real == NULL     ? "Beside the article"
            : section->ticked == NULL ? "On two clocks"
                                      : "On two clocks, and beside the article");
  if (section->real != NULL)
    add_validity (page, section->real);
  if (section->real == NULL && section->ticked == NULL)
    html_add (page,
              "<p class=\"note\">Another machine has another capacity: the shape is the same, the figures are not."
              "</p>\n");
  g_string_append_len (page, tables->str, (gssize) tables->len);
}

static gboolean
add_body (GString *page, const Report *report, const Section *section, GError **error)
{
  const Document *document = section->document;
  gboolean is_shown = document_verdicts (document).broken == 0;
  g_autofree char *finding = is_shown ? chapter_finding (section->chapter, document) : NULL;

  if (!is_shown)
    html_add (page, "<p class=\"finding bad\">This run does not show what it should: see its checks.</p>\n");
  else if (finding != NULL)
    html_add (page, "<p class=\"finding\">%s</p>\n", finding);
  if (!add_chart (page, report->out, section, finding != NULL ? finding : section->chapter->title, error))
    return FALSE;
  add_tables (page, document);
  if (strcmp (document_text (document, "clock"), "real") == 0)
    add_validity (page, document);
  add_objects (page, document);
  add_checks (page, document);
  add_comparisons (page, report, section);
  return add_data (page, report->out, section->chapter->program, error);
}

static gboolean
add_section_to_page (GString *page, const Report *report, const Section *section, GError **error)
{
  const Chapter *chapter = section->chapter;

  html_add (page, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 id=\"%s-heading\">%s</h2>\n",
            chapter->program, chapter->program, chapter->program, chapter->title);
  if (chapter->question != NULL)
    html_add (page, "<p class=\"question\">%s</p>\n", chapter->question);
  if (section->document == NULL)
    html_add (page, "<p class=\"note\">Not among these results. %s</p>\n", chapter->absent);
  else if (!add_body (page, report, section, error))
    return FALSE;
  html_add (page, "</section>\n");
  return TRUE;
}

/* --- The page --------------------------------------------------------------- */

/* What has neither a result nor a sentence about its absence is left out. */
static gboolean
is_on_page (const Section *section)
{
  return section->document != NULL || section->chapter->absent[0] != '\0';
}

static void
add_to_contents (GString *contents, const Section *section)
{
  Verdicts verdicts = section->document != NULL ? document_verdicts (section->document) : (Verdicts) { 0, 0, 0 };
  g_autofree char *text = section->document != NULL ? verdicts_text (verdicts) : g_strdup ("not run");

  html_add (contents, "<li><a href=\"#%s\">%s</a>", section->chapter->program, section->chapter->title);
  if (section->document == NULL || json_array_get_length (section->document->checks) > 0)
    html_add (contents, "<small class=\"%s\">%s</small>", verdicts.broken > 0 ? "bad" : "", text);
  html_add (contents, "</li>\n");
}

/* Puts @value, which is HTML, in the place of @mark. */
static void
fill (GString *page, const char *mark, const char *value)
{
  gsize found = (gsize) (strstr (page->str, mark) - page->str);

  g_string_erase (page, (gssize) found, (gssize) strlen (mark));
  g_string_insert (page, (gssize) found, value);
}

static char *
whole_verdict (const Report *report)
{
  Verdicts all = { 0, 0, 0 };
  g_autofree char *text = NULL;
  g_autoptr (GString) html = g_string_new (NULL);

  for (guint i = 0; i < report->sections->len; i++)
    {
      Section *section = g_ptr_array_index (report->sections, i);
      Verdicts verdicts = section->document != NULL ? document_verdicts (section->document) : (Verdicts) { 0, 0, 0 };

      all.held += verdicts.held;
      all.broken += verdicts.broken;
      all.skipped += verdicts.skipped;
    }
  text = verdicts_text (all);
  html_add (html, "<span class=\"%s\">%s.</span>", all.broken > 0 ? "bad" : "good", text);
  return g_string_free (g_steal_pointer (&html), FALSE);
}

/* Returns: (transfer full), NULL with @error set */
static GString *
make_page (const Report *report, GError **error)
{
  g_autofree char *skeleton = book_text ("page.html");
  g_autofree char *css = book_text ("page.css");
  g_autofree char *verdict = whole_verdict (report);
  g_autoptr (GString) contents = g_string_new (NULL);
  g_autoptr (GString) sections = g_string_new (NULL);
  g_autoptr (GString) page = g_string_new (skeleton);

  for (guint i = 0; i < report->sections->len; i++)
    {
      Section *section = g_ptr_array_index (report->sections, i);

      if (!is_on_page (section))
        continue;
      add_to_contents (contents, section);
      if (!add_section_to_page (sections, report, section, error))
        return NULL;
    }
  /* From the end on, so that no mark is looked for in what was filled in. */
  fill (page, "@version@", LAB_VERSION);
  fill (page, "@sections@", sections->str);
  fill (page, "@contents@", contents->str);
  fill (page, "@verdict@", verdict);
  fill (page, "@page.css@", css);
  return g_steal_pointer (&page);
}

static gboolean
write_page (const Report *report, const char *path, GError **error)
{
  g_autoptr (GString) page = make_page (report, error);

  return page != NULL && lab_file_write (path, page->str, (gssize) page->len, error);
}

int
main (int argc, char *argv[])
{
  Report report = { NULL, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  gboolean written;

  lab_process_prepare ();
  if (argc != 2 || argv[1][0] == '-')
    {
      fprintf (stderr, "usage: report OUT (the folder with the results)\n");
      return 2;
    }
  report.out = argv[1];
  report.printed = book_printed ();
  report.sections = g_ptr_array_new_with_free_func ((GDestroyNotify) section_free);
  path = g_build_filename (report.out, "index.html", NULL);
  written = load (&report, &error) && write_page (&report, path, &error);
  g_ptr_array_unref (report.sections);
  json_node_unref (report.printed);
  if (!written)
    {
      fprintf (stderr, "report: %s\n", error->message);
      return 2;
    }
  if (printf ("the report is %s\n", path) < 0 || fflush (stdout) != 0)
    {
      fprintf (stderr, "report: cannot write to standard output\n");
      return 2;
    }
  return 0;
}
