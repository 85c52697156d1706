/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.cuh"

#include <cstdio>
#include <cstdlib>

#include "dense.cuh"
#include "grid.cuh"
#include "irregular.cuh"
#include "order.cuh"
#include "probes.cuh"

void check(cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

Pool::Pool(size_t bytes) : size_(bytes), used_(0)
{
  check(cudaMalloc(&base_, bytes), "cudaMalloc");
  check(cudaMemset(base_, 0, bytes), "cudaMemset");
}

void *Pool::take_bytes(size_t bytes)
{
  void *array = base_ + used_;

  used_ += (bytes + (2 << 20) - 1) >> 21 << 21;
  if (used_ <= size_)
    return array;
  fprintf(stderr, "the pool of %zu bytes is too small\n", size_);
  exit(1);
}

/* One kernel, as plain and as traced. The rest are its arguments. */
#define ADD(kernel, name, grid, block, room, ...)                                                  \
  cases.push_back({name, grid, block, room,                                                        \
                   [=](Plain p) { kernel<Plain><<<grid, block>>>(p, __VA_ARGS__); },               \
                   [=](Traced t) { kernel<Traced><<<grid, block>>>(t, __VA_ARGS__); },             \
                   (const void *)kernel<Plain>})

static void add_dense(std::vector<Case> &cases, Pool &pool, uint32_t sms)
{
  const dim3 tile(32, 8);
  float *a = pool.take<float>(12 << 20), *b = pool.take<float>(12 << 20);
  float *c = pool.take<float>(12 << 20);

  ADD(vector_add, "vector_add", sms * 32, 256, 3, a, b, c);
  ADD(vector_add_wide, "vector_add_wide", sms * 8, 256, 3, (float4 *)a, (float4 *)b, (float4 *)c);
  ADD(copy_fields, "copy_fields_8", sms * 16, 256, 9, a, c, 8);
  ADD(copy_fields, "copy_fields_32", sms * 8, 256, 33, a, c, 32);
  for (uint32_t threads = 32; threads <= 1024; threads *= 2)
    ADD(copy_columns, "copy_columns_" + std::to_string(threads), 1, threads, 2048, a, c, 1024);
  ADD(transpose_naive, "transpose_naive", dim3(32, 128), tile, 2, a, c, 1024);
  ADD(transpose_tiled, "transpose_tiled", dim3(32, 32), tile, 9, a, c, 1024);
  ADD(gemm_naive, "gemm_naive", dim3(16, 64), tile, 129, a, b, c, 512, 64);
  ADD(gemm_tiled, "gemm_tiled", dim3(16, 16), dim3(32, 32), 33, a, b, c, 512, 256);
  ADD(syrk, "syrk", dim3(16, 16), tile, 257, a, c, 512, 128);
  ADD(matrix_rows, "matrix_rows_32", sms * 8, 256, 65, a, b, c, 32);
  ADD(matrix_rows, "matrix_rows_128", sms, 256, 257, a, b, c, 128);
  ADD(matrix_columns, "matrix_columns", sms, 256, 129, a, b, c, sms * 256, 64);
  ADD(gesummv, "gesummv", sms * 4, 256, 97, a, b, c, c + (1 << 20), 32);
}

static void add_grid(std::vector<Case> &cases, Pool &pool)
{
  const dim3 tile(32, 8);
  float *in = pool.take<float>(2 << 20), *out = pool.take<float>(2 << 20);
  float *filter = pool.take<float>(25);

  ADD(stencil_2d, "stencil_2d", dim3(32, 128), tile, 6, in, out, 1024);
  ADD(stencil_3d, "stencil_3d", dim3(3, 24, 48), dim3(32, 4, 2), 8, in, out, 96);
  ADD(convolution, "convolution", dim3(16, 64), tile, 51, in, filter, out, 512);
}

/* Rows of 8 to 24 elements in random columns. */
static void add_spmv(std::vector<Case> &cases, Pool &pool, uint32_t sms)
{
  const uint32_t rows = sms * 512, x_elements = 65536;
  std::vector<uint32_t> starts(rows + 1), columns;
  const uint32_t *starts_there, *columns_there;
  float *values, *x, *y;

  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t length = 8 + random_of(row) % 17;

    starts[row + 1] = starts[row] + length;
    for (uint32_t i = 0; i < length; i++)
      columns.push_back(random_of(0x40000000 + starts[row] + i) % x_elements);
  }
  starts_there = pool.take(starts);
  columns_there = pool.take(columns);
  values = pool.take<float>(columns.size());
  x = pool.take<float>(x_elements);
  y = pool.take<float>(rows);
  ADD(spmv, "spmv", sms * 2, 256, 90, starts_there, columns_there, values, x, y);
}

