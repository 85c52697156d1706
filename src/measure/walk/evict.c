/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills and empties L2 and L3.
 */
#include "measure/walk/evict.h"

#define L3_STRIDE 64 /* bytes: at most the line of any L3 */
#define L3_RING 8    /* if there is an L3, a ring takes the arena divided by this */
/* Blocks that read into each L2, if there are several: XCDs get blocks alternately. */
#define BLOCKS_OF_L2 2
#define EMPTY_PASSES 6
#define COLD_MIN ((uint64_t)8 << 20) /* bytes before the part that evicts them, at least */
#define ALIGNMENT 4096
#define LEAST_L3S 2 /* least size of the arena in L3s: nearly all of it evicts the rest from L3 */
/* Bytes to read in addition to twice the L2, if there is only one L2. */
#define EMPTY_MORE ((uint64_t)32 << 20)
#define EMPTY_STRIDE 64 /* twice the shortest line of an L2, see below */

int gc_read_arena(struct gc_bench *bench, const struct gc_read *read)
{
  const struct gpu_touch_args args = {.base = bench->arena + read->offset,
                                      .bytes = read->bytes,
                                      .stride = read->stride,
                                      .sink = bench->scratch,
                                      .passes = read->passes,
                                      .only_sm = read->only_sm};
  const uint32_t sms = bench->properties.sms, few = BLOCKS_OF_L2 * bench->properties.l2_count;

  return gc_bench_launch(bench, GC_KERNEL_touch,
                         read->only_sm == GPU_EACH_SM && few < sms ? few : sms,
                         bench->properties.threads_per_block, 0, &args);
}

int gc_read_by_all(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride)
{
  return gc_read_arena(bench, &(struct gc_read){offset, bytes, stride, 1, GPU_ANY_SM});
}

int gc_fill_l2(struct gc_bench *bench, uint64_t offset, uint64_t bytes, uint32_t stride,
               uint32_t passes)
{
  const uint32_t readers = bench->properties.l2_count > 1 ? GPU_EACH_SM : GPU_ANY_SM;

  return gc_read_arena(bench, &(struct gc_read){offset, bytes, stride, passes, readers});
}

/* The offset of the part of the arena that evicts the part before it from L2. This part is the
 * second half, or, if memory is scarce, a little more than the L2. */
static uint64_t second_part(const struct gc_bench *bench)
{
  const uint64_t half = bench->arena_bytes / 2, l2 = bench->properties.l2_bytes;
  const uint64_t enough = l2 + l2 / 8;

  return half >= l2 || bench->arena_bytes < enough + COLD_MIN
             ? half
             : (bench->arena_bytes - enough) / ALIGNMENT * ALIGNMENT;
}

int gc_empty_l2(struct gc_bench *bench)
{
  const uint64_t from = second_part(bench), rest = bench->arena_bytes - from,
                 l2 = bench->properties.l2_bytes;
  const uint64_t most = bench->properties.l3_bytes / 4; /* the L3 must keep its contents */
  const uint64_t more = most && most < EMPTY_MORE ? most : EMPTY_MORE;
  const uint64_t enough = bench->properties.l2_count > 1 ? 2 * l2 : 2 * l2 + more;
  const uint64_t bytes = rest < enough ? rest : enough;
  int status = gc_fill_l2(bench, from, bytes, EMPTY_STRIDE, EMPTY_PASSES / 2);

  /* the second half of each 64 bytes: if lines have 32 bytes, it is in other sets */
  return status ? status
                : gc_fill_l2(bench, from + EMPTY_STRIDE / 2, bytes - EMPTY_STRIDE, EMPTY_STRIDE,
                             EMPTY_PASSES / 2);
}

uint64_t gc_needs_cold_l2(const struct gc_measurement *m, enum gc_kind kind)
{
  const uint64_t l2 = m->bench.properties.l2_bytes, scarce = l2 + l2 / 8 + COLD_MIN;

  (void)kind;
  return 2 * l2 < scarce ? 2 * l2 : scarce;
}

uint64_t gc_needs_cold(const struct gc_measurement *m, enum gc_kind kind)
{
  const uint64_t l3 = m->bench.properties.l3_bytes;

  return l3 ? LEAST_L3S * l3 : gc_needs_cold_l2(m, kind);
}

uint64_t gc_cold_bytes(const struct gc_bench *bench)
{
  return bench->properties.l3_bytes ? bench->arena_bytes / L3_RING : second_part(bench);
}

int gc_empty_caches(struct gc_bench *bench)
{
  const uint64_t cold = gc_cold_bytes(bench);
  int status;

  if (!bench->properties.l3_bytes)
    return gc_empty_l2(bench);
  status = gc_read_by_all(bench, cold, bench->arena_bytes - cold, L3_STRIDE);
  return status ? status : gc_fill_l2(bench, cold, 2 * bench->properties.l2_bytes, L3_STRIDE, 1);
}
