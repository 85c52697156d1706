/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Line, fetch granularity and miss penalty of every cache of every simulated GPU of data/sim,
 * against what its profile says; then chips made to mislead: sets that strides miss, policies that
 * never hit when full, hits as slow as misses.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "model/profile.h"
#include "stats/stats.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One cache as the profile has it. */
struct truth {
  enum gc_kind kind;
  enum gc_space space;
  unsigned level;
};
static const struct truth caches[] = {
    {GC_L1, GC_SPACE_CA, 0},
    {GC_TEXTURE, GC_SPACE_TEXTURE, 0},
    {GC_READ_ONLY, GC_SPACE_NC, 0},
    {GC_CONSTANT_L1, GC_SPACE_CONSTANT, 0},
    {GC_CONSTANT_L15, GC_SPACE_CONSTANT, 1},
    {GC_L2, GC_SPACE_CG, 0},
    {GC_SCALAR_L1, GC_SPACE_SCALAR, 0},
};

struct chip {
  struct gc_gpus gpus;
  char name[300];
  struct gc_profile profile;
  struct gc_model *model;
  struct gc_device *device;
  struct gc_record *record;
  struct gc_bench bench;
  struct gc_error err;
};

static void check(struct chip *chip, int status, const char *what)
{
  if (status)
    fail_msg("%s: %s: %s", chip->name, what, chip->err.text);
}

static struct chip *open_chip(const char *path)
{
  struct chip *chip = calloc(1, sizeof(*chip));
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  size_t length;

  assert_non_null(chip);
  assert_non_null(file);
  length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  snprintf(chip->name, sizeof(chip->name), "%s", path);
  assert_int_equal(gc_gpus_list("/nonexistent", path, &chip->gpus), 0);
  assert_int_equal(chip->gpus.count, 1);
  assert_string_equal(chip->gpus.array[0].problem, "");
  check(chip, gc_profile_parse(path, text, length, &chip->profile, &chip->err), "profile");
  check(chip, gc_profile_check(path, &chip->profile, &chip->err), "profile");
  check(chip, gc_model_new(path, text, length, &chip->model, &chip->err), "model");
  check(chip, gc_device_open(&chip->gpus.array[0], &chip->device, &chip->err), "open");
  chip->record = gc_record_new(&chip->gpus.array[0].identity);
  assert_non_null(chip->record);
  check(chip,
        gc_bench_open_known(&chip->bench, chip->device, chip->gpus.array[0].known, chip->record,
                            &chip->err),
        "bench");
  return chip;
}

static void close_chip(struct chip *chip)
{
  gc_bench_close(&chip->bench);
  gc_record_free(chip->record);
  gc_ops(chip->device)->close(chip->device);
  gc_model_free(chip->model);
  gc_gpus_free(&chip->gpus);
  free(chip);
}

/* What one SM can keep in it when nothing is asked of the shared memory. */
static uint64_t capacity_of(struct chip *chip, const struct truth *truth)
{
  const struct gc_properties *p = &chip->bench.properties;
  const uint32_t by_threads = p->threads_per_sm / p->warp;

  gc_model_launch(chip->model, 0, p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads, 0);
  return gc_model_true_level(chip->model, truth->space, truth->level);
}

/* Runs the three steps on an element whose capacity is known. NULL: this chip has no such cache. */
static struct gc_element *find(struct chip *chip, const struct truth *truth, uint64_t capacity)
{
  const struct gc_path *path = gc_path_of(truth->kind);
  struct gc_element *element;

  if (!path->present(&chip->bench.properties))
    return NULL;
  element = gc_record_add(chip->record, truth->kind);
  assert_non_null(element);
  if (path->form != GC_FORM_CONSTANT)
    chip->bench.ops->carveout(chip->device, path->chase, 0, &chip->err);
  if (capacity)
    assert_int_equal(gc_infos_set_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, capacity), 0);
  check(chip, gc_step_fetch(&chip->bench, element), "fetch");
  check(chip,
        truth->kind == GC_L2 ? gc_step_l2_line(&chip->bench, element)
                             : gc_step_line(&chip->bench, element),
        "line");
  check(chip, gc_step_miss_penalty(&chip->bench, element), "penalty");
  return element;
}

static const char *info(const struct gc_element *element, const char *key)
{
  const char *value = gc_infos_get(&element->infos, key);

  return value ? value : "(none)";
}

