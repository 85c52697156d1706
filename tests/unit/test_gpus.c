/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of GPUs, on file trees that each test writes into its own directory.
 */
#include "tree.h"

#include "gpus/gpus.h"
#include "gpus/sim.h"
#include "gpus/tree.h"
#include "tool/gpus/results.h"
#include "util/hash.h"

#include <fcntl.h>

/* The files of a real H200. */
#define H200_INFORMATION                                                                           \
  "Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\n"                                                      \
  "GPU UUID: \t GPU-0f57e240-3d79-05fd-7882-d6bec7b0f1cf\n"                                        \
  "Video BIOS: \t 96.00.a5.00.1a\nBus Type: \t PCIe\nDMA Size: \t 52 bits\n"                       \
  "DMA Mask: \t 0xfffffffffffff\nBus Location: \t 0000:00:06.0\nDevice Minor: \t 0\n"              \
  "GPU Firmware: \t 580.159.04\nGPU Excluded:\t No\n"
#define OPEN_VERSION                                                                               \
  "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "           \
  "(nixbld@)  Wed Jun 11 2025\nGCC version:  gcc version 12.2.0\n"
#define CLOSED_VERSION                                                                             \
  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\n"
#define INFORMATION "proc/driver/nvidia/gpus/%s/information"

static struct gc_gpus gpus;

static void put_pci(const char *bus_id, const char *vendor, const char *class)
{
  char file[128];

  snprintf(file, sizeof(file), "sys/bus/pci/devices/%s/vendor", bus_id);
  put(file, vendor);
  snprintf(file, sizeof(file), "sys/bus/pci/devices/%s/class", bus_id);
  put(file, class);
  snprintf(file, sizeof(file), "sys/bus/pci/devices/%s/device", bus_id);
  put(file, "0x2330\n");
}

static void put_h200(const char *bus_id, const char *information)
{
  char file[128];

  put_pci(bus_id, "0x10de\n", "0x030200\n");
  snprintf(file, sizeof(file), INFORMATION, bus_id);
  put(file, information);
}

static int setup(void **state)
{
  make_root(state);
  return setenv("HWLOC_GPUCACHE_SIM_PATH", root, 1);
}

static int teardown(void **state)
{
  gc_gpus_free(&gpus);
  return remove_root(state);
}

static void list(const char *sims)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, sims, &gpus), 0);
}

static void nothing_is_fine(void **state)
{
  (void)state;
  list(NULL);
  assert_int_equal(gpus.count, 0);
  assert_null(gc_gpus_by_name(&gpus, "gpu0"));
}

static void real_h200(void **state)
{
  const struct gc_identity *id;

  (void)state;
  put_h200("0000:00:06.0", H200_INFORMATION);
  put("proc/driver/nvidia/version", OPEN_VERSION);
  list(NULL);
  assert_int_equal(gpus.count, 1);
  id = &gpus.array[0].identity;
  assert_string_equal(id->id, "GPU-0f57e240-3d79-05fd-7882-d6bec7b0f1cf");
  assert_string_equal(id->model, "NVIDIA H200");
  assert_string_equal(id->driver, "580.159.04");
  assert_string_equal(id->vbios, "96.00.a5.00.1a");
  assert_string_equal(id->mig, "disabled");
  assert_string_equal(gpus.array[0].name, "gpu0");
  assert_string_equal(gpus.array[0].problem, "");
  assert_true(gpus.array[0].has_pci);
  assert_int_equal(gpus.array[0].dev, 6);
}

/* A record with such bytes could not be read, so it would not be stored. */
static void broken_bytes_are_replaced(void **state)
{
  const struct gc_identity *identity;

  (void)state;
  put("proc/driver/nvidia/version", OPEN_VERSION);
  put_h200("0000:00:06.0", "Model: \t\t NVIDIA\x01H\x80" "200\n"
                           "GPU UUID: \t GPU-0f57e240-3d79-05fd-7882-d6bec7b0f1cf\n"
                           "Video BIOS: \t 96.00\x1b.a5\x7f\xff\nDevice Minor: \t 0\n");
  list(NULL);
  assert_int_equal(gpus.count, 1);
  identity = &gpus.array[0].identity;
  assert_string_equal(identity->model, "NVIDIA?H?200");
  assert_string_equal(identity->vbios, "96.00?.a5??");
}

