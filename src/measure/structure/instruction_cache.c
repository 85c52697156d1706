/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The instruction cache. Code of many sizes is executed in loops, and the time of a jump shows
 * whether the code fits. The jumps of one kernel stay near, so that the code of every size is
 * contiguous, whatever is prefetched; it shows the capacity. Each jump of the other kernel goes
 * beyond what is prefetched; it shows what a fetch from the next level costs. doc/methods.md,
 * "Instruction cache".
 */
#include "measure/structure/structure.h"
#include "measure/walk/vote.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define UNIT (4096 / GPU_JUMPS_BYTES) /* blocks, in the search */
#define SIZES_MAX 64
#define SEARCH_FIRST 8 /* sizes in the first launch of the search */
#define SEARCH_MORE 4  /* sizes in each further launch: large ones take long */
#define SMS_MAX 12 /* SMs whose times are read */
#define SMS 8      /* SMs that take part, about */
#define SLOTS 64   /* results of SMs that are downloaded */
#define PASSES 3   /* the last one is timed */
#define ROUNDS 2   /* of the fine search */

#define RISE 1.025       /* a jump takes so much longer if the code does not fit */
#define RISE_LEAST 1.005 /* ... or so much longer, next to the capacity, */
#define NOISE 5          /* ... and by so many standard deviations of sizes that fit */
#define SAME 0.01        /* relative difference of capacities that are the same */
#define FITTING 2        /* least number of sizes that fit */
#define LONGER 2         /* sizes that must be slower behind the first slow one */
/* The times of sizes in these shares of the capacity are those of hits and of misses. */
#define HITS_FROM 0.55
#define HITS_TO 0.95
#define MISSES_FROM 2.9
#define MISSES_TO 3.4
#define LEVEL 4 /* so many sizes each */
#define PENALTY_ROUNDS 4
#define SPREAD 0.06 /* relative difference of penalties that are the same */
#define FLAT 0.05   /* share of the penalty by which times of hits, or of misses, may differ */

/* Times of sizes on several SMs. */
struct sweep {
  enum gc_kernel kernel;
  size_t count, sms;
  uint32_t sizes[SIZES_MAX];         /* ascending */
  double cycles[SMS_MAX][SIZES_MAX]; /* of a jump */
};

static void add_size(struct sweep *sweep, uint32_t blocks, uint32_t most)
{
  if (sweep->count < SIZES_MAX && blocks <= most &&
      (!sweep->count || blocks > sweep->sizes[sweep->count - 1]))
    sweep->sizes[sweep->count++] = blocks;
}

/* Times the sizes from `from` on. Another `round` takes other SMs, if there are enough. */
static int run(struct gc_measurement *m, struct sweep *sweep, size_t from, uint32_t round)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t count = (uint32_t)(sweep->count - from), sms = bench->properties.sms;
  const uint32_t every = sms > SMS ? sms / SMS : 1;
  uint32_t took[SLOTS * SIZES_MAX];
  const size_t bytes = SLOTS * count * sizeof(*took);
  const struct gpu_jumps_args args = {.sizes = bench->scratch,
                                      .cycles = gc_scratch_trace(bench),
                                      .count = count,
                                      .passes = PASSES,
                                      .every = every,
                                      .from = 3 * round % every};
  int status = bench->ops->upload(bench->device, args.sizes, sweep->sizes + from,
                                  count * sizeof(*sweep->sizes), bench->err);

  if (status || (status = bench->ops->clear(bench->device, args.cycles, bytes, bench->err)) ||
      (status = gc_bench_launch(bench, sweep->kernel, sms, bench->properties.warp, 0, &args)) ||
      (status = bench->ops->download(bench->device, took, args.cycles, bytes, bench->err)))
    return status;
  sweep->sms = 0;
  if (!from)
    memset(sweep->cycles, 0, sizeof(sweep->cycles));
  for (size_t slot = 0; slot < SLOTS && sweep->sms < SMS_MAX; slot++) {
    if (!took[slot * count]) /* no block ran on this SM */
      continue;
    for (uint32_t i = 0; i < count; i++)
      sweep->cycles[sweep->sms][from + i] = (double)took[slot * count + i] / sweep->sizes[from + i];
    sweep->sms++;
  }
  return sweep->sms ? 0 : gc_fail(bench->err, -EIO, "no SM executed the jumps");
}

