/* What the fuzz targets share. Each has one function, which libFuzzer calls with one
 * input after another; replay.c does so with the files of a corpus. */
#pragma once

#include <glib.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The input as a C string. Returns: (transfer full) */
static inline char *
fuzz_text (const guint8 *data, gsize size)
{
  return g_strndup (size > 0 ? (const char *) data : "", size);
}

#define FUZZ_ASSERT(condition)                                             \
  G_STMT_START                                                             \
  {                                                                        \
    if (!(condition))                                                      \
      g_error ("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
  }                                                                        \
  G_STMT_END
