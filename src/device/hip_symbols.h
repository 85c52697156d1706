/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of HIP that this project uses, as tables: constants, types, functions. The library is
 * loaded at run time, so the build does not need ROCm. Where HIP's header exists,
 * tests/kernels/check_hip_prototypes.c compares every line below with it at compile time.
 *
 * All of it is the same in ROCm 5.2, 6.2 and 7.x. The program does not use hipGetDeviceProperties,
 * because its struct changed in between, and uses only attributes whose numbers have not changed
 * since ROCm 5.0. Older versions return an error for later attributes
 * (hipDeviceAttributeWallClockRate: 5.4).
 */
#ifndef GC_DEVICE_HIP_SYMBOLS_H
#define GC_DEVICE_HIP_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* CONSTANT(name, value) */
#define HIP_CONSTANTS(CONSTANT)                                                                    \
  CONSTANT(hipSuccess, 0)                                                                          \
  CONSTANT(hipErrorInvalidValue, 1)                                                                \
  CONSTANT(hipErrorOutOfMemory, 2)                                                                 \
  CONSTANT(hipErrorInvalidDeviceFunction, 98)                                                      \
  CONSTANT(hipErrorNoDevice, 100)                                                                  \
  CONSTANT(hipErrorInvalidDevice, 101)                                                             \
  CONSTANT(hipErrorInvalidImage, 200)                                                              \
  CONSTANT(hipErrorNoBinaryForGpu, 209)                                                            \
  CONSTANT(hipErrorECCNotCorrectable, 214)                                                         \
  CONSTANT(hipErrorInvalidKernelFile, 218)                                                         \
  CONSTANT(hipErrorNotFound, 500)                                                                  \
  CONSTANT(hipErrorLaunchFailure, 719)                                                             \
  CONSTANT(hipErrorNotSupported, 801)                                                              \
  CONSTANT(hipErrorUnknown, 999)                                                                   \
  CONSTANT(hipDeviceScheduleSpin, 1)                                                               \
  CONSTANT(hipHostRegisterPortable, 1)                                                             \
  CONSTANT(hipHostRegisterMapped, 2)                                                               \
  CONSTANT(hipStreamNonBlocking, 1)                                                                \
  CONSTANT(hipMemcpyHostToDevice, 1)                                                               \
  CONSTANT(hipMemcpyDeviceToHost, 2)                                                               \
  CONSTANT(hipDeviceAttributeEccEnabled, 0)                                                        \
  CONSTANT(hipDeviceAttributeClockRate, 5)                                                         \
  CONSTANT(hipDeviceAttributeHostNativeAtomicSupported, 15)                                        \
  CONSTANT(hipDeviceAttributeIntegrated, 16)                                                       \
  CONSTANT(hipDeviceAttributeL2CacheSize, 19)                                                      \
  CONSTANT(hipDeviceAttributeMaxThreadsPerBlock, 56)                                               \
  CONSTANT(hipDeviceAttributeMaxThreadsPerMultiProcessor, 57)                                      \
  CONSTANT(hipDeviceAttributeMemoryBusWidth, 59)                                                   \
  CONSTANT(hipDeviceAttributeMemoryClockRate, 60)                                                  \
  CONSTANT(hipDeviceAttributeMultiprocessorCount, 63)                                              \
  CONSTANT(hipDeviceAttributeMaxRegistersPerBlock, 71)                                             \
  CONSTANT(hipDeviceAttributeMaxRegistersPerMultiprocessor, 72)                                    \
  CONSTANT(hipDeviceAttributeMaxSharedMemoryPerBlock, 74)                                          \
  CONSTANT(hipDeviceAttributeWarpSize, 87)                                                         \
  CONSTANT(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, 10002)                              \
  CONSTANT(hipDeviceAttributePhysicalMultiProcessorCount, 10015)                                   \
  CONSTANT(hipDeviceAttributeWallClockRate, 10017)

/* For the last parameter of hipModuleLaunchKernel: what the pointer behind it is. */
#define HIP_LAUNCH_CONSTANTS(CONSTANT)                                                             \
  CONSTANT(HIP_LAUNCH_PARAM_BUFFER_POINTER, (void *)1)                                             \
  CONSTANT(HIP_LAUNCH_PARAM_BUFFER_SIZE, (void *)2)                                                \
  CONSTANT(HIP_LAUNCH_PARAM_END, (void *)3)

/* TYPE(name, what it is); enumerations without negative members are unsigned int */
#define HIP_TYPES(TYPE)                                                                            \
  TYPE(hipError_t, unsigned int)                                                                   \
  TYPE(hipDeviceAttribute_t, unsigned int)                                                         \
  TYPE(hipMemcpyKind, unsigned int)                                                                \
  TYPE(hipDevice_t, int)                                                                           \
  TYPE(hipDeviceptr_t, void *)                                                                     \
  TYPE(hipModule_t, struct ihipModule_t *)                                                         \
  TYPE(hipFunction_t, struct ihipModuleSymbol_t *)                                                 \
  TYPE(hipStream_t, struct ihipStream_t *)                                                         \
  TYPE(hipEvent_t, struct ihipEvent_t *)

