/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The survival curve of L2: a step for LRU, wherever the line is at home; a geometric curve for
 * random replacement; a reason where it cannot be measured.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/latency/latency.h"
#include "measure/structure/structure.h"
#include "variant.h"

#define POINTS 6
#define WHOLE ((uint64_t)2 << 20)
#define ERROR 0.1 /* more than four standard errors of 500 lines */

/* capacity: of the part of L2 that is near to an SM. */
static const struct gc_measured *find(struct opened *o, const char *chip, const char *l2,
                                       const char *ways, uint64_t capacity)
{
  const struct variant variant = {chip, l2, "200 4"};

  open_variant_ways(o, &variant, ways);
  open_warm_bench(o);
  run_step(o, gc_step_memory_latency, GC_DEVICE_MEMORY);
  run_step(o, gc_step_l2_latency, GC_L2);
  claim(o, GC_L2, capacity);
  measured(o, GC_L2)->line_bytes = 128;
  gc_set_measured(measured(o, GC_L2), GC_LINE, 0.99);
  run_step(o, gc_step_l2_survival, GC_L2);
  return measured(o, GC_L2);
}

static void check_curve(const char *chip, const char *l2, const char *ways, uint64_t capacity,
                        const double truth[POINTS])
{
  const struct gc_measured *found;
  struct opened o;

  found = find(&o, chip, l2, ways, capacity);
  if (found->points != POINTS)
    fail_msg("%s: no curve: %s", l2, text(gc_record_find(o.record, GC_L2), "SurvivalCurveSource"));
  for (unsigned p = 0; p < POINTS; p++)
    if (fabs(found->curve[p].survives - truth[p]) > ERROR)
      fail_msg("%s, %s: %.3f instead of %.3f after %lu fills", l2, ways, found->curve[p].survives,
               truth[p], (unsigned long)found->curve[p].fills);
  close_gpu(&o);
}

/* 2 MiB in 16 ways; the points are quarters 1, 2, 3, 4, 6 and 8 of that. */
static void policies_have_their_curves(void **state)
{
  double random[POINTS];
  static const int quarters[POINTS] = {1, 2, 3, 4, 6, 8};

  (void)state;
  for (unsigned p = 0; p < POINTS; p++)
    random[p] = pow(1 - 1 / 16., 4 * quarters[p]);
  check_curve("sms = 8", "", "ways = 16\nreplacement = lru", WHOLE,
              (double[]){1, 1, 1, 0, 0, 0});
  check_curve("sms = 8\noutliers = 0.01 40 900", "", "ways = 16\nreplacement = random", WHOLE,
              random);
}

/* Half of the lines have their home in the far partition, which also keeps them. Half of what the SM
 * reads goes there as well. At twice the capacity, its sets have got as many lines as they hold, on
 * average: half of the lines there survive. */
static void far_copies_survive_longer(void **state)
{
  (void)state;
  check_curve("sms = 8",
              "partitions = 2\nreplicate = yes\nfar_cycles = 60\npartition_sms = 4\n",
              "ways = 16\nreplacement = lru", WHOLE / 2, (double[]){1, 1, 1, 0.5, 0.5, 0.25});
}

static void an_emptied_l2_has_none(void **state)
{
  struct opened o;

  (void)state;
  find(&o, "sms = 8", "survives_launch = no", "ways = 16\nreplacement = lru", WHOLE);
  assert_string_equal(text(gc_record_find(o.record, GC_L2), "SurvivalCurveSource"),
                      "absent:L2 loses its contents between launches");
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(policies_have_their_curves),
    cmocka_unit_test(far_copies_survive_longer),
    cmocka_unit_test(an_emptied_l2_has_none),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
