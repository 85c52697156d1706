/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand show: prints records.
 */
#ifndef GC_TOOL_SHOW_H
#define GC_TOOL_SHOW_H

#include "tool/tool.h"

int gc_tool_show(const struct gc_tool *tool);

#endif
