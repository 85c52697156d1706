/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two methods for one capacity. If a census does not agree with the size at which misses begin, the
 * capacity is withheld with a reason. test_tables and test_amd check that both agree on every
 * simulated GPU of data/sim.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/topology/topology.h"

#include "census.h"

/* The capacity of a near part needs the partitions. */
static int l2_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  const int status = gc_step_partitions(m, element);

  return status ? status : gc_step_l2_capacity(m, element);
}

/* Each 512 bytes fill four of the ten ways of a set. In the third round one set is full while
 * others still have space. Misses begin long before the cache is full: the search reports that
 * size, and the census the true one. */
#define UNEVEN "size = 20 KiB\nline = 128\ninterleave = 512\nways = 10\nreplacement = lru"

static void uneven_sets_are_withheld(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_l1(&o, UNEVEN);
  assert_int_equal(number(run_step(&o, gc_step_capacity, GC_L1), "CapacityBytes"), 16384 + 256);
  element = run_step(&o, gc_step_census, GC_L1);
  assert_true(isnan(number(element, "CapacityBytes")));
  assert_true(isnan(number(element, "CapacityConfidence")));
  assert_true(fabs(number(element, "CensusBytes") - 20480) < 205);
  assert_non_null(strstr(text(element, "CapacitySource"), "absent:misses begin after "));
  assert_non_null(strstr(text(element, "CapacitySource"), "a census found "));
  assert_non_null(strstr(o.results->warnings, "Capacity of L1Cache is withheld: misses begin after "));
  close_gpu(&o);
}

/* Whatever capacity is set before: a census finds that of the model, and withholds any other. */
static void wrong_capacities_are_withheld(void **state)
{
  static const char *const policies[] = {"lru", "random"};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char l1[128], kept[300];
    struct opened o;

    snprintf(l1, sizeof(l1), "size = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = %s",
             policies[i]);
    open_l1(&o, l1);
    assert_int_equal(number(run_step(&o, gc_step_capacity, GC_L1), "CapacityBytes"), 32768);
    for (int percent = 60; percent <= 140; percent += 10) {
      const struct gc_element *element;

      claim(&o, GC_L1, 32768ull * (unsigned)percent / 100 / 128 * 128);
      element = run_step(&o, gc_step_census, GC_L1);
      snprintf(kept, sizeof(kept), "%s, %d %%: %s", policies[i], percent, text(element, "CapacitySource"));
      if (isnan(number(element, "CapacityBytes")) != (percent != 100))
        fail_msg("%s", kept);
      if (percent >= 70 && !(fabs(number(element, "CensusBytes") - 32768) <= 0.05 * 32768))
        fail_msg("%s: the census is %.0f", kept, number(element, "CensusBytes"));
    }
    close_gpu(&o);
  }
}

/* Passes begin at the start of a line, however long lines are: here, one to sixteen of them fit. */
static void lines_of_512_bytes_are_counted(void **state)
{
  (void)state;
  for (unsigned bytes = 512; bytes <= 8192; bytes *= 2) {
    const struct gc_element *element;
    struct opened o;

    open_profile(&o,
                 "model = Variant\ncompute = 7.0\nsms = 16\nclock_khz = 1000000\n"
                 "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\n"
                 "shared_per_sm = 32 KiB\nshared_per_block = 32 KiB\nclock_overhead = 4\n"
                 "[cache ConstantL1]\nsize = %u B\nline = 512\nsector = 64\nways = 1\n"
                 "replacement = lru\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
                 "sector = 32\nways = 16\nreplacement = lru\n[space ca]\npath = L2 200 3, memory "
                 "500 5\n[space cg]\npath = L2 200 3, memory 500 5\n"
                 "[space constant]\npath = ConstantL1 20, L2 150 3, memory 500 5\n"
                 "[space shared]\npath = memory 20\n",
                 bytes);
    open_warm_bench(&o);
    run_step(&o, gc_step_capacity, GC_CONSTANT_L1);
    element = run_step(&o, gc_step_census, GC_CONSTANT_L1);
    if (!(fabs(number(element, "CensusBytes") - bytes) <= 0.01 * bytes) ||
        !(fabs(number(element, "CapacityBytes") - bytes) < 1))
      fail_msg("%u bytes: the capacity is %g, the census %g (%s)", bytes,
               number(element, "CapacityBytes"), number(element, "CensusBytes"),
               text(element, "CapacitySource"));
    close_gpu(&o);
  }
}

/* A capacity that is wrong by 6 KiB is withheld. The L1 of an H200, 217 KiB, is that much smaller
 * than its carve-out should leave, which is why two methods have to agree on it. It has random
 * replacement and 132 SMs. */
static void an_error_of_six_kib_is_withheld(void **state)
{
  static const int differences[] = {-8192, -6144, 0, 6144, 8192};
  static const struct wrong l1 = {GC_L1, gc_step_capacity, gc_step_census, 217 << 10, open_l1,
                                  "size = 217 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru", false};

  (void)state;
  check_differences(&l1, differences, sizeof(differences) / sizeof(*differences));
}

/* A path that ends in the storage of L1 has a shorter census. It must notice the same errors, and it
 * must be shorter. The capacity search of such a path is short, too, so its values are claimed. */
