/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed results of a measurement: how the setters round and limit values, and which keys a
 * record gets.
 */
#include "measure/results/provisional.h"
#include "measure/results/publish.h"
#include "cleared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- setters ---------------------------------------------------------------------------------- */

static void confidence_has_four_decimals_and_a_maximum(void **state)
{
  static const struct {
    double confidence, expected;
  } cases[] = {
    {0, 0},           {0.5, 0.5},      {0.12344, 0.1234}, {0.12346, 0.1235},     {0.98765432, 0.9877},
    {0.9999, 0.9999}, {0.99991, 0.9999}, {0.99996, 0.9999}, {0.999999999, 0.9999}, {1, 0.9999},
  };
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L1];

  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    assert_int_equal(gc_set_measured(element, GC_LINE, cases[i].confidence), 0);
    assert_int_equal(element->found[GC_LINE].origin, GC_MEASURED);
    if (element->found[GC_LINE].confidence != cases[i].expected)
      fail_msg("confidence %.17g is kept as %.17g, not %g", cases[i].confidence, element->found[GC_LINE].confidence,
               cases[i].expected);
  }
}

/* Compares with what a record has if it is printed without being rounded first. */
static void check_tenths(const char *what, double exact, double kept)
{
  char expected[64], text[64];

  snprintf(expected, sizeof(expected), "%.1f", exact);
  snprintf(text, sizeof(text), "%.1f", kept);
  if (strcmp(text, expected) || kept != strtod(expected, NULL))
    fail_msg("%s %.17g is kept as %.17g, not %s", what, exact, kept, expected);
}

static void latencies_are_rounded_as_printf_does(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L1];

  /* every fourth value lies exactly between two tenths (32.25): the even one is right */
  for (unsigned i = 0; i < 16 * 1000; i++) {
    const struct gc_latency latency = {.cycles = i / 16.0, .confidence = 0.9};

    assert_int_equal(gc_set_latency(element, GC_LATENCY, &latency, 1500), 0);
    check_tenths("latency", latency.cycles, element->latency_cycles);
    check_tenths("time", latency.cycles * 1e3 / 1500, element->latency_ns);
    assert_int_equal(gc_set_miss_penalty(element, latency.cycles, 0.9), 0);
    check_tenths("miss penalty", latency.cycles, element->miss_penalty_cycles);
  }
  /* 32.15 is no exact half: it is stored as a little less, and times 10 it is 321.5 */
  for (unsigned i = 0; i < 20 * 1000; i++) {
    const struct gc_latency latency = {.cycles = i / 20.0, .confidence = 0.9};

    gc_set_latency(element, GC_LATENCY, &latency, 1000);
    check_tenths("latency", latency.cycles, element->latency_cycles);
    check_tenths("time", latency.cycles * 1e3 / 1000, element->latency_ns);
  }
  assert_true(gc_found(element, GC_LATENCY) && gc_found(element, GC_MISS_PENALTY));
}

static void each_latency_has_its_own_place(void **state)
{
  const struct gc_latency near = {.cycles = 200.04, .confidence = 0.98}, far = {.cycles = 260.06, .confidence = 0.97};
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L2];

  gc_set_latency(element, GC_NEAR_LATENCY, &near, 1000);
  gc_set_latency(element, GC_FAR_LATENCY, &far, 0); /* the clock is not known */
  assert_true(element->near_latency_cycles == 200 && element->near_latency_ns == 200);
  assert_true(element->far_latency_cycles == 260.1 && element->far_latency_ns == 0);
  assert_true(element->latency_cycles == 0);
  assert_false(gc_found(element, GC_LATENCY));
  assert_true(element->found[GC_FAR_LATENCY].confidence == 0.97);
}

static void an_uncertain_latency_is_absent(void **state)
{
  const struct gc_latency uncertain = {.cycles = 33, .confidence = 0.4999}, enough = {.cycles = 33, .confidence = 0.5};
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L1];

  assert_int_equal(gc_set_latency(element, GC_LATENCY, &uncertain, 1000), 0);
  assert_int_equal(element->found[GC_LATENCY].origin, GC_ABSENT);
  assert_string_equal(element->found[GC_LATENCY].why, "repetitions disagree");
  assert_true(element->latency_cycles == 0);
  gc_set_latency(element, GC_LATENCY, &enough, 1000);
  assert_true(gc_found(element, GC_LATENCY));
  assert_string_equal(element->found[GC_LATENCY].why, "");
}

