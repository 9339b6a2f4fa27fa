#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

G_DEFINE_QUARK (lab - option - error - quark, lab_option_error)

#define RPS_MIN 0.000001
#define RPS_MAX 1e9

/* --- one value --- */

static gint64
highest (const LabOption *option)
{
  if (option->max != 0)
    return option->max;
  return option->kind == LAB_OPTION_DURATION ? LAB_DURATION_MAX : G_MAXINT64;
}

/* What an option allows, as the end of a sentence. Returns: (transfer full) */
static char *
allowed (const LabOption *option)
{
  switch (option->kind)
    {
    case LAB_OPTION_DURATION:
      {
        g_autofree char *from = lab_duration_to_label (option->min);
        g_autofree char *to = lab_duration_to_label (highest (option));
        return g_strdup_printf ("a duration from %s to %s", from,
                                highest (option) == LAB_DURATION_MAX ? "1000 days" : to);
      }
    case LAB_OPTION_COUNT:
      return g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, option->min,
                              highest (option));
    case LAB_OPTION_RPS:
      return g_strdup ("a number of requests per second from 0.000001 to 1000000000, such as 82.7");
    case LAB_OPTION_CHOICE:
      {
        g_auto (GStrv) words = g_strsplit (option->choices, "|", -1);
        return g_strjoinv (" or ", words);
      }
    case LAB_OPTION_PATH:
      return g_strdup ("a path");
    case LAB_OPTION_FLAG:
    case LAB_OPTION_TEXT:
    case LAB_OPTION_TEXTS:
      break;
    }
  return g_strdup ("a text that is not empty");
}

static gboolean
set_duration (const LabOption *option, const char *text, char **allowed_form)
{
  g_autoptr (GError) error = NULL;
  LabTime value;

  if (!lab_duration_parse (text, &value, &error))
    {
      *allowed_form = g_strdup (error->message);
      return FALSE;
    }
  if (value < option->min || value > highest (option))
    return FALSE;

  *(LabTime *) option->value = value;
  return TRUE;
}

static gboolean
set_count (const LabOption *option, const char *text)
{
  gint64 value;

  if (!g_ascii_isdigit (*text) || !g_ascii_string_to_signed (text, 10, option->min, highest (option), &value, NULL))
    return FALSE;

  *(gint64 *) option->value = value;
  return TRUE;
}

/* Digits, perhaps with a point and more digits. strtod() would also take signs,
 * exponents, hexadecimal numbers and infinity, which nobody means here. */
static gboolean
is_plain_decimal (const char *text)
{
  gsize whole = strspn (text, "0123456789");

  if (whole == 0 || text[whole] == '\0')
    return whole > 0;
  gsize decimals = strspn (text + whole + 1, "0123456789");
  return text[whole] == '.' && decimals > 0 && text[whole + 1 + decimals] == '\0';
}

static gboolean
set_rps (const LabOption *option, const char *text)
{
  double value = is_plain_decimal (text) ? g_ascii_strtod (text, NULL) : NAN;

  if (!(value >= RPS_MIN && value <= RPS_MAX))
    return FALSE;

  /* So that the results show the very value that was used. */
  *(double *) option->value = rint (value * 1e6) / 1e6;
  return TRUE;
}

static gboolean
set_choice (const LabOption *option, const char *text)
{
  g_auto (GStrv) words = g_strsplit (option->choices, "|", -1);

  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], text) == 0)
      {
        *(int *) option->value = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_text (const LabOption *option, const char *text)
{
  char **value = option->value;

  if (*text == '\0')
    return FALSE;

  g_free (*value);
  *value = g_strdup (text);
  return TRUE;
}

static gboolean
add_text (const LabOption *option, const char *text)
{
  GPtrArray **values = option->value;

  if (*text == '\0')
    return FALSE;

  g_ptr_array_add (*values, g_strdup (text));
  return TRUE;
}

/* @allowed_form: set when there is more to say than allowed() knows. */
static gboolean
set_value (const LabOption *option, const char *text, char **allowed_form)
{
  switch (option->kind)
    {
    case LAB_OPTION_FLAG:
      *(gboolean *) option->value = TRUE;
      return TRUE;
    case LAB_OPTION_DURATION:
      return set_duration (option, text, allowed_form);
    case LAB_OPTION_COUNT:
      return set_count (option, text);
    case LAB_OPTION_RPS:
      return set_rps (option, text);
    case LAB_OPTION_CHOICE:
      return set_choice (option, text);
    case LAB_OPTION_TEXT:
    case LAB_OPTION_PATH:
      return set_text (option, text);
    case LAB_OPTION_TEXTS:
      return add_text (option, text);
    }
  g_return_val_if_reached (FALSE);
}

gboolean
lab_option_set (const LabOption *option, const char *name, const char *text, GError **error)
{
  g_autofree char *form = NULL;

  if (!set_value (option, text, &form))
    {
      if (form == NULL)
        form = allowed (option);
      g_set_error (error, LAB_OPTION_ERROR, 0, "%s=%s makes no sense: allowed is %s", name, text, form);
      return FALSE;
    }

  if (option->given != NULL)
    *option->given = TRUE;
  return TRUE;
}

/* --- the command line --- */

typedef struct
{
  const LabOption *options;
  guint n_options;
  GOptionContext *context;
} Reader;

/* By "--name", "--alias" or "-l". */
static const LabOption *
find_option (const Reader *reader, const char *name)
{
  for (guint i = 0; i < reader->n_options; i++)
    {
      const LabOption *option = &reader->options[i];
      const char letter[] = { '-', option->letter, '\0' };

      if (option->letter != 0 && strcmp (name, letter) == 0)
        return option;
      if (g_str_has_prefix (name, "--")
          && (strcmp (name + 2, option->name) == 0 || g_strcmp0 (name + 2, option->alias) == 0))
        return option;
    }
  return NULL;
}

static gboolean
read_option (const char *name, const char *value, gpointer data, GError **error)
{
  return lab_option_set (find_option (data, name), name, value, error);
}

/* GOption's own --help does not notice when it cannot be written. */
static gboolean
show_help (const char *name, const char *value, gpointer data, GError **error)
{
  const Reader *reader = data;
  g_autofree char *help = g_option_context_get_help (reader->context, TRUE, NULL);

  (void) name;
  (void) value;
  if (fputs (help, stdout) >= 0 && fflush (stdout) == 0)
    exit (0);

  g_set_error (error, LAB_OPTION_ERROR, 0, "cannot write standard output: %s", g_strerror (errno));
  return FALSE;
}

static GOptionEntry
entry_of (const LabOption *option)
{
  /* Every value comes in as a file name does, byte for byte: in the C locale
   * GOption would refuse to convert anything else. */
  return (GOptionEntry) {
    .long_name = option->name,
    .short_name = option->letter,
    .flags = option->kind == LAB_OPTION_FLAG ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_FILENAME,
    .arg = G_OPTION_ARG_CALLBACK,
    .arg_data = read_option,
    .description = option->help,
    .arg_description = option->unit,
  };
}

/* (transfer full) An array of GOptionEntry, ended by an empty one. */
static GArray *
entries_of (const Reader *reader, char ***arguments)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  for (guint i = 0; i < reader->n_options; i++)
    {
      GOptionEntry entry = entry_of (&reader->options[i]);
      g_array_append_val (entries, entry);

      if (reader->options[i].alias != NULL)
        {
          entry.long_name = reader->options[i].alias;
          entry.short_name = 0;
          entry.flags |= G_OPTION_FLAG_HIDDEN;
          g_array_append_val (entries, entry);
        }
    }

  const GOptionEntry last[] = {
    { "help", 'h', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, show_help, "Show this and exit", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, arguments, NULL, NULL },
  };
  g_array_append_vals (entries, last, G_N_ELEMENTS (last));
  return entries;
}

