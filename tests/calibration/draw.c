/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AMD_SHARE 0.25 /* of all GPUs */
#define LONGEST_LINE 512 /* bytes, of kind DRAWN_UNUSUAL */

void draw_text(struct drawing *d, const char *format, ...)
{
  const size_t size = sizeof(d->gpu->text);
  va_list args;

  va_start(args, format);
  d->length += (size_t)vsnprintf(d->gpu->text + d->length, size - d->length, format, args);
  va_end(args);
  if (d->length >= size)
    abort(); /* a profile is never that long */
}

double draw_share(struct drawing *d)
{
  return (double)(gc_random_next(&d->random) >> 11) / 9007199254740992.0;
}

bool draw_chance(struct drawing *d, double p) { return draw_share(d) < p; }

double draw_between(struct drawing *d, double least, double most)
{
  return least + (most - least) * draw_share(d);
}

double draw_scaled(struct drawing *d, double least, double most)
{
  return least * pow(most / least, draw_share(d));
}

unsigned draw_number(struct drawing *d, unsigned least, unsigned most)
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

unsigned draw_power(struct drawing *d, unsigned least, unsigned most)
{
  return 1u << draw_number(d, log2_of(least), log2_of(most));
}

/* --- caches ---------------------------------------------------------------------------------- */

static void draw_replacement(struct drawing *d, unsigned ways, bool aged)
{
  const double p = draw_share(d) * (aged ? 0.5 : 1);

  if (p < 0.4) {
    draw_text(d, "replacement = lru\n");
  } else if (p < 0.6 && !(ways & (ways - 1))) {
    draw_text(d, "replacement = plru\n");
  } else if (p < 0.8 && ways <= 16) {
    draw_text(d, "replacement = weighted");
    for (unsigned way = 0; way < ways; way++)
      draw_text(d, " %u", draw_number(d, 1, 4));
    draw_text(d, "\n");
  } else {
    draw_text(d, "replacement = random\n");
  }
}

void draw_hash_named(struct drawing *d, const char *hash)
{
  draw_text(d, "%s", hash);
  for (unsigned bit = 0; !strcmp(hash, "bits") && bit < log2_of(d->hash_sets) && bit < 6; bit++)
    draw_text(d, " %u", d->hash_bit + draw_number(d, 0, 5));
  draw_text(d, "\n");
}

/* An array as large as the cache must fit into it, or no capacity would be right. So the chosen
 * address bits lie above those of the set number, and arrays begin at multiples of the range that a
 * hash covers. */
static void draw_hash(struct drawing *d, const struct draw_shape *shape, unsigned line, unsigned sets,
                      unsigned ways)
{
  const double p = draw_share(d);
  const bool hashed = sets > 1 && !(sets & (sets - 1)) && line * sets <= shape->aligned;

  d->hash_sets = hashed ? sets : 0;
  d->hash_bit = log2_of(line * sets);
  d->hash = p >= 0.6 || !hashed ? "none" : p < 0.25 ? "xor" : p < 0.4 ? "skew" : "bits";
  if (p < 0.6 && hashed) {
    draw_text(d, "hash = ");
    draw_hash_named(d, d->hash);
  } else if (p < 0.75 && ways % 4 == 0 && sets % 4 == 0) {
    d->hash_sets = 0;
    draw_text(d, "interleave = %u\n", line * 4);
  }
}

/* From random numbers of their own, so that the rest of the GPU does not depend on them. */
static void draw_stores(struct drawing *d, bool outside)
{
  static const char *const allocates[] = {"none", "sector", "line"};
  struct drawing own = *d;

  gc_random_seed(&own.random, gc_random_next(&own.random));
  draw_text(d, "write_allocate = %s\n", allocates[draw_number(&own, 0, 2)]);
  draw_text(d, "write = %s\n", draw_chance(&own, 0.2) == outside ? "through" : "back");
}

unsigned draw_least_line(const struct drawing *d, unsigned least)
{
  return d->fetched > least ? d->fetched : least;
}

