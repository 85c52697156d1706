/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The latency of atomic operations that return the old value, in chains: each needs the value of
 * the one before it. doc/methods.md, "Atomic operations".
 *
 * Shared memory: as the latency of loads (sm_latency.c). L2: each SM walks many words, each in a
 * line of
 * its own, one operation at a time. L2 does an operation where the line is at home. So if it has
 * partitions, half of the lines are far from an SM, also if loads find copies near to it. Which
 * partition is near to an SM is known from loads (topology/partitions.c). Half of the SMs decide
 * for each line which partition is its home, and the other half gives the latencies, so that chance
 * cannot make a difference between near and far.
 */
#include "measure/latency/latency.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "stats/stats.h"

#include <errno.h>

#define LOADS 128
#define TOLERANCE 0.5 /* cycles, inside the SM */

#define LAUNCHES 3
#define LINES 63 /* of a launch, at most; each launch has other lines */
#define GROUPS 9 /* of lines: they are the repetitions */
/* Bytes between the lines: an odd number of the longest lines, so that they lie in all slices. All
 * are within 256 KiB, as for the latency of loads (l2_latency.c). */
#define APART 1152
#define CHAIN GPU_LINES_UNROLL
#define SHARE 0.02  /* latencies of L2 are accurate to this share */
#define APPEAR 0.05 /* a far partition takes longer by at least this share, */
#define AGREE 0.9   /* in at least this share of the lines */
#define TRIM 0.02   /* of the values of a line, which may be outliers */

int gc_step_atomic_latency(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_path path = *gc_path_of(element->kind);
  const uint32_t two_passes = (uint32_t)(2 * path.latency_bytes / path.latency_stride);
  struct gc_latency latency;
  int status;

  if (!element->timed_alone)
    return gc_set_absent(element, GC_ATOMIC_LATENCY,
                         "whether some loads of it are delayed is not known");
  if (element->delayed)
    return gc_set_absent(element, GC_ATOMIC_LATENCY,
                         "some loads of it are delayed, and a chain of operations shows only their mean");
  path.latency = GC_KERNEL_latency_atomic_shared;
  if ((status = gc_chain_latency(&m->bench, &path, two_passes, LOADS, TOLERANCE, &latency)))
    return status;
  if (!(latency.cycles > 0))
    return gc_set_absent(element, GC_ATOMIC_LATENCY, "the clock did not advance during operations");
  element->atomic_latency_cycles = latency.cycles;
  return gc_set_measured(element, GC_ATOMIC_LATENCY, latency.confidence);
}

/* What all blocks saw of some lines. */
struct lines {
  uint32_t blocks, lines, launch;
  struct gpu_latency_result *seen; /* [blocks][lines] */
  uint32_t *sm;                    /* [blocks] */
  uint8_t *side, *half;            /* [blocks] near to which partition; which half of those SMs */
  double *cycles;                  /* [blocks] scratch */
};

/* The latencies of the lines of each group. */
#define GROUP_LINES (LAUNCHES * LINES / GROUPS)
struct found {
  double all[GROUPS][GROUP_LINES], near[GROUPS][GROUP_LINES], far[GROUPS][GROUP_LINES];
  uint32_t count[GROUPS], sided[GROUPS]; /* lines; those of which near and far are known */
  uint32_t slower;                       /* lines whose far latency is the longer one */
  uint32_t uneven;                       /* lines that take longer for some SMs */
};

static double latency_of(const struct lines *l, uint32_t block, uint32_t line)
{
  const struct gpu_latency_result *seen = &l->seen[(size_t)block * l->lines + line];

  return ((double)seen->cycles_2n - (double)seen->cycles_n) / CHAIN;
}

/* Notes the partitions of the SMs that have run the blocks, and divides the SMs of each into two
 * halves. */
static void note_sides(const struct gc_measurement *m, struct lines *l)
{
  uint32_t count[GC_PARTITIONS_MAX] = {0};

  for (uint32_t b = 0; b < l->blocks; b++) {
    l->side[b] = l->sm[b] < GC_SMS_MAX ? m->results->l2_side[l->sm[b]] % GC_PARTITIONS_MAX : 0;
    l->half[b] = count[l->side[b]]++ % 2;
  }
}

/* The median of one half of the SMs that are near to this partition; if `others`, to any other. 0:
 * there are none. */
