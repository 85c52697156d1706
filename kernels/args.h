/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What host and kernels say to each other. Included by both, compiled by gcc and by clang for three
 * targets: fixed-width types only, natural alignment, no padding, passed by value.
 *
 * Addresses are 64-bit numbers in the form of the path they belong to:
 *   global (.ca .cg .nc, scalar)   device address; a slot is 8 bytes and holds the address of the next slot
 *   constant               constant-space address; slot as above
 *   shared                 byte offset in the block's dynamic shared memory; slot is 4 bytes
 *   texture                texel index (one texel = 4 bytes); slot is one texel
 * A p-chase loads a slot, and the value it got is where it goes next.
 */
#ifndef GPU_ARGS_H
#define GPU_ARGS_H

#include <stdint.h>

#define GPU_HISTOGRAM_BINS 128
#define GPU_LATENCY_UNROLL 64
#define GPU_CONSTANT_BYTES 65536
#define GPU_NEVER UINT64_MAX
#define GPU_ANY_SM UINT32_MAX
#define GPU_EACH_SM (UINT32_MAX - 1)

/* What stands for an SM or CU in results is below this. On NVIDIA GPUs they are counted from 0 without
 * gaps; on AMD GPUs the number is made of where the CU is (which XCD, engine, array, CU), so most do not
 * exist. */
#define GPU_SM_BOUND 4096

/* AMD: how long a tick of the wall clock is, in ns, and what remains in units of 2^-32 ns. Each code object
 * has a variable gpu_tick of this type, for 100 MHz; the host, which knows better
 * (hipDeviceAttributeWallClockRate), writes it before the first launch. */
struct gpu_tick {
  uint32_t nanoseconds, fraction;
};

/* fill: writes a ring. For i in [0, count): the slot at base + (i * multiplier % count) * stride gets
 * first + ((i + 1) * multiplier % count) * step. multiplier must be coprime to count; 1 is sequential.
 * All threads of all blocks share the work. Same kernel for all targets. */
struct gpu_fill_args {
  uint64_t base;       /* device address of slot 0 */
  uint64_t count;      /* slots, < 2^32 */
  uint64_t stride;     /* bytes from slot to slot */
  uint64_t multiplier; /* < count or 1 */
  uint64_t first;      /* value that means slot 0 */
  uint64_t step;       /* value from slot to slot */
  uint32_t slot_bytes; /* 8 or 4 */
  uint32_t reserved;
};

/* touch: reads bytes [base, base + bytes) once per pass through L2 (.cg), stride bytes apart, shared
 * among all threads of the blocks that are on SM only_sm (GPU_ANY_SM: all). sink receives nothing in
 * practice; it keeps the loads alive. With only_sm set, every block of that SM reads everything;
 * GPU_EACH_SM: every block of all. */
struct gpu_touch_args {
  uint64_t base, bytes, stride;
  uint64_t sink; /* device address of 8 writable bytes */
  uint32_t passes;
  uint32_t only_sm;
};

/* chase_<path>: each block, one warp, runs one job: `warm` loads untimed, then `loads` dependent loads
 * each timed alone (clock, load, wait, clock). Whenever the chain arrives at `end` it goes on at `start`;
 * so one ring in memory serves jobs of all sizes. The untimed loads follow the chain as well; or, where
 * warm_step is not 0, they need none: all lanes make them, or a few more, side by side, from `start` on,
 * warm_step from one to the next, and from `start` again after `end`; then the chain begins at `start`.
 * (Not on paths that load one address for all lanes: constant, shared, scalar. These always follow the
 * chain.) */
struct gpu_chase_job {
  uint64_t start, end; /* end = GPU_NEVER: follow the ring as it is */
  uint32_t warm, loads;
};

/* What one block saw. Cycles are raw: they include the cost of reading the clock. */
struct gpu_chase_result {
  uint64_t cycles;     /* sum over the timed loads */
  uint64_t last;       /* where the chain stood at the end: proves that it ran */
  uint32_t histogram[GPU_HISTOGRAM_BINS]; /* bin = min((t - low) >> shift, bins - 1); t < low: bin 0 */
  uint32_t min, max;
  uint32_t slow;       /* timed loads with t >= threshold */
  uint32_t first_slow; /* index of the first of them, UINT32_MAX: none */
  uint32_t loads;      /* timed loads done */
  uint32_t sm;         /* SM or CU the block ran on */
};

