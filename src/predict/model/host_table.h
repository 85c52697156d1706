/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory for tables with random accesses. Large ones use huge pages where the kernel has them, so
 * that the host's TLB is not the limit.
 */
#ifndef GC_PREDICT_MODEL_HOST_TABLE_H
#define GC_PREDICT_MODEL_HOST_TABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GC_HUGE_PAGE (UINT64_C(2) << 20)

/* Not initialized; for free(). NULL: no memory. */
static inline void *gc_host_table(uint64_t bytes)
{
  void *table;

  if (bytes < GC_HUGE_PAGE)
    return malloc(bytes);
  bytes = (bytes + GC_HUGE_PAGE - 1) & ~(GC_HUGE_PAGE - 1);
  if (posix_memalign(&table, GC_HUGE_PAGE, bytes))
    return NULL;
  madvise(table, bytes, MADV_HUGEPAGE); /* a hint: failure is fine */
  return table;
}

#endif
