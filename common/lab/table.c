#include "table.h"

#include <math.h>
#include <string.h>

/* Values are copied in; their texts live in @texts. */
struct _LabTable
{
  const LabColumn *given; /* all columns */
  guint n_given;
  LabColumn *columns; /* without those that this clock does not have */
  guint n_columns;
  gboolean real_clock;
  GArray *values; /* of LabValue, row after row */
  GStringChunk *texts;
};

/* Of a quotient or a rate. */
#define MOST_DECIMALS 6

LabValue
lab_none (void)
{
  return (LabValue) { .kind = LAB_VALUE_NONE };
}

LabValue
lab_text (const char *text)
{
  return (LabValue) { .kind = text != NULL ? LAB_VALUE_TEXT : LAB_VALUE_NONE, .text = text };
}

LabValue
lab_list (const char *joined)
{
  return (LabValue) { .kind = joined != NULL ? LAB_VALUE_LIST : LAB_VALUE_NONE, .text = joined };
}

LabValue
lab_boolean (gboolean value)
{
  return (LabValue) { .kind = LAB_VALUE_BOOLEAN, .units = value ? 1 : 0 };
}

LabValue
lab_count (guint64 n)
{
  g_return_val_if_fail (n <= G_MAXINT64, lab_none ());

  return lab_decimal ((gint64) n, 0);
}

LabValue
lab_decimal (gint64 units, guint decimals)
{
  g_return_val_if_fail (decimals <= 18, lab_none ());

  return (LabValue) { .kind = LAB_VALUE_DECIMAL, .units = units, .decimals = decimals };
}

static guint64
power_of_ten (guint exponent)
{
  guint64 power = 1;

  while (exponent-- > 0)
    power *= 10;
  return power;
}

static guint64
magnitude (gint64 units)
{
  return units < 0 ? -(guint64) units : (guint64) units;
}

/* a * b / denominator, half to even, as the article's language rounds; FALSE when
 * it does not fit. */
static gboolean
divide (guint64 a, guint64 b, guint64 denominator, guint64 *rounded)
{
  guint64 rest;

  if (!lab_mul_div_rest (a, b, denominator, rounded, &rest) || *rounded > G_MAXINT64)
    return FALSE;
  if (rest > denominator - rest || (rest == denominator - rest && *rounded % 2 != 0))
    (*rounded)++;
  return *rounded <= G_MAXINT64;
}

/* @numerator * @factor / @denominator, to as many decimals as there is room for. */
static LabValue
quotient (guint64 numerator, guint64 factor, guint64 denominator)
{
  guint64 units;

  for (int decimals = MOST_DECIMALS; decimals >= 0; decimals--)
    if (divide (numerator, factor * power_of_ten ((guint) decimals), denominator, &units))
      return lab_decimal ((gint64) units, (guint) decimals);
  return lab_none ();
}

LabValue
lab_ratio (gint64 numerator, gint64 denominator)
{
  LabValue value;

  if (denominator <= 0)
    return lab_none ();
  value = quotient (magnitude (numerator), 1, (guint64) denominator);
  if (numerator < 0)
    value.units = -value.units;
  return value;
}

LabValue
lab_rate (guint64 count, LabTime span_ns)
{
  return span_ns > 0 ? quotient (count, LAB_S, (guint64) span_ns) : lab_none ();
}

static LabValue
span (LabTime span_ns, guint decimals)
{
  return span_ns >= 0 ? lab_decimal (span_ns, decimals) : lab_none ();
}

LabValue
lab_seconds (LabTime span_ns)
{
  return span (span_ns, 9);
}

LabValue
lab_milliseconds (LabTime span_ns)
{
  return span (span_ns, 6);
}

LabValue
lab_microseconds (LabTime span_ns)
{
  return span (span_ns, 3);
}

LabValue
lab_rps (double rate_rps)
{
  return rate_rps >= 0 && rate_rps <= 1e12 ? lab_decimal (llrint (rate_rps * 1e6), MOST_DECIMALS) : lab_none ();
}

