/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Habits of real GPUs that a profile can state: SM clocks that change, levels with a clock of their
 * own, latencies in steps, limited numbers of outstanding loads, and SMs that compete for a cache.
 */
#include "chip.h"

#include <math.h>
#include <stdio.h>

#define NO_UNIFIED                                                                                 \
  "[cache L1]\nsize = 16 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
#define SHARED_L1                                                                                  \
  "[cache L1]\nscope = group 2\nsize = 16 KiB\nline = 128\nways = 4\nreplacement = lru\n"
#define GLOBAL                                                                                     \
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"           \
  "[space shared]\npath = memory 20\n"
#define MS 1000000ull

static void a_steady_clock_counts_evenly(void **state)
{
  struct gc_model *model = make(CHIP NO_UNIFIED L2 GLOBAL);

  (void)state;
  assert_int_equal(gc_model_wall(model, 0), 0);
  assert_int_equal(gc_model_wall(model, 123456789), 123456789);
  gc_model_free(model);
}

/* 500 MHz for 2 ms, then rising to 1000 MHz until 4 ms: 1e6 + 1.5e6 cycles. */
static void a_clock_ramps(void **state)
{
  struct gc_model *model = make(CHIP "ramp = 500000 2000000 4000000\n" NO_UNIFIED L2 GLOBAL);

  (void)state;
  assert_int_equal(gc_model_wall(model, 500000), 1 * MS);
  assert_int_equal(gc_model_wall(model, 1000000), 2 * MS);
  assert_true(fabs((double)gc_model_wall(model, 2500000) - 4e6) < 2e4);
  assert_true(fabs((double)gc_model_wall(model, 3500000) - 5e6) < 2e4);
  assert_int_equal(gc_model_wall(model, 500000), 1 * MS); /* back in time */
  gc_model_free(model);
}

static void a_clock_is_throttled_and_recovers(void **state)
{
  struct gc_model *model = make(CHIP "throttle = 250000 1000000 3000000\n" NO_UNIFIED L2 GLOBAL);

  (void)state;
  assert_int_equal(gc_model_wall(model, 1000000), 1 * MS);
  assert_int_equal(gc_model_wall(model, 1250000), 2 * MS);
  assert_int_equal(gc_model_wall(model, 1500000), 3 * MS);
  assert_int_equal(gc_model_wall(model, 2500000), 4 * MS);
  gc_model_free(model);
}

/* In 1 ms the clock counts 920,000 to 1,080,000 cycles, not always the same number, and about
 * 1,000,000 on average. */
static void a_clock_wanders(void **state)
{
  struct gc_model *model = make(CHIP "wander = 0.08 3000000\n" NO_UNIFIED L2 GLOBAL);
  double least = INFINITY, most = 0;
  uint64_t before = 0;

  (void)state;
  for (uint64_t mega = 1; mega <= 2000; mega++) {
    const uint64_t now = gc_model_wall(model, mega * 1000000);
    const double mhz = 1e9 / (double)(now - before);

    least = fmin(least, mhz);
    most = fmax(most, mhz);
    before = now;
  }
  if (least < 919 || least > 940 || most > 1081 || most < 1060)
    fail_msg("the clock is between %g and %g MHz", least, most);
  assert_true(fabs((double)before - 2e9) < 0.01 * 2e9);
  gc_model_free(model);
}

/* At half the SM clock, a level with its own clock takes half as many SM cycles. */
static void levels_can_have_their_own_clock(void **state)
{
  static const struct {
    const char *own;
    uint32_t l1, l2, memory;
  } cases[] = {{"none", 30, 200, 500}, {"memory", 30, 200, 250}, {"l2", 30, 100, 250}};
  char text[2048];

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_model *model;

    snprintf(text, sizeof(text), CHIP "throttle = 500000 1000000 2000000\nown_clock = %s\n%s",
             cases[i].own, NO_UNIFIED L2 GLOBAL);
    model = make(text);
    gc_model_launch(model, 0, 1, 0);
    gc_model_time(model, 1200000);
    assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), cases[i].memory);
    assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), cases[i].l2);
    assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), cases[i].l1);
    assert_int_equal(gc_model_touch_run(model, 0, GC_SPACE_CG, BASE, 32, 4),
                     cases[i].l2 + 3 * cases[i].memory);
    gc_model_time(model, 100);
    assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), 200);
    gc_model_free(model);
  }
}

/* The rate of a level with its own clock is the same per ns, so it is twice as high per cycle. */
static void bandwidths_follow_the_clock_of_their_level(void **state)
{
  struct gc_model *model =
    make(CHIP "throttle = 500000 1000000 2000000\nown_clock = memory\n" NO_UNIFIED L2 GLOBAL);
  double full[GC_MODEL_BUSY] = {0}, slow[GC_MODEL_BUSY] = {0};

  (void)state;
  gc_model_launch(model, 0, 1, 0);
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CG, BASE, 512, 4, false, 8, 0, 0}, full);
  gc_model_time(model, 1200000);
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CG, BASE + 65536, 512, 4, false, 8, 0, 0}, slow);
  assert_true(full[0] > 0 && full[1] > 0);
  assert_true(fabs(slow[0] - full[0]) < 1e-9 * full[0]);
  assert_true(fabs(2 * slow[1] - full[1]) < 1e-9 * full[1]);
  gc_model_free(model);
}

