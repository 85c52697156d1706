/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated GPU that another program uses, or whose clock is throttled. If the interference ends,
 * the values are as without it. If it stays, the GPU is refused. After each time slice of the other
 * program L2 is full of its data, so values measured between two such slices are wrong.
 */
#include "variant.h"

#include <inttypes.h>

#define BUSY "sms = 4\nbusy = 5000 300000 "
#define FOREVER "1000000000000000"

/* only: elements; NULL: the whole plan. */
static int measure_only(struct opened *o, const char *only, const char *chip, double patience)
{
  const struct gc_measure_options options = {.only = only, .patience = patience};

  open_variant(o, &(struct variant){chip, "", "200 2"});
  return gc_measure(o->device, &options, o->record, &o->err);
}

static int measure(struct opened *o, const char *chip, double patience)
{
  return measure_only(o, "L2Cache,L1Cache", chip, patience);
}

static int measure_all(struct opened *o, const char *chip, double patience)
{
  return measure_only(o, NULL, chip, patience);
}

static int measure_memory(struct opened *o, const char *chip, double patience)
{
  return measure_only(o, "DeviceMemory", chip, patience);
}

static double figure(const struct opened *o, enum gc_kind kind, const char *key)
{
  return number(gc_record_find(o->record, kind), key);
}

/* Both records have the same capacities and latencies of L2 and L1. */
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

static void an_undisturbed_gpu_repeats_nothing(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, "sms = 4", 0), 0);
  assert_int_equal(fact(&gpu, "MeasuringRepeats"), 0);
  close_gpu(&gpu);
}

static void lasting_interference_is_refused(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, BUSY "0 " FOREVER, 0.05), -EBUSY);
  assert_non_null(strstr(gpu.err.text, "the GPU is busy: another program"));
  close_gpu(&gpu);
}

static void interference_before_the_first_step_ends(void **state)
{
  struct opened undisturbed, gpu;

  (void)state;
  must(&undisturbed, measure(&undisturbed, "sms = 4", 0), "measure");
  must(&gpu, measure(&gpu, BUSY "0 5000000", 60), "measure");
  assert_alike(&undisturbed, &gpu);
  assert_int_equal(fact(&gpu, "MeasuringRepeats"), 0);
  close_gpu(&gpu);
  close_gpu(&undisturbed);
}

/* The interference starts at several times, so that it disturbs several steps. The times are those
 * of the simulated GPU's clock, which stops while the program waits. */
static void interference_between_steps_repeats_them(void **state)
{
  struct opened undisturbed, gpu;
  uint64_t repeats = 0;
  char chip[96];

  (void)state;
  must(&undisturbed, measure(&undisturbed, "sms = 4", 0), "measure");
  for (unsigned from = 1200000; from < 3000000; from += 250000) {
    snprintf(chip, sizeof(chip), BUSY "%u 12000000", from);
    must(&gpu, measure(&gpu, chip, 60), "measure");
    assert_alike(&undisturbed, &gpu);
    repeats += fact(&gpu, "MeasuringRepeats");
    close_gpu(&gpu);
  }
  assert_true(repeats > 0);
  close_gpu(&undisturbed);
}

static void a_slow_clock_recovers(void **state)
{
  struct opened undisturbed, gpu;

  (void)state;
  must(&undisturbed, measure(&undisturbed, "sms = 4", 0), "measure");
  must(&gpu, measure(&gpu, "sms = 4\nthrottle = 500000 1500000 9000000", 60), "measure");
  assert_alike(&undisturbed, &gpu);
  assert_true(fact(&gpu, "MeasuringRepeats") > 0);
  assert_int_equal(fact(&gpu, "MeasuredSMClockMHz"), 1000);
  close_gpu(&gpu);
  close_gpu(&undisturbed);
}

/* No kernel of another program runs, but memory is cleared until some time. The latency is that
 * without clearing, or that with it if clearing never ends. */
static void memory_that_is_cleared_starts_the_plan_again(void **state)
{
  struct opened gpu;
  uint64_t repeats = 0;

  (void)state;
  for (uint64_t until = 4000000; until < 1000000000; until *= 2) {
    char chip[96];
    double cycles;

    snprintf(chip, sizeof(chip), "sms = 4\nclearing = 60 0 %" PRIu64, until);
    must(&gpu, measure_memory(&gpu, chip, 60), "measure");
    cycles = figure(&gpu, GC_DEVICE_MEMORY, "LatencyCycles");
    if (fact(&gpu, "MeasuringRepeats"))
      assert_float_equal(cycles, 500, 5);
    else
      assert_true(fabs(cycles - 500) < 5 || fabs(cycles - 560) < 5);
    repeats += fact(&gpu, "MeasuringRepeats");
    close_gpu(&gpu);
  }
  assert_true(repeats > 0);
}

