/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library that `hwloc-gpucache trace` has the CUDA driver load into each process
 * (CUDA_INJECTION64_PATH). Through NVIDIA's Sanitizer API it puts the functions of kernels/trace.c
 * into all kernels, and fetches the records that they wrote when a kernel has ended.
 *
 * A launch that is traced has the lock from its begin to its end, and the launch waits for the
 * kernel: launches of several threads or streams run one after the other. The driver must not be
 * called from the callbacks. A failure never ends the program: the launch is left out, and the
 * process says so at the end of its part.
 */
#include "device/cuda_symbols.h"
#include "kernels/trace.h"
#include "trace/sanitizer.h"
#include "trace/gathered.h"
#include "trace/image.h"
#include "trace/settings.h"

#include "predict/wanted.h"
#include "util/clock.h"
#include "util/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Records get this part of the GPU's memory: 4 GiB of 141 GB, 256 MiB of 8 GB. */
#define PART_OF_MEMORY 32
#define MOST_REGIONS 1024 /* no GPU has more SMs */
/* A sample has several groups of neighboring blocks. By default each group fills the GPU, so that
 * each block has the neighbors in its SM and in L2 that it has without tracing. */
#define WINDOWS 4
#define MOST_RESIDENT_THREADS 2048
#define MOST_RESIDENT_BLOCKS 32
#define LARGEST_IMAGE ((size_t)256 << 20)

struct context {
  struct context *next;
  void *handle;
  struct gpu_trace *on_gpu; /* heads and words follow */
  struct gpu_trace trace;   /* what is there */
};

struct module {
  struct module *next;
  void *handle;
  unsigned number; /* of its PID-N.cubin; 0: not saved */
};

static struct {
  struct gc_trace_settings settings;
  struct gc_sanitizer api;
  struct gc_wanted_names names;
  const char *directory;
  FILE *part;
  pthread_mutex_t lock; /* recursive: functions of the API call back */
  struct context *contexts;
  struct module *modules;
  unsigned saved;
  uint64_t launches, left_out, in_graphs;
  bool full; /* the limit is reached, or the part cannot be written */
  struct gc_error why; /* of the first launch that was left out */

  /* The launch that is traced now. */
  Sanitizer_LaunchHandle launch;
  struct context *context;
  uint64_t grid, blocks; /* launched and traced */
  unsigned threads;      /* of a block */
} tracer = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* Each instruction and the function of kernels/trace.c for it. */
static const struct {
  Sanitizer_InstructionId instruction;
  const char *function;
} patches[] = {
    {SANITIZER_INSTRUCTION_BLOCK_ENTER, "gpucache_block"},
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "gpucache_global"},
    {SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, "gpucache_local"},
    {SANITIZER_INSTRUCTION_BARRIER, "gpucache_barrier"},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "gpucache_async"},
    {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "gpucache_bulk_load"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "gpucache_bulk_store"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "gpucache_bulk_atomic"},
};

static int check(SanitizerResult result, const char *call, struct gc_error *err)
{
  return result ? gc_fail(err, -EIO, "%s failed with error %u", call, result) : 0;
}
#define CALL(function, arguments, err) check(tracer.api.function arguments, #function, err)

/* The driver, which has loaded this library, answers these without a lock. */
struct gpu {
  uint32_t sms, architecture; /* 90: sm_90 */
  uint64_t memory;            /* bytes */
};

static int ask_driver(int device, struct gpu *gpu, struct gc_error *err)
{
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  CUresult (*attribute)(int *, int, int);
  CUresult (*total)(size_t *, int);
  int sms, major, minor;
  size_t bytes;

  if (!driver)
    return gc_fail(err, -ENOENT, "the CUDA driver is not loaded");
  *(void **)&attribute = dlsym(driver, "cuDeviceGetAttribute");
  *(void **)&total = dlsym(driver, "cuDeviceTotalMem_v2");
  dlclose(driver);
  if (!attribute || !total || attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) ||
      attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
      attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ||
      total(&bytes, device))
    return gc_fail(err, -EIO, "the CUDA driver does not describe the GPU");
  gpu->sms = sms < MOST_REGIONS ? (uint32_t)sms : MOST_REGIONS;
  gpu->architecture = (uint32_t)(10 * major + minor);
  gpu->memory = bytes;
  return 0;
}

