/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/l2.h"
#include "util/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_PROGRAMS_LINE (UINT64_C(1) << 57) /* lines from here on are at no address */

static unsigned near_of(const struct gc_gpu_model *gpu, unsigned sm)
{
  if (gpu->private_l2)
    return sm % gpu->partitions;
  return gpu->has_sides ? gpu->near_of_gpc[gpu->gpc_of_sm[sm]] : sm * gpu->partitions / gpu->sms;
}

int gc_l2_init(struct gc_l2 *l2, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options, const struct gc_half_normal *half_normal)
{
  int status = 0;

  memset(l2, 0, sizeof *l2);
  l2->gpu = gpu;
  l2->half_normal = half_normal;
  l2->home_mask =
      gpu->private_l2 || gpu->partitions & (gpu->partitions - 1) ? UINT32_MAX : gpu->partitions - 1;
  l2->no_latency = options->no_latency;
  l2->random = gc_draw_state(options->seed, GC_RANDOM_L2);
  gc_coalescer_init(&l2->of_l1, gpu->l1.line_bytes, gpu->l1.sector_bytes);
  gc_coalescer_init(&l2->of_l2, gpu->l2.line_bytes, gpu->l2.sector_bytes);
  l2->same_lines = gpu->l1.line_bytes == gpu->l2.line_bytes;
  l2->like_l1 = l2->same_lines && gpu->l1.sector_bytes == gpu->l2.sector_bytes;
  if (l2->of_l2.sector_shift > l2->of_l1.sector_shift)
    l2->wider = l2->of_l2.sector_shift - l2->of_l1.sector_shift;
  else
    l2->finer = l2->of_l1.sector_shift - l2->of_l2.sector_shift;
  if (options->fully_associative)
    l2->index.sets = 1;
  else
    gc_set_index_init(&l2->index, &gpu->l2);
  l2->partitions = calloc(gpu->partitions, sizeof *l2->partitions);
  l2->near = malloc(gpu->sms);
  l2->added = calloc(gpu->partitions, sizeof *l2->added);
  if (!l2->partitions || !l2->near || !l2->added)
    status = -ENOMEM;
  for (unsigned i = 0; i < gpu->sms && !status; i++)
    l2->near[i] = (uint8_t)near_of(gpu, i);
  for (unsigned i = 0; i < gpu->partitions && !status; i++)
    status = gc_lines_init(&l2->partitions[i], &gpu->l2, options->fully_associative,
                           gc_draw_state(options->seed, GC_RANDOM_L2_SETS + i));
  if (!status && !options->no_latency)
    status = gc_tlbs_init(&l2->tlbs, gpu);
  if (status)
    gc_l2_fini(l2);
  return status;
}

void gc_l2_fini(struct gc_l2 *l2)
{
  gc_tlbs_fini(&l2->tlbs);
  gc_partial_fini(&l2->partial);
  for (unsigned i = 0; l2->partitions && i < l2->gpu->partitions; i++)
    gc_lines_fini(&l2->partitions[i]);
  free(l2->partitions);
  free(l2->near);
  free(l2->added);
  memset(l2, 0, sizeof *l2);
}

void gc_l2_begin(struct gc_l2 *l2)
{
  l2->start = l2->last;
  memset(l2->added, 0, l2->gpu->partitions * sizeof *l2->added);
}

/* Adds a line to a partition, for the present kernel. NULL: no memory. */
GC_ALWAYS_INLINE struct gc_line *add_line(struct gc_l2 *l2, unsigned partition, uint32_t set,
                                          uint64_t line, uint64_t mix)
{
  l2->added[partition]++;
  return gc_lines_add_mixed(&l2->partitions[partition], set, line, mix);
}

/* One line of L2. */
struct access {
  enum gc_l2_access kind;
  unsigned near; /* partition */
  uint64_t line, mix, now;
  uint32_t set, sectors;
  uint32_t parts;           /* of the line, that are accessed (GC_LINE_PARTS) */
  uint32_t missing;         /* sectors that have not been found yet */
  uint32_t of_l1;           /* sectors of L1 that are accessed; 0: as many as there are of L2 */
  uint32_t first_of_l1;     /* the position of the first one in L2, in sectors of L1 */
  uint64_t cycles;          /* result: until the last sector is there */
  uint32_t hits, under_way; /* results: sectors */
  uint32_t stored;          /* result: of the hits, those of which only what was stored is valid */
};

