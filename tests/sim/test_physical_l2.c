/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The L2 of simulated GPUs whose pages lie anywhere in memory, or which have a TLB of a short
 * reach: what the single steps find there is wrong, and the checks at the end of the plan withhold
 * it. And an L2 that is emptied between launches.
 */
#include "measure/capacity/capacity.h"
#include "measure/census/census.h"
#include "measure/check/check.h"
#include "measure/latency/latency.h"
#include "measure/topology/topology.h"
#include "variant.h"

#include <math.h>

#define ALLOCATIONS 40
#define TLB(lines) "[tlb A]\npenalty = 150\n" lines
#define SHARE 0.01 /* a step of the search is 0.2 % of this L2 */

/* Finds the capacity of an L2 of 2 MiB. If it has 16 ways, every 128 KiB meet the same sets. */
static void find_of(struct opened *gpu, const char *pages, unsigned page_seed, const char *l2,
                    const char *ways)
{
  char chip[160];

  snprintf(chip, sizeof(chip), "sms = 8\noutliers = 0.0003 40 900\n%s\npage_seed = %u", pages,
           page_seed);
  if (ways)
    open_variant_ways(gpu, &(struct variant){chip, l2, "200 4"}, ways);
  else
    open_variant(gpu, &(struct variant){chip, l2, "200 4"});
  open_warm_bench(gpu);
  run_step(gpu, gc_step_memory_latency, GC_DEVICE_MEMORY);
  run_step(gpu, gc_step_partitions, GC_L2);
  run_step(gpu, gc_step_l2_capacity, GC_L2);
}

static void find(struct opened *gpu, const char *pages, unsigned page_seed, const char *l2)
{
  find_of(gpu, pages, page_seed, l2, NULL);
}

/* Whether the capacity is not what an allocation can count on: more than nine of ten can use, or
 * farther below the worst one than this is below the median. An absent one is never wrong. */
static bool is_wrong(const struct opened *gpu)
{
  const double found = (double)gc_capacity(&gpu->results->element[GC_L2]);
  uint64_t fits[ALLOCATIONS];
  double worst;

  assert_int_equal(gc_model_true_fits(gpu->model, GC_SPACE_CG, 0, 1, fits, ALLOCATIONS), 0);
  worst = (double)fits[0];
  return found > 0 && (found < (1 - SHARE) * (2 * worst - (double)fits[ALLOCATIONS / 2]) ||
                       found > (1 + SHARE) * (double)fits[ALLOCATIONS / 10]);
}

/* The capacity of one allocation is more than others hold. From seven of them follows what nine of
 * ten hold, in 19 of 20 cases. */
static void scattered_pages_leave_less(void **state)
{
  static const char *const pages[] = {"pages = 4 KiB scattered", "pages = 64 KiB scattered",
                                      "pages = 64 KiB mixed"};
  unsigned wrong_before = 0, wrong = 0, found = 0, withheld = 0;

  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++)
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
      struct opened gpu;

      find(&gpu, pages[i], seed, "");
      wrong_before += is_wrong(&gpu);
      run_step(&gpu, gc_step_l2_allocations, GC_L2);
      wrong += is_wrong(&gpu);
      found += gc_capacity(measured(&gpu, GC_L2)) > 0;
      withheld += strstr(text(published(&gpu, GC_L2), "CapacitySource"), "absent:allocations") != 0;
      close_gpu(&gpu);
    }
  print_message("capacity: %u found, %u withheld, %u wrong, %u before\n", found, withheld, wrong,
                wrong_before);
  assert_true(wrong_before >= 9);
  assert_true(wrong <= 1);
  assert_true(found >= 4);
  assert_true(withheld >= 4);
}

/* What L2 holds in all; 0: absent, for this reason. */
static double total(struct opened *gpu, const char *pages, const char *l2, const char *ways,
                    const char **why)
{
  const struct gc_measured *element;

  find_of(gpu, pages, 1, l2, ways);
  run_step(gpu, gc_step_l2_latency, GC_L2);
  run_step(gpu, gc_step_l2_allocations, GC_L2);
  run_step(gpu, gc_step_l2_total, GC_L2);
  element = measured(gpu, GC_L2);
  *why = element->found[GC_TOTAL].why;
  return gc_found(element, GC_TOTAL) ? (double)element->total_bytes : 0;
}

