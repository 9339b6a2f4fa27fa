/* What a load generator talks to: something that takes calls and finishes them.
 *
 * The law of a target: every started call finishes exactly once, by
 * lab_call_finish(), even when it was abandoned, and possibly inside start() or
 * abandon(); only then is its block used again.
 *
 * A call is the head of a block whose size the target names, so that a target
 * keeps what it needs per call (a ticket and a timer, an easy handle) in the
 * same block, and nothing is allocated per request once the pool is warm:
 *
 *   typedef struct { LabCall call; LabTicket ticket; LabTimer work; } MyCall;
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  LAB_OK,      /* answered */
  LAB_SHED,    /* turned away by the service */
  LAB_TIMEOUT, /* the client gave up first */
  LAB_ERROR,   /* failed in any other way */
  LAB_UNSENT,  /* never sent: the client's side could not, or came to it only when the
                  patience was over already (real clock) */
  LAB_N_OUTCOMES
} LabOutcome;

typedef struct _LabCall LabCall;
typedef struct _LabTarget LabTarget;

struct _LabCall
{
  void (*finished) (LabCall *call, LabOutcome outcome); /* set by whoever starts the call */
};

struct _LabTarget
{
  gsize call_size; /* bytes of a call's block, the LabCall at its head included */

  /* Once for every block, before its first call and after its last: for what is
   * kept from call to call. Either may be NULL. A block begins zeroed. */
  void (*prepare) (LabTarget *target, LabCall *call);
  void (*dispose) (LabTarget *target, LabCall *call);

  void (*start) (LabTarget *target, LabCall *call);

  /* The client leaves. The call must still finish; its outcome no longer
   * counts. Never called twice for a call, nor for one that has finished. */
  void (*abandon) (LabTarget *target, LabCall *call);
};

/* For targets: the call is over, and the target will not touch it again. */
static inline void
lab_call_finish (LabCall *call, LabOutcome outcome)
{
  call->finished (call, outcome);
}

G_END_DECLS
