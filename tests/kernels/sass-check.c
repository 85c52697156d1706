/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads cubins and checks those properties of the machine code (Volta encoding: sm_70 to sm_12x) on
 * which the measurements rely:
 *
 * - chase_*: between the two clock reads are one load of the right path, a comparison of its value
 *   that waits for it, and an exit that depends on that comparison; nothing else there accesses
 *   memory or waits
 * - pair, first_touch, banks_constant: the same for each timed load (chase_system: an atomic
 *   operation at the scope of the system)
 * - marks_*, census_*: as chase_*, and the census of constants reads no launch argument meanwhile
 * - banks_census: the same between its tickets; before sm_90 a descriptor of global memory is in
 *   front of the arguments and may be read again
 * - outstanding, departure: between the two clock reads are GPU_BATCH_LOADS loads into as many
 *   registers, and nothing in front of the last one waits for any of them; an exit is behind them
 * - shares: GPU_BATCH_LOADS loads into as many registers, once; nothing in front of the last one
 * waits for any of them, and an exit is in front of the next clock read
 * - read_lines: GPU_READ_LINES loads into as many registers, and nothing in front of the last one
 *   waits for any of them
 * - latency_*, conflicts, lines_atomic: loads follow one another with nothing in the chain between
 *   them; each clock read is behind an exit that depends on the chain
 * - atomics_*: the operations return values to registers; no votes, so that those of a warp are not
 *   combined
 * - remote_shared: chains of generic loads, each of which waits for the one before it; nothing
 *   limits the blocks of a cluster, so that a GPU that allows 16 can launch 16
 * - bulk_latency: between the two clock reads are one bulk copy and a loop that waits for its
 *   barrier, and nothing else that takes time; bulk_rate: both are between the clock reads
 * - filler: at least GPU_FILLER_BYTES long
 * - jumps_*: between the two clock reads is nothing but the blocks, each as long as it should be,
 *   with jumps to the right ones
 * - all: no local memory, no static shared memory
 *
 * Usage: sass-check FILE...   exit status 0: all kernels pass
 *
 * The parts of an instruction (128 bits) that this program uses, found by comparison with nvdisasm
 * 13.0:
 *
 *   0-11     opcode
 *   12-15    guard predicate, 15 negates it
 *   16-23    destination register
 *   24-31    first register operand
 *   34-63    target of a jump, in words from the next instruction
 *            (from sm_90 on these are the upper bits, and 16-23 the lower ones)
 *   40-53    operand in the constant bank, as a word; for LDC 40-55, as a byte
 *   72-79    special register of clock reads
 *   73-75    size of a global load: 4 for 4 bytes, 5 for 8
 *   77-80    cache policy of global loads
 *   81-83    predicate that a comparison sets
 *   110-112  scoreboard that is set until the result has arrived (7: none)
 *   113-115  scoreboard that is set until the operands have been read (7: none)
 *   116-121  scoreboards that it waits for
 */
#include "kernels/args.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum opcode {
  ISETP_REG = 0x20c,
  ISETP_IMM = 0x80c,
  ISETP_CONST = 0xa0c,
  ISETP_UREG = 0xc0c,
  CS2R = 0x805,
  CS2UR = 0x8cb,
  S2R = 0x919,
  S2UR = 0x9c3,
  LDG_75 = 0x381,
  LDG = 0x981,
  LDC = 0xb82,
  ULDC = 0xab9,
  LDCU = 0x7ac, /* the same from sm_100 on */
  LDS = 0x984,
  ATOMS = 0x38c,
  ATOMG_75 = 0x3a8,
  ATOMG = 0x9a8,
  VOTE = 0x806,
  VOTEU = 0x886,
  TLD_REG = 0x367,
  TLD_CONST = 0xb66,
  TLD_UREG = 0xf66, /* the texture object in a uniform register */
  LD = 0x980,       /* generic: shared memory of another block of the cluster */
  LDL = 0x983,
  STL = 0x387,
  EXIT = 0x94d,
  BRA = 0x947,
  BRA_UNIFORM = 0x547, /* its condition is a uniform predicate; sm_120 */
  BRX = 0x949,
  UBLKCP = 0x3ba,         /* bulk copy */
  SYNCS_PHASECHK = 0x5a7, /* has the barrier completed? */
};
#define SR_CLOCKLO 0x50
#define FIRST_ARGUMENT 0x160 /* in the constant bank; from sm_90 on only arguments are near it */
#define CONST_OPERAND 0xa00 /* in the upper three bits: an operand is in the constant bank */
#define REGISTER_ZERO 0xff
#define SIZE_4 4
#define SIZE_8 5
#define ALWAYS 7
#define NO_SCOREBOARD 7
#define SHARED_RESERVED 1024 /* for the driver, in every kernel from sm_90 on */

