/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel driver would state about a simulated AMD GPU: the target of its code, and its
 * tables of caches. A profile states both separately from the structure of the chip, so the two can
 * differ, as they do on real GPUs. The rest of the profile is for src/model.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "gpus/sim_tables.h"

#include "record/values.h"
#include "util/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512

/* The keys that a table can have. */
static const char *const facts[] = {
  HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_LINE_BYTES, HWLOC_GPUCACHE_PER_SM,
  HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_SHARED_BY_CUS,
};
#define FACTS (sizeof(facts) / sizeof(*facts))

struct tables {
  struct gc_gpu *gpu;
  struct gc_record *record;
  unsigned line;
  bool in_chip, in_sysfs;
  enum gc_kind kind; /* of the section */
};

static int wrong(struct tables *t, const char *what, const char *word)
{
  snprintf(t->gpu->problem, sizeof(t->gpu->problem), "%.120s:%u: %s '%.40s'", t->gpu->profile,
           t->line, what, word);
  return 0;
}

/* header: the text between the brackets. */
static int begin_section(struct tables *t, const char *header)
{
  char subtype[32] = "", rest;

  t->in_chip = false;
  t->in_sysfs = sscanf(header, "sysfs %31s %c", subtype, &rest) == 1;
  if (!t->in_sysfs)
    return 0;
  t->kind = gc_kind_by_subtype(subtype);
  if (t->kind == GC_KIND_COUNT)
    return wrong(t, "unknown element", subtype);
  if (!t->record && (!(t->record = gc_record_new(&t->gpu->identity)) ||
                    !gc_record_add(t->record, GC_DEVICE_MEMORY)))
    return -ENOMEM;
  if (gc_record_find(t->record, t->kind))
    return wrong(t, "second table for", subtype);
  return gc_record_add(t->record, t->kind) ? 0 : -ENOMEM;
}

static int set(struct gc_infos *infos, const char *key, const char *value)
{
  char source[80];

  snprintf(source, sizeof(source), "%.*s" HWLOC_GPUCACHE_SOURCE_SUFFIX,
           (int)gc_property_length(key), key);
  return gc_infos_set(infos, key, value) ||
                 gc_infos_set(infos, source, HWLOC_GPUCACHE_SOURCE_SYSFS)
             ? -ENOMEM
             : 0;
}

/* As in amd_tables.c, the nominal size is the capacity until the GPU is measured. */
static int add_fact(struct tables *t, const char *key, const char *value)
{
  struct gc_infos *infos = &gc_record_find(t->record, t->kind)->infos;
  size_t i = 0;

  while (i < FACTS && strcmp(facts[i], key))
    i++;
  if (i == FACTS)
    return wrong(t, "not a key of the driver tables:", key);
  if (gc_infos_get(infos, key))
    return wrong(t, "duplicate key", key);
  if (!gc_value_ok(key, value))
    return wrong(t, "wrong value", value);
  if (!strcmp(key, HWLOC_GPUCACHE_NOMINAL_BYTES) &&
      set(infos, HWLOC_GPUCACHE_CAPACITY_BYTES, value))
    return -ENOMEM;
  return set(infos, key, value);
}

static int read_line(struct tables *t, char *text)
{
  char key[48] = "", value[256] = "", more[32] = "";

  text[strcspn(text, "#\r\n")] = '\0';
  text += strspn(text, " \t");
  if (*text == '[')
    return begin_section(t, text + 1 + (text[strcspn(text, "]")] = '\0'));
  if (sscanf(text, "%47[A-Za-z_0-9] = %255s %31s", key, value, more) < 2)
    return 0;
  if (t->in_chip && !strcmp(key, "gfx")) {
    snprintf(t->gpu->gfx, sizeof(t->gpu->gfx), "%.15s", value);
    gc_make_printable(t->gpu->gfx);
  }
  if (!t->in_sysfs)
    return 0;
  return *more ? wrong(t, "more than one word:", more) : add_fact(t, key, value);
}

int gc_gpus_read_sim_tables(struct gc_gpu *gpu, const char *text)
{
  struct tables t = {.gpu = gpu, .in_chip = true, .kind = GC_KIND_COUNT};
  int status = 0;

  while (*text && !status && !*gpu->problem) {
    const size_t length = strcspn(text, "\n");
    char line[LINE_MAX_BYTES];

    t.line++;
    snprintf(line, sizeof(line), "%.*s", (int)(length < sizeof(line) ? length : sizeof(line) - 1),
             text);
    status = read_line(&t, line);
    text += length + (text[length] == '\n');
  }
  if (!status && t.record && *gpu->gfx)
    status = gc_infos_set(&t.record->infos, "GFX", gpu->gfx);
  if (status || *gpu->problem)
    gc_record_free(t.record);
  else
    gpu->tables = t.record;
  return status;
}
