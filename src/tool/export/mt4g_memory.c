/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * "memory" of MT4G's JSON. sys-sage throws, or crashes, if an object lacks a member that it
 * requires. So an element without such a value is left out whole. The parts that sys-sage cannot do
 * without are noted as missing: main, l2, constant, shared.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/mt4g.h"

#include "tool/export/cu_groups.h"

#include <hwloc/gpucache.h>

#include <limits.h>
#include <string.h>

static const struct gc_element *find(const struct gc_mt4g *mt4g, enum gc_kind kind)
{
  return gc_record_find(mt4g->record, kind);
}

static uint64_t amount(const struct gc_element *element)
{
  uint64_t instances = 1;

  gc_whole(element, HWLOC_GPUCACHE_INSTANCES, &instances);
  return instances <= UINT16_MAX ? instances : 1;
}

/* The capacity that the vendor states, which MT4G has in "size", or else the measured one. */
static bool stated_bytes(const struct gc_element *element, uint64_t most, uint64_t *bytes)
{
  return (gc_whole(element, HWLOC_GPUCACHE_NOMINAL_BYTES, bytes) ||
          gc_whole(element, HWLOC_GPUCACHE_CAPACITY_BYTES, bytes)) &&
         *bytes <= most;
}

static void set_fact(struct gc_mt4g *mt4g, json_t *object, const char *name, const char *fact,
                     const char *unit)
{
  const uint64_t value = gc_fact(mt4g->record, fact, INT_MAX, &mt4g->missing);

  gc_mt4g_set(mt4g, object, name, gc_mt4g_whole(value, unit));
}

static json_t *main_memory(struct gc_mt4g *mt4g)
{
  const struct gc_element *memory = find(mt4g, GC_DEVICE_MEMORY);
  json_t *object = json_object();
  uint64_t bytes = 0;

  if (!stated_bytes(memory, INT64_MAX, &bytes))
    gc_missing_add(&mt4g->missing, "NominalBytes of DeviceMemory");
  gc_mt4g_set(mt4g, object, "totalGlobalMem", gc_mt4g_whole(bytes, "bytes"));
  set_fact(mt4g, object, "memoryClockRate", "MemoryClockKHz", "kHz");
  set_fact(mt4g, object, "memoryBusWidth", "MemoryBusBits", "bit");
  if (gc_mt4g_bandwidths(mt4g, object, memory))
    gc_mt4g_latency(mt4g, object, memory);
  return object;
}

/* "size" and "amount"; L2 and L3 have "value" where the caches of an SM have "size". */
static void set_size(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element,
                     uint64_t bytes)
{
  uint64_t line;

  gc_mt4g_set(mt4g, object, "size", gc_mt4g_whole(bytes, "bytes"));
  gc_mt4g_set(mt4g, object, "amount", json_integer((json_int_t)amount(element)));
  if (gc_whole(element, HWLOC_GPUCACHE_LINE_BYTES, &line) && line <= INT_MAX)
    gc_mt4g_set(mt4g, object, "lineSize", gc_mt4g_whole(line, "bytes"));
  gc_mt4g_miss_penalty(mt4g, object, element);
}

static void add_l3(struct gc_mt4g *mt4g, json_t *memory)
{
  const struct gc_element *l3 = find(mt4g, GC_L3);
  uint64_t bytes;
  json_t *object;

  /* sys-sage gives each L3 the same number of L2 caches, and crashes if that is 0 */
  if (!stated_bytes(l3, INT64_MAX, &bytes) || amount(find(mt4g, GC_L2)) % amount(l3))
    return;
  object = json_object();
  set_size(mt4g, object, l3, bytes);
  gc_mt4g_bandwidths(mt4g, object, l3);
  gc_mt4g_latency(mt4g, object, l3);
  gc_mt4g_bytes(mt4g, object, "fetchGranularity", l3, "Fetch");
  gc_mt4g_set(mt4g, memory, "l3", object);
}

