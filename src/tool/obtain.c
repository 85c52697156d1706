/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of each chosen GPU: the valid one from the store, or else measured now.
 */
#include "tool/tool.h"

#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes what the store has. */
static void look_up(const struct gc_tool *tool, struct gc_result *result)
{
  struct gc_error err = {""};
  int status;

  if (tool->force || tool->only || tool->no_store)
    return;
  status = gc_store_find(&result->gpu->identity, &result->record, &err);
  if (status == -EBADMSG || status == -EACCES)
    gc_say(result->gpu->name, "%s; measuring anew", err.text);
  else if (status && tool->verbose)
    gc_say(result->gpu->name, "%s", err.text);
}

/* No GPU there, or a profile that is there and no good? */
static enum gc_exit weigh_problem(const struct gc_gpu *gpu)
{
  return gpu->vendor == GC_VENDOR_SIM && gpu->profile[0] && access(gpu->profile, F_OK) == 0
             ? GC_EXIT_FAILED
             : GC_EXIT_NO_GPU;
}

struct gc_result *gc_obtain(const struct gc_tool *tool, const struct gc_targets *targets)
{
  struct gc_result *results = calloc(targets->count, sizeof *results);
  struct gc_result **missing = calloc(targets->count, sizeof *missing);
  size_t count = 0;

  if (!results || !missing) {
    gc_say(NULL, "out of memory");
    free(results);
    free(missing);
    return NULL;
  }
  for (size_t i = 0; i < targets->count; i++) {
    struct gc_result *result = &results[i];

    result->gpu = targets->chosen[i];
    if (gc_gpus_know(gc_targets_root(), targets->chosen[i]))
      gc_say(result->gpu->name, "out of memory; not all is shown");
    look_up(tool, result);
    if (result->record)
      continue;
    if (result->gpu->problem[0]) {
      result->status = weigh_problem(result->gpu);
      gc_fail(&result->problem, 0, "%s", result->gpu->problem);
      gc_say(result->gpu->name, "%s", result->problem.text);
    } else {
      missing[count++] = result;
    }
  }
  if (count == 1)
    gc_measure_here(tool, missing[0]);
  else if (count)
    gc_measure_fleet(tool, missing, count);
  free(missing);
  return results;
}

bool gc_is_known_only(const struct gc_result *result)
{
  return !result->record && result->gpu->known && result->gpu->vendor != GC_VENDOR_SIM;
}

void gc_say_caveat(const struct gc_result *result)
{
  const struct gc_gpu *gpu = result->gpu;

  if (gc_is_known_only(result))
    gc_say(gpu->name, "nothing of what is shown was measured: the kernel driver's tables (sysfs) state "
                      "it. Measuring has never been tried on an AMD GPU");
  else if (result->record && gpu->vendor == GC_VENDOR_AMD)
    gc_say(gpu->name, "how AMD GPUs are measured has never been checked on one: please compare, and "
                      "report what is wrong");
}

/* Whether nobody asked for this GPU in particular. */
static bool is_any(const struct gc_tool *tool, const struct gc_result *result)
{
  return !tool->count && result->gpu->vendor != GC_VENDOR_SIM;
}

int gc_results_status(const struct gc_tool *tool, const struct gc_result *results, size_t count,
                      bool tables)
{
  int status = GC_EXIT_DONE;
  bool some = false, tried = false;

  for (size_t i = 0; i < count; i++) {
    some |= results[i].record != NULL;
    tried |= results[i].record || !results[i].gpu->problem[0];
  }
  for (size_t i = 0; i < count; i++) {
    const struct gc_result *result = &results[i];
    int its = result->status;

    if (tables && gc_is_known_only(result))
      continue;
    if (is_any(tool, result) && !result->record) {
      if (tried && result->gpu->problem[0])
        continue; /* a display adapter, say, beside what is there for computing */
      if (some && its == GC_EXIT_NO_GPU)
        its = GC_EXIT_FAILED; /* there are GPUs, and one of them should have been measured */
    }
    status = gc_worse(status, its);
  }
  return status;
}

void gc_results_free(struct gc_result *results, size_t count)
{
  for (size_t i = 0; i < count; i++)
    gc_record_free(results[i].record);
  free(results);
}
