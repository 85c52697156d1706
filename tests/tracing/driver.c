/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for the CUDA driver and NVIDIA's Sanitizer API in one library: libcuda.so.1, and, as a
 * link in a toolkit's place, libsanitizer-public.so. A kernel is a function that writes records as
 * kernels/trace.c does on a GPU.
 *
 * What an H200 does not allow ends the program here, with a message: functions are put in or taken
 * out between the begin and the end of a launch (there it hangs), or while another thread launches
 * or a graph is running, or in a module of a destroyed context; a graph is launched with functions,
 * but was instantiated without, or one of its kernels has no pointer for them. If functions are put
 * in or taken out, or a context is waited for, while a stream is captured, the capture becomes
 * invalid. Instructions must be selected each time.
 *
 * FAKE_SANITIZER_FAIL=NAME[:N]: this function fails, or only its call N. FAKE_MODULE=FILE: the
 * machine code.
 * FAKE_SLOW=MILLISECONDS: the first kernel that is waited for takes so long.
 * FAKE_CARVEOUT=PERCENT: what kernels prefer. FAKE_OLD_DRIVER: launches of graphs are not
 * announced. FAKE_FAIL=graph|upload|kernel: the first of them fails, and its end is not announced.
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
  bool selected;  /* instructions */
  bool patched;   /* functions are in all kernels */
  int launching;  /* threads between the begin and the end of a launch */
  bool capturing; /* a stream */
  bool invalid;   /* the capture */
  bool running;   /* a graph */
} driver;
static _Thread_local struct gpu_trace *trace_of_launch;
static int context, function;
static char modules[8], *module = modules; /* the newest one is that of the context */
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

static void wrong(const char *what)
{
  fprintf(stderr, "the driver hangs or fails: %s\n", what);
  abort();
}

static bool is_module(const void *in)
{
  if ((const char *)in >= modules && (const char *)in < module)
    wrong("functions are changed in a module of a destroyed context");
  return in == module;
}

SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId instruction, void *in,
                                           const char *name)
{
  FAIL_IF_WANTED
  driver.selected = true;
  return instruction && is_module(in) && !strncmp(name, "gpucache_", 9) ? SANITIZER_SUCCESS
                                                                        : FAILED;
}

static SanitizerResult change(const void *in, bool patched)
{
  if (__atomic_load_n(&driver.launching, __ATOMIC_SEQ_CST))
    wrong("functions are changed between the begin and the end of a launch");
  if (driver.running)
    wrong("functions are changed while a graph is running");
  driver.invalid |= driver.capturing;
  driver.patched = patched && driver.selected;
  driver.selected &= patched;
  return is_module(in) ? SANITIZER_SUCCESS : FAILED;
}

SanitizerResult sanitizerPatchModule(void *in)
{
  FAIL_IF_WANTED
  return change(in, true);
}

SanitizerResult sanitizerUnpatchModule(void *in)
{
  FAIL_IF_WANTED
  return change(in, false);
}

SanitizerResult sanitizerGetFunctionPcAndSize(void *in, const char *name, uint64_t *pc,
                                              uint64_t *size)
{
  FAIL_IF_WANTED
  *pc = FAKE_START;
  *size = 4096;
  return is_module(in) && *name ? SANITIZER_SUCCESS : FAILED;
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
  static bool waited;
  const char *const slow = getenv("FAKE_SLOW");

  FAIL_IF_WANTED(void) stream;
  if (slow && !waited)
    usleep((useconds_t)atoi(slow) * 1000);
  waited = true;
  driver.running = false;
  return SANITIZER_SUCCESS;
}

EXPORT void fake_patch(void)
{
  change(module, true);
}

