/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to caches inside the SM: does what one walk loads push out what another has loaded
 * (pair.c), and who finds what others loaded (roll.c)? kernels/pair.c gives the answers.
 */
#ifndef GC_MEASURE_PAIR_H
#define GC_MEASURE_PAIR_H

#include "measure/bench.h"

/* What repeated runs say together. */
enum gc_answer { GC_UNCLEAR, GC_NO, GC_YES };

/* A walk through a path by warp `warp` of a block. */
struct gc_side {
  const struct gc_path *path; /* NULL: no walk */
  uint64_t bytes;
  uint32_t warp;
};

/* Does b push a's lines out? Without b: do a's lines not even stay when nobody else comes? */
struct gc_question {
  struct gc_side a, b;
  uint32_t hit; /* raw cycles; 0: not known, then afterwards the fastest repeated load */
  enum gc_answer answer;
  double confidence; /* of a yes or no: how sure more than half of all runs would say the same */
};

/* What runs of questions saw, for --raw: one is asked about several elements, of which each has a file. */
struct gc_asked {
  struct gc_asked_row {
    enum gc_kind a, b;
    char text[256];
  } *rows;
  size_t count;
};

/* The element that a path leads to: its measured capacity, 0: not known. */
uint64_t gc_capacity_of(const struct gc_bench *bench, const struct gc_path *path);

/* As much of a's cache as leaves some room, and for b so much that both do not fit, if b's path can
 * reach as much. */
void gc_fill_question(const struct gc_bench *bench, struct gc_question *question);

/* Asks all of them, each several times, in as few launches as possible. carveout: percent, for the
 * kernel; shared_bytes: of each block. asked: grows if there is bench->raw. */
int gc_ask(struct gc_bench *bench, struct gc_question *questions, size_t n, int carveout,
           uint32_t shared_bytes, struct gc_asked *asked);

/* Into the file that it is in now: what concerns this element. */
void gc_asked_tell(const struct gc_asked *asked, struct gc_raw *raw, enum gc_kind kind);
void gc_asked_free(struct gc_asked *asked); /* a zeroed one is fine */

/* Among all SMs and the warps in them, who came first at a cache? */
#define GC_ROLL_WARPS 4 /* warp w of a block is on quarter w mod 4 of its SM */

struct gc_roll {
  size_t sms, rounds; /* more rounds than one where SMs are few */
  uint32_t *sm;       /* [rounds * sms] their numbers */
  uint8_t *firsts;    /* [rounds * sms] warps of it that came first at a cache */
  double *took;       /* [rounds * sms][warps][2] medians of raw cycles, of the first time and again */
  uint32_t warps;
  size_t unclear;     /* answers that may mean either */
  double hit, miss;   /* medians of raw cycles, of an SM that waited; 0: none did */
  char failed[160];   /* why nothing is known; else empty */
};

int gc_roll_call(struct gc_bench *bench, const struct gc_path *path, uint32_t warps,
                 struct gc_roll *roll);
void gc_roll_free(struct gc_roll *roll);

/* How sure it is that more than half of all votes would be like the m of n that were. */
double gc_vote_confidence(uint64_t m, uint64_t n);

#endif
