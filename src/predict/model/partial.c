/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/model/partial.h"

#include "predict/model/coalesce.h"
#include "predict/model/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_BYTES 32
#define PART_OF_LINES 8

uint32_t gc_partial_unit_bytes(const struct gc_cache_geometry *l2)
{
  return l2->sector_bytes < UNIT_BYTES ? l2->sector_bytes : UNIT_BYTES;
}

/* The same lines, with units for sectors. */
static struct gc_cache_geometry of_units(const struct gc_cache_geometry *l2)
{
  return (struct gc_cache_geometry){.line_bytes = l2->line_bytes,
                                    .sector_bytes = gc_partial_unit_bytes(l2)};
}

uint32_t gc_partial_units(const struct gc_cache_geometry *l2, const struct gc_line *line)
{
  const struct gc_cache_geometry units = of_units(l2);
  const uint32_t in_sector = l2->sector_bytes / units.sector_bytes;
  uint32_t found = 0;

  for (uint32_t i = 0; line->stored && i < l2->line_bytes / units.sector_bytes; i++) {
    const uint32_t all = gc_parts_of(&units, i), stored = line->stored & all;

    if (stored && stored != all && !(line->sectors >> i / in_sector & 1))
      found |= UINT32_C(1) << i;
  }
  return found;
}

/* Completes the units of a line. Their number. */
static unsigned fill(const struct gc_cache_geometry *l2, struct gc_lines *partitions,
                     const struct gc_partial_line *oldest)
{
  const struct gc_cache_geometry units = of_units(l2);
  struct gc_line *line = gc_lines_find_mixed(&partitions[oldest->partition], oldest->set,
                                             oldest->line, gc_mix(oldest->line));
  uint32_t found;

  if (!line) /* it was evicted meanwhile */
    return (unsigned)__builtin_popcount(oldest->units);
  found = gc_partial_units(l2, line);
  for (uint32_t left = found; left; left &= left - 1)
    line->stored |= gc_parts_of(&units, (uint32_t)__builtin_ctz(left));
  line->sectors |= gc_sectors_stored(l2, UINT32_MAX >> (32 - l2->line_bytes / l2->sector_bytes),
                                     UINT32_MAX, line->stored);
  return (unsigned)__builtin_popcount(found);
}

int gc_partial_add(struct gc_partial *partial, const struct gc_cache_geometry *l2,
                   struct gc_lines *partitions, uint64_t lines, struct gc_partial_line added,
                   unsigned *filled)
{
  *filled = 0;
  if (!partial->ring) {
    partial->room = lines / PART_OF_LINES ? (uint32_t)(lines / PART_OF_LINES) : 1;
    partial->ring = malloc(partial->room * sizeof *partial->ring);
    if (!partial->ring)
      return -ENOMEM;
  }
  if (partial->count == partial->room) {
    *filled = fill(l2, partitions, &partial->ring[partial->first]);
    partial->first = (partial->first + 1) % partial->room;
    partial->count--;
  }
  partial->ring[(partial->first + partial->count++) % partial->room] = added;
  return 0;
}

void gc_partial_fini(struct gc_partial *partial)
{
  free(partial->ring);
  memset(partial, 0, sizeof *partial);
}
