/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a chip, compared with results by hand or in closed form.
 */
#include "chip.h"
#include "model/noise.h"

static void capacity_follows_the_carveout(void **state)
{
  static const struct {
    int percent;
    uint32_t resident;
    uint64_t shared, capacity_kib;
  } cases[] = {
    {0, 0, 0, 96 - 7},          /* no carve-out requested or needed */
    {-1, 1, 0, 96 - 8 - 7},     /* one block needs its reserved KiB */
    {0, 32, 0, 96 - 32 - 7},    /* 32 blocks need 32 KiB */
    {0, 33, 0, 96 - 64 - 7},
    {10, 0, 0, 96 - 8 - 7},     /* 6.4 KiB */
    {50, 1, 0, 96 - 32 - 7},
    {51, 1, 0, 96 - 64 - 7},
    {100, 1, 0, 96 - 64 - 7},
    {0, 2, 10240, 96 - 32 - 7}, /* 2 x (10 + 1) KiB */
    {0, 1000, 65536, 96 - 64 - 7},
  };
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const uint64_t bytes = cases[i].capacity_kib << 10;

    gc_model_launch(model, cases[i].percent, cases[i].resident, cases[i].shared);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CA), bytes);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_TEXTURE), bytes);
    assert_int_equal(slow(model, 1, GC_SPACE_CA, bytes, 32, 100), 0);
    assert_int_equal(slow(model, 2, GC_SPACE_CA, bytes + 128, 128, 100), 5);
  }
  gc_model_free(model);
}

static void spaces_share_what_the_profile_says(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  assert_true(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_TEXTURE));
  assert_false(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_NC));
  assert_false(gc_model_true_shared(model, GC_SPACE_SHARED, GC_SPACE_SHARED));
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 500);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_TEXTURE, BASE), 60);  /* in L1 already */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 210);      /* not in RO */
  assert_int_equal(gc_model_load(model, 1, GC_SPACE_CA, BASE), 200);      /* not in this SM's L1 */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), 200);      /* bypasses L1 */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_SHARED, 0), 20);
  /* Constant space is not global memory of the same address. */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CONSTANT, BASE), 530);
  gc_model_free(model);
}

static void instances_and_groups(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  gc_model_touch(model, 0, GC_SPACE_NC, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 40);
  gc_model_unit(model, 1);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 210);
  gc_model_unit(model, 2); /* the first one again */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 40);
  /* SMs 2 and 3 share their constant cache, 4 has another. */
  gc_model_touch(model, 2, GC_SPACE_CONSTANT, 4096);
  assert_int_equal(gc_model_load(model, 3, GC_SPACE_CONSTANT, 4096), 70);
  assert_int_equal(gc_model_load(model, 4, GC_SPACE_CONSTANT, 4096), 230);
  gc_model_free(model);
}

static void launches_empty_all_but_l2(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  gc_model_touch(model, 0, GC_SPACE_CA, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 30);
  gc_model_launch(model, 0, 0, 0);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 200);
  gc_model_free(model);
}

static void an_l2_may_not_survive_a_launch(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 "survives_launch = no\n" SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  gc_model_touch(model, 0, GC_SPACE_CG, BASE);
  assert_int_equal(gc_model_load(model, 1, GC_SPACE_CG, BASE), 200);
  gc_model_launch(model, 0, 0, 0);
  assert_int_equal(gc_model_load(model, 1, GC_SPACE_CG, BASE), 500);
  gc_model_free(model);
}

static void replicating_partitions_halve_what_one_sm_keeps(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TWO_PARTS "replicate = yes\n" SPACES);
  unsigned far = 0, memory = 0;

  (void)state;
  assert_int_equal(gc_model_facts(model)->l2_bytes, 256 << 10);
  assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), 128 << 10);
  assert_int_equal(slow(model, 0, GC_SPACE_CG, 128 << 10, 128, 201), 0);
  /* The other side has the lines that it owns and fetches the others from the first side. */
  for (uint64_t at = 0; at < 128 << 10; at += 128) {
    const uint32_t t = gc_model_load(model, 1, GC_SPACE_CG, BASE + at);

    far += t == 250;
    memory += t >= 500;
  }
  assert_in_range(far, 1024 * 4 / 10, 1024 * 6 / 10);
  assert_int_equal(memory, 0);
  /* It keeps them: the second time all are near. */
  far = 0;
  for (uint64_t at = 0; at < 128 << 10; at += 128)
    far += gc_model_load(model, 1, GC_SPACE_CG, BASE + at) != 200;
  assert_int_equal(far, 0);
  assert_true(slow(model, 0, GC_SPACE_CG, 160 << 10, 128, 201) > 256);
  gc_model_free(model);
}

