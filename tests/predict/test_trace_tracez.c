/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * .tracez files of Accel-Sim 2.0, written here as its post-traces-processing writes them: they are
 * read like the .traceg file with the same text, and a file that is cut or broken is an error.
 */
#include "config.h"

#include "trace_text.h"

#include <errno.h>

#ifdef HAVE_ZSTD
#include <zstd.h>

#define MOST 64 /* lines of a warp, warps of a block, blocks */

struct writer {
  FILE *out, *index;
  const char *dictionary; /* NULL: none */
  unsigned chunk;         /* lines */
  uint32_t blocks;
  bool wrong_count; /* the index and the data disagree about a warp */
};

static void put(FILE *out, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    fputc((int)(value >> 8 * i & 0xff), out);
}

/* Lines with newlines between, and none at the end. */
static void put_chunk(const struct writer *writer, char *const *lines, unsigned count)
{
  const size_t size = writer->dictionary ? strlen(writer->dictionary) : 0;
  char text[8192] = "", bytes[16384];
  ZSTD_CCtx *zstd = ZSTD_createCCtx();
  size_t compressed;

  for (unsigned i = 0; i < count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "\n" : "", lines[i]);
  compressed = ZSTD_compress_usingDict(zstd, bytes, sizeof bytes, text, strlen(text),
                                       writer->dictionary, size, 3);
  assert_false(ZSTD_isError(compressed));
  ZSTD_freeCCtx(zstd);
  put(writer->out, compressed, 4);
  assert_int_equal(fwrite(bytes, 1, compressed, writer->out), compressed);
}

static void put_warp(const struct writer *writer, char *const *lines, unsigned count)
{
  const unsigned chunks = (count + writer->chunk - 1) / writer->chunk;

  put(writer->index, count + writer->wrong_count, 4);
  put(writer->index, chunks, 4);
  put(writer->index, (uint64_t)ftell(writer->out), 8);
  put(writer->out, count, 4);
  put(writer->out, chunks, 4);
  for (unsigned i = 0; i < count; i += writer->chunk) {
    const unsigned part = count - i < writer->chunk ? count - i : writer->chunk;

    put(writer->index, part, 4);
    put_chunk(writer, lines + i, part);
  }
}

static unsigned warps_of(const char *block)
{
  const char *end = strstr(block, "#END_TB");
  unsigned warps = 0;

  assert_non_null(end);
  while ((block = strstr(block, "\nwarp = ")) && block < end) {
    block++;
    warps++;
  }
  return warps;
}

/* A block of a .traceg file, whose warps are all there. Returns what is behind it. */
static char *put_block(struct writer *writer, char *text)
{
  unsigned x, y, z, warps = warps_of(text);

  text = strstr(text, "thread block");
  assert_int_equal(sscanf(text, "thread block = %u,%u,%u", &x, &y, &z), 3);
  put(writer->index, x, 4);
  put(writer->index, y, 4);
  put(writer->index, z, 4);
  for (int i = 0; i < 7; i++) /* about the cluster */
    put(writer->index, 0, 4);
  put(writer->index, warps, 4);
  for (unsigned warp = 0; warp < warps; warp++) {
    char *lines[MOST];
    unsigned count;

    text = strstr(text, "insts = ");
    assert_int_equal(sscanf(text, "insts = %u", &count), 1);
    assert_true(count <= MOST);
    text = strchr(text, '\n') + 1;
    for (unsigned i = 0; i < count; i++) {
      lines[i] = text;
      text = strchr(text, '\n');
      *text++ = '\0';
    }
    put_warp(writer, lines, count);
  }
  writer->blocks++;
  return text;
}

/* Writes a .traceg file as a .tracez file. The caller frees the result. */
static char *tracez_of(const char *traceg, struct writer *writer, size_t *size)
{
  char *text = strdup(traceg), *begin = strstr(text, "#BEGIN_TB"), *result, *index;
  size_t index_size;
  long offset;

  writer->out = open_memstream(&result, size);
  writer->index = open_memstream(&index, &index_size);
  assert_non_null(writer->out);
  assert_non_null(writer->index);
  fwrite(text, 1, (size_t)(begin - text), writer->out);
  fputc('\0', writer->out);
  put(writer->out, writer->dictionary ? strlen(writer->dictionary) : 0, 4);
  put(writer->out, writer->chunk, 4);
  fputs(writer->dictionary ? writer->dictionary : "", writer->out);
  writer->blocks = 0;
  fflush(writer->out);
  for (char *at = begin; (at = strstr(at, "#BEGIN_TB"));)
    at = put_block(writer, at);
  fclose(writer->index);
  offset = ftell(writer->out);
  put(writer->out, writer->blocks, 4);
  fwrite(index, 1, index_size, writer->out);
  put(writer->out, (uint64_t)offset, 8);
  fclose(writer->out);
  free(index);
  free(text);
  return result;
}

static void the_same_as_traceg(void **state)
{
  static const char *const dictionaries[] = {NULL,
                                             "0 00000000 ffffffff 1 R4 LDG.E.CONSTANT 1 R2 4 1 "};
  static const unsigned chunks[] = {1, 5, 2048};
  struct gc_error err;
  int status;
  size_t size;
  char *traceg = read_file(sample("kernel-1.traceg"), &size);
  char *expected = trace_text(sample("kernel-1.traceg"), &status, &err);

  (void)state;
  assert_non_null(expected);
  for (int i = 0; i < 6; i++) {
    struct writer writer = {.dictionary = dictionaries[i % 2], .chunk = chunks[i / 2]};
    char *bytes = tracez_of(traceg, &writer, &size);

    write_file("kernel-1.tracez", bytes, size);
    trace_is("kernel-1.tracez", expected);
    free(bytes);
  }
  write_file("kernelslist.g", "kernel-1.tracez\n", 16);
  trace_is("kernelslist.g", expected);
  free(expected);
  free(traceg);
}

