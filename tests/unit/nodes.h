/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA GPUs with device nodes, in the tree of tree.h; the test decides which nodes refuse. Link
 * with -Wl,--wrap=access.
 */
#ifndef TESTS_UNIT_NODES_H
#define TESTS_UNIT_NODES_H

#include "tree.h"

#include "gpus/gpus.h"

static struct gc_gpus gpus;

/* The ends of the paths that refuse, with these errors. */
static struct {
  const char *end;
  int error;
} refused[4];

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
  const size_t length = strlen(path);

  for (size_t i = 0; i < sizeof(refused) / sizeof(*refused) && refused[i].end; i++)
    if (length >= strlen(refused[i].end) &&
        !strcmp(path + length - strlen(refused[i].end), refused[i].end)) {
      errno = refused[i].error;
      return -1;
    }
  return __real_access(path, mode);
}

static inline void refuse(const char *end, int error)
{
  size_t i = 0;

  while (refused[i].end)
    i++;
  refused[i].end = end;
  refused[i].error = error;
}

/* An H100 with this bus number and device node. Its UUID is "GPU-0000000<bus>-…". */
static inline void put_h100(unsigned bus, unsigned minor)
{
  char file[128], text[512];

  snprintf(file, sizeof(file), "proc/driver/nvidia/gpus/0000:%02x:00.0/information", bus);
  snprintf(text, sizeof(text),
           "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-000000%02x-0000-0000-0000-000000000000\n"
           "Video BIOS: \t 96.00.a5.00.1a\nDevice Minor: \t %u\nGPU Excluded:\t No\n",
           bus, minor);
  put(file, text);
  snprintf(file, sizeof(file), "dev/nvidia%u", minor);
  put(file, "");
}

static inline void clean_environment(void)
{
  static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                          "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                          "GPU_DEVICE_ORDINAL"};

  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    unsetenv(variables[i]);
}

static inline int setup(void **state)
{
  make_root(state);
  clean_environment();
  memset(refused, 0, sizeof(refused));
  put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1  x\n");
  put("dev/nvidiactl", "");
  put("dev/nvidia-uvm", "");
  return 0;
}

static inline int teardown(void **state)
{
  memset(refused, 0, sizeof(refused));
  clean_environment();
  gc_gpus_free(&gpus);
  return remove_root(state);
}

/* Lists the GPUs, of which there must be so many, and restricts them. */
static inline void list(size_t count)
{
  gc_gpus_free(&gpus);
  assert_int_equal(gc_gpus_list(root, NULL, &gpus), 0);
  assert_int_equal(gpus.count, count);
  gc_gpus_restrict(root, &gpus);
}

/* GPU i has this visibility, and a problem with these words ("": none). */
static inline void is(size_t i, enum gc_visibility visibility, const char *words)
{
  const struct gc_gpu *gpu = &gpus.array[i];

  if (gpu->visibility != visibility || !strstr(gpu->problem, words) || (!*words && *gpu->problem))
    fail_msg("%s: visibility %d, problem '%s'", gpu->name, gpu->visibility, gpu->problem);
}

#endif
