/*
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "predict/model/l2.h"

#include "predict/model/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gc_l2_init(struct gc_l2 *l2, const struct gc_gpu_model *gpu,
               const struct gc_model_options *options, const struct gc_half_normal *half_normal)
{
  int status = 0;

  memset(l2, 0, sizeof *l2);
  l2->gpu = gpu;
  l2->half_normal = half_normal;
  l2->no_latency = options->no_latency;
  l2->compulsory = options->compulsory;
  l2->random = gc_draw_state(options->seed, 1);
  gc_coalescer_init(&l2->of_l1, gpu->l1.line_bytes, gpu->l1.sector_bytes);
  gc_coalescer_init(&l2->of_l2, gpu->l2.line_bytes, gpu->l2.sector_bytes);
  l2->like_l1 =
      gpu->l1.line_bytes == gpu->l2.line_bytes && gpu->l1.sector_bytes == gpu->l2.sector_bytes;
  if (options->fully_associative)
    l2->index.sets = 1;
  else
    gc_set_index_init(&l2->index, &gpu->l2);
  l2->partitions = calloc(gpu->partitions, sizeof *l2->partitions);
  if (!l2->partitions)
    return -ENOMEM;
  for (unsigned i = 0; i < gpu->partitions && !status; i++)
    status = gc_lines_init(&l2->partitions[i], &gpu->l2, options->fully_associative,
                           gc_draw_state(options->seed, 2 + i));
  if (!status && !options->no_latency)
    status = gc_tlbs_init(&l2->tlbs, gpu);
  if (status)
    gc_l2_fini(l2);
  return status;
}

void gc_l2_fini(struct gc_l2 *l2)
{
  gc_tlbs_fini(&l2->tlbs);
  for (unsigned i = 0; l2->partitions && i < l2->gpu->partitions; i++)
    gc_lines_fini(&l2->partitions[i]);
  free(l2->partitions);
  gc_sector_set_fini(&l2->seen);
  memset(l2, 0, sizeof *l2);
}

void gc_l2_begin(struct gc_l2 *l2)
{
  l2->start = l2->last;
}

static unsigned home_of(const struct gc_l2 *l2, uint64_t line)
{
  return l2->gpu->partitions == 1 ? 0 : (uint32_t)(gc_mix(line) >> 32) % l2->gpu->partitions;
}

static unsigned near_of(const struct gc_l2 *l2, unsigned sm)
{
  if (l2->gpu->private_l2)
    return sm % l2->gpu->partitions;
  return sm * l2->gpu->partitions / l2->gpu->sms;
}

void gc_l2_prefetch(const struct gc_l2 *l2, unsigned sm, uint64_t line, bool more)
{
  void (*prefetch)(const struct gc_lines *, uint32_t, uint64_t) =
      more ? gc_lines_prefetch_more : gc_lines_prefetch;
  uint32_t set = gc_set_of(&l2->index, line);

  if (!l2->gpu->private_l2)
    prefetch(&l2->partitions[home_of(l2, line)], set, line);
  if (l2->gpu->copies || l2->gpu->private_l2)
    prefetch(&l2->partitions[near_of(l2, sm)], set, line);
}

/* One line of L2. */
struct access {
  enum gc_l2_access kind;
  unsigned sm;
  uint64_t line, now;
  uint32_t set, sectors;
  uint32_t parts;           /* of the line, that are accessed (GC_LINE_PARTS) */
  const uint8_t *of_l1;     /* of each sector, the sectors of L1 that are accessed; NULL: 1 */
  uint64_t cycles;          /* result: until the last sector is there */
  uint32_t hits, under_way; /* results: sectors */
  uint32_t stored;          /* result: of the hits, those of which only what was stored is valid */
};

/* The sectors of the access of which only stored parts are valid, and these are what it needs. A
 * store needs nothing. */
static uint32_t look_at_stored(const struct gc_l2 *l2, const struct gc_line *line,
                               const struct access *access)
{
  uint32_t found = 0;

  for (uint32_t left = line->stored ? access->sectors & ~line->sectors : 0; left;
       left &= left - 1) {
    const uint32_t sector = (uint32_t)__builtin_ctz(left), all = gc_parts_of(&l2->gpu->l2, sector);
    const uint32_t needed = access->kind == GC_L2_STORE ? 0 : access->parts & all;

    if (line->stored & all && !(needed & ~line->stored))
      found |= UINT32_C(1) << sector;
  }
  return found;
}

/* Looks for the sectors that have not been found yet. Those that are there or under way count.
 * Returns the line, if it is there. */
