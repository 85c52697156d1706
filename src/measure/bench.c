/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/bench.h"

#include "measure/known.h"
#include "measure/turns.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define SLOT_BYTES 8
#define TEXEL_BYTES 4
#define LATENCY_REPEATS 31
#define WARM_PASSES 2
#define CROWDED_LAUNCHES 8 /* attempts to get an SM for each block */
#define BLOCKS_OF_L2 2 /* that read into each of several L2: XCDs get blocks in turn */
#define LOADS_MIN 2048 /* timed loads of the smallest arrays: a K-S test sees 1 in 8 miss */

/* What drivers round an allocation up to. */
#define GRANULE MIB(2)
#define FREE_SHARE 20 /* no more than a 20th of what is free is taken */
#define ARENA_MIN MIB(4)

/* What may be taken for arena and walks. */
static uint64_t room_of(uint64_t free_bytes)
{
  const uint64_t share = free_bytes / FREE_SHARE;
  const uint64_t most = share < GC_DEVICE_BYTES_MAX ? share : GC_DEVICE_BYTES_MAX;

  return (most - (most / 4 < GC_DEVICE_BYTES_REST ? most / 4 : GC_DEVICE_BYTES_REST)) & ~(GRANULE - 1);
}

/* The arena has to hold rings that no cache keeps: twice the L2 and some, or four times the L3. */
static uint64_t arena_bytes(const struct gc_properties *properties)
{
  const uint64_t bytes = properties->l3_bytes
                           ? 4 * properties->l3_bytes
                           : 2 * properties->l2_bytes * properties->l2_count + MIB(32);

  return bytes < MIB(64) ? MIB(64) : bytes;
}

/* Those of a launch, or of two. */
static size_t scratch_jobs(const struct gc_bench *bench)
{
  return 2 * bench->properties.sms * sizeof(struct gpu_chase_job);
}

/* One for each SM; or, of SMs that work together, one, and behind it a word for each. */
static size_t scratch_results(const struct gc_bench *bench)
{
  return (bench->properties.sms + 1ul) * sizeof(struct gpu_chase_result);
}

/* The scratch: 4 KiB for small results, then jobs, results and traces of chases, then busy.c's own. */
static size_t scratch_bytes(const struct gc_bench *bench)
{
  return 4096 + scratch_jobs(bench) + scratch_results(bench) + GC_TRACE_MAX * sizeof(uint32_t) +
         sizeof(struct gpu_clock_result);
}

static uint64_t jobs_address(const struct gc_bench *bench) { return bench->scratch + 4096; }
static uint64_t results_address(const struct gc_bench *bench)
{
  return jobs_address(bench) + scratch_jobs(bench);
}

static uint64_t trace_address(const struct gc_bench *bench)
{
  return results_address(bench) + scratch_results(bench);
}

int gc_bench_launch(struct gc_bench *bench, enum gc_kernel kernel, uint32_t blocks, uint32_t threads,
                    uint32_t shared_bytes, const void *args, size_t args_bytes)
{
  const struct gc_launch launch = {.kernel = kernel, .blocks = blocks, .threads = threads,
                                   .shared_bytes = shared_bytes, .args = args,
                                   .args_bytes = args_bytes};
  const double start = gc_milliseconds();
  int status = bench->ops->launch(bench->device, &launch, bench->err);

  if (!status)
    status = bench->ops->wait(bench->device, bench->err);
  return status ? status : gc_watch_launch(bench, gc_milliseconds() - start);
}

static int find_constant_base(struct gc_bench *bench)
{
  const struct gpu_constant_base_args args = {.result = bench->scratch};
  int status = gc_bench_launch(bench, GC_KERNEL_constant_base, 1, 1, 0, &args, sizeof(args));

  return status ? status
                : bench->ops->download(bench->device, &bench->constant_base, bench->scratch,
                                       sizeof(bench->constant_base), bench->err);
}

static int open_texture(struct gc_bench *bench)
{
  const uint64_t bytes = MIB(4); /* of hundreds that a texture can have */

  bench->texture_bytes = bytes;
  return bench->ops->texture(bench->device, bench->arena, bytes, &bench->texture, bench->err);
}

int gc_bench_open(struct gc_bench *bench, struct gc_device *device, struct gc_record *record,
                  struct gc_error *err)
{
  return gc_bench_open_known(bench, device, NULL, record, err);
}

