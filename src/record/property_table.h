/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of properties and keys. Define the macros that you need and include this file; it
 * defines the others as nothing, and undefines all of them. Properties and values are in the order
 * of a record.
 *
 *   PROPERTY(id, name, judge, section, sentence)
 *       What one measurement determines: enum gc_property GC_<id>, and the name of its source and
 *       confidence. judge_<judge> of tests/calibration compares measured values with the model;
 *       none: a measurement of one GPU does not measure it. A report has the sentence, which
 *       says how a measured value is found, and the section of doc/methods.md.
 *   ON(kind, section, sentence)
 *       The same for one kind of element, if the method differs there. Belongs to the PROPERTY
 *       before it, as the following rows do.
 *   NUMBER(id, key, format, least, member, words)
 *       A value. format: WHOLE (uint64_t), TENTHS (double, one decimal) or RATE (double, as many
 *       decimals as are significant). least: of a WHOLE; other numbers are 0 or more. member: of
 *       struct gc_measured, which is made from these rows. words: its name in a report.
 *   TEXT(id, key, pattern, between, write, words)
 *       A value that is no number. pattern: '#' is a whole number, '%' one that can have a
 *       fraction, '@' hexadecimal digits, '$' letters and digits, '&' the id of a GPU; '|' means
 *       "or"; other characters are themselves. between: the characters between items, each of which has the pattern; "":
 *       there is one item.
 *       write: a statement of publish.c that writes the value.
 *   LOOSE(key, least, member, words)
 *       A WHOLE without source and confidence. It is written if it is not 0.
 *   FACT(key, pattern, least, words)
 *       A key that struct gc_measured lacks: the fact of a GPU, without the prefix GPUCache, or a
 *       setting. pattern: as above, or NULL for any text.
 */
#ifndef PROPERTY
#define PROPERTY(id, name, judge, section, sentence)
#endif
#ifndef ON
#define ON(kind, section, sentence)
#endif
#ifndef NUMBER
#define NUMBER(id, key, format, least, member, words)
#endif
#ifndef TEXT
#define TEXT(id, key, pattern, between, write, words)
#endif
#ifndef LOOSE
#define LOOSE(key, least, member, words)
#endif
#ifndef FACT
#define FACT(key, pattern, least, words)
#endif

/* clang-format off */
FACT("CarveoutPercent", "#", 0, "carve-out during the measurement")
LOOSE("CarveoutBlocks", 1, carveout_blocks, "resident blocks during the measurement")
LOOSE("CapacityAtLeastBytes", 1, capacity_at_least_bytes, "capacity, lower bound")
LOOSE("OutstandingPerSMAtLeast", 1, outstanding_per_sm_at_least,
      "outstanding misses per SM, lower bound")
LOOSE("OutstandingPerWarpAtLeast", 1, outstanding_per_warp_at_least,
      "outstanding misses per warp, lower bound")

LOOSE("Lanes", 1, lanes, "lanes")
LOOSE("Columns", 1, columns, "columns of 4 bytes in each lane")

PROPERTY(CAPACITY, "Capacity", capacity, "Capacity",
         "Arrays of growing size are loaded again and again. The capacity is the largest array "
         "without a miss.")
ON(GC_L2, "L2 capacity",
   "Arrays of growing size are read and sampled, in several allocations. The capacity is what nine "
   "of ten allocations can use without a miss.")
ON(GC_L3, "L3 capacity",
   "Arrays of growing size are read and sampled, in several allocations. The capacity is what all "
   "of them can use without a miss.")
ON(GC_INSTRUCTION_CACHE, "Instruction cache",
   "Code that jumps through more and more blocks is executed again and again. The capacity is the "
   "most code without a miss.")
NUMBER(CAPACITY, "CapacityBytes", WHOLE, 1, capacity_bytes, "capacity")

PROPERTY(NOMINAL, "Nominal", none, NULL, NULL)
NUMBER(NOMINAL, "NominalBytes", WHOLE, 1, nominal_bytes, "nominal capacity")

PROPERTY(CENSUS, "Census", census, "Census",
         "More is read than the cache holds, then a sample of lines shows how much of it is still "
         "there. It confirms the capacity independently.")
NUMBER(CENSUS, "CensusBytes", WHOLE, 1, census_bytes, "capacity by census")
NUMBER(CENSUS, "CensusErrorBytes", WHOLE, 0, census_error_bytes, "standard error of the census")

