/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the pages of allocations lie. Physical addresses are computed, not stored, so that a large
 * allocation of small pages costs nothing.
 */
#include "model/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Contiguous allocations lie above all scattered pages, so that no two pages are at one place. They
 * begin up to so many pages after the end of the one before. */
#define CONTIGUOUS_SPACE (1ull << GC_PHYSICAL_BITS)
#define GAP_MAX 4096

void gc_pages_init(struct gc_pages *pages, uint64_t page_bytes, enum gc_page_order order,
                   uint64_t seed)
{
  memset(pages, 0, sizeof(*pages));
  pages->shift = page_bytes ? (uint32_t)__builtin_ctzll(page_bytes) : 0;
  pages->order = order;
  gc_random_seed(&pages->random, seed ^ 0x7061676573); /* unlike other uses of the same seed */
  pages->key = gc_random_next(&pages->random);
}

void gc_pages_fini(struct gc_pages *pages)
{
  free(pages->ranges);
  memset(pages, 0, sizeof(*pages));
}

static bool draw_scattered(struct gc_pages *pages)
{
  if (pages->order == GC_PAGES_MIXED)
    return gc_random_below(&pages->random, 2);
  return pages->order == GC_PAGES_SCATTERED;
}

/* Adds a range; `bytes` of it have pages of their own. */
static int add(struct gc_pages *pages, const struct gc_page_range *range, uint64_t bytes)
{
  struct gc_page_range *grown;
  bool scattered;

  grown = realloc(pages->ranges, (pages->count + 1) * sizeof(*grown));
  if (!grown)
    return -ENOMEM;
  pages->ranges = grown;
  scattered = draw_scattered(pages);
  if (!scattered)
    pages->next[0] += gc_random_below(&pages->random, GAP_MAX);
  grown[pages->count] = *range;
  grown[pages->count].first = pages->next[scattered];
  grown[pages->count++].scattered = scattered;
  pages->next[scattered] += (bytes + (1ull << pages->shift) - 1) >> pages->shift;
  return 0;
}

int gc_pages_map(struct gc_pages *pages, uint64_t base, uint64_t bytes)
{
  const struct gc_page_range range = {.base = base, .bytes = bytes, .mask = UINT64_MAX};

  return pages->shift ? add(pages, &range, bytes) : 0;
}

int gc_pages_alias(struct gc_pages *pages, uint64_t base, uint64_t bytes, uint64_t span)
{
  const struct gc_page_range range = {.base = base, .bytes = span, .mask = bytes - 1};
  const int status = add(pages, &range, bytes);

  pages->aliases += !status;
  return status;
}

void gc_pages_unmap(struct gc_pages *pages, uint64_t base)
{
  for (size_t i = 0; i < pages->count; i++)
    if (pages->ranges[i].base == base) {
      pages->aliases -= pages->ranges[i].mask != UINT64_MAX;
      pages->ranges[i] = pages->ranges[--pages->count];
      pages->recent = 0;
      return;
    }
}

static inline bool has(const struct gc_page_range *range, uint64_t address)
{
  return address - range->base < range->bytes;
}

/* NULL: outside of all. */
static const struct gc_page_range *find(struct gc_pages *pages, uint64_t address)
{
  size_t i = 0;

  if (pages->recent < pages->count && has(&pages->ranges[pages->recent], address))
    return &pages->ranges[pages->recent];
  while (i < pages->count && !has(&pages->ranges[i], address))
    i++;
  if (i == pages->count)
    return NULL;
  pages->recent = i;
  return &pages->ranges[i];
}

/* A permutation of the numbers below 2^bits: each step can be undone, so no two pages meet. */
static inline uint64_t permute(uint64_t number, uint64_t key, uint32_t bits)
{
  const uint64_t mask = (1ull << bits) - 1;

  number = (number * 0x9e3779b97f4a7c15 + key) & mask;
  number ^= number >> bits / 2;
  number = (number * 0xd6e8feb86659fd93) & mask;
  number ^= number >> bits / 2;
  return number * 0x94d049bb133111eb & mask;
}

uint64_t gc_pages_translate(struct gc_pages *pages, uint64_t address)
{
  const uint32_t bits = GC_PHYSICAL_BITS - pages->shift;
  const struct gc_page_range *range = find(pages, address);
  uint64_t page, offset;

  if (!range)
    return address;
  if (!pages->shift)
    return range->base + ((address - range->base) & range->mask);
  page = range->first + (((address - range->base) & range->mask) >> pages->shift);
  offset = address & ((1ull << pages->shift) - 1);
  if (range->scattered)
    return permute(page, pages->key, bits) << pages->shift | offset;
  return CONTIGUOUS_SPACE + (page << pages->shift) + offset;
}
