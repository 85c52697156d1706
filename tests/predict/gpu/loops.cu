/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * loops THRESHOLD: what L1 keeps of a loop. One warp of an SM loads lines one after the other,
 * again and again, and counts the loads that take THRESHOLD cycles or more. Each SM has another
 * loop: consecutive lines in ascending order or in a random one, or random lines of 8 MiB.
 *
 * Prints the order, the number of lines, and the misses of each pass. doc/results/predict.md
 * explains the result for an H200 and an H100.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "timed.cuh"

#define LINES_OF_ALL 65536
#define FIRST 12288 /* of the consecutive lines */
#define PASSES 30

struct Loop {
  const char *order;
  uint32_t first, count; /* in the list of all lines */
};

/* Waits for the load. The list is read past L1, which belongs to the loop. */
__global__ void walk(const Loop *loops, const uint32_t *lines, const char *memory,
                     uint32_t threshold, uint32_t *misses)
{
  const Loop loop = loops[blockIdx.x];

  for (uint32_t pass = 0; pass < PASSES; pass++) {
    uint32_t slow = 0;

    for (uint32_t i = 0; i < loop.count; i++) {
      const char *p = memory + (uint64_t)past_l1(&lines[loop.first + i]) * LINE;

      slow += timed_load(p) >= threshold;
    }
    if (threadIdx.x == 0)
      atomicExch(&misses[blockIdx.x * PASSES + pass], slow); /* not through L1, as a store is */
  }
}

static void add_loops(std::vector<Loop> &loops, std::vector<uint32_t> &lines, const char *order,
                      std::mt19937 &random)
{
  static const uint32_t counts[] = {1700, 1728, 1736, 1737, 1740, 1752, 1768, 1800, 1850, 1900,
                                    1950, 2000, 2048, 2049, 2064, 2100, 2200, 2304, 2400, 2560};

  for (uint32_t count : counts) {
    std::vector<uint32_t> some(*order == 'r' ? LINES_OF_ALL : count);

    std::iota(some.begin(), some.end(), *order == 'r' ? 0 : FIRST);
    if (*order != 'a')
      std::shuffle(some.begin(), some.end(), random);
    loops.push_back({order, (uint32_t)lines.size(), count});
    lines.insert(lines.end(), some.begin(), some.begin() + count);
  }
}

int main(int argc, char **argv)
{
  const uint32_t threshold = argc == 2 ? strtoul(argv[1], nullptr, 10) : 0;
  std::vector<Loop> loops;
  std::vector<uint32_t> lines, misses;
  std::mt19937 random(1);
  uint32_t *misses_there;
  char *memory;

  if (!threshold) {
    fprintf(stderr, "usage: loops THRESHOLD\n");
    return 2;
  }
  add_loops(loops, lines, "ascending", random);
  add_loops(loops, lines, "shuffled", random);
  add_loops(loops, lines, "random", random);
  misses.resize(loops.size() * PASSES);
  check(cudaMalloc(&memory, (size_t)LINES_OF_ALL * LINE), "cudaMalloc");
  check(cudaMemset(memory, 0, (size_t)LINES_OF_ALL * LINE), "cudaMemset");
  check(cudaMalloc(&misses_there, misses.size() * 4), "cudaMalloc");
  /* fewer blocks than SMs: each has one of its own */
  walk<<<loops.size(), 32>>>(copy_there(loops), copy_there(lines), memory, threshold, misses_there);
  check(cudaGetLastError(), "walk");
  check(cudaDeviceSynchronize(), "walk");
  check(cudaMemcpy(misses.data(), misses_there, misses.size() * 4, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  for (size_t i = 0; i < loops.size(); i++) {
    printf("%s\t%u\t", loops[i].order, loops[i].count);
    for (uint32_t pass = 0; pass < PASSES; pass++)
      printf("%u%c", misses[i * PASSES + pass], pass + 1 < PASSES ? ',' : '\n');
  }
  return 0;
}
