/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/coalesce.h"

void gc_coalescer_init(struct gc_coalescer *coalescer, uint32_t line_bytes, uint32_t sector_bytes)
{
  coalescer->line_shift = (unsigned)__builtin_ctz(line_bytes);
  coalescer->sector_shift = (unsigned)__builtin_ctz(sector_bytes);
  coalescer->part_shift =
      (unsigned)__builtin_ctz(line_bytes < GC_LINE_PARTS ? 1 : line_bytes / GC_LINE_PARTS);
}

/* A bit for each line; several lines share one. */
static uint64_t bit_of(uint64_t line)
{
  return UINT64_C(1) << (line * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

struct requests {
  const struct gc_coalescer *coalescer;
  struct gc_request *array;
  unsigned count;
  uint64_t bits; /* of all lines: most new lines need no search */
};

static uint32_t bits_from_to(unsigned first, unsigned last)
{
  return (UINT32_MAX >> (31 - (last - first))) << first;
}

/* Adds bytes, from and to an offset in the line, to the request of the line. Neighbours mostly use
 * the same line, so the search begins at the last request. */
static void add(struct requests *to, uint64_t line, unsigned first, unsigned last)
{
  const struct gc_coalescer *c = to->coalescer;
  const uint32_t sectors = bits_from_to(first >> c->sector_shift, last >> c->sector_shift);
  const uint32_t parts = bits_from_to(first >> c->part_shift, last >> c->part_shift);
  const uint64_t bit = bit_of(line);

  for (unsigned i = to->bits & bit ? to->count : 0; i-- > 0;) {
    if (to->array[i].line == line) {
      to->array[i].sectors |= sectors;
      to->array[i].parts |= parts;
      return;
    }
  }
  to->bits |= bit;
  to->array[to->count++] = (struct gc_request){.line = line, .sectors = sectors, .parts = parts};
}

unsigned gc_coalesce(const struct gc_coalescer *coalescer,
                     const struct gc_trace_instruction *instruction,
                     struct gc_request requests[GC_REQUESTS_MAX])
{
  unsigned bytes = instruction->bytes < 1 ? 1 : instruction->bytes > 16 ? 16 : instruction->bytes;
  struct requests to_add = {.coalescer = coalescer, .array = requests};
  unsigned line_shift = coalescer->line_shift;
  uint64_t in_line = (UINT64_C(1) << line_shift) - 1;

  for (uint64_t left = instruction->mask; left; left &= left - 1) {
    uint64_t first = instruction->addresses[__builtin_ctzll(left)];
    uint64_t last = first > UINT64_MAX - (bytes - 1) ? UINT64_MAX : first + (bytes - 1);
    uint64_t line = first >> line_shift, last_line = last >> line_shift;

    if (line == last_line) {
      add(&to_add, line, (unsigned)(first & in_line), (unsigned)(last & in_line));
    } else { /* not aligned; lines have at least 16 bytes, so there are two */
      add(&to_add, line, (unsigned)(first & in_line), (unsigned)in_line);
      add(&to_add, last_line, 0, (unsigned)(last & in_line));
    }
  }
  return to_add.count;
}
