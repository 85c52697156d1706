/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * LRU caches outside the SMs, a block of sets at a time.
 */
#include "model/wide.h"

#include <stdlib.h>
#include <string.h>

/* An entry of a row: the key above these bits. A block has at least GC_WIDE_SET_BYTES of address
 * space for each key, so keys are short enough. */
#define CHANGED (1ull << GC_CACHE_SECTORS_MAX)
#define KEY_SHIFT (GC_CACHE_SECTORS_MAX + 1)
#define NO_KEYS (UINT64_MAX >> KEY_SHIFT) /* free ways have those up to this one */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SECTORS_BYTE 7
#else
#define SECTORS_BYTE 0
#endif

/* One access makes at most so many rows. */
#define NEW_ROWS GC_WIDE_LANES

struct gc_wide *gc_wide_new(uint32_t sets, uint32_t ways)
{
  struct gc_wide *wide = calloc(1, sizeof(*wide));

  if (!wide)
    return NULL;
  wide->ways = ways;
  wide->blocks = (sets + GC_WIDE_LANES - 1) / GC_WIDE_LANES;
  /* each line in a row of its own, and space for as long as the rows do not move */
  wide->capacity = (GC_WIDE_LANES + GC_WIDE_LANES / 4) * ways + NEW_ROWS;
  /* the host provides a page when it is first used; find_key reads up to three rows too many */
  wide->rows = calloc((size_t)wide->blocks * wide->capacity + 3, sizeof(*wide->rows));
  wide->block = calloc(wide->blocks, sizeof(*wide->block));
  if (!wide->rows || !wide->block) {
    gc_wide_free(wide);
    return NULL;
  }
  return wide;
}

void gc_wide_free(struct gc_wide *wide)
{
  if (!wide)
    return;
  free(wide->rows);
  free(wide->block);
  free(wide->again);
  free(wide);
}

static inline unsigned same_key(uint64_t entry, uint64_t key)
{
  return (entry ^ key << KEY_SHIFT) < 1ull << KEY_SHIFT;
}

/* Moves the rows that have lanes to the begin. */
static void move_together(const struct gc_wide *wide, struct gc_wide_block *block,
                          struct gc_wide_row *rows)
{
  uint32_t count = 0, most = wide->capacity - NEW_ROWS;

  for (uint32_t i = block->first; i < block->end; i++)
    if (rows[i].lanes)
      rows[count++] = rows[i];
  block->first = 0;
  block->end = count;
  /* few rows are in few cache lines of the host */
  count += count / 2 + wide->ways;
  block->limit = count < most ? count : most;
}

/* The rows of a block, which is about to be used. Space for new ones is behind them. */
static inline struct gc_wide_row *rows_of(struct gc_wide *wide, uint32_t index, uint64_t period)
{
  struct gc_wide_block *block = &wide->block[index];
  struct gc_wide_row *rows = wide->rows + (size_t)index * wide->capacity;

  if (block->period != period) {
    for (uint32_t i = 0; i < wide->ways; i++)
      rows[i] = (struct gc_wide_row){.lanes = UINT64_MAX, .entry = (NO_KEYS - i) << KEY_SHIFT};
    *block = (struct gc_wide_block){.period = period, .end = wide->ways, .limit = 3 * wide->ways};
  }
  /* single accesses of adjacent lines become one row */
  if (block->end - block->first > 1 && rows[block->end - 1].entry == rows[block->end - 2].entry) {
    block->end--;
    rows[block->end - 1].lanes |= rows[block->end].lanes;
  }
  if (block->end >= block->limit)
    move_together(wide, block, rows);
  return rows;
}

/* The first row from `i` on that has the key; `end` or more: there is none. Rows are searched by
 * fours; there is space behind the last one. */
static inline uint32_t find_key(const struct gc_wide_row *rows, uint32_t i, uint32_t end,
                                uint64_t key)
{
  for (; i < end; i += 4)
    if (same_key(rows[i].entry, key) | same_key(rows[i + 1].entry, key) |
        same_key(rows[i + 2].entry, key) | same_key(rows[i + 3].entry, key))
      break;
  while (i < end && !same_key(rows[i].entry, key))
    i++;
  return i;
}

static inline bool has_line(const struct gc_wide_row *row, const struct gc_wide_lines *line)
{
  return row->lanes & line->lanes && same_key(row->entry, line->key);
}

/* The row that has the line; NULL: none. Single loads often walk along a row, or from one row to
 * the next one in the order of age. */
static inline struct gc_wide_row *row_of(const struct gc_wide *wide,
                                         const struct gc_wide_lines *line, uint64_t period)
{
  const struct gc_wide_block *block = &wide->block[line->block];
  struct gc_wide_row *rows = wide->rows + (size_t)line->block * wide->capacity;
  uint32_t recent = block->recent;

  if (block->period != period)
    return NULL;
  while (recent < block->end && !rows[recent].lanes)
    recent++;
  for (uint32_t i = recent; i < block->end && i < recent + 2; i++)
    if (has_line(&rows[i], line))
      return &rows[i];
  for (uint32_t i = block->first; (i = find_key(rows, i, block->end, line->key)) < block->end; i++)
    if (rows[i].lanes & line->lanes)
      return &rows[i];
  return NULL;
}

