/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Banks of shared memory: their number and width, and what a conflict costs. doc/methods.md, "Banks
 * of shared memory"; Mei et al. 2014, section 3.1, for strides.
 *
 * All lanes of a warp load in dependent chains. In pairs, every other lane is at a second address:
 * the load takes longer if both addresses are in different rows of one bank, which shows number and
 * width without any assumption about them. In strides, lane i is at i times a stride. These
 * times confirm number and width, if no other number and width explain them better. The more lanes
 * use the busiest bank, the longer a load takes: by the cost of a conflict for each further lane. Nine rounds measure everything, each pattern on another SM and in
 * another order.
 */
#include "measure/structure/bank_fit.h"
#include "measure/core/step_memory.h"
#include "measure/structure/structure.h"
#include "measure/walk/path.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define ROUNDS 9
#define REPEATS 3  /* of a chain; the fastest counts, because disturbances only add to it */
#define WORD 4     /* bytes of a load */
#define STRIDES 64 /* 4, 8 … bytes */
#define FAR_STRIDE 512
#define LANES_MAX 64
#define PATTERNS (GC_BANK_PAIRS_MAX + STRIDES + 1)
#define PARITY 1u /* mask: every other lane */
#define EACH UINT32_MAX
#define TOLERANCE 0.05 /* share of the cost of a conflict, and at least: */
#define TOLERANCE_CYCLES 0.25

struct banks {
  struct gpu_conflicts_job pattern[PATTERNS];
  uint32_t pairs, patterns; /* pairs come first */
  uint32_t blocks, count;   /* jobs of a block */
  uint32_t shared_bytes;
  uint32_t *place;                 /* [ROUNDS * patterns]: block * count + number of its job */
  struct gpu_conflicts_job *jobs;  /* [blocks * count] */
  struct gpu_latency_result *seen; /* [blocks * count * REPEATS] */
  double cycles[ROUNDS][PATTERNS]; /* of a load, with a share of the timing overhead */
};

/* The patterns for which a block has enough shared memory. */
static void choose_patterns(const struct gc_properties *p, struct banks *b)
{
  const uint64_t most = p->shared_per_block ? p->shared_per_block : 4096;

  for (uint32_t i = 1; i <= GC_BANK_PAIRS_MAX && (i + 1) * WORD <= most; i++)
    b->pattern[b->patterns++] = (struct gpu_conflicts_job){PARITY, i * WORD};
  b->pairs = b->patterns;
  for (uint32_t i = 1; i <= STRIDES + 1; i++) {
    const uint32_t stride = i <= STRIDES ? i * WORD : FAR_STRIDE;

    if ((p->warp - 1) * stride + WORD <= most)
      b->pattern[b->patterns++] = (struct gpu_conflicts_job){EACH, stride};
  }
  for (uint32_t i = 0; i < b->patterns; i++) {
    const uint32_t lanes = b->pattern[i].mask == PARITY ? 2 : p->warp;
    const uint32_t bytes = (lanes - 1) * b->pattern[i].stride + WORD;

    b->shared_bytes = bytes > b->shared_bytes ? bytes : b->shared_bytes;
  }
}

/* Distributes the jobs over the SMs: a pattern runs on another SM in each round, if there are so
 * many, and every second round goes through the patterns backwards. */
static int place_jobs(struct gc_bench *bench, struct banks *b)
{
  const uint32_t sms = bench->properties.sms, jobs = ROUNDS * b->patterns;
  const uint32_t hop = sms / ROUNDS + 1;
  uint32_t *next;

  b->blocks = sms;
  b->count = (b->patterns + sms - 1) / sms * ROUNDS;
  b->place = gc_step_alloc(bench, jobs, sizeof(*b->place));
  b->jobs = gc_step_alloc(bench, (size_t)b->blocks * b->count, sizeof(*b->jobs));
  b->seen = gc_step_alloc(bench, (size_t)b->blocks * b->count * REPEATS, sizeof(*b->seen));
  next = gc_step_alloc(bench, b->blocks, sizeof(*next));
  for (uint32_t r = 0; r < ROUNDS && b->place && b->jobs && b->seen && next; r++)
    for (uint32_t i = 0; i < b->patterns; i++) {
      const uint32_t pattern = r % 2 ? b->patterns - 1 - i : i;
      const uint32_t block = (pattern + r * hop) % b->blocks;
      const uint32_t place = block * b->count + next[block]++;

      b->place[r * b->patterns + pattern] = place;
      b->jobs[place] = b->pattern[pattern];
    }
  return next && b->place && b->jobs && b->seen ? 0 : -ENOMEM;
}

static int launch(struct gc_bench *bench, struct banks *b)
{
  const size_t jobs = (size_t)b->blocks * b->count, bytes = jobs * sizeof(*b->jobs);
  const size_t results = jobs * REPEATS * sizeof(*b->seen);
  const struct gpu_conflicts_args args = {.jobs = gc_scratch_trace(bench),
                                          .results = gc_scratch_trace(bench) + bytes,
                                          .sms = gc_scratch_trace(bench) + bytes + results,
                                          .count = b->count,
                                          .repeats = REPEATS,
                                          .n = GPU_LATENCY_UNROLL};
  int status;

  if (bytes + results + 4 * (size_t)b->blocks > GC_TRACE_MAX * sizeof(uint32_t))
    return gc_fail(bench->err, -EINVAL, "%zu loads of patterns are too many at once", jobs);
  if (!(status = bench->ops->upload(bench->device, args.jobs, b->jobs, bytes, bench->err)) &&
      !(status = gc_bench_launch(bench, GC_KERNEL_conflicts, b->blocks, bench->properties.warp,
                                 b->shared_bytes, &args)))
    status = bench->ops->download(bench->device, b->seen, args.results, results, bench->err);
  return status;
}

