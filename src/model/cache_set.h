/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One set of a cache. Its record is in 64-bit words: the state, then three lists with an entry for
 * each way. Entries have a byte; those of `order` have four bits if that is enough. Only for
 * fixed.c and cache.c.
 *
 *   state    period of the cache + number of ways in use. An earlier period means: none. Ways are
 *            filled in ascending order, and a line stays in its way.
 *   marks    a byte of a hash of the line in each way. Few lines have the mark of another, so the
 *            tags are rarely read in vain.
 *   order    PLRU: the tree; weighted: the way that was drawn last
 *   sectors  a bit for each sector that is present
 *
 * The functions compare and move all entries of a word at a time, in any byte order of the host.
 */
#ifndef GC_MODEL_CACHE_SET_H
#define GC_MODEL_CACHE_SET_H

#include <stdint.h>

#define GC_SET_PERIOD 256 /* more than GC_CACHE_WAYS_MAX */
#define GC_SET_HOST_LINE 8 /* words of a cache line of the host */

/* How the lists of a set are stored. */
struct gc_set_layout {
  uint32_t words; /* of marks, and of sectors */
  uint32_t bits;  /* of an entry of order */
};

static inline struct gc_set_layout gc_set_layout(uint32_t ways)
{
  return (struct gc_set_layout){.words = (ways + 7) / 8, .bits = ways > 16 ? 8 : 4};
}

/* The words of `order`. */
static inline uint32_t gc_set_order_words(struct gc_set_layout layout)
{
  return layout.bits == 4 ? 1 : layout.words;
}

/* A record does not cross a cache line of the host needlessly. */
static inline uint32_t gc_set_record_words(struct gc_set_layout layout)
{
  const uint32_t words = 1 + 2 * layout.words + gc_set_order_words(layout);

  if (words <= GC_SET_HOST_LINE / 2)
    return GC_SET_HOST_LINE / 2;
  return (words + GC_SET_HOST_LINE - 1) / GC_SET_HOST_LINE * GC_SET_HOST_LINE;
}

static inline uint64_t *gc_set_marks(uint64_t *record)
{
  return record + 1;
}

static inline uint64_t *gc_set_order(uint64_t *record, struct gc_set_layout layout)
{
  return record + 1 + layout.words;
}

static inline uint8_t *gc_set_sectors(uint64_t *record, struct gc_set_layout layout)
{
  return (uint8_t *)(record + 1 + layout.words + gc_set_order_words(layout));
}

static inline uint8_t gc_set_mark(uint64_t line)
{
  return (uint8_t)(line * 0xd6e8feb86659fd93 >> 56);
}

/* Sets entry `at` of a list whose entries have so many bits. */
static inline void gc_set_put(uint64_t *list, uint32_t bits, uint32_t at, uint64_t value)
{
  const uint32_t each = 64 / bits, shift = at % each * bits;

  list[at / each] = (list[at / each] & ~(((1ull << bits) - 1) << shift)) | value << shift;
}

/* The top bit of the lowest entry with this value is set; those of higher entries can be set, too.
 * 0: no entry has this value. */
static inline uint64_t gc_set_lowest(uint64_t word, uint32_t bits, uint64_t value)
{
  const uint64_t ones = ~0ull / ((1u << bits) - 1), x = word ^ value * ones;

  return (x - ones) & ~x & ones << (bits - 1);
}

/* The way that has the line; `filled`: none. Of eight words at a time, the bits of equal bytes are
 * put side by side, because branches that depend on the word would often be predicted wrongly. Some
 * bytes that are not equal do no harm. */
static inline uint32_t gc_set_find(const uint64_t *marks, uint32_t words, const uint64_t *tags,
                                   uint32_t filled, uint64_t line)
{
  const uint8_t mark = gc_set_mark(line);

  for (uint32_t from = 0; from < words; from += 8) {
    uint64_t same = 0;

    for (uint32_t i = 0; i < 8 && from + i < words; i++)
      same |= gc_set_lowest(marks[from + i], 8, mark) >> (7 - i);
    for (; same; same &= same - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(same);
      const uint32_t way = 8 * (from + bit % 8) + bit / 8;

      if (way < filled && tags[way] == line)
        return way;
    }
  }
  return filled;
}

#endif
