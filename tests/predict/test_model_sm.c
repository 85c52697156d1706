/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Warps, blocks, SMs and L2: barriers, residency, order of blocks, lines under way, partitions.
 */
#include "fake_trace.h"

#include "predict/model/check.h"
#include "predict/model/coalesce.h"
#include "predict/model/placement.h"
#include "predict/model/residency.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIST(array) (&(struct fake_list){array, sizeof array / sizeof *array})

static const struct gc_trace_launch one_block = {.threads_per_block = 64};
static const struct gc_model_options plain = {.seed = 1};

/* What l1tex__t_sectors of an H200 counted for the same addresses (ncu, one warp). */
static void sectors_as_counted_on_an_h200(void **state)
{
  static const struct {
    unsigned bytes, factor, modulo, divisor,
        second; /* factor * (i % modulo / divisor) + second * (i / modulo) */
    unsigned sectors, lines;
  } cases[] = {
      {16, 0, 32, 1, 0, 1, 1},    {16, 16, 32, 1, 0, 16, 4},   {16, 16, 8, 1, 0, 4, 1},
      {8, 0, 32, 1, 0, 1, 1},     {8, 8, 16, 1, 0, 4, 1},      {8, 8, 32, 1, 0, 8, 2},
      {16, 16, 32, 2, 0, 8, 2},   {16, 32, 32, 4, 0, 8, 2},    {4, 128, 32, 1, 0, 32, 32},
      {8, 128, 32, 1, 0, 32, 32}, {16, 128, 32, 1, 0, 32, 32}, {16, 512, 8, 1, 16, 16, 8},
      {8, 16, 16, 1, 8, 8, 2},    {4, 0, 32, 1, 0, 1, 1},      {16, 256, 4, 1, 0, 4, 4},
      {4, 32, 32, 1, 0, 32, 8},   {4, 1024, 32, 1, 0, 32, 32},
  };
  struct gc_coalescer coalescer;

  (void)state;
  gc_coalescer_init(&coalescer, 128, 32);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct gc_trace_instruction load = {.bytes = cases[k].bytes, .mask = FAKE_ALL};
    struct gc_request requests[GC_REQUESTS_MAX];
    unsigned count, sectors = 0;

    for (unsigned i = 0; i < 32; i++)
      load.addresses[i] = 4096 + cases[k].factor * (i % cases[k].modulo / cases[k].divisor) +
                          cases[k].second * (i / cases[k].modulo);
    count = gc_coalesce(&coalescer, &load, requests);
    for (unsigned i = 0; i < count; i++)
      sectors += (unsigned)__builtin_popcount(requests[i].sectors);
    if (sectors != cases[k].sectors || count != cases[k].lines)
      fail_msg("case %zu: %u sectors in %u lines", k, sectors, count);
  }
}

static void coalescing_of_odd_addresses(void **state)
{
  struct gc_trace_instruction load = {.bytes = 16, .mask = 5};
  struct gc_request requests[GC_REQUESTS_MAX];
  struct gc_coalescer coalescer;

  (void)state;
  gc_coalescer_init(&coalescer, 128, 32);
  load.addresses[0] = 120;            /* into the next line */
  load.addresses[1] = 4096;           /* does not take part */
  load.addresses[2] = UINT64_MAX - 3; /* beyond the last address */
  assert_int_equal(gc_coalesce(&coalescer, &load, requests), 3);
  assert_true(requests[0].line == 0 && requests[0].sectors == 8);
  assert_true(requests[1].line == 1 && requests[1].sectors == 1);
  assert_true(requests[2].line == UINT64_MAX / 128 && requests[2].sectors == 8);
  load.mask = UINT64_MAX;
  load.bytes = 1000;
  for (unsigned i = 0; i < 64; i++)
    load.addresses[i] = 128 * 2 * i + 120;
  assert_int_equal(gc_coalesce(&coalescer, &load, requests), GC_REQUESTS_MAX);
  load.mask = 0;
  assert_int_equal(gc_coalesce(&coalescer, &load, requests), 0);
}

/* Occupancy of an H100 (CUDA occupancy calculator, compute capability 9.0). */
static void residency_of_known_kernels(void **state)
{
  static const struct {
    unsigned threads, registers;
    uint64_t shared;
    unsigned blocks;
  } cases[] = {
      {256, 32, 0, 8},  {1024, 32, 0, 2}, {1024, 33, 0, 1}, /* not 65536 / (1024 * 33) rounded */
      {32, 16, 0, 32},  {256, 40, 0, 6},  {96, 40, 0, 16},  /* 51 warps fit; quarters: 48 */
      {96, 168, 0, 4},  {1000, 16, 0, 2}, {128, 16, 49152, 4}, {128, 16, 232448, 1},
      {128, 16, 1, 16}, {64, 255, 0, 4},  {0, 0, 0, 32},
  };
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.threads_per_sm = 2048;
  gpu.blocks_per_sm = 32;
  gpu.registers_per_sm = 65536;
  gpu.shared_per_sm = 233472;
  gpu.shared_reserved_per_block = 1024;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_trace_launch launch = {.threads_per_block = cases[i].threads,
                                     .registers_per_thread = cases[i].registers,
                                     .shared_bytes = cases[i].shared};

    if (gc_residency(&gpu, &launch) != cases[i].blocks)
      fail_msg("%u threads with %u registers and %lu bytes: %u blocks, not %u", cases[i].threads,
               cases[i].registers, cases[i].shared, gc_residency(&gpu, &launch), cases[i].blocks);
  }
  /* A block that is too large for the SM runs alone; an unknown GPU limits nothing. */
  assert_int_equal(gc_residency(&gpu, &(struct gc_trace_launch){.threads_per_block = 4096}), 1);
  gpu = fake_gpu();
  assert_in_range(gc_residency(&gpu, &one_block), 1000, 2000);
}

/* Warp 1 may only begin when warp 0 has come to the barrier: 1000 cycles after 1000. */
static void barrier_holds_a_block(void **state)
{
  static const struct fake_instruction with[] = {
      {.warp = 0, .operation = GC_TRACE_OTHER, .count = 1000},
      {.warp = 0, .operation = GC_TRACE_BARRIER},
      {.warp = 1, .operation = GC_TRACE_BARRIER},
      {.warp = 1, .operation = GC_TRACE_OTHER, .count = 1000},
      {.warp = 2, .operation = GC_TRACE_OTHER, .count = 1}, /* ends without coming to it */
      {.warp = 3, .operation = GC_TRACE_BARRIER},           /* ends at it */
  };
  static const struct fake_instruction without[] = {
      {.warp = 0, .operation = GC_TRACE_OTHER, .count = 1000},
      {.warp = 1, .operation = GC_TRACE_OTHER, .count = 1000},
  };
  /* A warp that ends last releases those that wait. */
  static const struct fake_instruction ends[] = {
      {.warp = 0, .operation = GC_TRACE_BARRIER},
      {.warp = 0, .operation = GC_TRACE_OTHER, .count = 10},
      {.warp = 1, .operation = GC_TRACE_OTHER, .count = 500},
  };
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  assert_in_range(fake_run(&gpu, &plain, &one_block, LIST(with)).cycles, 2000, 2010);
  assert_in_range(fake_run(&gpu, &plain, &one_block, LIST(without)).cycles, 1000, 1010);
  assert_in_range(fake_run(&gpu, &plain, &one_block, LIST(ends)).cycles, 510, 520);
}