static json_t *l2_cache(struct gc_mt4g *mt4g)
{
  const struct gc_element *l2 = find(mt4g, GC_L2);
  json_t *object = json_object();
  uint64_t bytes = 0, persisting;

  if (!stated_bytes(l2, INT_MAX, &bytes)) /* an int in sys-sage */
    gc_missing_add(&mt4g->missing, "NominalBytes or CapacityBytes of L2Cache");
  set_size(mt4g, object, l2, bytes);
  if (gc_whole(l2, HWLOC_GPUCACHE_PERSISTING_MAX_BYTES, &persisting) && persisting <= INT_MAX)
    gc_mt4g_set(mt4g, object, "persistingL2CacheMaxSize", gc_mt4g_whole(persisting, "bytes"));
  gc_mt4g_bytes(mt4g, object, "segmentSize", l2, "Capacity");
  gc_mt4g_bytes(mt4g, object, "fetchGranularity", l2, "Fetch");
  if (gc_mt4g_bandwidths(mt4g, object, l2))
    gc_mt4g_latency(mt4g, object, l2);
  return object;
}

static json_t *shared_between(struct gc_mt4g *mt4g, const struct gc_cu_groups *groups)
{
  json_t *array = json_array();

  for (size_t i = 0, cu = 0; i < groups->count; i++) {
    json_t *group = json_array();

    for (; cu < groups->ends[i]; cu++)
      mt4g->failed |= json_array_append_new(group, json_integer(groups->cus[cu])) != 0;
    mt4g->failed |= json_array_append_new(array, group) != 0;
  }
  return array;
}

/* A cache inside an SM. NULL: it lacks one of the values that sys-sage requires. */
static json_t *sm_cache(struct gc_mt4g *mt4g, const struct gc_element *element, bool needs_latency)
{
  json_t *object = json_object();
  bool complete = gc_mt4g_bytes(mt4g, object, "size", element, "Capacity");

  complete &= gc_mt4g_bytes(mt4g, object, "fetchGranularity", element, "Fetch");
  complete &= gc_mt4g_latency(mt4g, object, element) || !needs_latency;
  if (!complete) {
    json_decref(object);
    return NULL;
  }
  gc_mt4g_bytes(mt4g, object, "lineSize", element, "Line");
  gc_mt4g_miss_penalty(mt4g, object, element);
  gc_mt4g_per_sm(mt4g, object, element);
  return object;
}

/* Without the groups of CUs, sys-sage would give each scalar L1 the same number of CUs, and lose
 * the rest. */
static void add_scalar_l1(struct gc_mt4g *mt4g, json_t *memory)
{
  struct gc_cu_groups groups;
  json_t *object = NULL;

  mt4g->failed |= gc_cu_groups_of_scalar_l1(mt4g->record, &groups) != 0;
  if (groups.count)
    object = sm_cache(mt4g, find(mt4g, GC_SCALAR_L1), true);
  if (object) {
    gc_mt4g_set(mt4g, object, "sharedBetween", shared_between(mt4g, &groups));
    gc_mt4g_set(mt4g, object, "uniqueAmount", json_integer((json_int_t)groups.count));
    gc_mt4g_set(mt4g, memory, "scalarL1", object);
  }
  gc_cu_groups_free(&groups);
}

/* sys-sage reads either totalConstMem alone or both caches. */
static json_t *constant_memory(struct gc_mt4g *mt4g)
{
  const struct gc_element *l1 = find(mt4g, GC_CONSTANT_L1), *l15 = find(mt4g, GC_CONSTANT_L15);
  json_t *object = json_object(), *first = sm_cache(mt4g, l1, true);
  json_t *second = first ? sm_cache(mt4g, l15, false) : NULL;

  gc_mt4g_set(mt4g, object, "totalConstMem",
              gc_mt4g_whole(gc_constant_bytes(mt4g->record), "bytes"));
  if (second) {
    /* MT4G has no such number; sys-sage makes one L1.5 in each SM */
    gc_mt4g_set(mt4g, second, "amount", json_integer((json_int_t)amount(l15)));
    gc_mt4g_set(mt4g, object, "l1", first);
    gc_mt4g_set(mt4g, object, "l1.5", second);
  } else {
    json_decref(first);
  }
  return object;
}

