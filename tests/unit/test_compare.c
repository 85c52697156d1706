/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * compare: limits, pairs, groups, outliers. Some fleets are such that mean and standard deviation
 * give the wrong answer.
 */
#include "stats/stats.h"
#include "tool/compare/fleet.h"
#include "tool/compare/match.h"
#include "tool/compare/pair.h"

#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct gc_subjects subjects;
static struct gc_fleet fleet;

static int release(void **state)
{
  (void)state;
  gc_fleet_free(&fleet);
  gc_subjects_free(&subjects);
  return 0;
}

/* --- GPUs ---------------------------------------------------------------------------------------
 */

/* What the GPUs of these tests differ in. NULL: as all others. */
struct gpu {
  const char *id, *model, *memory, *method, *provisional, *version;
  const char *l1, *l1_source, *l2_cycles, *sms, *xcds; /* "": without this info */
};

static void set(struct gc_infos *infos, const char *key, const char *value, const char *usual)
{
  value = value ? value : usual;
  if (*value)
    assert_int_equal(gc_infos_set(infos, key, value), 0);
}

/* Adds a GPU with the values of an H200, and this name. */
static void add_named(const char *name, const struct gpu *gpu)
{
  struct gc_identity identity = {.driver = "1"};
  struct gc_record *record;
  struct gc_infos *memory, *l2, *l1;

  snprintf(identity.id, sizeof identity.id, "%s", gpu->id ? gpu->id : "GPU-1");
  snprintf(identity.model, sizeof identity.model, "%s", gpu->model ? gpu->model : "H200");
  record = gc_record_new(&identity);
  assert_non_null(record);
  if (gpu->method)
    snprintf(record->method, sizeof record->method, "%s", gpu->method);
  set(&record->infos, "Version", gpu->version, "0.2.0");
  set(&record->infos, "MeasuredSMClockMHz", NULL, "1980");
  set(&record->infos, "Provisional", gpu->provisional, "");
  set(&record->infos, "XCDs", gpu->xcds, "");
  memory = &gc_record_add(record, GC_DEVICE_MEMORY)->infos;
  set(memory, "CapacityBytes", gpu->memory, "150109880320");
  set(memory, "CapacitySource", NULL, "api");
  l2 = &gc_record_add(record, GC_L2)->infos;
  set(l2, "LatencyCycles", gpu->l2_cycles, "280.0");
  set(l2, "LatencyNs", NULL, "141.4");
  set(l2, "LatencySource", NULL, "measured");
  set(l2, "PartitionSMs", gpu->sms, "66,66");
  set(l2, "PartitionSMsSource", NULL, "measured");
  l1 = &gc_record_add(record, GC_L1)->infos;
  set(l1, "CapacityBytes", gpu->l1, "222208");
  set(l1, "CapacitySource", gpu->l1_source, "measured");
  assert_int_equal(gc_subjects_add(&subjects, name, record), 0);
  gc_record_free(record);
}

static void add(const struct gpu *gpu)
{
  add_named("gpu", gpu);
}

#define ADD(...) add(&(const struct gpu){__VA_ARGS__})

static const char *title(size_t property)
{
  static char text[128];
  const struct gc_compared_property *p = &subjects.properties[property];

  snprintf(text, sizeof text, "%s %s", gc_property_element(p), gc_property_title(p));
  return text;
}

/* --- limits -------------------------------------------------------------------------------------
 */

static void is_limit(enum gc_kind kind, const char *key, enum gc_alike alike, double percent,
                     double least)
{
  const struct gc_difference_limit limit = gc_limit_find(kind, key);

  if (limit.alike != alike || limit.percent != percent || limit.least != least)
    fail_msg("%s: %d, %g %%, %g", key, limit.alike, limit.percent, limit.least);
}

