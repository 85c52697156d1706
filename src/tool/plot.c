/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/tool.h"

int gc_tool_plot(const struct gc_tool *tool)
{
  gc_say(NULL, "cannot draw %s", tool->words[0]);
  return GC_EXIT_FAILED;
}
