/* Does the simulation tell the truth? Each step's main figures on the virtual and
 * on the real clock, side by side.
 *
 *   compare OUT
 *
 * reads the results in OUT and in OUT/real, prints the table and writes
 * OUT/compare.json and OUT/compare.csv, which the chart is drawn from.
 *
 * Two figures agree within 5 %, a count also within 3 and a rate within 1/s. A run
 * whose load generator was late proves nothing either way and is left out.
 *
 * Exit status: 0 all agree, 1 some do not, 2 could not run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lab/process.h"
#include "../lab/results.h"
#include "book.h"

#define SHARE 0.05

static const LabColumn columns[] = {
  { .key = "step", .heading = "step", .width = -12 },
  { .key = "figure", .heading = "figure", .width = -42 },
  { .key = "virtual" },
  { .key = "real" },
  { .heading = "virtual", .width = 9 },
  { .heading = "real", .width = 9 },
  { .key = "difference_percent", .heading = "apart", .width = 8, .decimals = 1, .suffix = "%" },
  { .key = "agrees", .heading = "agrees", .width = 8 },
};

typedef struct
{
  LabTable *table; /* the results' */
  guint figures;
  guint agree;
  char *farthest; /* of those that do not agree, or NULL */
  double farthest_apart;
  GString *left_out; /* the steps whose run on the real clock is not valid */
} Comparison;

static LabValue
value_of (JsonNode *node)
{
  if (!figure_is_number (node))
    return lab_none ();
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return lab_decimal (json_node_get_int (node), 0);
  return lab_decimal (llround (json_node_get_double (node) * 1e6), 6);
}

/* How far @measured is from @simulated, as a share of it; infinite where one of them
 * is not there or nothing became something. */
static double
how_far_apart (JsonNode *simulated, JsonNode *measured)
{
  double a, b;

  if (!figure_is_number (simulated) || !figure_is_number (measured))
    return INFINITY;
  a = json_node_get_double (simulated);
  b = json_node_get_double (measured);
  return a == b ? 0 : a == 0 ? INFINITY : (b - a) / a;
}

static gboolean
do_agree (const char *key, JsonNode *simulated, JsonNode *measured)
{
  double expected;

  if (!figure_is_number (simulated) || !figure_is_number (measured))
    return FALSE;
  expected = json_node_get_double (simulated);
  return fabs (json_node_get_double (measured) - expected) <= figure_tolerance (key, expected, SHARE);
}

static void
count (Comparison *comparison, const char *step, const char *name, gboolean agree, double apart)
{
  comparison->figures++;
  if (agree)
    comparison->agree++;
  else if (comparison->farthest == NULL || fabs (apart) > fabs (comparison->farthest_apart))
    {
      g_free (comparison->farthest);
      comparison->farthest = isinf (apart) ? g_strdup_printf ("%s, %s", step, name)
                                           : g_strdup_printf ("%s, %s: %+.1f %%", step, name, 100 * apart);
      comparison->farthest_apart = apart;
    }
}

static void
add_figure (Comparison *comparison, const char *step, const char *address, const Document *virtual,
            const Document *real)
{
  const char *key = strchr (address, '.') + 1;
  JsonNode *simulated = document_figure (virtual, address);
  JsonNode *measured = document_figure (real, address);
  g_autofree char *name = document_figure_name (virtual, address);
  g_autofree char *simulated_text = figure_text (key, simulated);
  g_autofree char *measured_text = figure_text (key, measured);
  double apart = how_far_apart (simulated, measured);
  gboolean agree = do_agree (key, simulated, measured);

  /* What is on neither clock, like the median of nobody, is no figure. */
  if (!figure_is_number (simulated) && !figure_is_number (measured))
    return;
  count (comparison, step, name, agree, apart);
  lab_table_add (comparison->table, LAB_ROW (lab_text (step), lab_text (name), value_of (simulated),
                                             value_of (measured), lab_text (simulated_text), lab_text (measured_text),
                                             isinf (apart) ? lab_none () : lab_decimal (llround (apart * 100000), 3),
                                             lab_boolean (agree)));
}

