/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs in topology trees of KFD: those that tests/data/amd-tree.sh writes, and three of real
 * machines (tests/data/kfd; $KFD_TREES names another folder).
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
  ELEMENTS_ARE(gpu->tables, mi100_elements);
  assert_string_equal(gpu->tables->identity.id, gpu->identity.id);
  fact_is(gpu->tables, "GFX", "gfx908");
  fact_is(gpu->tables, "SMs", "120");
  fact_is(gpu->tables, "SMClockKHz", "1502000");
  fact_is(gpu->tables, "MemoryClockKHz", "1200000");
  fact_is(gpu->tables, "MemoryBusBits", "4096");
  fact_is(gpu->tables, "WarpThreads", "64");
  fact_is(gpu->tables, "ThreadsPerSM", "2560");
  fact_is(gpu->tables, "SIMDsPerSM", "4");
  fact_is(gpu->tables, "XCDs", "1");
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

/* Some kernels state the sum of the L2 caches of all XCDs. */
static void mi300x_as_one(void **state)
{
  (void)state;
  add_amd("mi300x", 1, "0000:a7:00.0");
  add_amd("mi300x-6.6", 2, "0000:c7:00.0");
  list(2);
  for (size_t i = 0; i < 2; i++) {
    ELEMENTS_ARE(gpus.array[i].tables, mi300x_elements);
    fact_is(gpus.array[i].tables, "XCDs", "8");
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
    fact_is(gpu->tables, "SMs", "38");
  }
  /* a container that shows one of them: the same id */
  shell("rm -r %s/" NODES "/[3-79] %s/" NODES "/10", root, root);
  list(1);
  assert_string_equal(gpus.array[0].identity.id, "GPU-1d3c0ffee000a700-5");
  /* and the first of them, which has the function of a whole GPU */
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
  const struct gc_record *tables;

  (void)state;
  add_amd("rx6800", 1, "0000:03:00.0");
  list(1);
  tables = gpus.array[0].tables;
  assert_string_equal(gpus.array[0].gfx, "gfx1030");
  assert_string_equal(gpus.array[0].identity.id, "pci-0000_03_00.0-73bf");
  assert_string_equal(gpus.array[0].identity.model, "AMD GPU gfx1030 [1002:73bf]");
  ELEMENTS_ARE(tables, elements);
  for (size_t i = 0; i < tables->count; i++)
    if (tables->elements[i].kind == GC_L1 || tables->elements[i].kind == GC_SCALAR_L1)
      assert_int_equal(tables->elements[gc_record_parent(tables, i)].kind, GC_GL1);
}

/* --- real machines ---------------------------------------------------------------------------- */

/* topology: the directory with "nodes" inside the archive. */
static void unpack(const char *archive, const char *topology)
{
  const char *other = getenv("KFD_TREES"), *top = getenv("top_srcdir");
  char path[PATH_MAX];

  if (other)
    snprintf(path, sizeof(path), "%s/%s", other, archive);
  else
    snprintf(path, sizeof(path), "%s/tests/data/kfd/%s", top ? top : ".", archive);
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
  ELEMENTS_ARE(gpus.array[0].tables, elements);
  ELEMENTS_ARE(gpus.array[1].tables, elements);
  absent_is(gpus.array[0].tables, GC_L2, "the kernel driver's tables do not list it");
  fact_is(gpus.array[0].tables, "SMs", "64");
  assert_string_equal(gpus.array[0].gfx, ""); /* that kernel did not state it */
  assert_string_equal(gpus.array[0].identity.model, "AMD GPU [1002:6860]");
  /* the same bus id: a copy of the node with another unique id */
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
  ELEMENTS_ARE(gpus.array[0].tables, elements);
  assert_string_equal(gpus.array[0].gfx, "gfx942");
  assert_string_equal(gpus.array[3].identity.id, "GPU-084cafeae17e7696-3");
  assert_int_equal(gpus.array[31].domain, 1);
  for (size_t i = 0; i < gpus.count; i++) {
    assert_non_null(gpus.array[i].tables);
    fact_is(gpus.array[i].tables, "SMs", "20");
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
    const struct gc_record *tables = gpus.array[i].tables;

    assert_string_equal(gpus.array[i].gfx, "gfx90a");
    assert_non_null(tables);
    fact_is(tables, "SMs", "104");
    /* this copy has neither caches nor memory banks */
    absent_is(tables, GC_DEVICE_MEMORY, "do not list its memory banks");
    absent_is(tables, GC_L1, "should list 217 caches, but none can be read");
    absent_is(tables, GC_L2, "should list 217 caches, but none can be read");
    element_is(tables, &(struct expected){GC_LDS, 64 * KIB, 0, 104, 1, NULL});
  }
}

