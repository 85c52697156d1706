/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many blocks of a kernel an SM holds at the same time: what the occupancy calculator of CUDA
 * computes for devices of compute capability 3.0 and later.
 */
#ifndef GC_PREDICT_MODEL_RESIDENCY_H
#define GC_PREDICT_MODEL_RESIDENCY_H

#include "predict/model/gpu.h"
#include "predict/trace/trace.h"

/* At least 1. A value of the launch or of the GPU that is 0 is not known, and does not limit. */
unsigned gc_residency(const struct gc_gpu_model *gpu, const struct gc_trace_launch *launch);

/* Bytes of shared memory that each of these blocks takes, with what the driver adds. */
uint64_t gc_residency_shared(const struct gc_gpu_model *gpu, const struct gc_trace_launch *launch);

#endif
