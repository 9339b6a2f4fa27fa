/* What the lab costs, measured side by side with others in one run: medians of
 * rounds that take turns, so that a busy moment of the machine hits all alike, and
 * ratios beside them. (How cost grows beyond three million requests is one run each:
 * nothing is compared there.) What only computes is timed by its processor, which
 * others on the machine hardly disturb. A peer that is not installed is said to be so.
 *
 * Run from the top folder (make bench). Leaves bench.md, all rows, and bench-short.md;
 * those of a quiet machine are kept here as README-table.md and README-short.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lab/lab.h"
#include "web.h"

static const LabColumn columns[] = {
  { .key = "measured", .heading = "measured", .width = -42 },
  { .key = "who", .heading = "who", .width = -39 },
  { .key = "value", .heading = "value", .width = 12, .decimals = 3 },
  { .key = "unit", .heading = "unit", .width = -13 },
  { .key = "lab_is", .heading = "the lab is", .width = 10, .decimals = 2, .suffix = "x" },
  { .key = "memory_mb", .heading = "memory MB", .width = 10, .decimals = 1 },
};

typedef struct
{
  const char *who;
  const char *missing; /* why it cannot be measured, or NULL */
  const char *command;
  double amount; /* of what is done in the time that the command prints first, or takes
                    when it prints nothing */
  double values[BENCH_MOST_ROUNDS];
  double memory_mb;
  char *said;
} Rival;

/* Runs a command; what it prints, its seconds on a processor and the most memory it had. Ends the program when
 * the command fails. Returns: (transfer full) */
static char *
output_of (Lab *lab, const char *command, double *seconds, double *memory_mb)
{
  g_auto (GStrv) argv = NULL;
  g_autoptr (GString) output = g_string_new (NULL);
  struct rusage usage;
  GPid process;
  char buffer[512];
  gssize n;
  int out, status;

  if (!g_shell_parse_argv (command, NULL, &argv, NULL)
      || !g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                    &process, NULL, &out, NULL, NULL))
    lab_fail (lab, "cannot run %s", command);
  while ((n = read (out, buffer, sizeof buffer)) > 0)
    g_string_append_len (output, buffer, n);
  close (out);
  wait4 (process, &status, 0, &usage);
  if (status != 0)
    lab_fail (lab, "%s failed", command);
  *memory_mb = (double) usage.ru_maxrss / 1024;
  *seconds = (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
             + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return g_string_free (g_steal_pointer (&output), FALSE);
}

static LabValue
value_of (double value)
{
  return lab_decimal ((gint64) (value * 1000 + 0.5), 3);
}

/* The first rival is the lab. @per_second: what is done in a second, in millions;
 * otherwise nanoseconds for each. */
static void
compete (Lab *lab, LabTable *table, const char *measured, const char *unit, gboolean per_second, guint rounds,
         Rival *rivals, guint n_rivals)
{
  double own = 0;

  for (guint round = 0; round < rounds; round++)
    for (guint i = 0; i < n_rivals && !lab_is_interrupted (lab); i++)
      if (rivals[i].missing == NULL)
        {
          double seconds;

          g_free (rivals[i].said);
          rivals[i].said = output_of (lab, rivals[i].command, &seconds, &rivals[i].memory_mb);
          if (rivals[i].said[0] != '\0')
            seconds = g_ascii_strtod (rivals[i].said, NULL);
          rivals[i].values[round] = per_second ? rivals[i].amount / seconds / 1e6 : seconds / rivals[i].amount * 1e9;
        }
  for (guint i = 0; i < n_rivals && !lab_is_interrupted (lab); i++)
    {
      double value = rivals[i].missing == NULL ? bench_median (rivals[i].values, rounds) : 0;
      g_autofree char *who = rivals[i].missing == NULL ? g_strdup (rivals[i].who)
                                                       : g_strdup_printf ("%s (%s)", rivals[i].who, rivals[i].missing);

      if (i == 0)
        own = value;
      if (rivals[i].missing != NULL)
        lab_table_add (table, LAB_ROW (lab_text (measured), lab_text (who), lab_none (), lab_text (unit), lab_none (),
                                       lab_none ()));
      else
        lab_table_add (table, LAB_ROW (lab_text (measured), lab_text (who), value_of (value), lab_text (unit),
                                       i == 0 ? lab_none () : value_of (per_second ? own / value : value / own),
                                       per_second ? value_of (rivals[i].memory_mb) : lab_none ()));
      lab_print_row (lab, table, lab_table_n_rows (table) - 1);
    }
}

