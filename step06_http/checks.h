/* What step 6 claims, held against its run. */
#pragma once

#include "../common/http/trial.h"

#define STEP06_CONNECTIONS 36 /* the limit of the third server */

typedef struct
{
  double capacity_rps, rate_rps;
  LabTime wait_limit_ns; /* of the protected one */
  const LabHttpTrial *bare, *protected, *limited, *watching;
} Step06Run;

void step06_check (Lab *lab, const Step06Run *run);
