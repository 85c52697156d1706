/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of NVIDIA's Sanitizer API that this project uses, as tables: constants, types,
 * functions. The library is part of the CUDA Toolkit (compute-sanitizer) and is loaded at run time,
 * so the build needs neither its headers nor the library. Where sanitizer.h exists,
 * tests/kernels/check_sanitizer_prototypes.c compares every line below with it at compile time.
 */
#ifndef GC_TRACE_SANITIZER_H
#define GC_TRACE_SANITIZER_H

#include <stddef.h>
#include <stdint.h>

/* CONSTANT(name, value) */
#define SANITIZER_CONSTANTS(CONSTANT)                                                              \
  CONSTANT(SANITIZER_SUCCESS, 0)                                                                   \
  CONSTANT(SANITIZER_CB_DOMAIN_DRIVER_API, 1)                                                      \
  CONSTANT(SANITIZER_CB_DOMAIN_RESOURCE, 3)                                                        \
  CONSTANT(SANITIZER_CB_DOMAIN_LAUNCH, 5)                                                          \
  CONSTANT(SANITIZER_CB_DOMAIN_MEMCPY, 6)                                                          \
  CONSTANT(SANITIZER_CB_DOMAIN_MEMSET, 7)                                                          \
  CONSTANT(SANITIZER_CB_DOMAIN_GRAPHS, 10)                                                         \
  CONSTANT(SANITIZER_API_ENTER, 0)                                                                 \
  CONSTANT(SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED, 3)                                   \
  CONSTANT(SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, 4)                                    \
  CONSTANT(SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, 10)                                     \
  CONSTANT(SANITIZER_CBID_RESOURCE_MODULE_LOADED, 9)                                               \
  CONSTANT(SANITIZER_CBID_LAUNCH_BEGIN, 1)                                                         \
  CONSTANT(SANITIZER_CBID_LAUNCH_END, 3)                                                           \
  CONSTANT(SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE, 4)                                         \
  CONSTANT(SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, 4)                                             \
  CONSTANT(SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN, 6)                                                  \
  CONSTANT(SANITIZER_CBID_GRAPHS_LAUNCH_END, 7)                                                    \
  CONSTANT(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, 3)                                          \
  CONSTANT(SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, 5)                                           \
  CONSTANT(SANITIZER_INSTRUCTION_BARRIER, 6)                                                       \
  CONSTANT(SANITIZER_INSTRUCTION_MEMCPY_ASYNC, 14)                                                 \
  CONSTANT(SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, 30)                                   \
  CONSTANT(SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, 35)                                   \
  CONSTANT(SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, 37)

#ifndef GC_SANITIZER_NO_CONSTANTS /* of a test that has NVIDIA's header */
#define SANITIZER_ENUM(name, value) name = (value),
enum { SANITIZER_CONSTANTS(SANITIZER_ENUM) };
#undef SANITIZER_ENUM
#endif

/* Enums of the API are unsigned int here; handles are pointers. */
typedef unsigned SanitizerResult;
typedef unsigned Sanitizer_CallbackDomain;
typedef uint32_t Sanitizer_CallbackId;
typedef unsigned Sanitizer_InstructionId;
typedef void *Sanitizer_SubscriberHandle, *Sanitizer_StreamHandle, *Sanitizer_LaunchHandle;
typedef void (*Sanitizer_CallbackFunc)(void *userdata, Sanitizer_CallbackDomain domain,
                                       Sanitizer_CallbackId cbid, const void *cbdata);

typedef struct {
  unsigned callbackSite;
  const char *functionName;
  const void *functionParams, *functionReturnValue; /* the parameters as a struct; a CUresult */
  const char *symbolName;                           /* of a launch: the kernel */
  void *context;                                    /* of the thread */
} Sanitizer_CallbackData;

typedef struct {
  void *context;
  int device;
} Sanitizer_ResourceContextData;

typedef struct {
  void *context, *module;
  size_t cubinSize;
  const char *pCubin;
} Sanitizer_ResourceModuleData; /* newer versions have more at the end */

