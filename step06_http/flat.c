/* The flat line over real HTTP: steady goodput at 1, 2, 4, 20, 100 and 500 times
 * the capacity, with /health asked all the while. Service and generator are a
 * process each, so two cores are wanted. */
#include <sched.h>

#include "../common/http/trial.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define WAIT_LIMIT_NS (300 * LAB_MS)
#define HEALTH_RPS 50
#define HEALTH_WITHIN_NS (50 * LAB_MS)
#define FLAT_WITHIN 0.05
#define TRIES 3 /* for a run whose generator was late; a claim that fails is never tried again */

static const guint multiples[] = { 1, 2, 4, 20, 100, 500 };

static const LabColumn columns[] = {
  { .key = "multiple", .heading = "offered", .width = 7, .suffix = "x" },
  { .key = "offered" },
  { .key = "offered_rps", .heading = "requests/s", .width = 12, .decimals = 0 },
  { .key = "steady_goodput_rps", .heading = "steady/s", .width = 10, .decimals = 1 },
  { .key = "ok", .heading = "ok", .width = 6 },
  { .key = "shed", .heading = "shed", .width = 9 },
  { .key = "timeout", .heading = "timeout", .width = 8 },
  { .key = "error" },
  { .key = "p50_ms", .heading = "p50 ms", .width = 8 },
  { .key = "p99_ms", .heading = "p99 ms", .width = 8 },
  { .key = "health_asked" },
  { .key = "health_ok" },
  { .key = "health_p99_ms" },
  { .key = "health_max_ms", .heading = "/health max", .width = 12, .decimals = 1 },
  { .key = "lateness_p50_us" },
  { .key = "lateness_p99_us", .heading = "late p99 us", .width = 12 },
  { .key = "lateness_max_us" },
};

/* What the checks look at, over all multiples. */
typedef struct
{
  double capacity_rps, least_rps, most_rps;
  guint64 timeouts, unhealthy;
  LabTime slowest_health_ns;
} Findings;

/* One load on a service of its own, and the questions after its health. */
typedef struct
{
  LabHttpTrial *trial;
  LabHttpClient *client;
  LabOpenLoop *health;
} Load;

/* Keeps this process, and what it starts from now on, to the last core that it may
 * use (@alone), or to all others. Left to itself the system puts two processes
 * that talk to each other on one core, and the other stays idle. */
static void
use_cores (const cpu_set_t *all, gboolean alone)
{
  cpu_set_t cores = *all;
  int last = CPU_SETSIZE - 1;

  if (CPU_COUNT (all) == 0)
    return;
  while (!CPU_ISSET (last, all))
    last--;
  CPU_CLR (last, &cores);
  if (CPU_COUNT (&cores) == 0)
    return;
  if (alone)
    {
      CPU_ZERO (&cores);
      CPU_SET (last, &cores);
    }
  sched_setaffinity (0, sizeof cores, &cores);
}

static void
load_clear (Load *load)
{
  g_clear_pointer (&load->health, lab_open_loop_free);
  g_clear_pointer (&load->client, lab_http_client_free);
  g_clear_pointer (&load->trial, lab_http_trial_free);
}

static void
load_run (Lab *lab, Load *load, const cpu_set_t *all, const char *label, double rate_rps, const char *max_waiting)
{
  g_autoptr (GPtrArray) trials = g_ptr_array_new ();
  g_autofree char *url = NULL;
  g_autoptr (GError) error = NULL;

  use_cores (all, FALSE);
  load->trial = lab_http_trial_new (lab, label, (const char *[]) { max_waiting, "--max-wait=0.3s", NULL });
  use_cores (all, TRUE);
  url = g_strdup_printf ("http://127.0.0.1:%u/health", lab_child_port (load->trial->service));
  load->client = lab_http_client_new (&(LabHttpClientOptions) { .url = url }, &error);
  if (load->client == NULL)
    lab_fail (lab, "%s", error->message);
  load->health = lab_open_loop_new (lab_clock (lab), lab_http_client_target (load->client),
                                    &(LabOpenLoopOptions) { .rate_rps = HEALTH_RPS,
                                                            .duration_ns = lab_settings (lab)->duration_ns,
                                                            .client_timeout_ns = lab_settings (lab)->client_timeout_ns,
                                                            .hang_up = TRUE });
  load->trial->beside = load->health;
  g_ptr_array_add (trials, load->trial);
  lab_http_trials_run (lab, trials, rate_rps);
}

