/* Retry-After headers, at any wall clock: the first eight bytes are the time of day. */
#include "../admission/retry_after.h"
#include "fuzz.h"

#include <string.h>

static gboolean
is_number (const char *text)
{
  return text[0] != '\0' && text[strspn (text, "0123456789")] == '\0';
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  gint64 now_unix_s = 784111777; /* the example of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT */
  g_autofree char *value = NULL;
  LabTime away_ns;

  if (size >= 9 && data[0] == '\0')
    {
      memcpy (&now_unix_s, data + 1, 8);
      data += 9;
      size -= 9;
    }
  value = fuzz_text (data, size);
  away_ns = lab_retry_after_parse (value, now_unix_s);
  FUZZ_ASSERT (away_ns >= -1 && away_ns <= LAB_DURATION_MAX);
  FUZZ_ASSERT (away_ns % LAB_S == 0 || away_ns == -1 || away_ns == LAB_DURATION_MAX);
  if (is_number (value) && strlen (value) <= 7)
    FUZZ_ASSERT (away_ns == g_ascii_strtoll (value, NULL, 10) * LAB_S);
  if (value[0] == '-' || value[0] == '\0')
    FUZZ_ASSERT (away_ns == -1);
  return 0;
}
