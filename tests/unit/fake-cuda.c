/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake-cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Prototypes: the compiler checks the definitions below against what the back end calls. */
#define PROTOTYPE(name, parameters) EXPORT CUresult name parameters;
CUDA_SYMBOLS(PROTOTYPE)
CUDA_CLUSTER_SYMBOLS(PROTOTYPE)
CUDA_HOST_SYMBOLS(PROTOTYPE)
CUDA_PEER_SYMBOLS(PROTOTYPE)
#undef PROTOTYPE

EXPORT struct fake_cuda fake_cuda;

#define MOST_GPUS 8
#define FIRST_HANDLE 42

static struct {
  char bus_id[32], uuid[48];
  unsigned char bytes[16];
} gpus[MOST_GPUS];
static int shown[MOST_GPUS], shown_count; /* numbers of GPUs, in the order of CUDA's devices */
static int initialized, current;          /* the number of a context, from 1 */
static char context[MOST_GPUS], module, stream_given, event_given[8], constant_bank[65536];
static int retained[MOST_GPUS], reaches[MOST_GPUS][MOST_GPUS]; /* by device; by device and peer */
static int recorded[sizeof(event_given)];
static unsigned char *pinned;
static size_t pinned_bytes;
static char functions[64][64];

static CUresult violate(const char *name, const char *what)
{
  if (!*fake_cuda.violation)
    snprintf(fake_cuda.violation, sizeof(fake_cuda.violation), "%s: %s", name, what);
  return CUDA_ERROR_INVALID_VALUE;
}

/* The error that FAKE_CUDA_FAIL has this function return. */
static CUresult forced_error(const char *name)
{
  const char *fail = getenv("FAKE_CUDA_FAIL");
  const size_t length = strlen(name);

  if (!fail || strncmp(fail, name, length) || fail[length] != '=')
    return CUDA_SUCCESS;
  return (CUresult)atoi(fail + length + 1);
}

#define NEED(condition, what)                                                                      \
  if (!(condition))                                                                                \
    return violate(__func__, what);
#define FAIL_IF_FORCED                                                                               \
  if (forced_error(__func__))                                                                              \
    return forced_error(__func__);
#define AFTER_INIT                                                                                 \
  NEED(initialized, "before cuInit")                                                               \
  FAIL_IF_FORCED
#define IN_CONTEXT                                                                                 \
  NEED(current, "without a context")                                                               \
  FAIL_IF_FORCED

