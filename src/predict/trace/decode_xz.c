/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * xz with liblzma. A file may have several streams. "xz -9" needs 65 MiB to decompress; a file that
 * needs more than MOST_MEMORY is refused.
 */
#include "config.h"

#include "predict/trace/decode.h"

#include <string.h>

static bool matches(const uint8_t *bytes, size_t size)
{
  return size >= 6 && !memcmp(bytes, "\xfd\x37\x7a\x58\x5a\x00", 6);
}

#ifdef HAVE_LZMA
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#define MOST_MEMORY (UINT64_C(256) << 20)

static int start(void **result)
{
  lzma_stream *lzma = calloc(1, sizeof(*lzma)); /* LZMA_STREAM_INIT is all zero */

  if (!lzma)
    return -ENOMEM;
  if (lzma_stream_decoder(lzma, MOST_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
    free(lzma);
    return -ENOMEM;
  }
  *result = lzma;
  return 0;
}

static int step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
{
  lzma_stream *lzma = opaque;
  lzma_ret status;

  lzma->next_in = data->in;
  lzma->avail_in = data->in_left;
  lzma->next_out = data->out;
  lzma->avail_out = data->out_left;
  status = lzma_code(lzma, last ? LZMA_FINISH : LZMA_RUN);
  data->in = lzma->next_in;
  data->in_left = lzma->avail_in;
  data->out = lzma->next_out;
  data->out_left = lzma->avail_out;
  switch (status) {
  case LZMA_STREAM_END:
    return GC_DECODE_END;
  case LZMA_OK:
    return GC_DECODE_MORE;
  case LZMA_BUF_ERROR: /* no progress: this is the end only if there is no more input */
    if (!last || data->in_left)
      return GC_DECODE_MORE;
    *why = "the xz data is truncated";
    return -EBADMSG;
  case LZMA_MEM_ERROR:
    return -ENOMEM;
  case LZMA_MEMLIMIT_ERROR:
    *why = "the xz data needs more than 256 MiB of memory to decompress";
    return -EBADMSG;
  default:
    *why = "the xz data is corrupt";
    return -EBADMSG;
  }
}

static void end(void *opaque)
{
  lzma_end(opaque);
  free(opaque);
}
#endif

const struct gc_decoder gc_decoder_xz = {
    .format = "xz",
    .library = "liblzma",
    .package = "liblzma-dev",
    .matches = matches,
#ifdef HAVE_LZMA
    .start = start,
    .step = step,
    .end = end,
#endif
};
