/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON with the keys of MT4G 1.x (https://github.com/caps-tum/mt4g), as sys-sage's ParseMt4g reads
 * it. This file has everything but "memory".
 */
#include "config.h"

#include "tool/export/formats.h"
#include "tool/export/mt4g.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The driver's text may not be UTF-8. */
static json_t *text(const char *string)
{
  json_t *value = json_string(string);

  return value ? value : json_string("(not UTF-8)");
}

/* A fact that sys-sage requires, or one that it does not. */
static void set_fact(struct gc_mt4g *mt4g, json_t *object, const char *name, const char *fact)
{
  const uint64_t value = gc_fact(mt4g->record, fact, INT_MAX, &mt4g->missing);

  gc_mt4g_set(mt4g, object, name, json_integer((json_int_t)value));
}

static void set_optional(struct gc_mt4g *mt4g, json_t *object, const char *name, const char *fact)
{
  const uint64_t value = gc_fact(mt4g->record, fact, INT_MAX, NULL);

  if (value)
    gc_mt4g_set(mt4g, object, name, json_integer((json_int_t)value));
}

static json_t *meta(struct gc_mt4g *mt4g)
{
  const struct gc_record *record = mt4g->record;
  const char *measured = gc_infos_get(&record->infos, "Measured");
  json_t *object = json_object();

  gc_mt4g_set(mt4g, object, "writtenBy", json_string(PACKAGE_NAME " " PACKAGE_VERSION));
  gc_mt4g_set(mt4g, object, "gpu", text(record->identity.id));
  if (measured)
    gc_mt4g_set(mt4g, object, "timestamp", text(measured));
  if (record->identity.driver[0])
    gc_mt4g_set(mt4g, object, "driver", text(record->identity.driver));
  return object;
}

static json_t *general(struct gc_mt4g *mt4g)
{
  const uint64_t clock = gc_fact(mt4g->record, "SMClockKHz", INT_MAX, &mt4g->missing);
  json_t *object = json_object();
  unsigned major = 0, minor = 0;

  if (!mt4g->record->identity.model[0])
    gc_missing_add(&mt4g->missing, "GPUCacheModel");
  if (!gc_architecture(mt4g->record, &major, &minor))
    gc_missing_add(&mt4g->missing, "GPUCacheComputeCapability or GPUCacheGFX");
  gc_mt4g_set(mt4g, object, "name", text(mt4g->record->identity.model));
  gc_mt4g_set(mt4g, object, "vendor", json_string(gc_is_nvidia(mt4g->record) ? "NVIDIA" : "AMD"));
  gc_mt4g_set(mt4g, object, "computeCapability",
              json_pack("{s:i, s:i}", "major", (int)major, "minor", (int)minor));
  gc_mt4g_set(mt4g, object, "clockRate", gc_mt4g_whole(clock, "kHz"));
  return object;
}

/* Members that only AMD GPUs have. MT4G writes numXCDs and numSIMDsPerCU; sys-sage reads numXDCDs
 * and numSIMDsPerCu. Both spellings are written. */
static void add_amd(struct gc_mt4g *mt4g, json_t *object)
{
  const struct gc_element *l2 = gc_record_find(mt4g->record, GC_L2);
  const uint64_t cus = gc_fact(mt4g->record, "SMs", INT_MAX, NULL);
  unsigned major, minor;
  uint64_t dies;

  /* each XCD has one L2 */
  if (gc_whole(l2, "Instances", &dies) && dies <= cus && cus % dies == 0) {
    gc_mt4g_set(mt4g, object, "numXCDs", json_integer((json_int_t)dies));
    gc_mt4g_set(mt4g, object, "numXDCDs", json_integer((json_int_t)dies));
    gc_mt4g_set(mt4g, object, "computeUnitsPerDie", json_integer((json_int_t)(cus / dies)));
  }
  if (gc_architecture(mt4g->record, &major, &minor)) {
    const int simds = major < 10 ? 4 : 2; /* GCN and CDNA; RDNA */

    gc_mt4g_set(mt4g, object, "numSIMDsPerCU", json_integer(simds));
    gc_mt4g_set(mt4g, object, "numSIMDsPerCu", json_integer(simds));
  }
}

static json_t *compute(struct gc_mt4g *mt4g)
{
  const uint64_t cores = gc_cores_per_sm(mt4g->record);
  json_t *object = json_object();

  set_fact(mt4g, object, "multiProcessorCount", "SMs");
  if (!cores)
    gc_missing_add(&mt4g->missing, "GPUCacheCoresPerSM");
  gc_mt4g_set(mt4g, object, "numberOfCoresPerMultiProcessor", json_integer((json_int_t)cores));
  set_fact(mt4g, object, "maxThreadsPerBlock", "ThreadsPerBlock");
  set_fact(mt4g, object, "maxThreadsPerMultiProcessor", "ThreadsPerSM");
  set_fact(mt4g, object, "maxBlocksPerMultiProcessor", "BlocksPerSM");
  set_fact(mt4g, object, "warpSize", "WarpThreads");
  set_optional(mt4g, object, "regsPerBlock", "RegistersPerBlock");
  set_optional(mt4g, object, "regsPerMultiProcessor", "RegistersPerSM");
  if (!gc_is_nvidia(mt4g->record))
    add_amd(mt4g, object);
  return object;
}

int gc_format_mt4g(const struct gc_record *record, const char *gpu, FILE *out, struct gc_error *err)
{
  struct gc_mt4g mt4g = {.record = record};
  json_t *root = json_object();
  int status;

  (void)gpu;
  gc_mt4g_set(&mt4g, root, "meta", meta(&mt4g));
  gc_mt4g_set(&mt4g, root, "general", general(&mt4g));
  gc_mt4g_set(&mt4g, root, "compute", compute(&mt4g));
  gc_mt4g_set(&mt4g, root, "memory", gc_mt4g_memory(&mt4g));
  status = gc_missing_status(&mt4g.missing, "mt4g", err);
  if (!status && (mt4g.failed || json_dumpf(root, out, JSON_INDENT(4) | JSON_REAL_PRECISION(15))))
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (!status)
    fputc('\n', out);
  json_decref(root);
  return status;
}
