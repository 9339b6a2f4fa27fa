#include "loadgen.h"

#include <stddef.h>

#define CLIENTS_PER_CHUNK 64
#define ALIGNMENT G_ALIGNOF (max_align_t) /* as malloc() aligns */

/* One client of the open loop. The target's block lies behind it, so that one
 * piece of the pool serves both. */
typedef struct
{
  GList link; /* in the pool, or among those under way */
  LabOpenLoop *loop;
  LabTimer patience;
  LabTime arrival_ns; /* as scheduled, from the start of the run */
  LabTime since_ns;   /* on the clock: latency and patience count from here */
  gboolean is_waiting;
  gboolean has_left; /* the call was abandoned */
  LabCall call;      /* of target->call_size bytes */
} Client;

struct _LabOpenLoop
{
  LabClock *clock;
  LabTarget *target;
  LabOpenLoopOptions options;
  LabArrivals arrivals;
  LabSummary *summary;

  LabTimer arrival;
  LabTime start_ns;
  LabTime next_ns;   /* of the schedule; LAB_NEVER: no request comes any more */
  guint64 undecided; /* clients that wait for their outcome */

  GQueue under_way, pool; /* of Client */
  GPtrArray *chunks;      /* of memory for clients, CLIENTS_PER_CHUNK in each */
  guint fresh;            /* clients of the last chunk that were never used */
  gsize client_size;
  gboolean is_ending; /* in lab_open_loop_free(): no outcome counts any more */
};

static Client *
new_client (LabOpenLoop *loop)
{
  Client *client;

  if (loop->fresh == 0)
    {
      g_ptr_array_add (loop->chunks, g_malloc0 (CLIENTS_PER_CHUNK * loop->client_size));
      loop->fresh = CLIENTS_PER_CHUNK;
    }
  client = (Client *) (gpointer) ((char *) g_ptr_array_index (loop->chunks, loop->chunks->len - 1)
                                  + (CLIENTS_PER_CHUNK - loop->fresh--) * loop->client_size);
  client->loop = loop;
  if (loop->target->prepare != NULL)
    loop->target->prepare (loop->target, &client->call);
  return client;
}

static Client *
take_client (LabOpenLoop *loop)
{
  GList *link = g_queue_pop_head_link (&loop->pool);
  Client *client = link != NULL ? LAB_OWNER_OF (link, Client, link) : new_client (loop);

  g_queue_push_tail_link (&loop->under_way, &client->link);
  return client;
}

static void
conclude (LabOpenLoop *loop, LabTime arrival_ns, LabOutcome outcome, LabTime latency_ns)
{
  lab_summary_add (loop->summary, arrival_ns, outcome, latency_ns);
  loop->undecided--;
  if (lab_open_loop_is_over (loop) && loop->options.over != NULL)
    loop->options.over (loop->options.data);
}

/* On a real clock that lags behind, an answer may be looked at before the patience that
 * ran out earlier. On the virtual clock that cannot happen. */
static gboolean
is_too_late (const LabOpenLoop *loop, LabTime latency_ns)
{
  return !lab_clock_is_virtual (loop->clock) && loop->options.client_timeout_ns > 0
         && latency_ns >= loop->options.client_timeout_ns;
}

static void
call_finished (LabCall *call, LabOutcome outcome)
{
  Client *client = LAB_OWNER_OF (call, Client, call);
  LabOpenLoop *loop = client->loop;
  gboolean was_waiting = client->is_waiting;
  LabTime arrival_ns = client->arrival_ns;
  LabTime latency_ns = lab_clock_now (loop->clock) - client->since_ns;

  lab_timer_disarm (&client->patience);
  g_queue_unlink (&loop->under_way, &client->link);
  g_queue_push_head_link (&loop->pool, &client->link);
  if (outcome != LAB_UNSENT && is_too_late (loop, latency_ns)) /* what was not sent has no answer */
    outcome = LAB_TIMEOUT;
  if (was_waiting && !loop->is_ending)
    conclude (loop, arrival_ns, outcome, latency_ns);
}

static void
abandon (Client *client)
{
  LabTarget *target = client->loop->target;

  if (client->has_left)
    return; /* not reached: by a target that keeps to its law; tested by one that does not */
  client->has_left = TRUE;
  target->abandon (target, &client->call);
}

static void
lose_patience (LabTimer *timer)
{
  Client *client = LAB_OWNER_OF (timer, Client, patience);
  LabOpenLoop *loop = client->loop;
  LabTime arrival_ns = client->arrival_ns;
  LabTime latency_ns = lab_clock_now (loop->clock) - client->since_ns;

  client->is_waiting = FALSE;
  if (loop->options.hang_up)
    abandon (client); /* its block may be in the pool now */
  conclude (loop, arrival_ns, LAB_TIMEOUT, latency_ns);
}

