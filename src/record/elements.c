/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/elements.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char gc_record_prefix[] = HWLOC_GPUCACHE_PREFIX;

#define MEMBER(member) offsetof(struct gc_record, member), sizeof(((struct gc_record *)0)->member)
const struct gc_identity_key gc_identity_keys[] = {
  { "UUID", MEMBER(identity.id) },
  { "Model", MEMBER(identity.model) },
  { "Driver", MEMBER(identity.driver) },
  { "VBIOS", MEMBER(identity.vbios) },
  { "MIG", MEMBER(identity.mig) },
  { "Format", MEMBER(format) },
  { "Method", MEMBER(method) },
  { NULL, 0, 0 },
};

bool gc_id_ok(const char *id)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  size_t length = strspn(id, allowed);

  return length > 0 && !id[length] && id[0] != '.' &&
         length < sizeof(((struct gc_identity *)0)->id);
}

struct gc_record *gc_record_new(const struct gc_identity *identity)
{
  struct gc_record *record = calloc(1, sizeof(*record));

  if (!record)
    return NULL;
  if (identity)
    record->identity = *identity;
  strcpy(record->format, GC_RECORD_FORMAT);
  strcpy(record->method, GC_RECORD_METHOD);
  return record;
}

void gc_record_free(struct gc_record *record)
{
  if (!record)
    return;
  for (size_t i = 0; i < record->count; i++)
    gc_infos_clear(&record->elements[i].infos);
  free(record->elements);
  gc_infos_clear(&record->infos);
  free(record->text);
  free(record);
}

static bool encloses(enum gc_kind outer, enum gc_kind inner)
{
  while (inner != outer && gc_kinds[inner].parent != inner)
    inner = gc_kinds[inner].parent;
  return inner == outer;
}

/* The first element that a new element of this kind would enclose; count if there is none. The
 * search ends at an element of the same kind: the elements after it are already inside that one. */
static size_t find_waiting(const struct gc_record *record, enum gc_kind kind)
{
  for (size_t i = 0; i < record->count && record->elements[i].kind != kind; i++)
    if (encloses(kind, record->elements[i].kind))
      return i;
  return record->count;
}

/* The index after the last element that element i encloses. */
static size_t end_of(const struct gc_record *record, size_t i)
{
  const enum gc_kind kind = record->elements[i].kind;
  size_t end = i + 1;

  while (end < record->count && record->elements[end].kind != kind &&
         encloses(kind, record->elements[end].kind))
    end++;
  return end;
}

/* The index for a new element that encloses nothing yet: inside its parent, after the elements
 * of earlier kinds and of its own kind, so that all records have the same order. */
static size_t find_place(const struct gc_record *record, enum gc_kind kind)
{
  const enum gc_kind added = kind;

  while (gc_kinds[kind].parent != kind) {
    kind = gc_kinds[kind].parent;
    for (size_t i = record->count; i-- > 0;) {
      const size_t end = end_of(record, i);
      size_t at = i + 1;

      if (record->elements[i].kind != kind)
        continue;
      while (at < end &&
             (record->elements[at].kind <= added || gc_record_parent(record, at) != (long)i))
        at++;
      return at;
    }
  }
  return record->count;
}

static void move_element(struct gc_record *record, size_t from, size_t to)
{
  const struct gc_element element = record->elements[from];

  memmove(&record->elements[to + 1], &record->elements[to], (from - to) * sizeof(element));
  record->elements[to] = element;
}

/* Moves the elements that the new element, with index at, encloses to directly after it. */
static void gather(struct gc_record *record, size_t at)
{
  const enum gc_kind kind = record->elements[at].kind;
  size_t end = end_of(record, at);

  for (size_t i = end; i < record->count && record->elements[i].kind != kind; i++)
    if (encloses(kind, record->elements[i].kind))
      move_element(record, i, end++);
}

struct gc_element *gc_record_add(struct gc_record *record, enum gc_kind kind)
{
  size_t at = find_waiting(record, kind);
  struct gc_element *elements;

