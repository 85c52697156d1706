/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What L2 holds in all, whatever an application can count on: it reads much more than the cache
 * holds, so that all of its sets are full, and samples (walk/l2_sample.h) show how much of that it
 * keeps. It needs no capacity, so it also works where misses begin gradually: with scattered pages,
 * or if lines are replaced at random. The census of l2_census.c confirms the capacity of one
 * allocation;
 * this value stands next to the capacity, and only if it is larger or the capacity is absent.
 *
 * Slow loads could also be misses of a TLB, whose number depends on the order of the sample; and an
 * L2 that inserts new lines as the next victims would keep more from round to round. So rounds in
 * both orders, and early and late rounds, must agree. doc/methods.md, "L2 capacity".
 */
#include "measure/census/census.h"
#include "measure/census/probes.h"
#include "measure/walk/l2_sample.h"
#include "measure/walk/path.h"

#include <errno.h>
#include <math.h>

#define LINE 128
#define SPAN 3.0     /* the array, in what the cache holds: sets with few lines are full, too */
#define SPAN_MIN 1.9 /* less is not enough */
#define PROBES 32768 /* timed loads in all rounds, */
#define SAMPLE 8192  /* and in one round */
#define ROUNDS 24
#define ROUNDS_ALONE 96 /* if there is no capacity: more, because this is then the only value */
/* A smaller array, in arrays, which has to fill the cache as well. If it does not, neither does the
 * large one fill all sets. */
#define SMALLER 0.7
#define SMALLER_ROUNDS 8
/* Some hits are slow for other reasons. A small array shows how many: this part of what the cache
 * holds. Even a cache that replaces lines at random keeps nearly all of it. */
#define SMALL (1.0 / 64)
#define SMALL_ROUNDS 8
#define SMALL_LINES 32 /* least lines of that array */
#define FAST_MIN 0.8   /* least share of hits that are fast */
/* One probe per so many lines. A probe that misses may evict a line that another probe would find.
 * A round evicts one in a hundred of what the cache holds at most, or two if its lines have 256
 * bytes; its probes see half of that. */
#define QUIET_LINES 256
#define EVICTED 0.01
#define TOLERANCE 0.03 /* share of the value by which it may be wrong, as the confidence counts */
#define ERRORS 4.0     /* standard errors by which rounds may differ */
#define APART 0.01     /* and this share of what was read */
#define WHOLE_MIN 0.9  /* an L2 in one part holds at least this share of its nominal size */

static const char differ[] =
    "how much L2 keeps depends on the order of loads or on what was before";

static const char not_full[] = "how much L2 keeps depends on how much was read";

static const char overlap[] = "many hits of L2 take as long as misses";

/* Timed loads and slow ones, by order (scattered, ascending) and by time (early, late). */
struct counts {
  double loads[2][2], slow[2][2];
};

struct rounds {
  struct gc_measurement *m;
  struct gc_binning binning;
  struct gc_l2_sampling sampling;
};

/* Whether round i of so many goes through the array in ascending order. Rounds are scattered,
 * scattered, ascending, ascending, and so on; if there are only two, one of each. */
static unsigned is_ascending(unsigned i, unsigned rounds)
{
  return (rounds > 2 ? i / 2 : i) % 2;
}

/* One more round of an array of `lines` lines. The second one of a pair times another part. */
static int count_round(struct rounds *r, uint64_t lines, unsigned i, unsigned rounds,
                       struct gpu_chase_result *seen)
{
  struct gc_run run = {.bytes = lines * LINE};
  int status;

  r->sampling.part = rounds > 2 ? i % 2 : 0;
  r->sampling.which = i / 2;
  r->sampling.ascending = is_ascending(i, rounds);
  if ((status = gc_l2_sample(r->m, &r->sampling, &r->binning, &run)))
    return status;
  gc_raw_runs(r->m->bench.raw, "total", &r->binning, &run, 1);
  *seen = run.seen;
  return 0;
}

