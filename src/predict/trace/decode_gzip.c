/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip (RFC 1952) with zlib. A file may have several members, one after the other: bgzip and pigz
 * write such files, and cat makes them.
 */
#include "config.h"

#include "predict/trace/decode.h"

static bool matches(const uint8_t *bytes, size_t size)
{
  return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

#ifdef HAVE_ZLIB
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct state {
  z_stream zlib;
  bool between; /* a member has ended, and no further one has begun */
};

static int start(void **result)
{
  struct state *state = calloc(1, sizeof(*state));

  if (!state)
    return -ENOMEM;
  if (inflateInit2(&state->zlib, 15 + 16) != Z_OK) { /* 16: gzip only */
    free(state);
    return -ENOMEM;
  }
  *result = state;
  return 0;
}

static int step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
{
  struct state *state = opaque;
  z_stream *zlib = &state->zlib;
  int status;

  if (!data->in_left && state->between)
    return last ? GC_DECODE_END : GC_DECODE_MORE;
  if (state->between) {
    inflateReset(zlib);
    state->between = false;
  }
  zlib->next_in = (Bytef *)data->in;
  zlib->avail_in = data->in_left < UINT_MAX ? (uInt)data->in_left : UINT_MAX;
  zlib->next_out = data->out;
  zlib->avail_out = data->out_left < UINT_MAX ? (uInt)data->out_left : UINT_MAX;
  status = inflate(zlib, Z_NO_FLUSH);
  data->in_left -= (size_t)(zlib->next_in - data->in);
  data->in = zlib->next_in;
  data->out_left -= (size_t)(zlib->next_out - data->out);
  data->out = zlib->next_out;
  if (status == Z_STREAM_END)
    state->between = true;
  else if (status == Z_MEM_ERROR)
    return -ENOMEM;
  else if (status == Z_BUF_ERROR && last && !data->in_left) {
    *why = "the gzip data is truncated";
    return -EBADMSG;
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    *why = "the gzip data is corrupt";
    return -EBADMSG;
  }
  return GC_DECODE_MORE;
}

static void end(void *opaque)
{
  struct state *state = opaque;

  inflateEnd(&state->zlib);
  free(state);
}
#endif

const struct gc_decoder gc_decoder_gzip = {
    .format = "gzip",
    .library = "zlib",
    .package = "zlib1g-dev",
    .matches = matches,
#ifdef HAVE_ZLIB
    .start = start,
    .step = step,
    .end = end,
#endif
};
