/* The steps against the figures of an independent program: common/tests/oracle. */
#include <json-glib/json-glib.h>
#include <math.h>

static char *bin;

static JsonObject *
load (JsonParser *parser, const char *path)
{
  g_autoptr (GError) error = NULL;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

/* Half a unit of what the figures were rounded to comes on top of the tolerance. */
static double
tolerance (const char *key, double expected, double tick_s)
{
  double share = 0.02 * fabs (expected);

  if (g_str_has_suffix (key, "_ms"))
    return MAX (share, tick_s * 1000) + 0.5;
  if (g_str_has_suffix (key, "_s"))
    return MAX (share, tick_s) + 0.005;
  if (g_str_has_suffix (key, "_rps"))
    return MAX (share, 0.6);
  return MAX (share, 3);
}

/* What users who retry at once do within one instant is a matter of order. */
static gboolean
is_a_matter_of_taste (JsonObject *expected, const char *key)
{
  return g_strcmp0 (json_object_get_string_member_with_default (expected, "policy", ""), "immediate retries") == 0
         && g_str_equal (key, "attempts");
}

static void
compare_rows (const char *step, JsonObject *expected, JsonObject *row, double tick_s)
{
  g_autoptr (GList) keys = json_object_get_members (expected);

  for (GList *at = keys; at != NULL; at = at->next)
    {
      const char *key = at->data;
      JsonNode *node = json_object_get_member (expected, key);
      double want, got;

      g_assert_true (json_object_has_member (row, key));
      if (json_node_get_value_type (node) == G_TYPE_STRING)
        {
          g_assert_cmpstr (json_object_get_string_member (row, key), ==, json_node_get_string (node));
          continue;
        }
      want = json_node_get_double (node);
      got = json_object_get_double_member (row, key);
      if (fabs (got - want) > (is_a_matter_of_taste (expected, key) ? want / 4 : tolerance (key, want, tick_s)))
        {
          g_test_message ("%s: %s is %g, the oracle says %g", step, key, got, want);
          g_test_fail ();
        }
    }
}

static void
run_step (const char *step, JsonObject *oracle, const char *out)
{
  g_autofree char *program = g_build_filename (bin, step, NULL);
  g_autofree char *tick = g_strdup_printf ("--timer-tick=%g", json_object_get_double_member (oracle, "timer_tick_s"));
  g_autofree char *work
      = g_strdup_printf ("--service-time=%g", json_object_get_double_member (oracle, "service_time_s"));
  g_autofree char *slots = g_strdup_printf ("--slots=%d", (int) json_object_get_int_member (oracle, "slots"));
  g_autofree char *to = g_strconcat ("--out=", out, NULL);
  gboolean has_service = !g_str_equal (step, "step02_queue"); /* a queue has no slots */
  char *argv[] = { program, to, "--quiet", tick, has_service ? work : NULL, slots, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
}

static void
compare_step (const char *step, JsonObject *oracle, const char *out)
{
  g_autofree char *name = g_strconcat (step, ".json", NULL);
  g_autofree char *path = g_build_filename (out, name, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *expected = json_object_get_array_member (json_object_get_object_member (oracle, "steps"), step);
  JsonArray *rows;

  run_step (step, oracle, out);
  rows = json_object_get_array_member (load (parser, path), "rows");
  g_assert_cmpuint (json_array_get_length (rows), ==, json_array_get_length (expected));
  for (guint i = 0; i < json_array_get_length (rows); i++)
    compare_rows (step, json_array_get_object_element (expected, i), json_array_get_object_element (rows, i),
                  json_object_get_double_member (oracle, "timer_tick_s"));
}

static void
remove_all (const char *folder)
{
  char *argv[] = { "rm", "-rf", (char *) folder, NULL };

  g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

static void
agrees (gconstpointer data)
{
  g_autofree char *path = g_build_filename ("common", "tests", "oracle", (const char *) data, NULL);
  g_autofree char *out = g_dir_make_tmp ("oracle-XXXXXX", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *oracle = load (parser, path);
  JsonObject *steps = json_object_get_object_member (oracle, "steps");
  g_autoptr (GList) names = json_object_get_members (steps); /* in order: step 1 measures the capacity first */

  g_assert_cmpuint (g_list_length (names), ==, 8);
  for (GList *at = names; at != NULL; at = at->next)
    compare_step (at->data, oracle, out);
  remove_all (out);
}

int
main (int argc, char *argv[])
{
  g_autofree char *here = g_path_get_dirname (argv[0]);
  int status;

  bin = g_build_filename (here, "..", "bin", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/oracle/the-article's-timer-tick", "article_tick.json", agrees);
  g_test_add_data_func ("/oracle/exact-timers-four-slots", "given_a.json", agrees);
  g_test_add_data_func ("/oracle/exact-timers-one-slot", "given_b.json", agrees);
  status = g_test_run ();
  g_free (bin);
  return status;
}
