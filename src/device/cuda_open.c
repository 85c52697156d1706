/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an NVIDIA GPU or MIG instance: makes the driver see this GPU only, where that is allowed,
 * then creates the context and loads the module and the kernels. With one visible GPU cuInit is
 * faster and does not disturb the other GPUs. Without a context a process runs nothing on a GPU, so
 * a GPU that turns out to be hidden is not disturbed.
 */
#include "device/cuda_open.h"

#include "device/common.h"
#include "device/cuda_alias.h"
#include "device/cuda_concurrent.h"
#include "device/cuda_host.h"
#include "device/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CUDA_KERNEL(name, ...) GC_KERNEL_##name,
static const enum gc_kernel kernels[] = {GPU_COMMON_KERNELS(CUDA_KERNEL)
                                             GPU_NVIDIA_KERNELS(CUDA_KERNEL)};
#undef CUDA_KERNEL

#define LIST "CUDA_VISIBLE_DEVICES"
#define UUID_BYTES 40

/* The shared memory that a block can have on every GPU without an opt-in. */
#define SHARED_BYTES_BY_DEFAULT (48 * 1024)

/* If this directory has no MPS server, the driver opens the GPU itself. No server can have its
 * pipes there, nobody else can write there, and nothing has to be removed. */
#define NO_MPS_SERVER "/proc/self/fdinfo"

/* An MPS server runs the kernels of its clients at the same time: another client could take part of
 * each SM from a measurement without being noticed. Past the server, programs share the GPU in time
 * slices, and the interference check notices them. */
static int bypass_mps(struct gc_error *err)
{
  return setenv("CUDA_MPS_PIPE_DIRECTORY", NO_MPS_SERVER, 1)
             ? gc_fail(err, -ENOMEM, "out of memory")
             : 0;
}

/* The driver reads these variables once, in cuInit. One hardware queue is enough: concurrent
 * launches are queued in order and have no dependencies. On an H200 a context with one queue takes
 * 42 ms to create and 10 ms to release; with the usual eight queues it takes 87 ms and 45 ms.
 * *list: the caller's list of GPUs if it stays, because only the driver knows what it shows; then
 * the order of GPUs stays, too, because it is part of the list. Else NULL. */
static int show_only(const struct gc_gpu *gpu, const char **list, struct gc_error *err)
{
  const char *only = gpu->instance ? gpu->shown_as : gpu->identity.id;

  *list = gpu->visibility == GC_VISIBLE ? NULL : getenv(LIST);
  if (gc_check_visible(LIST, true, "NVIDIA GPU from CUDA", err))
    return -ENODEV;
  if (setenv("CUDA_MODULE_LOADING", "EAGER", 0) || setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1))
    return gc_fail(err, -ENOMEM, "out of memory");
  if (*list)
    return 0;
  if (setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1) ||
      ((!strncmp(only, "GPU-", 4) || !strncmp(only, "MIG-", 4)) && setenv(LIST, only, 1)))
    return gc_fail(err, -ENOMEM, "out of memory");
  return 0;
}

int gc_cuda_show(const struct gc_gpu *const *gpus, size_t n, struct gc_error *err)
{
  char *list = NULL;
  size_t length;
  FILE *out;
  int status;

  for (size_t i = 0; i < n; i++)
    if (gpus[i]->visibility != GC_VISIBLE || strncmp(gpus[i]->identity.id, "GPU-", 4))
      return 0;
  if (!(out = open_memstream(&list, &length)))
    return gc_fail(err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < n; i++)
    fprintf(out, "%s%s", i ? "," : "", gpus[i]->identity.id);
  status = fclose(out) || setenv(LIST, list, 1) ? gc_fail(err, -ENOMEM, "out of memory") : 0;
  free(list);
  return status;
}

static int initialize(struct gc_cuda_device *cuda, const struct gc_gpu *gpu, const char *list,
                      struct gc_error *err)
{
  const CUresult result = cuda->driver.cuInit(0);
  char number[32];

  if (result == CUDA_SUCCESS)
    return 0;
  if (result == CUDA_ERROR_NO_DEVICE && list)
    return gc_fail(err, -ENODEV,
                   LIST " is '%.80s', with which CUDA shows no GPU, and so not %s: "
                        "CUDA_ERROR_NO_DEVICE",
                   list, gpu->name);
  if (result == CUDA_ERROR_NO_DEVICE)
    return gc_fail(err, -ENODEV,
                   "CUDA shows no device for %s (MIG: %s): CUDA_ERROR_NO_DEVICE; in MIG mode it "
                   "needs an instance that this process may use (nvidia-smi -L lists them)",
                   gpu->name, *gpu->identity.mig ? gpu->identity.mig : "unknown");
  return gc_fail(err, -ENODEV, "cannot initialize CUDA for %s: %s", gpu->name,
                 gc_cuda_error_name(&cuda->driver, result, number));
}

