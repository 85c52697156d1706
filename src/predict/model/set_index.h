/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The set of a line: modulo, or parities of address bits (a linear hash). The parities of all
 * values of each byte of the line number are in a table, so that a hash costs one look-up per byte.
 */
#ifndef GC_PREDICT_MODEL_SET_INDEX_H
#define GC_PREDICT_MODEL_SET_INDEX_H

#include "predict/model/gpu.h"

#define GC_LINE_NUMBER_BYTES 8

struct gc_set_index {
  uint32_t sets;
  bool hashed;
  unsigned bytes; /* of the line number that the hash uses, from the lowest */
  uint32_t parities[GC_LINE_NUMBER_BYTES][256];
};

/* The geometry must be valid (gc_gpu_model_check). */
void gc_set_index_init(struct gc_set_index *index, const struct gc_cache_geometry *geometry);

/* The set of the line with this number (address / line_bytes). */
static inline uint32_t gc_set_of(const struct gc_set_index *index, uint64_t line)
{
  uint32_t set = 0;

  if (!index->hashed)
    return index->sets == 1 ? 0 : (uint32_t)(line % index->sets);
  for (unsigned i = 0; i < index->bytes; i++)
    set ^= index->parities[i][line >> 8 * i & 255];
  return set;
}

#endif