static void log_raw(const struct gc_measurement *m, const struct sweep *sweep)
{
  for (size_t sm = 0; sm < SMS_MAX; sm++)
    for (size_t i = 0; i < sweep->count; i++)
      if (sweep->cycles[sm][i] > 0)
        gc_raw_row(m->bench.raw, "bytes\tcycles\tSM",
                   (double[]){(double)sweep->sizes[i] * GPU_JUMPS_BYTES, sweep->cycles[sm][i],
                              (double)sm});
}

/* The time of a size over all SMs that executed it: the launches of a search may reach different
 * ones. */
static double time_of(const struct sweep *sweep, size_t i)
{
  double all[SMS_MAX];
  size_t n = 0;

  for (size_t sm = 0; sm < SMS_MAX; sm++)
    if (sweep->cycles[sm][i] > 0)
      all[n++] = sweep->cycles[sm][i];
  return gc_median(all, n);
}

/* The first size from which on all sizes take longer than the fastest one before them; `count` if
 * there is none. */
static size_t find_rise(const struct sweep *sweep)
{
  size_t rise = sweep->count;
  double fastest = INFINITY;

  for (size_t i = 0; i < sweep->count; i++) {
    const double time = time_of(sweep, i);

    if (time < RISE * fastest)
      rise = sweep->count;
    else if (rise == sweep->count)
      rise = i;
    fastest = fmin(fastest, time);
  }
  return rise + LONGER < sweep->count ? rise : sweep->count;
}

/* Sizes in ascending order, and more and more coarsely, until a rise is clear. */
static int search(struct gc_measurement *m, struct sweep *sweep, size_t *rise)
{
  static const uint32_t units[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                   18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48};
  const size_t all = sizeof(units) / sizeof(*units);
  int status = 0;

  *rise = 0;
  for (size_t i = 0; i < all && !status && *rise == sweep->count;) {
    const size_t from = sweep->count;

    for (const size_t end = i + (i ? SEARCH_MORE : SEARCH_FIRST); i < end; i++)
      add_size(sweep, units[i] * UNIT, GPU_JUMPS_NEAR);
    if (!(status = run(m, sweep, from, 0)))
      *rise = find_rise(sweep);
  }
  return status;
}

/* The largest size on this SM that is not slower than small ones; 0: unclear. */
static uint32_t find_edge(const struct sweep *sweep, size_t sm, uint32_t fits)
{
  double times[SIZES_MAX], base, limit;
  size_t n = 0, edge = sweep->count;

  while (n < sweep->count && sweep->sizes[n] <= fits)
    n++;
  if (n < 3)
    return 0;
  memcpy(times, sweep->cycles[sm], n * sizeof(*times));
  base = gc_median(times, n);
  limit = base + fmax(NOISE * gc_robust_sigma(times, n, base), (RISE_LEAST - 1) * base);
  while (edge && sweep->cycles[sm][edge - 1] > limit)
    edge--;
  return edge && edge < sweep->count ? sweep->sizes[edge - 1] : 0;
}

/* Sizes around the capacity, which is between two sizes of the search. */
static void choose_fine(struct sweep *fine, uint32_t fits, uint32_t exceeds)
{
  const uint32_t gap = exceeds - fits, step = gap / 16 > 1 ? gap / 16 : 1;

  for (uint32_t blocks = fits > 2 * gap ? fits - gap : fits - gap / 2; blocks <= exceeds + gap / 4;
       blocks += step)
    add_size(fine, blocks, GPU_JUMPS_NEAR);
}

