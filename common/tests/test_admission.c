/* The admission controller, case by case, on a clock that needs no waiting. */
#include "../admission/admission.h"

#define N_REQUESTS 8

/* A controller and some requests; what the line answers is logged as "a:run". */
typedef struct _Room Room;
typedef struct _Request Request;

struct _Request
{
  LabTicket ticket;
  Room *room;
  char name;
  Request *asks;   /* when answered, this one asks at once */
  gboolean leaves; /* when given a slot, it leaves at once */
};

struct _Room
{
  LabClock *clock;
  LabAdmission *admission;
  GString *log;
  Request requests[N_REQUESTS];
};

static const char *
word (LabAnswer answer)
{
  return answer == LAB_RUN ? "run" : answer == LAB_WAIT ? "wait" : lab_answer_reason (answer);
}

static void
note (Room *room, const Request *request, LabAnswer answer)
{
  g_string_append_printf (room->log, "%s%c:%s", room->log->len > 0 ? " " : "", request->name, word (answer));
}

static void
ask (Room *room, int i)
{
  note (room, &room->requests[i], lab_admission_ask (room->admission, &room->requests[i].ticket));
}

static void
leave (Room *room, int i)
{
  lab_admission_leave (room->admission, &room->requests[i].ticket);
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  Request *request = LAB_OWNER_OF (ticket, Request, ticket);
  Room *room = request->room;

  note (room, request, answer);
  if (request->asks != NULL)
    ask (room, (int) (request->asks - room->requests));
  if (request->leaves && answer == LAB_RUN)
    lab_admission_leave (room->admission, ticket);
}

static Room *
room_new (const LabLimits *limits)
{
  Room *room = g_new0 (Room, 1);

  room->clock = lab_clock_new_virtual (0);
  room->admission = lab_admission_new (room->clock, limits);
  room->log = g_string_new (NULL);
  for (int i = 0; i < N_REQUESTS; i++)
    {
      lab_ticket_init (&room->requests[i].ticket, answered);
      room->requests[i].room = room;
      room->requests[i].name = (char) ('a' + i);
    }
  return room;
}

static void
room_free (Room *room)
{
  for (int i = 0; i < N_REQUESTS; i++)
    room->requests[i].asks = NULL;
  for (int round = 0; round < 2; round++) /* leaving may give a slot to one who left before */
    for (int i = 0; i < N_REQUESTS; i++)
      leave (room, i);
  lab_admission_free (room->admission);
  lab_clock_free (room->clock);
  g_string_free (room->log, TRUE);
  g_free (room);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Room, room_free)

static gboolean
time_has_come (gpointer data)
{
  const LabTimer *timer = data;

  return !lab_timer_is_armed (timer);
}

static void
pass_time (Room *room, LabTime span_ns)
{
  LabTimer timer;

  lab_timer_init (&timer, room->clock, lab_timer_disarm);
  lab_timer_arm (&timer, lab_clock_now (room->clock) + span_ns);
  g_assert_true (lab_clock_run_until (room->clock, time_has_come, &timer));
}

static const LabAdmissionCounters *
counters (Room *room)
{
  return lab_admission_counters (room->admission);
}

static void
a_free_slot_is_given_at_once (void)
{
  g_autoptr (Room) room
      = room_new (&(LabLimits) { .slots = 2, .max_waiting = LAB_AT_MOST (0), .max_wait = LAB_AT_MOST (0) });

  ask (room, 0);
  ask (room, 1);
  ask (room, 2);
  leave (room, 0);
  ask (room, 2);
  g_assert_cmpstr (room->log->str, ==, "a:run b:run c:line_full c:run");
  g_assert_cmpuint (counters (room)->admitted, ==, 3);
  g_assert_cmpuint (counters (room)->shed_line_full, ==, 1);
  g_assert_cmpuint (counters (room)->peak_waiting, ==, 0);
}

