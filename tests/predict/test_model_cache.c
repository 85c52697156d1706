/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With one thread and without latencies, the model is a cache simulator. It must agree, access by
 * access, with the naive one that is written here.
 */
#include "fake_trace.h"

#include "predict/model/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ACCESSES 3000
#define NAIVE_SETS 64
#define NAIVE_WAYS 48

static uint64_t seed;
static uint32_t below(uint32_t n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % n);
}

/* Every line has the time of its last use and of its arrival; the victim is searched. */
struct naive {
  const struct gc_cache_geometry *geometry;
  bool random;
  uint64_t time;
  struct {
    bool valid, kept;
    uint64_t line, used, arrived;
    bool sectors[32];
  } lines[NAIVE_SETS][NAIVE_WAYS];
};

static uint32_t naive_set(const struct gc_cache_geometry *geometry, uint64_t address)
{
  uint32_t set = 0;

  if (geometry->mask_count == 0)
    return (uint32_t)(address / geometry->line_bytes % geometry->sets);
  address -= address % geometry->line_bytes;
  for (uint32_t i = 0; i < geometry->mask_count; i++) {
    unsigned ones = 0;

    for (unsigned bit = 0; bit < 64; bit++)
      ones += (address & geometry->masks[i]) >> bit & 1;
    set += (ones % 2) << i;
  }
  return set;
}

/* SLRU: this line was hit. Of too many protected lines the oldest one becomes the newest other
 * line. */
static void naive_protect(struct naive *cache, uint32_t set, uint32_t way)
{
  const uint32_t ways = cache->geometry->ways;
  uint32_t kept = 0, oldest = way;

  cache->lines[set][way].kept = true;
  for (uint32_t i = 0; i < ways; i++) {
    kept += cache->lines[set][i].kept;
    if (cache->lines[set][i].kept && cache->lines[set][i].used < cache->lines[set][oldest].used)
      oldest = i;
  }
  if (kept > ways / 2) {
    cache->lines[set][oldest].kept = false;
    cache->lines[set][oldest].used = cache->time++;
    cache->lines[set][way].used += way != oldest; /* it stays the newest line */
  }
}

/* Accesses the sector at this address; true: it hits. */
static bool naive_access(struct naive *cache, uint64_t address)
{
  const struct gc_cache_geometry *geometry = cache->geometry;
  uint32_t set = naive_set(geometry, address), victim = 0;
  uint64_t line = address / geometry->line_bytes;
  uint32_t sector = (uint32_t)(address % geometry->line_bytes / geometry->sector_bytes);

  cache->time++;
  for (uint32_t way = 0; way < geometry->ways; way++) {
    if (cache->lines[set][way].valid && cache->lines[set][way].line == line) {
      bool hit = cache->lines[set][way].sectors[sector];

      cache->lines[set][way].used = cache->time;
      cache->lines[set][way].sectors[sector] = true;
      if (geometry->policy == GC_POLICY_SLRU)
        naive_protect(cache, set, way);
      return hit;
    }
  }
  while (cache->lines[set][victim].kept)
    victim++;
  for (uint32_t way = victim + 1; way < geometry->ways; way++) {
    bool lru = geometry->policy == GC_POLICY_LRU || geometry->policy == GC_POLICY_SLRU;

    if (cache->lines[set][way].kept)
      continue;
    if ((lru ? cache->lines[set][way].used : cache->lines[set][way].arrived) <
        (lru ? cache->lines[set][victim].used : cache->lines[set][victim].arrived))
      victim = way;
  }
  if (geometry->policy == GC_POLICY_RANDOM && cache->lines[set][victim].valid)
    victim = below(geometry->ways);
  memset(&cache->lines[set][victim], 0, sizeof cache->lines[set][victim]);
  cache->lines[set][victim].valid = true;
  cache->lines[set][victim].line = line;
  cache->lines[set][victim].used = cache->lines[set][victim].arrived = cache->time;
  cache->lines[set][victim].sectors[sector] = true;
  return false;
}

/* Loads of one thread; the number of each is its pc. */
struct stream {
  uint64_t addresses[ACCESSES];
  unsigned bytes[ACCESSES];
};

