/* A script: an actor that waits in the middle of what it does, written from top
 * to bottom instead of as a chain of callbacks.
 *
 *   struct Cook { LabScript script; int eggs; };
 *
 *   static void
 *   cook (LabScript *script)
 *   {
 *     struct Cook *self = LAB_OWNER_OF (script, struct Cook, script);
 *
 *     LAB_SCRIPT_BEGIN (script);
 *     while (self->eggs > 0)
 *       {
 *         LAB_SLEEP (script, 240 * LAB_S);
 *         self->eggs--;
 *       }
 *     LAB_SCRIPT_END (script);
 *   }
 *
 *   lab_script_start (&cook.script, clock, cook);
 *
 * It is a switch over the place to resume at (Simon Tatham, "Coroutines in C").
 * Its traps: local variables do not survive a wait, so keep what must last in
 * the owner's struct; no switch statement around a wait; one wait per line. */
#pragma once

#include "clock.h"

G_BEGIN_DECLS

typedef struct _LabScript LabScript;
typedef void (*LabScriptBody) (LabScript *script);

struct _LabScript
{
  LabTimer timer;
  LabScriptBody body;
  int resume_at; /* a line of the body; 0: its beginning; -1: it has ended */
};

/* Runs the body up to its first wait. */
void lab_script_start (LabScript *script, LabClock *clock, LabScriptBody body);

/* What the script waits for may have changed: it looks again, as an event of its
 * own at this same instant, never from inside the caller. */
void lab_script_wake (LabScript *script);

/* Takes the script out of whatever it waits for; it never resumes. */
void lab_script_stop (LabScript *script);

#define LAB_SCRIPT_BEGIN(script) \
  switch ((script)->resume_at)   \
    {                            \
    case 0:

#define LAB_SCRIPT_END(script) \
  (script)->resume_at = -1;    \
  break;                       \
  default:                     \
    break;                     \
    }

#define LAB_SLEEP_UNTIL(script, due)           \
  do                                           \
    {                                          \
      lab_timer_arm (&(script)->timer, (due)); \
      (script)->resume_at = __LINE__;          \
      return;                                  \
    case __LINE__:;                            \
    }                                          \
  while (0)

#define LAB_SLEEP(script, span) LAB_SLEEP_UNTIL (script, lab_clock_now ((script)->timer.clock) + (span))

/* Waits as long as @condition holds; whatever changes it calls lab_script_wake(). */
#define LAB_WAIT_WHILE(script, condition) \
  do                                      \
    {                                     \
      (script)->resume_at = __LINE__;     \
      G_GNUC_FALLTHROUGH;                 \
    case __LINE__:                        \
      if (condition)                      \
        return;                           \
    }                                     \
  while (0)

/* Starts something that ends in a lab_script_wake(), even before @start returns,
 * and waits for that. */
#define LAB_CALL(script, start)       \
  do                                  \
    {                                 \
      (script)->resume_at = __LINE__; \
      start;                          \
      return;                         \
    case __LINE__:;                   \
    }                                 \
  while (0)

G_END_DECLS
