/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures several GPUs in parallel.
 */
#ifndef GC_TOOL_MEASURE_MEASURE_SEVERAL_H
#define GC_TOOL_MEASURE_MEASURE_SEVERAL_H

#include "tool/gpus/results.h"

/* Measures results[i]->gpu for all i, each in its own process, and fills the results. Prints why
 * some fail. */
void gc_measure_fleet(const struct gc_tool *tool, struct gc_result **results, size_t count);

#endif
