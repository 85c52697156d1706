/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many lines an SM, and a warp, can wait for at the same time. The warps of one SM load n lines
 * of device memory with independent loads. As long as all of them are under way together, the batch
 * takes one latency and the time in which the lines are requested. The first line for which there
 * is no place has to wait until another one has arrived, so the batch takes at least two latencies.
 * Nugteren et al. 2014, section 5.2. doc/methods.md, "Outstanding misses".
 *
 * Where lines are requested so slowly that the first one arrives before the limit is reached, the
 * time of a batch grows evenly to two latencies. Then the value is a lower bound. The second method
 * is the same with lines in L2, whose latency is another one: a limit must be the same.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/core/placement.h"
#include "measure/walk/batches.h"
#include "measure/walk/evict.h"
#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMS 5         /* that are measured */
#define MOST_WARPS 16 /* of the block */
#define EMPTY 8       /* batches of no line */
#define SINGLES 24    /* batches of one line */
#define GRID 40       /* numbers of lines in the first search, at most */
#define GRID_RATIO 1.17
#define GRID_REPEATS 3
#define FINE 16 /* numbers of lines in each later search, at most */
#define FINE_REPEATS 5
#define LAST_REPEATS 9
#define ROUNDS_MAX 192
#define WARM_UP 2 /* rounds that bring the code into caches */
#define ALIGNMENT ((uint64_t)4096)
#define L2_STRIDE 32 /* bytes: at most the sector of any L2 */
#define L2_PASSES 2
#define LEAST_L2 ((uint64_t)512 << 10) /* bytes: so many that L2 holds the lines of a launch */
#define L2_SHARE 4                     /* of L2, the lines of a launch take this part at most */
#define TAIL 0.1 /* share of the fastest and slowest single loads that does not count */
/* The slowest single loads may take this share of the time of two successive ones. */
#define SPREAD_MAX 0.8
/* The step from the limit to one line more is at least this share of a latency. */
#define STEP 0.2
#define LEAST_VOTES 4    /* for a limit: so many, */
#define VOTES_SHARE 0.75 /* and this share of all */
#define ROUNDING 4       /* lower bounds are powers of this number, so that they repeat */

enum level { IN_L2, IN_MEMORY, LEVELS };

/* Batches on one SM. */
struct batches {
  struct gc_measurement *m;
  enum level level; /* where the lines are */
  uint32_t sm, warps, stride; /* as in struct gc_batches */
  uint64_t cold;   /* IN_MEMORY: from this offset in the arena on, no line is in a cache */
  double overhead; /* the time of a batch of no line, cycles */
  double least, middle, most; /* latency of single loads, cycles: fast, median, slow */
};

/* What one SM shows with lines of one level. */
struct outcome {
  bool tried;
  uint32_t lines; /* all of them are under way at the same time */
  bool limit;     /* but not one more */
};

/* How many of these rounds, at least one, fit into this number of bytes; *bytes: what they load. */
static uint32_t fitting(const struct batches *b, const uint32_t *counts, uint32_t rounds,
                        uint64_t space, uint64_t *bytes)
{
  uint32_t n = 0;

  *bytes = 0;
  while (n < rounds && (n == 0 || *bytes + (uint64_t)counts[n] * b->stride <= space))
    *bytes += (uint64_t)counts[n++] * b->stride;
  return n;
}

