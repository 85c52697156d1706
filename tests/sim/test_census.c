/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two ways to one capacity: on every simulated GPU of data/sim a census of each cache agrees with
 * where misses begin; on GPUs made so that they cannot agree the capacity is withheld, and said so;
 * and what elements and the interface say of each other.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/looks.h"
#include "measure/agree.h"
#include "measure/turns.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct opened {
  struct gc_gpus gpus;
  struct gc_device *device;
  struct gc_record *record;
  struct gc_bench bench;
  struct gc_error err;
  char path[300];
};

static void must(struct opened *o, int status, const char *what)
{
  if (status)
    fail_msg("%s: %s: %s", o->path, what, o->err.text);
}

static void open_path(struct opened *o, const char *path)
{
  memset(o, 0, sizeof(*o));
  snprintf(o->path, sizeof(o->path), "%s", path);
  assert_int_equal(gc_gpus_list("/nonexistent", path, &o->gpus), 0);
  assert_int_equal(o->gpus.count, 1);
  assert_string_equal(o->gpus.array[0].problem, "");
  must(o, gc_device_open(&o->gpus.array[0], &o->device, &o->err), "open");
  o->record = gc_record_new(&o->gpus.array[0].identity);
  assert_non_null(o->record);
  must(o, gc_bench_open_known(&o->bench, o->device, o->gpus.array[0].known, o->record, &o->err), "bench");
  must(o, gc_warm_up(&o->bench), "warm up");
  must(o, gc_calibrate_window(&o->bench), "timing");
}

static void close_path(struct opened *o)
{
  gc_bench_close(&o->bench);
  gc_record_free(o->record);
  gc_ops(o->device)->close(o->device);
  gc_gpus_free(&o->gpus);
}

/* A GPU of one file: what stands in it for %s. */
static void open_text(struct opened *o, const char *form, const char *text, char *path)
{
  FILE *file;
  int fd;

  strcpy(path, "/tmp/census-XXXXXX");
  fd = mkstemp(path);
  assert_true(fd >= 0);
  file = fdopen(fd, "w");
  assert_non_null(file);
  fprintf(file, form, text);
  fclose(file);
  open_path(o, path);
}

/* A GPU with these lines for [cache L1]. */
static void open_l1(struct opened *o, const char *l1, char *path)
{
  static const char form[] =
    "model = Variant\ncompute = 7.0\nsms = 16\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
    "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
    "clock_overhead = 4\n[cache L1]\n%s\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
    "sector = 32\nways = 16\nreplacement = lru\n[space ca]\npath = L1 30, L2 200 3, memory 500 5\n"
    "[space cg]\npath = L2 200 3, memory 500 5\n[space nc]\npath = L1 30, L2 200 3, memory 500 5\n"
    "[space shared]\npath = memory 20\n";

  open_text(o, form, l1, path);
}

/* A GPU with these lines for [cache ConstantL1.5], which four SMs share. */
static void open_l15(struct opened *o, const char *l15, char *path)
{
  static const char form[] =
    "model = Variant\ncompute = 9.0\nsms = 32\nclock_khz = 1000000\nthreads_per_sm = 2048\n"
    "blocks_per_sm = 32\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 32 KiB\n"
    "clock_overhead = 4\n[cache ConstantL1]\nsize = 2 KiB\nline = 64\nways = 4\nreplacement = lru\n"
    "[cache ConstantL1.5]\nscope = group 4\n%s\n[cache L2]\nscope = chip\nsize = 2 MiB\nline = 128\n"
    "sector = 32\nways = 16\nreplacement = lru\n"
    "[space ca]\npath = L2 200 3, memory 500 5\n[space cg]\npath = L2 200 3, memory 500 5\n"
    "[space constant]\npath = ConstantL1 28, ConstantL1.5 98 1, L2 307 5, memory 694 90\n"
    "[space shared]\npath = memory 20\n";

  open_text(o, form, l15, path);
}

static struct gc_element *element_of(struct opened *o, enum gc_kind kind)
{
  struct gc_element *element = gc_record_find(o->record, kind);

  if (!element)
    element = gc_record_add(o->record, kind);
  assert_non_null(element);
  return element;
}

