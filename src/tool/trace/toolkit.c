/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/trace/toolkit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY GC_PKGLIBDIR "/hwloc-gpucache-trace.so"
#define LIBRARY_ENV "HWLOC_GPUCACHE_TRACE_LIBRARY"

/* Whether directory/name is a file that can be used; its absolute path. */
static bool try_path(char path[GC_TOOLKIT_PATH], const char *directory, size_t length,
                     const char *name, int mode)
{
  char relative[GC_TOOLKIT_PATH];

  if (length &&
      snprintf(relative, sizeof relative, "%.*s/%s", (int)length, directory, name) <
          (int)sizeof relative &&
      !access(relative, mode) && realpath(relative, path))
    return true;
  *path = '\0';
  return false;
}

/* Tries a file below each directory of $PATH, which may be the bin directory of a toolkit. */
static bool try_search_path(char path[GC_TOOLKIT_PATH], const char *name, int mode)
{
  const char *directory = getenv("PATH");

  while (directory) {
    const size_t length = strcspn(directory, ":");

    if (try_path(path, directory, length, name, mode))
      return true;
    directory = directory[length] ? directory + length + 1 : NULL;
  }
  return false;
}

/* Looks for a file of a toolkit: below $CUDA_HOME and $CUDA_PATH, beside the directories of $PATH,
 * and below the usual places. */
static bool find(char path[GC_TOOLKIT_PATH], const char *name, int mode)
{
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  static const char *const roots[] = {"/usr/local/cuda", "/opt/cuda"};
  char from_bin[64];

  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *const root = getenv(variables[i]);

    if (root && try_path(path, root, strlen(root), name, mode))
      return true;
  }
  snprintf(from_bin, sizeof from_bin, "../%s", name);
  if (try_search_path(path, from_bin, mode))
    return true;
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    if (try_path(path, roots[i], strlen(roots[i]), name, mode))
      return true;
  return false;
}

int gc_toolkit_find(struct gc_toolkit *toolkit, struct gc_error *err)
{
  const char *const library = getenv(LIBRARY_ENV);

  if (!realpath(library && *library ? library : LIBRARY, toolkit->library))
    return gc_fail(err, -ENOENT,
                   "cannot read %s, a part of this program: %s; " LIBRARY_ENV " can name it",
                   library && *library ? library : LIBRARY, strerror(errno));
  if (!find(toolkit->sanitizer, "compute-sanitizer/libsanitizer-public.so", R_OK))
    return gc_fail(err, -ENOENT,
                   "libsanitizer-public.so of the CUDA Toolkit was not found: install "
                   "compute-sanitizer (NVIDIA's package cuda-sanitizer), or set CUDA_HOME");
  if (!find(toolkit->nvdisasm, "bin/nvdisasm", X_OK))
    try_search_path(toolkit->nvdisasm, "nvdisasm", X_OK);
  if (!find(toolkit->ptxas, "bin/ptxas", X_OK))
    try_search_path(toolkit->ptxas, "ptxas", X_OK);
  return 0;
}
