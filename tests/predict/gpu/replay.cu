/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * replay TRACE SMS BLOCKS THRESHOLD: replays on one SM what the model gives to the first of SMS
 * SMs: every SMS-th block of the trace, BLOCKS of them at a time. Each load is timed: it hits if it
 * takes fewer than THRESHOLD cycles. A warp waits for each of its loads, as in the variant
 * "waiting" of baselines. The threads of a warp that load from one line load together; the lines of
 * an instruction follow each other.
 *
 * Prints the kernel, the sectors that were loaded, those that hit, and how many sectors took how
 * long, in bins of BIN_CYCLES: a threshold is good if it lies where there are none. The trace is
 * one of kernels.cu (doc/traces.md), with up to 4 GiB between its lowest and highest address.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "timed.cuh"

#define BINS 128
#define BIN_CYCLES 8
#define SECTOR 32
#define ALIGNED (uint64_t(32) << 20) /* address bits below keep their values */
#define SPAN_MOST (uint64_t(4) << 30)
#define TARGET_SM 0
#define BLOCKS_PER_SM 64 /* launched for each SM: those on other SMs end at once */

enum Operation : uint32_t { LOAD, STORE, ATOMIC, BARRIER };

struct Step { /* of a warp */
  uint32_t operation, mask, bytes, unused;
  uint64_t offsets[32];
};

struct Range { /* of steps */
  uint32_t first, count;
};

struct State {
  uint32_t arrived; /* blocks on the SM */
  uint32_t next;    /* block of the trace */
  unsigned long long histogram[BINS];
};

/* The threads with a bit in mask load, line by line, and count the sectors of each line. */
static __device__ void load_lines(State *state, char *memory, uint64_t offset, uint32_t mask)
{
  const uint32_t lane = threadIdx.x % 32;

  while (mask) {
    const uint64_t line = __shfl_sync(~0u, offset, __ffs(mask) - 1) / LINE;
    const uint32_t same = __ballot_sync(~0u, mask >> lane & 1 && offset / LINE == line);

    if (same >> lane & 1) {
      const uint32_t cycles = timed_load(memory + offset);
      const uint32_t sectors = __reduce_or_sync(same, 1u << offset % LINE / SECTOR);
      const uint32_t slowest = __reduce_max_sync(same, cycles) / BIN_CYCLES;

      if (lane == __ffs(same) - 1)
        atomicAdd(&state->histogram[slowest < BINS ? slowest : BINS - 1],
                  (unsigned long long)__popc(sectors));
    }
    __syncwarp();
    mask &= ~same;
  }
}

static __device__ void store(char *p, uint32_t bytes)
{
  if (bytes == 16)
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(0) : "memory");
  else if (bytes == 4)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
  else
    asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(0) : "memory");
}

static __device__ void run_warp(State *state, char *memory, const Step *steps, Range range)
{
  const uint32_t lane = threadIdx.x % 32;

  for (uint32_t i = range.first; i < range.first + range.count; i++) {
    const uint32_t operation = past_l1(&steps[i].operation), mask = past_l1(&steps[i].mask);
    const uint64_t offset = past_l1(&steps[i].offsets[lane]);
    const bool takes_part = mask >> lane & 1;

    if (operation == BARRIER)
      __syncthreads();
    else if (operation == LOAD)
      load_lines(state, memory, offset, mask);
    else if (operation == STORE && takes_part)
      store(memory + offset, past_l1(&steps[i].bytes));
    else if (operation == ATOMIC && takes_part)
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(memory + offset), "r"(0) : "memory");
    __syncwarp();
  }
}

__global__ void replay(State *state, char *memory, const Step *steps, const Range *warps,
                       uint32_t trace_blocks, uint32_t resident)
{
  __shared__ uint32_t number;
  uint32_t sm;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != TARGET_SM)
    return;
  if (threadIdx.x == 0)
    number = atomicAdd(&state->arrived, 1);
  __syncthreads();
  if (number >= resident)
    return;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0)
      number = atomicAdd(&state->next, 1);
    __syncthreads();
    if (number >= trace_blocks)
      return;
    const Range *range = &warps[number * (blockDim.x / 32) + threadIdx.x / 32];
    run_warp(state, memory, steps, {past_l1(&range->first), past_l1(&range->count)});
  }
}

/* What one SM executes. */
struct Share {
  std::string kernel;
  uint32_t threads = 0;
  std::map<uint32_t, std::vector<std::vector<Step>>> blocks; /* by number: the steps of each warp */
  uint64_t lowest = UINT64_MAX, highest = 0;
};

static void fail(const char *path, unsigned line, const char *why)
{
  fprintf(stderr, "%s:%u: %s\n", path, line, why);
  exit(1);
}

/* "base+stride", "base-stride", or addresses with commas, of the threads in the mask. */
static bool read_addresses(const char *text, Step *step)
{
  const unsigned first = __builtin_ctz(step->mask);
  char *end;
  uint64_t address = strtoull(text, &end, 16);

  if (*end == '+' || *end == '-') {
    const int64_t stride = strtoll(end, &end, 10);

    for (unsigned i = first; i < 32; i++)
      step->offsets[i] = address + i * stride;
    return *end == '\n' || !*end;
  }
  for (unsigned i = first; i < 32; i++) {
    if (!(step->mask >> i & 1))
      continue;
    step->offsets[i] = strtoull(text, &end, 16);
    if (end == text)
      return false;
    text = *end == ',' ? end + 1 : end;
  }
  return true;
}

