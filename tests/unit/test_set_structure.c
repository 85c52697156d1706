/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From conflicts to the masks of a hash, and from hits and misses to a replacement policy.
 */
#include "measure/structure/index.h"
#include "measure/structure/policy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The masks of a hash come back from the addresses that it maps to the same set. */
static void masks_from_a_kernel(void **state)
{
  const uint64_t masks[] = {0x2080, 0x4100, 0x8200}; /* bits 7, 8, 9 and 13, 14, 15 */
  struct gc_span kernel = {0};
  struct gc_set_masks index;

  (void)state;
  for (uint64_t line = 0; line < 1 << 10; line++) {
    uint64_t set = 0;

    for (int i = 0; i < 3; i++)
      set |= (uint64_t)__builtin_parityll(line << 7 & masks[i]) << i;
    if (!set)
      gc_span_add(&kernel, line << 7);
  }
  assert_int_equal(kernel.count, 10 - 3);
  gc_index_find(&kernel, 7, 17, &index);
  assert_int_equal(index.count, 3);
  assert_memory_equal(index.masks, masks, sizeof(masks));
  assert_int_equal(gc_index_set(&index, 0x2000), 1);
  assert_int_equal(gc_index_set(&index, 0x2080), 0);
  assert_int_equal(gc_index_set(&index, 0x8100), 6);
}

/* Without any conflict each line is a set of its own. */
static void no_kernel(void **state)
{
  const struct gc_span kernel = {0};
  struct gc_set_masks index;

  (void)state;
  gc_index_find(&kernel, 5, 9, &index);
  assert_int_equal(index.count, 4);
  assert_int_equal(index.masks[0], 0x20);
}

#define WAYS 4
#define LOADS 400

static const uint8_t order[] = {3, 0, 1, 2, 4, 2, 4, 1, 0, 3,
                                2, 0, 1, 4, 3, 4, 3, 0, 2, 1};

/* Loads of a set that replaces its least recently used line, or the one of way victim[i % 6]. */
static void simulate(uint8_t *seen, const uint32_t *victims)
{
  uint32_t line[WAYS], used[WAYS] = {0}, filled = 0, misses = 0;

  for (uint32_t i = 0; i < LOADS; i++) {
    const uint32_t want = order[i % sizeof(order)];
    uint32_t way = 0;

    while (way < filled && line[way] != want)
      way++;
    seen[i] = way < filled ? GC_HIT : GC_MISS;
    if (way == filled && filled < WAYS) {
      filled++;
    } else if (way == filled && victims) {
      way = victims[misses++ % 6];
    } else if (way == filled) {
      way = 0;
      for (uint32_t k = 1; k < WAYS; k++)
        way = used[k] < used[way] ? k : way;
    }
    line[way] = want;
    used[way] = i + 1;
  }
}

static void lru_is_recognized(void **state)
{
  uint8_t seen[LOADS];
  const struct gc_set_loads loads = {
      .ways = WAYS, .order = order, .period = sizeof(order), .seen = seen, .loads = LOADS};

  (void)state;
  simulate(seen, NULL);
  assert_true(gc_policy_agrees(GC_REPLACES_LRU, &loads) == 1);
  assert_true(gc_policy_repeats(&loads));
  assert_true(gc_policy_agrees(GC_REPLACES_FIFO, &loads) < 0.9);
  assert_true(gc_policy_agrees(GC_REPLACES_PLRU, &loads) < 0.9);
}

/* A set of 4 ways that protects up to two lines that were hit, from the definition: a list of the
 * protected lines and one of the others, the oldest first. */
static void slru_is_recognized(void **state)
{
  /* orders in which LRU replaces other lines often */
  static const uint8_t order[] = {3, 4, 0, 2, 1, 4, 2, 0, 1, 3, 4, 1, 2, 3, 0, 4, 3, 2, 1, 0};
  uint8_t seen[LOADS], others[WAYS + 1], kept[WAYS];
  const struct gc_set_loads loads = {
      .ways = WAYS, .order = order, .period = sizeof(order), .seen = seen, .loads = LOADS};
  size_t n = 0, k = 0;

  (void)state;
  for (size_t i = 0; i < LOADS; i++) {
    const uint8_t line = order[i % sizeof(order)];
    uint8_t *in_kept = memchr(kept, line, k), *in_others = memchr(others, line, n);

    seen[i] = in_kept || in_others ? GC_HIT : GC_MISS;
    if (in_kept) {
      memmove(in_kept, in_kept + 1, (size_t)(kept + k - in_kept - 1));
      kept[k - 1] = line;
    } else if (in_others) {
      memmove(in_others, in_others + 1, (size_t)(others + n - in_others - 1));
      kept[k++] = line;
      n--;
      if (k > WAYS / 2) {
        others[n++] = kept[0];
        memmove(kept, kept + 1, --k);
      }
    } else {
      if (n + k == WAYS)
        memmove(others, others + 1, --n);
      others[n++] = line;
    }
  }
  assert_true(gc_policy_agrees(GC_REPLACES_SLRU, &loads) == 1);
  assert_true(gc_policy_agrees(GC_REPLACES_LRU, &loads) < 0.9);
  assert_true(gc_policy_agrees(GC_REPLACES_FIFO, &loads) < 0.9);
  assert_true(gc_policy_agrees(GC_REPLACES_PLRU, &loads) < 0.9);
}

/* The naive count by line sees five lines and no ways; following the ways gives Mei's shares. */
static void victims_are_followed(void **state)
{
  static const uint32_t victims[] = {1, 0, 1, 2, 1, 3};
  uint8_t seen[LOADS];
  const struct gc_set_loads loads = {
      .ways = WAYS, .order = order, .period = sizeof(order), .seen = seen, .loads = LOADS};
  struct gc_victims found = {.n = 0};

  (void)state;
  simulate(seen, victims);
  gc_victims_add(&found, &loads);
  assert_true(found.n > 50);
  assert_true(fabs((double)found.by_way[1] / (double)found.n - 1 / 2.) < 0.05);
  assert_true(fabs((double)found.by_way[0] / (double)found.n - 1 / 6.) < 0.05);
  assert_true(gc_policy_agrees(GC_REPLACES_LRU, &loads) < 0.9);
  assert_false(gc_counts_alike((uint64_t[]){500, 1500, 500, 500}, 4));
  assert_true(gc_counts_alike((uint64_t[]){500, 520, 490, 510}, 4));
}

/* Behind a load that may be disturbed, ways are not known any more. */
static void unclear_loads_end_a_walk(void **state)
{
  uint8_t seen[LOADS];
  const struct gc_set_loads loads = {
      .ways = WAYS, .order = order, .period = sizeof(order), .seen = seen, .loads = LOADS};
  struct gc_victims found = {.n = 0};

  (void)state;
  simulate(seen, NULL);
  seen[7] = GC_EITHER;
  gc_victims_add(&found, &loads);
  assert_true(found.n < 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masks_from_a_kernel),  cmocka_unit_test(no_kernel),
      cmocka_unit_test(lru_is_recognized),    cmocka_unit_test(slru_is_recognized),
    cmocka_unit_test(victims_are_followed),
      cmocka_unit_test(unclear_loads_end_a_walk),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