/* One pause of the generator is enough to make an answer about health look slow. */
static gboolean
health_is_blurred (const Load *load)
{
  const LabSummary *health = lab_open_loop_summary (load->health);
  LabTime latest_ns = MAX (lab_histogram_max (lab_summary_lateness (load->trial->run->summary)),
                           lab_histogram_max (lab_summary_lateness (health)));

  return lab_histogram_max (lab_summary_latency (health, LAB_OK)) >= HEALTH_WITHIN_NS && latest_ns > LAB_LATE_NS;
}

static void
judge_generator (Lab *lab, const Load *load, const char *label)
{
  lab_http_judge_generator (lab, label, load->trial->run->summary);
  if (!lab_summary_was_late (load->trial->run->summary) && health_is_blurred (load))
    lab_invalidate (lab, "'%s': the generator itself paused while it asked after /health", label);
}

/* Runs again when the generator was late, which says nothing about the service. */
static void
load_run_validly (Lab *lab, Load *load, const cpu_set_t *all, guint multiple, double rate_rps, const char *max_waiting)
{
  g_autofree char *label = g_strdup_printf ("%ux", multiple);

  for (guint i = 1;; i++)
    {
      load_run (lab, load, all, label, rate_rps, max_waiting);
      if (i == TRIES || lab_is_interrupted (lab)
          || !(lab_summary_was_late (load->trial->run->summary) || health_is_blurred (load)))
        break;
      lab_warn (lab, "the generator was late at %s; trying once more", label);
      load_clear (load);
    }
  judge_generator (lab, load, label);
}

static void
add_row (Lab *lab, LabTable *table, guint multiple, double rate_rps, const LabSummary *work, const LabSummary *health)
{
  const LabHistogram *latency = lab_summary_latency (work, LAB_OK);
  const LabHistogram *health_latency = lab_summary_latency (health, LAB_OK);

  lab_table_add (table,
                 LAB_ROW (lab_count (multiple), lab_count (lab_summary_offered (work)), lab_rps (rate_rps),
                          lab_rate (lab_summary_steady_ok (work), lab_summary_steady_ns (work)),
                          lab_count (lab_summary_count (work, LAB_OK)), lab_count (lab_summary_count (work, LAB_SHED)),
                          lab_count (lab_summary_count (work, LAB_TIMEOUT)),
                          lab_count (lab_summary_count (work, LAB_ERROR)),
                          lab_milliseconds (lab_histogram_quantile (latency, 500)),
                          lab_milliseconds (lab_histogram_quantile (latency, 990)),
                          lab_count (lab_summary_offered (health)), lab_count (lab_summary_count (health, LAB_OK)),
                          lab_milliseconds (lab_histogram_quantile (health_latency, 990)),
                          lab_milliseconds (lab_histogram_max (health_latency)),
                          LAB_LATENESS_VALUES (lab_summary_lateness (work))));
  lab_print_row (lab, table, lab_table_n_rows (table) - 1);
}

static void
note (Findings *findings, const LabSummary *work, const LabSummary *health)
{
  double steady_rps = (double) lab_summary_steady_ok (work) / ((double) MAX (lab_summary_steady_ns (work), 1) / LAB_S);

  findings->least_rps = MIN (findings->least_rps, steady_rps);
  findings->most_rps = MAX (findings->most_rps, steady_rps);
  findings->timeouts += lab_summary_count (work, LAB_TIMEOUT) + lab_summary_count (work, LAB_ERROR);
  findings->unhealthy += lab_summary_offered (health) - lab_summary_count (health, LAB_OK);
  findings->slowest_health_ns
      = MAX (findings->slowest_health_ns, lab_histogram_max (lab_summary_latency (health, LAB_OK)));
}