/* The parts of whole sectors of L1: L1 asks for whole ones. The parts are of lines of L1's size. */
static uint32_t whole_sectors(const struct gc_l2 *l2, uint32_t parts)
{
  const struct gc_cache_geometry *l1 = &l2->gpu->l1;
  uint32_t whole = 0;

  for (uint32_t i = 0; i < l1->line_bytes / l1->sector_bytes; i++)
    if (parts & gc_parts_of(l1, i))
      whole |= gc_parts_of(l1, i);
  return whole;
}

/* The sectors of which stores have made some parts valid, among them all that an access needs. */
static uint32_t look_at_stored(const struct gc_l2 *l2, const struct gc_line *line,
                               const struct access *access)
{
  uint32_t needed = 0, found = 0; /* a store needs nothing */

  if (access->kind != GC_L2_STORE)
    needed = l2->same_lines ? whole_sectors(l2, access->parts) : access->parts;
  for (uint32_t left = access->sectors & ~line->sectors; left; left &= left - 1) {
    const uint32_t sector = (uint32_t)__builtin_ctz(left), all = gc_parts_of(&l2->gpu->l2, sector);

    if (line->stored & all && !(needed & all & ~line->stored))
      found |= UINT32_C(1) << sector;
  }
  return found;
}

/* Looks into a line for the sectors that have not been found yet. Those that are there or under way
 * count. */
GC_ALWAYS_INLINE void look_into(struct gc_l2 *l2, struct gc_line *line, bool near,
                                struct access *access)
{
  const struct gc_gpu_model *gpu = l2->gpu;
  const uint32_t stored = line->stored ? look_at_stored(l2, line, access) : 0;
  uint32_t found;

  if (line->pending && line->arrival <= access->now)
    line->pending = 0;
  found = ((access->sectors & line->sectors) | stored) & access->missing;
  if (!found)
    return;
  access->missing &= ~found;
  access->stored |= found & stored;
  access->hits |= found & ~line->pending;
  access->under_way |= found & line->pending;
  if (!l2->no_latency) {
    uint64_t cycles =
        gc_latency_draw(l2->half_normal, near ? gpu->l2_near_cycles : gpu->l2_far_cycles,
                        gpu->l2_spread, &l2->random);

    if (found & line->pending && line->arrival - access->now > cycles)
      cycles = line->arrival - access->now;
    if (cycles > access->cycles)
      access->cycles = cycles;
  }
}

/* Returns the line, if the partition has it. */
GC_ALWAYS_INLINE struct gc_line *look(struct gc_l2 *l2, unsigned partition, struct access *access)
{
  struct gc_lines *lines = &l2->partitions[partition];
  struct gc_line *line = gc_lines_find_mixed(lines, access->set, access->line, access->mix);

  if (line) {
    line = gc_lines_use(lines, access->set, line);
    look_into(l2, line, partition == access->near, access);
  }
  return line;
}

/* Marks the bytes that a store wrote as valid. */
static int keep_stored(struct gc_l2 *l2, unsigned partition, struct gc_line *line,
                       const struct access *access, uint32_t sectors)
{
  const struct gc_cache_geometry *geometry = &l2->gpu->l2;
  const uint32_t before = gc_partial_units(geometry, line);
  const uint64_t lines = (uint64_t)geometry->sets * geometry->ways * l2->gpu->partitions;
  unsigned filled;
  uint32_t units;
  int status;

  line->stored |= access->parts;
  line->sectors |= gc_sectors_stored(geometry, sectors, UINT32_MAX, line->stored);
  units = before ? 0 : gc_partial_units(geometry, line);
  if (!units) /* none, or the line is noted already */
    return 0;
  status = gc_partial_add(&l2->partial, geometry, l2->partitions, lines,
                          (struct gc_partial_line){access->line, access->set, units, partition},
                          &filled);
  l2->counts->memory_read_bytes += (uint64_t)filled * gc_partial_unit_bytes(geometry);
  return status;
}

/* Brings sectors into a line of a partition, or into a new one if it is NULL; they are under way
 * until access->cycles from now. */
GC_ALWAYS_INLINE int keep(struct gc_l2 *l2, unsigned partition, struct gc_line *line,
                          const struct access *access, uint32_t sectors)
{
  uint64_t arrival = access->now + access->cycles;

  if (!line)
    line = add_line(l2, partition, access->set, access->line, access->mix);
  if (!line)
    return -ENOMEM;
  sectors &= ~line->sectors;
  if (access->kind == GC_L2_STORE && l2->gpu->l2.store_miss == GC_ALLOCATE_SECTOR)
    return keep_stored(l2, partition, line, access, sectors);
  line->sectors |= sectors;
  if (access->kind != GC_L2_STORE && !l2->no_latency && sectors) {
    line->pending |= sectors;
    if (arrival > line->arrival)
      line->arrival = arrival;
    if (arrival > l2->last)
      l2->last = arrival;
  }
  return 0;
}

