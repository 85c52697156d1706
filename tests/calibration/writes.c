/* SPDX-License-Identifier: BSD-3-Clause */
#include "court.h"

#include <stdio.h>
#include <string.h>

/* It shows in what other SMs see, and in bandwidths, both of which noise of latencies leaves alone.
 * Inside the SM, a store that brings nothing in goes through. */
bool judge_write_policy(const struct court *court, struct court_case *c)
{
  (void)court;
  if (!c->cache)
    return false;
  if (c->cache->scope < GC_SCOPE_XCD && c->cache->write_allocate == GC_STORE_ALLOCATES_NONE)
    strcpy(c->truth, "through");
  else
    strcpy(c->truth, c->cache->write == GC_STORE_BACK ? "back" : "through");
  return !strcmp(c->reported, c->truth);
}

/* If a sector is a line, both words say the same; then "line" is right. */
bool judge_write_allocate(const struct court *court, struct court_case *c)
{
  const enum gc_store_allocates allocates = c->cache ? c->cache->write_allocate : 0;

  if (!c->cache || court->gpu->class == DRAWN_NOISE)
    return false;
  strcpy(c->truth, allocates == GC_STORE_ALLOCATES_NONE ? "none"
                   : allocates == GC_STORE_ALLOCATES_LINE ||
                       c->cache->shape.sector == c->cache->shape.line
                     ? "line"
                     : "sector");
  return !strcmp(c->reported, c->truth);
}
