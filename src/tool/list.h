/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand list: the GPUs, and the state of their records.
 */
#ifndef GC_TOOL_LIST_H
#define GC_TOOL_LIST_H

#include "tool/tool.h"

int gc_tool_list(const struct gc_tool *tool);

#endif
