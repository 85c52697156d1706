// SPDX-License-Identifier: BSD-3-Clause
// Which accesses protect a line of L1, for tests/gpu/protect.sh. Lines of one set are loaded by a
// warp: "line", then some other lines, then accesses to "line" that may protect it, then more and
// more new lines. Is "line" still there?
//
//   protect MASK,...   XOR masks of the bits of an address that select the set
//
// Prints for each case how many other and new lines there were, and in how many of 64 sets the
// first sector of "line" was still there.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

enum { SETS = 64, LINES = 16, LINE = 128, MOST_NEW = 8 };
static const size_t room = (size_t)64 << 20;

// One access of a warp: the lanes of each sector, 8 lanes a sector; 1 lane if there is one sector.
enum sectors { FIRST = 1, SECOND = 2, BOTH = 3, ALL = 15 };

static const struct {
  const char *name;
  int begin; // sectors of the first access of "line"
  int then[2];
} cases[] = {{"loaded once", FIRST, {0, 0}},
             {"loaded once, two sectors", BOTH, {0, 0}},
             {"its sector hits", FIRST, {FIRST, 0}},
             {"two sectors hit at once", BOTH, {BOTH, 0}},
             {"another sector misses", FIRST, {SECOND, 0}},
             {"one sector hits and one misses at once", FIRST, {BOTH, 0}},
             {"one sector hits and three miss at once", FIRST, {ALL, 0}},
             {"another sector misses, then hits", FIRST, {SECOND, SECOND}}};

__device__ static size_t load(size_t address, int sectors)
{
  const int lane = threadIdx.x, sector = lane / 8;
  unsigned value = 0;

  if (sectors == FIRST || sectors == SECOND) {
    if (!lane)
      asm volatile("ld.global.ca.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(address + 32 * (sectors == SECOND))
                   : "memory");
  } else if (sectors >> sector & 1)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(address + 4 * lane) : "memory");
  return __any_sync(~0u, value); // 0, when the data is there
}

__global__ void probe(const size_t *lines, int begin, int first, int second, int others, int news,
                      unsigned *cycles)
{
  size_t none = 0;

  for (int set = 0; set < SETS; set++) {
    const size_t *line = lines + set * LINES;
    unsigned from, to;
    int next = 1;

    none += load(line[0] + none, begin);
    for (int i = 0; i < others; i++)
      none += load(line[next++] + none, FIRST);
    if (first)
      none += load(line[0] + none, first);
    if (second)
      none += load(line[0] + none, second);
    for (int i = 0; i < news; i++)
      none += load(line[next++] + none, FIRST);
    from = clock();
    none += load(line[0] + none, FIRST);
    to = clock() + (unsigned)none;
    if (!threadIdx.x)
      cycles[set] = to - from;
  }
}

static unsigned set_of(size_t address, const std::vector<size_t> &masks)
{
  unsigned set = 0;

  for (size_t i = 0; i < masks.size(); i++)
    set |= (unsigned)(__builtin_popcountll(address & masks[i]) & 1) << i;
  return set;
}

int main(int argc, char **argv)
{
  std::vector<size_t> masks, table(SETS * LINES);
  size_t found[SETS] = {0}, *lines;
  unsigned *cycles;
  char *memory;

  for (char *at = argc > 1 ? argv[1] : NULL; at && *at; at += *at == ',')
    masks.push_back(strtoull(at, &at, 16));
  if (masks.empty() || masks.size() > 16)
    return 2;
  CHECK(cudaMalloc(&memory, room));
  CHECK(cudaMemset(memory, 0, room));
  CHECK(cudaMalloc(&lines, table.size() * sizeof(size_t)));
  CHECK(cudaMallocManaged(&cycles, SETS * sizeof *cycles));
  for (size_t at = (size_t)memory; at < (size_t)memory + room; at += LINE) {
    const unsigned set = set_of(at, masks);

    if (set < SETS && found[set] < LINES)
      table[set * LINES + found[set]++] = at;
  }
  CHECK(cudaMemcpy(lines, table.data(), table.size() * sizeof(size_t), cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  for (int others = 0; others <= 2; others += 2)
    for (const auto &c : cases) {
      printf("%s, after %d other lines:", c.name, others);
      for (int news = 0; news <= MOST_NEW; news++) {
        int there = 0;

        for (int run = 0; run < 2; run++) { // the first one loads the code
          probe<<<1, 32>>>(lines, c.begin, c.then[0], c.then[1], others, news, cycles);
          CHECK(cudaDeviceSynchronize());
        }
        for (int set = 0; set < SETS; set++)
          there += cycles[set] < 150; // L1 answers in some 40 cycles, L2 in 200 and more
        printf(" %d", there);
      }
      puts("");
    }
  return 0;
}
