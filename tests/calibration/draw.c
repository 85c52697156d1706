/* SPDX-License-Identifier: BSD-3-Clause */
#include "draw.h"

#include "model/noise.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define KIB 1024u
#define GLOBAL_ALIGNED (2048 * KIB) /* device memory, */
#define CONSTANT_ALIGNED (4 * KIB)  /* and the constant bank of the simulator */

struct drawing {
  struct gc_random random;
  struct drawn_gpu *gpu;
  size_t length;
  unsigned sms, carveouts, carveout_bytes;
  bool unified;
};

__attribute__((format(printf, 2, 3))) static void say(struct drawing *d, const char *format, ...)
{
  const size_t size = sizeof(d->gpu->text);
  va_list args;

  va_start(args, format);
  d->length += (size_t)vsnprintf(d->gpu->text + d->length, size - d->length, format, args);
  va_end(args);
  if (d->length >= size)
    abort(); /* a profile is never that long */
}

static double share(struct drawing *d)
{
  return (double)(gc_random_next(&d->random) >> 11) / 9007199254740992.0;
}

static bool chance(struct drawing *d, double p) { return share(d) < p; }

static double between(struct drawing *d, double least, double most)
{
  return least + (most - least) * share(d);
}

/* As often from 1 to 10 as from 10 to 100. */
static double scaled(struct drawing *d, double least, double most)
{
  return least * pow(most / least, share(d));
}

static unsigned number(struct drawing *d, unsigned least, unsigned most)
{
  return least + gc_random_below(&d->random, most - least + 1);
}

static unsigned log2_of(unsigned n)
{
  unsigned log = 0;

  while (n >>= 1)
    log++;
  return log;
}

/* A power of two; least and most are such. */
static unsigned power(struct drawing *d, unsigned least, unsigned most)
{
  return 1u << number(d, log2_of(least), log2_of(most));
}

/* --- caches ---------------------------------------------------------------------------------- */

static void draw_replacement(struct drawing *d, unsigned ways)
{
  const double p = share(d);

  if (p < 0.4) {
    say(d, "replacement = lru\n");
  } else if (p < 0.6 && !(ways & (ways - 1))) {
    say(d, "replacement = plru\n");
  } else if (p < 0.8 && ways <= 16) {
    say(d, "replacement = weighted");
    for (unsigned way = 0; way < ways; way++)
      say(d, " %u", number(d, 1, 4));
    say(d, "\n");
  } else {
    say(d, "replacement = random\n");
  }
}

/* What may be drawn. */
struct shape {
  const char *name;
  double least, most;            /* bytes that can be used */
  unsigned least_line, most_sector;
  unsigned parts;
  unsigned aligned;              /* addresses of arrays are multiples of this */
};

/* Every array that is as large as the cache has to fit it, or there was no capacity to be right
 * about: chosen address bits lie above those that number the set, and arrays begin where all hashes
 * do. */
static void draw_hash(struct drawing *d, const struct shape *shape, unsigned line, unsigned sets,
                      unsigned ways)
{
  const double p = share(d);
  const bool hashed = sets > 1 && !(sets & (sets - 1)) && line * sets <= shape->aligned;

  if (p < 0.25 && hashed) {
    say(d, "hash = xor\n");
  } else if (p < 0.4 && hashed) {
    say(d, "hash = skew\n");
  } else if (p < 0.6 && hashed) {
    say(d, "hash = bits");
    for (unsigned bit = 0; bit < log2_of(sets) && bit < 6; bit++)
      say(d, " %u", log2_of(line * sets) + number(d, 0, 5));
    say(d, "\n");
  } else if (p < 0.75 && ways % 4 == 0 && sets % 4 == 0) {
    say(d, "interleave = %u\n", line * 4);
  }
}

/* A section, still open. */
static void draw_cache(struct drawing *d, const struct shape *shape)
{
  const double bytes = scaled(d, shape->least, shape->most);
  const unsigned line = power(d, shape->least_line, 256), parts = shape->parts ? shape->parts : 1;
  const unsigned sector =
    power(d, shape->least_line, line < shape->most_sector ? line : shape->most_sector);
  unsigned ways = chance(d, 0.15) ? number(d, 17, 128) : number(d, 1, 16), sets, lost = 0;

  if (chance(d, 0.5))
    ways = 1u << log2_of(ways);
  while (ways > 1 && line * ways * parts > bytes)
    ways /= 2;
  sets = (unsigned)(bytes / (line * ways * parts));
  sets = sets && chance(d, 0.4) ? 1u << log2_of(sets) : sets ? sets : 1;
  if (chance(d, 0.35)) /* up to 12 KiB; often the 6 to 8 KiB that the thesis saw missing */
    lost = (chance(d, 0.5) ? number(d, 48, 64) : number(d, 1, 96)) * 128;
  say(d, "\n[cache %s]\nsize = %u B\nlost = %u B\nline = %u\nsector = %u\nways = %u\n",
      shape->name, sets * ways * line * parts + lost, lost, line,
      line / sector > 8 ? line / 8 : sector, ways);
  draw_replacement(d, ways);
  draw_hash(d, shape, line, sets, ways);
}

