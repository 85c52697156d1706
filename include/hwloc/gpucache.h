/*
 * SPDX-License-Identifier: BSD-3-Clause
 */

/** \file
 * \brief Names and look-up helpers for the GPU memory hierarchies that the gpucache component adds.
 *
 * With the component installed, a loaded topology whose I/O filters keep OS devices holds, under
 * each GPU that was measured, nested OS devices: DeviceMemory, inside it (L3Cache,) L2Cache, inside
 * that the memories of an SM or CU. What kind an object is stands in its subtype; what is known of
 * it stands in its infos. The subtypes and the info names are the macros below; applications that
 * want no macros may use the strings, they do not change.
 *
 * Values are plain decimal ASCII numbers, with '.' before a fraction in every locale; the unit is
 * part of the name. A value that could not be found is absent, and its source says why.
 *
 * Works with hwloc 2.x and 3.x, in C and C++. Nothing has to be linked but hwloc. A file that only
 * wants the names may define HWLOC_GPUCACHE_KEYS_ONLY first; then not even hwloc.h is included.
 */

#ifndef HWLOC_GPUCACHE_KEYS_H
#define HWLOC_GPUCACHE_KEYS_H

/** \defgroup hwlocality_gpucache_subtypes Subtypes of the OS devices
 * @{
 */
#define HWLOC_GPUCACHE_DEVICE_MEMORY "DeviceMemory"    /**< \brief Holds all elements of a GPU */
#define HWLOC_GPUCACHE_L3 "L3Cache"                    /**< \brief AMD: memory-side cache */
#define HWLOC_GPUCACHE_L2 "L2Cache"                    /**< \brief Shared by the SMs or CUs */
#define HWLOC_GPUCACHE_GL1 "GL1Cache"                  /**< \brief RDNA: shared by a shader array */
#define HWLOC_GPUCACHE_L1 "L1Cache"                    /**< \brief Global loads; AMD: vector L1 */
#define HWLOC_GPUCACHE_TEXTURE "TextureCache"          /**< \brief Loads through a texture object */
#define HWLOC_GPUCACHE_READ_ONLY "ReadOnlyCache"       /**< \brief Non-coherent loads (.nc) */
#define HWLOC_GPUCACHE_CONSTANT_L1 "ConstantL1Cache"   /**< \brief Constant loads, first level */
#define HWLOC_GPUCACHE_CONSTANT_L15 "ConstantL15Cache" /**< \brief Constant loads, second level */
#define HWLOC_GPUCACHE_SHARED_MEMORY "SharedMemory"    /**< \brief Shared memory of an SM */
#define HWLOC_GPUCACHE_SCALAR_L1 "ScalarL1Cache"       /**< \brief AMD: scalar (constant) loads */
#define HWLOC_GPUCACHE_LDS "LDS"                       /**< \brief AMD: local data share of a CU */
#define HWLOC_GPUCACHE_INSTRUCTION "InstructionCache"  /**< \brief Instructions */
/** @} */

/** \defgroup hwlocality_gpucache_keys Infos of an element
 *
 * Each measured or reported property has a source and, when measured, a confidence: the infos
 * \<property\>Source and \<property\>Confidence, where the property is the key without its unit
 * (CapacityBytes: CapacitySource; LatencyCycles and LatencyNs: LatencySource).
 * @{
 */
/** \brief Bytes usable by one SM (one instance); integer > 0. Source "measured"; of memories that are no
 * caches (DeviceMemory, SharedMemory, LDS), of which the vendor's interface states it, "api". Of an AMD
 * GPU that was not measured: what the kernel driver's tables state, "sysfs", and then NominalBytes is
 * the same. */
#define HWLOC_GPUCACHE_CAPACITY_BYTES "CapacityBytes"
/** \brief Bytes that the vendor's interface states for one instance; integer > 0. Source "api" or
 * "sysfs". */
#define HWLOC_GPUCACHE_NOMINAL_BYTES "NominalBytes"
/** \brief Where the capacity could not be found because no miss was seen up to here: bytes that fit
 * for sure; integer > 0. Then there is no CapacityBytes. */
