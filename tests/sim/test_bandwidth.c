/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidths of simulated GPUs, compared with those of the model, and the reasons of withheld ones.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bandwidth/bandwidth.h"
#include "measure/capacity/capacity.h"
#include "measure/core/footprint.h"
#include "measure/walk/path.h"

#include "open.h"

#define WITHIN 0.03

/* The level of the model that an element is, its step, and the keys of its values. */
static const struct element {
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
  gc_step *step;
  const char *read, *write;
} elements[] = {
  {GC_DEVICE_MEMORY, GC_SPACE_CG, 1, gc_step_memory_bandwidth, HWLOC_GPUCACHE_READ_GBPS,
   HWLOC_GPUCACHE_WRITE_GBPS},
  {GC_L2, GC_SPACE_CG, 0, gc_step_l2_bandwidth, HWLOC_GPUCACHE_READ_GBPS,
   HWLOC_GPUCACHE_WRITE_GBPS},
  {GC_L1, GC_SPACE_CA, 0, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, NULL},
  {GC_TEXTURE, GC_SPACE_TEXTURE, 0, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, NULL},
  {GC_READ_ONLY, GC_SPACE_NC, 0, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, NULL},
  {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE,
   NULL},
  {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE,
   NULL},
  {GC_SHARED_MEMORY, GC_SPACE_SHARED, 0, gc_step_bandwidth, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE,
   HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE},
};
#define ELEMENTS (sizeof(elements) / sizeof(*elements))

static const struct gc_infos *measure(struct opened *run, const struct element *e)
{
  return &run_step(run, e->step, e->kind)->infos;
}

static void check_way(const struct opened *run, const struct element *e, const struct gc_infos *infos,
                      bool write)
{
  const double truth = gc_model_true_bandwidth(run->model, e->space, e->level, write);
  const char *what = gc_kinds[e->kind].subtype, *way = write ? "Write" : "Read";
  const char *value = gc_infos_get(infos, write ? e->write : e->read), *source, *confidence;
  char name[32];

  snprintf(name, sizeof(name), "%sSource", way);
  source = gc_infos_get(infos, name);
  snprintf(name, sizeof(name), "%sConfidence", way);
  confidence = gc_infos_get(infos, name);
  /* The misses that an SM of the GTX 470 can have under way are too few for its L2. */
  if (!strcmp(run->name, "gtx470") && e->kind == GC_L2 && !value && source &&
      strstr(source, "more loads in flight"))
    return;
  if (!value || !source || strcmp(source, "measured") || !confidence)
    fail_msg("%s: %s of %s is absent: %s", run->name, way, what, source ? source : "no source");
  if (!(fabs(strtod(value, NULL) - truth) <= WITHIN * truth))
    fail_msg("%s: %s of %s is %s, in the model %.2f", run->name, way, what, value, truth);
  if (!(strtod(confidence, NULL) >= 0.95))
    fail_msg("%s: %s of %s has a confidence of %s", run->name, way, what, confidence);
}

/* At any time, measuring holds this share of the device memory at most. */
static void check_memory(const struct opened *run, unsigned share)
{
  const uint64_t peak = run->m.bench.ops->counts(run->device)->device_bytes_peak;

  if (peak > gc_footprint_max(&run->m.bench.properties) || peak > run->m.bench.memory_bytes / share)
    fail_msg("%s: %llu bytes of device memory at once", run->name, (unsigned long long)peak);
}

static void profile(void **state)
{
  struct opened run;

  open_gpu(&run, *state);
  open_bench(&run);
  for (size_t i = 0; i < ELEMENTS; i++) {
    const struct element *e = &elements[i];
    const struct gc_infos *infos;

    if (!gc_present(&run.m.bench.properties, e->kind))
      continue;
    if (e->kind == GC_CONSTANT_L1) /* the level behind it is measured only if its capacity is known */
      run_step(&run, gc_step_capacity, e->kind);
    infos = measure(&run, e);
    check_way(&run, e, infos, false);
    if (e->write)
      check_way(&run, e, infos, true);
    else
      assert_null(gc_infos_get(infos, "WriteSource"));
  }
  check_memory(&run, GC_USUAL_SHARE);
  close_gpu(&run);
}

/* A small chip; each test sets its SMs, clocks, memory and L2. */
static void open_chip(struct opened *run, const char *lines, const char *l2)
{
  open_profile(run,
            "model = Test chip\ncompute = 7.5\nclock_khz = 1500000\nmemory_bus_bits = 256\n"
            "threads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 32 KiB\nshared_per_block = 31 KiB\n"
            "clock_overhead = 6\n%s\n"
            "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
            "[cache L2]\nscope = chip\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n%s\n"
            "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"
            "[space shared]\npath = memory 20\nread_bytes_per_cycle = 100\nwrite_bytes_per_cycle = 50\n",
            lines, l2);
  open_bench(run);
}

