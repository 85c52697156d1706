/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency patterns of Mei et al. 2014 (table 3), for --raw: how long a load takes, depending on
 * where its data and its translation are. P1 to P3: the data are in L2, and the translation is in
 * the first TLB, in the second one, or in none. P4 and P5: the data are in memory, and the
 * translation is in the first TLB or in none. P6: as P3, but each page is in a page table of its
 * own; on Kepler such a switch of page tables takes longer. doc/methods.md, "TLBs".
 */
#include "measure/structure/structure.h"

#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "measure/structure/tlb_search.h"
#include "measure/walk/rounds.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define SMS 16   /* that measure, one at a time, evenly spread over all */
/* Pages of a ring, of which one is not timed: the kernel stores 32 values at once, which needs a
 * translation, too. Fewer if there are too few addresses, but at least SLOTS_LEAST. */
#define SLOTS 32
#define SLOTS_LEAST 8
#define SHIFT 4096u /* bytes between the rings of two SMs */
#define EXCESS 1.25 /* times the entries of the second TLB: pages that are read to evict it */
#define L2S 2       /* times the size of L2: bytes that are read to evict it */
#define SPREAD 4    /* P1 and P4 use this part of the reach of the first TLB */
/* A page table of the lowest level covers so much on NVIDIA GPUs with pages of 2 MiB [open-gpu-doc,
 * pascal-mmu-format]. */
#define TABLE_BYTES ((uint64_t)512 << 20)
#define P6_SHARE 0.05 /* P6 is seen if it takes so much longer than P3 */

enum lost { LOST_NONE, LOST_FIRST, LOST_BOTH };

struct pattern {
  bool in_memory; /* the data */
  enum lost lost; /* which TLBs do not have the translation */
};

static const struct pattern patterns[] = {{false, LOST_NONE}, {false, LOST_FIRST},
                                          {false, LOST_BOTH}, {true, LOST_NONE},
                                          {true, LOST_BOTH},  {false, LOST_BOTH}};
#define PATTERNS (sizeof(patterns) / sizeof(*patterns))
enum { P3 = 2, P6 = 5 };

struct state {
  struct gc_measurement *m;
  struct gc_tlb_range range;
  const struct gc_measured *first, *second;
  double cycles[PATTERNS][SMS]; /* medians */
  uint32_t n[PATTERNS];
  uint32_t slots; /* of the rings of the present pattern */
};

static uint64_t stride_of(const struct state *s, size_t pattern)
{
  if (s->range.aliased && patterns[pattern].in_memory && patterns[pattern].lost)
    return gc_tlb_stride(s->range.piece > TABLE_BYTES ? s->range.piece : TABLE_BYTES, 0);
  if (pattern == P6)
    return gc_tlb_stride(TABLE_BYTES, 0);
  if (patterns[pattern].lost == LOST_NONE)
    return gc_tlb_stride(s->first->reach_bytes / SPREAD / s->slots, 0);
  return gc_tlb_stride(
      patterns[pattern].lost == LOST_FIRST ? s->first->entry_bytes : s->second->entry_bytes, 0);
}

static struct gc_tlb_pages ring_of(const struct state *s, size_t pattern, uint32_t nth)
{
  return (struct gc_tlb_pages){
      .offset = (uint64_t)nth * SHIFT, .stride = stride_of(s, pattern), .count = s->slots};
}

/* The pages behind a ring that evict its translations; none if the pattern keeps these. */
static struct gc_tlb_pages behind(const struct state *s, size_t pattern,
                                  const struct gc_tlb_pages *ring)
{
  const bool both = patterns[pattern].lost == LOST_BOTH;
  const uint64_t spacing = both ? s->second->entry_bytes : s->first->entry_bytes;

  if (!patterns[pattern].lost)
    return (struct gc_tlb_pages){0};
  return (struct gc_tlb_pages){
      .offset = (ring->offset + (ring->count + 1) * ring->stride) / spacing * spacing + spacing,
      .stride = gc_tlb_stride(spacing, 0),
      .count = both ? (uint32_t)(EXCESS * (double)s->second->entries)
                    : gc_tlb_beyond(s->first, spacing)};
}