/* The UUID as in /proc and nvidia-smi, without "GPU-" or "MIG-". If the GPU is in MIG mode, CUDA
 * returns the UUID of the instance. */
static int read_uuid(const struct gc_cuda_device *cuda, CUdevice device, const struct gc_gpu *gpu,
                     char uuid[UUID_BYTES], struct gc_error *err)
{
  size_t at = 0;
  CUuuid raw;
  int status = CUDA_CALL(cuda, err, cuDeviceGetUuid_v2(&raw, device), "ask CUDA for the UUID of %s",
                         gpu->name);

  for (int i = 0; !status && i < 16; i++)
    at += (size_t)snprintf(uuid + at, UUID_BYTES - at, "%s%02x",
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                           (unsigned char)raw.bytes[i]);
  return status;
}

/* The relation of a CUDA device to the wanted GPU. */
enum match { OTHER, SAME, INSTANCE_OF_IT };

/* A GPU without a known UUID (gpus/nvidia_other.h) is the one at its bus id, or the integrated one.
 */
static int compare_place(const struct gc_cuda_device *cuda, CUdevice device,
                         const struct gc_gpu *gpu, bool here, enum match *match,
                         struct gc_error *err)
{
  int integrated = 0, status = 0;

  if (!gpu->has_pci)
    status = CUDA_CALL(cuda, err,
                       cuDeviceGetAttribute(&integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, device),
                       "ask CUDA whether %s is integrated", gpu->name);
  *match = here || integrated ? SAME : OTHER;
  return status;
}

/* Compares by UUID. In containers and virtual machines CUDA may show another bus id than /proc. In
 * MIG mode an instance has the bus id of its GPU. */
static int compare(const struct gc_cuda_device *cuda, CUdevice device, const struct gc_gpu *gpu,
                   enum match *match, struct gc_error *err)
{
  const char *id = gpu->identity.id, *of = id + strlen("MIG-GPU-");
  char bus_id[32], uuid[UUID_BYTES];
  unsigned domain, bus, dev;
  bool here;
  int status;

  status = CUDA_CALL(cuda, err, cuDeviceGetPCIBusId(bus_id, sizeof(bus_id), device),
                     "ask CUDA for the bus id of %s", gpu->name);
  if (!status)
    status = read_uuid(cuda, device, gpu, uuid, err);
  if (status)
    return status;
  here = gpu->has_pci && sscanf(bus_id, "%x:%x:%x", &domain, &bus, &dev) == 3 &&
         domain == gpu->domain && bus == gpu->bus && dev == gpu->dev;
  if (!gpu->instance && strncmp(id, "GPU-", strlen("GPU-")))
    return compare_place(cuda, device, gpu, here, match, err);
  if (gpu->instance && !strncmp(id, "MIG-GPU-", strlen("MIG-GPU-")))
    /* /proc does not show its UUID. This process may use no other instance of the GPU. */
    *match = here && strncasecmp(of, uuid, strlen(uuid)) ? SAME : OTHER;
  else if (!strcasecmp(id + strlen("GPU-"), uuid))
    *match = SAME;
  else
    *match = here && !gpu->instance ? INSTANCE_OF_IT : OTHER;
  return 0;
}

/* Why none of CUDA's devices is the wanted one. */
static int explain(const struct gc_gpu *gpu, const char *list, int count, bool instance,
                   struct gc_error *err)
{
  if (instance)
    return gc_fail(err, -ENODEV,
                   "CUDA shows an instance of %s (%s) in place of the whole GPU, which is in MIG "
                   "mode; set " LIST " to the UUID of the instance (nvidia-smi -L lists them)",
                   gpu->name, gpu->identity.id);
  if (list)
    return gc_fail(err, -ENODEV,
                   LIST " is '%.80s', which hides %s (%s): CUDA shows %d device%s, and not this "
                        "one; measure it in a job that may use it",
                   list, gpu->name, gpu->identity.id, count, count == 1 ? "" : "s");
  return gc_fail(err, -ENODEV, "CUDA shows %d device%s, none of which is %s (%s)", count,
                 count == 1 ? "" : "s", gpu->name, gpu->identity.id);
}

static int find(struct gc_cuda_device *cuda, const struct gc_gpu *gpu, const char *list,
                struct gc_error *err)
{
  enum match match = OTHER;
  bool instance = false;
  int count = 0, status;

