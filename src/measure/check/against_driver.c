/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares results with the tables of the kernel driver.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/check/against_driver.h"

#include "measure/results/publish.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CAPACITY_SHARE 0.01 /* a search in steps may differ by this share */
#define AT(member) offsetof(struct gc_measured, member)

/* Numbers to compare: a result, and what the tables state under this key. */
static const struct comparison {
  enum gc_property property;
  size_t at;
  const char *stated;
  double share; /* numbers within this share are the same */
} comparisons[] = {
    {GC_CAPACITY, AT(capacity_bytes), HWLOC_GPUCACHE_NOMINAL_BYTES, CAPACITY_SHARE},
    {GC_NOMINAL, AT(nominal_bytes), HWLOC_GPUCACHE_NOMINAL_BYTES, 0},
    {GC_LINE, AT(line_bytes), HWLOC_GPUCACHE_LINE_BYTES, 0},
    {GC_PER_SM, AT(per_sm), HWLOC_GPUCACHE_PER_SM, 0},
    {GC_INSTANCES, AT(instances), HWLOC_GPUCACHE_INSTANCES, 0},
};

static int note(struct gc_results *results, const char *property, const char *found,
                const char *stated, struct gc_element *element)
{
  char name[80];

  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_DIFFERS_SUFFIX, property);
  gc_warn(results,
          "%s of %s is %s, but the kernel driver's tables state %s; the measured value is kept, "
          "and nothing "
          "needs to be done",
          property, gc_kinds[element->kind].subtype, found, stated);
  return gc_infos_setf(&element->infos, name, HWLOC_GPUCACHE_SOURCE_SYSFS ":%s", stated);
}

static int compare_number(struct gc_results *results, const struct comparison *c,
                          const struct gc_infos *tables, struct gc_element *element)
{
  const struct gc_measured *measured = &results->element[element->kind];
  const char *text = gc_infos_get(tables, c->stated), *before = "";
  uint64_t stated, found = 0;
  char number[40];

  if (!text || gc_infos_get_u64(tables, c->stated, &stated))
    return 0;
  if (gc_found(measured, c->property))
    found = *(const uint64_t *)((const char *)measured + c->at);
  /* without a capacity, the largest size that was tried without a miss can contradict the tables */
  if (!found && c->property == GC_CAPACITY && measured->capacity_at_least_bytes > stated) {
    found = measured->capacity_at_least_bytes;
    before = "at least ";
  }
  if (!found || fabs((double)found - (double)stated) <= c->share * (double)stated)
    return 0;
  snprintf(number, sizeof(number), "%s%" PRIu64, before, found);
  return note(results, gc_properties_names[c->property], number, text, element);
}

static int compare_groups(struct gc_results *results, const struct gc_infos *tables,
                          struct gc_element *element)
{
  const struct gc_measured *measured = &results->element[element->kind];
  const char *stated = gc_infos_get(tables, HWLOC_GPUCACHE_SHARED_BY_CUS);
  char found[128];

  if (!stated || !gc_found(measured, GC_SHARED_BY_CUS))
    return 0;
  gc_group_sizes_text(&measured->cu_groups, results->sm_count, found, sizeof(found));
  return strcmp(found, stated) ? note(results, HWLOC_GPUCACHE_SHARED_BY_CUS, found, stated, element)
                               : 0;
}

int gc_check_driver_tables(struct gc_results *results, const struct gc_record *tables,
                           struct gc_record *record)
{
  int status = 0;

  for (size_t i = 0; tables && i < tables->count && !status; i++) {
    const struct gc_infos *stated = &tables->elements[i].infos;
    struct gc_element *element = gc_record_find(record, tables->elements[i].kind);

    for (size_t k = 0; element && k < sizeof(comparisons) / sizeof(*comparisons) && !status; k++)
      status = compare_number(results, &comparisons[k], stated, element);
    if (element && !status)
      status = compare_groups(results, stated, element);
  }
  return status;
}
