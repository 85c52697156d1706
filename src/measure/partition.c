/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitions of L2: how many, which SMs are near to which, what near and far cost. A partition keeps a
 * copy of every line that its SMs read, whichever partition the line belongs to. So let one SM, the
 * reader, read lines that were in no cache; then time each line once, every SM those of its own. SMs on
 * the reader's side find all of them near; to the others those lines are far that do not belong to their
 * own partition, on an H200 half of them, at 1.7 times the latency and nothing in between.
 *
 * Who is near to whom must not depend on the reader: readers are tried until every SM is near to one, then
 * one more of each group, and all must tell the same. Where latencies do not fall in two groups there is
 * one partition, if it also makes no difference to any SM who read the lines before it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 128
#define LOADS 64
#define LOADS_MIN 24
#define GROUPS_MAX 4
#define READERS_MAX (2 * GROUPS_MAX)
#define GAP 0.1         /* far is slower than near by this share of it, at least */
#define OUTLIERS 0.05   /* share of loads that may be slow for other reasons */
#define FAR_SHARE 0.2   /* of an SM's loads; on the near side none are, on a far one half or more */
#define AGREEMENT 0.98  /* of all readers and SMs */
#define SHIFT 0.04      /* by which an SM's mean may depend on the reader by chance; a gap makes it GAP / 2 */
#define TOLERANCE 0.02

struct search {
  struct gc_bench *bench;
  uint32_t sms, loads;
  uint64_t slots, scatter;       /* of one reader's lines */
  uint32_t readers[READERS_MAX];
  size_t count;
  uint32_t *trace;               /* [sms * loads], by block */
  uint64_t *starts;
  double *seen;                  /* [READERS_MAX][sms][loads], cycles, by SM, ascending */
  double *base;                  /* [sms]: a fast load of this SM; where an SM sits makes a difference */
  double *scratch;               /* [READERS_MAX * sms * loads] */
  int *group;                    /* [sms] */
  int groups;
  double threshold;              /* cycles above the base from which a load is slow */
  double confidence;
  const char *absent;            /* why nothing is told; NULL: all is well */
};

static double *loads_of(const struct search *s, size_t reader, uint32_t sm)
{
  return s->seen + (reader * s->sms + sm) * s->loads;
}

static double mean(const double *values, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += values[i];
  return sum / (double)n;
}

/* An SM's loads without the fastest and slowest twentieth: outliers say nothing about partitions. */
static const double *usual_loads(const struct search *s, size_t reader, uint32_t sm, size_t *n)
{
  *n = s->loads - 2 * (s->loads / 20);
  return loads_of(s, reader, sm) + s->loads / 20;
}

static double usual_mean(const struct search *s, size_t reader, uint32_t sm)
{
  size_t n;
  const double *loads = usual_loads(s, reader, sm, &n);

  return mean(loads, n);
}

static uint32_t slow_loads(const struct search *s, size_t reader, uint32_t sm)
{
  const double *loads = loads_of(s, reader, sm);
  uint32_t slow = 0;

  for (uint32_t i = 0; i < s->loads; i++)
    slow += loads[i] - s->base[sm] > s->threshold;
  return slow;
}

static bool is_far(const struct search *s, size_t reader, uint32_t sm)
{
  return slow_loads(s, reader, sm) > FAR_SHARE * s->loads;
}

/* The lines of each reader are its own, laid as a ring in scattered order; then nothing of them is left
 * in L2. */
static int lay(struct search *s)
{
  struct gc_bench *bench = s->bench;
  const uint64_t bytes = s->slots * LINE, used = READERS_MAX * bytes;
  struct gpu_fill_args ring = {.count = s->slots, .stride = LINE, .multiplier = s->scatter, .step = LINE,
                               .slot_bytes = 8};
  const struct gpu_touch_args evict = {
    .base = bench->arena + used, .bytes = 2 * bench->properties.l2_bytes, .stride = LINE,
    .sink = bench->scratch, .passes = 1, .only_sm = GPU_ANY_SM};

  for (size_t reader = 0; reader < READERS_MAX; reader++) {
    int status;

    ring.base = ring.first = bench->arena + reader * bytes;
    status = gc_bench_launch(bench, GC_KERNEL_fill, s->sms, 256, 0, &ring, sizeof(ring));
    if (status)
      return status;
  }
  return gc_bench_launch(bench, GC_KERNEL_touch, s->sms, bench->properties.threads_per_block, 0, &evict,
                         sizeof(evict));
}