struct instruction {
  unsigned opcode, guard, destination, operand, special, cache, predicate, sets, frees, waits, size;
  unsigned constant; /* byte of the bank */
  int jump[2];       /* words from the next instruction: before sm_90, and since */
};

struct kernel {
  const char *file, *name;
  struct instruction *code;
  size_t count;
  unsigned sm;
};

static unsigned failures;

static bool wrong(const struct kernel *k, size_t at, const char *what)
{
  printf("%s: %s: %#zx: %s\n", k->file, k->name, at * 16, what);
  failures++;
  return false;
}

static unsigned bits(const uint64_t word[2], unsigned from, unsigned count)
{
  const uint64_t half = word[from / 64] >> from % 64;

  return (unsigned)(half & ((1u << count) - 1));
}

static struct instruction decode(const unsigned char *bytes)
{
  uint64_t w[2];
  uint32_t jump;

  memcpy(w, bytes, sizeof(w));
  jump = (uint32_t)((int64_t)w[0] >> 34);
  return (struct instruction){
      .opcode = bits(w, 0, 12),
      .guard = bits(w, 12, 4),
      .destination = bits(w, 16, 8),
      .operand = bits(w, 24, 8),
      .special = bits(w, 72, 8),
      .size = bits(w, 73, 3),
      .cache = bits(w, 77, 4),
      .predicate = bits(w, 81, 3),
      .sets = bits(w, 110, 3),
      .frees = bits(w, 113, 3),
      .waits = bits(w, 116, 6),
      .constant = bits(w, 0, 12) == LDC ? bits(w, 40, 16) : 4 * bits(w, 40, 14),
      .jump = {(int)jump, (int)(jump * 256 + bits(w, 16, 8))},
  };
}

static bool is_clock(const struct instruction *i)
{
  return i->special == SR_CLOCKLO &&
         (i->opcode == CS2R || i->opcode == CS2UR || i->opcode == S2R || i->opcode == S2UR);
}

/* S2R and S2UR deliver late and signal that with a scoreboard. */
static bool is_prompt_clock(const struct instruction *i)
{
  return is_clock(i) && (i->opcode == CS2R || i->opcode == CS2UR) && i->sets == NO_SCOREBOARD;
}

static bool is_compare(const struct instruction *i)
{
  return i->opcode == ISETP_REG || i->opcode == ISETP_IMM || i->opcode == ISETP_CONST ||
         i->opcode == ISETP_UREG;
}

/* The load of a path. Global loads differ in their cache policy, which sm_75 encodes differently
 * from its successors. */
static bool is_load(const struct kernel *k, const char *path, const struct instruction *i)
{
  static const struct {
    const char *path;
    unsigned old, now;
  } policies[] = {{"ca", 8 /* STRONG.CTA */, 5 /* STRONG.SM */},
                  {"cg", 10 /* STRONG.GPU */, 7},
                  {"nc", 3 /* CONSTANT */, 4}};

  for (size_t p = 0; p < sizeof(policies) / sizeof(*policies); p++)
    if (!strcmp(path, policies[p].path))
      return (i->opcode == LDG || (k->sm < 80 && i->opcode == LDG_75)) &&
             i->cache == (k->sm < 80 ? policies[p].old : policies[p].now);
  if (!strcmp(path, "constant")) /* addressed by a register; otherwise it is a launch argument */
    return i->opcode == LDC && i->operand != REGISTER_ZERO;
  if (!strcmp(path, "shared"))
    return i->opcode == LDS;
  if (!strcmp(path, "atomic_shared"))
    return i->opcode == ATOMS;
  if (!strcmp(path, "atomic"))
    return i->opcode == (k->sm < 80 ? ATOMG_75 : ATOMG);
  if (!strcmp(path, "system"))
    return i->opcode == (k->sm < 80 ? ATOMG_75 : ATOMG) &&
           i->cache == (k->sm < 80 ? 11 : 10) /* STRONG.SYS */;
  return i->opcode == TLD_REG || i->opcode == TLD_CONST || i->opcode == TLD_UREG;
}