static void
check (Lab *lab, const Findings *findings)
{
  const char *claim = "from 1 to 500 times the capacity goodput stays within 5 % of it";
  const char *claim_of_clients = "no client times out or meets an error, at any load";
  const char *why = lab_expect_why_not_judged (lab_settings (lab), WAIT_LIMIT_NS);

  if (lab_settings (lab)->duration_ns <= LAB_STEADY_FROM_S * LAB_S)
    lab_skip (lab, claim, "the run has no steady part");
  else if (why != NULL)
    lab_skip (lab, claim, "%s", why);
  else
    lab_check (lab,
               findings->least_rps >= (1 - FLAT_WITHIN) * findings->capacity_rps
                   && findings->most_rps <= (1 + FLAT_WITHIN) * findings->capacity_rps,
               claim, "%.1f/s to %.1f/s at %.1f/s", findings->least_rps, findings->most_rps, findings->capacity_rps);
  if (why != NULL)
    lab_skip (lab, claim_of_clients, "%s", why);
  else
    lab_check (lab, findings->timeouts == 0, claim_of_clients, "%" G_GUINT64_FORMAT, findings->timeouts);
  lab_check (lab, findings->unhealthy == 0 && findings->slowest_health_ns < HEALTH_WITHIN_NS,
             "/health answers within 50 ms throughout", "%.1f ms at most",
             (double) findings->slowest_health_ns / LAB_MS);
}

static void
refuse_senseless_runs (Lab *lab, double capacity_rps)
{
  for (guint i = 0; i < G_N_ELEMENTS (multiples); i++)
    lab_policy_refuse_senseless_run (lab, "the load", multiples[i] * capacity_rps);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "flat",
                                                 .summary = "Goodput over HTTP at up to 500 times the capacity.",
                                                 .options = LAB_OPTIONS_REAL_ONLY | LAB_OPTIONS_SERVICE
                                                            | LAB_OPTIONS_PATIENCE | LAB_OPTIONS_DURATION,
                                                 .duration_ns = 5 * LAB_S },
                                 argc, argv);
  Findings findings = { .least_rps = G_MAXDOUBLE };
  LabTable *table = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));
  g_autoptr (LabHttpTrial) bare = lab_http_trial_new (lab, "no limits", NULL);
  g_autofree char *max_waiting = NULL;
  cpu_set_t cores;

  if (sched_getaffinity (0, sizeof cores, &cores) != 0)
    CPU_ZERO (&cores); /* there are more than fit: leave the choice to the system */
  lab_policy_refuse_senseless_run (lab, "the questions after /health", HEALTH_RPS);
  lab_http_trial_capacity (lab, bare, &findings.capacity_rps);
  if (lab_is_interrupted (lab))
    return lab_finish (lab);
  refuse_senseless_runs (lab, findings.capacity_rps);
  max_waiting
      = g_strdup_printf ("--max-waiting=%" G_GINT64_FORMAT, lab_line_length (findings.capacity_rps, LINE_BUDGET_NS));
  lab_results_setting (lab_results (lab), "capacity_rps", lab_rps (findings.capacity_rps));
  lab_results_setting (lab_results (lab), "health_within_s", lab_seconds (HEALTH_WITHIN_NS));
  lab_print (lab, "steady capacity over HTTP: %.1f requests/s\n", findings.capacity_rps);
  lab_print_heading (lab, table);
  for (guint i = 0; i < G_N_ELEMENTS (multiples) && !lab_is_interrupted (lab); i++)
    {
      double rate_rps = multiples[i] * findings.capacity_rps;
      Load load = { 0 };

      load_run_validly (lab, &load, &cores, multiples[i], rate_rps, max_waiting);
      add_row (lab, table, multiples[i], rate_rps, load.trial->run->summary, lab_open_loop_summary (load.health));
      note (&findings, load.trial->run->summary, lab_open_loop_summary (load.health));
      load_clear (&load);
    }
  check (lab, &findings);
  return lab_finish (lab);
}
