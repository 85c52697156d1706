/*
 * SPDX-License-Identifier: BSD-3-Clause
 */

/** \file
 * \brief Names and look-up functions for the GPU memory hierarchies that the gpucache component
 * adds to a topology.
 *
 * The component adds a tree of nested OS devices under each GPU that was measured, and under each
 * AMD GPU that the kernel driver describes. DeviceMemory is at the top. Inside it are L3Cache (if
 * there is one) and L2Cache, inside those the caches and memories of an SM (NVIDIA) or CU (AMD).
 * The I/O type filters of the topology must keep OS devices.
 *
 * - The subtype of an object says what kind of element it is.
 * - The infos of an object hold what is known about the element.
 *
 * The macros below are the names of the subtypes and infos. Applications may also use the strings
 * themselves; they do not change.
 *
 * A numeric value is a plain decimal ASCII number. The decimal separator is '.' in every locale.
 * The unit is the end of the key. If a value is unknown, its key is absent, and the info
 * \<property\>Source gives the reason.
 *
 * The header works with hwloc 2.x and 3.x, in C and C++. Applications link with hwloc and with
 * nothing else. Define HWLOC_GPUCACHE_KEYS_ONLY before the include to get the names only; then
 * hwloc.h is not included.
 */

#ifndef HWLOC_GPUCACHE_KEYS_H
#define HWLOC_GPUCACHE_KEYS_H

/** \defgroup hwlocality_gpucache_subtypes Subtypes of the OS devices
 *
 * In these comments "SM" also means an AMD CU.
 * @{
 */
/** \brief Device memory; contains all other elements of a GPU */
#define HWLOC_GPUCACHE_DEVICE_MEMORY "DeviceMemory"
/** \brief AMD: memory-side cache (MALL, Infinity Cache) */
#define HWLOC_GPUCACHE_L3 "L3Cache"
/** \brief Shared by the SMs of the GPU (AMD: of an XCD) */
#define HWLOC_GPUCACHE_L2 "L2Cache"
/** \brief AMD RDNA: shared by a shader array */
#define HWLOC_GPUCACHE_GL1 "GL1Cache"
/** \brief Global loads; AMD: vector L1 */
#define HWLOC_GPUCACHE_L1 "L1Cache"
/** \brief NVIDIA: loads through a texture object */
#define HWLOC_GPUCACHE_TEXTURE "TextureCache"
/** \brief NVIDIA: non-coherent loads (ld.global.nc) */
#define HWLOC_GPUCACHE_READ_ONLY "ReadOnlyCache"
/** \brief NVIDIA: constant loads, first level */
#define HWLOC_GPUCACHE_CONSTANT_L1 "ConstantL1Cache"
/** \brief NVIDIA: constant loads, second level ("L1.5") */
#define HWLOC_GPUCACHE_CONSTANT_L15 "ConstantL15Cache"
/** \brief NVIDIA: shared memory of an SM. (CUDASharedMemorySizePerMP, which hwloc adds to cuda0, is what
 * a block gets by default.) */
#define HWLOC_GPUCACHE_SHARED_MEMORY "SharedMemory"
/** \brief NVIDIA, compute capability 10 and 11: operands and results of tensor cores */
#define HWLOC_GPUCACHE_TENSOR_MEMORY "TensorMemory"
/** \brief AMD: scalar loads */
#define HWLOC_GPUCACHE_SCALAR_L1 "ScalarL1Cache"
/** \brief AMD: local data share of a CU */
#define HWLOC_GPUCACHE_LDS "LDS"
/** \brief Instruction cache. NVIDIA: the cache nearest to the SM whose capacity shows when code
 * jumps through blocks; measured. AMD: from the kernel driver's tables, not measured */
#define HWLOC_GPUCACHE_INSTRUCTION "InstructionCache"
/** \brief First-level TLB, nearest to the SM */
#define HWLOC_GPUCACHE_L1_TLB "L1TLB"
/** \brief Second-level TLB */
#define HWLOC_GPUCACHE_L2_TLB "L2TLB"
/** @} */

/** \defgroup hwlocality_gpucache_keys Infos of an element
 *
 * A property is what one measurement determines. Its name is the key without the unit: the property
 * of CapacityBytes is Capacity; the property of LatencyCycles and LatencyNs is Latency. Each
 * property has two further infos:
 *
 * - \<property\>Source says where the value comes from: see ::HWLOC_GPUCACHE_SOURCE_SUFFIX.
 * - \<property\>Confidence is the probability that a measured value is right: see
 *   ::HWLOC_GPUCACHE_CONFIDENCE_SUFFIX.
 *
 * The comment of a key gives these facts. Where it does not, the following is true:
 *
 * - Elements: all elements that have such a property.
 * - Source: "measured".
 * - Absent: the element was not measured; repetitions disagree; two methods contradict each other;
 *   or the step of the measurement failed. \<property\>Source gives the reason.
 * - Method: the section of doc/methods.md that explains how the value is measured, and the papers
 *   behind it.
 *
 * The papers:
 *
 * - Groessler 2022: D. Größler, thesis on a tool that captures the memory topology of NVIDIA GPUs,
 *   Technical University of Munich.
 * - MT4G 2025: S. Vanecek et al., "MT4G: A Tool for Reliable Auto-Discovery of NVIDIA and AMD GPU
 *   Compute and Memory Topologies".
 * - Mei 2014: X. Mei et al., "Benchmarking the Memory Hierarchy of Modern GPUs".
 * @{
 */
/** \brief Usable capacity of one instance, in bytes; integer > 0.
 *
 * - Caches inside an SM: the largest array that the SM can load again and again without a miss.
 * - L2Cache: the same for one SM. It can be less than half of NominalBytes: see Partitions.
 * - L3Cache: the same for all SMs together.
 * - DeviceMemory, SharedMemory, LDS: what the vendor's interface states (source "api"), for the GPU
 *   or for an SM. A block gets less shared memory than that: see GPUCacheSharedBytesPerBlock.
 * - TensorMemory: by compute capability (source "table"; PTX ISA, "Tensor Memory").
 * - AMD GPU that was not measured: the value of NominalBytes (source "sysfs").
 *
 * On GPUs that have L1 and shared memory in one storage, the capacity of L1Cache, TextureCache and
 * ReadOnlyCache depends on the kernel launch. CapacityBytes belongs to this launch:
 *
 * - Carve-out: the kernel uses no shared memory and prefers the carve-out of CarveoutPercent (0).
 * - Resident blocks: a block is one warp, so that CarveoutBlocks blocks can reside on an SM (32 on
 *   an H200). The measurement runs only one block on an SM, but the driver provides for all blocks
 *   that can reside there. For each of them it reserves GPUCacheSharedReservedBytesPerBlock bytes
 *   of shared memory (1 KiB on recent NVIDIA GPUs), and L1 is smaller by as much.
 *
 * Example, H200: 256 KiB of storage, less 32 KiB for 32 blocks, less 7 KiB that are never usable,
 * is 217 KiB. If fewer blocks of a kernel can reside on an SM, its L1 can be larger: 233 KiB and
 * 241 KiB were seen on an H200. If a kernel uses or prefers shared memory, its L1 can be smaller:
 * see CarveoutTable.
 *
 * L2 and L3 are indexed by physical addresses, so how much of an allocation they hold depends on
 * its pages. CapacityBytes of L2 is what nine of ten allocations can use. If the three to seven
 * allocations that were tried agree within 0.8 %, it is what the first of them holds; otherwise it
 * is a bound that holds with a probability of 95 %. CapacityBytes of L3 is what all of two to
 * twelve allocations can use. See TotalBytes.
 *
 * Absent: also if no miss was seen (see CapacityAtLeastBytes) or if CensusBytes contradicts.
 * Method: "Capacity", "Carve-outs"; p-chase: Mei 2014; K-S test: Groessler 2022, MT4G 2025 (IV-B).
 */
#define HWLOC_GPUCACHE_CAPACITY_BYTES "CapacityBytes"
/** \brief Capacity of one instance as the vendor states it, in bytes; integer > 0.
 *
 * Source: "api" (CUDA or HIP) or "sysfs". Absent: the vendor does not state it; for most caches of
 * an SM, CUDA does not. */
#define HWLOC_GPUCACHE_NOMINAL_BYTES "NominalBytes"
/** \brief Lower bound of the capacity, in bytes: the largest array that was tried, which still
 * fits; integer > 0.
 *
 * Present only if CapacityBytes is absent because no miss was seen. It has no source and no
 * confidence of its own. Method: "Capacity". */
#define HWLOC_GPUCACHE_CAPACITY_AT_LEAST_BYTES "CapacityAtLeastBytes"
/** \brief Lanes of Tensor Memory, each with Columns words of 32 bits; integer > 0. CapacityBytes
 * is the product. Element: TensorMemory. */
