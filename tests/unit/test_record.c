/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records: attributes, tree order, names.
 */
#include "fixture.h"

#include "record/lists.h"
#include "record/record.h"

#include <errno.h>

static const struct gc_identity somebody = { .id = "sim-test", .model = "A GPU" };

static void infos_are_a_set_in_order(void **state)
{
  struct gc_infos infos = { NULL, 0 };

  (void)state;
  assert_null(gc_infos_get(&infos, "a"));
  assert_int_equal(gc_infos_set(&infos, "b", "1"), 0);
  assert_int_equal(gc_infos_setf(&infos, "a", "%d-%s", 2, "x"), 0);
  assert_int_equal(gc_infos_set_u64(&infos, "b", UINT64_MAX), 0);
  assert_int_equal(infos.count, 2);
  assert_string_equal(infos.array[0].name, "b");
  assert_string_equal(gc_infos_get(&infos, "b"), "18446744073709551615");
  assert_string_equal(gc_infos_get(&infos, "a"), "2-x");
  /* The new value may be the old one. */
  assert_int_equal(gc_infos_set(&infos, "a", gc_infos_get(&infos, "a")), 0);
  assert_string_equal(gc_infos_get(&infos, "a"), "2-x");
  gc_infos_clear(&infos);
  assert_int_equal(infos.count, 0);
}

static void numbers_are_digits_only(void **state)
{
  static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "0x10", "1e3", "1.0", "1,000",
                                     "18446744073709551616", "99999999999999999999999" };
  struct gc_infos infos = { NULL, 0 };
  uint64_t value = 7;

  (void)state;
  assert_int_equal(gc_infos_get_u64(&infos, "n", &value), -ENOENT);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    gc_infos_set(&infos, "n", bad[i]);
    assert_int_equal(gc_infos_get_u64(&infos, "n", &value), -EINVAL);
    assert_int_equal(value, 7);
  }
  gc_infos_set(&infos, "n", "18446744073709551615");
  assert_int_equal(gc_infos_get_u64(&infos, "n", &value), 0);
  assert_true(value == UINT64_MAX);
  gc_infos_clear(&infos);
}

static void values_have_the_form_of_their_key(void **state)
{
  static const struct {
    const char *name, *value;
    bool ok;
  } cases[] = {
    { "CapacityBytes", "222720", true },      { "CapacityBytes", "222720.0", false },
    { "CapacityBytes", "", false },           { "CapacityBytes", "-1", false },
    { "CapacityBytes", "217KiB", false },     { "CapacityBytes", "123456789012345678901", false },
    { "LatencyCycles", "31.5", true },        { "LatencyCycles", "31", true },
    { "LatencyCycles", "31.", false },        { "LatencyCycles", ".5", false },
    { "LatencyCycles", "3.1.5", false },      { "LatencyCycles", "nan", false },
    { "LatencyNs", "1e3", false },            { "LatencyNs", "15,9", false },
    { "CapacityConfidence", "0", true },      { "CapacityConfidence", "0.998", true },
    { "CapacityConfidence", "1", true },      { "CapacityConfidence", "1.000", true },
    { "CapacityConfidence", "1.001", false }, { "CapacityConfidence", "2", false },
    { "CapacityConfidence", "10", false },    { "CapacityConfidence", "-0.5", false },
    { "CapacityConfidence", "high", false },  { "Confidence", "high", true },
    { "CapacitySource", "absent:x", true },   { "SomethingNew", "", true },
    { "CapacityBytes", "0", false },          { "CensusErrorBytes", "0", true },
    { "Slices", "1", false },                 { "CapacityBytes", "18446744073709551616", false },
    { "SharedWith", "L1Cache,LDS", true },    { "SharedWith", "L1Cache,,LDS", false },
    { "SharedByCUs", "8x2,4x1", true },       { "SharedByCUs", "8x2,4", false },
    { "CUGroups", "0,1 3 4,5", true },        { "CUGroups", "0,1  3", false },
    { "CUGroups", "0,1 3 ", false },          { "PartitionSMs", "66 66", false },
    { "SetIndexMasks", "0x80,0x1f00", true }, { "SetIndexMasks", "0x80,1f00", false },
    { "SideMask", "0x80,0x1f00", false },     { "SideMask", "0x", false },
    { "SurvivalCurve", "4:0.98,8:1", true },  { "SurvivalCurve", "4:0.98,8", false },
    { "VictimShares", "0.25,0.75", true },    { "VictimShares", "0.25,.75", false },
    { "Replacement", "lru", true },           { "Replacement", "lru,plru", false },
    { "Replacement", "lr", false },           { "Replacement", "", false },
    { "CarveoutTable", "0:9,15:8,default:9", true }, { "CarveoutTable", "0:9,standard:9", false },
    { "ComputeCapability", "9.0", true },     { "ComputeCapability", "9", false },
    { "ECC", "on", true },                    { "ECC", "yes", false },
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
    if (gc_value_ok(cases[i].name, cases[i].value) != cases[i].ok)
      fail_msg("%s=\"%s\" should be %s", cases[i].name, cases[i].value,
               cases[i].ok ? "accepted" : "refused");
}

static void lists_are_read_entry_by_entry(void **state)
{
  static const char *const bad[] = {"", "15", "15:", ":5", "101:5", "-1:5", "defaults:5", "15:5;", "15:5 ",
                                    "1.5:5", "15:18446744073709551616"};
  const char *list = "0:222208,100:4096,default:189440,15:x";
  char asked[3][GC_CARVEOUT_ASKED];
  struct gc_carveout_entry entry;
  uint64_t bytes[3] = {0}, caches, cus, total = 0;

  (void)state;
  for (size_t i = 0; i < 3; i++) {
    assert_true(gc_carveout_next(&list, &entry));
    gc_carveout_asked(&entry, asked[i]);
    bytes[i] = entry.bytes;
  }
  assert_string_equal(asked[0], "0 %");
  assert_string_equal(asked[1], "100 %");
  assert_string_equal(asked[2], "default");
  assert_true(bytes[0] == 222208 && bytes[1] == 4096 && bytes[2] == 189440);
  assert_false(gc_carveout_next(&list, &entry));
  assert_string_equal(list, "15:x");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    list = bad[i];
    assert_false(gc_carveout_next(&list, &entry));
    assert_ptr_equal(list, bad[i]);
  }
  list = NULL;
  assert_false(gc_carveout_next(&list, &entry));
  list = "8x2,4x1,3";
  while (gc_cu_group_next(&list, &caches, &cus))
    total += caches * cus;
  assert_int_equal(total, 20);
  assert_string_equal(list, "3");
}

