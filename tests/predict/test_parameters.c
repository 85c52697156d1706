/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a record to the parameters of the model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predict/model/residency.h"
#include "predict/model/set_index.h"
#include "predict/parameters/geometry.h"
#include "predict/parameters/parameters.h"
#include "predict/parameters/tlbs.h"
#include "record/reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A record with the values of an H200 (doc/results/h200/record.xml) that a prediction uses. */
static struct gc_record *h200(void)
{
  static const struct gc_identity identity = {.id = "GPU-1", .model = "NVIDIA H200"};
  static const char *const facts[][2] = {{"SMs", "132"},
                                         {"WarpThreads", "32"},
                                         {"ThreadsPerSM", "2048"},
                                         {"BlocksPerSM", "32"},
                                         {"RegistersPerSM", "65536"},
                                         {"SharedReservedBytesPerBlock", "1024"},
                                         {"GlobalLoadsInL1", "yes"},
                                         {"ComputeCapability", "9.0"}};
  static const struct {
    enum gc_kind kind;
    const char *key, *value;
  } values[] = {
      {GC_DEVICE_MEMORY, "LatencyCycles", "631.0"},
      {GC_L2, "CapacityBytes", "27451776"},
      {GC_L2, "CensusBytes", "29718900"},
      {GC_L2, "CensusErrorBytes", "162278"},
      {GC_L2, "LatencyCycles", "280.0"},
      {GC_L2, "NearLatencyCycles", "280.0"},
      {GC_L2, "FarLatencyCycles", "455.0"},
      {GC_L2, "Partitions", "2"},
      {GC_L2, "LineBytes", "128"},
      {GC_L2, "FetchBytes", "64"},
      {GC_L2, "Instances", "1"},
      {GC_L1, "CapacityBytes", "222208"},
      {GC_L1, "CensusBytes", "220197"},
      {GC_L1, "CensusErrorBytes", "306"},
      {GC_L1, "LatencyCycles", "32.0"},
      {GC_L1, "LineBytes", "128"},
      {GC_L1, "FetchBytes", "32"},
      {GC_L1, "CarveoutTable",
       "0:222208,15:189440,29:152576,44:119808,58:87040,72:54272,86:21504,default:222208"},
      {GC_SHARED_MEMORY, "CapacityBytes", "233472"},
  };
  struct gc_record *record = gc_record_new(&identity);

  assert_non_null(record);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_int_equal(gc_infos_set(&record->infos, facts[i][0], facts[i][1]), 0);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct gc_element *element = gc_record_find(record, values[i].kind);

    if (!element)
      element = gc_record_add(record, values[i].kind);
    assert_int_equal(gc_infos_set(&element->infos, values[i].key, values[i].value), 0);
  }
  return record;
}

static void set(struct gc_record *record, enum gc_kind kind, const char *key, const char *value)
{
  assert_int_equal(gc_infos_set(&gc_record_find(record, kind)->infos, key, value), 0);
}

static struct gc_parameters parameters_of(struct gc_record *record)
{
  struct gc_parameters parameters;
  struct gc_error err = {""};

  if (gc_parameters_read(&parameters, record, &err))
    fail_msg("%s", err.text);
  gc_record_free(record);
  return parameters;
}

static bool assumes(const struct gc_parameters *parameters, const char *what)
{
  for (size_t i = 0; i < parameters->assumptions.count; i++)
    if (!strcmp(parameters->assumptions.array[i].what, what))
      return true;
  return false;
}

static const struct gc_changes nothing;
static const struct gc_trace_launch plain = {
    .blocks = 1000, .threads_per_block = 256, .registers_per_thread = 32};

static struct gc_gpu_model gpu_of(struct gc_parameters *parameters,
                                  const struct gc_trace_launch *launch,
                                  const struct gc_changes *changes, uint64_t seed)
{
  struct gc_gpu_model gpu;
  struct gc_error err = {""};

  if (gc_parameters_gpu(parameters, launch, changes, seed, &gpu, &err))
    fail_msg("%s", err.text);
  return gpu;
}

static void reads_all_of_an_h200(void **state)
{
  struct gc_parameters parameters = parameters_of(h200());
  const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &nothing, 0);

  (void)state;
  assert_int_equal(gpu.sms, 132);
  assert_int_equal(gpu.l1.line_bytes, 128);
  assert_int_equal(gpu.l1.sector_bytes, 32);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);
  assert_int_equal(gpu.l2.sector_bytes, 64);
  assert_int_equal(gpu.l1.store_miss, GC_ALLOCATE_SECTOR); /* compute capability 9.0 */
  assert_int_equal(gpu.partitions, 2);
  assert_true(gpu.copies);
  assert_int_equal(gc_geometry_bytes(&gpu.l2), 29718912);
  assert_true(gpu.l1_cycles == 32 && gpu.l2_near_cycles == 280 && gpu.l2_far_cycles == 455);
  assert_true(gpu.memory_cycles == 631);
  assert_true(assumes(&parameters, "L1Cache Sets"));
  assert_true(assumes(&parameters, "L1Cache Replacement"));
  assert_false(assumes(&parameters, "L1Cache LineBytes"));
  assert_false(assumes(&parameters, "GPUCacheThreadsPerSM"));
}

