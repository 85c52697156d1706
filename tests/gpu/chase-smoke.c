/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a GPU of either vendor, runs every p-chase kernel once on a ring with a known result, and prints
 * the latency of each path. Checks that each chain ends where it must, that the records of one launch
 * agree, and that the latencies of the paths are in the order of the hardware. It checks no absolute times.
 *
 * Usage: chase-smoke [gpu]   exit status 77: no GPU to run on
 * HWLOC_GPUCACHE_SIM=NAME selects a simulated GPU.
 */
#include "device/open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77
#define LOADS 1000u
#define WARM 700u
#define COUNT 256u /* slots in a ring */
#define TRACE 1024u
#define REPEATS 8u
#define DRAM_BYTES (512ull << 20)

static struct gc_device *device;
static struct gc_error err;
static uint32_t warp; /* threads in a warp */
static unsigned failures;

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      failures++;                                                                                  \
      printf("FAILED %s:%d: %s: ", __FILE__, __LINE__, #condition);                                \
      printf(__VA_ARGS__);                                                                         \
      printf("\n");                                                                                \
    }                                                                                              \
  } while (0)

static void must(int status)
{
  if (!status)
    return;
  printf("FAILED: %s\n", err.text);
  exit(1);
}

static uint64_t allocate(uint64_t bytes)
{
  uint64_t address;

  must(gc_ops(device)->alloc(device, bytes, &address, &err));
  return address;
}

static void run(enum gc_kernel kernel, uint32_t blocks, uint32_t threads, uint32_t shared,
                const void *args, size_t bytes)
{
  const struct gc_launch launch = {kernel, blocks, threads, shared, args, bytes, 0};

  must(gc_ops(device)->launch(device, &launch, &err));
  must(gc_ops(device)->wait(device, &err));
}

/* Where a ring lies and how its slots are named on its path. */
struct ring {
  const char *name;
  enum gc_kernel chase, latency;
  uint64_t first, step; /* value of slot 0, and from slot to slot */
  uint64_t texture;
  uint32_t shared_stride;
  double cycles; /* result: pure latency */
};

static uint32_t shared_bytes(const struct ring *ring)
{
  return ring->shared_stride * COUNT;
}

