/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The queue of the events of an SM.
 */
#include "predict/model/wheel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* Adds an event that can be told from others by its line. */
static uint64_t add_event(struct gc_wheel *wheel, uint64_t line, uint64_t time)
{
  struct gc_event *event = gc_wheel_add(wheel, time);

  assert_non_null(event);
  event->line = line;
  return event->time;
}

/* Events come in the order of time, then of adding, also those of later revolutions. */
static void wheel_keeps_order(void **state)
{
  struct gc_wheel wheel = {0};
  static uint64_t times[2000]; /* GC_NEVER: taken */
  uint64_t time = 0, seed = 1;
  unsigned next = 0, taken = 0;

  (void)state;
  gc_wheel_clear(&wheel);
  assert_int_equal(gc_wheel_next(&wheel), GC_NEVER);
  while (taken < 2000) {
    const struct gc_event *event;
    struct gc_event last = {0};
    uint64_t first = GC_NEVER;

    for (unsigned i = 0; i < 7 && next < 2000; i++, next++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      times[next] = add_event(&wheel, next, time + (seed >> 40) % (i ? 50 : 5000));
    }
    for (unsigned i = 0; i < next; i++)
      if (times[i] < first)
        first = times[i];
    assert_int_equal(gc_wheel_next(&wheel), first);
    time += next < 2000 ? 25 : 3000;
    while ((event = gc_wheel_take(&wheel, time))) {
      assert_int_equal(event->time, times[event->line]);
      assert_true(event->time <= time && event->time >= first);
      assert_true(last.time < event->time ||
                  (last.time == event->time && last.line <= event->line));
      last = *event;
      times[event->line] = GC_NEVER;
      taken++;
    }
    for (unsigned i = 0; i < next; i++)
      assert_true(times[i] > time);
  }
  assert_int_equal(wheel.count, 0);
  gc_wheel_fini(&wheel);
}

/* Takes the next event until then; it must be the one with this line. */
static void takes(struct gc_wheel *wheel, uint64_t until, uint64_t line)
{
  const struct gc_event *event = gc_wheel_take(wheel, until);

  assert_non_null(event);
  assert_int_equal(event->line, line);
}

/* Far events come in their order, too, and without a visit to each cycle: that would take years. */
static void wheel_skips_empty_revolutions(void **state)
{
  struct gc_wheel wheel = {0};
  const uint64_t far = UINT64_C(1) << 60;

  (void)state;
  alarm(60);
  gc_wheel_clear(&wheel);
  add_event(&wheel, 0, 2 * far);
  add_event(&wheel, 1, far + 1);
  add_event(&wheel, 2, far);
  add_event(&wheel, 3, far);
  assert_null(gc_wheel_take(&wheel, far - 1));
  assert_int_equal(wheel.now, far - 1);
  add_event(&wheel, 4, 5); /* of the past */
  takes(&wheel, 3 * far, 4);
  takes(&wheel, 3 * far, 2);
  assert_int_equal(wheel.now, far);
  add_event(&wheel, 5, far);
  takes(&wheel, 3 * far, 3);
  takes(&wheel, 3 * far, 5);
  takes(&wheel, 3 * far, 1);
  takes(&wheel, 3 * far, 0);
  assert_null(gc_wheel_take(&wheel, 3 * far));
  assert_int_equal(wheel.now, 3 * far);
  gc_wheel_fini(&wheel);
  alarm(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheel_keeps_order),
      cmocka_unit_test(wheel_skips_empty_revolutions),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
