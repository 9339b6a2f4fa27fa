#include "script.h"

static void
resume (LabTimer *timer)
{
  LabScript *script = LAB_OWNER_OF (timer, LabScript, timer);

  script->body (script);
}

void
lab_script_start (LabScript *script, LabClock *clock, LabScriptBody body)
{
  script->body = body;
  script->resume_at = 0;
  lab_timer_init (&script->timer, clock, resume);
  body (script);
}

void
lab_script_wake (LabScript *script)
{
  if (script->resume_at != -1 && !lab_timer_is_armed (&script->timer))
    lab_timer_arm (&script->timer, lab_clock_now (script->timer.clock));
}

void
lab_script_stop (LabScript *script)
{
  lab_timer_disarm (&script->timer);
  script->resume_at = -1;
}
