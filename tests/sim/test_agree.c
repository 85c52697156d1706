/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The agreement check between elements, and with the interface: if two values contradict each
 * other, both are withheld. The whole plan on an L2 that is no faster than memory.
 */
#include "measure/capacity/capacity.h"
#include "measure/capacity/search.h"
#include "measure/check/agree.h"

#include "census.h"
#include "variant.h"

static const char any_l1[] = "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru";

/* Sets the capacity of an element, and the elements that it shares its storage with. */
static void set_up(struct opened *o, enum gc_kind kind, uint64_t bytes, uint32_t shared_with)
{
  claim(o, kind, bytes);
  measured(o, kind)->shared_with = shared_with;
  gc_set_measured(measured(o, kind), GC_SHARED_WITH, 0.98);
}

static void shared_storage_has_one_capacity(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  /* half a percent is allowed, and the texture cache is not shared */
  set_up(&o, GC_L1, 100000, 1u << GC_READ_ONLY);
  set_up(&o, GC_READ_ONLY, 100500, 1u << GC_L1);
  set_up(&o, GC_TEXTURE, 50000, 0);
  gc_check_agreement(&o.m);
  assert_string_equal(o.results->warnings, "");
  assert_int_equal(number(published(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  /* more than half a percent: both are withheld, and the texture cache keeps its value */
  set_up(&o, GC_READ_ONLY, 100600, 1u << GC_L1);
  gc_check_agreement(&o.m);
  published(&o, GC_L1);
  assert_string_equal(text(gc_record_find(o.record, GC_L1), "CapacitySource"),
                      "absent:L1Cache and ReadOnlyCache are one storage, but 100000 and 100600 bytes were found");
  assert_string_equal(text(gc_record_find(o.record, GC_READ_ONLY), "CapacitySource"),
                      text(gc_record_find(o.record, GC_L1), "CapacitySource"));
  assert_true(isnan(number(published(&o, GC_L1), "CapacityBytes")));
  assert_true(isnan(number(published(&o, GC_L1), "CapacityConfidence")));
  assert_int_equal(number(published(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  assert_non_null(strstr(o.results->warnings, "Capacity of L1Cache is withheld: "));
  assert_non_null(strstr(o.results->warnings, "Capacity of ReadOnlyCache is withheld: "));
  close_gpu(&o);
}

static void l2_is_not_larger_than_stated(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  set_up(&o, GC_L2, 2097152, 0);
  gc_check_agreement(&o.m);
  assert_int_equal(number(published(&o, GC_L2), "CapacityBytes"), 2097152);
  set_up(&o, GC_L2, 2500000, 0);
  gc_check_agreement(&o.m);
  assert_string_equal(text(published(&o, GC_L2), "CapacitySource"),
                      "absent:2500000 bytes were found, but the interface says that there are 2097152");
  close_gpu(&o);
}

/* The interface states the size of device memory in two places. */
static void two_memory_sizes_must_agree(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  run_step(&o, gc_step_interface, GC_DEVICE_MEMORY);
  gc_check_agreement(&o.m);
  assert_int_equal(number(published(&o, GC_DEVICE_MEMORY), "CapacityBytes"), 512 << 20);
  o.m.bench.memory_bytes = 400u << 20;
  gc_check_agreement(&o.m);
  assert_non_null(strstr(text(published(&o, GC_DEVICE_MEMORY), "CapacitySource"),
                         "absent:the interface says 536870912 bytes in one place, and 419430400 in another"));
  close_gpu(&o);
}

/* Measures a GPU with this L2 by the whole plan. */
static const struct gc_element *measure_l2(struct opened *o, const struct variant *variant)
{
  const struct gc_measure_options options = {.tables = NULL};

  open_variant(o, variant);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
  return gc_record_find(o->record, GC_L2);
}

/* Whether the value of this property is withheld because of the next level. */
static bool is_withheld(const struct gc_element *element, const char *property)
{
  char name[64];

  snprintf(name, sizeof(name), "%sSource", property);
  return !strncmp(text(element, name), "absent:", 7) &&
         strstr(text(element, name), "may have gone there");
}

static void an_l2_with_the_latency_of_memory_is_withheld(void **state)
{
  const struct gc_element *l2;
  struct opened o;

  (void)state;
  l2 = measure_l2(&o, &(struct variant){"sms = 8", "", "470 5"});
  assert_true(is_withheld(l2, "Latency"));
  for (size_t i = 0; i < l2->infos.count; i++)
    if (!strcmp(l2->infos.array[i].value, "measured"))
      fail_msg("%s of an L2 that is no faster than memory is reported", l2->infos.array[i].name);
  assert_int_equal(number(gc_record_find(o.record, GC_DEVICE_MEMORY), "LatencyCycles"), 500);
  close_gpu(&o);
  /* the same L2, with 0.8 of the latency of memory */
  l2 = measure_l2(&o, &(struct variant){"sms = 8", "", "400 5"});
  assert_false(is_withheld(l2, "Latency"));
  assert_true(fabs(number(l2, "LatencyCycles") - 400) <= 4);
  close_gpu(&o);
}

static void an_l2_with_the_bandwidth_of_memory_is_withheld(void **state)
{
  const char *chip = "sms = 8\nmemory_read_gbps = 200\nmemory_write_gbps = 100";
  const struct gc_element *l2;
  struct opened o;

  (void)state;
  l2 = measure_l2(&o, &(struct variant){chip, "read_gbps = 210\nwrite_gbps = 210", "200 5"});
  assert_true(is_withheld(l2, "Read"));
  assert_false(is_withheld(l2, "Write"));
  assert_false(is_withheld(l2, "Latency"));
  close_gpu(&o);
  l2 = measure_l2(&o, &(struct variant){chip, "read_gbps = 400\nwrite_gbps = 105", "200 5"});
  assert_true(fabs(number(l2, "ReadGBps") - 400) <= 12);
  assert_true(fabs(number(l2, "WriteGBps") - 105) <= 4);
  close_gpu(&o);
}

#define EXPECTED 65536u

/* Loads of a cache of EXPECTED bytes whose hits take longer before the first miss, from *data bytes
 * on. */
static int slower_hits(void *data, const struct gc_path *path, const struct gc_binning *binning,
                       struct gc_run *runs, size_t n)
{
  const uint64_t *slower = data;

  (void)path;
  for (size_t i = 0; i < n; i++) {
    struct gpu_chase_result *seen = &runs[i].seen;

    memset(seen, 0, sizeof(*seen));
    seen->loads = 1000;
    seen->slow = runs[i].bytes > EXPECTED && binning->threshold < 300 ? 300 : 0;
    seen->histogram[300 >> binning->shift] = runs[i].bytes > EXPECTED ? 300 : 0;
    seen->histogram[(runs[i].bytes >= *slower ? 90 : 60) >> binning->shift] =
        seen->loads - seen->histogram[300 >> binning->shift];
  }
  return 0;
}

/* An expected capacity is confirmed by both methods, or not at all. */
static void a_change_before_the_first_miss_confirms_nothing(void **state)
{
  uint64_t slower = UINT64_MAX;
  struct gc_search search = {.path = *gc_path_of(GC_TEXTURE), .min = 1024, .max = 1 << 20,
                             .step = 32, .sizes = GC_SWEEP_SIZES, .repeats = GC_SWEEP_REPEATS,
                             .confirm = GC_CONFIRM_MAX, .expected = EXPECTED, .walk = slower_hits,
                             .data = &slower};
  struct gc_capacity_result found;
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  assert_int_equal(gc_find_capacity(&o.m, &search, &found), 0);
  assert_int_equal(found.bytes, EXPECTED);
  slower = EXPECTED - 8 * 32;
  assert_int_equal(gc_find_capacity(&o.m, &search, &found), 0);
  assert_int_equal(found.bytes, 0);
  assert_string_not_equal(found.absent, "");
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(shared_storage_has_one_capacity),
    cmocka_unit_test(l2_is_not_larger_than_stated),
    cmocka_unit_test(two_memory_sizes_must_agree),
    cmocka_unit_test(a_change_before_the_first_miss_confirms_nothing),
    cmocka_unit_test(an_l2_with_the_latency_of_memory_is_withheld),
    cmocka_unit_test(an_l2_with_the_bandwidth_of_memory_is_withheld),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
