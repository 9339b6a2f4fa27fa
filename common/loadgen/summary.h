/* What became of every request of a run. */
#pragma once

#include "histogram.h"
#include "target.h"

G_BEGIN_DECLS

/* A request that starts later than this after its intended time is late. */
#define LAB_LATE_NS (10 * LAB_MS)

/* Steady goodput counts arrivals from this second on. */
#define LAB_STEADY_FROM_S 2

typedef struct
{
  guint64 arrived;
  guint64 ok;
} LabSecond;

typedef struct _LabSummary LabSummary;

/* @duration_ns: what the rates are per. Returns: (transfer full) */
LabSummary *lab_summary_new (LabTime duration_ns);
void lab_summary_free (LabSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabSummary, lab_summary_free)

/* Counts one request: it was to arrive at @arrival_ns after the start of the run,
 * ended as @outcome, and its client was kept for @latency_ns. */
void lab_summary_add (LabSummary *summary, LabTime arrival_ns, LabOutcome outcome, LabTime latency_ns);

/* The request that was to arrive at @arrival_ns was started, or given up, @lateness_ns
 * later (real clock). */
void lab_summary_add_lateness (LabSummary *summary, LabTime arrival_ns, LabTime lateness_ns);

/* The run was stopped after @elapsed_ns: its rates are per the time that it had. */
void lab_summary_cut (LabSummary *summary, LabTime elapsed_ns);

guint64 lab_summary_offered (const LabSummary *summary);
guint64 lab_summary_count (const LabSummary *summary, LabOutcome outcome);

/* Requests answered in time from second LAB_STEADY_FROM_S of arrival on, and the
 * time that is left of the run after it (0: there is no steady part). */
guint64 lab_summary_steady_ok (const LabSummary *summary);
LabTime lab_summary_steady_ns (const LabSummary *summary);

LabTime lab_summary_duration (const LabSummary *summary);

/* The time that it took to send them: the duration, or longer, when the generator
 * was still behind its schedule at the end of it. */
LabTime lab_summary_sending_ns (const LabSummary *summary);

/* How long the clients of one outcome were kept. Returns: (transfer none) */
const LabHistogram *lab_summary_latency (const LabSummary *summary, LabOutcome outcome);

/* Of the generator itself; empty on the virtual clock. Returns: (transfer none) */
const LabHistogram *lab_summary_lateness (const LabSummary *summary);

/* Over 1 % of the requests started more than 10 ms late: the run says nothing
 * about the service. */
gboolean lab_summary_was_late (const LabSummary *summary);

/* By second of arrival. Returns: (transfer none), @n_seconds entries. */
const LabSecond *lab_summary_by_second (const LabSummary *summary, guint *n_seconds);

G_END_DECLS
