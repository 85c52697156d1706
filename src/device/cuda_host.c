/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory outside of an NVIDIA GPU. Pages of a NUMA node are registered with the driver, which pins
 * them, so that kernels and copy engines can use them. Memory of another GPU is allocated there.
 */
#include "device/cuda_host.h"

#include "device/cuda_concurrent.h"
#include "device/numa.h"

#include <errno.h>

#define CUDA(device) ((struct gc_cuda_device *)(device))

int gc_cuda_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                       uint32_t *count, struct gc_error *err)
{
  const struct gc_cuda_device *cuda = CUDA(device);

  *count = 0;
  if (!cuda->driver.cuMemHostRegister_v2)
    return gc_fail(err, -ENOTSUP, "the driver of %s cannot pin memory of a node", cuda->name);
  gc_numa_nodes("", cuda->bus_id, nodes, count);
  return 0;
}

int gc_cuda_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node,
                          uint64_t *address, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_host *outside = &cuda->outside;
  void *memory;
  int status;

  *address = 0;
  if (outside->address)
    return gc_fail(err, -EINVAL, "%s has memory elsewhere already", cuda->name);
  if ((status = gc_numa_map(bytes, node, &memory, err)))
    return status;
  status = CUDA_CALL(cuda, err, cuMemHostRegister_v2(memory, bytes, CU_MEMHOSTREGISTER_DEVICEMAP),
                     "pin %llu bytes of NUMA node %u for %s", (unsigned long long)bytes, node,
                     cuda->name);
  if (status) {
    gc_numa_unmap(memory, bytes);
    return status;
  }
  *outside = (struct gc_cuda_host){0, bytes, memory, NULL};
  status = CUDA_CALL(cuda, err, cuMemHostGetDevicePointer_v2(&outside->address, memory, 0),
                     "map memory of NUMA node %u on %s", node, cuda->name);
  if (status)
    gc_cuda_release_outside(cuda);
  else
    *address = outside->address;
  return status;
}

int gc_cuda_use(struct gc_device *device, struct gc_error *err)
{
  return CUDA_CALL(CUDA(device), err, cuCtxSetCurrent(CUDA(device)->context), "use %s",
                   CUDA(device)->name);
}

/* Lets kernels use memory of the other GPU, if that is possible. */
static int enable_access(struct gc_cuda_device *cuda, const struct gc_cuda_device *peer,
                         enum gc_peer_path *path, struct gc_error *err)
{
  int can = 0, atomics = 0, status;
  CUresult result;

  *path = GC_PEER_BY_HOST;
  status = CUDA_CALL(cuda, err, cuDeviceCanAccessPeer(&can, cuda->device, peer->device),
                     "ask whether %s can use memory of %s", cuda->name, peer->name);
  if (!status)
    status = CUDA_CALL(cuda, err,
                       cuDeviceGetP2PAttribute(&atomics,
                                               CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                                               cuda->device, peer->device),
                       "ask for the way from %s to %s", cuda->name, peer->name);
  if (status || !can)
    return status;
  result = cuda->driver.cuCtxEnablePeerAccess(peer->context, 0);
  if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    result = CUDA_SUCCESS;
  *path = atomics ? GC_PEER_BY_NVLINK : GC_PEER_BY_PCIE;
  return gc_cuda_status(&cuda->driver, result, err, "let %s use memory of %s", cuda->name,
                        peer->name);
}

int gc_cuda_alloc_on_peer(struct gc_device *device, struct gc_device *peer, uint64_t bytes,
                          uint64_t *address, enum gc_peer_path *path, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device), *other = CUDA(peer);
  struct gc_cuda_host *outside = &cuda->outside;
  struct gc_error unused;
  CUdeviceptr memory = 0;
  int status;

  *address = 0;
  *path = GC_PEER_BY_HOST;
  if (!cuda->driver.cuMemcpyPeerAsync)
    return gc_fail(err, -ENOTSUP, "the driver of %s knows no other GPUs", cuda->name);
  if (outside->address)
    return gc_fail(err, -EINVAL, "%s has memory elsewhere already", cuda->name);
  if ((status = enable_access(cuda, other, path, err)) || (status = gc_cuda_use(peer, err)))
    return status;
  status = CUDA_CALL(cuda, err, cuMemAlloc_v2(&memory, bytes), "allocate %llu bytes on %s",
                     (unsigned long long)bytes, other->name);
  if (!status)
    *outside = (struct gc_cuda_host){memory, bytes, NULL, other};
  if (gc_cuda_use(device, status ? &unused : err) && !status)
    status = -EIO;
  *address = memory;
  return status;
}

