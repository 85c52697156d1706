/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the texts of /proc and /sys that say which GPUs there are. The input has several
 * files (tree_add_files).
 */
#include "fuzz.h"
#include "tree.h"

#include "gpus/gpus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct gc_gpus gpus;

  tree_add_files((const char *)data, size);
  PROMISE(!gc_gpus_list("", NULL, &gpus));
  for (size_t i = 0; i < gpus.count; i++) {
    struct gc_gpu *gpu = &gpus.array[i];

    PROMISE(!gc_gpus_read_tables("", gpu));
    PROMISE(gc_id_ok(gpu->identity.id));
    PROMISE(is_one_line(gpu->problem) && is_one_line(gpu->identity.model));
    PROMISE(is_one_line(gpu->identity.driver) && is_one_line(gpu->identity.vbios));
    PROMISE(is_one_line(gpu->identity.mig));
  }
  gc_gpus_free(&gpus);
  PROMISE(tree_clear() == 0);
  return 0;
}
