/* A histogram of times whose memory does not grow with their number.
 *
 * Up to 1024 values are kept as they are, and answers are exact. Beyond that it is
 * log-linear: 4096 buckets per octave, each with the count and the sum of what fell
 * into it; a quantile is answered with its bucket's mean, which is within 1/4096
 * (0.025 %) of the value that sorting would give. */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

typedef struct _LabHistogram LabHistogram;

LabHistogram *lab_histogram_new (void);
void lab_histogram_free (LabHistogram *histogram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHistogram, lab_histogram_free)

/* @value_ns: not negative. */
void lab_histogram_add (LabHistogram *histogram, LabTime value_ns);

guint64 lab_histogram_count (const LabHistogram *histogram);

/* The value at index p * (n - 1) of the sorted values, the index rounded half to
 * even, for p = @permille / 1000. -1 when there is no value. */
LabTime lab_histogram_quantile (const LabHistogram *histogram, guint permille);

/* The greatest value, exactly; -1 when there is none. */
LabTime lab_histogram_max (const LabHistogram *histogram);

G_END_DECLS
