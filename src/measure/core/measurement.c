/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes what a step works with.
 */
#include "measure/core/measurement.h"

#include "measure/core/footprint.h"
#include "measure/core/memo.h"
#include "measure/core/step_memory.h"

#include <stdio.h>

/* Rounded up. */
static unsigned long long mib(uint64_t bytes)
{
  return (bytes + (1 << 20) - 1) >> 20;
}

int gc_no_value(struct gc_bench *bench, const char *why)
{
  return why == bench->err->text ? GC_NO_VALUE : gc_fail(bench->err, GC_NO_VALUE, "%s", why);
}

int gc_set_lacks_memory(struct gc_measurement *m, struct gc_measured *element,
                        enum gc_property property, uint64_t bytes)
{
  const struct gc_properties *p = &m->bench.properties;
  const bool passes = gc_footprint_passes(p, bytes, m->bench.memory_bytes);
  const uint64_t total = gc_footprint_total(bytes), max = gc_footprint_max(p);
  char why[120];

  if (total > max)
    snprintf(why, sizeof(why), "needs %llu MiB of GPU memory, measuring uses %llu MiB at most",
             mib(total), mib(max));
  else
    snprintf(why, sizeof(why), "needs %llu MiB of free GPU memory, %llu MiB may be used",
             mib(total), (unsigned long long)m->bench.most_bytes >> 20);
  return gc_set_absent_for_now(element, property, passes ? GC_LITTLE_MEMORY : GC_LASTING, why);
}

int gc_measurement_open(struct gc_measurement *m, struct gc_device *device,
                        const struct gc_record *tables, struct gc_results *results,
                        struct gc_error *err)
{
  int status;

  m->results = results;
  m->tables = tables;
  m->memos = NULL;
  status = gc_bench_open(&m->bench, device, tables, err);
  m->bench.shared_kinds = results->shared_kinds; /* found by the process before this one */
  return status;
}

void gc_measurement_close(struct gc_measurement *m)
{
  gc_memo_drop_all(&m->memos);
  gc_step_free_all(&m->bench);
  gc_bench_close(&m->bench);
}
