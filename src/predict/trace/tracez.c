/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "predict/trace/tracez.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool gc_tracez_matches(const uint8_t *bytes, size_t size)
{
  return size && bytes[0] == '-' && memchr(bytes, '\0', size);
}

#ifdef HAVE_ZSTD
#include <zstd.h>

#define BUFFER ((size_t)64 << 10)
#define MOST_DICTIONARY ((uint32_t)16 << 20)
#define BLOCK_NUMBERS 11 /* x, y, z, about the cluster, warps */

/* A place in the file from which bytes are taken in order. */
struct cursor {
  uint64_t next, end; /* what has not been taken; end: where this part of the file ends */
  size_t at, filled;  /* in buffer: read, but not taken */
  uint8_t buffer[BUFFER];
};

/* The part of the text that comes next. */
enum part { HEADER, BLOCK, WARP, CHUNK, LINES, END_OF_BLOCK, END };

struct gc_tracez {
  int file;
  ZSTD_DCtx *zstd;
  enum part part;
  struct cursor data, index;
  uint32_t blocks, warps; /* left; of the block */
  uint32_t warp;          /* the next one of the block */
  uint32_t chunks;        /* left of the warp */
  uint32_t bytes;         /* left of the chunk */
  bool frame_ended;       /* of the chunk */
  bool has_lines;         /* the chunk has text, so that a newline must follow */
  char line[128];         /* made here, and to be written before anything else */
  size_t line_at, line_length;
};

static const char *const truncated = "the file is truncated, or not a .tracez file";

static int broken(const char **why)
{
  *why = truncated;
  return -EBADMSG;
}

/* Takes size bytes, which must be there; bytes may be NULL. */
static int take(struct gc_tracez *tracez, struct cursor *from, void *bytes, size_t size,
                const char **why)
{
  uint8_t *to = bytes;

  if (size > from->end - from->next)
    return broken(why);
  while (size) {
    size_t part = from->filled - from->at;

    if (!part) {
      const uint64_t left = from->end - from->next;
      ssize_t got;

      do
        got = pread(tracez->file, from->buffer, left < BUFFER ? (size_t)left : BUFFER,
                    (off_t)from->next);
      while (got < 0 && errno == EINTR);
      if (got < 0) {
        const int status = -errno;

        *why = strerror(errno);
        return status;
      }
      if (!got)
        return broken(why);
      from->at = 0;
      from->filled = part = (size_t)got;
    }
    part = part < size ? part : size;
    if (to) {
      memcpy(to, from->buffer + from->at, part);
      to += part;
    }
    from->at += part;
    from->next += part;
    size -= part;
  }
  return 0;
}

static uint64_t number(const uint8_t *bytes, unsigned count)
{
  uint64_t value = 0;

  while (count--)
    value = value << 8 | bytes[count];
  return value;
}

static int take_u32(struct gc_tracez *tracez, struct cursor *from, uint32_t *value,
                    const char **why)
{
  uint8_t bytes[4];
  const int status = take(tracez, from, bytes, sizeof bytes, why);

  if (!status)
    *value = (uint32_t)number(bytes, sizeof bytes);
  return status;
}

/* Goes to another place of the same part of the file. */
static int go_to(struct cursor *cursor, uint64_t offset, uint64_t least, const char **why)
{
  if (offset == cursor->next)
    return 0;
  if (offset < least || offset > cursor->end)
    return broken(why);
  cursor->next = offset;
  cursor->at = cursor->filled = 0;
  return 0;
}

/* The offset of the index, which the last bytes of the file have. */
static int find_index(struct gc_tracez *tracez, uint64_t size, const char **why)
{
  struct cursor *index = &tracez->index;
  uint8_t bytes[8];
  int status;

  if (size < sizeof bytes)
    return broken(why);
  index->next = size - sizeof bytes;
  index->end = size;
  status = take(tracez, index, bytes, sizeof bytes, why);
  if (status)
    return status;
  index->end = size - sizeof bytes;
  index->next = index->at = index->filled = 0;
  status = go_to(index, number(bytes, sizeof bytes), 1, why);
  tracez->data.end = index->next;
  return status ? status : take_u32(tracez, index, &tracez->blocks, why);
}

