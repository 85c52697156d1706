/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs and NUMA nodes of whole machines, as tests/data/machine.sh writes them: coherent and
 * integrated GPUs, several sockets, CXL memory, and machines on which the driver lists no GPU.
 */
#include "tree.h"

#include "device/numa.h"
#include "gpus/gpus.h"

static struct gc_gpus gpus;

static int setup(void **state)
{
  make_root(state);
  unsetenv("CUDA_VISIBLE_DEVICES");
  return 0;
}

static int teardown(void **state)
{
  gc_gpus_free(&gpus);
  unsetenv("CUDA_VISIBLE_DEVICES");
  return remove_root(state);
}

static void list(size_t count)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gpus.count, count);
}

/* Lists the GPUs of this kind of machine, of which there must be so many, NVIDIA's without a
 * problem. (AMD's have one in every copy of /sys.) */
static void on(const char *kind, size_t count)
{
  const char *top = getenv("top_srcdir");

  shell("%s/tests/data/machine.sh %s %s", top ? top : ".", root, kind);
  list(count);
  gc_gpus_restrict(root, &gpus);
  for (size_t i = 0; i < count; i++)
    if (gpus.array[i].vendor == GC_VENDOR_NVIDIA && gpus.array[i].problem[0])
      fail_msg("%s: %s", gpus.array[i].name, gpus.array[i].problem);
}

/* The nodes of the host for GPU i are "number:distance …", nearest first. */
static void near(size_t i, const char *expected)
{
  struct gc_host_node nodes[GC_HOST_NODES_MAX];
  char bus_id[32], text[256] = "";
  uint32_t count;

  snprintf(bus_id, sizeof(bus_id), "%04x:%02x:%02x.%x", gpus.array[i].domain, gpus.array[i].bus,
           gpus.array[i].dev, gpus.array[i].func);
  gc_numa_nodes(root, bus_id, nodes, &count);
  for (uint32_t k = 0; k < count; k++)
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u:%u", k ? " " : "",
             nodes[k].number, nodes[k].distance);
  assert_string_equal(text, expected);
}

/* The memory of the GPU is a NUMA node, and no memory of the host. */
static void gh200(void **state)
{
  (void)state;
  on("gh200", 1);
  assert_int_equal(gpus.array[0].domain, 9);
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA GH200 480GB");
  near(0, "0:10");
}

static void four_gh200(void **state)
{
  (void)state;
  on("gh200x4", 4);
  assert_int_equal(gpus.array[3].domain, 0x39);
  near(0, "0:10 1:40 2:40 3:40");
  near(2, "2:10 0:40 1:40 3:40");
}

static void gb10(void **state)
{
  (void)state;
  on("gb10", 1);
  near(0, "0:10");
}

/* Each GPU has another unique id. All four nodes are memory that the GPUs use. */
static void mi300a(void **state)
{
  (void)state;
  on("mi300a", 4);
  assert_string_equal(gpus.array[0].gfx, "gfx942");
  assert_string_not_equal(gpus.array[0].identity.id, gpus.array[1].identity.id);
  near(0, "0:10 1:32 2:32 3:32");
  near(3, "3:10 0:32 1:32 2:32");
}

static void two_sockets(void **state)
{
  (void)state;
  on("hgx", 8);
  assert_int_equal(gpus.array[4].bus, 0x9a);
  near(3, "0:10 1:21");
  near(4, "1:10 0:21");
}

/* Memory without CPUs is memory of the host, too. */
static void cxl(void **state)
{
  (void)state;
  on("cxl", 1);
  near(0, "1:10 3:14 0:21 2:24");
}

/* The UUID is not known, so CUDA has to say which GPUs a list of UUIDs shows. */
static void without_a_list(void **state)
{
  char id[80];

  (void)state;
  on("no-list", 2);
  memcpy(id, gpus.array[0].identity.id, sizeof(id));
  assert_memory_equal(id, "pci-", 4);
  assert_string_equal(id + strlen(id) - strlen("-0000_00_05.0"), "-0000_00_05.0");
  assert_null(strstr(id, "0123456789abcdef")); /* not the machine id itself */
  assert_string_equal(gpus.array[0].identity.driver, "580.95.05");
  assert_int_equal(gpus.array[0].visibility, GC_VISIBLE);
  setenv("CUDA_VISIBLE_DEVICES", "GPU-00000000-0000-0000-0000-000000000006", 1);
  gc_gpus_restrict(root, &gpus);
  assert_int_equal(gpus.array[0].visibility, GC_UNDECIDED);
  assert_string_equal(gpus.array[0].problem, "");
  unsetenv("CUDA_VISIBLE_DEVICES");

  put("etc/machine-id", "00000000000000000000000000000001\n");
  list(2);
  assert_string_not_equal(gpus.array[0].identity.id, id); /* another machine */
  put("etc/machine-id", "uninitialized\n");
  list(2);
  assert_non_null(strstr(gpus.array[0].problem, "neither /proc/driver/nvidia/gpus"));
  shell("rm %s/sys/module/nvidia/version", root);
  list(2);
  assert_string_equal(gpus.array[0].problem, "the NVIDIA kernel driver does not list it");
}

static void platform_device(void **state)
{
  (void)state;
  on("orin", 1);
  assert_false(gpus.array[0].has_pci);
  assert_string_equal(gpus.array[0].identity.id, "tegra-1421721046782-17000000");
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA Jetson AGX Orin Developer Kit");
  assert_string_equal(gpus.array[0].identity.driver, "nvgpu 5.15.136-tegra");
  assert_int_equal(gpus.array[0].visibility, GC_VISIBLE);

  /* a container without the device tree */
  shell("rm -r %s/proc/device-tree", root);
  list(1);
  assert_non_null(strstr(gpus.array[0].problem, "neither /proc/device-tree/serial-number"));
  put("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  list(1);
  assert_string_equal(gpus.array[0].problem, "");
  assert_string_equal(gpus.array[0].identity.model, "NVIDIA Tegra");
}

static void wsl(void **state)
{
  (void)state;
  assert_null(gc_gpus_why_unseen(root));
  on("wsl", 0);
  assert_non_null(strstr(gc_gpus_why_unseen(root), "WSL 2"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(gh200), TEST(four_gh200), TEST(gb10),           TEST(mi300a),          TEST(two_sockets),
      TEST(cxl),   TEST(wsl),        TEST(without_a_list), TEST(platform_device),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
