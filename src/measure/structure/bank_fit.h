/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Banks from the times of loads. Pure functions. doc/methods.md, "Banks of shared memory".
 *
 * The model: of each row of count * width bytes, a bank holds `width` bytes, in pieces of
 * `interleave` adjacent bytes. In one turn a bank delivers what the lanes need of one row. Mei et
 * al. 2014, figures 4 and 6.
 */
#ifndef GC_MEASURE_STRUCTURE_BANK_FIT_H
#define GC_MEASURE_STRUCTURE_BANK_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct gc_bank_layout {
  uint32_t count, width, interleave; /* count 0: not known */
};

/* Finds the layout from pairs of addresses: cycles[i] is the time of a load in which half of the
 * lanes are at address 0 and the others at 4 * (i + 1). It is longer if both are in different rows
 * of one bank. Returns why there is no layout; NULL: *layout is valid, and loads with a conflict
 * take longer than *limit. n <= GC_BANK_PAIRS_MAX */
#define GC_BANK_PAIRS_MAX 256
const char *gc_banks_of_pairs(const double *cycles, uint32_t n, struct gc_bank_layout *layout,
                              double *limit);

/* Whether other times of the same pairs confirm a layout, except for outliers. */
bool gc_bank_pairs_agree(const double *cycles, uint32_t n, const struct gc_bank_layout *layout,
                         double limit);

/* By how many turns a load in which lane i is at i * stride is longer than one without conflicts.
 */
uint32_t gc_bank_conflicts(const struct gc_bank_layout *layout, uint32_t lanes, uint32_t stride);

/* Times of loads in which lane i is at i * stride[k]. */
struct gc_bank_strides {
  uint32_t lanes, n;
  const uint32_t *stride;
  const double *cycles;
};

/* The cycles that each further turn takes with this layout, by least squares; 0: no stride has
 * conflicts. *error: the share of the variance of the times that it does not explain. */
double gc_bank_slope(const struct gc_bank_layout *layout, const struct gc_bank_strides *strides,
                     double *error);

/* Whether no other layout explains the times better than this one. */
bool gc_bank_layout_fits(const struct gc_bank_layout *layout,
                         const struct gc_bank_strides *strides);

#endif