  status = CUDA_CALL(cuda, err, cuDeviceGetCount(&count), "count the CUDA devices");
  for (int i = 0; !status && match != SAME && i < count; i++) {
    status = CUDA_CALL(cuda, err, cuDeviceGet(&cuda->device, i), "open CUDA device %d", i);
    if (!status)
      status = compare(cuda, cuda->device, gpu, &match, err);
    instance |= match == INSTANCE_OF_IT;
  }
  if (!status && match != SAME)
    status = explain(gpu, list, count, instance, err);
  return status;
}

/* Why there is no context: the compute mode of the GPU may admit one process only, such as an MPS
 * server, or none. Otherwise *err stays as it is. */
static void explain_compute_mode(struct gc_cuda_device *cuda, struct gc_error *err)
{
  struct gc_error unused;
  int mode = 0;

  if (gc_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, &mode, &unused))
    return;
  if (mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
    gc_fail(err, 0,
            "the compute mode of %s (exclusive process) admits one program at a time, and another "
            "program or an MPS server uses it; stop that, or set the compute mode to default",
            cuda->name);
  else if (mode == CU_COMPUTEMODE_PROHIBITED)
    gc_fail(err, 0,
            "the compute mode of %s (prohibited) admits no program; set the compute mode to "
            "default",
            cuda->name);
}

static int make_context(struct gc_cuda_device *cuda, struct gc_error *err)
{
  CUcontext context;
  int status;

  /* Spinning detects the end of a launch soonest, and all launches are short. */
  status = CUDA_CALL(cuda, err, cuDevicePrimaryCtxSetFlags_v2(cuda->device, CU_CTX_SCHED_SPIN),
                     "choose how to wait for %s", cuda->name);
  if (!status)
    status = CUDA_CALL(cuda, err, cuDevicePrimaryCtxRetain(&context, cuda->device),
                       "create a CUDA context on %s", cuda->name);
  if (status == -EBUSY)
    explain_compute_mode(cuda, err);
  if (status)
    return status;
  cuda->context = context;
  return CUDA_CALL(cuda, err, cuCtxSetCurrent(context), "use the CUDA context of %s", cuda->name);
}

static int load_kernels(struct gc_cuda_device *cuda, struct gc_error *err)
{
  CUmodule module;
  int status;

  status = CUDA_CALL(cuda, err, cuModuleLoadData(&module, gc_cuda_image),
                     "load the kernels into %s", cuda->name);
  if (status)
    return status;
  cuda->module = module;
  for (size_t i = 0; !status && i < sizeof(kernels) / sizeof(*kernels); i++) {
    const enum gc_kernel k = kernels[i];

    cuda->shared_allowed[k] = SHARED_BYTES_BY_DEFAULT;
    status = gc_cuda_find_kernel(cuda, module, k, &cuda->functions[k], err);
  }
  return status ? status : gc_cuda_find_constant(cuda, module, &cuda->constant, err);
}

int gc_cuda_open(const struct gc_gpu *gpu, struct gc_cuda_device **device, struct gc_error *err)
{
  struct gc_cuda_device *cuda;
  const char *list;
  int status, major = 0;

  *device = NULL;
  status = show_only(gpu, &list, err);
  if (!status)
    status = bypass_mps(err);
  if (status)
    return status;
  cuda = calloc(1, sizeof(*cuda));
  if (!cuda)
    return gc_fail(err, -ENOMEM, "out of memory");
  snprintf(cuda->name, sizeof(cuda->name), "%s", gpu->name);
  snprintf(cuda->bus_id, sizeof(cuda->bus_id), "%04x:%02x:%02x.%x", gpu->domain, gpu->bus,
           gpu->dev, gpu->func);
  status = gc_cuda_driver_load(&cuda->driver, err);
  if (!status)
    status = initialize(cuda, gpu, list, err);
  if (!status)
    status = find(cuda, gpu, list, err);
  if (!status)
    status = gc_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, err);
  if (!status)
    status = make_context(cuda, err);
  if (!status)
    status = load_kernels(cuda, err);
  if (status) {
    gc_cuda_close(cuda);
    return status;
  }
  cuda->compute_major = (uint32_t)major;
  *device = cuda;
  return 0;
}

void gc_cuda_close(struct gc_cuda_device *cuda)
{
  if (!cuda)
    return;
  if (cuda->context) /* the thread may have used another device last */
    cuda->driver.cuCtxSetCurrent(cuda->context);
  gc_cuda_release_alias((struct gc_device *)cuda);
  gc_cuda_host_fini(cuda);
  gc_cuda_concurrent_fini(cuda);
  for (size_t i = 0; i < GC_CUDA_IMAGES; i++)
    if (cuda->images[i])
      cuda->driver.cuModuleUnload(cuda->images[i]);
  if (cuda->module)
    cuda->driver.cuModuleUnload(cuda->module);
  if (cuda->context)
    cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->device);
  gc_cuda_driver_unload(&cuda->driver);
  free(cuda);
}