/* The dictionary, behind the header. */
static int read_dictionary(struct gc_tracez *tracez, const char **why)
{
  uint32_t size, unused;
  void *dictionary;
  int status = take_u32(tracez, &tracez->data, &size, why);

  if (!status)
    status = take_u32(tracez, &tracez->data, &unused, why);
  if (status || !size)
    return status;
  if (size > MOST_DICTIONARY)
    return broken(why);
  dictionary = malloc(size);
  if (!dictionary)
    return -ENOMEM;
  status = take(tracez, &tracez->data, dictionary, size, why);
  if (!status && ZSTD_isError(ZSTD_DCtx_loadDictionary(tracez->zstd, dictionary, size)))
    status = broken(why);
  free(dictionary);
  return status;
}

int gc_tracez_open(int file, struct gc_tracez **result, const char **why)
{
  struct gc_tracez *tracez = calloc(1, sizeof *tracez);
  struct stat about;
  int status;

  *why = "out of memory";
  if (!tracez)
    return -ENOMEM;
  tracez->file = file;
  tracez->zstd = ZSTD_createDCtx();
  status = tracez->zstd ? 0 : -ENOMEM;
  if (!status && fstat(file, &about)) {
    status = -errno;
    *why = strerror(errno);
  }
  if (!status)
    status = find_index(tracez, (uint64_t)about.st_size, why);
  if (status)
    gc_tracez_close(tracez);
  else
    *result = tracez;
  return status;
}

void gc_tracez_close(struct gc_tracez *tracez)
{
  if (tracez)
    ZSTD_freeDCtx(tracez->zstd);
  free(tracez);
}

/* The text up to the NUL byte. */
static long read_header(struct gc_tracez *tracez, char *text, size_t room, const char **why)
{
  size_t length = 0;

  while (length < room) {
    int status = take(tracez, &tracez->data, text + length, 1, why);

    if (!status && !text[length]) {
      status = read_dictionary(tracez, why);
      tracez->part = BLOCK;
      if (!status)
        return (long)length;
    }
    if (status)
      return status;
    length++;
  }
  return (long)length;
}

/* Begins the next block, or ends the trace. */
static int read_block(struct gc_tracez *tracez, const char **why)
{
  uint32_t numbers[BLOCK_NUMBERS];

  if (!tracez->blocks) {
    tracez->part = END;
    return tracez->index.next == tracez->index.end ? 0 : broken(why);
  }
  tracez->blocks--;
  for (unsigned i = 0; i < BLOCK_NUMBERS; i++) {
    const int status = take_u32(tracez, &tracez->index, &numbers[i], why);

    if (status)
      return status;
  }
  tracez->warps = numbers[BLOCK_NUMBERS - 1];
  tracez->warp = 0;
  tracez->part = WARP;
  tracez->line_length =
      (size_t)snprintf(tracez->line, sizeof tracez->line, "#BEGIN_TB\nthread block = %u,%u,%u\n",
                       numbers[0], numbers[1], numbers[2]);
  return 0;
}

/* Begins the next warp of the block. The index and the data say the same about it. */
static int read_warp(struct gc_tracez *tracez, const char **why)
{
  uint8_t of_index[16], of_data[8];
  int status;

  if (tracez->warp == tracez->warps) {
    tracez->part = END_OF_BLOCK;
    return 0;
  }
  status = take(tracez, &tracez->index, of_index, sizeof of_index, why);
  tracez->chunks = status ? 0 : (uint32_t)number(of_index + 4, 4);
  for (uint32_t i = 0; i < tracez->chunks && !status; i++)
    status = take(tracez, &tracez->index, NULL, 4, why);
  if (!status)
    status = go_to(&tracez->data, number(of_index + 8, 8), 1, why);
  if (!status)
    status = take(tracez, &tracez->data, of_data, sizeof of_data, why);
  if (!status && memcmp(of_index, of_data, sizeof of_data))
    status = broken(why);
  if (status)
    return status;
  tracez->part = CHUNK;
  tracez->line_length =
      (size_t)snprintf(tracez->line, sizeof tracez->line, "warp = %u\ninsts = %u\n", tracez->warp,
                       (uint32_t)number(of_index, 4));
  tracez->warp++;
  return 0;
}

