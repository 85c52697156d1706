/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The worked examples of Nugteren et al. 2014: tables 1 to 5, figures 2, 3 and 7.
 */
#include "fake_trace.h"

#include "paper_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WATCHED (2 * 2 * 48)

struct watched {
  struct gc_paper_event events[WATCHED];
  size_t count;
};

static void watch(const struct gc_paper_event *event, void *data)
{
  struct watched *watched = data;

  if (watched->count < WATCHED)
    watched->events[watched->count] = *event;
  watched->count++;
}

/* Runs a list with one thread per warp in a cache with lines of 4 elements of 4 bytes. */
static struct gc_kernel_run run_watched(const struct gc_gpu_model *gpu,
                                        struct gc_paper_options options,
                                        const struct fake_list *list, struct watched *watched)
{
  struct gc_trace trace = {.blocks = 1, .make = fake_from_list, .data = (void *)list};
  struct gc_trace_launch launch = {.threads_per_block = 4};
  struct gc_kernel_run run;

  options.watch = watch;
  options.data = watched;
  watched->count = 0;
  assert_int_equal(gc_paper_run(gpu, &options, &trace, &launch, &run, NULL), 0);
  return run;
}

static struct gc_gpu_model gpu_of_tables(uint32_t lines)
{
  struct gc_gpu_model gpu = fake_gpu();

  gpu.warp_threads = 1;
  gpu.l1.line_bytes = gpu.l1.sector_bytes = 16;
  gpu.l1.ways = lines;
  return gpu;
}

static const char *statuses(const struct watched *watched, char text[WATCHED + 1])
{
  static const char letters[] = {[GC_PAPER_HIT] = 'h',
                                 [GC_PAPER_MISS] = 'm',
                                 [GC_PAPER_IN_FLIGHT] = 'f',
                                 [GC_PAPER_CANCEL] = 'c'};

  memset(text, 0, WATCHED + 1);
  for (size_t i = 0; i < watched->count && i < WATCHED; i++)
    text[i] = letters[watched->events[i].status];
  return text;
}

static void assert_effects(const struct watched *watched, const uint64_t *effects, size_t count)
{
  assert_int_equal(watched->count, count);
  for (size_t i = 0; i < count; i++)
    if (watched->events[i].effect_at != effects[i] || watched->events[i].time != i)
      fail_msg("access %zu at time %lu has its effect at %lu, not at %lu", i,
               watched->events[i].time, watched->events[i].effect_at, effects[i]);
}

/* x[0] x[5] x[3] x[9] x[3] x[3] x[5]: with 2 lines, 3 compulsory misses and 1 capacity miss. */
static void table_1(void **state)
{
  static const unsigned elements[] = {0, 5, 3, 9, 3, 3, 5};
  struct fake_instruction loads[7];
  struct fake_list list = {loads, 7};
  struct gc_gpu_model gpu = gpu_of_tables(2);
  struct gc_paper_options options = {.no_latency = true};
  struct watched watched;
  char text[WATCHED + 1];
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 7; i++)
    loads[i] = (struct fake_instruction){.base = 4 * elements[i], .mask = 1, .pc = i};
  run = run_watched(&gpu, options, &list, &watched);
  assert_string_equal(statuses(&watched, text), "mmhmhhm");
  assert_int_equal(run.counts.l1_loads.misses, 4);
  free(run.loads);
  gpu = gpu_of_tables(3);
  run = run_watched(&gpu, options, &list, &watched);
  assert_string_equal(statuses(&watched, text), "mmhmhhh");
  assert_int_equal(run.counts.l1_loads.misses, 3); /* all lines fit: the compulsory ones */
  free(run.loads);
}

