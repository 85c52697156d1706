/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of SMs: what clusters and the constant L1.5 show, each alone and together.
 */
#include "measure/core/placement.h"
#include "measure/latency/latency.h"
#include "measure/structure/structure.h"

#include "open.h"

/* 16 SMs. chip: lines of the chip. constant: lines of the constant L1.5. l2: lines of the L2. */
static void open_chip(struct opened *o, const char *chip, const char *constant, const char *l2)
{
  open_profile(o,
               "model = Groups\ncompute = 9.0\nsms = 16\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
               "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\n"
               "shared_per_block = 32 KiB\nclock_overhead = 4\n%s\n"
               "[cache L1]\nsize = 8 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
               "[cache ConstantL1]\nsize = 2 KiB\nline = 64\nways = 4\nreplacement = lru\n"
               "[cache ConstantL1.5]\nsize = 32 KiB\nline = 256\nways = 8\nreplacement = lru\n%s\n"
               "[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\nsector = 32\nways = 16\n"
               "replacement = lru\n%s\n"
               "[space ca]\npath = L1 30, L2 200, memory 500\n"
               "[space cg]\npath = L2 200, memory 500\n"
               "[space constant]\npath = ConstantL1 28, ConstantL1.5 98, L2 300, memory 600\n"
               "[space shared]\npath = memory 20\n",
               chip, constant, l2);
  open_warm_bench(o);
}

/* The constant L1.5 as a capacity search finds it. */
static void claim_constant(struct opened *o)
{
  struct gc_measured *cache = measured(o, GC_CONSTANT_L15);

  claim(o, GC_CONSTANT_L15, 32 << 10);
  cache->level = (struct gc_level){.hit = 102, .miss = 304};
}

static struct gc_measured *find(struct opened *o)
{
  struct gc_measured *gpu = measured(o, GC_WHOLE_GPU);

  must(o, gc_step_sm_groups(&o->m, gpu), "groups");
  published(o, GC_L1);
  return gpu;
}

static const char *of_gpu(const struct opened *o, const char *key)
{
  const char *value = gc_infos_get(&o->record->infos, key);

  return value ? value : "";
}

#define CLUSTERS "cluster_blocks = 4\ncluster_remote = 200 8\n"
#define GPCS "gpcs = 0-1 6-7 12-13, 2-3 8-9 14-15, 4-5 10-11\n"
#define GROUPS "0,1,6,7,12,13 2,3,8,9,14,15 4,5,10,11"
#define TPCS "0,1 2,3 4,5 6,7 8,9 10,11 12,13 14,15"

static void clusters_and_constants_agree(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "scope = gpc", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCs"), "3");
  assert_string_equal(of_gpu(&o, "GPCSMs"), GROUPS);
  assert_string_equal(of_gpu(&o, "TPCSMs"), TPCS);
  assert_string_equal(of_gpu(&o, "MaxClusterBlocks"), "4");
  assert_string_equal(of_gpu(&o, "MaxClusterBlocksSource"), "api");
  assert_string_equal(of_gpu(&o, "ClusterSMs"), "16");
  assert_string_equal(of_gpu(&o, "CPCSMs"), "");
  close_gpu(&o);
}

/* Each SM has its own L1.5: clusters alone. */
static void clusters_alone(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), GROUPS);
  close_gpu(&o);
}

/* TPCs without large clusters: the constant L1.5 shows their GPC. Without it, nothing does. */
static void lone_tpcs(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS "lone_tpcs = 12-15\n" CLUSTERS, "scope = gpc", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), GROUPS);
  assert_string_equal(of_gpu(&o, "ClusterSMs"), "12");
  close_gpu(&o);
  open_chip(&o, GPCS "lone_tpcs = 12-15\n" CLUSTERS, "", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "");
  assert_non_null(strstr(of_gpu(&o, "GPCsSource"), "do not reach 4 SMs"));
  assert_string_equal(of_gpu(&o, "TPCSMs"), TPCS);
  close_gpu(&o);
}