static void
unset_and_0_are_different_limits (void)
{
  static const struct
  {
    LabLimit max_waiting, max_wait;
    const char *log;
  } rows[] = {
    { LAB_NO_LIMIT, LAB_NO_LIMIT, "a:run b:wait c:wait" },
    { LAB_AT_MOST (0), LAB_NO_LIMIT, "a:run b:line_full c:line_full" },
    { LAB_AT_MOST (1), LAB_NO_LIMIT, "a:run b:wait c:line_full" },
    { LAB_NO_LIMIT, LAB_AT_MOST (0), "a:run b:waited_too_long c:waited_too_long" },
    { LAB_AT_MOST (0), LAB_AT_MOST (0), "a:run b:line_full c:line_full" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (Room) room
          = room_new (&(LabLimits) { .slots = 1, .max_waiting = rows[i].max_waiting, .max_wait = rows[i].max_wait });

      ask (room, 0);
      ask (room, 1);
      ask (room, 2);
      g_assert_cmpstr (room->log->str, ==, rows[i].log);
    }
}

static void
the_line_is_first_in_first_out (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (int i = 0; i < 4; i++)
    ask (room, i);
  leave (room, 2); /* in the middle of the line */
  leave (room, 0);
  leave (room, 1);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait c:wait d:wait b:run d:run");
  g_assert_cmpuint (counters (room)->cancelled, ==, 1);
  g_assert_cmpuint (counters (room)->peak_waiting, ==, 3);
}

static void
the_wait_limit_is_exact (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (100) });

  ask (room, 0);
  ask (room, 1);
  pass_time (room, 99);
  g_assert_cmpuint (counters (room)->waiting, ==, 1);
  pass_time (room, 1);
  g_assert_cmpuint (counters (room)->waiting, ==, 0);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait b:waited_too_long");
}

/* Calls leave() for a request at an exact time. */
typedef struct
{
  LabTimer timer;
  Room *room;
  int who;
} Departure;

static void
depart (LabTimer *timer)
{
  Departure *departure = LAB_OWNER_OF (timer, Departure, timer);

  leave (departure->room, departure->who);
}

static void
a_grant_never_comes_at_or_after_the_limit (void)
{
  static const struct
  {
    LabTime slot_free_at;
    const char *log;
  } rows[] = {
    { 99, "a:run b:wait b:run" },
    { 100, "a:run b:wait b:waited_too_long" },
    { 101, "a:run b:wait b:waited_too_long" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (100) });
      Departure departure = { .room = room, .who = 0 };

      lab_timer_init (&departure.timer, room->clock, depart);
      lab_timer_arm (&departure.timer, rows[i].slot_free_at); /* armed first: it goes first in a tie */
      ask (room, 0);
      ask (room, 1);
      g_assert_true (lab_clock_run_until (room->clock, NULL, NULL));
      g_assert_cmpstr (room->log->str, ==, rows[i].log);
      g_assert_cmpuint (counters (room)->waiting, ==, 0);
    }
}

/* Under a timer tick a limit can be due before its timer has fired: what counts is
 * the limit, not who comes first. */
static void
a_freed_slot_passes_over_those_whose_limit_is_due (void)
{
  g_autoptr (LabClock) ticking = lab_clock_new_virtual (1000);
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });
  Departure departure = { .room = room, .who = 0 };

  lab_admission_free (room->admission);
  room->admission = lab_admission_new (ticking, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (500) });
  lab_timer_init (&departure.timer, ticking, depart);
  lab_timer_arm (&departure.timer, 400);
  ask (room, 0);
  ask (room, 1);
  g_assert_true (lab_clock_run_until (ticking, NULL, NULL));
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait b:waited_too_long");
  g_assert_cmpuint (counters (room)->running, ==, 0);
  lab_admission_free (room->admission);
  room->admission = lab_admission_new (room->clock, &(LabLimits) { .slots = 1 });
}

static void
callbacks_may_ask_and_leave (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (int i = 0; i < 5; i++)
    ask (room, i);
  g_string_truncate (room->log, 0);
  room->requests[1].leaves = TRUE; /* b leaves inside its grant: c is next, but not inside b's callback */
  room->requests[1].asks = &room->requests[5];
  room->requests[2].leaves = TRUE;
  leave (room, 0);
  g_assert_cmpstr (room->log->str, ==, "b:run f:wait c:run d:run");
  g_assert_cmpuint (counters (room)->running, ==, 1);
  g_assert_cmpuint (counters (room)->waiting, ==, 2);
}

/* Two slots become free at once, and the first to get one asks for another: it is
 * at the end of the line, though a slot is free at that moment. */
static void
nobody_overtakes_the_line_from_inside_a_callback (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (int i = 0; i < 3; i++)
    ask (room, i);
  room->requests[1].asks = &room->requests[3];
  g_string_truncate (room->log, 0);
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 3 });
  g_assert_cmpstr (room->log->str, ==, "b:run d:wait c:run");
  g_assert_cmpuint (counters (room)->running, ==, 3);
  leave (room, 0);
  g_assert_cmpstr (room->log->str, ==, "b:run d:wait c:run d:run");
}

