/* Plays a schedule to the admission controller on a virtual clock, and holds it
 * against a model of its own after every event:
 *
 *  - every answer of ask() is the one that the rules give
 *  - asked = admitted + shed_line_full + shed_waited_too_long + cancelled + waiting,
 *    and each counter is what the visitors themselves have seen
 *  - a slot is granted only while running < slots; no slot is free while
 *    somebody waits
 *  - who is answered is the first in line
 *  - nobody joins a line of max_waiting; nobody waits past max_wait (under a
 *    tick: past the first tick after it); nobody is granted a slot at or after
 *    that limit, or turned away before it
 *  - every ticket is answered at most once, no callback runs inside another, and
 *    leaving twice is leaving once
 *  - no ticket is touched once it is out: it is overwritten, and looked at in the end
 *  - at the end nobody is left anywhere, and the clock has nothing to do */
#pragma once

#include "schedule.h"

typedef struct
{
  char *failure; /* NULL: none */
  guint64 events;
  guint64 order_hash;
  guint64 admitted;
} Verdict;

/* @verdict is filled in, also while it goes on: a crash can tell its events.
 * @log: gets a line for all that happens; or NULL. */
void simulation_run (const Schedule *schedule, Verdict *verdict, GString *log);
