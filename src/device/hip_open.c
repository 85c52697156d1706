/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an AMD GPU: makes ROCm see this GPU only, where that is allowed and safe, then loads the
 * module and the kernels. With one visible GPU hipInit is faster and does not disturb the other
 * GPUs.
 */
#include "device/hip_open.h"

#include "device/common.h"
#include "device/hip_find.h"
#include "device/hip_host.h"
#include "device/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEV_KFD "/dev/kfd"
#define TICK_KHZ 100000 /* of the wall clock, unless the host writes struct gpu_tick */

#define HIP_KERNEL(name, ...) GC_KERNEL_##name,
static const enum gc_kernel kernels[] = {GPU_COMMON_KERNELS(HIP_KERNEL) GPU_AMD_KERNELS(HIP_KERNEL)
                                             GPU_SYSTEM_KERNELS(HIP_KERNEL)};
#undef HIP_KERNEL

static bool is_set(const char *variable)
{
  const char *value = getenv(variable);

  return value && *value;
}

/* Each library reads its own variable once, in hipInit. HIP uses CUDA's variable if its own is
 * unset or empty. An empty variable hides all GPUs from ROCr and none from HIP. hipInit opens every
 * GPU and partition that ROCr shows, one after another, so ROCr shows only this one, where it is
 * known how. *list: a variable of the caller that stays, as do the others, because only the
 * libraries know what it shows; else NULL. *all: ROCr shows all GPUs. */
static int show_only(const struct gc_gpu *gpu, const char **list, bool *all, struct gc_error *err)
{
  static const char hides[] = "AMD GPU from HIP";
  const char *hip = getenv("HIP_VISIBLE_DEVICES");

  *list = NULL;
  *all = false;
  if (gc_check_visible("ROCR_VISIBLE_DEVICES", true, hides, err) ||
      gc_check_visible("HIP_VISIBLE_DEVICES", false, hides, err) ||
      ((!hip || !*hip) && gc_check_visible("CUDA_VISIBLE_DEVICES", false, hides, err)))
    return -ENODEV;
  if (gpu->visibility != GC_VISIBLE)
    *list = hip && *hip                      ? "HIP_VISIBLE_DEVICES"
            : is_set("CUDA_VISIBLE_DEVICES") ? "CUDA_VISIBLE_DEVICES"
            : getenv("ROCR_VISIBLE_DEVICES") ? "ROCR_VISIBLE_DEVICES"
                                             : NULL;
  if (*list)
    return 0;
  if (gpu->visibility != GC_VISIBLE && is_set("GPU_DEVICE_ORDINAL"))
    return gc_fail(err, -ENODEV,
                   "GPU_DEVICE_ORDINAL is set, and may hide %s; set ROCR_VISIBLE_DEVICES instead",
                   gpu->name);
  *all = !*gpu->amd.rocr;
  if (unsetenv("HIP_VISIBLE_DEVICES") || unsetenv("CUDA_VISIBLE_DEVICES") ||
      (*all ? unsetenv("ROCR_VISIBLE_DEVICES")
            : setenv("ROCR_VISIBLE_DEVICES", gpu->amd.rocr, 1)))
    return gc_fail(err, -ENOMEM, "out of memory");
  return 0;
}

/* Processors that gfx12-generic does not cover, in spite of their names. */
static bool is_gfx125(const char *gfx)
{
  return !strncmp(gfx, "gfx125", 6);
}

/* HIP has no compiler: kernels run only if there is a code object for this processor. */
static int find_image(const struct gc_gpu *gpu, const struct gc_amd_image **image,
                      struct gc_error *err)
{
  *image = NULL;
  if (!*gpu->gfx)
    return gc_fail(err, -ENOTSUP, "the kernel driver does not report the processor of %s",
                   gpu->name);
  *image = gc_amd_image_for(gpu->gfx);
  if (!*image && is_gfx125(gpu->gfx))
    return gc_fail(err, -ENOTSUP,
                   "no kernels exist for the %s of %s: its caches, scopes and waits differ from "
                   "those of gfx12, whose kernels could run there and measure something else",
                   gpu->gfx, gpu->name);
  if (!*image)
    return gc_fail(err, -ENOTSUP, "this program was built without kernels for the %s of %s: %s",
                   gpu->gfx, gpu->name,
                   gc_amd_images->processor
                       ? "it has kernels for other processors only; an older clang supports fewer"
                       : "it has none for AMD GPUs, because of configure --with-hip=no or because "
                         "configure found no clang and ld.lld for them");
  return 0;
}

