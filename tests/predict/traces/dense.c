/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels on vectors, and on row-major n x n matrices and grids of floats. In blocks of 256 threads
 * that are used as 16 x 16, thread t is at column t % 16 and row t / 16.
 */
#include "trace.h"

#define TILE 16

/* Element i of an array of floats. */
static uint64_t at(unsigned number, uint64_t i)
{
  return array(number) + 4 * i;
}

static uint64_t matrix_blocks(uint64_t n)
{
  const uint64_t tiles = (n + TILE - 1) / TILE;

  return tiles * tiles;
}

static uint64_t row_blocks(uint64_t n)
{
  return (n + 255) / 256;
}

static uint64_t one_block(uint64_t n)
{
  (void)n;
  return 1;
}

/* The element of an n x n matrix for a thread, or for the tile beside it. */
static uint64_t column_of(const struct warp *warp, struct thread thread)
{
  return warp->block % ((warp->n + TILE - 1) / TILE) * TILE + thread.t % TILE;
}

static uint64_t row_of(const struct warp *warp, struct thread thread)
{
  return warp->block / ((warp->n + TILE - 1) / TILE) * TILE + thread.t / TILE;
}

static uint64_t element(const struct warp *warp, unsigned number, uint64_t row, uint64_t column)
{
  return row < warp->n && column < warp->n ? at(number, row * warp->n + column) : NO_ACCESS;
}

/* vector-add: array k at i. */
static uint64_t vector(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at((unsigned)k, thread.i) : NO_ACCESS;
}

static void vector_add(const struct warp *warp)
{
  load(warp, 0, 4, vector, 0);
  load(warp, 1, 4, vector, 1);
  store(warp, 2, 4, vector, 2);
}

/* strided-copy: each thread copies one float of a sector, 8 rounds touch all of it. */
static uint64_t strided(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(k / 8 ? 1 : 0, 8 * thread.i + k % 8) : NO_ACCESS;
}

static void strided_copy(const struct warp *warp)
{
  for (uint64_t k = 0; k < 8; k++) {
    load(warp, 0, 4, strided, k);
    store(warp, 1, 4, strided, 8 + k);
  }
}

/* transpose-naive: reads rows, writes columns. */
static uint64_t plain(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, (unsigned)k, row_of(warp, thread), column_of(warp, thread));
}

static uint64_t transposed(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, (unsigned)k, column_of(warp, thread), row_of(warp, thread));
}

static void transpose_naive(const struct warp *warp)
{
  load(warp, 0, 4, plain, 0);
  store(warp, 1, 4, transposed, 1);
}

/* transpose-tiled: through shared memory, so that it writes rows. */
static uint64_t transposed_tile(const struct warp *warp, struct thread thread, uint64_t k)
{
  const uint64_t tiles = (warp->n + TILE - 1) / TILE;

  return element(warp, (unsigned)k, warp->block % tiles * TILE + thread.t / TILE,
                 warp->block / tiles * TILE + thread.t % TILE);
}

static void transpose_tiled(const struct warp *warp)
{
  load(warp, 0, 4, plain, 0);
  barrier(warp, 1);
  store(warp, 2, 4, transposed_tile, 1);
}

/* gemm-naive: C = A B, a thread for each element of C. */
static uint64_t gemm_a(const struct warp *warp, struct thread thread, uint64_t k)
{
  return column_of(warp, thread) < warp->n ? element(warp, 0, row_of(warp, thread), k) : NO_ACCESS;
}

static uint64_t gemm_b(const struct warp *warp, struct thread thread, uint64_t k)
{
  return row_of(warp, thread) < warp->n ? element(warp, 1, k, column_of(warp, thread)) : NO_ACCESS;
}

static void gemm_naive(const struct warp *warp)
{
  for (uint64_t k = 0; k < warp->n; k++) {
    load(warp, 0, 4, gemm_a, k);
    load(warp, 1, 4, gemm_b, k);
  }
  store(warp, 2, 4, plain, 2);
}

/* gemm-tiled: tiles of A and B pass through shared memory. */
static uint64_t tile_of_a(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, 0, row_of(warp, thread), k + thread.t % TILE);
}

static uint64_t tile_of_b(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, 1, k + thread.t / TILE, column_of(warp, thread));
}

static void gemm_tiled(const struct warp *warp)
{
  for (uint64_t k = 0; k < warp->n; k += TILE) {
    load(warp, 0, 4, tile_of_a, k);
    load(warp, 1, 4, tile_of_b, k);
    barrier(warp, 2);
    barrier(warp, 3);
  }
  store(warp, 4, 4, plain, 2);
}

/* stencil-2d and convolution-2d: k is 3 * (row + 1) + column + 1 of the neighbour; the border is
 * left out. */
static uint64_t neighbour(const struct warp *warp, struct thread thread, uint64_t k)
{
  const uint64_t row = row_of(warp, thread), column = column_of(warp, thread);

  if (!row || !column || row + 1 >= warp->n || column + 1 >= warp->n)
    return NO_ACCESS;
  return element(warp, 0, row + k / 3 - 1, column + k % 3 - 1);
}

static uint64_t inner(const struct warp *warp, struct thread thread, uint64_t k)
{
  return neighbour(warp, thread, 4) == NO_ACCESS ? NO_ACCESS : plain(warp, thread, k);
}

