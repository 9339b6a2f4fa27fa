#include "capacity.h"

#include <math.h>

#include "json_file.h"

/* The highest that --capacity would take, too. */
#define CAPACITY_MAX 1e9

/* What puts the file there: the folder is the one in which it was looked for. */
#define STEP_1 "build/bin/step01_calibrate --out="

/* A setting that the capacity depends on. */
typedef struct
{
  const char *key;
  LabOptionGroups group; /* a program without it has no such setting */
  LabValue value;
} Circumstance;

#define N_CIRCUMSTANCES 4

static void
get_circumstances (const LabSettings *settings, Circumstance *list)
{
  list[0] = (Circumstance) { "service_time_s", LAB_OPTIONS_SERVICE, lab_seconds (settings->service_time_ns) };
  list[1] = (Circumstance) { "slots", LAB_OPTIONS_SERVICE, lab_count ((guint64) settings->slots) };
  list[2] = (Circumstance) { "clock", LAB_OPTIONS_CLOCK, lab_text (settings->real_clock ? "real" : "virtual") };
  list[3] = (Circumstance) { "timer_tick_s", LAB_OPTIONS_CLOCK, lab_seconds (settings->timer_tick_ns) };
}

static void
append_line (const char *key, LabValue value, const char *end, GString *to)
{
  g_string_append_printf (to, "  \"%s\": ", key);
  lab_value_append_json (value, to);
  g_string_append (to, end);
}

char *
lab_capacity_to_json (const LabSettings *settings, LabValue capacity_rps, LabValue steady_capacity_rps)
{
  Circumstance list[N_CIRCUMSTANCES];
  g_autoptr (GString) json = g_string_new ("{\n");

  get_circumstances (settings, list);
  append_line ("capacity_rps", capacity_rps, ",\n", json);
  append_line ("steady_capacity_rps", steady_capacity_rps, ",\n", json);
  for (guint i = 0; i < N_CIRCUMSTANCES; i++)
    append_line (list[i].key, list[i].value, i + 1 < N_CIRCUMSTANCES ? ",\n" : "\n}\n", json);
  return g_string_free (g_steal_pointer (&json), FALSE);
}

static gboolean
is_number (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node)
         && (json_node_get_value_type (node) == G_TYPE_INT64 || json_node_get_value_type (node) == G_TYPE_DOUBLE);
}

static gboolean
same_value (JsonNode *node, LabValue mine)
{
  if (mine.kind == LAB_VALUE_TEXT)
    return JSON_NODE_HOLDS_VALUE (node) && g_strcmp0 (json_node_get_string (node), mine.text) == 0;
  return is_number (node) && fabs (json_node_get_double (node) - (double) mine.units / pow (10, mine.decimals)) < 1e-9;
}

/* A member that is not there says nothing. */
static char *
find_differences (JsonObject *object, const LabSettings *settings, LabOptionGroups groups)
{
  Circumstance list[N_CIRCUMSTANCES];
  g_autoptr (GString) found = g_string_new (NULL);

  get_circumstances (settings, list);
  for (guint i = 0; i < N_CIRCUMSTANCES; i++)
    {
      JsonNode *node = json_object_get_member (object, list[i].key);
      if (node == NULL || (groups & list[i].group) == 0 || same_value (node, list[i].value))
        continue;

      /* json-glib would write 0.05 with all its seventeen digits. */
      g_autofree char *theirs
          = is_number (node) ? g_strdup_printf ("%.9g", json_node_get_double (node)) : json_to_string (node, FALSE);
      g_string_append_printf (found, "%s%s %s (now ", found->len > 0 ? ", " : "", list[i].key, theirs);
      lab_value_append_json (list[i].value, found);
      g_string_append_c (found, ')');
    }
  return found->len > 0 ? g_string_free (g_steal_pointer (&found), FALSE) : NULL;
}

/* One number out of a document; NAN when it is not there. */
static double
get_number (JsonObject *object, const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && is_number (node) ? json_node_get_double (node) : NAN;
}

double
lab_capacity_read (const char *path, const LabSettings *settings, LabOptionGroups groups, char **differences,
                   GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (JsonNode) root = lab_json_file_read (path, &why);
  JsonObject *object = root != NULL ? json_node_get_object (root) : NULL;
  double capacity = object != NULL ? rint (get_number (object, "capacity_rps") * 1e6) / 1e6 : NAN;

  if (why != NULL && why->domain == G_FILE_ERROR)
    g_set_error (error, G_FILE_ERROR, why->code, "%s: run " STEP_1 "%s first, or give --capacity=RPS", why->message,
                 settings->out);
  else if (!(capacity > 0 && capacity <= CAPACITY_MAX))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 "%s holds no \"capacity_rps\" above 0: run " STEP_1 "%s again, or give --capacity=RPS", path,
                 settings->out);
  else
    {
      *differences = find_differences (object, settings, groups);
      return capacity;
    }
  return 0;
}
