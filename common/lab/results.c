#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* {"key": value, ...}, in the order in which the keys came. */
typedef struct
{
  char *name;
  GArray *members; /* of Member */
} Object;

typedef struct
{
  char *key;
  char *text; /* what value.text points to */
  LabValue value;
} Member;

typedef struct
{
  char *name;
  gboolean in_document;
  LabTable *table;
} NamedTable;

struct _LabResults
{
  char *program;
  gboolean real_clock;
  LabValue seed;
  Object *machine;
  Object *settings;
  LabTable *rows;     /* or NULL */
  GPtrArray *tables;  /* of NamedTable */
  GPtrArray *objects; /* of Object */
  LabTable *checks;
  GPtrArray *files; /* of File, their paths without the folder */
};

/* A file on its way: first written beside its place, then renamed. */
typedef struct
{
  char *path;
  char *temporary; /* or NULL: it does not exist */
  char *content;
  gsize length;
} File;

static Object *
object_new (const char *name)
{
  Object *object = g_new (Object, 1);

  object->name = g_strdup (name);
  object->members = g_array_new (FALSE, FALSE, sizeof (Member));
  return object;
}

static void
object_free (Object *object)
{
  for (guint i = 0; i < object->members->len; i++)
    {
      Member *member = &g_array_index (object->members, Member, i);
      g_free (member->key);
      g_free (member->text);
    }
  g_array_unref (object->members);
  g_free (object->name);
  g_free (object);
}

static Member *
object_member (Object *object, const char *key)
{
  for (guint i = 0; i < object->members->len; i++)
    {
      Member *member = &g_array_index (object->members, Member, i);
      if (strcmp (member->key, key) == 0)
        return member;
    }

  g_array_append_val (object->members, ((Member) { .key = g_strdup (key) }));
  return &g_array_index (object->members, Member, object->members->len - 1);
}

static void
object_set (Object *object, const char *key, LabValue value)
{
  Member *member = object_member (object, key);

  g_free (member->text);
  member->text = g_strdup (value.text);
  member->value = value;
  member->value.text = member->text;
}

static void
object_append_json (const Object *object, GString *to)
{
  g_string_append (to, object->members->len > 0 ? "{ " : "{");
  for (guint i = 0; i < object->members->len; i++)
    {
      const Member *member = &g_array_index (object->members, Member, i);
      if (i > 0)
        g_string_append (to, ", ");
      lab_value_append_json (lab_text (member->key), to);
      g_string_append (to, ": ");
      lab_value_append_json (member->value, to);
    }
  g_string_append (to, object->members->len > 0 ? " }" : "}");
}

static void
named_table_free (NamedTable *named)
{
  lab_table_free (named->table);
  g_free (named->name);
  g_free (named);
}

/* @path and @content: (transfer full) */
static File *
file_new (char *path, char *content, gsize length)
{
  File *file = g_new (File, 1);

  *file = (File) { .path = path, .content = content, .length = length };
  return file;
}

static void
file_free (File *file)
{
  if (file->temporary != NULL)
    g_unlink (file->temporary);
  g_free (file->temporary);
  g_free (file->path);
  g_free (file->content);
  g_free (file);
}

char *
lab_processor_name (const struct utsname *kernel)
{
  g_autofree char *cpuinfo = NULL;
  const char *name;

  if (!g_file_get_contents ("/proc/cpuinfo", &cpuinfo, NULL, NULL) || (name = strstr (cpuinfo, "model name")) == NULL
      || (name = strchr (name, ':')) == NULL)
    return g_strdup (kernel->machine);
  return g_strstrip (g_strndup (name + 1, strcspn (name + 1, "\n")));
}

static Object *
this_machine (void)
{
  Object *machine = object_new ("machine");
  struct utsname kernel;

  uname (&kernel);
  g_autofree char *system = g_strdup_printf ("%s %s", kernel.sysname, kernel.release);
  g_autofree char *processor = lab_processor_name (&kernel);

  object_set (machine, "kernel", lab_text (system));
  object_set (machine, "processor", lab_text (processor));
  object_set (machine, "cores", lab_count (g_get_num_processors ()));
  return machine;
}

static const LabColumn check_columns[] = { { .key = "claim" }, { .key = "holds" }, { .key = "detail" } };

