/* A table of results: one description of its columns serves the printed table,
 * the CSV and the JSON, so that they cannot disagree.
 *
 *   static const LabColumn columns[] = {
 *     { .key = "queue", .heading = "queue", .width = -22 },
 *     { .key = "dropped", .heading = "dropped", .width = 8 },
 *     { .key = "longest_wait_s", .heading = "longest s", .width = 11, .decimals = 2 },
 *   };
 *
 *   LabTable *table = lab_table_new (columns, G_N_ELEMENTS (columns), FALSE);
 *   lab_table_add (table, LAB_ROW (lab_text ("unbounded"), lab_count (0), lab_seconds (wait_ns)));
 */
#pragma once

#include "../time/duration.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_VALUE_NONE, /* null in JSON, empty in CSV, "-" in a printed table */
  LAB_VALUE_TEXT,
  LAB_VALUE_LIST,    /* of texts: a list in JSON, joined by ";" in CSV */
  LAB_VALUE_BOOLEAN, /* true or false; "yes" or "no" in a printed table */
  LAB_VALUE_DECIMAL  /* units / 10^decimals, exactly */
} LabValueKind;

typedef struct
{
  LabValueKind kind;
  const char *text; /* the caller's; a table copies it. LIST: joined by ";" */
  gint64 units;
  guint decimals;
} LabValue;

LabValue lab_none (void);
LabValue lab_text (const char *text); /* NULL: none */
LabValue lab_list (const char *joined);
LabValue lab_boolean (gboolean value);
LabValue lab_count (guint64 n);
LabValue lab_decimal (gint64 units, guint decimals);

/* @numerator / @denominator to 6 decimals (fewer when the result would
 * not fit), half to even; none when the denominator is not positive. */
LabValue lab_ratio (gint64 numerator, gint64 denominator);

/* @count per @span_ns, in 1/s; none when the span is not positive. */
LabValue lab_rate (guint64 count, LabTime span_ns);

/* A time in the unit named, exactly; none when it is negative. */
LabValue lab_seconds (LabTime span_ns);
LabValue lab_milliseconds (LabTime span_ns);
LabValue lab_microseconds (LabTime span_ns);

/* A rate that is held as a double (settings), to 6 decimals; none unless it is
 * from 0 to 10^12. */
LabValue lab_rps (double rate_rps);

/* A decimal rounded half to even; anything else unchanged. */
LabValue lab_value_round (LabValue value, guint decimals);

/* NaN for anything but a decimal. */
double lab_value_to_double (LabValue value);

typedef struct
{
  const char *key;     /* in JSON and CSV; NULL: printed only (not the first) */
  const char *heading; /* in the printed table; NULL: not printed */
  int width;           /* of the printed column; negative: flush left */
  guint decimals;      /* of a printed decimal, rounded half to even */
  const char *suffix;  /* printed right behind the value ("x", "%"), within the width; may be NULL */
  const char *object;  /* neighbouring columns of one object stand in a JSON object
                          of that name, null when all of them are none; in CSV the
                          column is called object_key */
  gboolean real_only;  /* a table of the virtual clock is without it, and without its values */
} LabColumn;

typedef struct _LabTable LabTable;

/* @columns must outlive the table. Returns: (transfer full) */
LabTable *lab_table_new (const LabColumn *columns, guint n_columns, gboolean real_clock);
void lab_table_free (LabTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabTable, lab_table_free)

/* Values in the order of the columns, one for each, whatever the clock. */
#define LAB_ROW(...) (const LabValue[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const LabValue[]) { __VA_ARGS__ }))
void lab_table_add (LabTable *table, const LabValue *values, guint n_values);

guint lab_table_n_rows (const LabTable *table);

/* The value at a row and a column's key, as added. */
LabValue lab_table_get (const LabTable *table, guint row, const char *key);

/* The printed lines, each ended by a newline, without spaces at the end. A value
 * too wide for its column pushes the rest aside rather than being cut or touching
 * its neighbour. */
void lab_table_append_heading (const LabTable *table, GString *to);
void lab_table_append_row (const LabTable *table, guint row, GString *to);

void lab_table_append_csv (const LabTable *table, GString *to);

/* A JSON array, one row a line, each line indented by @indent spaces and the
 * closing bracket by two fewer. */
void lab_table_append_json (const LabTable *table, guint indent, GString *to);

/* One value, as JSON has it. Texts that are not UTF-8 are made so. A decimal shows
 * no zeros at its end but the first: 82.7, 1.0; a count has no point. */
void lab_value_append_json (LabValue value, GString *to);

G_END_DECLS
