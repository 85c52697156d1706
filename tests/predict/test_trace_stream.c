/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines and bytes of plain and compressed files, complete, truncated and corrupt; files that are
 * not read; and a read() that fails, is interrupted or returns few bytes. Linked with --wrap=read.
 */
#include "config.h"

#include "trace_text.h"

#include "predict/trace/stream.h"

#include <errno.h>
#include <fcntl.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static enum { READ_ALL, READ_FEW, READ_FAILS } reads;

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size);

ssize_t __wrap_read(int file, void *bytes, size_t size)
{
  static unsigned calls;

  if (reads == READ_FAILS) {
    errno = EIO;
    return -1;
  }
  if (reads == READ_FEW && ++calls % 3 == 0) {
    errno = EINTR;
    return -1;
  }
  return __real_read(file, bytes, reads == READ_FEW && size > 7 ? 7 : size);
}

/* The lines of the file, each with a newline, or NULL after an error. The caller frees them. */
static char *lines_of(const char *path, int *status, struct gc_error *err)
{
  struct gc_stream *stream;
  const char *line;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);

  assert_non_null(out);
  *status = gc_stream_open(path, &stream, err);
  if (!*status) {
    while ((*status = gc_stream_line(stream, &line, err)) == 1)
      fprintf(out, "%s\n", line);
    gc_stream_close(stream);
  }
  fclose(out);
  if (!*status)
    return text;
  free(text);
  return NULL;
}

static void lines_are(const void *bytes, size_t size, const char *expected)
{
  struct gc_error err = {""};
  int status;
  char *text;

  write_file("file", bytes, size);
  text = lines_of("file", &status, &err);
  if (!text)
    fail_msg("%d %s", status, err.text);
  assert_true(!strcmp(text, expected)); /* may be long */
  free(text);
}

static void lines_fail(const char *path, int expected, const char *words)
{
  struct gc_error err = {""};
  int status;

  assert_null(lines_of(path, &status, &err));
  if (status != expected || !strstr(err.text, words))
    fail_msg("%d \"%s\" is not %d \"%s\"", status, err.text, expected, words);
}

static void bytes_fail(const void *bytes, size_t size, const char *words)
{
  write_file("file", bytes, size);
  lines_fail("file", -EBADMSG, words);
}

/* Many lines, some longer than the buffers of the stream. */
static char *long_text(size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);

  assert_non_null(out);
  for (int i = 0; i < 60000; i++)
    fprintf(out, "%d %x%s\n", i, i * 2654435761u, i % 7 ? "" : " and a tail");
  for (int i = 0; i < 3; i++)
    fprintf(out, "%0*d\n", 300000 + i, i);
  fclose(out);
  return text;
}

static void plain_lines(void **state)
{
  size_t size;
  char *text = long_text(&size);

  (void)state;
  lines_are("one\n", 4, "one\n");
  lines_are("one\r\n\n  \t\n\r\n two\n", 17, "one\n two\n");
  lines_are(text, size, text);
  reads = READ_FEW;
  strchr(text + 5000, '\n')[1] = '\0';
  lines_are(text, strlen(text), text);
  reads = READ_ALL;
  free(text);
}

static void same_line_again(void **state)
{
  struct gc_stream *stream;
  const char *line;
  struct gc_error err;

  (void)state;
  write_file("file", "a\nb\n", 4);
  assert_int_equal(gc_stream_open("file", &stream, &err), 0);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(gc_stream_line(stream, &line, &err), 1);
    assert_string_equal(line, "a");
    if (i < 2)
      gc_stream_unread(stream);
  }
  assert_int_equal(gc_stream_line(stream, &line, &err), 1);
  assert_string_equal(line, "b");
  assert_int_equal(gc_stream_bad(stream, &err, "%d", 7), -EBADMSG);
  assert_string_equal(err.text, "file:2: 7");
  assert_int_equal(gc_stream_line(stream, &line, &err), 0);
  assert_int_equal(gc_stream_line(stream, &line, &err), 0);
  gc_stream_close(stream);
  gc_stream_close(NULL);
}

static void broken_text(void **state)
{
  const size_t longest = 1 << 20;
  char *text = malloc(longest + 3);

  (void)state;
  assert_non_null(text);
  bytes_fail("one\ntwo", 7, "file:2: the last line has no newline");
  bytes_fail("one\ntw\0o\n", 9, "file:2: there is a NUL byte");
  memset(text, 'x', longest + 2);
  text[longest] = '\n';
  text[longest + 1] = '\0';
  lines_are(text, longest + 1, text);
  text[longest] = 'x';
  text[longest + 1] = '\n';
  bytes_fail(text, longest + 2, "file:1: the line is longer than 1 MiB");
  bytes_fail(text, longest + 1, "file:1: the l");
  free(text);
  text = calloc(2, longest);
  assert_non_null(text);
  memset(text, 'x', 2 * longest);
  memcpy(text, "one\n", 4);
  bytes_fail(text, 2 * longest, "file:2: the line is longer than 1 MiB");
  free(text);
}

