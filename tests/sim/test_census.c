/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two ways to one capacity: where a census does not agree with where misses begin, the capacity is withheld, and
 * said so. That they agree on every simulated GPU of data/sim is seen in test_tables and test_amd.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "census.h"

static int l2_capacity(struct gc_bench *bench, struct gc_element *element)
{
  const int status = gc_step_partition(bench, element); /* what is near */

  return status ? status : gc_step_l2_capacity(bench, element);
}

/* Each 512 bytes fill four of the ten ways of a set: the third time round one set is too small while others
 * have room left. Misses begin long before the cache is full, which the one way does not see, and the other
 * does. */
#define UNEVEN "size = 20 KiB\nline = 128\ninterleave = 512\nways = 10\nreplacement = lru"

static void uneven_sets_are_withheld(void **state)
{
  struct gc_element *element;
  struct opened o;

  (void)state;
  open_l1(&o, UNEVEN);
  element = element_of(&o, GC_L1);
  must(&o, gc_step_capacity(&o.bench, element), "capacity");
  assert_int_equal(number(element, "CapacityBytes"), 16384 + 256);
  must(&o, gc_step_census(&o.bench, element), "census");
  assert_true(isnan(number(element, "CapacityBytes")));
  assert_true(isnan(number(element, "CapacityConfidence")));
  assert_true(fabs(number(element, "CensusBytes") - 20480) < 205);
  assert_non_null(strstr(text(element, "CapacitySource"), "absent:misses begin after "));
  assert_non_null(strstr(text(element, "CapacitySource"), "a census found "));
  assert_non_null(strstr(o.bench.complaints, "Capacity of L1Cache is withheld: misses begin after "));
  close_gpu(&o);
}

/* Whatever capacity there is said to be: a census finds the one of the model, or that there is more. */
static void wrong_capacities_are_withheld(void **state)
{
  static const char *const policies[] = {"lru", "random"};

  (void)state;
  for (size_t i = 0; i < 2; i++)
    for (int percent = 60; percent <= 140; percent += 10) {
      char l1[128], kept[300];
      struct gc_element *element;
      struct opened o;

      snprintf(l1, sizeof(l1), "size = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = %s",
               policies[i]);
      open_l1(&o, l1);
      element = element_of(&o, GC_L1);
      must(&o, gc_step_capacity(&o.bench, element), "capacity");
      assert_int_equal(number(element, "CapacityBytes"), 32768);
      assert_int_equal(
        gc_infos_set_u64(&element->infos, "CapacityBytes", 32768ull * (unsigned)percent / 100 / 128 * 128), 0);
      must(&o, gc_step_census(&o.bench, element), "census");
      snprintf(kept, sizeof(kept), "%s, %d %%: %s", policies[i], percent, text(element, "CapacitySource"));
      if (isnan(number(element, "CapacityBytes")) != (percent != 100))
        fail_msg("%s", kept);
      if (percent >= 70 && !(fabs(number(element, "CensusBytes") - 32768) <= 0.05 * 32768))
        fail_msg("%s: counted were %.0f", kept, number(element, "CensusBytes"));
      close_gpu(&o);
    }
}

/* A first miss that is 6 KiB too early or too late is withheld: so much an H200's L1 of 217 KiB lacks of what its
 * carve-out should leave, which is why it has to be found in two ways. The H200: random replacement, 132 SMs. */
static void lost_kibibytes_are_noticed(void **state)
{
  static const int differences[] = {-8192, -6144, 0, 6144, 8192};
  static const struct wrong l1 = {GC_L1, gc_step_capacity, gc_step_census, 217 << 10, open_l1,
                                  "size = 217 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru", false};

  (void)state;
  check_differences(&l1, differences, sizeof(differences) / sizeof(*differences));
}

