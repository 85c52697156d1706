/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes the bench, and launches kernels through it.
 */
#include "measure/core/bench.h"

#include "measure/core/driver_tables.h"
#include "measure/core/footprint.h"
#include "measure/results/results.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define TEXEL_BYTES 4
#define TEXTURE_BYTES MIB(4) /* a texture can have hundreds of MiB */
#define ARENA_MIN MIB(4)

/* Sizes of the kernels' argument structs. */
static const size_t args_bytes[] = {
#define ARGS_BYTES(name, args, ...) sizeof(struct args),
    GPU_KERNELS(ARGS_BYTES)
#undef ARGS_BYTES
};

/* Space for the jobs of two launches with one block on each SM. */
static size_t job_bytes(const struct gc_bench *bench)
{
  return 2 * bench->properties.sms * sizeof(struct gpu_chase_job);
}

/* One result for each SM. Or one result for all SMs together, followed by a word for each SM. */
size_t gc_exchange_results_bytes(const struct gc_bench *bench)
{
  return (bench->properties.sms + 1ul) * sizeof(struct gpu_chase_result);
}

uint64_t gc_exchange_jobs(const struct gc_bench *bench)
{
  return bench->exchange;
}

uint64_t gc_exchange_results(const struct gc_bench *bench)
{
  return gc_exchange_jobs(bench) + job_bytes(bench);
}

static bool is_in_scratch(const struct gc_bench *bench)
{
  return bench->exchange == gc_scratch_large(bench);
}

uint64_t gc_exchange_clock(const struct gc_bench *bench)
{
  return is_in_scratch(bench) ? gc_scratch_end(bench)
                              : gc_exchange_results(bench) + gc_exchange_results_bytes(bench);
}

uint64_t gc_scratch_trace(const struct gc_bench *bench)
{
  return gc_scratch_large(bench) + job_bytes(bench) + gc_exchange_results_bytes(bench);
}

uint64_t gc_scratch_end(const struct gc_bench *bench)
{
  return gc_scratch_trace(bench) + GC_TRACE_MAX * sizeof(uint32_t);
}

static int observe(struct gc_bench *bench, double start)
{
  return bench->observer.launched
             ? bench->observer.launched(bench->observer.data, gc_now_ms() - start)
             : 0;
}

static int launch(struct gc_bench *bench, const struct gc_launch *launch,
                  const struct gc_fetch *fetch)
{
  const struct gc_device_ops *ops = bench->ops;
  const double start = gc_now_ms();
  const void *at = NULL;
  int status = ops->launch(bench->device, launch, bench->err);

  if (!status && fetch->bytes && ops->fetch)
    ops->fetch(bench->device, fetch->from, fetch->bytes, &at);
  if (!status)
    status = ops->wait(bench->device, bench->err);
  if (!status && at)
    memcpy(fetch->to, at, fetch->bytes);
  if (!status)
    status = observe(bench, start);
  if (!status && fetch->bytes && !at)
    status = ops->download(bench->device, fetch->to, fetch->from, fetch->bytes, bench->err);
  return status;
}

int gc_bench_launch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                    uint32_t threads, uint32_t shared_bytes, const void *args)
{
  return gc_bench_launch_clusters(bench, kernel, blocks, threads, shared_bytes, 0, args);
}

static struct gc_launch describe(enum gc_kernel kernel, uint32_t blocks, uint32_t threads,
                                 uint32_t shared_bytes, uint32_t cluster, const void *args)
{
  return (struct gc_launch){.kernel = kernel,
                            .blocks = blocks,
                            .threads = threads,
                            .shared_bytes = shared_bytes,
                            .args = args,
                            .args_bytes = args_bytes[kernel],
                            .cluster = cluster};
}

int gc_bench_launch_fetch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                          uint32_t threads, uint32_t shared_bytes, const void *args,
                          const struct gc_fetch *fetch)
{
  const struct gc_launch described = describe(kernel, blocks, threads, shared_bytes, 0, args);

  return launch(bench, &described, fetch);
}

int gc_bench_launch_clusters(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks,
                             uint32_t threads, uint32_t shared_bytes, uint32_t cluster,
                             const void *args)
{
  const struct gc_launch described = describe(kernel, blocks, threads, shared_bytes, cluster, args);

  return launch(bench, &described, &(struct gc_fetch){.bytes = 0});
}

int gc_bench_launch_concurrent(struct gc_bench *bench, const struct gc_launch *launches,
                               const uint32_t *copies, size_t n)
{
  const double start = gc_now_ms();
  int status = bench->ops->launch_concurrent(bench->device, launches, copies, n, bench->err);

  if (!status)
    status = bench->ops->wait(bench->device, bench->err);
  return status ? status : observe(bench, start);
}

