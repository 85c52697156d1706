/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The upper address bits in the hash that chooses a set of L1. sets.c finds the masks with a small
 * array, so they end at its size. But two arrays of a program differ in higher bits. Here the same
 * small array lies at many addresses (tlb_range.h). At another address, a linear hash changes the
 * number of each set by the same exclusive or, called a change here. All changes are tried: a line
 * of the array at the other address is loaded, then more lines of one set of the array than a set
 * has ways, then the first line again. This load misses exactly if its set is that one.
 * doc/methods.md, "Sets and replacement".
 */
#include "measure/structure/structure.h"

#include "measure/core/step_memory.h"
#include "measure/structure/cache_lines.h"
#include "measure/structure/index.h"
#include "measure/structure/tlb_range.h"
#include "measure/walk/layout.h"
#include "measure/walk/marks.h"
#include "measure/walk/vote.h"

#include <errno.h>
#include <string.h>

#define EVICT_WAYS 3 /* lines that evict the first one, in ways: most policies need fewer */
#define BLOCKS_MOST 64
#define ROUNDS 5 /* at most, until the votes elect one change */
#define ARRAY_MOST (UINT64_C(4) << 20)
#define CHECKS 8     /* other addresses, which the masks must explain */
#define BITS_LEAST 3 /* with fewer, other addresses are hardly others */
#define ADDRESS_BITS 48

struct trial {
  struct gc_bench *bench;
  const struct gc_path *path;
  const struct gc_tlb_range *range;
  struct gc_set_masks index;  /* of the lower bits */
  unsigned low;              /* the lowest upper bit; the array has 1 << low bytes */
  unsigned high;             /* one past the highest one */
  uint64_t origin;           /* of the array in the range: its address has none of the upper bits */
  uint32_t sets, line, threshold;
  uint32_t lines_of_set; /* in the array */
  uint32_t evicting;
  uint32_t *lines;             /* [sets][lines_of_set] */
  uint8_t *votes;              /* of each change */
  uint64_t *image;             /* of the array: the successors */
  uint64_t end, first_end;     /* bytes of the image: to the last line; to the last first line */
  uint64_t bits[ADDRESS_BITS]; /* what each upper bit changes */
  uint32_t random;
};

static unsigned low_bit(const struct gc_measured *element)
{
  uint64_t all = 0;

  for (uint32_t i = 0; i < element->mask_count; i++)
    all |= element->masks[i];
  return 64u - (unsigned)__builtin_clzll(all);
}

/* The lines of each set. */
static void sort_lines(struct trial *t)
{
  const uint32_t count = (uint32_t)((1ull << t->low) / t->line);
  uint32_t *used = t->lines + (size_t)t->sets * t->lines_of_set; /* one for each set */

  for (uint32_t i = 0; i < count; i++) {
    const uint32_t set = gc_index_set(&t->index, (uint64_t)i * t->line);

    t->lines[(size_t)set * t->lines_of_set + used[set]++] = i;
  }
}

static int open_trial(struct trial *t, const struct gc_measured *element)
{
  t->index.count = element->mask_count;
  memcpy(t->index.masks, element->masks, sizeof(*element->masks) * element->mask_count);
  t->sets = 1u << element->mask_count;
  t->lines_of_set = (uint32_t)((1ull << t->low) / t->line / t->sets);
  t->evicting = EVICT_WAYS * (uint32_t)element->ways;
  if (t->evicting + 2 > t->lines_of_set)
    t->evicting = t->lines_of_set - 2;
  t->lines = gc_step_alloc(t->bench, (size_t)t->sets * (t->lines_of_set + 1), sizeof(*t->lines));
  t->votes = gc_step_alloc(t->bench, 1, t->sets);
  t->image = gc_step_alloc(t->bench, 1ull << t->low, 1);
  if (!t->lines || !t->votes || !t->image)
    return -ENOMEM;
  sort_lines(t);
  return 0;
}

/* The address of a line of the array. Which of the lines of a set have which part changes from
 * round to round. */
static uint64_t line_address(const struct trial *t, uint32_t set, uint32_t which, uint32_t round)
{
  const uint32_t k = (which + round * (t->evicting + 2)) % t->lines_of_set;

  return (uint64_t)t->lines[(size_t)set * t->lines_of_set + k] * t->line;
}

/* The first line for change c is in set c / 2, which two changes share. The lines that evict it are
 * in set c ^ c / 2, which is another one for each change (a Gray code). */
