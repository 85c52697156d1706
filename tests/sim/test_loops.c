/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulator replaces the loops of untimed loads and of fill by faster ones (sim_target.h). Here
 * the loops that GPUs execute run over the same model, with the same random launches on a second
 * GPU: memory and results must be the same, byte by byte.
 */
#include "device/sim_target.h"

#include "device/open.h"
#include "device/sim_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* The threads of fill do not work together, so they can run one after another. */
static uint32_t one_thread, all_threads = 1;

#undef GPU_LOADS_SLOTS
#undef GPU_LOAD_SLOTS
#undef GPU_LOAD_PASSES
#undef GPU_FOLLOW
#undef GPU_RUN
#define gpu_thread() one_thread
#define gpu_threads() all_threads
#define gc_sim_run run_own_loops
#include "device/sim_kernels.c"
#undef gc_sim_run

static bool own_loops;

bool __real_gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block);
bool __wrap_gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block);

bool __wrap_gc_sim_run(enum gc_kernel kernel, const void *args, struct gc_sim_block *block)
{
  bool done = true;

  if (!own_loops)
    return __real_gc_sim_run(kernel, args, block);
  all_threads = kernel == GC_KERNEL_fill ? 5 : 1;
  for (one_thread = 0; one_thread < all_threads; one_thread++)
    done &= run_own_loops(kernel, args, block);
  one_thread = 0;
  all_threads = 1;
  return done;
}

static const char chip[] =
    "model = Loops\ncompute = 7.5\nsms = 3\nclock_khz = 1500000\nthreads_per_sm = 1024\n"
    "blocks_per_sm = 16\nmemory = 16 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 31 KiB\n"
    "clock_overhead = 6\n";
static const char spaces[] =
    "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"
    "[space nc]\npath = L1 32, L2 200, memory 500\n[space shared]\npath = memory 20\n";

#define L1(ways) "[cache L1]\nsize = 4 KiB\nline = 128\nsector = 32\nways = " ways "\nreplacement = "
#define L2(size) "[cache L2]\nscope = chip\nline = 128\nsector = 32\nways = 16\nsize = " size "\nreplacement = "
#define PARTS "partitions = 2\npartition_sms = 1\nreplicate = yes\nfar_cycles = 50\n"

/* Passes that end in the same state, and passes that never do. */
static const char *const caches[] = {
    L1("4") "lru\n" L2("64 KiB") "lru\n",
    L1("8") "slru\n" L2("32 KiB") "lru\n" PARTS,
    L1("4") "random\n" L2("16 KiB") "plru\n",
    L1("4") "lru\n" L2("16 KiB") "lru\n" PARTS "[tlb A]\nentries = 4\ncovers = 4 KiB\npenalty = 40\n"
    "[tlb B]\nentries = 6\nscope = chip\ncovers = 4 KiB\npenalty = 90\n",
};

#define ARENA (256u << 10)
#define MOST_RESULTS 8192
#define LAUNCHES 400

struct gpu {
  struct gc_device *device;
  const struct gc_device_ops *ops;
  struct gc_error err;
  uint64_t arena, jobs, results, counters;
  uint32_t random;
  uint64_t slots, stride;         /* of the ring that is there now */
  uint64_t seen[2 * LAUNCHES];    /* hashes of memory and results */
  uint64_t clocks[LAUNCHES];      /* of SM 0, after each launch */
  uint64_t timed, slow, together; /* that the launches did what they should */
};

/* 0 to n - 1. */
static uint32_t draw(struct gpu *gpu, uint32_t n)
{
  gpu->random = gpu->random * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)gpu->random * n >> 32);
}

static void launch(struct gpu *gpu, enum gc_kernel kernel, uint32_t blocks, const void *args,
                   size_t bytes)
{
  const struct gc_launch launch = {
      .kernel = kernel, .blocks = blocks, .threads = 32, .args = args, .args_bytes = bytes};

  if (gpu->ops->launch(gpu->device, &launch, &gpu->err) || gpu->ops->wait(gpu->device, &gpu->err))
    fail_msg("%s", gpu->err.text);
}

static void *download(struct gpu *gpu, uint64_t address, size_t bytes)
{
  static unsigned char data[ARENA];

  assert_true(bytes <= sizeof data);
  assert_int_equal(gpu->ops->download(gpu->device, data, address, bytes, &gpu->err), 0);
  return data;
}

static uint64_t hash(struct gpu *gpu, uint64_t address, size_t bytes)
{
  const unsigned char *data = download(gpu, address, bytes);
  uint64_t value = 14695981039346656037u;

  for (size_t i = 0; i < bytes; i++)
    value = (value ^ data[i]) * 1099511628211u;
  return value;
}

