/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths: through which load an element is reached. Strides are at most the smallest sector seen on any
 * GPU of the papers (32 bytes for global and texture loads, 64 bytes for constant lines; half of that
 * is used), so no line is ever skipped.
 */
#include "measure/bench.h"

#define KIB(n) ((uint64_t)(n) << 10)

static bool has_l1(const struct gc_properties *p) { return p->global_l1; }
static bool has_read_only(const struct gc_properties *p) { return p->has_read_only; }
static bool has_texture(const struct gc_properties *p) { return p->has_texture; }
static bool has_constant(const struct gc_properties *p) { return p->has_constant; }
static bool has_scalar(const struct gc_properties *p) { return p->has_scalar; } /* AMD */
static bool has_shared(const struct gc_properties *p) { return !p->has_scalar; }
static bool has_l3(const struct gc_properties *p) { return p->l3_bytes > 0; }
static bool always(const struct gc_properties *p) { return p->sms > 0; }

/* What the launch before left in a cache that does not replace the oldest line goes only by and by (seen
 * on an H200's smallest L1): hence thousands of loads before those that are timed. */
#define IN_SM                                                                                      \
  .walk = gc_bench_chase, .sizes = 33, .repeats = 4, .confirm = 32, .warm_loads = 8192

static const struct gc_path paths[] = {
  {.kind = GC_L1, .form = GC_FORM_GLOBAL, .chase = GC_KERNEL_chase_ca, .latency = GC_KERNEL_latency_ca,
   .stride = 32, .wide_stride = 128, .step = 32, .min = KIB(1), .max = KIB(1024),
   .latency_stride = 128, .latency_bytes = KIB(4), IN_SM, .present = has_l1},
  {.kind = GC_TEXTURE, .form = GC_FORM_TEXTURE, .chase = GC_KERNEL_chase_texture,
   .latency = GC_KERNEL_latency_texture, .stride = 32, .wide_stride = 128, .step = 32,
   .min = KIB(1), .max = KIB(1024),
   .latency_stride = 128, .latency_bytes = KIB(4), IN_SM, .present = has_texture},
  {.kind = GC_READ_ONLY, .form = GC_FORM_GLOBAL, .chase = GC_KERNEL_chase_nc,
   .latency = GC_KERNEL_latency_nc, .stride = 32, .wide_stride = 128, .step = 32, .min = KIB(1), .max = KIB(1024),
   .latency_stride = 128, .latency_bytes = KIB(4), IN_SM, .present = has_read_only},
  {.kind = GC_CONSTANT_L1, .form = GC_FORM_CONSTANT, .chase = GC_KERNEL_chase_constant,
   .latency = GC_KERNEL_latency_constant, .stride = 32, .step = 32, .min = 256, .max = KIB(16),
   .latency_stride = 32, .latency_bytes = 512, IN_SM, .present = has_constant},
  /* 64-byte strides touch every line of the constant L1 once, in order: beyond twice its capacity no
   * load can hit there, so what is seen from 8 KiB on is the level behind it. */
  {.kind = GC_CONSTANT_L15, .form = GC_FORM_CONSTANT, .chase = GC_KERNEL_chase_constant,
   .latency = GC_KERNEL_latency_constant, .stride = 64, .step = 64, .min = KIB(8), .max = KIB(64),
   .latency_stride = 64, .latency_bytes = KIB(24), .before = 256, IN_SM, .present = has_constant},
  {.kind = GC_SHARED_MEMORY, .form = GC_FORM_SHARED, .chase = GC_KERNEL_chase_shared,
   .latency = GC_KERNEL_latency_shared, .stride = 32, .step = 32, .latency_stride = 32,
   .latency_bytes = KIB(4), .present = has_shared},
  {.kind = GC_LDS, .form = GC_FORM_SHARED, .chase = GC_KERNEL_chase_shared,
   .latency = GC_KERNEL_latency_shared, .stride = 32, .step = 32, .latency_stride = 32,
   .latency_bytes = KIB(4), .present = has_scalar},
  /* Two or three CUs share one, and which ones is not known yet: one array at a time, and few of them. */
  {.kind = GC_SCALAR_L1, .form = GC_FORM_GLOBAL, .chase = GC_KERNEL_chase_scalar,
   .latency = GC_KERNEL_latency_scalar, .stride = 32, .step = 32, .min = KIB(1), .max = KIB(64),
   .walk = gc_bench_chase, .sizes = 17, .repeats = 2, .confirm = 16, .warm_loads = 2048, .alone = true,
   .latency_stride = 64, .latency_bytes = KIB(4), .present = has_scalar},
  {.kind = GC_L2, .form = GC_FORM_GLOBAL, .chase = GC_KERNEL_chase_cg, .latency = GC_KERNEL_latency_cg,
   .stride = 32, .wide_stride = 128, .walk = gc_walk_l2, .sizes = 12, .repeats = 1, .confirm = 6, .outliers = 5e-4,
   .present = always}, /* range and step: l2.c, in proportion to the nominal size */
  {.kind = GC_L3, .form = GC_FORM_GLOBAL, .chase = GC_KERNEL_chase_cg, .latency = GC_KERNEL_latency_cg,
   .stride = 64, .walk = gc_walk_l3, .sizes = 15, .repeats = 1, .confirm = 4, .outliers = 1e-3,
   .present = has_l3}, /* range and step: l3.c */
};

const struct gc_path *gc_path_of(enum gc_kind kind)
{
  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
    if (paths[i].kind == kind)
      return &paths[i];
  return NULL;
}
