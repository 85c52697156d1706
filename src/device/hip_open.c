/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one AMD GPU: ROCm is shown this GPU alone where that is safe, which makes hipInit faster and
 * leaves the other ones in peace; then module and kernels.
 */
#include "device/hip_device.h"

#include "device/common.h"
#include "kernels/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEV_KFD "/dev/kfd"
#define TICK_KHZ 100000 /* of the wall clock, unless kernels are told (struct gpu_tick) */
#define UUID_PREFIX "GPU-"
#define UUID_DIGITS 16
#define UUID_LENGTH (sizeof(UUID_PREFIX) - 1 + UUID_DIGITS)

#define HIP_KERNEL(name, args) GC_KERNEL_##name,
static const enum gc_kernel kernels[] = {GPU_COMMON_KERNELS(HIP_KERNEL) GPU_AMD_KERNELS(HIP_KERNEL)};
#undef HIP_KERNEL

static bool has_uuid(const struct gc_gpu *gpu)
{
  const char *id = gpu->identity.id;

  return !strncmp(id, UUID_PREFIX, strlen(UUID_PREFIX)) && strlen(id) >= UUID_LENGTH &&
         strspn(id + strlen(UUID_PREFIX), "0123456789abcdef") == UUID_DIGITS;
}

/* The partitions of a GPU have its UUID in common: "-" and a number follows in their ids. */
static bool is_whole(const struct gc_gpu *gpu)
{
  return has_uuid(gpu) && strlen(gpu->identity.id) == UUID_LENGTH;
}

/* -1: it is none. */
static int partition_number(const struct gc_gpu *gpu)
{
  return has_uuid(gpu) && !is_whole(gpu) ? atoi(gpu->identity.id + UUID_LENGTH + 1) : -1;
}

/* Each library reads its own in hipInit, once. HIP takes CUDA's where its own is not set or empty. An empty
 * one hides all from ROCr, and nothing from HIP. ROCr shows nothing at all when a UUID is that of several
 * devices, as those of partitions are. */
static int show_only(const struct gc_gpu *gpu, struct gc_error *err)
{
  static const char hides[] = "AMD GPU from HIP";
  const char *hip = getenv("HIP_VISIBLE_DEVICES");

  if (gc_check_visible("ROCR_VISIBLE_DEVICES", true, hides, err) ||
      gc_check_visible("HIP_VISIBLE_DEVICES", false, hides, err) ||
      ((!hip || !*hip) && gc_check_visible("CUDA_VISIBLE_DEVICES", false, hides, err)))
    return -ENODEV;
  if (unsetenv("HIP_VISIBLE_DEVICES") || unsetenv("CUDA_VISIBLE_DEVICES") ||
      (is_whole(gpu) ? setenv("ROCR_VISIBLE_DEVICES", gpu->identity.id, 1)
                     : unsetenv("ROCR_VISIBLE_DEVICES")))
    return gc_fail(err, -ENOMEM, "out of memory");
  return 0;
}

/* There is no compiler in HIP: without an object for this processor nothing runs. */
static int find_image(const struct gc_gpu *gpu, const struct gc_amd_image **image,
                      struct gc_error *err)
{
  *image = NULL;
  if (!*gpu->gfx)
    return gc_fail(err, -ENOTSUP, "the kernel driver does not tell which processor %s has",
                   gpu->name);
  *image = gc_amd_image_for(gpu->gfx);
  if (!*image)
    return gc_fail(err, -ENOTSUP,
                   "this program was built without kernels for the %s of %s: %s", gpu->gfx, gpu->name,
                   gc_amd_images->processor
                     ? "it has some for other processors only; an older clang makes them for fewer"
                     : "it has none at all, as configure was told (--with-hip=no) or found no clang "
                       "and ld.lld for them");
  return 0;
}

