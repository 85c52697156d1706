/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits the address bits that determine the side of a line. Bits above the page differ from page to
 * page in an unknown way, so each page has a constant of its own.
 */
#include "measure/structure/side_fit.h"

#include <stdbool.h>
#include <string.h>

#define BASES 4                            /* lines of a page that are compared with neighbours */
#define STARS (BASES * (1 + GC_SIDE_BITS)) /* each with its neighbours in all bits */
#define FIT_PAGES (GC_SIDE_PAGES * 3 / 4)  /* the others are held out */
#define WRONG_MOST 0.05 /* of the pairs of a bit; more: the bit is neither in nor out */
#define RIGHT_LEAST 0.99

static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

void gc_side_lines(uint64_t offsets[GC_SIDE_LINES])
{
  uint64_t state = 88172645463325252;
  bool taken[1 << GC_SIDE_BITS];

  for (uint32_t page = 0; page < GC_SIDE_PAGES; page++) {
    uint64_t *of = offsets + page * GC_SIDE_PAGE_LINES;

    memset(taken, 0, sizeof(taken));
    for (uint32_t i = 0; i < GC_SIDE_PAGE_LINES; i++) {
      const uint32_t star = i / (1 + GC_SIDE_BITS), bit = i % (1 + GC_SIDE_BITS);
      uint64_t line;

      do
        line = i < STARS && bit ? of[i - bit] / GC_SIDE_LINE ^ 1ull << (bit - 1)
                                : next(&state) >> 20 & ((1u << GC_SIDE_BITS) - 1);
      while (taken[line] && !(star < BASES && bit));
      taken[line] = true;
      of[i] = line * GC_SIDE_LINE;
    }
  }
}

static bool odd(uint64_t bits)
{
  return __builtin_parityll(bits);
}

/* Whether the bit changes the side: 1 or 0; -1: it does so sometimes. */
static int changes(const uint8_t *sides, uint32_t bit)
{
  uint32_t pairs = 0, differ = 0;

  for (uint32_t page = 0; page < FIT_PAGES; page++)
    for (uint32_t base = 0; base < BASES; base++) {
      const uint8_t *at = sides + page * GC_SIDE_PAGE_LINES + base * (1 + GC_SIDE_BITS);

      if (*at == GC_SIDE_UNCLEAR || at[1 + bit] == GC_SIDE_UNCLEAR)
        continue;
      pairs++;
      differ += *at != at[1 + bit];
    }
  if (pairs < FIT_PAGES * BASES / 2)
    return -1;
  if (differ <= WRONG_MOST * pairs)
    return 0;
  return differ >= (1 - WRONG_MOST) * pairs ? 1 : -1;
}

/* Counts the lines of a page whose side the mask predicts. The star lines determine the constant of
 * the page. */
static void check_page(const uint64_t *offsets, const uint8_t *sides, struct gc_side_fit *fit)
{
  uint32_t ones = 0;

  for (uint32_t i = 0; i < STARS; i++)
    ones += (sides[i] == 1) != odd(offsets[i] & fit->mask);
  for (uint32_t i = STARS; i < GC_SIDE_PAGE_LINES; i++) {
    fit->right += sides[i] == (odd(offsets[i] & fit->mask) != (2 * ones > STARS));
    fit->tried++;
  }
}

const char *gc_side_fit(const uint64_t offsets[GC_SIDE_LINES], const uint8_t sides[GC_SIDE_LINES],
                        struct gc_side_fit *fit)
{
  *fit = (struct gc_side_fit){.mask = 0};
  for (uint32_t bit = 0; bit < GC_SIDE_BITS; bit++) {
    const int change = changes(sides, bit);

    if (change < 0)
      return "the side of a line is no parity of address bits inside a page of 2 MiB";
    fit->mask |= (uint64_t)change * GC_SIDE_LINE << bit;
  }
  for (uint32_t page = 0; page < GC_SIDE_PAGES; page++)
    check_page(offsets + page * GC_SIDE_PAGE_LINES, sides + page * GC_SIDE_PAGE_LINES, fit);
  if (fit->right < RIGHT_LEAST * fit->tried)
    return "the side of a line is no parity of address bits inside a page of 2 MiB";
  return fit->mask ? NULL : "all lines of a page of 2 MiB have the same side";
}
