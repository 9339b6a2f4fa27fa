#include "json_file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define SIZE_MAX_BYTES (256 * 1024 * 1024)
#define DEPTH_MAX 64

static gboolean
cannot_read (const char *path, int code, const char *why, GError **error)
{
  g_set_error (error, G_FILE_ERROR, code, "cannot read %s (%s)", path, why);
  return FALSE;
}

static gboolean
read_regular_file (const char *path, char **text, gsize *length, GError **error)
{
  g_autoptr (GError) local = NULL;
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return cannot_read (path, (int) g_file_error_from_errno (errno), g_strerror (errno), error);
  if (S_ISDIR (status.st_mode))
    return cannot_read (path, G_FILE_ERROR_ISDIR, g_strerror (EISDIR), error);
  if (!S_ISREG (status.st_mode))
    return cannot_read (path, G_FILE_ERROR_INVAL, "it is not a regular file", error);
  if (status.st_size > SIZE_MAX_BYTES)
    return cannot_read (path, G_FILE_ERROR_INVAL, "it is far too large", error);
  if (!g_file_get_contents (path, text, length, &local))
    {
      const char *reason = strrchr (local->message, ':'); /* GLib's message ends with the system's */

      return cannot_read (path, local->code, reason != NULL ? reason + 2 : local->message, error);
    }
  return TRUE;
}

/* The most brackets that are open at once, outside of texts. */
static guint
depth_of (const char *text, gsize length)
{
  gboolean in_text = FALSE;
  guint depth = 0, deepest = 0;

  for (gsize i = 0; i < length; i++)
    if (in_text)
      {
        if (text[i] == '\\')
          i++;
        else if (text[i] == '"')
          in_text = FALSE;
      }
    else if (text[i] == '"')
      in_text = TRUE;
    else if (text[i] == '[' || text[i] == '{')
      {
        depth++;
        deepest = MAX (deepest, depth);
      }
    else if ((text[i] == ']' || text[i] == '}') && depth > 0)
      depth--;
  return deepest;
}

JsonNode *
lab_json_file_read (const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *text = NULL;
  gsize length;
  JsonNode *root;

  if (!read_regular_file (path, &text, &length, error))
    return NULL;
  if (depth_of (text, length) > DEPTH_MAX || !json_parser_load_from_data (parser, text, (gssize) length, NULL)
      || (root = json_parser_get_root (parser)) == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_PARSE, "%s is not a JSON object", path);
      return NULL;
    }
  return json_parser_steal_root (parser);
}
