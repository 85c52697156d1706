/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of a text file of any size: plain, compressed with gzip, xz or zstd, or in a .tracez
 * file of Accel-Sim. The first bytes of the file decide, not its name. Memory: about 400 KiB, what
 * the decompression library needs, and at most 1 MiB more for long lines.
 *
 * A line may say that bytes follow it, which gc_stream_bytes hands over.
 *
 * Blank lines are skipped. A carriage return before the newline is removed. Lines that are longer
 * than 1 MiB or have a NUL byte are errors, and so is a last line without newline: a truncated file
 * must not look complete.
 */
#ifndef GC_PREDICT_TRACE_STREAM_H
#define GC_PREDICT_TRACE_STREAM_H

#include "util/error.h"

#include <stddef.h>
#include <stdint.h>

struct gc_stream;

/* Opens a regular file; nothing else, because a trace may be read several times. 0, or a negative
 * errno with a sentence that names the file: -EOPNOTSUPP if it is compressed and this build does
 * not have the library, -EINVAL if it is not a regular file, -EBADMSG if it is empty. */
int gc_stream_open(const char *path, struct gc_stream **stream, struct gc_error *err);
void gc_stream_close(struct gc_stream *stream);

/* As gc_stream_open got it. */
const char *gc_stream_path(const struct gc_stream *stream);

/* Goes to the next line that is not blank. 1: *line is the text, with a final NUL and without
 * newline; it is valid until the next call. 0: the file has ended. A negative errno with a
 * sentence: -EBADMSG (see above, or the compressed data is corrupt or truncated), -ENOMEM, or that
 * of read(). */
int gc_stream_line(struct gc_stream *stream, const char **line, struct gc_error *err);

/* The next call of gc_stream_line returns the current line again. */
void gc_stream_unread(struct gc_stream *stream);

/* The next size bytes (1 MiB at most) after the current line, which cannot be returned again then.
 * 0: *bytes is valid until the next call; or a negative errno with a sentence: -EBADMSG if the file
 * ends before. */
int gc_stream_bytes(struct gc_stream *stream, size_t size, const uint8_t **bytes,
                    struct gc_error *err);

/* Writes the sentence "FILE:LINE: …" for the current line and returns -EBADMSG. */
int gc_stream_bad(const struct gc_stream *stream, struct gc_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with another status. */
int gc_stream_fail(const struct gc_stream *stream, struct gc_error *err, int status,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
