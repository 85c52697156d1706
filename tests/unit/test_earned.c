/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Confidences are limited to what the calibration has shown, and the table says no more than its
 * counts.
 */
#include "measure/results/earned.h"
#include "stats/stats.h"
#include "cleared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOUBT 0.05

/* Do these counts support this confidence? Without a wrong value by the rule of three, else by the
 * exact binomial distribution. */
static bool supported(double most, unsigned long values, unsigned long wrong)
{
  return values && most <= 1 - 3.0 / (double)values &&
         (!wrong || gc_binomial_cdf(wrong, values, 1 - most) <= DOUBT);
}

/* Do the values of this bin, with those of bins below or above it, support its limit? Bins above
 * count only if no value of the bin is wrong. */
static bool is_supported(const struct gc_earned *row, size_t bin)
{
  const size_t end = row[bin].wrong ? bin + 1 : GC_EARNED_BINS;

  if (row[bin].most == 0)
    return true;
  for (size_t from = 0; from <= bin; from++)
    for (size_t to = bin + 1; to <= end; to++) {
      unsigned long values = 0, wrong = 0;

      for (size_t b = from; b < to; b++) {
        values += row[b].values;
        wrong += row[b].wrong;
      }
      if (supported(row[bin].most, values, wrong))
        return true;
    }
  return false;
}

static void the_counts_support_each_limit(void **state)
{
  (void)state;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (size_t bin = 0; bin < GC_EARNED_BINS; bin++) {
      const struct gc_earned *row = gc_earned_table[property];

      assert_true(row[bin].wrong <= row[bin].values);
      if (!is_supported(row, bin))
        fail_msg("%s: %g from %g on is not supported", gc_properties_names[property], row[bin].most,
                 gc_earned_bins[bin]);
    }
}

/* No function of the calibration judges it: the measurement of one GPU does not measure it. */
static bool is_stated(enum gc_property property)
{
  static const char *const judges[] = {
#define PROPERTY(id, name, judge, section, sentence) #judge,
#include "record/property_table.h"
  };

  return !strcmp(judges[property], "none");
}

/* Too few drawn GPUs have it, so it is withheld. doc/limitations.md. */
static bool is_rare(enum gc_property property)
{
  return property == GC_CPC_SMS;
}

/* A property that is measured, but never published, would be a step for nothing: the table is older
 * than the property, or too few GPUs were drawn. */
static void every_measured_property_can_be_published(void **state)
{
  (void)state;
  for (int property = 0; property < GC_PROPERTY_COUNT; property++) {
    double best = 0;

    for (size_t bin = 0; bin < GC_EARNED_BINS; bin++)
      best = fmax(best, gc_earned_table[property][bin].most);
    if (is_stated((enum gc_property)property))
      assert_true(best == 0);
    else if (best < GC_CONFIDENCE_LEAST && is_rare((enum gc_property)property))
      continue;
    else if (best < GC_CONFIDENCE_LEAST)
      fail_msg("%s cannot be published", gc_properties_names[property]);
  }
}

static void bins_begin_at_their_lower_end(void **state)
{
  (void)state;
  assert_true(gc_earned_bins[0] == GC_CONFIDENCE_LEAST);
  for (size_t bin = 0; bin < GC_EARNED_BINS; bin++) {
    assert_int_equal(gc_earned_bin(gc_earned_bins[bin]), bin);
    assert_int_equal(gc_earned_bin(gc_earned_bins[bin] - 1e-4), bin ? bin - 1 : 0);
  }
  assert_int_equal(gc_earned_bin(1), GC_EARNED_BINS - 1);
}

/* Every confidence becomes the limit of its bin or stays, or the value is absent. */
static void no_value_has_more_than_the_table_supports(void **state)
{
  struct gc_results *results = *state;
  unsigned limited = 0;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (unsigned i = 5000; i < 10000; i++) {
      const double stated = i / 1e4;
      const enum gc_property as = gc_earned_as((enum gc_property)property);
      const double most = gc_earned_table[as][gc_earned_bin(stated)].most;
      const struct gc_finding *finding = &results->element[GC_L1].found[property];

      gc_set_measured(&results->element[GC_L1], (enum gc_property)property, stated);
      gc_earn(results, NULL);
      limited += most < stated;
      if (most < GC_CONFIDENCE_LEAST)
        assert_true(finding->origin == GC_ABSENT && !strncmp(finding->why, "too uncertain: ", 15));
      else
        assert_true(finding->origin == GC_MEASURED && finding->confidence == fmin(stated, most));
    }
  assert_true(limited > 0);
}

static void doubtful_values_are_absent(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l2 = &results->element[GC_L2];

  gc_set_measured(l2, GC_PARTITIONS, 0.4999);
  gc_set_measured(l2, GC_MISS_PENALTY, 0);
  gc_set_measured(l2, GC_LATENCY, NAN); /* not less than any limit */
  gc_earn(results, NULL);
  assert_false(gc_found(l2, GC_PARTITIONS) || gc_found(l2, GC_MISS_PENALTY));
  assert_false(gc_found(l2, GC_LATENCY));
  assert_string_equal(l2->found[GC_PARTITIONS].why,
                      "too uncertain: it is more likely wrong than right");
}

static void what_was_not_measured_stays(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l2 = &results->element[GC_L2];

  gc_set_stated(l2, GC_NOMINAL);
  gc_set_absent(l2, GC_CAPACITY, "no");
  gc_earn(results, NULL);
  assert_true(gc_found(l2, GC_NOMINAL));
  assert_string_equal(l2->found[GC_CAPACITY].why, "no");
  assert_int_equal(l2->found[GC_LINE].origin, GC_UNKNOWN);
  gc_set_measured(l2, GC_NOMINAL, 0.99); /* never calibrated */
  gc_earn(results, NULL);
  assert_false(gc_found(l2, GC_NOMINAL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(the_counts_support_each_limit), TEST(every_measured_property_can_be_published),
      TEST(bins_begin_at_their_lower_end), TEST(no_value_has_more_than_the_table_supports),
      TEST(doubtful_values_are_absent),    TEST(what_was_not_measured_stays),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
