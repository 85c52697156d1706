/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of typed results at the end of the plan: is a level the one behind it, and can a GPU have
 * such values?
 */
#include "measure/check/check.h"
#include "measure/check/next_level.h"
#include "measure/check/plausible.h"
#include "measure/walk/l2_sample.h"
#include "stats/sequential.h"
#include "cleared.h"

#include <stdio.h>
#include <string.h>

static void set_latency(struct gc_results *results, enum gc_kind kind, double cycles)
{
  const struct gc_latency latency = {.cycles = cycles, .confidence = 0.99};

  results->element[kind].tried = true;
  gc_set_latency(&results->element[kind], GC_LATENCY, &latency, 1000);
}

static void set_rates(struct gc_results *results, enum gc_kind kind, double read, double write)
{
  struct gc_measured *element = &results->element[kind];

  element->tried = true;
  element->read_gbps = read;
  element->write_gbps = write;
  gc_set_measured(element, GC_READ, 0.99);
  gc_set_measured(element, GC_WRITE, 0.99);
}

static void set_number(struct gc_results *results, enum gc_kind kind, enum gc_property property,
                       uint64_t *member, uint64_t value)
{
  *member = value;
  gc_set_measured(&results->element[kind], property, 0.99);
}

static bool found(const struct gc_results *results, enum gc_kind kind, enum gc_property property)
{
  return gc_found(&results->element[kind], property);
}

static const char *why(const struct gc_results *results, enum gc_kind kind,
                       enum gc_property property)
{
  return results->element[kind].found[property].why;
}

/* --- the next level ------------------------------------------------------------------------------
 */

static void a_latency_of_nine_tenths_is_the_same(void **state)
{
  struct gc_results *results = *state;

  set_latency(results, GC_DEVICE_MEMORY, 500);
  set_latency(results, GC_L2, 449);
  assert_false(gc_next_level_compare(results, GC_L2).same_latency);
  set_latency(results, GC_L2, 450);
  assert_true(gc_next_level_compare(results, GC_L2).same_latency);
  set_latency(results, GC_L2, 700);
  assert_true(gc_next_level_compare(results, GC_L2).same_latency);
  assert_int_equal(gc_next_level_compare(results, GC_L2).next, GC_DEVICE_MEMORY);
}

/* Half of the speed of the memory is that of the L3: it is the L3 that the L2 is compared with. */
static void the_next_level_of_l2_is_an_l3_that_was_measured(void **state)
{
  struct gc_results *results = *state;

  set_latency(results, GC_DEVICE_MEMORY, 800);
  set_latency(results, GC_L3, 400);
  set_latency(results, GC_L2, 380);
  assert_int_equal(gc_next_level_compare(results, GC_L2).next, GC_L3);
  assert_true(gc_next_level_compare(results, GC_L2).same_latency);
  assert_false(gc_next_level_compare(results, GC_L3).same_latency);
  gc_set_absent(&results->element[GC_L3], GC_LATENCY, "too small");
  assert_int_equal(gc_next_level_compare(results, GC_L2).next, GC_DEVICE_MEMORY);
  assert_false(gc_next_level_compare(results, GC_L2).same_latency);
}

static void nothing_is_the_same_as_an_unknown_level(void **state)
{
  struct gc_results *results = *state;

  set_latency(results, GC_L2, 300);
  set_rates(results, GC_L2, 1000, 1000);
  gc_check_next_level(results);
  assert_true(found(results, GC_L2, GC_LATENCY) && found(results, GC_L2, GC_READ) &&
              found(results, GC_L2, GC_WRITE));
  assert_string_equal(results->warnings, "");
}

/* If loads of L2 are those of memory, its capacity and its line are about memory, too. What the
 * interface states is not. */
static void all_measured_values_of_such_a_level_are_withheld(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l2 = &results->element[GC_L2];

  set_latency(results, GC_DEVICE_MEMORY, 500);
  set_latency(results, GC_L2, 495);
  set_rates(results, GC_L2, 1000, 1000);
  set_number(results, GC_L2, GC_CAPACITY, &l2->capacity_bytes, 2 << 20);
  set_number(results, GC_L2, GC_LINE, &l2->line_bytes, 128);
  l2->nominal_bytes = 4 << 20;
  gc_set_stated(l2, GC_NOMINAL);
  gc_check_next_level(results);
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    assert_int_equal(found(results, GC_L2, (enum gc_property)property), property == GC_NOMINAL);
  assert_string_equal(
      why(results, GC_L2, GC_CAPACITY),
      "loads take 495.0 cycles, those of DeviceMemory 500.0: they may have gone there");
  assert_true(found(results, GC_DEVICE_MEMORY, GC_LATENCY));
  assert_non_null(strstr(results->warnings, "all that was measured of L2Cache is withheld: "));
}