unsigned draw_cache(struct drawing *d, const struct draw_shape *shape)
{
  const double bytes = draw_scaled(d, shape->least, shape->most);
  const unsigned longest = d->unusual ? LONGEST_LINE : shape->most_line;
  const unsigned line = draw_power(d, shape->least_line, longest),
                 parts = shape->parts ? shape->parts : 1;
  const unsigned fetch = d->unusual ? LONGEST_LINE : shape->most_sector;
  const unsigned drawn = draw_power(d, shape->least_line, line < fetch ? line : fetch);
  const unsigned sector = line / drawn > 8 ? line / 8 : drawn;
  unsigned ways = draw_chance(d, 0.15) ? draw_number(d, 17, 128) : draw_number(d, 1, 16), sets, lost = 0;

  if (draw_chance(d, 0.5))
    ways = 1u << log2_of(ways);
  while (ways > 1 && line * ways * parts > bytes)
    ways /= 2;
  sets = (unsigned)(bytes / (line * ways * parts));
  sets = sets && draw_chance(d, 0.4) ? 1u << log2_of(sets) : sets ? sets : 1;
  if (draw_chance(d, 0.35)) /* up to 12 KiB; often 6 to 8 KiB, as in Größler's thesis */
    lost = (draw_chance(d, 0.5) ? draw_number(d, 48, 64) : draw_number(d, 1, 96)) * 128;
  draw_text(d, "\n[cache %s]\nsize = %u B\nlost = %u B\nline = %u\nsector = %u\nways = %u\n",
      shape->name, sets * ways * line * parts + lost, lost, line, sector, ways);
  d->fetched = sector;
  draw_replacement(d, ways, shape->aged);
  draw_hash(d, shape, line, sets, ways);
  draw_stores(d, !strcmp(shape->name, "L2") || !strcmp(shape->name, "L3"));
  return sets * ways * line * parts + lost;
}

void draw_sm_cache(struct drawing *d, const char *name, double least, double most, double limit)
{
  const bool constant = limit < 64 * KIB, large = draw_chance(d, 0.1);

  draw_cache(d, &(struct draw_shape){.name = name, .least = large ? limit * 1.05 : least,
                                .most = large ? limit * 1.8 : most, .least_line = 32, .most_line = 256,
                                .most_sector = constant && !d->habits ? 64 : 256,
                                .aligned = constant ? CONSTANT_ALIGNED : GLOBAL_ALIGNED});
  if (d->pairs && !strcmp(name, "L1"))
    draw_text(d, "scope = group 2\ncompete = yes\n");
  else if (draw_chance(d, 0.1))
    draw_text(d, "instances = %u\n", draw_power(d, 2, 4)); /* one for each half or quarter of an SM */
}

/* Sets for all of the storage, whatever a carve-out leaves, as the L1 of an H200 has them; often a
 * power of two with a hash. From random numbers of their own. */
static void draw_tags(struct drawing *d, unsigned kib, unsigned line, unsigned ways)
{
  const struct gc_random kept = d->random;
  const bool lru = draw_is_lru(d);
  unsigned tags = kib;

  gc_random_seed(&d->random, ~gc_random_next(&d->random));
  if (d->kind == DRAWN_HIERARCHY && lru && draw_chance(d, 0.6)) {
    if (draw_chance(d, 0.6))
      for (tags = 16; tags < kib;)
        tags *= 2;
    draw_text(d, "tags = %u KiB\n", tags);
    draw_hash(d, &(struct draw_shape){.aligned = GLOBAL_ALIGNED}, line, tags * KIB / (line * ways),
              ways);
  }
  d->random = kept;
}

/* Every carve-out must leave whole sets. */
static void draw_unified_l1(struct drawing *d)
{
  const unsigned line = draw_power(d, 32, d->unusual ? LONGEST_LINE : 128), most = KIB / line;
  const unsigned ways = draw_power(d, 2, most < 8 ? most : 8), lost = draw_number(d, 0, 8) * KIB;
  const unsigned total = d->carveouts * d->carveout_bytes / KIB + draw_number(d, 12, 48) + lost / KIB;

  draw_text(d, "\n[unified]\ntotal = %u KiB\ncarveouts = 0", total);
  for (unsigned i = 1; i <= d->carveouts; i++)
    draw_text(d, " %u", i * d->carveout_bytes / KIB);
  draw_text(d, " KiB\n\n[cache L1]\nsize = unified\nlost = %u B\nline = %u\nways = %u\n", lost, line,
      ways);
  draw_replacement(d, ways, false);
  d->hash = "none";
  d->hash_sets = 0; /* it depends on the carve-out */
  draw_tags(d, total, line, ways);
  draw_stores(d, false);
}