typedef struct
{
  LabTicket ticket;
  LabAdmission *admission;
  guint *depth, *deepest;
} Leaver;

static void
leave_at_once (LabTicket *ticket, LabAnswer answer G_GNUC_UNUSED)
{
  Leaver *leaver = LAB_OWNER_OF (ticket, Leaver, ticket);

  ++*leaver->depth;
  *leaver->deepest = MAX (*leaver->deepest, *leaver->depth);
  lab_admission_leave (leaver->admission, ticket);
  --*leaver->depth;
}

/* Or a long line of them would need as much stack. */
static void
callbacks_do_not_pile_up (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (LabAdmission) admission = lab_admission_new (clock, &(LabLimits) { .slots = 1 });
  guint depth = 0, deepest = 0;
  Leaver leavers[100];

  for (guint i = 0; i < G_N_ELEMENTS (leavers); i++)
    {
      leavers[i] = (Leaver) { .admission = admission, .depth = &depth, .deepest = &deepest };
      lab_ticket_init (&leavers[i].ticket, leave_at_once);
      lab_admission_ask (admission, &leavers[i].ticket);
    }
  lab_admission_leave (admission, &leavers[0].ticket);
  g_assert_cmpuint (lab_admission_counters (admission)->admitted, ==, G_N_ELEMENTS (leavers));
  g_assert_cmpuint (deepest, ==, 1);
}

static void
a_ticket_may_be_used_again_in_its_callback (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (10) });

  ask (room, 0);
  ask (room, 1);
  room->requests[1].asks = &room->requests[1];
  pass_time (room, 10);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait b:waited_too_long b:wait");
  room->requests[1].asks = NULL;
  leave (room, 1);
  g_assert_cmpuint (counters (room)->waiting, ==, 0);
}

static void
each_in_line_has_a_limit_of_its_own (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (100) });

  ask (room, 0);
  ask (room, 1);
  pass_time (room, 60);
  ask (room, 2); /* which is no reason for b to wait longer */
  pass_time (room, 39);
  g_assert_cmpuint (counters (room)->waiting, ==, 2);
  pass_time (room, 1);
  g_assert_cmpuint (counters (room)->waiting, ==, 1);
  pass_time (room, 59);
  g_assert_cmpuint (counters (room)->waiting, ==, 1);
  pass_time (room, 1);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait c:wait b:waited_too_long c:waited_too_long");
}

static void
leaving_twice_is_leaving_once (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  ask (room, 0);
  ask (room, 1);
  leave (room, 1);
  leave (room, 1);
  leave (room, 0);
  leave (room, 0);
  g_assert_cmpuint (counters (room)->running, ==, 0);
  g_assert_cmpuint (counters (room)->waiting, ==, 0);
  g_assert_cmpuint (counters (room)->cancelled, ==, 1);
  ask (room, 2);
  ask (room, 3);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait c:run d:wait");
}

static void
limits_may_change_while_it_runs (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (int i = 0; i < 5; i++)
    ask (room, i);
  g_string_truncate (room->log, 0);
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 3 });
  g_assert_cmpstr (room->log->str, ==, "b:run c:run");
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (1) });
  g_assert_cmpuint (counters (room)->running, ==, 3);
  g_assert_cmpuint (counters (room)->waiting, ==, 2); /* not cut */
  leave (room, 0);
  leave (room, 1);
  g_assert_cmpstr (room->log->str, ==, "b:run c:run"); /* one slot, still held */
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (10) });
  g_assert_true (lab_clock_run_until (room->clock, NULL, NULL));
  g_assert_cmpstr (room->log->str, ==, "b:run c:run d:waited_too_long e:waited_too_long");
  g_assert_cmpint (lab_clock_now (room->clock), ==, 10);
}

static void
a_new_wait_limit_holds_for_those_in_line (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (100) });

  ask (room, 0);
  ask (room, 1);
  pass_time (room, 20);
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (30) });
  pass_time (room, 9);
  g_assert_cmpuint (counters (room)->waiting, ==, 1);
  pass_time (room, 1);
  g_assert_cmpuint (counters (room)->waiting, ==, 0);
  ask (room, 2);
  pass_time (room, 20);
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (20) });
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait b:waited_too_long c:wait c:waited_too_long");
}

