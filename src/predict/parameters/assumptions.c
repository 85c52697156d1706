/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/parameters/assumptions.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gc_assume(struct gc_assumptions *assumptions, const char *element, const char *key,
               const char *format, ...)
{
  struct gc_assumption added;
  va_list args;

  added.of_record = element || !strncmp(key, "GPUCache", 8);
  snprintf(added.what, sizeof added.what, "%s%s%s", element ? element : "", element ? " " : "",
           key);
  va_start(args, format);
  vsnprintf(added.assumed, sizeof added.assumed, format, args);
  va_end(args);
  for (size_t i = 0; i < assumptions->count; i++)
    if (!strcmp(assumptions->array[i].what, added.what))
      return;
  if (assumptions->count < GC_ASSUMPTIONS)
    assumptions->array[assumptions->count++] = added;
}
