/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the model can work with. The limits are far beyond all GPUs; they bound memory and time.
 */
#ifndef GC_PREDICT_MODEL_CHECK_H
#define GC_PREDICT_MODEL_CHECK_H

#include "predict/model/gpu.h"
#include "util/error.h"

/* 0, or -EINVAL with a sentence that names the first value that the model cannot use. */
int gc_gpu_model_check(const struct gc_gpu_model *gpu, struct gc_error *err);

#endif
