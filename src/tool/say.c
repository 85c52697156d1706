/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sentences on stderr. The plugin takes the last line of this form as the GPU's status.
 */
#include "tool/tool.h"

#include <stdarg.h>
#include <stdio.h>

void gc_say(const char *gpu, const char *format, ...)
{
  char text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gc_progress_erase();
  /* one call, so that lines of processes side by side do not mix */
  fprintf(stderr, "%s: %s%s%s\n", GC_TOOL_NAME, gpu ? gpu : "", gpu ? ": " : "", text);
}

int gc_worse(int a, int b)
{
  static const int weight[] = {[GC_EXIT_DONE] = 0, [GC_EXIT_NO_GPU] = 1, [GC_EXIT_USAGE] = 2,
                               [GC_EXIT_FAILED] = 3};

  return weight[a] >= weight[b] ? a : b;
}
