/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs, on trees of KFD: those that tests/data/amd-tree.sh writes, and three of real machines (from
 * $KFD_TREES, else ../shared/kfd beside the checkout; skipped where they are not).
 */
#include "amd.h"

static void mi100(void **state)
{
  const struct gc_gpu *gpu;

  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  list(1);
  gpu = &gpus.array[0];
  assert_int_equal(gpu->vendor, GC_VENDOR_AMD);
  assert_true(gpu->has_pci);
  assert_int_equal(gpu->bus, 0xa7);
  assert_string_equal(gpu->gfx, "gfx908");
  assert_string_equal(gpu->identity.id, "GPU-1d3c0ffee000a700");
  assert_string_equal(gpu->identity.model, "AMD Instinct MI100");
  assert_string_equal(gpu->identity.driver, "6.10.5");
  assert_string_equal(gpu->identity.vbios, "113-D3431500-100");
  assert_string_equal(gpu->identity.mig, "");
  ELEMENTS_ARE(gpu->known, mi100_elements);
  assert_string_equal(gpu->known->identity.id, gpu->identity.id);
  fact_is(gpu->known, "GFX", "gfx908");
  fact_is(gpu->known, "SMs", "120");
  fact_is(gpu->known, "SMClockKHz", "1502000");
  fact_is(gpu->known, "MemoryClockKHz", "1200000");
  fact_is(gpu->known, "MemoryBusBits", "4096");
  fact_is(gpu->known, "WarpThreads", "64");
  fact_is(gpu->known, "ThreadsPerSM", "2560");
  fact_is(gpu->known, "SIMDsPerSM", "4");
  fact_is(gpu->known, "XCDs", "1");
}

static const struct expected mi300x_elements[] = {
    {GC_DEVICE_MEMORY, 192 * GIB, 0, 0, 0, NULL},
    {GC_L3, 256 * MIB, 64, 1, 0, NULL},
    {GC_L2, 4 * MIB, 128, 8, 0, NULL},
    {GC_L1, 32 * KIB, 128, 304, 1, NULL},
    {GC_SCALAR_L1, 16 * KIB, 64, 160, 0, "144x2,16x1"},
    {GC_INSTRUCTION_CACHE, 64 * KIB, 64, 160, 0, "144x2,16x1"},
    {GC_LDS, 64 * KIB, 0, 304, 1, NULL},
};

/* Kernels of some years state the L2 of all XCDs together. */
static void mi300x_as_one(void **state)
{
  (void)state;
  add_amd("mi300x", 1, "0000:a7:00.0");
  add_amd("mi300x-6.6", 2, "0000:c7:00.0");
  list(2);
  for (size_t i = 0; i < 2; i++) {
    ELEMENTS_ARE(gpus.array[i].known, mi300x_elements);
    fact_is(gpus.array[i].known, "XCDs", "8");
    assert_string_equal(gpus.array[i].identity.mig, "SPX/NPS1");
  }
  assert_string_equal(gpus.array[0].identity.id, "GPU-1d3c0ffee000a700");
}

static void mi300x_in_partitions(void **state)
{
  char id[80];

  (void)state;
  add_amd("mi300x-cpx", 3, "0000:a7:00.0");
  list(8);
  for (unsigned i = 0; i < 8; i++) {
    const struct gc_gpu *gpu = &gpus.array[i];

    snprintf(id, sizeof(id), "GPU-1d3c0ffee000a700-%u", i);
    assert_string_equal(gpu->identity.id, id);
    assert_string_equal(gpu->identity.mig, "CPX/NPS4");
    assert_string_equal(gpu->identity.vbios, "113-M3000100-102");
    assert_int_equal(gpu->func, i);
    assert_int_equal(gpu->kfd_node, 3 + i);
    fact_is(gpu->known, "SMs", "38");
  }
  /* a container that sees one of them: the same id */
  shell("rm -r %s/" NODES "/[3-79] %s/" NODES "/10", root, root);
  list(1);
  assert_string_equal(gpus.array[0].identity.id, "GPU-1d3c0ffee000a700-5");
  /* and the first of them, which the function alone does not tell from a whole GPU */
  shell("rm -r %s/" NODES, root);
  add_amd("mi300x-cpx", 3, "0000:a7:00.0");
  shell("rm -r %s/" NODES "/[4-9] %s/" NODES "/10", root, root);
  list(1);
  assert_string_equal(gpus.array[0].identity.id, "GPU-1d3c0ffee000a700-0");
}

