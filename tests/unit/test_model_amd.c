/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Features of AMD GPUs in the model: numbers of CUs with gaps, scalar caches that a few neighbours
 * share, XCDs with an L2 of their own, and an L3 behind them.
 */
#include "model/truth.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0x7f0000000000ull
#define SMS 12
#define CHIP                                                                                       \
  "model = T\ngfx = gfx942\nwarp = 64\nclock_khz = 1000000\nthreads_per_sm = 2048\n"               \
  "blocks_per_sm = 32\nmemory = 1 GiB\nshared_per_sm = 64 KiB\nshared_per_block = 64 KiB\n"        \
  "clock_overhead = 5\n"
#define XCDS "sms = 12\nxcds = 2\nsm_ids = 0-1 3 4-6\nsm_ids_repeat = 2 32\n"
#define L1 "[cache L1]\nsize = 16 KiB\nline = 64\nways = 4\nreplacement = lru\n"
#define SL1 "[cache SL1]\nscope = range\nsize = 4 KiB\nline = 64\nways = 4\nreplacement = lru\n"
#define L2                                                                                         \
  "[cache L2]\nscope = xcd\nsize = 64 KiB\nline = 128\nsector = 64\nways = 16\nreplacement = lru\n"
#define L3 "[cache L3]\nscope = chip\nsize = 256 KiB\nline = 64\nways = 16\nreplacement = lru\n"
#define SPACES                                                                                     \
  "[space ca]\npath = L1 30, L2 200, L3 400, memory 700\n"                                         \
  "[space cg]\npath = L2 200, L3 400, memory 700\n"                                                \
  "[space scalar]\npath = SL1 20, L2 190, L3 390, memory 690\n[space shared]\npath = memory 40\n"
#define ALL CHIP XCDS L1 SL1 L2 L3 SPACES

static struct gc_model *make(const char *text)
{
  struct gc_model *model;
  struct gc_error err = {""};

  if (gc_model_new("test", text, strlen(text), &model, &err))
    fail_msg("%s", err.text);
  gc_model_launch(model, -1, 1, 0);
  return model;
}

static void numbers_have_gaps_and_blocks_are_dealt(void **state)
{
  static const uint32_t ids[SMS] = {0, 1, 3, 4, 5, 6, 32, 33, 35, 36, 37, 38};
  struct gc_model *model = make(ALL);
  bool met[SMS] = {false};

  (void)state;
  assert_int_equal(gc_model_facts(model)->xcds, 2);
  assert_int_equal(gc_model_facts(model)->compute_major, 0);
  assert_true(gc_model_facts(model)->amd && gc_model_facts(model)->has_scalar);
  assert_true(gc_model_facts(model)->global_l1);
  assert_int_equal(gc_model_facts(model)->l2_bytes, 64 << 10);
  for (uint32_t i = 0; i < SMS; i++) {
    const uint32_t sm = gc_model_sm_of_block(model, i);

    assert_int_equal(gc_model_sm_id(model, i), ids[i]);
    assert_int_equal(sm / (SMS / 2), i % 2); /* the XCDs in turn */
    assert_false(met[sm]);
    met[sm] = true;
    assert_int_equal(gc_model_sm_of_block(model, i + SMS), sm);
  }
  gc_model_free(model);
}

static void words_of_ids_share_a_range(void **state)
{
  static const int words[SMS] = {0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5};
  struct gc_model *model = make(ALL);

  (void)state;
  for (uint32_t a = 0; a < SMS; a++)
    for (uint32_t b = 0; b < SMS; b++) {
      const uint64_t address = BASE + 4096 * (a * SMS + b);

      assert_int_equal(gc_model_true_sharing_groups(model, GC_SPACE_SCALAR, 0, a, b), words[a] == words[b]);
      assert_int_equal(gc_model_true_sharing_groups(model, GC_SPACE_CA, 0, a, b), a == b);
      assert_int_equal(gc_model_true_sharing_groups(model, GC_SPACE_CG, 0, a, b), a / 6 == b / 6);
      assert_true(gc_model_true_sharing_groups(model, GC_SPACE_CG, 1, a, b));
      gc_model_load(model, a, GC_SPACE_SCALAR, address);
      assert_int_equal(gc_model_load(model, b, GC_SPACE_SCALAR, address) == 20,
                       words[a] == words[b]);
    }
  gc_model_free(model);
}

