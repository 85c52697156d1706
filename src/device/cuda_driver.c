/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define CUDA_LIBRARY "libcuda.so.1"

#define CUDA_ENTRY(symbol, parameters) {#symbol, offsetof(struct gc_cuda_driver, symbol)},
static const struct {
  const char *name;
  size_t offset;
} symbols[] = {CUDA_SYMBOLS(CUDA_ENTRY)};
#undef CUDA_ENTRY

int gc_cuda_driver_load(struct gc_cuda_driver *driver, struct gc_error *err)
{
  const char *why;

  driver->library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    why = dlerror();
    return gc_fail(err, -ENODEV, "cannot load the CUDA driver: %s", why ? why : CUDA_LIBRARY);
  }
  for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
    void *address = dlsym(driver->library, symbols[i].name);

    if (!address) {
      gc_cuda_driver_unload(driver);
      return gc_fail(err, -ENODEV,
                     CUDA_LIBRARY " has no %s: the driver is too old (470 or newer is needed)",
                     symbols[i].name);
    }
    *(void **)((char *)driver + symbols[i].offset) = address;
  }
  return 0;
}

void gc_cuda_driver_unload(struct gc_cuda_driver *driver)
{
  if (driver->library)
    dlclose(driver->library);
  driver->library = NULL;
}

static const struct {
  CUresult result;
  int status;
} statuses[] = {
    {CUDA_ERROR_INVALID_VALUE, -EINVAL},      {CUDA_ERROR_OUT_OF_MEMORY, -ENOMEM},
    {CUDA_ERROR_STUB_LIBRARY, -ENODEV},       {CUDA_ERROR_DEVICE_UNAVAILABLE, -ENODEV},
    {CUDA_ERROR_NO_DEVICE, -ENODEV},          {CUDA_ERROR_INVALID_DEVICE, -ENODEV},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, -ENOTSUP}, {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, -ENOTSUP},
    {CUDA_ERROR_NOT_SUPPORTED, -ENOTSUP},
};

const char *gc_cuda_error_name(const struct gc_cuda_driver *driver, CUresult result,
                               char buffer[32])
{
  const char *name = NULL;

  if (driver->cuGetErrorName(result, &name) == CUDA_SUCCESS && name)
    return name;
  snprintf(buffer, 32, "CUDA error %u", result);
  return buffer;
}

int gc_cuda_status(const struct gc_cuda_driver *driver, CUresult result, struct gc_error *err,
                   const char *doing, ...)
{
  char what[256], number[32];
  int status = -EIO;
  va_list args;

  if (result == CUDA_SUCCESS)
    return 0;
  va_start(args, doing);
  vsnprintf(what, sizeof(what), doing, args);
  va_end(args);
  for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
    if (statuses[i].result == result)
      status = statuses[i].status;
  return gc_fail(err, status, "cannot %s: %s", what, gc_cuda_error_name(driver, result, number));
}
