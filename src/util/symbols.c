/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/symbols.h"

#include <dlfcn.h>
#include <errno.h>

int gc_find_symbols(const struct gc_library *library, const struct gc_symbol *symbols, size_t n,
                    void *table, struct gc_error *err)
{
  for (size_t i = 0; i < n; i++) {
    void *address = dlsym(library->handle, symbols[i].name);

    if (!address)
      return gc_fail(err, -ENODEV, "%s has no %s: %s", library->name, symbols[i].name,
                     library->advice);
    *(void **)((char *)table + symbols[i].offset) = address;
  }
  return 0;
}

void gc_find_optional_symbols(const struct gc_library *library, const struct gc_symbol *symbols,
                              size_t n, void *table)
{
  struct gc_error unused = {.text = ""};

  if (gc_find_symbols(library, symbols, n, table, &unused))
    for (size_t i = 0; i < n; i++)
      *(void **)((char *)table + symbols[i].offset) = NULL;
}
