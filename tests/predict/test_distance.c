/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reuse distances: the examples of Nugteren et al. 2014, and streams against a stack that is
 * searched and against a Fenwick tree over all times. Linked with --wrap, so that allocations fail
 * when the test wants it.
 */
#include "reference.h"

#include "tests/unit/failing.h"

#include "predict/distance/stack_lines.h"
#include "predict/distance/slots.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define INFINITE GC_DISTANCE_INFINITE
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static uint64_t access_line(struct gc_distance *distance, uint64_t line)
{
  uint64_t value = 12345;

  assert_int_equal(gc_distance_access(distance, line, &value), 0);
  return value;
}

static void expect(const uint64_t *lines, const uint64_t *expected, size_t count)
{
  struct gc_distance *distance = need(gc_distance_new());

  for (size_t i = 0; i < count; i++)
    assert_int_equal(access_line(distance, lines[i]), expected[i]);
  gc_distance_free(distance);
}

/* Table 1. The time since the last access to x[5] is 5 accesses, but its distance is 2. */
static void table_1(void **state)
{
  const uint64_t addresses[] = {0, 5, 3, 9, 3, 3, 5}, lines[] = {0, 1, 0, 2, 0, 0, 1};
  const uint64_t of_addresses[] = {INFINITE, INFINITE, INFINITE, INFINITE, 1, 0, 2};
  const uint64_t of_lines[] = {INFINITE, INFINITE, 1, INFINITE, 1, 0, 2};

  (void)state;
  expect(addresses, of_addresses, COUNT(addresses));
  expect(lines, of_lines, COUNT(lines));
}

/* Figure 1, and the text: a cache of 2 lines has 3 compulsory misses and 1 capacity miss. */
static void figure_1(void **state)
{
  const uint64_t lines[] = {0, 1, 0, 2, 0, 0, 1}, hits[] = {0, 1, 3, 4, 4};
  struct gc_distance *distance = need(gc_distance_new());
  struct gc_reuse_histogram *histogram = need(gc_reuse_histogram_new());

  (void)state;
  for (size_t i = 0; i < COUNT(lines); i++)
    gc_reuse_histogram_add(histogram, access_line(distance, lines[i]));
  assert_int_equal(gc_reuse_histogram_accesses(histogram), 7);
  assert_int_equal(gc_reuse_histogram_first(histogram), 3);
  for (size_t i = 0; i < COUNT(hits); i++)
    assert_true(gc_reuse_histogram_hits(histogram, i) == (double)hits[i]);
  assert_true(gc_reuse_histogram_hits(histogram, UINT64_MAX) == 4);
  gc_reuse_histogram_free(histogram);
  gc_distance_free(distance);
}

/* Table 2: two instructions of four threads, without coalescing. */
static void table_2(void **state)
{
  const uint64_t lines[] = {0, 0, 1, 1, 0, 0, 1, 1};
  const uint64_t expected[] = {INFINITE, 0, INFINITE, 0, 1, 0, 1, 0};

  (void)state;
  expect(lines, expected, COUNT(lines));
}

/* Lines as addresses make them: anywhere, with large powers of two between them. */
static void equals_a_stack(void **state)
{
  const struct {
    uint64_t lines, base, stride;
    size_t accesses;
  } cases[] = {
      {1, 0, 1, 100},           {2, UINT64_MAX - 1, 1, 1000},
      {63, 0, 1, 3000},         {64, 1, 64, 3000},
      {255, 7, 4, 20000},       {257, 0, UINT64_C(1) << 32, 20000},
      {1024, 0, 1 << 20, 9000}, {2500, UINT64_MAX / 3, 4097, 40000},
  };

  (void)state;
  for (size_t c = 0; c < COUNT(cases); c++) {
    for (enum shape shape = 0; shape < SHAPES; shape++) {
      struct gc_distance *distance = need(gc_distance_new());
      struct stack stack = {0};
      uint64_t random = 1 + c;

      for (size_t i = 0; i < cases[c].accesses; i++) {
        const uint64_t number = shape_line(shape, i, cases[c].lines, &random);
        const uint64_t line = cases[c].base + number * cases[c].stride;
        const uint64_t expected = stack_access(&stack, line);

        if (access_line(distance, line) != expected)
          fail_msg("%s, %zu lines, access %zu", shape_names[shape], (size_t)cases[c].lines, i);
      }
      free(stack.lines);
      gc_distance_free(distance);
    }
  }
}