/* This SM reads all lines of the next region; then every SM times its own part of them. */
static int observe(struct search *s, uint32_t reader)
{
  struct gc_bench *bench = s->bench;
  const uint64_t bytes = s->slots * LINE, offset = s->count * bytes;
  int status = gc_bench_touch(bench, offset, bytes, 1, reader);

  for (uint64_t i = 0; i < s->sms; i++)
    s->starts[i] = bench->arena + offset + i * s->loads * s->scatter % s->slots * LINE;
  if (!status)
    status = gc_bench_trace(bench, gc_path_of(GC_L2), s->starts, s->sms, 0, s->loads, s->trace);
  if (status)
    return status;
  for (uint32_t sm = 0; sm < s->sms; sm++)
    *loads_of(s, s->count, sm) = -1;
  for (uint32_t i = 0; i < s->sms; i++)
    if (bench->results[i].sm < s->sms)
      for (uint32_t k = 0; k < s->loads; k++)
        loads_of(s, s->count, bench->results[i].sm)[k] =
          s->trace[i * s->loads + k] - bench->window_cycles;
  for (uint32_t sm = 0; sm < s->sms; sm++) {
    if (*loads_of(s, s->count, sm) < 0)
      s->absent = "the blocks of a launch did not spread over all SMs";
    gc_sort(loads_of(s, s->count, sm), s->loads);
  }
  s->readers[s->count++] = reader;
  return 0;
}

/* Do the latencies after the first reader fall in two groups? Sets base and threshold. */
static bool splits(struct search *s)
{
  size_t n = (size_t)s->sms * s->loads;
  const size_t enough = n - (size_t)(OUTLIERS * (double)n);
  struct gc_split split;
  double fast;

  for (uint32_t sm = 0; sm < s->sms; sm++) {
    s->base[sm] = loads_of(s, 0, sm)[s->loads / 10];
    for (uint32_t k = 0; k < s->loads; k++)
      s->scratch[(size_t)sm * s->loads + k] = loads_of(s, 0, sm)[k] - s->base[sm];
  }
  /* outliers are a group of their own, far from all others; what remains without them counts */
  gc_split_find(s->scratch, n, &split);
  while (split.share > 0 && (double)n * (1 - split.share) >= (double)enough) {
    n -= (size_t)((double)n * split.share + 0.5);
    gc_split_find(s->scratch, n, &split);
  }
  fast = mean(s->base, s->sms);
  s->threshold = split.threshold;
  return split.empty && split.high - split.low > GAP * fast;
}

/* Readers until every SM is near to one. False: there is no order in it. */
static int find_groups(struct search *s, bool *found)
{
  int status = 0;

  *found = false;
  for (;;) {
    const size_t last = s->count - 1;
    uint32_t next = UINT32_MAX;

    if (is_far(s, last, s->readers[last]))
      return 0;
    for (uint32_t sm = 0; sm < s->sms; sm++) {
      if (s->group[sm] < 0 && !is_far(s, last, sm))
        s->group[sm] = s->groups;
      if (s->group[sm] < 0 && next == UINT32_MAX)
        next = sm;
    }
    s->groups++;
    if (next == UINT32_MAX)
      break;
    if (s->groups == GROUPS_MAX)
      return 0;
    if ((status = observe(s, next)))
      return status;
  }
  *found = s->groups > 1;
  return 0;
}

/* One more reader of each group: the last of its SMs. */
static int observe_others(struct search *s)
{
  for (int group = 0; group < s->groups; group++) {
    uint32_t other = s->sms;
    int status;

    while (other > 0 && s->group[--other] != group)
      continue;
    if ((status = observe(s, other)))
      return status;
  }
  return 0;
}

/* Whether an SM is near to a reader is told by their groups. All SMs' groups at once are right with the
 * product of their probabilities, each by the number of its slow loads after every reader. */
