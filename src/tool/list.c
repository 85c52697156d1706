/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache list: the GPUs, and what is remembered of each.
 */
#include "tool/tool.h"

#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void bus_id(const struct gc_gpu *gpu, char *text, size_t size)
{
  if (gpu->has_pci)
    snprintf(text, size, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
}

/* A product's name does not say what code runs on it. */
static void model(const struct gc_gpu *gpu, char *text, size_t size)
{
  bool named = !gpu->gfx[0] || strstr(gpu->identity.model, gpu->gfx);

  snprintf(text, size, named ? "%s" : "%s (%s)", gpu->identity.model, gpu->gfx);
}

/* Why a GPU has no record of now, as far as that is known before trying. Empty: nothing is known. */
static void reason(const struct gc_gpu *gpu, char *text, size_t size)
{
  struct gc_failure failure;

  if (gpu->problem[0])
    snprintf(text, size, "cannot be measured: %s", gpu->problem);
  else if (!gc_store_find_failure(&gpu->identity, gc_store_environment(), &failure))
    snprintf(text, size, "failed %s: %s", failure.since, failure.why);
  else
    *text = '\0';
}

/* The state of its record, in words. */
static void state(const struct gc_gpu *gpu, char *text, size_t size)
{
  struct gc_record *record = NULL;
  struct gc_error err = {""};
  char why[GC_CELL];
  const char *when;
  uint64_t failures;
  int found;

  reason(gpu, why, sizeof why);
  switch (found = gc_store_find(&gpu->identity, &record, &err)) {
  case 0:
    when = gc_infos_get(&record->infos, "Measured");
    snprintf(text, size, "measured %s", when ? when : "at an unknown time");
    if (!gc_infos_get_u64(&record->infos, "MeasuringFailures", &failures) && failures)
      snprintf(text + strlen(text), size - strlen(text),
               "; %" PRIu64 " step%s of it failed, which measure tries again", failures,
               failures == 1 ? "" : "s");
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
  gc_say(NULL, "records are looked up in %s%s%s", err.text[0] ? "" : dir, err.text[0] ? "" : ", then in ",
         gc_store_site_dir());
}

int gc_tool_list(const struct gc_tool *tool)
{
  struct gc_table table = {.columns = 5};
  struct gc_targets targets;
  char (*row)[GC_CELL];
  int status;

  if (tool->verbose) /* also where there is no GPU: a login node, a place where images are made */
    say_where();
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
    gc_say(NULL, "out of memory");
    status = GC_EXIT_FAILED;
  }
  if (table.rows == 1)
    table.rows = 0; /* no heads without a table */
  gc_table_print(&table, "");
  gc_targets_free(&targets);
  return status;
}
