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

/* 15 rows, or the strides of 31 threads, are a distance of 32 bits. */
#define MOST_ROW_BITS 28
#define MOST_STRIDE_BITS 27

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

OPERATION void store32(uint64_t address, uint32_t value)
{
  __asm__ volatile("st.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

OPERATION uint64_t load(uint64_t address)
{
  uint64_t value;

  __asm__ volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
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
  const uint32_t sm = smid(), region = sm < trace->regions ? sm : trace->regions - 1;
  const uint64_t place = trace->places + sizeof(struct gpu_trace_region) * region;
  const uint64_t at = add(place, 8 * count);

  return at + 8 * count <= load(place + 8) ? at : 0;
}

/* The place of an instruction, as a record has it. */
OPERATION uint32_t place_of(const struct gpu_trace *trace, uint64_t pc)
{
  return pc - trace->start < trace->size ? (uint32_t)GPU_TRACE_PC(pc - trace->start)
                                         : GPU_TRACE_ELSEWHERE;
}

/* Kernels of a graph that run in the same stream get the same pointer, to a table of all of them.
 * NULL: this kernel is not recorded. */
OPERATION const struct gpu_trace *of_this_grid(const struct gpu_trace *trace)
{
  uint64_t grid;

  if (!trace || !trace->of_graph)
    return trace;
  __asm__ volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
  trace += grid % GPU_TRACE_MOST_LAUNCHES;
  return trace->grid == grid ? trace : 0;
}

/* The number of this block in the trace, or UINT32_MAX. */
OPERATION uint32_t traced_block(const struct gpu_trace *trace)
{
  const uint32_t block = __nvvm_read_ptx_sreg_ctaid_x() +
                         __nvvm_read_ptx_sreg_nctaid_x() *
                             (__nvvm_read_ptx_sreg_ctaid_y() +
                              __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
  const uint32_t period = trace->period, group = trace->group;
  uint32_t whole = (uint32_t)((uint64_t)block * trace->inverse >> 32),
           rest = block - whole * period;

  if (rest >= period) { /* inverse is rounded down */
    rest -= period;
    whole++;
  }
  return rest < group ? whole * group + rest : UINT32_MAX;
}

OPERATION uint32_t warp_of_block(void)
{
  return (__nvvm_read_ptx_sreg_tid_x() +
          __nvvm_read_ptx_sreg_ntid_x() *
              (__nvvm_read_ptx_sreg_tid_y() +
               __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z())) /
         32;
}

/* Reserves a record of so many words and writes the first three. Its address; 0: there is no room.
 * Also notes the bytes of shared memory of a block, unless they are there already; the first block
 * may have no records. */
OPERATION uint64_t begin_record(const struct gpu_trace *trace, uint64_t what_and_threads,
                                uint32_t block, uint64_t address, uint32_t words)
{
  const uint32_t shared = total_smem_size();
  uint64_t at;

  if ((uint32_t)trace->shared != shared)
    store32((uint64_t)(uintptr_t)&trace->shared, shared);
  at = reserve(trace, words);
  if (!at)
    return 0;
  store(at, what_and_threads);
  store32(at + 8, block);
  store32(at + 12, warp_of_block() | trace->launch);
  store(at + 16, address);
  return at;
}

/* A record whose form has word 3. */
OPERATION void write_strides(const struct gpu_trace *trace, uint64_t what_and_threads,
                             uint32_t block, uint64_t address, uint64_t strides)
{
  const uint64_t at = begin_record(trace, what_and_threads, block, address, 4);

  if (at)
    store(at + 24, strides);
}

/* A record with the address of each thread. */
OPERATION void write_each(const struct gpu_trace *trace, uint32_t what, uint32_t mask,
                          uint32_t block, uint64_t address)
{
  const uint32_t rank = (uint32_t)__builtin_popcount(mask & ((1u << laneid()) - 1));
  uint64_t at = 0;

  if (!rank)
    at = begin_record(trace, what | GPU_TRACE_FORM(GPU_TRACE_EACH) | (uint64_t)mask << 32, block, 0,
                      3 + (uint32_t)__builtin_popcount(mask));
  at = from_thread(mask, at, (uint32_t)__builtin_ctz(mask));
  if (at)
    store(at + 8 * (3 + rank), address);
}

/* Whether a number is the same after it was cut to so many bits, with sign. */
OPERATION int fits(int32_t value, uint32_t bits)
{
  return (int32_t)((uint32_t)value << (32 - bits)) >> (32 - bits) == value;
}

/* One record for the threads that are here. Few values live at the same time: more registers than
 * there are would be saved in each call, also of blocks that are not recorded. So the distances
 * between threads have 32 bits; those that do not fit are written as addresses. The first thread
 * writes what its own address and strides tell of the others. */
OPERATION void write_access(const struct gpu_trace *trace, uint32_t what, uint32_t block,
                            uint64_t address, uint32_t bytes)
{
  const uint32_t mask = active_threads(), first = (uint32_t)__builtin_ctz(mask), lane = laneid();
  const uint64_t exact = address - from_thread(mask, address, first);
  const int32_t distance = (int32_t)exact;
  int32_t stride = 0, row = 0;
  uint32_t others, n, log2 = 0;

  if (!threads_with(mask, exact != (uint64_t)(lane - first) * bytes)) {
    if (lane == first)
      begin_record(trace, what | (uint64_t)mask << 32, block, address - first * bytes, 3);
    return;
  }
  others = !(mask >> first & 2) || threads_with(mask, exact != (uint64_t)(int64_t)distance);
  if (!others) {
    stride = (int32_t)from_thread32(mask, (uint32_t)distance, first + 1);
    others = threads_with(mask, distance != (int32_t)((lane - first) * (uint32_t)stride));
    if (others) {
      n = (uint32_t)__builtin_ctz(others); /* the first thread of the second row */
      log2 = (uint32_t)__builtin_ctz(n);
      row = (int32_t)from_thread32(mask, (uint32_t)distance, n);
      others = n & (n - 1) || mask != UINT32_MAX || !fits(row, MOST_ROW_BITS) ||
               threads_with(mask, distance != (int32_t)((lane & (n - 1)) * (uint32_t)stride +
                                                        (lane >> log2) * (uint32_t)row));
    }
  }
  if (others || !fits(stride, log2 ? GPU_TRACE_STRIDE_BITS : MOST_STRIDE_BITS))
    write_each(trace, what, mask, block, address);
  else if (lane == first)
    write_strides(trace,
                  what | GPU_TRACE_FORM(log2 ? GPU_TRACE_ROWS : GPU_TRACE_STRIDE) |
                      (uint64_t)mask << 32,
                  block, address - (uint64_t)((int64_t)first * stride),
                  log2 ? GPU_TRACE_ROW_WORD(log2, (uint32_t)stride, (int64_t)row)
                       : (uint64_t)(int64_t)stride);
}

OPERATION void note(const struct gpu_trace *trace, uint64_t pc, uint32_t what, uint64_t address,
                    uint32_t bytes)
{
  uint32_t block;

  trace = of_this_grid(trace);
  if (!trace)
    return;
  block = traced_block(trace);
  if (block != UINT32_MAX)
    write_access(trace, what | place_of(trace, pc), block, address, bytes);
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
  trace = of_this_grid(trace);
  if (trace) {
    const uint32_t block = traced_block(trace);

    /* The record has the pieces where others have their threads. */
    if (block != UINT32_MAX)
      begin_record(trace,
                   GPU_TRACE_OPERATION(GPU_TRACE_BULK) | GPU_TRACE_SIZE(operation) |
                       place_of(trace, pc) | (uint64_t)pieces << 32,
                   block, address, 3);
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