LabValue
lab_value_round (LabValue value, guint decimals)
{
  guint64 units;

  if (value.kind != LAB_VALUE_DECIMAL || value.decimals <= decimals)
    return value;
  divide (magnitude (value.units), 1, power_of_ten (value.decimals - decimals), &units);
  return lab_decimal (value.units < 0 ? -(gint64) units : (gint64) units, decimals);
}

double
lab_value_to_double (LabValue value)
{
  return value.kind == LAB_VALUE_DECIMAL ? (double) value.units / (double) power_of_ten (value.decimals) : NAN;
}

/* Digits and the point; @value has exactly as many decimals as it shows. */
static void
append_decimal (LabValue value, GString *to)
{
  gint64 scale = (gint64) power_of_ten (value.decimals);
  gint64 whole = value.units / scale, parts = value.units % scale;

  if (value.units < 0)
    g_string_append_c (to, '-');
  g_string_append_printf (to, "%" G_GUINT64_FORMAT, magnitude (whole));
  if (value.decimals > 0)
    g_string_append_printf (to, ".%0*" G_GINT64_FORMAT, (int) value.decimals, parts < 0 ? -parts : parts);
}

static void
append_shortest_decimal (LabValue value, GString *to)
{
  while (value.decimals > 1 && value.units % 10 == 0)
    {
      value.units /= 10;
      value.decimals--;
    }
  append_decimal (value, to);
}

static void
append_rounded_decimal (LabValue value, guint decimals, GString *to)
{
  guint kept = MIN (decimals, value.decimals);

  append_decimal (lab_value_round (value, kept), to);
  if (decimals > kept && kept == 0)
    g_string_append_c (to, '.');
  for (guint i = kept; i < decimals; i++)
    g_string_append_c (to, '0');
}

static gboolean
has_column (const LabTable *table, const LabColumn *column)
{
  return table->real_clock || !column->real_only;
}

LabTable *
lab_table_new (const LabColumn *columns, guint n_columns, gboolean real_clock)
{
  LabTable *table = g_new (LabTable, 1);

  *table = (LabTable) {
    .given = columns,
    .n_given = n_columns,
    .columns = g_new (LabColumn, n_columns),
    .real_clock = real_clock,
    .values = g_array_new (FALSE, FALSE, sizeof (LabValue)),
    .texts = g_string_chunk_new (256),
  };
  for (guint i = 0; i < n_columns; i++)
    if (has_column (table, &columns[i]))
      table->columns[table->n_columns++] = columns[i];
  return table;
}

void
lab_table_free (LabTable *table)
{
  if (table == NULL)
    return;

  g_array_unref (table->values);
  g_string_chunk_free (table->texts);
  g_free (table->columns);
  g_free (table);
}

void
lab_table_add (LabTable *table, const LabValue *values, guint n_values)
{
  g_return_if_fail (n_values == table->n_given);

  for (guint i = 0; i < n_values; i++)
    {
      LabValue value = values[i];

      if (!has_column (table, &table->given[i]))
        continue;
      if (value.text != NULL)
        value.text = g_string_chunk_insert_const (table->texts, value.text);
      g_array_append_val (table->values, value);
    }
}

guint
lab_table_n_rows (const LabTable *table)
{
  return table->n_columns > 0 ? table->values->len / table->n_columns : 0;
}

static LabValue
value_at (const LabTable *table, guint row, guint column)
{
  return g_array_index (table->values, LabValue, row * table->n_columns + column);
}

LabValue
lab_table_get (const LabTable *table, guint row, const char *key)
{
  g_return_val_if_fail (row < lab_table_n_rows (table), lab_none ());

  for (guint i = 0; i < table->n_columns; i++)
    if (g_strcmp0 (table->columns[i].key, key) == 0)
      return value_at (table, row, i);
  g_return_val_if_reached (lab_none ());
}

/* --- the printed table --- */

static void
append_spaces (GString *to, glong n)
{
  for (; n > 0; n--)
    g_string_append_c (to, ' ');
}