#define HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES "CapacityAtLeastBytes"
/** \brief What a second way to CapacityBytes found: a count of what stays in the cache when more was read
 * than it holds; integer > 0. There is no CapacityBytes unless it is at most 1 % and nine lines of 128 bytes (or
 * 4 %, if that is less) below that, or at most 0.5 % above it; both ways 3 times CensusErrorBytes more (a little
 * more yet where few rounds tell them), and of an L2 or L3 a sixteenth of it.
 * CensusConfidence: that it is so near to a count of all there is. */
#define HWLOC_GPUCACHE_CENSUS_BYTES "CensusBytes"
/** \brief One standard error of CensusBytes: not all of the cache is looked up; integer >= 0. */
#define HWLOC_GPUCACHE_CENSUS_ERROR_BYTES "CensusErrorBytes"
/** \brief Carve-out that CapacityBytes belongs to: shared memory preferred by the kernel, percent of
 * the largest; integer 0 to 100. */
#define HWLOC_GPUCACHE_CARVEOUT_PERCENT "CarveoutPercent"
/** \brief Blocks of that kernel that an SM could hold at once; the driver reserves shared memory for
 * each, which is not L1 then; integer > 0. */
#define HWLOC_GPUCACHE_CARVEOUT_BLOCKS "CarveoutBlocks"
/** \brief What carve-outs leave of the L1: comma list of percent:bytes, ascending; from this percentage
 * of shared memory on, a kernel that prefers it has an L1 of so many bytes. The last entry is
 * default:bytes, for a kernel that prefers nothing. For the blocks of CarveoutBlocks. */
#define HWLOC_GPUCACHE_CARVEOUT_TABLE "CarveoutTable"
/** \brief Allocation unit (cache line), bytes; integer > 0. */
#define HWLOC_GPUCACHE_LINE_BYTES "LineBytes"
/** \brief Smallest transfer (sector), bytes; integer > 0, at most LineBytes. */
#define HWLOC_GPUCACHE_FETCH_BYTES "FetchBytes"
/** \brief Median latency of a dependent load that hits, SM clock cycles without the cost of reading
 * the clock; number > 0, may have a fraction. Of DeviceMemory, half of which may be far from an SM, the
 * mean of the quartiles, over all SMs: the middle between near and far. */
#define HWLOC_GPUCACHE_LATENCY_CYCLES "LatencyCycles"
/** \brief The same in nanoseconds at the clock the GPU ran at; number > 0, may have a fraction. */
#define HWLOC_GPUCACHE_LATENCY_NS "LatencyNs"
/** \brief What a miss adds to LatencyCycles, cycles; number >= 0. */
#define HWLOC_GPUCACHE_MISS_PENALTY_CYCLES "MissPenaltyCycles"
/** \brief Read bandwidth of the whole GPU, 10^9 bytes per second; number > 0. */
#define HWLOC_GPUCACHE_READ_GBPS "ReadGBps"
/** \brief Write bandwidth of the whole GPU, 10^9 bytes per second; number > 0. */
#define HWLOC_GPUCACHE_WRITE_GBPS "WriteGBps"
/** \brief Read bandwidth of an element inside an SM, bytes per SM clock and SM; number > 0. */
#define HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE "ReadBytesPerCycle"
/** \brief Write bandwidth of an element inside an SM, bytes per SM clock and SM; number > 0. */
#define HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE "WriteBytesPerCycle"
/** \brief Independent instances in one SM or CU; integer >= 1. Of what several of them share (an L2, say) there
 * is none, and PerSMSource says who shares it: "absent:132 SMs share it". */
#define HWLOC_GPUCACHE_PER_SM "PerSM"
/** \brief Independent instances on the whole GPU; integer >= 1. */
#define HWLOC_GPUCACHE_INSTANCES "Instances"
/** \brief AMD: how many CUs use an instance together, as a comma list of instances x CUs, most CUs
 * first: "8x2,4x1" means that 8 instances serve two CUs each and 4 serve one (whose neighbours are
 * switched off). Source "measured" or "sysfs". */
#define HWLOC_GPUCACHE_SHARED_BY_CUS "SharedByCUs"
/** \brief AMD: which CUs use an instance together, by their hardware ids (as a kernel reads them, not
 * dense): CUs of an instance with commas between, instances with blanks between, for example
 * "0,1 3 4,5". */
#define HWLOC_GPUCACHE_CU_GROUPS "CUGroups"
/** \brief Comma-separated subtypes that are in the same physical storage. SharedWithSource "measured" without
 * SharedWith: that was looked for, and there are none. */