static void drop(struct gc_l2 *l2, unsigned partition, const struct access *access)
{
  struct gc_line *line =
      gc_lines_find_mixed(&l2->partitions[partition], access->set, access->line, access->mix);

  if (line) {
    line->sectors &= ~access->sectors;
    line->pending &= ~access->sectors;
    for (uint32_t left = line->stored ? access->sectors : 0; left; left &= left - 1)
      line->stored &= ~gc_parts_of(&l2->gpu->l2, (uint32_t)__builtin_ctz(left));
  }
}

/* Keeps a copy of what was stored in the partition near the SM, if that is not the home of the
 * line. */
static int keep_own(struct gc_l2 *l2, const struct access *access)
{
  struct gc_lines *lines = &l2->partitions[access->near];
  struct gc_line *line = gc_lines_find_mixed(lines, access->set, access->line, access->mix);

  if (line)
    line = gc_lines_use(lines, access->set, line);
  else
    line = add_line(l2, access->near, access->set, access->line, access->mix);
  if (!line)
    return -ENOMEM;
  line->stored |= access->parts;
  line->sectors |=
      gc_sectors_stored(&l2->gpu->l2, access->sectors & ~line->sectors, UINT32_MAX, line->stored);
  return 0;
}

/* After a store or an atomic: the copy of what was stored, and what is not valid any more. */
static int replace_old(struct gc_l2 *l2, unsigned home, const struct access *access)
{
  const struct gc_gpu_model *gpu = l2->gpu;
  const bool own = access->kind == GC_L2_STORE && gpu->l2.store_miss == GC_ALLOCATE_SECTOR;

  for (unsigned i = 0; gpu->copies && i < gpu->partitions; i++)
    if (i != home && !(own && i == access->near))
      drop(l2, i, access);
  return gpu->copies && own && access->near != home ? keep_own(l2, access) : 0;
}

/* The sectors that an access brings in: those that miss; of a store, also those of which parts have
 * been stored before. */
static uint32_t sectors_to_bring(const struct gc_l2 *l2, const struct access *access)
{
  const struct gc_cache_geometry *geometry = &l2->gpu->l2;
  const uint32_t missing = access->missing | access->stored;

  if (access->kind != GC_L2_STORE)
    return access->missing;
  if (!missing || geometry->store_miss == GC_ALLOCATE_NONE)
    return 0;
  return geometry->store_miss == GC_ALLOCATE_LINE
             ? UINT32_MAX >> (32 - geometry->line_bytes / geometry->sector_bytes)
             : missing;
}

/* The sector of L2, in its line, that a sector of L1 is in. L2 has no smaller sectors. */
GC_ALWAYS_INLINE unsigned sector_of(const struct gc_l2 *l2, uint32_t of_l1)
{
  return of_l1 >> l2->wider & (l2->gpu->l2.line_bytes / l2->gpu->l2.sector_bytes - 1);
}

/* The counters of the hardware count sectors of L1, also if L2 fetches larger ones. */
GC_ALWAYS_INLINE unsigned count_sectors(const struct gc_l2 *l2, const struct access *access,
                                        uint32_t sectors)
{
  unsigned count = 0;

  if (!access->of_l1)
    return gc_ones_of_few(sectors);
  for (uint32_t left = access->of_l1; left; left &= left - 1)
    count += sectors >> sector_of(l2, access->first_of_l1 + (uint32_t)__builtin_ctz(left)) & 1;
  return count;
}

/* far: sectors that only the home partition has, or has under way. */
GC_ALWAYS_INLINE void count_access(struct gc_l2 *l2, const struct access *access, uint32_t far)
{
  struct gc_cache_counts *counts =
      access->kind == GC_L2_LOAD ? &l2->counts->l2_loads : &l2->counts->l2_stores;
  const unsigned all = count_sectors(l2, access, access->sectors);

  if (access->kind == GC_L2_ATOMIC) {
    l2->counts->atomics += all;
    return;
  }
  counts->accesses += all;
  if (access->missing)
    counts->misses +=
        access->missing == access->sectors ? all : count_sectors(l2, access, access->missing);
  if (access->hits)
    counts->hits += count_sectors(l2, access, access->hits);
  if (access->under_way)
    counts->hits_on_miss += count_sectors(l2, access, access->under_way);
  if (far && access->kind == GC_L2_LOAD)
    l2->counts->l2_loads_far += count_sectors(l2, access, far);
}