static void lists_of_members_masks_and_shares(void **state)
{
  static const char *const bad[] = {"", ",", "1,", "1 ", "0x", "0x0", "x", "1:", "1:2", "1:0.5,", "1:.",
                                    "0x1,", "-1", "1;2"};
  const char *list = "0,1,16 2,3";
  uint64_t number, sum = 0, groups = 0;
  double share;
  bool is_last;

  (void)state;
  for (; gc_member_next(&list, &number, &is_last); groups += is_last)
    sum += number;
  assert_true(sum == 22 && groups == 2 && !*list);
  list = "0x2080,0x4100";
  assert_true(gc_mask_next(&list, &number) && number == 0x2080);
  assert_true(gc_mask_next(&list, &number) && number == 0x4100 && !*list);
  assert_false(gc_mask_next(&list, &number));
  list = "1024:0.998,2048:0.71";
  assert_true(gc_survival_next(&list, &number, &share) && number == 1024 && share > 0.9979);
  assert_true(gc_survival_next(&list, &number, &share) && number == 2048 && !*list);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    list = bad[i];
    assert_false(gc_member_next(&list, &number, &is_last));
    assert_false(gc_mask_next(&list, &number));
    assert_false(gc_survival_next(&list, &number, &share));
    assert_ptr_equal(list, bad[i]);
  }
}

