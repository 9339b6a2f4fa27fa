/* The capacity of whatever stands at a URL, measured by a closed loop.
 *
 *   LabHttpProbe found;
 *   lab_http_probe (lab, lab_http_client_target (client),
 *                   &(LabHttpProbeOptions) { .workers = 16, .patience_ns = LAB_S }, &found);
 *
 * It reads min (capacity, workers / latency): with too few workers the service is
 * never full, and with so many that they wait longer for each other than a client
 * waits, few answers count. */
#pragma once

#include "../lab/lab.h"
#include "../loadgen/target.h"

G_BEGIN_DECLS

#define LAB_HTTP_PROBE_NS (3 * LAB_S)
#define LAB_HTTP_PROBE_WORKERS 16

typedef struct
{
  guint workers;
  LabTime patience_ns;     /* answers that took as long are late and no capacity; 0: none are */
  const gboolean *give_up; /* ends it before its time once TRUE; may be NULL */
} LabHttpProbeOptions;

typedef struct
{
  double capacity_rps; /* answers over the probe's time; a little high, because what is in flight
                          at the end counts, too */
  double steady_rps;   /* the same from the end of the first second up to that of the third,
                          without what is in flight */
  guint64 ok, late;    /* answers */
} LabHttpProbe;

/* Calls that have not finished by a client's patience after the probe's end (a
 * minute, where clients have no end of it) are abandoned. */
void lab_http_probe (Lab *lab, LabTarget *target, const LabHttpProbeOptions *options, LabHttpProbe *found);

G_END_DECLS
