/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand purge: removes records.
 */
#ifndef GC_TOOL_PURGE_H
#define GC_TOOL_PURGE_H

#include "tool/tool.h"

int gc_tool_purge(const struct gc_tool *tool);

#endif