static void a_withheld_value_is_no_longer_found(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l1 = &results->element[GC_L1], *l2 = &results->element[GC_L2];

  l1->capacity_bytes = 32768;
  gc_set_measured(l1, GC_CAPACITY, 0.98);
  l2->capacity_bytes = 2097152;
  gc_set_stated(l2, GC_CAPACITY);
  assert_int_equal(gc_capacity(l1), 32768);
  assert_int_equal(gc_withhold(results, GC_L1, GC_CAPACITY, "it contradicts the census"), 0);
  assert_false(gc_found(l1, GC_CAPACITY));
  assert_int_equal(gc_capacity(l1), 0);
  assert_true(l1->found[GC_CAPACITY].confidence == 0);
  assert_string_equal(l1->found[GC_CAPACITY].why, "it contradicts the census");
  assert_string_equal(results->warnings, "Capacity of L1Cache is withheld: it contradicts the census\n");
  assert_int_equal(gc_capacity(l2), 2097152);
}

static void a_long_reason_is_cut(void **state)
{
  struct gc_results *results = *state;
  struct gc_finding *finding = &results->element[GC_L1].found[GC_READ];
  char why[2 * sizeof(finding->why)];

  memset(why, 'x', sizeof(why) - 1);
  why[sizeof(why) - 1] = '\0';
  gc_set_absent(&results->element[GC_L1], GC_READ, why);
  assert_int_equal(strlen(finding->why), sizeof(finding->why) - 1);
}

/* --- reasons that can pass ---------------------------------------------------------------------- */

static void only_reasons_that_can_pass_make_a_record_provisional(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l1 = &results->element[GC_L1];
  char why[GC_PROVISIONAL_BYTES] = "?";

  l1->tried = true;
  gc_set_absent(l1, GC_LINE, "shorter than what was tried");
  gc_set_measured(l1, GC_CAPACITY, 0.9);
  assert_false(gc_results_provisional(results, why));
  assert_string_equal(why, "");
  gc_set_absent_for_now(l1, GC_LINE, GC_GPU_BUSY, "kernels wait");
  assert_string_equal(l1->found[GC_LINE].why, "kernels wait");
  assert_true(gc_results_provisional(results, why));
  assert_string_equal(why, "another program used the GPU (L1Cache Line)");
  /* an element that was not tried is not in the record */
  l1->tried = false;
  assert_false(gc_results_provisional(results, why));
}

static void a_mark_stays_until_there_is_a_value(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l1 = &results->element[GC_L1];

  gc_mark_passing(l1, GC_READ, GC_LITTLE_MEMORY);
  gc_set_absent(l1, GC_READ, "too little memory");
  assert_int_equal(l1->found[GC_READ].passing, GC_LITTLE_MEMORY);
  gc_set_measured(l1, GC_READ, 0.9);
  assert_int_equal(l1->found[GC_READ].passing, GC_LASTING);
  gc_mark_passing(l1, GC_READ, GC_LITTLE_MEMORY);
  gc_set_stated(l1, GC_READ);
  assert_int_equal(l1->found[GC_READ].passing, GC_LASTING);
}

static void each_reason_is_named_once_with_two_properties(void **state)
{
  struct gc_results *results = *state;
  struct gc_measured *l1 = &results->element[GC_L1], *l2 = &results->element[GC_L2];
  char why[GC_PROVISIONAL_BYTES];

  l1->tried = l2->tried = true;
  gc_set_absent_for_now(l1, GC_READ, GC_STEP_FAILED, "no");
  gc_set_absent_for_now(l2, GC_CAPACITY, GC_LITTLE_MEMORY, "no");
  gc_set_absent_for_now(l2, GC_LINE, GC_LITTLE_MEMORY, "no");
  gc_set_absent_for_now(l1, GC_LATENCY, GC_LITTLE_MEMORY, "no");
  gc_set_absent_for_now(l1, GC_LINE, GC_LITTLE_MEMORY, "no");
  assert_true(gc_results_provisional(results, why));
  assert_string_equal(why, "too little free device memory (L2Cache Capacity, L2Cache Line and 2 "
                           "more); steps failed (L1Cache Read)");
}

/* --- warnings --------------------------------------------------------------------------------- */

/* Adds a sentence of this length. */
static void warn_of_length(struct gc_results *results, size_t length)
{
  gc_warn(results, "%.*s", (int)length, "................................................................");
}

