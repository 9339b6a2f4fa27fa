#include "queue.h"

gboolean
queue_is_full (const Queue *queue)
{
  return queue->max_size > 0 && queue->items.length >= queue->max_size;
}

gboolean
queue_is_empty (const Queue *queue)
{
  return queue->items.length == 0;
}

void
queue_put (Queue *queue, LabTime stamp_ns)
{
  g_return_if_fail (!queue_is_full (queue));

  g_queue_push_tail (&queue->items, g_memdup2 (&stamp_ns, sizeof stamp_ns));
  lab_script_wake (queue->taking);
}

LabTime
queue_take (Queue *queue)
{
  g_autofree LabTime *stamp_ns = g_queue_pop_head (&queue->items);

  g_return_val_if_fail (stamp_ns != NULL, 0);

  lab_script_wake (queue->putting);
  return *stamp_ns;
}

void
queue_clear (Queue *queue)
{
  g_queue_clear_full (&queue->items, g_free);
}
