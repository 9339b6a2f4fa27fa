/* replay FILE...: hands the files of a corpus to a fuzz target, for compilers that
 * have no libFuzzer. */
#include "fuzz.h"

#include <stdio.h>

int
main (int argc, char *argv[])
{
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *content = NULL;
      g_autoptr (GError) error = NULL;
      gsize length;

      if (!g_file_get_contents (argv[i], &content, &length, &error))
        {
          fprintf (stderr, "%s\n", error->message);
          return 2;
        }
      /* A copy of just its size, so that a byte too far is seen. */
      g_autofree guint8 *copy = g_memdup2 (content, length);
      LLVMFuzzerTestOneInput (copy, length);
    }
  printf ("%d inputs\n", argc - 1);
  return argc < 2;
}