int gc_bench_open_known(struct gc_bench *bench, struct gc_device *device,
                        const struct gc_record *known, struct gc_record *record,
                        struct gc_error *err)
{
  uint64_t free_bytes, total_bytes, room, wanted, walk;
  int status;

  memset(bench, 0, sizeof(*bench));
  bench->device = device;
  bench->ops = gc_ops(device);
  bench->known = known;
  bench->record = record;
  bench->err = err;
  if ((status = bench->ops->properties(device, &bench->properties, err)) ||
      (status = bench->ops->memory(device, &free_bytes, &total_bytes, err)))
    return status;
  bench->properties.has_texture &= bench->properties.texture_texels * TEXEL_BYTES >= MIB(4);
  bench->memory_bytes = total_bytes;
  if (!bench->properties.sms)
    return gc_fail(err, -EIO, "the %s back end reports a GPU without SMs", bench->ops->name);
  gc_complete_properties(&bench->properties, known);
  room = room_of(free_bytes);
  wanted = arena_bytes(&bench->properties);
  bench->arena_bytes = wanted < room ? wanted : room;
  walk = gc_walk_bytes(bench, room);
  bench->walk_bytes = walk > bench->arena_bytes ? walk : bench->arena_bytes;
  if (bench->arena_bytes < ARENA_MIN)
    return gc_fail(err, -ENOMEM, "only %llu MiB of device memory are free, of which no more than a %dth is used",
                   (unsigned long long)(free_bytes >> 20), FREE_SHARE);
  bench->jobs = calloc(bench->properties.sms, sizeof(*bench->jobs));
  bench->results = calloc(1, scratch_results(bench));
  if (!bench->jobs || !bench->results)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (status ||
      (status = bench->ops->alloc(device, scratch_bytes(bench), &bench->scratch, err)) ||
      (status = bench->ops->alloc(device, bench->walk_bytes, &bench->arena, err)) ||
      (bench->properties.has_texture && (status = open_texture(bench))) ||
      (bench->properties.has_constant && (status = find_constant_base(bench)))) {
    gc_bench_close(bench);
    return status;
  }
  bench->watch = bench->scratch + scratch_bytes(bench) - sizeof(struct gpu_clock_result);
  return 0;
}

void gc_bench_close(struct gc_bench *bench)
{
  if (bench->texture)
    bench->ops->release_texture(bench->device, bench->texture);
  if (bench->arena)
    bench->ops->release(bench->device, bench->arena);
  if (bench->scratch)
    bench->ops->release(bench->device, bench->scratch);
  gc_forget_takers(bench);
  gc_quarters_free(bench->quarters);
  gc_sharing_free(bench->sharing);
  free(bench->l2_side);
  free(bench->sm_numbers);
  free(bench->results);
  free(bench->jobs);
}

uint64_t gc_bench_address(const struct gc_bench *bench, enum gc_form form, uint64_t offset)
{
  switch (form) {
  case GC_FORM_GLOBAL:
    return bench->arena + offset;
  case GC_FORM_TEXTURE:
    return offset / TEXEL_BYTES;
  case GC_FORM_CONSTANT:
    return bench->constant_base + offset;
  case GC_FORM_SHARED:
    break;
  }
  return offset;
}

static int constant_ring(struct gc_bench *bench, uint64_t bytes, uint32_t stride)
{
  uint64_t bank[GPU_CONSTANT_BYTES / SLOT_BYTES];

  if (bytes > sizeof(bank))
    return gc_fail(bench->err, -EINVAL, "a constant ring of %llu bytes is larger than the bank",
                   (unsigned long long)bytes);
  memset(bank, 0, sizeof(bank));
  for (uint64_t at = 0; at < bytes; at += stride)
    bank[at / SLOT_BYTES] = bench->constant_base + (at + stride < bytes ? at + stride : 0);
  return bench->ops->upload_constant(bench->device, 0, bank, sizeof(bank), bench->err);
}

uint64_t gc_bench_scatter_otherwise(uint64_t count, uint64_t which)
{
  const double golden = 0.6180339887, turn = 2 * golden - 0.5 + golden * (double)which;
  uint64_t multiplier = (uint64_t)((double)count * (0.25 + (turn - floor(turn)) / 2)) | 1;

  for (;; multiplier++) {
    uint64_t a = multiplier, b = count;

    while (b) {
      const uint64_t rest = a % b;

      a = b;
      b = rest;
    }
    if (a == 1)
      return multiplier;
  }
}

