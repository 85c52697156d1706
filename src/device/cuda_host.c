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

static void unpin(struct gc_device *device, void *memory)
{
  CUDA(device)->driver.cuMemHostUnregister(memory);
}

static int pin(struct gc_device *device, const struct gc_pinned *pinned, uint32_t node,
               uint64_t *address, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUdeviceptr at = 0;
  int status = CUDA_CALL(
      cuda, err, cuMemHostRegister_v2(pinned->memory, pinned->bytes, CU_MEMHOSTREGISTER_DEVICEMAP),
      "pin %llu bytes of NUMA node %u for %s", (unsigned long long)pinned->bytes, node, cuda->name);

  if (status)
    return status;
  status = CUDA_CALL(cuda, err, cuMemHostGetDevicePointer_v2(&at, pinned->memory, 0),
                     "map memory of NUMA node %u on %s", node, cuda->name);
  if (status)
    unpin(device, pinned->memory);
  *address = at;
  return status;
}

static int mark(struct gc_device *device, uint32_t event, uint32_t stream, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUstream in;
  int status = gc_cuda_stream(cuda, stream, &in, err);

  if (!status && !cuda->events[event])
    status = CUDA_CALL(cuda, err, cuEventCreate(&cuda->events[event], 0), "time copies of %s",
                       cuda->name);
  return status ? status
                : CUDA_CALL(cuda, err, cuEventRecord(cuda->events[event], in), "time copies of %s",
                            cuda->name);
}

static int follow(struct gc_device *device, uint32_t stream, uint32_t event, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUstream in;
  int status = gc_cuda_stream(cuda, stream, &in, err);

  return status ? status
                : CUDA_CALL(cuda, err, cuStreamWaitEvent(in, cuda->events[event], 0),
                            "time copies of %s", cuda->name);
}

static CUresult queue_peer(struct gc_cuda_device *cuda, const struct gc_copy *copy, CUstream in)
{
  const struct gc_cuda_peer *peer = &cuda->on_peer;
  const CUcontext other = peer->device->context;
  const bool reads = copy->from - peer->address < peer->bytes;

  return cuda->driver.cuMemcpyPeerAsync(copy->to, reads ? cuda->context : other, copy->from,
                                        reads ? other : cuda->context, copy->bytes, in);
}

static int queue(struct gc_device *device, const struct gc_copy *copy, uint32_t stream,
                 struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  void *from = gc_pinned_at(&cuda->on_node, copy->from),
       *to = gc_pinned_at(&cuda->on_node, copy->to);
  CUstream in;
  CUresult result;
  int status = gc_cuda_stream(cuda, stream, &in, err);

  if (status)
    return status;
  if (cuda->on_peer.device)
    result = queue_peer(cuda, copy, in);
  else
    result = from ? cuda->driver.cuMemcpyHtoDAsync_v2(copy->to, from, copy->bytes, in)
                  : cuda->driver.cuMemcpyDtoHAsync_v2(to, copy->from, copy->bytes, in);
  return gc_cuda_status(&cuda->driver, result, err, "copy to or from %s", cuda->name);
}

static int finish(struct gc_device *device, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);

  return CUDA_CALL(cuda, err, cuCtxSynchronize(), "finish copies of %s", cuda->name);
}

static int elapsed(struct gc_device *device, uint32_t from, uint32_t to, float *ms,
                   struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);

  return CUDA_CALL(cuda, err, cuEventElapsedTime(ms, cuda->events[from], cuda->events[to]),
                   "time copies of %s", cuda->name);
}

static const struct gc_pinned_calls calls = {pin, unpin, mark, follow, queue, finish, elapsed};

int gc_cuda_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node,
                          uint64_t *address, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  int status;

  *address = 0;
  if (cuda->on_node.memory || cuda->on_peer.device)
    return gc_fail(err, -EINVAL, "%s has memory elsewhere already", cuda->name);
  cuda->on_node.bytes = bytes;
  status = gc_pinned_alloc(device, &calls, &cuda->on_node, node, err);
  *address = cuda->on_node.address;
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
  struct gc_error unused;
  CUdeviceptr memory = 0;
  int status;

  *address = 0;
  *path = GC_PEER_BY_HOST;
  if (!cuda->driver.cuMemcpyPeerAsync)
    return gc_fail(err, -ENOTSUP, "the driver of %s knows no other GPUs", cuda->name);
  if (cuda->on_node.memory || cuda->on_peer.device)
    return gc_fail(err, -EINVAL, "%s has memory elsewhere already", cuda->name);
  if ((status = enable_access(cuda, other, path, err)) || (status = gc_cuda_use(peer, err)))
    return status;
  status = CUDA_CALL(cuda, err, cuMemAlloc_v2(&memory, bytes), "allocate %llu bytes on %s",
                     (unsigned long long)bytes, other->name);
  if (!status)
    cuda->on_peer = (struct gc_cuda_peer){other, memory, bytes};
  if (gc_cuda_use(device, status ? &unused : err) && !status)
    status = -EIO;
  *address = memory;
  return status;
}

void gc_cuda_release_outside(struct gc_cuda_device *cuda)
{
  struct gc_cuda_peer *peer = &cuda->on_peer;

  gc_pinned_release((struct gc_device *)cuda, &calls, &cuda->on_node);
  if (!peer->device)
    return;
  cuda->driver.cuCtxSetCurrent(peer->device->context);
  cuda->driver.cuMemFree_v2(peer->address);
  cuda->driver.cuCtxSetCurrent(cuda->context);
  /* a context can have access to eight others; an error: it had none */
  cuda->driver.cuCtxDisablePeerAccess(peer->device->context);
  *peer = (struct gc_cuda_peer){0};
}

void gc_cuda_host_fini(struct gc_cuda_device *cuda)
{
  gc_cuda_release_outside(cuda);
  for (uint32_t i = 0; i < GC_PINNED_EVENTS; i++)
    if (cuda->events[i])
      cuda->driver.cuEventDestroy_v2(cuda->events[i]);
}

int gc_cuda_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                 struct gc_error *err)
{
  return gc_pinned_copy(device, &calls, copies, n, ns, err);
}
