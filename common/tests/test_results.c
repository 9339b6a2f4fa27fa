#include "../lab/results.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const LabColumn columns[] = {
  { .key = "policy", .heading = "policy", .width = -10 },
  { .key = "offered", .heading = "offered", .width = 9 },
};
static const LabColumn by_second[] = { { .key = "second" }, { .key = "arrived" } };

static LabResults *
example (void)
{
  LabResults *results = lab_results_new ("step42_example", FALSE, lab_count (7));

  lab_results_setting (results, "service_time_s", lab_seconds (50 * LAB_MS));
  lab_results_setting (results, "capacity_rps", lab_none ());
  lab_results_setting (results, "work", lab_text ("fixed"));
  lab_results_setting (results, "capacity_rps", lab_rps (82.7));

  LabTable *rows = lab_results_rows (results, columns, G_N_ELEMENTS (columns));
  lab_table_add (rows, LAB_ROW (lab_text ("no limits"), lab_count (827)));
  lab_table_add (rows, LAB_ROW (lab_text ("a, \"b\""), lab_none ()));

  LabTable *seconds = lab_results_table (results, "by_second", TRUE, by_second, G_N_ELEMENTS (by_second));
  lab_table_add (seconds, LAB_ROW (lab_count (0), lab_count (166)));
  LabTable *timeline = lab_results_table (results, "timeline", FALSE, by_second, G_N_ELEMENTS (by_second));
  lab_table_add (timeline, LAB_ROW (lab_count (1), lab_count (2)));

  lab_results_object (results, "errors", "refused", lab_count (3));
  lab_results_object (results, "errors", "reset", lab_count (1));
  lab_results_check (results, LAB_CHECK_PASS, "it holds", "0 of 827");
  lab_results_check (results, LAB_CHECK_FAIL, "it does not", NULL);
  lab_results_check (results, LAB_CHECK_SKIP, "who knows", "too short");
  return results;
}

static const char example_json[]
    = "{\n"
      "  \"program\": \"step42_example\",\n"
      "  \"version\": \"" LAB_VERSION "\",\n"
      "  \"clock\": \"virtual\",\n"
      "  \"seed\": 7,\n"
      "  \"interrupted\": false,\n"
      "  \"settings\": { \"service_time_s\": 0.05, \"capacity_rps\": 82.7, \"work\": \"fixed\" },\n"
      "  \"rows\": [\n"
      "    { \"policy\": \"no limits\", \"offered\": 827 },\n"
      "    { \"policy\": \"a, \\\"b\\\"\", \"offered\": null }\n"
      "  ],\n"
      "  \"by_second\": [\n"
      "    { \"second\": 0, \"arrived\": 166 }\n"
      "  ],\n"
      "  \"errors\": { \"refused\": 3, \"reset\": 1 },\n"
      "  \"checks\": [\n"
      "    { \"claim\": \"it holds\", \"holds\": true, \"detail\": \"0 of 827\" },\n"
      "    { \"claim\": \"it does not\", \"holds\": false, \"detail\": null },\n"
      "    { \"claim\": \"who knows\", \"holds\": null, \"detail\": \"too short\" }\n"
      "  ]\n"
      "}\n";

/* --- the disk --- */

static guint n_fsyncs;
static gboolean disk_is_broken;

/* In the place of the system's, which has nothing to say that a test could see. */
int
fsync (int fd)
{
  (void) fd;
  n_fsyncs++;
  errno = EIO;
  return disk_is_broken ? -1 : 0;
}

/* --- a folder for each test --- */

typedef struct
{
  char *out;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->out = g_dir_make_tmp ("lab-results-XXXXXX", NULL);
  g_assert_nonnull (fixture->out);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

/* What the folder holds, one space behind each name. */
static char *
names_in (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) list = g_string_new (NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (list, "%s ", (char *) names->pdata[i]);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static void
assert_names (const char *folder, const char *expected)
{
  g_autofree char *names = names_in (folder);

  g_assert_cmpstr (names, ==, expected);
}

static void
assert_content (const char *folder, const char *name, const char *expected)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &content, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (content, ==, expected);
}

static void
put (const char *folder, const char *name, const char *content)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static void
write_ok (LabResults *results, const char *out, gboolean interrupted)
{
  g_autoptr (GError) error = NULL;
  gboolean written = lab_results_write (results, out, interrupted, &error);

  g_assert_no_error (error);
  g_assert_true (written);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->out, 0, NULL);
  const char *name;

  (void) data;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->out, name, NULL);
      g_remove (path);
    }
  g_rmdir (fixture->out);
  g_free (fixture->out);
}

/* --- the tests --- */

