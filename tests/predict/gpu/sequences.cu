/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sequences THRESHOLD MASK,MASK...: which loads hit L1 in random sequences of loads. One warp of an
 * SM loads lines one after the other and notes the loads that take less than THRESHOLD cycles. Each
 * SM has another sequence. The masks are the SetIndexMasks of L1 (hexadecimal).
 *
 *   set      lines of one set, 5 to 8 of them, so that its replacement policy decides
 *   loop     consecutive lines: first all of them, then random ones, somewhat more than L1 holds
 *
 * Half of the sequences are uniform. In the others, half of the loads are of one of the last eight
 * lines, so that some lines are used again soon.
 *
 * Prints for each sequence its kind, the number of lines, "uniform" or "near", and for each load
 * the line (number of the 128 bytes in the address space), with + for a hit and - for a miss.
 * policies.py finds the replacement policy. doc/results/predict.md has the result.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "timed.cuh"

#define LINES_OF_ALL 65536
#define FIRST 12288 /* of the consecutive lines */
#define SET_LOADS 2016
#define LOOP_LOADS 12000
#define LAST 8

struct Sequence {
  const char *kind;
  uint32_t lines;
  bool near;
  uint32_t first, count, bits; /* in the list of all loads, and of the words of their hits */
};

/* Waits for each load. The list is read past L1, and an atomic operation writes the hits, because a
 * store would bring its line into L1. */
__global__ void walk(const Sequence *sequences, const uint32_t *list, const char *memory,
                     uint32_t threshold, uint32_t *hits)
{
  const Sequence s = sequences[blockIdx.x];
  uint32_t word = 0;

  for (uint32_t i = 0; i < s.count; i++) {
    const char *p = memory + (uint64_t)past_l1(&list[s.first + i]) * LINE;

    word |= (timed_load(p) < threshold) << i % 32;
    if (i % 32 == 31 || i == s.count - 1) {
      if (threadIdx.x == 0)
        atomicExch(&hits[s.bits + i / 32], word);
      word = 0;
    }
  }
}

struct Work {
  std::vector<Sequence> sequences;
  std::vector<uint32_t> list;
  std::mt19937 random{1};
  uint32_t words = 0;

  /* `all` in their order if `loop`, then `count` random loads of them. */
  void add(const char *kind, const std::vector<uint32_t> &all, bool near, bool loop, uint32_t count)
  {
    Sequence s = {kind, (uint32_t)all.size(), near, (uint32_t)list.size(), 0, words};

    if (loop)
      list.insert(list.end(), all.begin(), all.end());
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t n = list.size() - s.first;
      const bool again = near && n >= LAST && random() % 2;

      list.push_back(again ? list[list.size() - 1 - random() % LAST] : all[random() % all.size()]);
    }
    s.count = list.size() - s.first;
    words += (s.count + 31) / 32;
    sequences.push_back(s);
  }
};

static std::vector<uint64_t> parse_masks(const char *text)
{
  std::vector<uint64_t> masks;
  char *end;

  for (; *text; text = *end == ',' ? end + 1 : end) {
    masks.push_back(strtoull(text, &end, 16));
    if (end == text)
      exit(2);
  }
  return masks;
}

static uint32_t set_of(uint64_t address, const std::vector<uint64_t> &masks)
{
  uint32_t set = 0;

  for (size_t i = 0; i < masks.size(); i++)
    set |= (uint32_t)__builtin_parityll(address & masks[i]) << i;
  return set;
}

static void add_sets(Work &work, uint64_t base, const std::vector<uint64_t> &masks)
{
  for (uint32_t lines : {5, 6, 8})
    for (uint32_t k = 0; k < 12; k++) {
      const uint32_t set = work.random() % (1u << masks.size());
      std::vector<uint32_t> all;

      for (uint32_t line = 0; line < LINES_OF_ALL && all.size() < lines; line++)
        if (set_of(base + (uint64_t)line * LINE, masks) == set)
          all.push_back(line);
      work.add("set", all, k % 2, false, SET_LOADS);
    }
}

static void add_loops(Work &work)
{
  for (uint32_t lines : {1700, 1760, 1800, 1850, 1900, 1950, 2000, 2048})
    for (uint32_t k = 0; k < 6; k++) {
      std::vector<uint32_t> all(lines);

      for (uint32_t i = 0; i < lines; i++)
        all[i] = FIRST + i;
      work.add("loop", all, k % 2, true, LOOP_LOADS);
    }
}

int main(int argc, char **argv)
{
  const uint32_t threshold = argc == 3 ? strtoul(argv[1], nullptr, 10) : 0;
  std::vector<uint32_t> hits;
  uint32_t *hits_there;
  char *memory;
  Work work;

  if (!threshold) {
    fprintf(stderr, "usage: sequences THRESHOLD MASK,MASK...\n");
    return 2;
  }
  check(cudaMalloc(&memory, (size_t)LINES_OF_ALL * LINE), "cudaMalloc");
  check(cudaMemset(memory, 0, (size_t)LINES_OF_ALL * LINE), "cudaMemset");
  add_sets(work, (uint64_t)memory, parse_masks(argv[2]));
  add_loops(work);
  hits.resize(work.words);
  check(cudaMalloc(&hits_there, hits.size() * 4), "cudaMalloc");
  /* fewer blocks than SMs: each has one of its own */
  walk<<<work.sequences.size(), 32>>>(copy_there(work.sequences), copy_there(work.list), memory,
                                      threshold, hits_there);
  check(cudaGetLastError(), "walk");
  check(cudaDeviceSynchronize(), "walk");
  check(cudaMemcpy(hits.data(), hits_there, hits.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (const Sequence &s : work.sequences) {
    printf("%s\t%u\t%s\t", s.kind, s.lines, s.near ? "near" : "uniform");
    for (uint32_t i = 0; i < s.count; i++)
      printf("%llu%c", (unsigned long long)memory / LINE + work.list[s.first + i],
             hits[s.bits + i / 32] >> i % 32 & 1 ? '+' : '-');
    putchar('\n');
  }
  return 0;
}
