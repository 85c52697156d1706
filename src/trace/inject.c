/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library that `hwloc-gpucache trace` has the CUDA driver load into each process
 * (CUDA_INJECTION64_PATH). Through NVIDIA's Sanitizer API it puts the functions of kernels/trace.c
 * into kernels. When a kernel has ended, it fetches their records.
 */
#include "trace/api.h"
#include "trace/captures.h"
#include "trace/contexts.h"
#include "trace/memsets.h"
#include "trace/modules.h"
#include "trace/recorder.h"
#include "trace/patching.h"

#include "device/cuda_symbols.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

/* The driver copies or sets memory. */
static void on_driver(Sanitizer_CallbackDomain domain, const void *data)
{
  const Sanitizer_MemsetData *memset = data;
  const Sanitizer_MemcpyData *copy = data;

  pthread_mutex_lock(&gc_recorder.lock);
  if (domain == SANITIZER_CB_DOMAIN_MEMSET)
    gc_touched_by_memset(gc_contexts_touched(memset->context), memset);
  else if (domain == SANITIZER_CB_DOMAIN_MEMCPY)
    gc_touched_by_copy(gc_contexts_touched(copy->srcContext), gc_contexts_touched(copy->dstContext),
                       copy);
  pthread_mutex_unlock(&gc_recorder.lock);
}

static void on_graph(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_GraphNodeLaunchData *node = data;

  if (id == SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN)
    gc_recorder_begin_graph(data);
  else if (id == SANITIZER_CBID_GRAPHS_LAUNCH_END)
    gc_recorder_end_graph();
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN &&
           node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL)
    gc_recorder_begin_node(&node->launchData);
  else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN && !gc_recorder_uploads())
    on_driver(node->nodeType == CU_GRAPH_NODE_TYPE_MEMCPY   ? SANITIZER_CB_DOMAIN_MEMCPY
              : node->nodeType == CU_GRAPH_NODE_TYPE_MEMSET ? SANITIZER_CB_DOMAIN_MEMSET
                                                            : 0,
              &node->memcpyData);
}

static void on_module(const Sanitizer_ResourceModuleData *data)
{
  struct gc_traced_module *module;

  pthread_mutex_lock(&gc_recorder.lock);
  module = gc_modules_add(data, &gc_recorder.part);
  pthread_mutex_unlock(&gc_recorder.lock);
  /* of a sample: if the launch that is recorded loads its module */
  if (module && (!gc_recorder.sampling || gc_recorder_call.patched))
    gc_module_put_in(module);
}

static void on_resource(Sanitizer_CallbackId id, const void *data)
{
  const Sanitizer_ResourceContextData *context = data;
  const Sanitizer_ResourceModuleData *module = data;

  if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
    on_module(module);
    return;
  }
  pthread_mutex_lock(&gc_recorder.lock);
  switch (id) {
  case SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED:
    gc_contexts_add(context, &gc_recorder.settings, &gc_recorder.part);
    break;
  case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
    gc_captures_end_all(context->context);
    gc_modules_remove_all(context->context);
    gc_contexts_remove(context->context);
    break;
  case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
    gc_modules_remove(module->module);
    break;
  default:
    break;
  }
  pthread_mutex_unlock(&gc_recorder.lock);
}

static void callback(void *unused, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                     const void *data)
{
  (void)unused;
  switch (domain) {
  case SANITIZER_CB_DOMAIN_LAUNCH:
    if (id == SANITIZER_CBID_LAUNCH_BEGIN)
      gc_recorder_begin_launch(data);
    else if (id == SANITIZER_CBID_LAUNCH_END)
      gc_recorder_end_launch(data);
    break;
  case SANITIZER_CB_DOMAIN_GRAPHS:
    on_graph(id, data);
    break;
  case SANITIZER_CB_DOMAIN_DRIVER_API:
    gc_patching_on_call(data);
    break;
  case SANITIZER_CB_DOMAIN_RESOURCE:
    on_resource(id, data);
    break;
  default:
    on_driver(domain, data);
  }
}

static int start(const char *directory, struct gc_error *err)
{
  static const Sanitizer_CallbackDomain domains[] = {
      SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_MEMCPY,
      SANITIZER_CB_DOMAIN_MEMSET,   SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CB_DOMAIN_DRIVER_API};
  struct gc_trace_settings *settings = &gc_recorder.settings;
  Sanitizer_SubscriberHandle handle;
  int status = gc_part_open(&gc_recorder.part, directory, err);

  if (!status)
    status = gc_trace_settings_read(directory, settings, err);
  if (!status)
    status = gc_wanted_compile(&gc_recorder.names,
                               &(struct gc_wanted){*settings->kernel ? settings->kernel : NULL,
                                                   settings->first, settings->last},
                               err);
  if (!status)
    status = gc_sanitizer_load(settings->sanitizer, err);
  if (!status)
    status = GC_SANITIZER(sanitizerSubscribe, (&handle, callback, NULL), err);
  gc_recorder.sampling = !settings->first;
  for (size_t i = 0; i < sizeof domains / sizeof *domains && !status; i++)
    status = GC_SANITIZER(sanitizerEnableDomain, (1, handle, domains[i]), err);
  return status;
}

/* Does nothing in a forked child, or while another thread writes. */
static void finish(void)
{
  uint64_t alone;

  if (gc_recorder.part.process != (int)getpid() || pthread_mutex_trylock(&gc_recorder.lock))
    return;
  alone = gc_launch_kinds_alone();
  if (alone && !gc_recorder.left_out)
    gc_fail(&gc_recorder.why, 0, "%s",
            gc_recorder.why_alone ? gc_recorder.why_alone
                                  : "the driver does not name their kernel");
  gc_part_write_end(&gc_recorder.part,
                    "left-out %" PRIu64 "\nbecause %s\nin-graphs %" PRIu64 "\nended\n",
                    gc_recorder.left_out + alone, gc_recorder.why.text, gc_recorder.in_graphs);
  pthread_mutex_unlock(&gc_recorder.lock);
}

/* A child must not write what another thread of the parent was writing. */
static void in_child(void)
{
  __fpurge(gc_recorder.part.file);
}

/* The driver calls this when the program initializes CUDA. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
  const char *const directory = secure_getenv(GC_TRACE_ENV);
  struct gc_error err = {""};

  if (!directory || gc_recorder.part.file)
    return 0;
  if (!start(directory, &err)) {
    pthread_atfork(NULL, NULL, in_child);
    atexit(finish);
    return 1;
  }
  if (gc_recorder.part.file)
    gc_part_write_end(&gc_recorder.part, "failed %s\n", err.text);
  else
    fprintf(stderr, "hwloc-gpucache: %s\n", err.text);
  return 0;
}
