/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wide caches: where a line is, and windows of adjacent lines part by part.
 */
#include "model/wide_cache.h"

#include "model/again.h"
#include "model/placement.h"
#include "model/wide.h"

#include <endian.h>
#include <string.h>

/* A line as a wide cache knows it: in the set that its unit (its bytes in one set) is in. */
static inline struct gc_wide_lines wide_line(const struct gc_cache *cache, uint64_t line)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift;
  uint32_t set;
  const uint64_t above = gc_placement_divide(cache, line >> shift, &set);

  set ^= (uint32_t)above & cache->above_mask;
  return (struct gc_wide_lines){
      .block = set / GC_WIDE_LANES,
      .lanes = 1ull << set % GC_WIDE_LANES,
      .key = above << shift | (line & ((1u << shift) - 1)),
  };
}

bool gc_wide_cache_has(const struct gc_cache *cache, uint64_t address)
{
  const struct gc_wide_lines line = wide_line(cache, address >> cache->line_shift);

  return gc_wide_has(cache->wide, &line, cache->period);
}

void gc_wide_cache_change(struct gc_cache *cache, uint64_t address)
{
  const struct gc_wide_lines line = wide_line(cache, address >> cache->line_shift);

  gc_wide_change(cache->wide, &line, cache->period);
  cache->last_line = UINT64_MAX; /* its row may have moved */
}

bool gc_wide_cache_may_be(const struct gc_cache *cache)
{
  const struct gc_cache_shape *shape = cache->shape;

  return shape->replacement == GC_REPLACE_LRU && shape->insertion == GC_INSERT_YOUNGEST &&
         (shape->index.hash == GC_HASH_NONE || shape->index.hash == GC_HASH_XOR) &&
         (uint64_t)cache->sets_max * shape->line >= GC_WIDE_SET_BYTES;
}

static void access_line(struct gc_cache *cache, uint64_t address)
{
  const struct gc_wide_lines line = wide_line(cache, address >> cache->line_shift);

  cache->last_line = address >> cache->line_shift;
  cache->last_sectors = gc_wide_access(cache->wide, &line, cache->period, &cache->written_back);
}

/* Makes the accesses that are noted. All of them hit. */
static void make_noted(struct gc_cache *cache)
{
  struct gc_again *again = cache->wide->again;

  if (again->period == cache->period)
    for (uint32_t i = again->oldest; i != GC_AGAIN_NONE; i = again->group[i].younger)
      for (uint32_t k = 0; k < again->group[i].count; k++)
        access_line(cache, again->group[i].address + (uint64_t)k * again->group[i].apart);
  gc_again_drop(again);
}

static inline void settle(struct gc_cache *cache)
{
  if (cache->wide->again && cache->wide->again->oldest != GC_AGAIN_NONE)
    make_noted(cache);
}

static bool has_all(const struct gc_cache *cache, const struct gc_again_group *group)
{
  for (uint32_t k = 0; k < group->count; k++) {
    const uint64_t address = group->address + (uint64_t)k * group->apart;
    const struct gc_wide_lines line = wide_line(cache, address >> cache->line_shift);

    if (!(gc_wide_sectors(cache->wide, &line, cache->period) & 1))
      return false;
  }
  return true;
}

bool gc_wide_cache_access_again(struct gc_cache *cache, uint64_t address, uint32_t apart,
                                uint32_t count)
{
  struct gc_again_group group = {.address = address,
                                 .apart = apart,
                                 .count = count,
                                 .older = GC_AGAIN_NONE,
                                 .younger = GC_AGAIN_NONE};
  struct gc_again *again = cache->wide->again;
  uint32_t entry;

  if (!again)
    again = cache->wide->again = gc_again_new();
  if (!again)
    return false; /* it only saves time */
  if (again->period != cache->period || again->news != cache->wide->news) {
    gc_again_drop(again); /* what is noted was before the cache was emptied */
    again->period = cache->period;
    again->news = cache->wide->news;
    again->epoch++;
  }
  entry = gc_again_find(again, &group);
  if (again->group[entry].epoch != again->epoch) {
    if (!has_all(cache, &group))
      return false;
    if (gc_again_full(again)) {
      settle(cache);
      gc_again_clear(again);
      entry = gc_again_find(again, &group);
    }
    again->used += !again->group[entry].count;
    group.epoch = again->epoch;
    again->group[entry] = group;
  }
  gc_again_note(again, entry);
  cache->last_line = UINT64_MAX;
  return true;
}