static int report(struct gc_measured *element, double *edges, size_t n)
{
  double median;
  uint64_t agree = 0;

  if (!n)
    return gc_set_absent(element, GC_CAPACITY, "where jumps become slower is unclear");
  median = gc_median(edges, n);
  for (size_t i = 0; i < n; i++)
    agree += fabs(edges[i] - median) <= SAME * median + 1;
  element->capacity_bytes = (uint64_t)(median + 0.5) * GPU_JUMPS_BYTES;
  return gc_set_measured(element, GC_CAPACITY, gc_vote_confidence(agree, n));
}

static int refine(struct gc_measurement *m, struct gc_measured *element, uint32_t fits,
                  uint32_t exceeds)
{
  double edges[ROUNDS * SMS_MAX];
  size_t n = 0, unclear = 0;

  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct sweep fine = {.kernel = GC_KERNEL_jumps_near};
    int status;

    choose_fine(&fine, fits, exceeds);
    if ((status = run(m, &fine, 0, round)))
      return status;
    log_raw(m, &fine);
    for (size_t sm = 0; sm < fine.sms; sm++) {
      const uint32_t edge = find_edge(&fine, sm, fits - (exceeds - fits) / 4);

      if (edge)
        edges[n++] = edge;
      else
        unclear++;
    }
  }
  return report(element, edges, n > unclear ? n : 0);
}

/* No jump near took longer. If jumps far do not either, all the code fits. */
static int put_bound(struct gc_measurement *m, struct gc_measured *element)
{
  struct sweep far = {.kernel = GC_KERNEL_jumps_far};
  int status;

  add_size(&far, GPU_JUMPS_FAR / 8, GPU_JUMPS_FAR);
  add_size(&far, GPU_JUMPS_FAR / 4, GPU_JUMPS_FAR);
  add_size(&far, GPU_JUMPS_FAR, GPU_JUMPS_FAR);
  if ((status = run(m, &far, 0, 0)))
    return status;
  log_raw(m, &far);
  if (time_of(&far, 2) > RISE * fmin(time_of(&far, 0), time_of(&far, 1)))
    return gc_set_absent(element, GC_CAPACITY, "where jumps become slower is unclear");
  element->capacity_at_least_bytes = (uint64_t)GPU_JUMPS_NEAR * GPU_JUMPS_BYTES;
  return gc_set_absent(element, GC_CAPACITY, "no jump is slower in the largest code");
}

int gc_step_instruction_capacity(struct gc_measurement *m, struct gc_measured *element)
{
  struct sweep sweep = {.kernel = GC_KERNEL_jumps_near};
  size_t rise;
  int status = search(m, &sweep, &rise);

  if (status == -ENOTSUP)
    return gc_set_absent(element, GC_CAPACITY,
                         "there is no machine code of known length for this GPU");
  if (status)
    return status;
  log_raw(m, &sweep);
  if (rise == sweep.count)
    return put_bound(m, element);
  if (rise < FITTING)
    return gc_set_absent(element, GC_CAPACITY, "jumps are slow already in the smallest code");
  return refine(m, element, sweep.sizes[rise - 1], sweep.sizes[rise]);
}

/* --- what a miss costs ----------------------------------------------------------------------- */

static void add_share(struct sweep *sweep, double capacity, double from, double to)
{
  for (int i = 0; i < LEVEL; i++)
    add_size(sweep, (uint32_t)(capacity * (from + (to - from) * i / (LEVEL - 1))), GPU_JUMPS_FAR);
}

/* The time of the four sizes from the first one on, on an SM. */
static double level(const struct sweep *sweep, size_t sm, size_t first)
{
  double times[LEVEL];

  memcpy(times, sweep->cycles[sm] + first, sizeof(times));
  return gc_median(times, LEVEL);
}

/* Whether these sizes take about the same time. */
static bool is_flat(const struct sweep *sweep, size_t first, double allowed)
{
  double least = INFINITY, most = 0;

  for (size_t i = first; i < first + LEVEL; i++) {
    least = fmin(least, time_of(sweep, i));
    most = fmax(most, time_of(sweep, i));
  }
  return most - least <= allowed;
}