/* One inside the SM. A few are larger than any search goes, and no miss will be seen. */
static void draw_sm_cache(struct drawing *d, const char *name, double least, double most,
                          double limit)
{
  const bool constant = limit < 64 * KIB, large = chance(d, 0.1);

  draw_cache(d, &(struct shape){.name = name, .least = large ? limit * 1.05 : least,
                                .most = large ? limit * 1.8 : most, .least_line = 32,
                                .most_sector = constant ? 64 : 256,
                                .aligned = constant ? CONSTANT_ALIGNED : GLOBAL_ALIGNED});
  if (chance(d, 0.1))
    say(d, "instances = %u\n", number(d, 2, 4));
}

/* What is left of the storage must be whole sets at every carve-out. */
static void draw_unified_l1(struct drawing *d)
{
  const unsigned line = power(d, 32, 128), ways = power(d, 2, 8), lost = number(d, 0, 8) * KIB;

  say(d, "\n[unified]\ntotal = %u KiB\ncarveouts = 0",
      d->carveouts * d->carveout_bytes / KIB + number(d, 12, 48) + lost / KIB);
  for (unsigned i = 1; i <= d->carveouts; i++)
    say(d, " %u", i * d->carveout_bytes / KIB);
  say(d, " KiB\n\n[cache L1]\nsize = unified\nlost = %u B\nline = %u\nways = %u\n", lost, line,
      ways);
  draw_replacement(d, ways);
}

static void draw_l2(struct drawing *d)
{
  const unsigned parts = chance(d, 0.3) ? 2 : 1;

  d->gpu->l2_partitions = parts;
  draw_cache(d, &(struct shape){.name = "L2", .least = 384 * KIB, .most = 2048 * KIB,
                                .least_line = 32, .most_sector = 256, .parts = parts,
                                .aligned = GLOBAL_ALIGNED});
  say(d, "scope = chip\n");
  if (parts > 1)
    say(d, "partitions = %u\nreplicate = yes\npartition_sms = %u\nfar_cycles = %u\n", parts,
        number(d, 1, d->sms), number(d, 0, 150));
}

/* --- latencies and noise --------------------------------------------------------------------- */

/* What the GPUs of a class may have. */
static const struct limits {
  double closest, farthest;           /* latency of the next level, in those of the level before */
  double least_jitter, jitter;        /* standard deviation, as a share of a level's cycles */
  double jittery;                     /* share of levels that have some */
  double outliers;                    /* their probability */
  double drifting;                    /* share of GPUs that drift */
  unsigned drift, period;             /* by so many cycles, in so many loads */
} limits[DRAWN_CLASSES] = {
  [DRAWN_QUIET] = {1.8, 7, 0, 0.03, 0.7, 1e-3, 0.2, 1, 1000000},
  [DRAWN_DISTURBED] = {1.35, 7, 0, 0.15, 0.7, 3e-2, 0.4, 10, 1000000},
  [DRAWN_NOISE] = {1, 1.02, 0.3, 1.5, 1, 0.2, 0.7, 1000, 5000},
};

static void draw_disturbance(struct drawing *d)
{
  const struct limits *most = &limits[d->gpu->class];
  const unsigned least = (unsigned)scaled(d, 10, 200);

  if (chance(d, 0.8))
    say(d, "outliers = %.6f %u %u\n", scaled(d, 1e-5, most->outliers), least,
        least + (unsigned)scaled(d, 10, 3000));
  d->gpu->drift = chance(d, most->drifting) ? number(d, 1, most->drift) : 0;
  if (d->gpu->drift)
    say(d, "drift = %u %u\n", d->gpu->drift, (unsigned)scaled(d, 500, most->period));
}

