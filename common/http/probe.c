#include "probe.h"

#include "../loadgen/loadgen.h"

#define STEADY_FROM_NS LAB_S
#define LAST_PATIENCE_NS (60 * LAB_S)

/* It is over when its workers have their last answers, or when its patience is. */
typedef struct
{
  LabClosedLoop *workers;
  LabTimer patience;
  gboolean has_lost_patience;
  const gboolean *give_up;
} Probe;

static void
lose_patience (LabTimer *timer)
{
  LAB_OWNER_OF (timer, Probe, patience)->has_lost_patience = TRUE;
}

static gboolean
probe_is_over (gpointer data)
{
  const Probe *probe = data;

  return probe->has_lost_patience || (probe->give_up != NULL && *probe->give_up)
         || lab_closed_loop_is_over (probe->workers);
}

static double
per_second (guint64 n, LabTime span_ns)
{
  return (double) n * LAB_S / (double) span_ns;
}

void
lab_http_probe (Lab *lab, LabTarget *target, const LabHttpProbeOptions *options, LabHttpProbe *found)
{
  LabClock *clock = lab_clock (lab);
  g_autoptr (LabClosedLoop) workers
      = lab_closed_loop_new (clock, target,
                             &(LabClosedLoopOptions) { .workers = options->workers,
                                                       .duration_ns = LAB_HTTP_PROBE_NS,
                                                       .steady_from_ns = STEADY_FROM_NS,
                                                       .patience_ns = options->patience_ns });
  Probe probe = { .workers = workers, .give_up = options->give_up };
  LabTime last_ns = options->patience_ns > 0 ? options->patience_ns : LAST_PATIENCE_NS;

  lab_timer_init (&probe.patience, clock, lose_patience);
  lab_timer_arm (&probe.patience, lab_clock_now (clock) + LAB_HTTP_PROBE_NS + last_ns);
  lab_closed_loop_start (workers);
  lab_run_until (lab, probe_is_over, &probe, LAB_HTTP_PROBE_NS);
  lab_timer_disarm (&probe.patience);
  *found = (LabHttpProbe) { .ok = lab_closed_loop_finished (workers, LAB_OK),
                            .late = lab_closed_loop_finished (workers, LAB_TIMEOUT),
                            .shed = lab_closed_loop_finished (workers, LAB_SHED) };
  found->capacity_rps = per_second (found->ok, LAB_HTTP_PROBE_NS);
  found->steady_rps = per_second (lab_closed_loop_steady_ok (workers), LAB_HTTP_PROBE_NS - STEADY_FROM_NS);
}
