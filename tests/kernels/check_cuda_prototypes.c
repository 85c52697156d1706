/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares src/device/cuda_symbols.h with the cuda.h of the toolkit, at compile time: every
 * prototype, number, type and struct. Without cuda.h the test is skipped.
 */
#include <stdio.h>

#ifdef GC_HAVE_CUDA_H
#define GC_CUDA_TYPES_OF_CUDA_H
#include "device/cuda_symbols.h"

#include <cuda.h>

#define SAME_TYPE(name, type) _Static_assert(__builtin_types_compatible_p(name, type), #name);
#define SAME_PROTOTYPE(name, parameters)                                                           \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), CUresult(*) parameters), #name);
#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
#define SAME_MEMBER(theirs, member, ours, own)                                                     \
  _Static_assert(offsetof(theirs, member) == offsetof(struct ours, own) &&                         \
                     sizeof(((theirs *)0)->member) == sizeof(((struct ours *)0)->own),             \
                 #member);

CUDA_TYPES(SAME_TYPE)
CUDA_SYMBOLS(SAME_PROTOTYPE)
CUDA_CLUSTER_SYMBOLS(SAME_PROTOTYPE)
CUDA_ALIAS_SYMBOLS(SAME_PROTOTYPE)
CUDA_HOST_SYMBOLS(SAME_PROTOTYPE)
CUDA_PEER_SYMBOLS(SAME_PROTOTYPE)
CUDA_CONSTANTS(SAME_VALUE)

_Static_assert(sizeof(CUuuid) == 16, "CUuuid");
_Static_assert(sizeof(CUDA_RESOURCE_DESC) == sizeof(struct gc_cuda_resource), "CUDA_RESOURCE_DESC");
SAME_MEMBER(CUDA_RESOURCE_DESC, resType, gc_cuda_resource, type)
SAME_MEMBER(CUDA_RESOURCE_DESC, res.linear.devPtr, gc_cuda_resource, res.linear.address)
SAME_MEMBER(CUDA_RESOURCE_DESC, res.linear.format, gc_cuda_resource, res.linear.format)
SAME_MEMBER(CUDA_RESOURCE_DESC, res.linear.numChannels, gc_cuda_resource, res.linear.channels)
SAME_MEMBER(CUDA_RESOURCE_DESC, res.linear.sizeInBytes, gc_cuda_resource, res.linear.bytes)
SAME_MEMBER(CUDA_RESOURCE_DESC, flags, gc_cuda_resource, flags)
_Static_assert(sizeof(CUDA_TEXTURE_DESC) == sizeof(struct gc_cuda_texture), "CUDA_TEXTURE_DESC");
SAME_MEMBER(CUDA_TEXTURE_DESC, addressMode, gc_cuda_texture, address_mode)
SAME_MEMBER(CUDA_TEXTURE_DESC, filterMode, gc_cuda_texture, filter_mode)
SAME_MEMBER(CUDA_TEXTURE_DESC, flags, gc_cuda_texture, flags)
SAME_MEMBER(CUDA_TEXTURE_DESC, maxAnisotropy, gc_cuda_texture, max_anisotropy)
SAME_MEMBER(CUDA_TEXTURE_DESC, mipmapFilterMode, gc_cuda_texture, mipmap_filter_mode)
SAME_MEMBER(CUDA_TEXTURE_DESC, borderColor, gc_cuda_texture, border)
SAME_MEMBER(CUDA_TEXTURE_DESC, reserved, gc_cuda_texture, reserved)
_Static_assert(sizeof(CUlaunchAttribute) == sizeof(struct gc_cuda_launch_attribute),
               "CUlaunchAttribute");
_Static_assert(sizeof(CUlaunchConfig) == sizeof(struct gc_cuda_launch_config), "CUlaunchConfig");
SAME_MEMBER(CUlaunchAttribute, id, gc_cuda_launch_attribute, id)
SAME_MEMBER(CUlaunchAttribute, value, gc_cuda_launch_attribute, value)
SAME_MEMBER(CUlaunchAttribute, value.clusterDim, gc_cuda_launch_attribute, value.cluster)
SAME_MEMBER(CUlaunchConfig, gridDimX, gc_cuda_launch_config, grid_x)
SAME_MEMBER(CUlaunchConfig, blockDimX, gc_cuda_launch_config, block_x)
SAME_MEMBER(CUlaunchConfig, sharedMemBytes, gc_cuda_launch_config, shared_bytes)
SAME_MEMBER(CUlaunchConfig, hStream, gc_cuda_launch_config, stream)
SAME_MEMBER(CUlaunchConfig, attrs, gc_cuda_launch_config, attributes)
SAME_MEMBER(CUlaunchConfig, numAttrs, gc_cuda_launch_config, attribute_count)
_Static_assert(sizeof(CUmemAllocationProp) == sizeof(struct gc_cuda_allocation), "allocation");
SAME_MEMBER(CUmemAllocationProp, type, gc_cuda_allocation, type)
SAME_MEMBER(CUmemAllocationProp, location.type, gc_cuda_allocation, location_type)
SAME_MEMBER(CUmemAllocationProp, location.id, gc_cuda_allocation, location)
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct gc_cuda_access), "access");
SAME_MEMBER(CUmemAccessDesc, location.type, gc_cuda_access, location_type)
SAME_MEMBER(CUmemAccessDesc, location.id, gc_cuda_access, location)
SAME_MEMBER(CUmemAccessDesc, flags, gc_cuda_access, flags)

int main(void)
{
#define COUNT(name, what) +1
  printf("compiled: %d functions, %d constants and %d types are those of cuda.h %d\n",
         0 CUDA_SYMBOLS(COUNT) CUDA_CLUSTER_SYMBOLS(COUNT) CUDA_ALIAS_SYMBOLS(COUNT) CUDA_HOST_SYMBOLS(COUNT) CUDA_PEER_SYMBOLS(COUNT), 0 CUDA_CONSTANTS(COUNT), 0 CUDA_TYPES(COUNT), CUDA_VERSION);
  return 0;
}
#else
int main(void)
{
  printf("SKIPPED: there is no cuda.h (CUDA Toolkit) to compare with\n");
  return 77;
}
#endif
