/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of all elements. A stride is at most the smallest sector on any GPU of the papers (32
 * bytes for global and texture loads; half of the 64 bytes of constant lines), so that no line is
 * skipped.
 */
#include "measure/walk/path.h"

#include "record/cores.h"

#define KIB(n) ((uint64_t)(n) << 10)

static bool has_l1(const struct gc_properties *p) { return p->global_l1; }
static bool has_read_only(const struct gc_properties *p) { return p->has_read_only; }
static bool has_texture(const struct gc_properties *p) { return p->has_texture; }
static bool has_constant(const struct gc_properties *p) { return p->has_constant; }
static bool has_scalar(const struct gc_properties *p) { return p->has_scalar; }
static bool has_lds(const struct gc_properties *p) { return p->has_lds; }
static bool has_shared(const struct gc_properties *p) { return !p->has_lds; }
static bool has_l3(const struct gc_properties *p) { return p->l3_bytes > 0; }
static bool always(const struct gc_properties *p) { return p->sms > 0; }

/* Contents of an earlier launch disappear only gradually from a cache that does not replace the
 * oldest line (seen on an H200's smallest L1). So thousands of loads precede the timed loads. */
#define IN_SM_WARM 8192
#define SMALL_WARM 2048 /* for small caches, of a few KiB: more often than any of their lines */

static const struct gc_path paths[] = {
  {.kind = GC_L1, .space = GC_ADDRESS_GLOBAL, .chase = GC_KERNEL_chase_ca,
   .latency = GC_KERNEL_latency_ca, .stride = 32, .warm_loads = IN_SM_WARM, .latency_stride = 128,
   .latency_bytes = KIB(4), .marks = GC_KERNEL_marks_ca, .present = has_l1},
  {.kind = GC_TEXTURE, .space = GC_ADDRESS_TEXTURE, .chase = GC_KERNEL_chase_texture,
   .latency = GC_KERNEL_latency_texture, .stride = 32, .warm_loads = IN_SM_WARM,
   .latency_stride = 128,
   .latency_bytes = KIB(4),
   .load = GPU_PATH_texture, .marks = GC_KERNEL_marks_texture, .present = has_texture},
  {.kind = GC_READ_ONLY, .space = GC_ADDRESS_GLOBAL, .chase = GC_KERNEL_chase_nc,
   .latency = GC_KERNEL_latency_nc, .stride = 32, .warm_loads = IN_SM_WARM, .latency_stride = 128,
   .latency_bytes = KIB(4),
   .load = GPU_PATH_nc, .marks = GC_KERNEL_marks_nc, .present = has_read_only},
  {.kind = GC_CONSTANT_L1, .space = GC_ADDRESS_CONSTANT, .chase = GC_KERNEL_chase_constant,
   .latency = GC_KERNEL_latency_constant, .stride = 32, .warm_loads = SMALL_WARM,
   .latency_stride = 32,
   .latency_bytes = 512,
   .load = GPU_PATH_constant, .marks = GC_KERNEL_marks_constant, .present = has_constant},
  /* A 64-byte stride touches every line of the constant L1 once, in order. Beyond twice its
   * capacity all loads miss, so sizes from 8 KiB on show the next level. */
  {.kind = GC_CONSTANT_L15, .space = GC_ADDRESS_CONSTANT, .chase = GC_KERNEL_chase_constant,
   .latency = GC_KERNEL_latency_constant, .stride = 64, .warm_loads = IN_SM_WARM,
   .latency_stride = 64,
   .latency_bytes = KIB(24), .before = 256,
   .load = GPU_PATH_constant, .marks = GC_KERNEL_marks_constant, .present = has_constant},
  {.kind = GC_SHARED_MEMORY, .space = GC_ADDRESS_SHARED, .chase = GC_KERNEL_chase_shared,
   .latency = GC_KERNEL_latency_shared, .stride = 32, .latency_stride = 32, .latency_bytes = KIB(4),
   .present = has_shared},
  {.kind = GC_LDS, .space = GC_ADDRESS_SHARED, .chase = GC_KERNEL_chase_shared,
   .latency = GC_KERNEL_latency_shared, .stride = 32, .latency_stride = 32, .latency_bytes = KIB(4),
   .present = has_lds},
  /* Two or three CUs share one, and it is not known yet which ones: walk one array at a time. */
  {.kind = GC_SCALAR_L1, .space = GC_ADDRESS_GLOBAL, .chase = GC_KERNEL_chase_scalar,
   .latency = GC_KERNEL_latency_scalar, .stride = 32, .warm_loads = SMALL_WARM,
   .latency_stride = 64,
   .latency_bytes = KIB(4),
   .load = GPU_PATH_scalar, .marks = GC_KERNEL_marks_scalar, .alone = true, .present = has_scalar},
  {.kind = GC_L2, .space = GC_ADDRESS_GLOBAL, .chase = GC_KERNEL_chase_cg,
   .latency = GC_KERNEL_latency_cg, .stride = 32, .present = always},
  {.kind = GC_L3, .space = GC_ADDRESS_GLOBAL, .chase = GC_KERNEL_chase_cg,
   .latency = GC_KERNEL_latency_cg, .stride = 64, .present = has_l3},
};

const char gc_several_l2s_why[] =
  "there are several L2 caches, and it is not known which of them does an operation";

const struct gc_path *gc_path_of(enum gc_kind kind)
{
  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
    if (paths[i].kind == kind)
      return &paths[i];
  return NULL;
}

bool gc_walks_alone(const struct gc_bench *bench, const struct gc_path *path)
{
  return path->alone || bench->shared_kinds & 1u << path->kind;
}

bool gc_present(const struct gc_properties *properties, enum gc_kind kind)
{
  const struct gc_path *path = gc_path_of(kind);

  if (kind == GC_INSTRUCTION_CACHE)
    return properties->has_code;
  if (kind == GC_TENSOR_MEMORY)
    return gc_has_tensor_memory(properties->compute_major);
  return !path || path->present(properties);
}