void gc_hip_advice(int error, char *text, size_t size)
{
  switch (error) {
  case 0:
    snprintf(text, size, "does this version of ROCm know it, and may this user open /dev/dri/renderD*?");
    break;
  case EACCES:
    snprintf(text, size, "this user may not open " DEV_KFD ": add it to the groups render and video");
    break;
  case EPERM:
    snprintf(text, size, "this process may not open " DEV_KFD ": the container or the batch system that it "
                         "runs in has to be given it");
    break;
  case ENOENT:
    snprintf(text, size, "there is no " DEV_KFD ": load the kernel driver amdgpu; a container has to be "
                         "given it");
    break;
  default:
    snprintf(text, size, DEV_KFD " cannot be opened: %s", strerror(error));
  }
}

/* Whether and why the kernel driver's door is closed, which access() does not say of a container's. */
static int knock(void)
{
  const int fd = open(DEV_KFD, O_RDWR | O_CLOEXEC), error = fd < 0 ? errno : 0;

  if (fd >= 0)
    close(fd);
  return error;
}

/* Without a GPU hipInit returns hipErrorNoDevice, or, when ROCr could not even start, hipErrorInvalidDevice.
 * Any other error is HIP's own, and no matter of the device file. */
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
    return gc_hip_status(&hip->driver, result, err, "start HIP (%s) for %s", hip->driver.name, hip->name);
  gc_hip_advice(knock(), advice, sizeof(advice));
  return gc_fail(err, -ENODEV, "HIP (%s) shows no GPU, and so not %s: %s; %s", hip->driver.name,
                 hip->name, gc_hip_error_name(&hip->driver, result, number), advice);
}

/* Whether a HIP device is at the GPU's place. ROCm 5 says 0 for every function. */
static int is_there(const struct gc_hip_device *hip, hipDevice_t device, const struct gc_gpu *gpu,
                    bool *is, struct gc_error *err)
{
  unsigned domain, bus, dev, func;
  char id[32] = "";
  int status = HIP_CALL(hip, err, hipDeviceGetPCIBusId(id, sizeof(id), device),
                        "ask HIP for the bus id of %s", gpu->name);

  *is = !status && gpu->has_pci && sscanf(id, "%x:%x:%x.%x", &domain, &bus, &dev, &func) == 4 &&
        domain == gpu->domain && bus == gpu->bus && dev == gpu->dev && func == gpu->func;
  return status;
}

/* The 16 bytes are the digits themselves. */
static int has_its_uuid(const struct gc_hip_device *hip, hipDevice_t device, const struct gc_gpu *gpu,
                        bool *has, struct gc_error *err)
{
  hipUUID uuid = {{0}};
  int status = HIP_CALL(hip, err, hipDeviceGetUuid(&uuid, device), "ask HIP for the UUID of %s", gpu->name);

  *has = !status && !memcmp(uuid.bytes, gpu->identity.id + strlen(UUID_PREFIX), UUID_DIGITS);
  return status;
}

/* How many devices are there; *device: the one of them that `wanted` counts to, or the only one. */
static int find_by_place(const struct gc_hip_device *hip, const struct gc_gpu *gpu, int count, int wanted,
                         int *there, hipDevice_t *device, struct gc_error *err)
{
  hipDevice_t candidate;
  int status = 0;
  bool is;

  *there = 0;
  for (int i = 0; !status && i < count; i++) {
    status = HIP_CALL(hip, err, hipDeviceGet(&candidate, i), "open HIP device %d", i);
    if (!status && !(status = is_there(hip, candidate, gpu, &is, err)) && is &&
        ((*there)++ == 0 || *there - 1 == wanted))
      *device = candidate;
  }
  return status;
}

static int find_by_uuid(const struct gc_hip_device *hip, const struct gc_gpu *gpu, int count, bool *found,
                        hipDevice_t *device, struct gc_error *err)
{
  int status = 0;

  *found = false;
  for (int i = 0; !status && !*found && i < count; i++) {
    status = HIP_CALL(hip, err, hipDeviceGet(device, i), "open HIP device %d", i);
    if (!status)
      status = has_its_uuid(hip, *device, gpu, found, err);
  }
  return status;
}

/* The device that is this GPU: by its place; where several have that, the partition of its number; where
 * none has, the one of its UUID, because virtual machines and ROCm 5 may show another place. */