/* One ring through all slots, so that a chain can begin at each; or any multiplier and any slots.
 */
static void fill(struct gpu *gpu, bool one_ring)
{
  const uint64_t stride = 8u << draw(gpu, 5);
  const uint64_t count = one_ring ? 1u << (4 + draw(gpu, 7)) : draw(gpu, 1000);
  struct gpu_fill_args args = {.base = gpu->arena,
                               .count = count,
                               .stride = stride,
                               .multiplier = 1,
                               .first = gpu->arena,
                               .step = stride,
                               .slot_bytes = 8};

  if (draw(gpu, 2) && count > 1)
    args.multiplier = one_ring ? draw(gpu, (uint32_t)count) | 1 : draw(gpu, (uint32_t)count);
  if (!one_ring) {
    args.base += 8 * draw(gpu, 1000);
    args.slot_bytes = draw(gpu, 2) ? 8 : 4;
    args.step = draw(gpu, 100);
  }
  launch(gpu, GC_KERNEL_fill, 1 + draw(gpu, 3), &args, sizeof args);
  gpu->slots = one_ring ? count : 0;
  gpu->stride = stride;
}

static struct gpu_chase_job draw_job(struct gpu *gpu)
{
  const uint32_t first = draw(gpu, (uint32_t)gpu->slots);
  const uint32_t last = first + 1 + draw(gpu, (uint32_t)gpu->slots - first);

  return (struct gpu_chase_job){.start = gpu->arena + first * gpu->stride,
                                .end = gpu->arena + last * gpu->stride,
                                .warm = draw(gpu, 2000),
                                .loads = draw(gpu, 300)};
}

static void draw_jobs(struct gpu *gpu, struct gpu_chase_job jobs[3])
{
  for (unsigned i = 0; i < 3; i++)
    jobs[i] = draw_job(gpu);
  assert_int_equal(gpu->ops->upload(gpu->device, gpu->jobs, jobs, 3 * sizeof *jobs, &gpu->err), 0);
}

static void chase(struct gpu *gpu)
{
  static const enum gc_kernel kernels[] = {GC_KERNEL_chase_ca, GC_KERNEL_chase_cg,
                                           GC_KERNEL_chase_nc};
  struct gpu_chase_args args = {
      .jobs = gpu->jobs, .results = gpu->results, .shift = 3, .threshold = 100};
  const struct gpu_chase_result *results;
  struct gpu_chase_job jobs[3];

  draw_jobs(gpu, jobs);
  args.warm_step = draw(gpu, 2) ? (uint32_t)gpu->stride : 0;
  gpu->together += args.warm_step != 0;
  launch(gpu, kernels[draw(gpu, 3)], 3, &args, sizeof args);
  results = download(gpu, gpu->results, 3 * sizeof *results);
  for (unsigned i = 0; i < 3; i++) {
    gpu->timed += results[i].loads;
    gpu->slow += results[i].slow;
  }
}

static void marks(struct gpu *gpu)
{
  const struct gpu_marks_args args = {
      .jobs = gpu->jobs, .results = gpu->results, .threshold = 100, .late = 300};
  struct gpu_chase_job jobs[3];

  draw_jobs(gpu, jobs);
  launch(gpu, draw(gpu, 2) ? GC_KERNEL_marks_ca : GC_KERNEL_marks_nc, 3, &args, sizeof args);
}

static void census(struct gpu *gpu)
{
  struct gpu_census_args args = {.first = gpu->arena,
                                 .step = 32,
                                 .results = gpu->results,
                                 .limit = 100,
                                 .passes = 1 + draw(gpu, 2),
                                 .probes = 1 + draw(gpu, 8),
                                 .rounds = 1 + draw(gpu, 4),
                                 .grain = 4,
                                 .grains = 1 + draw(gpu, 200)};

  args.all = args.rounds;
  args.slots = args.grain * args.grains;
  args.scale = ((uint64_t)args.slots << 24) / (args.all * args.probes * 3);
  launch(gpu, draw(gpu, 2) ? GC_KERNEL_census_ca : GC_KERNEL_census_nc, 3, &args, sizeof args);
}

static void touch(struct gpu *gpu)
{
  const struct gpu_touch_args args = {.base = gpu->arena,
                                      .bytes = 1 + draw(gpu, ARENA - 1),
                                      .stride = 8u << draw(gpu, 6),
                                      .sink = gpu->counters,
                                      .passes = 1 + draw(gpu, 2),
                                      /* if blocks share the loads, their order is not defined */
                                      .only_sm = draw(gpu, 3)};

  launch(gpu, GC_KERNEL_touch, 3, &args, sizeof args);
}

