/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The raw files of MT4G (Vanecek et al. 2025). ELEMENT-Size.txt has one line for each array size: the
 * bytes, then the cycles of each timed load of one walk over the array, separated by commas. Only the
 * first few hundred loads of a walk are recorded. In ELEMENT-Line-Size.txt the stride of the walk comes
 * first.
 */
#ifndef TESTS_REPLAY_TRACE_H
#define TESTS_REPLAY_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct trace_row {
  uint64_t bytes;
  size_t loads; /* at least 1 */
  uint32_t *cycles;
};

struct trace {
  size_t n; /* at least 1, bytes ascending */
  struct trace_row *rows;
};

/* Returns 0, or a negative errno with a message in problem and nothing to free. */
int trace_read(FILE *file, struct trace *trace, char *problem, size_t size);
int trace_open(const char *path, struct trace *trace, char *problem, size_t size);
/* Reads the walks with this stride from a line-size file, except those without loads. */
int trace_open_stride(const char *path, uint64_t stride, struct trace *trace, char *problem, size_t size);
void trace_free(struct trace *trace);

/* Loads of a row that took `cycles` or longer. */
size_t trace_slow(const struct trace_row *row, double cycles);

/* The last row of at most so many bytes; NULL if all rows are larger. */
const struct trace_row *trace_at(const struct trace *trace, uint64_t bytes);

#endif
