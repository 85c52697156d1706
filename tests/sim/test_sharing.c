/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which caches are one storage, and how many instances there are, on simulated GPUs, with a high
 * confidence. test_tables compares these with the papers (papers.h).
 *
 * Usage: test_sharing [PROFILE]   without a profile: all of them
 */
#include "measure/capacity/capacity.h"
#include "measure/topology/topology.h"
#include "measure/walk/vote.h"

#include "open.h"

#define CONFIDENT 0.95

static const struct {
  const char *gpu;
  enum gc_kind kind;
  const char *with;      /* "": with nothing */
  int per_sm, instances; /* per_sm 0: several SMs share one */
} expectations[] = {
    /* Kepler: L1 is separate; there are four texture and constant caches, one for each quarter of
     * the SM */
    {"k20c", GC_L1, "", 1, 13},
    {"k20c", GC_TEXTURE, "ReadOnlyCache", 4, 52},
    {"k20c", GC_READ_ONLY, "TextureCache", 4, 52},
    {"k20c", GC_CONSTANT_L1, "", 4, 52},
    {"k20c", GC_CONSTANT_L15, "", 1, 13},
    {"k20c", GC_SHARED_MEMORY, "", 1, 13},
    /* no paper has this GPU; the K20c has the same SM */
    {"gtx780", GC_TEXTURE, "ReadOnlyCache", 4, 48},
    {"gtx780", GC_CONSTANT_L1, "", 4, 48},
    /* Maxwell: global loads are not cached; only three SMs can take part */
    {"gtx840m", GC_TEXTURE, "ReadOnlyCache", 2, 6},
    {"gtx840m", GC_CONSTANT_L1, "", 1, 3},
    /* Pascal: one cache for everything but constants, with two instances */
    {"p6000", GC_L1, "TextureCache,ReadOnlyCache", 2, 60},
    {"p6000", GC_TEXTURE, "L1Cache,ReadOnlyCache", 2, 60},
    {"p6000", GC_READ_ONLY, "L1Cache,TextureCache", 2, 60},
    {"p6000", GC_CONSTANT_L1, "", 1, 30},
    {"p6000", GC_SHARED_MEMORY, "", 1, 30},
    /* Volta and later: shared memory is in the same storage */
    {"v100", GC_L1, "TextureCache,ReadOnlyCache,SharedMemory", 1, 80},
    {"v100", GC_CONSTANT_L1, "", 1, 80},
    {"v100", GC_SHARED_MEMORY, "L1Cache,TextureCache,ReadOnlyCache", 1, 80},
    {"h200", GC_L1, "TextureCache,ReadOnlyCache,SharedMemory", 1, 132},
    {"h200", GC_TEXTURE, "L1Cache,ReadOnlyCache,SharedMemory", 1, 132},
    {"h200", GC_READ_ONLY, "L1Cache,TextureCache,SharedMemory", 1, 132},
    {"h200", GC_CONSTANT_L1, "", 1, 132},
  /* one for each GPC; code uses it, too, but has a separate path in the models of older GPUs */
  {"h200", GC_CONSTANT_L15, "InstructionCache", 0, 8},
  {"v100", GC_CONSTANT_L15, "", 1, 80},
  {"p6000", GC_CONSTANT_L15, "", 1, 30},
};
#define EXPECTATIONS (sizeof(expectations) / sizeof(*expectations))

/* Measures these elements. */
static void measure(struct opened *o, const char *name, const char *only)
{
  const struct gc_measure_options options = {.only = only};

  open_gpu(o, name);
  must(o, gc_measure(o->device, &options, o->record, &o->err), "measure");
}

static void check_confident(const char *gpu, const struct gc_element *element, const char *property)
{
  char source[64], confidence[64];

  snprintf(source, sizeof(source), "%sSource", property);
  snprintf(confidence, sizeof(confidence), "%sConfidence", property);
  if (strcmp(text(element, source), "measured") && strcmp(text(element, source), "api"))
    fail_msg("%s: %s: %s is %s", gpu, gc_kinds[element->kind].subtype, source,
             text(element, source));
  if (!strcmp(text(element, source), "measured") &&
      !(atof(text(element, confidence)) >= earned(property, CONFIDENT)))
    fail_msg("%s: %s: %s is %s", gpu, gc_kinds[element->kind].subtype, confidence,
             text(element, confidence));
}

