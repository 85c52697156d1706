/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "record/values.h"

#include <hwloc/gpucache.h>

#include <string.h>

enum value_form { TEXT, INTEGER, DECIMAL, PROBABILITY };

static const struct {
  const char *name;
  size_t size; /* of the name, with its NUL */
  enum value_form form;
} keys[] = {
#define KEY(name, form) { name, sizeof(name), form }
  KEY(HWLOC_GPUCACHE_CAPACITY_BYTES, INTEGER),
  KEY(HWLOC_GPUCACHE_NOMINAL_BYTES, INTEGER),
  KEY(HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES, INTEGER),
  KEY(HWLOC_GPUCACHE_CARVEOUT_PERCENT, INTEGER),
  KEY(HWLOC_GPUCACHE_CARVEOUT_BLOCKS, INTEGER),
  KEY(HWLOC_GPUCACHE_LINE_BYTES, INTEGER),
  KEY(HWLOC_GPUCACHE_FETCH_BYTES, INTEGER),
  KEY(HWLOC_GPUCACHE_PER_SM, INTEGER),
  KEY(HWLOC_GPUCACHE_INSTANCES, INTEGER),
  KEY(HWLOC_GPUCACHE_LATENCY_CYCLES, DECIMAL),
  KEY(HWLOC_GPUCACHE_LATENCY_NS, DECIMAL),
  KEY(HWLOC_GPUCACHE_MISS_PENALTY_CYCLES, DECIMAL),
  KEY(HWLOC_GPUCACHE_PARTITIONS, INTEGER),
  KEY(HWLOC_GPUCACHE_OUTSTANDING_PER_SM, INTEGER),
  KEY(HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST, INTEGER),
  KEY(HWLOC_GPUCACHE_OUTSTANDING_PER_WARP, INTEGER),
  KEY(HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST, INTEGER),
  KEY(HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES, DECIMAL),
  KEY(HWLOC_GPUCACHE_NEAR_LATENCY_NS, DECIMAL),
  KEY(HWLOC_GPUCACHE_FAR_LATENCY_CYCLES, DECIMAL),
  KEY(HWLOC_GPUCACHE_FAR_LATENCY_NS, DECIMAL),
  KEY(HWLOC_GPUCACHE_READ_GBPS, DECIMAL),
  KEY(HWLOC_GPUCACHE_WRITE_GBPS, DECIMAL),
  KEY(HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE, DECIMAL),
  KEY(HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE, DECIMAL),
#undef KEY
};

static enum value_form value_form_of(const char *name)
{
  static const char suffix[] = HWLOC_GPUCACHE_CONFIDENCE_SUFFIX;
  size_t size = strlen(name) + 1;

  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
    if (keys[i].size == size && !memcmp(keys[i].name, name, size))
      return keys[i].form;
  if (size > sizeof(suffix) && !memcmp(name + size - sizeof(suffix), suffix, sizeof(suffix)))
    return PROBABILITY;
  return TEXT;
}

/* Twenty digits are enough for every uint64_t; a number that does not fit is refused when it is
 * read. */
#define MAX_DIGITS 20

bool gc_value_ok(const char *name, const char *value)
{
  static const char digits[] = "0123456789";
  enum value_form form = value_form_of(name);
  size_t whole, fraction = 0;

  if (form == TEXT)
    return true;
  whole = strspn(value, digits);
  if (form != INTEGER && value[whole] == '.') {
    fraction = strspn(value + whole + 1, digits);
    if (!fraction || value[whole + 1 + fraction])
      return false;
  } else if (value[whole]) {
    return false;
  }
  if (!whole || whole + fraction > MAX_DIGITS)
    return false;
  /* 0 and 0.x, 1 and 1.00: compared as text, so that rounding cannot accept a value above 1. */
  return form != PROBABILITY || !strncmp(value, "0", whole) ||
         (!strncmp(value, "1", whole) &&
          (!fraction || strspn(value + whole + 1, "0") == fraction));
}
