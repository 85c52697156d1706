/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulated GPU through the device table: kernels run over the model, launched with the
 * argument structs of a real launch. Most tests use the chip below.
 */
#include "device/open.h"
#include "device/sim_launch.h"
#include "model/model.h"
#include "model/noise.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB(n) ((n) * 1024ull)
#define OVERHEAD 6

/* 3 SMs; L1 4 KiB shared by ca, nc and texture; constant 1 KiB; L2 64 KiB. No noise. */
static const char chip[] =
  "model = Test chip\ncompute = 7.5\nsms = 3\nclock_khz = 1500000\nrunning_clock_khz = 1200000\n"
  "threads_per_sm = 1024\nblocks_per_sm = 16\nmemory = 8 MiB\nshared_per_sm = 32 KiB\n"
  "shared_per_block = 31 KiB\nshared_reserved = 1 KiB\nclock_overhead = 6\n"
  "[unified]\ntotal = 40 KiB\ncarveouts = 4 16 32 KiB\n"
  "[cache L1]\nsize = unified\nlost = 4 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
  "[cache C]\nsize = 1 KiB\nline = 64\nways = 4\nreplacement = lru\n"
  "[cache L2]\nscope = chip\nsize = 64 KiB\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n"
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"
  "[space nc]\npath = L1 32, L2 200, memory 500\n"
  "[space texture]\npath = L1 40, L2 210, memory 510\n"
  "[space constant]\npath = C 10, L2 220, memory 520\n[space shared]\npath = memory 20\n";

struct fixture {
  char path[64];
  struct gc_device *device;
  const struct gc_device_ops *ops;
  struct gc_error err;
  uint64_t ring, jobs, results, trace, sink;
  uint32_t shared_bytes; /* of chase() */
};

static int open_profile(struct fixture *f, const char *path)
{
  struct gc_gpu gpu = {.vendor = GC_VENDOR_SIM, .name = "gpu0"};

  assert_true(snprintf(gpu.profile, sizeof(gpu.profile), "%s", path) < (int)sizeof(gpu.profile));
  return gc_device_open(&gpu, &f->device, &f->err);
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof(*f));
  int fd;

  assert_non_null(f);
  strcpy(f->path, "/tmp/gpucache-test-sim-XXXXXX");
  fd = mkstemp(f->path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, chip, sizeof(chip) - 1), sizeof(chip) - 1);
  close(fd);
  assert_int_equal(open_profile(f, f->path), 0);
  f->ops = gc_ops(f->device);
  assert_int_equal(f->ops->alloc(f->device, KIB(512), &f->ring, &f->err), 0);
  assert_int_equal(f->ops->alloc(f->device, 4096, &f->jobs, &f->err), 0);
  assert_int_equal(f->ops->alloc(f->device, KIB(16), &f->results, &f->err), 0);
  assert_int_equal(f->ops->alloc(f->device, KIB(16), &f->trace, &f->err), 0);
  assert_int_equal(f->ops->alloc(f->device, 8, &f->sink, &f->err), 0);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  if (f->device)
    f->ops->close(f->device);
  unlink(f->path);
  free(f);
  return 0;
}

static int run(struct fixture *f, enum gc_kernel kernel, uint32_t blocks, uint32_t shared_bytes,
               const void *args, size_t args_bytes)
{
  const struct gc_launch launch = {.kernel = kernel, .blocks = blocks, .threads = 32,
                                   .shared_bytes = shared_bytes, .args = args,
                                   .args_bytes = args_bytes};
  int status = f->ops->launch(f->device, &launch, &f->err);

  return status ? status : f->ops->wait(f->device, &f->err);
}

static void fill(struct fixture *f, uint64_t count, uint64_t stride, uint64_t first, uint64_t step,
                 uint32_t slot_bytes)
{
  const struct gpu_fill_args args = {.base = f->ring, .count = count, .stride = stride,
                                     .multiplier = 1, .first = first, .step = step,
                                     .slot_bytes = slot_bytes};

  assert_int_equal(run(f, GC_KERNEL_fill, 2, 0, &args, sizeof(args)), 0);
}

/* Runs jobs, one block each, and downloads the results. */
static int chase(struct fixture *f, enum gc_kernel kernel, const struct gpu_chase_job *jobs,
                 uint32_t blocks, struct gpu_chase_args args, struct gpu_chase_result *results)
{
  int status;

  args.jobs = f->jobs;
  args.results = f->results;
  args.low = 0;
  args.shift = 3;
  args.threshold = args.threshold ? args.threshold : 100;
  assert_int_equal(f->ops->upload(f->device, f->jobs, jobs, blocks * sizeof(*jobs), &f->err), 0);
  status = run(f, kernel, blocks, f->shared_bytes, &args, sizeof(args));
  if (!status)
    status = f->ops->download(f->device, results, f->results, blocks * sizeof(*results), &f->err);
  return status;
}

