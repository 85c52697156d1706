/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes that the vendor's interface states, with the source "api", or that follow from the
 * architecture (Tensor Memory), with the source "table". The size of shared memory is
 * reported only if a block can use all of its share. doc/methods.md, "Capacity".
 */
#include "measure/capacity/capacity.h"

#include "record/cores.h"

#include <errno.h>
#include <stdio.h>

#define SHARED_SLOT 4 /* bytes */

/* Reports a value of the interface. 0 means that the interface does not state it: reports
 * nothing. */
static void state(struct gc_measured *element, enum gc_property property, uint64_t *field,
                  uint64_t value)
{
  if (!value)
    return;
  *field = value;
  gc_set_stated(element, property);
}

/* The same for values of which 0 is one. Returns the value. */
static uint64_t state_or_absent(struct gc_measured *element, enum gc_property property,
                                const struct gc_statement *statement)
{
  if (statement->made)
    gc_set_stated(element, property);
  else
    gc_set_absent(element, property, "the driver does not state it for this GPU");
  return statement->value;
}

/* A block writes a ring over all the shared memory that it can have, and follows it once around and
 * a little farther. If two words were in the same place, or a word did not exist, the block would
 * end at another slot. why: empty if it ends at the right one. */
static int try_shared(struct gc_bench *bench, char *why, size_t size)
{
  const struct gc_properties *p = &bench->properties;
  const uint32_t count = (uint32_t)(p->shared_per_block / SHARED_SLOT);
  const struct gpu_latency_args args = {.sink = bench->scratch,
                                        .results = bench->scratch + 8,
                                        .warm =
                                            (count / GPU_LATENCY_UNROLL + 1) * GPU_LATENCY_UNROLL,
                                        .n = GPU_LATENCY_UNROLL,
                                        .repeats = 1,
                                        .shared_count = count,
                                        .shared_stride = SHARED_SLOT};
  uint64_t last = GPU_NEVER;
  int status;

  *why = '\0';
  if (!count) {
    snprintf(why, size, "the interface does not state how much of it a block may use");
    return 0;
  }
  if ((status = bench->ops->upload(bench->device, args.sink, &last, sizeof(last), bench->err)))
    return status;
  status = gc_bench_launch(bench, GC_KERNEL_latency_shared, 1, p->warp, count * SHARED_SLOT, &args);
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

/* Reports the size for an SM, as the interface states it. A block can have a little less, because
 * the driver reserves some of it. The number per SM is one, because the interface states the size
 * per SM. */
static int put_shared(struct gc_bench *bench, struct gc_measured *element)
{
  const struct gc_properties *p = &bench->properties;
  char why[200];
  const int status = try_shared(bench, why, sizeof(why));

  if (status)
    return status;
  if (*why)
    gc_set_absent(element, GC_CAPACITY, why);
  else
    state(element, GC_CAPACITY, &element->capacity_bytes, p->shared_per_sm);
  state(element, GC_NOMINAL, &element->nominal_bytes, p->shared_per_sm);
  state(element, GC_PER_SM, &element->per_sm, 1);
  state(element, GC_INSTANCES, &element->instances, p->sms);
  return 0;
}

/* All of it is known from the architecture alone. */
static int put_tensor(struct gc_bench *bench, struct gc_measured *element)
{
  element->capacity_bytes = GC_TENSOR_BYTES;
  element->lanes = GC_TENSOR_LANES;
  element->columns = GC_TENSOR_COLUMNS;
  element->per_sm = 1;
  element->instances = bench->properties.sms;
  gc_set_tabulated(element, GC_CAPACITY);
  gc_set_tabulated(element, GC_PER_SM);
  gc_set_tabulated(element, GC_INSTANCES);
  return gc_set_absent(element, GC_LATENCY, "no ordinary load reaches it");
}

int gc_step_interface(struct gc_measurement *m, struct gc_measured *element)
{
  const struct gc_properties *p = &m->bench.properties;

  switch (element->kind) {
  case GC_DEVICE_MEMORY:
    /* measurements cannot fill all of it, so use the value of the interface */
    state(element, GC_CAPACITY, &element->capacity_bytes, p->memory_bytes);
    state(element, GC_NOMINAL, &element->nominal_bytes, p->memory_bytes);
    if (p->integrated) {
      element->shared_with = 1u << GC_KIND_COUNT;
      gc_set_stated(element, GC_SHARED_WITH);
    }
    return 0;
  case GC_L2:
    state(element, GC_NOMINAL, &element->nominal_bytes, p->l2_bytes);
    element->fetch_limit_bytes = state_or_absent(element, GC_FETCH_LIMIT, &p->l2_fetch_limit);
    element->persisting_max_bytes = state_or_absent(element, GC_PERSISTING_MAX, &p->l2_persisting);
    element->compression = state_or_absent(element, GC_COMPRESSION, &p->l2_compression);
    return 0;
  case GC_SHARED_MEMORY:
  case GC_LDS:
    return put_shared(&m->bench, element);
  case GC_TENSOR_MEMORY:
    return put_tensor(&m->bench, element);
  default:
    return 0;
  }
}