static void check(size_t i, const struct gc_record *record)
{
  const struct gc_element *element = gc_record_find(record, expectations[i].kind);
  const char *gpu = expectations[i].gpu;

  if (!element)
    fail_msg("%s: no %s", gpu, gc_kinds[expectations[i].kind].subtype);
  print_message("%s %s: '%s', %s per SM, %s in all\n", gpu, gc_kinds[element->kind].subtype,
                text(element, "SharedWith"), text(element, "PerSM"), text(element, "Instances"));
  assert_string_equal(text(element, "SharedWith"), expectations[i].with);
  assert_int_equal(atoi(text(element, "PerSM")), expectations[i].per_sm);
  assert_int_equal(atoi(text(element, "Instances")), expectations[i].instances);
  check_confident(gpu, element, "SharedWith");
  if (expectations[i].per_sm)
    check_confident(gpu, element, "PerSM");
  else
    assert_memory_equal(text(element, "PerSMSource"), "absent:", 7);
  check_confident(gpu, element, "Instances");
}

static void profile(void **state)
{
  struct opened o;

  open_measured(&o, *state);
  for (size_t i = 0; i < EXPECTATIONS; i++)
    if (!strcmp(expectations[i].gpu, *state))
      check(i, o.record);
  close_gpu(&o);
}

/* L1 is not measured. The texture cache is the same storage and shares it with shared memory. */
static void sharing_follows_from_another_element(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  measure(&o, "t1000", "TextureCache,SharedMemory");
  element = gc_record_find(o.record, GC_SHARED_MEMORY);
  assert_string_equal(text(element, "SharedWith"), "L1Cache,TextureCache,ReadOnlyCache");
  check_confident("t1000", element, "SharedWith");
  close_gpu(&o);
}

/* No other element was measured, so there is nothing to compare with, and nothing is reported. */
static void a_single_element_has_no_sharing(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  measure(&o, "t1000", "SharedMemory");
  element = gc_record_find(o.record, GC_SHARED_MEMORY);
  assert_non_null(element);
  assert_null(gc_infos_get(&element->infos, "SharedWith"));
  assert_memory_equal(text(element, "SharedWithSource"), "absent:", 7);
  close_gpu(&o);
}

/* --- the early test of L1 and the paths into it --- */

static bool contrary; /* in one of eight runs nothing is evicted */

static int download(struct gc_device *device, void *to, uint64_t address, size_t bytes, struct gc_error *err)
{
  const int status = gc_device_sim.download(device, to, address, bytes, err);
  struct gpu_pair_result *results = to;

  /* with 14 SMs, the last launch has the last run of each of the four questions */
  if (!status && bytes == 4 * sizeof(*results))
    for (size_t i = 0; i < 4 && contrary; i++)
      results[i].slow[GPU_PAIR_AGAIN] = 0;
  return status;
}

/* Both directions see the same cache, so together they are no surer than one. Only if all runs agree
 * is a path not searched. */
static void one_storage_needs_all_runs(void **state)
{
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct gc_device_ops ops = gc_device_sim;
    const double *with;
    struct opened o;

    contrary = i;
    ops.download = download;
    open_gpu(&o, "t1000");
    open_warm_bench(&o);
    o.m.bench.ops = &ops;
    run_step(&o, gc_step_capacity, GC_L1);
    run_step(&o, gc_step_storage, GC_L1);
    with = o.results->with_l1;
    if (with[GC_TEXTURE] != (contrary ? 0 : gc_vote_confidence(8, 8)) ||
        with[GC_READ_ONLY] != with[GC_TEXTURE])
      fail_msg("%u of 8 runs are contrary: %g, %g", i, with[GC_TEXTURE], with[GC_READ_ONLY]);
    close_gpu(&o);
  }
}

int main(int argc, char **argv)
{
  static const char *const all[] = {"k20c", "gtx780", "gtx840m", "p6000", "v100", "h200"};
  struct CMUnitTest tests[9];
  size_t n = 0;

  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    if (argc < 2 || !strcmp(argv[1], all[i]))
      tests[n++] = (struct CMUnitTest){all[i], profile, NULL, NULL, (void *)(uintptr_t)all[i]};
  if (argc < 2) {
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(sharing_follows_from_another_element);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_single_element_has_no_sharing);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(one_storage_needs_all_runs);
  }
  return _cmocka_run_group_tests("sharing", tests, n, NULL, NULL);
}
