/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * bench-distance time SHAPE LINES ACCESSES: CPU time per access in ns: with hints and a histogram,
 *   with hints, without, with a Fenwick tree over all times, and with a stack that is searched. The
 *   stack gets the last accesses only, as many as it can do in a few seconds.
 * bench-distance trace SHAPE LINES ACCESSES: the stream as one thread in the format of Nugteren et
 *   al., with lines of 128 bytes. A fifth argument makes them stores.
 * bench-distance counts SHAPE LINES ACCESSES: how often each distance occurs: "distance count", in
 *   the order of distances; "inf" comes last.
 *
 * reference.h describes the shapes.
 */
#include "reference.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define AHEAD 12
#define STACK_WORK 3e9 /* compared lines */

struct stream {
  enum shape shape;
  uint64_t lines;
  size_t accesses;
  uint64_t *line;
};

static double cpu_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ns per access. The sum of the distances must be the same with each method. */
static double time_ours(const struct stream *stream, size_t ahead,
                        struct gc_reuse_histogram *histogram, uint64_t *sum)
{
  struct gc_distance *distance = need(gc_distance_new());
  double start = cpu_ns();
  uint64_t value;

  for (size_t i = 0; i < stream->accesses; i++) {
    if (ahead && i + ahead < stream->accesses)
      gc_distance_prefetch(distance, stream->line[i + ahead]);
    if (gc_distance_access(distance, stream->line[i], &value))
      abort();
    *sum += value;
    if (histogram)
      gc_reuse_histogram_add(histogram, value);
  }
  start = cpu_ns() - start;
  gc_distance_free(distance);
  return start / (double)stream->accesses;
}

static double time_fenwick(const struct stream *stream, uint64_t *sum)
{
  struct fenwick fenwick = fenwick_new(stream->lines, (uint32_t)stream->accesses);
  double start = cpu_ns();

  for (size_t i = 0; i < stream->accesses; i++)
    *sum += fenwick_access(&fenwick, stream->line[i]);
  start = cpu_ns() - start;
  fenwick_free(&fenwick);
  return start / (double)stream->accesses;
}

/* The stack as the accesses before this one leave it; lines without accesses are at its bottom. */
static struct stack stack_before(const struct stream *stream, size_t access)
{
  struct stack stack = {.depth = stream->lines, .capacity = stream->lines};
  bool *seen = need(calloc(stream->lines, sizeof(*seen)));
  uint64_t left = stream->lines;

  stack.lines = need(calloc(stream->lines, sizeof(*stack.lines)));
  while (access-- && left)
    if (!seen[stream->line[access]]) {
      seen[stream->line[access]] = true;
      stack.lines[--left] = stream->line[access];
    }
  for (uint64_t line = 0; line < stream->lines; line++)
    if (!seen[line])
      stack.lines[--left] = line;
  free(seen);
  return stack;
}

static double time_stack(const struct stream *stream)
{
  const double most = STACK_WORK / (double)stream->lines;
  const size_t count = (double)stream->accesses < most ? stream->accesses : (size_t)most;
  struct stack stack = stack_before(stream, stream->accesses - count);
  double start = cpu_ns();
  uint64_t sum = 0;

  for (size_t i = stream->accesses - count; i < stream->accesses; i++)
    sum += stack_access(&stack, stream->line[i]);
  start = cpu_ns() - start;
  free(stack.lines);
  return sum == 1 ? 0 : start / (double)count;
}

static int print_times(const struct stream *stream)
{
  struct gc_reuse_histogram *histogram = need(gc_reuse_histogram_new());
  uint64_t sums[4];
  double best[4] = {1e9, 1e9, 1e9, 1e9}, stack;

  for (int round = 0; round < 3; round++) {
    double ns[4];

    memset(sums, 0, sizeof(sums));
    ns[0] = time_ours(stream, AHEAD, histogram, &sums[0]);
    ns[1] = time_ours(stream, AHEAD, NULL, &sums[1]);
    ns[2] = time_ours(stream, 0, NULL, &sums[2]);
    ns[3] = time_fenwick(stream, &sums[3]);
    for (int i = 0; i < 4; i++)
      best[i] = ns[i] < best[i] ? ns[i] : best[i];
  }
  stack = time_stack(stream);
  printf("%-10s %8" PRIu64 " %9.1f %8.1f %8.1f %8.1f %10.1f\n", shape_names[stream->shape],
         stream->lines, best[0], best[1], best[2], best[3], stack);
  gc_reuse_histogram_free(histogram);
  if (sums[0] == sums[1] && sums[0] == sums[2] && sums[0] == sums[3])
    return 0;
  fputs("bench-distance: the methods do not agree\n", stderr);
  return 1;
}

static int print_trace(const struct stream *stream, bool stores)
{
  puts("blockdim: 1 1 1");
  for (size_t i = 0; i < stream->accesses; i++)
    printf("0 %d %" PRIu64 " 4\n", stores, 128 * stream->line[i]);
  return 0;
}

static int print_counts(const struct stream *stream)
{
  struct gc_distance *distance = need(gc_distance_new());
  uint64_t *counts = need(calloc(stream->lines + 1, sizeof(*counts))), value;

  for (size_t i = 0; i < stream->accesses; i++) {
    if (gc_distance_access(distance, stream->line[i], &value))
      abort();
    counts[value < stream->lines ? value : stream->lines]++;
  }
  for (uint64_t i = 0; i < stream->lines; i++)
    if (counts[i])
      printf("%" PRIu64 " %" PRIu64 "\n", i, counts[i]);
  printf("inf %" PRIu64 "\n", counts[stream->lines]);
  free(counts);
  gc_distance_free(distance);
  return 0;
}

int main(int argc, char **argv)
{
  struct stream stream = {0};
  uint64_t random = 88172645463325252u;
  int status = 2;

  if (argc < 5) {
    fputs("usage: bench-distance time|trace|counts SHAPE LINES ACCESSES [stores]\n", stderr);
    return 2;
  }
  while (stream.shape < SHAPES && strcmp(argv[2], shape_names[stream.shape]))
    stream.shape++;
  stream.lines = strtoull(argv[3], NULL, 10);
  stream.accesses = strtoull(argv[4], NULL, 10);
  if (stream.shape == SHAPES || !stream.lines || !stream.accesses || stream.accesses >= UINT32_MAX)
    return 2;
  stream.line = need(calloc(stream.accesses, sizeof(*stream.line)));
  for (size_t i = 0; i < stream.accesses; i++)
    stream.line[i] = shape_line(stream.shape, i, stream.lines, &random);
  if (!strcmp(argv[1], "time"))
    status = print_times(&stream);
  else if (!strcmp(argv[1], "trace"))
    status = print_trace(&stream, argc > 5);
  else if (!strcmp(argv[1], "counts"))
    status = print_counts(&stream);
  free(stream.line);
  return status;
}
