/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Used by draw*.c: random numbers, and the profile that is being written.
 */
#ifndef GC_TESTS_DRAWING_H
#define GC_TESTS_DRAWING_H

#include "draw.h"

#include "model/noise.h"

#include <stdbool.h>
#include <stddef.h>

#define KIB 1024u
#define L2_LEAST (256.0 * KIB) /* of kind DRAWN_PAGES */
#define L2_MOST (256.0 * 1024 * KIB)
#define GLOBAL_ALIGNED (2048 * KIB) /* alignment of arrays in device memory */
#define CONSTANT_ALIGNED (4 * KIB)  /* alignment in the simulator's constant bank */

struct drawing {
  struct gc_random random;
  uint64_t noise; /* the seed in the profile */
  struct drawn_gpu *gpu;
  size_t length;
  unsigned sms, clock_khz, carveouts, carveout_bytes;
  double chip_gbps; /* read_gbps of the last cache of the whole chip */
  bool unified;
  enum drawn_kind kind;
  enum drawn_group group;
  bool code_groups;   /* SMs share a constant L1.5 */
  unsigned memory_gib;
  double code_cycles; /* of a jump that hits; 0: the profile has no [space instruction] */
  bool habits; /* of kind DRAWN_HABITS; then also: */
  bool unusual; /* of kind DRAWN_UNUSUAL; `kind` is then what the rest is drawn as */
  bool two_modes; /* of the noise */
  unsigned sm_spread;
  bool integrated;
  double l2_ahead; /* cycles by which the next level is slower, at least */
  bool close;  /* the next level may be only 15 % slower */
  bool pairs;  /* neighbouring SMs share an L1 */
  unsigned gpcs;      /* 0: not stated; then also: */
  bool gpc_constant;  /* the SMs of a GPC share the constant L1.5 */
  unsigned cpc_sms;   /* so many SMs of a GPC share it, or a TLB; 0: others */
  bool gpc_whole;     /* all SMs of a GPC share it, even if there are CPCs */
  bool lone;          /* some TPCs take no large clusters */
  bool gpc_parts;     /* the SMs of a GPC are near to the same part of L2 */
  unsigned gpc_sides; /* bit g: which one */
  bool hash_of_read_only;       /* read-only loads use the other hash of L1, too */
  unsigned fetched;             /* bytes that a miss of the last cache fetches */
  const char *hash;             /* of the cache whose section is being written; */
  unsigned hash_sets, hash_bit; /* 0: not all hashes are possible; the lowest bit above the sets */
};

/* Appends to the profile. */
__attribute__((format(printf, 2, 3))) void draw_text(struct drawing *d, const char *format, ...);

double draw_share(struct drawing *d); /* 0 to 1 */
bool draw_chance(struct drawing *d, double p);
double draw_between(struct drawing *d, double least, double most);
/* Uniform in the logarithm: 1 to 10 is as likely as 10 to 100. */
double draw_scaled(struct drawing *d, double least, double most);
unsigned draw_number(struct drawing *d, unsigned least, unsigned most);
/* A power of two; least and most must be powers of two. */
unsigned draw_power(struct drawing *d, unsigned least, unsigned most);

/* A cache, and the ranges to draw it from. */
struct draw_shape {
  const char *name;
  double least, most; /* usable bytes */
  unsigned least_line, most_line, most_sector;
  unsigned parts;
  bool aged; /* mostly replaces the least recently used line */
  unsigned aligned; /* addresses of arrays are multiples of this */
};

/* Starts the section of a cache; more lines may follow. Returns its bytes, unusable ones
 * included. */
unsigned draw_cache(struct drawing *d, const struct draw_shape *shape);
/* The least line of a cache that is loaded only through the last one: `least`, or what a miss of
 * that one fetches. With shorter lines, such a miss would bring in several of them. */
unsigned draw_least_line(const struct drawing *d, unsigned least);
/* A cache inside the SM. A few are larger than the search goes, so that no load misses. */
void draw_sm_cache(struct drawing *d, const char *name, double least, double most, double limit);
/* The bandwidth that all SMs together get. */
void draw_chip_rates(struct drawing *d, double most);

/* The path of an address space through caches (names separated by blanks). The first `own` of
 * them belong to one SM each. */
void draw_path(struct drawing *d, const char *space, double cycles, const char *caches, unsigned own);

/* The lines of the chip that all GPUs have, except its name and the limits of a block. */
void draw_chip(struct drawing *d, uint64_t index, bool amd);

/* draw_gpcs.c: lines of the chip, from random numbers of its own. */
void draw_gpcs(struct drawing *d);

/* draw_hierarchy.c, for the kind DRAWN_HIERARCHY: the number of SMs; the size of device memory; lines
 * of the chip, none for other kinds; keys of an L2 with two partitions. */
#define HIERARCHY_L2_LEAST (4096.0 * KIB)
#define HIERARCHY_L2_MOST (192.0 * 1024 * KIB) /* Blackwell has 126 MiB, Ada 96 */
unsigned draw_many_sms(struct drawing *d);
void draw_memory(struct drawing *d);
void draw_hierarchy(struct drawing *d);
void draw_sides(struct drawing *d);

/* draw_translation.c: TLBs like those of real GPUs, for the kind DRAWN_HIERARCHY; nothing for other
 * kinds. */
void draw_translation(struct drawing *d);

/* draw_habits.c: lines of the chip. */
void draw_habits(struct drawing *d, bool amd);

/* draw_unusual.c, for the kind DRAWN_UNUSUAL: the number of SMs; lines of the chip; in place of
 * outliers; what stores can move, relative to loads; far_cycles of an L2 of two dies. */
unsigned draw_unusual_sms(struct drawing *d, unsigned usual);
void draw_unusual(struct drawing *d, bool amd);
void draw_second_mode(struct drawing *d);
double draw_write_share(struct drawing *d);
unsigned draw_far_die(struct drawing *d);
/* The other hash of an L1, after its other keys. Returns whether there is one. */
bool draw_other_hash(struct drawing *d);
/* The rest of a line, from the name of the hash on. */
void draw_hash_named(struct drawing *d, const char *hash);
/* The lowest address bit above the longest line. */
unsigned draw_above_line(const struct drawing *d);

/* Whether the cache whose section is being written replaces the least recently used line. */
bool draw_is_lru(const struct drawing *d);

/* draw_pages.c: these do nothing unless the kind is DRAWN_PAGES. Lines of the chip; lines of the
 * section of an L2 or L3, which ends with the replacement so far; sections of TLBs. */
void draw_pages(struct drawing *d);
void draw_outer_cache(struct drawing *d, bool l2);
void draw_tlbs(struct drawing *d);

/* draw_banks.c: sections of shared memory's banks, of atomic operations, and of bulk copies. */
void draw_banks(struct drawing *d);
void draw_bulk(struct drawing *d);

/* under_load.c: for how many cycles loads wait */
void draw_queue(struct drawing *d, const char *key, double most);
/* and by how many cycles they are slower at an idle level */
void draw_idle(struct drawing *d, const char *key, double most);

/* hosts.c: sections of the NUMA nodes of the host */
void draw_hosts(struct drawing *d);

/* draw_slices.c: keys of the L2 */
void draw_slices(struct drawing *d, unsigned parts);

/* draw_amd.c: the whole GPU, once its class is drawn. */
void draw_amd(struct drawing *d, uint64_t index);

#endif
