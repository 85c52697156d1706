/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface between host and kernels: arguments, jobs and results. gcc compiles it for the
 * host, clang for the GPU targets. So it has fixed-width types only, natural alignment and no
 * padding. Arguments are passed by value.
 *
 * An address is a 64-bit number in the address space of its path:
 *   global (.ca .cg .nc, scalar)  device address; a slot has 8 bytes and holds the next address
 *   constant                      address in constant space; slots as above
 *   shared                        byte offset in dynamic shared memory; a slot has 4 bytes
 *   texture                       index of a texel of 4 bytes; a slot is one texel
 * In a p-chase each load reads the address of the next load.
 *
 * Where the comment of a uint64_t names a type, such as "struct gpu_chase_result[blocks]", the
 * field is the device address of such an array. The host allocates jobs and results; kernels read
 * jobs and write results.
 *
 * Cycles are cycles of the SM clock. Raw cycles include the cost of reading the clock.
 * doc/methods.md explains the methods.
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

/* A result names an SM or CU by a number below 4096. NVIDIA GPUs number them from 0 without gaps.
 * On AMD GPUs the number states where the CU is (XCD, shader engine, array, CU), so most numbers
 * are unused. */

/* AMD: the length of a tick of the wall clock: whole ns, and the rest in units of 2^-32 ns. Each
 * code object has a variable gpu_tick of this type, initialized for 100 MHz. Before the first
 * launch the host overwrites it if hipDeviceAttributeWallClockRate reports another rate. */
struct gpu_tick {
  uint32_t nanoseconds, fraction;
};

/* fill: writes a ring. For i in [0, count): the slot at base + (i * multiplier % count) * stride
 * gets first + ((i + 1) * multiplier % count) * step. The multiplier must be coprime to count; 1
 * makes a sequential ring. All threads of all blocks share the work. Every target has this
 * kernel. */
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

/* touch: reads bytes [base, base + bytes) through L2 (.cg), once per pass, stride bytes apart. With
 * only_sm = GPU_ANY_SM the threads of all blocks share the work. With the number of an SM, every
 * block on that SM reads everything and the others do nothing; with GPU_EACH_SM, every block reads
 * everything. The kernel uses the sum of the values, so that the compiler keeps the loads; in
 * practice it never writes to sink. */
struct gpu_touch_args {
  uint64_t base, bytes, stride;
  uint64_t sink; /* device address of 8 writable bytes */
  uint32_t passes;
  uint32_t only_sm;
};

/* chase_<path>: the first warp of each block runs one job, the others exit: `warm` untimed loads,
 * then `loads` dependent loads, each timed alone (clock, load, wait, clock). When the chain reaches
 * `end` it continues at `start`, so that one ring in memory serves jobs of all sizes. With
 * warm_step = 0 the untimed loads follow the chain. Otherwise they are independent: the lanes share
 * `warm` loads of addresses warm_step apart, from `start` up to `end` and again from `start`; then
 * the timed chain begins at `start`. On constant, shared and scalar paths all lanes load one
 * address, so the untimed loads always follow the chain there, and so do those of chase_system. Its
 * loads are atomic additions of 0 that return the old value, at the scope of the whole system. */
struct gpu_chase_job {
  uint64_t start, end; /* GPU_NEVER as end: follow the ring to its own end */
  uint32_t warm, loads;
};

/* The result of one block, in raw cycles. */
struct gpu_chase_result {
  uint64_t cycles;     /* sum over the timed loads */
  uint64_t last;       /* address that the chain reached: proves that it ran */
  uint32_t histogram[GPU_HISTOGRAM_BINS]; /* bin min((t - low) >> shift, bins - 1); t < low: 0 */
  uint32_t min, max;
  uint32_t slow;       /* timed loads with t >= threshold */
  uint32_t first_slow; /* index of the first of them, UINT32_MAX: none */
  uint32_t loads;      /* timed loads done */
  uint32_t sm;         /* SM or CU the block ran on */
};

struct gpu_chase_args {
  uint64_t jobs;    /* struct gpu_chase_job[blocks] */
  uint64_t results; /* struct gpu_chase_result[blocks] */
  uint64_t trace;   /* 0, or uint32_t[blocks * trace_stride]: raw cycles of the timed loads, in
                       order. The warp writes them together, once every 32 loads. */
  uint64_t texture; /* texture path: the texture object; chase_system: 0, which it adds */
  uint32_t trace_stride;
  uint32_t low, shift, threshold;
  /* Shared path: before the first load the block writes a sequential ring of shared_count slots,
   * shared_stride bytes apart. Other paths: 0. */
  uint32_t shared_count, shared_stride;
  uint32_t warm_step; /* in the address space of the path: bytes, or texels */
  uint32_t reserved;
};

/* rounds: the first warp of each block runs `rounds` jobs, one after another, through the path cg.
 * The addresses are computed, so nothing has to be laid; but memory must not hold all ones. If
 * polls_max is not 0 (only with SMs), no block begins a round before all blocks have ended the one
 * before, and a block exits if it has polled for that so often. Apart from the loads there is almost
 * no L2 traffic. */
enum gpu_round_how {
  GPU_ROUND_TOGETHER, /* independent loads, which the lanes share */
  GPU_ROUND_CHAINED,  /* one load after another */
};

/* Loads `step` bytes apart from `at` on; at `end`, or behind it, the addresses go back by `back`
 * bytes. TOGETHER: from `at` to `end` and again from `at`. Then `timed` loads from `at` on, one after
 * another, each timed alone. Between both nothing else is read, so the page of the jobs takes no
 * entry of a TLB there. */
struct gpu_round {
  uint64_t at, end, step, back;
  uint32_t loads, how; /* enum gpu_round_how */
  uint32_t timed;
  uint32_t result; /* where to add histogram, slow loads, cycles and timed loads, and the trace */
};

