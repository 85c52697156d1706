/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment of a step of the plan: the open device, the results so far, the tables of the
 * kernel driver, and the memos of earlier steps.
 */
#ifndef GC_MEASURE_CORE_MEASUREMENT_H
#define GC_MEASURE_CORE_MEASUREMENT_H

#include "measure/core/bench.h"
#include "measure/results/results.h"

#include <errno.h>

struct gc_memo;

struct gc_measurement {
  struct gc_bench bench;
  struct gc_results *results;
  const struct gc_record *tables; /* what sysfs states (driver_tables.h); NULL: nothing */
  struct gc_memo *memos;          /* memo.h */
  const struct gc_peer *peers;    /* NULL: other GPUs are not measured */
  uint32_t peer_count;            /* at most GC_PEERS_MAX */
};

/* The status of a step, or of a function in it, that finds no value. */
#define GC_NO_VALUE (-ENODATA)

/* A step of the plan. It writes into the results of its element. Returns 0; or GC_NO_VALUE with the
 * reason in bench.err, which the plan then states for each property of the step that has neither a
 * value nor a reason of its own; or another negative errno if the device failed, with a sentence in
 * bench.err. */
typedef int gc_step(struct gc_measurement *m, struct gc_measured *element);

/* How many bytes of the arena, or of a walk of device memory, a step needs for an element. It may
 * depend on earlier results. */
typedef uint64_t gc_step_needs(const struct gc_measurement *m, enum gc_kind kind);

/* Returns GC_NO_VALUE for this reason. */
int gc_no_value(struct gc_bench *bench, const char *why);

/* There is no value, because a step needs so many bytes of the arena or of a walk. Returns 0. */
int gc_set_lacks_memory(struct gc_measurement *m, struct gc_measured *element,
                        enum gc_property property, uint64_t bytes);

/* Opens the bench. tables (may be NULL): what the kernel driver states about the GPU. The caller
 * clears the results. err and tables must stay valid until the close. */
int gc_measurement_open(struct gc_measurement *m, struct gc_device *device,
                        const struct gc_record *tables, struct gc_results *results,
                        struct gc_error *err);
void gc_measurement_close(struct gc_measurement *m);

#endif
