/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/cu_groups.h"

#include "record/lists.h"
#include "tool/export/look_up.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void gc_cu_groups_free(struct gc_cu_groups *groups)
{
  free(groups->cus);
  free(groups->ends);
  memset(groups, 0, sizeof *groups);
}

/* "0,1 3 4,5". Anything else is no group at all. */
static int parse(const char *text, struct gc_cu_groups *groups)
{
  const size_t most = text ? strlen(text) / 2 + 1 : 0; /* a digit and a separator each */
  size_t cus = 0;
  uint64_t number;
  bool is_last = false;

  memset(groups, 0, sizeof *groups);
  if (!most)
    return 0;
  groups->cus = calloc(most, sizeof *groups->cus);
  groups->ends = calloc(most, sizeof *groups->ends);
  if (!groups->cus || !groups->ends)
    return -ENOMEM;
  while (gc_member_next(&text, &number, &is_last) && number <= INT_MAX) {
    groups->cus[cus++] = (unsigned)number;
    if (is_last)
      groups->ends[groups->count++] = cus;
  }
  if (*text || !is_last)
    groups->count = 0;
  return 0;
}

static size_t begin(const struct gc_cu_groups *groups, size_t i)
{
  return i ? groups->ends[i - 1] : 0;
}

static bool contains(const struct gc_cu_groups *groups, size_t i, unsigned cu)
{
  for (size_t k = begin(groups, i); k < groups->ends[i]; k++)
    if (groups->cus[k] == cu)
      return true;
  return false;
}

/* Copies the groups in the order of the L2 caches that their first CUs belong to. sorted has room
 * for as many. False: not all L2 caches have the same number of them, or two have the same one. */
static bool sort(const struct gc_cu_groups *groups, const struct gc_cu_groups *l2,
                 struct gc_cu_groups *sorted)
{
  size_t cus = 0;

  for (size_t k = 0; k < l2->count; k++) {
    const size_t before = sorted->count;

    for (size_t i = 0; i < groups->count; i++) {
      const size_t from = begin(groups, i), length = groups->ends[i] - from;

      if (!contains(l2, k, groups->cus[from]))
        continue;
      if (sorted->count == groups->count || cus + length > groups->ends[groups->count - 1])
        return false;
      memcpy(sorted->cus + cus, groups->cus + from, length * sizeof *sorted->cus);
      sorted->ends[sorted->count++] = cus += length;
    }
    if (sorted->count - before != groups->count / l2->count)
      return false;
  }
  return sorted->count == groups->count;
}

/* Puts the groups of each L2 together; several L2 caches share the GPU. */
static int order_by_l2(const char *l2_text, uint64_t l2_count, struct gc_cu_groups *groups)
{
  struct gc_cu_groups l2, sorted = {0};
  int status = parse(l2_text, &l2);

  sorted.cus = calloc(groups->ends[groups->count - 1], sizeof *sorted.cus);
  sorted.ends = calloc(groups->count, sizeof *sorted.ends);
  if (!sorted.cus || !sorted.ends)
    status = -ENOMEM;
  if (!status && (l2.count != l2_count || !sort(groups, &l2, &sorted)))
    sorted.count = 0;
  gc_cu_groups_free(&l2);
  gc_cu_groups_free(groups);
  *groups = sorted;
  return status;
}

int gc_cu_groups_of_scalar_l1(const struct gc_record *record, struct gc_cu_groups *groups)
{
  const struct gc_element *scalar = gc_record_find(record, GC_SCALAR_L1);
  const struct gc_element *l2 = gc_record_find(record, GC_L2);
  uint64_t l2_count = 1;
  int status =
      parse(scalar ? gc_infos_get(&scalar->infos, HWLOC_GPUCACHE_CU_GROUPS) : NULL, groups);

  if (status || !groups->count)
    return status;
  if (groups->ends[groups->count - 1] != gc_fact(record, "SMs", INT_MAX, NULL))
    groups->count = 0;
  else if (gc_whole(l2, HWLOC_GPUCACHE_INSTANCES, &l2_count) && l2_count > 1)
    status = order_by_l2(gc_infos_get(&l2->infos, HWLOC_GPUCACHE_CU_GROUPS), l2_count, groups);
  return status;
}
