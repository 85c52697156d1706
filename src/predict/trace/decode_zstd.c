/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * zstd (RFC 8878) with libzstd. A file may have several frames, and skippable frames, with which
 * pzstd begins. libzstd refuses frames that need a window of more than 128 MiB.
 */
#include "config.h"

#include "predict/trace/decode.h"

#include <string.h>

static bool matches(const uint8_t *bytes, size_t size)
{
  return size >= 4 && (!memcmp(bytes, "\x28\xb5\x2f\xfd", 4) ||
                       ((bytes[0] & 0xf0) == 0x50 && !memcmp(bytes + 1, "\x2a\x4d\x18", 3)));
}

#ifdef HAVE_ZSTD
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

struct state {
  ZSTD_DStream *zstd;
  bool between; /* no frame is open */
};

static int start(void **result)
{
  struct state *state = calloc(1, sizeof(*state));

  if (!state)
    return -ENOMEM;
  state->zstd = ZSTD_createDStream();
  if (!state->zstd) {
    free(state);
    return -ENOMEM;
  }
  *result = state;
  return 0;
}

static int step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
{
  struct state *state = opaque;
  ZSTD_inBuffer in = {data->in, data->in_left, 0};
  ZSTD_outBuffer out = {data->out, data->out_left, 0};
  size_t status;

  if (!data->in_left && state->between)
    return last ? GC_DECODE_END : GC_DECODE_MORE;
  status = ZSTD_decompressStream(state->zstd, &out, &in);
  if (ZSTD_isError(status)) {
    *why = "the zstd data is corrupt, or needs more than 128 MiB of memory to decompress";
    return -EBADMSG;
  }
  state->between = status == 0;
  data->in += in.pos;
  data->in_left -= in.pos;
  data->out += out.pos;
  data->out_left -= out.pos;
  if (last && !data->in_left && !state->between && !in.pos && !out.pos) {
    *why = "the zstd data is truncated";
    return -EBADMSG;
  }
  return GC_DECODE_MORE;
}

static void end(void *opaque)
{
  struct state *state = opaque;

  ZSTD_freeDStream(state->zstd);
  free(state);
}
#endif

const struct gc_decoder gc_decoder_zstd = {
    .format = "zstd",
    .library = "libzstd",
    .package = "libzstd-dev",
    .matches = matches,
#ifdef HAVE_ZSTD
    .start = start,
    .step = step,
    .end = end,
#endif
};
