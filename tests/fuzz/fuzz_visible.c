/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the variables that say which GPUs a process may use, on a node with MIG instances
 * and partitions of an AMD GPU. The input is an environment as in /proc/PID/environ, and an empty
 * entry before files that replace those of the node (tree_add_files).
 */
#include "fuzz.h"
#include "node.h"
#include "tree.h"

#include "gpus/gpus.h"
#include "util/env.h"

#include <string.h>

#define AMD_NODE(number, minor)                                                                    \
  "=/sys/class/kfd/kfd/topology/nodes/" number                                                     \
  "/properties\nsimd_count 152\ngfx_target_version 90402\n"                                        \
  "vendor_id 4098\ndevice_id 29857\ndomain 0\n"                                                    \
  "location_id 42752\ndrm_render_minor " minor "\nunique_id 10101010101010101010\n"                \
  "=/dev/dri/renderD" minor "\n"

static const char files[] = NODE_DRIVER NODE_GPU("17", NODE_UUID, "0")
    NODE_GPU("97", "GPU-22222222-0000-0000-0000-000000000097", "1") NODE_MIG AMD_NODE("2", "128")
        AMD_NODE("3", "129") "=/dev/kfd\n";

/* Takes the entries of the variables from the text. Returns what follows them. */
static const char *take_variables(const char *text, const char *end, struct gc_env *env)
{
  while (text < end && *text) {
    for (int i = 0; i < GC_ENV_COUNT; i++) {
      const char *name = gc_env_name(i);
      const size_t length = strlen(name);

      if (!strncmp(text, name, length) && text[length] == '=')
        env->values[i] = text + length + 1;
    }
    text += strlen(text) + 1;
  }
  return text < end ? text + 1 : end;
}

static void check(const struct gc_gpu *gpu, const struct gc_env *env)
{
  const char *cuda = env->values[GC_ENV_CUDA_VISIBLE_DEVICES];

  PROMISE(gc_id_ok(gpu->identity.id));
  PROMISE(is_one_line(gpu->problem) && is_one_line(gpu->shown_as));
  PROMISE(gpu->visibility != GC_HIDDEN || gpu->problem[0]);
  PROMISE(!gpu->instance || gpu->vendor == GC_VENDOR_NVIDIA);
  PROMISE(!gpu->shown_as[0] || (cuda && strstr(cuda, gpu->shown_as)));
  if (gpu->vendor == GC_VENDOR_NVIDIA && !gpu->instance && cuda &&
      (!*cuda || !strncmp(cuda, "MIG-", 4)))
    PROMISE(gpu->visibility == GC_HIDDEN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  struct gc_env env = {.values = {NULL}};
  const char *own_files;
  struct gc_gpus gpus;

  PROMISE(text);
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  own_files = take_variables(text, text + size, &env);
  tree_add_files(own_files, (size_t)(text + size - own_files));
  tree_add_files(files, sizeof(files) - 1);
  gc_env_use(&env);
  PROMISE(!gc_gpus_list("", NULL, &gpus));
  gc_gpus_restrict("", &gpus);
  for (size_t i = 0; i < gpus.count; i++)
    check(&gpus.array[i], &env);
  gc_gpus_free(&gpus);
  gc_env_use(NULL);
  free(text);
  PROMISE(tree_clear() == 0);
  return 0;
}
