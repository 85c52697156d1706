/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which SMs find the same lines near. A partition of L2 keeps a copy of every line that its SMs
 * read. So SMs on the reader's side find all of its lines near. For the other SMs those lines are
 * far that do not belong to their own partition: on an H200 half of the lines, at 1.6 times the
 * latency, with nothing in between. On AMD GPUs far lines are not in the SM's own L2 at all, and a
 * group consists of the CUs with the same L2.
 *
 * The groups must not depend on the reader. So SMs become readers until every SM is near to one
 * reader. Then one more SM of each group becomes a reader, and all readers must give the same
 * groups. If the latencies do not fall in two groups, there is one partition, but only if every SM
 * sees the same latencies whichever SM read the lines. doc/methods.md, "L2 partitions"; Otsu 1979
 * for the split; own method.
 */
#include "measure/topology/partition_groups.h"

#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define READERS 8     /* if the driver's tables state at most one L2 */
#define GAP 0.1       /* far loads are slower than near ones by at least this share */
#define OUTLIERS 0.05 /* share of loads that may be slow for other reasons */
#define CHANCE 4      /* standard deviations by which the spread over SMs may exceed chance */
/* An SM is far if at least this share of its loads is slow; near: almost none, far: half or
 * more. */
#define FAR_SHARE 0.2
#define AGREEMENT 0.98 /* share of all readers and SMs */
/* Change of an SM's mean that chance explains; far lines change it by about GAP / 2. */
#define SHIFT 0.04
/* SMs change differently if their changes differ by more than chance explains (standard errors),
 * and by more than a slow drift of all latencies during a launch. */
#define DIFFER_ERRORS 3
#define DIFFER_LEAST 0.005

_Static_assert(GC_READERS_MAX / 2 <= GC_PARTITIONS_MAX, "each group has two readers");

static double mean(const double *values, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += values[i];
  return sum / (double)n;
}

/* The loads of an SM that are no outliers; they are sorted. */
static uint32_t loads_within(const struct gc_partition_groups *s, size_t reader, uint32_t sm)
{
  const double *loads = gc_readers_loads(&s->r, reader, sm);
  uint32_t n = s->r.loads;

  while (n && loads[n - 1] - s->base[sm] > s->beyond)
    n--;
  return n;
}

/* The same without the fastest and the slowest twentieth. */
static const double *usual_loads(const struct gc_partition_groups *s, size_t reader, uint32_t sm,
                                 size_t *n)
{
  const uint32_t within = loads_within(s, reader, sm);

  *n = within - 2 * (within / 20);
  return gc_readers_loads(&s->r, reader, sm) + within / 20;
}

double gc_partition_groups_mean(const struct gc_partition_groups *s, size_t reader, uint32_t sm)
{
  size_t n;
  const double *loads = usual_loads(s, reader, sm, &n);

  return mean(loads, n);
}

bool gc_partition_groups_slow(const struct gc_partition_groups *s, uint32_t sm, double cycles)
{
  return cycles - s->base[sm] > s->threshold && cycles - s->base[sm] <= s->beyond;
}

static uint32_t slow_loads(const struct gc_partition_groups *s, size_t reader, uint32_t sm)
{
  const double *loads = gc_readers_loads(&s->r, reader, sm);
  uint32_t slow = 0;

  for (uint32_t i = 0; i < s->r.loads; i++)
    slow += gc_partition_groups_slow(s, sm, loads[i]);
  return slow;
}

static bool is_far(const struct gc_partition_groups *s, size_t reader, uint32_t sm)
{
  return slow_loads(s, reader, sm) > FAR_SHARE * loads_within(s, reader, sm);
}

static int observe(struct gc_partition_groups *s, uint32_t reader)
{
  return gc_readers_observe(&s->r, reader, &s->absent);
}

/* Are the slow loads spread over the SMs as by chance, and so few that they make no SM far? Then
 * they do not depend on which SM read the lines: far loads are those of some SMs. */
static bool hit_all_alike(const struct gc_partition_groups *s)
{
  double slow = 0, loads = 0, squares = 0, share;

  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    slow += slow_loads(s, 0, sm);
    loads += loads_within(s, 0, sm);
  }
  share = slow / loads;
  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    const double expected = share * loads_within(s, 0, sm), more = slow_loads(s, 0, sm) - expected;

    squares += more * more / (expected * (1 - share));
  }
  /* chi squared with sms - 1 degrees of freedom */
  return share < FAR_SHARE && squares < s->r.sms - 1 + CHANCE * sqrt(2 * (s->r.sms - 1));
}

static bool makes_an_sm_far(const struct gc_partition_groups *s)
{
  uint32_t sm = 0;

  while (sm < s->r.sms && !is_far(s, 0, sm))
    sm++;
  return sm < s->r.sms;
}

/* Whether the slower group consists of outliers. Sets the threshold between the groups. Nothing in
 * L2 takes longer than device memory, where GAP is more than the error of both. (Where each XCD has
 * an L2, far lines come from memory.) */
