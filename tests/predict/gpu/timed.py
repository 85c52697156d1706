#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""timed.py TIMED BASELINES COUNTERS: hit rates of L1 by time, as predicted and as counted, in
percent, as Markdown. TIMED is from replay, where each warp waits for each of its loads; so is the
prediction. A load of a line that is under way is slow, so it is not among the hits of either."""
import sys

COUNTED = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


waiting, counters = {}, {}
for line in open(sys.argv[2]):
    fields = line.rstrip("\n").split("\t")
    if len(fields) > 3 and fields[1] == "waiting":
        waiting[fields[0]] = int(fields[3]), int(fields[2])
for line in open(sys.argv[3]):
    name, key, median, *_ = line.split("\t")
    counters[name, key] = float(median)
print("| kernel | timed | predicted, waiting | counted |")
print("|---|---|---|---|")
for line in open(sys.argv[1]):
    name, loaded, hits, _ = line.rstrip("\n").split("\t")
    counted = counters.get((name, COUNTED + "_lookup_hit.sum"), 0)
    print(f"| {name} | {percent(int(hits), int(loaded))} | {percent(*waiting.get(name, (0, 0)))} |",
          f"{percent(counted, counters.get((name, COUNTED + '.sum'), 0))} |")
print()
