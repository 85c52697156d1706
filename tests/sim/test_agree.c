/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What elements and the interface say of each other: of two that contradict each other neither is told.
 */
#include "census.h"
#include "measure/agree.h"

static const char any_l1[] = "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru";

static void set_up(struct opened *o, enum gc_kind kind, const char *bytes, const char *shared)
{
  struct gc_element *element = element_of(o, kind);

  assert_int_equal(gc_infos_set(&element->infos, "CapacityBytes", bytes), 0);
  assert_int_equal(gc_infos_set(&element->infos, "CapacitySource", "measured"), 0);
  assert_int_equal(gc_infos_set(&element->infos, "CapacityConfidence", "0.98"), 0);
  if (shared)
    assert_int_equal(gc_infos_set(&element->infos, "SharedWith", shared), 0);
}

static void one_storage_one_capacity(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  /* within half a percent; and not shared */
  set_up(&o, GC_L1, "100000", "ReadOnlyCache");
  set_up(&o, GC_READ_ONLY, "100500", "L1Cache");
  set_up(&o, GC_TEXTURE, "50000", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(o.bench.complaints, "");
  assert_int_equal(number(element_of(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  /* more: neither is told, and the third stays */
  set_up(&o, GC_READ_ONLY, "100600", "L1Cache");
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(text(element_of(&o, GC_L1), "CapacitySource"),
                      "absent:L1Cache and ReadOnlyCache are one storage, but 100000 and 100600 bytes were found");
  assert_string_equal(text(element_of(&o, GC_READ_ONLY), "CapacitySource"),
                      text(element_of(&o, GC_L1), "CapacitySource"));
  assert_true(isnan(number(element_of(&o, GC_L1), "CapacityBytes")));
  assert_true(isnan(number(element_of(&o, GC_L1), "CapacityConfidence")));
  assert_int_equal(number(element_of(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  assert_non_null(strstr(o.bench.complaints, "Capacity of L1Cache is withheld: "));
  assert_non_null(strstr(o.bench.complaints, "Capacity of ReadOnlyCache is withheld: "));
  close_gpu(&o);
}

static void no_more_l2_than_there_is(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  set_up(&o, GC_L2, "2097152", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_int_equal(number(element_of(&o, GC_L2), "CapacityBytes"), 2097152);
  set_up(&o, GC_L2, "2500000", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(text(element_of(&o, GC_L2), "CapacitySource"),
                      "absent:2500000 bytes were found, but the interface says that there are 2097152");
  close_gpu(&o);
}

/* Device memory: the two figures that the interface has. */
static void memory_is_counted_twice(void **state)
{
  struct opened o;

  (void)state;
  open_l1(&o, any_l1);
  must(&o, gc_step_api(&o.bench, element_of(&o, GC_DEVICE_MEMORY)), "interface");
  must(&o, gc_agree(&o.bench), "agree");
  assert_int_equal(number(element_of(&o, GC_DEVICE_MEMORY), "CapacityBytes"), 512 << 20);
  o.bench.memory_bytes = 400u << 20;
  must(&o, gc_agree(&o.bench), "agree");
  assert_non_null(strstr(text(element_of(&o, GC_DEVICE_MEMORY), "CapacitySource"),
                         "absent:the interface says 536870912 bytes in one place, and 419430400 in another"));
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_storage_one_capacity),
    cmocka_unit_test(no_more_l2_than_there_is),
    cmocka_unit_test(memory_is_counted_twice),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
