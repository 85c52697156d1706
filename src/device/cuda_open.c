/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one NVIDIA GPU: the driver is shown this GPU alone, which makes cuInit faster and leaves
 * the other ones in peace; then context, module, kernels.
 */
#include "device/cuda_device.h"

#include "device/common.h"
#include "kernels/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_KERNEL(name, args) GC_KERNEL_##name,
static const enum gc_kernel kernels[] = {GPU_COMMON_KERNELS(CUDA_KERNEL)
                                           GPU_NVIDIA_KERNELS(CUDA_KERNEL)};
#undef CUDA_KERNEL

/* What every GPU gives a block without being asked for more. */
#define SHARED_BYTES_BY_DEFAULT (48 * 1024)

/* The driver reads these once, in cuInit. One hardware queue is enough: launches that run together are
 * queued in order and wait for nothing. On an H200 a context with one queue takes 42 ms to make and 10 to
 * give back; with the usual eight it is 87 and 45. */
static int show_only(const struct gc_gpu *gpu, struct gc_error *err)
{
  if (gc_check_visible("CUDA_VISIBLE_DEVICES", true, "NVIDIA GPU from CUDA", err))
    return -ENODEV;
  if (setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1) || setenv("CUDA_MODULE_LOADING", "EAGER", 0) ||
      setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1))
    return gc_fail(err, -ENOMEM, "out of memory");
  if (!strncmp(gpu->identity.id, "GPU-", 4) && setenv("CUDA_VISIBLE_DEVICES", gpu->identity.id, 1))
    return gc_fail(err, -ENOMEM, "out of memory");
  return 0;
}

static int initialize(struct gc_cuda_device *cuda, const struct gc_gpu *gpu, struct gc_error *err)
{
  const CUresult result = cuda->driver.cuInit(0);
  char number[32];

  if (result == CUDA_SUCCESS)
    return 0;
  if (result == CUDA_ERROR_NO_DEVICE && *gpu->identity.mig && strcmp(gpu->identity.mig, "disabled"))
    return gc_fail(err, -ENODEV,
                   "CUDA shows no device for %s, which is in MIG mode (%s): CUDA_ERROR_NO_DEVICE",
                   gpu->name, gpu->identity.mig);
  return gc_fail(err, -ENODEV, "cannot initialize CUDA for %s: %s", gpu->name,
                 gc_cuda_error_name(&cuda->driver, result, number));
}

/* Whether this is the GPU meant: by bus id, or by UUID where a container or virtual machine shows
 * another bus id to CUDA than to /proc. */
static int is_the_one(const struct gc_cuda_device *cuda, CUdevice device, const struct gc_gpu *gpu,
                      bool *is, struct gc_error *err)
{
  unsigned domain, bus, dev;
  char id[32], uuid[48] = "GPU-";
  CUuuid raw;
  size_t at = 4;
  int status;

  status = CUDA_CALL(cuda, err, cuDeviceGetPCIBusId(id, sizeof(id), device), "ask CUDA for the bus id of %s",
                     gpu->name);
  if (status)
    return status;
  *is = gpu->has_pci && sscanf(id, "%x:%x:%x", &domain, &bus, &dev) == 3 && domain == gpu->domain &&
        bus == gpu->bus && dev == gpu->dev;
  if (*is)
    return 0;
  status = CUDA_CALL(cuda, err, cuDeviceGetUuid_v2(&raw, device), "ask CUDA for the UUID of %s", gpu->name);
  if (status)
    return status;
  for (int i = 0; i < 16; i++)
    at += (size_t)snprintf(uuid + at, sizeof(uuid) - at, "%s%02x",
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                           (unsigned char)raw.bytes[i]);
  *is = !strcmp(uuid, gpu->identity.id);
  return 0;
}

static int find(struct gc_cuda_device *cuda, const struct gc_gpu *gpu, struct gc_error *err)
{
  int count = 0, status;
  bool found = false;

  status = CUDA_CALL(cuda, err, cuDeviceGetCount(&count), "count the CUDA devices");
  for (int i = 0; !status && !found && i < count; i++) {
    status = CUDA_CALL(cuda, err, cuDeviceGet(&cuda->device, i), "open CUDA device %d", i);
    if (!status)
      status = is_the_one(cuda, cuda->device, gpu, &found, err);
  }
  if (!status && !found)
    status = gc_fail(err, -ENODEV, "CUDA shows %d device%s, none of which is %s (%s)", count,
                     count == 1 ? "" : "s", gpu->name, gpu->identity.id);
  return status;
}