struct gpu_chase_args {
  uint64_t jobs;    /* struct gpu_chase_job[blocks] */
  uint64_t results; /* struct gpu_chase_result[blocks] */
  uint64_t trace;   /* 0, or uint32_t[blocks * trace_stride]: t of every timed load, in order. Written
                       by the warp together once in 32 loads. */
  uint64_t texture; /* texture path: the texture object */
  uint32_t trace_stride;
  uint32_t low, shift, threshold;
  /* shared path: before warming, the block writes its own sequential ring: shared_count slots
   * shared_stride bytes apart. Else 0. */
  uint32_t shared_count, shared_stride;
  uint32_t warm_step; /* in the form of the path: bytes, or texels */
  /* together 0: block i runs job i. Else the SMs 0 to together - 1 work together, each on the job of its
   * number, and there is one result, to which they add histogram, slow, loads and cycles (less than 2^32
   * in all); behind it uint32_t[together] that count the blocks that each SM has run. Hardly anything but
   * the loads goes through L2. Who writes sets both to 0 before. */
  uint32_t together;
};

/* latency_<path>: one thread follows the ring without reading the clock in between, so that the
 * difference of two lengths is pure load latency: `warm` loads, then `repeats` times: n loads between
 * two clock reads, then 2n loads between two clock reads. n is a multiple of GPU_LATENCY_UNROLL. */
struct gpu_latency_result {
  uint32_t cycles_n, cycles_2n;
};

struct gpu_latency_args {
  uint64_t start;
  uint64_t results; /* struct gpu_latency_result[repeats] */
  uint64_t sink;    /* device address of 8 writable bytes: receives where the chain ended */
  uint64_t texture;
  uint32_t warm, n, repeats;
  uint32_t shared_count, shared_stride; /* as in gpu_chase_args */
  uint32_t reserved;
};

/* clock: block 0 reads the SM clock and the wall clock of the GPU, lets at least `nanoseconds` of the
 * latter pass, and reads both again and again meanwhile: longest_ns is the longest time between two
 * readings in a row. All blocks spin, so that the GPU is as busy as when measuring. */
struct gpu_clock_result {
  uint64_t cycles, nanoseconds;
  uint64_t longest_ns;
};

struct gpu_clock_args {
  uint64_t result; /* struct gpu_clock_result */
  uint64_t nanoseconds;
};

/* read_<path>, write_<path>: bandwidth. The warps of each block walk a region that is a circle of `bytes`
 * bytes; warp w of block b begins first + b * block_first + w * warp_first bytes into it. In each of
 * `count` turns a warp moves GPU_BANDWIDTH_ROWS rows that lie one behind the other, then it goes on `step`
 * bytes further. A row is 16 bytes in every lane, next to each other; only of constants all lanes read
 * the same 16, and these count once. All of it `repeats` times, each between two barriers of the block at
 * which the clocks are read. bytes and all distances are multiples of GPU_BANDWIDTH_ROWS rows, step is at
 * most bytes. Form of base: a byte address on every path; for textures a byte offset into one whose
 * texels have 16 bytes. */
#define GPU_BANDWIDTH_ROWS 8

struct gpu_bandwidth_result {
  uint64_t start, end;       /* clock of the SM */
  uint64_t start_ns, end_ns; /* wall clock of the GPU */
  uint64_t bytes;            /* moved by this block between them */
  uint32_t sm, reserved;
};

struct gpu_bandwidth_args {
  uint64_t base, bytes;
  uint64_t first, block_first, warp_first, step;
  uint64_t results; /* struct gpu_bandwidth_result[repeats * blocks], those of a repetition together */
  uint64_t sink;    /* device address of 8 writable bytes */
  uint64_t texture;
  uint32_t count, repeats;
};

/* The paths that kernels with walks choose among at run time. */
#define GPU_PATH_ca 0
#define GPU_PATH_nc 1
#define GPU_PATH_texture 2
#define GPU_PATH_constant 3
#define GPU_PATH_scalar 4

/* A walk: `loads` dependent loads, each timed alone, by warp `warp` of the block. Whenever the chain
 * arrives at `end` it goes on at `start`. */
struct gpu_walk {
  uint64_t start, end;
  uint32_t path, warp, loads, reserved;
};

/* pair: does walk b push what walk a loaded out of its cache? Each block, alone on its SM, runs a job:
 * a when its cache is cold, a again, a a third time as the control, then b, and a once more. What counts
 * as slow follows from the cold loads and the fastest of the second time. */
