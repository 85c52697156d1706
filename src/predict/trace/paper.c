/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The .trc files of Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory"
 * (HPCA 2014): the first line "blocksize: x y z", then one line for each access of a thread,
 * "thread direction address bytes", all decimal; direction is 0 for a load and 1 for a store.
 * Threads are numbered through the grid. A file has one kernel and does not have the size of the
 * grid. Instead of "blocksize:", the first line may have any word, as for the program that the
 * paper released.
 *
 * The lines of a block may be in any order of its threads, so a block is held in memory. Blocks may
 * be in any order: the tracer numbers those of a grid with two dimensions along y, and need not
 * execute them so. The i-th access of each thread of a warp belongs to one instruction, whose pc is
 * i; where the threads differ in direction or bytes, to several.
 */
#include "predict/trace/format.h"
#include "predict/trace/scan.h"

#include <errno.h>
#include <stdlib.h>

#define LANES 32
#define MOST_ACCESSES (UINT32_C(1) << 26) /* of a block: 1 GiB */
#define MOST_BLOCKS (UINT64_C(1) << 31)   /* that a grid has along x; their bits take 256 MiB */

/* Address, log2 of the bytes and direction. */
#define PACK(address, log2, store) ((address) << 4 | (uint64_t)(log2) << 1 | (uint64_t)(store))
#define ADDRESS(packed) ((packed) >> 4)
#define BYTES(packed) (1u << ((packed) >> 1 & 7))
#define IS_STORE(packed) ((packed)&1)
#define KIND(packed) ((packed)&15)

struct access {
  uint64_t packed;
  uint32_t next; /* of the same thread; an index, or NONE */
};
#define NONE UINT32_MAX

struct paper {
  unsigned threads; /* of a block */
  bool begun;       /* the kernel was handed over */
  uint64_t block;   /* the current one */
  uint64_t blocks;  /* so far */
  uint8_t *seen;    /* a bit for each block */
  size_t seen_bytes;
  struct access *accesses; /* of the block, in the order of the file */
  uint32_t count, room;
  uint32_t first[GC_TRACE_BLOCK_THREADS], last[GC_TRACE_BLOCK_THREADS];
  gc_trace_visitor *visit;
  void *data;
};

/* "WORD x y z" */
static bool read_size(const char *at, uint64_t dim[3])
{
  const char *word;
  size_t length;

  scan_blanks(&at);
  return (*at < '0' || *at > '9') && scan_word(&at, &word, &length) && scan_decimal(&at, &dim[0]) &&
         scan_decimal(&at, &dim[1]) && scan_decimal(&at, &dim[2]) && !*at;
}

static bool matches(const char *line)
{
  uint64_t dim[3];

  return read_size(line, dim);
}

static int open_paper(struct gc_trace *trace, struct gc_error *err)
{
  trace->own = calloc(1, sizeof(struct paper));
  return trace->own ? 0 : gc_stream_fail(trace->stream, err, -ENOMEM, "out of memory");
}

static void close_paper(void *own)
{
  struct paper *paper = own;

  if (paper) {
    free(paper->accesses);
    free(paper->seen);
  }
  free(paper);
}

static int next_kernel(struct gc_trace *trace, struct gc_trace_launch *launch, struct gc_error *err)
{
  struct paper *paper = trace->own;
  uint64_t dim[3];
  const char *line;
  int status;

  if (paper->begun)
    return 0;
  status = gc_stream_line(trace->stream, &line, err);
  if (status < 0)
    return status;
  read_size(line, dim); /* it matches */
  for (int i = 0; i < 3; i++)
    if (!dim[i] || dim[i] > GC_TRACE_BLOCK_THREADS)
      dim[0] = 0;
  if (!dim[0] || dim[0] * dim[1] * dim[2] > GC_TRACE_BLOCK_THREADS)
    return gc_stream_bad(trace->stream, err, "a block has from 1 to %d threads",
                         GC_TRACE_BLOCK_THREADS);
  paper->threads = (unsigned)(dim[0] * dim[1] * dim[2]);
  paper->begun = true;
  launch->threads_per_block = paper->threads;
  launch->warp_threads = LANES;
  return 1;
}