typedef struct {
  void *context, *stream;
  Sanitizer_StreamHandle hStream;
  void *module, *function;
  const char *functionName;
  uint32_t gridDim_x, gridDim_y, gridDim_z;
  uint32_t blockDim_x, blockDim_y, blockDim_z;
  uint32_t clusterDim_x, clusterDim_y, clusterDim_z;
  uint64_t gridId;
  Sanitizer_LaunchHandle hLaunch;
  int device;
} Sanitizer_LaunchData; /* more at the end */

typedef struct {
  void *srcContext, *dstContext, *srcStream;
  Sanitizer_StreamHandle hSrcStream;
  void *dstStream;
  Sanitizer_StreamHandle hDstStream;
  uint64_t srcAddress, dstAddress;
  uint64_t size;                 /* bytes that are copied */
  uint64_t width, height, depth; /* height * depth rows */
  uint64_t srcPitch, dstPitch;   /* bytes from row to row */
  uint32_t isAsync;
  unsigned direction;
} Sanitizer_MemcpyData; /* more at the end */

typedef struct {
  void *context, *stream;
  Sanitizer_StreamHandle hStream;
  uint64_t address;
  uint64_t width, height, pitch; /* elements of a row, rows, bytes from row to row */
  uint32_t elementSize, value, isAsync;
} Sanitizer_MemsetData; /* more at the end */

typedef struct {
  void *graphExec;
  uint32_t launchId;
  void *node;
  unsigned nodeType; /* CU_GRAPH_NODE_TYPE_... */
  union {
    Sanitizer_LaunchData launchData;
    Sanitizer_MemcpyData memcpyData;
    Sanitizer_MemsetData memsetData;
  };
} Sanitizer_GraphNodeLaunchData; /* more at the end */

typedef struct {
  void *context, *stream;
  Sanitizer_StreamHandle hStream;
  void *graphExec;
  uint32_t isGraphUpload;
} Sanitizer_GraphLaunchData;

/* SYMBOL(name, parameters): all return SanitizerResult. */
#define SANITIZER_SYMBOLS(SYMBOL)                                                                  \
  SYMBOL(sanitizerSubscribe, (Sanitizer_SubscriberHandle * subscriber,                             \
                              Sanitizer_CallbackFunc callback, void *userdata))                    \
  SYMBOL(sanitizerEnableDomain, (uint32_t enable, Sanitizer_SubscriberHandle subscriber,           \
                                 Sanitizer_CallbackDomain domain))                                 \
  SYMBOL(sanitizerAddPatches, (const void *image, void *context))                                  \
  SYMBOL(sanitizerAddPatchesFromFile, (const char *path, void *context))                           \
  SYMBOL(sanitizerPatchInstructions,                                                               \
         (Sanitizer_InstructionId instruction, void *module, const char *name))                    \
  SYMBOL(sanitizerPatchModule, (void *module))                                                     \
  SYMBOL(sanitizerUnpatchModule, (void *module))                                                   \
  SYMBOL(sanitizerGetFunctionPcAndSize,                                                            \
         (void *module, const char *name, uint64_t *pc, uint64_t *size))                           \
  SYMBOL(sanitizerSetLaunchCallbackData, (Sanitizer_LaunchHandle launch, void *kernel,             \
                                          Sanitizer_StreamHandle stream, const void *userdata))    \
  SYMBOL(sanitizerAlloc, (void *context, void **address, size_t size))                             \
  SYMBOL(sanitizerMemcpyHostToDeviceAsync,                                                         \
         (void *to, void *from, size_t count, Sanitizer_StreamHandle stream))                      \
  SYMBOL(sanitizerMemcpyDeviceToHost,                                                              \
         (void *to, void *from, size_t count, Sanitizer_StreamHandle stream))                      \
  SYMBOL(sanitizerStreamSynchronize, (Sanitizer_StreamHandle stream))

#define SANITIZER_FIELD(name, parameters) SanitizerResult(*name) parameters;
struct gc_sanitizer {
  SANITIZER_SYMBOLS(SANITIZER_FIELD)
};
#undef SANITIZER_FIELD

#endif