struct gpu_rounds_args {
  uint64_t jobs;    /* struct gpu_round[blocks, or SMs][rounds] */
  uint64_t results; /* struct gpu_chase_result[], 0 before the launch, sums less than 2^32; 0: none */
  uint64_t trace;   /* 0, or uint32_t[][trace_stride]: as in gpu_chase_args, by `result` */
  uint64_t arrived; /* uint32_t, 0 before the launch: blocks that have ended a round */
  uint64_t done;    /* sms 0: uint32_t[blocks]: the SM of each. Otherwise uint32_t[sms], 0 before the
                       launch: rounds that each SM has ended */
  uint32_t sms;     /* 0: block i runs the jobs i; otherwise SM i, for each i below this number */
  uint32_t rounds, polls_max, trace_stride;
  uint32_t low, shift, threshold;
  uint32_t reserved;
};

/* marks_<path>: as chase_<path> with untimed loads that follow the chain, but of each timed load only
 * two bits are kept: bit k of `slow`: timed load k took `threshold` raw cycles or more; of `late`:
 * `late` raw cycles or more. Nothing is stored before the last load. */
#define GPU_MARKS 2048 /* most timed loads */

struct gpu_marks_result {
  uint32_t slow[GPU_MARKS / 32], late[GPU_MARKS / 32];
  uint64_t last;      /* address that the chain reached */
  uint32_t loads, sm; /* as in gpu_chase_result */
};

struct gpu_marks_args {
  uint64_t jobs;    /* struct gpu_chase_job[blocks] */
  uint64_t results; /* struct gpu_marks_result[blocks] */
  uint64_t texture;
  uint32_t threshold, late;
};

/* latency_<path>: one thread follows the ring. After `warm` loads it times, `repeats` times, a run
 * of n loads and a run of 2n loads, each run between two clock reads. The difference of the two
 * times is the latency of n loads without any clock read. n is a multiple of GPU_LATENCY_UNROLL. */
struct gpu_latency_result {
  uint32_t cycles_n, cycles_2n;
};

struct gpu_latency_args {
  uint64_t start;
  uint64_t results; /* struct gpu_latency_result[repeats] */
  uint64_t sink;    /* uint64_t: receives the address that the chain reached */
  uint64_t texture;
  uint32_t warm, n, repeats;
  uint32_t shared_count, shared_stride; /* as in gpu_chase_args */
  uint32_t reserved;
};

/* conflicts: loads of shared memory by all lanes of a warp. Each block is one warp. It runs `count`
 * jobs one after another: lane i loads from (i & mask) * stride, again and again, each load at the
 * address that the one before it returned. Loads are timed as in latency_<path>. */
struct gpu_conflicts_job {
  uint32_t mask, stride; /* stride: bytes, a multiple of 4 */
};

struct gpu_conflicts_args {
  uint64_t jobs;    /* struct gpu_conflicts_job[blocks][count] */
  uint64_t results; /* struct gpu_latency_result[blocks][count][repeats] */
  uint64_t sms;     /* uint32_t[blocks]: the SM that each block ran on */
  uint32_t count, repeats;
  uint32_t n;       /* loads, a multiple of GPU_LATENCY_UNROLL */
  uint32_t reserved;
};

/* lines_atomic: latency of atomic operations on global memory. Each block is one thread. It visits
 * `lines` words of 8 bytes, `stride` bytes apart, and begins at another word than its neighbours.
 * The operation adds 0 and returns the old value, which is the address of the word itself, so that
 * each operation waits for the one before it. They are timed as in latency_<path>, but n is a
 * multiple of GPU_LINES_UNROLL. */
#define GPU_LINES_UNROLL 8

struct gpu_lines_args {
  uint64_t first, stride;
  uint64_t results; /* struct gpu_latency_result[blocks][lines] */
  uint64_t sms;     /* uint32_t[blocks]: the SM that each block ran on */
  uint32_t lines, n;
};

/* slices: up to two jobs at the same time, each on SMs of its own. An SM has a role in a job:
 * GPU_SLICES_BUSY: it keeps the line at `busy` busy with atomic operations that add 0, until the
 * word at `done` is `until`, but at most GPU_SLICES_ROUNDS times.
 * i + 1: it waits for `head` cycles, times single atomic operations on the lines i, i + probers,
 * i + 2 * probers … of the job, and then adds 1 to `done`.
 * 0: it does nothing.
 * The result of a line is the raw time of the fastest of `repeats` operations, at most 65535, plus
 * `tag` * 65536. */
#define GPU_SLICES_BUSY UINT32_MAX
#define GPU_SLICES_ROUNDS 1024
#define GPU_SLICES_JOBS 2

struct gpu_slices_job {
  uint64_t roles; /* uint32_t[sms], by number of the SM; 0: there is no such job */
  uint64_t busy;  /* a line of 128 bytes; 0: none, the SMs with that role do nothing */
  uint32_t first, count, probers; /* first: of `count` lines, and of their results */
  uint32_t operations; /* on pieces of 32 bytes of the busy line that are under way at a time; only
                          the simulator needs to know */
};

struct gpu_slices_args {
  uint64_t lines;   /* uint64_t[...]: addresses of slots of 8 bytes */
  uint64_t results; /* uint32_t[...] */
  uint64_t done;    /* uint32_t */
  struct gpu_slices_job job[GPU_SLICES_JOBS];
  uint32_t until, repeats, sms, head;
  uint32_t tag; /* below 65536 */
  uint32_t reserved;
};

/* read_lines: the block on the SM with role i + 1 reads GPU_READ_LINES lines, those from i *
 * GPU_READ_LINES on, through L2 (.cg), `rounds` times. All loads of a round are under way at the
 * same time. Each block is one warp. With a role of 0 it does nothing. */
#define GPU_READ_LINES 8

struct gpu_read_lines_result {
  uint64_t start_ns, end_ns; /* wall clock of the GPU */
  uint32_t role, sm;
};