/* Four schedulers: 8 warps with 1000 instructions each need 2000 cycles. */
static void issue_slots(void **state)
{
  struct fake_instruction others[8];
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  for (unsigned i = 0; i < 8; i++)
    others[i] = (struct fake_instruction){.warp = i, .operation = GC_TRACE_OTHER, .count = 1000};
  assert_in_range(fake_run(&gpu, &plain, &one_block, LIST(others)).cycles, 2000, 2010);
}

static uint64_t cycles_of(const struct gc_gpu_model *gpu, const struct gc_model_options *options,
                          const struct gc_trace_launch *launch, const struct fake_list *list)
{
  struct gc_kernel_run run = fake_run(gpu, options, launch, list);

  free(run.loads);
  return run.cycles;
}

/* Loads that a warp issues in a row wait together. A store in between ends the row. */
static void loads_at_once(void **state)
{
  static const struct fake_instruction loads[] = {{.base = 0, .mask = 1},
                                                  {.base = 128, .mask = 1},
                                                  {.base = 256, .mask = 1},
                                                  {.base = 384, .mask = 1}};
  static const struct fake_instruction with_store[] = {
      {.base = 0, .mask = 1},
      {.operation = GC_TRACE_STORE, .base = 4096, .mask = 1},
      {.base = 128, .mask = 1}};
  const struct gc_model_options waits = {.seed = 1, .each_load_waits = true};
  struct gc_trace_launch launch = {.threads_per_block = 32, .loads_at_once = 2};
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.memory_cycles = 500;
  assert_in_range(cycles_of(&gpu, &plain, &one_block, LIST(loads)), 2000, 2020);
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(loads)), 1000, 1020);
  assert_in_range(cycles_of(&gpu, &waits, &launch, LIST(loads)), 2000, 2020);
  launch.loads_at_once = 100;
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(loads)), 500, 520);
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(with_store)), 1000, 1020);
}

/* A warp goes on until an instruction needs data, whatever is in between. */
static void instructions_that_wait(void **state)
{
  static const struct fake_instruction apart[] = {
      {.base = 0, .mask = 1},
      {.operation = GC_TRACE_OTHER, .count = 1},
      {.operation = GC_TRACE_STORE, .base = 4096, .mask = 1},
      {.base = 128, .mask = 1},
      {.operation = GC_TRACE_BARRIER},
      {.base = 256, .mask = 1, .hint = GC_TRACE_NO_L1},
      {.operation = GC_TRACE_ATOMIC, .base = 8192, .mask = 1},
      {.operation = GC_TRACE_OTHER, .count = 1, .waits = true}};
  /* the third load needs what the first two bring */
  static const struct fake_instruction chain[] = {
      {.base = 0, .mask = 1}, {.base = 128, .mask = 1}, {.base = 256, .mask = 1, .waits = true}};
  /* what follows the barrier needs data */
  static const struct fake_instruction barrier[] = {
      {.base = 0, .mask = 1},
      {.operation = GC_TRACE_BARRIER},
      {.operation = GC_TRACE_OTHER, .count = 400, .waits = true}};
  /* the warp ends when its data are there */
  static const struct fake_instruction last[] = {{.base = 0, .mask = 1},
                                                 {.operation = GC_TRACE_OTHER, .count = 1}};
  const struct gc_model_options waits = {.seed = 1, .each_load_waits = true};
  const struct gc_trace_launch launch = {.threads_per_block = 32, .registers = true};
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.memory_cycles = 500;
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(apart)), 500, 520);
  assert_in_range(cycles_of(&gpu, &waits, &launch, LIST(apart)), 2000, 2020);
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(chain)), 1000, 1020);
  assert_in_range(cycles_of(&gpu, &waits, &launch, LIST(chain)), 1500, 1520);
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(barrier)), 900, 920);
  assert_in_range(cycles_of(&gpu, &plain, &launch, LIST(last)), 500, 520);
}

/* A warp that goes on goes before those that wait for their turn: while its instruction between two
 * loads is issued, only one other warp loads. So two of three warps find the line that they loaded
 * in an L1 of two lines. In turn, each warp would evict the line of another one. */
static void a_warp_that_goes_on_goes_first(void **state)
{
  static struct fake_instruction loads[9];
  const struct gc_trace_launch launch = {.threads_per_block = 96, .registers = true};
  const struct gc_model_options no_latency = {.seed = 1, .no_latency = true};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l1.ways = 2;
  for (unsigned i = 0; i < 9; i++)
    loads[i] = (struct fake_instruction){.warp = i / 3,
                                         .operation = i % 3 == 1 ? GC_TRACE_OTHER : GC_TRACE_LOAD,
                                         .base = 4096 * (uint64_t)(i / 3),
                                         .mask = 1};
  run = fake_run(&gpu, &no_latency, &launch, LIST(loads));
  assert_int_equal(run.counts.l1_loads.hits, 2);
  free(run.loads);
}

/* Two warps load the same line: the second one finds it under way. Other sectors of it are misses,
 * but take no second entry. */
static void hit_on_miss(void **state)
{
  static const struct fake_instruction loads[] = {
      {.warp = 0, .base = 0, .mask = 1},  {.warp = 1, .base = 4, .mask = 1},
      {.warp = 2, .base = 32, .mask = 1}, {.warp = 3, .base = 0, .mask = 1 | 1 << 8, .stride = 4},
      {.warp = 3, .base = 0, .mask = 1},
  };
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.memory_cycles = 500;
  gpu.l1_cycles = 30;
  gpu.outstanding_per_sm = 1;
  run = fake_run(&gpu, &plain, &one_block, LIST(loads));
  assert_int_equal(run.counts.l1_loads.accesses, 6);
  assert_int_equal(run.counts.l1_loads.misses, 2);
  assert_int_equal(run.counts.l1_loads.hits_on_miss, 3);
  assert_int_equal(run.counts.l1_loads.hits, 1);
  assert_in_range(run.cycles, 530, 540);
  free(run.loads);
}

/* L1 has one line. Line 1 is in L2, so it arrives before line 0, although that was requested first.
 * A later arrival of line 0 evicts line 1, unless lines take their places when they are requested:
 * then line 0 has lost its place before it arrives. */
