/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The device table for AMD GPUs, over HIP. It follows ROCm's headers and sources (5.2 to 7.x). It
 * has not yet run on an AMD GPU.
 *
 * device.h states which caches a launch finds empty. On AMD GPUs this holds for these reasons.
 * HIP's dispatch packets acquire at agent or system scope (rocvirtual.cpp of ROCclr). For that the
 * command processor invalidates the instruction cache, the scalar L1 and the vector L1, so these
 * are empty when a launch starts. L2 is as the launch before left it: the acquire keeps lines of
 * the GPU's own memory, and the release at the end of a launch writes them back without dropping
 * them (LLVM's AMDGPU memory model).
 *
 * After some failures, such as an access outside of any allocation, ROCr ends the process itself.
 */
#include "device/hip.h"

#include "device/common.h"
#include "device/hip_host.h"
#include "device/hip_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HIP(device) ((struct gc_hip_device *)(device))
#define POINTER(address) ((void *)(uintptr_t)(address))

static int open_gpu(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  struct gc_hip_device *hip;
  const int status = gc_hip_open(gpu, &hip, err);

  if (hip)
    hip->ops = &gc_device_hip;
  *device = (struct gc_device *)hip;
  return status;
}

static void close_gpu(struct gc_device *device)
{
  gc_hip_close(HIP(device));
}

static int properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err)
{
  return gc_hip_properties(HIP(device), out, err);
}

static int memory(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                  struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  size_t unused = 0, total = 0;
  const hipError_t result = hip->driver.hipMemGetInfo(&unused, &total);

  *free_bytes = unused;
  *total_bytes = total;
  return gc_hip_status(&hip->driver, result, err, "ask for the free memory of %s", hip->name);
}

static int alloc(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  void *at = NULL;
  int status;

  *address = 0;
  status = HIP_CALL(hip, err, hipMalloc(&at, bytes), "allocate %llu bytes on %s",
                    (unsigned long long)bytes, hip->name);
  if (status)
    return status;
  *address = (uintptr_t)at;
  gc_count_alloc(&hip->counts, bytes);
  return 0;
}

static void release(struct gc_device *device, uint64_t address)
{
  struct gc_hip_device *hip = HIP(device);
  hipDeviceptr_t base;
  size_t bytes;

  if (!address)
    return;
  if (address == hip->on_node.address) {
    gc_hip_release_on_node(hip);
    return;
  }
  if (hip->driver.hipMemGetAddressRange(&base, &bytes, POINTER(address)) == hipSuccess)
    gc_count_release(&hip->counts, bytes);
  hip->driver.hipFree(POINTER(address));
}

/* hipMemMap exists, but whether one piece of memory may be mapped more than once was never tried on
 * an AMD GPU. */
static int alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                 struct gc_error *err)
{
  (void)bytes;
  (void)span;
  *address = 0;
  return gc_fail(err, -ENOTSUP, "aliases of memory were never tried on AMD GPUs such as %s",
                 HIP(device)->name);
}

static int alias_until(struct gc_device *device, uint64_t end, struct gc_error *err)
{
  (void)end;
  return gc_fail(err, -EINVAL, "%s has no aliases", HIP(device)->name);
}

static void release_alias(struct gc_device *device)
{
  (void)device;
}

static int upload(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                  struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipMemcpy(POINTER(address), from, bytes, hipMemcpyHostToDevice),
                  "copy %zu bytes to %s", bytes, hip->name);
}

/* Calls that wait for an earlier launch report its failure. */
static int download(struct gc_device *device, void *to, uint64_t address, size_t bytes,
                    struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipMemcpy(to, POINTER(address), bytes, hipMemcpyDeviceToHost),
                  "copy %zu bytes from %s", bytes, hip->name);
}

static int clear(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipMemset(POINTER(address), 0, bytes), "clear %zu bytes on %s", bytes,
                  hip->name);
}

/* For features that AMD GPUs do not have, or not as an element of their memory hierarchy. */
static int lacks(struct gc_device *device, const char *what, struct gc_error *err)
{
  return gc_fail(err, -ENOTSUP, "%s is an AMD GPU and has no %s", HIP(device)->name, what);
}

