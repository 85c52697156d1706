/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/methods.h"

#include "tool/format.h"
#include "util/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Rows for one kind come before the row for any kind. tests/tool/report.bats checks that the
 * sections exist. */
static const struct gc_method methods[] = {
    {"MissPenalty", GC_L1_TLB, "TLBs",
     "Twice as many pages are walked as the TLB holds. The penalty is how much longer loads take."},
    {"MissPenalty", GC_L2_TLB, "TLBs",
     "One SM reads so many pages that its TLB loses those of the SMs that share it. The penalty is "
     "how much longer they take then, the mean over SMs."},
    {"Instances", GC_L1_TLB, "TLBs", "The groups of SMs that share one."},
    {"Instances", GC_L2_TLB, "TLBs", "The groups of SMs that share one."},
    {"PerSM", GC_L1_TLB, "TLBs", "No two SMs share one."},
    {"PerSM", GC_L2_TLB, "TLBs", "No two SMs share one."},
    {"Instances", GC_INSTRUCTION_CACHE, "Instruction cache", "The groups of SMs that share one."},
    {"PerSM", GC_INSTRUCTION_CACHE, "Instruction cache", "No two SMs share one."},
    {"SMGroups", GC_INSTRUCTION_CACHE, "Instruction cache",
     "SMs execute the same code one after another. One that is fast at once shares its cache with an "
     "SM before it."},
    {"Capacity", GC_L2, "L2 capacity",
     "Arrays of growing size are read and sampled, in several allocations. The capacity is what "
     "nine "
     "of ten allocations can use without a miss."},
    {"Capacity", GC_L3, "L3 capacity",
     "Arrays of growing size are read and sampled, in several allocations. The capacity is what "
     "all "
     "of them can use without a miss."},
    {"Capacity", GC_KIND_COUNT, "Capacity",
     "Arrays of growing size are loaded again and again. The capacity is the largest array without "
     "a "
     "miss."},
    {"Census", GC_KIND_COUNT, "Census",
     "More is read than the cache holds, then a sample of lines shows how much of it is still "
     "there. "
     "It confirms the capacity independently."},
    {"Total", GC_KIND_COUNT, "L2 capacity",
     "An array much larger than the cache is read, and a sample shows how much of it is still "
     "there."},
    {"Line", GC_KIND_COUNT, "Cache line",
     "Places that just fit the cache get partners at growing distance. A partner in the same line "
     "needs no space; one in another line causes misses."},
    {"Fetch", GC_KIND_COUNT, "Fetch granularity",
     "In a cold cache, one address is loaded, then its neighbours. Those that hit came in with the "
     "first miss."},
    {"Latency", GC_DEVICE_MEMORY, "Device memory latency",
     "All SMs or CUs time single loads of lines that no cache holds. The value is the middle "
     "between "
     "the quartiles."},
    {"Latency", GC_L2, "Latency",
     "All SMs or CUs time single loads of lines that this cache holds. The value is the median."},
    {"Latency", GC_L3, "Latency",
     "All SMs or CUs time single loads of lines that only this cache holds. The value is the "
     "median."},
    {"Latency", GC_KIND_COUNT, "Latency",
     "One thread follows a chain of dependent loads, n and 2n of them. The value is the time that "
     "one "
     "more load takes."},
    {"LatencyP95", GC_KIND_COUNT, "95th percentile",
     "Single loads are timed. Of twenty loads, nineteen take no longer than this value."},
    {"NearLatency", GC_KIND_COUNT, "L2 partitions",
     "Median of loads that hit the partition near to their SM."},
    {"FarLatency", GC_KIND_COUNT, "L2 partitions",
     "Median of loads that hit a partition far from their SM."},
    {"Partitions", GC_KIND_COUNT, "L2 partitions",
     "One SM reads lines, then each SM times some of them. The latencies show which SMs use the "
     "same "
     "partition."},
    {"PartitionSMs", GC_KIND_COUNT, "L2 partitions",
     "One SM reads lines, then each SM times some of them. The latencies show which SMs use the "
     "same "
     "partition."},
    {"Slices", GC_KIND_COUNT, "L2 slices and sides",
     "Half of the SMs keep one line busy with atomic operations. Those of the others on lines of "
     "the same slice wait."},
    {"SliceRead", GC_KIND_COUNT, "L2 slices and sides",
     "SMs near to a slice read only lines of that slice, each SM other ones. The value is the median "
     "of a few slices."},
    {"SideMask", GC_KIND_COUNT, "L2 slices and sides",
     "SMs near to each partition time atomic operations on lines whose addresses differ in one "
     "bit, and on others."},
    {"SideGranule", GC_KIND_COUNT, "L2 slices and sides", "The lowest bit of SideMask."},
    {"MissPenalty", GC_KIND_COUNT, "Miss penalty",
     "Loads that miss this element and hit the next level, less loads that hit it."},
    {"Read", GC_KIND_COUNT, "Bandwidth",
     "All SMs or CUs read at the same time. The value is the median of the repetitions."},
    {"Write", GC_KIND_COUNT, "Bandwidth",
     "All SMs or CUs write at the same time. The value is the median of the repetitions."},
    {"OutstandingPerSM", GC_KIND_COUNT, "Outstanding misses",
     "Batches of independent loads by the warps of one SM. With one line more than this, a batch "
     "takes as long as two successive loads."},
    {"OutstandingPerWarp", GC_KIND_COUNT, "Outstanding misses",
     "Batches of independent loads by one warp. With one line more than this, a batch takes as long "
     "as two successive loads."},
    {"Banks", GC_KIND_COUNT, "Banks of shared memory",
     "The lanes of a warp load from pairs of addresses. Loads of two rows of one bank take longer."},
    {"Bank", GC_KIND_COUNT, "Banks of shared memory",
     "The lanes of a warp load from pairs of addresses. Loads of two rows of one bank take longer."},
    {"Conflict", GC_KIND_COUNT, "Banks of shared memory",
     "The lanes of a warp load at equal distances. The value is the slope over the accesses to the "
     "busiest bank."},
    {"AtomicLatency", GC_KIND_COUNT, "Atomic operations",
     "Chains of atomic additions, each of which needs the value that the one before it returned."},
    {"NearAtomicLatency", GC_KIND_COUNT, "Atomic operations",
     "Chains of atomic additions to lines whose home is the partition near to the SM."},
    {"FarAtomicLatency", GC_KIND_COUNT, "Atomic operations",
     "Chains of atomic additions to lines whose home is a partition far from the SM."},
    {"Atomics", GC_KIND_COUNT, "Atomic operations",
     "Many lanes add to one word at the same time. The value is the median of the repetitions."},
    {"CarveoutTable", GC_KIND_COUNT, "Carve-outs",
     "Kernels with different preferred carve-outs load arrays of growing size. Each capacity is "
     "the "
     "largest array without a miss."},
    {"CarveoutTable4Warps", GC_KIND_COUNT, "Carve-outs",
     "The same with blocks of 4 warps, of which one works."},
    {"CarveoutTable32Warps", GC_KIND_COUNT, "Carve-outs",
     "The same with blocks of 32 warps, of which one works."},
    {"WritePolicy", GC_L1, "Write policy",
     "One SM stores; others poll the words through L2 before the kernel ends."},
    {"WritePolicy", GC_L2, "Write policy",
     "Reads from memory evict lines that were stored, or only loaded: if L2 writes lines back, the "
     "former reads take longer."},
    {"WriteAllocate", GC_KIND_COUNT, "Write policy",
     "A warp stores to absent lines, then times a load of each: a fast one shows what the store "
     "has brought in."},
    {"SharedWith", GC_KIND_COUNT, "Sharing",
     "An array is loaded through this element and then another one through the other element. If "
     "the "
     "first array is gone, both use the same storage."},
    {"Entries", GC_KIND_COUNT, "TLBs",
     "More and more pages are walked. Loads take longer when there are more pages than entries."},
    {"Entry", GC_KIND_COUNT, "TLBs",
     "Pages twice as far apart need as many entries, unless one entry covers two of them."},
    {"Reach", GC_KIND_COUNT, "TLBs", "The entries, times what one of them covers."},
    {"SMGroups", GC_KIND_COUNT, "TLBs",
     "One SM reads so many pages that its TLB loses those of the SMs that share it."},
    {"PerSM", GC_KIND_COUNT, "Instances",
     "The warps of an SM load the same lines one after the other. Each slow first load shows "
     "another "
     "instance."},
    {"Instances", GC_L2, "L2 partitions",
     "One SM or CU reads lines, then each of them times some. The latencies show which use the "
     "same "
     "cache."},
    {"Instances", GC_KIND_COUNT, "Instances",
     "The SMs or CUs load the same lines one after the other. Each slow first load shows another "
     "instance."},
    {"RemoteLatency", GC_KIND_COUNT, "Remote shared memory",
     "Each block of a cluster follows a chain through the shared memory of each other block. The "
     "value is the median of all pairs."},
    {"SharedByCUs", GC_KIND_COUNT, "CUs that share a cache",
     "The first CU at a cache leaves its number there as loaded lines. Other CUs with the same "
     "cache "
     "read it."},
    {"CUGroups", GC_KIND_COUNT, "CUs that share a cache",
     "The first CU at a cache leaves its number there as loaded lines. Other CUs with the same "
     "cache "
     "read it."},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const struct gc_method *gc_method_of(const char *property, enum gc_kind kind)
{
  for (size_t i = 0; i < COUNT(methods); i++)
    if (!strcmp(methods[i].property, property) &&
        (methods[i].kind == kind || methods[i].kind == GC_KIND_COUNT))
      return &methods[i];
  return NULL;
}

/* --- units ------------------------------------------------------------------------------------ */

/* The ends of keys. Longer ones come before those that they end with. */
static const struct unit {
  const char *end, *text;
} units[] = {
    {"BytesPerCycle", "B/cycle"},
    {"PerCycle", "per cycle"},
    {"Bytes", "B"},
    {"BytesPerBlock", "B"},
    {"Cycles", "cycles"},
    {"Ns", "ns"},
    {"GBps", "GB/s"},
    {"KHz", "kHz"},
    {"MHz", "MHz"},
    {"Percent", "%"},
    {"Bits", "bits"},
    {"Milliseconds", "ms"},
};

static const struct unit *unit_of(const char *key)
{
  const size_t length = strlen(key);

  for (size_t i = 0; i < COUNT(units); i++) {
    const size_t end = strlen(units[i].end);

    if (length > end && !strcmp(key + length - end, units[i].end))
      return &units[i];
  }
  return NULL;
}

static const char *const words[][2] = {
    {"PerSM", "instances per SM"},
    {"NominalBytes", "nominal capacity"},
    {"CensusBytes", "capacity by census"},
    {"CensusErrorBytes", "standard error of the census"},
    {"CapacityAtLeastBytes", "capacity, lower bound"},
    {"OutstandingPerSM", "outstanding misses of an SM"},
    {"OutstandingPerSMAtLeast", "outstanding misses of an SM, lower bound"},
    {"OutstandingPerWarp", "outstanding misses of a warp"},
    {"OutstandingPerWarpAtLeast", "outstanding misses of a warp, lower bound"},
    {"TotalBytes", "capacity with all sets full"},
    {"FetchBytes", "fetch granularity"},
    {"ReadGBps", "read bandwidth"},
    {"WriteGBps", "write bandwidth"},
    {"ReadBytesPerCycle", "read bandwidth of an SM"},
    {"WriteBytesPerCycle", "write bandwidth of an SM"},
    {"CarveoutTable", "capacity by carve-out"},
    {"CarveoutPercent", "carve-out during the measurement"},
    {"CarveoutBlocks", "resident blocks during the measurement"},
    {"PartitionSMs", "SMs near to each partition"},
    {"CUGroups", "CUs of each instance"},
    {"LineBytes", "cache line"},
    {"BankBytes", "width of a bank"},
    {"ConflictCycles", "cost of a bank conflict"},
    {"SMClockKHz", "highest SM clock"},
    {"MemoryClockKHz", "highest memory clock"},
    {"MeasuredSMClockMHz", "SM clock during the measurement"},
    {"SharedBytesPerBlock", "shared memory of a block"},
    {"SharedReservedBytesPerBlock", "shared memory reserved for each block"},
    {"GlobalLoadsInL1", "loads from global memory are cached in L1"},
    {"Measured", "date of the measurement"},
    {"MeasuringMilliseconds", "duration of the measurement"},
    {"MeasuringLaunches", "kernel launches of the measurement"},
    {"MeasuringDeviceBytes", "device memory used for measuring"},
    {"MeasuringRepeats", "steps that were repeated"},
    {"MeasuringFailures", "steps that failed"},
    {"Version", "version of the program that measured"},
};

static bool is_upper(char c)
{
  return isupper((unsigned char)c);
}

/* "MissPenaltyCycles" -> "miss penalty"; capitals in a row remain: "ECC", "SMs". */
static void split(const char *key, size_t length, char *text, size_t size)
{
  size_t used = 0;

  for (size_t i = 0; i < length && used + 3 < size; i++) {
    const bool starts =
        is_upper(key[i]) && (!i || !is_upper(key[i - 1]) ||
                             (i + 2 < length && islower((unsigned char)key[i + 1]) &&
                              islower((unsigned char)key[i + 2])));
    const bool acronym = is_upper(key[i + 1]) || isdigit((unsigned char)key[i + 1]) ||
                         (i && is_upper(key[i - 1]) && !starts);

    if (starts && i)
      text[used++] = ' ';
    text[used++] = (char)(starts && !acronym ? tolower((unsigned char)key[i]) : key[i]);
  }
  text[used] = '\0';
}

void gc_key_in_words(const char *key, const char *sm, char *text, size_t size)
{
  const struct unit *unit = unit_of(key);
  char *at;

  for (size_t i = 0; i < COUNT(words); i++)
    if (!strcmp(words[i][0], key)) {
      snprintf(text, size, "%s", words[i][1]);
      if ((at = strstr(text, "SM")))
        memcpy(at, sm, 2);
      return;
    }
  split(key, strlen(key) - (unit ? strlen(unit->end) : 0), text, size);
}

/* "a,b" -> "a, b", so that a long list can be divided. Lists of lists have blanks already. */
static void space_list(const char *value, char *text, size_t size)
{
  const bool plain = !strchr(value, ' ');
  size_t used = 0;

  for (; *value && used + 2 < size; value++) {
    text[used++] = *value;
    if (*value == ',' && plain)
      text[used++] = ' ';
  }
  text[used] = '\0';
}

void gc_value_in_words(const char *key, const char *value, char *text, size_t size)
{
  const struct unit *unit = unit_of(key);
  char bytes[32];
  uint64_t number;

  if (!unit) {
    space_list(value, text, size);
    return;
  }
  snprintf(text, size, "%s %s", value, unit->text);
  if (strcmp(unit->text, "B") || !gc_number_whole(value, &number) || number < 1024)
    return;
  gc_format_bytes(number, bytes, sizeof bytes);
  snprintf(text, size, "%s (%" PRIu64 " B)", bytes, number);
}