void gc_cuda_release_outside(struct gc_cuda_device *cuda)
{
  struct gc_cuda_host *outside = &cuda->outside;

  if (outside->peer) {
    cuda->driver.cuCtxSetCurrent(outside->peer->context);
    cuda->driver.cuMemFree_v2(outside->address);
    cuda->driver.cuCtxSetCurrent(cuda->context);
  } else if (outside->memory) {
    cuda->driver.cuMemHostUnregister(outside->memory);
    gc_numa_unmap(outside->memory, outside->bytes);
  }
  *outside = (struct gc_cuda_host){0};
}

/* Whether the memory elsewhere has this address. */
static bool is_outside(const struct gc_cuda_host *outside, uint64_t address)
{
  return address - outside->address < outside->bytes;
}

static CUresult queue_peer(struct gc_cuda_device *cuda, const struct gc_copy *copy, CUstream stream)
{
  const struct gc_cuda_host *outside = &cuda->outside;
  const CUcontext peer = outside->peer->context;
  const bool reads = is_outside(outside, copy->from);

  return cuda->driver.cuMemcpyPeerAsync(copy->to, reads ? cuda->context : peer, copy->from,
                                        reads ? peer : cuda->context, copy->bytes, stream);
}

static int queue(struct gc_cuda_device *cuda, const struct gc_copy *copy, CUstream stream,
                 struct gc_error *err)
{
  const struct gc_cuda_host *outside = &cuda->outside;
  CUresult result;

  if (outside->peer)
    result = queue_peer(cuda, copy, stream);
  else if (is_outside(outside, copy->from))
    result = cuda->driver.cuMemcpyHtoDAsync_v2(
        copy->to, outside->memory + (copy->from - outside->address), copy->bytes, stream);
  else
    result = cuda->driver.cuMemcpyDtoHAsync_v2(outside->memory + (copy->to - outside->address),
                                               copy->from, copy->bytes, stream);
  return gc_cuda_status(&cuda->driver, result, err, "copy to or from %s", cuda->name);
}

/* Events on the streams around the copies. All copies wait for `begin`. */
struct timing {
  CUevent begin, end[GC_COPIES_AT_ONCE];
};

static int time_copies(struct gc_cuda_device *cuda, const struct gc_copy *copies, uint32_t n,
                       struct timing *t, double *ns, struct gc_error *err)
{
  CUstream streams[GC_COPIES_AT_ONCE];
  int status = 0;

  for (uint32_t i = 0; i < n && !status; i++)
    status = gc_cuda_stream(cuda, i, &streams[i], err);
  if (!status)
    status = CUDA_CALL(cuda, err, cuEventCreate(&t->begin, 0), "time copies of %s", cuda->name);
  for (uint32_t i = 0; i < n && !status; i++)
    status = CUDA_CALL(cuda, err, cuEventCreate(&t->end[i], 0), "time copies of %s", cuda->name);
  if (!status)
    status =
        CUDA_CALL(cuda, err, cuEventRecord(t->begin, streams[0]), "time copies of %s", cuda->name);
  for (uint32_t i = 1; i < n && !status; i++)
    status = CUDA_CALL(cuda, err, cuStreamWaitEvent(streams[i], t->begin, 0), "time copies of %s",
                       cuda->name);
  for (uint32_t i = 0; i < n && !status; i++)
    if (!(status = queue(cuda, &copies[i], streams[i], err)))
      status = CUDA_CALL(cuda, err, cuEventRecord(t->end[i], streams[i]), "time copies of %s",
                         cuda->name);
  if (!status)
    status = CUDA_CALL(cuda, err, cuCtxSynchronize(), "finish copies of %s", cuda->name);
  for (uint32_t i = 0; i < n && !status; i++) {
    float ms = 0;

    status = CUDA_CALL(cuda, err, cuEventElapsedTime(&ms, t->begin, t->end[i]), "time copies of %s",
                       cuda->name);
    *ns = ms * 1e6 > *ns ? ms * 1e6 : *ns;
  }
  return status;
}

int gc_cuda_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                 struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct timing t = {0};
  int status;

  *ns = 0;
  status = time_copies(cuda, copies, n, &t, ns, err);
  if (t.begin)
    cuda->driver.cuEventDestroy_v2(t.begin);
  for (uint32_t i = 0; i < GC_COPIES_AT_ONCE; i++)
    if (t.end[i])
      cuda->driver.cuEventDestroy_v2(t.end[i]);
  return status;
}