/* As if it had been found: of what a block read last nothing is counted behind it. */
static void know_constant_l1(struct opened *o)
{
  assert_int_equal(gc_infos_set_u64(&element_of(o, GC_CONSTANT_L1)->infos, "CapacityBytes", 2048), 0);
}

static double number(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? strtod(value, NULL) : NAN;
}

static const char *text(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? value : "";
}

/* --- all profiles ---------------------------------------------------------------------------- */

static int l2_capacity(struct gc_bench *bench, struct gc_element *element)
{
  const int status = gc_step_partition(bench, element); /* what is near */

  return status ? status : gc_step_l2_capacity(bench, element);
}

static const struct subject {
  enum gc_kind kind;
  int (*capacity)(struct gc_bench *bench, struct gc_element *element);
  int (*census)(struct gc_bench *bench, struct gc_element *element);
} subjects[] = {
  {GC_L1, gc_step_capacity, gc_step_census},
  {GC_TEXTURE, gc_step_capacity, gc_step_census},
  {GC_READ_ONLY, gc_step_capacity, gc_step_census},
  {GC_CONSTANT_L1, gc_step_capacity, gc_step_census},
  {GC_CONSTANT_L15, gc_step_constant15, gc_step_constant15_census},
  {GC_L2, l2_capacity, gc_step_l2_census},
};

/* The capacity stays, and is what was counted; where nothing can be counted it is said why. */
static void check_subject(struct opened *o, const struct subject *subject)
{
  struct gc_element *element = element_of(o, subject->kind);
  const char *what = gc_kinds[subject->kind].subtype;
  double capacity, census, error;

  must(o, subject->capacity(&o->bench, element), "capacity");
  capacity = number(element, HWLOC_GPUCACHE_CAPACITY_BYTES);
  must(o, subject->census(&o->bench, element), "census");
  if (isnan(capacity)) {
    assert_true(isnan(number(element, HWLOC_GPUCACHE_CENSUS_BYTES)));
    return;
  }
  if (number(element, HWLOC_GPUCACHE_CAPACITY_BYTES) != capacity)
    fail_msg("%s: %s: %s", o->path, what, text(element, "CapacitySource"));
  assert_string_equal(o->bench.complaints, "");
  census = number(element, HWLOC_GPUCACHE_CENSUS_BYTES);
  error = number(element, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES);
  if (isnan(census)) {
    /* near has to be known from far */
    if (subject->kind != GC_L2 || !isnan(number(element, "Partitions")))
      fail_msg("%s: %s: no census: %s", o->path, what, text(element, "CensusSource"));
    assert_memory_equal(text(element, "CensusSource"), "absent:", 7);
    return;
  }
  assert_string_equal(text(element, "CensusSource"), "measured");
  if (!(fabs(census - capacity) <= 0.02 * capacity + 4 * error))
    fail_msg("%s: %s: misses begin after %.0f bytes, counted were %.0f +- %.0f", o->path, what, capacity,
             census, error);
  if (!(error <= 0.03 * capacity))
    fail_msg("%s: %s: a census of %.0f +- %.0f bytes says little", o->path, what, census, error);
  assert_true(number(element, "CensusConfidence") > 0.95);
}

static void profiles_agree(void **state)
{
  const char *folder = getenv("HWLOC_GPUCACHE_SIM_PATH");
  DIR *dir = opendir(folder ? folder : "data/sim");
  const struct dirent *entry;
  size_t profiles = 0;

  (void)state;
  assert_non_null(dir);
  while ((entry = readdir(dir))) {
    struct opened o;
    char path[300];

    if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') || !strcmp(entry->d_name, "README"))
      continue;
    snprintf(path, sizeof(path), "%.40s%.200s/%.50s", folder ? "" : "./", folder ? folder : "data/sim",
             entry->d_name);
    open_path(&o, path);
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
      if (gc_path_of(subjects[i].kind)->present(&o.bench.properties))
        check_subject(&o, &subjects[i]);
    close_path(&o);
    profiles++;
  }
  closedir(dir);
  assert_true(profiles >= 12);
}

/* --- contradictions -------------------------------------------------------------------------- */

/* Each 512 bytes fill four of the ten ways of a set: the third time round one set is too small while others
 * have room left. Misses begin long before the cache is full, which the one way does not see, and the other
 * does. */
