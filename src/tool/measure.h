/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand measure: makes sure that each GPU has a valid record.
 */
#ifndef GC_TOOL_MEASURE_H
#define GC_TOOL_MEASURE_H

#include "tool/tool.h"

int gc_tool_measure(const struct gc_tool *tool);

#endif