static void limits(void **state)
{
  (void)state;
  is_limit(GC_L1, "CapacityBytes", GC_WITHIN, 0.5, 0);
  is_limit(GC_L2, "CapacityBytes", GC_WITHIN, 10, 0);
  is_limit(GC_DEVICE_MEMORY, "CapacityBytes", GC_WITHIN, 0.5, 0);
  is_limit(GC_L1, "LatencyCycles", GC_WITHIN, 0, 1);
  is_limit(GC_L2, "LatencyCycles", GC_WITHIN, 2, 0);
  is_limit(GC_L2, "FarLatencyCycles", GC_WITHIN, 2, 0);
  is_limit(GC_L2, "LatencyNs", GC_NEVER_COMPARED, 0, 0);
  is_limit(GC_L2, "ReadGBps", GC_WITHIN, 3, 0);
  is_limit(GC_L1, "ReadBytesPerCycle", GC_WITHIN, 3, 0);
  is_limit(GC_L1, "LineBytes", GC_IDENTICAL, 0, 0);
  is_limit(GC_L1, "SetIndexMasks", GC_IDENTICAL, 0, 0);
  is_limit(GC_L1, "SomethingNew", GC_IDENTICAL, 0, 0);
  is_limit(GC_L1, "SomethingNewBytes", GC_WITHIN, 0.5, 0);
  is_limit(GC_L1, "SomethingNewCycles", GC_WITHIN, 3, 0);
  is_limit(GC_WHOLE_GPU, "SMs", GC_IDENTICAL, 0, 0);
  is_limit(GC_WHOLE_GPU, "SharedBytesPerBlock", GC_IDENTICAL, 0, 0);
  is_limit(GC_WHOLE_GPU, "MeasuredSMClockMHz", GC_NEVER_COMPARED, 0, 0);
  is_limit(GC_WHOLE_GPU, "SMClockKHz", GC_NEVER_COMPARED, 0, 0);
  assert_true(gc_limit_find(GC_L2, "PartitionSMs").by_board);
}

/* tests/gpu/repeat.sh has the same idea of which whole numbers never differ. */
static void repeat_has_the_same_limits(void **state)
{
  static const char before[] = "name ~ /(";
  static const char *const keys[] = {
#define NUMBER(id, key, format, least, member, words) !strcmp(#format, "WHOLE") ? key : "",
#include "record/property_table.h"
  };
  const char *top = getenv("top_srcdir");
  char path[4096], text[8192], name[80], *from;
  FILE *script;
  regex_t exact;

  (void)state;
  snprintf(path, sizeof path, "%s/tests/gpu/repeat.sh", top ? top : ".");
  script = fopen(path, "r");
  assert_non_null(script);
  text[fread(text, 1, sizeof text - 1, script)] = '\0';
  fclose(script);
  assert_non_null(from = strstr(text, before));
  from += strlen(before) - 1;
  *strchr(from, '/') = '\0';
  assert_int_equal(regcomp(&exact, from, REG_EXTENDED | REG_NOSUB), 0);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    snprintf(name, sizeof name, "L1Cache %s", keys[i]);
    if (*keys[i] && (regexec(&exact, name, 0, NULL, 0) == 0) !=
                        (gc_limit_find(GC_L1, keys[i]).alike == GC_IDENTICAL))
      fail_msg("compare and repeat.sh disagree about %s", name);
  }
  regfree(&exact);
}

/* --- pairs --------------------------------------------------------------------------------------
 */

/* Compares the first two subjects, and checks how many differences there are and how many count. */
static void is_pair(double tolerance, size_t count, size_t counting, const char *first)
{
  struct gc_pair pair;

  assert_int_equal(
      gc_pair_compare(&subjects, &subjects.array[0], &subjects.array[1], tolerance, &pair), 0);
  assert_int_equal(pair.count, count);
  assert_int_equal(pair.counting, counting);
  if (count)
    assert_string_equal(title(pair.differences[0].property), first);
  gc_pair_free(&pair);
}

static void equal_pair(void **state)
{
  (void)state;
  ADD(.l2_cycles = "280.0");
  ADD(.l2_cycles = "285.5"); /* 2 % are 5.7 */
  is_pair(-1, 0, 0, NULL);
}

static void beyond_the_limit(void **state)
{
  (void)state;
  ADD(.l2_cycles = "280.0");
  ADD(.l2_cycles = "286.0");
  is_pair(-1, 1, 1, "L2Cache LatencyCycles");
  is_pair(2.5, 0, 0, NULL);
  is_pair(0, 1, 1, "L2Cache LatencyCycles");
}

