/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The .tracez files of Accel-Sim 2.0, as the text of the .traceg file with the same kernel. All
 * numbers are little-endian:
 *   header lines of a .traceg file, and a NUL byte
 *   u32 bytes of the dictionary, u32 not used here; the dictionary of zstd
 *   for each warp of each block: u32 instructions, u32 chunks; for each chunk: u32 bytes, and a
 * zstd frame of so many bytes, with instruction lines between which there are newlines u32 blocks;
 * for each: u32 x, y, z, 7 numbers about its cluster, warps; for each warp: u32 instructions, u32
 * chunks, u64 its offset in the file; for each chunk: u32 instructions u64 the offset of the number
 * of blocks
 */
#ifndef GC_PREDICT_TRACE_TRACEZ_H
#define GC_PREDICT_TRACE_TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_tracez;

/* Whether a file that begins with these bytes is such a file, and not a text file. */
bool gc_tracez_matches(const uint8_t *bytes, size_t size);

/* The file stays open, and its own, until gc_tracez_close. 0; or -ENOMEM, -EBADMSG if it is
 * truncated or broken, -EOPNOTSUPP if this build does not have libzstd, or the errno of reading,
 * with the reason in *why (static). */
int gc_tracez_open(int file, struct gc_tracez **tracez, const char **why);
void gc_tracez_close(struct gc_tracez *tracez);

/* Writes the next part of the text, at most room bytes. Their number, 0 at the end, or a negative
 * errno as above. */
long gc_tracez_read(struct gc_tracez *tracez, char *text, size_t room, const char **why);

#endif
