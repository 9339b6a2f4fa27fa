/* The users of step 7: each makes a first attempt and, if its policy says so,
 * tries again when it is turned away.
 *
 * A crowd of them is a LabTarget: the load generator lets users arrive on its
 * schedule, and a user's call ends when the user has been served or gives up. */
#pragma once

#include "../common/admission/retry_budget.h"
#include "../common/lab/lab.h"
#include "../common/service/service.h"
#include "../common/time/script.h"

typedef enum
{
  NO_RETRIES,
  IMMEDIATE_RETRIES,
  POLITE_RETRIES /* Retry-After, with jitter, within a budget */
} RetryPolicy;

typedef struct _Crowd Crowd;

typedef struct
{
  RetryPolicy policy;
  guint tries;               /* attempts of one user at most, the first included */
  LabTime client_timeout_ns; /* of one attempt */
  double budget_ratio;
  guint budget_burst;
  guint64 seed; /* of the jitter */
} CrowdOptions;

/* @clock and @service must outlive it. Returns: (transfer full) */
Crowd *crowd_new (LabClock *clock, LabService *service, const CrowdOptions *options);
void crowd_free (Crowd *crowd);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Crowd, crowd_free)

/* Returns: (transfer none) */
LabTarget *crowd_target (Crowd *crowd);

/* Attempts made by all users so far. */
guint64 crowd_attempts (const Crowd *crowd);