static uint64_t first_line(const struct trial *t, uint32_t change, uint32_t round)
{
  return line_address(t, change / 2, change % 2, round);
}

static void set_successor(struct trial *t, uint64_t from, uint64_t to)
{
  t->image[from / sizeof(*t->image)] = t->range->base + t->origin + to;
  if (t->end < from + t->line)
    t->end = from + t->line;
}

/* The array, and the first lines at the other address if that is not the same memory. */
static int upload(struct trial *t, uint64_t offset)
{
  const uint64_t array = t->range->base + t->origin;
  const struct gc_bench *bench = t->bench;
  int status = 0;

  if (offset % t->range->piece)
    status = bench->ops->upload(bench->device, array + offset, t->image, t->first_end, bench->err);
  return status ? status : bench->ops->upload(bench->device, array, t->image, t->end, bench->err);
}

static int lay(struct trial *t, uint64_t offset, uint32_t round)
{
  t->end = t->first_end = 0;
  for (uint32_t change = 0; change < t->sets; change++) {
    const uint64_t first = first_line(t, change, round);
    uint64_t at = first;

    if (t->first_end < first + t->line)
      t->first_end = first + t->line;
    for (uint32_t i = 0; i < t->evicting; i++) {
      const uint64_t next = line_address(t, change ^ change / 2, 2 + i, round);

      set_successor(t, at, next);
      at = next;
    }
    set_successor(t, at, offset + first + GC_SLOT);
    set_successor(t, first + GC_SLOT, offset + first_line(t, (change + 1) % t->sets, round));
  }
  return upload(t, offset);
}

/* Tries changes from `from` on, `each` in a block. Those that fit get a vote. */
static int try_some(struct trial *t, uint64_t offset, uint32_t round, uint32_t from, uint32_t each,
                    size_t blocks)
{
  struct gpu_marks_result seen[BLOCKS_MOST];
  uint64_t starts[BLOCKS_MOST];
  const uint32_t loads = t->evicting + 2;
  const struct gc_marked marked = {.starts = starts,
                                   .n = blocks,
                                   .loads = each * loads,
                                   .threshold = t->threshold,
                                   .late = UINT32_MAX};
  int status;

  for (size_t i = 0; i < blocks; i++)
    starts[i] = t->range->base + t->origin + offset +
                first_line(t, (from + (uint32_t)i * each) % t->sets, round);
  if ((status = gc_marks_walk(t->bench, t->path, &marked, seen)))
    return status;
  for (uint32_t i = 0; i < blocks * each && from + i < t->sets; i++)
    t->votes[from + i] += gc_mark(seen[i / each].slow, (i % each + 1) * loads - 1);
  return 0;
}

/* The change with the most votes. false: others have as many, or it has no vote in most rounds. */
static bool elected(const struct trial *t, uint32_t rounds, uint32_t *change)
{
  uint32_t most = 0, second = 0;

  for (uint32_t i = 0; i < t->sets; i++)
    if (t->votes[i] > most) {
      second = most;
      most = t->votes[i];
      *change = i;
    } else if (t->votes[i] > second) {
      second = t->votes[i];
    }
  return most > second && 2 * most > rounds;
}

/* The exclusive or by which the numbers of the sets change if the array is at this offset. *known:
 * whether it could be determined. */
static int find_change(struct trial *t, uint64_t offset, uint32_t *change, bool *known)
{
  const uint32_t sms = t->bench->properties.sms;
  const size_t most = gc_walks_alone(t->bench, t->path) ? 1 : sms < BLOCKS_MOST ? sms : BLOCKS_MOST;
  const uint32_t even = (t->sets + (uint32_t)most - 1) / (uint32_t)most;
  const uint32_t fit = GPU_MARKS / (t->evicting + 2), each = even < fit ? even : fit;
  int status = 0;

  *known = false;
  *change = 0;
  memset(t->votes, 0, t->sets);
  for (uint32_t round = 0; round < ROUNDS && !*known && !status; round++) {
    status = lay(t, offset, round);
    for (uint32_t from = 0; from < t->sets && !status; from += each * (uint32_t)most) {
      const uint32_t left = (t->sets - from + each - 1) / each;

      status = try_some(t, offset, round, from, each, left < most ? left : most);
    }
    *known = !status && elected(t, round + 1, change);
  }
  return status;
}