struct gpu_read_lines_args {
  uint64_t lines;   /* uint64_t[...]: addresses of lines of 128 bytes */
  uint64_t roles;   /* uint32_t[sms], by number of the SM */
  uint64_t results; /* struct gpu_read_lines_result[blocks] */
  uint64_t sink;    /* device address of 8 writable bytes */
  uint32_t sms, rounds;
};

/* clock: compares the SM clock with the GPU's wall clock. Block 0 reads both until at least
 * `nanoseconds` have passed and reports both differences; longest_ns is the longest time between
 * two successive readings. All blocks spin for as long, so that the GPU is as busy as during
 * measurements. */
struct gpu_clock_result {
  uint64_t cycles, nanoseconds;
  uint64_t longest_ns;
};

struct gpu_clock_args {
  uint64_t result; /* struct gpu_clock_result */
  uint64_t nanoseconds;
};

/* read_<path>, write_<path>: bandwidth. The warps of each block walk a circular region of `bytes`
 * bytes. Warp w of block b begins first + b * block_first + w * warp_first bytes into it. In each
 * of `count` iterations a warp moves GPU_BANDWIDTH_ROWS adjacent rows and then advances by `step`
 * bytes. A row is 16 bytes per lane, adjacent to each other; in read_words 4, in read_pairs 8. From constant memory all lanes read
 * the same 16 bytes, which count once. The kernel does all of this `repeats` times; block barriers
 * and clock reads enclose each repetition. bytes, step and all offsets are multiples of
 * GPU_BANDWIDTH_ROWS rows, and step <= bytes. base is a byte address on every path; for textures it
 * is a byte offset into a texture of 16-byte texels. */
#define GPU_BANDWIDTH_ROWS 8

/* atomics_cg, atomics_shared: the rate of atomic operations on one word. Every lane adds to the
 * word of 4 bytes at base + first % bytes, count * GPU_BANDWIDTH_ROWS times, and gets the old
 * values. Arguments and results are those of read_<path>, but `bytes` of a result is the number of
 * operations. */

struct gpu_bandwidth_result {
  uint64_t start, end;       /* clock of the SM */
  uint64_t start_ns, end_ns; /* wall clock of the GPU */
  uint64_t bytes;            /* moved by this block between start and end */
  uint32_t sm, reserved;
};

struct gpu_bandwidth_args {
  uint64_t base, bytes;
  uint64_t first, block_first, warp_first, step;
  uint64_t results; /* struct gpu_bandwidth_result[repeats * blocks], ordered by repetition */
  uint64_t sink;    /* device address of 8 writable bytes */
  uint64_t texture;
  uint32_t count, repeats;
};

/* sweep: all blocks together read the region once through L2 (.cg), or, if value is not 0, store to
 * it; every word gets another value, which depends on `value`. Its size is a multiple of
 * GPU_BANDWIDTH_ROWS rows of 16 bytes per lane. */
struct gpu_sweep_result {
  uint64_t start_ns, end_ns; /* wall clock of the GPU */
};

struct gpu_sweep_args {
  uint64_t base, bytes;
  uint64_t results; /* struct gpu_sweep_result[blocks] */
  uint64_t sink;    /* device address of 8 writable bytes */
  uint32_t value;
  uint32_t wait_ns; /* before the blocks begin */
};

/* under_load: the last blocks, so many as there are chains, each follow a chain through L2 (.cg):
 * `warm` untimed loads, then `loads` loads, each timed alone. Each warp of the other blocks reads
 * an array of its own of `bytes` bytes, a multiple of GPU_BANDWIDTH_ROWS rows, in order and again
 * from its begin, until all chains have ended; but at most `count` times GPU_BANDWIDTH_ROWS rows,
 * so that it ends even if a chain never begins. The array of warp w of block b begins b *
 * block_first + w * warp_first bytes behind `base`. */
struct gpu_under_load_args {
  uint64_t starts; /* uint64_t[chains] */
  uint64_t trace;  /* uint32_t[chains][loads]: raw cycles */
  uint64_t done;   /* uint32_t, 0 before the launch: chains that have ended */
  uint64_t base, bytes;
  uint64_t block_first, warp_first;
  uint64_t first;   /* bytes of its array that a warp skips at the begin */
  uint64_t results; /* struct gpu_bandwidth_result[blocks], without wall clock; those of chains have
                       only the SM */
  uint64_t sink;    /* device address of 8 writable bytes */
  uint32_t warm, loads, count, chains;
};

/* outstanding: the block on SM `only_sm` makes batches of loads; all other blocks exit at once. In
 * round r the warps together load counts[r] lines that follow the lines of round r - 1, `stride`
 * bytes apart, with one load for each line; line i of a round is loaded by warp i % warps. So a
 * round has at most GPU_BATCH_LOADS lines for each warp. The loads of a warp do not wait for each
 * other. Before each round the warps meet at a barrier.
 *
 * departure: the same, but lane i of a warp loads from i * lane_stride bytes behind the address of
 * lane 0. */
#define GPU_BATCH_LOADS 32
#define GPU_BATCH_NEVER 99 /* see gpu_load_batch in gpu.h */

struct gpu_outstanding_args {
  uint64_t base;    /* device address of the first line */
  uint64_t counts;  /* uint32_t[rounds] */
  uint64_t results; /* uint32_t[rounds * warps]: raw cycles until all loads of the warp have
                       arrived */
  uint64_t blocks;  /* uint32_t, 0 before the launch: counts the blocks that ran */
  uint32_t stride, rounds;
  uint32_t only_sm;
  uint32_t never; /* GPU_BATCH_NEVER */
  uint32_t lane_stride; /* departure */
  uint32_t reserved;
};

