/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory runs out while the objects of a record are added: the topology stays valid, and no GPU has
 * a status that promises values. Linked with --wrap, so that each allocation of graft and each
 * function of hwloc that allocates can fail.
 */
#include "fixture.h"

#include "graft/compat.h"
#include "graft/graft.h"

#include <errno.h>

static long until_failure = -1; /* -1: none fails */
static unsigned long failures;

static bool fails(void)
{
  if (until_failure < 0 || until_failure-- > 0)
    return false;
  until_failure = 0; /* and all that follow */
  failures++;
  return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
char *__real_strdup(const char *text);
#if HWLOC_API_VERSION >= 0x00030000
/* hwloc_obj_add_info is an inline function that calls this one. */
int __real_hwloc_modify_infos(struct hwloc_infos_s *infos, unsigned long operation,
                              const char *name, const char *value);
int __wrap_hwloc_modify_infos(struct hwloc_infos_s *infos, unsigned long operation,
                              const char *name, const char *value);
#else
int __real_hwloc_obj_add_info(hwloc_obj_t obj, const char *name, const char *value);
int __wrap_hwloc_obj_add_info(hwloc_obj_t obj, const char *name, const char *value);
#endif
hwloc_obj_t __real_hwloc_alloc_setup_object(hwloc_topology_t topology, hwloc_obj_type_t type,
                                            unsigned index);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
char *__wrap_strdup(const char *text);
hwloc_obj_t __wrap_hwloc_alloc_setup_object(hwloc_topology_t topology, hwloc_obj_type_t type,
                                            unsigned index);

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

char *__wrap_strdup(const char *text)
{
  return fails() ? NULL : __real_strdup(text);
}

#if HWLOC_API_VERSION >= 0x00030000
int __wrap_hwloc_modify_infos(struct hwloc_infos_s *infos, unsigned long operation,
                              const char *name, const char *value)
{
  return fails() ? -1 : __real_hwloc_modify_infos(infos, operation, name, value);
}
#else
int __wrap_hwloc_obj_add_info(hwloc_obj_t obj, const char *name, const char *value)
{
  return fails() ? -1 : __real_hwloc_obj_add_info(obj, name, value);
}
#endif

hwloc_obj_t __wrap_hwloc_alloc_setup_object(hwloc_topology_t topology, hwloc_obj_type_t type,
                                            unsigned index)
{
  return fails() ? NULL : __real_hwloc_alloc_setup_object(topology, type, index);
}

/* Checks that each status is this one, and counts them. */
static unsigned check_status(hwloc_topology_t topology, const char *expected)
{
  hwloc_obj_t obj = NULL;
  unsigned count = 0;

  while ((obj = hwloc_get_next_osdev(topology, obj))) {
    const char *status = hwloc_obj_get_info_by_name(obj, "GPUCacheStatus");

    if (status) {
      assert_memory_equal(status, expected, strlen(expected));
      count++;
    }
  }
  return count;
}

/* Adds the record with allocation n and all later ones failing. False: none was reached. */
static bool add_with_failure(const struct gc_record *record, long n, const char *state)
{
  unsigned long before = failures;
  hwloc_topology_t topology;
  int status;

  assert_int_equal(hwloc_topology_init(&topology), 0);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_synthetic(topology, "pu:1");
  assert_int_equal(hwloc_topology_load(topology), 0);
  until_failure = n;
  status = gc_graft_record(topology, hwloc_get_root_obj(topology), NULL, "gpu0", record, state);
  until_failure = -1;
  assert_int_equal(hwloc_topology_reconnect(topology, 0), 0);
  hwloc_topology_check(topology); /* aborts */
  if (failures == before) {
    assert_int_equal(status, 0);
    assert_int_equal(check_status(topology, state), 1);
  } else {
    assert_int_equal(status, -ENOMEM);
    check_status(topology, "out of memory; ");
  }
  hwloc_topology_destroy(topology);
  return failures != before;
}

static void each_failure(const char *state)
{
  char *text = fixture_text("record-good.xml");
  struct gc_record *record;
  long n = 0;

  assert_int_equal(gc_record_read_xml(text, strlen(text), &record, NULL), 0);
  while (add_with_failure(record, n, state))
    n++;
  assert_true(n > 30);
  gc_record_free(record);
  free(text);
}

static void without_memory_the_status_says_so(void **state)
{
  (void)state;
  each_failure(GC_STATUS_MEASURED);
  each_failure("measured earlier, not refreshed: the GPU is busy: another program uses it");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory_the_status_says_so)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
