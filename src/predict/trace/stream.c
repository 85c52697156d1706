/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/stream.h"

#include "predict/trace/decode.h"
#include "predict/trace/tracez.h"
#include "util/file.h"
#include "util/regular.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_LINE ((size_t)1 << 20)
/* The fuzz target has less, so that its files need several reads, too. */
#ifndef GC_STREAM_TEXT
#define GC_STREAM_TEXT ((size_t)256 << 10)
#endif
#define FIRST_TEXT GC_STREAM_TEXT
#define INPUT (FIRST_TEXT / 2)

struct gc_stream {
  char *path;
  int file;
  bool read_all; /* read() has returned 0 */
  bool ended;    /* text has the last byte */
  bool again;    /* gc_stream_unread was called */

  const struct gc_decoder *decoder; /* NULL: plain text */
  void *decoding;
  uint8_t *input; /* compressed bytes; INPUT of them at most */
  struct gc_decode_data data;
  struct gc_tracez *tracez; /* NULL: no such file */

  char *text;           /* decompressed bytes */
  size_t room;          /* allocated for text */
  size_t at, end;       /* the bytes of text that are not yet lines */
  const char *line;     /* the current one, in text */
  uint64_t line_number; /* from 1 */
};

/* A path in a sentence that has 512 bytes: its end if it is long. */
#define SHOWN_PATH 200
static const char *shown(const char *path, const char **dots)
{
  const size_t length = strlen(path);

  *dots = length > SHOWN_PATH ? "..." : "";
  return length > SHOWN_PATH ? path + length - SHOWN_PATH : path;
}

static int fail_file(const char *path, struct gc_error *err, int status, const char *reason)
{
  const char *dots, *end = shown(path, &dots);

  return gc_fail(err, status, "%s%s: %s", dots, end, reason);
}

static int fail_line(const struct gc_stream *stream, struct gc_error *err, int status,
                     const char *format, va_list values)
{
  const char *dots, *end = shown(stream->path, &dots);
  char reason[256];

  vsnprintf(reason, sizeof(reason), format, values);
  for (char *tab = reason; (tab = strchr(tab, '\t'));)
    *tab = ' ';
  if (!stream->line_number) /* compressed data that ends before its first line does */
    return gc_fail(err, status, "%s%s: %s", dots, end, reason);
  return gc_fail(err, status, "%s%s:%llu: %s", dots, end, (unsigned long long)stream->line_number,
                 reason);
}

int gc_stream_bad(const struct gc_stream *stream, struct gc_error *err, const char *format, ...)
{
  va_list values;

  va_start(values, format);
  fail_line(stream, err, -EBADMSG, format, values);
  va_end(values);
  return -EBADMSG;
}

int gc_stream_fail(const struct gc_stream *stream, struct gc_error *err, int status,
                   const char *format, ...)
{
  va_list values;

  va_start(values, format);
  fail_line(stream, err, status, format, values);
  va_end(values);
  return status;
}

/* Reads size bytes, fewer only at the end of the file. The number, or a negative errno. */
static ssize_t read_bytes(struct gc_stream *stream, void *bytes, size_t size, struct gc_error *err)
{
  const ssize_t got = gc_file_read(stream->file, bytes, size);

  if (got < 0)
    return fail_file(stream->path, err, (int)got, strerror(-(int)got));
  stream->read_all = (size_t)got < size;
  return got;
}

static int open_file(struct gc_stream *stream, struct gc_error *err)
{
  struct gc_error why = {""};
  uint64_t size;

  stream->file = gc_regular_open(stream->path, &size, &why);
  if (stream->file == -EISDIR)
    return fail_file(stream->path, err, -EINVAL, "this is a directory, not a trace");
  if (stream->file == -EBADMSG)
    return fail_file(stream->path, err, -EINVAL,
                     "this is not a regular file; write the trace into a file first");
  return stream->file < 0 ? fail_file(stream->path, err, stream->file, why.text) : 0;
}