/* Threads 0 to 3 load x[2 * tid], then x[2 * tid + 1]. */
static const struct fake_instruction pairs[] = {
    {.warp = 0, .base = 0, .mask = 1, .pc = 0},     {.warp = 0, .base = 4 * 1, .mask = 1, .pc = 1},
    {.warp = 1, .base = 4 * 2, .mask = 1, .pc = 0}, {.warp = 1, .base = 4 * 3, .mask = 1, .pc = 1},
    {.warp = 2, .base = 4 * 4, .mask = 1, .pc = 0}, {.warp = 2, .base = 4 * 5, .mask = 1, .pc = 1},
    {.warp = 3, .base = 4 * 6, .mask = 1, .pc = 0}, {.warp = 3, .base = 4 * 7, .mask = 1, .pc = 1},
};
static const struct fake_list pair_list = {pairs, 8};

static void table_2(void **state)
{
  struct gc_gpu_model gpu = gpu_of_tables(2);
  struct gc_paper_options options = {.no_latency = true};
  struct watched watched;
  char text[WATCHED + 1];
  struct gc_kernel_run run = run_watched(&gpu, options, &pair_list, &watched);

  (void)state;
  assert_string_equal(statuses(&watched, text), "mhmhhhhh");
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(watched.events[i].warp, i % 4);
    assert_int_equal(watched.events[i].line, i / 2 % 2);
  }
  free(run.loads);
  gpu = gpu_of_tables(1); /* those with distance 1 miss */
  run = run_watched(&gpu, options, &pair_list, &watched);
  assert_string_equal(statuses(&watched, text), "mhmhmhmh");
  free(run.loads);
}

/* A fixed latency of 2, for hits also. The paper writes m for f: its latency misses. */
static void table_3(void **state)
{
  static const uint64_t effects[] = {2, 3, 4, 5, 6, 7, 8, 9};
  struct gc_gpu_model gpu = gpu_of_tables(2);
  struct watched watched;
  char text[WATCHED + 1];
  struct gc_kernel_run run;

  (void)state;
  gpu.l1_cycles = gpu.memory_cycles = 2;
  for (unsigned waits = 0; waits < 2; waits++) {
    struct gc_paper_options options = {.unclipped = true, .round_robin = !waits};

    run = run_watched(&gpu, options, &pair_list, &watched);
    assert_string_equal(statuses(&watched, text), "mfmfhhhh");
    assert_effects(&watched, effects, 8);
    free(run.loads);
  }
}

static void table_4(void **state)
{
  static const uint64_t effects[] = {2, 3, 4, 5, 4, 5, 6, 7}, clipped[] = {2, 2, 4, 4, 4, 5, 6, 7};
  struct gc_gpu_model gpu = gpu_of_tables(2);
  struct watched watched;
  char text[WATCHED + 1];
  struct gc_kernel_run run;

  (void)state;
  gpu.memory_cycles = 2;
  run = run_watched(&gpu, (struct gc_paper_options){.unclipped = true}, &pair_list, &watched);
  assert_string_equal(statuses(&watched, text), "mfmfhhhh");
  assert_effects(&watched, effects, 8);
  free(run.loads);
  run = run_watched(&gpu, (struct gc_paper_options){.seed = 1}, &pair_list, &watched);
  assert_string_equal(statuses(&watched, text), "mfmfhhhh");
  assert_effects(&watched, clipped, 8);
  free(run.loads);
}

/* Threads 0 and 2 only, and one MSHR. The table is from before section 4.5: warps do not wait. */
static void table_5(void **state)
{
  static const struct fake_instruction loads[] = {
      {.warp = 0, .base = 0, .mask = 1, .pc = 0},
      {.warp = 0, .base = 4 * 1, .mask = 1, .pc = 1},
      {.warp = 2, .base = 4 * 4, .mask = 1, .pc = 0},
      {.warp = 2, .base = 4 * 5, .mask = 1, .pc = 1},
  };
  static const struct fake_list list = {loads, 4};
  static const uint64_t effects[] = {2, 0, 2, 5, 6};
  static const unsigned warps[] = {0, 2, 0, 2, 2};
  struct gc_gpu_model gpu = gpu_of_tables(2);
  struct gc_paper_options options = {.round_robin = true, .unclipped = true};
  struct watched watched;
  char text[WATCHED + 1];
  struct gc_kernel_run run;

  (void)state;
  gpu.memory_cycles = 2;
  gpu.outstanding_per_sm = 1;
  run = run_watched(&gpu, options, &list, &watched);
  assert_string_equal(statuses(&watched, text), "mchmf");
  assert_effects(&watched, effects, 5);
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(watched.events[i].warp, warps[i]);
  assert_int_equal(run.counts.l1_loads.accesses, 4); /* what is cancelled does not count */
  free(run.loads);
  gpu.outstanding_per_sm = 2; /* without the limit nothing is cancelled */
  run = run_watched(&gpu, options, &list, &watched);
  assert_string_equal(statuses(&watched, text), "mmhh");
  free(run.loads);
  /* Section 4.5: thread 2 waits for its load, and then hits. */
  gpu.outstanding_per_sm = 1;
  run = run_watched(&gpu, (struct gc_paper_options){.seed = 1}, &list, &watched);
  assert_string_equal(statuses(&watched, text), "mchmh");
  assert_int_equal(watched.events[4].time, 5);
  free(run.loads);
}