/* What misses cost on each SM. *flat: whether times of hits, and of misses, are alike. */
static int find_penalties(struct gc_measurement *m, struct sweep *sweep, double *penalties,
                          size_t *n, bool *flat)
{
  *n = 0;
  *flat = true;
  for (uint32_t round = 0; round < PENALTY_ROUNDS; round++) {
    const int status = run(m, sweep, 0, round);
    double allowed;

    if (status)
      return status;
    log_raw(m, sweep);
    for (size_t sm = 0; sm < sweep->sms; sm++)
      penalties[(*n)++] = level(sweep, sm, LEVEL) - level(sweep, sm, 0);
    allowed = FLAT * (time_of(sweep, LEVEL) - time_of(sweep, 0));
    *flat &= is_flat(sweep, 0, allowed) && is_flat(sweep, LEVEL, allowed);
  }
  return 0;
}

/* Why the code that misses this cache may miss the next one, too, which is often the constant L1.5.
 * NULL: it does not, or the user asked for no constants. */
static const char *beyond_next(const struct gc_measurement *m, double capacity)
{
  const struct gc_measured *next = &m->results->element[GC_CONSTANT_L15];
  const double code = MISSES_TO * capacity * GPU_JUMPS_BYTES;

  if (!next->tried || (gc_capacity(next) && (double)gc_capacity(next) >= code))
    return NULL;
  return gc_capacity(next) ? "the constant L1.5, which may be the next level, cannot hold the code"
                           : "the capacity of the constant L1.5, which may be the next level, is "
                             "not known";
}

int gc_step_instruction_penalty(struct gc_measurement *m, struct gc_measured *element)
{
  const double capacity = (double)gc_capacity(element) / GPU_JUMPS_BYTES;
  struct sweep sweep = {.kernel = GC_KERNEL_jumps_far};
  double penalties[PENALTY_ROUNDS * SMS_MAX], median;
  const char *why;
  bool flat;
  size_t n;
  int status;

  if (!(capacity > 0) || element->found[GC_CAPACITY].confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_MISS_PENALTY, "its capacity is not known");
  if ((why = beyond_next(m, capacity)))
    return gc_set_absent(element, GC_MISS_PENALTY, why);
  add_share(&sweep, capacity, HITS_FROM, HITS_TO);
  add_share(&sweep, capacity, MISSES_FROM, MISSES_TO);
  if (sweep.count < 2 * LEVEL)
    return gc_set_absent(element, GC_MISS_PENALTY, "there is not enough code to miss it always");
  if ((status = find_penalties(m, &sweep, penalties, &n, &flat)))
    return status;
  if (!flat)
    return gc_set_absent(element, GC_MISS_PENALTY,
                         "jumps do not take the same time in code of similar sizes");
  median = gc_median(penalties, n);
  return gc_set_miss_penalty(element, median,
                             gc_median_confidence(penalties, n, median, fmax(1, SPREAD * median)));
}

/* --- is it the constant L1.5? ---------------------------------------------------------------- */

int gc_step_instruction_sharing(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_measured *constants = &m->results->element[GC_CONSTANT_L15];
  const double own = (double)gc_capacity(element), theirs = (double)gc_capacity(constants);
  double confidence;

  if (!gc_found(constants, GC_SHARED_WITH) || !(own > 0) || !(theirs > 0))
    return gc_set_absent(element, GC_SHARED_WITH,
                         "this needs both capacities, and whether the constant L1.5 holds code");
  confidence =
      fmin(fmin(element->found[GC_CAPACITY].confidence, constants->found[GC_CAPACITY].confidence),
           constants->found[GC_SHARED_WITH].confidence);
  if (constants->shared_with && own > 0.9 * theirs && own < 1.1 * theirs)
    element->shared_with = 1u << GC_CONSTANT_L15;
  return gc_set_measured(element, GC_SHARED_WITH, confidence);
}
