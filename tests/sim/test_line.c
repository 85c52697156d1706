/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Line, fetch granularity and miss penalty of every cache of every simulated GPU of data/sim,
 * compared with its profile. Then chips that mislead a method: sets that strides leave unused,
 * policies that never hit in a full cache, hits that are as slow as misses.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/geometry/geometry.h"
#include "measure/latency/latency.h"
#include "measure/walk/path.h"
#include "model/check.h"
#include "model/parse.h"
#include "open.h"
#include "stats/stats.h"

/* A cache, and its place in the profile. */
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

/* The bytes that one SM can keep in it if the launch asks for no shared memory. */
static uint64_t capacity_of(struct opened *chip, const struct truth *truth)
{
  const struct gc_properties *p = &chip->m.bench.properties;
  const uint32_t by_threads = p->threads_per_sm / p->warp;

  gc_model_launch(chip->model, 0, p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads, 0);
  return gc_model_true_level(chip->model, truth->space, truth->level);
}

/* Runs the three steps on an element whose capacity is known. NULL: this chip has no such cache. */
static const struct gc_element *find(struct opened *chip, const struct truth *truth, uint64_t capacity)
{
  const struct gc_path *path = gc_path_of(truth->kind);

  if (!path->present(&chip->m.bench.properties))
    return NULL;
  if (path->space != GC_ADDRESS_CONSTANT)
    chip->m.bench.ops->carveout(chip->device, path->chase, 0, &chip->err);
  if (capacity)
    claim(chip, truth->kind, capacity);
  run_step(chip, gc_step_fetch, truth->kind);
  run_step(chip, truth->kind == GC_L2 ? gc_step_l2_line : gc_step_line, truth->kind);
  return run_step(chip, gc_step_miss_penalty, truth->kind);
}

static void expect(struct opened *chip, const struct gc_element *element, const char *key,
                   const char *property, uint64_t expected)
{
  char source[64], confidence[64];
  uint64_t value = 0;

  snprintf(source, sizeof(source), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  snprintf(confidence, sizeof(confidence), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  if (gc_infos_get_u64(&element->infos, key, &value) || value != expected ||
      !(number(element, confidence) >= 0.95))
    fail_msg("%s %s: %s = %s, not %llu (%s, confidence %s)", chip->name,
             gc_kinds[element->kind].subtype, key, text(element, key), (unsigned long long)expected,
             text(element, source), text(element, confidence));
}

static void expect_absent(struct opened *chip, const struct gc_element *element, const char *key,
                          const char *property, const char *why)
{
  char source[64];

  snprintf(source, sizeof(source), "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  if (gc_infos_get(&element->infos, key) || !strstr(text(element, source), why))
    fail_msg("%s %s: %s = %s (%s) instead of absent:…%s", chip->name,
             gc_kinds[element->kind].subtype, key, text(element, key), text(element, source), why);
}

/* The tolerance of an L2 covers half of the far cycles, because half of the memory is far. */
static void expect_penalty(struct opened *chip, const struct gc_element *element,
                           const struct truth *truth)
{
  const double expected =
      (double)gc_model_true_latency(chip->model, truth->space, truth->level + 1) -
      (double)gc_model_true_latency(chip->model, truth->space, truth->level);
  const double value = number(element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES);
  const double tolerance = truth->kind == GC_L2 ? 0.06 * expected + 30 : 0.02 * expected;

  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s %s: a miss costs %g cycles, not %g", chip->name, gc_kinds[element->kind].subtype,
             value, expected);
}

static void expect_as_profile(struct opened *chip, const struct gc_profile *profile,
                              const struct truth *truth)
{
  const int index = profile->paths[truth->space].levels[truth->level].cache;
  const uint64_t capacity = capacity_of(chip, truth);
  /* a ring in the constant bank must be larger than the cache */
  const bool reachable = profile->paths[truth->space].count > truth->level &&
                         (truth->kind != GC_CONSTANT_L15 || capacity < GPU_CONSTANT_BYTES);
  const struct gc_element *element = find(chip, truth, reachable ? capacity : 0);

  if (!element)
    return;
  assert_int_not_equal(index, GC_PROFILE_MEMORY);
  expect(chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH,
         profile->caches[index].shape.sector);
  if (reachable)
    expect(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE,
           profile->caches[index].shape.line);
  else
    expect_absent(chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "capacity");
  expect_penalty(chip, element, truth);
}

static void check_profile(struct opened *chip)
{
  const char *text = text_of(chip->gpu->profile);
  struct gc_profile profile;

  open_bench(chip);
  must(chip, gc_profile_parse(chip->name, text, strlen(text), &profile, &chip->err), "profile");
  must(chip, gc_profile_check(chip->name, &profile, &chip->err), "profile");
  for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++)
    expect_as_profile(chip, &profile, &caches[i]);
}

static void every_profile_is_found(void **state)
{
  (void)state;
  each_profile(check_profile);
}

struct own {
  const char *name, *l1;
  uint32_t line, sector;
};

/* A small chip. noise: lines of the chip; l1, l2: lines of the caches; hit: cycles of an L1 hit. */
static void open_own(struct opened *chip, unsigned sms, const char *noise, const char *l1, const char *l2,
                     unsigned hit)
{
  open_profile(chip,
            "model = Test chip\ncompute = 7.5\nsms = %u\nclock_khz = 1500000\nthreads_per_sm = 1024\n"
            "blocks_per_sm = 16\nmemory = 512 MiB\nshared_per_sm = 32 KiB\nshared_per_block = 31 KiB\n"
            "clock_overhead = 6\n%s[cache L1]\n%s\n"
            "[cache L2]\nscope = chip\nsize = 1 MiB\nline = 128\nsector = 64\nways = 16\n"
            "replacement = lru\n%s"
            "[space ca]\npath = L1 %u, L2 200 3, memory 500\n[space cg]\npath = L2 200, memory 500\n"
            "[space shared]\npath = memory 20\n",
            sms, noise, l1, l2, hit);
  open_bench(chip);
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

/* The noise of a real GPU, and few SMs. */
static void every_geometry_is_found(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(owns) / sizeof(*owns); i++) {
    const struct gc_element *element;
    struct opened chip;

    open_own(&chip, 3, "outliers = 0.002 40 900\ndrift = 3 1000\n", owns[i].l1, "", 30);
    element = find(&chip, &caches[0], capacity_of(&chip, &caches[0]));
    snprintf(chip.name, sizeof(chip.name), "%s", owns[i].name);
    expect(&chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, owns[i].sector);
    expect(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, owns[i].line);
    close_gpu(&chip);
  }
}

static const char plain_l1[] =
    "size = 16 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru";

/* The step finds how many lines just fit by itself, so it notices a wrong capacity. */
static void a_wrong_capacity_gives_no_line(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "", plain_l1, "", 30);
  element = find(&chip, &caches[0], 8 * capacity_of(&chip, &caches[0]));
  expect_absent(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "absent:");
  close_gpu(&chip);
}

