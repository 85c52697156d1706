/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The names in a profile.
 */
#include "model/profile.h"

#include <errno.h>
#include <string.h>

const char *const gc_profile_space_names[GC_SPACE_COUNT] = {
  "ca", "cg", "nc", "texture", "constant", "shared", "scalar", "instruction",
};

int gc_profile_find_cache(const struct gc_profile *profile, const char *name)
{
  for (unsigned i = 0; i < profile->cache_count; i++)
    if (!strcmp(profile->caches[i].name, name))
      return (int)i;
  return -ENOENT;
}
