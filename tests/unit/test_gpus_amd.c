/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs, on trees of KFD: those that tests/data/amd-tree.sh writes, three of real machines (from
 * $KFD_TREES, else ../shared/kfd beside the checkout; skipped where they are not), and broken ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpus/vendors.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES "sys/class/kfd/kfd/topology/nodes"

static char root[64];
static struct gc_gpus gpus;

static const char *path_of(const char *file)
{
  static char path[PATH_MAX];

  snprintf(path, sizeof(path), "%s/%s", root, file);
  return path;
}

static void put(const char *file, const char *text)
{
  char path[PATH_MAX];
  FILE *stream;

  snprintf(path, sizeof(path), "%s", path_of(file));
  for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static void __attribute__((format(printf, 1, 2))) shell(const char *format, ...)
{
  char command[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(command, sizeof(command), format, args);
  va_end(args);
  if (system(command))
    fail_msg("%s", command);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
  (void)status;
  (void)type;
  (void)walk;
  return remove(path);
}

static int setup(void **state)
{
  (void)state;
  snprintf(root, sizeof(root), "/tmp/test_gpus_amd.XXXXXX");
  assert_non_null(mkdtemp(root));
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  gc_gpus_free(&gpus);
  return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void add(const char *model, unsigned node, const char *bus_id)
{
  const char *top = getenv("top_srcdir");

  shell("%s/tests/data/amd-tree.sh %s %s %u %s", top ? top : ".", root, model, node, bus_id);
}

/* Lists, and reads the facts of all. */
static void list(size_t count)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gpus.count, count);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(gc_gpus_know(root, &gpus.array[i]), 0);
}

static void fact_is(const struct gc_record *known, const char *name, const char *value)
{
  const char *found = gc_infos_get(&known->infos, name);

  if (value ? !found || strcmp(found, value) : found != NULL)
    fail_msg("%s is %s, not %s", name, found ? found : "absent", value ? value : "absent");
}

/* An element as "bytes line instances per CU, sharing"; 0 or NULL: nothing said. */
struct expected {
  enum gc_kind kind;
  uint64_t bytes, line, instances, per_sm;
  const char *sharing;
};

static void number_is(const struct gc_element *element, const char *key, const char *source,
                      uint64_t value)
{
  const char *subtype = gc_kinds[element->kind].subtype;
  uint64_t found = 0;

  gc_infos_get_u64(&element->infos, key, &found);
  if (found != value)
    fail_msg("%s of %s is %" PRIu64 ", not %" PRIu64, key, subtype, found, value);
  if (value && (!gc_infos_get(&element->infos, source) ||
                strcmp(gc_infos_get(&element->infos, source), "sysfs")))
    fail_msg("%s of %s has the source %s", key, subtype, gc_infos_get(&element->infos, source));
}

static void element_is(const struct gc_record *known, const struct expected *expected)
{
  const struct gc_element *element = gc_record_find(known, expected->kind);
  const char *sharing;

  if (!element)
    fail_msg("there is no %s", gc_kinds[expected->kind].subtype);
  number_is(element, "NominalBytes", "NominalSource", expected->bytes);
  number_is(element, "CapacityBytes", "CapacitySource", expected->bytes);
  number_is(element, "LineBytes", "LineSource", expected->line);
  number_is(element, "Instances", "InstancesSource", expected->instances);
  number_is(element, "PerSM", "PerSMSource", expected->per_sm);
  sharing = gc_infos_get(&element->infos, "SharedByCUs");
  if (expected->sharing)
    assert_string_equal(sharing, expected->sharing);
  else
    assert_null(sharing);
}

static void elements_are(const struct gc_record *known, const struct expected *expected, size_t count)
{
  assert_non_null(known);
  for (size_t i = 0; i < count; i++)
    element_is(known, &expected[i]);
  assert_int_equal(known->count, count);
  for (size_t i = 0; i < known->count; i++)
    for (size_t j = 0; j < known->elements[i].infos.count; j++) {
      const struct gc_info *info = &known->elements[i].infos.array[j];

      assert_true(gc_value_ok(info->name, info->value));
      assert_null(strstr(info->value, "measured"));
    }
}

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define ELEMENTS_ARE(known, expected)                                                              \
  elements_are(known, expected, sizeof(expected) / sizeof(*(expected)))

static const struct expected mi100_elements[] = {
    {GC_DEVICE_MEMORY, 32 * GIB, 0, 0, 0, NULL},
    {GC_L2, 8 * MIB, 64, 1, 0, NULL},
    {GC_L1, 16 * KIB, 64, 120, 1, NULL},
    {GC_SCALAR_L1, 16 * KIB, 64, 44, 0, "36x3,4x2,4x1"},
    {GC_INSTRUCTION_CACHE, 32 * KIB, 64, 44, 0, "36x3,4x2,4x1"},
    {GC_LDS, 64 * KIB, 0, 120, 1, NULL},
};

static void mi100(void **state)
{
  const struct gc_gpu *gpu;

  (void)state;
  add("mi100", 1, "0000:a7:00.0");
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
  add("mi300x", 1, "0000:a7:00.0");
  add("mi300x-6.6", 2, "0000:c7:00.0");
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
  add("mi300x-cpx", 3, "0000:a7:00.0");
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
  add("mi300x-cpx", 3, "0000:a7:00.0");
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
  add("rx6800", 1, "0000:03:00.0");
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
    assert_null(gc_record_find(known, GC_L1)); /* this copy has neither caches nor memory banks */
    element_is(known, &(struct expected){GC_LDS, 64 * KIB, 0, 104, 1, NULL});
  }
}