/* The L2 is like the L3, and the L3 is like memory. Both are withheld. */
static void levels_are_compared_before_any_is_withheld(void **state)
{
  struct gc_results *results = *state;

  set_latency(results, GC_DEVICE_MEMORY, 500);
  set_latency(results, GC_L3, 470);
  set_latency(results, GC_L2, 440);
  gc_check_next_level(results);
  assert_false(found(results, GC_L3, GC_LATENCY));
  assert_false(found(results, GC_L2, GC_LATENCY));
}

static void same_bandwidths_are_withheld(void **state)
{
  static const struct {
    double l2_read, l2_write;
    bool read, write; /* are kept */
  } cases[] = {
      {9000, 4700, true, true}, /* an H200: reads show that L2 answers */
      {5000, 4700, false, false},
      {5000, 9000, false, true},
      {9000, 9000, true, true},
  };

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_results *results = *state;

    gc_results_clear(results);
    set_rates(results, GC_DEVICE_MEMORY, 4600, 4400);
    set_rates(results, GC_L2, cases[i].l2_read, cases[i].l2_write);
    gc_check_next_level(results);
    assert_int_equal(found(results, GC_L2, GC_READ), cases[i].read);
    assert_int_equal(found(results, GC_L2, GC_WRITE), cases[i].write);
    assert_true(found(results, GC_DEVICE_MEMORY, GC_READ));
  }
}

/* Without the reads, nothing shows where writes went. */
static void same_writes_without_reads_are_withheld(void **state)
{
  struct gc_results *results = *state;

  set_rates(results, GC_DEVICE_MEMORY, 4600, 4400);
  set_rates(results, GC_L2, 9000, 4700);
  gc_set_absent(&results->element[GC_L2], GC_READ, "repetitions disagree");
  gc_check_next_level(results);
  assert_false(found(results, GC_L2, GC_WRITE));
  assert_string_equal(why(results, GC_L2, GC_WRITE),
                      "4700 GB/s, and DeviceMemory has 4400: the writes may have gone there");
  assert_string_equal(why(results, GC_L2, GC_READ), "repetitions disagree");
}

/* --- plausibility -------------------------------------------------------------------------------
 */

#define SMS 12

static void sizes_contain_each_other(void **state)
{
  static const struct {
    uint64_t fetch, line, capacity;
    bool kept_fetch, kept_line, kept_capacity;
  } cases[] = {
      {32, 128, 4096, true, true, true},
      {128, 128, 128, true, true, true},
      {256, 128, 4096, false, false, true},
      {32, 128, 64, true, false, false},
  };

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_results *results = *state;
    struct gc_measured *l1 = &results->element[GC_L1];

    gc_results_clear(results);
    set_number(results, GC_L1, GC_FETCH, &l1->fetch_bytes, cases[i].fetch);
    set_number(results, GC_L1, GC_LINE, &l1->line_bytes, cases[i].line);
    set_number(results, GC_L1, GC_CAPACITY, &l1->capacity_bytes, cases[i].capacity);
    gc_check_plausible(results, SMS);
    assert_int_equal(found(results, GC_L1, GC_FETCH), cases[i].kept_fetch);
    assert_int_equal(found(results, GC_L1, GC_LINE), cases[i].kept_line);
    assert_int_equal(found(results, GC_L1, GC_CAPACITY), cases[i].kept_capacity);
  }
}

/* The interface states the capacity of shared memory: it is no measured value, and stays. */
static void stated_values_are_kept(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *memory = &results->element[GC_SHARED_MEMORY];

  memory->capacity_bytes = 64;
  gc_set_stated(memory, GC_CAPACITY);
  set_number(results, GC_SHARED_MEMORY, GC_LINE, &memory->line_bytes, 128);
  gc_check_plausible(results, SMS);
  assert_true(found(results, GC_SHARED_MEMORY, GC_CAPACITY));
  assert_false(found(results, GC_SHARED_MEMORY, GC_LINE));
}

