#include "timer_queue.h"

#define BRANCHES 4 /* children of a node: half the depth of two, and side by side */

/* A timer's place: in the heap, its index counted from 1; in a lane, the lane's
 * number counted from 1 in the two highest bits, and the lower bits of its position. */
#define POSITION_BITS 30
#define POSITION_MASK ((1u << POSITION_BITS) - 1)
G_STATIC_ASSERT (LAB_N_LANES < 1 << (32 - POSITION_BITS));

#define FIRST_ROOM 64

static inline gboolean
is_before (const LabTimerEntry *a, const LabTimerEntry *b)
{
  return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->sequence < b->sequence);
}

/* The heap */

static inline void
put (LabTimerQueue *queue, guint at, const LabTimerEntry *entry)
{
  queue->heap[at] = *entry;
  entry->timer->place = at + 1;
}

static void
sift_up (LabTimerQueue *queue, guint at, const LabTimerEntry *entry)
{
  while (at > 0)
    {
      guint parent = (at - 1) / BRANCHES;

      if (!is_before (entry, &queue->heap[parent]))
        break;
      put (queue, at, &queue->heap[parent]);
      at = parent;
    }
  put (queue, at, entry);
}

static void
sift_down (LabTimerQueue *queue, guint at, const LabTimerEntry *entry)
{
  guint child;

  while ((child = at * BRANCHES + 1) < queue->heap_length)
    {
      guint end = MIN (child + BRANCHES, queue->heap_length);
      guint first = child;

      while (++child < end)
        if (is_before (&queue->heap[child], &queue->heap[first]))
          first = child;
      if (!is_before (&queue->heap[first], entry))
        break;
      put (queue, at, &queue->heap[first]);
      at = first;
    }
  put (queue, at, entry);
}

static void
heap_add (LabTimerQueue *queue, const LabTimerEntry *entry)
{
  if (queue->heap_length == queue->heap_room)
    {
      queue->heap_room = MAX (FIRST_ROOM, queue->heap_room * 2);
      queue->heap = g_renew (LabTimerEntry, queue->heap, queue->heap_room);
    }
  sift_up (queue, queue->heap_length++, entry);
}

static void
heap_remove (LabTimerQueue *queue, guint at)
{
  LabTimerEntry last = queue->heap[--queue->heap_length];

  if (at == queue->heap_length)
    return;
  if (at > 0 && is_before (&last, &queue->heap[(at - 1) / BRANCHES]))
    sift_up (queue, at, &last);
  else
    sift_down (queue, at, &last);
}

/* The lanes */

static inline gboolean
is_empty (const LabTimerLane *lane)
{
  return lane->head == lane->tail;
}

static inline LabTimerEntry *
entry_at (const LabTimerLane *lane, guint position)
{
  return &lane->ring[position & (lane->room - 1)];
}

static void
settle (LabTimerLane *lane, guint number, guint position, const LabTimerEntry *entry)
{
  *entry_at (lane, position) = *entry;
  entry->timer->place = (number + 1) << POSITION_BITS | (position & POSITION_MASK);
}

static void
close_gaps (LabTimerLane *lane, guint number)
{
  guint to = lane->head;

  for (guint from = lane->head; from != lane->tail; from++)
    if (entry_at (lane, from)->timer != NULL)
      settle (lane, number, to++, entry_at (lane, from));
  lane->tail = to;
}

static void
grow (LabTimerLane *lane)
{
  LabTimerLane grown = *lane;

  grown.room = MAX (FIRST_ROOM, lane->room * 2);
  grown.ring = g_new (LabTimerEntry, grown.room);
  for (guint position = lane->head; position != lane->tail; position++)
    *entry_at (&grown, position) = *entry_at (lane, position);
  g_free (lane->ring);
  *lane = grown;
}

static void
lane_add (LabTimerQueue *queue, guint number, const LabTimerEntry *entry)
{
  LabTimerLane *lane = &queue->lanes[number];

  if (lane->tail - lane->head == lane->room)
    {
      if (lane->length < lane->room / 2)
        close_gaps (lane, number);
      else
        grow (lane);
    }
  settle (lane, number, lane->tail++, entry);
  lane->length++;
}

/* Leaves a gap. A gap at either end is closed at once, one in between when an end
 * reaches it, or when gaps fill half of the ring. */
static void
lane_remove (LabTimerLane *lane, guint position)
{
  entry_at (lane, position)->timer = NULL;
  lane->length--;
  while (!is_empty (lane) && entry_at (lane, lane->head)->timer == NULL)
    lane->head++;
  while (!is_empty (lane) && entry_at (lane, lane->tail - 1)->timer == NULL)
    lane->tail--;
}

/* The best lane for a timer due at @due_ns: of those whose last timer is not due later,
 * the one whose last timer is due latest; else an empty one; LAB_N_LANES: there is none. */
static guint
choose_lane (const LabTimerQueue *queue, LabTime due_ns)
{
  guint chosen = LAB_N_LANES;
  LabTime latest_ns = G_MININT64;

  for (guint i = 0; i < LAB_N_LANES; i++)
    {
      const LabTimerLane *lane = &queue->lanes[i];
      LabTime last_ns = is_empty (lane) ? G_MININT64 : entry_at (lane, lane->tail - 1)->due_ns;

      if (last_ns <= due_ns && (chosen == LAB_N_LANES || last_ns > latest_ns))
        {
          chosen = i;
          latest_ns = last_ns;
        }
    }
  return chosen;
}

/* All together */

void
lab_timer_queue_clear (LabTimerQueue *queue)
{
  for (guint i = 0; i < LAB_N_LANES; i++)
    g_free (queue->lanes[i].ring);
  g_free (queue->heap);
  *queue = (LabTimerQueue) { 0 };
}

void
lab_timer_queue_add (LabTimerQueue *queue, LabTimer *timer, LabTime due_ns, guint64 sequence)
{
  LabTimerEntry entry = { .due_ns = due_ns, .sequence = sequence, .timer = timer };
  guint number = choose_lane (queue, due_ns);

  if (number < LAB_N_LANES)
    lane_add (queue, number, &entry);
  else
    heap_add (queue, &entry);
  queue->length++;
}

void
lab_timer_queue_remove (LabTimerQueue *queue, LabTimer *timer)
{
  guint number = timer->place >> POSITION_BITS;

  if (number > 0)
    lane_remove (&queue->lanes[number - 1], timer->place);
  else
    heap_remove (queue, timer->place - 1);
  timer->place = 0;
  queue->length--;
}

const LabTimerEntry *
lab_timer_queue_first (const LabTimerQueue *queue)
{
  const LabTimerEntry *first = queue->heap_length > 0 ? &queue->heap[0] : NULL;

  for (guint i = 0; i < LAB_N_LANES; i++)
    {
      const LabTimerLane *lane = &queue->lanes[i];

      if (!is_empty (lane) && (first == NULL || is_before (entry_at (lane, lane->head), first)))
        first = entry_at (lane, lane->head);
    }
  return first;
}