/* After some lines, and not as the end of the file. */
static void disk_that_fails(void **state)
{
  struct gc_stream *stream;
  const char *line;
  struct gc_error err;
  size_t size;
  char *text = long_text(&size);
  int status;

  (void)state;
  write_file("file", text, size);
  free(text);
  assert_int_equal(gc_stream_open("file", &stream, &err), 0);
  assert_int_equal(gc_stream_line(stream, &line, &err), 1);
  reads = READ_FAILS;
  while ((status = gc_stream_line(stream, &line, &err)) == 1)
    ;
  reads = READ_ALL;
  assert_int_equal(status, -EIO);
  assert_string_equal(err.text, "file: Input/output error");
  gc_stream_close(stream);
}

static void what_is_no_file(void **state)
{
  char name[4200];

  (void)state;
  lines_fail("missing", -ENOENT, "missing: No such file");
  assert_int_equal(mkdir("folder", 0700), 0);
  lines_fail("folder", -EINVAL, "folder: this is a directory");
  assert_int_equal(mkfifo("fifo", 0600), 0);
  lines_fail("fifo", -EINVAL,
             "fifo: this is not a regular file"); /* and does not wait for a writer */
  lines_fail("/dev/null", -EINVAL, "not a regular file");
  bytes_fail("", 0, "file: the file is empty");
  memset(name, 'n', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  lines_fail(name, -ENAMETOOLONG, "File name too long"); /* the reason fits behind a long name */
  write_file("file", "x\n", 2);
  reads = READ_FAILS;
  lines_fail("file", -EIO, "file: Input/output error");
  reads = READ_ALL;
}

/* Bytes that are not text, between lines. */
#define BLOB 200000
static char *text_with_bytes(size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);

  assert_non_null(out);
  fputs("one\n", out);
  for (unsigned i = 0; i < BLOB; i++)
    fputc((int)(i * i >> 7 & 0xff), out);
  fputs("two\n", out);
  fclose(out);
  return text;
}

/* In pieces of all sizes; the last one is shorter. */
static void bytes_between_lines(const char *path)
{
  const char *line;
  const uint8_t *bytes;
  struct gc_stream *stream;
  struct gc_error err;
  unsigned at = 0;

  assert_int_equal(gc_stream_open(path, &stream, &err), 0);
  assert_int_equal(gc_stream_line(stream, &line, &err), 1);
  for (unsigned size = 0; at < BLOB; size = size * 5 / 4 + 1) {
    const unsigned piece = size < BLOB - at ? size : BLOB - at;

    assert_int_equal(gc_stream_bytes(stream, piece, &bytes, &err), 0);
    for (unsigned i = 0; i < piece; i++, at++)
      if (bytes[i] != (at * at >> 7 & 0xff))
        fail_msg("byte %u is %u", at, bytes[i]);
  }
  assert_int_equal(gc_stream_line(stream, &line, &err), 1);
  assert_string_equal(line, "two");
  assert_int_equal(gc_stream_bad(stream, &err, "x"), -EBADMSG);
  assert_string_equal(err.text, "file:2: x");
  assert_int_equal(gc_stream_bytes(stream, 0, &bytes, &err), 0);
  assert_int_equal(gc_stream_bytes(stream, 1, &bytes, &err), -EBADMSG);
  assert_string_equal(err.text,
                      "file:2: the file ends in the bytes after this line: it is truncated");
  gc_stream_close(stream);
}

static void plain_bytes(void **state)
{
  struct gc_stream *stream;
  const char *line;
  const uint8_t *bytes;
  struct gc_error err;
  size_t size;
  char *text = text_with_bytes(&size);

  (void)state;
  write_file("file", text, size);
  bytes_between_lines("file");
  reads = READ_FEW;
  bytes_between_lines("file");
  reads = READ_ALL;
  assert_int_equal(gc_stream_open("file", &stream, &err), 0);
  assert_int_equal(gc_stream_line(stream, &line, &err), 1);
  reads = READ_FAILS;
  assert_int_equal(gc_stream_bytes(stream, BLOB, &bytes, &err), -EIO);
  reads = READ_ALL;
  gc_stream_close(stream);
  free(text);
}

static char *repeated(const char *text, int times)
{
  char *result = calloc((size_t)times, strlen(text) + 1);

  assert_non_null(result);
  while (times--)
    strcat(result, text);
  return result;
}

#ifdef HAVE_ZLIB
static size_t gzip(const char *text, size_t length, uint8_t *bytes, size_t room)
{
  z_stream z = {0};

  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)text;
  z.avail_in = (uInt)length;
  z.next_out = bytes;
  z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}
#endif

#ifdef HAVE_LZMA
static size_t xz(const char *text, size_t length, uint8_t *bytes, size_t room)
{
  size_t size = 0;

  assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, length,
                                           bytes, &size, room),
                   LZMA_OK);
  return size;
}
#endif

