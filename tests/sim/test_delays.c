/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Noise with two modes: up to 30 % of the loads take longer, by a little or by a lot. Latencies are
 * those of most loads, although chains of loads show the mean of all; or they are absent.
 */
#include "variant.h"

#include "measure/latency/latency.h"

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

static void what_delays_hide_is_absent(void **state)
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delayed_loads_do_not_count),
      cmocka_unit_test(what_delays_hide_is_absent),
      cmocka_unit_test(atomics_of_a_memory_with_delays_are_absent),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