/* Arithmetic and moves, of lanes or uniform, take a fixed time. Memory accesses, special registers
 * and jumps have the opcodes above, and ULDC reads through the constant cache. */
static bool is_plain(const struct instruction *i)
{
  return (i->opcode & 0x1ff) < 0x0d0 && (i->opcode & 0x1ff) != 0x0b9 && i->sets == NO_SCOREBOARD &&
         i->frees == NO_SCOREBOARD && !i->waits;
}

/* Scoreboards that may still be set when the loop around a timed load reaches its first clock read.
 * Those that only the code before the loop sets delay nothing. */
static unsigned pending(const struct kernel *k, size_t a, size_t b)
{
  unsigned boards = 0;
  size_t at = b + 1, end = b + 1, start = a;

  while (end < k->count && k->code[end].opcode != BRA)
    end++;
  while (start && k->code[start - 1].opcode != BRA)
    start--;
  for (; at != a; at = at == end ? start : at + 1) {
    boards &= ~k->code[at].waits;
    boards |= 1u << k->code[at].sets | 1u << k->code[at].frees;
    if (end >= k->count)
      break;
  }
  return boards & ~(1u << NO_SCOREBOARD);
}

/* The timed load from clock read a to clock read b: load, comparison, exit, in this order. */
static bool check_timed_load(const struct kernel *k, const char *path, size_t a, size_t b)
{
  const struct instruction *load = NULL, *compare = NULL, *leave = NULL;

  for (size_t at = a + 1; at < b; at++) {
    const struct instruction *i = &k->code[at];

    if (!load && is_load(k, path, i) && i->guard == ALWAYS && i->sets != NO_SCOREBOARD &&
        !(i->waits & pending(k, a, b)))
      load = i;
    else if (load && !compare && is_compare(i) && i->operand == load->destination &&
             i->waits == 1u << load->sets)
      compare = i;
    else if (compare && !leave && i->opcode == EXIT && (i->guard & 7) == compare->predicate &&
             i->guard != ALWAYS)
      leave = i;
    else if (leave)
      return wrong(k, at, "an instruction between the exit and the clock");
    else if (!is_plain(i))
      return wrong(k, at, "another instruction between the clock reads may take time");
  }
  if (!load)
    return wrong(k, a, "no load of this path between the clock reads");
  if (!compare)
    return wrong(k, a,
                 "nothing between the clock reads waits for the load by comparing its value");
  if (!leave)
    return wrong(k, a, "no exit between the clock reads depends on the loaded value");
  if (k->code[b].waits & pending(k, a, b))
    return wrong(k, b, "the second clock read waits for something from before the first one");
  return true;
}

/* The path of the first load between two places. */
static const char *path_between(const struct kernel *k, size_t a, size_t b)
{
  static const char *const paths[] = {"ca", "nc", "texture", "constant"};

  for (size_t at = a + 1; at < b; at++)
    for (size_t p = 0; p < sizeof(paths) / sizeof(*paths); p++)
      if (is_load(k, paths[p], &k->code[at]))
        return paths[p];
  return "none";
}

/* Kernels with several timed loads, of paths that are chosen at run time. */
static bool check_timed_loads(const struct kernel *k, unsigned expected)
{
  size_t open = 0;
  unsigned clocks = 0;

  for (size_t at = 0; at < k->count; at++) {
    if (!is_clock(&k->code[at]))
      continue;
    if (!is_prompt_clock(&k->code[at]))
      return wrong(k, at, "a clock read that delivers late");
    if (clocks++ % 2 && !check_timed_load(k, path_between(k, open, at), open, at))
      return false;
    open = at;
  }
  return clocks == 2 * expected ? true : wrong(k, 0, "not two clock reads for each timed load");
}

