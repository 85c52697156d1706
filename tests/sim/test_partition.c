/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitions of L2 on simulated GPUs whose profile states how many there are, and the split of
 * values into two groups that the method uses.
 */
#include "measure/latency/latency.h"
#include "measure/topology/topology.h"
#include "stats/stats.h"
#include "by_sm.h"
#include "variant.h"

static void find(struct opened *gpu)
{
  open_warm_bench(gpu);
  run_step(gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
  run_step(gpu, gc_step_partitions, GC_L2);
}

/* The values that a variant must have. sms NULL: all of them must be absent. */
struct truth {
  struct variant variant;
  const char *partitions, *sms;
  double near, far;
};

static void check(const struct truth *truth)
{
  const char *what = truth->variant.l2;
  const struct gc_element *l2;
  struct opened gpu;

  open_variant(&gpu, &truth->variant);
  find(&gpu);
  l2 = gc_record_find(gpu.record, GC_L2);
  if (strcmp(text(l2, "Partitions"), truth->partitions) ||
      strcmp(text(l2, "PartitionSMs"), truth->sms ? truth->sms : ""))
    fail_msg("%s: found '%s' partitions of '%s' SMs (%s)", what,
             text(l2, "Partitions"), text(l2, "PartitionSMs"), text(l2, "PartitionsSource"));
  if (!truth->sms)
    assert_memory_equal(text(l2, "PartitionsSource"), "absent:", 7);
  else if (!(number(l2, "PartitionsConfidence") > 0.99))
    fail_msg("%s: confidence %g", what, number(l2, "PartitionsConfidence"));
  /* Memory takes 500 cycles. A far side that is about as slow, or an unknown latency of memory,
   * does not prove that both sides belong to one L2. */
  if (truth->sms && truth->far < 450 &&
      (!(truth->far > 0) || *text(gc_record_find(gpu.record, GC_DEVICE_MEMORY), "LatencyCycles")))
    assert_string_equal(text(l2, "Instances"), "1");
  else
    assert_memory_equal(text(l2, "InstancesSource"), "absent:", 7);
  if (truth->far > 0) {
    if (!(fabs(number(l2, "NearLatencyCycles") - truth->near) < 0.02 * truth->near) ||
        !(fabs(number(l2, "FarLatencyCycles") - truth->far) < 0.02 * truth->far))
      fail_msg("%s: near %g, far %g", what, number(l2, "NearLatencyCycles"),
               number(l2, "FarLatencyCycles"));
    assert_true(number(l2, "FarLatencyNs") > number(l2, "NearLatencyNs"));
  } else {
    assert_true(isnan(number(l2, "FarLatencyCycles")));
    assert_true(isnan(number(l2, "NearLatencyCycles")));
  }
  if (truth->sms)
    check_by_sm(&gpu, l2);
  close_gpu(&gpu);
}

#define TWO "partitions = 2\nreplicate = yes\nfar_cycles = 60\npartition_sms = "

static void partitions_are_counted(void **state)
{
  static const struct truth truths[] = {
    {{"sms = 16", "", "200 4"}, "1", "16", 0, 0},
    {{"sms = 3", "", "200 4"}, "1", "3", 0, 0},
    /* slices at different distances: latencies spread widely, and equally for every reader */
    {{"sms = 16", "", "200 14"}, "1", "16", 0, 0},
    {{"sms = 16", TWO "2", "200 4"}, "2", "8,8", 200, 260},
    {{"sms = 15", TWO "4", "200 4"}, "2", "8,7", 200, 260},
    {{"sms = 16", TWO "13", "200 4"}, "2", "13,3", 200, 260},
    /* the far loads of three SMs are 3 % of all, as outliers could be */
    {{"sms = 50", TWO "47", "200 4"}, "2", "47,3", 200, 260},
    /* as on real chips: one load in a hundred is slow for no reason */
    {{"sms = 16\noutliers = 0.01 40 900", TWO "2", "200 4"}, "2", "8,8", 200, 260},
    {{"sms = 16\noutliers = 0.01 40 900", "", "200 4"}, "1", "16", 0, 0},
    {{"sms = 16", "partitions = 4\nreplicate = yes\nfar_cycles = 60\npartition_sms = 1", "200 4"},
     "4", "4,4,4,4", 200, 260},
    {{"sms = 16", "partitions = 2\nreplicate = yes\nfar_cycles = 270\npartition_sms = 2", "200 4"},
     "2", "8,8", 200, 470},
    /* the latency depends on the SM */
    {{"sms = 16\nsm_spread = 50", "", "200 4"}, "1", "16", 0, 0},
    {{"sms = 16\nsm_spread = 20", TWO "2", "200 4"}, "2", "8,8", 200, 260},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check(&truths[i]);
}

/* With every seed of the noise: outliers that take longer than device memory, so many that every SM
 * has some, and such that could be far loads but hit all SMs alike. */
static void outliers_are_no_partition(void **state)
{
  static const char *const outliers[] = {"0.05 600 3000", "0.15 600 3000", "0.1 150 250"};

  (void)state;
  for (size_t i = 0; i < sizeof(outliers) / sizeof(*outliers); i++)
    for (unsigned seed = 1; seed <= 6; seed++)
      for (int two = 0; two < 2; two++) {
        const struct gc_element *l2;
        struct opened gpu;
        char chip[80];

        snprintf(chip, sizeof(chip), "sms = 64\nseed = %u\noutliers = %s", seed, outliers[i]);
        open_variant(&gpu, &(struct variant){chip, two ? TWO "2" : "", "200 4"});
        find(&gpu);
        l2 = gc_record_find(gpu.record, GC_L2);
        if (strcmp(text(l2, "Partitions"), two ? "2" : "1"))
          fail_msg("%s: '%s' partitions instead of %d (%s)", chip, text(l2, "Partitions"), 1 + two,
                   text(l2, "PartitionsSource"));
        close_gpu(&gpu);
      }
}

/* To evict what all SMs have written, every line must be read, however short it is. A hash spreads
 * the lines over all sets. With the arena of a whole measurement. */
static void short_lines_of_readers_are_evicted(void **state)
{
  static const struct variant variant = {
    "sms = 8", TWO "4\nhash = skew\nwrite = back\nwrite_allocate = sector", "200 4"};
  const struct gc_measure_options options = {.only = "L2Cache"};
  const struct gc_element *l2;
  struct opened gpu;

  (void)state;
  open_variant_line(&gpu, &variant, "ways = 16\nreplacement = lru", 32);
  must(&gpu, gc_measure(gpu.device, &options, gpu.record, &gpu.err), "measure");
  l2 = gc_record_find(gpu.record, GC_L2);
  assert_string_equal(text(l2, "PartitionSMs"), "4,4");
  close_gpu(&gpu);
}

static void unclear_partitions_are_absent(void **state)
{
  static const struct truth truths[] = {
      /* each line is in one place, whichever SM has read it before */
      {{"sms = 16", "partitions = 2\nfar_cycles = 60\npartition_sms = 2", "200 4"}, "", NULL, 0, 0},
      /* far lines are slower, but by less than a tenth */
      {{"sms = 16", "partitions = 2\nreplicate = yes\nfar_cycles = 15\npartition_sms = 2", "200 4"},
       "",
       NULL,
       0,
       0},
      /* the noise is as large as the difference */
      {{"sms = 16", TWO "2", "200 60"}, "", NULL, 0, 0},
      {{"sms = 16", "", "200 60"}, "", NULL, 0, 0},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
    check(&truths[i]);
}

/* One load in ten is slow, so these do not count. In some launches, drift of the clock slows all
 * loads of an SM as much. Then all of them are outliers, and their mean is not a number. */
static void an_sm_with_outliers_only_says_nothing(void **state)
{
  unsigned absent = 0;

  (void)state;
  for (unsigned seed = 1; seed <= 10; seed++) {
    const struct gc_element *l2;
    struct opened gpu;
    char chip[80];

    snprintf(chip, sizeof(chip), "sms = 32\nseed = %u\noutliers = 0.1 12 13\ndrift = 22 3000",
             seed);
    open_variant(&gpu, &(struct variant){chip, "", "200 0.5"});
    find(&gpu);
    l2 = gc_record_find(gpu.record, GC_L2);
    if (!strcmp(text(l2, "PartitionsSource"),
                "absent:latencies are too uncertain to distinguish near from far"))
      absent++;
    else if (strcmp(text(l2, "Partitions"), "1") || !(number(l2, "PartitionsConfidence") > 0.5))
      fail_msg("%s: '%s' partitions, confidence %s", chip, text(l2, "Partitions"),
               text(l2, "PartitionsConfidence"));
    close_gpu(&gpu);
  }
  assert_true(absent > 0);
}

/* SMs differ by more than near and far lines: the partitions are found, their latencies are not. */
static void latencies_that_differ_between_sms_are_absent(void **state)
{
  static const struct variant variant = {"sms = 16\nsm_spread = 50", TWO "2", "200 4"};
  const struct gc_element *l2;
  struct opened gpu;

  (void)state;
  open_variant(&gpu, &variant);
  find(&gpu);
  l2 = gc_record_find(gpu.record, GC_L2);
  assert_string_equal(text(l2, "PartitionSMs"), "8,8");
  assert_memory_equal(text(l2, "FarLatencySource"), "absent:", 7);
  assert_string_equal(text(l2, "InstancesSource"),
                      "absent:the latency of far lines is needed to find it, and is not known");
  check_by_sm(&gpu, l2);
  close_gpu(&gpu);
}

/* Real sizes: a difference between SMs is no partition, and no partition is taken for one. */
static void sms_of_large_gpus_differ(void **state)
{
  static const struct {
    struct edited gpu;
    const char *partitions;
  } cases[] = {
      {{"l40", {{"", ""}}}, "1"},
      {{"rtx4090", {{"", ""}}}, "1"},
      {{"h200", {{"", ""}}}, "2"},
      {{"h200", {{"\nsms = ", "\nsm_spread = 30\nsms = "}}}, "2"},
      {{"h100", {{"\nsms = ", "\nsm_spread = 5\nsms = "}}}, "2"},
      {{"b200", {{"\nsms = ", "\nsm_spread = 60\nsms = "}}}, "2"},
      {{"rtx2080ti", {{"\nsms = ", "\nsm_spread = 15\nsms = "}}}, "1"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_element *l2;
    struct opened gpu;

    open_edited(&gpu, &cases[i].gpu);
    snprintf(gpu.name, sizeof(gpu.name), "%s, case %zu", cases[i].gpu.name, i);
    open_warm_bench(&gpu);
    l2 = run_step(&gpu, gc_step_partitions, GC_L2);
    if (strcmp(text(l2, "Partitions"), cases[i].partitions))
      fail_msg("%s: '%s' partitions (%s)", gpu.name, text(l2, "Partitions"),
               text(l2, "PartitionsSource"));
    check_by_sm(&gpu, l2);
    close_gpu(&gpu);
  }
}

static void a_split_distinguishes_two_groups_from_one(void **state)
{
  double apart[1000], together[1000], few[1000];
  struct gc_split split;

  (void)state;
  for (int i = 0; i < 1000; i++) {
    apart[i] = i % 4 ? 200 + i % 17 : 400 + i % 17;
    together[i] = 200 + i % 201; /* no threshold has a gap around it */
    few[i] = i % 100 ? 200 + i % 17 : 900;
  }
  gc_split_find(apart, 1000, &split);
  assert_true(split.empty && split.threshold > 216 && split.threshold < 400);
  assert_true(fabs(split.share - 0.25) < 1e-9 && fabs(split.high - split.low - 200) < 2);
  gc_split_find(together, 1000, &split);
  assert_false(split.empty);
  gc_split_find(few, 1000, &split);
  assert_true(fabs(split.share - 0.01) < 1e-9);
  few[0] = 7;
  gc_split_find(few, 1, &split);
  assert_true(split.low <= 7 && split.high >= 7 && split.share <= 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_split_distinguishes_two_groups_from_one),
      cmocka_unit_test(partitions_are_counted),
      cmocka_unit_test(outliers_are_no_partition),
      cmocka_unit_test(short_lines_of_readers_are_evicted),
      cmocka_unit_test(unclear_partitions_are_absent),
      cmocka_unit_test(an_sm_with_outliers_only_says_nothing),
      cmocka_unit_test(latencies_that_differ_between_sms_are_absent),
      cmocka_unit_test(sms_of_large_gpus_differ),
  };

  return cmocka_run_group_tests_name("partitions", tests, NULL, NULL);
}
