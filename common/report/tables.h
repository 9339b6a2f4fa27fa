/* The tables of the report. */
#pragma once

#include "document.h"

G_BEGIN_DECLS

/* A list of objects; the first member is the name of each. They stand in rows, or, when
 * their figures are more than they, in columns. */
void add_json_table (GString *page, JsonArray *rows, const char *caption);

/* The lines of a CSV file. */
void add_csv_table (GString *page, GPtrArray *lines, const char *caption);

/* What stands beside a result. */
typedef struct
{
  const Document *document;
  const Document *real;   /* NULL: not run on the real clock, or with other settings */
  const Document *ticked; /* NULL: not run with the article's timer tick */
  JsonNode *printed;      /* what the article prints, shown where there is @ticked or over HTTP */
} Beside;

/* A figure a line: virtual, real and their difference; with the tick, the article's
 * own and their difference. @name is a table of the documents. Returns whether there
 * is anything to compare it with; nothing is added otherwise. */
gboolean add_comparison (GString *page, const Beside *beside, const char *name, const char *caption);

G_END_DECLS
