/* One trial of step 2: a producer and a consumer with a queue between them, and
 * what is counted of them. */
#pragma once

#include "../common/lab/lab.h"
#include "queue.h"

typedef struct
{
  const char *label;
  gboolean drops; /* a full queue makes the producer drop the item, not wait */
  Queue queue;

  LabScript producer, consumer, observer;
  LabTime start_ns, duration_ns;
  gboolean is_over;

  LabTime stamp_ns; /* of the item that the producer holds: made before it waits for room */
  guint produced, consumed, dropped;
  guint in_hand; /* items that the consumer has taken and not yet finished: 0 or 1 */
  LabTime longest_wait_ns;
  GArray *lengths; /* of Length */
} Trial;

/* How long the queue was at a moment of the trial. */
typedef struct
{
  LabTime at_ns;
  guint length;
} Length;

/* Since the trial began. */
LabTime trial_elapsed (const Trial *trial);

/* The producer's time is over: nothing moves any more. */
void trial_end (Trial *trial);

/* Runs all trials at once, each with a producer and a consumer of its own. Ends the
 * program when the queue without a bound would grow beyond reason. */
void trials_run (Lab *lab, Trial *trials, guint n_trials, LabScriptBody produce, LabScriptBody consume);

void trials_print (Lab *lab, const Trial *trials, guint n_trials);

/* The chapter's claims; the trials in its order: unbounded, wait, drop. */
void trials_check (Lab *lab, const Trial *trials);
void trials_clear (Trial *trials, guint n_trials);
