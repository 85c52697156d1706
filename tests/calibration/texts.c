/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks properties that are words, lists and counts. The model states the right text.
 */
#include "court.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_SHARE 0.005
#define SMS_MAX COURT_SMS_MAX

static void append(struct court_case *c, const char *separator, const char *word)
{
  const size_t used = strlen(c->truth);

  snprintf(c->truth + used, sizeof(c->truth) - used, "%s%s", used ? separator : "", word);
}

static bool same(const struct court_case *c) { return *c->truth && !strcmp(c->reported, c->truth); }

/* --- sharing --------------------------------------------------------------------------------- */

static bool in_unified(const struct court *court, enum gc_space space)
{
  const struct gc_profile_path *path = &court->profile.paths[space];

  return path->count && path->levels[0].cache != GC_PROFILE_MEMORY &&
         court->profile.caches[path->levels[0].cache].unified;
}

static bool cached_in_sm(const struct court *court, enum gc_space space)
{
  const struct gc_profile_path *path = &court->profile.paths[space];

  return path->count > 1 && court->profile.caches[path->levels[0].cache].scope < GC_SCOPE_XCD;
}

/* Whether code goes through this cache, too. */
static bool shared_with_code(const struct court *court, const struct court_case *c)
{
  const struct gc_profile_path *code = &court->profile.paths[GC_SPACE_INSTRUCTION];
  bool shared = false;

  for (unsigned level = 0; level + 1 < code->count; level++)
    shared |= c->cache == &court->profile.caches[code->levels[level].cache];
  return shared;
}

/* Whether the instruction cache is the constant L1.5. */
static bool shared_with_constants(const struct court *court, const struct court_case *c)
{
  const struct gc_profile_path *constants = &court->profile.paths[GC_SPACE_CONSTANT];

  return c->element->kind == GC_INSTRUCTION_CACHE && constants->count > 2 &&
         c->cache == &court->profile.caches[constants->levels[1].cache];
}

/* The list is in the order of the plan. An empty list can be right, too; it is "none" here. */
bool judge_shared_with(const struct court *court, struct court_case *c)
{
  static const struct {
    enum gc_kind kind;
    enum gc_space space;
  } caches[] = {{GC_L1, GC_SPACE_CA},
                {GC_TEXTURE, GC_SPACE_TEXTURE},
                {GC_READ_ONLY, GC_SPACE_NC},
                {GC_CONSTANT_L1, GC_SPACE_CONSTANT},
                {GC_SCALAR_L1, GC_SPACE_SCALAR}};
  const bool memory = c->space == GC_SPACE_SHARED, code = c->element->kind == GC_CONSTANT_L15 ||
                                                          c->element->kind == GC_INSTRUCTION_CACHE;

  for (size_t i = 0; i < sizeof(caches) / sizeof(*caches) && !code; i++)
    if (caches[i].space != c->space && cached_in_sm(court, caches[i].space) &&
        (memory ? in_unified(court, caches[i].space)
                : gc_model_true_shared(court->model, c->space, caches[i].space)))
      append(c, ",", gc_kinds[caches[i].kind].subtype);
  if (!memory && !code && in_unified(court, c->space))
    append(c, ",", gc_kinds[GC_SHARED_MEMORY].subtype);
  if (shared_with_constants(court, c))
    append(c, ",", gc_kinds[GC_CONSTANT_L15].subtype);
  else if (c->element->kind == GC_CONSTANT_L15 && shared_with_code(court, c))
    append(c, ",", gc_kinds[GC_INSTRUCTION_CACHE].subtype);
  if (!*c->truth)
    append(c, "", "none");
  if (!*c->reported)
    snprintf(c->reported, sizeof(c->reported), "none");
  return same(c);
}

/* --- how many -------------------------------------------------------------------------------- */

bool judge_per_sm(const struct court *court, struct court_case *c)
{
  (void)court;
  if (c->cache && c->cache->scope == GC_SCOPE_SM)
    snprintf(c->truth, sizeof(c->truth), "%u", c->cache->instances);
  if (c->cache && c->cache->scope == GC_SCOPE_RANGE) /* a CU that shares with no other has one */
    snprintf(c->truth, sizeof(c->truth), "1");
  return same(c);
}

/* Finds groups of SMs that load through the same cache; group[sm] is the first SM of its group.
 * Returns the number of groups. */
static uint32_t find_groups(const struct court *court, const struct court_case *c,
                            uint32_t group[SMS_MAX])
{
  const uint32_t sms = court->profile.facts.sms;
  uint32_t groups = 0;

  for (uint32_t sm = 0; sm < sms; sm++) {
    uint32_t first = 0;

    while (first < sm && !gc_model_true_sharing_groups(court->model, c->space, c->level, first, sm))
      first++;
    group[sm] = first < sm ? group[first] : groups++;
  }
  return groups;
}

bool judge_instances(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX], n;

  if (!c->cache)
    return false;
  n = c->cache->scope == GC_SCOPE_CHIP ? 1 : find_groups(court, c, group);
  snprintf(c->truth, sizeof(c->truth), "%u", n * c->cache->instances);
  return same(c);
}

