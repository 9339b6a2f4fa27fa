/* The settings of a program: their defaults, the options that set them, and what the
 * result document says of them. Private to the lab. */
#pragma once

#include "lab.h"

G_BEGIN_DECLS

/* settings->out is the caller's to free. */
void lab_settings_init (LabSettings *settings, const LabProgram *program);

/* Reads the command line. *version is set to TRUE when --version was given. Returns the
 * arguments that are no options, or NULL with @error set to one sentence.
 * Returns: (transfer full) */
char **lab_settings_read (LabSettings *settings, const LabProgram *program, int argc, char **argv, gboolean *version,
                          GError **error);

/* Puts those of the option groups into "settings". */
void lab_settings_put (const LabSettings *settings, LabOptionGroups groups, LabResults *results);

G_END_DECLS