#define HWLOC_GPUCACHE_SHARED_WITH "SharedWith"
/** \brief L2: parts of which each is near to some SMs and far from the others; integer >= 1. Each part
 * keeps its own copy of a line that its SMs read. */
#define HWLOC_GPUCACHE_PARTITIONS "Partitions"
/** \brief How many SMs are near each of the Partitions, comma-separated, for example "66,66"; the
 * partition of the first SM comes first. */
#define HWLOC_GPUCACHE_PARTITION_SMS "PartitionSMs"
/** \brief L2 with Partitions: median latency of a load that hits in the partition near to its SM, SM clock
 * cycles; number > 0. LatencyCycles is the median over all SMs and lines. */
#define HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES "NearLatencyCycles"
/** \brief The same in nanoseconds; number > 0. */
#define HWLOC_GPUCACHE_NEAR_LATENCY_NS "NearLatencyNs"
/** \brief The same for a load that hits in a partition far from its SM and in no nearer one, SM clock
 * cycles; number > 0. */
#define HWLOC_GPUCACHE_FAR_LATENCY_CYCLES "FarLatencyCycles"
/** \brief The same in nanoseconds; number > 0. */
#define HWLOC_GPUCACHE_FAR_LATENCY_NS "FarLatencyNs"

/** \brief Ends the name of a property's source: "measured", "api", "sysfs" or "absent:<why>". */
#define HWLOC_GPUCACHE_SOURCE_SUFFIX "Source"
/** \brief Ends the name of a measured property's confidence: the calibrated probability that the
 * value is right; number from 0 to 1. */
#define HWLOC_GPUCACHE_CONFIDENCE_SUFFIX "Confidence"

/** \brief Ends the name of what another source states of a property, where that is not what the record
 * says: "sysfs:" and the value, for example CapacityDiffers "sysfs:16384" where 12288 bytes were measured and
 * the kernel driver's tables state 16384, or SharedByCUsDiffers "sysfs:32x3,8x2,8x1". Only there where they
 * differ: a capacity by more than 1 %, all others at all. */
#define HWLOC_GPUCACHE_DIFFERS_SUFFIX "Differs"

#define HWLOC_GPUCACHE_SOURCE_MEASURED "measured" /**< \brief Timed on this very GPU */
#define HWLOC_GPUCACHE_SOURCE_API "api"           /**< \brief Stated by the vendor's interface */
#define HWLOC_GPUCACHE_SOURCE_SYSFS "sysfs"       /**< \brief Stated by the kernel driver */
#define HWLOC_GPUCACHE_SOURCE_ABSENT "absent:"    /**< \brief No value; the reason follows */
/** @} */

/** \defgroup hwlocality_gpucache_properties Properties: what a source and a confidence belong to
 *
 * HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_SOURCE_SUFFIX is "CapacitySource".
 * @{
 */
#define HWLOC_GPUCACHE_CAPACITY "Capacity"
#define HWLOC_GPUCACHE_NOMINAL "Nominal"
#define HWLOC_GPUCACHE_CENSUS "Census"
#define HWLOC_GPUCACHE_LINE "Line"
#define HWLOC_GPUCACHE_FETCH "Fetch"
#define HWLOC_GPUCACHE_LATENCY "Latency"
#define HWLOC_GPUCACHE_MISS_PENALTY "MissPenalty"
#define HWLOC_GPUCACHE_READ "Read"
#define HWLOC_GPUCACHE_WRITE "Write"
#define HWLOC_GPUCACHE_NEAR_LATENCY "NearLatency"
#define HWLOC_GPUCACHE_FAR_LATENCY "FarLatency"
/* PerSM, Instances, SharedByCUs, CUGroups, SharedWith, CarveoutTable, Partitions and PartitionSMs are keys
 * and properties in one. */
/** @} */

/** \defgroup hwlocality_gpucache_flat Infos of the GPU itself
 *
 * On the DeviceMemory object, and for callers that only look there on the GPU's PCI device and its
 * other OS devices (cuda0, nvml0, rsmi0 ...). Those also carry the elements' infos, flat: prefix +
 * subtype without a final "Cache" + key, for example "GPUCacheL1CapacityBytes",
 * "GPUCacheSharedMemoryLatencyCycles".
 * @{
 */