/* @cell flush left or right within the column's width, counted in characters. */
static void
append_cell (const LabColumn *column, const char *cell, gsize line_start, GString *to)
{
  glong pad = ABS (column->width) - g_utf8_strlen (cell, -1);

  if (column->width > 0)
    append_spaces (to, pad);
  if (to->len > line_start && to->str[to->len - 1] != ' ')
    g_string_append_c (to, ' ');
  g_string_append (to, cell);
  if (column->width < 0)
    append_spaces (to, pad);
}

static void
end_line (GString *to, gsize line_start)
{
  while (to->len > line_start && to->str[to->len - 1] == ' ')
    g_string_truncate (to, to->len - 1);
  g_string_append_c (to, '\n');
}

static char *
printed_value (const LabColumn *column, LabValue value)
{
  g_autoptr (GString) cell = g_string_new (NULL);

  switch (value.kind)
    {
    case LAB_VALUE_NONE:
      g_string_append_c (cell, '-');
      break;
    case LAB_VALUE_TEXT:
    case LAB_VALUE_LIST:
      g_string_append (cell, value.text);
      break;
    case LAB_VALUE_BOOLEAN:
      g_string_append (cell, value.units ? "yes" : "no");
      break;
    case LAB_VALUE_DECIMAL:
      append_rounded_decimal (value, column->decimals, cell);
      break;
    }
  if (value.kind != LAB_VALUE_NONE && column->suffix != NULL)
    g_string_append (cell, column->suffix);
  return g_utf8_make_valid (cell->str, (gssize) cell->len);
}

void
lab_table_append_heading (const LabTable *table, GString *to)
{
  gsize line_start = to->len;

  for (guint i = 0; i < table->n_columns; i++)
    if (table->columns[i].heading != NULL)
      append_cell (&table->columns[i], table->columns[i].heading, line_start, to);
  end_line (to, line_start);
}

void
lab_table_append_row (const LabTable *table, guint row, GString *to)
{
  gsize line_start = to->len;

  g_return_if_fail (row < lab_table_n_rows (table));

  for (guint i = 0; i < table->n_columns; i++)
    if (table->columns[i].heading != NULL)
      {
        g_autofree char *cell = printed_value (&table->columns[i], value_at (table, row, i));
        append_cell (&table->columns[i], cell, line_start, to);
      }
  end_line (to, line_start);
}

/* --- CSV, as RFC 4180 has it --- */

static void
append_csv_text (const char *text, GString *to)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  /* An empty text is quoted: nothing at all stands for a value that is none. */
  if (*valid != '\0' && strpbrk (valid, ",\"\r\n") == NULL)
    {
      g_string_append (to, valid);
      return;
    }

  g_string_append_c (to, '"');
  for (const char *c = valid; *c != '\0'; c++)
    {
      if (*c == '"')
        g_string_append_c (to, '"');
      g_string_append_c (to, *c);
    }
  g_string_append_c (to, '"');
}

static void
append_csv_value (LabValue value, GString *to)
{
  switch (value.kind)
    {
    case LAB_VALUE_NONE:
      break;
    case LAB_VALUE_TEXT:
    case LAB_VALUE_LIST:
      append_csv_text (value.text, to);
      break;
    case LAB_VALUE_BOOLEAN:
      g_string_append (to, value.units ? "true" : "false");
      break;
    case LAB_VALUE_DECIMAL:
      append_shortest_decimal (value, to);
      break;
    }
}

static void
append_csv_name (const LabColumn *column, GString *to)
{
  g_autofree char *name = column->object != NULL ? g_strconcat (column->object, "_", column->key, NULL) : NULL;

  append_csv_text (name != NULL ? name : column->key, to);
}

void
lab_table_append_csv (const LabTable *table, GString *to)
{
  for (int row = -1; row < (int) lab_table_n_rows (table); row++)
    {
      for (guint i = 0; i < table->n_columns; i++)
        {
          if (table->columns[i].key == NULL)
            continue;
          if (i > 0)
            g_string_append_c (to, ',');
          if (row < 0)
            append_csv_name (&table->columns[i], to);
          else
            append_csv_value (value_at (table, (guint) row, i), to);
        }
      g_string_append_c (to, '\n');
    }
}

