/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The one GPU that a command is about.
 */
#ifndef GC_TOOL_SOURCES_CHOOSE_H
#define GC_TOOL_SOURCES_CHOOSE_H

#include "tool/sources/sources.h"

/* Fills sources with one GPU from the argument of the command: a GPU of this machine, a file or
 * directory with one GPU, or FILE:gpu1 for one of the GPUs in a file. Without an argument, the only
 * GPU of this machine. Measures a GPU without a valid record, like "show". GC_EXIT_DONE, and the
 * caller calls gc_sources_free; or another exit code after a message (GC_EXIT_USAGE if there are
 * several GPUs: it names them), with nothing to free. what: the start of that message, "export
 * writes one GPU". */
int gc_choose_one(const struct gc_tool *tool, const char *what, struct gc_sources *sources);

#endif