struct fields {
  uint64_t thread, packed;
};

/* "thread direction address bytes". NULL, or what is wrong. */
static const char *read_fields(const char *at, struct fields *fields)
{
  uint64_t direction, address, bytes;

  scan_blanks(&at);
  if (!scan_decimal(&at, &fields->thread) || !scan_decimal(&at, &direction) ||
      !scan_decimal(&at, &address) || !scan_decimal(&at, &bytes) || *at)
    return "this must be \"thread direction address bytes\", four decimal numbers";
  if (direction > 1)
    return "the direction is neither 0 (load) nor 1 (store)";
  if (!bytes || bytes > 16 || bytes & (bytes - 1))
    return "the bytes of an access are none of 1, 2, 4, 8 and 16";
  if (!gc_trace_is_global(address, (unsigned)bytes))
    return "the address is beyond the 57 bits of an address";
  fields->packed = PACK(address, __builtin_ctzll(bytes), direction);
  return NULL;
}

static int make_room(struct gc_trace *trace, struct gc_error *err)
{
  struct paper *paper = trace->own;
  const uint32_t room = paper->room ? 2 * paper->room : 4096;
  struct access *larger;

  if (paper->count < paper->room)
    return 0;
  if (paper->count == MOST_ACCESSES)
    return gc_stream_fail(trace->stream, err, -EFBIG, "the block %llu has more than %u accesses",
                          (unsigned long long)paper->block, MOST_ACCESSES);
  larger = realloc(paper->accesses, room * sizeof(*larger));
  if (!larger)
    return gc_stream_fail(trace->stream, err, -ENOMEM,
                          "out of memory after %u accesses of the block %llu", paper->count,
                          (unsigned long long)paper->block);
  paper->accesses = larger;
  paper->room = room;
  return 0;
}

static int add(struct gc_trace *trace, const struct fields *fields, struct gc_error *err)
{
  struct paper *paper = trace->own;
  const uint32_t thread = (uint32_t)(fields->thread % paper->threads);
  const int status = make_room(trace, err);

  if (status)
    return status;
  paper->accesses[paper->count] = (struct access){fields->packed, NONE};
  if (paper->first[thread] == NONE)
    paper->first[thread] = paper->count;
  else
    paper->accesses[paper->last[thread]].next = paper->count;
  paper->last[thread] = paper->count++;
  return 0;
}

/* Notes the block that the current line begins. 0, or a negative errno with a sentence. */
static int begin_block(struct gc_trace *trace, uint64_t thread, struct gc_error *err)
{
  struct paper *paper = trace->own;
  const uint64_t block = thread / paper->threads;
  const size_t byte = (size_t)(block / 8);

  if (block >= MOST_BLOCKS)
    return gc_stream_bad(trace->stream, err, "the thread %llu is in no grid",
                         (unsigned long long)thread);
  if (byte >= paper->seen_bytes) {
    const size_t bytes = 2 * byte + 64;
    uint8_t *larger = realloc(paper->seen, bytes);

    if (!larger)
      return gc_stream_fail(trace->stream, err, -ENOMEM, "out of memory");
    memset(larger + paper->seen_bytes, 0, bytes - paper->seen_bytes);
    paper->seen = larger;
    paper->seen_bytes = bytes;
  }
  if (paper->seen[byte] & 1 << block % 8)
    return gc_stream_bad(
        trace->stream, err,
        "the thread %llu belongs to an earlier block; sort the file: (sed 1q FILE; sed 1d "
        "FILE | sort -s -n -k1,1) > SORTED",
        (unsigned long long)thread);
  paper->seen[byte] |= (uint8_t)(1 << block % 8);
  paper->block = block;
  paper->blocks++;
  return 0;
}

