/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/remedy.h"

bool gc_remedy_apply(enum gc_remedy remedy, const struct gc_parameters *parameters,
                     struct gc_changes *changes)
{
  const struct gc_cache_geometry *l1 = &parameters->gpu.l1;

  if (!parameters->gpu.loads_in_l1)
    return false;
  switch (remedy) {
  case GC_REMEDY_CARVEOUT:
    changes->has_carveout = true;
    changes->carveout = 0;
    return parameters->carveouts.count;
  case GC_REMEDY_LINE:
    changes->line = (double)l1->sector_bytes / l1->line_bytes;
    return l1->sector_bytes < l1->line_bytes;
  case GC_REMEDY_BLOCKS:
    changes->half_blocks = true;
    return true;
  default:
    return false;
  }
}
