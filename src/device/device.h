/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A GPU that can run kernels. Each back end is one table of functions: cuda.c (CUDA driver API),
 * hip.c (HIP) and sim.c (the model of src/model). The vendor's library is loaded at run time. Code
 * that uses this header does not depend on the vendor.
 *
 * Functions that can fail return 0 or a negative errno, and write a message that names the
 * operation and the vendor's error:
 *   -ENODEV   no such GPU, or no driver
 *   -ENOMEM   no memory on the GPU or the host
 *   -EIO      the GPU or its driver failed
 *   -ENOTSUP  this GPU cannot do that
 *   -EINVAL   a bad argument or profile
 *
 * A device belongs to the thread that opened it: no function may run in another thread or at the
 * same time as another. If a thread has several open devices, it calls `use` before it works with
 * another one than that which it opened or used last. Device addresses and textures are valid until
 * they are released or the device is closed.
 */
#ifndef GC_DEVICE_DEVICE_H
#define GC_DEVICE_DEVICE_H

#include "gpus/gpus.h"
#include "kernels/args.h"
#include "util/error.h"

/* GC_KERNEL_fill, GC_KERNEL_touch, GC_KERNEL_chase_ca … */
#define GC_KERNEL_ENUM(name, ...) GC_KERNEL_##name,
enum gc_kernel { GPU_KERNELS(GC_KERNEL_ENUM) GC_KERNEL_COUNT };
#undef GC_KERNEL_ENUM

/* A value of which 0 is one, too. */
struct gc_statement {
  bool made; /* false: the interface does not report it */
  uint64_t value;
};

/* What the vendor's interface reports (source "api"); 0 and false: it does not report that
 * property. */
struct gc_properties {
  char model[96];
  uint32_t sms;       /* number of SMs or CUs */
  uint32_t warp;      /* lanes in a warp or wave */
  uint32_t clock_khz; /* the highest possible SM clock */
  uint32_t memory_clock_khz;
  uint32_t memory_bus_bits;
  uint32_t transfers_per_clock; /* of the memory, per cycle of memory_clock_khz; 0: not known */
  uint32_t compute_major, compute_minor;
  uint32_t threads_per_block, threads_per_sm, blocks_per_sm;
  uint32_t registers_per_block, registers_per_sm;
  uint32_t cores_per_sm; /* lanes for single precision, as in record/cores.h */
  uint64_t memory_bytes; /* device memory */
  uint64_t l2_bytes;     /* of one L2, if there are several */
  uint32_t l2_count;     /* number of L2 caches, one per XCD; 0 and 1: one */
  /* Bytes that a miss in L2 may fetch; of L2, bytes that persisting accesses can have; whether
   * memory can be compressed (0 or 1). */
  struct gc_statement l2_fetch_limit, l2_persisting, l2_compression;
  uint64_t l3_bytes;         /* in total; 0: there is none, or it is not reported */
  uint64_t shared_per_sm;    /* shared memory of an SM, bytes */
  uint64_t shared_per_block; /* the most that a block can have (opt-in), bytes */
  uint64_t shared_reserved;  /* bytes of each block that the driver takes */
  uint64_t constant_bytes;   /* constant memory of a module */
  uint64_t texture_texels;   /* in the largest 1-D linear texture */
  uint32_t cluster_blocks;   /* of the largest thread-block cluster; 0: the GPU or its driver has no
                                clusters */
  bool global_l1;            /* the L1 can cache global loads */
  bool local_l1;             /* the L1 can cache local loads (registers that were spilled) */
  bool local_l1_from_table;  /* local_l1 is true for all GPUs of this kind; false: the interface
                                reports it */
  bool has_texture, has_constant, has_read_only, has_scalar; /* the path exists */
  bool has_lds;    /* shared memory is an LDS, with storage of its own; false: SharedMemory */
  bool has_code;   /* kernels jumps_near and jumps_far exist for GPUs of this kind */
  bool has_gpcs;   /* SMs belong to GPCs and TPCs; false: only the caches show groups of SMs */
  bool l2_per_xcd; /* each XCD has an L2 of its own, which can have all addresses, and XCDs get the
                      blocks alternately; false: one L2 for all SMs, perhaps in partitions */
  bool ramps_late; /* the clock may stay low until the GPU has worked for tenths of a second */
  bool bulk_copies; /* from global to shared memory (TMA) */
  bool ecc;
  bool integrated; /* the GPU has no memory of its own: device memory is memory of the host */
  bool host_atomics; /* its atomic operations on memory of the host are native: the link has them */
  bool simulated;
};

