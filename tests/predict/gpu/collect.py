#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""collect.py DIR: joins the counters that count.sh wrote. Prints TSV: kernel, counter, the median of
the runs, the least, the most."""
import csv
import glob
import os
import statistics
import sys

directory = sys.argv[1]
names = open(os.path.join(directory, "names")).read().split()
values = {}  # (row, counter): list
for path in sorted(glob.glob(os.path.join(directory, "*-[0-9].csv"))):
    lines = [line for line in open(path) if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first row has the units
    if len(rows) != len(names):
        sys.exit(f"{path}: {len(rows)} kernels, expected {len(names)}")
    for i, row in enumerate(rows):
        for key, text in row.items():
            if key.split("__")[0] in ("l1tex", "lts", "dram", "sm") or key in (
                "launch__shared_mem_config_size",
                "launch__registers_per_thread",
            ):
                try:
                    values.setdefault((i, key), []).append(float(text.replace(",", "")))
                except ValueError:
                    continue
for (i, key), counts in sorted(values.items()):
    if key.startswith(("l1tex", "lts", "dram")) and not key.endswith(".sum"):
        continue
    print(names[i], key, f"{statistics.median(counts):.0f}", f"{min(counts):.0f}",
          f"{max(counts):.0f}", sep="\t")