static void hits_as_slow_as_misses_give_no_value(void **state)
{
  static const char why[] = "loads that should miss take hardly longer than loads that should hit";
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "", plain_l1, "", 190);
  element = find(&chip, &caches[0], capacity_of(&chip, &caches[0]));
  expect_absent(&chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, why);
  expect_absent(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, why);
  expect_absent(&chip, element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, HWLOC_GPUCACHE_MISS_PENALTY,
                why);
  close_gpu(&chip);
}

/* Every second load is an outlier that is about as slow as a miss, so neighbours do not distinguish
 * hits from misses. */
static void noise_gives_no_line(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "outliers = 0.5 100 400\n", plain_l1, "", 30);
  element = find(&chip, &caches[0], capacity_of(&chip, &caches[0]));
  assert_null(gc_infos_get(&element->infos, HWLOC_GPUCACHE_LINE_BYTES));
  close_gpu(&chip);
}

/* Without a hash, wide strides leave sets of the L2 unused: the line is withheld. */
static void l2_lines_and_sectors(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "", plain_l1, "hash = xor\n", 30);
  element = find(&chip, &caches[5], capacity_of(&chip, &caches[5]));
  expect(&chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, 64);
  expect(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, 128);
  close_gpu(&chip);
  open_own(&chip, 8, "", plain_l1, "", 30);
  element = find(&chip, &caches[5], capacity_of(&chip, &caches[5]));
  expect_absent(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "absent:");
  close_gpu(&chip);
}

static void votes_are_evidence(void **state)
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
      cmocka_unit_test(votes_are_evidence),           cmocka_unit_test(every_profile_is_found),
      cmocka_unit_test(every_geometry_is_found), cmocka_unit_test(a_wrong_capacity_gives_no_line),
      cmocka_unit_test(hits_as_slow_as_misses_give_no_value),     cmocka_unit_test(noise_gives_no_line),
      cmocka_unit_test(l2_lines_and_sectors),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
