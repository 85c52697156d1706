/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The device table for NVIDIA GPUs, over the CUDA driver API.
 */
#include "device/cuda.h"

#include "device/common.h"
#include "device/cuda_alias.h"
#include "device/cuda_concurrent.h"
#include "device/cuda_host.h"
#include "device/cuda_launch.h"
#include "device/cuda_open.h"
#include "record/cores.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CUDA(device) ((struct gc_cuda_device *)(device))

static const struct gc_attribute attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, GC_PROPERTY(sms)},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, GC_PROPERTY(warp)},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, GC_PROPERTY(clock_khz)},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, GC_PROPERTY(memory_clock_khz)},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, GC_PROPERTY(memory_bus_bits)},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, GC_PROPERTY(compute_major)},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, GC_PROPERTY(compute_minor)},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, GC_PROPERTY(threads_per_block)},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, GC_PROPERTY(threads_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, GC_PROPERTY(blocks_per_sm)},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, GC_PROPERTY(registers_per_block)},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, GC_PROPERTY(registers_per_sm)},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, GC_PROPERTY(l2_bytes)},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, GC_PROPERTY(shared_per_sm)},
    /* GPUs without the opt-in; the opt-in value replaces it. */
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, GC_PROPERTY(shared_per_block)},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, GC_PROPERTY(shared_per_block)},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, GC_PROPERTY(shared_reserved)},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, GC_PROPERTY(constant_bytes)},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, GC_PROPERTY(texture_texels)},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, GC_PROPERTY(global_l1)},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, GC_PROPERTY(local_l1)},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, GC_PROPERTY(ecc)},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, GC_PROPERTY(integrated)},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, GC_PROPERTY(host_atomics)},
};

/* Values of which 0 is one, too. */
static const struct {
  CUdevice_attribute attribute;
  size_t offset;
} statements[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
     offsetof(struct gc_properties, l2_persisting)},
    {CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
     offsetof(struct gc_properties, l2_compression)},
};

static int open_gpu(const struct gc_gpu *gpu, struct gc_device **device, struct gc_error *err)
{
  struct gc_cuda_device *cuda;
  const int status = gc_cuda_open(gpu, &cuda, err);

  if (cuda)
    cuda->ops = &gc_device_cuda;
  *device = (struct gc_device *)cuda;
  return status;
}

static void close_gpu(struct gc_device *device)
{
  gc_cuda_close(CUDA(device));
}

/* Drivers and GPUs that do not know a value refuse it, which is no failure. */
static int put_statement(const struct gc_cuda_device *cuda, CUresult result, uint64_t value,
                         struct gc_statement *to, struct gc_error *err)
{
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED ||
      result == CUDA_ERROR_UNSUPPORTED_LIMIT)
    return 0;
  *to = (struct gc_statement){true, value};
  return gc_cuda_status(&cuda->driver, result, err, "ask for properties of L2 of %s", cuda->name);
}

static int read_statements(const struct gc_cuda_device *cuda, struct gc_properties *out,
                           struct gc_error *err)
{
  size_t limit = 0;
  CUresult result = cuda->driver.cuCtxGetLimit(&limit, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
  int status = put_statement(cuda, result, limit, &out->l2_fetch_limit, err);

  for (size_t i = 0; i < sizeof(statements) / sizeof(*statements) && !status; i++) {
    int value = 0;

    result = cuda->driver.cuDeviceGetAttribute(&value, statements[i].attribute, cuda->device);
    status = put_statement(cuda, result, (uint64_t)value,
                           (void *)((char *)out + statements[i].offset), err);
  }
  return status;
}

static int properties(struct gc_device *device, struct gc_properties *out, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  size_t total = 0;
  int status;

  memset(out, 0, sizeof(*out));
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
    int value = 0;

    status = gc_cuda_attribute(cuda, (CUdevice_attribute)attributes[i].attribute, &value, err);
    if (status)
      return status;
    gc_put_attribute(out, &attributes[i], value);
  }
  status = CUDA_CALL(cuda, err, cuDeviceGetName(out->model, sizeof(out->model), cuda->device),
                     "ask for the name of %s", cuda->name);
  if (!status)
    status = CUDA_CALL(cuda, err, cuDeviceTotalMem_v2(&total, cuda->device),
                       "ask for the memory of %s", cuda->name);
  if (!status)
    status = gc_cuda_find_cluster_blocks(cuda, out->sms, &out->cluster_blocks, err);
  out->memory_bytes = total;
  if (!status)
    status = read_statements(cuda, out, err);
  out->transfers_per_clock = 2; /* for every kind of memory; with HIP it depends on the kind */
  out->cores_per_sm = gc_cores_of_capability(out->compute_major, out->compute_minor);
  out->bulk_copies = out->compute_major >= 9;
  out->has_texture = out->has_constant = out->has_read_only = out->has_code = out->has_gpcs = true;
  return status;
}

static int memory(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                  struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  size_t unused = 0, total = 0;
  const CUresult result = cuda->driver.cuMemGetInfo_v2(&unused, &total);

  *free_bytes = unused;
  *total_bytes = total;
  return gc_cuda_status(&cuda->driver, result, err, "ask for the free memory of %s", cuda->name);
}