static void stencil_2d(const struct warp *warp)
{
  static const uint64_t points[] = {4, 3, 5, 1, 7};

  for (unsigned i = 0; i < 5; i++)
    load(warp, i, 4, neighbour, points[i]);
  store(warp, 5, 4, inner, 1);
}

static void convolution_2d(const struct warp *warp)
{
  for (unsigned k = 0; k < 9; k++)
    load(warp, k, 4, neighbour, k);
  store(warp, 9, 4, inner, 1);
}

/* stencil-3d: the threads go through the planes of an n x n x n grid. k is 7 * plane + number of
 * the neighbour. */
static uint64_t neighbour_3d(const struct warp *warp, struct thread thread, uint64_t k)
{
  static const int step[7][3] = {{0, 0, 0}, {0, 0, -1}, {0, 0, 1}, {0, -1, 0},
                                 {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
  const int *to = step[k % 7];
  const uint64_t row = row_of(warp, thread), column = column_of(warp, thread), plane = k / 7;

  if (!row || !column || row + 1 >= warp->n || column + 1 >= warp->n)
    return NO_ACCESS;
  return at(0, ((plane + (uint64_t)to[0]) * warp->n + row + (uint64_t)to[1]) * warp->n + column +
                   (uint64_t)to[2]);
}

static uint64_t result_3d(const struct warp *warp, struct thread thread, uint64_t k)
{
  const uint64_t address = neighbour_3d(warp, thread, k);

  return address == NO_ACCESS ? NO_ACCESS : address - array(0) + array(1);
}

static void stencil_3d(const struct warp *warp)
{
  for (uint64_t plane = 1; plane + 1 < warp->n; plane++) {
    for (unsigned i = 0; i < 7; i++)
      load(warp, i, 4, neighbour_3d, 7 * plane + i);
    store(warp, 7, 4, result_3d, 7 * plane);
  }
}

/* column-copy: figure 3 of Nugteren et al. One block of 256 threads; each copies a row of n
 * floats. */
static uint64_t column(const struct warp *warp, struct thread thread, uint64_t k)
{
  return at(k / warp->n ? 1 : 0, thread.i * warp->n + k % warp->n);
}

static void column_copy(const struct warp *warp)
{
  for (uint64_t k = 0; k < warp->n; k++) {
    load(warp, 0, 4, column, k);
    store(warp, 1, 4, column, warp->n + k);
  }
}

/* atax and bicg of PolyBench: a thread for each row, which is not coalesced, or for each column. */
static uint64_t of_row(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, 0, thread.i, k);
}

static uint64_t of_column(const struct warp *warp, struct thread thread, uint64_t k)
{
  return element(warp, 0, k, thread.i);
}

static uint64_t of_vector_1(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(1, k) : NO_ACCESS;
}

static uint64_t of_vector_2(const struct warp *warp, struct thread thread, uint64_t k)
{
  return thread.i < warp->n ? at(2, k) : NO_ACCESS;
}

static void matrix_vector(const struct warp *warp)
{
  for (uint64_t k = 0; k < warp->n; k++) {
    load(warp, 0, 4, of_row, k);
    load(warp, 1, 4, of_vector_1, k);
  }
  store(warp, 2, 4, vector, 2);
}

static void transposed_matrix_vector(const struct warp *warp)
{
  for (uint64_t k = 0; k < warp->n; k++) {
    load(warp, 0, 4, of_column, k);
    load(warp, 1, 4, of_vector_2, k);
  }
  store(warp, 2, 4, vector, 3);
}

const struct kernel dense_kernels[] = {
    {"vector-add", "vector_add", 65536, row_blocks, 256, 0, 16, vector_add},
    {"strided-copy", "strided_copy", 16384, row_blocks, 256, 0, 16, strided_copy},
    {"transpose-naive", "transpose_naive", 256, matrix_blocks, 256, 0, 16, transpose_naive},
    {"transpose-tiled", "transpose_tiled", 256, matrix_blocks, 256, 4 * TILE * (TILE + 1), 16,
     transpose_tiled},
    {"gemm-naive", "gemm_naive", 64, matrix_blocks, 256, 0, 32, gemm_naive},
    {"gemm-tiled", "gemm_tiled", 128, matrix_blocks, 256, 8 * TILE * TILE, 32, gemm_tiled},
    {"stencil-2d", "stencil_2d", 256, matrix_blocks, 256, 0, 24, stencil_2d},
    {"stencil-3d", "stencil_3d", 32, matrix_blocks, 256, 0, 32, stencil_3d},
    {"convolution-2d", "convolution_2d", 256, matrix_blocks, 256, 0, 24, convolution_2d},
    {"column-copy", "column_copy", 1024, one_block, 256, 0, 16, column_copy},
    {"atax", "atax_1", 512, row_blocks, 256, 0, 24, matrix_vector},
    {"atax", "atax_2", 512, row_blocks, 256, 0, 24, transposed_matrix_vector},
    {"bicg", "bicg_1", 512, row_blocks, 256, 0, 24, transposed_matrix_vector},
    {"bicg", "bicg_2", 512, row_blocks, 256, 0, 24, matrix_vector},
    {0},
};
