/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory for tables with random accesses, and hints for it: it begins with a cache line of the
 * host. Large tables use huge pages where the kernel has them, so that the host's TLB is not the
 * limit.
 */
#ifndef GC_PREDICT_MODEL_HOST_TABLE_H
#define GC_PREDICT_MODEL_HOST_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GC_HOST_LINE UINT64_C(64)
#define GC_HUGE_PAGE (UINT64_C(2) << 20)

/* For functions that most accesses execute: with -O2 alone, GCC often does not inline them. */
#define GC_ALWAYS_INLINE static inline __attribute__((always_inline))

/* Loads a cache line of the host. The assembler statement is empty: without it, GCC 12 takes
 * functions that only prefetch for ones without effect, and removes their calls. */
static inline void gc_prefetch(const void *at)
{
  __builtin_prefetch(at, 1);
  __asm__ volatile("");
}

/* Not initialized; for free(). NULL: no memory. */
static inline void *gc_host_table(uint64_t bytes)
{
  const uint64_t unit = bytes < GC_HUGE_PAGE ? GC_HOST_LINE : GC_HUGE_PAGE;
  const uint64_t whole = (bytes + unit - 1) & ~(unit - 1);
  void *table;

  if (posix_memalign(&table, unit, whole))
    return NULL;
  if (unit == GC_HUGE_PAGE)
    madvise(table, whole, MADV_HUGEPAGE); /* a hint: failure is fine */
  return table;
}

#endif