/* --- identity -------------------------------------------------------------------------------------- */

static void node_with(unsigned number, const char *lines)
{
  char file[128], text[512];

  snprintf(file, sizeof(file), NODES "/%u/properties", number);
  snprintf(text, sizeof(text), "simd_count 80\nsimd_per_cu 4\nlds_size_in_kb 64\n%s", lines);
  put(file, text);
}

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

static void id_of(unsigned i, const char *id)
{
  assert_string_equal(gpus.array[i].identity.id, id);
  assert_true(gc_id_ok(id));
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

static int try_turn(unsigned i, int *turn)
{
  struct gc_error err = {""};
  const int status = gc_gpus_take_turn(root, &gpus.array[i], 0, turn, &err);

  if (status)
    assert_string_equal(err.text, "the GPU, or another partition of it, is being measured by another process");
  return status;
}

/* Takes a turn in a process of its own, says so, and has it until it is told to end. */
static pid_t start_turn(unsigned i, int *said)
{
  int ends[2];
  pid_t child;
  char c;

  assert_int_equal(pipe(ends), 0);
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    int turn;

    if (gc_gpus_take_turn(root, &gpus.array[i], 60, &turn, NULL) || turn < 0 ||
        write(ends[1], "t", 1) != 1)
      _exit(1);
    pause();
    _exit(2);
  }
  close(ends[1]);
  if (said)
    *said = ends[0];
  else {
    assert_int_equal(read(ends[0], &c, 1), 1);
    close(ends[0]);
  }
  return child;
}

