/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads arrays into L3, and lays rings there.
 */
#include "measure/walk/l3.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"

#include <errno.h>

/* Bytes: at most the line of any L3; used unless an L2 fetches more at a time. */
#define STRIDE_MIN 64
#define PAGE 4096u /* bytes: no GPU has smaller pages */

uint32_t gc_l3_step(const struct gc_properties *properties)
{
  return (uint32_t)(properties->l3_bytes / GC_L3_STEPS / GC_L3_LINE * GC_L3_LINE);
}

/* What one load brings in: a line of L3, or more if L2 fetches more at a time. */
static uint64_t unit_of(const struct gc_results *results)
{
  const uint32_t fetch = gc_l3_read_stride(results);

  return fetch > GC_L3_LINE ? fetch : GC_L3_LINE;
}

/* From the first slot of a pair to the second: not in the same line of L3, nor in the next one, and
 * not in what L2 fetches with it. */
static uint64_t apart_of(uint64_t unit)
{
  return unit > 2 * GC_L3_LINE ? unit : 2 * GC_L3_LINE;
}

/* From the second slot of a pair to the first of the next one there is as much. gc_ring_stride may
 * round down by one line. */
static uint64_t pairs_within(uint64_t bytes, uint64_t pairs, uint64_t unit)
{
  const uint64_t most = bytes / (2 * apart_of(unit));

  return pairs < most ? pairs : most;
}

/* The second slots link to the first slot of the next pair, in scattered order. The first slots
 * link to the second slot of the same pair: a sequential ring of which each value is one step too
 * early, so that the kernel, which writes the address of the next slot, writes that of the same
 * one. The last slot of that ring is not used. */
int gc_l3_lay_ring(struct gc_measurement *m, size_t number, uint64_t bytes, uint64_t most,
                   struct gc_l3_ring *ring)
{
  struct gc_bench *bench = &m->bench;
  const uint64_t unit = unit_of(m->results), apart = apart_of(unit);
  const uint64_t pairs = pairs_within(bytes, most, unit);
  const uint64_t stride = gc_ring_stride(bytes, pairs, GC_L3_LINE);
  const uint64_t start = gc_ring_address(bench, GC_ADDRESS_GLOBAL, number * (unit + GC_L3_SLOT));
  const struct gpu_fill_args first = {.base = start,
                                      .count = pairs + 1,
                                      .stride = stride,
                                      .multiplier = 1,
                                      .first = start + apart - stride,
                                      .step = stride,
                                      .slot_bytes = GC_L3_SLOT};
  const struct gpu_fill_args second = {.base = start + apart,
                                       .count = pairs,
                                       .stride = stride,
                                       .multiplier = gc_ring_scatter(pairs),
                                       .first = start,
                                       .step = stride,
                                       .slot_bytes = GC_L3_SLOT};
  const int status = gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &first);

  *ring = (struct gc_l3_ring){.start = start, .stride = stride, .apart = apart, .pairs = pairs};
  return status ? status
                : gc_bench_launch(bench, GC_KERNEL_fill, bench->properties.sms, 256, 0, &second);
}

size_t gc_l3_rings(const struct gc_results *results, uint64_t bytes, uint64_t pairs)
{
  const uint64_t unit = unit_of(results), apart = apart_of(unit);
  const uint64_t stride = gc_ring_stride(bytes, pairs_within(bytes, pairs, unit), GC_L3_LINE);
  const uint64_t rings = stride > apart + unit ? (stride - apart) / unit : 1;

  return rings < GC_L3_RINGS ? (size_t)rings : GC_L3_RINGS;
}

/* The address of the i-th pair that the ring visits. */
static uint64_t pair_address(const struct gc_l3_ring *ring, uint64_t i)
{
  return ring->start + i * gc_ring_scatter(ring->pairs) % ring->pairs * ring->stride;
}

