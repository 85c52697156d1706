/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What drawing a GPU is made of: chance, and the profile as it grows. For draw*.c.
 */
#ifndef GC_TESTS_DRAWING_H
#define GC_TESTS_DRAWING_H

#include "draw.h"

#include "model/noise.h"

#include <stdbool.h>
#include <stddef.h>

#define KIB 1024u
#define GLOBAL_ALIGNED (2048 * KIB) /* device memory, */
#define CONSTANT_ALIGNED (4 * KIB)  /* and the constant bank of the simulator */

struct drawing {
  struct gc_random random;
  struct drawn_gpu *gpu;
  size_t length;
  unsigned sms, clock_khz, carveouts, carveout_bytes;
  bool unified;
};

/* More of the profile. */
__attribute__((format(printf, 2, 3))) void draw_say(struct drawing *d, const char *format, ...);

double draw_share(struct drawing *d); /* 0 to 1 */
bool draw_chance(struct drawing *d, double p);
double draw_between(struct drawing *d, double least, double most);
/* As often from 1 to 10 as from 10 to 100. */
double draw_scaled(struct drawing *d, double least, double most);
unsigned draw_number(struct drawing *d, unsigned least, unsigned most);
/* A power of two; least and most are such. */
unsigned draw_power(struct drawing *d, unsigned least, unsigned most);

/* A cache, and what may be drawn of it. */
struct draw_shape {
  const char *name;
  double least, most; /* bytes that can be used */
  unsigned least_line, most_line, most_sector;
  unsigned parts;
  unsigned aligned; /* addresses of arrays are multiples of this */
};

/* Its section, still open. Returns the bytes that it has, lost ones included. */
unsigned draw_cache(struct drawing *d, const struct draw_shape *shape);
/* One inside the SM. A few are larger than any search goes, and no miss will be seen. */
void draw_sm_cache(struct drawing *d, const char *name, double least, double most, double limit);
/* What all SMs together get of it. */
void draw_chip_rates(struct drawing *d, double most);

/* The way of a space through caches, names with a blank between; `own` of them an SM has for itself. */
void draw_path(struct drawing *d, const char *space, double cycles, const char *caches, unsigned own);

/* Lines of the chip that all GPUs have, but for its name and what a block may have. */
void draw_chip(struct drawing *d, uint64_t index);

/* draw_amd.c: all behind the class. */
void draw_amd(struct drawing *d, uint64_t index);

#endif
