#include "../lab/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One option of every kind, and where their values go. */
static struct
{
  gboolean flag, given;
  LabTime span, tick;
  gint64 slots, seed;
  double rps;
  int choice;
  char *text, *path;
  GPtrArray *texts;
} values;

static const LabOption options[] = {
  { .name = "flag", .letter = 'f', .kind = LAB_OPTION_FLAG, .value = &values.flag, .help = "A flag" },
  { .name = "span",
    .letter = 't',
    .kind = LAB_OPTION_DURATION,
    .value = &values.span,
    .min = 1,
    .unit = "DURATION",
    .given = &values.given,
    .help = "A span" },
  { .name = "tick", .kind = LAB_OPTION_DURATION, .value = &values.tick, .max = LAB_S, .unit = "DURATION" },
  { .name = "slots",
    .alias = "places",
    .kind = LAB_OPTION_COUNT,
    .value = &values.slots,
    .min = 1,
    .max = 1000,
    .unit = "N" },
  { .name = "seed", .kind = LAB_OPTION_COUNT, .value = &values.seed, .unit = "N" },
  { .name = "rps", .kind = LAB_OPTION_RPS, .value = &values.rps, .unit = "RPS" },
  { .name = "choice", .kind = LAB_OPTION_CHOICE, .value = &values.choice, .choices = "virtual|real", .unit = "CLOCK" },
  { .name = "text", .kind = LAB_OPTION_TEXT, .value = &values.text, .unit = "TEXT" },
  { .name = "path", .kind = LAB_OPTION_PATH, .value = &values.path, .unit = "DIR" },
  { .name = "texts", .letter = 'H', .kind = LAB_OPTION_TEXTS, .value = &values.texts, .unit = "TEXT" },
};

static void
set_defaults (void)
{
  g_free (values.text);
  g_free (values.path);
  g_clear_pointer (&values.texts, g_ptr_array_unref);
  memset (&values, 0, sizeof values);
  values.span = 5;
  values.slots = 4;
  values.rps = 1;
  values.path = g_strdup ("out");
  values.texts = g_ptr_array_new_with_free_func (g_free);
}

/* @line: the arguments, separated by "|". */
static char **
parse (const char *line, const char *arguments, GError **error)
{
  g_autofree char *whole = g_strconcat ("program", *line != '\0' ? "|" : "", line, NULL);
  g_auto (GStrv) argv = g_strsplit (whole, "|", -1);
  const LabUsage usage = { .arguments = arguments, .summary = "Tries the options." };

  set_defaults ();
  return lab_options_parse (options, G_N_ELEMENTS (options), &usage, (int) g_strv_length (argv), argv, error);
}

static void
parse_ok (const char *line)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) arguments = parse (line, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (arguments);
  g_assert_null (arguments[0]);
}

static void
test_defaults (void)
{
  parse_ok ("");
  g_assert_false (values.flag);
  g_assert_false (values.given);
  g_assert_cmpint (values.span, ==, 5);
  g_assert_cmpint (values.slots, ==, 4);
  g_assert_cmpstr (values.path, ==, "out");
}

static void
test_values (void)
{
  parse_ok ("--flag|--span=1.5s|--tick=0|--slots=1000|--seed=9223372036854775807|--rps=82.7|--choice=real|--text=a b"
            "|--path=d\xc3\xa9j\xe0|--texts=one|-H|two");
  g_assert_true (values.flag);
  g_assert_true (values.given);
  g_assert_cmpint (values.span, ==, 1500 * LAB_MS);
  g_assert_cmpint (values.tick, ==, 0);
  g_assert_cmpint (values.slots, ==, 1000);
  g_assert_cmpint (values.seed, ==, G_MAXINT64);
  g_assert_cmpfloat (values.rps, ==, 82.7);
  g_assert_cmpint (values.choice, ==, 1);
  g_assert_cmpstr (values.text, ==, "a b");
  g_assert_cmpstr (values.path, ==, "d\xc3\xa9j\xe0");
  g_assert_cmpuint (values.texts->len, ==, 2);
  g_assert_cmpstr (values.texts->pdata[1], ==, "two");
}