struct gc_launch {
  enum gc_kernel kernel;
  uint32_t blocks, threads;
  uint32_t shared_bytes; /* dynamic shared memory per block */
  const void *args;      /* the kernel's struct in kernels/args.h; copied by the launch */
  size_t args_bytes;
  uint32_t cluster; /* blocks of a thread-block cluster, of which `blocks` is a multiple; 0: there
                       are no clusters */
};

#define GC_COPIES_MAX 4     /* copies of the kernels, each with a constant bank */
#define GC_CONCURRENT_MAX 8 /* launches that run at the same time */

#define GC_ALIAS_ALIGNMENT ((uint64_t)256 << 20) /* of a range of aliases */

/* A NUMA node of the host with memory that this process may use. */
struct gc_host_node {
  uint32_t number;
  uint32_t distance; /* from the GPU, as the firmware states it; GC_HOST_NEAREST for all nodes if it
                        is not known where the GPU is */
};
#define GC_HOST_NODES_MAX 8
#define GC_HOST_NEAREST 10 /* the distance of the GPU's own node */

/* How a GPU reaches the memory of another one. */
enum gc_peer_path {
  GC_PEER_BY_HOST, /* kernels cannot use it; copies go through memory of the host */
  GC_PEER_BY_PCIE,
  GC_PEER_BY_NVLINK,
};

/* A copy between device memory and memory of alloc_on_node or alloc_on_peer, in either
 * direction. */
struct gc_copy {
  uint64_t to, from, bytes;
  uint32_t again; /* so often more, one after the other */
};
#define GC_COPIES_AT_ONCE 2

/* For `make bench` and the record. */
struct gc_device_counts {
  uint64_t launches;                        /* queued so far */
  uint64_t device_bytes, device_bytes_peak; /* device memory allocated now, and the maximum */
};

/* Each back end has its own struct; its first member is: const struct gc_device_ops *ops. */
struct gc_device;

struct gc_device_ops {
  const char *name; /* "CUDA", "HIP", "simulator" */

  /* *device: the open GPU, or NULL on failure. */
  int (*open)(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err);

  /* Releases everything, which may be slow. A program that is about to call _exit need not do
   * this. */
  void (*close)(struct gc_device *device);

  int (*properties)(struct gc_device *device, struct gc_properties *properties,
                    struct gc_error *err);
  int (*memory)(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                struct gc_error *err);

  /* Device memory, aligned to 512 bytes or better, with undefined contents. */
  int (*alloc)(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err);
  /* Host memory that kernels can use, too, for small data that goes to and fro with each launch:
   * upload and download reach it without the driver. One range at a time. NULL: there is none. */
  int (*alloc_host)(struct gc_device *device, uint64_t bytes, uint64_t *address,
                    struct gc_error *err);
  void (*release)(struct gc_device *device, uint64_t address); /* of all; 0 is fine */

  /* Memory of the host, for measuring how the GPU reaches it.
   * host_nodes: the nodes, nearest first, at most GC_HOST_NODES_MAX.
   * alloc_on_node: memory on the node with this number, which kernels and copies can use. One range
   * at a time. -ENOMEM if the node has too little free memory.
   * copy: n <= GC_COPIES_AT_ONCE copies at the same time, and waits for them. *ns: from the begin
   * of the first one to the end of the last one, 0 if the clock did not advance. */
  int (*host_nodes)(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                    uint32_t *count, struct gc_error *err);
  int (*alloc_on_node)(struct gc_device *device, uint64_t bytes, uint32_t node, uint64_t *address,
                       struct gc_error *err);
  int (*copy)(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
              struct gc_error *err);

