/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers and dates as text: which texts are numbers, and that what is written can be read.
 */
#define _GNU_SOURCE
#include "util/clock.h"
#include "util/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void digits_and_a_point(void **state)
{
  static const struct { const char *text; double number; } good[] = {
    {"0", 0}, {"10", 10}, {"10.5", 10.5}, {"2.", 2}, {".25", 0.25}, {"007", 7},
  };
  static const char *const bad[] = {"", ".", "-1", "+1", " 1", "1 ", "1,5", "1.5.", "1e3", "0x10", "inf", "nan", NULL};
  double number;

  (void)state;
  for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
    assert_true(gc_number_read(good[i].text, &number));
    assert_true(number == good[i].number);
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
    assert_false(gc_number_read(bad[i], &number));
}

static void whole_numbers(void **state)
{
  static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616", NULL};
  uint64_t number = 7;

  (void)state;
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    assert_false(gc_number_whole(bad[i], &number));
    assert_true(number == 7);
  }
  assert_true(gc_number_whole("18446744073709551615", &number));
  assert_true(number == UINT64_MAX);
  assert_true(gc_number_whole("007", &number));
  assert_true(number == 7);
}

static void digits_end_at_the_first_other_character(void **state)
{
  static const char text[] = "15:1024";
  uint64_t number = 7;

  (void)state;
  assert_ptr_equal(gc_number_digits(text, &number), text + 2);
  assert_true(number == 15);
  assert_null(gc_number_digits(":15", &number));
  assert_null(gc_number_digits(NULL, &number));
  assert_true(number == 15);
}

static void seconds_are_written_to_be_read(void **state)
{
  static const struct { double seconds; const char *text; } written[] = {
    {10, "10"},           {86400, "86400"},  {100, "100"},      {2.5, "2.5"}, {0.001, "0.001"},
    {0.000001, "0.000001"}, {1e-9, "0.000001"}, {12345.678, "12345.678"},
    {1e300, "1000000000000"},
  };
  char text[32];
  double number;

  (void)state;
  for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
    gc_number_seconds(written[i].seconds, text);
    assert_string_equal(text, written[i].text);
    assert_true(gc_number_read(text, &number));
    assert_true(number > 0);
  }
}

/* As libc does: every day from 1970 to 2400, and the last one. */
static void dates_are_those_of_libc(void **state)
{
  static const char *const bad[] = {
    "", "2025-11-21", "2025-11-21T09:30:00", "2025-11-21T09:30:00Z ", "2025-11-21 09:30:00Z",
    "2025-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2025-00-01T00:00:00Z", "2025-13-01T00:00:00Z",
    "2025-01-00T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:60:00Z", "2025-01-01T00:00:60Z",
    "1969-12-31T23:59:59Z", "+025-11-21T09:30:00Z",
  };
  char text[GC_DATE], expected[32];
  time_t read = 4711;
  struct tm tm;

  (void)state;
  for (time_t when = 0; when < GC_DATE_END; when += when < 13569465600 ? 86400 + 61 : 86400 * 9973) {
    gc_date_write(when, text);
    assert_non_null(gmtime_r(&when, &tm));
    strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%SZ", &tm);
    assert_string_equal(text, expected);
    assert_true(gc_date_read(text, &read));
    assert_true(read == when);
  }
  gc_date_write(GC_DATE_END - 1, text);
  assert_string_equal(text, "9999-12-31T23:59:59Z");
  gc_date_write(GC_DATE_END, text);
  assert_string_equal(text, "1970-01-01T00:00:00Z");
  gc_date_write(-1, text);
  assert_string_equal(text, "1970-01-01T00:00:00Z");
  read = 4711;
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
    assert_false(gc_date_read(bad[i], &read));
  assert_int_equal(read, 4711);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(digits_and_a_point),
    cmocka_unit_test(whole_numbers),
    cmocka_unit_test(digits_end_at_the_first_other_character),
    cmocka_unit_test(seconds_are_written_to_be_read),
    cmocka_unit_test(dates_are_those_of_libc),
  };

  return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
