/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where two ways lead to one value, do they agree?
 *
 * - first miss and census (census.c): it may count 1 % and nine lines of 128 bytes (4 % at most) less, or
 *   0.5 % more, and three of its standard errors (3.3 where 30 rounds tell them, more where fewer do). Less,
 *   because that is what an H200 shows: while some lines come in, its L1 has 3 to 9 that are empty, whatever
 *   its size, and the looks themselves push out up to 0.4 %. At an H200's L1 (217 KiB) that is 1.5 % less or
 *   0.5 % more, and 0.5 to 0.8 % for the errors: a first miss that is 6 KiB (2.8 %) too early or too late
 *   does not pass. What an L2 keeps when it overflows may be a sixteenth more or less (census.c).
 * - L1, texture and read-only cache: where SharedWith says that they are one storage, their capacities
 *   are one value, found three times: within half a percent.
 * - L2: no SM keeps more than the interface says there is. (That it keeps less is no contradiction:
 *   partitions copy lines, and others use it too.)
 * - device memory, which nobody can fill to see: what the interface says of the device, and what its
 *   allocator counts (cuDeviceTotalMem, cuMemGetInfo), within a percent. Shared memory is written and read
 *   (api.c); bandwidths have limits (bandwidth.h).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/agree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CENSUS_LESS 0.01   /* of the capacity: what a census may miss of it, and */
#define CENSUS_BYTES 1152.0 /* … so much, */
#define CENSUS_BYTES_SHARE 0.04 /* but no more than this share of the capacity; */
#define CENSUS_MORE 0.005  /* what it may count more, and */
#define CENSUS_FULL 0.98   /* this share is next to all that was read */
#define CENSUS_ERRORS 3.0  /* in both directions so many standard errors */
#define STORAGE_SHARE 0.005
#define MEMORY_SHARE 0.01
#define NOMINAL_SHARE 0.01 /* more than the nominal size, and yet not a contradiction: a step of the search */

uint64_t gc_capacity_known(const struct gc_element *element)
{
  uint64_t bytes;

  return gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes) ? 0 : bytes;
}

/* What does not fit is left out: the source of the value says it too. */
void gc_complain(struct gc_bench *bench, const char *format, ...)
{
  const size_t used = strlen(bench->complaints), room = sizeof(bench->complaints) - used;
  va_list args;
  int length;

  va_start(args, format);
  length = vsnprintf(bench->complaints + used, room, format, args);
  va_end(args);
  if (length < 0 || (size_t)length + 1 >= room)
    bench->complaints[used] = '\0';
  else
    strcat(bench->complaints, "\n");
}

int gc_withhold(struct gc_bench *bench, struct gc_element *element, const char *key,
                const char *property, const char *why)
{
  char name[80];

  gc_infos_remove(&element->infos, key);
  snprintf(name, sizeof(name), "%s" HWLOC_GPUCACHE_CONFIDENCE_SUFFIX, property);
  gc_infos_remove(&element->infos, name);
  if (gc_put_absent(element, property, why))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  gc_complain(bench, "%s of %s is withheld: %s", property, gc_kinds[element->kind].subtype, why);
  return 0;
}

static int put_census(struct gc_bench *bench, struct gc_element *element,
                      const struct gc_census *census, double allowed)
{
  /* how likely it is within what is allowed of a census of all there is */
  const double confidence = census->error > 0 ? erf(allowed / census->error / sqrt(2)) : 1;
  int status;

  if (*census->absent)
    status = gc_put_absent(element, HWLOC_GPUCACHE_CENSUS, census->absent);
  else if (census->all || census->bytes > CENSUS_FULL * census->read)
    status = gc_put_absent(element, HWLOC_GPUCACHE_CENSUS,
                           "next to all that was read was found: there may be more");
  else if (!(status = gc_put_measured(element, HWLOC_GPUCACHE_CENSUS_BYTES, HWLOC_GPUCACHE_CENSUS,
                                      (uint64_t)llround(census->bytes), confidence)))
    status = gc_infos_set_u64(&element->infos, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES,
                              (uint64_t)ceil(census->error));
  return status ? gc_fail(bench->err, status, "out of memory") : 0;
}

/* What chance may add or take away. A standard error told from few rounds is too small too often: the first
 * term of Student's quantiles after the normal one makes up for it. */
static double chance(const struct gc_census *census)
{
  const double wide = CENSUS_ERRORS;
  const double more = census->rounds > 1 ? (wide * wide * wide + wide) / 4 / (census->rounds - 1) : 0;

  return (wide + more) * census->error;
}