static void properties_are_the_profiles(void **state)
{
  struct fixture *f = *state;
  struct gc_properties p;

  assert_int_equal(f->ops->properties(f->device, &p, &f->err), 0);
  assert_string_equal(p.model, "Test chip");
  assert_int_equal(p.sms, 3);
  assert_int_equal(p.compute_major, 7);
  assert_int_equal(p.compute_minor, 5);
  assert_int_equal(p.warp, 32);
  assert_int_equal(p.clock_khz, 1500000);
  assert_int_equal(p.l2_bytes, KIB(64));
  assert_int_equal(p.shared_per_block, KIB(31));
  assert_int_equal(p.constant_bytes, 65536);
  assert_true(p.simulated && p.global_l1 && p.has_texture && p.has_read_only && p.has_constant);
  assert_false(p.ecc || p.local_l1);
}

/* Carve-out 16 KiB for 16 blocks of 1 KiB each: L1 is 40 - 16 - 4 = 20 KiB. */
static void ring_that_fits_hits_and_one_line_more_misses(void **state)
{
  struct fixture *f = *state;
  const uint64_t slots = KIB(20) / 32;
  struct gpu_chase_job jobs[2] = {
    {f->ring, f->ring + KIB(20), (uint32_t)slots, (uint32_t)slots},
    {f->ring, f->ring + KIB(20) + 128, (uint32_t)slots + 4, (uint32_t)slots + 4},
  };
  struct gpu_chase_result results[2];

  fill(f, KIB(64) / 32, 32, f->ring, 32, 8);
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, jobs, 2, (struct gpu_chase_args){0}, results), 0);
  assert_int_equal(results[0].loads, slots);
  assert_int_equal(results[0].slow, 0);
  assert_int_equal(results[0].first_slow, UINT32_MAX);
  assert_int_equal(results[0].min, 30 + OVERHEAD);
  assert_int_equal(results[0].max, 30 + OVERHEAD);
  assert_int_equal(results[0].cycles, slots * (30 + OVERHEAD));
  assert_int_equal(results[0].last, f->ring);
  assert_int_equal(results[0].sm, 0);
  assert_int_equal(results[0].histogram[(30 + OVERHEAD) >> 3], slots);
  /* LRU: the set with five lines misses all of them, each with 4 sectors. L2 has them. */
  assert_int_equal(results[1].slow, 5 * 4);
  assert_int_equal(results[1].first_slow, 0);
  assert_int_equal(results[1].max, 200 + OVERHEAD);
  assert_int_equal(results[1].sm, 1);
}

/* Without warm-up all sectors miss. The chain begins at the start of the job, whatever was loaded
 * last. */
static void loads_side_by_side_bring_in_what_the_chain_meets(void **state)
{
  struct fixture *f = *state;
  const uint32_t slots = KIB(8) / 32;
  struct gpu_chase_job job = {f->ring, f->ring + KIB(8), 2 * slots + 1, slots};
  struct gpu_chase_result result;

  fill(f, KIB(64) / 32, 32, f->ring, 32, 8);
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1,
                         (struct gpu_chase_args){.warm_step = 32}, &result), 0);
  assert_int_equal(result.slow, 0);
  assert_int_equal(result.last, f->ring);
  job.warm = slots - 4;
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1,
                         (struct gpu_chase_args){.warm_step = 32}, &result), 0);
  assert_int_equal(result.slow, 4);
  assert_int_equal(result.first_slow, slots - 4);
}

/* Where the kernel `rounds` has everything. */
static struct gpu_rounds_args rounds_args(struct fixture *f, uint32_t rounds)
{
  return (struct gpu_rounds_args){.jobs = f->jobs,
                                  .results = f->results,
                                  .arrived = f->trace,
                                  .done = f->trace + 4,
                                  .rounds = rounds,
                                  .shift = 3,
                                  .threshold = 300};
}

static void run_rounds(struct fixture *f, const struct gpu_rounds_args *args,
                       const struct gpu_round *jobs, size_t bytes, uint32_t blocks)
{
  assert_int_equal(f->ops->upload(f->device, f->jobs, jobs, bytes, &f->err), 0);
  assert_int_equal(f->ops->clear(f->device, f->results, KIB(2), &f->err), 0);
  assert_int_equal(f->ops->clear(f->device, f->trace, KIB(1), &f->err), 0);
  assert_int_equal(run(f, GC_KERNEL_rounds, blocks, 0, args, sizeof(*args)), 0);
}

/* The first SM times what the last one reads, so it must wait for it. The second SM has nothing to
 * do. Both rounds that are timed add to results of their own, and go back at the end. */
