/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Banks from the times of loads.
 */
#include "measure/structure/bank_fit.h"

#include "stats/stats.h"

#include <string.h>

#define WORD 4 /* bytes */
#define LANES_MAX 64
#define BANKS_MAX GC_BANK_PAIRS_MAX /* gc_banks_of_pairs finds no more, and no more are tried */
#define LEAST_CONFLICT 0.25         /* cycles; less is no conflict */
/* Shares of the pairs in one round: at least so many conflicts are seen, and at most so many pairs
 * without one are slow, which are outliers. */
#define SEEN_LEAST 0.8
#define WRONG_MOST 0.05
#define SPREAD 1.0     /* of the times of each group, as a share of the distance of the groups */
#define ERROR_MAX 0.02 /* share of the variance that a layout may leave unexplained */
#define BETTER 2.0     /* another layout explains the times better if its error is less by this */
#define EXACT 1e-4     /* errors below this do not differ */

/* Whether the two addresses 0 and `at` are in different rows of one bank. */
static bool collide(const struct gc_bank_layout *layout, uint32_t at)
{
  return at / layout->interleave % layout->count == 0 && at / (layout->count * layout->width) > 0;
}

/* The times divide into two groups far apart. Returns the threshold; 0: they do not. */
static double threshold_of(const double *cycles, uint32_t n)
{
  double sorted[GC_BANK_PAIRS_MAX] = {0}, widest = 0, threshold = 0, low, high;
  uint32_t at = 0;

  memcpy(sorted, cycles, n * sizeof(*sorted));
  gc_sort(sorted, n);
  for (uint32_t i = 1; i < n; i++)
    if (sorted[i] - sorted[i - 1] > widest) {
      widest = sorted[i] - sorted[i - 1];
      threshold = (sorted[i] + sorted[i - 1]) / 2;
      at = i;
    }
  if (widest < LEAST_CONFLICT)
    return 0;
  low = sorted[at - 1] - sorted[0];
  high = sorted[n - 1] - sorted[at];
  return low < SPREAD * widest && high < SPREAD * widest ? threshold : 0;
}

const char *gc_banks_of_pairs(const double *cycles, uint32_t n, struct gc_bank_layout *layout,
                              double *limit)
{
  const double threshold = *limit = n > 2 ? threshold_of(cycles, n) : 0;
  uint32_t first = 0, run, next;

  *layout = (struct gc_bank_layout){.count = 0};
  if (!(threshold > 0))
    return "the times of pairs of addresses do not divide into two groups";
  while (first < n && cycles[first] < threshold)
    first++;
  for (run = first; run < n && cycles[run] > threshold; run++)
    ;
  for (next = run; next < n && cycles[next] < threshold; next++)
    ;
  if (next >= n)
    return "no second address in the bank of the first one is near enough";
  layout->interleave = (run - first) * WORD;
  layout->count = (next - first) * WORD / layout->interleave;
  layout->width = (first + 1) * WORD / layout->count;
  if (layout->width < layout->interleave)
    return "the addresses with conflicts are at no equal distances";
  for (uint32_t i = 0; i < n; i++)
    if (collide(layout, (i + 1) * WORD) != (cycles[i] > threshold))
      return "the addresses with conflicts are at no equal distances";
  return NULL;
}

bool gc_bank_pairs_agree(const double *cycles, uint32_t n, const struct gc_bank_layout *layout,
                         double limit)
{
  uint32_t conflicts = 0, seen = 0, wrong = 0;

  for (uint32_t i = 0; i < n; i++) {
    const bool conflict = collide(layout, (i + 1) * WORD), slow = cycles[i] > limit;

    conflicts += conflict;
    seen += conflict && slow;
    wrong += !conflict && slow;
  }
  return seen >= SEEN_LEAST * conflicts && wrong <= WRONG_MOST * n;
}

/* The rows that these lanes use of the bank of which they use most. Rows ascend with the lanes. */
static uint32_t rows_of(const struct gc_bank_layout *layout, uint32_t first, uint32_t end,
                        uint32_t stride)
{
  uint32_t rows[BANKS_MAX] = {0}, last[BANKS_MAX], most = 0;

  for (uint32_t lane = first; lane < end; lane++) {
    const uint32_t at = lane * stride, bank = at / layout->interleave % layout->count;
    const uint32_t row = at / (layout->count * layout->width);

    if (rows[bank] && last[bank] == row)
      continue;
    last[bank] = row;
    if (++rows[bank] > most)
      most = rows[bank];
  }
  return most;
}

/* A warp with more lanes than there are banks takes several turns in any case. */
uint32_t gc_bank_conflicts(const struct gc_bank_layout *layout, uint32_t lanes, uint32_t stride)
{
  uint32_t conflicts = 0;

  lanes = lanes < LANES_MAX ? lanes : LANES_MAX;
  for (uint32_t first = 0; first < lanes; first += layout->count)
    conflicts += rows_of(layout, first,
                         first + layout->count < lanes ? first + layout->count : lanes, stride) -
                 1;
  return conflicts;
}

double gc_bank_slope(const struct gc_bank_layout *layout, const struct gc_bank_strides *s,
                     double *error)
{
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0, spread_x, spread_xy, spread_y;

  for (uint32_t i = 0; i < s->n; i++) {
    const double turns = gc_bank_conflicts(layout, s->lanes, s->stride[i]);

    x += turns / s->n;
    y += s->cycles[i] / s->n;
    xx += turns * turns / s->n;
    xy += turns * s->cycles[i] / s->n;
    yy += s->cycles[i] * s->cycles[i] / s->n;
  }
  spread_x = xx - x * x;
  spread_xy = xy - x * y;
  spread_y = yy - y * y;
  *error = 1;
  if (!(spread_x > 0) || !(spread_y > 0))
    return 0;
  *error = 1 - spread_xy * spread_xy / (spread_x * spread_y);
  return spread_xy / spread_x;
}

bool gc_bank_layout_fits(const struct gc_bank_layout *layout, const struct gc_bank_strides *s)
{
  double own, other;

  if (!(gc_bank_slope(layout, s, &own) > 0) || own > ERROR_MAX)
    return false;
  for (uint32_t count = 8; count <= 128; count *= 2)
    for (uint32_t width = WORD; width <= 4 * WORD; width *= 2)
      for (uint32_t interleave = WORD; interleave <= width; interleave *= 2) {
        const struct gc_bank_layout tried = {count, width, interleave};

        if (gc_bank_slope(&tried, s, &other) > 0 && BETTER * other + EXACT < own)
          return false;
      }
  return true;
}
