/* Durations, and the values of options of every kind: what is taken is within the
 * option's range, what is refused says why, and a label reads back as it was. */
#include "../lab/options.h"
#include "fuzz.h"

#include <string.h>

static void
try_duration (const char *text)
{
  LabTime duration_ns = -1, again_ns;
  g_autoptr (GError) error = NULL;
  g_autofree char *label = NULL;
  char *space;

  if (!lab_duration_parse (text, &duration_ns, &error))
    {
      FUZZ_ASSERT (error != NULL && error->message[0] != '\0' && duration_ns == -1);
      return;
    }
  FUZZ_ASSERT (error == NULL && duration_ns >= 0 && duration_ns <= LAB_DURATION_MAX);
  label = lab_duration_to_label (duration_ns);
  space = strchr (label, ' ');
  FUZZ_ASSERT (space != NULL);
  memmove (space, space + 1, strlen (space)); /* "0.3 s" is written "0.3s" */
  FUZZ_ASSERT (lab_duration_parse (label, &again_ns, NULL) && again_ns == duration_ns);
}

static void
try_options (const char *text)
{
  LabTime duration_ns = 7;
  gint64 count = 7;
  double rate = 7;
  int choice = 0;
  const LabOption options[] = {
    { .name = "duration", .kind = LAB_OPTION_DURATION, .value = &duration_ns, .min = 5, .max = LAB_S, .unit = "D" },
    { .name = "count", .kind = LAB_OPTION_COUNT, .value = &count, .min = 1, .max = 1000, .unit = "N" },
    { .name = "rate", .kind = LAB_OPTION_RPS, .value = &rate, .unit = "RPS" },
    { .name = "choice", .kind = LAB_OPTION_CHOICE, .value = &choice, .choices = "constant|poisson", .unit = "C" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *argument = g_strdup_printf ("--%s=%s", options[i].name, text);
      char *arguments[] = { (char *) "fuzz", argument, NULL };
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) same_error = NULL;
      g_auto (GStrv) rest = lab_options_parse (options, G_N_ELEMENTS (options), &(LabUsage) { .summary = "Fuzzed." }, 2,
                                               arguments, &error);

      FUZZ_ASSERT ((rest == NULL) == (error != NULL));
      FUZZ_ASSERT (error == NULL || strstr (error->message, options[i].name) != NULL);
      FUZZ_ASSERT (lab_option_set (&options[i], "FUZZED", text, &same_error) == (rest != NULL));
    }
  FUZZ_ASSERT (duration_ns >= 5 && duration_ns <= LAB_S);
  FUZZ_ASSERT (count >= 1 && count <= 1000);
  FUZZ_ASSERT (rate >= 0.000001 && rate <= 1e9);
  FUZZ_ASSERT (choice == 0 || choice == 1);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = fuzz_text (data, size);

  try_duration (text);
  try_options (text);
  return 0;
}
