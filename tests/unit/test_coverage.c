/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what two records determine, and tests when a provisional record is measured again.
 */
#include "record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct property {
  enum gc_kind kind;
  const char *name, *source;
};

/* A record with these properties; the list ends with a NULL name. */
static struct gc_record *make(const struct property *properties)
{
  static const struct gc_identity identity = {.id = "sim-x"};
  struct gc_record *record = gc_record_new(&identity);

  assert_non_null(record);
  for (; properties->name; properties++) {
    const bool whole = properties->kind == GC_WHOLE_GPU;
    struct gc_element *element = whole ? NULL : gc_record_find(record, properties->kind);
    char name[64];

    if (!element && !whole)
      element = gc_record_add(record, properties->kind);
    assert_true(element || whole);
    snprintf(name, sizeof(name), "%sSource", properties->name);
    assert_int_equal(
        gc_infos_set(whole ? &record->infos : &element->infos, name, properties->source), 0);
  }
  return record;
}

#define RECORD(...) make((const struct property[]){__VA_ARGS__, {GC_L1, NULL, NULL}})
#define CAPACITY(source) {GC_L1, "Capacity", source}
#define LINE(source) {GC_L1, "Line", source}

/* Frees both. */
static unsigned lost(struct gc_record *earlier, struct gc_record *now, char *names, size_t size)
{
  const unsigned count = gc_record_lost(earlier, now, names, size);

  gc_record_free(earlier);
  gc_record_free(now);
  return count;
}

static void a_value_that_is_now_absent_is_lost(void **state)
{
  static const char *const nothing[] = {"absent:noise", "absent:", NULL};
  char names[100];

  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct gc_record *now = nothing[i] ? RECORD(CAPACITY("measured"), LINE(nothing[i]))
                                       : RECORD(CAPACITY("measured"));

    assert_int_equal(lost(RECORD(CAPACITY("measured"), LINE("measured")), now, names,
                          sizeof(names)),
                     1);
    assert_string_equal(names, "L1Cache Line");
  }
  /* the whole element is missing */
  assert_int_equal(lost(RECORD(CAPACITY("measured"), {GC_L2, "Line", "sysfs"}),
                        RECORD(CAPACITY("measured")), names, sizeof(names)),
                   1);
  assert_string_equal(names, "L2Cache Line");
}

static void a_value_of_the_whole_gpu_is_lost_too(void **state)
{
  char names[100];

  (void)state;
  assert_int_equal(lost(RECORD({GC_WHOLE_GPU, "Flush", "measured"}, CAPACITY("measured")),
                        RECORD({GC_WHOLE_GPU, "Flush", "absent:noise"}, CAPACITY("measured")),
                        names, sizeof(names)),
                   1);
  assert_string_equal(names, "GPU Flush");
}

static void measured_is_better_than_stated(void **state)
{
  (void)state;
  assert_int_equal(lost(RECORD(LINE("measured")), RECORD(LINE("sysfs")), NULL, 0), 1);
  assert_int_equal(lost(RECORD(LINE("measured")), RECORD(LINE("api")), NULL, 0), 1);
  assert_int_equal(lost(RECORD(LINE("api")), RECORD(LINE("absent:")), NULL, 0), 1);
  assert_int_equal(lost(RECORD(LINE("api")), RECORD(LINE("sysfs")), NULL, 0), 0);
  assert_int_equal(lost(RECORD(LINE("sysfs")), RECORD(LINE("api")), NULL, 0), 0);
  assert_int_equal(lost(RECORD(LINE("sysfs")), RECORD(LINE("measured")), NULL, 0), 0);
}

static void what_was_absent_cannot_be_lost(void **state)
{
  char names[10] = "?";

  (void)state;
  assert_int_equal(lost(RECORD(CAPACITY("measured"), LINE("absent:noise")),
                        RECORD(CAPACITY("measured")), names, sizeof(names)),
                   0);
  assert_string_equal(names, "");
  assert_int_equal(lost(RECORD(LINE("absent:a")), RECORD(LINE("absent:b")), NULL, 0), 0);
}

