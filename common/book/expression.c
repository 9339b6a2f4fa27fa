#include "expression.h"

#include <math.h>
#include <string.h>

#define NEARLY 1e-9

typedef struct
{
  const char *at;
  JsonObject *document;
  char *problem; /* the first one; what is read after it does not matter */
} Reader;

static double read_conjunction (Reader *reader);

static double
fail (Reader *reader, char *problem)
{
  if (reader->problem == NULL)
    reader->problem = problem;
  else
    g_free (problem);
  return 0;
}

static gboolean
take (Reader *reader, const char *symbol)
{
  reader->at += strspn (reader->at, " \n");
  if (!g_str_has_prefix (reader->at, symbol))
    return FALSE;
  reader->at += strlen (symbol);
  return TRUE;
}

static double
number_of (Reader *reader, JsonNode *node, const char *name)
{
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
    return json_node_get_double (node);
  if (type == G_TYPE_BOOLEAN)
    return json_node_get_boolean (node);
  return fail (reader, g_strdup_printf ("there is no number '%s' in the results", name));
}

/* @name: "key" of a row, or "list.key", or "object.key". */
static double
look_up (Reader *reader, const char *name, guint index)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  const char *list = parts[1] != NULL ? parts[0] : "rows";
  const char *key = parts[1] != NULL ? parts[1] : parts[0];
  JsonNode *node = json_object_get_member (reader->document, list);
  JsonObject *object = NULL;

  if (strcmp (name, "rows") == 0 && node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return json_array_get_length (json_node_get_array (node));
  if (parts[1] == NULL && json_object_has_member (reader->document, key))
    return number_of (reader, json_object_get_member (reader->document, key), name);
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    object = json_node_get_object (node);
  else if (node != NULL && JSON_NODE_HOLDS_ARRAY (node) && index < json_array_get_length (json_node_get_array (node)))
    object = json_array_get_object_element (json_node_get_array (node), index);
  return number_of (reader, object != NULL ? json_object_get_member (object, key) : NULL, name);
}

static double
read_name (Reader *reader)
{
  gsize length = strspn (reader->at, "abcdefghijklmnopqrstuvwxyz0123456789_.");
  g_autofree char *name = g_strndup (reader->at, length);
  guint64 index = 0;

  reader->at += length;
  if (*reader->at == '[')
    {
      index = g_ascii_strtoull (reader->at + 1, (char **) &reader->at, 10);
      if (!take (reader, "]"))
        return fail (reader, g_strdup ("a ']' is missing"));
    }
  return look_up (reader, name, (guint) index);
}

static double
read_atom (Reader *reader)
{
  double value;

  if (take (reader, "("))
    {
      value = read_conjunction (reader);
      return take (reader, ")") ? value : fail (reader, g_strdup ("a ')' is missing"));
    }
  if (g_ascii_isdigit (*reader->at))
    return g_ascii_strtod (reader->at, (char **) &reader->at);
  if (g_ascii_islower (*reader->at))
    return read_name (reader);
  return fail (reader, g_strdup_printf ("a number or a name is missing before '%s'", reader->at));
}

static double
read_product (Reader *reader)
{
  double value = read_atom (reader);

  for (;;)
    if (take (reader, "*"))
      value *= read_atom (reader);
    else if (take (reader, "/"))
      value /= read_atom (reader);
    else
      return value;
}

static double
read_sum (Reader *reader)
{
  double value = read_product (reader);

  for (;;)
    if (take (reader, "+"))
      value += read_product (reader);
    else if (take (reader, "-"))
      value -= read_product (reader);
    else
      return value;
}

static double
read_comparison (Reader *reader)
{
  double left = read_sum (reader);

  if (take (reader, "<="))
    return left <= read_sum (reader) + NEARLY;
  if (take (reader, ">="))
    return left >= read_sum (reader) - NEARLY;
  if (take (reader, "=="))
    return fabs (left - read_sum (reader)) < NEARLY;
  if (take (reader, "!="))
    return fabs (left - read_sum (reader)) >= NEARLY;
  if (take (reader, "<"))
    return left < read_sum (reader);
  if (take (reader, ">"))
    return left > read_sum (reader);
  return left;
}

static double
read_conjunction (Reader *reader)
{
  double value = read_comparison (reader);

  while (take (reader, "&&"))
    {
      double right = read_comparison (reader);

      value = value != 0 && right != 0;
    }
  return value;
}

gboolean
expression_evaluate (const char *text, JsonObject *document, double *value, GError **error)
{
  Reader reader = { .at = text, .document = document };

  *value = read_conjunction (&reader);
  reader.at += strspn (reader.at, " \n");
  if (reader.problem == NULL && *reader.at != '\0')
    fail (&reader, g_strdup_printf ("'%s' is too much", reader.at));
  if (reader.problem == NULL && !isfinite (*value))
    fail (&reader, g_strdup ("it divides by 0"));
  if (reader.problem == NULL)
    return TRUE;

  g_set_error (error, G_MARKUP_ERROR, 0, "'%s': %s", text, reader.problem);
  g_free (reader.problem);
  return FALSE;
}
