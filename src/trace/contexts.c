/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/contexts.h"

#include "device/cuda_symbols.h"
#include "trace/api.h"
#include "trace/image.h"
#include "trace/waiting.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Records get this part of the GPU's memory: 4.4 GiB of 141 GiB, 256 MiB of 8 GiB. If the program
 * has left less, half of that, and so on. */
#define PART_OF_MEMORY 32
#define LEAST_PART 1024

struct context {
  struct context *next;
  void *handle;
  struct gc_error why; /* "": our functions are loaded */
  struct gc_context_memory memory;
  struct gc_trace_touched touched;
};

static struct context *contexts;

/* What the driver says about a GPU. */
struct gpu {
  int sms, major, minor; /* of the compute capability */
  size_t memory;         /* bytes */
};

/* A function of the driver, which is loaded; NULL: there is none. In callbacks, call only those that
 * look up numbers, or, where the driver holds no lock, wait. */
static void *of_driver(const char *name)
{
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *const function = driver ? dlsym(driver, name) : NULL;

  if (driver)
    dlclose(driver);
  return function;
}

static int ask_driver(int device, struct gpu *gpu, struct gc_error *err)
{
  CUresult (*attribute)(int *, CUdevice_attribute, CUdevice);
  CUresult (*total)(size_t *, CUdevice);

  *(void **)&attribute = of_driver("cuDeviceGetAttribute");
  *(void **)&total = of_driver("cuDeviceTotalMem_v2");
  if (!attribute || !total ||
      attribute(&gpu->sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) ||
      attribute(&gpu->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
      attribute(&gpu->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ||
      total(&gpu->memory, device))
    return gc_fail(err, -EIO, "the CUDA driver does not describe the GPU");
  return 0;
}

/* Runs ptxas without files of the program. */
static int run(char *const *argv)
{
  posix_spawn_file_actions_t files;
  pid_t child;
  int status;

  posix_spawn_file_actions_init(&files);
  for (int file = 0; file <= 2; file++)
    posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_RDWR, 0);
  status = posix_spawn(&child, argv[0], &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  if (status)
    return -status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 0; /* the program reaps all children; loading the file shows whether it was written */
  return status ? -EIO : 0;
}

/* Compiles the functions for this GPU, and loads them. */
static int load_compiled(void *context, const struct gpu *gpu, const char *ptxas,
                         const struct gc_part *part, struct gc_error *err)
{
  char compiler[4096], ptx[4300], cubin[4300], architecture[32];
  char *const argv[] = {compiler, "--compile-as-tools-patch", architecture, "-o", cubin, ptx, NULL};
  int status;

  if (!*ptxas)
    return gc_fail(err, -ENOTSUP,
                   "no code for GPUs of compute capability %d.%d could be loaded, and there is no "
                   "ptxas of the CUDA Toolkit",
                   gpu->major, gpu->minor);
  snprintf(compiler, sizeof compiler, "%s", ptxas);
  snprintf(architecture, sizeof architecture, "-arch=sm_%d", 10 * gpu->major + gpu->minor);
  snprintf(ptx, sizeof ptx, "%s.ptx", part->name);
  snprintf(cubin, sizeof cubin, "%s.image", part->name);
  status = gc_part_write(part, ".ptx", gc_trace_ptx, gc_trace_ptx_bytes);
  if (!status)
    status = run(argv);
  if (status)
    return gc_fail(err, status, "%s cannot compile for compute capability %d.%d: %s", ptxas,
                   gpu->major, gpu->minor, strerror(-status));
  return GC_SANITIZER(sanitizerAddPatchesFromFile, (cubin, context), err);
}

static int start_context(struct context *context, int device,
                         const struct gc_trace_settings *settings, const struct gc_part *part)
{
  struct gpu gpu;
  const int status = ask_driver(device, &gpu, &context->why);

  if (status)
    return status;
  context->memory.sms = gpu.sms < GC_TRACE_MOST_SMS ? (uint32_t)gpu.sms : GC_TRACE_MOST_SMS;
  context->memory.of_gpu = gpu.memory;
  if (gc_trace_image_bytes && !gc_sanitizer.sanitizerAddPatches(gc_trace_image, context->handle))
    return 0;
  return load_compiled(context->handle, &gpu, settings->ptxas, part, &context->why);
}

void gc_contexts_add(const Sanitizer_ResourceContextData *data,
                     const struct gc_trace_settings *settings, const struct gc_part *part)
{
  struct context *context = calloc(1, sizeof *context);

  if (!context)
    return;
  context->handle = data->context;
  start_context(context, data->device, settings, part);
  context->next = contexts;
  contexts = context;
}

void gc_contexts_remove(void *handle)
{
  struct context **at = &contexts, *context;

  while (*at && (*at)->handle != handle)
    at = &(*at)->next;
  context = *at;
  if (context)
    *at = context->next;
  free(context);
}

int gc_contexts_allocate(void *handle, struct gc_context_memory *memory, struct gc_error *err)
{
  void *address = NULL;
  size_t bytes = 0;
  int status = -ENOMEM;

  for (unsigned part = PART_OF_MEMORY; status && part <= LEAST_PART; part *= 2) {
    bytes = memory->of_gpu / part;
    status = GC_SANITIZER(sanitizerAlloc, (handle, &address, bytes), err);
  }
  if (status)
    return status;
  memory->launches = address;
  memory->places = (struct gpu_trace_region *)(memory->launches + GPU_TRACE_MOST_LAUNCHES);
  memory->words = (uint64_t *)(memory->places + memory->sms);
  memory->region_words =
      (bytes - (size_t)((char *)memory->words - (char *)address)) / sizeof(uint64_t) / memory->sms;
  return 0;
}

static struct context *find(void *handle)
{
  struct context *context = contexts;

  while (context && context->handle != handle)
    context = context->next;
  return context;
}

void gc_contexts_keep(void *handle, const struct gc_context_memory *memory)
{
  struct context *context = find(handle);

  if (context)
    context->memory = *memory;
}

int gc_contexts_find(void *handle, struct gc_context_memory *memory, struct gc_error *err)
{
  const struct context *context = find(handle);

  *memory = (struct gc_context_memory){0};
  if (!context)
    return gc_fail(err, -ENODEV, "its CUDA context existed before recording began");
  if (*context->why.text)
    return gc_fail(err, -EIO, "%s", context->why.text);
  *memory = context->memory;
  return 0;
}

struct gc_trace_touched *gc_contexts_touched(void *handle)
{
  struct context *context = handle ? find(handle) : contexts;

  return context ? &context->touched : NULL;
}

int gc_contexts_carveout(void *function)
{
  CUresult (*attribute)(int *, CUfunction_attribute, CUfunction);
  int percent;

  *(void **)&attribute = of_driver("cuFuncGetAttribute");
  return attribute &&
                 !attribute(&percent, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, function)
             ? percent
             : -1;
}

void gc_contexts_wait(void)
{
  struct gc_wait_message message;
  CUresult (*wait)(void);

  *(void **)&wait = of_driver("cuCtxSynchronize");
  gc_wait_begin(&message);
  if (wait)
    wait();
  gc_wait_end(&message);
}