static void draw_path(struct drawing *d, const char *space, double cycles, const char *caches)
{
  const struct limits *most = &limits[d->gpu->class];
  const double alike = between(d, most->least_jitter, most->jitter);
  const bool noise = d->gpu->class == DRAWN_NOISE; /* levels vary alike, or that told them apart */

  say(d, "\n[space %s]\npath = ", space);
  for (bool last = false; !last;) {
    int length = 0;

    for (last = !*caches; caches[length] && caches[length] != ' ';)
      length++;
    say(d, "%.*s %u", last ? 6 : length, last ? "memory" : caches, (unsigned)cycles);
    if (chance(d, most->jittery))
      say(d, " %.2f", cycles * (noise ? alike : between(d, most->least_jitter, most->jitter)));
    say(d, last ? "\n" : ", ");
    caches += length + (caches[length] == ' ');
    cycles = floor(cycles) * scaled(d, most->closest, fmin(most->farthest, cycles < 150 ? 7 : 2.5));
    cycles += noise ? 1 : 16;
  }
}

/* --- the chip -------------------------------------------------------------------------------- */

/* L1, texture and read-only in one cache or two; loads of some kind go past it, or not at all. */
static void draw_global(struct drawing *d)
{
  const double cycles = between(d, 25, 120);
  const bool cached = chance(d, 0.88), texture = chance(d, 0.85), apart = chance(d, 0.4);

  if (d->unified)
    draw_unified_l1(d);
  else
    draw_sm_cache(d, "L1", 4 * KIB, chance(d, 0.1) ? 160 * KIB : 48 * KIB, 1024 * KIB);
  if (apart)
    draw_sm_cache(d, "Texture", 4 * KIB, 32 * KIB, 1024 * KIB);
  draw_l2(d);
  draw_path(d, "ca", cached ? cycles : cycles * 3, cached ? "L1 L2" : "L2");
  draw_path(d, "cg", cycles * 3, "L2");
  if (chance(d, 0.85))
    draw_path(d, "nc", cycles, apart ? "Texture L2" : "L1 L2");
  if (texture)
    draw_path(d, "texture", cycles + number(d, 0, 60), apart ? "Texture L2" : "L1 L2");
}

static void draw_constant(struct drawing *d)
{
  const bool behind = chance(d, 0.85);

  draw_sm_cache(d, "ConstantL1", 512, 2560, 16 * KIB);
  if (behind) {
    draw_cache(d, &(struct shape){.name = "ConstantL1.5", .least = 16 * KIB, .most = 160 * KIB,
                                  .least_line = 64, .most_sector = 256,
                                  .aligned = CONSTANT_ALIGNED});
    if (chance(d, 0.3) && d->sms > 1)
      say(d, "scope = group %u\n", number(d, 2, d->sms < 6 ? d->sms : 6));
  }
  draw_path(d, "constant", between(d, 15, 60),
            behind ? "ConstantL1 ConstantL1.5 L2" : "ConstantL1 L2");
}

static void draw_chip(struct drawing *d, uint64_t index)
{
  const unsigned shared = d->carveouts * d->carveout_bytes;

  say(d, "model = Drawn %llu\ncompute = 7.0\nsms = %u\nclock_khz = %u\nmemory = 2 GiB\n"
         "threads_per_sm = %u\nblocks_per_sm = %u\nshared_per_sm = %u\nshared_per_block = %u\n"
         "shared_reserved = %u\nclock_overhead = %u\nseed = %llu\n",
      (unsigned long long)index, d->sms, number(d, 500, 2500) * 1000, power(d, 1024, 2048),
      number(d, 8, 32), shared, shared, chance(d, 0.5) ? KIB : 0, number(d, 0, 40),
      (unsigned long long)gc_random_next(&d->random));
  draw_disturbance(d);
}

void draw_gpu(uint64_t seed, uint64_t index, struct drawn_gpu *gpu)
{
  struct drawing d = {.gpu = gpu};
  double p;

  gc_random_seed(&d.random, seed * 0x9e3779b97f4a7c15 + index);
  p = share(&d);
  gpu->class = p < 0.45 ? DRAWN_QUIET : p < 0.9 ? DRAWN_DISTURBED : DRAWN_NOISE;
  d.sms = (unsigned)scaled(&d, 1, 145);
  d.unified = chance(&d, 0.5);
  d.carveouts = number(&d, 2, 8);
  d.carveout_bytes = number(&d, 1, 4) * 4 * KIB;
  draw_chip(&d, index);
  draw_global(&d);
  if (chance(&d, 0.9))
    draw_constant(&d);
  draw_path(&d, "shared", between(&d, 18, 60), "");
}