/* Reads these pages: once each, by one SM. */
static int read_pages(struct state *s, const struct gc_tlb_pages *pages, uint32_t sm)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gpu_touch_args args = {.base = s->range.base + pages->offset,
                                      .bytes = pages->count * pages->stride,
                                      .stride = pages->stride,
                                      .sink = bench->scratch,
                                      .passes = 2,
                                      .only_sm = sm};
  const int status = gc_tlb_map(&s->range, pages);

  return status ? status
                : gc_bench_launch(bench, GC_KERNEL_touch, bench->properties.sms,
                                  bench->properties.warp, 0, &args);
}

/* All SMs read the second half of the piece; rings are in the first half. */
static int evict_l2(struct state *s)
{
  struct gc_bench *bench = &s->m->bench;
  const struct gpu_touch_args args = {.base = s->range.base + s->range.piece / 2,
                                      .bytes = L2S * bench->properties.l2_bytes,
                                      .stride = GC_TLB_LINE,
                                      .sink = bench->scratch,
                                      .passes = 2,
                                      .only_sm = GPU_ANY_SM};
  const int status = gc_tlb_range_reach(&s->range, s->range.piece);

  return status ? status
                : gc_bench_launch(bench, GC_KERNEL_touch, bench->properties.sms,
                                  bench->properties.threads_per_block, 0, &args);
}

/* Brings the data of a ring into L2, or, without touching them, its translations into the TLB. */
static int bring_in(struct state *s, size_t pattern, const struct gc_tlb_pages *ring, uint32_t sm)
{
  struct gc_bench *bench = &s->m->bench;
  const bool lines = !patterns[pattern].in_memory;
  const struct gpu_touch_args args = {.base =
                                          s->range.base + ring->offset + (lines ? 0 : SHIFT / 2),
                                      .bytes = ring->count * ring->stride,
                                      .stride = ring->stride,
                                      .sink = bench->scratch,
                                      .passes = 2,
                                      .only_sm = sm};

  return gc_bench_launch(bench, GC_KERNEL_touch, bench->properties.sms, bench->properties.warp, 0,
                         &args);
}

static int time_ring(struct state *s, const struct gc_tlb_pages *ring, uint32_t index,
                     double *cycles)
{
  struct gc_bench *bench = &s->m->bench;
  const uint64_t start = s->range.base + ring->offset, bytes = ring->count * ring->stride;
  struct gpu_round *jobs = gc_step_alloc(bench, bench->properties.sms, sizeof(*jobs));
  const uint32_t loads = ring->count - 1;
  uint32_t trace[SLOTS];
  const struct gc_rounds rounds = {.jobs = jobs,
                                   .n = bench->properties.sms,
                                   .rounds = 1,
                                   .by_sm = true,
                                   .binning = {.threshold = UINT32_MAX},
                                   .results = 1,
                                   .traced = loads};
  struct gc_rounds_seen seen = {.trace = trace};
  double values[SLOTS];
  int status = jobs ? 0 : -ENOMEM;

  if (!status) {
    jobs[index] = (struct gpu_round){
        .at = start, .end = start + bytes, .step = ring->stride, .back = bytes, .timed = loads};
    status = gc_rounds_run(bench, &rounds, &seen);
  }
  for (uint32_t k = 0; k < loads && !status; k++)
    values[k] = trace[k];
  *cycles =
      status || !seen.spread ? NAN : gc_median(values, loads) - s->m->results->overhead.cycles;
  gc_step_free(bench, jobs);
  return status;
}

/* One SM: brings data and translations to where they belong, and times the loads. */
static int measure_sm(struct state *s, size_t pattern, uint32_t nth, uint32_t index)
{
  const struct gc_tlb_pages ring = ring_of(s, pattern, nth);
  const struct gc_tlb_pages others = behind(s, pattern, &ring);
  double cycles;
  int status = gc_tlb_map(&s->range, &ring);

  if (!status && (!patterns[pattern].in_memory || !others.count))
    status = bring_in(s, pattern, &ring, index);
  if (!status && others.count)
    status = read_pages(s, &others, index);
  if (!status)
    status = time_ring(s, &ring, index, &cycles);
  if (!status && isfinite(cycles)) {
    s->cycles[pattern][s->n[pattern]++] = cycles;
    gc_raw_row(s->m->bench.raw, "pattern\tlatency, cycles", (double[]){pattern + 1.0, cycles});
  }
  return status;
}

