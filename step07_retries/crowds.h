/* The table and the claims of step 7: three crowds that come to a protected service,
 * each in a trial of its own. */
#pragma once

#include "trial.h"

void crowds_print (Lab *lab, Trial **trials, guint n_trials);

/* @max_wait_ns, @retry_after_ns: of the service. @polite: what the last crowd does. */
void crowds_check (Lab *lab, Trial *const trials[3], LabTime max_wait_ns, LabTime retry_after_ns,
                   const CrowdOptions *polite);
