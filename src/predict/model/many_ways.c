/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of many ways. The lines of a set are in a ring, in the order of their last use: a line that
 * is used moves to the end, and leaves an empty slot. The oldest line is the first one of the ring.
 * So the host accesses lines in order, except those that are found.
 *
 * Chains by hash find lines. A use puts its line first in its chain, so that a chain is in the
 * order of uses, too. Evicting a line does not access its chain: a search ends at the first entry
 * whose position is not in the ring any more. An entry has the lowest bits of a position, and in
 * the bits above them those of the hash; if an old position looks like one of the ring, the search
 * compares some lines in vain.
 *
 * A full ring is compacted; at least half of its slots are empty then. So each operation takes a
 * constant time on average. With GC_POLICY_RANDOM, each way has the position of its line.
 */
#include "predict/model/cache_lines.h"

#include <errno.h>

#define SLOTS_AHEAD 8 /* hints for the caches of the host */

/* Positions that can be told apart: a multiple of the slots, so that few old ones look new. */
#define POSITIONS_PER_SLOT 16

int gc_many_ways_init(struct gc_lines *lines)
{
  uint64_t slots = 64, chains = 64;

  while (slots < 2 * (uint64_t)lines->ways)
    slots *= 2;
  while (chains < 4 * (uint64_t)lines->ways)
    chains *= 2;
  lines->slot_mask = (uint32_t)(slots - 1);
  lines->chain_mask = (uint32_t)(chains - 1);
  lines->position_mask = (uint32_t)(POSITIONS_PER_SLOT * slots - 1);
  lines->lines = gc_host_table(lines->sets * slots * sizeof *lines->lines);
  lines->chains = gc_host_table(lines->sets * chains * sizeof *lines->chains);
  lines->rings = gc_host_table(lines->sets * sizeof *lines->rings);
  if (lines->policy == GC_POLICY_RANDOM)
    lines->positions =
        gc_host_table((uint64_t)lines->sets * lines->ways * sizeof *lines->positions);
  return lines->lines && lines->chains && lines->rings &&
                 (lines->positions || lines->policy != GC_POLICY_RANDOM)
             ? 0
             : -ENOMEM;
}

void gc_many_ways_clear(struct gc_lines *lines)
{
  /* entries of 0 are not in the ring */
  const uint32_t begin = 2 * (lines->slot_mask + 1);

  for (uint32_t set = 0; set < lines->sets; set++)
    lines->rings[set] = (struct gc_ring){.first = begin, .end = begin};
  memset(lines->chains, 0, lines->sets * (lines->chain_mask + (size_t)1) * sizeof *lines->chains);
}

/* The line at a position of the ring is the first one of its chain. */
GC_ALWAYS_INLINE void put_first(struct gc_lines *lines, uint32_t set, uint32_t position,
                                uint32_t hash)
{
  uint32_t *chain = gc_many_ways_chain(lines, set, hash);

  lines->lines[gc_many_ways_slot(lines, set, position)].next = *chain;
  *chain = (hash & ~lines->position_mask) | (position & lines->position_mask);
}

/* Closes the gaps. */
static __attribute__((noinline)) void compact(struct gc_lines *lines, uint32_t set)
{
  struct gc_ring *ring = &lines->rings[set];
  uint32_t *positions = lines->positions ? &lines->positions[set * (size_t)lines->ways] : NULL;
  uint32_t to = ring->first;

  for (uint32_t way = 0; positions && way < ring->used; way++) /* for the loop below */
    lines->lines[gc_many_ways_slot(lines, set, positions[way])].next = way;
  memset(gc_many_ways_chain(lines, set, 0), 0,
         (lines->chain_mask + (size_t)1) * sizeof *lines->chains);
  for (uint32_t from = ring->first; from != ring->end; from++) {
    const struct gc_line *line = &lines->lines[gc_many_ways_slot(lines, set, from)];
    const size_t slot = gc_many_ways_slot(lines, set, to);

    if (!line->tag)
      continue;
    lines->lines[slot] = *line;
    if (positions)
      positions[line->next] = to;
    put_first(lines, set, to++, gc_hash_of(line->tag - 1));
  }
  ring->end = to;
}

/* A slot at the end of the ring. */
GC_ALWAYS_INLINE struct gc_line *append(struct gc_lines *lines, uint32_t set, uint32_t hash)
{
  struct gc_ring *ring = &lines->rings[set];
  struct gc_line *line;

  if (ring->end - ring->first > lines->slot_mask)
    compact(lines, set);
  line = &lines->lines[gc_many_ways_slot(lines, set, ring->end)];
  gc_prefetch(&lines->lines[gc_many_ways_slot(lines, set, ring->end + SLOTS_AHEAD)]);
  put_first(lines, set, ring->end++, hash);
  return line;
}

struct gc_line *gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  struct gc_line copy = *line;
  const size_t slot = (size_t)(line - lines->lines);
  const uint32_t hash = gc_hash_of(copy.tag - 1);
  uint32_t *entry = gc_many_ways_chain(lines, set, hash);

  if (slot == gc_many_ways_slot(lines, set, lines->rings[set].end - 1))
    return line;
  while (gc_many_ways_slot(lines, set, *entry) != slot)
    entry = &lines->lines[gc_many_ways_slot(lines, set, *entry)].next;
  *entry = copy.next;
  line->tag = 0;
  line = append(lines, set, hash);
  copy.next = line->next;
  *line = copy;
  return line;
}

GC_ALWAYS_INLINE void evict_oldest(struct gc_lines *lines, uint32_t set)
{
  struct gc_ring *ring = &lines->rings[set];

  while (!lines->lines[gc_many_ways_slot(lines, set, ring->first)].tag)
    ring->first++;
  ring->first++;
  gc_prefetch(&lines->lines[gc_many_ways_slot(lines, set, ring->first + SLOTS_AHEAD)]);
}

/* The line of a way goes, and the way gets the next one. */
static struct gc_line *add_to_way(struct gc_lines *lines, uint32_t set, uint32_t way, bool is_full,
                                  uint32_t hash)
{
  uint32_t *position = &lines->positions[set * (size_t)lines->ways + way];
  struct gc_line *line;

  if (is_full)
    lines->lines[gc_many_ways_slot(lines, set, *position)].tag = 0;
  line = append(lines, set, hash);
  *position = lines->rings[set].end - 1;
  return line;
}

struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  struct gc_ring *ring = &lines->rings[set];
  const bool is_full = ring->used == lines->ways;

  if (lines->positions)
    return add_to_way(lines, set,
                      is_full ? gc_draw_below(&lines->random, lines->ways) : ring->used++, is_full,
                      (uint32_t)mix);
  if (is_full)
    evict_oldest(lines, set);
  else
    ring->used++;
  return append(lines, set, (uint32_t)mix);
}
