/* Step 1: measure the capacity of a service, instead of assuming it. */
#include "../common/lab/lab.h"
#include "../common/loadgen/loadgen.h"
#include "../common/service/service.h"
#include "check.h"

#define SAMPLES 20
#define STEADY_FROM_NS LAB_S

static const LabColumn columns[] = {
  { .key = "asked_ms" }, { .key = "took_ms" },      { .key = "finished" },
  { .key = "seconds" },  { .key = "capacity_rps" }, { .key = "steady_capacity_rps" },
};

/* How long one work really takes when nothing else goes on: the mean of some. */
static LabTime
time_the_work (Lab *lab)
{
  LabTime total_ns = 0;

  for (int i = 0; i < SAMPLES; i++)
    total_ns += lab_sleep (lab, lab_settings (lab)->service_time_ns);
  return total_ns / SAMPLES;
}

/* Keeps every slot busy; the rate at which works finish is the capacity. */
static LabClosedLoop *
keep_busy (Lab *lab, LabService *service)
{
  const LabSettings *settings = lab_settings (lab);
  const LabClosedLoopOptions options = { .workers = (guint) settings->slots * WORKERS_PER_SLOT,
                                         .duration_ns = settings->duration_ns,
                                         .steady_from_ns = STEADY_FROM_NS };
  LabClosedLoop *probe = lab_closed_loop_new (lab_clock (lab), lab_service_target (service), &options);

  lab_closed_loop_start (probe);
  lab_run_until (lab, lab_closed_loop_is_over, probe, settings->duration_ns);
  return probe;
}

int
main (int argc, char *argv[])
{
  g_autoptr (Lab) lab = lab_new (
      &(LabProgram) { .name = "step01_calibrate",
                      .summary = "Measure the capacity of the service.",
                      .options = LAB_OPTIONS_CLOCK | LAB_OPTIONS_SERVICE | LAB_OPTIONS_WORK | LAB_OPTIONS_DURATION,
                      .duration_ns = 3 * LAB_S },
      argc, argv);
  const LabSettings *settings = lab_settings (lab);
  const LabServiceOptions options = { .limits = { .slots = (guint) settings->slots },
                                      .service_time_ns = settings->service_time_ns,
                                      .work = settings->work,
                                      .seed = (guint64) settings->seed };

  probe_refuse_endless_run (lab);
  LabTime took_ns = time_the_work (lab);
  g_autoptr (LabService) service = lab_service_new (lab_clock (lab), &options);
  g_autoptr (LabClosedLoop) probe = keep_busy (lab, service);
  guint64 finished = lab_closed_loop_finished (probe, LAB_OK);
  LabValue capacity = lab_value_round (lab_rate (finished, settings->duration_ns), 1);
  LabValue steady = lab_rate (lab_closed_loop_steady_ok (probe), settings->duration_ns - STEADY_FROM_NS);

  lab_print (lab, "asked for %.0f ms of work; one request really took %.1f ms\n",
             (double) settings->service_time_ns / LAB_MS, (double) took_ns / LAB_MS);
  lab_print (lab, "%" G_GINT64_FORMAT " slots kept busy for %g s finished %" G_GUINT64_FORMAT " requests\n",
             settings->slots, (double) settings->duration_ns / LAB_S, finished);
  lab_print (lab, "capacity = %.1f requests per second\n", lab_value_to_double (capacity));
  if (steady.kind == LAB_VALUE_DECIMAL)
    lab_print (lab,
               "steady capacity = %.1f requests per second: the probe reads high, because it also counts\n"
               "the works still in flight when its time is up\n",
               lab_value_to_double (steady));
  lab_table_add (lab_results_rows (lab_results (lab), columns, G_N_ELEMENTS (columns)),
                 LAB_ROW (lab_milliseconds (settings->service_time_ns), lab_milliseconds (took_ns),
                          lab_count (finished), lab_seconds (settings->duration_ns), capacity, steady));
  lab_store_capacity (lab, capacity, steady);
  probe_check (lab, took_ns, finished, lab_value_to_double (steady));
  return lab_finish (lab);
}