/* There is no time to measure again. */
static void a_memory_that_changes_has_no_latency(void **state)
{
  struct opened gpu;
  unsigned absent = 0;

  (void)state;
  for (uint64_t until = 4000000; until < 1000000000; until *= 2) {
    const struct gc_element *memory;
    char chip[96];

    snprintf(chip, sizeof(chip), "sms = 4\nclearing = 60 0 %" PRIu64, until);
    must(&gpu, measure_memory(&gpu, chip, 1e-6), "measure");
    memory = gc_record_find(gpu.record, GC_DEVICE_MEMORY);
    if (strcmp(text(memory, "LatencySource"), "measured")) {
      assert_string_equal(text(memory, "LatencySource"),
                          "absent:it changed during the measurement");
      assert_non_null(gc_infos_get(&gpu.record->infos, GC_PROVISIONAL));
      absent++;
    }
    close_gpu(&gpu);
  }
  assert_true(absent > 0);
}

/* A clock that stays lower is no reason to refuse, but no value may belong to the old one. */
static void a_new_clock_starts_the_plan_again(void **state)
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

/* A neighbour occupies SMs (MPS), or a mask hides them: our blocks reach half of the SMs. */
static void blocks_that_meet_are_interference(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, "sms = 4\nneighbour = 2 1 0 " FOREVER, 0.05), -EBUSY);
  assert_non_null(strstr(gpu.err.text, "the GPU is busy: launches reach 2 of its 4 SMs"));
  close_gpu(&gpu);
}

static void a_neighbour_that_ends_repeats_steps(void **state)
{
  struct opened undisturbed, gpu;
  uint64_t repeats = 0;
  char chip[96];

  (void)state;
  must(&undisturbed, measure(&undisturbed, "sms = 4", 0), "measure");
  for (unsigned from = 0; from < 3000000; from += 500000) {
    snprintf(chip, sizeof(chip), "sms = 4\nneighbour = 3 1 %u 12000000", from);
    must(&gpu, measure(&gpu, chip, 60), "measure");
    assert_alike(&undisturbed, &gpu);
    repeats += fact(&gpu, "MeasuringRepeats");
    assert_null(gc_infos_get(&gpu.record->infos, GC_PROVISIONAL));
    close_gpu(&gpu);
  }
  assert_true(repeats > 0);
  close_gpu(&undisturbed);
}

/* A published bandwidth must be right. */
static void assert_right_or_absent(const struct opened *free, const struct opened *beside,
                                   enum gc_kind kind, const char *key, unsigned *absent)
{
  const double x = figure(free, kind, key), y = figure(beside, kind, key);

  if (!(x > 0))
    fail_msg("%s of %s is absent on a free GPU", key, gc_kinds[kind].subtype);
  if (isnan(y))
    ++*absent;
  else if (fabs(x - y) > 0.05 * x)
    fail_msg("%s of %s: %g instead of %g", key, gc_kinds[kind].subtype, y, x);
}

/* A neighbour slows some SMs down. Properties that it disturbs are absent for now, not wrong. */
static void bandwidths_that_scatter_are_absent_for_now(void **state)
{
  struct opened undisturbed, gpu;
  unsigned absent = 0;

  (void)state;
  must(&undisturbed, measure_all(&undisturbed, "sms = 16", 0), "measure");
  assert_null(gc_infos_get(&undisturbed.record->infos, GC_PROVISIONAL));
  must(&gpu, measure_all(&gpu, "sms = 16\nneighbour = 16 6 0 " FOREVER, 0.5), "measure");
  assert_right_or_absent(&undisturbed, &gpu, GC_L1, "ReadBytesPerCycle", &absent);
  assert_right_or_absent(&undisturbed, &gpu, GC_SHARED_MEMORY, "ReadBytesPerCycle", &absent);
  assert_right_or_absent(&undisturbed, &gpu, GC_SHARED_MEMORY, "WriteBytesPerCycle", &absent);
  assert_int_equal(absent, 3);
  assert_non_null(strstr(gc_infos_get(&gpu.record->infos, GC_PROVISIONAL), "another program"));
  assert_true(fact(&gpu, "MeasuringRepeats") > 0);
  close_gpu(&gpu);
  close_gpu(&undisturbed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_undisturbed_gpu_repeats_nothing),
      cmocka_unit_test(lasting_interference_is_refused),
      cmocka_unit_test(interference_before_the_first_step_ends),
      cmocka_unit_test(interference_between_steps_repeats_them),
      cmocka_unit_test(a_slow_clock_recovers),
      cmocka_unit_test(a_new_clock_starts_the_plan_again),
      cmocka_unit_test(memory_that_is_cleared_starts_the_plan_again),
      cmocka_unit_test(a_memory_that_changes_has_no_latency),
      cmocka_unit_test(blocks_that_meet_are_interference),
      cmocka_unit_test(a_neighbour_that_ends_repeats_steps),
      cmocka_unit_test(bandwidths_that_scatter_are_absent_for_now),
  };

  return cmocka_run_group_tests_name("busy", tests, NULL, NULL);
}
