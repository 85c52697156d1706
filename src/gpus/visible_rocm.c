/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/visible.h"

#include "gpus/visible_list.h"
#include "util/number.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define UUID_PREFIX "GPU-"
/* Lengths of an entry that ROCr accepts as UUID: the prefix and 1 to 16 digits. */
#define ROCR_UUID_LEAST 5
#define ROCR_UUID_MOST 20

/* Finds the only GPU of those that ROCr lists whose UUID begins with the entry, whatever the case
 * of its letters. Returns its index; -1: none, or several. */
static long find_rocr_uuid(struct gc_seen_list gpus, const struct gc_shown *listed,
                           struct gc_entry entry)
{
  long found = -1;

  if (entry.length < ROCR_UUID_LEAST || entry.length > ROCR_UUID_MOST)
    return -1;
  for (size_t i = 0; i < listed->count; i++) {
    if (strncasecmp(gpus.array[listed->array[i]].uuid, entry.text, entry.length))
      continue;
    if (found >= 0)
      return -1;
    found = (long)i;
  }
  return found;
}

/* Reads an index as strtol does with base 0: decimal, octal or hexadecimal. -1: it is none. */
static long read_rocr_index(struct gc_entry entry)
{
  char text[24], *end;
  long index;

  if (!entry.length || entry.length >= sizeof(text))
    return -1;
  memcpy(text, entry.text, entry.length);
  text[entry.length] = '\0';
  index = strtol(text, &end, 0);
  return *end ? -1 : index;
}

/* The GPUs that ROCr lists without a variable. It omits those whose render node is missing. */
static void list_rocr(struct gc_seen_list gpus, struct gc_shown *listed)
{
  for (size_t i = 0; i < gpus.count; i++)
    if (gpus.array[i].counted != GC_NOT_COUNTED && !gc_shown_append(listed, i))
      return;
}

/* The GPUs that ROCr keeps, in its order. It reads at most as many entries as it lists GPUs. */
static void read_rocr(const char *list, struct gc_seen_list gpus, struct gc_shown *shown)
{
  struct gc_shown listed = {.count = 0};
  struct gc_entry entry;

  list_rocr(gpus, &listed);
  if (!list) {
    *shown = listed;
    return;
  }
  for (size_t i = 0; i < listed.count && gc_take_entry(&list, &entry); i++) {
    long index;

    entry = gc_trimmed(entry);
    index = entry.length && toupper((unsigned char)entry.text[0]) == 'G'
                ? find_rocr_uuid(gpus, &listed, entry)
                : read_rocr_index(entry);
    if (index < 0 || (size_t)index >= listed.count ||
        gc_shown_has(shown, listed.array[(size_t)index]) ||
        !gc_shown_append(shown, listed.array[(size_t)index]))
      return;
  }
}

/* Finds the first GPU of those that ROCr keeps by its UUID. -1: none. */
static long find_hip_uuid(struct gc_seen_list gpus, const struct gc_shown *kept,
                          struct gc_entry entry)
{
  for (size_t i = 0; i < kept->count; i++)
    if (!strncmp(gpus.array[kept->array[i]].uuid, entry.text, entry.length))
      return (long)i;
  return -1;
}

/* Reads an index as HIP does: digits only, without leading zeros. -1: it is none. */
static long read_hip_index(struct gc_entry entry)
{
  const char *end;
  uint64_t index;

  end = entry.length ? gc_number_digits(entry.text, &index) : NULL;
  if (end != entry.text + entry.length || index > GC_MOST_SHOWN ||
      (entry.text[0] == '0' && entry.length > 1))
    return -1;
  return (long)index;
}

/* The GPUs that HIP chooses from those that ROCr keeps, as numbers of these. */
static void read_hip(const char *list, struct gc_seen_list gpus, const struct gc_shown *kept,
                     struct gc_shown *shown)
{
  struct gc_entry entry;

  while (gc_take_entry(&list, &entry)) {
    long number = entry.length >= strlen(UUID_PREFIX) &&
                          !strncmp(entry.text, UUID_PREFIX, strlen(UUID_PREFIX))
                      ? find_hip_uuid(gpus, kept, entry)
                      : read_hip_index(entry);

    if (number < 0 || (size_t)number >= kept->count)
      return;
    if (!gc_shown_has(shown, (size_t)number) && !gc_shown_append(shown, (size_t)number))
      return;
  }
}

/* Whether ROCr supports all these GPUs or none, because they have the same processor. */
static bool are_alike(struct gc_seen_list gpus, const struct gc_shown *kept)
{
  for (size_t i = 1; i < kept->count; i++)
    if (strcmp(gpus.array[kept->array[i]].target, gpus.array[kept->array[0]].target))
      return false;
  return true;
}

/* The variable that HIP reads, and its value. value is NULL if HIP reads none. */
static struct gc_decision hip_variable(const struct gc_variables *variables)
{
  if (variables->hip && *variables->hip)
    return gc_decide(GC_UNDECIDED, "HIP_VISIBLE_DEVICES", variables->hip);
  if (variables->cuda && *variables->cuda)
    return gc_decide(GC_UNDECIDED, "CUDA_VISIBLE_DEVICES", variables->cuda);
  if (variables->ordinal && *variables->ordinal && !variables->rocr)
    return gc_decide(GC_UNDECIDED, "GPU_DEVICE_ORDINAL", variables->ordinal);
  return gc_decide(GC_VISIBLE, NULL, NULL);
}

struct gc_decision gc_visible_rocm(const struct gc_variables *variables, struct gc_seen_list gpus,
                                   size_t wanted)
{
  struct gc_shown kept = {.count = 0}, chosen = {.count = 0};
  struct gc_decision hip = hip_variable(variables);
  const size_t perhaps = gc_count_of(gpus, GC_PERHAPS_COUNTED);
  size_t rank = 0;

  read_rocr(variables->rocr, gpus, &kept);
  if (variables->rocr && (!kept.count || (!perhaps && !gc_shown_has(&kept, wanted))))
    return gc_decide(GC_HIDDEN, "ROCR_VISIBLE_DEVICES", variables->rocr);
  if (variables->rocr && perhaps)
    return gc_decide(GC_UNDECIDED, "ROCR_VISIBLE_DEVICES", variables->rocr);
  if (!hip.value)
    return hip;
  read_hip(hip.value, gpus, &kept, &chosen);
  while (rank < kept.count && kept.array[rank] != wanted)
    rank++;
  if (!chosen.count)
    hip.visibility = GC_HIDDEN;
  else if (!perhaps && are_alike(gpus, &kept))
    hip.visibility = gc_shown_has(&chosen, rank) ? GC_VISIBLE : GC_HIDDEN;
  return gc_decide(hip.visibility, hip.variable, hip.value);
}
