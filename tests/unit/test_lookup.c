/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The helpers of <hwloc/gpucache.h>, on a topology with two GPUs: one under its PCI device, one that
 * hangs under the root as when PCI devices are filtered out.
 */
#include "fixture.h"

#include <hwloc.h>
#include <hwloc/gpucache.h>

static hwloc_topology_t topology;

static int load(void **state)
{
  char path[4096];

  (void)state;
  return hwloc_topology_init(&topology) ||
         hwloc_topology_set_xml(topology, fixture_path("two-gpus.xml", path, sizeof(path))) ||
         hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
         hwloc_topology_load(topology);
}

static int unload(void **state)
{
  (void)state;
  hwloc_topology_destroy(topology);
  return 0;
}

static hwloc_obj_t osdev(const char *name)
{
  hwloc_obj_t obj = NULL;

  while ((obj = hwloc_get_next_osdev(topology, obj)))
    if (!strncmp(obj->name, name, strlen(name)))
      return obj;
  fail_msg("the fixture has no %s", name);
  return NULL;
}

static void iterates_over_gpus_and_elements(void **state)
{
  static const char *const subtypes[] = { "DeviceMemory", "L2Cache", "L1Cache", "SharedMemory" };
  hwloc_obj_t gpu = hwloc_gpucache_get_next_gpu(topology, NULL), element = NULL;

  (void)state;
  assert_ptr_equal(gpu, osdev("gpu0-Memory"));
  for (size_t i = 0; i < 4; i++) {
    element = hwloc_gpucache_get_next_element(gpu, element);
    assert_string_equal(element->subtype, subtypes[i]);
  }
  assert_null(hwloc_gpucache_get_next_element(gpu, element));
  gpu = hwloc_gpucache_get_next_gpu(topology, gpu);
  assert_ptr_equal(gpu, osdev("gpu1-Memory"));
  assert_null(hwloc_gpucache_get_next_gpu(topology, gpu));
}

static void finds_the_gpu_from_any_object_of_it(void **state)
{
  hwloc_obj_t gpu0 = osdev("gpu0-Memory"), gpu1 = osdev("gpu1-Memory");

  (void)state;
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, gpu0), gpu0);
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, gpu0->parent), gpu0);
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, osdev("cuda0")), gpu0);
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, osdev("gpu0-Shared")), gpu0);
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, osdev("gpu1-L1")), gpu1);
  assert_ptr_equal(hwloc_gpucache_get_gpu(topology, osdev("cuda1")), gpu1);
  assert_null(hwloc_gpucache_get_gpu(topology, osdev("eth0")));
  assert_null(hwloc_gpucache_get_gpu(topology, hwloc_get_root_obj(topology)));
  assert_null(hwloc_gpucache_get_gpu(topology, NULL));
}

static void finds_the_element_of_a_subtype(void **state)
{
  (void)state;
  assert_ptr_equal(hwloc_gpucache_get_element(topology, osdev("cuda0"), HWLOC_GPUCACHE_L1),
                   osdev("gpu0-L1"));
  assert_ptr_equal(hwloc_gpucache_get_element(topology, osdev("cuda1"), HWLOC_GPUCACHE_L1),
                   osdev("gpu1-L1"));
  assert_ptr_equal(
      hwloc_gpucache_get_element(topology, osdev("gpu0-L1"), HWLOC_GPUCACHE_DEVICE_MEMORY),
      osdev("gpu0-Memory"));
  assert_null(hwloc_gpucache_get_element(topology, osdev("cuda1"), HWLOC_GPUCACHE_SHARED_MEMORY));
  assert_null(hwloc_gpucache_get_element(topology, osdev("eth0"), HWLOC_GPUCACHE_L1));
}

static void reads_numbers_strictly(void **state)
{
  hwloc_obj_t l1 = osdev("gpu0-L1");
  uint64_t bytes = 1;
  double cycles = 1;

  (void)state;
  assert_int_equal(hwloc_gpucache_get_u64(l1, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes), 0);
  assert_int_equal(bytes, 222720);
  assert_int_equal(hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_LATENCY_CYCLES, &cycles), 0);
  assert_true(cycles == 31.5);
  assert_int_equal(hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_LATENCY_NS, &cycles), 0);
  assert_true(cycles == 15.9);
  assert_int_equal(hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_CAPACITY_BYTES, &cycles), 0);
  assert_true(cycles == 222720);

  errno = 0;
  assert_int_equal(hwloc_gpucache_get_u64(l1, HWLOC_GPUCACHE_LINE_BYTES, &bytes), -1);
  assert_int_equal(errno, ENOENT);
  assert_int_equal(hwloc_gpucache_get_u64(l1, HWLOC_GPUCACHE_LATENCY_CYCLES, &bytes), -1);
  assert_int_equal(errno, EINVAL);
  assert_int_equal(
      hwloc_gpucache_get_u64(osdev("gpu0-Shared"), HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes), -1);
  assert_int_equal(errno, ERANGE);
  assert_int_equal(bytes, 222720);
  assert_int_equal(hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, &cycles), -1);
  assert_int_equal(errno, EINVAL);
  assert_int_equal(hwloc_gpucache_get_double(l1, HWLOC_GPUCACHE_READ_GBPS, &cycles), -1);
  assert_int_equal(errno, ENOENT);
  assert_true(cycles == 222720);
}

static void knows_where_values_come_from(void **state)
{
  hwloc_obj_t l1 = osdev("gpu0-L1"), l2 = osdev("gpu0-L2");
  double confidence = -1;

  (void)state;
  assert_string_equal(hwloc_gpucache_get_source(l1, HWLOC_GPUCACHE_CAPACITY_BYTES), "measured");
  assert_string_equal(hwloc_gpucache_get_source(l1, HWLOC_GPUCACHE_CAPACITY), "measured");
  assert_string_equal(hwloc_gpucache_get_source(l1, HWLOC_GPUCACHE_LATENCY_NS), "measured");
  assert_string_equal(hwloc_gpucache_get_source(l1, HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE), "measured");
  assert_string_equal(hwloc_gpucache_get_source(l2, HWLOC_GPUCACHE_CAPACITY_BYTES), "absent:noisy");
  assert_string_equal(hwloc_gpucache_get_source(l2, HWLOC_GPUCACHE_NOMINAL_BYTES), "api");
  assert_null(hwloc_gpucache_get_source(l2, HWLOC_GPUCACHE_PER_SM));

  assert_int_equal(
      hwloc_gpucache_get_confidence(l1, HWLOC_GPUCACHE_CAPACITY_BYTES, &confidence), 0);
  assert_true(confidence == 0.998);
  assert_int_equal(
      hwloc_gpucache_get_confidence(l1, HWLOC_GPUCACHE_LATENCY_CYCLES, &confidence), -1);
  assert_int_equal(errno, EINVAL);
  assert_int_equal(
      hwloc_gpucache_get_confidence(l2, HWLOC_GPUCACHE_NOMINAL_BYTES, &confidence), -1);
  assert_int_equal(errno, ENOENT);
  assert_true(confidence == 0.998);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(iterates_over_gpus_and_elements),
    cmocka_unit_test(finds_the_gpu_from_any_object_of_it),
    cmocka_unit_test(finds_the_element_of_a_subtype),
    cmocka_unit_test(reads_numbers_strictly),
    cmocka_unit_test(knows_where_values_come_from),
  };

  return cmocka_run_group_tests(tests, load, unload);
}