#define HWLOC_GPUCACHE_LANES "Lanes"
/** \brief Columns of Tensor Memory; integer > 0. As Lanes. */
#define HWLOC_GPUCACHE_COLUMNS "Columns"
/** \brief Capacity by a second, independent method, the census, in bytes; integer > 0.
 *
 * The census reads more than the cache holds and counts what the cache keeps. It confirms
 * the capacity of the allocation in which both were measured. For L2 and L3, CapacityBytes can be
 * lower than that (see there); the limits below hold for the capacity before it was lowered.
 * CapacityBytes is published only if CensusBytes is
 *
 * - at most 1 % plus 1152 bytes below it (1 % plus 4 %, if 4 % is less than 1152 bytes), and
 * - at most 0.5 % above it.
 *
 * Both limits are wider by 3 times CensusErrorBytes (a little more if the census had few rounds),
 * and for L2 and L3 by 1/16 of the capacity. CensusConfidence is the probability that the sampling
 * error of CensusBytes is within these limits.
 *
 * Elements: caches. Absent: also if there is no census for such a cache; CapacityBytes can be
 * present without it. Method: "Census". */
#define HWLOC_GPUCACHE_CENSUS_BYTES "CensusBytes"
/** \brief Standard error of CensusBytes, in bytes; integer >= 0.
 *
 * The census probes a sample of the cache, so its result has a sampling error. Present with
 * CensusBytes; it has no source and no confidence of its own. Method: "Census". */
#define HWLOC_GPUCACHE_CENSUS_ERROR_BYTES "CensusErrorBytes"
/** \brief What the cache holds in all, in bytes, where an application can count on less;
 * integer > 0.
 *
 * An L2 is indexed by physical addresses. If pages lie anywhere in memory, or if lines are replaced
 * at random, some sets overflow while others have room. CapacityBytes is what an application can
 * count on nevertheless; TotalBytes is how much is in the cache when all sets are full. Like
 * CapacityBytes, it belongs to one instance; of an L2 in several partitions, to the part that one
 * SM uses. TotalConfidence is the probability that it is right within 3 %.
 *
 * Elements: L2Cache. Absent: also if it is not at least 3 % more than CapacityBytes. CapacityBytes
 * can be absent while TotalBytes is present. Method: "L2 capacity". */
#define HWLOC_GPUCACHE_TOTAL_BYTES "TotalBytes"
/** \brief Carve-out that CapacityBytes belongs to: the shared memory that the kernel prefers, in
 * percent of the largest; integer from 0 to 100. This version always measures with 0.
 *
 * It is a setting of the measurement, so it has no source and no confidence. Elements:
 * L1Cache, TextureCache, ReadOnlyCache. Absent: the driver has no such setting (AMD; NVIDIA Maxwell
 * and Pascal). Method: "Carve-outs"; CUDA driver API,
 * CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT (before Volta: cuFuncSetCacheConfig). */
#define HWLOC_GPUCACHE_CARVEOUT_PERCENT "CarveoutPercent"
/** \brief Number of blocks that can reside on an SM in the launch that CapacityBytes belongs to;
 * integer > 0.
 *
 * A block of that launch is one warp. So the value is GPUCacheBlocksPerSM, or GPUCacheThreadsPerSM
 * / GPUCacheWarpThreads if that is less. The driver reserves shared memory for all of them: see
 * CapacityBytes. Present with CarveoutPercent; it has no source and no confidence. */
#define HWLOC_GPUCACHE_CARVEOUT_BLOCKS "CarveoutBlocks"
/** \brief L1 capacity for each carve-out: comma-separated entries PERCENT:BYTES.
 *
 * A kernel with a preferred carve-out of PERCENT or more, but less than that of the next entry, has
 * an L1 of BYTES bytes. PERCENT is an integer from 0 to 100; entries are in ascending order. The
 * last entry is default:BYTES, for a kernel without a preference. Example (H200):
 * "0:222208,15:189440,29:152576,44:119808,58:87040,72:54272,86:21504,default:222208".
 *
 * The table is valid for blocks of one warp, of which CarveoutBlocks can reside. If fewer blocks of
 * a kernel can reside on an SM, smaller carve-outs, and so larger L1s, are possible: see
 * CarveoutTable32Warps. Elements: L1Cache. Absent: also if CarveoutPercent is absent. Method:
 * "Carve-outs". */
#define HWLOC_GPUCACHE_CARVEOUT_TABLE "CarveoutTable"
/** \brief The same for blocks of 4 warps. A larger block never has a smaller L1 at the same
 * percentage, so the table is a lower bound for blocks of 5 to 31 warps. */
#define HWLOC_GPUCACHE_CARVEOUT_TABLE_4_WARPS "CarveoutTable4Warps"
/** \brief The same for blocks of 32 warps. Absent: also if no block can have so many. Example
 * (H200):
 * "0:246784,4:238592,8:222208,15:189440,29:152576,44:119808,58:87040,72:54272,86:21504,default:246784".
 */
#define HWLOC_GPUCACHE_CARVEOUT_TABLE_32_WARPS "CarveoutTable32Warps"
/** \brief Cache line, in bytes: what one tag stands for, the unit of allocation; integer > 0.
 *
 * Elements: caches. Source: "measured" or "sysfs". Method: "Cache line", which differs from that of
 * MT4G 2025 (IV-E). */
#define HWLOC_GPUCACHE_LINE_BYTES "LineBytes"
/** \brief Fetch granularity (sector), in bytes: what one miss brings into the cache; integer > 0,
 * at most LineBytes.
 *
 * Elements: caches. Method: "Fetch granularity", which differs from that of MT4G 2025 (IV-D). */
#define HWLOC_GPUCACHE_FETCH_BYTES "FetchBytes"
/** \brief Latency of a dependent load that hits this element, in SM clock cycles; number > 0, can
 * have a fraction.
 *
 * The time that the clock reads take is not included.
 *
 * - Inside an SM: the slope between two lengths of a chain of loads.
 * - L2Cache, L3Cache: the median of loads that are timed one by one, over SMs and lines (L2: near
 *   and far lines, see Partitions).
 * - DeviceMemory: the mean of the lower and the upper quartile, over all SMs. If half of the memory
 *   is near to an SM and half is far from it, this is the middle between both.
 *
 * Method: "Latency", "Timing overhead"; Mei 2014, Groessler 2022. */
#define HWLOC_GPUCACHE_LATENCY_CYCLES "LatencyCycles"
/** \brief LatencyCycles converted to nanoseconds with GPUCacheMeasuredSMClockMHz; number > 0, can
 * have a fraction. Absent: also if that clock is unknown. */
#define HWLOC_GPUCACHE_LATENCY_NS "LatencyNs"
/** \brief Latency of a lone load, in nanoseconds, where LatencyNs and LatencyCycles are those of a
 * load beside a little other traffic, because that is clearly less; number > 0, can have a fraction.
 *
 * A clock of the memory, or of the way to it, rises with traffic. The traffic uses between a fifth and
 * half of the bandwidth, of an L3 as much as a fifth of the memory's or more. Both latencies are
 * right within 5 %. MissPenaltyCycles and LatencyP95Cycles are those of lone loads. Elements: L2Cache if
 * Partitions is 1, L3Cache, DeviceMemory; Source and confidence: of Latency. Absent: if loads beside others
 * do not take at least a tenth less time, or were not timed. Method: "Clocks that rise with
 * traffic". */
#define HWLOC_GPUCACHE_IDLE_LATENCY_NS "IdleLatencyNs"
/** \brief Miss penalty, in SM clock cycles: the additional time of a load that misses this cache
 * and hits the next level; number >= 0, can have a fraction.
 *
 * Elements: caches. Method: "Miss penalty"; Groessler 2022. */
#define HWLOC_GPUCACHE_MISS_PENALTY_CYCLES "MissPenaltyCycles"
/** \brief Read bandwidth of all SMs together, in 10^9 bytes per second; number > 0, can have a
 * fraction.
 *
 * For an AMD GPU in partitions, it is the bandwidth of one partition while the others are idle.
 * Elements: DeviceMemory, L3Cache, L2Cache. Absent: also if the value is higher than the SMs or the
 * memory bus allow. Method: "Bandwidth"; MT4G 2025 (IV-I). */
