/* Other people's limits, for comparison: nginx, HAProxy and uvicorn with FastAPI,
 * each as a user would configure it, on loopback, started and stopped here. */
#pragma once

#include "../common/http/trial.h"

/* Adds a trial for each peer that is installed; says so where one is not. */
void step06_add_peers (Lab *lab, GPtrArray *trials, gint64 max_waiting, LabTime max_wait_ns);