static void ids_are_file_names(void **state)
{
  static const char *const good[] = { "GPU-01234567-89ab-cdef-0123-456789abcdef", "sim-h200", "a.b_c" };
  static const char *const bad[] = { "", ".", "..", ".hidden", "a/b", "../x", "a b", "a\n", "\xc3\xa9",
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678x" };

  (void)state;
  for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
    assert_true(gc_id_ok(good[i]));
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
    assert_false(gc_id_ok(bad[i]));
}

static void kinds_are_known_by_subtype(void **state)
{
  (void)state;
  for (unsigned kind = 0; kind < GC_KIND_COUNT; kind++) {
    assert_int_equal(gc_kind_by_subtype(gc_kinds[kind].subtype), kind);
    /* Parents come before their children in the enum, which find_place() relies on. */
    assert_true(gc_kinds[kind].parent < kind || kind == GC_DEVICE_MEMORY);
  }
  assert_int_equal(gc_kind_by_subtype("l1cache"), GC_KIND_COUNT);
  assert_int_equal(gc_kind_by_subtype(""), GC_KIND_COUNT);
}

static void check_tree(const struct gc_record *record, const enum gc_kind *kinds,
                       const long *parents, size_t count)
{
  assert_int_equal(record->count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(record->elements[i].kind, kinds[i]);
    assert_int_equal(gc_record_parent(record, i), parents[i]);
  }
}

static void elements_come_in_tree_order(void **state)
{
  static const enum gc_kind added[] = { GC_L1, GC_SHARED_MEMORY, GC_L2, GC_DEVICE_MEMORY, GC_TEXTURE };
  static const enum gc_kind kinds[] = { GC_DEVICE_MEMORY, GC_L2, GC_L1, GC_TEXTURE, GC_SHARED_MEMORY };
  static const long parents[] = { -1, 0, 1, 1, 1 };
  struct gc_record *record = gc_record_new(&somebody);

  (void)state;
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(gc_record_add(record, added[i])->kind, added[i]);
  check_tree(record, kinds, parents, 5);
  assert_ptr_equal(gc_record_find(record, GC_L1), &record->elements[2]);
  assert_null(gc_record_find(record, GC_L3));
  gc_record_free(record);
}

static void two_of_a_kind_keep_their_children(void **state)
{
  static const enum gc_kind kinds[] = { GC_DEVICE_MEMORY, GC_L3, GC_L2, GC_L1, GC_L2, GC_L1 };
  static const long parents[] = { -1, 0, 1, 2, 1, 4 };
  struct gc_record *record = gc_record_new(&somebody);

  (void)state;
  for (size_t i = 0; i < 6; i++)
    assert_non_null(gc_record_add(record, kinds[i]));
  check_tree(record, kinds, parents, 6);
  gc_record_free(record);
}

static void a_record_without_levels_in_between_is_a_tree(void **state)
{
  static const enum gc_kind kinds[] = { GC_DEVICE_MEMORY, GC_LDS };
  static const long parents[] = { -1, 0 };
  struct gc_record *record = gc_record_new(&somebody);

  (void)state;
  for (size_t i = 0; i < 2; i++)
    assert_non_null(gc_record_add(record, kinds[i]));
  check_tree(record, kinds, parents, 2);
  gc_record_free(record);
  gc_record_free(NULL);
}

static void names_tell_size_and_count(void **state)
{
  static const struct {
    enum gc_kind kind;
    const char *capacity, *nominal, *instances, *name;
  } cases[] = {
    { GC_L1, "222720", "262144", "132", "gpu0-L1 217KiB x132" },
    { GC_L2, NULL, "62914560", "1", "gpu0-L2 60MiB" },
    { GC_L2, "30351360", "62914560", "1", "gpu0-L2 60MiB" },
    { GC_DEVICE_MEMORY, NULL, "150109880320", NULL, "gpu0-Memory 139GiB" },
    { GC_DEVICE_MEMORY, NULL, "4398046511104", NULL, "gpu0-Memory 4TiB" },
    { GC_CONSTANT_L1, "2048", NULL, "132", "gpu0-ConstantL1 2KiB x132" },
    { GC_CONSTANT_L15, "65536", NULL, NULL, "gpu0-ConstantL1.5 64KiB" },
    { GC_L2, "1048576", NULL, NULL, "gpu0-L2 1MiB" },
    { GC_L2, "1572864", NULL, NULL, "gpu0-L2 1536KiB" },
    { GC_LDS, "2047", NULL, NULL, "gpu0-LDS 2047B" },
    { GC_LDS, "0", NULL, NULL, "gpu0-LDS 0B" },
    { GC_TEXTURE, NULL, NULL, NULL, "gpu0-Texture" },
    { GC_TEXTURE, "many", "4096", "all", "gpu0-Texture 4KiB" },
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_record *record = gc_record_new(&somebody);
    struct gc_infos *infos = &gc_record_add(record, cases[i].kind)->infos;
    char name[64];

    if (cases[i].capacity)
      gc_infos_set(infos, "CapacityBytes", cases[i].capacity);
    if (cases[i].nominal)
      gc_infos_set(infos, "NominalBytes", cases[i].nominal);
    if (cases[i].instances)
      gc_infos_set(infos, "Instances", cases[i].instances);
    gc_record_element_name(record, 0, "gpu0", name, sizeof(name));
    assert_string_equal(name, cases[i].name);
    gc_record_element_name(record, 0, "gpu0", name, 6);
    assert_int_equal(strlen(name), 5);
    gc_record_free(record);
  }
}

/* Elements that tables and plan add in different orders end up in the same order. */
static void siblings_come_in_the_order_of_kinds(void **state)
{
  static const enum gc_kind added[] = { GC_DEVICE_MEMORY, GC_L2, GC_L1, GC_INSTRUCTION_CACHE,
                                        GC_SCALAR_L1,     GC_LDS };
  static const enum gc_kind kinds[] = { GC_DEVICE_MEMORY, GC_L2,  GC_L1,
                                        GC_SCALAR_L1,     GC_LDS, GC_INSTRUCTION_CACHE };
  static const long parents[] = { -1, 0, 1, 1, 1, 1 };
  struct gc_record *record = gc_record_new(&somebody);

  (void)state;
  for (size_t i = 0; i < 6; i++)
    assert_non_null(gc_record_add(record, added[i]));
  check_tree(record, kinds, parents, 6);
  gc_record_free(record);
}

/* Sets "key=value" words. */
static void fill(struct gc_infos *infos, const char *words)
{
  char *copy = strdup(words), *rest = NULL;

  for (char *word = strtok_r(copy, "; ", &rest); word; word = strtok_r(NULL, "; ", &rest)) {
    char *value = strchr(word, '=');

    assert_non_null(value);
    *value++ = '\0';
    assert_int_equal(gc_infos_set(infos, word, value), 0);
  }
  free(copy);
}

static void who_shares_an_element_has_none_of_its_own(void **state)
{
  static const struct {
    const char *sms, *gpu, *infos, *why; /* gpu, infos: "Key=value" of the GPU, of an L2; why: NULL for no reason */
  } cases[] = {
    { "132", "ComputeCapability=9.0", "Instances=1", "absent:132 SMs share it" },
    { "304", "GFX=gfx942", "Instances=8", "absent:304 CUs share 8 of them" },
    { "132", "ComputeCapability=9.0", "InstancesSource=absent:noisy", "absent:noisy" },
    { "38", "WarpThreads=64", "Instances=38", "absent:it is outside of the CUs" }, /* measure --only */
    { "38", NULL, "Instances=38", "absent:it is outside of the SMs" },
    { "1", "ComputeCapability=9.0", "Instances=1", "absent:it is outside of the SMs" },
    { "132", "ComputeCapability=9.0", "CapacityBytes=1", NULL },
    { NULL, NULL, "Instances=1", NULL },
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_record *record = gc_record_new(&somebody);
    struct gc_element *l2 = gc_record_add(record, GC_L2);
    const char *source;

    if (cases[i].sms)
      gc_infos_set(&record->infos, "SMs", cases[i].sms);
    if (cases[i].gpu)
      fill(&record->infos, cases[i].gpu);
    fill(&l2->infos, cases[i].infos);
    assert_int_equal(gc_record_explain_per_sm(record), 0);
    source = gc_infos_get(&l2->infos, "PerSMSource");
    assert_true(!source == !cases[i].why);
    if (source)
      assert_string_equal(source, cases[i].why);
    gc_infos_set(&l2->infos, "PerSMSource", "measured"); /* an existing source stays */
    if (i == 0) { /* an element in an SM needs no reason where each SM has its own */
      fill(&gc_record_add(record, GC_L1)->infos, "Instances=132");
      assert_int_equal(gc_record_explain_per_sm(record), 0);
      assert_null(gc_infos_get(&gc_record_find(record, GC_L1)->infos, "PerSMSource"));
      l2 = gc_record_find(record, GC_L2);
    }
    assert_int_equal(gc_record_explain_per_sm(record), 0);
    assert_string_equal(gc_infos_get(&l2->infos, "PerSMSource"), "measured");
    gc_record_free(record);
  }
}

/* Elements added in any order end up as a tree that is written and read in one order. */
static void a_late_gl1_gathers_what_is_in_it(void **state)
{
  static const enum gc_kind added[] = { GC_DEVICE_MEMORY, GC_L1,       GC_LDS, GC_INSTRUCTION_CACHE,
                                        GC_SCALAR_L1,     GC_L2,       GC_GL1, GC_L3 };
  static const enum gc_kind sorted[] = { GC_DEVICE_MEMORY, GC_L3,  GC_L2,  GC_GL1,
                                         GC_L1,            GC_SCALAR_L1, GC_LDS, GC_INSTRUCTION_CACHE };
  static const long parents[] = { -1, 0, 1, 2, 3, 3, 2, 2 };
  struct gc_record *record = gc_record_new(&somebody);

  (void)state;
  for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++) {
    struct gc_element *element = gc_record_add(record, added[i]);

    assert_non_null(element);
    assert_int_equal(element->kind, added[i]);
  }
  for (size_t i = 0; i < sizeof(sorted) / sizeof(*sorted); i++) {
    assert_int_equal(record->elements[i].kind, sorted[i]);
    assert_int_equal(gc_record_parent(record, i), parents[i]);
  }
  gc_record_free(record);
}

