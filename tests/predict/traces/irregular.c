/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose addresses depend on data. The data look random, and are the same each time.
 */
#include "trace.h"

static uint64_t row_blocks(uint64_t n)
{
  return (n + 255) / 256;
}

/* Element i of an array of 4 bytes each. */
static uint64_t at(unsigned number, uint64_t i)
{
  return array(number) + 4 * i;
}

static uint64_t own(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at((unsigned)k, thread.i) : NO_ACCESS;
}

/* spmv-csr: a thread for each of n rows. Arrays: 0 where rows begin, 1 columns, 2 values, 3 x,
 * 4 y. A row has 4 to 20 elements, and together with the next one 24. */
static uint64_t row_length(uint64_t row)
{
  const uint64_t even = 4 + mixed(row / 2 + 1) % 17;

  return row % 2 ? 24 - even : even;
}

static uint64_t row_begin(uint64_t row)
{
  return row % 2 ? 12 * (row - 1) + row_length(row - 1) : 12 * row;
}

static uint64_t next_row(const struct warp *warp, struct thread thread, uint64_t k)
{
  (void)k;
  return thread.i < warp->n ? at(0, thread.i + 1) : NO_ACCESS;
}

static uint64_t of_row(const struct warp *warp, struct thread thread, unsigned number, uint64_t k)
{
  if (thread.i >= warp->n || k >= row_length(thread.i))
    return NO_ACCESS;
  return at(number, row_begin(thread.i) + k);
}

static uint64_t column(const struct warp *warp, struct thread thread, uint64_t k)
{
  return of_row(warp, thread, 1, k);
}

static uint64_t value(const struct warp *warp, struct thread thread, uint64_t k)
{
  return of_row(warp, thread, 2, k);
}

static uint64_t x(const struct warp *warp, struct thread thread, uint64_t k)
{
  if (of_row(warp, thread, 1, k) == NO_ACCESS)
    return NO_ACCESS;
  return at(3, mixed(thread.i << 8 | k) % warp->n);
}

static void spmv_csr(const struct warp *warp)
{
  load(warp, 0, 4, own, 0);
  load(warp, 1, 4, next_row, 0);
  for (uint64_t k = 0; load(warp, 2, 4, column, k); k++) {
    load(warp, 3, 4, value, k);
    load(warp, 4, 4, x, k);
  }
  store(warp, 5, 4, own, 4);
}

/* histogram: 256 counters; half of the values are the same. */
static uint64_t counter(const struct warp *warp, struct thread thread, uint64_t k)
{
  const uint64_t random = mixed(thread.i + 7);

  (void)k;
  if (thread.i >= warp->n)
    return NO_ACCESS;
  return at(1, random % 2 ? 128 : random / 2 % 256);
}

static void histogram(const struct warp *warp)
{
  load(warp, 0, 4, own, 0);
  atomic(warp, 1, 4, counter, 0);
}

/* random-gather: out[i] = table[index[i]], 8 rounds in a table of n elements. */
static uint64_t index_of(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(0, k * warp->n + thread.i) : NO_ACCESS;
}

static uint64_t gathered(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(1, mixed(k * warp->n + thread.i) % warp->n) : NO_ACCESS;
}

static uint64_t result(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(2, k * warp->n + thread.i) : NO_ACCESS;
}

static void random_gather(const struct warp *warp)
{
  for (uint64_t k = 0; k < 8; k++) {
    load(warp, 0, 4, index_of, k);
    load(warp, 1, 4, gathered, k);
    store(warp, 2, 4, result, k);
  }
}

const struct kernel irregular_kernels[] = {
    {"spmv-csr", "spmv_csr", 16384, row_blocks, 256, 0, 32, spmv_csr},
    {"histogram", "histogram", 65536, row_blocks, 256, 0, 16, histogram},
    {"random-gather", "random_gather", 16384, row_blocks, 256, 0, 16, random_gather},
    {0},
};
