#include "settings.h"

#include "../loadgen/arrivals.h"
#include "../service/service.h"

#define SLOTS_MAX 1000000
#define DURATION_MAX_NS (10 * 86400 * LAB_S) /* there is a row for each second of arrival */

/* The values of options that are not settings themselves. */
typedef struct
{
  int clock;
  gboolean version;
} Choices;

static void
add_clock_options (GArray *options, LabOptionGroups groups, LabSettings *settings, Choices *choices)
{
  gboolean real_only = (groups & LAB_OPTIONS_REAL_ONLY) != 0;
  const LabOption clock = { .name = "clock",
                            .kind = LAB_OPTION_CHOICE,
                            .value = &choices->clock,
                            .choices = real_only ? "real" : "virtual|real",
                            .unit = real_only ? "real" : "virtual|real",
                            .help = real_only ? "Which clock (there is one here)" : "Which clock (virtual)" };
  const LabOption tick = { .name = "timer-tick",
                           .kind = LAB_OPTION_DURATION,
                           .value = &settings->timer_tick_ns,
                           .unit = "DURATION",
                           .help = "Virtual timers fire on multiples of it (0)" };

  if (real_only || (groups & LAB_OPTIONS_CLOCK) != 0)
    g_array_append_val (options, clock);
  if (!real_only && (groups & LAB_OPTIONS_CLOCK) != 0)
    g_array_append_val (options, tick);
}

