#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loads in many processes at once, with the driver's texts remembered and not, on a node that has
# one or eight stand-ins for GPUs. slow-driver.c stands in for the lock of the driver.
#   top_builddir=BUILD HWLOC_PLUGINS_PATH=PLUGIN tests/bench/together.sh [ROUNDS [PROCESSES]]
set -eu
rounds=${1:-20} processes=${2:-64}
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${top_builddir:-.}/tests/bench" && pwd)
work=$(mktemp -d /dev/shm/gpucache-bench-XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/on" "$work/off" "$work/plugin"
: >"$work/off/hwloc-gpucache" # a file in place of the directory: nothing is remembered
cp "${HWLOC_PLUGINS_PATH%%:*}/hwloc_gpucache.so" "$work/plugin/"
"${CC:-cc}" -O2 -shared -fPIC -o "$work/slow.so" "$here/slow-driver.c" -ldl
bash "$here/../plugin/fake-node.sh" "$work/node" # two GPUs
node=$work/node
gpus=$node/proc/driver/nvidia/gpus
set -- "$gpus"/*
first=${1##*/}

# copy BUSID UUID: one more GPU like the first one.
copy() {
  mkdir "$gpus/$1"
  sed "s/$first/$1/; s/GPU UUID:.*/GPU UUID: \t GPU-$2/" "$gpus/$first/information" >"$gpus/$1/information"
  cp -r "$node/sys/bus/pci/drivers/nvidia/$first" "$node/sys/bus/pci/drivers/nvidia/$1"
}

# measure NAME: medians of all loads and of the slowest load of each round, microseconds
measure() {
  set -- "$1" HWLOC_FSROOT="$node" HWLOC_THISSYSTEM=1 HWLOC_GPUCACHE=cached LD_PRELOAD="$work/slow.so" \
    SLOW_DRIVER_LOCK="$work/lock"
  echo "$1: load, slowest load (without the plugin, with it, with it and nothing remembered)"
  shift
  "$bin/fresh-load" together "$rounds" "$processes" -- "$@" HWLOC_PLUGINS_PATH=/nonexistent \
    -- "$@" HWLOC_PLUGINS_PATH="$work/plugin" XDG_RUNTIME_DIR="$work/on" \
    -- "$@" HWLOC_PLUGINS_PATH="$work/plugin" XDG_RUNTIME_DIR="$work/off" | cut -d ' ' -f 2,3
}

for i in 2 3 4 5 6 7; do copy "0000:a$i:00.0" "4444444$i-0000-0000-0000-000000000044"; done
measure "8 GPUs, $processes processes"
for gpu in "$gpus"/*; do [ "${gpu##*/}" = "$first" ] || rm -r "$gpu"; done
measure "1 GPU, $processes processes"
