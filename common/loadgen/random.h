/* The lab's own random numbers: integers only, so that a seed gives the same
 * draws on every machine. */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 state;
} LabRandom;

/* Two streams of one seed are independent of each other: arrivals do not change
 * when the works draw one number more. */
void lab_random_init (LabRandom *random, guint64 seed, guint stream);

/* 64 even bits (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014). */
guint64 lab_random_next (LabRandom *random);

/* Evenly from 0 to @n - 1, without the bias of a plain remainder; @n at least 1. */
guint64 lab_random_below (LabRandom *random, guint64 n);

/* Exponentially distributed around @mean_ns, by von Neumann's method of
 * comparisons ("Various techniques used in connection with random digits", 1951):
 * exact, and without a logarithm, whose last bit may differ between libraries. */
LabTime lab_random_exponential (LabRandom *random, LabTime mean_ns);

G_END_DECLS
