/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads the HIP library, and converts its errors.
 */
#include "device/hip_driver.h"

#include "device/common.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HIP_LIBRARY "libamdhip64.so"

/* All versions have the same functions that this program uses. The name without a number is part of
 * development packages and may be any version. */
static const char *const names[] = {HIP_LIBRARY ".7", HIP_LIBRARY ".6", HIP_LIBRARY ".5",
                                    HIP_LIBRARY};
static const char *const places[] = {"", "/opt/rocm/lib/"};

#define HIP_ENTRY(type, symbol, parameters) {#symbol, offsetof(struct gc_hip_driver, symbol)},
static const struct gc_symbol symbols[] = {HIP_SYMBOLS(HIP_ENTRY)};
#undef HIP_ENTRY

/* The library with this name, or NULL. why: receives the linker's message if the library exists but
 * cannot be loaded, and is otherwise unchanged. */
static void *open_library(const char *name, char *why, size_t size)
{
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *text = library ? NULL : dlerror();

  /* "NAME: cannot open shared object file": the library does not exist */
  if (text && (strncmp(text, name, strlen(name)) || !strstr(text, "cannot open")))
    snprintf(why, size, "%s: %s", name, text);
  return library;
}

int gc_hip_driver_load(struct gc_hip_driver *driver, struct gc_error *err)
{
  char why[300] = HIP_LIBRARY " is not there in versions 7, 6 and 5";
  struct gc_library library;
  int status;

  driver->library = NULL;
  for (size_t p = 0; !driver->library && p < sizeof(places) / sizeof(*places); p++)
    for (size_t n = 0; !driver->library && n < sizeof(names) / sizeof(*names); n++) {
      snprintf(driver->name, sizeof(driver->name), "%s%s", places[p], names[n]);
      driver->library = open_library(driver->name, why, sizeof(why));
    }
  if (!driver->library)
    return gc_fail(err, -ENODEV, "cannot load HIP: %s; install ROCm's libamdhip64", why);
  library = (struct gc_library){driver->library, driver->name,
                                "it is too old (ROCm 5.1 or newer is needed)"};
  status = gc_find_symbols(&library, symbols, sizeof(symbols) / sizeof(*symbols), driver, err);
  if (status)
    gc_hip_driver_unload(driver);
  return status;
}

void gc_hip_driver_unload(struct gc_hip_driver *driver)
{
  if (driver->library)
    dlclose(driver->library);
  driver->library = NULL;
}

static const struct gc_meaning meanings[] = {
    {hipErrorInvalidValue, -EINVAL},   {hipErrorOutOfMemory, -ENOMEM},
    {hipErrorNoDevice, -ENODEV},       {hipErrorInvalidDevice, -ENODEV},
    {hipErrorInvalidImage, -ENOTSUP},  {hipErrorNoBinaryForGpu, -ENOTSUP},
    {hipErrorNotSupported, -ENOTSUP},  {hipErrorInvalidDeviceFunction, -ENOTSUP},
    {hipErrorInvalidKernelFile, -ENOTSUP},
};

const char *gc_hip_error_name(const struct gc_hip_driver *driver, hipError_t result,
                              char buffer[32])
{
  const char *name = driver->hipGetErrorName(result);

  /* HIP uses this name also for errors without a name */
  if (name && (result == hipErrorUnknown || strcmp(name, "hipErrorUnknown")))
    return name;
  snprintf(buffer, 32, "HIP error %u", result);
  return buffer;
}

int gc_hip_status(const struct gc_hip_driver *driver, hipError_t result, struct gc_error *err,
                  const char *doing, ...)
{
  char number[32];
  va_list args;
  int status;

  if (result == hipSuccess)
    return 0;
  va_start(args, doing);
  status = gc_call_failed(err, gc_status_of(result, meanings, sizeof(meanings) / sizeof(*meanings)),
                          gc_hip_error_name(driver, result, number), doing, args);
  va_end(args);
  return status;
}