/* More than the buffers hold, so that lines and chunks end anywhere. */
static void long_warps(void **state)
{
  enum { BLOCKS = 300, LINES = 60 };
  struct writer writer = {.chunk = 7};
  char *traceg, *bytes;
  size_t size;
  FILE *out = open_memstream(&traceg, &size);
  uint64_t random = 1;

  (void)state;
  assert_non_null(out);
  fprintf(out,
          "-kernel name = k\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n"
          "-accelsim tracer version = 6\n",
          BLOCKS);
  for (int block = 0; block < BLOCKS; block++) {
    fprintf(out, "#BEGIN_TB\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", block, LINES);
    for (int line = 0; line < LINES; line++) {
      fprintf(out, "%x f 1 R4 LDG.E 1 R2 4 0", 16 * line);
      for (int lane = 0; lane < 4; lane++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        fprintf(out, " 0x%x", (unsigned)(random >> 40));
      }
      fputs(" 0\n", out);
    }
    fputs("#END_TB\n", out);
  }
  fclose(out);
  write_file("long.traceg", traceg, size);
  bytes = tracez_of(traceg, &writer, &size);
  assert_true(size > 300000); /* some buffers */
  write_file("long.tracez", bytes, size);
  free(bytes);
  {
    struct gc_error err;
    int status;
    char *expected = trace_text("long.traceg", &status, &err);

    assert_non_null(expected);
    trace_is("long.tracez", expected);
    free(expected);
  }
  free(traceg);
}

/* At each byte, and with each byte changed: never a crash, and never a shorter trace. */
static void cut_and_changed(void **state)
{
  struct gc_error err;
  int status;
  size_t size;
  char *traceg = read_file(sample("kernel-1.traceg"), &size);
  char *expected = trace_text(sample("kernel-1.traceg"), &status, &err);
  struct writer writer = {.chunk = 5};
  char *bytes = tracez_of(traceg, &writer, &size);
  unsigned errors = 0;

  (void)state;
  for (size_t at = 0; at < size; at++) {
    char *text;

    write_file("cut", bytes, at);
    text = trace_text("cut", &status, &err);
    if (text)
      fail_msg("cut at %zu of %zu", at, size);
    bytes[at] ^= 0x41;
    write_file("changed", bytes, size);
    bytes[at] ^= 0x41;
    text = trace_text("changed", &status, &err);
    errors += !text;
    free(text);
  }
  assert_true(errors > size / 2);
  free(bytes);
  writer.wrong_count = true;
  bytes = tracez_of(traceg, &writer, &size);
  write_file("wrong", bytes, size);
  trace_fails("wrong", -EBADMSG, "not a .tracez file");
  free(bytes);
  free(expected);
  free(traceg);
}

/* Bytes between the last frame and the index, or behind a frame, are not skipped. */
static void frames_fill_their_chunks(void **state)
{
  size_t size;
  char *traceg = read_file(sample("kernel-1.traceg"), &size);
  struct writer writer = {.chunk = 2048};
  char *bytes = tracez_of(traceg, &writer, &size), *first;

  (void)state;
  /* the first frame begins behind the header, two numbers, those of a warp, and the bytes of the
   * chunk */
  first = bytes + strlen(bytes) + 1 + 8 + 8;
  first[0]--; /* one byte of the frame is missing */
  write_file("short", bytes, size);
  trace_fails("short", -EBADMSG, "");
  first[0] += 2; /* one byte behind it */
  write_file("long", bytes, size);
  trace_fails("long", -EBADMSG, "");
  free(bytes);
  free(traceg);
}
#else
static void not_built_in(void **state)
{
  (void)state;
  write_file("kernel-1.tracez", "-kernel name = k\n\0\0\0\0\0\0\0\0\0", 26);
  trace_fails("kernel-1.tracez", -EOPNOTSUPP, "built without libzstd");
}
#endif

/* Other files with this name do not look like truncated text. */
static void no_tracez_files(void **state)
{
  (void)state;
  write_file("kernel-1.tracez", "dummy", 5);
  trace_fails("kernel-1.tracez", -EBADMSG, "kernel-1.tracez: this is not a .tracez file");
  write_file("kernelslist.g", "kernel-1.tracez\n", 16);
  trace_fails("kernelslist.g", -EBADMSG, "kernel-1.tracez: this is not a .tracez file");
#ifdef HAVE_ZSTD
  write_file("kernel-1.tracez", "-kernel name = k\n\0dummy", 23);
  trace_fails("kernel-1.tracez", -EBADMSG, "truncated, or not a .tracez file");
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef HAVE_ZSTD
      cmocka_unit_test(the_same_as_traceg), cmocka_unit_test(long_warps),
      cmocka_unit_test(cut_and_changed),    cmocka_unit_test(frames_fill_their_chunks),
#else
      cmocka_unit_test(not_built_in),
#endif
      cmocka_unit_test(no_tracez_files),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
