/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs in a tree of KFD under root, and the expected values.
 */
#ifndef TESTS_UNIT_AMD_H
#define TESTS_UNIT_AMD_H

#include "tree.h"

#include "gpus/gpus.h"

#include <inttypes.h>

#define NODES "sys/class/kfd/kfd/topology/nodes"

static struct gc_gpus gpus;

static inline int remove_gpus(void **state)
{
  gc_gpus_free(&gpus);
  return remove_root(state);
}

/* A test with its own tree. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_gpus)

/* Lists all GPUs and reads their driver tables. */
static inline void list(size_t count)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gpus.count, count);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(gc_gpus_read_tables(root, &gpus.array[i]), 0);
}

static inline void fact_is(const struct gc_record *tables, const char *name, const char *value)
{
  const char *found = gc_infos_get(&tables->infos, name);

  if (value ? !found || strcmp(found, value) : found != NULL)
    fail_msg("%s is %s, not %s", name, found ? found : "absent", value ? value : "absent");
}

/* An element as "bytes line instances per CU, sharing"; 0 or NULL: not stated. */
struct expected {
  enum gc_kind kind;
  uint64_t bytes, line, instances, per_sm;
  const char *sharing;
};

static inline void number_is(const struct gc_element *element, const char *key, const char *source,
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

static inline void element_is(const struct gc_record *tables, const struct expected *expected)
{
  const struct gc_element *element = gc_record_find(tables, expected->kind);
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

/* The element is there without a capacity; the reason contains these words. */
static inline void absent_is(const struct gc_record *tables, enum gc_kind kind, const char *words)
{
  const struct gc_element *element = gc_record_find(tables, kind);
  const char *source = element ? gc_infos_get(&element->infos, "CapacitySource") : NULL;

  if (!source || strncmp(source, "absent:", 7) || !strstr(source, words))
    fail_msg("the source of %s's capacity is %s", gc_kinds[kind].subtype, source ? source : "not there");
  assert_null(gc_infos_get(&element->infos, "CapacityBytes"));
}

static inline void elements_are(const struct gc_record *tables, const struct expected *expected,
                                size_t count)
{
  assert_non_null(tables);
  for (size_t i = 0; i < count; i++)
    element_is(tables, &expected[i]);
  assert_int_equal(tables->count, count);
  for (size_t i = 0; i < tables->count; i++)
    for (size_t j = 0; j < tables->elements[i].infos.count; j++) {
      const struct gc_info *info = &tables->elements[i].infos.array[j];

      assert_true(gc_value_ok(info->name, info->value));
      assert_null(strstr(info->value, "measured"));
    }
}

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define ELEMENTS_ARE(tables, expected)                                                              \
  elements_are(tables, expected, sizeof(expected) / sizeof(*(expected)))

/* The driver tables of an MI100, as amd-tree.sh writes them. */
static const struct expected mi100_elements[] = {
    {GC_DEVICE_MEMORY, 32 * GIB, 0, 0, 0, NULL},
    {GC_L2, 8 * MIB, 64, 1, 0, NULL},
    {GC_L1, 16 * KIB, 64, 120, 1, NULL},
    {GC_SCALAR_L1, 16 * KIB, 64, 44, 0, "36x3,4x2,4x1"},
    {GC_INSTRUCTION_CACHE, 32 * KIB, 64, 44, 0, "36x3,4x2,4x1"},
    {GC_LDS, 64 * KIB, 0, 120, 1, NULL},
};

/* A node of an AMD GPU with these additional lines. */
static inline void node_with(unsigned number, const char *lines)
{
  char file[128], text[512];

  snprintf(file, sizeof(file), NODES "/%u/properties", number);
  snprintf(text, sizeof(text), "simd_count 80\nsimd_per_cu 4\nlds_size_in_kb 64\n%s", lines);
  put(file, text);
}

static inline void id_of(unsigned i, const char *id)
{
  assert_string_equal(gpus.array[i].identity.id, id);
  assert_true(gc_id_ok(id));
}

#endif