/* shares: on each SM with a role, GPU_SHARES_BLOCKS blocks, all that a launch has for it, repeat
 * `loads` loads of each warp. Lane i loads from base + i * lane_stride; all loads of a lane are
 * within 4 * loads * warps bytes. Then the warp waits for its data. Times are cycles of the SM since
 * its last block arrived. Age is the order of the blocks' indices. The oldest block works alone from
 * alone_begin until alone_until. Then the block of age i, 0 being the oldest, begins at begin +
 * apart * GPU_SHARES_TURN(turns, i) and works until `until`. The kernel counts how often the loads of
 * a warp arrive: from alone_from until alone_until, and from `from` until `until`. Shared memory has
 * at least 4 bytes. */
#define GPU_SHARES_BLOCKS 8
#define GPU_SHARES_TURN(turns, i) ((turns) >> 4 * (i) & 15) /* the last block has the highest bits */

struct gpu_shares_result {
  uint64_t origin;  /* clock of the SM when its last block arrived; 0: fewer blocks arrived */
  uint32_t arrived; /* blocks */
  uint32_t written; /* those that have written `block` */
  uint32_t alone;   /* of the oldest block, the sum of its warps */
  uint32_t reserved;
  /* In the order of arrival: the index of the block, and the sum of its warps. */
  uint32_t block[GPU_SHARES_BLOCKS], together[GPU_SHARES_BLOCKS];
};

struct gpu_shares_args {
  uint64_t base;    /* device address */
  uint64_t roles;   /* uint32_t[sms]: 1 + index of the result; 0: no role */
  uint64_t results; /* struct gpu_shares_result[], 0 before the launch */
  uint32_t sms;
  uint32_t lane_stride, loads;
  uint32_t alone_begin, alone_from, alone_until;
  uint32_t begin, apart, from, until;
  uint32_t turns; /* 4 bits for each block */
  uint32_t never; /* GPU_BATCH_NEVER */
};

/* The path of a struct gpu_walk. */
#define GPU_PATH_ca 0
#define GPU_PATH_nc 1
#define GPU_PATH_texture 2
#define GPU_PATH_constant 3
#define GPU_PATH_scalar 4

/* A walk: `loads` dependent loads by warp `warp` of the block, each timed alone. When the chain
 * reaches `end` it continues at `start`. */
struct gpu_walk {
  uint64_t start, end;
  uint32_t path, warp, loads, reserved;
};

/* pair: does walk b evict what walk a loaded? Each block is alone on its SM and runs one job in
 * these phases: a with a cold cache, a again (hot), a a third time (control), then b (other), then
 * a once more (again). The threshold for a slow load lies between the fastest load of the hot phase
 * and the mean of the cold phase. */
enum gpu_pair_phase {
  GPU_PAIR_COLD,
  GPU_PAIR_HOT,
  GPU_PAIR_CONTROL,
  GPU_PAIR_OTHER,
  GPU_PAIR_AGAIN,
  GPU_PAIR_PHASES
};

struct gpu_pair_job {
  struct gpu_walk a, b;
};

struct gpu_pair_result {
  uint64_t cycles[GPU_PAIR_PHASES]; /* sums of raw cycles */
  uint32_t slow[GPU_PAIR_PHASES];   /* loads of the threshold or more; 0 before the control phase */
  uint32_t hot;                     /* fastest load of the hot phase */
  uint32_t threshold, sm;
};

struct gpu_pair_args {
  uint64_t jobs;    /* struct gpu_pair_job[blocks] */
  uint64_t results; /* struct gpu_pair_result[blocks] */
  uint64_t texture;
};

/* first_touch: block after block, and in each block warp after warp, walks the same few lines. The
 * first warp at a cache finds it cold; the later warps at that cache find it warm. Then each warp
 * walks `evict` and repeats the first walk, which shows the cost of a hit. `evict` evicts the lines
 * from caches nearer than the cache under test; it has no loads where that cache is the nearest. A
 * block waits for its ticket (the word `ticket` holds its number). After polls_max polls it
 * continues out of order. */
struct gpu_first_touch_result {
  uint32_t sm;
  uint32_t in_order; /* 0: it continued before its ticket came */
};

struct gpu_first_touch_args {
  struct gpu_walk walk, evict; /* warp: ignored */
  uint64_t results; /* struct gpu_first_touch_result[blocks] */
  uint64_t traces;  /* uint32_t[blocks][warps][2][walk.loads]: raw cycles, first and last walk */
  uint64_t ticket;  /* uint32_t, 0 before the launch */
  uint64_t texture;
  uint32_t warps, polls_max;
};

/* sharing_groups: which CUs share a scalar cache? Each block is one warp on a CU of its own. Block
 * after block probes for marks that earlier blocks left in its cache. A mark is GPU_GROUPS_COPIES
 * lines that are in the cache. Marks lie one behind the other from `lines` on, their lines `stride`
 * bytes apart. The first GPU_GROUPS_MAX marks count the blocks that came before. Then each later
 * block of the group has a set of `bits` marks from which it reads the number of the first block.
 * So the kernel needs GPU_GROUPS_COPIES * (GPU_GROUPS_MAX + (GPU_GROUPS_MAX - 1) * bits) lines. A
 * load of `threshold` raw cycles or more is a miss. Blocks wait for their tickets as in
 * first_touch. */
#define GPU_GROUPS_MAX 4 /* CUs that share one cache, at most: GCN has four */
#define GPU_GROUPS_COPIES 3

struct gpu_sharing_groups_result {
  uint32_t sm;
  uint32_t in_order; /* 0: it continued before its ticket came */
  uint32_t rank;     /* blocks at this cache before it; GPU_GROUPS_MAX: that many or more */
  uint32_t leader;   /* the first block at this cache */
  uint32_t doubts;   /* marks of which some lines hit and some missed */
};

struct gpu_sharing_groups_args {
  uint64_t lines;
  uint64_t results; /* struct gpu_sharing_groups_result[blocks] */
  uint64_t ticket;  /* uint32_t, 0 before the launch */
  uint32_t stride, threshold;
  uint32_t bits, polls_max;
};

