#include "clock.h"

#include <time.h>
#ifdef __linux__
#include <sys/timerfd.h>
#include <unistd.h>
#endif

/* All timers of a clock stand in one heap, ordered by (due time, order of
 * arming). The keys lie in the heap itself, so that ordering it does not touch
 * the timers, which are spread over the memory of whatever they wake; a timer
 * knows its place, so that it can be taken out at once. Four children to a node
 * halve the depth and share a cache line or two.
 *
 * One GSource serves the whole heap. A GLib timeout per timer would cost every
 * turn of the main loop a look at each of them.
 */

#define BRANCHES 4
#define VIRTUAL_BATCH 1024 /* events per dispatch: the main loop's own cost all but disappears */
#define REAL_BATCH 16      /* few, so that sockets are looked at in a flood of arrivals, too */

typedef struct
{
  LabTime due_ns;
  guint64 sequence;
  LabTimer *timer;
} Entry;

typedef struct
{
  GSource source;
  LabClock *clock;
} ClockSource;

struct _LabClock
{
  GMainContext *context;
  ClockSource *source;

  Entry *heap;
  guint n_timers, room;
  guint64 sequence; /* of the timer armed last */
  guint64 events, order_hash;
  guint batch;

  gboolean is_virtual;
  LabTime tick_ns;
  LabTime now_ns;   /* virtual */
  LabTime start_ns; /* real: the machine's monotonic time at time 0 */
  int timer_fd;     /* real, where there is one; otherwise -1 */
  LabTime alarm_ns; /* what timer_fd is set to; LAB_NEVER: to nothing */

  gboolean running, in_event, stopped, reached; /* of lab_clock_run_until() */
  LabCondition condition;
  gpointer condition_data;
};

/* The heap */

static inline gboolean
is_before (const Entry *a, const Entry *b)
{
  return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->sequence < b->sequence);
}

static inline void
put (LabClock *clock, guint at, const Entry *entry)
{
  clock->heap[at] = *entry;
  entry->timer->place = at + 1;
}

static void
sift_up (LabClock *clock, guint at, const Entry *entry)
{
  while (at > 0)
    {
      guint parent = (at - 1) / BRANCHES;

      if (!is_before (entry, &clock->heap[parent]))
        break;
      put (clock, at, &clock->heap[parent]);
      at = parent;
    }
  put (clock, at, entry);
}

static void
sift_down (LabClock *clock, guint at, const Entry *entry)
{
  for (;;)
    {
      guint child = at * BRANCHES + 1;
      guint end = MIN (child + BRANCHES, clock->n_timers);
      guint first = child;

      if (child >= clock->n_timers)
        break;
      while (++child < end)
        if (is_before (&clock->heap[child], &clock->heap[first]))
          first = child;
      if (!is_before (&clock->heap[first], entry))
        break;
      put (clock, at, &clock->heap[first]);
      at = first;
    }
  put (clock, at, entry);
}

static void
place_entry (LabClock *clock, guint at, const Entry *entry)
{
  if (at > 0 && is_before (entry, &clock->heap[(at - 1) / BRANCHES]))
    sift_up (clock, at, entry);
  else
    sift_down (clock, at, entry);
}

static void
take_out (LabClock *clock, guint at)
{
  Entry last = clock->heap[--clock->n_timers];

  clock->heap[at].timer->place = 0;
  if (at < clock->n_timers)
    place_entry (clock, at, &last);
}

/* Timers */

void
lab_timer_init (LabTimer *timer, LabClock *clock, LabTimerFunc fire)
{
  g_return_if_fail (clock != NULL && fire != NULL);

  *timer = (LabTimer) { .clock = clock, .fire = fire };
}

void
lab_timer_arm (LabTimer *timer, LabTime due_ns)
{
  LabClock *clock = timer->clock;
  Entry entry = { .due_ns = due_ns, .sequence = ++clock->sequence, .timer = timer };

  timer->due_ns = due_ns;
  if (timer->place != 0)
    {
      place_entry (clock, timer->place - 1, &entry);
      return;
    }
  if (clock->n_timers == clock->room)
    {
      clock->room = MAX (64, clock->room * 2);
      clock->heap = g_renew (Entry, clock->heap, clock->room);
    }
  sift_up (clock, clock->n_timers++, &entry);
}

void
lab_timer_disarm (LabTimer *timer)
{
  if (timer->place != 0)
    take_out (timer->clock, timer->place - 1);
}

/* Time */

static LabTime
monotonic_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * LAB_S + now.tv_nsec;
}

LabTime
lab_clock_now (const LabClock *clock)
{
  return clock->is_virtual ? clock->now_ns : monotonic_now () - clock->start_ns;
}

static LabTime
tick_at_or_after (const LabClock *clock, LabTime due_ns)
{
  if (clock->tick_ns == 0 || due_ns <= 0)
    return due_ns;
  return (due_ns + clock->tick_ns - 1) / clock->tick_ns * clock->tick_ns;
}

/* Events */

static gboolean
condition_holds (const LabClock *clock)
{
  return clock->condition != NULL ? clock->condition (clock->condition_data) : clock->n_timers == 0;
}

static void
fire_first (LabClock *clock)
{
  Entry first = clock->heap[0];

  take_out (clock, 0);
  clock->events++;
  /* One round of FNV-1a over each half of the key. */
  clock->order_hash = (clock->order_hash ^ (guint64) first.due_ns) * G_GUINT64_CONSTANT (0x100000001b3);
  clock->order_hash = (clock->order_hash ^ first.sequence) * G_GUINT64_CONSTANT (0x100000001b3);
  clock->in_event = TRUE;
  first.timer->fire (first.timer);
  clock->in_event = FALSE;
}