#define HWLOC_GPUCACHE_PREFIX "GPUCache"           /**< \brief Starts every flat name */
/** \brief "measured", or why not; of an AMD GPU with nothing but the kernel driver's tables, "facts of
 * the kernel driver (sysfs), nothing measured: " and why */
#define HWLOC_GPUCACHE_STATUS "GPUCacheStatus"
/** \brief The GPU's id: NVIDIA's UUID; AMD "GPU-" and the unique id in hexadecimal, then "-" and the
 * number of the partition where there are several; "pci-" and the bus id of a GPU without one; "sim-NAME" */
#define HWLOC_GPUCACHE_UUID "GPUCacheUUID"
#define HWLOC_GPUCACHE_MEASURED "GPUCacheMeasured" /**< \brief When, ISO 8601 date */
#define HWLOC_GPUCACHE_VERSION "GPUCacheVersion"   /**< \brief Version of the tool that measured */
#define HWLOC_GPUCACHE_MODEL "GPUCacheModel"       /**< \brief Marketing name */
#define HWLOC_GPUCACHE_DRIVER "GPUCacheDriver"     /**< \brief Kernel driver that was loaded */
#define HWLOC_GPUCACHE_VBIOS "GPUCacheVBIOS"       /**< \brief VBIOS version */
/** \brief MIG state: "disabled" or the instances; AMD: partition modes of compute and memory,
 * "CPX/NPS4", where the GPU has them */
#define HWLOC_GPUCACHE_MIG "GPUCacheMIG"
#define HWLOC_GPUCACHE_FORMAT "GPUCacheFormat"     /**< \brief Revision of the record's form */
#define HWLOC_GPUCACHE_METHOD "GPUCacheMethod"     /**< \brief Revision of the measuring methods */

/* What the vendor's interface states of the GPU; absent where it does not. */
/** \brief SMs or CUs; integer > 0. */
#define HWLOC_GPUCACHE_SMS "GPUCacheSMs"
/** \brief Highest clock of an SM, kHz; integer > 0. */
#define HWLOC_GPUCACHE_SM_CLOCK_KHZ "GPUCacheSMClockKHz"
/** \brief Highest clock of the device memory, kHz; integer > 0. NVIDIA: two transfers in each of its
 * cycles. AMD: as the kernel driver states it, and how many transfers that means depends on the memory
 * (HBM2 two, HBM3 four, GDDR6 sixteen). */
#define HWLOC_GPUCACHE_MEMORY_CLOCK_KHZ "GPUCacheMemoryClockKHz"
/** \brief Width of the bus to the device memory, bits; integer > 0. */
#define HWLOC_GPUCACHE_MEMORY_BUS_BITS "GPUCacheMemoryBusBits"
/** \brief AMD: target of its machine code, "gfx942". */
#define HWLOC_GPUCACHE_GFX "GPUCacheGFX"
/** \brief AMD: dies with CUs (XCDs) that make this GPU or partition; integer > 0. */
#define HWLOC_GPUCACHE_XCDS "GPUCacheXCDs"
/** \brief AMD: SIMD units of a CU; integer > 0. */
#define HWLOC_GPUCACHE_SIMDS_PER_SM "GPUCacheSIMDsPerSM"
/** \brief Threads in a warp or wave; integer > 0. */
#define HWLOC_GPUCACHE_WARP_THREADS "GPUCacheWarpThreads"
/** \brief Threads that an SM holds at most; integer > 0. */
#define HWLOC_GPUCACHE_THREADS_PER_SM "GPUCacheThreadsPerSM"
/** \brief Threads in a block at most; integer > 0. */
#define HWLOC_GPUCACHE_THREADS_PER_BLOCK "GPUCacheThreadsPerBlock"
/** \brief Blocks that an SM holds at most; integer > 0. */
#define HWLOC_GPUCACHE_BLOCKS_PER_SM "GPUCacheBlocksPerSM"
/** \brief 32-bit registers of an SM; integer > 0. */
#define HWLOC_GPUCACHE_REGISTERS_PER_SM "GPUCacheRegistersPerSM"
/** \brief 32-bit registers that a block has at most; integer > 0. */
#define HWLOC_GPUCACHE_REGISTERS_PER_BLOCK "GPUCacheRegistersPerBlock"
/** \brief Shared memory that a block may ask for at most, bytes; integer > 0. */
#define HWLOC_GPUCACHE_SHARED_BYTES_PER_BLOCK "GPUCacheSharedBytesPerBlock"
/** \brief Shared memory that the driver keeps back for each block, bytes; integer > 0. */
#define HWLOC_GPUCACHE_SHARED_RESERVED_BYTES_PER_BLOCK "GPUCacheSharedReservedBytesPerBlock"
/** \brief NVIDIA: compute capability, "major.minor". */
#define HWLOC_GPUCACHE_COMPUTE_CAPABILITY "GPUCacheComputeCapability"
/** \brief Error correction of the device memory: "on" or "off". */
#define HWLOC_GPUCACHE_ECC "GPUCacheECC"
/** \brief Whether loads from global memory may be kept in L1: "yes" or "no". */
#define HWLOC_GPUCACHE_GLOBAL_LOADS_IN_L1 "GPUCacheGlobalLoadsInL1"

