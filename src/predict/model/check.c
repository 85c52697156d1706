/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/check.h"

#include "predict/model/coalesce.h"

#include <errno.h>
#include <stdint.h>

#define LINES_MAX (UINT32_C(1) << 27) /* of a cache */
#define LINE_BYTES_MAX 4096
#define SECTORS_MAX 32 /* bits of a mask */
#define PARTITIONS_MAX 64
#define CYCLES_MAX 1e6

static bool power_of_two(uint64_t value)
{
  return value && !(value & (value - 1));
}

static int check_curve(const struct gc_cache_geometry *cache, const char *name,
                       struct gc_error *err)
{
  double fills = 0, survives = 1;

  if (cache->survival_count == 0 || cache->survival_count > GC_SURVIVAL_POINTS)
    return gc_fail(err, -EINVAL, "%s: a survival curve has 1 to %d points, not %u", name,
                   GC_SURVIVAL_POINTS, cache->survival_count);
  for (uint32_t i = 0; i < cache->survival_count; i++) {
    if (!(cache->fills[i] > fills && cache->fills[i] < 1e12) ||
        !(cache->survives[i] <= survives && cache->survives[i] >= 0))
      return gc_fail(err, -EINVAL, "%s: point %u of the survival curve is not in order", name, i);
    fills = cache->fills[i];
    survives = cache->survives[i];
  }
  return 0;
}

static int check_cache(const struct gc_cache_geometry *cache, const char *name,
                       struct gc_error *err)
{
  if (!power_of_two(cache->line_bytes) || !power_of_two(cache->sector_bytes) ||
      cache->line_bytes < GC_LINE_BYTES_MIN || cache->line_bytes > LINE_BYTES_MAX ||
      cache->sector_bytes > cache->line_bytes ||
      cache->line_bytes / cache->sector_bytes > SECTORS_MAX)
    return gc_fail(err, -EINVAL, "%s: lines of %u bytes with sectors of %u bytes", name,
                   cache->line_bytes, cache->sector_bytes);
  if (!cache->sets || !cache->ways || (uint64_t)cache->sets * cache->ways > LINES_MAX)
    return gc_fail(err, -EINVAL, "%s: %u sets with %u ways", name, cache->sets, cache->ways);
  if (cache->limit && (cache->limit > cache->sets * cache->ways || cache->ways > GC_LINES_SCAN))
    return gc_fail(err, -EINVAL, "%s: %u lines in %u sets with %u ways", name, cache->limit,
                   cache->sets, cache->ways);
  if (cache->mask_count > GC_INDEX_BITS ||
      (cache->mask_count && cache->sets != UINT32_C(1) << cache->mask_count))
    return gc_fail(err, -EINVAL, "%s: %u sets, but a hash with %u bits", name, cache->sets,
                   cache->mask_count);
  if ((unsigned)cache->policy > GC_POLICY_SLRU)
    return gc_fail(err, -EINVAL, "%s: policy %d does not exist", name, (int)cache->policy);
  return cache->policy == GC_POLICY_SURVIVAL ? check_curve(cache, name, err) : 0;
}

static int check_tlb(const struct gc_gpu_model *gpu, unsigned i, struct gc_error *err)
{
  const struct gc_tlb_level *tlb = &gpu->tlb[i];

  if (!tlb->entries)
    return 0;
  if (tlb->entries > LINES_MAX || !power_of_two(tlb->entry_bytes))
    return gc_fail(err, -EINVAL, "TLB level %u: %u entries of %llu bytes", i + 1, tlb->entries,
                   (unsigned long long)tlb->entry_bytes);
  if (tlb->instances > gpu->sms)
    return gc_fail(err, -EINVAL, "TLB level %u: %u of them for %u SMs", i + 1, tlb->instances,
                   gpu->sms);
  for (unsigned sm = 0; tlb->instances && sm < gpu->sms; sm++)
    if (tlb->of_sm[sm] >= tlb->instances)
      return gc_fail(err, -EINVAL, "TLB level %u: SM %u has number %u of %u", i + 1, sm,
                     tlb->of_sm[sm], tlb->instances);
  return 0;
}

int gc_gpu_model_check(const struct gc_gpu_model *gpu, struct gc_error *err)
{
  const double cycles[] = {gpu->l1_cycles,          gpu->l2_near_cycles,    gpu->l2_far_cycles,
                           gpu->memory_cycles,      gpu->l2_spread,         gpu->memory_spread,
                           gpu->tlb[0].miss_cycles, gpu->tlb[1].miss_cycles};
  int status = check_cache(&gpu->l1, "L1", err);

  if (!status)
    status = check_cache(&gpu->l2, "L2", err);
  if (status)
    return status;
  if (gpu->sms < 1 || gpu->sms > GC_PREDICT_SMS_MAX)
    return gc_fail(err, -EINVAL, "%u SMs", gpu->sms);
  if (gpu->partitions < 1 || gpu->partitions > PARTITIONS_MAX)
    return gc_fail(err, -EINVAL, "L2: %u partitions", gpu->partitions);
  if (gpu->gpcs > gpu->sms)
    return gc_fail(err, -EINVAL, "%u GPCs with %u SMs", gpu->gpcs, gpu->sms);
  for (unsigned sm = 0; gpu->gpcs && sm < gpu->sms; sm++)
    if (gpu->gpc_of_sm[sm] >= gpu->gpcs ||
        (gpu->has_sides && gpu->near_of_gpc[gpu->gpc_of_sm[sm]] >= gpu->partitions))
      return gc_fail(err, -EINVAL, "SM %u has the GPC %u", sm, gpu->gpc_of_sm[sm]);
  if (gpu->warp_threads < 1 || gpu->warp_threads > GC_TRACE_LANES)
    return gc_fail(err, -EINVAL, "warps of %u threads", gpu->warp_threads);
  for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
    if (!(cycles[i] >= 0 && cycles[i] <= CYCLES_MAX))
      return gc_fail(err, -EINVAL, "a latency of %g cycles", cycles[i]);
  for (unsigned i = 0; i < GC_TLB_LEVELS && !status; i++)
    status = check_tlb(gpu, i, err);
  return status;
}
