/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/block.h"

#include "predict/model/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX (UINT32_MAX / 2) /* of instructions and requests: indices have 32 bits */

struct reading {
  struct gc_block *block;
  struct gc_block_reader *reader;
  struct gc_error *err;
};

/* Makes room for more elements after count of them. */
static int reserve(void **array, uint32_t *room, uint32_t count, uint32_t more, size_t size)
{
  uint32_t wanted = *room ? *room : 64;
  void *larger;

  if (count > COUNT_MAX - more)
    return -EFBIG;
  while (wanted < count + more)
    wanted *= 2;
  if (wanted == *room)
    return 0;
  larger = realloc(*array, wanted * size);
  if (!larger)
    return -ENOMEM;
  *array = larger;
  *room = wanted;
  return 0;
}

static int reserve_all(struct gc_block *block, unsigned warp)
{
  int status = reserve((void **)&block->instructions, &block->instruction_room,
                       block->instruction_count, 1, sizeof *block->instructions);

  if (!status)
    status = reserve((void **)&block->requests, &block->request_room, block->request_count,
                     GC_REQUESTS_MAX, sizeof *block->requests);
  if (!status && warp >= block->warp_count)
    status = reserve((void **)&block->warps, &block->warp_room, block->warp_count,
                     warp + 1 - block->warp_count, sizeof *block->warps);
  return status;
}

/* GC_STEP_OTHER also stands for accesses without threads: they cost an issue slot. */
static enum gc_step step_of(const struct gc_block_reader *reader,
                            const struct gc_trace_instruction *instruction)
{
  if (instruction->operation == GC_TRACE_BARRIER)
    return GC_STEP_BARRIER;
  if (instruction->operation == GC_TRACE_OTHER || !instruction->mask)
    return GC_STEP_OTHER;
  if (instruction->operation == GC_TRACE_STORE)
    return GC_STEP_STORE;
  if (instruction->operation == GC_TRACE_ATOMIC)
    return GC_STEP_ATOMIC;
  if (reader->loads_in_l1 && instruction->hint != GC_TRACE_NO_L1)
    return GC_STEP_LOAD;
  return GC_STEP_BYPASS;
}

/* Does the warp issue this instruction before the data of the one before it are there? */
static bool goes_on(const struct gc_block_reader *reader, struct gc_block_warp *warp,
                    const struct gc_instruction *before, const struct gc_instruction *next,
                    bool waits)
{
  if (reader->registers)
    return !waits;
  if (before->step == GC_STEP_LOAD && next->step == GC_STEP_LOAD &&
      ++warp->loads < reader->loads_at_once)
    return true;
  warp->loads = 0;
  return false;
}

static void append(const struct gc_block_reader *reader, struct gc_block *block, unsigned warp,
                   const struct gc_instruction *instruction, bool waits)
{
  uint32_t i = block->instruction_count++;
  struct gc_block_warp *of = &block->warps[warp];

  block->instructions[i] = *instruction;
  if (of->first == GC_NO_INSTRUCTION) {
    of->first = i;
  } else {
    struct gc_instruction *before = &block->instructions[of->last];

    before->next = i;
    before->ahead = goes_on(reader, of, before, instruction, waits);
  }
  of->last = i;
}

static void find_sets(const struct gc_block_reader *reader, struct gc_request *requests,
                      unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    requests[i].mix = gc_mix(requests[i].line);
    requests[i].set = gc_set_of(reader->index, requests[i].line);
  }
  for (unsigned i = 0; reader->l2_index && i < count; i++)
    requests[i].l2_set = gc_set_of(reader->l2_index, requests[i].line);
}

static int visit(unsigned warp, const struct gc_trace_instruction *from, void *data)
{
  struct reading *reading = data;
  struct gc_block *block = reading->block;
  struct gc_block_reader *reader = reading->reader;
  struct gc_instruction to = {.next = GC_NO_INSTRUCTION, .step = (uint8_t)step_of(reader, from)};
  int status;

  if (warp >= GC_WARPS_MAX)
    return gc_fail(reading->err, -EBADMSG, "a block has a warp %u", warp);
  status = reserve_all(block, warp);
  if (status)
    return gc_fail(reading->err, status,
                   status == -ENOMEM ? "no memory for a block with %u instructions"
                                     : "a block has more than %u instructions",
                   block->instruction_count);
  while (block->warp_count <= warp)
    block->warps[block->warp_count++] =
        (struct gc_block_warp){GC_NO_INSTRUCTION, GC_NO_INSTRUCTION, 0};
  if (to.step == GC_STEP_OTHER) {
    to.first = from->operation == GC_TRACE_OTHER ? from->count : 1;
  } else if (to.step != GC_STEP_BARRIER) {
    struct gc_request *requests = &block->requests[block->request_count];

    to.first = block->request_count;
    to.requests = (uint16_t)gc_coalesce(&reader->coalescer, from, requests);
    find_sets(reader, requests, to.requests);
    block->request_count += to.requests;
  }
  if (to.step == GC_STEP_LOAD && gc_loads_index(reader->loads, from->pc, &to.load))
    return gc_fail(reading->err, -ENOMEM, "no memory for the loads of a kernel");
  append(reader, block, warp, &to, from->waits);
  return 0;
}

int gc_block_read(struct gc_block *block, struct gc_block_reader *reader, struct gc_trace *trace,
                  struct gc_error *err)
{
  struct reading reading = {block, reader, err};

  block->instruction_count = block->request_count = block->warp_count = 0;
  return gc_trace_next_block(trace, visit, &reading, &block->number, err);
}

void gc_block_fini(struct gc_block *block)
{
  free(block->warps);
  free(block->requests);
  free(block->instructions);
  memset(block, 0, sizeof *block);
}