/* constant_groups: which SMs share a constant cache behind the constant L1? Block after block probes
 * for the marks of the blocks before it, the latest one first. A mark is a constant that its block
 * has loaded. The first mark that the block finds in its cache is that of the latest block at the
 * same cache, because that block has loaded all marks before its own, too. A load of `threshold`
 * raw cycles or more is a miss. Then the block loads up to GPU_CONSTANT_CHECKS earlier marks, which
 * must hit, and at last its own mark. Block b has ticket (first + b * step) % blocks, and the mark
 * of that number. Blocks wait for their tickets as in first_touch. */
#define GPU_CONSTANT_CHECKS 3

struct gpu_constant_groups_result {
  uint32_t sm;
  uint32_t in_order; /* 0: it continued before its ticket came */
  uint32_t ticket;
  uint32_t previous; /* ticket of the latest block at the same cache; UINT32_MAX: there is none */
  uint32_t checks, missed; /* earlier marks; those that missed */
};

struct gpu_constant_groups_args {
  uint64_t base;    /* constant-space address of mark 0 */
  uint64_t results; /* struct gpu_constant_groups_result[blocks] */
  uint64_t ticket;  /* uint32_t, 0 before the launch */
  uint32_t stride;  /* from mark to mark, bytes */
  uint32_t threshold;
  uint32_t first, step;
  uint32_t polls_max, reserved;
};

/* The order of launches that run at the same time (banks_constant, banks_census, filler). Each
 * launch has one block per SM. On each SM the launches work one after another, in the order of
 * their numbers. No block begins or exits before all blocks of all launches have arrived; otherwise
 * later blocks would gather on the SMs that are free. Jobs and results belong to SMs, not to
 * blocks. A block polls a word at most polls_max times; then it exits and leaves the result of its
 * job unchanged. */
struct gpu_ticket {
  uint64_t arrived; /* uint32_t, 0 before the first launch: blocks that have arrived */
  uint64_t next;    /* uint32_t[sms], 0 before the first launch: the ticket that each SM serves */
  uint32_t blocks;  /* of all launches */
  uint32_t launch;  /* the number of this launch: its ticket */
  uint32_t sms, polls_max;
};

/* banks_constant: each SM has a job for each turn: `loads` dependent loads of constants, each timed
 * alone. A turn is also the number of its ticket; a launch takes the turns in `turns`, in ascending
 * order. Before the first ticket comes the block makes one load as a rehearsal, so that its code is
 * in the caches; therefore a job without loads needs a start, too. */
#define GPU_BANKS_REHEARSED UINT32_MAX /* result.loads before the ticket has come */
/* turns: one for each 4 bits, from the lowest on; there are no more where all bits are 1. */
#define GPU_BANKS_TURNS_MAX 15u /* in all launches; one launch has at most 8 */
#define GPU_BANKS_NO_TURN UINT32_MAX
#define GPU_BANKS_OTHER_TURNS(turns) ((turns) >> 4 | 0xf0000000u)

struct gpu_banks_job {
  uint64_t start, end; /* as in gpu_chase_job */
  uint32_t loads, reserved;
};

struct gpu_banks_result {
  uint64_t cycles[2]; /* raw: sums of loads faster than the threshold, and of the others */
  uint32_t slow;      /* the number of the others */
  uint32_t loads;
};

struct gpu_banks_args {
  struct gpu_ticket ticket; /* launch: not used */
  uint64_t jobs;            /* struct gpu_banks_job[turns][sms] */
  uint64_t results;         /* struct gpu_banks_result[turns][sms] */
  uint32_t threshold;
  uint32_t turns;
};

/* filler: executes at least GPU_FILLER_BYTES of straight-line code once. It has an image of its
 * own. */
#define GPU_FILLER_BYTES 131072

struct gpu_filler_args {
  struct gpu_ticket ticket;
  uint64_t sink; /* device address of 8 writable bytes */
};

/* remote_shared: each block of a cluster of `size` blocks follows a ring in the shared memory of
 * each block of the cluster, its own included; in step k block r reads that of block (r + k) % size,
 * so that no two read the same. As in latency_<path>, it times runs of n and 2n loads. The ring has
 * GPU_REMOTE_SLOTS slots of 4 bytes; n is a multiple of that. It has an image of its own, for GPUs
 * with clusters (sm_90 and later). */
#define GPU_REMOTE_SLOTS 32
#define GPU_REMOTE_UNROLL 8

struct gpu_remote_result {
  uint32_t cycles_n, cycles_2n;
  uint32_t sm;    /* of the block that reads */
  uint32_t ended; /* 1: the chain ended where it should */
};

struct gpu_remote_args {
  uint64_t results; /* struct gpu_remote_result[blocks][size] */
  uint32_t size, n;
};

/* bulk_latency and bulk_rate: copies of the bulk copy engine from global memory to shared memory. In
 * shared memory are GPU_BULK_PLACES barriers of 8 bytes, and from GPU_BULK_FIRST on as many places
 * for copies; each place has a barrier. A copy moves a multiple of 16 bytes to a place and then
 * completes its barrier, for which the warp waits. Each block is one warp. The copies walk through
 * `span` bytes from `base` on, again and again. The kernels have an image of their own, for sm_90 and
 * later. */
#define GPU_BULK_PLACES 4 /* a power of two */
#define GPU_BULK_FIRST 128
#define GPU_BULK_LEAST 16 /* bytes of the smallest copy */

/* bulk_latency: each block makes `copies` copies of GPU_BULK_LEAST bytes, `step` bytes apart, one
 * after another, and then the same again. It begins where the block before it ends. The second time
 * it times each copy, from its start until the warp has seen the barrier complete. Shared memory has
 * GPU_BULK_FIRST + GPU_BULK_LEAST bytes. */
