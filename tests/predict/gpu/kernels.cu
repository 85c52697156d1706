/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels count NAME...     launches the plain kernels, for the profiler. Before each of them,
 * flush fills L2 with other data. kernels trace DIR NAME... writes DIR/NAME.tsv, the trace of each
 * kernel (doc/traces.md) kernels place NAME...     prints for each block the SM on which it ran:
 * kernel, block, SM No NAME: all. The first line of the output is the address of the arrays; each
 * other line of count is the name of a kernel, in the order of the launches.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases.cuh"

#define FLUSH_ELEMENTS (100u << 20) /* 400 MiB, several times the L2 */
#define LOG_BYTES (size_t(640) << 20)
#define POOL_BYTES (size_t(640) << 20)

__global__ void flush(const float *in, float *out)
{
  float sum = 0;

  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < FLUSH_ELEMENTS;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  if (sum != 0)
    *out = sum;
}

static void finish(const char *name)
{
  check(cudaGetLastError(), name);
  check(cudaDeviceSynchronize(), name);
}

static Log make_log(const Case &c, char *memory)
{
  const size_t warps = (size_t)c.blocks() * ((c.threads() + 31) / 32);
  Log log = {(Entry *)memory, nullptr, c.room};

  if (warps * (c.room * sizeof(Entry) + 4) > LOG_BYTES) {
    fprintf(stderr, "%s: the log is too small\n", c.name.c_str());
    exit(1);
  }
  log.counts = (uint32_t *)(memory + warps * c.room * sizeof(Entry));
  check(cudaMemset(log.counts, 0, warps * 4), "cudaMemset");
  return log;
}

/* The addresses of the threads in the mask, as base+stride if they have one. */
static void print_addresses(FILE *file, const Entry &e)
{
  const unsigned first = __builtin_ctz(e.mask), last = 31 - __builtin_clz(e.mask);
  const int64_t stride =
      last > first ? (int64_t)(e.addresses[last] - e.addresses[first]) / (last - first) : 0;
  const uint64_t base = e.addresses[first] - first * stride;
  bool even = true;

  for (unsigned i = first; i <= last; i++)
    even = even && (!(e.mask >> i & 1) || e.addresses[i] == base + i * stride);
  if (even) {
    fprintf(file, "%llx%+lld\n", (unsigned long long)base, (long long)stride);
    return;
  }
  for (unsigned i = first; i <= last; i++)
    if (e.mask >> i & 1)
      fprintf(file, "%llx%c", (unsigned long long)e.addresses[i], i == last ? '\n' : ',');
}

static void print_header(FILE *file, const Case &c)
{
  cudaFuncAttributes attributes;

  check(cudaFuncGetAttributes(&attributes, c.function), "cudaFuncGetAttributes");
  fprintf(file, "hwloc-gpucache-trace\t1\nkernel\t%s\nblocks\t%u\nthreads\t%u\nwarp\t32\n",
          c.name.c_str(), c.blocks(), c.threads());
  fprintf(file, "registers\t%d\nshared\t%zu\norigin\ttests/predict/gpu\n", attributes.numRegs,
          attributes.sharedSizeBytes);
}

static void write_trace(const Case &c, const Log &log, const char *directory)
{
  static const char *const names[] = {"load", "store", "atomic", "barrier"};
  const uint32_t warps = (c.threads() + 31) / 32, all = c.blocks() * warps;
  std::vector<Entry> entries((size_t)all * c.room);
  std::vector<uint32_t> counts(all);
  FILE *file = fopen((std::string(directory) + "/" + c.name + ".tsv").c_str(), "w");

  check(cudaMemcpy(entries.data(), log.entries, entries.size() * sizeof(Entry),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  check(cudaMemcpy(counts.data(), log.counts, all * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (!file) {
    perror(directory);
    exit(1);
  }
  print_header(file, c);
  for (uint32_t warp = 0; warp < all; warp++) {
    if (counts[warp] > c.room) {
      fprintf(stderr, "%s: %u instructions in a warp\n", c.name.c_str(), counts[warp]);
      exit(1);
    }
    for (uint32_t i = 0; i < counts[warp]; i++) {
      const Entry &e = entries[(size_t)warp * c.room + i];

      fprintf(file, "%u\t%u\t%x\t%s", warp / warps, warp % warps, e.pc, names[e.operation]);
      if (e.operation == BARRIER) {
        fputc('\n', file);
        continue;
      }
      fprintf(file, "\t-\t%u\t%x\t", e.bytes, e.mask);
      print_addresses(file, e);
    }
  }
  fprintf(file, "end\n");
  if (ferror(file) || fclose(file)) {
    perror(directory);
    exit(1);
  }
}

static void place(const Case &c, uint32_t *sms)
{
  std::vector<uint32_t> of_block(c.blocks());

  c.plain(Plain{sms});
  finish(c.name.c_str());
  check(cudaMemcpy(of_block.data(), sms, of_block.size() * 4, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  for (uint32_t i = 0; i < c.blocks(); i++)
    printf("%s\t%u\t%u\n", c.name.c_str(), i, of_block[i]);
}

static bool wanted(const std::string &name, char **names)
{
  const bool all = !*names;

  while (*names && name != *names)
    names++;
  return all || *names;
}

int main(int argc, char **argv)
{
  const std::string mode = argc > 1 ? argv[1] : "";
  const bool traces = mode == "trace";
  char *log_memory;
  float *other;

  if ((!traces && mode != "count" && mode != "place") || (traces && argc < 3)) {
    fprintf(stderr, "usage: kernels count|place [NAME...], kernels trace DIR [NAME...]\n");
    return 2;
  }
  check(cudaMalloc(&log_memory, LOG_BYTES), "cudaMalloc");
  check(cudaMalloc(&other, FLUSH_ELEMENTS * sizeof *other), "cudaMalloc");
  check(cudaMemset(other, 0, FLUSH_ELEMENTS * sizeof *other), "cudaMemset");
  Pool pool(POOL_BYTES);
  printf("%p\n", pool.base());
  for (const Case &c : make_cases(pool)) {
    if (!wanted(c.name, argv + (traces ? 3 : 2)))
      continue;
    flush<<<1056, 256>>>(other, other);
    finish("flush");
    if (traces) {
      const Log log = make_log(c, log_memory);

      c.traced(Traced{log});
      finish(c.name.c_str());
      write_trace(c, log, argv[2]);
    } else if (mode == "place") {
      place(c, (uint32_t *)log_memory);
    } else {
      c.plain(Plain{nullptr});
      finish(c.name.c_str());
      printf("%s\n", c.name.c_str());
    }
  }
  return 0;
}