/* More levels of the tree, many compactions and growths; hints change nothing. */
static void equals_a_fenwick_tree(void **state)
{
  const uint64_t lines[] = {5000, 70000, 300000};

  (void)state;
  for (size_t c = 0; c < COUNT(lines); c++) {
    for (enum shape shape = 0; shape < SHAPES; shape++) {
      const uint32_t accesses = 1000000;
      struct gc_distance *distance = need(gc_distance_new());
      struct fenwick fenwick = fenwick_new(lines[c], accesses);
      uint64_t random = 1 + c;

      for (uint32_t i = 0; i < accesses; i++) {
        const uint64_t line = shape_line(shape, i, lines[c], &random);

        gc_distance_prefetch(distance, random);
        if (access_line(distance, line) != fenwick_access(&fenwick, line))
          fail_msg("%s, %zu lines, access %u", shape_names[shape], (size_t)lines[c], i);
      }
      fenwick_free(&fenwick);
      gc_distance_free(distance);
    }
  }
}

/* All numbers of levels, with the tree alone: removes slots in a mixed order. */
static void slots_of_all_sizes(void **state)
{
  const uint32_t sizes[] = {0, 1, 63, 64, 65, 256, 257, 4096, 65537, 1048577, 16777217};
  struct gc_slots slots;

  (void)state;
  for (size_t c = 0; c < COUNT(sizes); c++) {
    const uint32_t live = sizes[c], capacity = live < 1000 ? 1024 : live + 1000, steps = 5000;
    struct fenwick removed = fenwick_new(1, capacity);

    assert_int_equal(gc_slots_new(&slots, live, 0), 0);
    assert_true(slots.capacity >= GC_SLOT_LEAST && slots.capacity / GC_SLOT_ROOM >= live);
    for (uint32_t i = 0; i < capacity - live; i++)
      assert_int_equal(gc_slots_append(&slots), live + i);
    assert_int_equal(slots.live, capacity);
    for (uint32_t i = 1; i <= (steps < capacity ? steps : capacity); i++) {
      const uint32_t slot = (uint32_t)(i * UINT64_C(2654435761) % capacity); /* a prime */
      uint32_t rank = slot;

      for (uint32_t time = slot + 1; time; time &= time - 1)
        rank -= removed.sums[time];
      assert_int_equal(gc_slots_rank(&slots, slot), rank);
      assert_int_equal(gc_slots_remove(&slots, slot), capacity - i - rank);
      fenwick_add(&removed, slot + 1, 1);
    }
    gc_slots_free(&slots);
    fenwick_free(&removed);
  }
  assert_int_equal(gc_slots_new(&slots, 1, 1 << 20), 0); /* the table may be larger than its use */
  assert_int_equal(slots.capacity, 1 << 20);
  gc_slots_free(&slots);
}

/* After clear, all lines are new, also if the object was large, and in the last epoch. */
static void clear_forgets(void **state)
{
  struct gc_distance *distance = need(gc_distance_new());
  struct gc_stack_lines lines;

  (void)state;
  for (unsigned round = 0; round < 4; round++) {
    for (uint64_t line = 0; line < 10000; line++)
      assert_int_equal(access_line(distance, line), INFINITE);
    assert_int_equal(access_line(distance, 0), 9999);
    gc_distance_clear(distance);
    assert_int_equal(access_line(distance, 0), INFINITE); /* also the line of the last access */
    assert_int_equal(access_line(distance, 1), INFINITE);
    assert_int_equal(access_line(distance, 0), 1);
    gc_distance_clear(distance);
    gc_distance_clear(distance);
  }
  gc_distance_free(distance);
  gc_distance_free(NULL);

  assert_int_equal(gc_stack_lines_new(&lines), 0);
  *gc_stack_lines_find(&lines, 7) = (struct gc_stack_line){.line = 7, .epoch = lines.epoch};
  lines.epoch = UINT32_MAX;
  *gc_stack_lines_find(&lines, 8) = (struct gc_stack_line){.line = 8, .epoch = lines.epoch};
  gc_stack_lines_clear(&lines);
  assert_false(gc_stack_lines_in_use(&lines, gc_stack_lines_find(&lines, 7)));
  assert_false(gc_stack_lines_in_use(&lines, gc_stack_lines_find(&lines, 8)));
  assert_false(gc_stack_lines_in_use(&lines, gc_stack_lines_find(&lines, 0)));
  gc_stack_lines_free(&lines);
}

