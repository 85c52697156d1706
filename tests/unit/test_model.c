/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model against what caches of its kind must do, worked out by hand or in closed form.
 */
#include "model/cache.h"
#include "model/model.h"
#include "model/noise.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0x7f0000000000ull

/* --- one cache -------------------------------------------------------------------------------- */

/* Hits in one pass over `lines` lines in order, after `warm` passes. */
static unsigned hits(struct gc_cache *cache, unsigned lines, unsigned warm, struct gc_random *random)
{
  unsigned count = 0;

  for (unsigned pass = 0; pass <= warm; pass++)
    for (unsigned i = 0; i < lines; i++)
      count += gc_cache_access(cache, BASE + (uint64_t)i * cache->shape->line, random) && pass == warm;
  return count;
}

static struct gc_cache_shape shape(uint32_t ways, enum gc_replacement replacement)
{
  return (struct gc_cache_shape){.line = 128, .sector = 128, .interleave = 128, .ways = ways,
                                 .replacement = replacement};
}

static void lru_ring_of_the_capacity_hits(void **state)
{
  const struct gc_cache_shape s = shape(4, GC_REPLACE_LRU);
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 7), 0);
  assert_int_equal(hits(&cache, 28, 1, &random), 28);
  /* One line more: the five lines of its set evict each other, the other sets stay. */
  assert_int_equal(hits(&cache, 29, 3, &random), 29 - 5);
  /* A line more in every set: nothing hits. */
  assert_int_equal(hits(&cache, 35, 3, &random), 0);
  gc_cache_empty(&cache);
  assert_int_equal(hits(&cache, 28, 0, &random), 0);
  gc_cache_fini(&cache);
}

static void lru_evicts_the_oldest_not_the_first(void **state)
{
  const struct gc_cache_shape s = shape(3, GC_REPLACE_LRU);
  const unsigned order[] = {0, 1, 2, 0, 3, 0, 2, 1};
  const bool expected[] = {false, false, false, true, false, true, true, false};
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 1), 0);
  for (int i = 0; i < 8; i++)
    assert_int_equal(gc_cache_access(&cache, BASE + order[i] * 128, &random), expected[i]);
  gc_cache_fini(&cache);
}

/* Tree of 4 ways after a, b, c, d in order: the tree points at a's half and at a. After a hit on a it
 * points at the other half, and there at c: LRU would have chosen b. */
static void plru_is_not_lru(void **state)
{
  const struct gc_cache_shape s = shape(4, GC_REPLACE_PLRU);
  const unsigned order[] = {0, 1, 2, 3, 0, 4, 1, 2};
  const bool expected[] = {false, false, false, false, true, false, true, false};
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 1), 0);
  for (int i = 0; i < 8; i++)
    assert_int_equal(gc_cache_access(&cache, BASE + order[i] * 128, &random), expected[i]);
  gc_cache_fini(&cache);
}

/* Random replacement, a cycle of n lines through one set of w ways. Miss rate m solves
 * 1 - m = (1 - 1/w)^(m (n - 1)): a line survives the misses among the n - 1 accesses in between. For
 * w = 64, n = 80 the mean-field solution is good to a percent. */
static void random_replacement_has_its_rate(void **state)
{
  const struct gc_cache_shape s = shape(64, GC_REPLACE_RANDOM);
  const unsigned n = 80, passes = 4000;
  struct gc_random random;
  struct gc_cache cache;
  double expected = 0.5, seen;
  unsigned all = 0;

  (void)state;
  for (int i = 0; i < 200; i++) {
    double survives = 1;

    /* (63/64)^(expected * 79) by small steps: no libm. */
    for (int k = 0; k < 1000; k++)
      survives *= 1 - 0.0157483569681392 * expected * 79 / 1000; /* -ln(63/64) */
    expected = (expected + 1 - survives) / 2;
  }
  gc_random_seed(&random, 7);
  assert_int_equal(gc_cache_init(&cache, &s, 1), 0);
  assert_int_equal(hits(&cache, 64, 1, &random), 64);
  hits(&cache, n, 100, &random);
  for (unsigned pass = 0; pass < passes; pass++)
    all += hits(&cache, n, 0, &random);
  seen = 1 - (double)all / (passes * n);
  assert_true(seen > expected - 0.015 && seen < expected + 0.015);
  /* LRU would miss always. */
  assert_true(seen < 0.5);
  gc_cache_fini(&cache);
}

/* Fermi's L1: way 2 is replaced with probability 1/2, the others with 1/6 (Mei et al. 2014, 4.2). Which
 * way a miss replaced shows in which of four resident lines is gone. */