/* Those of TLBs: tlbs.c. */
bool judge_cache_groups(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX];

  if (!c->cache)
    return false;
  court_print_groups(court, c, group, find_groups(court, c, group));
  return same(c);
}

/* "8x2,4x1": eight caches with two CUs each, four with one; most CUs first. */
bool judge_shared_by_cus(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX], sizes[SMS_MAX] = {0}, with[SMS_MAX + 1] = {0};
  const uint32_t sms = court->profile.facts.sms, groups = find_groups(court, c, group);
  char word[32];

  for (uint32_t sm = 0; sm < sms; sm++)
    sizes[group[sm]]++;
  for (uint32_t i = 0; i < groups; i++)
    with[sizes[i]]++;
  for (uint32_t size = sms; size; size--)
    if (with[size]) {
      snprintf(word, sizeof(word), "%ux%u", with[size], size);
      append(c, ",", word);
    }
  return same(c);
}

bool judge_cu_groups(const struct court *court, struct court_case *c)
{
  uint32_t group[SMS_MAX];
  const uint32_t sms = court->profile.facts.sms, groups = find_groups(court, c, group);
  char word[16];

  for (uint32_t i = 0; i < groups; i++) {
    const char *separator = " ";

    for (uint32_t sm = 0; sm < sms; sm++)
      if (group[sm] == i) {
        snprintf(word, sizeof(word), "%u", gc_model_sm_id(court->model, sm));
        append(c, separator, word);
        separator = ",";
      }
  }
  return same(c);
}

/* --- parts of the L2 ------------------------------------------------------------------------- */

/* How many SMs are near to each partition. The partition of the first SM comes first. Partitions
 * with the same latency count as one. */
static unsigned find_sides(const struct court *court, const struct court_case *c,
                           uint32_t sides[SMS_MAX])
{
  const uint32_t sms = court->profile.facts.sms;
  uint32_t of_part[SMS_MAX];
  unsigned n = 0;

  memset(of_part, 0xff, sizeof(of_part));
  for (uint32_t sm = 0; sm < sms; sm++) {
    const uint32_t part =
      c->cache->far_cycles ? gc_chip_near(&court->profile, c->cache, sm) : 0;

    if (of_part[part] == UINT32_MAX)
      sides[of_part[part] = n++] = 0;
    sides[of_part[part]]++;
  }
  return n;
}

bool judge_partitions(const struct court *court, struct court_case *c)
{
  uint32_t sides[SMS_MAX];

  if (c->cache && court->gpu->class != DRAWN_NOISE)
    snprintf(c->truth, sizeof(c->truth), "%u", find_sides(court, c, sides));
  return same(c);
}

bool judge_partition_sms(const struct court *court, struct court_case *c)
{
  uint32_t sides[SMS_MAX];
  char word[16];

  if (!c->cache || court->gpu->class == DRAWN_NOISE)
    return false;
  for (unsigned i = 0, n = find_sides(court, c, sides); i < n; i++) {
    snprintf(word, sizeof(word), "%u", sides[i]);
    append(c, ",", word);
  }
  return same(c);
}

/* --- carve-outs ------------------------------------------------------------------------------ */

/* The bytes in the table for this percentage; -1 stands for a kernel without a preference. 0:
 * not in the table. */
static uint64_t look_up(const char *table, int percent)
{
  uint64_t bytes = 0, found = 0;
  int from;

  for (const char *word = table; *word; word += strcspn(word, ","), word += *word == ',')
    if (sscanf(word, "default:%" SCNu64, &bytes) == 1)
      found = percent < 0 ? bytes : found;
    else if (sscanf(word, "%d:%" SCNu64, &from, &bytes) == 2 && percent >= from)
      found = bytes;
  return found;
}

static bool judge_blocks(const struct court *court, struct court_case *c, uint32_t warps)
{
  bool right = true;
  uint64_t before = 0;
  char word[48];

  for (int percent = 0; percent <= 101; percent++) {
    const int asked = percent > 100 ? -1 : percent;
    uint64_t truth;

    court_launch_blocks(court, asked, warps);
    truth = gc_model_true_level(court->model, c->space, c->level);
    right &= fabs((double)look_up(c->reported, asked) - (double)truth) <=
             fmax(32, CAPACITY_SHARE * (double)truth);
    if (asked < 0)
      snprintf(word, sizeof(word), "default:%" PRIu64, truth);
    else
      snprintf(word, sizeof(word), "%d:%" PRIu64, percent, truth);
    if ((asked < 0 || truth != before) && court->gpu->class != DRAWN_NOISE)
      append(c, ",", word);
    before = truth;
  }
  return right;
}

bool judge_carveouts(const struct court *court, struct court_case *c)
{
  return judge_blocks(court, c, 1);
}

bool judge_carveouts_4(const struct court *court, struct court_case *c)
{
  return judge_blocks(court, c, 4);
}

bool judge_carveouts_32(const struct court *court, struct court_case *c)
{
  return judge_blocks(court, c, 32);
}
