/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * bench-model [TRACE…]: the speed of the model on one core, with one seed: accesses (sectors of
 * warp instructions) per second, on traces made in memory. The time that making them takes is
 * measured alone, and printed, and is not part of the speed. The GPU is like an H200: 132 SMs, L2
 * of 30 MB in two partitions with copies. First with the L1 of records
 * (doc/results/predict/record.xml): more tags than data, SLRU; then also with their L2: sectors of
 * 64 bytes, no sets. Then with an L1 of sets of many ways, and a limit of the lines under way:
 * harder for the model.
 */
#include "predict/model/model.h"

#include "predict/model/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct gc_trace {
  uint64_t blocks, next;
  void (*make)(uint64_t block, unsigned warp, gc_trace_visitor *visit, void *data);
};

int gc_trace_next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data,
                        uint64_t *number, struct gc_error *err)
{
  (void)number;
  (void)err;
  if (trace->next == trace->blocks)
    return 0;
  for (unsigned warp = 0; visit && warp < 8; warp++)
    trace->make(trace->next, warp, visit, data);
  trace->next++;
  return 1;
}

static void access_row(uint64_t first, enum gc_trace_operation operation, unsigned pc,
                       unsigned warp, gc_trace_visitor *visit, void *data)
{
  struct gc_trace_instruction to;

  to.operation = operation;
  to.hint = GC_TRACE_CACHED;
  to.pc = pc;
  to.bytes = 4;
  to.count = 1;
  to.mask = UINT32_MAX;
  for (unsigned i = 0; i < 32; i++)
    to.addresses[i] = first + 4 * i;
  if (visit(warp, &to, data))
    exit(1);
}

/* Each warp reads 32 lines of its own. */
static void make_streaming(uint64_t block, unsigned warp, gc_trace_visitor *visit, void *data)
{
  for (unsigned i = 0; i < 32; i++)
    access_row(((block * 32 + i) * 8 + warp) * 128, GC_TRACE_LOAD, i, warp, visit, data);
}

/* Each thread reads 8 random words of 256 MiB. */
static void make_random(uint64_t block, unsigned warp, gc_trace_visitor *visit, void *data)
{
  uint64_t state = block * 8 + warp;
  struct gc_trace_instruction to = {.bytes = 4, .count = 1, .mask = UINT32_MAX};

  for (unsigned k = 0; k < 8; k++) {
    to.pc = k;
    for (unsigned i = 0; i < 32; i++)
      to.addresses[i] = gc_draw(&state) % (256 << 20) & ~UINT64_C(3);
    if (visit(warp, &to, data))
      exit(1);
  }
}

/* 5 points of a matrix with 4096 columns; a block has 32 columns and 8 rows, and goes down 8 times.
 */
static void make_stencil(uint64_t block, unsigned warp, gc_trace_visitor *visit, void *data)
{
  uint64_t column = block % 128 * 32, row = block / 128 * 64 + warp + 1;

  for (unsigned i = 0; i < 8; i++, row += 8) {
    uint64_t at = 4 * (row * 4096 + column + 1);

    access_row(at, GC_TRACE_LOAD, 0, warp, visit, data);
    access_row(at - 4, GC_TRACE_LOAD, 1, warp, visit, data);
    access_row(at + 4, GC_TRACE_LOAD, 2, warp, visit, data);
    access_row(at - 4 * 4096, GC_TRACE_LOAD, 3, warp, visit, data);
    access_row(at + 4 * 4096, GC_TRACE_LOAD, 4, warp, visit, data);
    access_row(at + (UINT64_C(1) << 32), GC_TRACE_STORE, 5, warp, visit, data);
  }
}

static const struct {
  const char *name;
  uint64_t blocks;
  void (*make)(uint64_t block, unsigned warp, gc_trace_visitor *visit, void *data);
} traces[] = {
    {"streaming", 20000, make_streaming},
    {"random", 6000, make_random},
    {"stencil", 8192, make_stencil},
};

