#include "json_file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define SIZE_MAX_BYTES (256 * 1024 * 1024)
#define DEPTH_MAX 64
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* which some editors write */

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

/* How long an escape is, from behind its backslash; 0: JSON has no such escape. The two
 * halves of a surrogate pair count as one. */
static gsize
escape_length (const char *at)
{
  static const char digits[] = "0123456789abcdefABCDEF";

  if (at[0] != 'u')
    return at[0] != '\0' && strchr ("\"\\/bfnrt", at[0]) != NULL ? 1 : 0;
  if (strspn (at + 1, digits) < 4)
    return 0;
  if (g_ascii_tolower (at[1]) != 'd' || strchr ("01234567", at[2]) != NULL)
    return 5;
  if (strchr ("89abAB", at[2]) == NULL || at[5] != '\\' || at[6] != 'u' || g_ascii_tolower (at[7]) != 'd'
      || at[8] == '\0' || strchr ("cdefCDEF", at[8]) == NULL || strspn (at + 9, digits) < 2)
    return 0;
  return 11;
}

/* Behind the text in quotes that begins at @at; NULL: it is none. */
static const char *
end_of_text (const char *at)
{
  for (at++; *at != '"'; at++)
    if (*at == '\\')
      {
        gsize length = escape_length (at + 1);

        if (length == 0)
          return NULL;
        at += length;
      }
    else if ((guchar) *at < ' ')
      return NULL;
  return at + 1;
}

/* Whether @text is made of nothing but what JSON is made of, with at most DEPTH_MAX
 * brackets open at once. It must be as strict as that: whatever json-glib takes besides
 * (comments, single quotes, broken escapes that swallow a quote) would make it see other
 * texts, and so other brackets, than are seen here. */
static gboolean
is_shallow_json (const char *text)
{
  const char *at = g_str_has_prefix (text, BYTE_ORDER_MARK) ? text + strlen (BYTE_ORDER_MARK) : text;
  guint depth = 0;

  while (at != NULL && *at != '\0')
    if (*at == '"')
      at = end_of_text (at);
    else if (strchr (" \t\r\n,:{}[]+-.0123456789truefalsenullE", *at) == NULL)
      return FALSE;
    else
      {
        if (*at == '[' || *at == '{')
          depth++;
        else if (*at == ']' || *at == '}')
          depth -= MIN (depth, 1);
        if (depth > DEPTH_MAX)
          return FALSE;
        at++;
      }
  return at != NULL;
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
  if (strlen (text) != length || !is_shallow_json (text)
      || !json_parser_load_from_data (parser, text, (gssize) length, NULL)
      || (root = json_parser_get_root (parser)) == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_PARSE, "%s is not a JSON object", path);
      return NULL;
    }
  return json_parser_steal_root (parser);
}