void gc_hip_advice(int error, char *text, size_t size)
{
  switch (error) {
  case 0:
    snprintf(text, size,
             "does this version of ROCm support it, and may this user open /dev/dri/renderD*?");
    break;
  case EACCES:
    snprintf(text, size,
             "this user may not open " DEV_KFD ": add the user to the groups render and video");
    break;
  case EPERM:
    snprintf(text, size,
             "this process may not open " DEV_KFD ": the container or the batch system must "
             "allow it");
    break;
  case ENOENT:
    snprintf(text, size,
             "there is no " DEV_KFD ": load the kernel driver amdgpu; a container needs access "
             "to the device file");
    break;
  default:
    snprintf(text, size, DEV_KFD " cannot be opened: %s", strerror(error));
  }
}

/* The errno of opening the kernel driver's device file, or 0. access() does not check a container's
 * device policy. */
static int try_kfd(void)
{
  const int fd = open(DEV_KFD, O_RDWR | O_CLOEXEC), error = fd < 0 ? errno : 0;

  if (fd >= 0)
    close(fd);
  return error;
}

/* Without a GPU hipInit returns hipErrorNoDevice, or hipErrorInvalidDevice if ROCr could not start.
 * Other errors have nothing to do with the device file. */
static int start(struct gc_hip_device *hip, int *count, struct gc_error *err)
{
  hipError_t result;
  char number[32], advice[200];

  hip->started = true;
  result = hip->driver.hipInit(0);
  if (result == hipSuccess)
    result = hip->driver.hipGetDeviceCount(count);
  if (result == hipSuccess && *count > 0)
    return 0;
  if (result == hipSuccess)
    result = hipErrorNoDevice;
  if (result != hipErrorNoDevice && result != hipErrorInvalidDevice)
    return gc_hip_status(&hip->driver, result, err, "start HIP (%s) for %s", hip->driver.name,
                         hip->name);
  gc_hip_advice(try_kfd(), advice, sizeof(advice));
  return gc_fail(err, -ENODEV, "HIP (%s) shows no GPU, and so not %s: %s; %s", hip->driver.name,
                 hip->name, gc_hip_error_name(&hip->driver, result, number), advice);
}

/* Spinning detects the end of a launch soonest, and all launches are short. */
static int choose(struct gc_hip_device *hip, struct gc_error *err)
{
  int status = HIP_CALL(hip, err, hipSetDevice(hip->device), "use %s with HIP", hip->name);

  if (status)
    return status;
  hip->chosen = true;
  return HIP_CALL(hip, err, hipSetDeviceFlags(hipDeviceScheduleSpin), "choose how to wait for %s",
                  hip->name);
}

/* Writes gpu_tick if the tick of the wall clock is not the one that the kernels assume. */
static int set_tick(const struct gc_hip_device *hip, struct gc_error *err)
{
  int khz = 0, status = gc_hip_attribute(hip, hipDeviceAttributeWallClockRate, &khz, err);
  hipDeviceptr_t address;
  struct gpu_tick tick;
  size_t bytes = 0;

  if (status || khz <= 0 || khz == TICK_KHZ)
    return status;
  tick.nanoseconds = 1000000u / (uint32_t)khz;
  tick.fraction = (uint32_t)(((uint64_t)(1000000u % (uint32_t)khz) << 32) / (uint32_t)khz);
  status = HIP_CALL(hip, err, hipModuleGetGlobal(&address, &bytes, hip->module, "gpu_tick"),
                    "find the wall clock of the kernels on %s", hip->name);
  if (!status && bytes != sizeof(tick))
    status = gc_fail(err, -EIO, "the wall clock of the kernels on %s has %zu bytes, not %zu",
                     hip->name, bytes, sizeof(tick));
  if (!status)
    status = HIP_CALL(hip, err, hipMemcpy(address, &tick, sizeof(tick), hipMemcpyHostToDevice),
                      "set the wall clock of the kernels on %s", hip->name);
  return status;
}

static int load_kernels(struct gc_hip_device *hip, const struct gc_amd_image *image,
                        struct gc_error *err)
{
  hipModule_t module;
  int status;

