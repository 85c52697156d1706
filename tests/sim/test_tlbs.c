/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * TLBs of simulated GPUs: what the profile states is found, with aliases of memory and without; and
 * the groups of SMs that share one.
 */
#include "measure/capacity/capacity.h"
#include "measure/structure/structure.h"
#include "variant.h"

#include <limits.h>

struct tlb {
  uint64_t entries, entry_bytes, instances;
  double penalty;
};

static void must_be(const struct opened *gpu, enum gc_kind kind, const struct tlb *right)
{
  const struct gc_measured *found = &gpu->results->element[kind];

  if (found->entries != right->entries || found->entry_bytes != right->entry_bytes ||
      found->reach_bytes != right->entries * right->entry_bytes ||
      (right->instances && found->instances != right->instances))
    fail_msg("%s: %llu entries of %llu bytes, %llu instances: %s", gpu->name,
             (unsigned long long)found->entries, (unsigned long long)found->entry_bytes,
             (unsigned long long)found->instances, found->found[GC_ENTRIES].why);
  if (right->penalty > 0 &&
      (!gc_found(found, GC_MISS_PENALTY) || fabs(found->miss_penalty_cycles - right->penalty) > 1))
    fail_msg("%s: a miss adds %.1f cycles, not %.1f: %s", gpu->name, found->miss_penalty_cycles,
             right->penalty, found->found[GC_MISS_PENALTY].why);
}

static void find(struct opened *gpu)
{
  open_warm_bench(gpu);
  run_step(gpu, gc_step_tlb, GC_L1_TLB);
  run_step(gpu, gc_step_tlb, GC_L2_TLB);
}

/* instances and penalty 0: not judged */
static void profiles(void **state)
{
  static const struct {
    const char *name;
    struct tlb first, second;
  } rows[] = {
      {"h200", {16, 16 << 20, 0, 10}, {2048, 32 << 20, 24, 118}},
      {"gtx560ti", {16, 2 << 20, 0, 27}, {65, 2 << 20, 0, 84}},
      {"gtx780", {16, 2 << 20, 0, 6}, {65, 2 << 20, 1, 53}},
      {"k20c", {16, 2 << 20, 0, 6}, {65, 2 << 20, 1, 53}},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    struct opened gpu;

    open_gpu(&gpu, rows[i].name);
    find(&gpu);
    must_be(&gpu, GC_L1_TLB, &rows[i].first);
    must_be(&gpu, GC_L2_TLB, &rows[i].second);
    close_gpu(&gpu);
  }
}

/* Memory that cannot be mapped twice. Much of it is free, so a reach of 384 MiB is found. */
static void a_far_reach_without_aliases(void **state)
{
  struct opened gpu;

  (void)state;
  open_edited(&gpu, &(struct edited){"mi300a",
                                     {{"seed = 301", "seed = 301\naliases = no"},
                                      {"entries = 32", "entries = 192"}}});
  open_warm_bench(&gpu);
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  must_be(&gpu, GC_L1_TLB, &(struct tlb){192, 2 << 20, 0, 105});
  close_gpu(&gpu);
}

/* Sets of different sizes: a walk of one page too many misses in one set only. So the entries are
 * found, or absent; what an entry covers, and how far all reach, is never wrong. */
static void sets_of_different_sizes(void **state)
{
  static const struct {
    unsigned entries;
    const char *sets;
  } rows[] = {{65, "17 8 8 8 8 8 8"}, /* Mei et al. 2016 */
              {65, "8 8 8 17 8 8 8"},        {124, "32 8 8 8 8 8 8 8 8 8 8 8 4"},
              {96, "1 2 3 4 5 6 7 8 60"},    {240, "120 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8"},
              {112, "16 16 16 16 16 16 8 8"}};

  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const struct gc_measured *found;
    struct opened gpu;
    char lines[400];

    snprintf(lines, sizeof(lines),
             "sms = 8\n[tlb L1TLB]\nentries = 16\ncovers = 64 KiB\npenalty = 40\nscope = chip\n"
             "[tlb L2TLB]\nentries = %u\nsets = %s\ncovers = 64 KiB\npenalty = 200\n",
             rows[i].entries, rows[i].sets);
    open_variant(&gpu, &(struct variant){lines, "", "200 4"});
    find(&gpu);
    found = measured(&gpu, GC_L2_TLB);
    if (gc_found(found, GC_ENTRIES) || !i)
      must_be(&gpu, GC_L2_TLB, &(struct tlb){rows[i].entries, 64 << 10, 0, 200});
    if (gc_found(found, GC_REACH))
      assert_true(fabs((double)found->reach_bytes / (rows[i].entries << 16) - 1) <= 0.01);
    close_gpu(&gpu);
  }
}