#define HWLOC_GPUCACHE_READ_GBPS "ReadGBps"
/** \brief Write bandwidth of all SMs together, in 10^9 bytes per second; as ReadGBps. */
#define HWLOC_GPUCACHE_WRITE_GBPS "WriteGBps"
/** \brief What all SMs together read from memory of the host, in 10^9 bytes per second: a list
 * "node:value,node:value", where node is the OS index of a NUMA node, nearest to the GPU first, and
 * value a number > 0, can have a fraction. For example "0:50.8,1:38".
 *
 * It is what kernels get that read pinned memory of that node: the median of reads of 8 MiB. Nodes
 * on which the measuring process could not allocate memory are missing. Other programs that used the
 * host at that time make it less. The value is that of the machine on which the record was measured.
 * hwloc_gpucache_get_node_value() reads the list. With hwloc 2.8 or later, the topology also has it as
 * the memory attribute ReadBandwidth (MiB/s), with the objects of the GPU as initiators.
 * Element: DeviceMemory. Method: "Host memory". */
#define HWLOC_GPUCACHE_HOST_READ_GBPS "HostReadGBps"
/** \brief What all SMs together store to memory of the host; as HostReadGBps. Memory attribute:
 * WriteBandwidth. */
#define HWLOC_GPUCACHE_HOST_WRITE_GBPS "HostWriteGBps"
/** \brief What a copy engine copies from memory of the host to the GPU; as HostReadGBps, but no
 * memory attribute. */
#define HWLOC_GPUCACHE_HOST_COPY_TO_GBPS "HostCopyToGBps"
/** \brief What a copy engine copies from the GPU to memory of the host; as HostCopyToGBps. */
#define HWLOC_GPUCACHE_HOST_COPY_FROM_GBPS "HostCopyFromGBps"
/** \brief What two copy engines copy at the same time, one in each direction: the sum of both; as
 * HostCopyToGBps. */
#define HWLOC_GPUCACHE_HOST_COPY_BOTH_GBPS "HostCopyBothGBps"
/** \brief Latency of a dependent load of host memory by an SM, in ns; a list as HostReadGBps. The
 * mean of the quartiles, while eight SMs load at the same time. Memory attribute: ReadLatency. */
#define HWLOC_GPUCACHE_HOST_LATENCY_NS "HostLatencyNs"
/** \brief Latency of a dependent atomic operation of an SM on host memory, in ns, which the CPU
 * sees as atomic, too; as HostLatencyNs, but no memory attribute. Absent where the driver does not
 * state that such operations are native, as on NVIDIA GPUs behind PCIe. */
#define HWLOC_GPUCACHE_HOST_ATOMIC_LATENCY_NS "HostAtomicLatencyNs"
/** \brief Read bandwidth of another GPU's memory by all SMs, in GB/s; a list "UUID:value,…".
 *
 * The UUIDs are those of HWLOC_GPUCACHE_UUID. A GPU whose memory kernels cannot use is missing; if
 * all are, so is the list. Elements: DeviceMemory of a machine with several GPUs, after
 * hwloc-gpucache measure --peers. Distances: GPUCacheReadBandwidth. Method: "Other GPUs". */
#define HWLOC_GPUCACHE_PEER_READ_GBPS "PeerReadGBps"
/** \brief The same for stores. Distances: GPUCacheWriteBandwidth. */
#define HWLOC_GPUCACHE_PEER_WRITE_GBPS "PeerWriteGBps"
/** \brief Copies from the other GPU to this one by a copy engine, in GB/s; a list as
 * PeerReadGBps. */
#define HWLOC_GPUCACHE_PEER_COPY_GBPS "PeerCopyGBps"
/** \brief Latency of a dependent load from the other GPU's memory, in ns; a list as PeerReadGBps.
 * The L2 of the other GPU may have the data. Distances: GPUCacheLatency. */
#define HWLOC_GPUCACHE_PEER_LATENCY_NS "PeerLatencyNs"
/** \brief The way to another GPU: "NVLink", "PCIe", or "Host" if copies go through memory of the
 * host and kernels cannot use the memory; a list as PeerReadGBps. The source is "api". */
#define HWLOC_GPUCACHE_PEER_PATH "PeerPath"
/** \brief Read bandwidth of one SM, in bytes per SM clock cycle; number > 0, can have a fraction.
 *
 * It is the median over the SMs, which all read at the same time. For the constant caches, all
 * lanes of a warp load the same word, which counts once. Elements: those inside an SM, and
 * ConstantL15Cache. Absent: also if the value is higher than an SM allows. Method: "Bandwidth". */
#define HWLOC_GPUCACHE_READ_BYTES_PER_CYCLE "ReadBytesPerCycle"
/** \brief Write bandwidth of one SM, in bytes per SM clock cycle; as ReadBytesPerCycle. Elements:
 * SharedMemory, LDS. */
#define HWLOC_GPUCACHE_WRITE_BYTES_PER_CYCLE "WriteBytesPerCycle"
/** \brief Number of independent instances in one SM; integer >= 1.
 *
 * Source: "measured", "api" (SharedMemory, LDS), "table" (TensorMemory) or "sysfs". Absent: also if several SMs share an
 * instance. PerSMSource then gives the numbers, for example "absent:132 SMs share it". Method:
 * "Instances"; Groessler 2022 (4.6), MT4G 2025 (IV-F). */
#define HWLOC_GPUCACHE_PER_SM "PerSM"
/** \brief Number of independent instances on the whole GPU; integer >= 1.
 *
 * Source: "measured", "api" (SharedMemory, LDS), "table" (TensorMemory) or "sysfs". Method: "Instances"; for an L2, "L2
 * partitions". */
#define HWLOC_GPUCACHE_INSTANCES "Instances"
/** \brief AMD: how many CUs share an instance: comma-separated entries INSTANCESxCUS, in descending
 * order of CUS.
 *
 * Example: "8x2,4x1" means that 8 instances serve two CUs each and 4 instances serve one CU. An
 * instance serves fewer CUs if neighbouring CUs are disabled. Elements: ScalarL1Cache,
 * InstructionCache; L2Cache, if the GPU has several L2 caches. Source: "measured" or "sysfs".
 * Method: "CUs that share a cache". */
#define HWLOC_GPUCACHE_SHARED_BY_CUS "SharedByCUs"
/** \brief AMD: which CUs share an instance: numbers of CUs, with commas inside a group and a blank
 * between groups. Example: "0,1 3 4,5".
 *
 * The numbers are hardware ids, as a kernel reads them, and can have gaps. Elements: as
 * SharedByCUs. Absent: also if the text is too long for a record (8192 bytes). Method: "CUs that
 * share a cache". */
#define HWLOC_GPUCACHE_CU_GROUPS "CUGroups"
/** \brief Other elements in the same physical storage: comma-separated subtypes.
 *
 * If SharedWith is absent and SharedWithSource is "measured", the element shares its storage with
 * no other. ConstantL15Cache names InstructionCache if code is cached in it, too. InstructionCache
 * itself is the nearest cache of code; it names ConstantL15Cache if that is the nearest one.
 * DeviceMemory of an integrated GPU names ::HWLOC_GPUCACHE_HOST_MEMORY.
 * Method: "Sharing"; Groessler 2022 (4.5), MT4G 2025 (IV-G). */
#define HWLOC_GPUCACHE_SHARED_WITH "SharedWith"
/** \brief L2: number of partitions; each is near to some SMs and far from the others; integer >= 1.
 *
 * Each partition keeps a copy of the lines that its SMs read, so that one SM can use no more than
 * one partition. Elements: L2Cache, if the GPU has one L2. Method: "L2 partitions". */
#define HWLOC_GPUCACHE_PARTITIONS "Partitions"
/** \brief L2: number of SMs near to each partition, comma-separated, for example "66,66".
 *
 * The partition of the first SM comes first. Present with Partitions. Method: "L2 partitions". */
#define HWLOC_GPUCACHE_PARTITION_SMS "PartitionSMs"
/** \brief L2: median latency of loads that hit the partition near to their SM, in SM clock cycles;
 * number > 0, can have a fraction.
 *
 * Absent: also if Partitions is 1. Method: "L2 partitions". */
#define HWLOC_GPUCACHE_NEAR_LATENCY_CYCLES "NearLatencyCycles"
/** \brief NearLatencyCycles converted to nanoseconds; as LatencyNs. */
#define HWLOC_GPUCACHE_NEAR_LATENCY_NS "NearLatencyNs"
/** \brief L2: median latency of loads that hit a partition far from their SM, because the near one
 * does not have the line, in SM clock cycles; number > 0, can have a fraction.
 *
 * Absent: also if Partitions is 1. Method: "L2 partitions". */
#define HWLOC_GPUCACHE_FAR_LATENCY_CYCLES "FarLatencyCycles"
/** \brief FarLatencyCycles converted to nanoseconds; as LatencyNs. */
#define HWLOC_GPUCACHE_FAR_LATENCY_NS "FarLatencyNs"
/** @} */

/** \defgroup hwlocality_gpucache_structure Infos of the elements: structure
 *
 * How a cache, a TLB or a memory is organized. A value that cannot be determined is absent, and its
 * Source says why.
 * @{
 */