static void expect(struct chip *chip, const struct gc_element *element, const char *key,
                   const char *property, uint64_t expected)
{
  char source[64], confidence[64];
  uint64_t value = 0;

  snprintf(source, sizeof(source), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  snprintf(confidence, sizeof(confidence), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  if (gc_infos_get_u64(&element->infos, key, &value) || value != expected ||
      strtod(info(element, confidence), NULL) < 0.95)
    fail_msg("%s %s: %s = %s, not %llu (%s, confidence %s)", chip->name,
             gc_kinds[element->kind].subtype, key, info(element, key), (unsigned long long)expected,
             info(element, source), info(element, confidence));
}

static void expect_absent(struct chip *chip, const struct gc_element *element, const char *key,
                          const char *property, const char *why)
{
  char source[64];

  snprintf(source, sizeof(source), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  if (gc_infos_get(&element->infos, key) || !strstr(info(element, source), why))
    fail_msg("%s %s: %s = %s (%s) instead of absent:…%s", chip->name,
             gc_kinds[element->kind].subtype, key, info(element, key), info(element, source), why);
}

/* Half of the far cycles come on top when half of the memory is far. */
static void expect_penalty(struct chip *chip, const struct gc_element *element,
                           const struct truth *truth)
{
  const double expected =
      (double)gc_model_true_latency(chip->model, truth->space, truth->level + 1) -
      (double)gc_model_true_latency(chip->model, truth->space, truth->level);
  const double value = strtod(info(element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES), NULL);
  const double tolerance = truth->kind == GC_L2 ? 0.06 * expected + 30 : 0.02 * expected;

  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s %s: a miss costs %g cycles, not %g", chip->name, gc_kinds[element->kind].subtype,
             value, expected);
}

static void expect_as_profile(struct chip *chip, const struct truth *truth)
{
  const int index = chip->profile.paths[truth->space].levels[truth->level].cache;
  const uint64_t capacity = capacity_of(chip, truth);
  /* the constant bank has to exceed it */
  const bool reachable = chip->profile.paths[truth->space].count > truth->level &&
                         (truth->kind != GC_CONSTANT_L15 || capacity < GPU_CONSTANT_BYTES);
  const struct gc_element *element = find(chip, truth, reachable ? capacity : 0);

  if (!element)
    return;
  assert_int_not_equal(index, GC_PROFILE_MEMORY);
  expect(chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH,
         chip->profile.caches[index].shape.sector);
  if (reachable)
    expect(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE,
           chip->profile.caches[index].shape.line);
  else
    expect_absent(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "capacity");
  expect_penalty(chip, element, truth);
}

static void as_the_profiles_say(void **state)
{
  const char *folder = getenv("HWLOC_GPUCACHE_SIM_PATH");
  struct dirent *entry;
  unsigned chips = 0;
  DIR *directory;

  (void)state;
  assert_non_null(folder);
  directory = opendir(folder);
  assert_non_null(directory);
  while ((entry = readdir(directory))) {
    char path[256];
    struct chip *chip;

    if (*entry->d_name == '.' || !strcmp(entry->d_name, "README"))
      continue;
    snprintf(path, sizeof(path), "%.180s/%.64s", folder, entry->d_name);
    chip = open_chip(path);
    for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++)
      expect_as_profile(chip, &caches[i]);
    close_chip(chip);
    chips++;
  }
  closedir(directory);
  assert_true(chips >= 5);
}

/* A chip of the test's own: %s is the L1's section. */
static const char chip_text[] =
    "model = Test chip\ncompute = 7.5\nsms = %u\nclock_khz = 1500000\nthreads_per_sm = 1024\n"
    "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 31 KiB\n"
    "clock_overhead = 6\n%s[cache L1]\n%s\n"
    "[cache L2]\nscope = chip\nsize = 1 MiB\nline = 128\nsector = 64\nways = 16\nreplacement = "
    "lru\n"
    "%s[space ca]\npath = L1 %u, L2 200 3, memory 500\n[space cg]\npath = L2 200, memory 500\n"
    "[space shared]\npath = memory 20\n";

struct own {
  const char *name, *l1;
  uint32_t line, sector;
};

static struct chip *open_own(unsigned sms, const char *noise, const char *l1, const char *l2,
                             unsigned hit)
{
  char path[] = "/tmp/gpucache-test-line-XXXXXX", text[2048];
  const int fd = mkstemp(path),
            n = snprintf(text, sizeof(text), chip_text, sms, noise, l1, l2, hit);
  struct chip *chip;

  assert_true(fd >= 0 && n < (int)sizeof(text));
  assert_int_equal(write(fd, text, (size_t)n), n);
  close(fd);
  chip = open_chip(path);
  unlink(path);
  return chip;
}

static const struct own owns[] = {
    {"modulo sets, long lines in short sectors",
     "size = 32 KiB\nline = 256\nsector = 32\nways = 2\nreplacement = lru", 256, 32},
    {"direct mapped", "size = 16 KiB\nline = 64\nways = 1\nreplacement = lru", 64, 64},
    {"short lines, hashed", "size = 16 KiB\nline = 32\nways = 4\nreplacement = lru\nhash = xor", 32,
     32},
    {"one set", "size = 16 KiB\nline = 128\nsector = 64\nways = 128\nreplacement = random", 128,
     64},
    {"tree", "size = 24 KiB\nline = 128\nsector = 32\nways = 8\nreplacement = plru\nhash = skew",
     128, 32},
    {"Fermi",
     "size = 16 KiB\nline = 128\nways = 4\nreplacement = weighted 1 3 1 1\n"
     "hash = bits 13 14 15 17 19",
     128, 128},
};

/* Noise that a real GPU shows, and few SMs to work on. */
static void whatever_the_geometry(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(owns) / sizeof(*owns); i++) {
    struct chip *chip =
        open_own(3, "outliers = 0.002 40 900\ndrift = 3 1000\n", owns[i].l1, "", 30);
    const struct gc_element *element = find(chip, &caches[0], capacity_of(chip, &caches[0]));

    snprintf(chip->name, sizeof(chip->name), "%s", owns[i].name);
    expect(chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, owns[i].sector);
    expect(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, owns[i].line);
    close_chip(chip);
  }
}