/* A miss that costs little, on few SMs: the SMs that share a TLB, and so the mean of all, are known
 * for some seeds only. The search has seen the penalty for all. */
static void a_penalty_without_groups(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 8; seed++) {
    const struct gc_measured *found;
    struct opened gpu;
    char lines[400];

    snprintf(lines, sizeof(lines),
             "sms = 13\nseed = %u\n[tlb L1TLB]\nentries = 16\ncovers = 64 KiB\npenalty = 6\n"
             "scope = chip\n[tlb L2TLB]\nentries = 65\ncovers = 64 KiB\npenalty = 53\n"
             "scope = chip\n",
             seed);
    open_variant(&gpu, &(struct variant){lines, "", "200 3"});
    find(&gpu);
    found = measured(&gpu, GC_L2_TLB);
    if (!gc_found(found, GC_MISS_PENALTY) || fabs(found->miss_penalty_cycles - 53) > 0.05 * 53)
      fail_msg("seed %u: a miss adds %.1f cycles: %s", seed, found->miss_penalty_cycles,
               found->found[GC_MISS_PENALTY].why);
    close_gpu(&gpu);
  }
}

/* A second TLB of few entries: pages that are as far apart as it covers, and too many for it, are
 * hardly more than the first one holds. So what an entry covers is not found: without this, half of
 * it. */
static void few_entries_more(void **state)
{
  static const struct {
    unsigned first;
    struct tlb second;
  } rows[] = {{32, {0, 0, 0, 0}}, {16, {64, 512 << 10, 0, 0}}};

  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    struct opened gpu;
    char lines[400];

    snprintf(lines, sizeof(lines),
             "sms = 8\n[tlb L1TLB]\nentries = %u\ncovers = 64 KiB\npenalty = 40\n"
             "[tlb L2TLB]\nentries = 64\nways = 8\ncovers = 512 KiB\npenalty = 200\n",
             rows[i].first);
    open_variant(&gpu, &(struct variant){lines, "", "200 4"});
    find(&gpu);
    must_be(&gpu, GC_L1_TLB, &(struct tlb){rows[i].first, 64 << 10, 0, 40});
    must_be(&gpu, GC_L2_TLB, &rows[i].second);
    if (!rows[i].second.entries)
      assert_non_null(strstr(measured(&gpu, GC_L2_TLB)->found[GC_ENTRY].why, "too many entries"));
    close_gpu(&gpu);
  }
}

/* Without a TLB there is nothing to find, and the reason says how far the search went. */
static void nothing_is_absent(void **state)
{
  struct opened gpu;
  const struct gc_measured *first;

  (void)state;
  open_gpu(&gpu, "t1000");
  find(&gpu);
  first = &gpu.results->element[GC_L1_TLB];
  assert_int_equal(first->found[GC_ENTRIES].origin, GC_ABSENT);
  assert_non_null(strstr(first->found[GC_ENTRIES].why, "no load waited for a translation"));
  close_gpu(&gpu);
}

/* Drift makes loads slow, whatever they read. The reason must not be that none is slow. */
static void noise_is_absent(void **state)
{
  const struct gc_measured *first;
  struct opened gpu;

  (void)state;
  open_variant(&gpu, &(struct variant){"sms = 4\ndrift = 7 360922\n", "", "200 40"});
  find(&gpu);
  first = &gpu.results->element[GC_L1_TLB];
  assert_int_equal(first->found[GC_ENTRIES].origin, GC_ABSENT);
  assert_non_null(strstr(first->found[GC_ENTRIES].why, "whatever the distance"));
  close_gpu(&gpu);
}

