/* Step 2: backpressure and shedding in a plain queue between two actors. */
#include "../common/lab/lab.h"
#include "queue.h"
#include "trial.h"

#define PRODUCE_EVERY_NS (5 * LAB_MS) /* the producer can make 200 items a second */
#define CONSUME_NS (20 * LAB_MS)      /* the consumer needs 20 ms for one */

static void
produce (LabScript *script)
{
  Trial *trial = LAB_OWNER_OF (script, Trial, producer);

  LAB_SCRIPT_BEGIN (script);
  while (trial_elapsed (trial) < trial->duration_ns)
    {
      LAB_SLEEP_UNTIL (script, trial->start_ns + trial->produced * PRODUCE_EVERY_NS);
      trial->stamp_ns = trial_elapsed (trial);
      if (trial->drops && queue_is_full (&trial->queue))
        trial->dropped++; /* shedding: the item is thrown away */
      else
        {
          LAB_WAIT_WHILE (script, queue_is_full (&trial->queue)); /* backpressure: the producer waits */
          queue_put (&trial->queue, trial->stamp_ns);
        }
      trial->produced++;
    }
  LAB_SCRIPT_END (script);
  trial_end (trial);
}

static void
consume (LabScript *script)
{
  Trial *trial = LAB_OWNER_OF (script, Trial, consumer);
  LabTime waited_ns;

  LAB_SCRIPT_BEGIN (script);
  for (;;)
    {
      LAB_WAIT_WHILE (script, queue_is_empty (&trial->queue));
      waited_ns = trial_elapsed (trial) - queue_take (&trial->queue);
      trial->longest_wait_ns = MAX (trial->longest_wait_ns, waited_ns);
      trial->in_hand = 1;
      LAB_SLEEP (script, CONSUME_NS);
      trial->in_hand = 0;
      trial->consumed++;
    }
  LAB_SCRIPT_END (script);
}

int
main (int argc, char *argv[])
{
  Trial trials[] = {
    { .label = "unbounded queue" },
    { .label = "maxsize=10, wait", .queue.max_size = 10 },
    { .label = "maxsize=10, drop", .queue.max_size = 10, .drops = TRUE },
  };
  g_autoptr (Lab) lab = lab_new (&(LabProgram) { .name = "step02_queue",
                                                 .summary = "See backpressure and shedding in a plain queue.",
                                                 .options = LAB_OPTIONS_CLOCK | LAB_OPTIONS_DURATION,
                                                 .duration_ns = 2 * LAB_S },
                                 argc, argv);

  trials_run (lab, trials, G_N_ELEMENTS (trials), produce, consume);
  trials_print (lab, trials, G_N_ELEMENTS (trials));
  trials_check (lab, trials);
  trials_clear (trials, G_N_ELEMENTS (trials));
  return lab_finish (lab);
}