static void rounds_of_all_sms_are_in_step(void **state)
{
  struct fixture *f = *state;
  const struct gpu_round read = {.at = f->ring, .end = f->ring + 1024, .step = 32, .loads = 32};
  const struct gpu_round timed = {.at = f->ring + 512, .end = f->ring + 1024, .step = 64, .back = 1024,
                                  .timed = 12};
  const struct gpu_round jobs[3][3] = {{{0}, timed, {0}}, {{0}}, {read, {0}, timed}};
  struct gpu_rounds_args args = rounds_args(f, 3);
  struct gpu_chase_result sums[2];
  uint32_t done[3], counted = 0;

  args.sms = 3;
  args.polls_max = 100;
  run_rounds(f, &args, *jobs, sizeof(jobs), 3);
  assert_int_equal(f->ops->download(f->device, done, args.done, sizeof(done), &f->err), 0);
  assert_int_equal(f->ops->download(f->device, sums, f->results, sizeof(sums), &f->err), 0);
  for (int sm = 0; sm < 3; sm++)
    assert_int_equal(done[sm], 3);
  assert_int_equal(sums[0].loads, 2 * 12);
  assert_int_equal(sums[0].slow, 0);
  assert_int_equal(sums[0].cycles, 2 * 12 * (200 + OVERHEAD));
  for (int bin = 0; bin < GPU_HISTOGRAM_BINS; bin++)
    counted += sums[0].histogram[bin];
  assert_int_equal(counted, 2 * 12);
  assert_int_equal(sums[1].loads, 0);
}

/* A block does its jobs one after another, without waiting for others. Each timed job has a trace. */
static void rounds_of_a_block_follow_each_other(void **state)
{
  struct fixture *f = *state;
  struct gpu_round jobs[] = {
    {.at = f->ring, .end = f->ring + 512, .step = 128, .back = 512, .timed = 4},
    {.at = f->ring + 512, .end = f->ring + 1024, .step = 128, .back = 512, .loads = 9,
     .how = GPU_ROUND_CHAINED},
    {.at = f->ring + 256, .end = f->ring + 1280, .step = 384, .back = 1024, .timed = 4, .result = 1}};
  struct gpu_rounds_args args = rounds_args(f, 3);
  uint32_t trace[2][4], sm;

  args.trace = f->trace + 64;
  args.trace_stride = 4;
  run_rounds(f, &args, jobs, sizeof(jobs), 1);
  assert_int_equal(f->ops->download(f->device, trace, args.trace, sizeof(trace), &f->err), 0);
  assert_int_equal(f->ops->download(f->device, &sm, args.done, sizeof(sm), &f->err), 0);
  assert_int_equal(sm, 0);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(trace[0][k], 500 + OVERHEAD);
    /* 256, 640, 1024, 384: the third one is of no earlier job */
    assert_int_equal(trace[1][k], (k == 2 ? 500 : 200) + OVERHEAD);
  }
}

static void trace_tells_every_load(void **state)
{
  struct fixture *f = *state;
  const struct gpu_chase_job job = {f->ring, GPU_NEVER, 0, 8};
  struct gpu_chase_result result;
  uint32_t trace[8];

  /* Cold: memory once per sector; a slot every 16 bytes, so every other load hits L1. */
  fill(f, 64, 16, f->ring, 16, 8);
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1,
                         (struct gpu_chase_args){.trace = f->trace, .trace_stride = 8}, &result), 0);
  assert_int_equal(f->ops->download(f->device, trace, f->trace, sizeof(trace), &f->err), 0);
  for (int k = 0; k < 8; k++)
    assert_int_equal(trace[k], (k % 2 ? 30 : 500) + OVERHEAD);
}

static void constant_path(void **state)
{
  struct fixture *f = *state;
  const struct gpu_constant_base_args ask = {.result = f->sink};
  uint64_t base, slots[128];
  struct gpu_chase_job job;
  struct gpu_chase_result result;

  assert_int_equal(run(f, GC_KERNEL_constant_base, 1, 0, &ask, sizeof(ask)), 0);
  assert_int_equal(f->ops->download(f->device, &base, f->sink, sizeof(base), &f->err), 0);
  assert_int_not_equal(base, 0);
  for (int i = 0; i < 128; i++)
    slots[i] = base + (i + 1) % 128 * 8;
  assert_int_equal(f->ops->upload_constant(f->device, 0, slots, sizeof(slots), &f->err), 0);
  job = (struct gpu_chase_job){base, GPU_NEVER, 128, 128};
  assert_int_equal(chase(f, GC_KERNEL_chase_constant, &job, 1, (struct gpu_chase_args){0}, &result), 0);
  assert_int_equal(result.max, 10 + OVERHEAD);
  assert_int_equal(result.last, base);
  assert_int_equal(f->ops->upload_constant(f->device, 65536 - 8, slots, 16, &f->err), -EINVAL);
  job.start = base + GPU_CONSTANT_BYTES;
  assert_int_equal(chase(f, GC_KERNEL_chase_constant, &job, 1, (struct gpu_chase_args){0}, &result), -EIO);
  assert_non_null(strstr(f->err.text, "illegal address"));
  assert_non_null(strstr(f->err.text, "constant"));
}

