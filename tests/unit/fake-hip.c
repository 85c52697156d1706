/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake-hip.h"

#include "device/common.h"
#include "device/sim.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define ALLOCATIONS 64
#define FIRST_DEVICE 40 /* device numbers are not indices */
#define POINTER(address) ((void *)(uintptr_t)(address))
#define MACHINE_AMDGPU 224
#define MACH_MASK 0xff

/* Prototypes: the compiler checks the definitions below against what the back end calls. */
#define PROTOTYPE(type, name, parameters) EXPORT type name parameters;
HIP_SYMBOLS(PROTOTYPE)
#undef PROTOTYPE

EXPORT struct fake_hip fake_hip;
EXPORT void fake_hip_reset(void);

static struct gc_device *sim;
static const unsigned char *image; /* of the module that is loaded */
static int initialized, launches_left, lost, failed;
static int shown[FAKE_HIP_DEVICES]; /* the devices that ROCr shows */
static struct {
  uint64_t address;
  size_t bytes;
} allocations[ALLOCATIONS];

/* Pinned memory is memory of the simulated host's node 0, where kernels are concerned. */
static struct {
  unsigned char *memory;
  size_t bytes;
  uint64_t address;
} pinned;

#define STREAMS 4
#define EVENTS 4
static char stream_objects[STREAMS], event_objects[EVENTS], recorded[EVENTS];
static struct gc_copy queued[8]; /* since the last synchronization */
static uint32_t copies;
static double took_ns;

static hipError_t violate(const char *name, const char *what)
{
  if (!*fake_hip.violation)
    snprintf(fake_hip.violation, sizeof(fake_hip.violation), "%s: %s", name, what);
  return hipErrorInvalidValue;
}

/* The error that FAKE_HIP_FAIL has this function return, or that all functions return once the GPU
 * is lost. */
static hipError_t forced_error(const char *name)
{
  const char *fail = getenv("FAKE_HIP_FAIL");
  const size_t length = strlen(name);

  if (fail && !strncmp(fail, name, length) && fail[length] == '=')
    return (hipError_t)atoi(fail + length + 1);
  return lost ? hipErrorNoDevice : hipSuccess;
}

#define NEED(condition, what)                                                                      \
  if (!(condition))                                                                                \
    return violate(__func__, what);
#define FAIL_IF_FORCED                                                                               \
  if (forced_error(__func__))                                                                              \
    return forced_error(__func__);
#define AFTER_INIT                                                                                 \
  NEED(initialized, "before hipInit")                                                              \
  FAIL_IF_FORCED
#define ON_DEVICE                                                                                  \
  NEED(fake_hip.current >= 0, "no device is set")                                                  \
  FAIL_IF_FORCED
#define IS_DEVICE(device) ((device) >= FIRST_DEVICE && (device) < FIRST_DEVICE + fake_hip.opened)
#define DEVICE(number) fake_hip.device[shown[(number) - FIRST_DEVICE]]

void fake_hip_reset(void)
{
  if (sim)
    gc_device_sim.close(sim);
  sim = NULL;
  image = NULL;
  initialized = lost = failed = 0;
  memset(allocations, 0, sizeof(allocations));
  pinned.memory = NULL;
  copies = 0;
  fake_hip = (struct fake_hip){.devices = 1, .processor = FAKE_HIP_GFX90A, .current = -1,
                               .wall_clock_khz = 100000};
  strcpy(fake_hip.device[0].bus_id, "0000:0a:00.0");
  strcpy(fake_hip.device[0].uuid, "0123456789abcdef");
  strcpy(fake_hip.model, "Stand-in Instinct");
}

/* For programs that use this library as HIP. */
__attribute__((constructor)) static void begin(void)
{
  fake_hip_reset();
}

