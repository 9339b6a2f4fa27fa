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
  LabTime start_ns;
  GQueue under_way;  /* of Attempt */
  GArray *by_second; /* of CrowdSecond */
};

typedef struct _Attempt Attempt;

typedef struct
{
  LabCall call; /* the user, as the load generator sees it */
  Crowd *crowd;
  LabScript script;
  LabTime since_ns;
  guint tries;
  Attempt *attempt; /* under way, or NULL */
  LabOutcome outcome;
} User;

/* A block of its own: the service may work on it when its user has long gone. */
struct _Attempt
{
  LabServiceCall call;
  GList link; /* among those under way */
  Crowd *crowd;
  User *user; /* NULL: left behind */
  LabTimer patience;
};

static CrowdSecond *
second_of (Crowd *crowd, LabTime at_ns)
{
  guint second = (guint) ((at_ns - crowd->start_ns) / LAB_S);

  if (second >= crowd->by_second->len)
    g_array_set_size (crowd->by_second, second + 1);
  return &g_array_index (crowd->by_second, CrowdSecond, second);
}

static void
attempt_finished (LabCall *call, LabOutcome outcome)
{
  Attempt *attempt = LAB_OWNER_OF (LAB_OWNER_OF (call, LabServiceCall, call), Attempt, call);
  User *user = attempt->user;

  lab_timer_disarm (&attempt->patience);
  g_queue_unlink (&attempt->crowd->under_way, &attempt->link);
  g_free (attempt);
  if (user == NULL)
    return;
  user->attempt = NULL;
  user->outcome = outcome;
  lab_script_wake (&user->script);
}

static void
cancel (Attempt *attempt)
{
  LabTarget *service = lab_service_target (attempt->crowd->service);

  service->abandon (service, &attempt->call.call);
}

static void
leave_behind (User *user, gboolean cancels)
{
  Attempt *attempt = user->attempt;

  user->attempt = NULL;
  attempt->user = NULL;
  if (cancels)
    cancel (attempt);
}

static void
lose_patience (LabTimer *timer)
{
  User *user = LAB_OWNER_OF (timer, Attempt, patience)->user;

  leave_behind (user, user->crowd->options.hangs_up);
  user->outcome = LAB_TIMEOUT;
  lab_script_wake (&user->script);
}

static void
attempt (User *user)
{
  Crowd *crowd = user->crowd;
  LabTarget *service = lab_service_target (crowd->service);
  LabTime now_ns = lab_clock_now (crowd->clock);
  Attempt *attempt = g_new0 (Attempt, 1);

  second_of (crowd, now_ns)->attempts++;
  attempt->call.call.finished = attempt_finished;
  attempt->crowd = crowd;
  attempt->user = user;
  user->attempt = attempt;
  g_queue_push_tail_link (&crowd->under_way, &attempt->link);
  lab_timer_init (&attempt->patience, crowd->clock, lose_patience);
  lab_timer_arm (&attempt->patience, now_ns + crowd->options.client_timeout_ns);
  service->start (service, &attempt->call.call); /* the attempt may be gone now */
}

static gboolean
may_retry (User *user)
{
  Crowd *crowd = user->crowd;
  gboolean is_worth_it = user->outcome == LAB_SHED || (user->outcome == LAB_TIMEOUT && crowd->options.retries_timeouts);

  if (!is_worth_it || user->tries == crowd->options.tries)
    return FALSE;
  return !crowd->options.keeps_budget || lab_retry_budget_take (&crowd->budget);
}

/* At least as long as Retry-After asks, and at most twice as long, at random, so
 * that those who were turned away together do not come back together. */
static LabTime
pause_before_retry (User *user)
{
  Crowd *crowd = user->crowd;
  LabTime retry_after_ns = lab_admission_limits (lab_service_admission (crowd->service))->retry_after_s * LAB_S;

  if (!crowd->options.heeds_retry_after)
    return 0;
  return retry_after_ns + (LabTime) lab_random_below (&crowd->random, (guint64) retry_after_ns);
}

/* How it ended, held against the patience of the one who waits: an exact tie is too late,
 * as everywhere. */
static void
conclude (User *user)
{
  Crowd *crowd = user->crowd;
  LabTime took_ns = lab_clock_now (crowd->clock) - user->since_ns;

  if (user->outcome == LAB_OK && took_ns < crowd->options.client_timeout_ns)
    second_of (crowd, user->since_ns)->served_in_time++;
  lab_call_finish (&user->call, user->outcome);
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
      if (!may_retry (user))
        break;
      LAB_SLEEP (script, pause_before_retry (user));
    }
  LAB_SCRIPT_END (script);
  conclude (user);
}

static void
arrive (LabTarget *target, LabCall *call)
{
  Crowd *crowd = (Crowd *) target;
  User *user = LAB_OWNER_OF (call, User, call);

  user->crowd = crowd;
  user->since_ns = lab_clock_now (crowd->clock);
  user->tries = 0;
  user->attempt = NULL;
  second_of (crowd, user->since_ns)->arrived++;
  lab_script_start (&user->script, crowd->clock, live);
}

static void
leave (LabTarget *target G_GNUC_UNUSED, LabCall *call)
{
  User *user = LAB_OWNER_OF (call, User, call);

  if (user->attempt != NULL)
    leave_behind (user, TRUE);
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
  crowd->start_ns = lab_clock_now (clock);
  crowd->by_second = g_array_new (FALSE, TRUE, sizeof (CrowdSecond));
  lab_retry_budget_init (&crowd->budget, options->budget_ratio, options->budget_burst);
  lab_random_init (&crowd->random, options->seed, STREAM_OF_JITTER);
  return crowd;
}

void
crowd_free (Crowd *crowd)
{
  while (!g_queue_is_empty (&crowd->under_way))
    cancel (LAB_OWNER_OF (crowd->under_way.head, Attempt, link));
  g_array_unref (crowd->by_second);
  g_free (crowd);
}

LabTarget *
crowd_target (Crowd *crowd)
{
  return &crowd->target;
}

CrowdSecond
crowd_total (const Crowd *crowd)
{
  CrowdSecond total = { 0 };

  for (guint i = 0; i < crowd->by_second->len; i++)
    {
      const CrowdSecond *second = &g_array_index (crowd->by_second, CrowdSecond, i);

      total.arrived += second->arrived;
      total.served_in_time += second->served_in_time;
      total.attempts += second->attempts;
    }
  return total;
}

const CrowdSecond *
crowd_by_second (const Crowd *crowd, guint *n_seconds)
{
  *n_seconds = crowd->by_second->len;
  return (const CrowdSecond *) (gpointer) crowd->by_second->data;
}
