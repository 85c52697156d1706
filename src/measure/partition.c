/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitions of L2: how many, which SMs are near to which, what near and far cost. A partition
 * keeps a copy of every line that its SMs read, whichever partition the line belongs to. So let one
 * SM, the reader, read lines that were in no cache; then time each line once, every SM those of its
 * own. SMs on the reader's side find all of them near; to the others those lines are far that do
 * not belong to their own partition, on an H200 half of them, at 1.7 times the latency and nothing
 * in between.
 *
 * On AMD GPUs there are L2 caches that know nothing of each other, one in each XCD. What an SM finds
 * far there is not in its L2 at all, and groups are CUs that use the same one.
 *
 * Who is near to whom must not depend on the reader: readers are tried until every SM is near to
 * one, then one more of each group, and all must tell the same. Where latencies do not fall in two
 * groups there is one partition, if it also makes no difference to any SM who read the lines before
 * it.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/mates.h"
#include "measure/readers.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READERS 8    /* where the tables know of one L2 at most */
#define GROUPS_MAX (GC_READERS_MAX / 2)
#define GAP 0.1         /* far is slower than near by this share of it, at least */
#define OUTLIERS 0.05   /* share of loads that may be slow for other reasons */
#define FAR_SHARE 0.2   /* of an SM's loads; on the near side none are, on a far one half or more */
#define AGREEMENT 0.98  /* of all readers and SMs */
#define SHIFT 0.04      /* chance that a reader makes in an SM's mean; a gap makes GAP / 2 */
#define TOLERANCE 0.02

struct search {
  struct gc_readers r;
  double *base;     /* [sms]: a fast load of this SM; where an SM sits makes a difference */
  double *scratch;  /* [readers * sms * loads + 2 * sms] */
  int *group;       /* [sms] */
  int groups;
  double threshold; /* cycles above the base from which a load is slow */
  double confidence;
  const char *absent; /* why nothing is told; NULL: all is well */
};

/* AMD: what others have read is in an L2 of theirs, not in another part of ours. */
static bool has_xcds(const struct gc_bench *bench)
{
  return bench->properties.has_scalar;
}

static double mean(const double *values, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += values[i];
  return sum / (double)n;
}

/* An SM's loads without the fastest and slowest twentieth: outliers say nothing about
 * partitions. */
static const double *usual_loads(const struct search *s, size_t reader, uint32_t sm, size_t *n)
{
  *n = s->r.loads - 2 * (s->r.loads / 20);
  return gc_readers_loads(&s->r, reader, sm) + s->r.loads / 20;
}

static double usual_mean(const struct search *s, size_t reader, uint32_t sm)
{
  size_t n;
  const double *loads = usual_loads(s, reader, sm, &n);

  return mean(loads, n);
}

static uint32_t slow_loads(const struct search *s, size_t reader, uint32_t sm)
{
  const double *loads = gc_readers_loads(&s->r, reader, sm);
  uint32_t slow = 0;

  for (uint32_t i = 0; i < s->r.loads; i++)
    slow += loads[i] - s->base[sm] > s->threshold;
  return slow;
}

static bool is_far(const struct search *s, size_t reader, uint32_t sm)
{
  return slow_loads(s, reader, sm) > FAR_SHARE * s->r.loads;
}

/* Do the latencies after the first reader fall in two groups? Sets base and threshold. */
static bool splits(struct search *s)
{
  size_t n = (size_t)s->r.sms * s->r.loads;
  const size_t enough = n - (size_t)(OUTLIERS * (double)n);
  struct gc_split split;
  double fast;

  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    /* an SM with another L2 has no fast loads of its own */
    const uint32_t of = has_xcds(s->r.bench) ? s->r.readers[0] : sm;

    s->base[sm] = gc_readers_loads(&s->r, 0, of)[s->r.loads / 10];
    for (uint32_t k = 0; k < s->r.loads; k++)
      s->scratch[(size_t)sm * s->r.loads + k] = gc_readers_loads(&s->r, 0, sm)[k] - s->base[sm];
  }
  /* outliers are a group of their own, far from all others; what remains without them counts */
  gc_split_find(s->scratch, n, &split);
  while (split.share > 0 && (double)n * (1 - split.share) >= (double)enough) {
    n -= (size_t)((double)n * split.share + 0.5);
    gc_split_find(s->scratch, n, &split);
  }
  fast = mean(s->base, s->r.sms);
  s->threshold = split.threshold;
  return split.empty && split.high - split.low > GAP * fast;
}

/* Readers until every SM is near to one. False: there is no order in it. */
static int find_groups(struct search *s, bool *found)
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
    if ((status = gc_readers_observe(&s->r, next, &s->absent)))
      return status;
  }
  *found = s->groups > 1;
  return 0;
}

/* One more reader of each group: the last of its SMs. */
static int observe_others(struct search *s)
{
  for (int group = 0; group < s->groups; group++) {
    uint32_t other = s->r.sms;
    int status;

    while (other > 0 && s->group[--other] != group)
      continue;
    if ((status = gc_readers_observe(&s->r, other, &s->absent)))
      return status;
  }
  return 0;
}

