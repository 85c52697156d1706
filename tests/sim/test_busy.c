/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated GPU that another program uses, or whose clock is throttled: measured as if nothing
 * had been when that passes, refused when it stays. After each turn of the other program L2 is full
 * of its data, so what is measured between such turns is wrong.
 */
#include "variant.h"

#define BUSY "sms = 4\nbusy = 5000 300000 "
#define FOREVER "1000000000000000"

static int measure(struct opened *o, const char *chip, double patience)
{
  const struct gc_measure_options options = {.only = "L2Cache,L1Cache", .patience = patience};

  open_variant(o, &(struct variant){chip, "", "200 2"});
  return gc_measure(o->device, &options, o->record, &o->err);
}

static double figure(const struct opened *o, enum gc_kind kind, const char *key)
{
  return number(gc_record_find(o->record, kind), key);
}

/* All that is told about two elements, apart from what depends on when it was measured. */
static void assert_alike(const struct opened *a, const struct opened *b)
{
  static const enum gc_kind kinds[] = {GC_L2, GC_L1};
  static const char *const numbers[] = {"CapacityBytes", "LatencyCycles"};

  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < 2; i++) {
      const double x = figure(a, kinds[k], numbers[i]);
      const double y = figure(b, kinds[k], numbers[i]);

      if (!(x > 0 && fabs(x - y) <= 0.005 * x))
        fail_msg("%s of %s: %g and %g", numbers[i], gc_kinds[kinds[k]].subtype, x, y);
    }
}

static uint64_t fact(const struct opened *gpu, const char *name)
{
  uint64_t value = 0;

  assert_int_equal(gc_infos_get_u64(&gpu->record->infos, name, &value), 0);
  return value;
}

static void peace_is_not_disturbed(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, "sms = 4", 0), 0);
  assert_int_equal(fact(&gpu, "MeasuringRepeats"), 0);
  close_gpu(&gpu);
}

static void what_stays_is_refused(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, BUSY "0 " FOREVER, 0.05), -EBUSY);
  assert_non_null(strstr(gpu.err.text, "the GPU is busy: another program"));
  close_gpu(&gpu);
}

static void it_passes_before_the_first_step(void **state)
{
  struct opened peace, gpu;

  (void)state;
  must(&peace, measure(&peace, "sms = 4", 0), "measure");
  must(&gpu, measure(&gpu, BUSY "0 5000000", 60), "measure");
  assert_alike(&peace, &gpu);
  assert_int_equal(fact(&gpu, "MeasuringRepeats"), 0);
  close_gpu(&gpu);
  close_gpu(&peace);
}

/* At several times, so that several steps are hit; by the clock of the simulated GPU, which does
 * not go on while we wait. */
static void it_comes_and_goes_in_the_middle(void **state)
{
  struct opened peace, gpu;
  uint64_t repeats = 0;
  char chip[96];

  (void)state;
  must(&peace, measure(&peace, "sms = 4", 0), "measure");
  for (unsigned from = 1200000; from < 3000000; from += 250000) {
    snprintf(chip, sizeof(chip), BUSY "%u 12000000", from);
    must(&gpu, measure(&gpu, chip, 60), "measure");
    assert_alike(&peace, &gpu);
    repeats += fact(&gpu, "MeasuringRepeats");
    close_gpu(&gpu);
  }
  assert_true(repeats > 0);
  close_gpu(&peace);
}

static void a_slow_clock_passes(void **state)
{
  struct opened peace, gpu;

  (void)state;
  must(&peace, measure(&peace, "sms = 4", 0), "measure");
  must(&gpu, measure(&gpu, "sms = 4\nthrottle = 500000 1500000 9000000", 60), "measure");
  assert_alike(&peace, &gpu);
  assert_true(fact(&gpu, "MeasuringRepeats") > 0);
  assert_int_equal(fact(&gpu, "MeasuredSMClockMHz"), 1000);
  close_gpu(&gpu);
  close_gpu(&peace);
}

/* A clock that falls for good is no reason to refuse, but nothing may be told at the old one. */
static void another_clock_begins_anew(void **state)
{
  struct opened gpu;

  (void)state;
  must(&gpu, measure(&gpu, "sms = 4\nthrottle = 500000 3000000 " FOREVER, 60), "measure");
  assert_int_equal(fact(&gpu, "MeasuredSMClockMHz"), 500);
  assert_true(fact(&gpu, "MeasuringRepeats") > 0);
  assert_true(fabs(figure(&gpu, GC_L1, "LatencyNs") - 60) < 1);
  assert_true(fabs(figure(&gpu, GC_L2, "LatencyNs") - 400) < 8);
  close_gpu(&gpu);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(peace_is_not_disturbed),    cmocka_unit_test(what_stays_is_refused),
    cmocka_unit_test(it_passes_before_the_first_step),
    cmocka_unit_test(it_comes_and_goes_in_the_middle), cmocka_unit_test(a_slow_clock_passes),
    cmocka_unit_test(another_clock_begins_anew),
  };

  return cmocka_run_group_tests_name("busy", tests, NULL, NULL);
}
