#include "../theory/formulas.h"
#include "../theory/queue.h"

#include <math.h>

static void
assert_near (double value, double expected, double tolerance)
{
  if (fabs (value - expected) > tolerance)
    g_error ("%.9f is not %.9f", value, expected);
}

/* From the tables of any textbook on telephone traffic. */
static void
test_erlang (void)
{
  assert_near (lab_theory_erlang_b (1, 1), 0.5, 1e-12);
  assert_near (lab_theory_erlang_b (4, 4), 32.0 / 103, 1e-12);
  assert_near (lab_theory_erlang_b (10, 4.461), 0.01, 1e-5);
  assert_near (lab_theory_erlang_c (1, 0.8), 0.8, 1e-12);
  assert_near (lab_theory_erlang_c (4, 3.2), 8192.0 / 13735, 1e-12); /* by hand */
  assert_near (lab_theory_mean_wait_s (1, 16, 0.05), 0.2, 1e-12);    /* M/M/1: rho s / (1 - rho) */
  assert_near (lab_theory_fixed_work_wait_s (16, 0.05), 0.1, 1e-12); /* half of it */
}

static void
test_room (void)
{
  for (guint slots = 1; slots <= 8; slots++)
    assert_near (lab_theory_full_share (slots, slots, 3), lab_theory_erlang_b (slots, 3), 1e-12);
  for (guint room = 1; room <= 8; room++) /* M/M/1/room at load 1: every state alike */
    assert_near (lab_theory_full_share (1, room, 1), 1.0 / (room + 1), 1e-12);
}

/* Very short patience is M/M/4/4, very long patience M/M/4. */
static void
test_impatience (void)
{
  double share, wait_s;

  lab_theory_impatience (4, 64, 0.05, 1e-9, &share, &wait_s);
  assert_near (share, lab_theory_erlang_b (4, 3.2), 1e-7);
  assert_near (wait_s, 0, 1e-8);
  lab_theory_impatience (4, 64, 0.05, 100, &share, &wait_s);
  assert_near (share, 0, 1e-12);
  assert_near (wait_s, lab_theory_mean_wait_s (4, 64, 0.05), 1e-9);
}

/* Every work that is begun is served: works under way = arrivals served x service time. */
static void
test_impatience_balances (void)
{
  double share, wait_s, idle = 0, weight = 1, busy = 0, normal;
  double at_limit = exp ((96 - 80) * 0.1);

  lab_theory_impatience (4, 96, 0.05, 0.1, &share, &wait_s);
  for (guint k = 0; k < 4; k++)
    {
      idle += weight;
      busy += k * weight;
      weight *= 96 * 0.05 / (k + 1);
    }
  weight /= 96 * 0.05 / 4; /* p(3) again */
  normal = idle + 96 * weight * ((at_limit - 1) / 16 + at_limit / 80);
  busy = (busy + 4 * (normal - idle)) / normal;
  assert_near (busy, 96 * (1 - share) * 0.05, 1e-9);
}

static double
turned_away (guint slots, gint64 max_waiting)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  const LabQueue queue = { .limits = { .slots = slots, .max_waiting = LAB_AT_MOST (max_waiting) },
                           .work = LAB_WORK_EXPONENTIAL,
                           .service_time_ns = 50 * LAB_MS,
                           .arrivals_rps = 80 };
  LabQueueReading reading = lab_queue_simulate (clock, &queue, 200000, 7);

  g_assert_cmpint (reading.inside_over_time_ns, ==, reading.time_over_requests_ns);
  g_assert_cmpuint (reading.requests, ==, 200000);
  return reading.turned_away;
}

/* The comparison can fail: one place in line, or one slot, more or less is seen. */
static void
test_one_more_is_seen (void)
{
  double theory = lab_theory_full_share (4, 8, 4);

  assert_near (turned_away (4, 4), theory, 0.003);
  g_assert_cmpfloat (turned_away (4, 5), <, theory - 0.009);
  g_assert_cmpfloat (turned_away (4, 3), >, theory + 0.009);
  g_assert_cmpfloat (turned_away (5, 4), <, theory - 0.009);
  g_assert_cmpfloat (turned_away (3, 4), >, theory + 0.009);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/theory/erlang", test_erlang);
  g_test_add_func ("/theory/room", test_room);
  g_test_add_func ("/theory/impatience", test_impatience);
  g_test_add_func ("/theory/impatience-balances", test_impatience_balances);
  g_test_add_func ("/theory/one-more-is-seen", test_one_more_is_seen);
  return g_test_run ();
}
