/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For the tests of the trace readers: a trace as one text, which is easy to compare, and files in
 * an empty directory of the test.
 */
#ifndef TESTS_PREDICT_TRACE_TEXT_H
#define TESTS_PREDICT_TRACE_TEXT_H

#include "predict/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The path of a file of tests/data/traces, in a buffer that the next call overwrites. */
static inline const char *sample(const char *name)
{
  static char path[4096];
  const char *top = getenv("top_srcdir");

  snprintf(path, sizeof(path), "%s/tests/data/traces/%s", top ? top : ".", name);
  return path;
}

/* The bytes of a file and a final NUL; the caller frees them. */
static inline char *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "r");
  char *bytes = calloc(1, 1 << 20);

  assert_non_null(bytes);
  if (!file)
    fail_msg("%s cannot be opened", path);
  *size = fread(bytes, 1, (1 << 20) - 1, file);
  fclose(file);
  return bytes;
}

/* A new file, because ext4 waits for the disk when a file is truncated and written again. */
static inline void write_file(const char *path, const void *bytes, size_t size)
{
  FILE *file;

  unlink(path);
  file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* Setup and teardown of a group of tests: they run in a directory of their own. */
static inline int enter_directory(void **state)
{
  char path[] = "/tmp/gpucache-trace-XXXXXX";
  char top[4096];

  if (!realpath(getenv("top_srcdir") ? getenv("top_srcdir") : ".", top))
    return -1;
  setenv("top_srcdir", top, 1);
  *state = mkdtemp(path) ? strdup(path) : NULL;
  return *state ? chdir(*state) : -1;
}

static inline int leave_directory(void **state)
{
  char command[64];

  snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
  free(*state);
  return chdir("/") || system(command);
}

/* "w1 10 load no-l1 4 3: 1000 1004": warp, pc, operation, hint, bytes, mask, addresses; a number of
 * others is "w1 10 other 12". */
static inline int print_instruction(unsigned warp, const struct gc_trace_instruction *instruction,
                                    void *data)
{
  static const char *const operations[] = {"load", "store", "atomic", "barrier", "other"};
  static const char *const hints[] = {"", " no-l1", " read-only"};
  FILE *out = data;

  fprintf(out, "w%u %x %s%s", warp, instruction->pc, operations[instruction->operation],
          hints[instruction->hint]);
  if (instruction->operation == GC_TRACE_OTHER) {
    assert_int_equal(instruction->mask, 0);
    fprintf(out, " %u\n", instruction->count);
    return 0;
  }
  assert_int_equal(instruction->count, 1);
  assert_int_not_equal(instruction->mask, 0);
  fprintf(out, " %u %llx", instruction->bytes, (unsigned long long)instruction->mask);
  if (instruction->operation != GC_TRACE_BARRIER)
    for (int i = 0; i < GC_TRACE_LANES; i++)
      if (instruction->mask >> i & 1)
        fprintf(out, " %llx", (unsigned long long)instruction->addresses[i]);
  fputc('\n', out);
  return 0;
}

static inline void print_launch(FILE *out, const struct gc_trace_launch *launch)
{
  fprintf(
      out,
      "kernel %llu \"%s\" blocks %llu threads %u warp %u registers %u shared %llu origin \"%s\"\n",
      (unsigned long long)launch->number, launch->name, (unsigned long long)launch->blocks,
      launch->threads_per_block, launch->warp_threads, launch->registers_per_thread,
      (unsigned long long)launch->shared_bytes, launch->origin);
}

/* Reads the rest of the trace, like a user: 0 or a negative errno. */
static inline int print_trace(FILE *out, struct gc_trace *trace, struct gc_error *err)
{
  struct gc_trace_launch launch;
  uint64_t block;
  int status;

  while ((status = gc_trace_next_kernel(trace, &launch, err)) == 1) {
    print_launch(out, &launch);
    while ((status = gc_trace_next_block(trace, print_instruction, out, &block, err)) == 1)
      fprintf(out, "block %llu\n", (unsigned long long)block); /* after its instructions */
    if (status < 0)
      break;
  }
  if (status < 0) { /* and it stays so */
    struct gc_error again;

    assert_int_equal(gc_trace_next_kernel(trace, &launch, &again), status);
    assert_int_equal(gc_trace_next_block(trace, NULL, NULL, NULL, &again), status);
  }
  return status;
}

/* The whole trace as text, which the caller frees; NULL after an error, with the sentence. */
static inline char *trace_text(const char *path, int *status, struct gc_error *err)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  struct gc_trace *trace = NULL;

  assert_non_null(out);
  err->text[0] = '\0';
  *status = gc_trace_open(path, &trace, err);
  if (!*status) {
    *status = print_trace(out, trace, err);
    gc_trace_close(trace);
  }
  fclose(out);
  if (!*status)
    return text;
  assert_true(*status < 0);
  assert_true(err->text[0] != '\0'); /* each error has a sentence */
  free(text);
  return NULL;
}

/* The trace must be this text. */
static inline void trace_is(const char *path, const char *expected)
{
  struct gc_error err;
  int status;
  char *text = trace_text(path, &status, &err);

  if (!text)
    fail_msg("%s: %d %s", path, status, err.text);
  assert_string_equal(text, expected);
  free(text);
}

/* Reading must fail with this status and a sentence that contains these words. */
static inline void trace_fails(const char *path, int expected, const char *words)
{
  struct gc_error err;
  int status;
  char *text = trace_text(path, &status, &err);

  if (text)
    fail_msg("%s was read, without \"%s\"", path, words);
  if (status != expected || !strstr(err.text, words))
    fail_msg("%d \"%s\" is not %d \"%s\"", status, err.text, expected, words);
}

static inline void text_is(const char *trace, const char *expected)
{
  write_file("text", trace, strlen(trace));
  trace_is("text", expected);
}

static inline void text_fails(const char *trace, int expected, const char *words)
{
  write_file("text", trace, strlen(trace));
  trace_fails("text", expected, words);
}

/* text with its first "from" replaced; there must be one. The caller frees it. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
  const char *at = strstr(text, from);
  const size_t size = strlen(text) + strlen(to) + 1;
  char *result = calloc(1, size);

  if (!at || !result)
    fail_msg("the text has no %s", from);
  else
    snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return result;
}

#endif
