/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache measure: sees to it that each GPU has a valid record; prints what was measured.
 */
#include "tool/tool.h"

#include "util/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Data that could not be written at the end would be measured in vain. */
static int check_raw(struct gc_tool *tool)
{
  struct gc_error err = {""};
  sigset_t all, before;
  int fd;

  sigfillset(&all); /* what is written to try the directory is not to stay */
  pthread_sigmask(SIG_BLOCK, &all, &before);
  fd = gc_file_dir(tool->raw, &tool->made_raw, &err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (fd < 0) {
    gc_say(NULL, "--raw: %s", err.text);
    return GC_EXIT_FAILED;
  }
  close(fd);
  return GC_EXIT_DONE;
}

void gc_leave_raw(const struct gc_tool *tool)
{
  if (tool->made_raw)
    rmdir(tool->raw); /* which nothing but an empty one suffers */
}

int gc_tool_measure(const struct gc_tool *tool)
{
  struct gc_tool must = *tool;
  struct gc_targets targets;
  struct gc_result *results;
  bool first = true;
  int status = gc_targets_find(tool, &targets);

  if (status != GC_EXIT_DONE) {
    if (tool->resume)
      gc_child_tell(-ENODEV, "the process that was to measure the rest does not find the GPU");
    return status;
  }
  if (tool->resume && targets.count != 1) { /* there is one record on the standard input */
    gc_say(NULL, "--resume needs one GPU, and %zu are meant", targets.count);
    gc_targets_free(&targets);
    return GC_EXIT_USAGE;
  }
  if (tool->raw && (status = check_raw(&must)) != GC_EXIT_DONE) {
    gc_targets_free(&targets);
    return status;
  }
  must.must_store = true;
  must.force |= tool->raw != NULL; /* a record has no data */
  results = gc_obtain(&must, &targets);
  if (!results) {
    status = GC_EXIT_FAILED;
  } else {
    status = gc_results_status(tool, results, targets.count, false);
    /* whoever began has to remember why, and may have to say it */
    if (tool->resume && !results[0].record)
      gc_child_tell(results[0].error ? results[0].error : -EIO, results[0].problem.text);
    if (tool->xml) {
      status = gc_worse(status, gc_report_xml(results, targets.count));
    } else {
      gc_say_caveats(results, targets.count, true);
      for (size_t i = 0; i < targets.count; i++) {
        const char *when, *name = results[i].gpu->name;

        if (!results[i].record)
          continue;
        when = gc_infos_get(&results[i].record->infos, "Measured");
        if (!first && results[i].fresh)
          putchar('\n');
        first = false;
        if (results[i].fresh)
          status = gc_worse(status, gc_report(results[i].record, name));
        else
          printf("%s: already measured on %s (--force measures anew)\n", name,
                 when ? when : "an unknown date");
      }
    }
    gc_results_free(results, targets.count);
  }
  gc_leave_raw(&must);
  gc_targets_free(&targets);
  return status;
}
