#include "checks.h"

#define SHORTEST_NS LAB_S /* at twice the capacity the line is at its limit after half of it */
#define FILLED_RATIO 0.8  /* of what the slots can do; the probe reads a little high */

/* Why nothing can be judged; NULL: it can. */
static const char *
why_not_judged (Lab *lab, const Step06Run *run)
{
  if (lab_settings (lab)->duration_ns < SHORTEST_NS)
    return "the run is too short for it";
  if (run->capacity_rps < FILLED_RATIO * lab_expect_steady_rps (lab_settings (lab)))
    return "this machine cannot fill so many slots";
  return lab_expect_why_not_judged (lab_settings (lab), 0);
}

/* The slots finish no more in the time that the run had; if more were counted, the
 * probe's are among them. Some time passes before the counter is read. */
static gboolean
works_are_of_the_run (Lab *lab, const LabRun *run)
{
  const LabSettings *settings = lab_settings (lab);
  double lasted_s = (double) (settings->duration_ns + settings->client_timeout_ns) / LAB_S;

  return (double) run->work <= 1.25 * lab_expect_steady_rps (settings) * lasted_s + (double) settings->slots;
}

/* Once it has collapsed nobody is answered in time, and it works for those who have gone. */
static void
check_unprotected (Lab *lab, const Step06Run *run, const char *why)
{
  const char *claim = "without limits the service collapses over HTTP, too";
  const LabRun *bare = run->bare->run;
  guint64 in_time = lab_summary_steady_ok (bare->summary);

  if (why == NULL && lab_summary_steady_ns (bare->summary) == 0)
    why = "the run has no steady part";
  if (why == NULL && lab_expect_collapse (lab_settings (lab), run->rate_rps) > LAB_STEADY_FROM_S * LAB_S)
    why = "such patient clients are answered for a while";
  if (why != NULL)
    lab_skip (lab, claim, "%s", why);
  else
    lab_check (lab, in_time == 0 && 2 * bare->wasted > bare->work && works_are_of_the_run (lab, bare), claim,
               "from second %d on %" G_GUINT64_FORMAT " in time; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
               " works wasted",
               LAB_STEADY_FROM_S, in_time, bare->wasted, bare->work);
}

/* Against the protected one, which must have something to be measured by. */
static void
check_watching (Lab *lab, const Step06Run *run, const char *why)
{
  const char *claim = "noticing hang-ups alone rescues no goodput in this overload";
  guint64 rescued = lab_summary_steady_ok (run->watching->run->summary);
  guint64 noticed;

  if (why == NULL && lab_summary_steady_ns (run->watching->run->summary) == 0)
    why = "the run has no steady part";
  if (why != NULL || lab_is_interrupted (lab))
    {
      lab_skip (lab, claim, "%s", why != NULL ? why : "the run was interrupted");
      return;
    }
  noticed = lab_http_service_stat (lab, run->watching->service, "abandoned_in_line");
  lab_check (lab,
             noticed > 0 && lab_http_service_stat (lab, run->bare->service, "abandoned_in_line") == 0
                 && rescued < lab_summary_steady_ok (run->protected->run->summary) / 2,
             claim, "%" G_GUINT64_FORMAT " hang-ups noticed, %" G_GUINT64_FORMAT " answered in time from second %d on",
             noticed, rescued, LAB_STEADY_FROM_S);
}

/* @why_no_promise: why its clients may well time out, though it does what it should. */
static void
check_protected (Lab *lab, const Step06Run *run, const char *why, const char *why_no_promise)
{
  const char *claim_of_works = "behind our controller no client times out and no work is wasted";
  const char *claim = "its refusals say when to come back";
  const LabHttpTrial *protected = run->protected;
  guint64 timeouts = lab_http_trial_count (protected, LAB_TIMEOUT);

  if (why_no_promise != NULL)
    lab_skip (lab, claim_of_works, "%s", why_no_promise);
  else
    lab_check (lab, timeouts == 0 && protected->run->wasted == 0, claim_of_works,
               "%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, timeouts, protected->run->wasted);
  if (why != NULL)
    lab_skip (lab, claim, "%s", why);
  else
    lab_check (lab, g_strcmp0 (protected->retry_after, "1") == 0, claim, "Retry-After: %s",
               protected->retry_after == NULL ? "none" : protected->retry_after);
}

static void
check_limited (Lab *lab, const Step06Run *run, const char *why)
{
  const char *claim = "the server's own limit does not say when";
  const char *claim_of_log = "and it writes a line in its log for each refusal";
  const LabHttpTrial *limited = run->limited;
  guint64 refused = lab_http_trial_count (limited, LAB_SHED);
  double open
      = run->rate_rps * (double) lab_settings (lab)->client_timeout_ns / LAB_S; /* at the most, by Little's law */

  if (why == NULL && open < 2 * STEP06_CONNECTIONS)
    why = "such impatient clients hardly reach it";
  if (why != NULL)
    {
      lab_skip (lab, claim, "%s", why);
      lab_skip (lab, claim_of_log, "%s", why);
      return;
    }
  lab_check (lab, limited->saw_503 && limited->retry_after == NULL, claim, "Retry-After: %s",
             limited->retry_after == NULL ? "none" : limited->retry_after);
  lab_check (lab, limited->refusal_lines == refused, claim_of_log, "%u lines, %" G_GUINT64_FORMAT " refusals",
             limited->refusal_lines, refused);
}

void
step06_check (Lab *lab, const Step06Run *run)
{
  const char *why = why_not_judged (lab, run);
  const char *why_no_promise = why == NULL ? lab_expect_why_not_judged (lab_settings (lab), run->wait_limit_ns) : why;

  check_unprotected (lab, run, why);
  check_watching (lab, run, why_no_promise);
  check_protected (lab, run, why, why_no_promise);
  check_limited (lab, run, why);
}
