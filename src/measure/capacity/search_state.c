/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that all parts of the change-point search use.
 */
#include "measure/capacity/search_state.h"

#include "measure/walk/ring.h"

#include <errno.h>
#include <stdio.h>

int gc_search_sizes(struct gc_search_state *s, struct gc_sizes *sizes, size_t n)
{
  return gc_sizes_new(sizes, n) ? gc_fail(s->m->bench.err, -ENOMEM, "out of memory") : 0;
}

void gc_search_withhold(struct gc_search_state *s, const char *why)
{
  s->found->bytes = 0;
  snprintf(s->found->absent, sizeof(s->found->absent), "%s", why);
}

int gc_search_use(struct gc_search_state *s, const struct gc_stride *stride)
{
  s->now = stride;
  return s->search->needs_ring
             ? gc_ring_lay(&s->m->bench, stride->path.space, s->search->max, stride->path.stride, 1)
             : 0;
}

void gc_search_add_fitting(struct gc_search_state *s, const uint64_t *histogram)
{
  for (size_t b = 0; b < GC_LATENCY_BINS; b++) {
    s->fitting_loads += (double)histogram[b];
    s->fitting_slow += b << GC_SEARCH_SHIFT >= s->binning.threshold ? (double)histogram[b] : 0;
  }
}