static void weighted_ways_have_their_share(void **state)
{
  struct gc_cache_shape s = shape(4, GC_REPLACE_WEIGHTED);
  const unsigned trials = 12000, expected[4] = {2000, 6000, 2000, 2000};
  unsigned gone[4] = {0};
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  memcpy(s.weights, (uint32_t[]){1, 3, 1, 1}, 4 * sizeof(uint32_t));
  gc_random_seed(&random, 3);
  assert_int_equal(gc_cache_init(&cache, &s, 1), 0);
  for (unsigned t = 0; t < trials; t++) {
    gc_cache_empty(&cache);
    for (unsigned i = 0; i < 5; i++)
      gc_cache_access(&cache, BASE + i * 128, &random);
    for (unsigned way = 0; way < 4; way++)
      gone[way] += cache.tags[way] == (BASE >> 7) + 4;
  }
  for (unsigned way = 0; way < 4; way++)
    assert_in_range(gone[way], expected[way] - 200, expected[way] + 200);
  gc_cache_fini(&cache);
}

static void misses_fetch_sectors(void **state)
{
  struct gc_cache_shape s = shape(4, GC_REPLACE_LRU);
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  s.sector = 32;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 2), 0);
  assert_false(gc_cache_access(&cache, BASE, &random));
  assert_true(gc_cache_access(&cache, BASE + 31, &random));
  assert_false(gc_cache_access(&cache, BASE + 32, &random));
  assert_false(gc_cache_access(&cache, BASE + 128, &random)); /* another set */
  assert_true(gc_cache_access(&cache, BASE + 32, &random));
  assert_false(gc_cache_access(&cache, BASE + 96, &random));
  assert_true(gc_cache_access(&cache, BASE, &random));
  /* A line that returns has only the sector that it returns for. */
  for (unsigned i = 1; i <= 4; i++)
    gc_cache_access(&cache, BASE + i * 256, &random);
  assert_false(gc_cache_access(&cache, BASE, &random));
  assert_false(gc_cache_access(&cache, BASE + 32, &random));
  gc_cache_fini(&cache);
}

/* Modulo sends a stride of sets x line to one set; the hashes spread it. An aligned run of all lines
 * still fits exactly. */
static void hashes_spread_strides_and_keep_the_capacity(void **state)
{
  static const enum gc_set_hash hashes[] = {GC_HASH_NONE, GC_HASH_XOR, GC_HASH_SKEW};

  (void)state;
  for (int h = 0; h < 3; h++) {
    struct gc_cache_shape s = shape(4, GC_REPLACE_LRU);
    struct gc_random random;
    struct gc_cache cache;
    unsigned strided = 0;

    s.hash = hashes[h];
    gc_random_seed(&random, 1);
    assert_int_equal(gc_cache_init(&cache, &s, 64), 0);
    assert_int_equal(hits(&cache, 256, 1, &random), 256);
    assert_true(hits(&cache, 257, 2, &random) < 256);
    for (int pass = 0; pass < 3; pass++)
      for (unsigned i = 0; i < 16; i++)
        strided += gc_cache_access(&cache, BASE + (1ull << 30) + i * 64 * 128, &random) && pass == 2;
    assert_int_equal(strided, hashes[h] == GC_HASH_NONE ? 0 : 16);
    gc_cache_fini(&cache);
  }
}

/* Fermi's L1, 32 sets of 4: the set is bits 7 to 11 xor bits 13, 14, 15, 17, 19 (Nugteren et al. 2014). */
static void fermi_hash_takes_its_bits(void **state)
{
  static const struct {
    unsigned bit;
    bool same_set;
  } cases[] = {{12, true}, {13, false}, {16, true}, {17, false}, {18, true}, {19, false}, {20, true}};
  struct gc_cache_shape s = shape(1, GC_REPLACE_LRU);
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  s.hash = GC_HASH_BITS;
  s.hash_bit_count = 5;
  memcpy(s.hash_bits, (uint32_t[]){13, 14, 15, 17, 19}, 5 * sizeof(uint32_t));
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 32), 0);
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    gc_cache_access(&cache, BASE, &random);
    gc_cache_access(&cache, BASE + (1ull << cases[i].bit), &random);
    assert_int_equal(gc_cache_access(&cache, BASE, &random), !cases[i].same_set);
  }
  /* Bit 7 and bit 13 undo each other. */
  gc_cache_access(&cache, BASE + (1 << 7) + (1 << 13), &random);
  assert_false(gc_cache_access(&cache, BASE, &random));
  gc_cache_fini(&cache);
}

/* Kepler's texture cache: 128 bytes in a row go to one set of 96 ways. */
static void interleave_keeps_neighbours_together(void **state)
{
  struct gc_cache_shape s = {.line = 32, .sector = 32, .interleave = 128, .ways = 8};
  struct gc_random random;
  struct gc_cache cache;
  unsigned count = 0;

  (void)state;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 4), 0);
  assert_int_equal(hits(&cache, 32, 1, &random), 32);
  /* Nine lines out of set 0: three runs of 128 bytes, 512 bytes apart. LRU misses them all. */
  for (int pass = 0; pass < 3; pass++)
    for (unsigned i = 0; i < 9; i++)
      count += gc_cache_access(&cache, BASE + (1 << 20) + i / 4 * 512 + i % 4 * 32, &random) && pass == 2;
  assert_int_equal(count, 0);
  gc_cache_fini(&cache);
}