enum gpu_pair_phase { GPU_PAIR_COLD, GPU_PAIR_HOT, GPU_PAIR_CONTROL, GPU_PAIR_OTHER, GPU_PAIR_AGAIN, GPU_PAIR_PHASES };

struct gpu_pair_job {
  struct gpu_walk a, b;
};

struct gpu_pair_result {
  uint64_t cycles[GPU_PAIR_PHASES]; /* sums of raw cycles */
  uint32_t slow[GPU_PAIR_PHASES];   /* loads at or above the threshold; from the control on */
  uint32_t hot;                     /* fastest of the second time */
  uint32_t threshold, sm;
};

struct gpu_pair_args {
  uint64_t jobs;    /* struct gpu_pair_job[blocks] */
  uint64_t results; /* struct gpu_pair_result[blocks] */
  uint64_t texture;
};

/* roll_call: block after block, and in it warp after warp, walks the same few lines. Who is the first at
 * a cache finds it cold; all others at the same cache find it warm. Afterwards all do the walk `evict`
 * and then the first walk again, which tells what a hit costs. evict pushes those lines out of nearer
 * caches than the one in question; no loads where that is the nearest.
 * A block waits for its turn no longer than `patience` looks at the word `turn`, and takes it then. */
struct gpu_roll_call_result {
  uint32_t sm;
  uint32_t in_turn; /* 0: its turn had not come */
};

struct gpu_roll_call_args {
  struct gpu_walk walk, evict; /* warp: ignored */
  uint64_t results; /* struct gpu_roll_call_result[blocks] */
  uint64_t traces;  /* uint32_t[blocks][warps][2][walk.loads]: raw cycles, first then again */
  uint64_t turn;    /* uint32_t, 0 before the launch */
  uint64_t texture;
  uint32_t warps, patience;
};

/* mates: each block, one warp on a CU of its own, finds out who uses the same scalar cache. Block after block
 * looks for marks that those before it may have left. A mark is GPU_MATES_COPIES lines, `stride` bytes apart
 * and one mark behind the other from `lines` on, that are in the cache. The first GPU_MATES_MAX say how many
 * were there before; then for each of those who come next, `bits` that say the number of the first block.
 * Slow is a load of `threshold` raw cycles or more. A block waits for its turn no longer than `patience`
 * looks at the word `turn`, and takes it then. */
#define GPU_MATES_MAX 4 /* CUs that share one, at most: GCN has four */
#define GPU_MATES_COPIES 3
#define GPU_MATES_MARKS(bits) (GPU_MATES_MAX + (GPU_MATES_MAX - 1) * (bits))

struct gpu_mates_result {
  uint32_t sm;
  uint32_t in_turn; /* 0: its turn had not come */
  uint32_t rank;    /* how many were there before; GPU_MATES_MAX: so many or more */
  uint32_t leader;  /* block that was there first */
  uint32_t doubts;  /* marks of which some lines were there and some not */
};

struct gpu_mates_args {
  uint64_t lines;
  uint64_t results; /* struct gpu_mates_result[blocks] */
  uint64_t turn;    /* uint32_t, 0 before the launch */
  uint32_t stride, threshold;
  uint32_t bits, patience;
};

/* turn_constant, stretch: launches of several copies of these kernels that are on the GPU together, each
 * with one block on every SM, take turns at it: launch 0 first. Nobody begins or leaves before all blocks
 * of all launches have come: else the next ones would crowd where there is room. Jobs are of SMs, not of
 * blocks. None waits longer than `patience` looks at a word; who does leaves, and its result does not
 * become that of its job. */
struct gpu_turn {
  uint64_t come;   /* uint32_t, 0 before the first launch: how many blocks have come */
  uint64_t next;   /* uint32_t[sms], 0 before the first launch: which launch's turn it is */
  uint32_t blocks; /* of all launches */
  uint32_t launch; /* which of them this is */
  uint32_t sms, patience;
};

/* turn_constant: each SM's job is `loads` dependent loads of constants, each timed alone. Before its turn
 * it makes one, as a rehearsal; for that, a job without loads has a start too. */
#define GPU_TURN_REHEARSED UINT32_MAX /* loads in a result whose turn has not come */

struct gpu_turn_job {
  uint64_t start, end; /* as in gpu_chase_job */
  uint32_t loads, reserved;
};

struct gpu_turn_result {
  uint64_t cycles[2]; /* sums of loads faster than the threshold, and of the others */
  uint32_t slow;      /* how many others */
  uint32_t loads;
};