PROPERTY(TOTAL, "Total", total, "L2 capacity",
         "An array much larger than the cache is read, and a sample shows how much of it is still "
         "there.")
NUMBER(TOTAL, "TotalBytes", WHOLE, 1, total_bytes, "capacity with all sets full")

PROPERTY(LATENCY, "Latency", latency, "Latency",
         "One thread follows a chain of dependent loads, n and 2n of them. The value is the time "
         "that one more load takes.")
ON(GC_DEVICE_MEMORY, "Device memory latency",
   "All SMs or CUs time single loads of lines that no cache holds. The value is the middle between "
   "the quartiles.")
ON(GC_L2, "Latency",
   "All SMs or CUs time single loads of lines that this cache holds. The value is the median.")
ON(GC_L3, "Latency",
   "All SMs or CUs time single loads of lines that only this cache holds. The value is the median.")
NUMBER(LATENCY, "LatencyCycles", TENTHS, 0, latency_cycles, "latency")
NUMBER(LATENCY, "LatencyNs", TENTHS, 0, latency_ns, "latency")
NUMBER(LATENCY, "IdleLatencyNs", TENTHS, 0, idle_latency_ns, "latency without traffic")

PROPERTY(NEAR_LATENCY, "NearLatency", near, "L2 partitions",
         "Median of loads that hit the partition near to their SM.")
NUMBER(NEAR_LATENCY, "NearLatencyCycles", TENTHS, 0, near_latency_cycles, "near latency")
NUMBER(NEAR_LATENCY, "NearLatencyNs", TENTHS, 0, near_latency_ns, "near latency")

PROPERTY(FAR_LATENCY, "FarLatency", far, "L2 partitions",
         "Median of loads that hit a partition far from their SM.")
NUMBER(FAR_LATENCY, "FarLatencyCycles", TENTHS, 0, far_latency_cycles, "far latency")
NUMBER(FAR_LATENCY, "FarLatencyNs", TENTHS, 0, far_latency_ns, "far latency")

PROPERTY(PARTITIONS, "Partitions", partitions, "L2 partitions",
         "One SM reads lines, then each SM times some of them. The latencies show which SMs use "
         "the same partition.")
NUMBER(PARTITIONS, "Partitions", WHOLE, 1, partitions, "partitions")

PROPERTY(PARTITION_SMS, "PartitionSMs", partition_sms, "L2 partitions",
         "One SM reads lines, then each SM times some of them. The latencies show which SMs use "
         "the same partition.")
TEXT(PARTITION_SMS, "PartitionSMs", "#", ",", write_partition_sms(out, from),
     "SMs near to each partition")

PROPERTY(LINE, "Line", line, "Cache line",
         "Places that just fit the cache get partners at growing distance. A partner in the same "
         "line needs no space; one in another line causes misses.")
NUMBER(LINE, "LineBytes", WHOLE, 1, line_bytes, "cache line")

PROPERTY(FETCH, "Fetch", fetch, "Fetch granularity",
         "In a cold cache, one address is loaded, then its neighbours. Those that hit came in with "
         "the first miss.")
NUMBER(FETCH, "FetchBytes", WHOLE, 1, fetch_bytes, "fetch granularity")

PROPERTY(MISS_PENALTY, "MissPenalty", penalty, "Miss penalty",
         "Loads that miss this element and hit the next level, less loads that hit it.")
ON(GC_L1_TLB, "TLBs",
   "Twice as many pages are walked as the TLB holds. The penalty is how much longer loads take.")
ON(GC_L2_TLB, "TLBs",
   "One SM reads so many pages that its TLB loses those of the SMs that share it. The penalty is "
   "how much longer they take then, the mean over SMs.")
NUMBER(MISS_PENALTY, "MissPenaltyCycles", TENTHS, 0, miss_penalty_cycles, "miss penalty")

PROPERTY(READ, "Read", read, "Bandwidth",
         "All SMs or CUs read at the same time. The value is the median of the repetitions.")
NUMBER(READ, "ReadGBps", RATE, 0, read_gbps, "read bandwidth")
NUMBER(READ, "ReadBytesPerCycle", RATE, 0, read_bytes_per_cycle, "read bandwidth per SM")

PROPERTY(WRITE, "Write", write, "Bandwidth",
         "All SMs or CUs write at the same time. The value is the median of the repetitions.")