static void check_chase(const struct ring *ring, uint64_t slots)
{
  const uint64_t value_end = ring->first + ring->step * slots;
  const struct gpu_chase_job jobs[2] = {
      {ring->first, slots == COUNT ? GPU_NEVER : value_end, WARM, LOADS},
      {ring->first, GPU_NEVER, 0, 0},
  };
  struct gpu_chase_result results[2], *const r = &results[0];
  uint32_t trace[2 * TRACE];
  struct gpu_chase_args args = {.texture = ring->texture,
                                .trace_stride = TRACE,
                                .shift = 2,
                                .threshold = UINT32_MAX,
                                .shared_count = ring->shared_stride ? COUNT : 0,
                                .shared_stride = ring->shared_stride};
  uint64_t total = 0, cycles = 0;
  uint32_t min = UINT32_MAX, max = 0, slow = 0, first_slow = UINT32_MAX;

  args.jobs = allocate(sizeof(jobs));
  args.results = allocate(sizeof(results));
  args.trace = allocate(sizeof(trace));
  must(gc_ops(device)->upload(device, args.jobs, jobs, sizeof(jobs), &err));
  for (int round = 0; round < 2; round++) {
    must(gc_ops(device)->clear(device, args.results, sizeof(results), &err));
    run(ring->chase, 2, warp, shared_bytes(ring), &args, sizeof(args));
    must(gc_ops(device)->download(device, results, args.results, sizeof(results), &err));
    CHECK(round || (!r->slow && r->first_slow == UINT32_MAX), "%s: %u slow loads", ring->name,
          r->slow);
    if (!round)
      args.threshold = r->min + 1;
  }
  must(gc_ops(device)->download(device, trace, args.trace, sizeof(trace), &err));
  for (uint32_t i = 0; i < LOADS; i++) {
    cycles += trace[i];
    min = trace[i] < min ? trace[i] : min;
    max = trace[i] > max ? trace[i] : max;
    if (trace[i] >= args.threshold && !slow++)
      first_slow = i;
  }
  for (uint32_t i = 0; i < GPU_HISTOGRAM_BINS; i++)
    total += r->histogram[i];
  CHECK(r->last == ring->first + ring->step * ((WARM + LOADS) % slots), "%s: last %#" PRIx64,
        ring->name, r->last);
  CHECK(r->loads == LOADS && total == LOADS, "%s: %u loads, %" PRIu64 " in the histogram",
        ring->name, r->loads, total);
  CHECK(r->cycles == cycles, "%s: %" PRIu64 " cycles, %" PRIu64 " in the trace", ring->name,
        r->cycles, cycles);
  CHECK(r->min == min && r->max == max && min > 0, "%s: %u…%u, %u…%u in the trace", ring->name,
        r->min, r->max, min, max);
  CHECK(r->slow == slow && r->first_slow == first_slow,
        "%s: %u slow, first %u, in the trace %u, %u", ring->name, r->slow, r->first_slow, slow,
        first_slow);
  CHECK(results[1].loads == 0 && results[1].last == ring->first, "%s: the idle block worked",
        ring->name);
  printf("  %-9s timed %4u … %4u, mean %7.2f", ring->name, min, max, (double)cycles / LOADS);
  gc_ops(device)->release(device, args.jobs);
  gc_ops(device)->release(device, args.results);
  gc_ops(device)->release(device, args.trace);
}

static int ascending(const void *a, const void *b)
{
  return *(const int32_t *)a < *(const int32_t *)b ? -1 : *(const int32_t *)a > *(const int32_t *)b;
}

/* Median over the repeats of (2n loads - n loads) / n. */
static double latency(const struct ring *ring, uint32_t n, uint64_t *last)
{
  struct gpu_latency_result results[REPEATS];
  struct gpu_latency_args args = {.start = ring->first,
                                  .texture = ring->texture,
                                  .warm = 2 * COUNT,
                                  .n = n,
                                  .repeats = REPEATS,
                                  .shared_count = ring->shared_stride ? COUNT : 0,
                                  .shared_stride = ring->shared_stride};
  int32_t differences[REPEATS];

  args.results = allocate(sizeof(results));
  args.sink = allocate(8);
  run(ring->latency, 1, 1, shared_bytes(ring), &args, sizeof(args));
  must(gc_ops(device)->download(device, results, args.results, sizeof(results), &err));
  must(gc_ops(device)->download(device, last, args.sink, 8, &err));
  for (uint32_t i = 0; i < REPEATS; i++)
    differences[i] = (int32_t)(results[i].cycles_2n - results[i].cycles_n);
  qsort(differences, REPEATS, sizeof(*differences), ascending);
  gc_ops(device)->release(device, args.results);
  gc_ops(device)->release(device, args.sink);
  return (double)differences[REPEATS / 2] / n;
}

static void check_ring(struct ring *ring)
{
  const uint32_t n = 512;
  uint64_t last;

  check_chase(ring, COUNT);
  ring->cycles = latency(ring, n, &last);
  printf(", pure latency %7.3f cycles\n", ring->cycles);
  CHECK(last == ring->first + ring->step * ((2 * COUNT + REPEATS * 3 * n) % COUNT),
        "%s: ended at %#" PRIx64, ring->name, last);
  CHECK(ring->cycles > 1, "%s: a load takes %.3f cycles", ring->name, ring->cycles);
}

static void fill(const struct gpu_fill_args *args)
{
  run(GC_KERNEL_fill, 64, 256, 0, args, sizeof(*args));
}