static void lines_take_their_places(void **state)
{
  static const struct fake_instruction loads[] = {{.base = 128, .mask = 1},
                                                  {.base = 256, .mask = 1},
                                                  {.base = 0, .mask = 1},
                                                  {.base = 128, .mask = 1},
                                                  {.base = 128, .mask = 1, .pc = 1}};
  const struct gc_trace_launch two_at_once = {.threads_per_block = 32, .loads_at_once = 2};
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.l1.ways = 1;
  gpu.l2_near_cycles = 100;
  gpu.memory_cycles = 500;
  for (int early = 0; early < 2; early++) {
    struct gc_kernel_run run;

    gpu.l1.early = early;
    run = fake_run(&gpu, &plain, &two_at_once, LIST(loads));
    assert_int_equal(run.load_count, 2);
    assert_int_equal(run.loads[0].l1.misses, 4);
    assert_int_equal(run.loads[1].l1.hits, early);
    free(run.loads);
  }
}

/* Two GPCs of two pairs of SMs. */
static struct gc_gpu_model two_gpcs(void)
{
  struct gc_gpu_model gpu = fake_gpu();

  gpu.sms = 8;
  gpu.gpcs = 2;
  for (unsigned sm = 0; sm < 8; sm++)
    gpu.gpc_of_sm[sm] = sm / 2 % 2; /* 0,1,4,5 and 2,3,6,7 */
  return gpu;
}

/* Few blocks go to all GPCs, and there to one SM of each pair; many blocks fill one GPC after
 * another. */
static void blocks_are_spread_over_gpcs(void **state)
{
  static const struct {
    unsigned first;
    uint64_t blocks;
    uint16_t order[8];
  } cases[] = {{0, 1, {0, 1, 4, 5, 2, 3, 6, 7}}, {0, 2, {0, 2, 1, 4, 5, 3, 6, 7}},
               {0, 4, {0, 4, 2, 6, 1, 5, 3, 7}}, {0, 6, {0, 1, 4, 2, 3, 6, 5, 7}},
               {0, 8, {0, 1, 4, 5, 2, 3, 6, 7}}, {0, 0, {0, 1, 4, 5, 2, 3, 6, 7}},
               {1, 1, {2, 3, 6, 7, 0, 1, 4, 5}}, {1, 2, {2, 0, 3, 6, 7, 1, 4, 5}},
               {1, 0, {2, 3, 6, 7, 0, 1, 4, 5}}};
  struct gc_gpu_model gpu = two_gpcs();
  uint16_t order[GC_PREDICT_SMS_MAX];

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gc_place_blocks(&gpu, cases[i].first, cases[i].blocks, order);
    assert_memory_equal(order, cases[i].order, sizeof cases[i].order);
  }
  gpu.gpcs = 0;
  gc_place_blocks(&gpu, 0, 2, order);
  for (unsigned i = 0; i < 8; i++)
    assert_int_equal(order[i], i);
}

/* Two blocks of the same line, on SMs 0 and 2: near to one partition by their numbers, and to two
 * by their GPCs. */
static void sides_of_gpcs(void **state)
{
  static const struct fake_instruction loads[] = {
      {.block = 0, .base = 0, .mask = 1},
      {.block = 1, .operation = GC_TRACE_OTHER, .count = 5000},
      {.block = 1, .base = 0, .mask = 1}};
  const struct gc_trace_launch launch = {.threads_per_block = 32, .blocks = 2};
  struct gc_gpu_model gpu = two_gpcs();

  (void)state;
  gpu.partitions = 2;
  gpu.copies = true;
  gpu.memory_cycles = 500;
  for (int sides = 0; sides < 2; sides++) {
    struct gc_kernel_run run;
    uint64_t far = 0;

    gpu.has_sides = sides;
    for (unsigned side = 0; side < 2; side++) { /* one of them is the home of the line */
      gpu.near_of_gpc[0] = (uint8_t)side;
      gpu.near_of_gpc[1] = (uint8_t)!side;
      run = fake_run(&gpu, &plain, &launch, LIST(loads));
      far += run.counts.l2_loads_far;
      free(run.loads);
    }
    assert_int_equal(far, sides);
  }
}

/* Runs the next kernel of a model: one warp loads 32 lines. The hits in the far partition. */
static uint64_t run_next(struct gc_cache_model *model, uint64_t blocks)
{
  static const struct fake_instruction loads[] = {{.stride = 128}};
  const struct gc_trace_launch launch = {.threads_per_block = 32, .blocks = blocks};
  struct gc_trace trace = {.blocks = 1, .make = fake_from_list, .data = LIST(loads)};
  struct gc_kernel_run run;
  struct gc_error err;

  assert_int_equal(gc_cache_model_run(model, &trace, &launch, &run, &err), 0);
  free(run.loads);
  return run.counts.l2_loads_far;
}

/* A kernel begins where the one before began, unless that had more blocks than fit at once. */
static void first_gpc(void **state)
{
  struct gc_gpu_model gpu = two_gpcs();
  unsigned moved = 0;

  (void)state;
  gpu.partitions = 2;
  gpu.copies = gpu.has_sides = true;
  gpu.near_of_gpc[1] = 1;
  gpu.blocks_per_sm = 1;
  for (uint64_t seed = 0; seed < 32; seed++) {
    struct gc_cache_model *model =
        gc_cache_model_new(&gpu, &(struct gc_model_options){.seed = seed});

    assert_non_null(model);
    run_next(model, 8);
    assert_int_equal(run_next(model, 9), 0);
    moved += run_next(model, 1) > 0;
    gc_cache_model_free(model);
  }
  assert_in_range(moved, 4, 28);
}

/* Block 1 has no instructions. Block 2 is on SM 0 nevertheless, where block 0 has loaded its line.
 */
static void blocks_that_are_left_out(void **state)
{
  static const struct fake_instruction loads[] = {{.block = 0, .base = 0, .mask = 1},
                                                  {.block = 2, .base = 0, .mask = 1},
                                                  {.block = 3, .base = 4096, .mask = 1}};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.sms = 2;
  gpu.blocks_per_sm = 2;
  run = fake_run(&gpu, &plain, &one_block, LIST(loads));
  assert_int_equal(run.counts.l1_loads.misses, 2);
  free(run.loads);
}

