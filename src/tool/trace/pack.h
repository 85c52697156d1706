/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that is compressed with zstd while it is written, if this program was built with libzstd.
 * If the file is cut, at most some 64 KiB of the text before the cut cannot be read.
 */
#ifndef GC_TOOL_TRACE_PACK_H
#define GC_TOOL_TRACE_PACK_H

#include <stdio.h>

/* A stream for writing, which takes the descriptor over: fclose ends the file, and fails if any
 * data did not reach it. NULL: out of memory; the descriptor is closed. */
FILE *gc_pack(int file);

#endif
