/* When requests arrive. A run sends floor (rate * duration) of them; the
 * schedule is fixed before the run and does not care how the service fares:
 * that is what "open loop" means. */
#pragma once

#include "random.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_ARRIVALS_CONSTANT, /* request i at i / rate */
  LAB_ARRIVALS_POISSON   /* as many, at random: a Poisson process given its count */
} LabArrivalsKind;

typedef struct
{
  /*< private >*/
  LabArrivalsKind kind;
  LabTime duration_ns;
  gint64 rate_millionths;
  guint64 count, given;
  LabTime next_ns;  /* constant: the next request's time is next_ns + ... */
  gint64 remainder; /* ... remainder / rate_millionths, exactly */
  LabRandom random;
  gint64 sum, total; /* Poisson: of the gaps so far, and of all */
} LabArrivals;

#define LAB_ARRIVALS_MOST_RPS 1e10

/* @rate_rps: requests per second, held to a millionth; above 0, and at most
 * LAB_ARRIVALS_MOST_RPS. */
void lab_arrivals_init (LabArrivals *arrivals, LabArrivalsKind kind, double rate_rps, LabTime duration_ns,
                        guint64 seed);

/* How many requests the schedule has in all. */
guint64 lab_arrivals_count (const LabArrivals *arrivals);

/* The next request's time, counted from the start of the run; never earlier than
 * the one before, and less than the duration. LAB_NEVER after the last. */
LabTime lab_arrivals_next (LabArrivals *arrivals);

G_END_DECLS