/* Whether both loads of the i-th pair are in one page. */
static bool in_one_page(const struct gc_l3_ring *ring, uint64_t i)
{
  return pair_address(ring, i) % PAGE + ring->apart < PAGE;
}

int gc_l3_time(struct gc_bench *bench, const struct gc_l3_ring *ring, uint64_t from, uint32_t warm,
               uint32_t pairs, uint32_t *cycles, size_t *n)
{
  const uint64_t start = pair_address(ring, from);
  const struct gc_traced traced = {.starts = &start, .n = 1, .warm = 2 * warm, .loads = 2 * pairs};
  uint32_t *trace = gc_step_alloc(bench, 2 * (size_t)pairs, sizeof(*trace));
  int status = trace ? gc_chase_trace(bench, gc_path_of(GC_L3), &traced, trace) : -ENOMEM;

  *n = 0;
  for (uint32_t i = 0; i < pairs && !status; i++)
    if (in_one_page(ring, from + warm + i))
      cycles[(*n)++] = trace[2 * i + 1];
  gc_step_free(bench, trace);
  return status;
}

int gc_l3_time_beside(struct gc_bench *bench, const struct gc_l3_ring *ring, uint64_t from,
                      struct gc_beside *beside, double cycles[GC_BESIDE_LOADS / 2], size_t *n,
                      bool *met)
{
  int status;

  beside->chains = 1;
  beside->starts[0] = pair_address(ring, from);
  if ((status = gc_beside_launch(bench, beside, met)))
    return status;
  *n = 0;
  for (uint32_t i = 0; i < GC_BESIDE_LOADS / 2; i++)
    if (in_one_page(ring, from + GC_BESIDE_WARM / 2 + i))
      cycles[(*n)++] = beside->trace[2 * i + 1];
  return 0;
}

int gc_l3_sample(struct gc_bench *bench, const struct gc_l3_ring *ring,
                 const struct gc_binning *binning, struct gpu_chase_result *seen)
{
  uint32_t cycles[GC_L3_PAIRS_MAX];
  size_t n;
  const int status = gc_l3_time(bench, ring, 0, 0, (uint32_t)ring->pairs, cycles, &n);

  *seen = (struct gpu_chase_result){0};
  for (size_t i = 0; i < n && !status; i++) {
    const uint32_t bin =
        (cycles[i] > binning->low ? cycles[i] - binning->low : 0) >> binning->shift;

    seen->histogram[bin < GPU_HISTOGRAM_BINS ? bin : GPU_HISTOGRAM_BINS - 1]++;
    seen->slow += cycles[i] >= binning->threshold;
    seen->cycles += cycles[i];
    seen->loads++;
  }
  return status;
}

uint32_t gc_l3_read_stride(const struct gc_results *results)
{
  const struct gc_measured *l2 = &results->element[GC_L2];

  return gc_found(l2, GC_FETCH) && l2->fetch_bytes > STRIDE_MIN ? (uint32_t)l2->fetch_bytes
                                                                : STRIDE_MIN;
}

/* In one launch, some blocks could have read all of their lines when others begin. So each thread
 * loads once in a launch. */
static int read_in_order(struct gc_bench *bench, uint64_t from, uint64_t bytes, uint32_t stride)
{
  const uint64_t piece =
      (uint64_t)bench->properties.sms * bench->properties.threads_per_block * stride;
  int status = 0;

  for (uint64_t at = from; at < bytes && !status; at += piece)
    status = gc_read_by_all(bench, at, bytes - at < piece ? bytes - at : piece, stride);
  return status;
}

int gc_l3_read_array(struct gc_measurement *m, uint64_t from, uint64_t bytes)
{
  const uint64_t end = GC_L3_END_L2S * m->bench.properties.l2_bytes;
  const uint32_t stride = gc_l3_read_stride(m->results);
  int status = read_in_order(&m->bench, from, bytes, stride);

  return status ? status : gc_fill_l2(&m->bench, bytes - end, end, stride, 1);
}
