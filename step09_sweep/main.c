/* Step 9: the load test that proves it: the cliff, and the flat line. */
#include "../common/lab/policy.h"
#include "sweep.h"

#define LINE_BUDGET_NS (LAB_S / 2)
#define MAX_WAIT_NS (300 * LAB_MS)

static const double multiples[] = { 0.5, 1.0, 1.5, 2.0, 4.0 };

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step09_sweep",
                                                 .summary = "Offer half the capacity to four times as much.",
                                                 .options = LAB_OPTIONS_POLICY,
                                                 .duration_ns = 6 * LAB_S },
                                 argc, argv);
  double capacity_rps = lab_capacity_rps (lab);
  gint64 max_waiting = lab_line_length (capacity_rps, LINE_BUDGET_NS);
  LabPolicy policies[2 * G_N_ELEMENTS (multiples)];
  g_auto (GStrv) labels = g_new0 (char *, G_N_ELEMENTS (policies) + 1);
  g_autoptr (GPtrArray) runs = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (multiples); i++)
    {
      double rate_rps = multiples[i] * capacity_rps;

      labels[2 * i] = g_strdup_printf ("no limits, %gx", multiples[i]);
      labels[2 * i + 1] = g_strdup_printf ("protected, %gx", multiples[i]);
      policies[2 * i] = (LabPolicy) { .label = labels[2 * i], .rate_rps = rate_rps };
      policies[2 * i + 1] = (LabPolicy) { .label = labels[2 * i + 1],
                                          .rate_rps = rate_rps,
                                          .max_waiting = LAB_AT_MOST (max_waiting),
                                          .max_wait = LAB_AT_MOST (MAX_WAIT_NS) };
    }
  lab_print (lab, "capacity %.0f/s; goodput counts requests answered within %g s, from second %d on\n", capacity_rps,
             (double) lab_settings (lab)->client_timeout_ns / LAB_S, LAB_STEADY_FROM_S);
  runs = lab_run_policies (lab, policies, G_N_ELEMENTS (policies));
  sweep_print (lab, runs, policies, multiples, G_N_ELEMENTS (multiples));
  sweep_check (lab, runs, policies, multiples, G_N_ELEMENTS (multiples), MAX_WAIT_NS);
  return lab_finish (lab);
}
