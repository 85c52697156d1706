/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes on NVIDIA GPUs: pages of a node are registered with the driver,
 * which pins them, so that kernels and copy engines can use them.
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
  struct gc_cuda_host *on_node = &cuda->on_node;
  void *memory;
  int status;

  *address = 0;
  if (on_node->address)
    return gc_fail(err, -EINVAL, "%s has memory of a NUMA node already", cuda->name);
  if ((status = gc_numa_map(bytes, node, &memory, err)))
    return status;
  status = CUDA_CALL(cuda, err, cuMemHostRegister_v2(memory, bytes, CU_MEMHOSTREGISTER_DEVICEMAP),
                     "pin %llu bytes of NUMA node %u for %s", (unsigned long long)bytes, node,
                     cuda->name);
  if (status) {
    gc_numa_unmap(memory, bytes);
    return status;
  }
  *on_node = (struct gc_cuda_host){0, bytes, memory};
  status = CUDA_CALL(cuda, err, cuMemHostGetDevicePointer_v2(&on_node->address, memory, 0),
                     "map memory of NUMA node %u on %s", node, cuda->name);
  if (status)
    gc_cuda_release_on_node(cuda);
  else
    *address = on_node->address;
  return status;
}

void gc_cuda_release_on_node(struct gc_cuda_device *cuda)
{
  struct gc_cuda_host *on_node = &cuda->on_node;

  if (!on_node->memory)
    return;
  cuda->driver.cuMemHostUnregister(on_node->memory);
  gc_numa_unmap(on_node->memory, on_node->bytes);
  *on_node = (struct gc_cuda_host){0};
}

static int queue(struct gc_cuda_device *cuda, const struct gc_copy *copy, CUstream stream,
                 struct gc_error *err)
{
  const struct gc_cuda_host *host = &cuda->on_node;
  const bool reads = copy->from - host->address < host->bytes;
  CUresult result;

  if (reads)
    result = cuda->driver.cuMemcpyHtoDAsync_v2(
        copy->to, host->memory + (copy->from - host->address), copy->bytes, stream);
  else
    result = cuda->driver.cuMemcpyDtoHAsync_v2(host->memory + (copy->to - host->address),
                                               copy->from, copy->bytes, stream);
  return gc_cuda_status(&cuda->driver, result, err, "copy between %s and the host", cuda->name);
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