/* What measuring found of the whole GPU, and what it cost. */
/** \brief Clock of an SM while measuring, MHz: what turns cycles into nanoseconds; integer > 0. */
#define HWLOC_GPUCACHE_MEASURED_SM_CLOCK_MHZ "GPUCacheMeasuredSMClockMHz"
/** \brief How long measuring took, without opening the GPU; integer >= 0. */
#define HWLOC_GPUCACHE_MEASURING_MILLISECONDS "GPUCacheMeasuringMilliseconds"
/** \brief Kernels launched for it; integer > 0. */
#define HWLOC_GPUCACHE_MEASURING_LAUNCHES "GPUCacheMeasuringLaunches"
/** \brief The most device memory held at once for it, bytes; integer > 0. */
#define HWLOC_GPUCACHE_MEASURING_DEVICE_BYTES "GPUCacheMeasuringDeviceBytes"
/** \brief Parts of it that were done again because another program used the GPU meanwhile or its clock
 * changed; integer >= 0. */
#define HWLOC_GPUCACHE_MEASURING_REPEATS "GPUCacheMeasuringRepeats"
/** \brief Parts of it that failed, for example because a launch did, and whose values are absent for that
 * reason; integer > 0, or not there. */
#define HWLOC_GPUCACHE_MEASURING_FAILURES "GPUCacheMeasuringFailures"
/** @} */

/** \defgroup hwlocality_gpucache_env Environment variables (ignored in a set-user-ID process)
 * @{
 */
/** \brief "auto" (default: use a valid record, else measure and store), "cached" (never measure),
 * "refresh" (measure anew), "off". */
#define HWLOC_GPUCACHE_ENV "HWLOC_GPUCACHE"
/** \brief Directory of records; default ${XDG_CACHE_HOME:-~/.cache}/hwloc-gpucache. */
#define HWLOC_GPUCACHE_DIR_ENV "HWLOC_GPUCACHE_DIR"
/** \brief Seconds one load may wait for a measurement; default 10. */
#define HWLOC_GPUCACHE_TIMEOUT_ENV "HWLOC_GPUCACHE_TIMEOUT"
/** \brief Comma list of simulated GPUs to attach. */
#define HWLOC_GPUCACHE_SIM_ENV "HWLOC_GPUCACHE_SIM"
/** \brief Set: says on stderr what is done. */
#define HWLOC_GPUCACHE_VERBOSE_ENV "HWLOC_GPUCACHE_VERBOSE"
/** @} */

#endif /* HWLOC_GPUCACHE_KEYS_H */

#if !defined(HWLOC_GPUCACHE_KEYS_ONLY) && !defined(HWLOC_GPUCACHE_H)
#define HWLOC_GPUCACHE_H

#include <hwloc.h>

