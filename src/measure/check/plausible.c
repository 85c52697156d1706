/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules that hold for every GPU, whatever its size:
 * - A sector is no longer than its line, and a line is no longer than its cache. Near is not
 *   farther than far.
 * - A cache of the SM answers sooner than the L2. Texture loads are an exception, because the
 *   texture unit takes its own time. Constant L1.5 is one, too: its path differs from that of L2.
 * - Each SM has the same number of a cache that it does not share. A cache that SMs share, an L2
 *   and a partition have one SM at least.
 * - CUs of different XCDs are on different dies and share no cache inside of the CUs.
 */
#include "measure/check/plausible.h"

#include "measure/topology/topology.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define AT(member) offsetof(struct gc_measured, member)
#define NONE UINT32_MAX

/* Withholds a measured value. What the vendor's interface states is kept. */
static void refuse(struct gc_results *results, enum gc_kind kind, enum gc_property property,
                   const char *why)
{
  if (results->element[kind].found[property].origin == GC_MEASURED)
    gc_withhold(results, kind, property, why);
}

/* --- values of one element ---------------------------------------------------------------------
 */

/* Two numbers of an element: the first is at most as large as the second. */
static const struct order {
  enum gc_property less, more;
  size_t less_at, more_at;
  const char *unit;
} orders[] = {
    {GC_FETCH, GC_LINE, AT(fetch_bytes), AT(line_bytes), "bytes"},
    {GC_LINE, GC_CAPACITY, AT(line_bytes), AT(capacity_bytes), "bytes"},
};

static uint64_t whole(const struct gc_measured *element, size_t at)
{
  return *(const uint64_t *)((const char *)element + at);
}

/* A miss of the constant L1.5 brings at least what the constant L1 asks for. That may be more than
 * a line of the L1.5. */
static bool asked_for_more(const struct gc_results *results, enum gc_kind kind,
                           const struct order *order)
{
  const struct gc_measured *before = &results->element[GC_CONSTANT_L1];

  return kind == GC_CONSTANT_L15 && order->less == GC_FETCH &&
         (!gc_found(before, GC_FETCH) || results->element[kind].fetch_bytes <= before->fetch_bytes);
}

static void check_order(struct gc_results *results, enum gc_kind kind, const struct order *order)
{
  const struct gc_measured *element = &results->element[kind];
  const uint64_t less = whole(element, order->less_at), more = whole(element, order->more_at);
  char why[160];

  if (!gc_found(element, order->less) || !gc_found(element, order->more) || less <= more ||
      asked_for_more(results, kind, order))
    return;
  snprintf(why, sizeof(why),
           "%s %" PRIu64 " %s and %s %" PRIu64 " contradict each other: the first is part of the "
           "second",
           gc_properties_names[order->less], less, order->unit, gc_properties_names[order->more],
           more);
  refuse(results, kind, order->less, why);
  refuse(results, kind, order->more, why);
}

static void check_sides(struct gc_results *results)
{
  const struct gc_measured *l2 = &results->element[GC_L2];
  const double near = l2->near_latency_cycles, far = l2->far_latency_cycles;
  char why[160];

  if (!gc_found(l2, GC_NEAR_LATENCY) || !gc_found(l2, GC_FAR_LATENCY) || near <= far)
    return;
  snprintf(why, sizeof(why), "near loads take %.1f cycles and far ones only %.1f", near, far);
  refuse(results, GC_L2, GC_NEAR_LATENCY, why);
  refuse(results, GC_L2, GC_FAR_LATENCY, why);
}

/* --- an element and the L2 ---------------------------------------------------------------------
 */

static void check_l1_latency(struct gc_results *results, enum gc_kind kind)
{
  const struct gc_measured *l1 = &results->element[kind], *l2 = &results->element[GC_L2];
  char why[160];

  if (!gc_found(l1, GC_LATENCY) || !gc_found(l2, GC_LATENCY) ||
      l1->latency_cycles <= l2->latency_cycles)
    return;
  snprintf(why, sizeof(why), "loads of %s take %.1f cycles, and those of %s only %.1f",
           gc_kinds[kind].subtype, l1->latency_cycles, gc_kinds[GC_L2].subtype, l2->latency_cycles);
  refuse(results, kind, GC_LATENCY, why);
  refuse(results, GC_L2, GC_LATENCY, why);
  gc_set_absent(&results->element[kind], GC_LATENCY_P95, why);
  gc_set_absent(&results->element[GC_L2], GC_LATENCY_P95, why);
}

/* --- counts ------------------------------------------------------------------------------------
 */

/* The reason why no GPU with so many SMs has this number of instances; NULL: it is possible. */
static const char *impossible_count(const struct gc_measured *element, uint32_t sms)
{
  const uint64_t n = element->instances;
  const bool outside = element->kind == GC_L2 || element->kind == GC_L3;

  if (!n)
    return "there is none at all";
  if (outside)
    return n > sms ? "there are more of them than SMs" : NULL;
  if (n > sms && n % sms)
    return "SMs would have different numbers of them";
  if (gc_found(element, GC_PER_SM) && n != element->per_sm * sms)
    return "this is not the number in an SM times the number of SMs";
  return NULL;
}

