/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library that `hwloc-gpucache trace` has the CUDA driver load into each process
 * (CUDA_INJECTION64_PATH). Through NVIDIA's Sanitizer API it puts the functions of kernels/trace.c
 * into all kernels. When a kernel has ended, it fetches their records.
 *
 * The mutex `tracing` is held from the begin to the end of a recorded launch, and the launch waits
 * for its kernel. So recorded launches run one after another. `lock` is held for lists, ptxas and
 * writing, and not while the driver is called for a launch. Both are recursive, because functions
 * of the API call back. A failure never ends the program: the launch
 * is left out, and the part says so.
 */
#include "trace/api.h"
#include "trace/contexts.h"
#include "trace/gathered.h"
#include "trace/settings.h"

#include "kernels/trace.h"
#include "predict/wanted.h"
#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A sample has several groups of neighboring blocks. By default each group fills the GPU, so that
 * each block has the neighbors in its SM and in L2 that it has without tracing. */
#define GROUPS 4
#define MOST_RESIDENT_THREADS 2048
#define MOST_RESIDENT_BLOCKS 32
/* After that, a launch is left out: the thread whose launch is being recorded may wait for a lock
 * of this thread. */
#define MOST_WAIT_SECONDS 2

static struct {
  struct gc_trace_settings settings;
  struct gc_wanted_names names;
  pthread_mutex_t lock; /* of the following */
  struct gc_part part;
  uint64_t launches, left_out, in_graphs;
  struct gc_error why;  /* of the first launch that was left out */
  struct gc_error full; /* why no more launches are traced; "": they are */

  pthread_mutex_t tracing; /* of the following: the launch that is traced now */
  struct gpu_trace trace;  /* as the GPU has it */
  struct gpu_trace *on_gpu; /* where; only an address here */
  unsigned module;
  uint64_t grid, blocks; /* launched and traced */
  unsigned threads;      /* of a block */
  int carveout;          /* that the kernel prefers, percent; negative: none */
} tracer = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
            .tracing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* The launch of this thread that is traced; NULL: none. */
static _Thread_local Sanitizer_LaunchHandle traced;

static void leave_out(const struct gc_error *err)
{
  pthread_mutex_lock(&tracer.lock);
  if (!tracer.left_out++)
    tracer.why = *err;
  pthread_mutex_unlock(&tracer.lock);
}

/* What fills the GPU: no SM holds more threads or blocks. */
static uint64_t resident_blocks(unsigned threads, uint32_t sms)
{
  const unsigned of_sm = MOST_RESIDENT_THREADS / (threads ? threads : 1);

  return (uint64_t)sms * (of_sm < MOST_RESIDENT_BLOCKS ? of_sm ? of_sm : 1 : MOST_RESIDENT_BLOCKS);
}

/* Which blocks are traced, and how many they are. */
static int choose_blocks(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  const uint64_t grid = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z;
  struct gpu_trace *trace = &tracer.trace;
  uint64_t wanted = tracer.settings.blocks;

  if (!grid || grid > UINT32_MAX)
    return gc_fail(err, -EOPNOTSUPP, "its grid has 0 or more than 2^32 blocks");
  tracer.grid = grid;
  tracer.threads = data->blockDim_x * data->blockDim_y * data->blockDim_z;
  if (!wanted)
    wanted = GROUPS * resident_blocks(tracer.threads, trace->regions);
  /* period * GROUPS >= grid, so that there are no more groups. */
  trace->period = (uint32_t)((grid + GROUPS - 1) / GROUPS);
  trace->group = wanted < grid ? (uint32_t)((wanted + GROUPS - 1) / GROUPS) : trace->period;
  tracer.blocks = grid / trace->period * trace->group +
                  (grid % trace->period < trace->group ? grid % trace->period : trace->group);
  return 0;
}

/* What the launch needs. Memory is taken without the lock, because the driver may wait for a thread
 * that waits for the lock. */
static int find(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  struct gc_context_memory memory;
  const struct gc_traced_module *module;
  int status;

  pthread_mutex_lock(&tracer.lock);
  if (*tracer.full.text)
    status = gc_fail(err, -EFBIG, "%s", tracer.full.text);
  else
    status = gc_contexts_find(data->context, &memory, err);
  if (!status)
    status = gc_modules_find(data->module, &module, err);
  if (!status)
    tracer.module = module->number;
  pthread_mutex_unlock(&tracer.lock);
  if (!status && !memory.on_gpu) {
    status = gc_contexts_allocate(data->context, &memory, err);
    pthread_mutex_lock(&tracer.lock);
    if (!status)
      gc_contexts_keep(data->context, &memory);
    pthread_mutex_unlock(&tracer.lock);
  }
  tracer.carveout = gc_contexts_carveout(data->function);
  tracer.trace = memory.trace;
  tracer.on_gpu = memory.on_gpu;
  return status;
}