static void resizing_changes_the_sets(void **state)
{
  const struct gc_cache_shape s = shape(4, GC_REPLACE_LRU);
  struct gc_random random;
  struct gc_cache cache;

  (void)state;
  gc_random_seed(&random, 1);
  assert_int_equal(gc_cache_init(&cache, &s, 100), 0);
  for (uint32_t sets = 1; sets <= 100; sets++) {
    gc_cache_resize(&cache, sets);
    assert_int_equal(hits(&cache, 4 * sets, 1, &random), 4 * sets);
    assert_true(hits(&cache, 4 * sets + 1, 2, &random) < 4 * sets);
  }
  gc_cache_fini(&cache);
}

/* --- noise ------------------------------------------------------------------------------------ */

static void jitter_has_its_deviation(void **state)
{
  const struct gc_disturbance quiet = {0};
  struct gc_jitter jitter;
  struct gc_noise noise;
  double sum = 0, squares = 0;
  const unsigned n = 100000;

  (void)state;
  gc_jitter_init(&jitter, 20);
  gc_noise_init(&noise, &quiet, 11);
  for (unsigned i = 0; i < n; i++) {
    const double off = (double)gc_noise_add(&noise, 500, &jitter) - 500;

    sum += off;
    squares += off * off;
  }
  assert_true(sum / n > -0.3 && sum / n < 0.3);
  assert_true(squares / n > 390 && squares / n < 410);
}

static void outliers_have_their_rate_and_size(void **state)
{
  const struct gc_disturbance d = {.outlier_rate = 0.01, .outlier_least = 50, .outlier_most = 90};
  struct gc_jitter none;
  struct gc_noise noise;
  unsigned count = 0, least = UINT32_MAX, most = 0;

  (void)state;
  gc_jitter_init(&none, 0);
  gc_noise_init(&noise, &d, 2);
  for (unsigned i = 0; i < 100000; i++) {
    const uint32_t t = gc_noise_add(&noise, 30, &none);

    if (t == 30)
      continue;
    count++;
    least = t < least ? t : least;
    most = t > most ? t : most;
  }
  assert_in_range(count, 850, 1150);
  assert_int_equal(least, 30 + 50);
  assert_int_equal(most, 30 + 90);
}

static void drift_rises_and_falls(void **state)
{
  const struct gc_disturbance d = {.drift_cycles = 10, .drift_loads = 100};
  struct gc_jitter none;
  struct gc_noise noise;
  uint32_t t[201];

  (void)state;
  gc_jitter_init(&none, 0);
  gc_noise_init(&noise, &d, 2);
  for (unsigned i = 0; i < 201; i++)
    t[i] = gc_noise_add(&noise, 30, &none);
  assert_int_equal(t[0], 30);
  assert_int_equal(t[50], 40);
  assert_int_equal(t[25], t[75]);
  assert_int_equal(t[100], 30);
  assert_int_equal(t[150], 40);
}

static void latency_is_never_zero(void **state)
{
  const struct gc_disturbance quiet = {0};
  struct gc_jitter wild;
  struct gc_noise noise;

  (void)state;
  gc_jitter_init(&wild, 1000);
  gc_noise_init(&noise, &quiet, 1);
  for (int i = 0; i < 10000; i++)
    assert_in_range(gc_noise_add(&noise, 5, &wild), 1, 10000);
}

/* --- the chip --------------------------------------------------------------------------------- */

#define CHIP                                                                                        \
  "model = T\ncompute = 7.0\nsms = 6\nclock_khz = 1000000\nthreads_per_sm = 2048\n"                  \
  "blocks_per_sm = 32\nmemory = 1 GiB\nshared_per_sm = 64 KiB\nshared_per_block = 48 KiB\n"          \
  "shared_reserved = 1 KiB\nclock_overhead = 5\n"
#define UNIFIED "[unified]\ntotal = 96 KiB\ncarveouts = 0 8 32 64 KiB\n"
#define L1 "[cache L1]\nsize = unified\nlost = 7 KiB\nline = 128\nsector = 32\nways = 4\nreplacement = lru\n"
#define RO "[cache RO]\nsize = 12 KiB\ninstances = 2\nline = 32\nways = 4\nreplacement = lru\n"
#define C15 "[cache C]\nscope = group 2\nsize = 4 KiB\nline = 256\nways = 4\nreplacement = lru\n"
#define L2 "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nsector = 32\nways = 16\nreplacement = lru\n"
#define L2_RANDOM "[cache L2]\nscope = chip\nsize = 256 KiB\nline = 128\nsector = 32\nways = 16\nreplacement = random\n"
#define TWO_PARTS "partitions = 2\nfar_cycles = 50\npartition_sms = 1\n"
#define SPACES                                                                                      \
  "[space ca]\npath = L1 30, L2 200, memory 500\n[space cg]\npath = L2 200, memory 500\n"            \
  "[space nc]\npath = RO 40, L2 210, memory 510\n[space texture]\npath = L1 60, L2 220, memory 520\n" \
  "[space constant]\npath = C 70, L2 230, memory 530\n[space shared]\npath = memory 20\n"

static struct gc_model *make(const char *text)
{
  struct gc_model *model;
  struct gc_error err = {""};

  if (gc_model_new("test", text, strlen(text), &model, &err))
    fail_msg("%s", err.text);
  return model;
}