static void an_overflowing_l2_shows_all_it_holds(void **state)
{
  static const struct {
    const char *pages, *l2, *ways, *absent; /* why it must be absent; NULL: it must be found */
  } cases[] = {
      {"", "", "ways = 16\nreplacement = random", NULL},
      {"pages = 4 KiB scattered", "", NULL, NULL},
      {"pages = 64 KiB scattered", "", "ways = 8\nreplacement = random", NULL},
      {"", "", NULL, "it would be the same as the capacity"},
      {"", TLB("entries = 16\ncovers = 64 KiB"), "ways = 16\nreplacement = random",
       "how much L2 keeps depends on the order of loads or on what was before"},
      {"pages = 64 KiB scattered", "", "ways = 8\nreplacement = plru", NULL},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const double all = 2 << 20;
    struct opened gpu;
    const char *why;
    const double bytes = total(&gpu, cases[i].pages, cases[i].l2, cases[i].ways, &why);

    if (cases[i].absent ? strcmp(why, cases[i].absent) : fabs(bytes - all) > 0.03 * all)
      fail_msg("%s, %s, %s: %.0f bytes: %s", cases[i].pages, cases[i].l2, cases[i].ways, bytes,
               why);
    close_gpu(&gpu);
  }
}

static void contiguous_pages_have_one(void **state)
{
  static const struct {
    const char *pages, *l2;
  } cases[] = {{"", ""},
               {"pages = 4 KiB contiguous", ""},
               {"pages = 64 KiB contiguous", ""},
               {"pages = 2048 KiB scattered", ""}, /* a page meets all sets alike */
               {"pages = 4 KiB contiguous", "partitions = 2\nreplicate = yes\nfar_cycles = 90"}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened gpu;

    find(&gpu, cases[i].pages, 1, cases[i].l2);
    run_step(&gpu, gc_step_l2_translation, GC_L2);
    run_step(&gpu, gc_step_l2_allocations, GC_L2);
    if (!gc_capacity(measured(&gpu, GC_L2)) || is_wrong(&gpu))
      fail_msg("%s, %s: %llu bytes: %s", cases[i].pages, cases[i].l2,
               (unsigned long long)gc_capacity(measured(&gpu, GC_L2)),
               text(published(&gpu, GC_L2), "CapacitySource"));
    close_gpu(&gpu);
  }
}

/* Beyond the reach of a TLB loads are as slow as misses of an L2, so the search finds the reach. */
static void the_reach_of_a_tlb_is_no_capacity(void **state)
{
  static const struct {
    const char *l2;
    bool hides; /* its reach is less than the L2 has */
  } cases[] = {{TLB("entries = 16\ncovers = 64 KiB"), true},
               {TLB("entries = 128\ncovers = 8 KiB\nways = 8\nscope = chip"), true},
               {TLB("entries = 3\ncovers = 256 KiB\nscope = group 2"), true},
               {TLB("entries = 256\ncovers = 4 KiB\nways = 8\nscope = chip"), true},
               {TLB("entries = 64\ncovers = 64 KiB"), false},
               {TLB("entries = 2\ncovers = 2 MiB"), false},
               {TLB("entries = 1024\ncovers = 4 KiB\nways = 8\nscope = chip"), false},
               {"", false}};
  unsigned wrong_before = 0;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened gpu;

    find(&gpu, "", 1, cases[i].l2);
    wrong_before += is_wrong(&gpu);
    run_step(&gpu, gc_step_l2_translation, GC_L2);
    if (!gc_capacity(measured(&gpu, GC_L2)) != cases[i].hides)
      fail_msg("%s: %s", cases[i].l2, text(published(&gpu, GC_L2), "CapacitySource"));
    assert_false(is_wrong(&gpu));
    close_gpu(&gpu);
  }
  assert_true(wrong_before >= 1);
}

/* --- an L2 that is emptied between launches --- */

