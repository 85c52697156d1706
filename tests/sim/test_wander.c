/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulated GPUs whose SM clock wanders, or ramps up late. L2 and device memory have a clock of
 * their own.
 */
#include "variant.h"

#define OWN "sms = 4\nown_clock = l2\n"

static char warned[1024];

static void keep_warning(void *data, const char *sentence)
{
  (void)data;
  snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s\n", sentence);
}

static int measure(struct opened *o, const char *chip, double patience)
{
  const struct gc_measure_options options = {.patience = patience, .warn = keep_warning};

  *warned = '\0';
  open_variant(o, &(struct variant){chip, "", "200 2"});
  return gc_measure(o->device, &options, o->record, &o->err);
}

static const char *info(const struct opened *o, enum gc_kind kind, const char *key)
{
  return text(gc_record_find(o->record, kind), key);
}

static double figure(const struct opened *o, enum gc_kind kind, const char *key)
{
  return number(gc_record_find(o->record, kind), key);
}

static const char *fact(const struct opened *o, const char *key)
{
  const char *value = gc_infos_get(&o->record->infos, key);

  return value ? value : "";
}

static void assert_withheld(const struct opened *o, enum gc_kind kind, const char *property)
{
  char key[64];

  snprintf(key, sizeof(key), "%sSource", property);
  if (!strstr(info(o, kind, key), "absent:the SM clock does not settle: it was between ") &&
      strcmp(info(o, kind, key), "absent:repetitions disagree")) /* because of the clock */
    fail_msg("%s of %s: %s", key, gc_kinds[kind].subtype, info(o, kind, key));
}

/* Everything inside the SM is right, everything else is withheld with the reason. */
static void assert_inside_only(const struct opened *o)
{
  assert_true(figure(o, GC_L1, "CapacityBytes") == 8192);
  assert_true(figure(o, GC_L1, "LineBytes") == 128);
  assert_true(figure(o, GC_L1, "FetchBytes") == 32);
  assert_true(figure(o, GC_L1, "PerSM") == 1);
  assert_true(fabs(figure(o, GC_L1, "LatencyCycles") - 30) <= 1);
  assert_true(fabs(figure(o, GC_L1, "ReadBytesPerCycle") - 64) <= 2);
  assert_true(fabs(figure(o, GC_SHARED_MEMORY, "LatencyCycles") - 20) <= 1);
  assert_string_equal(info(o, GC_L1, "LatencyNs"), "");
  assert_string_equal(info(o, GC_SHARED_MEMORY, "LatencyNs"), "");
  assert_withheld(o, GC_L1, "MissPenalty");
  assert_withheld(o, GC_DEVICE_MEMORY, "Latency");
  assert_string_equal(info(o, GC_L2, "LatencyCycles"), "");
  assert_string_equal(info(o, GC_L2, "CapacityBytes"), "");
  assert_string_equal(info(o, GC_L2, "ReadGBps"), "");
  assert_string_equal(info(o, GC_DEVICE_MEMORY, "ReadGBps"), "");
  assert_string_equal(fact(o, "MeasuredSMClockMHz"), "");
  assert_non_null(strstr(fact(o, GC_PROVISIONAL), "the SM clock did not settle"));
  assert_non_null(strstr(warned, "the SM clock does not settle: it was between "));
  /* what the interface states is not withheld */
  assert_true(figure(o, GC_DEVICE_MEMORY, "CapacityBytes") == 512 << 20);
  assert_true(figure(o, GC_L2, "NominalBytes") == 2 << 20);
}

static void a_wandering_gpu_gets_what_counts_in_its_own_cycles(void **state)
{
  static const char *const wander[] = {"0.08 500000", "0.08 1500000", "0.05 700000"};

  (void)state;
  for (size_t i = 0; i < sizeof(wander) / sizeof(*wander); i++) {
    struct opened gpu;
    char chip[96];

    snprintf(chip, sizeof(chip), OWN "wander = %s", wander[i]);
    must(&gpu, measure(&gpu, chip, 0), wander[i]);
    assert_inside_only(&gpu);
    close_gpu(&gpu);
  }
}

/* Slower than a step: the clock is steady again and again, and no value is from another clock. */
static void a_slowly_wandering_gpu_is_right_or_silent(void **state)
{
  struct opened gpu;

  (void)state;
  for (unsigned ms = 6; ms <= 96; ms *= 2) {
    char chip[96];
    double mhz;

    snprintf(chip, sizeof(chip), OWN "wander = 0.08 %u000000", ms);
    must(&gpu, measure(&gpu, chip, 0), chip);
    mhz = strtod(fact(&gpu, "MeasuredSMClockMHz"), NULL);
    assert_true(figure(&gpu, GC_L1, "CapacityBytes") == 8192);
    assert_true(fabs(figure(&gpu, GC_L1, "LatencyCycles") - 30) <= 1);
    if (mhz > 0)
      assert_true(fabs(figure(&gpu, GC_L2, "LatencyCycles") - 0.2 * mhz) <= 0.05 * 0.2 * mhz);
    else
      assert_string_equal(info(&gpu, GC_L2, "LatencyCycles"), "");
    close_gpu(&gpu);
  }
}

/* The patience may end before it is clear that the clock wanders. */
static void impatience_is_no_reason_to_refuse_it(void **state)
{
  struct opened gpu;

  (void)state;
  must(&gpu, measure(&gpu, OWN "wander = 0.08 3000000", 0.01), "measure");
  assert_inside_only(&gpu);
  close_gpu(&gpu);
}

