/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for libcuda.so.1: NVIDIA GPUs that compute nothing. It checks the order of calls that
 * the real driver needs, and that everything it gave out is returned. It obeys CUDA_VISIBLE_DEVICES
 * and CUDA_DEVICE_ORDER.
 *
 * The environment variable FAKE_CUDA_FAIL="cuMemAlloc_v2=2" has that function return that error.
 * FAKE_CUDA_GPUS="0000:97:00.0=GPU-…,0000:17:00.0=GPU-…" lists the GPUs, the fastest first, in
 * place of the one below; MIG instances are MIG-…. The UUID of each GPU that gets a context is
 * appended to the file FAKE_CUDA_LOG.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "device/cuda_symbols.h"

#define FAKE_CUDA_ATTRIBUTES 128
#define FAKE_CUDA_REFUSED SIZE_MAX

struct fake_cuda {
  /* The GPU. The test sets this before it opens the device. */
  char bus_id[32];
  unsigned char uuid[16];
  int attributes[FAKE_CUDA_ATTRIBUTES]; /* -1: this driver does not support it */
  int peers_reach,
      peer_atomics;   /* kernels can use memory of other GPUs; atomics are native there */
  size_t fetch_limit; /* of L2, bytes; FAKE_CUDA_REFUSED: this driver does not support it */

  /* Observations. */
  char used[48];             /* UUID of the GPU that got the last context */
  char violation[256];       /* the first invalid call; empty: none */
  char visible[160], order[16], queues[16], pipes[64]; /* environment when cuInit was called */
  int contexts, modules, allocations, textures, streams, events; /* given out and not returned */
  int launches, synchronized, streamed; /* streamed: launches on a stream of their own */
  char function[64];         /* of the last launch or attribute call */
  unsigned int grid, block, shared, cluster;
  int clusters_allowed;      /* clusters of more blocks than on every GPU with clusters */
  unsigned char parameters[128];
  size_t parameter_bytes;    /* set by the test: bytes of the launch's arguments to keep */
  int attribute, attribute_value, attributes_set, cache_config;
  struct gc_cuda_resource resource;
  struct gc_cuda_texture texture;
};
typedef struct fake_cuda fake_gpu; /* for backend.h */

#endif
