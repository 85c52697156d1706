/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The device table for AMD GPUs, over HIP. Written by ROCm's headers and sources (5.2 to 7.x); no AMD GPU
 * has run it yet.
 *
 * What device.h promises of a launch, and why it holds here:
 * L1-class caches are empty when it starts: HIP's dispatch packets acquire at the scope of the agent or the
 * system (rocvirtual.cpp of ROCclr), and with that the command processor invalidates instruction cache,
 * scalar L1 and vector L1. L2 is as the one before left it: that acquire leaves the lines of the GPU's own
 * memory alone, and a release at its end writes them back without dropping them (LLVM's AMDGPU memory model).
 *
 * After some failures, an access outside of any allocation is one, ROCr ends the process by itself.
 */
#include "device/hip_device.h"

#include "device/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HIP(device) ((struct gc_hip_device *)(device))
#define POINTER(address) ((void *)(uintptr_t)(address))

/* Not hipDeviceAttributeMaxBlocksPerMultiProcessor, which is only a quotient of two others. */
static const struct gc_attribute attributes[] = {
  {hipDeviceAttributeMultiprocessorCount, GC_PROPERTY(sms)},
  {hipDeviceAttributePhysicalMultiProcessorCount, GC_PROPERTY(sms)},
  {hipDeviceAttributeWarpSize, GC_PROPERTY(warp)},
  {hipDeviceAttributeClockRate, GC_PROPERTY(clock_khz)},
  {hipDeviceAttributeMemoryClockRate, GC_PROPERTY(memory_clock_khz)},
  {hipDeviceAttributeMemoryBusWidth, GC_PROPERTY(memory_bus_bits)},
  {hipDeviceAttributeMaxThreadsPerBlock, GC_PROPERTY(threads_per_block)},
  {hipDeviceAttributeMaxThreadsPerMultiProcessor, GC_PROPERTY(threads_per_sm)},
  {hipDeviceAttributeMaxRegistersPerBlock, GC_PROPERTY(registers_per_block)},
  {hipDeviceAttributeMaxRegistersPerMultiprocessor, GC_PROPERTY(registers_per_sm)},
  {hipDeviceAttributeL2CacheSize, GC_PROPERTY(l2_bytes)},
  {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, GC_PROPERTY(shared_per_sm)},
  {hipDeviceAttributeMaxSharedMemoryPerBlock, GC_PROPERTY(shared_per_block)},
  {hipDeviceAttributeEccEnabled, GC_PROPERTY(ecc)},
};

int gc_hip_attribute(const struct gc_hip_device *hip, hipDeviceAttribute_t attribute, int *value,
                     struct gc_error *err)
{
  const hipError_t result = hip->driver.hipDeviceGetAttribute(value, attribute, hip->device);

  if (result == hipErrorInvalidValue || result == hipErrorNotSupported) {
    *value = 0;
    return 0;
  }
  return gc_hip_status(&hip->driver, result, err, "ask for attribute %u of %s", attribute, hip->name);
}

int gc_hip_properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  size_t total = 0;
  int status;

  memset(out, 0, sizeof(*out));
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
    int value = 0;

    status = gc_hip_attribute(hip, (hipDeviceAttribute_t)attributes[i].attribute, &value, err);
    if (status)
      return status;
    gc_put_attribute(out, &attributes[i], value);
  }
  status = HIP_CALL(hip, err, hipDeviceGetName(out->model, sizeof(out->model), hip->device),
                    "ask for the name of %s", hip->name);
  if (!status)
    status = HIP_CALL(hip, err, hipDeviceTotalMem(&total, hip->device), "ask for the memory of %s",
                      hip->name);
  if (!*out->model)
    memcpy(out->model, hip->model, sizeof(out->model));
  if (hip->cus)
    out->sms = hip->cus;
  if (hip->threads_per_cu)
    out->threads_per_sm = hip->threads_per_cu;
  out->memory_bytes = total;
  out->global_l1 = out->has_scalar = true;
  return status;
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
  status = HIP_CALL(hip, err, hipMalloc(&at, bytes), "allocate %llu bytes on %s", (unsigned long long)bytes,
                    hip->name);
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
  if (hip->driver.hipMemGetAddressRange(&base, &bytes, POINTER(address)) == hipSuccess)
    gc_count_release(&hip->counts, bytes);
  hip->driver.hipFree(POINTER(address));
}

