/* The pretend service: slots, a line, and work that only takes time.
 *
 * It stands in for a real one wherever a lesson needs no network: each request
 * asks the admission controller for a slot, holds it for the time of the work,
 * and is answered. It is a LabTarget, so a load generator can be put to it. */
#pragma once

#include "../admission/admission.h"
#include "../loadgen/random.h"
#include "../loadgen/target.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_WORK_FIXED,      /* every work takes the service time */
  LAB_WORK_EXPONENTIAL /* exponentially distributed around it */
} LabWorkKind;

typedef struct
{
  LabLimits limits;
  LabTime service_time_ns;
  LabWorkKind work;
  guint64 seed;

  /* How many times as long a work takes that starts @elapsed_ns after the
   * service was made; NULL: 1, always. */
  guint (*slowdown) (LabTime elapsed_ns);
} LabServiceOptions;

/* The block of one call: public so that an actor can embed a call of its own. */
typedef struct
{
  LabCall call;
  struct _LabService *service;
  LabTicket ticket;
  LabTimer work;
} LabServiceCall;

typedef struct _LabService LabService;

/* @clock must outlive it. Returns: (transfer full) */
LabService *lab_service_new (LabClock *clock, const LabServiceOptions *options);

/* Every call must have finished. */
void lab_service_free (LabService *service);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabService, lab_service_free)

/* Returns: (transfer none) */
LabTarget *lab_service_target (LabService *service);
const LabAdmission *lab_service_admission (const LabService *service);

/* Works brought to their end, whether anybody still waited for them or not. */
guint64 lab_service_work_done (const LabService *service);

G_END_DECLS
