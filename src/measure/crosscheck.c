/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was measured, next to what the kernel driver's tables state. Neither is made to fit the other: the
 * tables are of a family of chips, and say what should be there. Where they differ the record keeps both,
 * the table's as <property>Differs, and a message says so.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_SHARE 0.01 /* what a search in steps may differ by */

/* What is compared: a key of the record with one of the tables, numbers within a share of them. */
static const struct comparison {
  const char *key, *property, *stated;
  double share;
} comparisons[] = {
  {HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, HWLOC_GPUCACHE_NOMINAL_BYTES, CAPACITY_SHARE},
  {HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL, HWLOC_GPUCACHE_NOMINAL_BYTES, 0},
  {HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_LINE, HWLOC_GPUCACHE_LINE_BYTES, 0},
  {HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, 0},
  {HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, 0},
  {HWLOC_GPUCACHE_SHARED_BY_CUS, HWLOC_GPUCACHE_SHARED_BY_CUS, HWLOC_GPUCACHE_SHARED_BY_CUS, 0},
};

static bool same(const struct comparison *c, const char *found, const char *stated)
{
  const double a = strtod(found, NULL), b = strtod(stated, NULL);

  return !strcmp(found, stated) || (c->share > 0 && fabs(a - b) <= c->share * b);
}

/* What the record says; of a capacity that exceeds what could be tried, that it is so much at least. */
static const char *found_of(const struct comparison *c, const struct gc_infos *infos,
                            const char *stated, const char **before)
{
  const char *found = gc_infos_get(infos, c->key), *least;

  *before = "";
  if (found || strcmp(c->property, HWLOC_GPUCACHE_CAPACITY))
    return found;
  least = gc_infos_get(infos, HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES);
  if (!least || strtod(least, NULL) <= strtod(stated, NULL))
    return NULL;
  *before = "at least ";
  return least;
}

static int compare(struct gc_bench *bench, const struct comparison *c, struct gc_element *element,
                   const struct gc_infos *known)
{
  const char *stated = gc_infos_get(known, c->stated), *before, *found;
  char name[80];

  if (!stated || !(found = found_of(c, &element->infos, stated, &before)) || same(c, found, stated))
    return 0;
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_DIFFERS_SUFFIX, c->property);
  if (gc_infos_setf(&element->infos, name, HWLOC_GPUCACHE_SOURCE_SYSFS ":%s", stated))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  gc_complain(bench, "%s of %s is %s%s, which is kept; that the kernel driver's tables say %s is noted, nothing "
              "needs to be done", c->property,
              gc_kinds[element->kind].subtype, before, found, stated);
  return 0;
}

int gc_crosscheck(struct gc_bench *bench)
{
  int status = 0;

  for (size_t i = 0; bench->known && i < bench->known->count && !status; i++) {
    const struct gc_element *stated = &bench->known->elements[i];
    struct gc_element *element = gc_record_find(bench->record, stated->kind);

    for (size_t k = 0; element && k < sizeof(comparisons) / sizeof(*comparisons) && !status; k++)
      status = compare(bench, &comparisons[k], element, &stated->infos);
  }
  return status;
}
