/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes traces in version 2 of our format, as the tracer does (doc/traces.md).
 */
#ifndef TESTS_PREDICT_BINARY_TRACE_H
#define TESTS_PREDICT_BINARY_TRACE_H

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum record_operation {
  R_LOAD,
  R_STORE,
  R_ATOMIC,
  R_BARRIER,
  R_LOCAL_LOAD,
  R_LOCAL_STORE,
  R_ASYNC,
  R_BULK
};
enum record_form { R_ROW, R_STRIDE, R_LIST, R_ROWS };

/* A chunk in memory. */
struct chunk {
  char *bytes;
  size_t size;
  FILE *out;
};

static inline void put32(FILE *out, uint32_t value)
{
  value = htole32(value);
  fwrite(&value, 4, 1, out);
}

static inline void put64(FILE *out, uint64_t value)
{
  value = htole64(value);
  fwrite(&value, 8, 1, out);
}

static inline void put_record(FILE *out, uint32_t what, uint32_t mask, uint64_t address)
{
  put32(out, what);
  put32(out, mask);
  put64(out, address);
}

/* The first word of a record. size: the logarithm of the bytes, or what a bulk copy does. */
static inline uint32_t what_of(uint32_t pc, enum record_operation operation, unsigned size,
                               enum record_form form)
{
  return pc / 8 | (uint32_t)operation << 22 | (uint32_t)size << 25 | (uint32_t)form << 28;
}

static inline void put_warp(FILE *out, uint64_t block, uint32_t warp)
{
  put_record(out, UINT32_C(1) << 31, warp, block);
}

static inline void begin_chunk(struct chunk *chunk)
{
  chunk->out = open_memstream(&chunk->bytes, &chunk->size);
  if (!chunk->out)
    abort();
}

/* Writes the chunk to the file. */
static inline void end_chunk(struct chunk *chunk, FILE *file)
{
  fclose(chunk->out);
  fprintf(file, "accesses %zu\n", chunk->size);
  fwrite(chunk->bytes, 1, chunk->size, file);
  free(chunk->bytes);
}

#endif