static const char plain_l1[] =
    "size = 16 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru";

/* The trial finds how many lines just fit, whatever it was told: a wrong capacity is noticed. */
static void a_wrong_capacity_is_noticed(void **state)
{
  struct chip *chip = open_own(8, "", plain_l1, "", 30);
  const struct gc_element *element = find(chip, &caches[0], 8 * capacity_of(chip, &caches[0]));

  (void)state;
  expect_absent(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "absent:");
  close_chip(chip);
}

static void no_level_no_value(void **state)
{
  struct chip *chip = open_own(8, "", plain_l1, "", 190);
  const struct gc_element *element = find(chip, &caches[0], capacity_of(chip, &caches[0]));

  (void)state;
  expect_absent(chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, "cannot be told");
  expect_absent(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "cannot be told");
  expect_absent(chip, element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, HWLOC_GPUCACHE_MISS_PENALTY,
                "cannot be told");
  close_chip(chip);
}

/* A load in five takes as long as a miss: neighbours no longer tell hits from misses. */
static void noise_is_no_line(void **state)
{
  struct chip *chip = open_own(8, "outliers = 0.5 100 400\n", plain_l1, "", 30);
  const struct gc_element *element = find(chip, &caches[0], capacity_of(chip, &caches[0]));

  (void)state;
  assert_null(gc_infos_get(&element->infos, HWLOC_GPUCACHE_LINE_BYTES));
  close_chip(chip);
}

/* The L2 without a hash leaves sets unused at wide strides: nothing is told rather than something.
 */
static void l2_lines_and_sectors(void **state)
{
  struct chip *chip = open_own(8, "", plain_l1, "hash = xor\n", 30);
  const struct gc_element *element = find(chip, &caches[5], capacity_of(chip, &caches[5]));

  (void)state;
  expect(chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, 64);
  expect(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, 128);
  close_chip(chip);
  chip = open_own(8, "", plain_l1, "", 30);
  element = find(chip, &caches[5], capacity_of(chip, &caches[5]));
  expect_absent(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "absent:");
  close_chip(chip);
}

static void votes_weigh(void **state)
{
  struct gc_evidence clear = {0}, torn = {0}, other = {0};

  (void)state;
  gc_evidence_votes(&clear, 1, 16);
  assert_true(clear.fits > clear.noise && clear.noise > clear.exceeds);
  gc_evidence_votes(&other, 15, 16);
  assert_true(fabs(other.exceeds - clear.fits) < 1e-9 && fabs(other.fits - clear.exceeds) < 1e-9);
  gc_evidence_votes(&torn, 8, 16);
  assert_true(torn.noise > torn.fits && torn.noise > torn.exceeds);
  assert_true(fabs(torn.noise + log(17)) < 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(votes_weigh),           cmocka_unit_test(as_the_profiles_say),
      cmocka_unit_test(whatever_the_geometry), cmocka_unit_test(a_wrong_capacity_is_noticed),
      cmocka_unit_test(no_level_no_value),     cmocka_unit_test(noise_is_no_line),
      cmocka_unit_test(l2_lines_and_sectors),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
