/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a record to the parameters that neither a launch nor a seed decides.
 */
#define HWLOC_GPUCACHE_KEYS_ONLY
#include "predict/parameters/geometry.h"
#include "predict/parameters/groups.h"
#include "predict/parameters/parameters.h"
#include "predict/parameters/tlbs.h"

#include "record/lists.h"
#include "util/number.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Most bytes of a cache that a record may state. */
#define MOST_BYTES ((double)(UINT64_C(1) << 40))

/* Spread of a latency: the standard deviation of the half-normal distribution, as a part of the
 * latency. Nugteren et al. use 5 for a latency of 100. */
#define ASSUMED_SPREAD 0.05
/* Distance between the 95th percentile and the median of a half-normal distribution, in sigmas. */
#define P95_SIGMAS (1.959964 - 0.674490)

/* What the measurement repeats within: a cycle inside an SM, 2 % outside (doc/methods.md). */
#define SM_CYCLES 1.0
#define FAR_PART 0.02

struct reading {
  struct gc_parameters *parameters;
  const struct gc_record *record;
  char missing[200];
};

static void add_missing(struct reading *reading, const char *element, const char *key)
{
  const size_t used = strlen(reading->missing);

  snprintf(reading->missing + used, sizeof reading->missing - used, "%s%s%s%s", used ? ", " : "",
           element ? element : "", element ? " " : "", key);
}

static bool number_of(const struct gc_element *element, const char *key, double *value)
{
  return element && gc_number_read(gc_infos_get(&element->infos, key), value) && *value > 0;
}

/* A fact of the GPU; assumed is 0 if there is no sensible assumption. */
static unsigned fact(struct reading *reading, const char *key, unsigned most, unsigned assumed,
                     const char *sentence)
{
  uint64_t value;
  char name[64];

  if (!gc_infos_get_u64(&reading->record->infos, key, &value) && value && value <= most)
    return (unsigned)value;
  snprintf(name, sizeof name, "%s%s", gc_record_prefix, key);
  if (sentence)
    gc_assume(&reading->parameters->assumptions, NULL, name, "%s", sentence);
  else
    add_missing(reading, NULL, name);
  return assumed;
}

static void read_launch_limits(struct reading *reading)
{
  struct gc_gpu_model *gpu = &reading->parameters->gpu;
  uint64_t reserved = 0;

  gpu->sms = fact(reading, "SMs", GC_PREDICT_SMS_MAX, 1, NULL);
  gpu->warp_threads = fact(reading, "WarpThreads", GC_TRACE_LANES, 32, "32");
  gpu->threads_per_sm = fact(reading, "ThreadsPerSM", 1u << 16, 2048, "2048");
  gpu->blocks_per_sm = fact(reading, "BlocksPerSM", 1u << 12, 32, "32");
  gpu->registers_per_sm = fact(reading, "RegistersPerSM", 1u << 24, 65536, "65536");
  gc_infos_get_u64(&reading->record->infos, "SharedReservedBytesPerBlock", &reserved);
  gpu->shared_reserved_per_block = reserved <= 65536 ? reserved : 0;
}

/* Capacity, with what the census and TotalBytes say as bounds. */
static bool read_capacity(const struct gc_element *element, struct gc_bounds *bytes)
{
  double census, error = 0, total;

  if (!number_of(element, HWLOC_GPUCACHE_CAPACITY_BYTES, &bytes->value) ||
      bytes->value > MOST_BYTES)
    return false;
  bytes->low = bytes->high = bytes->value;
  if (number_of(element, HWLOC_GPUCACHE_CENSUS_BYTES, &census) && census < 2 * bytes->value) {
    number_of(element, HWLOC_GPUCACHE_CENSUS_ERROR_BYTES, &error);
    if (census - 2 * error < bytes->low && census > 2 * error)
      bytes->low = census - 2 * error;
    if (census + 2 * error > bytes->high)
      bytes->high = census + 2 * error;
  }
  if (number_of(element, HWLOC_GPUCACHE_TOTAL_BYTES, &total) && total > bytes->high &&
      total <= MOST_BYTES)
    bytes->high = total;
  return true;
}

/* If the record has no Sets, L2 is modelled as one set, which is never filled unevenly. So it holds
 * what a full cache holds: the census or TotalBytes, if that is more than CapacityBytes, which is
 * how large an array may be without misses (doc/results/predict.md, "L2: what it holds"). More than
 * the upper bound of the capacity cannot be right. */
static void take_full(const struct gc_element *element, struct gc_bounds *bytes)
{
  const char *const keys[] = {HWLOC_GPUCACHE_CENSUS_BYTES, HWLOC_GPUCACHE_TOTAL_BYTES};
  double full;

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (number_of(element, keys[i], &full) && full > bytes->value && full <= bytes->high)
      bytes->value = full;
}

static bool read_latency(const struct gc_element *element, const char *key, bool in_sm,
                         struct gc_bounds *cycles)
{
  double margin;

