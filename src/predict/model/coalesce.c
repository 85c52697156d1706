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

#define SLOTS 256 /* at least twice GC_REQUESTS_MAX */

struct requests {
  struct gc_request *array;
  unsigned count;
  uint8_t slots[SLOTS]; /* hash table by line: the number of its request + 1; 0: empty */
};

_Static_assert(SLOTS >= 2 * GC_REQUESTS_MAX, "a search must find an empty slot soon");

static uint32_t bits_from_to(unsigned first, unsigned last)
{
  return (UINT32_MAX >> (31 - (last - first))) << first;
}

/* The request of a line to which threads other than the one before may have added, or a new one. */
static inline struct gc_request *request_of(struct requests *to, uint64_t line)
{
  unsigned slot = (unsigned)(line * UINT64_C(0x9e3779b97f4a7c15) >> 56);

  for (; to->slots[slot]; slot = (slot + 1) % SLOTS)
    if (to->array[to->slots[slot] - 1].line == line)
      return &to->array[to->slots[slot] - 1];
  to->array[to->count] = (struct gc_request){.line = line};
  to->slots[slot] = (uint8_t)++to->count;
  return &to->array[to->count - 1];
}

/* Adds bytes, from and to an offset in the line, to a request. */
static inline void add(const struct gc_coalescer *coalescer, struct gc_request *to, unsigned first,
                       unsigned last)
{
  to->sectors |= bits_from_to(first >> coalescer->sector_shift, last >> coalescer->sector_shift);
  to->parts |= bits_from_to(first >> coalescer->part_shift, last >> coalescer->part_shift);
}

/* The accesses of all threads have no gaps and are in order: their first byte is *first, the last
 * one *last. */
static bool are_in_a_row(const struct gc_trace_instruction *instruction, unsigned bytes,
                         uint64_t *first, uint64_t *last)
{
  const unsigned from = (unsigned)__builtin_ctzll(instruction->mask);
  const uint64_t threads = instruction->mask >> from;
  const unsigned count = threads == UINT64_MAX ? 64 : (unsigned)__builtin_ctzll(~threads);
  const uint64_t *addresses = &instruction->addresses[from];
  uint64_t differ = count < 64 ? threads >> count : 0;

  *first = addresses[0];
  *last = *first + (count * bytes - 1);
  for (unsigned i = 1; i < count; i++)
    differ |= addresses[i] ^ (*first + i * bytes);
  return !differ && *last >= *first;
}

static unsigned coalesce_range(const struct gc_coalescer *coalescer, uint64_t first, uint64_t last,
                               struct gc_request *requests)
{
  const unsigned shift = coalescer->line_shift;
  const uint64_t line = first >> shift, last_line = last >> shift;
  const unsigned end = (1u << shift) - 1;

  for (uint64_t i = line; i <= last_line; i++) {
    requests[i - line] = (struct gc_request){.line = i};
    add(coalescer, &requests[i - line], i == line ? (unsigned)first & end : 0,
        i == last_line ? (unsigned)last & end : end);
  }
  return (unsigned)(last_line - line + 1);
}

/* Of threads whose accesses are aligned, and no larger than a sector and a part of a line. */
static unsigned coalesce_small(const struct gc_coalescer *coalescer,
                               const struct gc_trace_instruction *instruction,
                               struct requests *to_add)
{
  const unsigned shift = coalescer->line_shift, end = (1u << shift) - 1;
  const unsigned sector_shift = coalescer->sector_shift, part_shift = coalescer->part_shift;
  struct gc_request *at = NULL;

  for (uint64_t left = instruction->mask; left; left &= left - 1) {
    const uint64_t address = instruction->addresses[__builtin_ctzll(left)];
    const unsigned in_line = (unsigned)address & end;

    if (!at || at->line != address >> shift)
      at = request_of(to_add, address >> shift);
    at->sectors |= UINT32_C(1) << (in_line >> sector_shift);
    at->parts |= UINT32_C(1) << (in_line >> part_shift);
  }
  return to_add->count;
}

/* Are the accesses such? */
static bool are_small(const struct gc_coalescer *coalescer,
                      const struct gc_trace_instruction *instruction, unsigned bytes)
{
  uint64_t all = 0;

  if (bytes & (bytes - 1) || bytes > 1u << coalescer->sector_shift ||
      bytes > 1u << coalescer->part_shift)
    return false;
  for (uint64_t left = instruction->mask; left; left &= left - 1)
    all |= instruction->addresses[__builtin_ctzll(left)];
  return !(all & (bytes - 1));
}

unsigned gc_coalesce(const struct gc_coalescer *coalescer,
                     const struct gc_trace_instruction *instruction,
                     struct gc_request requests[GC_REQUESTS_MAX])
{
  const unsigned bytes = instruction->bytes < 1    ? 1
                         : instruction->bytes > 16 ? 16
                                                   : instruction->bytes;
  const unsigned shift = coalescer->line_shift, end = (1u << shift) - 1;
  struct requests to_add = {.array = requests};
  struct gc_request *at = NULL; /* threads mostly use the same line as their neighbours */
  uint64_t first, last;

  if (!instruction->mask)
    return 0;
  if (are_in_a_row(instruction, bytes, &first, &last))
    return coalesce_range(coalescer, first, last, requests);
  if (are_small(coalescer, instruction, bytes))
    return coalesce_small(coalescer, instruction, &to_add);
  for (uint64_t left = instruction->mask; left; left &= left - 1) {
    first = instruction->addresses[__builtin_ctzll(left)];
    last = first > UINT64_MAX - (bytes - 1) ? UINT64_MAX : first + (bytes - 1);
    if (!at || at->line != first >> shift)
      at = request_of(&to_add, first >> shift);
    if (first >> shift == last >> shift) {
      add(coalescer, at, (unsigned)first & end, (unsigned)last & end);
    } else { /* not aligned; lines have at least 16 bytes, so there are two */
      add(coalescer, at, (unsigned)first & end, end);
      at = request_of(&to_add, last >> shift);
      add(coalescer, at, 0, (unsigned)last & end);
    }
  }
  return to_add.count;
}