/* A kernel gets the smallest carve-out at which an SM holds as many blocks as at the largest. */
static void shared_memory_decides_the_carveout(void **state)
{
  struct gc_parameters parameters = parameters_of(h200());
  struct gc_trace_launch launch = plain;
  const struct {
    uint64_t shared;
    uint64_t l1, of_sm;
  } cases[] = {
      {0, 222208, 32768},         /* 8 blocks of 0 + 1 KiB */
      {3 << 10, 222208, 32768},   /* 8 x 4 KiB = 32 KiB */
      {4 << 10, 189440, 65536},   /* 8 x 5 KiB = 40 KiB */
      {16 << 10, 87040, 167936},  /* 8 x 17 KiB = 136 KiB */
      {100 << 10, 21504, 233472}, /* 2 x 101 KiB; the largest but one has 196 KiB */
      {60 << 10, 54272, 200704},  /* 3 x 61 KiB: the largest would not hold more */
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_gpu_model gpu;

    launch.shared_bytes = cases[i].shared;
    gpu = gpu_of(&parameters, &launch, &nothing, 0);
    assert_int_equal(gc_geometry_bytes(&gpu.l1), cases[i].l1);
    assert_int_equal(gpu.shared_per_sm, cases[i].of_sm);
  }
  assert_true(assumes(&parameters, "carve-out"));
}

/* Shared memory limits the blocks of an SM also if loads do not look into L1. */
static void shared_memory_without_l1(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_trace_launch launch = plain;
  struct gc_gpu_model gpu;
  struct gc_error err;

  (void)state;
  assert_int_equal(gc_infos_set(&record->infos, "GlobalLoadsInL1", "no"), 0);
  parameters = parameters_of(record);
  launch.shared_bytes = 60000;
  gpu = gpu_of(&parameters, &launch, &nothing, 0);
  assert_int_equal(gc_residency(&gpu, &launch), 3);
  assert_int_equal(gc_parameters_check_block(&parameters, &launch, &err), 0);
  launch.shared_bytes = 233472;
  assert_int_equal(gc_parameters_check_block(&parameters, &launch, &err), -ERANGE);
}

/* An entry of the table begins at its percentage: between two entries, the lower one holds. */
static void a_preferred_carveout_is_looked_up(void **state)
{
  struct gc_parameters parameters = parameters_of(h200());
  const struct {
    unsigned percent;
    uint64_t l1;
  } cases[] = {{0, 222208},  {14, 222208}, {15, 189440}, {28, 189440},
               {29, 152576}, {85, 54272},  {86, 21504},  {100, 21504}};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct gc_changes changes = {.has_carveout = true, .carveout = cases[i].percent};
    struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &changes, 0);
    struct gc_trace_launch prefers = plain;

    assert_int_equal(gc_geometry_bytes(&gpu.l1), cases[i].l1);
    /* that of the program, and the user's in place of it */
    prefers.prefers_carveout = true;
    prefers.carveout = cases[i].percent;
    gpu = gpu_of(&parameters, &prefers, &nothing, 0);
    assert_int_equal(gc_geometry_bytes(&gpu.l1), cases[i].l1);
    prefers.carveout = 100 - cases[i].percent;
    gpu = gpu_of(&parameters, &prefers, &changes, 0);
    assert_int_equal(gc_geometry_bytes(&gpu.l1), cases[i].l1);
  }
}

/* L1 keeps what is stored from Volta on. */
static void l1_of_old_gpus_keeps_no_stores(void **state)
{
  static const struct {
    const char *capability;
    enum gc_allocate store_miss;
  } cases[] = {{"2.0", GC_ALLOCATE_NONE},
               {"6.1", GC_ALLOCATE_NONE},
               {"7.0", GC_ALLOCATE_SECTOR},
               {"10.0", GC_ALLOCATE_SECTOR},
               {"gfx90a", GC_ALLOCATE_NONE}};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_record *record = h200();
    struct gc_parameters parameters;

    assert_int_equal(gc_infos_set(&record->infos, "ComputeCapability", cases[i].capability), 0);
    parameters = parameters_of(record);
    assert_int_equal(parameters.gpu.l1.store_miss, cases[i].store_miss);
    assert_true(assumes(&parameters, "L1Cache WriteAllocate"));
  }
}

static void seeds_draw_from_what_the_record_leaves_open(void **state)
{
  struct gc_parameters parameters = parameters_of(h200());
  double l1_least = INFINITY, l1_most = 0, l2_most = 0, memory_least = INFINITY;

  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &nothing, seed);
    const double l1 = (double)gc_geometry_bytes(&gpu.l1);

    l1_least = fmin(l1_least, l1);
    l1_most = fmax(l1_most, l1);
    l2_most = fmax(l2_most, (double)gc_geometry_bytes(&gpu.l2));
    memory_least = fmin(memory_least, gpu.memory_cycles);
  }
  assert_true(l1_least >= 220197 - 2 * 306 - 64 && l1_least < 220197);
  assert_true(l1_most <= 222208 && l1_most > 221800);
  assert_true(l2_most > 29000000 && l2_most <= 29718900 + 2 * 162278 + 64);
  assert_true(memory_least >= 0.98 * 631 && memory_least < 0.985 * 631);
}