/* Measures the caches with the whole plan. */
static void measure(struct opened *gpu, const struct edited *edited, bool keeps, const char *only)
{
  const struct gc_measure_options options = {.only = only};
  struct edited loses = *edited;
  size_t n = 0;

  while (loses.edits[n][0])
    n++;
  loses.edits[n][0] = "[cache L2]\n";
  loses.edits[n][1] = "[cache L2]\nsurvives_launch = no\n";
  open_edited(gpu, keeps ? edited : &loses);
  must(gpu, gc_measure(gpu->device, &options, gpu->record, &gpu->err), "measure");
}

/* Compares two GPUs that differ only in whether L2 keeps its contents between launches. The listed
 * properties must be absent if it does not. All others must have the same values. */
static void compare(const struct opened *keeps, const struct opened *loses, enum gc_kind kind)
{
  static const char *const lost[] = {"Read",       "Write",        "Instances",   "PerSM",
                                     "Partitions", "PartitionSMs", "NearLatency", "FarLatency"};
  static const struct {
    const char *key;
    double share; /* by which the values may differ */
  } values[] = {{"CapacityBytes", 0.004}, {"CensusBytes", 0.01}, {"LatencyCycles", 0.01},
                {"LineBytes", 0},         {"FetchBytes", 0},     {"MissPenaltyCycles", 0.02}};
  const struct gc_element *kept = gc_record_find(keeps->record, kind),
                          *found = gc_record_find(loses->record, kind);

  for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
    const double was = number(kept, values[i].key), is = number(found, values[i].key);

    if (isnan(was) != isnan(is) || fabs(is - was) > values[i].share * was)
      fail_msg("%s: %s of %s was %f and is %f", loses->name, values[i].key, gc_kinds[kind].subtype,
               was, is);
  }
  for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
    char key[40];

    snprintf(key, sizeof(key), "%sSource", lost[i]);
    if (kind == GC_L2 && !strcmp(text(kept, key), "measured") &&
        strcmp(text(found, key), "absent:L2 loses its contents between launches") != 0 &&
        strcmp(text(found, key), "sysfs") != 0)
      fail_msg("%s: %s is %s", loses->name, key, text(found, key));
  }
}

static void an_l2_that_is_emptied_has_the_same_values(void **state)
{
  static const struct {
    struct edited gpu;
    enum gc_kind nearer;
    const char *only; /* NULL: the whole plan, on a GPU of data/sim */
  } cases[] = {
      {{.name = "t1000"}, GC_L1, NULL},
      {{.name = "gtx780"}, GC_READ_ONLY, NULL},
      /* every other line of a full L2 is sampled, and evicted first if L2 was empty before */
      {{"mi210",
        {{"size = 8 MiB", "size = 2 MiB"},
         {"line = 128", "line = 64\ninterleave = 256 #"},
         {"ways = 16", "ways = 8"},
         {"replacement = lru\nhash = xor", "replacement = plru"},
         {"NominalBytes = 8388608", "NominalBytes = 2097152"}}},
       GC_L1,
       "DeviceMemory,L1Cache,L2Cache"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct opened keeps, loses;

    if (cases[i].only)
      measure(&keeps, &cases[i].gpu, true, cases[i].only);
    else
      open_measured(&keeps, cases[i].gpu.name);
    measure(&loses, &cases[i].gpu, false, cases[i].only);
    compare(&keeps, &loses, GC_L2);
    compare(&keeps, &loses, cases[i].nearer);
    compare(&keeps, &loses, GC_CONSTANT_L15);
    assert_false(isnan(number(gc_record_find(loses.record, GC_L2), "CapacityBytes")));
    assert_false(isnan(number(gc_record_find(loses.record, cases[i].nearer), "MissPenaltyCycles")));
    close_gpu(&keeps);
    close_gpu(&loses);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scattered_pages_leave_less),
      cmocka_unit_test(an_overflowing_l2_shows_all_it_holds),
      cmocka_unit_test(contiguous_pages_have_one),
      cmocka_unit_test(the_reach_of_a_tlb_is_no_capacity),
      cmocka_unit_test(an_l2_that_is_emptied_has_the_same_values),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