/* --- identity --------------------------------------------------------------------------------- */

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
  /* they differ in nothing but their order */
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
  /* two equal functions and a third one: all numbers are different */
  node_with(1, "unique_id 255\nlocation_id 769\n");
  node_with(2, "unique_id 255\nlocation_id 768\n");
  node_with(10, "unique_id 255\nlocation_id 768\n");
  list(3);
  id_of(0, "GPU-00000000000000ff-1");
  id_of(1, "GPU-00000000000000ff-2");
  id_of(2, "GPU-00000000000000ff-0");
}

/* --- kernels and containers ------------------------------------------------------------------- */

/* Four partitions of an MI300X, as one of these kernels shows them. */
enum kernel {
  OLD,      /* the function is the number; one unique id */
  XCD_IDS,  /* each has the unique id of its first XCD */
  HIGH_BITS /* the number is in location_id[31:28]; the unique ids of XCDs */
};
#define BOARD "1d3c0ffee000a700"
#define BOARD_ID UINT64_C(0x1d3c0ffee000a700)

static void put_partition(enum kernel kernel, unsigned i)
{
  const uint64_t id = kernel == OLD ? BOARD_ID : UINT64_C(0xabc0) + i;
  const unsigned location = 0xa700 + (kernel == HIGH_BITS ? i << 28 : i);
  char lines[200];

  snprintf(lines, sizeof(lines),
           "unique_id %" PRIu64 "\nlocation_id %u\ngfx_target_version 90402\nnum_xcc 2\n"
           "drm_render_minor %u\n",
           id, location, 128 + i);
  node_with(2 + i, lines);
}

/* mode: of compute partitions; NULL: PCI does not show the GPU */
static void put_partitions(enum kernel kernel, const char *mode)
{
  const char *device = "sys/bus/pci/devices/0000:a7:00.0";
  char file[128];

  shell("rm -rf %s/sys", root);
  for (unsigned i = 0; i < 4; i++)
    put_partition(kernel, i);
  if (!mode)
    return;
#define PUT(name, text)                                                                            \
  snprintf(file, sizeof(file), "%s/" name, device);                                                \
  put(file, text)
  PUT("vendor", "0x1002\n");
  PUT("class", "0x120000\n");
  PUT("device", "0x74a1\n");
  PUT("unique_id", BOARD "\n");
  PUT("current_compute_partition", mode);
#undef PUT
}

/* A container: the kernel refuses to read the nodes of the other GPUs. */
static void show_only(const char *numbers)
{
  shell("cd %s/" NODES " && for i in 0 1 2 3; do case '%s' in *$i*) ;; *) rm -rf $((i + 2))/*; esac; "
        "done", root, numbers);
}

static void numbers_are(size_t count, const char *numbers)
{
  list(count);
  for (size_t i = 0; i < count; i++) {
    char id[80];

    snprintf(id, sizeof(id), "GPU-" BOARD "-%c", numbers[i]);
    assert_string_equal(gpus.array[i].identity.id, id);
    assert_true(gpus.array[i].amd.is_partition);
    assert_int_equal(gpus.array[i].amd.partition, numbers[i] - '0');
  }
}

/* The records of the partitions have the same names with all kernels. */
static void ids_survive_a_new_kernel(void **state)
{
  (void)state;
  for (enum kernel kernel = OLD; kernel <= HIGH_BITS; kernel++) {
    put_partitions(kernel, "QPX\n");
    numbers_are(4, "0123");
    for (size_t i = 0; i < 4; i++) {
      const struct gc_amd *amd = &gpus.array[i].amd;
      char uuid[32];

      assert_int_equal(gpus.array[i].bus, 0xa7);
      assert_int_equal(gpus.array[i].dev, 0);
      assert_int_equal(gpus.array[i].func, kernel == HIGH_BITS ? 0 : i);
      assert_int_equal(amd->own_bus_id, kernel != HIGH_BITS);
      assert_int_equal(amd->own_uuid, kernel != OLD);
      assert_int_equal(amd->parts, 4);
      assert_int_equal(amd->before, i);
      snprintf(uuid, sizeof(uuid), "GPU-%016zx", kernel == OLD ? BOARD_ID : 0xabc0 + i);
      assert_string_equal(amd->uuid, uuid);
      assert_ptr_equal(gc_gpus_by_name(&gpus, uuid), kernel == OLD ? NULL : &gpus.array[i]);
    }
  }
}