static void split_partitions_keep_each_line_once(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TWO_PARTS SPACES);
  unsigned far0 = 0, far1 = 0;

  (void)state;
  assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), 256 << 10);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t at = 0; at < 64 << 10; at += 128) {
      far0 += gc_model_load(model, 0, GC_SPACE_CG, BASE + at) == 250;
      far1 += gc_model_load(model, 1, GC_SPACE_CG, BASE + at) == 250;
    }
  /* Far from one side is near to the other; the very first loads of SM 0 came from memory. */
  assert_in_range(far1, 400, 624);
  assert_int_equal(far0 * 2 + far1, 2 * 512);
  gc_model_free(model);
}

/* gc_model_touch_run is a shortcut: its result and its effect must equal those of single
 * touches. */
static void runs_are_as_many_touches(void **state)
{
  static const char *const chips[] = {
    CHIP UNIFIED L1 RO C15 L2 SPACES,
    CHIP "sm_spread = 20\n" UNIFIED L1 RO C15 L2 TWO_PARTS SPACES,
    CHIP "sm_spread = 20\n" UNIFIED L1 RO C15 L2_L3 SPACES_L3,
    CHIP "sm_spread = 20\n" K C15 L2_L3 SPACES_K_L3,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS SPACES,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS "replicate = yes\n" SPACES,
    CHIP UNIFIED L1_SLRU RO C15 L2 SPACES,
    CHIP UNIFIED L1 RO C15 L2_RANDOM TWO_PARTS "replicate = yes\n" SPACES,
    CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 3\n") TLB("B", "entries = 6\nscope = chip\n")
        SPACES,
    CHIP "whole_sectors = yes\n" UNIFIED L1 RO C15 L2 SPACES,
    CHIP "whole_sectors = yes\n" UNIFIED L1 RO C15 L2_L3 SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_L3 SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_L3_LINES SPACES_L3,
    CHIP K C15 L2 TWO_PARTS "replicate = yes\n" TLB("A", "entries = 3\n") SPACES_K,
    CHIP K_RANDOM C15 L2 SPACES_K,
    CHIP K_RANDOM C15 L2_RANDOM SPACES_K,
    CHIP K C15 L2_RANDOM SPACES_K,
    CHIP K C15 L2_L3_LINES SPACES_K_L3,
    CHIP K C15 L2_L3 SPACES_K_L3,
    CHIP K C15 L2_WIDE TWO_PARTS "replicate = yes\n" SPACES_K,
  };
  static const uint64_t strides[] = {0, 8, 32, 48, 64, 128, 160, 1024};
  static const enum gc_space inside[] = {GC_SPACE_CA, GC_SPACE_NC};
  struct gc_random random;

  (void)state;
  gc_random_seed(&random, 3);
  for (size_t c = 0; c < sizeof(chips) / sizeof(*chips); c++) {
    struct gc_model *runs = make(chips[c]), *singles = make(chips[c]);

    for (int i = 0; i < 20000; i++) {
      const enum gc_space space =
          gc_random_below(&random, 8) ? GC_SPACE_CG : inside[gc_random_below(&random, 2)];
      const uint32_t sm = gc_random_below(&random, 6);
      const uint32_t count = gc_random_below(&random, gc_random_below(&random, 16) ? 40 : 1000);
      const uint64_t at = BASE + gc_random_below(&random, 512 << 10) / 8 * 8;
      const uint64_t stride = strides[gc_random_below(&random, 8)];
      uint64_t cycles = 0;

      for (uint32_t k = 0; k < count; k++)
        cycles += gc_model_touch(singles, sm, space, at + k * stride);
      assert_int_equal(gc_model_touch_run(runs, sm, space, at, stride, count), cycles);
    }
    gc_model_free(singles);
    gc_model_free(runs);
  }
}