static int make_stream(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data)
{
  const struct stream *stream = data;
  int status = 0;

  (void)block;
  for (unsigned i = 0; i < ACCESSES && !status; i++) {
    struct fake_instruction load = {.operation = GC_TRACE_LOAD,
                                    .base = stream->addresses[i],
                                    .bytes = stream->bytes[i],
                                    .mask = 1,
                                    .pc = i};

    status = fake_visit(&load, visit, visit_data);
  }
  return status;
}

static struct gc_kernel_run run_stream(const struct gc_gpu_model *gpu,
                                       const struct gc_model_options *options,
                                       const struct stream *stream)
{
  struct gc_trace trace = {.blocks = 1, .make = make_stream, .data = (void *)stream};
  struct gc_trace_launch launch = {.threads_per_block = 32};

  return fake_run_trace(gpu, options, &launch, &trace);
}

/* Near and far reuse, and lines of one set. */
static void random_stream(struct stream *stream, const struct gc_cache_geometry *geometry)
{
  uint64_t size = (uint64_t)geometry->sets * geometry->ways * geometry->line_bytes;

  for (unsigned i = 0; i < ACCESSES; i++) {
    uint64_t address = below((uint32_t)(size * (below(3) + 1))) & ~UINT64_C(15);

    if (below(4) == 0)
      address = (uint64_t)below(64) * geometry->sets * geometry->line_bytes;
    stream->bytes[i] = 1u << below(5);
    if (below(8) == 0)
      address += below(16); /* not aligned: may need two sectors, or two lines */
    stream->addresses[i] = address;
  }
}

static struct gc_cache_geometry random_geometry(void)
{
  struct gc_cache_geometry geometry = {.line_bytes = 32u << below(3),
                                       .ways = 1 + below(40),
                                       .policy = below(2) ? GC_POLICY_LRU : GC_POLICY_FIFO};

  geometry.sector_bytes = geometry.line_bytes >> below(3);
  if (below(2)) {
    geometry.sets = 1 + below(NAIVE_SETS); /* modulo, any number */
    return geometry;
  }
  geometry.mask_count = below(6);
  geometry.sets = 1u << geometry.mask_count;
  for (uint32_t i = 0; i < geometry.mask_count; i++)
    geometry.masks[i] = ((uint64_t)below(UINT32_MAX) << 20 ^ below(UINT32_MAX)) |
                        (uint64_t)geometry.line_bytes << i;
  return geometry;
}

/* Compares each load, and the L2 behind, which sees the misses in their order. */
static uint64_t compare(const struct gc_gpu_model *gpu, const struct stream *stream)
{
  struct gc_model_options options = {.no_latency = true};
  struct gc_kernel_run run = run_stream(gpu, &options, stream);
  struct naive *l1 = calloc(1, sizeof *l1), *l2 = calloc(1, sizeof *l2);
  uint64_t hits = 0, l2_hits = 0, l2_accesses = 0;
  uint32_t bytes = gpu->l1.sector_bytes;

  assert_true(l1 && l2);
  l1->geometry = &gpu->l1;
  l2->geometry = &gpu->l2;
  assert_int_equal(run.load_count, ACCESSES);
  for (unsigned i = 0; i < ACCESSES; i++) {
    uint64_t first = stream->addresses[i] / bytes;
    uint64_t last = (stream->addresses[i] + stream->bytes[i] - 1) / bytes, found = 0;

    for (uint64_t sector = first; sector <= last; sector++) {
      if (naive_access(l1, sector * bytes)) {
        found++;
      } else {
        l2_accesses++;
        l2_hits += naive_access(l2, sector * bytes);
      }
    }
    if (run.loads[i].l1.hits != found || run.loads[i].l1.accesses != last - first + 1)
      fail_msg("load %u of %u bytes at %#lx: %lu of %lu sectors hit, not %lu", i, stream->bytes[i],
               stream->addresses[i], run.loads[i].l1.hits, run.loads[i].l1.accesses, found);
    hits += found;
  }
  assert_int_equal(run.counts.l1_loads.hits, hits);
  assert_int_equal(run.counts.l1_loads.hits_on_miss, 0);
  assert_int_equal(run.counts.l2_loads.accesses, l2_accesses);
  assert_int_equal(run.counts.l2_loads.hits, l2_hits);
  free(run.loads);
  free(l1);
  free(l2);
  return hits;
}

