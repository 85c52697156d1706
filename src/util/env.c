/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "util/env.h"

#include <stdlib.h>
#include <string.h>

static const char names[GC_ENV_COUNT][28] = {
    [GC_ENV_DIR] = "HWLOC_GPUCACHE_DIR",
    [GC_ENV_TIMEOUT] = "HWLOC_GPUCACHE_TIMEOUT",
    [GC_ENV_SIM_PATH] = "HWLOC_GPUCACHE_SIM_PATH",
    [GC_ENV_XDG_CACHE_HOME] = "XDG_CACHE_HOME",
    [GC_ENV_XDG_RUNTIME_DIR] = "XDG_RUNTIME_DIR",
    [GC_ENV_HOME] = "HOME",
    [GC_ENV_LD_LIBRARY_PATH] = "LD_LIBRARY_PATH",
    [GC_ENV_HSA_OVERRIDE_GFX_VERSION] = "HSA_OVERRIDE_GFX_VERSION",
    [GC_ENV_CUDA_VISIBLE_DEVICES] = "CUDA_VISIBLE_DEVICES",
    [GC_ENV_CUDA_DEVICE_ORDER] = "CUDA_DEVICE_ORDER",
    [GC_ENV_HIP_VISIBLE_DEVICES] = "HIP_VISIBLE_DEVICES",
    [GC_ENV_ROCR_VISIBLE_DEVICES] = "ROCR_VISIBLE_DEVICES",
    [GC_ENV_GPU_DEVICE_ORDINAL] = "GPU_DEVICE_ORDINAL",
};

static __thread const struct gc_env *used;

const char *gc_env_name(enum gc_env_variable variable)
{
  return names[variable];
}

static const char *get(enum gc_env_variable variable)
{
  return variable >= GC_ENV_CUDA_VISIBLE_DEVICES ? getenv(names[variable])
                                                 : secure_getenv(names[variable]);
}

struct gc_env *gc_env_copy(void)
{
  const char *values[GC_ENV_COUNT];
  size_t lengths[GC_ENV_COUNT], bytes = sizeof(struct gc_env);
  struct gc_env *env;
  char *end;

  for (int i = 0; i < GC_ENV_COUNT; i++) {
    values[i] = get((enum gc_env_variable)i);
    lengths[i] = values[i] ? strlen(values[i]) : 0;
    bytes += lengths[i] + 1;
  }
  env = malloc(bytes);
  if (!env)
    return NULL;
  end = (char *)(env + 1);
  for (int i = 0; i < GC_ENV_COUNT; i++) {
    env->values[i] = values[i] ? end : NULL;
    if (!values[i])
      continue;
    /* the value may change meanwhile, but not the space for it */
    end = mempcpy(end, values[i], lengths[i]);
    *end++ = '\0';
  }
  return env;
}

void gc_env_use(const struct gc_env *env)
{
  used = env;
}

const char *gc_env_get(enum gc_env_variable variable)
{
  return used ? used->values[variable] : get(variable);
}
