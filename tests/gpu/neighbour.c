/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Another program on the GPU, opened as an ordinary program does: through the MPS server, if one
 * runs.
 *
 * Usage: neighbour compute SECONDS   streams memory on all SMs and leaves space beside its blocks
 *        neighbour memory LEFT_MIB SECONDS   allocates all free memory but so much
 *
 * Prints "ready" when it has begun, so that a script can wait for that. Exit status 77: no GPU to
 * run on.
 */
#include "device/cuda_driver.h"
#include "device/images.h"
#include "kernels/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SKIPPED 77
#define MIB ((size_t)1 << 20)
#define BYTES (256 * MIB) /* that the kernel streams */
#define PASSES 16         /* a launch takes some milliseconds */
#define LAUNCHES 8        /* queued at once */
#define THREADS 512       /* of a block: half of an SM stays free */

static struct gc_cuda_driver driver;
static struct gc_error err;

/* Ends the program if a call fails. */
static void must(CUresult result, const char *what)
{
  if (!gc_cuda_status(&driver, result, &err, "%s", what))
    return;
  printf("FAILED: %s\n", err.text);
  exit(1);
}

static double seconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void ready(void)
{
  printf("ready\n");
  fflush(stdout);
}

static void compute(CUdevice device, double until)
{
  struct gpu_touch_args args = {
      .bytes = BYTES, .stride = 32, .passes = PASSES, .only_sm = GPU_ANY_SM};
  void *parameters[] = {&args};
  CUfunction function;
  CUdeviceptr address;
  CUmodule module;
  int sms = 0;

  must(driver.cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
       "count the SMs");
  must(driver.cuModuleLoadData(&module, gc_cuda_image), "load the kernels");
  must(driver.cuModuleGetFunction(&function, module, "gpu_touch"), "find the kernel");
  must(driver.cuMemAlloc_v2(&address, BYTES), "allocate memory");
  args.base = address;
  must(driver.cuMemAlloc_v2(&address, 8), "allocate memory");
  args.sink = address;
  for (int first = 1; seconds() < until; first = 0) {
    for (int i = 0; i < LAUNCHES; i++)
      must(driver.cuLaunchKernel(function, (unsigned)sms, 1, 1, THREADS, 1, 1, 0, NULL, parameters,
                                 NULL),
           "launch the kernel");
    if (first)
      ready();
    must(driver.cuCtxSynchronize(), "finish the kernel");
  }
}

static void take_memory(size_t left, double until)
{
  size_t unused = 0, total = 0;
  CUdeviceptr address;

  must(driver.cuMemGetInfo_v2(&unused, &total), "ask for the free memory");
  /* pieces, because the driver does not give all of it at once */
  for (size_t piece = 1024 * MIB; piece >= 2 * MIB; piece /= 2)
    while (unused > left + piece && driver.cuMemAlloc_v2(&address, piece) == CUDA_SUCCESS)
      must(driver.cuMemGetInfo_v2(&unused, &total), "ask for the free memory");
  printf("%zu of %zu MiB are free\n", unused / MIB, total / MIB);
  ready();
  while (seconds() < until)
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

int main(int argc, char **argv)
{
  const int memory = argc == 4 && !strcmp(argv[1], "memory");
  CUdevice device;
  CUcontext context;
  CUresult result;

  if (!memory && !(argc == 3 && !strcmp(argv[1], "compute"))) {
    fprintf(stderr, "usage: neighbour compute SECONDS | memory LEFT_MIB SECONDS\n");
    return 2;
  }
  if (gc_cuda_driver_load(&driver, &err)) {
    printf("SKIPPED: %s\n", err.text);
    return SKIPPED;
  }
  result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE) {
    printf("SKIPPED: CUDA shows no GPU\n");
    return SKIPPED;
  }
  must(result, "initialize CUDA");
  must(driver.cuDeviceGet(&device, 0), "open the first GPU");
  must(driver.cuDevicePrimaryCtxRetain(&context, device), "create a context");
  must(driver.cuCtxSetCurrent(context), "use the context");
  if (memory)
    take_memory(strtoull(argv[2], NULL, 10) * MIB, seconds() + strtod(argv[3], NULL));
  else
    compute(device, seconds() + strtod(argv[2], NULL));
  driver.cuDevicePrimaryCtxRelease_v2(device);
  return 0;
}
