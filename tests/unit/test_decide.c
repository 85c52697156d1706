/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The decision on a capacity, on invented histograms and counts with known answers. tests/replay
 * has whole traces, invented and real.
 */
#include "stats/decide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIZES 10
#define LOADS 1000
#define WIDTH 8
#define HIT 10 /* bins */
#define MISS 40

/* n sizes of 1000, 1100, 1200 ... bytes; at size i, misses[i] of LOADS loads miss, the rest hit. */
static struct gc_sizes seen(const uint32_t *misses, size_t n)
{
  struct gc_sizes sizes;

  assert_int_equal(gc_sizes_new(&sizes, n), 0);
  for (size_t i = 0; i < n; i++) {
    sizes.bytes[i] = 1000 + 100 * i;
    sizes.histogram[i][HIT] = LOADS - misses[i];
    sizes.histogram[i][MISS] = misses[i];
    gc_evidence_add(&sizes.evidence[i], misses[i], LOADS, 1e-3);
  }
  return sizes;
}

static struct gc_verdict decided(const uint32_t *misses, uint64_t changed)
{
  struct gc_sizes sizes = seen(misses, SIZES);
  struct gc_verdict verdict;

  gc_decide(&sizes, changed, &verdict);
  gc_sizes_free(&sizes);
  return verdict;
}

/* A mean or an argmax would select the steep part, three sizes further. */
static void capacity_is_before_the_first_misses(void **state)
{
  const uint32_t misses[SIZES] = {0, 1, 0, 0, 20, 30, 40, 900, 950, 1000};
  const struct gc_verdict verdict = decided(misses, 1700);

  (void)state;
  assert_null(verdict.absent);
  assert_int_equal(verdict.beyond, 4);
  assert_true(verdict.confidence > 0.9 && verdict.confidence <= 1);
}

/* K-S found other latencies where no load was slow, or at the answer itself: a contradiction. */
static void a_change_before_the_first_miss_withholds(void **state)
{
  const uint32_t misses[SIZES] = {0, 0, 0, 0, 0, 0, 500, 900, 950, 1000};

  (void)state;
  assert_null(decided(misses, 1600).absent);
  assert_string_equal(decided(misses, 1500).absent,
                      "the K-S test sees a change before the first miss");
  assert_int_equal(decided(misses, 1200).beyond, 6);
}

static void no_side_no_answer(void **state)
{
  const uint32_t all[SIZES] = {900, 900, 900, 900, 900, 900, 900, 900, 900, 900}, none[SIZES] = {0};
  const uint32_t noise[SIZES] = {0, 900, 0, 900, 0, 900, 900, 0, 0, 900};

  (void)state;
  assert_string_equal(decided(all, 1000).absent, "loads are slow already at the smallest size searched");
  assert_string_equal(decided(none, 1900).absent, "no misses where the K-S test saw a change");
  assert_string_equal(decided(noise, 1900).absent, "slow loads come and go at all sizes");
  assert_int_equal(decided(noise, 1900).beyond, 0);
}

/* One disturbed size is a first change, but not a lasting one. */
static void a_disturbance_is_no_lasting_change(void **state)
{
  const uint32_t misses[SIZES] = {0, 0, 800, 0, 0, 0, 0, 300, 600, 900};
  struct gc_sizes sizes = seen(misses, SIZES);
  uint64_t hits[GC_LATENCY_BINS] = {0};

  (void)state;
  hits[HIT] = 2 * LOADS;
  assert_int_equal(gc_first_change(&sizes, 0.25), 2);
  assert_int_equal(gc_lasting_change(&sizes, hits, 0.25), 7);
  sizes.n = 7;
  assert_int_equal(gc_lasting_change(&sizes, hits, 0.25), 7);
  gc_sizes_free(&sizes);
}