static json_t *shared_memory(struct gc_mt4g *mt4g)
{
  const struct gc_element *shared = find(mt4g, GC_SHARED_MEMORY);
  const uint64_t reserved = gc_fact(mt4g->record, "SharedReservedBytesPerBlock", INT_MAX, NULL);
  json_t *object = json_object();
  uint64_t bytes = 0;

  if (!shared)
    shared = find(mt4g, GC_LDS);
  set_fact(mt4g, object, "sharedMemPerBlock", "SharedBytesPerBlock", "bytes");
  if (!gc_whole(shared, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes) || bytes > INT_MAX)
    gc_missing_add(&mt4g->missing, "CapacityBytes of SharedMemory or LDS");
  gc_mt4g_set(mt4g, object, "sharedMemPerMultiProcessor", gc_mt4g_whole(bytes, "bytes"));
  gc_mt4g_set(mt4g, object, "reservedSharedMemPerBlock", gc_mt4g_whole(reserved, "bytes"));
  gc_mt4g_latency(mt4g, object, shared);
  return object;
}

/* A fact that is "yes" or "no". */
static void set_flag(struct gc_mt4g *mt4g, json_t *object, const char *name, const char *fact)
{
  const char *text = gc_infos_get(&mt4g->record->infos, fact);

  if (text)
    gc_mt4g_set(mt4g, object, name, json_boolean(!strcmp(text, "yes")));
}

/* Always there, possibly empty: sys-sage puts the cores of an SM below it. */
static json_t *l1_cache(struct gc_mt4g *mt4g)
{
  const struct gc_element *l1 = find(mt4g, GC_L1);
  json_t *object = json_object();

  set_flag(mt4g, object, "globalL1CacheSupported", "GlobalLoadsInL1");
  set_flag(mt4g, object, "localL1CacheSupported", "LocalLoadsInL1");
  gc_mt4g_bytes(mt4g, object, "size", l1, "Capacity");
  gc_mt4g_bytes(mt4g, object, "lineSize", l1, "Line");
  gc_mt4g_bytes(mt4g, object, "fetchGranularity", l1, "Fetch");
  gc_mt4g_latency(mt4g, object, l1);
  gc_mt4g_miss_penalty(mt4g, object, l1);
  gc_mt4g_per_sm(mt4g, object, l1);
  return object;
}

static void add_sm_cache(struct gc_mt4g *mt4g, json_t *memory, const char *name, enum gc_kind kind)
{
  json_t *object = sm_cache(mt4g, find(mt4g, kind), true);

  if (object)
    gc_mt4g_set(mt4g, memory, name, object);
}

json_t *gc_mt4g_memory(struct gc_mt4g *mt4g)
{
  json_t *memory = json_object();

  gc_mt4g_set(mt4g, memory, "main", main_memory(mt4g));
  add_l3(mt4g, memory);
  gc_mt4g_set(mt4g, memory, "l2", l2_cache(mt4g));
  add_scalar_l1(mt4g, memory);
  gc_mt4g_set(mt4g, memory, "constant", constant_memory(mt4g));
  gc_mt4g_set(mt4g, memory, "shared", shared_memory(mt4g));
  gc_mt4g_set(mt4g, memory, "l1", l1_cache(mt4g));
  add_sm_cache(mt4g, memory, "texture", GC_TEXTURE);
  add_sm_cache(mt4g, memory, "readOnly", GC_READ_ONLY);
  return memory;
}