struct gpu_bulk_latency_args {
  uint64_t base, span, step;
  uint64_t results; /* uint32_t[blocks][copies]: raw cycles */
  uint32_t copies, reserved;
};

/* bulk_rate: the block on SM only_sm keeps GPU_BULK_PLACES copies under way; the other blocks do
 * nothing. For each of `sizes` sizes, which begin at `bytes` and double, it does so `repeats` times:
 * it times a run of n copies and one of 2n copies, each from the start of the first copy to the end
 * of the last one. span is a multiple of the largest size. */
struct gpu_bulk_rate_args {
  uint64_t base, span;
  uint64_t results; /* struct gpu_latency_result[sizes][repeats] */
  uint32_t bytes, sizes, repeats, n;
  uint32_t only_sm, reserved;
};

/* jumps_near and jumps_far: code as a chain of blocks of GPU_JUMPS_BYTES bytes, which lie one behind
 * the other. A pass executes `blocks` of them, each once, and jumps from each to the next. Both have
 * one image of their own.
 *
 * jumps_near goes through modules of GPU_JUMPS_MODULE blocks in the order of their addresses, and
 * through the blocks of a module in the order of GPU_JUMPS_ORDER. So a pass through any number of
 * blocks is over code without large gaps, however much of the code around a block comes with it.
 *
 * jumps_far executes blocks 0, GPU_JUMPS_STRIDE, 2 * GPU_JUMPS_STRIDE ... below `blocks`. Then it
 * does the same from block GPU_JUMPS_SHIFT on, and so on: the next first block is GPU_JUMPS_SHIFT
 * behind the last one, modulo GPU_JUMPS_STRIDE. So what comes with a block is neither what follows nor
 * what is executed soon. */
#define GPU_JUMPS_BYTES 128
#define GPU_JUMPS_MODULE 32
#define GPU_JUMPS_NEAR 1536 /* blocks of jumps_near */
#define GPU_JUMPS_STRIDE 9
#define GPU_JUMPS_SHIFT 4
#define GPU_JUMPS_FAR 1728 /* blocks of jumps_far */

/* NEXT(module, block, module of the next one, next one): the order in module m. */
#define GPU_JUMPS_ORDER(NEXT, m, after)                                                            \
  NEXT(m, 0, m, 6) NEXT(m, 1, m, 30) NEXT(m, 2, m, 31) NEXT(m, 3, m, 21)                           \
  NEXT(m, 4, m, 27) NEXT(m, 5, m, 18) NEXT(m, 6, m, 26) NEXT(m, 7, m, 13)                          \
  NEXT(m, 8, m, 24) NEXT(m, 9, m, 28) NEXT(m, 10, m, 25) NEXT(m, 11, m, 14)                        \
  NEXT(m, 12, m, 29) NEXT(m, 13, m, 22) NEXT(m, 14, after, 0) NEXT(m, 15, m, 19)                   \
  NEXT(m, 16, m, 9) NEXT(m, 17, m, 23) NEXT(m, 18, m, 11) NEXT(m, 19, m, 12)                       \
  NEXT(m, 20, m, 3) NEXT(m, 21, m, 8) NEXT(m, 22, m, 2) NEXT(m, 23, m, 7)                          \
  NEXT(m, 24, m, 15) NEXT(m, 25, m, 20) NEXT(m, 26, m, 1) NEXT(m, 27, m, 5)                        \
  NEXT(m, 28, m, 4) NEXT(m, 29, m, 17) NEXT(m, 30, m, 10) NEXT(m, 31, m, 16)

/* In turns: the SMs with a turn execute the first size at the same time, and then, one turn after
 * another, all other sizes. On the simulator they skip the first size, because caches are empty. */
struct gpu_jumps_args {
  uint64_t sizes;  /* uint32_t[count]: how many blocks a pass executes */
  uint64_t cycles; /* uint32_t[SMs][count]: raw cycles of the last pass through each size */
  uint64_t turns;  /* 0: all SMs at the same time; else uint32_t[SMs], by number: 1 + how many SMs have
                      earlier turns. SMs with the same turn work at the same time. 0: the SM does
                      nothing */
  uint64_t words;  /* uint32_t[2], 0 before the launch: SMs whose turns have ended; that are ready */
  uint32_t count, passes;
  uint32_t every, from; /* SMs from, from + every, from + 2 * every ... work; they have the indices 0,
                           1, 2 ... in `cycles` */
  uint32_t last, polls_max; /* number of SMs with a turn; polls of a word, as in struct gpu_ticket */
};

/* census_<path>: each block is one warp. It reads the `slots` slots of a region `passes` times and
 * then makes `rounds` rounds: it probes `probes` of the slots, and reads the region once more
 * before the next round. A probe is two timed loads of one slot; the second load hits. Slot i lies
 * at first + i * step, in the address space of the path; slots hold multiples of 8. Each pass
 * begins at another slot and ends with the slot before it. The kernel computes which slots it
 * probes (census_order.h) and keeps its results in registers, so that until the end nothing but
 * slots goes through the cache. */
#define GPU_CENSUS_PROBES 64 /* rounds * probes, at most */

/* Two bits for each probe, the last probe in the lowest bits. Bit 1: the first load took `limit`
 * raw cycles or less. Bit 0: the second load did. */
struct gpu_census_result {
  uint64_t low, high;
};

struct gpu_census_args {
  uint64_t first, step;
  uint64_t results; /* struct gpu_census_result[blocks] */
  uint64_t texture;
  uint64_t scale;   /* see gpu_census_rank */
  uint32_t slots, limit;
  uint32_t passes, probes, rounds; /* each 1 or more */
  uint32_t from, all;              /* rounds of the earlier launches; rounds of all launches */
  uint32_t grain, grains;          /* slots = grain * grains; no line has more slots than grain */
  uint32_t reserved;
};