static int read_chunk(struct gc_tracez *tracez, const char **why)
{
  int status;

  if (!tracez->chunks) {
    tracez->part = WARP;
    return 0;
  }
  tracez->chunks--;
  status = take_u32(tracez, &tracez->data, &tracez->bytes, why);
  if (!status && tracez->bytes > tracez->data.end - tracez->data.next)
    status = broken(why);
  ZSTD_DCtx_reset(tracez->zstd, ZSTD_reset_session_only);
  tracez->frame_ended = tracez->has_lines = false;
  tracez->part = LINES;
  return status;
}

/* Decompresses a part of the chunk. The number of bytes, which can be 0. */
static long read_lines(struct gc_tracez *tracez, char *text, size_t room, const char **why)
{
  struct cursor *data = &tracez->data;
  ZSTD_outBuffer out = {text, room, 0};
  ZSTD_inBuffer in = {0};
  size_t status;

  if (tracez->bytes && data->at == data->filled) { /* fills the buffer, and takes one byte back */
    const int failed = take(tracez, data, NULL, 1, why);

    if (failed)
      return failed;
    data->at--;
    data->next--;
  }
  in.src = data->buffer + data->at;
  in.size = data->filled - data->at < tracez->bytes ? data->filled - data->at : tracez->bytes;
  if (tracez->frame_ended) { /* exactly one frame */
    tracez->part = CHUNK;
    if (tracez->has_lines)
      tracez->line_length = (size_t)snprintf(tracez->line, sizeof tracez->line, "\n");
    return tracez->bytes ? broken(why) : 0;
  }
  status = ZSTD_decompressStream(tracez->zstd, &out, &in);
  if (ZSTD_isError(status) || (status && !in.pos && !out.pos)) {
    *why = "the zstd data of a warp is corrupt";
    return -EBADMSG;
  }
  data->at += in.pos;
  data->next += in.pos;
  tracez->bytes -= (uint32_t)in.pos;
  tracez->frame_ended = !status;
  tracez->has_lines |= out.pos > 0;
  return (long)out.pos;
}

static size_t write_line(struct gc_tracez *tracez, char *text, size_t room)
{
  size_t part = tracez->line_length - tracez->line_at;

  part = part < room ? part : room;
  memcpy(text, tracez->line + tracez->line_at, part);
  tracez->line_at += part;
  if (tracez->line_at == tracez->line_length)
    tracez->line_at = tracez->line_length = 0;
  return part;
}

long gc_tracez_read(struct gc_tracez *tracez, char *text, size_t room, const char **why)
{
  long got = 0;

  *why = "out of memory";
  while (!got && (tracez->line_length || tracez->part != END)) {
    if (tracez->line_length)
      return (long)write_line(tracez, text, room);
    switch (tracez->part) {
    case HEADER:
      got = read_header(tracez, text, room, why);
      break;
    case BLOCK:
      got = read_block(tracez, why);
      break;
    case WARP:
      got = read_warp(tracez, why);
      break;
    case CHUNK:
      got = read_chunk(tracez, why);
      break;
    case LINES:
      got = read_lines(tracez, text, room, why);
      break;
    default:
      tracez->part = BLOCK;
      tracez->line_length = (size_t)snprintf(tracez->line, sizeof tracez->line, "#END_TB\n");
    }
  }
  return got;
}

#else

int gc_tracez_open(int file, struct gc_tracez **tracez, const char **why)
{
  (void)file;
  (void)tracez;
  *why = "the file is compressed with zstd, and this program was built without libzstd (Debian "
         "package libzstd-dev)";
  return -EOPNOTSUPP;
}

void gc_tracez_close(struct gc_tracez *tracez)
{
  (void)tracez;
}

long gc_tracez_read(struct gc_tracez *tracez, char *text, size_t room, const char **why)
{
  (void)tracez;
  (void)text;
  (void)room;
  (void)why;
  return 0;
}

#endif