static Step read_step(const char *path, unsigned number, const std::vector<std::string> &fields,
                      Share *share)
{
  static const char *const names[] = {"load", "store", "atomic", "barrier"};
  Step step = {};

  step.operation = BARRIER + 1;
  for (uint32_t i = 0; i < 4; i++)
    if (fields[3] == names[i])
      step.operation = i;
  if (step.operation > BARRIER || (step.operation != BARRIER && fields.size() != 8))
    fail(path, number, "not an instruction of such a trace");
  if (step.operation == BARRIER)
    return step;
  step.bytes = strtoul(fields[5].c_str(), nullptr, 10);
  step.mask = strtoul(fields[6].c_str(), nullptr, 16);
  if (!step.mask || !read_addresses(fields[7].c_str(), &step))
    fail(path, number, "no addresses");
  for (unsigned i = 0; i < 32; i++)
    if (step.mask >> i & 1) {
      share->lowest = std::min(share->lowest, step.offsets[i]);
      share->highest = std::max(share->highest, step.offsets[i] + step.bytes);
    }
  return step;
}

static Share read_share(const char *path, uint32_t sms)
{
  static char line[4096];
  FILE *file = fopen(path, "r");
  bool ended = false;
  Share share;

  if (!file) {
    perror(path);
    exit(1);
  }
  for (unsigned number = 1; !ended && fgets(line, sizeof line, file); number++) {
    std::vector<std::string> fields;

    for (char *rest = line, *field; (field = strsep(&rest, "\t")) != nullptr;)
      fields.push_back(field);
    fields.back().erase(fields.back().find_last_not_of("\n") + 1);
    ended = fields[0] == "end";
    if (fields.size() == 2 && fields[0] == "kernel")
      share.kernel = fields[1];
    if (fields.size() == 2 && fields[0] == "threads")
      share.threads = strtoul(fields[1].c_str(), nullptr, 10);
    if (fields.size() < 4)
      continue;
    const uint32_t block = strtoul(fields[0].c_str(), nullptr, 10);
    const uint32_t warp = strtoul(fields[1].c_str(), nullptr, 10);

    if (!share.threads || warp >= (share.threads + 31) / 32)
      fail(path, number, "a warp that its block does not have");
    if (block % sms)
      continue;
    share.blocks[block].resize((share.threads + 31) / 32);
    share.blocks[block][warp].push_back(read_step(path, number, fields, &share));
  }
  fclose(file);
  if (!ended || share.lowest > share.highest || share.highest - share.lowest > SPAN_MOST) {
    fprintf(stderr, "%s: the trace is cut off, or its addresses are too far apart\n", path);
    exit(1);
  }
  return share;
}

/* All warps of a block must meet at each barrier. */
static void add_barriers(std::vector<std::vector<Step>> &warps)
{
  std::vector<size_t> barriers;
  Step barrier = {};
  size_t most = 0;

  barrier.operation = BARRIER;
  for (const auto &steps : warps) {
    size_t count = 0;

    for (const Step &step : steps)
      count += step.operation == BARRIER;
    barriers.push_back(count);
    most = std::max(most, count);
  }
  for (size_t i = 0; i < warps.size(); i++)
    warps[i].resize(warps[i].size() + most - barriers[i], barrier);
}

static State run(Share &share, uint32_t resident)
{
  const uint64_t from = share.lowest / ALIGNED * ALIGNED;
  std::vector<Step> steps;
  std::vector<Range> warps;
  cudaDeviceProp properties;
  State state = {}, *state_there;
  char *memory;

  for (auto &block : share.blocks) {
    add_barriers(block.second);
    for (const auto &of_warp : block.second) {
      warps.push_back({(uint32_t)steps.size(), (uint32_t)of_warp.size()});
      steps.insert(steps.end(), of_warp.begin(), of_warp.end());
    }
  }
  for (Step &step : steps)
    for (unsigned i = 0; i < 32; i++)
      step.offsets[i] = step.mask >> i & 1 ? step.offsets[i] - from : 0;
  check(cudaMalloc(&memory, share.highest - from), "cudaMalloc");
  check(cudaMemset(memory, 0, share.highest - from), "cudaMemset");
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  check(cudaMalloc(&state_there, sizeof state), "cudaMalloc");
  check(cudaMemset(state_there, 0, sizeof state), "cudaMemset");
  replay<<<properties.multiProcessorCount * BLOCKS_PER_SM, (share.threads + 31) / 32 * 32>>>(
      state_there, memory, copy_there(steps), copy_there(warps), share.blocks.size(), resident);
  check(cudaGetLastError(), "replay");
  check(cudaDeviceSynchronize(), "replay");
  check(cudaMemcpy(&state, state_there, sizeof state, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return state;
}

int main(int argc, char **argv)
{
  const uint32_t sms = argc == 5 ? strtoul(argv[2], nullptr, 10) : 0;
  const uint32_t resident = sms ? strtoul(argv[3], nullptr, 10) : 0;
  const uint32_t threshold = resident ? strtoul(argv[4], nullptr, 10) : 0;
  unsigned long long hits = 0, all = 0;

  if (!threshold) {
    fprintf(stderr, "usage: replay TRACE SMS BLOCKS THRESHOLD\n");
    return 2;
  }
  Share share = read_share(argv[1], sms);
  const State state = run(share, resident);

  if (state.next < share.blocks.size()) {
    fprintf(stderr, "%s: no block ran on SM %d\n", argv[1], TARGET_SM);
    return 1;
  }
  for (uint32_t i = 0; i < BINS; i++) {
    all += state.histogram[i];
    hits += (i + 1) * BIN_CYCLES <= threshold ? state.histogram[i] : 0;
  }
  printf("%s\t%llu\t%llu\t", share.kernel.c_str(), all, hits);
  for (uint32_t i = 0, n = 0; i < BINS; i++)
    if (state.histogram[i])
      printf("%s%u:%llu", n++ ? "," : "", i * BIN_CYCLES, state.histogram[i]);
  printf("\n");
  return 0;
}