static gboolean
add_step (Comparison *comparison, const Chapter *chapter, const char *out, GError **error)
{
  g_autofree char *folder = g_build_filename (out, "real", NULL);
  g_autofree char *step = chapter_short_name (chapter);
  g_autoptr (Document) virtual = document_load (out, chapter->program, error);
  g_autoptr (Document) real = virtual != NULL ? document_load (folder, chapter->program, error) : NULL;
  const char *different;

  if (real == NULL)
    return FALSE;
  if (!document_same_settings (virtual, real, &different))
    {
      g_set_error (error, DOCUMENT_ERROR, 0, "%s and %s were not run with the same settings: %s differs", virtual->path,
                   real->path, different);
      return FALSE;
    }
  if (document_lateness_p99_us (real) > DOCUMENT_LATENESS_LIMIT_US)
    g_string_append_printf (comparison->left_out, "%s%s", comparison->left_out->len > 0 ? ", " : "", step);
  else
    for (guint i = 0; chapter->figures[i] != NULL; i++)
      add_figure (comparison, step, chapter->figures[i], virtual, real);
  return TRUE;
}

/* Every step that runs on both clocks: those that can be absent do not. */
static gboolean
add_steps (Comparison *comparison, const char *out, GError **error)
{
  g_autoptr (GPtrArray) chapters = book_chapters ();

  for (guint i = 0; i < chapters->len; i++)
    {
      const Chapter *chapter = g_ptr_array_index (chapters, i);

      if (chapter->absent == NULL && !add_step (comparison, chapter, out, error))
        return FALSE;
    }
  return TRUE;
}

static void
judge (const Comparison *comparison, LabResults *results)
{
  g_autofree char *detail = g_strdup_printf ("%u of %u%s%s", comparison->agree, comparison->figures,
                                             comparison->farthest != NULL ? "; the farthest is " : "",
                                             comparison->farthest != NULL ? comparison->farthest : "");

  lab_results_check (results,
                     comparison->figures == 0                   ? LAB_CHECK_SKIP
                     : comparison->agree == comparison->figures ? LAB_CHECK_PASS
                                                                : LAB_CHECK_FAIL,
                     "every figure is the same on both clocks, within 5 %, 3 or 1/s", detail);
  if (comparison->left_out->len > 0)
    lab_results_check (results, LAB_CHECK_SKIP, "a run whose load generator was late is left out",
                       comparison->left_out->str);
}

/* Returns whether it could all be printed. */
static gboolean
print (const Comparison *comparison)
{
  g_autoptr (GString) text = g_string_new (NULL);

  lab_table_append_heading (comparison->table, text);
  for (guint i = 0; i < lab_table_n_rows (comparison->table); i++)
    lab_table_append_row (comparison->table, i, text);
  g_string_append_printf (text, "\n%u of %u figures agree (within 5 %%, a count within 3, a rate within 1/s)\n",
                          comparison->agree, comparison->figures);
  if (comparison->farthest != NULL)
    g_string_append_printf (text, "the farthest apart is %s\n", comparison->farthest);
  if (comparison->left_out->len > 0)
    g_string_append_printf (text, "left out, because the load generator was late on the real clock: %s\n",
                            comparison->left_out->str);
  return fputs (text->str, stdout) != EOF && fflush (stdout) == 0;
}

/* Returns the exit status. */
static int
compare (const char *out)
{
  g_autoptr (LabResults) results = lab_results_new ("compare", TRUE, lab_none ());
  g_autoptr (GString) left_out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *farthest = NULL;
  Comparison comparison = {
    .table = lab_results_rows (results, columns, G_N_ELEMENTS (columns)),
    .left_out = left_out,
  };
  gboolean complete = add_steps (&comparison, out, &error);

  farthest = comparison.farthest;
  if (complete)
    {
      judge (&comparison, results);
      complete = lab_results_write (results, out, FALSE, &error);
    }
  if (!complete)
    {
      fprintf (stderr, "compare: %s\n", error->message);
      return 2;
    }
  if (!print (&comparison))
    {
      fprintf (stderr, "compare: cannot write to standard output\n");
      return 2;
    }
  return comparison.agree == comparison.figures ? 0 : 1;
}

int
main (int argc, char *argv[])
{
  lab_process_prepare ();
  if (argc != 2 || argv[1][0] == '-')
    {
      fprintf (stderr, "usage: compare OUT (the folder with the results; those of the real clock in OUT/real)\n");
      return 2;
    }
  return compare (argv[1]);
}
