/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The gate passes what a perfect tool can show, and stops what it cannot; the confidence that
 * counts support; the groups of drawn GPUs differ in what they should, and each GPU is valid.
 */
#include "earn.h"
#include "gate.h"

#include "draw.h"
#include "model/check.h"
#include "model/parse.h"

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
static void add(struct tally *t, enum drawn_group group, enum gc_property property,
                double confidence, unsigned n, unsigned wrong)
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

/* Every property has values in all groups, as often wrong as their confidence says. Noise yields
 * nothing, and "at least" is right. */
static struct tally *perfect(void)
{
  static struct tally t;

  memset(&t, 0, sizeof(t));
  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    for (int group = 0; group < DRAWN_GROUPS; group++) {
      add(&t, (enum drawn_group)group, (enum gc_property)property, 0.96, 100, 4);
      add(&t, (enum drawn_group)group, (enum gc_property)property, 0.6, 50, 20);
    }
  tally_add(&t, &(struct verdict){.property = GC_CAPACITY, .nothing_there = true});
  tally_add(&t,
            &(struct verdict){.property = GC_CENSUS, .claim = CLAIM_AT_LEAST, .right = true});
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
  add(t, DRAWN_ONCE, GC_LINE, 0.999, 100, 5);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  add(t, DRAWN_OTHER_NOISE, GC_LINE, 0.999, 100, 5);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  add(t, DRAWN_OTHER_PAGES, GC_LINE, 0.999, 100, 5);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  add(t, DRAWN_ONCE, GC_LINE, 0.999, 100, 0);
  assert_int_equal(judge(t, 1000, true), 0);
}

/* Two wrong ones of 20 with 0.99 have a probability of 1.7 %. In one of 109 bins that is no news.
 */
static void many_bins_are_many_tests(void **state)
{
  struct tally *t = perfect();

  (void)state;
  add(t, DRAWN_ONCE, GC_LINE, 0.99, 20, 2);
  assert_int_equal(judge(t, 1000, true), 0);
  add(t, DRAWN_ONCE, GC_LINE, 0.99, 20, 4);
  assert_int_equal(judge(t, 1000, true), 1);
}