struct gpu_turn_args {
  struct gpu_turn turn;
  uint64_t jobs;    /* struct gpu_turn_job[sms] */
  uint64_t results; /* struct gpu_turn_result[sms] */
  uint32_t threshold;
  uint32_t reserved;
};

/* stretch: executes GPU_STRETCH_BYTES of code or more, once from its beginning to its end. It is in an
 * image of its own. */
#define GPU_STRETCH_BYTES 131072

struct gpu_stretch_args {
  struct gpu_turn turn;
  uint64_t sink; /* device address of 8 writable bytes */
};

/* census_<path>: each block, one warp, reads the `slots` slots of a region `passes` times, looks `each` of them
 * up, reads the region once more, looks the next ones up, and so on for `rounds` rounds. Looking up is one
 * timed load, and the same once more, which then hits. Slot i lies first + i * step, in the form of the path;
 * slots hold multiples of 8. Each reading begins at another slot and ends with the one before it. Which are
 * looked up follows from the number of the block, and what was seen stays in registers: until the end nothing
 * but slots goes through the cache.
 *
 * What is looked up is chosen by its rank, that is when it was read: ranks are cut in as many parts as all
 * blocks of all launches look times, and each part is looked at once. Those of one round are spread evenly,
 * so that SMs whose caches are in the same state count all of it together; those of one block and round are
 * far apart. */
#define GPU_CENSUS_LOOKS 64 /* rounds * each, at most */

/* Two bits for each look, the last ones lowest: its first load took `limit` raw cycles or less (2), its second
 * one did (1). */
struct gpu_census_result {
  uint64_t low, high;
};

struct gpu_census_args {
  uint64_t first, step;
  uint64_t results; /* struct gpu_census_result[blocks] */
  uint64_t texture;
  uint64_t scale;   /* see gpu_census_rank */
  uint32_t slots, limit;
  uint32_t passes, each, rounds; /* 1 or more */
  uint32_t from, all;            /* rounds of the launches before; of all launches */
  uint32_t grain, grains;        /* slots = grain * grains; no line has more slots than grain */
  uint32_t reserved;
};