static int find_constant_base(struct gc_bench *bench)
{
  const struct gpu_constant_base_args args = {.result = bench->scratch};
  int status = gc_bench_launch(bench, GC_KERNEL_constant_base, 1, 1, 0, &args);

  return status ? status
                : bench->ops->download(bench->device, &bench->constant_base, bench->scratch,
                                       sizeof(bench->constant_base), bench->err);
}

static int open_texture(struct gc_bench *bench)
{
  bench->texture_bytes = TEXTURE_BYTES;
  return bench->ops->texture(bench->device, bench->arena, bench->texture_bytes, &bench->texture,
                             bench->err);
}

/* Reads the properties, completes them from the tables, and computes the sizes of the buffers. */
static int plan_buffers(struct gc_bench *bench, const struct gc_record *tables)
{
  struct gc_properties *p = &bench->properties;
  struct gc_footprint footprint;
  uint64_t free_bytes;
  int status;

  if ((status = bench->ops->properties(bench->device, p, bench->err)) ||
      (status = bench->ops->memory(bench->device, &free_bytes, &bench->memory_bytes, bench->err)))
    return status;
  p->has_texture &= p->texture_texels * TEXEL_BYTES >= TEXTURE_BYTES;
  if (!p->sms)
    return gc_fail(bench->err, -EIO, "the %s back end reports a GPU without SMs", bench->ops->name);
  if (p->sms > GC_SMS_MAX)
    return gc_fail(bench->err, -E2BIG, "the GPU has %u SMs, and this program can measure %d",
                   p->sms, GC_SMS_MAX);
  gc_complete_properties(p, tables);
  gc_footprint_plan(p, free_bytes, &footprint);
  bench->arena_bytes = footprint.arena;
  bench->walk_bytes = footprint.walk;
  bench->usual_bytes = gc_footprint_usual(p, free_bytes);
  bench->most_bytes = gc_footprint_most(p, free_bytes);
  if (bench->arena_bytes < ARENA_MIN)
    return gc_fail(bench->err, -ENOMEM,
                   "only %llu MiB of device memory are free, of which no more than a fifth is used",
                   (unsigned long long)(free_bytes >> 20));
  return 0;
}

int gc_bench_return_arena(struct gc_bench *bench)
{
  const int status =
      bench->ops->alloc(bench->device, bench->walk_bytes, &bench->arena, bench->err);

  if (status)
    bench->arena = 0;
  return status || !bench->properties.has_texture ? status : open_texture(bench);
}

void gc_bench_lend_arena(struct gc_bench *bench)
{
  if (bench->texture)
    bench->ops->release_texture(bench->device, bench->texture);
  if (bench->arena)
    bench->ops->release(bench->device, bench->arena);
  bench->texture = bench->arena = 0;
}

/* Allocates scratch and exchange. If there is no host memory that kernels can use, the exchange is
 * the begin of the large part of the scratch, and the clock's result is behind the scratch. */
static int alloc_scratch(struct gc_bench *bench)
{
  const struct gc_device_ops *ops = bench->ops;
  const size_t clock = sizeof(struct gpu_clock_result);
  const size_t exchange = job_bytes(bench) + gc_exchange_results_bytes(bench) + clock;
  struct gc_error refused;
  int status = ops->alloc(bench->device, gc_scratch_end(bench) - bench->scratch + clock,
                          &bench->scratch, bench->err);

  if (status)
    return status;
  if (!ops->alloc_host || ops->alloc_host(bench->device, exchange, &bench->exchange, &refused))
    bench->exchange = gc_scratch_large(bench);
  return 0;
}

int gc_bench_open(struct gc_bench *bench, struct gc_device *device, const struct gc_record *tables,
                  struct gc_error *err)
{
  int status;

  memset(bench, 0, sizeof(*bench));
  bench->device = device;
  bench->ops = gc_ops(device);
  bench->err = err;
  bench->ramp_ns = GC_RAMP_NS;
  if ((status = plan_buffers(bench, tables)))
    return status;
  bench->jobs = calloc(bench->properties.sms, sizeof(*bench->jobs));
  bench->results = calloc(1, gc_exchange_results_bytes(bench));
  if (!bench->jobs || !bench->results)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (status || (status = alloc_scratch(bench)) ||
      (status = gc_bench_return_arena(bench)) ||
      (bench->properties.has_constant && (status = find_constant_base(bench))))
    gc_bench_close(bench);
  return status;
}

void gc_bench_close(struct gc_bench *bench)
{
  gc_bench_lend_arena(bench);
  if (!is_in_scratch(bench))
    bench->ops->release(bench->device, bench->exchange);
  bench->ops->release(bench->device, bench->scratch);
  free(bench->results);
  free(bench->jobs);
}