static void equals_naive_simulation(void **state)
{
  static struct stream stream;
  uint64_t hits = 0;

  (void)state;
  for (seed = 1; seed < 200 * UINT64_C(1000003); seed += 1000003) {
    uint64_t start = seed;
    struct gc_gpu_model gpu = fake_gpu();

    gpu.l1 = random_geometry();
    do
      gpu.l2 = random_geometry();
    while (gpu.l2.line_bytes != gpu.l1.line_bytes || gpu.l2.sector_bytes != gpu.l1.sector_bytes);
    random_stream(&stream, &gpu.l1);
    hits += compare(&gpu, &stream);
    seed = start;
  }
  assert_in_range(hits, 200 * ACCESSES / 10, 200 * ACCESSES);
}

/* Likewise if sectors of L2 are larger; each load is of one sector, so that L2 is asked for one. */
static void larger_sectors_equal_naive_simulation(void **state)
{
  static struct stream stream;

  (void)state;
  for (seed = 1; seed < 100 * UINT64_C(1000003); seed += 1000003) {
    uint64_t start = seed;
    struct gc_gpu_model gpu = fake_gpu();

    do {
      gpu.l1 = random_geometry();
      gpu.l2 = random_geometry();
    } while (gpu.l2.line_bytes != gpu.l1.line_bytes || gpu.l2.sector_bytes <= gpu.l1.sector_bytes);
    random_stream(&stream, &gpu.l1);
    for (unsigned i = 0; i < ACCESSES; i++)
      stream.bytes[i] = 1;
    compare(&gpu, &stream);
    seed = start;
  }
}

/* An L2 with other lines and sectors than L1 fetches its own. */
static void l2_with_other_lines(void **state)
{
  static struct stream stream;
  struct gc_model_options options = {.no_latency = true};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l2.line_bytes = gpu.l2.sector_bytes = 64;
  memset(&stream, 0, sizeof stream);
  for (unsigned i = 0; i < ACCESSES; i++) {
    stream.addresses[i] = 32 * (uint64_t)i;
    stream.bytes[i] = 4;
  }
  run = run_stream(&gpu, &options, &stream);
  assert_int_equal(run.counts.l1_loads.misses, ACCESSES); /* sectors of 32 bytes */
  assert_int_equal(run.counts.l2_loads.accesses, ACCESSES);
  assert_int_equal(run.counts.l2_loads.misses, ACCESSES / 2);
  free(run.loads);
  gpu.l1.sector_bytes = 128;
  run = run_stream(&gpu, &options, &stream);
  assert_int_equal(run.counts.l1_loads.misses, ACCESSES / 4);
  assert_int_equal(run.counts.l2_loads.accesses, ACCESSES / 2); /* each line of L1 is two of L2 */
  free(run.loads);
}

/* Sectors of L2 are larger than those of L1: what L1 asks for is counted, what L2 fetches is kept.
 */
static void l2_with_larger_sectors(void **state)
{
  static const struct fake_instruction loads[] = {
      {.base = 0, .stride = 4},                 /* 4 sectors of L1, 2 of L2 */
      {.base = 4096, .mask = 1},                /* half a sector of L2 */
      {.base = 4096 + 32, .mask = 1},           /* the other half is there */
      {.base = 8192, .mask = 7, .stride = 32}}; /* 3 sectors of L1 in 2 of L2 */
  const struct fake_list list = {loads, 4};
  const struct gc_model_options options = {.no_latency = true, .compulsory = true};
  const struct gc_trace_launch launch = {.threads_per_block = 32};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l2.sector_bytes = 64;
  run = fake_run(&gpu, &options, &launch, &list);
  assert_int_equal(run.counts.l1_loads.misses, 4 + 1 + 1 + 3);
  assert_int_equal(run.counts.l2_loads.accesses, 4 + 1 + 1 + 3);
  assert_int_equal(run.counts.l2_loads.misses, 4 + 1 + 0 + 3);
  assert_int_equal(run.counts.l2_loads.hits, 1);
  free(run.loads);
}

