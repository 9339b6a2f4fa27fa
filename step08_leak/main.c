/* Step 8: the bug that leaks the line counter, beside the code that has it right. */
#include "../common/lab/lab.h"
#include "scenario.h"

#define MAX_WAIT_NS (30 * LAB_MS)
#define SHORT_WAIT_NS (10 * LAB_MS)

/* One slot, held by somebody; a line of two; and a wait limit of 30 ms. Four
 * requests in turn find the slot busy, wait and give up. Then comes one that
 * would only have to wait for 10 ms. */
static void
play (Lab *lab, Scenario *scenario)
{
  Visitor *holder = scenario_ask (scenario);

  for (int i = 0; i < 4; i++)
    {
      Visitor *visitor = scenario_ask (scenario);

      scenario_await (lab, visitor);
      scenario_note_answer (scenario, visitor);
    }
  scenario->line_after = scenario_waiting (scenario);
  scenario_leave_in (holder, SHORT_WAIT_NS);
  scenario->last = scenario_ask (scenario);
  scenario_await (lab, scenario->last);
  scenario_watch (lab, scenario, 150 * LAB_MS); /* nobody comes any more */
  scenario_print (lab, scenario);
}

static void
check (Lab *lab, const Scenario *right, const Scenario *leaky)
{
  LabTime late_ns = MAX (right->late_ns, leaky->late_ns);

  if (SHORT_WAIT_NS + late_ns >= MAX_WAIT_NS && !lab_settings (lab)->real_clock)
    {
      lab_skip (lab, "the right controller serves the request that waits 10 ms", "the tick is too coarse for it");
      return;
    }
  if (SHORT_WAIT_NS + late_ns >= MAX_WAIT_NS)
    lab_invalidate (lab, "the slot was given back %.0f ms late", (double) late_ns / LAB_MS);
  lab_check (lab, right->line_after == 0, "the right controller's line counter returns to 0", "%u", right->line_after);
  lab_check (lab, scenario_was_served (right), "the right controller serves the request that waits 10 ms", "%s",
             scenario_answer (right->last));
  lab_check (lab, leaky->line_after == 2, "the leaky controller counts two in an empty line", "%u", leaky->line_after);
  lab_check (lab, !scenario_was_served (leaky), "the leaky controller turns the same request away", "%s",
             scenario_answer (leaky->last));
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step08_leak",
                                                 .summary = "Leak the line counter, and catch the leak.",
                                                 .options = LAB_OPTIONS_CLOCK },
                                 argc, argv);
  const LabLimits limits = { .slots = 1, .max_waiting = LAB_AT_MOST (2), .max_wait = LAB_AT_MOST (MAX_WAIT_NS) };
  g_autoptr (Scenario) right = scenario_new (lab, &right_controller, &limits);
  g_autoptr (Scenario) leaky = scenario_new (lab, &leaky_controller, &limits);

  play (lab, right);
  play (lab, leaky);

  check (lab, right, leaky);
  return lab_finish (lab);
}
