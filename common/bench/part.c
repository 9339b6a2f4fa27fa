/* One measurement of the lab, in a process of its own so that its memory is its own:
 *
 *   part limits|no-limits REQUESTS SLOTS LINE   step 4's experiment
 *   part grant|wait|wait-limit|shed simulated|real N   admission decisions, on either clock
 *   part grant|wait|shed queue|mutex N                 what one writes first, without and with a lock
 *
 * Prints: seconds of the processor, ok, shed, timeout; or the seconds alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../loadgen/loadgen.h"
#include "../service/service.h"

static gint64
processor_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void
simulate (gboolean with_limits, gint64 requests, guint slots, gint64 line)
{
  double rate_rps = 40.0 * slots; /* twice what slots of 50 ms can do */
  g_autoptr (LabClock) clock = lab_clock_new_virtual (0);
  g_autoptr (LabService) service = lab_service_new (
      clock, &(LabServiceOptions) { .limits = { .slots = slots, .max_waiting = { with_limits, line } },
                                    .service_time_ns = 50 * LAB_MS });
  g_autoptr (LabOpenLoop) load
      = lab_open_loop_new (clock, lab_service_target (service),
                           &(LabOpenLoopOptions) { .rate_rps = rate_rps,
                                                   .duration_ns = lab_mul_div (requests, LAB_S, (gint64) rate_rps),
                                                   .client_timeout_ns = LAB_S });
  gint64 begin_us = processor_us ();
  const LabSummary *summary = lab_open_loop_summary (load);

  lab_open_loop_start (load);
  lab_clock_run_until (clock, lab_open_loop_is_over, load);
  printf ("%.6f %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
          (double) (processor_us () - begin_us) / 1e6, lab_summary_count (summary, LAB_OK),
          lab_summary_count (summary, LAB_SHED), lab_summary_count (summary, LAB_TIMEOUT));
}

/* Nothing to do but to be called. */
static void
answered (LabTicket *ticket G_GNUC_UNUSED, LabAnswer answer G_GNUC_UNUSED)
{
}

static gint64
decide (const char *kind, gboolean real, gint64 n)
{
  gboolean one_waits = g_str_has_prefix (kind, "wait");
  g_autoptr (LabClock) clock = real ? lab_clock_new_real () : lab_clock_new_virtual (0);
  g_autoptr (LabAdmission) admission
      = lab_admission_new (clock, &(LabLimits) { .slots = 1,
                                                 .max_waiting = LAB_AT_MOST (one_waits ? 1 : 0),
                                                 .max_wait = { strcmp (kind, "wait-limit") == 0, 300 * LAB_MS } });
  LabTicket tickets[2];
  gint64 begin_us = processor_us ();

  lab_ticket_init (&tickets[0], answered);
  lab_ticket_init (&tickets[1], answered);
  if (strcmp (kind, "grant") != 0)
    lab_admission_ask (admission, &tickets[1]); /* has the slot */
  for (gint64 i = 0; i < n; i++)
    {
      lab_admission_ask (admission, &tickets[i % 2 & (one_waits ? 1 : 0)]);
      if (one_waits)
        lab_admission_leave (admission, &tickets[(i + 1) % 2]); /* the other one has the slot now */
      else
        lab_admission_leave (admission, &tickets[0]); /* from its slot, or turned away: from nowhere */
    }
  begin_us = processor_us () - begin_us;
  lab_admission_leave (admission, &tickets[0]);
  lab_admission_leave (admission, &tickets[1]);
  return begin_us;
}

/* What one writes first: a count and a queue, and where threads share them a lock. */
typedef struct
{
  GMutex lock;
  GQueue line;
  guint running, slots, max_waiting;
} Baseline;

/* Like the lab's, they are really called. */
#define CALLED __attribute__ ((noinline))

static CALLED LabAnswer
baseline_ask (Baseline *baseline, gpointer request)
{
  if (baseline->running < baseline->slots)
    {
      baseline->running++;
      return LAB_RUN;
    }
  if (baseline->line.length >= baseline->max_waiting)
    return LAB_SHED_LINE_FULL;
  g_queue_push_tail (&baseline->line, request);
  return LAB_WAIT;
}

/* Returns who has the slot now; NULL: nobody. */
static CALLED LabTicket *
baseline_leave (Baseline *baseline)
{
  LabTicket *next = g_queue_pop_head (&baseline->line);

  if (next == NULL)
    baseline->running--;
  return next;
}

static LabAnswer
locked_ask (Baseline *baseline, gpointer request)
{
  LabAnswer answer;

  g_mutex_lock (&baseline->lock);
  answer = baseline_ask (baseline, request);
  g_mutex_unlock (&baseline->lock);
  return answer;
}

static LabTicket *
locked_leave (Baseline *baseline)
{
  LabTicket *next;

  g_mutex_lock (&baseline->lock);
  next = baseline_leave (baseline);
  g_mutex_unlock (&baseline->lock);
  return next;
}

static gint64
decide_by_baseline (const char *kind, gboolean locked, gint64 n)
{
  LabAnswer (*ask) (Baseline *, gpointer) = locked ? locked_ask : baseline_ask;
  LabTicket *(*leave) (Baseline *) = locked ? locked_leave : baseline_leave;
  Baseline baseline = { .slots = 1, .max_waiting = strcmp (kind, "wait") == 0 ? 1 : 0 };
  LabTicket ticket, *next;
  gint64 begin_us = processor_us ();

  lab_ticket_init (&ticket, answered);
  if (strcmp (kind, "grant") != 0)
    ask (&baseline, &ticket);
  for (gint64 i = 0; i < n; i++)
    if (ask (&baseline, &ticket) != LAB_SHED_LINE_FULL && (next = leave (&baseline)) != NULL)
      next->answered (next, LAB_RUN);
  return processor_us () - begin_us;
}

int
main (int argc, char *argv[])
{
  if (argc == 5)
    simulate (strcmp (argv[1], "limits") == 0, atoll (argv[2]), (guint) atol (argv[3]), atoll (argv[4]));
  else if (argc == 4 && (strcmp (argv[2], "simulated") == 0 || strcmp (argv[2], "real") == 0))
    printf ("%.6f\n", (double) decide (argv[1], strcmp (argv[2], "real") == 0, atoll (argv[3])) / 1e6);
  else if (argc == 4)
    printf ("%.6f\n", (double) decide_by_baseline (argv[1], strcmp (argv[2], "mutex") == 0, atoll (argv[3])) / 1e6);
  return argc < 4 ? 2 : 0;
}
