/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything that may crash or hang runs in a child process, with a deadline.
 */
#ifndef GC_TOOL_DOCTOR_CHILD_H
#define GC_TOOL_DOCTOR_CHILD_H

#include "tool/tool.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What the child gets in addition to the environment of the user. */
enum gc_child_environment {
  GC_CHILD_PLAIN,
  GC_CHILD_LOADS /* it loads a topology: hwloc prints what it does, and nothing is measured */
};

struct gc_errand {
  const char *const *argv;
  enum gc_child_environment environment;
  const struct gc_tool *tool;
  double seconds;
  void (*on_line)(const char *line, void *data); /* for each line on its stderr; may be NULL */
  void *data;
  /* gc_errand_run fills in the rest. */
  char *output; /* its stdout, and a zero byte; the caller frees it */
  size_t length;
};

/* Runs the command in the environment of the user, as it was when this program started. 0 if it
 * exits with status 0; else a negative errno and how it ended ("died of signal 11 (…)"): -ETIMEDOUT
 * at the deadline, -ENOENT if it cannot be started, -EFBIG if it prints more than 64 MiB, which are
 * all that it can write, -ECHILD otherwise. The output is there in any case, unless memory runs
 * out. */
int gc_errand_run(struct gc_errand *errand, struct gc_error *how);

/* Ends the child that runs, if any. For another thread. */
void gc_errand_end(void);

#endif
