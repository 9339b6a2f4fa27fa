/* The log of the service, on standard error: whole lines, and never a wait for whoever
 * reads them. Lines for which there is no room are dropped and counted, and the next
 * one that there is room for says how many. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Control characters in the line (an argument may have brought them) become "?". */
void step06_log (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* The last word: what was dropped since the last line, where there is room to say so. */
void step06_log_end (void);

G_END_DECLS