static void a_warning_that_does_not_fit_is_dropped_whole(void **state)
{
  struct gc_results *results = *state;
  size_t used;

  gc_warn(results, "%s of %d", "first", 2);
  assert_string_equal(results->warnings, "first of 2\n");
  while (sizeof(results->warnings) - strlen(results->warnings) > 60)
    warn_of_length(results, 31);
  used = strlen(results->warnings);
  assert_int_equal(results->warnings[used - 1], '\n');
  /* the newline and the final NUL take two bytes */
  warn_of_length(results, sizeof(results->warnings) - used - 1);
  assert_int_equal(strlen(results->warnings), used);
  warn_of_length(results, sizeof(results->warnings) - used - 2);
  assert_int_equal(strlen(results->warnings), sizeof(results->warnings) - 1);
  assert_int_equal(results->warnings[sizeof(results->warnings) - 2], '\n');
  gc_warn(results, "x");
  assert_int_equal(strlen(results->warnings), sizeof(results->warnings) - 1);
}

/* --- publishing ------------------------------------------------------------------------------- */

static struct gc_record *published(const struct gc_results *results)
{
  const struct gc_identity identity = {.id = "sim-results"};
  struct gc_record *record = gc_record_new(&identity);

  assert_non_null(record);
  assert_int_equal(gc_publish(results, record), 0);
  return record;
}

struct pair {
  const char *key, *value;
};

/* The element has these attributes, and no other. */
static void check_infos(const struct gc_element *element, const struct pair *pairs, size_t n)
{
  assert_non_null(element);
  for (size_t i = 0; i < n; i++) {
    const char *value = gc_infos_get(&element->infos, pairs[i].key);

    if (!value || strcmp(value, pairs[i].value))
      fail_msg("%s is '%s', not '%s'", pairs[i].key, value ? value : "(absent)", pairs[i].value);
  }
  for (size_t k = 0; k < element->infos.count; k++) {
    size_t i = 0;

    while (i < n && strcmp(element->infos.array[k].name, pairs[i].key))
      i++;
    if (i == n)
      fail_msg("unexpected %s = '%s'", element->infos.array[k].name, element->infos.array[k].value);
  }
  assert_int_equal(element->infos.count, n);
}

static void fill_numbers(struct gc_measured *element)
{
  element->capacity_bytes = 222208;
  element->carveout_blocks = 32;
  element->nominal_bytes = 262144;
  element->census_bytes = 222000;
  element->census_error_bytes = 0;
  element->latency_cycles = 32;
  element->latency_ns = 16.2;
  element->near_latency_cycles = 200.5;
  element->far_latency_cycles = 260.1;
  element->far_latency_ns = 131.4;
  element->instances = 132;
  element->per_sm = 1;
  element->fetch_bytes = 32;
  element->line_bytes = 128;
  element->miss_penalty_cycles = 247.3;
  element->read_gbps = 4800.4;
  element->write_gbps = 123.26;
  element->read_bytes_per_cycle = 63.987;
}

/* Each key stands for one member: a wrong one would have another value. */
static void every_property_is_published(void **state)
{
  static const struct pair pairs[] = {
    {"CarveoutPercent", "0"},       {"CarveoutBlocks", "32"},        {"CapacityBytes", "222208"},
    {"CapacitySource", "measured"}, {"CapacityConfidence", "0.9877"}, {"NominalBytes", "262144"},
    {"NominalSource", "api"},       {"CensusBytes", "222000"},       {"CensusErrorBytes", "0"},
    {"CensusSource", "measured"},   {"CensusConfidence", "0.9999"},  {"LatencyCycles", "32.0"},
    {"LatencyNs", "16.2"},          {"LatencySource", "measured"},   {"LatencyConfidence", "0.5000"},
    {"NearLatencyCycles", "200.5"}, {"NearLatencySource", "api"},    {"FarLatencyCycles", "260.1"},
    {"FarLatencyNs", "131.4"},      {"FarLatencySource", "api"},     {"PartitionsSource", "absent:too few SMs"},
    {"Instances", "132"},           {"InstancesSource", "api"},      {"PerSM", "1"},
    {"PerSMSource", "api"},         {"FetchBytes", "32"},            {"FetchSource", "api"},
    {"LineBytes", "128"},           {"LineSource", "api"},           {"MissPenaltyCycles", "247.3"},
    {"MissPenaltySource", "api"},   {"ReadGBps", "4800"},            {"ReadBytesPerCycle", "63.99"},
    {"ReadSource", "api"},          {"WriteGBps", "123.3"},          {"WriteSource", "api"},
  };
  static const enum gc_property stated[] = {
    GC_NOMINAL, GC_NEAR_LATENCY, GC_FAR_LATENCY,  GC_INSTANCES, GC_PER_SM,
    GC_FETCH,   GC_LINE,         GC_MISS_PENALTY, GC_READ,      GC_WRITE,
  };
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L1];
  struct gc_record *record;

  element->tried = true;
  fill_numbers(element);
  gc_set_measured(element, GC_CAPACITY, 0.98766);
  gc_set_measured(element, GC_CENSUS, 1);
  gc_set_measured(element, GC_LATENCY, 0.5);
  gc_set_absent(element, GC_PARTITIONS, "too few SMs");
  for (size_t i = 0; i < sizeof(stated) / sizeof(*stated); i++)
    gc_set_stated(element, stated[i]);
  record = published(results);
  check_infos(gc_record_find(record, GC_L1), pairs, sizeof(pairs) / sizeof(*pairs));
  assert_int_equal(record->count, 1);
  gc_record_free(record);
}

