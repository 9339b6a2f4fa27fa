#include "checks.h"

void
step06_check_unprotected (Lab *lab, const LabHttpTrial *bare, const LabHttpTrial *watching,
                          const LabHttpTrial *protected)
{
  guint64 timeouts = lab_http_trial_count (bare, LAB_TIMEOUT);
  guint64 rescued = lab_summary_steady_ok (watching->run->summary);

  if (2 * lab_settings (lab)->client_timeout_ns > lab_settings (lab)->duration_ns)
    {
      lab_skip (lab, "without limits the service collapses over HTTP, too", "the run is too short for it");
      return;
    }
  lab_check (lab, timeouts > lab_http_trial_count (bare, LAB_OK) && bare->run->wasted > 0,
             "without limits the service collapses over HTTP, too",
             "%" G_GUINT64_FORMAT " time-outs, %" G_GUINT64_FORMAT " works wasted", timeouts, bare->run->wasted);
  lab_check (lab, rescued < lab_summary_steady_ok (protected->run->summary) / 2,
             "to notice hang-ups alone rescues no goodput", "%" G_GUINT64_FORMAT " answered in time from second %d on",
             rescued, LAB_STEADY_FROM_S);
}

void
step06_check_limits (Lab *lab, const LabHttpTrial *protected, const LabHttpTrial *limited, LabTime wait_limit_ns)
{
  guint64 timeouts = lab_http_trial_count (protected, LAB_TIMEOUT);
  guint64 refused = lab_http_trial_count (limited, LAB_SHED);

  if (wait_limit_ns + 2 * lab_settings (lab)->service_time_ns > lab_settings (lab)->client_timeout_ns)
    lab_skip (lab, "behind our controller no client times out", "the wait and the work outlast the clients");
  else
    lab_check (lab, timeouts == 0 && protected->run->wasted == 0,
               "behind our controller no client times out and no work is wasted",
               "%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, timeouts, protected->run->wasted);
  lab_check (lab, g_strcmp0 (protected->retry_after, "1") == 0, "its refusals say when to come back", "Retry-After: %s",
             protected->retry_after == NULL ? "none" : protected->retry_after);
  lab_check (lab, limited->saw_503 && limited->retry_after == NULL, "the server's own limit does not say when",
             "Retry-After: %s", limited->retry_after == NULL ? "none" : limited->retry_after);
  lab_check (lab, limited->refusal_lines == refused, "and it writes a line in its log for each refusal",
             "%u lines, %" G_GUINT64_FORMAT " refusals", limited->refusal_lines, refused);
}
