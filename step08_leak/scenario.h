/* What the scenario of step 8 is played with: a controller, and visitors who ask
 * it for a slot. */
#pragma once

#include "../common/lab/lab.h"
#include "controller.h"

typedef struct _Scenario Scenario;
typedef struct _Visitor Visitor;

struct _Scenario
{
  const Controller *controller;
  LabAdmission *admission;
  LabResults *results;
  LabClock *clock;
  LabTime start_ns;    /* when the first visitor came */
  GPtrArray *visitors; /* owned */

  GString *answers; /* of those who gave up, joined by ";" */
  guint line_after; /* the line counter when nobody waits any more */
  Visitor *last;    /* who only has to wait a little */
  LabTime late_ns;  /* how much longer the clock, a tick or a busy machine, made it */
};

/* Returns: (transfer full) */
Scenario *scenario_new (Lab *lab, const Controller *controller, const LabLimits *limits);
void scenario_free (Scenario *scenario);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scenario, scenario_free)

/* Somebody asks for a slot. Returns: (transfer none) */
Visitor *scenario_ask (Scenario *scenario);

/* Lets the clock run until the visitor has an answer. */
void scenario_await (Lab *lab, Visitor *visitor);

/* Lets the clock run until @span_ns after the first visitor came, and notes the line
 * once more. */
void scenario_watch (Lab *lab, Scenario *scenario, LabTime span_ns);

/* The visitor, who holds a slot, gives it back after @span_ns. */
void scenario_leave_in (Visitor *visitor, LabTime span_ns);

void scenario_note_answer (Scenario *scenario, const Visitor *visitor);

/* "served", or the reason why not; "no_answer" yet. Returns: (transfer none) */
const char *scenario_answer (const Visitor *visitor);

/* Whether the last one was served. */
gboolean scenario_was_served (const Scenario *scenario);

/* The controller's line counter. */
guint scenario_waiting (const Scenario *scenario);

/* Prints the three lines of the table and adds the row. */
void scenario_print (Lab *lab, const Scenario *scenario);
