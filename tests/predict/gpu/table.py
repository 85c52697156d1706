#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""table.py COUNTERS BASELINES HELD-OUT: counted and predicted hit rates in percent, as Markdown.

COUNTERS is from collect.py, BASELINES from baselines, HELD-OUT has the names of the kernels that
only judge the model. Fails if their mean absolute error in L1 is more than 5 points."""
import collections
import sys

VARIANTS = ["no-associativity", "no-latency", "no-limit", "waiting", "lru", "distances", "paper"]
L1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
L2 = "lts__t_sectors_srcunit_tex_op_read"


def is_probe(name):
    return name.startswith("load_") or name.endswith("_waiting")


def percent(part, whole):
    return 100 * part / whole if whole else float("nan")


def mean(values):
    values = [value for value in values if value == value]
    return sum(values) / len(values)


def read_rates(path):
    """Of each kernel and variant: the hit rates of L1 and of L2. The counter of L2 is without the
    hits in the far partition; older files do not have them."""
    rates = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in open(path):
        fields = line.rstrip("\n").split("\t")
        if len(fields) < 13 or fields[0] == "kernel":
            continue
        n = [float(field) for field in fields[2:10]]
        far = float(fields[13]) if len(fields) > 13 else 0
        rates[fields[0]][fields[1]].append((percent(n[1] + n[2], n[0]),
                                            percent(n[5] + n[6] - far, n[4])))
    return rates


def read_memory(path):
    """Of each kernel: the bytes that the model reads from memory; older files do not have them."""
    rows = [line.rstrip("\n").split("\t") for line in open(path)]
    return {row[0]: float(row[14]) for row in rows if len(row) > 14 and row[1] == "full"}


counters, rates = collections.defaultdict(dict), read_rates(sys.argv[2])
for line in open(sys.argv[1]):
    name, key, *numbers = line.split("\t")
    counters[name][key] = [float(number) for number in numbers]
held_out = set(open(sys.argv[3]).read().split())
in_range = collections.defaultdict(list)
errors = collections.defaultdict(lambda: collections.defaultdict(list))
print("| kernel | L1 counted | predicted | range | error |", " | ".join(VARIANTS),
      "| L2 counted | predicted | range | error |")
print("|---" * (len(VARIANTS) + 9) + "|")
for kind in "tuning", "held out", "probe":
    for name, found in counters.items():
        of_kind = "probe" if is_probe(name) else "held out" if name in held_out else "tuning"
        if of_kind != kind or name not in rates:
            continue
        counted = (percent(found[L1 + "_lookup_hit.sum"][0], found[L1 + ".sum"][0]),
                   percent(found[L2 + "_lookup_hit.sum"][0], found[L2 + ".sum"][0]))
        cells = []
        for level in 0, 1:
            predicted = rates[name]["full"][0][level]
            drawn = [rate[level] for rate in rates[name]["full"] + rates[name]["seed"]]
            error = abs(predicted - counted[level])
            errors[kind][("L1", "L2")[level]].append(error)
            cells += [f"{counted[level]:.1f}", f"{predicted:.1f}",
                      f"{min(drawn):.1f} to {max(drawn):.1f}", f"{error:.1f}"]
            if counted[level] == counted[level]:  # not nan
                least, rate, most = (round(x, 1) for x in (min(drawn), counted[level], max(drawn)))
                in_range[("L1", "L2")[level], kind].append(least <= rate <= most)
            if level == 0:
                for variant in VARIANTS:
                    rate = rates[name][variant][0][0]
                    errors[kind][variant].append(abs(rate - counted[0]))
                    cells.append(f"{rate:.1f}")
        print(f"| {name}{' (probe)' * (kind == 'probe')}{' *' * (kind == 'held out')} |",
              " | ".join(cells).replace("nan", "–"), "|")
print("\n| mean absolute error of | kernels | L1 |", " | ".join(VARIANTS), "| L2 |")
print("|---" * (len(VARIANTS) + 4) + "|")
for kind, of_kind in errors.items():
    print(f"| {kind} | {len(of_kind['L1'])} | {mean(of_kind['L1']):.1f} |",
          " | ".join(f"{mean(of_kind[variant]):.1f}" for variant in VARIANTS),
          f"| {mean(of_kind['L2']):.1f} |")
print("\ncounted rates that are in the range, to 0.1 points:",
      ", ".join(f"{level} {kind} {sum(of_kind)} of {len(of_kind)}"
                for (level, kind), of_kind in sorted(in_range.items())))
memory = read_memory(sys.argv[2])
if memory:
    print("\n| kernel | MB read from memory, counted | predicted | ratio |\n|---|---|---|---|")
for name, found in counters.items():
    counted = 32 * found["dram__sectors_read.sum"][0]
    if name in memory and counted > 1e5:
        print(f"| {name} | {counted / 1e6:.2f} | {memory[name] / 1e6:.2f} |"
              f" {memory[name] / counted:.2f} |")
sys.exit(mean(errors["held out"]["L1"]) > 5)