static void latencies_can_come_in_steps(void **state)
{
  struct gc_model *model =
    make(CHIP "latency_step = 4\n" NO_UNIFIED L2
         "[space ca]\npath = L1 33 3, L2 201, memory 500\n[space cg]\npath = L2 1, memory 500\n"
         "[space shared]\npath = memory 20\n");

  (void)state;
  gc_model_launch(model, 0, 1, 0);
  assert_int_equal(gc_model_true_latency(model, GC_SPACE_CA, 0), 32);
  assert_int_equal(gc_model_true_latency(model, GC_SPACE_CA, 1), 200);
  assert_int_equal(gc_model_true_latency(model, GC_SPACE_CG, 0), 4);
  gc_model_load(model, 0, GC_SPACE_CA, BASE);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE) % 4, 0);
  gc_model_free(model);
}

/* The cycles for which 4 lines of each of so many warps keep an SM waiting. */
static double waits(const char *limits, uint32_t warps, uint64_t address, uint32_t flight)
{
  double busy[GC_MODEL_BUSY] = {0};
  char text[2048];
  struct gc_model *model;

  snprintf(text, sizeof(text), CHIP "%s\n%s", limits, NO_UNIFIED L2 GLOBAL);
  model = make(text);
  gc_model_launch(model, 0, 1, 0);
  gc_model_touch_run(model, 0, GC_SPACE_CG, BASE, 32, 32);
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CG, address, 512, warps, false, flight, 0, 0},
                busy);
  gc_model_free(model);
  return busy[GC_MODEL_LEVELS];
}

/* By Little's law: lines x latency / lines in flight. */
static void outstanding_loads_are_limited(void **state)
{
  static const struct {
    const char *limits;
    uint32_t warps, flight;
    double lines; /* in flight */
  } cases[] = {
    {"outstanding_per_warp = 1000", 1, 1, 4},  {"outstanding_per_warp = 1000", 2, 3, 24},
    {"outstanding_per_warp = 6", 2, 3, 12},    {"outstanding_per_sm = 10", 2, 3, 10},
    {"outstanding_per_sm = 100", 2, 3, 24},    {"outstanding_per_warp = 6\noutstanding_per_sm = 64",
                                                 16, 8, 64},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const uint32_t warps = cases[i].warps, flight = cases[i].flight;

    assert_true(fabs(waits(cases[i].limits, warps, BASE, flight) -
                     4 * warps * 200 / cases[i].lines) < 1e-6);
    assert_true(fabs(waits(cases[i].limits, warps, BASE + (1 << 20), flight) -
                     4 * warps * 500 / cases[i].lines) < 1e-6);
  }
  assert_true(waits("", 2, BASE, 8) == 0);
}

/* Misses of an SM whose array fits, after another SM of its pair has read as much elsewhere. */
static unsigned misses(const char *compete, bool in_turn, uint32_t other)
{
  struct gc_model *model;
  char text[2048];
  unsigned count;

  snprintf(text, sizeof(text), CHIP "%s%s\n%s", SHARED_L1, compete, L2 GLOBAL);
  model = make(text);
  gc_model_launch(model, 0, 1, 0);
  gc_model_compete(model, !in_turn);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t at = 0; at < 12288; at += 128)
      gc_model_touch(model, other, GC_SPACE_CA, BASE + (1 << 20) + at);
  count = slow(model, 1, GC_SPACE_CA, 12288, 128, 100);
  gc_model_free(model);
  return count;
}

static void sms_compete_for_a_cache(void **state)
{
  (void)state;
  assert_true(misses("compete = yes\n", false, 0) > 40);
  assert_int_equal(misses("compete = yes\n", false, 2), 0); /* SM 2 has another cache */
  assert_int_equal(misses("compete = yes\n", true, 0), 0);  /* one after the other */
  assert_int_equal(misses("", false, 0), 0);
}

static void loads_of_an_earlier_launch_do_not_compete(void **state)
{
  struct gc_model *model = make(CHIP SHARED_L1 "compete = yes\n" L2 GLOBAL);

  (void)state;
  for (int launch = 0; launch < 2; launch++) {
    gc_model_launch(model, 0, 1, 0);
    gc_model_compete(model, true);
    assert_int_equal(slow(model, (uint32_t)launch, GC_SPACE_CA, 16384, 128, 100), 0);
  }
  gc_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_steady_clock_counts_evenly),
    cmocka_unit_test(a_clock_ramps),
    cmocka_unit_test(a_clock_is_throttled_and_recovers),
    cmocka_unit_test(a_clock_wanders),
    cmocka_unit_test(levels_can_have_their_own_clock),
    cmocka_unit_test(bandwidths_follow_the_clock_of_their_level),
    cmocka_unit_test(latencies_can_come_in_steps),
    cmocka_unit_test(outstanding_loads_are_limited),
    cmocka_unit_test(sms_compete_for_a_cache),
    cmocka_unit_test(loads_of_an_earlier_launch_do_not_compete),
  };

  return cmocka_run_group_tests_name("habits", tests, NULL, NULL);
}
