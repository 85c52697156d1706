/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for libamdhip64: AMD GPUs, one of which computes, because kernels run on a simulated
 * GPU. It checks the order of calls that HIP needs, that everything it gave out is returned, and
 * that the code object is valid, for its processor, and has the requested kernels.
 *
 * Environment variables:
 *   FAKE_HIP_PROFILE     the simulated GPU; default: mi210 of $top_srcdir/data/sim. Its NUMA node 0
 * is the node of all pinned memory; without it nothing can be pinned FAKE_HIP_FAIL "hipMalloc=2":
 * that function returns that error FAKE_HIP_LAUNCHES    the number of launches before the GPU is
 * lost FAKE_HIP_LOST        a file that is created then; while it exists, no process finds the GPU
 */
#ifndef FAKE_HIP_H
#define FAKE_HIP_H

#include "device/hip_symbols.h"

#define FAKE_HIP_DEVICES 64

/* Processors as code objects number them (EF_AMDGPU_MACH of LLVM). */
#define FAKE_HIP_GFX90A 0x3f
#define FAKE_HIP_GFX942 0x4c

struct fake_hip {
  /* The GPUs. The test sets this before it opens the device. */
  int devices;
  struct {
    char bus_id[32];
    char uuid[17];           /* 16 hexadecimal digits */
  } device[FAKE_HIP_DEVICES];
  char model[32];
  unsigned int processor;    /* of all of them */
  int wall_clock_khz;        /* 0: this version does not support the attribute */
  int counts_pairs;          /* it counts pairs of CUs */
  int integrated;            /* the GPU uses the memory of the host */
  int filters;               /* ROCR_VISIBLE_DEVICES selects devices, as in ROCr; else it is ignored */

  /* Observations. */
  char violation[640];       /* the first invalid call; empty: none */
  char rocr[80], hip[80], cuda[80]; /* visible devices when hipInit was called; "(unset)" */
  int inits, resets;
  int opened;                /* devices that the last hipInit opened: each takes its time */
  int modules, allocations;  /* given out and not returned */
  int pinned, streams, events;
  int current;               /* index of the device in use in `device`, -1: none */
  int launches, synchronized;
  char function[64];         /* of the last launch */
  unsigned int grid, block, shared;
  unsigned char parameters[256];
  size_t parameter_bytes;
  unsigned int tick[2];      /* the variable gpu_tick */
};
typedef struct fake_hip fake_gpu; /* for backend.h */

#endif
