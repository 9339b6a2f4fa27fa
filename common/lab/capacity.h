/* The capacity that step 1 measures and the later steps use: capacity.json. */
#pragma once

#include "lab.h"

G_BEGIN_DECLS

/* The content of the file: the readings, and the settings they were taken at.
 * Returns: (transfer full) */
char *lab_capacity_to_json (const LabSettings *settings, LabValue capacity_rps, LabValue steady_capacity_rps);

/* Reads the file at @path. *differences becomes NULL, or a phrase on which of the
 * settings in @groups it was measured at differently. (transfer full)
 *
 * Returns the capacity; 0 with @error set to one sentence that names the path. */
double lab_capacity_read (const char *path, const LabSettings *settings, LabOptionGroups groups, char **differences,
                          GError **error);

G_END_DECLS
