/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/predict/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void gc_cell_percent(double part, char cell[GC_CELL])
{
  if (isfinite(part))
    snprintf(cell, GC_CELL, "%.1f %%", 100 * part);
  else
    snprintf(cell, GC_CELL, "-");
}

void gc_cell_range(const struct gc_estimate *estimate, char cell[GC_CELL])
{
  if (isfinite(estimate->value))
    snprintf(cell, GC_CELL, "%.1f to %.1f %%", 100 * estimate->low, 100 * estimate->high);
}

/* More misses first; of equal ones, the earlier load. */
static int by_misses(const void *a, const void *b)
{
  const struct gc_load_prediction *const *x = a, *const *y = b;

  if ((*x)->l1.misses != (*y)->l1.misses)
    return (*x)->l1.misses > (*y)->l1.misses ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

static int by_place(const void *a, const void *b)
{
  const struct gc_load_prediction *const *x = a, *const *y = b;

  return *x < *y ? -1 : *x > *y;
}

const struct gc_load_prediction **gc_worst_loads(const struct gc_kernel_prediction *kernel,
                                                 size_t most, size_t *count)
{
  const size_t n = kernel->load_count;
  const struct gc_load_prediction **loads = calloc(n ? n : 1, sizeof *loads);

  *count = n < most ? n : most;
  if (!loads)
    return NULL;
  for (size_t i = 0; i < n; i++)
    loads[i] = &kernel->loads[i];
  qsort(loads, n, sizeof *loads, by_misses);
  qsort(loads, *count, sizeof *loads, by_place);
  return loads;
}
