/* The capacity of whatever is at a URL, measured by a closed loop.
 *
 *   LabHttpProbe found;
 *   lab_http_probe (lab, lab_http_client_target (client),
 *                   &(LabHttpProbeOptions) { .workers = 16, .patience_ns = LAB_S }, &found);
 *
 * It measures min (capacity, workers / latency). With too few workers the service is
 * never full; with so many that each waits longer than a client would, few answers
 * count. */
#pragma once

#include "../lab/lab.h"
#include "../loadgen/target.h"

G_BEGIN_DECLS

#define LAB_HTTP_PROBE_NS (3 * LAB_S)
#define LAB_HTTP_PROBE_WORKERS 16
#define LAB_HTTP_PROBE_WORKERS_MAX 100000

typedef struct
{
  guint workers;
  LabTime patience_ns;     /* answers that take as long are late and do not count; 0: none are late */
  const gboolean *give_up; /* ends it early once TRUE; may be NULL */
} LabHttpProbeOptions;

typedef struct
{
  double capacity_rps; /* answers over the probe's time; a little high, because what is in flight
                          at the end counts, too */
  double steady_rps;   /* the same from the end of the first second to the end of the third,
                          without what is in flight */
  guint64 ok, late;    /* answers */
  guint64 shed;
} LabHttpProbe;

/* Calls that have not finished a client's patience after the probe's end (a minute, if
 * patience has no end) are abandoned. */
void lab_http_probe (Lab *lab, LabTarget *target, const LabHttpProbeOptions *options, LabHttpProbe *found);

G_END_DECLS