static int upload_constant(struct gc_device *device, size_t offset, const void *from, size_t bytes,
                           struct gc_error *err)
{
  (void)offset, (void)from, (void)bytes;
  return lacks(device, "constant memory of its own", err);
}

static int upload_constant_copy(struct gc_device *device, uint32_t copy, const void *from,
                                struct gc_error *err)
{
  (void)copy, (void)from;
  return lacks(device, "constant memory of its own", err);
}

static int launch_concurrent(struct gc_device *device, const struct gc_launch *launches,
                           const uint32_t *copies, size_t n, struct gc_error *err)
{
  (void)launches, (void)copies, (void)n;
  return lacks(device, "concurrent kernels", err);
}

static int texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *out,
                   struct gc_error *err)
{
  (void)address, (void)bytes;
  *out = 0;
  return lacks(device, "texture cache besides the vector L1", err);
}

static void release_texture(struct gc_device *device, uint64_t object)
{
  (void)device, (void)object;
}

static int carveout(struct gc_device *device, enum gc_kernel kernel, int percent,
                    struct gc_error *err)
{
  (void)kernel;
  return gc_check_carveout(percent, err) ? -EINVAL : lacks(device, "shared-memory carve-out", err);
}

static int check_launch(const struct gc_hip_device *hip, const struct gc_launch *launch,
                        struct gc_error *err)
{
  if (launch->cluster)
    return gc_fail(err, -ENOTSUP, "%s has no clusters", hip->name);
  if (!hip->functions[launch->kernel])
    return gc_fail(err, -ENOTSUP, "%s is an AMD GPU and has no path for kernel %s", hip->name,
                   gc_kernels[launch->kernel].name);
  return gc_check_args(launch, err);
}

/* The LDS that a block asks for. If there is a CU for each block, a block asks for all LDS of a CU
 * and so has the CU for itself. Otherwise the dispatcher would distribute blocks alternately over
 * shader engines. If these have unequal numbers of CUs, some CU would get two blocks. LDS is
 * separate storage, so this does not change the caches that are measured. */
static uint32_t lds_of(const struct gc_hip_device *hip, const struct gc_launch *launch)
{
  return launch->blocks <= hip->blocks_alone && launch->shared_bytes < hip->lds_bytes
           ? hip->lds_bytes
           : launch->shared_bytes;
}

static int launch(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  size_t bytes = launch->args_bytes;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, (void *)launch->args,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE,    &bytes,
                   HIP_LAUNCH_PARAM_END};
  int status = check_launch(hip, launch, err);

  if (!status)
    status = HIP_CALL(hip, err,
                      hipModuleLaunchKernel(hip->functions[launch->kernel], launch->blocks, 1, 1,
                                            launch->threads, 1, 1, lds_of(hip, launch), NULL, NULL,
                                            extra),
                      "launch kernel %s with %u blocks of %u threads on %s",
                      gc_kernels[launch->kernel].name, launch->blocks, launch->threads, hip->name);
  if (status)
    return status;
  hip->launched = launch->kernel;
  hip->counts.launches++;
  return 0;
}

static int wait(struct gc_device *device, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipDeviceSynchronize(), "finish kernel %s on %s",
                  gc_kernels[hip->launched].name, hip->name);
}

static const struct gc_device_counts *counts(const struct gc_device *device)
{
  return &((const struct gc_hip_device *)device)->counts;
}

const struct gc_device_ops gc_device_hip = {
    .name = "HIP",
    .open = open_gpu,
    .close = close_gpu,
    .properties = properties,
    .memory = memory,
    .alloc = alloc,
    .release = release,
    .host_nodes = gc_hip_host_nodes,
    .alloc_on_node = gc_hip_alloc_on_node,
    .copy = gc_hip_copy,
    .alias = alias,
    .alias_until = alias_until,
    .release_alias = release_alias,
    .upload = upload,
    .download = download,
    .clear = clear,
    .upload_constant = upload_constant,
    .texture = texture,
    .wide_texture = texture,
    .release_texture = release_texture,
    .carveout = carveout,
    .launch = launch,
    .upload_constant_copy = upload_constant_copy,
    .launch_concurrent = launch_concurrent,
    .wait = wait,
    .counts = counts,
};