static int allocate(struct context *context, const struct gpu *gpu, struct gc_error *err)
{
  const size_t bytes = gpu->memory / PART_OF_MEMORY;
  struct gpu_trace *trace = &context->trace;
  void *memory;
  const int status = CALL(sanitizerAlloc, (context->handle, &memory, bytes), err);

  if (status)
    return status;
  context->on_gpu = memory;
  trace->regions = gpu->sms;
  trace->region_words = (bytes - sizeof *trace) / sizeof(uint64_t) / gpu->sms - 1;
  trace->heads = (uintptr_t)(context->on_gpu + 1);
  trace->words = trace->heads + gpu->sms * sizeof(uint64_t);
  return 0;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "we");
  const bool good = file && fwrite(bytes, 1, size, file) == size;

  return file && !fclose(file) && good ? 0 : -EIO;
}

/* Compiles the functions for this GPU, and adds them. */
static int add_compiled(void *context, const struct gpu *gpu, struct gc_error *err)
{
  char ptx[4200], cubin[4200], architecture[32];
  char *const argv[] = {tracer.settings.ptxas, "--compile-as-tools-patch", architecture, "-o", cubin,
                        ptx, NULL};
  pid_t child;

  snprintf(architecture, sizeof architecture, "-arch=sm_%u", gpu->architecture);
  snprintf(ptx, sizeof ptx, "%s/%d.ptx", tracer.directory, (int)getpid());
  snprintf(cubin, sizeof cubin, "%s/%d.image", tracer.directory, (int)getpid());
  if (!*tracer.settings.ptxas)
    return gc_fail(err, -ENOTSUP,
                   "this build has no code for GPUs of compute capability %u.%u: ptxas of the CUDA "
                   "Toolkit is needed",
                   gpu->architecture / 10, gpu->architecture % 10);
  if (write_file(ptx, gc_trace_ptx, gc_trace_ptx_bytes) ||
      posix_spawn(&child, argv[0], NULL, NULL, argv, environ))
    return gc_fail(err, -EIO, "cannot run %s: %s", argv[0], strerror(errno));
  /* If the program reaps all children, there is nothing to wait for: the file tells. */
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
    ;
  return CALL(sanitizerAddPatchesFromFile, (cubin, context), err);
}

static int add_patches(void *context, const struct gpu *gpu, struct gc_error *err)
{
  if (gc_trace_image_bytes && !tracer.api.sanitizerAddPatches(gc_trace_image, context))
    return 0;
  return add_compiled(context, gpu, err);
}

static struct context *find_context(void *handle)
{
  struct context *context;

  for (context = tracer.contexts; context; context = context->next)
    if (context->handle == handle)
      return context;
  return NULL;
}

static int add_context(const Sanitizer_ResourceContextData *data, struct gc_error *err)
{
  struct context *context = calloc(1, sizeof *context);
  struct gpu gpu;
  int status;

  if (!context)
    return gc_fail(err, -ENOMEM, "out of memory");
  context->handle = data->context;
  status = ask_driver(data->device, &gpu, err);
  if (!status)
    status = add_patches(data->context, &gpu, err);
  if (!status)
    status = allocate(context, &gpu, err);
  if (status) {
    free(context);
    return status;
  }
  context->next = tracer.contexts;
  tracer.contexts = context;
  return 0;
}

static void forget_context(void *handle)
{
  struct context **at = &tracer.contexts, *context;

  while (*at && (*at)->handle != handle)
    at = &(*at)->next;
  context = *at;
  if (context) {
    *at = context->next;
    free(context);
  }
}