static void rounds(struct gpu *gpu)
{
  struct gpu_round jobs[3][2];
  const struct gpu_rounds_args args = {.jobs = gpu->jobs,
                                       .results = gpu->results,
                                       .arrived = gpu->counters,
                                       .done = gpu->counters + 8,
                                       .rounds = 2,
                                       .shift = 3,
                                       .threshold = 300};

  for (unsigned i = 0; i < 6; i++) {
    const uint64_t step = 32u << draw(gpu, 4), length = 1 + draw(gpu, 300);

    jobs[i / 2][i % 2] =
        (struct gpu_round){.at = gpu->arena,
                           .end = gpu->arena + length * step,
                           .step = step,
                           .back = length * step,
                           .loads = draw(gpu, 1000),
                           .how = draw(gpu, 2) ? GPU_ROUND_TOGETHER : GPU_ROUND_CHAINED,
                           .timed = draw(gpu, (uint32_t)length),
                           .result = i / 2};
  }
  assert_int_equal(gpu->ops->upload(gpu->device, gpu->jobs, jobs, sizeof jobs, &gpu->err), 0);
  launch(gpu, GC_KERNEL_rounds, 3, &args, sizeof args);
}

/* The same launches for each seed. */
static struct gpu *launch_all(const char *path, uint32_t seed)
{
  static void (*const cases[])(struct gpu *) = {chase, chase, marks, census, touch, rounds};
  struct gc_gpu found = {.vendor = GC_VENDOR_SIM, .name = "gpu0"};
  struct gpu *gpu = calloc(1, sizeof *gpu);

  assert_non_null(gpu);
  gpu->random = seed;
  snprintf(found.profile, sizeof found.profile, "%s", path);
  if (gc_device_open(&found, &gpu->device, &gpu->err))
    fail_msg("%s", gpu->err.text);
  gpu->ops = gc_ops(gpu->device);
  if (gpu->ops->alloc(gpu->device, ARENA, &gpu->arena, &gpu->err) ||
      gpu->ops->alloc(gpu->device, 4096, &gpu->jobs, &gpu->err) ||
      gpu->ops->alloc(gpu->device, MOST_RESULTS, &gpu->results, &gpu->err) ||
      gpu->ops->alloc(gpu->device, 64, &gpu->counters, &gpu->err) ||
      gpu->ops->clear(gpu->device, gpu->arena, ARENA, &gpu->err))
    fail_msg("%s", gpu->err.text);
  for (unsigned i = 0; i < LAUNCHES; i++) {
    if (gpu->ops->clear(gpu->device, gpu->results, MOST_RESULTS, &gpu->err))
      fail_msg("%s", gpu->err.text);
    fill(gpu, false);
    gpu->seen[2 * i] = hash(gpu, gpu->arena, ARENA);
    fill(gpu, true);
    cases[draw(gpu, 6)](gpu);
    gpu->seen[2 * i + 1] = hash(gpu, gpu->results, MOST_RESULTS);
    gpu->clocks[i] = ((struct gc_sim_device *)gpu->device)->clocks[0];
  }
  gpu->ops->close(gpu->device);
  return gpu;
}

static void compare_loops(const char *of_caches)
{
  char path[] = "/tmp/gpucache-test-loops-XXXXXX";
  const int fd = mkstemp(path);
  struct gpu *simulator, *kernels;

  assert_true(fd >= 0);
  assert_int_equal(write(fd, chip, sizeof chip - 1), sizeof chip - 1);
  assert_int_equal(write(fd, of_caches, strlen(of_caches)), strlen(of_caches));
  assert_int_equal(write(fd, spaces, sizeof spaces - 1), sizeof spaces - 1);
  close(fd);
  simulator = launch_all(path, 2026);
  own_loops = true;
  kernels = launch_all(path, 2026);
  own_loops = false;
  unlink(path);
  for (unsigned i = 0; i < LAUNCHES; i++) {
    if (simulator->seen[2 * i] != kernels->seen[2 * i])
      fail_msg("fill %u wrote other values", i);
    if (simulator->seen[2 * i + 1] != kernels->seen[2 * i + 1])
      fail_msg("launch %u had other results", i);
    if (simulator->clocks[i] != kernels->clocks[i])
      fail_msg("launch %u took another time", i);
  }
  assert_true(simulator->slow > 1000 && simulator->timed - simulator->slow > 1000);
  assert_true(simulator->together > 20);
  free(simulator);
  free(kernels);
}

static void the_loops_of_the_simulator_do_what_those_of_the_kernels_do(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
    compare_loops(caches[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loops_of_the_simulator_do_what_those_of_the_kernels_do),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