/* banks_census: a census of a region that spans `banks` constant banks, `slots` slots of each.
 * Launch i has bank i. On each SM the blocks of all launches work one after another: each reads its
 * bank; then, in the same order, each probes `probes` slots of its bank; and so on, warm + rounds
 * times. The bank that comes first changes from pass to pass, and so does the slot with which a
 * pass begins. Tickets count from 0; none is served before all blocks of all launches have arrived.
 * Probes are distributed over the participating SMs as in gpu_census_args. Rounds count from `from`
 * on; results of the first `warm` rounds are overwritten. */
#define GPU_BANKS_CENSUS_PROBES 16 /* probes, at most */

struct gpu_banks_census_args {
  struct gpu_ticket ticket; /* launch: the bank */
  /* As in gpu_census_args, of this bank. The region of bank i begins i * slots slots later, and
   * continues at the start of the bank behind its end. */
  uint64_t first, step;
  uint64_t participants; /* uint32_t[ticket.sms], read: each SM's index among the participating
                            SMs; `count` or more: it does not participate */
  uint64_t results;      /* uint32_t[banks][count][rounds]: bits as in gpu_census_result */
  uint64_t scale;        /* see gpu_census_rank */
  uint32_t slots, limit;
  uint32_t banks, count;         /* count: participating SMs */
  uint32_t probes, warm, rounds; /* warm <= rounds */
  uint32_t from, all;            /* as in gpu_census_args */
  uint32_t grain, grains;        /* as in gpu_census_args, of one bank */
  uint32_t reserved;
};

/* constant_base: *result = address of the 64 KiB bank in constant space. */
struct gpu_constant_base_args {
  uint64_t result;
};

/* stores_<path>: each block is one warp and has `places` places, place_step bytes apart. It loads the
 * first `before` of them, stores `bytes` bytes (0: none) at the beginning of each, waits, and times a
 * load of each, `offset` bytes behind its beginning. */
struct gpu_stores_args {
  uint64_t first; /* device address of the first place of block 0 */
  uint64_t block_step, place_step, offset;
  uint64_t trace; /* uint32_t[blocks * places]: raw cycles */
  uint64_t sms;   /* uint32_t[blocks]: the SM of each block */
  uint32_t places, bytes, before;
  uint32_t wait; /* cycles */
};

/* visible: block `writer` stores to `count` words that are 0, `step` bytes apart. Each other block
 * polls one of them through L2, block i word i % count, for at most `cycles` cycles. */
struct gpu_visible_result {
  uint32_t sm;
  uint32_t seen; /* 1: it has seen the store */
};

struct gpu_visible_args {
  uint64_t words, step;
  uint64_t results; /* struct gpu_visible_result[blocks] */
  uint32_t count, cycles, writer, reserved;
};

/* All kernels: KERNEL(name, argument struct, need, work). Host tables are made from these lists.
 * The entry point in an object is gpu_<name>.
 *   need: what the GPU must have. READ_ONLY, TEXTURE, CONSTANT, SCALAR: this path. CLUSTERS:
 *         thread-block clusters. BULK: bulk copies. CODE: machine code of kernels that jump. ANY:
 *         nothing of these
 *   work: TICKETS: blocks wait for one another, so that no two load at the same time. TURNS: the
 *         same, unless `turns` in gpu_jumps_args is 0. LATENCY: many loads are timed at once, so
 *         the simulator adds noise to the untimed loads, too. LOADED: all blocks but those
 *         with chains read at the same time, with so many loads in flight as they have. PLAIN: none
 * of these First the kernels of every GPU. */
#define GPU_COMMON_KERNELS(KERNEL)                                                                 \
  KERNEL(fill, gpu_fill_args, ANY, PLAIN)                                                          \
  KERNEL(touch, gpu_touch_args, ANY, PLAIN)                                                        \
  KERNEL(clock, gpu_clock_args, ANY, PLAIN)                                                        \
  KERNEL(chase_ca, gpu_chase_args, ANY, PLAIN)                                                     \
  KERNEL(chase_cg, gpu_chase_args, ANY, PLAIN)                                                     \
  KERNEL(chase_shared, gpu_chase_args, ANY, PLAIN)                                                 \
  KERNEL(latency_ca, gpu_latency_args, ANY, LATENCY)                                               \
  KERNEL(latency_cg, gpu_latency_args, ANY, LATENCY)                                               \
  KERNEL(latency_shared, gpu_latency_args, ANY, LATENCY)                                           \
  KERNEL(latency_atomic_shared, gpu_latency_args, ANY, PLAIN)                                      \
  KERNEL(conflicts, gpu_conflicts_args, ANY, PLAIN)                                                \
  KERNEL(lines_atomic, gpu_lines_args, ANY, PLAIN)                                                 \
  KERNEL(atomics_cg, gpu_bandwidth_args, ANY, PLAIN)                                               \
  KERNEL(atomics_shared, gpu_bandwidth_args, ANY, PLAIN)                                           \
  KERNEL(read_ca, gpu_bandwidth_args, ANY, PLAIN)                                                  \
  KERNEL(read_words, gpu_bandwidth_args, ANY, PLAIN)                                               \
  KERNEL(read_pairs, gpu_bandwidth_args, ANY, PLAIN)                                               \
  KERNEL(read_cg, gpu_bandwidth_args, ANY, PLAIN)                                                  \
  KERNEL(read_shared, gpu_bandwidth_args, ANY, PLAIN)                                              \
  KERNEL(write_cg, gpu_bandwidth_args, ANY, PLAIN)                                                 \
  KERNEL(write_shared, gpu_bandwidth_args, ANY, PLAIN)                                             \
  KERNEL(sweep, gpu_sweep_args, ANY, PLAIN)                                                        \
  KERNEL(under_load, gpu_under_load_args, ANY, LOADED)                                             \
  KERNEL(outstanding, gpu_outstanding_args, ANY, PLAIN)                                            \
  KERNEL(departure, gpu_outstanding_args, ANY, PLAIN)                                              \
  KERNEL(shares, gpu_shares_args, ANY, PLAIN)                                                      \
  KERNEL(stores_ca, gpu_stores_args, ANY, PLAIN)                                                   \
  KERNEL(stores_cg, gpu_stores_args, ANY, PLAIN)                                                   \
  KERNEL(visible, gpu_visible_args, ANY, PLAIN)                                                    \
  KERNEL(pair, gpu_pair_args, ANY, PLAIN)                                                          \
  KERNEL(rounds, gpu_rounds_args, ANY, PLAIN)                                                      \
  KERNEL(first_touch, gpu_first_touch_args, ANY, TICKETS)                                          \
  KERNEL(census_ca, gpu_census_args, ANY, PLAIN)                                                   \
  KERNEL(marks_ca, gpu_marks_args, ANY, PLAIN)