static void rdna_has_a_gl1(void **state)
{
  static const struct expected elements[] = {
      {GC_DEVICE_MEMORY, 16 * GIB, 0, 0, 0, NULL},
      {GC_L3, 128 * MIB, 64, 1, 0, NULL},
      {GC_L2, 4 * MIB, 128, 1, 0, NULL},
      {GC_GL1, 128 * KIB, 128, 6, 0, "6x10"},
      {GC_L1, 16 * KIB, 128, 60, 1, NULL},
      {GC_SCALAR_L1, 16 * KIB, 64, 30, 0, "30x2"},
      {GC_INSTRUCTION_CACHE, 32 * KIB, 64, 30, 0, "30x2"},
      {GC_LDS, 64 * KIB, 0, 60, 1, NULL},
  };
  const struct gc_record *known;

  (void)state;
  add_amd("rx6800", 1, "0000:03:00.0");
  list(1);
  known = gpus.array[0].known;
  assert_string_equal(gpus.array[0].gfx, "gfx1030");
  assert_string_equal(gpus.array[0].identity.id, "pci-0000_03_00.0-73bf");
  assert_string_equal(gpus.array[0].identity.model, "AMD GPU gfx1030 [1002:73bf]");
  ELEMENTS_ARE(known, elements);
  for (size_t i = 0; i < known->count; i++)
    if (known->elements[i].kind == GC_L1 || known->elements[i].kind == GC_SCALAR_L1)
      assert_int_equal(known->elements[gc_record_parent(known, i)].kind, GC_GL1);
}

/* --- real machines --------------------------------------------------------------------------------- */

/* topology: the directory with "nodes" inside the archive. */
static void unpack(const char *archive, const char *topology)
{
  const char *told = getenv("KFD_TREES"), *top = getenv("top_srcdir");
  char path[PATH_MAX];

  if (told)
    snprintf(path, sizeof(path), "%s/%s", told, archive);
  else
    snprintf(path, sizeof(path), "%s/../shared/kfd/%s", top ? top : ".", archive);
  if (access(path, R_OK)) {
    print_message("%s is not here\n", path);
    skip();
  }
  shell("mkdir -p %s/sys/class/kfd/kfd && tar -C %s -xf %s && mv %s/%s %s/sys/class/kfd/kfd/topology", root,
        root, path, root, topology, root);
}

static void a_real_vega10(void **state)
{
  static const struct expected elements[] = {
      {GC_DEVICE_MEMORY, 17163091968, 0, 0, 0, NULL},
      {GC_L2, 0, 0, 0, 0, NULL}, /* that kernel did not list it */
      {GC_L1, 16 * KIB, 0, 64, 1, NULL},
      {GC_SCALAR_L1, 4 * KIB, 0, 16, 0, "16x4"},
      {GC_INSTRUCTION_CACHE, 8 * KIB, 0, 16, 0, "16x4"},
      {GC_LDS, 64 * KIB, 0, 64, 1, NULL},
  };

  (void)state;
  unpack("vega10.tar.xz", "topology-parsing/topology");
  list(2);
  ELEMENTS_ARE(gpus.array[0].known, elements);
  ELEMENTS_ARE(gpus.array[1].known, elements);
  absent_is(gpus.array[0].known, GC_L2, "the kernel driver's tables do not list it");
  fact_is(gpus.array[0].known, "SMs", "64");
  assert_string_equal(gpus.array[0].gfx, ""); /* that kernel did not tell */
  assert_string_equal(gpus.array[0].identity.model, "AMD GPU [1002:6860]");
  /* one bus id, as somebody copied the node and changed its unique id only */
  assert_int_equal(gpus.array[0].bus, gpus.array[1].bus);
  assert_string_equal(gpus.array[0].identity.id, "GPU-c34ec50444dd0a6c");
  assert_string_equal(gpus.array[1].identity.id, "GPU-c34ec50444dd0a6d");
}

