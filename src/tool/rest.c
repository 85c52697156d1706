/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * After a launch failed, its driver refuses this process for good, and only another one can measure
 * what is left: this very program with "measure --resume", which gets the record as it is on its
 * standard input and prints it whole. Should something fail there, too, it does the same.
 */
#include "tool/tool.h"

#include "util/spawn.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The record as a file to read from. */
static int write_record(int fd, const struct gc_record *record, const char *gpu, struct gc_error *err)
{
  size_t length, done = 0;
  char *xml = NULL;
  int status = gc_export(record, gpu, &xml, &length, err);

  while (!status && done < length) {
    const ssize_t n = write(fd, xml + done, length - done);

    if (n <= 0)
      status = gc_fail(err, -EIO, "cannot pass the record on: %s", strerror(errno));
    else
      done += (size_t)n;
  }
  free(xml);
  return status;
}

/* It has said itself why it failed, if it could. Whether that may pass by itself is for the caller to tell
 * from the status, as if it had happened here. */
static int conclude(const struct gc_command *command, struct gc_record **record, bool *said,
                    struct gc_error *err)
{
  struct gc_record *whole = NULL;
  int status;

  *said = command->end == GC_END_EXITED && command->status != GC_EXIT_DONE;
  if (*said && (status = gc_child_failure(command->output, err)))
    return status;
  if (command->end != GC_END_EXITED || *said) {
    gc_child_problem(command, err);
    return command->end == GC_END_NOT_STARTED ? -command->status : -EIO;
  }
  if (gc_child_read(command->output, &whole, err))
    return -EIO;
  gc_record_free(*record);
  *record = whole;
  return 0;
}

int gc_measure_rest(const struct gc_tool *tool, const struct gc_gpu *gpu, unsigned next,
                    struct gc_command *command, struct gc_record **record, bool *said,
                    struct gc_error *err)
{
  struct gc_tool of_child = *tool;
  const char *root = gc_targets_root(), *env[5] = {NULL};
  const struct gc_spawn_options options = {.set_env = env, .pass_stderr = true};
  struct gc_child child;
  char parent[64];
  char *sims = gc_targets_sims(tool), *setting = NULL, *tree = NULL;
  int status = 0;

  *said = false;
  /* what to do with the whole record is ours to decide */
  of_child.must_store = of_child.force = of_child.no_store = true;
  of_child.resume = next;
  *command = (struct gc_command){.argv = child.argv, .input = gc_child_file(),
                                 .output = gc_child_file()};
  if (!sims || asprintf(&setting, "%s=%s", HWLOC_GPUCACHE_SIM_ENV, sims) < 0) {
    setting = NULL;
    status = gc_fail(err, -ENOMEM, "out of memory");
  } else if (*root && asprintf(&tree, "HWLOC_FSROOT=%s", root) < 0) {
    tree = NULL;
    status = gc_fail(err, -ENOMEM, "out of memory");
  } else if (command->input < 0 || command->output < 0) {
    status = gc_fail(err, -errno, "cannot prepare a measuring process: %s", strerror(errno));
  }
  if (!status)
    status = write_record(command->input, *record, gpu->name, err);
  if (!status) {
    gc_child_name_parent(parent);
    env[0] = parent;
    env[1] = setting; /* so that the GPU has the same name there as here */
    env[2] = tree;    /* hwloc was not to see these when it wrote the record */
    env[3] = tree ? "HWLOC_THISSYSTEM=1" : NULL;
    gc_child_prepare(&child, &of_child, sims, gpu);
    gc_spawn(command, 1, &options);
    status = conclude(command, record, said, err);
  }
  if (command->input >= 0)
    close(command->input);
  if (command->output >= 0)
    close(command->output);
  free(tree);
  free(setting);
  free(sims);
  return status;
}