static gboolean
dispatch (GSource *source, GSourceFunc callback G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  LabClock *clock = ((ClockSource *) source)->clock;
  LabTime now = lab_clock_now (clock);

  for (guint i = 0; i < clock->batch && clock->n_timers > 0; i++)
    {
      LabTime due_ns = tick_at_or_after (clock, clock->heap[0].due_ns);

      if (clock->is_virtual)
        clock->now_ns = MAX (clock->now_ns, due_ns);
      else if (due_ns > now)
        break;
      fire_first (clock);
      if (clock->running && (clock->stopped || (clock->reached = condition_holds (clock))))
        break;
    }
  return G_SOURCE_CONTINUE;
}

/* Sets the alarm of a real clock to the first timer; a new setting also takes
 * back an alarm that has rung. */
static void
set_alarm (LabClock *clock)
{
  LabTime due_ns = clock->n_timers > 0 ? clock->heap[0].due_ns : LAB_NEVER;

  if (due_ns == clock->alarm_ns)
    return;
  clock->alarm_ns = due_ns;
#ifdef __linux__
  if (clock->timer_fd >= 0)
    {
      LabTime at_ns = due_ns == LAB_NEVER ? 0 : MAX (due_ns + clock->start_ns, 1);
      struct itimerspec alarm = { .it_value = { .tv_sec = at_ns / LAB_S, .tv_nsec = at_ns % LAB_S } };

      timerfd_settime (clock->timer_fd, TFD_TIMER_ABSTIME, &alarm, NULL);
      return;
    }
#endif
  g_source_set_ready_time (&clock->source->source, due_ns == LAB_NEVER ? -1 : (due_ns + clock->start_ns) / LAB_US);
}

static gboolean
is_ready (LabClock *clock)
{
  if (clock->n_timers == 0)
    return FALSE;
  if (clock->is_virtual) /* nobody but lab_clock_run_until() moves a virtual clock */
    return clock->running && !clock->in_event;
  return clock->heap[0].due_ns <= lab_clock_now (clock);
}

static gboolean
prepare (GSource *source, int *timeout_ms)
{
  LabClock *clock = ((ClockSource *) source)->clock;

  *timeout_ms = -1;
  if (is_ready (clock))
    return TRUE;
  if (!clock->is_virtual)
    set_alarm (clock);
  return FALSE;
}

static gboolean
check (GSource *source)
{
  return is_ready (((ClockSource *) source)->clock);
}

gboolean
lab_clock_run_until (LabClock *clock, LabCondition condition, gpointer data)
{
  g_return_val_if_fail (!clock->running && !clock->in_event, FALSE);

  clock->condition = condition;
  clock->condition_data = data;
  clock->running = TRUE;
  clock->reached = condition_holds (clock);
  while (!clock->reached && !clock->stopped && !(clock->is_virtual && clock->n_timers == 0))
    {
      g_main_context_iteration (clock->context, TRUE);
      clock->reached = clock->reached || condition_holds (clock);
    }
  clock->running = FALSE;
  return clock->reached && !clock->stopped;
}

void
lab_clock_stop (LabClock *clock)
{
  clock->stopped = TRUE;
  g_main_context_wakeup (clock->context);
}

/* The clock itself */

static LabClock *
clock_new (int priority)
{
  static GSourceFuncs funcs = { .prepare = prepare, .check = check, .dispatch = dispatch };
  LabClock *clock = g_new0 (LabClock, 1);

  clock->context = g_main_context_ref_thread_default ();
  clock->timer_fd = -1;
  clock->alarm_ns = LAB_NEVER;
  clock->order_hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  clock->source = (ClockSource *) g_source_new (&funcs, sizeof (ClockSource));
  clock->source->clock = clock;
  g_source_set_priority (&clock->source->source, priority);
  g_source_set_static_name (&clock->source->source, "LabClock");
  return clock;
}

LabClock *
lab_clock_new_virtual (LabTime tick_ns)
{
  LabClock *clock;

  g_return_val_if_fail (tick_ns >= 0, NULL);

  clock = clock_new (G_PRIORITY_LOW);
  clock->is_virtual = TRUE;
  clock->tick_ns = tick_ns;
  clock->batch = VIRTUAL_BATCH;
  g_source_attach (&clock->source->source, clock->context);
  return clock;
}

LabClock *
lab_clock_new_real (void)
{
  LabClock *clock = clock_new (G_PRIORITY_DEFAULT);

  clock->batch = REAL_BATCH;
  clock->start_ns = monotonic_now ();
#ifdef __linux__
  /* GLib 2.74 rounds ready times up to whole milliseconds; a timerfd does not. */
  clock->timer_fd = timerfd_create (CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (clock->timer_fd >= 0)
    g_source_add_unix_fd (&clock->source->source, clock->timer_fd, G_IO_IN);
#endif
  g_source_attach (&clock->source->source, clock->context);
  return clock;
}

void
lab_clock_free (LabClock *clock)
{
  g_source_destroy (&clock->source->source);
  g_source_unref (&clock->source->source);
#ifdef __linux__
  if (clock->timer_fd >= 0)
    close (clock->timer_fd);
#endif
  g_main_context_unref (clock->context);
  g_free (clock->heap);
  g_free (clock);
}

gboolean
lab_clock_is_virtual (const LabClock *clock)
{
  return clock->is_virtual;
}

void
lab_clock_set_batch (LabClock *clock, guint events)
{
  g_return_if_fail (events > 0);

  clock->batch = events;
}

guint64
lab_clock_events (const LabClock *clock)
{
  return clock->events;
}

guint64
lab_clock_order_hash (const LabClock *clock)
{
  return clock->order_hash;
}
