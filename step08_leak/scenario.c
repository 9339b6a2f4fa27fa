#include "scenario.h"

static const LabColumn columns[] = {
  { .key = "controller" },
  { .key = "answers" },
  { .key = "line_after" },
  { .key = "short_waiter" },
};

static const LabColumn timeline_columns[] = {
  { .key = "controller" },
  { .key = "time_s" },
  { .key = "line_counter" },
};

struct _Visitor
{
  Scenario *scenario;
  LabTicket ticket;
  LabTimer leaving;
  LabAnswer answer; /* LAB_WAIT: none yet */
};

/* The line counter over time: a point after everything that may change it. */
static void
note_line (Scenario *scenario)
{
  LabTable *timeline
      = lab_results_table (scenario->results, "timeline", FALSE, timeline_columns, G_N_ELEMENTS (timeline_columns));

  lab_table_add (timeline, LAB_ROW (lab_text (scenario->controller->name),
                                    lab_seconds (lab_clock_now (scenario->clock) - scenario->start_ns),
                                    lab_count (scenario_waiting (scenario))));
}

static void
answered (LabTicket *ticket, LabAnswer answer)
{
  Visitor *visitor = LAB_OWNER_OF (ticket, Visitor, ticket);

  visitor->answer = answer;
  note_line (visitor->scenario);
}

static void
leave (LabTimer *timer)
{
  Visitor *visitor = LAB_OWNER_OF (timer, Visitor, leaving);
  Scenario *scenario = visitor->scenario;

  scenario->late_ns = lab_clock_now (scenario->clock) - timer->due_ns;
  scenario->controller->leave (scenario->admission, &visitor->ticket);
  note_line (scenario);
}

static gboolean
has_answer (gpointer data)
{
  const Visitor *visitor = data;

  return visitor->answer != LAB_WAIT;
}

Visitor *
scenario_ask (Scenario *scenario)
{
  Visitor *visitor = g_new0 (Visitor, 1);

  if (scenario->visitors->len == 0)
    scenario->start_ns = lab_clock_now (scenario->clock);
  visitor->scenario = scenario;
  lab_ticket_init (&visitor->ticket, answered);
  lab_timer_init (&visitor->leaving, scenario->clock, leave);
  visitor->answer = scenario->controller->ask (scenario->admission, &visitor->ticket);
  note_line (scenario);
  g_ptr_array_add (scenario->visitors, visitor);
  return visitor;
}

void
scenario_await (Lab *lab, Visitor *visitor)
{
  lab_run_until (lab, has_answer, visitor, 0);
}

void
scenario_watch (Lab *lab, Scenario *scenario, LabTime span_ns)
{
  lab_sleep (lab, MAX (0, scenario->start_ns + span_ns - lab_clock_now (scenario->clock)));
  note_line (scenario);
}

void
scenario_leave_in (Visitor *visitor, LabTime span_ns)
{
  lab_timer_arm (&visitor->leaving, lab_clock_now (visitor->scenario->clock) + span_ns);
}

const char *
scenario_answer (const Visitor *visitor)
{
  if (visitor->answer == LAB_WAIT) /* interrupted */
    return "no_answer";
  return visitor->answer == LAB_RUN ? "served" : lab_answer_reason (visitor->answer);
}

void
scenario_note_answer (Scenario *scenario, const Visitor *visitor)
{
  if (scenario->answers->len > 0)
    g_string_append_c (scenario->answers, ';');
  g_string_append (scenario->answers, scenario_answer (visitor));
}

gboolean
scenario_was_served (const Scenario *scenario)
{
  return scenario->last->answer == LAB_RUN;
}

guint
scenario_waiting (const Scenario *scenario)
{
  return scenario->controller->counters (scenario->admission)->waiting;
}

void
scenario_print (Lab *lab, const Scenario *scenario)
{
  LabTable *rows = lab_results_rows (scenario->results, columns, G_N_ELEMENTS (columns));
  g_auto (GStrv) answers = g_strsplit (scenario->answers->str, ";", -1);
  g_autofree char *listed = g_strjoinv ("', '", answers);

  lab_print (lab, "%-20s four requests got ['%s']\n", scenario->controller->name, listed);
  lab_print (lab, "%-20s line counter afterwards: %u (nobody is waiting)\n", "", scenario->line_after);
  lab_print (lab, "%-20s a request that only has to wait 10 ms gets: %s\n", "", scenario_answer (scenario->last));
  lab_table_add (rows, LAB_ROW (lab_text (scenario->controller->name), lab_list (scenario->answers->str),
                                lab_count (scenario->line_after), lab_text (scenario_answer (scenario->last))));
}

Scenario *
scenario_new (Lab *lab, const Controller *controller, const LabLimits *limits)
{
  Scenario *scenario = g_new0 (Scenario, 1);

  scenario->controller = controller;
  scenario->clock = lab_clock (lab);
  scenario->results = lab_results (lab);
  scenario->admission = controller->make (scenario->clock, limits);
  scenario->visitors = g_ptr_array_new_with_free_func (g_free);
  scenario->answers = g_string_new (NULL);
  return scenario;
}

void
scenario_free (Scenario *scenario)
{
  for (guint i = 0; i < scenario->visitors->len; i++)
    {
      Visitor *visitor = g_ptr_array_index (scenario->visitors, i);

      lab_timer_disarm (&visitor->leaving);
      scenario->controller->leave (scenario->admission, &visitor->ticket);
    }
  scenario->controller->free (scenario->admission);
  g_ptr_array_unref (scenario->visitors);
  g_string_free (scenario->answers, TRUE);
  g_free (scenario);
}
