/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The notes about how an element is organized: sets, replacement, stores, slices, banks, TLBs.
 */
#include "tool/describe/structure.h"

#include "record/lists.h"
#include "tool/print/format.h"
#include "tool/print/table.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <inttypes.h>
#include <string.h>

static const char *get(const struct gc_element *element, const char *key)
{
  return gc_infos_get(&element->infos, key);
}

/* Begins a line: "  L1Cache: ". */
static void begin(const struct gc_element *element, FILE *out)
{
  fprintf(out, "  %s: ", gc_kinds[element->kind].subtype);
}

/* "  L1Cache: 512 sets of 4 lines, selected by parities of virtual address bits (0x80,0x100);
 * replacement: lru; with one line too many, 5.0 misses in each pass" */
static void print_sets(const struct gc_element *element, FILE *out)
{
  const char *sets = get(element, HWLOC_GPUCACHE_SETS), *ways = get(element, HWLOC_GPUCACHE_WAYS);
  const char *replaced = get(element, HWLOC_GPUCACHE_REPLACEMENT);
  const char *misses = get(element, HWLOC_GPUCACHE_MISSES_PER_EXCESS_LINE);
  const char *masks = get(element, HWLOC_GPUCACHE_SET_INDEX_MASKS), *before = "";
  const char *address = get(element, HWLOC_GPUCACHE_SET_INDEX_ADDRESS);

  if (!ways && !replaced && !misses)
    return;
  begin(element, out);
  if (ways) {
    fprintf(out, "%s%s%s line%s", sets ? sets : "sets", sets ? " sets of " : " of ", ways,
            strcmp(ways, "1") ? "s" : "");
    if (masks)
      fprintf(out, ", selected by parities of %s%saddress bits (%s)", address ? address : "",
              address ? " " : "", masks);
    before = "; ";
  }
  if (replaced) {
    fprintf(out, "%sreplacement: %s", before, replaced);
    before = "; ";
  }
  if (misses)
    fprintf(out, "%swith one line too many, %s misses in each pass", before, misses);
  putc('\n', out);
}

/* "0.25,0.75": "  L1Cache: share of the replacements of each way: 0.25, 0.75". The ways of sets
 * that differ have the same form, and latencies under load, "0:338.9,1100:347.5". */
static void print_list(const struct gc_element *element, const char *key, const char *what,
                       FILE *out)
{
  const char *list = get(element, key);

  if (!list)
    return;
  begin(element, out);
  fputs(what, out);
  for (; *list; list++)
    fprintf(out, *list == ':' ? ": " : *list == ',' ? ", " : "%c", *list);
  putc('\n', out);
}

/* "  L1Cache: after 434 fills 98.6 % of the lines are left, after 868: 85.2 %" */
static void print_survival(const struct gc_element *element, FILE *out)
{
  const char *list = get(element, HWLOC_GPUCACHE_SURVIVAL_CURVE);
  double share;
  uint64_t fills;

  if (!gc_survival_next(&list, &fills, &share))
    return;
  begin(element, out);
  fprintf(out, "after %" PRIu64 " fills %.1f %% of the lines are left", fills, 100 * share);
  while (gc_survival_next(&list, &fills, &share))
    fprintf(out, ", after %" PRIu64 ": %.1f %%", fills, 100 * share);
  putc('\n', out);
}

/* "  L1Cache: stores go through to the next level; a store brings in its sector" */
static void print_stores(const struct gc_element *element, FILE *out)
{
  const char *policy = get(element, HWLOC_GPUCACHE_WRITE_POLICY);
  const char *allocates = get(element, HWLOC_GPUCACHE_WRITE_ALLOCATE);

  if (!policy && !allocates)
    return;
  begin(element, out);
  if (policy)
    fputs(!strcmp(policy, "back") ? "stores stay until their line is replaced"
                                  : "stores go through to the next level",
          out);
  if (allocates)
    fprintf(out, "%sa store to an absent line brings in %s%s", policy ? "; " : "",
            strcmp(allocates, "none") ? "its " : "nothing",
            strcmp(allocates, "none") ? allocates : "");
  putc('\n', out);
}

