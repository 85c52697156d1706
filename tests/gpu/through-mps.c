/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A library to preload into the command: it then opens the GPU through the user's MPS server. So a
 * test can see that interference is noticed by its effects, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int setenv(const char *name, const char *value, int overwrite)
{
  int (*original)(const char *, const char *, int);

  if (!strcmp(name, "CUDA_MPS_PIPE_DIRECTORY"))
    return 0;
  *(void **)&original = dlsym(RTLD_NEXT, "setenv");
  return original(name, value, overwrite);
}
