/* The lifetime of a program of the lab: options, the clock, what it prints,
 * its checks, its result files and its exit status.
 *
 *   int
 *   main (int argc, char *argv[])
 *   {
 *     g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step03_no_limits",
 *                                                    .summary = "Watch an unprotected service collapse.",
 *                                                    .options = LAB_OPTIONS_POLICY,
 *                                                    .duration_ns = 5 * LAB_S },
 *                                    argc, argv);
 *     ...
 *     lab_check (lab, timeouts == 0, "no client timed out", "%u of %u", timeouts, n);
 *     return lab_finish (lab);
 *   }
 *
 * Exit status, the first that applies: 2 could not run or could not write, 130 or
 * 143 interrupted by SIGINT or SIGTERM, 3 the generator missed its own schedule
 * (real clock), 1 a check does not hold, 0 all checks hold. */
#pragma once

#include "../time/clock.h"
#include "options.h"
#include "results.h"

G_BEGIN_DECLS

/* Options beyond --out, --json, --quiet, --version and --help, which all take. */
typedef enum
{
  LAB_OPTIONS_CLOCK = 1 << 0,     /* --clock --timer-tick */
  LAB_OPTIONS_SERVICE = 1 << 1,   /* --service-time --slots */
  LAB_OPTIONS_CAPACITY = 1 << 2,  /* --capacity */
  LAB_OPTIONS_PATIENCE = 1 << 3,  /* --client-timeout */
  LAB_OPTIONS_DURATION = 1 << 4,  /* --duration */
  LAB_OPTIONS_ARRIVALS = 1 << 5,  /* --arrivals --seed */
  LAB_OPTIONS_WORK = 1 << 6,      /* --work --seed */
  LAB_OPTIONS_REAL_ONLY = 1 << 7, /* --clock=real is the only clock there is */

  LAB_OPTIONS_POLICY = LAB_OPTIONS_CLOCK | LAB_OPTIONS_SERVICE | LAB_OPTIONS_CAPACITY | LAB_OPTIONS_PATIENCE
                       | LAB_OPTIONS_DURATION | LAB_OPTIONS_ARRIVALS | LAB_OPTIONS_WORK
} LabOptionGroups;

typedef struct
{
  const char *name;    /* of the program and of its files */
  const char *summary; /* for --help */
  LabOptionGroups options;
  LabTime duration_ns; /* the default of --duration */

  const LabOption *own; /* further options of this program alone */
  guint n_own;
  const char *arguments; /* see LabUsage */
} LabProgram;

typedef struct
{
  gboolean real_clock;
  LabTime timer_tick_ns;
  LabTime service_time_ns;
  gint64 slots;
  LabTime client_timeout_ns;
  double capacity_rps; /* of --capacity; 0: not given */
  LabTime duration_ns;
  int arrivals; /* a LabArrivalsKind */
  int work;     /* a LabWorkKind */
  gint64 seed;
  char *out;
  gboolean json;
  gboolean quiet;
} LabSettings;

typedef struct _Lab Lab;

/* Reads the command line and makes ready. Ends the program itself, with 2 after a
 * sentence on standard error when it makes no sense, with 0 after --help and
 * --version. The settings of the option groups taken are already in the result
 * document. Returns: (transfer full) */
Lab *lab_new (const LabProgram *program, int argc, char **argv);
void lab_free (Lab *lab);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lab, lab_free)

/* All: (transfer none) */
const LabSettings *lab_settings (const Lab *lab);
char **lab_arguments (const Lab *lab);
LabClock *lab_clock (Lab *lab); /* made at the first call */
LabResults *lab_results (Lab *lab);

/* The capacity that the loads are relative to: --capacity, or what step 1 stored
 * in <out>/capacity.json (a warning when it was measured at other settings). Ends
 * the program with 2 when there is neither. Also sets "capacity_rps". */
double lab_capacity_rps (Lab *lab);

/* Stores <out>/capacity.json for the later steps, with the settings it was measured
 * at: together with the results, by lab_finish(), and only when nothing
 * interrupted the run. A capacity that is not above 0 is not stored; a warning. */
void lab_store_capacity (Lab *lab, LabValue capacity_rps, LabValue steady_capacity_rps);

/* The program cannot go on: a sentence on standard error, and exit status 2. */
G_NORETURN void lab_fail (Lab *lab, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* A complaint that does not end the program, on standard error. */
void lab_warn (Lab *lab, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* To standard output, unless --json or --quiet keeps it free. */
void lab_print (Lab *lab, const char *format, ...) G_GNUC_PRINTF (2, 3);
void lab_print_heading (Lab *lab, const LabTable *table);
void lab_print_row (Lab *lab, const LabTable *table, guint row);
void lab_print_table (Lab *lab, const LabTable *table); /* the heading and all rows */

/* lab_clock_run_until() for a program: on the real clock a terminal shows how
 * far it is (of @expected_ns). Returns FALSE when a signal ended it; the program
 * then goes on to lab_finish(). */
gboolean lab_run_until (Lab *lab, LabCondition condition, gpointer data, LabTime expected_ns);

/* Lets the clock run for a span. Returns how long it really took. */
LabTime lab_sleep (Lab *lab, LabTime span_ns);

/* A signal has come; what was measured is only a part. */
gboolean lab_is_interrupted (const Lab *lab);

/* A claim of the chapter, held against this run. The line is printed by
 * lab_finish(): "PASS  claim (detail)"; without parentheses when there is no
 * detail. Neither a part of a run nor one that missed its schedule proves anything:
 * once the run is interrupted or not valid, every further claim is skipped. */
void lab_check (Lab *lab, gboolean holds, const char *claim, const char *detail_format, ...) G_GNUC_PRINTF (4, 5);

/* A claim that cannot be judged at these settings, and why. */
void lab_skip (Lab *lab, const char *claim, const char *why_format, ...) G_GNUC_PRINTF (3, 4);

/* The generator was late: the run is not valid (exit status 3, a sentence, and a
 * claim that fails). To be called before the claims about the service, which are
 * then skipped: the service must not be blamed for the generator. */
void lab_invalidate (Lab *lab, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Writes the files, prints the checks (those that fail as complaints when --json
 * or --quiet keeps standard output free) and the document for --json. Returns the
 * exit status. */
int lab_finish (Lab *lab);

G_END_DECLS
