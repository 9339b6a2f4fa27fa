#include "controller.h"

const Controller right_controller = {
  .name = "AdmissionController",
  .make = lab_admission_new,
  .ask = lab_admission_ask,
  .leave = lab_admission_leave,
  .counters = lab_admission_counters,
  .free = lab_admission_free,
};

/* The same functions of the patched source, under the names of leaky_names.h. */
LabAdmission *leaky_admission_new (LabClock *clock, const LabLimits *limits);
LabAnswer leaky_admission_ask (LabAdmission *admission, LabTicket *ticket);
void leaky_admission_leave (LabAdmission *admission, LabTicket *ticket);
const LabAdmissionCounters *leaky_admission_counters (const LabAdmission *admission);
void leaky_admission_free (LabAdmission *admission);

const Controller leaky_controller = {
  .name = "LeakyController",
  .make = leaky_admission_new,
  .ask = leaky_admission_ask,
  .leave = leaky_admission_leave,
  .counters = leaky_admission_counters,
  .free = leaky_admission_free,
};