static inline uint32_t gpu_census_hash(uint32_t x)
{
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/* The part that a block looks at the k-th time in this round of `all`: in the k-th of its stretches, which all
 * blocks share, in an order that begins anywhere. */
static inline uint32_t gpu_census_part(uint32_t block, uint32_t blocks, uint32_t k, uint32_t round,
                                       uint32_t all)
{
  const uint32_t parts = blocks * all;
  const uint32_t turned =
      block * all + round + (uint32_t)((uint64_t)gpu_census_hash(k) * parts >> 32);

  return k * parts + (turned < parts ? turned : turned - parts);
}

/* A rank in this part: how many slots were read before it. scale: 2^24 * slots / (all * each * blocks),
 * rounded down. */
static inline uint32_t gpu_census_rank(uint32_t part, uint64_t scale)
{
  return (uint32_t)((((uint64_t)part << 8 | gpu_census_hash(part) >> 24) * scale) >> 32);
}

/* The slot that the pass-th reading begins with: a line's first. */
static inline uint32_t gpu_census_start(uint32_t pass, uint32_t grain, uint32_t grains)
{
  return (uint32_t)((uint64_t)gpu_census_hash(pass + 1) * grains >> 32) * grain;
}

/* turn_census: the same of a region that lies in `banks` constant banks, `slots` slots of each, which launch
 * after launch has in its own: launch i bank i. Blocks of one SM take turns: all banks are read, then in the
 * same order each looks up `each` slots of its own, and so on, `warm` + `rounds` times. Which bank comes first,
 * and with which of its slots a reading begins, changes from time to time. Turns are counted from 0, and none
 * begins before all blocks of all launches have come. Looks are as in gpu_census_args, of the SMs that take part;
 * rounds count from `from` on, and what is seen in the first `warm` of them does not stay. */
#define GPU_TURN_CENSUS_LOOKS 16 /* each, at most */

struct gpu_turn_census_args {
  struct gpu_turn turn; /* launch: the bank */
  uint64_t first, step; /* as in gpu_census_args: of the bank. The region of bank i begins i * slots slots behind
                         * that, and goes on at the start of the bank after its end */
  uint64_t who;         /* uint32_t[turn.sms]: which of the SMs that take part it is; `count` or more: none */
  uint64_t results;     /* uint32_t[banks][count][rounds]: two bits for each look, as in gpu_census_result */
  uint64_t scale;       /* see gpu_census_rank */
  uint32_t slots, limit;
  uint32_t banks, count;
  uint32_t each, warm, rounds; /* warm is not more than rounds */
  uint32_t from, all;          /* as in gpu_census_args */
  uint32_t grain, grains;      /* the same, of one bank */
  uint32_t reserved;
};

/* The bank that comes first the pass-th time. */
static inline uint32_t gpu_turn_census_lead(uint32_t pass, uint32_t banks)
{
  return (uint32_t)((uint64_t)gpu_census_hash(~pass) * banks >> 32);
}

/* How many others come before a bank. */
static inline uint32_t gpu_turn_census_rank(uint32_t bank, uint32_t lead, uint32_t banks)
{
  return bank < lead ? bank + banks - lead : bank - lead;
}

/* constant_base: *result = constant-space address of the 64 KiB bank. */
struct gpu_constant_base_args {
  uint64_t result;
};

/* Every kernel there is: KERNEL(name, argument struct). Host tables are made of these lists; the entry
 * point in an object is gpu_<name>. First those that every GPU has. */
#define GPU_COMMON_KERNELS(KERNEL)                                                                 \
  KERNEL(fill, gpu_fill_args)                                                                      \
  KERNEL(touch, gpu_touch_args)                                                                    \
  KERNEL(clock, gpu_clock_args)                                                                    \
  KERNEL(chase_ca, gpu_chase_args)                                                                 \
  KERNEL(chase_cg, gpu_chase_args)                                                                 \
  KERNEL(chase_shared, gpu_chase_args)                                                             \
  KERNEL(latency_ca, gpu_latency_args)                                                             \
  KERNEL(latency_cg, gpu_latency_args)                                                             \
  KERNEL(latency_shared, gpu_latency_args)                                                         \
  KERNEL(read_ca, gpu_bandwidth_args)                                                              \
  KERNEL(read_cg, gpu_bandwidth_args)                                                              \
  KERNEL(read_shared, gpu_bandwidth_args)                                                          \
  KERNEL(write_cg, gpu_bandwidth_args)                                                             \
  KERNEL(write_shared, gpu_bandwidth_args)                                                         \
  KERNEL(pair, gpu_pair_args)                                                                      \
  KERNEL(roll_call, gpu_roll_call_args)                                                            \
  KERNEL(census_ca, gpu_census_args)

/* Those of paths that only NVIDIA GPUs have. */
#define GPU_NVIDIA_KERNELS(KERNEL)                                                                 \
  KERNEL(chase_nc, gpu_chase_args)                                                                 \
  KERNEL(chase_texture, gpu_chase_args)                                                            \
  KERNEL(chase_constant, gpu_chase_args)                                                           \
  KERNEL(latency_nc, gpu_latency_args)                                                             \
  KERNEL(latency_texture, gpu_latency_args)                                                        \
  KERNEL(latency_constant, gpu_latency_args)                                                       \
  KERNEL(read_nc, gpu_bandwidth_args)                                                              \
  KERNEL(read_texture, gpu_bandwidth_args)                                                         \
  KERNEL(read_constant, gpu_bandwidth_args)                                                        \
  KERNEL(census_nc, gpu_census_args)                                                               \
  KERNEL(census_texture, gpu_census_args)                                                          \
  KERNEL(census_constant, gpu_census_args)                                                         \
  KERNEL(constant_base, gpu_constant_base_args)                                                    \
  KERNEL(turn_constant, gpu_turn_args)                                                             \
  KERNEL(turn_census, gpu_turn_census_args)

/* And the one that is in an image of its own there. */
#define GPU_STRETCH_KERNELS(KERNEL) KERNEL(stretch, gpu_stretch_args)

/* Those of paths that only AMD GPUs have. */
#define GPU_AMD_KERNELS(KERNEL)                                                                    \
  KERNEL(mates, gpu_mates_args)                                                                    \
  KERNEL(chase_scalar, gpu_chase_args)                                                             \
  KERNEL(latency_scalar, gpu_latency_args)                                                         \
  KERNEL(census_scalar, gpu_census_args)                                                           \
  KERNEL(read_scalar, gpu_bandwidth_args)

#define GPU_KERNELS(KERNEL)                                                                        \
  GPU_COMMON_KERNELS(KERNEL)                                                                       \
  GPU_NVIDIA_KERNELS(KERNEL)                                                                       \
  GPU_STRETCH_KERNELS(KERNEL)                                                                      \
  GPU_AMD_KERNELS(KERNEL)

#endif
