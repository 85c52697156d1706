/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidths of simulated GPUs against what their models carry, and what is not told and why.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WITHIN 0.03

/* Which level of which space an element is, and what is told of it. */
static const struct element {
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
  int (*step)(struct gc_bench *bench, struct gc_element *element);
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

/* A chip that can be spoilt: each test says how many SMs, which clocks and what L2 it has. */
static const char chip[] =
  "model = Test chip\ncompute = 7.5\nclock_khz = 1500000\nmemory_bus_bits = 256\n"
  "threads_per_sm = 1024\nblocks_per_sm = 16\nshared_per_sm = 32 KiB\nshared_per_block = 31 KiB\n"
  "clock_overhead = 6\n%s\n"
  "[cache L1]\nsize = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
  "[cache L2]\nscope = chip\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n%s\n"
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"
  "[space shared]\npath = memory 20\nread_bytes_per_cycle = 100\nwrite_bytes_per_cycle = 50\n";

struct run {
  char path[256];
  struct gc_device *device;
  struct gc_record *record;
  struct gc_error err;
  struct gc_model *model;
  struct gc_bench bench;
};

static void must(int status, const struct gc_error *err)
{
  if (status)
    fail_msg("%d: %s", status, err->text);
}

/* Opens the GPU and, for the truth, a second model of it. */
static void begin(struct run *run)
{
  static char text[1 << 16];
  struct gc_gpu gpu = {.vendor = GC_VENDOR_SIM, .name = "gpu0"};
  FILE *file = fopen(run->path, "r");
  size_t length;

  if (!file)
    fail_msg("cannot open %s", run->path);
  length = fread(text, 1, sizeof(text), file);
  fclose(file);
  must(gc_model_new(run->path, text, length, &run->model, &run->err), &run->err);
  snprintf(gpu.profile, sizeof(gpu.profile), "%s", run->path);
  must(gc_device_open(&gpu, &run->device, &run->err), &run->err);
  run->record = gc_record_new(&gpu.identity);
  assert_non_null(run->record);
  must(gc_bench_open(&run->bench, run->device, run->record, &run->err), &run->err);
}

static void end(struct run *run)
{
  gc_bench_close(&run->bench);
  gc_ops(run->device)->close(run->device);
  gc_record_free(run->record);
  gc_model_free(run->model);
}

static const struct gc_infos *measure(struct run *run, const struct element *e)
{
  struct gc_element *element = gc_record_add(run->record, e->kind);

  assert_non_null(element);
  must(e->step(&run->bench, element), &run->err);
  return &element->infos;
}

static void check_way(const struct run *run, const struct element *e, const struct gc_infos *infos,
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
  if (!value || !source || strcmp(source, "measured") || !confidence)
    fail_msg("%s: %s of %s is not told: %s", run->path, way, what, source ? source : "no source");
  if (!(fabs(strtod(value, NULL) - truth) <= WITHIN * truth))
    fail_msg("%s: %s of %s is %s, in the model %.2f", run->path, way, what, value, truth);
  if (!(strtod(confidence, NULL) >= 0.95))
    fail_msg("%s: %s of %s is told with confidence %s", run->path, way, what, confidence);
}

/* Whatever the GPU, measuring holds no more than 512 MiB of it at once. */
static void check_memory(const struct run *run)
{
  const uint64_t peak = run->bench.ops->counts(run->device)->device_bytes_peak;

  if (peak > 512ull << 20)
    fail_msg("%s: %llu bytes of device memory at once", run->path, (unsigned long long)peak);
}

static void profile(void **state)
{
  const char *directory = getenv("HWLOC_GPUCACHE_SIM_PATH");
  struct run run;

  snprintf(run.path, sizeof(run.path), "%s/%s", directory ? directory : "data/sim",
           (const char *)*state);
  begin(&run);
  for (size_t i = 0; i < ELEMENTS; i++) {
    const struct element *e = &elements[i];
    const struct gc_path *path = gc_path_of(e->kind);
    const struct gc_infos *infos;

    if (path && !path->present(&run.bench.properties))
      continue;
    if (e->kind == GC_CONSTANT_L1) /* what lies behind it is seen only where its capacity is known */
      must(gc_step_capacity(&run.bench, gc_record_add(run.record, e->kind)), &run.err);
    infos = measure(&run, e);
    check_way(&run, e, infos, false);
    if (e->write)
      check_way(&run, e, infos, true);
    else
      assert_null(gc_infos_get(infos, "WriteSource"));
  }
  check_memory(&run);
  end(&run);
}

/* Opens the chip with these lines in its first section and in that of L2. */
static void begin_chip(struct run *run, const char *lines, const char *l2)
{
  FILE *file;
  int fd;

  strcpy(run->path, "/tmp/gpucache-test-bandwidth-XXXXXX");
  fd = mkstemp(run->path);
  assert_true(fd >= 0);
  file = fdopen(fd, "w");
  assert_non_null(file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  fprintf(file, chip, lines, l2);
#pragma GCC diagnostic pop
  assert_int_equal(fclose(file), 0);
  begin(run);
  unlink(run->path);
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

/* Reads and writes are not the same number, and neither is told for the other. */
static void writes_are_not_reads(void **state)
{
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 200\n"
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
  end(&run);
}

/* 2 x 4 GHz x 32 bytes are 256 GB/s: what is said to be faster is not believed, what is slower is. */
static void more_than_the_bus_allows(void **state)
{
  const struct gc_infos *infos;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 270\n"
                   "memory_write_gbps = 250", "size = 1 MiB\nread_gbps = 700");
  infos = measure(&run, &elements[0]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "the memory bus allows 256 at most");
  check_way(&run, &elements[0], infos, true);
  end(&run);
}

/* 32 lanes x 4 bytes in a cycle of an SM, and 4 SMs x 1.5 GHz x that. The plan says so, too. */
static void more_than_sms_can_move(void **state)
{
  const struct gc_infos *infos;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB",
             "size = 1 MiB\nread_gbps = 900\nwrite_gbps = 700\n[space texture]\n"
             "path = L1 30, L2 200, memory 500\nread_bytes_per_cycle = 140");
  run.bench.mhz = 1500;
  infos = measure(&run, &elements[1]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "the way to the SMs allows 768 at most");
  check_way(&run, &elements[1], infos, true);
  assert_withheld(measure(&run, &elements[3]), "Read", HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE,
                  "an SM allows 128 at most");
  assert_non_null(strstr(run.bench.complaints, "Read of TextureCache is withheld: "));
  end(&run);
}

/* Nothing but noise from launch to launch. What is inside the SM does not know of it. */
static void noise_is_no_value(void **state)
{
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 4 GiB\nmemory_read_gbps = 40\n"
                   "bandwidth_noise = 0.5", "size = 1 MiB");
  for (size_t i = 0; i < 2; i++) {
    const struct gc_infos *infos = measure(&run, &elements[i]);

    assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "9 repetitions lie between");
    assert_non_null(strstr(gc_infos_get(infos, "ReadSource"), " GB/s, too few of them within 3 % of their median"));
    assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, "9 repetitions lie between");
  }
  check_way(&run, &elements[2], measure(&run, &elements[2]), false);
  end(&run);
}

