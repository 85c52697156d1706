/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * After a failed launch, the driver refuses all further calls of this process. Another process
 * measures the rest: this program with "measure --resume". It reads the results so far from
 * its standard input and prints the complete record. After another failed launch it does the same.
 */
#include "tool/measure/rest_of_plan.h"

#include "tool/gpus/targets.h"
#include "tool/process/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The process has printed why it failed, if it could. The caller treats the status as if the
 * failure had happened here. */
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

int gc_continue_elsewhere(const struct gc_tool *tool, const struct gc_gpu *gpu,
                          struct gc_elsewhere *elsewhere, struct gc_record **record,
                          struct gc_error *err)
{
  struct gc_child_variables environment;
  const struct gc_spawn_options options = {.set_env = environment.entries, .pass_stderr = true};
  struct gc_command *command = elsewhere->command;
  struct gc_tool of_child = *tool;
  struct gc_child child;
  char *sims = gc_targets_sims(tool);
  int status = 0;

  elsewhere->said = false;
  if (!sims || gc_child_environment(&environment, sims)) {
    free(sims);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  /* this process decides what happens with the complete record */
  of_child.must_store = of_child.force = of_child.no_store = true;
  of_child.replace = false;
  of_child.resume = elsewhere->handover->next;
  *command = (struct gc_command){.argv = child.argv, .input = gc_child_file(),
                                 .output = gc_child_file()};
  if (command->input < 0 || command->output < 0)
    status = gc_fail(err, -errno, "cannot prepare a measuring process: %s", strerror(errno));
  if (!status)
    status = gc_handover_write(elsewhere->handover, &gpu->identity, command->input, err);
  if (!status) {
    gc_child_prepare(&child, &of_child, sims, gpu);
    gc_spawn(command, 1, &options);
    status = conclude(command, record, &elsewhere->said, err);
  }
  if (command->input >= 0)
    close(command->input);
  if (command->output >= 0)
    close(command->output);
  gc_child_environment_free(&environment);
  free(sims);
  return status;
}