uint64_t gc_bench_scatter(uint64_t count)
{
  return gc_bench_scatter_otherwise(count, 0);
}

int gc_bench_ring(struct gc_bench *bench, enum gc_form form, uint64_t bytes, uint32_t stride,
                  uint64_t multiplier)
{
  const bool texture = form == GC_FORM_TEXTURE;
  const struct gpu_fill_args args = {
    .base = bench->arena, .count = bytes / stride, .stride = stride, .multiplier = multiplier,
    .first = gc_bench_address(bench, form, 0), .step = texture ? stride / TEXEL_BYTES : stride,
    .slot_bytes = texture ? TEXEL_BYTES : SLOT_BYTES};

  if (form == GC_FORM_SHARED)
    return 0;
  if (form == GC_FORM_CONSTANT)
    return constant_ring(bench, bytes, stride);
  if (bytes > (texture ? bench->texture_bytes : bench->arena_bytes))
    return gc_fail(bench->err, -EINVAL, "a ring of %llu bytes does not fit the arena",
                   (unsigned long long)bytes);
  return gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms * 2, 256, 0, &args, sizeof(args));
}

int gc_bench_touch(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t passes,
                   uint32_t only_sm)
{
  return gc_bench_read(bench, offset, bytes, 32, passes, only_sm);
}

int gc_bench_read(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
                  uint32_t passes, uint32_t only_sm)
{
  const struct gpu_touch_args args = {.base = bench->arena + offset, .bytes = bytes, .stride = stride,
                                      .sink = bench->scratch, .passes = passes, .only_sm = only_sm};
  const uint32_t sms = bench->properties.sms, few = BLOCKS_OF_L2 * bench->properties.l2_count;

  return gc_bench_launch(bench, GC_KERNEL_touch, only_sm == GPU_EACH_SM && few < sms ? few : sms,
                         bench->properties.threads_per_block, 0, &args, sizeof(args));
}

/* Did two blocks share an SM, and so its caches? */
static bool crowded(const struct gc_bench *bench, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      if (bench->results[i].sm == bench->results[k].sm)
        return true;
  return false;
}

static struct gpu_chase_args chase_args(const struct gc_bench *bench, const struct gc_path *path,
                                        const struct gc_window *window)
{
  const bool shared = path->form == GC_FORM_SHARED;

  return (struct gpu_chase_args){
    .jobs = jobs_address(bench), .results = results_address(bench), .texture = bench->texture,
    .low = window->low, .shift = window->shift, .threshold = window->threshold,
    .shared_count = shared ? (uint32_t)(path->latency_bytes / path->latency_stride) : 0,
    .shared_stride = shared ? path->latency_stride : 0};
}

/* Launches jobs or, by SM, those of all SMs once, and fetches the results into bench->results. */
static int run_once(struct gc_bench *bench, const struct gc_path *path,
                    const struct gpu_chase_args *args, size_t n)
{
  const uint32_t shared = path->form == GC_FORM_SHARED ? (uint32_t)path->latency_bytes : 0;
  int status = gc_bench_launch(bench, path->chase, (uint32_t)n, bench->properties.warp, shared, args,
                               sizeof(*args));

  return status ? status
                : bench->ops->download(bench->device, bench->results, args->results,
                                       n * sizeof(*bench->results), bench->err);
}

static int upload_jobs(struct gc_bench *bench, size_t n)
{
  return bench->ops->upload(bench->device, jobs_address(bench), bench->jobs,
                            n * sizeof(*bench->jobs), bench->err);
}

/* Launches the jobs in bench->jobs[0..n), each on an SM of its own. Where the hardware puts blocks is
 * its own affair; while SMs change their carve-out, or with another process on the GPU, two may meet
 * on one: then the launch is repeated. The results come back into bench->results. */
static int run_jobs(struct gc_bench *bench, const struct gc_path *path,
                    const struct gpu_chase_args *args, size_t n)
{
  int status = upload_jobs(bench, n);

  for (int attempt = 0; attempt < CROWDED_LAUNCHES && !status; attempt++)
    if (!(status = run_once(bench, path, args, n)) && !crowded(bench, n))
      break;
  if (status)
    return status;
  for (size_t i = 0; i < n; i++)
    if (bench->results[i].loads != bench->jobs[i].loads)
      return gc_fail(bench->err, -EIO, "a p-chase timed %u loads instead of %u",
                     bench->results[i].loads, bench->jobs[i].loads);
  return 0;
}

