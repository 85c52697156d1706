#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# measure.sh DIR COUNT [BAD [PROFILE]]: makes the records of a cluster of COUNT nodes with one simulated GPU
# each, as DIR/node0001/gpu.xml and so on. Each GPU is measured; no value is made up. They are the
# small GPU of tests/tool/small, or that of PROFILE, each with noise of its own, and they differ as
# boards do: the latency of L2 (200 cycles on all paths) by up to a cycle, that of the device memory (400) by up to 6, its
# bandwidth by up to 1 %. The L2 of node number BAD is slower by 15 cycles. 0.7 s for each small GPU.
#
# Environment: top_builddir, top_srcdir.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 DIR COUNT [BAD [PROFILE]]" >&2; exit 2; }
out=$1 count=$2 bad=${3:-0}
tool=${top_builddir:-.}/hwloc-gpucache
profile=${4:-${top_srcdir:-.}/tests/tool/small}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
i=1
while [ "$i" -le "$count" ]; do
  node=$(printf 'node%04d' "$i")
  awk -v seed="$i" -v bad="$bad" '
    function around(middle, share) { return middle * (1 + share * (2 * rand() - 1)) }
    BEGIN {
      srand(seed)
      rand() # the first number after srand(1), srand(2) ... hardly varies
      l2 = around(200, 0.005) + (seed == bad ? 15 : 0)
      memory = around(400, 0.015)
      bandwidth = around(14.4, 0.01)
    }
    /^seed/ {
      print "seed = " seed
      print "bandwidth_noise = 0.003"
      printf "memory_read_gbps = %.3f\n", bandwidth
      next
    }
    {
      gsub(/L2 2[01]0 2/, sprintf("L2 %.0f 2", l2))
      gsub(/memory 4[01]0 5/, sprintf("memory %.0f 5", memory))
      print
    }' "$profile" >"$work/$node"
  mkdir -p "$out/$node"
  "$tool" measure --sim "$work/$node" --no-store --force --xml >"$work/xml"
  mv "$work/xml" "$out/$node/gpu.xml"
  i=$((i + 1))
done