static bool check_chase(const struct kernel *k, const char *path)
{
  size_t clocks[2], count = 0;

  for (size_t at = 0; at < k->count; at++)
    if (is_clock(&k->code[at])) {
      if (!is_prompt_clock(&k->code[at]))
        return wrong(k, at, "a clock read that delivers late");
      if (count == 2)
        return wrong(k, at, "more than two clock reads");
      clocks[count++] = at;
    }
  return count == 2 ? check_timed_load(k, path, clocks[0], clocks[1])
                    : wrong(k, 0, "fewer than two clock reads");
}

/* Independent loads between two clock reads: none waits for another one. again: other clock reads
 * are before them. */
static bool check_batch(const struct kernel *k, bool again)
{
  bool used[REGISTER_ZERO + 1] = {false};
  unsigned loads = 0, boards = 0, clocks = 0;
  bool left = false;

  for (size_t at = 0; at < k->count && clocks < 2; at++) {
    const struct instruction *i = &k->code[at];

    if (is_clock(i)) {
      if (!is_prompt_clock(i))
        return wrong(k, at, "a clock read that delivers late");
      if (again && !loads)
        clocks = 0;
      if (clocks++ && !left)
        return wrong(k, at, "no exit between the clock reads depends on the loaded values");
      continue;
    }
    if (!clocks)
      continue;
    if (loads < GPU_BATCH_LOADS && i->waits & boards)
      return wrong(k, at, "something waits for a load in front of another one");
    if (is_load(k, "ca", i)) {
      if (used[i->destination])
        return wrong(k, at, "two loads into one register");
      used[i->destination] = true;
      boards |= 1u << i->sets;
      loads++;
    } else if (i->opcode == EXIT && i->guard != ALWAYS) {
      left = loads == GPU_BATCH_LOADS;
    }
  }
  return clocks == 2 && loads == GPU_BATCH_LOADS
             ? true
             : wrong(k, 0, "not GPU_BATCH_LOADS loads between two clock reads");
}

/* Reads a launch argument, or a constant of the compiler, through the constant cache. */
static bool reads_argument(const struct instruction *i)
{
  if (i->opcode == LDC)
    return i->operand == REGISTER_ZERO;
  return i->opcode == ULDC || i->opcode == LDCU || (i->opcode & 0xe00) == CONST_OPERAND;
}

/* As a chase. In addition, if the constant cache is counted, only slots come into it from the first
 * read of the region to the last probe. */
static bool check_census(const struct kernel *k, const char *path)
{
  size_t first = k->count, last = 0;

  for (size_t at = 0; at < k->count; at++) {
    if (is_load(k, path, &k->code[at]) && first == k->count)
      first = at;
    if (is_clock(&k->code[at]))
      last = at;
  }
  for (size_t at = strcmp(path, "constant") ? last : first; at < last; at++)
    if (reads_argument(&k->code[at]) || k->code[at].opcode == BRX)
      return wrong(k, at, "an argument or a jump table is read between slots");
  return check_chase(k, path);
}

/* The target of a jump. */
static size_t target(const struct kernel *k, size_t at)
{
  return (size_t)((long)at + 1 + k->code[at].jump[k->sm >= 90] / 4);
}

/* Independent loads of 4 bytes through L2, behind the loads of their addresses. */
static bool check_read_lines(const struct kernel *k)
{
  bool used[REGISTER_ZERO + 1] = {false}, again = false;
  unsigned loads = 0, boards = 0;
  size_t first = 0, begin = 0;

  for (size_t at = 0; at < k->count; at++)
    if (is_load(k, "cg", &k->code[at]) && k->code[at].size == SIZE_8)
      first = at + 1;
  for (size_t at = first; at < k->count; at++) {
    const struct instruction *i = &k->code[at];

    if (loads < GPU_READ_LINES && i->waits & boards)
      return wrong(k, at, "something waits for a load in front of another one");
    again |= loads == GPU_READ_LINES && (i->opcode == BRA || i->opcode == BRA_UNIFORM) &&
             target(k, at) <= begin;
    if (!is_load(k, "cg", i) || i->size != SIZE_4)
      continue;
    begin = loads ? begin : at;
    if (used[i->destination])
      return wrong(k, at, "two loads into one register");
    used[i->destination] = true;
    boards |= 1u << i->sets;
    loads++;
  }
  if (loads != GPU_READ_LINES)
    return wrong(k, first, "not GPU_READ_LINES loads");
  return again ? true : wrong(k, begin, "the loads are not in a loop");
}