void draw_chip_rates(struct drawing *d, double most)
{
  const double read = draw_scaled(d, most / 16, most) * d->sms * d->clock_khz / 1e6;

  d->chip_gbps = read;
  draw_text(d, "read_gbps = %.1f\nwrite_gbps = %.1f\n", read, read * draw_write_share(d));
  draw_queue(d, "queue", 40);
  draw_idle(d, "idle", 150);
}

static void draw_l2(struct drawing *d)
{
  const bool hierarchy = d->kind == DRAWN_HIERARCHY, pages = d->kind == DRAWN_PAGES;
  const unsigned parts = draw_chance(d, hierarchy ? 0.9 : 0.3) ? 2 : 1;
  const double least = hierarchy ? HIERARCHY_L2_LEAST : pages ? L2_LEAST : 384 * KIB;
  const double most = hierarchy ? HIERARCHY_L2_MOST : pages ? L2_MOST : 2048 * KIB;

  draw_cache(d, &(struct draw_shape){.name = "L2",
                                     .least = least,
                                     .most = most,
                                     .least_line = 32,
                                     .most_line = 256,
                                     .most_sector = 256,
                                     .parts = parts,
                                     .aligned = GLOBAL_ALIGNED});
  draw_outer_cache(d, true);
  draw_text(d, "scope = chip\n");
  draw_chip_rates(d, 96);
  if (parts > 1) {
    const bool dies = d->unusual && draw_chance(d, 0.6);
    const unsigned far = dies ? draw_far_die(d) : draw_number(d, 0, 150),
                   each = draw_number(d, 1, d->sms);

    draw_text(d, "partitions = %u\nreplicate = yes\nfar_cycles = %u\n", parts, far);
    if (!d->gpc_parts)
      draw_text(d, "partition_sms = %u\n", each);
    else
      draw_text(d, "partition_gpcs =");
    for (unsigned g = 0; g < d->gpcs && d->gpc_parts; g++)
      draw_text(d, " %u", d->gpc_sides >> g & 1);
    draw_text(d, "\n");
  }
  draw_slices(d, parts);
}

/* --- latencies and noise --------------------------------------------------------------------- */

/* The ranges for the GPUs of a class. */
static const struct limits {
  double closest, farthest;           /* latency of the next level, relative to the level before */
  double least_jitter, jitter;        /* standard deviation, as a share of a level's cycles */
  double jittery;                     /* share of levels that have some */
  double outliers;                    /* their probability */
  double drifting;                    /* share of GPUs that drift */
  unsigned drift, period;             /* largest cycles, and longest period in loads */
  double bandwidth;                   /* standard deviation of that of L2 and memory */
} limits[DRAWN_CLASSES] = {
  [DRAWN_QUIET] = {1.8, 7, 0, 0.03, 0.7, 1e-3, 0.2, 1, 1000000, 0.01},
  [DRAWN_DISTURBED] = {1.35, 7, 0, 0.15, 0.7, 3e-2, 0.4, 10, 1000000, 0.06},
  [DRAWN_NOISE] = {1, 1.02, 0.3, 1.5, 1, 0.2, 0.7, 1000, 5000, 0.3},
};

static void draw_disturbance(struct drawing *d)
{
  const struct limits *most = &limits[d->gpu->class];
  const unsigned least = (unsigned)draw_scaled(d, 10, 200);

  d->two_modes = d->unusual && draw_chance(d, 0.5);
  if (d->two_modes)
    draw_second_mode(d);
  else if (draw_chance(d, 0.8))
    draw_text(d, "outliers = %.6f %u %u\n", draw_scaled(d, 1e-5, most->outliers), least,
        least + (unsigned)draw_scaled(d, 10, 3000));
  d->gpu->drift = draw_chance(d, most->drifting) ? draw_number(d, 1, most->drift) : 0;
  if (d->gpu->drift)
    draw_text(d, "drift = %u %u\n", d->gpu->drift, (unsigned)draw_scaled(d, 500, most->period));
}

