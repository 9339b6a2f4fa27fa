#include "formulas.h"

#include <math.h>

double
lab_theory_erlang_b (guint slots, double load)
{
  double blocked = 1;

  for (guint k = 1; k <= slots; k++)
    blocked = load * blocked / (k + load * blocked);
  return blocked;
}

double
lab_theory_erlang_c (guint slots, double load)
{
  double blocked = lab_theory_erlang_b (slots, load);

  return blocked / (1 - load / slots * (1 - blocked));
}

double
lab_theory_mean_wait_s (guint slots, double arrivals_rps, double service_s)
{
  return lab_theory_erlang_c (slots, arrivals_rps * service_s) / (slots / service_s - arrivals_rps);
}

double
lab_theory_full_share (guint slots, guint room, double load)
{
  double weight = 1; /* of the state with k requests, over that of the empty one */
  double sum = 1;

  for (guint k = 1; k <= room; k++)
    {
      weight *= load / MIN (k, slots);
      sum += weight;
    }
  return weight / sum;
}

double
lab_theory_fixed_work_wait_s (double arrivals_rps, double service_s)
{
  double rho = arrivals_rps * service_s;

  return rho * service_s / (2 * (1 - rho));
}

void
lab_theory_impatience (guint slots, double arrivals_rps, double service_s, double max_wait_s, double *share,
                       double *wait_s)
{
  double served_rps = slots / service_s;
  double growth = arrivals_rps - served_rps; /* of v's exponent up to max_wait; not 0 here */
  double at_limit = exp (growth * max_wait_s);
  double weight = 1; /* of p(k) over p(0) */
  double idle = 1;
  double before, beyond, waited;

  g_return_if_fail (growth != 0);

  for (guint k = 1; k < slots; k++)
    {
      weight *= arrivals_rps * service_s / k;
      idle += weight;
    }
  /* The integrals of v up to max_wait, from there on, and of x v up to max_wait. */
  before = arrivals_rps * weight * (at_limit - 1) / growth;
  beyond = arrivals_rps * weight * at_limit / served_rps;
  waited = arrivals_rps * weight * (max_wait_s * at_limit / growth - (at_limit - 1) / (growth * growth));
  *share = beyond / (idle + before + beyond);
  *wait_s = (waited + max_wait_s * beyond) / (idle + before + beyond);
}