#ifdef HAVE_ZSTD
static size_t zstd(const char *text, size_t length, uint8_t *bytes, size_t room)
{
  ZSTD_CCtx *context = ZSTD_createCCtx();
  size_t size;

  assert_non_null(context);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  size = ZSTD_compress2(context, bytes, room, text, length);
  assert_false(ZSTD_isError(size));
  ZSTD_freeCCtx(context);
  return size;
}
#endif

typedef size_t compressor(const char *text, size_t length, uint8_t *bytes, size_t room);

/* Whether each beginning of the file, and each file with a wrong byte, is an error, or has the same
 * lines. A truncated file may never look complete. */
static void broken_data(uint8_t *bytes, size_t size, const char *expected)
{
  struct gc_error err;
  int status;
  char *text;

  for (size_t cut = 0; cut < size; cut++) {
    write_file("cut", bytes, cut);
    text = lines_of("cut", &status, &err);
    if (text)
      fail_msg("%zu of %zu bytes look complete", cut, size);
    assert_int_equal(status, -EBADMSG);
    assert_null(strstr(err.text, ":0:")); /* there is no line 0 */
  }
  for (size_t at = 0; at < size; at++) {
    bytes[at] ^= (uint8_t)(1 + at % 255);
    write_file("wrong", bytes, size);
    bytes[at] ^= (uint8_t)(1 + at % 255);
    text = lines_of("wrong", &status, &err);
    if (text)
      assert_string_equal(text, expected); /* a time stamp, for example */
    else
      assert_int_equal(status, -EBADMSG);
    free(text);
  }
}

static void compressed(compressor *compress, const char *format)
{
  const size_t room = 8 << 20;
  uint8_t *bytes = malloc(room);
  size_t size, long_size, one;
  char *text = long_text(&long_size), *twice;

  assert_non_null(bytes);
  size = compress(text, long_size, bytes, room);
  lines_are(bytes, size, text);
  free(text);
  text = text_with_bytes(&long_size);
  write_file("file", bytes, compress(text, long_size, bytes, room));
  bytes_between_lines("file");
  /* A line that begins in one part and ends in the next. */
  one = compress("one\ntw", 6, bytes, room);
  size = one + compress("o\n", 2, bytes + one, room - one);
  lines_are(bytes, size, "one\ntwo\n");
  twice = repeated("one\ntwo\n", 2);
  memcpy(bytes + size, bytes, size);
  lines_are(bytes, 2 * size, twice);
  free(twice);
  reads = READ_FEW;
  lines_are(bytes, size, "one\ntwo\n");
  reads = READ_ALL;
  memcpy(bytes + size, "garbage garbage ", 16);
  bytes_fail(bytes, size + 16, format);
  size = compress("one\ntwo\n", 8, bytes, room);
  broken_data(bytes, size, "one\ntwo\n");
  size = compress("one\ntwo", 7, bytes, room);
  bytes_fail(bytes, size, "file:2: the last line has no newline");
  size = compress("", 0, bytes, room);
  lines_are(bytes, size, "");
  free(text);
  free(bytes);
}

/* Without the library, the sentence names it. */
static void not_supported(const char *magic, size_t size, const char *format, const char *library)
{
  write_file("file", magic, size);
  lines_fail("file", -EOPNOTSUPP, format);
  lines_fail("file", -EOPNOTSUPP, library);
}

static void gzip_files(void **state)
{
  (void)state;
#ifdef HAVE_ZLIB
  compressed(gzip, "gzip data is corrupt");
#else
  (void)compressed;
  not_supported("\x1f\x8b\x08", 3, "with gzip", "without zlib (Debian package zlib1g-dev)");
#endif
}

static void xz_files(void **state)
{
  (void)state;
#ifdef HAVE_LZMA
  compressed(xz, "xz data is corrupt");
#else
  (void)compressed;
  not_supported("\xfd\x37zXZ\0", 6, "with xz", "without liblzma (Debian package liblzma-dev)");
#endif
}

static void zstd_files(void **state)
{
  static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2};

  (void)state;
#ifdef HAVE_ZSTD
  uint8_t bytes[200];

  compressed(zstd, "zstd data is corrupt");
  memcpy(bytes, skippable, sizeof(skippable)); /* as pzstd begins */
  lines_are(bytes, sizeof(skippable) + zstd("a\n", 2, bytes + sizeof(skippable), 100), "a\n");
#else
  (void)compressed;
  not_supported((const char *)skippable, sizeof(skippable), "with zstd",
                "(Debian package libzstd-dev)");
#endif
  (void)not_supported;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_lines),     cmocka_unit_test(same_line_again),
      cmocka_unit_test(broken_text),     cmocka_unit_test(disk_that_fails),
      cmocka_unit_test(what_is_no_file), cmocka_unit_test(gzip_files),
      cmocka_unit_test(xz_files),        cmocka_unit_test(zstd_files),
      cmocka_unit_test(plain_bytes),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