/** \brief 95th percentile of the latencies of single dependent loads, in SM clock cycles, without
 * the cost of reading the clock; number > 0, can have a fraction. Elements: as LatencyCycles. Right
 * within 2 cycles or 4 %. Where LatencyCycles has a near and a far part, it is that of far loads. */
#define HWLOC_GPUCACHE_LATENCY_P95_CYCLES "LatencyP95Cycles"
/** \brief Latency of a load while other SMs read: "0:383,1640:396,…", up to six pairs of what they
 * read together, GB/s, ascending, and the latency, ns. The first one is without other loads, the
 * last one near the full bandwidth. Elements: L2Cache, DeviceMemory. Latencies within 5 %. Absent:
 * also if the read bandwidth is. */
#define HWLOC_GPUCACHE_LATENCY_UNDER_LOAD "LatencyUnderLoad"
/** \brief L2: latency of near lines on the SM with the least one, the median of all SMs, and that on
 * the SM with the largest one, in SM clock cycles: "222.1,279.4,338.7". On an SM, it is the
 * median of its loads. Element: L2Cache. Each within 2 %. Absent: also if all SMs see the same
 * latency. */
#define HWLOC_GPUCACHE_LATENCY_BY_SM "LatencyBySM"
/** \brief Least number of SM clock cycles between two successive requests of one SM to memory, while
 * other SMs are idle; number > 0, can have a fraction. Each lane loads 4 bytes, next to those of the
 * lane before it: 128 bytes in a warp of 32 threads. Hong and Kim call it Departure_del_coal. Measured with lines that L2 has. Element: DeviceMemory. Right within 5 %.
 * Absent: also if the SM alone can use the bandwidth of L2, or L2 is small. */
#define HWLOC_GPUCACHE_DEPARTURE_DELAY_CYCLES "DepartureDelayCycles"
/** \brief The same between two cache lines, if each lane of a warp loads from another line
 * (Departure_del_uncoal). Element: DeviceMemory. Right within 5 %. */
#define HWLOC_GPUCACHE_UNCOALESCED_DEPARTURE_DELAY_CYCLES "UncoalescedDepartureDelayCycles"
/** \brief Number of equal sets; integer >= 1. Sets x Ways x LineBytes can be more than
 * CapacityBytes: a cache may have sets for more lines than its carve-out leaves data for. */
#define HWLOC_GPUCACHE_SETS "Sets"
/** \brief Lines in each set; integer >= 1. */
#define HWLOC_GPUCACHE_WAYS "Ways"
/** \brief How an address selects a set: one mask of address bits, in hexadecimal, for each bit of
 * the set's number, comma-separated. A bit of the number is the parity of the address bits in its
 * mask. Bits above the highest one of all masks were not tested. */
#define HWLOC_GPUCACHE_SET_INDEX_MASKS "SetIndexMasks"
/** \brief Which addresses SetIndexMasks applies to: "virtual" or "physical". */
#define HWLOC_GPUCACHE_SET_INDEX_ADDRESS "SetIndexAddress"
/** \brief Lines in each set where sets differ: comma-separated integers, in the order of the
 * sets. */
#define HWLOC_GPUCACHE_SET_WAYS "SetWays"
/** \brief Which line of its set a new line replaces: "lru", "fifo", "slru" (segmented LRU: lines
 * that were hit are protected, up to half of the ways; the oldest of the others is replaced),
 * "plru" (a binary tree over the ways), "random" or "other". */
#define HWLOC_GPUCACHE_REPLACEMENT "Replacement"
/** \brief Probability that a line is still there after k later fills with random lines:
 * "k:p,k:p...", k ascending. Contiguous lines spread more evenly over the sets, so they survive
 * longer. L2Cache: after k later fills with contiguous lines, all by the same SM. */
#define HWLOC_GPUCACHE_SURVIVAL_CURVE "SurvivalCurve"
/** \brief Share of the replacements that each way of a set gets, in the order in which ways are
 * filled: comma-separated numbers whose sum is 1. */
#define HWLOC_GPUCACHE_VICTIM_SHARES "VictimShares"
/** \brief Misses in each pass over an array that is one line larger than the cache; number > 0.
 * With LRU, one more than Ways. */
#define HWLOC_GPUCACHE_MISSES_PER_EXCESS_LINE "MissesPerExcessLine"
/** \brief What a store does: "through" (the next level has the data at once) or "back" (when the
 * line is replaced). */
#define HWLOC_GPUCACHE_WRITE_POLICY "WritePolicy"
/** \brief What a store to an absent line brings into the cache: "none", "sector" or "line". */
#define HWLOC_GPUCACHE_WRITE_ALLOCATE "WriteAllocate"
/** \brief Lines from outside the SM that the loads of one SM can wait for at the same time, where
 * each load is of one line; integer >= 1. Elements: L1Cache. Absent: also if the SM requests lines
 * too slowly to reach a limit (see OutstandingPerSMAtLeast). */
#define HWLOC_GPUCACHE_OUTSTANDING_PER_SM "OutstandingPerSM"
/** \brief Instead of OutstandingPerSM: so many lines were under way at the same time, rounded down
 * to a power of four; integer >= 1. */
#define HWLOC_GPUCACHE_OUTSTANDING_PER_SM_AT_LEAST "OutstandingPerSMAtLeast"
/** \brief The same for one warp; at most OutstandingPerSM. */
#define HWLOC_GPUCACHE_OUTSTANDING_PER_WARP "OutstandingPerWarp"
/** \brief The same for one warp. At most 32 loads are tried. */
#define HWLOC_GPUCACHE_OUTSTANDING_PER_WARP_AT_LEAST "OutstandingPerWarpAtLeast"
/** \brief L2: the driver's limit of the fetch granularity at which FetchBytes was measured, bytes;
 * integer > 0. Source: api. */
#define HWLOC_GPUCACHE_FETCH_LIMIT_BYTES "FetchLimitBytes"
/** \brief L2: the most bytes that can be set aside for persisting accesses; integer >= 0. Source:
 * api. */
#define HWLOC_GPUCACHE_PERSISTING_MAX_BYTES "PersistingMaxBytes"
/** \brief L2: whether memory can be compressed: "yes" or "no". Source: api. */
#define HWLOC_GPUCACHE_COMPRESSION_SUPPORTED "CompressionSupported"
/** \brief L2: number of slices, in all partitions together; integer >= 2.
 *
 * Each slice holds a part of all lines, and serves one request at a time. */
#define HWLOC_GPUCACHE_SLICES "Slices"
/** \brief L2 with two partitions: the bits of an address whose parity is the partition where a line
 * is at home; hexadecimal number, such as 0xab000.
 *
 * It holds inside each aligned 2 MiB of device memory. Higher address bits determine, in an unknown
 * way, which of the two partitions has the even parity there. */
#define HWLOC_GPUCACHE_SIDE_MASK "SideMask"
/** \brief L2: adjacent bytes that are always at home in the same partition; integer >= 1. */
#define HWLOC_GPUCACHE_SIDE_GRANULE_BYTES "SideGranuleBytes"
/** \brief L2: bytes that one slice delivers to loads of SMs near to it, per cycle of the SM clock;
 * number > 0. It is the median of a few slices. */
#define HWLOC_GPUCACHE_SLICE_READ_BYTES_PER_CYCLE "SliceReadBytesPerCycle"
/** \brief Latency of an atomic addition that returns the old value, in SM clock cycles; number > 0.
 * L2 with partitions: the mean over all of them. */
#define HWLOC_GPUCACHE_ATOMIC_LATENCY_CYCLES "AtomicLatencyCycles"
/** \brief L2: the same in the partition that is near to the SM; number > 0. */
#define HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY_CYCLES "NearAtomicLatencyCycles"
/** \brief L2: the same in a partition that is far from the SM; number > 0. */
#define HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY_CYCLES "FarAtomicLatencyCycles"
/** \brief Atomic additions to one address for each SM clock cycle; number > 0. Shared memory: by
 * one SM; L2: by all SMs together. */
#define HWLOC_GPUCACHE_ATOMICS_PER_CYCLE "AtomicsPerCycle"
/** \brief Shared memory: number of banks; integer >= 1. */
#define HWLOC_GPUCACHE_BANKS "Banks"
/** \brief Shared memory: bytes that one bank delivers at once; integer >= 1. */
#define HWLOC_GPUCACHE_BANK_BYTES "BankBytes"
/** \brief Shared memory: SM clock cycles that each further access to the same bank adds to a load
 * of a warp; number > 0. */
#define HWLOC_GPUCACHE_CONFLICT_CYCLES "ConflictCycles"
/** \brief Latency of a load from the shared memory of another SM in the cluster, in SM clock
 * cycles: the median of all pairs of SMs; number > 0, can have a fraction. */