/* Whether an SM is near to a reader is told by their groups. All SMs' groups at once are right
 * with the product of their probabilities, each by the number of its slow loads after every
 * reader. */
static void check_groups(struct search *s)
{
  double slow[2] = {0.5, 0.5}, loads[2] = {1, 1}, right = 0;

  for (size_t r = 0; r < s->r.count; r++)
    for (uint32_t sm = 0; sm < s->r.sms; sm++) {
      const int far = s->group[sm] != s->group[s->r.readers[r]];

      right += is_far(s, r, sm) == far;
      slow[far] += slow_loads(s, r, sm);
      loads[far] += s->r.loads;
    }
  if (right < AGREEMENT * (double)(s->r.count * s->r.sms)) {
    s->absent = "which SMs find lines near is not the same for all lines";
    return;
  }
  s->confidence = 1;
  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    double log_odds = 0, others = 0;

    for (int group = 0; group < s->groups; group++) {
      log_odds = 0;
      for (size_t r = 0; r < s->r.count; r++) {
        const int mine = s->group[sm] != s->group[s->r.readers[r]];
        const int far = group != s->group[s->r.readers[r]];
        /* a share of 2 % for the unexpected, so that nothing is impossible */
        const double p = 0.02 + 0.96 * slow[far] / loads[far];
        const double q = 0.02 + 0.96 * slow[mine] / loads[mine];
        const double n = slow_loads(s, r, sm);

        log_odds += n * log(p / q) + (s->r.loads - n) * log((1 - p) / (1 - q));
      }
      if (group != s->group[sm])
        others += exp(log_odds);
    }
    s->confidence /= 1 + others;
  }
}

/* Is the mean of an SM's latencies another after another reader? The second reader is the SM
 * that was slowest after the first: if there are partitions, it is on the other side. */
static int find_shift(struct search *s, double *shift, double *chance)
{
  double *shifts = s->scratch, *errors = s->scratch + s->r.sms, fast;
  const size_t last = s->r.count; /* lines that nobody has read yet */
  uint32_t slowest = 0;
  int status;

  for (uint32_t sm = 1; sm < s->r.sms; sm++)
    if (usual_mean(s, 0, sm) > usual_mean(s, 0, slowest))
      slowest = sm;
  if ((status = gc_readers_observe(&s->r, slowest, &s->absent)))
    return status;
  fast = mean(s->base, s->r.sms);
  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
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
  *shift = gc_median(shifts, s->r.sms);
  *chance = gc_median(errors, s->r.sms);
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
  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    double *of_sm = s->scratch + s->r.sms;
    size_t m = 0;

    for (size_t r = 0; r < s->r.count; r++)
      for (uint32_t k = 0; k < s->r.loads; k++) {
        const double cycles = gc_readers_loads(&s->r, r, sm)[k];

        if (far == (s->group[sm] != s->group[s->r.readers[r]]) &&
            (!far || cycles - s->base[sm] > s->threshold))
          of_sm[m++] = cycles;
      }
    if (m)
      s->scratch[n++] = gc_median(of_sm, m);
  }
  latency.cycles = gc_median(s->scratch, n);
  latency.confidence =
    s->confidence * s->r.bench->window_confidence *
    gc_median_confidence(s->scratch, n, latency.cycles, TOLERANCE * latency.cycles);
  return gc_put_latency_as(s->r.bench, element, far ? "Far" : "Near", &latency);
}

static int put_absent(struct search *s, struct gc_element *element, const char *why)
{
  int status;

  if (has_xcds(s->r.bench))
    return gc_put_absent(element, HWLOC_GPUCACHE_INSTANCES, why);
  status = gc_put_absent(element, HWLOC_GPUCACHE_PARTITIONS, why);
  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_PARTITION_SMS, why);
  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_INSTANCES, why);
  if (!status)
    status = gc_put_absent(element, HWLOC_GPUCACHE_NEAR_LATENCY, why);
  return status ? status : gc_put_absent(element, HWLOC_GPUCACHE_FAR_LATENCY, why);
}

/* It is one L2 if all SMs find in it what one of them read, near or far: sooner than memory would send it. */
static int put_instances(const struct search *s, struct gc_element *element)
{
  const struct gc_element *memory = gc_record_find(s->r.bench->record, GC_DEVICE_MEMORY);
  const char *sent = memory ? gc_infos_get(&memory->infos, HWLOC_GPUCACHE_LATENCY_CYCLES) : NULL;
  const char *far = gc_infos_get(&element->infos, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES);

  if (gc_infos_get(&element->infos, HWLOC_GPUCACHE_INSTANCES)) /* somebody stated it */
    return 0;
  if (s->groups > 1 && !sent)
    return gc_put_absent(element, HWLOC_GPUCACHE_INSTANCES,
                         "it takes the latency of device memory to find it, which is not known");
  if (s->groups > 1 && !(far && strtod(far, NULL) < (1 - GAP) * strtod(sent, NULL)))
    return gc_put_absent(element, HWLOC_GPUCACHE_INSTANCES, "what is far comes no sooner than from memory");
  return gc_put_measured(element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, 1, s->confidence);
}

