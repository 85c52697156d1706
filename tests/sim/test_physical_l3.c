/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The L3 of simulated GPUs that have TLBs of a short reach, or whose pages lie anywhere in memory.
 * Loads of an L3 are so far apart that each may miss in a TLB. Where pages are scattered, how much
 * an L3 holds differs from one allocation to the next.
 */
#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/check/next_level.h"
#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"
#include "open.h"

#define L3_BYTES (16 << 20)
#define ALLOCATIONS 40
#define SHARE 0.01
#define UNSURE 0.8 /* allocations that differ give less confidence */

struct l3_case {
  const char *chip, *l3, *tlb; /* lines of the chip and of [cache L3]; sections of TLBs */
};

/* The L3 has 16 ways: every MiB meets the same sets. */
static void open_l3(struct opened *gpu, const struct l3_case *c, unsigned l2_line)
{
  open_profile(gpu,
               "model = L3\ngfx = gfx1100\nsms = 4\nwarp = 32\nclock_khz = 1000000\n"
               "threads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 64 KiB\n"
               "shared_per_block = 64 KiB\nclock_overhead = 4\noutliers = 0.0003 40 900\n%s\n"
               "[cache L1]\nsize = 16 KiB\nline = 128\nways = 16\nreplacement = lru\n"
               "[cache ScalarL1]\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 256 KiB\nline = %u\nways = 16\n"
               "replacement = lru\n"
               "[cache L3]\nscope = chip\nsize = 16 MiB\nline = 128\nways = 16\n%s\n%s\n"
               "[space ca]\npath = L1 100, L2 200 4, L3 400 8, memory 700 20\n"
               "[space cg]\npath = L2 200 4, L3 400 8, memory 700 20\n"
               "[space scalar]\npath = ScalarL1 40, L2 190, L3 390, memory 690\n"
               "[space shared]\npath = memory 50\n"
               "[sysfs L2Cache]\nNominalBytes = 262144\nInstances = 1\n"
               "[sysfs L3Cache]\nNominalBytes = 16777216\nInstances = 1\n",
               c->chip, l2_line, *c->l3 ? c->l3 : "replacement = lru", c->tlb);
  open_warm_bench(gpu);
}

static void find_capacity(struct opened *gpu, const struct l3_case *c)
{
  open_l3(gpu, c, 128);
  run_step(gpu, gc_step_l3_capacity, GC_L3);
}

/* Whether the capacity is not what an allocation can count on. An absent one is never wrong. */
static bool is_wrong(const struct opened *gpu)
{
  const double found = (double)gc_capacity(&gpu->results->element[GC_L3]);
  uint64_t fits[ALLOCATIONS];

  assert_int_equal(gc_model_true_fits(gpu->model, GC_SPACE_CG, 1, 1, fits, ALLOCATIONS), 0);
  return found > 0 && (found < (1 - SHARE) * (double)fits[0] ||
                       found > (1 + SHARE) * (double)fits[ALLOCATIONS / 10]);
}

#define MEMORY "memory = 2 GiB\n"
#define TLB(lines) "[tlb A]\n" lines

static void a_tlb_changes_nothing(void **state)
{
  static const char *const tlbs[] = {
      "",
      TLB("penalty = 150\nentries = 32\ncovers = 64 KiB"),
      TLB("penalty = 150\nentries = 1\ncovers = 2 MiB"),
      TLB("penalty = 300\nentries = 6\ncovers = 2 MiB"),
      TLB("penalty = 500\nentries = 64\ncovers = 4 KiB\nscope = group 2"),
      TLB("penalty = 90\nentries = 16\ncovers = 64 KiB\n"
          "[tlb B]\npenalty = 250\nentries = 128\nways = 8\ncovers = 64 KiB\nscope = chip")};

  (void)state;
  for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs); i++) {
    const struct gc_element *element;
    struct opened gpu;

    find_capacity(&gpu, &(struct l3_case){MEMORY, "", tlbs[i]});
    run_step(&gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
    run_step(&gpu, gc_step_l3_census, GC_L3);
    run_step(&gpu, gc_step_l3_latency, GC_L3);
    run_step(&gpu, gc_step_l3_penalty, GC_L3);
    element = run_step(&gpu, gc_step_l3_allocations, GC_L3);
    if (number(element, "CapacityBytes") != L3_BYTES ||
        !(fabs(number(element, "CensusBytes") - L3_BYTES) < 0.03 * L3_BYTES) ||
        !(fabs(number(element, "LatencyCycles") - 400) <= 2) ||
        !(fabs(number(element, "MissPenaltyCycles") - 300) <= 14))
      fail_msg("%s: %s %s, %s %s, %s, %s", tlbs[i], text(element, "CapacitySource"),
               text(element, "CapacityBytes"), text(element, "CensusSource"),
               text(element, "CensusBytes"), text(element, "LatencyCycles"),
               text(element, "MissPenaltyCycles"));
    close_gpu(&gpu);
  }
}

