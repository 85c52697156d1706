/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/gathered.h"

#include "kernels/trace.h"

#include <endian.h>
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

static void put(struct chunk *chunk, const uint64_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint64_t word = htole64(words[i]);

    memcpy(chunk->bytes + chunk->used, &word, sizeof word);
    chunk->used += sizeof word;
  }
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
  put(chunk, record, 1);
  put(chunk, record + 2, count - 2);
}

static void put_warp(struct chunk *chunk, uint64_t block, uint64_t warp)
{
  const uint64_t words[] = {GPU_TRACE_WARP | warp << 32, block};

  begin_record(chunk, 2);
  put(chunk, words, 2);
}

struct gc_sorted {
  const struct gc_gathered_launch *launches;
  size_t count;             /* of launches */
  size_t *first;            /* [count + 1]: the key of each launch's first warp */
  size_t *starts;           /* [keys + 1]: where the records of each warp begin */
  const uint64_t **records; /* sorted by key */
};

static bool key_of(const struct gc_sorted *sorted, const uint64_t *record, size_t *key)
{
  const uint64_t block = (uint32_t)record[1], warp = record[1] >> 32 & GPU_TRACE_WARP_MASK;
  const uint64_t number = record[1] >> (32 + GPU_TRACE_WARP_BITS);
  const struct gc_gathered_launch *launch;

  if (number >= sorted->count)
    return false;
  launch = &sorted->launches[number];
  if (block >= launch->blocks || warp >= launch->warps)
    return false;
  *key = sorted->first[number] + (size_t)(block * launch->warps + warp);
  return !(what_of(record) >> 30) && mask_of(record);
}

/* A counting sort, which keeps the order of a warp's records. */
static int sort(const struct gc_gathered *gathered, struct gc_sorted *sorted)
{
  const size_t keys = sorted->first[sorted->count];
  struct walk walk = {gathered, 0, 0};
  const uint64_t *record;
  size_t count = 0, sum = 0, key;

  sorted->starts = calloc(keys + 1, sizeof *sorted->starts);
  if (!sorted->starts)
    return -ENOMEM;
  for (; (record = next_record(&walk)); count++) {
    if (!key_of(sorted, record, &key))
      return -EBADMSG;
    sorted->starts[key]++;
  }
  sorted->records = malloc((count + 1) * sizeof *sorted->records);
  if (!sorted->records)
    return -ENOMEM;
  for (key = 0; key <= keys; key++) {
    const size_t here = sorted->starts[key];

    sorted->starts[key] = sum;
    sum += here;
  }
  walk = (struct walk){gathered, 0, 0};
  while ((record = next_record(&walk)) && key_of(sorted, record, &key))
    sorted->records[sorted->starts[key]++] = record;
  /* Each start has become the start of the next one. */
  memmove(sorted->starts + 1, sorted->starts, keys * sizeof *sorted->starts);
  sorted->starts[0] = 0;
  return 0;
}

static int count_keys(struct gc_sorted *sorted)
{
  sorted->first = calloc(sorted->count + 1, sizeof *sorted->first);
  if (!sorted->first)
    return -ENOMEM;
  for (size_t i = 0; i < sorted->count; i++)
    sorted->first[i + 1] =
        sorted->first[i] + (size_t)sorted->launches[i].blocks * sorted->launches[i].warps;
  return 0;
}

int gc_gathered_sort(const struct gc_gathered *gathered, const struct gc_gathered_launch *launches,
                     size_t count, struct gc_sorted **result, struct gc_error *err)
{
  struct gc_sorted *sorted = calloc(1, sizeof *sorted);
  int status = -ENOMEM;

  if (sorted) {
    sorted->launches = launches;
    sorted->count = count;
    status = count_keys(sorted);
  }
  if (!status)
    status = sort(gathered, sorted);
  if (status) {
    gc_sorted_free(sorted);
    sorted = NULL;
  }
  *result = sorted;
  return status ? gc_fail(err, status,
                          status == -ENOMEM ? "out of memory" : "its records are not of its blocks")
                : 0;
}

void gc_sorted_free(struct gc_sorted *sorted)
{
  if (!sorted)
    return;
  free(sorted->first);
  free(sorted->starts);
  free(sorted->records);
  free(sorted);
}

int gc_sorted_write(const struct gc_sorted *sorted, size_t launch, FILE *file, struct gc_error *err)
{
  const unsigned warps = sorted->launches[launch].warps;
  const size_t first = sorted->first[launch], end = sorted->first[launch + 1];
  struct chunk *chunk = malloc(sizeof *chunk);

  if (!chunk)
    return gc_fail(err, -ENOMEM, "out of memory");
  chunk->used = 0;
  chunk->file = file;
  for (size_t key = first; key < end; key++) {
    if (sorted->starts[key] == sorted->starts[key + 1])
      continue;
    put_warp(chunk, (key - first) / warps, (key - first) % warps);
    for (size_t i = sorted->starts[key]; i < sorted->starts[key + 1]; i++)
      put_record(chunk, sorted->records[i]);
  }
  flush(chunk);
  free(chunk);
  return ferror(file) ? gc_fail(err, -EIO, "cannot write: %s", strerror(errno)) : 0;
}