/* Slow loads in one pass over `bytes` after one pass of warming, both by this SM. */
static unsigned slow(struct gc_model *model, uint32_t sm, enum gc_space space, uint64_t base,
                     uint64_t bytes, uint32_t stride, uint32_t from)
{
  unsigned count = 0;

  for (uint64_t at = 0; at < bytes; at += stride)
    gc_model_touch(model, sm, space, base + at);
  for (uint64_t at = 0; at < bytes; at += stride)
    count += gc_model_load(model, sm, space, base + at) >= from;
  return count;
}

static void capacity_follows_the_carveout(void **state)
{
  static const struct {
    int percent;
    uint32_t resident;
    uint64_t shared, capacity_kib;
  } cases[] = {
    {0, 0, 0, 96 - 7},          /* nothing asked, nothing needed */
    {-1, 1, 0, 96 - 8 - 7},     /* one block needs its reserved KiB */
    {0, 32, 0, 96 - 32 - 7},    /* 32 blocks need 32 KiB */
    {0, 33, 0, 96 - 64 - 7},
    {10, 0, 0, 96 - 8 - 7},     /* 6.4 KiB */
    {50, 1, 0, 96 - 32 - 7},
    {51, 1, 0, 96 - 64 - 7},
    {100, 1, 0, 96 - 64 - 7},
    {0, 2, 10240, 96 - 32 - 7}, /* 2 x (10 + 1) KiB */
    {0, 1000, 65536, 96 - 64 - 7},
  };
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    const uint64_t bytes = cases[i].capacity_kib << 10;

    gc_model_launch(model, cases[i].percent, cases[i].resident, cases[i].shared);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CA), bytes);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_TEXTURE), bytes);
    assert_int_equal(slow(model, 1, GC_SPACE_CA, BASE, bytes, 32, 100), 0);
    assert_int_equal(slow(model, 2, GC_SPACE_CA, BASE, bytes + 128, 128, 100), 5);
  }
  gc_model_free(model);
}

static void spaces_share_what_the_profile_says(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  assert_true(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_TEXTURE));
  assert_false(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_NC));
  assert_false(gc_model_true_shared(model, GC_SPACE_SHARED, GC_SPACE_SHARED));
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 500);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_TEXTURE, BASE), 60);  /* in L1 already */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 210);      /* not in RO */
  assert_int_equal(gc_model_load(model, 1, GC_SPACE_CA, BASE), 200);      /* not in this SM's L1 */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CG, BASE), 200);      /* past L1 */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_SHARED, 0), 20);
  /* Constant space is not global memory of the same address. */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CONSTANT, BASE), 530);
  gc_model_free(model);
}

static void instances_and_groups(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  gc_model_touch(model, 0, GC_SPACE_NC, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 40);
  gc_model_unit(model, 1);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 210);
  gc_model_unit(model, 2); /* the first again */
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_NC, BASE), 40);
  /* SMs 2 and 3 share their constant cache, 4 has another. */
  gc_model_touch(model, 2, GC_SPACE_CONSTANT, 4096);
  assert_int_equal(gc_model_load(model, 3, GC_SPACE_CONSTANT, 4096), 70);
  assert_int_equal(gc_model_load(model, 4, GC_SPACE_CONSTANT, 4096), 230);
  gc_model_free(model);
}

static void launches_empty_all_but_l2(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 SPACES);

  (void)state;
  gc_model_launch(model, 0, 0, 0);
  gc_model_touch(model, 0, GC_SPACE_CA, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 30);
  gc_model_launch(model, 0, 0, 0);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 200);
  gc_model_free(model);
}

static void replicating_partitions_halve_what_one_sm_keeps(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TWO_PARTS "replicate = yes\n" SPACES);
  unsigned far = 0, memory = 0;

  (void)state;
  assert_int_equal(gc_model_facts(model)->l2_bytes, 256 << 10);
  assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), 128 << 10);
  assert_int_equal(slow(model, 0, GC_SPACE_CG, BASE, 128 << 10, 128, 201), 0);
  /* The other side holds the lines whose home it is, and fetches the rest from the first. */
  for (uint64_t at = 0; at < 128 << 10; at += 128) {
    const uint32_t t = gc_model_load(model, 1, GC_SPACE_CG, BASE + at);

    far += t == 250;
    memory += t >= 500;
  }
  assert_in_range(far, 1024 * 4 / 10, 1024 * 6 / 10);
  assert_int_equal(memory, 0);
  /* And keeps them: the second time all is near. */
  far = 0;
  for (uint64_t at = 0; at < 128 << 10; at += 128)
    far += gc_model_load(model, 1, GC_SPACE_CG, BASE + at) != 200;
  assert_int_equal(far, 0);
  assert_true(slow(model, 0, GC_SPACE_CG, BASE, 160 << 10, 128, 201) > 256);
  gc_model_free(model);
}