/* A store reads what it does not write, if it brings in a whole line. */
GC_ALWAYS_INLINE void count_memory(struct gc_l2 *l2, const struct access *access, uint32_t bring)
{
  const uint32_t read = access->kind == GC_L2_STORE ? bring & ~access->sectors : bring;

  l2->counts->memory_read_bytes += (uint64_t)gc_ones_of_few(read) * l2->gpu->l2.sector_bytes;
}

/* access->mix must be that of the line, cycles and the sectors of results 0. */
GC_ALWAYS_INLINE int access_line(struct gc_l2 *l2, struct access *access)
{
  const struct gc_gpu_model *gpu = l2->gpu;
  const unsigned near = access->near, home = gc_l2_home(l2, near, access->mix);
  bool copy = gpu->copies && near != home && access->kind == GC_L2_LOAD;
  struct gc_line *near_line = NULL, *home_line = NULL;
  uint32_t not_near = 0, bring;
  int status = 0;

  access->missing = access->sectors;
  if (copy) {
    near_line = look(l2, near, access);
    not_near = access->missing;
    copy = not_near;
  }
  if (access->missing)
    home_line = look(l2, home, access);
  count_access(l2, access, not_near & ~access->missing);
  if (access->missing && !l2->no_latency) {
    uint64_t cycles =
        gc_latency_draw(l2->half_normal, gpu->memory_cycles, gpu->memory_spread, &l2->random);

    access->cycles = cycles > access->cycles ? cycles : access->cycles;
  }
  bring = sectors_to_bring(l2, access);
  if (bring)
    count_memory(l2, access, bring);
  if (bring)
    status = keep(l2, home, home_line, access, bring);
  if (!status && copy)
    status = keep(l2, near, near_line, access, access->sectors & ~access->stored);
  if (!status && access->kind != GC_L2_LOAD)
    status = replace_old(l2, home, access);
  return status;
}

/* Accesses the sectors that were collected, and begins with the next line. */
static int access_collected(struct gc_l2 *l2, struct access *access, uint64_t *slowest)
{
  int status;

  access->cycles = 0;
  access->hits = access->under_way = access->stored = 0;
  access->mix = gc_mix(access->line);
  access->set = gc_set_of(&l2->index, access->line);
  status = access_line(l2, access);
  *slowest = access->cycles > *slowest ? access->cycles : *slowest;
  access->sectors = access->parts = access->of_l1 = 0;
  return status;
}

/* Lines of L1 and L2 differ: sector by sector of L1, collected by lines of L2. Stores count as
 * stores of whole sectors of L2. */
static int access_other_lines(struct gc_l2 *l2, struct access *access,
                              const struct gc_request *request)
{
  const uint64_t base = request->line << l2->of_l1.line_shift;
  const unsigned in_line = l2->of_l2.line_shift - l2->of_l2.sector_shift;
  const uint32_t sectors = access->sectors;
  uint64_t slowest = 0;
  int status = 0;

  access->first_of_l1 = (uint32_t)(base >> l2->of_l1.sector_shift);
  access->sectors = access->parts = access->of_l1 = 0;
  for (uint32_t left = sectors; left && !status; left &= left - 1) {
    const unsigned sector = (unsigned)__builtin_ctz(left);
    uint64_t from = base + ((uint64_t)sector << l2->of_l1.sector_shift);
    uint64_t last = (from + l2->gpu->l1.sector_bytes - 1) >> l2->of_l2.sector_shift;

    for (uint64_t i = from >> l2->of_l2.sector_shift; i <= last && !status; i++) {
      unsigned in = (unsigned)(i & ((1u << in_line) - 1));

      if (access->sectors && i >> in_line != access->line)
        status = access_collected(l2, access, &slowest);
      access->line = i >> in_line;
      access->sectors |= UINT32_C(1) << in;
      access->parts |= gc_parts_of(&l2->gpu->l2, in);
      access->of_l1 |= l2->finer ? 0 : UINT32_C(1) << sector;
    }
  }
  if (!status)
    status = access_collected(l2, access, &slowest);
  access->cycles = slowest;
  return status;
}

/* Lines of L1 and L2 are equal: the sectors of L2 in which these of L1 are. */
GC_ALWAYS_INLINE uint32_t sectors_of(const struct gc_l2 *l2, uint32_t of_l1)
{
  uint32_t sectors = 0;

  for (uint32_t left = of_l1; left; left &= left - 1) {
    const unsigned sector = (unsigned)__builtin_ctz(left);

    sectors |= l2->finer ? UINT32_MAX >> (32 - (1u << l2->finer)) << (sector << l2->finer)
                         : UINT32_C(1) << (sector >> l2->wider);
  }
  return sectors;
}

