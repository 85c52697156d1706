#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the plugin adds to a topology load in a fresh process, for one GPU and for all GPUs, and what
# of it is the driver's own file. tests/bench.sh runs it. By hand, with records of all GPUs:
#   top_builddir=... HWLOC_PLUGINS_PATH=PLUGIN HWLOC_GPUCACHE_DIR=RECORDS tests/bench/fresh.sh [PROCESSES]
# With HWLOC_FSROOT it uses the node that is there. HWLOC_GPUCACHE_SIM adds simulated GPUs.
set -u
processes=${1:-200}
bin=${top_builddir:-.}/tests/bench
built=${HWLOC_PLUGINS_PATH%%:*}/hwloc_gpucache.so
node=${HWLOC_FSROOT:-}
work=$(mktemp -d) || exit 1
memory=$(mktemp -d /dev/shm/gpucache-bench-XXXXXX) || memory=$work
trap 'rm -rf "$work" "$memory"' EXIT
mkdir -m 700 "$memory/on" "$memory/off"
plugin=$work/plugin # alone, as it is installed: hwloc examines each file of the directory
mkdir "$plugin" && cp "$built" "$plugin/" || exit 1
: >"$memory/off/hwloc-gpucache" # a file in place of the directory: nothing is remembered
unset HWLOC_PLUGINS_PATH HWLOC_FSROOT HWLOC_THISSYSTEM XDG_RUNTIME_DIR
HWLOC_GPUCACHE=cached
export HWLOC_GPUCACHE

# link FROM TO [NAME]: TO gets links to all that is in FROM, except NAME and processes.
link() {
  mkdir -p "$2"
  for entry in "$1"/*; do
    case ${entry##*/} in "${3-}" | [0-9]*:*) ;; [0-9]*) ;; *) ln -s "$entry" "$2/" ;; esac
  done
}

# first_gpu DIR: a root directory with the same node, but only its first NVIDIA GPU.
first_gpu() {
  link "$node/proc" "$1/proc" driver
  link "$node/proc/driver" "$1/proc/driver" nvidia
  link "$node/proc/driver/nvidia" "$1/proc/driver/nvidia" gpus
  link "$node/sys" "$1/sys" bus
  link "$node/sys/bus" "$1/sys/bus" pci
  link "$node/sys/bus/pci" "$1/sys/bus/pci" devices
  mkdir "$1/proc/driver/nvidia/gpus" "$1/sys/bus/pci/devices"
  ln -s "$node/dev" "$1/dev"
  set -- "$1" "$node"/proc/driver/nvidia/gpus/*
  root=$1
  ln -s "$2" "$root/proc/driver/nvidia/gpus/"
  shift 2
  others=" "
  for gpu; do others="$others${gpu##*/} "; done
  for device in "$node"/sys/bus/pci/devices/*; do
    case $others in *" ${device##*/} "*) ;; *) ln -s "$device" "$root/sys/bus/pci/devices/" ;; esac
  done
}

# measure NAME ROOT
measure() {
  set -- "$1" "${2:+HWLOC_FSROOT=$2}" "${2:+HWLOC_THISSYSTEM=1}"
  "$bin/fresh-load" "$processes" -- $2 $3 HWLOC_PLUGINS_PATH=/nonexistent \
    -- $2 $3 HWLOC_PLUGINS_PATH="$plugin" XDG_RUNTIME_DIR="$memory/on" \
    -- $2 $3 HWLOC_PLUGINS_PATH="$plugin" XDG_RUNTIME_DIR="$memory/off" >"$work/$1" || exit 1
}
# value LINE FIELD NAME
value() { sed -n "$1p" "$work/$3" | cut -d ' ' -f "$2"; }

# report NAME
report() {
  signed() { value "$@" | sed 's/^[^-]/+&/'; }
  echo "  $(value 2 1 "$1") GPU$([ "$(value 2 1 "$1")" = 1 ] || echo s) with a record"
  echo "    without the plugin         load $(value 1 2 "$1"), whole process $(value 1 3 "$1")"
  echo "    it adds                    load $(signed 2 4 "$1"), whole process $(signed 2 5 "$1")  ${2-}"
  echo "    it adds, nothing remembered load $(signed 3 4 "$1"), whole process $(signed 3 5 "$1")"
}

echo "fresh processes, medians of $processes in alternation, all I/O kept, no other plugin, microseconds"
[ "$(stat -f -c %T "$memory")" = tmpfs ] || echo "  /dev/shm is no tmpfs: nothing is remembered"
measure all "$node"
gpus=$(value 2 1 all)
[ "$gpus" = "$(value 3 1 all)" ] || { echo "fresh.sh: what is remembered changes the topology" >&2; exit 1; }
if [ "$gpus" -gt 1 ] && [ -d "$node/proc/driver/nvidia/gpus" ]; then
  first_gpu "$work/root"
  measure one "$work/root"
  report one "(to reach: 500)"
  report all
  echo "  each further GPU             load $((($(value 2 4 all) - $(value 2 4 one)) / (gpus - 1)))," \
    "whole process $((($(value 2 5 all) - $(value 2 5 one)) / (gpus - 1)))  (to reach: 250)"
else
  report all "$([ "$gpus" -gt 1 ] || echo "(to reach: 500)")"
fi
if [ -d "$node/proc/driver/nvidia/gpus" ]; then
  i=0
  while [ $i -lt 50 ]; do
    for gpu in "$node"/proc/driver/nvidia/gpus/*; do
      "$bin/fresh-load" read "$gpu/information" || exit 1
    done
    i=$((i + 1))
  done | sort -n >"$work/read"
  echo "  the driver's file of one GPU, first read in a process:" \
    "median $(awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }' "$work/read"), at most $(tail -n 1 "$work/read")"
fi
echo "  PCI devices                  $(ls "$node/sys/bus/pci/devices" 2>/dev/null | wc -l)"
size "$built" 2>/dev/null |
  awk 'NR == 2 { printf "  code and data of the plugin  %d KB  (to reach: 120)\n", ($1 + $2) / 1000 }'