static bool are_outliers(struct gc_partition_groups *s, const struct gc_split *split, bool few,
                         bool few_are_outliers)
{
  const struct gc_measured *memory = &s->r.m->results->element[GC_DEVICE_MEMORY];
  const bool beyond_memory =
      gc_found(memory, GC_LATENCY) && !s->r.m->bench.properties.l2_per_xcd &&
      mean(s->base, s->r.sms) + split->high > (1 + GAP) * memory->latency_cycles;

  s->threshold = split->threshold;
  few = few && (few_are_outliers || !makes_an_sm_far(s));
  return split->share > 0 && (few || beyond_memory || hit_all_alike(s));
}

/* Do the latencies after the first reader fall in two groups? Sets base and threshold. A small
 * group may consist of the far loads of a few SMs, unless `few_are_outliers`. */
static bool splits(struct gc_partition_groups *s, bool few_are_outliers)
{
  size_t n = (size_t)s->r.sms * s->r.loads;
  const size_t enough = n - (size_t)(OUTLIERS * (double)n);
  struct gc_split split;
  double fast;

  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    /* an SM with another L2 has no fast loads of its own */
    const uint32_t of = s->r.m->bench.properties.l2_per_xcd ? s->r.readers[0] : sm;

    s->base[sm] = gc_readers_loads(&s->r, 0, of)[s->r.loads / 10];
    for (uint32_t k = 0; k < s->r.loads; k++)
      s->scratch[(size_t)sm * s->r.loads + k] = gc_readers_loads(&s->r, 0, sm)[k] - s->base[sm];
  }
  /* outliers form a group of their own, far from all other loads; so try again without them */
  s->beyond = INFINITY;
  gc_split_find(s->scratch, n, &split);
  while (
      are_outliers(s, &split, (double)n * (1 - split.share) >= (double)enough, few_are_outliers)) {
    n -= (size_t)((double)n * split.share + 0.5);
    s->beyond = split.threshold;
    gc_split_find(s->scratch, n, &split);
  }
  fast = mean(s->base, s->r.sms);
  s->threshold = split.threshold;
  return split.empty && split.high - split.low > GAP * fast;
}

/* Adds readers until every SM is near to one. *found: that succeeded, and there are several
 * groups. */
static int find_groups(struct gc_partition_groups *s, bool *found)
{
  int status = 0;

  *found = false;
  for (;;) {
    const size_t last = s->r.count - 1;
    uint32_t next = UINT32_MAX;

    if (is_far(s, last, s->r.readers[last]))
      return 0;
    for (uint32_t sm = 0; sm < s->r.sms; sm++) {
      if (s->group[sm] < 0 && !is_far(s, last, sm))
        s->group[sm] = s->groups;
      if (s->group[sm] < 0 && next == UINT32_MAX)
        next = sm;
    }
    s->groups++;
    if (next == UINT32_MAX)
      break;
    if ((size_t)s->groups == s->r.most / 2)
      return 0;
    if ((status = observe(s, next)))
      return status;
  }
  *found = s->groups > 1;
  return 0;
}

/* Adds one more reader of each group: its last SM. */
static int observe_others(struct gc_partition_groups *s)
{
  for (int group = 0; group < s->groups; group++) {
    uint32_t other = s->r.sms;
    int status;

    while (other > 0 && s->group[--other] != group)
      continue;
    if ((status = observe(s, other)))
      return status;
  }
  return 0;
}

/* Loads and slow loads of all SMs: [0] near to the reader, [1] far from it. */
struct shares {
  double slow[2], loads[2];
};

/* The odds that this SM belongs to another group, from its slow loads after every reader. */
static double odds_of_others(const struct gc_partition_groups *s, uint32_t sm,
                             const struct shares *all)
{
  double others = 0;

  for (int group = 0; group < s->groups; group++) {
    double log_odds = 0;

    for (size_t r = 0; r < s->r.count; r++) {
      const int mine = s->group[sm] != s->group[s->r.readers[r]];
      const int far = group != s->group[s->r.readers[r]];
      /* a share of 2 % for unexpected results, so that no probability is 0 */
      const double p = 0.02 + 0.96 * all->slow[far] / all->loads[far];
      const double q = 0.02 + 0.96 * all->slow[mine] / all->loads[mine];
      const double n = slow_loads(s, r, sm);

      log_odds += n * log(p / q) + (loads_within(s, r, sm) - n) * log((1 - p) / (1 - q));
    }
    if (group != s->group[sm])
      others += exp(log_odds);
  }
  return others;
}

/* Do all readers agree with the groups? The confidence is the probability that every SM is in the
 * right group: a product over all SMs. */
