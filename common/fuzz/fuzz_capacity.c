/* capacity.json: what is read is a capacity that --capacity would take, too; what is
 * not is refused with a sentence that names the file. */
#include "../lab/capacity.h"
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const LabSettings settings = { .service_time_ns = 50 * LAB_MS, .slots = 4, .out = "out" };
  int fd = memfd_create ("capacity.json", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *differences = NULL;
  g_autoptr (GError) error = NULL;
  double capacity_rps;

  FUZZ_ASSERT (fd >= 0 && write (fd, data, size) == (gssize) size);
  capacity_rps = lab_capacity_read (path, &settings, LAB_OPTIONS_POLICY, &differences, &error);
  if (capacity_rps == 0)
    FUZZ_ASSERT (error != NULL && strstr (error->message, path) != NULL && differences == NULL);
  else
    FUZZ_ASSERT (error == NULL && capacity_rps >= 0.000001 && capacity_rps <= 1e9);
  close (fd);
  return 0;
}