/* Once, on all SMs. *spread: each of them had one block of each launch. */
static int run_together(struct gc_bench *bench, const struct gc_path *path,
                        const struct gpu_chase_args *read, const struct gpu_chase_args *sample,
                        struct gpu_chase_result *sum, bool *spread)
{
  const uint32_t n = read->together, warp = bench->properties.warp;
  const size_t bytes = sizeof(*sum) + n * sizeof(uint32_t);
  unsigned char *seen = (unsigned char *)bench->results;
  uint32_t blocks;
  int status;

  *spread = false;
  if ((status = bench->ops->clear(bench->device, read->results, bytes, bench->err)) ||
      (status = gc_bench_launch(bench, path->chase, n, warp, 0, read, sizeof(*read))) ||
      (status = gc_bench_launch(bench, path->chase, n, warp, 0, sample, sizeof(*sample))) ||
      (status = bench->ops->download(bench->device, seen, read->results, bytes, bench->err)))
    return status;
  memcpy(sum, seen, sizeof(*sum));
  *spread = true;
  for (uint32_t i = 0; i < n; i++) {
    memcpy(&blocks, seen + sizeof(*sum) + i * sizeof(blocks), sizeof(blocks));
    *spread &= blocks == 2;
  }
  return 0;
}

int gc_bench_together(struct gc_bench *bench, const struct gc_path *path,
                      const struct gc_window *window, uint32_t warm_step,
                      const struct gpu_chase_job *jobs, struct gpu_chase_result *sum)
{
  const uint32_t n = bench->properties.sms;
  struct gpu_chase_args read = chase_args(bench, path, window), sample;
  uint64_t loads = 0;
  bool spread = false;
  int status;

  read.together = n;
  read.warm_step = warm_step;
  sample = read;
  sample.jobs += n * sizeof(*jobs);
  for (uint32_t i = 0; i < n; i++)
    loads += jobs[n + i].loads;
  status = bench->ops->upload(bench->device, read.jobs, jobs, 2 * n * sizeof(*jobs), bench->err);
  for (int attempt = 0; attempt < CROWDED_LAUNCHES && !status && !spread; attempt++)
    status = run_together(bench, path, &read, &sample, sum, &spread);
  if (status)
    return status;
  if (!spread)
    return gc_fail(bench->err, -EIO, "the blocks of a launch did not spread over all SMs");
  return sum->loads == loads ? 0
                             : gc_fail(bench->err, -EIO, "%u loads were timed instead of %llu",
                                       sum->loads, (unsigned long long)loads);
}

/* Between slots, in the form of the path. Rings that capacities are searched in lie in order. */
static uint32_t step_of(const struct gc_path *path)
{
  return path->form == GC_FORM_TEXTURE ? path->stride / TEXEL_BYTES : path->stride;
}

int gc_bench_call(struct gc_bench *bench)
{
  const struct gc_window window = {.threshold = UINT32_MAX};
  const struct gpu_chase_args args = chase_args(bench, gc_path_of(GC_L2), &window);

  memset(bench->jobs, 0, bench->properties.sms * sizeof(*bench->jobs));
  return run_jobs(bench, gc_path_of(GC_L2), &args, bench->properties.sms);
}

/* One launch of up to as many blocks as there are SMs. */
static int chase_batch(struct gc_bench *bench, const struct gc_path *path,
                       const struct gc_window *window, struct gc_run *runs, size_t n)
{
  struct gpu_chase_args args = chase_args(bench, path, window);
  int status;

  args.warm_step = step_of(path);

  for (size_t i = 0; i < n; i++) {
    const uint32_t slots = (uint32_t)(runs[i].bytes / path->stride);
    const uint32_t enough = (path->warm_loads + slots - 1) / slots;
    const uint32_t warm = enough > WARM_PASSES ? enough : WARM_PASSES;
    const uint32_t passes = slots < LOADS_MIN ? (LOADS_MIN + slots - 1) / slots : 1;
    const uint32_t most = path->loads_max ? path->loads_max : UINT32_MAX;

    bench->jobs[i] = (struct gpu_chase_job){
      .start = gc_bench_address(bench, path->form, 0),
      .end = gc_bench_address(bench, path->form, runs[i].bytes),
      .warm = warm * slots, .loads = passes * slots < most ? passes * slots : most};
  }
  if ((status = run_jobs(bench, path, &args, n)))
    return status;
  for (size_t i = 0; i < n; i++) {
    const uint64_t slots = runs[i].bytes / path->stride;

    runs[i].seen = bench->results[i];
    /* anything else means the kernel did not do what we think */
    if (runs[i].seen.last !=
        gc_bench_address(bench, path->form, bench->jobs[i].loads % slots * path->stride))
      return gc_fail(bench->err, -EIO, "a p-chase of %llu bytes ended at a wrong place",
                     (unsigned long long)runs[i].bytes);
  }
  return 0;
}