/* Allocations hold different shares. Where the least of those that were asked is reported, it is
 * reported with less confidence. */
static void scattered_pages_yield_nothing_sure(void **state)
{
  static const char *const pages[] = {"4 KiB scattered", "64 KiB scattered", "64 KiB mixed",
                                      "512 KiB scattered"};
  unsigned wrong_before = 0, found = 0, wrong = 0;

  (void)state;
  for (unsigned seed = 1; seed <= 3; seed++)
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
      struct opened gpu;
      char chip[120];

      snprintf(chip, sizeof(chip), MEMORY "whole_sectors = yes\npages = %s\npage_seed = %u",
               pages[i], seed);
      find_capacity(&gpu, &(struct l3_case){chip, "", ""});
      wrong_before += is_wrong(&gpu);
      run_step(&gpu, gc_step_l3_allocations, GC_L3);
      found += gc_capacity(measured(&gpu, GC_L3)) > 0;
      wrong += is_wrong(&gpu);
      if (measured(&gpu, GC_L3)->found[GC_CAPACITY].confidence >= UNSURE)
        fail_msg("%s, seed %u: %llu bytes", pages[i], seed,
                 (unsigned long long)gc_capacity(measured(&gpu, GC_L3)));
      close_gpu(&gpu);
    }
  assert_true(wrong_before >= 6);
  assert_true(found >= 3 && wrong <= 1);
}

static void contiguous_pages_have_a_capacity(void **state)
{
  static const struct l3_case cases[] = {
      {MEMORY "pages = 4 KiB contiguous", "", ""},
      {MEMORY "pages = 64 KiB contiguous\npage_seed = 7", "", ""},
      {MEMORY "pages = 2048 KiB scattered", "", ""}, /* a page meets all sets alike */
      {MEMORY "", "replacement = lru\ninterleave = 512", ""},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened gpu;

    find_capacity(&gpu, &cases[i]);
    run_step(&gpu, gc_step_l3_allocations, GC_L3);
    if (gc_capacity(measured(&gpu, GC_L3)) != L3_BYTES)
      fail_msg("%s %s: %s", cases[i].chip, cases[i].l3,
               text(published(&gpu, GC_L3), "CapacitySource"));
    close_gpu(&gpu);
  }
}

/* A capacity that another allocation does not confirm. */
static void wrong_capacities_are_noticed(void **state)
{
  static const struct {
    double share;
    const char *source; /* how it begins */
  } cases[] = {{0.75, "absent:arrays slightly larger hardly miss"},
               {0.95, "absent:arrays slightly larger hardly miss"},
               {1, "measured"},
               {1.125, "measured"}, /* lowered */
               {1.5, "absent:allocations differ widely"}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_element *element;
    struct opened gpu;

    find_capacity(&gpu, &(struct l3_case){MEMORY, "", ""});
    claim(&gpu, GC_L3, (uint64_t)(cases[i].share * L3_BYTES) / 65536 * 65536);
    element = run_step(&gpu, gc_step_l3_allocations, GC_L3);
    if (strncmp(text(element, "CapacitySource"), cases[i].source, strlen(cases[i].source)))
      fail_msg("%.3f: %s", cases[i].share, text(element, "CapacitySource"));
    if (!strcmp(cases[i].source, "measured"))
      assert_int_equal(number(element, "CapacityBytes"), L3_BYTES);
    if (cases[i].share > 1)
      assert_false(number(element, "CapacityConfidence") >= UNSURE);
    close_gpu(&gpu);
  }
}