static void split_partitions_keep_each_line_once(void **state)
{
  struct gc_model *model = make(CHIP UNIFIED L1 RO C15 L2 TWO_PARTS SPACES);
  unsigned far0 = 0, far1 = 0;

  (void)state;
  assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), 256 << 10);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t at = 0; at < 64 << 10; at += 128) {
      far0 += gc_model_load(model, 0, GC_SPACE_CG, BASE + at) == 250;
      far1 += gc_model_load(model, 1, GC_SPACE_CG, BASE + at) == 250;
    }
  /* Far from one side is near to the other; the very first loads of SM 0 came from memory. */
  assert_in_range(far1, 400, 624);
  assert_int_equal(far0 * 2 + far1, 2 * 512);
  gc_model_free(model);
}

/* Runs of touches are a short cut, so they must leave and tell what one touch after another does. */
static void runs_are_as_many_touches(void **state)
{
  static const char *const chips[] = {
    CHIP UNIFIED L1 RO C15 L2 SPACES,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS SPACES,
    CHIP UNIFIED L1 RO C15 L2 TWO_PARTS "replicate = yes\n" SPACES,
    CHIP UNIFIED L1 RO C15 L2_RANDOM TWO_PARTS "replicate = yes\n" SPACES,
  };
  static const uint64_t strides[] = {0, 8, 32, 48, 64, 128, 160, 1024};
  struct gc_random random;

  (void)state;
  gc_random_seed(&random, 3);
  for (size_t c = 0; c < sizeof(chips) / sizeof(*chips); c++) {
    struct gc_model *runs = make(chips[c]), *singles = make(chips[c]);

    for (int i = 0; i < 20000; i++) {
      const enum gc_space space = gc_random_below(&random, 8) ? GC_SPACE_CG : GC_SPACE_CA;
      const uint32_t sm = gc_random_below(&random, 6), count = gc_random_below(&random, 40);
      const uint64_t at = BASE + gc_random_below(&random, 512 << 10) / 8 * 8;
      const uint64_t stride = strides[gc_random_below(&random, 8)];
      uint64_t cycles = 0;

      for (uint32_t k = 0; k < count; k++)
        cycles += gc_model_touch(singles, sm, space, at + k * stride);
      assert_int_equal(gc_model_touch_run(runs, sm, space, at, stride, count), cycles);
    }
    gc_model_free(singles);
    gc_model_free(runs);
  }
}

static void without_l1_global_loads_go_to_l2(void **state)
{
  struct gc_model *model = make(CHIP L2 "[space ca]\npath = L2 200, memory 500\n"
                                "[space cg]\npath = L2 200, memory 500\n[space shared]\npath = memory 20\n");

  (void)state;
  assert_false(gc_model_facts(model)->global_l1);
  assert_false(gc_model_facts(model)->has_texture);
  assert_false(gc_model_facts(model)->has_carveout);
  gc_model_touch(model, 0, GC_SPACE_CA, BASE);
  assert_int_equal(gc_model_load(model, 0, GC_SPACE_CA, BASE), 200);
  gc_model_free(model);
}

/* The same seed, the same run; timing a load or not moves the caches alike. */
static void runs_are_reproducible(void **state)
{
  const char *text = CHIP "outliers = 0.01 10 100\nseed = 9\n"
    "[cache L1]\nsize = 8 KiB\nline = 128\nways = 4\nreplacement = random\n" L2
    "[space ca]\npath = L1 30 2.5, L2 200 10, memory 500 50\n[space cg]\npath = L2 200, memory 500\n"
    "[space shared]\npath = memory 20\n";
  struct gc_model *a = make(text), *b = make(text), *other = make(text);
  unsigned differ = 0;

  (void)state;
  gc_model_seed(other, 10);
  for (uint64_t i = 0; i < 20000; i++) {
    const uint64_t at = BASE + i * 128 % 12288;
    const uint32_t t = gc_model_load(a, 0, GC_SPACE_CA, at);

    assert_int_equal(t, gc_model_load(b, 0, GC_SPACE_CA, at));
    differ += t != gc_model_load(other, 0, GC_SPACE_CA, at);
  }
  assert_true(differ > 10000);
  for (uint64_t i = 0; i < 1000; i++) {
    const uint64_t at = BASE + i * 128 % 12288;
    const uint32_t quiet = gc_model_touch(a, 0, GC_SPACE_CA, at);
    const uint32_t timed = gc_model_load(b, 0, GC_SPACE_CA, at);

    assert_int_equal(quiet < 100, timed < 45 + 100);
    assert_true(quiet == 30 || quiet == 200);
  }
  gc_model_free(a);
  gc_model_free(b);
  gc_model_free(other);
}

static void assert_near(double seen, double expected)
{
  if (!(seen > expected - 1e-9 && seen < expected + 1e-9))
    fail_msg("%.12g is not %.12g", seen, expected);
}