static void exactly_the_limit(void **state)
{
  (void)state;
  ADD(.l1 = "222208");
  ADD(.l1 = "221096.96"); /* 0.5 % less */
  is_pair(-1, 0, 0, NULL);
}

static void discrete_values_have_no_tolerance(void **state)
{
  (void)state;
  ADD(.sms = "66,66");
  ADD(.sms = "64,68");
  is_pair(50, 1, 1, "L2Cache PartitionSMs");
}

static void absent_values(void **state)
{
  (void)state;
  ADD(.l1 = "222208");
  ADD(.l1 = "", .l1_source = "absent:repetitions disagree");
  is_pair(-1, 1, 1, "L1Cache CapacityBytes");
}

static void absent_for_another_reason_each(void **state)
{
  (void)state;
  ADD(.l1 = "", .l1_source = "absent:repetitions disagree");
  ADD(.l1 = "", .l1_source = "absent:no miss seen");
  is_pair(-1, 0, 0, NULL);
}

static void absent_for_a_passing_reason(void **state)
{
  (void)state;
  ADD(.l1 = "222208");
  ADD(.l1 = "", .l1_source = "absent:too little memory", .provisional = "too little memory");
  is_pair(-1, 1, 0, "L1Cache CapacityBytes");
}

static void absent_with_other_methods(void **state)
{
  (void)state;
  ADD(.l1 = "222208", .method = "3");
  ADD(.l1 = "", .l1_source = "absent:not determined");
  is_pair(-1, 1, 0, "L1Cache CapacityBytes");
}

static void absent_without_a_reason(void **state)
{
  (void)state;
  ADD(.xcds = "8");
  ADD(.xcds = "");
  is_pair(-1, 1, 1, "GPU XCDs");
}

/* The earlier version did not know this fact. */
static void absent_in_another_version(void **state)
{
  (void)state;
  ADD(.xcds = "8", .version = "0.3.0");
  ADD(.xcds = "", .version = "0.2.0");
  is_pair(-1, 1, 0, "GPU XCDs");
}

static void stated_instead_of_measured(void **state)
{
  (void)state;
  ADD(.l1 = "222208");
  ADD(.l1 = "222208", .l1_source = "sysfs");
  is_pair(-1, 1, 1, "L1Cache CapacityBytes");
}

/* --- outliers -----------------------------------------------------------------------------------
 */

static void compare(void)
{
  assert_int_equal(gc_fleet_compare(&subjects, -1, &fleet), 0);
}

/* n GPUs whose L2 takes 280, 281, 282, 281, 280 ... cycles. */
static void add_healthy(size_t n)
{
  static const char *const cycles[] = {"280.0", "281.0", "282.0", "281.0"};

  for (size_t i = 0; i < n; i++)
    ADD(.l2_cycles = cycles[i % 4]);
}

static void healthy(void **state)
{
  (void)state;
  add_healthy(200);
  compare();
  assert_int_equal(fleet.group_count, 1);
  assert_int_equal(fleet.outlier_count, 0);
  assert_int_equal(fleet.divided_count, 0);
}

/* Three bad GPUs of 20: the mean is 287.5 and the standard deviation 18.7, so none of them is
 * beyond three of them. Median and MAD find all. */
static void masked_outliers(void **state)
{
  static const double bad = 330;
  double sum = 0, squares = 0;

  (void)state;
  add_healthy(17);
  for (size_t i = 0; i < 3; i++)
    ADD(.l2_cycles = "330.0");
  for (size_t i = 0; i < 20; i++) {
    const double cycles = i < 17 ? (double[]){280, 281, 282, 281}[i % 4] : bad;

    sum += cycles;
    squares += cycles * cycles;
  }
  assert_true(bad - sum / 20 < 3 * sqrt(squares / 20 - sum / 20 * (sum / 20)));
  compare();
  assert_int_equal(fleet.outlier_count, 3);
  assert_int_equal(fleet.outlier_gpus, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(fleet.outliers[i].subject, 17 + i);
    assert_true(fleet.outliers[i].median == 281);
    assert_true(fleet.outliers[i].sigmas > 5);
  }
}