static void a_path_that_ends_in_l1_needs_fewer_launches(void **state)
{
  static const struct wrong l1 = {.kind = GC_READ_ONLY, .census = gc_step_census, .bytes = 217 << 10};
  const struct gc_device_counts *counts;
  uint64_t launches[2];
  struct opened o;

  (void)state;
  open_gpu(&o, "h200");
  open_warm_bench(&o);
  counts = gc_ops(o.device)->counts(o.device);
  run_step(&o, gc_step_capacity, GC_L1);
  run_step(&o, gc_step_census, GC_L1);
  assert_int_equal(number(run_step(&o, gc_step_capacity, GC_READ_ONLY), "CapacityBytes"), l1.bytes);
  for (unsigned with_l1 = 0; with_l1 < 2; with_l1++) {
    o.results->with_l1[GC_READ_ONLY] = with_l1 ? 0.99 : 0;
    launches[with_l1] = counts->launches;
    check_difference(&o, &l1, 0);
    launches[with_l1] = counts->launches - launches[with_l1];
  }
  if (launches[1] >= launches[0])
    fail_msg("%u launches instead of %u", (unsigned)launches[1], (unsigned)launches[0]);
  for (int difference = -6144; difference <= 6144; difference += 12288)
    check_difference(&o, &l1, difference);
  close_gpu(&o);
}

/* Sets capacities that are wrong by several factors. An error of a tenth must be withheld. within:
 * relative error that the census may have. */
static void check_factors(struct opened *o, enum gc_kind kind, gc_step *census, double right,
                          double within)
{
  static const double factors[] = {0.86, 0.96, 1, 1.04, 1.14};

  for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
    const struct gc_element *element;

    claim(o, kind, (uint64_t)(right * factors[i]) / 128 * 128);
    element = run_step(o, census, kind);
    if (isnan(number(element, "CapacityBytes")) != (fabs(factors[i] - 1) > 0.1) ||
        !(fabs(number(element, "CensusBytes") - right) < within * right))
      fail_msg("%s: %.2f times the capacity, the census is %.0f +- %.0f: %s", o->name, factors[i],
               number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
               text(element, "CapacitySource"));
  }
}

/* An L2 that overflows may keep a sixteenth more or less, so an error of an eighth must be noticed.
 * One of these L2 has partitions, the other has none. */
static void wrong_l2_are_withheld(void **state)
{
  static const struct {
    const char *profile;
    double bytes;
  } gpus[] = {{"h200", 29491200}, {"v100", 6 << 20}};

  (void)state;
  for (size_t gpu = 0; gpu < sizeof(gpus) / sizeof(*gpus); gpu++) {
    const double right = gpus[gpu].bytes;
    const struct gc_element *element;
    struct opened o;

    open_gpu(&o, gpus[gpu].profile);
    open_warm_bench(&o);
    element = run_step(&o, l2_capacity, GC_L2);
    if (!(fabs(number(element, "CapacityBytes") - right) < 0.005 * right))
      fail_msg("%s: %.0f bytes", o.name, number(element, "CapacityBytes"));
    check_factors(&o, GC_L2, gc_step_l2_census, right, 0.05);
    close_gpu(&o);
  }
}

/* The same for an L3: all SMs read it, and one SM takes the samples. */
static void wrong_l3_are_withheld(void **state)
{
  const double right = 96 << 20;
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_gpu(&o, "rx7900xtx");
  open_warm_bench(&o);
  element = run_step(&o, gc_step_l3_capacity, GC_L3);
  assert_int_equal(number(element, "CapacityBytes"), right);
  check_factors(&o, GC_L3, gc_step_l3_census, right, 0.03);
  memset(measured(&o, GC_L3)->found, 0, sizeof(measured(&o, GC_L3)->found));
  claim(&o, GC_L3, o.m.bench.arena_bytes);
  element = run_step(&o, gc_step_l3_census, GC_L3);
  assert_string_equal(text(element, "CensusSource"),
                      "absent:needs 608 MiB of free GPU memory, 1024 MiB may be used");
  close_gpu(&o);
}

/* The latency of a hit is unknown: there is no census, and the capacity stays. */
static void without_hit_latency_nothing_is_counted(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru");
  claim(&o, GC_L1, 32768);
  element = run_step(&o, gc_step_census, GC_L1);
  assert_memory_equal(text(element, "CensusSource"), "absent:", 7);
  assert_int_equal(number(element, "CapacityBytes"), 32768);
  close_gpu(&o);
}

/* Counts the warnings about withheld capacities; there may be no others. */
static void count_warning(void *data, const char *sentence)
{
  unsigned *count = data;

  assert_non_null(strstr(sentence, "Cache is withheld: misses begin after "));
  (*count)++;
}

static void the_plan_warns_once(void **state)
{
  unsigned count = 0;
  const struct gc_measure_options options = {.only = "L1Cache", .warn = count_warning, .data = &count};
  struct gc_record *record;
  struct opened o;

  (void)state;
  open_l1(&o, UNEVEN);
  record = gc_record_new(&o.gpus.array[0].identity);
  assert_non_null(record);
  must(&o, gc_measure(o.device, &options, record, &o.err), "measure");
  assert_int_equal(count, 1);
  assert_null(gc_infos_get(&gc_record_find(record, GC_L1)->infos, "CapacityBytes"));
  gc_record_free(record);
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uneven_sets_are_withheld),
      cmocka_unit_test(wrong_capacities_are_withheld),
      cmocka_unit_test(lines_of_512_bytes_are_counted),
      cmocka_unit_test(an_error_of_six_kib_is_withheld),
      cmocka_unit_test(a_path_that_ends_in_l1_needs_fewer_launches),
      cmocka_unit_test(wrong_l2_are_withheld),
      cmocka_unit_test(wrong_l3_are_withheld),
      cmocka_unit_test(without_hit_latency_nothing_is_counted),
      cmocka_unit_test(the_plan_warns_once),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
