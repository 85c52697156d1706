/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for libcuda.so.1: one NVIDIA GPU that computes nothing, but insists on the order of
 * calls that the real driver needs and on getting back what it gave out.
 *
 * FAKE_CUDA_FAIL="cuMemAlloc_v2=2" in the environment makes that function return that error.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "device/cuda_symbols.h"

#define FAKE_CUDA_ATTRIBUTES 128

struct fake_cuda {
  /* What it is: set by the test before the device is opened. */
  char bus_id[32];
  unsigned char uuid[16];
  int attributes[FAKE_CUDA_ATTRIBUTES]; /* -1: this driver does not know it */

  /* What it saw. */
  char complaint[256];       /* the first call that was not allowed; empty: none */
  char visible[80], order[16], queues[16]; /* environment when cuInit was called */
  int contexts, modules, allocations, textures, streams; /* given out and not given back */
  int launches, synchronized, streamed; /* streamed: launches on a stream of their own */
  char function[64];         /* of the last launch, attribute or occupancy call */
  unsigned int grid, block, shared;
  unsigned char parameters[128];
  size_t parameter_bytes;    /* set by the test: how many bytes of the launch's arguments to keep */
  int attribute, attribute_value, attributes_set, cache_config;
  struct gc_cuda_resource resource;
  struct gc_cuda_texture texture;
};
typedef struct fake_cuda fake_gpu; /* for backend.h */

#endif