/* Two laps over one line more than the cache has: LRU and FIFO never hit, random replacement does.
 */
static void random_replacement(void **state)
{
  static struct stream stream;
  struct gc_gpu_model gpu = fake_gpu();
  double model = 0, naive = 0;

  (void)state;
  gpu.l1.sets = 4;
  gpu.l2.sets = NAIVE_SETS;
  for (unsigned large = 0; large < 2; large++) {
    gpu.l1.ways = large ? 24 : 8;
    model = naive = 0;
    for (unsigned i = 0; i < ACCESSES; i++) {
      stream.addresses[i] = i % (4 * gpu.l1.ways + 8) * UINT64_C(128);
      stream.bytes[i] = 4;
    }
    gpu.l1.policy = GC_POLICY_LRU;
    assert_int_equal(compare(&gpu, &stream), 0);
    gpu.l1.policy = GC_POLICY_RANDOM;
    for (unsigned i = 0; i < 40; i++) {
      struct gc_model_options options = {.seed = i, .no_latency = true};
      struct gc_kernel_run run = run_stream(&gpu, &options, &stream);
      struct naive *cache = calloc(1, sizeof *cache);

      assert_non_null(cache);
      cache->geometry = &gpu.l1;
      for (unsigned k = 0; k < ACCESSES; k++)
        naive += naive_access(cache, stream.addresses[k]);
      model += (double)run.counts.l1_loads.hits;
      free(cache);
      free(run.loads);
    }
    model /= 40.0 * ACCESSES;
    naive /= 40.0 * ACCESSES;
    if (!(model > naive - 0.01 && model < naive + 0.01) || naive < 0.3)
      fail_msg("%u ways: %g of the accesses hit, %g in the naive simulation", gpu.l1.ways, model,
               naive);
  }
}

/* A line is used, n other lines come, the line is used again: it is there with the probability of
 * the curve at n. LRU of the same size says 0 or 1. */
static void survival_curve(void **state)
{
  struct gc_cache_geometry geometry = {.line_bytes = 128,
                                       .sector_bytes = 32,
                                       .sets = 1,
                                       .ways = 100,
                                       .policy = GC_POLICY_SURVIVAL,
                                       .survival_count = 2,
                                       .fills = {100, 300},
                                       .survives = {0.8, 0}};
  static const struct {
    unsigned fills;
    double survives;
  } cases[] = {{0, 1}, {50, 0.9}, {100, 0.8}, {200, 0.4}, {290, 0.04}, {300, 0}, {400, 0}};
  struct gc_lines lines;
  uint64_t next = 1000000;

  (void)state;
  assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned there = 0, laps = 4000;
    double part;

    for (unsigned lap = 0; lap < laps; lap++) {
      uint64_t line = next++;

      assert_non_null(gc_lines_add(&lines, 0, line));
      for (unsigned k = 0; k < cases[i].fills; k++)
        assert_non_null(gc_lines_add(&lines, 0, next++));
      there += gc_lines_find(&lines, 0, line) != NULL;
    }
    part = (double)there / laps;
    if (part < cases[i].survives - 0.03 || part > cases[i].survives + 0.03)
      fail_msg("after %u fills %g of the lines are there, not %g", cases[i].fills, part,
               cases[i].survives);
  }
  assert_in_range(lines.index.mask, 1, 4095); /* the memory is that of the lines that are there */
  gc_lines_fini(&lines);
}

/* A line that is used again draws again: with many uses in between it lives longer than one fill
 * count allows; and a line that is away stays away until it is added. */