  if (!number_of(element, key, &cycles->value))
    return false;
  margin = in_sm ? SM_CYCLES : cycles->value * FAR_PART;
  cycles->low = cycles->value > margin ? cycles->value - margin : 0;
  cycles->high = cycles->value + margin;
  return true;
}

static double read_spread(struct reading *reading, const struct gc_element *element,
                          const char *subtype, double cycles)
{
  double p95;

  if (number_of(element, "LatencyP95Cycles", &p95) && p95 >= cycles)
    return (p95 - cycles) / P95_SIGMAS;
  gc_assume(&reading->parameters->assumptions, subtype, "LatencyP95Cycles",
            "latencies vary with a standard deviation of %g %%", 100 * ASSUMED_SPREAD);
  return cycles * ASSUMED_SPREAD;
}

static unsigned outstanding(const struct gc_element *l1)
{
  uint64_t value;

  if (l1 && !gc_infos_get_u64(&l1->infos, HWLOC_GPUCACHE_OUTSTANDING_PER_SM, &value) &&
      value <= 1u << 20)
    return (unsigned)value;
  return 0;
}

/* From Volta on, L1 keeps what is stored, and a line takes its place when it is requested: counters
 * of an H100 and an H200 show it (doc/results/predict.md). */
static bool nvidia_l1(const struct gc_record *record)
{
  const char *capability = gc_infos_get(&record->infos, "ComputeCapability");
  double version;

  return capability && gc_number_read(capability, &version) && version >= 7;
}

static void read_l1(struct reading *reading)
{
  struct gc_parameters *parameters = reading->parameters;
  const struct gc_element *l1 = gc_record_find(reading->record, GC_L1);
  const struct gc_element *shared = gc_record_find(reading->record, GC_SHARED_MEMORY);
  const char *in_l1 = gc_infos_get(&reading->record->infos, "GlobalLoadsInL1");
  double shared_bytes = 0;

  parameters->gpu.loads_in_l1 = l1 && !(in_l1 && !strcmp(in_l1, "no"));
  if (!shared)
    shared = gc_record_find(reading->record, GC_LDS);
  if (number_of(shared, HWLOC_GPUCACHE_CAPACITY_BYTES, &shared_bytes))
    parameters->shared_bytes = (uint64_t)shared_bytes;
  else
    gc_assume(&parameters->assumptions, HWLOC_GPUCACHE_SHARED_MEMORY, HWLOC_GPUCACHE_CAPACITY_BYTES,
              "shared memory does not limit the number of resident blocks");
  gc_geometry_read(&parameters->gpu.l1, l1, HWLOC_GPUCACHE_L1, 128, nvidia_l1(reading->record),
                   &parameters->assumptions);
  if (!parameters->gpu.loads_in_l1) {
    gc_assume(&parameters->assumptions, NULL, "L1",
              l1 ? "all global loads, also those with .nc, go to L2"
                 : "the record has none: all global loads, also those with .nc, go to L2");
    return;
  }
  parameters->gpu.l1.early = nvidia_l1(reading->record);
  gc_assume(&parameters->assumptions, NULL, "L1", "a line takes the place of another when it %s",
            parameters->gpu.l1.early ? "is requested" : "arrives");
  if (!read_capacity(l1, &parameters->l1_bytes))
    add_missing(reading, HWLOC_GPUCACHE_L1, HWLOC_GPUCACHE_CAPACITY_BYTES);
  if (!read_latency(l1, HWLOC_GPUCACHE_LATENCY_CYCLES, true, &parameters->l1_cycles))
    add_missing(reading, HWLOC_GPUCACHE_L1, HWLOC_GPUCACHE_LATENCY_CYCLES);
  gc_carveouts_read(&parameters->carveouts, gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE),
                    parameters->shared_bytes);
  gc_carveouts_read(&parameters->carveouts_4,
                    gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE_4_WARPS),
                    parameters->shared_bytes);
  gc_carveouts_read(&parameters->carveouts_32,
                    gc_infos_get(&l1->infos, HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS),
                    parameters->shared_bytes);
  parameters->gpu.outstanding_per_sm = outstanding(l1);
}

/* Several L2 caches (one on each die of some AMD GPUs) know nothing of each other. Partitions of a
 * capacity that was measured keep copies: methods.md, "L2 partitions". */
static void read_partitions(struct reading *reading, const struct gc_element *l2)
{
  struct gc_gpu_model *gpu = &reading->parameters->gpu;
  uint64_t count;

  gpu->partitions = 1;
  if (l2 && !gc_infos_get_u64(&l2->infos, HWLOC_GPUCACHE_INSTANCES, &count) && count > 1 &&
      count <= GC_PREDICT_PARTITIONS_MAX) {
    gpu->partitions = (unsigned)count;
    gpu->private_l2 = true;
  } else if (l2 && !gc_infos_get_u64(&l2->infos, HWLOC_GPUCACHE_PARTITIONS, &count) && count > 1 &&
             count <= GC_PREDICT_PARTITIONS_MAX) {
    gpu->partitions = (unsigned)count;
    gpu->copies = true;
  }
}

