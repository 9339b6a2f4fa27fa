/* The claims of step 1. */
#pragma once

#include "../common/lab/lab.h"

/* Workers of the probe for each slot: enough that no slot ever stands idle. */
#define WORKERS_PER_SLOT 3

/* Ends the program when the probe would take longer than anybody waits. */
void probe_refuse_endless_run (Lab *lab);

/* @took_ns: how long one work really took; @finished: works that the probe counted;
 * @steady_rps: the rate of those finished between its beginning and its end. */
void probe_check (Lab *lab, LabTime took_ns, guint64 finished, double steady_rps);
