/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Physical pages under the L2 of a simulated chip, and the TLBs that translate addresses.
 */
#include "chip.h"
#include "model/pages.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE (64u << 10)
#define L2_BYTES (256u << 10)

static void without_pages_addresses_are_physical(void **state)
{
  struct gc_pages pages;

  (void)state;
  gc_pages_init(&pages, 0, GC_PAGES_SCATTERED, 1);
  assert_int_equal(gc_pages_map(&pages, BASE, 1 << 20), 0);
  assert_int_equal(gc_pages_physical(&pages, BASE + 12345), BASE + 12345);
  gc_pages_fini(&pages);
}

static int ascending(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

/* No two pages are at one place, whichever allocation they belong to. */
static void pages_do_not_meet(void **state)
{
  static uint64_t frames[64 * 64];
  struct gc_pages pages;
  size_t n = 0;

  (void)state;
  gc_pages_init(&pages, PAGE, GC_PAGES_MIXED, 7);
  for (unsigned i = 0; i < 64; i++) {
    const uint64_t base = BASE + i * 64ull * PAGE;

    assert_int_equal(gc_pages_map(&pages, base, 64ull * PAGE), 0);
    for (unsigned page = 0; page < 64; page++) {
      const uint64_t at = gc_pages_physical(&pages, base + page * (uint64_t)PAGE + 77);

      assert_int_equal(at % PAGE, 77);
      frames[n++] = at / PAGE;
    }
  }
  qsort(frames, n, sizeof(*frames), ascending);
  for (size_t i = 1; i < n; i++)
    assert_true(frames[i] > frames[i - 1]);
  gc_pages_unmap(&pages, BASE);
  assert_int_equal(gc_pages_physical(&pages, BASE + 5), BASE + 5);
  gc_pages_fini(&pages);
}

/* How many pages follow the one before. */
static unsigned neighbours(enum gc_page_order order, uint64_t seed, unsigned count)
{
  struct gc_pages pages;
  unsigned n = 0;

  gc_pages_init(&pages, PAGE, order, seed);
  assert_int_equal(gc_pages_map(&pages, BASE, count * (uint64_t)PAGE), 0);
  for (unsigned page = 1; page < count; page++)
    n += gc_pages_physical(&pages, BASE + page * (uint64_t)PAGE) ==
         gc_pages_physical(&pages, BASE + page * (uint64_t)PAGE - 1) + 1;
  gc_pages_fini(&pages);
  return n;
}

static void orders_are_as_named(void **state)
{
  unsigned contiguous = 0;

  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    assert_int_equal(neighbours(GC_PAGES_CONTIGUOUS, seed, 100), 99);
    assert_true(neighbours(GC_PAGES_SCATTERED, seed, 100) < 5);
    contiguous += neighbours(GC_PAGES_MIXED, seed, 100) == 99;
  }
  assert_in_range(contiguous, 8, 32);
}

/* Lines of this many bytes that miss in L2 when they are read again. */
static unsigned misses(struct gc_model *model, uint64_t base, uint64_t bytes)
{
  unsigned count = 0;

  assert_int_equal(gc_model_map(model, base, bytes), 0);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t at = 0; at < bytes; at += 128)
      count += gc_model_touch(model, 0, GC_SPACE_CG, base + at) > 200 && pass;
  gc_model_displace(model);
  return count;
}

/* The L2 has 128 sets of 16 ways, which 16 KiB meet once: pages of 4 KiB are of four kinds, and
 * more than 16 of one kind do not fit. Pages of 64 KiB meet all sets alike. */
static void scattered_pages_crowd_some_sets(void **state)
{
  struct gc_model *small = make(CHIP "pages = 4 KiB scattered\n" UNIFIED L1 RO C15 L2 SPACES),
                  *apart = make(CHIP "pages = 4 KiB contiguous\n" UNIFIED L1 RO C15 L2 SPACES),
                  *large = make(CHIP "pages = 64 KiB scattered\n" UNIFIED L1 RO C15 L2 SPACES);
  unsigned crowded = 0;

  (void)state;
  for (uint64_t i = 0; i < 32; i++) {
    const uint64_t base = BASE + i * (2 << 20);

    crowded += misses(small, base, L2_BYTES) > 0;
    assert_int_equal(misses(apart, base, L2_BYTES), 0);
    assert_int_equal(misses(large, base, L2_BYTES), 0);
    assert_int_equal(misses(apart, base + (1 << 20), L2_BYTES + 128), 17);
  }
  assert_true(crowded > 24); /* 16 of each kind among 64 are rare: about 0.4 % */
  gc_model_free(small);
  gc_model_free(apart);
  gc_model_free(large);
}

#define FITS 20

/* The truth agrees with what allocations do: what all can use misses hardly anywhere, and more than
 * any can use misses in all. The least is far from the total. */