static void
test_forms (void)
{
  static const struct
  {
    const char *line;
    gint64 slots, span;
  } cases[] = {
    { "--slots=7", 7, 5 },
    { "--slots|7", 7, 5 },
    { "--places=7", 7, 5 },
    { "--places|7", 7, 5 },
    { "-t|7ns", 4, 7 },
    { "-f|-t|7ns|--slots|1", 1, 7 },
    { "--slots=0012", 12, 5 },
    { "--slots=1|--slots=2", 2, 5 },
    { "--span=1440000m", 4, LAB_DURATION_MAX },
    { "--", 4, 5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].line);
      parse_ok (cases[i].line);
      g_assert_cmpint (values.slots, ==, cases[i].slots);
      g_assert_cmpint (values.span, ==, cases[i].span);
    }
}

static void
test_rates (void)
{
  static const struct
  {
    const char *line;
    double rps;
  } cases[] = {
    { "--rps=0.000001", 0.000001 }, { "--rps=1000000000", 1e9 }, { "--rps=80", 80 },
    { "--rps=82.70000049", 82.7 },  { "--rps|165.4", 165.4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      parse_ok (cases[i].line);
      g_assert_cmpfloat (values.rps, ==, cases[i].rps);
    }
}

/* A refusal names the option as it was written, and says what is allowed. */
static void
test_refused (void)
{
  static const struct
  {
    const char *line, *name, *allowed;
  } cases[] = {
    { "--slots=0", "--slots=0", "from 1 to 1000" },
    { "--slots=1001", "--slots=1001", "from 1 to 1000" },
    { "--slots=-1", "--slots=-1", "from 1 to 1000" },
    { "--slots|-1", "--slots=-1", "from 1 to 1000" },
    { "--places=x", "--places=x", "from 1 to 1000" },
    { "--slots=", "--slots=", "from 1 to 1000" },
    { "--slots=+5", "--slots", "a whole number" },
    { "--slots= 5", "--slots", "a whole number" },
    { "--slots=5 ", "--slots", "a whole number" },
    { "--slots=4.0", "--slots", "a whole number" },
    { "--slots=1e2", "--slots", "a whole number" },
    { "--slots=0x10", "--slots", "a whole number" },
    { "--slots=nan", "--slots", "a whole number" },
    { "--slots=99999999999999999999999", "--slots", "a whole number" },
    { "--seed=-1", "--seed", "from 0 to 9223372036854775807" },
    { "--seed=9223372036854775808", "--seed", "from 0 to 9223372036854775807" },
    { "--span=0", "--span=0", "from 1 ns to 1000 days" },
    { "--span=", "--span=", "such as 50ms" },
    { "--span=-1", "--span=-1", "such as 50ms" },
    { "--span=inf", "--span=inf", "such as 50ms" },
    { "--span=1e9", "--span=1e9", "such as 50ms" },
    { "--span=86400001", "--span", "1000 days" },
    { "--span=0.5ns", "--span", "whole nanoseconds" },
    { "-t|0", "-t=0", "from 1 ns" },
    { "--tick=1.1s", "--tick=1.1s", "from 0 s to 1 s" },
    { "--rps=0", "--rps=0", "requests per second" },
    { "--rps=0.0000001", "--rps", "requests per second" },
    { "--rps=1000000001", "--rps", "requests per second" },
    { "--rps=-5", "--rps=-5", "requests per second" },
    { "--rps=nan", "--rps=nan", "requests per second" },
    { "--rps=inf", "--rps=inf", "requests per second" },
    { "--rps=1e2", "--rps=1e2", "requests per second" },
    { "--rps=0x10", "--rps=0x10", "requests per second" },
    { "--rps= 5", "--rps", "requests per second" },
    { "--rps=5.", "--rps=5.", "requests per second" },
    { "--rps=.5", "--rps=.5", "requests per second" },
    { "--rps=8,2", "--rps", "requests per second" },
    { "--rps=", "--rps=", "requests per second" },
    { "--choice=other", "--choice=other", "virtual or real" },
    { "--choice=", "--choice=", "virtual or real" },
    { "--choice=Real", "--choice=Real", "virtual or real" },
    { "--path=", "--path=", "a path" },
    { "--text=", "--text=", "not empty" },
    { "--texts=", "--texts=", "not empty" },
    { "--slots", "--slots needs a value", "from 1 to 1000" },
    { "--flag|--path", "--path needs a value", "a path" },
    { "-t", "-t needs a value", "from 1 ns" },
    { "--bogus", "unknown option --bogus", "--help" },
    { "--bogus=5", "--bogus=5", "--help" },
    { "-x", "-x", "--help" },
    { "--flag=yes", "--flag=yes", "allowed is --flag alone" },
    { "--slot=5", "--slot=5", "--help" },
    { "surplus", "surplus", "only options" },
    { "-f|surplus", "surplus", "only options" },
    { "--|--slots=5", "--slots=5", "only options" },
    { "-", "-", "only options" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (cases[i].line, NULL, &error));
      g_test_message ("%s -> %s", cases[i].line, error->message);
      g_assert_error (error, LAB_OPTION_ERROR, 0);
      g_assert_nonnull (strstr (error->message, cases[i].name));
      g_assert_nonnull (strstr (error->message, cases[i].allowed));
      g_assert_null (strchr (error->message, '\n'));
    }
}

static void
test_arguments (void)
{
  static const struct
  {
    const char *line, *arguments;
  } cases[] = {
    { "", "" },
    { "http://127.0.0.1/", "http://127.0.0.1/" },
    { "a|--slots=9|b", "a|b" },
    { "--|--slots=9|b", "--slots=9|b" },
    { "a|--|-f", "a|-f" },
    { "caf\xe9", "caf\xe9" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) arguments = parse (cases[i].line, "URL", &error);

      g_assert_no_error (error);
      g_autofree char *joined = g_strjoinv ("|", arguments);
      g_assert_cmpstr (joined, ==, cases[i].arguments);
    }
}

static void
test_set (void)
{
  g_autoptr (GError) error = NULL;

  set_defaults ();
  g_assert_true (lab_option_set (&options[1], "SERVICE_TIME", "64ms", &error));
  g_assert_no_error (error);
  g_assert_cmpint (values.span, ==, 64 * LAB_MS);
  g_assert_true (values.given);

  g_assert_false (lab_option_set (&options[1], "SERVICE_TIME", "soon", &error));
  g_assert_true (g_str_has_prefix (error->message, "SERVICE_TIME=soon makes no sense"));
  g_assert_cmpint (values.span, ==, 64 * LAB_MS);
}

static void
test_help (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GError) error = NULL;
      parse ("--slots=9|--help|--bogus", "URL", &error);
      g_assert_not_reached ();
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*URL*Tries the options.*--span=DURATION*A span*--help*");
  g_test_trap_assert_stderr_unmatched ("*sense*");
}

static void
test_help_on_a_full_disk (void)
{
  g_autoptr (GError) error = NULL;

  if (g_test_subprocess ())
    {
      g_assert_nonnull (freopen ("/dev/full", "w", stdout));
      g_assert_null (parse ("-h", NULL, &error));
      fprintf (stderr, "%s\n", error->message);
      _exit (7);
    }
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("there is no /dev/full");
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*cannot write standard output: No space left on device*");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/options/defaults", test_defaults);
  g_test_add_func ("/options/values", test_values);
  g_test_add_func ("/options/forms", test_forms);
  g_test_add_func ("/options/rates", test_rates);
  g_test_add_func ("/options/refused", test_refused);
  g_test_add_func ("/options/arguments", test_arguments);
  g_test_add_func ("/options/set", test_set);
  g_test_add_func ("/options/help", test_help);
  g_test_add_func ("/options/help-on-a-full-disk", test_help_on_a_full_disk);

  int status = g_test_run ();
  set_defaults ();
  g_free (values.path);
  g_ptr_array_unref (values.texts);
  return status;
}