/* Farther levels are slower. One SM moves at most 128 bytes a cycle. In the uniform spaces all
 * threads load the same word, which counts once. */
static void draw_own_rates(struct drawing *d, unsigned own, const char *space)
{
  const bool uniform = !strcmp(space, "constant") || !strcmp(space, "scalar");
  const bool written = !strcmp(space, "shared");
  double rate = draw_scaled(d, uniform ? 1 : 4, uniform ? 32 : 126);

  draw_text(d, "read_bytes_per_cycle =");
  for (unsigned i = 0; i < own; i++) {
    draw_text(d, " %.4g", rate);
    rate *= draw_between(d, 0.2, 1);
  }
  draw_text(d, "\n");
  if (written)
    draw_text(d, "write_bytes_per_cycle = %.4g\n", draw_scaled(d, 4, 126));
}

/* sm_spread is less than each latency outside the SM. */
static double above_spread(const struct drawing *d, const char *space, const char *caches,
                           double cycles)
{
  const bool outside = !strncmp(caches, "L2", 2) || !strncmp(caches, "L3", 2) ||
                       (!*caches && strcmp(space, "shared"));

  return outside ? fmax(cycles, d->sm_spread + 1.0) : cycles;
}

/* On noise GPUs all levels vary alike, so that the variation does not identify the level. */
/* Not drawn, so that all other values stay the same. */
static void draw_warps(struct drawing *d)
{
  static const char *const orders[] = {"oldest", "youngest", "round-robin", "ready"};
  const unsigned mhz = d->clock_khz / 1000, order = mhz % 5;

  if (order < sizeof(orders) / sizeof(*orders))
    draw_text(d, "warps = %s %u\n", orders[order], 8 + mhz / 5 % 150);
}

void draw_path(struct drawing *d, const char *space, double cycles, const char *caches, unsigned own)
{
  const struct limits *most = &limits[d->gpu->class];
  const double alike = draw_between(d, most->least_jitter, most->jitter);
  const bool noise = d->gpu->class == DRAWN_NOISE;

  draw_text(d, "\n[space %s]\npath = ", space);
  for (bool last = false; !last;) {
    int length = 0;

    for (last = !*caches; caches[length] && caches[length] != ' ';)
      length++;
    cycles = above_spread(d, space, caches, cycles);
    draw_text(d, "%.*s %u", last ? 6 : length, last ? "memory" : caches, (unsigned)cycles);
    if (draw_chance(d, most->jittery))
      draw_text(d, " %.2f", cycles * (noise ? alike : draw_between(d, most->least_jitter, most->jitter)));
    draw_text(d, last ? "\n" : ", ");
    caches += length + (caches[length] == ' ');
    cycles = floor(cycles) * draw_scaled(d, d->close && !noise ? 1.15 : most->closest,
                                         fmin(most->farthest, cycles < 150 ? 7 : 2.5));
    cycles += noise || d->close ? 1 : 16;
  }
  if (own)
    draw_own_rates(d, own, space);
  if (own && !strcmp(space, "ca"))
    draw_warps(d);
}

/* --- the chip -------------------------------------------------------------------------------- */

/* L1, texture and read-only loads use one cache or two. Some kinds bypass it or do not exist. */
static void draw_global(struct drawing *d)
{
  const double cycles = draw_between(d, 25, 120);
  const bool cached = draw_chance(d, 0.88), texture = draw_chance(d, 0.85), apart = draw_chance(d, 0.4);
  bool other;

  if (d->unified)
    draw_unified_l1(d);
  else
    draw_sm_cache(d, "L1", 4 * KIB, draw_chance(d, 0.1) ? 160 * KIB : 48 * KIB, 1024 * KIB);
  other = !apart && draw_other_hash(d);
  if (apart)
    draw_sm_cache(d, "Texture", 4 * KIB, 32 * KIB, 1024 * KIB);
  d->l2_ahead = cycles * 3 * (limits[d->gpu->class].closest - 1);
  draw_l2(d);
  draw_path(d, "ca", cached ? cycles : cycles * 3, cached ? "L1 L2" : "L2", cached);
  draw_path(d, "cg", cycles * 3, "L2", 0);
  if (draw_chance(d, 0.85)) {
    draw_path(d, "nc", cycles, apart ? "Texture L2" : "L1 L2", 1);
    if (other && d->hash_of_read_only)
      draw_text(d, "other_hash = yes\n");
  }
  if (texture) {
    draw_path(d, "texture", cycles + draw_number(d, 0, 60), apart ? "Texture L2" : "L1 L2", 1);
    if (other)
      draw_text(d, "other_hash = yes\n");
  }
}