/* Reads and samples an array of this size, at most that of the arena, in rounds: until `enough` is
 * true (NULL: never), asked after every four, but no more than `rounds`, a multiple of two. */
static int count(struct rounds *r, double bytes, uint64_t quiet_lines, unsigned rounds,
                 bool (*enough)(const struct gc_census *census, double than), double than,
                 struct counts *c, struct gc_census *census)
{
  const uint64_t lines = (uint64_t)fmin(bytes, (double)r->m->bench.arena_bytes) / LINE;
  const uint64_t most = lines / quiet_lines + 1;
  double loads = 0, slow = 0;

  *c = (struct counts){0};
  r->sampling.loads = most < SAMPLE ? (uint32_t)most : SAMPLE;
  for (unsigned i = 0; i < rounds; i++) {
    struct gpu_chase_result seen;
    const int status = count_round(r, lines, i, rounds, &seen);

    if (status)
      return status;
    c->loads[is_ascending(i, rounds)][i >= rounds / 2] += seen.loads;
    c->slow[is_ascending(i, rounds)][i >= rounds / 2] += seen.slow;
    loads += seen.loads;
    slow += seen.slow;
    *census = (struct gc_census){0};
    gc_sample_conclude((double)(lines * LINE), loads, slow, census);
    if (enough && i % 4 == 3 && enough(census, than))
      break;
  }
  return 0;
}

/* Whether a smaller array keeps as much, without any allowance for chance. */
static bool keeps_as_much(const struct gc_census *smaller, double all)
{
  return all - smaller->bytes <= APART * all;
}

/* Whether nearly all loads of an array that fits are fast. */
static bool nearly_all(const struct gc_census *small, double unused)
{
  (void)unused;
  return small->bytes - ERRORS * small->error > (1 - APART) * small->read;
}

/* Whether two groups of rounds saw the same share of slow loads, as far as chance goes. */
static bool agree(double loads, double slow, double other_loads, double other_slow)
{
  const double p = (slow + other_slow) / (loads + other_loads);
  const double error = sqrt(p * (1 - p) * (1 / loads + 1 / other_loads));

  return fabs(slow / loads - other_slow / other_loads) <= ERRORS * error + APART;
}

static bool rounds_agree(const struct counts *c)
{
  const double(*loads)[2] = c->loads, (*slow)[2] = c->slow;

  return agree(loads[0][0] + loads[0][1], slow[0][0] + slow[0][1], loads[1][0] + loads[1][1],
               slow[1][0] + slow[1][1]) &&
         agree(loads[0][0] + loads[1][0], slow[0][0] + slow[1][0], loads[0][1] + loads[1][1],
               slow[0][1] + slow[1][1]);
}

/* A little more than a hit takes, so that no miss is as fast, raw cycles; 0: not known. */
static uint32_t threshold(const struct gc_measurement *m, const struct gc_measured *l2)
{
  const double between = gc_l2_census_threshold(m), overhead = m->results->overhead.cycles;
  const double hit = gc_found(l2, GC_NEAR_LATENCY) ? l2->near_latency_cycles + overhead
                     : l2->level.hit > 0           ? l2->level.hit
                                                   : l2->latency_cycles + overhead;

  return between > hit ? (uint32_t)((hit + between) / 2) : 0;
}

/* Whether there may be a further part of L2, which no SM of this GPU is near to: lines of it would
 * be counted as well. */
static bool lacks_a_part(const struct gc_measurement *m, const struct gc_measured *l2, double bytes)
{
  return !m->bench.properties.l2_per_xcd && l2->partitions <= 1 &&
         bytes < WHOLE_MIN * (double)m->bench.properties.l2_bytes;
}

