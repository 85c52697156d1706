/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gc_format_bytes(uint64_t bytes, char *text, size_t size)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  uint64_t unit = 1;
  size_t i = 0;

  while (i + 1 < sizeof units / sizeof *units && bytes / unit >= 1024) {
    unit *= 1024;
    i++;
  }
  if (bytes % unit)
    snprintf(text, size, "%.*f %s", bytes / unit < 100 ? 2 : 1, (double)bytes / (double)unit,
             units[i]);
  else
    snprintf(text, size, "%" PRIu64 " %s", bytes / unit, units[i]);
}

bool gc_is_absent(const char *source)
{
  return !strncmp(source, HWLOC_GPUCACHE_SOURCE_ABSENT, strlen(HWLOC_GPUCACHE_SOURCE_ABSENT));
}
