/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulated GPUs drawn by chance, as profiles (data/sim/README): geometry, policies and noise far
 * beyond what real chips do. The same seed and index give the same GPU everywhere.
 *
 * What the methods rely on holds for all of them: caches for global loads have 4 KiB or more, the
 * constant L1 fetches 64 bytes or less, a scalar L1 has lines of 64 bytes, an AMD L2 of 64 or 128, an L3
 * has 8 MiB or more, an SM has one or as many instances of a cache as halves or quarters, the next level
 * takes a third and 16 cycles longer and is no faster, words that count once come at 32 bytes a cycle at
 * most, an array as large as a cache fits it, and only partitions that replicate share an L2.
 */
#ifndef GC_TESTS_DRAW_H
#define GC_TESTS_DRAW_H

#include <stdint.h>

enum drawn_class {
  DRAWN_QUIET,     /* noise as on a GPU that nobody else uses, levels well apart */
  DRAWN_DISTURBED, /* outliers, jitter and drift up to heavy; levels far apart or close together */
  DRAWN_NOISE,     /* how long a load takes has next to nothing to do with caches */
  DRAWN_CLASSES
};

struct drawn_gpu {
  enum drawn_class class;
  unsigned drift; /* loads slow down by up to so many cycles, and recover */
  char text[6144]; /* the profile */
};

void draw_gpu(uint64_t seed, uint64_t index, struct drawn_gpu *gpu);

#endif
