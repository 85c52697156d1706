/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lays and walks pairs of loads from cold caches.
 */
#include "measure/walk/pairs.h"
#include "measure/core/step_memory.h"
#include "measure/walk/chase.h"
#include "measure/walk/evict.h"
#include "measure/walk/ring.h"

#include <errno.h>
#include <string.h>

#define BLOCK_MIN 512u /* bytes between pairs */
#define SMS_MAX 32     /* with more SMs only the transfer of the trace takes longer */

/* Gives each pair a block of its own, in random order, so that reaches alternate at random
 * places. */
static int lay_pairs(struct gc_pairs *pairs, const uint32_t *reaches, uint32_t n)
{
  struct gc_layout *layout = &pairs->layout;
  uint32_t *order = gc_step_alloc(layout->bench, pairs->count, sizeof(*order));

  if (!order)
    return -ENOMEM;
  gc_layout_shuffle(layout, order, pairs->count);
  for (uint32_t i = 0; i < pairs->count; i++)
    pairs->firsts[i] =
        gc_layout_take(layout, (uint64_t)order[i] * pairs->block, pairs->block, reaches[i % n] / 2);
  for (uint32_t i = 0; i < pairs->count; i++) {
    const uint64_t second = pairs->firsts[i] ^ reaches[i % n] / 2;

    gc_layout_link(layout, pairs->firsts[i], second);
    gc_layout_link(layout, second, pairs->firsts[(i + 1) % pairs->count]);
  }
  return gc_layout_upload(layout);
}

/* Each SM needs a part of the pairs for itself, if SMs may share the cache: an SM would find what
 * another one brought in. */
static bool needs_own_pairs(const struct gc_bench *bench, const struct gc_path *path)
{
  return path->kind == GC_L2 || path->space == GC_ADDRESS_CONSTANT || gc_walks_alone(bench, path);
}

int gc_pairs_open(struct gc_pairs *pairs, struct gc_bench *bench, const struct gc_path *path,
                  const uint32_t *reaches, uint32_t n, uint32_t each)
{
  int status;

  memset(pairs, 0, sizeof(*pairs));
  pairs->path = path;
  pairs->block = reaches[n - 1] > BLOCK_MIN ? reaches[n - 1] : BLOCK_MIN;
  if ((status =
           gc_layout_open(&pairs->layout, bench, path->space, (uint64_t)n * each * pairs->block)))
    return status;
  pairs->count = (uint32_t)(pairs->layout.bytes / pairs->block) / n * n;
  pairs->sms = bench->properties.sms < SMS_MAX ? bench->properties.sms : SMS_MAX;
  if (needs_own_pairs(bench, path)) {
    pairs->sms = pairs->sms < pairs->count / 8 ? pairs->sms : pairs->count / 8;
    pairs->each = pairs->count / pairs->sms;
  } else {
    pairs->each = pairs->count;
  }
  pairs->firsts = gc_step_alloc(bench, pairs->count, sizeof(*pairs->firsts));
  pairs->trace = gc_step_alloc(bench, (size_t)pairs->sms * pairs->each * 2, sizeof(*pairs->trace));
  return pairs->firsts && pairs->trace ? lay_pairs(pairs, reaches, n) : -ENOMEM;
}

int gc_pairs_run(struct gc_pairs *pairs)
{
  struct gc_bench *bench = pairs->layout.bench;
  const struct gc_path *path = pairs->path;
  uint64_t *starts = gc_step_alloc(bench, pairs->sms, sizeof(*starts));
  const struct gc_traced traced = {.starts = starts, .n = pairs->sms, .loads = 2 * pairs->each};
  int status = 0;

  if (!starts)
    return -ENOMEM;
  for (uint32_t i = 0; i < pairs->sms; i++)
    starts[i] =
        gc_ring_address(bench, path->space, pairs->firsts[gc_pairs_at(pairs, i * pairs->each)]);
  /* a launch empties caches inside the SM, but not L2 */
  if (path->kind == GC_L2)
    status = gc_empty_l2(bench);
  if (!status)
    status = gc_chase_trace(bench, path, &traced, pairs->trace);
  return status;
}
