#include "trial.h"

#define LENGTHS 200 /* of a timeline */
#define SHORTEST_EVERY_NS (10 * LAB_MS)
#define LONGEST_NS (12 * 3600 * LAB_S) /* the unbounded queue holds 4 million items by then */

static const LabColumn columns[] = {
  { .key = "queue" },         { .key = "produced" }, { .key = "consumed" },       { .key = "dropped" },
  { .key = "left_in_queue" }, { .key = "in_hand" },  { .key = "longest_wait_s" },
};

static const LabColumn timeline_columns[] = {
  { .key = "queue" },
  { .key = "time_s" },
  { .key = "length" },
};

LabTime
trial_elapsed (const Trial *trial)
{
  return lab_clock_now (trial->producer.timer.clock) - trial->start_ns;
}

void
trial_end (Trial *trial)
{
  trial->is_over = TRUE;
  lab_script_stop (&trial->consumer);
  lab_script_stop (&trial->observer);
}

static void
observe (LabScript *script)
{
  Trial *trial = LAB_OWNER_OF (script, Trial, observer);

  LAB_SCRIPT_BEGIN (script);
  for (;;)
    {
      g_array_append_val (trial->lengths, ((Length) { trial_elapsed (trial), trial->queue.items.length }));
      LAB_SLEEP (script, MAX (SHORTEST_EVERY_NS, trial->duration_ns / LENGTHS));
    }
  LAB_SCRIPT_END (script);
}

typedef struct
{
  const Trial *trials;
  guint n_trials;
} Trials;

static gboolean
all_are_over (gpointer data)
{
  const Trials *all = data;

  for (guint i = 0; i < all->n_trials; i++)
    if (!all->trials[i].is_over)
      return FALSE;
  return TRUE;
}

void
trials_run (Lab *lab, Trial *trials, guint n_trials, LabScriptBody produce, LabScriptBody consume)
{
  LabClock *clock = lab_clock (lab);
  LabTime duration_ns = lab_settings (lab)->duration_ns;

  if (duration_ns > LONGEST_NS)
    lab_fail (lab, "--duration=%gs makes no sense here: a queue grows all the time; allowed are %gs at the most",
              (double) duration_ns / LAB_S, (double) LONGEST_NS / LAB_S);
  for (guint i = 0; i < n_trials; i++)
    {
      Trial *trial = &trials[i];

      trial->start_ns = lab_clock_now (clock);
      trial->duration_ns = duration_ns;
      trial->lengths = g_array_new (FALSE, FALSE, sizeof (Length));
      trial->queue.putting = &trial->producer;
      trial->queue.taking = &trial->consumer;
      lab_script_start (&trial->consumer, clock, consume);
      lab_script_start (&trial->producer, clock, produce);
      lab_script_start (&trial->observer, clock, observe);
    }
  lab_run_until (lab, all_are_over, &(Trials) { trials, n_trials }, duration_ns);
  for (guint i = 0; i < n_trials; i++)
    {
      lab_script_stop (&trials[i].producer);
      trial_end (&trials[i]);
    }
}

void
trials_print (Lab *lab, const Trial *trials, guint n_trials)
{
  LabTable *rows = lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns));
  LabTable *timeline
      = lab_results_table (lab_results (lab), "timeline", FALSE, timeline_columns, G_N_ELEMENTS (timeline_columns));

  for (guint i = 0; i < n_trials; i++)
    {
      const Trial *trial = &trials[i];

      lab_print (lab, "%-22s produced=%4u consumed=%3u dropped=%4u left in queue=%4u longest wait=%.2f s\n",
                 trial->label, trial->produced, trial->consumed, trial->dropped, trial->queue.items.length,
                 (double) trial->longest_wait_ns / LAB_S);
      lab_table_add (rows, LAB_ROW (lab_text (trial->label), lab_count (trial->produced), lab_count (trial->consumed),
                                    lab_count (trial->dropped), lab_count (trial->queue.items.length),
                                    lab_count (trial->in_hand), lab_seconds (trial->longest_wait_ns)));
      for (guint at = 0; at < trial->lengths->len; at++)
        {
          const Length *point = &g_array_index (trial->lengths, Length, at);

          lab_table_add (timeline,
                         LAB_ROW (lab_text (trial->label), lab_seconds (point->at_ns), lab_count (point->length)));
        }
    }
}

void
trials_check (Lab *lab, const Trial *trials)
{
  const Trial *unbounded = &trials[0], *wait = &trials[1], *drop = &trials[2];
  guint fewest = MIN (MIN (unbounded->consumed, wait->consumed), drop->consumed);
  guint most = MAX (MAX (unbounded->consumed, wait->consumed), drop->consumed);
  guint left = unbounded->queue.items.length;
  gboolean all_accounted = TRUE;

  for (int i = 0; i < 3; i++)
    all_accounted &= trials[i].produced
                     == trials[i].consumed + trials[i].dropped + trials[i].queue.items.length + trials[i].in_hand;
  lab_check (lab, all_accounted, "every item is accounted for", "produced = consumed + dropped + left + in hand");
  if (unbounded->duration_ns < LAB_S || lab_settings (lab)->timer_tick_ns > 20 * LAB_MS)
    {
      lab_skip (lab, "the unbounded queue grows and the bounded ones do not",
                "the run is too short, or the tick too coarse");
      return;
    }
  lab_check (lab,
             left > 100 * unbounded->duration_ns / LAB_S && wait->queue.items.length <= 10
                 && drop->queue.items.length <= 10,
             "the unbounded queue grows and the bounded ones do not", "%u, %u and %u items left", left,
             wait->queue.items.length, drop->queue.items.length);
  lab_check (lab, wait->dropped == 0 && unbounded->dropped == 0, "a producer that waits loses nothing", "%u dropped",
             wait->dropped);
  lab_check (lab, most - fewest <= 2, "protecting the queue costs no useful work", "consumed %u, %u and %u",
             unbounded->consumed, wait->consumed, drop->consumed);
}

void
trials_clear (Trial *trials, guint n_trials)
{
  for (guint i = 0; i < n_trials; i++)
    {
      queue_clear (&trials[i].queue);
      g_array_unref (trials[i].lengths);
    }
}
