/* The measurements over HTTP on the loopback: refusals of servers, and how clients
 * keep to a rate. */
#pragma once

#include "../lab/lab.h"

G_BEGIN_DECLS

typedef struct
{
  const char *measured, *who, *unit; /* static */
  double value;                      /* below 0: the peer is not installed */
  double lab_is;                     /* times as good as this one; 0: not compared */
} BenchReading;

#define BENCH_MOST_READINGS 24
#define BENCH_MOST_ROUNDS 5

/* Of the first @n values, up to BENCH_MOST_ROUNDS. */
double bench_median (const double *values, guint n);

/* Returns how many there are. */
guint bench_web_measure (Lab *lab, const char *folder, BenchReading readings[BENCH_MOST_READINGS]);

G_END_DECLS
