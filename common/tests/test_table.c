#include "../lab/table.h"

#include <math.h>

static void
assert_json (LabValue value, const char *expected)
{
  g_autoptr (GString) json = g_string_new (NULL);

  lab_value_append_json (value, json);
  g_assert_cmpstr (json->str, ==, expected);
}

static void
test_json_values (void)
{
  const struct
  {
    LabValue value;
    const char *json;
  } cases[] = {
    { lab_none (), "null" },
    { lab_text (NULL), "null" },
    { lab_text (""), "\"\"" },
    { lab_text ("no limits"), "\"no limits\"" },
    { lab_text ("a \"b\" \\ c"), "\"a \\\"b\\\" \\\\ c\"" },
    { lab_text ("line\nbreak\ttab\x01\x7f"), "\"line\\nbreak\\u0009tab\\u0001\\u007f\"" },
    { lab_text ("caf\xc3\xa9"), "\"caf\xc3\xa9\"" },
    { lab_text ("caf\xe9"), "\"caf\xef\xbf\xbd\"" },
    { lab_list (NULL), "null" },
    { lab_list (""), "[]" },
    { lab_list ("served"), "[\"served\"]" },
    { lab_list ("a;b \"c\";d"), "[\"a\", \"b \\\"c\\\"\", \"d\"]" },
    { lab_boolean (TRUE), "true" },
    { lab_boolean (17), "true" },
    { lab_boolean (FALSE), "false" },
    { lab_count (0), "0" },
    { lab_count (1000), "1000" },
    { lab_count (G_MAXINT64), "9223372036854775807" },
    { lab_decimal (827, 1), "82.7" },
    { lab_decimal (100, 2), "1.0" },
    { lab_decimal (0, 3), "0.0" },
    { lab_decimal (-5, 2), "-0.05" },
    { lab_decimal (-1050, 2), "-10.5" },
    { lab_decimal (G_MAXINT64, 18), "9.223372036854775807" },
    { lab_decimal (G_MININT64, 9), "-9223372036.854775808" },
    { lab_seconds (50 * LAB_MS), "0.05" },
    { lab_seconds (LAB_S), "1.0" },
    { lab_seconds (1), "0.000000001" },
    { lab_seconds (-1), "null" },
    { lab_milliseconds (LAB_S + 1), "1000.000001" },
    { lab_microseconds (1500), "1.5" },
    { lab_rps (82.7), "82.7" },
    { lab_rps (0.000001), "0.000001" },
    { lab_rps (0), "0.0" },
    { lab_rps (-1), "null" },
    { lab_rps (1e13), "null" },
    { lab_rps (0.0 / 0.0), "null" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_json (cases[i].value, cases[i].json);
}

static void
test_quotients (void)
{
  const struct
  {
    LabValue value;
    const char *json;
  } cases[] = {
    { lab_ratio (1, 3), "0.333333" },
    { lab_ratio (2, 3), "0.666667" },
    { lab_ratio (-2, 3), "-0.666667" },
    { lab_ratio (1, 2000000), "0.0" },      /* exactly half a millionth: to even */
    { lab_ratio (3, 2000000), "0.000002" }, /* likewise */
    { lab_ratio (-3, 2000000), "-0.000002" },
    { lab_ratio (5, 2000000), "0.000002" },
    { lab_ratio (5, 0), "null" },
    { lab_ratio (5, -1), "null" },
    { lab_ratio (G_MAXINT64, 1), "9223372036854775807" },
    { lab_ratio (G_MAXINT64, 10), "922337203685477580.7" },
    { lab_rate (248, 3 * LAB_S), "82.666667" },
    { lab_rate (0, LAB_S), "0.0" },
    { lab_rate (1, 0), "null" },
    { lab_rate (1, -LAB_S), "null" },
    { lab_rate (G_MAXINT64, LAB_DURATION_MAX), "106751991167.300646" },
    { lab_rate (G_MAXINT64, 1), "null" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_json (cases[i].value, cases[i].json);
}

static void
test_printed_decimals (void)
{
  static const struct
  {
    gint64 units;
    guint decimals, shown;
    const char *text;
  } cases[] = {
    { 25, 1, 0, "2" },     { 35, 1, 0, "4" },      { 2500001, 6, 0, "3" },  { 125, 3, 2, "0.12" },
    { 135, 3, 2, "0.14" }, { -25, 1, 0, "-2" },    { -35, 1, 0, "-4" },     { -1, 1, 0, "0" },
    { 7, 0, 2, "7.00" },   { 75, 1, 3, "7.500" },  { 9995, 3, 2, "10.00" }, { 9985, 3, 2, "9.98" },
    { 0, 0, 0, "0" },      { 1266, 2, 1, "12.7" }, { 49, 2, 0, "0" },       { 50, 2, 0, "0" },
    { 51, 2, 0, "1" },     { 150, 2, 0, "2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const LabColumn column = { .key = "k", .heading = "k", .width = 1, .decimals = cases[i].shown };
      g_autoptr (LabTable) table = lab_table_new (&column, 1, FALSE);
      g_autoptr (GString) line = g_string_new (NULL);

      lab_table_add (table, LAB_ROW (lab_decimal (cases[i].units, cases[i].decimals)));
      lab_table_append_row (table, 0, line);
      g_string_truncate (line, line->len - 1);
      g_assert_cmpstr (line->str, ==, cases[i].text);
    }
}

static const LabColumn columns[] = {
  { .key = "policy", .heading = "policy", .width = -10 },
  { .key = "multiple", .heading = "offered", .width = 9, .decimals = 1, .suffix = "x" },
  { .key = "hidden" },
  { .key = "p99_ms", .heading = "p99 ms", .width = 8 },
  { .key = "leaked", .heading = "leaked", .width = 7 },
};

static LabTable *
example (void)
{
  LabTable *table = lab_table_new (columns, G_N_ELEMENTS (columns), FALSE);

  lab_table_add (table, LAB_ROW (lab_text ("no limits"), lab_decimal (5, 1), lab_count (1),
                                 lab_milliseconds (355500000), lab_boolean (TRUE)));
  lab_table_add (
      table, LAB_ROW (lab_text ("a long, \"long\" label"), lab_none (), lab_none (), lab_none (), lab_boolean (FALSE)));
  lab_table_add (table, LAB_ROW (lab_text ("caf\xc3\xa9"), lab_decimal (123456789, 1), lab_list ("x;y"),
                                 lab_count (99999999), lab_none ()));
  return table;
}

static void
test_printed (void)
{
  g_autoptr (LabTable) table = example ();
  g_autoptr (GString) lines = g_string_new ("before ");

  lab_table_append_heading (table, lines);
  for (guint row = 0; row < lab_table_n_rows (table); row++)
    lab_table_append_row (table, row, lines);
  g_assert_cmpstr (lines->str, ==,
                   "before policy      offered  p99 ms leaked\n"
                   "no limits      0.5x     356    yes\n"
                   "a long, \"long\" label        -       -     no\n"
                   "caf\xc3\xa9      12345678.9x 99999999      -\n");
}

static void
test_last_column_flush_left (void)
{
  static const LabColumn two[]
      = { { .key = "n", .heading = "n", .width = 3 }, { .key = "why", .heading = "why", .width = -9 } };
  g_autoptr (LabTable) table = lab_table_new (two, 2, FALSE);
  g_autoptr (GString) lines = g_string_new (NULL);

  lab_table_add (table, LAB_ROW (lab_count (1), lab_text ("slow")));
  lab_table_append_heading (table, lines);
  lab_table_append_row (table, 0, lines);
  g_assert_cmpstr (lines->str, ==, "  n why\n  1 slow\n");
}

static void
test_csv (void)
{
  g_autoptr (LabTable) table = example ();
  g_autoptr (GString) csv = g_string_new (NULL);

  lab_table_add (table, LAB_ROW (lab_text (""), lab_count (1), lab_text ("two\r\nlines"), lab_none (), lab_none ()));
  lab_table_append_csv (table, csv);
  g_assert_cmpstr (csv->str, ==,
                   "policy,multiple,hidden,p99_ms,leaked\n"
                   "no limits,0.5,1,355.5,true\n"
                   "\"a long, \"\"long\"\" label\",,,,false\n"
                   "caf\xc3\xa9,12345678.9,x;y,99999999,\n"
                   "\"\",1,\"two\r\nlines\",,\n");
}

static void
test_json (void)
{
  g_autoptr (LabTable) table = lab_table_new (columns, G_N_ELEMENTS (columns), FALSE);
  g_autoptr (GString) json = g_string_new (NULL);

  lab_table_append_json (table, 4, json);
  g_assert_cmpstr (json->str, ==, "[]");

  lab_table_add (table, LAB_ROW (lab_text ("a"), lab_decimal (10, 1), lab_none (), lab_none (), lab_boolean (TRUE)));
  lab_table_add (table, LAB_ROW (lab_text ("b"), lab_none (), lab_list ("x;y"), lab_count (2), lab_none ()));
  g_string_truncate (json, 0);
  lab_table_append_json (table, 4, json);
  g_assert_cmpstr (
      json->str, ==,
      "[\n"
      "    { \"policy\": \"a\", \"multiple\": 1.0, \"hidden\": null, \"p99_ms\": null, \"leaked\": true },\n"
      "    { \"policy\": \"b\", \"multiple\": null, \"hidden\": [\"x\", \"y\"], \"p99_ms\": 2, \"leaked\": null }\n"
      "  ]");
}

static void
test_objects (void)
{
  static const LabColumn with_object[] = {
    { .key = "policy" },
    { .key = "retry_after", .object = "first_503" },
    { .key = "body", .object = "first_503" },
    { .key = "n" },
  };
  g_autoptr (LabTable) table = lab_table_new (with_object, G_N_ELEMENTS (with_object), FALSE);
  g_autoptr (GString) text = g_string_new (NULL);

  lab_table_add (table, LAB_ROW (lab_text ("a"), lab_text ("1"), lab_text ("{\"e\":1}"), lab_count (1)));
  lab_table_add (table, LAB_ROW (lab_text ("b"), lab_text ("2"), lab_none (), lab_count (2)));
  lab_table_add (table, LAB_ROW (lab_text ("c"), lab_none (), lab_none (), lab_count (3)));

  lab_table_append_json (table, 2, text);
  g_assert_cmpstr (
      text->str, ==,
      "[\n"
      "  { \"policy\": \"a\", \"first_503\": { \"retry_after\": \"1\", \"body\": \"{\\\"e\\\":1}\" }, \"n\": 1 },\n"
      "  { \"policy\": \"b\", \"first_503\": { \"retry_after\": \"2\", \"body\": null }, \"n\": 2 },\n"
      "  { \"policy\": \"c\", \"first_503\": null, \"n\": 3 }\n"
      "]");

  g_string_truncate (text, 0);
  lab_table_append_csv (table, text);
  g_assert_cmpstr (text->str, ==,
                   "policy,first_503_retry_after,first_503_body,n\n"
                   "a,1,\"{\"\"e\"\":1}\",1\n"
                   "b,2,,2\n"
                   "c,,,3\n");
}

/* A column without a key is for the eye alone. */
static void
test_printed_only (void)
{
  static const LabColumn some[] = {
    { .key = "policy", .heading = "policy", .width = -8 },
    { .heading = "times", .width = 6, .decimals = 2, .suffix = "x" },
    { .key = "n", .heading = "n", .width = 3 },
  };
  g_autoptr (LabTable) table = lab_table_new (some, G_N_ELEMENTS (some), FALSE);
  g_autoptr (GString) text = g_string_new (NULL);

  lab_table_add (table, LAB_ROW (lab_text ("a"), lab_ratio (1, 3), lab_count (7)));
  lab_table_append_heading (table, text);
  lab_table_append_row (table, 0, text);
  lab_table_append_csv (table, text);
  lab_table_append_json (table, 2, text);
  g_assert_cmpstr (text->str, ==,
                   "policy   times  n\n"
                   "a        0.33x  7\n"
                   "policy,n\n"
                   "a,7\n"
                   "[\n"
                   "  { \"policy\": \"a\", \"n\": 7 }\n"
                   "]");
}

static void
test_round (void)
{
  static const struct
  {
    gint64 units;
    guint from, to;
    const char *json;
  } cases[] = {
    { 8266667, 5, 1, "82.7" }, { 825, 1, 0, "82" }, { 835, 1, 0, "84" }, { -835, 1, 0, "-84" }, { 827, 1, 3, "82.7" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_json (lab_value_round (lab_decimal (cases[i].units, cases[i].from), cases[i].to), cases[i].json);
  assert_json (lab_value_round (lab_none (), 1), "null");
  assert_json (lab_value_round (lab_text ("a"), 1), "\"a\"");

  g_assert_cmpfloat (lab_value_to_double (lab_decimal (827, 1)), ==, 82.7);
  g_assert_cmpfloat (lab_value_to_double (lab_count (3)), ==, 3);
  g_assert_true (isnan (lab_value_to_double (lab_none ())));
}

static void
test_get_copies (void)
{
  g_autoptr (LabTable) table = lab_table_new (columns, G_N_ELEMENTS (columns), FALSE);
  char label[] = "mine";

  lab_table_add (table, LAB_ROW (lab_text (label), lab_count (3), lab_none (), lab_none (), lab_none ()));
  label[0] = 'X';
  g_assert_cmpuint (lab_table_n_rows (table), ==, 1);
  g_assert_cmpstr (lab_table_get (table, 0, "policy").text, ==, "mine");
  g_assert_cmpint (lab_table_get (table, 0, "multiple").units, ==, 3);
  g_assert_cmpint (lab_table_get (table, 0, "hidden").kind, ==, LAB_VALUE_NONE);
}

/* One description and one list of values for both clocks. */
static void
test_columns_of_the_real_clock (void)
{
  static const LabColumn three[] = { { .key = "a", .heading = "a", .width = 3 },
                                     { .key = "late", .heading = "late", .width = 5, .real_only = TRUE },
                                     { .key = "b", .heading = "b", .width = 3 } };
  static const char *const csv[] = { "a,b\n1,3\n", "a,late,b\n1,2,3\n" };
  static const char *const heading[] = { "  a  b\n", "  a late  b\n" };

  for (int real_clock = 0; real_clock < 2; real_clock++)
    {
      g_autoptr (LabTable) table = lab_table_new (three, G_N_ELEMENTS (three), real_clock);
      g_autoptr (GString) text = g_string_new (NULL);

      lab_table_add (table, LAB_ROW (lab_count (1), lab_count (2), lab_count (3)));
      g_assert_cmpuint (lab_table_n_rows (table), ==, 1);
      g_assert_cmpint (lab_table_get (table, 0, "b").units, ==, 3);
      lab_table_append_csv (table, text);
      g_assert_cmpstr (text->str, ==, csv[real_clock]);
      g_string_truncate (text, 0);
      lab_table_append_heading (table, text);
      g_assert_cmpstr (text->str, ==, heading[real_clock]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/json-values", test_json_values);
  g_test_add_func ("/table/quotients", test_quotients);
  g_test_add_func ("/table/printed-decimals", test_printed_decimals);
  g_test_add_func ("/table/printed", test_printed);
  g_test_add_func ("/table/last-column-flush-left", test_last_column_flush_left);
  g_test_add_func ("/table/csv", test_csv);
  g_test_add_func ("/table/json", test_json);
  g_test_add_func ("/table/objects", test_objects);
  g_test_add_func ("/table/printed-only", test_printed_only);
  g_test_add_func ("/table/round", test_round);
  g_test_add_func ("/table/get-copies", test_get_copies);
  g_test_add_func ("/table/columns-of-the-real-clock", test_columns_of_the_real_clock);
  return g_test_run ();
}
