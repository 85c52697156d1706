/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment variables that the plugin's thread reads. While it runs, other threads of the
 * application may set variables (libraries do that when they are initialized) or change the working
 * directory. getenv() in the plugin's thread could then read freed memory, and a relative path
 * would mean another file. So the thread uses copies that were made before it started, in the call
 * of hwloc, where hwloc itself reads the environment.
 *
 * libc has no lock that a reader of the whole environment could take. So the copies are made such
 * that a variable that is replaced meanwhile does no harm: each entry is read once, and the space
 * for it is known before it is copied.
 */
#ifndef GC_UTIL_ENV_H
#define GC_UTIL_ENV_H

#include <stdbool.h>

enum gc_env_variable {
  GC_ENV_DIR, /* HWLOC_GPUCACHE_DIR */
  GC_ENV_TIMEOUT,
  GC_ENV_SIM_PATH,
  GC_ENV_XDG_CACHE_HOME,
  GC_ENV_XDG_RUNTIME_DIR,
  GC_ENV_HOME,
  GC_ENV_LD_LIBRARY_PATH,
  GC_ENV_HSA_OVERRIDE_GFX_VERSION,
  /* Which GPUs this process may use. They can only forbid, so that set-user-ID processes read them,
   * too. */
  GC_ENV_CUDA_VISIBLE_DEVICES,
  GC_ENV_CUDA_DEVICE_ORDER,
  GC_ENV_HIP_VISIBLE_DEVICES,
  GC_ENV_ROCR_VISIBLE_DEVICES,
  GC_ENV_GPU_DEVICE_ORDINAL,
  GC_ENV_COUNT
};

/* The values of these variables. NULL: not set. */
struct gc_env {
  const char *values[GC_ENV_COUNT];
};

/* Copies the present values; relative paths in GC_ENV_DIR and GC_ENV_SIM_PATH become absolute.
 * free() frees the copy. NULL: out of memory. */
struct gc_env *gc_env_copy(void);

/* A copy of the text in which relative paths are absolute, if the working directory has a path that
 * can be in the list. separator: between the paths of a list; '\0': the text is one path. names: an
 * item without '/' is the name of something else and stays. free() frees the copy. NULL: out of
 * memory. */
char *gc_env_absolute(const char *paths, char separator, bool names);

/* A copy of the environment of this process in which the settings replace ("NAME=VALUE") or remove
 * ("NAME") variables; NULL ends them, and set may be NULL. free() frees all of it. NULL: out of
 * memory. */
char **gc_env_merge(const char *const *set);

/* From now on, gc_env_get returns the values of this copy to the calling thread. NULL: those of the
 * process. */
void gc_env_use(const struct gc_env *env);

/* The value, or NULL: not set, or a set-user-ID process does not read this variable. It is valid as
 * long as the copy, or until the process changes the variable. */
const char *gc_env_get(enum gc_env_variable variable);

/* "HWLOC_GPUCACHE_DIR" */
const char *gc_env_name(enum gc_env_variable variable);

#endif
