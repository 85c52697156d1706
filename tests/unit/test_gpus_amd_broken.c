/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD GPUs in broken trees of KFD: values that are not credible are left out, and others are not
 * affected.
 */
#include "amd.h"

#define CACHES NODES "/1/caches/"

static void cache(unsigned index, const char *lines)
{
  char file[128];

  snprintf(file, sizeof(file), CACHES "%u/properties", index);
  put(file, lines);
}

/* The entries of an MI100, by kind. */
enum { VECTOR = 0, CODE = 120, SCALAR = CODE + 44, L2 = SCALAR + 44 };

/* Entries in the middle are not read where the first and the last one are enough. */
static void reads_no_more_than_it_must(void **state)
{
  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  for (unsigned i = VECTOR + 1; i < CODE - 1; i++)
    cache(i, "level 7\ntype 99\n");
  for (unsigned i = SCALAR + 1; i < L2 - 1; i++)
    cache(i, "level 7\ntype 99\n");
  list(1);
  ELEMENTS_ARE(gpus.array[0].tables, mi100_elements);
}

/* They are read where these are not enough. */
static void reads_what_it_must(void **state)
{
  const struct gc_record *tables;

  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  shell("sed -i 's/^sibling_map 1,0/sibling_map 1,1/' %s/" CACHES "%d/properties", root, L2 - 1);
  list(1);
  tables = gpus.array[0].tables;
  element_is(tables, &(struct expected){GC_INSTRUCTION_CACHE, 32 * KIB, 64, 44, 0, "36x3,4x2,4x1"});
  element_is(tables, &(struct expected){GC_SCALAR_L1, 16 * KIB, 64, 44, 0, "36x3,5x2,3x1"});
  /* two CUs share one vector L1: there is no number per CU, but a number of instances */
  shell("sed -i 's/^sibling_map 1,0/sibling_map 1,1/' %s/" CACHES "%d/properties", root, CODE - 1);
  list(1);
  element_is(gpus.array[0].tables, &(struct expected){GC_L1, 16 * KIB, 64, 120, 0, "1x2,119x1"});
}

/* An empty entry makes counts uncertain, and nothing else. */
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
  add_amd("mi100", 1, "0000:a7:00.0");
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    cache(CODE + 10, texts[i]);
    list(1);
    ELEMENTS_ARE(gpus.array[0].tables, elements);
  }
}

/* Entries before the gap are used, but not counted. */
static void a_gap(void **state)
{
  const struct gc_record *tables;

  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  shell("rm -r %s/" CACHES "%d", root, CODE + 5);
  list(1);
  tables = gpus.array[0].tables;
  element_is(tables, &(struct expected){GC_L1, 16 * KIB, 64, 0, 0, NULL});
  element_is(tables, &(struct expected){GC_INSTRUCTION_CACHE, 32 * KIB, 64, 0, 0, NULL});
  absent_is(tables, GC_L2, "should list 209 caches, but not all can be read");
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
      {"level 2\ntype 73\nsize 4096\n", false}, /* of an unknown processor */
      {"level 9\ntype 9\nsize 4096\n", false},
  };

  const struct gc_element *l2;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    node_with(1, "unique_id 1\ncaches_count 1\n");
    cache(0, cases[i].text);
    list(1);
    l2 = gc_record_find(gpus.array[0].tables, GC_L2);
    if ((l2 && gc_infos_get(&l2->infos, "CapacityBytes")) != cases[i].there)
      fail_msg("%s", cases[i].text);
  }
}

static void absurd_nodes(void **state)
{
  const struct gc_record *tables;

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
  assert_null(gpus.array[0].tables); /* no credible value */
  put(NODES "/1/properties", "simd_count 18446744073709551615\nsimd_per_cu 18446744073709551615\n"
                             "lds_size_in_kb 64\nmax_waves_per_simd 1024\nwave_front_size 1024\n");
  put(NODES "/1/mem_banks/0/properties", "heap_type 0\nsize_in_bytes 4096\n");
  list(1);
  tables = gpus.array[0].tables;
  element_is(tables, &(struct expected){GC_LDS, 64 * KIB, 0, 0, 0, NULL});
  fact_is(tables, "SMs", NULL);
  fact_is(tables, "ThreadsPerSM", NULL);
  /* memory of the host is not the GPU's */
  absent_is(tables, GC_DEVICE_MEMORY, "do not list its memory banks");
  absent_is(tables, GC_L1, "do not list it");
}

