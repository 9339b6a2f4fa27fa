/* The load generators.
 *
 * Open loop: requests arrive on a schedule, whatever the service does, as the
 * users of a real service do. Closed loop: N workers, each of which waits for its
 * answer before it asks again; such a load slows down with the service and hides
 * an overload, so it serves to measure capacity and nothing else.
 *
 *   g_autoptr (LabOpenLoop) load = lab_open_loop_new (clock, target, &(LabOpenLoopOptions) {
 *       .rate_rps = 100, .duration_ns = 5 * LAB_S, .client_timeout_ns = LAB_S });
 *   lab_open_loop_start (load);
 *   lab_clock_run_until (clock, lab_open_loop_is_over, load);
 *   g_print ("%" G_GUINT64_FORMAT " ok\n", lab_summary_count (lab_open_loop_summary (load), LAB_OK));
 */
#pragma once

#include "../time/clock.h"
#include "arrivals.h"
#include "summary.h"

G_BEGIN_DECLS

typedef struct
{
  LabArrivalsKind arrivals;
  double rate_rps;
  LabTime duration_ns;
  LabTime client_timeout_ns; /* patience; 0: the clients wait for ever */
  gboolean hang_up;          /* at the client timeout the call is abandoned; otherwise the
                                service never learns of it, and the work goes on */
  guint64 seed;
  void (*over) (gpointer data); /* called in the event in which the last client's outcome
                                   is known; must not free the loop; may be NULL */
  gpointer data;
} LabOpenLoopOptions;

typedef struct _LabOpenLoop LabOpenLoop;

/* @clock and @target must outlive it. Returns: (transfer full) */
LabOpenLoop *lab_open_loop_new (LabClock *clock, LabTarget *target, const LabOpenLoopOptions *options);

/* Abandons the calls that are still under way; their outcomes count nowhere. An
 * abandoned call must have finished when the target's abandon() returns, as it
 * has with both targets of the lab. */
void lab_open_loop_free (LabOpenLoop *loop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabOpenLoop, lab_open_loop_free)

/* The run begins now: request i is due i / rate from here. */
void lab_open_loop_start (LabOpenLoop *loop);

/* No request comes any more, though the schedule may not be at its end; those under way
 * go on to their outcomes, and rates are per the time until now. (With none under way
 * the run is over at once, and options.over is not called.) */
void lab_open_loop_stop (LabOpenLoop *loop);

/* TRUE when every client has its outcome; a LabCondition (@loop is the loop). */
gboolean lab_open_loop_is_over (gpointer loop);

/* The same for all of a GPtrArray of loops. */
gboolean lab_open_loops_are_over (gpointer loops);

/* Returns: (transfer none) */
const LabSummary *lab_open_loop_summary (const LabOpenLoop *loop);

/* The same, to keep when the loop is freed; once, and when the run is over.
 * Returns: (transfer full) */
LabSummary *lab_open_loop_steal_summary (LabOpenLoop *loop);

typedef struct
{
  guint workers;          /* each asks again when it is answered; after anything but LAB_OK
                             it first pauses for a moment, lest a service that refuses be
                             flooded. A target must not answer LAB_OK in no time at all. */
  LabTime duration_ns;    /* no worker asks again after it */
  LabTime steady_from_ns; /* finishes after it, up to the end, are counted apart */
  LabTime patience_ns;    /* an answer that took as long counts as LAB_TIMEOUT, though its worker has
                             waited for it; 0: none does */
} LabClosedLoopOptions;

typedef struct _LabClosedLoop LabClosedLoop;

/* @clock and @target must outlive it. Returns: (transfer full) */
LabClosedLoop *lab_closed_loop_new (LabClock *clock, LabTarget *target, const LabClosedLoopOptions *options);

/* Abandons the calls that are still under way, as lab_open_loop_free() does: the way
 * to end a probe before its time. */
void lab_closed_loop_free (LabClosedLoop *loop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabClosedLoop, lab_closed_loop_free)

void lab_closed_loop_start (LabClosedLoop *loop);

/* TRUE when every worker has had its last answer; a LabCondition. */
gboolean lab_closed_loop_is_over (gpointer loop);

/* Calls by outcome: all of them, those in flight at the end included ... */
guint64 lab_closed_loop_finished (const LabClosedLoop *loop, LabOutcome outcome);

/* ... and those answered (LAB_OK) after steady_from_ns and not after
 * duration_ns, which is the honest rate: a full pipe at both ends. */
guint64 lab_closed_loop_steady_ok (const LabClosedLoop *loop);

G_END_DECLS
