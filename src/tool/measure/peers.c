/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/measure/peers.h"

#include "device/open.h"
#include "measure/measure.h"
#include "record/lists.h"
#include "store/store.h"
#include "tool/gpus/earlier_record.h"
#include "tool/gpus/hwloc_xml.h"
#include "tool/print/format.h"
#include "tool/print/messages.h"
#include "tool/print/progress.h"
#include "tool/print/table.h"
#include "tool/process/watch.h"
#include "util/clock.h"

#include <errno.h>
#include <hwloc/gpucache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME "peers" /* in messages, and of the object in the record */
#define LOCK_SECONDS 120

/* The GPUs of one vendor. */
struct group {
  const struct gc_tool *tool;
  struct gc_identity identity;
  const struct gc_gpu *gpus[GC_PEERS_MAX + 1];
  size_t count;
  int lock; /* -1: none */
};

static void at_end(void *data)
{
  const struct group *group = data;

  if (group->lock >= 0)
    gc_store_unlock(group->lock);
}

static void show_progress(void *data, unsigned done, unsigned total, const char *what)
{
  gc_progress(data, done, total, what);
}

static void say_warning(void *data, const char *sentence)
{
  gc_say(data, "%s", sentence);
}

/* --- printing -------------------------------------------------------------------------------- */

/* The value of GPU `to` in the list of GPU `from`; "-": there is none. */
static void find_value(const struct gc_record *node, const struct gc_gpu *from,
                       const struct gc_gpu *to, const char *key, char cell[GC_CELL])
{
  struct gc_peer_entry entry;
  char name[GC_RECORD_MAX_NAME];

  snprintf(name, sizeof name, "%s.%s", from->identity.id, key);
  strcpy(cell, gc_peer_find(gc_infos_get(&node->elements[0].infos, name), to->identity.id, &entry)
                   ? entry.text
                   : "-");
}

static int print(const struct group *group, const struct gc_record *node)
{
  static const struct {
    const char *title, *key;
  } columns[] = {{"read GB/s", HWLOC_GPUCACHE_PEER_READ_GBPS},
                 {"write GB/s", HWLOC_GPUCACHE_PEER_WRITE_GBPS},
                 {"copy GB/s", HWLOC_GPUCACHE_PEER_COPY_GBPS},
                 {"latency ns", HWLOC_GPUCACHE_PEER_LATENCY_NS},
                 {"by", HWLOC_GPUCACHE_PEER_PATH}};
  const size_t n = sizeof columns / sizeof *columns;
  struct gc_table table = {.columns = 2 + n, .right = 0x3c};
  char(*row)[GC_CELL] = gc_table_row(&table);

  if (!row)
    return gc_no_memory();
  strcpy(row[0], "GPU");
  strcpy(row[1], "reaches");
  for (size_t c = 0; c < n; c++)
    strcpy(row[2 + c], columns[c].title);
  for (size_t i = 0; i < group->count; i++)
    for (size_t k = 0; k < group->count; k++) {
      if (i == k)
        continue;
      if (!(row = gc_table_row(&table)))
        return gc_no_memory();
      strcpy(row[0], group->gpus[i]->name);
      strcpy(row[1], group->gpus[k]->name);
      for (size_t c = 0; c < n; c++)
        find_value(node, group->gpus[i], group->gpus[k], columns[c].key, row[2 + c]);
    }
  gc_table_print(&table, "");
  return GC_EXIT_DONE;
}

/* --- measuring ------------------------------------------------------------------------------- */

/* Adds what was measured on a GPU to the record of the node. 0 or -ENOMEM. */
static int add_peers(const struct gc_record *record, struct gc_record *node)
{
  const struct gc_infos *infos = &gc_record_find(record, GC_DEVICE_MEMORY)->infos;
  int status = 0;

  for (size_t i = 0; i < infos->count && !status; i++) {
    const struct gc_info *info = &infos->array[i];
    char name[GC_RECORD_MAX_NAME];

    if (strncmp(info->name, GC_PEER_KEYS, strlen(GC_PEER_KEYS)))
      continue;
    snprintf(name, sizeof name, "%s.%.40s", record->identity.id, info->name);
    status = gc_infos_set(&node->elements[0].infos, name, info->value);
  }
  return status;
}

