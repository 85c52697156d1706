/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/messages.h"

#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

void gc_plugin_say(const struct gc_gpu *gpu, const char *format, ...)
{
  char text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  gc_make_printable(text);
  if (gpu)
    fprintf(stderr, "hwloc/gpucache: %s (%s): %s\n", gpu->name, gpu->identity.id, text);
  else
    fprintf(stderr, "hwloc/gpucache: %s\n", text);
}
