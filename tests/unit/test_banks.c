/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Banks of shared memory: what the model does, and what bank_fit.c makes of times. The times of
 * strides are those of papers and of an H200, so that the model and the method cannot be wrong in
 * the same way.
 */
#include "chip.h"

#include "measure/structure/bank_fit.h"

#include <math.h>

#define L1_FIXED                                                                                    \
  "[cache L1]\nsize = 16 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
#define PATHS                                                                                       \
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"           \
  "[space shared]\npath = memory 20\n"
#define SMALL_PAIRS 128u

static const struct gc_bank_layout fermi = {32, 4, 4}, kepler = {32, 8, 4}, kepler_wide = {32, 8, 8};

/* Turns beyond the first: by stride in words. Mei et al. 2014, sections 4.1 and figure 7; an H200 of
 * our own: 2 cycles each. */
static void conflicts_are_those_of_the_papers(void **state)
{
  (void)state;
  assert_int_equal(gc_bank_conflicts(&fermi, 32, 4), 0);
  assert_int_equal(gc_bank_conflicts(&fermi, 32, 8), 1);
  assert_int_equal(gc_bank_conflicts(&fermi, 32, 12), 0);
  assert_int_equal(gc_bank_conflicts(&fermi, 32, 24), 1);
  assert_int_equal(gc_bank_conflicts(&fermi, 32, 128), 31);
  /* stride 2: none in either mode; 4: two ways; 6: two ways in the mode of 4 bytes only */
  assert_int_equal(gc_bank_conflicts(&kepler, 32, 8), 0);
  assert_int_equal(gc_bank_conflicts(&kepler_wide, 32, 8), 0);
  assert_int_equal(gc_bank_conflicts(&kepler, 32, 16), 1);
  assert_int_equal(gc_bank_conflicts(&kepler_wide, 32, 16), 1);
  assert_int_equal(gc_bank_conflicts(&kepler, 32, 24), 1);
  assert_int_equal(gc_bank_conflicts(&kepler_wide, 32, 24), 0);
}

static void a_warp_of_64_lanes_takes_two_turns(void **state)
{
  (void)state;
  assert_int_equal(gc_bank_conflicts(&fermi, 64, 4), 0);
  assert_int_equal(gc_bank_conflicts(&fermi, 64, 8), 2);
}

static void the_model_agrees(void **state)
{
  struct gc_model *model =
    make(CHIP L1_FIXED L2 PATHS "[banks]\ncount = 32\nwidth = 8\ninterleave = 4\nconflict = 7\n");

  (void)state;
  for (uint32_t stride = 4; stride <= 512; stride += 4) {
    const struct gc_lanes lanes = {UINT32_MAX, stride};

    assert_int_equal(gc_model_lanes_cycles(model, &lanes),
                     20 + 7 * gc_bank_conflicts(&kepler, 32, stride));
  }
  gc_model_free(model);
}

/* Times of pairs of which those in `slow` (bytes) have a conflict. */
static void make_pairs(double *cycles, uint32_t n, const uint32_t *slow)
{
  for (uint32_t i = 0; i < n; i++)
    cycles[i] = 23.3 + 0.01 * (i % 5);
  for (; *slow; slow++)
    cycles[*slow / 4 - 1] += 2;
}

static const char *layout_of(const double *cycles, struct gc_bank_layout *layout)
{
  double limit;

  return gc_banks_of_pairs(cycles, SMALL_PAIRS, layout, &limit);
}

static void pairs_show_number_and_width(void **state)
{
  static const uint32_t usual[] = {128, 256, 384, 512, 0}, in_rows[] = {256, 384, 512, 0},
                        wide[] = {256, 260, 512, 0}, few[] = {64, 128, 192, 256, 320, 384, 448, 512, 0};
  double cycles[SMALL_PAIRS];
  struct gc_bank_layout layout;

  (void)state;
  make_pairs(cycles, SMALL_PAIRS, usual);
  assert_null(layout_of(cycles, &layout));
  assert_memory_equal(&layout, &fermi, sizeof(layout));
  make_pairs(cycles, SMALL_PAIRS, in_rows);
  assert_null(layout_of(cycles, &layout));
  assert_memory_equal(&layout, &kepler, sizeof(layout));
  make_pairs(cycles, SMALL_PAIRS, wide);
  assert_null(layout_of(cycles, &layout));
  assert_memory_equal(&layout, &kepler_wide, sizeof(layout));
  make_pairs(cycles, SMALL_PAIRS, few);
  assert_null(layout_of(cycles, &layout));
  assert_int_equal(layout.count, 16);
  assert_int_equal(layout.width, 4);
}

