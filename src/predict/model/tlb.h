/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The TLBs: how long requests behind L1 wait for translation. Each TLB is fully associative with
 * LRU replacement.
 */
#ifndef GC_PREDICT_MODEL_TLB_H
#define GC_PREDICT_MODEL_TLB_H

#include "predict/model/gpu.h"
#include "predict/model/lines.h"
#include "predict/model/run.h"

struct gc_tlb { /* one, of an SM or a group of them */
  struct gc_lines entries;
  uint64_t newest; /* number of the page that was translated last, + 1; 0: none */
};

struct gc_tlbs {
  const struct gc_gpu_model *gpu;
  struct gc_tlb *levels[GC_TLB_LEVELS]; /* NULL: not modelled */
  bool any; /* of them */
};

/* The GPU must outlive *tlbs. 0 or -ENOMEM. */
int gc_tlbs_init(struct gc_tlbs *tlbs, const struct gc_gpu_model *gpu);
void gc_tlbs_fini(struct gc_tlbs *tlbs); /* zeroed memory is fine */

/* Translates the address of a request of an SM, and counts that. Returns the cycles that it adds.
 * Addresses of local memory (GC_TRACE_LOCAL) are not translated: those in the trace are not those
 * of the hardware. */
double gc_tlbs_translate(struct gc_tlbs *tlbs, unsigned sm, uint64_t address,
                         struct gc_counts *counts);

#endif