static int find(struct gc_hip_device *hip, const struct gc_gpu *gpu, int count, struct gc_error *err)
{
  const int wanted = partition_number(gpu);
  bool found = false;
  int there, status = find_by_place(hip, gpu, count, wanted, &there, &hip->device, err);

  if (!status && there > 1 && (wanted < 0 || wanted >= there))
    return gc_fail(err, -ENODEV,
                   "HIP shows %d devices in the place of %s (%s), and which is which cannot be told",
                   there, gpu->name, gpu->identity.id);
  if (!status && there == 0 && is_whole(gpu))
    status = find_by_uuid(hip, gpu, count, &found, &hip->device, err);
  if (!status && there == 0 && !found)
    status = gc_fail(err, -ENODEV, "HIP shows %d device%s, none of which is %s (%s)", count,
                     count == 1 ? "" : "s", gpu->name, gpu->identity.id);
  return status;
}

/* Spinning notices the end of a launch soonest; all launches are short. */
static int choose(struct gc_hip_device *hip, struct gc_error *err)
{
  int status = HIP_CALL(hip, err, hipSetDevice(hip->device), "use %s with HIP", hip->name);

  if (status)
    return status;
  hip->chosen = true;
  return HIP_CALL(hip, err, hipSetDeviceFlags(hipDeviceScheduleSpin), "choose how to wait for %s", hip->name);
}

/* Tells the kernels how long a tick of the wall clock is, where it is not as long as they take it for. */
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

    status = HIP_CALL(hip, err, hipModuleGetFunction(&hip->functions[k], module, gc_kernels[k].entry),
                      "find kernel %s on %s", gc_kernels[k].entry, hip->name);
  }
  return status ? status : set_tick(hip, err);
}

/* What the kernel driver counts. HIP counts pairs of CUs (WGPs) on RDNA, and on others leaves CUs out that
 * cooperative launches cannot use. */
static void take_known(struct gc_hip_device *hip, const struct gc_gpu *gpu)
{
  uint64_t value;

  if (gpu->known && !gc_infos_get_u64(&gpu->known->infos, "SMs", &value))
    hip->cus = (uint32_t)value;
  if (gpu->known && !gc_infos_get_u64(&gpu->known->infos, "ThreadsPerSM", &value))
    hip->threads_per_cu = (uint32_t)value;
}

/* How launches get a CU for each block: see hip.c. */
static int plan_launches(struct gc_hip_device *hip, struct gc_error *err)
{
  struct gc_properties properties;
  int status = gc_hip_properties((struct gc_device *)hip, &properties, err);

  if (status)
    return status;
  hip->blocks_alone = properties.sms;
  hip->lds_bytes = (uint32_t)properties.shared_per_block;
  return 0;
}

int gc_hip_open(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  const struct gc_amd_image *image;
  struct gc_hip_device *hip;
  int status, count = 0;

  *device = NULL;
  if ((status = find_image(gpu, &image, err)) || (status = show_only(gpu, err)))
    return status;
  hip = calloc(1, sizeof(*hip));
  if (!hip)
    return gc_fail(err, -ENOMEM, "out of memory");
  hip->ops = &gc_device_hip;
  snprintf(hip->name, sizeof(hip->name), "%s", gpu->name);
  snprintf(hip->model, sizeof(hip->model), "%s", gpu->identity.model);
  take_known(hip, gpu);
  if ((status = gc_hip_driver_load(&hip->driver, err)) || (status = start(hip, &count, err)) ||
      (status = find(hip, gpu, count, err)) || (status = choose(hip, err)) ||
      (status = load_kernels(hip, image, err)) || (status = plan_launches(hip, err))) {
    gc_hip_close((struct gc_device *)hip);
    return status;
  }
  *device = (struct gc_device *)hip;
  return 0;
}

/* The library stays in memory: its threads run in it until the process ends. */
void gc_hip_close(struct gc_device *device)
{
  struct gc_hip_device *hip = (struct gc_hip_device *)device;

  if (!hip)
    return;
  if (hip->module)
    hip->driver.hipModuleUnload(hip->module);
  if (hip->chosen)
    hip->driver.hipDeviceReset();
  if (!hip->started)
    gc_hip_driver_unload(&hip->driver);
  free(hip);
}