static double side_median(const struct lines *l, uint32_t line, uint32_t half, uint32_t side,
                          bool others)
{
  size_t n = 0;

  for (uint32_t b = 0; b < l->blocks; b++)
    if (l->half[b] == half && (l->side[b] == side) != others)
      l->cycles[n++] = latency_of(l, b, line);
  return n ? gc_median(l->cycles, n) : 0;
}

/* Adds the latencies of a line, near and far, if blocks of both kinds have seen it. */
static void add_sides(const struct lines *l, uint32_t line, uint32_t group, struct found *found)
{
  double least = 0, near, far;
  uint32_t home = 0;

  for (uint32_t side = 0; side < GC_PARTITIONS_MAX; side++) {
    const double median = side_median(l, line, 0, side, false);

    if (median > 0 && (!(least > 0) || median < least)) {
      least = median;
      home = side;
    }
  }
  near = side_median(l, line, 1, home, false);
  far = side_median(l, line, 1, home, true);
  if (!(near > 0) || !(far > 0))
    return;
  found->near[group][found->sided[group]] = near;
  found->far[group][found->sided[group]++] = far;
  found->slower += far > near;
}

/* The median of values that are alike. Otherwise some are near and some are far; then the mean of
 * all but the longest, which may be outliers, and one more in *uneven. */
static double middle_of(double *values, size_t n, uint32_t *uneven)
{
  const size_t kept = n - (size_t)(TRIM * (double)n);
  const double median = gc_median(values, n);
  double sum = 0;

  gc_sort(values, n);
  if (values[3 * n / 4] - values[n / 4] < APPEAR * median)
    return median;
  ++*uneven;
  for (size_t i = 0; i < kept; i++)
    sum += values[i];
  return sum / (double)kept;
}

/* The latency of a line for all SMs. */
static double line_middle(const struct lines *l, uint32_t line, uint32_t *uneven)
{
  for (uint32_t b = 0; b < l->blocks; b++)
    l->cycles[b] = latency_of(l, b, line);
  return middle_of(l->cycles, l->blocks, uneven);
}

/* One launch, which uses lines that the launches before did not use. */
static int launch(struct gc_bench *bench, struct lines *l)
{
  const size_t bytes = (size_t)l->blocks * l->lines * sizeof(*l->seen);
  const struct gpu_lines_args args = {.first =
                                          bench->arena + (uint64_t)l->launch * l->lines * APART,
                                      .stride = APART,
                                      .results = gc_scratch_trace(bench),
                                      .sms = gc_scratch_trace(bench) + bytes,
                                      .lines = l->lines,
                                      .n = CHAIN};
  int status = gc_bench_launch(bench, GC_KERNEL_lines_atomic, l->blocks, 1, 0, &args);

  if (!status)
    status = bench->ops->download(bench->device, l->seen, args.results, bytes, bench->err);
  if (!status)
    status = bench->ops->download(bench->device, l->sm, args.sms, l->blocks * sizeof(*l->sm),
                                  bench->err);
  return status;
}

/* Measures all lines. A launch before the first one, over one line, brings the code into the
 * caches. */
static int measure(struct gc_measurement *m, struct lines *l, bool sides, struct found *found)
{
  const uint32_t lines = l->lines;
  int status;

  l->lines = 1;
  status = launch(&m->bench, l);
  l->lines = lines;
  for (l->launch = 0; l->launch < LAUNCHES && !status; l->launch++) {
    if ((status = launch(&m->bench, l)))
      break;
    note_sides(m, l);
    for (uint32_t line = 0; line < l->lines; line++) {
      const double middle = line_middle(l, line, &found->uneven);

      found->all[line % GROUPS][found->count[line % GROUPS]++] = middle;
      if (sides)
        add_sides(l, line, line % GROUPS, found);
      gc_raw_row(m->bench.raw, "line\tmiddle of all SMs, cycles",
                 (double[]){l->launch * l->lines + line, middle});
    }
  }
  return status;
}

/* The median of the groups, and its confidence. *uneven: groups whose lines differ. */
static struct gc_latency latency_of_groups(double cycles[GROUPS][GROUP_LINES],
                                           const uint32_t count[GROUPS], uint32_t *uneven)
{
  struct gc_latency latency = {0, 0};
  double values[GROUPS];
  size_t n = 0;

  *uneven = 0;
  for (uint32_t g = 0; g < GROUPS; g++)
    if (count[g])
      values[n++] = middle_of(cycles[g], count[g], uneven);
  if (n) {
    latency.cycles = gc_median(values, n);
    latency.confidence = gc_median_confidence(values, n, latency.cycles, SHARE * latency.cycles);
  }
  return latency;
}

