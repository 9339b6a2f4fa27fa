/* One queue of the theory, simulated: the lab's own load generator, controller
 * and pretend service, and a witness between them that measures from outside. */
#pragma once

#include "../service/service.h"

G_BEGIN_DECLS

typedef struct
{
  LabLimits limits;
  LabWorkKind work;
  LabTime service_time_ns;
  double arrivals_rps;
} LabQueue;

typedef struct
{
  double turned_away; /* share of the arrivals */
  double mean_wait_s; /* in line */

  /* Little's law over the whole run, from empty to empty: the requests inside,
   * added up over time, are the times inside, added up over requests. Nanoseconds;
   * equal to the last one. */
  gint64 inside_over_time_ns;
  gint64 time_over_requests_ns;
  LabTime lasted_ns;
  guint64 requests;
} LabQueueReading;

/* Sends @requests of them on @clock (a virtual one). The first
 * LAB_QUEUE_WARM_UP_S seconds, in which the queue fills, are not read. */
#define LAB_QUEUE_WARM_UP_S 60
LabQueueReading lab_queue_simulate (LabClock *clock, const LabQueue *queue, guint64 requests, guint64 seed);

G_END_DECLS
