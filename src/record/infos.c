/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gc_info *find(const struct gc_infos *infos, const char *name)
{
  for (size_t i = 0; i < infos->count; i++)
    if (!strcmp(infos->array[i].name, name))
      return &infos->array[i];
  return NULL;
}

/* Takes value over, also when it fails. */
static int set_owned(struct gc_infos *infos, const char *name, char *value)
{
  struct gc_info *info = find(infos, name), *array;
  char *owned_name;

  if (info) {
    free(info->value);
    info->value = value;
    return 0;
  }
  owned_name = strdup(name);
  if (!owned_name)
    goto no_name;
  array = realloc(infos->array, (infos->count + 1) * sizeof(*array));
  if (!array)
    goto no_array;
  array[infos->count++] = (struct gc_info){ owned_name, value };
  infos->array = array;
  return 0;

no_array:
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
  const struct gc_info *info = find(infos, name);

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

void gc_infos_clear(struct gc_infos *infos)
{
  for (size_t i = 0; i < infos->count; i++) {
    free(infos->array[i].name);
    free(infos->array[i].value);
  }
  free(infos->array);
  *infos = (struct gc_infos){ NULL, 0 };
}