CUresult cuGetErrorName(CUresult error, const char **name)
{
  FAIL_IF_FORCED
#define NAME(constant, value)                                                                      \
  if (!strncmp(#constant, "CUDA_ERROR_", 11) && error == (value)) {                                \
    *name = #constant;                                                                             \
    return CUDA_SUCCESS;                                                                           \
  }
  CUDA_CONSTANTS(NAME)
#undef NAME
  return CUDA_ERROR_INVALID_VALUE;
}

/* The GPUs of FAKE_CUDA_GPUS, or else the one of the test. */
static int list_gpus(void)
{
  const char *at = getenv("FAKE_CUDA_GPUS");
  int count = 0, length;

  if (!at) {
    snprintf(gpus[0].bus_id, sizeof(gpus[0].bus_id), "%s", fake_cuda.bus_id);
    memcpy(gpus[0].bytes, fake_cuda.uuid, sizeof(gpus[0].bytes));
    snprintf(gpus[0].uuid, sizeof(gpus[0].uuid), "GPU-");
    for (int i = 0; i < 16; i++)
      sprintf(gpus[0].uuid + strlen(gpus[0].uuid), "%s%02x",
              i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", gpus[0].bytes[i]);
    return 1;
  }
  for (; count < MOST_GPUS && sscanf(at, "%31[^=]=%47[^,]%n", gpus[count].bus_id, gpus[count].uuid,
                                     &length) == 2;
       count++) {
    const char *digits = gpus[count].uuid + 4;

    for (int i = 0; i < 16; i++, digits += 2) {
      unsigned byte = 0;

      digits += *digits == '-';
      sscanf(digits, "%2x", &byte);
      gpus[count].bytes[i] = (unsigned char)byte;
    }
    at += length + (at[length] == ',');
  }
  return count;
}

/* The number of the GPU that an entry of CUDA_VISIBLE_DEVICES names, or -1. */
static int find_entry(const char *entry, const int *order, int count)
{
  const size_t length = strcspn(entry, ",");
  int found = -1;
  char *end;
  long index;

  if (strncmp(entry, "GPU-", 4) && strncmp(entry, "MIG-", 4)) {
    index = strtol(entry, &end, 10);
    return end == entry || index < 0 || index >= count ? -1 : order[index];
  }
  for (int i = 0; i < count; i++)
    if (!strncmp(gpus[i].uuid, entry, length))
      found = found < 0 ? i : -2;
  return found < 0 ? -1 : found;
}

/* Applies CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, as the driver does in cuInit. */
static void show(const char *list, const char *order_word)
{
  int order[MOST_GPUS], count = list_gpus();

  for (int i = 0; i < count; i++) {
    int k = i;

    for (; order_word && !strcmp(order_word, "PCI_BUS_ID") && k > 0 &&
           strcmp(gpus[order[k - 1]].bus_id, gpus[i].bus_id) > 0;
         k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  shown_count = 0;
  if (!list)
    for (int i = 0; i < count; i++)
      shown[shown_count++] = order[i];
  while (list && *list && shown_count < MOST_GPUS) {
    const int gpu = find_entry(list, order, count);

    if (gpu < 0)
      return;
    shown[shown_count++] = gpu;
    list += strcspn(list, ",");
    list += *list == ',';
  }
}

static int is_device(CUdevice device)
{
  return device >= FIRST_HANDLE && device < FIRST_HANDLE + shown_count;
}

CUresult cuInit(unsigned int flags)
{
  const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *order = getenv("CUDA_DEVICE_ORDER");
  const char *queues = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const char *pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");

  NEED(flags == 0, "flags")
  snprintf(fake_cuda.visible, sizeof(fake_cuda.visible), "%s", visible ? visible : "(unset)");
  snprintf(fake_cuda.order, sizeof(fake_cuda.order), "%s", order ? order : "(unset)");
  snprintf(fake_cuda.queues, sizeof(fake_cuda.queues), "%s", queues ? queues : "(unset)");
  snprintf(fake_cuda.pipes, sizeof(fake_cuda.pipes), "%s", pipes ? pipes : "(unset)");
  FAIL_IF_FORCED
  show(visible, order);
  if (!shown_count)
    return CUDA_ERROR_NO_DEVICE;
  initialized = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
  AFTER_INIT
  *count = shown_count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
  AFTER_INIT
  NEED(ordinal >= 0 && ordinal < shown_count, "no such device")
  *device = FIRST_HANDLE + ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device), "no such device")
  snprintf(name, (size_t)size, "Stand-in GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device), "no such device")
  memcpy(uuid, gpus[shown[device - FIRST_HANDLE]].bytes, 16);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device), "no such device")
  snprintf(id, (size_t)size, "%s", gpus[shown[device - FIRST_HANDLE]].bus_id);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device) && attribute < FAKE_CUDA_ATTRIBUTES, "no such attribute")
  if (fake_cuda.attributes[attribute] < 0)
    return CUDA_ERROR_INVALID_VALUE;
  *value = fake_cuda.attributes[attribute];
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device), "no such device")
  *bytes = (size_t)141 << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
  AFTER_INIT
  NEED(is_device(device) && !retained[device - FIRST_HANDLE] && flags == CU_CTX_SCHED_SPIN,
       "flags after the context")
  return CUDA_SUCCESS;
}

/* Appends the GPU to the file FAKE_CUDA_LOG. */
static void note_use(void)
{
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;

  if (file) {
    fprintf(file, "%s\n", fake_cuda.used);
    fclose(file);
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device), "no such device")
  fake_cuda.contexts++;
  snprintf(fake_cuda.used, sizeof(fake_cuda.used), "%s", gpus[shown[device - FIRST_HANDLE]].uuid);
  note_use();
  retained[device - FIRST_HANDLE]++;
  *out = (CUcontext)(void *)&context[device - FIRST_HANDLE];
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
  AFTER_INIT
  NEED(is_device(device) && retained[device - FIRST_HANDLE] > 0, "no context")
  fake_cuda.contexts--;
  retained[device - FIRST_HANDLE]--;
  if (current == device - FIRST_HANDLE + 1)
    current = 0;
  return CUDA_SUCCESS;
}

/* The number of the device that the context is on, from 1; 0: there is no such context. */
static int number_of(CUcontext which)
{
  for (int i = 0; i < MOST_GPUS; i++)
    if ((void *)which == &context[i] && retained[i])
      return i + 1;
  return 0;
}