static uint64_t constant_ring(uint64_t stride)
{
  struct gpu_constant_base_args args;
  static uint64_t bank[GPU_CONSTANT_BYTES / 8];
  uint64_t base;

  args.result = allocate(8);
  run(GC_KERNEL_constant_base, 1, 1, 0, &args, sizeof(args));
  must(gc_ops(device)->download(device, &base, args.result, 8, &err));
  gc_ops(device)->release(device, args.result);
  for (uint64_t i = 0; i < COUNT; i++)
    bank[i * stride / 8] = base + (i + 1) % COUNT * stride;
  must(gc_ops(device)->upload_constant(device, 0, bank, sizeof(bank), &err));
  return base;
}

static double device_memory(void)
{
  const uint64_t stride = 8192, count = DRAM_BYTES / stride;
  struct ring ring = {.name = "memory", .latency = GC_KERNEL_latency_cg};
  struct gpu_touch_args touch = {
      .bytes = DRAM_BYTES, .stride = 32, .passes = 1, .only_sm = GPU_ANY_SM};
  uint64_t last;
  double cycles;

  ring.first = touch.base = allocate(DRAM_BYTES);
  touch.sink = allocate(8);
  fill(&(struct gpu_fill_args){.base = ring.first,
                               .count = count,
                               .stride = stride,
                               .multiplier = 40503, /* odd, so coprime to a power of two */
                               .first = ring.first,
                               .step = stride,
                               .slot_bytes = 8});
  run(GC_KERNEL_touch, 512, 256, 0, &touch, sizeof(touch));
  cycles = latency(&ring, 512, &last);
  gc_ops(device)->release(device, ring.first);
  gc_ops(device)->release(device, touch.sink);
  return cycles;
}

static void clock_rate(uint32_t sms, uint32_t nominal_khz)
{
  struct gpu_clock_args args = {.nanoseconds = 2000000};
  struct gpu_clock_result result;
  double khz;

  args.result = allocate(sizeof(result));
  run(GC_KERNEL_clock, sms, warp, 0, &args, sizeof(args));
  must(gc_ops(device)->download(device, &result, args.result, sizeof(result), &err));
  gc_ops(device)->release(device, args.result);
  khz = 1e6 * (double)result.cycles / (double)result.nanoseconds;
  printf("  SM clock %.0f kHz, nominal %u kHz\n", khz, nominal_khz);
  CHECK(khz > 0.05 * nominal_khz && khz < 1.2 * nominal_khz, "clock %.0f kHz", khz);
}

