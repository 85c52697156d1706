/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of Nugteren et al. 2014, section 4, for their worked examples, and as a baseline of
 * make check-gpu-predict:
 *
 * - one SM (number 0), which gets every sms-th block; its blocks run in sets as large as the SM
 * holds, and a set begins when the one before has ended
 * - only loads that look into L1; lines without sectors; LRU in each set of the cache
 * - one instruction of a warp per time step. Its accesses take effect later: a hit after l1_cycles,
 * a miss after memory_cycles + |N(0, memory_spread^2)|, a load of a line that is under way when
 * that arrives. Effects of a time come before the look-ups of that time, in the order of their
 * issue. (Table 5 needs this order. The distances in tables 3 and 4 are those of the other order;
 * hits and misses of both tables are the same.)
 * - a warp returns after its slowest load, to the back of a FIFO, before a warp that is cancelled
 * in the same time step
 * - outstanding_per_sm lines may be under way. If no entry is free, the first load of an
 * instruction is cancelled, and costs a time step. As in the released code, the limit is checked at
 * the first access of a warp only.
 */
#ifndef GC_TESTS_PREDICT_PAPER_MODEL_H
#define GC_TESTS_PREDICT_PAPER_MODEL_H

#include "predict/model/gpu.h"
#include "predict/model/run.h"
#include "predict/trace/trace.h"

enum gc_paper_status { GC_PAPER_HIT, GC_PAPER_MISS, GC_PAPER_IN_FLIGHT, GC_PAPER_CANCEL };

struct gc_paper_event { /* one access, or a cancelled warp */
  uint64_t time;
  unsigned block, warp; /* the number of the block in the kernel */
  uint64_t line;
  enum gc_paper_status status;
  uint64_t effect_at; /* 0 if cancelled */
};

struct gc_paper_options {
  uint64_t seed;
  bool fully_associative; /* one set */
  bool no_latency;        /* loads take no time */
  bool round_robin;       /* warps do not wait for their loads (sections 4.1 to 4.4) */
  bool unclipped; /* a load of a line that is under way has a latency of its own (section 4.2,
                     table 4) */
  void (*watch)(const struct gc_paper_event *event, void *data); /* sees each access; or NULL */
  void *data;
};

/* Like gc_cache_model_run, without compulsory misses. run->cycles is the number of time steps. */
int gc_paper_run(const struct gc_gpu_model *gpu, const struct gc_paper_options *options,
                 struct gc_trace *trace, const struct gc_trace_launch *launch,
                 struct gc_kernel_run *run, struct gc_error *err);

#endif