/* Saves the machine code. The number of the file, or 0. */
static unsigned save(const Sanitizer_ResourceModuleData *data)
{
  char path[sizeof tracer.settings.sanitizer + 64];

  if (!data->pCubin || !data->cubinSize || data->cubinSize > LARGEST_IMAGE)
    return 0;
  snprintf(path, sizeof path, "%s/%d-%u.cubin", tracer.directory, (int)getpid(), tracer.saved + 1);
  return write_file(path, data->pCubin, data->cubinSize) ? 0 : ++tracer.saved;
}

static int patch(const Sanitizer_ResourceModuleData *data, struct gc_error *err)
{
  struct module *module;
  int status = 0;

  if (!find_context(data->context))
    return 0;
  for (size_t i = 0; i < sizeof patches / sizeof *patches && !status; i++)
    status = CALL(sanitizerPatchInstructions,
                  (patches[i].instruction, data->module, patches[i].function), err);
  if (!status)
    status = CALL(sanitizerPatchModule, (data->module), err);
  module = status ? NULL : malloc(sizeof *module);
  if (module) {
    *module = (struct module){tracer.modules, data->module, save(data)};
    tracer.modules = module;
  }
  return status;
}

static unsigned module_number(void *handle)
{
  for (const struct module *module = tracer.modules; module; module = module->next)
    if (module->handle == handle)
      return module->number;
  return 0;
}

/* What fills the GPU: no SM holds more threads or blocks. */
static uint64_t resident_blocks(unsigned threads, uint32_t sms)
{
  const unsigned of_sm = MOST_RESIDENT_THREADS / (threads ? threads : 1);

  return (uint64_t)sms * (of_sm < MOST_RESIDENT_BLOCKS ? of_sm ? of_sm : 1 : MOST_RESIDENT_BLOCKS);
}

/* Which blocks are traced, and how many they are. */
static void choose_blocks(const Sanitizer_LaunchData *data, struct gpu_trace *trace)
{
  const uint64_t grid = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z;
  uint64_t wanted = tracer.settings.blocks;

  tracer.grid = grid;
  tracer.threads = data->blockDim_x * data->blockDim_y * data->blockDim_z;
  trace->shared = 0;
  if (!wanted)
    wanted = WINDOWS * resident_blocks(tracer.threads, trace->regions);
  /* period * WINDOWS >= grid, so that there are no more windows. */
  trace->period = (uint32_t)((grid + WINDOWS - 1) / WINDOWS);
  trace->window = wanted < grid ? (uint32_t)((wanted + WINDOWS - 1) / WINDOWS) : trace->period;
  tracer.blocks = grid / trace->period * trace->window +
                  (grid % trace->period < trace->window ? grid % trace->period : trace->window);
}

