/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand plot: draws what measure --raw wrote.
 */
#ifndef GC_TOOL_PLOT_PLOT_H
#define GC_TOOL_PLOT_PLOT_H

#include "tool/tool.h"

int gc_tool_plot(const struct gc_tool *tool);

#endif
