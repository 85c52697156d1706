/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of allocations, the last one first.
 */
#include "measure/core/step_memory.h"

#include <errno.h>
#include <stdlib.h>

struct gc_step_block {
  struct gc_step_block *before;
  max_align_t bytes[];
};

void *gc_step_alloc(struct gc_bench *bench, size_t count, size_t size)
{
  const size_t head = sizeof(struct gc_step_block);
  struct gc_step_block *block = NULL;

  if (!size || count <= (SIZE_MAX - head) / size)
    block = calloc(1, head + count * size);
  if (!block) {
    gc_fail(bench->err, -ENOMEM, "out of memory");
    return NULL;
  }
  block->before = bench->step_memory;
  bench->step_memory = block;
  return block->bytes;
}

static void free_last(struct gc_bench *bench)
{
  struct gc_step_block *block = bench->step_memory;

  bench->step_memory = block->before;
  free(block);
}

void gc_step_free(struct gc_bench *bench, const void *memory)
{
  if (!memory)
    return;
  while (bench->step_memory->bytes != memory)
    free_last(bench);
  free_last(bench);
}

void gc_step_free_all(struct gc_bench *bench)
{
  while (bench->step_memory)
    free_last(bench);
}
