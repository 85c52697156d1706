/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each kind of miss has a trace that provokes it. For all traces, no kind is negative, the sum is
 * that of the full run, and compulsory misses are the different sectors.
 */
#include "fake_trace.h"

#include "predict/model/attribute.h"
#include "predict/model/loads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIST(array) (&(struct fake_list){array, sizeof array / sizeof *array})

static uint64_t seed;
static uint32_t below(uint32_t n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % n);
}

struct attribution {           /* of a kernel */
  struct gc_attributed l1;     /* of loads */
  struct gc_attributed *loads; /* L1 misses of the full run's loads, in their order. Their sums may
                                  differ from l1: where one load has fewer misses without something
                                  and another has more, the kernel has the difference */
  size_t load_count;
};

static void attribute_kernel(const struct gc_kernel_run runs[GC_VARIANT_COUNT],
                             struct attribution *attribution)
{
  const struct gc_kernel_run *full = &runs[GC_VARIANT_FULL];
  const struct gc_cache_counts *counts[GC_VARIANT_COUNT];

  memset(attribution, 0, sizeof *attribution);
  if (full->load_count) {
    attribution->loads = malloc(full->load_count * sizeof *attribution->loads);
    assert_non_null(attribution->loads);
  }
  attribution->load_count = full->load_count;
  for (size_t i = 0; i < full->load_count; i++) {
    for (unsigned k = 0; k < GC_VARIANT_COUNT; k++)
      counts[k] = gc_loads_counts(&runs[k], full->loads[i].pc);
    attribution->loads[i] = gc_attribute(counts);
  }
  for (unsigned k = 0; k < GC_VARIANT_COUNT; k++)
    counts[k] = &runs[k].counts.l1_loads;
  attribution->l1 = gc_attribute(counts);
}

/* Runs all variants. *misses are those of the full run. */
static struct attribution attribute(const struct gc_gpu_model *gpu, struct gc_model_options options,
                                    const struct fake_list *list, struct gc_kernel_run *full)
{
  struct gc_trace_launch launch = {.threads_per_block = 64};
  struct gc_kernel_run runs[GC_VARIANT_COUNT];
  struct attribution attribution;
  uint64_t sum = 0;

  for (unsigned i = 0; i < GC_VARIANT_COUNT; i++) {
    gc_variant_options(i, &options);
    runs[i] = fake_run(gpu, &options, &launch, list);
  }
  attribute_kernel(runs, &attribution);
  *full = runs[GC_VARIANT_FULL];
  for (unsigned i = 0; i < GC_MISS_COUNT; i++) {
    assert_true(attribution.l1.misses[i] <= full->counts.l1_loads.misses);
    sum += attribution.l1.misses[i];
  }
  assert_int_equal(sum, full->counts.l1_loads.misses);
  assert_int_equal(attribution.load_count, full->load_count);
  for (size_t k = 0; k < attribution.load_count; k++) {
    sum = 0;
    for (unsigned i = 0; i < GC_MISS_COUNT; i++)
      sum += attribution.loads[k].misses[i];
    assert_int_equal(sum, full->loads[k].l1.misses);
  }
  for (unsigned i = 1; i < GC_VARIANT_COUNT; i++)
    free(runs[i].loads);
  return attribution;
}

static void release(struct attribution *attribution, struct gc_kernel_run *run)
{
  free(attribution->loads);
  free(run->loads);
}

/* All misses beyond the compulsory ones are of this kind. */
static void assert_only(const struct gc_attributed *of, enum gc_miss kind, uint64_t least)
{
  for (unsigned i = GC_MISS_CAPACITY; i < GC_MISS_COUNT; i++) {
    if (i == kind)
      assert_in_range(of->misses[i], least, UINT64_MAX);
    else if (of->misses[i] != 0)
      fail_msg("%lu misses of kind %u, not of %u only", of->misses[i], i, kind);
  }
}

static void compulsory_and_capacity(void **state)
{
  static struct fake_instruction laps[2 * 512];
  struct gc_gpu_model gpu = fake_gpu();
  struct attribution attribution;
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 1024; i++)
    laps[i] =
        (struct fake_instruction){.base = 128 * (uint64_t)(i % 512), .stride = 4, .pc = i / 512};
  gpu.memory_cycles = gpu.l2_near_cycles = 300;
  gpu.outstanding_per_sm = 64;
  gpu.l1.sets = 4;
  gpu.l1.ways = 32; /* a quarter of the array */
  attribution = attribute(&gpu, (struct gc_model_options){.seed = 1}, LIST(laps), &run);
  assert_int_equal(attribution.l1.misses[GC_MISS_COMPULSORY], 2048);
  assert_only(&attribution.l1, GC_MISS_CAPACITY, 2048);
  assert_int_equal(attribution.loads[0].misses[GC_MISS_COMPULSORY], 2048);
  assert_int_equal(attribution.loads[1].misses[GC_MISS_CAPACITY], 2048);
  release(&attribution, &run);
  gpu.l1.ways = 128; /* it fits */
  attribution = attribute(&gpu, (struct gc_model_options){.seed = 1}, LIST(laps), &run);
  assert_int_equal(run.counts.l1_loads.misses, 2048);
  assert_only(&attribution.l1, GC_MISS_CAPACITY, 0);
  release(&attribution, &run);
}