/* Runs these rounds, in as many launches as the caches need. */
static int run_rounds(struct batches *b, const uint32_t *sizes, uint32_t n, uint32_t *cycles)
{
  struct gc_bench *bench = &b->m->bench;
  const uint64_t cold = gc_cold_bytes(bench) & -ALIGNMENT;
  const uint32_t warm_up = b->warps * GPU_BATCH_LOADS / 2;
  const uint64_t most = b->level == IN_L2 ? bench->properties.l2_bytes / L2_SHARE : cold;
  uint32_t counts[WARM_UP + ROUNDS_MAX], times[WARM_UP + ROUNDS_MAX];
  int status = 0;

  for (uint32_t i = 0; i < WARM_UP; i++)
    counts[i] = warm_up;
  while (n && !status) {
    const uint64_t begin = (uint64_t)WARM_UP * warm_up * b->stride;
    uint64_t bytes, from = cold;
    const uint32_t some = fitting(b, sizes, n, most > begin ? most - begin : 0, &bytes);

    bytes += begin;
    if (b->level == IN_L2) {
      status = gc_fill_l2(bench, from, bytes, L2_STRIDE, L2_PASSES);
    } else {
      if (b->cold + bytes > cold) {
        status = gc_empty_caches(bench);
        b->cold = 0;
      }
      from = b->cold;
      b->cold += bytes;
    }
    memcpy(counts + WARM_UP, sizes, some * sizeof(*sizes));
    if (!status)
      status = gc_batches_time(
          &(struct gc_batches){bench, b->sm, b->warps, b->stride, from, WARM_UP + some, 0, false},
          counts, times);
    memcpy(cycles, times + WARM_UP, some * sizeof(*cycles));
    sizes += some;
    cycles += some;
    n -= some;
  }
  return status;
}

/* medians[i]: the median time of size i in `repeats` repetitions of n sizes, cycles. */
static void find_medians(const struct batches *b, const uint32_t *cycles, const uint32_t *sizes,
                         uint32_t n, uint32_t repeats, double *medians)
{
  const char *columns =
      b->level == IN_L2 ? "lines of L2\tcycles\tSM" : "lines of device memory\tcycles\tSM";
  double values[SINGLES]; /* repeats, at most */

  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t r = 0; r < repeats; r++)
      values[r] = cycles[r * n + i];
    medians[i] = gc_median(values, repeats) - b->overhead;
    gc_raw_row(b->m->bench.raw, columns, (double[]){sizes[i], medians[i], b->sm});
  }
}

/* Times batches of sizes[0] to sizes[n - 1] lines, each of them `repeats` times. */
static int time_batches(struct batches *b, const uint32_t *sizes, uint32_t n, uint32_t repeats,
                        double *medians)
{
  uint32_t all[ROUNDS_MAX], cycles[ROUNDS_MAX] = {0};
  int status;

  for (uint32_t r = 0; r < repeats; r++)
    memcpy(all + r * n, sizes, n * sizeof(*all));
  status = run_rounds(b, all, n * repeats, cycles);
  if (!status)
    find_medians(b, cycles, sizes, n, repeats, medians);
  return status;
}

static void find_latency(struct batches *b, const uint32_t *cycles)
{
  const uint32_t tail = (uint32_t)(TAIL * SINGLES);
  double values[SINGLES];

  for (uint32_t i = 0; i < SINGLES; i++)
    values[i] = cycles[i] - b->overhead;
  gc_sort(values, SINGLES);
  b->least = values[tail];
  b->middle = values[SINGLES / 2];
  b->most = values[SINGLES - 1 - tail];
}

/* The largest of these sizes of which any batch took less than the two fastest latencies: whatever
 * else it waited for, none of its loads waited for another one. */
static uint32_t find_proven(const struct batches *b, const uint32_t *cycles, const uint32_t *sizes,
                            uint32_t n)
{
  uint32_t proven = 0;

  for (uint32_t i = 0; i < n; i++)
    if (cycles[i] && cycles[i] - b->overhead < 2 * b->least && sizes[i] > proven)
      proven = sizes[i];
  return proven;
}

/* Times batches of no line, single loads and batches of these sizes, in this order. */
static int time_first(struct batches *b, const uint32_t *sizes, uint32_t n, double *medians,
                      uint32_t *proven)
{
  const uint32_t none = 0, one = 1;
  uint32_t all[ROUNDS_MAX], cycles[ROUNDS_MAX] = {0}, rounds = 0;
  double median;
  int status;

  for (uint32_t i = 0; i < EMPTY; i++)
    all[rounds++] = 0;
  for (uint32_t i = 0; i < SINGLES; i++)
    all[rounds++] = 1;
  for (uint32_t r = 0; r < GRID_REPEATS; r++)
    for (uint32_t i = 0; i < n; i++)
      all[rounds++] = sizes[i];
  b->overhead = 0;
  status = run_rounds(b, all, rounds, cycles);
  if (status)
    return status;
  find_medians(b, cycles, &none, 1, EMPTY, &median);
  b->overhead = median;
  find_latency(b, cycles + EMPTY);
  find_medians(b, cycles + EMPTY, &one, 1, SINGLES, &median);
  find_medians(b, cycles + EMPTY + SINGLES, sizes, n, GRID_REPEATS, medians);
  *proven = find_proven(b, cycles + EMPTY + SINGLES, all + EMPTY + SINGLES, GRID_REPEATS * n);
  return 0;
}