static void driver_versions(void **state)
{
  (void)state;
  put_h200("0000:00:06.0", H200_INFORMATION);
  list(NULL);
  assert_string_equal(gpus.array[0].identity.driver, "");
  put("sys/module/nvidia/version", "560.35.03\n");
  list(NULL);
  assert_string_equal(gpus.array[0].identity.driver, "560.35.03");
  put("proc/driver/nvidia/version", CLOSED_VERSION);
  list(NULL);
  assert_string_equal(gpus.array[0].identity.driver, "535.54.03");
}

static void order_and_names(void **state)
{
  static const char *const words[] = {"gpu1", "1", "0000:97:00.0", "97:00.0", "GPU-b", "gpu-B"};

  (void)state;
  put_h200("0001:01:00.0", "GPU UUID: \t GPU-c\n");
  put_h200("0000:97:00.0", "GPU UUID: \t GPU-b\n");
  put_h200("0000:17:00.0", "GPU UUID: \t GPU-a\n");
  put_pci("0000:18:00.0", "0x10de\n", "0x040300\n"); /* the audio device of a GPU */
  put_pci("0000:19:00.0", "0x10de\n", "0x068000\n"); /* a switch */
  put_pci("0000:1a:00.0", "0x1a03\n", "0x030000\n");
  put("sys/bus/pci/devices/junk/vendor", "0x10de\n");
  list(NULL);
  assert_int_equal(gpus.count, 3);
  assert_string_equal(gpus.array[0].identity.id, "GPU-a");
  assert_string_equal(gpus.array[1].identity.id, "GPU-b");
  assert_string_equal(gpus.array[2].identity.id, "GPU-c");
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
    assert_ptr_equal(gc_gpus_by_name(&gpus, words[i]), &gpus.array[1]);
  assert_ptr_equal(gc_gpus_by_name(&gpus, "0001:01:00.0"), &gpus.array[2]);
  assert_null(gc_gpus_by_name(&gpus, "01:00.0"));
  assert_null(gc_gpus_by_name(&gpus, "3"));
  assert_null(gc_gpus_by_name(&gpus, "97:00.0x"));
  assert_null(gc_gpus_by_name(&gpus, ""));
}

static void without_a_driver(void **state)
{
  (void)state;
  put_pci("0000:17:00.0", "0x10de\n", "0x030200\n");
  list(NULL);
  assert_int_equal(gpus.count, 1);
  assert_string_equal(gpus.array[0].identity.id, "pci-0000_17_00.0");
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA GPU [10de:2330]");
  assert_non_null(strstr(gpus.array[0].problem, "driver"));
}

/* Containers such as gVisor: a GPU that only /proc lists is found, too. */
static void without_sysfs(void **state)
{
  (void)state;
  put("proc/driver/nvidia/gpus/0000:17:00.0/information", H200_INFORMATION);
  list(NULL);
  assert_int_equal(gpus.count, 1);
  assert_string_equal(gpus.array[0].problem, "");
  assert_int_equal(gpus.array[0].bus, 0x17);
}

static void not_ready_or_excluded(void **state)
{
  static const char *const bad[] = {
      "GPU UUID: \t GPU-???????\?-???\?-???\?-???\?-????????????\nVideo BIOS: \t ??.??.??.??.??\n",
      "GPU UUID: \t GPU-a/../../b\n",
      "GPU UUID: \t GPU-a\nGPU Excluded:\t Yes\n",
      "Model: \t\t NVIDIA H200\n",
      "\n\n",
  };

  (void)state;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    put_h200("0000:17:00.0", bad[i]);
    list(NULL);
    assert_int_equal(gpus.count, 1);
    assert_true(gpus.array[0].problem[0]);
    assert_null(strchr(gpus.array[0].identity.id, '/'));
    assert_null(strchr(gpus.array[0].identity.id, '?'));
    assert_string_equal(gpus.array[0].identity.vbios, "");
  }
}