LabResults *
lab_results_new (const char *program, gboolean real_clock, LabValue seed)
{
  LabResults *results = g_new (LabResults, 1);

  *results = (LabResults) {
    .program = g_strdup (program),
    .real_clock = real_clock,
    .seed = seed,
    .machine = real_clock ? this_machine () : NULL,
    .settings = object_new ("settings"),
    .tables = g_ptr_array_new_with_free_func ((GDestroyNotify) named_table_free),
    .objects = g_ptr_array_new_with_free_func ((GDestroyNotify) object_free),
    .checks = lab_table_new (check_columns, G_N_ELEMENTS (check_columns), real_clock),
    .files = g_ptr_array_new_with_free_func ((GDestroyNotify) file_free),
  };
  return results;
}

void
lab_results_free (LabResults *results)
{
  if (results == NULL)
    return;

  g_clear_pointer (&results->machine, object_free);
  object_free (results->settings);
  lab_table_free (results->rows);
  g_ptr_array_unref (results->tables);
  g_ptr_array_unref (results->objects);
  lab_table_free (results->checks);
  g_ptr_array_unref (results->files);
  g_free (results->program);
  g_free (results);
}

void
lab_results_setting (LabResults *results, const char *key, LabValue value)
{
  object_set (results->settings, key, value);
}

LabTable *
lab_results_rows (LabResults *results, const LabColumn *columns, guint n_columns)
{
  if (results->rows == NULL)
    results->rows = lab_table_new (columns, n_columns, results->real_clock);
  return results->rows;
}

LabTable *
lab_results_table (LabResults *results, const char *name, gboolean in_document, const LabColumn *columns,
                   guint n_columns)
{
  NamedTable *named;

  for (guint i = 0; i < results->tables->len; i++)
    {
      named = g_ptr_array_index (results->tables, i);
      if (strcmp (named->name, name) == 0)
        return named->table;
    }
  named = g_new (NamedTable, 1);
  *named = (NamedTable) {
    .name = g_strdup (name),
    .in_document = in_document,
    .table = lab_table_new (columns, n_columns, results->real_clock),
  };
  g_ptr_array_add (results->tables, named);
  return named->table;
}

void
lab_results_object (LabResults *results, const char *name, const char *key, LabValue value)
{
  Object *object = NULL;

  for (guint i = 0; i < results->objects->len && object == NULL; i++)
    if (strcmp (((Object *) results->objects->pdata[i])->name, name) == 0)
      object = results->objects->pdata[i];

  if (object == NULL)
    {
      object = object_new (name);
      g_ptr_array_add (results->objects, object);
    }
  object_set (object, key, value);
}

void
lab_results_check (LabResults *results, LabCheckVerdict verdict, const char *claim, const char *detail)
{
  LabValue holds = verdict == LAB_CHECK_SKIP ? lab_none () : lab_boolean (verdict == LAB_CHECK_PASS);

  lab_table_add (results->checks, LAB_ROW (lab_text (claim), holds, lab_text (detail)));
}

/* --- the document --- */

static void
append_key (const char *key, GString *to)
{
  g_string_append (to, ",\n  ");
  lab_value_append_json (lab_text (key), to);
  g_string_append (to, ": ");
}

static void
append_object (const Object *object, GString *to)
{
  append_key (object->name, to);
  object_append_json (object, to);
}

static void
append_table (const char *name, const LabTable *table, GString *to)
{
  append_key (name, to);
  if (table != NULL)
    lab_table_append_json (table, 4, to);
  else
    g_string_append (to, "[]");
}

char *
lab_results_to_json (const LabResults *results, gboolean interrupted)
{
  g_autoptr (GString) json = g_string_new ("{\n  \"program\": ");

  lab_value_append_json (lab_text (results->program), json);
  g_string_append_printf (json,
                          ",\n  \"version\": \"" LAB_VERSION "\",\n  \"clock\": \"%s\""
                          ",\n  \"seed\": ",
                          results->real_clock ? "real" : "virtual");
  lab_value_append_json (results->seed, json);
  g_string_append_printf (json, ",\n  \"interrupted\": %s", interrupted ? "true" : "false");

  if (results->machine != NULL)
    append_object (results->machine, json);
  append_object (results->settings, json);
  append_table ("rows", results->rows, json);
  for (guint i = 0; i < results->tables->len; i++)
    {
      const NamedTable *named = results->tables->pdata[i];
      if (named->in_document)
        append_table (named->name, named->table, json);
    }
  for (guint i = 0; i < results->objects->len; i++)
    append_object (results->objects->pdata[i], json);
  append_table ("checks", results->checks, json);

  g_string_append (json, "\n}\n");
  return g_string_free (g_steal_pointer (&json), FALSE);
}

/* --- files --- */