/* One that stays within 2 % is as good as steady. */
static void a_clock_that_hardly_moves_counts_as_steady(void **state)
{
  struct opened gpu;

  (void)state;
  must(&gpu, measure(&gpu, OWN "wander = 0.008 400000", 0), "measure");
  assert_true(fabs(figure(&gpu, GC_L2, "LatencyCycles") - 200) <= 4);
  assert_true(fabs(figure(&gpu, GC_L2, "LatencyNs") - 200) <= 4);
  assert_true(fabs(strtod(fact(&gpu, "MeasuredSMClockMHz"), NULL) - 1000) <= 8);
  assert_string_equal(fact(&gpu, GC_PROVISIONAL), "");
  close_gpu(&gpu);
}

static void another_program_is_refused_nevertheless(void **state)
{
  struct opened gpu;

  (void)state;
  assert_int_equal(measure(&gpu, OWN "wander = 0.08 3000000\nbusy = 5000 300000 0 1000000000000000",
                           0.2),
                   -EBUSY);
  assert_non_null(strstr(gpu.err.text, "the GPU is busy: another program"));
  close_gpu(&gpu);
}

/* The steps that another process ran before it broke the device belong to a wandering clock. */
static void the_next_process_knows_that_the_clock_wanders(void **state)
{
  struct gc_handover handover = {0};
  const struct gc_measure_options options = {.handover = &handover, .warn = keep_warning};
  struct opened gpu;

  (void)state;
  *warned = '\0';
  open_variant(&gpu, &(struct variant){OWN "wander = 0.08 3000000\nbroken = latency_shared", "",
                                       "200 2"});
  do {
    must(&gpu, gc_measure(gpu.device, &options, gpu.record, &gpu.err), "measure");
    if (handover.left)
      reopen_device(&gpu);
  } while (handover.left);
  assert_true(figure(&gpu, GC_L1, "CapacityBytes") == 8192);
  assert_string_equal(info(&gpu, GC_L1, "LatencyNs"), "");
  assert_withheld(&gpu, GC_DEVICE_MEMORY, "Latency");
  assert_string_equal(fact(&gpu, "MeasuredSMClockMHz"), "");
  gc_handover_free(&handover);
  close_gpu(&gpu);
}

#define AMD "sms = 4\ngfx = gfx90a\nwarp = 64\nown_clock = l2\n"

/* An AMD GPU whose clock stays low for 0.3 s of load: it is steady, but not yet at its end. */
static void a_late_ramp_is_waited_for(void **state)
{
  static const char *const ramps[] = {"500000 300000000 300000000", "700000 100000000 400000000",
                                      "500000 0 500000000"};

  (void)state;
  for (size_t i = 0; i < sizeof(ramps) / sizeof(*ramps); i++) {
    struct opened gpu;
    char chip[128];

    snprintf(chip, sizeof(chip), AMD "ramp = %s", ramps[i]);
    must(&gpu, measure(&gpu, chip, 0), ramps[i]);
    assert_true(fabs(strtod(fact(&gpu, "MeasuredSMClockMHz"), NULL) - 1000) <= 5);
    assert_string_equal(fact(&gpu, "MeasuringRepeats"), "0");
    assert_true(fabs(figure(&gpu, GC_L2, "LatencyCycles") - 200) <= 4);
    assert_true(fabs(figure(&gpu, GC_L2, "LatencyNs") - 200) <= 4);
    close_gpu(&gpu);
  }
}

/* The wait ends with the patience, or after a second of load. */
static void a_clock_that_stays_low_is_not_waited_for_for_ever(void **state)
{
  struct opened gpu;

  (void)state;
  must(&gpu, measure(&gpu, AMD "running_clock_khz = 800000", 0), "measure");
  assert_string_equal(fact(&gpu, "MeasuredSMClockMHz"), "800");
  close_gpu(&gpu);
  must(&gpu, measure(&gpu, AMD "ramp = 500000 90000000000 90000000000", 0.3), "measure");
  assert_string_equal(fact(&gpu, "MeasuredSMClockMHz"), "500");
  close_gpu(&gpu);
}

/* A clock that rises slowly, on any GPU. */
static void a_rising_clock_is_waited_for(void **state)
{
  struct opened gpu;

  (void)state;
  must(&gpu, measure(&gpu, OWN "ramp = 300000 0 150000000", 0), "measure");
  assert_string_equal(fact(&gpu, "MeasuredSMClockMHz"), "1000");
  assert_true(fabs(figure(&gpu, GC_L2, "LatencyNs") - 200) <= 4);
  close_gpu(&gpu);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_wandering_gpu_gets_what_counts_in_its_own_cycles),
    cmocka_unit_test(a_slowly_wandering_gpu_is_right_or_silent),
    cmocka_unit_test(impatience_is_no_reason_to_refuse_it),
    cmocka_unit_test(a_clock_that_hardly_moves_counts_as_steady),
    cmocka_unit_test(another_program_is_refused_nevertheless),
    cmocka_unit_test(the_next_process_knows_that_the_clock_wanders),
    cmocka_unit_test(a_late_ramp_is_waited_for),
    cmocka_unit_test(a_clock_that_stays_low_is_not_waited_for_for_ever),
    cmocka_unit_test(a_rising_clock_is_waited_for),
  };

  return cmocka_run_group_tests_name("wander", tests, NULL, NULL);
}
