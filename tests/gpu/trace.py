# SPDX-License-Identifier: BSD-3-Clause
"""trace.py PREDICTED.json COUNTED.csv: predicted and counted hit rates, in the order of the kernels.
Exit status 1: the mean error in L1 is above 3 points."""
import csv
import json
import sys

L1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
L2 = "lts__t_sectors_srcunit_tex_op_read"

counted = {}
with open(sys.argv[2], encoding="utf-8") as file:
    for row in csv.DictReader(line for line in file if line.startswith('"')):
        kernel = counted.setdefault(int(row["ID"]), {"name": row["Kernel Name"].split("(")[0]})
        kernel[row["Metric Name"].split(".")[0]] = float(row["Metric Value"].replace(",", ""))
with open(sys.argv[1], encoding="utf-8") as file:
    predicted = {kernel["launch"]["number"]: kernel for kernel in json.load(file)["kernels"]}


def rate(kernel, name):
    """Per cent, or None if there are no loads."""
    return 100 * kernel[name + "_lookup_hit"] / kernel[name] if kernel.get(name) else None


def text(value):
    return "-" if value is None else f"{value:.1f}"


errors = {"l1_hit_rate": [], "l2_near_hit_rate": []}
print("| kernel | blocks traced | L1 counted | predicted | L2 counted | predicted |")
print("|---|---|---|---|---|---|")
for number, kernel in sorted(counted.items()):
    guess = predicted.get(number + 1)
    cells = []
    for name, key in ((L1, "l1_hit_rate"), (L2, "l2_near_hit_rate")):
        real = rate(kernel, name)
        value = 100 * guess[key]["value"] if guess and guess[key] else None
        if real is not None and value is not None:
            errors[key].append(abs(real - value))
        cells += [text(real), text(value)]
    launch = guess["launch"] if guess else {"blocks": 0, "launched_blocks": 0}
    part = 100 * launch["blocks"] / (launch.get("launched_blocks") or launch["blocks"] or 1)
    print(f"| {kernel['name'][-40:]} | {part:.0f} % | {' | '.join(cells)} |")
if not all(errors.values()):
    sys.exit("no kernel was both predicted and counted")
mean = {key: sum(values) / len(values) for key, values in errors.items()}
print(f"\nmean absolute error: L1 {mean['l1_hit_rate']:.1f} points ({len(errors['l1_hit_rate'])} kernels), "
      f"L2 {mean['l2_near_hit_rate']:.1f} points ({len(errors['l2_near_hit_rate'])} kernels)")
sys.exit(mean["l1_hit_rate"] > 3)
