/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * TLBs: entries, what an entry covers, reach, miss penalty, and which SMs share one. The first
 * level is searched with chains of dependent loads; the second one, whose misses cost more, with
 * many loads at once. doc/methods.md, "TLBs".
 */
#include "measure/structure/structure.h"
#include "measure/structure/tlb_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_SPACING ((uint64_t)2 << 20)
#define SPACING_MAX ((uint64_t)128 << 20)
#define FIRST_PAGES_MAX 512
#define SECOND_PAGES_MAX 16384
#define FIRST_BLOCKS 128
#define FIRST_ROWS 128
#define SECOND_BLOCKS 1
#define SECOND_ROWS 1
#define FIRST_LEAST 1
#define ATTEMPTS 2     /* at the first level, until all regions of addresses agree */
#define SECOND_LEAST 3 /* pages of the kernel itself take entries, too, of one or two sets */

static void set_all_absent(struct gc_measured *element, enum gc_passing passing, const char *why)
{
  const union gc_property_set all = GC_TLB_PROPERTIES;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (all.has[property] && property != GC_PER_SM)
      gc_set_absent_for_now(element, (enum gc_property)property, passing, why);
}

/* The loads must hit in L2: no more pages than half of its lines. */
static uint32_t pages_max(const struct gc_measurement *m, uint32_t most)
{
  const struct gc_measured *l2 = &m->results->element[GC_L2];
  const bool longer = gc_found(l2, GC_LINE) && l2->line_bytes > GC_TLB_LINE;
  const uint64_t line = longer ? l2->line_bytes : GC_TLB_LINE;
  const uint64_t lines = m->bench.properties.l2_bytes / line / 2;

  return lines && lines < most ? (uint32_t)lines : most;
}

static int put_groups(struct gc_tlb_range *range, struct gc_measured *element,
                      const struct gc_tlb_found *found, const struct gc_measured *nearer)
{
  struct gc_tlb_groups groups;
  double confidence;
  int status;

  gc_raw_begin(range->m->bench.raw, element->kind, "sharing groups");
  if ((status = gc_tlb_find_groups(range, found, nearer, &groups)))
    return status;
  /* the mean of all SMs, or else what the search has seen */
  confidence = groups.found.absent ? 0 : groups.penalty_confidence * found->confidence;
  if (confidence >= GC_CONFIDENCE_LEAST)
    gc_set_miss_penalty(element, groups.penalty, confidence);
  else if (found->penalty_confidence > 0)
    gc_set_miss_penalty(element, found->penalty, found->penalty_confidence * found->confidence);
  else
    gc_set_absent(element, GC_MISS_PENALTY,
                  groups.found.absent ? groups.found.absent : "SMs and repetitions disagree");
  if (groups.found.absent) {
    gc_set_absent(element, GC_INSTANCES, groups.found.absent);
    return gc_set_absent(element, GC_SM_GROUPS, groups.found.absent);
  }
  gc_groups_put(element, &groups.found.groups, range->m->bench.properties.sms, GC_SM_GROUPS,
                groups.found.confidence * found->confidence, NULL);
  return 0;
}

static int put_found(struct gc_tlb_range *range, struct gc_measured *element,
                     const struct gc_tlb_found *found, const struct gc_measured *nearer)
{
  if (found->confidence < GC_CONFIDENCE_LEAST) {
    set_all_absent(element, GC_LASTING, "repetitions disagree about the number of entries");
    return 0;
  }
  element->entries = found->entries;
  element->entry_bytes = found->entry_bytes;
  element->reach_bytes = found->reach_bytes;
  if (found->counted)
    gc_set_measured(element, GC_ENTRIES, found->confidence);
  else
    gc_set_absent(element, GC_ENTRIES,
                  "counts differ by up to 1 %, because the kernel's own pages take entries");
  gc_set_measured(element, GC_ENTRY, found->confidence);
  gc_set_measured(element, GC_REACH, found->confidence);
  return put_groups(range, element, found, nearer);
}

static int measure(struct gc_tlb_range *range, struct gc_measured *element)
{
  const struct gc_measured *first = &range->m->results->element[GC_L1_TLB];
  const bool second = element->kind == GC_L2_TLB;
  const struct gc_measured *nearer = second ? first : NULL;
  const struct gc_tlb_way way = {.chained = !second,
                                 .blocks = second ? SECOND_BLOCKS : FIRST_BLOCKS,
                                 .rows = second ? SECOND_ROWS : FIRST_ROWS,
                                 .rows_max = second ? SECOND_ROWS : GC_TLB_SAMPLES,
                                 .least = second ? SECOND_LEAST : FIRST_LEAST};
  const struct gc_tlb_start start = {
      .spacing = second ? first->entry_bytes : FIRST_SPACING,
      .spacing_max = SPACING_MAX,
      .pages_max = pages_max(range->m, second ? SECOND_PAGES_MAX : FIRST_PAGES_MAX),
      .nearer = nearer};
  struct gc_tlb_found found = {0};
  struct gc_tlb_walk walk;
  char why[160];
  int status = gc_tlb_walk_open(&walk, range, &way);

  for (int attempt = 0; attempt < ATTEMPTS && !status; attempt++) {
    status = gc_tlb_search(&walk, &start, &found);
    if (second || !found.entries || found.confidence >= GC_CONFIDENCE_LEAST)
      break;
  }
  if (status)
    return status;
  if (found.entries)
    return put_found(range, element, &found, nearer);
  snprintf(why, sizeof(why), "no load waited %sfor a translation in %llu MiB of addresses",
           second ? "longer " : "", (unsigned long long)(found.tried_bytes >> 20));
  if (found.blind)
    snprintf(why, sizeof(why), "%s",
             second ? "the first TLB has too many entries, or there are too few addresses, to find "
                      "what an entry of this one covers"
                    : "there are too few addresses to find what an entry covers");
  if (found.noise)
    snprintf(why, sizeof(why),
             "some loads are slow whatever the distance of the pages, so this shows no TLB");
  set_all_absent(element, GC_LASTING, why);
  return 0;
}

int gc_step_tlb(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_tlb_range range;
  const char *absent;
  int status, closed;

  if (element->kind == GC_L2_TLB && !gc_found(&m->results->element[GC_L1_TLB], GC_ENTRY)) {
    set_all_absent(element, GC_LASTING, "this needs the values of L1TLB, which are absent");
    return 0;
  }
  if ((status = gc_tlb_range_open(m, &range, &absent)))
    return status;
  if (absent)
    set_all_absent(element, range.refused ? GC_LITTLE_MEMORY : GC_LASTING, absent);
  else
    status = measure(&range, element);
  if (status == -ENOMEM && range.refused) {
    set_all_absent(element, GC_LITTLE_MEMORY, GC_TLB_REFUSED);
    status = 0;
  }
  closed = gc_tlb_range_close(&range);
  return status ? status : closed;
}
