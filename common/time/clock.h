/* A clock with timers, in two kinds that a program cannot tell apart.
 *
 * The virtual clock is a deterministic discrete-event simulation: its time jumps
 * from timer to timer, so ten seconds pass in a millisecond and every run gives
 * the same bytes. The real clock is this machine's monotonic time. The very same
 * program runs on either.
 *
 *   struct Egg { LabTimer timer; const char *who; };
 *
 *   static void
 *   done (LabTimer *timer)
 *   {
 *     struct Egg *egg = LAB_OWNER_OF (timer, struct Egg, timer);
 *     g_print ("%s's egg is done\n", egg->who);
 *   }
 *
 *   g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
 *   struct Egg egg = { .who = "Ada" };
 *   lab_timer_init (&egg.timer, clock, done);
 *   lab_timer_arm (&egg.timer, lab_clock_now (clock) + 4 * 60 * LAB_S);
 *   lab_clock_run_until (clock, NULL, NULL);      // until no timer is armed
 *
 * Two timers due at one instant fire in the order in which they were armed. One
 * GSource on the thread's main context owns all timers of a clock, so other
 * sources (sockets, signals) live beside it. Arming seldom allocates: the queue of
 * timers (timer_queue.h) has a few parts, and each grows only when it must hold more at
 * once than ever before.
 *
 * A clock and all that uses it belong to one thread. An event must not run a main
 * loop of its own (a synchronous call over D-Bus, a modal dialog): no timer would
 * fire meanwhile, because GLib enters a source only once. Nor may it free the clock.
 */
#pragma once

#include "duration.h"

G_BEGIN_DECLS

typedef struct _LabClock LabClock;
typedef struct _LabTimer LabTimer;
typedef void (*LabTimerFunc) (LabTimer *timer);
typedef gboolean (*LabCondition) (gpointer data);

/* Embed one in whatever it is to wake; lab_timer_init() before anything else. */
struct _LabTimer
{
  /*< private >*/
  LabClock *clock;
  LabTimerFunc fire;
  LabTime due_ns;
  guint place; /* in the clock's queue of timers; 0: not armed */
};

/* The struct that holds @member, given a pointer to the member. */
#define LAB_OWNER_OF(pointer, Type, member) ((Type *) (gpointer) ((char *) (pointer) -G_STRUCT_OFFSET (Type, member)))

/* A virtual clock at time 0. @tick_ns: 0, or timers fire on multiples of it
 * only, at the first one at or after their due time, as on a system whose timer
 * interrupts that often; all that is due at a tick fires in the order of the
 * exact due times, with the clock at the tick.
 *
 * Both kinds attach themselves to the thread-default main context.
 * Returns: (transfer full) */
LabClock *lab_clock_new_virtual (LabTime tick_ns);

/* This machine's monotonic clock, at time 0. Setting the wall clock does not
 * move it. */
LabClock *lab_clock_new_real (void);

/* Timers that are still armed do not fire and are not touched: the structs that hold
 * them may be gone by now. */
void lab_clock_free (LabClock *clock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabClock, lab_clock_free)

gboolean lab_clock_is_virtual (const LabClock *clock);

/* Nanoseconds since the clock was made. */
LabTime lab_clock_now (const LabClock *clock);

/* Lets the clock run until @condition holds; it is looked at before the first
 * and after every event. Without a @condition: until no timer is armed. Must not
 * be called from inside an event.
 *
 * Returns TRUE once the condition holds (or, without one, no timer is armed);
 * FALSE when lab_clock_stop() was called, or when a virtual clock has no timer
 * left and the condition can never come to hold. */
gboolean lab_clock_run_until (LabClock *clock, LabCondition condition, gpointer data);

/* Makes this and every later lab_clock_run_until() return FALSE at once: the way
 * out for a signal handler's source. */
void lab_clock_stop (LabClock *clock);

/* How many events the clock hands out before it lets the main loop look at other
 * sources: 1024 on the virtual clock, 16 on the real one. The results of a
 * virtual run do not depend on it. */
void lab_clock_set_batch (LabClock *clock, guint events);

/* Events fired so far, and a hash over their order (due time and order of
 * arming): equal hashes, equal runs. */
guint64 lab_clock_events (const LabClock *clock);
guint64 lab_clock_order_hash (const LabClock *clock);

void lab_timer_init (LabTimer *timer, LabClock *clock, LabTimerFunc fire);

/* Arms the timer for @due_ns, or moves it there; a due time in the past fires as
 * soon as the running event is over. The timer is disarmed before it fires.
 * (@due_ns: up to LAB_NEVER - LAB_DURATION_MAX.) */
void lab_timer_arm (LabTimer *timer, LabTime due_ns);

/* Does nothing when the timer is not armed. */
void lab_timer_disarm (LabTimer *timer);

static inline gboolean
lab_timer_is_armed (const LabTimer *timer)
{
  return timer->place != 0;
}

G_END_DECLS