NUMBER(WRITE, "WriteGBps", RATE, 0, write_gbps, "write bandwidth")
NUMBER(WRITE, "WriteBytesPerCycle", RATE, 0, write_bytes_per_cycle, "write bandwidth per SM")

PROPERTY(HOST_READ, "HostRead", host_read, "Host memory",
         "All SMs or CUs read memory of the host, which belongs to one NUMA node. The value is the "
         "median of the repetitions.")
TEXT(HOST_READ, "HostReadGBps", "#:%", ",", write_by_node(out, &from->host_read),
     "read bandwidth of host memory by NUMA node")

PROPERTY(HOST_WRITE, "HostWrite", host_write, "Host memory",
         "All SMs or CUs store to memory of the host, which belongs to one NUMA node. The value is "
         "the median of the repetitions.")
TEXT(HOST_WRITE, "HostWriteGBps", "#:%", ",", write_by_node(out, &from->host_write),
     "write bandwidth of host memory by NUMA node")

PROPERTY(HOST_COPY_TO, "HostCopyTo", host_copy_to, "Host memory",
         "A copy engine copies a part of the bytes from the host to the GPU, then all of them. The "
         "value follows from the difference.")
TEXT(HOST_COPY_TO, "HostCopyToGBps", "#:%", ",", write_by_node(out, &from->host_copy_to),
     "copies from host memory by NUMA node")

PROPERTY(HOST_COPY_FROM, "HostCopyFrom", host_copy_from, "Host memory",
         "A copy engine copies a part of the bytes from the GPU to the host, then all of them. The "
         "value follows from the difference.")
TEXT(HOST_COPY_FROM, "HostCopyFromGBps", "#:%", ",", write_by_node(out, &from->host_copy_from),
     "copies to host memory by NUMA node")

PROPERTY(HOST_COPY_BOTH, "HostCopyBoth", host_copy_both, "Host memory",
         "Two copy engines copy in both directions at the same time. The value is the sum of both.")
TEXT(HOST_COPY_BOTH, "HostCopyBothGBps", "#:%", ",", write_by_node(out, &from->host_copy_both),
     "copies in both directions by NUMA node")

PROPERTY(HOST_LATENCY, "HostLatency", host_latency, "Host memory",
         "A few SMs or CUs follow chains of dependent loads through memory of the host. The value "
         "is the mean of the quartiles of the loads.")
TEXT(HOST_LATENCY, "HostLatencyNs", "#:%", ",", write_by_node(out, &from->host_latency),
     "latency of host memory by NUMA node")

PROPERTY(HOST_ATOMIC_LATENCY, "HostAtomicLatency", host_atomic, "Host memory",
         "A few SMs or CUs make chains of atomic additions to memory of the host, each of which needs "
         "the value that the one before it returned. The value is the mean of the quartiles of the "
         "additions.")
TEXT(HOST_ATOMIC_LATENCY, "HostAtomicLatencyNs", "#:%", ",", write_by_node(out, &from->host_atomic_latency),
     "latency of atomic operations on host memory by NUMA node")
PROPERTY(PEER_READ, "PeerRead", none, "Other GPUs",
         "All SMs read memory of the other GPU. The value is the median of the repetitions.")
TEXT(PEER_READ, "PeerReadGBps", "&:%", ",", write_by_peer(out, results, &from->peer_read),
     "read bandwidth of memory of other GPUs")

PROPERTY(PEER_WRITE, "PeerWrite", none, "Other GPUs",
         "All SMs store to memory of the other GPU. The value is the median of the repetitions.")
TEXT(PEER_WRITE, "PeerWriteGBps", "&:%", ",", write_by_peer(out, results, &from->peer_write),
     "write bandwidth of memory of other GPUs")

PROPERTY(PEER_COPY, "PeerCopy", none, "Other GPUs",
         "A copy engine copies a part of the bytes from the other GPU to this one, then all of "
         "them. The value follows from the difference.")
TEXT(PEER_COPY, "PeerCopyGBps", "&:%", ",", write_by_peer(out, results, &from->peer_copy),
     "copies from other GPUs")

PROPERTY(PEER_LATENCY, "PeerLatency", none, "Other GPUs",
         "A few SMs follow chains of dependent loads through memory of the other GPU. The value is "
         "the mean of the quartiles of the loads.")
TEXT(PEER_LATENCY, "PeerLatencyNs", "&:%", ",", write_by_peer(out, results, &from->peer_latency),
     "latency of memory of other GPUs")

