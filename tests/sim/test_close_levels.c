/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Levels that are hard to tell apart: a next level that is only 15 % slower, and a constant L1 that
 * fetches up to 512 bytes, so that a walk of the cache behind it hits it most of the time.
 */
#include "open.h"

#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"

#define CHIP                                                                                       \
  "model = Close\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"                   \
  "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"           \
  "shared_per_block = 32 KiB\nclock_overhead = 4\nsms = 16\n"                                      \
  "[cache L1]\nsize = 24 KiB\nline = 128\nsector = 32\nways = 6\nreplacement = lru\n"               \
  "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"                    \
  "replacement = lru\n"

/* There is a cache, and it ends: "at least 1 MiB" would be wrong. */
static void a_next_level_that_is_hardly_slower_is_no_bound(void **state)
{
  static const char *const paths[] = {"L1 100 0.5, L2 115 1, memory 500 5",
                                      "L1 60 0.5, L2 70 1, memory 500 5",
                                      "L1 200 2, L2 232 2, memory 500 5"};
  static const unsigned sectors[] = {32, 64, 128};

  (void)state;
  for (size_t i = 0; i < 3 * sizeof(paths) / sizeof(*paths); i++) {
    const struct gc_element *l1;
    struct opened o;

    open_profile(&o, CHIP "[cache X]\nsize = 24 KiB\nline = 128\nsector = %u\nways = 6\n"
                          "replacement = lru\n[space ca]\npath = X%s\n[space cg]\npath = L2 400 1, memory 800 5\n"
                          "[space shared]\npath = memory 20\n", sectors[i / 3], paths[i % 3] + 2);
    open_warm_bench(&o);
    l1 = run_step(&o, gc_step_capacity, GC_L1);
    if (*text(l1, "CapacityAtLeastBytes"))
      fail_msg("%s, %u: at least %s bytes", paths[i % 3], sectors[i / 3], text(l1, "CapacityAtLeastBytes"));
    if (*text(l1, "CapacityBytes"))
      assert_true(number(l1, "CapacityBytes") == 24576);
    close_gpu(&o);
  }
}

/* Misses of the constant L1 take 60 cycles more, those of the L1.5 160. */
static void misses_of_long_constant_lines_count_in_full(void **state)
{
  static const unsigned fetched[] = {32, 64, 128, 256, 512};

  (void)state;
  for (size_t i = 0; i < sizeof(fetched) / sizeof(*fetched); i++) {
    struct opened o;
    double penalty[2];
    double counted, cycles;

    open_profile(&o, CHIP "[cache C]\nsize = 2 KiB\nline = %u\nways = 4\nreplacement = lru\n"
                          "hash = xor\n"
                          "[cache C15]\nsize = 32 KiB\nline = 256\nways = 4\nreplacement = lru\n"
                          "[space ca]\npath = L1 30, L2 200, memory 500\n"
                          "[space cg]\npath = L2 200, memory 500\n[space shared]\npath = memory 20\n"
                          "[space constant]\npath = C 30, C15 90, L2 250, memory 550\n", fetched[i]);
    open_warm_bench(&o);
    run_step(&o, gc_step_capacity, GC_CONSTANT_L1);
    run_step(&o, gc_step_fetch, GC_CONSTANT_L1);
    assert_int_equal(measured(&o, GC_CONSTANT_L1)->fetch_bytes, fetched[i]);
    penalty[0] = number(run_step(&o, gc_step_miss_penalty, GC_CONSTANT_L1), "MissPenaltyCycles");
    penalty[1] = number(run_step(&o, gc_step_miss_penalty, GC_CONSTANT_L15), "MissPenaltyCycles");
    if (!(fabs(penalty[0] - 60) <= 1 && fabs(penalty[1] - 160) <= 2))
      fail_msg("%u bytes: %g and %g instead of 60 and 160", fetched[i], penalty[0], penalty[1]);
    run_step(&o, gc_step_constant15_capacity, GC_CONSTANT_L15);
    cycles = number(run_step(&o, gc_step_latency, GC_CONSTANT_L15), "LatencyCycles");
    assert_true(fabs(cycles - 90) <= 1);
    counted = number(run_step(&o, gc_step_constant15_census, GC_CONSTANT_L15), "CensusBytes");
    if (fetched[i] <= 64 ? !(fabs(counted - 32768) <= 1024) : !isnan(counted))
      fail_msg("%u bytes: a census of %g", fetched[i], counted);
    close_gpu(&o);
  }
}

/* Loads of a ring may then hit the constant L1, so no latency of the L1.5 is reported. */
static void a_latency_behind_an_unknown_fetch_is_absent(void **state)
{
  const struct gc_element *l15;
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  open_warm_bench(&o);
  gc_set_absent(measured(&o, GC_CONSTANT_L1), GC_FETCH, "a test");
  run_step(&o, gc_step_constant15_capacity, GC_CONSTANT_L15);
  l15 = run_step(&o, gc_step_latency, GC_CONSTANT_L15);
  assert_true(isnan(number(l15, "LatencyCycles")));
  assert_non_null(strstr(text(l15, "LatencySource"), "fetches"));
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_next_level_that_is_hardly_slower_is_no_bound),
      cmocka_unit_test(a_latency_behind_an_unknown_fetch_is_absent),
      cmocka_unit_test(misses_of_long_constant_lines_count_in_full),
  };

  return cmocka_run_group_tests_name("close levels", tests, NULL, NULL);
}