static void
test_document (void)
{
  g_autoptr (LabResults) results = example ();
  g_autofree char *json = lab_results_to_json (results, FALSE);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (json, ==, example_json);
  json_parser_load_from_data (parser, json, -1, &error);
  g_assert_no_error (error);
}

static void
test_empty_document (void)
{
  g_autoptr (LabResults) results = lab_results_new ("empty", FALSE, lab_count (G_MAXINT64));
  g_autofree char *json = lab_results_to_json (results, TRUE);

  g_assert_cmpstr (json, ==,
                   "{\n"
                   "  \"program\": \"empty\",\n"
                   "  \"version\": \"" LAB_VERSION "\",\n"
                   "  \"clock\": \"virtual\",\n"
                   "  \"seed\": 9223372036854775807,\n"
                   "  \"interrupted\": true,\n"
                   "  \"settings\": {},\n"
                   "  \"rows\": [],\n"
                   "  \"checks\": []\n"
                   "}\n");
}

static void
test_a_table_is_made_once (void)
{
  g_autoptr (LabResults) results = example ();
  LabTable *rows = lab_results_rows (results, columns, G_N_ELEMENTS (columns));
  LabTable *seconds = lab_results_table (results, "by_second", TRUE, by_second, G_N_ELEMENTS (by_second));

  g_assert_cmpuint (lab_table_n_rows (rows), ==, 2);
  g_assert_cmpuint (lab_table_n_rows (seconds), ==, 1);
}

static void
test_real_clock_names_the_machine (void)
{
  g_autoptr (LabResults) results = lab_results_new ("empty", TRUE, lab_none ());
  g_autofree char *json = lab_results_to_json (results, FALSE);
  g_autoptr (JsonParser) parser = json_parser_new ();

  g_assert_true (json_parser_load_from_data (parser, json, -1, NULL));
  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
  JsonObject *machine = json_object_get_object_member (root, "machine");

  g_assert_cmpstr (json_object_get_string_member (root, "clock"), ==, "real");
  g_assert_true (json_object_get_null_member (root, "seed"));
  g_assert_cmpuint (strlen (json_object_get_string_member (machine, "kernel")), >, 0);
  g_assert_cmpuint (strlen (json_object_get_string_member (machine, "processor")), >, 0);
  g_assert_cmpint (json_object_get_int_member (machine, "cores"), >=, 1);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LabResults) results = example ();

  (void) data;
  lab_results_file (results, "capacity.json", "{}\n");
  write_ok (results, fixture->out, FALSE);
  assert_names (fixture->out, "capacity.json step42_example.csv step42_example.json "
                              "step42_example_by_second.csv step42_example_timeline.csv ");
  assert_content (fixture->out, "step42_example.json", example_json);
  assert_content (fixture->out, "step42_example.csv", "policy,offered\nno limits,827\n\"a, \"\"b\"\"\",\n");
  assert_content (fixture->out, "step42_example_by_second.csv", "second,arrived\n0,166\n");
  assert_content (fixture->out, "step42_example_timeline.csv", "second,arrived\n1,2\n");
  assert_content (fixture->out, "capacity.json", "{}\n");
}

static void
test_file_mode_and_any_folder_name (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LabResults) results = lab_results_new ("p", FALSE, lab_count (7));
  g_autofree char *folder = g_build_filename (fixture->out, "d\xc3\xa9j\xe0 vu", NULL);
  g_autofree char *path = g_build_filename (folder, "p.json", NULL);
  mode_t mask = umask (022);
  GStatBuf info;

  (void) data;
  write_ok (results, folder, FALSE);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0644);
  umask (mask);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_interrupted_leaves_complete_results (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LabResults) results = example ();

  (void) data;
  put (fixture->out, "step42_example.json", "old");
  put (fixture->out, "step42_example.csv", "old");
  put (fixture->out, "capacity.json", "old");
  lab_results_file (results, "capacity.json", "new");

  write_ok (results, fixture->out, TRUE);
  assert_names (fixture->out, "capacity.json step42_example.csv step42_example.interrupted.csv "
                              "step42_example.interrupted.json step42_example.json ");
  assert_content (fixture->out, "step42_example.json", "old");
  assert_content (fixture->out, "step42_example.csv", "old");
  assert_content (fixture->out, "capacity.json", "old");

  write_ok (results, fixture->out, FALSE);
  assert_names (fixture->out, "capacity.json step42_example.csv step42_example.json "
                              "step42_example_by_second.csv step42_example_timeline.csv ");
  assert_content (fixture->out, "step42_example.json", example_json);
  assert_content (fixture->out, "capacity.json", "new");
}

