/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/mt4g.h"

#include <hwloc/gpucache.h>

#include <stdio.h>
#include <string.h>

void gc_mt4g_set(struct gc_mt4g *mt4g, json_t *object, const char *key, json_t *value)
{
  mt4g->failed |= json_object_set_new(object, key, value) != 0;
}

json_t *gc_mt4g_whole(uint64_t value, const char *unit)
{
  return json_pack("{s:I, s:s}", "value", (json_int_t)value, "unit", unit);
}

/* Source and confidence of a property; confidences are of measured values only. */
static void set_origin(struct gc_mt4g *mt4g, json_t *leaf, const struct gc_element *element,
                       const char *property)
{
  char key[64];
  const char *source;
  double confidence;

  snprintf(key, sizeof key, "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  if (gc_real(element, key, &confidence))
    gc_mt4g_set(mt4g, leaf, "confidence", json_real(confidence));
  snprintf(key, sizeof key, "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  source = gc_infos_get(&element->infos, key);
  if (source)
    gc_mt4g_set(mt4g, leaf, "method", json_string(source));
}

bool gc_mt4g_bytes(struct gc_mt4g *mt4g, json_t *object, const char *name,
                   const struct gc_element *element, const char *property)
{
  char key[64];
  uint64_t bytes;
  json_t *leaf;

  snprintf(key, sizeof key, "%sBytes", property);
  if (!gc_whole(element, key, &bytes) || bytes > INT64_MAX)
    return false;
  leaf = json_pack("{s:I, s:s}", "size", (json_int_t)bytes, "unit", "bytes");
  set_origin(mt4g, leaf, element, property);
  gc_mt4g_set(mt4g, object, name, leaf);
  return true;
}

bool gc_mt4g_latency(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element)
{
  double cycles, p95;
  json_t *leaf;

  if (!gc_real(element, HWLOC_GPUCACHE_LATENCY_CYCLES, &cycles))
    return false;
  leaf = json_pack("{s:f, s:s}", "mean", cycles, "unit", "cycles");
  /* Inside an SM, a chain of loads is timed as a whole, which is their mean. A record has no mean
   * of other loads, and sys-sage reads nothing else. */
  if (element->kind == GC_L2 || element->kind == GC_L3) {
    gc_mt4g_set(mt4g, leaf, "p50", json_real(cycles));
    gc_mt4g_set(mt4g, leaf, "meanIs", json_string("p50"));
  } else if (element->kind == GC_DEVICE_MEMORY) {
    gc_mt4g_set(mt4g, leaf, "meanIs", json_string("mean of the lower and the upper quartile"));
  }
  if (gc_real(element, "LatencyP95Cycles", &p95))
    gc_mt4g_set(mt4g, leaf, "p95", json_real(p95));
  set_origin(mt4g, leaf, element, "Latency");
  gc_mt4g_set(mt4g, object, "latency", leaf);
  return true;
}

void gc_mt4g_miss_penalty(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element)
{
  double cycles;

  if (gc_real(element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, &cycles))
    gc_mt4g_set(mt4g, object, "missPenalty",
                json_pack("{s:f, s:s}", "value", cycles, "unit", "cycles"));
}

static json_t *bandwidth(double gigabytes)
{
  return json_pack("{s:f, s:s}", "value", gigabytes * 1e9 / (1 << 30), "unit", "GiB/s");
}

bool gc_mt4g_bandwidths(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element)
{
  double read, write;

  if (!gc_real(element, HWLOC_GPUCACHE_READ_GBPS, &read) ||
      !gc_real(element, HWLOC_GPUCACHE_WRITE_GBPS, &write))
    return false;
  gc_mt4g_set(mt4g, object, "readBandwidth", bandwidth(read));
  gc_mt4g_set(mt4g, object, "writeBandwidth", bandwidth(write));
  return true;
}

void gc_mt4g_per_sm(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element)
{
  /* MT4G's names, in its order; it has none for shared memory and the instruction cache */
  static const struct {
    const char *subtype, *name;
  } names[] = {
      {HWLOC_GPUCACHE_CONSTANT_L1, "Constant L1"},
      {HWLOC_GPUCACHE_L1, "L1"},
      {HWLOC_GPUCACHE_READ_ONLY, "Read Only"},
      {HWLOC_GPUCACHE_TEXTURE, "Texture"},
  };
  json_t *shared = json_array();
  uint64_t per_sm;

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (gc_shares(element, names[i].subtype))
      mt4g->failed |= json_array_append_new(shared, json_string(names[i].name)) != 0;
  if (json_array_size(shared))
    gc_mt4g_set(mt4g, object, "sharedWith", shared);
  else
    json_decref(shared);
  if (gc_whole(element, HWLOC_GPUCACHE_PER_SM, &per_sm) && per_sm <= UINT16_MAX)
    gc_mt4g_set(mt4g, object, "amountPerMultiprocessor", json_integer((json_int_t)per_sm));
}
