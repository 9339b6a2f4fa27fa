#include "loadgen.h"

#define PAUSE_NS (10 * LAB_MS) /* of a worker that was not answered LAB_OK */

typedef struct
{
  LabClosedLoop *loop;
  LabTimer again; /* asking again is an event of its own, lest a target that
                     answers at once make the stack grow */
  gboolean is_asking;
  LabTime since_ns; /* the call that is under way, or was last */
  LabCall call;     /* of target->call_size bytes */
} Worker;

struct _LabClosedLoop
{
  LabClock *clock;
  LabTarget *target;
  LabClosedLoopOptions options;
  GPtrArray *workers;
  LabTime start_ns;
  guint at_work;
  guint64 finished[LAB_N_OUTCOMES];
  guint64 steady_ok;
};

static void
ask_again (LabTimer *timer)
{
  Worker *worker = LAB_OWNER_OF (timer, Worker, again);
  LabClosedLoop *loop = worker->loop;

  if (lab_clock_now (loop->clock) - loop->start_ns >= loop->options.duration_ns)
    {
      loop->at_work--;
      return;
    }
  worker->is_asking = TRUE;
  worker->since_ns = lab_clock_now (loop->clock);
  loop->target->start (loop->target, &worker->call);
}

static void
call_finished (LabCall *call, LabOutcome outcome)
{
  Worker *worker = LAB_OWNER_OF (call, Worker, call);
  LabClosedLoop *loop = worker->loop;
  LabTime elapsed_ns = lab_clock_now (loop->clock) - loop->start_ns;

  worker->is_asking = FALSE;
  if (outcome == LAB_OK && loop->options.patience_ns > 0
      && lab_clock_now (loop->clock) - worker->since_ns >= loop->options.patience_ns)
    outcome = LAB_TIMEOUT; /* a work finished for nobody */
  loop->finished[outcome]++;
  if (outcome == LAB_OK && elapsed_ns > loop->options.steady_from_ns && elapsed_ns <= loop->options.duration_ns)
    loop->steady_ok++;
  lab_timer_arm (&worker->again, lab_clock_now (loop->clock) + (outcome == LAB_OK ? 0 : PAUSE_NS));
}

LabClosedLoop *
lab_closed_loop_new (LabClock *clock, LabTarget *target, const LabClosedLoopOptions *options)
{
  LabClosedLoop *loop = g_new0 (LabClosedLoop, 1);

  loop->clock = clock;
  loop->target = target;
  loop->options = *options;
  loop->workers = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < options->workers; i++)
    {
      Worker *worker = g_malloc0 (G_STRUCT_OFFSET (Worker, call) + target->call_size);

      worker->loop = loop;
      worker->call.finished = call_finished;
      lab_timer_init (&worker->again, clock, ask_again);
      if (target->prepare != NULL)
        target->prepare (target, &worker->call);
      g_ptr_array_add (loop->workers, worker);
    }
  return loop;
}

void
lab_closed_loop_start (LabClosedLoop *loop)
{
  loop->start_ns = lab_clock_now (loop->clock);
  loop->at_work = loop->workers->len;
  for (guint i = 0; i < loop->workers->len; i++)
    {
      Worker *worker = g_ptr_array_index (loop->workers, i);

      lab_timer_arm (&worker->again, loop->start_ns);
    }
}

gboolean
lab_closed_loop_is_over (gpointer data)
{
  const LabClosedLoop *loop = data;

  return loop->at_work == 0;
}

guint64
lab_closed_loop_finished (const LabClosedLoop *loop, LabOutcome outcome)
{
  return loop->finished[outcome];
}

guint64
lab_closed_loop_steady_ok (const LabClosedLoop *loop)
{
  return loop->steady_ok;
}

void
lab_closed_loop_free (LabClosedLoop *loop)
{
  for (guint i = 0; i < loop->workers->len; i++)
    {
      Worker *worker = g_ptr_array_index (loop->workers, i);

      if (worker->is_asking)
        loop->target->abandon (loop->target, &worker->call);
      if (worker->is_asking) /* must have finished, see lab_open_loop_free() */
        g_error ("a target did not finish a call that was abandoned"); /* not reached: it ends the program */
      lab_timer_disarm (&worker->again);
      if (loop->target->dispose != NULL)
        loop->target->dispose (loop->target, &worker->call);
    }
  g_ptr_array_unref (loop->workers);
  g_free (loop);
}
