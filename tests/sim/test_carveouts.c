/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of carve-outs, where a few loads are slow for other reasons: they may end a search of
 * an L1 a line early, or a rough one several steps early. The table is found and right all the same.
 * The whole table on GPUs of data/sim: test_tables.c.
 */
#include "open.h"

#include "measure/capacity/capacity.h"

#define SEEDS 8

/* Whether the whole table is right to the line. (With many seeds, in 1 of 150 one L1 is a line
 * short.) */
static void must_be_right(struct opened *o, const struct gc_measured *l1, unsigned seed)
{
  for (int percent = 0; percent <= 100; percent++) {
    const double found = (double)l1->carveouts.bytes[percent];
    double truth;

    gc_model_launch(o->model, percent, 32, 0);
    truth = (double)gc_model_true_level(o->model, GC_SPACE_CA, 0);
    if (found != truth)
      fail_msg("seed %u: %d %% leave %.0f bytes, not %.0f", seed, percent, found, truth);
  }
}

static void l1s_are_right_with_any_seed(void **state)
{

  (void)state;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    const struct gc_measured *l1;
    struct opened o;

    open_profile(&o,
                 "model = Carved\ncompute = 9.0\nclock_khz = 1000000\nsms = 132\n"
                 "threads_per_sm = 2048\nblocks_per_sm = 32\nmemory = 512 MiB\n"
                 "shared_per_sm = 228 KiB\nshared_per_block = 227 KiB\nshared_reserved = 1 KiB\n"
                 "clock_overhead = 4\noutliers = 0.0003 40 900\nseed = %u\n"
                 "[unified]\ntotal = 256 KiB\ncarveouts = 0 8 16 32 64 100 132 164 196 228 KiB\n"
                 "[cache L1]\nsize = unified\nlost = 7 KiB\nline = 128\nsector = 32\nways = 4\n"
                 "replacement = lru\n"
                 "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
                 "replacement = lru\n"
                 "[space ca]\npath = L1 30, L2 200 2, memory 500 5\n"
                 "[space cg]\npath = L2 200 2, memory 500 5\n[space shared]\npath = memory 20\n",
                 seed);
    open_warm_bench(&o);
    claim(&o, GC_L1, 217 << 10);
    l1 = measured(&o, GC_L1);
    must(&o, gc_step_carveouts(&o.m, measured(&o, GC_L1)), "carve-outs");
    if (!gc_found(l1, GC_CARVEOUT_TABLE))
      fail_msg("seed %u: no table: %s", seed, l1->found[GC_CARVEOUT_TABLE].why);
    must_be_right(&o, l1, seed);
    close_gpu(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(l1s_are_right_with_any_seed),
  };

  return cmocka_run_group_tests_name("carveouts", tests, NULL, NULL);
}
