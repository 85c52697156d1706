/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths: the loads through which elements are reached.
 */
#ifndef GC_MEASURE_WALK_PATH_H
#define GC_MEASURE_WALK_PATH_H

#include "measure/core/bench.h"
#include "record/record.h"

/* The address space of a path. Slots of its rings hold addresses in this space (kernels/args.h). */
enum gc_address_space {
  GC_ADDRESS_GLOBAL,
  GC_ADDRESS_TEXTURE,
  GC_ADDRESS_CONSTANT,
  GC_ADDRESS_SHARED
};

#define GC_TEXEL_BYTES 4u /* bytes of a slot in a texture; other slots: */
#define GC_SLOT_BYTES 8u

struct gc_path {
  enum gc_kind kind;
  enum gc_address_space space;
  enum gc_kernel chase, latency;
  enum gc_kernel marks; /* caches of an SM only (marks.h) */
  uint32_t load;       /* GPU_PATH_… in walks of several paths (kernels/args.h) */
  uint32_t stride;     /* bytes between slots in a capacity search; at most the element's sector */
  uint32_t warm_loads; /* untimed loads before the timed ones: at least this many, and two passes */
  uint32_t loads_max;  /* timed loads of an array, at most; 0: no limit */
  uint32_t more_warps; /* of the blocks of a chase, which do nothing */
  uint32_t latency_stride;
  uint64_t latency_bytes; /* ring for latency: fits this element, but no nearer cache */
  uint64_t before;        /* bytes that fit the nearer cache; 0: there is none */
  bool alone;             /* SMs share one, and it is not known which; see gc_walks_alone */
  bool (*present)(const struct gc_properties *properties);
};

/* The path to an element; NULL: there is none (device memory). Static data. */
const struct gc_path *gc_path_of(enum gc_kind kind);

/* Whether only one SM may walk an array at a time, because SMs share the cache and would evict each
 * other's lines: always for this path, or as capacity/sm_capacity.c has found. */
bool gc_walks_alone(const struct gc_bench *bench, const struct gc_path *path);

/* Why a GPU with several L2 caches has no value for atomic operations. */
extern const char gc_several_l2s_why[];

/* Whether this GPU has the element. Device memory is always present. */
bool gc_present(const struct gc_properties *properties, enum gc_kind kind);

#endif