  if (at == record->count)
    at = find_place(record, kind);
  elements = realloc(record->elements, (record->count + 1) * sizeof(*elements));
  if (!elements)
    return NULL;
  record->elements = elements;
  memmove(&elements[at + 1], &elements[at], (record->count - at) * sizeof(*elements));
  elements[at] = (struct gc_element){ .kind = kind };
  record->count++;
  gather(record, at);
  return &elements[at];
}

struct gc_element *gc_record_find(const struct gc_record *record, enum gc_kind kind)
{
  for (size_t i = 0; i < record->count; i++)
    if (record->elements[i].kind == kind)
      return &record->elements[i];
  return NULL;
}

long gc_record_parent(const struct gc_record *record, size_t i)
{
  enum gc_kind kind = record->elements[i].kind;

  while (gc_kinds[kind].parent != kind) {
    kind = gc_kinds[kind].parent;
    for (size_t j = i; j-- > 0;)
      if (record->elements[j].kind == kind)
        return (long)j;
  }
  return -1;
}

static bool ends_with(const struct gc_info *info, const char *suffix)
{
  const size_t length = strlen(suffix);

  return info->length > length && !strcmp(info->name + info->length - length, suffix);
}

static bool is_value(const struct gc_info *info)
{
  if (ends_with(info, HWLOC_GPUCACHE_SOURCE_SUFFIX)) /* SharedWith can be measured to be empty */
    return strncmp(info->value, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
  return !ends_with(info, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
}

bool gc_record_has_values(const struct gc_record *record, size_t i)
{
  const size_t end = end_of(record, i);

  for (; i < end; i++)
    for (size_t k = 0; k < record->elements[i].infos.count; k++)
      if (is_value(&record->elements[i].infos.array[k]))
        return true;
  return false;
}

void gc_record_drop_empty(struct gc_record *record)
{
  for (size_t i = record->count; i-- > 1;) {
    if (gc_record_has_values(record, i))
      continue;
    gc_infos_clear(&record->elements[i].infos);
    record->count--;
    memmove(&record->elements[i], &record->elements[i + 1],
            (record->count - i) * sizeof(*record->elements));
  }
}

/* Writes the size as a whole number of the largest unit that divides it, or of a larger unit if
 * there are at least two of that: then rounding down loses less than a third. */
static void format_size(uint64_t bytes, char *text, size_t size)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  unsigned unit = sizeof(units) / sizeof(*units) - 1;
  uint64_t one;

  for (; unit > 0; unit--) {
    one = (uint64_t)1 << (10 * unit);
    if (bytes / one >= 2 || (bytes && bytes % one == 0))
      break;
  }
  snprintf(text, size, " %" PRIu64 "%s", bytes >> (10 * unit), units[unit]);
}

void gc_record_element_name(const struct gc_record *record, size_t i, const char *gpu, char *name,
                            size_t size)
{
  const struct gc_element *element = &record->elements[i];
  const struct gc_kind_info *kind = &gc_kinds[element->kind];
  char bytes[32] = "", times[32] = "";
  /* Outside of the SMs the nominal size counts; in an SM the capacity that it can use. */
  const char *first = kind->on_sm ? HWLOC_GPUCACHE_CAPACITY_BYTES : HWLOC_GPUCACHE_NOMINAL_BYTES;
  const char *second = kind->on_sm ? HWLOC_GPUCACHE_NOMINAL_BYTES : HWLOC_GPUCACHE_CAPACITY_BYTES;
  uint64_t value;

  if (!gc_infos_get_u64(&element->infos, first, &value) ||
      !gc_infos_get_u64(&element->infos, second, &value))
    format_size(value, bytes, sizeof(bytes));
  if (!gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_REACH_BYTES, &value)) {
    format_size(value, bytes, sizeof(bytes));
    strcat(bytes, " reach");
  }
  if (!gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_INSTANCES, &value) &&
      (kind->on_sm || value > 1))
    snprintf(times, sizeof(times), " x%" PRIu64, value);
  snprintf(name, size, "%s-%s%s%s", gpu, kind->label, bytes, times);
}