/* A fuller table would give the same distances, only later. */
static void table_stays_half_empty(void **state)
{
  struct gc_stack_lines lines;

  (void)state;
  assert_int_equal(gc_stack_lines_new(&lines), 0);
  for (uint32_t i = 0; i < 5000; i++) {
    struct gc_stack_line *entry;

    assert_int_equal(lines.used, i);
    assert_true(!gc_stack_lines_full(&lines) || !gc_stack_lines_grow(&lines));
    assert_true(2 * lines.used < gc_stack_lines_size(&lines));
    entry = gc_stack_lines_find(&lines, 64 * i);
    assert_false(gc_stack_lines_in_use(&lines, entry));
    *entry = (struct gc_stack_line){64 * i, i, lines.epoch};
    lines.used++;
  }
  for (uint32_t i = 0; i < 5000; i++)
    assert_int_equal(gc_stack_lines_find(&lines, 64 * i)->slot, i);
  gc_stack_lines_free(&lines);
}

/* Each allocation fails once, in a stream with several growths and compactions. The failed access
 * is repeated, and all distances are as if nothing had happened. */
static void allocation_failures(void **state)
{
  struct gc_distance *distance = NULL;
  struct stack stack = {0};
  uint64_t random = 1, value;
  unsigned long creations;

  (void)state;
  for (failures = 0; !distance;) {
    until_failure = (long)failures;
    distance = gc_distance_new();
  }
  creations = failures;
  assert_true(creations >= 3);
  for (size_t i = 0; i < 20000; i++) {
    const uint64_t line = shape_line(UNIFORM, i, 1 + i / 8, &random);
    unsigned long before = failures;
    int status = 1;

    for (until_failure = 0; status; until_failure = (long)(failures - before)) {
      status = gc_distance_access(distance, line, &value);
      assert_true(status == 0 || (status == -ENOMEM && failures > before));
    }
    until_failure = -1;
    assert_int_equal(value, stack_access(&stack, line));
  }
  assert_true(failures - creations >= 10);
  until_failure = 0;
  assert_null(gc_reuse_histogram_new());
  until_failure = -1;
  free(stack.lines);
  gc_distance_free(distance);
}

/* An LRU cache, as hardware does it: each line has the time of its last use. */
static uint64_t lru_hits(const uint64_t *lines, size_t accesses, size_t capacity)
{
  uint64_t *line = need(calloc(capacity + 1, sizeof(*line)));
  size_t *used = need(calloc(capacity + 1, sizeof(*used)));
  uint64_t hits = 0;

  for (size_t now = 1; now <= accesses && capacity; now++) {
    size_t way = 0, oldest = 0;

    while (way < capacity && (!used[way] || line[way] != lines[now - 1])) {
      if (used[way] < used[oldest])
        oldest = way;
      way++;
    }
    hits += way < capacity;
    way = way < capacity ? way : oldest;
    line[way] = lines[now - 1];
    used[way] = now;
  }
  free(line);
  free(used);
  return hits;
}

static void hits_equal_those_of_a_cache(void **state)
{
  enum { ACCESSES = 6000 };
  const size_t capacities[] = {0, 1, 2, 3, 5, 8, 16, 31, 64, 127, 128, 200, 299, 300, 301, 400};
  uint64_t lines[ACCESSES];

  (void)state;
  for (enum shape shape = 0; shape < SHAPES; shape++) {
    struct gc_distance *distance = need(gc_distance_new());
    struct gc_reuse_histogram *histogram = need(gc_reuse_histogram_new());
    uint64_t random = 5;

    for (size_t i = 0; i < ACCESSES; i++) {
      lines[i] = shape_line(shape, i, 300, &random);
      gc_reuse_histogram_add(histogram, access_line(distance, lines[i]));
    }
    for (size_t i = 0; i < COUNT(capacities); i++)
      assert_true(gc_reuse_histogram_hits(histogram, capacities[i]) ==
                  (double)lru_hits(lines, ACCESSES, capacities[i]));
    gc_reuse_histogram_free(histogram);
    gc_distance_free(distance);
  }
}

/* Below 4096 and between buckets the histogram is exact. Elsewhere its hits lie between those of
 * capacities less than 1/128 away, and do not fall. */
