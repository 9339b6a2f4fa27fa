/* Admission control: slots, a bounded first-in first-out line, a wait limit.
 *
 * Whoever asks is told to run, to stand in line for a while, or to go away. That
 * is all: the controller does no work itself and knows nothing of HTTP; it
 * can be put into any program on the GLib main loop. It needs admission.[ch] and,
 * of common/time, clock.[ch], timer_queue.[ch] and duration.h. A request embeds its
 * ticket, so admitting, waiting and shedding allocate nothing:
 *
 *   typedef struct { LabTicket ticket; int socket; } Request;
 *
 *   static void
 *   answered (LabTicket *ticket, LabAnswer answer)
 *   {
 *     Request *request = LAB_OWNER_OF (ticket, Request, ticket);
 *
 *     if (answer == LAB_RUN)
 *       start_work (request);
 *     else
 *       reply_503 (request, lab_answer_reason (answer));
 *   }
 *
 *   static void
 *   request_arrives (LabAdmission *admission, Request *request)
 *   {
 *     LabAnswer answer;
 *
 *     lab_ticket_init (&request->ticket, answered);
 *     answer = lab_admission_ask (admission, &request->ticket);
 *     if (answer != LAB_WAIT)                   // otherwise answered() is called later
 *       answered (&request->ticket, answer);
 *   }
 *
 *   static void
 *   request_ends (LabAdmission *admission, Request *request)   // on every way out
 *   {
 *     lab_admission_leave (admission, &request->ticket);
 *   }
 *
 * (common/tests/test_admission_alone.sh builds and runs these lines.) */
#pragma once

#include "../time/clock.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_RUN,                 /* the ticket holds a slot: start the work */
  LAB_WAIT,                /* the ticket stands in line: its callback will be called, once */
  LAB_SHED_LINE_FULL,      /* turned away: no slot is free for it, and the line is full */
  LAB_SHED_WAITED_TOO_LONG /* turned away: it has stood in line for max_wait */
} LabAnswer;

/* "line_full" or "waited_too_long", as counters, bodies and logs call it; NULL
 * for an answer that turns nobody away. Returns: (transfer none) */
const char *lab_answer_reason (LabAnswer answer);

/* A limit that may be absent. The zero value is "no limit", which is not the
 * same as a limit of 0:
 *
 *   LabLimits limits = { .max_waiting = LAB_AT_MOST (41) };   // max_wait: none
 */
typedef struct
{
  gboolean is_set;
  gint64 value;
} LabLimit;

#define LAB_AT_MOST(n) ((LabLimit) { .is_set = TRUE, .value = (n) })
#define LAB_NO_LIMIT ((LabLimit) { .is_set = FALSE, .value = 0 })

typedef struct
{
  guint slots;          /* requests worked on at once; at least 1 */
  LabLimit max_waiting; /* requests in line; 0: no line at all */
  LabLimit max_wait;    /* nanoseconds in line, up to LAB_DURATION_MAX; 0: never wait */
  guint retry_after_s;  /* what a turned-away client is asked to stay away, for
                           whoever writes the answer; the controller only keeps it */
} LabLimits;

typedef struct
{
  guint64 admitted; /* got a slot, at once or from the line */
  guint64 shed_line_full;
  guint64 shed_waited_too_long;
  guint64 cancelled;  /* left the line by themselves */
  guint waiting;      /* in line now */
  guint peak_waiting; /* the longest line so far */
  guint running;      /* slots held now */
} LabAdmissionCounters;

typedef struct _LabAdmission LabAdmission;
typedef struct _LabTicket LabTicket;

/* Called once for a ticket that waits, with LAB_RUN or LAB_SHED_WAITED_TOO_LONG.
 * It may ask, leave, change the limits, and free the memory of the ticket; it must
 * not free the controller. (A callback that leaves at once and asks again keeps the
 * controller busy for as long as it does so: let the work take an event of its own.) */
typedef void (*LabAnswered) (LabTicket *ticket, LabAnswer answer);

/* Embed one in the request; lab_ticket_init() before the first use. It may be
 * used again once it has left or was turned away. */
struct _LabTicket
{
  /*< private >*/
  GList link; /* in the line */
  LabAnswered answered;
  LabTime joined_ns;
  enum
  {
    LAB_TICKET_OUT,
    LAB_TICKET_IN_LINE,
    LAB_TICKET_IN_SLOT
  } place;
};

/* @clock must outlive the controller, which belongs to the clock's thread like all
 * that uses that clock. Limits are not negative. Returns: (transfer full) */
LabAdmission *lab_admission_new (LabClock *clock, const LabLimits *limits);

/* Nobody may hold a slot or stand in line any more. */
void lab_admission_free (LabAdmission *admission);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabAdmission, lab_admission_free)

void lab_ticket_init (LabTicket *ticket, LabAnswered answered);

/* Asks for a slot. Anything but LAB_WAIT is final; only LAB_RUN holds a slot. */
LabAnswer lab_admission_ask (LabAdmission *admission, LabTicket *ticket);

/* Gives back what the ticket holds: its slot (the work is over, well or badly)
 * or its place in line (it gives up; counted as cancelled). A ticket that holds
 * nothing any more is left alone, so that every way out may simply call this.
 *
 * A slot goes to the first in line whose wait limit is not yet due; those whose limit
 * is due are turned away on the way. Their callbacks are called before this returns,
 * or, when this was itself called from inside a callback, right after that one. */
void lab_admission_leave (LabAdmission *admission, LabTicket *ticket);

/* Changes the limits of a running controller. More slots are handed out as by
 * lab_admission_leave(); fewer are reached as works end; a line longer than the new
 * max_waiting is not cut; a new max_wait holds for those in line, too.
 *
 * To shut down in order, set both max_waiting and max_wait to LAB_AT_MOST (0): all who
 * stand in line are turned away at once, and no work that ends starts another. */
void lab_admission_set_limits (LabAdmission *admission, const LabLimits *limits);

/* Both: (transfer none), valid as long as the controller. */
const LabLimits *lab_admission_limits (const LabAdmission *admission);
const LabAdmissionCounters *lab_admission_counters (const LabAdmission *admission);

/* How long the first in line has waited; 0 when nobody does. */
LabTime lab_admission_head_wait (const LabAdmission *admission);

G_END_DECLS