#define ONLY_TURN(turn) (GPU_BANKS_NO_TURN << 4 | (turn))

/* Copies have separate constant banks, which stay in the cache from launch to launch of a group.
 * Two banks that fit together hit when the first one is read again; two that do not fit miss. */
static void concurrent_launches_use_tickets(void **state)
{
  struct fixture *f = *state;
  struct gpu_banks_args args[3];
  struct gpu_banks_job jobs[3][3] = {{{0}}};
  struct gpu_banks_result results[3][3];
  struct gc_launch launches[GC_CONCURRENT_MAX + 1];
  uint32_t copies[GC_CONCURRENT_MAX + 1] = {0, 1, 0};
  const struct gpu_constant_base_args ask = {.result = f->sink};
  static uint64_t bank[GPU_CONSTANT_BYTES / 8];
  uint64_t base;

  assert_int_equal(run(f, GC_KERNEL_constant_base, 1, 0, &ask, sizeof(ask)), 0);
  assert_int_equal(f->ops->download(f->device, &base, f->sink, sizeof(base), &f->err), 0);
  for (size_t i = 0; i < sizeof(bank) / 64; i++)
    bank[8 * i] = base + 64 * (i + 1) % GPU_CONSTANT_BYTES;
  for (uint32_t copy = 0; copy < 2; copy++)
    assert_int_equal(f->ops->upload_constant_copy(f->device, copy, bank, &f->err), 0);
  for (uint32_t other = 8; other <= 16; other += 8) {
    assert_int_equal(f->ops->clear(f->device, f->trace, 64, &f->err), 0);
    for (uint32_t i = 0; i < 3; i++) {
      jobs[i][1] = (struct gpu_banks_job){base, GPU_NEVER, i == 1 ? other : 8, 0};
      args[i] = (struct gpu_banks_args){
        .ticket = {.arrived = f->trace, .next = f->trace + 8, .blocks = 9, .sms = 3, .polls_max = 10},
        .jobs = f->jobs, .results = f->results, .threshold = 50, .turns = ONLY_TURN(i)};
      launches[i] = (struct gc_launch){.kernel = GC_KERNEL_banks_constant, .blocks = 3, .threads = 32,
                                       .args = &args[i], .args_bytes = sizeof(args[i])};
    }
    assert_int_equal(f->ops->upload(f->device, f->jobs, jobs, sizeof(jobs), &f->err), 0);
    assert_int_equal(f->ops->launch_concurrent(f->device, launches, copies, 3, &f->err), 0);
    assert_int_equal(f->ops->download(f->device, results, f->results, sizeof(results), &f->err), 0);
    assert_int_equal(results[0][1].slow, 8); /* cold: nothing is left of the launches before */
    assert_int_equal(results[1][1].slow, other);
    assert_int_equal(results[2][1].loads, 8);
    assert_int_equal(results[2][1].slow, other == 8 ? 0 : 8);
    assert_int_equal(results[2][1].cycles[0], other == 8 ? 8 * (10 + OVERHEAD) : 0);
    assert_int_equal(results[2][0].loads, 0);
  }
  assert_int_equal(f->ops->launch_concurrent(f->device, launches, copies, GC_CONCURRENT_MAX + 1, &f->err),
                   -EINVAL);
  copies[2] = GC_COPIES_MAX;
  assert_int_equal(f->ops->launch_concurrent(f->device, launches, copies, 3, &f->err), -EINVAL);
  assert_int_equal(f->ops->upload_constant_copy(f->device, GC_COPIES_MAX, bank, &f->err), -EINVAL);
}