static void structure_is_used_if_the_record_has_it(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_gpu_model gpu;

  (void)state;
  set(record, GC_L1, "Sets", "4");
  set(record, GC_L1, "SetIndexMasks", "0x2080,0x4100");
  set(record, GC_L1, "Replacement", "random");
  set(record, GC_L1, "OutstandingPerSM", "512");
  set(record, GC_L1, "LatencyP95Cycles", "33.0");
  set(record, GC_L2, "Replacement", "other");
  set(record, GC_L2, "SurvivalCurve", "1000:0.9,2000:0.25");
  set(record, GC_L2, "LatencyP95Cycles", "408.5");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &nothing, 0);
  assert_int_equal(gpu.l1.sets, 4);
  assert_int_equal(gpu.l1.ways, 222208 / 128 / 4);
  assert_int_equal(gpu.l1.mask_count, 2);
  assert_true((gpu.l1.masks[0] & 0x7fff) == 0x2080 && (gpu.l1.masks[1] & 0x7fff) == 0x4100);
  assert_int_equal(gpu.l1.policy, GC_POLICY_RANDOM);
  assert_int_equal(gpu.outstanding_per_sm, 0); /* only if a change asks for it */
  assert_true(assumes(&parameters, "L1Cache OutstandingPerSM"));
  assert_int_equal(gpu.l2.policy, GC_POLICY_SURVIVAL);
  assert_int_equal(gpu.l2.survival_count, 2);
  assert_true(gpu.l2.fills[1] == 2000 && gpu.l2.survives[1] == 0.25);
  /* P95 of a half-normal distribution is 1.2855 sigmas above its median */
  assert_true(fabs(gpu.l2_spread - 128.5 / 1.2855) < 0.01);
  assert_false(assumes(&parameters, "L1Cache Sets"));
  assert_false(assumes(&parameters, "L2Cache Replacement"));
}

/* Masks that were measured end at some address bit; each seed has other random bits above. */
static void address_bits_above_the_masks(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  uint64_t above[2][4] = {{0}};

  (void)state;
  set(record, GC_L1, "Sets", "4");
  set(record, GC_L1, "SetIndexMasks", "0x2080,0x4100");
  parameters = parameters_of(record);
  for (uint64_t seed = 0; seed < 4; seed++) {
    const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &nothing, seed);
    const struct gc_gpu_model again = gpu_of(&parameters, &plain, &nothing, seed);

    assert_memory_equal(gpu.l1.masks, again.l1.masks, sizeof gpu.l1.masks);
    for (unsigned i = 0; i < 2; i++) {
      above[i][seed] = gpu.l1.masks[i] & ~UINT64_C(0x7fff);
      assert_in_range(__builtin_popcountll(above[i][seed]), 5, 28); /* of bits 15 to 47 */
      for (uint64_t other = 0; other < seed; other++)
        assert_true(above[i][seed] != above[i][other]);
    }
    assert_true(above[0][seed] != above[1][seed]);
  }
  assert_true(assumes(&parameters, "L1Cache SetIndexMasks"));
  record = h200();
  set(record, GC_L1, "Sets", "4");
  set(record, GC_L1, "SetIndexMasks", "0x80,0x100"); /* the number of the line, modulo 4 */
  parameters = parameters_of(record);
  assert_true(gpu_of(&parameters, &plain, &nothing, 1).l1.masks[0] == 0x80);
  assert_false(assumes(&parameters, "L1Cache SetIndexMasks"));
}

/* An H200's L1 has tags for 512 x 4 lines at each carve-out, and data for fewer. */
static void sets_that_hold_more_than_the_capacity(void **state)
{
  const struct gc_changes carveout = {.has_carveout = true, .carveout = 86};
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_gpu_model gpu;

  (void)state;
  set(record, GC_L1, "Sets", "512");
  set(record, GC_L1, "Ways", "4");
  set(record, GC_L1, "Replacement", "other");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &nothing, 0);
  assert_int_equal(gpu.l1.sets, 512);
  assert_int_equal(gpu.l1.ways, 4);
  assert_int_equal(gpu.l1.limit, 222208 / 128);
  assert_int_equal(gpu.l1.policy, GC_POLICY_LRU);
  assert_false(assumes(&parameters, "L1Cache Sets"));
  assert_true(assumes(&parameters, "L1Cache Replacement"));
  gpu = gpu_of(&parameters, &plain, &carveout, 0);
  assert_int_equal(gpu.l1.sets, 512);
  assert_int_equal(gpu.l1.ways, 4);
  assert_int_equal(gpu.l1.limit, 21504 / 128);
  record = h200();
  set(record, GC_L1, "Sets", "512");
  set(record, GC_L1, "Ways", "4");
  set(record, GC_L1, "Replacement", "slru");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &nothing, 0);
  assert_int_equal(gpu.l1.policy, GC_POLICY_SLRU);
  assert_false(assumes(&parameters, "L1Cache Replacement"));
}