/* The partition that each GPC is near to, as "0,1,1,0". False: it is no such list. */
static bool read_sides(struct gc_gpu_model *gpu, const char *text)
{
  unsigned count = 0;
  uint64_t side;
  bool is_last = false;

  while (count < gpu->gpcs && gc_member_next(&text, &side, &is_last)) {
    if (side >= gpu->partitions)
      return false;
    gpu->near_of_gpc[count++] = (uint8_t)side;
  }
  return count == gpu->gpcs && !*text;
}

static void read_gpcs(struct reading *reading)
{
  struct gc_gpu_model *gpu = &reading->parameters->gpu;
  struct gc_assumptions *assumptions = &reading->parameters->assumptions;
  const char *sms = gc_infos_get(&reading->record->infos, "GPCSMs");
  const char *sides = gc_infos_get(&reading->record->infos, "GPCSides");
  const char *wrong = sms ? gc_groups_read(sms, gpu->sms, gpu->gpc_of_sm, &gpu->gpcs) : "";

  if (wrong) {
    gpu->gpcs = 0;
    gc_assume(assumptions, NULL, HWLOC_GPUCACHE_GPC_SMS,
              "%s%sblocks go to the SMs in the order of their numbers", wrong, *wrong ? "; " : "");
  }
  gpu->has_sides = gpu->gpcs && gpu->copies && sides && read_sides(gpu, sides);
  if (gpu->copies && !gpu->has_sides)
    gc_assume(assumptions, NULL, HWLOC_GPUCACHE_GPC_SIDES,
              "SMs with adjacent numbers are near to the same partition of L2");
}

static void read_l2(struct reading *reading)
{
  struct gc_parameters *parameters = reading->parameters;
  const struct gc_element *l2 = gc_record_find(reading->record, GC_L2);
  struct gc_bounds *near = &parameters->l2_near_cycles;

  gc_geometry_read(&parameters->gpu.l2, l2, HWLOC_GPUCACHE_L2, 128, true, &parameters->assumptions);
  read_partitions(reading, l2);
  read_gpcs(reading);
  if (!read_capacity(l2, &parameters->l2_bytes)) {
    double nominal;

    if (number_of(l2, HWLOC_GPUCACHE_NOMINAL_BYTES, &nominal) && nominal <= MOST_BYTES) {
      gc_assume(&parameters->assumptions, HWLOC_GPUCACHE_L2, HWLOC_GPUCACHE_CAPACITY_BYTES,
                "NominalBytes");
      parameters->l2_bytes = (struct gc_bounds){nominal, nominal, nominal};
    } else {
      add_missing(reading, HWLOC_GPUCACHE_L2, HWLOC_GPUCACHE_CAPACITY_BYTES);
    }
  } else if (parameters->gpu.l2.sets == 1) {
    take_full(l2, &parameters->l2_bytes);
  }
  if (!read_latency(l2, HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES, false, near) &&
      !read_latency(l2, HWLOC_GPUCACHE_LATENCY_CYCLES, false, near))
    add_missing(reading, HWLOC_GPUCACHE_L2, HWLOC_GPUCACHE_LATENCY_CYCLES);
  if (!read_latency(l2, HWLOC_GPUCACHE_FAR_LATENCY_CYCLES, false, &parameters->l2_far_cycles))
    parameters->l2_far_cycles = *near;
  parameters->gpu.l2_spread = read_spread(reading, l2, HWLOC_GPUCACHE_L2, near->value);
}

static void read_memory(struct reading *reading)
{
  struct gc_parameters *parameters = reading->parameters;
  const struct gc_element *memory = gc_record_find(reading->record, GC_L3);
  const char *subtype = HWLOC_GPUCACHE_L3;

  if (memory &&
      read_latency(memory, HWLOC_GPUCACHE_LATENCY_CYCLES, false, &parameters->memory_cycles)) {
    gc_assume(&parameters->assumptions, NULL, subtype,
              "not modelled: what misses in L2 takes the latency of L3");
  } else {
    memory = gc_record_find(reading->record, GC_DEVICE_MEMORY);
    subtype = HWLOC_GPUCACHE_DEVICE_MEMORY;
    if (!read_latency(memory, HWLOC_GPUCACHE_LATENCY_CYCLES, false, &parameters->memory_cycles))
      add_missing(reading, subtype, HWLOC_GPUCACHE_LATENCY_CYCLES);
  }
  parameters->gpu.memory_spread =
      read_spread(reading, memory, subtype, parameters->memory_cycles.value);
}

int gc_parameters_read(struct gc_parameters *parameters, const struct gc_record *record,
                       struct gc_error *err)
{
  struct reading reading = {.parameters = parameters, .record = record};

  memset(parameters, 0, sizeof *parameters);
  read_launch_limits(&reading);
  read_l1(&reading);
  read_l2(&reading);
  read_memory(&reading);
  gc_tlbs_read(parameters, record);
  if (reading.missing[0])
    return gc_fail(err, -ENODATA, "the record lacks what a prediction needs: %s", reading.missing);
  return 0;
}
