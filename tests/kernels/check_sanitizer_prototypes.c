/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares src/trace/sanitizer.h with the sanitizer.h of the toolkit, at compile time. Without it
 * the test is skipped.
 */
#include <stdio.h>

#if defined(GC_HAVE_CUDA_H) && __has_include(<sanitizer.h>)
/* Two headers with the same names: ours get others. */
#define Sanitizer_CallbackData our_call
#define Sanitizer_ResourceContextData our_context
#define Sanitizer_ResourceModuleData our_module
#define Sanitizer_LaunchData our_launch
#define Sanitizer_GraphNodeLaunchData our_node
#define Sanitizer_GraphLaunchData our_graph
#define Sanitizer_MemcpyData our_memcpy
#define Sanitizer_MemsetData our_memset
#define SanitizerResult our_result
#define Sanitizer_CallbackDomain our_domain
#define Sanitizer_CallbackId our_id
#define Sanitizer_InstructionId our_instruction
#define Sanitizer_SubscriberHandle our_subscriber
#define Sanitizer_StreamHandle our_stream
#define Sanitizer_LaunchHandle our_handle
#define Sanitizer_CallbackFunc our_callback
#define GC_SANITIZER_NO_CONSTANTS
#include "trace/sanitizer.h"
#undef Sanitizer_CallbackData
#undef Sanitizer_ResourceContextData
#undef Sanitizer_ResourceModuleData
#undef Sanitizer_LaunchData
#undef Sanitizer_GraphNodeLaunchData
#undef Sanitizer_GraphLaunchData
#undef Sanitizer_MemcpyData
#undef Sanitizer_MemsetData
#undef SanitizerResult
#undef Sanitizer_CallbackDomain
#undef Sanitizer_CallbackId
#undef Sanitizer_InstructionId
#undef Sanitizer_SubscriberHandle
#undef Sanitizer_StreamHandle
#undef Sanitizer_LaunchHandle
#undef Sanitizer_CallbackFunc

#include <sanitizer.h>

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
SANITIZER_CONSTANTS(SAME_VALUE)

/* Enums and handles have other types there, of the same size; so the sizes of the parameters are
 * compared, and their number. */
#define SAME_SIZE(type, ours) _Static_assert(sizeof(type) == sizeof(ours), #type);
SAME_SIZE(SanitizerResult, our_result)
SAME_SIZE(Sanitizer_CallbackDomain, our_domain)
SAME_SIZE(Sanitizer_CallbackId, our_id)
SAME_SIZE(Sanitizer_InstructionId, our_instruction)
SAME_SIZE(Sanitizer_StreamHandle, our_stream)

#define SAME_MEMBER(theirs, ours, member)                                                          \
  _Static_assert(offsetof(theirs, member) == offsetof(ours, member) &&                             \
                     sizeof(((theirs *)0)->member) == sizeof(((ours *)0)->member),                 \
                 #member);
SAME_MEMBER(Sanitizer_CallbackData, our_call, callbackSite)
SAME_MEMBER(Sanitizer_CallbackData, our_call, functionName)
SAME_MEMBER(Sanitizer_CallbackData, our_call, functionParams)
SAME_MEMBER(Sanitizer_CallbackData, our_call, functionReturnValue)
SAME_MEMBER(Sanitizer_CallbackData, our_call, symbolName)
SAME_MEMBER(Sanitizer_CallbackData, our_call, context)
SAME_MEMBER(Sanitizer_ResourceContextData, our_context, context)
SAME_MEMBER(Sanitizer_ResourceContextData, our_context, device)
SAME_MEMBER(Sanitizer_ResourceModuleData, our_module, context)
SAME_MEMBER(Sanitizer_ResourceModuleData, our_module, module)
SAME_MEMBER(Sanitizer_ResourceModuleData, our_module, cubinSize)
SAME_MEMBER(Sanitizer_ResourceModuleData, our_module, pCubin)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, context)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, hStream)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, module)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, function)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, functionName)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, gridDim_x)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, gridDim_z)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, blockDim_x)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, blockDim_z)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, hLaunch)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, device)
SAME_MEMBER(Sanitizer_LaunchData, our_launch, gridId)
SAME_MEMBER(Sanitizer_GraphNodeLaunchData, our_node, nodeType)
_Static_assert(offsetof(Sanitizer_GraphNodeLaunchData, launchData) ==
                   offsetof(our_node, launchData),
               "launchData");
_Static_assert(offsetof(Sanitizer_GraphNodeLaunchData, memsetData) ==
                   offsetof(our_node, memsetData),
               "memsetData");
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, srcContext)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, dstContext)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, srcAddress)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, size)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, height)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, depth)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, srcPitch)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, dstPitch)
SAME_MEMBER(Sanitizer_MemcpyData, our_memcpy, direction)
SAME_MEMBER(Sanitizer_MemsetData, our_memset, context)
SAME_MEMBER(Sanitizer_MemsetData, our_memset, address)
SAME_MEMBER(Sanitizer_MemsetData, our_memset, pitch)
SAME_MEMBER(Sanitizer_MemsetData, our_memset, elementSize)
SAME_MEMBER(Sanitizer_GraphLaunchData, our_graph, hStream)
SAME_MEMBER(Sanitizer_GraphLaunchData, our_graph, isGraphUpload)

/* Calls each function with parameters of our types, converted where they are handles or enums. */
__attribute__((unused)) static void calls(void)
{
  CUcontext context = NULL;
  CUmodule module = NULL;
  CUfunction function = NULL;
  Sanitizer_SubscriberHandle subscriber = NULL;
  Sanitizer_StreamHandle stream = NULL;
  Sanitizer_LaunchHandle launch = NULL;
  void *address = NULL;
  uint64_t number = 0;

  sanitizerSubscribe(&subscriber, NULL, address);
  sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH);
  sanitizerAddPatches(address, context);
  sanitizerAddPatchesFromFile("", context);
  sanitizerPatchInstructions(SANITIZER_INSTRUCTION_BARRIER, module, "");
  sanitizerPatchModule(module);
  sanitizerUnpatchModule(module);
  sanitizerGetFunctionPcAndSize(module, "", &number, &number);
  sanitizerSetLaunchCallbackData(launch, function, stream, address);
  sanitizerAlloc(context, &address, sizeof number);
  sanitizerMemcpyHostToDeviceAsync(address, address, sizeof number, stream);
  sanitizerMemcpyDeviceToHost(address, address, sizeof number, stream);
  sanitizerStreamSynchronize(stream);
}

int main(void)
{
  puts("sanitizer.h agrees");
  return 0;
}
#else
int main(void)
{
  puts("the CUDA Toolkit's sanitizer.h is not installed");
  return 77;
}
#endif
