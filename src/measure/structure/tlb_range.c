/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps memory at many addresses.
 */
#include "measure/structure/tlb_range.h"

#include "measure/core/memo.h"

#include <errno.h>

#define PIECE_MAX ((uint64_t)1 << 30) /* what measuring may use in all */
#define PIECE_MIN ((uint64_t)2 << 20)
/* Used even if other steps have needed less memory: smaller pieces take longer to map. */
#define PIECE_LEAST ((uint64_t)64 << 20)
#define SPAN_MAX ((uint64_t)256 << 30) /* addresses */
/* A TLB need not reach further than the memory. The rest of the span serves to evict it. */
#define SPAN_MEMORIES 2
/* Ordinary memory: used even if a 20th of the free memory is less. */
#define PLAIN_LEAST ((uint64_t)256 << 20)
#define ALIGNMENT ((uint64_t)2 << 20)

static void release_kept(void *kept)
{
  const struct gc_bench *bench = &((const struct gc_tlb_range *)kept)->m->bench;

  bench->ops->release_alias(bench->device);
}

static const struct gc_memo_type kept_range = {sizeof(struct gc_tlb_range), release_kept};

/* Bytes that can be allocated now if all buffers together use `in_all`; at least `least`, or what
 * measuring may still use if that is less. */
static uint64_t spare(const struct gc_bench *bench, uint64_t in_all, uint64_t least)
{
  const uint64_t now = bench->ops->counts(bench->device)->device_bytes;
  const uint64_t most = in_all > now + least ? in_all - now : least;
  const uint64_t limit = bench->most_bytes > now ? bench->most_bytes - now : 0;

  return most < limit ? most : limit;
}

/* Reserves addresses for pieces of this size. */
static int alias(struct gc_tlb_range *range, uint64_t piece)
{
  struct gc_bench *bench = &range->m->bench;
  const uint64_t wanted = SPAN_MEMORIES * bench->properties.memory_bytes;

  range->piece = piece;
  range->span = (wanted < SPAN_MAX ? wanted : SPAN_MAX) / piece * piece;
  return bench->ops->alias(bench->device, piece, range->span, &range->base, bench->err);
}

/* A large piece: few are mapped, but no more memory is needed. -ENOSPC: even the smallest piece
 * would need more. -ENOMEM: another program has taken the memory. */
static int open_aliases(struct gc_tlb_range *range)
{
  struct gc_bench *bench = &range->m->bench;
  const uint64_t peak = bench->ops->counts(bench->device)->device_bytes_peak;
  const uint64_t most = spare(bench, peak, PIECE_LEAST);
  uint64_t piece = PIECE_MAX;
  int status;

  while (piece > PIECE_MIN && piece > most)
    piece /= 2;
  status = piece > most ? -ENOSPC : alias(range, piece);
  range->aliased = !status;
  return status;
}

/* Ordinary memory: what measuring usually uses, because it is not known how far a TLB reaches. */
static int open_plain(struct gc_tlb_range *range)
{
  struct gc_bench *bench = &range->m->bench;
  uint64_t bytes = spare(bench, bench->usual_bytes, PLAIN_LEAST) / ALIGNMENT * ALIGNMENT;
  int status = -ENOMEM;

  for (; status == -ENOMEM && bytes > ALIGNMENT; bytes = bytes / 2 / ALIGNMENT * ALIGNMENT) {
    status = bench->ops->alloc(bench->device, bytes, &range->allocated, bench->err);
    range->piece = bytes;
  }
  if (status)
    return status;
  range->base = (range->allocated + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  range->span = range->usable = range->piece - (range->base - range->allocated);
  return 0;
}

int gc_tlb_range_open(struct gc_measurement *m, struct gc_tlb_range *range, const char **absent)
{
  const struct gc_tlb_range *kept = gc_memo_find(m->memos, &kept_range);
  int status;

  *range = kept ? *kept : (struct gc_tlb_range){.m = m};
  *absent = NULL;
  if (kept)
    return 0;
  gc_bench_lend_arena(&m->bench);
  status = open_aliases(range);
  if (status == -ENOMEM) {
    range->refused = true;
    *absent = "another program has taken the memory for an array beyond the reach of a TLB";
  } else if (status == -ENOTSUP || status == -ENOSPC) {
    status = open_plain(range);
    if (status == -ENOMEM)
      *absent = "there is too little free memory for an array beyond the reach of a TLB";
  }
  if (status && gc_bench_return_arena(&m->bench))
    return -EIO;
  return *absent ? 0 : status;
}

int gc_tlb_range_close(struct gc_tlb_range *range)
{
  struct gc_measurement *m = range->m;
  struct gc_bench *bench = &m->bench;
  struct gc_tlb_range *kept;

  bench->ops->release(bench->device, range->allocated);
  if (!range->aliased)
    return bench->arena ? 0 : gc_bench_return_arena(bench);
  kept = gc_memo_find(m->memos, &kept_range);
  if (!range->refused && (kept || (kept = gc_memo_keep(&m->memos, &kept_range, bench->err)))) {
    *kept = *range;
    return 0;
  }
  if (kept)
    gc_memo_drop(&m->memos, &kept_range);
  else
    bench->ops->release_alias(bench->device);
  return gc_bench_return_arena(bench);
}

void gc_tlb_range_give_back(struct gc_measurement *m)
{
  gc_memo_drop(&m->memos, &kept_range);
  if (!m->bench.arena)
    gc_bench_return_arena(&m->bench);
}

static uint64_t end_of(const struct gc_tlb_pages *pages)
{
  return pages->offset + (pages->count + 1) * pages->stride;
}

bool gc_tlb_range_fits(const struct gc_tlb_range *range, const struct gc_tlb_pages *pages)
{
  return end_of(pages) <= range->span;
}

uint64_t gc_tlb_stride(uint64_t spacing, uint64_t drift)
{
  const uint64_t lines = (spacing + drift) / GC_TLB_LINE;

  return (lines | 1) * GC_TLB_LINE;
}

int gc_tlb_range_reach(struct gc_tlb_range *range, uint64_t bytes)
{
  struct gc_bench *bench = &range->m->bench;
  const uint64_t whole = (bytes + range->piece - 1) / range->piece * range->piece;
  const uint64_t end = whole < range->span ? whole : range->span;
  int status;

  if (!range->aliased || end <= range->usable)
    return 0;
  if (!(status = bench->ops->alias_until(bench->device, end, bench->err)))
    range->usable = end;
  range->refused = status == -ENOMEM;
  return status;
}

int gc_tlb_map(struct gc_tlb_range *range, const struct gc_tlb_pages *pages)
{
  if (!gc_tlb_range_fits(range, pages))
    return gc_fail(range->m->bench.err, -EINVAL, "%u pages do not fit the range", pages->count);
  return gc_tlb_range_reach(range, end_of(pages));
}