static int prepare(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  struct gpu_trace *trace = &tracer.trace;
  int status = find(data, err);

  if (!status)
    status = choose_blocks(data, err);
  if (!status)
    status = GC_SANITIZER(sanitizerGetFunctionPcAndSize,
                          (data->module, data->functionName, &trace->start, &trace->size), err);
  if (!status)
    status = GC_SANITIZER(
        sanitizerMemset,
        ((void *)trace->heads, 0, trace->regions * sizeof(uint64_t), data->hStream), err);
  if (!status)
    status = GC_SANITIZER(sanitizerMemcpyHostToDeviceAsync,
                          (tracer.on_gpu, trace, sizeof *trace, data->hStream), err);
  if (!status)
    status = GC_SANITIZER(sanitizerSetLaunchCallbackData,
                          (data->hLaunch, data->function, data->hStream, tracer.on_gpu), err);
  return status;
}

static bool is_wanted(const Sanitizer_LaunchData *data)
{
  uint64_t number;

  pthread_mutex_lock(&tracer.lock);
  number = ++tracer.launches;
  pthread_mutex_unlock(&tracer.lock);
  return gc_wanted_has(&tracer.names, data->functionName, number);
}

static void begin_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err = {""};
  struct timespec until;

  if (!is_wanted(data))
    return;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MOST_WAIT_SECONDS;
  if (traced || pthread_mutex_timedlock(&tracer.tracing, &until)) {
    gc_fail(&err, -EBUSY, "another launch was being recorded");
    leave_out(&err);
    return;
  }
  if (prepare(data, &err)) {
    pthread_mutex_unlock(&tracer.tracing);
    leave_out(&err);
    return;
  }
  traced = data->hLaunch;
}

/* Copies the words of all regions, one after the other, to *words. */
static int fetch(const Sanitizer_LaunchData *data, uint64_t **words, size_t ends[GC_TRACE_MOST_SMS],
                 struct gc_error *err)
{
  const struct gpu_trace *trace = &tracer.trace;
  uint64_t heads[GC_TRACE_MOST_SMS];
  size_t sum = 0;
  int status = GC_SANITIZER(
      sanitizerMemcpyDeviceToHost,
      (heads, (void *)trace->heads, trace->regions * sizeof *heads, data->hStream), err);

  for (uint32_t i = 0; i < trace->regions && !status; i++) {
    if (heads[i] > trace->region_words)
      status = gc_fail(err, -EFBIG,
                       "the records of an SM do not fit into its share of %" PRIu64
                       " KiB of GPU memory: record fewer blocks (--blocks)",
                       trace->region_words * sizeof *heads >> 10);
    ends[i] = sum += heads[i];
  }
  if (status)
    return status;
  *words = malloc(sum * sizeof **words + 1);
  if (!*words)
    return gc_fail(err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < trace->regions && !status; i++)
    if (heads[i])
      status = GC_SANITIZER(sanitizerMemcpyDeviceToHost,
                            (*words + ends[i] - heads[i],
                             (void *)(trace->words + i * trace->region_words * sizeof **words),
                             heads[i] * sizeof **words, data->hStream),
                            err);
  return status;
}

static int write_launch(const Sanitizer_LaunchData *data, double kernel_ms,
                        const struct gc_gathered *gathered, struct gc_error *err)
{
  FILE *file = tracer.part.file;
  int status;

  fprintf(file,
          "kernel %s\nmodule %u\nmicroseconds %.0f\nblocks %" PRIu64 "\nlaunched-blocks %" PRIu64
          "\nthreads %u\nwarp 32\nshared %" PRIu64 "\n",
          data->functionName, tracer.module, kernel_ms * 1e3, tracer.blocks, tracer.grid,
          tracer.threads, tracer.trace.shared);
  if (tracer.carveout >= 0)
    fprintf(file, "carve-out %d\n", tracer.carveout);
  status = gc_gathered_write(gathered, tracer.blocks, (tracer.threads + 31) / 32, file, err);
  if (!status)
    fputs("complete\n", file);
  return status;
}

