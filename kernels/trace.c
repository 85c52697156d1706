/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What NVIDIA's Sanitizer API calls before each memory access and barrier of a kernel that is
 * traced. The threads of a warp that arrive together write one record; trace.h has its format.
 *
 * These functions run in the middle of other code: no shared memory, no barriers, no stack.
 * The names and parameters are those of sanitizer_patching.h.
 */
#include "trace.h"

#define OPERATION static inline __attribute__((always_inline))
#define READ 1u /* flags of an access */
#define WRITE 2u
#define PREFETCH 8u

/* Results of a function: go on. */
#define GO_ON 0u

#define SPECIAL(name)                                                                              \
  OPERATION uint32_t name(void)                                                                    \
  {                                                                                                \
    uint32_t value;                                                                                \
                                                                                                   \
    __asm__ volatile("mov.u32 %0, %%" #name ";" : "=r"(value));                                    \
    return value;                                                                                  \
  }
SPECIAL(laneid)
SPECIAL(smid)
SPECIAL(total_smem_size)

OPERATION uint32_t active_threads(void)
{
  uint32_t mask;

  __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

OPERATION uint32_t from_thread32(uint32_t mask, uint32_t value, uint32_t lane)
{
  uint32_t got;

  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
                   : "=r"(got)
                   : "r"(value), "r"(lane), "r"(mask));
  return got;
}

OPERATION uint64_t from_thread(uint32_t mask, uint64_t value, uint32_t lane)
{
  const uint32_t low = from_thread32(mask, (uint32_t)value, lane);

  return (uint64_t)from_thread32(mask, (uint32_t)(value >> 32), lane) << 32 | low;
}

/* The threads for which the condition holds. */
OPERATION uint32_t threads_with(uint32_t mask, int condition)
{
  uint32_t result;

  __asm__ volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t"
                   "vote.sync.ballot.b32 %0, p, %2;\n\t}"
                   : "=r"(result)
                   : "r"((uint32_t)condition), "r"(mask));
  return result;
}

OPERATION void store(uint64_t address, uint64_t value)
{
  __asm__ volatile("st.global.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
}

OPERATION uint64_t add(uint64_t address, uint64_t value)
{
  uint64_t before;

  __asm__ volatile("atom.global.add.u64 %0, [%1], %2;"
                   : "=l"(before)
                   : "l"(address), "l"(value)
                   : "memory");
  return before;
}

/* Reserves words of the region of this SM. The address of the first one; 0: the region is full. */
OPERATION uint64_t reserve(const struct gpu_trace *trace, uint32_t count)
{
  const uint32_t region = smid() % trace->regions;
  const uint64_t at = add(trace->heads + 8 * region, count);

  return at + count <= trace->region_words ? trace->words + 8 * (region * trace->region_words + at)
                                           : 0;
}

/* The place of an instruction, as a record has it. */
OPERATION uint32_t place_of(const struct gpu_trace *trace, uint64_t pc)
{
  return pc - trace->start < trace->size ? (uint32_t)GPU_TRACE_PC(pc - trace->start)
                                         : GPU_TRACE_ELSEWHERE;
}

/* The number of this block in the trace, or UINT32_MAX. */
OPERATION uint32_t traced_block(const struct gpu_trace *trace)
{
  const uint32_t block = __nvvm_read_ptx_sreg_ctaid_x() +
                         __nvvm_read_ptx_sreg_nctaid_x() *
                             (__nvvm_read_ptx_sreg_ctaid_y() +
                              __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
  const uint32_t rest = block % trace->period;

  return rest < trace->group ? block / trace->period * trace->group + rest : UINT32_MAX;
}

OPERATION uint32_t warp_of_block(void)
{
  return (__nvvm_read_ptx_sreg_tid_x() +
          __nvvm_read_ptx_sreg_ntid_x() *
              (__nvvm_read_ptx_sreg_tid_y() +
               __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z())) /
         32;
}

/* How the addresses of the threads follow from one: the form, and words 2 and 3 of the record. */
struct shape {
  uint32_t form;
  uint64_t address, strides;
};

/* Whether a number is the same after it was cut to so many bits, with sign. */
OPERATION int fits(uint64_t value, uint32_t bits)
{
  return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits)) == value;
}