static void there_can_be_several_of_what_is_on_no_sm(void **state)
{
  struct gc_record *record = gc_record_new(&somebody);
  char name[64];

  (void)state;
  gc_infos_set(&gc_record_add(record, GC_L2)->infos, "NominalBytes", "4194304");
  gc_infos_set(&record->elements[0].infos, "Instances", "1");
  gc_record_element_name(record, 0, "gpu0", name, sizeof(name));
  assert_string_equal(name, "gpu0-L2 4MiB");
  gc_infos_set(&record->elements[0].infos, "Instances", "8");
  gc_record_element_name(record, 0, "gpu0", name, sizeof(name));
  assert_string_equal(name, "gpu0-L2 4MiB x8");
  gc_record_free(record);
}

static void infos_are(const struct gc_infos *infos, const char *words)
{
  struct gc_infos expected = { NULL, 0 };

  fill(&expected, words);
  for (size_t i = 0; i < expected.count; i++) {
    const char *value = gc_infos_get(infos, expected.array[i].name);

    if (!value || strcmp(value, expected.array[i].value))
      fail_msg("%s is %s, not %s", expected.array[i].name, value ? value : "absent",
               expected.array[i].value);
  }
  assert_int_equal(infos->count, expected.count);
  gc_infos_clear(&expected);
}

