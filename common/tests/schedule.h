/* A random story for the admission controller, made from a seed: who comes when,
 * how long the work takes, who hangs up, what happens inside callbacks, and when
 * limits change and works slow down. Times are small whole numbers, so that many
 * things fall on one instant. */
#pragma once

#include "../admission/admission.h"

typedef enum
{
  OP_ARRIVAL,
  OP_LIMITS, /* the limits become others */
  OP_SLOWER  /* works that start from now on take so many times as long */
} OpKind;

/* What a visitor who had to wait does inside the callback. */
typedef enum
{
  THEN_NOTHING,
  THEN_ASK,   /* a second visitor asks at once */
  THEN_LEAVE, /* gives its slot back at once */
  THEN_LIMITS /* changes the limits */
} Then;

typedef struct
{
  OpKind kind;
  LabTime at_ns; /* never less than that of the op before */
  LabTime work_ns;
  LabTime patience_ns; /* hangs up after so long, in line or at work; LAB_NEVER: does not */
  Then then;
  LabLimits limits; /* of OP_LIMITS and THEN_LIMITS */
  guint factor;     /* of OP_SLOWER */
} Op;

typedef struct
{
  guint64 seed;
  LabTime tick_ns;
  guint batch; /* events per dispatch of the clock */
  LabLimits limits;
  guint n_ops;
  Op *ops;
} Schedule;

/* Returns: (transfer full) */
Schedule *schedule_new (guint64 seed);
Schedule *schedule_copy (const Schedule *schedule);
void schedule_free (Schedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Schedule, schedule_free)

/* Leaves out and simplifies whatever is not needed for @fails to hold.
 * Returns: (transfer full) */
Schedule *schedule_shrink (const Schedule *schedule, gboolean (*fails) (const Schedule *schedule));

void schedule_print (const Schedule *schedule, GString *text);
void schedule_print_limits (const LabLimits *limits, GString *text);