/* More lines than are noted, each loaded once by one of many instructions: the estimates of all
 * instructions together are nearer to the truth than those of each. */
static void estimated_compulsory(void **state)
{
  static struct fake_instruction loads[20000];
  struct gc_gpu_model gpu = fake_gpu();
  struct attribution attribution;
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 20000; i++)
    loads[i] = (struct fake_instruction){.base = 128 * (uint64_t)i, .stride = 4, .pc = i / 100};
  attribution = attribute(&gpu, (struct gc_model_options){.seed = 1}, LIST(loads), &run);
  assert_int_equal(run.counts.l1_loads.misses, 80000);
  assert_in_range(attribution.l1.misses[GC_MISS_COMPULSORY], 79000, 80000);
  release(&attribution, &run);
}

/* 8 lines of one set with 4 ways. */
static void associativity(void **state)
{
  static struct fake_instruction laps[2 * 8];
  struct gc_gpu_model gpu = fake_gpu();
  struct attribution attribution;
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 16; i++)
    laps[i] = (struct fake_instruction){.base = 128 * 32 * (uint64_t)(i % 8), .mask = 1};
  gpu.memory_cycles = 300;
  gpu.l1.sets = 32;
  gpu.l1.ways = 4;
  attribution = attribute(&gpu, (struct gc_model_options){.seed = 1}, LIST(laps), &run);
  assert_int_equal(attribution.l1.misses[GC_MISS_COMPULSORY], 8);
  assert_only(&attribution.l1, GC_MISS_ASSOCIATIVITY, 8);
  release(&attribution, &run);
}

/* Both warps load the lines of one stream, in step if loads take no time. Before, warp 0 hits in
 * its line, and warp 1 waits for a new line each time: it comes too late for the stream. */
static void latency(void **state)
{
  static struct fake_instruction loads[2 * 200];
  struct gc_gpu_model gpu = fake_gpu();
  struct attribution attribution;
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 400; i++) {
    unsigned warp = i / 200, k = i % 200;
    uint64_t line = k >= 100 ? 1000 + k : warp ? 5000 + k : 100;

    loads[i] = (struct fake_instruction){.warp = warp, .base = 128 * line, .mask = 1};
  }
  gpu.l1.ways = 16;
  gpu.l1_cycles = 10;
  gpu.memory_cycles = gpu.l2_near_cycles = gpu.l2_far_cycles = 300;
  attribution = attribute(&gpu, (struct gc_model_options){.seed = 1}, LIST(loads), &run);
  assert_int_equal(attribution.l1.misses[GC_MISS_COMPULSORY], 201);
  assert_only(&attribution.l1, GC_MISS_LATENCY, 90);
  release(&attribution, &run);
}

/* As before; what makes warp 0 late is its first load, of 32 lines, and only if few lines may be
 * under way. */
static void entries(void **state)
{
  static struct fake_instruction loads[2 * 101];
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_model_options options = {.seed = 1};
  struct attribution attribution;
  struct gc_kernel_run run;

  (void)state;
  for (unsigned i = 0; i < 202; i++) {
    unsigned warp = i / 101, k = i % 101;

    loads[i] =
        (struct fake_instruction){.warp = warp, .base = 128 * (uint64_t)(1000 + k), .mask = 1};
    if (k == 0)
      loads[i] = (struct fake_instruction){
          .warp = warp, .base = 128 * 5000, .mask = warp ? 1 : 0, .stride = 128};
  }
  gpu.l1.ways = 8;
  gpu.memory_cycles = gpu.l2_near_cycles = gpu.l2_far_cycles = 300;
  gpu.outstanding_per_warp = 1;
  attribution = attribute(&gpu, options, LIST(loads), &run);
  assert_int_equal(attribution.l1.misses[GC_MISS_COMPULSORY], 132);
  assert_in_range(attribution.l1.misses[GC_MISS_MSHR], 20, 100);
  release(&attribution, &run);
  gpu.outstanding_per_warp = 0;
  attribution = attribute(&gpu, options, LIST(loads), &run);
  assert_int_equal(attribution.l1.misses[GC_MISS_MSHR], 0);
  release(&attribution, &run);
}