/* Without a known hash, another capacity has other sets of the measured ways. */
static void sets_of_the_measured_ways(void **state)
{
  struct gc_changes carveout = {.has_carveout = true, .carveout = 86}; /* 21504 bytes: 168 lines */
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_gpu_model gpu;

  (void)state;
  set(record, GC_L1, "Sets", "434");
  set(record, GC_L1, "Ways", "4");
  set(record, GC_L1, "Replacement", "lru");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &nothing, 0);
  assert_int_equal(gpu.l1.sets, 434);
  assert_int_equal(gpu.l1.ways, 4);
  gpu = gpu_of(&parameters, &plain, &carveout, 0);
  assert_int_equal(gpu.l1.sets, 42);
  assert_int_equal(gpu.l1.ways, 4);
  record = h200();
  set(record, GC_L1, "Replacement", "lru");
  set(record, GC_L1, "Sets", "248");
  set(record, GC_L1, "Ways", "7"); /* 168 lines are 24 sets; 1736 lines are 248 */
  parameters = parameters_of(record);
  assert_int_equal(gpu_of(&parameters, &plain, &carveout, 0).l1.sets, 24);
  carveout.carveout = 72; /* 54272 bytes: 424 lines are no whole sets of 7 ways */
  gpu = gpu_of(&parameters, &plain, &carveout, 0);
  assert_int_equal(gpu.l1.sets, 61);
  assert_int_equal(gpu.l1.ways, 7);
}

/* Lines can be protected only in sets that are known. */
static void segmented_lru_needs_sets(void **state)
{
  static const char *const sets[] = {NULL, "62"}; /* 1736 lines in 62 sets: 28 ways */
  struct gc_changes capacity = {.capacity = 8}, ways = {.ways = 2};

  (void)state;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct gc_record *record = h200();
    struct gc_parameters parameters;
    struct gc_gpu_model gpu;

    set(record, GC_L1, "Replacement", "slru");
    if (sets[i])
      set(record, GC_L1, "Sets", sets[i]);
    parameters = parameters_of(record);
    gpu = gpu_of(&parameters, &plain, &nothing, 0);
    assert_int_equal(gpu.l1.policy, sets[i] ? GC_POLICY_SLRU : GC_POLICY_LRU);
    assert_true(assumes(&parameters, "L1Cache Replacement") == !sets[i]);
    if (!sets[i])
      continue;
    assert_int_equal(gpu.l1.ways, 28);
    for (int k = 0; k < 2; k++) {
      gpu = gpu_of(&parameters, &plain, k ? &ways : &capacity, 0);
      assert_int_equal(gpu.l1.ways, k ? 56 : 224);
      assert_int_equal(gpu.l1.policy, GC_POLICY_SLRU);
    }
  }
}

/* Without sets, the survival curve of an H200 shows them. That of random replacement has none. */
static void a_survival_curve_shows_sets(void **state)
{
  static const struct {
    const char *curve;
    uint32_t sets, ways;
  } cases[] = {
      {"434:0.986,868:0.847,1302:0.718,1736:0.537,2604:0.194,3472:0.079", 512, 4}, /* measured */
      {"434:0.989,868:0.907,1302:0.748,1736:0.560,2604:0.253,3472:0.094", 512, 4}, /* Poisson */
      {"434:0.779,868:0.607,1302:0.472,1736:0.368,2604:0.223,3472:0.135", 1, 1736},
      {"434:0.986,868:0.847,1302:0.718", 1, 1736}, /* too few points */
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_record *record = h200();
    struct gc_parameters parameters;
    struct gc_gpu_model gpu;

    set(record, GC_L1, "SurvivalCurve", cases[i].curve);
    parameters = parameters_of(record);
    gpu = gpu_of(&parameters, &plain, &nothing, 0);
    assert_int_equal(gpu.l1.sets, cases[i].sets);
    assert_int_equal(gpu.l1.ways, cases[i].ways);
    assert_int_equal(gpu.l1.limit, cases[i].sets > 1 ? 1736 : 0);
    assert_true(assumes(&parameters, "L1Cache Sets"));
    assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);
  }
}