#define HWLOC_GPUCACHE_REMOTE_LATENCY_CYCLES "RemoteLatencyCycles"
/** \brief Shared memory: latency of a bulk copy (TMA) of 16 bytes from L2, from its start until a
 * warp has seen its mbarrier complete, in SM clock cycles; number > 0, can have a fraction. Absent:
 * before compute capability 9.0. Method: "Bulk copies". */
#define HWLOC_GPUCACHE_BULK_COPY_LATENCY_CYCLES "BulkCopyLatencyCycles"
/** \brief Shared memory: bytes that bulk copies (TMA) bring from L2 in an SM clock cycle, while
 * only one SM copies and several large copies are under way; number > 0. Absent: before compute
 * capability 9.0, or if even larger copies would be faster. Method: "Bulk copies". */
#define HWLOC_GPUCACHE_BULK_COPY_BYTES_PER_CYCLE "BulkCopyBytesPerCycle"
/** \brief TLB: number of entries; integer >= 1. */
#define HWLOC_GPUCACHE_ENTRIES "Entries"
/** \brief TLB: bytes that an entry translates; integer >= 1. */
#define HWLOC_GPUCACHE_ENTRY_BYTES "EntryBytes"
/** \brief TLB: Entries x EntryBytes: memory that is translated without a miss, in bytes;
 * integer >= 1. */
#define HWLOC_GPUCACHE_REACH_BYTES "ReachBytes"
/** \brief TLB and InstructionCache: which SMs share one: numbers of SMs, with commas inside a group
 * and a blank between groups. */
#define HWLOC_GPUCACHE_SM_GROUPS "SMGroups"
/** @} */

/** \defgroup hwlocality_gpucache_about Infos about the values
 *
 * Where values come from and how sure they are.
 * @{
 */
/** \brief Suffix of the info that says where a property's value comes from: "measured", "api",
 * "sysfs", "table", or "absent:<reason>" if there is no value.
 *
 * The reason is an English sentence for people; its wording can change. */
#define HWLOC_GPUCACHE_SOURCE_SUFFIX "Source"
/** \brief Suffix of the info with the confidence of a measured property: the probability that the
 * value is right; number from 0 to 1.
 *
 * The program writes four decimals, 0.5 at least and 0.9999 at most. Confidences are calibrated on
 * simulated GPUs, for which the truth is known: of the values with confidence p, at least a share
 * of p is right there, apart from chance. A property that was tested n times has at most 1 - 3/n.
 * How near to the truth a right value must be depends on the property. See doc/methods.md,
 * "Confidence". */
#define HWLOC_GPUCACHE_CONFIDENCE_SUFFIX "Confidence"

/** \brief Suffix of the info with a value that contradicts the record: "sysfs:" and the value in
 * the kernel driver's tables. AMD only.
 *
 * Example: 12288 bytes were measured and the tables state 16384. Then CapacityBytes is 12288 and
 * CapacityDiffers is "sysfs:16384". Present for Capacity if the two differ by more than 1 %, and
 * for Nominal, Line, PerSM, Instances and SharedByCUs if they differ at all. See doc/methods.md,
 * "Driver tables". */
#define HWLOC_GPUCACHE_DIFFERS_SUFFIX "Differs"

/** \brief Measured on this GPU */
#define HWLOC_GPUCACHE_SOURCE_MEASURED "measured"
/** \brief Stated by the vendor's interface (CUDA or HIP) */
#define HWLOC_GPUCACHE_SOURCE_API "api"
/** \brief Stated by the kernel driver's tables in sysfs */
#define HWLOC_GPUCACHE_SOURCE_SYSFS "sysfs"
/** \brief From a table in this program: known of the architecture. Facts of the whole GPU, and
 * TensorMemory */
#define HWLOC_GPUCACHE_SOURCE_TABLE "table"
/** \brief No value; the reason follows the colon */
#define HWLOC_GPUCACHE_SOURCE_ABSENT "absent:"
/** @} */

/** \defgroup hwlocality_gpucache_properties Properties, to which Source and Confidence belong
 *
 * Example: HWLOC_GPUCACHE_CAPACITY HWLOC_GPUCACHE_SOURCE_SUFFIX is "CapacitySource".
 * @{
 */
#define HWLOC_GPUCACHE_CAPACITY "Capacity"
#define HWLOC_GPUCACHE_NOMINAL "Nominal"
#define HWLOC_GPUCACHE_CENSUS "Census"
#define HWLOC_GPUCACHE_TOTAL "Total"
#define HWLOC_GPUCACHE_LINE "Line"
#define HWLOC_GPUCACHE_FETCH "Fetch"
#define HWLOC_GPUCACHE_LATENCY "Latency"
#define HWLOC_GPUCACHE_MISS_PENALTY "MissPenalty"
#define HWLOC_GPUCACHE_READ "Read"
#define HWLOC_GPUCACHE_WRITE "Write"
#define HWLOC_GPUCACHE_NEAR_LATENCY "NearLatency"
#define HWLOC_GPUCACHE_FAR_LATENCY "FarLatency"
#define HWLOC_GPUCACHE_LATENCY_P95 "LatencyP95"
#define HWLOC_GPUCACHE_FETCH_LIMIT "FetchLimit"
#define HWLOC_GPUCACHE_PERSISTING_MAX "PersistingMax"
#define HWLOC_GPUCACHE_SIDE_GRANULE "SideGranule"
#define HWLOC_GPUCACHE_SLICE_READ "SliceRead"
#define HWLOC_GPUCACHE_ATOMIC_LATENCY "AtomicLatency"
#define HWLOC_GPUCACHE_NEAR_ATOMIC_LATENCY "NearAtomicLatency"
#define HWLOC_GPUCACHE_FAR_ATOMIC_LATENCY "FarAtomicLatency"
#define HWLOC_GPUCACHE_ATOMICS "Atomics"
#define HWLOC_GPUCACHE_BANK "Bank"
#define HWLOC_GPUCACHE_CONFLICT "Conflict"
#define HWLOC_GPUCACHE_REMOTE_LATENCY "RemoteLatency"
#define HWLOC_GPUCACHE_BULK_COPY_LATENCY "BulkCopyLatency"
#define HWLOC_GPUCACHE_BULK_COPY "BulkCopy"
#define HWLOC_GPUCACHE_ENTRY "Entry"
#define HWLOC_GPUCACHE_REACH "Reach"
/* Keys without a unit are their own properties: PerSM, Instances, SharedByCUs, CUGroups,
 * SharedWith, CarveoutTable, Partitions, PartitionSMs, LatencyUnderLoad and LatencyBySM. */
/** @} */

/** \defgroup hwlocality_gpucache_both Memory that is both of the GPU and of the host
 * @{
 */
/** \brief The NUMA node that is this memory; integer >= 0: the OS index of the node
 * (obj->os_index).
 *
 * A coherent GPU (Grace Hopper, Grace Blackwell) shows its memory to the operating system as a NUMA
 * node. hwloc 2.11 or later gives that node the subtype GPUMemory; earlier versions hide it, unless
 * HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES is 1. The node has the GPUCacheUUID of the GPU. Memory
 * attributes from the GPU to the node have the values of DeviceMemory, and the lists of host memory
 * do not have it. The key is missing if the memory is no NUMA node, or the topology does not tell
 * which one, and for MIG instances, which have a part of the node. Only in topologies, not in
 * record files. Element: DeviceMemory. */
#define HWLOC_GPUCACHE_NUMA_NODE "NUMANode"
/** \brief SharedWith of DeviceMemory, if the GPU is integrated: it has no memory of its own, and
 * uses that of the host.
 *
 * SharedWithSource is "api", and SharedWith is missing on DeviceMemory of other GPUs. Lists of host
 * memory then have only NUMA nodes that are farther from the GPU than its nearest one, which is the
 * memory that DeviceMemory describes. */
#define HWLOC_GPUCACHE_HOST_MEMORY "HostMemory"
/** @} */

/** \defgroup hwlocality_gpucache_flat Infos of the GPU
 *
 * These infos describe the whole GPU. DeviceMemory and the PCI device of the GPU have them.
 *
 * The PCI device also has the values of all elements. The name of such an info is the prefix, the
 * subtype without a final "Cache", and the key: "GPUCacheL1CapacityBytes",
 * "GPUCacheSharedMemoryLatencyCycles". The PCI device has no Source and no Confidence: only the
 * elements have them.
 *
 * The other OS devices directly below the PCI device (cuda0, nvml0, rsmi0 ...) have GPUCacheUUID
 * and GPUCacheStatus only. The functions below find all infos from any of these objects: see
 * hwloc_gpucache_get_info().
 *
 * If nothing is known about the elements of a GPU, only GPUCacheStatus is present.
 * @{
 */
