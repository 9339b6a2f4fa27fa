/* How many events the clock hands out at once changes nothing: the order of every
 * event of step 4's experiment, and what becomes of its requests, are the same. */
#include "../loadgen/loadgen.h"
#include "../service/service.h"

typedef struct
{
  guint64 events, order_hash;
  guint64 ok[2], shed[2], timeout[2];
} Outcome;

/* Step 4: no limits and a line of at most 41, side by side at twice the capacity. */
static Outcome
run_step_4 (guint batch, LabArrivalsKind arrivals, LabTime tick_ns)
{
  g_autoptr (LabClock) clock = lab_clock_new_virtual (tick_ns);
  g_autoptr (GPtrArray) loads = g_ptr_array_new_with_free_func ((GDestroyNotify) lab_open_loop_free);
  LabService *services[2];
  Outcome outcome = { 0 };

  lab_clock_set_batch (clock, batch);
  for (guint i = 0; i < 2; i++)
    {
      services[i]
          = lab_service_new (clock, &(LabServiceOptions) { .limits = { .slots = 4, .max_waiting = { i == 1, 41 } },
                                                           .service_time_ns = 50 * LAB_MS });
      g_ptr_array_add (loads, lab_open_loop_new (clock, lab_service_target (services[i]),
                                                 &(LabOpenLoopOptions) { .arrivals = arrivals,
                                                                         .rate_rps = 165.4,
                                                                         .duration_ns = 5 * LAB_S,
                                                                         .client_timeout_ns = LAB_S,
                                                                         .seed = 7 }));
      lab_open_loop_start (g_ptr_array_index (loads, i));
    }
  g_assert_true (lab_clock_run_until (clock, lab_open_loops_are_over, loads));

  outcome.events = lab_clock_events (clock);
  outcome.order_hash = lab_clock_order_hash (clock);
  for (guint i = 0; i < 2; i++)
    {
      const LabSummary *summary = lab_open_loop_summary (g_ptr_array_index (loads, i));

      outcome.ok[i] = lab_summary_count (summary, LAB_OK);
      outcome.shed[i] = lab_summary_count (summary, LAB_SHED);
      outcome.timeout[i] = lab_summary_count (summary, LAB_TIMEOUT);
    }
  g_ptr_array_set_size (loads, 0);
  for (guint i = 0; i < 2; i++)
    lab_service_free (services[i]);
  return outcome;
}

static void
assert_same (const Outcome *a, const Outcome *b)
{
  g_assert_cmpuint (a->events, ==, b->events);
  g_assert_cmphex (a->order_hash, ==, b->order_hash);
  g_assert_cmpmem (a->ok, sizeof a->ok, b->ok, sizeof b->ok);
  g_assert_cmpmem (a->shed, sizeof a->shed, b->shed, sizeof b->shed);
  g_assert_cmpmem (a->timeout, sizeof a->timeout, b->timeout, sizeof b->timeout);
}

static void
test_batches (void)
{
  static const LabTime ticks_ns[] = { 0, 16075 * LAB_US };

  for (guint tick = 0; tick < G_N_ELEMENTS (ticks_ns); tick++)
    for (int arrivals = LAB_ARRIVALS_CONSTANT; arrivals <= LAB_ARRIVALS_POISSON; arrivals++)
      {
        Outcome one = run_step_4 (1, arrivals, ticks_ns[tick]);
        Outcome some = run_step_4 (64, arrivals, ticks_ns[tick]);
        Outcome many = run_step_4 (1024, arrivals, ticks_ns[tick]);

        assert_same (&one, &some);
        assert_same (&one, &many);
        g_assert_cmpuint (one.events, >, 2000);
        g_assert_cmpuint (one.ok[1], >, one.ok[0]);
      }
}

/* The hash is one of the order: other arrivals, other ticks, another hash. */
static void
test_hash_tells_runs_apart (void)
{
  Outcome constant = run_step_4 (1024, LAB_ARRIVALS_CONSTANT, 0);
  Outcome poisson = run_step_4 (1024, LAB_ARRIVALS_POISSON, 0);
  Outcome ticking = run_step_4 (1024, LAB_ARRIVALS_CONSTANT, 16075 * LAB_US);

  g_assert_cmphex (constant.order_hash, !=, poisson.order_hash);
  g_assert_cmphex (constant.order_hash, !=, ticking.order_hash);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batches/same-order", test_batches);
  g_test_add_func ("/batches/hash-tells-runs-apart", test_hash_tells_runs_apart);
  return g_test_run ();
}