static void put_mig(unsigned gi, int ci)
{
  char file[128];

  if (ci < 0)
    snprintf(file, sizeof(file), "proc/driver/nvidia/capabilities/gpu0/mig/gi%u/access", gi);
  else
    snprintf(file, sizeof(file), "proc/driver/nvidia/capabilities/gpu0/mig/gi%u/ci%d/access", gi,
             ci);
  put(file, "DeviceFileMinor: 30\n");
}

static void mig_state(void **state)
{
  char before[sizeof(gpus.array->identity.mig)];

  (void)state;
  put_h200("0000:00:06.0", H200_INFORMATION);
  put("proc/driver/nvidia/capabilities/gpu0/mig/config", "x");
  list(NULL);
  assert_string_equal(gpus.array[0].identity.mig, "disabled");
  put_mig(10, 0);
  put_mig(2, 1);
  put_mig(2, 0);
  put_mig(3, -1);
  list(NULL);
  assert_string_equal(gpus.array[0].identity.mig, "gi2/ci0,gi2/ci1,gi3,gi10/ci0");
  for (unsigned gi = 0; gi < 40; gi++)
    put_mig(gi, 0);
  list(NULL);
  strcpy(before, gpus.array[0].identity.mig);
  assert_memory_equal(before, "gi0/ci0,gi1/ci0,", 16);
  put_mig(40, 0); /* too long */
  list(NULL);
  assert_string_not_equal(gpus.array[0].identity.mig, before);
}