/* The arena takes nearly all that may be used: then further parts of it are asked, if there are
 * any. */
static void little_memory(void **state)
{
  static const struct {
    const char *chip, *source;
  } cases[] = {{"memory = 320 MiB", "measured"},
               {"memory = 160 MiB", "absent:there is too little free memory"}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_element *element;
    struct opened gpu;

    find_capacity(&gpu, &(struct l3_case){cases[i].chip, "", ""});
    assert_int_equal(gc_capacity(measured(&gpu, GC_L3)), L3_BYTES);
    element = run_step(&gpu, gc_step_l3_allocations, GC_L3);
    if (strncmp(text(element, "CapacitySource"), cases[i].source, strlen(cases[i].source)))
      fail_msg("%s: %s", cases[i].chip, text(element, "CapacitySource"));
    if (i)
      assert_int_equal(measured(&gpu, GC_L3)->found[GC_CAPACITY].passing, GC_LITTLE_MEMORY);
    close_gpu(&gpu);
  }
}

static void find_latencies(struct opened *gpu, unsigned l2_line, bool fetch)
{
  open_l3(gpu, &(struct l3_case){MEMORY "whole_sectors = yes\n", "", ""}, l2_line);
  run_step(gpu, gc_step_l2_latency, GC_L2);
  if (fetch)
    run_step(gpu, gc_step_fetch, GC_L2);
  run_step(gpu, gc_step_l3_capacity, GC_L3);
  run_step(gpu, gc_step_l3_census, GC_L3);
  run_step(gpu, gc_step_l3_latency, GC_L3);
}

/* One load brings more into L2 than lies between two timed loads of an L2 of 128-byte lines. */
static void long_lines_of_l2_do_not_hide_it(void **state)
{
  (void)state;
  for (unsigned line = 256; line <= 512; line *= 2) {
    const struct gc_measured *l2, *l3;
    struct opened gpu;

    find_latencies(&gpu, line, true);
    l2 = &gpu.results->element[GC_L2], l3 = &gpu.results->element[GC_L3];
    assert_int_equal(l2->fetch_bytes, line);
    assert_true(gc_found(l3, GC_LATENCY) && fabs(l3->latency_cycles - 400) <= 2);
    if (!gc_found(l3, GC_CAPACITY))
      fail_msg("line %u: %s", line, l3->found[GC_CAPACITY].why);
    assert_int_equal(gc_capacity(l3), L3_BYTES);
    assert_true(gc_found(l3, GC_CENSUS) &&
                fabs((double)l3->census_bytes - L3_BYTES) < 0.03 * L3_BYTES);
    close_gpu(&gpu);
  }
}

/* The timed loads hit L2. If its fetch granularity is unknown, either level can be the wrong one.
 */
static void equal_latencies_are_withheld_if_the_fetch_is_unknown(void **state)
{
  const struct gc_measured *l3;
  struct opened gpu;

  (void)state;
  find_latencies(&gpu, 512, false);
  l3 = &gpu.results->element[GC_L3];
  assert_true(gc_found(l3, GC_LATENCY) && l3->latency_cycles < 220);
  gc_check_next_level(gpu.results);
  assert_true(!gc_found(l3, GC_LATENCY));
  assert_true(!gc_found(&gpu.results->element[GC_L2], GC_LATENCY));
  close_gpu(&gpu);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tlb_changes_nothing),
      cmocka_unit_test(scattered_pages_yield_nothing_sure),
      cmocka_unit_test(contiguous_pages_have_a_capacity),
      cmocka_unit_test(wrong_capacities_are_noticed),
      cmocka_unit_test(little_memory),
      cmocka_unit_test(long_lines_of_l2_do_not_hide_it),
      cmocka_unit_test(equal_latencies_are_withheld_if_the_fetch_is_unknown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
