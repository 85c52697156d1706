/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The whole plan on simulated GPUs, whose model knows the truth: capacities and latencies as the model
 * defines them, and next to them what the papers measured on the real ones. Takes the profile's name;
 * without one, all of the table.
 */
#include "device/device.h"
#include "measure/measure.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIB(n) ((n) * 1024.0)
#define BLOCKS_OF_ONE_WARP(facts)                                                                  \
  ((facts)->blocks_per_sm < (facts)->threads_per_sm / (facts)->warp                                \
     ? (facts)->blocks_per_sm                                                                      \
     : (facts)->threads_per_sm / (facts)->warp)

/* An element, the space and level of the model that it is, and what a paper measured (bytes; 0: nothing
 * comparable), within how much of that the model's truth lies. */
struct expectation {
  const char *gpu;
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
  double paper, within;
};

/* Papers: Mei et al. 2014, sections 4.1 to 4.3 (GTX 560 Ti, GTX 780); Nugteren et al. 2014, section 5.1 (GTX
 * 470); Größler 2022, tables 5.4 (K20c), 5.5 (840M), 5.6 (P6000) and 5.8 (RTX 2080 Ti, of which the T1000 is
 * a smaller one); MT4G's results.json for the L2 of the newer ones. Their tools
 * tell the first size that misses, or the middle of the transition, and stop within 256 bytes to 2 KiB
 * of it: hence up to 9 % on the 2 KiB constant L1 (1.83 and 2.14 KiB were told for 2 KiB).
 * From V100 on the L1 depends on carve-out and resident blocks, which the papers do not
 * state, so only the model counts; K20c's L1 was used in its 16 KiB setting. L2 is what one SM keeps: half of
 * it on the chips with two partitions. */