static void a_real_mi308x(void **state)
{
  static const struct expected elements[] = {
      {GC_DEVICE_MEMORY, 51539607552, 0, 0, 0, NULL},
      {GC_L3, 64 * MIB, 0, 1, 0, NULL},
      {GC_L2, 4 * MIB, 0, 1, 0, NULL},
      {GC_L1, 32 * KIB, 0, 20, 1, NULL},
      {GC_SCALAR_L1, 16 * KIB, 0, 12, 0, "8x2,4x1"},
      {GC_INSTRUCTION_CACHE, 64 * KIB, 0, 12, 0, "8x2,4x1"},
      {GC_LDS, 64 * KIB, 0, 20, 1, NULL},
  };

  (void)state;
  unpack("mi308x-cpx.tar.xz", "topology-parsing-mi308/topology");
  list(32);
  ELEMENTS_ARE(gpus.array[0].known, elements);
  assert_string_equal(gpus.array[0].gfx, "gfx942");
  assert_string_equal(gpus.array[3].identity.id, "GPU-084cafeae17e7696-3");
  assert_int_equal(gpus.array[31].domain, 1);
  for (size_t i = 0; i < gpus.count; i++) {
    assert_non_null(gpus.array[i].known);
    fact_is(gpus.array[i].known, "SMs", "20");
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(gpus.array[i].identity.id, gpus.array[j].identity.id);
  }
}

static void a_real_mi210(void **state)
{
  (void)state;
  unpack("mi210.tar.xz", "topo-mi210-xgmi-pcie");
  list(8);
  for (size_t i = 0; i < gpus.count; i++) {
    const struct gc_record *known = gpus.array[i].known;

    assert_string_equal(gpus.array[i].gfx, "gfx90a");
    assert_non_null(known);
    fact_is(known, "SMs", "104");
    /* this copy has neither caches nor memory banks */
    absent_is(known, GC_DEVICE_MEMORY, "do not list its memory banks");
    absent_is(known, GC_L1, "are to list 217 caches, and none can be read");
    absent_is(known, GC_L2, "are to list 217 caches, and none can be read");
    element_is(known, &(struct expected){GC_LDS, 64 * KIB, 0, 104, 1, NULL});
  }
}

/* --- identity -------------------------------------------------------------------------------------- */

static void names_of_targets(void **state)
{
  static const struct {
    const char *version, *gfx;
  } cases[] = {
      {"90010", "gfx90a"},    {"90402", "gfx942"},    {"90008", "gfx908"},   {"90006", "gfx906"},
      {"90500", "gfx950"},    {"100300", "gfx1030"},  {"110000", "gfx1100"}, {"120001", "gfx1201"},
      {"100101", "gfx1011"},  {"0", ""},              {"-90402", ""},        {"9", ""},
      {"99999999999999", ""}, {"90499", ""},          {"91602", ""},         {"90402 ", ""},
      {"gfx942", ""},         {"0x16122", ""},        {"", ""},
      {"99999999999999999999999999999999999", ""},
  };
  char line[96];

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    snprintf(line, sizeof(line), "unique_id 7\ngfx_target_version %s\n", cases[i].version);
    node_with(1, line);
    list(1);
    assert_string_equal(gpus.array[0].gfx, cases[i].gfx);
  }
}

static void ids_are_distinct(void **state)
{
  (void)state;
  /* nothing that tells them apart but their order */
  node_with(1, "unique_id 255\nlocation_id 768\n");
  node_with(2, "unique_id 255\nlocation_id 768\n");
  node_with(10, "unique_id 255\nlocation_id 768\n");
  list(3);
  id_of(0, "GPU-00000000000000ff-0");
  id_of(1, "GPU-00000000000000ff-1");
  id_of(2, "GPU-00000000000000ff-2");
  /* the same without a unique id */
  node_with(1, "unique_id 0\nlocation_id 768\ndevice_id 29759\n");
  node_with(2, "location_id 768\ndevice_id 29759\n");
  node_with(10, "location_id 1024\ndevice_id 29759\n");
  list(3);
  id_of(0, "pci-0000_03_00.0-743f-0");
  id_of(1, "pci-0000_03_00.0-743f-1");
  id_of(2, "pci-0000_04_00.0-743f");
  /* two functions alike, a third one not: no number twice */
  node_with(1, "unique_id 255\nlocation_id 769\n");
  node_with(2, "unique_id 255\nlocation_id 768\n");
  node_with(10, "unique_id 255\nlocation_id 768\n");
  list(3);
  id_of(0, "GPU-00000000000000ff-1");
  id_of(1, "GPU-00000000000000ff-2");
  id_of(2, "GPU-00000000000000ff-0");
}

/* Newer kernels give each partition a unique id of its own. */
static void partitions_with_ids_of_their_own(void **state)
{
  (void)state;
  node_with(1, "unique_id 1\nlocation_id 768\n");
  node_with(2, "unique_id 2\nlocation_id 769\n");
  list(2);
  id_of(0, "GPU-0000000000000001");
  id_of(1, "GPU-0000000000000002");
}