int main(int argc, char **argv)
{
  enum { CA, CG, SHARED, NC, TEXTURE, CONSTANT, SCALAR, PATHS };
  struct ring rings[PATHS] = {
      [CA] = {.name = "ca",
              .chase = GC_KERNEL_chase_ca,
              .latency = GC_KERNEL_latency_ca,
              .step = 32},
      [CG] = {.name = "cg",
              .chase = GC_KERNEL_chase_cg,
              .latency = GC_KERNEL_latency_cg,
              .step = 32},
      [NC] = {.name = "nc",
              .chase = GC_KERNEL_chase_nc,
              .latency = GC_KERNEL_latency_nc,
              .step = 32},
      [TEXTURE] = {.name = "texture",
                   .chase = GC_KERNEL_chase_texture,
                   .latency = GC_KERNEL_latency_texture,
                   .step = 8},
      [CONSTANT] = {.name = "constant",
                    .chase = GC_KERNEL_chase_constant,
                    .latency = GC_KERNEL_latency_constant,
                    .step = 8},
      [SHARED] = {.name = "shared",
                  .chase = GC_KERNEL_chase_shared,
                  .latency = GC_KERNEL_latency_shared,
                  .step = 4,
                  .shared_stride = 4},
      [SCALAR] = {.name = "scalar",
                  .chase = GC_KERNEL_chase_scalar,
                  .latency = GC_KERNEL_latency_scalar,
                  .step = 32},
  };
  struct gc_gpus gpus;
  struct gc_gpu *gpu;
  struct gc_properties p;
  uint64_t global, texels;
  double dram;
  int first, end; /* of the paths that only one vendor has */

  must(gc_gpus_list("", getenv("HWLOC_GPUCACHE_SIM"), &gpus));
  gc_gpus_restrict("", &gpus); /* so that ROCr opens one GPU only */
  gpu = argc > 1 ? gc_gpus_by_name(&gpus, argv[1]) : gpus.count ? &gpus.array[0] : NULL;
  if (!gpu) {
    printf("SKIPPED: no GPU %s\n", argc > 1 ? argv[1] : "on this machine");
    return SKIPPED;
  }
  if (gc_device_open(gpu, &device, &err) == -ENODEV) {
    printf("SKIPPED: %s\n", err.text);
    return SKIPPED;
  }
  must(device ? 0 : -EIO);
  must(gc_ops(device)->properties(device, &p, &err));
  warp = p.warp;
  first = p.has_scalar ? SCALAR : NC;
  end = p.has_scalar ? PATHS : SCALAR;
  printf("%s: %s, compute capability %u.%u, %u SMs with warps of %u, L2 %" PRIu64 ", shared %" PRIu64 "/SM %" PRIu64
         "/block + %" PRIu64 ", %" PRIu64 " texels, ECC %d, global in L1 %d\n",
         gpu->name, p.model, p.compute_major, p.compute_minor, p.sms, p.warp, p.l2_bytes, p.shared_per_sm,
         p.shared_per_block, p.shared_reserved, p.texture_texels, p.ecc, p.global_l1);

  global = allocate(COUNT * 32);
  fill(&(struct gpu_fill_args){.base = global,
                               .count = COUNT,
                               .stride = 32,
                               .multiplier = 1,
                               .first = global,
                               .step = 32,
                               .slot_bytes = 8});
  rings[CA].first = rings[CG].first = rings[NC].first = rings[SCALAR].first = global;
  texels = allocate(COUNT * 32);
  fill(&(struct gpu_fill_args){
      .base = texels, .count = COUNT, .stride = 32, .multiplier = 1, .first = 0, .step = 8, .slot_bytes = 4});
  if (!p.has_scalar) {
    must(gc_ops(device)->texture(device, texels, COUNT * 32, &rings[TEXTURE].texture, &err));
    rings[CONSTANT].first = constant_ring(rings[CONSTANT].step);
  }

  for (int i = 0; i < NC; i++)
    check_ring(&rings[i]);
  for (int i = first; i < end; i++)
    check_ring(&rings[i]);
  printf("  ");
  check_chase(&rings[CA], 100); /* a job shorter than the ring */
  printf("\n");
  dram = device_memory();
  printf("  device memory %.1f cycles\n", dram);
  clock_rate(p.sms, p.clock_khz);

  CHECK(rings[SHARED].cycles < rings[CG].cycles, "shared memory is slower than L2");
  CHECK(!p.global_l1 || rings[CA].cycles < rings[CG].cycles, "L1 is slower than L2");
  for (int i = first; i < end; i++)
    CHECK(rings[i].cycles < rings[CG].cycles, "%s cache is slower than L2", rings[i].name);
  CHECK(rings[CG].cycles < dram, "L2 is slower than device memory");
  printf("  %" PRIu64 " launches, %" PRIu64 " bytes of device memory at most, %u failures\n",
         gc_ops(device)->counts(device)->launches,
         gc_ops(device)->counts(device)->device_bytes_peak, failures);
  if (!p.has_scalar)
    gc_ops(device)->release_texture(device, rings[TEXTURE].texture);
  gc_ops(device)->release(device, texels);
  gc_ops(device)->release(device, global);
  gc_ops(device)->close(device);
  gc_gpus_free(&gpus);
  return failures != 0;
}