static void draw_constant(struct drawing *d)
{
  const bool hierarchy = d->kind == DRAWN_HIERARCHY;
  const bool behind = draw_chance(d, !hierarchy ? 0.85 : d->lone ? 1 : 0.75);

  draw_sm_cache(d, "ConstantL1", 512, 2560, 16 * KIB);
  if (behind) {
    draw_cache(d, &(struct draw_shape){.name = "ConstantL1.5", .least = (hierarchy ? 32 : 16) * KIB,
                                  .most = 160 * KIB, .least_line = draw_least_line(d, 64),
                                  .most_line = 256, .most_sector = 256, .aged = hierarchy,
                                  .aligned = CONSTANT_ALIGNED});
    if (draw_chance(d, 0.3) && d->sms > 1) {
      const unsigned group = draw_number(d, 2, d->sms < 6 ? d->sms : 6);

      d->code_groups = true;
      if (!d->gpc_constant)
        draw_text(d, "scope = group %u\n", group);
    }
    if (d->gpc_constant && d->cpc_sms && !d->gpc_whole)
      draw_text(d, "scope = gpc %u\n", d->cpc_sms);
    else if (d->gpc_constant)
      draw_text(d, "scope = gpc\n");
  }
  draw_path(d, "constant", draw_between(d, 15, 60),
            behind ? "ConstantL1 ConstantL1.5 L2" : "ConstantL1 L2", 1 + behind);
  if (behind && draw_chance(d, 0.5)) {
    const size_t length = d->length;

    /* draw_code replaces the path; the draws stay, for the sake of those that follow */
    d->code_cycles = draw_between(d, 15, 100);
    draw_path(d, "instruction", d->code_cycles, "ConstantL1.5 L2", 0);
    d->length = length;
    d->gpu->text[length] = '\0';
  }
}

/* Code goes through the constant L1.5, and often through a cache of its own before it. */
static void draw_code(struct drawing *d)
{
  const bool own = draw_chance(d, 0.7);

  if (!d->code_cycles)
    return;
  if (own)
    draw_cache(d, &(struct draw_shape){.name = "Instruction", .least = 6 * KIB, .most = 48 * KIB,
                                  .least_line = 32, .most_line = 256, .most_sector = 256,
                                  .aligned = CONSTANT_ALIGNED});
  if (own && d->code_groups)
    draw_text(d, "scope = group 2\n");
  draw_path(d, "instruction", d->code_cycles,
            own ? "Instruction ConstantL1.5 L2" : "ConstantL1.5 L2", 0);
}

void draw_chip(struct drawing *d, uint64_t index, bool amd)
{
  const double most = limits[d->gpu->class].bandwidth, read = draw_scaled(d, 4, 24);

  draw_text(d, "model = Drawn %llu\nsms = %u\nclock_khz = %u\nmemory = %u GiB\nblocks_per_sm = %u\n"
           "clock_overhead = %u\nseed = %llu\n", (unsigned long long)index, d->sms, d->clock_khz,
           d->memory_gib,
           draw_number(d, 8, 32), draw_number(d, 0, 40),
           (unsigned long long)d->noise);
  draw_text(d, "memory_read_gbps = %.1f\nmemory_write_gbps = %.1f\nbandwidth_noise = %.5f\n",
            read * d->sms * d->clock_khz / 1e6,
            read * draw_write_share(d) * d->sms * d->clock_khz / 1e6, draw_scaled(d, 1e-4, most));
  draw_queue(d, "memory_queue", 200);
  draw_idle(d, "memory_idle", 400);
  draw_disturbance(d);
  draw_pages(d);
  draw_hierarchy(d);
  draw_unusual(d, amd);
  if (d->habits)
    draw_habits(d, amd);
}

