/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/set_index.h"

#include <string.h>

static uint32_t parities_of(const struct gc_cache_geometry *geometry, uint64_t line)
{
  uint64_t address = line * geometry->line_bytes;
  uint32_t set = 0;

  for (uint32_t bit = 0; bit < geometry->mask_count; bit++)
    set |= (uint32_t)__builtin_parityll(address & geometry->masks[bit]) << bit;
  return set;
}

void gc_set_index_init(struct gc_set_index *index, const struct gc_cache_geometry *geometry)
{
  memset(index, 0, sizeof *index);
  index->sets = geometry->sets;
  index->hashed = geometry->mask_count > 0;
  if (!index->hashed)
    return;
  for (unsigned i = 0; i < GC_LINE_NUMBER_BYTES; i++) {
    for (uint64_t value = 0; value < 256; value++) {
      index->parities[i][value] = parities_of(geometry, value << 8 * i);
      if (index->parities[i][value])
        index->bytes = i + 1;
    }
  }
}