static void truth_says_what_allocations_can_use(void **state)
{
  struct gc_model *small = make(CHIP "pages = 4 KiB scattered\n" UNIFIED L1 RO C15 L2 SPACES),
                  *large = make(CHIP "pages = 64 KiB mixed\n" UNIFIED L1 RO C15 L2 SPACES),
                  *plain = make(CHIP UNIFIED L1 RO C15 L2 SPACES);
  uint64_t fits[FITS];

  (void)state;
  assert_int_equal(gc_model_true_fits(small, GC_SPACE_CA, 0, 1, fits, FITS), -ENOENT);
  assert_int_equal(gc_model_true_fits(plain, GC_SPACE_CG, 0, 1, fits, FITS), 0);
  assert_int_equal(fits[0], L2_BYTES);
  assert_int_equal(gc_model_true_fits(large, GC_SPACE_CG, 0, 1, fits, FITS), 0);
  assert_in_range(fits[0], L2_BYTES, L2_BYTES + 1024);
  assert_int_equal(gc_model_true_fits(small, GC_SPACE_CG, 0, 1, fits, FITS), 0);
  assert_in_range(fits[0], 64 << 10, L2_BYTES * 3 / 4);
  assert_true(fits[FITS - 1] > fits[0] && fits[FITS - 1] <= L2_BYTES);
  for (uint64_t i = 0; i < 100; i++) {
    const uint64_t base = BASE + 2 * i * (2 << 20);

    assert_true(misses(small, base, fits[0] / 2) * 50 <= fits[0] / 2 / 128);
    assert_true(misses(small, base + (2 << 20), L2_BYTES + 8192) * 100 > L2_BYTES / 128);
  }
  gc_model_free(small);
  gc_model_free(large);
  gc_model_free(plain);
}

/* Caches inside the SM see virtual addresses. */
static void l1_is_virtual(void **state)
{
  struct gc_model *model = make(CHIP "pages = 4 KiB scattered\n" UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  assert_int_equal(gc_model_map(model, BASE, 1 << 20), 0);
  assert_int_equal(slow(model, 0, GC_SPACE_CA, 89 << 10, 32, 31), 0);
  gc_model_free(model);
}

/* Cycles of a load by this SM from this range of 64 KiB. All loads are of different lines. */
static uint32_t load(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t range)
{
  static uint64_t line;

  return gc_model_load(model, sm, space, BASE + range * PAGE + line++ % 512 * 128);
}

static void tlbs_cost_their_penalties(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 2\n")
                                    TLB("B", "entries = 4\nscope = chip\n") SPACES);

  (void)state;
  assert_int_equal(load(model, 0, GC_SPACE_CG, 0), 500 + 200);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 0), 500);
  assert_int_equal(load(model, 1, GC_SPACE_CG, 0), 500 + 100); /* each SM has its own first TLB */
  assert_int_equal(load(model, 0, GC_SPACE_CG, 1), 500 + 200);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 2), 500 + 200);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 0), 500 + 100); /* two others came since */
  for (uint64_t range = 3; range < 7; range++)
    assert_int_equal(load(model, 2, GC_SPACE_CG, range), 500 + 200);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 2), 500);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 1), 500 + 200);
  gc_model_displace(model);
  assert_int_equal(load(model, 0, GC_SPACE_CG, 1), 500 + 200);
  gc_model_free(model);
}

/* A hit in L1 needs no translation, and neither does shared memory. */
static void only_physical_levels_are_translated(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 1\n") SPACES);

  (void)state;
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 600);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE + PAGE), 600);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 30);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_SHARED, 0), 20);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), 300);
  gc_model_free(model);
}

static void ways_of_a_tlb(void **state)
{
  struct gc_model *model =
      make(CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 4\nways = 2\nscope = group 2\n") SPACES);

  (void)state;
  for (uint64_t range = 0; range < 6; range += 2) /* three ranges of one set */
    assert_int_equal(load(model, 0, GC_SPACE_CG, range), 600);
  assert_int_equal(load(model, 1, GC_SPACE_CG, 4), 500);
  assert_int_equal(load(model, 1, GC_SPACE_CG, 0), 600);
  assert_int_equal(load(model, 2, GC_SPACE_CG, 0), 600);
  gc_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_pages_addresses_are_physical),
      cmocka_unit_test(pages_do_not_meet),
      cmocka_unit_test(orders_are_as_named),
      cmocka_unit_test(scattered_pages_crowd_some_sets),
      cmocka_unit_test(truth_says_what_allocations_can_use),
      cmocka_unit_test(l1_is_virtual),
      cmocka_unit_test(tlbs_cost_their_penalties),
      cmocka_unit_test(only_physical_levels_are_translated),
      cmocka_unit_test(ways_of_a_tlb),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