/* About GRID numbers up to `all`, with equal ratios. */
static uint32_t choose_grid(uint32_t all, uint32_t *sizes)
{
  uint32_t n = 0;

  for (uint32_t size = 1; size <= all && n < GRID;) {
    const uint32_t next = all > GRID ? (uint32_t)(size * GRID_RATIO) : size;

    sizes[n++] = size;
    size = size < all && next > all ? all : next > size ? next : size + 1;
  }
  return n;
}

/* At most FINE numbers between two others. */
static uint32_t choose_fine(uint32_t low, uint32_t high, uint32_t *sizes)
{
  const uint32_t between = high - low - 1, n = between < FINE ? between : FINE;

  for (uint32_t i = 0; i < n; i++)
    sizes[i] = low + 1 + i * between / n;
  return n;
}

/* Less than a batch takes in which a load waits for the fastest of the others, and more than one in
 * which none waits. */
static double two_latencies(const struct batches *b)
{
  return (b->most + b->least + b->middle) / 2;
}

/* A range of numbers of lines, and the times of their batches: low has places for all. */
struct range {
  uint32_t low, high;
  double low_cycles, high_cycles;
};

/* Makes the range smaller: the times of batches of these sizes, which are inside the range. */
static void narrow(const struct batches *b, const uint32_t *sizes, const double *cycles, uint32_t n,
                   struct range *range)
{
  uint32_t at = 0;

  /* one outlier does not count */
  while (at < n &&
         (cycles[at] < two_latencies(b) || (at + 1 < n && cycles[at + 1] < two_latencies(b))))
    at++;
  if (at > 0) {
    range->low = sizes[at - 1];
    range->low_cycles = cycles[at - 1];
  }
  if (at < n) {
    range->high = sizes[at];
    range->high_cycles = cycles[at];
  }
}

/* Searches for the first number of lines, up to `all`, that takes as long as two latencies. */
static int search(struct batches *b, uint32_t all, struct outcome *outcome)
{
  struct range range = {.high = all + 1};
  uint32_t sizes[GRID], n = choose_grid(all, sizes), before = 0;
  double cycles[GRID];
  int status = time_first(b, sizes, n, cycles, &outcome->lines);

  if (status || !(b->least > 0) || b->most > SPREAD_MAX * (b->least + b->middle)) {
    outcome->lines = 0;
    return status;
  }
  outcome->tried = true;
  narrow(b, sizes, cycles, n, &range);
  /* if the time grows evenly, a limit would not show */
  while (!status && range.high <= all && range.high - range.low > 1 &&
         range.high - range.low != before &&
         range.high_cycles - range.low_cycles > STEP * b->least) {
    before = range.high - range.low;
    n = choose_fine(range.low, range.high, sizes);
    status = time_batches(b, sizes, n, FINE_REPEATS, cycles);
    if (!status)
      narrow(b, sizes, cycles, n, &range);
  }
  if (status || range.high > all || range.high - range.low > 1 || !range.low)
    return status;
  status = time_batches(b, (uint32_t[]){range.low, range.high}, 2, LAST_REPEATS, cycles);
  if (!status && cycles[0] < two_latencies(b) && cycles[1] - cycles[0] >= STEP * b->least) {
    outcome->limit = true;
    outcome->lines = range.low;
  }
  return status;
}

/* What all SMs show: how many outcomes there are, and how many of them have the same limit. */
struct votes {
  uint32_t all, same, limit;
  uint32_t at_least;
};

/* An outcome without a limit is a vote against limits below its number of lines only. */
static void count_for(const struct outcome outcomes[LEVELS][SMS], uint32_t limit,
                      struct votes *votes)
{
  struct votes these = {.limit = limit, .at_least = votes->at_least};

