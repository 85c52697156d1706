/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/few_ways.h"

#include "util/scattered_order.h"

#include <errno.h>

/* The numbers 0 to 15, the lowest first. */
#define ORDER_AT_FIRST UINT64_C(0xfedcba9876543210)

_Static_assert(GC_LINES_SCAN == 16, "an order has 16 numbers of 4 bits");

int gc_few_ways_init(struct gc_lines *lines)
{
  lines->stride = gc_stride_of_turns(lines->sets) % lines->sets;
  lines->lines = gc_host_table((uint64_t)lines->sets * lines->ways * sizeof *lines->lines);
  lines->heads = gc_host_table(lines->sets * sizeof *lines->heads);
  return lines->lines && lines->heads ? 0 : -ENOMEM;
}

void gc_few_ways_clear(struct gc_lines *lines)
{
  lines->turn = 0;
  for (uint32_t set = 0; set < lines->sets; set++)
    lines->heads[set] = (struct gc_set_head){.order = ORDER_AT_FIRST};
}

/* The set after this one in turn. */
static uint32_t next_turn(const struct gc_lines *lines, uint32_t set)
{
  return set + lines->stride < lines->sets ? set + lines->stride
                                           : set + lines->stride - lines->sets;
}

void gc_few_ways_evict(struct gc_lines *lines)
{
  struct gc_set_head *head;

  do {
    lines->turn = next_turn(lines, lines->turn);
    head = &lines->heads[lines->turn];
  } while (!head->used);
  head->used--;
  if (head->kept > head->used)
    head->kept = head->used;
  lines->used--;
  gc_prefetch(&lines->heads[next_turn(lines, lines->turn)]);
}