/* A half-written structure is not used, and that is said. */
static void broken_structure_is_assumed_away(void **state)
{
  static const struct {
    const char *key, *value, *assumed;
  } cases[] = {
      {"Sets", "0", "L1Cache Sets"},
      {"Sets", "99999999999", "L1Cache Sets"},
      {"SetIndexMasks", "0x2080", "L1Cache SetIndexMasks"}, /* 1 mask for 4 sets */
      {"SetIndexMasks", "2080,4100", "L1Cache SetIndexMasks"},
      {"SetIndexMasks", "0x2080,", "L1Cache SetIndexMasks"},
      {"SetIndexMasks", "0x0,0x100", "L1Cache SetIndexMasks"},
      {"SurvivalCurve", "1000:0.9,900:0.8", "L1Cache Replacement"},
      {"SurvivalCurve", "1000:0.8,1100:0.9", "L1Cache Replacement"},
      {"SurvivalCurve", "1000:1.5", "L1Cache Replacement"},
      {"SurvivalCurve", "1000", "L1Cache Replacement"},
      {"LineBytes", "100", "L1Cache LineBytes"},
      {"FetchBytes", "256", "L1Cache FetchBytes"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_record *record = h200();
    struct gc_parameters parameters;
    struct gc_gpu_model gpu;

    set(record, GC_L1, "Sets", "4");
    set(record, GC_L1, "SetIndexMasks", "0x2080,0x4100");
    set(record, GC_L1, "Replacement", "other");
    set(record, GC_L1, "SurvivalCurve", "1000:0.9");
    set(record, GC_L1, cases[i].key, cases[i].value);
    parameters = parameters_of(record);
    if (!assumes(&parameters, cases[i].assumed))
      fail_msg("%s=%s", cases[i].key, cases[i].value);
    gpu = gpu_of(&parameters, &plain, &nothing, 0);
    assert_true(gpu.l1.sets && gpu.l1.ways && gpu.l1.line_bytes >= gpu.l1.sector_bytes);
  }
}

static void what_nothing_can_replace_is_named(void **state)
{
  static const char *const lacking[] = {"GPUCacheSMs",           "L1Cache CapacityBytes",
                                        "L1Cache LatencyCycles", "L2Cache CapacityBytes",
                                        "L2Cache LatencyCycles", "DeviceMemory LatencyCycles"};
  static const struct gc_identity identity = {.id = "GPU-2"};
  struct gc_record *record = gc_record_new(&identity);
  struct gc_parameters parameters;
  struct gc_error err = {""};

  (void)state;
  assert_non_null(gc_record_add(record, GC_L1));
  assert_int_equal(gc_parameters_read(&parameters, record, &err), -ENODATA);
  for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
    if (!strstr(err.text, lacking[i]))
      fail_msg("%s is not named: %s", lacking[i], err.text);
  gc_record_free(record);
}

static void half_of_the_blocks_that_an_sm_has(void **state)
{
  static const struct {
    uint64_t blocks, launched, threads;
    unsigned half;
  } cases[] = {
      {264, 0, 32, 1},       /* 2 on each of 132 SMs */
      {1, 0, 32, 1},         /* none less than one */
      {100000, 0, 32, 16},   /* of 32 */
      {100000, 0, 1024, 1},  /* of 2 */
      {132, 132 * 8, 32, 4}, /* a trace with some of the blocks */
      {0, 0, 32, 16},        /* not known */
  };
  const struct gc_changes changes = {.half_blocks = true};
  struct gc_parameters parameters = parameters_of(h200());

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct gc_trace_launch launch = {.blocks = cases[i].blocks,
                                           .launched_blocks = cases[i].launched,
                                           .threads_per_block = cases[i].threads};
    const struct gc_gpu_model gpu = gpu_of(&parameters, &launch, &changes, 0);

    assert_int_equal(gpu.blocks_per_sm, cases[i].half);
  }
}

static void changes_make_another_gpu(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_gpu_model gpu;
  struct gc_changes changes = {.capacity = 0.5};
  struct gc_error err = {""};

  (void)state;
  set(record, GC_L1, "Sets", "4");
  set(record, GC_L1, "OutstandingPerSM", "64");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208 / 2);
  assert_int_equal(gpu.l1.sets, 4);

  changes = (struct gc_changes){.ways = 2};
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.sets, 2);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);

  changes = (struct gc_changes){.line = 2, .outstanding = 0.25};
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.line_bytes, 256);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);
  assert_int_equal(gpu.outstanding_per_sm, 16);
  assert_int_equal(gpu.l1.sector_bytes, 32);

  changes = (struct gc_changes){.line = 0.125}; /* a sector is at most a line */
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.line_bytes, 16);
  assert_int_equal(gpu.l1.sector_bytes, 16);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);

  changes = (struct gc_changes){.line = 0.1};
  assert_int_equal(gc_parameters_gpu(&parameters, &plain, &changes, 0, &gpu, &err), -ERANGE);
  assert_non_null(strstr(err.text, "12.8 bytes"));
}

/* The most of so many lines, this far apart, that are in one set. */
static unsigned most_in_a_set(const struct gc_cache_geometry *cache, unsigned lines, uint64_t bytes)
{
  static unsigned in_set[1 << 14];
  struct gc_set_index index;
  unsigned most = 0;

  memset(in_set, 0, sizeof in_set);
  gc_set_index_init(&index, cache);
  for (unsigned i = 0; i < lines; i++) {
    const unsigned set = gc_set_of(&index, i * bytes / cache->line_bytes);

    most = ++in_set[set] > most ? in_set[set] : most;
  }
  return most;
}

/* A sweep keeps the hash and the bytes of L1: consecutive lines fill the sets evenly, and lines at
 * a large stride do not meet in a few sets, as they would if the set were a number in the address.
 */
static void changed_sets_keep_their_hash(void **state)
{
  static const double factors[] = {0.25, 0.5, 1, 2, 4};
  struct gc_record *record = h200();
  struct gc_parameters parameters;

  (void)state;
  set(record, GC_L1, "Sets", "512");
  set(record, GC_L1, "Ways", "4");
  set(record, GC_L1, "SetIndexMasks",
      "0xe927b0080,0x230860100,0x79fc40200,0xf16da0400,0x7c9570800,0xd5cb51000,0xb48ed2000,"
      "0x96fe04000,0xf956c8000");
  parameters = parameters_of(record);
  for (unsigned i = 0; i < 10; i++) {
    const double factor = factors[i / 2];
    const struct gc_changes changes =
        i % 2 ? (struct gc_changes){.ways = factor} : (struct gc_changes){.line = factor};
    const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &changes, 0);
    const struct gc_gpu_model unchanged = gpu_of(&parameters, &plain, &nothing, 0);
    const unsigned sets = (unsigned)(512 / factor);

    assert_int_equal(gpu.l1.sets, sets);
    assert_int_equal(1u << gpu.l1.mask_count, sets);
    assert_int_equal(gpu.l1.ways, i % 2 ? 4 * factor : 4);
    assert_int_equal(gc_geometry_bytes(&gpu.l1), 222208);
    assert_int_equal(most_in_a_set(&gpu.l1, 2 * sets, gpu.l1.line_bytes), 2);
    assert_true(most_in_a_set(&gpu.l1, sets, 65536) <= 8);
    if (factor == 1)
      assert_memory_equal(gpu.l1.masks, unchanged.l1.masks, sizeof gpu.l1.masks);
  }
}

