/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random simulated GPUs, as profiles (data/sim/README). Geometry, policies and noise vary far more
 * than on real chips. The same seeds and index give the same GPU on every machine.
 *
 * Those of the kind DRAWN_GENERAL meet what the methods rely on:
 * - Caches for global loads have 4 KiB or more, an L3 8 MiB or more.
 * - The constant L1 fetches 64 bytes or less. A scalar L1 has lines of 64 bytes, an AMD L2 lines of
 *   64 or 128 bytes.
 * - An SM has one, two or four instances of a cache.
 * - The next level takes a third and 16 cycles longer, and its bandwidth is no higher.
 * - A word that all threads load comes at 32 bytes a cycle at most.
 * - An array as large as a cache fits into it. An L2 has several partitions only if they replicate.
 *
 * GPUs of the kind DRAWN_PAGES have what real GPUs may have besides: an L2 of 0.25 to 256 MiB under
 * physical pages of 4 KiB to 2 MiB, which may be scattered, TLBs, bimodal insertion, an L2 that is
 * empty when a kernel starts, and misses that fetch whole sectors.
 *
 * GPUs of the kind DRAWN_HABITS have what draw_habits.c draws: clocks that change, few loads in
 * flight and more. Also, a constant L1 may fetch 256 bytes, the next level may take only 15 %
 * longer, and CUs compete for a scalar L1.
 *
 * GPUs of the kind DRAWN_HIERARCHY have what draw_hierarchy.c and draw_translation.c draw: an
 * NVIDIA GPU of 12 to 144 SMs with GPCs, with parts of GPCs, mostly with two L2 partitions in 4 to
 * 64 MiB of L2, and mostly with two TLBs. An L1 may have sets for more lines than it holds.
 *
 * GPUs of the kind DRAWN_UNUSUAL are drawn as DRAWN_GENERAL or DRAWN_HIERARCHY and have what
 * draw_unusual.c draws. Also, all lines and fetches may be up to 512 bytes.
 */
#ifndef GC_TESTS_DRAW_H
#define GC_TESTS_DRAW_H

#include <stdint.h>

enum drawn_class {
  DRAWN_QUIET,     /* noise as on an idle GPU, levels well apart */
  DRAWN_DISTURBED, /* up to heavy outliers, jitter and drift; levels far apart or close together */
  DRAWN_NOISE,     /* latencies hardly depend on caches */
  DRAWN_CLASSES
};

/* DRAWN_ALL: one GPU of each of the others in turn. */
enum drawn_kind {
  DRAWN_GENERAL,
  DRAWN_PAGES,
  DRAWN_HABITS,
  DRAWN_HIERARCHY,
  DRAWN_UNUSUAL,
  DRAWN_ALL,
  DRAWN_KINDS
};
/* Their names, as --kind takes them. */
extern const char *const drawn_kind_names[DRAWN_KINDS];

/* The first seed determines the drawn GPU. The second determines the noise of its loads, and which
 * lines random replacement evicts. */
struct draw_seeds {
  uint64_t gpus, noise;
  enum drawn_kind kind;
};

/* The same GPU can be measured once more: with other noise, or, if it has pages, with the same noise
 * and pages elsewhere in memory. A wrong value that comes again is no accident. */
enum drawn_group { DRAWN_ONCE, DRAWN_OTHER_NOISE, DRAWN_OTHER_PAGES, DRAWN_GROUPS };

struct drawn_gpu {
  enum drawn_class class;
  unsigned drift; /* cycles by which loads slow down at most, before they recover */
  char text[8192]; /* the profile */
};

void draw_gpu(const struct draw_seeds *seeds, uint64_t index, enum drawn_group group,
              struct drawn_gpu *gpu);

/* How many of the first `gpus` GPUs have pages; and the index of the n-th one that has, from 0. */
uint64_t draw_count_with_pages(const struct draw_seeds *seeds, uint64_t gpus);
uint64_t draw_index_with_pages(const struct draw_seeds *seeds, uint64_t n);

#endif