OPERATION struct shape shape_of(uint32_t mask, uint32_t lane, uint64_t address, uint32_t bytes)
{
  const uint32_t first = (uint32_t)__builtin_ctz(mask), place = lane - first;
  const uint64_t origin = from_thread(mask, address, first);
  const struct shape each = {GPU_TRACE_EACH, 0, 0};
  uint64_t stride, row;
  uint32_t others, n, log2;

  if (!threads_with(mask, address != origin + (uint64_t)place * bytes))
    return (struct shape){GPU_TRACE_CONSECUTIVE, origin - (uint64_t)first * bytes, 0};
  if (!(mask >> first & 2))
    return each;
  stride = from_thread(mask, address, (first + 1) & 31) - origin;
  others = threads_with(mask, address != origin + place * stride);
  if (!others)
    return (struct shape){GPU_TRACE_STRIDE, origin - first * stride, stride};
  n = (uint32_t)__builtin_ctz(others); /* the first thread of the second row */
  if (mask != UINT32_MAX || n & (n - 1))
    return each;
  log2 = (uint32_t)__builtin_ctz(n);
  row = from_thread(mask, address, n) - origin;
  if (!fits(stride, GPU_TRACE_STRIDE_BITS) || !fits(row, GPU_TRACE_ROW_BITS) ||
      threads_with(mask, address != origin + (lane & (n - 1)) * stride + (lane >> log2) * row))
    return each;
  return (struct shape){GPU_TRACE_ROWS, origin, GPU_TRACE_ROW_WORD(log2, stride, row)};
}

/* One record for the threads that are here. */
OPERATION void note(const struct gpu_trace *trace, uint64_t pc, uint32_t what, uint64_t address,
                    uint32_t bytes)
{
  uint32_t block, mask, lane, rank, count, fixed;
  struct shape shape;
  uint64_t at = 0;

  if (!trace)
    return;
  block = traced_block(trace);
  if (block == UINT32_MAX)
    return;
  mask = active_threads();
  lane = laneid();
  rank = (uint32_t)__builtin_popcount(mask & ((1u << lane) - 1));
  count = (uint32_t)__builtin_popcount(mask);
  shape = shape_of(mask, lane, address, bytes);
  fixed = shape.form == GPU_TRACE_CONSECUTIVE || shape.form == GPU_TRACE_EACH ? 3 : 4;
  if (!rank)
    at = reserve(trace, shape.form == GPU_TRACE_EACH ? 3 + count : fixed);
  at = from_thread(mask, at, (uint32_t)__builtin_ctz(mask));
  if (!at)
    return;
  what |= place_of(trace, pc) | GPU_TRACE_FORM(shape.form);
  for (uint32_t word = rank; word < fixed; word += count)
    store(at + 8 * word, word == 0   ? what | (uint64_t)mask << 32
                         : word == 1 ? block | (uint64_t)warp_of_block() << 32
                         : word == 2 ? shape.address
                                     : shape.strides);
  if (shape.form == GPU_TRACE_EACH)
    store(at + 8 * (3 + rank), address);
}

/* 1 to 16 bytes: the interface has no others. */
OPERATION uint32_t log2_of(uint32_t bytes)
{
  return (uint32_t)__builtin_ctz(bytes | 16);
}

OPERATION uint32_t access_operation(uint32_t flags)
{
  return flags & WRITE ? flags & READ ? GPU_TRACE_ATOMIC : GPU_TRACE_STORE : GPU_TRACE_LOAD;
}