static void put(struct gc_measured *element, enum gc_property property, double *value,
                const struct gc_latency *latency)
{
  if (!(latency->cycles > 0) || latency->confidence < GC_CONFIDENCE_LEAST) {
    gc_set_absent(element, property, "the latencies of different lines differ too much");
    return;
  }
  *value = latency->cycles;
  gc_set_measured(element, property, latency->confidence);
}

/* Why near and far cannot be told apart; NULL: they can. */
static const char *no_sides(const struct gc_measured *element, bool sides,
                            const struct found *found, const struct gc_latency *near,
                            const struct gc_latency *far)
{
  uint32_t lines = 0;

  if (gc_found(element, GC_PARTITIONS) && element->partitions == 1)
    return "the L2 has one partition";
  if (!sides)
    return "it is not known what is near to which partition";
  for (uint32_t g = 0; g < GROUPS; g++)
    lines += found->sided[g];
  if (!lines)
    return "too few SMs are near to each partition";
  if (found->slower < AGREE * lines || far->cycles < (1 + APPEAR) * near->cycles)
    return "no line takes longer for some SMs than for others";
  return NULL;
}

/* Half of the lines, or a third, are near. So the latency of all lines does not depend on the
 * number of SMs near to each partition. Where near and far are not known, chance determines how
 * many of the lines are near to most SMs; then there is a value only if they do not differ. */
static int report(struct gc_measured *element, bool sides, struct found *found)
{
  uint32_t uneven, lines = 0;
  const struct gc_latency near = latency_of_groups(found->near, found->sided, &uneven);
  const struct gc_latency far = latency_of_groups(found->far, found->sided, &uneven);
  struct gc_latency all = latency_of_groups(found->all, found->count, &uneven);
  const char *why = no_sides(element, sides, found, &near, &far);
  const bool one = gc_found(element, GC_PARTITIONS) && element->partitions == 1;

  for (uint32_t g = 0; g < GROUPS; g++)
    lines += found->count[g];

  if (why) {
    gc_set_absent(element, GC_NEAR_ATOMIC_LATENCY, why);
    gc_set_absent(element, GC_FAR_ATOMIC_LATENCY, why);
  } else {
    const double parts = (double)element->partitions;

    put(element, GC_NEAR_ATOMIC_LATENCY, &element->near_atomic_latency_cycles, &near);
    put(element, GC_FAR_ATOMIC_LATENCY, &element->far_atomic_latency_cycles, &far);
    all.cycles = (near.cycles + (parts - 1) * far.cycles) / parts;
    all.confidence = near.confidence < far.confidence ? near.confidence : far.confidence;
  }
  if (why && !one && (uneven > GROUPS / 2 || found->uneven > lines / 2))
    return gc_set_absent(
        element, GC_ATOMIC_LATENCY,
        "lines or SMs differ, and it is not known what is near to which partition");
  put(element, GC_ATOMIC_LATENCY, &element->atomic_latency_cycles, &all);
  return 0;
}

int gc_step_l2_atomic_latency(struct gc_measurement *m, struct gc_measured *element)
{
  const uint32_t sms = m->bench.properties.sms, most = GC_TRACE_MAX / (2 * sms) - 1;
  const bool sides =
      m->results->l2_sides_known && gc_found(element, GC_PARTITIONS) && element->partitions > 1;
  struct lines l = {.blocks = sms, .lines = most < LINES ? most : LINES};
  struct found found = {.slower = 0};
  int status;

  if (m->bench.properties.l2_count > 1)
    return gc_no_value(&m->bench, gc_several_l2s_why);
  l.seen = gc_step_alloc(&m->bench, (size_t)l.blocks * l.lines, sizeof(*l.seen));
  l.sm = gc_step_alloc(&m->bench, l.blocks, sizeof(*l.sm));
  l.cycles = gc_step_alloc(&m->bench, l.blocks, sizeof(*l.cycles));
  l.side = gc_step_alloc(&m->bench, 1, l.blocks);
  l.half = gc_step_alloc(&m->bench, 1, l.blocks);
  status = l.seen && l.sm && l.cycles && l.side && l.half ? measure(m, &l, sides, &found) : -ENOMEM;
  return status ? status : report(element, sides, &found);
}
