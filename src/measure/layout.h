/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains that the host lays slot by slot, where a regular ring will not do: slots at random places,
 * so that no mapping of addresses to sets plays a part, and pairs of slots that differ in one
 * address bit.
 */
#ifndef GC_MEASURE_LAYOUT_H
#define GC_MEASURE_LAYOUT_H

#include "measure/bench.h"

#define GC_SLOT 8u /* bytes that a slot takes here in every form */

/* Bytes that a ring of this form can have. */
uint64_t gc_layout_room(const struct gc_bench *bench, enum gc_form form);

/* An image of the start of the arena, or of the constant bank. Slots are named by their offset in
 * it. */
struct gc_layout {
  struct gc_bench *bench;
  enum gc_form form;
  uint64_t bytes;
  uint64_t random; /* state of the generator: the same layout in every run */
  unsigned char *image;
  bool *taken; /* [bytes / GC_SLOT] */
};

/* bytes: shortened to what the form can have. GC_FORM_SHARED has no layout. 0 or -ENOMEM. */
int gc_layout_open(struct gc_layout *layout, struct gc_bench *bench, enum gc_form form,
                   uint64_t bytes);
void gc_layout_close(struct gc_layout *layout); /* a zeroed one is fine */

/* A number below n > 0. */
uint32_t gc_layout_random(struct gc_layout *layout, uint32_t n);

/* 0 to n - 1 in random order. */
void gc_layout_shuffle(struct gc_layout *layout, uint32_t *order, uint32_t n);

/* A random slot in block [start, start + bytes), bytes a power of two and start a multiple of it,
 * that is not taken, and neither is the one whose offset differs from it by the bit `flip` (0:
 * itself). Takes both. UINT64_MAX: there is none left. */
uint64_t gc_layout_take(struct gc_layout *layout, uint64_t start, uint32_t bytes, uint32_t flip);

/* From this slot the chain goes on at that one. */
void gc_layout_link(struct gc_layout *layout, uint64_t from, uint64_t to);

int gc_layout_upload(struct gc_layout *layout);

/* Pairs of loads from cold caches. The second load of a pair is reach / 2 bytes from the first, and
 * both are in one aligned block of `reach` bytes at a random place: it hits if at least so much
 * came with the first. Pairs are in blocks of their own, in random order; pair i has reaches[i %
 * n]. */
struct gc_pairs {
  const struct gc_path *path;
  struct gc_layout layout;
  uint32_t block;   /* bytes */
  uint32_t count;   /* pairs */
  uint64_t *firsts; /* [count] */
  uint32_t sms;     /* that walk */
  uint32_t each;    /* pairs that each walks: all of them; or a part of its own, where SMs share a
                       cache    (L2, constant L1.5) and find there what another one brought in */
  uint32_t *trace;  /* [sms * each * 2] raw cycles of the last run */
};

/* About `each` pairs of every reach (fewer in the constant bank); reaches ascend. Laid and
 * uploaded. */
int gc_pairs_open(struct gc_pairs *pairs, struct gc_bench *bench, const struct gc_path *path,
                  const uint32_t *reaches, uint32_t n, uint32_t each);
void gc_pairs_close(struct gc_pairs *pairs);

/* Walks them, cold: fills the trace. */
int gc_pairs_run(struct gc_pairs *pairs);

/* Which pair is the k-th of the trace. */
static inline uint32_t gc_pairs_at(const struct gc_pairs *pairs, uint32_t k)
{
  const uint32_t sm = k / pairs->each;

  return ((uint32_t)((uint64_t)sm * pairs->count / pairs->sms) + k % pairs->each) % pairs->count;
}

/* Bytes from slot to slot of a ring of so many that reaches through `room`, but for what is below a line of
 * it: a prime number of lines. Channels and sets are chosen by remainders, and a distance that has a factor
 * in common with their number would meet few of them. */
uint64_t gc_ring_stride(uint64_t room, uint64_t slots, uint64_t line);

/* Pushes the first half of the arena out of the L2. It takes more than to read as much as the L2
 * holds once or twice: an H200 keeps half of the lines that were read often for that long (0 after
 * 4). */
int gc_empty_l2(struct gc_bench *bench);
/* Why that cannot be done; NULL: it can. */
const char *gc_l2_stays(const struct gc_bench *bench);

/* Whether loads from so many bytes, round and round, all pass the constant L1 by: what they see is what lies
 * behind it. */
bool gc_passes_constant_l1(const struct gc_bench *bench, uint64_t bytes);
/* Why a property is absent where they do not. */
extern const char gc_constant_l1_hides[];

/* Raw cycles of loads that hit an element, and of loads that miss it and hit the next one behind it
 * (of L2: device memory): midhinges of each repetition. penalty.c. */
#define GC_LEVEL_REPEATS 7
struct gc_levels {
  double hit[GC_LEVEL_REPEATS], miss[GC_LEVEL_REPEATS];
};
int gc_find_levels(struct gc_bench *bench, enum gc_kind kind, unsigned repeats,
                   struct gc_levels *levels);

/* Between hits and misses (their geometric mean); 0 when they do not differ by a quarter at least.
 */
double gc_levels_threshold(const struct gc_levels *levels);

/* "no level behind …": why a property is absent when the threshold is 0. */
extern const char gc_levels_alike[];

#endif
