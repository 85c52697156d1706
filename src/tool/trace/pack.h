/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that is compressed with zstd while it is written, if this program was built with libzstd.
 */
#ifndef GC_TOOL_TRACE_PACK_H
#define GC_TOOL_TRACE_PACK_H

#include <stdio.h>

/* A stream for writing, which takes the descriptor over: fclose ends the file, and fails if any
 * data did not reach it. NULL: out of memory; the descriptor is closed. */
FILE *gc_pack(int file);

#endif
