/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * make-trace TRACE [N] writes a memory trace (doc/traces.md) of a kernel for the problem size N.
 * make-trace without arguments lists the traces. The same arguments give the same bytes.
 *
 * Before the last line, comments say what a model must count, whatever the GPU: sectors of 32 bytes
 * of all instructions, and different sectors. Different loaded sectors are the compulsory misses of
 * an L1 cache that all blocks share.
 */
#include "trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 32

/* A set of sectors: open addressing; 0 is no sector. */
struct set {
  uint64_t *sectors;
  size_t size, used;
};

struct writer {
  uint64_t instructions, sectors[3]; /* of loads, stores, atomics */
  struct set loaded, touched;
};

static bool add(struct set *set, uint64_t sector)
{
  size_t i;

  if (2 * set->used >= set->size) {
    struct set larger = {.size = set->size ? 2 * set->size : 1024};

    larger.sectors = calloc(larger.size, sizeof(*larger.sectors));
    if (!larger.sectors)
      abort();
    for (i = 0; i < set->size; i++)
      if (set->sectors[i])
        add(&larger, set->sectors[i]);
    free(set->sectors);
    *set = larger;
  }
  for (i = mixed(sector) % set->size; set->sectors[i]; i = (i + 1) % set->size)
    if (set->sectors[i] == sector)
      return false;
  set->sectors[i] = sector;
  set->used++;
  return true;
}

/* The sectors of one instruction, each once. */
static void count(struct writer *writer, int operation, const uint64_t *address, unsigned threads,
                  unsigned bytes)
{
  uint64_t seen[2 * LANES];
  unsigned different = 0;

  for (unsigned i = 0; i < threads; i++)
    for (uint64_t s = address[i] / SECTOR; s <= (address[i] + bytes - 1) / SECTOR; s++) {
      unsigned k = 0;

      while (k < different && seen[k] != s)
        k++;
      if (k == different)
        seen[different++] = s;
      if (operation == 0)
        add(&writer->loaded, s);
      add(&writer->touched, s);
    }
  writer->sectors[operation] += different;
  writer->instructions++;
}

/* As base and stride, if that is what they are. */
static void write_addresses(uint32_t mask, const uint64_t *addresses, unsigned threads)
{
  const int64_t stride = threads == LANES ? (int64_t)(addresses[1] - addresses[0]) : 0;
  unsigned lane = 0;

  while (lane < threads && addresses[lane] == addresses[0] + lane * (uint64_t)stride)
    lane++;
  if (mask == UINT32_MAX && lane == LANES && llabs(stride) < INT32_MAX) {
    printf("%" PRIx64 "%+" PRId64 "\n", addresses[0], stride);
    return;
  }
  for (unsigned i = 0; i < threads; i++)
    printf("%s%" PRIx64, i ? "," : "", addresses[i]);
  putchar('\n');
}

static unsigned access_memory(const struct warp *warp, int operation, unsigned pc, unsigned bytes,
                              address_of *address_of, uint64_t k)
{
  static const char *const names[] = {"load", "store", "atomic"};
  uint64_t addresses[LANES];
  uint32_t mask = 0;
  unsigned threads = 0;

  for (unsigned lane = 0; lane < LANES && warp->warp * LANES + lane < warp->threads; lane++) {
    const uint64_t t = warp->warp * LANES + lane;
    const struct thread thread = {lane, t, warp->block * warp->threads + t};
    const uint64_t address = address_of(warp, thread, k);

    if (address == NO_ACCESS)
      continue;
    mask |= UINT32_C(1) << lane;
    addresses[threads++] = address;
  }
  if (!threads)
    return 0;
  count(warp->writer, operation, addresses, threads, bytes);
  printf("%" PRIu64 "\t%u\t%x\t%s\t-\t%u\t%" PRIx32 "\t", warp->block, warp->warp, 16 * pc,
         names[operation], bytes, mask);
  write_addresses(mask, addresses, threads);
  return threads;
}

unsigned load(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address, uint64_t k)
{
  return access_memory(warp, 0, pc, bytes, address, k);
}

unsigned store(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address,
               uint64_t k)
{
  return access_memory(warp, 1, pc, bytes, address, k);
}

unsigned atomic(const struct warp *warp, unsigned pc, unsigned bytes, address_of *address,
                uint64_t k)
{
  return access_memory(warp, 2, pc, bytes, address, k);
}

void barrier(const struct warp *warp, unsigned pc)
{
  printf("%" PRIu64 "\t%u\t%x\tbarrier\n", warp->block, warp->warp, 16 * pc);
}

static void write_kernel(const struct kernel *kernel, uint64_t n)
{
  struct writer writer = {0};
  struct warp warp = {
      .writer = &writer, .n = n, .blocks = kernel->blocks(n), .threads = kernel->threads};

  printf("kernel %s\nblocks %" PRIu64 "\nthreads %u\nwarp %u\nregisters %u\nshared %u\n"
         "origin make-trace %s %" PRIu64 "\n",
         kernel->name, warp.blocks, kernel->threads, LANES, kernel->registers, kernel->shared,
         kernel->trace, n);
  for (warp.block = 0; warp.block < warp.blocks; warp.block++)
    for (warp.warp = 0; warp.warp * LANES < warp.threads; warp.warp++)
      kernel->run(&warp);
  printf("# instructions %" PRIu64 "\n# sectors: loads %" PRIu64 ", stores %" PRIu64
         ", atomics %" PRIu64 "\n# different sectors: loaded %zu, all %zu\n",
         writer.instructions, writer.sectors[0], writer.sectors[1], writer.sectors[2],
         writer.loaded.used, writer.touched.used);
  free(writer.loaded.sectors);
  free(writer.touched.sectors);
}

/* Writes the kernels of this trace, or lists the table. Returns how many it wrote. */
static unsigned go_through(const struct kernel *kernel, const char *trace, uint64_t n)
{
  unsigned written = 0;

  for (; kernel->trace; kernel++) {
    if (!trace) {
      printf("%s %" PRIu64 "\n", kernel->trace, kernel->size);
      continue;
    }
    if (strcmp(trace, kernel->trace))
      continue;
    if (!written++)
      puts("hwloc-gpucache-trace 1");
    write_kernel(kernel, n ? n : kernel->size);
  }
  return written;
}

int main(int argc, char **argv)
{
  const char *trace = argc > 1 ? argv[1] : NULL;
  char *end = "";
  uint64_t n = argc > 2 ? strtoull(argv[2], &end, 10) : 0;
  unsigned written = 0;

  if (argc > 3 || *end || (argc > 2 && (!n || n > 1 << 26))) {
    fputs("usage: make-trace [TRACE [N]], N from 1 to 2^26\n", stderr);
    return 2;
  }
  written += go_through(dense_kernels, trace, n);
  written += go_through(irregular_kernels, trace, n);
  if (trace && !written) {
    fprintf(stderr, "make-trace: no trace is called %s\n", trace);
    return 2;
  }
  if (trace)
    puts("end");
  return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