/* The loop over all tickets is the one that reads the clock. In it only slots come into the
 * constant cache. */
static bool check_tickets(const struct kernel *k)
{
  size_t clock = 0, first = k->count, last = 0;

  while (clock < k->count && !is_clock(&k->code[clock]))
    clock++;
  for (size_t at = clock; at < k->count; at++)
    if (k->code[at].opcode == BRA && target(k, at) <= clock) {
      first = target(k, at) < first ? target(k, at) : first;
      last = at;
    }
  if (first == k->count)
    return wrong(k, 0, "no loop around the timed load");
  for (size_t at = first; at < last; at++)
    if ((reads_argument(&k->code[at]) && (k->sm >= 90 || k->code[at].constant >= FIRST_ARGUMENT)) ||
        k->code[at].opcode == BRX)
      return wrong(k, at, "an argument or a jump table is read between tickets");
  return check_chase(k, "constant");
}

/* Instructions for the uniform registers, which have the same numbers as the others. */
static bool is_uniform(const struct instruction *i)
{
  return (i->opcode & 0x1ff) >= 0x080 && (i->opcode & 0x1ff) <= 0x0cf;
}

/* Checks one unrolled round of a chain, from its first load on. Returns its end, or 0. */
static size_t check_chain(const struct kernel *k, const char *path, unsigned unroll, size_t first)
{
  unsigned holds = k->code[first].operand, loads = 0;
  size_t at;

  for (at = first; at < k->count && loads < unroll; at++) {
    const struct instruction *i = &k->code[at];

    if (is_load(k, path, i)) {
      if (i->operand != holds)
        return wrong(k, at, "this load does not start where the one before it ended");
      holds = i->destination;
      loads++;
    } else if (i->destination == holds && i->operand == holds && !is_uniform(i) && !is_compare(i))
      return wrong(k, at, "something changes the address between two loads");
  }
  return loads == unroll ? at : wrong(k, first, "a chain that is too short");
}

static bool check_latency(const struct kernel *k, const char *path, unsigned unroll)
{
  unsigned clocks = 0, chains = 0;
  size_t at = 0;

  while (at < k->count) {
    const struct instruction *i = &k->code[at];

    if (is_load(k, path, i)) {
      at = check_chain(k, path, unroll, at);
      if (!at)
        return false;
      chains++;
      continue;
    }
    if (is_clock(i)) {
      size_t leave = at;

      if (!is_prompt_clock(i))
        return wrong(k, at, "a clock read that delivers late");
      while (leave && k->code[leave].opcode != EXIT)
        leave--;
      if (!leave || k->code[leave].guard == ALWAYS)
        return wrong(k, at, "a clock read that depends on no exit");
      for (size_t between = leave + 1; between < at; between++)
        if (k->code[between].waits || k->code[between].sets != NO_SCOREBOARD)
          return wrong(k, between, "something waits between the exit and the clock");
      clocks++;
    }
    at++;
  }
  if (chains != 3 || clocks != 3)
    return wrong(k, 0, "not three chains (warm, n, 2n) and three clock reads");
  return true;
}

/* The atomic operations of an iteration. An operation whose value nothing uses would be a reduction,
 * or have no destination. */
static bool check_atomics(const struct kernel *k, const char *path)
{
  unsigned operations = 0;

  for (size_t at = 0; at < k->count; at++) {
    if (k->code[at].opcode == VOTE || k->code[at].opcode == VOTEU)
      return wrong(k, at, "operations of a warp are combined");
    if (!is_load(k, path, &k->code[at]))
      continue;
    if (k->code[at].destination == REGISTER_ZERO)
      return wrong(k, at, "an atomic operation that returns nothing");
    operations++;
  }
  return operations == GPU_BANDWIDTH_ROWS
             ? true
             : wrong(k, 0, "not one atomic operation for each row of an iteration");
}

/* The block after this one in a pass through all of jumps_near. */
static size_t next_near(size_t block)
{
#define NEXT(m, block, after, next) [block] = (next),
  static const size_t order[GPU_JUMPS_MODULE] = {GPU_JUMPS_ORDER(NEXT, , )};
#undef NEXT
  const size_t next = order[block % GPU_JUMPS_MODULE], module = block - block % GPU_JUMPS_MODULE;

  return (module + next + (next ? 0 : GPU_JUMPS_MODULE)) % GPU_JUMPS_NEAR;
}