/* A launch whose ticket never comes exits and leaves its result unchanged. */
static void waiting_ends_after_polls_max(void **state)
{
  struct fixture *f = *state;
  struct gpu_banks_args args = {
    .ticket = {.arrived = f->trace, .next = f->trace + 8, .blocks = 3, .sms = 3, .polls_max = 10},
    .jobs = f->jobs, .results = f->results, .threshold = 50, .turns = ONLY_TURN(1)};
  const struct gc_launch launch = {.kernel = GC_KERNEL_banks_constant, .blocks = 3, .threads = 32,
                                   .args = &args, .args_bytes = sizeof(args)};
  struct gpu_banks_result results[2][3];
  const uint32_t copy = 0;

  assert_int_equal(f->ops->clear(f->device, f->trace, 64, &f->err), 0);
  assert_int_equal(f->ops->clear(f->device, f->jobs, 256, &f->err), 0);
  memset(results, 0x55, sizeof(results));
  assert_int_equal(f->ops->upload(f->device, f->results, results, sizeof(results), &f->err), 0);
  assert_int_equal(f->ops->launch_concurrent(f->device, &launch, &copy, 1, &f->err), 0);
  assert_int_equal(f->ops->download(f->device, results, f->results, sizeof(results), &f->err), 0);
  assert_int_equal(results[1][1].loads, 0x55555555);
}

static void texture_path(void **state)
{
  struct fixture *f = *state;
  uint64_t texture;
  struct gpu_chase_job job = {0, KIB(4) / 4, 1024, 1024};
  struct gpu_chase_result result;

  fill(f, 2048, 4, 0, 1, 4);
  assert_int_equal(f->ops->texture(f->device, f->ring, KIB(8), &texture, &f->err), 0);
  assert_int_not_equal(texture, 0);
  assert_int_equal(chase(f, GC_KERNEL_chase_texture, &job, 1,
                         (struct gpu_chase_args){.texture = texture}, &result), 0);
  assert_int_equal(result.max, 40 + OVERHEAD);
  assert_int_equal(result.last, 0);
  job.start = KIB(8) / 4; /* the first texel behind the end */
  assert_int_equal(chase(f, GC_KERNEL_chase_texture, &job, 1,
                         (struct gpu_chase_args){.texture = texture}, &result), -EIO);
}

static void shared_path(void **state)
{
  struct fixture *f = *state;
  const struct gpu_chase_job job = {0, GPU_NEVER, 100, 100};
  const struct gpu_chase_args args = {.shared_count = 256, .shared_stride = 4};
  struct gpu_chase_result result;

  f->shared_bytes = 1024;
  assert_int_equal(chase(f, GC_KERNEL_chase_shared, &job, 1, args, &result), 0);
  assert_int_equal(result.min, 20 + OVERHEAD);
  assert_int_equal(result.max, 20 + OVERHEAD);
  assert_int_equal(result.last, 200 * 4);
  /* One slot too few: the ring's last store is illegal. */
  f->shared_bytes = 1020;
  assert_int_equal(chase(f, GC_KERNEL_chase_shared, &job, 1, args, &result), -EIO);
  assert_non_null(strstr(f->err.text, "shared address 0x3fc"));
}

static void latency_kernels_time_the_chain(void **state)
{
  struct fixture *f = *state;
  struct gpu_latency_args args = {.start = f->ring, .results = f->results, .sink = f->sink,
                                  .warm = 128, .n = 64, .repeats = 3};
  struct gpu_latency_result results[3];

  fill(f, 128, 32, f->ring, 32, 8);
  assert_int_equal(run(f, GC_KERNEL_latency_ca, 1, 0, &args, sizeof(args)), 0);
  assert_int_equal(f->ops->download(f->device, results, f->results, sizeof(results), &f->err), 0);
  for (int r = 0; r < 3; r++) {
    assert_int_equal(results[r].cycles_n, 64 * 30 + OVERHEAD);
    assert_int_equal(results[r].cycles_2n, 128 * 30 + OVERHEAD);
  }
}

static void clock_runs_at_its_frequency(void **state)
{
  struct fixture *f = *state;
  const struct gpu_clock_args args = {.result = f->sink, .nanoseconds = 1000000};
  struct gpu_clock_args wide = args;
  struct gpu_clock_result result;

  wide.result = f->results;
  assert_int_equal(run(f, GC_KERNEL_clock, 3, 0, &wide, sizeof(wide)), 0);
  assert_int_equal(f->ops->download(f->device, &result, f->results, sizeof(result), &f->err), 0);
  assert_true(result.nanoseconds >= 1000000 && result.nanoseconds < 1002000);
  /* 1.2 GHz, not the 1.5 GHz that the driver reports as the highest clock. */
  assert_in_range(result.cycles, result.nanoseconds * 1.199, result.nanoseconds * 1.201);
}

