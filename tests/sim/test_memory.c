/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated GPU with little free memory. What can be measured with it is right; for everything
 * else the record says how much is needed. An L2 of 32 MiB needs 256 MiB for the bandwidth of device
 * memory, 72 MiB to be measured as usual, and 51 MiB at least.
 */
#include "open.h"

#include "measure/core/footprint.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define L2 32
#define TOTAL 16384 /* MiB */

/* Measures with so many MiB free. */
static void measure(struct opened *o, unsigned mib)
{
  const struct gc_measure_options options = {.only = "L2Cache,DeviceMemory"};

  open_profile(o,
               "model = Little\ncompute = 7.0\nclock_khz = 1000000\nthreads_per_block = 1024\n"
               "threads_per_sm = 2048\nblocks_per_sm = 16\nmemory = %u MiB\nmemory_used = %u MiB\n"
               "shared_per_sm = 32 KiB\nshared_per_block = 32 KiB\nclock_overhead = 4\nsms = 16\n"
               "memory_clock_khz = 4000000\nmemory_bus_bits = 256\n"
               "[cache L2]\nscope = chip\nsize = %u MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\npartitions = 2\nreplicate = yes\nhash = xor\nfar_cycles = 120\nread_gbps = 1000\n"
               "[space ca]\npath = L2 200 2, memory 500 5\n[space cg]\npath = L2 200 2, memory 500 5\n"
               "[space shared]\npath = memory 20\n",
               TOTAL, TOTAL - mib, L2);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

static const struct expected {
  enum gc_kind kind;
  const char *property, *key;
} expected[] = {
    {GC_L2, "Capacity", "CapacityBytes"},       {GC_L2, "Latency", "LatencyCycles"},
    {GC_L2, "Partitions", "Partitions"},        {GC_L2, "Line", "LineBytes"},
    {GC_L2, "Fetch", "FetchBytes"},             {GC_L2, "MissPenalty", "MissPenaltyCycles"},
    {GC_L2, "Read", "ReadGBps"},                {GC_DEVICE_MEMORY, "Latency", "LatencyCycles"},
    {GC_DEVICE_MEMORY, "Read", "ReadGBps"},     {GC_DEVICE_MEMORY, "Write", "WriteGBps"},
};
#define EXPECTED (sizeof(expected) / sizeof(*expected))

/* Compares with the values of a free GPU. Returns how many are absent. */
static unsigned compare(const struct opened *free, const struct opened *little)
{
  unsigned absent = 0;

  for (size_t i = 0; i < EXPECTED; i++) {
    const struct expected *e = &expected[i];
    const struct gc_element *before = gc_record_find(free->record, e->kind);
    const struct gc_element *now = gc_record_find(little->record, e->kind);
    const double x = number(before, e->key), y = number(now, e->key);
    char source[48];

    if (!(x > 0))
      fail_msg("%s of %s is absent on a free GPU", e->key, gc_kinds[e->kind].subtype);
    if (fabs(x - y) <= 0.02 * x)
      continue;
    snprintf(source, sizeof(source), "%sSource", e->property);
    if (!isnan(y) || !(strstr(text(now, source), " MiB of free GPU memory, ") ||
                       strstr(text(now, source), "this needs the capacity")))
      fail_msg("%s of %s: %g instead of %g: %s", e->key, gc_kinds[e->kind].subtype, y, x,
               text(now, source));
    absent++;
  }
  return absent;
}

static void only_what_needs_more_is_absent(void **state)
{
  static const struct {
    unsigned mib, absent;
  } amounts[] = {{1600, 0}, {600, 2}, {420, 2}, {300, 3}, {100, 8}};
  struct opened free, little;

  (void)state;
  measure(&free, TOTAL);
  assert_null(gc_infos_get(&free.record->infos, GC_PROVISIONAL));
  for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++) {
    unsigned absent;
    uint64_t peak;

    measure(&little, amounts[i].mib);
    absent = compare(&free, &little);
    if (absent != amounts[i].absent)
      fail_msg("%u MiB free: %u of %zu are absent, not %u", amounts[i].mib, absent, EXPECTED,
               amounts[i].absent);
    assert_int_equal(!gc_infos_get(&little.record->infos, GC_PROVISIONAL), !absent);
    assert_int_equal(gc_infos_get_u64(&little.record->infos, "MeasuringDeviceBytes", &peak), 0);
    assert_true(peak <= MIB(amounts[i].mib) / GC_FREE_SHARE);
    close_gpu(&little);
  }
  close_gpu(&free);
}

/* A GPU whose whole memory is small: no later measurement will find more. */
static void a_small_memory_is_no_passing_reason(void **state)
{
  struct gc_measurement m = {.bench.most_bytes = MIB(100), .bench.memory_bytes = MIB(500)};
  struct gc_measured element = {.kind = GC_L2};

  (void)state;
  gc_set_lacks_memory(&m, &element, GC_CAPACITY, MIB(200));
  assert_int_equal(element.found[GC_CAPACITY].passing, GC_LASTING);
  m.bench.memory_bytes = MIB(5000);
  gc_set_lacks_memory(&m, &element, GC_CAPACITY, MIB(200));
  assert_int_equal(element.found[GC_CAPACITY].passing, GC_LITTLE_MEMORY);
  assert_string_equal(element.found[GC_CAPACITY].why,
                      "needs 232 MiB of free GPU memory, 100 MiB may be used");
}

/* As long as a 20th is enough, the buffers have the sizes that they always had. */
static void a_20th_is_used_if_that_is_enough(void **state)
{
  const struct gc_properties p = {.l2_bytes = MIB(L2), .l2_count = 1};
  struct gc_footprint plan;

  (void)state;
  for (uint64_t free_bytes = MIB(20); free_bytes < MIB(100000); free_bytes += free_bytes / 7) {
    gc_footprint_plan(&p, free_bytes, &plan);
    assert_true(gc_footprint_total(plan.walk) <= gc_footprint_most(&p, free_bytes) + MIB(2));
    assert_true(gc_footprint_most(&p, free_bytes) <= free_bytes / GC_FREE_SHARE);
    assert_true(plan.arena <= plan.walk);
    if (free_bytes / GC_USUAL_SHARE >= gc_footprint_total(MIB(8 * L2)))
      assert_int_equal(plan.walk, MIB(8 * L2));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_needs_more_is_absent),
      cmocka_unit_test(a_small_memory_is_no_passing_reason),
      cmocka_unit_test(a_20th_is_used_if_that_is_enough),
  };

  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