/* One SM reads and writes rows of 512 bytes; constants come in lines of 256 to the first cache. */
static void rows_keep_each_level_busy(void **state)
{
  struct gc_model *model = make(
    CHIP "memory_read_gbps = 60\nmemory_write_gbps = 30\n" UNIFIED L1 RO C15 L2
    "read_gbps = 600\n"
    "[space ca]\npath = L1 30, L2 200, memory 500\nread_bytes_per_cycle = 128\n"
    "[space cg]\npath = L2 200, memory 500\n"
    "[space constant]\npath = C 70, L2 230, memory 530\nread_bytes_per_cycle = 4\n"
    "[space shared]\npath = memory 20\nread_bytes_per_cycle = 64\nwrite_bytes_per_cycle = 32\n");
  double busy[GC_MODEL_LEVELS] = {0};

  (void)state;
  /* cold, through all levels: 6 SMs at 1 GHz share 600 and 60 GB/s, 100 and 10 bytes a cycle each */
  gc_model_rows(model, 0, GC_SPACE_CA, BASE, 512, 2, false, busy);
  assert_near(busy[0], 8);
  assert_near(busy[1], 10.24);
  assert_near(busy[2], 102.4);
  /* then it is in L1; one more SM finds it in L2, and adds to what is there */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, 0, GC_SPACE_CA, BASE, 512, 2, false, busy);
  gc_model_rows(model, 1, GC_SPACE_CA, BASE, 512, 1, false, busy);
  assert_near(busy[0], 12);
  assert_near(busy[1], 5.12);
  assert_near(busy[2], 0);
  /* 16 bytes of constants: a whole line comes from L2 */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, 0, GC_SPACE_CONSTANT, 0, 16, 1, false, busy);
  gc_model_rows(model, 0, GC_SPACE_CONSTANT, 16, 16, 1, false, busy);
  assert_near(busy[0], 8);
  assert_near(busy[1], 2.56);
  assert_near(busy[2], 25.6);
  /* stores at their own rates */
  memset(busy, 0, sizeof(busy));
  gc_model_rows(model, 0, GC_SPACE_SHARED, 0, 512, 1, true, busy);
  gc_model_rows(model, 0, GC_SPACE_CG, BASE + 65536, 512, 1, true, busy);
  assert_near(busy[0], 16 + 5.12);
  assert_near(busy[1], 102.4);
  assert_near(gc_model_true_bandwidth(model, GC_SPACE_CA, 2, true), 30);
  assert_near(gc_model_true_bandwidth(model, GC_SPACE_CA, 3, true), 0);
  gc_model_free(model);
}

/* --- profiles --------------------------------------------------------------------------------- */