/* A file that cannot be made (its name is too long for any file system), after
 * others that could: nothing at all is changed. */
static void
test_all_or_nothing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LabResults) results = example ();
  g_autofree char *name = g_strnfill (255, 'x');
  g_autoptr (GError) error = NULL;

  (void) data;
  put (fixture->out, "step42_example.csv", "old");
  lab_results_file (results, name, "");

  g_assert_false (lab_results_write (results, fixture->out, FALSE, &error));
  g_assert_nonnull (strstr (error->message, name));
  assert_names (fixture->out, "step42_example.csv ");
  assert_content (fixture->out, "step42_example.csv", "old");
}

static void
test_folder_in_the_way (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->out, "taken", NULL);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
  g_assert_false (lab_file_write (path, "x", -1, &error));
  g_assert_nonnull (strstr (error->message, path));
  assert_names (fixture->out, "taken ");
}

static void
test_out_is_no_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LabResults) results = example ();
  g_autofree char *path = g_build_filename (fixture->out, "file", NULL);
  g_autoptr (GError) error = NULL;

  (void) data;
  put (fixture->out, "file", "mine");
  g_assert_false (lab_results_write (results, path, FALSE, &error));
  g_assert_nonnull (strstr (error->message, path));
  assert_content (fixture->out, "file", "mine");
}

static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  (void) data;
  if (!g_test_subprocess ())
    {
      put (fixture->out, "old.txt", "old");
      g_setenv ("LAB_TEST_OUT", fixture->out, TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      assert_names (fixture->out, "old.txt ");
      assert_content (fixture->out, "old.txt", "old");
      return;
    }

  /* No file may grow beyond 1000 bytes: what a full disk looks like. */
  const struct rlimit limit = { .rlim_cur = 1000, .rlim_max = RLIM_INFINITY };
  const struct rlimit no_limit = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
  g_autofree char *path = g_build_filename (g_getenv ("LAB_TEST_OUT"), "old.txt", NULL);
  g_autofree char *much = g_strnfill (5000, 'x');
  g_autoptr (GError) error = NULL;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (lab_file_write (path, much, -1, &error));
  g_assert_nonnull (strstr (error->message, path));
  setrlimit (RLIMIT_FSIZE, &no_limit); /* for what a coverage build writes at the end */
}

static void
test_file_write (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->out, "a.txt", NULL);

  (void) data;
  g_assert_true (lab_file_write (path, "one", -1, NULL));
  assert_content (fixture->out, "a.txt", "one");
  g_assert_true (lab_file_write (path, "two and more", 3, NULL));
  assert_content (fixture->out, "a.txt", "two");
  g_assert_true (lab_file_write (path, "", -1, NULL));
  assert_content (fixture->out, "a.txt", "");
  assert_names (fixture->out, "a.txt ");
}

/* Some file systems tell only then that there is no room. */
static void
test_every_file_is_on_the_disk_before_it_has_its_name (Fixture *fixture, gconstpointer data)
{
  LabResults *results = example ();
  g_autoptr (GError) error = NULL;

  (void) data;
  n_fsyncs = 0;
  write_ok (results, fixture->out, FALSE);
  g_assert_cmpuint (n_fsyncs, ==, 4);

  g_autofree char *names = names_in (fixture->out);
  disk_is_broken = TRUE;
  g_assert_false (lab_results_write (results, fixture->out, TRUE, &error));
  disk_is_broken = FALSE;
  g_assert_nonnull (strstr (error->message, g_strerror (EIO)));
  assert_names (fixture->out, names);
  lab_results_free (results);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/results/document", test_document);
  g_test_add_func ("/results/empty-document", test_empty_document);
  g_test_add_func ("/results/a-table-is-made-once", test_a_table_is_made_once);
  g_test_add_func ("/results/real-clock-names-the-machine", test_real_clock_names_the_machine);

#define ADD(name, test) g_test_add ("/results/" name, Fixture, NULL, set_up, test, tear_down)
  ADD ("files", test_files);
  ADD ("file-mode-and-any-folder-name", test_file_mode_and_any_folder_name);
  ADD ("interrupted-leaves-complete-results", test_interrupted_leaves_complete_results);
  ADD ("all-or-nothing", test_all_or_nothing);
  ADD ("folder-in-the-way", test_folder_in_the_way);
  ADD ("out-is-no-folder", test_out_is_no_folder);
  ADD ("full-disk", test_full_disk);
  ADD ("every-file-is-on-the-disk-before-it-has-its-name", test_every_file_is_on_the_disk_before_it_has_its_name);
  ADD ("file-write", test_file_write);
  return g_test_run ();
}