/* "  L2Cache: the driver lets a miss fetch 64 bytes; 31.25 MiB can be set aside for persisting
 * accesses; memory can be compressed" */
static void print_driver_limits(const struct gc_element *element, FILE *out)
{
  const char *fetch = get(element, HWLOC_GPUCACHE_FETCH_LIMIT_BYTES);
  const char *compression = get(element, HWLOC_GPUCACHE_COMPRESSION_SUPPORTED);
  char persisting[GC_CELL] = "";
  uint64_t bytes;

  if (!gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_PERSISTING_MAX_BYTES, &bytes) && bytes)
    gc_format_bytes(bytes, persisting, sizeof persisting);
  if (!fetch && !*persisting && !compression)
    return;
  begin(element, out);
  if (fetch)
    fprintf(out, "the driver limits what a miss fetches to %s bytes", fetch);
  if (*persisting)
    fprintf(out, "%s%s can be set aside for persisting accesses", fetch ? "; " : "", persisting);
  if (compression)
    fprintf(out, "%smemory can%s be compressed", fetch || *persisting ? "; " : "",
            strcmp(compression, "yes") ? "not" : "");
  putc('\n', out);
}

/* The limit, or else the lower bound: "64 per SM" or "at least 64 per SM". */
static bool print_limit(const struct gc_element *element, const char *key, const char *at_least_key,
                        const char *before, const char *whose, FILE *out)
{
  const char *limit = get(element, key), *at_least = get(element, at_least_key);

  if (limit || at_least)
    fprintf(out, "%s%s%s per %s", before, limit ? "" : "at least ", limit ? limit : at_least,
            whose);
  return limit || at_least;
}

/* "  L1Cache: outstanding misses: at least 64 per SM, 6 per warp". unit: "SM" or "CU". */
static void print_outstanding(const struct gc_element *element, const char *unit, FILE *out)
{
  static const char *const keys[] = {
      HWLOC_GPUCACHE_OUTSTANDING_PER_SM, HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST,
      HWLOC_GPUCACHE_OUTSTANDING_PER_WARP, HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST};
  const char *before = "";

  if (!get(element, keys[0]) && !get(element, keys[1]) && !get(element, keys[2]) &&
      !get(element, keys[3]))
    return;
  begin(element, out);
  fputs("outstanding misses: ", out);
  if (print_limit(element, keys[0], keys[1], before, unit, out))
    before = ", ";
  print_limit(element, keys[2], keys[3], before, "warp", out);
  putc('\n', out);
}

/* "  DeviceMemory: an SM makes a request every 2.0 cycles (coalesced), 1.7 cycles (uncoalesced)". */
static void print_departure(const struct gc_element *element, const char *unit, FILE *out)
{
  static const char *const keys[] = {HWLOC_GPUCACHE_DEPARTURE_DELAY_CYCLES,
                                     HWLOC_GPUCACHE_UNCOALESCED_DEPARTURE_DELAY_CYCLES};
  static const char *const names[] = {"coalesced", "uncoalesced"};
  const char *before =
      !strcmp(unit, "CU") ? "a CU makes a request every" : "an SM makes a request every";

  for (int i = 0; i < 2; i++) {
    const char *cycles = get(element, keys[i]);

    if (!cycles)
      continue;
    if (before[0] != ',')
      begin(element, out);
    fprintf(out, "%s %s cycles (%s)", before, cycles, names[i]);
    before = ",";
  }
  if (before[0] == ',')
    putc('\n', out);
}

/* "  TensorMemory: 128 lanes of 512 columns of 4 bytes, for tensor cores only" */
static void print_tensor(const struct gc_element *element, FILE *out)
{
  const char *lanes = get(element, HWLOC_GPUCACHE_LANES);
  const char *columns = get(element, HWLOC_GPUCACHE_COLUMNS);

  if (!lanes || !columns)
    return;
  begin(element, out);
  fprintf(out, "%s lanes of %s columns of 4 bytes, for tensor cores only\n", lanes, columns);
}