static void check_groups(struct search *s)
{
  double slow[2] = {0.5, 0.5}, loads[2] = {1, 1}, right = 0;

  for (size_t r = 0; r < s->count; r++)
    for (uint32_t sm = 0; sm < s->sms; sm++) {
      const int far = s->group[sm] != s->group[s->readers[r]];

      right += is_far(s, r, sm) == far;
      slow[far] += slow_loads(s, r, sm);
      loads[far] += s->loads;
    }
  if (right < AGREEMENT * (double)(s->count * s->sms)) {
    s->absent = "which SMs find lines near is not the same for all lines";
    return;
  }
  s->confidence = 1;
  for (uint32_t sm = 0; sm < s->sms; sm++) {
    double log_odds = 0, others = 0;

    for (int group = 0; group < s->groups; group++) {
      log_odds = 0;
      for (size_t r = 0; r < s->count; r++) {
        const int mine = s->group[sm] != s->group[s->readers[r]];
        const int far = group != s->group[s->readers[r]];
        /* a share of 2 % for the unexpected, so that nothing is impossible */
        const double p = 0.02 + 0.96 * slow[far] / loads[far], q = 0.02 + 0.96 * slow[mine] / loads[mine];
        const double n = slow_loads(s, r, sm);

        log_odds += n * log(p / q) + (s->loads - n) * log((1 - p) / (1 - q));
      }
      if (group != s->group[sm])
        others += exp(log_odds);
    }
    s->confidence /= 1 + others;
  }
}

/* Is the mean of an SM's latencies another after another reader? The second reader is the SM that was
 * slowest after the first: if there are partitions, it is on the other side. */
static int find_shift(struct search *s, double *shift, double *chance)
{
  double *shifts = s->scratch, *errors = s->scratch + s->sms, fast;
  const size_t last = s->count; /* lines that nobody has read yet */
  uint32_t slowest = 0;
  int status;

  for (uint32_t sm = 1; sm < s->sms; sm++)
    if (usual_mean(s, 0, sm) > usual_mean(s, 0, slowest))
      slowest = sm;
  if ((status = observe(s, slowest)))
    return status;
  fast = mean(s->base, s->sms);
  for (uint32_t sm = 0; sm < s->sms; sm++) {
    double error = 0;
    size_t n = 0;

    for (size_t r = 0; r <= last; r += last) {
      const double *loads = usual_loads(s, r, sm, &n), middle = mean(loads, n);

      for (size_t k = 0; k < n; k++)
        error += (loads[k] - middle) * (loads[k] - middle);
    }
    shifts[sm] = fabs(usual_mean(s, last, sm) - usual_mean(s, 0, sm)) / fast;
    errors[sm] = sqrt(error) / (double)n / fast;
  }
  *shift = gc_median(shifts, s->sms);
  *chance = gc_median(errors, s->sms);
  return 0;
}

static int check_one(struct search *s, bool split)
{
  double shift, chance;
  int status = find_shift(s, &shift, &chance);

  if (status || s->absent)
    return status;
  s->groups = 1;
  if (shift > SHIFT || chance > SHIFT / 2)
    s->absent = "latencies are too uncertain to tell near from far";
  else if (split)
    s->absent = "lines differ in latency, but not by who read them before";
  /* how likely half a gap would have shown in an SM that is as uncertain as the median one */
  s->confidence = 1 - erfc((GAP / 2 - shift) / chance / sqrt(2)) / 2;
  return 0;
}

static int put_side(struct search *s, struct gc_element *element, bool far)
{
  struct gc_latency latency;
  size_t n = 0;

  /* the median of each SM, then of all SMs */
  for (uint32_t sm = 0; sm < s->sms; sm++) {
    double *of_sm = s->scratch + s->sms;
    size_t m = 0;

    for (size_t r = 0; r < s->count; r++)
      for (uint32_t k = 0; k < s->loads; k++) {
        const double cycles = loads_of(s, r, sm)[k];

        if (far == (s->group[sm] != s->group[s->readers[r]]) &&
            (!far || cycles - s->base[sm] > s->threshold))
          of_sm[m++] = cycles;
      }
    if (m)
      s->scratch[n++] = gc_median(of_sm, m);
  }
  latency.cycles = gc_median(s->scratch, n);
  latency.confidence =
    s->confidence * gc_median_confidence(s->scratch, n, latency.cycles, TOLERANCE * latency.cycles);
  return gc_put_latency_as(s->bench, element, far ? "Far" : "Near", &latency);
}

