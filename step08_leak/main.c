/* Step 8: the bug that leaks the line counter, beside the code that has it right. */
#include "../common/lab/lab.h"
#include "scenario.h"

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
  scenario_leave_in (holder, 10 * LAB_MS);
  scenario->last = scenario_ask (scenario);
  scenario_await (lab, scenario->last);
  scenario_watch (lab, scenario, 150 * LAB_MS); /* nobody comes any more */
  scenario_print (lab, scenario);
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step08_leak",
                                                 .summary = "Leak the line counter, and catch the leak.",
                                                 .options = LAB_OPTIONS_CLOCK },
                                 argc, argv);
  const LabLimits limits = { .slots = 1, .max_waiting = LAB_AT_MOST (2), .max_wait = LAB_AT_MOST (30 * LAB_MS) };
  g_autoptr (Scenario) right = scenario_new (lab, &right_controller, &limits);
  g_autoptr (Scenario) leaky = scenario_new (lab, &leaky_controller, &limits);

  play (lab, right);
  play (lab, leaky);

  lab_check (lab, right->line_after == 0, "the right controller's line counter returns to 0", "%u", right->line_after);
  lab_check (lab, scenario_was_served (right), "the right controller serves the request that waits 10 ms", "%s",
             scenario_answer (right->last));
  lab_check (lab, leaky->line_after == 2, "the leaky controller counts two in an empty line", "%u", leaky->line_after);
  lab_check (lab, !scenario_was_served (leaky), "the leaky controller turns the same request away", "%s",
             scenario_answer (leaky->last));
  return lab_finish (lab);
}
