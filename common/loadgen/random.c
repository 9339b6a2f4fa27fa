#include "random.h"

void
lab_random_init (LabRandom *random, guint64 seed, guint stream)
{
  /* The first draw mixes the seed; the stream then starts far away in the cycle. */
  random->state = seed;
  random->state = lab_random_next (random) + stream * G_GUINT64_CONSTANT (0xd1342543de82ef95);
}

guint64
lab_random_next (LabRandom *random)
{
  guint64 z = random->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

guint64
lab_random_below (LabRandom *random, guint64 n)
{
  guint64 uneven, draw;

  g_return_val_if_fail (n > 0, 0);

  uneven = (G_MAXUINT64 % n + 1) % n; /* so many draws too many for equal shares */
  do
    draw = lab_random_next (random);
  while (draw > G_MAXUINT64 - uneven);
  return draw % n;
}

/* mean * (whole + fraction / 2^32), without a product of more than 64 bits. */
static LabTime
scale (LabTime mean_ns, guint whole, guint32 fraction)
{
  guint64 high = (guint64) mean_ns >> 32;
  guint64 low = (guint64) mean_ns & G_MAXUINT32;

  return (LabTime) (mean_ns * whole + high * fraction + (low * fraction >> 32));
}

/* Draw a first number, then go on as long as each is less than the one before.
 * The run is of odd length with probability e^-x, x being the first number: then
 * x is the fraction of the answer; otherwise the whole part grows by one, and all
 * is drawn again. */
LabTime
lab_random_exponential (LabRandom *random, LabTime mean_ns)
{
  for (guint whole = 0;; whole++)
    {
      guint32 first = (guint32) (lab_random_next (random) >> 32);
      guint32 last = first;
      gboolean is_odd = TRUE;
      guint32 draw;

      while ((draw = (guint32) (lab_random_next (random) >> 32)) < last)
        {
          last = draw;
          is_odd = !is_odd;
        }
      if (is_odd)
        return scale (mean_ns, whole, first);
    }
}