/* With n entries, 64 loads of different lines by 64 warps take 64 / n latencies. */
static void entries_limit_lines(void **state)
{
  static struct fake_instruction loads[64], one[1];
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  for (unsigned i = 0; i < 64; i++)
    loads[i] = (struct fake_instruction){.warp = i, .base = 4096 * (uint64_t)i, .mask = 1};
  one[0] = (struct fake_instruction){.stride = 4096};
  gpu.memory_cycles = 500;
  for (unsigned n = 1; n <= 64; n *= 2) {
    struct gc_model_options unlimited = {.no_outstanding_limit = true};
    struct gc_kernel_run run;

    gpu.outstanding_per_sm = n;
    run = fake_run(&gpu, &plain, &one_block, LIST(loads));
    assert_in_range(run.cycles, 500 * 64 / n, 500 * 64 / n + 200);
    assert_int_equal(run.counts.l1_loads.misses, 64);
    free(run.loads);
    run = fake_run(&gpu, &unlimited, &one_block, LIST(loads));
    assert_in_range(run.cycles, 500, 700);
    free(run.loads);
    /* One load of 32 lines, limited by the entries of a warp. */
    gpu.outstanding_per_sm = 0;
    gpu.outstanding_per_warp = n;
    run = fake_run(&gpu, &plain, &one_block, LIST(one));
    assert_in_range(run.cycles, 500 * (n < 32 ? 32 / n : 1), 500 * (n < 32 ? 32 / n : 1) + 50);
    assert_int_equal(run.counts.l1_loads.accesses, 32);
    free(run.loads);
    gpu.outstanding_per_warp = 0;
  }
}

/* Blocks go to SMs in turn, then to the one whose block ends first: block 0 is long, so SM 1
 * executes all others. Each block loads the line of its parity: an L1 that sees both misses twice.
 */
static void blocks_go_to_the_first_free_sm(void **state)
{
  struct fake_instruction list[2 * 21];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 21; i++) {
    list[2 * i] = (struct fake_instruction){
        .block = i, .operation = GC_TRACE_OTHER, .count = i ? 200 : 100000};
    list[2 * i + 1] = (struct fake_instruction){.block = i, .mask = 1, .base = 4096 * (i % 2)};
  }
  gpu.sms = 2;
  gpu.blocks_per_sm = 1;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.blocks_per_sm, 1);
  assert_int_equal(run.counts.l1_loads.misses, 3); /* SM 0: line 0. SM 1: both */
  assert_in_range(run.cycles, 100000, 100200);
  free(run.loads);
  list[0].count = 200; /* equal blocks alternate: each SM has its line */
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l1_loads.misses, 2);
  free(run.loads);
  gpu.sms = 20; /* the first 20 blocks are on SMs of their own */
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_in_range(run.counts.l1_loads.misses, 20, 21);
  assert_int_equal(run.counts.l2_loads.misses, 2); /* L2 is common */
  free(run.loads);
}

/* Block 0 ends at once. Block 2 takes its place when the SM has advanced 1,024 cycles: meanwhile,
 * block 1 has loaded a line in each cycle, and L1 has the last 128 of them. */
static void ended_blocks_are_replaced_later(void **state)
{
  static struct fake_instruction list[2003];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  list[0] = (struct fake_instruction){.operation = GC_TRACE_OTHER};
  for (unsigned i = 0; i < 2000; i++)
    list[1 + i] = (struct fake_instruction){.block = 1, .base = 128 * (uint64_t)i, .mask = 1};
  list[2001] = (struct fake_instruction){.block = 2, .base = 0, .mask = 1, .pc = 1};
  list[2002] = (struct fake_instruction){.block = 2, .base = 128 * 1000, .mask = 1, .pc = 2};
  gpu.blocks_per_sm = 2;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.load_count, 3);
  assert_int_equal(run.loads[1].l1.misses, 1);
  assert_int_equal(run.loads[2].l1.hits, 1);
  free(run.loads);
}

/* A trace may lack the number of threads: its first block has 4 warps, so 2 blocks fit. */
static void first_block_shows_its_size(void **state)
{
  struct fake_instruction list[3 * 4];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 12; i++)
    list[i] = (struct fake_instruction){.block = i / 4, .warp = i % 4, .operation = GC_TRACE_OTHER};
  gpu.threads_per_sm = 256;
  run = fake_run(&gpu, &plain, &(struct gc_trace_launch){.blocks = 3}, LIST(list));
  assert_int_equal(run.blocks_per_sm, 2);
}

/* 8 SMs load an array that fits L2, each by itself and in turn. Without copies there is one copy in
 * all. With copies the near partition has one also, so that capacity for common data is halved. */
static void l2_partitions_and_copies(void **state)
{
  static struct fake_instruction list[2 * 8 * 768];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  for (unsigned lap = 0; lap < 2; lap++)
    for (unsigned block = 0; block < 8; block++)
      for (unsigned i = 0; i < 768; i++)
        list[(block * 2 + lap) * 768 + i] = (struct fake_instruction){
            .block = block, .base = 128 * (uint64_t)i, .mask = 1, .hint = GC_TRACE_NO_L1};
  gpu.sms = 8;
  gpu.l2.sets = 1;
  gpu.l2.ways = 512; /* of each of the two partitions */
  gpu.partitions = 2;
  gpu.l2_near_cycles = 200;
  gpu.l2_far_cycles = 400;
  gpu.memory_cycles = 800;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l1_bypassing, 2 * 8 * 768);
  assert_int_equal(run.counts.l1_loads.accesses, 0);
  assert_int_equal(run.counts.l2_loads.accesses, 2 * 8 * 768);
  assert_int_equal(run.counts.l2_loads.misses, 768); /* 384 lines in each of 512, about */
  gpu.copies = true;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_in_range(run.counts.l2_loads.misses, 2 * 768 * 9 / 10, 8 * 768); /* 768 lines in 512 */
  gpu.l2.ways = 1024;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l2_loads.misses, 768);
}

/* One thread loads lines one after another: the latency is that of the partition that has them. */
static void near_and_far_latency(void **state)
{
  static struct fake_instruction list[3 * 256];
  struct gc_gpu_model gpu = fake_gpu();
  uint64_t cycles[2];

  (void)state;
  for (unsigned i = 0; i < 3 * 256; i++)
    list[i] = (struct fake_instruction){
        .base = 128 * (uint64_t)(i % 256), .mask = 1, .hint = GC_TRACE_NO_L1};
  gpu.partitions = 2;
  gpu.l2_near_cycles = 200;
  gpu.l2_far_cycles = 400;
  gpu.memory_cycles = 800;
  for (unsigned i = 0; i < 2; i++) {
    gpu.copies = i;
    cycles[i] = fake_run(&gpu, &plain, &one_block, LIST(list)).cycles;
  }
  /* 256 from memory, then half near and half far; with copies: far once, then all near */
  assert_in_range(cycles[0], 256 * 800 + 512 * 300 - 20000, 256 * 800 + 512 * 300 + 20000);
  assert_in_range(cycles[1], 256 * 800 + 512 * 200, 256 * 800 + 512 * 200 + 1000);
}

/* A store of 4 bytes of a sector makes these valid, and no others. tests/predict/gpu/probes.cuh
 * shows the same on an H200 and an H100. */