/* The same level on a far SM: for a plain K-S test 20 % is a change (D = 1). */
static void a_spread_is_no_change(void **state)
{
  const uint32_t misses[3] = {0};
  struct gc_sizes sizes = seen(misses, 3);

  (void)state;
  memset(sizes.histogram[2], 0, sizeof(sizes.histogram[2]));
  sizes.histogram[2][HIT + 2] = LOADS;
  assert_int_equal(gc_first_change(&sizes, 0.25), 3);
  assert_int_equal(gc_first_change(&sizes, 0), 2);
  gc_sizes_free(&sizes);
}

/* Sets loads of a histogram: so many in the bin of hits and in that of misses. */
static void set_loads(uint64_t *histogram, uint64_t hit, uint64_t miss)
{
  memset(histogram, 0, GC_LATENCY_BINS * sizeof(*histogram));
  histogram[HIT] = hit;
  histogram[MISS] = miss;
}

/* Two in a hundred hits are outliers as slow as a miss, or small arrays already miss: hits and
 * misses overlap, but do not take equally long. */
static void overlapping_levels_are_not_called_alike(void **state)
{
  uint64_t small[GC_LATENCY_BINS], beyond[GC_LATENCY_BINS], large[GC_LATENCY_BINS];
  struct gc_hit_miss levels;

  (void)state;
  set_loads(large, 0, 1000);
  set_loads(beyond, 900, 100);
  set_loads(small, 980, 20);
  assert_false(gc_hit_miss_find(small, beyond, WIDTH, &levels));
  assert_true(gc_is_one_level(small, 0.25));
  assert_string_equal(gc_explain_overlap(small, small, large, 0.25),
                      "more than one in a hundred loads of small arrays is as slow as misses");
  set_loads(small, 800, 200);
  assert_false(gc_is_one_level(small, 0.25));
  assert_string_equal(gc_explain_overlap(small, small, large, 0.25),
                      "loads of small arrays vary as much as if some of them missed");
  /* slow loads in between only */
  set_loads(large, 810, 190);
  assert_non_null(strstr(gc_explain_overlap(small, small, large, 0.25), "take equally long"));
  /* the largest array is faster: that is not alike either */
  set_loads(large, 900, 100);
  assert_null(strstr(gc_explain_overlap(small, small, large, 0.25), "take equally long"));
}

static void levels_are_told_apart(void **state)
{
  uint64_t hits[GC_LATENCY_BINS] = {0}, beyond[GC_LATENCY_BINS] = {0};
  struct gc_hit_miss levels;

  (void)state;
  hits[HIT] = 1000;
  hits[GC_LATENCY_BINS - 1] = 2; /* outliers */
  beyond[HIT] = 800;
  beyond[MISS] = 200;
  assert_true(gc_hit_miss_find(hits, beyond, WIDTH, &levels));
  assert_true(levels.hit == HIT * WIDTH && levels.miss == MISS * WIDTH);
  assert_true(levels.threshold > (HIT + 1) * WIDTH && levels.threshold < MISS * WIDTH);
}

/* Hits with a tail as long as a miss, or misses among the hits: there is no useful threshold. */
static void levels_that_overlap_are_refused(void **state)
{
  uint64_t hits[GC_LATENCY_BINS] = {0}, beyond[GC_LATENCY_BINS] = {0};
  struct gc_hit_miss levels;

  (void)state;
  hits[HIT] = 970;
  hits[MISS] = 30;
  beyond[HIT] = 500;
  beyond[MISS] = 500;
  assert_false(gc_hit_miss_find(hits, beyond, WIDTH, &levels));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(capacity_is_before_the_first_misses),
    cmocka_unit_test(a_change_before_the_first_miss_withholds),
    cmocka_unit_test(no_side_no_answer),
    cmocka_unit_test(a_disturbance_is_no_lasting_change),
    cmocka_unit_test(a_spread_is_no_change),
    cmocka_unit_test(overlapping_levels_are_not_called_alike),
    cmocka_unit_test(levels_are_told_apart),
    cmocka_unit_test(levels_that_overlap_are_refused),
  };

  return cmocka_run_group_tests_name("decide", tests, NULL, NULL);
}
