/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpus/visible.h"

#include "gpus/visible_list.h"
#include "util/number.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define UUID_PREFIX "GPU-"
#define MIG_PREFIX "MIG-"

/* Finds the only GPU whose UUID begins with the entry. *uncertain: GPUs that CUDA may not see, or
 * other letters, may change the result. -1: none, or several. */
static long find_cuda_uuid(struct gc_seen_list gpus, struct gc_entry entry, bool *uncertain)
{
  size_t sure = 0, perhaps = 0, otherwise = 0;
  long found = -1;

  for (size_t i = 0; i < gpus.count; i++) {
    const struct gc_seen *gpu = &gpus.array[i];

    if (gpu->counted == GC_NOT_COUNTED)
      continue;
    if (strncmp(gpu->uuid, entry.text, entry.length)) {
      otherwise += !strncasecmp(gpu->uuid, entry.text, entry.length);
      continue;
    }
    *(gpu->counted == GC_COUNTED ? &sure : &perhaps) += 1;
    found = (long)i;
  }
  *uncertain |= (sure + perhaps > 1 && sure < 2) || (sure + perhaps == 0 && otherwise);
  return sure + perhaps == 1 ? found : -1;
}

/* Reads a list of UUIDs. The result has numbers of GPUs. */
static void read_cuda_uuids(const char *list, struct gc_seen_list gpus, struct gc_shown *shown)
{
  struct gc_entry entry;
  long found;

  while (gc_take_entry(&list, &entry)) {
    if (strncmp(entry.text, UUID_PREFIX, strlen(UUID_PREFIX)) ||
        (found = find_cuda_uuid(gpus, entry, &shown->uncertain)) < 0)
      return;
    if (gc_shown_has(shown, (size_t)found)) {
      shown->count = 0;
      return;
    }
    if (!gc_shown_append(shown, (size_t)found))
      return;
  }
}

/* Reads a list of indices below most. CUDA ignores what follows the digits of an entry. */
static void read_cuda_indices(const char *list, size_t most, struct gc_shown *shown)
{
  struct gc_entry entry;

  while (gc_take_entry(&list, &entry)) {
    uint64_t index;
    const char *end;

    entry = gc_trimmed(entry);
    end = entry.length ? gc_number_digits(entry.text, &index) : NULL;
    if (!end || index >= most)
      return;
    shown->uncertain |= end != entry.text + entry.length;
    if (gc_shown_has(shown, index)) {
      shown->count = 0;
      return;
    }
    if (!gc_shown_append(shown, index))
      return;
  }
}

/* The rank of a GPU among those that CUDA counts, in the order of PCI bus ids. */
static size_t rank_of(struct gc_seen_list gpus, size_t wanted)
{
  size_t rank = 0;

  for (size_t i = 0; i < wanted; i++)
    rank += gpus.array[i].counted == GC_COUNTED;
  return rank;
}

static enum gc_visibility judge_cuda_indices(const struct gc_variables *variables,
                                             struct gc_seen_list gpus, size_t wanted)
{
  const size_t sure = gc_count_of(gpus, GC_COUNTED),
               perhaps = gc_count_of(gpus, GC_PERHAPS_COUNTED);
  struct gc_shown shown = {.count = 0};

  read_cuda_indices(variables->cuda, sure + perhaps, &shown);
  if (shown.count == 0)
    return GC_HIDDEN;
  if (perhaps || shown.uncertain)
    return GC_UNDECIDED;
  if (shown.count == sure)
    return GC_VISIBLE; /* all, in any order */
  if (!variables->cuda_order || strcmp(variables->cuda_order, "PCI_BUS_ID"))
    return GC_UNDECIDED;
  return gc_shown_has(&shown, rank_of(gpus, wanted)) ? GC_VISIBLE : GC_HIDDEN;
}

static enum gc_visibility judge_cuda(const struct gc_variables *variables, struct gc_seen_list gpus,
                                     size_t wanted)
{
  const char *list = variables->cuda, *first = list + strspn(list, " \t");
  struct gc_shown shown = {.count = 0};

  if (!strncmp(list, MIG_PREFIX, strlen(MIG_PREFIX)))
    return GC_HIDDEN;
  if (first != list && !isdigit((unsigned char)*first))
    return *first == 'G' || *first == 'M' ? GC_UNDECIDED : GC_HIDDEN;
  if (strncmp(list, UUID_PREFIX, strlen(UUID_PREFIX)))
    return judge_cuda_indices(variables, gpus, wanted);
  read_cuda_uuids(list, gpus, &shown);
  if (shown.uncertain || !*gpus.array[wanted].uuid)
    return GC_UNDECIDED;
  return gc_shown_has(&shown, wanted) ? GC_VISIBLE : GC_HIDDEN;
}

struct gc_decision gc_visible_cuda(const struct gc_variables *variables, struct gc_seen_list gpus,
                                   size_t wanted)
{
  if (!variables->cuda)
    return gc_decide(GC_VISIBLE, NULL, NULL);
  return gc_decide(judge_cuda(variables, gpus, wanted), "CUDA_VISIBLE_DEVICES", variables->cuda);
}
