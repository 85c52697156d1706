/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/merge.h"

#include "record/per_sm.h"
#include "record/values.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SOURCE HWLOC_GPUCACHE_SOURCE_SUFFIX
#define HOST "Host"

/* The length of the property that a key belongs to: "LineBytes" and "LineSource" belong to
 * "Line". */
static size_t property_length(const char *key)
{
  const size_t length = strlen(key), source = strlen(SOURCE);

  return length > source && !strcmp(key + length - source, SOURCE) ? length - source
                                                                    : gc_property_length(key);
}

static const char *source_of(const struct gc_infos *infos, const char *key)
{
  char name[GC_RECORD_MAX_NAME + sizeof(SOURCE)];

  snprintf(name, sizeof(name), "%.*s%s", (int)property_length(key), key, SOURCE);
  return gc_infos_get(infos, name);
}

/* Whether the element has any key of the property that this key belongs to. */
static bool has_property(const struct gc_infos *infos, const char *key)
{
  const size_t length = property_length(key);

  for (size_t i = 0; i < infos->count; i++)
    if (property_length(infos->array[i].name) == length &&
        !memcmp(infos->array[i].name, key, length))
      return true;
  return false;
}

static bool is_absent(const char *source)
{
  return !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
}

/* Whether this key of the tables adds to the element. A capacity that was measured and not found
 * stays absent: the size in the tables is there as the nominal one. */
static bool is_wanted(const struct gc_infos *infos, const char *key, const struct gc_infos *tables)
{
  const char *has = source_of(infos, key), *offers = source_of(tables, key);

  if (!has_property(infos, key))
    return true;
  return has && is_absent(has) && offers && !is_absent(offers) &&
         strncmp(key, HWLOC_GPUCACHE_CAPACITY, strlen(HWLOC_GPUCACHE_CAPACITY)) != 0;
}

/* In two passes, because all keys of a property are added, or none. */
static int merge_element(struct gc_infos *infos, const struct gc_infos *tables)
{
  bool wanted[GC_RECORD_MAX_INFOS];

  if (tables->count > GC_RECORD_MAX_INFOS)
    return -E2BIG;
  for (size_t i = 0; i < tables->count; i++)
    wanted[i] = is_wanted(infos, tables->array[i].name, tables);
  for (size_t i = 0; i < tables->count; i++)
    if (wanted[i] && gc_infos_set(infos, tables->array[i].name, tables->array[i].value))
      return -ENOMEM;
  return 0;
}

int gc_record_merge_tables(struct gc_record *record, const struct gc_record *tables)
{
  int status = 0;

  for (size_t i = 0; i < tables->infos.count; i++) {
    const struct gc_info *info = &tables->infos.array[i];

    if (!gc_infos_get(&record->infos, info->name) &&
        gc_infos_set(&record->infos, info->name, info->value))
      return -ENOMEM;
  }
  for (size_t i = 0; !status && i < tables->count; i++) {
    enum gc_kind kind = tables->elements[i].kind;
    struct gc_element *element = gc_record_find(record, kind);

    if (!element)
      element = gc_record_add(record, kind);
    status = element ? merge_element(&element->infos, &tables->elements[i].infos) : -ENOMEM;
  }
  return status ? status : gc_record_explain_per_sm(record);
}

int gc_record_take_host(struct gc_record *record, const struct gc_record *from)
{
  const struct gc_element *measured = gc_record_find(from, GC_DEVICE_MEMORY);
  struct gc_element *element = gc_record_find(record, GC_DEVICE_MEMORY);

  if (!element && !(element = gc_record_add(record, GC_DEVICE_MEMORY)))
    return -ENOMEM;
  gc_infos_drop(&element->infos, HOST);
  for (size_t i = 0; measured && i < measured->infos.count; i++) {
    const struct gc_info *info = &measured->infos.array[i];

    if (!strncmp(info->name, HOST, strlen(HOST)) &&
        gc_infos_set(&element->infos, info->name, info->value))
      return -ENOMEM;
  }
  return 0;
}

int gc_record_merge_node(struct gc_record *record, const struct gc_record *node)
{
  const struct gc_infos *infos = &node->elements[0].infos;
  const size_t length = strlen(record->identity.id);
  int status = 0;

  for (size_t i = 0; record->count && i < infos->count && !status; i++) {
    const char *name = infos->array[i].name;

    if (!strncmp(name, record->identity.id, length) && name[length] == '.' &&
        !strncmp(name + length + 1, GC_PEER_KEYS, strlen(GC_PEER_KEYS)))
      status = gc_infos_set(&record->elements[0].infos, name + length + 1, infos->array[i].value);
  }
  return status;
}
