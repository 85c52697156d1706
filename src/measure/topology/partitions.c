/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitions of L2: their number, how many SMs are near to each, and the latency of near and far
 * loads. On AMD GPUs: the number of L2 caches (one in each XCD), and which CUs use each.
 * partition_groups.c finds the groups of SMs. doc/methods.md, "L2 partitions"; Vanecek et al.
 * (MT4G) 2025, IV-F, for the question.
 */
#include "measure/core/placement.h"
#include "measure/topology/latency_by_sm.h"
#include "measure/topology/topology.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EARLIER 0.1 /* far lines must be faster than memory by at least this share */
#define TOLERANCE 0.02

/* Reports the latency of near or far loads: the median of each SM, then the median of all SMs. */
static void put_side(struct gc_partition_groups *s, struct gc_measured *element, bool far)
{
  const struct gc_measurement *m = s->r.m;
  struct gc_latency latency;
  size_t n = 0;

  for (uint32_t sm = 0; sm < s->r.sms; sm++) {
    double *of_sm = s->scratch + s->r.sms;
    size_t count = 0;

    for (size_t r = 0; r < s->r.count; r++)
      for (uint32_t k = 0; k < s->r.loads; k++) {
        const double cycles = gc_readers_loads(&s->r, r, sm)[k];

        if (far == (s->group[sm] != s->group[s->r.readers[r]]) &&
            (!far || gc_partition_groups_slow(s, sm, cycles)))
          of_sm[count++] = cycles;
      }
    if (count)
      s->scratch[n++] = gc_median(of_sm, count);
  }
  latency.cycles = gc_median(s->scratch, n);
  latency.confidence =
      s->confidence * m->results->overhead.confidence *
      gc_median_confidence(s->scratch, n, latency.cycles, TOLERANCE * latency.cycles);
  gc_set_latency(element, far ? GC_FAR_LATENCY : GC_NEAR_LATENCY, &latency, m->bench.mhz);
}

static int put_absent(const struct gc_partition_groups *s, struct gc_measured *element,
                      const char *why)
{
  const union gc_property_set one = {{GC_IN(INSTANCES), GC_IN(LATENCY_BY_SM)}},
                              several = GC_PARTITION_PROPERTIES;

  return gc_set_all_absent(element, s->r.m->bench.properties.l2_per_xcd ? one : several, why);
}

/* There is one L2 if every SM finds the lines that one SM read, near or far, faster than memory. */
static int put_instances(const struct gc_partition_groups *s, struct gc_measured *element)
{
  const struct gc_measured *memory = &s->r.m->results->element[GC_DEVICE_MEMORY];

  if (gc_found(element, GC_INSTANCES)) /* the vendor's interface states it */
    return 0;
  if (s->groups > 1 && !gc_found(memory, GC_LATENCY))
    return gc_set_absent(element, GC_INSTANCES,
                         "the latency of device memory is needed to find it, and is not known");
  if (s->groups > 1 && !gc_found(element, GC_FAR_LATENCY))
    return gc_set_absent(element, GC_INSTANCES,
                         "the latency of far lines is needed to find it, and is not known");
  if (s->groups > 1 && element->far_latency_cycles >= (1 - EARLIER) * memory->latency_cycles)
    return gc_set_absent(element, GC_INSTANCES, "far lines come no sooner than from memory");
  element->instances = 1;
  return gc_set_measured(element, GC_INSTANCES, s->confidence);
}

/* AMD: reports how many L2 caches there are, and which CUs use each. */
static int put_l2s(const struct gc_partition_groups *s, struct gc_measured *element)
{
  element->instances = (uint64_t)s->groups;
  gc_set_measured(element, GC_INSTANCES, s->confidence);
  if (s->groups == 1)
    return 0;
  element->cu_groups.count = (uint32_t)s->groups;
  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    element->cu_groups.of[sm] = (uint16_t)s->group[sm];
  gc_set_measured(element, GC_SHARED_BY_CUS, s->confidence);
  return gc_set_measured(element, GC_CU_GROUPS, s->confidence);
}

static int put_partitions(struct gc_partition_groups *s, struct gc_measured *element)
{
  element->partitions = (uint64_t)s->groups;
  memset(element->partition_sms, 0, sizeof(element->partition_sms));
  for (uint32_t sm = 0; sm < s->r.sms; sm++)
    element->partition_sms[s->groups == 1 ? 0 : s->group[sm]]++;
  gc_set_measured(element, GC_PARTITIONS, s->confidence);
  gc_set_measured(element, GC_PARTITION_SMS, s->confidence);
  if (s->groups > 1) { /* otherwise nothing is far */
    put_side(s, element, false);
    put_side(s, element, true);
  }
  return put_instances(s, element);
}

/* Writes a row for each SM: its latencies after each reader, and that of its near loads. */
static void log_readers(const struct gc_partition_groups *s)
{
  char columns[24 * (2 + GC_READERS_MAX)] = "SM";
  double row[2 + GC_READERS_MAX];

  for (size_t r = 0; r < s->r.count; r++)
    snprintf(columns + strlen(columns), sizeof(columns) - strlen(columns), "\tread by SM %u",
             s->r.m->results->sm_number[s->r.readers[r]]);
  strcat(columns, "\t" GC_RAW_NEAR);
  for (uint32_t sm = 0; sm < s->r.sms && s->r.count && !s->absent; sm++) {
    row[0] = s->r.m->results->sm_number[sm];
    for (size_t r = 0; r < s->r.count; r++)
      row[1 + r] = gc_partition_groups_mean(s, r, sm);
    row[1 + s->r.count] = gc_latency_of_sm(s, sm, NULL);
    gc_raw_row(s->r.m->bench.raw, columns, row);
  }
}

/* Keeps the sides for walk/l2_sample.h, which needs SM numbers without gaps. */
static void put_sides(const struct gc_partition_groups *s)
{
  const struct gc_bench *bench = &s->r.m->bench;
  struct gc_results *results = s->r.m->results;
  const uint32_t sms = s->r.sms;

  results->l2_sides_known = false;
  results->l2_groups = bench->properties.l2_per_xcd && !s->absent ? (uint32_t)s->groups : 0;
  if (s->absent || !gc_sms_without_gaps(s->r.m))
    return;
  results->l2_sides_known = true;
  for (uint32_t sm = 0; sm < sms; sm++)
    results->l2_side[sm] = s->groups > 1 ? (uint8_t)s->group[sm] : 0;
}

static int report(struct gc_partition_groups *s, struct gc_measured *element)
{
  put_sides(s);
  if (s->absent)
    return put_absent(s, element, s->absent);
  gc_put_latency_by_sm(s, element);
  return s->r.m->bench.properties.l2_per_xcd ? put_l2s(s, element) : put_partitions(s, element);
}

uint64_t gc_needs_partitions(const struct gc_measurement *m, enum gc_kind kind)
{
  (void)kind;
  return gc_readers_needs(m, gc_partition_groups_readers(m));
}

int gc_step_partitions(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_partition_groups s;
  int status = gc_partition_groups_find(m, &s);

  log_readers(&s);
  if (!status || (status == -ENOTSUP && s.absent))
    status = report(&s, element);
  gc_partition_groups_free(&s);
  return status;
}