#define HWLOC_GPUCACHE_PREFIX "GPUCache"           /**< \brief Prefix of all these names */
/** \brief "measured", or why there is no measurement, or why an old record was not refreshed.
 *
 * For a provisional record: "measured, but provisional: " and the reason; see GPUCacheProvisional.
 *
 * For an AMD GPU of which only the kernel driver's tables are known: "facts of the kernel driver
 * (sysfs), nothing measured: " and the reason. The wording of reasons can change. If such a GPU has
 * no PCI device in the topology, or nothing is known about its elements, the status can be on the
 * parent object, with the id of the GPU in front. */
#define HWLOC_GPUCACHE_STATUS "GPUCacheStatus"
/** \brief Id of the GPU, which is also the name of its record.
 *
 * - NVIDIA: the UUID, "GPU-...". A MIG instance: "MIG-" and its UUID, or, if that is not known,
 *   "MIG-GPU-...-giN-ciM" with the UUID of the GPU and the numbers of the instance.
 *   If the driver lists no GPU: "pci-", a hash of /etc/machine-id, "-" and the bus id; the
 *   integrated GPU of a Jetson: "tegra-", the serial number of the board, "-" and its address.
 * - AMD: "GPU-" and the unique id in hexadecimal; if the GPU is in partitions, "-" and the number
 *   of the partition follow. A GPU without a unique id has "pci-" and its bus id.
 * - Simulated: "sim-NAME". */
#define HWLOC_GPUCACHE_UUID "GPUCacheUUID"
/** \brief Time of the measurement, ISO 8601, UTC */
#define HWLOC_GPUCACHE_MEASURED "GPUCacheMeasured"
/** \brief Version of the program that measured */
#define HWLOC_GPUCACHE_VERSION "GPUCacheVersion"
/** \brief Product name */
#define HWLOC_GPUCACHE_MODEL "GPUCacheModel"
/** \brief Version of the kernel driver */
#define HWLOC_GPUCACHE_DRIVER "GPUCacheDriver"
/** \brief VBIOS version */
#define HWLOC_GPUCACHE_VBIOS "GPUCacheVBIOS"
/** \brief NVIDIA: "disabled", or the MIG instances; for an instance: "instance", or the instances
 * that share its L2 and memory. AMD: compute and memory partition mode, for example "CPX/NPS4";
 * absent if the GPU has no such modes. */
#define HWLOC_GPUCACHE_MIG "GPUCacheMIG"
/** \brief Revision of the record's format */
#define HWLOC_GPUCACHE_FORMAT "GPUCacheFormat"
/** \brief Revision of the measurement methods */
#define HWLOC_GPUCACHE_METHOD "GPUCacheMethod"

/* The following facts come from the vendor's interface (CUDA or HIP), or for AMD from the kernel
 * driver's tables. A fact that neither states is absent. They have no Source and no Confidence. */
/** \brief Number of SMs; integer > 0. */
#define HWLOC_GPUCACHE_SMS "GPUCacheSMs"
/** \brief Highest SM clock, in kHz; integer > 0. */
#define HWLOC_GPUCACHE_SM_CLOCK_KHZ "GPUCacheSMClockKHz"
/** \brief Highest clock of the device memory, in kHz; integer > 0.
 *
 * NVIDIA: each cycle has two transfers. AMD: the value is the kernel driver's, and the number of
 * transfers in a cycle depends on the memory: two for HBM2, four for HBM3, sixteen for GDDR6. */
#define HWLOC_GPUCACHE_MEMORY_CLOCK_KHZ "GPUCacheMemoryClockKHz"
/** \brief Width of the memory bus, in bits; integer > 0. */
#define HWLOC_GPUCACHE_MEMORY_BUS_BITS "GPUCacheMemoryBusBits"
/** \brief AMD: target of the machine code, for example "gfx942". */
#define HWLOC_GPUCACHE_GFX "GPUCacheGFX"
/** \brief AMD: number of XCDs (dies with CUs) of this GPU or partition; integer > 0. */
#define HWLOC_GPUCACHE_XCDS "GPUCacheXCDs"
/** \brief AMD: SIMD units of a CU; integer > 0. */
#define HWLOC_GPUCACHE_SIMDS_PER_SM "GPUCacheSIMDsPerSM"
/** \brief Threads of a warp (AMD: wave); integer > 0. */
#define HWLOC_GPUCACHE_WARP_THREADS "GPUCacheWarpThreads"
/** \brief Most threads that can reside on an SM; integer > 0. */
#define HWLOC_GPUCACHE_THREADS_PER_SM "GPUCacheThreadsPerSM"
/** \brief Most threads of a block; integer > 0. */
#define HWLOC_GPUCACHE_THREADS_PER_BLOCK "GPUCacheThreadsPerBlock"
/** \brief Most blocks that can reside on an SM; integer > 0. */
#define HWLOC_GPUCACHE_BLOCKS_PER_SM "GPUCacheBlocksPerSM"
/** \brief 32-bit registers of an SM; integer > 0. */
#define HWLOC_GPUCACHE_REGISTERS_PER_SM "GPUCacheRegistersPerSM"
/** \brief Most 32-bit registers of a block; integer > 0. */
#define HWLOC_GPUCACHE_REGISTERS_PER_BLOCK "GPUCacheRegistersPerBlock"
/** \brief Most shared memory of a block, with opt-in, in bytes; integer > 0. */
#define HWLOC_GPUCACHE_SHARED_BYTES_PER_BLOCK "GPUCacheSharedBytesPerBlock"
/** \brief Shared memory that the driver reserves for each block, in bytes; integer > 0. It is taken
 * from L1 where both are in one storage: see CapacityBytes. */
#define HWLOC_GPUCACHE_SHARED_RESERVED_BYTES_PER_BLOCK "GPUCacheSharedReservedBytesPerBlock"
/** \brief NVIDIA: compute capability, "major.minor". */
#define HWLOC_GPUCACHE_COMPUTE_CAPABILITY "GPUCacheComputeCapability"
/** \brief Where the GPU was when its host was measured: its bus id, the online NUMA nodes, and the
 * fastest link of the GPU and of the port above it, for example
 * "0000:3b:00.0, NUMA nodes 0-1, link 32.0 GT/s PCIe x16, 32.0 GT/s PCIe x16". If the GPU is elsewhere
 * now, a topology has no values of host memory until they are measured again. */
#define HWLOC_GPUCACHE_HOST_PLACE "GPUCacheHostPlace"
/** \brief Number of bytes to read once, in order, with all SMs, so that the caches in front of device
 * memory keep fewer than 5 % of their earlier lines (none if they replace the oldest line);
 * integer > 0, mostly at most a fifth more than needed. For benchmarks with cold caches. GPUCacheFlushSource:
 * "measured". */
#define HWLOC_GPUCACHE_FLUSH_BYTES "GPUCacheFlushBytes"
/** \brief Which warps of an SM make their loads first if more loads that hit in L1 wait than the SM takes:
 * "oldest" (those of the block with the lowest number, which came first), "round-robin" (all get the
 * same), "ready" (those that became ready last) or "other". GPUCacheWarpOrderSource: "measured" or "absent:<reason>".
 * Method: "Order of warps". */
#define HWLOC_GPUCACHE_WARP_ORDER "GPUCacheWarpOrder"
/** \brief Error correction of the device memory: "on" or "off". */
#define HWLOC_GPUCACHE_ECC "GPUCacheECC"
/** \brief Whether L1 can cache loads from global memory: "yes" or "no". */
#define HWLOC_GPUCACHE_GLOBAL_LOADS_IN_L1 "GPUCacheGlobalLoadsInL1"

/* The following facts have a Source, because they come from different places: "api" is the vendor's
 * interface, "table" a table in this program. */
/** \brief NVIDIA: constant memory that a kernel can have, in bytes; integer > 0.
 *
 * GPUCacheConstantSource: "api". Absent: AMD, where constants are in device memory. */
#define HWLOC_GPUCACHE_CONSTANT_BYTES "GPUCacheConstantBytes"
/** \brief Lanes for single-precision arithmetic in an SM ("CUDA cores") or CU ("stream
 * processors"); integer > 0.
 *
 * GPUCacheCoresPerSMSource: "table", by compute capability (CUDA C++ Programming Guide) or
 * architecture (AMD), because no interface states it. Absent: the architecture is newer than this
 * program. */
#define HWLOC_GPUCACHE_CORES_PER_SM "GPUCacheCoresPerSM"
/** \brief Whether L1 can cache local loads (arrays of a thread, spilled registers): "yes" or "no".
 *
 * GPUCacheLocalLoadsInL1Source: "api" (NVIDIA) or "table" (AMD: the vector L1 has them). */
#define HWLOC_GPUCACHE_LOCAL_LOADS_IN_L1 "GPUCacheLocalLoadsInL1"