/* A capacity that is said to be so many times what it is: a tenth is too much. within: of what is counted. */
static void check_factors(struct opened *o, struct gc_element *element,
                          int (*census)(struct gc_bench *bench, struct gc_element *element), double right,
                          double within, const double *factors, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    claim(element, (uint64_t)(right * factors[i]) / 128 * 128);
    must(o, census(&o->bench, element), "census");
    if (isnan(number(element, "CapacityBytes")) != (fabs(factors[i] - 1) > 0.1) ||
        !(fabs(number(element, "CensusBytes") - right) < within * right))
      fail_msg("%s: %.2f times what there is, counted were %.0f +- %.0f: %s", o->name, factors[i],
               number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
               text(element, "CapacitySource"));
  }
}

/* An L2 that overflows may keep a sixteenth more or less, so an eighth has to be wrong; of one in partitions
 * and of one that is whole. */
static void wrong_l2_are_withheld(void **state)
{
  static const struct {
    const char *profile;
    double bytes;
  } gpus[] = {{"h200", 29491200}, {"v100", 6 << 20}};
  static const double factors[] = {0.86, 0.96, 1, 1.04, 1.14};

  (void)state;
  for (size_t gpu = 0; gpu < sizeof(gpus) / sizeof(*gpus); gpu++) {
    const double right = gpus[gpu].bytes;
    struct gc_element *element;
    struct opened o;

    open_gpu(&o, gpus[gpu].profile);
    open_warm_bench(&o);
    element = element_of(&o, GC_L2);
    must(&o, l2_capacity(&o.bench, element), "capacity");
    if (!(fabs(number(element, "CapacityBytes") - right) < 0.005 * right))
      fail_msg("%s: %.0f bytes", o.name, number(element, "CapacityBytes"));
    check_factors(&o, element, gc_step_l2_census, right, 0.05, factors, sizeof(factors) / sizeof(*factors));
    close_gpu(&o);
  }
}

/* The same of an L3, which all read, and one samples. */
static void wrong_l3_are_withheld(void **state)
{
  static const double factors[] = {0.86, 0.96, 1, 1.04, 1.14}, right = 96 << 20;
  struct gc_element *element;
  struct opened o;

  (void)state;
  open_gpu(&o, "rx7900xtx");
  open_warm_bench(&o);
  element = element_of(&o, GC_L3);
  must(&o, gc_step_l3_capacity(&o.bench, element), "capacity");
  assert_int_equal(number(element, "CapacityBytes"), right);
  check_factors(&o, element, gc_step_l3_census, right, 0.03, factors, sizeof(factors) / sizeof(*factors));
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", o.bench.arena_bytes), 0);
  must(&o, gc_step_l3_census(&o.bench, element), "census");
  assert_string_equal(text(element, "CensusSource"), "absent:too little free device memory");
  close_gpu(&o);
}

/* When a failure made another process go on after the capacity, nothing is counted, and the capacity stays. */
static void nothing_is_known_any_more(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru");
  assert_int_equal(gc_infos_set_u64(&element_of(&o, GC_L1)->infos, "CapacityBytes", 32768), 0);
  must(&o, gc_step_census(&o.bench, element_of(&o, GC_L1)), "census");
  assert_memory_equal(text(element_of(&o, GC_L1), "CensusSource"), "absent:", 7);
  assert_int_equal(number(element_of(&o, GC_L1), "CapacityBytes"), 32768);
  close_gpu(&o);
}

/* The plan tells whoever wants to know, once. */
static void complain(void *data, const char *sentence)
{
  unsigned *count = data;

  assert_non_null(strstr(sentence, "Cache is withheld: misses begin after "));
  (*count)++;
}

static void the_plan_complains(void **state)
{
  unsigned count = 0;
  const struct gc_measure_options options = {.only = "L1Cache", .complain = complain, .data = &count};
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
    cmocka_unit_test(lost_kibibytes_are_noticed),
    cmocka_unit_test(wrong_l2_are_withheld),
    cmocka_unit_test(wrong_l3_are_withheld),
    cmocka_unit_test(nothing_is_known_any_more),
    cmocka_unit_test(the_plan_complains),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