/* The jumps of a block of jumps_far: in its column, and to the next column. */
static size_t below_far(size_t block)
{
  return block + GPU_JUMPS_STRIDE < GPU_JUMPS_FAR ? block + GPU_JUMPS_STRIDE : GPU_JUMPS_FAR;
}

static size_t wrap_far(size_t block)
{
  const size_t column = (block + GPU_JUMPS_SHIFT) % GPU_JUMPS_STRIDE;

  return column ? column : GPU_JUMPS_FAR;
}

/* A block has two jumps and arithmetic. They go to these places, as blocks from `first` on. */
static bool check_block(const struct kernel *k, size_t first, size_t block, size_t to, size_t other)
{
  const size_t length = GPU_JUMPS_BYTES / 16, start = first + block * length;
  unsigned jumps = 0;

  for (size_t at = start; at < start + length; at++) {
    const struct instruction *i = &k->code[at];

    if (i->opcode != BRA) {
      if ((i->opcode & 0x1ff) >= 0x0d0 || reads_argument(i))
        return wrong(k, at, "a block of code does more than arithmetic and jumps");
      continue;
    }
    if (target(k, at) != first + (jumps++ ? other : to) * length)
      return wrong(k, at, "a jump to another block than the next one");
  }
  return jumps == 2 ? true : wrong(k, start, "a block without two jumps");
}

/* All instructions of a near block are executed, so that all of its bytes are fetched. */
static bool ends_with_jump(const struct kernel *k, size_t first, size_t block)
{
  const size_t last = first + (block + 1) * (GPU_JUMPS_BYTES / 16) - 1;

  return k->code[last].opcode == BRA ? true : wrong(k, last, "a block does not end with a jump");
}

static bool check_jumps(const struct kernel *k, bool far)
{
  const size_t blocks = far ? GPU_JUMPS_FAR : GPU_JUMPS_NEAR, length = GPU_JUMPS_BYTES / 16;
  size_t clocks[2] = {0}, count = 0, first;
  bool right = true;

  for (size_t at = 0; at < k->count; at++)
    if (is_clock(&k->code[at])) {
      if (!is_prompt_clock(&k->code[at]) || count == 2)
        return wrong(k, at, "not two clock reads that deliver at once");
      clocks[count++] = at;
    }
  for (first = clocks[0]; first < clocks[1] && k->code[first].opcode != BRA;)
    first++;
  first++;
  if (count != 2 || first - clocks[0] > length || clocks[1] < first + blocks * length ||
      clocks[1] - first - blocks * length > length)
    return wrong(k, first, "the blocks have another length, or there are others");
  for (size_t b = 0; b < blocks && right; b++)
    right = far ? check_block(k, first, b, below_far(b), wrap_far(b))
                : check_block(k, first, b, GPU_JUMPS_NEAR, next_near(b)) && ends_with_jump(k, first, b);
  return right;
}

/* The loads of other blocks' shared memory. Moves that make the next address are in between. */
static bool check_remote(const struct kernel *k)
{
  unsigned loads = 0, chains = 0, clocks = 0, board = NO_SCOREBOARD;

  for (size_t at = 0; at < k->count; at++) {
    const struct instruction *i = &k->code[at];

    if (is_clock(i)) {
      if (!is_prompt_clock(i))
        return wrong(k, at, "a clock read that delivers late");
      clocks++;
    }
    if (loads && i->waits & 1u << board)
      board = NO_SCOREBOARD;
    if (i->opcode != LD)
      continue;
    if (loads && board != NO_SCOREBOARD)
      return wrong(k, at, "this load does not wait for the one before it");
    board = i->sets;
    chains += ++loads == GPU_REMOTE_UNROLL;
    loads %= GPU_REMOTE_UNROLL;
  }
  return chains == 2 && !loads && clocks == 2
             ? true
             : wrong(k, 0, "not two chains of remote loads (warm, timed) and two clock reads");
}

/* Between the clock reads: a bulk copy, a check of its barrier, and a jump that repeats the check.
 * In bulk_rate they are in a loop that begins with the check, and more is in that loop. */