/* Reads all accesses of the next block. 1, 0: the file has ended, or a negative errno. */
static int read_block(struct gc_trace *trace, struct gc_error *err)
{
  struct paper *paper = trace->own;
  struct fields fields;
  const char *line, *why;
  int status;

  memset(paper->first, 0xff, sizeof(paper->first));
  paper->count = 0;
  while ((status = gc_stream_line(trace->stream, &line, err)) == 1) {
    why = read_fields(line, &fields);
    if (why)
      return gc_stream_bad(trace->stream, err, "%s", why);
    if (!paper->count) {
      status = begin_block(trace, fields.thread, err);
      if (status)
        return status;
    }
    if (fields.thread / paper->threads != paper->block) {
      gc_stream_unread(trace->stream);
      break;
    }
    status = add(trace, &fields, err);
    if (status)
      return status;
  }
  if (!status && !paper->count && !paper->blocks)
    return gc_stream_bad(trace->stream, err, "the trace has no accesses: it is truncated");
  return status < 0 ? status : paper->count > 0;
}

/* Hands over the accesses at heads[], one for each thread of mask, as few instructions as possible.
 */
static int hand_over(struct paper *paper, unsigned warp, uint32_t pc, const uint32_t *heads,
                     uint64_t mask)
{
  struct gc_trace_instruction instruction = {.pc = pc, .count = 1, .hint = GC_TRACE_CACHED};
  int status = 0;

  while (mask && !status) {
    const uint64_t packed = paper->accesses[heads[__builtin_ctzll(mask)]].packed;

    instruction.operation = IS_STORE(packed) ? GC_TRACE_STORE : GC_TRACE_LOAD;
    instruction.bytes = BYTES(packed);
    instruction.mask = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
      const unsigned lane = (unsigned)__builtin_ctzll(left);
      const uint64_t other = paper->accesses[heads[lane]].packed;

      if (KIND(other) == KIND(packed)) {
        instruction.mask |= UINT64_C(1) << lane;
        instruction.addresses[lane] = ADDRESS(other);
      }
    }
    mask &= ~instruction.mask;
    status = paper->visit(warp, &instruction, paper->data);
  }
  return status;
}

static int visit_warp(struct paper *paper, unsigned warp)
{
  uint32_t *heads = &paper->first[warp * LANES];
  const unsigned left = paper->threads - warp * LANES, lanes = left < LANES ? left : LANES;
  int status = 0;

  for (uint32_t pc = 0; !status; pc++) {
    uint64_t mask = 0;

    for (unsigned lane = 0; lane < lanes; lane++)
      if (heads[lane] != NONE)
        mask |= UINT64_C(1) << lane;
    if (!mask)
      break;
    status = hand_over(paper, warp, pc, heads, mask);
    for (; mask; mask &= mask - 1)
      heads[__builtin_ctzll(mask)] = paper->accesses[heads[__builtin_ctzll(mask)]].next;
  }
  return status;
}

static int next_block(struct gc_trace *trace, gc_trace_visitor *visit, void *data, uint64_t *number,
                      struct gc_error *err)
{
  struct paper *paper = trace->own;
  int status = read_block(trace, err);

  if (status <= 0)
    return status;
  *number = paper->block;
  paper->visit = visit;
  paper->data = data;
  status = 0;
  for (unsigned warp = 0; visit && !status && warp * LANES < paper->threads; warp++)
    status = visit_warp(paper, warp);
  return status ? status : 1;
}

/* A file has one kernel. */
static int skip_kernel(struct gc_trace *trace)
{
  (void)trace;
  return 0;
}

const struct gc_trace_format gc_trace_paper = {
    .name = "a .trc file of Nugteren et al.",
    .matches = matches,
    .open = open_paper,
    .close = close_paper,
    .next_kernel = next_kernel,
    .next_block = next_block,
    .skip_kernel = skip_kernel,
};
