/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sources/objects.h"

#include "graft/compat.h"

#include <errno.h>
#include <string.h>

static int refuse(struct gc_error *err, const char *what, const char *name)
{
  return gc_fail(err, -EBADMSG, "%s: %.100s", what, name);
}

static int no_memory(struct gc_error *err)
{
  return gc_fail(err, -ENOMEM, "out of memory");
}

/* Infos that hwloc or lstopo adds to each topology. */
static bool is_foreign(const char *name)
{
  return !strcmp(name, "Backend") || !strcmp(name, "hwlocVersion") ||
         !strcmp(name, "ProcessName") || !strcmp(name, "lstopoStyle");
}

/* A fact of the whole GPU (name without prefix) is a member of the record, or one of its infos. */
static int add_fact(struct gc_record *record, const char *name, const char *value,
                    struct gc_error *err)
{
  const struct gc_identity_key *key = gc_identity_keys;

  while (key->name && strcmp(key->name, name))
    key++;
  if (!key->name)
    return gc_infos_set(&record->infos, name, value) ? no_memory(err) : 0;
  if (strlen(value) >= key->size)
    return refuse(err, "value too long", name);
  strcpy((char *)record + key->offset, value);
  return 0;
}

static int add_info(struct gc_record *record, struct gc_element *element, const char *name,
                    const char *value, struct gc_error *err)
{
  const size_t prefix = strlen(gc_record_prefix);

  if (is_foreign(name))
    return 0;
  if (!*name || strlen(name) > GC_RECORD_MAX_NAME || strlen(value) > GC_RECORD_MAX_VALUE)
    return refuse(err, "an info that is too long or has no name", name);
  if (element->kind == GC_DEVICE_MEMORY && !strncmp(name, gc_record_prefix, prefix))
    return add_fact(record, name + prefix, value, err);
  if (!gc_value_ok(name, value))
    return refuse(err, "not a number of the required form", name);
  return gc_infos_set(&element->infos, name, value) ? no_memory(err) : 0;
}

/* The kind of this object; GC_KIND_COUNT if it is none of ours. */
static enum gc_kind kind_of(hwloc_obj_t obj)
{
  return obj->type == HWLOC_OBJ_OS_DEVICE && obj->subtype ? gc_kind_by_subtype(obj->subtype)
                                                          : GC_KIND_COUNT;
}

/* Adds this object and those inside it. An element of unknown kind can contain known ones. */
static int add_object(struct gc_record *record, hwloc_obj_t obj, struct gc_error *err)
{
  const enum gc_kind kind = kind_of(obj);
  int status = 0;

  if (kind != GC_KIND_COUNT) {
    struct gc_element *element =
        record->count < GC_RECORD_MAX_ELEMENTS ? gc_record_add(record, kind) : NULL;

    if (!element)
      return no_memory(err);
    for (unsigned i = 0; !status && i < gc_hwloc_info_count(obj); i++)
      status =
          add_info(record, element, gc_hwloc_info(obj, i)->name, gc_hwloc_info(obj, i)->value, err);
  }
  for (hwloc_obj_t child = obj->io_first_child; !status && child; child = child->next_sibling)
    status = add_object(record, child, err);
  return status;
}

int gc_objects_record(hwloc_obj_t memory, struct gc_record **record, struct gc_error *err)
{
  static const struct gc_identity unknown;
  struct gc_record *made = gc_record_new(&unknown);
  int status;

  if (!made)
    return no_memory(err);
  made->format[0] = made->method[0] = '\0'; /* those that the objects state */
  status = add_object(made, memory, err);
  if (!status && !made->identity.id[0])
    status = refuse(err, "no info", "GPUCacheUUID");
  if (status)
    gc_record_free(made);
  else
    *record = made;
  return status;
}
