#include "lab.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "capacity.h"
#include "process.h"
#include "settings.h"

#define PROGRESS_EVERY_MS 250
#define LOCK_AGAIN_US 10000

struct _Lab
{
  const char *name; /* of the program */
  LabOptionGroups groups;
  LabSettings settings;
  char **arguments;
  LabClock *clock; /* or NULL */
  LabResults *results;
  double capacity_rps; /* 0: not asked for yet */

  GPtrArray *verdicts; /* of char *: the lines that lab_finish() prints */
  gboolean has_failures;
  gboolean is_invalid;
  int stdout_errno; /* of the first write that failed */

  LabTime progress_start_ns, progress_expected_ns;
  gboolean progress_is_shown;
};

/* --- complaints --- */

/* One line, whatever an argument or a path has in it. */
static void
complain (const char *program, const char *message)
{
  g_autofree char *line = g_strdup (message);

  for (char *c = line; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = '?';
  fprintf (stderr, "%s: %s\n", program, line);
}

static void
hide_progress (Lab *lab)
{
  if (lab->progress_is_shown)
    fputs ("\r\033[K", stderr);
  lab->progress_is_shown = FALSE;
}

static void
complain_for (Lab *lab, const char *message)
{
  hide_progress (lab);
  complain (lab->name, message);
}

G_NORETURN static void
end_with_complaint (Lab *lab, char *message)
{
  complain_for (lab, message);
  g_free (message);
  fflush (stdout);
  lab_process_exit (2);
}

void
lab_fail (Lab *lab, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  end_with_complaint (lab, message);
}

void
lab_warn (Lab *lab, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_autofree char *warning = g_strconcat ("warning: ", message, NULL);
  complain_for (lab, warning);
}

/* --- lifetime --- */

static void
show_version (Lab *lab)
{
  if (printf ("%s %s\n", lab->name, LAB_VERSION) < 0 || fflush (stdout) != 0)
    lab_fail (lab, "cannot write standard output: %s", g_strerror (errno));
  lab_free (lab);
  exit (0);
}

static void
interrupted (gpointer data)
{
  Lab *lab = data;

  if (lab->clock != NULL)
    lab_clock_stop (lab->clock);
}

Lab *
lab_new (const LabProgram *program, int argc, char **argv)
{
  Lab *lab = g_new0 (Lab, 1);
  gboolean version = FALSE;
  g_autoptr (GError) error = NULL;

  lab_process_prepare ();
  g_set_prgname (program->name);
  lab->name = program->name;
  lab->groups = program->options;
  lab_settings_init (&lab->settings, program);
  lab->arguments = lab_settings_read (&lab->settings, program, argc, argv, &version, &error);
  if (lab->arguments == NULL)
    lab_fail (lab, "%s", error->message);
  if (version)
    show_version (lab);

  lab->results = lab_results_new (program->name, lab->settings.real_clock, lab_count ((guint64) lab->settings.seed));
  lab->verdicts = g_ptr_array_new_with_free_func (g_free);
  lab_settings_put (&lab->settings, program->options, lab->results);
  lab_process_catch_signals (interrupted, lab);
  return lab;
}

void
lab_free (Lab *lab)
{
  if (lab == NULL)
    return;

  lab_process_release_signals ();
  g_clear_pointer (&lab->clock, lab_clock_free);
  lab_results_free (lab->results);
  g_clear_pointer (&lab->verdicts, g_ptr_array_unref);
  g_strfreev (lab->arguments);
  g_free (lab->settings.out);
  g_free (lab);
}

const LabSettings *
lab_settings (const Lab *lab)
{
  return &lab->settings;
}

char **
lab_arguments (const Lab *lab)
{
  return lab->arguments;
}

LabResults *
lab_results (Lab *lab)
{
  return lab->results;
}

/* A run on the real clock takes a while. If its results cannot be written, find out
 * before it and not after. */
static void
require_out (Lab *lab)
{
  if (g_mkdir_with_parents (lab->settings.out, 0777) != 0 || g_access (lab->settings.out, W_OK | X_OK) != 0)
    lab_fail (lab, "cannot write %s: %s", lab->settings.out, g_strerror (errno));
}

LabClock *
lab_clock (Lab *lab)
{
  if (lab->clock != NULL)
    return lab->clock;

  if (lab->settings.real_clock)
    require_out (lab);
  lab->clock = lab->settings.real_clock ? lab_clock_new_real () : lab_clock_new_virtual (lab->settings.timer_tick_ns);
  if (lab_is_interrupted (lab))
    lab_clock_stop (lab->clock);
  return lab->clock;
}

/* --- capacity --- */

static double
stored_capacity (Lab *lab)
{
  LabOptionGroups groups = lab->groups;
  g_autofree char *path = g_build_filename (lab->settings.out, "capacity.json", NULL);
  g_autofree char *differences = NULL;
  g_autoptr (GError) error = NULL;

  /* A program that has one clock only need not warn about the other. */
  if (groups & LAB_OPTIONS_REAL_ONLY)
    groups &= ~LAB_OPTIONS_CLOCK;

  double capacity_rps = lab_capacity_read (path, &lab->settings, groups, &differences, &error);
  if (error != NULL)
    lab_fail (lab, "%s", error->message);
  if (differences != NULL)
    lab_warn (lab, "%s was measured with other settings: %s", path, differences);
  return capacity_rps;
}

double
lab_capacity_rps (Lab *lab)
{
  if (lab->capacity_rps == 0)
    {
      lab->capacity_rps = lab->settings.capacity_rps > 0 ? lab->settings.capacity_rps : stored_capacity (lab);
      lab_results_setting (lab->results, "capacity_rps", lab_rps (lab->capacity_rps));
    }
  return lab->capacity_rps;
}

void
lab_store_capacity (Lab *lab, LabValue capacity_rps, LabValue steady_capacity_rps)
{
  if (capacity_rps.kind != LAB_VALUE_DECIMAL || capacity_rps.units <= 0)
    {
      lab_warn (lab, "no capacity was measured: capacity.json stays as it is");
      return;
    }
  g_autofree char *json = lab_capacity_to_json (&lab->settings, capacity_rps, steady_capacity_rps);
  lab_results_file (lab->results, "capacity.json", json);
}

/* --- printing --- */

static void
put (Lab *lab, const char *text)
{
  hide_progress (lab);
  if ((fputs (text, stdout) == EOF || (lab->settings.real_clock && fflush (stdout) != 0)) && lab->stdout_errno == 0)
    lab->stdout_errno = errno;
}

static gboolean
prints_tables (const Lab *lab)
{
  return !lab->settings.json && !lab->settings.quiet;
}

void
lab_print (Lab *lab, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  if (prints_tables (lab))
    put (lab, text);
}

void
lab_print_heading (Lab *lab, const LabTable *table)
{
  g_autoptr (GString) line = g_string_new (NULL);

  lab_table_append_heading (table, line);
  lab_print (lab, "%s", line->str);
}

void
lab_print_row (Lab *lab, const LabTable *table, guint row)
{
  g_autoptr (GString) line = g_string_new (NULL);

  lab_table_append_row (table, row, line);
  lab_print (lab, "%s", line->str);
}

void
lab_print_table (Lab *lab, const LabTable *table)
{
  lab_print_heading (lab, table);
  for (guint row = 0; row < lab_table_n_rows (table); row++)
    lab_print_row (lab, table, row);
}

/* --- running --- */

static gboolean
show_progress (gpointer data)
{
  Lab *lab = data;
  double elapsed_s = (double) (lab_clock_now (lab->clock) - lab->progress_start_ns) / LAB_S;

  fprintf (stderr, "\r%s  %.1f of %g s\033[K", lab->name, elapsed_s, (double) lab->progress_expected_ns / LAB_S);
  lab->progress_is_shown = TRUE;
  return G_SOURCE_CONTINUE;
}

gboolean
lab_run_until (Lab *lab, LabCondition condition, gpointer data, LabTime expected_ns)
{
  LabClock *clock = lab_clock (lab);
  gboolean has_progress = lab->settings.real_clock && !lab->settings.quiet && isatty (STDERR_FILENO);
  guint progress = 0;

  if (has_progress)
    {
      lab->progress_start_ns = lab_clock_now (clock);
      lab->progress_expected_ns = expected_ns;
      progress = g_timeout_add (PROGRESS_EVERY_MS, show_progress, lab);
    }

  gboolean reached = lab_clock_run_until (clock, condition, data);

  g_clear_handle_id (&progress, g_source_remove);
  hide_progress (lab);
  return reached && !lab_is_interrupted (lab);
}

static gboolean
has_fired (gpointer data)
{
  return !lab_timer_is_armed (data);
}

LabTime
lab_sleep (Lab *lab, LabTime span_ns)
{
  LabClock *clock = lab_clock (lab);
  LabTime since_ns = lab_clock_now (clock);
  LabTimer timer;

  lab_timer_init (&timer, clock, lab_timer_disarm);
  lab_timer_arm (&timer, since_ns + span_ns);
  lab_run_until (lab, has_fired, &timer, span_ns);
  lab_timer_disarm (&timer);
  return lab_clock_now (clock) - since_ns;
}

gboolean
lab_is_interrupted (const Lab *lab)
{
  (void) lab;
  return lab_process_signal () != 0;
}

/* --- checks --- */

static void
add_verdict (Lab *lab, LabCheckVerdict verdict, const char *claim, const char *detail)
{
  static const char *const words[]
      = { [LAB_CHECK_FAIL] = "FAIL", [LAB_CHECK_PASS] = "PASS", [LAB_CHECK_SKIP] = "SKIP" };
  gboolean has_detail = *detail != '\0';

  lab->has_failures |= verdict == LAB_CHECK_FAIL;
  lab_results_check (lab->results, verdict, claim, detail);
  g_ptr_array_add (lab->verdicts, g_strconcat (words[verdict], "  ", claim, has_detail ? " (" : "", detail,
                                               has_detail ? ")" : "", NULL));
}

void
lab_check (Lab *lab, gboolean holds, const char *claim, const char *detail_format, ...)
{
  va_list arguments;

  va_start (arguments, detail_format);
  g_autofree char *detail = g_strdup_vprintf (detail_format, arguments);
  va_end (arguments);

  if (lab_is_interrupted (lab))
    add_verdict (lab, LAB_CHECK_SKIP, claim, "the run was interrupted");
  else if (lab->is_invalid)
    add_verdict (lab, LAB_CHECK_SKIP, claim, "the run is not valid");
  else
    add_verdict (lab, holds ? LAB_CHECK_PASS : LAB_CHECK_FAIL, claim, detail);
}

void
lab_skip (Lab *lab, const char *claim, const char *why_format, ...)
{
  va_list arguments;

  va_start (arguments, why_format);
  g_autofree char *why = g_strdup_vprintf (why_format, arguments);
  va_end (arguments);

  add_verdict (lab, LAB_CHECK_SKIP, claim, why);
}

void
lab_invalidate (Lab *lab, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *why = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_autofree char *sentence = g_strdup_printf ("the run is not valid: %s", why);
  complain_for (lab, sentence);
  add_verdict (lab, LAB_CHECK_FAIL, "the load generator kept its schedule", why);
  lab->is_invalid = TRUE;
}

/* --- the end --- */

/* Where no tables are printed, the claims that fail go to standard error. */
static void
print_verdicts (Lab *lab)
{
  if (lab->verdicts->len > 0)
    lab_print (lab, "\n");
  for (guint i = 0; i < lab->verdicts->len; i++)
    {
      const char *line = lab->verdicts->pdata[i];
      if (!prints_tables (lab) && g_str_has_prefix (line, "FAIL"))
        complain_for (lab, line);
      lab_print (lab, "%s\n", line);
    }
}

/* Only one run at a time writes into a folder, so that all the files there are of one
 * run. An interrupted run writes files of other names and does not wait. If the folder
 * cannot be locked, the files are written all the same. */
static int
lock_out (Lab *lab)
{
  int fd = -1;

  if (g_mkdir_with_parents (lab->settings.out, 0777) == 0)
    fd = g_open (lab->settings.out, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  while (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && !lab_is_interrupted (lab))
    g_usleep (LOCK_AGAIN_US);
  return fd;
}

static gboolean
write_results (Lab *lab, gboolean is_interrupted)
{
  g_autoptr (GError) error = NULL;

  if (lab_results_write (lab->results, lab->settings.out, is_interrupted, &error))
    return TRUE;
  complain_for (lab, error->message);
  return FALSE;
}

static void
tell_of_interruption (Lab *lab)
{
  g_autofree char *sentence = g_strdup_printf (
      "interrupted by %s; what was measured until then is in %s%c%s.interrupted.json",
      lab_process_signal () == SIGINT ? "SIGINT" : "SIGTERM", lab->settings.out, G_DIR_SEPARATOR, lab->name);
  complain_for (lab, sentence);
}

static gboolean
flush_standard_output (Lab *lab)
{
  if (fflush (stdout) != 0 && lab->stdout_errno == 0)
    lab->stdout_errno = errno;
  if (lab->stdout_errno == 0)
    return TRUE;

  g_autofree char *sentence = g_strdup_printf ("cannot write standard output: %s", g_strerror (lab->stdout_errno));
  complain_for (lab, sentence);
  return FALSE;
}

int
lab_finish (Lab *lab)
{
  int lock = lock_out (lab);

  lab_process_hold_signals ();
  gboolean is_interrupted = lab_is_interrupted (lab);
  gboolean written = write_results (lab, is_interrupted);
  lab_process_let_signals ();
  if (lock >= 0)
    close (lock);

  if (!is_interrupted)
    print_verdicts (lab);
  else if (written)
    tell_of_interruption (lab);
  if (lab->settings.json)
    {
      g_autofree char *json = lab_results_to_json (lab->results, is_interrupted);
      put (lab, json);
    }

  if (!flush_standard_output (lab) || !written)
    return 2;
  if (is_interrupted)
    return 128 + lab_process_signal ();
  if (lab->is_invalid)
    return 3;
  return lab->has_failures ? 1 : 0;
}
