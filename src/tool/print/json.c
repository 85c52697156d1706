/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/print/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

json_t *gc_json_text(const char *text)
{
  json_t *string = json_string(text);

  return string ? string : json_string("(not UTF-8)");
}

static void check(json_t **container, int failed)
{
  if (!failed)
    return;
  json_decref(*container);
  *container = NULL;
}

void gc_json_set(json_t **object, const char *key, json_t *value)
{
  check(object, json_object_set_new(*object, key, value));
}

void gc_json_add(json_t **array, json_t *value)
{
  check(array, json_array_append_new(*array, value));
}

void gc_json_set_text(json_t **object, const char *key, const char *text)
{
  gc_json_set(object, key, gc_json_text(text));
}

void gc_json_set_real(json_t **object, const char *key, double number)
{
  gc_json_set(object, key, isfinite(number) ? json_real(number) : json_null());
}

void gc_json_set_whole(json_t **object, const char *key, uint64_t number)
{
  gc_json_set(object, key, json_integer((json_int_t)number));
}

int gc_json_print(json_t *value, size_t digits)
{
  if (!value)
    return -ENOMEM;
  json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
  putchar('\n');
  json_decref(value);
  return 0;
}
