/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of SMs, from pairs that share something. Until they are numbered, a group has the number
 * of its first SM.
 */
#include "measure/walk/groups.h"

#include "measure/core/placement.h"

#include <string.h>

void gc_groups_start(struct gc_groups *groups, uint32_t sms)
{
  groups->count = sms;
  for (uint32_t sm = 0; sm < sms; sm++)
    groups->of[sm] = (uint16_t)sm;
}

bool gc_groups_join(struct gc_groups *groups, uint32_t sms, uint32_t a, uint32_t b)
{
  const uint16_t x = groups->of[a], y = groups->of[b];

  if (x == y)
    return false;
  for (uint32_t sm = 0; sm < sms; sm++)
    if (groups->of[sm] == (x > y ? x : y))
      groups->of[sm] = x > y ? y : x;
  groups->count--;
  return true;
}

void gc_groups_number(struct gc_groups *groups, uint32_t sms)
{
  uint16_t number[GC_SMS_MAX];

  memset(number, 0xff, sizeof(number));
  groups->count = 0;
  for (uint32_t sm = 0; sm < sms; sm++) {
    uint16_t *of = &number[groups->of[sm]];

    if (*of == UINT16_MAX)
      *of = (uint16_t)groups->count++;
    groups->of[sm] = *of;
  }
}

bool gc_groups_divide(const struct gc_groups *fine, const struct gc_groups *coarse, uint32_t sms)
{
  uint16_t in[GC_SMS_MAX];
  bool known[GC_SMS_MAX] = {false};

  for (uint32_t sm = 0; sm < sms; sm++) {
    const uint16_t of = fine->of[sm];

    if (known[of] && in[of] != coarse->of[sm])
      return false;
    known[of] = true;
    in[of] = coarse->of[sm];
  }
  return true;
}

bool gc_groups_same(const struct gc_groups *a, const struct gc_groups *b, uint32_t sms)
{
  return a->count == b->count && !memcmp(a->of, b->of, sms * sizeof(*a->of));
}

const struct gc_groups *gc_groups_most_common(const struct gc_groups *results, uint32_t n,
                                              uint32_t sms, uint32_t *agree)
{
  const struct gc_groups *best = results;

  *agree = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t same = 0;

    for (uint32_t k = 0; k < n; k++)
      same += gc_groups_same(&results[i], &results[k], sms);
    if (same > *agree) {
      *agree = same;
      best = &results[i];
    }
  }
  return best;
}

int gc_groups_put(struct gc_measured *element, const struct gc_groups *groups, uint32_t sms,
                  enum gc_property property, double confidence, const char *shared)
{
  element->cu_groups = *groups;
  element->instances = groups->count;
  element->per_sm = groups->count == sms;
  if (element->per_sm)
    gc_set_measured(element, GC_PER_SM, confidence);
  else if (shared)
    gc_set_absent(element, GC_PER_SM, shared);
  gc_set_measured(element, GC_INSTANCES, confidence);
  return gc_set_measured(element, property, confidence);
}

int gc_launch_in_order(struct gc_measurement *m, const struct gc_in_order *launch, const char **why)
{
  struct gc_bench *bench = &m->bench;
  const uint32_t blocks = bench->properties.sms, *words = launch->results;
  int status;

  if ((status = bench->ops->clear(bench->device, launch->ticket, 8, bench->err)) ||
      (status = gc_bench_launch(bench, launch->kernel, blocks, launch->threads, 0, launch->args)) ||
      (status = bench->ops->download(bench->device, launch->results, launch->at,
                                     blocks * launch->bytes, bench->err)))
    return status;
  *why = gc_sms_met(words, launch->bytes, blocks) ? "two blocks of one launch ran on the same SM"
                                                  : NULL;
  for (uint32_t i = 0; i < blocks; i++)
    if (!words[i * launch->bytes / sizeof(*words) + 1])
      *why = "blocks waited too long for their ticket";
  return 0;
}