int gc_settle_census(struct gc_bench *bench, struct gc_element *element, const struct gc_census *census)
{
  const uint64_t capacity = gc_capacity_known(element);
  const double bytes = (double)capacity;
  const double more = (CENSUS_MORE + census->slack) * bytes + chance(census);
  const double less = (CENSUS_LESS + census->slack) * bytes + fmin(CENSUS_BYTES, CENSUS_BYTES_SHARE * bytes) + chance(census);
  char why[160];
  int status = put_census(bench, element, census, more);

  if (status || *census->absent || (census->bytes <= bytes + more && census->bytes >= bytes - less))
    return status;
  snprintf(why, sizeof(why), "misses begin after %" PRIu64 " bytes, but a census found %.0f%s in it",
           capacity, census->bytes, census->all ? " or more" : "");
  return gc_withhold(bench, element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, why);
}

/* Is this subtype one of a comma list? */
static bool listed(const char *list, const char *subtype)
{
  const size_t length = strlen(subtype);

  for (const char *word = list; word && *word; word += strcspn(word, ","), word += *word == ',')
    if (strcspn(word, ",") == length && !strncmp(word, subtype, length))
      return true;
  return false;
}

static const enum gc_kind storages[] = {GC_L1, GC_TEXTURE, GC_READ_ONLY};
#define STORAGES (sizeof(storages) / sizeof(*storages))

/* One storage, two capacities: neither is told. */
static int compare_storage(struct gc_bench *bench, uint64_t bytes[STORAGES], size_t a, size_t b)
{
  struct gc_element *one = gc_record_find(bench->record, storages[a]);
  struct gc_element *other = gc_record_find(bench->record, storages[b]);
  char why[160];
  int status = 0;

  if (!bytes[a] || !bytes[b] ||
      !listed(gc_infos_get(&one->infos, HWLOC_GPUCACHE_SHARED_WITH), gc_kinds[storages[b]].subtype) ||
      fabs((double)bytes[a] - (double)bytes[b]) <= STORAGE_SHARE * fmax((double)bytes[a], (double)bytes[b]))
    return 0;
  snprintf(why, sizeof(why), "%s and %s are one storage, but %" PRIu64 " and %" PRIu64 " bytes were found",
           gc_kinds[storages[a]].subtype, gc_kinds[storages[b]].subtype, bytes[a], bytes[b]);
  if (gc_capacity_known(one))
    status = gc_withhold(bench, one, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, why);
  if (!status && gc_capacity_known(other))
    status = gc_withhold(bench, other, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, why);
  return status;
}

static int compare_storages(struct gc_bench *bench)
{
  uint64_t bytes[STORAGES];
  int status = 0;

  for (size_t i = 0; i < STORAGES; i++) {
    const struct gc_element *element = gc_record_find(bench->record, storages[i]);

    bytes[i] = element ? gc_capacity_known(element) : 0;
  }
  for (size_t a = 0; a < STORAGES; a++)
    for (size_t b = a + 1; b < STORAGES && !status; b++)
      status = compare_storage(bench, bytes, a, b);
  return status;
}

static int compare_l2(struct gc_bench *bench)
{
  struct gc_element *l2 = gc_record_find(bench->record, GC_L2);
  const uint64_t nominal = bench->properties.l2_bytes, bytes = l2 ? gc_capacity_known(l2) : 0;
  char why[160];

  if (!nominal || (double)bytes <= (1 + NOMINAL_SHARE) * (double)nominal)
    return 0;
  snprintf(why, sizeof(why), "%" PRIu64 " bytes were found, but the interface says that there are %" PRIu64,
           bytes, nominal);
  return gc_withhold(bench, l2, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, why);
}

static int compare_memory(struct gc_bench *bench)
{
  struct gc_element *memory = gc_record_find(bench->record, GC_DEVICE_MEMORY);
  const uint64_t bytes = memory ? gc_capacity_known(memory) : 0;
  const double counted = (double)bench->memory_bytes;
  char why[160];

  if (!bytes || fabs((double)bytes - counted) <= MEMORY_SHARE * counted)
    return 0;
  snprintf(why, sizeof(why), "the interface says %" PRIu64 " bytes in one place, and %.0f in another", bytes,
           counted);
  return gc_withhold(bench, memory, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY, why);
}

int gc_agree(struct gc_bench *bench)
{
  int status = compare_storages(bench);

  if (!status)
    status = compare_l2(bench);
  return status ? status : compare_memory(bench);
}