/* Where one miss vanishes in several variants, the naive sum of the differences is too large. */
static void overlapping_reasons(void **state)
{
  static const struct {
    uint64_t misses[GC_VARIANT_COUNT], compulsory, expected[GC_MISS_COUNT];
  } cases[] = {
      {{100, 100, 100, 100}, 40, {40, 60, 0, 0, 0}},
      {{100, 70, 90, 95}, 40, {40, 20, 30, 5, 5}},
      {{100, 40, 60, 90}, 40, {40, 0, 60, 0, 0}}, /* 60 + 30 + 10: MSHR, then latency shrink */
      {{100, 60, 70, 95}, 40, {40, 0, 40, 20, 0}},
      {{100, 150, 130, 99}, 40, {40, 59, 0, 0, 1}}, /* more misses without it: not a reason */
      {{100, 100, 60, 60}, 40, {40, 20, 0, 0, 40}}, /* once, although it vanishes in both runs */
      {{100, 0, 0, 0}, 100, {100, 0, 0, 0, 0}},
      {{0, 5, 0, 0}, 0, {0, 0, 0, 0, 0}},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_cache_counts counts[GC_VARIANT_COUNT];
    const struct gc_cache_counts *pointers[GC_VARIANT_COUNT];
    struct gc_attributed to;

    for (unsigned k = 0; k < GC_VARIANT_COUNT; k++) {
      counts[k] = (struct gc_cache_counts){.misses = cases[i].misses[k],
                                           .compulsory = k ? 0 : cases[i].compulsory};
      pointers[k] = &counts[k];
    }
    to = gc_attribute(pointers);
    assert_memory_equal(to.misses, cases[i].expected, sizeof to.misses);
  }
}

/* The different sectors that the loads of a list access, per group of blocks. */
static uint64_t different_sectors(const struct fake_instruction *list, size_t count, unsigned sms)
{
  enum { SECTORS = 1 << 16 };
  uint8_t *seen = calloc(SECTORS, sms);
  uint64_t different = 0;

  assert_non_null(seen);
  for (size_t i = 0; i < count; i++) {
    if (list[i].operation != GC_TRACE_LOAD)
      continue;
    for (unsigned lane = 0; lane < 32; lane++) {
      uint64_t sector = (list[i].base + lane * list[i].stride) / 32;

      assert_true(sector < SECTORS);
      if (list[i].mask && !(list[i].mask >> lane & 1))
        continue;
      different += !seen[list[i].block % sms * SECTORS + sector];
      seen[list[i].block % sms * SECTORS + sector] = 1;
    }
  }
  free(seen);
  return different;
}

static void random_traces(void **state)
{
  static struct fake_instruction list[8 * 4 * 40];
  static const enum gc_policy policies[] = {GC_POLICY_LRU, GC_POLICY_FIFO, GC_POLICY_RANDOM};

  (void)state;
  for (unsigned round = 0; round < 60; round++) {
    struct gc_gpu_model gpu = fake_gpu();
    struct gc_model_options options = {.seed = round};
    struct attribution attribution;
    struct gc_kernel_run run;

    seed = round * UINT64_C(7919) + 1;
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
      list[i] = (struct fake_instruction){.block = i / 160,
                                          .warp = i / 40 % 4,
                                          .pc = i % 40,
                                          .stride = 4u << below(8),
                                          .base = 512 * (uint64_t)below(200),
                                          .mask = below(3) ? 0 : 1 + below(1000)};
    gpu.sms = 1 + below(8);
    gpu.blocks_per_sm = 8; /* all blocks start at once, block i on SM i % sms */
    gpu.l1.sets = 1u << below(4);
    gpu.l1.ways = 4u << below(4);
    gpu.l1.policy = policies[below(3)];
    gpu.l2.ways = 1 + below(16);
    gpu.l2.sets = 16;
    gpu.l1_cycles = below(40);
    gpu.l2_near_cycles = gpu.l2_far_cycles = 100 + below(200);
    gpu.l2_spread = gpu.memory_spread = below(100);
    gpu.memory_cycles = 300 + below(500);
    gpu.outstanding_per_sm = 1 + below(64);
    gpu.outstanding_per_warp = below(2) ? 0 : 1 + below(16);
    attribution = attribute(&gpu, options, LIST(list), &run);
    assert_int_equal(run.blocks_per_sm, 8);
    assert_int_equal(run.counts.l1_loads.accesses, run.counts.l1_loads.hits +
                                                       run.counts.l1_loads.hits_on_miss +
                                                       run.counts.l1_loads.misses);
    assert_int_equal(attribution.l1.misses[GC_MISS_COMPULSORY],
                     different_sectors(list, sizeof list / sizeof *list, gpu.sms));
    assert_int_equal(run.counts.l2_loads.accesses, run.counts.l1_loads.misses);
    release(&attribution, &run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compulsory_and_capacity),
    cmocka_unit_test(estimated_compulsory),
      cmocka_unit_test(associativity),
      cmocka_unit_test(latency),
      cmocka_unit_test(entries),
      cmocka_unit_test(overlapping_reasons),
      cmocka_unit_test(random_traces),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
