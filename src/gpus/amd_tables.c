/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a record of the driver tables of an AMD GPU. KFD lists one kind of cache after the other,
 * each by ascending CU, and does not name the kinds: vector L1, scalar L1 and RDNA's GL1 are all
 * "level 1 data". Their order identifies them: the vector L1 caches come before the instruction
 * caches, the scalar L1 caches after them, and the GL1 caches last (kfd_crat.c of Linux).
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "gpus/amd_tables.h"

#include "gpus/kfd.h"
#include "gpus/tree.h"
#include "record/per_sm.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bounds on work, and on credible values. An MI300X as one GPU has 610 entries. */
#define MOST_CACHES 4096
#define MOST_RUNS 16
#define MOST_BANKS 16
#define MOST_CUS 16384
#define MOST_SIMDS 64
#define MOST_SHARING 64
#define MOST_CACHE_KIB (UINT64_C(1) << 22)
#define MOST_LINE_BYTES 4096
#define MOST_LDS_KIB 1024
#define MOST_MEMORY_BYTES (UINT64_C(1) << 50)
#define MOST_MHZ 100000
#define MOST_BUS_BITS 65536

/* Entries that follow each other and describe caches of one kind. */
struct run {
  struct gc_kfd_cache first, last;
  unsigned count;
  unsigned by_cus[MOST_SHARING + 1]; /* [n]: caches that n CUs share; [0]: unknown */
};

struct table {
  struct run runs[MOST_RUNS];
  unsigned count;
  bool whole; /* no entry is missing, so that instances can be counted */
};

static uint64_t sane(uint64_t value, uint64_t most)
{
  return value <= most ? value : 0;
}

static uint64_t cus_of(const struct gc_kfd_node *node)
{
  if (!node->simds_per_cu || node->simds_per_cu > MOST_SIMDS || node->simds % node->simds_per_cu)
    return 0;
  return sane(node->simds / node->simds_per_cu, MOST_CUS);
}

/* Whether this entry continues the run. A kind ends where the numbers of the CUs start again. */
static bool continues(const struct run *run, const struct gc_kfd_cache *cache)
{
  return run->first.level == cache->level && run->first.type == cache->type &&
         run->first.kib == cache->kib && run->first.line_bytes == cache->line_bytes &&
         cache->processor > run->last.processor;
}

static void extend(struct run *run, const struct gc_kfd_cache *cache)
{
  run->last = *cache;
  run->count++;
  run->by_cus[cache->cus <= MOST_SHARING ? cache->cus : 0]++;
}

/* Skips most of the hundreds of entries, for two reasons. Every CU has its own vector L1: with as
 * many entries as there are CUs, the last entry is known from the first. And the CUs that share a
 * scalar cache are those that share an instruction cache: a run with the same first entry, last
 * entry and length has the same groups. Both are true for all GPUs, because the kernel derives all
 * kinds from one map of CUs. When an entry is not as expected, all of them are read.
 *
 * run has its first entry, which has number i. Returns the number of entries added. */
static unsigned leap(int dir, unsigned i, uint64_t cus, const struct run *before, struct run *run)
{
  const bool own = !before && run->first.cus == 1;
  const unsigned count = own ? (unsigned)cus : before ? before->count : 0;
  struct gc_kfd_cache last;

  if (count < 3 || (before && (run->first.processor != before->first.processor ||
                               run->first.cus != before->first.cus)))
    return 0;
  if (!gc_kfd_read_cache(dir, i + count - 1, &last) || !continues(run, &last) ||
      last.processor - run->first.processor < count - 1 ||
      last.cus != (own ? 1 : before->last.cus) ||
      (before && last.processor != before->last.processor))
    return 0;
  run->last = last;
  run->count = count;
  if (own)
    run->by_cus[1] = count;
  else
    memcpy(run->by_cus, before->by_cus, sizeof(run->by_cus));
  return count - 1;
}