CUresult cuCtxSetCurrent(CUcontext which)
{
  AFTER_INIT
  NEED(number_of(which), "no such context")
  current = number_of(which);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
  IN_CONTEXT
  if (limit != CU_LIMIT_MAX_L2_FETCH_GRANULARITY || fake_cuda.fetch_limit == FAKE_CUDA_REFUSED)
    return CUDA_ERROR_NOT_SUPPORTED;
  *value = fake_cuda.fetch_limit;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
  IN_CONTEXT
  fake_cuda.synchronized++;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
  IN_CONTEXT
  NEED(image, "no image")
  fake_cuda.modules++;
  *out = (CUmodule)(void *)&module;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule which)
{
  IN_CONTEXT
  NEED((void *)which == &module && fake_cuda.modules > 0, "no such module")
  fake_cuda.modules--;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule which, const char *name)
{
  IN_CONTEXT
  NEED((void *)which == &module, "no such module")
  for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
    if (!*functions[i] || !strcmp(functions[i], name)) {
      snprintf(functions[i], sizeof(functions[i]), "%s", name);
      *function = (CUfunction)(void *)functions[i];
      return CUDA_SUCCESS;
    }
  return violate(__func__, "too many functions");
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule which, const char *name)
{
  IN_CONTEXT
  NEED((void *)which == &module && !strcmp(name, "gpu_constant_bank"), "no such variable")
  *address = (CUdeviceptr)(uintptr_t)constant_bank;
  *bytes = sizeof(constant_bank);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned int flags)
{
  IN_CONTEXT
  NEED(flags == CU_STREAM_NON_BLOCKING, "a stream that waits for stream 0")
  fake_cuda.streams++;
  *out = (CUstream)(void *)&stream_given;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream which)
{
  IN_CONTEXT
  NEED((void *)which == &stream_given && fake_cuda.streams > 0, "no such stream")
  fake_cuda.streams--;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
  IN_CONTEXT
  *free_bytes = (size_t)140 << 30;
  *total_bytes = (size_t)141 << 30;
  return CUDA_SUCCESS;
}

