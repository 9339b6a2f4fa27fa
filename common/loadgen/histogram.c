#include "histogram.h"

#include <stdlib.h>

#define OCTAVE_BITS 12
#define PER_OCTAVE (1 << OCTAVE_BITS)
#define N_EXACT 1024 /* values that are kept as they are */
#define N_BUCKETS ((64 - OCTAVE_BITS) * PER_OCTAVE)

typedef struct
{
  guint64 count;
  guint64 sum; /* of what the values exceed the bucket's lowest by: it cannot overflow */
} Bucket;

/* The buckets take 3 MiB of zeroed address space; only the pages that values fall
 * into are ever touched. */
struct _LabHistogram
{
  Bucket *buckets;
  LabTime *exact; /* the first N_EXACT values */
  guint64 count;
  LabTime max_ns;
  guint first, last; /* the buckets in use lie between them */
};

/* Values below 2 * PER_OCTAVE have a bucket each; above, the leading
 * OCTAVE_BITS + 1 bits choose it. */
static guint
bucket_of (LabTime value_ns)
{
  guint64 octaves = (guint64) value_ns >> OCTAVE_BITS;
  guint shift = octaves > 0 ? 63 - (guint) __builtin_clzll (octaves) : 0;

  return shift * PER_OCTAVE + (guint) (value_ns >> shift);
}

static LabTime
lowest_of (guint bucket)
{
  guint shift = bucket < 2 * PER_OCTAVE ? 0 : bucket / PER_OCTAVE - 1;

  return (LabTime) (bucket - shift * PER_OCTAVE) << shift;
}

LabHistogram *
lab_histogram_new (void)
{
  LabHistogram *histogram = g_new0 (LabHistogram, 1);

  histogram->buckets = g_new0 (Bucket, N_BUCKETS);
  histogram->exact = g_new (LabTime, N_EXACT);
  histogram->max_ns = -1;
  histogram->first = N_BUCKETS;
  return histogram;
}

void
lab_histogram_free (LabHistogram *histogram)
{
  g_free (histogram->buckets);
  g_free (histogram->exact);
  g_free (histogram);
}

void
lab_histogram_add (LabHistogram *histogram, LabTime value_ns)
{
  guint bucket;

  g_return_if_fail (value_ns >= 0);

  bucket = bucket_of (value_ns);
  if (histogram->count < N_EXACT)
    histogram->exact[histogram->count] = value_ns;
  histogram->buckets[bucket].count++;
  histogram->buckets[bucket].sum += (guint64) (value_ns - lowest_of (bucket));
  histogram->count++;
  histogram->max_ns = MAX (histogram->max_ns, value_ns);
  histogram->first = MIN (histogram->first, bucket);
  histogram->last = MAX (histogram->last, bucket);
}

guint64
lab_histogram_count (const LabHistogram *histogram)
{
  return histogram->count;
}

/* n * permille / 1000, half to even. */
static guint64
quantile_index (guint64 n, guint permille)
{
  guint64 index = n * permille / 1000;
  guint64 rest = n * permille % 1000;

  return rest > 500 || (rest == 500 && index % 2 == 1) ? index + 1 : index;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const LabTime *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static LabTime
exact_value (const LabHistogram *histogram, guint64 index)
{
  g_autofree LabTime *sorted = g_memdup2 (histogram->exact, histogram->count * sizeof (LabTime));

  qsort (sorted, histogram->count, sizeof (LabTime), compare_times);
  return sorted[index];
}

LabTime
lab_histogram_quantile (const LabHistogram *histogram, guint permille)
{
  guint64 index, seen = 0;

  g_return_val_if_fail (permille <= 1000, -1);

  if (histogram->count == 0)
    return -1;
  index = quantile_index (histogram->count - 1, permille);
  if (histogram->count <= N_EXACT)
    return exact_value (histogram, index);
  for (guint i = histogram->first; i <= histogram->last; i++)
    {
      const Bucket *bucket = &histogram->buckets[i];

      seen += bucket->count;
      if (index < seen)
        return lowest_of (i) + (LabTime) (bucket->sum / bucket->count);
    }
  g_return_val_if_reached (-1); /* not reached: the counts of all buckets are the count */
}

LabTime
lab_histogram_max (const LabHistogram *histogram)
{
  return histogram->max_ns;
}
