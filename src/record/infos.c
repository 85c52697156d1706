/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "record/record.h"

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

/* Room for one more. The array has room for the power of two that is not below count, so it is only
 * full when count is one. */
static int grow(struct gc_infos *infos)
{
  size_t room = infos->count ? 2 * infos->count : 1;
  struct gc_info *array;

  if (infos->count & (infos->count - 1))
    return 0;
  array = realloc(infos->array, room * sizeof(*array));
  if (!array)
    return -ENOMEM;
  infos->array = array;
  return 0;
}

/* Takes value over, also when it fails. */
static int set_owned(struct gc_infos *infos, const char *name, char *value)
{
  size_t length = strlen(name);
  struct gc_info *info = find(infos, name, length);
  char *owned_name;

  if (info) {
    free(info->value);
    info->value = value;
    return 0;
  }
  owned_name = strdup(name);
  if (!owned_name)
    goto no_name;
  if (grow(infos))
    goto no_room;
  infos->array[infos->count++] = (struct gc_info){ owned_name, value, length };
  return 0;

no_room:
  free(owned_name);
no_name:
  free(value);
  return -ENOMEM;
}

int gc_infos_set(struct gc_infos *infos, const char *name, const char *value)
{
  /* Copied first: value may be the one that is replaced. */
  char *copy = strdup(value);

  return copy ? set_owned(infos, name, copy) : -ENOMEM;
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
  uint64_t sum = 0;

  if (!text)
    return -ENOENT;
  if (!*text)
    return -EINVAL;
  for (; *text; text++) {
    unsigned digit = (unsigned char)*text - '0';

    if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
      return -EINVAL;
    sum = sum * 10 + digit;
  }
  *value = sum;
  return 0;
}

void gc_infos_remove(struct gc_infos *infos, const char *name)
{
  struct gc_info *info = find(infos, name, strlen(name));

  if (!info)
    return;
  free(info->name);
  free(info->value);
  infos->count--;
  memmove(info, info + 1, (size_t)(infos->array + infos->count - info) * sizeof(*info));
}

void gc_infos_clear(struct gc_infos *infos)
{
  for (size_t i = 0; i < infos->count; i++) {
    free(infos->array[i].name);
    free(infos->array[i].value);
  }
  free(infos->array);
  *infos = (struct gc_infos){ NULL, 0 };
}