/* The size and the number of the context are stored in front of the allocation. */
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
  size_t *block;

  IN_CONTEXT
  block = malloc(512 + bytes);
  NEED(block, "out of memory")
  block[0] = bytes;
  block[1] = (size_t)current;
  fake_cuda.allocations++;
  *address = (CUdeviceptr)(uintptr_t)block + 512;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
  IN_CONTEXT
  NEED(address && fake_cuda.allocations > 0, "nothing to free")
  NEED(((size_t *)(uintptr_t)(address - 512))[1] == (size_t)current, "memory of another device")
  fake_cuda.allocations--;
  free((void *)(uintptr_t)(address - 512));
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
  IN_CONTEXT
  NEED(flags == CU_MEMHOSTALLOC_DEVICEMAP, "the flags do not map it")
  *memory = malloc(bytes);
  NEED(*memory, "out of memory")
  fake_cuda.allocations++;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *memory, unsigned int flags)
{
  IN_CONTEXT
  NEED(memory && !flags, "no such host memory")
  *address = (CUdeviceptr)(uintptr_t)memory;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *memory)
{
  IN_CONTEXT
  NEED(memory && fake_cuda.allocations > 0, "nothing to free")
  fake_cuda.allocations--;
  free(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
  IN_CONTEXT
  *base = address;
  *bytes = *(size_t *)(uintptr_t)(address - 512);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
  IN_CONTEXT
  memcpy((void *)(uintptr_t)to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
  IN_CONTEXT
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes)
{
  IN_CONTEXT
  memset((void *)(uintptr_t)to, value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *description,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
  IN_CONTEXT
  NEED(!view, "a view of linear memory")
  fake_cuda.resource = *resource;
  fake_cuda.texture = *description;
  fake_cuda.textures++;
  *texture = 7;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
  IN_CONTEXT
  NEED(texture == 7 && fake_cuda.textures > 0, "no such texture")
  fake_cuda.textures--;
  return CUDA_SUCCESS;
}

static void remember(CUfunction function)
{
  snprintf(fake_cuda.function, sizeof(fake_cuda.function), "%s", (const char *)(void *)function);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
  IN_CONTEXT
  remember(function);
  fake_cuda.attribute = (int)attribute;
  fake_cuda.attribute_value = value;
  fake_cuda.attributes_set++;
  fake_cuda.clusters_allowed |= attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
  IN_CONTEXT
  remember(function);
  fake_cuda.cache_config = (int)config;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function,
                                            const CUlaunchConfig *config)
{
  IN_CONTEXT
  NEED(config->grid_x && config->block_x, "an empty launch")
  remember(function);
  *blocks = fake_cuda.clusters_allowed ? 16 : 8;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra)
{
  IN_CONTEXT
  NEED(config->attribute_count == 1 &&
           config->attributes->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
           config->attributes->value.cluster.y == 1 && config->attributes->value.cluster.z == 1,
       "not a launch of clusters")
  NEED(config->grid_x % config->attributes->value.cluster.x == 0, "a part of a cluster")
  fake_cuda.cluster = config->attributes->value.cluster.x;
  return cuLaunchKernel(function, config->grid_x, config->grid_y, config->grid_z, config->block_x,
                        config->block_y, config->block_z, config->shared_bytes, config->stream,
                        parameters, extra);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void **parameters, void **extra)
{
  IN_CONTEXT
  NEED(grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1, "not one-dimensional")
  NEED((!stream || (void *)stream == &stream_given) && !extra && parameters, "how arguments are passed")
  fake_cuda.streamed += stream != NULL;
  remember(function);
  fake_cuda.grid = grid_x;
  fake_cuda.block = block_x;
  fake_cuda.shared = shared_bytes;
  if (fake_cuda.parameter_bytes <= sizeof(fake_cuda.parameters))
    memcpy(fake_cuda.parameters, parameters[0], fake_cuda.parameter_bytes);
  fake_cuda.launches++;
  return CUDA_SUCCESS;
}

/* --- memory elsewhere --------------------------------------------------------------------------
 */

CUresult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned int flags)
{
  IN_CONTEXT
  NEED(memory && bytes && !pinned && flags == CU_MEMHOSTREGISTER_DEVICEMAP,
       "flags, or pinned twice")
  pinned = memory;
  pinned_bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *memory)
{
  IN_CONTEXT
  NEED(memory && memory == pinned, "not pinned")
  pinned = NULL;
  return CUDA_SUCCESS;
}

static int is_pinned(const void *memory, size_t bytes)
{
  const unsigned char *first = memory;

  return pinned && first >= pinned && first + bytes <= pinned + pinned_bytes;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
  IN_CONTEXT
  NEED((void *)stream == &stream_given && is_pinned(from, bytes), "no stream, or not pinned")
  memcpy((void *)(uintptr_t)to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  IN_CONTEXT
  NEED((void *)stream == &stream_given && is_pinned(to, bytes), "no stream, or not pinned")
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return CUDA_SUCCESS;
}

/* The index of an event; sizeof(event_given) or more: there is no such event. */
static size_t index_of(CUevent event)
{
  return (size_t)((char *)(void *)event - event_given);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
  IN_CONTEXT
  NEED(!flags && (size_t)fake_cuda.events < sizeof(event_given), "flags, or too many events")
  recorded[fake_cuda.events] = 0;
  *event = (CUevent)(void *)&event_given[fake_cuda.events++];
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
  IN_CONTEXT
  NEED(index_of(event) < sizeof(event_given), "no such event")
  fake_cuda.events--;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
  IN_CONTEXT
  NEED(index_of(event) < sizeof(event_given) && (void *)stream == &stream_given, "no such event")
  recorded[index_of(event)] = 1;
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
  IN_CONTEXT
  NEED(index_of(event) < sizeof(event_given) && (void *)stream == &stream_given && !flags, "event")
  NEED(recorded[index_of(event)], "the event was never recorded")
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
  IN_CONTEXT
  NEED(index_of(from) < sizeof(event_given) && index_of(to) < sizeof(event_given) &&
           recorded[index_of(from)] && recorded[index_of(to)],
       "an event was never recorded")
  *ms = 0.25f;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
  AFTER_INIT
  NEED(is_device(device) && is_device(peer) && device != peer, "no two devices")
  *can = fake_cuda.peers_reach;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                 CUdevice peer)
{
  AFTER_INIT
  NEED(is_device(device) && is_device(peer) && device != peer, "no two devices")
  NEED(attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, "attribute")
  *value = fake_cuda.peer_atomics;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
  const int other = number_of(peer);

  IN_CONTEXT
  NEED(other && other != current && !flags && fake_cuda.peers_reach, "no access")
  if (reaches[current - 1][other - 1])
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  reaches[current - 1][other - 1] = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
  const int other = number_of(peer);

  IN_CONTEXT
  NEED(other && other != current, "no such peer")
  reaches[current - 1][other - 1] = 0;
  return CUDA_SUCCESS;
}

/* Whether the allocation that begins at this address is on the device of the context. */
static int is_of(CUdeviceptr address, CUcontext which)
{
  return ((size_t *)(uintptr_t)(address - 512))[1] == (size_t)number_of(which);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream)
{
  IN_CONTEXT
  NEED((void *)stream == &stream_given, "no stream")
  NEED(is_of(to, to_context) && is_of(from, from_context), "memory of another device")
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return CUDA_SUCCESS;
}