#define UNEVEN "size = 20 KiB\nline = 128\ninterleave = 512\nways = 10\nreplacement = lru"

static void uneven_sets_are_withheld(void **state)
{
  struct gc_element *element;
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, UNEVEN, path);
  element = element_of(&o, GC_L1);
  must(&o, gc_step_capacity(&o.bench, element), "capacity");
  assert_int_equal(number(element, "CapacityBytes"), 16384 + 256);
  must(&o, gc_step_census(&o.bench, element), "census");
  assert_true(isnan(number(element, "CapacityBytes")));
  assert_true(isnan(number(element, "CapacityConfidence")));
  assert_true(fabs(number(element, "CensusBytes") - 20480) < 205);
  assert_non_null(strstr(text(element, "CapacitySource"), "absent:misses begin after "));
  assert_non_null(strstr(text(element, "CapacitySource"), "a census found "));
  assert_non_null(strstr(o.bench.complaints, "Capacity of L1Cache is withheld: misses begin after "));
  close_path(&o);
  unlink(path);
}

/* Whatever capacity there is said to be: a census finds the one of the model, or that there is more. */
static void wrong_capacities_are_withheld(void **state)
{
  static const char *const policies[] = {"lru", "random"};

  (void)state;
  for (size_t i = 0; i < 2; i++)
    for (int percent = 60; percent <= 140; percent += 10) {
      char path[64], l1[128], kept[300];
      struct gc_element *element;
      struct opened o;

      snprintf(l1, sizeof(l1), "size = 32 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = %s",
               policies[i]);
      open_l1(&o, l1, path);
      element = element_of(&o, GC_L1);
      must(&o, gc_step_capacity(&o.bench, element), "capacity");
      assert_int_equal(number(element, "CapacityBytes"), 32768);
      assert_int_equal(
        gc_infos_set_u64(&element->infos, "CapacityBytes", 32768ull * (unsigned)percent / 100 / 128 * 128), 0);
      must(&o, gc_step_census(&o.bench, element), "census");
      snprintf(kept, sizeof(kept), "%s, %d %%: %s", policies[i], percent, text(element, "CapacitySource"));
      if (isnan(number(element, "CapacityBytes")) != (percent != 100))
        fail_msg("%s", kept);
      if (percent >= 70 && !(fabs(number(element, "CensusBytes") - 32768) <= 0.05 * 32768))
        fail_msg("%s: counted were %.0f", kept, number(element, "CensusBytes"));
      close_path(&o);
      unlink(path);
    }
}

/* A cache whose first miss is said to be somewhere else, too early or too late by `difference`. */
struct wrong {
  enum gc_kind kind;
  int (*capacity)(struct gc_bench *bench, struct gc_element *element);
  int (*census)(struct gc_bench *bench, struct gc_element *element);
  uint64_t bytes; /* that the h200 has, and the one with these lines */
  void (*open)(struct opened *o, const char *lines, char *path);
  const char *lines;
  bool near; /* a constant L1 is known */
};

static void check_difference(struct opened *o, const struct wrong *wrong, int difference)
{
  struct gc_element *element = element_of(o, wrong->kind);

  must(o, wrong->capacity(&o->bench, element), "capacity");
  assert_int_equal(number(element, "CapacityBytes"), wrong->bytes);
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", wrong->bytes + (uint64_t)difference), 0);
  must(o, wrong->census(&o->bench, element), "census");
  if (isnan(number(element, "CapacityBytes")) != (difference != 0))
    fail_msg("%s: %d bytes more than there are, counted were %.0f +- %.0f: %s", o->path, difference,
             number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
             text(element, "CapacitySource"));
  if (wrong->kind == GC_CONSTANT_L15 &&
      !(fabs(number(element, "CensusBytes") - (double)wrong->bytes) <=
        0.01 * (double)wrong->bytes + 4 * number(element, "CensusErrorBytes")))
    fail_msg("%s: counted were %.0f +- %.0f", o->path, number(element, "CensusBytes"),
             number(element, "CensusErrorBytes"));
}

