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
  const struct gc_gathered *gathered;
  const struct gc_gathered_launch *launches;
  size_t count;               /* of launches */
  const uint64_t **by_launch; /* the records, sorted by launch; NULL if there is only one launch */
  size_t *launch_ends;        /* [count]: where those of each launch end */
  const uint64_t **by_warp;   /* those of the launch that is written, sorted by warp */
  size_t *warp_ends;          /* [warps of the largest launch] */
};

/* The records of a launch: part of a list; or of all launches. */
struct input {
  const uint64_t *const *at, *const *end; /* NULL: all */
  struct walk walk;
};

static const uint64_t *next_input(struct input *input)
{
  if (!input->end)
    return next_record(&input->walk);
  return input->at < input->end ? *input->at++ : NULL;
}

static struct input records_of(const struct gc_sorted *sorted, size_t launch)
{
  const size_t begin = launch ? sorted->launch_ends[launch - 1] : 0;

  if (!sorted->by_launch)
    return (struct input){.walk = {sorted->gathered, 0, 0}};
  return (struct input){.at = sorted->by_launch + begin,
                        .end = sorted->by_launch + sorted->launch_ends[launch]};
}

static size_t launch_of(const uint64_t *record, unsigned warps)
{
  (void)warps;
  return record[1] >> (32 + GPU_TRACE_WARP_BITS);
}

/* Its number in the launch. warps: of each block. */
static size_t warp_of(const uint64_t *record, unsigned warps)
{
  return (size_t)(uint32_t)record[1] * warps + (record[1] >> 32 & GPU_TRACE_WARP_MASK);
}

/* A counting sort, which keeps the order of records with the same key. ends: [keys], where those of
 * each key end in the result. */
static void sort(struct input input, size_t (*key)(const uint64_t *, unsigned), unsigned warps,
                 size_t *ends, size_t keys, const uint64_t **result)
{
  struct input again = input;
  const uint64_t *record;
  size_t sum = 0;

  memset(ends, 0, keys * sizeof *ends);
  while ((record = next_input(&input)))
    ends[key(record, warps)]++;
  for (size_t i = 0; i < keys; i++) {
    const size_t here = ends[i];

    ends[i] = sum; /* the start, which becomes the end */
    sum += here;
  }
  while ((record = next_input(&again)))
    result[ends[key(record, warps)]++] = record;
}

static bool is_possible(const struct gc_sorted *sorted, const uint64_t *record)
{
  const size_t number = launch_of(record, 0);
  const uint64_t block = (uint32_t)record[1], warp = record[1] >> 32 & GPU_TRACE_WARP_MASK;

  return number < sorted->count && block < sorted->launches[number].blocks &&
         warp < sorted->launches[number].warps && !(what_of(record) >> 30) && mask_of(record);
}

static size_t count_warps(const struct gc_gathered_launch *launch)
{
  return (size_t)launch->blocks * launch->warps;
}

/* Counts the records, and takes memory for all of them and for the largest launch. */
static int begin_sort(struct gc_sorted *sorted)
{
  struct walk walk = {sorted->gathered, 0, 0};
  const uint64_t *record;
  size_t sum = 0, most_records = 0, most_warps = 0;

  sorted->launch_ends = calloc(sorted->count + 1, sizeof *sorted->launch_ends);
  if (!sorted->launch_ends)
    return -ENOMEM;
  for (; (record = next_record(&walk)); sum++) {
    if (!is_possible(sorted, record))
      return -EBADMSG;
    sorted->launch_ends[launch_of(record, 0)]++;
  }
  for (size_t i = 0; i < sorted->count; i++) {
    const size_t records = sorted->launch_ends[i], warps = count_warps(&sorted->launches[i]);

    most_records = records > most_records ? records : most_records;
    most_warps = warps > most_warps ? warps : most_warps;
  }
  sorted->by_warp = calloc(most_records + 1, sizeof *sorted->by_warp);
  sorted->warp_ends = calloc(most_warps + 1, sizeof *sorted->warp_ends);
  if (sorted->count > 1)
    sorted->by_launch = calloc(sum + 1, sizeof *sorted->by_launch);
  return sorted->by_warp && sorted->warp_ends && (sorted->by_launch || sorted->count <= 1)
             ? 0
             : -ENOMEM;
}

int gc_gathered_sort(const struct gc_gathered *gathered, const struct gc_gathered_launch *launches,
                     size_t count, struct gc_sorted **result, struct gc_error *err)
{
  struct gc_sorted *sorted = calloc(1, sizeof *sorted);
  int status = -ENOMEM;

  if (sorted) {
    sorted->gathered = gathered;
    sorted->launches = launches;
    sorted->count = count;
    status = begin_sort(sorted);
  }
  if (!status && count > 1)
    sort((struct input){.walk = {gathered, 0, 0}}, launch_of, 0, sorted->launch_ends, count,
         sorted->by_launch);
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
  free(sorted->by_launch);
  free(sorted->launch_ends);
  free(sorted->by_warp);
  free(sorted->warp_ends);
  free(sorted);
}

int gc_sorted_write(struct gc_sorted *sorted, size_t launch, FILE *file, struct gc_error *err)
{
  const unsigned warps = sorted->launches[launch].warps;
  const size_t count = count_warps(&sorted->launches[launch]);
  struct chunk *chunk = malloc(sizeof *chunk);

  if (!chunk)
    return gc_fail(err, -ENOMEM, "out of memory");
  chunk->used = 0;
  chunk->file = file;
  sort(records_of(sorted, launch), warp_of, warps, sorted->warp_ends, count, sorted->by_warp);
  for (size_t warp = 0, i = 0; warp < count; warp++) {
    if (i == sorted->warp_ends[warp])
      continue;
    put_warp(chunk, warp / warps, warp % warps);
    for (; i < sorted->warp_ends[warp]; i++)
      put_record(chunk, sorted->by_warp[i]);
  }
  flush(chunk);
  free(chunk);
  return ferror(file) ? gc_fail(err, -EIO, "cannot write: %s", strerror(errno)) : 0;
}