static void read_caches(int dir, const struct gc_kfd_node *node, struct table *table)
{
  const uint64_t cus = cus_of(node);
  const struct run *before;
  struct gc_kfd_cache cache;
  bool broken = false;
  unsigned i;

  memset(table, 0, sizeof(*table));
  for (i = 0; i < MOST_CACHES && gc_kfd_read_cache(dir, i, &cache); i++) {
    struct run *run = table->count ? &table->runs[table->count - 1] : NULL;

    broken |= !cache.level || !cache.type || cache.type >= GC_KFD_TYPES;
    if (!(cache.type & GC_KFD_CU) || cache.type >= GC_KFD_TYPES)
      continue;
    if (run && continues(run, &cache)) {
      extend(run, &cache);
      continue;
    }
    if (table->count == MOST_RUNS)
      return;
    before = table->count > 1 ? run : NULL; /* the second kind is not grouped like the vector L1 */
    run = &table->runs[table->count++];
    run->first = cache;
    extend(run, &cache);
    i += leap(dir, i, cus, before, run);
  }
  table->whole = !broken && i < MOST_CACHES && (i == node->caches || !node->caches);
}

/* The kind of element that a run describes, or GC_KIND_COUNT. data, code: earlier runs of level
 * 1. */
static enum gc_kind kind_of(const struct gc_kfd_cache *cache, unsigned data, unsigned code)
{
  const bool is_data = cache->type & GC_KFD_DATA, is_code = cache->type & GC_KFD_INSTRUCTION;

  if (cache->level == 2 && is_data)
    return GC_L2;
  if (cache->level == 3 && is_data)
    return GC_L3;
  if (cache->level != 1 || is_data == is_code)
    return GC_KIND_COUNT;
  if (is_code)
    return code == 0 ? GC_INSTRUCTION_CACHE : GC_KIND_COUNT;
  if (code == 0)
    return data == 0 ? GC_L1 : GC_KIND_COUNT;
  return data == 1 ? GC_SCALAR_L1 : data == 2 ? GC_GL1 : GC_KIND_COUNT;
}

/* Sets a number and its source. 0 or -ENOMEM. */
static int set(struct gc_infos *infos, const char *key, const char *source, uint64_t value)
{
  return gc_infos_set_u64(infos, key, value) ||
                 gc_infos_set(infos, source, HWLOC_GPUCACHE_SOURCE_SYSFS)
             ? -ENOMEM
             : 0;
}

/* The size in the tables is the nominal one. Until the GPU is measured it is the best estimate
 * of the capacity, too. */
static int set_bytes(struct gc_infos *infos, uint64_t bytes)
{
  return set(infos, HWLOC_GPUCACHE_CAPACITY_BYTES,
             HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_SOURCE_SUFFIX, bytes) ||
                 set(infos, HWLOC_GPUCACHE_NOMINAL_BYTES,
                     HWLOC_GPUCACHE_NOMINAL HWLOC_GPUCACHE_SOURCE_SUFFIX, bytes)
             ? -ENOMEM
             : 0;
}

static int set_line(struct gc_infos *infos, uint64_t bytes)
{
  static const char source[] = HWLOC_GPUCACHE_LINE HWLOC_GPUCACHE_SOURCE_SUFFIX;

  bytes = sane(bytes, MOST_LINE_BYTES);
  if (bytes)
    return set(infos, HWLOC_GPUCACHE_LINE_BYTES, source, bytes);
  return gc_infos_set(infos, source,
                      HWLOC_GPUCACHE_SOURCE_ABSENT "the kernel driver does not state it");
}

static int set_instances(struct gc_infos *infos, uint64_t count)
{
  return set(infos, HWLOC_GPUCACHE_INSTANCES,
             HWLOC_GPUCACHE_INSTANCES HWLOC_GPUCACHE_SOURCE_SUFFIX, count);
}

static int set_per_sm(struct gc_infos *infos, uint64_t count)
{
  return set(infos, HWLOC_GPUCACHE_PER_SM, HWLOC_GPUCACHE_PER_SM HWLOC_GPUCACHE_SOURCE_SUFFIX,
             count);
}

/* "8x2,4x1": 8 instances serve two active CUs each, and 4 serve one. */
static int set_sharing(struct gc_infos *infos, const struct run *run)
{
  char list[MOST_SHARING * 12];
  size_t length = 0;

  if (run->by_cus[0])
    return 0;
  for (unsigned cus = MOST_SHARING; cus > 0; cus--)
    if (run->by_cus[cus])
      length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%ux%u",
                                 length ? "," : "", run->by_cus[cus], cus);
  return gc_infos_set(infos, HWLOC_GPUCACHE_SHARED_BY_CUS, list) ||
                 gc_infos_set(infos, HWLOC_GPUCACHE_SHARED_BY_CUS HWLOC_GPUCACHE_SOURCE_SUFFIX,
                              HWLOC_GPUCACHE_SOURCE_SYSFS)
             ? -ENOMEM
             : 0;
}

