/* The users of step 7: each makes a first attempt and, if the crowd's rules say so,
 * tries again.
 *
 * A crowd of them is a LabTarget: the load generator lets users arrive on its
 * schedule, and a user's call ends when the user has been served or gives up. */
#pragma once

#include "../common/admission/retry_budget.h"
#include "../common/lab/lab.h"
#include "../common/service/service.h"
#include "../common/time/script.h"

typedef struct _Crowd Crowd;

/* What a user does. */
typedef struct
{
  guint tries;                /* attempts of one user at most, the first included */
  LabTime client_timeout_ns;  /* of one attempt */
  gboolean hangs_up;          /* at the client timeout the attempt is cancelled; otherwise the service
                                 never learns of it, and works on */
  gboolean retries_timeouts;  /* tries again after a time-out, too; otherwise after a refusal only */
  gboolean heeds_retry_after; /* pauses as long as it asks, with jitter; otherwise not at all */
  gboolean keeps_budget;      /* pays for retries from an account of all the crowd: */
  double budget_ratio;
  guint budget_burst;
  guint64 seed; /* of the jitter */
} CrowdOptions;

typedef struct
{
  guint64 arrived;        /* users, */
  guint64 served_in_time; /* and of these, answered within the client timeout of the first attempt */
  guint64 attempts;       /* made in this second, by whoever */
} CrowdSecond;

/* @clock and @service must outlive it. Returns: (transfer full) */
Crowd *crowd_new (LabClock *clock, LabService *service, const CrowdOptions *options);

/* No user may be under way; attempts that were left behind are abandoned. */
void crowd_free (Crowd *crowd);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Crowd, crowd_free)

/* Returns: (transfer none) */
LabTarget *crowd_target (Crowd *crowd);

/* From the crowd's beginning. Returns: (transfer none), @n_seconds entries. */
const CrowdSecond *crowd_by_second (const Crowd *crowd, guint *n_seconds);

/* The sum of all seconds so far. */
CrowdSecond crowd_total (const Crowd *crowd);
