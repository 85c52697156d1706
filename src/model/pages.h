/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Physical pages. Programs see virtual addresses, but caches outside the SMs are indexed by
 * physical ones. An allocation that is contiguous for the program may consist of pages that lie
 * anywhere in memory, so its lines may meet some sets of such a cache more often than others. Where
 * the pages of an allocation lie is drawn from a seed.
 */
#ifndef GC_MODEL_PAGES_H
#define GC_MODEL_PAGES_H

#include "model/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_ALLOCATION_ALIGNMENT (2ull << 20) /* of the begin of allocations and aliases */
#define GC_PHYSICAL_BITS 46 /* of addresses: 64 TiB, the largest memory of a profile */

enum gc_page_order {
  GC_PAGES_CONTIGUOUS, /* the pages of an allocation follow each other */
  GC_PAGES_SCATTERED,  /* each page lies anywhere */
  GC_PAGES_MIXED,      /* each allocation is either contiguous or scattered */
};

struct gc_page_range {
  uint64_t base, bytes; /* virtual */
  uint64_t mask;        /* of offsets in the range: aliases repeat the same pages */
  uint64_t first;       /* number of its first page among all that were ever mapped */
  bool scattered;
};

struct gc_pages {
  uint32_t shift; /* log2 of the bytes of a page; 0: physical addresses equal virtual ones, except
                     for those of aliases */
  size_t aliases; /* ranges that repeat the same pages */
  enum gc_page_order order;
  struct gc_random random;
  uint64_t key;     /* of the order of scattered pages */
  uint64_t next[2]; /* next page: [0] of contiguous, [1] of scattered allocations */
  struct gc_page_range *ranges;
  size_t count, recent; /* recent: index of the range of the last address */
};

/* page_bytes: a power of two, or 0 if there is no translation. seed: where the pages of allocations
 * lie. */
void gc_pages_init(struct gc_pages *pages, uint64_t page_bytes, enum gc_page_order order,
                   uint64_t seed);
void gc_pages_fini(struct gc_pages *pages);

/* An allocation, which begins at a multiple of the page size. 0 or -ENOMEM. _unmap: of the
 * allocation that begins at base, if there is one. */
int gc_pages_map(struct gc_pages *pages, uint64_t base, uint64_t bytes);
void gc_pages_unmap(struct gc_pages *pages, uint64_t base);
/* A range of `span` addresses behind which an allocation of `bytes` bytes, a power of two, lies
 * again and again. */
int gc_pages_alias(struct gc_pages *pages, uint64_t base, uint64_t bytes, uint64_t span);

/* gc_pages_physical for pages with a size, or with aliases. */
uint64_t gc_pages_translate(struct gc_pages *pages, uint64_t address);

/* The physical address. Outside of all allocations it is the virtual one. */
static inline uint64_t gc_pages_physical(struct gc_pages *pages, uint64_t address)
{
  return pages->shift || pages->aliases ? gc_pages_translate(pages, address) : address;
}

/* So many bytes from this address on certainly lie one behind the other. */
static inline uint64_t gc_pages_contiguous(const struct gc_pages *pages, uint64_t address)
{
  const uint64_t page = pages->shift ? 1ull << pages->shift : GC_ALLOCATION_ALIGNMENT;

  return pages->shift || pages->aliases ? page - address % page : UINT64_MAX - address;
}

#endif