/* Walks along rings, several passes each. Once gc_model_repeats says so, one chip makes no more
 * passes. Those of the other one take as long as the last, and both have the same in their caches. */
static void passes_that_repeat_change_nothing(void **state)
{
  static const char *const chips[] = {
    CHIP UNIFIED L1 RO C15 L2 SPACES,
    CHIP UNIFIED L1_SLRU RO C15 L2 SPACES,
    CHIP UNIFIED L1 RO C15 L2_L3 SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_L3_LINES SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_RANDOM TWO_PARTS "replicate = yes\n" SPACES,
    CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 3\n") TLB("B", "entries = 6\nscope = chip\n")
        SPACES,
    CHIP K C15 L2 TWO_PARTS "replicate = yes\n" TLB("A", "entries = 3\n") SPACES_K,
    CHIP K_RANDOM C15 L2_RANDOM SPACES_K,
    CHIP K C15 L2_L3 SPACES_K_L3,
    CHIP K C15 L2_WIDE TWO_PARTS "replicate = yes\n" SPACES_K,
  };
  static const uint64_t strides[] = {32, 64, 128, 160, 1024};
  static const enum gc_space spaces[] = {GC_SPACE_CA, GC_SPACE_CG, GC_SPACE_NC};
  struct gc_random random;

  (void)state;
  gc_random_seed(&random, 7);
  for (size_t c = 0; c < sizeof(chips) / sizeof(*chips); c++) {
    struct gc_model *all = make(chips[c]), *less = make(chips[c]);
    unsigned left_out = 0;

    for (int i = 0; i < 300; i++) {
      const enum gc_space space = spaces[gc_random_below(&random, 3)];
      const uint32_t sm = gc_random_below(&random, 6);
      const uint32_t count = 1 + gc_random_below(&random, gc_random_below(&random, 4) ? 40 : 1000);
      const uint64_t at = BASE + gc_random_below(&random, 512 << 10) / 8 * 8;
      const uint64_t stride = strides[gc_random_below(&random, 5)];
      uint64_t last = 0;
      bool repeats = false;

      for (uint32_t pass = 0; pass < 24; pass++) {
        const uint64_t cycles = gc_model_touch_run(all, sm, space, at, stride, count);

        if (!repeats)
          last = gc_model_touch_run(less, sm, space, at, stride, count);
        assert_int_equal(cycles, last);
        left_out += repeats;
        repeats = repeats || (last && gc_model_repeats(less, space, pass + 1, count, last));
      }
      for (int k = 0; k < 50; k++) {
        const enum gc_space other = spaces[gc_random_below(&random, 3)];
        const uint32_t by = gc_random_below(&random, 6);
        const uint64_t address = at + gc_random_below(&random, 2 * count) * stride;

        assert_int_equal(gc_model_touch(all, by, other, address),
                         gc_model_touch(less, by, other, address));
      }
    }
    assert_true(left_out > 300);
    gc_model_free(less);
    gc_model_free(all);
  }
}

