/* The right controller and the leaky one behind one face, so that one scenario
 * can be played with either. */
#pragma once

#include "../common/admission/admission.h"

typedef struct
{
  const char *name;
  LabAdmission *(*make) (LabClock *clock, const LabLimits *limits);
  LabAnswer (*ask) (LabAdmission *admission, LabTicket *ticket);
  void (*leave) (LabAdmission *admission, LabTicket *ticket);
  const LabAdmissionCounters *(*counters) (const LabAdmission *admission);
  void (*free) (LabAdmission *admission);
} Controller;

extern const Controller right_controller;
extern const Controller leaky_controller;