static void add_irregular(std::vector<Case> &cases, Pool &pool, uint32_t sms)
{
  const uint32_t counted = sms * 2 * 256 * 16;
  std::vector<uint8_t> bytes(counted);
  float *table = pool.take<float>(40 << 18), *out = pool.take<float>(1 << 20);
  uint32_t *bins = pool.take<uint32_t>(256);
  const uint8_t *in;

  for (uint32_t i = 0; i < counted; i++)
    bytes[i] = (uint8_t)random_of(i);
  in = pool.take(bytes);
  ADD(histogram, "histogram", sms * 2, 256, 32, in, bins, 16);
  ADD(gather, "gather_192k", sms, 256, 49, table, 192 << 8, 48, out);
  ADD(gather, "gather_320k", sms, 256, 49, table, 320 << 8, 48, out);
  ADD(gather_lines, "gather_lines_16m", sms * 8, 256, 49, table, 16 << 13, 48, out);
  ADD(gather_lines, "gather_lines_40m", sms * 8, 256, 97, table, 40 << 13, 96, out);
  ADD(reduction, "reduction", sms * 2, 256, 50, table, out, 2 << 20);
}

static void add_probes(std::vector<Case> &cases, Pool &pool, uint32_t sms)
{
  float *a = pool.take<float>(12 << 20), *b = pool.take<float>(12 << 20);
  float *c = pool.take<float>(2 << 20);

  ADD(load_twice, "load_twice_near", sms, 32, 129, a, c, 64, true, 0);
  ADD(load_twice, "load_twice_far", sms, 32, 129, a, c, 64, false, 0);
  ADD(load_stored, "load_stored", sms, 32, 130, a, c, 64, false);
  ADD(load_stored, "load_stored_part", sms, 32, 130, a, c, 64, true);
  ADD(load_part, "load_part_same", sms, 32, 200, a, c, 64, false, true, false);
  ADD(load_part, "load_part_again", sms, 32, 200, a, c, 64, false, false, true);
  ADD(load_part, "load_part_present", sms, 32, 200, a, c, 64, true, false, false);
  ADD(copy_fields_waiting, "copy_fields_32_waiting", sms * 8, 256, 33, a, c, 32, 0);
  ADD(matrix_rows_waiting, "matrix_rows_32_waiting", sms * 8, 256, 65, a, b, c, 32, 0);
  ADD(gesummv_waiting, "gesummv_waiting", sms * 4, 256, 97, a, b, c, c + (1 << 20), 32, 0);
}

static void add_order(std::vector<Case> &cases, Pool &pool, uint32_t sms)
{
  float *a = pool.take<float>(16 << 20), *x = pool.take<float>(2 << 20);
  float *y = pool.take<float>(1 << 20);

  ADD(softmax_rows, "softmax_rows_48", sms * 8, 256, 97, a, y, 48);
  ADD(kmeans, "kmeans_24", sms * 8, 256, 193, a, x, y, 24, 4);
  ADD(batched_matvec, "batched_matvec_8", sms * 6, 256, 129, a, x, y, 8);
}

std::vector<Case> make_cases(Pool &pool)
{
  std::vector<Case> cases;
  cudaDeviceProp properties;
  uint32_t sms;

  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  sms = properties.multiProcessorCount;

  add_dense(cases, pool, sms);
  add_grid(cases, pool);
  add_spmv(cases, pool, sms);
  add_irregular(cases, pool, sms);
  add_probes(cases, pool, sms);
  add_order(cases, pool, sms);
  return cases;
}