/* The measured infos, those of the tables, and the merged ones. */
static void what_is_known_completes_what_was_measured(void **state)
{
  static const struct {
    const char *measured, *known, *merged;
  } cases[] = {
    /* nothing measured */
    { "", "LineBytes=64 LineSource=sysfs", "LineBytes=64 LineSource=sysfs" },
    /* the measured value has priority, and the size of the table becomes the nominal one */
    { "CapacityBytes=16000 CapacitySource=measured CapacityConfidence=0.99",
      "CapacityBytes=16384 CapacitySource=sysfs NominalBytes=16384 NominalSource=sysfs",
      "CapacityBytes=16000 CapacitySource=measured CapacityConfidence=0.99 NominalBytes=16384 "
      "NominalSource=sysfs" },
    /* a capacity that was withheld stays absent */
    { "CapacitySource=absent:noise", "CapacityBytes=16384 CapacitySource=sysfs NominalBytes=16384 "
                                     "NominalSource=sysfs",
      "CapacitySource=absent:noise NominalBytes=16384 NominalSource=sysfs" },
    /* other properties are added where measuring failed */
    { "LineSource=absent:noise", "LineBytes=64 LineSource=sysfs", "LineBytes=64 LineSource=sysfs" },
    { "InstancesSource=absent:noise", "Instances=44 InstancesSource=sysfs",
      "Instances=44 InstancesSource=sysfs" },
    /* but a reason is not replaced by another one */
    { "LineSource=absent:noise", "LineSource=absent:not-stated", "LineSource=absent:noise" },
    { "", "LineSource=absent:not-stated", "LineSource=absent:not-stated" },
    { "LineBytes=128 LineSource=measured", "LineSource=absent:not-stated",
      "LineBytes=128 LineSource=measured" },
    /* a value without a source is a value, too */
    { "LineBytes=128", "LineBytes=64 LineSource=sysfs", "LineBytes=128" },
    { "SharedByCUs=30x2 SharedByCUsSource=measured", "SharedByCUs=29x2,2x1 SharedByCUsSource=sysfs",
      "SharedByCUs=30x2 SharedByCUsSource=measured" },
    /* names with the same beginning are different properties */
    { "LineBytes=64 LineSource=measured", "LinesBytes=3 LinesSource=sysfs",
      "LineBytes=64 LineSource=measured LinesBytes=3 LinesSource=sysfs" },
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_record *record = gc_record_new(&somebody), *known = gc_record_new(&somebody);

    fill(&gc_record_add(record, GC_L1)->infos, cases[i].measured);
    fill(&gc_record_add(known, GC_L1)->infos, cases[i].known);
    assert_int_equal(gc_record_merge_tables(record, known), 0);
    infos_are(&record->elements[0].infos, cases[i].merged);
    assert_int_equal(gc_record_merge_tables(record, known), 0); /* once more changes nothing */
    infos_are(&record->elements[0].infos, cases[i].merged);
    gc_record_free(record);
    gc_record_free(known);
  }
}

