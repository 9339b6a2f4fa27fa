/* The leaky controller is common/admission/admission.c with leaky.patch applied:
 * the same code with one line moved. It is compiled with this file in front,
 * which gives its functions names of their own, so that both controllers fit
 * into one program. */
#pragma once

#define lab_answer_reason leaky_answer_reason
#define lab_ticket_init leaky_ticket_init
#define lab_admission_new leaky_admission_new
#define lab_admission_free leaky_admission_free
#define lab_admission_ask leaky_admission_ask
#define lab_admission_leave leaky_admission_leave
#define lab_admission_set_limits leaky_admission_set_limits
#define lab_admission_limits leaky_admission_limits
#define lab_admission_counters leaky_admission_counters
#define lab_admission_head_wait leaky_admission_head_wait
