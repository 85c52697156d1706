/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulk copies (TMA) from L2 to shared memory: the latency of the smallest copy, and what one SM
 * copies in a cycle while copies that are large enough are under way. doc/methods.md, "Bulk
 * copies".
 *
 * No launch before these has to fill L2: each warp first makes the same copies untimed, or walks
 * the same bytes. So nothing depends on what L2 keeps between launches.
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/core/placement.h"
#include "measure/core/step_memory.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>

/* As for the latency of L2 (latency/l2_latency.c): all of it within any TLB, and in any L2. */
#define SPAN ((uint64_t)256 << 10)
#define L2_SHARE 4
#define LINE 128 /* bytes: each of the smallest copies is in a line of its own */
#define REPEATS 9
#define COPIES (4 * REPEATS) /* of each SM */
#define TOLERANCE 0.02

#define LAUNCHES 3 /* each on another SM */
#define OF_LAUNCH (GC_RATE_REPEATS / LAUNCHES)
#define SIZES 6 /* of copies; each is twice as large as the one before */
#define UNIT (GPU_BULK_LEAST << (SIZES - 1))
#define RUN (4 * GPU_BULK_PLACES) /* copies of the shorter run: much more than are under way */

struct bulk {
  struct gc_measurement *m;
  uint64_t span;
};

/* The latency: repetition r has the copies r, r + REPEATS ... of all SMs. */
static int measure_latency(const struct bulk *b, struct gc_measured *element)
{
  struct gc_bench *bench = &b->m->bench;
  const struct gc_latency *overhead = &b->m->results->overhead;
  const uint32_t most = GC_TRACE_MAX / COPIES, sms = bench->properties.sms;
  const uint32_t blocks = sms < most ? sms : most;
  const struct gpu_bulk_latency_args args = {.base = bench->arena,
                                             .span = b->span,
                                             .step = LINE,
                                             .results = gc_scratch_trace(bench),
                                             .copies = COPIES};
  const size_t each = (size_t)blocks * COPIES / REPEATS;
  uint32_t *seen = gc_step_alloc(bench, each * REPEATS, sizeof(*seen));
  double *cycles = gc_step_alloc(bench, each, sizeof(*cycles)), medians[REPEATS], confidence;
  int status = seen && cycles ? 0 : -ENOMEM;

  if (!status)
    status = gc_bench_launch(bench, GC_KERNEL_bulk_latency, blocks, bench->properties.warp,
                             GPU_BULK_FIRST + GPU_BULK_LEAST, &args);
  if (!status)
    status = bench->ops->download(bench->device, seen, args.results, each * REPEATS * sizeof(*seen),
                                  bench->err);
  for (size_t r = 0; r < REPEATS && !status; r++) {
    for (size_t i = 0; i < each; i++)
      cycles[i] = seen[i * REPEATS + r];
    medians[r] = gc_median(cycles, each) - overhead->cycles;
    gc_raw_row(bench->raw, "repeat\tmedian of all SMs, cycles",
               (double[]){(double)r + 1, medians[r]});
  }
  if (status)
    return status;
  element->bulk_latency_cycles = gc_median(medians, REPEATS);
  confidence =
      overhead->confidence * gc_median_confidence(medians, REPEATS, element->bulk_latency_cycles,
                                                  TOLERANCE * element->bulk_latency_cycles);
  if (!(element->bulk_latency_cycles > 0) || confidence < GC_CONFIDENCE_LEAST)
    return gc_set_absent(element, GC_BULK_LATENCY, "repetitions disagree");
  return gc_set_measured(element, GC_BULK_LATENCY, confidence);
}

/* The largest copies: several fill the shared memory of a block, and halves of them down to the
 * smallest size are multiples of 16 bytes. 0: shared memory is too small. */
static uint64_t largest_of(const struct bulk *b)
{
  const uint64_t shared = b->m->bench.properties.shared_per_block;
  const uint64_t fit = shared < GPU_BULK_FIRST ? 0 : (shared - GPU_BULK_FIRST) / GPU_BULK_PLACES;

  return (fit < b->span ? fit : b->span) / UNIT * UNIT;
}