/* A map may be cut at the end of a page of sysfs, or be something else. */
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
    element_is(gpus.array[0].tables,
               &(struct expected){GC_INSTRUCTION_CACHE, 64 * KIB, 0, 1, 0, sharing[i]});
  }
  /* too long; 2000 CUs with one cache are not a group */
  snprintf(text, sizeof(text), "level 1\ntype 10\nsize 64\nsibling_map ");
  while (strlen(text) + 3 < sizeof(text))
    strcat(text, "1,");
  cache(0, text);
  list(1);
  element_is(gpus.array[0].tables,
             &(struct expected){GC_INSTRUCTION_CACHE, 64 * KIB, 0, 1, 0, NULL});
}

/* Work is bounded: endless caches are not counted. */
static void thousands_of_caches(void **state)
{
  (void)state;
  node_with(1, "unique_id 1\ncaches_count 5000\n");
  shell("cd %s && mkdir -p " CACHES " && cd " CACHES " && mkdir $(seq 0 4999) && for i in $(seq 0 4999); "
        "do printf 'processor_id_low %%d\\nlevel 1\\ntype 9\\nsize 16\\nsibling_map 1\\n' $i > $i/properties; "
        "done", root);
  list(1);
  element_is(gpus.array[0].tables, &(struct expected){GC_L1, 16 * KIB, 0, 0, 0, NULL});
  /* kinds that change with every entry: the first ones are used */
  shell("cd %s/" CACHES " && for i in $(seq 0 99); do printf 'processor_id_low %%d\\nlevel %%d\\ntype 9\\n"
        "size 16\\nsibling_map 1\\n' $i $((i %% 3 + 1)) > $i/properties; done", root);
  list(1);
  assert_true(gpus.array[0].tables->count <= 5);
}

/* A directory in place of a file, a dangling link, a file without an end. */
static void strange_files(void **state)
{
  (void)state;
  add_amd("mi100", 1, "0000:a7:00.0");
  shell("cd %s && rm " CACHES "120/properties && mkdir " CACHES "120/properties", root);
  list(1);
  absent_is(gpus.array[0].tables, GC_L2, "not all can be read");
  shell("cd %s && rmdir " CACHES "120/properties && ln -s nowhere " CACHES "120/properties", root);
  list(1);
  shell("cd %s && rm " CACHES "120/properties && mkfifo " CACHES "120/properties", root);
  list(1);
  element_is(gpus.array[0].tables, &(struct expected){GC_L1, 16 * KIB, 64, 0, 0, NULL});
  shell("cd %s && rm -r " CACHES " && ln -s /dev " NODES "/1/caches", root);
  list(1);
  absent_is(gpus.array[0].tables, GC_L1, "none can be read");
  /* removed between the list and the tables */
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  shell("rm -r %s/" NODES "/1", root);
  assert_int_equal(gc_gpus_read_tables(root, &gpus.array[0]), 0);
  assert_null(gpus.array[0].tables);
}

/* Random bytes of the tree are changed: every result is well-formed. */
static void mutilated(void **state)
{
  static const char *const files[] = {NODES "/1/properties", CACHES "0/properties",
                                      CACHES "59/properties", CACHES "60/properties",
                                      CACHES "100/properties", NODES "/1/mem_banks/0/properties",
                                      "sys/bus/pci/devices/0000:03:00.0/vendor"};
  static const char letters[] = "0123456789 \n-,x\xff";

  (void)state;
  add_amd("rx6800", 1, "0000:03:00.0");
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
      assert_int_equal(gc_gpus_read_tables(root, gpu), 0);
      for (size_t j = 0; gpu->tables && j < gpu->tables->count; j++)
        for (size_t k = 0; k < gpu->tables->elements[j].infos.count; k++) {
          const struct gc_info *info = &gpu->tables->elements[j].infos.array[k];

          assert_true(gc_value_ok(info->name, info->value));
        }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
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
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
