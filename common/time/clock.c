#include "clock.h"

#include <time.h>
#ifdef __linux__
#include <sys/timerfd.h>
#include <unistd.h>
#endif

#include "timer_queue.h"

/* One GSource serves all timers of a clock. With a GLib timeout for each,
 * every turn of the main loop would look at all of them. */

#define VIRTUAL_BATCH 1024 /* events per dispatch: the main loop's own cost all but disappears */
#define REAL_BATCH 16      /* few, so that sockets are looked at in a flood of arrivals, too */

typedef struct
{
  GSource source;
  LabClock *clock;
} ClockSource;

struct _LabClock
{
  GMainContext *context;
  ClockSource *source;

  LabTimerQueue timers;
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
  g_return_if_fail (due_ns <= LAB_NEVER - LAB_DURATION_MAX);

  lab_timer_disarm (timer);
  timer->due_ns = due_ns;
  lab_timer_queue_add (&timer->clock->timers, timer, due_ns, ++timer->clock->sequence);
}

void
lab_timer_disarm (LabTimer *timer)
{
  if (lab_timer_is_armed (timer))
    lab_timer_queue_remove (&timer->clock->timers, timer);
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
  return clock->condition != NULL ? clock->condition (clock->condition_data) : clock->timers.length == 0;
}

static void
fire (LabClock *clock, const LabTimerEntry *entry)
{
  LabTimer *timer = entry->timer;

  clock->events++;
  /* One round of FNV-1a over each half of the key. */
  clock->order_hash = (clock->order_hash ^ (guint64) entry->due_ns) * G_GUINT64_CONSTANT (0x100000001b3);
  clock->order_hash = (clock->order_hash ^ entry->sequence) * G_GUINT64_CONSTANT (0x100000001b3);
  lab_timer_queue_remove (&clock->timers, timer);
  clock->in_event = TRUE;
  timer->fire (timer);
  clock->in_event = FALSE;
}

static gboolean
dispatch (GSource *source, GSourceFunc callback G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  LabClock *clock = ((ClockSource *) source)->clock;
  LabTime now = lab_clock_now (clock);

  for (guint i = 0; i < clock->batch && clock->timers.length > 0; i++)
    {
      const LabTimerEntry *first = lab_timer_queue_first (&clock->timers);
      LabTime due_ns = tick_at_or_after (clock, first->due_ns);

      if (clock->is_virtual)
        clock->now_ns = MAX (clock->now_ns, due_ns);
      else if (due_ns > now)
        break;
      fire (clock, first);
      if (clock->running && (clock->stopped || (clock->reached = condition_holds (clock))))
        break;
    }
  return G_SOURCE_CONTINUE;
}

/* When the first timer is due; LAB_NEVER: there is none. */
static LabTime
first_due (const LabClock *clock)
{
  const LabTimerEntry *first = lab_timer_queue_first (&clock->timers);

  return first != NULL ? first->due_ns : LAB_NEVER;
}

#ifdef __linux__
/* Sets the alarm to the first timer. That also clears one that has gone off and
 * has not been read. */
static void
set_alarm (LabClock *clock)
{
  LabTime due_ns = first_due (clock);
  LabTime at_ns = due_ns == LAB_NEVER ? 0 : MAX (due_ns + clock->start_ns, 1);
  struct itimerspec alarm = { .it_value = { .tv_sec = at_ns / LAB_S, .tv_nsec = at_ns % LAB_S } };

  if (due_ns == clock->alarm_ns)
    return;
  clock->alarm_ns = due_ns;
  timerfd_settime (clock->timer_fd, TFD_TIMER_ABSTIME, &alarm, NULL);
}
#endif

/* How long the main loop may sleep, as it counts: in whole milliseconds, rounded up. */
static int
sleep_ms (const LabClock *clock)
{
  LabTime due_ns = first_due (clock);

  if (due_ns == LAB_NEVER)
    return -1;
  return (int) CLAMP ((due_ns - lab_clock_now (clock) + LAB_MS - 1) / LAB_MS, 0, G_MAXINT);
}

static gboolean
is_ready (LabClock *clock)
{
  if (clock->timers.length == 0)
    return FALSE;
  if (clock->is_virtual) /* nobody but lab_clock_run_until() moves a virtual clock */
    return clock->running && !clock->in_event;
  return first_due (clock) <= lab_clock_now (clock);
}

static gboolean
prepare (GSource *source, int *timeout_ms)
{
  LabClock *clock = ((ClockSource *) source)->clock;

  *timeout_ms = -1;
  if (is_ready (clock))
    return TRUE;
  if (clock->is_virtual)
    return FALSE;
#ifdef __linux__
  if (clock->timer_fd >= 0)
    {
      set_alarm (clock);
      return FALSE;
    }
#endif
  *timeout_ms = sleep_ms (clock);
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
  while (!clock->reached && !clock->stopped && !(clock->is_virtual && clock->timers.length == 0))
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
  /* The main loop sleeps in whole milliseconds; a timerfd does not. */
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
  lab_timer_queue_clear (&clock->timers);
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
