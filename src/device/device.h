/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A GPU that can run a kernel. One table of functions per back end: cuda.c (driver API through
 * dlopen), hip.c (HIP, the same way), sim.c (the model of src/model). Nothing above this line knows which.
 *
 * Every function that can fail returns 0 or a negative errno and a sentence that names what was being
 * done and the vendor's error name: -ENODEV no such GPU or no driver; -ENOMEM; -EIO the GPU or driver
 * failed; -ENOTSUP this GPU cannot do that; -EINVAL a bad argument or profile.
 */
#ifndef GC_DEVICE_DEVICE_H
#define GC_DEVICE_DEVICE_H

#include "gpus/gpus.h"
#include "kernels/args.h"
#include "util/error.h"

/* GC_KERNEL_fill, GC_KERNEL_touch, GC_KERNEL_chase_ca … */
#define GC_KERNEL_ENUM(name, args) GC_KERNEL_##name,
enum gc_kernel { GPU_KERNELS(GC_KERNEL_ENUM) GC_KERNEL_COUNT };
#undef GC_KERNEL_ENUM

/* What the vendor's interface says (source "api"). 0 where it says nothing. */
struct gc_properties {
  char model[96];
  uint32_t sms;                    /* SMs or CUs */
  uint32_t warp;                   /* lanes in a warp or wave */
  uint32_t clock_khz;              /* highest SM clock */
  uint32_t memory_clock_khz;
  uint32_t memory_bus_bits;
  uint32_t compute_major, compute_minor;
  uint32_t threads_per_block, threads_per_sm, blocks_per_sm;
  uint32_t registers_per_block, registers_per_sm;
  uint64_t memory_bytes;           /* device memory */
  uint64_t l2_bytes;               /* of one, where there are several */
  uint32_t l2_count;               /* L2 caches: one in each XCD; 0 and 1: one */
  uint64_t l3_bytes;               /* all of it; 0: there is none, or the interface does not tell */
  uint64_t shared_per_sm;          /* shared memory of an SM, bytes */
  uint64_t shared_per_block;       /* what one block may ask for (opt-in), bytes */
  uint64_t shared_reserved;        /* taken by the driver from each block, bytes */
  uint64_t constant_bytes;         /* constant memory of a module */
  uint64_t texture_texels;         /* largest 1-D linear texture */
  bool global_l1;                  /* global loads may be cached in L1 */
  bool has_texture, has_constant, has_read_only, has_scalar; /* the path exists here */
  bool ecc;
  bool simulated;
};

struct gc_launch {
  enum gc_kernel kernel;
  uint32_t blocks, threads;
  uint32_t shared_bytes;  /* dynamic shared memory per block */
  const void *args;       /* the kernel's struct of kernels/args.h */
  size_t args_bytes;
};

#define GC_COPIES_MAX 4   /* constant banks, that is copies of the kernels */
#define GC_TOGETHER_MAX 8 /* launches that run at the same time */

/* For `make bench` and the record: launches queued, and device memory. */
struct gc_device_counts {
  uint64_t launches;
  uint64_t device_bytes, device_bytes_peak; /* allocated now, and the most at once */
};

struct gc_device; /* each back end's own, its first member is: const struct gc_device_ops *ops */

struct gc_device_ops {
  const char *name; /* "CUDA", "simulator" */
  int (*open)(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);
  /* Releases everything, slow as that may be. A tool that is about to _exit need not call it. */
  void (*close)(struct gc_device *device);
  int (*properties)(struct gc_device *device, struct gc_properties *properties, struct gc_error *err);
  int (*memory)(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes, struct gc_error *err);
  /* Device memory, aligned to 512 bytes or better, contents undefined. */
  int (*alloc)(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err);
  void (*release)(struct gc_device *device, uint64_t address);
  int (*upload)(struct gc_device *device, uint64_t address, const void *from, size_t bytes, struct gc_error *err);
  int (*download)(struct gc_device *device, void *to, uint64_t address, size_t bytes, struct gc_error *err);
  int (*clear)(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err); /* to zeros */
  /* Writes into the 64 KiB constant bank of the module. */
  int (*upload_constant)(struct gc_device *device, size_t offset, const void *from, size_t bytes, struct gc_error *err);
  /* A texture object over linear memory, one 32-bit unsigned texel per 4 bytes. */
  int (*texture)(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture, struct gc_error *err);
  /* The same with texels of 16 bytes, four 32-bit unsigned values. */
  int (*wide_texture)(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture, struct gc_error *err);
  void (*release_texture)(struct gc_device *device, uint64_t texture);
  /* Preferred shared-memory carve-out of a kernel's launches from now on, percent of the largest;
   * -1: the driver's default. -ENOTSUP where there is no such choice. */
  int (*carveout)(struct gc_device *device, enum gc_kernel kernel, int percent, struct gc_error *err);
  /* How many blocks of such a launch fit an SM at once (occupancy). */
  int (*resident)(struct gc_device *device, const struct gc_launch *launch, uint32_t *blocks, struct gc_error *err);
  /* Queues a launch. Launches run in order. L1-class caches are empty when one starts; L2 is as the one before left it. */
  int (*launch)(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err);
  /* Writes all of the constant bank that a copy of the kernels has of its own; copy 0 is the one that
   * launches and upload_constant mean. A copy comes into being when it is first named. */
  int (*upload_constant_copy)(struct gc_device *device, uint32_t copy, const void *from, struct gc_error *err);
  /* Queues launches that run at the same time, launch i by the kernels of copies[i]; nothing else may be
   * under way. All of them have as many blocks as there are SMs, small enough that one of each fits an
   * SM, and agree among themselves on who does what when (kernels/args.h: struct gpu_turn). L1-class
   * caches are empty when the first starts, and none of the others empties them. */
  int (*launch_together)(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                         size_t n, struct gc_error *err);
  /* Waits for all that was queued. */
  int (*wait)(struct gc_device *device, struct gc_error *err);
  /* What this device did since it was opened. */
  const struct gc_device_counts *(*counts)(const struct gc_device *device);
};

extern const struct gc_device_ops gc_device_cuda, gc_device_hip, gc_device_sim;

/* The back end for this GPU's vendor, opened. */
int gc_device_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);

/* The table of an open device. */
static inline const struct gc_device_ops *gc_ops(const struct gc_device *device)
{
  return *(const struct gc_device_ops *const *)device;
}

#endif
