/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/calls.h"

#include "device/cuda_symbols.h"

#include <string.h>

/* CUresult */
#define CUDA_ERROR_STREAM_CAPTURE_INVALIDATED 901
#define CUDA_ERROR_STREAM_CAPTURE_UNJOINED 904

#define CU_STREAM_PER_THREAD ((const void *)2)

/* The first row whose name begins the name of the call: it may have a suffix as _v2 or _ptsz. */
static const struct {
  const char *name;
  enum gc_call call;
} calls[] = {
    {"cuLaunchKernelEx", GC_CALL_LAUNCH_EX},
    {"cuLaunchKernel", GC_CALL_LAUNCH},
    {"cuLaunchCooperativeKernelMultiDevice", GC_CALL_NOT_MEANWHILE},
    {"cuLaunchCooperativeKernel", GC_CALL_LAUNCH},
    {"cuLaunchHostFunc", GC_CALL_OTHER}, /* launches no kernel */
    {"cuLaunch", GC_CALL_NOT_MEANWHILE},
    {"cuGraphLaunch", GC_CALL_GRAPH_LAUNCH},
    {"cuGraphUpload", GC_CALL_NOT_MEANWHILE},
    {"cuGraphInstantiate", GC_CALL_GRAPH_INSTANTIATE},
    {"cuGraphExecGet", GC_CALL_OTHER},
    {"cuGraphExec", GC_CALL_GRAPH_CHANGE},
    {"cuGraphNodeSetEnabled", GC_CALL_GRAPH_CHANGE},
    {"cuStreamBeginCapture", GC_CALL_CAPTURE_BEGIN},
    {"cuStreamBeginRecapture", GC_CALL_CAPTURE_BEGIN},
    {"cuStreamEndCapture", GC_CALL_CAPTURE_END},
    {"cuStreamDestroy", GC_CALL_STREAM_DESTROY},
    {"cuModuleUnload", GC_CALL_NOT_MEANWHILE},
    {"cuLibraryUnload", GC_CALL_NOT_MEANWHILE},
    {"cuCtxDestroy", GC_CALL_NOT_MEANWHILE},
    {"cuCtxDetach", GC_CALL_NOT_MEANWHILE},
    {"cuGreenCtxDestroy", GC_CALL_NOT_MEANWHILE},
    {"cuDevicePrimaryCtxRe", GC_CALL_NOT_MEANWHILE}, /* Release, Reset, and Retain */
};

enum gc_call gc_call_of(const char *name)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!strncmp(name, calls[i].name, strlen(calls[i].name)))
      return calls[i].call;
  return GC_CALL_OTHER;
}

void gc_call_sizes(enum gc_call call, const void *parameters, uint32_t sizes[GC_LAUNCH_SIZES])
{
  const struct {
    void *function;
    uint32_t sizes[GC_LAUNCH_SIZES];
  } *launch = parameters;
  const CUlaunchConfig *const *configuration = parameters;

  memcpy(sizes, call == GC_CALL_LAUNCH ? launch->sizes : &(*configuration)->grid_x,
         sizeof launch->sizes);
}

void *gc_call_graph(enum gc_call call, const void *parameters)
{
  void *const first = *(void *const *)parameters;

  return call == GC_CALL_GRAPH_INSTANTIATE ? *(void **)first : first;
}

const void *gc_call_stream(const void *parameters)
{
  const void *const stream = *(void *const *)parameters;

  /* the other default stream cannot be captured */
  return stream ? stream : CU_STREAM_PER_THREAD;
}

bool gc_call_ends_capture(unsigned result)
{
  return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
         result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}
