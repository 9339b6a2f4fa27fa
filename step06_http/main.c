/* Step 6: the same controller before a real web service, over real HTTP. */
#include "checks.h"
#include "peers.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define WAIT_LIMIT_NS (300 * LAB_MS)
#define REFUSAL "Exceeded concurrency limit."

int
main (int argc, char *argv[])
{
  gboolean with_peers = FALSE;
  const LabOption own[] = { { .name = "peers",
                              .kind = LAB_OPTION_FLAG,
                              .value = &with_peers,
                              .help = "rows for nginx, HAProxy and uvicorn, where they are installed" } };
  g_autoptr (Lab) lab
      = lab_new (&(LabProgram) { .name = "step06_http",
                                 .summary = "The same controller over real HTTP.",
                                 .options = LAB_OPTIONS_REAL_ONLY | LAB_OPTIONS_SERVICE | LAB_OPTIONS_PATIENCE
                                            | LAB_OPTIONS_DURATION | LAB_OPTIONS_ARRIVALS,
                                 .duration_ns = 5 * LAB_S,
                                 .own = own,
                                 .n_own = G_N_ELEMENTS (own) },
                 argc, argv);
  LabTable *table = lab_http_trials_table (lab);
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func ((GDestroyNotify) lab_http_trial_free);
  LabHttpTrial *bare = lab_http_trial_new (lab, "no limits", NULL);
  LabHttpTrial *protected, *limited, *watching;

  g_ptr_array_add (trials, bare);
  double capacity_rps = lab_http_trial_capacity (lab, bare, NULL);
  double rate_rps = 2 * capacity_rps;
  gint64 max_waiting = lab_line_length (capacity_rps, LINE_BUDGET_NS);
  g_autofree char *label = g_strdup_printf ("cap %" G_GINT64_FORMAT " + wait limit 0.3 s", max_waiting);
  g_autofree char *cap = g_strdup_printf ("--max-waiting=%" G_GINT64_FORMAT, max_waiting);

  if (lab_is_interrupted (lab))
    return lab_finish (lab);
  lab_results_setting (lab_results (lab), "capacity_rps", lab_rps (capacity_rps));
  lab_results_setting (lab_results (lab), "rate_rps", lab_rps (rate_rps));
  lab_print (lab, "capacity over HTTP: %.1f requests/s; offering %.0f/s for %g s\n", capacity_rps, rate_rps,
             (double) lab_settings (lab)->duration_ns / LAB_S);

  protected = lab_http_trial_new (lab, label, (const char *[]) { cap, "--max-wait=0.3s", NULL });
  limited = lab_http_trial_new (lab, "limit of " G_STRINGIFY (STEP06_CONNECTIONS) " connections",
                                (const char *[]) { "--limit-concurrency=" G_STRINGIFY (STEP06_CONNECTIONS), NULL });
  limited->refusal = g_strdup (REFUSAL);
  watching = lab_http_trial_new (lab, "no limits, hang-ups noticed", (const char *[]) { "--watch-hangups", NULL });
  g_ptr_array_add (trials, protected);
  g_ptr_array_add (trials, limited);
  g_ptr_array_add (trials, watching);
  if (with_peers)
    step06_add_peers (lab, trials, max_waiting, WAIT_LIMIT_NS);

  lab_http_trials_run (lab, trials, rate_rps);
  lab_http_trials_print (lab, table, trials);
  step06_check (lab, &(Step06Run) { .capacity_rps = capacity_rps,
                                    .rate_rps = rate_rps,
                                    .wait_limit_ns = WAIT_LIMIT_NS,
                                    .bare = bare,
                                    .protected = protected,
                                    .limited = limited,
                                    .watching = watching });
  return lab_finish (lab);
}