/* One launch, on this SM. rates[size]: OF_LAUNCH of each size. */
static int launch(const struct bulk *b, uint32_t sm, uint64_t largest,
                  double rates[SIZES][OF_LAUNCH])
{
  struct gc_bench *bench = &b->m->bench;
  const uint32_t least = (uint32_t)(largest >> (SIZES - 1));
  const struct gpu_bulk_rate_args args = {.base = bench->arena,
                                          .span = b->span / largest * largest,
                                          .results = gc_scratch_trace(bench),
                                          .bytes = least,
                                          .sizes = SIZES,
                                          .repeats = 1 + OF_LAUNCH, /* the first is a warm-up */
                                          .n = RUN,
                                          .only_sm = sm};
  struct gpu_latency_result seen[SIZES][1 + OF_LAUNCH];
  int status = bench->ops->clear(bench->device, args.results, sizeof(seen), bench->err);

  if (!status)
    status =
        gc_bench_launch(bench, GC_KERNEL_bulk_rate, bench->properties.sms, bench->properties.warp,
                        (uint32_t)(GPU_BULK_FIRST + GPU_BULK_PLACES * largest), &args);
  if (!status)
    status = bench->ops->download(bench->device, seen, args.results, sizeof(seen), bench->err);
  if (!status && !seen[0][0].cycles_n)
    bench->signs |= GC_SIGN_BLOCKS_MET;
  for (uint32_t s = 0; s < SIZES && !status; s++)
    for (uint32_t r = 0; r < OF_LAUNCH; r++) {
      const struct gpu_latency_result *run = &seen[s][1 + r];

      rates[s][r] = run->cycles_2n > run->cycles_n
                        ? (double)RUN * (least << s) / (run->cycles_2n - run->cycles_n)
                        : 0;
      gc_raw_row(bench->raw, "bytes under way\tSM\tbytes per cycle",
                 (double[]){GPU_BULK_PLACES * (least << s), sm, rates[s][r]});
    }
  return status;
}

static int measure_rate(const struct bulk *b, struct gc_measured *element)
{
  const struct gc_results *results = b->m->results;
  const struct gc_rate_limit limit = {gc_sm_limit(&b->m->bench.properties), "bytes per cycle",
                                      "an SM"};
  const struct gc_flow flow = {.kernel = GC_KERNEL_bulk_rate};
  const uint64_t largest = largest_of(b);
  double rates[SIZES][GC_RATE_REPEATS], seen[SIZES][OF_LAUNCH];
  struct gc_rate rate;
  double smaller;
  char why[160];
  int status;

  if (!largest)
    return gc_set_absent(element, GC_BULK_RATE, "shared memory is too small");
  for (uint32_t i = 0; i < LAUNCHES; i++) {
    if ((status = launch(b, results->sm_number[i * results->sm_count / LAUNCHES], largest, seen)))
      return status;
    for (uint32_t s = 0; s < SIZES; s++)
      for (uint32_t r = 0; r < OF_LAUNCH; r++)
        rates[s][i * OF_LAUNCH + r] = seen[s][r];
  }
  gc_rate_of(&b->m->bench, &flow, rates[SIZES - 1], &rate);
  smaller = gc_median(rates[SIZES - 2], GC_RATE_REPEATS);
  if (rate.value > GC_GAIN_MAX * smaller) {
    snprintf(why, sizeof(why),
             "larger copies would give more: of half of the size, %.4g instead of %.4g bytes per "
             "cycle were seen",
             smaller, rate.value);
    return gc_set_absent(element, GC_BULK_RATE, why);
  }
  return gc_rate_put(b->m, element, GC_BULK_RATE, &element->bulk_bytes_per_cycle, &rate, &limit);
}

int gc_step_bulk(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t l2 = m->bench.properties.l2_bytes;
  const struct bulk b = {m, l2 && l2 / L2_SHARE < SPAN ? l2 / L2_SHARE / LINE * LINE : SPAN};
  int status;

  if (!m->bench.properties.bulk_copies)
    return gc_no_value(&m->bench, "this GPU has no bulk copies");
  if ((status = gc_number_sms(m)) || (status = measure_latency(&b, element)))
    return status;
  return measure_rate(&b, element);
}