static void check_differences(const struct wrong *wrong, const int *differences, size_t n)
{
  const char *folder = getenv("HWLOC_GPUCACHE_SIM_PATH");

  for (size_t i = 0; i < n; i++) {
    struct opened o;
    char path[300];

    snprintf(path, sizeof(path), "%.280s/h200", folder ? folder : "./data/sim");
    open_path(&o, path);
    if (wrong->near)
      know_constant_l1(&o);
    check_difference(&o, wrong, differences[i]);
    close_path(&o);
    wrong->open(&o, wrong->lines, path);
    if (wrong->near)
      know_constant_l1(&o);
    check_difference(&o, wrong, differences[i]);
    close_path(&o);
    unlink(path);
  }
}

/* A first miss that is 6 KiB too early or too late is withheld: so much an H200's L1 of 217 KiB lacks of what its
 * carve-out should leave, which is why it has to be found in two ways. The H200: random replacement, 132 SMs. */
static void lost_kibibytes_are_noticed(void **state)
{
  static const int differences[] = {-8192, -6144, 0, 6144, 8192};
  static const struct wrong l1 = {GC_L1, gc_step_capacity, gc_step_census, 217 << 10, open_l1,
                                  "size = 217 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru", false};

  (void)state;
  check_differences(&l1, differences, sizeof(differences) / sizeof(*differences));
}

/* An L2 that overflows may keep a sixteenth more or less, so an eighth has to be wrong; of one in partitions
 * and of one that is whole. */
static void wrong_l2_are_withheld(void **state)
{
  static const struct {
    const char *profile;
    double bytes;
  } gpus[] = {{"h200", 30 << 20}, {"v100", 6 << 20}};
  static const double factors[] = {0.86, 0.96, 1, 1.04, 1.14};
  const char *folder = getenv("HWLOC_GPUCACHE_SIM_PATH");

  (void)state;
  for (size_t i = 0; i < 5 * sizeof(gpus) / sizeof(*gpus); i++) {
    const double right = gpus[i / 5].bytes, factor = factors[i % 5];
    struct gc_element *element;
    struct opened o;
    char path[300];

    snprintf(path, sizeof(path), "%.280s/%s", folder ? folder : "./data/sim", gpus[i / 5].profile);
    open_path(&o, path);
    element = element_of(&o, GC_L2);
    must(&o, l2_capacity(&o.bench, element), "capacity");
    if (!(fabs(number(element, "CapacityBytes") - right) < 0.005 * right))
      fail_msg("%s: %.0f bytes", path, number(element, "CapacityBytes"));
    assert_int_equal(
      gc_infos_set_u64(&element->infos, "CapacityBytes", (uint64_t)(right * factor) / 128 * 128), 0);
    must(&o, gc_step_l2_census(&o.bench, element), "census");
    if (isnan(number(element, "CapacityBytes")) != (fabs(factor - 1) > 0.1))
      fail_msg("%s: %.2f times what there is, counted were %.0f +- %.0f: %s", path, factor,
               number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
               text(element, "CapacitySource"));
    close_path(&o);
  }
}

/* The same of an L3, which all read, and one samples. */
static void wrong_l3_are_withheld(void **state)
{
  static const double factors[] = {0.86, 0.96, 1, 1.04, 1.14}, right = 96 << 20;
  const char *folder = getenv("HWLOC_GPUCACHE_SIM_PATH");
  struct gc_element *element;
  struct opened o;
  char path[300];

  (void)state;
  snprintf(path, sizeof(path), "%.280s/rx7900xtx", folder ? folder : "./data/sim");
  open_path(&o, path);
  element = element_of(&o, GC_L3);
  must(&o, gc_step_l3_capacity(&o.bench, element), "capacity");
  assert_int_equal(number(element, "CapacityBytes"), right);
  for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
    assert_int_equal(
      gc_infos_set_u64(&element->infos, "CapacityBytes", (uint64_t)(right * factors[i]) / 128 * 128), 0);
    must(&o, gc_step_l3_census(&o.bench, element), "census");
    if (isnan(number(element, "CapacityBytes")) != (fabs(factors[i] - 1) > 0.1) ||
        !(fabs(number(element, "CensusBytes") - right) < 0.03 * right))
      fail_msg("%s: %.2f times what there is, counted were %.0f +- %.0f: %s", path, factors[i],
               number(element, "CensusBytes"), number(element, "CensusErrorBytes"),
               text(element, "CapacitySource"));
  }
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", o.bench.arena_bytes), 0);
  must(&o, gc_step_l3_census(&o.bench, element), "census");
  assert_string_equal(text(element, "CensusSource"), "absent:too little free device memory");
  close_path(&o);
}

