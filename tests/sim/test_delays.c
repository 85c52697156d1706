/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Noise with two modes: up to 30 % of the loads take longer, by a little or by a lot. Latencies are
 * those of most loads, although chains of loads show the mean of all; or they are absent.
 */
#include "variant.h"

#include "measure/latency/latency.h"
#include "measure/structure/structure.h"

#include <math.h>

/* Delays that leave every value inside the SM to be found. */
static const char *const found[] = {"outliers = 0.03 20 30", "outliers = 0.1 10 14",
                                    "outliers = 0.3 3 6", "outliers = 0.01 60 90"};
/* Delays that may hide some. */
static const char *const hidden[] = {"outliers = 0.03 150 170", "outliers = 0.3 40 60",
                                     "outliers = 0.3 150 250"};

static void open_delayed(struct opened *o, const char *delays)
{
  char chip[160];

  snprintf(chip, sizeof(chip), "sms = 40\n%s\nseed = 5", delays);
  open_variant(o, &(struct variant){chip, "", "200 3"});
  open_warm_bench(o);
}

static void check(struct opened *o, const char *delays, gc_step *step, enum gc_kind kind,
                  double truth, double within, bool must_be_found)
{
  const struct gc_element *element = run_step(o, step, kind);
  const double cycles = number(element, "LatencyCycles");

  if (isnan(cycles) ? must_be_found : !(fabs(cycles - truth) <= within))
    fail_msg("%s: %s takes %.1f cycles, in the model %.0f (%s)", delays, gc_kinds[kind].subtype,
             cycles, truth, text(element, "LatencySource"));
}

static void check_all(const char *delays, bool must_be_found)
{
  struct opened o;

  open_delayed(&o, delays);
  check(&o, delays, gc_step_latency, GC_L1, 30, 1, must_be_found);
  check(&o, delays, gc_step_latency, GC_SHARED_MEMORY, 20, 1, must_be_found);
  check(&o, delays, gc_step_memory_latency, GC_DEVICE_MEMORY, 500, 10, must_be_found);
  check(&o, delays, gc_step_l2_latency, GC_L2, 200, 4, must_be_found);
  close_gpu(&o);
}

static void delayed_loads_do_not_count(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
    check_all(found[i], true);
}

static void what_delays_hide_is_right_or_absent(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
    check_all(hidden[i], false);
}

/* A chain of atomic operations shows the mean, and there are no single ones to compare with. */
static void atomics_of_a_memory_with_delays_are_absent(void **state)
{
  const struct gc_element *shared;
  struct opened o;

  (void)state;
  open_delayed(&o, found[1]);
  run_step(&o, gc_step_latency, GC_SHARED_MEMORY);
  shared = run_step(&o, gc_step_atomic_latency, GC_SHARED_MEMORY);
  assert_true(isnan(number(shared, "AtomicLatencyCycles")));
  assert_non_null(strstr(text(shared, "AtomicLatencySource"), "delayed"));
  close_gpu(&o);
}

/* Loads of 40 cycles, `slow` of them delayed by `delay`. */
static bool seem_delayed(size_t slow, double delay)
{
  double alone[128];

  for (size_t i = 0; i < 128; i++)
    alone[i] = i % 2 ? 39 : 41;
  for (size_t i = 0; i < slow; i++)
    alone[3 * i] += delay;
  return gc_overhead_delayed(alone, 128);
}

/* One slow load is an accident, which the fastest chains do not have. */
static void one_slow_load_is_no_delay(void **state)
{
  (void)state;
  assert_false(seem_delayed(0, 0));
  assert_false(seem_delayed(1, 1e6));
  assert_true(seem_delayed(4, 200));
  assert_true(seem_delayed(38, 15));
}

/* An L1 whose earlier results are known, as if its capacity, level and line had been measured. */
static void claim_l1(struct opened *o)
{
  struct gc_measured *l1 = measured(o, GC_L1);

  claim(o, GC_L1, 8 << 10);
  l1->level = (struct gc_level){.hit = 34, .miss = 204, .usual = 34, .stride = 32};
  l1->line_bytes = 128;
  gc_set_measured(l1, GC_LINE, 0.99);
}

/* Without a latency it is not known whether loads are delayed. */
static void what_delays_might_change_needs_the_latency(void **state)
{
  struct opened o;

  (void)state;
  open_delayed(&o, "");
  run_step(&o, gc_step_atomic_latency, GC_SHARED_MEMORY);
  assert_non_null(
      strstr(text(gc_record_find(o.record, GC_SHARED_MEMORY), "AtomicLatencySource"), "not known"));
  claim_l1(&o);
  run_step(&o, gc_step_survival, GC_L1);
  assert_non_null(
      strstr(text(gc_record_find(o.record, GC_L1), "SurvivalCurveSource"), "not known"));
  run_step(&o, gc_step_excess_misses, GC_L1);
  assert_non_null(
      strstr(text(gc_record_find(o.record, GC_L1), "MissesPerExcessLineSource"), "not known"));
  close_gpu(&o);
}

/* The curve of an L1 with LRU is a step; hits that take as long as misses do not lower it. */
static void late_hits_do_not_lower_a_survival_curve(void **state)
{
  static const char *const delays[] = {"", "outliers = 0.04 300 400", "outliers = 0.2 300 400"};
  double first[3], last[3];

  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct opened o;
    const struct gc_measured *l1;

    open_delayed(&o, delays[i]);
    claim_l1(&o);
    l1 = measured(&o, GC_L1);
    run_step(&o, gc_step_latency, GC_L1);
    run_step(&o, gc_step_survival, GC_L1);
    assert_true(gc_found(l1, GC_SURVIVAL_CURVE));
    first[i] = l1->curve[0].survives;
    last[i] = l1->curve[l1->points - 1].survives;
    close_gpu(&o);
  }
  for (size_t i = 0; i < 3; i++) {
    assert_true(fabs(first[i] - first[0]) < 0.1);
    assert_true(fabs(last[i] - last[0]) < 0.1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delayed_loads_do_not_count),
      cmocka_unit_test(what_delays_hide_is_right_or_absent),
      cmocka_unit_test(atomics_of_a_memory_with_delays_are_absent),
      cmocka_unit_test(one_slow_load_is_no_delay),
      cmocka_unit_test(what_delays_might_change_needs_the_latency),
      cmocka_unit_test(late_hits_do_not_lower_a_survival_curve),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
