# SPDX-License-Identifier: BSD-3-Clause
"""What GPGPU-Sim was told, and what the command measured.

Usage: compare.py gpgpusim.config measured.xml   (see check.sh)"""
import re
import sys
import xml.etree.ElementTree

KIB = 1024
L1_STAGES, SHARED_STAGES, L2_STAGES = (4, 4.5), (5, 5.5), (12, 14)


def read_config(path):
    """The last value of each option. A value in quotes may span lines."""
    text = re.sub(r"#.*", "", open(path).read())
    return {name: value.strip() for name, value in re.findall(r'^-(\S+)\s+("[^"]*"|.*)$', text, re.M)}


def read_elements(path):
    """The infos of each element of a record, by subtype."""
    tree = xml.etree.ElementTree.parse(path)
    return {o.get("subtype"): {i.get("name"): i.get("value") for i in o.findall("info")}
            for o in tree.iter("object") if o.get("subtype")}


class Cache:
    """SECTORED:SETS:LINE:WAYS,... as in -gpgpu_cache:dl1"""

    def __init__(self, text):
        kind, sets, line, ways = re.match(r"(\w):(\d+):(\d+):(\d+)", text).groups()
        self.sets, self.line, self.ways = int(sets), int(line), int(ways)
        self.bytes = self.sets * self.line * self.ways
        self.sector = 32 if kind == "S" else self.line


class Table:
    def __init__(self):
        self.wrong = 0

    def row(self, what, configured, measured, right):
        self.wrong += not right
        print(f"  {what:34} {configured:>18} {measured:>12} {'' if right else '  DIFFERENT'}")


def l1_bytes(config, shared):
    """L1 gets what the smallest sufficient choice of shared memory leaves, or has a size of its own."""
    if config["gpgpu_adaptive_cache_config"] == "0":
        return Cache(config["gpgpu_cache:dl1"]).bytes
    total = int(config["gpgpu_unified_l1d_size"]) * KIB
    choice = min(c for c in (int(k) * KIB for k in config["gpgpu_shmem_option"].split(",")) if c >= shared)
    way = Cache(config["gpgpu_cache:dl1"]).sets * Cache(config["gpgpu_cache:dl1"]).line
    return int(total // way * (1 - choice / total) + 0.5) * way


def l2_bytes(config):
    """Each sub-partition of a memory channel has a slice."""
    slices = int(config["gpgpu_n_mem"]) * int(config["gpgpu_n_sub_partition_per_mchannel"])
    return slices * Cache(config["gpgpu_cache:dl2"]).bytes


def compare_cache(table, name, element, cache, least, most):
    """least, most: possible capacities."""
    got = int(element.get("CapacityBytes", 0))
    table.row(f"{name} capacity", f"{least} to {most}", element.get("CapacityBytes", "absent"), least <= got <= most)
    for what, key, bytes_ in ("line", "LineBytes", cache.line), ("sector", "FetchBytes", cache.sector):
        table.row(f"{name} {what}", bytes_, element.get(key, "absent"), element.get(key) == str(bytes_))


def compare_latency(table, name, element, configured, stages):
    """A load passes pipeline registers in addition, which no option states. The loop around the loads takes part of a
    cycle per load: see doc/results/gpgpusim.md."""
    low, high = configured + stages[0], configured + stages[1]
    table.row(f"{name} latency", f"{low} to {high}", element.get("LatencyCycles", "absent"),
              low <= float(element.get("LatencyCycles", 0)) <= high)


def main(config_path, record_path):
    config, elements, table = read_config(config_path), read_elements(record_path), Table()
    print(f"  {'':34} {'configured':>18} {'measured':>12}")
    if "L1Cache" in elements:
        cache, capacity = Cache(config["gpgpu_cache:dl1"]), l1_bytes(config, 0)
        # the last sweep of the search has steps of 32 bytes
        compare_cache(table, "L1", elements["L1Cache"], cache, capacity - 32, capacity)
        compare_latency(table, "L1", elements["L1Cache"], int(config["gpgpu_l1_latency"]), L1_STAGES)
    if "L2Cache" in elements:
        cache, capacity = Cache(config["gpgpu_cache:dl2"]), l2_bytes(config)
        # what the GPU itself loads, such as arguments, may take a way of some sets; and the command reports what
        # all of several allocations hold, to 1/64
        compare_cache(table, "L2", elements["L2Cache"], cache, capacity - capacity // cache.ways - capacity // 64,
                      capacity)
        compare_latency(table, "L2", elements["L2Cache"], int(config["gpgpu_l2_rop_latency"]), L2_STAGES)
    if "SharedMemory" in elements:
        compare_latency(table, "shared memory", elements["SharedMemory"], int(config["gpgpu_smem_latency"]),
                        SHARED_STAGES)
    return table.wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