/* A constant L1 that fetches 256 bytes makes the L1.5 fetch as much, whatever its line. */
static void constant_l15_fetches_what_the_l1_asks_for(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l1 = &results->element[GC_CONSTANT_L1],
                     *l15 = &results->element[GC_CONSTANT_L15];

  set_number(results, GC_CONSTANT_L1, GC_FETCH, &l1->fetch_bytes, 256);
  set_number(results, GC_CONSTANT_L15, GC_FETCH, &l15->fetch_bytes, 256);
  set_number(results, GC_CONSTANT_L15, GC_LINE, &l15->line_bytes, 64);
  gc_check_plausible(results, SMS);
  assert_true(found(results, GC_CONSTANT_L15, GC_FETCH));
  set_number(results, GC_CONSTANT_L1, GC_FETCH, &l1->fetch_bytes, 128);
  gc_check_plausible(results, SMS);
  assert_false(found(results, GC_CONSTANT_L15, GC_FETCH));
  assert_false(found(results, GC_CONSTANT_L15, GC_LINE));
  assert_true(found(results, GC_CONSTANT_L1, GC_FETCH));
}

static void a_first_level_is_not_slower_than_l2(void **state)
{
  struct gc_results *results = *state;

  set_latency(results, GC_L2, 200);
  set_latency(results, GC_READ_ONLY, 200);
  set_latency(results, GC_TEXTURE, 230); /* the texture unit takes its own time */
  gc_check_plausible(results, SMS);
  assert_true(found(results, GC_L2, GC_LATENCY) && found(results, GC_READ_ONLY, GC_LATENCY) &&
              found(results, GC_TEXTURE, GC_LATENCY));
  set_latency(results, GC_L1, 201);
  gc_check_plausible(results, SMS);
  assert_false(found(results, GC_L1, GC_LATENCY));
  assert_false(found(results, GC_L2, GC_LATENCY));
  assert_string_equal(why(results, GC_L1, GC_LATENCY),
                      "loads of L1Cache take 201.0 cycles, and those of L2Cache only 200.0");
  assert_true(found(results, GC_READ_ONLY, GC_LATENCY));
}

static void a_miss_takes_as_long_as_the_level_behind(void **state)
{
  static const double penalties[] = {220, 260, 340, 360}; /* of a hit in 200; 500 is the truth */
  static const bool good[] = {false, true, true, false};
  struct gc_results *results = *state;
  struct gc_measured *l2 = &results->element[GC_L2];

  for (size_t i = 0; i < 4; i++) {
    set_latency(results, GC_DEVICE_MEMORY, 500);
    set_latency(results, GC_L2, 200);
    gc_set_miss_penalty(l2, penalties[i], 0.99);
    gc_check_next_level(results);
    assert_int_equal(gc_found(l2, GC_MISS_PENALTY), good[i]);
    assert_true(gc_found(l2, GC_LATENCY));
  }
  assert_string_equal(why(results, GC_L2, GC_MISS_PENALTY),
                      "hits take 200.0 cycles, and with the 360.0 of a miss not the 500.0 of "
                      "DeviceMemory");
  /* it may be that of an L3 whose latency is not known */
  gc_set_miss_penalty(l2, 100, 0.99);
  results->element[GC_L3].tried = true;
  gc_check_next_level(results);
  assert_true(gc_found(l2, GC_MISS_PENALTY));
}

static void near_is_not_farther_than_far(void **state)
{
  const struct gc_latency shorter = {.cycles = 200, .confidence = 0.99},
                          longer = {.cycles = 300, .confidence = 0.99};
  struct gc_results *results = *state;
  struct gc_measured *l2 = &results->element[GC_L2];

  gc_set_latency(l2, GC_NEAR_LATENCY, &shorter, 1000);
  gc_set_latency(l2, GC_FAR_LATENCY, &longer, 1000);
  gc_check_plausible(results, SMS);
  assert_true(gc_found(l2, GC_NEAR_LATENCY) && gc_found(l2, GC_FAR_LATENCY));
  gc_set_latency(l2, GC_NEAR_LATENCY, &longer, 1000);
  gc_set_latency(l2, GC_FAR_LATENCY, &shorter, 1000);
  gc_check_plausible(results, SMS);
  assert_false(gc_found(l2, GC_NEAR_LATENCY) || gc_found(l2, GC_FAR_LATENCY));
}

