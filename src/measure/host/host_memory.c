/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes as the GPU reaches it. Pages of one node after the other are
 * pinned for that, and released at once. doc/methods.md, "Host memory".
 */
#include "measure/host/host.h"

#include "measure/core/step_memory.h"
#include "measure/host/outside.h"

#include <errno.h>
#include <stdio.h>

/* Pinned at a time. Twice or four times as much gives the same bandwidths within 1 % on an H100
 * behind PCIe 5.0, and pinning takes most of the time. */
#define BYTES GC_OUTSIDE_LEAST

#define VALUE(property, member) {GC_##property, offsetof(struct gc_measured, member)}
static const struct gc_outside_value values[GC_OUTSIDE_WHATS] = {
    [GC_OUTSIDE_READ] = VALUE(HOST_READ, host_read),
    [GC_OUTSIDE_WRITE] = VALUE(HOST_WRITE, host_write),
    [GC_OUTSIDE_COPY_TO] = VALUE(HOST_COPY_TO, host_copy_to),
    [GC_OUTSIDE_COPY_FROM] = VALUE(HOST_COPY_FROM, host_copy_from),
    [GC_OUTSIDE_COPY_BOTH] = VALUE(HOST_COPY_BOTH, host_copy_both),
    [GC_OUTSIDE_LATENCY] = VALUE(HOST_LATENCY, host_latency),
    [GC_OUTSIDE_ATOMIC] = VALUE(HOST_ATOMIC_LATENCY, host_atomic_latency),
};

/* A node without free memory, or whose memory the driver does not pin, has no values; others may
 * have. */
static int measure_node(struct gc_outside *o, struct gc_measured *element, uint32_t node)
{
  struct gc_bench *bench = &o->m->bench;
  int status = bench->ops->alloc_on_node(bench->device, BYTES, node, &o->address, bench->err);

  if (status == -ENOMEM || status == -ENOTSUP || status == -EINVAL) {
    gc_outside_none(o, bench->err->text);
    return 0;
  }
  snprintf(o->name, sizeof(o->name), "NUMA node %u", node);
  if (!status)
    status = gc_outside_measure(o, element, node, true);
  bench->ops->release(bench->device, o->address);
  return status;
}

/* The nearest nodes are the memory of an integrated GPU: what is known of DeviceMemory is true of
 * them, and no link lies between. */
static const char *drop_own_nodes(struct gc_host_node *nodes, uint32_t *count)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < *count; i++)
    if (nodes[i].distance > GC_HOST_NEAREST)
      nodes[n++] = nodes[i];
  *count = n;
  return n ? NULL : "the GPU is integrated: its DeviceMemory is the memory of the host";
}

/* Why there is nothing to measure; NULL: there is. */
static const char *find_nodes(struct gc_bench *bench, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                              uint32_t *count)
{
  *count = 0;
  if (bench->ops->host_nodes(bench->device, nodes, count, bench->err))
    return bench->err->text;
  if (!*count)
    return bench->properties.simulated ? "the profile of this simulated GPU has no host memory"
                                       : "this process may not allocate on any NUMA node";
  return bench->properties.integrated ? drop_own_nodes(nodes, count) : NULL;
}

int gc_step_host_memory(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  struct gc_outside *o = gc_step_alloc(bench, 1, sizeof(*o));
  struct gc_host_node nodes[GC_HOST_NODES_MAX];
  uint32_t count;
  const char *why = find_nodes(bench, nodes, &count);
  int status;

  _Static_assert(GC_HOST_NODES_MAX <= GC_NODES_MAX, "a result has a place for each node");
  if (why)
    return gc_no_value(bench, why);
  if (!o)
    return -ENOMEM;
  o->values = values;
  o->columns = "NUMA node\twhat\tvalue";
  o->bytes = o->copy_bytes = BYTES;
  o->copy_share = 4;
  if (!bench->properties.host_atomics)
    o->no_atomics = "the GPU has no native atomic operations on memory of the host";
  if ((status = gc_outside_begin(o, m)))
    return status;
  for (uint32_t i = 0; i < count && !status; i++)
    status = measure_node(o, element, nodes[i].number);
  gc_outside_end(o, element, status);
  return status;
}
