/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulated GPUs drawn by chance, as profiles (data/sim/README): any geometry, policy and noise that the
 * model knows, far beyond what real chips do. The same seed and index give the same GPU everywhere.
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
  unsigned l2_partitions;
  char text[6144]; /* the profile */
};

void draw_gpu(uint64_t seed, uint64_t index, struct drawn_gpu *gpu);

#endif
