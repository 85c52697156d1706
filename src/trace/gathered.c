/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/gathered.h"

#include "kernels/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 << 10)

static uint32_t what_of(const uint64_t *record)
{
  return (uint32_t)record[0];
}

static uint32_t mask_of(const uint64_t *record)
{
  return (uint32_t)(record[0] >> 32);
}

static size_t words_of(const uint64_t *record)
{
  switch (what_of(record) >> 28 & 3) {
  case GPU_TRACE_CONSECUTIVE:
    return 3;
  case GPU_TRACE_EACH:
    return 3 + (size_t)__builtin_popcount(mask_of(record));
  default:
    return 4;
  }
}

/* Goes through the records of all regions. */
struct walk {
  const struct gc_gathered *gathered;
  size_t region, at;
};

/* NULL: there are no more. An incomplete record ends its region. */
static const uint64_t *next_record(struct walk *walk)
{
  const struct gc_gathered *gathered = walk->gathered;

  for (; walk->region < gathered->regions; walk->at = gathered->ends[walk->region++]) {
    const uint64_t *record = gathered->words + walk->at;
    const size_t left = gathered->ends[walk->region] - walk->at;

    if (left >= 3 && words_of(record) <= left) {
      walk->at += words_of(record);
      return record;
    }
  }
  return NULL;
}

struct chunk {
  uint8_t bytes[CHUNK];
  size_t used;
  FILE *file;
};

static void flush(struct chunk *chunk)
{
  if (!chunk->used)
    return;
  fprintf(chunk->file, "accesses %zu\n", chunk->used);
  fwrite(chunk->bytes, 1, chunk->used, chunk->file);
  chunk->used = 0;
}

static void put(struct chunk *chunk, uint64_t value)
{
  if (chunk->used == CHUNK)
    flush(chunk);
  for (unsigned i = 0; i < 8; i++)
    chunk->bytes[chunk->used++] = (uint8_t)(value >> 8 * i);
}

/* A record is not divided. */
static void begin_record(struct chunk *chunk, size_t words)
{
  if (chunk->used + words * sizeof(uint64_t) > CHUNK)
    flush(chunk);
}

static void put_record(struct chunk *chunk, const uint64_t *record)
{
  const size_t count = words_of(record);

  begin_record(chunk, count - 1);
  put(chunk, record[0]);
  for (size_t i = 2; i < count; i++)
    put(chunk, record[i]);
}

static void put_warp(struct chunk *chunk, uint64_t block, uint64_t warp)
{
  begin_record(chunk, 2);
  put(chunk, GPU_TRACE_WARP | warp << 32);
  put(chunk, block);
}

/* The records, sorted by block and warp. */
struct order {
  size_t *starts;           /* [blocks * warps + 1]: where those of each warp begin */
  const uint64_t **records; /* [count] */
  size_t count;
};

static bool key_of(const uint64_t *record, uint64_t blocks, unsigned warps, size_t *key)
{
  const uint64_t block = (uint32_t)record[1], warp = record[1] >> 32;

  *key = (size_t)(block * warps + warp);
  return block < blocks && warp < warps && !(what_of(record) >> 30) && mask_of(record);
}

/* A counting sort, which keeps the order of a warp's records. */
static int sort(const struct gc_gathered *gathered, uint64_t blocks, unsigned warps,
                struct order *order)
{
  const size_t keys = (size_t)blocks * warps;
  struct walk walk = {gathered, 0, 0};
  const uint64_t *record;
  size_t sum = 0, key;

  order->starts = calloc(keys + 1, sizeof *order->starts);
  if (!order->starts)
    return -ENOMEM;
  while ((record = next_record(&walk))) {
    if (!key_of(record, blocks, warps, &key))
      return -EBADMSG;
    order->starts[key]++;
    order->count++;
  }
  order->records = malloc((order->count + 1) * sizeof *order->records);
  if (!order->records)
    return -ENOMEM;
  for (key = 0; key <= keys; key++) {
    const size_t here = order->starts[key];

    order->starts[key] = sum;
    sum += here;
  }
  walk = (struct walk){gathered, 0, 0};
  while ((record = next_record(&walk)) && key_of(record, blocks, warps, &key))
    order->records[order->starts[key]++] = record;
  /* Each start has become the start of the next one. */
  memmove(order->starts + 1, order->starts, keys * sizeof *order->starts);
  order->starts[0] = 0;
  return 0;
}

static void write_all(uint64_t blocks, unsigned warps, const struct order *order,
                      struct chunk *chunk)
{
  for (size_t key = 0; key < (size_t)blocks * warps; key++) {
    if (order->starts[key] == order->starts[key + 1])
      continue;
    put_warp(chunk, key / warps, key % warps);
    for (size_t i = order->starts[key]; i < order->starts[key + 1]; i++)
      put_record(chunk, order->records[i]);
  }
  flush(chunk);
}

int gc_gathered_write(const struct gc_gathered *gathered, uint64_t blocks, unsigned warps,
                      FILE *file, struct gc_error *err)
{
  struct chunk *chunk = malloc(sizeof *chunk);
  struct order order = {0};
  int status = chunk ? sort(gathered, blocks, warps, &order) : -ENOMEM;

  if (!status) {
    chunk->used = 0;
    chunk->file = file;
    write_all(blocks, warps, &order, chunk);
  }
  free(order.starts);
  free(order.records);
  free(chunk);
  if (status)
    return gc_fail(err, status,
                   status == -ENOMEM ? "out of memory" : "its records are not of its blocks");
  return ferror(file) ? gc_fail(err, -EIO, "cannot write: %s", strerror(errno)) : 0;
}
