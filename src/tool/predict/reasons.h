/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reasons of misses.
 */
#ifndef GC_TOOL_PREDICT_REASONS_H
#define GC_TOOL_PREDICT_REASONS_H

#include "predict/predict.h"

/* Their names, for people and for JSON. */
extern const char *const gc_miss_names[GC_MISS_COUNT];

/* The name of the reason of most misses; "": there are none. */
const char *gc_main_reason(const uint64_t misses[GC_MISS_COUNT]);

#endif