uint32_t gpucache_global(const struct gpu_trace *trace, uint64_t pc, uint64_t address,
                         uint32_t bytes, uint32_t flags, const void *data)
{
  (void)data;
  if (!(flags & PREFETCH))
    note(trace, pc, GPU_TRACE_OPERATION(access_operation(flags)) | GPU_TRACE_SIZE(log2_of(bytes)),
         address, bytes);
  return GO_ON;
}

uint32_t gpucache_local(const struct gpu_trace *trace, uint64_t pc, uint64_t address,
                        uint32_t bytes, uint32_t flags, const void *data)
{
  (void)data;
  if (!(flags & PREFETCH))
    note(trace, pc,
         GPU_TRACE_OPERATION(flags & WRITE ? GPU_TRACE_LOCAL_STORE : GPU_TRACE_LOCAL_LOAD) |
             GPU_TRACE_SIZE(log2_of(bytes)),
         address, bytes);
  return GO_ON;
}

uint32_t gpucache_async(const struct gpu_trace *trace, uint64_t pc, uint64_t source,
                        uint32_t destination, uint32_t bytes)
{
  (void)destination;
  if (source)
    note(trace, pc, GPU_TRACE_OPERATION(GPU_TRACE_ASYNC) | GPU_TRACE_SIZE(log2_of(bytes)), source,
         bytes);
  return GO_ON;
}

/* A barrier of all warps only: others are not distinguished in a trace. */
uint32_t gpucache_barrier(const struct gpu_trace *trace, uint64_t pc, uint32_t number,
                          uint32_t threads, uint32_t flags)
{
  (void)number;
  (void)flags;
  if (!threads)
    note(trace, pc, GPU_TRACE_OPERATION(GPU_TRACE_BARRIER), 0, 0);
  return GO_ON;
}

/* The threads that are here do the same copy, of pieces of 16 bytes. */
OPERATION void note_bulk(const struct gpu_trace *trace, uint64_t pc, uint32_t operation,
                         uint64_t address, uint32_t pieces)
{
  const uint32_t mask = active_threads();

  if (laneid() != (uint32_t)__builtin_ctz(mask) || !pieces)
    return;
  /* The record has the pieces where others have their threads. */
  if (trace) {
    const uint32_t block = traced_block(trace);
    const uint64_t at = block == UINT32_MAX ? 0 : reserve(trace, 3);

    if (!at)
      return;
    store(at, GPU_TRACE_OPERATION(GPU_TRACE_BULK) | GPU_TRACE_SIZE(operation) |
                  place_of(trace, pc) | (uint64_t)pieces << 32);
    store(at + 8, block | (uint64_t)warp_of_block() << 32);
    store(at + 16, address);
  }
}

uint32_t gpucache_bulk_load(const struct gpu_trace *trace, uint64_t pc, uint64_t source,
                            uint32_t destination, uint32_t barrier, uint32_t data,
                            uint32_t multicast)
{
  (void)destination;
  (void)barrier;
  (void)multicast;
  note_bulk(trace, pc, GPU_TRACE_LOAD, source, data & 0xffff);
  return GO_ON;
}

uint32_t gpucache_bulk_store(const struct gpu_trace *trace, uint64_t pc, uint64_t destination,
                             uint32_t source, uint32_t pieces)
{
  (void)source;
  note_bulk(trace, pc, GPU_TRACE_STORE, destination, pieces);
  return GO_ON;
}

uint32_t gpucache_bulk_atomic(const struct gpu_trace *trace, uint64_t pc, uint64_t destination,
                              uint32_t source, uint32_t pieces)
{
  (void)source;
  note_bulk(trace, pc, GPU_TRACE_ATOMIC, destination, pieces);
  return GO_ON;
}

uint32_t gpucache_block(struct gpu_trace *trace, uint64_t pc)
{
  (void)pc;
  if (trace && !traced_block(trace))
    store((uint64_t)(uintptr_t)&trace->shared, total_smem_size());
  return GO_ON;
}