static void print_remote(const struct gc_element *element, FILE *out)
{
  const char *cycles = get(element, HWLOC_GPUCACHE_REMOTE_LATENCY_CYCLES);

  if (!cycles)
    return;
  begin(element, out);
  fprintf(out, "%s cycles from another SM in the cluster\n", cycles);
}

/* "  SharedMemory: bulk copies (TMA) from L2 take 277 cycles, an SM gets 107 bytes per cycle" */
static void print_bulk(const struct gc_element *element, FILE *out)
{
  const char *cycles = get(element, HWLOC_GPUCACHE_BULK_COPY_LATENCY_CYCLES);
  const char *rate = get(element, HWLOC_GPUCACHE_BULK_COPY_BYTES_PER_CYCLE);

  if (!cycles && !rate)
    return;
  begin(element, out);
  fputs("bulk copies (TMA) from L2", out);
  if (cycles)
    fprintf(out, " take %s cycles%s", cycles, rate ? "," : "");
  if (rate)
    fprintf(out, "%s %s bytes per cycle", cycles ? " an SM gets" : ": an SM gets", rate);
  putc('\n', out);
}

static void print_slices(const struct gc_element *element, FILE *out)
{
  const char *slices = get(element, HWLOC_GPUCACHE_SLICES);
  const char *read = get(element, HWLOC_GPUCACHE_SLICE_READ_BYTES_PER_CYCLE);
  const char *mask = get(element, HWLOC_GPUCACHE_SIDE_MASK);
  const char *granule = get(element, HWLOC_GPUCACHE_SIDE_GRANULE_BYTES);

  if (slices)
    fprintf(out, "  %s: %s slices", gc_kinds[element->kind].subtype, slices);
  if (slices && read)
    fprintf(out, ", each reads %s bytes per cycle", read);
  if (slices)
    putc('\n', out);
  if (mask)
    fprintf(out, "  %s: the parity of the address bits %s selects the partition",
            gc_kinds[element->kind].subtype, mask);
  if (mask && granule)
    fprintf(out, ", for blocks of %s bytes", granule);
  if (mask)
    putc('\n', out);
}

/* "  SharedMemory: 32 banks of 4 bytes, each conflict costs 2.0 cycles" */
static void print_banks(const struct gc_element *element, FILE *out)
{
  const char *count = get(element, HWLOC_GPUCACHE_BANKS);
  const char *bytes = get(element, HWLOC_GPUCACHE_BANK_BYTES);
  const char *conflict = get(element, HWLOC_GPUCACHE_CONFLICT_CYCLES);

  if (!count || !bytes)
    return;
  fprintf(out, "  %s: %s banks of %s bytes", gc_kinds[element->kind].subtype, count, bytes);
  if (conflict)
    fprintf(out, ", each conflict costs %s cycles", conflict);
  putc('\n', out);
}

/* "  L2Cache: atomic operations: 391.2 cycles (292.4 near, 490.0 far), 0.69 per cycle on one
 * word" */
static void print_atomics(const struct gc_element *element, FILE *out)
{
  const char *cycles = get(element, HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES);
  const char *near = get(element, HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY_CYCLES);
  const char *far = get(element, HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY_CYCLES);
  const char *rate = get(element, HWLOC_GPUCACHE_ATOMICS_PER_CYCLE);

  if (!cycles && !rate)
    return;
  fprintf(out, "  %s: atomic operations: ", gc_kinds[element->kind].subtype);
  if (cycles)
    fprintf(out, "%s cycles", cycles);
  if (cycles && near && far)
    fprintf(out, " (%s near, %s far)", near, far);
  if (rate)
    fprintf(out, "%s%s per cycle on one word", cycles ? ", " : "", rate);
  putc('\n', out);
}