/* L2 caches of their own: how many, and who uses which. */
static int put_l2s(struct search *s, struct gc_element *element)
{
  uint32_t *group = calloc(s->r.sms, sizeof(*group));
  int status = group ? gc_put_measured(element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES,
                                       (uint64_t)s->groups, s->confidence)
                     : gc_fail(s->r.bench->err, -ENOMEM, "out of memory");

  for (uint32_t sm = 0; sm < s->r.sms && !status; sm++)
    group[sm] = s->groups == 1 ? 0 : (uint32_t)s->group[sm];
  if (!status && s->groups > 1)
    status = gc_put_cu_groups(s->r.bench, element, group, (uint32_t)s->groups, s->confidence);
  free(group);
  return status;
}

static int put_partitions(struct search *s, struct gc_element *element)
{
  char sms[16 * GROUPS_MAX] = "";
  int status;

  for (int group = 0; group < s->groups; group++) {
    uint32_t n = 0;

    for (uint32_t sm = 0; sm < s->r.sms; sm++)
      n += s->groups == 1 || s->group[sm] == group;
    snprintf(sms + strlen(sms), sizeof(sms) - strlen(sms), "%s%u", group ? "," : "", n);
  }
  if ((status = gc_put_measured(element, HWLOC_GPUCACHE_PARTITIONS, HWLOC_GPUCACHE_PARTITIONS,
                                (uint64_t)s->groups, s->confidence)) ||
      (status = gc_put_text(element, HWLOC_GPUCACHE_PARTITION_SMS, sms, s->confidence)))
    return status;
  if (s->groups > 1 && /* else nothing is far */
      ((status = put_side(s, element, false)) || (status = put_side(s, element, true))))
    return status;
  return put_instances(s, element);
}

/* For the eye: what each SM saw of the lines of each reader. */
static void note_readers(const struct search *s)
{
  char columns[24 * (1 + GC_READERS_MAX)] = "SM";
  double row[1 + GC_READERS_MAX];

  for (size_t r = 0; r < s->r.count; r++)
    snprintf(columns + strlen(columns), sizeof(columns) - strlen(columns), "\tread by SM %u",
             s->r.readers[r]);
  for (uint32_t sm = 0; sm < s->r.sms && s->r.count && !s->absent; sm++) {
    row[0] = sm;
    for (size_t r = 0; r < s->r.count; r++)
      row[1 + r] = usual_mean(s, r, sm);
    gc_raw_row(s->r.bench->raw, columns, row);
  }
}

static int put(struct search *s, struct gc_element *element)
{
  if (s->absent)
    return put_absent(s, element, s->absent);
  return has_xcds(s->r.bench) ? put_l2s(s, element) : put_partitions(s, element);
}

static int find(struct search *s)
{
  bool found = false, split;
  int status;

  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    s->group[sm] = -1;
  if ((status = gc_readers_observe(&s->r, 0, &s->absent)) || s->absent)
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

/* For l2sample.c. Its kernel for SMs together takes them by their numbers, without gaps. Without memory nothing is known. */
static void remember(struct search *s)
{
  struct gc_bench *bench = s->r.bench;
  const uint32_t sms = s->r.sms;

  free(bench->l2_side);
  bench->l2_side = NULL;
  bench->l2_groups = has_xcds(bench) && !s->absent ? (uint32_t)s->groups : 0;
  if (s->absent || bench->sm_count < sms || bench->sm_numbers[sms - 1] != sms - 1)
    return;
  bench->l2_side = calloc(sms, sizeof(*bench->l2_side));
  for (uint32_t sm = 0; bench->l2_side && s->groups > 1 && sm < sms; sm++)
    bench->l2_side[sm] = (uint8_t)s->group[sm];
}

int gc_step_partition(struct gc_bench *bench, struct gc_element *element)
{
  struct search s = {.absent = NULL};
  const size_t readers = bench->properties.l2_count > 1 ? GC_READERS_MAX : READERS;
  int status = gc_readers_new(bench, &s.r, readers, &s.absent);

  if (!status) {
    s.scratch = malloc((s.r.most * s.r.slots + 2 * s.r.sms) * sizeof(*s.scratch));
    s.base = malloc(s.r.sms * sizeof(*s.base));
    s.group = malloc(s.r.sms * sizeof(*s.group));
    status = s.scratch && s.base && s.group ? find(&s)
                                            : gc_fail(bench->err, -ENOMEM, "out of memory");
  }
  note_readers(&s);
  if (!status || (status == -ENOTSUP && s.absent)) {
    remember(&s);
    status = put(&s, element);
  }
  free(s.group);
  free(s.base);
  free(s.scratch);
  gc_readers_free(&s.r);
  return status;
}
