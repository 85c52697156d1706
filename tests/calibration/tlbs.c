/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges what was found of TLBs.
 */
#include "court.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENALTY_SHARE 0.05
#define REACH_SHARE 0.01

bool court_tlb(const struct court *court, const struct court_case *c)
{
  (void)court;
  return c->element->kind == GC_L1_TLB || c->element->kind == GC_L2_TLB;
}

/* NULL: the GPU does not have this one, or its loads are noise. */
static const struct gc_profile_tlb *tlb_of(const struct court *court, const struct court_case *c)
{
  const unsigned level = c->element->kind == GC_L2_TLB;

  if (level >= court->profile.tlb_count || court->gpu->class == DRAWN_NOISE)
    return NULL;
  return &court->profile.tlbs[level];
}

static bool judge_number(const struct gc_profile_tlb *tlb, struct court_case *c, uint64_t truth)
{
  if (tlb)
    snprintf(c->truth, sizeof(c->truth), "%" PRIu64, truth);
  return tlb && !strcmp(c->reported, c->truth);
}

bool judge_entries(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);

  return judge_number(tlb, c, tlb ? tlb->entries : 0);
}

bool judge_entry(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);

  return judge_number(tlb, c, tlb ? tlb->cache.shape.line : 0);
}

bool judge_reach(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);

  if (!tlb)
    return false;
  judge_number(tlb, c, tlb->entries * tlb->cache.shape.line);
  return fabs(strtod(c->reported, NULL) / strtod(c->truth, NULL) - 1) <= REACH_SHARE;
}

static bool judge_penalty_of_tlb(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  const double near = tlb ? fmax(1.5, PENALTY_SHARE * tlb->penalty) + court->gpu->drift : 0;

  if (tlb)
    snprintf(c->truth, sizeof(c->truth), "%u", tlb->penalty);
  return tlb && *c->reported && fabs(strtod(c->reported, NULL) - tlb->penalty) <= near;
}

/* The CPC of an SM: so many SMs of a GPC that follow each other in it. */
static uint32_t cpc_of(const struct gc_profile *profile, uint32_t each, uint32_t sm)
{
  uint32_t before = 0;

  for (uint32_t other = 0; other < sm; other++)
    before += profile->gpcs.of[other] == profile->gpcs.of[sm];
  return profile->gpcs.of[sm] * COURT_SMS_MAX + before / each;
}

uint32_t court_tlb_groups(const struct court *court, unsigned level, uint32_t group[COURT_SMS_MAX])
{
  const struct gc_profile *profile = &court->profile;
  const struct gc_profile_cache *cache = &profile->tlbs[level].cache;
  const uint32_t sms = profile->facts.sms;

  if (level >= profile->tlb_count)
    return 0;
  for (uint32_t sm = 0; sm < sms; sm++)
    switch ((int)cache->scope) {
    case GC_SCOPE_SM:
      group[sm] = sm;
      break;
    case GC_SCOPE_GROUP:
      group[sm] = sm / cache->group;
      break;
    case GC_SCOPE_GPC:
      group[sm] = cache->group ? cpc_of(profile, cache->group, sm) : profile->gpcs.of[sm];
      break;
    default:
      group[sm] = 0;
    }
  return court_renumber(group, sms);
}

static uint32_t groups_of(const struct court *court, const struct gc_profile_tlb *tlb,
                          uint32_t group[COURT_SMS_MAX])
{
  return tlb ? court_tlb_groups(court, (unsigned)(tlb - court->profile.tlbs), group) : 0;
}

static bool judge_instances_of_tlb(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  uint32_t group[COURT_SMS_MAX];

  return judge_number(tlb, c, groups_of(court, tlb, group));
}

static bool judge_per_sm_of_tlb(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  uint32_t group[COURT_SMS_MAX];

  if (groups_of(court, tlb, group) != court->profile.facts.sms)
    tlb = NULL;
  return judge_number(tlb, c, 1);
}

static bool judge_tlb_groups(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  uint32_t group[COURT_SMS_MAX];

  if (tlb)
    court_print_groups(court, c, group, groups_of(court, tlb, group));
  return tlb && !strcmp(c->reported, c->truth);
}

bool judge_tlb(const struct court *court, struct court_case *c, enum gc_property property)
{
  switch (property) {
  case GC_ENTRIES:
    return judge_entries(court, c);
  case GC_ENTRY:
    return judge_entry(court, c);
  case GC_REACH:
    return judge_reach(court, c);
  case GC_MISS_PENALTY:
    return judge_penalty_of_tlb(court, c);
  case GC_INSTANCES:
    return judge_instances_of_tlb(court, c);
  case GC_PER_SM:
    return judge_per_sm_of_tlb(court, c);
  case GC_SM_GROUPS:
    return judge_tlb_groups(court, c);
  default:
    return false;
  }
}
