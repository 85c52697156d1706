/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "tool/export/look_up.h"

#include "record/cores.h"
#include "record/lists.h"
#include "record/per_sm.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gc_is_nvidia(const struct gc_record *record)
{
  return !strcmp(gc_record_unit(record), "SM");
}

const char *gc_number_text(const struct gc_element *element, const char *key)
{
  const char *text = element ? gc_infos_get(&element->infos, key) : NULL;
  double value;

  return gc_number_read(text, &value) && value > 0 ? text : NULL;
}

bool gc_whole(const struct gc_element *element, const char *key, uint64_t *value)
{
  uint64_t number;

  if (!gc_number_whole(gc_number_text(element, key), &number))
    return false;
  *value = number;
  return true;
}

bool gc_real(const struct gc_element *element, const char *key, double *value)
{
  return gc_number_read(gc_number_text(element, key), value);
}

void gc_missing_add(struct gc_missing *missing, const char *name)
{
  const size_t used = strlen(missing->names);

  snprintf(missing->names + used, sizeof missing->names - used, "%s%s", used ? ", " : "", name);
}

uint64_t gc_fact(const struct gc_record *record, const char *key, uint64_t most,
                 struct gc_missing *missing)
{
  uint64_t value;

  if (!gc_infos_get_u64(&record->infos, key, &value) && value && value <= most)
    return value;
  if (missing) {
    char name[64];

    snprintf(name, sizeof name, "%s%s", gc_record_prefix, key);
    gc_missing_add(missing, name);
  }
  return 0;
}

int gc_missing_status(const struct gc_missing *missing, const char *format, struct gc_error *err)
{
  if (!missing->names[0])
    return 0;
  return gc_fail(
      err, -ENODATA,
      "the format %s needs these values, and the record lacks them or they are too large: %s",
      format, missing->names);
}

/* "gfx90a", "gfx1100": the last two digits are hexadecimal: minor version and stepping. */
static bool parse_gfx(const char *gfx, unsigned *major, unsigned *minor)
{
  const size_t length = gfx ? strcspn(gfx, ":") : 0;
  char digits[8] = "", *end;

  if (length < 6 || length > 8 || strncmp(gfx, "gfx", 3))
    return false;
  if (!isxdigit((unsigned char)gfx[length - 1]) || !isxdigit((unsigned char)gfx[length - 2]))
    return false;
  digits[0] = gfx[length - 2];
  *minor = (unsigned)strtoul(digits, NULL, 16);
  memcpy(digits, gfx + 3, length - 5);
  digits[length - 5] = '\0';
  *major = (unsigned)strtoul(digits, &end, 10);
  return !*end;
}

bool gc_architecture(const struct gc_record *record, unsigned *major, unsigned *minor)
{
  const char *text = gc_infos_get(&record->infos, "ComputeCapability");
  uint64_t first, second;

  if (!text)
    return parse_gfx(gc_infos_get(&record->infos, "GFX"), major, minor);
  text = gc_number_digits(text, &first);
  if (!text || *text != '.' || !gc_number_whole(text + 1, &second) || first > 999 || second > 99)
    return false;
  *major = (unsigned)first;
  *minor = (unsigned)second;
  return true;
}

uint64_t gc_cores_per_sm(const struct gc_record *record)
{
  const uint64_t stated = gc_fact(record, "CoresPerSM", UINT16_MAX, NULL);
  unsigned major, minor;

  if (stated)
    return stated;
  if (!gc_architecture(record, &major, &minor))
    return 0;
  return gc_is_nvidia(record) ? gc_cores_of_capability(major, minor) : GC_CORES_PER_CU;
}

uint64_t gc_constant_bytes(const struct gc_record *record)
{
  const uint64_t stated = gc_fact(record, "ConstantBytes", INT64_MAX, NULL);

  if (stated)
    return stated;
  /* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 64 KiB for all.
   * HIP has no such limit, and states the greatest int. */
  return gc_is_nvidia(record) ? 65536 : INT32_MAX;
}

bool gc_shares(const struct gc_element *element, const char *subtype)
{
  return element && gc_list_has(gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_WITH), subtype);
}

void gc_put_origin(const struct gc_element *element, const char *subtype, const char *key,
                   const char *property, FILE *out)
{
  const char *source, *confidence;
  char name[64];

  snprintf(name, sizeof name, "%s" HWLOC_GPUCACHE_SOURCE_SUFFIX, property);
  source = gc_infos_get(&element->infos, name);
  snprintf(name, sizeof name, "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  confidence = gc_infos_get(&element->infos, name);
  fprintf(out, "%s: %s of %s is %s%s%s", source ? source : "source unknown", key, subtype,
          gc_infos_get(&element->infos, key), confidence ? ", confidence " : "",
          confidence ? confidence : "");
}