PROPERTY(PEER_PATH, "PeerPath", none, "Other GPUs",
         "The driver tells whether kernels can use memory of the other GPU, and whether atomics "
         "are native on the way, as they are on NVLink and not on PCIe.")
TEXT(PEER_PATH, "PeerPath", "&:$", ",", write_paths(out, results, &from->peer_path),
     "way to other GPUs")

PROPERTY(CARVEOUT_TABLE, "CarveoutTable", carveouts, "Carve-outs",
         "Kernels with different preferred carve-outs load arrays of growing size. Each capacity "
         "is the largest array without a miss.")
TEXT(CARVEOUT_TABLE, "CarveoutTable", "#:#|default:#", ",", write_carveouts(out, &from->carveouts),
     "capacity by carve-out")

PROPERTY(SHARED_WITH, "SharedWith", shared_with, "Sharing",
         "An array is loaded through this element and then another one through the other element. "
         "If the first array is gone, both use the same storage.")
TEXT(SHARED_WITH, "SharedWith", "$", ",", write_shared_with(out, from->shared_with), "shared with")

PROPERTY(PER_SM, "PerSM", per_sm, "Instances",
         "The warps of an SM load the same lines one after the other. Each slow first load shows "
         "another instance.")
ON(GC_L1_TLB, "TLBs", "No two SMs share one.")
ON(GC_L2_TLB, "TLBs", "No two SMs share one.")
ON(GC_INSTRUCTION_CACHE, "Instruction cache", "No two SMs share one.")
NUMBER(PER_SM, "PerSM", WHOLE, 1, per_sm, "instances per SM")

PROPERTY(INSTANCES, "Instances", instances, "Instances",
         "The SMs or CUs load the same lines one after the other. Each slow first load shows "
         "another instance.")
ON(GC_L2, "L2 partitions",
   "One SM or CU reads lines, then each of them times some. The latencies show which use the same "
   "cache.")
ON(GC_L1_TLB, "TLBs", "The groups of SMs that share one.")
ON(GC_L2_TLB, "TLBs", "The groups of SMs that share one.")
ON(GC_INSTRUCTION_CACHE, "Instruction cache", "The groups of SMs that share one.")
NUMBER(INSTANCES, "Instances", WHOLE, 1, instances, "instances")

PROPERTY(SHARED_BY_CUS, "SharedByCUs", shared_by_cus, "CUs that share a cache",
         "The first CU at a cache leaves its number there as loaded lines. Other CUs with the same "
         "cache read it.")
TEXT(SHARED_BY_CUS, "SharedByCUs", "#x#", ",", write_group_sizes(out, results, from),
     "shared by CUs")

PROPERTY(CU_GROUPS, "CUGroups", cu_groups, "CUs that share a cache",
         "The first CU at a cache leaves its number there as loaded lines. Other CUs with the same "
         "cache read it.")
TEXT(CU_GROUPS, "CUGroups", "#", ", ", write_groups(out, results, &from->cu_groups),
     "CUs of each instance")

PROPERTY(LATENCY_P95, "LatencyP95", latency_p95, "95th percentile",
         "Single loads are timed. Of twenty loads, nineteen take no longer than this value.")
NUMBER(LATENCY_P95, "LatencyP95Cycles", TENTHS, 0, latency_p95_cycles,
       "95th percentile of the latency")

PROPERTY(LATENCY_UNDER_LOAD, "LatencyUnderLoad", under_load, "Latency under load",
         "One SM times single loads while others read, more of them each time. The values are the "
         "latencies at these rates.")
TEXT(LATENCY_UNDER_LOAD, "LatencyUnderLoad", "%:%", ",", write_by_load(out, &from->under_load),
     "latency in ns at a load in GB/s")

PROPERTY(LATENCY_BY_SM, "LatencyBySM", by_sm, "L2 partitions",
         "Every SM or CU times lines that are near to it. Its latency is the median of its loads.")
TEXT(LATENCY_BY_SM, "LatencyBySM", "%", ",", write_by_sm(out, &from->latency_by_sm),
     "latency in cycles: minimum, median and maximum of the SMs")

PROPERTY(DEPARTURE_DELAY, "DepartureDelay", departure, "Departure delay",
         "The warps of one SM load adjacent words of lines that L2 has, more and more at once. The "
         "value is the time that one more load takes.")
NUMBER(DEPARTURE_DELAY, "DepartureDelayCycles", RATE, 0, departure_delay_cycles,
       "departure delay of coalesced loads")