/* The instances of a level 1 cache, per CU and in all. */
static int set_counts(struct gc_infos *infos, const struct run *run, uint64_t cus)
{
  const bool own = run->by_cus[1] == run->count; /* each serves one CU only */
  int status = set_instances(infos, run->count);

  if (!status && own && cus && run->count % cus == 0)
    status = set_per_sm(infos, run->count / cus);
  if (!status && (!own || run->first.type & GC_KFD_INSTRUCTION))
    status = set_sharing(infos, run);
  return status;
}

/* One entry stands for the L2 caches of all XCDs. Kernels 6.5 to 6.7 state the sum of their
 * sizes, others the size of one, which is 4 MiB in all GPUs with several XCDs (gfx94x, gfx950). */
static int add_l2(struct gc_infos *infos, const struct gc_kfd_cache *cache, uint64_t xccs)
{
  const uint64_t of_one = 4096;
  bool sum = xccs > 1 && cache->kib == xccs * of_one;
  int status = set_bytes(infos, (sum ? of_one : cache->kib) * 1024);

  if (!status)
    status = set_line(infos, cache->line_bytes);
  return status ? status : set_instances(infos, xccs ? xccs : 1);
}

static int add_cache(struct gc_record *record, enum gc_kind kind, const struct run *run, bool whole,
                     const struct gc_kfd_node *node)
{
  struct gc_element *element;
  int status;

  if (!run->first.kib || run->first.kib > MOST_CACHE_KIB || gc_record_find(record, kind))
    return 0;
  element = gc_record_add(record, kind);
  if (!element)
    return -ENOMEM;
  if (kind == GC_L2 && run->count == 1)
    return add_l2(&element->infos, &run->first, sane(node->xccs, MOST_CUS));
  status = set_bytes(&element->infos, run->first.kib * 1024);
  if (!status)
    status = set_line(&element->infos, run->first.line_bytes);
  if (!status && whole)
    status = run->first.level == 1 ? set_counts(&element->infos, run, cus_of(node))
                                   : set_instances(&element->infos, run->count);
  return status;
}

static int add_caches(struct gc_record *record, const struct gc_kfd_node *node,
                      const struct table *table)
{
  unsigned data = 0, code = 0;
  int status = 0;

  for (unsigned i = 0; !status && i < table->count; i++) {
    const struct run *run = &table->runs[i];
    enum gc_kind kind = kind_of(&run->first, data, code);

    if (kind != GC_KIND_COUNT)
      status = add_cache(record, kind, run, table->whole, node);
    if (run->first.level == 1) {
      code += (run->first.type & GC_KFD_INSTRUCTION) != 0;
      data += (run->first.type & GC_KFD_DATA) != 0;
    }
  }
  return status;
}

static int add_lds(struct gc_record *record, const struct gc_kfd_node *node)
{
  const uint64_t kib = sane(node->lds_kib, MOST_LDS_KIB), cus = cus_of(node);
  struct gc_element *element;
  int status;

  if (!kib)
    return 0;
  element = gc_record_add(record, GC_LDS);
  if (!element)
    return -ENOMEM;
  status = set_bytes(&element->infos, kib * 1024);
  if (!status && cus)
    status = set_instances(&element->infos, cus);
  if (!status && cus)
    status = set_per_sm(&element->infos, 1);
  return status;
}

/* The outermost element is always there, because the others are inside it. */
static int add_memory(struct gc_record *record, int dir)
{
  struct gc_element *element = gc_record_add(record, GC_DEVICE_MEMORY);
  uint64_t bytes = 0, bits = 0, mhz = 0;
  struct gc_kfd_bank bank;
  int status = 0;

  if (!element)
    return -ENOMEM;
  for (unsigned i = 0; i < MOST_BANKS && gc_kfd_read_bank(dir, i, &bank); i++) {
    if (bank.heap != GC_KFD_HEAP_PUBLIC && bank.heap != GC_KFD_HEAP_PRIVATE)
      continue;
    bytes += sane(bank.bytes, MOST_MEMORY_BYTES);
    bits = bits ? bits : sane(bank.bus_bits, MOST_BUS_BITS);
    mhz = mhz ? mhz : sane(bank.clock_mhz, MOST_MHZ);
  }
  if (bytes)
    status = set_bytes(&element->infos, bytes);
  if (!status && mhz)
    status = gc_infos_set_u64(&record->infos, "MemoryClockKHz", mhz * 1000);
  if (!status && bits)
    status = gc_infos_set_u64(&record->infos, "MemoryBusBits", bits);
  return status;
}

