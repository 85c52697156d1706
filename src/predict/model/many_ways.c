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
 * With SLRU, a set has two rings: 2 * set has the lines that were not hit, and the one after it the
 * protected ones.
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
  const uint64_t rings = (uint64_t)lines->sets << lines->segmented;
  uint64_t slots = 64, chains = 64;

  while (slots < 2 * (uint64_t)lines->ways)
    slots *= 2;
  while (chains < 4 * (uint64_t)lines->ways)
    chains *= 2;
  lines->slot_mask = (uint32_t)(slots - 1);
  lines->chain_mask = (uint32_t)(chains - 1);
  lines->position_mask = (uint32_t)(POSITIONS_PER_SLOT * slots - 1);
  lines->lines = gc_host_table(rings * slots * sizeof *lines->lines);
  lines->chains = gc_host_table(rings * chains * sizeof *lines->chains);
  lines->rings = gc_host_table(rings * sizeof *lines->rings);
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
  const size_t rings = (size_t)lines->sets << lines->segmented;
  /* entries of 0 are not in the ring */
  const uint32_t begin = 2 * (lines->slot_mask + 1);

  for (size_t ring = 0; ring < rings; ring++)
    lines->rings[ring] = (struct gc_ring){.first = begin, .end = begin};
  memset(lines->chains, 0, rings * (lines->chain_mask + (size_t)1) * sizeof *lines->chains);
}

/* The line at a position of the ring is the first one of its chain. */
GC_ALWAYS_INLINE void put_first(struct gc_lines *lines, size_t ring, uint32_t position,
                                uint32_t hash)
{
  uint32_t *chain = gc_many_ways_chain(lines, ring, hash);

  gc_many_ways_at(lines, ring, position)->next = *chain;
  *chain = (hash & ~lines->position_mask) | (position & lines->position_mask);
}

/* Closes the gaps. */
static __attribute__((noinline)) void compact(struct gc_lines *lines, size_t ring)
{
  struct gc_ring *own = &lines->rings[ring];
  uint32_t *positions = lines->positions ? &lines->positions[ring * lines->ways] : NULL;
  uint32_t to = own->first;

  for (uint32_t way = 0; positions && way < own->used; way++) /* for the loop below */
    gc_many_ways_at(lines, ring, positions[way])->next = way;
  memset(gc_many_ways_chain(lines, ring, 0), 0,
         (lines->chain_mask + (size_t)1) * sizeof *lines->chains);
  for (uint32_t from = own->first; from != own->end; from++) {
    const struct gc_line *line = gc_many_ways_at(lines, ring, from);

    if (!line->tag)
      continue;
    if (positions)
      positions[line->next] = to;
    *gc_many_ways_at(lines, ring, to) = *line;
    put_first(lines, ring, to, gc_hash_of(gc_many_ways_at(lines, ring, to)->tag - 1));
    to++;
  }
  own->end = to;
}

/* A slot at the end of the ring. */
GC_ALWAYS_INLINE struct gc_line *append(struct gc_lines *lines, size_t ring, uint32_t hash)
{
  struct gc_ring *own = &lines->rings[ring];
  struct gc_line *line;

  if (own->end - own->first > lines->slot_mask)
    compact(lines, ring);
  line = gc_many_ways_at(lines, ring, own->end);
  gc_prefetch(gc_many_ways_at(lines, ring, own->end + SLOTS_AHEAD));
  put_first(lines, ring, own->end++, hash);
  return line;
}

static struct gc_line *append_copy(struct gc_lines *lines, size_t ring, struct gc_line copy)
{
  struct gc_line *line = append(lines, ring, gc_hash_of(copy.tag - 1));

  copy.next = line->next;
  *line = copy;
  return line;
}

/* Moves a line from its ring to the end of a ring. */
static struct gc_line *move(struct gc_lines *lines, size_t from, size_t to, struct gc_line *line)
{
  const struct gc_line copy = *line;
  uint32_t *entry = gc_many_ways_chain(lines, from, gc_hash_of(copy.tag - 1));

  while (gc_many_ways_at(lines, from, *entry) != line)
    entry = &gc_many_ways_at(lines, from, *entry)->next;
  *entry = copy.next;
  line->tag = 0;
  return append_copy(lines, to, copy);
}

struct gc_line *gc_many_ways_use(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  if (line == gc_many_ways_at(lines, set, lines->rings[set].end - 1))
    return line;
  return move(lines, set, set, line);
}

GC_ALWAYS_INLINE struct gc_line *evict_oldest(struct gc_lines *lines, size_t ring)
{
  struct gc_ring *own = &lines->rings[ring];

  while (!gc_many_ways_at(lines, ring, own->first)->tag)
    own->first++;
  gc_prefetch(gc_many_ways_at(lines, ring, own->first + SLOTS_AHEAD));
  return gc_many_ways_at(lines, ring, own->first++);
}

/* SLRU: of too many protected lines, the oldest one becomes the newest other line. */
struct gc_line *gc_many_ways_protect(struct gc_lines *lines, uint32_t set, struct gc_line *line)
{
  const size_t others = 2 * (size_t)set, kept = others + 1;
  const bool is_new = line < gc_many_ways_at(lines, kept, 0);

  line = move(lines, is_new ? others : kept, kept, line);
  if (is_new && ++lines->rings[kept].used > lines->ways / 2) {
    lines->rings[kept].used--;
    append_copy(lines, others, *evict_oldest(lines, kept));
  }
  return line;
}

/* The line of a way goes, and the way gets the next one. */
static struct gc_line *add_to_way(struct gc_lines *lines, uint32_t set, uint32_t way, bool is_full,
                                  uint32_t hash)
{
  uint32_t *position = &lines->positions[set * (size_t)lines->ways + way];
  struct gc_line *line;

  if (is_full)
    gc_many_ways_at(lines, set, *position)->tag = 0;
  line = append(lines, set, hash);
  *position = lines->rings[set].end - 1;
  return line;
}

struct gc_line *gc_many_ways_add(struct gc_lines *lines, uint32_t set, uint64_t mix)
{
  const size_t ring = (size_t)set << lines->segmented;
  struct gc_ring *own = &lines->rings[ring];
  const bool is_full = own->used == lines->ways;

  if (lines->positions)
    return add_to_way(lines, set,
                      is_full ? gc_draw_below(&lines->random, lines->ways) : own->used++, is_full,
                      (uint32_t)mix);
  if (is_full)
    evict_oldest(lines, ring);
  else
    own->used++;
  return append(lines, ring, (uint32_t)mix);
}
