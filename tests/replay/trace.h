/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The raw files of MT4G (Vanecek et al. 2025), KIND-Size.txt: one line for each array size, the
 * bytes and then the cycles of each timed load of one walk over it, separated by commas. Walks are
 * long; only their first few hundred loads are recorded. In KIND-Line-Size.txt the stride of the walk
 * comes first, which is always the same in the other.
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

/* 0; or a negative errno with a sentence in problem, and nothing to free. */
int trace_read(FILE *file, struct trace *trace, char *problem, size_t size);
int trace_open(const char *path, struct trace *trace, char *problem, size_t size);
/* The walks with this stride in a line-size file; those of which no load is recorded are left out. */
int trace_open_stride(const char *path, uint64_t stride, struct trace *trace, char *problem, size_t size);
void trace_free(struct trace *trace);

/* Loads of a row that took `cycles` or longer. */
size_t trace_slow(const struct trace_row *row, double cycles);

/* The last row of at most these bytes; NULL: all are larger. */
const struct trace_row *trace_at(const struct trace *trace, uint64_t bytes);

#endif
