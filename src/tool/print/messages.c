/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on stderr. The plugin uses the last line of this form as the status of the GPU.
 */
#include "tool/print/messages.h"

#include "tool/print/progress.h"
#include "tool/tool.h"
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

void gc_say(const char *gpu, const char *format, ...)
{
  char text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gc_make_printable(text);
  gc_progress_erase();
  /* one call, so that lines of parallel processes do not mix */
  fprintf(stderr, "%s: %s%s%s\n", GC_TOOL_NAME, gpu ? gpu : "", gpu ? ": " : "", text);
}

int gc_no_memory(void)
{
  gc_say(NULL, "out of memory");
  return GC_EXIT_FAILED;
}