void gc_wide_cache_access(struct gc_cache *cache, const uint64_t *address, uint8_t *mask,
                          const uint8_t *loads, unsigned n, struct gc_random *random)
{
  (void)loads;
  (void)random;
  cache->used = true;
  settle(cache);
  for (unsigned i = 0; i < n; i++) {
    access_line(cache, address[i]);
    mask[i] &= (uint8_t) ~*cache->last_sectors;
    *cache->last_sectors |= mask[i];
  }
}

/* Adjacent lines, of which a wide cache sees a part at a time: those in adjacent sets of one block
 * that have the same key. Lines of one unit (the bytes that lie together in one set) differ in
 * their keys, and come one after another. */
struct wide_window {
  uint64_t line, end;     /* the lines that are left */
  uint8_t *mask;          /* of `line` and those behind it */
  const uint8_t *changes; /* the same; NULL: none */
  /* the parts that begin between line and next: those of one unit differ in their phase */
  uint64_t next, above;
  uint32_t low, phase;
};

struct wide_part {
  uint8_t *mask;
  const uint8_t *changes;
  uint32_t step, count;       /* each `step`th line, `count` ones */
  uint32_t lane, turn;        /* lane of the first one, before the hash puts lane i at i ^ turn */
  struct gc_wide_lines lines; /* without lanes */
};

static void next_units(const struct gc_cache *cache, struct wide_window *window)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift;
  uint32_t units;

  window->above = gc_placement_divide(cache, window->line >> shift, &window->low);
  units = GC_WIDE_LANES - window->low % GC_WIDE_LANES;
  units = units < cache->sets - window->low ? units : cache->sets - window->low;
  window->next = ((window->line >> shift) + units) << shift;
  window->next = window->next < window->end ? window->next : window->end;
}

/* False: there are no more parts. */
static bool next_part(const struct gc_cache *cache, struct wide_window *window,
                      struct wide_part *part)
{
  const uint32_t shift = cache->interleave_shift - cache->line_shift, each = 1u << shift;
  uint64_t skip;

  do {
    if (window->phase == each) {
      window->mask += window->next - window->line;
      if (window->changes)
        window->changes += window->next - window->line;
      window->line = window->next;
      window->phase = 0;
    }
    if (window->line == window->end)
      return false;
    if (!window->phase)
      next_units(cache, window);
    skip = (window->phase++ - (uint32_t)window->line) & (each - 1);
  } while (window->line + skip >= window->next);
  *part = (struct wide_part){
      .mask = window->mask + skip,
      .changes = window->changes ? window->changes + skip : NULL,
      .step = each,
      .count = (uint32_t)((window->next - window->line - skip + each - 1) >> shift),
      .turn = (uint32_t)window->above & cache->above_mask,
  };
  part->lane = window->low + (uint32_t)(((window->line + skip) >> shift) - (window->line >> shift));
  part->lines.block = (part->lane ^ part->turn) / GC_WIDE_LANES;
  part->lines.key = window->above << shift | ((window->line + skip) & (each - 1));
  part->lane %= GC_WIDE_LANES;
  part->turn %= GC_WIDE_LANES;
  return true;
}

/* Bit i: byte i of `count` ones, each `step`th one, has this value. */
static inline uint64_t bytes_like(const uint8_t *bytes, uint32_t step, uint32_t count,
                                  uint8_t value)
{
  const uint64_t ones = 0x0101010101010101, below = 0x7f * ones;
  uint64_t alike = 0;

  for (uint32_t i = 0; step > 1 && i < count; i++)
    alike |= (uint64_t)(bytes[i * step] == value) << i;
  for (uint32_t i = 0; step == 1 && i < count; i += 8) {
    uint64_t x = 0;

    memcpy(&x, bytes + i, count - i < 8 ? count - i : 8);
    x = le64toh(x) ^ value * ones;
    x = ~(((x & below) + below) | x | below) >> 7; /* 1 in the bytes that are 0 now */
    alike |= (x * 0x0102040810204080 >> 56) << i;
  }
  return count < 64 ? alike & ((1ull << count) - 1) : alike;
}