static int upload(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                  struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipMemcpy(POINTER(address), from, bytes, hipMemcpyHostToDevice),
                  "copy %zu bytes to %s", bytes, hip->name);
}

/* An earlier launch that failed comes to light in the calls that wait for it. */
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

  return HIP_CALL(hip, err, hipMemset(POINTER(address), 0, bytes), "clear %zu bytes on %s", bytes, hip->name);
}

/* What AMD GPUs do not have, or not as an element of their memory hierarchy. */
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

static int launch_together(struct gc_device *device, const struct gc_launch *launches,
                           const uint32_t *copies, size_t n, struct gc_error *err)
{
  (void)launches, (void)copies, (void)n;
  return lacks(device, "kernels that run together", err);
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

static int carveout(struct gc_device *device, enum gc_kernel kernel, int percent, struct gc_error *err)
{
  (void)kernel;
  return gc_check_carveout(percent, err) ? -EINVAL : lacks(device, "shared-memory carve-out", err);
}

static int check_launch(const struct gc_hip_device *hip, const struct gc_launch *launch,
                        struct gc_error *err)
{
  if (!hip->functions[launch->kernel])
    return gc_fail(err, -ENOTSUP, "%s is an AMD GPU and has no path for kernel %s", hip->name,
                   gc_kernels[launch->kernel].name);
  return gc_check_args(launch, err);
}

/* Where there is a CU for each block, each block gets one: it asks for all of a CU's LDS. Left to itself the
 * dispatcher deals blocks out to shader engines in turn, and where these have unequal numbers of CUs some CU
 * gets two. LDS is storage of its own, so the caches that are measured stay as they are. */
static uint32_t lds_of(const struct gc_hip_device *hip, const struct gc_launch *launch)
{
  return launch->blocks <= hip->blocks_alone && launch->shared_bytes < hip->lds_bytes
           ? hip->lds_bytes
           : launch->shared_bytes;
}

static int resident(struct gc_device *device, const struct gc_launch *launch, uint32_t *blocks,
                    struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);
  int count = 0, status;

  status = check_launch(hip, launch, err);
  if (!status)
    status = HIP_CALL(hip, err,
                      hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                        &count, hip->functions[launch->kernel], (int)launch->threads, lds_of(hip, launch)),
                      "ask for the occupancy of kernel %s on %s", gc_kernels[launch->kernel].name, hip->name);
  *blocks = (uint32_t)count;
  return status;
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
                                            launch->threads, 1, 1, lds_of(hip, launch), NULL, NULL, extra),
                      "launch kernel %s with %u blocks of %u threads on %s", gc_kernels[launch->kernel].name,
                      launch->blocks, launch->threads, hip->name);
  if (status)
    return status;
  hip->launched = launch->kernel;
  hip->counts.launches++;
  return 0;
}

static int wait(struct gc_device *device, struct gc_error *err)
{
  struct gc_hip_device *hip = HIP(device);

  return HIP_CALL(hip, err, hipDeviceSynchronize(), "finish kernel %s on %s", gc_kernels[hip->launched].name,
                  hip->name);
}

static const struct gc_device_counts *counts(const struct gc_device *device)
{
  return &((const struct gc_hip_device *)device)->counts;
}

const struct gc_device_ops gc_device_hip = {
  .name = "HIP",
  .open = gc_hip_open,
  .close = gc_hip_close,
  .properties = gc_hip_properties,
  .memory = memory,
  .alloc = alloc,
  .release = release,
  .upload = upload,
  .download = download,
  .clear = clear,
  .upload_constant = upload_constant,
  .texture = texture,
  .wide_texture = texture,
  .release_texture = release_texture,
  .carveout = carveout,
  .resident = resident,
  .launch = launch,
  .upload_constant_copy = upload_constant_copy,
  .launch_together = launch_together,
  .wait = wait,
  .counts = counts,
};
