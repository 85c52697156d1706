/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/api.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct gc_sanitizer gc_sanitizer;

int gc_sanitizer_load(const char *path, struct gc_error *err)
{
  static const struct {
    const char *name;
    size_t offset;
  } symbols[] = {
#define SYMBOL(name, parameters) {#name, offsetof(struct gc_sanitizer, name)},
      SANITIZER_SYMBOLS(SYMBOL)
#undef SYMBOL
  };
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  if (!library)
    return gc_fail(err, -ENOENT, "cannot load NVIDIA's library: %s", dlerror());
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *const address = dlsym(library, symbols[i].name);

    if (!address)
      return gc_fail(err, -ENOSYS, "%s has no %s: CUDA 12 or newer is needed", path,
                     symbols[i].name);
    memcpy((char *)&gc_sanitizer + symbols[i].offset, &address, sizeof address);
  }
  return 0;
}

int gc_sanitizer_status(SanitizerResult result, const char *call, struct gc_error *err)
{
  return result ? gc_fail(err, -EIO, "%s failed with error %u", call, result) : 0;
}
