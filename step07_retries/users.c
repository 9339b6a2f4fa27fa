#include "users.h"

#define STREAM_OF_JITTER 3

struct _Crowd
{
  LabTarget target; /* first: a target of this kind is a crowd */
  LabClock *clock;
  LabService *service;
  CrowdOptions options;
  LabRetryBudget budget;
  LabRandom random;
  guint64 attempts;
};

typedef struct
{
  LabCall call; /* the user, as the load generator sees it */
  Crowd *crowd;
  LabScript script;
  guint tries;

  LabServiceCall attempt;
  LabTimer patience; /* of the attempt */
  gboolean gave_up;
  LabOutcome outcome;
} User;

static void
attempt_finished (LabCall *call, LabOutcome outcome)
{
  LabServiceCall *attempt = LAB_OWNER_OF (call, LabServiceCall, call);
  User *user = LAB_OWNER_OF (attempt, User, attempt);

  lab_timer_disarm (&user->patience);
  user->outcome = user->gave_up ? LAB_TIMEOUT : outcome;
  lab_script_wake (&user->script);
}

static void
lose_patience (LabTimer *timer)
{
  User *user = LAB_OWNER_OF (timer, User, patience);
  LabTarget *service = lab_service_target (user->crowd->service);

  user->gave_up = TRUE;
  service->abandon (service, &user->attempt.call);
}

static void
attempt (User *user)
{
  Crowd *crowd = user->crowd;
  LabTarget *service = lab_service_target (crowd->service);

  crowd->attempts++;
  user->attempt.call.finished = attempt_finished;
  lab_timer_arm (&user->patience, lab_clock_now (crowd->clock) + crowd->options.client_timeout_ns);
  service->start (service, &user->attempt.call);
}

static gboolean
may_retry (User *user)
{
  Crowd *crowd = user->crowd;

  if (user->tries == crowd->options.tries)
    return FALSE;
  switch (crowd->options.policy)
    {
    case IMMEDIATE_RETRIES:
      return TRUE;
    case POLITE_RETRIES:
      return lab_retry_budget_take (&crowd->budget);
    case NO_RETRIES:
    default:
      return FALSE;
    }
}

/* At least as long as Retry-After asks, and at most twice as long, at random, so
 * that those who were turned away together do not come back together. */
static LabTime
pause_before_retry (User *user)
{
  Crowd *crowd = user->crowd;
  LabTime retry_after_ns = lab_admission_limits (lab_service_admission (crowd->service))->retry_after_s * LAB_S;

  if (crowd->options.policy == IMMEDIATE_RETRIES)
    return 0;
  return retry_after_ns + (LabTime) lab_random_below (&crowd->random, (guint64) retry_after_ns);
}

static void
live (LabScript *script)
{
  User *user = LAB_OWNER_OF (script, User, script);

  LAB_SCRIPT_BEGIN (script);
  lab_retry_budget_first_attempt (&user->crowd->budget);
  for (;;)
    {
      user->tries++;
      LAB_CALL (script, attempt (user));
      if (user->outcome != LAB_SHED || !may_retry (user))
        break;
      LAB_SLEEP (script, pause_before_retry (user));
    }
  LAB_SCRIPT_END (script);
  lab_call_finish (&user->call, user->outcome);
}

static void
arrive (LabTarget *target, LabCall *call)
{
  Crowd *crowd = (Crowd *) target;
  User *user = LAB_OWNER_OF (call, User, call);

  user->crowd = crowd;
  user->tries = 0;
  user->gave_up = FALSE;
  lab_timer_init (&user->patience, crowd->clock, lose_patience);
  lab_script_start (&user->script, crowd->clock, live);
}

static void
leave (LabTarget *target G_GNUC_UNUSED, LabCall *call)
{
  User *user = LAB_OWNER_OF (call, User, call);
  LabTarget *service = lab_service_target (user->crowd->service);

  if (lab_timer_is_armed (&user->patience)) /* an attempt is under way */
    service->abandon (service, &user->attempt.call);
  lab_script_stop (&user->script);
  lab_call_finish (call, LAB_ERROR);
}

Crowd *
crowd_new (LabClock *clock, LabService *service, const CrowdOptions *options)
{
  Crowd *crowd = g_new0 (Crowd, 1);

  crowd->target = (LabTarget) { .call_size = sizeof (User), .start = arrive, .abandon = leave };
  crowd->clock = clock;
  crowd->service = service;
  crowd->options = *options;
  lab_retry_budget_init (&crowd->budget, options->budget_ratio, options->budget_burst);
  lab_random_init (&crowd->random, options->seed, STREAM_OF_JITTER);
  return crowd;
}

void
crowd_free (Crowd *crowd)
{
  g_free (crowd);
}

LabTarget *
crowd_target (Crowd *crowd)
{
  return &crowd->target;
}

guint64
crowd_attempts (const Crowd *crowd)
{
  return crowd->attempts;
}