static int finish_launch(const Sanitizer_LaunchData *data, struct gc_error *err)
{
  struct gpu_trace *trace = &tracer.trace;
  size_t ends[GC_TRACE_MOST_SMS];
  uint64_t *words = NULL;
  const double begin_ms = gc_now_ms();
  int status = GC_SANITIZER(sanitizerStreamSynchronize, (data->hStream), err);
  const double kernel_ms = gc_now_ms() - begin_ms;

  if (!status)
    status = GC_SANITIZER(
        sanitizerMemcpyDeviceToHost,
        (&trace->shared, &tracer.on_gpu->shared, sizeof trace->shared, data->hStream), err);
  if (!status && trace->shared > UINT32_MAX)
    status = gc_fail(err, -EBADMSG, "the program has overwritten its records");
  if (!status)
    status = fetch(data, &words, ends, err);
  if (!status) {
    pthread_mutex_lock(&tracer.lock);
    status = write_launch(data, kernel_ms, &(struct gc_gathered){words, ends, trace->regions}, err);
    status = gc_part_end_launch(&tracer.part, status, err);
    if (status == -EIO)
      tracer.full = *err;
    else if ((uint64_t)tracer.part.good > tracer.settings.limit)
      gc_fail(&tracer.full, 0, "the trace of this process has reached --limit");
    pthread_mutex_unlock(&tracer.lock);
  }
  free(words);
  return status;
}

static void end_launch(const Sanitizer_LaunchData *data)
{
  struct gc_error err = {""};

  if (!traced || traced != data->hLaunch)
    return;
  traced = NULL;
  if (finish_launch(data, &err))
    leave_out(&err);
  pthread_mutex_unlock(&tracer.tracing);
}

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_ResourceContextData *context = data;
  const Sanitizer_ResourceModuleData *module = data;

  switch (id) {
  case SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED:
    gc_contexts_add(context, &tracer.settings, &tracer.part);
    break;
  case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
    gc_contexts_remove(context->context);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
    gc_modules_add(module, &tracer.part);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
    gc_modules_remove(module->module);
    break;
  default:
    break;
  }
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                     const void *data)
{
  (void)unused;
  if (domain == SANITIZER_CB_DOMAIN_LAUNCH) {
    if (id == SANITIZER_CBID_LAUNCH_BEGIN)
      begin_launch(data);
    else if (id == SANITIZER_CBID_LAUNCH_END)
      end_launch(data);
    return;
  }
  pthread_mutex_lock(&tracer.lock);
  if (domain == SANITIZER_CB_DOMAIN_RESOURCE)
    on_resource(id, data);
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
    tracer.in_graphs += !((const Sanitizer_GraphNodeLaunchData *)data)->nodeType;
  pthread_mutex_unlock(&tracer.lock);
}

static int start(const char *directory, struct gc_error *err)
{
  static const Sanitizer_CallbackDomain domains[] = {
      SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_GRAPHS};
  struct gc_trace_settings *settings = &tracer.settings;
  Sanitizer_SubscriberHandle handle;
  int status = gc_part_open(&tracer.part, directory, err);

  if (!status)
    status = gc_trace_settings_read(directory, settings, err);
  if (!status)
    status = gc_wanted_compile(&tracer.names,
                               &(struct gc_wanted){*settings->kernel ? settings->kernel : NULL,
                                                   settings->first, settings->last},
                               err);
  if (!status)
    status = gc_sanitizer_load(settings->sanitizer, err);
  if (!status)
    status = GC_SANITIZER(sanitizerSubscribe, (&handle, callback, NULL), err);
  for (size_t i = 0; i < sizeof domains / sizeof *domains && !status; i++)
    status = GC_SANITIZER(sanitizerEnableDomain, (1, handle, domains[i]), err);
  return status;
}

/* Does nothing in a forked child, or while another thread writes. */
static void finish(void)
{
  FILE *file = tracer.part.file;

  if (tracer.part.process != (int)getpid() || pthread_mutex_trylock(&tracer.lock))
    return;
  if (tracer.left_out)
    fprintf(file, "left-out %" PRIu64 "\nbecause %s\n", tracer.left_out, tracer.why.text);
  if (tracer.in_graphs)
    fprintf(file, "in-graphs %" PRIu64 "\n", tracer.in_graphs);
  fputs("ended\n", file);
  fflush(file);
  pthread_mutex_unlock(&tracer.lock);
}

/* A child must not write what another thread of the parent was writing. */
static void in_child(void)
{
  __fpurge(tracer.part.file);
}

/* The driver calls this when the program initializes CUDA. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
  const char *const directory = secure_getenv(GC_TRACE_ENV);
  struct gc_error err = {""};

  if (!directory || tracer.part.file)
    return 0;
  if (!start(directory, &err)) {
    pthread_atfork(NULL, NULL, in_child);
    atexit(finish);
    return 1;
  }
  if (tracer.part.file) {
    fprintf(tracer.part.file, "failed %s\n", err.text);
    fflush(tracer.part.file);
  } else {
    fprintf(stderr, "hwloc-gpucache: %s\n", err.text);
  }
  return 0;
}
