/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many lines of GPU 0 are still in a cache after other memory was read? Independent of the
 * project, as a test of FlushBytes: tests/gpu/flush.sh. One SM reads lines several times, all SMs
 * read so many bytes of other memory once, in order, and the SM times the lines again. A line is
 * left if it takes less than the middle between its own times after nothing and after MOST bytes
 * were read. Prints for each argument: bytes, lines left in percent.
 */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#define LINES 1600
#define APART (13 * 128) /* bytes: not a power of two, so that all sets take part */
#define MOST ((size_t)256 << 20)
#define RUNS 10

__device__ bool is_first_sm()
{
  unsigned sm;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm == 0;
}

__global__ void read_by_all(const uint4 *memory, size_t count, unsigned *sink)
{
  unsigned sum = 0;

  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
       i += (size_t)gridDim.x * blockDim.x) {
    const uint4 word = __ldcg(memory + i);

    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum == 0x12345678)
    *sink = sum;
}

__global__ void read_lines(const char *lines, unsigned *sink)
{
  unsigned sum = 0;

  if (!is_first_sm())
    return;
  for (int i = 0; i < 3 * LINES; i++)
    sum += __ldcg((const unsigned *)(lines + (size_t)(i % LINES) * APART));
  if (sum == 0x12345678)
    *sink = sum;
}

/* The memory has zeros, so the address of a load depends on the load before, and a clock is read
 * after it. */
__global__ void time_lines(const char *lines, unsigned *cycles)
{
  unsigned value = 0;

  if (!is_first_sm())
    return;
  for (int i = 0; i < LINES; i++) {
    const char *line = lines + (size_t)i * APART + value;
    const long long start = clock64();

    value = __ldcg((const unsigned *)line);
    line += value;
    cycles[i] = (unsigned)(clock64() - start + (line == NULL));
  }
}

struct memory {
  char *lines, *others;
  unsigned *cycles, *sink;
  unsigned blocks;
};

/* The times of all lines after so many bytes of other memory were read. */
static std::vector<unsigned> time_after(const struct memory *m, size_t bytes)
{
  std::vector<unsigned> cycles(LINES);

  read_by_all<<<m->blocks, 1024>>>((uint4 *)m->others, MOST / sizeof(uint4), m->sink);
  read_lines<<<m->blocks, 1>>>(m->lines, m->sink);
  if (bytes)
    read_by_all<<<m->blocks, 1024>>>((uint4 *)m->others, bytes / sizeof(uint4), m->sink);
  time_lines<<<m->blocks, 1>>>(m->lines, m->cycles);
  CHECK(cudaMemcpy(cycles.data(), m->cycles, LINES * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return cycles;
}

int main(int argc, char **argv)
{
  struct memory m;
  cudaDeviceProp properties;

  CHECK(cudaGetDeviceProperties(&properties, 0));
  m.blocks = 2 * (unsigned)properties.multiProcessorCount;
  CHECK(cudaMalloc(&m.lines, (size_t)LINES * APART));
  CHECK(cudaMalloc(&m.others, MOST));
  CHECK(cudaMalloc(&m.cycles, LINES * sizeof(unsigned)));
  CHECK(cudaMalloc(&m.sink, sizeof(unsigned)));
  CHECK(cudaMemset(m.lines, 0, (size_t)LINES * APART));
  time_after(&m, MOST); /* brings the code into caches */
  const std::vector<unsigned> hit = time_after(&m, 0), miss = time_after(&m, MOST);
  for (int i = 1; i < argc; i++) {
    const size_t bytes = strtoull(argv[i], NULL, 10);
    double left = 0;

    if (bytes > MOST) {
      fprintf(stderr, "%s: more than %zu bytes\n", argv[i], MOST);
      return 1;
    }
    for (int run = 0; run < RUNS; run++) {
      const std::vector<unsigned> cycles = time_after(&m, bytes);

      for (int k = 0; k < LINES; k++)
        left += 2 * cycles[k] < hit[k] + miss[k];
    }
    printf("%zu %.1f\n", bytes, 100 * left / RUNS / LINES);
  }
  return 0;
}