static void assert_withheld(const struct gc_infos *infos, const char *way, const char *key,
                            const char *why)
{
  const char *source;
  char name[32];

  snprintf(name, sizeof(name), "%sSource", way);
  source = gc_infos_get(infos, name);
  if (!source || strncmp(source, "absent:", 7) || !strstr(source, why))
    fail_msg("%s is '%s', not absent because of '%s'", name, source ? source : "-", why);
  snprintf(name, sizeof(name), "%sConfidence", way);
  assert_null(gc_infos_get(infos, name));
  assert_null(gc_infos_get(infos, key));
}

/* The bandwidths of reads and writes differ, and neither is reported as the other. */
static void writes_are_not_reads(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 200\n"
                   "memory_write_gbps = 111.5",
             "size = 1 MiB\nread_gbps = 700\nwrite_gbps = 300");
  for (size_t i = 0; i < ELEMENTS; i++) {
    const struct element *e = &elements[i];

    if (!e->write)
      continue;
    assert_true(gc_model_true_bandwidth(run.model, e->space, e->level, true) <
                0.9 * gc_model_true_bandwidth(run.model, e->space, e->level, false));
    check_way(&run, e, measure(&run, e), false);
    check_way(&run, e, &gc_record_find(run.record, e->kind)->infos, true);
  }
  close_gpu(&run);
}

/* 2 x 4 GHz x 32 bytes are 256 GB/s: a faster value is withheld, a slower one is reported. */
static void reads_above_the_bus_limit_are_withheld(void **state)
{
  const struct gc_infos *infos;
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 270\n"
                   "memory_write_gbps = 250", "size = 1 MiB\nread_gbps = 700");
  infos = measure(&run, &elements[0]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "the memory bus allows 256 at most");
  check_way(&run, &elements[0], infos, true);
  close_gpu(&run);
}

/* An SM moves 32 lanes x 4 bytes in a cycle, and the chip 4 SMs x 1.5 GHz x that. The plan warns,
 * too. */
static void reads_above_the_sm_limit_are_withheld(void **state)
{
  const struct gc_infos *infos;
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB",
             "size = 1 MiB\nread_gbps = 900\nwrite_gbps = 700\n[space texture]\n"
             "path = L1 30, L2 200, memory 500\nread_bytes_per_cycle = 140");
  run.m.bench.mhz = 1500;
  infos = measure(&run, &elements[1]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "the way to the SMs allows 768 at most");
  check_way(&run, &elements[1], infos, true);
  assert_withheld(measure(&run, &elements[3]), "Read", HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE,
                  "an SM allows 128 at most");
  assert_non_null(strstr(run.results->warnings, "Read of TextureCache is withheld: "));
  close_gpu(&run);
}

/* Bandwidths outside the SM vary by half from launch to launch. Those inside the SM do not vary. */
static void noise_is_withheld(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 40\n"
                   "bandwidth_noise = 0.5", "size = 1 MiB");
  for (size_t i = 0; i < 2; i++) {
    const struct gc_infos *infos = measure(&run, &elements[i]);

    assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "9 repetitions lie between");
    assert_non_null(strstr(gc_infos_get(infos, "ReadSource"), " GB/s, too few of them within 3 % of their median"));
    assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, "9 repetitions lie between");
  }
  check_way(&run, &elements[2], measure(&run, &elements[2]), false);
  close_gpu(&run);
}

/* Reads and writes of this element are withheld for this reason. */
static void check_neither(const char *lines, const char *l2, const struct element *e, const char *why)
{
  const struct gc_infos *infos;
  struct opened run;

  open_chip(&run, lines, l2);
  infos = measure(&run, e);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, why);
  assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, why);
  check_memory(&run, GC_FREE_SHARE);
  close_gpu(&run);
}

#define FOUR_SMS "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 200\n"
#define L2_RATE "size = 1 MiB\nread_gbps = 400\n"

/* A warp waits for two lines at most: with 32 warps, 8 KiB are in flight on each SM. Memory gives
 * them in 500 cycles, so 98 of its 200 GB/s are seen. */
static void too_few_loads_in_flight_are_withheld(void **state)
{
  (void)state;
  check_neither(FOUR_SMS "outstanding_per_warp = 2", L2_RATE, &elements[0],
                "more loads in flight would give more");
  check_neither(FOUR_SMS "outstanding_per_warp = 2", L2_RATE, &elements[1],
                "more loads in flight would give more");
}

/* If an SM waits for so many lines at most, more warps give no more: 100 lines in 500 cycles on
 * each of four SMs. With enough lines in flight, memory is the limit. */
static void limits_of_sms_are_limits_of_the_chip(void **state)
{
  static const struct {
    const char *chip;
    double gbps;
  } cases[] = {{FOUR_SMS "outstanding_per_sm = 100", 100.0 * 128 / 500 * 4 * 1.5},
               {FOUR_SMS "outstanding_per_sm = 200", 200},
               {FOUR_SMS "outstanding_per_warp = 10", 200},
               {FOUR_SMS "outstanding_per_warp = 32\noutstanding_per_sm = 400", 200}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const struct gc_infos *infos;
    struct opened run;
    const char *read;

    open_chip(&run, cases[i].chip, L2_RATE);
    infos = measure(&run, &elements[0]);
    read = gc_infos_get(infos, HWLOC_GPUCACHE_READ_GBPS);
    if (!read || fabs(strtod(read, NULL) - cases[i].gbps) > 0.03 * cases[i].gbps)
      fail_msg("%s: %s instead of %g GB/s", cases[i].chip, read ? read : "nothing", cases[i].gbps);
    close_gpu(&run);
  }
}