static void
add_group_options (GArray *options, LabOptionGroups groups, LabSettings *settings, const char *duration_help)
{
  const struct
  {
    LabOptionGroups group;
    LabOption option;
  } all[] = {
    { LAB_OPTIONS_SERVICE,
      { .name = "service-time",
        .kind = LAB_OPTION_DURATION,
        .value = &settings->service_time_ns,
        .min = 1,
        .unit = "DURATION",
        .help = "Work per request (50ms)" } },
    { LAB_OPTIONS_SERVICE,
      { .name = "slots",
        .kind = LAB_OPTION_COUNT,
        .value = &settings->slots,
        .min = 1,
        .max = SLOTS_MAX,
        .unit = "N",
        .help = "Requests worked on at once (4)" } },
    { LAB_OPTIONS_PATIENCE,
      { .name = "client-timeout",
        .letter = 't',
        .alias = "timeout",
        .kind = LAB_OPTION_DURATION,
        .value = &settings->client_timeout_ns,
        .min = 1,
        .unit = "DURATION",
        .help = "How long a client waits (1s)" } },
    { LAB_OPTIONS_CAPACITY,
      { .name = "capacity",
        .kind = LAB_OPTION_RPS,
        .value = &settings->capacity_rps,
        .unit = "RPS",
        .help = "Measured capacity (from DIR/capacity.json)" } },
    { LAB_OPTIONS_DURATION,
      { .name = "duration",
        .letter = 'd',
        .kind = LAB_OPTION_DURATION,
        .value = &settings->duration_ns,
        .min = 1,
        .max = DURATION_MAX_NS,
        .unit = "DURATION",
        .help = duration_help } },
    { LAB_OPTIONS_ARRIVALS,
      { .name = "arrivals",
        .kind = LAB_OPTION_CHOICE,
        .value = &settings->arrivals,
        .choices = "constant|poisson",
        .unit = "constant|poisson",
        .help = "How requests arrive (constant)" } },
    { LAB_OPTIONS_WORK,
      { .name = "work",
        .kind = LAB_OPTION_CHOICE,
        .value = &settings->work,
        .choices = "fixed|exponential",
        .unit = "fixed|exponential",
        .help = "How the work varies around its mean (fixed)" } },
    { LAB_OPTIONS_ARRIVALS | LAB_OPTIONS_WORK,
      { .name = "seed",
        .kind = LAB_OPTION_COUNT,
        .value = &settings->seed,
        .unit = "N",
        .help = "Of every random draw (7)" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if ((groups & all[i].group) != 0)
      g_array_append_val (options, all[i].option);
}

static void
add_common_options (GArray *options, LabSettings *settings, Choices *choices)
{
  const LabOption common[] = {
    { .name = "out",
      .letter = 'o',
      .kind = LAB_OPTION_PATH,
      .value = &settings->out,
      .unit = "DIR",
      .help = "Where results go, made if missing (out)" },
    { .name = "json",
      .kind = LAB_OPTION_FLAG,
      .value = &settings->json,
      .help = "The result document on standard output, nothing else there" },
    { .name = "quiet", .kind = LAB_OPTION_FLAG, .value = &settings->quiet, .help = "Print no tables" },
    { .name = "version", .kind = LAB_OPTION_FLAG, .value = &choices->version, .help = "Show the version and exit" },
  };

  g_array_append_vals (options, common, G_N_ELEMENTS (common));
}

void
lab_settings_init (LabSettings *settings, const LabProgram *program)
{
  *settings = (LabSettings) {
    .service_time_ns = 50 * LAB_MS,
    .slots = 4,
    .client_timeout_ns = LAB_S,
    .duration_ns = program->duration_ns,
    .seed = 7,
    .out = g_strdup ("out"),
  };
}

char **
lab_settings_read (LabSettings *settings, const LabProgram *program, int argc, char **argv, gboolean *version,
                   GError **error)
{
  Choices choices = { 0 };
  g_autoptr (GArray) options = g_array_new (FALSE, FALSE, sizeof (LabOption));
  g_autofree char *duration = lab_duration_to_label (program->duration_ns);
  g_autofree char *duration_help = g_strdup_printf ("Length of each run (%s)", duration);
  g_auto (GStrv) arguments = NULL;

  add_clock_options (options, program->options, settings, &choices);
  add_group_options (options, program->options, settings, duration_help);
  if (program->n_own > 0)
    g_array_append_vals (options, program->own, program->n_own);
  add_common_options (options, settings, &choices);

  arguments = lab_options_parse ((const LabOption *) (gpointer) options->data, options->len,
                                 &(LabUsage) { .arguments = program->arguments, .summary = program->summary }, argc,
                                 argv, error);
  if (arguments == NULL)
    return NULL;
  *version = choices.version;
  settings->real_clock = choices.clock == 1 || (program->options & LAB_OPTIONS_REAL_ONLY) != 0;
  if (settings->real_clock && settings->timer_tick_ns > 0 && !choices.version)
    {
      g_set_error (error, LAB_OPTION_ERROR, 0,
                   "--timer-tick makes no sense with --clock=real: allowed is the virtual clock alone");
      return NULL;
    }
  return g_steal_pointer (&arguments);
}

void
lab_settings_put (const LabSettings *settings, LabOptionGroups groups, LabResults *results)
{
  if (groups & LAB_OPTIONS_SERVICE)
    {
      lab_results_setting (results, "service_time_s", lab_seconds (settings->service_time_ns));
      lab_results_setting (results, "slots", lab_count ((guint64) settings->slots));
    }
  if (groups & LAB_OPTIONS_PATIENCE)
    lab_results_setting (results, "client_timeout_s", lab_seconds (settings->client_timeout_ns));
  if ((groups & LAB_OPTIONS_CLOCK) && !(groups & LAB_OPTIONS_REAL_ONLY))
    lab_results_setting (results, "timer_tick_s", lab_seconds (settings->timer_tick_ns));
  if (groups & LAB_OPTIONS_CAPACITY) /* its place; lab_capacity_rps() knows the value */
    lab_results_setting (results, "capacity_rps", lab_none ());
  if (groups & LAB_OPTIONS_DURATION)
    lab_results_setting (results, "duration_s", lab_seconds (settings->duration_ns));
  if (groups & LAB_OPTIONS_ARRIVALS)
    lab_results_setting (results, "arrivals",
                         lab_text (settings->arrivals == LAB_ARRIVALS_POISSON ? "poisson" : "constant"));
  if (groups & LAB_OPTIONS_WORK)
    lab_results_setting (results, "work", lab_text (settings->work == LAB_WORK_EXPONENTIAL ? "exponential" : "fixed"));
}