static void survival_of_used_lines(void **state)
{
  struct gc_cache_geometry geometry = {.line_bytes = 128,
                                       .sector_bytes = 32,
                                       .sets = 1,
                                       .ways = 100,
                                       .policy = GC_POLICY_SURVIVAL,
                                       .survival_count = 2,
                                       .fills = {50, 60},
                                       .survives = {1, 0}};
  struct gc_lines lines;
  struct gc_line *line;

  (void)state;
  assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
  assert_non_null(gc_lines_add(&lines, 0, 1));
  for (uint64_t i = 0; i < 1000; i++) {
    assert_non_null(gc_lines_add(&lines, 0, 100 + i));
    if (i % 40 == 0) {
      line = gc_lines_find(&lines, 0, 1);
      assert_non_null(line);
      gc_lines_use(&lines, 0, line);
    }
  }
  for (uint64_t i = 0; i < 100; i++)
    assert_non_null(gc_lines_add(&lines, 0, 5000 + i));
  assert_null(gc_lines_find(&lines, 0, 1));
  gc_lines_clear(&lines);
  assert_null(gc_lines_find(&lines, 0, 5099));
  gc_lines_fini(&lines);
}

/* Two sets of four ways with tags for 8 lines, and data for 6. */
static void data_for_fewer_lines_than_tags(void **state)
{
  const struct gc_cache_geometry geometry = {.line_bytes = 128,
                                             .sector_bytes = 32,
                                             .sets = 2,
                                             .ways = 4,
                                             .limit = 6,
                                             .policy = GC_POLICY_LRU};
  struct gc_lines lines;
  unsigned there = 0;

  (void)state;
  assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
  for (uint64_t line = 0; line < 6; line++)
    assert_non_null(gc_lines_add(&lines, line % 2, line));
  for (uint64_t line = 0; line < 6; line++) /* they all fit, in whatever sets */
    assert_non_null(gc_lines_find(&lines, line % 2, line));
  gc_lines_use(&lines, 0, gc_lines_find(&lines, 0, 0));
  gc_lines_add(&lines, 0, 6); /* set 0 has a free tag, but there are no free data */
  assert_true(!gc_lines_find(&lines, 0, 2) !=
              !gc_lines_find(&lines, 1, 1)); /* the oldest of a set */
  for (uint64_t line = 0; line < 7; line++)
    there += gc_lines_find(&lines, line % 2, line) != NULL;
  assert_int_equal(there, 6);
  gc_lines_fini(&lines);
}

/* Over many fills: never more lines than data, and what a set with four lines evicts is its own. */
static void the_limit_holds(void **state)
{
  const struct gc_cache_geometry geometry = {.line_bytes = 128,
                                             .sector_bytes = 32,
                                             .sets = 16,
                                             .ways = 4,
                                             .limit = 53,
                                             .policy = GC_POLICY_LRU};
  struct gc_lines lines;
  uint64_t random = 1, most = 0;

  (void)state;
  assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
  for (unsigned k = 0; k < 20000; k++) {
    const uint64_t line = gc_draw_below(&random, 100), set = line % 16;
    uint64_t there = 0, of_others = 0;
    const bool full = lines.heads[set].used == 4;
    struct gc_line *found = gc_lines_find(&lines, (uint32_t)set, line);

    if (found) {
      gc_lines_use(&lines, (uint32_t)set, found);
      continue;
    }
    for (uint64_t i = 0; i < 100; i++)
      of_others += i % 16 != set && gc_lines_find(&lines, (uint32_t)(i % 16), i);
    gc_lines_add(&lines, (uint32_t)set, line);
    for (uint64_t i = 0; i < 100; i++) {
      const bool is = gc_lines_find(&lines, (uint32_t)(i % 16), i) != NULL;

      there += is;
      of_others -= full && is && i % 16 != set;
    }
    assert_true(!full || of_others == 0);
    assert_int_equal(there, lines.used);
    most = there > most ? there : most;
  }
  assert_int_equal(most, 53);
  gc_lines_fini(&lines);
}

