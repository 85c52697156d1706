# SPDX-License-Identifier: BSD-3-Clause
"""For trace.sh and torch.sh: the hit rates of each program, counted and predicted, in percent.

A program is one part of trace.cu or torch_kinds.py, with all of its launches. Its rate is that of the
sectors of all of them. Launches that are not predicted are left out of both rates.

Usage: programs.py PREDICT-CHECK DIRECTORY, with the directory that predict-check --output has filled."""
import importlib.machinery
import importlib.util
import json
import re
import sys

# Names of the programs, and the kernel with which each begins, in the order in which they run.
PROGRAMS = [
    ("reduction", "6reduce"), ("transpose", "9transpose"), ("histogram", "9histogram"),
    ("softmax, by hand", "_Z7softmax"), ("layer norm, by hand", "9layernorm"), ("embedding, by hand", "9embedding"),
    ("convolution, by hand", "11convolution"), ("attention, by hand", "9attention"), ("scan (CUB)", "DeviceScanInit"),
    ("sort (CUB)", "RadixSortHistogram"), ("matrix product (cuBLAS)", "cublas"), ("FFT (cuFFT)", "fft"),
    ("softmax (PyTorch)", "softmax_warp"), ("layer norm (PyTorch)", "layer_norm"), ("embedding (PyTorch)", "gather_kernel"),
    ("convolution (PyTorch)", "nchwToNhwc"), ("attention (PyTorch)", "sdpa|flash|fmha"),
    ("matrix product (PyTorch)", "nvjet|cublas")]


def module(path):
    loader = importlib.machinery.SourceFileLoader("predict_check", path)
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader("predict_check", loader))
    loader.exec_module(loaded)
    return loaded


class Options:
    kernel = launches = None


def launches(check, directory):
    """(counters, prediction) of each launch, in their order."""
    predicted = {}
    for kernel in json.load(open(directory + "/predicted.json", encoding="utf-8"))["kernels"]:
        predicted.setdefault(kernel["launch"]["name"], []).append(kernel)
    counted, _ = check.read_counters(directory + "/counted.csv", Options, predicted)
    pairs = [pair for name in predicted for pair in zip(counted[name], predicted[name])]
    return sorted(pairs, key=lambda pair: pair[1]["launch"]["in_program"])


def by_program(check, directory):
    found, current = {}, -1
    for launch, kernel in launches(check, directory):
        for i in range(current + 1, len(PROGRAMS)):
            if re.search(PROGRAMS[i][1], kernel["launch"]["name"]):
                current = i
                break
        if current >= 0:
            found.setdefault(PROGRAMS[current][0], []).append((launch, kernel))
    return found


def rates(check, pairs, level):
    """Counted and predicted, or None: nothing was both."""
    counter, key, loads = {"L1": (check.L1, "l1_hit_rate", "l1_loads"),
                           "L2": (check.L2, "l2_near_hit_rate", "l2_loads")}[level]
    sums = [0, 0, 0, 0]
    for launch, kernel in pairs:
        real, guess = check.counted_rate(launch, counter), check.predicted_rate(kernel, key)
        if real is not None and guess is not None and not (check.why_not(kernel) and level == "L2"):
            sectors = kernel[loads]["sectors"]
            sums = [a + b for a, b in zip(sums, (launch[counter], real * launch[counter], sectors, guess * sectors))]
    return (sums[1] / sums[0], sums[3] / sums[2]) if sums[0] and sums[2] else None


def main(path, directory):
    check = module(path)
    errors = {"L1": [], "L2": []}
    print("\n| program | launches | L1 counted | predicted | L2 counted | predicted |")
    print("|---|---|---|---|---|---|")
    for name, pairs in by_program(check, directory).items():
        cells = [name, str(len(pairs))]
        for level, of in errors.items():
            both = rates(check, pairs, level)
            cells += [f"{rate:.1f}" for rate in both] if both else ["-", "-"]
            of += [abs(both[0] - both[1])] if both else []
        print(f"| {' | '.join(cells)} |")
    print("\nmean absolute error of the programs: " + ", ".join(
        f"{level} {sum(of) / len(of):.1f} points ({len(of)})" for level, of in errors.items() if of))


main(*sys.argv[1:])
