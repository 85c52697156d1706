/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The helpers of <hwloc/gpucache.h>, on a topology with two GPUs: one under its PCI device, one
 * that hangs under the root as when PCI devices are filtered out.
 */
#include "fixture.h"

#include <hwloc.h>
#include <hwloc/gpucache.h>

#include "record/values.h"

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

static void is_number(hwloc_obj_t obj, const char *key, uint64_t expected)
{
  uint64_t value = 0;
  double number = 0;

  assert_int_equal(hwloc_gpucache_get_u64(obj, key, &value), 0);
  assert_int_equal(value, expected);
  assert_int_equal(hwloc_gpucache_get_double(obj, key, &number), 0);
  assert_true(number == (double)expected);
}

/* The PCI device has only some flat values in this fixture, and OS devices have none. */
/* The property of a key is the key without its unit; that of IdleLatencyNs is Latency.
 * CensusErrorBytes has no source of its own. */
static void finds_the_source_of_every_key(void **state)
{
  enum {
#define PROPERTY(id, name, judge, section, sentence) id,
#include "record/property_table.h"
  };
  static const char *const names[] = {
#define PROPERTY(id, name, judge, section, sentence) [id] = name,
#include "record/property_table.h"
  };
  static const struct {
    int property;
    const char *key;
  } keys[] = {
#define NUMBER(id, key, format, least, member, words) {id, key},
#define TEXT(id, key, pattern, between, write, words) {id, key},
#include "record/property_table.h"
  };
  hwloc_obj_t obj = osdev("eth0");
  char source[64];

  (void)state;
  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
    const char *name = names[keys[i].property], *key = keys[i].key;

    if (!strcmp(keys[i].key, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES))
      continue;
    snprintf(source, sizeof(source), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, name);
    assert_int_equal(hwloc_obj_add_info(obj, source, "measured"), 0);
    if (!hwloc_gpucache_get_source(obj, keys[i].key))
      fail_msg("no source of %s", keys[i].key);
    if (!strcmp(key, HWLOC_GPUCACHE_IDLE_LATENCY_NS))
      key += strlen("Idle");
    assert_int_equal(gc_property_length(key), strlen(name));
    assert_memory_equal(key, name, strlen(name));
  }
}

static void finds_flat_names_from_any_object_of_a_gpu(void **state)
{
  const hwloc_obj_t l1 = osdev("gpu0-L1"), pci = osdev("gpu0-Memory")->parent;
  const hwloc_obj_t objs[] = {pci, osdev("cuda0"), osdev("gpu0-Memory"), osdev("gpu0-L2"), l1};
  double confidence;

  (void)state;
  for (size_t i = 0; i < sizeof(objs) / sizeof(*objs); i++) {
    is_number(objs[i], "GPUCacheSMs", 132);
    is_number(objs[i], "GPUCacheL1CapacityBytes", 222720);
    is_number(objs[i], "GPUCacheL2NominalBytes", 62914560);
    is_number(objs[i], "GPUCacheDeviceMemoryNominalBytes", 150109880320);
    assert_string_equal(hwloc_gpucache_get_info(objs[i], "GPUCacheL1LatencyNs"), "15.9");
    assert_string_equal(hwloc_gpucache_get_info(objs[i], "GPUCacheUUID"), "GPU-aaaa");
    assert_string_equal(hwloc_gpucache_get_source(objs[i], "GPUCacheL2CapacityBytes"),
                        "absent:noisy");
    assert_int_equal(hwloc_gpucache_get_confidence(objs[i], "GPUCacheL1Capacity", &confidence), 0);
    assert_true(confidence == 0.998);
    assert_null(hwloc_gpucache_get_info(objs[i], "GPUCacheL1"));
    assert_null(hwloc_gpucache_get_info(objs[i], "GPUCacheL1CacheCapacityBytes"));
    assert_null(hwloc_gpucache_get_info(objs[i], "GPUCacheTextureCapacityBytes"));
    assert_null(hwloc_gpucache_get_info(objs[i], "GPUCacheL1LineBytes"));
  }
  is_number(osdev("cuda1"), "GPUCacheL1CapacityBytes", 24576);
  /* names without the prefix are those of the object itself */
  assert_null(hwloc_gpucache_get_info(l1, HWLOC_GPUCACHE_NOMINAL_BYTES));
  assert_null(hwloc_gpucache_get_info(osdev("cuda0"), HWLOC_GPUCACHE_CAPACITY_BYTES));
  /* no objects of a GPU */
  assert_null(hwloc_gpucache_get_info(osdev("eth0"), "GPUCacheL1CapacityBytes"));
  assert_null(hwloc_gpucache_get_info(osdev("eth0")->parent, "GPUCacheL1CapacityBytes"));
  assert_null(hwloc_gpucache_get_info(hwloc_get_root_obj(topology), "GPUCacheL1CapacityBytes"));
}

/* The elements below a GPU in MIG mode are those of an instance. */
static void does_not_take_an_instance_for_its_gpu(void **state)
{
  char *text = fixture_text("two-gpus.xml");
  hwloc_topology_t whole = topology;

  (void)state;
  memcpy(strstr(text, "GPU-aaaa"), "GPU-bbbb", 8); /* of the PCI device */
  assert_int_equal(hwloc_topology_init(&topology), 0);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  assert_int_equal(hwloc_topology_set_xmlbuffer(topology, text, (int)strlen(text) + 1), 0);
  assert_int_equal(hwloc_topology_load(topology), 0);
  assert_null(hwloc_gpucache_get_info(osdev("gpu0-Memory")->parent, "GPUCacheL1LatencyNs"));
  assert_string_equal(hwloc_gpucache_get_info(osdev("gpu0-L1"), "GPUCacheL1LatencyNs"), "15.9");
  assert_string_equal(hwloc_gpucache_get_info(osdev("cuda0"), "GPUCacheL1LatencyNs"), "15.9");
  hwloc_topology_destroy(topology);
  topology = whole;
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(iterates_over_gpus_and_elements),
    cmocka_unit_test(finds_the_gpu_from_any_object_of_it),
    cmocka_unit_test(finds_the_element_of_a_subtype),
    cmocka_unit_test(reads_numbers_strictly),
    cmocka_unit_test(knows_where_values_come_from),
    cmocka_unit_test(finds_the_source_of_every_key),
    cmocka_unit_test(finds_flat_names_from_any_object_of_a_gpu),
    cmocka_unit_test(does_not_take_an_instance_for_its_gpu),
  };

  return cmocka_run_group_tests(tests, load, unload);
}
