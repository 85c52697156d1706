/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Typed results reach another process unchanged through a file, and a damaged file is refused.
 */
#include "measure/results/handover.h"
#include "cleared.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct gc_identity identity = {.id = "sim-results", .model = "Test chip"};

static int open_file(void)
{
  char path[] = "/tmp/gpucache-results-XXXXXX";
  const int fd = mkstemp(path);

  assert_true(fd >= 0);
  unlink(path);
  return fd;
}

/* A file with results that have numbers, texts and lists. */
static int write_results(struct gc_results *results)
{
  const int fd = open_file();
  struct gc_error err = {""};

  results->element[GC_L1].capacity_bytes = 222208;
  results->element[GC_L1].latency_cycles = 32;
  gc_set_measured(&results->element[GC_L1], GC_CAPACITY, 0.98);
  gc_set_absent(&results->element[GC_L2], GC_CAPACITY, "no load missed");
  results->sm_count = 1;
  results->sm_number[0] = 7;
  results->mhz = 1980.5;
  results->cost.failures = 3;
  gc_warn(results, "a sentence");
  assert_int_equal(gc_results_write(fd, &identity, results, &err), 0);
  return fd;
}

/* Reads from the start of the file. */
static int read_results(int fd, struct gc_results *results, struct gc_error *err)
{
  struct gc_identity other;
  int status;

  lseek(fd, 0, SEEK_SET);
  status = gc_results_read(fd, &other, results, err);
  if (!status)
    assert_memory_equal(&other, &identity, sizeof(identity));
  return status;
}

static void results_reach_another_process(void **state)
{
  struct gc_results *results = *state, *copy = calloc(1, sizeof(*copy));
  struct gc_identity other = {.id = ""};
  struct gc_error err = {""};
  const int fd = write_results(results);

  assert_non_null(copy);
  assert_int_equal(gc_results_read(fd, &other, copy, &err), 0); /* the write has sought to the start */
  assert_memory_equal(&other, &identity, sizeof(identity));
  assert_memory_equal(copy, results, sizeof(*copy));
  assert_int_equal(gc_capacity(&copy->element[GC_L1]), 222208);
  close(fd);
  free(copy);
}

static off_t file_size(int fd)
{
  struct stat file;

  assert_int_equal(fstat(fd, &file), 0);
  return file.st_size;
}

/* The file is refused with a sentence, and *results stays as it was. */
static void assert_refused(int fd, const char *what)
{
  struct gc_results *results = malloc(sizeof(*results));
  struct gc_error err = {""};
  int status;

  assert_non_null(results);
  gc_results_clear(results);
  results->mhz = 12345;
  if ((status = read_results(fd, results, &err)) != -EBADMSG)
    fail_msg("%s: status %d instead of -EBADMSG", what, status);
  assert_string_equal(err.text, "these are not the results of another process of this program");
  assert_true(results->mhz == 12345);
  free(results);
}

static void a_truncated_file_is_refused(void **state)
{
  const int fd = write_results(*state), empty = open_file();
  const off_t lengths[] = {file_size(fd) - 1, file_size(fd) / 2, 32, 1, 0};

  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
    char what[64];

    snprintf(what, sizeof(what), "%lld bytes are left", (long long)lengths[i]);
    assert_int_equal(ftruncate(fd, lengths[i]), 0);
    assert_refused(fd, what);
  }
  assert_refused(empty, "empty file");
  close(empty);
  close(fd);
}

static void flip(int fd, off_t at)
{
  unsigned char byte;

  assert_int_equal(pread(fd, &byte, 1, at), 1);
  byte ^= 1;
  assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

/* The file has the magic text, its size, the hash, the identity and the results (handover.c). */
static void one_changed_byte_is_noticed(void **state)
{
  const int fd = write_results(*state);
  const off_t size = file_size(fd), results_at = size - (off_t)sizeof(struct gc_results);
  const off_t places[] = {0,
                          15,
                          16,
                          24,
                          32,
                          32 + (off_t)sizeof(struct gc_identity) - 1,
                          results_at,
                          results_at + (off_t)offsetof(struct gc_results, mhz),
                          results_at + (off_t)offsetof(struct gc_results, warnings),
                          size - 1};
  struct gc_results *copy = malloc(sizeof(*copy));
  struct gc_error err = {""};

  assert_non_null(copy);
  assert_int_equal(results_at, 32 + sizeof(struct gc_identity));
  for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
    char what[64];

    snprintf(what, sizeof(what), "byte %lld is another", (long long)places[i]);
    flip(fd, places[i]);
    assert_refused(fd, what);
    flip(fd, places[i]);
  }
  assert_int_equal(read_results(fd, copy, &err), 0); /* all bytes are right again */
  free(copy);
  close(fd);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(results_reach_another_process),
    TEST(a_truncated_file_is_refused),
    TEST(one_changed_byte_is_noticed),
  };

  return cmocka_run_group_tests_name("handover", tests, NULL, NULL);
}