  /* Other GPUs. These two are NULL in a back end that cannot measure them.
   * use: this thread works with this device from now on.
   * alloc_on_peer: memory of another open device of the same back end, which copies of this device
   * can use, and kernels, too, unless *path is GC_PEER_BY_HOST. One range at a time, and none of
   * alloc_on_node. */
  int (*use)(struct gc_device *device, struct gc_error *err);
  int (*alloc_on_peer)(struct gc_device *device, struct gc_device *peer, uint64_t bytes,
                       uint64_t *address, enum gc_peer_path *path, struct gc_error *err);

  /* Aliases: a range of `span` addresses behind which the same `bytes` bytes of device memory lie
   * again and again. So loads that are far apart for a TLB can be near to each other for a cache.
   * `bytes` is a power of two, 2 MiB or more, and `span` a multiple of it. alias reserves the range
   * and allocates the memory; alias_until makes the first `end` bytes of the range usable, a
   * multiple of `bytes`, which must not become less. A device has one such range at a time.
   * -ENOTSUP if the GPU or its driver cannot do that. */
  int (*alias)(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
               struct gc_error *err);
  int (*alias_until)(struct gc_device *device, uint64_t end, struct gc_error *err);
  void (*release_alias)(struct gc_device *device); /* nothing if there is none */

  int (*upload)(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                struct gc_error *err);
  int (*download)(struct gc_device *device, void *to, uint64_t address, size_t bytes,
                  struct gc_error *err);
  /* Queues a download behind the launches so far. Sets *at to where the host finds the bytes after
   * `wait`, until the next fetch; or to NULL: then the caller must download them. The function
   * itself may be NULL. */
  void (*fetch)(struct gc_device *device, uint64_t address, size_t bytes, const void **at);
  /* Sets the bytes to 0. */
  int (*clear)(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err);

  /* Writes to the 64 KiB constant bank of the module. */
  int (*upload_constant)(struct gc_device *device, size_t offset, const void *from, size_t bytes,
                         struct gc_error *err);

  /* A texture object over linear memory with one 32-bit unsigned texel per 4 bytes. */
  int (*texture)(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture,
                 struct gc_error *err);
  /* The same with texels of 16 bytes, that is of four 32-bit unsigned values. */
  int (*wide_texture)(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture,
                      struct gc_error *err);
  void (*release_texture)(struct gc_device *device, uint64_t texture); /* 0 is fine */

  /* The preferred shared-memory carve-out for later launches of a kernel, in percent of the
   * largest; -1: the driver's default. -ENOTSUP if the GPU has no such choice. */
  int (*carveout)(struct gc_device *device, enum gc_kernel kernel, int percent,
                  struct gc_error *err);

  /* Queues a launch. Launches run in order. When one starts, L1-class caches are empty, and L2 is
   * as the launch before left it. */
  int (*launch)(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err);

  /* Writes the whole constant bank of a copy of the kernels, 0 to GC_COPIES_MAX - 1. Copy 0 is the
   * one that launch and upload_constant use. The first use of another copy loads it. */
  int (*upload_constant_copy)(struct gc_device *device, uint32_t copy, const void *from,
                              struct gc_error *err);

  /* Queues n <= GC_CONCURRENT_MAX launches that run at the same time, launch i with the kernels of
   * copies[i]. Nothing else may be queued. All of them have as many blocks as there are SMs, small
   * enough that one block of each fits on an SM. Their blocks use tickets to work in order (struct
   * gpu_ticket in kernels/args.h). L1-class caches are empty when the first launch starts, and the
   * others do not empty them. */
  int (*launch_concurrent)(struct gc_device *device, const struct gc_launch *launches,
                           const uint32_t *copies, size_t n, struct gc_error *err);

  /* Waits until all queued launches have finished. */
  int (*wait)(struct gc_device *device, struct gc_error *err);

  /* Counts since the device was opened; valid until it is closed. */
  const struct gc_device_counts *(*counts)(const struct gc_device *device);
};

/* Another open device of the same thread. */
struct gc_peer {
  struct gc_device *device;
  const char *id; /* of its record */
};
#define GC_PEERS_MAX 16

/* The table of an open device. */
static inline const struct gc_device_ops *gc_ops(const struct gc_device *device)
{
  return *(const struct gc_device_ops *const *)device;
}

#endif