/* Measures GPU i, and adds what it reaches to the record of the node. *found: with a value. */
static int measure_one(const struct group *group, size_t i, struct gc_device *const *devices,
                       struct gc_record *node, bool *found, struct gc_error *err)
{
  const struct gc_gpu *gpu = group->gpus[i];
  struct gc_peer peers[GC_PEERS_MAX];
  struct gc_measure_options options = {.only = "DeviceMemory",
                                       .progress = show_progress,
                                       .warn = say_warning,
                                       .data = (void *)gpu->name,
                                       .peers = peers};
  struct gc_record *record = gc_record_new(&gpu->identity);
  int status;

  for (size_t k = 0; k < group->count; k++)
    if (k != i)
      peers[options.peer_count++] = (struct gc_peer){devices[k], group->gpus[k]->identity.id};
  if (!record)
    return gc_fail(err, -ENOMEM, "out of memory");
  status = gc_ops(devices[i])->use ? gc_ops(devices[i])->use(devices[i], err) : 0;
  if (!status)
    status = gc_measure(devices[i], &options, record, err);
  if (!status && add_peers(record, node))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status) {
    const struct gc_infos *infos = &gc_record_find(record, GC_DEVICE_MEMORY)->infos;
    const char *why = gc_infos_get(infos, HWLOC_GPUCACHE_PEER_PATH HWLOC_GPUCACHE_SOURCE_SUFFIX);

    if (gc_infos_get(infos, HWLOC_GPUCACHE_PEER_PATH))
      *found = true;
    else if (why && gc_is_absent(why))
      gc_say(gpu->name, "reaches no other GPU: %s", why + strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
    /* what could not be measured now is measured again the next time */
    if (gc_provisional_why(record) &&
        gc_infos_set(&node->infos, GC_PROVISIONAL, gc_provisional_why(record)))
      status = gc_fail(err, -ENOMEM, "out of memory");
  }
  gc_record_free(record);
  return status;
}

static int add_facts(struct gc_record *node)
{
  char date[GC_DATE];

  gc_date_write(time(NULL), date);
  return gc_infos_set(&node->infos, "Measured", date) ||
                 gc_infos_set(&node->infos, "Version", PACKAGE_VERSION)
             ? -ENOMEM
             : 0;
}

/* The record of the node. NULL: failed. */
static struct gc_record *measure(const struct group *group, struct gc_error *err)
{
  struct gc_device *devices[GC_PEERS_MAX + 1] = {NULL};
  struct gc_record *node = gc_record_new(&group->identity);
  bool found = false;
  int status;

  if (!node || !gc_record_add(node, GC_DEVICE_MEMORY)) {
    gc_record_free(node);
    gc_fail(err, -ENOMEM, "out of memory");
    return NULL;
  }
  gc_progress(NAME, 0, 1, "opening the devices");
  status = gc_device_open_several(group->gpus, group->count, devices, err);
  for (size_t i = 0; i < group->count && !status; i++)
    status = measure_one(group, i, devices, node, &found, err);
  gc_progress_erase();
  for (size_t i = 0; i < group->count && devices[i]; i++)
    gc_ops(devices[i])->close(devices[i]);
  if (!status && !found)
    status = gc_fail(err, -ENOTSUP, "no GPU can reach another one, so nothing is stored");
  if (!status && add_facts(node))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    return node;
  gc_record_free(node);
  return NULL;
}

/* Why the GPUs cannot be measured together; NULL: they can. */
static const char *find_problem(const struct group *group)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->gpus[i]->problem[0])
      return group->gpus[i]->problem;
  return NULL;
}