/* Not wall time: other programs may run on this core. */
static double processor_seconds(void)
{
  struct timespec time;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int forget(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  *(uint64_t *)data += instruction->addresses[0] + warp;
  return 0;
}

#define L2_LINES (UINT32_C(7680) * 16) /* of a partition */
#define RECORDED_L1                                                                                \
  {                                                                                                \
    .sets = 512, .ways = 4, .limit = 1736, .policy = GC_POLICY_SLRU, .early = true                 \
  }

static const struct {
  const char *name;
  struct gc_cache_geometry l1;
  unsigned outstanding_per_sm;
  uint32_t l2_sets, l2_sector_bytes;
} caches[] = {
    {"SLRU", RECORDED_L1, 0, 7680, 32},
    {"L2: 64 B", RECORDED_L1, 0, 7680, 64},
    {"no sets", RECORDED_L1, 0, 1, 64},
    {"LRU", {.sets = 4, .ways = 400, .policy = GC_POLICY_LRU}, 512, 7680, 32},
    {"survival",
     {.sets = 4,
      .ways = 400,
      .policy = GC_POLICY_SURVIVAL,
      .survival_count = 3,
      .fills = {1000, 1600, 4000},
      .survives = {0.9, 0.4, 0}},
     512,
     7680,
     32},
};

static struct gc_gpu_model gpu_like_h200(size_t cache)
{
  struct gc_cache_geometry l1 = caches[cache].l1;
  struct gc_cache_geometry l2 = {.line_bytes = 128,
                                 .sector_bytes = caches[cache].l2_sector_bytes,
                                 .sets = caches[cache].l2_sets,
                                 .ways = L2_LINES / caches[cache].l2_sets,
                                 .policy = GC_POLICY_LRU,
                                 .store_miss = GC_ALLOCATE_SECTOR};

  l1.line_bytes = 128;
  l1.sector_bytes = 32;
  return (struct gc_gpu_model){.sms = 132,
                               .warp_threads = 32,
                               .threads_per_sm = 2048,
                               .blocks_per_sm = 32,
                               .loads_in_l1 = true,
                               .l1 = l1,
                               .outstanding_per_sm = caches[cache].outstanding_per_sm,
                               .l2 = l2,
                               .partitions = 2,
                               .copies = true,
                               .l1_cycles = 33,
                               .l2_near_cycles = 210,
                               .l2_far_cycles = 400,
                               .memory_cycles = 650,
                               .l2_spread = 20,
                               .memory_spread = 100};
}

static void bench(size_t k, size_t cache)
{
  struct gc_gpu_model gpu = gpu_like_h200(cache);
  struct gc_model_options options = {.seed = 1};
  struct gc_trace_launch launch = {.threads_per_block = 256};
  struct gc_cache_model *predict = gc_cache_model_new(&gpu, &options);
  struct gc_trace trace = {.blocks = traces[k].blocks, .make = traces[k].make};
  struct gc_kernel_run run;
  uint64_t sum = 0;
  double start = processor_seconds(), making, running, accesses;

  while (gc_trace_next_block(&trace, forget, &sum, NULL, NULL))
    continue;
  making = processor_seconds() - start;
  trace.next = 0;
  start = processor_seconds();
  if (!predict || gc_cache_model_run(predict, &trace, &launch, &run, NULL))
    exit(1);
  running = processor_seconds() - start - making;
  accesses = (double)(run.counts.l1_loads.accesses + run.counts.l1_stores);
  printf(
      "%-10s %-8s %6.1f M accesses, %5.1f %% of the loads hit, %4.1f %% on miss: made in %.2f s, "
      "modelled in %.2f s: %.1f M/s\n",
      traces[k].name, caches[cache].name, accesses / 1e6,
      100 * (double)run.counts.l1_loads.hits / (double)run.counts.l1_loads.accesses,
      100 * (double)run.counts.l1_loads.hits_on_miss / (double)run.counts.l1_loads.accesses, making,
      running, accesses / 1e6 / running);
  free(run.loads);
  gc_cache_model_free(predict);
}

int main(int argc, char **argv)
{
  for (size_t k = 0; k < sizeof traces / sizeof *traces; k++) {
    bool wanted = argc == 1;

    for (int i = 1; i < argc; i++)
      wanted |= strcmp(argv[i], traces[k].name) == 0;
    for (size_t cache = 0; wanted && cache < sizeof caches / sizeof *caches; cache++)
      bench(k, cache);
  }
  return 0;
}
