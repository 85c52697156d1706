/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A library to preload into the tool. It makes one kernel fail on a real GPU: the arguments of its launches
 * are zeros, so that it stores to address 0. The driver then refuses every request of the process, as it does
 * after an ECC error. SPOIL_KERNEL=gpu_latency_texture names the kernel. tests/gpu/failures.sh uses it.
 */
#define _GNU_SOURCE
#include "device/cuda_symbols.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define ARGUMENT_BYTES 4096 /* no kernel has more */

#define MEMBER(name, parameters) CUresult(*name) parameters;
static struct {
  CUDA_SYMBOLS(MEMBER)
} real;
#undef MEMBER

static CUfunction spoiled;

static CUresult get_function(CUfunction *function, CUmodule module, const char *name)
{
  const char *wanted = getenv("SPOIL_KERNEL");
  const CUresult result = real.cuModuleGetFunction(function, module, name);

  if (result == CUDA_SUCCESS && wanted && !strcmp(name, wanted))
    spoiled = *function;
  return result;
}

static CUresult launch_kernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                              unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                              unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                              void **parameters, void **extra)
{
  static char zeros[ARGUMENT_BYTES];
  void *none[] = {zeros};

  return real.cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                             stream, spoiled && function == spoiled ? none : parameters, extra);
}

typedef void *(*find_symbol)(void *, const char *);

/* Finds dlsym of libc under each of the versions that it has had. */
static find_symbol libc_dlsym(void)
{
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  find_symbol find = NULL;
  void *address = NULL;

  for (size_t i = 0; i < sizeof(versions) / sizeof(*versions) && !address; i++)
    address = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  memcpy(&find, &address, sizeof(find));
  return find;
}

/* Two of the driver's functions are ours. */
EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
  const find_symbol find = libc_dlsym();
  void *address = find ? find(handle, name) : NULL;

  if (address && !strcmp(name, "cuModuleGetFunction")) {
    CUresult (*own)(CUfunction *, CUmodule, const char *) = get_function;

    memcpy(&real.cuModuleGetFunction, &address, sizeof(address));
    memcpy(&address, &own, sizeof(address));
  } else if (address && !strcmp(name, "cuLaunchKernel")) {
    CUresult (*own)(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                    unsigned int, unsigned int, CUstream, void **, void **) = launch_kernel;

    memcpy(&real.cuLaunchKernel, &address, sizeof(address));
    memcpy(&address, &own, sizeof(address));
  }
  return address;
}