const char *hipGetErrorName(hipError_t error)
{
#define NAME(constant, value)                                                                      \
  if (error == (value) && (!strncmp(#constant, "hipError", 8) || !error))                          \
    return #constant;
  HIP_CONSTANTS(NAME)
#undef NAME
  return "hipErrorUnknown";
}

static void note(char *into, size_t size, const char *variable)
{
  const char *value = getenv(variable);

  snprintf(into, size, "%s", value ? value : "(unset)");
}

/* The index of the device that an entry of ROCR_VISIBLE_DEVICES names, or -1: a UUID of which there
 * is one, or an index. */
static int named_device(const char *entry)
{
  int found = -1;
  char *end;

  if (strncmp(entry, "GPU-", 4)) {
    const long index = strtol(entry, &end, 0);

    return *end || index < 0 || index >= fake_hip.devices ? -1 : (int)index;
  }
  for (int i = 0; i < fake_hip.devices; i++)
    if (!strcmp(fake_hip.device[i].uuid, entry + 4)) {
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

/* Opens the devices that ROCr shows: all, or those before the first invalid or repeated entry. */
static void open_devices(void)
{
  const char *list = getenv("ROCR_VISIBLE_DEVICES");
  char entries[512], *rest = NULL;

  fake_hip.opened = 0;
  if (!fake_hip.filters || !list) {
    for (; fake_hip.opened < fake_hip.devices; fake_hip.opened++)
      shown[fake_hip.opened] = fake_hip.opened;
    return;
  }
  snprintf(entries, sizeof(entries), "%s", list);
  for (char *entry = strtok_r(entries, ",", &rest); entry; entry = strtok_r(NULL, ",", &rest)) {
    const int device = named_device(entry);

    for (int i = 0; i < fake_hip.opened; i++)
      if (shown[i] == device)
        return;
    if (device < 0)
      return;
    shown[fake_hip.opened++] = device;
  }
}

static int open_sim(void)
{
  const char *profile = getenv("FAKE_HIP_PROFILE"), *top = getenv("top_srcdir");
  struct gc_gpu gpu = {.vendor = GC_VENDOR_SIM, .name = "fake"};
  struct gc_error err;

  if (profile)
    snprintf(gpu.profile, sizeof(gpu.profile), "%s", profile);
  else
    snprintf(gpu.profile, sizeof(gpu.profile), "%s/data/sim/mi210", top ? top : ".");
  if (!sim && gc_device_sim.open(&gpu, &sim, &err))
    violate("hipInit", err.text);
  return sim != NULL;
}

hipError_t hipInit(unsigned int flags)
{
  const char *launches = getenv("FAKE_HIP_LAUNCHES"), *gone = getenv("FAKE_HIP_LOST");

  NEED(flags == 0, "flags")
  note(fake_hip.rocr, sizeof(fake_hip.rocr), "ROCR_VISIBLE_DEVICES");
  note(fake_hip.hip, sizeof(fake_hip.hip), "HIP_VISIBLE_DEVICES");
  note(fake_hip.cuda, sizeof(fake_hip.cuda), "CUDA_VISIBLE_DEVICES");
  fake_hip.inits++;
  FAIL_IF_FORCED
  if (gone && !access(gone, F_OK))
    return hipErrorNoDevice;
  NEED(open_sim(), "no simulated GPU")
  launches_left = launches ? atoi(launches) : -1;
  open_devices();
  initialized = 1;
  return hipSuccess;
}

hipError_t hipGetDeviceCount(int *count)
{
  AFTER_INIT
  *count = fake_hip.opened;
  return *count ? hipSuccess : hipErrorNoDevice;
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
  AFTER_INIT
  NEED(ordinal >= 0 && ordinal < fake_hip.opened, "no such device")
  *device = FIRST_DEVICE + ordinal;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char *name, int size, hipDevice_t device)
{
  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  snprintf(name, (size_t)size, "%s", fake_hip.model);
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  memcpy(uuid->bytes, DEVICE(device).uuid, sizeof(uuid->bytes));
  return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char *id, int size, int device)
{
  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  snprintf(id, (size_t)size, "%s", DEVICE(device).bus_id);
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device)
{
  struct gc_properties p;
  struct gc_error err;

  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  NEED(!gc_device_sim.properties(sim, &p, &err), err.text)
  switch (attribute) {
#define ATTRIBUTE(name, is)                                                                        \
  case hipDeviceAttribute##name:                                                                   \
    *value = (int)(is);                                                                            \
    return hipSuccess;
    ATTRIBUTE(MultiprocessorCount, fake_hip.counts_pairs ? p.sms / 2 : p.sms)
    ATTRIBUTE(WarpSize, p.warp)
    ATTRIBUTE(ClockRate, p.clock_khz)
    ATTRIBUTE(MemoryClockRate, p.memory_clock_khz)
    ATTRIBUTE(MemoryBusWidth, p.memory_bus_bits)
    ATTRIBUTE(MaxThreadsPerBlock, p.threads_per_block)
    ATTRIBUTE(MaxThreadsPerMultiProcessor, p.threads_per_sm)
    ATTRIBUTE(MaxRegistersPerBlock, p.registers_per_block)
    ATTRIBUTE(MaxRegistersPerMultiprocessor, p.registers_per_sm)
    ATTRIBUTE(L2CacheSize, p.l2_bytes)
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, p.shared_per_sm)
    ATTRIBUTE(MaxSharedMemoryPerBlock, p.shared_per_block)
    ATTRIBUTE(EccEnabled, p.ecc)
    ATTRIBUTE(Integrated, fake_hip.integrated)
    ATTRIBUTE(HostNativeAtomicSupported, p.host_atomics)
#undef ATTRIBUTE
  case hipDeviceAttributeWallClockRate:
    *value = fake_hip.wall_clock_khz;
    return *value ? hipSuccess : hipErrorInvalidValue;
  default:
    return hipErrorInvalidValue;
  }
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
  struct gc_properties p;
  struct gc_error err;

  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  NEED(!gc_device_sim.properties(sim, &p, &err), err.text)
  *bytes = p.memory_bytes;
  return hipSuccess;
}

hipError_t hipSetDevice(int device)
{
  AFTER_INIT
  NEED(IS_DEVICE(device), "no such device")
  fake_hip.current = shown[device - FIRST_DEVICE];
  return hipSuccess;
}

hipError_t hipSetDeviceFlags(unsigned int flags)
{
  ON_DEVICE
  NEED(flags == hipDeviceScheduleSpin, "flags")
  return hipSuccess;
}

hipError_t hipDeviceReset(void)
{
  ON_DEVICE
  NEED(!fake_hip.modules && !fake_hip.pinned && !fake_hip.streams && !fake_hip.events,
       "with a module, memory, streams or events in place")
  fake_hip.resets++;
  return hipSuccess;
}

/* The symbol of this name in the code object, or NULL. */
static const Elf64_Sym *find_symbol(const char *name)
{
  const Elf64_Ehdr *elf = (const void *)image;
  const Elf64_Shdr *sections = (const void *)(image + elf->e_shoff);

  for (unsigned s = 0; s < elf->e_shnum; s++) {
    const Elf64_Shdr *section = &sections[s];
    const Elf64_Sym *symbols = (const void *)(image + section->sh_offset);

    for (size_t i = 0; section->sh_type == SHT_DYNSYM && i < section->sh_size / sizeof(*symbols); i++)
      if (!strcmp((const char *)image + sections[section->sh_link].sh_offset + symbols[i].st_name, name))
        return &symbols[i];
  }
  return NULL;
}

hipError_t hipModuleLoadData(hipModule_t *out, const void *data)
{
  const Elf64_Ehdr *elf = data;

  ON_DEVICE
  NEED(data && !((uintptr_t)data % 8), "no image")
  if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_machine != MACHINE_AMDGPU)
    return hipErrorInvalidImage;
  if ((elf->e_flags & MACH_MASK) != fake_hip.processor)
    return hipErrorNoBinaryForGpu;
  image = data;
  fake_hip.modules++;
  *out = (hipModule_t)POINTER(&image);
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t which)
{
  ON_DEVICE
  NEED((void *)which == &image && fake_hip.modules > 0, "no such module")
  fake_hip.modules--;
  return hipSuccess;
}

/* Kernels have a descriptor. */
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t which, const char *name)
{
  char descriptor[80];

  ON_DEVICE
  NEED((void *)which == &image, "no such module")
  snprintf(descriptor, sizeof(descriptor), "%s.kd", name);
  for (int k = 0; k < GC_KERNEL_COUNT && find_symbol(descriptor); k++)
    if (!strcmp(gc_kernels[k].entry, name)) {
      *function = (hipFunction_t)POINTER(&gc_kernels[k]);
      return hipSuccess;
    }
  return hipErrorNotFound;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *bytes, hipModule_t which,
                              const char *name)
{
  ON_DEVICE
  NEED((void *)which == &image && !strcmp(name, "gpu_tick"), "no such variable")
  if (!find_symbol(name))
    return hipErrorNotFound;
  *address = fake_hip.tick;
  *bytes = find_symbol(name)->st_size;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
  uint64_t unused, total;
  struct gc_error err;

  ON_DEVICE
  NEED(!gc_device_sim.memory(sim, &unused, &total, &err), err.text)
  *free_bytes = unused;
  *total_bytes = total;
  return hipSuccess;
}

static size_t *find_allocation(uint64_t address, uint64_t **base)
{
  for (size_t i = 0; i < ALLOCATIONS; i++)
    if (allocations[i].address == address) {
      *base = &allocations[i].address;
      return &allocations[i].bytes;
    }
  return NULL;
}

hipError_t hipMalloc(void **address, size_t bytes)
{
  uint64_t *place, at;
  struct gc_error err;
  size_t *room;

  ON_DEVICE
  room = find_allocation(0, &place);
  NEED(room, "too many allocations")
  if (gc_device_sim.alloc(sim, bytes, &at, &err))
    return hipErrorOutOfMemory;
  *place = at;
  *room = bytes;
  fake_hip.allocations++;
  *address = POINTER(at);
  return hipSuccess;
}

hipError_t hipFree(void *address)
{
  uint64_t *place;

  ON_DEVICE
  NEED(address && find_allocation((uintptr_t)address, &place), "nothing to free")
  gc_device_sim.release(sim, *place);
  *place = 0;
  fake_hip.allocations--;
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t address)
{
  uint64_t *place;
  size_t *size;

  ON_DEVICE
  size = find_allocation((uintptr_t)address, &place);
  NEED(address && size, "no such address")
  *base = address;
  *bytes = *size;
  return hipSuccess;
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
  struct gc_error err;
  int status;

  ON_DEVICE
  NEED(kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToHost, "the direction")
  if (to == fake_hip.tick) {
    NEED(bytes == sizeof(fake_hip.tick) && kind == hipMemcpyHostToDevice, "not the variable")
    memcpy(to, from, bytes);
    return hipSuccess;
  }
  if (failed)
    return hipErrorLaunchFailure;
  status = kind == hipMemcpyHostToDevice
             ? gc_device_sim.upload(sim, (uintptr_t)to, from, bytes, &err)
             : gc_device_sim.download(sim, to, (uintptr_t)from, bytes, &err);
  return status ? violate(__func__, err.text) : hipSuccess;
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
  struct gc_error err;

  ON_DEVICE
  NEED(value == 0 && !gc_device_sim.clear(sim, (uintptr_t)to, bytes, &err), "a value other than 0, or no allocation")
  return hipSuccess;
}

hipError_t hipHostRegister(void *memory, size_t bytes, unsigned int flags)
{
  struct gc_error err;

  ON_DEVICE
  NEED(memory && bytes && !pinned.memory, "no memory, or there is some already")
  NEED(flags == (hipHostRegisterPortable | hipHostRegisterMapped), "flags")
  if (gc_device_sim.alloc_on_node(sim, bytes, 0, &pinned.address, &err))
    return hipErrorOutOfMemory;
  pinned.memory = memory;
  pinned.bytes = bytes;
  fake_hip.pinned++;
  return hipSuccess;
}

hipError_t hipHostUnregister(void *memory)
{
  ON_DEVICE
  NEED(memory && memory == pinned.memory, "not pinned")
  gc_device_sim.release(sim, pinned.address);
  pinned.memory = NULL;
  fake_hip.pinned--;
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **address, void *memory, unsigned int flags)
{
  ON_DEVICE
  NEED(flags == 0 && memory && memory == pinned.memory, "not pinned")
  *address = POINTER(pinned.address);
  return hipSuccess;
}

/* The index of a stream or event; STREAMS or EVENTS or more: there is no such one. */
#define STREAM(stream) ((size_t)((char *)(void *)(stream)-stream_objects))
#define EVENT(event) ((size_t)((char *)(void *)(event)-event_objects))

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags)
{
  ON_DEVICE
  NEED(flags == hipStreamNonBlocking && fake_hip.streams < STREAMS, "flags, or too many streams")
  *stream = (hipStream_t)POINTER(&stream_objects[fake_hip.streams++]);
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
  ON_DEVICE
  NEED(STREAM(stream) < STREAMS, "no such stream")
  fake_hip.streams--;
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *out)
{
  ON_DEVICE
  NEED(fake_hip.events < EVENTS, "too many events")
  recorded[fake_hip.events] = 0;
  *out = (hipEvent_t)POINTER(&event_objects[fake_hip.events++]);
  return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t which)
{
  ON_DEVICE
  NEED(EVENT(which) < EVENTS, "no such event")
  fake_hip.events--;
  return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t which, hipStream_t stream)
{
  ON_DEVICE
  NEED(EVENT(which) < EVENTS && STREAM(stream) < STREAMS, "no such event or stream")
  recorded[EVENT(which)] = 1;
  return hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t which, unsigned int flags)
{
  ON_DEVICE
  NEED(EVENT(which) < EVENTS && STREAM(stream) < STREAMS && !flags, "no such event or stream")
  NEED(recorded[EVENT(which)], "the event was never recorded")
  return hipSuccess;
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream)
{
  const int reads = kind == hipMemcpyHostToDevice;
  const unsigned char *host = reads ? from : to;
  uint64_t address;

  ON_DEVICE
  NEED(reads || kind == hipMemcpyDeviceToHost, "the direction")
  NEED(STREAM(stream) < STREAMS && copies < sizeof(queued) / sizeof(*queued),
       "no such stream, or too many copies")
  NEED(pinned.memory && host >= pinned.memory && host + bytes <= pinned.memory + pinned.bytes,
       "not pinned")
  address = pinned.address + (uint64_t)(host - pinned.memory);
  queued[copies++] = reads ? (struct gc_copy){(uintptr_t)to, address, bytes, 0}
                           : (struct gc_copy){address, (uintptr_t)from, bytes, 0};
  return hipSuccess;
}

/* Reports the failure of a launch. Copies since the last call ran at the same time. */
hipError_t hipDeviceSynchronize(void)
{
  const uint32_t n = copies;
  struct gc_error err;

  ON_DEVICE
  fake_hip.synchronized++;
  copies = 0;
  NEED(!n || !gc_device_sim.copy(sim, queued, n, &took_ns, &err), err.text)
  return failed ? hipErrorLaunchFailure : hipSuccess;
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
  ON_DEVICE
  NEED(EVENT(from) < EVENTS && EVENT(to) < EVENTS && from != to && !copies,
       "before the copies have ended")
  *ms = (float)(took_ns / 1e6);
  return hipSuccess;
}

/* Whether the function is a kernel, and which one. */
static int is_kernel(hipFunction_t function, enum gc_kernel *kernel)
{
  const struct gc_kernel_facts *facts = (const void *)function;

  if (facts < gc_kernels || facts >= gc_kernels + GC_KERNEL_COUNT)
    return 0;
  *kernel = (enum gc_kernel)(facts - gc_kernels);
  snprintf(fake_hip.function, sizeof(fake_hip.function), "%s", facts->entry);
  return 1;
}

static void lose(void)
{
  const char *gone = getenv("FAKE_HIP_LOST");
  FILE *file = gone ? fopen(gone, "w") : NULL;

  if (file)
    fclose(file);
  lost = 1;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y,
                                 unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                 unsigned int block_z, unsigned int shared_bytes,
                                 hipStream_t stream, void **parameters, void **extra)
{
  struct gc_launch launch = {.blocks = grid_x, .threads = block_x, .shared_bytes = shared_bytes};
  struct gc_error err;

  ON_DEVICE
  NEED(is_kernel(function, &launch.kernel), "no such function")
  NEED(grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1, "not one-dimensional")
  NEED(!stream && !parameters && extra && extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
           extra[2] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[4] == HIP_LAUNCH_PARAM_END,
       "how arguments are passed")
  launch.args = extra[1];
  launch.args_bytes = *(size_t *)extra[3];
  NEED(launch.args_bytes <= sizeof(fake_hip.parameters), "too many arguments")
  if (launches_left == 0) {
    lose();
    return hipSuccess; /* later calls report it */
  }
  launches_left -= launches_left > 0;
  fake_hip.grid = grid_x;
  fake_hip.block = block_x;
  fake_hip.shared = shared_bytes;
  fake_hip.parameter_bytes = launch.args_bytes;
  memcpy(fake_hip.parameters, launch.args, launch.args_bytes);
  fake_hip.launches++;
  switch (gc_device_sim.launch(sim, &launch, &err)) {
  case 0:
    return hipSuccess;
  case -EIO:
    failed = 1; /* later calls report it */
    return hipSuccess;
  default:
    return violate(__func__, err.text);
  }
}
