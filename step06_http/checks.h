/* The claims of step 6, held against its runs. */
#pragma once

#include "../common/http/trial.h"

/* The unprotected service collapses, and to notice hang-ups does not rescue it. */
void step06_check_unprotected (Lab *lab, const LabHttpTrial *bare, const LabHttpTrial *watching,
                               const LabHttpTrial *protected);

/* Our controller against a server's own limit on connections. */
void step06_check_limits (Lab *lab, const LabHttpTrial *protected, const LabHttpTrial *limited, LabTime wait_limit_ns);