static void end_turn(pid_t child)
{
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The partitions of one GPU are measured one after another, those of two side by side. */
static void partitions_take_turns(void **state)
{
  pid_t first, second;
  int turn, said;
  char c;

  (void)state;
  add("mi300x-cpx", 3, "0000:a7:00.0");
  add("mi300x", 20, "0000:c7:00.0");
  list(9);
  assert_int_equal(gpus.array[8].bus, 0xc7);
  first = start_turn(2, NULL);
  assert_int_equal(try_turn(5, &turn), -ETIMEDOUT);
  assert_int_equal(turn, -1);
  assert_int_equal(try_turn(8, &turn), 0); /* the other GPU */
  close(turn);
  second = start_turn(7, &said);
  assert_int_equal(poll(&(struct pollfd){.fd = said, .events = POLLIN}, 1, 100), 0); /* it waits, */
  end_turn(first);
  assert_int_equal(read(said, &c, 1), 1); /* and then gets it */
  close(said);
  assert_int_equal(try_turn(2, &turn), -ETIMEDOUT);
  end_turn(second);
  assert_int_equal(try_turn(2, &turn), 0);
  close(turn);
  /* PCI does not show them: there is one turn for all */
  shell("rm -r %s/sys/bus/pci/devices/*", root);
  first = start_turn(2, NULL);
  assert_int_equal(try_turn(8, &turn), -ETIMEDOUT);
  end_turn(first);
  /* no other vendor's GPU has such partitions */
  gpus.array[0].vendor = GC_VENDOR_NVIDIA;
  assert_int_equal(try_turn(0, &turn), 0);
  assert_int_equal(turn, -1);
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
  add("rx6800", 1, "0000:03:00.0");
  list(1);
  assert_string_equal(gpus.array[0].problem,
                      "there is no /dev/kfd: load the kernel driver amdgpu, or give it to the container");
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

/* --- broken trees ---------------------------------------------------------------------------------- */

#define CACHES NODES "/1/caches/"

static void cache(unsigned index, const char *lines)
{
  char file[128];

  snprintf(file, sizeof(file), CACHES "%u/properties", index);
  put(file, lines);
}

/* Which entries of an MI100 are what. */
enum { VECTOR = 0, CODE = 120, SCALAR = CODE + 44, L2 = SCALAR + 44 };

/* What lies in the middle is not read where the ends tell enough. */
static void reads_no_more_than_it_must(void **state)
{
  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  for (unsigned i = VECTOR + 1; i < CODE - 1; i++)
    cache(i, "level 7\ntype 99\n");
  for (unsigned i = SCALAR + 1; i < L2 - 1; i++)
    cache(i, "level 7\ntype 99\n");
  list(1);
  ELEMENTS_ARE(gpus.array[0].known, mi100_elements);
}

/* And it is where they do not. */
static void reads_what_it_must(void **state)
{
  const struct gc_record *known;

  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  shell("sed -i 's/^sibling_map 1,0/sibling_map 1,1/' %s/" CACHES "%d/properties", root, L2 - 1);
  list(1);
  known = gpus.array[0].known;
  element_is(known, &(struct expected){GC_INSTRUCTION_CACHE, 32 * KIB, 64, 44, 0, "36x3,4x2,4x1"});
  element_is(known, &(struct expected){GC_SCALAR_L1, 16 * KIB, 64, 44, 0, "36x3,5x2,3x1"});
  /* two CUs have one vector L1: nobody has one of its own, and the number of them is their own, too */
  shell("sed -i 's/^sibling_map 1,0/sibling_map 1,1/' %s/" CACHES "%d/properties", root, CODE - 1);
  list(1);
  element_is(gpus.array[0].known, &(struct expected){GC_L1, 16 * KIB, 64, 120, 0, "1x2,119x1"});
}

/* An entry that says nothing makes counts uncertain, and nothing else. */
static void half_a_table(void **state)
{
  static const char *const texts[] = {"", "level 1\n", "\n\n\n", "level 1\nsize 16\ntype 4294967295\n",
                                      "level -1\nsize 16\ntype 9\n"};
  static const struct expected elements[] = {
      {GC_DEVICE_MEMORY, 32 * GIB, 0, 0, 0, NULL},
      {GC_L2, 8 * MIB, 64, 1, 0, NULL},
      {GC_L1, 16 * KIB, 64, 0, 0, NULL},
      {GC_SCALAR_L1, 16 * KIB, 64, 0, 0, NULL},
      {GC_INSTRUCTION_CACHE, 32 * KIB, 64, 0, 0, NULL},
      {GC_LDS, 64 * KIB, 0, 120, 1, NULL},
  };

  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    cache(CODE + 10, texts[i]);
    list(1);
    ELEMENTS_ARE(gpus.array[0].known, elements);
  }
}

/* What was there before the gap is believed, and not counted. */
static void a_gap(void **state)
{
  const struct gc_record *known;

  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  shell("rm -r %s/" CACHES "%d", root, CODE + 5);
  list(1);
  known = gpus.array[0].known;
  element_is(known, &(struct expected){GC_L1, 16 * KIB, 64, 0, 0, NULL});
  element_is(known, &(struct expected){GC_INSTRUCTION_CACHE, 32 * KIB, 64, 0, 0, NULL});
  assert_null(gc_record_find(known, GC_L2));
}

static void absurd_numbers(void **state)
{
  static const struct {
    const char *text;
    bool there;
  } cases[] = {
      {"level 2\ntype 9\nsize 4096\n", true},
      {"level 2\ntype 9\nsize 0\n", false},
      {"level 2\ntype 9\nsize -4096\n", false},
      {"level 2\ntype 9\nsize 1099511627776\n", false},
      {"level 2\ntype 9\nsize 99999999999999999999999999\n", false},
      {"level 2\ntype 9\nsize 4096 KiB\n", false},
      {"level 2\ntype 9\nsizes 4096\n", false},
      {"level 2\ntype 8\nsize 4096\n", false},  /* neither data nor instructions */
      {"level 2\ntype 5\nsize 4096\n", false},  /* of CPU cores */
      {"level 2\ntype 73\nsize 4096\n", false}, /* of who knows what */
      {"level 9\ntype 9\nsize 4096\n", false},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    node_with(1, "unique_id 1\ncaches_count 1\n");
    cache(0, cases[i].text);
    list(1);
    if ((gc_record_find(gpus.array[0].known, GC_L2) != NULL) != cases[i].there)
      fail_msg("%s", cases[i].text);
  }
}

static void absurd_nodes(void **state)
{
  const struct gc_record *known;

  (void)state;
  put(NODES "/1/properties",
      "simd_count 18446744073709551615\nsimd_per_cu 3\nlds_size_in_kb 18446744073709551615\n"
      "wave_front_size 18446744073709551615\nmax_waves_per_simd 18446744073709551615\n"
      "max_engine_clk_fcompute 18446744073709551615\nnum_xcc 18446744073709551615\n"
      "location_id 18446744073709551615\ndomain 18446744073709551615\ndevice_id 18446744073709551615\n"
      "caches_count 18446744073709551615\nunique_id 18446744073709551615\n");
  put(NODES "/1/mem_banks/0/properties",
      "heap_type 1\nsize_in_bytes 18446744073709551615\nwidth 18446744073709551615\n");
  list(1);
  id_of(0, "GPU-ffffffffffffffff");
  assert_null(gpus.array[0].known); /* nothing that could be believed */
  put(NODES "/1/properties", "simd_count 18446744073709551615\nsimd_per_cu 18446744073709551615\n"
                             "lds_size_in_kb 64\nmax_waves_per_simd 1024\nwave_front_size 1024\n");
  put(NODES "/1/mem_banks/0/properties", "heap_type 0\nsize_in_bytes 4096\n");
  list(1);
  known = gpus.array[0].known;
  element_is(known, &(struct expected){GC_LDS, 64 * KIB, 0, 0, 0, NULL});
  fact_is(known, "SMs", NULL);
  fact_is(known, "ThreadsPerSM", NULL);
  /* memory of the host is not the GPU's */
  assert_int_equal(gc_record_find(known, GC_DEVICE_MEMORY)->infos.count, 0);
}

/* A map may be cut off by the page that sysfs gives, or be none. */
static void strange_maps(void **state)
{
  static const char *const heads[] = {"1,1,0,", "0,0,0,0,", "1,x,", "", "11111", "1;1;"};
  static const char *const sharing[] = {"1x2", NULL, NULL, NULL, "1x5", NULL};
  char text[5000];

  (void)state;
  for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
    node_with(1, "unique_id 1\ncaches_count 1\n");
    snprintf(text, sizeof(text), "level 1\ntype 10\nsize 64\nsibling_map %s", heads[i]);
    cache(0, text);
    list(1);
    element_is(gpus.array[0].known,
               &(struct expected){GC_INSTRUCTION_CACHE, 64 * KIB, 0, 1, 0, sharing[i]});
  }
  /* longer than anything; 2000 CUs with one cache are no group of CUs */
  snprintf(text, sizeof(text), "level 1\ntype 10\nsize 64\nsibling_map ");
  while (strlen(text) + 3 < sizeof(text))
    strcat(text, "1,");
  cache(0, text);
  list(1);
  element_is(gpus.array[0].known,
             &(struct expected){GC_INSTRUCTION_CACHE, 64 * KIB, 0, 1, 0, NULL});
}

