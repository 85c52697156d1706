/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip (RFC 1952), xz and zstd (RFC 8878), each with its own library. libarchive has all three. But
 * its version 3.6.2 used 688 MiB of memory for a file in xz with a dictionary of 768 MiB, which is
 * refused here, and it ignored what followed the end of gzip data.
 */
#include "config.h"

#include "predict/trace/decode.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- gzip with zlib. A file may have several members, one after the other: bgzip and pigz write
 * such files, and cat makes them. */

static bool is_gzip(const uint8_t *bytes, size_t size)
{
  return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

#ifdef HAVE_ZLIB
#include <zlib.h>

struct gzip_state {
  z_stream zlib;
  bool between; /* a member has ended, and no further one has begun */
};

static int gzip_start(void **result)
{
  struct gzip_state *state = calloc(1, sizeof(*state));

  if (!state)
    return -ENOMEM;
  if (inflateInit2(&state->zlib, 15 + 16) != Z_OK) { /* 16: gzip only */
    free(state);
    return -ENOMEM;
  }
  *result = state;
  return 0;
}

static int gzip_step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
{
  struct gzip_state *state = opaque;
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

static void gzip_end(void *opaque)
{
  struct gzip_state *state = opaque;

  inflateEnd(&state->zlib);
  free(state);
}
#endif

static const struct gc_decoder gzip = {
    .format = "gzip",
    .library = "zlib",
    .package = "zlib1g-dev",
    .matches = is_gzip,
#ifdef HAVE_ZLIB
    .start = gzip_start,
    .step = gzip_step,
    .end = gzip_end,
#endif
};

/* --- xz with liblzma. A file may have several streams. "xz -9" needs 65 MiB to decompress; a file
 * that needs more than MOST_MEMORY is refused. */

static bool is_xz(const uint8_t *bytes, size_t size)
{
  return size >= 6 && !memcmp(bytes, "\xfd\x37\x7a\x58\x5a\x00", 6);
}

#ifdef HAVE_LZMA
#include <lzma.h>

#define MOST_MEMORY (UINT64_C(256) << 20)

static int xz_start(void **result)
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

static int xz_step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
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

static void xz_end(void *opaque)
{
  lzma_end(opaque);
  free(opaque);
}
#endif

static const struct gc_decoder xz = {
    .format = "xz",
    .library = "liblzma",
    .package = "liblzma-dev",
    .matches = is_xz,
#ifdef HAVE_LZMA
    .start = xz_start,
    .step = xz_step,
    .end = xz_end,
#endif
};

/* --- zstd with libzstd. A file may have several frames, and skippable frames, with which pzstd
 * begins. libzstd refuses frames that need a window of more than 128 MiB. */

static bool is_zstd(const uint8_t *bytes, size_t size)
{
  return size >= 4 && (!memcmp(bytes, "\x28\xb5\x2f\xfd", 4) ||
                       ((bytes[0] & 0xf0) == 0x50 && !memcmp(bytes + 1, "\x2a\x4d\x18", 3)));
}

#ifdef HAVE_ZSTD
#include <zstd.h>

struct zstd_state {
  ZSTD_DStream *zstd;
  bool between; /* no frame is open */
};

static int zstd_start(void **result)
{
  struct zstd_state *state = calloc(1, sizeof(*state));

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

static int zstd_step(void *opaque, struct gc_decode_data *data, bool last, const char **why)
{
  struct zstd_state *state = opaque;
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

static void zstd_end(void *opaque)
{
  struct zstd_state *state = opaque;

  ZSTD_freeDStream(state->zstd);
  free(state);
}
#endif

static const struct gc_decoder zstd = {
    .format = "zstd",
    .library = "libzstd",
    .package = "libzstd-dev",
    .matches = is_zstd,
#ifdef HAVE_ZSTD
    .start = zstd_start,
    .step = zstd_step,
    .end = zstd_end,
#endif
};

const struct gc_decoder *gc_decoder_for(const uint8_t *bytes, size_t size)
{
  static const struct gc_decoder *const decoders[] = {&gzip, &xz, &zstd};

  for (size_t i = 0; i < sizeof(decoders) / sizeof(*decoders); i++)
    if (decoders[i]->matches(bytes, size))
      return decoders[i];
  return NULL;
}