static void numbers_of_instances_are_possible(void **state)
{
  static const struct {
    enum gc_kind kind;
    uint64_t instances, per_sm; /* per_sm 0: not known */
    bool kept;
  } cases[] = {
      {GC_L1, 12, 1, true},
      {GC_L1, 48, 4, true},
      {GC_L1, 6, 0, true},
      {GC_L1, 0, 0, false},
      {GC_L1, 18, 0, false},
      {GC_L1, 12, 2, false},
      {GC_L1, 13, 0, false},
      {GC_L1, 6, 1, false},
      /* groups of different sizes, because SMs are disabled: 132 SMs of an H200 share 8 */
      {GC_CONSTANT_L15, 5, 0, true},
      {GC_L2, 1, 0, true},
      {GC_L2, 12, 0, true},
      {GC_L2, 24, 0, false},
  };

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_results *results = *state;
    struct gc_measured *element = &results->element[cases[i].kind];

    gc_results_clear(results);
    set_number(results, cases[i].kind, GC_INSTANCES, &element->instances, cases[i].instances);
    if (cases[i].per_sm)
      set_number(results, cases[i].kind, GC_PER_SM, &element->per_sm, cases[i].per_sm);
    gc_check_plausible(results, SMS);
    if (gc_found(element, GC_INSTANCES) != cases[i].kept ||
        gc_found(element, GC_PER_SM) != (cases[i].kept && cases[i].per_sm))
      fail_msg("case %zu: %s", i, why(results, cases[i].kind, GC_INSTANCES));
  }
}

static void partitions_have_the_sms_of_the_gpu(void **state)
{
  static const struct {
    uint32_t first, second;
    bool kept;
  } cases[] = {{6, 6, true}, {1, 11, true}, {12, 0, false}, {6, 7, false}};

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_results *results = *state;
    struct gc_measured *l2 = &results->element[GC_L2];

    gc_results_clear(results);
    set_number(results, GC_L2, GC_PARTITIONS, &l2->partitions, 2);
    l2->partition_sms[0] = cases[i].first;
    l2->partition_sms[1] = cases[i].second;
    gc_set_measured(l2, GC_PARTITION_SMS, 0.99);
    gc_check_plausible(results, SMS);
    assert_int_equal(gc_found(l2, GC_PARTITIONS), cases[i].kept);
    assert_int_equal(gc_found(l2, GC_PARTITION_SMS), cases[i].kept);
  }
}

/* Two XCDs with six CUs each. size: CUs in each group that shares a scalar L1. */
static void set_groups(struct gc_results *results, uint32_t size)
{
  struct gc_measured *scalar = &results->element[GC_SCALAR_L1], *l2 = &results->element[GC_L2];

  gc_results_clear(results);
  results->sm_count = SMS;
  scalar->cu_groups.count = SMS / size;
  l2->cu_groups.count = 2;
  for (uint32_t i = 0; i < SMS; i++) {
    results->sm_number[i] = 10 + i;
    scalar->cu_groups.of[i] = (uint16_t)(i / size);
    l2->cu_groups.of[i] = (uint16_t)(i / 6);
  }
  set_number(results, GC_SCALAR_L1, GC_INSTANCES, &scalar->instances, SMS / size);
  set_number(results, GC_L2, GC_INSTANCES, &l2->instances, 2);
  gc_set_measured(scalar, GC_CU_GROUPS, 0.99);
  gc_set_measured(scalar, GC_SHARED_BY_CUS, 0.99);
  gc_set_measured(l2, GC_CU_GROUPS, 0.99);
}

static void cus_of_different_xcds_share_nothing(void **state)
{
  struct gc_results *results = *state;

  set_groups(results, 2);
  gc_check_plausible(results, SMS);
  assert_true(found(results, GC_SCALAR_L1, GC_CU_GROUPS) && found(results, GC_L2, GC_CU_GROUPS));
  set_groups(results, 4); /* CUs 4 to 7 are on both */
  gc_check_plausible(results, SMS);
  assert_false(found(results, GC_SCALAR_L1, GC_CU_GROUPS));
  assert_false(found(results, GC_SCALAR_L1, GC_SHARED_BY_CUS));
  assert_false(found(results, GC_SCALAR_L1, GC_INSTANCES));
  assert_false(found(results, GC_L2, GC_CU_GROUPS));
  assert_string_equal(why(results, GC_SCALAR_L1, GC_CU_GROUPS),
                      "CU 16 would share a ScalarL1Cache with CUs that have another L2Cache");
}

static void groups_have_every_cu_once(void **state)
{
  struct gc_results *results = *state;

  set_groups(results, 2);
  results->element[GC_SCALAR_L1].cu_groups.of[3] = 6; /* there are groups 0 to 5 */
  gc_check_plausible(results, SMS);
  assert_false(found(results, GC_SCALAR_L1, GC_CU_GROUPS));
  assert_true(found(results, GC_L2, GC_CU_GROUPS));
  set_groups(results, 2);
  results->element[GC_L2].cu_groups.count = 3; /* the third has no CU */
  gc_check_plausible(results, SMS);
  assert_false(found(results, GC_L2, GC_CU_GROUPS));
  assert_true(found(results, GC_SCALAR_L1, GC_CU_GROUPS));
}

