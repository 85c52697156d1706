/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The instruction cache of simulated GPUs, with short and long lines, and one that no code exceeds.
 */
#include "measure/structure/structure.h"

#include "variant.h"

static const char *extra = ""; /* keys of the chip */

/* A GPU with one cache more, and code that goes through it. */
static const struct gc_element *measure(struct opened *o, const char *cache, const char *path)
{
  open_profile(
      o,
      "model = Variant\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
      "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
      "shared_per_block = 32 KiB\nclock_overhead = 4\nsms = 8\n%s\n"
      "[cache L1]\nsize = 8 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
      "[cache Code]\n%s\nreplacement = lru\n"
      "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
      "replacement = lru\n"
      "[space ca]\npath = L1 30, L2 200, memory 500 5\n[space cg]\npath = L2 200, memory 500\n"
      "[space shared]\npath = memory 20\n[space instruction]\npath = Code %s, memory 500\n",
      extra, cache, path);
  open_warm_bench(o);
  run_step(o, gc_step_instruction_capacity, GC_INSTRUCTION_CACHE);
  return run_step(o, gc_step_instruction_penalty, GC_INSTRUCTION_CACHE);
}

static void capacity_and_penalty(void **state)
{
  struct opened o;
  const struct gc_element *element =
      measure(&o, "size = 12 KiB\nline = 128\nways = 4", "40 1, L2 215 4");

  (void)state;
  assert_string_equal(text(element, "CapacityBytes"), "12288");
  assert_true(number(element, "MissPenaltyCycles") > 172);
  assert_true(number(element, "MissPenaltyCycles") < 178);
  close_gpu(&o);
}

/* Two blocks of code are in a line. A pass must not use them soon after one another, or only every
 * second jump would miss. */
static void long_lines(void **state)
{
  struct opened o;
  const struct gc_element *element =
      measure(&o, "size = 16 KiB\nline = 256\nways = 4", "40, L2 140");

  (void)state;
  assert_string_equal(text(element, "CapacityBytes"), "16384");
  assert_true(number(element, "MissPenaltyCycles") > 97);
  assert_true(number(element, "MissPenaltyCycles") < 103);
  close_gpu(&o);
}

static void all_code_fits(void **state)
{
  struct opened o;
  const struct gc_element *element =
      measure(&o, "size = 512 KiB\nline = 128\nways = 4", "40, L2 140");

  (void)state;
  assert_string_equal(text(element, "CapacityBytes"), "");
  assert_string_equal(text(element, "CapacityAtLeastBytes"), "196608");
  assert_string_equal(text(element, "MissPenaltyCycles"), "");
  close_gpu(&o);
}

struct shared {
  const char *scope, *noise; /* noise: keys of the chip */
  const char *instances, *per_sm, *groups; /* "": absent */
};

static void check_shared(const struct shared *truth)
{
  char cache[200];
  struct opened o;
  const struct gc_element *element;

  snprintf(cache, sizeof(cache), "size = 16 KiB\nline = 128\nways = 4\n%s", truth->scope);
  extra = truth->noise;
  measure(&o, cache, "40 1, L2 140 2");
  extra = "";
  element = run_step(&o, gc_step_instruction_groups, GC_INSTRUCTION_CACHE);
  if (strcmp(text(element, "Instances"), truth->instances) ||
      strcmp(text(element, "PerSM"), truth->per_sm) ||
      strcmp(text(element, "SMGroups"), truth->groups))
    fail_msg("%s: %s instances, %s in an SM, groups %s (%s)", truth->scope,
             text(element, "Instances"), text(element, "PerSM"), text(element, "SMGroups"),
             text(element, "SMGroupsSource"));
  close_gpu(&o);
}

static void sms_that_share_one(void **state)
{
  static const struct shared truths[] = {
      {"scope = sm", "", "8", "1", "0 1 2 3 4 5 6 7"},
      {"scope = group 2", "", "4", "", "0,1 2,3 4,5 6,7"},
      /* groups of different sizes */
      {"scope = group 3", "", "3", "", "0,1,2 3,4,5 6,7"},
      {"scope = group 4", "outliers = 0.001 40 900", "2", "", "0,1,2,3 4,5,6,7"},
      /* SMs that are no neighbours: an SM next to another one proves nothing */
      {"scope = gpc 2", "gpcs = 0 2 4 6, 1 3 5 7\ntpc_sms = 1", "4", "", "0,2 1,3 4,6 5,7"},
      {"scope = group 8", "", "", "", ""},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check_shared(&truths[i]);
}

/* An SM whose slow loads make it disagree once has no vote, although another attempt agrees. */
static void attempts_that_fail_count(void **state)
{
  double confidence[2];

  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    struct opened o;

    extra = noisy ? "outliers = 0.0004 3000 9000" : "";
    measure(&o, "size = 16 KiB\nline = 128\nways = 4\nscope = group 2", "40 1, L2 140 2");
    extra = "";
    claim(&o, GC_INSTRUCTION_CACHE, 16384); /* noise may hide the capacity, which is not the question */
    measured(&o, GC_INSTRUCTION_CACHE)->miss_penalty_cycles = 100;
    gc_set_measured(measured(&o, GC_INSTRUCTION_CACHE), GC_MISS_PENALTY, 0.98);
    confidence[noisy] =
        number(run_step(&o, gc_step_instruction_groups, GC_INSTRUCTION_CACHE), "InstancesConfidence");
    close_gpu(&o);
  }
  assert_true(confidence[1] < confidence[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capacity_and_penalty),
      cmocka_unit_test(long_lines),
      cmocka_unit_test(all_code_fits),
      cmocka_unit_test(sms_that_share_one),
      cmocka_unit_test(attempts_that_fail_count),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
