/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for libamdhip64: AMD GPUs of which one computes, because kernels run on a simulated GPU. It
 * insists on the order of calls that HIP needs, on getting back what it gave out, and on a code object that
 * is one, for its processor, with the kernels in it that are asked for.
 *
 * In the environment:
 *   FAKE_HIP_PROFILE     the simulated GPU; without it, mi210 of $top_srcdir/data/sim
 *   FAKE_HIP_FAIL        "hipMalloc=2": that function returns that error
 *   FAKE_HIP_LAUNCHES    so many launches are made; during the next the GPU is lost
 *   FAKE_HIP_LOST        a file that is made then; where it is, no process finds the GPU
 */
#ifndef FAKE_HIP_H
#define FAKE_HIP_H

#include "device/hip_symbols.h"

#define FAKE_HIP_DEVICES 4

/* Processors as code objects number them (EF_AMDGPU_MACH of LLVM). */
#define FAKE_HIP_GFX90A 0x3f
#define FAKE_HIP_GFX942 0x4c

struct fake_hip {
  /* What it is: set by the test before the device is opened. */
  int devices;
  struct {
    char bus_id[32];
    char uuid[17];           /* 16 hexadecimal digits */
  } device[FAKE_HIP_DEVICES];
  char model[32];
  unsigned int processor;    /* of all of them */
  int wall_clock_khz;        /* 0: this version does not know the attribute */
  int counts_pairs;          /* CUs are counted by twos */

  /* What it saw. */
  char complaint[640];       /* the first call that was not allowed; empty: none */
  char rocr[80], hip[80], cuda[80]; /* visible devices when hipInit was called; "(unset)" */
  int inits, resets;
  int modules, allocations;  /* given out and not given back */
  int current;               /* index of the device in use, -1: none */
  int launches, synchronized;
  char function[64];         /* of the last launch or occupancy call */
  unsigned int grid, block, shared, occupancy_shared;
  unsigned char parameters[256];
  size_t parameter_bytes;
  unsigned int tick[2];      /* the variable gpu_tick */
};
typedef struct fake_hip fake_gpu; /* for backend.h */

#endif