static struct gc_line *look(struct gc_l2 *l2, unsigned partition, struct access *access)
{
  struct gc_lines *lines = &l2->partitions[partition];
  struct gc_line *line = gc_lines_find(lines, access->set, access->line);
  const struct gc_gpu_model *gpu = l2->gpu;
  uint32_t found, stored;

  if (!line)
    return NULL;
  gc_lines_use(lines, access->set, line);
  if (line->pending && line->arrival <= access->now)
    line->pending = 0;
  stored = look_at_stored(l2, line, access);
  found = (access->sectors & line->sectors) | stored;
  found &= ~(access->hits | access->under_way);
  if (!found)
    return line;
  access->stored |= found & stored;
  access->hits |= found & ~line->pending;
  access->under_way |= found & line->pending;
  if (!l2->no_latency) {
    bool near = partition == near_of(l2, access->sm);
    uint64_t cycles =
        gc_latency_draw(l2->half_normal, near ? gpu->l2_near_cycles : gpu->l2_far_cycles,
                        gpu->l2_spread, &l2->random);

    if (found & line->pending && line->arrival - access->now > cycles)
      cycles = line->arrival - access->now;
    if (cycles > access->cycles)
      access->cycles = cycles;
  }
  return line;
}

/* Brings sectors into a line of a partition, or into a new one if it is NULL; they are under way
 * until access->cycles from now. */
static int keep(struct gc_l2 *l2, unsigned partition, struct gc_line *line,
                const struct access *access, uint32_t sectors)
{
  struct gc_lines *lines = &l2->partitions[partition];
  uint64_t arrival = access->now + access->cycles;

  if (!line)
    line = gc_lines_add(lines, access->set, access->line);
  if (!line)
    return -ENOMEM;
  sectors &= ~line->sectors;
  if (access->kind == GC_L2_STORE && l2->gpu->l2.store_miss == GC_ALLOCATE_SECTOR) {
    line->stored |= access->parts;
    sectors = gc_sectors_stored(&l2->gpu->l2, sectors, UINT32_MAX, line->stored);
  }
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
  struct gc_line *line = gc_lines_find(&l2->partitions[partition], access->set, access->line);

  if (line) {
    line->sectors &= ~access->sectors;
    line->pending &= ~access->sectors;
    for (uint32_t left = line->stored ? access->sectors : 0; left; left &= left - 1)
      line->stored &= ~gc_parts_of(&l2->gpu->l2, (uint32_t)__builtin_ctz(left));
  }
}

/* The sectors that an access brings in: those that miss; of a store, also those of which parts have
 * been stored before. */
static uint32_t sectors_to_bring(const struct gc_l2 *l2, const struct access *access,
                                 uint32_t missing)
{
  enum gc_allocate allocate =
      access->kind == GC_L2_STORE ? l2->gpu->l2.store_miss : GC_ALLOCATE_SECTOR;
  unsigned count = l2->gpu->l2.line_bytes / l2->gpu->l2.sector_bytes;

  if (access->kind == GC_L2_STORE)
    missing |= access->stored;
  if (!missing || allocate == GC_ALLOCATE_NONE)
    return 0;
  return allocate == GC_ALLOCATE_LINE ? UINT32_MAX >> (32 - count) : missing;
}

/* The counters of the hardware count sectors of L1, also if L2 fetches larger ones. */
static unsigned count_sectors(const struct access *access, uint32_t sectors)
{
  unsigned count = 0;

  if (!sectors)
    return 0;
  if (!access->of_l1)
    return gc_count_bits(sectors);
  for (; sectors; sectors &= sectors - 1)
    count += access->of_l1[__builtin_ctz(sectors)];
  return count;
}

static int count_access(struct gc_l2 *l2, const struct access *access, uint32_t near,
                        uint32_t missing)
{
  struct gc_cache_counts *counts =
      access->kind == GC_L2_LOAD ? &l2->counts->l2_loads : &l2->counts->l2_stores;
  uint32_t new = 0;

  if (l2->compulsory && missing && gc_sector_set_add(&l2->seen, access->line, missing, &new))
    return -ENOMEM;
  if (access->kind == GC_L2_ATOMIC) {
    l2->counts->atomics += count_sectors(access, access->sectors);
    return 0;
  }
  counts->accesses += count_sectors(access, access->sectors);
  counts->hits += count_sectors(access, access->hits);
  counts->hits_on_miss += count_sectors(access, access->under_way);
  counts->misses += count_sectors(access, missing);
  if (access->kind == GC_L2_LOAD)
    l2->counts->l2_loads_far += count_sectors(access, (access->hits | access->under_way) & ~near);
  if (new)
    counts->compulsory += count_sectors(access, new);
  return 0;
}

