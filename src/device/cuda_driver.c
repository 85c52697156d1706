/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads the CUDA driver library, and converts its errors.
 */
#include "device/cuda_driver.h"

#include "device/common.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CUDA_LIBRARY "libcuda.so.1"

#define CUDA_ENTRY(symbol, parameters) {#symbol, offsetof(struct gc_cuda_driver, symbol)},
static const struct gc_symbol symbols[] = {CUDA_SYMBOLS(CUDA_ENTRY)};
static const struct gc_symbol cluster_symbols[] = {CUDA_CLUSTER_SYMBOLS(CUDA_ENTRY)};
static const struct gc_symbol alias_symbols[] = {CUDA_ALIAS_SYMBOLS(CUDA_ENTRY)};
static const struct gc_symbol host_symbols[] = {CUDA_HOST_SYMBOLS(CUDA_ENTRY)};
static const struct gc_symbol peer_symbols[] = {CUDA_PEER_SYMBOLS(CUDA_ENTRY)};
#undef CUDA_ENTRY

/* Whether the library itself is missing. Other errors: it is damaged, or it lacks another
 * library. */
static bool is_missing(const char *why)
{
  return !strncmp(why, CUDA_LIBRARY ": ", strlen(CUDA_LIBRARY ": ")) &&
         strstr(why, "No such file or directory");
}

int gc_cuda_driver_load(struct gc_cuda_driver *driver, struct gc_error *err)
{
  struct gc_library library;
  const char *why;
  int status;

  driver->library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    why = dlerror();
    return gc_fail(err, -ENODEV, "cannot load the CUDA driver: %s%s", why ? why : CUDA_LIBRARY,
                   why && is_missing(why)
                       ? "; install the driver's libraries; a container needs access "
                         "to them (--gpus all, --nv)"
                       : "");
  }
  library = (struct gc_library){driver->library, CUDA_LIBRARY,
                                "the driver is too old (470 or newer is needed)"};
  status = gc_find_symbols(&library, symbols, sizeof(symbols) / sizeof(*symbols), driver, err);
  if (status) {
    gc_cuda_driver_unload(driver);
  } else {
    gc_find_optional_symbols(&library, cluster_symbols,
                             sizeof(cluster_symbols) / sizeof(*cluster_symbols), driver);
    gc_find_optional_symbols(&library, alias_symbols,
                             sizeof(alias_symbols) / sizeof(*alias_symbols), driver);
    gc_find_optional_symbols(&library, host_symbols, sizeof(host_symbols) / sizeof(*host_symbols),
                             driver);
    gc_find_optional_symbols(&library, peer_symbols, sizeof(peer_symbols) / sizeof(*peer_symbols),
                             driver);
  }
  return status;
}

void gc_cuda_driver_unload(struct gc_cuda_driver *driver)
{
  if (driver->library)
    dlclose(driver->library);
  driver->library = NULL;
}

static const struct gc_meaning meanings[] = {
    {CUDA_ERROR_INVALID_VALUE, -EINVAL},      {CUDA_ERROR_OUT_OF_MEMORY, -ENOMEM},
    {CUDA_ERROR_STUB_LIBRARY, -ENODEV},       {CUDA_ERROR_DEVICE_UNAVAILABLE, -EBUSY},
    {CUDA_ERROR_NO_DEVICE, -ENODEV},          {CUDA_ERROR_INVALID_DEVICE, -ENODEV},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, -ENOTSUP}, {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, -ENOTSUP},
    {CUDA_ERROR_NOT_SUPPORTED, -ENOTSUP},     {CUDA_ERROR_TOO_MANY_PEERS, -ENOTSUP},
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
  char number[32];
  va_list args;
  int status;

  if (result == CUDA_SUCCESS)
    return 0;
  va_start(args, doing);
  status = gc_call_failed(err, gc_status_of(result, meanings, sizeof(meanings) / sizeof(*meanings)),
                          gc_cuda_error_name(driver, result, number), doing, args);
  va_end(args);
  return status;
}