static void what_is_known_of_the_gpu_and_of_other_elements(void **state)
{
  struct gc_record *record = gc_record_new(&somebody), *known = gc_record_new(&somebody);

  (void)state;
  fill(&record->infos, "SMs=104 Status=measured");
  fill(&known->infos, "SMs=103 GFX=gfx90a");
  gc_record_add(record, GC_DEVICE_MEMORY);
  gc_record_add(record, GC_L1);
  gc_record_add(known, GC_DEVICE_MEMORY);
  fill(&gc_record_add(known, GC_LDS)->infos, "Instances=104");
  gc_record_add(known, GC_L2);
  assert_int_equal(gc_record_merge_tables(record, known), 0);
  infos_are(&record->infos, "SMs=104 Status=measured GFX=gfx90a");
  assert_int_equal(record->count, 4);
  assert_int_equal(record->elements[1].kind, GC_L2); /* around the earlier elements */
  assert_int_equal(gc_record_parent(record, 2), 1);
  infos_are(&gc_record_find(record, GC_LDS)->infos, "Instances=104");
  assert_int_equal(known->count, 3);
  gc_record_free(record);
  gc_record_free(known);
}

static void elements_without_values_can_be_dropped(void **state)
{
  struct gc_record *record = gc_record_new(&somebody);
  struct gc_element *element;

  (void)state;
  assert_non_null(gc_record_add(record, GC_DEVICE_MEMORY)); /* the outermost one stays */
  element = gc_record_add(record, GC_L2); /* stays, because it contains another one */
  gc_infos_set(&element->infos, "CapacitySource", "absent:busy");
  element = gc_record_add(record, GC_L1);
  gc_infos_set(&element->infos, "LatencyCycles", "30");
  element = gc_record_add(record, GC_CONSTANT_L1);
  gc_infos_set(&element->infos, "CapacitySource", "absent:busy");
  gc_infos_set(&element->infos, "CapacityConfidence", "0.9");
  element = gc_record_add(record, GC_SHARED_MEMORY); /* measured: it shares its storage with none */
  gc_infos_set(&element->infos, "SharedWithSource", "measured");
  element = gc_record_add(record, GC_L1_TLB);
  gc_infos_set(&element->infos, "ReachSource", "absent:no miss");
  assert_non_null(gc_record_add(record, GC_L2_TLB));
  gc_record_drop_empty(record);
  assert_int_equal(record->count, 4);
  assert_int_equal(record->elements[0].kind, GC_DEVICE_MEMORY);
  assert_int_equal(record->elements[1].kind, GC_L2);
  assert_int_equal(record->elements[2].kind, GC_L1);
  assert_string_equal(gc_infos_get(&record->elements[2].infos, "LatencyCycles"), "30");
  assert_int_equal(record->elements[3].kind, GC_SHARED_MEMORY);
  assert_true(gc_record_has_values(record, 1));
  gc_record_drop_empty(record);
  assert_int_equal(record->count, 4);
  gc_record_free(record);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(infos_are_a_set_in_order),
    cmocka_unit_test(numbers_are_digits_only),
    cmocka_unit_test(values_have_the_form_of_their_key),
    cmocka_unit_test(lists_are_read_entry_by_entry),
    cmocka_unit_test(lists_of_members_masks_and_shares),
    cmocka_unit_test(ids_are_file_names),
    cmocka_unit_test(kinds_are_known_by_subtype),
    cmocka_unit_test(elements_come_in_tree_order),
    cmocka_unit_test(siblings_come_in_the_order_of_kinds),
    cmocka_unit_test(who_shares_an_element_has_none_of_its_own),
    cmocka_unit_test(two_of_a_kind_keep_their_children),
    cmocka_unit_test(a_record_without_levels_in_between_is_a_tree),
    cmocka_unit_test(names_tell_size_and_count),
    cmocka_unit_test(a_late_gl1_gathers_what_is_in_it),
    cmocka_unit_test(there_can_be_several_of_what_is_on_no_sm),
    cmocka_unit_test(what_is_known_completes_what_was_measured),
    cmocka_unit_test(what_is_known_of_the_gpu_and_of_other_elements),
    cmocka_unit_test(elements_without_values_can_be_dropped),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
