/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of each chosen GPU, from the store or by measuring now.
 */
#ifndef GC_TOOL_MEASURE_OBTAIN_H
#define GC_TOOL_MEASURE_OBTAIN_H

#include "tool/gpus/results.h"
#include "tool/gpus/targets.h"

/* The results for the chosen GPUs, in their order; failures are printed. The caller calls
 * gc_results_free. NULL: out of memory (printed). */
struct gc_result *gc_obtain(const struct gc_tool *tool, const struct gc_targets *targets);

#endif