static void constants_alone(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, "", "scope = group 4", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "0,1,2,3 4,5,6,7 8,9,10,11 12,13,14,15");
  assert_string_equal(of_gpu(&o, "TPCSMsSource"), "absent:this GPU has no clusters");
  close_gpu(&o);
  open_chip(&o, "", "scope = group 2", ""); /* perhaps a TPC */
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "");
  close_gpu(&o);
}

/* Groups of adjacent SMs share the L1.5, but clusters connect others. */
static void methods_contradict_each_other(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "scope = group 5", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "");
  assert_memory_equal(of_gpu(&o, "GPCsSource"), "absent:", 7);
  close_gpu(&o);
}

/* The first-touch test counts another number of caches: then the constants do not count. */
static void instances_contradict_constants(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, "", "scope = group 4", "");
  claim_constant(&o);
  measured(&o, GC_CONSTANT_L15)->instances = 5;
  gc_set_measured(measured(&o, GC_CONSTANT_L15), GC_INSTANCES, 0.99);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "");
  close_gpu(&o);
}

static void cpcs_lie_between(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, "gpcs = 0-7, 8-15\n" CLUSTERS, "scope = group 4", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "0,1,2,3,4,5,6,7 8,9,10,11,12,13,14,15");
  assert_string_equal(of_gpu(&o, "CPCSMs"), "0,1,2,3 4,5,6,7 8,9,10,11 12,13,14,15");
  close_gpu(&o);
}

/* The last GPC has a part that no large cluster reaches. It could be a GPC of its own. */
static void a_part_of_a_gpc_is_no_gpc(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "scope = gpc 4", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), GROUPS);
  assert_string_equal(of_gpu(&o, "CPCSMs"), "0,1,6,7 2,3,8,9 4,5,10,11 12,13 14,15");
  close_gpu(&o);
  open_chip(&o, "gpcs = 0-3, 4-7, 8-15\nlone_tpcs = 12-15\n" CLUSTERS, "scope = gpc 4", "");
  claim_constant(&o);
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSMs"), "");
  assert_non_null(strstr(of_gpu(&o, "GPCsSource"), "which may be a part of a GPC"));
  close_gpu(&o);
}

static void sides(void **state)
{
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "scope = gpc", "");
  claim_constant(&o);
  measured(&o, GC_L2)->partitions = 2;
  gc_set_measured(measured(&o, GC_L2), GC_PARTITIONS, 0.9);
  o.results->l2_sides_known = true;
  for (uint32_t sm = 0; sm < 16; sm++)
    o.results->l2_side[sm] = sm / 2 % 3 == 1;
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSides"), "0,1,0");
  o.results->l2_side[15] = 0;
  find(&o);
  assert_string_equal(of_gpu(&o, "GPCSides"), "");
  close_gpu(&o);
}

static void remote_latency(void **state)
{
  const struct gc_element *element;
  struct opened o;

  (void)state;
  open_chip(&o, GPCS CLUSTERS, "", "");
  find(&o);
  run_step(&o, gc_step_latency, GC_SHARED_MEMORY);
  element = run_step(&o, gc_step_remote_latency, GC_SHARED_MEMORY);
  assert_true(fabs(number(element, "RemoteLatencyCycles") - 200) <= 8);
  close_gpu(&o);
  open_chip(&o, "", "", "");
  element = run_step(&o, gc_step_remote_latency, GC_SHARED_MEMORY);
  assert_string_equal(text(element, "RemoteLatencySource"), "absent:this GPU has no clusters");
  close_gpu(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(clusters_and_constants_agree),
    cmocka_unit_test(clusters_alone),
    cmocka_unit_test(lone_tpcs),
    cmocka_unit_test(constants_alone),
    cmocka_unit_test(methods_contradict_each_other),
    cmocka_unit_test(instances_contradict_constants),
    cmocka_unit_test(cpcs_lie_between),
    cmocka_unit_test(a_part_of_a_gpc_is_no_gpc),
    cmocka_unit_test(sides),
    cmocka_unit_test(remote_latency),
  };

  return cmocka_run_group_tests_name("groups of SMs", tests, NULL, NULL);
}
