/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The warm-up and the interference check with an SM clock that never settles, and with one that
 * changes while the GPU's wall clock has coarse steps.
 */
#include "measure/core/interference.h"

#include "open.h"

/* How read_clock changes the readings of a simulated GPU. */
static double speed = 1; /* factor on the SM clock */
#define LIMIT 0.08
static double drift;     /* is added to the factor after each reading, until it differs by LIMIT */
static uint64_t tick_ns; /* step of the wall clock; 0: unchanged */

static int read_clock(struct gc_device *device, void *to, uint64_t address, size_t bytes, struct gc_error *err)
{
  int status = gc_device_sim.download(device, to, address, bytes, err);
  struct gpu_clock_result *result = to;

  if (status || bytes != sizeof(*result))
    return status;
  result->cycles = (uint64_t)((double)result->cycles * speed);
  if (tick_ns) {
    result->nanoseconds = result->nanoseconds / tick_ns * tick_ns;
    result->longest_ns = tick_ns;
  }
  speed += drift;
  if (fabs(speed - 1) > LIMIT)
    drift = -drift;
  return 0;
}

static const struct gc_device_ops *with_clock(void)
{
  static struct gc_device_ops ops;

  ops = gc_device_sim;
  ops.download = read_clock;
  return &ops;
}

static int set_up(void **state)
{
  struct opened *o = malloc(sizeof(*o));

  assert_non_null(o);
  speed = 1;
  drift = 0;
  tick_ns = 0;
  open_gpu(o, "h200");
  open_bench(o);
  o->m.bench.ops = with_clock();
  *state = o;
  return 0;
}

static int tear_down(void **state)
{
  struct opened *o = *state;

  o->m.bench.ops = &gc_device_sim;
  close_gpu(o);
  free(o);
  return 0;
}

static void a_steady_clock_settles(void **state)
{
  struct opened *o = *state;

  assert_int_equal(gc_clock_warm_up(&o->m.bench), 0);
  assert_true(fabs(o->m.bench.mhz - 1980) < 10);
}

/* Each reading differs by 2 % from the last one. */
static void a_clock_that_never_settles_is_an_error(void **state)
{
  struct opened *o = *state;

  drift = 0.02;
  assert_int_equal(gc_clock_warm_up(&o->m.bench), -EBUSY);
  assert_non_null(strstr(o->err.text, "its clock does not settle: it went between "));
}

static void such_a_clock_is_accepted_in_the_end(void **state)
{
  struct gc_interference interference;
  struct opened *o = *state;

  drift = 0.02;
  gc_interference_start(&interference, &o->m.bench, 30);
  must(o, gc_interference_warm_up(&interference), "warm up");
  assert_true(interference.wanders);
  assert_true(o->m.bench.mhz == 0);
}

/* Whether a check notices that the clock has changed by this factor. */
static bool finds_change(struct opened *o, double factor)
{
  struct gc_interference interference;
  enum gc_interference_result disturbance;

  speed = 1;
  gc_interference_start(&interference, &o->m.bench, 1000);
  must(o, gc_interference_warm_up(&interference), "warm up");
  speed = factor;
  must(o, gc_interference_check(&interference, &disturbance), "check");
  return disturbance != GC_UNDISTURBED;
}

/* With every step of the wall clock, 8 % count as another clock, and 1 % does not. */
static void coarse_wall_clocks_hide_no_change(void **state)
{
  static const uint64_t ticks[] = {0, 32, 1000, 2000};
  struct opened *o = *state;

  for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
    tick_ns = ticks[i];
    if (!finds_change(o, 0.92) || !finds_change(o, 1.08))
      fail_msg("steps of %u ns: a change of 8 %% is not noticed", (unsigned)tick_ns);
    if (finds_change(o, 0.99))
      fail_msg("steps of %u ns: a change of 1 %% counts as another clock", (unsigned)tick_ns);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(a_steady_clock_settles),
    TEST(a_clock_that_never_settles_is_an_error),
    TEST(such_a_clock_is_accepted_in_the_end),
    TEST(coarse_wall_clocks_hide_no_change),
  };

  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
