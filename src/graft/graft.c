/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "graft/graft.h"

#include "graft/compat.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The colours of caches and of NUMA nodes in lstopo. */
#define CACHE_STYLE "Background=#ffffff"
#define MEMORY_STYLE "Background=#efdfde"
#define STATUS_KEY "Status"
#define UUID_KEY "UUID"
/* The status until all values are there. It stays if memory runs out. */
#define INCOMPLETE "out of memory; not all values are here"

/* Adds an info named <prefix><middle><key>. */
static int add(hwloc_obj_t obj, const char *prefix, const char *middle, const char *key,
               const char *value)
{
  char name[GC_RECORD_MAX_NAME + 64];

  if (!*prefix && !*middle)
    return hwloc_obj_add_info(obj, key, value) < 0 ? -ENOMEM : 0;
  if (strlen(prefix) + strlen(middle) + strlen(key) >= sizeof(name))
    return 0; /* the reader of records refuses such names */
  /* snprintf for every info was a tenth of the plugin's time in a load. */
  strcpy(stpcpy(stpcpy(name, prefix), middle), key);
  return hwloc_obj_add_info(obj, name, value) < 0 ? -ENOMEM : 0;
}

static bool ends_with(const struct gc_info *info, const char *suffix)
{
  const size_t length = strlen(suffix);

  return info->length > length && !strcmp(info->name + info->length - length, suffix);
}

/* Whether the info says where a value comes from. These are about half of all infos, so only the
 * elements have them. */