/* The following infos are present if the GPU was measured. */
/** \brief Number of GPCs; integer >= 1. NVIDIA GPUs only, as all groups of SMs below. Found by
 * clusters and by the constant L1.5 that the SMs of a GPC share.
 *
 * This and the following infos have sources and confidences as those of elements have:
 * GPUCacheGPCsSource: GPUCacheGPCSMsSource: GPUCacheMaxClusterBlocksSource:
 * GPUCacheClusterSMsSource: GPUCacheTPCSMsSource: GPUCacheCPCSMsSource: GPUCacheGPCSidesSource:
 * "measured", "api" or "absent:<reason>". Method: "Groups of SMs". */
#define HWLOC_GPUCACHE_GPCS "GPUCacheGPCs"
/** \brief The SMs of each GPC: numbers of SMs, with commas inside a group and a blank between
 * groups. */
#define HWLOC_GPUCACHE_GPC_SMS "GPUCacheGPCSMs"
/** \brief Blocks of the largest cluster that can be launched, as the driver states; integer >= 2. */
#define HWLOC_GPUCACHE_MAX_CLUSTER_BLOCKS "GPUCacheMaxClusterBlocks"
/** \brief SMs that clusters of GPUCacheMaxClusterBlocks blocks reach, in several launches together;
 * integer >= 1. */
#define HWLOC_GPUCACHE_CLUSTER_SMS "GPUCacheClusterSMs"
/** \brief The SMs of each TPC; as GPUCacheGPCSMs. */
#define HWLOC_GPUCACHE_TPC_SMS "GPUCacheTPCSMs"
/** \brief The SMs of each CPC, a group between TPC and GPC; as GPUCacheGPCSMs. */
#define HWLOC_GPUCACHE_CPC_SMS "GPUCacheCPCSMs"
/** \brief The L2 partition that each GPC is near to: comma-separated numbers from 0, in the order
 * of GPUCacheGPCSMs. */
#define HWLOC_GPUCACHE_GPC_SIDES "GPUCacheGPCSides"
/** \brief SM clock during the measurement, in MHz; integer > 0. It converts cycles into
 * nanoseconds. */
#define HWLOC_GPUCACHE_MEASURED_SM_CLOCK_MHZ "GPUCacheMeasuredSMClockMHz"
/** \brief Duration of the measurement, in milliseconds, without opening the GPU; integer >= 0. */
#define HWLOC_GPUCACHE_MEASURING_MILLISECONDS "GPUCacheMeasuringMilliseconds"
/** \brief Kernel launches of the measurement; integer >= 0. */
#define HWLOC_GPUCACHE_MEASURING_LAUNCHES "GPUCacheMeasuringLaunches"
/** \brief Most device memory that the measurement held at one time, in bytes; integer >= 0. */
#define HWLOC_GPUCACHE_MEASURING_DEVICE_BYTES "GPUCacheMeasuringDeviceBytes"
/** \brief How often steps were repeated because another program used the GPU, the SM clock changed,
 * or the GPU stopped working; several steps with one check count once; integer >= 0. See doc/methods.md, "Interference". */
#define HWLOC_GPUCACHE_MEASURING_REPEATS "GPUCacheMeasuringRepeats"
/** \brief Steps that failed, for example because a launch failed; integer > 0. The values of these
 * steps are absent, with the reason. Absent if no step failed. */
#define HWLOC_GPUCACHE_MEASURING_FAILURES "GPUCacheMeasuringFailures"
/** \brief Why the record is provisional: values are absent for a reason that can pass.
 *
 * Example: "too little free device memory (L2Cache Capacity, L2Cache Line and 7 more)". The reasons
 * are: other programs used the device memory or the GPU; steps failed. The values that are present
 * are as good as those of any record. The GPU is measured again later. The wording can change.
 * Absent if the record is not provisional. */
#define HWLOC_GPUCACHE_PROVISIONAL "GPUCacheProvisional"
/** \brief How many times a measurement of the GPU was started since the record became
 * provisional; integer > 0. The next try is 10 minutes after the first one, then 20, 40 ... up to a
 * day. Present with GPUCacheProvisional. */
#define HWLOC_GPUCACHE_PROVISIONAL_TRIES "GPUCacheProvisionalTries"
/** \brief Time of the last try, ISO 8601, UTC. Present with GPUCacheProvisional. */
#define HWLOC_GPUCACHE_PROVISIONAL_TRIED "GPUCacheProvisionalTried"
/** @} */

/** \defgroup hwlocality_gpucache_env Environment variables of the component
 *
 * A set-user-ID process ignores them. hwloc-gpucache(1) describes them in full.
 * @{
 */
/** \brief What a topology load does: "auto" (default: use a valid record, or measure and store
 * one), "cached" (never measure), "refresh" (always measure), "off" (nothing). */
