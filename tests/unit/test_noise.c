/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the model adds to latencies: jitter, outliers and drift.
 */
#include "model/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void jitter_has_its_deviation(void **state)
{
  const struct gc_disturbance quiet = {0};
  struct gc_jitter jitter;
  struct gc_noise noise;
  double sum = 0, squares = 0;
  const unsigned n = 100000;

  (void)state;
  gc_jitter_init(&jitter, 20);
  gc_noise_init(&noise, &quiet, 11);
  for (unsigned i = 0; i < n; i++) {
    const double off = (double)gc_noise_add(&noise, 500, &jitter) - 500;

    sum += off;
    squares += off * off;
  }
  assert_true(sum / n > -0.3 && sum / n < 0.3);
  assert_true(squares / n > 390 && squares / n < 410);
}

static void outliers_have_their_rate_and_size(void **state)
{
  const struct gc_disturbance d = {.outlier_rate = 0.01, .outlier_least = 50, .outlier_most = 90};
  struct gc_jitter none;
  struct gc_noise noise;
  unsigned count = 0, least = UINT32_MAX, most = 0;

  (void)state;
  gc_jitter_init(&none, 0);
  gc_noise_init(&noise, &d, 2);
  for (unsigned i = 0; i < 100000; i++) {
    const uint32_t t = gc_noise_add(&noise, 30, &none);

    if (t == 30)
      continue;
    count++;
    least = t < least ? t : least;
    most = t > most ? t : most;
  }
  assert_in_range(count, 850, 1150);
  assert_int_equal(least, 30 + 50);
  assert_int_equal(most, 30 + 90);
}

static void drift_rises_and_falls(void **state)
{
  const struct gc_disturbance d = {.drift_cycles = 10, .drift_loads = 100};
  struct gc_jitter none;
  struct gc_noise noise;
  uint32_t t[201];

  (void)state;
  gc_jitter_init(&none, 0);
  gc_noise_init(&noise, &d, 2);
  for (unsigned i = 0; i < 201; i++)
    t[i] = gc_noise_add(&noise, 30, &none);
  assert_int_equal(t[0], 30);
  assert_int_equal(t[50], 40);
  assert_int_equal(t[25], t[75]);
  assert_int_equal(t[100], 30);
  assert_int_equal(t[150], 40);
}

static void latency_is_never_zero(void **state)
{
  const struct gc_disturbance quiet = {0};
  struct gc_jitter wild;
  struct gc_noise noise;

  (void)state;
  gc_jitter_init(&wild, 1000);
  gc_noise_init(&noise, &quiet, 1);
  for (int i = 0; i < 10000; i++)
    assert_in_range(gc_noise_add(&noise, 5, &wild), 1, 10000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jitter_has_its_deviation),
    cmocka_unit_test(outliers_have_their_rate_and_size),
    cmocka_unit_test(drift_rises_and_falls),
    cmocka_unit_test(latency_is_never_zero),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