/* Member by member: GCC 12 copies a compound literal in parts other than those that were stored,
 * for which CPUs wait. */
GC_ALWAYS_INLINE void begin(const struct gc_l2 *l2, struct access *access, enum gc_l2_access kind,
                            unsigned sm, const struct gc_request *request, uint32_t sectors,
                            uint64_t now)
{
  access->kind = kind;
  access->near = l2->near[sm];
  access->line = request->line;
  access->mix = request->mix;
  access->now = l2->start + now;
  access->set = request->l2_set;
  access->sectors = l2->like_l1 || !l2->same_lines ? sectors : sectors_of(l2, sectors);
  access->of_l1 = l2->wider ? sectors : 0;
  access->first_of_l1 = 0;
  access->parts = request->parts;
  access->cycles = 0;
  access->hits = access->under_way = access->stored = 0;
}

static int access_any(struct gc_l2 *l2, struct access *access, const struct gc_request *request)
{
  return l2->same_lines ? access_line(l2, access) : access_other_lines(l2, access, request);
}

bool gc_l2_has_added(const struct gc_l2 *l2)
{
  uint64_t all = 0;

  for (unsigned partition = 0; partition < l2->gpu->partitions; partition++)
    all += l2->added[partition];
  return all;
}

int gc_l2_pass_over(struct gc_l2 *l2, double times)
{
  const double all = (double)l2->gpu->l2.sets * l2->gpu->l2.ways; /* lines of a partition */

  for (unsigned partition = 0; partition < l2->gpu->partitions; partition++) {
    struct gc_lines *lines = &l2->partitions[partition];
    const double wanted = times * (double)l2->added[partition];

    if (wanted >= all) {
      gc_lines_clear(lines);
      continue;
    }
    for (uint64_t end = l2->passed + (uint64_t)wanted; l2->passed < end; l2->passed++) {
      const uint64_t line = NO_PROGRAMS_LINE + l2->passed;

      if (!gc_lines_add(lines, gc_set_of(&l2->index, line), line))
        return -ENOMEM;
    }
  }
  return 0;
}

int gc_l2_request(struct gc_l2 *l2, enum gc_l2_access kind, unsigned sm,
                  const struct gc_request *request, uint32_t sectors, uint64_t now,
                  uint64_t *cycles)
{
  uint64_t translation = 0;
  struct access access;
  int status;

  if (l2->tlbs.any)
    translation =
        (uint64_t)(0.5 + gc_tlbs_translate(&l2->tlbs, sm, request->line << l2->of_l1.line_shift,
                                           l2->counts));
  if (kind == GC_L2_LOAD && l2->same_lines) { /* most accesses: the compiler knows the kind */
    begin(l2, &access, GC_L2_LOAD, sm, request, sectors, now);
    status = access_line(l2, &access);
  } else {
    begin(l2, &access, kind, sm, request, sectors, now);
    status = access_any(l2, &access, request);
  }
  *cycles = l2->no_latency ? 0 : access.cycles + translation;
  return status;
}

int gc_l2_touch(struct gc_l2 *l2, enum gc_l2_access kind, uint64_t address, uint64_t bytes)
{
  const struct gc_cache_geometry *l1 = &l2->gpu->l1;
  const uint64_t last = (address + bytes - 1) >> l2->of_l1.line_shift;
  /* what is left of the beginning after so much does not count */
  const uint64_t most = 4 * ((uint64_t)l2->gpu->l2.sets * l2->gpu->l2.ways * l2->gpu->partitions *
                                 l2->gpu->l2.line_bytes >>
                             l2->of_l1.line_shift);
  uint64_t line = address >> l2->of_l1.line_shift;
  struct gc_counts *const counts = l2->counts, none = {0};
  int status = 0;

  if (last - line >= most)
    line = last - most + 1;
  l2->counts = &none;
  for (; line <= last && !status; line++) {
    const struct gc_request request = {.line = line,
                                       .mix = gc_mix(line),
                                       .sectors =
                                           UINT32_MAX >> (32 - l1->line_bytes / l1->sector_bytes),
                                       .parts = UINT32_MAX,
                                       .l2_set = gc_set_of(&l2->index, line)};
    struct access access;

    begin(l2, &access, kind, (unsigned)(line % l2->gpu->sms), &request, request.sectors, 0);
    status = access_any(l2, &access, &request);
  }
  l2->counts = counts;
  return status;
}