/* Work is bounded: of endless caches, nothing is counted. */
static void thousands_of_caches(void **state)
{
  (void)state;
  node_with(1, "unique_id 1\ncaches_count 5000\n");
  shell("cd %s && mkdir -p " CACHES " && cd " CACHES " && mkdir $(seq 0 4999) && for i in $(seq 0 4999); "
        "do printf 'processor_id_low %%d\\nlevel 1\\ntype 9\\nsize 16\\nsibling_map 1\\n' $i > $i/properties; "
        "done", root);
  list(1);
  element_is(gpus.array[0].known, &(struct expected){GC_L1, 16 * KIB, 0, 0, 0, NULL});
  /* and of kinds that change with every entry, the first count */
  shell("cd %s/" CACHES " && for i in $(seq 0 99); do printf 'processor_id_low %%d\\nlevel %%d\\ntype 9\\n"
        "size 16\\nsibling_map 1\\n' $i $((i %% 3 + 1)) > $i/properties; done", root);
  list(1);
  assert_true(gpus.array[0].known->count <= 5);
}

/* A directory where a file should be, a link to nowhere, a file that nobody ends. */
static void strange_files(void **state)
{
  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  shell("cd %s && rm " CACHES "120/properties && mkdir " CACHES "120/properties", root);
  list(1);
  assert_null(gc_record_find(gpus.array[0].known, GC_L2));
  shell("cd %s && rmdir " CACHES "120/properties && ln -s nowhere " CACHES "120/properties", root);
  list(1);
  shell("cd %s && rm " CACHES "120/properties && mkfifo " CACHES "120/properties", root);
  list(1);
  element_is(gpus.array[0].known, &(struct expected){GC_L1, 16 * KIB, 64, 0, 0, NULL});
  shell("cd %s && rm -r " CACHES " && ln -s /dev " NODES "/1/caches", root);
  list(1);
  assert_null(gc_record_find(gpus.array[0].known, GC_L1));
  /* gone between listing and looking */
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  shell("rm -r %s/" NODES "/1", root);
  assert_int_equal(gc_gpus_know(root, &gpus.array[0]), 0);
  assert_null(gpus.array[0].known);
}