/* --- groups of SMs --- */

/* Two GPCs, and two TLBs. */
#define GROUPS                                                                                     \
  "sms = 24\ngpcs = 0-11, 12-23\ncluster_blocks = 4\ncluster_remote = 100 0\n"                     \
  "[tlb L1TLB]\nentries = 16\ncovers = 64 KiB\npenalty = 40\n"                                     \
  "[tlb L2TLB]\nentries = 256\nways = 8\ncovers = 64 KiB\npenalty = 200\nscope = %s\n"

static void find_groups(const char *scope, uint32_t count, const uint16_t *right, bool are_cpcs)
{
  struct opened gpu;
  const struct gc_measured *tlb;
  char lines[400];

  snprintf(lines, sizeof(lines), GROUPS, scope);
  open_variant(&gpu, &(struct variant){lines, "", "200 4"});
  open_warm_bench(&gpu);
  run_step(&gpu, gc_step_sm_groups, GC_WHOLE_GPU);
  assert_true(gc_found(measured(&gpu, GC_WHOLE_GPU), GC_GPC_SMS));
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  run_step(&gpu, gc_step_tlb, GC_L2_TLB);
  run_step(&gpu, gc_step_cpcs, GC_WHOLE_GPU);
  tlb = measured(&gpu, GC_L2_TLB);
  if (!gc_found(tlb, GC_SM_GROUPS) || tlb->cu_groups.count != count)
    fail_msg("scope %s: %u groups: %s", scope, tlb->cu_groups.count, tlb->found[GC_SM_GROUPS].why);
  for (uint32_t sm = 0; sm < 24; sm++)
    assert_int_equal(tlb->cu_groups.of[sm], right[sm]);
  assert_int_equal(tlb->instances, count);
  assert_true(fabs(tlb->miss_penalty_cycles - 200) <= 2);
  assert_int_equal(gc_found(measured(&gpu, GC_WHOLE_GPU), GC_CPC_SMS), are_cpcs);
  close_gpu(&gpu);
}

/* SMs of one GPC share a TLB; so they are CPCs. The last group of a GPC is smaller. */
static void groups_within_gpcs(void **state)
{
  static const uint16_t right[24] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
                                     2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3};

  (void)state;
  find_groups("gpc 8", 4, right, true);
}

/* SMs of different GPCs share one: reading by one SM of each GPC at a time would not show who
 * evicts whom. */
static void groups_across_gpcs(void **state)
{
  static const uint16_t right[24] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
                                     1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2};
  static const uint16_t all[24] = {0};

  (void)state;
  find_groups("group 8", 3, right, false);
  find_groups("chip", 1, all, false);
}

/* A TLB shows groups of six SMs between TPC and GPC. `constants` are in groups of this size. Returns
 * the confidence in CPCs; 0: absent. */
static double find_cpcs(uint32_t constants)
{
  struct gc_groups groups = {.count = 24 / constants};
  struct gc_measured *chip;
  struct opened gpu;
  double confidence;
  char lines[400];

  snprintf(lines, sizeof(lines), GROUPS, "gpc 6");
  open_variant(&gpu, &(struct variant){lines, "", "200 4"});
  open_warm_bench(&gpu);
  run_step(&gpu, gc_step_sm_groups, GC_WHOLE_GPU);
  chip = &gpu.results->element[GC_WHOLE_GPU];
  for (uint16_t sm = 0; sm < 24; sm++)
    groups.of[sm] = (uint16_t)(sm / constants);
  gc_cpcs_put(&gpu.m, chip, &groups, 0.999);
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  run_step(&gpu, gc_step_tlb, GC_L2_TLB);
  run_step(&gpu, gc_step_cpcs, GC_WHOLE_GPU);
  confidence = gc_found(chip, GC_CPC_SMS) ? chip->found[GC_CPC_SMS].confidence : 0;
  close_gpu(&gpu);
  return confidence;
}