/* The kernels that need several constant banks. They are also in an image of their own, which is
 * loaded several times. */
#define GPU_BANKS_KERNELS(KERNEL)                                                                  \
  KERNEL(banks_constant, gpu_banks_args, CONSTANT, TICKETS)                                        \
  KERNEL(banks_census, gpu_banks_census_args, CONSTANT, TICKETS)

/* Kernels for paths that only NVIDIA GPUs have. */
#define GPU_NVIDIA_KERNELS(KERNEL)                                                                 \
  KERNEL(chase_nc, gpu_chase_args, READ_ONLY, PLAIN)                                               \
  KERNEL(chase_texture, gpu_chase_args, TEXTURE, PLAIN)                                            \
  KERNEL(chase_constant, gpu_chase_args, CONSTANT, PLAIN)                                          \
  KERNEL(latency_nc, gpu_latency_args, READ_ONLY, LATENCY)                                         \
  KERNEL(latency_texture, gpu_latency_args, TEXTURE, LATENCY)                                      \
  KERNEL(latency_constant, gpu_latency_args, CONSTANT, LATENCY)                                    \
  KERNEL(read_nc, gpu_bandwidth_args, READ_ONLY, PLAIN)                                            \
  KERNEL(read_texture, gpu_bandwidth_args, TEXTURE, PLAIN)                                         \
  KERNEL(read_constant, gpu_bandwidth_args, CONSTANT, PLAIN)                                       \
  KERNEL(census_nc, gpu_census_args, READ_ONLY, PLAIN)                                             \
  KERNEL(census_texture, gpu_census_args, TEXTURE, PLAIN)                                          \
  KERNEL(census_constant, gpu_census_args, CONSTANT, PLAIN)                                        \
  KERNEL(marks_nc, gpu_marks_args, READ_ONLY, PLAIN)                                               \
  KERNEL(marks_texture, gpu_marks_args, TEXTURE, PLAIN)                                            \
  KERNEL(marks_constant, gpu_marks_args, CONSTANT, PLAIN)                                          \
  KERNEL(constant_base, gpu_constant_base_args, CONSTANT, PLAIN)                                   \
  KERNEL(constant_groups, gpu_constant_groups_args, CONSTANT, TICKETS)                             \
  KERNEL(slices, gpu_slices_args, ANY, PLAIN)                                                      \
  KERNEL(read_lines, gpu_read_lines_args, ANY, PLAIN)                                              \
  GPU_BANKS_KERNELS(KERNEL)

/* NVIDIA only, each list in an image of its own. */
#define GPU_FILLER_KERNELS(KERNEL) KERNEL(filler, gpu_filler_args, CONSTANT, TICKETS)
#define GPU_JUMPS_KERNELS(KERNEL)                                                                  \
  KERNEL(jumps_near, gpu_jumps_args, CODE, TURNS)                                                  \
  KERNEL(jumps_far, gpu_jumps_args, CODE, TURNS)

/* NVIDIA GPUs with clusters only, in an image of its own. */
#define GPU_CLUSTER_KERNELS(KERNEL) KERNEL(remote_shared, gpu_remote_args, CLUSTERS, PLAIN)

/* NVIDIA GPUs from sm_90 on, in an image of its own. */
#define GPU_BULK_KERNELS(KERNEL)                                                                   \
  KERNEL(bulk_latency, gpu_bulk_latency_args, BULK, PLAIN)                                         \
  KERNEL(bulk_rate, gpu_bulk_rate_args, BULK, PLAIN)

/* NVIDIA GPUs: from sm_60 on, in an image of its own. */
#define GPU_SYSTEM_KERNELS(KERNEL) KERNEL(chase_system, gpu_chase_args, ANY, PLAIN)

/* Kernels for paths that only AMD GPUs have. */
#define GPU_AMD_KERNELS(KERNEL)                                                                    \
  KERNEL(sharing_groups, gpu_sharing_groups_args, SCALAR, TICKETS)                                 \
  KERNEL(chase_scalar, gpu_chase_args, SCALAR, PLAIN)                                              \
  KERNEL(latency_scalar, gpu_latency_args, SCALAR, LATENCY)                                        \
  KERNEL(census_scalar, gpu_census_args, SCALAR, PLAIN)                                            \
  KERNEL(marks_scalar, gpu_marks_args, SCALAR, PLAIN)                                              \
  KERNEL(read_scalar, gpu_bandwidth_args, SCALAR, PLAIN)

#define GPU_KERNELS(KERNEL)                                                                        \
  GPU_COMMON_KERNELS(KERNEL)                                                                       \
  GPU_NVIDIA_KERNELS(KERNEL)                                                                       \
  GPU_FILLER_KERNELS(KERNEL)                                                                       \
  GPU_CLUSTER_KERNELS(KERNEL)                                                                      \
  GPU_BULK_KERNELS(KERNEL)                                                                         \
  GPU_JUMPS_KERNELS(KERNEL)                                                                        \
  GPU_AMD_KERNELS(KERNEL)                                                                          \
  GPU_SYSTEM_KERNELS(KERNEL)

#endif