static gboolean
cannot_write (const char *path, int errsv, GError **error)
{
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errsv), "cannot write %s: %s", path,
               g_strerror (errsv));
  return FALSE;
}

static gboolean
write_all (int fd, const char *content, gsize length)
{
  while (length > 0)
    {
      gssize written = write (fd, content, length);
      if (written < 0 && errno != EINTR)
        return FALSE;
      if (written > 0)
        {
          content += written;
          length -= (gsize) written;
        }
    }
  return TRUE;
}

/* Writes the temporary file, and makes sure that it is on the disk: some file
 * systems report only then that the disk is full. */
static gboolean
file_prepare (File *file, GError **error)
{
  g_autofree char *temporary = g_strconcat (file->path, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0666);

  if (fd < 0)
    return cannot_write (file->path, errno, error);
  file->temporary = g_steal_pointer (&temporary);

  gboolean written = write_all (fd, file->content, file->length) && fsync (fd) == 0;
  int errsv = errno;
  if (!written)
    close (fd);
  else if (close (fd) != 0)
    {
      written = FALSE;
      errsv = errno;
    }
  return written || cannot_write (file->path, errsv, error);
}

static gboolean
file_commit (File *file, GError **error)
{
  if (g_rename (file->temporary, file->path) != 0)
    return cannot_write (file->path, errno, error);
  g_clear_pointer (&file->temporary, g_free);
  return TRUE;
}

static gboolean
write_files (GPtrArray *files, GError **error)
{
  for (guint i = 0; i < files->len; i++)
    if (!file_prepare (files->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < files->len; i++)
    if (!file_commit (files->pdata[i], error))
      return FALSE;
  return TRUE;
}

static GPtrArray *
files_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) file_free);
}

gboolean
lab_file_write (const char *path, const char *content, gssize length, GError **error)
{
  g_autoptr (GPtrArray) files = files_new ();
  gsize n = length < 0 ? strlen (content) : (gsize) length;

  g_ptr_array_add (files, file_new (g_strdup (path), g_memdup2 (content, n), n));
  return write_files (files, error);
}

void
lab_results_file (LabResults *results, const char *name, const char *content)
{
  g_ptr_array_add (results->files, file_new (g_strdup (name), g_strdup (content), strlen (content)));
}

/* <out>/<program><ending> */
static char *
result_path (const LabResults *results, const char *out, const char *ending)
{
  g_autofree char *name = g_strconcat (results->program, ending, NULL);

  return g_build_filename (out, name, NULL);
}

static void
add_text (GPtrArray *files, char *path, GString *text)
{
  gsize length = text->len;

  g_ptr_array_add (files, file_new (path, g_string_free (text, FALSE), length));
}

static void
add_csv (GPtrArray *files, char *path, const LabTable *table)
{
  GString *csv = g_string_new (NULL);

  lab_table_append_csv (table, csv);
  add_text (files, path, csv);
}

static void
add_further_files (const LabResults *results, const char *out, GPtrArray *files)
{
  for (guint i = 0; i < results->tables->len; i++)
    {
      const NamedTable *named = results->tables->pdata[i];
      g_autofree char *ending = g_strdup_printf ("_%s.csv", named->name);
      add_csv (files, result_path (results, out, ending), named->table);
    }
  for (guint i = 0; i < results->files->len; i++)
    {
      const File *file = results->files->pdata[i];
      g_ptr_array_add (files, file_new (g_build_filename (out, file->path, NULL),
                                        g_memdup2 (file->content, file->length), file->length));
    }
}

static void
remove_interrupted (const LabResults *results, const char *out)
{
  g_autofree char *csv = result_path (results, out, ".interrupted.csv");
  g_autofree char *json = result_path (results, out, ".interrupted.json");

  g_unlink (csv);
  g_unlink (json);
}

gboolean
lab_results_write (const LabResults *results, const char *out, gboolean interrupted, GError **error)
{
  g_autoptr (GPtrArray) files = files_new ();

  if (g_mkdir_with_parents (out, 0777) != 0)
    return cannot_write (out, errno, error);

  if (results->rows != NULL)
    add_csv (files, result_path (results, out, interrupted ? ".interrupted.csv" : ".csv"), results->rows);
  if (!interrupted)
    add_further_files (results, out, files);

  char *json = lab_results_to_json (results, interrupted);
  g_ptr_array_add (
      files, file_new (result_path (results, out, interrupted ? ".interrupted.json" : ".json"), json, strlen (json)));

  if (!write_files (files, error))
    return FALSE;
  if (!interrupted)
    remove_interrupted (results, out);
  return TRUE;
}