/* Which SMs share one, behind `before`. */
static void print_groups(const char *before, const struct gc_element *element, FILE *out)
{
  const char *groups = get(element, HWLOC_GPUCACHE_SM_GROUPS);

  if (groups && !strchr(groups, ','))
    fprintf(out, "%seach SM has its own", before);
  else if (groups && strchr(groups, ' '))
    fprintf(out, "%sSMs that share one: %.*s ...", before, (int)strcspn(groups, " "), groups);
}

static void print_instruction_cache(const struct gc_element *element, FILE *out)
{
  if (element->kind != GC_INSTRUCTION_CACHE || !get(element, HWLOC_GPUCACHE_SM_GROUPS))
    return;
  fprintf(out, "  %s", gc_kinds[element->kind].subtype);
  print_groups(": ", element, out);
  putc('\n', out);
}

/* A TLB: what its reach consists of. */
static void print_tlb(const struct gc_element *element, FILE *out)
{
  const char *entries = get(element, HWLOC_GPUCACHE_ENTRIES);
  const char *penalty = get(element, HWLOC_GPUCACHE_MISS_PENALTY_CYCLES);
  char covers[GC_CELL];
  uint64_t bytes;

  if (gc_infos_get_u64(&element->infos, HWLOC_GPUCACHE_ENTRY_BYTES, &bytes))
    return;
  gc_format_bytes(bytes, covers, sizeof covers);
  fprintf(out, "  %s: %s%sentries of %s each", gc_kinds[element->kind].subtype,
          entries ? entries : "", entries ? " " : "", covers);
  if (penalty)
    fprintf(out, "; a miss adds %s cycles", penalty);
  print_groups("; ", element, out);
  putc('\n', out);
}

/* "  L2Cache: the latency depends on the SM: 222.1 to 338.7 cycles, median 279.4" */
static void print_by_sm(const struct gc_element *element, const char *unit, FILE *out)
{
  const char *least = get(element, HWLOC_GPUCACHE_LATENCY_BY_SM);
  const char *middle = least ? strchr(least, ',') : NULL;
  const char *most = middle ? strchr(middle + 1, ',') : NULL;

  if (!most)
    return;
  begin(element, out);
  fprintf(out, "the latency depends on the %s: %.*s to %s cycles, median %.*s\n", unit,
          (int)(middle - least), least, most + 1, (int)(most - middle - 1), middle + 1);
}

/* "  L3Cache: latency without traffic 199.2 ns, with traffic 150.4 (a clock rises)" */
static void print_idle(const struct gc_element *element, FILE *out)
{
  const char *idle = get(element, HWLOC_GPUCACHE_IDLE_LATENCY_NS);
  const char *beside = get(element, HWLOC_GPUCACHE_LATENCY_NS);

  if (!idle || !beside)
    return;
  begin(element, out);
  fprintf(out, "latency without traffic %s ns, with traffic %s (a clock rises)\n", idle, beside);
}

void gc_show_structure(const struct gc_element *element, const char *unit, FILE *out)
{
  print_slices(element, out);
  print_sets(element, out);
  print_list(element, HWLOC_GPUCACHE_SET_WAYS, "lines in each set: ", out);
  print_list(element, HWLOC_GPUCACHE_VICTIM_SHARES, "share of the replacements of each way: ", out);
  print_survival(element, out);
  print_by_sm(element, unit, out);
  print_idle(element, out);
  print_list(element, HWLOC_GPUCACHE_LATENCY_UNDER_LOAD,
             "latency while others read, GB/s:ns: ", out);
  print_stores(element, out);
  print_driver_limits(element, out);
  print_outstanding(element, unit, out);
  print_departure(element, unit, out);
  print_banks(element, out);
  print_atomics(element, out);
  print_remote(element, out);
  print_bulk(element, out);
  print_tensor(element, out);
  print_tlb(element, out);
  print_instruction_cache(element, out);
}
