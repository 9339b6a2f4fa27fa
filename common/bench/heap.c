/* heap POLICY REQUESTS SLOTS LINE: step 4's experiment once more, as little of it as
 * will do: a hand-written heap of events, no library, nothing that could be used for
 * anything else. What the lab's comfort costs is measured against it.
 *
 * Prints: seconds of the processor, ok, shed, timeout. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS INT64_C (1000000)

enum
{
  ARRIVE,
  LOSE_PATIENCE,
  FINISH
};

typedef struct
{
  int64_t at;
  uint64_t sequence;
  uint32_t kind, request;
} Event;

static Event *heap;
static size_t n_events, room;
static uint64_t sequence;

static int
is_before (const Event *a, const Event *b)
{
  return a->at < b->at || (a->at == b->at && a->sequence < b->sequence);
}

static void
push (int64_t at, uint32_t kind, uint32_t request)
{
  Event event = { at, sequence++, kind, request };
  size_t i = n_events++;

  if (n_events > room)
    {
      room = room ? room * 2 : 1024;
      heap = realloc (heap, room * sizeof *heap);
      if (heap == NULL)
        abort ();
    }
  for (; i > 0 && is_before (&event, &heap[(i - 1) / 2]); i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = event;
}

static Event
pop (void)
{
  Event first = heap[0], last = heap[--n_events];
  size_t i = 0;

  for (;;)
    {
      size_t child = 2 * i + 1;

      if (child >= n_events)
        break;
      if (child + 1 < n_events && is_before (&heap[child + 1], &heap[child]))
        child++;
      if (!is_before (&heap[child], &last))
        break;
      heap[i] = heap[child];
      i = child;
    }
  heap[i] = last;
  return first;
}

int
main (int argc, char *argv[])
{
  uint32_t requests = argc == 5 ? (uint32_t) atol (argv[2]) : 0;
  uint32_t slots = argc == 5 ? (uint32_t) atol (argv[3]) : 0;
  uint32_t most = argc == 5 && strcmp (argv[1], "limits") == 0 ? (uint32_t) atol (argv[4]) : UINT32_MAX;
  int64_t rate = 40 * (int64_t) slots; /* twice what slots of 50 ms can do */
  uint32_t *line = malloc (requests * sizeof *line);
  char *decided = calloc (requests, 1);
  uint32_t head = 0, tail = 0, running = 0;
  uint64_t ok = 0, shed = 0, timeout = 0;
  struct timespec begin, end;

  if (requests == 0 || slots == 0 || line == NULL || decided == NULL)
    return 2;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &begin);
  push (0, ARRIVE, 0);
  while (ok + shed + timeout < requests)
    {
      Event event = pop ();

      switch (event.kind)
        {
        case ARRIVE:
          push (event.at + 1000 * MS, LOSE_PATIENCE, event.request);
          if (running < slots)
            {
              running++;
              push (event.at + 50 * MS, FINISH, event.request);
            }
          else if (tail - head < most)
            line[tail++] = event.request;
          else
            {
              decided[event.request] = 1;
              shed++;
            }
          if (event.request + 1 < requests)
            push ((int64_t) (event.request + 1) * 1000 * MS / rate, ARRIVE, event.request + 1);
          break;
        case LOSE_PATIENCE: /* of those answered, too: it is not taken out of the heap */
          timeout += !decided[event.request];
          decided[event.request] = 1;
          break;
        default:
          ok += !decided[event.request];
          decided[event.request] = 1;
          if (head < tail)
            push (event.at + 50 * MS, FINISH, line[head++]);
          else
            running--;
        }
    }
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &end);
  printf ("%.6f %llu %llu %llu\n", (double) (end.tv_sec - begin.tv_sec) + (double) (end.tv_nsec - begin.tv_nsec) / 1e9,
          (unsigned long long) ok, (unsigned long long) shed, (unsigned long long) timeout);
  return 0;
}