static void too_many_sms_for_the_l2_are_withheld(void **state)
{
  (void)state;
  check_neither("sms = 40\nmemory_clock_khz = 4000000\nmemory = 4 GiB", "size = 256 KiB", &elements[1],
                "too small for so many SMs");
}

/* Walks go round the array. With 80 SMs, one step of all SMs covers 5/32 of it, so the walk is back
 * at its start after 32 steps. It must not hit lines that the L2 still holds. If so, all
 * repetitions agree. */
static void walks_do_not_hit_lines_of_the_last_round(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 80\nmemory_clock_khz = 4000000\nmemory = 16 GiB\nmemory_read_gbps = 200\n"
                   "memory_write_gbps = 200",
             "size = 4 MiB\nhash = xor\nread_gbps = 1000");
  for (int i = 0; i < 3; i++) {
    const struct gc_infos *infos = measure(&run, &elements[0]);

    check_way(&run, &elements[0], infos, false);
    check_way(&run, &elements[0], infos, true);
    assert_string_equal(gc_infos_get(infos, "ReadConfidence"), "0.9961");
    assert_string_equal(gc_infos_get(infos, "WriteConfidence"), "0.9961");
  }
  close_gpu(&run);
}

/* The bench takes a fifth of the memory, and an L2 of 32 MiB holds too large a part of that. */
static void too_little_memory_is_withheld(void **state)
{
  (void)state;
  check_neither("sms = 4\nmemory_clock_khz = 4000000\nmemory = 1000 MiB", "size = 32 MiB",
                &elements[0], "needs 272 MiB of free GPU memory, 200 MiB may be used");
}

/* With a large L2, walks need more memory than everything else, and stay within the limits. */
static void walks_cover_eight_times_the_l2(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 64 GiB",
             "size = 64 MiB\nread_gbps = 700");
  check_way(&run, &elements[0], measure(&run, &elements[0]), false);
  assert_true(run.m.bench.walk_bytes == 8ull * (64 << 20));
  assert_true(run.m.bench.arena_bytes < 4ull * (64 << 20));
  check_memory(&run, GC_USUAL_SHARE);
  close_gpu(&run);
}

/* Many SMs with a fast memory: stores once came out 3 % too low. */
static void many_sms_with_fast_memory_are_measured(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 192\nmemory_clock_khz = 100000000\nmemory = 64 GiB\n"
                  "memory_read_gbps = 6300\nmemory_write_gbps = 6200",
            "size = 64 MiB\nread_gbps = 12600");
  for (int i = 0; i < 3; i++) {
    const struct gc_infos *infos = measure(&run, &elements[0]);

    check_way(&run, &elements[0], infos, false);
    check_way(&run, &elements[0], infos, true);
  }
  close_gpu(&run);
}

/* Behind the largest L2 of today, a 20th of the memory is enough. */
static void memory_behind_a_very_large_l2_is_measured(void **state)
{
  struct opened run;

  (void)state;
  open_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 32 GiB",
            "size = 192 MiB\nread_gbps = 700");
  check_way(&run, &elements[0], measure(&run, &elements[0]), false);
  check_way(&run, &elements[0], measure(&run, &elements[0]), true);
  check_memory(&run, GC_USUAL_SHARE);
  close_gpu(&run);
}

/* Walks for an L2 of 201 MiB do not fit into 1.5 GiB, however much memory is free. */
static void too_large_an_l2_is_withheld(void **state)
{
  (void)state;
  check_neither("sms = 4\nmemory_clock_khz = 4000000\nmemory = 64 GiB", "size = 201 MiB\nread_gbps = 700",
                &elements[0], "needs 1540 MiB of GPU memory, measuring uses 1536 MiB at most");
}

int main(void)
{
  static const char *const profiles[] = {"gtx470", "k20c", "gtx840m", "p6000", "v100", "a100",
                                         "h200"};
  struct CMUnitTest tests[32];
  size_t n = 0;

  for (; n < sizeof(profiles) / sizeof(*profiles); n++)
    tests[n] = (struct CMUnitTest){profiles[n], profile, NULL, NULL,
                                   (void *)(uintptr_t)profiles[n]};
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(writes_are_not_reads);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(reads_above_the_bus_limit_are_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(reads_above_the_sm_limit_are_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(noise_is_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_few_loads_in_flight_are_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(limits_of_sms_are_limits_of_the_chip);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_many_sms_for_the_l2_are_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(walks_do_not_hit_lines_of_the_last_round);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_little_memory_is_withheld);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(walks_cover_eight_times_the_l2);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(many_sms_with_fast_memory_are_measured);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(memory_behind_a_very_large_l2_is_measured);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_large_an_l2_is_withheld);
  return _cmocka_run_group_tests("bandwidth", tests, n, NULL, NULL);
}