static void draw_nvidia(struct drawing *d, uint64_t index)
{
  unsigned shared;

  d->unified = draw_chance(d, 0.5);
  d->carveouts = draw_number(d, 2, 8);
  d->carveout_bytes = draw_number(d, 1, 4) * 4 * KIB;
  shared = d->carveouts * d->carveout_bytes;
  draw_chip(d, index, false);
  draw_gpcs(d);
  draw_text(d, "compute = 7.0\nthreads_per_sm = %u\nshared_per_sm = %u\nshared_per_block = %u\n"
           "shared_reserved = %u\n", draw_power(d, 1024, 2048), shared, shared,
           draw_chance(d, 0.5) ? KIB : 0);
  draw_global(d);
  if (draw_chance(d, 0.9) || d->kind == DRAWN_HIERARCHY)
    draw_constant(d);
  draw_path(d, "shared", draw_between(d, 18, 60), "", 1);
  draw_tlbs(d);
  draw_translation(d);
  draw_code(d);
}

const char *const drawn_kind_names[DRAWN_KINDS] = {"general",   "pages",   "habits",
                                                   "hierarchy", "unusual", "all"};

#define SPREAD 0x9e3779b97f4a7c15 /* odd: neighbouring seeds have no GPU in common */

#define UNUSUAL 0x756e757375616c

/* Two seeds of random numbers for each GPU. Of all kinds, the last two have numbers of their own,
 * and the others are counted without them. */
static uint64_t seed_of(uint64_t seed, enum drawn_kind all, enum drawn_kind kind, uint64_t index)
{
  const unsigned own = DRAWN_ALL - DRAWN_HIERARCHY; /* kinds with numbers of their own */

  if (kind == DRAWN_HIERARCHY)
    return ~(seed * SPREAD + index);
  if (kind == DRAWN_UNUSUAL)
    return ~(seed * SPREAD + index) ^ UNUSUAL;
  return seed * SPREAD + (all == DRAWN_ALL ? index - index / DRAWN_ALL * own : index);
}

static uint64_t draw_noise(const struct draw_seeds *seeds, enum drawn_kind kind, uint64_t index,
                           enum drawn_group group)
{
  const unsigned other = group == DRAWN_OTHER_NOISE;
  struct gc_random random;

  gc_random_seed(&random, seed_of(seeds->noise * 2 + other, seeds->kind, kind, index));
  return gc_random_next(&random);
}

void draw_gpu(const struct draw_seeds *seeds, uint64_t index, enum drawn_group group,
              struct drawn_gpu *gpu)
{
  const enum drawn_kind kind =
    seeds->kind == DRAWN_ALL ? (enum drawn_kind)(index % DRAWN_ALL) : seeds->kind;
  struct drawing d = {.gpu = gpu,
                      .kind = kind,
                      .group = group,
                      .habits = kind == DRAWN_HABITS,
                      .memory_gib = kind == DRAWN_PAGES ? 16 : 2,
                      .noise = draw_noise(seeds, kind, index, group)};
  double p;
  bool amd;

  gc_random_seed(&d.random, seed_of(seeds->gpus, seeds->kind, kind, index));
  d.unusual = kind == DRAWN_UNUSUAL;
  if (d.unusual)
    d.kind = draw_chance(&d, 0.6) ? DRAWN_GENERAL : DRAWN_HIERARCHY;
  p = draw_share(&d);
  gpu->class = p < 0.45 ? DRAWN_QUIET : p < 0.9 ? DRAWN_DISTURBED : DRAWN_NOISE;
  d.sms = d.kind == DRAWN_HIERARCHY ? draw_many_sms(&d) : (unsigned)draw_scaled(&d, 1, 145);
  if (d.unusual)
    d.sms = draw_unusual_sms(&d, d.sms);
  if (d.kind == DRAWN_HIERARCHY)
    draw_memory(&d);
  d.clock_khz = draw_number(&d, 500, 2500) * 1000;
  amd = draw_chance(&d, AMD_SHARE) && d.kind != DRAWN_HIERARCHY;
  if (amd)
    draw_amd(&d, index);
  else
    draw_nvidia(&d, index);
  if (d.two_modes && gpu->class == DRAWN_QUIET) /* more delayed loads than even a disturbed one */
    gpu->class = DRAWN_DISTURBED;
  draw_banks(&d);
  draw_hosts(&d);
  if (!amd)
    draw_bulk(&d); /* last, so that the rest does not depend on it */
}