/* 2 cores, blocks of 512 threads, 1536 threads per core: core 0 runs blocks 0, 2 and 4 as one set,
 * then 6, 8 and 10. In a set, each warp executes its first instruction, then each its second. */
static void figure_2(void **state)
{
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_trace_launch launch = {.threads_per_block = 512};
  static struct watched watched;
  struct gc_paper_options options = {.no_latency = true, .watch = watch, .data = &watched};
  static struct fake_instruction loads[12 * 16 * 2];
  struct fake_list list = {loads, sizeof loads / sizeof *loads};
  struct gc_trace trace = {.blocks = 12, .make = fake_from_list, .data = &list};
  struct gc_kernel_run run;

  (void)state;
  watched.count = 0;
  gpu.sms = 2;
  gpu.threads_per_sm = 1536;
  for (unsigned i = 0; i < list.count; i++)
    loads[i] = (struct fake_instruction){
        .block = i / 32, .warp = i / 2 % 16, .pc = i % 2, .base = 128 * (uint64_t)i, .stride = 4};
  assert_int_equal(gc_paper_run(&gpu, &options, &trace, &launch, &run, NULL), 0);
  assert_int_equal(run.blocks_per_sm, 3);
  assert_int_equal(watched.count, WATCHED);
  for (size_t i = 0; i < watched.count; i++) {
    unsigned set = (unsigned)i / 96, instruction = (unsigned)i / 48 % 2, warp = i % 48;
    unsigned block = 6 * set + 2 * (warp / 16);

    assert_int_equal(watched.events[i].time, i);
    assert_int_equal(watched.events[i].block, block);
    assert_int_equal(watched.events[i].warp, warp % 16);
    assert_int_equal(watched.events[i].line, (block * 16 + warp % 16) * 2 + instruction);
  }
  free(run.loads);
}

/* The cache of a Fermi with 16 KiB, sections 3.2 and 5.1. */
static struct gc_gpu_model fermi(void)
{
  static const unsigned low[] = {7, 8, 9, 10, 11}, high[] = {13, 14, 15, 17, 19};
  struct gc_gpu_model gpu = fake_gpu();

  gpu.l1.sector_bytes = 128;
  gpu.l1.sets = 32;
  gpu.l1.ways = 4;
  gpu.l1.mask_count = 5;
  for (unsigned i = 0; i < 5; i++)
    gpu.l1.masks[i] = UINT64_C(1) << low[i] | UINT64_C(1) << high[i];
  gpu.l2.sector_bytes = 128;
  gpu.threads_per_sm = 1536;
  gpu.blocks_per_sm = 8;
  return gpu;
}

/* Each thread copies its row of 1024 elements of 4 bytes. */
static int make_columns(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data)
{
  const unsigned threads = *(const unsigned *)data;
  const uint64_t copy = UINT64_C(1) << 24;
  int status = 0;

  (void)block;
  for (unsigned i = 0; i < threads / 32 * 1024 * 2 && !status; i++) {
    const unsigned warp = i / 2048, column = i % 2048 / 2;

    status = fake_visit(
        &(struct fake_instruction){.warp = warp,
                                   .stride = 4096,
                                   .operation = i % 2 ? GC_TRACE_STORE : GC_TRACE_LOAD,
                                   .base = warp * 32 * 4096 + column * 4 + (i % 2 ? copy : 0)},
        visit, visit_data);
  }
  return status;
}

