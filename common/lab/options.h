/* The options of a program: one table, read by GLib's GOption, every value held
 * against its range. A value that makes no sense is refused by the option's
 * name, with what is allowed. */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_OPTION_FLAG,     /* gboolean */
  LAB_OPTION_DURATION, /* LabTime */
  LAB_OPTION_COUNT,    /* gint64 */
  LAB_OPTION_RPS,      /* double: a rate from 0.000001 to 1000000000, held to a millionth */
  LAB_OPTION_CHOICE,   /* int: the place of the word among .choices */
  LAB_OPTION_TEXT,     /* char *: (transfer full) to the caller, freed with g_free() */
  LAB_OPTION_PATH,     /* char *, in the file system's encoding; likewise */
  LAB_OPTION_TEXTS     /* GPtrArray * of char *: may be given many times; made by the caller */
} LabOptionKind;

typedef struct
{
  const char *name;  /* "client-timeout" */
  char letter;       /* 't', or 0 */
  const char *alias; /* another long name, or NULL */
  LabOptionKind kind;
  gpointer value;      /* of the kind's type; its content is the default */
  gboolean *given;     /* set to TRUE when the option was; may be NULL */
  gint64 min, max;     /* DURATION (ns), COUNT; max 0: as far as the kind goes */
  const char *choices; /* CHOICE: words separated by "|" */
  const char *unit;    /* in --help: "DURATION", "N", "RPS", "DIR" ... */
  const char *help;
} LabOption;

typedef struct
{
  const char *arguments; /* in --help, for what is not an option: "URL"; NULL: none taken */
  const char *summary;   /* one or two sentences for --help */
} LabUsage;

/* Reads the command line: "--name=VALUE", "--name VALUE", "-t VALUE", and --help or
 * -h (prints and exits with 0). A bare "--" ends the options; of an option given
 * twice the last counts. No value may be empty.
 *
 * Returns the arguments that are no options (NULL-terminated, maybe empty), or
 * NULL with @error set to one clear sentence. Returns: (transfer full) */
char **lab_options_parse (const LabOption *options, guint n_options, const LabUsage *usage, int argc, char **argv,
                          GError **error);

/* The same check for a value that comes from elsewhere (an environment variable
 * named @name); FALSE with @error set when it makes no sense. */
gboolean lab_option_set (const LabOption *option, const char *name, const char *text, GError **error);

#define LAB_OPTION_ERROR (lab_option_error_quark ())
GQuark lab_option_error_quark (void);

G_END_DECLS
