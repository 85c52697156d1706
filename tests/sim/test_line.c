/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Line, fetch granularity and miss penalty of every cache of every simulated GPU of data/sim,
 * against what its profile says; then chips made to mislead: sets that strides miss, policies that
 * never hit when full, hits as slow as misses.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "model/profile.h"
#include "open.h"
#include "stats/stats.h"

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

/* What one SM can keep in it when nothing is asked of the shared memory. */
static uint64_t capacity_of(struct opened *chip, const struct truth *truth)
{
  const struct gc_properties *p = &chip->bench.properties;
  const uint32_t by_threads = p->threads_per_sm / p->warp;

  gc_model_launch(chip->model, 0, p->blocks_per_sm < by_threads ? p->blocks_per_sm : by_threads, 0);
  return gc_model_true_level(chip->model, truth->space, truth->level);
}

/* Runs the three steps on an element whose capacity is known. NULL: this chip has no such cache. */
static struct gc_element *find(struct opened *chip, const struct truth *truth, uint64_t capacity)
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
  must(chip, gc_step_fetch(&chip->bench, element), "fetch");
  must(chip,
        truth->kind == GC_L2 ? gc_step_l2_line(&chip->bench, element)
                             : gc_step_line(&chip->bench, element),
        "line");
  must(chip, gc_step_miss_penalty(&chip->bench, element), "penalty");
  return element;
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

/* Half of the far cycles come on top when half of the memory is far. */
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
  /* the constant bank has to exceed it */
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

static void as_the_profiles_say(void **state)
{
  (void)state;
  each_profile(check_profile);
}

struct own {
  const char *name, *l1;
  uint32_t line, sector;
};

/* A chip of the test's own: lines of the chip, of L1 and of L2; cycles of a hit in L1. */
static void open_own(struct opened *chip, unsigned sms, const char *noise, const char *l1, const char *l2,
                     unsigned hit)
{
  open_form(chip,
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

/* Noise that a real GPU shows, and few SMs to work on. */
static void whatever_the_geometry(void **state)
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

/* The trial finds how many lines just fit, whatever it was told: a wrong capacity is noticed. */
static void a_wrong_capacity_is_noticed(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "", plain_l1, "", 30);
  element = find(&chip, &caches[0], 8 * capacity_of(&chip, &caches[0]));
  expect_absent(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "absent:");
  close_gpu(&chip);
}

static void no_level_no_value(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "", plain_l1, "", 190);
  element = find(&chip, &caches[0], capacity_of(&chip, &caches[0]));
  expect_absent(&chip, element, HWLOC_GPUCACHE_FETCH_BYTES, HWLOC_GPUCACHE_FETCH, "cannot be told");
  expect_absent(&chip, element, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, "cannot be told");
  expect_absent(&chip, element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, HWLOC_GPUCACHE_MISS_PENALTY,
                "cannot be told");
  close_gpu(&chip);
}

/* A load in five takes as long as a miss: neighbours no longer tell hits from misses. */
static void noise_is_no_line(void **state)
{
  const struct gc_element *element;
  struct opened chip;

  (void)state;
  open_own(&chip, 8, "outliers = 0.5 100 400\n", plain_l1, "", 30);
  element = find(&chip, &caches[0], capacity_of(&chip, &caches[0]));
  assert_null(gc_infos_get(&element->infos, HWLOC_GPUCACHE_LINE_BYTES));
  close_gpu(&chip);
}

/* The L2 without a hash leaves sets unused at wide strides: nothing is told rather than something.
 */
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
