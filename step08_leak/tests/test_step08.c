/* Step 8's eight tests of the controller, on a clock that needs no waiting. The
 * fifth puts the fourth's check to the leaky controller, where it must fail: a
 * check that nobody has seen fail may not check anything at all. */
#include "../controller.h"
#include "../../common/service/service.h"
#include "http.h"

typedef struct
{
  const Controller *controller;
  LabClock *clock;
  LabAdmission *admission;
} Door;

typedef struct
{
  LabTicket ticket;
  LabAnswer answer; /* LAB_WAIT: none yet */
} Visitor;

static Door *
door_new (const Controller *controller, const LabLimits *limits)
{
  Door *door = g_new0 (Door, 1);

  door->controller = controller;
  door->clock = lab_clock_new_virtual (0);
  door->admission = controller->make (door->clock, limits);
  return door;
}

static void
door_free (Door *door)
{
  door->controller->free (door->admission);
  lab_clock_free (door->clock);
  g_free (door);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Door, door_free)

static guint
waiting (const Door *door)
{
  return door->controller->counters (door->admission)->waiting;
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  LAB_OWNER_OF (ticket, Visitor, ticket)->answer = answer;
}

static gboolean
has_answer (gpointer visitor)
{
  return ((Visitor *) visitor)->answer != LAB_WAIT;
}

static void
enter (Door *door, Visitor *visitor)
{
  lab_ticket_init (&visitor->ticket, answered);
  visitor->answer = door->controller->ask (door->admission, &visitor->ticket);
}

static void
leave (Door *door, Visitor *visitor)
{
  door->controller->leave (door->admission, &visitor->ticket);
}

/* Asks, waits for the answer, and leaves at once. */
static const char *
ask (Door *door)
{
  Visitor visitor;

  enter (door, &visitor);
  g_assert_true (lab_clock_run_until (door->clock, has_answer, &visitor));
  leave (door, &visitor);
  return visitor.answer == LAB_RUN ? "served" : lab_answer_reason (visitor.answer);
}

static void
idle_service_serves_everything (void)
{
  g_autoptr (Door) door = door_new (
      &right_controller, &(LabLimits) { .slots = 2, .max_waiting = LAB_AT_MOST (0), .max_wait = LAB_AT_MOST (0) });

  for (int i = 0; i < 5; i++)
    g_assert_cmpstr (ask (door), ==, "served");
}

static void
full_line_turns_requests_away_immediately (void)
{
  g_autoptr (Door) door = door_new (&right_controller, &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (0) });
  Visitor holder;

  enter (door, &holder);
  g_assert_cmpstr (ask (door), ==, "line_full");
  g_assert_cmpint (lab_clock_now (door->clock), ==, 0);
  leave (door, &holder);
}

static void
wait_limit_turns_requests_away_after_the_limit (void)
{
  g_autoptr (Door) door
      = door_new (&right_controller, &(LabLimits) { .slots = 1, .max_wait = LAB_AT_MOST (50 * LAB_MS) });
  Visitor holder;

  enter (door, &holder);
  g_assert_cmpstr (ask (door), ==, "waited_too_long");
  g_assert_cmpint (lab_clock_now (door->clock), ==, 50 * LAB_MS);
  leave (door, &holder);
}

/* The check of the next two tests. Returns what is wrong, or NULL.
 * Returns: (transfer full) */
static char *
check_that_timeouts_give_back_their_place (const Controller *controller)
{
  g_autoptr (Door) door = door_new (
      controller, &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (2), .max_wait = LAB_AT_MOST (20 * LAB_MS) });
  g_autoptr (GString) answers = g_string_new (NULL);
  Visitor holder;

  enter (door, &holder);
  for (int i = 0; i < 4; i++)
    g_string_append_printf (answers, " %s", ask (door));
  leave (door, &holder);
  if (waiting (door) == 0)
    return NULL;
  return g_strdup_printf ("line counter stuck at %u; answers were%s", waiting (door), answers->str);
}

static void
timeouts_give_back_their_place (void)
{
  g_autofree char *complaint = check_that_timeouts_give_back_their_place (&right_controller);

  g_assert_cmpstr (complaint, ==, NULL);
}

static void
the_check_above_catches_a_leaky_controller (void)
{
  g_autofree char *complaint = check_that_timeouts_give_back_their_place (&leaky_controller);

  g_assert_cmpstr (complaint, ==,
                   "line counter stuck at 2; answers were waited_too_long waited_too_long line_full line_full");
}

static void
cancelled_waiter_gives_back_its_place (void)
{
  g_autoptr (Door) door = door_new (&right_controller, &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (2) });
  Visitor holder, waiter;

  enter (door, &holder);
  enter (door, &waiter);
  g_assert_cmpuint (waiting (door), ==, 1);
  leave (door, &waiter);
  g_assert_cmpuint (waiting (door), ==, 0);
  leave (door, &holder);
  g_assert_cmpint (waiter.answer, ==, LAB_WAIT);
  g_assert_cmpstr (ask (door), ==, "served"); /* the slot was not lost either */
}

static void
note_outcome (LabCall *call G_GNUC_UNUSED, LabOutcome outcome G_GNUC_UNUSED)
{
}

/* Work fails when its caller breaks it off in the middle. */
static void
slot_is_released_when_the_work_fails (void)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (LabService) service
      = lab_service_new (clock, &(LabServiceOptions) { .limits = { .slots = 1, .max_waiting = LAB_AT_MOST (0) },
                                                       .service_time_ns = 50 * LAB_MS });
  LabTarget *target = lab_service_target (service);
  const LabAdmissionCounters *counters = lab_admission_counters (lab_service_admission (service));
  LabServiceCall failing = { .call.finished = note_outcome };
  LabServiceCall next = { .call.finished = note_outcome };

  target->start (target, &failing.call);
  g_assert_cmpuint (counters->running, ==, 1);
  target->abandon (target, &failing.call);
  g_assert_cmpuint (counters->running, ==, 0);
  target->start (target, &next.call);
  g_assert_true (lab_clock_run_until (clock, NULL, NULL));
  g_assert_cmpuint (counters->admitted, ==, 2);
  g_assert_cmpuint (lab_service_work_done (service), ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(test) g_test_add_func ("/step08/" #test, test)
  ADD (idle_service_serves_everything);
  ADD (full_line_turns_requests_away_immediately);
  ADD (wait_limit_turns_requests_away_after_the_limit);
  ADD (timeouts_give_back_their_place);
  ADD (the_check_above_catches_a_leaky_controller);
  ADD (cancelled_waiter_gives_back_its_place);
  ADD (slot_is_released_when_the_work_fails);
  ADD (http_503_carries_retry_after_and_health_stays_up);
#undef ADD
  return g_test_run ();
}
