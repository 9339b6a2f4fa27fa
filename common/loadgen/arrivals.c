#include "arrivals.h"

#define STREAM_OF_ARRIVALS 1
#define MILLION G_GINT64_CONSTANT (1000000)
#define MEAN_GAP MILLION /* what Poisson gaps are counted in is their mean's millionth */

/* Given that n requests of a Poisson process arrive within the duration, their
 * times are n even draws in order; and those are the partial sums of n + 1
 * exponential gaps over the sum of all (Devroye, "Non-Uniform Random Variate
 * Generation", 1986, chapter V.2). The gaps are drawn twice from one seed: once
 * for their sum, once for the times, so that no list is kept. */
static gint64
next_gap (LabArrivals *arrivals)
{
  return lab_random_exponential (&arrivals->random, MEAN_GAP);
}

static void
sum_up_gaps (LabArrivals *arrivals)
{
  LabRandom beginning = arrivals->random;

  arrivals->total = 1; /* so that even the last time is less than the duration */
  for (guint64 i = 0; i <= arrivals->count; i++)
    arrivals->total += next_gap (arrivals);
  arrivals->random = beginning;
}

void
lab_arrivals_init (LabArrivals *arrivals, LabArrivalsKind kind, double rate_rps, LabTime duration_ns, guint64 seed)
{
  g_return_if_fail (rate_rps > 0 && rate_rps <= LAB_ARRIVALS_MOST_RPS && duration_ns > 0
                    && duration_ns <= LAB_DURATION_MAX);

  *arrivals = (LabArrivals) { .kind = kind, .duration_ns = duration_ns };
  arrivals->rate_millionths = MAX ((gint64) (rate_rps * MILLION + 0.5), 1);
  arrivals->count = lab_mul_div (arrivals->rate_millionths, duration_ns, MILLION * LAB_S);
  lab_random_init (&arrivals->random, seed, STREAM_OF_ARRIVALS);
  if (kind == LAB_ARRIVALS_POISSON)
    sum_up_gaps (arrivals);
}

guint64
lab_arrivals_count (const LabArrivals *arrivals)
{
  return arrivals->count;
}

/* Request i is due floor (i * 10^15 / rate_millionths): step by step, the
 * remainder carried along. */
static LabTime
next_constant (LabArrivals *arrivals)
{
  LabTime at_ns = arrivals->next_ns;

  arrivals->next_ns += MILLION * LAB_S / arrivals->rate_millionths;
  arrivals->remainder += MILLION * LAB_S % arrivals->rate_millionths;
  if (arrivals->remainder >= arrivals->rate_millionths)
    {
      arrivals->remainder -= arrivals->rate_millionths;
      arrivals->next_ns++;
    }
  return at_ns;
}

static LabTime
next_poisson (LabArrivals *arrivals)
{
  arrivals->sum += next_gap (arrivals);
  return lab_mul_div (arrivals->duration_ns, arrivals->sum, arrivals->total);
}

LabTime
lab_arrivals_next (LabArrivals *arrivals)
{
  if (arrivals->given == arrivals->count)
    return LAB_NEVER;
  arrivals->given++;
  return arrivals->kind == LAB_ARRIVALS_POISSON ? next_poisson (arrivals) : next_constant (arrivals);
}