PROPERTY(UNCOALESCED_DEPARTURE_DELAY, "UncoalescedDepartureDelay", uncoalesced_departure,
         "Departure delay",
         "The warps of one SM load a word of another line in each lane, more and more lines at once. "
         "The value is the time that one more line takes.")
NUMBER(UNCOALESCED_DEPARTURE_DELAY, "UncoalescedDepartureDelayCycles", RATE, 0,
       uncoalesced_departure_delay_cycles, "departure delay of uncoalesced loads")

PROPERTY(SETS, "Sets", sets, "Sets and replacement",
         "The hash of the addresses that share a set has so many values. Without a linear hash: "
         "the capacity, divided by ways and line.")
NUMBER(SETS, "Sets", WHOLE, 1, sets, "sets")

PROPERTY(WAYS, "Ways", ways, "Sets and replacement",
         "An array that just fits and one further line overfill a set. All lines of this set miss, "
         "one more than it has ways.")
NUMBER(WAYS, "Ways", WHOLE, 1, ways, "ways")

PROPERTY(SET_INDEX_MASKS, "SetIndexMasks", masks, "Sets and replacement",
         "The lines that miss together share a set. Their addresses determine the bits whose "
         "parities select it; lines that were not used confirm them.")
TEXT(SET_INDEX_MASKS, "SetIndexMasks", "0x@", ",", write_masks(out, from), "set index masks")

PROPERTY(SET_INDEX_ADDRESS, "SetIndexAddress", address, "Sets and replacement",
         "Memory at several addresses is in another set at each of them, or in the same one.")
TEXT(SET_INDEX_ADDRESS, "SetIndexAddress", "virtual|physical", "", fputs("virtual", out),
     "set index address")

PROPERTY(SET_WAYS, "SetWays", none, NULL, NULL)
TEXT(SET_WAYS, "SetWays", "#", ",", (void)0, "ways of each set")

PROPERTY(REPLACEMENT, "Replacement", replacement, "Sets and replacement",
         "One line more than a set has ways is loaded in random orders. The loads that miss show "
         "the policy.")
TEXT(REPLACEMENT, "Replacement", "lru|fifo|slru|plru|random|other", "",
     fputs(replacements[from->replaces], out), "replacement")

PROPERTY(SURVIVAL_CURVE, "SurvivalCurve", curve, "Sets and replacement",
         "A few lines are loaded, then random others, then the first ones again, timed.")
ON(GC_L2, "Sets and replacement",
   "One SM times lines, reads others in order, and times the first ones again.")
TEXT(SURVIVAL_CURVE, "SurvivalCurve", "#:%", ",", write_curve(out, from), "survival curve")

PROPERTY(FLUSH, "Flush", flush, "Flush",
         "Lines are read several times, then all SMs read other memory once. The value is the first "
         "of the tried sizes after which fewer than 5 % of the lines are found.")
NUMBER(FLUSH, "FlushBytes", WHOLE, 1, flush_bytes, "bytes to read that displace everything")

PROPERTY(WARP_ORDER, "WarpOrder", warp_order, "Order of warps",
         "Eight blocks of an SM repeat loads that hit in L1. The value says which get their data "
         "more often: older ones, those that became ready last, others, or none.")
TEXT(WARP_ORDER, "WarpOrder", "oldest|round-robin|ready|other", "",
     fputs(warp_orders[from->warp_order], out), "order of warps")

PROPERTY(VICTIM_SHARES, "VictimShares", shares, "Sets and replacement",
         "One line more than a set has ways is loaded in random orders. The next line that misses "
         "is the one that was replaced.")
TEXT(VICTIM_SHARES, "VictimShares", "%", ",", write_shares(out, from), "victim shares")

PROPERTY(EXCESS_MISSES, "MissesPerExcessLine", excess, "Sets and replacement",
         "Arrays with one line too many are walked. The value is the mean of the misses in a pass.")
NUMBER(EXCESS_MISSES, "MissesPerExcessLine", TENTHS, 0, excess_misses, "misses per excess line")

PROPERTY(WRITE_POLICY, "WritePolicy", write_policy, "Write policy",
         "One SM stores; others poll the words through L2 before the kernel ends.")
ON(GC_L2, "Write policy",
   "Reads from memory evict lines that were stored, or only loaded: if L2 writes lines back, the "
   "former reads take longer.")