/* Loads of whole lines. */
static void slru_equals_naive_simulation(void **state)
{
  uint64_t hits = 0;

  (void)state;
  for (seed = 1; seed < 200 * UINT64_C(1000003); seed += 1000003) {
    const uint64_t start = seed;
    struct gc_cache_geometry geometry = random_geometry();
    struct naive *naive = calloc(1, sizeof *naive);
    struct gc_lines lines;

    assert_non_null(naive);
    geometry.policy = GC_POLICY_SLRU;
    naive->geometry = &geometry;
    assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
    for (unsigned i = 0; i < ACCESSES; i++) {
      const uint64_t number = below(2) ? below(geometry.sets * geometry.ways * 2) : below(16);
      const uint32_t set = naive_set(&geometry, number * geometry.line_bytes);
      struct gc_line *line = gc_lines_find(&lines, set, number);

      assert_true(naive_access(naive, number * geometry.line_bytes) == (line != NULL));
      hits += line != NULL;
      if (line)
        gc_lines_use(&lines, set, line);
      else
        gc_lines_add(&lines, set, number);
    }
    gc_lines_fini(&lines);
    free(naive);
    seed = start;
  }
  assert_in_range(hits, 200 * ACCESSES / 10, 200 * ACCESSES * 9 / 10);
}

/* An H200's L1: see the same test of the simulated GPU in tests/unit/test_cache.c. */
static void misses_of_a_loop_are_multiples_of_the_sets(void **state)
{
  static const struct {
    unsigned lines, misses;
  } loops[] = {{1736, 0}, {1850, 512}, {1950, 512}, {2000, 1024}};
  const struct gc_cache_geometry geometry = {.line_bytes = 128,
                                             .sector_bytes = 32,
                                             .sets = 512,
                                             .ways = 4,
                                             .limit = 1736,
                                             .policy = GC_POLICY_SLRU};

  (void)state;
  for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
    unsigned order[2000], missed = 0;
    uint64_t random = 1;
    struct gc_lines lines;

    for (unsigned i = 0; i < loops[k].lines; i++) {
      const unsigned j = gc_draw_below(&random, i + 1);

      order[i] = order[j];
      order[j] = i;
    }
    assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
    for (unsigned pass = 0; pass < 16; pass++) {
      missed = 0;
      for (unsigned i = 0; i < loops[k].lines; i++) {
        struct gc_line *line = gc_lines_find(&lines, order[i] % 512, order[i]);

        missed += !line;
        if (line)
          gc_lines_use(&lines, order[i] % 512, line);
        else
          gc_lines_add(&lines, order[i] % 512, order[i]);
      }
    }
    assert_int_equal(missed, loops[k].misses);
    gc_lines_fini(&lines);
  }
}

/* A log with many more uses than ways, and a hash index whose lines come and go, against a list. */
static void many_ways_against_a_list(void **state)
{
  enum { SETS = 3, WAYS = 20, LINES = 150 };
  const enum gc_policy policies[] = {GC_POLICY_LRU, GC_POLICY_FIFO};

  (void)state;
  for (unsigned p = 0; p < 2; p++) {
    const struct gc_cache_geometry geometry = {
        .line_bytes = 128, .sector_bytes = 32, .sets = SETS, .ways = WAYS, .policy = policies[p]};
    uint64_t lists[SETS][WAYS], random = 1; /* the newest first */
    unsigned used[SETS] = {0}, hits = 0;
    struct gc_lines lines;

    assert_int_equal(gc_lines_init(&lines, &geometry, false, 7), 0);
    for (unsigned k = 0; k < 50000; k++) {
      const uint64_t line = gc_draw_below(&random, k % 5000 < 2500 ? LINES : LINES / 2);
      const uint32_t set = line % SETS;
      struct gc_line *found = gc_lines_find(&lines, set, line);
      unsigned place = 0;

      while (place < used[set] && lists[set][place] != line)
        place++;
      assert_int_equal(found != NULL, place < used[set]);
      hits += found != NULL;
      if (found)
        gc_lines_use(&lines, set, found);
      else
        assert_non_null(gc_lines_add(&lines, set, line));
      if (found && policies[p] == GC_POLICY_FIFO)
        continue;
      if (!found && used[set] < WAYS)
        place = used[set]++;
      else if (!found)
        place = WAYS - 1;
      memmove(&lists[set][1], &lists[set][0], place * sizeof lists[set][0]);
      lists[set][0] = line;
    }
    assert_in_range(hits, 10000, 40000);
    gc_lines_fini(&lines);
  }
}