static bool check_bulk(const struct kernel *k, bool timed)
{
  const struct instruction *copy = NULL, *check = NULL, *repeat = NULL;
  size_t clocks[2], count = 0;

  for (size_t at = 0; at < k->count; at++)
    if (is_clock(&k->code[at])) {
      if (!is_prompt_clock(&k->code[at]) || count == 2)
        return wrong(k, at, "not two clock reads that deliver at once");
      clocks[count++] = at;
    }
  if (count != 2)
    return wrong(k, 0, "not two clock reads");
  for (size_t at = clocks[0] + 1; at < clocks[1]; at++) {
    const struct instruction *i = &k->code[at];

    if (!copy && i->opcode == UBLKCP && (!timed || !(i->waits & pending(k, clocks[0], clocks[1]))))
      copy = i;
    else if (!check && i->opcode == SYNCS_PHASECHK && (copy || !timed))
      check = i;
    else if (check && !repeat && i->opcode == BRA && i->guard != ALWAYS &&
             i->waits & 1u << check->sets)
      repeat = i;
    else if (timed && (repeat || !is_plain(i)))
      return wrong(k, at, "another instruction between the clock reads may take time");
  }
  return copy && check && repeat
             ? true
             : wrong(k, 0, "no bulk copy between two clock reads, or nothing waits for it");
}

/* Attributes of a kernel, as ptxas writes them for .reqnctapercluster, .explicitcluster and
 * .maxclusterrank. Each has a format, a number and two bytes; with format 4 these are the length of
 * what follows. */
static void check_attributes(const struct kernel *k, const unsigned char *bytes, size_t size)
{
  enum { WITH_LENGTH = 4, REQUIRED_CLUSTER = 0x3d, MOST_OF_CLUSTER = 0x3f };

  for (size_t at = 0; at + 4 <= size;) {
    if (bytes[at + 1] >= REQUIRED_CLUSTER && bytes[at + 1] <= MOST_OF_CLUSTER)
      wrong(k, 0, "the size of a cluster is limited");
    at += 4 + (bytes[at] == WITH_LENGTH ? bytes[at + 2] + 256u * bytes[at + 3] : 0);
  }
}

static void check_kernel(const struct kernel *k)
{
  for (size_t at = 0; at < k->count; at++)
    if (k->code[at].opcode == LDL || k->code[at].opcode == STL) {
      wrong(k, at, "local memory: a spill or a stack frame");
      break;
    }
  if (!strncmp(k->name, "chase_", 6))
    check_chase(k, k->name + 6);
  else if (!strncmp(k->name, "marks_", 6))
    check_chase(k, k->name + 6);
  else if (!strcmp(k->name, "rounds"))
    check_chase(k, "cg");
  else if (!strncmp(k->name, "latency_", 8))
    check_latency(k, k->name + 8, GPU_LATENCY_UNROLL);
  else if (!strcmp(k->name, "conflicts"))
    check_latency(k, "shared", GPU_LATENCY_UNROLL);
  else if (!strcmp(k->name, "lines_atomic"))
    check_latency(k, "atomic", GPU_LINES_UNROLL);
  else if (!strncmp(k->name, "atomics_", 8))
    check_atomics(k, strcmp(k->name, "atomics_cg") ? "atomic_shared" : "atomic");
  else if (!strcmp(k->name, "outstanding") || !strcmp(k->name, "departure"))
    check_batch(k, false);
  else if (!strcmp(k->name, "shares"))
    check_batch(k, true);
  else if (!strcmp(k->name, "read_lines"))
    check_read_lines(k);
  else if (!strcmp(k->name, "remote_shared"))
    check_remote(k);
  else if (!strncmp(k->name, "bulk_", 5))
    check_bulk(k, !strcmp(k->name, "bulk_latency"));
  else if (!strcmp(k->name, "banks_constant"))
    check_timed_loads(k, 1);
  else if (!strcmp(k->name, "pair") || !strcmp(k->name, "first_touch"))
    check_timed_loads(k, 4);
  else if (!strcmp(k->name, "banks_census"))
    check_tickets(k);
  else if (!strncmp(k->name, "census_", 7))
    check_census(k, k->name + 7);
  else if (!strcmp(k->name, "filler") && k->count * 16 < GPU_FILLER_BYTES)
    wrong(k, k->count, "too short");
  else if (!strncmp(k->name, "jumps_", 6))
    check_jumps(k, !strcmp(k->name, "jumps_far"));
}