/* The number of bits depends on the memory only, not on where the range begins: the array begins
 * less than twice the highest bit after the start of the range, and needs that bit behind it. */
static void choose_origin(struct trial *t)
{
  const uint64_t memory = t->bench->properties.memory_bytes;

  t->high = t->low;
  while (3ull << t->high <= memory && (3ull << t->high) + 2 * t->range->piece <= t->range->span)
    t->high++;
  t->origin = -t->range->base & ((1ull << t->high) - 1);
}

static uint64_t changes_of(const struct trial *t, uint64_t offset)
{
  uint64_t change = 0;

  for (; offset; offset &= offset - 1)
    change ^= t->bits[__builtin_ctzll(offset)];
  return change;
}

/* Another address, with at least two of the upper bits. Every second one has the highest bit, and
 * other bits only within a piece, so that not much more has to be mapped. */
static uint64_t other_offset(struct trial *t, bool top)
{
  const uint64_t highest = 1ull << (t->high - 1);
  const uint64_t below = top && t->range->piece < highest ? t->range->piece : highest;
  uint64_t offset = 0;

  while (!(offset & (offset - 1))) {
    t->random = t->random * 1664525u + 1013904223u;
    offset = ((uint64_t)(t->random >> 1) << t->low & (below - 1)) | (top ? highest : 0);
  }
  return offset;
}

static int check(struct trial *t, unsigned *agree)
{
  int status = 0;

  *agree = 0;
  for (unsigned i = 0; i < CHECKS && !status; i++) {
    const uint64_t offset = other_offset(t, i % 2);
    uint32_t change;
    bool known;

    status = find_change(t, offset, &change, &known);
    *agree += !status && known && change == changes_of(t, offset);
  }
  return status;
}

/* All of the bits, or none: so the masks do not depend on chance. */
static int find_bits(struct trial *t, struct gc_tlb_range *range, struct gc_measured *element)
{
  struct gc_finding *found = &element->found[GC_SET_INDEX_MASKS];
  unsigned bit = t->low, agree = 0;
  bool known = true;
  double confidence;
  int status;

  choose_origin(t);
  gc_raw_note(t->bench->raw, "upper address bits from", t->low);
  gc_raw_note(t->bench->raw, "upper address bits to", t->high - 1);
  if (t->high < t->low + BITS_LEAST)
    return 0;
  status = gc_tlb_range_reach(range, t->origin + (1ull << (t->high - 1)) + 2 * range->piece);
  for (; bit < t->high && known && !status; bit++) {
    uint32_t change;

    status = find_change(t, 1ull << bit, &change, &known);
    t->bits[bit] = change;
  }
  if (status || !known || (status = check(t, &agree)))
    return status;
  gc_raw_note(t->bench->raw, "other addresses explained", agree);
  if (agree < CHECKS - 1)
    return 0;
  for (unsigned i = t->low; i < t->high; i++)
    for (uint32_t k = 0; k < element->mask_count; k++)
      element->masks[k] |= (t->bits[i] >> k & 1) << i;
  confidence = gc_vote_confidence(agree, CHECKS);
  found->confidence = confidence < found->confidence ? confidence : found->confidence;
  return 0;
}

int gc_step_address_bits(struct gc_measurement *m, struct gc_measured *element)
{
  struct trial t = {.bench = &m->bench, .path = gc_path_of(element->kind), .random = 1};
  struct gc_cache_lines lines;
  struct gc_tlb_range range;
  const char *absent;
  int status, closed;

  if (!gc_found(element, GC_SET_INDEX_MASKS) || gc_cache_lines_find(element, &lines))
    return 0;
  t.low = low_bit(element);
  t.line = lines.line;
  t.threshold = (uint32_t)lines.threshold;
  if (1ull << t.low > ARRAY_MOST ||
      (1ull << t.low) / t.line >> element->mask_count < element->ways + 3)
    return 0;
  if ((status = gc_cache_lines_prepare(t.bench, t.path)) ||
      (status = gc_tlb_range_open(m, &range, &absent)))
    return status;
  t.range = &range;
  if (!absent && range.aliased && range.piece >= 2ull << t.low &&
      !(status = open_trial(&t, element)))
    status = find_bits(&t, &range, element);
  if (status == -ENOMEM && range.refused)
    status = 0;
  closed = gc_tlb_range_close(&range);
  return status ? status : closed;
}
