/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on stderr. The plugin uses the last line of this form as the status of the GPU.
 */
#include "tool/print/messages.h"

#include "tool/print/progress.h"
#include "tool/print/terminal.h"
#include "tool/tool.h"
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void gc_say(const char *gpu, const char *format, ...)
{
  char text[1024], line[1400], *wrapped;
  size_t columns;
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gc_make_printable(text);
  gc_progress_erase();
  snprintf(line, sizeof line, "%s: %s%s%s", GC_TOOL_NAME, gpu ? gpu : "", gpu ? ": " : "", text);
  columns = gc_terminal_real_width(STDERR_FILENO);
  wrapped = columns ? gc_terminal_wrap(line, columns) : NULL;
  /* one call, so that lines of parallel processes do not mix */
  if (wrapped)
    fputs(wrapped, stderr);
  else
    fprintf(stderr, "%s\n", line);
  free(wrapped);
}

int gc_no_memory(void)
{
  gc_say(NULL, "out of memory");
  return GC_EXIT_FAILED;
}
