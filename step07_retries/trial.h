/* One trial of step 7: a protected service and a crowd of users of one policy. */
#pragma once

#include "users.h"

typedef struct _Trial Trial;

/* Users arrive at @rate_rps for the lab's duration; the settings are the lab's.
 * Ends the program when nobody would come. Returns: (transfer full) */
Trial *trial_start (Lab *lab, const char *label, double rate_rps, const LabLimits *limits, const CrowdOptions *crowd);
void trial_free (Trial *trial);

/* Lets all trials run, at once, until every user has been served or gave up. */
void trials_run (Lab *lab, Trial **trials, guint n_trials);
void trials_print (Lab *lab, Trial **trials, guint n_trials);

guint64 trial_users (const Trial *trial);
guint64 trial_attempts (const Trial *trial);
guint64 trial_served (const Trial *trial);
guint64 trial_shed (const Trial *trial);