EXPORT CUresult cuCtxSynchronize(void)
{
  driver.invalid |= driver.capturing;
  driver.running = false;
  return driver.capturing ? FAILED : CUDA_SUCCESS;
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

/* Announces a call of the driver, or its end with a result. */
static void announce(const char *name, const void *parameters, const char *kernel,
                     const CUresult *ended)
{
  const Sanitizer_CallbackData data = {.callbackSite = ended != NULL,
                                       .functionName = name,
                                       .functionParams = parameters,
                                       .functionReturnValue = ended,
                                       .symbolName = kernel,
                                       .context = &context};

  call(SANITIZER_CB_DOMAIN_DRIVER_API, 1, &data);
}

/* One context, with one module. */
static void make_context(void)
{
  static char machine_code[66 << 20] = "machine code";
  const char *const file = getenv("FAKE_MODULE");
  FILE *const stream = file ? fopen(file, "r") : NULL;
  const size_t size = stream ? fread(machine_code, 1, sizeof machine_code, stream) : 12;
  const Sanitizer_ResourceContextData new_context = {&context, 0};
  const Sanitizer_ResourceModuleData new_module = {&context, module, size, machine_code};

  if (stream)
    fclose(stream);
  call(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED,
       &new_context);
  call(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &new_module);
}

/* Loads the library that the environment names, as the driver does. */
EXPORT CUresult cuInit(unsigned flags)
{
  const char *const path = getenv("CUDA_INJECTION64_PATH");
  void *const library = path ? dlopen(path, RTLD_NOW) : NULL;
  int (*initialize)(void) = NULL;

  if (library)
    *(void **)&initialize = dlsym(library, "InitializeInjection");
  if (initialize)
    initialize();
  make_context();
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

static struct fake_launch flat(unsigned blocks, unsigned threads)
{
  return (struct fake_launch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
}

static unsigned volume(const unsigned extents[3])
{
  return extents[0] * extents[1] * extents[2];
}

static Sanitizer_LaunchData launch_data(const char *name, const struct fake_launch *as)
{
  return (Sanitizer_LaunchData){.context = &context,
                                .module = module,
                                .function = &function,
                                .functionName = name,
                                .hStream = as->stream,
                                .gridDim_x = as->grid[0],
                                .gridDim_y = as->grid[1],
                                .gridDim_z = as->grid[2],
                                .blockDim_x = as->block[0],
                                .blockDim_y = as->block[1],
                                .blockDim_z = as->block[2],
                                .clusterDim_x = as->cluster[0],
                                .clusterDim_y = as->cluster[1],
                                .clusterDim_z = as->cluster[2]};
}

/* Whether what is launched now fails. */
static bool launch_fails(const char *what)
{
  static bool failed;
  const char *const fail = getenv("FAKE_FAIL");

  if (failed || !fail || strcmp(fail, what) != 0)
    return false;
  return failed = true;
}

/* A launch as a kernel or as the kernel of a stream that is captured, which has no begin. */
EXPORT void fake_launch_as(const char *name, const struct fake_launch *as, fake_kernel *run)
{
  const unsigned *const grid = as->grid, *const block = as->block;
  const struct {
    void *function;
    unsigned sizes[6];
  } parameters = {&function, {grid[0], grid[1], grid[2], block[0], block[1], block[2]}};
  const CUlaunchConfig configuration = {grid[0],  grid[1], grid[2], block[0], block[1],
                                        block[2], 0,       NULL,    NULL,     0};
  const CUlaunchConfig *const extended = &configuration;
  const CUresult ended = run && launch_fails("kernel") ? FAILED : CUDA_SUCCESS;
  Sanitizer_LaunchData data = launch_data(name, as);
  const bool is_extended = volume(grid) == 1 || as->cluster[0];
  const char *const call_name = is_extended       ? "cuLaunchKernelEx_ptsz"
                                : as->cooperative ? "cuLaunchCooperativeKernel"
                                                  : "cuLaunchKernel";
  const void *const of_call = is_extended ? (const void *)&extended : &parameters;

  announce(call_name, of_call, name, NULL);
  if (run) {
    data.hLaunch = &data;
    trace_of_launch = NULL;
    __atomic_add_fetch(&driver.launching, 1, __ATOMIC_SEQ_CST);
    call(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    if (driver.patched && trace_of_launch && !ended)
      run(trace_of_launch, volume(grid), volume(block));
    /* The API promises the dimensions for the begin only. */
    data.gridDim_x = data.gridDim_y = data.gridDim_z = 0;
    data.blockDim_x = data.blockDim_y = data.blockDim_z = 0;
    if (!ended)
      call(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
    __atomic_sub_fetch(&driver.launching, 1, __ATOMIC_SEQ_CST);
  }
  announce(call_name, of_call, name, &ended);
}

EXPORT void fake_launch(const char *name, unsigned blocks, unsigned threads, fake_kernel *run)
{
  const struct fake_launch as = flat(blocks, threads);

  fake_launch_as(name, &as, run);
}

static void change_capture(const char *name, bool begin)
{
  static const void *const stream = &driver;
  static const CUresult success = CUDA_SUCCESS;

  announce(name, &stream, NULL, NULL);
  driver.capturing = begin;
  if (!begin && driver.invalid)
    wrong("a capture became invalid");
  announce(name, &stream, NULL, &success);
}

EXPORT void fake_capture(bool begin)
{
  change_capture(begin ? "cuStreamBeginCapture_v2" : "cuStreamEndCapture", begin);
}

EXPORT void fake_destroy_stream(bool succeeds)
{
  static const void *const stream = &driver;
  static const CUresult failed = FAILED;

  if (succeeds) {
    change_capture("cuStreamDestroy_v2", false);
    return;
  }
  announce("cuStreamDestroy_v2", &stream, NULL, NULL);
  announce("cuStreamDestroy_v2", &stream, NULL, &failed);
}

/* The one graph. */
static struct {
  bool exists, patched;
} instantiated;

static void instantiate(const char *const *names, const unsigned *blocks, size_t count)
{
  static const void *const result = &instantiated;
  static const void *const *const parameters = &result;
  static const CUresult success = CUDA_SUCCESS;

  fake_capture(true);
  for (size_t i = 0; i < count; i++)
    fake_launch(names[i], blocks[i], 64, NULL);
  fake_capture(false);
  announce("cuGraphInstantiateWithFlags", &parameters, NULL, NULL);
  instantiated.exists = true;
  instantiated.patched = driver.patched;
  announce("cuGraphInstantiateWithFlags", &parameters, NULL, &success);
}

EXPORT void fake_change_graph(void)
{
  static const void *const parameters = &instantiated;
  static const CUresult success = CUDA_SUCCESS;

  announce("cuGraphExecUpdate_v2", &parameters, NULL, NULL);
  instantiated.patched = driver.patched;
  announce("cuGraphExecUpdate_v2", &parameters, NULL, &success);
}

static struct gpu_trace *const not_set = (struct gpu_trace *)&driver;

/* Uploads or launches it. Whether this succeeds. */
static bool start_graph(const char *const *names, const unsigned *blocks, fake_kernel *const *runs,
                        size_t count, bool upload)
{
  const bool announced = !getenv("FAKE_OLD_DRIVER"),
             fails = launch_fails(upload ? "upload" : "graph");
  const Sanitizer_GraphLaunchData launch = {
      .context = &context, .hStream = &driver, .isGraphUpload = upload};
  struct gpu_trace *traces[8] = {NULL};

  if (announced)
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN, &launch);
  for (size_t i = 0; i < count; i++) {
    const struct fake_launch as = flat(blocks[i], 64);
    Sanitizer_GraphNodeLaunchData node = {.launchData = launch_data(names[i], &as)};

    node.launchData.hLaunch = &node;
    node.launchData.gridId = 5 + i;
    trace_of_launch = not_set;
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &node);
    if (driver.patched && !upload && trace_of_launch == not_set)
      wrong("a kernel of a graph has no pointer for its functions");
  }
  /* The pointer that is set last is that of all kernels in a stream. */
  for (size_t i = 0; i < count; i++) {
    traces[i] = trace_of_launch && trace_of_launch != not_set ? trace_of_launch + 5 + i : NULL;
    if (traces[i] && traces[i]->grid != 5 + i)
      traces[i] = NULL;
  }
  if (fails)
    return false;
  if (!upload && driver.patched && !instantiated.patched)
    wrong("a graph is launched with functions and was instantiated without them");
  driver.running = !upload;
  /* The kernels begin when all nodes are known, here the last one first. */
  for (size_t i = count; i-- && !upload;)
    if (driver.patched && traces[i])
      runs[i](traces[i], blocks[i], 64);
  if (announced)
    call(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_LAUNCH_END, &launch);
  return true;
}

EXPORT void fake_graph(const char *const *names, const unsigned *blocks, fake_kernel *const *runs,
                       size_t count, bool upload)
{
  static const void *const parameters = &instantiated;
  const char *const name = upload ? "cuGraphUpload" : "cuGraphLaunch";
  CUresult result;

  if (!instantiated.exists)
    instantiate(names, blocks, count);
  announce(name, &parameters, NULL, NULL);
  result = start_graph(names, blocks, runs, count, upload) ? CUDA_SUCCESS : FAILED;
  announce(name, &parameters, NULL, &result);
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
  data.context = module;
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

EXPORT void fake_reset(void)
{
  static const CUresult success = CUDA_SUCCESS;

  announce("cuDevicePrimaryCtxReset_v2", NULL, NULL, NULL);
  fake_destroy();
  driver.capturing = driver.patched = driver.selected = false;
  announce("cuDevicePrimaryCtxReset_v2", NULL, NULL, &success);
  module++;
  make_context();
}