static double miss_rate_of(const struct gc_kernel_run *run, unsigned threads)
{
  const struct gc_cache_counts *loads = &run->counts.l1_loads;

  assert_int_equal(loads->accesses, threads * 1024);
  free(run->loads);
  return 100 * (double)loads->misses / (double)loads->accesses;
}

static double miss_rate_of_columns(const struct gc_gpu_model *gpu, unsigned threads,
                                   struct gc_model_options options)
{
  struct gc_trace trace = {.blocks = 1, .make = make_columns, .data = &threads};
  struct gc_trace_launch launch = {.threads_per_block = threads};
  const struct gc_kernel_run run = fake_run_trace(gpu, &options, &launch, &trace);

  return miss_rate_of(&run, threads);
}

static double miss_rate_of_paper(const struct gc_gpu_model *gpu, unsigned threads,
                                 struct gc_paper_options options)
{
  struct gc_trace trace = {.blocks = 1, .make = make_columns, .data = &threads};
  struct gc_trace_launch launch = {.threads_per_block = threads};
  struct gc_kernel_run run;

  assert_int_equal(gc_paper_run(gpu, &options, &trace, &launch, &run, NULL), 0);
  return miss_rate_of(&run, threads);
}

/* The measured column is that of the counters of a GTX 470, not of the paper's model. This gives
 * 3 to 18 %, with the latency of its released configuration (100 +- 5) and 64 entries.
 *
 * The full model has the latencies of a Fermi (Mei et al. 2014, data/sim/gtx470) and the same
 * spread of 5 %. Without a limit on lines under way it is near the measured values, except for
 * 1024 threads. The paper finds a limit of 64, with loads of one line each. As the model has it,
 * hardly any load of 512 threads and more hits then: all warps that wait get free entries one by
 * one.
 *
 * The paper also finds 6 outstanding loads for each warp, and supposes that this limits
 * instructions. A warp has one load at a time here, so that it is never reached. As a limit of
 * lines it would make all warps advance together: 100 % from 128 threads. */
static void figure_3(void **state)
{
  static const unsigned threads[] = {32, 64, 128, 256, 512, 1024};
  static const double measured[] = {3.13, 3.77, 32.71, 42.05, 67.20, 82.28};
  static const double error_most[] = {0.1, 1, 12, 12, 12, 20};
  const struct gc_paper_options round_robin = {.no_latency = true, .fully_associative = true};
  const struct gc_model_options full_round_robin = {.no_latency = true, .fully_associative = true};
  const struct gc_paper_options paper = {.seed = 1};
  const struct gc_model_options full = {.seed = 1};
  struct gc_gpu_model gpu = fermi(), papers = gpu;
  double limited[6];

  (void)state;
  papers.memory_cycles = 100;
  papers.memory_spread = 5;
  papers.outstanding_per_sm = 64;
  gpu.l2.sets = 512; /* 640 KiB */
  gpu.l2.ways = 10;
  gpu.l1_cycles = 94;
  gpu.l2_near_cycles = gpu.l2_far_cycles = 349;
  gpu.l2_spread = 349 * 0.05;
  gpu.memory_cycles = 617;
  gpu.memory_spread = 617 * 0.05;
  print_message("threads  measured  round robin  paper  64 entries  no limit (miss rate in %%)\n");
  for (size_t i = 0; i < 6; i++) {
    const double expected = threads[i] <= 128 ? 100.0 / 32 : 100;
    const double rate = miss_rate_of_paper(&papers, threads[i], round_robin);
    const double of_paper = miss_rate_of_paper(&papers, threads[i], paper);
    double unlimited;

    gpu.outstanding_per_sm = 64;
    limited[i] = miss_rate_of_columns(&gpu, threads[i], full);
    assert_true(miss_rate_of_columns(&gpu, threads[i], full_round_robin) == expected);
    gpu.outstanding_per_sm = 0;
    unlimited = miss_rate_of_columns(&gpu, threads[i], full);
    print_message("%7u %9.2f %12.2f %6.2f %11.2f %9.2f\n", threads[i], measured[i], rate, of_paper,
                  limited[i], unlimited);
    assert_true(rate == expected);
    assert_true(of_paper >= 3.125 && of_paper < 25);
    assert_true(fabs(unlimited - measured[i]) < error_most[i]);
  }
  /* With the limit, warps that run ahead still cost misses up to 128 threads, and save some of 256.
   */
  assert_true(limited[0] == 3.125);
  assert_true(limited[1] >= 3.125 && limited[1] < 5);
  assert_true(limited[2] > 20 && limited[2] < 60);
  assert_true(limited[3] > limited[2] && limited[3] < 80);
  assert_true(limited[4] > limited[3]);
}