/* --- constant L1.5 beyond one bank ------------------------------------------------------------ */

/* As if the search had found this capacity. (With random replacement it finds none: what is brought in once
 * does not stay.) */
static struct gc_element *say_l15(struct opened *o, uint64_t capacity)
{
  struct gc_element *element = element_of(o, GC_CONSTANT_L15);

  know_constant_l1(o);
  o->bench.levels[GC_CONSTANT_L15] = (struct gc_level){.hit = 102, .miss = 312, .usual = 106, .stride = 64};
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", capacity), 0);
  return element;
}

/* Whatever is replaced, and however many banks it takes. */
static void banks_agree(void **state)
{
  static const struct {
    uint64_t kib;
    const char *text;
  } caches[] = {
    {52, "line = 256\nways = 4\nreplacement = lru"},
    {64, "line = 64\nways = 8\nreplacement = plru"},
    {84, "line = 128\nways = 6\nreplacement = lru"},
    {100, "line = 256\nways = 10\nreplacement = random"},
    {124, "line = 256\nways = 8\nreplacement = lru"},
    {128, "line = 256\nways = 8\nreplacement = plru"},
    {128, "line = 256\nways = 128\nreplacement = lru"},
    {128, "line = 256\nways = 4\nreplacement = random"},
    {128, "line = 128\nways = 4\nreplacement = weighted 1 1 1 3"},
    {160, "line = 256\nways = 5\nreplacement = lru"},
    {188, "line = 256\nways = 4\nreplacement = random"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
    const uint64_t bytes = caches[i].kib << 10;
    struct gc_element *element;
    char path[64], lines[160];
    double census, error;
    struct opened o;

    snprintf(lines, sizeof(lines), "size = %d KiB\n%s", (int)caches[i].kib, caches[i].text);
    open_l15(&o, lines, path);
    element = say_l15(&o, bytes);
    must(&o, gc_step_constant15_census(&o.bench, element), "census");
    census = number(element, "CensusBytes");
    error = number(element, "CensusErrorBytes");
    if (!(fabs(census - (double)bytes) <= 0.02 * (double)bytes + 4 * error) || !(error <= 0.03 * (double)bytes) ||
        number(element, "CapacityBytes") != (double)bytes)
      fail_msg("%s: counted %.0f +- %.0f (%s)", lines, census, error, text(element, "CensusSource"));
    close_path(&o);
    unlink(path);
  }
}

#define L15(near)                                                                                  \
  {GC_CONSTANT_L15, gc_step_constant15, gc_step_constant15_census, 131072, open_l15,               \
   "size = 128 KiB\nline = 256\nways = 128\nreplacement = lru", near}
static const struct wrong l15[] = {L15(false), L15(true)};

static void wrong_banks_are_noticed(void **state)
{
  static const int differences[] = {-32768, -8192, -6144, 0, 6144, 8192, 20480};

  (void)state;
  check_differences(&l15[0], differences, sizeof(differences) / sizeof(*differences));
}

/* Where the end of the cache falls on what does not count, less can be noticed. */
static void wrong_banks_behind_an_l1_are_noticed(void **state)
{
  static const int differences[] = {-32768, -8192, 0, 8192, 20480};

  (void)state;
  check_differences(&l15[1], differences, sizeof(differences) / sizeof(*differences));
}

/* The last tenth of what each of three banks read does not count; a cache that keeps 1.2 banks of it, the oldest
 * first out, has it all the same. */
static void what_does_not_count_is_filled_in(void **state)
{
  enum { BANK = 256, BANKS = 3, HIDDEN = 26, KEPT = BANK * 6 / 5, ROUNDS = 4 };
  struct gc_looks looks = {.bytes = BANKS * BANK * 256, .n = BANKS * BANK, .rounds = ROUNDS};
  struct gc_census census = {.error = 0};
  struct gc_error err = {""};

  (void)state;
  assert_int_equal(gc_looks_open(&looks, &err), 0);
  for (uint32_t part = 0; part < looks.n; part++)
    if (part % BANK < BANK - HIDDEN)
      gc_looks_add(&looks, part, part % ROUNDS, part >= looks.n - KEPT, true);
  gc_looks_conclude(&looks, NULL, &census);
  gc_looks_close(&looks);
  assert_string_equal(census.absent, "");
  if (!(fabs(census.bytes - KEPT * 256.0) <= 0.01 * KEPT * 256))
    fail_msg("counted were %.0f +- %.0f of %d", census.bytes, census.error, KEPT * 256);
  assert_true(census.error > 0 && census.error < 0.03 * census.bytes);
}

/* Launches of which one does not come. */
static int leave_one_out(struct gc_device *device, const struct gc_launch *launches, const uint32_t *copies,
                         size_t n, struct gc_error *err)
{
  return gc_device_sim.launch_together(device, launches, copies,
                                       launches->kernel == GC_KERNEL_turn_census ? n - 1 : n, err);
}

/* Where nothing can be counted it is said why, and the capacity stays. */
static void check_no_census(const char *why, uint64_t capacity, struct gc_device_ops *ops)
{
  struct gc_element *element;
  struct opened o;
  char path[64];

  open_l15(&o, "size = 128 KiB\nline = 256\nways = 8\nreplacement = lru", path);
  element = element_of(&o, GC_CONSTANT_L15);
  must(&o, gc_step_constant15(&o.bench, element), "capacity");
  assert_int_equal(gc_infos_set_u64(&element->infos, "CapacityBytes", capacity), 0);
  gc_forget_takers(&o.bench);
  if (ops)
    o.bench.ops = ops;
  must(&o, gc_step_constant15_census(&o.bench, element), "census");
  assert_string_equal(text(element, "CensusSource"), why);
  assert_true(isnan(number(element, "CensusBytes")));
  assert_int_equal(number(element, "CapacityBytes"), capacity);
  assert_string_equal(o.bench.complaints, "");
  close_path(&o);
  unlink(path);
}

static void what_cannot_be_counted(void **state)
{
  struct gc_device_ops alone = gc_device_sim, broken = gc_device_sim;

  (void)state;
  alone.launch_together = NULL;
  broken.launch_together = leave_one_out;
  check_no_census("absent:there is not enough to read for it", 220 << 10, NULL);
  check_no_census("absent:this GPU cannot run several launches together", 128 << 10, &alone);
  check_no_census("absent:launches that should run together did not", 128 << 10, &broken);
}

/* When a failure made another process go on after the capacity, nothing is counted, and the capacity stays. */
static void nothing_is_known_any_more(void **state)
{
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru", path);
  assert_int_equal(gc_infos_set_u64(&element_of(&o, GC_L1)->infos, "CapacityBytes", 32768), 0);
  must(&o, gc_step_census(&o.bench, element_of(&o, GC_L1)), "census");
  assert_memory_equal(text(element_of(&o, GC_L1), "CensusSource"), "absent:", 7);
  assert_int_equal(number(element_of(&o, GC_L1), "CapacityBytes"), 32768);
  close_path(&o);
  unlink(path);
}

/* The plan tells whoever wants to know, once. */
static void complain(void *data, const char *sentence)
{
  unsigned *count = data;

  assert_non_null(strstr(sentence, "Cache is withheld: misses begin after "));
  (*count)++;
}

static void the_plan_complains(void **state)
{
  unsigned count = 0;
  const struct gc_measure_options options = {.only = "L1Cache", .complain = complain, .data = &count};
  struct gc_record *record;
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, UNEVEN, path);
  record = gc_record_new(&o.gpus.array[0].identity);
  assert_non_null(record);
  must(&o, gc_measure(o.device, &options, record, &o.err), "measure");
  assert_int_equal(count, 1);
  assert_null(gc_infos_get(&gc_record_find(record, GC_L1)->infos, "CapacityBytes"));
  gc_record_free(record);
  close_path(&o);
  unlink(path);
}