static void stores_of_a_part_of_a_sector(void **state)
{
  enum { STORED = 0, OTHER = 4 };
  static const struct fake_instruction all[] = {
      {.operation = GC_TRACE_STORE, .base = STORED, .mask = 1},
      {.operation = GC_TRACE_BARRIER},
      {.base = STORED, .mask = 1, .pc = 8},     /* hits */
      {.base = OTHER, .mask = 1, .pc = 16},     /* misses, and brings in the sector */
      {.base = OTHER + 4, .mask = 1, .pc = 24}, /* hits */
      {.operation = GC_TRACE_STORE, .base = STORED, .mask = 1},
      {.base = OTHER, .mask = 1, .pc = 32}, /* the sector is still valid */
      {.operation = GC_TRACE_STORE, .base = 4096, .stride = 4, .mask = 0xff}, /* a whole sector */
      {.operation = GC_TRACE_STORE, .base = 4096 + 32, .mask = 1},            /* of another */
      {.base = 4096 + 12, .mask = 1, .pc = 40},                               /* hits */
      {.base = 4096 + 36, .mask = 1, .pc = 48},                               /* misses */
  };
  static const unsigned hits[] = {1, 0, 1, 1, 1, 0};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l1.store_miss = GC_ALLOCATE_SECTOR;
  run = fake_run(&gpu, &plain, &one_block, LIST(all));
  assert_int_equal(run.load_count, 6);
  for (size_t i = 0; i < run.load_count; i++)
    if (run.loads[i].l1.hits != hits[i])
      fail_msg("load %zu: %u hits", i, (unsigned)run.loads[i].l1.hits);
  free(run.loads);
}

/* A store makes the copies of other partitions invalid, and stays in L2; an atomic needs no L1. */
static void stores_and_atomics(void **state)
{
  static const struct fake_instruction list[] = {
      {.base = 0, .stride = 4},                                 /* 4 misses */
      {.base = 0, .stride = 4, .operation = GC_TRACE_STORE},    /* 4 hits in L2 */
      {.base = 4096, .stride = 4, .operation = GC_TRACE_STORE}, /* 4 misses in L2 */
      {.base = 4096, .stride = 4},                              /* misses L1, hits L2 */
      {.base = 0, .stride = 4, .pc = 8},                        /* hits L1 */
      {.base = 0, .operation = GC_TRACE_ATOMIC, .mask = 1},
  };
  static struct fake_instruction shared[4 * 64];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l1_stores, 8);
  assert_int_equal(run.counts.l1_loads.accesses, 12);
  assert_int_equal(run.counts.l1_loads.hits, 4);
  assert_int_equal(run.counts.l2_stores.accesses, 8);
  assert_int_equal(run.counts.l2_stores.hits, 4);
  assert_int_equal(run.counts.l2_loads.misses, 4);
  assert_int_equal(run.counts.atomics, 1);
  free(run.loads);
  /* Two partitions with copies, two SMs that load 64 lines; then SM 0 stores them, and SM 1 must
   * not hit in its copies: it gets them from their homes. */
  gpu = fake_gpu();
  gpu.sms = gpu.partitions = 2;
  gpu.copies = true;
  gpu.l2.store_miss = GC_ALLOCATE_NONE;
  gpu.blocks_per_sm = 1;
  for (unsigned i = 0; i < 4 * 64; i++)
    shared[i] =
        (struct fake_instruction){.block = i / 64,
                                  .base = 128 * (uint64_t)(i % 64),
                                  .mask = 1,
                                  .hint = GC_TRACE_NO_L1,
                                  .operation = i / 64 == 2 ? GC_TRACE_STORE : GC_TRACE_LOAD};
  run = fake_run(&gpu, &plain, &one_block, LIST(shared));
  assert_int_equal(run.counts.l2_stores.hits, 64);
  assert_int_equal(run.counts.l2_loads.misses, 64);
  assert_in_range(run.counts.l2_loads_far, 40, 88); /* about half of the lines, twice */
  free(run.loads);
}

/* An atomic operation leaves a line of L1 valid and makes it the newest one, but brings none in. */
static void atomics_use_lines_of_l1(void **state)
{
  static const struct fake_instruction list[] = {
      {.base = 0, .mask = 1},
      {.base = 4096, .mask = 1},
      {.base = 0, .mask = 1, .operation = GC_TRACE_ATOMIC},
      {.base = 8192, .mask = 1}, /* evicts 4096 */
      {.base = 0, .mask = 1, .pc = 1},
      {.base = 12288, .mask = 1, .operation = GC_TRACE_ATOMIC},
      {.base = 12288, .mask = 1, .pc = 2},
  };
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l1.ways = 2;
  gpu.l1.store_miss = GC_ALLOCATE_SECTOR;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.load_count, 3);
  assert_int_equal(run.loads[1].l1.hits, 1);
  assert_int_equal(run.loads[2].l1.misses, 1);
  free(run.loads);
}

/* Nothing comes in: no line, and no sector of a line that is there. */
static void stores_without_allocation(void **state)
{
  static const struct fake_instruction list[] = {
      {.base = 0, .mask = 1},
      {.base = 32, .stride = 4, .mask = 0xff, .operation = GC_TRACE_STORE}, /* the next sector */
      {.base = 4096, .stride = 4, .mask = 0xff, .operation = GC_TRACE_STORE},
      {.base = 32, .mask = 1},
      {.base = 4096, .mask = 1},
  };
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l1.store_miss = gpu.l2.store_miss = GC_ALLOCATE_NONE;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l1_loads.misses, 3);
  assert_int_equal(run.counts.l2_loads.misses, 3);
  free(run.loads);
}

/* L2 knows which bytes were stored: the first 4 of a sector. A load misses, also that of these
 * bytes, because L1 asks for the whole sector, and brings it in. If all of it was stored, a load
 * hits. */
static void l2_knows_stored_bytes(void **state)
{
  static const struct fake_instruction list[] = {
      {.base = 0, .mask = 1, .stride = 4, .operation = GC_TRACE_STORE},
      {.base = 0, .mask = 1, .stride = 4, .operation = GC_TRACE_STORE}, /* hits */
      {.base = 0, .mask = 1, .stride = 4, .hint = GC_TRACE_NO_L1},      /* misses */
      {.base = 4, .mask = 1, .stride = 4, .hint = GC_TRACE_NO_L1},      /* hits: all came in */
      {.base = 8, .mask = 1, .stride = 4, .hint = GC_TRACE_NO_L1},      /* hits: all came in */
      {.base = 256, .mask = 0xff, .stride = 4, .operation = GC_TRACE_STORE},
      {.base = 256, .mask = 0xff, .stride = 4, .hint = GC_TRACE_NO_L1}, /* all was stored: hits */
  };
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  for (unsigned larger = 0; larger < 2; larger++) { /* sectors of 64 bytes */
    gpu.l2.sector_bytes = larger ? 64 : 32;
    run = fake_run(&gpu, &plain, &one_block, LIST(list));
    assert_int_equal(run.counts.l2_stores.accesses, 3);
    assert_int_equal(run.counts.l2_stores.hits, 1);
    assert_int_equal(run.counts.l2_loads.accesses, 4);
    assert_int_equal(run.counts.l2_loads.hits, 3);
    assert_int_equal(run.counts.l2_loads.misses, 1);
    free(run.loads);
    run = fake_run(&gpu, &plain, &one_block, &(struct fake_list){list, 3});
    assert_int_equal(run.counts.l2_loads.misses, 1); /* the first load */
    free(run.loads);
  }
}

