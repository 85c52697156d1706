/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts per load instruction of a kernel. While the kernel runs, the table is in the order in
 * which the loads first appeared.
 */
#ifndef GC_PREDICT_MODEL_LOADS_H
#define GC_PREDICT_MODEL_LOADS_H

#include "predict/model/run.h"

/* Formats without instructions number the accesses of each thread. Further ones count as the last.
 */
#define GC_LOADS_MAX (UINT32_C(1) << 20)

struct gc_loads {
  struct gc_load_counts *loads;
  uint32_t count, room;
  uint32_t *slots; /* hash table: index + 1; 0: empty */
  uint32_t slot_count;
  uint32_t last; /* index found by the last search: most searches are for its neighbour or itself */
};

/* The index of a load; the counts of a new one are 0. 0 or -ENOMEM. */
int gc_loads_index(struct gc_loads *loads, uint32_t pc, uint32_t *index);

/* Hands over the table, sorted by pc; *loads is empty then. */
void gc_loads_take(struct gc_loads *loads, struct gc_load_counts **sorted, size_t *count);
void gc_loads_fini(struct gc_loads *loads);

/* The counts of the load with this pc. All 0: the load never looked into L1 in this run. */
const struct gc_cache_counts *gc_loads_counts(const struct gc_kernel_run *run, uint32_t pc);

#endif
