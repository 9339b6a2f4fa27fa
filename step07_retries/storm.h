/* The table and the claims of the retry storm: a burst that is soon over, and what
 * comes after it. */
#pragma once

#include "trial.h"

typedef struct
{
  double rate_rps;  /* of the users, all the time */
  double burst_rps; /* on top */
  LabTime burst_from_ns, burst_ns;
  gboolean has_burst;  /* FALSE: the run is too short for it */
  LabTime max_wait_ns; /* of the protected service */
  guint tries;
  double budget_ratio;
} Storm;

enum
{
  BARE,      /* no limits, no retries */
  RETRIED,   /* no limits, retries */
  PROTECTED, /* limits, the same retries */
  BUDGETED,  /* no limits, retries within a budget */
  N_TRIALS
};

void storm_print (Lab *lab, Trial *const trials[N_TRIALS], const Storm *storm);
void storm_add_by_second (Lab *lab, Trial *const trials[N_TRIALS]);
void storm_check (Lab *lab, Trial *const trials[N_TRIALS], const Storm *storm);