static int alloc(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUdeviceptr at = 0;
  int status;

  *address = 0;
  status = CUDA_CALL(cuda, err, cuMemAlloc_v2(&at, bytes), "allocate %llu bytes on %s",
                     (unsigned long long)bytes, cuda->name);
  if (status)
    return status;
  *address = at;
  gc_count_alloc(&cuda->counts, bytes);
  return 0;
}

static int alloc_host(struct gc_device *device, uint64_t bytes, uint64_t *address,
                      struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_host *host = &cuda->host;
  void *memory = NULL;
  int status;

  *address = 0;
  if (host->address)
    return gc_fail(err, -EINVAL, "%s has host memory already", cuda->name);
  bytes = (bytes + 63) / 64 * 64;
  status =
      CUDA_CALL(cuda, err,
                cuMemHostAlloc(&memory, bytes + GC_CUDA_FETCH_BYTES + GC_CUDA_STAGE_BYTES,
                               CU_MEMHOSTALLOC_DEVICEMAP),
                "allocate %llu bytes of host memory for %s", (unsigned long long)bytes, cuda->name);
  if (status)
    return status;
  status = CUDA_CALL(cuda, err, cuMemHostGetDevicePointer_v2(&host->address, memory, 0),
                     "map host memory on %s", cuda->name);
  if (status) {
    host->address = 0;
    cuda->driver.cuMemFreeHost(memory);
    return status;
  }
  host->memory = memory;
  host->bytes = bytes;
  host->fetched = host->memory + bytes;
  host->staged = host->fetched + GC_CUDA_FETCH_BYTES;
  *address = host->address;
  return 0;
}

/* Where the host finds these addresses; NULL: they are on the device. No kernel is running. */
static void *in_host(const struct gc_cuda_device *cuda, uint64_t address, size_t bytes)
{
  const struct gc_cuda_host *host = &cuda->host;

  return host->address && address >= host->address && address - host->address < host->bytes &&
                 bytes <= host->bytes - (address - host->address)
             ? host->memory + (address - host->address)
             : NULL;
}

static void release(struct gc_device *device, uint64_t address)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUdeviceptr base;
  size_t bytes;

  if (!address)
    return;
  if (address == cuda->host.address) {
    cuda->driver.cuMemFreeHost(cuda->host.memory);
    cuda->host = (struct gc_cuda_host){0};
    return;
  }
  if (address == cuda->on_node.address || address == cuda->on_peer.address) {
    gc_cuda_release_outside(cuda);
    return;
  }
  if (cuda->driver.cuMemGetAddressRange_v2(&base, &bytes, address) == CUDA_SUCCESS)
    gc_count_release(&cuda->counts, bytes);
  cuda->driver.cuMemFree_v2(address);
}

/* A small copy is queued: later work on the device waits for it, the host does not. */
static int upload(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                  struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  struct gc_cuda_host *stage = &cuda->host;
  void *host = in_host(cuda, address, bytes);
  CUresult result;

  if (host) {
    memcpy(host, from, bytes);
    return 0;
  }
  if (stage->memory && cuda->driver.cuMemcpyHtoDAsync_v2 &&
      bytes <= GC_CUDA_STAGE_BYTES - stage->in_use) {
    unsigned char *at = stage->staged + stage->in_use;

    stage->in_use += (bytes + 63) / 64 * 64;
    memcpy(at, from, bytes);
    result = cuda->driver.cuMemcpyHtoDAsync_v2(address, at, bytes, NULL);
  } else {
    result = cuda->driver.cuMemcpyHtoD_v2(address, from, bytes);
  }
  return gc_cuda_status(&cuda->driver, result, err, "copy %zu bytes to %s", bytes, cuda->name);
}

/* Calls that wait for an earlier launch report its failure. */
static int download(struct gc_device *device, void *to, uint64_t address, size_t bytes,
                    struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  const void *host = in_host(cuda, address, bytes);

  if (host) {
    memcpy(to, host, bytes);
    return 0;
  }
  return CUDA_CALL(cuda, err, cuMemcpyDtoH_v2(to, address, bytes), "copy %zu bytes from %s", bytes,
                   cuda->name);
}

static void fetch(struct gc_device *device, uint64_t address, size_t bytes, const void **at)
{
  struct gc_cuda_device *cuda = CUDA(device);

  *at = in_host(cuda, address, bytes);
  if (!*at && cuda->host.memory && cuda->driver.cuMemcpyDtoHAsync_v2 &&
      bytes <= GC_CUDA_FETCH_BYTES &&
      cuda->driver.cuMemcpyDtoHAsync_v2(cuda->host.fetched, address, bytes, NULL) == CUDA_SUCCESS)
    *at = cuda->host.fetched;
}

static int clear(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);

  return CUDA_CALL(cuda, err, cuMemsetD8_v2(address, 0, bytes), "clear %zu bytes on %s", bytes,
                   cuda->name);
}

