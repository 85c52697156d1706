/* SPDX-License-Identifier: BSD-3-Clause */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "predict/parameters/tlbs.h"

#include "predict/parameters/groups.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <stdlib.h>

/* Limits for the values of a record. H100 and H200: 24 TLBs of 2048 entries of 32 MiB, 117 cycles.
 */
#define MOST_ENTRIES (1u << 20) /* of a level, in all its TLBs together */
#define LEAST_ENTRY_BYTES 4096
#define MOST_ENTRY_BYTES (UINT64_C(1) << 40)
#define MOST_CYCLES 1e5

/* A latency outside the SM repeats within this part (doc/methods.md). */
#define REPEATS_WITHIN 0.02

#define IMPOSSIBLE "its value is impossible; "

struct level_reading {
  const struct gc_element *element; /* NULL: the record does not have it */
  const char *subtype;
  struct gc_tlb_level *level;
  struct gc_assumptions *assumptions;
  unsigned sms;
};

static const char *text_of(const struct level_reading *reading, const char *key)
{
  return reading->element ? gc_infos_get(&reading->element->infos, key) : NULL;
}

static void set_instances(struct level_reading *reading, unsigned instances)
{
  struct gc_tlb_level *level = reading->level;

  level->instances = instances;
  for (unsigned i = 0; instances && i < reading->sms; i++)
    level->of_sm[i] = (uint16_t)((uint64_t)i * instances / reading->sms);
}

/* Without usable groups, the numbers of TLBs may say enough. */
static void read_sharing(struct level_reading *reading, bool first_level)
{
  const char *groups = text_of(reading, HWLOC_GPUCACHE_SM_GROUPS), *wrong = NULL;
  uint64_t per_sm = 0, instances = 0;
  const char *what;

  if (groups && !(wrong = gc_groups_read(groups, reading->sms, reading->level->of_sm,
                                         &reading->level->instances)))
    return;
  gc_number_whole(text_of(reading, HWLOC_GPUCACHE_PER_SM), &per_sm);
  gc_number_whole(text_of(reading, HWLOC_GPUCACHE_INSTANCES), &instances);
  if (per_sm || instances == reading->sms || (!instances && first_level)) {
    what = "each SM has one of its own";
    set_instances(reading, 0);
  } else if (instances > 1 && instances < reading->sms) {
    what = "SMs with adjacent numbers share one";
    set_instances(reading, (unsigned)instances);
  } else {
    what = "all SMs share one";
    set_instances(reading, 1);
  }
  if (wrong || !(per_sm || instances == 1 || instances == reading->sms))
    gc_assume(reading->assumptions, reading->subtype, HWLOC_GPUCACHE_SM_GROUPS, "%s%s%s",
              wrong ? wrong : "", wrong ? "; " : "", what);
}

/* A level that cannot be modelled. */
static bool leave_out(struct level_reading *reading, const char *key, bool there)
{
  gc_assume(reading->assumptions, reading->subtype, key,
            "%stranslation at this level takes no time", there ? IMPOSSIBLE : "");
  return false;
}

/* The key that says how many entries there are: a measurement may find the reach, but not those. */
static const char *key_of_entries(const struct level_reading *reading)
{
  return !text_of(reading, HWLOC_GPUCACHE_ENTRIES) && text_of(reading, HWLOC_GPUCACHE_REACH_BYTES)
             ? HWLOC_GPUCACHE_REACH_BYTES
             : HWLOC_GPUCACHE_ENTRIES;
}

/* False: this level is not modelled. */
static bool read_entries(struct level_reading *reading)
{
  const char *entry_text = text_of(reading, HWLOC_GPUCACHE_ENTRY_BYTES);
  const char *entries_text = text_of(reading, HWLOC_GPUCACHE_ENTRIES);
  const char *reach_text = text_of(reading, HWLOC_GPUCACHE_REACH_BYTES);
  uint64_t bytes = 0, entries = 0, reach = 0;

  gc_number_whole(entry_text, &bytes);
  if (entry_text && (bytes < LEAST_ENTRY_BYTES || bytes > MOST_ENTRY_BYTES || bytes & (bytes - 1)))
    return leave_out(reading, HWLOC_GPUCACHE_ENTRY_BYTES, true);
  if (!entries_text && !reach_text)
    return leave_out(reading, HWLOC_GPUCACHE_ENTRIES, false);
  if (!entry_text)
    return leave_out(reading, HWLOC_GPUCACHE_ENTRY_BYTES, false);
  gc_number_whole(entries_text, &entries);
  gc_number_whole(reach_text, &reach);
  if (!entries_text)
    entries = reach / bytes;
  if (!entries || entries > MOST_ENTRIES)
    return leave_out(reading, key_of_entries(reading), true);
  reading->level->entries = (uint32_t)entries;
  reading->level->entry_bytes = bytes;
  return true;
}

/* All TLBs of the level must fit into the memory of the host. */
static bool check_total(struct level_reading *reading)
{
  struct gc_tlb_level *level = reading->level;
  const uint64_t instances = level->instances ? level->instances : reading->sms;

  if (instances * level->entries <= MOST_ENTRIES)
    return true;
  level->entries = 0;
  return leave_out(reading, key_of_entries(reading), true);
}

static void read_penalty(struct level_reading *reading, struct gc_bounds *cycles)
{
  const char *text = text_of(reading, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES);

  if (!gc_number_read(text, &cycles->value) || cycles->value > MOST_CYCLES) {
    cycles->value = 0;
    gc_assume(reading->assumptions, reading->subtype, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES,
              "%sa miss takes no time", text ? IMPOSSIBLE : "");
  }
  cycles->low = cycles->value * (1 - REPEATS_WITHIN);
  cycles->high = cycles->value * (1 + REPEATS_WITHIN);
}

void gc_tlbs_read(struct gc_parameters *parameters, const struct gc_record *record)
{
  static const enum gc_kind kinds[GC_TLB_LEVELS] = {GC_L1_TLB, GC_L2_TLB};
  static const char *const subtypes[GC_TLB_LEVELS] = {HWLOC_GPUCACHE_L1_TLB, HWLOC_GPUCACHE_L2_TLB};

  for (unsigned i = 0; i < GC_TLB_LEVELS; i++) {
    struct level_reading reading = {
        .element = gc_record_find(record, kinds[i]),
        .subtype = subtypes[i],
        .level = &parameters->gpu.tlb[i],
        .assumptions = &parameters->assumptions,
        .sms = parameters->gpu.sms,
    };

    if (!read_entries(&reading))
      continue;
    read_sharing(&reading, i == 0);
    if (!check_total(&reading))
      continue;
    if (!text_of(&reading, HWLOC_GPUCACHE_ENTRIES))
      gc_assume(reading.assumptions, reading.subtype, HWLOC_GPUCACHE_ENTRIES,
                "ReachBytes / EntryBytes");
    read_penalty(&reading, &parameters->tlb_cycles[i]);
  }
}
