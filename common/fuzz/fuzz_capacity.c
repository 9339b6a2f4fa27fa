/* capacity.json: what is read is a capacity that --capacity would take, too; what is
 * not is refused with a sentence that names the file. */
#include "../lab/capacity.h"
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const LabSettings settings = { .service_time_ns = 50 * LAB_MS, .slots = 4, .out = "out" };
  g_autofree char *path = NULL;
  g_autofree char *differences = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("capacity-XXXXXX", &path, NULL);
  double capacity_rps;

  FUZZ_ASSERT (fd >= 0 && write (fd, data, size) == (gssize) size);
  capacity_rps = lab_capacity_read (path, &settings, LAB_OPTIONS_POLICY, &differences, &error);
  if (capacity_rps == 0)
    FUZZ_ASSERT (error != NULL && strstr (error->message, path) != NULL && differences == NULL);
  else
    FUZZ_ASSERT (error == NULL && capacity_rps >= 0.000001 && capacity_rps <= 1e9);
  close (fd);
  unlink (path);
  return 0;
}
