/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces in memory, instead of those of src/predict/trace: tests state what each warp does.
 */
#ifndef GC_TESTS_PREDICT_FAKE_TRACE_H
#define GC_TESTS_PREDICT_FAKE_TRACE_H

#include "predict/model/model.h"

#include <stdbool.h>

/* Makes the instructions of a block by calling visit. */
typedef int fake_block(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *data);

struct gc_trace {
  uint64_t blocks; /* of the kernel */
  fake_block *make;
  void *data;
  uint64_t next;    /* block */
  unsigned fail_at; /* if not 0: reading block fail_at - 1 fails with -EBADMSG */
};

/* One instruction: thread i of the mask accesses base + i * stride. */
struct fake_instruction {
  unsigned block, warp;
  enum gc_trace_operation operation;
  uint64_t base, stride;
  uint64_t mask;  /* 0: all 32 threads */
  unsigned bytes; /* 0: 4 */
  unsigned pc, count;
  enum gc_trace_hint hint;
  bool waits; /* with launch.registers */
};

struct fake_list {
  const struct fake_instruction *instructions; /* in the order of blocks and warps */
  size_t count;
};

/* A fake_block for a struct fake_list. */
int fake_from_list(uint64_t block, gc_trace_visitor *visit, void *visit_data, void *list);

int fake_visit(const struct fake_instruction *from, gc_trace_visitor *visit, void *visit_data);

#define FAKE_ALL UINT64_C(0xffffffff)

/* A GPU for tests: 1 SM, lines of 128 bytes with sectors of 32, L1 of 128 lines in one set, LRU; no
 * limits, no latencies, one L2 partition with 4096 lines; stores are not allocated in L1. */
struct gc_gpu_model fake_gpu(void);

/* Runs a kernel made of a list in a new model, and fails the test if that fails. */
struct gc_kernel_run fake_run(const struct gc_gpu_model *gpu,
                              const struct gc_model_options *options,
                              const struct gc_trace_launch *launch, const struct fake_list *list);
struct gc_kernel_run fake_run_trace(const struct gc_gpu_model *gpu,
                                    const struct gc_model_options *options,
                                    const struct gc_trace_launch *launch, struct gc_trace *trace);

#endif
