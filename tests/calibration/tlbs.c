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

static bool judge_penalty(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  const double near = tlb ? fmax(1.5, PENALTY_SHARE * tlb->penalty) + court->gpu->drift : 0;

  if (tlb)
    snprintf(c->truth, sizeof(c->truth), "%u", tlb->penalty);
  return tlb && *c->reported && fabs(strtod(c->reported, NULL) - tlb->penalty) <= near;
}

/* The number of SMs that share the TLB with each other; neighbours by index. */
static uint32_t group_of(const struct court *court, const struct gc_profile_tlb *tlb)
{
  const uint32_t sms = court->profile.facts.sms;

  switch ((int)tlb->cache.scope) {
  case GC_SCOPE_SM:
    return 1;
  case GC_SCOPE_GROUP:
    return tlb->cache.group;
  default:
    return sms;
  }
}

static bool judge_instances_of_tlb(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  const uint32_t each = tlb ? group_of(court, tlb) : 1;

  return judge_number(tlb, c, (court->profile.facts.sms + each - 1) / each);
}

static bool judge_per_sm_of_tlb(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);

  if (tlb && group_of(court, tlb) > 1 && court->profile.facts.sms > 1)
    tlb = NULL;
  return judge_number(tlb, c, 1);
}

bool judge_tlb_groups(const struct court *court, struct court_case *c)
{
  const struct gc_profile_tlb *tlb = tlb_of(court, c);
  size_t length = 0;

  for (uint32_t sm = 0; tlb && sm < court->profile.facts.sms && length + 16 < sizeof(c->truth);
       sm++)
    length += (size_t)snprintf(c->truth + length, sizeof(c->truth) - length, "%s%" PRIu32,
                               !sm                         ? ""
                               : sm % group_of(court, tlb) ? ","
                                                           : " ",
                               gc_model_sm_id(court->model, sm));
  return tlb && !strcmp(c->reported, c->truth);
}

bool judge_tlb(const struct court *court, struct court_case *c, enum judged property)
{
  switch (property) {
  case JUDGED_ENTRIES:
    return judge_entries(court, c);
  case JUDGED_ENTRY:
    return judge_entry(court, c);
  case JUDGED_REACH:
    return judge_reach(court, c);
  case JUDGED_PENALTY:
    return judge_penalty(court, c);
  case JUDGED_INSTANCES:
    return judge_instances_of_tlb(court, c);
  case JUDGED_PER_SM:
    return judge_per_sm_of_tlb(court, c);
  case JUDGED_SM_GROUPS:
    return judge_tlb_groups(court, c);
  default:
    return false;
  }
}
