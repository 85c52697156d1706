/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * More constants than one module can have (kernels/turn.c): banks of several copies of the kernels,
 * one behind the other, walked by SMs that do not share the cache in question.
 */
#ifndef GC_MEASURE_TURNS_H
#define GC_MEASURE_TURNS_H

#include "measure/bench.h"

/* Banks that can be walked: the launches before them, which push out what is there, count too. */
#define GC_TURN_BANKS 3
#define GC_TURN_MAX_BYTES ((uint64_t)GC_TURN_BANKS * GPU_CONSTANT_BYTES)
#define GC_TURN_STRIDE 64

struct gc_turns {
  struct gc_bench *bench;
  size_t count;       /* SMs that take part */
  uint32_t *sm;       /* [count] their numbers */
  uint32_t sms;       /* more than the largest number of an SM */
  uint32_t threshold; /* raw cycles, between a hit and a miss of the cache */
  uint32_t flush;     /* bytes between loads that push out: what a miss brings in */
  uint32_t half;      /* how the rings lie: see gc_turns_lay */
  bool failed;        /* launches did not run at the same time: what was found does not count */
  uint64_t device;
  struct gpu_turn_job *jobs;       /* [launches][sms] */
  struct gpu_turn_result *results; /* [launches][sms] */
};

/* Who takes turns: kept by the bench from the first gc_turns_open on, for it takes a while to find out. */
struct gc_takers {
  size_t count; /* as in gc_turns */
  uint32_t *sm;
  uint32_t sms, threshold, flush;
};

/* Finds SMs that share no constant cache, and fills all banks. 0 and *turns NULL: this GPU or what
 * it does cannot be measured so. */
int gc_turns_open(struct gc_bench *bench, struct gc_turns **turns);
void gc_turns_close(struct gc_turns *turns);

/* The same without the banks. 0 and *takers NULL: as above. They stay the bench's. */
int gc_find_takers(struct gc_bench *bench, const struct gc_takers **takers);
/* What is known of them may be wrong: they are looked for anew. */
void gc_forget_takers(struct gc_bench *bench);

/* Lays the rings anew. half 0: a load in each GC_TURN_STRIDE bytes. Else one in each two times
 * `half` bytes, in the first or the second half of them, now this, now that, so that all sets of a
 * cache are met alike. */
int gc_turns_lay(struct gc_turns *turns, uint32_t half);

/* Asks all SMs, often enough, whether `bytes` do not stay: YES, most of what came in missed again.
 */
struct gc_question;
int gc_turns_ask(struct gc_turns *turns, uint64_t bytes, bool code, struct gc_question *question);

/* Walks runs[i].bytes of constants on SM i, n <= count, once to bring them in and once timed. *cold:
 * how many loads were slow when they came in, of all runs. */
enum {
  GC_TURNS_CODE = 1,  /* a long stretch of code is executed in between */
  GC_TURNS_SPARSE = 2 /* only one load is timed where a miss brings `flush` bytes in */
};
int gc_turns_walk(struct gc_turns *turns, uint32_t threshold, const struct gc_window *window,
                  unsigned how, struct gc_run *runs, size_t n, uint64_t *cold);

#endif