/* A .tracez file of Accel-Sim is read like the text that is compressed in it. */
static int open_tracez(struct gc_stream *stream, struct gc_error *err)
{
  const char *why;
  const int status = gc_tracez_open(stream->file, &stream->tracez, &why);

  return status ? fail_file(stream->path, err, status, why) : 0;
}

static bool has_suffix(const char *path, const char *suffix)
{
  const size_t length = strlen(path), of_suffix = strlen(suffix);

  return length >= of_suffix && !strcmp(path + length - of_suffix, suffix);
}

/* The first bytes decide about the decoder. */
static int choose_decoder(struct gc_stream *stream, struct gc_error *err)
{
  const ssize_t size = read_bytes(stream, stream->input, INPUT, err);
  int status;

  if (size < 0)
    return (int)size;
  if (!size)
    return fail_file(stream->path, err, -EBADMSG, "the file is empty");
  stream->data.in = stream->input;
  stream->data.in_left = (size_t)size;
  if (gc_tracez_matches(stream->input, (size_t)size))
    return open_tracez(stream, err);
  stream->decoder = gc_decoder_for(stream->input, (size_t)size);
  if (!stream->decoder && has_suffix(stream->path, ".tracez") && stream->input[0] != '-')
    return fail_file(stream->path, err, -EBADMSG, "this is not a .tracez file");
  if (!stream->decoder) { /* the first lines */
    memcpy(stream->text, stream->input, (size_t)size);
    stream->end = (size_t)size;
    return 0;
  }
  if (!stream->decoder->start) {
    char reason[160];

    snprintf(
        reason, sizeof(reason),
        "the file is compressed with %s, and this program was built without %s (Debian package %s)",
        stream->decoder->format, stream->decoder->library, stream->decoder->package);
    return fail_file(stream->path, err, -EOPNOTSUPP, reason);
  }
  status = stream->decoder->start(&stream->decoding);
  return status ? fail_file(stream->path, err, status, "out of memory") : 0;
}

int gc_stream_open(const char *path, struct gc_stream **result, struct gc_error *err)
{
  struct gc_stream *stream = calloc(1, sizeof(*stream));
  int status;

  if (!stream)
    return fail_file(path, err, -ENOMEM, "out of memory");
  stream->file = -1;
  stream->room = FIRST_TEXT;
  stream->path = strdup(path);
  stream->input = malloc(INPUT);
  stream->text = malloc(stream->room);
  if (!stream->path || !stream->input || !stream->text)
    status = fail_file(path, err, -ENOMEM, "out of memory");
  else
    status = open_file(stream, err);
  if (!status)
    status = choose_decoder(stream, err);
  if (status) {
    gc_stream_close(stream);
    return status;
  }
  *result = stream;
  return 0;
}

void gc_stream_close(struct gc_stream *stream)
{
  if (!stream)
    return;
  gc_tracez_close(stream->tracez);
  if (stream->decoding)
    stream->decoder->end(stream->decoding);
  if (stream->file >= 0)
    close(stream->file);
  free(stream->text);
  free(stream->input);
  free(stream->path);
  free(stream);
}

const char *gc_stream_path(const struct gc_stream *stream)
{
  return stream->path;
}

/* Adds at least one decompressed byte to text, unless the file ends. */
static int decode(struct gc_stream *stream, struct gc_error *err)
{
  struct gc_decode_data *data = &stream->data;
  const char *why = "out of memory";
  const size_t had = stream->end;
  int status;

  do {
    if (!data->in_left && !stream->read_all) {
      const ssize_t size = read_bytes(stream, stream->input, INPUT, err);

      if (size < 0)
        return (int)size;
      data->in = stream->input;
      data->in_left = (size_t)size;
    }
    data->out = (uint8_t *)stream->text + stream->end;
    data->out_left = stream->room - stream->end;
    status = stream->decoder->step(stream->decoding, data, stream->read_all, &why);
    if (status < 0)
      return gc_stream_fail(stream, err, status, "%s", why);
    stream->end = stream->room - data->out_left;
  } while (status == GC_DECODE_MORE && stream->end == had);
  stream->ended = status == GC_DECODE_END;
  return 0;
}

