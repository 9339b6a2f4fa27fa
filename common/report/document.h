/* A result document of the lab, read back from its file and looked at closely
 * before anything is made of it: what is not as the lab writes it is an error that
 * names the file, so that a page or a table never shows half of something. */
#pragma once

#include "../lab/json_file.h"

G_BEGIN_DECLS

#define DOCUMENT_ERROR (g_quark_from_static_string ("document-error"))

typedef struct
{
  char *path;
  char *program;
  JsonNode *root;
  JsonObject *object; /* of root, like those below */
  JsonObject *settings;
  JsonArray *rows;
  JsonArray *checks; /* may be empty */
} Document;

/* <folder>/<program>.json. Returns: (transfer full) */
Document *document_load (const char *folder, const char *program, GError **error);

/* The same, but a file that is not there is no error: FALSE only with @error set. */
gboolean document_load_if_there (const char *folder, const char *program, Document **document, GError **error);

void document_free (Document *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Document, document_free)

/* A text of the document itself ("clock", "version"); "" where it has none. */
const char *document_text (const Document *document, const char *key);

/* A list of objects called @name: "rows", "by_second". NULL where there is none. */
JsonArray *document_table (const Document *document, const char *name);

typedef struct
{
  guint held;
  guint broken;
  guint skipped;
} Verdicts;

Verdicts document_verdicts (const Document *document);

/* "4 of 4 checks held". Returns: (transfer full) */
char *verdicts_text (Verdicts verdicts);

/* Were both run with the same settings, the timer tick and step 1's reading apart?
 * When not, @different is the first that differs: "duration_s". */
gboolean document_same_settings (const Document *a, const Document *b, const char **different);

/* The 99th percentile of the generator's lateness, the worst of all rows; NaN where
 * nothing was measured. Over 10 ms the run is not valid. */
double document_lateness_p99_us (const Document *document);
#define DOCUMENT_LATENESS_LIMIT_US 10000.0

/* One figure of a document: an address is a row and a key, "1.goodput_rps".
 * Returns: (transfer none), NULL where there is none */
JsonNode *document_figure (const Document *document, const char *address);

/* What a figure is called: "line capped at 41: goodput/s"; the heading alone in a
 * table of one row. Returns: (transfer full) */
char *document_figure_name (const Document *document, const char *address);

/* A value with its name and unit, as one says it: "service time 0.05 s".
 * Returns: (transfer full) */
char *figure_phrase (const char *key, JsonNode *node);

/* What a row is called: its first member, or the second of arrival: "no limits",
 * "multiple 0.5", "second 2".
 * Returns: (transfer full) */
char *row_name (JsonObject *row);

/* The heading of a key, unit included: "goodput_rps" is "goodput/s".
 * Returns: (transfer full) */
char *figure_heading (const char *key);

/* Any value as it is printed for a key, with as many decimals as its unit asks for;
 * null is "-", a list is joined by ", ". Returns: (transfer full) */
char *figure_text (const char *key, JsonNode *node);

gboolean figure_is_number (JsonNode *node);

/* How far a figure may be from @expected: @share of it, but at least 3 of a count
 * and 1/s of a rate. */
double figure_tolerance (const char *key, double expected, double share);

/* "+1.2 %"; "same" or "differs" for anything but two numbers, "-" where a share of
 * nothing would have to be told. Returns: (transfer full) */
char *figure_difference (JsonNode *value, JsonNode *expected);

/* A CSV file: a GPtrArray of lines, each a GStrv. Returns: (transfer full) */
GPtrArray *csv_file_load (const char *path, GError **error);

G_END_DECLS