static void other_conditions_count(void **state)
{
  struct tally *t = perfect();

  (void)state;
  add(t, DRAWN_ONCE, GC_PARTITIONS, 0.4, 1, 0);
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  t->false_reasons = 1;
  assert_int_equal(judge(t, 1000, true), 1);
  t = perfect();
  for (int group = 0; group < DRAWN_GROUPS; group++)
    memset(&t->bin[group][GC_FAR_LATENCY], 0, sizeof(t->bin[group][GC_FAR_LATENCY]));
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

/* Whether two profiles differ in the value of this key, and in nothing else. key: with the end of
 * the line before it. */
static bool differ_only_in(const char *key, const char *a, const char *b)
{
  const char *const line_a = strstr(a, key), *const line_b = strstr(b, key);

  if (!line_a || !line_b || line_a - a != line_b - b || memcmp(a, b, (size_t)(line_a - a)))
    return false;
  return strcmp(line_a, line_b) && !strcmp(strchr(line_a + 1, '\n'), strchr(line_b + 1, '\n'));
}

/* A table can be read again, and another run continues it. Tables of other seeds cannot. */
static void a_table_continues(void **state)
{
  static struct tally before, after;
  const struct draw_seeds seeds = {5, 1, DRAWN_ALL}, others = {5, 2, DRAWN_ALL};
  FILE *file = tmpfile();

  (void)state;
  assert_non_null(file);
  memset(&before, 0, sizeof(before));
  memset(&after, 0, sizeof(after));
  add(&before, DRAWN_ONCE, GC_CAPACITY, 0.9999, 40, 3);
  add(&before, DRAWN_ONCE, GC_PROPERTY_COUNT - 1, 0.5, 7, 1);
  add(&after, DRAWN_ONCE, GC_CAPACITY, 0.9999, 2, 1);
  earn_write(file, &before, &seeds, 12);
  rewind(file);
  assert_int_equal(earn_read(file, &after, &others), 0);
  rewind(file);
  assert_int_equal(earn_read(file, &after, &seeds), 12);
  fclose(file);
  assert_int_equal(tally_bin(&after, GC_CAPACITY, BINS - 1).values, 42);
  assert_int_equal(tally_bin(&after, GC_CAPACITY, BINS - 1).right, 38);
  assert_int_equal(tally_bin(&after, GC_PROPERTY_COUNT - 1, 0).values, 7);
  assert_int_equal(tally_bin(&after, GC_PROPERTY_COUNT - 1, 0).right, 6);
}

/* A table that is not compiled in yet limits confidences as it will be. */
static void a_table_can_be_tested_before_it_is_compiled(void **state)
{
  static struct gc_earned table[GC_PROPERTY_COUNT][BINS];
  static struct tally tally;
  const struct draw_seeds seeds = {5, 1, DRAWN_ALL};
  struct draw_seeds of;
  FILE *file = tmpfile();

  (void)state;
  assert_non_null(file);
  memset(&tally, 0, sizeof(tally));
  add(&tally, DRAWN_ONCE, GC_CAPACITY, 0.9999, 40, 3);
  earn_write(file, &tally, &seeds, 12);
  rewind(file);
  assert_int_equal(earn_load(file, &of, table), 12);
  fclose(file);
  assert_true(of.gpus == 5 && of.noise == 1 && of.kind == DRAWN_ALL);
  assert_true(table[GC_CAPACITY][BINS - 1].values == 40 && table[GC_CAPACITY][BINS - 1].wrong == 3);
  assert_true(fabs(table[GC_CAPACITY][BINS - 1].most - floor(earn_bound(40, 3) * 1e4) / 1e4) <
              1e-9);
  assert_true(table[GC_LINE][BINS - 1].most == 0);
  assert_non_null(file = tmpfile());
  assert_int_equal(earn_load(file, &of, table), 0);
  fclose(file);
}

static void groups_differ_in_one_seed(void **state)
{
  static struct drawn_gpu gpus[DRAWN_GROUPS];
  const struct draw_seeds seeds = {5, 1, DRAWN_ALL};

  (void)state;
  for (uint64_t n = 0; n < 20; n++) {
    const uint64_t index = draw_index_with_pages(&seeds, n);

    assert_int_equal(draw_count_with_pages(&seeds, index), n);
    assert_int_equal(draw_count_with_pages(&seeds, index + 1), n + 1);
    for (int group = 0; group < DRAWN_GROUPS; group++)
      draw_gpu(&seeds, index, (enum drawn_group)group, &gpus[group]);
    assert_true(differ_only_in("\nseed = ", gpus[DRAWN_ONCE].text, gpus[DRAWN_OTHER_NOISE].text));
    assert_true(
        differ_only_in("\npage_seed = ", gpus[DRAWN_ONCE].text, gpus[DRAWN_OTHER_PAGES].text));
  }
  assert_int_equal(draw_count_with_pages(&(struct draw_seeds){5, 1, DRAWN_PAGES}, 7), 7);
  assert_int_equal(draw_index_with_pages(&(struct draw_seeds){5, 1, DRAWN_PAGES}, 7), 7);
  assert_int_equal(draw_count_with_pages(&(struct draw_seeds){5, 1, DRAWN_GENERAL}, 7), 0);
  assert_int_equal(draw_count_with_pages(&(struct draw_seeds){5, 1, DRAWN_HABITS}, 7), 0);
}

/* A GPU that cannot be simulated ends a run of hours. */
static void every_drawn_profile_is_valid(void **state)
{
  static struct drawn_gpu gpu;
  static struct gc_profile profile;
  struct gc_error err;

  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++)
    for (uint64_t index = 0; index < 2000; index++) {
      const struct draw_seeds seeds = {seed, seed, DRAWN_ALL};

      draw_gpu(&seeds, index, DRAWN_ONCE, &gpu);
      if (gc_profile_parse("drawn", gpu.text, strlen(gpu.text), &profile, &err) ||
          gc_profile_check("drawn", &profile, &err))
        fail_msg("GPU %d of seed %d: %s", (int)index, (int)seed, err.text);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_perfect_tool_passes),
      cmocka_unit_test(each_bin_counts_for_itself),
      cmocka_unit_test(many_bins_are_many_tests),
      cmocka_unit_test(other_conditions_count),
      cmocka_unit_test(counts_support_a_confidence),
      cmocka_unit_test(a_table_continues),
      cmocka_unit_test(groups_differ_in_one_seed),
      cmocka_unit_test(every_drawn_profile_is_valid),
      cmocka_unit_test(a_table_can_be_tested_before_it_is_compiled),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