static int put_absent(struct gc_element *element, const char *why)
{
  int status = gc_put_absent(element, HWLOC_GPUCACHE_PARTITIONS, why);

  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_NEAR_LATENCY, why);
  return status ? status : gc_put_absent(element, HWLOC_GPUCACHE_FAR_LATENCY, why);
}

static int put(struct search *s, struct gc_element *element)
{
  char sms[16 * GROUPS_MAX] = "";
  int status;

  if (s->absent)
    return put_absent(element, s->absent);
  for (int group = 0; group < s->groups; group++) {
    uint32_t n = 0;

    for (uint32_t sm = 0; sm < s->sms; sm++)
      n += s->groups == 1 || s->group[sm] == group;
    snprintf(sms + strlen(sms), sizeof(sms) - strlen(sms), "%s%u", group ? "," : "", n);
  }
  if ((status = gc_put_measured(element, HWLOC_GPUCACHE_PARTITIONS, HWLOC_GPUCACHE_PARTITIONS,
                                (uint64_t)s->groups, s->confidence)) ||
      (status = gc_put_text(element, HWLOC_GPUCACHE_PARTITION_SMS, sms, s->confidence)))
    return status;
  if (s->groups == 1) /* and nothing is far */
    return 0;
  status = put_side(s, element, false);
  return status ? status : put_side(s, element, true);
}

static int find(struct search *s)
{
  bool found = false, split;
  int status;

  for (uint32_t sm = 0; sm < s->sms; sm++)
    s->group[sm] = -1;
  if ((status = lay(s)) || (status = observe(s, 0)) || s->absent)
    return status;
  split = splits(s);
  if (split && (status = find_groups(s, &found)))
    return status;
  if (s->absent)
    return 0;
  if (!found)
    return check_one(s, split);
  if (!(status = observe_others(s)) && !s->absent)
    check_groups(s);
  return status;
}

int gc_step_partition(struct gc_bench *bench, struct gc_element *element)
{
  const uint64_t l2 = bench->properties.l2_bytes;
  struct search s = {.bench = bench, .sms = bench->properties.sms, .loads = LOADS};
  int status = 0;

  /* a reader's lines take little of a partition, and those of all SMs fit a trace */
  while (s.loads > LOADS_MIN && ((uint64_t)s.sms * s.loads * LINE > l2 / 8 || s.sms * s.loads > GC_TRACE_MAX))
    s.loads--;
  s.slots = (uint64_t)s.sms * s.loads;
  s.scatter = gc_bench_scatter(s.slots);
  if (!l2)
    return put_absent(element, "the driver does not tell the size of the L2");
  if (s.slots * LINE > l2 / 4 || s.slots > GC_TRACE_MAX)
    return put_absent(element, "there are too many SMs for so small an L2");
  if (READERS_MAX * s.slots * LINE + 2 * l2 > bench->arena_bytes)
    return put_absent(element, "too little free device memory");
  s.trace = malloc(s.slots * sizeof(*s.trace));
  s.starts = malloc(s.sms * sizeof(*s.starts));
  s.seen = malloc(READERS_MAX * s.slots * sizeof(*s.seen));
  s.scratch = malloc((READERS_MAX * s.slots + 2 * s.sms) * sizeof(*s.scratch));
  s.base = malloc(s.sms * sizeof(*s.base));
  s.group = malloc(s.sms * sizeof(*s.group));
  if (!s.trace || !s.starts || !s.seen || !s.scratch || !s.base || !s.group)
    status = gc_fail(bench->err, -ENOMEM, "out of memory");
  if (!status)
    status = find(&s);
  if (!status)
    status = put(&s, element);
  free(s.group);
  free(s.base);
  free(s.scratch);
  free(s.seen);
  free(s.starts);
  free(s.trace);
  return status;
}
