/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/api.h"

#include "util/symbols.h"

#include <dlfcn.h>
#include <errno.h>

struct gc_sanitizer gc_sanitizer;

int gc_sanitizer_load(const char *path, struct gc_error *err)
{
#define SYMBOL(name, parameters) {#name, offsetof(struct gc_sanitizer, name)},
  static const struct gc_symbol symbols[] = {SANITIZER_SYMBOLS(SYMBOL)};
#undef SYMBOL
  const struct gc_library library = {dlopen(path, RTLD_NOW | RTLD_LOCAL), path,
                                     "CUDA 12 or newer is needed"};

  if (!library.handle)
    return gc_fail(err, -ENOENT, "cannot load NVIDIA's library: %s", dlerror());
  return gc_find_symbols(&library, symbols, sizeof symbols / sizeof *symbols, &gc_sanitizer, err);
}

int gc_sanitizer_status(SanitizerResult result, const char *call, struct gc_error *err)
{
  return result ? gc_fail(err, -EIO, "%s failed with error %u", call, result) : 0;
}
