/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/list.h"

#include <stdlib.h>
#include <string.h>

struct gc_gpu *gc_gpus_append(struct gc_gpus *gpus)
{
  struct gc_gpu *grown = realloc(gpus->array, (gpus->count + 1) * sizeof(*grown));

  if (!grown)
    return NULL;
  gpus->array = grown;
  grown += gpus->count++;
  memset(grown, 0, sizeof(*grown));
  return grown;
}

void gc_gpus_free(struct gc_gpus *gpus)
{
  for (size_t i = 0; i < gpus->count; i++)
    gc_record_free(gpus->array[i].tables);
  free(gpus->array);
  gpus->array = NULL;
  gpus->count = 0;
}