/* All others are identical, so their deviation is 0: the limit gives the smallest one. */
static void identical_but_one(void **state)
{
  (void)state;
  for (size_t i = 0; i < 999; i++)
    ADD(.l2_cycles = "280.0");
  ADD(.l2_cycles = "280.5");
  compare();
  assert_int_equal(fleet.outlier_count, 0);
  gc_fleet_free(&fleet);
  ADD(.l2_cycles = "300.0");
  compare();
  assert_int_equal(fleet.outlier_count, 1);
  assert_int_equal(fleet.outliers[0].subject, 1000);
  assert_true(isfinite(fleet.outliers[0].sigmas));
  assert_true(fabs(fleet.outliers[0].percent - 20 / 2.8) < 1e-6);
}

/* Boards spread by 9 %, much more than the limit of 2 %: none of them is an outlier. */
static void spread_by_board(void **state)
{
  char cycles[16];

  (void)state;
  for (unsigned i = 0; i < 100; i++) {
    snprintf(cycles, sizeof cycles, "%u.0", 600 + (i * 37) % 55);
    ADD(.l2_cycles = cycles);
  }
  compare();
  assert_int_equal(fleet.outlier_count, 0);
  assert_int_equal(fleet.divided_count, 0);
}

static void worst_gpu_first(void **state)
{
  (void)state;
  add_healthy(20);
  ADD(.l2_cycles = "300.0");
  ADD(.l1 = "196608");
  ADD(.l2_cycles = "340.0", .id = "GPU-worst");
  compare();
  assert_int_equal(fleet.outlier_gpus, 3);
  assert_int_equal(fleet.outliers[0].subject, 21); /* 0.5 % of 222208 is 33 times as small */
  assert_int_equal(fleet.outliers[1].subject, 22);
  assert_int_equal(fleet.outliers[2].subject, 20);
}

static void four_gpus(void **state)
{
  (void)state;
  add_healthy(3);
  ADD(.l2_cycles = "301.0");
  compare();
  assert_int_equal(fleet.outlier_count, 1);
  assert_int_equal(fleet.outliers[0].subject, 3);
}

static void two_kinds_of_board(void **state)
{
  (void)state;
  for (size_t i = 0; i < 40; i++)
    ADD(.l2_cycles = i % 4 ? "280.0" : "310.0");
  compare();
  assert_int_equal(fleet.outlier_count, 0);
  assert_int_equal(fleet.divided_count, 1);
  assert_int_equal(fleet.divided[0].deviating, 10);
  assert_string_equal(title(fleet.divided[0].property), "L2Cache LatencyCycles");
}

static void enabled_sms_are_no_outliers(void **state)
{
  (void)state;
  add_healthy(20);
  ADD(.sms = "64,68");
  compare();
  assert_int_equal(fleet.outlier_count, 0);
  assert_int_equal(fleet.divided_count, 1);
  assert_true(subjects.properties[fleet.divided[0].property].limit.by_board);
}

static void absent_in_one(void **state)
{
  (void)state;
  add_healthy(20);
  ADD(.l1 = "", .l1_source = "absent:repetitions disagree");
  ADD(.l1 = "", .l1_source = "absent:too little memory", .provisional = "too little memory");
  compare();
  assert_int_equal(fleet.outlier_count, 1);
  assert_int_equal(fleet.outliers[0].subject, 20);
  assert_true(isinf(fleet.outliers[0].sigmas));
}

/* --- groups -------------------------------------------------------------------------------------
 */

static void groups(void **state)
{
  (void)state;
  ADD(.memory = "85017493504");
  ADD(.memory = "85000000000"); /* another driver leaves a little less */
  ADD(.memory = "42949672960");
  ADD(.model = "H100", .memory = "85017493504");
  ADD(.method = "3", .memory = "85017493504");
  ADD(.memory = "85017493504");
  compare();
  assert_int_equal(fleet.group_count, 4);
  for (size_t i = 0; i < fleet.group_count; i++) {
    const struct gc_group *group = &fleet.groups[i];
    char text[256];

    gc_group_text(&subjects, fleet.order[group->first], text, sizeof text);
    assert_int_equal(group->count, strstr(text, "H200, 79.1") && strstr(text, "method " GC_RECORD_METHOD) ? 3 : 1);
  }
}

