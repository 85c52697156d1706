/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The building blocks of MT4G's JSON: objects with a value, its unit, and where it comes from.
 */
#ifndef GC_TOOL_EXPORT_MT4G_H
#define GC_TOOL_EXPORT_MT4G_H

#include "tool/export/look_up.h"

#include <jansson.h>

struct gc_mt4g {
  const struct gc_record *record;
  struct gc_missing missing;
  bool failed; /* out of memory */
};

/* object[key] = value, which is taken over. A NULL object or value is noted in failed. */
void gc_mt4g_set(struct gc_mt4g *mt4g, json_t *object, const char *key, json_t *value);

/* {"value": …, "unit": …}; NULL: out of memory. */
json_t *gc_mt4g_whole(uint64_t value, const char *unit);

/* Each adds a member to the object if the element has the value, and otherwise nothing; the result
 * says whether it has. Bytes: {"size": …, "unit": "bytes", "confidence": …, "method": …}; latency:
 * {"mean": …, "unit": "cycles", …}, with "meanIs" where the number is no mean. property:
 * "Capacity", for its source and confidence. */
bool gc_mt4g_bytes(struct gc_mt4g *mt4g, json_t *object, const char *name,
                   const struct gc_element *element, const char *property);
bool gc_mt4g_latency(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element);
void gc_mt4g_miss_penalty(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element);

/* Both bandwidths in GiB/s (2^30 bytes per second), or none: sys-sage reads both if there is one.
 * The result says whether they were added. */
bool gc_mt4g_bandwidths(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element);

/* "amountPerMultiprocessor" and "sharedWith", if known. */
void gc_mt4g_per_sm(struct gc_mt4g *mt4g, json_t *object, const struct gc_element *element);

/* "memory": all memories and caches (mt4g_memory.c). Notes in missing what sys-sage requires. */
json_t *gc_mt4g_memory(struct gc_mt4g *mt4g);

#endif