  status = HIP_CALL(hip, err, hipModuleLoadData(&module, image->bytes),
                    "load the kernels for %s into %s with %s", image->processor, hip->name,
                    hip->driver.name);
  if (status)
    return status;
  hip->module = module;
  for (size_t i = 0; !status && i < sizeof(kernels) / sizeof(*kernels); i++) {
    const enum gc_kernel k = kernels[i];

    status =
        HIP_CALL(hip, err, hipModuleGetFunction(&hip->functions[k], module, gc_kernels[k].entry),
                 "find kernel %s on %s", gc_kernels[k].entry, hip->name);
  }
  return status ? status : set_tick(hip, err);
}

/* Copies the kernel driver's counts. HIP counts pairs of CUs (WGPs) on RDNA; on other GPUs it omits
 * CUs that cooperative launches cannot use. */
static void take_sysfs_facts(struct gc_hip_device *hip, const struct gc_gpu *gpu)
{
  uint64_t value;

  if (gpu->tables && !gc_infos_get_u64(&gpu->tables->infos, "SMs", &value))
    hip->cus = (uint32_t)value;
  if (gpu->tables && !gc_infos_get_u64(&gpu->tables->infos, "ThreadsPerSM", &value))
    hip->threads_per_cu = (uint32_t)value;
}

/* How launches get a CU for each block: see lds_of in hip.c. */
static int plan_launches(struct gc_hip_device *hip, struct gc_error *err)
{
  struct gc_properties properties;
  int status = gc_hip_properties(hip, &properties, err);

  if (status)
    return status;
  hip->blocks_alone = properties.sms;
  hip->lds_bytes = (uint32_t)properties.shared_per_block;
  return 0;
}

/* What HIP shows: number of devices; all: all GPUs of the kernel; list: the variable that may hide
 * the GPU, or NULL. */
struct shown {
  int count;
  bool all;
  const char *list;
};

static int find(struct gc_hip_device *hip, const struct gc_gpu *gpu, const struct shown *shown,
                struct gc_error *err)
{
  const char *list = shown->list;
  const int count = shown->count, status = gc_hip_find(hip, gpu, count, shown->all, err);

  if (status == -ENODEV && list)
    gc_fail(err, 0,
            "%s is '%.80s', which hides %s (%s): HIP shows %d device%s, and not this one; measure "
            "it in a job that may use it",
            list, getenv(list), gpu->name, gpu->identity.id, count, count == 1 ? "" : "s");
  return status == -ENOTUNIQ ? -ENODEV : status;
}

int gc_hip_open(const struct gc_gpu *gpu, struct gc_hip_device **device, struct gc_error *err)
{
  const struct gc_amd_image *image;
  struct gc_hip_device *hip;
  struct shown shown = {.count = 0};
  int status;

  *device = NULL;
  if ((status = find_image(gpu, &image, err)) ||
      (status = show_only(gpu, &shown.list, &shown.all, err)))
    return status;
  hip = calloc(1, sizeof(*hip));
  if (!hip)
    return gc_fail(err, -ENOMEM, "out of memory");
  snprintf(hip->name, sizeof(hip->name), "%s", gpu->name);
  snprintf(hip->bus_id, sizeof(hip->bus_id), "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev,
           gpu->func);
  snprintf(hip->model, sizeof(hip->model), "%s", gpu->identity.model);
  take_sysfs_facts(hip, gpu);
  if ((status = gc_hip_driver_load(&hip->driver, err)) ||
      (status = start(hip, &shown.count, err)) || (status = find(hip, gpu, &shown, err)) ||
      (status = choose(hip, err)) || (status = load_kernels(hip, image, err)) ||
      (status = plan_launches(hip, err))) {
    gc_hip_close(hip);
    return status;
  }
  *device = hip;
  return 0;
}

/* After hipInit the library stays in memory: its threads run until the process ends. */
void gc_hip_close(struct gc_hip_device *hip)
{
  if (!hip)
    return;
  gc_hip_host_fini(hip);
  if (hip->module)
    hip->driver.hipModuleUnload(hip->module);
  if (hip->chosen)
    hip->driver.hipDeviceReset();
  if (!hip->started)
    gc_hip_driver_unload(&hip->driver);
  free(hip);
}
