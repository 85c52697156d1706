/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of warps of simulated GPUs: it is that of the model whatever the noise, in two
 * launches, and what cannot be measured is absent with a reason.
 */
#include "measure/structure/structure.h"
#include "open.h"

#define ALWAYS 20 /* measurements, each with other noise */

/* warps: the key of [space ca], with its value; "": none. chip: lines of the chip. */
static const struct gc_element *measure(struct opened *o, const char *warps, const char *chip)
{
  open_profile(o,
               "model = Ordering\ncompute = 9.0\nclock_khz = 1000000\nmemory = 4 GiB\n"
               "shared_per_sm = 64 KiB\nshared_per_block = 64 KiB\nclock_overhead = 17\n%s"
               "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
               "[cache L2]\nscope = chip\nsize = 8 MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\nread_gbps = 900\n"
               "[space ca]\npath = L1 30 4, L2 200 20, memory 500 60\n%s\n"
               "[space cg]\npath = L2 200 20, memory 500 60\n"
               "[space shared]\npath = memory 20\n",
               chip, warps);
  open_warm_bench(o);
  run_step(o, gc_step_warp_order, GC_WHOLE_GPU);
  return published(o, GC_WHOLE_GPU);
}

#define BLOCKS "blocks_per_sm = 16\nthreads_per_sm = 2048\n"

static const struct gc_finding *finding(struct opened *o)
{
  return &measured(o, GC_WHOLE_GPU)->found[GC_WARP_ORDER];
}

/* The value of the record of the whole GPU. */
static const char *value(struct opened *o)
{
  const char *found = gc_infos_get(&o->record->infos, "WarpOrder");

  return found ? found : "";
}

static void they_are_those_of_the_model(void **state)
{
  static const char *const cases[][2] = {
      {"oldest 68", "oldest"},
      {"oldest 8", "oldest"},
      {"oldest 300", "oldest"},
      {"round-robin 68", "round-robin"},
      {"round-robin 4", "round-robin"},
      {"ready 40", "ready"},
      {"youngest 68", "other"},
      /* there is a place for each load, so no warp has to wait */
      {"oldest 512", "round-robin"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
    for (unsigned seed = 1; seed <= ALWAYS; seed++) {
      char warps[40], chip[120];
      struct opened o;

      snprintf(warps, sizeof(warps), "warps = %s", cases[i][0]);
      snprintf(chip, sizeof(chip), "sms = 20\noutliers = 0.01 40 900\nseed = %u\n" BLOCKS, seed);
      measure(&o, warps, chip);
      if (strcmp(value(&o), cases[i][1]))
        fail_msg("%s, noise %u: '%s', not %s: %s", warps, seed, value(&o), cases[i][1],
                 finding(&o)->why);
      assert_true(finding(&o)->confidence > 0.99);
      close_gpu(&o);
    }
}

static void two_launches_suffice(void **state)
{
  struct opened o;
  uint64_t before;

  (void)state;
  measure(&o, "warps = oldest 68", "sms = 20\n" BLOCKS);
  before = gc_ops(o.device)->counts(o.device)->launches;
  run_step(&o, gc_step_warp_order, GC_WHOLE_GPU); /* again: the numbers of the SMs are known now */
  assert_int_equal(gc_ops(o.device)->counts(o.device)->launches - before, 2);
  close_gpu(&o);
}

/* One SM is little evidence, but no other one contradicts it. */
static void few_sms(void **state)
{
  struct opened o;

  (void)state;
  measure(&o, "warps = oldest 68", "sms = 3\n" BLOCKS);
  assert_string_equal(value(&o), "oldest");
  assert_true(finding(&o)->confidence < 0.9);
  close_gpu(&o);
}

static void absent(const char *warps, const char *chip, const char *why)
{
  struct opened o;

  measure(&o, warps, chip);
  assert_string_equal(value(&o), "");
  if (!strstr(finding(&o)->why, why))
    fail_msg("'%s', not '%s'", finding(&o)->why, why);
  close_gpu(&o);
}

static void absent_with_a_reason(void **state)
{
  (void)state;
  absent("", "sms = 20\n" BLOCKS, "do not pile up");
  absent("warps = ready 200", "sms = 20\n" BLOCKS, "no order is clear");
  absent("warps = oldest 68", "sms = 20\nblocks_per_sm = 7\nthreads_per_sm = 2048\n",
         "too few blocks");
  absent("warps = oldest 68", "sms = 20\nblocks_per_sm = 16\nthreads_per_sm = 896\n",
         "too few blocks");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_those_of_the_model),
      cmocka_unit_test(two_launches_suffice),
      cmocka_unit_test(few_sms),
      cmocka_unit_test(absent_with_a_reason),
  };

  return cmocka_run_group_tests_name("order of warps", tests, NULL, NULL);
}
