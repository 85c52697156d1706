/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand predict: hit rates of traced kernels on a GPU.
 */
#ifndef GC_TOOL_PREDICT_PREDICT_H
#define GC_TOOL_PREDICT_PREDICT_H

#include "tool/tool.h"

/* The words of the command name traces. */
int gc_tool_predict(const struct gc_tool *tool);

#endif
