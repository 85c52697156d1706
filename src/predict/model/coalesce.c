/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/coalesce.h"

void gc_coalescer_init(struct gc_coalescer *coalescer, uint32_t line_bytes, uint32_t sector_bytes)
{
  coalescer->line_shift = (unsigned)__builtin_ctz(line_bytes);
  coalescer->sector_shift = (unsigned)__builtin_ctz(sector_bytes);
}

/* A bit for each line; several lines share one. */
static uint64_t bit_of(uint64_t line)
{
  return UINT64_C(1) << (line * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

struct requests {
  struct gc_request *array;
  unsigned count;
  uint64_t bits; /* of all lines: most new lines need no search */
};

/* Adds sectors to the request of the line. Neighbours mostly use the same line, so the search
 * begins at the last request. */
static void add(struct requests *to, uint64_t line, uint32_t sectors)
{
  const uint64_t bit = bit_of(line);

  for (unsigned i = to->bits & bit ? to->count : 0; i-- > 0;) {
    if (to->array[i].line == line) {
      to->array[i].sectors |= sectors;
      return;
    }
  }
  to->bits |= bit;
  to->array[to->count++] = (struct gc_request){.line = line, .sectors = sectors};
}

static uint32_t sectors_from_to(unsigned first, unsigned last)
{
  return (UINT32_MAX >> (31 - (last - first))) << first;
}

unsigned gc_coalesce(const struct gc_coalescer *coalescer,
                     const struct gc_trace_instruction *instruction,
                     struct gc_request requests[GC_REQUESTS_MAX])
{
  unsigned bytes = instruction->bytes < 1 ? 1 : instruction->bytes > 16 ? 16 : instruction->bytes;
  unsigned line_shift = coalescer->line_shift, sector_shift = coalescer->sector_shift;
  struct requests to_add = {.array = requests};
  uint64_t in_line = (UINT64_C(1) << line_shift) - 1;

  for (uint64_t left = instruction->mask; left; left &= left - 1) {
    uint64_t first = instruction->addresses[__builtin_ctzll(left)];
    uint64_t last = first > UINT64_MAX - (bytes - 1) ? UINT64_MAX : first + (bytes - 1);
    uint64_t line = first >> line_shift, last_line = last >> line_shift;
    unsigned from = (unsigned)((first & in_line) >> sector_shift);
    unsigned to = (unsigned)((last & in_line) >> sector_shift);

    if (line == last_line) {
      add(&to_add, line, sectors_from_to(from, to));
    } else { /* not aligned; lines have at least 16 bytes, so there are two */
      unsigned end = (1u << (line_shift - sector_shift)) - 1;

      add(&to_add, line, sectors_from_to(from, end));
      add(&to_add, last_line, sectors_from_to(0, to));
    }
  }
  return to_add.count;
}
