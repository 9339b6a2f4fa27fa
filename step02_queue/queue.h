/* A first-in first-out queue of time stamps, bounded if so wished. It knows who
 * stands at its two ends and wakes them: whoever waits for an item when one has
 * come, whoever waits for room when some has been made. */
#pragma once

#include "../common/time/script.h"

typedef struct
{
  GQueue items;       /* of LabTime * */
  guint max_size;     /* 0: no bound */
  LabScript *putting; /* woken when an item was taken; not owned */
  LabScript *taking;  /* woken when an item was put; not owned */
} Queue;

gboolean queue_is_full (const Queue *queue);
gboolean queue_is_empty (const Queue *queue);

/* The queue must not be full. */
void queue_put (Queue *queue, LabTime stamp_ns);

/* The queue must not be empty. */
LabTime queue_take (Queue *queue);

/* Takes out all that is left. */
void queue_clear (Queue *queue);
