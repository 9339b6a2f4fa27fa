#include "storm.h"

#include "../common/lab/policy.h"

#define LAST_S 5 /* of the run: what it ends with */

static const LabColumn columns[] = {
  { .key = "policy", .heading = "policy", .width = -18 },
  { .key = "users" },
  { .key = "attempts", .heading = "attempts", .width = 8 },
  { .key = "served_in_time", .heading = "served in time", .width = 16 },
  { .key = "recovered_after_s", .heading = "recovered after", .width = 17, .suffix = " s" },
  { .key = "last_attempts_rps", .heading = "last " G_STRINGIFY (LAST_S) " s: attempts/s", .width = 22, .decimals = 1 },
  { .key = "last_goodput_rps", .heading = "goodput/s", .width = 11, .decimals = 1 },
  LAB_LATENESS_COLUMNS,
};

static const LabColumn second_columns[] = {
  { .key = "policy" }, { .key = "second" }, { .key = "arrived" }, { .key = "attempts" }, { .key = "answered_in_time" },
};

/* The whole seconds of the run. What is still tried after its end is not looked at. */
static const CrowdSecond *
seconds_of (Lab *lab, const Trial *trial, guint *n_seconds)
{
  const CrowdSecond *seconds = crowd_by_second (trial_crowd (trial), n_seconds);

  *n_seconds = MIN (*n_seconds, (guint) (lab_settings (lab)->duration_ns / LAB_S));
  return seconds;
}

/* Their sum; @span_ns: how long they are. */
static CrowdSecond
last_seconds (Lab *lab, const Trial *trial, LabTime *span_ns)
{
  guint n_seconds;
  const CrowdSecond *seconds = seconds_of (lab, trial, &n_seconds);
  guint first = n_seconds - MIN (LAST_S, n_seconds);
  CrowdSecond last = { 0 };

  *span_ns = (n_seconds - first) * LAB_S;
  for (guint i = first; i < n_seconds; i++)
    {
      last.arrived += seconds[i].arrived;
      last.attempts += seconds[i].attempts;
      last.served_in_time += seconds[i].served_in_time;
    }
  return last;
}

/* From the burst's end to the first second of arrival from which on, in each second,
 * nine of ten users are served in time. -1: there is none, or was no burst. */
static gint64
recovered_after_s (Lab *lab, const Trial *trial, const Storm *storm)
{
  gint64 calm = (storm->burst_from_ns + storm->burst_ns) / LAB_S;
  guint n_seconds, well;
  const CrowdSecond *seconds = seconds_of (lab, trial, &n_seconds);

  for (well = n_seconds; well > 0; well--)
    if (seconds[well - 1].served_in_time * 10 < seconds[well - 1].arrived * 9)
      break;
  return well == n_seconds || !storm->has_burst ? -1 : MAX (well - calm, 0);
}

void
storm_print (Lab *lab, Trial *const trials[N_TRIALS], const Storm *storm)
{
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));

  for (guint i = 0; i < N_TRIALS; i++)
    {
      CrowdSecond total = crowd_total (trial_crowd (trials[i]));
      LabTime last_ns;
      CrowdSecond last = last_seconds (lab, trials[i], &last_ns);
      gint64 recovered_s = recovered_after_s (lab, trials[i], storm);
      const LabHistogram *lateness = lab_summary_lateness (trial_summary (trials[i]));
      const LabValue values[] = {
        lab_text (trial_label (trials[i])),
        lab_count (total.arrived),
        lab_count (total.attempts),
        lab_count (total.served_in_time),
        recovered_s < 0 ? lab_none () : lab_count (recovered_s),
        lab_rate (last.attempts, last_ns),
        lab_rate (last.served_in_time, last_ns),
        LAB_LATENESS_VALUES (lateness),
      };

      lab_table_add (table, values, G_N_ELEMENTS (values));
    }
  lab_print_table (lab, table);
}

