/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache list: the GPUs, and the state of the record of each.
 */
#include "tool/commands.h"

#include "store/store.h"
#include "tool/gpus/earlier_record.h"
#include "tool/gpus/targets.h"
#include "tool/print/messages.h"
#include "tool/print/table.h"
#include "tool/process/libhwloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void bus_id(const struct gc_gpu *gpu, char *text, size_t size)
{
  if (gpu->has_pci)
    snprintf(text, size, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
}

/* The name of a product does not say for which target its code is compiled. */
static void model(const struct gc_gpu *gpu, char *text, size_t size)
{
  bool named = !gpu->gfx[0] || strstr(gpu->identity.model, gpu->gfx);

  snprintf(text, size, named ? "%s" : "%s (%s)", gpu->identity.model, gpu->gfx);
}

/* Why the GPU has no valid record, if that is known without measuring; else empty. */
static void reason(const struct gc_gpu *gpu, char *text, size_t size)
{
  struct gc_failure failure;
  struct gc_error held;

  if (gpu->problem[0])
    snprintf(text, size, "cannot be measured: %s", gpu->problem);
  else if (!gc_store_find_failure(&gpu->identity, gc_store_environment(), &failure))
    snprintf(text, size, "failed %s: %s", failure.since, failure.why);
  else
    snprintf(text, size, "%s", gc_store_held(gpu->identity.id, &held) ? held.text : "");
}

/* The state of the record, in words. */
static void state(const struct gc_gpu *gpu, char *text, size_t size)
{
  struct gc_record *record = NULL;
  struct gc_error err = {""};
  char why[GC_CELL];
  const char *when;
  int found;

  reason(gpu, why, sizeof why);
  switch (found = gc_store_find(&gpu->identity, &record, &err)) {
  case 0:
    when = gc_infos_get(&record->infos, "Measured");
    snprintf(text, size, "measured %s", when ? when : "at an unknown time");
    gc_keep_describe(record, why, sizeof why);
    snprintf(text + strlen(text), size - strlen(text), "%s%s", *why ? "; " : "", why);
    break;
  case -ENOENT:
    snprintf(text, size, "%s", *why ? why : "none");
    break;
  default:
    snprintf(text, size, "%s: %.400s%s%.200s", found == -ESTALE ? "stale" : "unreadable", err.text,
             *why ? "; " : "", why);
  }
  gc_record_free(record);
}

static void say_where(void)
{
  struct gc_error err = {""};
  char dir[4096];

  if (gc_store_dir(dir, sizeof dir, &err))
    gc_say(NULL, "%s", err.text);
  if (gc_store_ignored())
    gc_say(NULL, "%s", gc_store_ignored());
  gc_say(NULL, "records are read from %s%s%s", err.text[0] ? "" : dir,
         err.text[0] ? "" : ", then from ", gc_store_site_dir());
}

/* If libhwloc cannot load plugins, the topology has no GPU caches, and no other message can give
 * the reason, because the plugin never runs. */
static void say_hwloc(void)
{
  char path[4096];

  switch (gc_libhwloc_find(path, sizeof path)) {
  case GC_LIBHWLOC_PLUGINS:
    gc_say(NULL, "hwloc is %s, which can load plugins", path);
    break;
  case GC_LIBHWLOC_NO_PLUGINS:
    gc_say(NULL,
           "hwloc is %s, which cannot load plugins, so programs that use it show no GPU caches: "
           "use a hwloc that was configured with --enable-plugins",
           path);
    break;
  case GC_LIBHWLOC_UNKNOWN:
    break;
  }
}

int gc_tool_list(const struct gc_tool *tool)
{
  struct gc_table table = {.columns = 5};
  struct gc_targets targets;
  char (*row)[GC_CELL];
  int status;

  if (tool->verbose) { /* also where there is no GPU, as on a login node */
    say_hwloc();
    say_where();
  }
  status = gc_targets_find(tool, &targets);
  if (status != GC_EXIT_DONE)
    return status;
  row = gc_table_row(&table);
  if (row) {
    static const char *const heads[] = {"GPU", "MODEL", "BUS", "RECORD", "STATE"};
    for (size_t i = 0; i < 5; i++)
      strcpy(row[i], heads[i]);
  }
  for (size_t i = 0; row && i < targets.count; i++) {
    const struct gc_gpu *gpu = targets.chosen[i];

    if (!gc_targets_is_there(gpu)) {
      if (!gc_targets_is_repeated(&targets.gpus, gpu))
        gc_say(NULL, "%s", gpu->problem);
      status = GC_EXIT_NO_GPU;
      continue;
    }
    row = gc_table_row(&table);
    if (!row)
      break;
    snprintf(row[0], sizeof *row, "%s", gpu->name);
    model(gpu, row[1], sizeof *row);
    bus_id(gpu, row[2], sizeof *row);
    snprintf(row[3], sizeof *row, "%s", gpu->identity.id);
    state(gpu, row[4], sizeof *row);
  }
  if (!row) {
    status = gc_no_memory();
  }
  if (table.rows == 1)
    table.rows = 0; /* no heads without rows */
  gc_table_print_all(&table, "", 1);
  gc_targets_free(&targets);
  return status;
}