static void check_groups(struct gc_partition_groups *s)
{
  struct shares all = {{0.5, 0.5}, {1, 1}};
  double right = 0;

  for (size_t r = 0; r < s->r.count; r++)
    for (uint32_t sm = 0; sm < s->r.sms; sm++) {
      const int far = s->group[sm] != s->group[s->r.readers[r]];

      right += is_far(s, r, sm) == far;
      all.slow[far] += slow_loads(s, r, sm);
      all.loads[far] += loads_within(s, r, sm);
    }
  if (right < AGREEMENT * (double)(s->r.count * s->r.sms)) {
    s->absent = "which SMs find lines near is not the same for all lines";
    return;
  }
  s->confidence = 1;
  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    s->confidence /= 1 + odds_of_others(s, sm, &all);
}

static const char uncertain[] = "latencies are too uncertain to distinguish near from far";

/* How the mean latencies of SMs change with the reader, as shares of a fast load. */
struct shift {
  double change, chance; /* medians over SMs of its size, and of its standard error */
  double differ;         /* standard deviation of the changes of all SMs */
};

static double deviation(const double *values, size_t n)
{
  const double middle = mean(values, n);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (values[i] - middle) * (values[i] - middle);
  return sqrt(sum / (double)n);
}

/* The second reader is the SM that was slowest after the first one: if there are partitions, it is
 * on the other side. */
static int find_shift(struct gc_partition_groups *s, struct shift *shift)
{
  double *shifts = s->scratch, *errors = s->scratch + s->r.sms, fast;
  const size_t last = s->r.count; /* index of a new reader, because no SM may have read its lines
                                     yet */
  uint32_t slowest = 0;
  int status;

  for (uint32_t sm = 1; sm < s->r.sms; sm++)
    if (gc_partition_groups_mean(s, 0, sm) > gc_partition_groups_mean(s, 0, slowest))
      slowest = sm;
  if ((status = observe(s, slowest)))
    return status;
  fast = mean(s->base, s->r.sms);
  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    double error = 0;
    size_t n = 0;

    for (size_t r = 0; r <= last; r += last) {
      const double *loads = usual_loads(s, r, sm, &n), middle = mean(loads, n);

      if (!n) {
        s->absent = uncertain;
        return 0;
      }
      for (size_t k = 0; k < n; k++)
        error += (loads[k] - middle) * (loads[k] - middle);
    }
    shifts[sm] =
        (gc_partition_groups_mean(s, last, sm) - gc_partition_groups_mean(s, 0, sm)) / fast;
    errors[sm] = sqrt(error) / (double)n / fast;
  }
  shift->differ = deviation(shifts, s->r.sms);
  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    shifts[sm] = fabs(shifts[sm]);
  shift->change = gc_median(shifts, s->r.sms);
  shift->chance = gc_median(errors, s->r.sms);
  return 0;
}

/* Is there only one partition? */
static int check_one(struct gc_partition_groups *s, bool split)
{
  struct shift shift;
  int status = find_shift(s, &shift);

  if (status || s->absent)
    return status;
  s->groups = 1;
  if (shift.change > SHIFT || shift.chance > SHIFT / 2)
    s->absent = uncertain;
  else if (split)
    s->absent = "lines differ in latency, but not by which SM read them before";
  else if (shift.differ > DIFFER_LEAST && shift.differ > DIFFER_ERRORS * shift.chance)
    s->absent = "lines that one SM read are a little nearer to some SMs than to others";
  /* the probability that half a gap would be visible in an SM with the median uncertainty */
  s->confidence = 1 - erfc((GAP / 2 - shift.change) / shift.chance / sqrt(2)) / 2;
  return 0;
}

static int find(struct gc_partition_groups *s)
{
  bool found = false, split;
  int status;

  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    s->group[sm] = -1;
  if ((status = observe(s, 0)) || s->absent)
    return status;
  split = splits(s, false);
  if (split && (status = find_groups(s, &found)))
    return status;
  if (s->absent)
    return 0;
  if (!found)
    return check_one(s, split && splits(s, true));
  if (!(status = observe_others(s)) && !s->absent)
    check_groups(s);
  return status;
}

size_t gc_partition_groups_readers(const struct gc_measurement *m)
{
  return m->bench.properties.l2_count > 1 ? GC_READERS_MAX : READERS;
}

int gc_partition_groups_find(struct gc_measurement *m, struct gc_partition_groups *s)
{
  const size_t readers = gc_partition_groups_readers(m);
  int status;

  *s = (struct gc_partition_groups){.absent = NULL};
  if ((status = gc_readers_new(m, &s->r, readers, &s->absent)))
    return status;
  s->scratch = malloc((s->r.most * s->r.slots + 2 * s->r.sms) * sizeof(*s->scratch));
  s->base = malloc(s->r.sms * sizeof(*s->base));
  s->group = malloc(s->r.sms * sizeof(*s->group));
  return s->scratch && s->base && s->group ? find(s)
                                           : gc_fail(m->bench.err, -ENOMEM, "out of memory");
}

void gc_partition_groups_free(struct gc_partition_groups *s)
{
  free(s->group);
  free(s->base);
  free(s->scratch);
  gc_readers_free(&s->r);
}
