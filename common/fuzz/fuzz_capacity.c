/* capacity.json: what is read is a capacity that --capacity would take, too; what is
 * not is refused with a sentence that names the file. And no document is read that is
 * nested deeper than json-glib can be trusted with. */
#include "../lab/capacity.h"
#include "../lab/json_file.h"
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 64

static guint
depth_of (JsonNode *node)
{
  g_autoptr (GList) inner = NULL;
  guint deepest = 0;

  if (JSON_NODE_HOLDS_ARRAY (node))
    inner = json_array_get_elements (json_node_get_array (node));
  else if (JSON_NODE_HOLDS_OBJECT (node))
    inner = json_object_get_values (json_node_get_object (node));
  else
    return 0;
  for (GList *at = inner; at != NULL; at = at->next)
    {
      guint depth = depth_of (at->data);

      deepest = MAX (deepest, depth);
    }
  return 1 + deepest;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const LabSettings settings = { .service_time_ns = 50 * LAB_MS, .slots = 4, .out = "out" };
  g_autofree char *path = NULL;
  g_autofree char *differences = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("capacity-XXXXXX", &path, NULL);
  g_autoptr (JsonNode) root = NULL;
  double capacity_rps;

  FUZZ_ASSERT (fd >= 0 && write (fd, data, size) == (gssize) size);
  capacity_rps = lab_capacity_read (path, &settings, LAB_OPTIONS_POLICY, &differences, &error);
  if (capacity_rps == 0)
    FUZZ_ASSERT (error != NULL && strstr (error->message, path) != NULL && differences == NULL);
  else
    FUZZ_ASSERT (error == NULL && capacity_rps >= 0.000001 && capacity_rps <= 1e9);
  root = lab_json_file_read (path, NULL);
  FUZZ_ASSERT (root == NULL || depth_of (root) <= DEPTH_MAX);
  close (fd);
  unlink (path);
  return 0;
}
