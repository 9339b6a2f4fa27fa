/* The log of the service, on standard error: whole lines, and it never waits for a
 * reader. Lines for which there is no room are dropped and counted, and a line says how
 * many as soon as there is room again. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Control characters in the line (an argument may have brought them) become "?". */
void step06_log (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* At the end: says how many lines were dropped since the last one, if there is room. */
void step06_log_end (void);

G_END_DECLS