/* What L2 reads from memory: whole sectors of L2, also if L1 needs a part of them. */
static void memory_is_read_in_sectors_of_l2(void **state)
{
  static const struct fake_instruction loads[] = {
      {.base = 0, .mask = 1},                                    /* 32 bytes: 64 are read */
      {.base = 32, .mask = 1},                                   /* they are there */
      {.base = 4096, .mask = 3, .stride = 32},                   /* both halves: 64 */
      {.base = 8192, .mask = 3, .stride = 64},                   /* two sectors: 128 */
      {.operation = GC_TRACE_ATOMIC, .base = 16384, .mask = 1},  /* 64 */
      {.operation = GC_TRACE_STORE, .base = 32768, .stride = 4}, /* whole sectors: nothing */
  };
  const struct gc_model_options options = {.seed = 1};
  const struct gc_trace_launch launch = {.threads_per_block = 32};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l2.sector_bytes = 64;
  run = fake_run(&gpu, &options, &launch, &(struct fake_list){loads, 6});
  assert_int_equal(run.counts.memory_read_bytes, 64 + 64 + 128 + 64);
  assert_int_equal(run.counts.l1_load_instructions, 4);
  assert_int_equal(run.counts.l1_loads.accesses, 6);
  free(run.loads);
}

/* Stores of parts of sectors: 1/8 of the 4096 lines of L2 can be so; then the oldest line gets the
 * rest of its sectors, in units of 32 bytes, and what is loaded of it is there. */
static void memory_is_read_for_parts_of_sectors(void **state)
{
  enum { STORES = 600, KEPT = 4096 / 8 };
  static struct fake_instruction list[STORES + 3];
  const struct gc_model_options options = {.seed = 1};
  const struct gc_trace_launch launch = {.threads_per_block = 32};
  struct gc_gpu_model gpu = fake_gpu();
  struct gc_kernel_run run;

  (void)state;
  gpu.l2.sector_bytes = 64;
  for (unsigned i = 0; i < STORES; i++) /* 4 bytes in each of two units */
    list[i] = (struct fake_instruction){
        .operation = GC_TRACE_STORE, .base = 128 * (uint64_t)i, .stride = 32, .mask = 3};
  list[STORES] = (struct fake_instruction){.operation = GC_TRACE_OTHER};
  list[STORES + 1] = (struct fake_instruction){.base = 16, .mask = 1};
  list[STORES + 2] = (struct fake_instruction){.base = 128 * (STORES - 1) + 16, .mask = 1};
  run = fake_run(&gpu, &options, &launch, &(struct fake_list){list, STORES + 3});
  assert_int_equal(run.counts.l2_loads.hits, 1);
  assert_int_equal(run.counts.l2_loads.misses, 1);
  assert_int_equal(run.counts.memory_read_bytes, (STORES - KEPT) * 2 * 32 + 64);
  free(run.loads);
  /* 16 bytes, and the other 16 of the unit: nothing is read */
  for (unsigned i = 0; i < STORES; i++)
    list[i] = (struct fake_instruction){.operation = GC_TRACE_STORE,
                                        .base = 128 * (uint64_t)(i / 2) + 16 * (i % 2),
                                        .stride = 4,
                                        .mask = 15};
  run = fake_run(&gpu, &options, &launch, &(struct fake_list){list, STORES});
  assert_int_equal(run.counts.memory_read_bytes, 0);
  free(run.loads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_read_in_sectors_of_l2),
      cmocka_unit_test(memory_is_read_for_parts_of_sectors),
      cmocka_unit_test(equals_naive_simulation),
      cmocka_unit_test(larger_sectors_equal_naive_simulation),
      cmocka_unit_test(l2_with_other_lines),
      cmocka_unit_test(l2_with_larger_sectors),
      cmocka_unit_test(random_replacement),
      cmocka_unit_test(survival_curve),
      cmocka_unit_test(survival_of_used_lines),
      cmocka_unit_test(data_for_fewer_lines_than_tags),
      cmocka_unit_test(the_limit_holds),
      cmocka_unit_test(slru_equals_naive_simulation),
      cmocka_unit_test(misses_of_a_loop_are_multiples_of_the_sets),
      cmocka_unit_test(many_ways_against_a_list),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