static int put(const struct gc_measurement *m, struct gc_measured *element, const struct counts *c,
               const struct gc_census *all, const struct gc_census *smaller,
               const struct gc_census *small)
{
  const double share = small->bytes / small->read; /* of hits that are fast */
  const double bytes = all->bytes / share, capacity = (double)gc_capacity(element);
  const double error = hypot(all->error / share, bytes * small->error / small->bytes);

  if (!(share >= FAST_MIN))
    return gc_set_absent(element, GC_TOTAL, overlap);
  if (!rounds_agree(c))
    return gc_set_absent(element, GC_TOTAL, differ);
  if (all->bytes - smaller->bytes > ERRORS * hypot(all->error, smaller->error) + APART * all->bytes)
    return gc_set_absent(element, GC_TOTAL, not_full);
  if (lacks_a_part(m, element, bytes))
    return gc_set_absent(element, GC_TOTAL, GC_NEAR_UNKNOWN);
  if (bytes * SPAN_MIN > all->read)
    return gc_set_absent(element, GC_TOTAL, "too little more was read than is still there");
  if (bytes < (1 - TOLERANCE) * (double)element->fitting_bytes)
    return gc_set_absent(element, GC_TOTAL, "L2 keeps less of a large array than of one that fits");
  if (bytes > (1 + TOLERANCE) * (double)m->bench.properties.l2_bytes)
    return gc_set_absent(element, GC_TOTAL, "more was found than the interface says that L2 has");
  if (bytes <= (1 + TOLERANCE) * capacity)
    return gc_set_absent(element, GC_TOTAL, "it would be the same as the capacity");
  element->total_bytes = (uint64_t)llround(bytes);
  return gc_set_measured(element, GC_TOTAL, erf((TOLERANCE - EVICTED) * bytes / error / sqrt(2)));
}

uint64_t gc_needs_l2_total(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return (uint64_t)(SPAN_MIN * (double)m->bench.properties.l2_bytes);
}

int gc_step_l2_total(struct gc_measurement *m, struct gc_measured *element)
{
  const double nominal = (double)m->bench.properties.l2_bytes;
  struct rounds r = {.m = m,
                     .binning = {.shift = 3, .threshold = threshold(m, element)},
                     .sampling = {.stride = LINE, .read_stride = element->level.stride}};
  struct gc_census all, smaller, small;
  struct counts counts, unused;
  unsigned rounds;
  int status;

  if (!nominal || !r.binning.threshold)
    return gc_set_absent(element, GC_TOTAL,
                         nominal ? GC_NEAR_UNKNOWN : "the driver does not report a nominal size");
  if (!r.sampling.read_stride)
    r.sampling.read_stride = gc_path_of(GC_L2)->stride;
  /* first a rough count: the array shall be SPAN times as large as what the cache holds */
  status = count(&r, SPAN * nominal, QUIET_LINES, 2, NULL, 0, &counts, &all);
  if (!status && SMALL * all.bytes < SMALL_LINES * LINE)
    return gc_set_absent(element, GC_TOTAL,
                         SMALL * nominal < 2 * SMALL_LINES * LINE ? "L2 is too small for a sample"
                                                                  : overlap);
  if (!status) {
    rounds = (unsigned)fmin(fmax(PROBES / r.sampling.loads, 4),
                            gc_capacity(element) ? ROUNDS : ROUNDS_ALONE);
    /* a multiple of eight: both orders, early and late */
    status = count(&r, fmin(SPAN * all.bytes, all.read), QUIET_LINES, (rounds + 7) / 8 * 8, NULL, 0,
                   &counts, &all);
  }
  if (!status)
    status = count(&r, SMALLER * all.read, QUIET_LINES, SMALLER_ROUNDS, keeps_as_much, all.bytes,
                   &unused, &smaller);
  if (!status)
    status = count(&r, fmax(SMALL * all.bytes, SMALL_LINES * LINE), 1, SMALL_ROUNDS, nearly_all, 0,
                   &unused, &small);
  if (status == -ENOTSUP)
    return gc_set_absent(element, GC_TOTAL, GC_NOT_SAMPLED);
  return status ? status : put(m, element, &counts, &all, &smaller, &small);
}
