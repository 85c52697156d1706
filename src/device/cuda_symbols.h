/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the CUDA driver API that this project uses, as tables: constants, types, functions.
 * The driver is loaded at run time, so the build needs neither the toolkit's cuda.h nor libcuda.
 * Where cuda.h exists, tests/kernels/check_cuda_prototypes.c compares every line below with it at
 * compile time.
 */
#ifndef GC_DEVICE_CUDA_SYMBOLS_H
#define GC_DEVICE_CUDA_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* CONSTANT(name, value) */
#define CUDA_CONSTANTS(CONSTANT)                                                                   \
  CONSTANT(CUDA_SUCCESS, 0)                                                                        \
  CONSTANT(CUDA_ERROR_INVALID_VALUE, 1)                                                            \
  CONSTANT(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                            \
  CONSTANT(CUDA_ERROR_STUB_LIBRARY, 34)                                                            \
  CONSTANT(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                                      \
  CONSTANT(CUDA_ERROR_NO_DEVICE, 100)                                                              \
  CONSTANT(CUDA_ERROR_INVALID_DEVICE, 101)                                                         \
  CONSTANT(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                      \
  CONSTANT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                \
  CONSTANT(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                                                      \
  CONSTANT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                            \
  CONSTANT(CUDA_ERROR_TOO_MANY_PEERS, 711)                                                         \
  CONSTANT(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)                                     \
  CONSTANT(CUDA_ERROR_NOT_SUPPORTED, 801)                                                          \
  CONSTANT(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                                       \
  CONSTANT(CU_MEM_LOCATION_TYPE_DEVICE, 1)                                                         \
  CONSTANT(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                                                  \
  CONSTANT(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)                                                    \
  CONSTANT(CU_MEMHOSTALLOC_DEVICEMAP, 2)                                                           \
  CONSTANT(CU_MEMHOSTREGISTER_DEVICEMAP, 2)                                                        \
  CONSTANT(CU_CTX_SCHED_SPIN, 1)                                                                   \
  CONSTANT(CU_STREAM_NON_BLOCKING, 1)                                                              \
  CONSTANT(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                     \
  CONSTANT(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)                                  \
  CONSTANT(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 5)                                                   \
  CONSTANT(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)                                \
  CONSTANT(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                                               \
  CONSTANT(CU_FUNC_CACHE_PREFER_NONE, 0)                                                           \
  CONSTANT(CU_FUNC_CACHE_PREFER_SHARED, 1)                                                         \
  CONSTANT(CU_FUNC_CACHE_PREFER_L1, 2)                                                             \
  CONSTANT(CU_FUNC_CACHE_PREFER_EQUAL, 3)                                                          \
  CONSTANT(CU_COMPUTEMODE_PROHIBITED, 2)                                                           \
  CONSTANT(CU_COMPUTEMODE_EXCLUSIVE_PROCESS, 3)                                                    \
  CONSTANT(CU_RESOURCE_TYPE_LINEAR, 2)                                                             \
  CONSTANT(CU_AD_FORMAT_UNSIGNED_INT32, 3)                                                         \
  CONSTANT(CU_TR_ADDRESS_MODE_CLAMP, 1)                                                            \
  CONSTANT(CU_TR_FILTER_MODE_POINT, 0)                                                             \
  CONSTANT(CU_TRSF_READ_AS_INTEGER, 1)                                                             \
  CONSTANT(CU_GRAPH_NODE_TYPE_KERNEL, 0)                                                           \
  CONSTANT(CU_GRAPH_NODE_TYPE_MEMCPY, 1)                                                           \
  CONSTANT(CU_GRAPH_NODE_TYPE_MEMSET, 2)                                                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                     \
  CONSTANT(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)                                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                      \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)                                        \
  CONSTANT(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                     \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                     \
  CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                                                   \
  CONSTANT(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                                    \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                                              \
  CONSTANT(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                                        \
  CONSTANT(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                  \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                                 \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 69)                                 \
  CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                       \
  CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                       \
  CONSTANT(CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 79)                                      \
  CONSTANT(CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 80)                                       \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                               \
  CONSTANT(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 86)                                   \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                              \
  CONSTANT(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)                           \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                                 \
  CONSTANT(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 107)                                 \
  CONSTANT(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 108)                                  \
  CONSTANT(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111)                              \
  CONSTANT(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)

/* CUDA_RESOURCE_DESC for CU_RESOURCE_TYPE_LINEAR. `reserved` gives the union its size. */
struct gc_cuda_resource {
  unsigned int type;
  union {
    struct {
      unsigned long long address;
      unsigned int format, channels;
      size_t bytes;
    } linear;
    int reserved[32];
  } res;
  unsigned int flags;
};

/* CUDA_TEXTURE_DESC */
struct gc_cuda_texture {
  unsigned int address_mode[3], filter_mode, flags, max_anisotropy, mipmap_filter_mode;
  float mipmap_bias, mipmap_min, mipmap_max, border[4];
  int reserved[12];
};

/* CUlaunchAttribute, for CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION. `reserved` gives the union its
 * size. */
struct gc_cuda_launch_attribute {
  unsigned int id;
  char padding[4];
  union {
    struct {
      unsigned int x, y, z;
    } cluster;
    char reserved[64];
  } value;
};

/* CUlaunchConfig */
struct gc_cuda_launch_config {
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  struct CUstream_st *stream;
  struct gc_cuda_launch_attribute *attributes;
  unsigned int attribute_count;
};

/* CUmemAllocationProp */
struct gc_cuda_allocation {
  unsigned int type, handle_types, location_type;
  int location;
  void *metadata;
  unsigned char flags[8];
};

/* CUmemAccessDesc */
struct gc_cuda_access {
  unsigned int location_type;
  int location;
  unsigned int flags;
};

/* TYPE(name, definition); enumerations without negative members are unsigned int */
#define CUDA_TYPES(TYPE)                                                                           \
  TYPE(CUresult, unsigned int)                                                                     \
  TYPE(CUdevice_attribute, unsigned int)                                                           \
  TYPE(CUfunction_attribute, unsigned int)                                                         \
  TYPE(CUdevice_P2PAttribute, unsigned int)                                                        \
  TYPE(CUlimit, unsigned int)                                                                      \
  TYPE(CUfunc_cache, unsigned int)                                                                 \
  TYPE(CUdevice, int)                                                                              \
  TYPE(CUdeviceptr, unsigned long long)                                                            \
  TYPE(CUtexObject, unsigned long long)                                                            \
  TYPE(CUmemGenericAllocationHandle, unsigned long long)                                           \
  TYPE(CUmemAllocationGranularity_flags, unsigned int)                                             \
  TYPE(CUcontext, struct CUctx_st *)                                                               \
  TYPE(CUmodule, struct CUmod_st *)                                                                \
  TYPE(CUfunction, struct CUfunc_st *)                                                             \
  TYPE(CUstream, struct CUstream_st *)                                                             \
  TYPE(CUevent, struct CUevent_st *)

#ifndef GC_CUDA_TYPES_OF_CUDA_H /* check_cuda_prototypes.c uses the types of cuda.h instead */
#define CUDA_TYPE(name, type) typedef type name;
CUDA_TYPES(CUDA_TYPE)
#undef CUDA_TYPE
typedef struct {
  char bytes[16];
} CUuuid;
typedef struct gc_cuda_resource CUDA_RESOURCE_DESC;
typedef struct gc_cuda_texture CUDA_TEXTURE_DESC;
typedef struct gc_cuda_launch_config CUlaunchConfig;
typedef struct gc_cuda_allocation CUmemAllocationProp;
typedef struct gc_cuda_access CUmemAccessDesc;
typedef struct gc_cuda_resource_view CUDA_RESOURCE_VIEW_DESC; /* always NULL in this program */

#define CUDA_CONSTANT(name, value) name = value,
enum { CUDA_CONSTANTS(CUDA_CONSTANT) };
#undef CUDA_CONSTANT
#endif

/* SYMBOL(name in libcuda, parameters); all return CUresult. */
#define CUDA_SYMBOLS(SYMBOL)                                                                       \
  SYMBOL(cuGetErrorName, (CUresult error, const char **name))                                      \
  SYMBOL(cuInit, (unsigned int flags))                                                             \
  SYMBOL(cuDeviceGetCount, (int *count))                                                           \
  SYMBOL(cuDeviceGet, (CUdevice * device, int ordinal))                                            \
  SYMBOL(cuDeviceGetName, (char *name, int size, CUdevice device))                                 \
  SYMBOL(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                     \
  SYMBOL(cuDeviceGetPCIBusId, (char *id, int size, CUdevice device))                               \
  SYMBOL(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))        \
  SYMBOL(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                   \
  SYMBOL(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned int flags))                     \
  SYMBOL(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                         \
  SYMBOL(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                          \
  SYMBOL(cuCtxSetCurrent, (CUcontext context))                                                     \
  SYMBOL(cuCtxGetLimit, (size_t * value, CUlimit limit))                                           \
  SYMBOL(cuCtxSynchronize, (void))                                                                 \
  SYMBOL(cuModuleLoadData, (CUmodule * module, const void *image))                                 \
  SYMBOL(cuModuleUnload, (CUmodule module))                                                        \
  SYMBOL(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))          \
  SYMBOL(cuModuleGetGlobal_v2,                                                                     \
         (CUdeviceptr * address, size_t * bytes, CUmodule module, const char *name))               \
  SYMBOL(cuStreamCreate, (CUstream * stream, unsigned int flags))                                  \
  SYMBOL(cuStreamDestroy_v2, (CUstream stream))                                                    \
  SYMBOL(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                             \
  SYMBOL(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                     \
  SYMBOL(cuMemFree_v2, (CUdeviceptr address))                                                      \
  SYMBOL(cuMemHostAlloc, (void **memory, size_t bytes, unsigned int flags))                        \
  SYMBOL(cuMemHostGetDevicePointer_v2, (CUdeviceptr * address, void *memory, unsigned int flags))  \
  SYMBOL(cuMemFreeHost, (void *memory))                                                            \
  SYMBOL(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))       \
  SYMBOL(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                        \
  SYMBOL(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                              \
  SYMBOL(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t bytes))                       \
  SYMBOL(cuTexObjectCreate,                                                                        \
         (CUtexObject * texture, const CUDA_RESOURCE_DESC *resource,                               \
          const CUDA_TEXTURE_DESC *description, const CUDA_RESOURCE_VIEW_DESC *view))              \
  SYMBOL(cuTexObjectDestroy, (CUtexObject texture))                                                \
  SYMBOL(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))     \
  SYMBOL(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config))                         \
  SYMBOL(cuLaunchKernel,                                                                           \
         (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,      \
          unsigned int block_x, unsigned int block_y, unsigned int block_z,                        \
          unsigned int shared_bytes, CUstream stream, void **parameters, void **extra))

/* The same for groups of functions that a driver may lack: then all of a group are NULL. Launches
 * of clusters; several mappings of the same memory; host memory of a NUMA node; other GPUs. */
#define CUDA_CLUSTER_SYMBOLS(SYMBOL)                                                               \
  SYMBOL(cuLaunchKernelEx,                                                                         \
         (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))     \
  SYMBOL(cuOccupancyMaxPotentialClusterSize,                                                       \
         (int *blocks, CUfunction function, const CUlaunchConfig *config))

#define CUDA_ALIAS_SYMBOLS(SYMBOL)                                                                 \
  SYMBOL(cuMemGetAllocationGranularity, (size_t * bytes, const CUmemAllocationProp *allocation,    \
                                         CUmemAllocationGranularity_flags which))                  \
  SYMBOL(cuMemAddressReserve, (CUdeviceptr * address, size_t bytes, size_t alignment,              \
                               CUdeviceptr wanted, unsigned long long flags))                      \
  SYMBOL(cuMemAddressFree, (CUdeviceptr address, size_t bytes))                                    \
  SYMBOL(cuMemCreate, (CUmemGenericAllocationHandle * memory, size_t bytes,                        \
                       const CUmemAllocationProp *allocation, unsigned long long flags))           \
  SYMBOL(cuMemRelease, (CUmemGenericAllocationHandle memory))                                      \
  SYMBOL(cuMemMap, (CUdeviceptr address, size_t bytes, size_t offset,                              \
                    CUmemGenericAllocationHandle memory, unsigned long long flags))                \
  SYMBOL(cuMemSetAccess,                                                                           \
         (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t n))             \
  SYMBOL(cuMemUnmap, (CUdeviceptr address, size_t bytes))

#define CUDA_HOST_SYMBOLS(SYMBOL)                                                                  \
  SYMBOL(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned int flags))                   \
  SYMBOL(cuMemHostUnregister, (void *memory))                                                      \
  SYMBOL(cuMemcpyHtoDAsync_v2,                                                                     \
         (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                        \
  SYMBOL(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))        \
  SYMBOL(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))                  \
  SYMBOL(cuEventCreate, (CUevent * event, unsigned int flags))                                     \
  SYMBOL(cuEventRecord, (CUevent event, CUstream stream))                                          \
  SYMBOL(cuEventElapsedTime, (float *ms, CUevent from, CUevent to))                                \
  SYMBOL(cuEventDestroy_v2, (CUevent event))

#define CUDA_PEER_SYMBOLS(SYMBOL)                                                                  \
  SYMBOL(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))                        \
  SYMBOL(cuDeviceGetP2PAttribute,                                                                  \
         (int *value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer))            \
  SYMBOL(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags))                              \
  SYMBOL(cuCtxDisablePeerAccess, (CUcontext peer))                                                 \
  SYMBOL(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,               \
                             CUcontext from_context, size_t bytes, CUstream stream))

#endif