/* "0.0875 500041 499959 0": the counts behind the seconds. */
static const char *
counts_of (const Rival *rival)
{
  return rival->said != NULL ? strchr (rival->said, ' ') : NULL;
}

static void
bench_engines (Lab *lab, LabTable *table, const char *folder)
{
  static const char *const policies[] = { "limits", "no-limits" };
  gboolean has_simpy = system ("/usr/bin/env python3 -c 'import simpy' 2>/dev/null") == 0;
  gboolean system_has_simpy = system ("/usr/bin/python3 -c 'import simpy' 2>/dev/null") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    {
      g_autofree char *measured = g_strdup_printf ("step 4's experiment, %s", i == 0 ? "line of 41" : "no limits");
      g_autofree char *own = g_strdup_printf ("%s/part %s 1000000 4 41", folder, policies[i]);
      g_autofree char *same = g_strdup_printf ("%s/part %s 20000 4 41", folder, policies[i]);
      g_autofree char *heap = g_strdup_printf ("%s/heap %s 1000000 4 41", folder, policies[i]);
      g_autofree char *simpy = g_strdup_printf ("%s common/bench/step4.py %s 20000 4 41",
                                                system_has_simpy ? "/usr/bin/python3" : "python3", policies[i]);
      Rival rivals[] = {
        { .who = "the lab", .command = own, .amount = 1e6 },
        { .who = "a heap by hand in C", .command = heap, .amount = 1e6 },
        { .who = "SimPy",
          .command = simpy,
          .amount = 2e4,
          .missing = has_simpy || system_has_simpy ? NULL : "not installed" },
      };
      double seconds, memory_mb;
      g_autofree char *small = output_of (lab, same, &seconds, &memory_mb);

      compete (lab, table, measured, "M requests/s", TRUE, 3, rivals, G_N_ELEMENTS (rivals));
      if (lab_is_interrupted (lab))
        return;
      lab_check (lab, g_strcmp0 (counts_of (&rivals[0]), counts_of (&rivals[1])) == 0,
                 "the lab and the heap by hand count the same", "%s:%.*s", policies[i],
                 (int) strcspn (counts_of (&rivals[0]), "\n"), counts_of (&rivals[0]));
      if (rivals[2].missing == NULL)
        lab_check (lab, g_strcmp0 (strchr (small, ' '), counts_of (&rivals[2])) == 0,
                   "the lab and SimPy count the same", "%s:%.*s", policies[i],
                   (int) strcspn (counts_of (&rivals[2]), "\n"), counts_of (&rivals[2]));
      for (guint k = 0; k < G_N_ELEMENTS (rivals); k++)
        g_free (rivals[k].said);
    }
}

/* A whole step with everything it counts, checks and writes; the start of the
 * program included. */
static void
bench_step (Lab *lab, LabTable *table, const char *folder)
{
  g_autofree char *out = g_dir_make_tmp ("bench-XXXXXX", NULL);
  g_autofree char *command = g_strdup_printf (
      "%s/../bin/step04_bounded_line --quiet --capacity=82.7 --duration=6047s --out=%s", folder, out);
  g_autofree char *remove = g_strdup_printf ("rm -rf %s", out);
  Rival rival = { .who = "the lab", .command = command, .amount = 2000346 };

  compete (lab, table, "step 4 itself, both rows, and its files", "M requests/s", TRUE, 3, &rival, 1);
  g_free (rival.said);
  g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
}

/* A service pays what the real clock costs, so the ratios are to that. A lock is only
 * wanted where threads share a controller, so what one writes first is there without
 * it, too. */
