/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why values are absent: one line for each reason.
 */
#include "tool/describe/absent.h"

#include "tool/describe/notes.h"
#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <string.h>

/* The infos of the whole GPU (which: 0) or of element i (which: i + 1). */
static const struct gc_infos *infos_of(const struct gc_record *record, size_t which)
{
  return which ? &record->elements[which - 1].infos : &record->infos;
}

static const char *name_of(const struct gc_record *record, size_t which)
{
  return which ? gc_kinds[record->elements[which - 1].kind].subtype : "the GPU";
}

static bool is_shown(const struct gc_record *record, unsigned only, size_t which)
{
  return which ? gc_show_has(only, record->elements[which - 1].kind) : !only;
}

const char *gc_absent_reason(const struct gc_infos *infos, size_t i, size_t *length)
{
  static const char per_sm[] = HWLOC_GPUCACHE_PER_SM HWLOC_GPUCACHE_SOURCE_SUFFIX;
  const struct gc_info *info = &infos->array[i];
  const size_t whole = strlen(info->name), tail = strlen(HWLOC_GPUCACHE_SOURCE_SUFFIX);
  const char *why = info->value + strlen(HWLOC_GPUCACHE_SOURCE_ABSENT);

  if (whole <= tail || strcmp(info->name + whole - tail, HWLOC_GPUCACHE_SOURCE_SUFFIX) ||
      !gc_is_absent(info->value))
    return NULL;
  /* several SMs share each of these instances, so there is no number in one SM */
  if (!strcmp(info->name, per_sm) && gc_infos_get(infos, HWLOC_GPUCACHE_INSTANCES))
    return NULL;
  *length = whole - tail;
  return why + strspn(why, " ");
}

void gc_absent_append(const struct gc_record *record, const char *property, size_t length,
                      char text[GC_ABSENT_LIST])
{
  const size_t used = strlen(text), tail = strlen("SM");
  /* "PerSM" is "PerCU", as in the table */
  const bool ends = length > tail && !strncmp(property + length - tail, "SM", tail);

  snprintf(text + used, GC_ABSENT_LIST - used, "%s%.*s%s", used ? ", " : "",
           (int)(ends ? length - tail : length), property, ends ? gc_record_unit(record) : "");
}

/* Lists the properties that are absent for this reason. */
static void list_absent(const struct gc_record *record, size_t which, const char *why,
                        char text[GC_ABSENT_LIST])
{
  const struct gc_infos *infos = infos_of(record, which);

  text[0] = '\0';
  for (size_t i = 0; i < infos->count; i++) {
    size_t length;
    const char *its = gc_absent_reason(infos, i, &length);

    if (its && !strcmp(its, why))
      gc_absent_append(record, infos->array[i].name, length, text);
  }
}

/* Whether the reason was printed: it occurs before info i of `which`. */
static bool is_old(const struct gc_record *record, unsigned only, size_t which, size_t i)
{
  size_t length;
  const char *why = gc_absent_reason(infos_of(record, which), i, &length);

  for (size_t k = 0; k <= which; k++) {
    const struct gc_infos *infos = infos_of(record, k);

    for (size_t j = 0; is_shown(record, only, k) && j < (k == which ? i : infos->count); j++) {
      const char *its = gc_absent_reason(infos, j, &length);

      if (its && !strcmp(its, why))
        return true;
    }
  }
  return false;
}

/* Whether the same properties of an earlier element are absent for this reason. */
static bool is_grouped(const struct gc_record *record, unsigned only, size_t which, const char *why)
{
  char its[GC_ABSENT_LIST], other[GC_ABSENT_LIST];

  list_absent(record, which, why, its);
  for (size_t k = 0; k < which; k++) {
    list_absent(record, k, why, other);
    if (is_shown(record, only, k) && !strcmp(its, other))
      return true;
  }
  return false;
}

/* "  no Sets, Ways of TextureCache, ReadOnlyCache; Sets of L2Cache: reason" */
static void print_reason(const struct gc_record *record, unsigned only, const char *why, FILE *out)
{
  char properties[GC_ABSENT_LIST], other[GC_ABSENT_LIST];
  const char *before = "  no ";

  for (size_t which = 0; which <= record->count; which++) {
    list_absent(record, which, why, properties);
    if (!*properties || !is_shown(record, only, which) || is_grouped(record, only, which, why))
      continue;
    fprintf(out, "%s%s of %s", before, properties, name_of(record, which));
    for (size_t k = which + 1; k <= record->count; k++) {
      list_absent(record, k, why, other);
      if (is_shown(record, only, k) && !strcmp(properties, other))
        fprintf(out, ", %s", name_of(record, k));
    }
    before = "; ";
  }
  fprintf(out, ": %s\n", why);
}

void gc_show_absent(const struct gc_record *record, unsigned only, FILE *out)
{
  size_t length;

  for (size_t which = 0; which <= record->count; which++) {
    const struct gc_infos *infos = infos_of(record, which);

    for (size_t i = 0; is_shown(record, only, which) && i < infos->count; i++) {
      const char *why = gc_absent_reason(infos, i, &length);

      if (why && !is_old(record, only, which, i))
        print_reason(record, only, why, out);
    }
  }
}

unsigned gc_show_count_absent(const struct gc_record *record, unsigned only)
{
  unsigned count = 0;
  size_t length;

  for (size_t which = 0; which <= record->count; which++)
    for (size_t i = 0; is_shown(record, only, which) && i < infos_of(record, which)->count; i++)
      count += gc_absent_reason(infos_of(record, which), i, &length) != NULL;
  return count;
}
