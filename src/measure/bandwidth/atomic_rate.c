/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The rate of atomic operations on one word: all lanes of many warps add to it and get the old
 * value. In shared memory by one SM, in L2 by all SMs together. doc/methods.md, "Atomic
 * operations".
 */
#include "measure/bandwidth/bandwidth.h"
#include "measure/bandwidth/rate.h"
#include "measure/walk/path.h"

#define LAUNCH_NS 120000.0 /* as for the bandwidth of L2 (gpu_bandwidth.c) */
#define L2_WARPS 2         /* of an SM; half of them are as fast, or the value is absent */
#define SHARED_WARPS 32
#define SHARED_ITERATIONS 4
/* Each launch uses another word of L2: this many, in lines of their own, a prime number of them. */
#define WORDS 211
#define APART 128 /* bytes */

static uint32_t threads_of(const struct gc_properties *p, uint32_t warps)
{
  const uint32_t most = p->threads_per_block / p->warp;

  return (warps < most ? warps : most) * p->warp;
}

static int measure_shared(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;
  const struct gc_rate_limit limit = {0, "atomics per cycle", ""};
  struct gc_flow flow = {.kernel = GC_KERNEL_atomics_shared,
                         .blocks = p->sms,
                         .threads = threads_of(p, SHARED_WARPS),
                         .shared_bytes = APART,
                         .args = {.bytes = APART, .count = SHARED_ITERATIONS}};
  struct gc_rate rate;
  const int status = gc_rate_of_sms(&m->bench, &flow, &rate);

  return status ? status
                : gc_rate_put(m, element, GC_ATOMICS, &element->atomics_per_cycle, &rate, &limit);
}

static int measure_l2(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;
  const struct gc_rate_limit limit = {0, "atomics per cycle", ""};
  struct gc_flow flow = {
      .kernel = GC_KERNEL_atomics_cg,
      .blocks = p->sms,
      .threads = threads_of(p, L2_WARPS),
      .args = {.base = m->bench.arena, .bytes = WORDS * APART, .step = APART, .count = 1}};
  const double cycle_ns = m->bench.mhz > 0 ? 1e3 / m->bench.mhz : 0;
  struct gc_rate rate;
  int status;

  if (p->l2_count > 1)
    return gc_set_absent(element, GC_ATOMICS, gc_several_l2s_why);
  if (!(cycle_ns > 0))
    return gc_set_absent(element, GC_ATOMICS, "the SM clock is not known");
  if ((status = gc_rate_of_gpu(&m->bench, &flow, LAUNCH_NS, &rate)))
    return status;
  rate.value *= cycle_ns;
  rate.fewer *= cycle_ns;
  rate.least *= cycle_ns;
  rate.most *= cycle_ns;
  return gc_rate_put(m, element, GC_ATOMICS, &element->atomics_per_cycle, &rate, &limit);
}

int gc_step_atomics(struct gc_measurement *m, struct gc_measured *element)
{
  return element->kind == GC_L2 ? measure_l2(m, element) : measure_shared(m, element);
}