static void check_instances(struct gc_results *results, enum gc_kind kind, uint32_t sms)
{
  const struct gc_measured *element = &results->element[kind];
  const char *problem = gc_found(element, GC_INSTANCES) ? impossible_count(element, sms) : NULL;
  char why[160];

  if (!problem)
    return;
  snprintf(why, sizeof(why), "%" PRIu64 " instances on %" PRIu32 " SMs: %s", element->instances,
           sms, problem);
  refuse(results, kind, GC_INSTANCES, why);
  refuse(results, kind, GC_PER_SM, why);
}

static void check_partitions(struct gc_results *results, uint32_t sms)
{
  const struct gc_measured *l2 = &results->element[GC_L2];
  uint64_t sum = 0;
  bool empty = !l2->partitions || l2->partitions > GC_PARTITIONS_MAX;
  char why[160];

  if (!gc_found(l2, GC_PARTITIONS) || !gc_found(l2, GC_PARTITION_SMS))
    return;
  for (uint64_t i = 0; i < l2->partitions && !empty; i++) {
    empty = !l2->partition_sms[i];
    sum += l2->partition_sms[i];
  }
  if (!empty && sum == sms)
    return;
  snprintf(why, sizeof(why),
           "%" PRIu64 " partitions with %" PRIu64 " SMs in all, but the GPU has %" PRIu32,
           l2->partitions, sum, sms);
  refuse(results, GC_L2, GC_PARTITIONS, why);
  refuse(results, GC_L2, GC_PARTITION_SMS, why);
}

/* --- groups of CUs -----------------------------------------------------------------------------
 */

static void refuse_groups(struct gc_results *results, enum gc_kind kind, const char *why)
{
  const union gc_property_set all = GC_CU_GROUP_PROPERTIES;

  for (int property = 0; property < GC_PROPERTY_COUNT; property++)
    if (all.has[property])
      refuse(results, kind, (enum gc_property)property, why);
}

/* Does every group have a CU, and every CU a group? */
static bool is_division(const struct gc_measured *element, uint32_t sms)
{
  const struct gc_groups *groups = &element->cu_groups;
  uint32_t members[GC_SMS_MAX] = {0};

  for (uint32_t i = 0; i < sms; i++)
    if (groups->of[i] >= groups->count || groups->count > GC_SMS_MAX)
      return false;
    else
      members[groups->of[i]]++;
  for (uint32_t g = 0; g < groups->count; g++)
    if (!members[g])
      return false;
  return groups->count > 0;
}

/* The first CU whose group also has CUs of another XCD; NONE: there is none. */
static uint32_t across_xcds(const struct gc_groups *groups, const struct gc_groups *xcds,
                            uint32_t sms)
{
  uint32_t xcd_of[GC_SMS_MAX];

  for (uint32_t g = 0; g < groups->count; g++)
    xcd_of[g] = NONE;
  for (uint32_t i = 0; i < sms; i++) {
    uint32_t *xcd = &xcd_of[groups->of[i]];

    if (*xcd != NONE && *xcd != xcds->of[i])
      return i;
    *xcd = xcds->of[i];
  }
  return NONE;
}

static void check_groups(struct gc_results *results, uint32_t sms)
{
  static const enum gc_kind kinds[] = {GC_SCALAR_L1, GC_L2};
  const struct gc_measured *scalar = &results->element[GC_SCALAR_L1],
                           *l2 = &results->element[GC_L2];
  uint32_t cu;
  char why[160];

  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
    if (gc_found(&results->element[kinds[i]], GC_CU_GROUPS) &&
        !is_division(&results->element[kinds[i]], sms))
      refuse_groups(results, kinds[i], "the groups do not have every CU once");
  if (!gc_found(scalar, GC_CU_GROUPS) || !gc_found(l2, GC_CU_GROUPS) ||
      (cu = across_xcds(&scalar->cu_groups, &l2->cu_groups, sms)) == NONE)
    return;
  snprintf(why, sizeof(why), "CU %" PRIu32 " would share a %s with CUs that have another %s",
           results->sm_number[cu], gc_kinds[GC_SCALAR_L1].subtype, gc_kinds[GC_L2].subtype);
  refuse_groups(results, GC_SCALAR_L1, why);
  refuse_groups(results, GC_L2, why);
}

void gc_check_plausible(struct gc_results *results, uint32_t sms)
{
  static const enum gc_kind first_level[] = {GC_L1, GC_READ_ONLY, GC_CONSTANT_L1, GC_SCALAR_L1};

  if (sms > GC_SMS_MAX)
    return;
  check_groups(results, sms);
  check_partitions(results, sms);
  check_sides(results);
  for (int kind = 0; kind < GC_KIND_COUNT; kind++) {
    check_instances(results, (enum gc_kind)kind, sms);
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
      check_order(results, (enum gc_kind)kind, &orders[i]);
  }
  for (size_t i = 0; i < sizeof(first_level) / sizeof(*first_level); i++)
    check_l1_latency(results, first_level[i]);
}
