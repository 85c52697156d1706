/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/coverage.h"

#include "record/provisional.h"

#include <hwloc/gpucache.h>

#include <stdio.h>
#include <string.h>

#define NAMED 3

enum rank { ABSENT, STATED, MEASURED };

static enum rank rank_of(const char *source)
{
  if (!source ||
      !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT)))
    return ABSENT;
  return strcmp(source, HWLOC_GPUCACHE_SOURCE_MEASURED) ? STATED : MEASURED;
}

/* The length of the property in the name of its source: 8 for "CapacitySource"; 0: another info. */
static size_t property_length(const char *name)
{
  const size_t length = strlen(name), tail = strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX);

  return length > tail && !strcmp(name + length - tail, HWLOC_GPUCACHE_SOURCE_SUFFIX)
             ? length - tail
             : 0;
}

static void add_name(enum gc_kind kind, const char *source, char *names, size_t size)
{
  const size_t used = strlen(names);

  snprintf(names + used, size - used, "%s%s %.*s", used ? ", " : "", gc_kind_name(kind),
           (int)property_length(source), source);
}

/* Adds to *lost the properties of one object that `has` determines worse than `had`. */
static void add_lost(enum gc_kind kind, const struct gc_infos *had, const struct gc_infos *has,
                     unsigned *lost, char *names, size_t size)
{
  for (size_t k = 0; k < had->count; k++) {
    const struct gc_info *info = &had->array[k];

    if (property_length(info->name) &&
        rank_of(info->value) > rank_of(has ? gc_infos_get(has, info->name) : NULL) &&
        ++*lost <= NAMED && names)
      add_name(kind, info->name, names, size);
  }
}

unsigned gc_record_lost(const struct gc_record *earlier, const struct gc_record *now, char *names,
                        size_t size)
{
  unsigned lost = 0;

  if (names)
    *names = '\0';
  add_lost(GC_WHOLE_GPU, &earlier->infos, &now->infos, &lost, names, size);
  for (size_t i = 0; i < earlier->count; i++) {
    const struct gc_element *had = &earlier->elements[i], *has = gc_record_find(now, had->kind);

    add_lost(had->kind, &had->infos, has ? &has->infos : NULL, &lost, names, size);
  }
  if (lost > NAMED && names)
    snprintf(names + strlen(names), size - strlen(names), " and %u more", lost - NAMED);
  return lost;
}

bool gc_record_may_replace(const struct gc_record *earlier, const struct gc_record *now)
{
  const unsigned lost = gc_record_lost(earlier, now, NULL, 0);
  const unsigned gained = gc_record_lost(now, earlier, NULL, 0);

  if (!lost)
    return true;
  if (!gc_provisional_why(earlier))
    return false;
  return gc_provisional_why(now) ? gained > lost : gained >= lost;
}
