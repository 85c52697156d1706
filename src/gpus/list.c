/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/list.h"

#include <stdio.h>
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

void gc_gpus_names(const struct gc_gpu *const *gpus, size_t count, char *text, size_t size)
{
  static const char more[] = ", ...";
  size_t used = 0;

  *text = '\0';
  for (size_t first = 0, last; first < count; first = last + 1) {
    char part[2 * sizeof gpus[0]->name + sizeof ", " + sizeof " to "];

    for (last = first; last + 1 < count && gpus[last + 1] == gpus[last] + 1;)
      last++;
    if (last == first + 1) /* of two, both are named */
      last = first;
    snprintf(part, sizeof part, "%s%s%s%s", used ? ", " : "", gpus[first]->name,
             last > first ? " to " : "", last > first ? gpus[last]->name : "");
    if (used + strlen(part) + sizeof more > size) {
      snprintf(text + used, size - used, "%s", more);
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s", part);
  }
}

void gc_gpus_free(struct gc_gpus *gpus)
{
  for (size_t i = 0; i < gpus->count; i++)
    gc_record_free(gpus->array[i].tables);
  free(gpus->array);
  gpus->array = NULL;
  gpus->count = 0;
}