static void bad_profiles_name_line_and_word(void **state)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    {"", "test:1: the chip lacks 'model'"},
    {"model = x\nsms = 1\nclock_khz = 1000\nthreads_per_sm = 1\nblocks_per_sm = 1\nmemory = 1 GiB\n"
     "shared_per_sm = 1 KiB\nshared_per_block = 1 KiB\nclock_overhead = 1\n",
     "test:1: the chip lacks 'compute', and 'gfx' too"},
    {"model = x\ncolour = red\n", "test:2: unknown key 'colour' in the chip"},
    {"model = x\nmodel = y\n", "test:2: a second 'model' in the chip"},
    {"model =\n", "test:1: 'model' has no value"},
    {"nonsense\n", "test:1: 'nonsense' is neither"},
    {"sms = twelve\n", "test:1: 'twelve' is not a whole number (sms)"},
    {"sms = -1\n", "test:1: '-1' is not a whole number (sms)"},
    {"sms = 0\n", "test:1: sms = 0 is not between 1 and 4096"},
    {"sms = 99999999999999999999999\n", "is not a whole number (sms)"},
    {"memory = 5 parsecs\n", "'parsecs'"},
    {"memory = 1 GiB KiB\n", "test:1: 'KiB' follows the unit (memory)"},
    {"memory = 99999999999 GiB\n", "99999999999 of that unit are too many (memory)"},
    {"memory = ,\n", "memory needs a size"},
    {"compute = 9\n", "'9' is not of the form 9.0"},
    {"outliers = 2 1 2\n", "2 is more than 1 (outliers)"},
    {"outliers = 0.1 5 2\n", "least (5) is more than most (2)"},
    {"outliers = 0.1\n", "outliers needs"},
    {"memory_read_gbps = 0\n", "memory_read_gbps must be more than 0"},
    {"memory_write_gbps = fast\n", "'fast' is not a number (memory_write_gbps)"},
    {"bandwidth_noise = 1.5\n", "1.5 is more than 1 (bandwidth_noise)"},
    {CHIP L2 "write_gbps = 0.0\n", "write_gbps must be more than 0"},
    {CHIP L2 "[space cg]\nread_bytes_per_cycle = 1 2 3 4 5 6\n",
     "more than 5 levels (read_bytes_per_cycle)"},
    {CHIP L2 "[space cg]\nread_bytes_per_cycle = 1 0\n", "read_bytes_per_cycle must be more than 0"},
    {"ecc = maybe\n", "'maybe' is none of no|yes (ecc)"},
    {CHIP "[cach L1]\n", "test:12: [cach L1] is none of"},
    {CHIP "[cache L1\n", "test:12: '[cache L1' is not a [section]"},
    {CHIP "[cache L1]\n", "test:12: [cache L1] lacks 'size'"},
    {CHIP L2 L2, "a second [cache L2]"},
    {CHIP L2 "hash = md5\n", "'md5' is none of none|xor|skew|bits (hash)"},
    {CHIP L2 "hash = xor 13\n", "'13' follows a hash without bits (hash)"},
    {CHIP L2 "hash = bits 64\n", "hash = 64 is not between 0 and 63"},
    {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nhash = bits 13 14\nreplacement = lru\n",
     "[X]: more hash bits than sets have"},
    {CHIP L2 "[space sideways]\npath = memory 1\n", "no space is called 'sideways'"},
    {CHIP "[space ca]\npath = L7 30, memory 500\n", "test:13: no [cache L7] above this line (path)"},
    {CHIP L2 "[space cg]\npath = L2, memory 500\n", "a level is a cache or memory, its cycles"},
    {CHIP L2 "[space cg]\npath = ,\n", "[cg]: the path does not end in memory"},
    {CHIP L2 "[space cg]\npath = L2 200\n", "[cg]: the path does not end in memory"},
    {CHIP L2 "[space ca]\npath = L2 600, memory 500\n", "[ca]: latencies do not ascend"},
    {CHIP RO "[space ca]\npath = RO 30, memory 500\n[space cg]\npath = RO 30, memory 500\n",
     "[cg]: the path of cg must go through the chip's L2"},
    {CHIP L2 RO "[space ca]\npath = L2 20, RO 30, memory 500\n", "[ca]: a level is nearer to the SM"},
    {CHIP L2 "[space cg]\npath = L2 200, memory 500\n", "there is no [space ca]"},
    {CHIP L1, "[L1]: size is unified, but there is no [unified]"},
    {CHIP "[unified]\ntotal = 96 KiB\ncarveouts = 0 32 KiB\n", "[unified]: the largest carve-out is not"},
    {CHIP "[unified]\ntotal = 96 KiB\ncarveouts = 32 0 64 KiB\n", "[unified]: carveouts do not ascend"},
    {CHIP "[cache X]\nsize = 1000 B\nline = 128\nways = 4\nreplacement = lru\n",
     "[X]: size less lost is not a multiple"},
    {CHIP "[cache X]\nsize = 1 KiB\nlost = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
     "[X]: nothing is left of the size"},
    {CHIP "[cache X]\nsize = 1 KiB\nline = 96\nways = 4\nreplacement = lru\n",
     "[X]: line, sector and interleave must be powers of two"},
    {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nsector = 256\nways = 4\nreplacement = lru\n",
     "[X]: a line has 1 to 8 sectors"},
    {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 3\nreplacement = plru\n",
     "[X]: replacement plru needs a power of two of ways"},
    {CHIP "[cache X]\nsize = 3 KiB\nline = 128\nways = 4\nhash = xor\nreplacement = lru\n",
     "[X]: this hash needs a power of two of sets"},
    {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = weighted 1 2 3\n",
     "[X]: replacement weighted needs one weight for each way"},
    {CHIP "[cache X]\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru 3\n",
     "'3' follows a replacement without weights"},
    {CHIP "[cache X]\nscope = group\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
     "scope is sm, range, xcd, chip, or group and a number of SMs"},
    {CHIP "[cache X]\nscope = chip\ninstances = 2\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
     "[X]: only a cache with scope sm has instances"},
    {CHIP "[cache X]\npartitions = 2\nsize = 1 KiB\nline = 128\nways = 4\nreplacement = lru\n",
     "[X]: only a cache with scope chip has partitions"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct gc_model *model;
    struct gc_error err = {""};

    assert_int_equal(gc_model_new("test", cases[i].text, strlen(cases[i].text), &model, &err), -EINVAL);
    assert_null(model);
    if (!strstr(err.text, cases[i].message) || strncmp(err.text, "test:", 5))
      fail_msg("\"%s\" is not \"%s\"", err.text, cases[i].message);
  }
}

static void binary_and_long_lines_are_refused(void **state)
{
  struct gc_model *model;
  struct gc_error err;
  char text[2000];

  (void)state;
  memset(text, 'a', sizeof(text));
  assert_int_equal(gc_model_new("test", text, sizeof(text), &model, &err), -EINVAL);
  assert_non_null(strstr(err.text, "line longer than"));
  memcpy(text, "mod\0el = 3\n", 11);
  assert_int_equal(gc_model_new("test", text, 11, &model, &err), -EINVAL);
  assert_non_null(strstr(err.text, "zero byte"));
}

/* Every prefix of a good profile and every single damaged byte is refused or accepted, never worse. */
static void damaged_profiles_do_no_harm(void **state)
{
  char text[] = CHIP "outliers = 0.1 1 2\ndrift = 3 100\n" UNIFIED L1 RO C15 L2 TWO_PARTS SPACES;
  static const char damage[] = "\0=[]#,. 09a\n";
  unsigned refused = 0;

  (void)state;
  for (size_t i = 0; i < sizeof(text) - 1; i++) {
    const char was = text[i];
    struct gc_model *model;

    refused += gc_model_new("test", text, i, &model, NULL) != 0;
    gc_model_free(model);
    text[i] = damage[i % (sizeof(damage) - 1)];
    refused += gc_model_new("test", text, sizeof(text) - 1, &model, NULL) != 0;
    gc_model_free(model);
    text[i] = was;
  }
  assert_true(refused > sizeof(text));
}