static int begin(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  struct context *context = find_context(data->context);
  uint64_t size;
  int status;

  if (!context)
    return gc_fail(err, -ENODEV, "its context is not known");
  if ((uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z > UINT32_MAX)
    return gc_fail(err, -EOPNOTSUPP, "grids of more than 2^32 blocks are not traced");
  choose_blocks(data, &context->trace);
  status = CALL(sanitizerGetFunctionPcAndSize,
                (data->module, data->functionName, &context->trace.start, &size), err);
  if (!status)
    status = CALL(sanitizerMemset, ((void *)context->trace.heads, 0,
                                    context->trace.regions * sizeof(uint64_t), data->hStream),
                  err);
  if (!status)
    status = CALL(sanitizerMemcpyHostToDeviceAsync,
                  (context->on_gpu, &context->trace, sizeof context->trace, data->hStream), err);
  if (!status)
    status = CALL(sanitizerSetLaunchCallbackData,
                  (data->hLaunch, data->function, data->hStream, context->on_gpu), err);
  if (status)
    return status;
  tracer.context = context;
  tracer.launch = data->hLaunch;
  return 0;
}

static void leave_out(const struct gc_error *err)
{
  if (!tracer.left_out++)
    tracer.why = *err;
}

static void begin_launch(const Sanitizer_LaunchData *data)
{
  const uint64_t number = ++tracer.launches;
  struct gc_error err = {""};

  if (!gc_wanted_has(&tracer.names, data->functionName, number))
    return;
  if (tracer.full)
    gc_fail(&err, -EFBIG, "the trace has reached --limit, or cannot be written");
  else
    begin(data, &err);
  if (*err.text)
    leave_out(&err);
}

/* Copies the words of all regions, one after the other, to *words. */
static int fetch(const Sanitizer_LaunchData *data, uint64_t **words, size_t ends[MOST_REGIONS],
                 struct gc_error *err)
{
  const struct gpu_trace *trace = &tracer.context->trace;
  uint64_t heads[MOST_REGIONS];
  size_t sum = 0;
  int status = CALL(sanitizerMemcpyDeviceToHost, (heads, (void *)trace->heads,
                                                  trace->regions * sizeof *heads, data->hStream),
                    err);

  for (uint32_t i = 0; i < trace->regions && !status; i++) {
    if (heads[i] > trace->region_words)
      status = gc_fail(err, -EFBIG,
                       "its accesses need more than 1/%d of the GPU's memory: trace fewer blocks "
                       "(--blocks)",
                       PART_OF_MEMORY);
    ends[i] = sum += heads[i];
  }
  if (status)
    return status;
  *words = malloc(sum * sizeof **words + 1);
  if (!*words)
    return gc_fail(err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < trace->regions && !status; i++)
    if (heads[i])
      status = CALL(sanitizerMemcpyDeviceToHost,
                    (*words + ends[i] - heads[i],
                     (void *)(trace->words + i * trace->region_words * sizeof **words),
                     heads[i] * sizeof **words, data->hStream),
                    err);
  return status;
}

static int write_launch(const Sanitizer_LaunchData *data, double kernel_ms,
                        const struct gc_gathered *gathered, struct gc_error *err)
{
  int status;

  fprintf(tracer.part,
          "kernel %s\nmodule %u\nmicroseconds %.0f\nblocks %" PRIu64 "\nlaunched-blocks %" PRIu64
          "\nthreads %u\nwarp 32\nshared %" PRIu64 "\n",
          data->functionName, module_number(data->module), kernel_ms * 1e3, tracer.blocks, tracer.grid,
          tracer.threads, tracer.context->trace.shared);
  status = gc_gathered_write(gathered, tracer.blocks, (tracer.threads + 31) / 32, tracer.part, err);
  /* Without this line the command drops the launch. */
  if (!status && (fputs("complete\n", tracer.part) == EOF || fflush(tracer.part)))
    status = gc_fail(err, -EIO, "cannot write: %s", strerror(errno));
  tracer.full |= status == -EIO || (uint64_t)ftell(tracer.part) > tracer.settings.limit;
  return status;
}

static int finish_launch(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  struct context *context = tracer.context;
  size_t ends[MOST_REGIONS];
  uint64_t *words = NULL;
  const double begin_ms = gc_now_ms();
  int status = CALL(sanitizerStreamSynchronize, (data->hStream), err);
  const double kernel_ms = gc_now_ms() - begin_ms;

  if (!status)
    status = CALL(sanitizerMemcpyDeviceToHost,
                  (&context->trace, context->on_gpu, sizeof context->trace, data->hStream), err);
  if (!status)
    status = fetch(data, &words, ends, err);
  if (!status)
    status = write_launch(data, kernel_ms,
                          &(struct gc_gathered){words, ends, context->trace.regions}, err);
  free(words);
  return status;
}

static void end_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err = {""};

  if (!tracer.launch || tracer.launch != data->hLaunch)
    return;
  tracer.launch = NULL;
  if (finish_launch(data, &err))
    leave_out(&err);
}

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
  struct gc_error err = {""};

  if (id == SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED && add_context(data, &err))
    leave_out(&err);
  else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
    forget_context(((const Sanitizer_ResourceContextData *)data)->context);
  else if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED && patch(data, &err))
    leave_out(&err);
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                     const void *data)
{
  (void)unused;
  /* The begin of a launch keeps the lock until its end, which the same thread calls. */
  if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END) {
    end_launch(data);
    pthread_mutex_unlock(&tracer.lock);
    return;
  }
  if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id != SANITIZER_CBID_LAUNCH_BEGIN)
    return;
  pthread_mutex_lock(&tracer.lock);
  if (domain == SANITIZER_CB_DOMAIN_LAUNCH) {
    begin_launch(data);
    return;
  }
  if (domain == SANITIZER_CB_DOMAIN_RESOURCE)
    on_resource(id, data);
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
    tracer.in_graphs += !((const Sanitizer_GraphNodeLaunchData *)data)->nodeType;
  pthread_mutex_unlock(&tracer.lock);
}