static void unclear_pairs_show_nothing(void **state)
{
  static const uint32_t none[] = {0}, gap[] = {128, 256, 512, 0}, uneven[] = {128, 256, 260, 384, 512, 0};
  double cycles[SMALL_PAIRS];
  struct gc_bank_layout layout;

  (void)state;
  make_pairs(cycles, SMALL_PAIRS, none);
  assert_non_null(layout_of(cycles, &layout));
  make_pairs(cycles, SMALL_PAIRS, gap);
  assert_non_null(layout_of(cycles, &layout));
  make_pairs(cycles, SMALL_PAIRS, uneven);
  assert_non_null(layout_of(cycles, &layout));
  for (uint32_t i = 0; i < SMALL_PAIRS; i++) /* no two groups */
    cycles[i] = 20 + i * 0.5;
  assert_non_null(layout_of(cycles, &layout));
}

/* Cycles of an H200, by stride in bytes. */
static const uint32_t strides[] = {4, 8, 12, 16, 20, 24, 28, 32, 48, 64, 96, 124, 128, 132, 512};
static const double h200[] = {23.33, 25.33, 23.33, 29.33, 23.33, 25.33, 23.33, 37.33,
                              29.33, 53.33, 37.33, 23.33, 85.33, 23.33, 85.33};

static void strides_show_the_cost_of_a_conflict(void **state)
{
  const struct gc_bank_strides s = {32, sizeof(strides) / sizeof(*strides), strides, h200};
  double error;

  (void)state;
  assert_true(fabs(gc_bank_slope(&fermi, &s, &error) - 2) < 0.01);
  assert_true(error < 1e-6);
  assert_true(gc_bank_layout_fits(&fermi, &s));
}

static void strides_contradict_a_wrong_layout(void **state)
{
  const struct gc_bank_strides s = {32, sizeof(strides) / sizeof(*strides), strides, h200};
  const struct gc_bank_layout half = {16, 8, 8}, many = {64, 4, 4};

  (void)state;
  assert_false(gc_bank_layout_fits(&kepler, &s));
  assert_false(gc_bank_layout_fits(&half, &s));
  assert_false(gc_bank_layout_fits(&many, &s));
}

/* A line at home in the far partition takes longer, also where loads would find a copy. */
static void atomic_operations_go_to_the_home_of_a_line(void **state)
{
  struct gc_model *model = make(CHIP L1_FIXED L2 TWO_PARTS "replicate = yes\n" PATHS
                                "[atomics]\nl2_cycles = 300\nl2_far_cycles = 90\nshared_cycles = 26\n");
  unsigned far = 0;

  (void)state;
  for (uint64_t at = BASE; at < BASE + 256 * 128; at += 128) {
    uint32_t cycles[2];

    gc_model_load(model, 0, GC_SPACE_CG, at);
    for (uint32_t sm = 0; sm < 2; sm++) {
      gc_model_atomic(model, sm, GC_SPACE_CG, at);
      cycles[sm] = gc_model_atomic(model, sm, GC_SPACE_CG, at);
    }
    assert_int_equal(cycles[0] + cycles[1], 300 + 390);
    far += cycles[0] == 390;
  }
  assert_in_range(far, 90, 166);
  assert_int_equal(gc_model_atomic(model, 0, GC_SPACE_SHARED, 0), 26);
  gc_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(conflicts_are_those_of_the_papers),
    cmocka_unit_test(a_warp_of_64_lanes_takes_two_turns),
    cmocka_unit_test(the_model_agrees),
    cmocka_unit_test(pairs_show_number_and_width),
    cmocka_unit_test(unclear_pairs_show_nothing),
    cmocka_unit_test(strides_show_the_cost_of_a_conflict),
    cmocka_unit_test(strides_contradict_a_wrong_layout),
    cmocka_unit_test(atomic_operations_go_to_the_home_of_a_line),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