static bool check_section(const char *file, const char *name, const unsigned char *bytes,
                          size_t size, unsigned sm)
{
  struct kernel k = {.file = file, .sm = sm};

  if (!strncmp(name, ".nv.shared.gpu_", 15) && size > (sm < 90 ? 0 : SHARED_RESERVED)) {
    k.name = name + 15;
    wrong(&k, 0, "static shared memory");
  }
  if (!strncmp(name, ".nv.info.gpu_", 13)) {
    k.name = name + 13;
    check_attributes(&k, bytes, size);
  }
  if (strncmp(name, ".text.gpu_", 10))
    return false;
  k.name = name + 10;
  k.count = size / 16;
  k.code = calloc(k.count, sizeof(*k.code));
  if (!k.code)
    abort();
  for (size_t at = 0; at < k.count; at++)
    k.code[at] = decode(bytes + 16 * at);
  check_kernel(&k);
  free(k.code);
  return true;
}

/* Each section of an ELF file. A truncated file must not crash the test. */
static int check_cubin(const char *file, const unsigned char *bytes, size_t size, unsigned sm)
{
  const Elf64_Ehdr *header = (const void *)bytes;
  const Elf64_Shdr *sections, *names;
  unsigned kernels = 0, expected = 0;

  if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_shoff > size || (size - header->e_shoff) / sizeof(*sections) < header->e_shnum ||
      header->e_shstrndx >= header->e_shnum)
    return printf("%s: not an ELF file\n", file), 1;
  sections = (const void *)(bytes + header->e_shoff);
  names = &sections[header->e_shstrndx];
  for (unsigned s = 0; s < header->e_shnum; s++) {
    const bool empty = sections[s].sh_type == SHT_NOBITS;

    if (names->sh_offset + sections[s].sh_name >= size ||
        (!empty &&
         (sections[s].sh_offset > size || size - sections[s].sh_offset < sections[s].sh_size)))
      return printf("%s: truncated\n", file), 1;
    kernels += check_section(file, (const char *)bytes + names->sh_offset + sections[s].sh_name,
                             bytes + (empty ? 0 : sections[s].sh_offset), sections[s].sh_size, sm);
  }
#define COUNT(...) expected++;
  if (strstr(file, "filler")) {
    GPU_FILLER_KERNELS(COUNT)
  } else if (strstr(file, "cluster")) {
    GPU_CLUSTER_KERNELS(COUNT)
  } else if (strstr(file, "bulk")) {
    GPU_BULK_KERNELS(COUNT)
  } else if (strstr(file, "system")) {
    GPU_SYSTEM_KERNELS(COUNT)
  } else if (strstr(file, "copies")) {
    GPU_BANKS_KERNELS(COUNT)
  } else if (strstr(file, "jumps")) {
    GPU_JUMPS_KERNELS(COUNT)
  } else {
    GPU_COMMON_KERNELS(COUNT)
    GPU_NVIDIA_KERNELS(COUNT)
  }
#undef COUNT
  if (kernels != expected)
    return printf("%s: %u kernels instead of %u\n", file, kernels, expected), 1;
  return 0;
}

static int check_file(const char *file)
{
  const char *sm = strstr(file, "sm_");
  unsigned char *bytes = malloc(1 << 24);
  FILE *in = fopen(file, "rb");
  size_t size;
  int status;

  if (!bytes || !in || !sm)
    return printf("%s: cannot be read, or its name has no sm_NN\n", file), free(bytes), 1;
  size = fread(bytes, 1, 1 << 24, in);
  fclose(in);
  status = check_cubin(file, bytes, size, (unsigned)atoi(sm + 3));
  free(bytes);
  return status;
}

int main(int argc, char **argv)
{
  int broken = argc < 2;

  for (int i = 1; i < argc; i++)
    broken |= check_file(argv[i]);
  if (!failures && !broken)
    printf("%d cubins: every timed load and every chain is in order\n", argc - 1);
  return broken || failures;
}