/* So has that of a whole GPU. Some kernels write the id of its first XCD. */
static void the_id_of_a_whole_gpu_survives(void **state)
{
  (void)state;
  for (enum kernel kernel = OLD; kernel <= XCD_IDS; kernel++) {
    put_partitions(kernel, "SPX\n");
    show_only("0");
    list(1);
    id_of(0, "GPU-" BOARD);
    assert_false(gpus.array[0].amd.is_partition);
    assert_string_equal(gpus.array[0].identity.mig, "SPX");
  }
  /* the file is empty, or something else, or missing: the id of KFD */
  put("sys/bus/pci/devices/0000:a7:00.0/unique_id", "\n");
  list(1);
  id_of(0, "GPU-000000000000abc0");
  put("sys/bus/pci/devices/0000:a7:00.0/unique_id", "11112222333344445\n");
  list(1);
  id_of(0, "GPU-000000000000abc0");
  put("sys/bus/pci/devices/0000:a7:00.0/unique_id", "0000000000000000\n");
  list(1);
  id_of(0, "GPU-000000000000abc0");
  put("sys/bus/pci/devices/0000:a7:00.0/unique_id", "12g\n");
  list(1);
  id_of(0, "GPU-000000000000abc0");
}

/* The number is the kernel's, whichever partitions are visible. */
static void partitions_in_a_container(void **state)
{
  (void)state;
  for (enum kernel kernel = OLD; kernel <= HIGH_BITS; kernel++) {
    put_partitions(kernel, "QPX\n");
    show_only("13");
    numbers_are(2, "13");
    assert_int_equal(gpus.array[1].amd.parts, 2);
    assert_int_equal(gpus.array[1].amd.before, 1);
    show_only("3");
    numbers_are(1, "3");
    put_partitions(kernel, "QPX\n");
    show_only("0");
    numbers_are(1, "0");
  }
}

/* Without PCI in sysfs, a partition is not taken for the whole GPU. */
static void partitions_without_pci(void **state)
{
  (void)state;
  for (enum kernel kernel = OLD; kernel <= HIGH_BITS; kernel++) {
    put_partitions(kernel, NULL);
    show_only("3");
    list(1);
    id_of(0, kernel == OLD ? "GPU-" BOARD "-3" : "GPU-000000000000abc3-3");
    put_partitions(kernel, NULL);
    show_only("13");
    list(2);
    id_of(0, kernel == OLD ? "GPU-" BOARD "-1" : "GPU-000000000000abc1-1");
    id_of(1, kernel == OLD ? "GPU-" BOARD "-3" : "GPU-000000000000abc3-3");
  }
  /* a single XCD: no such GPU has only one */
  put_partitions(OLD, NULL);
  show_only("0");
  list(1);
  id_of(0, "GPU-" BOARD);
  shell("sed -i 's/^num_xcc 2/num_xcc 1/' %s/" NODES "/2/properties", root);
  list(1);
  id_of(0, "GPU-" BOARD "-0");
}

/* A virtual function (SR-IOV) is a GPU of its own. */
static void virtual_functions(void **state)
{
  (void)state;
  node_with(1, "unique_id 1\nlocation_id 769\ngfx_target_version 90402\nnum_xcc 8\n");
  node_with(2, "unique_id 2\nlocation_id 770\ngfx_target_version 90402\nnum_xcc 8\n");
  for (unsigned func = 1; func <= 2; func++) {
    char file[128];

    snprintf(file, sizeof(file), "sys/bus/pci/devices/0000:03:00.%u/vendor", func);
    put(file, "0x1002\n");
    snprintf(file, sizeof(file), "sys/bus/pci/devices/0000:03:00.%u/class", func);
    put(file, "0x120000\n");
  }
  list(2);
  id_of(0, "GPU-0000000000000001");
  id_of(1, "GPU-0000000000000002");
  /* one of a GPU that cannot have partitions, and PCI is hidden */
  shell("rm -r %s/sys", root);
  node_with(1, "unique_id 1\nlocation_id 769\ngfx_target_version 90010\n");
  list(1);
  id_of(0, "GPU-0000000000000001");
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
  put("sys/bus/pci/devices/0000:03:00.1/vendor", "0x1002\n"); /* audio device */
  put("sys/bus/pci/devices/0000:03:00.1/class", "0x040300\n");
  put("sys/bus/pci/devices/0000:04:00.0/vendor", "0x1002\n");
  put("sys/bus/pci/devices/0000:04:00.0/class", "0x120000\n");
  list(2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(gpus.array[i].vendor, GC_VENDOR_AMD);
    assert_string_equal(gpus.array[i].problem,
                        "the amdgpu kernel driver has no compute node (KFD) for it");
    assert_null(gpus.array[i].tables);
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
                      "HWLOC_FSROOT names a copy: GPUs can be measured only on the machine itself");
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

static void no_descriptor_is_left(void **state)
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
      TEST(ids_survive_a_new_kernel),
      TEST(the_id_of_a_whole_gpu_survives),
      TEST(partitions_in_a_container),
      TEST(partitions_without_pci),
      TEST(virtual_functions),
      TEST(what_is_no_amd_gpu),
      TEST(pci_alone),
      TEST(who_may_compute),
      TEST(what_the_driver_is),
      TEST(no_descriptor_is_left),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
