/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures one GPU in this process.
 */
#ifndef GC_TOOL_MEASURE_MEASURE_ONE_H
#define GC_TOOL_MEASURE_MEASURE_ONE_H

#include "tool/gpus/results.h"

/* Measures result->gpu, stores the record if the command line wants it, and fills the result.
 * Prints why it fails. */
void gc_measure_here(const struct gc_tool *tool, struct gc_result *result);

/* Whether a real device was left open, so that main() must end with _exit. */
bool gc_left_open(void);

#endif