static void
the_head_of_the_line_has_waited_longest (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  ask (room, 0);
  g_assert_cmpint (lab_admission_head_wait (room->admission), ==, 0);
  ask (room, 1);
  pass_time (room, 30);
  ask (room, 2);
  pass_time (room, 5);
  g_assert_cmpint (lab_admission_head_wait (room->admission), ==, 35);
  leave (room, 1);
  g_assert_cmpint (lab_admission_head_wait (room->admission), ==, 5);
}

static void
who_is_turned_away_learns_why (void)
{
  g_assert_cmpstr (lab_answer_reason (LAB_SHED_LINE_FULL), ==, "line_full");
  g_assert_cmpstr (lab_answer_reason (LAB_SHED_WAITED_TOO_LONG), ==, "waited_too_long");
  g_assert_null (lab_answer_reason (LAB_RUN));
  g_assert_null (lab_answer_reason (LAB_WAIT));
}

static void
limits_without_sense_are_refused (void)
{
  static const LabLimits rows[] = {
    { .slots = 0 },
    { .slots = 1, .max_waiting = LAB_AT_MOST (-1) },
    { .slots = 1, .max_wait = LAB_AT_MOST (-1) },
    { .slots = 1, .max_wait = LAB_AT_MOST (LAB_NEVER) }, /* the sum with a time would overflow */
  };
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*make_sense*");
      g_assert_null (lab_admission_new (room->clock, &rows[i]));
      g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*make_sense*");
      lab_admission_set_limits (room->admission, &rows[i]);
      g_test_assert_expected_messages ();
    }
  lab_admission_set_limits (room->admission, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (LAB_DURATION_MAX) });
  ask (room, 0);
  ask (room, 1);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait");
}

static void
a_controller_shuts_down_in_order (void)
{
  g_autoptr (Room) room = room_new (&(LabLimits) { .slots = 1 });

  for (int i = 0; i < 3; i++)
    ask (room, i);
  lab_admission_set_limits (room->admission,
                            &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (0), .max_wait = LAB_AT_MOST (0) });
  leave (room, 0);
  g_assert_cmpstr (room->log->str, ==, "a:run b:wait c:wait b:waited_too_long c:waited_too_long");
  g_assert_cmpuint (counters (room)->running, ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/admission/a-free-slot-is-given-at-once", a_free_slot_is_given_at_once);
  g_test_add_func ("/admission/unset-and-0-are-different-limits", unset_and_0_are_different_limits);
  g_test_add_func ("/admission/the-line-is-first-in-first-out", the_line_is_first_in_first_out);
  g_test_add_func ("/admission/the-wait-limit-is-exact", the_wait_limit_is_exact);
  g_test_add_func ("/admission/a-grant-never-comes-at-or-after-the-limit", a_grant_never_comes_at_or_after_the_limit);
  g_test_add_func ("/admission/a-freed-slot-passes-over-those-whose-limit-is-due",
                   a_freed_slot_passes_over_those_whose_limit_is_due);
  g_test_add_func ("/admission/callbacks-may-ask-and-leave", callbacks_may_ask_and_leave);
  g_test_add_func ("/admission/nobody-overtakes-the-line-from-inside-a-callback",
                   nobody_overtakes_the_line_from_inside_a_callback);
  g_test_add_func ("/admission/callbacks-do-not-pile-up", callbacks_do_not_pile_up);
  g_test_add_func ("/admission/a-ticket-may-be-used-again-in-its-callback", a_ticket_may_be_used_again_in_its_callback);
  g_test_add_func ("/admission/each-in-line-has-a-limit-of-its-own", each_in_line_has_a_limit_of_its_own);
  g_test_add_func ("/admission/leaving-twice-is-leaving-once", leaving_twice_is_leaving_once);
  g_test_add_func ("/admission/limits-may-change-while-it-runs", limits_may_change_while_it_runs);
  g_test_add_func ("/admission/a-new-wait-limit-holds-for-those-in-line", a_new_wait_limit_holds_for_those_in_line);
  g_test_add_func ("/admission/the-head-of-the-line-has-waited-longest", the_head_of_the_line_has_waited_longest);
  g_test_add_func ("/admission/who-is-turned-away-learns-why", who_is_turned_away_learns_why);
  g_test_add_func ("/admission/limits-without-sense-are-refused", limits_without_sense_are_refused);
  g_test_add_func ("/admission/a-controller-shuts-down-in-order", a_controller_shuts_down_in_order);
  return g_test_run ();
}
