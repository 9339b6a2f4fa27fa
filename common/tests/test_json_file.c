/* Reading JSON that may be anything. */
#include "../lab/json_file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static char *folder;

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
an_object_is_read (void)
{
  g_autofree char *path = in_folder ("good.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;

  g_assert_true (g_file_set_contents (
      path, "\xef\xbb\xbf{\"a\": [{\"b\": \"[[[\\\"[[\", \"\\ud83d\\uDE00\\u000a/#'\": null}],\n\t\"c\": 1.5}", -1,
      NULL));
  root = lab_json_file_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (json_object_get_double_member (json_node_get_object (root), "c"), ==, 1.5);
}

/* However long it is: only what is open at once counts as deep. */
static void
a_long_list_is_not_deep (void)
{
  g_autofree char *path = in_folder ("long.json");
  g_autoptr (GString) text = g_string_new ("{\"rows\": [{}");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;

  for (guint i = 1; i < 1000; i++)
    g_string_append (text, ", {}");
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  root = lab_json_file_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_node_get_object (root), "rows")), ==,
                    1000);
}

static void
nonsense_is_refused_by_name (void)
{
  static const char *const rows[] = { "",
                                      "{",
                                      "[]",
                                      "3",
                                      "\"x\"",
                                      "null",
                                      "{\"a\": }",
                                      "\xff\xfe{}",
                                      "{}{",
                                      "nonsense",
                                      "{'a': 1}",
                                      "{\"a\": 1} // one",
                                      "/**/ {}",
                                      "{} # one",
                                      "{\"\\ud800\": 1}",
                                      "{\"\\ud800\\u0041\": 1}",
                                      "{\"\\x\": 1}",
                                      "{\"\\",
                                      "{\"\n\": 1}" };
  g_autofree char *path = in_folder ("bad.json");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, rows[i], -1, NULL));
      g_assert_null (lab_json_file_read (path, &error));
      g_assert_nonnull (strstr (error->message, path));
    }
}

/* json-glib goes down one call a level: a file of brackets alone would end the stack.
 * The beginnings are those after which it takes for brackets what looks like a text, or
 * the other way round. */
static void
deep_nesting_is_refused (void)
{
  static const char *const beginnings[] = { "{\"x\":",
                                            "/*\"*/ {\"x\":",
                                            "{\"a\": 1, //\"\n \"x\":",
                                            "{\"a\": 1, #\"\n \"x\":",
                                            "{'\"':",
                                            "{\"\\u\" \": ",
                                            "{\"\\u00\" \": ",
                                            "{\"\\ud800\" \": ",
                                            "{\"\\ud800\\\" \": ",
                                            "{\"\\ud800\\u\" \": ",
                                            "{\"x\": ]]]]]]]]]" };
  static const char *const opening[] = { "[", "{\"a\":", "[\"]\",", "{\"\\\"\": [" };
  g_autofree char *path = in_folder ("deep.json");

  for (guint i = 0; i < G_N_ELEMENTS (beginnings) * G_N_ELEMENTS (opening); i++)
    {
      g_autoptr (GString) text = g_string_new (beginnings[i / G_N_ELEMENTS (opening)]);
      g_autoptr (GError) error = NULL;

      for (guint level = 0; level < 300000; level++)
        g_string_append (text, opening[i % G_N_ELEMENTS (opening)]);
      g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
      g_assert_null (lab_json_file_read (path, &error));
      g_assert_error (error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_PARSE);
    }
}

static void
only_regular_files_are_opened (void)
{
  g_autofree char *fifo = in_folder ("fifo.json");
  const char *const paths[] = { fifo, folder, "/dev/zero", "nowhere.json" };

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (lab_json_file_read (paths[i], &error));
      g_assert_cmpint ((int) error->domain, ==, (int) G_FILE_ERROR);
      g_assert_nonnull (strstr (error->message, paths[i]));
    }
}

int
main (int argc, char *argv[])
{
  char *rm[] = { "rm", "-rf", NULL, NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = rm[2] = g_dir_make_tmp ("json-XXXXXX", NULL);
  g_test_add_func ("/json-file/an-object-is-read", an_object_is_read);
  g_test_add_func ("/json-file/a-long-list-is-not-deep", a_long_list_is_not_deep);
  g_test_add_func ("/json-file/nonsense-is-refused-by-name", nonsense_is_refused_by_name);
  g_test_add_func ("/json-file/deep-nesting-is-refused", deep_nesting_is_refused);
  g_test_add_func ("/json-file/only-regular-files-are-opened", only_regular_files_are_opened);
  status = g_test_run ();
  g_spawn_sync (NULL, rm, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (folder);
  return status;
}