/* Adjacent rows at once do what one row after the other does. */
static void rows_are_as_many_single_ones(void **state)
{
  static const char *const chips[] = {
    CHIP UNIFIED L1 RO C15 L2 SPACES,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS SPACES,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS "replicate = yes\n" SPACES,
    CHIP UNIFIED L1 RO C15 L2 TLB("A", "entries = 3\n") SPACES,
    CHIP UNIFIED L1 RO C15 L2_L3 SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_L3_LINES SPACES_L3,
    CHIP UNIFIED L1 RO C15 L2_WIDE SPACES,
    CHIP UNIFIED L1 RO C15 L2_WIDE TWO_PARTS "replicate = yes\n" SPACES,
  };
  struct gc_random random;

  (void)state;
  gc_random_seed(&random, 11);
  for (size_t c = 0; c < sizeof(chips) / sizeof(*chips); c++) {
    struct gc_model *all = make(chips[c]), *singles = make(chips[c]);

    for (int i = 0; i < 20000; i++) {
      struct gc_rows rows = {.sm = gc_random_below(&random, 6),
                             .space = GC_SPACE_CG,
                             .address = BASE + gc_random_below(&random, i % 64 ? 64 : 8192) * 64,
                             .bytes = 512,
                             .count = 3,
                             .write = gc_random_below(&random, 2),
                             .more = gc_random_below(&random, GC_ROWS_MAX)};
      double a[GC_MODEL_BUSY] = {0}, b[GC_MODEL_BUSY] = {0};

      gc_model_rows(all, &rows, a);
      for (uint32_t left = rows.more + 1; left; left--) {
        rows.more = 0;
        gc_model_rows(singles, &rows, b);
        rows.address += rows.bytes;
      }
      assert_memory_equal(a, b, sizeof(a));
      rows.address -= gc_random_below(&random, 4096) / 8 * 8;
      assert_int_equal(gc_model_touch(all, rows.sm, GC_SPACE_CG, rows.address),
                       gc_model_touch(singles, rows.sm, GC_SPACE_CG, rows.address));
    }
    gc_model_free(singles);
    gc_model_free(all);
  }
}

/* A miss of the L2 brings 128 bytes: four sectors of the L3, or one if the L3 sees the address
 * only. */
static void misses_fetch_whole_sectors(void **state)
{
  struct gc_model *whole = make(CHIP "whole_sectors = yes\n" UNIFIED L1 RO C15 L2_L3 SPACES_L3),
                  *alone = make(CHIP UNIFIED L1 RO C15 L2_L3 SPACES_L3);

  (void)state;
  for (uint64_t at = 0; at < 512 << 10; at += 128) { /* SM 0 fills L2, which forgets the first half */
    gc_model_touch(whole, 0, GC_SPACE_CG, BASE + at);
    gc_model_touch(alone, 0, GC_SPACE_CG, BASE + at);
  }
  assert_int_equal(gc_model_load(whole, 0, GC_SPACE_CG, BASE + 96), 300);
  assert_int_equal(gc_model_load(alone, 0, GC_SPACE_CG, BASE + 96), 500);
  assert_int_equal(gc_model_load(whole, 0, GC_SPACE_CG, BASE + 128), 300);
  assert_int_equal(gc_model_load(alone, 0, GC_SPACE_CG, BASE + 128), 300);
  gc_model_free(whole);
  gc_model_free(alone);
}

static void without_l1_global_loads_go_to_l2(void **state)
{
  struct gc_model *model = make(CHIP L2 "[space ca]\npath = L2 200, memory 500\n"
                                "[space cg]\npath = L2 200, memory 500\n[space shared]\npath = memory 20\n");

  (void)state;
  assert_false(gc_model_facts(model)->global_l1);
  assert_false(gc_model_facts(model)->has_texture);
  assert_false(gc_model_facts(model)->has_carveout);
  gc_model_touch(model, 0, GC_SPACE_CA, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 200);
  gc_model_free(model);
}

/* The same seed gives the same run. Timed and untimed loads change the caches equally. */
static void runs_are_reproducible(void **state)
{
  const char *text = CHIP "outliers = 0.01 10 100\nseed = 9\n"
    "[cache L1]\nsize = 8 KiB\nline = 128\nways = 4\nreplacement = random\n" L2
    "[space ca]\npath = L1 30 2.5, L2 200 10, memory 500 50\n[space cg]\npath = L2 200, memory 500\n"
    "[space shared]\npath = memory 20\n";
  struct gc_model *a = make(text), *b = make(text), *other = make(text);
  unsigned differ = 0;

  (void)state;
  gc_model_seed(other, 10);
  for (uint64_t i = 0; i < 20000; i++) {
    const uint64_t at = BASE + i * 128 % 12288;
    const uint32_t t = gc_model_load(a, 0, GC_SPACE_CA, at);

    assert_int_equal(t, gc_model_load(b, 0, GC_SPACE_CA, at));
    differ += t != gc_model_load(other, 0, GC_SPACE_CA, at);
  }
  assert_true(differ > 10000);
  for (uint64_t i = 0; i < 1000; i++) {
    const uint64_t at = BASE + i * 128 % 12288;
    const uint32_t quiet = gc_model_touch(a, 0, GC_SPACE_CA, at);
    const uint32_t timed = gc_model_load(b, 0, GC_SPACE_CA, at);

    assert_int_equal(quiet < 100, timed < 45 + 100);
    assert_true(quiet == 30 || quiet == 200);
  }
  gc_model_free(a);
  gc_model_free(b);
  gc_model_free(other);
}