static void hash_is_fnv1a(void **state)
{
  (void)state;
  assert_true(gc_hash(GC_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(gc_hash(GC_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(gc_hash(GC_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void simulated(void **state)
{
  struct gc_identity before;
  char sims[2 * sizeof(root) + 64];

  (void)state;
  put("h200", "# modelled = x\n  model =  NVIDIA H200   # really\nsms = 132\n");
  put("plain", "sms = 1\n");
  put("README", "model = no profile\n");
  snprintf(sims, sizeof(sims), " h200,\t%s/h200 ,plain ,h200, ,nope", root);
  list(sims);
  assert_int_equal(gpus.count, 3); /* each once */
  assert_string_equal(gpus.array[0].identity.id, "sim-h200");
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA H200");
  assert_string_equal(gpus.array[0].identity.driver, "simulated");
  assert_string_equal(gpus.array[0].identity.mig, "disabled");
  assert_string_equal(gpus.array[0].profile, path_of("h200"));
  assert_string_equal(gpus.array[0].problem, "");
  assert_false(gpus.array[0].has_pci);
  assert_int_equal(strlen(gpus.array[0].identity.vbios), 16);
  assert_string_equal(gpus.array[1].identity.model, "plain");
  assert_string_equal(gpus.array[2].identity.id, "sim-nope");
  assert_non_null(strstr(gpus.array[2].problem, "no simulated GPU is named 'nope'; available: "));
  assert_non_null(strstr(gpus.array[2].problem, "h200"));
  assert_null(strstr(gpus.array[2].problem, "README"));
  assert_ptr_equal(gc_gpus_by_name(&gpus, "plain"), &gpus.array[1]);
  assert_ptr_equal(gc_gpus_by_name(&gpus, "sim-plain"), &gpus.array[1]);
  assert_ptr_equal(gc_gpus_by_name(&gpus, path_of("plain")), &gpus.array[1]);
  list("nope,plain,none1,none2,none3,none4");
  assert_int_equal(gpus.count, 6);
  assert_non_null(strstr(gpus.array[0].problem, "named 'nope', 'none1', 'none2' or 2 more; "));
  for (size_t i = 0; i < gpus.count; i++)
    assert_string_equal(gpus.array[i].problem, i == 1 ? "" : gpus.array[0].problem);
  list("h200");
  /* A profile with any change is another GPU. */
  before = gpus.array[0].identity;
  put("h200", "# modelled = x\n  model =  NVIDIA H200   # really\nsms = 133\n");
  list("h200");
  assert_string_not_equal(gpus.array[0].identity.vbios, before.vbios);
}

static void names_of_several(void **state)
{
  static const struct {
    const char *numbers, *names;
  } cases[] = {
      {"", ""},
      {"2", "gpu2"},
      {"01", "gpu0, gpu1"},
      {"012", "gpu0 to gpu2"},
      {"2456789", "gpu2, gpu4 to gpu9"},
      {"0134", "gpu0, gpu1, gpu3, gpu4"},
      {"310", "gpu3, gpu1, gpu0"}, /* in the order that was asked for */
  };
  struct gc_gpu all[10] = {0};
  const struct gc_gpu *some[10];
  char text[64];

  (void)state;
  for (int i = 0; i < 10; i++)
    snprintf(all[i].name, sizeof(all[i].name), "gpu%d", i);
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const size_t count = strlen(cases[i].numbers);

    for (size_t k = 0; k < count; k++)
      some[k] = &all[cases[i].numbers[k] - '0'];
    gc_names_of(some, count, text, sizeof(text));
    assert_string_equal(text, cases[i].names);
  }
  /* no name is cut */
  for (int i = 0; i < 5; i++)
    some[i] = &all[2 * i];
  gc_names_of(some, 5, text, 23);
  assert_string_equal(text, "gpu0, gpu2, gpu4, ...");
  gc_names_of(some, 5, text, 22);
  assert_string_equal(text, "gpu0, gpu2, gpu4, ...");
  gc_names_of(some, 5, text, 21);
  assert_string_equal(text, "gpu0, gpu2, ...");
}

#define TABLES "model = M\ngfx = gfx90a # not gfx = gfx900\n[cache L1]\nsize = 1\n"

/* The driver tables of a simulated GPU. */
static void simulated_tables(void **state)
{
  static const struct {
    const char *text, *problem;
  } bad[] = {
      {"[sysfs L9Cache]\n", ":5: unknown element 'L9Cache'"},
      {"[sysfs LDS]\nNominalBytes = 1\n[sysfs LDS]\n", ":7: second table for 'LDS'"},
      {"[sysfs LDS]\nNominalBytes = 1 KiB\n[sysfs LDS]\n", ":6: more than one word: 'KiB'"},
      {"[sysfs LDS]\nLineBytes = many\n", ":6: wrong value 'many'"},
      {"[sysfs LDS]\nSharedByCUs = 8x\n", ":6: wrong value '8x'"},
      {"[sysfs LDS]\nLineBytes = 64\nLineBytes = 64\n", ":7: duplicate key 'LineBytes'"},
      {"[sysfs LDS]\nLatencyCycles = 64\n", ":6: not a key of the driver tables: 'LatencyCycles'"},
  };
  const struct gc_element *element;

  (void)state;
  put("mi", TABLES "[sysfs ScalarL1Cache]\nNominalBytes = 16384 # no KiB\nSharedByCUs = 8x2,4x1\n"
                   "[sysfs LDS]\nInstances=20\n[space ca]\npath = memory 1\n");
  put("plain", "model = x\n[cache L1]\ngfx = gfx90a\n");
  list("mi,plain");
  assert_string_equal(gpus.array[0].gfx, "gfx90a");
  assert_non_null(gpus.array[0].tables);
  assert_int_equal(gpus.array[0].tables->count, 3); /* device memory encloses the others */
  element = gc_record_find(gpus.array[0].tables, GC_SCALAR_L1);
  assert_string_equal(gc_infos_get(&element->infos, "NominalBytes"), "16384");
  assert_string_equal(gc_infos_get(&element->infos, "NominalSource"), "sysfs");
  assert_string_equal(gc_infos_get(&element->infos, "SharedByCUs"), "8x2,4x1");
  assert_string_equal(gc_infos_get(&element->infos, "SharedByCUsSource"), "sysfs");
  assert_string_equal(gc_infos_get(&element->infos, "CapacityBytes"), "16384");
  assert_int_equal(element->infos.count, 6);
  assert_string_equal(gc_infos_get(&gpus.array[0].tables->infos, "GFX"), "gfx90a");
  element = gc_record_find(gpus.array[0].tables, GC_LDS);
  assert_string_equal(gc_infos_get(&element->infos, "InstancesSource"), "sysfs");
  assert_string_equal(gpus.array[1].gfx, "");
  assert_null(gpus.array[1].tables);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    char text[256];

    snprintf(text, sizeof(text), TABLES "%s", bad[i].text);
    put("mi", text);
    list("mi");
    if (!strstr(gpus.array[0].problem, bad[i].problem))
      fail_msg("\"%s\" is not \"%s\"", gpus.array[0].problem, bad[i].problem);
    assert_null(gpus.array[0].tables);
  }
}

static void simulated_real_first(void **state)
{
  (void)state;
  put_h200("0000:00:06.0", H200_INFORMATION);
  put("a1", "model = A1\n");
  list("a1");
  assert_int_equal(gpus.count, 2);
  assert_string_equal(gpus.array[1].identity.id, "sim-a1");
  assert_string_equal(gpus.array[1].name, "gpu1");
}

static void simulated_badly(void **state)
{
  static char large[(1 << 20) + 2];
  char sims[6 * (sizeof(root) + 16)];

  (void)state;
  memset(large, '#', sizeof(large) - 1);
  put("large", large);
  large[sizeof(large) - 2] = '\0'; /* 1 MiB is accepted */
  put("fits", large);
  put("dir/x", "");
  assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
  put("odd.na me", "model = odd\n");
  snprintf(sims, sizeof(sims), "%s/large,%s/fits,%s/dir,%s/fifo,%s/odd.na me,/nowhere/at/all", root,
           root, root, root, root);
  list(sims);
  assert_int_equal(gpus.count, 6);
  assert_non_null(strstr(gpus.array[0].problem, "1 MiB"));
  assert_string_equal(gpus.array[1].problem, "");
  for (size_t i = 2; i < 6; i++)
    assert_int_equal(gpus.array[i].problem[0] != '\0', i != 4);
  assert_string_equal(gpus.array[4].identity.id, "sim-odd_na_me");
  list(",,");
  assert_int_equal(gpus.count, 0);
}

static void names_are_sorted(void **state)
{
  char names[256], small[8];

  (void)state;
  put("v100", "");
  put("a100", "");
  put(".hidden", "");
  put("a100~", "");
  gc_gpus_sim_names(names, sizeof(names));
  assert_memory_equal(names, "a100,", 5);
  assert_non_null(strstr(names, "v100"));
  assert_null(strchr(names, '~'));
  assert_null(strstr(names, "hidden"));
  gc_gpus_sim_names(small, sizeof(small));
  assert_int_equal(strlen(small), sizeof(small) - 1);
}

/* A link that replaced the file after the way to it was checked is not followed. */
static void links_in_place_of_files(void **state)
{
  char text[64];
  int dir;

  (void)state;
  put("file", "text\n");
  assert_return_code(symlink("file", path_of("link")), errno);
  dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  assert_return_code(dir, errno);
  assert_int_equal(gc_gpus_read(dir, "file", text, sizeof(text)), 5);
  assert_int_equal(gc_gpus_read(dir, "link", text, sizeof(text)), -ELOOP);
  close(dir);
  assert_int_equal(gc_gpus_read(AT_FDCWD, path_of("link"), text, sizeof(text)), 5);
}

static void no_descriptor_is_left(void **state)
{
  unsigned before;

  (void)state;
  put_h200("0000:00:06.0", H200_INFORMATION);
  put("proc/driver/nvidia/version", OPEN_VERSION);
  put_mig(1, 0);
  put("a1", "model = A1\n");
  mkdir(path_of("dir"), 0755);
  before = descriptors();
  list("a1,dir,nope");
  assert_int_equal(descriptors(), before);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(nothing_is_fine),
      TEST(real_h200),
      TEST(broken_bytes_are_replaced),
      TEST(driver_versions),
      TEST(order_and_names),
      TEST(without_a_driver),
      TEST(without_sysfs),
      TEST(not_ready_or_excluded),
      TEST(mig_state),
      TEST(hash_is_fnv1a),
      TEST(simulated),
      TEST(names_of_several),
      TEST(simulated_tables),
      TEST(simulated_real_first),
      TEST(simulated_badly),
      TEST(names_are_sorted),
      TEST(links_in_place_of_files),
      TEST(no_descriptor_is_left),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