/* The set is a plain number: that stays so. Sets and ways that a factor does not divide are none.
 */
static void changed_sets_without_a_hash(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  struct gc_changes changes = {.ways = 0.5};
  struct gc_gpu_model gpu, unchanged;
  struct gc_error err = {""};

  (void)state;
  set(record, GC_L1, "Sets", "4");
  set(record, GC_L1, "SetIndexMasks", "0x80,0x100");
  parameters = parameters_of(record);
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.sets, 8);
  assert_int_equal(gpu.l1.masks[2], 0x200);
  changes = (struct gc_changes){.line = 2};
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.sets, 2);
  assert_int_equal(gpu.l1.masks[0], 0x100);

  record = h200();
  set(record, GC_L1, "Sets", "308"); /* of 722 bytes each: 5 to 6 ways */
  parameters = parameters_of(record);
  unchanged = gpu_of(&parameters, &plain, &nothing, 0);
  assert_int_equal(unchanged.l1.ways, 6);
  changes = (struct gc_changes){.ways = 4};
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.ways, 24);
  assert_int_equal(gc_geometry_bytes(&gpu.l1), gc_geometry_bytes(&unchanged.l1));
  changes = (struct gc_changes){.ways = 0.25};
  assert_int_equal(gc_parameters_gpu(&parameters, &plain, &changes, 0, &gpu, &err), -ERANGE);
  assert_non_null(strstr(err.text, "308 sets with 6 ways"));
  changes = (struct gc_changes){.line = 0.5};
  gpu = gpu_of(&parameters, &plain, &changes, 0);
  assert_int_equal(gpu.l1.sets, 616);
  changes = (struct gc_changes){.line = 8};
  assert_int_equal(gc_parameters_gpu(&parameters, &plain, &changes, 0, &gpu, &err), -ERANGE);
}

/* A whole file of doc/results/structure, as a record. */
static struct gc_record *read_real(const char *name)
{
  const char *root = getenv("top_srcdir");
  static char text[1 << 17];
  struct gc_record *record;
  struct gc_error err = {""};
  size_t length;
  char path[4200];
  FILE *file;

  snprintf(path, sizeof path, "%s/doc/results/structure/%s", root ? root : ".", name);
  file = fopen(path, "r");
  assert_non_null(file);
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (gc_record_read_xml(text, length, &record, &err))
    fail_msg("%s: %s", path, err.text);
  return record;
}

/* The miss penalty that a record gives for a TLB. */
static double penalty_in(const struct gc_record *record, enum gc_kind kind)
{
  return strtod(gc_infos_get(&gc_record_find(record, kind)->infos, "MissPenaltyCycles"), NULL);
}

/* The second TLB of an H200 belongs to groups of four or six SMs: whole TPCs. */
static void tlbs_of_real_gpus(void **state)
{
  static const char *const names[] = {"h200.xml", "h100.xml"};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct gc_record *record = read_real(names[i]);
    const double penalties[] = {penalty_in(record, GC_L1_TLB), penalty_in(record, GC_L2_TLB)};
    struct gc_parameters parameters = parameters_of(record);
    const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &nothing, 0);
    const struct gc_tlb_level *first = &gpu.tlb[0], *second = &gpu.tlb[1];
    unsigned sizes[24] = {0};

    assert_int_equal(first->entries, 16);
    assert_int_equal(first->entry_bytes, 16 << 20);
    assert_true(first->miss_cycles == penalties[0] && penalties[0] > 5 && penalties[0] < 20);
    assert_int_equal(first->instances, 0);
    assert_int_equal(second->entries, 2048);
    assert_int_equal(second->entry_bytes, 32 << 20);
    assert_true(second->miss_cycles == penalties[1] && penalties[1] > 100 && penalties[1] < 140);
    assert_int_equal(second->instances, 24);
    for (unsigned sm = 0; sm < 132; sm++) {
      assert_int_equal(second->of_sm[sm], second->of_sm[sm ^ 1]);
      sizes[second->of_sm[sm]]++;
    }
    for (unsigned k = 0; k < 24; k++)
      assert_true(sizes[k] == 4 || sizes[k] == 6);
    if (i == 0) /* "0,1,48,49 2,3,50,51,92,93 ..." */
      assert_true(second->of_sm[0] == second->of_sm[48] && second->of_sm[2] == second->of_sm[92] &&
                  second->of_sm[0] != second->of_sm[2]);
    assert_true(assumes(&parameters, "L1TLB SMGroups"));
    for (size_t k = 0; k < parameters.assumptions.count; k++)
      assert_null(strstr(parameters.assumptions.array[k].what, "L2TLB"));
  }
}

/* Eight SMs, and a second TLB as a measurement describes it. */
static struct gc_record *eight_sms(const char *groups)
{
  struct gc_record *record = h200();

