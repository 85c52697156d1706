/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Decompression of a file from its beginning to its end, piece by piece. One table entry for each
 * format; configure decides which libraries there are (m4/gc_compression.m4).
 */
#ifndef GC_PREDICT_TRACE_DECODE_H
#define GC_PREDICT_TRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of the input, and the free space for the output. */
struct gc_decode_data {
  const uint8_t *in;
  size_t in_left;
  uint8_t *out;
  size_t out_left;
};

enum gc_decode_status { GC_DECODE_MORE, GC_DECODE_END };

struct gc_decoder {
  const char *format;  /* "gzip" */
  const char *library; /* "zlib" */
  const char *package; /* of Debian: "zlib1g-dev" */
  /* Whether a file that begins with these bytes has this format. */
  bool (*matches)(const uint8_t *bytes, size_t size);
  /* The functions are NULL if this build does not have the library. */
  /* 0 with a state for end(), or -ENOMEM. */
  int (*start)(void **state);
  /* Takes input and writes output. last: the input ends with this piece. Returns GC_DECODE_MORE if
   * it wants to be called again with more input or more room; GC_DECODE_END if the file is
   * complete; -EBADMSG, with the reason in *why (static), if it is corrupt or truncated; or
   * -ENOMEM. */
  int (*step)(void *state, struct gc_decode_data *data, bool last, const char **why);
  void (*end)(void *state);
};

/* The decoder for a file that begins with these bytes (16 are enough), or NULL: not compressed. */
const struct gc_decoder *gc_decoder_for(const uint8_t *bytes, size_t size);

#endif