int gc_bench_sample(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                    uint64_t start, uint32_t warm, uint32_t loads, struct gpu_chase_result *seen)
{
  const struct gpu_chase_args args = chase_args(bench, path, window);
  int status;

  bench->jobs[0] =
    (struct gpu_chase_job){.start = start, .end = GPU_NEVER, .warm = warm, .loads = loads};
  if (!(status = run_jobs(bench, path, &args, 1)))
    *seen = bench->results[0];
  return status;
}

int gc_bench_trace(struct gc_bench *bench, const struct gc_path *path, const uint64_t *starts, size_t n,
                   uint32_t warm, uint32_t loads, uint32_t *trace)
{
  const struct gc_window window = {.threshold = UINT32_MAX};
  struct gpu_chase_args args = chase_args(bench, path, &window);
  int status;

  args.trace = trace_address(bench);
  args.trace_stride = loads;
  if (n > bench->properties.sms || n * loads > GC_TRACE_MAX)
    return gc_fail(bench->err, -EINVAL, "a trace of %zu x %u loads is too large", n, loads);
  for (size_t i = 0; i < n; i++)
    bench->jobs[i] =
      (struct gpu_chase_job){.start = starts[i], .end = GPU_NEVER, .warm = warm, .loads = loads};
  if ((status = run_jobs(bench, path, &args, n)))
    return status;
  status = bench->ops->download(bench->device, trace, trace_address(bench),
                                n * loads * sizeof(*trace), bench->err);
  if (!status)
    gc_raw_trace(bench->raw, trace, n, loads);
  return status;
}

int gc_bench_chase(struct gc_bench *bench, const struct gc_path *path, const struct gc_window *window,
                   struct gc_run *runs, size_t n)
{
  const size_t most = path->alone ? 1 : bench->properties.sms;
  int status = 0;

  for (size_t i = 0; i < n && !status; i += most)
    status = chase_batch(bench, path, window, runs + i, n - i < most ? n - i : most);
  return status;
}

int gc_bench_chain(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                   uint32_t repeats, struct gpu_latency_result *seen)
{
  const bool shared = path->form == GC_FORM_SHARED;
  const struct gpu_latency_args args = {
    .start = gc_bench_address(bench, path->form, 0), .results = bench->scratch + 8,
    .sink = bench->scratch, .texture = bench->texture, .warm = warm, .n = n, .repeats = repeats,
    .shared_count = shared ? (uint32_t)(path->latency_bytes / path->latency_stride) : 0,
    .shared_stride = shared ? path->latency_stride : 0};
  int status = gc_bench_launch(bench, path->latency, 1, 1, shared ? (uint32_t)path->latency_bytes : 0,
                               &args, sizeof(args));

  return status ? status
                : bench->ops->download(bench->device, seen, args.results, repeats * sizeof(*seen),
                                       bench->err);
}

int gc_bench_latency(struct gc_bench *bench, const struct gc_path *path, uint32_t warm, uint32_t n,
                     double tolerance, struct gc_latency *latency)
{
  struct gpu_latency_result seen[1 + LATENCY_REPEATS]; /* the first warms up */
  double slopes[LATENCY_REPEATS];
  int status = gc_bench_chain(bench, path, warm, n, 1 + LATENCY_REPEATS, seen);

  if (status)
    return status;
  for (int i = 0; i < LATENCY_REPEATS; i++)
    slopes[i] = ((double)seen[i + 1].cycles_2n - (double)seen[i + 1].cycles_n) / n;
  gc_raw_repeats(bench->raw, slopes, LATENCY_REPEATS);
  latency->cycles = gc_median(slopes, LATENCY_REPEATS);
  latency->confidence =
    gc_median_confidence(slopes, LATENCY_REPEATS, latency->cycles, tolerance);
  return 0;
}