static int store(struct group *group, const struct gc_record *node, struct gc_error *err)
{
  char *xml = NULL;
  size_t length;
  int status = gc_export(node, NAME, &xml, &length, err);

  if (!status && !group->tool->no_store) {
    gc_watch_hold();
    status = gc_store_write(&group->identity, xml, length, err);
    gc_watch_release();
  }
  free(xml);
  return status;
}

/* Takes the lock of the record, where the file system has locks. False: failed. */
static bool take_lock(struct group *group, struct gc_error *err)
{
  int status = 0;

  if (group->tool->no_store)
    return true;
  gc_watch_hold(); /* it may create a file for a moment */
  status = gc_store_check(group->identity.id, err);
  gc_watch_release();
  if (!status)
    status = group->lock = gc_store_lock(group->identity.id, LOCK_SECONDS, err);
  return status >= 0 || status == -EOPNOTSUPP;
}

/* The record that is there already, unless it is to be measured again. */
static struct gc_record *find_record(const struct group *group)
{
  struct gc_record *node;

  if (group->tool->force || group->tool->no_store || gc_store_find(&group->identity, &node, NULL))
    return NULL;
  if (!gc_provisional_why(node))
    return node;
  gc_record_free(node);
  return NULL;
}

static int show_record(const struct group *group, struct gc_record *node)
{
  int status;

  printf("already measured on %s (--force measures again)\n", gc_keep_date(node));
  status = print(group, node);
  gc_record_free(node);
  return status;
}

static int measure_and_store(struct group *group)
{
  struct gc_error err = {""};
  struct gc_record *node = NULL;
  int status = GC_EXIT_DONE;

  if (gc_watch_start(group->tool->timeout, NAME, at_end, group, &err)) {
    gc_say(NAME, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  if (!take_lock(group, &err)) {
    gc_say(NAME, "%s", err.text);
    status = GC_EXIT_FAILED;
  } else if ((node = find_record(group))) { /* another process was faster */
    status = show_record(group, node);
    node = NULL;
  } else if (!(node = measure(group, &err))) {
    gc_say(NAME, "%s", err.text);
    status = GC_EXIT_FAILED;
  } else {
    status = print(group, node);
    if (store(group, node, &err)) {
      gc_say(NAME, "measured, but not stored: %s", err.text);
      status = GC_EXIT_FAILED;
    }
  }
  gc_watch_stop();
  if (group->lock >= 0)
    gc_store_unlock(group->lock);
  gc_record_free(node);
  return status;
}

static int measure_group(struct group *group)
{
  const char *problem = find_problem(group);
  struct gc_record *node;

  if (problem) {
    gc_say(NAME, "not measured, because all GPUs must take part: %s", problem);
    return GC_EXIT_FAILED;
  }
  node = find_record(group);
  return node ? show_record(group, node) : measure_and_store(group);
}

int gc_measure_peers(const struct gc_tool *tool, const struct gc_targets *targets)
{
  int status = GC_EXIT_DONE;
  bool any = false;

  for (int vendor = 0; vendor < GC_VENDORS; vendor++) {
    struct group group = {.tool = tool, .lock = -1};
    const size_t count = gc_gpus_node(&targets->gpus, (enum gc_vendor)vendor, &group.identity);

    if (count < 2)
      continue;
    any = true;
    if (count > GC_PEERS_MAX) {
      gc_say(NAME, "this program measures %d GPUs together at most, and there are %zu",
             GC_PEERS_MAX, count);
      status = GC_EXIT_FAILED;
      continue;
    }
    for (size_t i = 0; i < targets->gpus.count; i++)
      if ((int)targets->gpus.array[i].vendor == vendor && !targets->gpus.array[i].instance)
        group.gpus[group.count++] = &targets->gpus.array[i];
    status = gc_worse(status, measure_group(&group));
  }
  if (!any)
    puts("there are no two GPUs of one vendor, so nothing is to be measured between them");
  return status;
}