/* What constants show is not enough if a TLB shows other groups. GPCs and TPCs say nothing about
 * CPCs. */
static void constants_and_tlbs_must_agree(void **state)
{
  (void)state;
  assert_true(find_cpcs(6) > GC_ONE_WITNESS);
  assert_true(find_cpcs(4) == 0);
  for (uint32_t size = 2; size <= 12; size += 10) {
    const double one = find_cpcs(size);

    assert_true(one > 0.9 && one <= GC_ONE_WITNESS);
  }
}

/* Aliases repeat the same memory; it is released again. */
static void aliases(void **state)
{
  const uint64_t piece = 2 << 20;
  uint64_t address, value = 42, seen = 0, before;
  struct opened gpu;

  (void)state;
  open_gpu(&gpu, "h200");
  before = gc_ops(gpu.device)->counts(gpu.device)->device_bytes;
  must(&gpu, gc_ops(gpu.device)->alias(gpu.device, piece, 8 * piece, &address, &gpu.err), "alias");
  must(&gpu, gc_ops(gpu.device)->alias_until(gpu.device, 4 * piece, &gpu.err), "map");
  must(&gpu, gc_ops(gpu.device)->upload(gpu.device, address + 64, &value, 8, &gpu.err), "upload");
  must(&gpu, gc_ops(gpu.device)->download(gpu.device, &seen, address + 3 * piece + 64, 8, &gpu.err),
       "download");
  assert_int_equal(seen, 42);
  assert_int_equal(gc_ops(gpu.device)->counts(gpu.device)->device_bytes, before + piece);
  assert_int_not_equal(
      gc_ops(gpu.device)->download(gpu.device, &seen, address + 4 * piece, 8, &gpu.err), 0);
  gc_ops(gpu.device)->release_alias(gpu.device);
  assert_int_equal(gc_ops(gpu.device)->counts(gpu.device)->device_bytes, before);
  close_gpu(&gpu);
}

static uint64_t mapped_max; /* bytes that the driver has memory to map */

static int map_less(struct gc_device *device, uint64_t end, struct gc_error *err)
{
  return end > mapped_max ? gc_fail(err, -ENOMEM, "no page tables")
                          : gc_ops(device)->alias_until(device, end, err);
}

static int alias_never(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                       struct gc_error *err)
{
  (void)device, (void)bytes, (void)span, (void)address;
  return gc_fail(err, -ENOMEM, "no memory");
}

static void must_lack(const struct gc_measured *tlb, const char *why)
{
  assert_int_equal(tlb->found[GC_ENTRIES].origin, GC_ABSENT);
  assert_int_equal(tlb->found[GC_ENTRIES].passing, GC_LITTLE_MEMORY);
  assert_non_null(strstr(tlb->found[GC_ENTRIES].why, why));
}

/* A driver without memory for a mapping: the step succeeds, and says so. What needs fewer addresses
 * is found. */
static void without_memory_for_a_mapping(void **state)
{
  struct gc_device_ops ops;
  struct opened gpu;
  uint64_t before;

  (void)state;
  open_gpu(&gpu, "h200");
  open_warm_bench(&gpu);
  before = gc_ops(gpu.device)->counts(gpu.device)->device_bytes;
  ops = *gc_ops(gpu.device);
  gpu.m.bench.ops = &ops;
  ops.alias_until = map_less;
  mapped_max = (uint64_t)8 << 30;
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  assert_int_equal(measured(&gpu, GC_L1_TLB)->entries, 16);
  run_step(&gpu, gc_step_tlb, GC_L2_TLB);
  must_lack(measured(&gpu, GC_L2_TLB), "no memory to map");
  ops.alias_until = gc_ops(gpu.device)->alias_until;
  ops.alias = alias_never;
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  must_lack(measured(&gpu, GC_L1_TLB), "another program has taken the memory");
  assert_int_equal(gc_ops(gpu.device)->counts(gpu.device)->device_bytes, before);
  close_gpu(&gpu);
}

static unsigned alias_calls;