int gc_cuda_attribute(const struct gc_cuda_device *cuda, CUdevice_attribute attribute, int *value,
                      struct gc_error *err)
{
  const CUresult result = cuda->driver.cuDeviceGetAttribute(value, attribute, cuda->device);

  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED) {
    *value = 0;
    return 0;
  }
  return gc_cuda_status(&cuda->driver, result, err, "ask for attribute %u of %s", attribute,
                        cuda->name);
}

static int make_context(struct gc_cuda_device *cuda, struct gc_error *err)
{
  CUcontext context;
  int status;

  /* Spinning notices the end of a launch soonest; all launches are short. */
  status = CUDA_CALL(cuda, err, cuDevicePrimaryCtxSetFlags_v2(cuda->device, CU_CTX_SCHED_SPIN),
                     "choose how to wait for %s", cuda->name);
  if (!status)
    status = CUDA_CALL(cuda, err, cuDevicePrimaryCtxRetain(&context, cuda->device),
                       "create a CUDA context on %s", cuda->name);
  if (status)
    return status;
  cuda->context = context;
  return CUDA_CALL(cuda, err, cuCtxSetCurrent(context), "use the CUDA context of %s", cuda->name);
}

int gc_cuda_find_constant(const struct gc_cuda_device *cuda, CUmodule module, CUdeviceptr *constant,
                          struct gc_error *err)
{
  size_t bytes = 0;
  int status = CUDA_CALL(cuda, err, cuModuleGetGlobal_v2(constant, &bytes, module, "gpu_constant_bank"),
                         "find the constant bank on %s", cuda->name);

  if (!status && bytes != GPU_CONSTANT_BYTES)
    status = gc_fail(err, -EIO, "the constant bank on %s has %zu bytes, not %d", cuda->name, bytes,
                     GPU_CONSTANT_BYTES);
  return status;
}

static int load_kernels(struct gc_cuda_device *cuda, struct gc_error *err)
{
  CUmodule module;
  int status;

  status = CUDA_CALL(cuda, err, cuModuleLoadData(&module, gc_cuda_image), "load the kernels into %s",
                     cuda->name);
  if (status)
    return status;
  cuda->module = module;
  for (size_t i = 0; !status && i < sizeof(kernels) / sizeof(*kernels); i++) {
    const enum gc_kernel k = kernels[i];

    cuda->shared_allowed[k] = SHARED_BYTES_BY_DEFAULT;
    status = CUDA_CALL(cuda, err, cuModuleGetFunction(&cuda->functions[k], module, gc_kernels[k].entry),
                       "find kernel %s on %s", gc_kernels[k].entry, cuda->name);
  }
  return status ? status : gc_cuda_find_constant(cuda, module, &cuda->constant, err);
}

int gc_cuda_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  struct gc_cuda_device *cuda;
  int status, major = 0;

  *device = NULL;
  status = show_only(gpu, err);
  if (status)
    return status;
  cuda = calloc(1, sizeof(*cuda));
  if (!cuda)
    return gc_fail(err, -ENOMEM, "out of memory");
  cuda->ops = &gc_device_cuda;
  snprintf(cuda->name, sizeof(cuda->name), "%s", gpu->name);
  status = gc_cuda_driver_load(&cuda->driver, err);
  if (!status)
    status = initialize(cuda, gpu, err);
  if (!status)
    status = find(cuda, gpu, err);
  if (!status)
    status = gc_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, err);
  if (!status)
    status = make_context(cuda, err);
  if (!status)
    status = load_kernels(cuda, err);
  if (status) {
    gc_cuda_close((struct gc_device *)cuda);
    return status;
  }
  cuda->compute_major = (uint32_t)major;
  *device = (struct gc_device *)cuda;
  return 0;
}

void gc_cuda_close(struct gc_device *device)
{
  struct gc_cuda_device *cuda = (struct gc_cuda_device *)device;

  if (!cuda)
    return;
  gc_cuda_together_fini(cuda);
  if (cuda->module)
    cuda->driver.cuModuleUnload(cuda->module);
  if (cuda->context)
    cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->device);
  gc_cuda_driver_unload(&cuda->driver);
  free(cuda);
}
