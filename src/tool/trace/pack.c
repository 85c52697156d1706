/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie */
#include "config.h"

#include "tool/trace/pack.h"

#include "util/file.h"

#include <unistd.h>

#ifndef HAVE_ZSTD

FILE *gc_pack(int file)
{
  FILE *stream = fdopen(file, "w");

  if (!stream)
    close(file);
  return stream;
}

#else

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

/* After so many bytes, all that was written can be read, even if the rest of the file is lost. */
#define FLUSH ((size_t)64 << 10)

struct pack {
  ZSTD_CCtx *zstd;
  int file;
  bool failed;
  size_t since_flush; /* bytes */
  char out[1 << 16];
};

/* Compresses bytes, and writes what comes out: with ZSTD_e_flush and ZSTD_e_end everything. */
static bool compress(struct pack *pack, const char *bytes, size_t size, ZSTD_EndDirective mode)
{
  ZSTD_inBuffer in = {bytes, size, 0};
  size_t left;

  do {
    ZSTD_outBuffer out = {pack->out, sizeof pack->out, 0};

    left = ZSTD_compressStream2(pack->zstd, &out, &in, mode);
    if (ZSTD_isError(left) || gc_file_write(pack->file, pack->out, out.pos))
      pack->failed = true;
  } while (!pack->failed && (mode == ZSTD_e_continue ? in.pos < in.size : left > 0));
  return !pack->failed;
}

static ssize_t write_pack(void *cookie, const char *bytes, size_t size)
{
  struct pack *pack = cookie;
  ZSTD_EndDirective mode = ZSTD_e_continue;

  pack->since_flush += size;
  if (pack->since_flush >= FLUSH) {
    pack->since_flush = 0;
    mode = ZSTD_e_flush;
  }
  return compress(pack, bytes, size, mode) ? (ssize_t)size : 0;
}

static int close_pack(void *cookie)
{
  struct pack *pack = cookie;
  const bool ended = compress(pack, NULL, 0, ZSTD_e_end), closed = !close(pack->file);

  ZSTD_freeCCtx(pack->zstd);
  free(pack);
  return ended && closed ? 0 : -1;
}

FILE *gc_pack(int file)
{
  struct pack *pack = malloc(sizeof *pack);
  FILE *stream = NULL;

  if (pack) {
    pack->file = file;
    pack->failed = false;
    pack->since_flush = 0;
    pack->zstd = ZSTD_createCCtx();
  }
  if (pack && pack->zstd)
    stream =
        fopencookie(pack, "w", (cookie_io_functions_t){.write = write_pack, .close = close_pack});
  if (!stream) {
    if (pack)
      ZSTD_freeCCtx(pack->zstd);
    free(pack);
    close(file);
  }
  return stream;
}

#endif