static void what_is_no_amd_gpu(void **state)
{
  (void)state;
  node_with(0, "unique_id 1\nvendor_id 4318\n");
  put(NODES "/1/properties", "cpu_cores_count 64\nsimd_count 0\nlocation_id 0\n");
  put(NODES "/2/properties", "");
  put(NODES "/three/properties", "simd_count 80\n");
  put(NODES "/99999999999/properties", "simd_count 80\n");
  shell("mkdir -p %s/" NODES "/4", root);
  list(0);
}

static void pci_alone(void **state)
{
  (void)state;
  put("sys/bus/pci/devices/0000:03:00.0/vendor", "0x1002\n");
  put("sys/bus/pci/devices/0000:03:00.0/class", "0x038000\n");
  put("sys/bus/pci/devices/0000:03:00.0/device", "0x73bf\n");
  put("sys/bus/pci/devices/0000:03:00.1/vendor", "0x1002\n"); /* sound */
  put("sys/bus/pci/devices/0000:03:00.1/class", "0x040300\n");
  put("sys/bus/pci/devices/0000:04:00.0/vendor", "0x1002\n");
  put("sys/bus/pci/devices/0000:04:00.0/class", "0x120000\n");
  list(2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(gpus.array[i].vendor, GC_VENDOR_AMD);
    assert_string_equal(gpus.array[i].problem,
                        "the amdgpu kernel driver shows no compute node (KFD) of it");
    assert_null(gpus.array[i].known);
  }
  assert_string_equal(gpus.array[0].identity.model, "AMD GPU [1002:73bf]");
  assert_string_equal(gpus.array[0].identity.id, "pci-0000_03_00.0");
  assert_string_equal(gpus.array[1].identity.model, "AMD GPU");
}

static void who_may_compute(void **state)
{
  bool was_root;

  (void)state;
  add_amd("rx6800", 1, "0000:03:00.0");
  list(1);
  assert_string_equal(gpus.array[0].problem,
                      "this is a copy (HWLOC_FSROOT): only the machine itself can be measured");
  put("dev", "this is no directory, so that not even root may\n");
  list(1);
  assert_string_equal(gpus.array[0].problem, "no access to /dev/kfd: Not a directory");
  shell("rm %s/dev", root);
  put("dev/kfd", "");
  shell("chmod 000 %s/dev/kfd && chmod 755 %s", root, root);
  was_root = geteuid() == 0;
  if (was_root)
    assert_int_equal(seteuid(65534), 0);
  list(1);
  if (was_root)
    assert_int_equal(seteuid(0), 0);
  assert_string_equal(gpus.array[0].problem, "no access to /dev/kfd: add the user to the group render");
  shell("chmod 600 %s/dev/kfd", root);
  list(1);
  assert_string_equal(gpus.array[0].problem, "");
}

static void what_the_driver_is(void **state)
{
  (void)state;
  node_with(1, "unique_id 1\nlocation_id 768\n");
  list(1);
  assert_string_equal(gpus.array[0].identity.driver, "");
  put("proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
  list(1);
  assert_string_equal(gpus.array[0].identity.driver, "Linux 6.8.0-45-generic");
  put("sys/module/amdgpu/version", " 6.10.5 \nmore\n");
  list(1);
  assert_string_equal(gpus.array[0].identity.driver, "6.10.5");
  put("sys/module/amdgpu/version", "6.\x01\xff\x80\n"); /* a record must stay UTF-8 */
  list(1);
  assert_string_equal(gpus.array[0].identity.driver, "6.???");
}

static void no_descriptor_stays(void **state)
{
  unsigned before;

  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  before = descriptors();
  list(1);
  assert_int_equal(descriptors(), before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(mi100),
      TEST(mi300x_as_one),
      TEST(mi300x_in_partitions),
      TEST(rdna_has_a_gl1),
      TEST(a_real_vega10),
      TEST(a_real_mi308x),
      TEST(a_real_mi210),
      TEST(names_of_targets),
      TEST(ids_are_distinct),
      TEST(partitions_with_ids_of_their_own),
      TEST(what_is_no_amd_gpu),
      TEST(pci_alone),
      TEST(who_may_compute),
      TEST(what_the_driver_is),
      TEST(no_descriptor_stays),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