/* Two SMs load the same lines one after the other. The second one finds all of them; of those whose
 * home is its far partition, the near one has no copy yet. A third time, it has. */
static void far_hits(void **state)
{
  static struct fake_instruction list[3 * 65];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;
  uint64_t far;

  (void)state;
  for (unsigned i = 0; i < 3 * 65; i++)
    list[i] = (struct fake_instruction){
        .block = i >= 65, .base = 128 * (uint64_t)(i % 65), .mask = 1, .hint = GC_TRACE_NO_L1};
  for (unsigned lap = 0; lap < 3; lap++) /* the second block begins when the first one is done */
    list[65 * lap] = (struct fake_instruction){
        .block = lap > 0, .operation = GC_TRACE_OTHER, .count = lap == 1 ? 1000000 : 1};
  gpu.sms = gpu.partitions = 2;
  gpu.blocks_per_sm = 1;
  gpu.copies = true;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l2_loads.accesses, 3 * 64);
  assert_int_equal(run.counts.l2_loads.misses, 64);
  far = run.counts.l2_loads_far;
  assert_in_range(far, 16, 48); /* about half, and only once */
  free(run.loads);
  gpu.copies = false;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l2_loads_far, 0); /* one look-up, in the home */
  free(run.loads);
}

/* SM 0 stores lines; then one of the two SMs loads them. Where SM 0 has stored whole sectors, the
 * partition near to it has all of them, and the other one those whose home it is. */
static void stores_leave_copies(void **state)
{
  static struct fake_instruction list[2 * 64 + 1];
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.sms = gpu.partitions = 2;
  gpu.blocks_per_sm = 1;
  gpu.copies = true;
  for (unsigned other = 0; other < 2; other++)
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) { /* of the 8 of each thread */
      struct gc_kernel_run run;

      for (unsigned i = 0; i < 2 * 64; i++)
        list[i + (i >= 64)] =
            (struct fake_instruction){.block = i >= 64 && other,
                                      .base = 256 * (uint64_t)(i % 64),
                                      .stride = 8,
                                      .bytes = i < 64 ? bytes : 8,
                                      .hint = GC_TRACE_NO_L1,
                                      .operation = i < 64 ? GC_TRACE_STORE : GC_TRACE_LOAD};
      list[64] =
          (struct fake_instruction){.block = other, .operation = GC_TRACE_OTHER, .count = 1000000};
      run = fake_run(&gpu, &plain, &one_block, LIST(list));
      assert_int_equal(run.counts.l2_loads.accesses, 64 * 8);
      if (bytes == 4) {
        assert_int_equal(run.counts.l2_loads.misses, 64 * 8);
      } else {
        assert_int_equal(run.counts.l2_loads.misses, 0);
        assert_in_range(run.counts.l2_loads_far, other ? 16 * 8 : 0, other ? 48 * 8 : 0);
      }
      free(run.loads);
    }
}

/* An SM loads lines twice, changes them by atomic operations and loads them again: its near
 * partition lost the copies of those whose home is the other one. */
static void atomics_leave_no_copies(void **state)
{
  static struct fake_instruction list[4 * 64];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.sms = gpu.partitions = 2;
  gpu.copies = true;
  for (unsigned i = 0; i < 4 * 64; i++)
    list[i] = (struct fake_instruction){.base = 128 * (uint64_t)(i % 64),
                                        .mask = 1,
                                        .hint = GC_TRACE_NO_L1,
                                        .operation = i / 64 == 2 ? GC_TRACE_ATOMIC : GC_TRACE_LOAD};
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l2_loads.misses, 64);
  assert_in_range(run.counts.l2_loads_far, 16, 48);
  free(run.loads);
}

/* A kernel loads lines; another one of two blocks loads others; then the first lines are loaded
 * again. They are away if many blocks of the second kernel were left out, before, between or after
 * its blocks, which start together. They are there if few were left out, or if the missing numbers
 * are those of blocks without instructions. */
static void blocks_left_out_displace(void **state)
{
  static const struct {
    unsigned first, second;
    uint64_t blocks, launched;
    bool displaces;
  } cases[] = {{0, 1, 2, 0, false},
               {0, 1, 2, 4, false},
               {0, 1, 2, 100000, true},
               {0, 99999, 2, 100000, true},
               {99998, 99999, 2, 100000, true},
               {0, 99999, 100000, 100000, false}};
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.memory_cycles = 100;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const struct fake_instruction again[] = {{.base = 0, .stride = 128}};
    const struct fake_instruction other[] = {
        {.block = cases[c].first, .base = 1 << 20, .stride = 128},
        {.block = cases[c].second, .base = 1 << 21, .stride = 128}};
    struct gc_cache_model *predict = gc_cache_model_new(&gpu, &plain);

    assert_non_null(predict);
    for (unsigned kernel = 0; kernel < 3; kernel++) {
      struct fake_list list = {kernel == 1 ? other : again, kernel == 1 ? 2 : 1};
      struct gc_trace trace = {
          .blocks = cases[c].second + 1, .make = fake_from_list, .data = &list};
      struct gc_trace_launch launch = one_block;
      struct gc_kernel_run run;

      if (kernel == 1) {
        launch.blocks = cases[c].blocks;
        launch.launched_blocks = cases[c].launched;
      }
      assert_int_equal(gc_cache_model_run(predict, &trace, &launch, &run, NULL), 0);
      if (kernel == 2)
        assert_int_equal(run.counts.l2_loads.misses, cases[c].displaces ? 32 : 0);
      free(run.loads);
    }
    gc_cache_model_free(predict);
  }
}

/* L1 is empty when a kernel begins; L2 keeps its contents. */
static void kernels_keep_l2(void **state)
{
  static const struct fake_instruction list[] = {{.base = 0, .stride = 4}};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_cache_model *predict;

  (void)state;
  gpu.memory_cycles = 5000;
  predict = gc_cache_model_new(&gpu, &plain);
  assert_non_null(predict);
  for (unsigned kernel = 0; kernel < 3; kernel++) {
    struct gc_trace trace = {.blocks = 1, .make = fake_from_list, .data = LIST(list)};
    struct gc_kernel_run run;

    assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, NULL), 0);
    assert_int_equal(run.counts.l1_loads.misses, 4);
    assert_int_equal(run.counts.l2_loads.misses, kernel ? 0 : 4);
    assert_int_equal(run.counts.l2_loads.hits, kernel ? 4 : 0); /* not still under way */
    free(run.loads);
  }
  gc_cache_model_free(predict);
}

