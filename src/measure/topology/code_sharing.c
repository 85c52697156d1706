/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the constant L1.5 also hold code? Constants that fill most of it are walked, then
 * straight-line code is executed that does not fit beside them, then the constants are walked
 * again. If the code evicted them, the cache is also the instruction cache. Without the code they
 * must stay. doc/methods.md, "Sharing".
 */
#include "measure/topology/topology.h"
#include "measure/walk/banks.h"

static int find(struct gc_measured *element, struct gc_banks *banks, uint64_t capacity)
{
  /* most of the cache: the code does not fit beside so many constants */
  const uint64_t most = capacity / 8 * 7 / GC_BANKS_STRIDE * GC_BANKS_STRIDE;
  const uint64_t bytes = most < GPU_CONSTANT_BYTES ? most : GPU_CONSTANT_BYTES;
  struct gc_vote without = {0}, with = {0};
  int status;

  if (bytes + GPU_FILLER_BYTES < capacity + capacity / 8)
    return gc_no_value(&banks->m->bench, "there is not enough code to fill it");
  if ((status = gc_banks_ask(banks, bytes, false, &without)) ||
      (status = gc_banks_ask(banks, bytes, true, &with)))
    return status;
  if (banks->failed)
    return gc_no_value(&banks->m->bench, "launches that should run together did not");
  if (without.answer != GC_NO || !with.answer)
    return gc_no_value(&banks->m->bench, "whether code evicts constants is unclear");
  element->shared_with = with.answer == GC_YES ? 1u << GC_INSTRUCTION_CACHE : 0;
  return gc_set_measured(element, GC_SHARED_WITH, with.confidence);
}

int gc_step_code_sharing(struct gc_measurement *m, struct gc_measured *element)
{
  const uint64_t capacity = gc_capacity(element);
  struct gc_banks *banks;
  int status;

  if (!capacity)
    return gc_no_value(&m->bench, "its capacity is not known");
  if ((status = gc_banks_open(m, &banks)))
    return status;
  if (!banks)
    return gc_no_value(&m->bench, "this GPU cannot run several launches together");
  status = find(element, banks, capacity);
  gc_banks_close(banks);
  return status;
}