#ifndef GC_HIP_TYPES_OF_HIP /* check_hip_prototypes.c uses the types of HIP's header instead */
#define HIP_TYPE(name, type) typedef type name;
HIP_TYPES(HIP_TYPE)
#undef HIP_TYPE
typedef struct {
  char bytes[16];
} hipUUID;

#define HIP_CONSTANT(name, value) name = value,
enum { HIP_CONSTANTS(HIP_CONSTANT) };
#undef HIP_CONSTANT
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_PARAM_END ((void *)3)
#endif

/* SYMBOL(type of the result, name in libamdhip64, parameters) */
#define HIP_SYMBOLS(SYMBOL)                                                                        \
  SYMBOL(const char *, hipGetErrorName, (hipError_t error))                                        \
  SYMBOL(hipError_t, hipInit, (unsigned int flags))                                                \
  SYMBOL(hipError_t, hipGetDeviceCount, (int *count))                                              \
  SYMBOL(hipError_t, hipDeviceGet, (hipDevice_t * device, int ordinal))                            \
  SYMBOL(hipError_t, hipDeviceGetName, (char *name, int size, hipDevice_t device))                 \
  SYMBOL(hipError_t, hipDeviceGetUuid, (hipUUID * uuid, hipDevice_t device))                       \
  SYMBOL(hipError_t, hipDeviceGetPCIBusId, (char *id, int size, int device))                       \
  SYMBOL(hipError_t, hipDeviceGetAttribute,                                                        \
         (int *value, hipDeviceAttribute_t attribute, int device))                                 \
  SYMBOL(hipError_t, hipDeviceTotalMem, (size_t * bytes, hipDevice_t device))                      \
  SYMBOL(hipError_t, hipSetDevice, (int device))                                                   \
  SYMBOL(hipError_t, hipSetDeviceFlags, (unsigned int flags))                                      \
  SYMBOL(hipError_t, hipDeviceSynchronize, (void))                                                 \
  SYMBOL(hipError_t, hipDeviceReset, (void))                                                       \
  SYMBOL(hipError_t, hipModuleLoadData, (hipModule_t * module, const void *image))                 \
  SYMBOL(hipError_t, hipModuleUnload, (hipModule_t module))                                        \
  SYMBOL(hipError_t, hipModuleGetFunction,                                                         \
         (hipFunction_t * function, hipModule_t module, const char *name))                         \
  SYMBOL(hipError_t, hipModuleGetGlobal,                                                           \
         (hipDeviceptr_t * address, size_t * bytes, hipModule_t module, const char *name))         \
  SYMBOL(hipError_t, hipMemGetInfo, (size_t * free_bytes, size_t * total_bytes))                   \
  SYMBOL(hipError_t, hipMalloc, (void **address, size_t bytes))                                    \
  SYMBOL(hipError_t, hipFree, (void *address))                                                     \
  SYMBOL(hipError_t, hipMemGetAddressRange,                                                        \
         (hipDeviceptr_t * base, size_t * bytes, hipDeviceptr_t address))                          \
  SYMBOL(hipError_t, hipMemcpy, (void *to, const void *from, size_t bytes, hipMemcpyKind kind))    \
  SYMBOL(hipError_t, hipMemset, (void *to, int value, size_t bytes))                               \
  SYMBOL(hipError_t, hipHostRegister, (void *memory, size_t bytes, unsigned int flags))            \
  SYMBOL(hipError_t, hipHostUnregister, (void *memory))                                            \
  SYMBOL(hipError_t, hipHostGetDevicePointer, (void **address, void *memory, unsigned int flags))  \
  SYMBOL(hipError_t, hipMemcpyAsync,                                                               \
         (void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream))       \
  SYMBOL(hipError_t, hipStreamCreateWithFlags, (hipStream_t * stream, unsigned int flags))         \
  SYMBOL(hipError_t, hipStreamDestroy, (hipStream_t stream))                                       \
  SYMBOL(hipError_t, hipStreamWaitEvent,                                                           \
         (hipStream_t stream, hipEvent_t event, unsigned int flags))                               \
  SYMBOL(hipError_t, hipEventCreate, (hipEvent_t * event))                                         \
  SYMBOL(hipError_t, hipEventDestroy, (hipEvent_t event))                                          \
  SYMBOL(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))                       \
  SYMBOL(hipError_t, hipEventElapsedTime, (float *ms, hipEvent_t from, hipEvent_t to))             \
  SYMBOL(hipError_t, hipModuleLaunchKernel,                                                        \
         (hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,   \
          unsigned int block_x, unsigned int block_y, unsigned int block_z,                        \
          unsigned int shared_bytes, hipStream_t stream, void **parameters, void **extra))

#endif