static void
send_request (LabOpenLoop *loop, LabTime arrival_ns, LabTime since_ns)
{
  Client *client = take_client (loop);

  client->arrival_ns = arrival_ns;
  client->since_ns = since_ns;
  client->is_waiting = TRUE;
  client->has_left = FALSE;
  client->call.finished = call_finished;
  lab_timer_init (&client->patience, loop->clock, lose_patience);
  /* Armed before the call starts, so that an exact tie is a time-out. */
  if (loop->options.client_timeout_ns > 0)
    lab_timer_arm (&client->patience, since_ns + loop->options.client_timeout_ns);
  loop->target->start (loop->target, &client->call); /* the client may be gone now */
}

/* On the real clock latency and patience count from the intended time, so that a
 * generator that is late cannot flatter the service (coordinated omission). Nor is the
 * service blamed for it: a request that comes after its client's patience is not sent. */
static void
start_request (LabOpenLoop *loop, LabTime arrival_ns)
{
  LabTime now_ns = lab_clock_now (loop->clock);
  LabTime late_ns = now_ns - (loop->start_ns + arrival_ns);

  if (lab_clock_is_virtual (loop->clock))
    {
      send_request (loop, arrival_ns, now_ns);
      return;
    }
  lab_summary_add_lateness (loop->summary, arrival_ns, late_ns);
  if (is_too_late (loop, late_ns))
    conclude (loop, arrival_ns, LAB_UNSENT, late_ns);
  else
    send_request (loop, arrival_ns, now_ns - late_ns);
}

static void
arrive (LabTimer *timer)
{
  LabOpenLoop *loop = LAB_OWNER_OF (timer, LabOpenLoop, arrival);
  LabTime arrival_ns = loop->next_ns;

  loop->next_ns = lab_arrivals_next (&loop->arrivals);
  loop->undecided++;
  start_request (loop, arrival_ns);
  if (loop->next_ns != LAB_NEVER)
    lab_timer_arm (timer, loop->start_ns + loop->next_ns);
}

LabOpenLoop *
lab_open_loop_new (LabClock *clock, LabTarget *target, const LabOpenLoopOptions *options)
{
  LabOpenLoop *loop = g_new0 (LabOpenLoop, 1);

  loop->clock = clock;
  loop->target = target;
  loop->options = *options;
  lab_arrivals_init (&loop->arrivals, options->arrivals, options->rate_rps, options->duration_ns, options->seed);
  loop->summary = lab_summary_new (options->duration_ns);
  loop->chunks = g_ptr_array_new_with_free_func (g_free);
  loop->client_size = (G_STRUCT_OFFSET (Client, call) + target->call_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  lab_timer_init (&loop->arrival, clock, arrive);
  loop->next_ns = lab_arrivals_next (&loop->arrivals);
  return loop;
}

void
lab_open_loop_start (LabOpenLoop *loop)
{
  loop->start_ns = lab_clock_now (loop->clock);
  if (loop->next_ns != LAB_NEVER)
    lab_timer_arm (&loop->arrival, loop->start_ns + loop->next_ns);
}

void
lab_open_loop_stop (LabOpenLoop *loop)
{
  if (loop->next_ns != LAB_NEVER)
    lab_summary_cut (loop->summary, lab_clock_now (loop->clock) - loop->start_ns);
  loop->next_ns = LAB_NEVER;
  lab_timer_disarm (&loop->arrival);
}

gboolean
lab_open_loop_is_over (gpointer data)
{
  const LabOpenLoop *loop = data;

  return loop->next_ns == LAB_NEVER && loop->undecided == 0;
}

gboolean
lab_open_loops_are_over (gpointer data)
{
  const GPtrArray *loops = data;

  for (guint i = 0; i < loops->len; i++)
    if (!lab_open_loop_is_over (g_ptr_array_index (loops, i)))
      return FALSE;
  return TRUE;
}

const LabSummary *
lab_open_loop_summary (const LabOpenLoop *loop)
{
  return loop->summary;
}

LabSummary *
lab_open_loop_steal_summary (LabOpenLoop *loop)
{
  return g_steal_pointer (&loop->summary);
}

void
lab_open_loop_free (LabOpenLoop *loop)
{
  LabTarget *target = loop->target;
  GList *link;

  lab_timer_disarm (&loop->arrival);
  loop->is_ending = TRUE;
  while ((link = loop->under_way.head) != NULL)
    {
      abandon (LAB_OWNER_OF (link, Client, link));
      if (loop->under_way.head == link) /* must have finished, see lab_open_loop_free() */
        g_error ("a target did not finish a call that was abandoned"); /* not reached: likewise */
    }
  for (link = loop->pool.head; link != NULL && target->dispose != NULL; link = link->next)
    target->dispose (target, &LAB_OWNER_OF (link, Client, link)->call);
  g_ptr_array_unref (loop->chunks);
  g_clear_pointer (&loop->summary, lab_summary_free);
  g_free (loop);
}
