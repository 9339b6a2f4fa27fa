/* One open-loop run of one policy against the pretend service: what steps 3, 4,
 * 5, 9 and tune_wait are made of. Steps 6 and 7 and the load test run loads of their own
 * and use its parts: what can be asked for, what a run is judged by, its row. */
#pragma once

#include "../loadgen/summary.h"
#include "../service/service.h"
#include "expect.h"
#include "lab.h"

G_BEGIN_DECLS

typedef struct
{
  const char *label;
  double rate_rps;
  LabLimit max_waiting;                   /* zero: no limit */
  LabLimit max_wait;                      /* zero: no limit */
  guint (*slowdown) (LabTime elapsed_ns); /* see LabServiceOptions; may be NULL */
} LabPolicy;

typedef struct
{
  char *label;
  LabSummary *summary;
  guint64 work;   /* finished by the service */
  guint64 wasted; /* of it, for clients that had gone */
  guint peak_line;
  GArray *timeline; /* of LabPoint */
} LabRun;

typedef struct
{
  LabTime at_ns;
  guint waiting;
  LabTime head_wait_ns; /* how long the first in line has waited */
} LabPoint;

/* Returns: (transfer full) */
LabRun *lab_run_new (const char *label);
void lab_run_free (LabRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabRun, lab_run_free)

/* Runs all policies, each an experiment of its own with a service and a generator
 * of its own; on the real clock they share the time. The rest of the settings
 * (slots, service time, patience, duration, arrivals, work, seed) is the lab's.
 * Ends the program when a policy would send nothing.
 *
 * Returns the runs in the order of the policies. (transfer full) */
GPtrArray *lab_run_policies (Lab *lab, const LabPolicy *policies, guint n_policies);

/* That a request of the schedule was lost or counted twice is a claim that fails;
 * nothing is said when the accounts are in order, or of a part of a run. */
void lab_policy_judge_accounts (Lab *lab, const char *label, const LabSummary *summary, double rate_rps);

/* Once summary and work are known: fills in what was wasted, and judges the accounts;
 * more answers than works are a claim that fails, too. */
void lab_run_settle (Lab *lab, LabRun *run, double rate_rps);

/* lab_invalidate() when the generator was late. */
void lab_policy_judge_lateness (Lab *lab, const char *label, const LabSummary *summary);

/* How many requests a run of the lab's duration at @rate_rps sends. */
guint64 lab_policy_scheduled (Lab *lab, double rate_rps);

/* Nobody waits for more than these: on the virtual clock they take some minutes. */
#define LAB_MOST_REQUESTS 1e9

/* Ends the program when a run of the lab's duration at @rate_rps would send nothing,
 * or more than anybody can wait for. */
void lab_policy_refuse_senseless_run (Lab *lab, const char *label, double rate_rps);

/* The article's columns, then how late the generator was (on the real clock only), and a
 * run's values in them, for tables that have columns of their own besides. */
#define LAB_N_POLICY_COLUMNS 16
extern const LabColumn lab_policy_columns[LAB_N_POLICY_COLUMNS];
void lab_policy_values (const LabRun *run, LabValue values[LAB_N_POLICY_COLUMNS]);

/* How late the generator was, for tables that have no other column of these. */
#define LAB_LATENESS_COLUMNS                                                                        \
  { .key = "lateness_p50_us", .real_only = TRUE }, { .key = "lateness_p99_us", .real_only = TRUE }, \
  {                                                                                                 \
    .key = "lateness_max_us", .real_only = TRUE                                                     \
  }
#define LAB_LATENESS_VALUES(lateness)                        \
  lab_microseconds (lab_histogram_quantile (lateness, 500)), \
      lab_microseconds (lab_histogram_quantile (lateness, 990)), lab_microseconds (lab_histogram_max (lateness))

/* Makes the main table, with the article's columns and a row for each run, and
 * prints it. */
void lab_policy_print (Lab *lab, GPtrArray *runs);

/* The table of arrived and answered per second of arrival (which the step may
 * print), and the line's length over time, for the charts. (transfer none) */
LabTable *lab_policy_add_by_second (Lab *lab, GPtrArray *runs);
void lab_policy_add_timeline (Lab *lab, GPtrArray *runs);

G_END_DECLS