#include <errno.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \defgroup hwlocality_gpucache Looking up the memory hierarchy of a GPU
 * @{
 */

/** \brief The longest info name that the helpers build, terminating NUL included. */
#define HWLOC_GPUCACHE_NAME_MAX 128

/** \brief Whether \p obj is an OS device with this subtype. */
static __hwloc_inline int
hwloc_gpucache_is(hwloc_obj_t obj, const char *subtype)
{
  return obj && obj->type == HWLOC_OBJ_OS_DEVICE && obj->subtype && !strcmp(obj->subtype, subtype);
}

/** \brief Iterate over the GPUs whose hierarchy is known: the DeviceMemory object after \p prev.
 *
 * \return the first one if \p prev is \c NULL.
 * \return \c NULL after the last one.
 */
static __hwloc_inline hwloc_obj_t
hwloc_gpucache_get_next_gpu(hwloc_topology_t topology, hwloc_obj_t prev)
{
  while ((prev = hwloc_get_next_osdev(topology, prev)) != NULL)
    if (hwloc_gpucache_is(prev, HWLOC_GPUCACHE_DEVICE_MEMORY))
      return prev;
  return NULL;
}

/** \brief The DeviceMemory object of the GPU that \p obj belongs to.
 *
 * \p obj may be the GPU's PCI device, an OS device of it such as cuda0, nvml0 or card0, or any of
 * the elements, DeviceMemory included.
 *
 * \return \c NULL if that GPU's hierarchy is not known.
 *
 * \note If PCI devices are filtered out, other OS devices of the GPU are recognized by their
 * GPUCacheUUID info.
 */
static __hwloc_inline hwloc_obj_t
hwloc_gpucache_get_gpu(hwloc_topology_t topology, hwloc_obj_t obj)
{
  hwloc_obj_t up, gpu;
  const char *uuid, *other;

  for (up = obj; up && up->type == HWLOC_OBJ_OS_DEVICE; up = up->parent)
    if (hwloc_gpucache_is(up, HWLOC_GPUCACHE_DEVICE_MEMORY))
      return up;
  if (up && up->type == HWLOC_OBJ_PCI_DEVICE)
    for (gpu = up->io_first_child; gpu; gpu = gpu->next_sibling)
      if (hwloc_gpucache_is(gpu, HWLOC_GPUCACHE_DEVICE_MEMORY))
        return gpu;

  uuid = obj ? hwloc_obj_get_info_by_name(obj, HWLOC_GPUCACHE_UUID) : NULL;
  if (!uuid)
    return NULL;
  for (gpu = NULL; (gpu = hwloc_gpucache_get_next_gpu(topology, gpu)) != NULL;) {
    other = hwloc_obj_get_info_by_name(gpu, HWLOC_GPUCACHE_UUID);
    if (other && !strcmp(uuid, other))
      return gpu;
  }
  return NULL;
}

/** \brief Iterate over the elements of a GPU, from the outermost: the one after \p prev.
 *
 * \p gpu is a DeviceMemory object, which is the first element. Objects below it that are no
 * OS devices are passed over.
 *
 * \return \p gpu if \p prev is \c NULL.
 * \return \c NULL after the last one.
 */
static __hwloc_inline hwloc_obj_t
hwloc_gpucache_get_next_element(hwloc_obj_t gpu, hwloc_obj_t prev)
{
  if (!prev)
    return gpu;
  do {
    if (prev->io_first_child) {
      prev = prev->io_first_child;
    } else {
      while (prev != gpu && !prev->next_sibling)
        prev = prev->parent;
      if (prev == gpu)
        return NULL;
      prev = prev->next_sibling;
    }
  } while (prev->type != HWLOC_OBJ_OS_DEVICE);
  return prev;
}

/** \brief The element of this subtype (one of the macros above) of the GPU that \p obj belongs to.
 *
 * \p obj is as in hwloc_gpucache_get_gpu().
 *
 * \return \c NULL if that GPU is not known or has no such element.
 */
static __hwloc_inline hwloc_obj_t
hwloc_gpucache_get_element(hwloc_topology_t topology, hwloc_obj_t obj, const char *subtype)
{
  hwloc_obj_t gpu = hwloc_gpucache_get_gpu(topology, obj), element = NULL;

  while (gpu && (element = hwloc_gpucache_get_next_element(gpu, element)) != NULL)
    if (hwloc_gpucache_is(element, subtype))
      return element;
  return NULL;
}

/** \brief Read an integer of an element, for example ::HWLOC_GPUCACHE_CAPACITY_BYTES.
 *
 * Strict: one or more decimal digits and nothing else.
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if \p obj has no such info, \c EINVAL if it is no such
 * number, \c ERANGE if it does not fit; \p value is then untouched.
 */
static __hwloc_inline int
hwloc_gpucache_get_u64(hwloc_obj_t obj, const char *key, uint64_t *value)
{
  const char *text = hwloc_obj_get_info_by_name(obj, key);
  uint64_t sum = 0;
  unsigned digit;

  if (!text) {
    errno = ENOENT;
    return -1;
  }
  if (!*text) {
    errno = EINVAL;
    return -1;
  }
  for (; *text; text++) {
    if (*text < '0' || *text > '9') {
      errno = EINVAL;
      return -1;
    }
    digit = (unsigned) (*text - '0');
    if (sum > ((uint64_t) -1 - digit) / 10) {
      errno = ERANGE;
      return -1;
    }
    sum = sum * 10 + digit;
  }
  *value = sum;
  return 0;
}

/** \private The number that \p text is; 0, or -1 with errno EINVAL or ERANGE. */
static __hwloc_inline int
hwloc__gpucache_parse_double(const char *text, double *value)
{
  uint64_t sum = 0;
  double scale = 1.;
  unsigned digits = 0, fraction = 0;
  int point = 0;

  for (; *text; text++) {
    if (*text == '.' && !point && digits) {
      point = 1;
      continue;
    }
    if (*text < '0' || *text > '9') {
      errno = EINVAL;
      return -1;
    }
    if (++digits > 18) {
      errno = ERANGE;
      return -1;
    }
    sum = sum * 10 + (unsigned) (*text - '0');
    if (point) {
      fraction++;
      scale *= 10.;
    }
  }
  if (!digits || (point && !fraction)) {
    errno = EINVAL;
    return -1;
  }
  *value = (double) sum / scale;
  return 0;
}

/** \brief Read a number that may have a fraction, for example ::HWLOC_GPUCACHE_LATENCY_NS.
 *
 * Strict: digits, then optionally '.' and digits, nothing else; the same in every locale.
 *
 * \return as hwloc_gpucache_get_u64(); at most 18 digits are accepted, more are \c ERANGE.
 */
static __hwloc_inline int
hwloc_gpucache_get_double(hwloc_obj_t obj, const char *key, double *value)
{
  const char *text = hwloc_obj_get_info_by_name(obj, key);

  if (!text) {
    errno = ENOENT;
    return -1;
  }
  return hwloc__gpucache_parse_double(text, value);
}

/** \private The info of \p obj named after the property that \p key belongs to. */
static __hwloc_inline const char *
hwloc__gpucache_get_about(hwloc_obj_t obj, const char *key, const char *suffix)
{
  static const char *const units[] = { "BytesPerCycle", "Bytes", "Cycles", "GBps", "Ns", "" };
  char name[HWLOC_GPUCACHE_NAME_MAX];
  size_t length = strlen(key), unit, i;

  for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
    unit = strlen(units[i]);
    if (unit < length && !strcmp(key + length - unit, units[i])) {
      length -= unit;
      break;
    }
  }
  if (length + strlen(suffix) >= sizeof(name))
    return NULL;
  memcpy(name, key, length);
  strcpy(name + length, suffix);
  return hwloc_obj_get_info_by_name(obj, name);
}