/* A TLB with 4 entries: 5 pages in turn always miss, 4 do not. */
static void tlb_adds_latency(void **state)
{
  static struct fake_instruction list[200];
  struct gc_gpu_model gpu = fake_gpu();
  uint64_t cycles[2];

  (void)state;
  gpu.tlb[0] = (struct gc_tlb_level){.entries = 4, .entry_bytes = 65536, .miss_cycles = 300};
  gpu.tlb[1] = (struct gc_tlb_level){.entries = 64, .entry_bytes = 65536, .miss_cycles = 700};
  gpu.l2_near_cycles = gpu.memory_cycles = 100;
  for (unsigned i = 0; i < 2; i++) {
    for (unsigned k = 0; k < 200; k++)
      list[k] = (struct fake_instruction){
          .base = 65536 * (uint64_t)(k % (4 + i)), .mask = 1, .hint = GC_TRACE_NO_L1};
    cycles[i] = fake_run(&gpu, &plain, &one_block, LIST(list)).cycles;
  }
  assert_in_range(cycles[0], 200 * 100 + 4 * 1000, 200 * 100 + 4 * 1000 + 300);
  assert_in_range(cycles[1], 200 * 400 + 5 * 700, 200 * 400 + 5 * 700 + 300);
}

/* Four SMs translate the same page. A TLB misses once, whatever the number of SMs that share it. */
static void groups_of_sms_share_a_tlb(void **state)
{
  static const struct {
    unsigned instances;
    uint16_t of_sm[4];
    uint64_t misses;
  } cases[] = {{0, {0}, 4}, {1, {0}, 1}, {2, {0, 1, 1, 0}, 2}, {3, {2, 0, 1, 2}, 3}};
  struct fake_instruction list[4];
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.sms = 4;
  gpu.tlb[0] = (struct gc_tlb_level){.entries = 1, .entry_bytes = 4096, .miss_cycles = 10};
  gpu.tlb[1] = (struct gc_tlb_level){.entries = 1, .entry_bytes = 65536, .miss_cycles = 100};
  for (unsigned i = 0; i < 4; i++)
    list[i] = (struct fake_instruction){.block = i, .base = 4096 * i, .mask = 1};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_kernel_run run;

    gpu.tlb[1].instances = cases[i].instances;
    memcpy(gpu.tlb[1].of_sm, cases[i].of_sm, sizeof cases[i].of_sm);
    run = fake_run(&gpu, &plain, &one_block, LIST(list));
    assert_int_equal(run.counts.tlbs[0].lookups, 4);
    assert_int_equal(run.counts.tlbs[0].misses, 4);
    assert_int_equal(run.counts.tlbs[1].lookups, 4);
    assert_int_equal(run.counts.tlbs[1].misses, cases[i].misses);
    free(run.loads);
  }
}

/* Of two pages in turn, an LRU TLB of one entry never has the next one. Three pages in the order 0
 * 1 0 2 0 1 0 2 in one of two entries: page 0 stays, because each look-up of it counts. */
static void a_tlb_replaces_the_least_recently_used(void **state)
{
  struct fake_instruction list[64];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.tlb[1] = (struct gc_tlb_level){.entries = 2, .entry_bytes = 65536, .miss_cycles = 100};
  for (unsigned i = 0; i < 64; i++)
    list[i] = (struct fake_instruction){.base = i % 2 ? 65536 * (1 + i / 2 % 2) : 128 * (uint64_t)i,
                                        .mask = 1,
                                        .hint = GC_TRACE_NO_L1};
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.tlbs[0].lookups, 0); /* the first level is not modelled */
  assert_int_equal(run.counts.tlbs[1].lookups, 64);
  assert_int_equal(run.counts.tlbs[1].misses, 1 + 32);
  free(run.loads);
}

/* What the trace has as an address of local memory says nothing about pages. */
static void local_memory_is_not_translated(void **state)
{
  struct fake_instruction list[8];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.tlb[0] = (struct gc_tlb_level){.entries = 4, .entry_bytes = 65536, .miss_cycles = 100};
  for (unsigned i = 0; i < 8; i++)
    list[i] = (struct fake_instruction){
        .warp = i, .base = GC_TRACE_LOCAL + ((uint64_t)i << 29), .mask = 1};
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l2_loads.accesses, 8);
  assert_int_equal(run.counts.tlbs[0].lookups, 0);
  free(run.loads);
}

/* Warp 0 loads a line, 40 pages and the line again; warp 1 loads lines of one page. L1 has 100
 * lines. Without translation both warps are equally fast, and 80 loads later the line is still
 * there. Where each page costs warp 0 as much as a load, warp 1 has evicted the line. */
static void translation_changes_hits(void **state)
{
  static struct fake_instruction list[42 + 100];
  struct gc_gpu_model gpu = fake_gpu();

  (void)state;
  gpu.l1.ways = 100;
  gpu.memory_cycles = 500;
  for (unsigned i = 0; i < 142; i++)
    list[i] = i < 42 ? (struct fake_instruction){.base = i % 41 * 65536, .mask = 1, .pc = i}
                     : (struct fake_instruction){
                           .warp = 1, .base = 128 * (uint64_t)(i - 41), .mask = 1, .pc = i};
  for (unsigned i = 0; i < 2; i++) {
    struct gc_kernel_run run;

    gpu.tlb[0] =
        (struct gc_tlb_level){.entries = i ? 4 : 0, .entry_bytes = 65536, .miss_cycles = 500};
    run = fake_run(&gpu, &plain, &one_block, LIST(list));
    assert_int_equal(run.counts.l1_loads.hits, i ? 0 : 1);
    free(run.loads);
  }
}

/* The mean of |N(0, 100^2)| is 79.8. */
static void latencies_have_a_spread(void **state)
{
  static struct fake_instruction list[4000];
  struct gc_gpu_model gpu = fake_gpu();
  double mean;

  (void)state;
  for (unsigned k = 0; k < 4000; k++)
    list[k] = (struct fake_instruction){.base = 128 * (uint64_t)k, .mask = 1};
  gpu.memory_cycles = 400;
  gpu.memory_spread = 100;
  struct gc_kernel_run run = fake_run(&gpu, &plain, &one_block, LIST(list));
  mean = (double)run.cycles / 4000 - 401;
  if (fabs(mean - 79.8) > 4)
    fail_msg("the spread adds %g cycles, not 79.8", mean);
  free(run.loads);
}