static void histogram_interpolates(void **state)
{
  enum { MOST = 300000 };
  struct gc_reuse_histogram *histogram = need(gc_reuse_histogram_new());
  uint64_t *counts = need(calloc(MOST + 1, sizeof(*counts))), random = 3;
  double before = 0;
  size_t inexact = 0;

  (void)state;
  for (size_t i = 0; i < 2000000; i++) {
    const uint64_t distance = shape_line(i % 2 ? ZIPF : UNIFORM, i, MOST, &random);

    gc_reuse_histogram_add(histogram, distance);
    counts[distance + 1]++;
  }
  for (size_t i = 1; i <= MOST; i++)
    counts[i] += counts[i - 1]; /* of smaller distances */
  for (size_t lines = 0; lines <= MOST; lines += lines < 5000 ? 1 : 37) {
    const double hits = gc_reuse_histogram_hits(histogram, lines);
    const size_t low = lines - lines / 128, high = lines + lines / 128;

    assert_true(hits >= before);
    before = hits;
    if (lines <= GC_REUSE_EXACT)
      assert_true(hits == (double)counts[lines]);
    assert_true(hits >= (double)counts[low]);
    assert_true(hits <= (double)counts[high < MOST ? high : MOST]);
    inexact += hits != (double)counts[lines];
  }
  assert_true(inexact > 100);                 /* or this test tests nothing */
  for (unsigned bits = 12; bits < 18; bits++) /* where buckets begin */
    for (size_t part = 128; part < 256; part++)
      assert_true(gc_reuse_histogram_hits(histogram, part << (bits - 7)) ==
                  (double)counts[part << (bits - 7)]);
  free(counts);
  gc_reuse_histogram_free(histogram);
}

/* Each bin has the distances that it says, also where the histogram has buckets. */
static void bins_are_powers_of_two(void **state)
{
  struct gc_reuse_histogram *histogram = need(gc_reuse_histogram_new());
  struct gc_reuse_bins bins;

  (void)state;
  gc_reuse_histogram_bins(histogram, &bins);
  assert_int_equal(gc_reuse_bins_used(&bins), 0);
  assert_int_equal(gc_reuse_bins_loads(&bins), 0);
  /* the ends of each bin, i and i + 1 times */
  for (unsigned i = 0; i < GC_REUSE_BINS; i++) {
    for (unsigned k = 0; k < i; k++)
      gc_reuse_histogram_add(histogram, UINT64_C(1) << (i - 1));
    for (unsigned k = 0; k < i + 1; k++)
      gc_reuse_histogram_add(histogram, (UINT64_C(1) << i) - 1);
  }
  gc_reuse_histogram_add(histogram, GC_DISTANCE_INFINITE);
  gc_reuse_histogram_bins(histogram, &bins);
  for (unsigned i = 0; i < GC_REUSE_BINS; i++)
    assert_int_equal(bins.loads[i], 2 * i + 1);
  assert_int_equal(bins.first, 1);
  assert_int_equal(gc_reuse_bins_used(&bins), GC_REUSE_BINS);
  assert_int_equal(gc_reuse_bins_loads(&bins), gc_reuse_histogram_accesses(histogram));
  gc_reuse_histogram_free(histogram);
}

static void histogram_of_extremes(void **state)
{
  struct gc_reuse_histogram *one = need(gc_reuse_histogram_new()),
                            *two = need(gc_reuse_histogram_new());

  (void)state;
  gc_reuse_histogram_add(one, INFINITE - 1);
  gc_reuse_histogram_add(one, UINT64_C(1) << 63);
  gc_reuse_histogram_add(one, INFINITE);
  gc_reuse_histogram_add(two, INFINITE);
  gc_reuse_histogram_add(two, GC_REUSE_EXACT);
  gc_reuse_histogram_add(two, GC_REUSE_EXACT - 1);
  gc_reuse_histogram_merge(one, two);
  assert_int_equal(gc_reuse_histogram_accesses(one), 6);
  assert_int_equal(gc_reuse_histogram_first(one), 2);
  assert_true(gc_reuse_histogram_hits(one, GC_REUSE_EXACT - 1) == 0);
  assert_true(gc_reuse_histogram_hits(one, GC_REUSE_EXACT) == 1);
  assert_true(gc_reuse_histogram_hits(one, GC_REUSE_EXACT + 32) == 2);
  assert_true(gc_reuse_histogram_hits(one, UINT64_C(1) << 63) == 2);
  assert_true(gc_reuse_histogram_hits(one, UINT64_MAX) > 3.99);
  gc_reuse_histogram_free(one);
  gc_reuse_histogram_free(two);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_1),
      cmocka_unit_test(figure_1),
      cmocka_unit_test(table_2),
      cmocka_unit_test(equals_a_stack),
      cmocka_unit_test(equals_a_fenwick_tree),
      cmocka_unit_test(slots_of_all_sizes),
      cmocka_unit_test(clear_forgets),
      cmocka_unit_test(table_stays_half_empty),
      cmocka_unit_test(allocation_failures),
      cmocka_unit_test(hits_equal_those_of_a_cache),
      cmocka_unit_test(histogram_interpolates),
      cmocka_unit_test(bins_are_powers_of_two),
      cmocka_unit_test(histogram_of_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
