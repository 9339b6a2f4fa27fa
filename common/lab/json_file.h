/* Reads JSON that may be anything: what people edit, and what other programs left. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Reads a document that is one JSON object. Only a regular file of at most 256 MiB is
 * opened at all (a FIFO would wait for ever). Only what JSON is made of is handed to
 * json-glib, which would take comments and single quotes, too, and only up to 64 levels of
 * brackets, because it goes down one call a level.
 *
 * Returns NULL with @error set (G_FILE_ERROR: it cannot be read; JSON_PARSER_ERROR: it
 * is no JSON object) to a sentence that names the path. Returns: (transfer full) */
JsonNode *lab_json_file_read (const char *path, GError **error);

G_END_DECLS
