/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for the CUDA driver and NVIDIA's Sanitizer API in one library: libcuda.so.1, and, as a
 * link in a toolkit's place, libsanitizer-public.so. A kernel is a function that writes records as
 * kernels/trace.c does on a GPU.
 *
 * FAKE_SANITIZER_FAIL=NAME[:N]: this function fails, or only its call N. FAKE_MODULE=FILE: the
 * machine code.
 * FAKE_CARVEOUT=PERCENT: what kernels prefer. FAKE_OLD_DRIVER: launches of graphs are not
 * announced. FAKE_GRAPH_FAIL: the first launch of a graph fails, and its end is not announced.
 */
#include "driver.h"

#include "device/cuda_symbols.h"
#include "kernels/trace.h"
#include "trace/sanitizer.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FAILED 1u
#define SMS 4
#define MEMORY ((size_t)64 << 20)

#define PROTOTYPE(name, parameters) EXPORT SanitizerResult name parameters;
SANITIZER_SYMBOLS(PROTOTYPE)
#undef PROTOTYPE

static struct {
  Sanitizer_CallbackFunc callback;
  void *userdata;
  bool domains[16];
  bool patched;
} driver;
static _Thread_local struct gpu_trace *trace_of_launch;
static int context, module, function;
static void *gpu_memory; /* of the context */

static SanitizerResult result(const char *name)
{
  static int calls;
  const char *const fail = getenv("FAKE_SANITIZER_FAIL");
  const size_t length = strlen(name);

  if (!fail || strncmp(fail, name, length) != 0)
    return SANITIZER_SUCCESS;
  return !fail[length] || (fail[length] == ':' && ++calls == atoi(fail + length + 1))
             ? FAILED
             : SANITIZER_SUCCESS;
}
#define FAIL_IF_WANTED                                                                             \
  if (result(__func__))                                                                            \
    return FAILED;

SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle *subscriber,
                                   Sanitizer_CallbackFunc callback, void *userdata)
{
  FAIL_IF_WANTED
  *subscriber = &driver;
  driver.callback = callback;
  driver.userdata = userdata;
  return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerEnableDomain(uint32_t enable, Sanitizer_SubscriberHandle subscriber,
                                      Sanitizer_CallbackDomain domain)
{
  FAIL_IF_WANTED
  if (subscriber != &driver)
    return FAILED;
  driver.domains[domain] = enable;
  return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAddPatches(const void *image, void *in)
{
  FAIL_IF_WANTED
  return image && in == &context ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerAddPatchesFromFile(const char *path, void *in)
{
  FAIL_IF_WANTED
  return in == &context && !access(path, R_OK) ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId instruction, void *in,
                                           const char *name)
{
  FAIL_IF_WANTED
  return instruction && in == &module && !strncmp(name, "gpucache_", 9) ? SANITIZER_SUCCESS
                                                                        : FAILED;
}

SanitizerResult sanitizerPatchModule(void *in)
{
  FAIL_IF_WANTED
  driver.patched = true;
  return in == &module ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerGetFunctionPcAndSize(void *in, const char *name, uint64_t *pc,
                                              uint64_t *size)
{
  FAIL_IF_WANTED
  *pc = FAKE_START;
  *size = 4096;
  return in == &module && *name ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle of, void *kernel,
                                               Sanitizer_StreamHandle stream, const void *userdata)
{
  FAIL_IF_WANTED(void) stream;
  trace_of_launch = (struct gpu_trace *)userdata;
  return of && kernel == &function ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerAlloc(void *in, void **address, size_t size)
{
  FAIL_IF_WANTED
  free(gpu_memory);
  *address = gpu_memory = malloc(size);
  return in == &context && size <= MEMORY && *address ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t count,
                                                 Sanitizer_StreamHandle stream)
{
  FAIL_IF_WANTED(void) stream;
  memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerMemcpyDeviceToHost(void *to, void *from, size_t count,
                                            Sanitizer_StreamHandle stream)
{
  FAIL_IF_WANTED(void) stream;
  memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle stream)
{
  FAIL_IF_WANTED(void) stream;
  return SANITIZER_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
  *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? SMS
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                       : 0;
  return device ? FAILED : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
  *bytes = MEMORY;
  return device ? FAILED : CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction of)
{
  const char *const percent = getenv("FAKE_CARVEOUT");

  FAIL_IF_WANTED
  *value = percent ? atoi(percent) : -1;
  return attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && (void *)of == &function
             ? CUDA_SUCCESS
             : FAILED;
}

static void call(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data)
{
  if (driver.domains[domain])
    driver.callback(driver.userdata, domain, id, data);
}

/* Loads the library that the environment names, as the driver does, and one context and module. */
EXPORT CUresult cuInit(unsigned flags)
{
  static char machine_code[1 << 22] = "machine code";
  const char *const file = getenv("FAKE_MODULE");
  FILE *const stream = file ? fopen(file, "r") : NULL;
  const size_t size = stream ? fread(machine_code, 1, sizeof machine_code, stream) : 12;
  const Sanitizer_ResourceContextData new_context = {&context, 0};
  const Sanitizer_ResourceModuleData new_module = {&context, &module, size, machine_code};
  const char *const path = getenv("CUDA_INJECTION64_PATH");
  void *const library = path ? dlopen(path, RTLD_NOW) : NULL;
  int (*initialize)(void) = NULL;

  if (library)
    *(void **)&initialize = dlsym(library, "InitializeInjection");
  if (initialize)
    initialize();
  call(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED,
       &new_context);
  call(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &new_module);
  return flags ? FAILED : CUDA_SUCCESS;
}

EXPORT void fake_record(struct gpu_trace *trace, unsigned sm, const uint64_t *words, size_t count)
{
  struct gpu_trace_region *const region =
      (struct gpu_trace_region *)(uintptr_t)trace->places + sm % trace->regions;
  uint64_t *const at = (uint64_t *)(uintptr_t)region->next;

  region->next += count * sizeof *words;
  if (region->next > region->end)
    return;
  memcpy(at, words, count * sizeof *words);
  at[1] |= (uint64_t)trace->launch << 32;
}

static Sanitizer_LaunchData launch_data(const char *name, unsigned blocks, unsigned threads)
{
  return (Sanitizer_LaunchData){.context = &context,
                                .module = &module,
                                .function = &function,
                                .functionName = name,
                                .gridDim_x = blocks,
                                .gridDim_y = 1,
                                .gridDim_z = 1,
                                .blockDim_x = threads,
                                .blockDim_y = 1,
                                .blockDim_z = 1};
}

EXPORT void fake_launch(const char *name, unsigned blocks, unsigned threads, fake_kernel *run)
{
  Sanitizer_LaunchData data = launch_data(name, blocks, threads);

  data.hLaunch = &data;
  trace_of_launch = NULL;
  call(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
  if (driver.patched && trace_of_launch)
    run(trace_of_launch, blocks, threads);
  /* The API promises the dimensions for the begin only. */
  data.gridDim_x = data.gridDim_y = data.gridDim_z = 0;
  data.blockDim_x = data.blockDim_y = data.blockDim_z = 0;
  call(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
}

EXPORT void fake_graph(const char *const *names, const unsigned *blocks, fake_kernel *const *runs,
                       size_t count, bool upload)
{
  static int graphs;
  const bool announced = !getenv("FAKE_OLD_DRIVER"), fails = getenv("FAKE_GRAPH_FAIL") && !graphs++;
  const Sanitizer_GraphLaunchData launch = {
      .context = &context, .hStream = &driver, .isGraphUpload = upload};
  struct gpu_trace *traces[8] = {NULL};

  trace_of_launch = NULL; /* the one that is set last, for all kernels in a stream */
  if (announced)
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN, &launch);
  for (size_t i = 0; i < count; i++) {
    Sanitizer_GraphNodeLaunchData node = {.launchData = launch_data(names[i], blocks[i], 64)};

    node.launchData.hLaunch = &node;
    node.launchData.gridId = 5 + i;
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &node);
  }
  for (size_t i = 0; i < count; i++) {
    traces[i] = trace_of_launch ? trace_of_launch + 5 + i : NULL;
    if (traces[i] && traces[i]->grid != 5 + i)
      traces[i] = NULL;
  }
  if (fails)
    return;
  /* The kernels begin when all nodes are known, here the last one first. */
  for (size_t i = count; i-- && !upload;)
    if (driver.patched && traces[i])
      runs[i](traces[i], blocks[i], 64);
  if (announced)
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_LAUNCH_END, &launch);
}

EXPORT void fake_memset(uint64_t address, uint64_t width, uint64_t height, uint64_t pitch)
{
  Sanitizer_MemsetData data = {.context = &context,
                               .address = address,
                               .width = width / 4,
                               .height = height,
                               .pitch = pitch,
                               .elementSize = 4};

  call(SANITIZER_CB_DOMAIN_MEMSET, 1, &data);
  /* of another GPU */
  data.context = &module;
  data.address += UINT64_C(1) << 40;
  call(SANITIZER_CB_DOMAIN_MEMSET, 1, &data);
}

EXPORT void fake_copy(uint64_t to, uint64_t from, uint64_t bytes, unsigned direction)
{
  /* the contexts are not named */
  const Sanitizer_MemcpyData data = {
      .srcAddress = from, .dstAddress = to, .size = bytes, .direction = direction};

  call(SANITIZER_CB_DOMAIN_MEMCPY, 1, &data);
}

EXPORT void fake_copy_rows(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch,
                           uint64_t width, uint64_t height, uint64_t depth)
{
  const Sanitizer_MemcpyData data = {.srcContext = &context,
                                     .dstContext = &context,
                                     .srcAddress = from,
                                     .dstAddress = to,
                                     .size = width * height * depth,
                                     .width = width,
                                     .height = height,
                                     .depth = depth,
                                     .srcPitch = from_pitch,
                                     .dstPitch = to_pitch,
                                     .direction = SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE};

  call(SANITIZER_CB_DOMAIN_MEMCPY, 1, &data);
}

EXPORT void fake_destroy(void)
{
  const Sanitizer_ResourceContextData data = {&context, 0};

  call(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}