/* Infos that are no property, and values that differ, do not count. */
static void values_and_other_infos_do_not_count(void **state)
{
  struct gc_record *earlier = RECORD(CAPACITY("measured")), *now = RECORD(CAPACITY("measured"));

  (void)state;
  gc_infos_set(&earlier->elements[0].infos, "CapacityBytes", "100");
  gc_infos_set(&earlier->elements[0].infos, "CapacityConfidence", "0.9999");
  gc_infos_set(&earlier->elements[0].infos, "CarveoutPercent", "0");
  gc_infos_set(&earlier->elements[0].infos, "Source", "measured");
  gc_infos_set(&earlier->infos, "SMs", "132");
  gc_infos_set(&now->elements[0].infos, "CapacityBytes", "90");
  gc_infos_set(&now->elements[0].infos, "CapacityConfidence", "0.5");
  assert_int_equal(lost(earlier, now, NULL, 0), 0);
}

static void three_are_named_and_all_are_counted(void **state)
{
  char names[100], few[12];

  (void)state;
  assert_int_equal(lost(RECORD(CAPACITY("measured"), LINE("measured"), {GC_L1, "Read", "measured"},
                               {GC_L2, "Line", "api"}, {GC_L2, "Read", "measured"}),
                        RECORD(CAPACITY("absent:")), names, sizeof(names)),
                   5);
  /* L2Cache comes before the L1Cache in it */
  assert_string_equal(names, "L2Cache Line, L2Cache Read, L1Cache Capacity and 2 more");
  assert_int_equal(lost(RECORD(CAPACITY("measured"), LINE("measured")), RECORD(CAPACITY("absent:")),
                        few, sizeof(few)),
                   2);
  assert_string_equal(few, "L1Cache Cap");
}

/* --- which record may replace which ------------------------------------------------------- */

static struct gc_record *provisional(struct gc_record *record)
{
  assert_int_equal(gc_infos_set(&record->infos, GC_PROVISIONAL, "too hot"), 0);
  return record;
}

static bool may_replace(struct gc_record *earlier, struct gc_record *now)
{
  const bool may = gc_record_may_replace(earlier, now);

  gc_record_free(earlier);
  gc_record_free(now);
  return may;
}

#define POOR() RECORD(CAPACITY("measured"), LINE("absent:"), {GC_L1, "Read", "absent:"})
#define OTHER() RECORD(CAPACITY("absent:"), LINE("measured"), {GC_L1, "Read", "absent:"})
#define RICHER() RECORD(CAPACITY("absent:"), LINE("measured"), {GC_L1, "Read", "measured"})
#define ALL() RECORD(CAPACITY("measured"), LINE("measured"), {GC_L1, "Read", "measured"})

static void a_complete_record_loses_nothing(void **state)
{
  (void)state;
  assert_true(may_replace(ALL(), ALL()));
  assert_true(may_replace(POOR(), ALL()));
  assert_false(may_replace(ALL(), POOR()));
  assert_false(may_replace(ALL(), provisional(POOR())));
  assert_false(may_replace(POOR(), OTHER()));
  assert_false(may_replace(POOR(), RICHER())); /* it gains more, but the capacity would be lost */
}

static void a_provisional_record_is_replaced_by_a_better_one(void **state)
{
  (void)state;
  assert_true(may_replace(provisional(POOR()), ALL()));
  assert_true(may_replace(provisional(POOR()), provisional(POOR())));
  assert_true(may_replace(provisional(POOR()), provisional(RICHER())));
  assert_false(may_replace(provisional(POOR()), provisional(OTHER())));
  assert_true(may_replace(provisional(POOR()), OTHER()));
  assert_false(may_replace(provisional(ALL()), POOR()));
  assert_false(may_replace(provisional(ALL()), provisional(POOR())));
}

/* --- back-off ------------------------------------------------------------------------------- */

#define NOW ((time_t)1767225600) /* 2026-01-01T00:00:00Z */