TEXT(WRITE_POLICY, "WritePolicy", "through|back", "",
     fputs(from->write_back ? "back" : "through", out), "write policy")

PROPERTY(WRITE_ALLOCATE, "WriteAllocate", write_allocate, "Write policy",
         "A warp stores to absent lines, then times a load of each: a fast one shows what the "
         "store has brought in.")
TEXT(WRITE_ALLOCATE, "WriteAllocate", "none|sector|line", "",
     fputs(allocates[from->write_allocate], out), "write allocate")

PROPERTY(OUTSTANDING_PER_SM, "OutstandingPerSM", outstanding_sm, "Outstanding misses",
         "Batches of independent loads by the warps of one SM. With one line more than this, a "
         "batch takes as long as two successive loads.")
NUMBER(OUTSTANDING_PER_SM, "OutstandingPerSM", WHOLE, 1, outstanding_per_sm,
       "outstanding misses per SM")

PROPERTY(OUTSTANDING_PER_WARP, "OutstandingPerWarp", outstanding_warp, "Outstanding misses",
         "Batches of independent loads by one warp. With one line more than this, a batch takes as "
         "long as two successive loads.")
NUMBER(OUTSTANDING_PER_WARP, "OutstandingPerWarp", WHOLE, 1, outstanding_per_warp,
       "outstanding misses per warp")

PROPERTY(FETCH_LIMIT, "FetchLimit", none, NULL, NULL)
NUMBER(FETCH_LIMIT, "FetchLimitBytes", WHOLE, 1, fetch_limit_bytes, "fetch limit")

PROPERTY(PERSISTING_MAX, "PersistingMax", none, NULL, NULL)
NUMBER(PERSISTING_MAX, "PersistingMaxBytes", WHOLE, 0, persisting_max_bytes, "persisting max")

PROPERTY(COMPRESSION, "CompressionSupported", none, NULL, NULL)
TEXT(COMPRESSION, "CompressionSupported", "yes|no", "",
     fputs(from->compression ? "yes" : "no", out), "compression supported")

PROPERTY(ATOMIC_LATENCY, "AtomicLatency", atomic, "Atomic operations",
         "Chains of atomic additions, each of which needs the value that the one before it "
         "returned.")
NUMBER(ATOMIC_LATENCY, "AtomicLatencyCycles", TENTHS, 0, atomic_latency_cycles, "atomic latency")

PROPERTY(NEAR_ATOMIC_LATENCY, "NearAtomicLatency", near_atomic, "Atomic operations",
         "Chains of atomic additions to lines whose home is the partition near to the SM.")
NUMBER(NEAR_ATOMIC_LATENCY, "NearAtomicLatencyCycles", TENTHS, 0, near_atomic_latency_cycles,
       "near atomic latency")

PROPERTY(FAR_ATOMIC_LATENCY, "FarAtomicLatency", far_atomic, "Atomic operations",
         "Chains of atomic additions to lines whose home is a partition far from the SM.")
NUMBER(FAR_ATOMIC_LATENCY, "FarAtomicLatencyCycles", TENTHS, 0, far_atomic_latency_cycles,
       "far atomic latency")

PROPERTY(ATOMICS, "Atomics", atomics, "Atomic operations",
         "Many lanes add to one word at the same time. The value is the median of the repetitions.")
NUMBER(ATOMICS, "AtomicsPerCycle", RATE, 0, atomics_per_cycle, "atomics")

PROPERTY(BANKS, "Banks", banks, "Banks of shared memory",
         "The lanes of a warp load from pairs of addresses. Loads of two rows of one bank take "
         "longer.")
NUMBER(BANKS, "Banks", WHOLE, 1, banks, "banks")

PROPERTY(BANK, "Bank", bank, "Banks of shared memory",
         "The lanes of a warp load from pairs of addresses. Loads of two rows of one bank take "
         "longer.")
NUMBER(BANK, "BankBytes", WHOLE, 1, bank_bytes, "width of a bank")

PROPERTY(CONFLICT, "Conflict", conflict, "Banks of shared memory",
         "The lanes of a warp load at equal distances. The value is how much longer a load takes for "
         "each further lane that uses the busiest bank.")
NUMBER(CONFLICT, "ConflictCycles", TENTHS, 0, conflict_cycles, "cost of a bank conflict")

PROPERTY(REMOTE_LATENCY, "RemoteLatency", remote, "Remote shared memory",
         "Each block of a cluster follows a chain through the shared memory of each other block. "
         "The value is the median of all pairs.")