void
storm_add_by_second (Lab *lab, Trial *const trials[N_TRIALS])
{
  LabTable *table
      = lab_results_table (lab_results (lab), "by_second", TRUE, second_columns, G_N_ELEMENTS (second_columns));

  for (guint i = 0; i < N_TRIALS; i++)
    {
      guint n_seconds;
      const CrowdSecond *seconds = seconds_of (lab, trials[i], &n_seconds);

      for (guint second = 0; second < n_seconds; second++)
        lab_table_add (table, LAB_ROW (lab_text (trial_label (trials[i])), lab_count (second),
                                       lab_count (seconds[second].arrived), lab_count (seconds[second].attempts),
                                       lab_count (seconds[second].served_in_time)));
    }
}

/* When the line is short enough again for the clients' patience, if they add a @share of
 * retries to the first attempts: it shrinks by what the slots have left over. */
static double
recovers_at_s (Lab *lab, const Storm *storm, double share)
{
  const LabSettings *settings = lab_settings (lab);
  double patience_s = (double) settings->client_timeout_ns / LAB_S;
  double burst_s = (double) storm->burst_ns / LAB_S, steady_rps = lab_expect_steady_rps (settings);
  double line = ((storm->rate_rps + storm->burst_rps) * (1 + share) - steady_rps) * burst_s;
  double spare_rps = steady_rps - storm->rate_rps * (1 + share);

  if (spare_rps <= 0)
    return G_MAXDOUBLE;
  return (double) storm->burst_from_ns / LAB_S + burst_s + (line - patience_s * steady_rps) / spare_rps;
}

static const char *
why_not_judged (Lab *lab, const Storm *storm)
{
  const LabSettings *settings = lab_settings (lab);
  double patience_s = (double) settings->client_timeout_ns / LAB_S;
  double steady_rps = lab_expect_steady_rps (settings), burst_s = (double) storm->burst_ns / LAB_S;
  const char *why_not = lab_expect_why_not_judged (settings, storm->max_wait_ns);

  if (why_not != NULL)
    return why_not;
  if (!storm->has_burst)
    return "the run is too short for a burst";
  if ((storm->rate_rps + storm->burst_rps - steady_rps) * burst_s < 2 * patience_s * steady_rps)
    return "the burst is over before the line outgrows the clients' patience";
  if (storm->rate_rps * storm->tries < 1.2 * steady_rps)
    return "all retries together are no overload";
  if (recovers_at_s (lab, storm, storm->budget_ratio) + LAST_S > (double) settings->duration_ns / LAB_S)
    return "the run is too short";
  return NULL;
}

static void
check_recovery (Lab *lab, const Trial *trial, const Storm *storm, gint64 within_s, const char *claim)
{
  gint64 recovered_s = recovered_after_s (lab, trial, storm);

  if (recovered_s < 0)
    lab_check (lab, FALSE, claim, "it does not");
  else
    lab_check (lab, recovered_s <= within_s, claim, "%" G_GINT64_FORMAT " s after the burst", recovered_s);
}

void
storm_check (Lab *lab, Trial *const trials[N_TRIALS], const Storm *storm)
{
  LabTime last_ns;
  CrowdSecond last = last_seconds (lab, trials[RETRIED], &last_ns);
  const char *why_not = why_not_judged (lab, storm);

  if (why_not != NULL)
    {
      lab_skip (lab, "retries keep a service down when the burst is over", "%s", why_not);
      return;
    }
  check_recovery (lab, trials[BARE], storm, G_MAXINT64, "without retries the service recovers by itself");
  lab_check (lab, last.served_in_time == 0, "retries keep a service down when the burst is over",
             "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " users served in time in the last %d s",
             last.served_in_time, last.arrived, LAST_S);
  check_recovery (lab, trials[PROTECTED], storm, 1, "with limits the same retries do no harm");
  check_recovery (lab, trials[BUDGETED], storm, G_MAXINT64, "within a budget retries let it recover");
}
