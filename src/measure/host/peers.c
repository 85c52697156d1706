/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of other GPUs as this GPU reaches it. doc/methods.md, "Other GPUs".
 */
#include "measure/host/host.h"

#include "measure/core/step_memory.h"
#include "measure/host/outside.h"
#include "measure/walk/sweep.h"

#include <errno.h>
#include <stdio.h>

/* Target time of a read; MOST limits its bytes. The link is not full in the first and the last
 * microsecond, which are then about 1 % of the read. */
#define LEAST_NS 2e5
#define MOST (64u << 20)
/* A copy has twice as many bytes as a read: it starts within a few microseconds, which vary by one.
 */
#define COPY_READS 2
#define REGION (COPY_READS * MOST) /* allocated on each GPU */
#define COPY_SHARE 8

#define VALUE(property, member) {GC_##property, offsetof(struct gc_measured, member)}
static const struct gc_outside_value values[GC_OUTSIDE_WHATS] = {
    [GC_OUTSIDE_READ] = VALUE(PEER_READ, peer_read),
    [GC_OUTSIDE_WRITE] = VALUE(PEER_WRITE, peer_write),
    [GC_OUTSIDE_COPY_TO] = VALUE(PEER_COPY, peer_copy),
    [GC_OUTSIDE_COPY_FROM] = {GC_PROPERTY_COUNT, 0}, /* the other GPU measures it */
    [GC_OUTSIDE_COPY_BOTH] = {GC_PROPERTY_COUNT, 0},
    [GC_OUTSIDE_LATENCY] = VALUE(PEER_LATENCY, peer_latency),
    [GC_OUTSIDE_ATOMIC] = {GC_PROPERTY_COUNT, 0},
};

/* How many bytes are enough: as many as kernels read in the time. If they cannot, the way is slow.
 * The first read of a link that was idle is slow, too, and does not count. */
static int choose_bytes(struct gc_outside *o, bool by_kernels)
{
  double ns = 0, bytes;
  int status = 0;

  for (int i = 0; i < 2 && by_kernels && !status; i++)
    status = gc_sweep(&o->m->bench, &(struct gc_sweeping){o->address, GC_OUTSIDE_LEAST, 0, 0}, &ns);
  bytes = ns > 0 ? GC_OUTSIDE_LEAST * LEAST_NS / ns : GC_OUTSIDE_LEAST;
  o->bytes = bytes > MOST               ? MOST
             : bytes < GC_OUTSIDE_LEAST ? GC_OUTSIDE_LEAST
                                        : (uint64_t)bytes / GC_SWEEP_UNIT * GC_SWEEP_UNIT;
  o->copy_bytes = COPY_READS * o->bytes;
  return status;
}

static int measure_peer(struct gc_outside *o, struct gc_measured *element, uint32_t peer)
{
  struct gc_bench *bench = &o->m->bench;
  struct gc_by_node *paths = &element->peer_path;
  enum gc_peer_path path;
  int status = bench->ops->alloc_on_peer(bench->device, o->m->peers[peer].device, REGION,
                                         &o->address, &path, bench->err);
  const bool by_kernels = path != GC_PEER_BY_HOST;

  if (status == -ENOMEM || status == -ENOTSUP) {
    gc_outside_none(o, bench->err->text);
    return 0;
  }
  snprintf(o->name, sizeof(o->name), "%s", o->m->peers[peer].id);
  if (!status && !by_kernels)
    gc_outside_none(o, "kernels cannot use memory of the other GPU");
  if (!status)
    status = choose_bytes(o, by_kernels);
  if (!status)
    status = gc_outside_measure(o, element, peer, by_kernels);
  paths->node[paths->count] = peer;
  paths->value[paths->count++] = path;
  bench->ops->release(bench->device, o->address);
  return status;
}

int gc_step_peers(struct gc_measurement *m, struct gc_measured *element)
{
  struct gc_bench *bench = &m->bench;
  struct gc_outside *o = gc_step_alloc(bench, 1, sizeof(*o));
  int status;

  _Static_assert(GC_PEERS_MAX <= GC_NODES_MAX, "a result has a place for each GPU");
  if (!bench->ops->alloc_on_peer)
    return gc_no_value(bench, "this program cannot measure other GPUs with the library of this "
                              "vendor");
  if (!o)
    return -ENOMEM;
  o->values = values;
  o->columns = "GPU\twhat\tvalue";
  o->copy_bytes = REGION;
  o->copy_share = COPY_SHARE;
  if ((status = gc_outside_begin(o, m)))
    return status;
  for (uint32_t i = 0; i < m->peer_count && !status; i++) {
    snprintf(m->results->peers[i], sizeof(m->results->peers[i]), "%s", m->peers[i].id);
    status = measure_peer(o, element, i);
  }
  gc_outside_end(o, element, status);
  if (!status && element->peer_path.count)
    gc_set_stated(element, GC_PEER_PATH);
  else if (!status)
    gc_set_absent(element, GC_PEER_PATH, o->why[GC_OUTSIDE_COPY_TO]);
  return status;
}