  for (int level = 0; level < LEVELS; level++)
    for (uint32_t i = 0; i < SMS; i++) {
      const struct outcome *o = &outcomes[level][i];

      these.same += o->limit && o->lines == limit;
      these.all += o->limit || (o->tried && o->lines > limit);
    }
  if (these.same > votes->same)
    *votes = these;
}

static struct votes count_votes(const struct outcome outcomes[LEVELS][SMS])
{
  struct votes votes = {0};

  for (int level = 0; level < LEVELS; level++) {
    double lines[SMS], median;

    for (uint32_t i = 0; i < SMS; i++)
      lines[i] = outcomes[level][i].lines;
    median = gc_median(lines, SMS);
    /* latencies of L2 vary less than those of memory, so this repeats better */
    votes.at_least = votes.at_least ? votes.at_least : (uint32_t)median;
  }
  for (int level = 0; level < LEVELS; level++)
    for (uint32_t i = 0; i < SMS; i++)
      if (outcomes[level][i].limit)
        count_for(outcomes, outcomes[level][i].lines, &votes);
  return votes;
}

/* Measures blocks of so many warps. */
static int find(struct gc_measurement *m, uint32_t warps, struct votes *votes)
{
  const struct gc_results *results = m->results;
  const bool no_l2 = results->l2_lost || m->bench.properties.l2_bytes < LEAST_L2;
  struct outcome outcomes[LEVELS][SMS] = {0};
  int status = gc_number_sms(m);

  for (int level = no_l2 ? IN_MEMORY : IN_L2; level < LEVELS && !status; level++) {
    struct batches b = {.m = m,
                        .level = (enum level)level,
                        .warps = warps,
                        .stride = gc_batches_stride(results),
                        .cold = UINT64_MAX / 2};

    for (uint32_t i = 0; i < SMS && results->sm_count && !status; i++) {
      b.sm = results->sm_number[i * results->sm_count / SMS];
      status = search(&b, warps * GPU_BATCH_LOADS, &outcomes[level][i]);
    }
  }
  *votes = count_votes(outcomes);
  return status;
}

/* A lower bound that repeats. */
static uint64_t rounded(uint32_t at_least)
{
  uint64_t power = 1;

  while (ROUNDING * power <= at_least)
    power *= ROUNDING;
  return at_least ? power : 0;
}

static int conclude(struct gc_measured *element, enum gc_property property,
                    const struct votes *votes, uint32_t most, uint64_t *value, uint64_t *at_least)
{
  if (votes->same >= LEAST_VOTES && votes->same >= VOTES_SHARE * votes->all &&
      votes->limit < most) {
    *value = votes->limit;
    return gc_set_measured(element, property, gc_vote_confidence(votes->same, votes->all));
  }
  *at_least = rounded(votes->at_least);
  return gc_set_absent(element, property,
                       !votes->at_least ? "the latencies of single loads differ too much"
                       : votes->at_least >= most
                           ? "no limit shows up to the most lines that were tried"
                           : "an SM requests lines too slowly to reach a limit");
}

int gc_step_outstanding_warp(struct gc_measurement *m, struct gc_measured *element)
{
  struct votes votes = {0};
  const int status = find(m, 1, &votes);

  return status ? status
                : conclude(element, GC_OUTSTANDING_PER_WARP, &votes, GPU_BATCH_LOADS,
                           &element->outstanding_per_warp, &element->outstanding_per_warp_at_least);
}

int gc_step_outstanding_sm(struct gc_measurement *m, struct gc_measured *element)
{
  const uint32_t possible = m->bench.properties.threads_per_block / m->bench.properties.warp;
  const uint32_t warps = possible < MOST_WARPS ? possible : MOST_WARPS;
  const uint32_t each = gc_found(element, GC_OUTSTANDING_PER_WARP)
                            ? (uint32_t)element->outstanding_per_warp
                            : (uint32_t)element->outstanding_per_warp_at_least;
  struct votes votes = {0};
  const int status = find(m, warps, &votes);

  /* no more is seen than all its warps together can wait for, or than it is known that they can */
  return status ? status
                : conclude(element, GC_OUTSTANDING_PER_SM, &votes, warps * each,
                           &element->outstanding_per_sm, &element->outstanding_per_sm_at_least);
}