/* Members may be set before it is clear whether they are reported. */
static void unknown_and_absent_properties_have_no_values(void **state)
{
  static const struct pair pairs[] = {
    {"CapacityAtLeastBytes", "196608"},
    {"CapacitySource", "absent:no load missed"},
  };
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_CONSTANT_L15];
  struct gc_record *record;

  element->tried = true;
  fill_numbers(element);
  element->carveout_blocks = 0;
  element->shared_with = 1u << GC_L1;
  element->cu_groups.count = 1;
  element->capacity_at_least_bytes = 196608;
  gc_set_absent(element, GC_CAPACITY, "no load missed");
  fill_numbers(&results->element[GC_L1]); /* no step has run for this one */
  gc_set_measured(&results->element[GC_L1], GC_CAPACITY, 0.98);
  record = published(results);
  check_infos(gc_record_find(record, GC_CONSTANT_L15), pairs, sizeof(pairs) / sizeof(*pairs));
  assert_null(gc_record_find(record, GC_L1));
  gc_record_free(record);
}

/* The record of an AMD GPU has the size of a warp, but no compute capability. */
static void reasons_of_an_amd_gpu_name_cus(void **state)
{
  static const struct {
    const char *why, *of_amd;
  } cases[] = {
    {"an SM, SMs", "a CU, CUs"},
    {"An SM sees more than SMs", "A CU sees more than CUs"},
    {"SMEM of SMGroups, ASM and a span SM", "SMEM of SMGroups, ASM and a span CU"},
  };
  const struct gc_identity identity = {.id = "sim-results"};
  struct gc_results *results = *state;
  char expected[80];

  results->element[GC_L1].tried = true;
  for (int amd = 0; amd < 2; amd++)
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
      struct gc_record *record = gc_record_new(&identity);

      assert_non_null(record);
      if (amd)
        assert_int_equal(gc_infos_set_u64(&record->infos, "WarpThreads", 64), 0);
      gc_set_absent(&results->element[GC_L1], GC_CAPACITY, cases[i].why);
      assert_int_equal(gc_publish(results, record), 0);
      snprintf(expected, sizeof(expected), "absent:%s", amd ? cases[i].of_amd : cases[i].why);
      assert_string_equal(
        gc_infos_get(&gc_record_find(record, GC_L1)->infos, "CapacitySource"), expected);
      gc_record_free(record);
    }
}

/* Three groups of four CUs, whose numbers have gaps, in two sizes. */
static void fill_groups(struct gc_results *results, struct gc_groups *groups)
{
  static const uint32_t numbers[] = {0, 1, 3, 8}, of[] = {0, 2, 2, 1};

  results->sm_count = 4;
  groups->count = 3;
  for (size_t i = 0; i < 4; i++) {
    results->sm_number[i] = numbers[i];
    groups->of[i] = (uint16_t)of[i];
  }
}