static void the_wait_doubles_up_to_a_day(void **state)
{
  static const struct {
    uint64_t tries;
    time_t seconds;
  } cases[] = {{0, 600},   {1, 600},    {2, 1200},   {3, 2400},          {7, 38400},
               {8, 76800}, {9, 86400}, {10, 86400}, {UINT64_MAX, 86400}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
    assert_int_equal(gc_provisional_wait(cases[i].tries), cases[i].seconds);
}

static void a_record_is_due_after_the_wait(void **state)
{
  struct gc_record *record = provisional(ALL());

  (void)state;
  assert_int_equal(gc_provisional_note_try(record, 0, NOW), 0);
  assert_string_equal(gc_infos_get(&record->infos, GC_PROVISIONAL_TRIES), "1");
  assert_string_equal(gc_infos_get(&record->infos, GC_PROVISIONAL_TRIED), "2026-01-01T00:00:00Z");
  assert_int_equal(gc_provisional_next(record), NOW + 600);
  assert_false(gc_provisional_is_due(record, NOW));
  assert_false(gc_provisional_is_due(record, NOW + 599));
  assert_true(gc_provisional_is_due(record, NOW + 600));
  gc_provisional_note_try(record, gc_provisional_tries(record), NOW + 700);
  assert_int_equal(gc_provisional_tries(record), 2);
  assert_false(gc_provisional_is_due(record, NOW + 700 + 1199));
  assert_true(gc_provisional_is_due(record, NOW + 700 + 1200));
  /* a clock that goes back a little, or much */
  assert_false(gc_provisional_is_due(record, NOW + 700 - 60));
  assert_true(gc_provisional_is_due(record, NOW + 700 - 61));
  gc_record_free(record);
}

static void a_record_without_a_usable_date_is_due(void **state)
{
  static const char *const dates[] = {"", "yesterday", "2026-01-01", "2026-01-01T00:00:00Zx"};

  (void)state;
  for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
    struct gc_record *record = provisional(ALL());

    assert_true(gc_provisional_is_due(record, NOW));
    gc_infos_set(&record->infos, GC_PROVISIONAL_TRIED, dates[i]);
    gc_infos_set(&record->infos, GC_PROVISIONAL_TRIES, "many");
    assert_int_equal(gc_provisional_tries(record), 1);
    assert_int_equal(gc_provisional_next(record), 0);
    assert_true(gc_provisional_is_due(record, NOW));
    gc_record_free(record);
  }
}

static void a_complete_record_is_never_due(void **state)
{
  struct gc_record *record = ALL();

  (void)state;
  gc_infos_set(&record->infos, GC_PROVISIONAL_TRIED, "2020-01-01T00:00:00Z");
  assert_false(gc_provisional_is_due(record, NOW));
  assert_int_equal(gc_provisional_tries(record), 0);
  assert_int_equal(gc_provisional_note_try(record, 0, NOW), 0);
  assert_null(gc_infos_get(&record->infos, GC_PROVISIONAL_TRIES));
  gc_record_free(record);
}

static void the_status_names_the_reason(void **state)
{
  struct gc_record *complete = ALL(), *poor = provisional(POOR());
  char text[200], small[20];

  (void)state;
  gc_record_status(complete, NULL, text, sizeof(text));
  assert_string_equal(text, "measured");
  gc_record_status(complete, "it is busy", text, sizeof(text));
  assert_string_equal(text, "measured earlier, not refreshed: it is busy");
  gc_record_status(poor, NULL, text, sizeof(text));
  assert_string_equal(text, "measured, but provisional: too hot");
  gc_record_status(poor, "it is busy", text, sizeof(text));
  assert_string_equal(
      text, "measured earlier, but provisional: too hot; not measured again: it is busy");
  gc_record_status(poor, NULL, small, sizeof(small));
  assert_string_equal(small, "measured, but provi");
  gc_record_free(complete);
  gc_record_free(poor);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_that_is_now_absent_is_lost),
      cmocka_unit_test(a_value_of_the_whole_gpu_is_lost_too),
      cmocka_unit_test(measured_is_better_than_stated),
      cmocka_unit_test(what_was_absent_cannot_be_lost),
      cmocka_unit_test(values_and_other_infos_do_not_count),
      cmocka_unit_test(three_are_named_and_all_are_counted),
      cmocka_unit_test(a_complete_record_loses_nothing),
      cmocka_unit_test(a_provisional_record_is_replaced_by_a_better_one),
      cmocka_unit_test(the_wait_doubles_up_to_a_day),
      cmocka_unit_test(a_record_is_due_after_the_wait),
      cmocka_unit_test(a_record_without_a_usable_date_is_due),
      cmocka_unit_test(a_complete_record_is_never_due),
      cmocka_unit_test(the_status_names_the_reason),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