static void too_many_sms_for_the_l2(void **state)
{
  const struct gc_infos *infos;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 40\nmemory_clock_khz = 4000000\nmemory = 4 GiB", "size = 256 KiB");
  infos = measure(&run, &elements[1]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "too small for as many SMs");
  assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, "too small for as many SMs");
  end(&run);
}

/* Walks go round and round, and with 80 SMs a step of all of them is 5/32 of the array: so 32 steps on they
 * are where they were, and must not find what the L2 kept of it. Then all repetitions agree. */
static void no_walk_meets_what_one_before_left(void **state)
{
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 80\nmemory_clock_khz = 4000000\nmemory = 16 GiB\nmemory_read_gbps = 200\n"
                   "memory_write_gbps = 200",
             "size = 4 MiB\nhash = xor\nread_gbps = 1000");
  for (int i = 0; i < 3; i++) {
    const struct gc_infos *infos = measure(&run, &elements[0]);

    check_way(&run, &elements[0], infos, false);
    check_way(&run, &elements[0], infos, true);
    assert_string_equal(gc_infos_get(infos, "ReadConfidence"), "0.9961");
    assert_string_equal(gc_infos_get(infos, "WriteConfidence"), "0.9961");
  }
  end(&run);
}

/* A quarter of the memory is what the bench takes: 64 MiB, in which an L2 of 32 MiB leaves its traces. */
static void too_little_memory(void **state)
{
  const struct gc_infos *infos;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 256 MiB", "size = 32 MiB");
  infos = measure(&run, &elements[0]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "too little free device memory");
  assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, "too little free device memory");
  end(&run);
}

/* Memory beyond the arena is taken where L2 is large, within the limits, and given back. */
static void memory_is_given_back(void **state)
{
  uint64_t before, after, total;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 64 GiB",
             "size = 64 MiB\nread_gbps = 700");
  must(run.bench.ops->memory(run.device, &before, &total, &run.err), &run.err);
  check_way(&run, &elements[0], measure(&run, &elements[0]), false);
  must(run.bench.ops->memory(run.device, &after, &total, &run.err), &run.err);
  assert_true(before == after);
  assert_true(run.bench.ops->counts(run.device)->device_bytes_peak >= 4ull * (64 << 20));
  check_memory(&run);
  end(&run);
}

/* Walks of four L2s of 128 MiB do not fit what we take, however much is free. */
static void too_large_an_l2(void **state)
{
  const struct gc_infos *infos;
  struct run run;

  (void)state;
  begin_chip(&run, "sms = 4\nmemory_clock_khz = 4000000\nmemory = 64 GiB",
             "size = 128 MiB\nread_gbps = 700");
  infos = measure(&run, &elements[0]);
  assert_withheld(infos, "Read", HWLOC_GPUCACHE_READ_GBPS, "too large an L2");
  assert_withheld(infos, "Write", HWLOC_GPUCACHE_WRITE_GBPS, "too large an L2");
  check_memory(&run);
  end(&run);
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
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(more_than_the_bus_allows);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(more_than_sms_can_move);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(noise_is_no_value);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_many_sms_for_the_l2);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(no_walk_meets_what_one_before_left);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_little_memory);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(memory_is_given_back);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_large_an_l2);
  return _cmocka_run_group_tests("bandwidth", tests, n, NULL, NULL);
}