static const struct expectation expectations[] = {
  {"gtx560ti", GC_L1, GC_SPACE_CA, 0, KIB(16), 0.001},
  {"gtx560ti", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(12), 0.001},
  {"gtx560ti", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, 0, 0},
  {"gtx560ti", GC_L2, GC_SPACE_CG, 0, KIB(512), 0.001},
  {"gtx470", GC_L1, GC_SPACE_CA, 0, KIB(16), 0.001},
  {"gtx470", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"gtx470", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, 0, 0},
  {"gtx470", GC_L2, GC_SPACE_CG, 0, 0, 0},
  {"gtx780", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(12), 0.001},
  {"gtx780", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"gtx780", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, 0, 0},
  {"gtx780", GC_L2, GC_SPACE_CG, 0, KIB(1536), 0.001},
  {"k20c", GC_L1, GC_SPACE_CA, 0, KIB(16.137), 0.01},
  {"k20c", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(12.012), 0.01},
  {"k20c", GC_READ_ONLY, GC_SPACE_NC, 0, KIB(12.129), 0.011},
  {"k20c", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(1.828), 0.1},
  {"k20c", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, KIB(32.813), 0.03},
  {"k20c", GC_L2, GC_SPACE_CG, 0, KIB(1280), 0.001},
  {"gtx840m", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(12.129), 0.011},
  {"gtx840m", GC_READ_ONLY, GC_SPACE_NC, 0, KIB(12.129), 0.011},
  {"gtx840m", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2.109), 0.06},
  {"gtx840m", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, KIB(30.469), 0.03},
  {"gtx840m", GC_L2, GC_SPACE_CG, 0, KIB(1024), 0.001},
  {"p6000", GC_L1, GC_SPACE_CA, 0, KIB(24.012), 0.01},
  {"p6000", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(24.012), 0.01},
  {"p6000", GC_READ_ONLY, GC_SPACE_NC, 0, KIB(24.012), 0.01},
  {"p6000", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2.141), 0.1},
  {"p6000", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, KIB(31.25), 0.03},
  {"p6000", GC_L2, GC_SPACE_CG, 0, KIB(3072), 0.001},
  {"v100", GC_L1, GC_SPACE_CA, 0, 0, 0},
  {"v100", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"v100", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"v100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2.078), 0.05},
  {"v100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, 0, 0},
  {"v100", GC_L2, GC_SPACE_CG, 0, KIB(6144), 0.001},
  {"rtx2080ti", GC_L1, GC_SPACE_CA, 0, 0, 0},
  {"rtx2080ti", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"rtx2080ti", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"rtx2080ti", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2.078), 0.05},
  {"rtx2080ti", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, KIB(42), 0.1},
  {"rtx2080ti", GC_L2, GC_SPACE_CG, 0, KIB(5632), 0.001},
  {"t1000", GC_L1, GC_SPACE_CA, 0, 0, 0},
  {"t1000", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"t1000", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"t1000", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, 0, 0},
  {"t1000", GC_L2, GC_SPACE_CG, 0, 0, 0},
  {"a100", GC_L1, GC_SPACE_CA, 0, 0, 0},
  {"a100", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"a100", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"a100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2.141), 0.1},
  {"a100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, 0, 0},
  {"a100", GC_L2, GC_SPACE_CG, 0, 20971520, 0.001},
  {"h100", GC_L1, GC_SPACE_CA, 0, 0, 0},
  {"h100", GC_TEXTURE, GC_SPACE_TEXTURE, 0, 0, 0},
  {"h100", GC_READ_ONLY, GC_SPACE_NC, 0, 0, 0},
  {"h100", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, 2112, 0.05},
  {"h100", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, 0, 0},
  {"h100", GC_L2, GC_SPACE_CG, 0, 26214400, 0.001},
  {"h200", GC_L1, GC_SPACE_CA, 0, KIB(217), 0.001},
  {"h200", GC_TEXTURE, GC_SPACE_TEXTURE, 0, KIB(217), 0.001},
  {"h200", GC_READ_ONLY, GC_SPACE_NC, 0, KIB(217), 0.001},
  {"h200", GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0, KIB(2), 0.001},
  {"h200", GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1, KIB(128), 0.001},
  {"h200", GC_L2, GC_SPACE_CG, 0, 0, 0},
};
#define EXPECTATIONS (sizeof(expectations) / sizeof(*expectations))

struct seen {
  struct gc_record *record;
  struct gc_model *model;
};

static void must(int status, const struct gc_error *err, const char *what)
{
  if (status)
    fail_msg("%s: %d: %s", what, status, err->text);
}

/* A second model of the same profile: where the truth is asked. */
static struct gc_model *model_of(const char *path)
{
  struct gc_error err = {""};
  struct gc_model *model;
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  size_t length;

  if (!file)
    fail_msg("cannot open %s", path);
  length = fread(text, 1, sizeof(text), file);
  fclose(file);
  must(gc_model_new(path, text, length, &model, &err), &err, path);
  gc_model_launch(model, 0, BLOCKS_OF_ONE_WARP(gc_model_facts(model)), 0);
  return model;
}

static void measure(const char *name, struct seen *seen)
{
  const struct gc_measure_options options = {0};
  struct gc_error err = {""};
  struct gc_device *device;
  struct gc_gpus gpus;

  assert_int_equal(gc_gpus_list("/nonexistent", name, &gpus), 0);
  assert_int_equal(gpus.count, 1);
  if (*gpus.array[0].problem)
    fail_msg("%s", gpus.array[0].problem);
  must(gc_device_open(&gpus.array[0], &device, &err), &err, name);
  seen->record = gc_record_new(&gpus.array[0].identity);
  must(gc_measure(device, &options, seen->record, &err), &err, name);
  seen->model = model_of(gpus.array[0].profile);
  gc_ops(device)->close(device);
  gc_gpus_free(&gpus);
}

static double number(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? strtod(value, NULL) : NAN;
}

static void check_latency(const char *gpu, const struct gc_element *element, double latency,
                          double within)
{
  const double cycles = number(element, "LatencyCycles");

  if (!(fabs(cycles - latency) <= within))
    fail_msg("%s: %s takes %.1f cycles, in the model %.0f", gpu, gc_kinds[element->kind].subtype,
             cycles, latency);
}

static void check(const struct expectation *e, const struct seen *seen)
{
  const struct gc_element *element = gc_record_find(seen->record, e->kind);
  const double truth = (double)gc_model_true_level(seen->model, e->space, e->level);
  const double latency = gc_model_true_latency(seen->model, e->space, e->level);
  const char *what = gc_kinds[e->kind].subtype, *source;
  double bytes;

  if (!element)
    fail_msg("%s: no %s in the record", e->gpu, what);
  bytes = number(element, "CapacityBytes");
  source = gc_infos_get(&element->infos, "CapacitySource");
  /* less than the step of an L2, which is 1/512: samples that leave the same lines out are a step wrong */
  if (!(fabs(bytes - truth) <= 0.001 * truth))
    fail_msg("%s: %s has %.0f bytes (%s), the model %.0f", e->gpu, what, bytes, source ? source : "-",
             truth);
  if (e->paper > 0 && !(fabs(e->paper - truth) <= e->within * truth))
    fail_msg("%s: the model's %s has %.0f bytes, the paper's %.0f", e->gpu, what, truth, e->paper);
  if (!(number(element, "CapacityConfidence") >= 0.9))
    fail_msg("%s: %s is told with confidence %.4f only", e->gpu, what,
             number(element, "CapacityConfidence"));
  /* Those in the SM to the cycle. L2, in which each SM finds what it read itself near to it: 2 % */
  check_latency(e->gpu, element, latency, e->kind == GC_L2 ? 0.02 * latency : 1);
}

/* Capacities of memories are the interface's, their latencies are measured. */
static void check_memories(const char *gpu, const struct seen *seen)
{
  const struct gc_model_facts *facts = gc_model_facts(seen->model);
  const struct gc_element *memory = gc_record_find(seen->record, GC_DEVICE_MEMORY);
  const struct gc_element *shared = gc_record_find(seen->record, GC_SHARED_MEMORY);
  const double latency = gc_model_true_latency(seen->model, GC_SPACE_CG, 1);

  if (!memory || !shared)
    fail_msg("%s: no %s in the record", gpu, memory ? "shared memory" : "device memory");
  if (number(memory, "CapacityBytes") != (double)facts->memory_bytes)
    fail_msg("%s: %.0f bytes of memory, the model has %.0f", gpu, number(memory, "CapacityBytes"),
             (double)facts->memory_bytes);
  if (number(shared, "CapacityBytes") != (double)facts->shared_per_sm)
    fail_msg("%s: %.0f bytes of shared memory, the model has %.0f", gpu,
             number(shared, "CapacityBytes"), (double)facts->shared_per_sm);
  check_latency(gpu, memory, latency, 0.03 * latency);
  check_latency(gpu, shared, gc_model_true_latency(seen->model, GC_SPACE_SHARED, 0), 1);
}

/* Where the constant L1.5 is larger than what constants can fill there may be no capacity, and then a
 * bound and a reason; never another number. Its latency is known in any case. */
static void check_constant_l15(const char *gpu, const struct seen *seen)
{
  const struct gc_element *element = gc_record_find(seen->record, GC_CONSTANT_L15);
  const double truth = (double)gc_model_true_level(seen->model, GC_SPACE_CONSTANT, 1);
  const char *source;

  if (!element)
    fail_msg("%s: no constant L1.5 in the record", gpu);
  source = gc_infos_get(&element->infos, "CapacitySource");
  if (gc_infos_get(&element->infos, "CapacityBytes")) {
    if (!(fabs(number(element, "CapacityBytes") - truth) <= 0.005 * truth))
      fail_msg("%s: the constant L1.5 has %.0f bytes, in the model %.0f", gpu,
               number(element, "CapacityBytes"), truth);
  } else {
    assert_non_null(source);
    assert_memory_equal(source, "absent:", 7);
    assert_true(strlen(source) > 7);
    assert_null(gc_infos_get(&element->infos, "CapacityConfidence"));
    if (gc_infos_get(&element->infos, "CapacityAtLeastBytes"))
      assert_true(number(element, "CapacityAtLeastBytes") <= truth);
  }
  check_latency(gpu, element, gc_model_true_latency(seen->model, GC_SPACE_CONSTANT, 1), 1);
}

/* The L1 that a table leaves a kernel that prefers so many percent; -1: nothing. */
static double left_by(const char *table, int percent)
{
  double left = NAN;

  for (const char *entry = table; *entry; entry += strcspn(entry, ","), entry += *entry == ',') {
    const char *bytes = strchr(entry, ':') + 1;

    if (percent < 0 ? !strncmp(entry, "default:", 8) : strtol(entry, NULL, 10) <= percent &&
                                                        strncmp(entry, "default:", 8))
      left = strtod(bytes, NULL);
  }
  return left;
}

/* Where L1 and shared memory divide one storage: what each carve-out leaves, and what none leaves. */
static void check_carveouts(const char *gpu, const struct seen *seen)
{
  const struct gc_model_facts *facts = gc_model_facts(seen->model);
  const struct gc_element *l1 = gc_record_find(seen->record, GC_L1);
  const char *table = l1 ? gc_infos_get(&l1->infos, "CarveoutTable") : NULL;

  if (facts->has_carveout != (table != NULL))
    fail_msg("%s: %s table of carve-outs", gpu, table ? "a" : "no");
  if (table && !(number(l1, "CarveoutTableConfidence") >= 0.95))
    fail_msg("%s: carve-outs are told with confidence %.4f", gpu, number(l1, "CarveoutTableConfidence"));
  for (int percent = -1; table && percent <= 100; percent++) {
    double truth;

    gc_model_launch(seen->model, percent, BLOCKS_OF_ONE_WARP(facts), 0);
    truth = (double)gc_model_true_level(seen->model, GC_SPACE_CA, 0);
    if (!(fabs(left_by(table, percent) - truth) <= 0.005 * truth))
      fail_msg("%s: %d %% leave %.0f bytes of L1 in %s, in the model %.0f", gpu, percent,
               left_by(table, percent), table, truth);
  }
}

/* What a GPU does not have is not told: no read-only path on Fermi, no global loads in the L1 of GTX 780 and
 * 840M. Memories and constant L1.5 have checks of their own. */
static void check_only_those(const char *gpu, const struct seen *seen)
{
  for (size_t i = 0; i < seen->record->count; i++) {
    const enum gc_kind kind = seen->record->elements[i].kind;
    size_t e = 0;

    while (e < EXPECTATIONS && (strcmp(expectations[e].gpu, gpu) || expectations[e].kind != kind))
      e++;
    if (e == EXPECTATIONS && kind != GC_DEVICE_MEMORY && kind != GC_SHARED_MEMORY && kind != GC_CONSTANT_L15)
      fail_msg("%s has no %s", gpu, gc_kinds[kind].subtype);
  }
}

static void profile(void **state)
{
  const char *name = *state;
  struct seen seen;

  measure(name, &seen);
  for (size_t i = 0; i < EXPECTATIONS; i++)
    if (!strcmp(expectations[i].gpu, name))
      check(&expectations[i], &seen);
  check_only_those(name, &seen);
  check_memories(name, &seen);
  check_constant_l15(name, &seen);
  check_carveouts(name, &seen);
  gc_record_free(seen.record);
  gc_model_free(seen.model);
}

int main(int argc, char **argv)
{
  static const char *const all[] = {"gtx560ti", "gtx470", "gtx780", "k20c", "gtx840m", "p6000",
                                    "v100", "rtx2080ti", "t1000", "a100", "h100", "h200"};
  struct CMUnitTest tests[sizeof(all) / sizeof(*all)];
  size_t n = 0;

  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    if (argc < 2 || !strcmp(argv[1], all[i]))
      tests[n++] = (struct CMUnitTest){all[i], profile, NULL, NULL, (void *)(uintptr_t)all[i]};
  return _cmocka_run_group_tests("simulated GPUs", tests, n, NULL, NULL);
}