static void numbers_of_other_kinds_do_not_mix(void **state)
{
  (void)state;
  for (size_t i = 0; i < 10; i++)
    ADD(.model = "A", .l2_cycles = "200.0");
  for (size_t i = 0; i < 10; i++)
    ADD(.model = "B", .l2_cycles = "300.0");
  compare();
  assert_int_equal(fleet.group_count, 2);
  assert_int_equal(fleet.outlier_count, 0);
}

/* --- sides --------------------------------------------------------------------------------------
 */

#define NOBODY GC_NOBODY
/* The first `split` subjects are side a. expected: pairs in order. */
static void is_match(size_t split, bool directories, const struct gc_match *expected, size_t count)
{
  const struct gc_matched_side a = {0, split, directories};
  const struct gc_matched_side b = {split, subjects.count - split, directories};
  struct gc_match *matches;
  size_t found;

  assert_int_equal(gc_match_sides(&subjects, &a, &b, &matches, &found), 0);
  assert_int_equal(found, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(matches[i].a, expected[i].a);
    assert_int_equal(matches[i].b, expected[i].b);
  }
  free(matches);
}

#define MATCH(split, directories, ...)                                                             \
  is_match(split, directories, (const struct gc_match[]){__VA_ARGS__},                             \
           sizeof((const struct gc_match[]){__VA_ARGS__}) / sizeof(struct gc_match))

static void by_id(void **state)
{
  (void)state;
  ADD(.id = "GPU-a");
  ADD(.id = "GPU-b");
  ADD(.id = "GPU-c");
  ADD(.id = "GPU-c");
  ADD(.id = "GPU-d");
  ADD(.id = "GPU-a");
  MATCH(3, true, {0, 5}, {1, NOBODY}, {2, 3}, {NOBODY, 4});
}

/* Simulated GPUs of several nodes have the same id. */
static void by_name(void **state)
{
  (void)state;
  add_named("n1/sim-h200.xml", &(const struct gpu){.id = "sim-h200"});
  add_named("n2/sim-h200.xml", &(const struct gpu){.id = "sim-h200"});
  add_named("n3/sim-h200.xml", &(const struct gpu){.id = "sim-h200"});
  add_named("n1/sim-h200.xml", &(const struct gpu){.id = "sim-h200"});
  MATCH(2, true, {0, 3}, {1, NOBODY}, {NOBODY, 2});
}

static void two_gpus_whatever_they_are(void **state)
{
  (void)state;
  ADD(.id = "GPU-a");
  ADD(.id = "GPU-b");
  MATCH(1, false, {0, 1});
}

static void files_in_their_order(void **state)
{
  (void)state;
  ADD(.id = "GPU-a");
  ADD(.id = "GPU-b");
  ADD(.id = "GPU-c");
  ADD(.id = "GPU-d");
  MATCH(2, false, {0, 2}, {1, 3});
  MATCH(2, true, {0, NOBODY}, {1, NOBODY}, {NOBODY, 2}, {NOBODY, 3});
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(limits),
      TEST(repeat_has_the_same_limits),
      TEST(equal_pair),
      TEST(beyond_the_limit),
      TEST(exactly_the_limit),
      TEST(discrete_values_have_no_tolerance),
      TEST(absent_values),
      TEST(absent_for_another_reason_each),
      TEST(absent_for_a_passing_reason),
      TEST(absent_with_other_methods),
      TEST(absent_without_a_reason),
      TEST(absent_in_another_version),
      TEST(stated_instead_of_measured),
      TEST(healthy),
      TEST(masked_outliers),
      TEST(identical_but_one),
      TEST(spread_by_board),
      TEST(worst_gpu_first),
      TEST(four_gpus),
      TEST(two_kinds_of_board),
      TEST(enabled_sms_are_no_outliers),
      TEST(absent_in_one),
      TEST(groups),
      TEST(numbers_of_other_kinds_do_not_mix),
      TEST(by_id),
      TEST(by_name),
      TEST(two_gpus_whatever_they_are),
      TEST(files_in_their_order),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
