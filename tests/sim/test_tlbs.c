/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * TLBs of simulated GPUs: what the profile states is found, with aliases of memory and without.
 */
#include "measure/structure/structure.h"
#include "open.h"

struct tlb {
  uint64_t entries, entry_bytes, instances;
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
}

static void find(struct opened *gpu)
{
  open_warm_bench(gpu);
  run_step(gpu, gc_step_tlb, GC_L1_TLB);
  run_step(gpu, gc_step_tlb, GC_L2_TLB);
}

/* instances 0: not judged */
static void profiles(void **state)
{
  static const struct {
    const char *name;
    struct tlb first, second;
  } rows[] = {
      {"h200", {16, 16 << 20, 0}, {2048, 32 << 20, 22}},
      {"gtx560ti", {16, 2 << 20, 0}, {65, 2 << 20, 0}},
      {"gtx780", {16, 2 << 20, 0}, {65, 2 << 20, 0}},
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
  assert_non_null(strstr(first->found[GC_ENTRIES].why, "do not wait for translations"));
  close_gpu(&gpu);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles),
      cmocka_unit_test(nothing_is_absent),
      cmocka_unit_test(aliases),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
