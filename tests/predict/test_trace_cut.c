/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each sample is cut at each byte, with and without random bytes behind, and changed at random
 * places: the result is an error, or the same text, or a text; never a crash. Every allocation and
 * every visit fails once. Linked with --wrap=malloc,calloc,realloc,strdup.
 */
#include "config.h"

#include "trace_text.h"
#include "tests/unit/failing.h"

#include <errno.h>

static const char *const samples[] = {
    "kernel-1.traceg",    "two-kernels.tsv",
    "two-kernels.binary", "paper.trc",
    "nugteren_00.trc",
#ifdef HAVE_LZMA /* the list has the name of the other file */
    "kernelslist.g",      "kernel-2-ctx_0x6165.traceg.xz",
#endif
};
#define SAMPLES (sizeof(samples) / sizeof(*samples))

static uint64_t random_state = 1;
static unsigned draw(size_t below)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)((random_state >> 33) % below);
}

/* The files that the list names. */
static void beside_the_list(void)
{
  static const char *const names[] = {"kernel-1.traceg", "kernel-2-ctx_0x6165.traceg.xz"};

  for (size_t i = 0; i < 2; i++) {
    size_t size;
    char *bytes = read_file(sample(names[i]), &size);

    write_file(names[i], bytes, size);
    free(bytes);
  }
}

/* A complete file ends at its last byte. The list and the paper's format have no end: what was cut
 * behind a line is the beginning of the same text. */
static bool has_an_end(const char *name)
{
  return !strstr(name, ".trc") && strcmp(name, "kernelslist.g");
}

/* text begins as whole does, up to the last line; the last block of text may have less. */
static bool is_beginning(const char *text, const char *whole)
{
  const char *end = text + strlen(text);

  if (!strncmp(text, whole, strlen(text)))
    return true;
  while (end > text && strncmp(text, whole, (size_t)(end - text)))
    end--;
  return strstr(end, "block ") != NULL; /* in the last block */
}

static void cut(const char *name)
{
  size_t size;
  char *bytes = read_file(sample(name), &size);
  struct gc_error err;
  int status;
  char *whole = trace_text(sample(name), &status, &err);
  unsigned errors = 0;

  if (!whole)
    fail_msg("%s: %s", name, err.text);
  for (size_t at = 0; at < size; at++) {
    char *text;

    write_file("cut", bytes, at);
    text = trace_text("cut", &status, &err);
    errors += !text;
    if (text && strcmp(text, whole) && (has_an_end(name) || !is_beginning(text, whole)))
      fail_msg("%s: %zu of %zu bytes are read as:\n%s", name, at, size, text);
    free(text);
  }
  assert_true(errors > size * 3 / 4);
  free(whole);
  free(bytes);
}

static void samples_that_are_cut(void **state)
{
  (void)state;
  beside_the_list();
  for (size_t i = 0; i < SAMPLES; i++)
    cut(samples[i]);
}

/* Reads it, whatever it is. */
static void survives(const char *bytes, size_t size)
{
  struct gc_error err;
  int status;

  write_file("changed", bytes, size);
  free(trace_text("changed", &status, &err));
}

static void samples_that_are_changed(void **state)
{
  static const char bytes_to_put[] = "\0\n \t-+,=#0123456789abcdefxkRLS\xff";

  (void)state;
  beside_the_list();
  for (size_t i = 0; i < SAMPLES; i++) {
    size_t size;
    char *bytes = read_file(sample(samples[i]), &size), *changed = malloc(size + 64);

    assert_non_null(changed);
    for (int round = 0; round < 3000; round++) {
      size_t length = round % 3 ? size : draw(size);

      memcpy(changed, bytes, size);
      for (unsigned k = draw(4); round % 3 && k--;)
        changed[draw(size)] = bytes_to_put[draw(sizeof(bytes_to_put) - 1)];
      for (unsigned k = draw(64); round % 3 == 0 && k--;)
        changed[length++] = (char)draw(256);
      survives(changed, length);
    }
    free(changed);
    free(bytes);
  }
}

/* Two samples one after the other, of different formats: always an error. */
static void samples_that_are_mixed(void **state)
{
  struct gc_error err;
  int status;

  (void)state;
  beside_the_list();
  for (size_t a = 0; a < SAMPLES; a++)
    for (size_t b = 0; b < SAMPLES; b++) {
      size_t first, second;
      char *bytes = read_file(sample(samples[a]), &first),
           *more = read_file(sample(samples[b]), &second);

      memcpy(bytes + first, more, second);
      write_file("mixed", bytes, first + second);
      if (a != b && trace_text("mixed", &status, &err))
        fail_msg("%s and %s are read as one trace", samples[a], samples[b]);
      free(bytes);
      free(more);
    }
}

static int visit_all(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  (void)warp;
  (void)instruction;
  (void)data;
  return 0;
}

static int read_quietly(const char *path, struct gc_error *err)
{
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  int status = gc_trace_open(path, &trace, err);

  if (status)
    return status;
  while ((status = gc_trace_next_kernel(trace, &launch, err)) == 1) {
    while ((status = gc_trace_next_block(trace, visit_all, NULL, NULL, err)) == 1)
      ;
    if (status < 0)
      break;
  }
  gc_trace_close(trace);
  return status;
}

/* A line that is longer than the first buffer. */
static void write_long_line(const char *path)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  fprintf(file, "hwloc-gpucache-trace 1\n#%0600000d\nend\n", 0);
  fclose(file);
}

static void allocations_that_fail(void **state)
{
  struct gc_error err;

  (void)state;
  write_long_line("long");
  for (size_t i = 0; i <= SAMPLES; i++) {
    const char *path = i < SAMPLES ? sample(samples[i]) : "long";
    unsigned before, count = 0;
    int status;

    do {
      before = failures;
      err.text[0] = '\0';
      until_failure = (long)count++;
      status = read_quietly(path, &err);
      until_failure = -1;
      if (failures > before) {
        assert_int_equal(status, -ENOMEM);
        if (!strstr(err.text, "memory"))
          fail_msg("%s: %s", path, err.text);
      }
    } while (failures > before);
    assert_int_equal(status, 0);
    assert_true(count > 4);
  }
}

static int visit_until(unsigned warp, const struct gc_trace_instruction *instruction, void *data)
{
  (void)warp;
  (void)instruction;
  return --*(int *)data ? 0 : -ECANCELED;
}

static int read_with(const char *path, int *left)
{
  struct gc_trace *trace;
  struct gc_trace_launch launch;
  struct gc_error err;
  int status;

  assert_int_equal(gc_trace_open(path, &trace, &err), 0);
  while ((status = gc_trace_next_kernel(trace, &launch, &err)) == 1)
    while ((status = gc_trace_next_block(trace, visit_until, left, NULL, &err)) == 1)
      ;
  gc_trace_close(trace);
  return status;
}

/* A visitor that gives up at its n-th call is not called again. */
static void visits_that_fail(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    int visits = 0, left;

    do {
      left = ++visits;
      if (read_with(sample(samples[i]), &left) == 0)
        break;
      assert_int_equal(left, 0);
    } while (visits < 1000);
    assert_in_range(visits, 4, 999);
    assert_int_equal(left, 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_that_are_cut),   cmocka_unit_test(samples_that_are_changed),
      cmocka_unit_test(samples_that_are_mixed), cmocka_unit_test(allocations_that_fail),
      cmocka_unit_test(visits_that_fail),
  };

  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
