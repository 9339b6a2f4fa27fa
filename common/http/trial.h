/* A service in a process of its own, put to the lab's open-loop test over HTTP:
 * what lab/policy is for the pretend service.
 *
 * Several trials may run at once, each with a generator of its own on the lab's
 * clock. Any trouble with a child ends the program with a sentence. */
#pragma once

#include "../lab/policy.h"
#include "../loadgen/loadgen.h"
#include "child.h"
#include "client.h"

G_BEGIN_DECLS

typedef struct
{
  LabRun *run; /* its summary is NULL until it has run */
  LabChild *service;
  LabChild *front; /* what the clients talk to, where that is not the service; may be NULL */
  char *url;       /* of the work */
  char *refusal;   /* what a line about a refusal says in the log, or NULL */
  LabHttpClient *client;
  LabOpenLoop *load;
  guint64 work_before;
  gboolean saw_503; /* the first one: */
  char *retry_after, *body;
  guint64 abandoned_in_line;
  guint refusal_lines;
} LabHttpTrial;

/* Starts build/bin/service with the lab's slots and service time and @flags
 * (NULL-terminated; may be NULL). Returns: (transfer full) */
LabHttpTrial *lab_http_trial_new (Lab *lab, const char *label, const char *const *flags);

/* The same for any other server that has /work and /stats.
 * @service: (transfer full). Returns: (transfer full) */
LabHttpTrial *lab_http_trial_new_of (const char *label, LabChild *service);

/* Stops and reaps its processes. */
void lab_http_trial_free (LabHttpTrial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpTrial, lab_http_trial_free)

/* Puts another server before the service: the clients talk to it, the work is
 * still counted behind it. @front: (transfer full) */
void lab_http_trial_set_front (LabHttpTrial *trial, LabChild *front);

/* Keeps the service busy by a closed loop of 16 workers or 4 for each of the lab's
 * slots, whichever are more; see LabHttpProbe. @steady_rps may be NULL. Ends the
 * program when works are too long for it to read anything. */
double lab_http_trial_capacity (Lab *lab, const LabHttpTrial *trial, double *steady_rps);

/* One run at @rate_rps for the lab's duration, by clients that hang up at the
 * lab's client timeout, against all @trials (of LabHttpTrial) at once. Whether the
 * generator kept its schedule is not judged here. */
void lab_http_trials_run (Lab *lab, GPtrArray *trials, double rate_rps);

/* Makes the main table, a row for each trial, and prints it with what the first
 * refusals looked like. The runs must be valid. */
void lab_http_trials_print (Lab *lab, GPtrArray *trials);

guint64 lab_http_trial_count (const LabHttpTrial *trial, LabOutcome outcome);

/* A number of the service's /stats. Tries again for a while when the service
 * refuses, and for no more than a moment once a signal has come. */
guint64 lab_http_service_stat (Lab *lab, const LabChild *service, const char *key);

/* lab_invalidate() when the generator of a run was late, which may be better the
 * next time; a claim that fails when there was no file or port to send from. */
void lab_http_judge_generator (Lab *lab, const char *label, const LabSummary *summary);

G_END_DECLS
