/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/model/tlb.h"

#include "predict/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned instances_of(const struct gc_gpu_model *gpu, const struct gc_tlb_level *level)
{
  return level->instances ? level->instances : gpu->sms;
}

static int init_level(struct gc_tlbs *tlbs, unsigned i)
{
  const struct gc_tlb_level *level = &tlbs->gpu->tlb[i];
  const struct gc_cache_geometry entries = {.sets = 1, .ways = level->entries};
  const unsigned instances = instances_of(tlbs->gpu, level);

  if (!level->entries)
    return 0;
  tlbs->levels[i] = calloc(instances, sizeof *tlbs->levels[i]);
  if (!tlbs->levels[i])
    return -ENOMEM;
  for (unsigned k = 0; k < instances; k++) {
    if (gc_lines_init(&tlbs->levels[i][k].entries, &entries, true, 0))
      return -ENOMEM;
    tlbs->levels[i][k].entries.geometry = NULL; /* LRU does not use it */
  }
  tlbs->any = true;
  return 0;
}

int gc_tlbs_init(struct gc_tlbs *tlbs, const struct gc_gpu_model *gpu)
{
  memset(tlbs, 0, sizeof *tlbs);
  tlbs->gpu = gpu;
  for (unsigned i = 0; i < GC_TLB_LEVELS; i++) {
    if (init_level(tlbs, i)) {
      gc_tlbs_fini(tlbs);
      return -ENOMEM;
    }
  }
  return 0;
}

void gc_tlbs_fini(struct gc_tlbs *tlbs)
{
  for (unsigned i = 0; i < GC_TLB_LEVELS; i++) {
    const unsigned instances = tlbs->levels[i] ? instances_of(tlbs->gpu, &tlbs->gpu->tlb[i]) : 0;

    for (unsigned k = 0; k < instances; k++)
      gc_lines_fini(&tlbs->levels[i][k].entries);
    free(tlbs->levels[i]);
  }
  memset(tlbs, 0, sizeof *tlbs);
}

/* Looks a page up, and brings it in if it is not there. */
static bool look_up(struct gc_tlb *tlb, uint64_t page)
{
  struct gc_line *entry;

  if (tlb->newest == page + 1) /* the order stays as it is */
    return true;
  tlb->newest = page + 1;
  entry = gc_lines_find(&tlb->entries, 0, page);
  if (entry)
    gc_lines_use(&tlb->entries, 0, entry);
  else
    gc_lines_add(&tlb->entries, 0, page); /* LRU: never NULL */
  return entry;
}

double gc_tlbs_translate(struct gc_tlbs *tlbs, unsigned sm, uint64_t address,
                         struct gc_counts *counts)
{
  double cycles = 0;

  if (address >= GC_TRACE_LOCAL)
    return 0;
  for (unsigned i = 0; i < GC_TLB_LEVELS; i++) {
    const struct gc_tlb_level *level = &tlbs->gpu->tlb[i];

    if (!tlbs->levels[i])
      continue;
    counts->tlbs[i].lookups++;
    if (look_up(&tlbs->levels[i][level->instances ? level->of_sm[sm] : sm],
                address >> __builtin_ctzll(level->entry_bytes)))
      break;
    counts->tlbs[i].misses++;
    cycles += level->miss_cycles;
  }
  return cycles;
}