static bool is_about(const struct gc_info *info)
{
  return ends_with(info, HWLOC_GPUCACHE_SOURCE_SUFFIX) ||
         ends_with(info, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
}

/* Adds INCOMPLETE as the status, with space for the final one. */
static int open_status(hwloc_obj_t obj, const char *state)
{
  const size_t final = strlen(state),
               most = final < sizeof(INCOMPLETE) ? sizeof(INCOMPLETE) : final;
  char *padded = malloc(most + 1);
  int status;

  if (!padded)
    return -ENOMEM;
  memset(padded, ' ', most);
  padded[most] = '\0';
  memcpy(padded, INCOMPLETE, strlen(INCOMPLETE));
  status = add(obj, gc_record_prefix, "", STATUS_KEY, padded);
  free(padded);
  return status;
}

/* Replaces INCOMPLETE by the final status, which needs no memory. hwloc has no function that
 * changes the value of an info, but its owner may write to the string. */
static void close_status(hwloc_obj_t obj, const char *state)
{
  char name[32], *value;

  snprintf(name, sizeof(name), "%s" STATUS_KEY, gc_record_prefix);
  value = (char *)hwloc_obj_get_info_by_name(obj, name);
  if (value && !strncmp(value, INCOMPLETE, strlen(INCOMPLETE)))
    strcpy(value, state);
}

/* The identity of the GPU, and the facts of the whole GPU. A record also has the status of the
 * load that wrote it, which is replaced by the present one. flat: without sources and
 * confidences. */
static int add_facts(hwloc_obj_t obj, const struct gc_record *record, const char *state, bool flat)
{
  int status = open_status(obj, state);

  for (const struct gc_identity_key *key = gc_identity_keys; !status && key->name; key++) {
    const char *value = (const char *)record + key->offset;

    if (*value)
      status = add(obj, gc_record_prefix, "", key->name, value);
  }
  for (size_t i = 0; !status && i < record->infos.count; i++) {
    const struct gc_info *info = &record->infos.array[i];

    if (strcmp(info->name, STATUS_KEY) && !(flat && is_about(info)))
      status = add(obj, gc_record_prefix, "", info->name, info->value);
  }
  return status;
}

/* "L1Cache" is "L1" in a flat key, "SharedMemory" stays. */
static void flat_name(enum gc_kind kind, char *name, size_t size)
{
  const char *subtype = gc_kinds[kind].subtype;
  size_t length = strlen(subtype), tail = strlen("Cache");

  if (length > tail && !strcmp(subtype + length - tail, "Cache"))
    length -= tail;
  snprintf(name, size, "%.*s", (int)length, subtype);
}

static int add_flat(hwloc_obj_t obj, const struct gc_record *record, const char *state)
{
  int status = add_facts(obj, record, state, true);

  for (size_t i = 0; !status && i < record->count; i++) {
    const struct gc_infos *infos = &record->elements[i].infos;
    char middle[32];

    flat_name(record->elements[i].kind, middle, sizeof(middle));
    for (size_t k = 0; !status && k < infos->count; k++)
      if (!is_about(&infos->array[k]))
        status = add(obj, gc_record_prefix, middle, infos->array[k].name, infos->array[k].value);
  }
  return status;
}

/* Enough to find the elements. */
static int add_id(hwloc_obj_t obj, const struct gc_record *record, const char *state)
{
  int status = open_status(obj, state);

  return status ? status : add(obj, gc_record_prefix, "", UUID_KEY, record->identity.id);
}

/* For the PCI device and for each OS device directly under it. */
static int on_device(hwloc_obj_t device, const struct gc_record *record, const char *state)
{
  int status = record ? add_flat(device, record, state)
                      : add(device, gc_record_prefix, "", STATUS_KEY, state);

  for (hwloc_obj_t child = device->io_first_child; !status && child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE)
      status = record ? add_id(child, record, state)
                      : add(child, gc_record_prefix, "", STATUS_KEY, state);
  return status;
}

/* All values are there. */
static void close_all(hwloc_obj_t device, hwloc_obj_t outermost, const char *state)
{
  hwloc_obj_t child = device ? device->io_first_child : NULL;

  if (device)
    close_status(device, state);
  for (; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE)
      close_status(child, state);
  close_status(outermost, state);
}

static hwloc_obj_t make_element(hwloc_topology_t topology, const struct gc_record *record, size_t i,
                                const char *gpu)
{
  char name[128], *own_name, *subtype = strdup(gc_kinds[record->elements[i].kind].subtype);
  hwloc_obj_t obj = NULL;

  gc_record_element_name(record, i, gpu, name, sizeof(name));
  own_name = strdup(name);
  /* Last, because there is no public way to free it. */
  if (subtype && own_name)
    obj = hwloc_alloc_setup_object(topology, HWLOC_OBJ_OS_DEVICE, HWLOC_UNKNOWN_INDEX);
  if (!obj) {
    free(own_name);
    free(subtype);
    return NULL;
  }
  gc_hwloc_set_memory_osdev(obj);
  obj->name = own_name;
  obj->subtype = subtype;
  return obj;
}

static int add_element_infos(hwloc_obj_t obj, const struct gc_record *record, size_t i,
                             const char *state)
{
  const struct gc_element *element = &record->elements[i];
  int status = i == 0 ? add_facts(obj, record, state, false) : 0;

  for (size_t k = 0; !status && k < element->infos.count; k++)
    status = add(obj, "", "", element->infos.array[k].name, element->infos.array[k].value);
  if (!status)
    status = add(obj, "", "", "lstopoStyle",
                 gc_kinds[element->kind].is_memory ? MEMORY_STYLE : CACHE_STYLE);
  if (!status)
    status = add(obj, "", "", "Backend", "GPUCache");
  return status;
}

int gc_graft_record(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_t device,
                    const char *gpu, const struct gc_record *record, const char *state)
{
  hwloc_obj_t *objs = calloc(record->count + 1, sizeof(*objs));
  int status = objs ? 0 : -ENOMEM;

  /* First, so that it finds only the OS devices of others. */
  if (!status && device)
    status = on_device(device, record, state);
  for (size_t i = 0; !status && i < record->count; i++) {
    long above = gc_record_parent(record, i);

    objs[i] = make_element(topology, record, i, gpu);
    if (!objs[i]) {
      status = -ENOMEM;
      break;
    }
    /* Before the infos: there is no public way to free an object that was not inserted. */
    hwloc_insert_object_by_parent(topology, above < 0 ? parent : objs[above], objs[i]);
    status = add_element_infos(objs[i], record, i, state);
  }
  if (!status && record->count)
    close_all(device, objs[0], state);
  free(objs);
  return status;
}

int gc_graft_status(hwloc_obj_t parent, hwloc_obj_t device, const char *gpu, const char *why)
{
  char value[1024];

  if (device)
    return on_device(device, NULL, why);
  snprintf(value, sizeof(value), "%s: %s", gpu, why);
  return add(parent, gc_record_prefix, "", STATUS_KEY, value);
}
