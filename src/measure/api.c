/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the vendor's interface says, taken as it is: source "api". What it says of shared memory is
 * told only where a block could use all that it may ask for.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include <hwloc/gpucache.h>

#include "measure/bench.h"

#include <errno.h>
#include <stdio.h>

static int put(struct gc_bench *bench, struct gc_element *element, const char *key,
               const char *property, uint64_t value)
{
  if (!value)
    return 0;
  if (gc_infos_set_u64(&element->infos, key, value) || gc_put_source(element, property, "api"))
    return gc_fail(bench->err, -ENOMEM, "out of memory");
  return 0;
}

#define SHARED_SLOT 4

/* A block writes a ring over all the shared memory that it can have, and follows it once around and
 * some: had two of its words the same place, or none, it would end elsewhere. why: empty when it did
 * as it should. */
static int try_shared(struct gc_bench *bench, char *why, size_t size)
{
  const struct gc_properties *p = &bench->properties;
  const uint32_t count = (uint32_t)(p->shared_per_block / SHARED_SLOT);
  const struct gpu_latency_args args = {
    .sink = bench->scratch, .results = bench->scratch + 8,
    .warm = (count / GPU_LATENCY_UNROLL + 1) * GPU_LATENCY_UNROLL, .n = GPU_LATENCY_UNROLL,
    .repeats = 1, .shared_count = count, .shared_stride = SHARED_SLOT};
  uint64_t last = GPU_NEVER;
  int status;

  *why = '\0';
  if (!count) {
    snprintf(why, size, "the interface does not tell what a block may use of it");
    return 0;
  }
  if ((status = bench->ops->upload(bench->device, args.sink, &last, sizeof(last), bench->err)))
    return status;
  status = gc_bench_launch(bench, GC_KERNEL_latency_shared, 1, p->warp, count * SHARED_SLOT, &args,
                           sizeof(args));
  if (status == -EIO || status == -EINVAL || status == -ENOTSUP) {
    snprintf(why, size, "no block could use %u bytes of it: %.150s", count * SHARED_SLOT,
             bench->err->text);
    return 0;
  }
  if (status ||
      (status = bench->ops->download(bench->device, &last, args.sink, sizeof(last), bench->err)))
    return status;
  if (last != (args.warm + 3ull * args.n) % count * SHARED_SLOT)
    snprintf(why, size, "what a block wrote into %u bytes of it was not there afterwards",
             count * SHARED_SLOT);
  return 0;
}

/* The capacity is that of an SM, as the interface states it. A block gets a little less, because the
 * driver keeps some of it back. PerSM is "api", too: it is by SM that the interface states it. */
static int put_shared(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  char why[200];
  int status = try_shared(bench, why, sizeof(why));

  if (!status && *why)
    status = gc_put_absent(element, HWLOC_GPUCACHE_CAPACITY, why)
               ? gc_fail(bench->err, -ENOMEM, "out of memory")
               : 0;
  else if (!status)
    status = put(bench, element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY,
                 p->shared_per_sm);
  if (!status && !(status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES,
                                HWLOC_GPUCACHE_NOMINAL, p->shared_per_sm)) &&
      !(status = put(bench, element, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM, 1)))
    status = put(bench, element, HWLOC_GPUCACHE_INSTANCES, HWLOC_GPUCACHE_INSTANCES, p->sms);
  return status;
}

int gc_step_api(struct gc_bench *bench, struct gc_element *element)
{
  const struct gc_properties *p = &bench->properties;
  int status = 0;

  switch (element->kind) {
  case GC_DEVICE_MEMORY:
    /* nothing smaller than all of it can be usable, so the interface is the measure */
    if (!(status = put(bench, element, HWLOC_GPUCACHE_CAPACITY_BYTES, HWLOC_GPUCACHE_CAPACITY,
                       p->memory_bytes)))
      status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL, p->memory_bytes);
    break;
  case GC_L2:
    status = put(bench, element, HWLOC_GPUCACHE_NOMINAL_BYTES, HWLOC_GPUCACHE_NOMINAL, p->l2_bytes);
    break;
  case GC_SHARED_MEMORY:
  case GC_LDS:
    status = put_shared(bench, element);
    break;
  default:
    break;
  }
  return status;
}

int gc_record_nominal(struct gc_bench *bench)
{
  int status = 0;

  for (size_t i = 0; i < bench->record->count && !status; i++) {
    struct gc_element *element = &bench->record->elements[i];

    if (!gc_infos_get(&element->infos, HWLOC_GPUCACHE_NOMINAL_BYTES))
      status = gc_put_absent(element, HWLOC_GPUCACHE_NOMINAL, "the vendor's interface does not tell it");
  }
  return status ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}

int gc_record_facts(struct gc_bench *bench)
{
  const struct gc_properties *p = &bench->properties;
  const struct {
    const char *name;
    uint64_t value;
  } facts[] = {
    {"SMs", p->sms},
    {"SMClockKHz", p->clock_khz},
    {"MemoryClockKHz", p->memory_clock_khz},
    {"MemoryBusBits", p->memory_bus_bits},
    {"WarpThreads", p->warp},
    {"ThreadsPerSM", p->threads_per_sm},
    {"ThreadsPerBlock", p->threads_per_block},
    {"BlocksPerSM", p->blocks_per_sm},
    {"RegistersPerSM", p->registers_per_sm},
    {"RegistersPerBlock", p->registers_per_block},
    {"SharedBytesPerBlock", p->shared_per_block},
    {"SharedReservedBytesPerBlock", p->shared_reserved},
  };
  struct gc_infos *infos = &bench->record->infos;
  int status = 0;

  for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && !status; i++)
    if (facts[i].value)
      status = gc_infos_set_u64(infos, facts[i].name, facts[i].value);
  if (!status && p->compute_major)
    status = gc_infos_setf(infos, "ComputeCapability", "%u.%u", p->compute_major, p->compute_minor);
  if (!status)
    status = gc_infos_set(infos, "ECC", p->ecc ? "on" : "off");
  if (!status)
    status = gc_infos_set(infos, "GlobalLoadsInL1", p->global_l1 ? "yes" : "no");
  if (!status && bench->mhz > 0)
    status = gc_infos_setf(infos, "MeasuredSMClockMHz", "%.0f", bench->mhz);
  return status ? gc_fail(bench->err, -ENOMEM, "out of memory") : 0;
}