static void
bench_decisions (Lab *lab, LabTable *table, const char *folder)
{
  static const struct
  {
    const char *kind, *what;
  } decisions[] = {
    { "grant", "a slot given and given back" },
    { "wait", "a wait in line, then the slot" },
    { "shed", "a refusal" },
  };
  static const struct
  {
    const char *who, *limit, *how;
  } ways[] = {
    { "the lab", "", "real" },
    { "a GQueue and a count", "", "queue" },
    { "the same behind a GMutex", "", "mutex" },
    { "the lab, with a wait limit", "-limit", "real" },
    { "the lab, simulated", "", "simulated" },
    { "the lab, with a wait limit, simulated", "-limit", "simulated" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (decisions); i++)
    {
      Rival rivals[G_N_ELEMENTS (ways)];
      guint n = strcmp (decisions[i].kind, "wait") == 0 ? G_N_ELEMENTS (ways) : 3;

      for (guint k = 0; k < n; k++)
        rivals[k] = (Rival) { .who = ways[k].who,
                              .command = g_strdup_printf ("%s/part %s%s %s 5000000", folder, decisions[i].kind,
                                                          ways[k].limit, ways[k].how),
                              .amount = 5e6 };
      compete (lab, table, decisions[i].what, "ns", FALSE, 5, rivals, n);
      for (guint k = 0; k < n; k++)
        {
          g_free ((char *) rivals[k].command);
          g_free (rivals[k].said);
        }
    }
}

/* Returns the memory that it took, in MB. */
static double
measure_growth (Lab *lab, LabTable *table, const char *folder, const char *measured, const char *policy,
                gint64 requests, gint64 slots, gint64 line)
{
  g_autofree char *command = g_strdup_printf ("%s/part %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                              folder, policy, requests, slots, line);
  Rival rival = { .who = "the lab", .command = command, .amount = (double) requests };

  compete (lab, table, measured, "M requests/s", TRUE, requests > 3000000 ? 1 : 3, &rival, 1);
  g_free (rival.said);
  return rival.memory_mb;
}

/* Returns: (transfer full) */
static char *
power_of_ten (const char *before, guint exponent, const char *after)
{
  return g_strdup_printf ("%s10^%u%s", before, exponent, after);
}

static void
bench_growth (Lab *lab, LabTable *table, const char *folder)
{
  const guint most = 8;
  gint64 n = 1000;
  double first_mb = 0, last_mb = 0;

  for (guint exponent = 3; exponent <= most; exponent++, n *= 10)
    {
      g_autofree char *measured = power_of_ten ("", exponent, " requests, line of 41");

      last_mb = measure_growth (lab, table, folder, measured, "limits", n, 4, 41);
      first_mb = exponent == 3 ? last_mb : first_mb;
    }
  /* What grows is the table by second: 16 bytes for each of 160 requests. */
  lab_check (lab, last_mb - first_mb <= 2 + (double) n / 10 / 160 * 16 / 1e6 * 2,
             "with limits the memory does not grow with the requests", "%.1f MB for a thousand, %.1f MB for 10^%u",
             first_mb, last_mb, most);
  n = 1;
  for (guint exponent = 0; exponent <= 4; exponent++, n *= 10)
    {
      g_autofree char *measured = power_of_ten ("", exponent, " slots, 10^6 requests");

      measure_growth (lab, table, folder, measured, "limits", 1000000, n, 10 * n);
    }
  n = 10;
  for (guint exponent = 1; exponent <= 6; exponent++, n *= 10)
    {
      g_autofree char *measured = power_of_ten ("a line of ", exponent, ", 3 x 10^6 requests");

      measure_growth (lab, table, folder, measured, "limits", 3000000, 4, n);
    }
}

static void
bench_web (Lab *lab, LabTable *table, const char *folder)
{
  BenchReading readings[BENCH_MOST_READINGS];
  guint n = bench_web_measure (lab, folder, readings);

  for (guint i = 0; i < n; i++)
    {
      const BenchReading *reading = &readings[i];
      g_autofree char *who = g_strconcat (reading->who, reading->value < 0 ? " (not installed)" : "", NULL);

      lab_table_add (table,
                     LAB_ROW (lab_text (reading->measured), lab_text (who),
                              reading->value < 0 ? lab_none () : value_of (reading->value), lab_text (reading->unit),
                              reading->lab_is <= 0 ? lab_none () : value_of (reading->lab_is), lab_none ()));
      lab_print_row (lab, table, lab_table_n_rows (table) - 1);
    }
}

static void
append_cell (GString *to, const LabTable *table, guint row, const char *key, guint decimals)
{
  LabValue value = lab_table_get (table, row, key);

  if (value.kind == LAB_VALUE_TEXT)
    g_string_append_printf (to, "| %s ", value.text);
  else if (value.kind == LAB_VALUE_DECIMAL)
    g_string_append_printf (to, "| %.*f ", (int) decimals, lab_value_to_double (value));
  else
    g_string_append (to, "| - ");
}

static guint
decimals_of (double value)
{
  return value < 100 ? 2 : 0;
}

/* Returns: (transfer full) */
static GString *
new_page (const char *heading)
{
  GString *to = g_string_new (NULL);
  struct utsname kernel;

  uname (&kernel);
  g_autofree char *name = lab_processor_name (&kernel);
  g_string_append_printf (to, "Measured by `make bench` on %s, %u cores, %s %s.\n\n%s", name, g_get_num_processors (),
                          kernel.sysname, kernel.release, heading);
  return to;
}

/* All rows. Returns: (transfer full) */
static char *
to_markdown (const LabTable *table)
{
  g_autoptr (GString) to
      = new_page ("| measured | who | value | unit | the lab is | memory MB |\n|---|---|--:|---|--:|--:|\n");

  for (guint row = 0; row < lab_table_n_rows (table); row++)
    {
      append_cell (to, table, row, "measured", 0);
      append_cell (to, table, row, "who", 0);
      append_cell (to, table, row, "value", decimals_of (lab_value_to_double (lab_table_get (table, row, "value"))));
      append_cell (to, table, row, "unit", 0);
      append_cell (to, table, row, "lab_is", 1);
      if (lab_table_get (table, row, "lab_is").kind == LAB_VALUE_DECIMAL)
        {
          g_string_truncate (to, to->len - 1);
          g_string_append (to, "x ");
        }
      append_cell (to, table, row, "memory_mb", 0);
      g_string_append (to, "|\n");
    }
  return g_string_free (g_steal_pointer (&to), FALSE);
}

static void
append_value (GString *to, const LabTable *table, guint row, const char *key)
{
  LabValue value = lab_table_get (table, row, key);
  double number = lab_value_to_double (value);

  if (value.kind == LAB_VALUE_DECIMAL)
    g_string_append_printf (to, "%.*f", strcmp (key, "value") == 0 ? (int) decimals_of (number) : 0, number);
  else
    g_string_append (to, "-");
}

/* What matters most, a line each: the lab, which is the first of what is measured
 * alike, and the others beside it. Returns: (transfer full) */
static char *
to_short_markdown (const LabTable *table)
{
  static const struct
  {
    const char *measured, *key, *unit; /* unit NULL: the row's */
  } lines[] = {
    { "step 4's experiment, line of 41", "value", NULL },
    { "step 4's experiment, no limits", "value", NULL },
    { "a slot given and given back", "value", NULL },
    { "a wait in line, then the slot", "value", NULL },
    { "a refusal", "value", NULL },
    { "refusals in 1 s of the server's processor", "value", NULL },
    { "20,000 requests/s asked for, what came", "value", NULL },
    { "how late, p99, at 20,000/s", "value", NULL },
    { "the highest rate on schedule, for 2 s", "value", NULL },
    { "10^3 requests, line of 41", "memory_mb", "MB of memory" },
    { "10^8 requests, line of 41", "memory_mb", "MB of memory" },
  };
  g_autoptr (GString) to = new_page ("| measured | unit | the lab | beside it |\n|---|---|--:|---|\n");

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      const char *between = NULL;

      for (guint row = 0; row < lab_table_n_rows (table); row++)
        {
          if (strcmp (lab_table_get (table, row, "measured").text, lines[i].measured) != 0)
            continue;
          if (between == NULL)
            g_string_append_printf (to, "| %s | %s | ", lines[i].measured,
                                    lines[i].unit != NULL ? lines[i].unit : lab_table_get (table, row, "unit").text);
          else
            g_string_append_printf (to, "%s%s ", between, lab_table_get (table, row, "who").text);
          append_value (to, table, row, lines[i].key);
          between = between == NULL ? " | " : "; ";
        }
      if (between != NULL)
        g_string_append (to, strcmp (between, "; ") == 0 ? " |\n" : " | |\n");
    }
  return g_string_free (g_steal_pointer (&to), FALSE);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "bench",
                                                 .summary = "What the lab costs, side by side with others.",
                                                 .options = LAB_OPTIONS_CLOCK | LAB_OPTIONS_REAL_ONLY },
                                 argc, argv);
  g_autofree char *folder = g_path_get_dirname (argv[0]);
  g_autofree char *markdown = NULL;
  g_autofree char *short_markdown = NULL;
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));

  lab_print_heading (lab, table);
  bench_engines (lab, table, folder);
  if (!lab_is_interrupted (lab))
    bench_step (lab, table, folder);
  if (!lab_is_interrupted (lab))
    bench_decisions (lab, table, folder);
  if (!lab_is_interrupted (lab))
    bench_growth (lab, table, folder);
  if (!lab_is_interrupted (lab))
    bench_web (lab, table, folder);
  markdown = to_markdown (table);
  short_markdown = to_short_markdown (table);
  lab_results_file (lab_results (lab), "bench.md", markdown);
  lab_results_file (lab_results (lab), "bench-short.md", short_markdown);
  return lab_finish (lab);
}