static int upload_constant(struct gc_device *device, size_t offset, const void *from, size_t bytes,
                           struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);

  if (offset > GPU_CONSTANT_BYTES || bytes > GPU_CONSTANT_BYTES - offset)
    return gc_fail(err, -EINVAL, "%zu bytes at %zu do not fit the %d bytes of constant memory",
                   bytes, offset, GPU_CONSTANT_BYTES);
  return upload(device, cuda->constant + offset, from, bytes, err);
}

static int make_texture(struct gc_device *device, uint64_t address, uint64_t bytes,
                        unsigned int channels, uint64_t *out, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  const struct gc_cuda_resource resource = {
      .type = CU_RESOURCE_TYPE_LINEAR,
      .res.linear = {.address = address,
                     .format = CU_AD_FORMAT_UNSIGNED_INT32,
                     .channels = channels,
                     .bytes = bytes},
  };
  const struct gc_cuda_texture description = {
      .address_mode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                       CU_TR_ADDRESS_MODE_CLAMP},
      .filter_mode = CU_TR_FILTER_MODE_POINT,
      .flags = CU_TRSF_READ_AS_INTEGER,
  };
  CUtexObject object = 0;
  int status;

  status = CUDA_CALL(cuda, err, cuTexObjectCreate(&object, &resource, &description, NULL),
                     "make a texture of %llu bytes on %s", (unsigned long long)bytes, cuda->name);
  *out = object;
  return status;
}

static int texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *out,
                   struct gc_error *err)
{
  return make_texture(device, address, bytes, 1, out, err);
}

static int wide_texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *out,
                        struct gc_error *err)
{
  return make_texture(device, address, bytes, 4, out, err);
}

static void release_texture(struct gc_device *device, uint64_t object)
{
  struct gc_cuda_device *cuda = CUDA(device);

  if (object)
    cuda->driver.cuTexObjectDestroy(object);
}

/* Kepler divides L1 and shared memory in one of three ways. Maxwell and Pascal have no such choice.
 * Later GPUs divide finely and take a percentage. */
static int carveout(struct gc_device *device, enum gc_kernel kernel, int percent,
                    struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  CUfunction function = cuda->functions[kernel];
  CUresult result;

  if (gc_check_carveout(percent, err))
    return -EINVAL;
  if (cuda->compute_major == 5 || cuda->compute_major == 6)
    return gc_fail(err, -ENOTSUP, "%s has no shared-memory carve-out", cuda->name);
  if (cuda->compute_major >= 7)
    result = cuda->driver.cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
  else
    result =
        cuda->driver.cuFuncSetCacheConfig(function, percent < 0     ? CU_FUNC_CACHE_PREFER_NONE
                                                    : percent <= 33 ? CU_FUNC_CACHE_PREFER_L1
                                                    : percent <= 67 ? CU_FUNC_CACHE_PREFER_EQUAL
                                                                    : CU_FUNC_CACHE_PREFER_SHARED);
  return gc_cuda_status(&cuda->driver, result, err,
                        "set the carve-out of kernel %s on %s to %d percent",
                        gc_kernels[kernel].name, cuda->name, percent);
}

static int launch(struct gc_device *device, const struct gc_launch *launch, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);
  int status = gc_cuda_load_kernel(cuda, launch->kernel, err);

  if (!status)
    status = gc_cuda_allow_shared(cuda, launch, err);
  return status ? status : gc_cuda_launch(cuda, launch, cuda->functions[launch->kernel], NULL, err);
}

static int wait(struct gc_device *device, struct gc_error *err)
{
  struct gc_cuda_device *cuda = CUDA(device);

  cuda->host.in_use = 0;
  return CUDA_CALL(cuda, err, cuCtxSynchronize(), "finish kernel %s on %s",
                   gc_kernels[cuda->launched].name, cuda->name);
}

static const struct gc_device_counts *counts(const struct gc_device *device)
{
  return &((const struct gc_cuda_device *)device)->counts;
}

const struct gc_device_ops gc_device_cuda = {
    .name = "CUDA",
    .open = open_gpu,
    .close = close_gpu,
    .properties = properties,
    .memory = memory,
    .alloc = alloc,
    .alloc_host = alloc_host,
    .release = release,
    .host_nodes = gc_cuda_host_nodes,
    .alloc_on_node = gc_cuda_alloc_on_node,
    .copy = gc_cuda_copy,
    .use = gc_cuda_use,
    .alloc_on_peer = gc_cuda_alloc_on_peer,
    .alias = gc_cuda_alias,
    .alias_until = gc_cuda_alias_until,
    .release_alias = gc_cuda_release_alias,
    .upload = upload,
    .download = download,
    .fetch = fetch,
    .clear = clear,
    .upload_constant = upload_constant,
    .texture = texture,
    .wide_texture = wide_texture,
    .release_texture = release_texture,
    .carveout = carveout,
    .launch = launch,
    .upload_constant_copy = gc_cuda_upload_constant_copy,
    .launch_concurrent = gc_cuda_launch_concurrent,
    .wait = wait,
    .counts = counts,
};