/** \brief Where a value comes from: "measured", "api", "sysfs", or "absent:<why>".
 *
 * \p key is a key (CapacityBytes) or a property (Capacity).
 *
 * \return \c NULL if nothing is said.
 */
static __hwloc_inline const char *
hwloc_gpucache_get_source(hwloc_obj_t obj, const char *key)
{
  return hwloc__gpucache_get_about(obj, key, HWLOC_GPUCACHE_SOURCE_SUFFIX);
}

/** \brief The probability that a measured value is right, from 0 to 1.
 *
 * \p key is a key (CapacityBytes) or a property (Capacity).
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if none is stated (the value was not measured), else to
 * \c EINVAL or \c ERANGE: what is stated is no number from 0 to 1.
 */
static __hwloc_inline int
hwloc_gpucache_get_confidence(hwloc_obj_t obj, const char *key, double *confidence)
{
  const char *text = hwloc__gpucache_get_about(obj, key, HWLOC_GPUCACHE_CONFIDENCE_SUFFIX);
  double value;

  if (!text) {
    errno = ENOENT;
    return -1;
  }
  if (hwloc__gpucache_parse_double(text, &value))
    return -1;
  if (value > 1.) {
    errno = EINVAL;
    return -1;
  }
  *confidence = value;
  return 0;
}

/** @} */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HWLOC_GPUCACHE_H */