bool gc_wide_has(const struct gc_wide *wide, const struct gc_wide_lines *lines, uint64_t period)
{
  return row_of(wide, lines, period);
}

uint8_t gc_wide_sectors(const struct gc_wide *wide, const struct gc_wide_lines *line,
                        uint64_t period)
{
  const struct gc_wide_row *row = row_of(wide, line, period);

  return row ? (uint8_t)row->entry : 0;
}

void gc_wide_change(struct gc_wide *wide, const struct gc_wide_lines *line, uint64_t period)
{
  struct gc_wide_block *block = &wide->block[line->block];
  struct gc_wide_row *row = row_of(wide, line, period);

  if (!row || row->entry & CHANGED || !wide->writes_back)
    return;
  if (row->lanes != line->lanes) { /* the lines are no longer alike */
    rows_of(wide, line->block, period);
    row = row_of(wide, line, period);
    memmove(row + 1, row,
            (size_t)(wide->rows + (size_t)line->block * wide->capacity + block->end - row) *
              sizeof(*row));
    block->end++;
    row->lanes &= ~line->lanes;
    row++;
    row->lanes = line->lanes;
  }
  row->entry |= CHANGED;
}

/* Brings the rows of the next block, which most walks go on to, into the host's caches. */
static inline void prefetch_next(const struct gc_wide *wide, uint32_t index)
{
  const struct gc_wide_block *block = &wide->block[index + 1];
  const struct gc_wide_row *rows = wide->rows + (size_t)(index + 1) * wide->capacity;

  if (index + 1 == wide->blocks)
    return;
  __builtin_prefetch(rows + block->first, 1);
  __builtin_prefetch(rows + block->first + 4, 1);
  __builtin_prefetch(rows + block->end - (block->end > 0), 1);
  __builtin_prefetch(rows + block->end + 1, 1);
}

/* Takes the oldest line out of each of these lanes. Returns how many of them are written back. */
static inline uint64_t replace(struct gc_wide_row *row, uint64_t lanes)
{
  uint64_t written = 0;

  for (; lanes; row++) {
    const uint64_t own = row->lanes & lanes;

    row->lanes ^= own;
    lanes ^= own;
    written += row->entry & CHANGED ? gc_ones(own) : 0;
  }
  return written;
}

static inline void skip_empty(struct gc_wide_block *block, const struct gc_wide_row *rows)
{
  while (!rows[block->first].lanes)
    block->first++;
}

uint8_t *gc_wide_access(struct gc_wide *wide, const struct gc_wide_lines *line, uint64_t period,
                        uint64_t *written_back)
{
  struct gc_wide_row *rows = rows_of(wide, line->block, period), *row = row_of(wide, line, period);
  struct gc_wide_block *block = &wide->block[line->block];
  struct gc_wide_row *young = &rows[block->end];

  young->lanes = line->lanes;
  young->entry = line->key << KEY_SHIFT;
  if (row) {
    young->entry = row->entry;
    row->lanes ^= line->lanes;
    block->recent = (uint32_t)(row - rows);
  } else {
    *written_back += replace(&rows[block->first], line->lanes);
    wide->news++;
  }
  block->end++;
  skip_empty(block, rows);
  return (uint8_t *)&young->entry + SECTORS_BYTE;
}

/* Lines become the youngest ones. old: the youngest rows before. */
static inline void add_row(struct gc_wide_block *block, struct gc_wide_row *rows, uint32_t old,
                           uint64_t entry, uint64_t lanes)
{
  for (uint32_t i = old; i < block->end; i++)
    if (rows[i].entry == entry) {
      rows[i].lanes |= lanes;
      return;
    }
  rows[block->end++] = (struct gc_wide_row){lanes, entry};
}

void gc_wide_access_block(struct gc_wide *wide, const struct gc_wide_lines *lines, uint64_t period,
                          uint8_t sectors, bool change, uint64_t missed[GC_CACHE_SECTORS_MAX],
                          uint64_t *written_back)
{
  struct gc_wide_row *rows = rows_of(wide, lines->block, period);
  struct gc_wide_block *block = &wide->block[lines->block];
  const uint64_t add = sectors | (change && wide->writes_back ? CHANGED : 0);
  /* the youngest row gets what is alike */
  const uint32_t end = block->end, old = end - 1;
  uint64_t left = lines->lanes;

  prefetch_next(wide, lines->block);
  for (uint8_t s = sectors; s; s &= (uint8_t)(s - 1))
    missed[__builtin_ctz(s)] = left;
  for (uint32_t i = block->first; left && (i = find_key(rows, i, end, lines->key)) < end; i++) {
    const uint64_t own = rows[i].lanes & left, entry = rows[i].entry;

    if (!own)
      continue;
    left ^= own;
    rows[i].lanes ^= own;
    for (uint8_t s = sectors & (uint8_t)entry; s; s &= (uint8_t)(s - 1))
      missed[__builtin_ctz(s)] ^= own;
    add_row(block, rows, old, entry | add, own);
  }
  if (left) {
    *written_back += replace(&rows[block->first], left);
    wide->news++;
    add_row(block, rows, old, lines->key << KEY_SHIFT | add, left);
  }
  skip_empty(block, rows);
}
