#include "expect.h"

#include <math.h>

#include "../loadgen/arrivals.h"
#include "../service/service.h"

/* A span that begins at a tick ends at the first one at or after its end. */
static LabTime
up_to_tick (const LabSettings *settings, LabTime span_ns)
{
  LabTime tick_ns = settings->timer_tick_ns;

  return tick_ns == 0 ? span_ns : (span_ns + tick_ns - 1) / tick_ns * tick_ns;
}

/* Exponential works last for a geometric number of ticks: for more than n of them with
 * probability e^(-n tick / work). */
LabTime
lab_expect_takes (const LabSettings *settings, LabTime work_ns)
{
  double tick_ns = (double) settings->timer_tick_ns;

  if (settings->work == LAB_WORK_FIXED || settings->timer_tick_ns == 0)
    return up_to_tick (settings, work_ns);
  return (LabTime) (tick_ns / -expm1 (-tick_ns / (double) work_ns));
}

LabTime
lab_expect_work_time (const LabSettings *settings)
{
  return lab_expect_takes (settings, settings->service_time_ns);
}

/* As a span, if it can be one. */
static LabTime
span_of (double ns)
{
  return ns < (double) LAB_DURATION_MAX ? (LabTime) ns : LAB_NEVER;
}

LabTime
lab_expect_line_wait (const LabSettings *settings, gint64 line, LabTime work_ns)
{
  return span_of ((double) line * (double) work_ns / (double) settings->slots);
}

double
lab_expect_steady_rps (const LabSettings *settings)
{
  return (double) settings->slots * LAB_S / lab_expect_work_time (settings);
}

LabTime
lab_expect_collapse (const LabSettings *settings, double rate_rps)
{
  double steady_rps = lab_expect_steady_rps (settings);

  if (rate_rps <= steady_rps)
    return LAB_NEVER;
  return span_of ((double) up_to_tick (settings, settings->client_timeout_ns) * steady_rps / (rate_rps - steady_rps));
}

const char *
lab_expect_why_not_judged (const LabSettings *settings, LabTime wait_ns)
{
  LabTime work_ns = lab_expect_work_time (settings);
  gboolean is_even = settings->arrivals == LAB_ARRIVALS_CONSTANT && settings->work == LAB_WORK_FIXED;

  if (lab_expect_steady_rps (settings) * (double) settings->duration_ns / LAB_S < (is_even ? 100 : 300))
    return "there are too few works in this run";
  if (4 * (work_ns + settings->timer_tick_ns) > settings->client_timeout_ns)
    return "the works are too long for the clients' patience";
  if (wait_ns > settings->client_timeout_ns - (settings->work == LAB_WORK_FIXED ? 2 : 5) * work_ns)
    return "the wait and the work together outlast the clients' patience";
  return NULL;
}

gint64
lab_line_length (double capacity_rps, LabTime budget_ns)
{
  return llrint (capacity_rps * ((double) budget_ns / LAB_S)); /* rounds half to even */
}