static void touch_brings_memory_into_l2(void **state)
{
  struct fixture *f = *state;
  const struct gpu_touch_args touch = {.base = f->ring, .bytes = KIB(32), .stride = 32,
                                       .sink = f->sink, .passes = 1, .only_sm = GPU_ANY_SM};
  const struct gpu_chase_job job = {f->ring, GPU_NEVER, 0, KIB(32) / 32};
  struct gpu_chase_result result;

  fill(f, KIB(32) / 32, 32, f->ring, 32, 8);
  assert_int_equal(chase(f, GC_KERNEL_chase_cg, &job, 1, (struct gpu_chase_args){0}, &result), 0);
  assert_int_equal(result.min, 500 + OVERHEAD);
  assert_int_equal(f->ops->clear(f->device, f->ring + KIB(64), KIB(64), &f->err), 0);
  assert_int_equal(run(f, GC_KERNEL_touch, 3, 0, &touch, sizeof(touch)), 0);
  assert_int_equal(chase(f, GC_KERNEL_chase_cg, &job, 1, (struct gpu_chase_args){0}, &result), 0);
  assert_int_equal(result.max, 200 + OVERHEAD);
}

static void out_of_bounds_ends_everything(void **state)
{
  struct fixture *f = *state;
  const struct gpu_chase_job job = {f->ring, GPU_NEVER, 0, 100};
  struct gpu_chase_result result;
  uint64_t out = f->ring + KIB(512), more;

  assert_int_equal(f->ops->upload(f->device, f->ring, &out, sizeof(out), &f->err), 0);
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1, (struct gpu_chase_args){0}, &result), -EIO);
  assert_non_null(strstr(f->err.text, "simulated illegal address"));
  assert_non_null(strstr(f->err.text, "chase_ca"));
  /* As on a real GPU, everything fails after that, with the same message. */
  memset(&f->err, 0, sizeof(f->err));
  assert_int_equal(f->ops->alloc(f->device, 8, &more, &f->err), -EIO);
  assert_non_null(strstr(f->err.text, "simulated illegal address"));
  assert_int_equal(f->ops->wait(f->device, &f->err), -EIO);
}

static void misaligned_is_illegal(void **state)
{
  struct fixture *f = *state;
  const struct gpu_chase_job job = {f->ring + 4, GPU_NEVER, 0, 1};
  struct gpu_chase_result result;

  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1, (struct gpu_chase_args){0}, &result), -EIO);
  assert_non_null(strstr(f->err.text, "misaligned"));
}

static void memory_has_an_end(void **state)
{
  struct fixture *f = *state;
  uint64_t before, after, total, address, too_much;

  assert_int_equal(f->ops->memory(f->device, &before, &total, &f->err), 0);
  assert_int_equal(total, KIB(8192));
  assert_int_equal(f->ops->alloc(f->device, before + 1, &too_much, &f->err), -ENOMEM);
  assert_int_equal(too_much, 0);
  assert_int_equal(f->ops->alloc(f->device, before, &address, &f->err), 0);
  assert_int_equal(address % 512, 0);
  assert_int_equal(f->ops->memory(f->device, &after, &total, &f->err), 0);
  assert_int_equal(after, 0);
  assert_int_equal(f->ops->counts(f->device)->device_bytes_peak, total);
  f->ops->release(f->device, address);
  assert_int_equal(f->ops->memory(f->device, &after, &total, &f->err), 0);
  assert_int_equal(after, before);
  assert_int_equal(f->ops->upload(f->device, address, &total, 8, &f->err), -EINVAL);
  assert_int_equal(f->ops->upload(f->device, f->ring + KIB(512) - 4, &total, 8, &f->err), -EINVAL);
}

static void carveout_and_occupancy_decide_l1(void **state)
{
  struct fixture *f = *state;
  const uint32_t slots = KIB(32) / 128;
  const struct gpu_chase_job job = {f->ring, f->ring + KIB(32), slots, slots};
  struct gc_launch launch = {.kernel = GC_KERNEL_chase_ca, .blocks = 1, .threads = 32,
                             .args_bytes = sizeof(struct gpu_chase_args)};
  const struct gc_model_facts *facts = ((const struct gc_sim_device *)f->device)->facts;
  struct gpu_chase_result result;

  assert_int_equal(gc_sim_occupancy(facts, &launch), 16);
  launch.threads = 1024;
  assert_int_equal(gc_sim_occupancy(facts, &launch), 1);
  launch.threads = 33; /* two warps */
  launch.shared_bytes = KIB(7);
  assert_int_equal(gc_sim_occupancy(facts, &launch), 4);
  /* 16 KiB of 32 leave 20 KiB: 32 do not fit. 4 KiB would leave 32, but 16 blocks need theirs. */
  fill(f, KIB(64) / 128, 128, f->ring, 128, 8);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 0, &f->err), 0);
  assert_int_equal(chase(f, GC_KERNEL_chase_ca, &job, 1, (struct gpu_chase_args){0}, &result), 0);
  assert_true(result.slow > 0);
  assert_int_equal(f->ops->carveout(f->device, GC_KERNEL_chase_ca, 101, &f->err), -EINVAL);
}