static int load_library(struct gc_error *err)
{
  static const struct {
    const char *name;
    size_t offset;
  } symbols[] = {
#define SYMBOL(name, parameters) {#name, offsetof(struct gc_sanitizer, name)},
      SANITIZER_SYMBOLS(SYMBOL)
#undef SYMBOL
  };
  void *library = dlopen(tracer.settings.sanitizer, RTLD_NOW | RTLD_LOCAL);

  if (!library)
    return gc_fail(err, -ENOENT, "cannot load NVIDIA's library: %s", dlerror());
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *const address = dlsym(library, symbols[i].name);

    if (!address)
      return gc_fail(err, -ENOSYS, "%s has no %s: CUDA 12 or newer is needed",
                     tracer.settings.sanitizer, symbols[i].name);
    memcpy((char *)&tracer.api + symbols[i].offset, &address, sizeof address);
  }
  return 0;
}

static int open_part(struct gc_error *err)
{
  char path[sizeof tracer.settings.sanitizer + 64];

  snprintf(path, sizeof path, "%s/%d.part", tracer.directory, (int)getpid());
  tracer.part = fopen(path, "we");
  return tracer.part ? 0 : gc_fail(err, -errno, "cannot write %s: %s", path, strerror(errno));
}

static int start(struct gc_error *err)
{
  Sanitizer_SubscriberHandle handle;
  int status = gc_trace_settings_read(tracer.directory, &tracer.settings, err);

  if (!status)
    status = open_part(err);
  if (!status)
    status = gc_wanted_compile(&tracer.names,
                               &(struct gc_wanted){*tracer.settings.kernel ? tracer.settings.kernel
                                                                           : NULL,
                                                   tracer.settings.first, tracer.settings.last},
                               err);
  if (!status)
    status = load_library(err);
  if (!status)
    status = CALL(sanitizerSubscribe, (&handle, callback, NULL), err);
  if (!status)
    status = CALL(sanitizerEnableDomain, (1, handle, SANITIZER_CB_DOMAIN_RESOURCE), err);
  if (!status)
    status = CALL(sanitizerEnableDomain, (1, handle, SANITIZER_CB_DOMAIN_LAUNCH), err);
  if (!status)
    status = CALL(sanitizerEnableDomain, (1, handle, SANITIZER_CB_DOMAIN_GRAPHS), err);
  return status;
}

static void finish(void)
{
  if (!tracer.part)
    return;
  if (tracer.left_out)
    fprintf(tracer.part, "left-out %" PRIu64 "\nbecause %s\n", tracer.left_out, tracer.why.text);
  if (tracer.in_graphs)
    fprintf(tracer.part, "in-graphs %" PRIu64 "\n", tracer.in_graphs);
  fprintf(tracer.part, "launches %" PRIu64 "\n", tracer.launches);
  fflush(tracer.part);
}

/* The driver calls this when the program initializes CUDA. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
  struct gc_error err = {""};

  tracer.directory = getenv(GC_TRACE_ENV);
  if (!tracer.directory)
    return 0;
  if (start(&err)) {
    if (tracer.part)
      fprintf(tracer.part, "failed %s\n", err.text), fflush(tracer.part);
    else
      fprintf(stderr, "hwloc-gpucache: %s\n", err.text);
    return 0;
  }
  atexit(finish);
  return 1;
}
