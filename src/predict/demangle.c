/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/demangle.h"

#include "util/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* __cxa_demangle of the C++ ABI. libstdc++ is not linked, because only names of kernels need it. */
typedef char *demangle(const char *name, char *buffer, size_t *size, int *status);

size_t gc_demangle(const char *name, char *text, size_t size)
{
  void *const library = strncmp(name, "_Z", 2) ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY);
  demangle *function = NULL;
  char *result = NULL;
  size_t length;
  int status;

  if (library)
    *(void **)&function = dlsym(library, "__cxa_demangle");
  if (function)
    result = function(name, NULL, NULL, &status);
  if (result)
    name = result;
  length = strlen(name);
  if (size) {
    snprintf(text, size, "%.*s", (int)gc_whole_characters(name, size - 1), name);
    gc_make_printable(text);
  }
  free(result);
  if (library)
    dlclose(library);
  return length;
}
