/* One trial of step 7: a service, and a crowd of users who come to it. */
#pragma once

#include "../common/loadgen/loadgen.h"
#include "users.h"

typedef struct _Trial Trial;

/* Users arrive at @rate_rps for the lab's duration; the settings are the lab's.
 * Ends the program when nobody would come. Returns: (transfer full) */
Trial *trial_start (Lab *lab, const char *label, double rate_rps, const LabLimits *limits, const CrowdOptions *crowd);
void trial_free (Trial *trial);

/* @rate_rps more from @from_ns on, for @span_ns. Once, before the trial runs. */
void trial_add_burst (Lab *lab, Trial *trial, double rate_rps, LabTime from_ns, LabTime span_ns);

/* Lets all trials run, at once, until every user has been served or gave up. */
void trials_run (Lab *lab, Trial **trials, guint n_trials);

const char *trial_label (const Trial *trial);
const Crowd *trial_crowd (const Trial *trial);

/* Of the users that come for the lab's duration, the burst aside. (transfer none) */
const LabSummary *trial_summary (const Trial *trial);