NUMBER(REMOTE_LATENCY, "RemoteLatencyCycles", TENTHS, 0, remote_latency_cycles, "remote latency")

PROPERTY(BULK_LATENCY, "BulkCopyLatency", bulk_latency, "Bulk copies",
         "All SMs time single bulk copies (TMA) of 16 bytes from L2 to shared memory. The value is "
         "the median.")
NUMBER(BULK_LATENCY, "BulkCopyLatencyCycles", TENTHS, 0, bulk_latency_cycles, "bulk copy latency")

PROPERTY(BULK_RATE, "BulkCopy", bulk_rate, "Bulk copies",
         "One SM keeps four bulk copies (TMA) from L2 to shared memory under way, of growing size, "
         "until larger ones are no faster.")
NUMBER(BULK_RATE, "BulkCopyBytesPerCycle", RATE, 0, bulk_bytes_per_cycle,
       "bulk copies per SM")

PROPERTY(ENTRIES, "Entries", entries, "TLBs",
         "More and more pages are walked. Loads take longer when there are more pages than "
         "entries.")
NUMBER(ENTRIES, "Entries", WHOLE, 1, entries, "entries")

PROPERTY(ENTRY, "Entry", entry, "TLBs",
         "Pages twice as far apart need as many entries, unless one entry covers two of them.")
NUMBER(ENTRY, "EntryBytes", WHOLE, 1, entry_bytes, "memory of an entry")

PROPERTY(REACH, "Reach", reach, "TLBs", "The entries, times what one of them covers.")
NUMBER(REACH, "ReachBytes", WHOLE, 1, reach_bytes, "reach")

PROPERTY(SM_GROUPS, "SMGroups", cache_groups, "TLBs",
         "One SM reads so many pages that its TLB loses those of the SMs that share it.")
ON(GC_INSTRUCTION_CACHE, "Instruction cache",
   "SMs execute the same code one after another. One that is fast at once shares its cache with an "
   "SM before it.")
TEXT(SM_GROUPS, "SMGroups", "#", ", ", write_groups(out, results, &from->cu_groups),
     "SMs of each instance")

PROPERTY(GPCS, "GPCs", gpcs, "Groups of SMs",
         "The groups of SMs that clusters of blocks run on, or that share a constant L1.5.")
NUMBER(GPCS, "GPCs", WHOLE, 1, gpcs, "GPCs")

PROPERTY(GPC_SMS, "GPCSMs", gpc_sms, "Groups of SMs",
         "The groups of SMs that clusters of blocks run on, or that share a constant L1.5.")
TEXT(GPC_SMS, "GPCSMs", "#", ", ", write_groups(out, results, &results->gpc), "SMs of each GPC")

PROPERTY(MAX_CLUSTER_BLOCKS, "MaxClusterBlocks", none, NULL, NULL)
NUMBER(MAX_CLUSTER_BLOCKS, "MaxClusterBlocks", WHOLE, 2, max_cluster_blocks,
       "blocks of the largest cluster")

PROPERTY(CLUSTER_SMS, "ClusterSMs", cluster_sms, "Groups of SMs",
         "Clusters of the largest size are launched again and again, and every block reports its "
         "SM.")
NUMBER(CLUSTER_SMS, "ClusterSMs", WHOLE, 1, cluster_sms, "SMs that the largest clusters reach")

PROPERTY(TPC_SMS, "TPCSMs", tpc_sms, "Groups of SMs",
         "The pairs of SMs that run clusters of two blocks.")
TEXT(TPC_SMS, "TPCSMs", "#", ", ", write_groups(out, results, &results->tpc), "SMs of each TPC")

PROPERTY(CPC_SMS, "CPCSMs", cpc_sms, "Groups of SMs",
         "The SMs of several TPCs of a GPC that share a constant cache or a TLB.")
TEXT(CPC_SMS, "CPCSMs", "#", ", ", write_groups(out, results, &results->cpc), "SMs of each CPC")

PROPERTY(GPC_SIDES, "GPCSides", gpc_sides, "Groups of SMs",
         "The L2 partition that all SMs of a GPC are near to.")
TEXT(GPC_SIDES, "GPCSides", "#", ",", write_sides(out, results), "L2 partition of each GPC")

PROPERTY(CARVEOUT_TABLE_4, "CarveoutTable4Warps", carveouts_4, "Carve-outs",
         "The same with blocks of 4 warps, of which one works.")
