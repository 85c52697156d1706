/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host's NUMA nodes on AMD GPUs: pages of a node are registered with HIP, which pins
 * them. They are coherent ("fine-grained"), so no cache of the GPU keeps them. Copies of pinned
 * memory in streams go to the copy engines (SDMA), unless the user forbids that
 * (HSA_ENABLE_SDMA=0). It follows HIP's documentation, and has not yet run on an AMD GPU.
 */
#include "device/hip_host.h"

#include "device/numa.h"

#include <errno.h>

#define HIP(device) ((struct gc_hip_device *)(device))
#define POINTER(address) ((void *)(uintptr_t)(address))

int gc_hip_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                      uint32_t *count, struct gc_error *err)
{
  (void)err;
  gc_numa_nodes("", HIP(device)->bus_id, nodes, count);
  return 0;
}

static void unpin(struct gc_device *device, void *memory)
{
  HIP(device)->driver.hipHostUnregister(memory);
}

static int pin(struct gc_device *device, const struct gc_pinned *pinned, uint32_t node,
               uint64_t *address, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  void *at = NULL;
  int status = HIP_CALL(hip, err,
                        hipHostRegister(pinned->memory, pinned->bytes,
                                        hipHostRegisterPortable | hipHostRegisterMapped),
                        "pin %llu bytes of NUMA node %u for %s", (unsigned long long)pinned->bytes,
                        node, hip->name);

  if (status)
    return status;
  status = HIP_CALL(hip, err, hipHostGetDevicePointer(&at, pinned->memory, 0),
                    "map memory of NUMA node %u on %s", node, hip->name);
  if (status)
    unpin(device, pinned->memory);
  *address = (uintptr_t)at;
  return status;
}

static int find_stream(struct gc_hip_device *hip, uint32_t i, struct gc_error *err)
{
  return hip->streams[i]
             ? 0
             : HIP_CALL(hip, err, hipStreamCreateWithFlags(&hip->streams[i], hipStreamNonBlocking),
                        "make a stream on %s", hip->name);
}

static int mark(struct gc_device *device, uint32_t event, uint32_t stream, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  int status = find_stream(hip, stream, err);

  if (!status && !hip->events[event])
    status =
        HIP_CALL(hip, err, hipEventCreate(&hip->events[event]), "time copies of %s", hip->name);
  return status ? status
                : HIP_CALL(hip, err, hipEventRecord(hip->events[event], hip->streams[stream]),
                           "time copies of %s", hip->name);
}

static int follow(struct gc_device *device, uint32_t stream, uint32_t event, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  int status = find_stream(hip, stream, err);

  return status
             ? status
             : HIP_CALL(hip, err, hipStreamWaitEvent(hip->streams[stream], hip->events[event], 0),
                        "time copies of %s", hip->name);
}

static int queue(struct gc_device *device, const struct gc_copy *copy, uint32_t stream,
                 struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  void *from = gc_pinned_at(&hip->on_node, copy->from), *to = gc_pinned_at(&hip->on_node, copy->to);
  int status = find_stream(hip, stream, err);

  return status ? status
                : HIP_CALL(hip, err,
                           hipMemcpyAsync(to ? to : POINTER(copy->to),
                                          from ? from : POINTER(copy->from), copy->bytes,
                                          from ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost,
                                          hip->streams[stream]),
                           "copy between %s and the host", hip->name);
}

static int finish(struct gc_device *device, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipDeviceSynchronize(), "finish copies of %s", hip->name);
}

static int elapsed(struct gc_device *device, uint32_t from, uint32_t to, float *ms,
                   struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipEventElapsedTime(ms, hip->events[from], hip->events[to]),
                  "time copies of %s", hip->name);
}

static const struct gc_pinned_calls calls = {pin, unpin, mark, follow, queue, finish, elapsed};

int gc_hip_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node, uint64_t *address,
                         struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  int status;

  *address = 0;
  if (hip->on_node.memory)
    return gc_fail(err, -EINVAL, "%s has memory of a NUMA node already", hip->name);
  hip->on_node.bytes = bytes;
  status = gc_pinned_alloc(device, &calls, &hip->on_node, node, err);
  *address = hip->on_node.address;
  return status;
}

void gc_hip_release_on_node(struct gc_hip_device *hip)
{
  gc_pinned_release((struct gc_device *)hip, &calls, &hip->on_node);
}

void gc_hip_host_fini(struct gc_hip_device *hip)
{
  gc_hip_release_on_node(hip);
  for (uint32_t i = 0; i < GC_PINNED_EVENTS; i++)
    if (hip->events[i])
      hip->driver.hipEventDestroy(hip->events[i]);
  for (uint32_t i = 0; i < GC_COPIES_AT_ONCE; i++)
    if (hip->streams[i])
      hip->driver.hipStreamDestroy(hip->streams[i]);
}

int gc_hip_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                struct gc_error *err)
{
  return gc_pinned_copy(device, &calls, copies, n, ns, err);
}
