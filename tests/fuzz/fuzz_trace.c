/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the readers of memory traces, on a file in memory. Whatever the bytes are, they are
 * refused with a sentence, or each instruction keeps the promises of predict/trace/trace.h.
 */
#include "fuzz.h"
#include "tree.h"

#include "predict/trace/trace.h"

#include <string.h>

#define TRACE_PATH "/trace"
/* A list may name these. */
static const char kernels[] =
    "=/kernel-1.traceg\n"
    "-kernel name = a\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 1\n"
    "-binary version = 90\n-shmem base_addr = 0x7f1c00000000\n"
    "-local mem base_addr = 0x7f1c02000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
    "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f1c10000000 4 0 \n#END_TB\n";

struct seen {
  struct gc_trace_launch launch;
  unsigned warp;
  int first;
};

static void check_launch(const struct gc_trace_launch *launch, uint64_t number)
{
  PROMISE(launch->number == number);
  PROMISE(memchr(launch->name, '\0', sizeof(launch->name)) && is_one_line(launch->name));
  PROMISE(memchr(launch->origin, '\0', sizeof(launch->origin)) && is_one_line(launch->origin));
  PROMISE(launch->warp_threads == 32 || launch->warp_threads == 64);
  PROMISE(launch->threads_per_block >= 1 && launch->threads_per_block <= 1024);
}

static void check_access(const struct gc_trace_instruction *instruction)
{
  const unsigned bytes = instruction->bytes;

  PROMISE(bytes >= 1 && bytes <= 16 && !(bytes & (bytes - 1)));
  for (int i = 0; i < GC_TRACE_LANES; i++)
    if (instruction->mask >> i & 1) {
      const uint64_t address = instruction->addresses[i];

      PROMISE(address + bytes > address);
      PROMISE(address >= GC_TRACE_LOCAL || address + bytes <= GC_TRACE_LOCAL);
    }
}

static int visit(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  struct seen *seen = data;
  const unsigned threads = seen->launch.threads_per_block, lanes = seen->launch.warp_threads;

  PROMISE(seen->first || warp >= seen->warp);
  PROMISE(warp * lanes < threads);
  seen->first = 0;
  seen->warp = warp;
  PROMISE(instruction->count >= 1);
  if (instruction->operation == GC_TRACE_OTHER) {
    PROMISE(!instruction->mask && !instruction->bytes);
    return 0;
  }
  PROMISE(instruction->count == 1 && instruction->mask);
  PROMISE(63u - (unsigned)__builtin_clzll(instruction->mask) < lanes);
  PROMISE(warp * lanes + 63u - (unsigned)__builtin_clzll(instruction->mask) < threads);
  if (instruction->operation == GC_TRACE_BARRIER)
    PROMISE(!instruction->bytes);
  else
    check_access(instruction);
  return 0;
}

static int read_kernel(struct gc_trace *trace, struct seen *seen, struct gc_error *err)
{
  uint64_t block, blocks = 0;
  int status;

  for (;;) {
    seen->first = 1;
    status = gc_trace_next_block(trace, visit, seen, &block, err);
    if (status != 1)
      return status;
    blocks++;
    if (seen->launch.blocks)
      PROMISE(block < seen->launch.blocks && blocks <= seen->launch.blocks);
  }
}

/* The status at the end, which does not depend on whether somebody looks at the instructions. */
static int read_all(int looks)
{
  struct gc_error err = {""};
  struct gc_trace *trace = NULL;
  struct seen seen;
  uint64_t kernels = 0;
  unsigned line = 0;
  int status = gc_trace_open(TRACE_PATH, &trace, &err);

  if (!status) {
    while ((status = gc_trace_next_kernel(trace, &seen.launch, &err)) == 1) {
      check_launch(&seen.launch, ++kernels);
      if (looks && (status = read_kernel(trace, &seen, &err)) < 0)
        break;
      for (uint32_t pc = 0; pc < 256 && looks; pc += 8) {
        const char *const file = gc_trace_source(trace, pc, &line);

        PROMISE(!file || (line && strlen(file) < 4096));
      }
    }
    gc_trace_close(trace);
  }
  if (status)
    PROMISE(status < 0 && err.text[0] && is_one_line(err.text));
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  tree_add(TRACE_PATH, strlen(TRACE_PATH), (const char *)data, size);
  tree_add_files(kernels, sizeof(kernels) - 1);
  PROMISE(read_all(1) == read_all(0));
  PROMISE(tree_clear() == 0);
  return 0;
}
