/* SPDX-License-Identifier: BSD-3-Clause */
#include "graft/graft.h"

#include "graft/compat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The colours of caches and of NUMA nodes in lstopo. */
#define CACHE_STYLE "Background=#ffffff"
#define MEMORY_STYLE "Background=#efdfde"
#define STATUS_KEY "Status"

/* Adds an info named <prefix><middle><key>. */
static int add(hwloc_obj_t obj, const char *prefix, const char *middle, const char *key,
               const char *value)
{
  char name[GC_RECORD_MAX_NAME + 64];

  if (strlen(prefix) + strlen(middle) + strlen(key) >= sizeof(name))
    return 0; /* longer than the reader of records lets through */
  /* Not snprintf: for every info of every load, it was a tenth of what the plugin costs. */
  strcpy(stpcpy(stpcpy(name, prefix), middle), key);
  return hwloc_obj_add_info(obj, name, value) < 0 ? -ENOMEM : 0;
}

static int add_infos(hwloc_obj_t obj, const char *prefix, const char *middle,
                     const struct gc_infos *infos)
{
  int status = 0;

  for (size_t i = 0; !status && i < infos->count; i++)
    status = add(obj, prefix, middle, infos->array[i].name, infos->array[i].value);
  return status;
}

/* Who the GPU is, and the facts of the whole of it. A record that was read holds the status of the
 * load that wrote it; only today's counts. */
static int add_facts(hwloc_obj_t obj, const struct gc_record *record, const char *state)
{
  int status = add(obj, gc_record_prefix, "", STATUS_KEY, state);

  for (const struct gc_identity_key *key = gc_identity_keys; !status && key->name; key++) {
    const char *value = (const char *)record + key->offset;

    if (*value)
      status = add(obj, gc_record_prefix, "", key->name, value);
  }
  for (size_t i = 0; !status && i < record->infos.count; i++)
    if (strcmp(record->infos.array[i].name, STATUS_KEY))
      status =
          add(obj, gc_record_prefix, "", record->infos.array[i].name, record->infos.array[i].value);
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
  int status = add_facts(obj, record, state);

  for (size_t i = 0; !status && i < record->count; i++) {
    char middle[32];

    flat_name(record->elements[i].kind, middle, sizeof(middle));
    status = add_infos(obj, gc_record_prefix, middle, &record->elements[i].infos);
  }
  return status;
}

/* For the PCI device and for each OS device directly under it. */
static int on_device(hwloc_obj_t device, const struct gc_record *record, const char *state)
{
  int status = record ? add_flat(device, record, state)
                      : add(device, gc_record_prefix, "", STATUS_KEY, state);

  for (hwloc_obj_t child = device->io_first_child; !status && child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE)
      status = record ? add_flat(child, record, state)
                      : add(child, gc_record_prefix, "", STATUS_KEY, state);
  return status;
}

static hwloc_obj_t make_element(hwloc_topology_t topology, const struct gc_record *record, size_t i,
                                const char *gpu)
{
  char name[128], *own_name, *subtype = strdup(gc_kinds[record->elements[i].kind].subtype);
  hwloc_obj_t obj = NULL;

  gc_record_element_name(record, i, gpu, name, sizeof(name));
  own_name = strdup(name);
  /* Last, because it could not be freed. */
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
  int status = i == 0 ? add_facts(obj, record, state) : 0;

  if (!status)
    status = add_infos(obj, "", "", &element->infos);
  if (!status)
    status = add(obj, "", "", "lstopoStyle",
                 gc_kinds[element->kind].is_memory ? MEMORY_STYLE : CACHE_STYLE);
  return status;
}

int gc_graft_record(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_t device,
                    const char *gpu, const struct gc_record *record, const char *state)
{
  hwloc_obj_t *objs = calloc(record->count + 1, sizeof(*objs));
  int status = objs ? 0 : -ENOMEM;

  /* First, so that the OS devices that it finds are not ours. */
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
  free(objs);
  return status;
}

int gc_graft_status(hwloc_obj_t parent, hwloc_obj_t device, const char *who, const char *why)
{
  char value[1024];

  if (device)
    return on_device(device, NULL, why);
  snprintf(value, sizeof(value), "%s: %s", who, why);
  return add(parent, gc_record_prefix, "", STATUS_KEY, value);
}
