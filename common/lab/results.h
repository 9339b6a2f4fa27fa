/* The result document of a run, and its files.
 *
 * <out>/<program>.json and .csv, and for every further table
 * <out>/<program>_<name>.csv. Each file is written whole or not at all, the JSON
 * last. The document holds no date and no path, and on the virtual clock nothing of
 * the machine, so there the same run gives the same bytes. json-glib reads it back; it is written from integers,
 * because json-glib prints 0.05 as 0.050000000000000003. */
#pragma once

#include <sys/utsname.h>

#include "table.h"

G_BEGIN_DECLS

/* The version of the lab, part of every result document. */
#define LAB_VERSION "1.0"

typedef struct _LabResults LabResults;

/* @program: the name of the files and the "program" of the document.
 * @seed: none, where there is no one seed. Returns: (transfer full) */
LabResults *lab_results_new (const char *program, gboolean real_clock, LabValue seed);
void lab_results_free (LabResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LabResults, lab_results_free)

/* Adds to "settings", in this order; a key that is set again keeps its place and
 * takes the new value. */
void lab_results_setting (LabResults *results, const char *key, LabValue value);

/* The main table, "rows"; made when it is first asked for. Returns: (transfer none) */
LabTable *lab_results_rows (LabResults *results, const LabColumn *columns, guint n_columns);

/* A further table in a CSV file of its own; in the document too, under @name,
 * when @in_document; made when it is first asked for. Returns: (transfer none) */
LabTable *lab_results_table (LabResults *results, const char *name, gboolean in_document, const LabColumn *columns,
                             guint n_columns);

/* A further object of the document: {"key": value, ...}, filled in order. */
void lab_results_object (LabResults *results, const char *name, const char *key, LabValue value);

typedef enum
{
  LAB_CHECK_FAIL,
  LAB_CHECK_PASS,
  LAB_CHECK_SKIP /* it cannot be judged at these settings; "holds": null */
} LabCheckVerdict;

void lab_results_check (LabResults *results, LabCheckVerdict verdict, const char *claim, const char *detail);

/* The whole document, ended by a newline. Returns: (transfer full) */
char *lab_results_to_json (const LabResults *results, gboolean interrupted);

/* One more file, <out>/@name, written together with the results and like them only
 * by a run that was not interrupted. */
void lab_results_file (LabResults *results, const char *name, const char *content);

/* Writes all files into @out, made if missing: first every temporary file, then
 * every rename, so that a full disk leaves what was there before. When
 * @interrupted only <program>.interrupted.json and .csv, which the next complete
 * run removes; complete results stay as they are. */
gboolean lab_results_write (const LabResults *results, const char *out, gboolean interrupted, GError **error);

/* What the processor calls itself where the kernel tells, else its kind.
 * Returns: (transfer full) */
char *lab_processor_name (const struct utsname *kernel);

/* Writes one file whole or not at all: a temporary file beside it, then a rename.
 * @length -1: up to the closing zero byte. @error names the path. */
gboolean lab_file_write (const char *path, const char *content, gssize length, GError **error);

G_END_DECLS
