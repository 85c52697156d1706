/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A range of addresses for measuring TLBs, and upper address bits. It is much larger than the
 * memory behind it: the same piece of memory lies there again and again (aliases, device.h). So all
 * loads hit in L2, and only translations are missing. Where the driver has no aliases, the range is
 * ordinary memory, and smaller.
 */
#ifndef GC_MEASURE_STRUCTURE_TLB_RANGE_H
#define GC_MEASURE_STRUCTURE_TLB_RANGE_H

#include "measure/core/measurement.h"

#define GC_TLB_LINE 128u /* bytes: pages are walked in different lines */

struct gc_tlb_range {
  struct gc_measurement *m;
  bool aliased;
  uint64_t allocated;  /* ordinary memory: what to release */
  uint64_t base, span; /* span: bytes that can be used at most */
  uint64_t piece;      /* bytes of memory behind the range */
  uint64_t usable;     /* bytes that can be used now */
  bool refused;        /* memory, or memory for mapping it; it may be there later */
};

/* Slots `stride` bytes apart, an odd multiple of GC_TLB_LINE, from `offset` on. */
struct gc_tlb_pages {
  uint64_t offset, stride;
  uint32_t count;
};

/* *absent: why there is no range; NULL: there is one, which _close releases, or keeps for the next
 * step if there are aliases, because mapping takes long. Returns 0 or the device's error. While
 * there is a range, there is no arena: the range uses its memory. */
int gc_tlb_range_open(struct gc_measurement *m, struct gc_tlb_range *range, const char **absent);
int gc_tlb_range_close(struct gc_tlb_range *range);

/* Releases a range that was kept, and makes the arena again. If there is no memory for it any more,
 * the arena stays 0. */
void gc_tlb_range_give_back(struct gc_measurement *m);

/* Why there are no values if range->refused. */
#define GC_TLB_REFUSED "the driver had no memory to map enough addresses"

/* Whether the range is large enough for these pages, with one more. */
bool gc_tlb_range_fits(const struct gc_tlb_range *range, const struct gc_tlb_pages *pages);

/* Makes the first bytes of the range usable, at most its span; their contents are undefined. If the
 * driver has no memory for that, -ENOMEM and range->refused. */
int gc_tlb_range_reach(struct gc_tlb_range *range, uint64_t bytes);

/* Makes these pages usable, like gc_tlb_range_reach. */
int gc_tlb_map(struct gc_tlb_range *range, const struct gc_tlb_pages *pages);

/* The stride for pages about `spacing` bytes apart. */
uint64_t gc_tlb_stride(uint64_t spacing, uint64_t drift);

#endif
