/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results as JSON, for programs.
 */
#ifndef GC_TOOL_SHOW_PRINT_JSON_H
#define GC_TOOL_SHOW_PRINT_JSON_H

#include "tool/gpus/results.h"

/* Prints the results. GC_EXIT_DONE, or GC_EXIT_FAILED without memory (printed). */
int gc_show_json(const struct gc_result *results, size_t count, unsigned only);

#endif