static void bad_launches_are_refused(void **state)
{
  struct fixture *f = *state;
  const struct gpu_fill_args args = {.count = 0};
  struct gc_launch launch = {.kernel = GC_KERNEL_fill, .blocks = 1, .threads = 32, .args = &args,
                             .args_bytes = sizeof(args)};

  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), 0);
  launch.args_bytes--;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  launch.args_bytes++;
  launch.threads = 0;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  launch.threads = 1025;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  launch.threads = 32;
  launch.shared_bytes = KIB(31) + 1;
  assert_int_equal(f->ops->launch(f->device, &launch, &f->err), -EINVAL);
  assert_int_equal(f->ops->counts(f->device)->launches, 1);
}

static void bad_profiles_are_sentences(void **state)
{
  struct fixture *f = *state;
  struct fixture other = {0};
  FILE *file = fopen(f->path, "w");

  assert_non_null(file);
  fputs("model = x\ncolour = red\n", file);
  fclose(file);
  assert_int_equal(open_profile(&other, f->path), -EINVAL);
  assert_non_null(strstr(other.err.text, ":2: "));
  assert_non_null(strstr(other.err.text, "colour"));
  assert_int_equal(open_profile(&other, "/nonexistent/profile"), -ENOENT);
  assert_non_null(strstr(other.err.text, "/nonexistent/profile"));
  assert_int_equal(open_profile(&other, "/tmp"), -EISDIR);
  assert_null(other.device);
}

/* Random fills of 4 KiB, and loads of a chain of them, compared with memory to which each fill is
 * written at once. There are more of them than the simulator notes. */
static void rings_overlap(void **state)
{
  struct fixture *f = *state;
  uint64_t seen[512], expected[512] = {0};
  struct gc_random random;

  gc_random_seed(&random, 5);
  assert_int_equal(f->ops->clear(f->device, f->ring, sizeof(seen), &f->err), 0);
  for (unsigned k = 0; k < 2000; k++) {
    const uint64_t words = 1 + gc_random_below(&random, 8), first = gc_random_below(&random, 256);
    const uint64_t count = 1 + gc_random_below(&random, (uint32_t)(255 / words));
    const uint64_t multiplier = 1 + gc_random_below(&random, 7);
    const struct gpu_fill_args args = {.base = f->ring + 8 * first, .count = count,
                                       .stride = 8 * words, .multiplier = multiplier,
                                       .first = 1000 * k, .step = 1, .slot_bytes = 8};

    assert_int_equal(run(f, GC_KERNEL_fill, 2, 0, &args, sizeof(args)), 0);
    for (uint64_t i = 0; i < count; i++)
      expected[first + i * multiplier % count * words] =
        args.first + (i + 1) * multiplier % count;
    if (gc_random_below(&random, 20))
      continue;
    assert_int_equal(f->ops->download(f->device, seen + first, f->ring + 8 * first, 8 * words,
                                      &f->err), 0);
    assert_memory_equal(seen + first, expected + first, 8 * words);
  }
  assert_int_equal(f->ops->download(f->device, seen, f->ring, sizeof(seen), &f->err), 0);
  assert_memory_equal(seen, expected, sizeof(seen));
}

/* A walk along two rings, one of which lies between the slots of the other and over some. */
static void walks_see_the_last_ring(void **state)
{
  struct fixture *f = *state;
  const struct gpu_chase_job job = {f->ring, f->ring + KIB(8), 70, 0};
  uint64_t memory[512], at = f->ring;
  struct gpu_chase_result result;

  fill(f, KIB(4) / 32, 32, f->ring, 32, 8);
  fill(f, KIB(2) / 64, 64, f->ring, 128, 8);
  assert_int_equal(chase(f, GC_KERNEL_chase_cg, &job, 1, (struct gpu_chase_args){0}, &result), 0);
  assert_int_equal(f->ops->download(f->device, memory, f->ring, sizeof(memory), &f->err), 0);
  for (unsigned i = 0; i < 70; i++)
    at = memory[(at - f->ring) / 8];
  assert_int_equal(result.last, at);
  assert_int_equal(memory[0], f->ring + 128);
  assert_int_equal(memory[4], f->ring + 64); /* of the first ring */
}

/* What fills leave in memory, one after the other: rings, which the simulator notes only, and
 * narrow slots, which it writes. */
