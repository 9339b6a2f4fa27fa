#include "check.h"

#include <math.h>

#include "../common/lab/policy.h"

void
probe_refuse_endless_run (Lab *lab)
{
  const LabSettings *settings = lab_settings (lab);
  double duration_s = (double) settings->duration_ns / LAB_S;
  double works = lab_expect_steady_rps (settings) * duration_s;

  /* A real clock ends it in time, however short the works. */
  if (!settings->real_clock && works > LAB_MOST_REQUESTS)
    lab_fail (lab, "the probe would do %.3g works in --duration=%gs; allowed are %g at the most", works, duration_s,
              LAB_MOST_REQUESTS);
}

void
probe_check (Lab *lab, LabTime took_ns, guint64 finished, double steady_rps)
{
  const LabSettings *settings = lab_settings (lab);
  double seconds = (double) settings->duration_ns / LAB_S;
  double slots_rps = (double) settings->slots * LAB_S / took_ns;
  double expected = slots_rps * seconds;
  guint in_flight = (guint) settings->slots * WORKERS_PER_SLOT;

  lab_check (lab, took_ns >= settings->service_time_ns, "the work takes as long as asked for, or longer", "%.1f ms",
             (double) took_ns / LAB_MS);
  if ((settings->real_clock && took_ns < 5 * LAB_MS) || settings->work != LAB_WORK_FIXED
      || expected < 20 * settings->slots || seconds < 2)
    {
      lab_skip (lab, "the slots give slots / time of one work",
                "the works are too long, too short or too uneven for this probe");
      return;
    }
  lab_check (lab, fabs (steady_rps / slots_rps - 1) < 0.06, "the slots give slots / time of one work",
             "%.1f measured, %.1f expected per second", steady_rps, slots_rps);
  lab_check (lab, finished <= 1.02 * expected + in_flight && finished >= 0.98 * expected - settings->slots,
             "the probe reads high by no more than the works in flight at its end",
             "%" G_GUINT64_FORMAT " finished, %.0f expected, up to %u in flight", finished, expected, in_flight);
}