static int add_facts(struct gc_record *record, const struct gc_gpu *gpu,
                     const struct gc_kfd_node *node)
{
  const uint64_t cus = cus_of(node), wave = sane(node->wave_threads, 1024),
                 waves = sane(node->waves_per_simd, 1024);
  const struct {
    const char *name;
    uint64_t value;
  } facts[] = {
      {"SMs", cus},
      {"SMClockKHz", sane(node->clock_mhz, MOST_MHZ) * 1000},
      {"WarpThreads", wave},
      {"ThreadsPerSM", cus ? wave * waves * node->simds_per_cu : 0},
      {"SIMDsPerSM", cus ? node->simds_per_cu : 0},
      {"XCDs", sane(node->xccs, MOST_CUS)},
  };
  int status = *gpu->gfx ? gc_infos_set(&record->infos, "GFX", gpu->gfx) : 0;

  for (size_t i = 0; !status && i < sizeof(facts) / sizeof(*facts); i++)
    if (facts[i].value)
      status = gc_infos_set_u64(&record->infos, facts[i].name, facts[i].value);
  return status;
}

static bool is_empty(const struct gc_record *record)
{
  return !record->infos.count && record->count == 1 && !record->elements[0].infos.count;
}

static int set_absent(struct gc_record *record, enum gc_kind kind, const char *why)
{
  struct gc_element *element = gc_record_find(record, kind);

  if (!element && !(element = gc_record_add(record, kind)))
    return -ENOMEM;
  if (gc_infos_get(&element->infos, HWLOC_GPUCACHE_CAPACITY_BYTES))
    return 0;
  return gc_infos_setf(&element->infos, HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_SOURCE_SUFFIX,
                       HWLOC_GPUCACHE_SOURCE_ABSENT "%s", why);
}

/* Gives the reason for elements that every such GPU has and the tables lack: old kernels do not
 * list the L2, and a copy may lack directories. */
static int explain_absent(struct gc_record *record, const struct gc_kfd_node *node,
                          const struct table *table)
{
  const unsigned caches = (unsigned)sane(node->caches, MOST_CACHES);
  char why[120] = "the kernel driver's tables do not list it";
  int status = set_absent(record, GC_DEVICE_MEMORY,
                          "the kernel driver's tables do not list its memory banks");

  if (caches && !table->whole)
    snprintf(why, sizeof(why),
             "the kernel driver's tables should list %u caches, but %s can be read", caches,
             table->count ? "not all" : "none");
  if (!status)
    status = set_absent(record, GC_L1, why);
  return status ? status : set_absent(record, GC_L2, why);
}

static int fill(struct gc_record *record, const char *root, const struct gc_gpu *gpu)
{
  DIR *nodes = gc_gpus_open_dir(root, GC_KFD_NODES);
  struct gc_kfd_node node;
  struct table table;
  char name[16];
  int dir = -1, status = 0;

  snprintf(name, sizeof(name), "%u", gpu->kfd_node);
  if (nodes && gc_kfd_read_node(dirfd(nodes), gpu->kfd_node, &node))
    dir = openat(dirfd(nodes), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    status = add_facts(record, gpu, &node);
    if (!status)
      status = add_memory(record, dir);
    read_caches(dir, &node, &table);
    if (!status)
      status = add_caches(record, &node, &table);
    if (!status)
      status = add_lds(record, &node);
    if (!status)
      status = gc_record_explain_per_sm(record);
    if (!status && !is_empty(record))
      status = explain_absent(record, &node, &table);
    close(dir);
  } else if (!gc_record_add(record, GC_DEVICE_MEMORY)) { /* the node has disappeared */
    status = -ENOMEM;
  }
  if (nodes)
    closedir(nodes);
  return status;
}

int gc_gpus_read_amd_tables(const char *root, const struct gc_gpu *gpu, struct gc_record **tables)
{
  struct gc_record *record = gc_record_new(&gpu->identity);
  int status = record ? fill(record, root, gpu) : -ENOMEM;

  if (status || is_empty(record)) {
    gc_record_free(record);
    record = NULL;
  }
  *tables = record;
  return status;
}