/* Bytes of the tree changed at random: whatever comes of it is well-formed. */
static void mutilated(void **state)
{
  static const char *const files[] = {NODES "/1/properties", CACHES "0/properties",
                                      CACHES "59/properties", CACHES "60/properties",
                                      CACHES "100/properties", NODES "/1/mem_banks/0/properties",
                                      "sys/bus/pci/devices/0000:03:00.0/vendor"};
  static const char letters[] = "0123456789 \n-,x\xff";

  (void)state;
  add("rx6800", 1, "0000:03:00.0");
  srandom(1);
  for (int turn = 0; turn < 500; turn++) {
    const char *file = path_of(files[(unsigned)random() % (sizeof(files) / sizeof(*files))]);
    FILE *stream = fopen(file, "r+");

    assert_non_null(stream);
    fseek(stream, random() % 200, SEEK_SET);
    for (long n = random() % 4; n >= 0; n--)
      fputc(letters[(unsigned)random() % (sizeof(letters) - 1)], stream);
    fclose(stream);
    gc_gpus_free(&gpus);
    assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
    for (size_t i = 0; i < gpus.count; i++) {
      struct gc_gpu *gpu = &gpus.array[i];

      assert_true(gc_id_ok(gpu->identity.id));
      assert_int_equal(gc_gpus_know(root, gpu), 0);
      for (size_t j = 0; gpu->known && j < gpu->known->count; j++)
        for (size_t k = 0; k < gpu->known->elements[j].infos.count; k++) {
          const struct gc_info *info = &gpu->known->elements[j].infos.array[k];

          assert_true(gc_value_ok(info->name, info->value));
        }
    }
  }
}

static unsigned open_descriptors(void)
{
  DIR *dir = opendir("/proc/self/fd");
  unsigned count = 0;

  assert_non_null(dir);
  while (readdir(dir))
    count++;
  closedir(dir);
  return count;
}

static void no_descriptor_stays(void **state)
{
  unsigned before;

  (void)state;
  add("mi100", 1, "0000:a7:00.0");
  before = open_descriptors();
  list(1);
  assert_int_equal(open_descriptors(), before);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
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
      TEST(partitions_take_turns),
      TEST(partitions_with_ids_of_their_own),
      TEST(what_is_no_amd_gpu),
      TEST(pci_alone),
      TEST(who_may_compute),
      TEST(what_the_driver_is),
      TEST(reads_no_more_than_it_must),
      TEST(reads_what_it_must),
      TEST(half_a_table),
      TEST(a_gap),
      TEST(absurd_numbers),
      TEST(absurd_nodes),
      TEST(strange_maps),
      TEST(thousands_of_caches),
      TEST(strange_files),
      TEST(mutilated),
      TEST(no_descriptor_stays),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