static int access_line(struct gc_l2 *l2, struct access *access)
{
  const struct gc_gpu_model *gpu = l2->gpu;
  unsigned near = near_of(l2, access->sm);
  unsigned home = gpu->private_l2 ? near : home_of(l2, access->line);
  bool copy = gpu->copies && near != home && access->kind == GC_L2_LOAD;
  struct gc_line *near_line = NULL, *home_line = NULL;
  uint32_t looked_up_first, missing, bring;
  int status;

  access->set = gc_set_of(&l2->index, access->line);
  if (copy) {
    near_line = look(l2, near, access);
    copy = access->sectors & ~(access->hits | access->under_way);
  }
  looked_up_first = copy ? access->hits | access->under_way : UINT32_MAX;
  if (access->sectors & ~(access->hits | access->under_way))
    home_line = look(l2, home, access);
  missing = access->sectors & ~(access->hits | access->under_way);
  status = count_access(l2, access, looked_up_first, missing);
  if (missing && !l2->no_latency) {
    uint64_t cycles =
        gc_latency_draw(l2->half_normal, gpu->memory_cycles, gpu->memory_spread, &l2->random);

    access->cycles = cycles > access->cycles ? cycles : access->cycles;
  }
  bring = sectors_to_bring(l2, access, missing);
  if (!status && bring)
    status = keep(l2, home, home_line, access, bring);
  if (!status && copy)
    status = keep(l2, near, near_line, access, access->sectors & ~access->stored);
  if (access->kind == GC_L2_STORE && !gpu->l2.store_updates && access->hits | access->under_way) {
    access->sectors = access->hits | access->under_way;
    drop(l2, home, access);
  }
  for (unsigned i = 0; gpu->copies && access->kind != GC_L2_LOAD && i < gpu->partitions; i++)
    if (i != home)
      drop(l2, i, access);
  return status;
}

/* Accesses the sectors that were collected, and begins with the next line. */
static int access_collected(struct gc_l2 *l2, struct access *access, uint8_t of_l1[32],
                            uint64_t *slowest)
{
  int status;

  access->cycles = 0;
  access->hits = access->under_way = access->stored = 0;
  access->of_l1 = of_l1;
  status = access_line(l2, access);
  *slowest = access->cycles > *slowest ? access->cycles : *slowest;
  access->sectors = access->parts = 0;
  memset(of_l1, 0, 32);
  return status;
}

/* Lines or sectors of L1 and L2 differ: sector by sector of L1, collected by lines of L2. If the
 * lines differ, stores count as stores of whole sectors of L2. */
static int access_bytes(struct gc_l2 *l2, struct access *access, const struct gc_request *request)
{
  uint64_t base = request->line << l2->of_l1.line_shift, slowest = 0;
  unsigned in_line = l2->of_l2.line_shift - l2->of_l2.sector_shift;
  const bool same_lines = l2->of_l1.line_shift == l2->of_l2.line_shift;
  uint8_t of_l1[32] = {0};
  int status = 0;

  access->sectors = access->parts = 0;
  for (uint32_t left = request->sectors; left && !status; left &= left - 1) {
    uint64_t from = base + ((uint64_t)__builtin_ctz(left) << l2->of_l1.sector_shift);
    uint64_t last = (from + l2->gpu->l1.sector_bytes - 1) >> l2->of_l2.sector_shift;

    for (uint64_t i = from >> l2->of_l2.sector_shift; i <= last && !status; i++) {
      unsigned in = (unsigned)(i & ((1u << in_line) - 1));

      if (access->sectors && i >> in_line != access->line)
        status = access_collected(l2, access, of_l1, &slowest);
      access->line = i >> in_line;
      access->sectors |= UINT32_C(1) << in;
      access->parts |= same_lines ? request->parts : gc_parts_of(&l2->gpu->l2, in);
      of_l1[in]++;
    }
  }
  if (!status)
    status = access_collected(l2, access, of_l1, &slowest);
  access->cycles = slowest;
  return status;
}

int gc_l2_request(struct gc_l2 *l2, enum gc_l2_access kind, unsigned sm,
                  const struct gc_request *request, uint64_t now, uint64_t *cycles)
{
  struct access access = {.kind = kind,
                          .sm = sm,
                          .line = request->line,
                          .now = l2->start + now,
                          .sectors = request->sectors,
                          .parts = request->parts};
  double translation =
      gc_tlbs_translate(&l2->tlbs, sm, request->line << l2->of_l1.line_shift, l2->counts);
  int status = l2->like_l1 ? access_line(l2, &access) : access_bytes(l2, &access, request);

  *cycles = l2->no_latency ? 0 : access.cycles + (uint64_t)(translation + 0.5);
  return status;
}