/* Without global loads in L1, no load uses it. */
static void hints(void **state)
{
  static const struct fake_instruction list[] = {
      {.mask = 1}, {.mask = 1, .hint = GC_TRACE_READ_ONLY}, {.mask = 1, .hint = GC_TRACE_NO_L1}};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run = fake_run(&gpu, &plain, &one_block, LIST(list));

  (void)state;
  assert_int_equal(run.counts.l1_loads.accesses, 2);
  assert_int_equal(run.counts.l1_bypassing, 1);
  free(run.loads);
  gpu.loads_in_l1 = false;
  run = fake_run(&gpu, &plain, &one_block, LIST(list));
  assert_int_equal(run.counts.l1_loads.accesses, 0);
  assert_int_equal(run.counts.l1_bypassing, 3);
  free(run.loads);
}

/* A kernel without blocks, blocks without instructions, a broken trace, absurd warps. */
static void strange_traces(void **state)
{
  static const struct fake_instruction last[] = {{.block = 5, .mask = 1}};
  static const struct fake_instruction warps[] = {{.warp = 1000000, .mask = 1}};
  static const struct fake_instruction mixed[] = {
      {.warp = 1, .mask = 1}, {.warp = 0, .mask = 1}, {.warp = 1, .mask = 1}};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_cache_model *predict = gc_cache_model_new(&gpu, &plain);
  struct gc_trace trace = {.blocks = 0, .make = fake_from_list, .data = LIST(last)};
  struct gc_error err = {""};
  struct gc_kernel_run run;

  (void)state;
  assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, &err), 0);
  assert_true(run.cycles == 0 && !run.loads);
  trace.blocks = 6;
  assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, &err), 0);
  assert_int_equal(run.counts.l1_loads.accesses, 1);
  free(run.loads);
  trace.next = 0;
  trace.fail_at = 3;
  assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, &err), -EBADMSG);
  assert_string_equal(err.text, "block 2 is broken");
  assert_null(run.loads);
  trace = (struct gc_trace){.blocks = 1, .make = fake_from_list, .data = LIST(warps)};
  assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, &err), -EBADMSG);
  assert_string_equal(err.text, "a block has a warp 1000000");
  trace = (struct gc_trace){.blocks = 1, .make = fake_from_list, .data = LIST(mixed)};
  assert_int_equal(gc_cache_model_run(predict, &trace, &one_block, &run, &err), 0);
  assert_int_equal(run.counts.l1_loads.accesses, 3);
  free(run.loads);
  gc_cache_model_free(predict);
  gc_cache_model_free(NULL);
}

static void impossible_gpus(void **state)
{
  struct gc_gpu_model good = fake_gpu(), gpu;
  struct gc_error err = {""};

  (void)state;
  assert_int_equal(gc_gpu_model_check(&good, &err), 0);
#define REFUSED(change)                                                                            \
  do {                                                                                             \
    gpu = good;                                                                                    \
    change;                                                                                        \
    assert_int_equal(gc_gpu_model_check(&gpu, &err), -EINVAL);                                     \
    assert_null(gc_cache_model_new(&gpu, &plain));                                                 \
  } while (0)
  REFUSED(gpu.l1.line_bytes = 96);
  REFUSED(gpu.l1.sector_bytes = 0);
  REFUSED(gpu.l2.sector_bytes = 256);
  REFUSED((gpu.l2.line_bytes = 4096, gpu.l2.sector_bytes = 32));
  REFUSED(gpu.l1.ways = 0);
  REFUSED((gpu.l1.ways = 1u << 31, gpu.l1.sets = 1u << 31));
  REFUSED(gpu.l1.mask_count = 3);
  REFUSED(gpu.l1.policy = GC_POLICY_SURVIVAL);
  REFUSED(gpu.l1.policy = 17);
  REFUSED(gpu.sms = 0);
  REFUSED(gpu.partitions = 0);
  REFUSED(gpu.warp_threads = 65);
  REFUSED(gpu.memory_cycles = -1);
  REFUSED(gpu.memory_spread = NAN);
  REFUSED(gpu.tlb[1].entries = 3);
  REFUSED((gpu.tlb[1].entries = 3, gpu.tlb[1].entry_bytes = 5000));
  REFUSED((gpu.tlb[0].entries = 3, gpu.tlb[0].entry_bytes = 4096, gpu.tlb[0].instances = 2));
  REFUSED((gpu.tlb[0].entries = 3, gpu.tlb[0].entry_bytes = 4096, gpu.tlb[0].instances = 1,
           gpu.tlb[0].of_sm[0] = 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sectors_as_counted_on_an_h200),
      cmocka_unit_test(coalescing_of_odd_addresses),
      cmocka_unit_test(residency_of_known_kernels),
      cmocka_unit_test(barrier_holds_a_block),
      cmocka_unit_test(issue_slots),
      cmocka_unit_test(hit_on_miss),
      cmocka_unit_test(lines_take_their_places),
      cmocka_unit_test(entries_limit_lines),
      cmocka_unit_test(blocks_go_to_the_first_free_sm),
      cmocka_unit_test(ended_blocks_are_replaced_later),
      cmocka_unit_test(first_block_shows_its_size),
      cmocka_unit_test(l2_partitions_and_copies),
      cmocka_unit_test(near_and_far_latency),
      cmocka_unit_test(stores_of_a_part_of_a_sector),
      cmocka_unit_test(stores_and_atomics),
      cmocka_unit_test(atomics_use_lines_of_l1),
      cmocka_unit_test(stores_without_allocation),
      cmocka_unit_test(l2_knows_stored_bytes),
      cmocka_unit_test(stores_leave_copies),
      cmocka_unit_test(atomics_leave_no_copies),
      cmocka_unit_test(blocks_left_out_displace),
      cmocka_unit_test(far_hits),
      cmocka_unit_test(kernels_keep_l2),
      cmocka_unit_test(tlb_adds_latency),
      cmocka_unit_test(groups_of_sms_share_a_tlb),
      cmocka_unit_test(a_tlb_replaces_the_least_recently_used),
      cmocka_unit_test(local_memory_is_not_translated),
      cmocka_unit_test(translation_changes_hits),
      cmocka_unit_test(latencies_have_a_spread),
      cmocka_unit_test(hints),
      cmocka_unit_test(blocks_are_spread_over_gpcs),
      cmocka_unit_test(sides_of_gpcs),
      cmocka_unit_test(first_gpc),
      cmocka_unit_test(blocks_that_are_left_out),
      cmocka_unit_test(loads_at_once),
      cmocka_unit_test(instructions_that_wait),
      cmocka_unit_test(a_warp_that_goes_on_goes_first),
      cmocka_unit_test(strange_traces),
      cmocka_unit_test(impossible_gpus),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