static void lists_are_published(void **state)
{
  static const struct pair pairs[] = {
    {"Partitions", "2"},
    {"PartitionsSource", "api"},
    {"PartitionSMs", "60,72"},
    {"PartitionSMsSource", "api"},
    {"CarveoutTable", "0:222208,12:189440,100:1024,default:222209"},
    {"CarveoutTableSource", "api"},
    {"SharedWith", "L2Cache,L1Cache,ReadOnlyCache,InstructionCache"}, /* in the order of enum gc_kind */
    {"SharedWithSource", "measured"},
    {"SharedWithConfidence", "0.9800"},
    {"SharedByCUs", "1x2,2x1"},
    {"SharedByCUsSource", "api"},
    {"CUGroups", "0 8 1,3"},
    {"CUGroupsSource", "api"},
  };
  static const enum gc_property stated[] = {GC_PARTITIONS, GC_PARTITION_SMS, GC_CARVEOUT_TABLE, GC_SHARED_BY_CUS,
                                            GC_CU_GROUPS};
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_SCALAR_L1];
  struct gc_record *record;

  element->tried = true;
  element->partitions = 2;
  element->partition_sms[0] = 60;
  element->partition_sms[1] = 72;
  for (unsigned percent = 0; percent < GC_CARVEOUTS; percent++)
    element->carveouts.bytes[percent] = percent < 12 ? 222208 : percent < 100 ? 189440 : 1024;
  element->carveouts.by_default = 222209;
  element->shared_with = 1u << GC_INSTRUCTION_CACHE | 1u << GC_L1 | 1u << GC_READ_ONLY | 1u << GC_L2;
  fill_groups(results, &element->cu_groups);
  for (size_t i = 0; i < sizeof(stated) / sizeof(*stated); i++)
    gc_set_stated(element, stated[i]);
  gc_set_measured(element, GC_SHARED_WITH, 0.98);
  record = published(results);
  check_infos(gc_record_find(record, GC_SCALAR_L1), pairs, sizeof(pairs) / sizeof(*pairs));
  gc_record_free(record);
}

/* Shared with nothing is a result, too: a source without a value. */
static void shared_with_nothing_has_a_source_only(void **state)
{
  static const struct pair pairs[] = {{"SharedWithSource", "measured"}, {"SharedWithConfidence", "0.9800"}};
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_L1];
  struct gc_record *record;

  element->tried = true;
  gc_set_measured(element, GC_SHARED_WITH, 0.98);
  record = published(results);
  check_infos(gc_record_find(record, GC_L1), pairs, sizeof(pairs) / sizeof(*pairs));
  gc_record_free(record);
}

/* A list that a record cannot hold is left out together with its source. */
static void group_members_that_are_too_long_are_left_out(void **state)
{
  static const struct pair pairs[] = {{"SharedByCUs", "1x1024"}, {"SharedByCUsSource", "api"}};
  struct gc_results *results = *state;
  struct gc_measured *element = &results->element[GC_SCALAR_L1];
  struct gc_record *record;

  element->tried = true;
  results->sm_count = GC_SMS_MAX;
  element->cu_groups.count = 1;
  for (uint32_t i = 0; i < GC_SMS_MAX; i++)
    results->sm_number[i] = 1000000000 + i;
  gc_set_stated(element, GC_SHARED_BY_CUS);
  gc_set_stated(element, GC_CU_GROUPS);
  record = published(results);
  check_infos(gc_record_find(record, GC_SCALAR_L1), pairs, sizeof(pairs) / sizeof(*pairs));
  gc_record_free(record);
}

static void group_sizes_begin_with_the_largest(void **state)
{
  struct gc_groups groups = {.count = 6};
  char text[64];

  (void)state;
  for (uint32_t i = 0; i < 12; i++) /* groups of 3, 3, 2, 2, 1 and 1 */
    groups.of[i] = (uint16_t)(i < 6 ? i / 3 : i < 10 ? 2 + (i - 6) / 2 : 4 + i - 10);
  gc_group_sizes_text(&groups, 12, text, sizeof(text));
  assert_string_equal(text, "2x3,2x2,2x1");
  gc_group_sizes_text(&groups, 0, text, sizeof(text));
  assert_string_equal(text, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(confidence_has_four_decimals_and_a_maximum),
    TEST(latencies_are_rounded_as_printf_does),
    TEST(each_latency_has_its_own_place),
    TEST(an_uncertain_latency_is_absent),
    TEST(a_withheld_value_is_no_longer_found),
    TEST(a_long_reason_is_cut),
    TEST(only_reasons_that_can_pass_make_a_record_provisional),
    TEST(a_mark_stays_until_there_is_a_value),
    TEST(each_reason_is_named_once_with_two_properties),
    TEST(a_warning_that_does_not_fit_is_dropped_whole),
    TEST(every_property_is_published),
    TEST(unknown_and_absent_properties_have_no_values),
    TEST(reasons_of_an_amd_gpu_name_cus),
    TEST(lists_are_published),
    TEST(shared_with_nothing_has_a_source_only),
    TEST(group_members_that_are_too_long_are_left_out),
    TEST(group_sizes_begin_with_the_largest),
  };

  return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
