/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much device memory measuring uses. Pure functions of the GPU's properties. All sizes are in
 * bytes.
 */
#ifndef GC_MEASURE_CORE_FOOTPRINT_H
#define GC_MEASURE_CORE_FOOTPRINT_H

#include "device/device.h"

/* The most device memory that all buffers of a measurement together use at any time. It is
 * GC_DEVICE_BYTES_MAX, or what a walk of device memory needs if that is more, but at most
 * GC_WALK_BYTES_MAX, which is enough for an L2 of 200 MiB. Measuring also uses at most a 20th of the
 * free memory if that is enough, and never more than a fifth. */
#define GC_DEVICE_BYTES_MAX ((uint64_t)1024 << 20)
#define GC_WALK_BYTES_MAX ((uint64_t)1536 << 20)
/* Part of it: for the scratch and for buffers of single steps. */
#define GC_DEVICE_BYTES_REST ((uint64_t)32 << 20)
#define GC_USUAL_SHARE 20
#define GC_FREE_SHARE 5

struct gc_footprint {
  uint64_t arena;
  uint64_t walk; /* the arena and the memory after it, for walks of device memory */
};

/* Chooses the sizes of the buffers if `free_bytes` are free. */
void gc_footprint_plan(const struct gc_properties *properties, uint64_t free_bytes,
                       struct gc_footprint *plan);

/* What all buffers together may use at most, however much is free; and if `free_bytes` are free.
 * _usual: what they use if that is enough. */
uint64_t gc_footprint_max(const struct gc_properties *properties);
uint64_t gc_footprint_most(const struct gc_properties *properties, uint64_t free_bytes);
uint64_t gc_footprint_usual(const struct gc_properties *properties, uint64_t free_bytes);

/* What all buffers together need if the arena or a walk needs `bytes`. */
uint64_t gc_footprint_total(uint64_t bytes);

/* Whether the arena or a walk could have `bytes` if no other program used the `memory_bytes` of the
 * GPU. If not, the memory of this GPU is too small in any case. */
bool gc_footprint_passes(const struct gc_properties *properties, uint64_t bytes,
                         uint64_t memory_bytes);

/* All L2 caches together. */
uint64_t gc_all_l2_bytes(const struct gc_properties *properties);

/* The least size of a walk of device memory that hits nothing of its previous round in any
 * cache. */
uint64_t gc_walk_enough(const struct gc_properties *properties);

#endif
