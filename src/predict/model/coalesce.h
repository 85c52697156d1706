/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From the addresses of the threads of a warp to requests: the lines, and the sectors in each.
 *
 * A sector counts once per instruction, whatever the number of bytes per thread. NVIDIA documents
 * that accesses of 8 and 16 bytes are split into half and quarter warps. Threads of different
 * halves or quarters may use the same sector; l1tex__t_sectors of an H200 (ncu, driver 580) counts
 * it once: 16 bytes per thread, all quarters on the same 4 sectors: 4; 8 bytes per thread, both
 * halves on the same 8 sectors: 8. So the split only determines the order of the requests, and
 * threads in their order give the same one.
 */
#ifndef GC_PREDICT_MODEL_COALESCE_H
#define GC_PREDICT_MODEL_COALESCE_H

#include "predict/model/gpu.h"
#include "predict/trace/trace.h"

/* An access of 16 bytes touches at most 16 lines, if lines had 1 byte; lines have at least 16. */
#define GC_LINE_BYTES_MIN 16
#define GC_REQUESTS_MAX (2 * GC_TRACE_LANES)

struct gc_request {
  uint64_t line;    /* address / line_bytes */
  uint64_t mix;     /* gc_mix(line): several caches and hints need it; the caller fills it */
  uint32_t sectors; /* bit i: sector i of the line; at least one */
  uint32_t parts;   /* bit i: part i of the line, with a byte that is accessed (GC_LINE_PARTS) */
  uint32_t set;     /* of the cache for which it was made; the caller fills it */
  uint32_t l2_set;  /* likewise, if lines of L2 are as large as those of L1 */
};

/* A line has so many parts, or one for each byte if it has fewer bytes. A store of a part of a
 * sector makes only those parts valid that it touches: 4 bytes each in a line of 128. */
#define GC_LINE_PARTS 32

struct gc_coalescer {
  unsigned line_shift, sector_shift, part_shift; /* logarithms of the bytes */
};

void gc_coalescer_init(struct gc_coalescer *coalescer, uint32_t line_bytes, uint32_t sector_bytes);

/* All parts of a sector. */
static inline uint32_t gc_parts_of(const struct gc_cache_geometry *cache, uint32_t sector)
{
  const uint32_t all = cache->line_bytes < GC_LINE_PARTS ? cache->line_bytes : GC_LINE_PARTS;
  const uint32_t count = all * cache->sector_bytes / cache->line_bytes;

  return (UINT32_MAX >> (32 - count)) << sector * count;
}

/* Of some sectors, those of which stores have written all parts that an access needs. */
static inline uint32_t gc_sectors_stored(const struct gc_cache_geometry *cache, uint32_t sectors,
                                         uint32_t needed, uint32_t stored)
{
  uint32_t valid = 0;

  for (uint32_t left = stored ? sectors : 0; left; left &= left - 1) {
    const uint32_t sector = (uint32_t)__builtin_ctz(left);

    if (!(needed & gc_parts_of(cache, sector) & ~stored))
      valid |= UINT32_C(1) << sector;
  }
  return valid;
}

/* Returns the number of requests, in the order in which their first threads come. Bytes after the
 * last address do not exist; an access of 0 bytes is one of 1, one of more than 16 is one of 16. */
unsigned gc_coalesce(const struct gc_coalescer *coalescer,
                     const struct gc_trace_instruction *instruction,
                     struct gc_request requests[GC_REQUESTS_MAX]);

#endif