  assert_int_equal(gc_infos_set(&record->infos, "SMs", "8"), 0);
  assert_non_null(gc_record_add(record, GC_L2_TLB));
  set(record, GC_L2_TLB, "Entries", "64");
  set(record, GC_L2_TLB, "EntryBytes", "2097152");
  set(record, GC_L2_TLB, "MissPenaltyCycles", "100.5");
  if (groups)
    set(record, GC_L2_TLB, "SMGroups", groups);
  return record;
}

static const char *assumed(const struct gc_parameters *parameters, const char *what)
{
  for (size_t i = 0; i < parameters->assumptions.count; i++)
    if (!strcmp(parameters->assumptions.array[i].what, what))
      return parameters->assumptions.array[i].assumed;
  return "";
}

static void records_without_tlbs(void **state)
{
  struct gc_parameters parameters = parameters_of(h200());

  (void)state;
  assert_int_equal(parameters.gpu.tlb[0].entries, 0);
  assert_int_equal(parameters.gpu.tlb[1].entries, 0);
  assert_non_null(strstr(assumed(&parameters, "L1TLB Entries"), "takes no time"));
  assert_non_null(strstr(assumed(&parameters, "L2TLB Entries"), "takes no time"));
}

/* Hardware ids can have gaps: the lowest one is SM 0. */
static void sms_that_share_a_tlb(void **state)
{
  static const struct {
    const char *groups, *per_sm, *instances;
    const char *sentence; /* a part of it; "": nothing is assumed */
    unsigned expected;
    uint16_t of_sm[8];
  } cases[] = {
      {"0,1,4,5 2,3,6,7", NULL, "2", "", 2, {0, 0, 1, 1, 0, 0, 1, 1}},
      {"0,1,40,50 20,30,60,70", NULL, NULL, "", 2, {0, 0, 1, 1, 0, 0, 1, 1}},
      {"7 6 5 4 3 2 1 0", NULL, NULL, "", 8, {7, 6, 5, 4, 3, 2, 1, 0}},
      {"0,1,2,3,4,5,6,7", NULL, NULL, "", 1, {0}},
      {NULL, "1", NULL, "", 0, {0}},
      {NULL, NULL, "8", "", 0, {0}},
      {NULL, NULL, "1", "", 1, {0}},
      {NULL, NULL, "2", "adjacent", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
      {NULL, NULL, NULL, "all SMs share one", 1, {0}},
      {NULL, NULL, "9", "all SMs share one", 1, {0}},
      {"0,1,2,3 4,5,6",
       NULL,
       "2",
       "does not have all SMs of the GPU; SMs with adj",
       2,
       {0, 0, 0, 0, 1, 1, 1, 1}},
      {"0,1,2,3 4,5,6,7,8", NULL, NULL, "more SMs than the GPU; all", 1, {0}},
      {"0,1,2,3 3,4,5,6", NULL, NULL, "an SM twice; all", 1, {0}},
      {"0,1,2,3 4,5,6,7", "1", NULL, "", 2, {0, 0, 0, 0, 1, 1, 1, 1}},
      {"0,1,2,3  4,5,6,7", "1", NULL, "not a list of groups of SM numbers; each SM", 0, {0}},
      {"0,1,2,3 4,5,6,7,", NULL, NULL, "not a list", 1, {0}},
      {"0-3 4-7", NULL, NULL, "not a list", 1, {0}},
      {"-1,1,2,3 4,5,6,7", NULL, NULL, "not a list", 1, {0}},
      {"0,1,2,3 4,5,6,99999999999999999999", NULL, NULL, "not a list", 1, {0}},
      {"", NULL, NULL, "not a list", 1, {0}},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gc_record *record = eight_sms(cases[i].groups);
    struct gc_parameters parameters;
    const struct gc_tlb_level *tlb = &parameters.gpu.tlb[1];

    if (cases[i].per_sm)
      set(record, GC_L2_TLB, "PerSM", cases[i].per_sm);
    if (cases[i].instances)
      set(record, GC_L2_TLB, "Instances", cases[i].instances);
    parameters = parameters_of(record);
    if (!cases[i].sentence[0] != !assumes(&parameters, "L2TLB SMGroups") ||
        !strstr(assumed(&parameters, "L2TLB SMGroups"), cases[i].sentence))
      fail_msg("case %zu: %s", i, assumed(&parameters, "L2TLB SMGroups"));
    assert_int_equal(tlb->entries, 64);
    if (tlb->instances != cases[i].expected || memcmp(tlb->of_sm, cases[i].of_sm, 16))
      fail_msg("case %zu: %u TLBs, or other SMs", i, tlb->instances);
  }
}

/* A bad value is named and not used. */
static void bad_values_of_tlbs(void **state)
{
  static const struct {
    const char *key, *value, *what; /* value NULL: the key is absent */
    bool modelled, impossible;
  } cases[] = {
      {"Entries", "0", "L2TLB Entries", false, true},
      {"Entries", "-64", "L2TLB Entries", false, true},
      {"Entries", "many", "L2TLB Entries", false, true},
      {"Entries", "600000", "L2TLB Entries", false, true}, /* two of them: 1.2 million */
      {"Entries", "18446744073709551615", "L2TLB Entries", false, true},
      {"EntryBytes", "0", "L2TLB EntryBytes", false, true},
      {"EntryBytes", "2048", "L2TLB EntryBytes", false, true}, /* no page is so small */
      {"EntryBytes", "3000000", "L2TLB EntryBytes", false, true},
      {"EntryBytes", "9223372036854775808", "L2TLB EntryBytes", false, true},
      {"EntryBytes", NULL, "L2TLB EntryBytes", false, false},
      {"Entries", NULL, "L2TLB Entries", false, false},
      {"MissPenaltyCycles", NULL, "L2TLB MissPenaltyCycles", true, false},
      {"MissPenaltyCycles", "-3", "L2TLB MissPenaltyCycles", true, true},
      {"MissPenaltyCycles", "1000001", "L2TLB MissPenaltyCycles", true, true},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const char *const keys[][2] = {
        {"Entries", "64"}, {"EntryBytes", "2097152"}, {"MissPenaltyCycles", "100"}};
    struct gc_record *record = h200();
    struct gc_parameters parameters;
    struct gc_gpu_model gpu;
    bool impossible;

    assert_int_equal(gc_infos_set(&record->infos, "SMs", "8"), 0);
    assert_non_null(gc_record_add(record, GC_L2_TLB));
    set(record, GC_L2_TLB, "SMGroups", "0,1,2,3 4,5,6,7");
    for (size_t k = 0; k < 3; k++)
      if (strcmp(keys[k][0], cases[i].key))
        set(record, GC_L2_TLB, keys[k][0], keys[k][1]);
    if (cases[i].value)
      set(record, GC_L2_TLB, cases[i].key, cases[i].value);
    parameters = parameters_of(record);
    gpu = gpu_of(&parameters, &plain, &nothing, 3);
    impossible = strstr(assumed(&parameters, cases[i].what), "impossible");
    if (!assumes(&parameters, cases[i].what) || impossible != cases[i].impossible)
      fail_msg("case %zu: %s", i, assumed(&parameters, cases[i].what));
    assert_int_equal(gpu.tlb[1].entries, cases[i].modelled ? 64 : 0);
    assert_true(gpu.tlb[1].miss_cycles == 0);
  }
}

/* A measurement may be sure of the reach, but not of the number of entries. */
static void entries_follow_from_the_reach(void **state)
{
  struct gc_record *record = h200();
  struct gc_parameters parameters;
  double least = INFINITY, most = 0;

  (void)state;
  assert_non_null(gc_record_add(record, GC_L1_TLB));
  set(record, GC_L1_TLB, "EntryBytes", "2097152");
  set(record, GC_L1_TLB, "ReachBytes", "33554432");
  set(record, GC_L1_TLB, "MissPenaltyCycles", "50");
  parameters = parameters_of(record);
  assert_int_equal(parameters.gpu.tlb[0].entries, 16);
  assert_string_equal(assumed(&parameters, "L1TLB Entries"), "ReachBytes / EntryBytes");
  for (uint64_t seed = 1; seed <= 200; seed++) {
    const struct gc_gpu_model gpu = gpu_of(&parameters, &plain, &nothing, seed);

    least = fmin(least, gpu.tlb[0].miss_cycles);
    most = fmax(most, gpu.tlb[0].miss_cycles);
  }
  assert_true(least >= 49 && least < 49.1 && most <= 51 && most > 50.9);
  record = h200();
  assert_non_null(gc_record_add(record, GC_L1_TLB));
  set(record, GC_L1_TLB, "EntryBytes", "4096");
  set(record, GC_L1_TLB, "ReachBytes", "1099511627776"); /* 2^28 entries */
  parameters = parameters_of(record);
  assert_int_equal(parameters.gpu.tlb[0].entries, 0);
  assert_non_null(strstr(assumed(&parameters, "L1TLB ReachBytes"), "impossible"));
  assert_false(assumes(&parameters, "L1TLB Entries"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_all_of_an_h200),
      cmocka_unit_test(shared_memory_decides_the_carveout),
      cmocka_unit_test(shared_memory_without_l1),
      cmocka_unit_test(a_preferred_carveout_is_looked_up),
      cmocka_unit_test(l1_of_old_gpus_keeps_no_stores),
      cmocka_unit_test(seeds_draw_from_what_the_record_leaves_open),
      cmocka_unit_test(structure_is_used_if_the_record_has_it),
      cmocka_unit_test(address_bits_above_the_masks),
      cmocka_unit_test(sets_that_hold_more_than_the_capacity),
      cmocka_unit_test(sets_of_the_measured_ways),
      cmocka_unit_test(segmented_lru_needs_sets),
      cmocka_unit_test(a_survival_curve_shows_sets),
      cmocka_unit_test(broken_structure_is_assumed_away),
      cmocka_unit_test(what_nothing_can_replace_is_named),
      cmocka_unit_test(half_of_the_blocks_that_an_sm_has),
      cmocka_unit_test(changes_make_another_gpu),
      cmocka_unit_test(changed_sets_keep_their_hash),
      cmocka_unit_test(changed_sets_without_a_hash),
      cmocka_unit_test(tlbs_of_real_gpus),
      cmocka_unit_test(records_without_tlbs),
      cmocka_unit_test(sms_that_share_a_tlb),
      cmocka_unit_test(bad_values_of_tlbs),
      cmocka_unit_test(entries_follow_from_the_reach),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