static int read_tracez(struct gc_stream *stream, struct gc_error *err)
{
  const char *why;
  const long size =
      gc_tracez_read(stream->tracez, stream->text + stream->end, stream->room - stream->end, &why);

  if (size < 0)
    return gc_stream_fail(stream, err, (int)size, "%s", why);
  stream->end += (size_t)size;
  stream->ended = !size;
  return 0;
}

/* Moves what is left of the bytes to the front of text and reads more behind it. */
static int fill(struct gc_stream *stream, struct gc_error *err)
{
  const size_t kept = stream->end - stream->at;
  ssize_t size;

  if (kept > LONGEST_LINE) {
    stream->line_number++;
    return gc_stream_bad(stream, err, "the line is longer than 1 MiB");
  }
  memmove(stream->text, stream->text + stream->at, kept);
  stream->at = 0;
  stream->end = kept;
  if (stream->room - kept < FIRST_TEXT / 2) {
    char *larger = realloc(stream->text, LONGEST_LINE + FIRST_TEXT);

    if (!larger)
      return gc_stream_fail(stream, err, -ENOMEM, "out of memory");
    stream->text = larger;
    stream->room = LONGEST_LINE + FIRST_TEXT;
  }
  if (stream->tracez)
    return read_tracez(stream, err);
  if (stream->decoder)
    return decode(stream, err);
  size = read_bytes(stream, stream->text + kept, FIRST_TEXT / 2, err);
  if (size < 0)
    return (int)size;
  stream->end += (size_t)size;
  stream->ended = stream->read_all;
  return 0;
}

/* The next newline; *line is where the line begins. 1, 0 or a negative errno, as gc_stream_line. */
static int find_newline(struct gc_stream *stream, char **line, char **newline, struct gc_error *err)
{
  size_t searched = 0;
  int status;

  for (;;) {
    const size_t left = stream->end - stream->at;

    *line = stream->text + stream->at;
    *newline = memchr(*line + searched, '\n', left - searched);
    if (*newline)
      return 1;
    if (stream->ended)
      break;
    searched = left;
    status = fill(stream, err);
    if (status)
      return status;
  }
  if (stream->at == stream->end)
    return 0;
  stream->line_number++;
  return gc_stream_bad(stream, err, "the last line has no newline: the file is truncated");
}

int gc_stream_line(struct gc_stream *stream, const char **line, struct gc_error *err)
{
  char *start, *newline;
  int status;

  if (stream->again) {
    stream->again = false;
    *line = stream->line;
    return 1;
  }
  do {
    status = find_newline(stream, &start, &newline, err);
    if (status <= 0)
      return status;
    stream->line_number++;
    stream->at = (size_t)(newline - stream->text) + 1;
    if ((size_t)(newline - start) > LONGEST_LINE)
      return gc_stream_bad(stream, err, "the line is longer than 1 MiB");
    if (memchr(start, '\0', (size_t)(newline - start)))
      return gc_stream_bad(stream, err,
                           "there is a NUL byte in this line: this is not a text file");
    *newline = '\0';
    if (newline > start && newline[-1] == '\r')
      newline[-1] = '\0';
  } while (!start[strspn(start, " \t")]);
  stream->line = *line = start;
  return 1;
}

int gc_stream_bytes(struct gc_stream *stream, size_t size, const uint8_t **bytes,
                    struct gc_error *err)
{
  while (stream->end - stream->at < size && !stream->ended) {
    const int status = fill(stream, err);

    if (status)
      return status;
  }
  if (stream->end - stream->at < size)
    return gc_stream_bad(stream, err,
                         "the file ends in the bytes after this line: it is truncated");
  *bytes = (const uint8_t *)stream->text + stream->at;
  stream->at += size;
  return 0;
}

void gc_stream_unread(struct gc_stream *stream)
{
  stream->again = true;
}