/* The bit at i goes to i ^ turn. */
static inline uint64_t turn_bits(uint64_t bits, uint32_t turn)
{
  static const uint64_t low[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};

  for (uint32_t i = 0; turn >> i; i++)
    if (turn >> i & 1)
      bits = (bits & low[i]) << (1u << i) | (bits >> (1u << i) & low[i]);
  return bits;
}

/* Whether all bytes are the same; there are 1 or more. */
static inline bool is_uniform(const uint8_t *bytes, uint32_t count)
{
  const uint64_t first = bytes[0] * 0x0101010101010101;
  uint64_t other = 0, x;

  if (count < sizeof(x))
    return false; /* at least that is not known */
  for (uint32_t i = 0; i + sizeof(x) < count; i += sizeof(x)) {
    memcpy(&x, bytes + i, sizeof(x));
    other |= x ^ first;
  }
  memcpy(&x, bytes + count - sizeof(x), sizeof(x));
  return !(other | (x ^ first));
}

/* The lines of a part that have a mask. */
static inline uint64_t lines_wanted(const struct wide_part *part)
{
  return ~bytes_like(part->mask, part->step, part->count, 0) & UINT64_MAX >> (64 - part->count);
}

static void set_masks(const struct wide_part *part, uint8_t mask)
{
  if (part->step == 1)
    memset(part->mask, mask, part->count);
  for (uint32_t i = 0; part->step > 1 && i < part->count; i++)
    part->mask[i * part->step] = mask;
}

