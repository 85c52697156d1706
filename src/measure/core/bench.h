/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The bench: an open device, the buffers on it, and its clock. All launches of measurements go
 * through it. A bench belongs to one thread.
 */
#ifndef GC_MEASURE_CORE_BENCH_H
#define GC_MEASURE_CORE_BENCH_H

#include "device/device.h"
#include "measure/raw/raw.h"
#include "record/record.h"

#define GC_TRACE_MAX 65536u /* 32-bit words of results that fit the trace in the scratch */

#define GC_LANE_BYTES 16 /* that each lane moves at once in kernels for bandwidths */

/* Load after which every clock has ramped up, ns: AMD GPUs take 0.3 s and more. */
#define GC_RAMP_NS 1e9

/* Is called after every launch with the time from its start to its end, and may launch kernels
 * itself (interference.h). Returns 0 or a negative errno, which becomes the status of the
 * launch. */
struct gc_launch_observer {
  int (*launched)(void *data, double milliseconds);
  void *data;
};

/* Signs of another program that a step has seen, as bits. The step sets them; the interference
 * check evaluates and clears them. */
enum gc_sign {
  GC_SIGN_BLOCKS_MET = 1, /* blocks that need an SM of their own met, or waited too long */
  GC_SIGN_SCATTER = 2,    /* repetitions of a bandwidth differ too much */
  GC_SIGN_DOUBT = 4,      /* a census contradicts the capacity */
  GC_SIGN_EARLIER = 8,    /* the latency of device memory is another one than at the beginning */
};

struct gc_step_block;

struct gc_bench {
  struct gc_device *device;
  const struct gc_device_ops *ops;
  struct gc_properties properties; /* completed from the driver's tables */
  struct gc_error *err;
  struct gc_raw *raw; /* receives data for --raw; NULL: none */

  uint64_t memory_bytes;       /* device memory as its allocator counts it */
  uint64_t usual_bytes;        /* that all buffers together use if that is enough, */
  uint64_t most_bytes;         /* and that they may use at most */
  uint64_t arena, arena_bytes; /* device: rings are here */
  uint64_t walk_bytes; /* the arena and the memory after it, for walks of device memory; at least
                          arena_bytes */
  uint64_t texture, texture_bytes; /* texture object over the start of the arena; 0: none */
  uint64_t constant_base;          /* constant-space address of the bank of constants */
  uint64_t scratch;                /* device: see below */
  uint64_t exchange;               /* see below */
  /* Host copies of the jobs and results of chases, one per block. */
  struct gpu_chase_job *jobs;
  struct gpu_chase_result *results;

  uint32_t shared_kinds; /* bit k: several SMs share a cache of enum gc_kind k (walk/path.h) */

  double mhz;                         /* SM clock during measurements; 0: not known */
  /* clock.h: the highest clock that was steady, 0: none; the clocks of the last warm-up; the most
   * load for which a warm-up waits for a higher clock, ns. */
  double full_mhz, least_mhz, most_mhz, ramp_ns;
  unsigned signs;                     /* bits of enum gc_sign */
  struct gc_step_block *step_memory;  /* step_memory.h */
  struct gc_launch_observer observer; /* launched is NULL: no observer */
};

/* Allocates the buffers and the texture object, and finds the bank of constants. tables (may be
 * NULL) completes the properties. err must stay valid until the close. -ENOMEM with a sentence if
 * too little device memory is free, -E2BIG if the GPU has more than GC_SMS_MAX SMs, or the device's
 * error. */
int gc_bench_open(struct gc_bench *bench, struct gc_device *device, const struct gc_record *tables,
                  struct gc_error *err);
void gc_bench_close(struct gc_bench *bench);

/* Releases the arena, so that a step can use its memory in another way; and allocates it again,
 * with undefined contents. If the memory is no longer free, -ENOMEM, and bench->arena stays 0. */
void gc_bench_lend_arena(struct gc_bench *bench);
int gc_bench_return_arena(struct gc_bench *bench);

/* Launches a kernel and waits for its end. args: the kernel's argument struct (kernels/args.h). */
int gc_bench_launch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                    uint32_t threads, uint32_t shared_bytes, const void *args);
/* The same, and downloads what it leaves, which takes less time than a download afterwards. */
struct gc_fetch {
  void *to;
  uint64_t from;
  size_t bytes;
};
int gc_bench_launch_fetch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                          uint32_t threads, uint32_t shared_bytes, const void *args,
                          const struct gc_fetch *fetch);
/* The same in clusters of `cluster` blocks (0: none). */
int gc_bench_launch_clusters(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                             uint32_t threads, uint32_t shared_bytes, uint32_t cluster,
                             const void *args);
/* Launches kernels that run at the same time, and waits for the end of all. See launch_concurrent
 * in device.h. */
int gc_bench_launch_concurrent(struct gc_bench *bench, const struct gc_launch *launches,
                               const uint32_t *copies, size_t n);

/* The bytes that a warp moves in one iteration of a kernel for bandwidths. */
static inline uint64_t gc_tile_bytes(const struct gc_properties *properties)
{
  return (uint64_t)GPU_BANDWIDTH_ROWS * properties->warp * GC_LANE_BYTES;
}

/* The scratch on the device. Its parts are small results, and one large part for everything else,
 * which ends with a trace. */
#define GC_SCRATCH_SMALL 4096 /* bytes */
static inline uint64_t gc_scratch_large(const struct gc_bench *bench)
{
  return bench->scratch + GC_SCRATCH_SMALL;
}
uint64_t gc_scratch_trace(const struct gc_bench *bench); /* GC_TRACE_MAX words */
uint64_t gc_scratch_end(const struct gc_bench *bench);

/* The exchange: jobs and results of chases, other results that are written once at the end of a
 * launch or of a repetition, and a struct gpu_clock_result. It is in host memory that kernels can
 * use, or else in the large part of the scratch, which other kernels use between two chases. So
 * nothing there is for atomic operations, or for stores while loads are timed. */
uint64_t gc_exchange_jobs(const struct gc_bench *bench);
uint64_t gc_exchange_results(const struct gc_bench *bench);
size_t gc_exchange_results_bytes(const struct gc_bench *bench);
uint64_t gc_exchange_clock(const struct gc_bench *bench);

#endif