static void each_xcd_has_its_own_l2(void **state)
{
  struct gc_model *model = make(ALL);

  (void)state;
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), 700);
  assert_int_equal(gc_model_load(model, 5, GC_SPACE_CG, BASE), 200);
  assert_int_equal(gc_model_load(model, 6, GC_SPACE_CG, BASE), 400); /* L3 serves both */
  assert_int_equal(gc_model_load(model, 11, GC_SPACE_CG, BASE), 200);
  assert_int_equal(gc_model_load(model, 6, GC_SPACE_CG, BASE + 64), 700); /* another sector */
  gc_model_launch(model, -1, 1, 0);
  assert_int_equal(gc_model_load(model, 6, GC_SPACE_CG, BASE), 200); /* a launch does not empty them */
  gc_model_displace(model);
  assert_int_equal(gc_model_load(model, 6, GC_SPACE_CG, BASE), 700);
  gc_model_free(model);
}

static void runs_through_two_caches_are_as_many_touches(void **state)
{
  static const uint64_t strides[] = {32, 64, 128, 192, 4096};
  struct gc_model *runs = make(ALL), *touches = make(ALL);

  (void)state;
  for (size_t i = 0; i < 5; i++)
    for (uint32_t sm = 0; sm < SMS; sm += 5) {
      const uint64_t count = 3000 / (i + 1);
      uint64_t sum = 0;

      for (uint64_t k = 0; k < count; k++)
        sum += gc_model_touch(touches, sm, GC_SPACE_CG, BASE + k * strides[i]);
      assert_int_equal(gc_model_touch_run(runs, sm, GC_SPACE_CG, BASE, strides[i], count), sum);
    }
  gc_model_free(runs);
  gc_model_free(touches);
}

static void bad_profiles_are_told(void **state)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    {CHIP "sms = 12\nsm_ids = 0-1 3 4-6\n" L1 SL1 L2 L3 SPACES, "the number of sm_ids is not the number of SMs"},
    {CHIP "sms = 12\nsm_ids = 0-5\nsm_ids_repeat = 2 5\n" L1 SL1 L2 L3 SPACES,
     "sm_ids_repeat gives two SMs the same number"},
    {CHIP "sms = 12\nsm_ids_repeat = 2 5\n" L1 L2 L3 "[space ca]\npath = L1 1, L2 2, memory 3\n"
     "[space cg]\npath = L2 2, memory 3\n[space shared]\npath = memory 4\n",
     "sm_ids_repeat needs sm_ids"},
    {CHIP "sms = 12\nxcds = 5\n" L1 L2 L3 "[space ca]\npath = L1 1, L2 2, memory 3\n"
     "[space cg]\npath = L2 2, memory 3\n[space shared]\npath = memory 4\n",
     "the number of SMs is not a multiple of xcds"},
    {CHIP "sm_ids = 3 1\n", "sm_ids do not ascend at 1"},
    {CHIP "sm_ids = 3-\n", "'' is not a whole number (sm_ids)"},
    {CHIP "sm_ids_repeat = 3\n", "sm_ids_repeat"},
    {CHIP "sms = 12\n" SL1, "[SL1]: scope is range, but there are no sm_ids"},
    {CHIP XCDS L1 L2 L3 "[space cg]\npath = L1 30, L2 200, memory 700\n",
     "[cg]: the path of cg must begin at the L2"},
    {CHIP XCDS L1 L2 L3 "[space cg]\npath = L3 30, L2 200, memory 700\n",
     "[cg]: a level is nearer to the SM"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_model *model;
    struct gc_error err = {""};

    assert_int_equal(gc_model_new("test", cases[i].text, strlen(cases[i].text), &model, &err),
                     -EINVAL);
    if (!strstr(err.text, cases[i].message))
      fail_msg("\"%s\" is not \"%s\"", err.text, cases[i].message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_have_gaps_and_blocks_are_dealt),
    cmocka_unit_test(words_of_ids_share_a_range),
    cmocka_unit_test(each_xcd_has_its_own_l2),
    cmocka_unit_test(runs_through_two_caches_are_as_many_touches),
    cmocka_unit_test(bad_profiles_are_told),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
