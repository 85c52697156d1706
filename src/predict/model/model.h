/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts what a trace does in the caches of a GPU, after Nugteren et al. 2014, "A Detailed GPU
 * Cache Model Based on Reuse Distance Theory", with sectors, all SMs, an L2 behind them, stores,
 * barriers and other replacement than LRU.
 */
#ifndef GC_PREDICT_MODEL_MODEL_H
#define GC_PREDICT_MODEL_MODEL_H

#include "predict/model/gpu.h"
#include "predict/model/run.h"
#include "predict/trace/trace.h"
#include "util/error.h"

struct gc_cache_model;

/* The GPU is copied. NULL: no memory, or gc_gpu_model_check (check.h) fails. */
struct gc_cache_model *gc_cache_model_new(const struct gc_gpu_model *gpu,
                                          const struct gc_model_options *options);
void gc_cache_model_free(struct gc_cache_model *predict); /* NULL is fine */

/* For the next kernel: other SMs (L1, limits of residency, latencies), as a launch with another
 * carve-out finds them. L2 and the TLBs stay as they are. 0; or -ENOMEM or -EINVAL, and then the
 * model can only be freed. */
int gc_cache_model_change_sms(struct gc_cache_model *predict, const struct gc_gpu_model *gpu);

/* Runs the kernel that gc_trace_next_kernel has just begun, to its end. L1 is empty at the start;
 * L2 and the TLBs keep what earlier kernels left. 0, or a negative errno with a sentence. *run is
 * zero on failure; otherwise free run->loads. After a failure, L2 is not that of any kernel: free
 * the model. */
int gc_cache_model_run(struct gc_cache_model *predict, struct gc_trace *trace,
                       const struct gc_trace_launch *launch, struct gc_kernel_run *run,
                       struct gc_error *err);

#endif