static void rings_are_there_when_they_are_read(void **state)
{
  const struct gpu_fill_args fills[] = {
    {.count = 64, .stride = 64, .multiplier = 1, .first = 7, .step = 3, .slot_bytes = 8},
    {.count = 16, .stride = 192, .multiplier = 1, .first = 1000, .step = 8, .slot_bytes = 8},
    {.count = 16, .stride = 128, .multiplier = 5, .first = 5000, .step = 8, .slot_bytes = 8},
    {.count = 8, .stride = 32, .multiplier = 1, .first = 9000, .step = 8, .slot_bytes = 4},
    {.count = 32, .stride = 64, .multiplier = 1, .first = 0, .step = 64, .slot_bytes = 8},
    {.count = 32, .stride = 32, .multiplier = 1, .first = 0, .step = 32, .slot_bytes = 8},
  };
  struct fixture *f = *state;
  unsigned char seen[4096], expected[4096] = {0};

  assert_int_equal(f->ops->clear(f->device, f->ring, sizeof(seen), &f->err), 0);
  for (size_t k = 0; k < sizeof(fills) / sizeof(*fills); k++) {
    struct gpu_fill_args args = fills[k];

    args.base = f->ring;
    assert_int_equal(run(f, GC_KERNEL_fill, 3, 0, &args, sizeof(args)), 0);
    for (uint64_t i = 0; i < args.count; i++) {
      const uint64_t value = args.first + (i + 1) * args.multiplier % args.count * args.step;
      const uint32_t narrow = (uint32_t)value;

      memcpy(expected + i * args.multiplier % args.count * args.stride,
             args.slot_bytes == 8 ? (const void *)&value : &narrow, args.slot_bytes);
    }
    if (k == 2 || k == 5) {
      assert_int_equal(f->ops->download(f->device, seen, f->ring, sizeof(seen), &f->err), 0);
      assert_memory_equal(seen, expected, sizeof(seen));
    }
  }
}

/* As on a real H200, 32 resident blocks at carve-out 0 leave 217 KiB of L1. */
static void h200_profile_has_217_kib(void **state)
{
  const char *top = getenv("top_srcdir");
  struct fixture f = {0};
  char path[4096];
  struct gpu_chase_job jobs[2];
  struct gpu_chase_result results[2];

  (void)state;
  snprintf(path, sizeof(path), "%s/data/sim/h200", top ? top : ".");
  assert_int_equal(open_profile(&f, path), 0);
  f.ops = gc_ops(f.device);
  assert_int_equal(f.ops->alloc(f.device, KIB(512), &f.ring, &f.err), 0);
  assert_int_equal(f.ops->alloc(f.device, 4096, &f.jobs, &f.err), 0);
  assert_int_equal(f.ops->alloc(f.device, 4096, &f.results, &f.err), 0);
  fill(&f, KIB(256) / 128, 128, f.ring, 128, 8);
  assert_int_equal(f.ops->carveout(f.device, GC_KERNEL_chase_ca, 0, &f.err), 0);
  for (uint32_t i = 0; i < 2; i++)
    jobs[i] = (struct gpu_chase_job){f.ring, f.ring + KIB(217) + 128 * i, 4096, 4096};
  assert_int_equal(chase(&f, GC_KERNEL_chase_ca, jobs, 2,
                         (struct gpu_chase_args){.threshold = 150}, results), 0);
  /* Outliers are rare: 3 in 10,000 loads, and some of them that slow. */
  assert_true(results[0].slow < 10);
  assert_true(results[1].slow > 2 * results[0].slow);
  f.ops->close(f.device);
}

#define IN_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    IN_FIXTURE(properties_are_the_profiles),
    IN_FIXTURE(ring_that_fits_hits_and_one_line_more_misses),
    IN_FIXTURE(loads_side_by_side_bring_in_what_the_chain_meets),
    IN_FIXTURE(rounds_of_all_sms_are_in_step),
    IN_FIXTURE(rounds_of_a_block_follow_each_other),
    IN_FIXTURE(trace_tells_every_load),
    IN_FIXTURE(constant_path),
    IN_FIXTURE(concurrent_launches_use_tickets),
    IN_FIXTURE(waiting_ends_after_polls_max),
    IN_FIXTURE(texture_path),
    IN_FIXTURE(shared_path),
    IN_FIXTURE(latency_kernels_time_the_chain),
    IN_FIXTURE(clock_runs_at_its_frequency),
    IN_FIXTURE(touch_brings_memory_into_l2),
    IN_FIXTURE(out_of_bounds_ends_everything),
    IN_FIXTURE(misaligned_is_illegal),
    IN_FIXTURE(memory_has_an_end),
    IN_FIXTURE(carveout_and_occupancy_decide_l1),
    IN_FIXTURE(bad_launches_are_refused),
    IN_FIXTURE(bad_profiles_are_sentences),
    IN_FIXTURE(rings_are_there_when_they_are_read),
    IN_FIXTURE(rings_overlap),
    IN_FIXTURE(walks_see_the_last_ring),
    cmocka_unit_test(h200_profile_has_217_kib),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
