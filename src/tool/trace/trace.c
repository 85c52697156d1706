/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/commands.h"

#include "tool/trace/record.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The exit status is that of the program, unless it succeeded and there is no trace. */
int gc_tool_trace(const struct gc_tool *tool)
{
  const char *const slash = strrchr(tool->words[0], '/');
  char output[PATH_MAX];
  struct gc_ended ended;
  int status;

  /* the directory of an earlier trace can end with a slash */
  snprintf(output, sizeof output, "%s.trace",
           !slash     ? tool->words[0]
           : slash[1] ? slash + 1
                      : "hwloc-gpucache");
  status = gc_record_trace(
      tool,
      &(struct gc_recorded){tool->words, tool->output ? tool->output : output, false, tool->times},
      &ended);
  return ended.status ? ended.status : status;
}
