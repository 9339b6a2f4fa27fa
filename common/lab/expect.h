/* What arithmetic expects at given settings: the capacity, the wait in a line, the
 * moment of the collapse. Claims are held against these, and skipped where the
 * settings leave nothing to be held. No program is needed for any of it. */
#pragma once

#include "lab.h"

G_BEGIN_DECLS

/* How long a work of @work_ns takes on the lab's clock, in the mean: with a timer tick,
 * up to the next tick. */
LabTime lab_expect_takes (const LabSettings *settings, LabTime work_ns);

/* The same for a work of the lab's service time. */
LabTime lab_expect_work_time (const LabSettings *settings);

/* How long the last of @line requests waits, when a work takes @work_ns. LAB_NEVER: for
 * longer than a span can be. */
LabTime lab_expect_line_wait (const LabSettings *settings, gint64 line, LabTime work_ns);

/* The capacity that lasts: slots / time of one work. */
double lab_expect_steady_rps (const LabSettings *settings);

/* When an unprotected service collapses, from the start of the run. The line
 * grows by rate - capacity a second, and its last waits line / capacity: so after
 * patience * capacity / (rate - capacity) nobody is answered in time. LAB_NEVER
 * when the rate is not above the capacity. */
LabTime lab_expect_collapse (const LabSettings *settings, double rate_rps);

/* Why the chapter's claims cannot be judged at the lab's settings; NULL: they can.
 * They speak of many works, each much shorter than the clients' patience, and of a
 * wait in line (@wait_ns, 0: none) that leaves time for the work. */
const char *lab_expect_why_not_judged (const LabSettings *settings, LabTime wait_ns);

/* round (capacity * budget), half to even: Little's law read as a line length. */
gint64 lab_line_length (double capacity_rps, LabTime budget_ns);

G_END_DECLS