/* The cycles of a load in each pattern and round. */
static void evaluate(struct banks *b)
{
  for (uint32_t r = 0; r < ROUNDS; r++)
    for (uint32_t i = 0; i < b->patterns; i++) {
      const struct gpu_latency_result *seen =
          &b->seen[(size_t)b->place[r * b->patterns + i] * REPEATS];
      double least = INFINITY;

      for (uint32_t k = 0; k < REPEATS; k++)
        least = fmin(least, (double)seen[k].cycles_n + seen[k].cycles_2n);
      b->cycles[r][i] = least / (3.0 * GPU_LATENCY_UNROLL);
    }
}

/* The median of all rounds. */
static void combine(const struct banks *b, double *cycles)
{
  for (uint32_t i = 0; i < b->patterns; i++) {
    double values[ROUNDS];

    for (uint32_t r = 0; r < ROUNDS; r++)
      values[r] = b->cycles[r][i];
    cycles[i] = gc_median(values, ROUNDS);
  }
}

static void log_patterns(const struct gc_bench *bench, const struct banks *b, const double *cycles)
{
  char row[64];

  for (uint32_t i = b->pairs; i < b->patterns; i++)
    gc_raw_row(bench->raw, "bytes from lane to lane\tcycles",
               (double[]){b->pattern[i].stride, cycles[i]});
  for (uint32_t i = 0; i < b->pairs; i++) {
    snprintf(row, sizeof(row), "%u\t%.3f", b->pattern[i].stride, cycles[i]);
    gc_raw_words(bench->raw, "bytes between two addresses\tcycles", row);
  }
}

static struct gc_bank_strides strides_of(const struct gc_bench *bench, const struct banks *b,
                                         const double *cycles, uint32_t stride[PATTERNS])
{
  for (uint32_t i = b->pairs; i < b->patterns; i++)
    stride[i - b->pairs] = b->pattern[i].stride;
  return (struct gc_bank_strides){bench->properties.warp, b->patterns - b->pairs, stride,
                                  cycles + b->pairs};
}

static int report_conflict(const struct gc_bench *bench, const struct banks *b,
                           const struct gc_bank_layout *layout, struct gc_measured *element)
{
  uint32_t stride[PATTERNS];
  double slopes[ROUNDS], error, slope, near, confidence;

  for (uint32_t r = 0; r < ROUNDS; r++) {
    const struct gc_bank_strides strides = strides_of(bench, b, b->cycles[r], stride);

    slopes[r] = gc_bank_slope(layout, &strides, &error);
  }
  slope = gc_median(slopes, ROUNDS);
  near = TOLERANCE * slope > TOLERANCE_CYCLES ? TOLERANCE * slope : TOLERANCE_CYCLES;
  confidence = gc_median_confidence(slopes, ROUNDS, slope, near);
  if (confidence < GC_CONFIDENCE_LEAST || !(slope > 0))
    return gc_set_absent(element, GC_CONFLICT, "the cost of a conflict varies too much");
  element->conflict_cycles = slope;
  return gc_set_measured(element, GC_CONFLICT, confidence);
}

static int report(struct gc_bench *bench, const struct banks *b, struct gc_measured *element)
{
  struct gc_bank_layout layout;
  double cycles[PATTERNS], votes[ROUNDS], confidence, limit;
  uint32_t stride[PATTERNS];
  struct gc_bank_strides strides;
  const char *why;

  combine(b, cycles);
  log_patterns(bench, b, cycles);
  if ((why = gc_banks_of_pairs(cycles, b->pairs, &layout, &limit)))
    return gc_no_value(bench, why);
  strides = strides_of(bench, b, cycles, stride);
  if (!gc_bank_layout_fits(&layout, &strides))
    return gc_no_value(bench, "the times of strides contradict those of pairs of addresses");
  for (uint32_t r = 0; r < ROUNDS; r++)
    votes[r] = gc_bank_pairs_agree(b->cycles[r], b->pairs, &layout, limit);
  confidence = gc_median_confidence(votes, ROUNDS, 1, 0.5);
  if (confidence < GC_CONFIDENCE_LEAST)
    return gc_no_value(bench, "repetitions do not agree");
  element->banks = layout.count;
  element->bank_bytes = layout.width;
  gc_set_measured(element, GC_BANKS, confidence);
  gc_set_measured(element, GC_BANK, confidence);
  return report_conflict(bench, b, &layout, element);
}

int gc_step_banks(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  struct banks *b;
  int status;

  if (bench->properties.warp > LANES_MAX)
    return gc_no_value(bench, "a warp has too many lanes");
  if (!(b = gc_step_alloc(bench, 1, sizeof(*b))))
    return -ENOMEM;
  choose_patterns(&bench->properties, b);
  if (!(status = place_jobs(bench, b)) && !(status = launch(bench, b))) {
    evaluate(b);
    status = report(bench, b, element);
  }
  return status;
}