static uint32_t sms_of(const struct state *s)
{
  return s->m->results->sm_count < SMS ? s->m->results->sm_count : SMS;
}

/* Whether the ring of each SM and the pages behind it fit. */
static bool fits(const struct state *s, size_t pattern)
{
  const struct gc_tlb_pages ring = ring_of(s, pattern, sms_of(s) - 1);
  const struct gc_tlb_pages others = behind(s, pattern, &ring);

  return gc_tlb_range_fits(&s->range, &ring) && gc_tlb_range_fits(&s->range, &others);
}

/* Why this pattern cannot be measured; NULL: it can, with rings of s->slots pages. */
static const char *lacks(struct state *s, size_t pattern)
{
  const struct pattern *p = &patterns[pattern];

  if (s->range.refused)
    return GC_TLB_REFUSED;
  if (s->m->results->sm_count < s->m->bench.properties.sms)
    return "blocks did not reach all SMs";
  if (!gc_found(s->first, GC_ENTRIES))
    return "this needs the number of entries of L1TLB, which is absent";
  if (p->lost == LOST_BOTH && !gc_found(s->second, GC_ENTRIES))
    return "this needs the number of entries of L2TLB, which is absent";
  if (p->in_memory && s->range.piece / 2 < L2S * s->m->bench.properties.l2_bytes)
    return "there is too little memory to evict the L2";
  for (s->slots = SLOTS; s->slots > SLOTS_LEAST && !fits(s, pattern);)
    s->slots /= 2;
  return fits(s, pattern) ? NULL : "there are too few addresses for its pages";
}

static int measure(struct state *s, size_t pattern)
{
  const uint32_t sms = s->m->results->sm_count, n = sms_of(s);
  int status = 0;

  if (!status && patterns[pattern].in_memory)
    status = evict_l2(s);
  for (uint32_t nth = 0; nth < n && !status; nth++)
    status = measure_sm(s, pattern, nth, nth * sms / n);
  return status;
}

/* A row in words for each pattern. */
static void describe(struct state *s, size_t pattern, const char *absent)
{
  static const char *const where[] = {"first TLB", "second TLB", "none"};
  const struct pattern *p = &patterns[pattern];
  const double p3 = s->n[P3] ? gc_median(s->cycles[P3], s->n[P3]) : 0;
  const double cycles = s->n[pattern] ? gc_median(s->cycles[pattern], s->n[pattern]) : 0;
  char row[160], value[96];

  if (absent || !s->n[pattern])
    snprintf(value, sizeof(value), "absent: %s", absent ? absent : "SMs ran several blocks");
  else if (pattern == P6 && cycles < p3 * (1 + P6_SHARE))
    snprintf(value, sizeof(value), "absent: a switch of page tables takes no longer than P3");
  else
    snprintf(value, sizeof(value), "%.1f", cycles);
  snprintf(row, sizeof(row), "P%zu\t%s\t%s\t%s", pattern + 1, p->in_memory ? "memory" : "L2",
           pattern == P6 ? "none, another page table" : where[p->lost], value);
  gc_raw_words(s->m->bench.raw, "pattern\tdata\ttranslation\tlatency, cycles", row);
}

int gc_step_tlb_patterns(struct gc_measurement *m, struct gc_measured *element)
{
  struct state s = {.m = m, .first = element, .second = &m->results->element[GC_L2_TLB]};
  const char *absent;
  int status, closed;

  if (!m->bench.raw)
    return 0;
  if ((status = gc_number_sms(m)) || (status = gc_tlb_range_open(m, &s.range, &absent)) || absent)
    return status;
  for (size_t pattern = 0; pattern < PATTERNS && !status; pattern++) {
    absent = lacks(&s, pattern);
    if (!absent)
      status = measure(&s, pattern);
    if (status == -ENOMEM && s.range.refused) {
      absent = GC_TLB_REFUSED;
      status = 0;
    }
    if (!status)
      describe(&s, pattern, absent);
  }
  closed = gc_tlb_range_close(&s.range);
  return status ? status : closed;
}
