/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "record/infos.h"

#include "util/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gc_info *find(const struct gc_infos *infos, const char *name, size_t length)
{
  for (size_t i = 0; i < infos->count; i++)
    if (infos->array[i].length == length && !memcmp(infos->array[i].name, name, length))
      return &infos->array[i];
  return NULL;
}

/* Makes space for one more. The array has space for the next power of two or more, so it can be full
 * only when count is a power of two. */
static int grow(struct gc_infos *infos)
{
  size_t size = infos->count ? 2 * infos->count : 1;
  struct gc_info *array;

  if (infos->count & (infos->count - 1))
    return 0;
  array = realloc(infos->array, size * sizeof(*array));
  if (!array)
    return -ENOMEM;
  infos->array = array;
  return 0;
}

/* Takes ownership of value, also on failure. */
static int set_owned(struct gc_infos *infos, const char *name, char *value)
{
  size_t length = strlen(name);
  struct gc_info *info = find(infos, name, length);
  char *owned_name;

  if (info) {
    if (!info->value_shared)
      free(info->value);
    info->value = value;
    info->value_shared = false;
    return 0;
  }
  owned_name = strdup(name);
  if (!owned_name)
    goto no_name;
  if (grow(infos))
    goto not_grown;
  infos->array[infos->count++] =
      (struct gc_info){ owned_name, value, (unsigned)length, false, false };
  return 0;

not_grown:
  free(owned_name);
no_name:
  free(value);
  return -ENOMEM;
}

int gc_infos_set(struct gc_infos *infos, const char *name, const char *value)
{
  /* Copied first, because value may be the one that is replaced. */
  char *copy = strdup(value);

  return copy ? set_owned(infos, name, copy) : -ENOMEM;
}

int gc_infos_add_shared(struct gc_infos *infos, char *name, char *value)
{
  const size_t length = strlen(name);

  if (find(infos, name, length))
    return -EEXIST;
  if (grow(infos))
    return -ENOMEM;
  infos->array[infos->count++] = (struct gc_info){ name, value, (unsigned)length, true, true };
  return 0;
}

int gc_infos_setf(struct gc_infos *infos, const char *name, const char *format, ...)
{
  va_list args;
  char *value;
  int length;

  va_start(args, format);
  length = vasprintf(&value, format, args);
  va_end(args);
  return length < 0 ? -ENOMEM : set_owned(infos, name, value);
}

int gc_infos_set_u64(struct gc_infos *infos, const char *name, uint64_t value)
{
  return gc_infos_setf(infos, name, "%" PRIu64, value);
}

const char *gc_infos_get(const struct gc_infos *infos, const char *name)
{
  const struct gc_info *info = find(infos, name, strlen(name));

  return info ? info->value : NULL;
}

int gc_infos_get_u64(const struct gc_infos *infos, const char *name, uint64_t *value)
{
  const char *text = gc_infos_get(infos, name);

  if (!text)
    return -ENOENT;
  return gc_number_whole(text, value) ? 0 : -EINVAL;
}

static int own(char **string, bool *shared)
{
  char *copy = *shared ? strdup(*string) : *string;

  if (!copy)
    return -ENOMEM;
  *string = copy;
  *shared = false;
  return 0;
}

int gc_infos_own(struct gc_infos *infos)
{
  for (size_t i = 0; i < infos->count; i++)
    if (own(&infos->array[i].name, &infos->array[i].name_shared) ||
        own(&infos->array[i].value, &infos->array[i].value_shared))
      return -ENOMEM;
  return 0;
}

static void release(struct gc_info *info)
{
  if (!info->name_shared)
    free(info->name);
  if (!info->value_shared)
    free(info->value);
}

void gc_infos_drop(struct gc_infos *infos, const char *prefix)
{
  size_t kept = 0;

  for (size_t i = 0; i < infos->count; i++)
    if (strncmp(infos->array[i].name, prefix, strlen(prefix)))
      infos->array[kept++] = infos->array[i];
    else
      release(&infos->array[i]);
  infos->count = kept;
}

void gc_infos_clear(struct gc_infos *infos)
{
  for (size_t i = 0; i < infos->count; i++)
    release(&infos->array[i]);
  free(infos->array);
  *infos = (struct gc_infos){ NULL, 0 };
}
