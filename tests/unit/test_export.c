/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader reads what the tool writes through hwloc's exporter: nothing is lost, changed or
 * added.
 */
#include "fixture.h"

#include "record/record.h"
#include "tool/process/environment.h"
#include "tool/gpus/hwloc_xml.h"

#include <errno.h>
#include <hwloc.h>

static void same_infos(const struct gc_infos *a, const struct gc_infos *b)
{
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    const char *other = gc_infos_get(b, a->array[i].name);

    if (!other)
      fail_msg("%s was lost", a->array[i].name);
    assert_string_equal(a->array[i].value, other);
  }
}

static void same_record(const struct gc_record *a, const struct gc_record *b)
{
  assert_memory_equal(&a->identity, &b->identity, sizeof(a->identity));
  assert_string_equal(a->format, b->format);
  assert_string_equal(a->method, b->method);
  same_infos(&a->infos, &b->infos);
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    assert_int_equal(a->elements[i].kind, b->elements[i].kind);
    assert_int_equal(gc_record_parent(a, i), gc_record_parent(b, i));
    same_infos(&a->elements[i].infos, &b->elements[i].infos);
  }
}

/* Calls of setenv and unsetenv since the test set this to 0. */
static unsigned changes;

int __real_setenv(const char *name, const char *value, int overwrite);
int __wrap_setenv(const char *name, const char *value, int overwrite);
int __wrap_setenv(const char *name, const char *value, int overwrite)
{
  changes++;
  return __real_setenv(name, value, overwrite);
}

int __real_unsetenv(const char *name);
int __wrap_unsetenv(const char *name);
int __wrap_unsetenv(const char *name)
{
  changes++;
  return __real_unsetenv(name);
}

/* The line of the text that the exporter leaves out; NULL: none. */
static const char *left_out;

int __real_hwloc_topology_export_xmlbuffer(hwloc_topology_t topology, char **xml, int *bytes,
                                           unsigned long flags);
int __wrap_hwloc_topology_export_xmlbuffer(hwloc_topology_t topology, char **xml, int *bytes,
                                           unsigned long flags);
int __wrap_hwloc_topology_export_xmlbuffer(hwloc_topology_t topology, char **xml, int *bytes,
                                           unsigned long flags)
{
  int status = __real_hwloc_topology_export_xmlbuffer(topology, xml, bytes, flags);
  char *line = left_out && !status ? strstr(*xml, left_out) : NULL, *next;

  if (line) {
    next = strchr(line, '\n');
    while (line[-1] != '\n')
      line--;
    memmove(line, next + 1, strlen(next));
  }
  return status;
}

/* Every kind of element, and characters with a special meaning in XML. */
static struct gc_record *make_record(void)
{
  static const struct gc_identity identity = {
      .id = "GPU-00000000-1111-2222-3333-444444444444", .model = "Model <\"&'> 1", .driver = "1.2.3",
      .vbios = "96.00", .mig = "disabled"};
  struct gc_record *record = gc_record_new(&identity);

  assert_non_null(record);
  assert_int_equal(gc_infos_set(&record->infos, "Status", "measured"), 0);
  assert_int_equal(gc_infos_set(&record->infos, "Measured", "2025-11-21T01:02:03Z"), 0);
  assert_int_equal(gc_infos_set(&record->infos, "SMs", "132"), 0);
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    struct gc_element *element = gc_record_add(record, (enum gc_kind)kind);

    assert_non_null(element);
    assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", UINT64_C(1) << (10 + kind)), 0);
    assert_int_equal(gc_infos_setf(&element->infos, "LatencyCycles", "%d.5", 20 + kind), 0);
    assert_int_equal(gc_infos_set(&element->infos, "CapacitySource", "measured"), 0);
    assert_int_equal(gc_infos_set(&element->infos, "CapacityConfidence", "0.9876"), 0);
    assert_int_equal(gc_infos_set(&element->infos, "LineSource", "absent:a < b & c > \"d\"  'e'"), 0);
    assert_int_equal(gc_infos_set(&element->infos, "Empty", ""), 0);
  }
  return record;
}

static void there_and_back(void)
{
  struct gc_record *record = make_record(), *back = NULL, *again = NULL;
  char *xml = NULL, *second = NULL;
  size_t length, second_length;
  struct gc_error err = {""};

  if (gc_export(record, "gpu7", &xml, &length, &err))
    fail_msg("%s", err.text);
  assert_int_equal(length, strlen(xml));
  assert_non_null(strstr(xml, "\"gpu7-L1 "));
  if (gc_record_read_xml(xml, length, &back, &err))
    fail_msg("%s", err.text);
  same_record(record, back);

  /* writing the record that was read gives the same text */
  if (gc_export(back, "gpu7", &second, &second_length, &err))
    fail_msg("%s", err.text);
  if (gc_record_read_xml(second, second_length, &again, &err))
    fail_msg("%s", err.text);
  same_record(back, again);
  assert_string_equal(xml, second);

  gc_record_free(record);
  gc_record_free(back);
  gc_record_free(again);
  free(second);
  free(xml);
}

static void round_trip(void **state)
{
  (void)state;
  there_and_back();
}

static void round_trip_in_a_hostile_environment(void **state)
{
  (void)state;
  setenv("HWLOC_XMLFILE", "/nonexistent", 1);
  setenv("HWLOC_SYNTHETIC", "nonsense", 1);
  setenv("HWLOC_COMPONENTS", "stop", 1);
  setenv("HWLOC_FSROOT", "/nonexistent", 1);
  gc_environment_take();
  there_and_back();
}

/* The threads of a driver may call getenv while a record is exported. */
static void export_does_not_change_the_environment(void **state)
{
  (void)state;
  changes = 0;
  there_and_back();
  assert_int_equal(changes, 0);
}

/* The topology around the record is not this machine's. */
static void says_nothing_of_this_machine(void **state)
{
  struct gc_record *record = make_record();
  struct gc_error err = {""};
  size_t length;
  char *xml;

  (void)state;
  assert_int_equal(gc_export(record, "gpu0", &xml, &length, &err), 0);
  assert_null(strstr(xml, "HostName"));
  assert_null(strstr(xml, "CPUModel"));
  assert_null(strstr(xml, "PCIDev"));
  free(xml);
  gc_record_free(record);
}

/* hwloc does so if memory runs out. */
static void what_the_exporter_leaves_out_is_noticed(void **state)
{
  static const char *const lines[] = {"\"CapacityBytes\"", "\"GPUCacheSMs\"", "\"GPUCacheModel\""};
  struct gc_record *record = make_record();

  (void)state;
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    struct gc_error err = {""};
    size_t length;
    char *xml;

    left_out = lines[i];
    assert_true(gc_export(record, "gpu0", &xml, &length, &err) < 0);
    assert_null(xml);
    assert_non_null(strstr(err.text, "hwloc exported"));
  }
  left_out = NULL;
  gc_record_free(record);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(round_trip_in_a_hostile_environment),
      cmocka_unit_test(export_does_not_change_the_environment),
      cmocka_unit_test(says_nothing_of_this_machine),
      cmocka_unit_test(what_the_exporter_leaves_out_is_noticed),
  };

  gc_environment_take();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
