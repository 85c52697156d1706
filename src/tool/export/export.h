/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache export: writes the record of one GPU in a format that other programs read.
 */
#ifndef GC_TOOL_EXPORT_EXPORT_H
#define GC_TOOL_EXPORT_EXPORT_H

#include "tool/tool.h"

/* Uses tool->format and tool->output. Writes the whole text or nothing. */
int gc_tool_export(const struct gc_tool *tool);

#endif
