/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The gate passes what a perfect tool can show, and stops what it cannot; the confidence that
 * counts support.
 */
#include "earn.h"
#include "gate.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the gate returns. Its lines "not ok" are not results of this test, so they are not printed. */
static int judge(const struct tally *t, unsigned long gpus, bool complete)
{
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC), out = dup(STDOUT_FILENO);
  int status;

  assert_true(nothing >= 0 && out >= 0);
  fflush(stdout);
  assert_true(dup2(nothing, STDOUT_FILENO) >= 0);
  status = gate(t, gpus, complete);
  fflush(stdout);
  assert_true(dup2(out, STDOUT_FILENO) >= 0);
  close(nothing);
  close(out);
  return status;
}

/* Adds n values with this confidence. */
static void add(struct tally *t, enum drawn_group group, enum judged property, double confidence,
                unsigned n, unsigned wrong)
{
  for (unsigned i = 0; i < n; i++)
    tally_add(t, &(struct verdict){.group = group,
                                   .class = DRAWN_QUIET,
                                   .kind = GC_L1,
                                   .property = property,
                                   .claim = CLAIM_VALUE,
                                   .right = i >= wrong,
                                   .confidence = confidence});
}

/* Every property has values in both groups, as often wrong as their confidence says. Noise yields
 * nothing, and "at least" is right. */
static struct tally *perfect(void)
{
  static struct tally t;

  memset(&t, 0, sizeof(t));
  for (int property = 0; property < JUDGED; property++)
    for (int group = 0; group < DRAWN_GROUPS; group++) {
      add(&t, (enum drawn_group)group, (enum judged)property, 0.96, 100, 4);
      add(&t, (enum drawn_group)group, (enum judged)property, 0.6, 50, 20);
    }
  tally_add(&t, &(struct verdict){.property = JUDGED_CAPACITY, .nothing_there = true});
  tally_add(&t,
            &(struct verdict){.property = JUDGED_CENSUS, .claim = CLAIM_AT_LEAST, .right = true});
  return &t;
}

static void a_perfect_tool_passes(void **state)
{
  (void)state;
  assert_int_equal(judge(perfect(), 1000, true), 0);
  assert_int_equal(judge(perfect(), 1000, false), 1);
}

/* Five wrong values of 100 with 0.999: in 0.95 or more of all values 95 % are right nevertheless.
 */
static void each_bin_counts_for_itself(void **state)
{
  struct tally *t = perfect();

  (void)state;
  add(t, DRAWN_ONCE, JUDGED_LINE, 0.999, 100, 5);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  add(t, DRAWN_AGAIN, JUDGED_LINE, 0.999, 100, 5);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  add(t, DRAWN_ONCE, JUDGED_LINE, 0.999, 100, 0);
  assert_int_equal(judge(t, 1000, true), 0);
}

/* Two wrong ones of 20 with 0.99 have a probability of 1.7 %. In one of 73 bins that is no news. */
static void many_bins_are_many_tests(void **state)
{
  struct tally *t = perfect();

  (void)state;
  add(t, DRAWN_ONCE, JUDGED_LINE, 0.99, 20, 2);
  assert_int_equal(judge(t, 1000, true), 0);
  add(t, DRAWN_ONCE, JUDGED_LINE, 0.99, 20, 4);
  assert_int_equal(judge(t, 1000, true), 1);
}

static void other_conditions_count(void **state)
{
  struct tally *t = perfect();

  (void)state;
  add(t, DRAWN_ONCE, JUDGED_PARTITIONS, 0.4, 1, 0);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  t->false_reasons = 1;
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  memset(&t->bin[0][JUDGED_FAR], 0, sizeof(t->bin[0][JUDGED_FAR]));
  memset(&t->bin[1][JUDGED_FAR], 0, sizeof(t->bin[1][JUDGED_FAR]));
  assert_int_equal(judge(t, 1000, true), 1);
  assert_int_equal(judge(t, 100, true), 0);
}

static void counts_support_a_confidence(void **state)
{
  (void)state;
  assert_true(earn_bound(0, 0) == 0);
  assert_true(earn_bound(3, 0) == 0);
  assert_true(fabs(earn_bound(100, 0) - 0.97) < 1e-9); /* rule of three */
  assert_true(fabs(earn_bound(3000, 0) - 0.999) < 1e-9);
  /* Clopper and Pearson: 1 of 100 wrong is less than 4.66 %, 10 of 100 less than 16.4 % */
  assert_true(fabs(earn_bound(100, 1) - (1 - 0.04656)) < 1e-4);
  assert_true(fabs(earn_bound(100, 10) - (1 - 0.16372)) < 1e-4);
  assert_true(earn_bound(5, 5) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_perfect_tool_passes),       cmocka_unit_test(each_bin_counts_for_itself),
      cmocka_unit_test(many_bins_are_many_tests),    cmocka_unit_test(other_conditions_count),
      cmocka_unit_test(counts_support_a_confidence),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