#define HWLOC_GPUCACHE_ENV "HWLOC_GPUCACHE"
/** \brief Directory of the records; default ${XDG_CACHE_HOME:-~/.cache}/hwloc-gpucache. */
#define HWLOC_GPUCACHE_DIR_ENV "HWLOC_GPUCACHE_DIR"
/** \brief Seconds that one topology load may wait for measurements; default 10, at most 86400. */
#define HWLOC_GPUCACHE_TIMEOUT_ENV "HWLOC_GPUCACHE_TIMEOUT"
/** \brief Comma-separated names of simulated GPUs to add. */
#define HWLOC_GPUCACHE_SIM_ENV "HWLOC_GPUCACHE_SIM"
/** \brief If set, and neither empty nor "0", the component says on stderr what it does. */
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
 *
 * These functions only read a loaded topology. They allocate nothing.
 *
 * Arguments: \p topology is a loaded topology, and all objects belong to it. Strings must not be
 * \c NULL.
 *
 * Lifetime: returned objects and strings belong to the topology. Do not free or change them. They
 * are valid until the topology is destroyed or modified (for example by hwloc_topology_restrict(),
 * or by a change of the object's infos). Copy a string that you need for longer.
 *
 * Thread-safety: as for hwloc's own look-ups. Several threads may call these functions on one
 * topology at the same time while no thread modifies it. After a modification, one thread must call
 * hwloc_topology_refresh() before several threads use the topology again.
 *
 * Errors: a function that returns \c int returns 0 on success, and -1 with errno set on failure;
 * hwloc_gpucache_is() is the exception. A function that returns an object or a string returns
 * \c NULL if there is none, and errno then says nothing.
 * @{
 */

/** \brief Size of the longest info name that these functions build, with the terminating NUL. */
#define HWLOC_GPUCACHE_NAME_MAX 128

/** \brief Whether \p obj is an OS device with this subtype.
 *
 * \param obj an object or \c NULL.
 * \param subtype one of the subtype macros, for example ::HWLOC_GPUCACHE_L2.
 *
 * \return 1 if it is, 0 if it is not or \p obj is \c NULL.
 */
static __hwloc_inline int
hwloc_gpucache_is(hwloc_obj_t obj, const char *subtype)
{
  return obj && obj->type == HWLOC_OBJ_OS_DEVICE && obj->subtype && !strcmp(obj->subtype, subtype);
}

/** \brief Iterate over the GPUs with a known memory hierarchy.
 *
 * \param topology the topology.
 * \param prev the DeviceMemory object of the previous GPU, or \c NULL to start.
 *
 * \return the DeviceMemory object of the next GPU.
 * \return \c NULL if there are no more.
 */
static __hwloc_inline hwloc_obj_t
hwloc_gpucache_get_next_gpu(hwloc_topology_t topology, hwloc_obj_t prev)
{
  while ((prev = hwloc_get_next_osdev(topology, prev)) != NULL)
    if (hwloc_gpucache_is(prev, HWLOC_GPUCACHE_DEVICE_MEMORY))
      return prev;
  return NULL;
}

/** \brief Find the DeviceMemory object of a GPU.
 *
 * \param topology the topology.
 * \param obj the PCI device of the GPU, an OS device below it such as cuda0, nvml0 or card0, or one
 * of its elements; DeviceMemory is one of them. \c NULL is accepted.
 *
 * \return the DeviceMemory object.
 * \return \c NULL if \p obj does not belong to a GPU with a known memory hierarchy.
 *
 * \note If the topology has no PCI devices, the function compares the GPUCacheUUID infos of the OS
 * devices. An AMD GPU in partitions can have several DeviceMemory objects below one PCI device; for
 * that PCI device, the function returns the first one.
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

/** \brief Iterate over the elements of a GPU; an element comes before those inside it.
 *
 * \param gpu a DeviceMemory object; not \c NULL.
 * \param prev the previous element, or \c NULL to start.
 *
 * \return the next OS device; the first one is \p gpu itself. Other objects are skipped.
 * \return \c NULL if there are no more.
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

/** \brief Find an element of a GPU.
 *
 * \param topology the topology.
 * \param obj an object of the GPU, as for hwloc_gpucache_get_gpu().
 * \param subtype one of the subtype macros, for example ::HWLOC_GPUCACHE_L2.
 *
 * \return the first element with this subtype. A GPU has at most one: instances are counted, not
 * shown one by one.
 * \return \c NULL if the GPU has no such element, if no value of it is known, or if the GPU has no
 * known memory hierarchy.
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

/** \private The DeviceMemory object of the GPU that \p obj belongs to, or \c NULL. */
static __hwloc_inline hwloc_obj_t
hwloc__gpucache_own_gpu(hwloc_obj_t obj)
{
  const char *uuid, *other;
  hwloc_obj_t up, gpu;

  for (up = obj; up && up->type == HWLOC_OBJ_OS_DEVICE; up = up->parent)
    if (hwloc_gpucache_is(up, HWLOC_GPUCACHE_DEVICE_MEMORY))
      return up;
  uuid = hwloc_obj_get_info_by_name(obj, HWLOC_GPUCACHE_UUID);
  if (!uuid && up && up->type == HWLOC_OBJ_PCI_DEVICE)
    uuid = hwloc_obj_get_info_by_name(up, HWLOC_GPUCACHE_UUID);
  /* A GPU in MIG mode has no UUID here: the elements below it are those of its instances. */
  for (gpu = uuid && up ? up->io_first_child : NULL; gpu; gpu = gpu->next_sibling) {
    if (!hwloc_gpucache_is(gpu, HWLOC_GPUCACHE_DEVICE_MEMORY))
      continue;
    other = hwloc_obj_get_info_by_name(gpu, HWLOC_GPUCACHE_UUID);
    if (other && !strcmp(uuid, other))
      return gpu;
  }
  return NULL;
}

/** \private The info of \p element that the rest of a flat name, after the prefix, means. */
static __hwloc_inline const char *
hwloc__gpucache_get_flat(hwloc_obj_t element, const char *rest)
{
  size_t length = element->subtype ? strlen(element->subtype) : 0;

  if (length > 5 && !strcmp(element->subtype + length - 5, "Cache"))
    length -= 5;
  if (!length || strncmp(rest, element->subtype, length) || !rest[length])
    return NULL;
  return hwloc_obj_get_info_by_name(element, rest + length);
}

/** \brief Get the text of an info.
 *
 * If \p obj has no such info and the name begins with "GPUCache", the function searches the GPU
 * that \p obj belongs to: first the infos of the GPU (GPUCacheSMs), then those of its elements
 * (GPUCacheL1CapacityBytes is CapacityBytes of L1Cache). So the names of
 * \ref hwlocality_gpucache_flat can be used with any object of the GPU. Other names are infos of
 * \p obj itself.
 *
 * \param obj an object of the GPU, as for hwloc_gpucache_get_gpu(); not \c NULL. If the topology
 * has no PCI devices, an OS device such as cuda0 must have the same parent as DeviceMemory.
 * \param key the name of the info.
 *
 * \return the text.
 * \return \c NULL if there is no such info.
 */
static __hwloc_inline const char *
hwloc_gpucache_get_info(hwloc_obj_t obj, const char *key)
{
  const size_t prefix = sizeof(HWLOC_GPUCACHE_PREFIX) - 1;
  const char *text = hwloc_obj_get_info_by_name(obj, key);
  hwloc_obj_t gpu, element = NULL;

  if (text || strncmp(key, HWLOC_GPUCACHE_PREFIX, prefix))
    return text;
  gpu = hwloc__gpucache_own_gpu(obj);
  if (gpu)
    text = hwloc_obj_get_info_by_name(gpu, key);
  while (gpu && !text && (element = hwloc_gpucache_get_next_element(gpu, element)) != NULL)
    text = hwloc__gpucache_get_flat(element, key + prefix);
  return text;
}

/** \brief Read an integer info, for example ::HWLOC_GPUCACHE_CAPACITY_BYTES.
 *
 * The text must be one or more decimal digits and nothing else.
 *
 * \param obj an object; not \c NULL.
 * \param key the name of the info, as for hwloc_gpucache_get_info().
 * \param value receives the number; unchanged on failure.
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if there is no such info, \c EINVAL if the text is not
 * such a number, \c ERANGE if the number does not fit into 64 bits.
 */
static __hwloc_inline int
hwloc_gpucache_get_u64(hwloc_obj_t obj, const char *key, uint64_t *value)
{
  const char *text = hwloc_gpucache_get_info(obj, key);
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

/** \private Convert \p text to a number. Returns 0, or -1 with errno EINVAL or ERANGE. */
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

/** \brief Read an info that is a number with or without a fraction, for example
 * ::HWLOC_GPUCACHE_LATENCY_NS.
 *
 * The text must be digits, or digits, '.' and digits, and nothing else, in every locale.
 *
 * \param obj an object; not \c NULL.
 * \param key the name of the info, as for hwloc_gpucache_get_info().
 * \param value receives the number; unchanged on failure.
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if there is no such info, \c EINVAL if the text is not
 * such a number, \c ERANGE if it has more than 18 digits.
 */
static __hwloc_inline int
hwloc_gpucache_get_double(hwloc_obj_t obj, const char *key, double *value)
{
  const char *text = hwloc_gpucache_get_info(obj, key);

  if (!text) {
    errno = ENOENT;
    return -1;
  }
  return hwloc__gpucache_parse_double(text, value);
}

/** \brief Read the value of one NUMA node from a list such as ::HWLOC_GPUCACHE_HOST_READ_GBPS.
 *
 * \param obj an object; not \c NULL.
 * \param key the name of the info, as for hwloc_gpucache_get_info().
 * \param node the OS index of the NUMA node (obj->os_index).
 * \param value receives the number; unchanged on failure.
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if there is no such info or it does not have the node,
 * \c EINVAL if the text is no such list.
 */
static __hwloc_inline int
hwloc_gpucache_get_node_value(hwloc_obj_t obj, const char *key, unsigned node, double *value)
{
  const char *text = hwloc_gpucache_get_info(obj, key);
  char number[32];

  while (text && *text) {
    unsigned of = 0;
    size_t length;

    if (*text < '0' || *text > '9')
      break;
    while (*text >= '0' && *text <= '9' && of < 100000000)
      of = of * 10 + (unsigned) (*text++ - '0');
    if (*text++ != ':')
      break;
    length = strcspn(text, ",");
    if (length >= sizeof(number))
      break;
    if (of == node) {
      memcpy(number, text, length);
      number[length] = '\0';
      return hwloc__gpucache_parse_double(number, value);
    }
    text += length + (text[length] == ',');
  }
  errno = text && *text ? EINVAL : ENOENT;
  return -1;
}

/** \private The info of \p obj with the name: the property of \p key, then \p suffix. That of
 * ::HWLOC_GPUCACHE_IDLE_LATENCY_NS is the latency. */
static __hwloc_inline const char *
hwloc__gpucache_get_about(hwloc_obj_t obj, const char *key, const char *suffix)
{
  static const char *const units[] = { "BytesPerCycle", "PerCycle", "Bytes", "Cycles", "GBps", "Ns", "" };
  const char *idle = strstr(key, HWLOC_GPUCACHE_IDLE_LATENCY_NS);
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
  if (idle)
    memmove(name + (idle - key), name + (idle - key) + strlen("Idle"), strlen(name + (idle - key)) - strlen("Idle") + 1);
  return hwloc_gpucache_get_info(obj, name);
}

/** \brief Get the source of a value: "measured", "api", "sysfs", "table", or "absent:<reason>".
 *
 * \param obj an element, or an object of the GPU with a flat name; not \c NULL.
 * \param key a key (CapacityBytes) or a property (Capacity); a flat name begins with the prefix and
 * the element (GPUCacheL1CapacityBytes).
 *
 * \return the source.
 * \return \c NULL if the element has no such info, or if its name would be longer than
 * ::HWLOC_GPUCACHE_NAME_MAX.
 */
static __hwloc_inline const char *
hwloc_gpucache_get_source(hwloc_obj_t obj, const char *key)
{
  return hwloc__gpucache_get_about(obj, key, HWLOC_GPUCACHE_SOURCE_SUFFIX);
}

/** \brief Get the confidence of a measured value: the probability that it is right.
 *
 * \param obj an element, or an object of the GPU with a flat name; not \c NULL.
 * \param key a key (CapacityBytes) or a property (Capacity); a flat name begins with the prefix and
 * the element (GPUCacheL1CapacityBytes).
 * \param confidence receives a number from 0 to 1; unchanged on failure.
 *
 * \return 0 on success.
 * \return -1 with errno set to \c ENOENT if the element has no such info, because the value was not
 * measured; \c EINVAL if the text is not a number from 0 to 1; \c ERANGE if it has more than 18
 * digits.
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
