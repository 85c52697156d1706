/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which address bits determine the L2 partition (side) where a line is at home. Pure functions.
 * doc/methods.md, "L2 slices and sides".
 */
#ifndef GC_MEASURE_STRUCTURE_SIDE_FIT_H
#define GC_MEASURE_STRUCTURE_SIDE_FIT_H

#include <stdint.h>

#define GC_SIDE_PAGE                                                                               \
  ((uint64_t)2 << 20) /* bytes; the lower bits are the same in both addresses                      \
                       */
#define GC_SIDE_LINE 128
#define GC_SIDE_BITS 14 /* address bits of a line in a page */
#define GC_SIDE_PAGES 16
#define GC_SIDE_PAGE_LINES 128
#define GC_SIDE_LINES (GC_SIDE_PAGES * GC_SIDE_PAGE_LINES)

#define GC_SIDE_UNCLEAR 255

/* Offsets in its page of the lines to look at; those of a page follow each other. Some pairs differ
 * in one bit only, the other lines are anywhere. */
void gc_side_lines(uint64_t offsets[GC_SIDE_LINES]);

struct gc_side_fit {
  uint64_t mask;         /* the side is the parity of these bits, or its opposite in some pages */
  uint32_t right, tried; /* lines held out of the fit of which the mask predicts the side; all */
};

/* Fits a mask to the sides (0, 1 or GC_SIDE_UNCLEAR) of the lines. Returns why there is no mask;
 * NULL: *fit is valid. */
const char *gc_side_fit(const uint64_t offsets[GC_SIDE_LINES], const uint8_t sides[GC_SIDE_LINES],
                        struct gc_side_fit *fit);

#endif
