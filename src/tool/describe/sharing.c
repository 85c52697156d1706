/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/describe/sharing.h"

#include "record/lists.h"
#include "tool/describe/notes.h"
#include "tool/print/format.h"

#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* --- storage ---------------------------------------------------------------------------------- */

/* The set of this element and those in its storage: bit i stands for kind i. */
static unsigned storage_of(const struct gc_element *element)
{
  const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_WITH);
  unsigned kinds = 1u << element->kind;
  struct gc_error unknown; /* words of another version */

  if (list)
    gc_kinds_read(list, (1u << GC_KIND_COUNT) - 1, &kinds, &unknown);
  return kinds;
}

/* Whether an earlier element names the same ones. */
static bool is_old(const struct gc_record *record, unsigned only, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (gc_show_has(only, record->elements[k].kind) &&
        storage_of(&record->elements[k]) == storage_of(&record->elements[i]))
      return true;
  return false;
}

/* "  one storage: L1Cache, TextureCache, ReadOnlyCache, SharedMemory; ConstantL15Cache,
 * instructions" */
void gc_show_storage(const struct gc_record *record, unsigned only, FILE *out)
{
  const char *before = "  one storage: ";

  /* DeviceMemory, the first one, can only share with memory of the host: that matters less */
  for (size_t k = 1; k <= record->count; k++) {
    const size_t i = k % record->count;
    const struct gc_element *element = &record->elements[i];
    const char *list = gc_infos_get(&element->infos, HWLOC_GPUCACHE_SHARED_WITH);

    if (!list || !gc_show_has(only, element->kind) || is_old(record, only, i))
      continue;
    fprintf(out, "%s%s, ", before, gc_kinds[element->kind].subtype);
    /* instructions, too, but it is not the nearest cache of them */
    if (element->kind == GC_CONSTANT_L15 && !strcmp(list, gc_kinds[GC_INSTRUCTION_CACHE].subtype))
      list = "instructions";
    for (; *list; list++)
      fprintf(out, *list == ',' ? ", " : "%c", *list);
    before = "; ";
  }
  if (*before == ';')
    putc('\n', out);
}

/* "  own storage: ConstantL1Cache, InstructionCache" */
void gc_show_own_storage(const struct gc_record *record, unsigned only, FILE *out)
{
  const char *before = "  own storage: ";

  for (size_t i = 0; i < record->count; i++) {
    const struct gc_infos *infos = &record->elements[i].infos;
    const char *source =
        gc_infos_get(infos, HWLOC_GPUCACHE_SHARED_WITH HWLOC_GPUCACHE_SOURCE_SUFFIX);

    if (!source || gc_is_absent(source) || gc_infos_get(infos, HWLOC_GPUCACHE_SHARED_WITH) ||
        !gc_show_has(only, record->elements[i].kind))
      continue;
    fprintf(out, "%s%s", before, gc_kinds[record->elements[i].kind].subtype);
    before = ", ";
  }
  if (*before == ',')
    putc('\n', out);
}

/* --- instances -------------------------------------------------------------------------------- */

/* The sizes of the groups in "0,1,16 2,3": 3 and 2. */
static void group_sizes(const char *groups, uint64_t *least, uint64_t *most)
{
  uint64_t size = 1, sm;
  bool is_last;

  *least = *most = 0;
  for (; gc_member_next(&groups, &sm, &is_last); size++)
    if (is_last) {
      *least = !*least || size < *least ? size : *least;
      *most = size > *most ? size : *most;
      size = 0;
    }
}

/* The same for "8x2,4x1". */
static void cu_group_sizes(const char *list, uint64_t *least, uint64_t *most)
{
  uint64_t caches, cus;

  *least = *most = 0;
  while (gc_cu_group_next(&list, &caches, &cus)) {
    *least = !*least || cus < *least ? cus : *least;
    *most = cus > *most ? cus : *most;
  }
}

/* How many SMs share one instance: "2", "4 to 6" or "16.5 on average"; empty: each SM has its own,
 * all share one, or it is not known. */
static void sms_of_instance(const struct gc_record *record, const struct gc_element *element,
                            char text[64])
{
  const struct gc_infos *infos = &element->infos;
  const char *groups = gc_infos_get(infos, HWLOC_GPUCACHE_SM_GROUPS);
  const char *cus = gc_infos_get(infos, HWLOC_GPUCACHE_SHARED_BY_CUS);
  uint64_t least = 0, most = 0, instances, sms;

  *text = '\0';
  if (gc_infos_get_u64(&record->infos, "SMs", &sms) ||
      gc_infos_get_u64(infos, HWLOC_GPUCACHE_INSTANCES, &instances) || instances < 2 ||
      instances >= sms)
    return;
  if (groups)
    group_sizes(groups, &least, &most);
  else if (cus)
    cu_group_sizes(cus, &least, &most);
  if (most && least != most)
    snprintf(text, 64, "%" PRIu64 " to %" PRIu64, least, most);
  else if (most || sms % instances == 0)
    snprintf(text, 64, "%" PRIu64, most ? most : sms / instances);
  else
    snprintf(text, 64, "%.1f on average", (double)sms / (double)instances);
}

/* "  SMs per instance: ConstantL15Cache 16.5 on average, InstructionCache 2, L2TLB 4 to 6" */
void gc_show_instances(const struct gc_record *record, unsigned only, FILE *out)
{
  const char *before = NULL;
  char text[64];

  for (size_t i = 0; i < record->count; i++) {
    const struct gc_element *element = &record->elements[i];

    sms_of_instance(record, element, text);
    if (!*text || !gc_show_has(only, element->kind))
      continue;
    if (!before)
      fprintf(out, "  %ss per instance:", gc_record_unit(record));
    fprintf(out, "%s %s %s", before ? before : "", gc_kinds[element->kind].subtype, text);
    before = ",";
  }
  if (before)
    putc('\n', out);
}