static int count_alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                       struct gc_error *err)
{
  alias_calls++;
  return gc_ops(device)->alias(device, bytes, span, address, err);
}

/* Mapping takes long, so the steps for both levels use the same range. The next step that needs an
 * arena has one. */
static void range_is_kept(void **state)
{
  struct gc_device_ops ops;
  struct opened gpu;

  (void)state;
  open_gpu(&gpu, "h200");
  open_warm_bench(&gpu);
  ops = *gc_ops(gpu.device);
  ops.alias = count_alias;
  gpu.m.bench.ops = &ops;
  run_step(&gpu, gc_step_tlb, GC_L1_TLB);
  run_step(&gpu, gc_step_tlb, GC_L2_TLB);
  assert_int_equal(measured(&gpu, GC_L2_TLB)->entries, 2048);
  assert_int_equal(alias_calls, 1);
  assert_int_equal(gpu.m.bench.arena, 0);
  assert_false(lacks_memory(&gpu, gc_step_capacity, GC_L1));
  assert_int_not_equal(gpu.m.bench.arena, 0);
  close_gpu(&gpu);
}

static unsigned crowded; /* so many of the next launches have two blocks on one SM */

/* What launches with jobs for each SM return: a word, how many rounds each SM ran, and the times of four
 * pages of each, once or eight times. */
static int download_crowded(struct gc_device *device, void *to, uint64_t from, size_t bytes,
                            struct gc_error *err)
{
  const int status = gc_ops(device)->download(device, to, from, bytes, err);
  const uint32_t two = 2;
  const size_t times = bytes / sizeof(two) - 1 - 24;

  if (!status && crowded && bytes % sizeof(two) == 0 && (times == 24 * 4 || times == 8 * 24 * 4)) {
    memcpy((char *)to + sizeof(two), &two, sizeof(two));
    crowded--;
  }
  return status;
}

/* Some launches whose blocks meet are repeated; if all do, that is the reason. */
static void blocks_meet(void **state)
{
  static const unsigned launches[] = {1, 5, UINT_MAX};

  (void)state;
  for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++) {
    const struct gc_finding *groups;
    struct gc_device_ops ops;
    struct opened gpu;
    char lines[400];

    snprintf(lines, sizeof(lines), GROUPS, "gpc 8");
    open_variant(&gpu, &(struct variant){lines, "", "200 4"});
    open_warm_bench(&gpu);
    ops = *gc_ops(gpu.device);
    ops.download = download_crowded;
    gpu.m.bench.ops = &ops;
    run_step(&gpu, gc_step_tlb, GC_L1_TLB);
    gpu.m.bench.signs = 0;
    crowded = launches[i];
    run_step(&gpu, gc_step_tlb, GC_L2_TLB);
    groups = &measured(&gpu, GC_L2_TLB)->found[GC_SM_GROUPS];
    if (crowded) {
      assert_string_equal(groups->why, "the blocks of a launch did not spread over all SMs");
      assert_int_not_equal(gpu.m.bench.signs & GC_SIGN_BLOCKS_MET, 0);
    } else {
      assert_int_equal(groups->origin, GC_MEASURED);
      assert_int_equal(gpu.m.bench.signs & GC_SIGN_BLOCKS_MET, 0);
    }
    assert_int_equal(measured(&gpu, GC_L2_TLB)->entries, 256);
    close_gpu(&gpu);
  }
  crowded = 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles),
      cmocka_unit_test(a_far_reach_without_aliases),
      cmocka_unit_test(sets_of_different_sizes),
      cmocka_unit_test(a_penalty_without_groups),
      cmocka_unit_test(few_entries_more),
      cmocka_unit_test(nothing_is_absent),
      cmocka_unit_test(noise_is_absent),
      cmocka_unit_test(groups_within_gpcs),
      cmocka_unit_test(groups_across_gpcs),
      cmocka_unit_test(constants_and_tlbs_must_agree),
      cmocka_unit_test(aliases),
      cmocka_unit_test(without_memory_for_a_mapping),
      cmocka_unit_test(range_is_kept),
      cmocka_unit_test(blocks_meet),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
