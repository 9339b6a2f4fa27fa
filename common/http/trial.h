/* A service in a process of its own, under the lab's open-loop load over HTTP: what
 * lab/policy is for the pretend service.
 *
 * Several trials may run at once, each with its own generator on the lab's clock. If
 * a child does not start or does not answer, that ends the program: with a sentence, or
 * as an interrupted run when a signal has come. */
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
  LabChild *front; /* what the clients talk to, if that is not the service; may be NULL */
  char *url;       /* of the work */
  char *refusal;   /* a text that each line about a refusal has in the log, or NULL */
  LabHttpClient *client;
  LabOpenLoop *load;
  LabOpenLoop *beside; /* another load, which starts with this one; not the trial's; may be NULL */
  guint64 work_before;
  gboolean saw_503; /* the first one: */
  char *retry_after, *body;
  guint refusal_lines;
} LabHttpTrial;

/* lab_child_start(), given up when a signal comes, and without the variables of the
 * environment that set the service's options. Returns: (transfer full) */
LabChild *lab_http_child_start (Lab *lab, const char *const *argv, guint16 port, GError **error);

/* Starts build/bin/service with the lab's slots and service time and @flags
 * (NULL-terminated; may be NULL). Returns: (transfer full) */
LabHttpTrial *lab_http_trial_new (Lab *lab, const char *label, const char *const *flags);

/* The same for any other server that has /work and /stats.
 * @service: (transfer full). Returns: (transfer full) */
LabHttpTrial *lab_http_trial_new_of (const char *label, LabChild *service);

/* Stops and reaps its processes. */
void lab_http_trial_free (LabHttpTrial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabHttpTrial, lab_http_trial_free)

/* Puts another server in front of the service: the clients talk to it, and the work is
 * still counted in the service. @front: (transfer full) */
void lab_http_trial_set_front (LabHttpTrial *trial, LabChild *front);

/* Keeps the service busy with a closed loop of 16 workers, or of 4 for each of the
 * lab's slots if those are more (up to LAB_HTTP_PROBE_WORKERS_MAX); see LabHttpProbe.
 * @steady_rps may be NULL. Ends the program when the work takes too long for anything
 * to be measured. */
double lab_http_trial_capacity (Lab *lab, const LabHttpTrial *trial, double *steady_rps);

/* One run at @rate_rps for the lab's duration, with clients that hang up at the lab's
 * client timeout, against all @trials (of LabHttpTrial) at once, and what runs beside. */
void lab_http_trials_run (Lab *lab, GPtrArray *trials, double rate_rps);

/* The main table, without a row yet: an interrupted run has it, too.
 * Returns: (transfer none) */
LabTable *lab_http_trials_table (Lab *lab);

/* Adds a row for each trial, and prints the table with what the first refusals looked
 * like. Judges the generator of each run; see below. */
void lab_http_trials_print (Lab *lab, LabTable *table, GPtrArray *trials);

guint64 lab_http_trial_count (const LabHttpTrial *trial, LabOutcome outcome);

/* A number of the service's /stats. Tries again for a while when the service refuses,
 * but only for a moment once a signal has come. */
guint64 lab_http_service_stat (Lab *lab, const LabChild *service, const char *key);

/* Calls lab_invalidate() when the generator of a run was late, which another run may
 * mend; adds a claim that fails when there was no file or port to send from. */
void lab_http_judge_generator (Lab *lab, const char *label, const LabSummary *summary);

G_END_DECLS