/* These lines of a part had these sectors. */
static void take_sectors(const struct wide_part *part, uint64_t lines, uint8_t sectors)
{
  for (; part->step > 1 && lines; lines &= lines - 1)
    part->mask[(uint32_t)__builtin_ctzll(lines) * part->step] &= (uint8_t)~sectors;
  for (uint32_t i = 0; lines >> i; i += 8) {
    const uint32_t bytes = part->count - i < 8 ? part->count - i : 8;
    /* bit k of the lowest byte goes into byte k */
    uint64_t x = (lines >> i & 0xff) * 0x0101010101010101 & 0x8040201008040201, mask = 0;

    x = htole64(((x + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101) * sectors);
    memcpy(&mask, part->mask + i, bytes);
    mask &= ~x;
    memcpy(part->mask + i, &mask, bytes);
    if (i + 8 == 64)
      return;
  }
}

/* Accesses these lines of a part, which are alike. missed: see gc_wide_access_block. */
static void access_alike(struct gc_cache *cache, struct wide_part *part, uint64_t lines,
                         uint8_t mask, bool change, uint64_t missed[GC_CACHE_SECTORS_MAX])
{
  part->lines.lanes = turn_bits(lines << part->lane, part->turn);
  gc_wide_access_block(cache->wide, &part->lines, cache->period, mask, change, missed,
                       &cache->written_back);
}

/* Leaves what missed in the masks of these lines. Returns how many sectors that is. */
static uint64_t leave_missed(const struct wide_part *part, uint64_t lines, uint8_t mask,
                             const uint64_t missed[GC_CACHE_SECTORS_MAX])
{
  uint64_t count = 0;

  while (mask) {
    const uint64_t lanes = missed[__builtin_ctz(mask)];
    const uint64_t own = turn_bits(lanes, part->turn) >> part->lane;
    uint8_t same = 0; /* most lines miss in all sectors or in none */

    for (uint8_t s = mask; s; s &= (uint8_t)(s - 1))
      same |= missed[__builtin_ctz(s)] == lanes ? s & (uint8_t)-s : 0;
    count += gc_ones(own) * gc_ones_of_few(same);
    take_sectors(part, lines & ~own, same);
    mask &= (uint8_t)~same;
  }
  return count;
}

static inline uint64_t all_lines(const struct wide_part *part)
{
  return UINT64_MAX >> (64 - part->count);
}

/* Accesses the lines of a part, those that are alike at once. Returns how many sectors missed. */
static uint64_t access_part(struct gc_cache *cache, struct wide_part *part)
{
  const bool uniform = part->step == 1 && !part->changes && is_uniform(part->mask, part->count);
  const uint64_t loads =
      part->changes ? bytes_like(part->changes, part->step, part->count, 0) : UINT64_MAX;
  uint64_t missed[GC_CACHE_SECTORS_MAX], count = 0;
  uint64_t left = uniform ? part->mask[0] ? all_lines(part) : 0 : lines_wanted(part);

  while (left) {
    const uint32_t i = (uint32_t)__builtin_ctzll(left);
    const uint8_t mask = part->mask[i * part->step];
    const bool change = !(loads >> i & 1);
    const uint64_t alike = uniform ? left
                                   : bytes_like(part->mask, part->step, part->count, mask) &
                                         (change ? ~loads : loads) & left;

    left &= ~alike;
    access_alike(cache, part, alike, mask, change, missed);
    count += leave_missed(part, alike, mask, missed);
  }
  return count;
}

/* The sectors that all lines missed; -1: some lines missed others. */
static int missed_alike(const struct wide_part *part, uint8_t mask,
                        const uint64_t missed[GC_CACHE_SECTORS_MAX])
{
  int absent = 0;

  for (uint8_t s = mask; s; s &= (uint8_t)(s - 1)) {
    const uint64_t lanes = missed[__builtin_ctz(s)];

    if (lanes == part->lines.lanes)
      absent |= s & -s;
    else if (lanes)
      return -1;
  }
  return absent;
}

/* The same for a window of loads of the same sectors of each line. If all lines have missed the
 * same sectors, which is frequent, the masks are written once, at the end. */
static uint64_t access_uniform(struct gc_cache *cache, struct wide_window *window, unsigned count)
{
  uint8_t *const masks = window->mask, mask = *masks;
  int same = -1; /* the sectors that all lines missed so far; -1: nothing is known */
  bool written = false;
  struct wide_part part;
  uint64_t sum = 0;

  while (next_part(cache, window, &part)) {
    uint64_t missed[GC_CACHE_SECTORS_MAX];
    int absent;

    access_alike(cache, &part, all_lines(&part), mask, false, missed);
    absent = missed_alike(&part, mask, missed);
    if (!written && absent >= 0 && (same < 0 || same == absent)) {
      sum += part.count * gc_ones_of_few((uint32_t)absent);
      same = absent;
      continue;
    }
    if (!written && same >= 0)
      memset(masks, same, count); /* of the parts before this one */
    written = true;
    set_masks(&part, mask);
    sum += leave_missed(&part, all_lines(&part), mask, missed);
  }
  if (!written)
    memset(masks, same, count);
  return sum;
}

uint64_t gc_wide_cache_access_window(struct gc_cache *cache, uint64_t address, uint8_t *mask,
                                     const uint8_t *changes, unsigned count)
{
  const uint64_t first = address >> cache->line_shift;
  struct wide_window window = {
      .line = first, .end = first + count, .mask = mask, .changes = changes};
  struct wide_part part;
  uint64_t missed = 0;

  cache->used = true;
  settle(cache);
  cache->last_line = UINT64_MAX;
  if (!changes && count && is_uniform(mask, count))
    return *mask ? access_uniform(cache, &window, count) : 0;
  while (next_part(cache, &window, &part))
    missed += access_part(cache, &part);
  return missed;
}

bool gc_wide_cache_has_any(const struct gc_cache *cache, uint64_t address, uint8_t *mask,
                           unsigned count)
{
  const uint64_t first = address >> cache->line_shift;
  struct wide_window window = {.line = first, .end = first + count, .mask = mask};
  struct wide_part part;

  while (next_part(cache, &window, &part)) {
    part.lines.lanes = turn_bits(lines_wanted(&part) << part.lane, part.turn);
    if (part.lines.lanes && gc_wide_has(cache->wide, &part.lines, cache->period))
      return true;
  }
  return false;
}