/* --- the reach of a TLB ------------------------------------------------------------------------- */

/* The slow loads of the samples that the test gives, in the order in which they are taken. */
static struct {
  uint32_t slow[8];
  unsigned taken;
} samples;

int __wrap_gc_l2_sample(struct gc_measurement *m, const struct gc_l2_sampling *sample,
                        const struct gc_binning *binning, struct gc_run *run);

int __wrap_gc_l2_sample(struct gc_measurement *m, const struct gc_l2_sampling *sample,
                        const struct gc_binning *binning, struct gc_run *run)
{
  (void)m;
  (void)binning;
  assert_true(samples.taken < sizeof samples.slow / sizeof *samples.slow);
  assert_true(sample->ascending == samples.taken % 2);
  run->seen.loads = sample->loads;
  run->seen.slow = samples.slow[samples.taken++];
  return 0;
}

/* In the first array, so many loads are slow in scattered and in ascending order; in the second one,
 * hardly any are in ascending order, as beyond the reach of a TLB. Whether the capacity stays. */
static bool stays(struct gc_results *results, uint32_t scattered, uint32_t ascending)
{
  struct gc_measured *l2 = &results->element[GC_L2];
  struct gc_measurement m = {.bench.arena_bytes = 1u << 30, .results = results};

  memset(&samples, 0, sizeof samples);
  samples.slow[0] = scattered;
  samples.slow[1] = ascending;
  samples.slow[2] = 600;
  samples.slow[3] = 1;
  l2->tried = true;
  l2->level = (struct gc_level){.stride = 32, .hit = 200, .miss = 500};
  set_number(results, GC_L2, GC_CAPACITY, &l2->capacity_bytes, 8 << 20);
  gc_set_measured(l2, GC_CENSUS, 0.99);
  assert_int_equal(gc_step_l2_translation(&m, l2), 0);
  return found(results, GC_L2, GC_CAPACITY);
}

/* If more than half as many loads are slow in ascending order, no TLB ends there. But both counts
 * have chance: only more than half of what the true share of slow loads may be decides. */
static void a_tlb_is_excluded_if_both_samples_are_large_enough(void **state)
{
  struct gc_results *results = *state;
  const uint32_t loads = (uint32_t)(1.1 * (8 << 20)) / 128 / 64 + 1, scattered = loads / 5;
  const double half = (double)scattered / loads / 2;
  const double most = gc_share_bounds(scattered, loads, GC_SEQUENTIAL_ERROR).high / 2;
  uint32_t naive = 0, enough = 0;

  while (gc_share_side(naive, loads, half, half, GC_SEQUENTIAL_ERROR) != GC_SIDE_ABOVE)
    naive++;
  while (gc_share_side(enough, loads, most, most, GC_SEQUENTIAL_ERROR) != GC_SIDE_ABOVE)
    enough++;
  assert_true(naive + 10 < enough);
  /* the naive test would end here, and not find the TLB in the second array */
  assert_false(stays(results, scattered, naive));
  assert_int_equal(samples.taken, 4);
  assert_false(stays(results, scattered, enough - 1));
  assert_true(stays(results, scattered, enough));
  assert_int_equal(samples.taken, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_tlb_is_excluded_if_both_samples_are_large_enough),
      TEST(a_latency_of_nine_tenths_is_the_same),
      TEST(the_next_level_of_l2_is_an_l3_that_was_measured),
      TEST(nothing_is_the_same_as_an_unknown_level),
      TEST(all_measured_values_of_such_a_level_are_withheld),
      TEST(levels_are_compared_before_any_is_withheld),
      TEST(same_bandwidths_are_withheld),
      TEST(same_writes_without_reads_are_withheld),
      TEST(sizes_contain_each_other),
      TEST(stated_values_are_kept),
      TEST(constant_l15_fetches_what_the_l1_asks_for),
      TEST(a_first_level_is_not_slower_than_l2),
      TEST(a_miss_takes_as_long_as_the_level_behind),
      TEST(near_is_not_farther_than_far),
      TEST(numbers_of_instances_are_possible),
      TEST(partitions_have_the_sms_of_the_gpu),
      TEST(cus_of_different_xcds_share_nothing),
      TEST(groups_have_every_cu_once),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