/* The profiles of data/sim: what the papers say of these GPUs. */
static void shipped_profiles_say_what_the_papers_say(void **state)
{
  static const struct {
    const char *name;
    uint32_t sms;
    uint64_t l1_kib, texture_kib, constant_kib, constant15_kib, l2_kib;
    bool texture_is_l1;
  } gpus[] = {
    {"h200", 132, 217, 217, 2, 128, 30720, true},
    {"h100", 132, 217, 217, 2, 128, 25600, true},
    {"a100", 108, 154, 154, 2, 128, 20480, true},
    {"v100", 80, 121, 121, 2, 128, 6144, true},
    {"p6000", 30, 24, 24, 2, 32, 3072, true},
    {"k20c", 13, 16, 12, 2, 32, 1280, false},
    {"rtx2080ti", 68, 58, 58, 2, 46, 5632, true},
    {"t1000", 14, 58, 58, 2, 46, 1024, true},
    {"gtx840m", 3, 1024, 12, 2, 30, 1024, false},
    {"gtx780", 12, 1536, 12, 2, 32, 1536, false},
    {"gtx560ti", 8, 16, 12, 2, 32, 512, false},
    {"gtx470", 14, 16, 12, 2, 32, 640, false},
  };
  const char *top = getenv("top_srcdir");

  (void)state;
  for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++) {
    static char text[1 << 16];
    char path[4096];
    struct gc_model *model;
    struct gc_error err = {""};
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), "%s/data/sim/%s", top ? top : ".", gpus[i].name);
    file = fopen(path, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof(text), file);
    fclose(file);
    if (gc_model_new(gpus[i].name, text, length, &model, &err))
      fail_msg("%s", err.text);
    gc_model_launch(model, 0, gc_model_facts(model)->blocks_per_sm, 0);
    assert_int_equal(gc_model_facts(model)->sms, gpus[i].sms);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CA), gpus[i].l1_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_TEXTURE), gpus[i].texture_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CONSTANT), gpus[i].constant_kib << 10);
    assert_int_equal(gc_model_true_level(model, GC_SPACE_CONSTANT, 1), gpus[i].constant15_kib << 10);
    assert_int_equal(gc_model_true_capacity(model, GC_SPACE_CG), gpus[i].l2_kib << 10);
    assert_int_equal(gc_model_true_shared(model, GC_SPACE_CA, GC_SPACE_TEXTURE), gpus[i].texture_is_l1);
    assert_int_equal(gc_model_true_shared(model, GC_SPACE_NC, GC_SPACE_TEXTURE),
                     gc_model_facts(model)->has_read_only);
    assert_int_equal(gc_model_facts(model)->has_read_only, gc_model_facts(model)->compute_major > 2);
    assert_int_equal(gc_model_facts(model)->global_l1, gpus[i].l1_kib != gpus[i].l2_kib);
    /* As defined, so it behaves, up to the last line. */
    assert_true(slow(model, 0, GC_SPACE_CA, BASE, gpus[i].l1_kib << 10, 32,
                     gc_model_true_latency(model, GC_SPACE_CA, 0) + 60) < 40);
    gc_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lru_ring_of_the_capacity_hits),
    cmocka_unit_test(lru_evicts_the_oldest_not_the_first),
    cmocka_unit_test(plru_is_not_lru),
    cmocka_unit_test(random_replacement_has_its_rate),
    cmocka_unit_test(weighted_ways_have_their_share),
    cmocka_unit_test(misses_fetch_sectors),
    cmocka_unit_test(hashes_spread_strides_and_keep_the_capacity),
    cmocka_unit_test(fermi_hash_takes_its_bits),
    cmocka_unit_test(interleave_keeps_neighbours_together),
    cmocka_unit_test(resizing_changes_the_sets),
    cmocka_unit_test(jitter_has_its_deviation),
    cmocka_unit_test(outliers_have_their_rate_and_size),
    cmocka_unit_test(drift_rises_and_falls),
    cmocka_unit_test(latency_is_never_zero),
    cmocka_unit_test(capacity_follows_the_carveout),
    cmocka_unit_test(spaces_share_what_the_profile_says),
    cmocka_unit_test(instances_and_groups),
    cmocka_unit_test(launches_empty_all_but_l2),
    cmocka_unit_test(replicating_partitions_halve_what_one_sm_keeps),
    cmocka_unit_test(split_partitions_keep_each_line_once),
    cmocka_unit_test(runs_are_as_many_touches),
    cmocka_unit_test(without_l1_global_loads_go_to_l2),
    cmocka_unit_test(runs_are_reproducible),
    cmocka_unit_test(rows_keep_each_level_busy),
    cmocka_unit_test(bad_profiles_name_line_and_word),
    cmocka_unit_test(binary_and_long_lines_are_refused),
    cmocka_unit_test(damaged_profiles_do_no_harm),
    cmocka_unit_test(shipped_profiles_say_what_the_papers_say),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