/* --- JSON --- */

static void
append_json_text (const char *text, gsize length, GString *to)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) length);

  g_string_append_c (to, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (to, "\\%c", *c);
    else if (*c == '\n')
      g_string_append (to, "\\n");
    else if ((guchar) *c < 0x20 || *c == 0x7f)
      g_string_append_printf (to, "\\u%04x", (guint) *c);
    else
      g_string_append_c (to, *c);
  g_string_append_c (to, '"');
}

static void
append_json_list (const char *joined, GString *to)
{
  const char *item = joined;

  g_string_append_c (to, '[');
  while (*item != '\0')
    {
      gsize length = strcspn (item, ";");
      if (item != joined)
        g_string_append (to, ", ");
      append_json_text (item, length, to);
      item += length;
      item += *item == ';' ? 1 : 0;
    }
  g_string_append_c (to, ']');
}

void
lab_value_append_json (LabValue value, GString *to)
{
  switch (value.kind)
    {
    case LAB_VALUE_NONE:
      g_string_append (to, "null");
      break;
    case LAB_VALUE_TEXT:
      append_json_text (value.text, strlen (value.text), to);
      break;
    case LAB_VALUE_LIST:
      append_json_list (value.text, to);
      break;
    case LAB_VALUE_BOOLEAN:
      g_string_append (to, value.units ? "true" : "false");
      break;
    case LAB_VALUE_DECIMAL:
      append_shortest_decimal (value, to);
      break;
    }
}

static void
append_json_key (const char *key, GString *to)
{
  append_json_text (key, strlen (key), to);
  g_string_append (to, ": ");
}

/* The column after the last one of the object that begins at @first. */
static guint
object_end (const LabTable *table, guint first)
{
  guint end = first + 1;

  while (end < table->n_columns && g_strcmp0 (table->columns[end].object, table->columns[first].object) == 0)
    end++;
  return end;
}

static void
append_json_members (const LabTable *table, guint row, guint first, guint end, GString *to)
{
  g_string_append (to, "{ ");
  for (guint i = first; i < end; i++)
    {
      if (i > first)
        g_string_append (to, ", ");
      append_json_key (table->columns[i].key, to);
      lab_value_append_json (value_at (table, row, i), to);
    }
  g_string_append (to, " }");
}

static gboolean
all_none (const LabTable *table, guint row, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    if (value_at (table, row, i).kind != LAB_VALUE_NONE)
      return FALSE;
  return TRUE;
}

static void
append_json_row (const LabTable *table, guint row, GString *to)
{
  const char *separator = "{ ";
  guint end;

  for (guint i = 0; i < table->n_columns; i = end)
    {
      const char *object = table->columns[i].object;

      end = object != NULL ? object_end (table, i) : i + 1;
      if (table->columns[i].key == NULL)
        continue;
      g_string_append (to, separator);
      append_json_key (object != NULL ? object : table->columns[i].key, to);
      if (object == NULL)
        lab_value_append_json (value_at (table, row, i), to);
      else if (all_none (table, row, i, end))
        g_string_append (to, "null");
      else
        append_json_members (table, row, i, end, to);
      separator = ", ";
    }
  g_string_append (to, " }");
}

void
lab_table_append_json (const LabTable *table, guint indent, GString *to)
{
  guint n_rows = lab_table_n_rows (table);

  g_string_append_c (to, '[');
  for (guint row = 0; row < n_rows; row++)
    {
      g_string_append (to, row > 0 ? ",\n" : "\n");
      append_spaces (to, indent);
      append_json_row (table, row, to);
    }
  if (n_rows > 0)
    {
      g_string_append_c (to, '\n');
      append_spaces (to, (glong) indent - 2);
    }
  g_string_append_c (to, ']');
}
