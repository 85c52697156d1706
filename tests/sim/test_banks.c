/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Banks and atomic operations of simulated GPUs come out as the profiles state them.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bandwidth/bandwidth.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "measure/topology/topology.h"

#include "variant.h"

static void assert_banks(const struct opened *o, const struct gc_element *element, double count,
                         double width, double conflict)
{
  if (number(element, HWLOC_GPUCACHE_BANKS) != count ||
      number(element, HWLOC_GPUCACHE_BANK_BYTES) != width ||
      fabs(number(element, HWLOC_GPUCACHE_CONFLICT_CYCLES) - conflict) > 0.25)
    fail_msg("%s: '%s' banks of '%s' bytes, '%s' cycles; %s", o->name,
             text(element, HWLOC_GPUCACHE_BANKS), text(element, HWLOC_GPUCACHE_BANK_BYTES),
             text(element, HWLOC_GPUCACHE_CONFLICT_CYCLES), text(element, "BanksSource"));
}

static void banks_of_profiles(void **state)
{
  static const struct {
    const char *gpu;
    enum gc_kind kind;
    double count, width, conflict;
  } known[] = {{"h200", GC_SHARED_MEMORY, 32, 4, 2},
               {"gtx560ti", GC_SHARED_MEMORY, 32, 4, 37},
               {"k20c", GC_SHARED_MEMORY, 32, 8, 2},
               {"mi210", GC_LDS, 32, 4, 2}};

  (void)state;
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    struct opened o;

    open_gpu(&o, known[i].gpu);
    open_bench(&o);
    assert_banks(&o, run_step(&o, gc_step_banks, known[i].kind), known[i].count, known[i].width,
                 known[i].conflict);
    close_gpu(&o);
  }
}

/* One SM, and much less shared memory than the patterns would like. */
static void banks_of_a_small_gpu(void **state)
{
  struct opened o;

  (void)state;
  open_variant(&o, &(struct variant){.chip = "sms = 1\n[banks]\ncount = 16\nwidth = 8\nconflict = 5\n",
                                     .l2 = "", .hit = "200 2"});
  open_bench(&o);
  assert_banks(&o, run_step(&o, gc_step_banks, GC_SHARED_MEMORY), 16, 8, 5);
  close_gpu(&o);
}

/* Loads take a random time that hides the conflicts. */
static void no_banks_in_noise(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_profile(&o, "model = N\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_sm = 2048\nsms = 4\n"
                   "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
                   "clock_overhead = 4\n[cache L1]\nsize = 8 KiB\nline = 128\nways = 4\nreplacement = lru\n"
                   "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nways = 16\nreplacement = lru\n"
                   "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"
                   "[space shared]\npath = memory 60 60\n[banks]\nconflict = 1\n");
  open_bench(&o);
  element = run_step(&o, gc_step_banks, GC_SHARED_MEMORY);
  assert_string_equal(text(element, HWLOC_GPUCACHE_BANKS), "");
  assert_int_equal(strncmp(text(element, "BanksSource"), "absent:", 7), 0);
  assert_int_equal(strncmp(text(element, "BankSource"), "absent:", 7), 0);
  assert_int_equal(strncmp(text(element, "ConflictSource"), "absent:", 7), 0);
  close_gpu(&o);
}

static void is_within(const struct gc_element *element, const char *key, double truth, double share)
{
  if (!(fabs(number(element, key) - truth) <= share * truth))
    fail_msg("%s is '%s', not %g", key, text(element, key), truth);
}

static void atomic_operations(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  open_warm_bench(&o);
  run_step(&o, gc_step_partitions, GC_L2);
  run_step(&o, gc_step_atomics, GC_L2);
  element = run_step(&o, gc_step_l2_atomic_latency, GC_L2);
  is_within(element, HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY_CYCLES, 292, 0.02);
  is_within(element, HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY_CYCLES, 490, 0.02);
  is_within(element, HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES, 391, 0.02);
  is_within(element, HWLOC_GPUCACHE_ATOMICS_PER_CYCLE, 0.69, 0.03);
  run_step(&o, gc_step_atomics, GC_SHARED_MEMORY);
  run_step(&o, gc_step_latency, GC_SHARED_MEMORY);
  element = run_step(&o, gc_step_atomic_latency, GC_SHARED_MEMORY);
  is_within(element, HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES, 26, 0.02);
  is_within(element, HWLOC_GPUCACHE_ATOMICS_PER_CYCLE, 1, 0.03);
  close_gpu(&o);
}

/* Without partitions nothing is near or far. */
static void no_near_and_far_in_one_partition(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_variant(&o, &(struct variant){.chip = "sms = 6\n[atomics]\nl2_cycles = 321\n", .l2 = "",
                                     .hit = "200 2"});
  open_warm_bench(&o);
  element = run_step(&o, gc_step_l2_atomic_latency, GC_L2);
  is_within(element, HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES, 321, 0.02);
  assert_string_equal(text(element, HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY_CYCLES), "");
  assert_string_equal(text(element, HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY_CYCLES), "");
  close_gpu(&o);
}

/* Each XCD has an L2, so an operation may be done in any of them, or behind them. */
static void several_l2s(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_gpu(&o, "mi300x");
  open_warm_bench(&o);
  run_step(&o, gc_step_atomics, GC_L2);
  element = run_step(&o, gc_step_l2_atomic_latency, GC_L2);
  assert_non_null(strstr(text(element, "AtomicLatencySource"), "several L2 caches"));
  assert_non_null(strstr(text(element, "AtomicsSource"), "several L2 caches"));
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(banks_of_profiles),
    cmocka_unit_test(banks_of_a_small_gpu),
    cmocka_unit_test(no_banks_in_noise),
    cmocka_unit_test(atomic_operations),
    cmocka_unit_test(no_near_and_far_in_one_partition),
    cmocka_unit_test(several_l2s),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