static void assert_near(double seen, double expected)
{
  if (!(seen > expected - 1e-9 && seen < expected + 1e-9))
    fail_msg("%.12g is not %.12g", seen, expected);
}

/* One SM reads and writes rows of 512 bytes; constants come in lines of 256 to the first cache. */
static void rows_keep_each_level_busy(void **state)
{
  struct gc_model *model = make(
    CHIP "memory_read_gbps = 60\nmemory_write_gbps = 30\n" UNIFIED L1 RO C15 L2
    "read_gbps = 600\n"
    "[space ca]\npath = L1 30, L2 200, memory 500\nread_bytes_per_cycle = 128\n"
    "[space cg]\npath = L2 200, memory 500\n"
    "[space constant]\npath = C 70, L2 230, memory 530\nread_bytes_per_cycle = 4\n"
    "[space shared]\npath = memory 20\nread_bytes_per_cycle = 64\nwrite_bytes_per_cycle = 32\n");
  double busy[GC_MODEL_BUSY] = {0};

  (void)state;
  /* cold, through all levels: 6 SMs at 1 GHz share 600 and 60 GB/s, 100 and 10 bytes a cycle
   * each */
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CA, BASE, 512, 2, false, 0, 0, 0}, busy);
  assert_near(busy[0], 8);
  assert_near(busy[1], 10.24);
  assert_near(busy[2], 102.4);
  /* then it is in L1; one more SM finds it in L2, and adds to what is there */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CA, BASE, 512, 2, false, 0, 0, 0}, busy);
  gc_model_rows(model, &(struct gc_rows){1, GC_SPACE_CA, BASE, 512, 1, false, 0, 0, 0}, busy);
  assert_near(busy[0], 12);
  assert_near(busy[1], 5.12);
  assert_near(busy[2], 0);
  /* 16 bytes of constants: a whole line comes from L2 */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CONSTANT, 0, 16, 1, false, 0, 0, 0}, busy);
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CONSTANT, 16, 16, 1, false, 0, 0, 0}, busy);
  assert_near(busy[0], 8);
  assert_near(busy[1], 2.56);
  assert_near(busy[2], 25.6);
  /* stores at their own rates */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_SHARED, 0, 512, 1, true, 0, 0, 0}, busy);
  gc_model_rows(model, &(struct gc_rows){0, GC_SPACE_CG, BASE + 65536, 512, 1, true, 0, 0, 0}, busy);
  assert_near(busy[0], 16 + 5.12);
  assert_near(busy[1], 102.4);
  assert_near(gc_model_true_bandwidth(model, GC_SPACE_CA, 2, true), 30);
  assert_near(gc_model_true_bandwidth(model, GC_SPACE_CA, 3, true), 0);
  gc_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(capacity_follows_the_carveout),
    cmocka_unit_test(spaces_share_what_the_profile_says),
    cmocka_unit_test(instances_and_groups),
    cmocka_unit_test(launches_empty_all_but_l2),
    cmocka_unit_test(an_l2_may_not_survive_a_launch),
    cmocka_unit_test(replicating_partitions_halve_what_one_sm_keeps),
    cmocka_unit_test(split_partitions_keep_each_line_once),
    cmocka_unit_test(runs_are_as_many_touches),
    cmocka_unit_test(passes_that_repeat_change_nothing),
    cmocka_unit_test(rows_are_as_many_single_ones),
    cmocka_unit_test(misses_fetch_whole_sectors),
    cmocka_unit_test(without_l1_global_loads_go_to_l2),
    cmocka_unit_test(runs_are_reproducible),
    cmocka_unit_test(rows_keep_each_level_busy),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