/* Two identical loops of n coalesced loads of 128 bytes by one warp. */
struct strided {
  unsigned loads, log_stride;
};

static int make_strided(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data)
{
  const struct strided *strided = data;
  int status = 0;

  (void)block;
  for (unsigned i = 0; i < 2 * strided->loads && !status; i++)
    status = fake_visit(
        &(struct fake_instruction){.stride = 4,
                                   .pc = i >= strided->loads,
                                   .base = (uint64_t)(i % strided->loads) << strided->log_stride},
        visit, visit_data);
  return status;
}

/* The bits of the set number that differ among n = 2^m loads: the rank of the hash on the address
 * bits log_stride to log_stride + m - 1, by hand: a set bit i depends on two address bits, and no
 * address bit is used twice, so each set bit with any of them counts. */
static unsigned varied_set_bits(const struct gc_gpu_model *gpu, unsigned log_stride, unsigned m)
{
  uint64_t varied = ((UINT64_C(1) << m) - 1) << log_stride;
  unsigned bits = 0;

  for (unsigned i = 0; i < 5; i++)
    bits += (gpu->l1.masks[i] & varied) != 0;
  return bits;
}

static void figure_7(void **state)
{
  struct gc_gpu_model gpu = fermi();
  unsigned fit_at_all[24] = {0};

  (void)state;
  for (unsigned log_stride = 7; log_stride < 24; log_stride++) {
    for (unsigned m = 2; m <= 9; m++) {
      struct strided strided = {1u << m, log_stride};
      struct gc_trace trace = {.blocks = 1, .make = make_strided, .data = &strided};
      struct gc_trace_launch launch = {.threads_per_block = 32};
      struct gc_model_options options = {.no_latency = true};
      bool fits = strided.loads <= 4u << varied_set_bits(&gpu, log_stride, m);
      struct gc_kernel_run run = fake_run_trace(&gpu, &options, &launch, &trace);

      if (run.counts.l1_loads.misses * 2 != run.counts.l1_loads.accesses * (fits ? 1 : 2))
        fail_msg("stride 2^%u, %u loads: %lu of %lu accesses miss", log_stride, strided.loads,
                 run.counts.l1_loads.misses, run.counts.l1_loads.accesses);
      fit_at_all[log_stride] += fits;
      free(run.loads);
      /* The text gives this example: 4 of the bits 12 to 18 are used; 4 * 2^4 < 128. */
      if (log_stride == 12 && m == 7) {
        assert_int_equal(varied_set_bits(&gpu, 12, 7), 4);
        assert_false(fits);
      }
    }
  }
  /* The last row of the figure: set bits are the cells with 50 % less 1. 4 to 128 loads of 128
   * bytes are the whole cache; strides beyond bit 19 use a single set. */
  assert_int_equal(fit_at_all[7], 6);
  for (unsigned i = 20; i < 24; i++)
    assert_int_equal(fit_at_all[i], 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_1),  cmocka_unit_test(table_2),  cmocka_unit_test(table_3),
      cmocka_unit_test(table_4),  cmocka_unit_test(table_5),  cmocka_unit_test(figure_2),
      cmocka_unit_test(figure_3), cmocka_unit_test(figure_7),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
