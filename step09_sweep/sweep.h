/* The table and the claims of step 9's sweep. The runs and their policies come in
 * pairs, one pair for each multiple of the capacity: without limits, protected. */
#pragma once

#include "../common/lab/policy.h"

void sweep_print (Lab *lab, GPtrArray *runs, const LabPolicy *policies, const double *multiples, guint n_multiples);

/* @max_wait_ns: the wait limit of the protected runs. */
void sweep_check (Lab *lab, GPtrArray *runs, const LabPolicy *policies, const double *multiples, guint n_multiples,
                  LabTime max_wait_ns);