/* Whether the next word of the line is the value of this one. */
static gboolean
takes_next (const Reader *reader, const char *word)
{
  const LabOption *option = find_option (reader, word);

  return option != NULL && option->kind != LAB_OPTION_FLAG;
}

/* "--flag=no": GOption would take it for "--flag". */
static gboolean
refuse_flag_with_value (const Reader *reader, char **argv, GError **error)
{
  for (guint i = 1; argv[0] != NULL && argv[i] != NULL && strcmp (argv[i], "--") != 0; i++)
    {
      if (takes_next (reader, argv[i]) && argv[i + 1] != NULL)
        {
          i++;
          continue;
        }
      const char *value = strchr (argv[i], '=');
      g_autofree char *name = value != NULL ? g_strndup (argv[i], (gsize) (value - argv[i])) : NULL;
      const LabOption *option = name != NULL ? find_option (reader, name) : NULL;

      if (option != NULL && option->kind == LAB_OPTION_FLAG)
        {
          g_set_error (error, LAB_OPTION_ERROR, 0, "%s makes no sense: allowed is %s alone", argv[i], name);
          return TRUE;
        }
    }
  return FALSE;
}

/* GOption's complaints about the form of the line, made to say what is allowed. */
static void
explain (const Reader *reader, char **argv, GError **error)
{
  if ((*error)->domain != G_OPTION_ERROR)
    return;

  guint argc = g_strv_length (argv);
  const LabOption *last = argc > 1 ? find_option (reader, argv[argc - 1]) : NULL;

  if (g_error_matches (*error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE) && last != NULL)
    {
      g_autofree char *form = allowed (last);
      g_clear_error (error);
      g_set_error (error, LAB_OPTION_ERROR, 0, "%s needs a value: allowed is %s", argv[argc - 1], form);
    }
  else
    {
      g_autofree char *message = g_strdup ((*error)->message);
      message[0] = g_ascii_tolower (message[0]);
      g_clear_error (error);
      g_set_error (error, LAB_OPTION_ERROR, 0, "%s; --help lists the options there are", message);
    }
}

char **
lab_options_parse (const LabOption *options, guint n_options, const LabUsage *usage, int argc, char **argv,
                   GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (usage->arguments);
  Reader reader = { options, n_options, context };
  g_auto (GStrv) line = g_new0 (char *, argc + 1);
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GArray) entries = entries_of (&reader, &arguments);
  GOptionGroup *group = g_option_group_new ("main", "", "", &reader, NULL);
  GError *local_error = NULL;

  for (int i = 0; i < argc; i++)
    line[i] = g_strdup (argv[i]);

  g_option_group_add_entries (group, (const GOptionEntry *) (gpointer) entries->data);
  g_option_context_set_main_group (context, group);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_summary (context, usage->summary);

  if (refuse_flag_with_value (&reader, argv, error))
    return NULL;
  if (!g_option_context_parse_strv (context, &line, &local_error))
    {
      explain (&reader, argv, &local_error);
      g_propagate_error (error, local_error);
      return NULL;
    }
  if (arguments != NULL && usage->arguments == NULL)
    {
      g_set_error (error, LAB_OPTION_ERROR, 0, "%s is too much: only options are allowed, which --help lists",
                   arguments[0]);
      return NULL;
    }
  return arguments != NULL ? g_steal_pointer (&arguments) : g_new0 (char *, 1);
}
