/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/kinds.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct gc_kind_info gc_kinds[GC_KIND_COUNT] = {
  [GC_DEVICE_MEMORY] = { HWLOC_GPUCACHE_DEVICE_MEMORY, "Memory", GC_DEVICE_MEMORY, false, true },
  [GC_L3] = { HWLOC_GPUCACHE_L3, "L3", GC_DEVICE_MEMORY, false, false },
  [GC_L2] = { HWLOC_GPUCACHE_L2, "L2", GC_L3, false, false },
  /* RDNA: misses of the vector and the scalar caches (called "L0" there) go to it. */
  [GC_GL1] = { HWLOC_GPUCACHE_GL1, "GL1", GC_L2, false, false },
  [GC_L1] = { HWLOC_GPUCACHE_L1, "L1", GC_GL1, true, false },
  [GC_TEXTURE] = { HWLOC_GPUCACHE_TEXTURE, "Texture", GC_L2, true, false },
  [GC_READ_ONLY] = { HWLOC_GPUCACHE_READ_ONLY, "ReadOnly", GC_L2, true, false },
  [GC_CONSTANT_L1] = { HWLOC_GPUCACHE_CONSTANT_L1, "ConstantL1", GC_L2, true, false },
  [GC_CONSTANT_L15] = { HWLOC_GPUCACHE_CONSTANT_L15, "ConstantL1.5", GC_L2, true, false },
  [GC_SHARED_MEMORY] = { HWLOC_GPUCACHE_SHARED_MEMORY, "Shared", GC_L2, true, true },
  [GC_TENSOR_MEMORY] = { HWLOC_GPUCACHE_TENSOR_MEMORY, "Tensor", GC_L2, true, true },
  [GC_SCALAR_L1] = { HWLOC_GPUCACHE_SCALAR_L1, "ScalarL1", GC_GL1, true, false },
  [GC_LDS] = { HWLOC_GPUCACHE_LDS, "LDS", GC_L2, true, true },
  [GC_INSTRUCTION_CACHE] = { HWLOC_GPUCACHE_INSTRUCTION, "Instruction", GC_L2, true, false },
  [GC_L1_TLB] = { HWLOC_GPUCACHE_L1_TLB, "L1TLB", GC_DEVICE_MEMORY, false, false },
  [GC_L2_TLB] = { HWLOC_GPUCACHE_L2_TLB, "L2TLB", GC_DEVICE_MEMORY, false, false },
};

const char *gc_kind_name(enum gc_kind kind)
{
  return kind == GC_WHOLE_GPU ? "GPU" : gc_kinds[kind].subtype;
}

enum gc_kind gc_kind_by_subtype(const char *subtype)
{
  unsigned kind = 0;

  while (kind < GC_KIND_COUNT && strcmp(gc_kinds[kind].subtype, subtype))
    kind++;
  return kind;
}

void gc_kinds_list(unsigned kinds, char text[GC_KIND_LIST])
{
  size_t used = 0;

  *text = '\0';
  for (unsigned kind = 0; kind <= GC_WHOLE_GPU; kind++)
    if (kinds >> kind & 1)
      used += (size_t)snprintf(text + used, GC_KIND_LIST - used, "%s%s", used ? ", " : "",
                               gc_kind_name(kind));
}

int gc_kinds_read(const char *list, unsigned known, unsigned *kinds, struct gc_error *err)
{
  struct gc_few_names unknown = { .last = "and" };
  char word[64], all[GC_KIND_LIST];

  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
    unsigned kind = 0;

    snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, ","), at);
    while (kind <= GC_WHOLE_GPU && strcmp(gc_kind_name(kind), word))
      kind++;
    if (!(known >> kind & 1))
      gc_few_add(&unknown, word);
    else
      *kinds |= 1u << kind;
  }
  if (!unknown.count)
    return 0;
  gc_kinds_list(known, all);
  return gc_fail(err, -EINVAL, "unknown element%s: %s; known: %s", unknown.count > 1 ? "s" : "",
                 unknown.text, all);
}