TEXT(CARVEOUT_TABLE_4, "CarveoutTable4Warps", "#:#|default:#", ",",
     write_carveouts(out, &from->carveouts_4), "capacity by carve-out, blocks of 4 warps")

PROPERTY(CARVEOUT_TABLE_32, "CarveoutTable32Warps", carveouts_32, "Carve-outs",
         "The same with blocks of 32 warps, of which one works.")
TEXT(CARVEOUT_TABLE_32, "CarveoutTable32Warps", "#:#|default:#", ",",
     write_carveouts(out, &from->carveouts_32), "capacity by carve-out, blocks of 32 warps")

PROPERTY(SLICES, "Slices", slices, "L2 slices and sides",
         "Half of the SMs keep one line busy with atomic operations. Those of the others on lines "
         "of the same slice wait.")
NUMBER(SLICES, "Slices", WHOLE, 2, slices, "slices")

PROPERTY(SIDE_MASK, "SideMask", side_mask, "L2 slices and sides",
         "SMs near to each partition time atomic operations on lines whose addresses differ in one "
         "bit, and on others.")
TEXT(SIDE_MASK, "SideMask", "0x@", "", fprintf(out, "0x%" PRIx64, from->side_mask), "side mask")

PROPERTY(SIDE_GRANULE, "SideGranule", side_granule, "L2 slices and sides",
         "The lowest bit of SideMask.")
NUMBER(SIDE_GRANULE, "SideGranuleBytes", WHOLE, 1, side_granule_bytes, "side granule")

PROPERTY(SLICE_READ, "SliceRead", slice_read, "L2 slices and sides",
         "SMs near to a slice read only lines of that slice, each SM other ones. The value is the "
         "median of a few slices.")
NUMBER(SLICE_READ, "SliceReadBytesPerCycle", RATE, 0, slice_read_per_cycle,
       "read bandwidth of a slice")

FACT("SMs", "#", 1, "SMs")
FACT("SMClockKHz", "#", 1, "highest SM clock")
FACT("MemoryClockKHz", "#", 1, "highest memory clock")
FACT("MemoryBusBits", "#", 1, "memory bus")
FACT("XCDs", "#", 1, "XCDs")
FACT("SIMDsPerSM", "#", 1, "SIMDs per SM")
FACT("WarpThreads", "#", 1, "warp threads")
FACT("ThreadsPerSM", "#", 1, "threads per SM")
FACT("ThreadsPerBlock", "#", 1, "threads per block")
FACT("BlocksPerSM", "#", 1, "blocks per SM")
FACT("RegistersPerSM", "#", 1, "registers per SM")
FACT("RegistersPerBlock", "#", 1, "registers per block")
FACT("SharedBytesPerBlock", "#", 1, "shared memory of a block")
FACT("SharedReservedBytesPerBlock", "#", 1, "shared memory reserved for each block")
FACT("ComputeCapability", "#.#", 0, "compute capability")
FACT("GFX", NULL, 0, "GFX")
FACT("ECC", "on|off", 0, "ECC")
FACT("GlobalLoadsInL1", "yes|no", 0, "loads from global memory are cached in L1")
FACT("ConstantBytes", "#", 1, "constant memory")
FACT("CoresPerSM", "#", 1, "cores per SM")
FACT("LocalLoadsInL1", "yes|no", 0, "local loads are cached in L1")
FACT("MeasuredSMClockMHz", "#", 1, "SM clock during the measurement")
FACT("MeasuringMilliseconds", "#", 0, "duration of the measurement")
FACT("MeasuringLaunches", "#", 0, "kernel launches of the measurement")
FACT("MeasuringDeviceBytes", "#", 0, "device memory used for measuring")
FACT("MeasuringRepeats", "#", 0, "steps that were repeated")
FACT("MeasuringFailures", "#", 1, "steps that failed")
FACT("Provisional", NULL, 0, "why the record is provisional")
FACT("ProvisionalTries", "#", 1, "measurements since it became provisional")
FACT("ProvisionalTried", NULL, 0, "last of these measurements")
FACT("HostPlace", NULL, 0, "place in the host")
FACT("Status", NULL, 0, "status")
FACT("Measured", NULL, 0, "date of the measurement")
FACT("Version", NULL, 0, "version of the program that measured")
/* clang-format on */

#undef PROPERTY
#undef ON
#undef NUMBER
#undef TEXT
#undef LOOSE
#undef FACT