/* --- what elements say of each other --------------------------------------------------------- */

static void set_up(struct opened *o, enum gc_kind kind, const char *bytes, const char *shared)
{
  struct gc_element *element = element_of(o, kind);

  assert_int_equal(gc_infos_set(&element->infos, "CapacityBytes", bytes), 0);
  assert_int_equal(gc_infos_set(&element->infos, "CapacitySource", "measured"), 0);
  assert_int_equal(gc_infos_set(&element->infos, "CapacityConfidence", "0.98"), 0);
  if (shared)
    assert_int_equal(gc_infos_set(&element->infos, "SharedWith", shared), 0);
}

static void one_storage_one_capacity(void **state)
{
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru", path);
  /* within half a percent; and not shared */
  set_up(&o, GC_L1, "100000", "ReadOnlyCache");
  set_up(&o, GC_READ_ONLY, "100500", "L1Cache");
  set_up(&o, GC_TEXTURE, "50000", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(o.bench.complaints, "");
  assert_int_equal(number(element_of(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  /* more: neither is told, and the third stays */
  set_up(&o, GC_READ_ONLY, "100600", "L1Cache");
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(text(element_of(&o, GC_L1), "CapacitySource"),
                      "absent:L1Cache and ReadOnlyCache are one storage, but 100000 and 100600 bytes were found");
  assert_string_equal(text(element_of(&o, GC_READ_ONLY), "CapacitySource"),
                      text(element_of(&o, GC_L1), "CapacitySource"));
  assert_true(isnan(number(element_of(&o, GC_L1), "CapacityBytes")));
  assert_true(isnan(number(element_of(&o, GC_L1), "CapacityConfidence")));
  assert_int_equal(number(element_of(&o, GC_TEXTURE), "CapacityBytes"), 50000);
  assert_non_null(strstr(o.bench.complaints, "Capacity of L1Cache is withheld: "));
  assert_non_null(strstr(o.bench.complaints, "Capacity of ReadOnlyCache is withheld: "));
  close_path(&o);
  unlink(path);
}

static void no_more_l2_than_there_is(void **state)
{
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru", path);
  set_up(&o, GC_L2, "2097152", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_int_equal(number(element_of(&o, GC_L2), "CapacityBytes"), 2097152);
  set_up(&o, GC_L2, "2500000", NULL);
  must(&o, gc_agree(&o.bench), "agree");
  assert_string_equal(text(element_of(&o, GC_L2), "CapacitySource"),
                      "absent:2500000 bytes were found, but the interface says that there are 2097152");
  close_path(&o);
  unlink(path);
}

/* Device memory: the two figures that the interface has. */
static void memory_is_counted_twice(void **state)
{
  struct opened o;
  char path[64];

  (void)state;
  open_l1(&o, "size = 32 KiB\nline = 128\nways = 4\nreplacement = lru", path);
  must(&o, gc_step_api(&o.bench, element_of(&o, GC_DEVICE_MEMORY)), "interface");
  must(&o, gc_agree(&o.bench), "agree");
  assert_int_equal(number(element_of(&o, GC_DEVICE_MEMORY), "CapacityBytes"), 512 << 20);
  o.bench.memory_bytes = 400u << 20;
  must(&o, gc_agree(&o.bench), "agree");
  assert_non_null(strstr(text(element_of(&o, GC_DEVICE_MEMORY), "CapacitySource"),
                         "absent:the interface says 536870912 bytes in one place, and 419430400 in another"));
  close_path(&o);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(profiles_agree),
    cmocka_unit_test(uneven_sets_are_withheld),
    cmocka_unit_test(wrong_capacities_are_withheld),
    cmocka_unit_test(lost_kibibytes_are_noticed),
    cmocka_unit_test(wrong_l2_are_withheld),
    cmocka_unit_test(wrong_l3_are_withheld),
    cmocka_unit_test(banks_agree),
    cmocka_unit_test(wrong_banks_are_noticed),
    cmocka_unit_test(wrong_banks_behind_an_l1_are_noticed),
    cmocka_unit_test(what_does_not_count_is_filled_in),
    cmocka_unit_test(what_cannot_be_counted),
    cmocka_unit_test(nothing_is_known_any_more),
    cmocka_unit_test(the_plan_complains),
    cmocka_unit_test(one_storage_one_capacity),
    cmocka_unit_test(no_more_l2_than_there_is),
    cmocka_unit_test(memory_is_counted_twice),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
